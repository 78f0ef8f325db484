"""Chapter 13, vmap: gradients of each example, a Jacobian by vmap, a batching rule."""

from collections.abc import Callable
from typing import Any

from glassgrad import ops
from glassgrad.autograd import Function
from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, call
from glassgrad.course.vectors import jacobian, mixed, powers, total, triple
from glassgrad.func import grad, jvp, vmap
from glassgrad.ops.creation import arange, eye, tensor

# Gradients of each example -----------------------------------------------------------------------

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


def _squared(w: Tensor, x: Tensor, y: Tensor) -> Any:
    return ((w * x).sum() - y) ** 2


def _bent(w: Tensor, x: Tensor, y: Tensor) -> Any:
    return ((w * x).sum().tanh() - y) ** 2


def _gradients(loss: Loss, w: Tensor, xs: Tensor, ys: Tensor) -> Any:
    return vmap(grad(loss), in_dims=(None, 0, 0))(w, xs, ys)


def _per_example(loss: Loss, w: Tensor, xs: Tensor, ys: Tensor) -> Any:
    gradients = _gradients(loss, w, xs, ys)
    return gradients, (gradients * gradients).sum(1).sqrt()


def _for_the_batch(loss: Loss, w: Tensor, xs: Tensor, ys: Tensor) -> Any:
    gradient = _gradients(loss, w, xs, ys).sum(0)
    return gradient, (gradient * gradient).sum().sqrt()


def _over_the_batch(loss: Loss, w: Tensor, xs: Tensor, ys: Tensor) -> Any:
    gradients = _gradients(loss, w, xs, ys)
    return gradients, (gradients * gradients).sum(0).sqrt()


def _over_everything(loss: Loss, w: Tensor, xs: Tensor, ys: Tensor) -> Any:
    gradients = _gradients(loss, w, xs, ys)
    return gradients, (gradients * gradients).sum().sqrt()


_TWO, _THREE = tensor([0.5, -1.0]), tensor([0.5, -1.0, 0.25])
_PAIRS = tensor([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]])
_SQUARE = tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [3.0, 0.0, -1.0]])
_WANTED = tensor([1.0, 0.0, 2.0])

PER_EXAMPLE = Task(
    "13.per-example",
    "the gradient of each example, and how long it is",
    stub='''
def per_example(loss, w, xs, ys):
    """The gradient along w of each example's loss, and the length of each.

    loss(w, x, y) is the loss of one example: x is a row of xs, y the number of ys beside it.
    Returns two tensors: the gradients, of shape (examples, len(w)), and the lengths, of shape
    (examples,). The length of a vector is the root of the sum of its squares.
    """
    ...  # your code
''',
    right=_per_example,
    cases=[
        call(_squared, _TWO, _PAIRS[:1], _WANTED[:1], given="one example of two numbers"),
        call(_squared, _TWO, _PAIRS, _WANTED, given="three examples of two numbers"),
        call(_bent, _THREE, _SQUARE, _WANTED, given="three examples of three numbers, with a tanh"),
    ],
    mistakes=[
        Mistake(
            _for_the_batch,
            "This is one gradient for the whole batch: those of the examples are added up in it, "
            "and cannot be told apart any more. Which function should be mapped?",
        ),
        Mistake(
            _over_the_batch,
            "The gradients are right. But there is a length for each *weight*: squares of "
            "different examples are added. Along which dim does one example lie?",
        ),
        Mistake(
            _over_everything,
            "The gradients are right. But there is one length, of all of them together.",
        ),
    ],
    read="docs/guides/transforms.md: passes inside of transforms.",
)

# A Jacobian by vmap ------------------------------------------------------------------------------


