"""Transforms inside transforms: random ones against PyTorch's, and the classic confusions."""

import threading

import numpy as np
import pytest
import torch
from hypothesis import assume

import glassgrad
from both import LIBRARIES, leaf, plain
from checks import fuzzed, together
from func.composing import compositions, play, writing_compositions
from glassgrad.core.errors import GlassgradError

POINT = [0.3, -0.7, 1.1]


def value(lib, composition):
    return play(lib, composition)(plain(lib, POINT)).numpy()


def assert_close(got, want):
    """Unless it is so steep there that rounding shows."""
    assume(np.abs(want).max() < 1e4)
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-9)


@fuzzed(compositions, examples=200)
def test_random_compositions_are_those_of_torch(composition):
    assert_close(value(glassgrad, composition), value(torch, composition))


@fuzzed(writing_compositions, examples=200)
def test_random_compositions_that_write_in_place_are_those_of_torch(composition):
    try:
        want = value(torch, composition)
    except RuntimeError as error:
        assume("ZeroTensor" not in str(error))  # PyTorch cannot write into its own zeros
        with pytest.raises(GlassgradError):
            value(glassgrad, composition)
    else:
        assert_close(value(glassgrad, composition), want)


@fuzzed(compositions, examples=200)
def test_the_tape_runs_underneath_random_compositions(composition):
    grads = []
    for lib in (glassgrad, torch):
        x = leaf(lib, POINT)
        y = play(lib, composition)(x).sum()
        if y.requires_grad:
            y.backward()
        grads.append(x.grad)
    assert (grads[0] is None) == (grads[1] is None)
    if grads[1] is not None:
        assert_close(*[grad.numpy() for grad in grads])


# Perturbation confusion -------------------------------------------------------------------------


def number(lib, value):
    return plain(lib, value)


def by_jvp(lib, f):
    """The derivative of a function of a number, by forward mode."""
    return lambda x: lib.func.jvp(f, (x,), (lib.ones_like(x),))[1]


def by_grad(lib, f):
    """The same by reverse mode."""
    return lib.func.grad(f)


def by_vjp(lib, f):
    """The same, with the pullback called after the function has been left."""

    def slope(x):
        y, pull = lib.func.vjp(f, x)
        return pull(lib.ones_like(y))[0]

    return slope


def by_batches(lib, f):
    """The same by forward mode for a batch of one tangent."""

    def slope(x):
        moved = lib.func.vmap(lambda v: lib.func.jvp(f, (x,), (v,))[1])
        return moved(lib.ones(1, dtype=x.dtype))[0]

    return slope


DERIVATIVES = [by_jvp, by_grad, by_vjp, by_batches]

outer = pytest.mark.parametrize("outer", DERIVATIVES)
inner = pytest.mark.parametrize("inner", DERIVATIVES)
libraries = pytest.mark.parametrize("lib", LIBRARIES)


@together
@libraries
@outer
@inner
def test_the_inner_derivative_takes_the_outer_variable_for_a_constant(lib, outer, inner):
    """d/dx x·(d/dy (x + y)) is 1; who confuses the two finds 2."""
    slope = outer(lib, lambda x: x * inner(lib, lambda y: x + y)(number(lib, 1.0)))
    assert slope(number(lib, 1.0)).item() == 1.0


@together
@libraries
@outer
@inner
def test_the_outer_derivative_goes_through_the_inner_one(lib, outer, inner):
    """d/dx x·(d/dy x·y) = d/dx x² = 2x."""
    slope = outer(lib, lambda x: x * inner(lib, lambda y: x * y)(number(lib, 1.0)))
    assert slope(number(lib, 3.0)).item() == 6.0


@together
@libraries
@outer
@inner
def test_the_inner_derivative_is_taken_at_the_outer_variable(lib, outer, inner):
    """d/dx (d/dy x·y² at y = x) = d/dx 2x² = 4x."""
    slope = outer(lib, lambda x: inner(lib, lambda y: x * y * y)(x))
    assert slope(number(lib, 3.0)).item() == 12.0


@together
@libraries
@outer
@inner
def test_derivatives_three_deep_keep_apart(lib, outer, inner):
    """d/dx of d/dy of d/dz (xyz)², the inner two taken at z = y and at y = x, is 24x³."""

    def of_y(x):
        return inner(lib, lambda y: outer(lib, lambda z: x * x * y * y * z * z)(y))(x)

    # d/dz: 2x²y²z, which is 2x²y³ at z = y; d/dy of that: 6x²y², which is 6x⁴ at y = x
    assert outer(lib, of_y)(number(lib, 2.0)).item() == pytest.approx(192.0)


