"""The two runs of a checkpointed function: random numbers, differences, errors, contexts."""

import contextlib

import pytest

import glassgrad
from both import leaf, make, plain
from checks import together
from glassgrad.core.errors import CheckpointError
from utils.checkpoints import VARIANTS, Differing, chain, checkpoint, tools

# Random numbers -----------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_random_numbers_are_the_same_in_both_runs(lib, use_reentrant):
    masks = []

    def dropout(x):
        masks.append(lib.rand(8) > 0.5)
        return (x * masks[-1]).exp()

    out = checkpoint(lib, dropout, leaf(lib, [1.0] * 8), use_reentrant=use_reentrant)
    out.sum().backward()
    assert masks[0].tolist() == masks[1].tolist()


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_the_second_run_draws_nothing_from_those_outside(lib, use_reentrant):
    lib.manual_seed(0)
    lib.rand(8)
    expected = lib.rand(8)
    lib.manual_seed(0)
    out = checkpoint(
        lib, lambda x: x * lib.rand(8), leaf(lib, [1.0] * 8), use_reentrant=use_reentrant
    )
    out.sum().backward()
    assert lib.rand(8).tolist() == expected.tolist()


@together
@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_random_numbers_go_on_if_their_state_is_not_preserved(lib, use_reentrant):
    drawn = []

    def function(x):
        drawn.append(lib.rand(8))
        return x * drawn[-1]

    x = leaf(lib, [1.0] * 8)
    out = checkpoint(lib, function, x, use_reentrant=use_reentrant, preserve_rng_state=False)
    out.sum().backward()
    assert drawn[0].tolist() != drawn[1].tolist()


# What differs between the runs --------------------------------------------------------------------


@together
@pytest.mark.parametrize(
    ("then", "early_stop", "says"),
    [
        (lambda x: x + 2, True, "A different number of tensors was saved"),
        (lambda x: x.sum().exp().sin(), True, "have different metadata"),
        (lambda x: x.exp().sin().cos(), False, "trying to save more tensors"),
    ],
)
def test_a_function_that_does_something_else_is_found_out(lib, then, early_stop, says):
    function = Differing(lambda x: x.exp().sin(), then)
    out = checkpoint(lib, function, leaf(lib, [0.3, 0.4]), early_stop=early_stop)
    with pytest.raises(RuntimeError, match=says):
        out.sum().backward()


def test_another_shape_is_fine_without_the_determinism_check(lib):
    function = Differing(lambda x: x.exp(), lambda x: x.sum().exp())
    out = checkpoint(lib, function, leaf(lib, [0.0, 0.0]), determinism_check="none")
    out.sum().backward()


def test_debug_says_what_differs(lib):
    function = Differing(lambda x: x.exp().sin(), lambda x: x + 2)
    out = checkpoint(lib, function, leaf(lib, [0.3]), debug=True)
    with pytest.raises(RuntimeError, match="You are seeing this error because you passed `debug="):
        out.sum().backward()


def test_debug_shows_the_lines_of_both_runs():
    def second(x):
        return x.sum().exp()

    function = Differing(lambda x: x.exp(), second)
    with tools(glassgrad).set_checkpoint_debug_enabled(True):
        out = checkpoint(glassgrad, function, leaf(glassgrad, [0.3, 0.4]))
    with pytest.raises(CheckpointError) as caught:
        out.sum().backward()
    first, _, again = str(caught.value).partition("Saved during recomputation:")
    assert "0: float64[2]" in first
    assert "in <lambda>: function = Differing(lambda x: x.exp(), second)" in first
    assert "0: float64[]" in again
    assert "in second: return x.sum().exp()" in again


def test_the_debug_block_wins_over_the_argument(lib):
    function = Differing(lambda x: x.exp().sin(), lambda x: x + 2)
    with tools(lib).set_checkpoint_debug_enabled(False):
        out = checkpoint(lib, function, leaf(lib, [0.3]), debug=True)
    with pytest.raises(RuntimeError, match="A different number of tensors was saved"):
        out.sum().backward()


