"""Chapter 10: an answer to each task, and three typical wrong ones with words of their hints."""

import glassgrad as gg
from glassgrad.utils.checkpoint import checkpoint_sequential

# 10.half -----------------------------------------------------------------------------------------


class Half:
    @staticmethod
    def pack(tensor):
        if tensor.is_leaf or tensor.dtype != gg.float32:
            return tensor.detach()
        return tensor.detach().to(gg.float16)

    @staticmethod
    def unpack(kept):
        return kept.to(gg.float32) if kept.dtype == gg.float16 else kept


class HalfOfEverything:
    @staticmethod
    def pack(tensor):
        return tensor.detach().to(gg.float16)

    @staticmethod
    def unpack(kept):
        return kept.to(gg.float32)


class HalfOfLeavesToo(Half):
    @staticmethod
    def pack(tensor):
        is_single = tensor.dtype == gg.float32
        return tensor.detach().to(gg.float16) if is_single else tensor.detach()


class HalfThatStaysHalf(Half):
    @staticmethod
    def unpack(kept):
        return kept


class HalfOfNothing:
    @staticmethod
    def pack(tensor):
        return tensor.detach()

    @staticmethod
    def unpack(kept):
        return kept.to(gg.float32)


# 10.checkpoint -----------------------------------------------------------------------------------


class Checkpoint(gg.autograd.Function):
    @staticmethod
    def forward(ctx, function, *args):
        ctx.function, ctx.state = function, gg.get_rng_state()
        ctx.save_for_backward(*args)
        return function(*args)

    @staticmethod
    def backward(ctx, grad):
        needed = ctx.needs_input_grad[1:]  # the first is that of the function
        args = [
            each.detach().requires_grad_(needs)
            for each, needs in zip(ctx.saved_tensors, needed, strict=True)
        ]
        now = gg.get_rng_state()
        gg.set_rng_state(ctx.state)
        with gg.enable_grad():
            y = ctx.function(*args)
        gg.set_rng_state(now)  # the second run is nobody else's matter
        y.backward(grad)
        return None, *(each.grad for each in args)


class CheckpointDrawingAgain(gg.autograd.Function):
    @staticmethod
    def forward(ctx, function, *args):
        ctx.function = function
        ctx.save_for_backward(*args)
        return function(*args)

    @staticmethod
    def backward(ctx, grad):
        args = [each.detach().requires_grad_(each.requires_grad) for each in ctx.saved_tensors]
        with gg.enable_grad():
            y = ctx.function(*args)
        y.backward(grad)
        return None, *(each.grad for each in args)


class CheckpointWithoutUpstream(gg.autograd.Function):
    forward = Checkpoint.forward

    @staticmethod
    def backward(ctx, grad):
        args = [each.detach().requires_grad_(each.requires_grad) for each in ctx.saved_tensors]
        gg.set_rng_state(ctx.state)
        with gg.enable_grad():
            y = ctx.function(*args)
            y.sum().backward()
        return None, *(each.grad for each in args)


class CheckpointOfArgumentsAlone(gg.autograd.Function):
    forward = Checkpoint.forward

    @staticmethod
    def backward(ctx, grad):
        args = [each.detach().requires_grad_(each.requires_grad) for each in ctx.saved_tensors]
        gg.set_rng_state(ctx.state)
        with gg.enable_grad():
            y = ctx.function(*args)
        asked = [each for each in args if each.requires_grad]
        found = iter(gg.autograd.grad(y, asked, grad))
        return None, *(next(found) if each.requires_grad else None for each in args)


class CheckpointNotDetached(gg.autograd.Function):
    forward = Checkpoint.forward

    @staticmethod
    def backward(ctx, grad):
        gg.set_rng_state(ctx.state)
        with gg.enable_grad():
            y = ctx.function(*ctx.saved_tensors)
        y.backward(grad)
        return None, *(each.grad for each in ctx.saved_tensors)


# 10.budget ---------------------------------------------------------------------------------------


def fit(layers, x, budget):
    for segments in range(1, len(layers) + 1):  # the fewest first: less runs again
        output = checkpoint_sequential(layers, segments, x, use_reentrant=False)
        if gg.snapshot(output).held() <= budget:
            break
    return output


def fit_by_cutting_everything(layers, x, budget):
    return checkpoint_sequential(layers, len(layers), x, use_reentrant=False)


def fit_by_the_root(layers, x, budget):
    segments = round(len(layers) ** 0.5)
    return checkpoint_sequential(layers, segments, x, use_reentrant=False)


def fit_without_a_graph(layers, x, budget):
    with gg.no_grad():
        for layer in layers:
            x = layer(x)
    return x


WRONG = {
    "10.half": [
        (HalfOfNothing, "Nothing is packed"),
        (HalfOfEverything, "All is halved, also float64"),
        (HalfOfLeavesToo, "A leaf was packed"),
        (HalfThatStaysHalf, "Its dtype is float16, and should be float32"),
    ],
    "10.checkpoint": [
        (CheckpointDrawingAgain, "the second run drew again"),
        (CheckpointWithoutUpstream, "The gradient that came in is not used"),
        (CheckpointOfArgumentsAlone, "the weight that the function uses gets nothing"),
        (CheckpointNotDetached, "has to begin at copies"),
    ],
    "10.budget": [
        (fit_by_cutting_everything, "3 layers run again, where 0 are enough"),
        (fit_by_the_root, "Do not cut more than the budget asks for"),
        (fit_without_a_graph, "no gradient arrives"),
    ],
}