@together
@libraries
@outer
@inner
def test_a_function_that_is_returned_from_a_derivative_belongs_to_the_level_outside(
    lib, outer, inner
):
    """A closure made under one derivative and called under another (Manzyuk et al., 2019).

    s(u)(f)(x) = f(x + u), and D s(0) applied to f is f'. Applied twice it is f''.
    """

    def shift(f):
        return lambda x: outer(lib, lambda u: f(x + u))(number(lib, 0.0))

    assert shift(shift(lambda x: inner(lib, lambda y: y**4)(x)))(number(lib, 1.0)).item() == 24.0


@libraries
def test_a_tensor_of_an_outer_level_is_a_constant_of_the_inner_one(lib):
    def f(x):
        return lib.func.grad(lambda y: (x * 2).sum() + 0 * y)(x)

    assert lib.func.jvp(f, (number(lib, 1.0),), (number(lib, 1.0),))[1].item() == 0.0


@libraries
def test_vmap_between_two_derivatives_keeps_them_apart(lib):
    xs = plain(lib, [1.0, 2.0, 3.0])

    def f(x):
        return lib.func.vmap(lambda y: by_grad(lib, lambda z: x * y * z * z)(y))(xs).sum()

    # Σ 2·x·y², and its derivative in x
    assert by_grad(lib, f)(number(lib, 1.0)).item() == 28.0


# What is at the edge ----------------------------------------------------------------------------


@libraries
def test_a_0_d_tensor_of_a_level_is_not_taken_for_a_number(lib):
    """A rule that did would make an outer product of two batches of numbers."""
    xs, ys = plain(lib, [1.0, 2.0]), plain(lib, [10.0, 20.0])
    slopes = lib.func.vmap(lib.func.grad(lambda x, y: x * y))(xs, ys)
    assert slopes.tolist() == [10.0, 20.0]
    assert lib.func.vmap(lambda x, y: y * (x * 2))(xs, ys).tolist() == [20.0, 80.0]
    tangent = lib.func.vmap(lambda x, y: lib.func.jvp(lambda z: z * z, (x,), (y,))[1])
    assert tangent(xs, ys).tolist() == [20.0, 80.0]


@libraries
def test_a_pullback_of_an_output_that_does_not_depend_on_the_input_gives_zeros(lib):
    x = plain(lib, [1.0, 2.0])
    out, pull = lib.func.vjp(lambda x: plain(lib, [5.0]), x)
    assert out.tolist() == [5.0]
    assert pull(plain(lib, [1.0]))[0].tolist() == [0.0, 0.0]
    out, pull = lib.func.vjp(lambda x: x.detach() * 2, x)
    assert pull(out)[0].tolist() == [0.0, 0.0]


@libraries
def test_a_pullback_of_the_input_itself_gives_the_cotangent(lib):
    x = plain(lib, [1.0, 2.0])
    out, pull = lib.func.vjp(lambda x: x, x)
    assert out.tolist() == [1.0, 2.0]
    assert pull(plain(lib, [3.0, 4.0]))[0].tolist() == [3.0, 4.0]
    _, pull = lib.func.vjp(lambda x: (x, x), x)
    assert pull((plain(lib, [3.0, 4.0]), plain(lib, [1.0, 1.0])))[0].tolist() == [4.0, 5.0]


@libraries
def test_tangents_of_constants_are_zeros_and_of_the_input_itself_are_the_given_ones(lib):
    x, v = plain(lib, [1.0, 2.0]), plain(lib, [3.0, 4.0])
    _, tangents = lib.func.jvp(lambda x: (x, x.detach(), plain(lib, [5.0])), (x,), (v,))
    assert [t.tolist() for t in tangents] == [[3.0, 4.0], [0.0, 0.0], [0.0]]


@libraries
def test_a_batched_constant_is_repeated_for_each_example(lib):
    xs = plain(lib, [1.0, 2.0])
    same, itself = lib.func.vmap(lambda x: (plain(lib, [5.0]), x))(xs)
    assert same.tolist() == [[5.0], [5.0]]
    assert itself.tolist() == [1.0, 2.0]


@libraries
def test_a_batched_tensor_that_escaped_is_refused(lib):
    kept = []
    lib.func.vmap(lambda x: kept.append(x * 1) or x)(plain(lib, [1.0, 2.0]))
    with pytest.raises(RuntimeError, match="escaped"):
        kept[0] + 1


@libraries
def test_an_escaped_tensor_of_grad_or_jvp_is_what_it_wraps(lib):
    kept = []
    lib.func.grad(lambda x: kept.append(x * 2) or x)(number(lib, 1.5))
    lib.func.jvp(lambda x: kept.append(x * 2) or x, (number(lib, 1.5),), (number(lib, 1.0),))
    for escaped in kept:
        y = escaped * 2
        assert y.tolist() == 6.0
        assert not y.requires_grad


