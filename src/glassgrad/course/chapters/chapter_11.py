"""Chapter 11, higher order: a Hessian times a vector, a Newton step, a penalty on slopes."""

from glassgrad.autograd import grad
from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, call
from glassgrad.linalg import solve
from glassgrad.ops.creation import tensor
from glassgrad.ops.joining import stack
from glassgrad.tracing import watching
from glassgrad.values.dtypes import float64


def _of(numbers):
    return tensor(numbers, dtype=float64)


def _cubes(x):
    return (x**3).sum()


def _product(x):
    return x.prod()


def _slopes(f, x):
    """A leaf at x, and the slopes of f there, with their graph."""
    x = x.detach().requires_grad_()
    return x, grad(f(x), x, create_graph=True)[0]


def _hessian(x, slope):
    return stack([grad(each, x, retain_graph=True)[0] for each in slope])


# A Hessian times a vector ------------------------------------------------------------------------

MOST_PASSES = 4
FEW = f"1 to {MOST_PASSES} passes"


def _passes(answer):
    """How many passes it takes for twenty numbers."""
    with watching() as passes:
        answer(_cubes, _of([1.0] * 20), _of([2.0] * 20))
    return FEW if 1 <= len(passes) <= MOST_PASSES else f"{len(passes)} passes"


def _ones_in_place_of_v(f, x, v):
    x, slope = _slopes(f, x)
    return grad(slope.sum(), x)[0]


def _v_afterwards(f, x, v):
    return v * _ones_in_place_of_v(f, x, v)


def _by_the_hessian(f, x, v):
    x, slope = _slopes(f, x)
    return _hessian(x, slope) @ v


def _one_pass(f, x, v):
    return _slopes(f, x)[1].detach() * v


HVP = Task(
    "11.hvp",
    "a Hessian times a vector, in two passes",
    stub='''
def hvp(f, x, v):
    """The Hessian of f at x, times v: without the Hessian, in two passes.

    f makes a single number of a tensor such as x. v is as long as x. x does not require grad.
    """
    ...  # your code
''',
    cases=[
        call(
            _cubes, _of([3.0]), _of([1.0]), expects=_of([18.0]), given="hvp of x³ at 3 with v = 1"
        ),
        call(
            _cubes, _of([3.0]), _of([2.0]), expects=_of([36.0]), given="hvp of x³ at 3 with v = 2"
        ),
        call(
            _cubes,
            _of([1.0, 2.0]),
            _of([1.0, -1.0]),
            expects=_of([6.0, -12.0]),
            given="hvp of a³ + b³ at (1, 2) with v = (1, -1)",
        ),
        call(
            _product,
            _of([2.0, 3.0]),
            _of([1.0, 10.0]),
            expects=_of([10.0, 1.0]),
            given="hvp of a·b at (2, 3) with v = (1, 10)",
        ),
        Case("what hvp takes for twenty numbers", _passes, FEW),
    ],
    mistakes=[
        Mistake(
            _ones_in_place_of_v,
            "v is not used: this is the Hessian times a vector of ones. Where does v come in?",
        ),
        Mistake(
            _v_afterwards,
            "v comes too late. The second pass has added up each row already, so what a row has in "
            "one place meets the v of another. v belongs before the second pass.",
        ),
        Mistake(
            _one_pass,
            "These are the slopes times v. A Hessian holds the slopes of the slopes: one more pass "
            "is missing.",
        ),
        Mistake(
            _by_the_hessian,
            "It is right, and it makes the whole Hessian, a pass for each row. None of its numbers "
            "is asked for: of which single number are the wanted ones the slopes?",
        ),
    ],
    read="vhp in src/glassgrad/autograd/functional.py.",
)

# A Newton step -----------------------------------------------------------------------------------


def _far_square(x):
    return ((x - 3) ** 2).sum()


def _bowl(x):
    return x[0] ** 2 + 10 * x[1] ** 2


def _tilted(x):
    return x[0] ** 2 + x[0] * x[1] + x[1] ** 2 - 3 * x[1]


def _fourth(x):
    return (x**4).sum()


def _own_curvatures(f, x):
    x, slope = _slopes(f, x)
    return (x - slope / _hessian(x, slope).diagonal()).detach()


def _sums_of_rows(f, x):
    x, slope = _slopes(f, x)
    return (x - slope / _hessian(x, slope).sum(1)).detach()


def _multiplied(f, x):
    x, slope = _slopes(f, x)
    return (x - _hessian(x, slope) @ slope).detach()


def _upwards(f, x):
    x, slope = _slopes(f, x)
    return (x + solve(_hessian(x, slope), slope)).detach()


def _the_way_alone(f, x):
    x, slope = _slopes(f, x)
    return solve(_hessian(x, slope), slope).detach()