def _of_values(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
    return vmap(lambda u: jvp(f, (x,), (u,))[0] + 0 * u.sum(), out_dims=1)(eye(len(x)))


def _runs(answer: Any) -> int:
    """How often the answer runs the function."""
    runs = 0

    def counted(x: Tensor) -> Any:
        nonlocal runs
        runs += 1
        return mixed(x)

    answer(counted, tensor([1.0, 2.0, 3.0]))
    return runs


def _must_run_once(runs: int) -> str | None:
    if runs in (1, 2):  # one may ask for the number of its results before
        return None
    return (
        f"the Jacobian is right, but f ran {runs} times. What is to be done for each of several "
        "directions can be done for all of them at once."
    )


JACOBIAN = Task(
    "13.jacobian",
    "a Jacobian from one run",
    stub='''
def jacobian(f, x):
    """The Jacobian of f at x: in row i and column j, how fast output i moves with input j.

    f takes a tensor of shape (n,) and returns one of shape (m,); the result has shape (m, n).
    f runs once, not n times. `gg.func.jvp(f, (x,), (u,))` returns f(x) and J·u.
    """
    ...  # your code
''',
    right=jacobian,
    cases=[
        call(triple, tensor([2.0]), given="the Jacobian of 3·x at [2]"),
        call(total, tensor([1.0, 2.0, 3.0]), given="the Jacobian of [Σ x²] at [1, 2, 3]"),
        call(powers, tensor([2.0]), given="the Jacobian of [x, x², x³] at [2]"),
        call(
            mixed,
            tensor([1.0, 2.0, 3.0]),
            given="the Jacobian of [x₀·x₁, sin(x₁·x₂)] at [1, 2, 3]",
        ),
        Case("a function of three inputs", _runs, complains=_must_run_once),
    ],
    mistakes=[Mistake(_of_values, "`jvp` returns two things. Which of them is J·u?")],
    read="jacfwd in src/glassgrad/func/jacobians.py.",
)

# A batching rule ---------------------------------------------------------------------------------


class _MatVec(Function):
    """y = A·x"""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: Tensor, x: Tensor) -> Tensor:
        return a @ x

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep nothing: nobody asks for its gradient."""


def _mapped(in_dims: Any, a: Tensor, x: Tensor) -> Callable[[Any], Any]:
    def run(answer: Any) -> Any:
        return vmap(answer.apply, in_dims=in_dims)(a.clone(), x.clone())

    return run


def _counted(*shape: int) -> Tensor:
    count = 1
    for size in shape:
        count *= size
    return arange(1.0, count + 1.0).reshape(shape)


_PLAIN, _ROWS = tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([[1.0, 0.0], [2.0, 1.0]])


def _of_rows(found: Tensor) -> str | None:
    """What is wrong with the products of a matrix and two vectors, which are rows of theirs."""
    right = _ROWS @ _PLAIN.T
    if found.shape == right.shape and bool(ops.isclose(found, right).all()):
        return None
    said = f"the products should be the rows of {right.tolist()}, and it gives {found.tolist()}."
    if found.shape == right.shape and bool(ops.isclose(found, _PLAIN @ _ROWS).all()):
        return f"{said} That is a @ x, which takes the *columns* of x for vectors."
    if found.shape == right.shape and bool(ops.isclose(found, right.T).all()):
        return f"{said} Each product is there, as a column: which dim counts the examples?"
    return f"{said} Each row of a should meet each example."


RULE = Task(
    "13.rule",
    "a batching rule for the product of a matrix and a vector",
    stub='''
class MatVec(gg.autograd.Function):
    """y = a @ x, for a matrix of shape (m, n) and a vector of shape (n,)."""

    @staticmethod
    def forward(a, x):
        return a @ x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass  # nobody asks for its gradient here

    @staticmethod
    def vmap(info, in_dims, a, x):
        """The products for all examples at once, and which dim of them counts the examples.

        in_dims holds two entries: which dim of a, and of x, counts the examples. An entry is None
        if the operand is the same for all of them.
        """
        ...  # your code
''',
    right=_MatVec,
    cases=[
        Case(
            "[[1, 2], [3, 4]] and two vectors, the rows of [[1, 0], [2, 1]]",
            _mapped((None, 0), _PLAIN, _ROWS),
            complains=_of_rows,
        ),
        Case(
            "one matrix of 2 × 3 numbers and four vectors, as rows",
            _mapped((None, 0), _counted(2, 3), _counted(4, 3)),
        ),
        Case("four matrices and one vector", _mapped((0, None), _counted(4, 2, 3), _counted(3))),
        Case("four matrices and four vectors", _mapped((0, 0), _counted(4, 2, 3), _counted(4, 3))),
        Case(
            "two matrices of 2 × 2 numbers and two vectors",
            _mapped((0, 0), _counted(2, 2, 2), _counted(2, 2)),
        ),
        Case(
            "one matrix and four vectors, as columns",
            _mapped((None, 1), _counted(2, 3), _counted(3, 4)),
        ),
        Case(
            "four matrices along the last dim, and four vectors",
            _mapped((2, 0), _counted(2, 3, 4), _counted(4, 3)),
        ),
    ],
    read="the rules named `vmap` in src/glassgrad/ops/matrices.py.",
)
