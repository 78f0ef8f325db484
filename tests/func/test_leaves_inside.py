"""`autograd.grad` of leaves that are made inside of a `jvp`: their gradients move, as PyTorch's."""

import numpy as np
import pytest
import torch
import torch.func

import glassgrad as gg
import glassgrad.func
from checks import together

X = np.array([1.0, 0.75, -0.25])


def leaf(lib):
    return lib.ones(3, dtype=lib.float64, requires_grad=True)


def gradient(lib, y, w, **options):
    return lib.autograd.grad(y, w, **options)[0]


def of_a_result(lib, x):
    w = leaf(lib)
    return gradient(lib, (w * x).exp().sum(), w)


def twice(lib, x):
    w = leaf(lib)
    slope = gradient(lib, ((w * x).exp() * w.sin()).sum(), w, create_graph=True)
    return gradient(lib, (slope * slope).sum(), w)


def of_writes(lib, x):
    w = leaf(lib)
    y = w * x
    y[0] = x[1]
    y.mul_(w)
    y.exp_()
    return gradient(lib, y.sum(), w)


def of_views(lib, x):
    w = leaf(lib)
    return gradient(lib, (w * x).view(3, 1).t()[0, 1:].pow(2).sum(), w)


def of_several_outputs(lib, x):
    w = leaf(lib)
    first, _, last = (w * x).split(1)
    largest, _ = (w * x).max(0)
    return gradient(lib, (first * last).sum() + largest * largest, w)


def of_steps(lib, x):
    w = leaf(lib)
    for _ in range(3):
        w = w - 0.1 * gradient(lib, ((w - x) ** 4).sum(), w, create_graph=True)
    return w


def of_parameters(lib, x):
    w = lib.nn.Parameter(lib.ones(3, dtype=lib.float64))
    for _ in range(3):
        slope = gradient(lib, ((w - x) ** 4).sum(), w)
        w = lib.nn.Parameter(w.detach() - 0.1 * slope)
    return w * x


def of_a_function(lib, x):
    class Cube(lib.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x * x

        @staticmethod
        def jvp(ctx, dx):
            (x,) = ctx.saved_tensors
            return dx * 3 * x * x

    w = leaf(lib)
    return gradient(lib, Cube.apply(w * x).sum(), w)


def under_no_grad(lib, x):
    w = leaf(lib)
    with lib.no_grad():
        y = w * x
    assert not y.requires_grad
    return y


def inside_of_another(lib, x):
    w = leaf(lib)
    slopes = lib.vmap(lambda a, b: a * a * b)(w, x)
    return gradient(lib, slopes.sum() + lib.func.grad(lambda a: (a * a * w).sum())(x).sum(), w)


FUNCTIONS = [
    of_a_result,
    twice,
    of_writes,
    of_views,
    of_several_outputs,
    of_steps,
    of_parameters,
    of_a_function,
    under_no_grad,
    inside_of_another,
]

AROUND = {
    "jvp": lambda lib, f, x: lib.func.jvp(f, (x,), (x,)),
    "jvp of jvp": lambda lib, f, x: lib.func.jvp(
        lambda x: lib.func.jvp(f, (x,), (x,))[1], (x,), (x,)
    ),
    "grad of jvp": lambda lib, f, x: (
        lib.func.grad(lambda x: lib.func.jvp(f, (x,), (x,))[1].sum())(x),
    ),
    "vmap of jvp": lambda lib, f, x: lib.vmap(lambda x: lib.func.jvp(f, (x,), (x,)))(
        lib.stack([x, x * 2])
    ),
    "jacfwd": lambda lib, f, x: (lib.func.jacfwd(f)(x),),
}


@together
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_of_leaves_made_inside_move(function, around):
    found = []
    for lib in (gg, torch):
        results = AROUND[around](lib, lambda x, lib=lib: function(lib, x), lib.tensor(X))
        found.append([result.detach().numpy() for result in results])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("lib", [gg, torch])
def test_backward_may_make_leaves_where_gradients_come_in_batches(lib):
    class Square(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            with lib.enable_grad():
                again = ctx.saved_tensors[0].detach().requires_grad_()
                square = again * again
            return gradient(lib, square, again, grad_outputs=grad)

    x = lib.tensor([1.0, 2.0], requires_grad=True)
    found = gradient(lib, Square.apply(x), x, grad_outputs=lib.eye(2), is_grads_batched=True)
    assert found.tolist() == [[2.0, 0.0], [0.0, 4.0]]