@libraries
def test_a_captured_tensor_cannot_be_written(lib):
    outside = plain(lib, [1.0, 2.0])

    def f(x):
        outside.mul_(x)
        return outside.sum()

    for transformed in (lib.func.grad(f), lib.func.vmap(f)):
        with pytest.raises(RuntimeError, match=r"mutat|inplace"):
            transformed(plain(lib, [3.0, 4.0]))
    assert outside.tolist() == [1.0, 2.0]


def test_a_tensor_that_is_written_by_itself_moves_as_the_formula_says():
    """PyTorch's formula for the tangent reads the tensor when it has been written already."""

    def square(x):
        y = x * 3.0
        return y.mul_(y)

    x, v = plain(glassgrad, [1.0, 2.0]), plain(glassgrad, [1.0, 10.0])
    assert glassgrad.func.jvp(square, (x,), (v,))[1].tolist() == [18.0, 360.0]


@libraries
def test_a_mode_inside_is_the_innermost_transforms_own(lib):
    def f(x):
        with lib.no_grad():
            constant = x * x
        return x * constant

    x = number(lib, 3.0)
    assert lib.func.grad(f)(x).item() == 9.0
    assert lib.func.grad(lib.func.grad(f))(x).item() == 0.0
    assert lib.func.jvp(f, (x,), (x * 0 + 1,))[1].item() == 27.0
    with lib.no_grad():
        assert lib.func.grad(lambda x: x * x)(x).item() == 6.0


@libraries
def test_a_users_rules_see_one_example_where_their_batch_rule_is_generated(lib):
    seen = set()

    class Square(lib.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            seen.add(("forward", tuple(x.shape)))
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.add(("setup_context", tuple(inputs[0].shape), tuple(output.shape)))
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            seen.add(("backward", tuple(x.shape), tuple(grad.shape)))
            return grad * 2 * x

    xs = plain(lib, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    slopes = lib.func.vmap(lib.func.grad(lambda x: Square.apply(x).sum()))(xs)
    assert slopes.tolist() == [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]
    assert seen == {("forward", (3,)), ("setup_context", (3,), (3,)), ("backward", (3,), (3,))}


# The tape underneath ----------------------------------------------------------------------------


@libraries
def test_parameters_get_their_gradients_through_per_example_gradients(lib):
    weight = leaf(lib, [[0.5, -1.0], [2.0, 0.25]])
    xs = plain(lib, [[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])

    def loss(x):
        return (weight @ x).tanh().sum()

    slopes = lib.func.vmap(lib.func.grad(loss))(xs)
    assert slopes.requires_grad
    (slopes * slopes).sum().backward()
    want = torch.tensor(weight.tolist(), dtype=torch.float64, requires_grad=True)
    points = torch.tensor(xs.tolist(), dtype=torch.float64, requires_grad=True)
    by_tape = torch.autograd.grad((points @ want.T).tanh().sum(), points, create_graph=True)[0]
    (by_tape * by_tape).sum().backward()
    np.testing.assert_allclose(weight.grad.numpy(), want.grad.numpy(), rtol=1e-12)


@libraries
def test_the_tape_inside_a_transform_is_the_transforms(lib):
    """`backward` of what a transform sees would write into the tensors of another level."""

    def f(x):
        (slope,) = lib.autograd.grad((x * x * x).sum(), x, create_graph=True)
        return slope.sum()

    assert lib.func.grad(f)(plain(lib, [1.0, 2.0])).tolist() == [6.0, 12.0]


# Threads ----------------------------------------------------------------------------------------


def test_transforms_of_several_threads_do_not_meet():
    barrier = threading.Barrier(4)
    results = {}

    def work(name, value):
        x = number(glassgrad, value)
        barrier.wait()
        for _ in range(30):
            cube = glassgrad.func.grad(glassgrad.func.grad(lambda x: x**3))
            batch = glassgrad.func.vmap(cube)(x * glassgrad.ones(3))
            tangent = glassgrad.func.jvp(glassgrad.func.grad(lambda x: x**3), (x,), (x,))[1]
            y = x * x  # not seen by the other threads' transforms
            results.setdefault(name, set()).add((*batch.tolist(), tangent.item(), y.item()))

    threads = [threading.Thread(target=work, args=(i, float(i + 1))) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        v = float(i + 1)
        assert results[i] == {(6 * v, 6 * v, 6 * v, 6 * v * v, v * v)}
