"""`autograd.functional`: all rows or all columns of a Jacobian at once, against PyTorch."""

import numpy as np
import pytest
import torch

import glassgrad
from both import leaf, make, plain
from checks import together
from duals import both

X, W = [0.3, -1.2, 0.7], [[1.0, 2.0], [0.5, -1.0]]

FUNCTIONS = {
    "elementwise": (lambda lib, x: x.sin() * x.sum(), [X]),
    "two inputs and outputs": (lambda lib, x, w: (x.exp(), (w @ w).sum() * x), [X, W]),
    "a number": (lambda lib, x: x.prod(), [X]),
    "of a number": (lambda lib, x: (x * x, x.exp()), [2.0]),
    "constant": (lambda lib, x: lib.ones(2, dtype=lib.float64), [X]),
    "one of two": (lambda lib, x, w: w.tanh() @ w, [X, W]),
    "joined": (lambda lib, x, w: lib.cat([x[:2], w[0] * x[0], w.reshape(-1)]), [X, W]),
    "in place": (lambda lib, x: x.clone().mul_(x).add_(1), [X]),
    "put": (lambda lib, x: put(lib, x), [X]),
    "another dtype": (lambda lib, x: (x * 2).to(lib.float32), [X]),
    "as it is": (lambda lib, x: x, [X]),
    "several numbers": (lambda lib, x: (x[0], x[1:].max(), x.cumsum(0)), [X]),
}


def put(lib, x):
    y = lib.zeros(2, 3, dtype=lib.float64)
    y[1] = x * x
    y[0, 1] = x[2]
    return y * 2


HOWS = {
    "rows": {"vectorize": True},
    "columns": {"vectorize": True, "strategy": "forward-mode"},
    "recorded rows": {"vectorize": True, "create_graph": True},
}


def flat(tree):
    if isinstance(tree, (tuple, list)):  # torch has lists in columns
        return [x for part in tree for x in flat(part)]
    return [tree]


@together
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobians_are_pytorchs(name, how):
    f, inputs = FUNCTIONS[name]
    ours, theirs = (
        lib.autograd.functional.jacobian(
            lambda *xs, lib=lib: f(lib, *xs), tuple([plain(lib, x) for x in inputs]), **HOWS[how]
        )
        for lib in (glassgrad, torch)
    )
    assert [len(row) for row in ours] == [len(row) for row in theirs]
    for a, b in zip(flat(ours), flat(theirs), strict=True):
        assert tuple(a.shape) == tuple(b.shape)
        assert str(a.dtype) == str(b.dtype).removeprefix("torch.")
        assert a.requires_grad == b.requires_grad
        assert np.allclose(a.tolist(), b.tolist(), rtol=1e-6)


NUMBERS = {
    "elementwise": (lambda lib, x: (x**3).sum() * x[0].exp(), [X]),
    "two inputs": (lambda lib, x, w: (w @ w).tanh().sum() * x.prod(), [X, W]),
    "linear": (lambda lib, x: x.sum(), [X]),
    "one of two": (lambda lib, x, w: (w * w).sum(), [X, W]),
    "saves its result": (lambda lib, x: (x.sigmoid() * x.exp()).sum(), [X]),
    "users": (lambda lib, x: cube(lib).apply(x * x).sum(), [X]),
}
SECOND_HOWS = {
    "rows": {"vectorize": True},
    "columns": {"vectorize": True, "outer_jacobian_strategy": "forward-mode"},
    "recorded rows": {"vectorize": True, "create_graph": True},
}


