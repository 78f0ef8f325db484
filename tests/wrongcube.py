"""A script with a user's op whose backward is wrong, for the tests of the command line."""

WRONG_CUBE = """
import glassgrad as gg


class Cube(gg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x ** 2


x = gg.tensor([1.0, 2.0], requires_grad=True)
"""
"""The beginning of one: it leaves `x`, and `Cube`."""
