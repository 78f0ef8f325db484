"""`gradcheck` of forward mode: what it finds, and how it says it."""

import numpy as np
import pytest
import torch

import glassgrad
from both import leaf, make, plain
from duals import both
from glassgrad.autograd import gradcheck, gradgradcheck

FAST = pytest.mark.parametrize("fast_mode", [False, True], ids=["slow", "fast"])
FORWARD = {"check_forward_ad": True, "check_backward_ad": False}
ALONE = {**FORWARD, "check_undefined_grad": False}


def error(lib):
    return lib.autograd.gradcheck.__globals__["GradcheckError"]


def function(lib, forward, jvp):
    return make(lib, forward, jvp=staticmethod(jvp)).apply


@both
@FAST
def test_right_tangents_pass(lib, fast_mode):
    inputs = leaf(lib, [[0.5, 1.5], [2.0, -1.0]]), plain(lib, [3.0, 1.0]), leaf(lib, 0.7)

    def fn(x, y, z):
        return (x @ y).tanh() * z, (x * x).sum()

    for options in ({"check_forward_ad": True}, FORWARD):
        assert lib.autograd.gradcheck(
            fn, inputs, fast_mode=fast_mode, check_batched_forward_grad=True, **options
        )


@both
@FAST
def test_right_tangents_of_gradients_pass(lib, fast_mode):
    inputs = leaf(lib, [[0.5, 1.5], [2.0, -1.0]]), leaf(lib, [3.0, 1.0])

    def fn(x, y):
        return (x @ y).exp(), (x * x).sum(0)

    check = lib.autograd.gradgradcheck
    assert check(fn, inputs, check_fwd_over_rev=True, fast_mode=fast_mode)
    alone = {"check_rev_over_rev": False, "check_undefined_grad": False}
    assert check(fn, inputs, check_fwd_over_rev=True, fast_mode=fast_mode, **alone)


@both
@FAST
def test_complex_inputs_and_outputs_move(lib, fast_mode):
    def complex_leaf(values):
        return lib.tensor(values, dtype=lib.complex128, requires_grad=True)

    z = complex_leaf([0.5 + 1j, -1.0 + 0.25j])
    check = lib.autograd.gradcheck
    assert check(lambda z: z * z * 2j, z, check_forward_ad=True, fast_mode=fast_mode)
    assert check(lambda z: z.abs(), z, check_forward_ad=True, fast_mode=fast_mode)
    assert check(lambda z: z.conj() * z.abs(), z, check_forward_ad=True, fast_mode=fast_mode)
    x = leaf(lib, [1.0, 2.0])
    assert check(lambda x: x * 1j, x, check_forward_ad=True, fast_mode=fast_mode)


@both
@FAST
def test_sizes_zero_and_one(lib, fast_mode):
    for shape in ((), (1,)):
        x = lib.ones(shape, dtype=lib.float64).requires_grad_()
        assert lib.autograd.gradcheck(lambda x: x * 2, x, fast_mode=fast_mode, **FORWARD)
    x = lib.ones(0, dtype=lib.float64).requires_grad_()
    assert lib.autograd.gradcheck(lambda x: x * 2, x, **FORWARD)


@both
@FAST
def test_a_wrong_tangent_names_output_and_input(lib, fast_mode):
    apply = function(
        lib, lambda ctx, x, y: (x * 1, x * y), lambda ctx, dx, dy: (dx * 1, dx * 2 + dy)
    )
    inputs = leaf(lib, [2.0, 2.0]), leaf(lib, [3.0, 4.0])
    message = "Jacobian computed with forward mode mismatch for output 1 with respect to input 0"
    with pytest.raises(error(lib), match=message):
        lib.autograd.gradcheck(apply, inputs, fast_mode=fast_mode, **ALONE)
    options = {"raise_exception": False, "fast_mode": fast_mode}
    assert not lib.autograd.gradcheck(apply, inputs, **options, **ALONE)


@both
def test_a_wrong_tangent_of_a_complex_input_names_the_part(lib):
    z = lib.tensor([1.0 + 1j, 2.0], dtype=lib.complex128, requires_grad=True)
    apply = function(lib, lambda ctx, z: z * 1, lambda ctx, dz: dz.conj())
    with pytest.raises(error(lib), match="While considering the imaginary part of complex inputs"):
        lib.autograd.gradcheck(apply, z, **ALONE)


def test_a_wrong_tangent_names_the_entry():
    def jvp(ctx, dx):
        wrong = dx * 2
        wrong[1] = dx[1] * 5
        return wrong

    apply = function(glassgrad, lambda ctx, x: x * 2, jvp)
    message = r"how output 0\[1\] changes with input 0\[1\] is 2 by differences, but 5 by jvp"
    with pytest.raises(RuntimeError, match=message):
        gradcheck(apply, leaf(glassgrad, [1.0, 2.0, 3.0]), **ALONE)