def cube(lib):
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    def rule(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2

    return make(lib, lambda x: x**3, rule, setup_context, jvp=staticmethod(rule))


@together
@pytest.mark.parametrize("how", SECOND_HOWS)
@pytest.mark.parametrize("name", NUMBERS)
def test_hessians_are_pytorchs(name, how):
    f, inputs = NUMBERS[name]
    found = []
    for lib, options in ((glassgrad, SECOND_HOWS[how]), (torch, {})):
        points = tuple([plain(lib, x) for x in inputs])
        found.append(
            lib.autograd.functional.hessian(lambda *xs, lib=lib: f(lib, *xs), points, **options)
        )
    for a, b in zip(flat(found[0]), flat(found[1]), strict=True):
        assert tuple(a.shape) == tuple(b.shape)
        assert np.allclose(a.tolist(), b.tolist())


@both
def test_rows_can_be_differentiated_again(lib):
    x = leaf(lib, X)
    rows = lib.autograd.functional.jacobian(lambda x: x**3, x, vectorize=True, create_graph=True)
    (gradient,) = lib.autograd.grad(rows.sum(), x)
    assert np.allclose(gradient.tolist(), 6 * np.array(X))


@both
@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_the_function_is_called_once(lib, strategy):
    calls = []

    def f(x):
        calls.append(tuple(x.shape))
        return x * x

    lib.autograd.functional.jacobian(f, plain(lib, X), vectorize=True, strategy=strategy)
    assert calls == [(3,)]


@both
def test_columns_of_a_function_with_a_forward_that_has_ctx(lib):
    apply = make(
        lib,
        lambda ctx, x: x * 2,
        lambda ctx, grad: grad * 2,
        jvp=staticmethod(lambda ctx, dx: dx * 2),
    ).apply
    found = lib.autograd.functional.jacobian(
        apply, plain(lib, X), vectorize=True, strategy="forward-mode"
    )
    assert found.tolist() == (2 * np.eye(3)).tolist()


@both
def test_nothing_moves_once_the_columns_are_there(lib):
    inputs = leaf(lib, X)
    lib.autograd.functional.jacobian(
        lambda x: x * x, inputs, vectorize=True, strategy="forward-mode"
    )
    assert lib.autograd.forward_ad._current_level == -1
    assert inputs.requires_grad


@both
@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_random_numbers_cannot_be_drawn_for_many_rows_at_once(lib, strategy):
    def rule(ctx, grad):
        return grad * lib.rand(3)

    apply = make(lib, lambda ctx, x: x * 2, rule, jvp=staticmethod(rule)).apply
    with pytest.raises(RuntimeError, match="We do not yet support calling random operations"):
        lib.autograd.functional.jacobian(apply, plain(lib, X), vectorize=True, strategy=strategy)


# One pass for many gradients --------------------------------------------------------------------


@both
def test_many_gradients_go_through_one_pass(lib):
    shapes = []

    def backward(ctx, grad):
        shapes.append(tuple(grad.shape))
        (x,) = ctx.saved_tensors
        return grad * x

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x / 2

    x = leaf(lib, X)
    y = make(lib, forward, backward).apply(x)
    (found,) = lib.autograd.grad(y, x, lib.eye(3, dtype=lib.float64), is_grads_batched=True)
    assert np.allclose(found.tolist(), np.diag(X))
    assert shapes == [(3,)]


@both
def test_hooks_see_one_of_the_gradients(lib):
    x, shapes = leaf(lib, X), []
    y = x * 2
    y.register_hook(lambda grad: shapes.append(tuple(grad.shape)))
    y.register_hook(lambda grad: grad * 10)
    seeds = lib.ones(4, 3, dtype=lib.float64)
    (found,) = lib.autograd.grad(y, x, seeds, is_grads_batched=True)
    assert shapes == [(3,)]
    assert found.tolist() == np.full((4, 3), 20.0).tolist()


@both
def test_inputs_that_are_not_reached_have_no_rows(lib):
    x, y = leaf(lib, X), leaf(lib, X)
    found = lib.autograd.grad(
        x * 2, (x, y), lib.ones(4, 3, dtype=lib.float64), is_grads_batched=True, allow_unused=True
    )
    assert tuple(found[0].shape) == (4, 3)
    assert found[1] is None


@both
def test_a_gradient_that_is_the_same_for_all_is_there_for_each(lib):
    apply = make(lib, lambda ctx, x: x * 2, lambda ctx, grad: lib.ones(3, dtype=lib.float64)).apply
    x = leaf(lib, X)
    seeds = lib.zeros(2, 3, dtype=lib.float64)
    (found,) = lib.autograd.grad(apply(x), x, seeds, is_grads_batched=True)
    assert found.tolist() == np.ones((2, 3)).tolist()


PROGRAMS = {
    "write to a view": lambda lib, x: written(x * 1),
    "broadcast": lambda lib, x: x + x[0] * x.unsqueeze(1),
    "index": lambda lib, x: x[lib.tensor([0, 0, 2])] * x.sum(),
    "expand": lambda lib, x: x.expand(2, 3) * x,
    "max": lambda lib, x: x.max() * x,
    "cumsum": lambda lib, x: x.cumsum(0).exp(),
    "matmul": lambda lib, x: x.unsqueeze(1) @ x.unsqueeze(0),
    "where": lambda lib, x: lib.where(x > 0, x * x, x),
    "prod": lambda lib, x: x.prod() * x,
    "softmax": lambda lib, x: x.softmax(0),
}


def written(y):
    y[1:].mul_(y[0].clone())
    y[0].exp_()
    return y * y


@together
@both
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_pass_for_many_gives_what_many_passes_give(lib, name):
    x = leaf(lib, X)
    y = PROGRAMS[name](lib, x)
    n = y.numel()
    seeds = lib.eye(n, dtype=lib.float64).reshape(n, *y.shape)
    singly = [lib.autograd.grad(y, x, seed, retain_graph=True)[0].tolist() for seed in seeds]
    (found,) = lib.autograd.grad(y, x, seeds, create_graph=True, is_grads_batched=True)
    assert np.allclose(found.tolist(), singly)
    (again,) = lib.autograd.grad(found.sum(), x, retain_graph=True)
    (first,) = lib.autograd.grad(y, x, lib.ones_like(y), create_graph=True)
    assert np.allclose(again.tolist(), lib.autograd.grad(first.sum(), x)[0].tolist())
