"""A user's op with a formula in its docstring."""

from glassgrad.autograd import Function


class Cube(Function):
    """y = x³        x̄ = 3·ȳ·x²"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2
