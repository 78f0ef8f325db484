"""What users write, for tests of what is told of it."""

import glassgrad as gg


class Twice(gg.autograd.Function):
    """A Function that saves what it is given."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