def test_fast_mode_shows_the_whole_jacobian():
    apply = function(glassgrad, lambda ctx, x: x * 2, lambda ctx, dx: dx * 3)
    with pytest.raises(RuntimeError, match="In slow mode they are") as caught:
        gradcheck(apply, leaf(glassgrad, [1.0, 2.0]), fast_mode=True, **ALONE)
    assert "is 2 by differences, but 3 by jvp" in str(caught.value)


@both
def test_a_jvp_that_takes_a_missing_tangent_for_something_else_is_found(lib):
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x * 1 + y * 1

    def jvp(ctx, dx, dy):
        if dx is None or dy is None:
            return lib.ones(2, dtype=lib.float64)
        return dx + dy

    inputs = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    apply = function(lib, forward, jvp)
    assert lib.autograd.gradcheck(apply, inputs, **ALONE)
    with pytest.raises(error(lib), match="Mismatch in tangent values for output with index"):
        lib.autograd.gradcheck(apply, inputs, **FORWARD, check_undefined_grad=True)


@both
def test_a_jvp_that_draws_numbers_cannot_be_batched(lib):
    def jvp(ctx, dx):
        lib.randn_like(dx)
        return dx * 2

    apply = function(lib, lambda ctx, x: x * 2, jvp)
    x = leaf(lib, [1.0, 2.0])
    assert lib.autograd.gradcheck(apply, x, **FORWARD)
    with pytest.raises(error(lib), match="While computing batched gradients, got: vmap: We do not"):
        lib.autograd.gradcheck(apply, x, check_batched_forward_grad=True, **FORWARD)


def test_a_jvp_that_differs_from_run_to_run_is_found_by_batched_tangents():
    factor = [1.0]

    def jvp(ctx, dx):
        factor[0] += 1
        return dx * factor[0]

    apply = function(glassgrad, lambda ctx, x: x * 2, jvp)
    with pytest.raises(RuntimeError, match="For output 0 and input 0: the batched tangents are"):
        gradcheck(
            apply,
            leaf(glassgrad, [1.0, 2.0]),
            atol=1e9,
            check_batched_forward_grad=True,
            check_forward_ad=True,
            check_backward_ad=False,
            check_undefined_grad=False,
        )


@both
def test_a_function_gets_duals_that_require_no_grad(lib):
    seen = set()

    def fn(x, y):
        if lib.autograd.forward_ad._current_level >= 0:
            seen.add((x.requires_grad, y.requires_grad))
        return x * y

    lib.autograd.gradcheck(fn, (leaf(lib, 1.0), leaf(lib, 2.0)), **FORWARD)
    assert seen == {(False, False)}


@both
def test_a_dtype_of_a_tangent_can_be_checked(lib):
    apply = function(lib, lambda ctx, x: x * 1, lambda ctx, dx: dx * (1 + 0j))
    with pytest.raises(error(lib), match="Forward AD gradient has dtype mismatch"):
        lib.autograd.gradcheck(apply, leaf(lib, [1.0]), check_grad_dtypes=True, **ALONE)


@both
def test_backward_is_left_alone_if_so_wished(lib):
    apply = function(lib, lambda ctx, x: x * 2, lambda ctx, dx: dx * 2)
    assert lib.autograd.gradcheck(apply, leaf(lib, [1.0]), **FORWARD)
    with pytest.raises(NotImplementedError, match="either the backward or vjp method"):
        lib.autograd.gradcheck(apply, leaf(lib, [1.0]), check_forward_ad=True)


def test_what_backward_gets_wrong_is_said_before_what_jvp_gets_wrong():
    made = make(
        glassgrad,
        lambda ctx, x: x * 2,
        lambda ctx, grad: grad * 3,
        jvp=staticmethod(lambda ctx, dx: dx * 4),
    )
    with pytest.raises(RuntimeError, match=r"Jacobian mismatch.*\n.*\n.*\n.*but 3 by backward"):
        gradcheck(made.apply, leaf(glassgrad, [1.0]), check_forward_ad=True)


def test_a_wrong_rule_for_tangents_of_gradients_is_found():
    class Wrong(glassgrad.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x.detach()

        @staticmethod
        def jvp(ctx, dx):
            (x,) = ctx.saved_tensors
            return dx * 2 * x

    with pytest.raises(RuntimeError, match="computed with forward mode mismatch"):
        gradgradcheck(
            lambda x: Wrong.apply(x * x),
            leaf(glassgrad, [1.0, 2.0]),
            check_fwd_over_rev=True,
            check_rev_over_rev=False,
            check_undefined_grad=False,
        )


def test_inputs_keep_their_values():
    x = leaf(glassgrad, [1.0, 2.0])
    gradcheck(lambda x: x.clone().mul_(x), x, check_forward_ad=True)
    assert x.tolist() == [1.0, 2.0]
    assert np.array_equal(x.payload, torch.tensor([1.0, 2.0], dtype=torch.float64).numpy())
