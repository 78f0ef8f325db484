"""Chapter 12, forward mode: rules for tangents, two products that agree, a Jacobian by columns."""

from collections.abc import Callable
from typing import Any

from glassgrad import ops
from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, call
from glassgrad.course.vectors import jacobian, mixed, powers, total, triple
from glassgrad.func import jvp
from glassgrad.ops.creation import eye, tensor
from glassgrad.values.dtypes import float64

# Rules for tangents ------------------------------------------------------------------------------


class _Rules:
    """What glassgrad's own rules give."""

    @staticmethod
    def div(x: Tensor, y: Tensor, dx: Tensor, dy: Tensor) -> Any:
        return jvp(ops.div, (x, y), (dx, dy))[1]

    @staticmethod
    def tanh(x: Tensor, dx: Tensor) -> Any:
        return jvp(ops.tanh, (x,), (dx,))[1]

    @staticmethod
    def matmul(x: Tensor, y: Tensor, dx: Tensor, dy: Tensor) -> Any:
        return jvp(ops.matmul, (x, y), (dx, dy))[1]


class _NotSquared(_Rules):
    @staticmethod
    def div(x: Tensor, y: Tensor, dx: Tensor, dy: Tensor) -> Any:
        return dx / y - x * dy / y


class _AtTheInput(_Rules):
    @staticmethod
    def tanh(x: Tensor, dx: Tensor) -> Any:
        return (1 - x * x) * dx


class _OnlyTheSlope(_Rules):
    @staticmethod
    def tanh(x: Tensor, dx: Tensor) -> Any:
        del dx
        return 1 - x.tanh() ** 2


class _OnlyTangents(_Rules):
    @staticmethod
    def matmul(x: Tensor, y: Tensor, dx: Tensor, dy: Tensor) -> Any:
        del x, y
        return dx @ dy


def _numbers(values: Any) -> Tensor:
    return tensor(values, dtype=float64)


def _rule(name: str, *values: Any) -> Callable[[Any], Any]:
    """What the rule of that name makes of these values, and of the tangents behind them."""

    def run(answer: Any) -> Any:
        return getattr(answer, name)(*map(_numbers, values))

    return run


