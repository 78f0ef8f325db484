"""Chapter 6, a function of your own: a cube, a plain number as an argument, two outputs."""

from glassgrad.autograd import Function, grad
from glassgrad.course.task import Case, Mistake, Task
from glassgrad.ops.creation import tensor
from glassgrad.values.dtypes import float64

_PLACES, _UPSTREAM = [1.0, -2.0, 0.5], [1.0, 10.0, -100.0]


def _input(*values):
    return tensor(values, dtype=float64, requires_grad=True)


def _of(numbers):
    return tensor(numbers, dtype=float64)


def _slopes(values, upstream, *more):
    """What an answer makes of a gradient that comes in; of several outputs that of the first."""

    def run(answer):
        x = _input(*values)
        made = answer.apply(x, *more)
        y = made[0] if isinstance(made, tuple) else made
        return _detached(grad(y, x, _of(upstream), allow_unused=True)[0])

    return run


def _detached(made):
    return None if made is None else made.detach()


# One tensor saved --------------------------------------------------------------------------------


def _cubed(answer):
    return _detached(answer.apply(_input(2.0)))


def _kept(answer):
    """What it saves, by names."""
    x = _input(2.0)
    node = answer.apply(x).grad_fn
    return ["x" if each.tolist() == [2.0] else "another tensor" for each in node.saved_tensors]


def _slope_of_the_slope(answer):
    x = _input(2.0)
    (slope,) = grad(answer.apply(x).sum(), x, create_graph=True)
    return grad(slope.sum(), x)[0].detach()


class _Unasked(Function):
    """A cube whose gradient is its slope, whatever came in."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return 3 * ctx.saved_tensors[0] ** 2


class _Unguarded(Function):
    """A cube that keeps its input as an attribute."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.x**2


CUBE = Task(
    "06.cube",
    "a cube that saves one tensor",
    stub='''
class Cube(gg.autograd.Function):
    """y = x³. It saves one tensor, x."""

    @staticmethod
    def forward(ctx, x):
        return x * x * x  # your code: something is missing

    @staticmethod
    def backward(ctx, grad):
        """The gradient of x."""
        ...  # your code
''',
    cases=[
        Case("Cube.apply of 2", _cubed, _of([8.0])),
        Case("the gradient of Cube at 2", _slopes([2.0], [1.0]), _of([12.0])),
        Case(
            f"the gradient of Cube at {_PLACES}, where {_UPSTREAM} comes in,",
            _slopes(_PLACES, _UPSTREAM),
            _of([3.0, 120.0, -75.0]),
        ),
        Case("what ctx.save_for_backward keeps of Cube.apply(x)", _kept, ["x"]),
        Case("the slope of the slope at 2", _slope_of_the_slope, _of([12.0])),
    ],
    mistakes=[
        Mistake(
            _Unasked,
            "It is right where 1 comes in, and wrong elsewhere: backward does not use the gradient "
            "that it is given.",
        ),
        Mistake(
            _Unguarded,
            "The gradient is right, and what it needs is kept in a place that no picture shows and "
            "no version guards. See the bug of this chapter.",
        ),
    ],
    read="class Pow in src/glassgrad/ops/elementary.py: its line `gradient` says what it needs.",
)

# A plain number as an argument -------------------------------------------------------------------


def _leaked(answer):
    return _detached(answer.apply(_input(3.0, -2.0), 0.1))


def _two_calls(answer):
    """The gradient of two calls, both made before any goes back."""
    x = _input(-2.0)
    first, second = answer.apply(x, 0.1), answer.apply(x, 0.5)
    return grad((first + 10 * second).sum(), x)[0].detach()


class _OneForAll(Function):
    """A leaky relu that keeps the slope with the class."""

    slope = 0.0

    @staticmethod
    def forward(ctx, x, slope):
        _OneForAll.slope = slope
        ctx.save_for_backward(x)
        return x * (1 - (x < 0) * (1 - slope))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (1 - (x < 0) * (1 - _OneForAll.slope)), None


