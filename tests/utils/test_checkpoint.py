"""Checkpoints: the same gradients, with less kept; every sentence also holds for PyTorch."""

import contextlib
import functools
import gc
import importlib
import weakref
from dataclasses import replace

import numpy as np
import pytest

import glassgrad
from both import LIBRARIES, bare, leaf, make, plain, values
from glassgrad.base.errors import CheckpointError
from opcase import Run
from opcases import DIFFERENTIABLE, rows

VARIANTS = [pytest.param(False, id="non-reentrant"), pytest.param(True, id="reentrant")]


@pytest.fixture(params=LIBRARIES)
def lib(request):
    return request.param


def tools(lib):
    return importlib.import_module(f"{lib.__name__}.utils.checkpoint")


def checkpoint(lib, function, *args, use_reentrant=False, **kwargs):
    return tools(lib).checkpoint(function, *args, use_reentrant=use_reentrant, **kwargs)


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


def chain(x):
    return (x * x).exp().sin()


class Differing:
    """A function that does something else from its second call on."""

    def __init__(self, first, then):
        self.todo, self.then = [first], then

    def __call__(self, x):
        return (self.todo.pop() if self.todo else self.then)(x)


# Gradients ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_gradients_are_those_without_a_checkpoint(lib, use_reentrant):
    x, y = leaf(lib, [0.3, -0.7]), leaf(lib, [0.3, -0.7])
    checkpoint(lib, chain, x, use_reentrant=use_reentrant).sum().backward()
    chain(y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_the_function_runs_again_in_backward_and_only_then(lib, use_reentrant):
    function = Counted(chain)
    out = checkpoint(lib, function, leaf(lib, [0.3]), use_reentrant=use_reentrant)
    assert function.calls == 1
    out.sum().backward()
    assert function.calls == 2


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_all_arguments_reach_the_function_and_all_results_come_back(lib, use_reentrant):
    def function(number, x, word, y):
        return x * y * number, word, None, y * 2

    x, y = leaf(lib, 2.0), leaf(lib, 5.0)
    first, word, nothing, second = checkpoint(
        lib, function, 3, x, "abc", y, use_reentrant=use_reentrant
    )
    assert (word, nothing) == ("abc", None)
    (first + second).backward()
    assert values([first, second, x.grad, y.grad]) == [30.0, 10.0, 15.0, 8.0]


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_parameters_of_the_function_get_gradients(lib, use_reentrant):
    x, weight = leaf(lib, 2.0), leaf(lib, 3.0)
    checkpoint(lib, lambda x: (x * weight).exp(), x, use_reentrant=use_reentrant).backward()
    expected = (x.detach() * weight.detach()).exp()
    assert values([x.grad / 3, weight.grad / 2]) == pytest.approx([expected.item()] * 2)


def test_keywords_reach_the_function_without_reentrance(lib):
    x, y = leaf(lib, 2.0), leaf(lib, 3.0)
    out = checkpoint(lib, lambda x, scale=None: x.exp() * scale, x, scale=y)
    assert [g is not None for g in lib.autograd.grad(out, (x, y))] == [True, True]


def test_an_input_in_a_list_takes_part_without_reentrance(lib):
    x = leaf(lib, 2.0)
    checkpoint(lib, lambda xs: xs[0] * xs[0], [x]).backward()
    assert x.grad.item() == 4.0


def test_a_detached_result_is_one_without_reentrance(lib):
    def function(x):
        with lib.no_grad():
            return x * 2

    assert not checkpoint(lib, function, leaf(lib, 2.0)).requires_grad


def test_a_tensor_that_needs_no_gradient_is_saved_as_itself(lib):
    seen = []

    def backward(ctx, grad):
        seen.extend(ctx.saved_tensors)
        return grad, None

    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        return x * 1

    y = plain(lib, 3.0)
    checkpoint(lib, make(lib, forward, backward).apply, leaf(lib, 2.0), y).backward()
    assert seen[0] is y


def test_the_graph_is_the_one_of_the_function(lib):
    out = checkpoint(lib, chain, leaf(lib, [0.3]))
    node, names = out.grad_fn, []
    while node is not None:
        names.append(bare(node.name()))
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == ["SinBackward0", "ExpBackward0", "MulBackward0", "AccumulateGrad"]


def test_the_reentrant_variant_is_one_node(lib):
    out = checkpoint(lib, chain, leaf(lib, [0.3]), use_reentrant=True)
    assert out.grad_fn.name() == "CheckpointFunctionBackward"


def test_gradients_can_be_differentiated_without_reentrance(lib):
    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    grads = []
    for out, at in ((checkpoint(lib, chain, x), x), (chain(y), y)):
        (first,) = lib.autograd.grad(out, at, create_graph=True)
        (second,) = lib.autograd.grad(first, at, create_graph=True)
        grads.append(values([first, second, *lib.autograd.grad(second, at)]))
    assert grads[0] == pytest.approx(grads[1])


def test_a_retained_graph_is_recomputed_for_each_pass(lib):
    x, function = leaf(lib, 0.3), Counted(chain)
    out = checkpoint(lib, function, x)
    once = [lib.autograd.grad(out, x, retain_graph=True)[0].item() for _ in range(3)]
    assert len(set(once)) == 1
    assert function.calls == 4


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_a_freed_graph_says_so(lib, use_reentrant):
    out = checkpoint(lib, chain, leaf(lib, 0.3), use_reentrant=use_reentrant)
    out.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        out.backward()


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_an_input_written_since_is_noticed(lib, use_reentrant):
    x = leaf(lib, [0.3]) * 1
    out = checkpoint(lib, chain, x, use_reentrant=use_reentrant)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_without_recording_the_function_is_just_called(lib, use_reentrant):
    with lib.no_grad():
        out = checkpoint(lib, chain, leaf(lib, 0.3), use_reentrant=use_reentrant)
    assert not out.requires_grad


def test_looking_at_a_saved_tensor_outside_of_a_pass_recomputes_each_time(lib):
    function = Counted(lambda x: x.exp())
    out = checkpoint(lib, function, leaf(lib, 0.0))
    seen = [out.grad_fn._saved_result.item(), out.grad_fn._saved_result.item()]
    assert (seen, function.calls) == ([1.0, 1.0], 3)
    out.backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        out.grad_fn._saved_result  # noqa: B018  # reading it raises


def test_a_part_of_the_graph_can_go_backward_alone(lib):
    def two(x):
        return x.sin(), x.exp()

    x = leaf(lib, 0.0)
    first, second = checkpoint(lib, two, x)
    first.backward()
    second.backward()
    assert x.grad.item() == 2.0


@rows(DIFFERENTIABLE)
def test_every_op_can_be_checkpointed(case, given):
    def checkpointed(op, *args, **kwargs):
        return checkpoint(glassgrad, functools.partial(call, op), *args, **kwargs)

    call, arrays = case.call, case.arrays(given)
    got = Run(replace(case, call=checkpointed), given, arrays).gradients()
    for ours, expected in zip(got, Run(case, given, arrays).gradients(), strict=True):
        assert (ours is None) == (expected is None)
        if ours is not None:
            np.testing.assert_allclose(ours.payload, expected.payload)


# Nested -------------------------------------------------------------------------------------------


def test_a_checkpoint_inside_a_checkpoint_is_recomputed_once_by_each(lib):
    inner = Counted(chain)
    outer = Counted(lambda x: checkpoint(lib, inner, x.cos()).sin())
    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    checkpoint(lib, outer, x).backward()
    chain(y.cos()).sin().backward()
    assert x.grad.item() == y.grad.item()
    assert (outer.calls, inner.calls) == (2, 3)


@pytest.mark.parametrize("early_stop", [True, False])
def test_a_backward_inside_the_function_works(lib, early_stop):
    def function(x):
        with lib.enable_grad():
            (grad,) = lib.autograd.grad(x.sin().exp(), x, create_graph=True)
        return grad * x

    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    checkpoint(lib, function, x, early_stop=early_stop).backward()
    function(y).backward()
    assert x.grad.item() == pytest.approx(y.grad.item())


def test_a_backward_inside_the_function_that_frees_its_part_works(lib):
    def function(x):
        a = x.sin().exp()
        (grad,) = lib.autograd.grad(a, x)
        return x.cos() * grad

    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    checkpoint(lib, function, x).backward()
    function(y).backward()
    assert x.grad.item() == pytest.approx(y.grad.item())


def test_a_pass_inside_a_pass_recomputes_for_itself(lib):
    x = leaf(lib, 0.3)
    first, out = checkpoint(lib, lambda x: (x.sin().exp(), x.sin().exp().cos()), x)
    out.grad_fn.register_hook(lambda *_: first.backward(retain_graph=True))
    out.backward(retain_graph=True)
    y = leaf(lib, 0.3)
    a = y.sin().exp()
    (a + a.cos()).backward()
    assert x.grad.item() == pytest.approx(y.grad.item())


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_checkpoints_in_a_row_work_in_segments(lib, use_reentrant):
    steps = [Counted(lambda x: x.sin()) for _ in range(5)]
    x, y = leaf(lib, 0.3), leaf(lib, 0.3)
    run = tools(lib).checkpoint_sequential
    run(steps, 2, x, use_reentrant=use_reentrant).backward()
    y.sin().sin().sin().sin().sin().backward()
    assert x.grad.item() == y.grad.item()
    assert [step.calls for step in steps] == [2, 2, 1, 1, 1]


def test_a_sequential_can_be_run_in_segments(lib):
    model = lib.nn.Sequential(*[lib.nn.Linear(3, 3) for _ in range(3)])
    x = lib.ones(2, 3, requires_grad=True)
    out = tools(lib).checkpoint_sequential(model, 3, x, use_reentrant=False)
    assert out.tolist() == model(x).tolist()
    out.sum().backward()
    assert all(p.grad is not None for p in model.parameters())


def test_more_segments_than_functions_are_refused(lib):
    with pytest.raises(ValueError, match=r"zero|cannot be cut into 5 segments"):
        tools(lib).checkpoint_sequential([chain] * 3, 5, leaf(lib, 0.3), use_reentrant=False)


# Early stop ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "block", "calls"),
    [
        ({}, None, 1),
        ({"early_stop": False}, None, 2),
        ({}, False, 2),
        ({"early_stop": False}, True, 1),
    ],
)
def test_the_second_run_stops_when_all_is_there(lib, options, block, calls):
    late = Counted(lambda x: x.clone())
    override = tools(lib).set_checkpoint_early_stop
    with contextlib.nullcontext() if block is None else override(block):
        out = checkpoint(lib, lambda x: late(x.sin().cos()), leaf(lib, 0.3), **options)
    out.backward()
    assert late.calls == calls