_X, _DX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]]
_Y, _DY = [[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]], [[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]

RULES = Task(
    "12.rules",
    "rules for the tangents of a quotient, of tanh and of a matrix product",
    stub='''
class Rules:
    """The rules of three ops for tangents. dx is how fast x moves, dy how fast y does."""

    @staticmethod
    def div(x, y, dx, dy):
        """How fast x / y moves."""
        ...  # your code

    @staticmethod
    def tanh(x, dx):
        """How fast x.tanh() moves."""
        ...  # your code

    @staticmethod
    def matmul(x, y, dx, dy):
        """How fast the product x @ y of two matrices moves."""
        ...  # your code
''',
    right=_Rules,
    cases=[
        Case("div of x = 6, y = 2, dx = 1, dy = 0", _rule("div", 6.0, 2.0, 1.0, 0.0)),
        Case("div of x = 6, y = 2, dx = 0, dy = 1", _rule("div", 6.0, 2.0, 0.0, 1.0)),
        Case(
            "div of x = 6, y = 2, dx = 3, dy = 5",
            _rule("div", 6.0, 2.0, 3.0, 5.0),
            parts=(1.5, -7.5),
        ),
        Case("tanh of x = 0.5, dx = 1", _rule("tanh", 0.5, 1.0)),
        Case("tanh of x = [0.5, -1], dx = [2, 3]", _rule("tanh", [0.5, -1.0], [2.0, 3.0])),
        Case(
            "matmul of x = [[2]], y = [[3]], dx = [[4]], dy = [[5]]",
            _rule("matmul", [[2.0]], [[3.0]], [[4.0]], [[5.0]]),
            parts=(_numbers([[12.0]]), _numbers([[10.0]])),
        ),
        Case(
            "matmul of matrices of 2 × 3 and 3 × 2 numbers",
            _rule("matmul", _X, _Y, _DX, _DY),
            parts=(_numbers(_DX) @ _numbers(_Y), _numbers(_X) @ _numbers(_DY)),
        ),
    ],
    mistakes=[
        Mistake(
            _NotSquared,
            "A quotient moves the less, the larger y is. By what is it divided if only y moves? "
            "Try y = 2 and y = 20 by hand.",
        ),
        Mistake(
            _AtTheInput,
            "The slope of tanh is said by its *result*, and here stands x in its place.",
        ),
        Mistake(
            _OnlyTheSlope,
            "This is the slope of tanh. How fast the result moves depends on dx, too, which is not "
            "used yet.",
        ),
        Mistake(
            _OnlyTangents,
            "If only x moves, dy is zero, and so is this. But then the product moves all the same.",
        ),
    ],
    read="`gg.explain(x * y)`, whose first line has the rule for the tangent: look for dz.",
)

# Two products that agree -------------------------------------------------------------------------


def _pair(forward: Any, backward: Any) -> Callable[[Any], Any]:
    """What an answer says of a push by one matrix and a pull by another."""

    def run(answer: Any) -> Any:
        one, other = _numbers(forward), _numbers(backward)
        rows, columns = one.shape
        x, y = _numbers([0.5] * columns), _numbers([0.5] * rows)
        return answer(lambda u: one @ u, lambda v: other @ v, x, y)

    return run


def _agreeing(why: str) -> Callable[[Any], str | None]:
    def complaint(found: Any) -> str | None:
        return _unsaid(found) or (
            None if found else f"it says that the two do not agree, and they do. {why}"
        )

    return complaint


def _differing(why: str) -> Callable[[Any], str | None]:
    def complaint(found: Any) -> str | None:
        return _unsaid(found) or (
            f"it says that the two agree, and they do not: {why}" if found else None
        )

    return complaint


def _unsaid(found: Any) -> str | None:
    if found is None or found is ...:
        return "it should return True or False."
    if isinstance(found, Tensor) and found.numel() != 1:
        return f"it returns {found.numel()} numbers, and should return True or False."
    return None


_J = [[1.0, 2.0], [3.0, 4.0]]
_WIDE = [[0.1, 0.7, -0.3], [1.3, 0.9, 0.2]]
_TALL = [[0.1, 1.3], [0.7, 0.9], [-0.3, 0.2]]
_MANY = [[((3 * i + 5 * j) % 11) / 7 for j in range(30)] for i in range(20)]
_MANY_BACK = [[row[j] for row in _MANY] for j in range(30)]
_HUGE = [[1e6 * number for number in row] for row in _MANY]
_HUGE_BACK = [[1e6 * number for number in row] for row in _MANY_BACK]

AGREE = Task(
    "12.agree",
    "a test of whether jvp and vjp agree",
    stub='''
def agree(push, pull, x, y):
    """Whether `push(u)` is J·u and `pull(v)` is Jᵀ·v of one and the same matrix J.

    push takes a tensor of the shape of x and returns one of the shape of y; pull takes one of the
    shape of y and returns one of the shape of x. All are float64. Return True or False.
    """
    ...  # your code
''',
    cases=[
        Case(
            "J is 3, for both",
            _pair([[3.0]], [[3.0]]),
            complains=_agreeing("Which two numbers have to be equal?"),
        ),
        Case(
            "push multiplies by 3, pull by 2",
            _pair([[3.0]], [[2.0]]),
            complains=_differing("one of them must be wrong."),
        ),
        Case(
            "push multiplies by 3, pull by −3",
            _pair([[3.0]], [[-3.0]]),
            complains=_differing("a sign is lost. Does the test look at sizes only?"),
        ),
        Case(
            "J is a matrix of 2 × 3 numbers",
            _pair(_WIDE, _TALL),
            complains=_agreeing(
                "Then x and y have different shapes: which vectors can be multiplied?"
            ),
        ),
        Case(
            "push multiplies by [[1, 2], [3, 4]], and pull by the same, not transposed",
            _pair(_J, _J),
            complains=_differing(
                "with vectors of ones both products are 10. With other ones, are they?"
            ),
        ),
        Case(
            "J is a matrix of 20 × 30 numbers",
            _pair(_MANY, _MANY_BACK),
            complains=_agreeing(
                "But the two sums are added up in another order, and rounded otherwise."
            ),
        ),
        Case(
            "J is a matrix of 20 × 30 numbers, a million times larger",
            _pair(_HUGE, _HUGE_BACK),
            complains=_agreeing("Rounding grows with the numbers: how far may they differ?"),
        ),
    ],
    read="gradcheck in src/glassgrad/autograd/gradcheck.py: it compares both with differences.",
)

# A Jacobian, column by column --------------------------------------------------------------------


def _square(x: Tensor) -> Any:
    return x * x


def _in_all_directions(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
    return jvp(f, (x,), (ops.ones_like(x),))[1]


def _of_values(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
    return ops.stack([jvp(f, (x,), (u,))[0] for u in eye(len(x))], 1)


JACOBIAN = Task(
    "12.jacobian",
    "a Jacobian, column by column",
    stub='''
def jacobian(f, x):
    """The Jacobian of f at x: in row i and column j, how fast output i moves with input j.

    f takes a tensor of shape (n,) and returns one of shape (m,); the result has shape (m, n).
    `gg.func.jvp(f, (x,), (u,))` returns f(x) and J·u.
    """
    ...  # your code
''',
    right=jacobian,
    cases=[
        call(triple, tensor([2.0]), given="the Jacobian of 3·x at [2]"),
        call(_square, tensor([1.0, 3.0]), given="the Jacobian of x·x at [1, 3]"),
        call(total, tensor([1.0, 2.0, 3.0]), given="the Jacobian of [Σ x²] at [1, 2, 3]"),
        call(powers, tensor([2.0]), given="the Jacobian of [x, x², x³] at [2]"),
        call(
            mixed,
            tensor([1.0, 2.0, 3.0]),
            given="the Jacobian of [x₀·x₁, sin(x₁·x₂)] at [1, 2, 3]",
        ),
    ],
    mistakes=[
        Mistake(
            _in_all_directions,
            "All inputs move at once here, so the columns come out added up. How does u look if "
            "one input moves, and the others stand still?",
        ),
        Mistake(_of_values, "`jvp` returns two things. Which of them is J·u?"),
    ],
    read="jacfwd in src/glassgrad/func/jacobians.py, which runs all columns at once.",
)