class _ByUpstream(Function):
    """A leaky relu that looks at the sign of what comes in."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        return x * (1 - (x < 0) * (1 - slope))

    @staticmethod
    def backward(ctx, grad):
        return grad * (1 - (grad < 0) * (1 - ctx.slope)), None


LEAKY = Task(
    "06.leaky",
    "an op with a plain number among its arguments",
    stub='''
class Leaky(gg.autograd.Function):
    """x where x > 0, and slope·x elsewhere. slope is a plain number."""

    @staticmethod
    def forward(ctx, x, slope):
        """The output."""
        ...  # your code

    @staticmethod
    def backward(ctx, grad):
        """A gradient for each argument of forward."""
        ...  # your code
''',
    cases=[
        Case("Leaky.apply of [3, -2] with slope 0.1", _leaked, _of([3.0, -0.2])),
        Case("its gradient at 3", _slopes([3.0], [1.0], 0.1), _of([1.0])),
        Case("its gradient at -2", _slopes([-2.0], [1.0], 0.1), _of([0.1])),
        Case(
            f"its gradient at {_PLACES}, where {_UPSTREAM} comes in,",
            _slopes(_PLACES, _UPSTREAM, 0.1),
            _of([1.0, 1.0, -100.0]),
        ),
        Case("the gradient of Leaky(x, 0.1) + 10·Leaky(x, 0.5) at -2", _two_calls, _of([5.1])),
    ],
    mistakes=[
        Mistake(
            _OneForAll,
            "One call is right, two are not: the second slope has taken the place of the first. "
            "What belongs to one call must be kept with its node, and the node is `ctx`.",
        ),
        Mistake(
            _ByUpstream,
            "The place where the op bends is in x, not in the gradient: which of the two decides?",
        ),
    ],
    read="the docstring of class Function in src/glassgrad/core/function.py.",
)

# Two outputs, one not differentiable -------------------------------------------------------------


def _both(answer):
    y, mask = answer.apply(_input(-2.0, 3.0))
    return y.detach(), mask.detach()


def _kind_of_mask(answer):
    mask = answer.apply(_input(-2.0, 3.0))[1]
    return "differentiable" if mask.requires_grad else "not differentiable"


def _given_for_mask(answer):
    seen = []

    def backward(ctx, *grads):
        seen.extend(grads)
        return answer.backward(ctx, *grads)

    spied = type(answer.__name__, (answer,), {"backward": staticmethod(backward)})
    x = _input(-2.0, 3.0)
    grad(spied.apply(x)[0].sum(), x)
    return seen[1]


def _gate(*, is_marked, makes_zeros):
    class Gate(Function):
        @staticmethod
        def forward(ctx, x):
            mask = (x > 0).to(x.dtype)
            if is_marked:
                ctx.mark_non_differentiable(mask)
            ctx.set_materialize_grads(makes_zeros)
            ctx.save_for_backward(mask)
            return x * mask, mask

        @staticmethod
        def backward(ctx, grad, _):
            return grad * ctx.saved_tensors[0]

    return Gate


_SAY_MARK = (
    "The numbers are right. The mask is as if it had a slope: who uses it in a loss gets a silent "
    "zero. Which method of ctx says that an output has none?"
)

GATE = Task(
    "06.gate",
    "an op with two outputs, one of them not differentiable",
    stub='''
class Gate(gg.autograd.Function):
    """Two outputs: relu(x), and its mask: 1 where x > 0, and 0 elsewhere.

    The mask is not differentiable, and no zeros are made in place of its gradient.
    """

    @staticmethod
    def forward(ctx, x):
        mask = (x > 0).to(x.dtype)
        return x * mask, mask  # your code: something is missing

    @staticmethod
    def backward(ctx, grad, grad_of_mask):
        return grad  # your code
''',
    cases=[
        Case("Gate.apply of [-2, 3]", _both, (_of([0.0, 3.0]), _of([0.0, 1.0]))),
        Case("its gradient at [-2, 3]", _slopes([-2.0, 3.0], [10.0, 10.0]), _of([0.0, 10.0])),
        Case(
            f"its gradient at {_PLACES}, where {_UPSTREAM} comes in,",
            _slopes(_PLACES, _UPSTREAM),
            _of([1.0, 0.0, -100.0]),
        ),
        Case("the mask", _kind_of_mask, "not differentiable"),
        Case("what backward is given for the mask", _given_for_mask, None),
    ],
    mistakes=[
        Mistake(_gate(is_marked=False, makes_zeros=True), _SAY_MARK),
        Mistake(_gate(is_marked=False, makes_zeros=False), _SAY_MARK),
        Mistake(
            _gate(is_marked=True, makes_zeros=True),
            "Zeros are made for the mask in each pass, and thrown away. Which method of ctx says "
            "that a gradient which nobody sent should stay None?",
        ),
    ],
    read="class FunctionCtx in src/glassgrad/core/function.py.",
)
