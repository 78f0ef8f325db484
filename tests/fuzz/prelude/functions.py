"""Users' Functions, with all that a ctx can do."""


class Split(lib.autograd.Function):
    """Two outputs."""

    @staticmethod
    def forward(ctx, x):
        return x * 0.5, x * 0.25

    @staticmethod
    def backward(ctx, half, quarter):
        return half * 0.5 + quarter * 0.25


class Swap(lib.autograd.Function):
    """Two operands, two outputs, gradients that may be missing."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return y * 1.0, x * 1.0

    @staticmethod
    def backward(ctx, first, second):
        return second, first


class Nothing(lib.autograd.Function):
    """No gradient."""

    @staticmethod
    def forward(ctx, x):
        return x * 0.125

    @staticmethod
    def backward(ctx, grad):
        return None


class Keep(lib.autograd.Function):
    """Saves its input and its output, and takes a number."""

    @staticmethod
    def forward(ctx, x, factor):
        y = x * factor
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * ctx.factor + 0.125 * grad * x * y, None


class Dirty(lib.autograd.Function):
    """Changes its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(0.5)

    @staticmethod
    def backward(ctx, grad):
        return grad * 0.5


class Alias(lib.autograd.Function):
    """Returns its input."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3.0


class Window(lib.autograd.Function):
    """Returns a view of its input."""

    @staticmethod
    def forward(ctx, x):
        ctx.shape = tuple(x.shape)
        return x.unsqueeze(0)

    @staticmethod
    def backward(ctx, grad):
        return grad.reshape(ctx.shape) * 2.0


class Half(lib.autograd.Function):
    """A second output that has no gradient."""

    @staticmethod
    def forward(ctx, x):
        steps = x.detach() > 0
        ctx.mark_non_differentiable(steps)
        return x * 0.75, steps

    @staticmethod
    def backward(ctx, grad, _):
        return grad * 0.75


class Middle(lib.autograd.Function):
    """Saves what is neither input nor output, and computes only gradients that are asked for."""

    @staticmethod
    def forward(ctx, x, y):
        middle = x.sin()
        ctx.save_for_backward(middle, None, y)
        return middle * y

    @staticmethod
    def backward(ctx, grad):
        log.append(("Middle", None, list(ctx.needs_input_grad)))
        middle, _, y = ctx.saved_tensors
        dx = grad * y * 0.5 if ctx.needs_input_grad[0] else None
        return dx, (grad * middle).sum_to_size(y.shape) if ctx.needs_input_grad[1] else None


class Cube(lib.autograd.Function):
    """In two parts, with a tangent, and a batch rule made of these."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, factor):
        return x**3 * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.factor = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2 * ctx.factor, None

    @staticmethod
    def jvp(ctx, dx, _):
        (x,) = ctx.saved_tensors
        return dx * 3 * x**2 * ctx.factor


class Pair(lib.autograd.Function):
    """In two parts, with two outputs, one of them saved, and a batch rule of its own."""

    @staticmethod
    def forward(x, y):
        return x * y, x + y.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output[0])
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, first, second):
        x, y, product = ctx.saved_tensors
        return first * y + second + 0 * product, first * x + second * y.cos()

    @staticmethod
    def jvp(ctx, dx, dy):
        x, y = ctx.saved_tensors
        return dx * y + x * dy, dx + dy * y.cos()

    @staticmethod
    def vmap(info, in_dims, x, y):
        x, y = (
            z.movedim(dim, 0) if dim is not None else z.expand(info.batch_size, *z.shape)
            for z, dim in zip((x, y), in_dims, strict=True)
        )
        return Pair.apply(x, y), (0, 0)


class Once(lib.autograd.Function):
    """A gradient without a gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.cos()

    @staticmethod
    @lib.autograd.function.once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return -grad * x.sin()


class Mixed(lib.autograd.Function):
    """Takes and returns other things than tensors, has an output that is no result of its input."""

    @staticmethod
    def forward(ctx, name, x, numbers):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x * numbers[0], len(name), x.new_ones(2)

    @staticmethod
    def backward(ctx, grad, *others):
        log.append(("Mixed", None, [seen(other) for other in others]))
        return None, None if grad is None else grad * 2.0, None


class Both(lib.autograd.Function):
    """Changes its first input, and returns it beside a new value."""

    @staticmethod
    def forward(ctx, x, y):
        x.mul_(0.5)
        ctx.mark_dirty(x)
        ctx.save_for_backward(y)
        return x, y * 1.0

    @staticmethod
    def backward(ctx, first, second):
        (y,) = ctx.saved_tensors
        return first * 0.5, second + 0 * y


class Inner(lib.autograd.Function):
    """Runs a pass in its own backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with lib.enable_grad():
            x = x.detach().requires_grad_()
            (slope,) = lib.autograd.grad(x.tanh().sum(), x)
        return grad * slope


class TooMany(lib.autograd.Function):
    """Returns a gradient that nobody takes."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


class Misshapen(lib.autograd.Function):
    """Returns a gradient of a shape that does not fit."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        return grad.new_ones(7, 5)


class Texts(lib.autograd.Function):
    """Returns no gradient, but a text."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        return "grad"


class Raising(lib.autograd.Function):
    """Fails in the pass."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("no gradient today")
