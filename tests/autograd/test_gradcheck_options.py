"""`gradcheck`: batched and undefined gradients, fast mode, and what cannot be checked."""

import inspect

import numpy as np
import pytest
import torch

import glassgrad
from both import leaf, plain
from checks import together
from glassgrad.autograd import GradcheckError, gradcheck
from glassgrad.core.errors import ExpectationError
from glassgrad.core.tensor import LEAF, wrap
from gradchecks import FAST, error, function


@FAST
def test_batched_gradients_are_checked(lib, fast_mode):
    x, y, unused = leaf(lib, [[0.5, -1.0], [2.0, 0.3]]), leaf(lib, [1.5, -0.5]), leaf(lib, 1.0)
    options = {"check_batched_grad": True, "fast_mode": fast_mode}
    assert lib.autograd.gradcheck(lambda x, y: (x * y, x.exp()), (x, y), **options)
    assert lib.autograd.gradgradcheck(lambda x, y: (x * y).sin(), (x, y), **options)
    if not fast_mode:  # PyTorch's fast mode wants each input used
        assert lib.autograd.gradcheck(lambda x, _: x * x, (x, unused), **options)


def test_a_backward_that_differs_from_run_to_run_is_found_by_batched_gradients():
    drift = iter([1.0 + 0.01 * n for n in range(100)])
    drifting = function(glassgrad, lambda ctx, x: x * 2, lambda ctx, grad: grad * 2 * next(drift))
    options = {"nondet_tol": 1.0, "rtol": 0.5}
    with pytest.raises(GradcheckError, match="For output 0 and input 0: the batched gradient is"):
        gradcheck(drifting, leaf(glassgrad, [1.0]), check_batched_grad=True, **options)


@together
@pytest.mark.parametrize("scattered", [False, True])
def test_random_gradients_are_not_contiguous_if_asked_for(lib, scattered):
    contiguous = []

    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            contiguous.append(grad.is_contiguous())
            return grad * 2

    x = leaf(lib, [0.5, -1.0])
    assert lib.autograd.gradgradcheck(Double.apply, x, gen_non_contig_grad_outputs=scattered)
    assert (False in contiguous) is scattered


def test_an_error_in_a_batched_pass_is_named():
    passes = iter(range(100))

    def backward(ctx, grad):
        if next(passes) >= 4:
            raise RuntimeError("not again")
        return grad * 2

    failing = function(glassgrad, lambda ctx, x: x * 2, backward)
    with pytest.raises(GradcheckError, match="While computing batched gradients, got: not again"):
        gradcheck(failing, leaf(glassgrad, [1.0]), check_batched_grad=True)


@pytest.mark.filterwarnings("ignore:Backwards compatibility")
def test_a_backward_that_invents_a_gradient_is_found(lib):
    x = leaf(lib, [1.0, 2.0])

    def invents(x):
        y = x.clone()
        y.register_hook(lambda grad: plain(lib, [1e-7, 1e-7]) if grad is None else None)
        return y

    try:
        lib.autograd.gradcheck(invents, x)
    except (error(lib), RuntimeError) as caught:
        assert "undefined" in str(caught)  # noqa: PT017  # either of two errors
    else:
        pytest.fail("nothing was found")


def test_the_undefined_check_warns_how_to_switch_it_off(lib):
    def fn(x):
        def hook(grad):
            if grad is None:
                raise RuntimeError("x is undefined")

        y = x.clone()
        y.register_hook(hook)
        return y

    with (
        pytest.warns(UserWarning, match="Backwards compatibility: New undefined gradient support"),
        pytest.raises(error(lib), match="Expected backward function to handle undefined output gr"),
    ):
        lib.autograd.gradcheck(fn, leaf(lib, [1.0, 2.0]))


def test_fast_mode_says_when_slow_mode_would_have_passed():
    # The entries ±1 cancel in a projection, and their errors add up.
    signs = wrap(np.array([1.0, -1.0] * 10))
    rough = function(
        glassgrad, lambda ctx, x: x * signs, lambda ctx, grad: grad * signs + grad * 9e-4
    )
    x = wrap(np.linspace(0.0, 1.0, 20), LEAF)
    assert gradcheck(rough, x)
    with pytest.raises(GradcheckError, match="Write `fast_mode=False`"):
        gradcheck(rough, x, fast_mode=True)


# What cannot be checked -------------------------------------------------------------------------


def test_some_input_must_require_grad(lib):
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        lib.autograd.gradcheck(lambda x: x * 2, plain(lib, 1.0))


def test_low_precision_is_warned_about(lib):
    x = lib.tensor([1.0, 2.0], dtype=lib.float32, requires_grad=True)
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precisi"):
        assert lib.autograd.gradcheck(lambda x: x * 2, x, eps=1e-2, atol=1e-2)


def test_overlapping_memory_is_refused(lib):
    x = (
        torch.ones(1, dtype=torch.float64).expand(3).requires_grad_()
        if lib is torch
        else wrap(np.broadcast_to(np.ones(1), (3,)), LEAF)
    )
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        lib.autograd.gradcheck(lambda x: x * 2, x)


@pytest.mark.parametrize("what", ["shape", "dtype"])
def test_an_output_whose_shape_or_dtype_depends_on_the_values_is_refused(what):
    def unstable(x):
        if x.item() > 1:
            return x * 2
        if what == "shape":
            return x * plain(glassgrad, [1.0, 2.0])
        return glassgrad.tensor(x.item(), dtype=glassgrad.float32)

    with pytest.raises(AssertionError, match=f"return outputs with the same {what} when inputs"):
        gradcheck(unstable, leaf(glassgrad, 1.0))


def test_outputs_must_be_tensors():
    with pytest.raises(TypeError, match="output 1 is of type float"):
        gradcheck(lambda x: (x * 2, 3.0), leaf(glassgrad, 1.0))


def test_options_that_contradict_each_other_are_refused(lib):
    x = leaf(lib, 1.0)
    check, again = lib.autograd.gradcheck, lib.autograd.gradgradcheck
    with pytest.raises(AssertionError, match="Expected at least one of check_forward_ad or check"):
        check(lambda x: x, x, check_backward_ad=False)
    with pytest.raises(AssertionError, match="check_batched_grad=True requires check_backward_ad"):
        check(
            lambda x: x, x, check_batched_grad=True, check_forward_ad=True, check_backward_ad=False
        )
    with pytest.raises(AssertionError, match="check_batched_forward_grad=True requires check_forw"):
        check(lambda x: x, x, check_batched_forward_grad=True)
    with pytest.raises(AssertionError, match="Expected at least one of check_fwd_over_rev or chec"):
        again(lambda x: x, x, check_rev_over_rev=False)
    with pytest.raises(AssertionError, match="check_undefined_grad=True requires check_rev_over"):
        again(lambda x: x, x, check_rev_over_rev=False, check_fwd_over_rev=True)
    assert issubclass(ExpectationError, AssertionError)


def test_errors_of_the_function_itself_are_not_swallowed():
    def fail(x):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        gradcheck(fail, leaf(glassgrad, 1.0), raise_exception=False)


def test_arguments_are_pytorchs():
    for name in ("gradcheck", "gradgradcheck"):
        ours = inspect.signature(getattr(glassgrad.autograd, name)).parameters
        theirs = inspect.signature(getattr(torch.autograd, name)).parameters
        assert [(p.name, p.kind, p.default) for p in ours.values()] == [
            (p.name, p.kind, p.default) for p in theirs.values()
        ]
