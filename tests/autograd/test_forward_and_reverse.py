"""Duals in a graph: gradients that move, tangents that are differentiated; duals in transforms."""

import numpy as np
import pytest
import torch

import glassgrad
from both import leaf, make, plain
from checks import together
from duals import both, dual, forward_ad, level_is_open, tangent_of


@both
@level_is_open
def test_primal_and_tangent_have_their_own_places_in_the_graph(lib):
    a, b = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    value, moved = forward_ad(lib).unpack_dual(forward_ad(lib).make_dual(a, b).exp())
    of_value = lib.autograd.grad(value.sum(), (a, b), retain_graph=True, allow_unused=True)
    assert of_value[0].tolist() == pytest.approx(np.exp([1.0, 2.0]))
    assert of_value[1] is None
    of_tangent = lib.autograd.grad(moved.sum(), (a, b))
    assert of_tangent[0].tolist() == pytest.approx(np.exp([1.0, 2.0]) * [3.0, 4.0])
    assert of_tangent[1].tolist() == pytest.approx(np.exp([1.0, 2.0]))


FUNCTIONS = {
    "exp": lambda lib, x: (x.exp() * x).sum(),
    "tanh": lambda lib, x: x.tanh().prod(),
    "sqrt": lambda lib, x: (x * x + 1).sqrt().sum() * x[0],
    "softmax": lambda lib, x: (x.softmax(0) ** 2).sum(),
    "matmul": lambda lib, x: (x.unsqueeze(1) @ x.unsqueeze(0)).sigmoid().sum(),
    "in place": lambda lib, x: (x * 1).mul_(x).exp_().sum(),
    "views": lambda lib, x: halved(x * 1).sum(),
    "cat": lambda lib, x: lib.cat([x.sin(), x[:1]]).logsumexp(0),
    "var": lambda lib, x: (x * x).var(),
    "users": lambda lib, x: users_exp(lib).apply(x * x).sum(),
}


def halved(y):
    y[0].mul_(y[1].clone())
    y[1:].exp_()
    return y * y


def users_exp(lib):
    """exp, whose backward reads its output."""

    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        ctx.save_for_forward(y)
        return y

    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]

    return make(lib, forward, backward, jvp=staticmethod(backward))


POINT, ALONG = [0.3, -1.2, 0.7], [1.0, 0.5, -2.0]


@together
@both
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward_over_reverse_is_a_hessian_times_a_vector(lib, name, create_graph):
    def function(x):
        return FUNCTIONS[name](lib, x)

    x = leaf(lib, POINT)
    with forward_ad(lib).dual_level():
        moving = forward_ad(lib).make_dual(x, plain(lib, ALONG))
        (gradient,) = lib.autograd.grad(function(moving), moving, create_graph=create_graph)
        product = forward_ad(lib).unpack_dual(gradient).tangent
    expected = torch.autograd.functional.hvp(
        lambda x: FUNCTIONS[name](torch, x), plain(torch, POINT), plain(torch, ALONG)
    )[1]
    assert product.tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert product.requires_grad == create_graph


@together
@pytest.mark.parametrize("name", FUNCTIONS)
def test_reverse_over_forward_is_a_hessian_times_a_vector(name):
    lib = glassgrad  # torch writes to what it has saved for softmax, and for ops in place
    x = leaf(lib, POINT)
    with forward_ad(lib).dual_level():
        y = FUNCTIONS[name](lib, forward_ad(lib).make_dual(x, plain(lib, ALONG)))
        slope = forward_ad(lib).unpack_dual(y).tangent
        (product,) = lib.autograd.grad(slope, x)
    expected = torch.autograd.functional.hvp(
        lambda x: FUNCTIONS[name](torch, x), plain(torch, POINT), plain(torch, ALONG)
    )[1]
    assert product.tolist() == pytest.approx(expected.tolist(), abs=1e-12)


@both
@pytest.mark.parametrize("name", ["exp", "matmul", "users"])
def test_what_hooks_have_kept_moves_too(lib, name):
    x = leaf(lib, POINT)
    hooks = lib.autograd.graph.saved_tensors_hooks(lambda x: x.detach() * 2, lambda x: x / 2)
    with forward_ad(lib).dual_level():
        moving = forward_ad(lib).make_dual(x, plain(lib, ALONG))
        with hooks:
            y = FUNCTIONS[name](lib, moving)
        (gradient,) = lib.autograd.grad(y, moving)
        product = forward_ad(lib).unpack_dual(gradient).tangent
    expected = torch.autograd.functional.hvp(
        lambda x: FUNCTIONS[name](torch, x), plain(torch, POINT), plain(torch, ALONG)
    )[1]
    assert product.tolist() == pytest.approx(expected.tolist(), abs=1e-12)


@both
@level_is_open
def test_a_gradient_that_is_accumulated_does_not_move(lib):
    w = leaf(lib, [3.0])
    (dual(lib, [2.0], [1.0]) * w * w).sum().backward()
    assert w.grad.tolist() == [12.0]
    assert tangent_of(lib, w.grad) is None


@both
@level_is_open
def test_a_write_to_a_tangent_that_is_in_a_graph_is_recorded(lib):
    t = leaf(lib, [1.0, 2.0])
    x = forward_ad(lib).make_dual(plain(lib, [1.0, 1.0]), t * 1)
    x[0].mul_(3)
    (gradient,) = lib.autograd.grad(forward_ad(lib).unpack_dual(x).tangent.sum(), t)
    assert gradient.tolist() == [3.0, 1.0]


# In transforms ----------------------------------------------------------------------------------


def test_a_batch_of_tangents_goes_through_one_dual_level():
    lib = glassgrad  # torch has no batching rule for make_dual
    fw, x = forward_ad(lib), plain(lib, [1.0, 2.0])

    def push(tangent):
        with fw.dual_level():
            y = fw.make_dual(x, tangent)
            z = y.clone()
            z[0].mul_(y[1])
            return fw.unpack_dual(z.exp()).tangent

    rows = lib.func.vmap(push)(lib.eye(2, dtype=lib.float64))
    e2 = np.exp(2.0)
    assert np.allclose(rows.tolist(), [[2 * e2, 0.0], [e2, e2]])


@both
def test_duals_of_tensors_of_a_gradient_transform(lib):
    fw = forward_ad(lib)

    def slope(x):
        with fw.dual_level():
            return fw.unpack_dual((fw.make_dual(x, lib.ones_like(x)) ** 3).sum()).tangent

    assert lib.func.grad(slope)(plain(lib, [1.0, 2.0])).tolist() == [6.0, 12.0]
