"""Users' Functions for tests of transforms, and the numbers to test them with."""

from both import make

__all__ = [
    "A",
    "B",
    "C",
    "exponential",
    "norm",
    "numbers",
    "of",
    "product",
    "product_by_hand",
    "split",
]

A = [[0.5, -1.0], [2.0, 0.25], [1.5, 3.0]]
B = [[1.0, 2.0], [-0.5, 0.75], [0.1, -2.0]]
C = [[0.3, 0.6], [0.9, -0.2], [1.1, 0.7]]


def numbers(tree):
    """The numbers of a tree of tensors, one list each."""
    if isinstance(tree, (tuple, list)):
        return [number for part in tree for number in numbers(part)]
    return [tree.detach().clone().reshape(-1).tolist()]


def of(lib, forward, backward, jvp=None, *, saves=None, vmap=None, generate=False, **more):
    """A Function with `setup_context`. It saves the inputs, or `saves(inputs, output)`."""

    def setup_context(ctx, inputs, output):
        kept = inputs if saves is None else saves(inputs, output)
        kept = [x for x in kept if isinstance(x, lib.Tensor)]
        ctx.save_for_backward(*kept)
        ctx.save_for_forward(*kept)

    rules = {"jvp": jvp, "vmap": vmap}
    body = {name: staticmethod(rule) for name, rule in rules.items() if rule is not None}
    return make(lib, forward, backward, setup_context, generate_vmap_rule=generate, **body, **more)


def product(lib, **more):
    """x * y."""

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x

    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return dx * y + x * dy

    return of(lib, lambda x, y: x * y, backward, jvp, **more)


def product_by_hand(lib):
    """x * y, with a rule for batches."""

    def vmap(info, in_dims, x, y):
        x, y = (
            v if dim is None else v.movedim(dim, -1) for v, dim in zip((x, y), in_dims, strict=True)
        )
        rank = max(v.ndim - (dim is not None) for v, dim in zip((x, y), in_dims, strict=True))
        pad = [
            v[(None,) * (rank - v.ndim + (dim is not None))]
            for v, dim in zip((x, y), in_dims, strict=True)
        ]
        x, y = (v if dim is not None else v[..., None] for v, dim in zip(pad, in_dims, strict=True))
        return made.apply(x, y), -1

    made = product(lib, vmap=vmap)
    return made


def exponential(lib):
    """exp(x), which saves its output."""

    def rule(ctx, grad):
        return grad * ctx.saved_tensors[0]

    return of(lib, lambda x: x.exp(), rule, rule, saves=lambda _, y: (y,), generate=True)


def norm(lib):
    """The sum of squares of a vector: it looks at shapes, and keeps a number."""

    def forward(x, power):
        return (x**power).sum(), x.shape

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])
        ctx.power, ctx.shape = inputs[1], output[1]

    def backward(ctx, grad, _):
        (x,) = ctx.saved_tensors
        return (grad * ctx.power).expand(ctx.shape) * x ** (ctx.power - 1), None

    def jvp(ctx, dx, _):
        (x,) = ctx.saved_tensors
        return (ctx.power * x ** (ctx.power - 1) * dx).sum(), None

    return make(
        lib, forward, backward, setup_context, jvp=staticmethod(jvp), generate_vmap_rule=True
    )


def split(lib):
    """(x·y, x + y): two outputs, one of which only one input reaches nonlinearly."""

    def backward(ctx, first, second):
        x, y = ctx.saved_tensors
        return first * y + second, first * x + second

    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return dx * y + x * dy, dx + dy

    return of(lib, lambda x, y: (x * y, x + y), backward, jvp, generate=True)