NEWTON = Task(
    "11.newton",
    "a Newton step",
    stub='''
def newton_step(f, x):
    """Where one Newton step of f leads from x.

    f makes a single number of n numbers. x is a tensor of n numbers that does not require grad.
    """
    ...  # your code
''',
    cases=[
        call(_far_square, _of([1.0]), expects=_of([3.0]), given="newton_step of (x - 3)² from 1"),
        call(_fourth, _of([3.0]), expects=_of([2.0]), given="newton_step of x⁴ from 3"),
        call(
            _bowl,
            _of([1.0, 2.0]),
            expects=_of([0.0, 0.0]),
            given="newton_step of a² + 10·b² from (1, 2)",
        ),
        call(
            _tilted,
            _of([4.0, 5.0]),
            expects=_of([-1.0, 2.0]),
            given="newton_step of a² + a·b + b² - 3·b from (4, 5)",
        ),
    ],
    mistakes=[
        Mistake(
            _own_curvatures,
            "You divide each slope by its own curvature. That is right where each number acts for "
            "itself. Here a step along one changes the slope along the other, too.",
        ),
        Mistake(
            _sums_of_rows,
            "The second pass adds up the rows: what it gives are no curvatures, but their sums. "
            "The Hessian needs a pass for each of the slopes.",
        ),
        Mistake(
            _multiplied,
            "You multiply by the Hessian. With one number, would you multiply by the curvature?",
        ),
        Mistake(_upwards, "The step is as long as it should be, and goes the other way."),
        Mistake(_the_way_alone, "This is the way to go. From where?"),
    ],
    read="hessian in src/glassgrad/autograd/functional.py.",
)

# A gradient penalty ------------------------------------------------------------------------------


def _linear(w):
    return lambda x: x @ w


def _of_squares(w):
    return lambda x: x**2 @ w


def _value(critic, weights, rows):
    def run(answer):
        found = answer(critic(_of(weights).requires_grad_()), _of(rows))
        return found.detach() if isinstance(found, Tensor) else found

    return run


def _learnt(critic, weights, rows):
    """What the weights get from the penalty."""

    def run(answer):
        w = _of(weights).requires_grad_()
        found = answer(critic(w), _of(rows))
        if isinstance(found, Tensor) and not found.requires_grad:
            return "nothing"
        return grad(found, w, allow_unused=True)[0]

    return run


def _penalty(*, recorded=True, scores=Tensor.sum, judged=lambda n: ((n - 1) ** 2).mean(), dim=1):
    def penalty(critic, x):
        x = x.detach().requires_grad_()
        (slope,) = grad(scores(critic(x)), x, create_graph=recorded)
        return judged((slope**2).sum(dim).sqrt())

    return penalty


_TWO = [[3.0, 4.0], [0.0, 1.0]]

PENALTY = Task(
    "11.penalty",
    "a penalty on slopes",
    stub='''
def penalty(critic, x):
    """The mean over all examples of (length of the slopes − 1)².

    x has an example in each row, and does not require grad. critic(x) is a number for each example,
    and its slopes along that example are meant. The penalty is part of a loss.
    """
    ...  # your code
''',
    cases=[
        Case("the penalty of 3·x at 1", _value(_linear, [3.0], [[1.0]]), _of(4.0)),
        Case(
            "what w gets of the penalty of w·x, at w = 3",
            _learnt(_linear, [3.0], [[1.0]]),
            _of([4.0]),
        ),
        Case(
            "the penalty of (a² + b²)/2 at (3, 4)",
            _value(_of_squares, [0.5, 0.5], _TWO[:1]),
            _of(16.0),
        ),
        Case(
            "the penalty of (a² + b²)/2 at (3, 4) and (0, 1)",
            _value(_of_squares, [0.5, 0.5], _TWO),
            _of(8.0),
        ),
        Case(
            "what u and v get of the penalty of u·a² + v·b², both ½, at (3, 4) and (0, 1)",
            _learnt(_of_squares, [0.5, 0.5], _TWO),
            _of([14.4, 25.6]),
        ),
    ],
    mistakes=[
        Mistake(
            _penalty(recorded=False),
            "The penalty is the right number, and nothing can learn from it: the pass that made "
            "the slopes was not recorded.",
        ),
        Mistake(
            _penalty(scores=Tensor.mean),
            "With one example it is right. With two, the slopes are half as long: they are those "
            "of the mean. What makes one number of all scores, and leaves the slopes alone?",
        ),
        Mistake(
            _penalty(dim=None),
            "One length was taken of the slopes of all examples together. Each example has its "
            "own.",
        ),
        Mistake(
            _penalty(judged=lambda n: (n.mean() - 1) ** 2),
            "The mean was taken too early: a slope of 0.5 and one of 1.5 are both wrong, and their "
            "mean is not.",
        ),
        Mistake(
            _penalty(judged=lambda n: (n**2).mean()),
            "This asks for slopes of 0. Which length is meant to cost nothing?",
        ),
    ],
    read="grad in src/glassgrad/autograd/gradients.py: what create_graph does.",
)
