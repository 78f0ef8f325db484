"""Chapter 6: an answer to each task, and typical wrong ones with words of their hints."""

import glassgrad as gg

# 06.cube -----------------------------------------------------------------------------------------


class Cube(gg.autograd.Function):
    """y = x³      x̄ = ȳ·3x²"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


class CubeWithoutUpstream(Cube):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * x


class CubeWithAnAttribute(gg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.x * ctx.x


class CubeThatSavesMore(gg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(x, square)
        return square * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[1]


class CubeWithTheRuleOfASquare(Cube):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x


# 06.leaky ----------------------------------------------------------------------------------------


class Leaky(gg.autograd.Function):
    """x where x > 0, and slope·x elsewhere."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope  # a plain number: nobody can write into it
        return gg.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return gg.where(x > 0, grad, ctx.slope * grad), None


class LeakyWithOneGradient(Leaky):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return gg.where(x > 0, grad, ctx.slope * grad)


class LeakyOnTheClass(gg.autograd.Function):
    slope = None

    @staticmethod
    def forward(ctx, x, slope):
        LeakyOnTheClass.slope = slope
        ctx.save_for_backward(x)
        return gg.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return gg.where(x > 0, grad, LeakyOnTheClass.slope * grad), None


class LeakyByTheGradient(Leaky):
    @staticmethod
    def backward(ctx, grad):
        return gg.where(grad > 0, grad, ctx.slope * grad), None


class LeakyThatSavesANumber(Leaky):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x, slope)
        return gg.where(x > 0, x, slope * x)


# 06.gate -----------------------------------------------------------------------------------------


class Gate(gg.autograd.Function):
    """relu(x), and where it let x through."""

    @staticmethod
    def forward(ctx, x):
        mask = (x > 0).to(x.dtype)
        ctx.save_for_backward(mask)
        ctx.mark_non_differentiable(mask)
        ctx.set_materialize_grads(False)
        return x * mask, mask

    @staticmethod
    def backward(ctx, grad, grad_of_mask):
        (mask,) = ctx.saved_tensors
        return grad * mask


class GateUnmarked(Gate):
    @staticmethod
    def forward(ctx, x):
        mask = (x > 0).to(x.dtype)
        ctx.save_for_backward(mask)
        return x * mask, mask


class GateWithZeros(Gate):
    @staticmethod
    def forward(ctx, x):
        mask = (x > 0).to(x.dtype)
        ctx.save_for_backward(mask)
        ctx.mark_non_differentiable(mask)
        return x * mask, mask


class GateWithOneParameter(Gate):
    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        return grad * mask


class GateForAll(Gate):
    @staticmethod
    def backward(ctx, grad, grad_of_mask):
        return grad


WRONG = {
    "06.cube": [
        (CubeWithoutUpstream, "does not use the gradient that it is given"),
        (CubeWithAnAttribute, "no version guards"),
        (CubeThatSavesMore, "There should be 1; there are 2"),
        (CubeWithTheRuleOfASquare, "half of what it should be"),
    ],
    "06.leaky": [
        (LeakyWithOneGradient, "incorrect number of gradients"),
        (LeakyOnTheClass, "the second slope has taken the place of the first"),
        (LeakyByTheGradient, "which of the two decides?"),
        (LeakyThatSavesANumber, "save_for_backward"),
    ],
    "06.gate": [
        (GateUnmarked, "says that an output has none"),
        (GateWithZeros, "should stay None"),
        (GateWithOneParameter, "positional argument"),
        (GateForAll, "1 of 2 numbers are wrong"),
    ],
}
