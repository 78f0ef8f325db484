"""What the tests of gradcheck share: Functions with a rule of choice, and either error."""

import pytest

__all__ = ["FAST", "error", "function", "product", "sum_of"]

FAST = pytest.mark.parametrize("fast_mode", [False, True], ids=["slow", "fast"])


def function(lib, forward, backward):
    rules = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (lib.autograd.Function,), rules).apply


def product(lib, second=lambda grad, x, y: grad * x):
    """x * y, with a choice of the gradient of y."""

    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, second(grad, x, y)

    return function(lib, forward, backward)


def error(lib):
    return lib.autograd.gradcheck.__globals__["GradcheckError"]


def sum_of(pair):
    return pair[0] + pair[1], pair[0] * 1