def test_a_function_that_catches_errors_does_not_stop_the_early_stop():
    def function(x):
        try:
            return x.exp()
        except Exception:  # noqa: BLE001  # what a user may write
            return x.sin()

    x = leaf(glassgrad, 0.0)
    checkpoint(glassgrad, function, x).backward()
    assert x.grad.item() == 1.0


# Random numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("use_reentrant", VARIANTS)
def test_random_numbers_are_the_same_in_both_runs(lib, use_reentrant):
    masks = []

    def dropout(x):
        masks.append(lib.rand(8) > 0.5)
        return (x * masks[-1]).exp()

    out = checkpoint(lib, dropout, leaf(lib, [1.0] * 8), use_reentrant=use_reentrant)
    out.sum().backward()
    assert masks[0].tolist() == masks[1].tolist()


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


# Memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("retain_graph", [False, True])
def test_nothing_of_the_function_is_kept_outside_of_its_runs(retain_graph):
    kept = []

    def function(x):
        middle = x.exp()
        kept.append(weakref.ref(middle))
        return middle.sin().cos()

    gc.disable()
    try:
        out = checkpoint(glassgrad, function, leaf(glassgrad, [0.3]))
        assert kept[0]() is None
        out.sum().backward(retain_graph=retain_graph)
        assert kept[1]() is None
        call = weakref.ref(out.grad_fn)
        del out
        assert call() is None
    finally:
        gc.enable()