def test_saved_tensors_can_be_had_once_in_a_backward(lib):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with pytest.raises(RuntimeError, match="already unpacked once"):
            _ = ctx.saved_tensors
        return grad * x

    x = leaf(lib, 3.0)
    checkpoint(lib, make(lib, forward, backward).apply, x).backward()
    assert x.grad.item() == 3.0


# Errors and warnings ------------------------------------------------------------------------------


def test_an_error_in_the_function_arrives_as_it_is(lib):
    with pytest.raises(ZeroDivisionError):
        checkpoint(lib, lambda x: x * (1 / 0), leaf(lib, 0.3))
    (leaf(lib, 0.3).exp() * 1).backward()  # no hook is left behind


def test_an_error_in_the_second_run_arrives_as_it_is(lib):
    def fail(x):
        raise KeyError("gone")

    out = checkpoint(lib, Differing(chain, fail), leaf(lib, 0.3))
    with pytest.raises(KeyError, match="gone"):
        out.backward()
    assert lib.is_grad_enabled()


@together
@pytest.mark.parametrize("call", ["checkpoint", "checkpoint_sequential"])
def test_leaving_the_variant_open_warns(lib, call):
    run = getattr(tools(lib), call)
    args = (chain,) if call == "checkpoint" else ([chain, chain], 2)
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed") as caught:
        run(*args, leaf(lib, 0.3))
    assert lib is not glassgrad or caught[0].filename == __file__


def test_the_reentrant_variant_refuses_a_pass_for_some_inputs(lib):
    for ask in (
        lambda out, x: lib.autograd.grad(out, x),
        lambda out, x: out.backward(inputs=[x]),
    ):
        x = leaf(lib, 0.3)
        out = checkpoint(lib, chain, x, use_reentrant=True)
        with pytest.raises(RuntimeError, match=r"checkpoint is incompatible with \.grad\(\)"):
            ask(out, x)
        checkpoint(lib, chain, x, use_reentrant=True).backward()  # nothing is left behind


def test_the_reentrant_variant_warns_if_no_input_requires_grad(lib):
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(lib, chain, plain(lib, 0.3), use_reentrant=True)


def test_the_reentrant_variant_needs_a_result_with_a_gradient(lib):
    out = checkpoint(lib, lambda x: x.detach() * 2, leaf(lib, 0.3), use_reentrant=True)
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True"):
        out.backward()


@together
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"use_reentrant": True, "scale": 2}, "Unexpected keyword arguments: scale"),
        ({"use_reentrant": True, "debug": True}, "is only supported when use_reentrant=False"),
        ({"determinism_check": "maybe"}, "determinism_check should be one of"),
        ({"debug": True, "context_fn": lambda: 1}, "incompatible with non-default context_fn"),
    ],
)
def test_options_that_do_not_go_together_are_refused(lib, options, says):
    with pytest.raises(ValueError, match=says):
        checkpoint(lib, chain, leaf(lib, 0.3), **options)


# Contexts -----------------------------------------------------------------------------------------


def test_each_run_has_its_context(lib):
    entered = []

    @contextlib.contextmanager
    def context(name):
        entered.append(name)
        yield
        entered.append(f"{name} left")

    def run(x):
        entered.append("run")
        return x.exp() + 1

    contexts = (context("first"), context("second"))
    out = checkpoint(lib, run, leaf(lib, 0.3), context_fn=lambda: contexts, early_stop=False)
    out.backward()
    assert entered == ["first", "run", "first left", "second", "run", "second left"]


def test_a_context_may_not_swallow_the_error_of_the_first_run(lib):
    contexts = (contextlib.suppress(ZeroDivisionError), contextlib.nullcontext())
    with pytest.raises(RuntimeError, match="suppressed an exception"):
        checkpoint(lib, lambda x: 1 / 0, leaf(lib, 0.3), context_fn=lambda: contexts)