def test_recomputed_tensors_that_a_pass_did_not_take_die_with_it():
    arrays = []

    def function(x):
        middle = x.exp()
        arrays.append(weakref.ref(middle.payload))
        return x.sin(), middle * middle

    gc.disable()
    try:
        first, second = checkpoint(glassgrad, function, leaf(glassgrad, [0.3]))
        first.sum().backward(retain_graph=True)
        assert [array() is None for array in arrays] == [True, True]
        second.sum().backward()
    finally:
        gc.enable()


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_what_cannot_be_called_is_refused(lib, use_reentrant):
    x = lib.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="'int' object is not callable"):
        lib.utils.checkpoint.checkpoint(3, x, use_reentrant=use_reentrant)


# Inside of transforms, and with tangents ----------------------------------------------------------


def squared_sine(lib, x):
    return tools(lib).checkpoint(lambda y: (y * y).sin(), x, use_reentrant=False)


def test_a_checkpoint_can_be_mapped_and_moved(lib):
    x = plain(lib, [[1.0, 2.0], [3.0, 4.0]])
    expected = (x * x).sin().tolist()
    moved = ((x * x).cos() * 2 * x * x).tolist()
    call = functools.partial(squared_sine, lib)
    assert lib.vmap(call)(x).tolist() == expected
    for found in (
        lib.func.jvp(call, (x,), (x,)),
        lib.vmap(lambda x: lib.func.jvp(call, (x,), (x,)))(x),
    ):
        np.testing.assert_allclose(found[0].numpy(), expected)
        np.testing.assert_allclose(found[1].numpy(), moved)


def test_a_checkpoint_moves_with_its_input(lib):
    forward_ad = lib.autograd.forward_ad
    x = leaf(lib, [1.0, 2.0])
    with forward_ad.dual_level():
        y = squared_sine(lib, forward_ad.make_dual(x, x.detach()))
        tangent = forward_ad.unpack_dual(y).tangent
        np.testing.assert_allclose(
            tangent.detach().numpy(), ((x * x).cos() * 2 * x * x).detach().numpy()
        )


def test_a_checkpoint_inside_a_vmap_has_gradients_outside():
    x = leaf(glassgrad, [1.0, 2.0])  # PyTorch runs the function again when the vmap is closed
    glassgrad.vmap(functools.partial(squared_sine, glassgrad))(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), ((x * x).cos() * 2 * x).detach().numpy())


def test_a_checkpoint_inside_of_grad_refuses_hooks(lib):
    with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        lib.func.grad(lambda x: squared_sine(lib, x).sum())(plain(lib, [1.0]))
