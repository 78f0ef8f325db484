"""Chapter 2, the chain rule: what edges multiply by, sums over paths, a neuron by hand."""

import math
from numbers import Real

from glassgrad.autograd import grad
from glassgrad.core.tensor import Tensor
from glassgrad.course.task import Case, Mistake, Task, call
from glassgrad.ops.creation import tensor
from glassgrad.values.dtypes import float64

# Ten edges ---------------------------------------------------------------------------------------

HINTS = {  # of each edge: its factor, and where to look
    "a → u": (7.0, "If a grows by a bit, u grows by that bit times what a is multiplied by."),
    "b → u": (8.0, "In a product it is the other factor: for b, look at a, not at b."),
    "b → v": (1.0, "If b grows by a bit and c stays, by how much does b − c grow?"),
    "c → v": (-1.0, "The more is taken away, the smaller v becomes. The number has a sign."),
    "u → w": (0.25, "w is u divided by v. To divide by 4 is to multiply by what?"),
    "v → w": (
        -3.5,
        "More v makes less w: the sign. For the size, look up the second edge of a quotient.",
    ),
    "v → s": (8.0, "A square is v · v, a product of v with itself: two equal parts, added."),
    "w → p": (16.0, "In a product it is the other factor: what is w multiplied by in p?"),
    "s → p": (14.0, "In a product it is the other factor: what is s multiplied by in p?"),
    "p → loss": (0.1, "Ten bits more of p are one bit more of the loss."),
}
VALUES = {"u": 56.0, "v": 4.0, "w": 14.0, "s": 16.0, "p": 224.0, "loss": 22.4}


def _itself(answer):
    return answer


def _judged(edge):
    factor, hint = HINTS[edge]
    end = edge.split()[-1]

    def complain(answer):
        said = answer.get(edge, ...)
        said = said.item() if isinstance(said, Tensor) and said.numel() == 1 else said
        if said is ...:
            return "there is no number yet. Look up the box in the table; put in its numbers."
        if not isinstance(said, Real):
            return f"it is {said!r}, which is no number."
        if math.isclose(said, factor, rel_tol=1e-3):
            return None
        if math.isclose(said, -factor):
            return f"{said:g} has the right size, and the wrong sign. {hint}"
        if math.isclose(said, VALUES[end]):
            return f"{said:g} is the number in the box {end}, not how it changes. {hint}"
        return f"it is not {said:g}. {hint}"

    return complain


EDGES = Task(
    "02.edges",
    "what each of ten edges multiplies by",
    stub="""
edges = {
    "a → u": ...,  # u = a * b
    "b → u": ...,
    "b → v": ...,  # v = b - c
    "c → v": ...,
    "u → w": ...,  # w = u / v
    "v → w": ...,
    "v → s": ...,  # s = v ** 2
    "w → p": ...,  # p = w * s
    "s → p": ...,
    "p → loss": ...,  # loss = p / 10
}
""",
    cases=[Case(f"the edge {edge}", _itself, complains=_judged(edge)) for edge in HINTS],
    read="the first lines of the classes in src/glassgrad/ops/arithmetic.py: a rule for each box.",
)

# All paths ---------------------------------------------------------------------------------------

_CHAIN = [("a", "u", 3.0), ("u", "loss", 5.0)]
_DIAMOND = [("a", "u", 1.0), ("u", "loss", 6.0), ("a", "v", 2.0), ("v", "loss", 4.0)]
_BEHIND_IT = [("loss", "m", 2.0), ("m", "end", 3.0), ("loss", "n", -1.0), ("n", "end", 4.0)]


def _all_multiplied(edges, start, end):
    return math.prod(factor for _, _, factor in edges)


def _added_along(edges, start, end):
    if start == end:
        return 0.0
    return sum(f + _added_along(edges, to, end) for at, to, f in edges if at == start)


PATHS = Task(
    "02.paths",
    "the sum over all paths",
    stub='''
def total(edges, start, end):
    """How much the box `end` changes with the box `start`: over all paths, added up.

    Each edge is (from, to, factor). They stand in any order. Without a path it is 0.
    """
    ...  # your code
''',
    cases=[
        call([("a", "u", 3.0)], "a", "u", expects=3.0),
        call(_CHAIN, "a", "loss", expects=15.0),
        call(_CHAIN, "u", "loss", expects=5.0),
        call(_CHAIN, "loss", "a", expects=0.0),
        call([("a", "s", 3.0), ("a", "s", 4.0)], "a", "s", expects=7.0, parts=(3.0, 4.0)),
        call(_DIAMOND, "a", "loss", expects=14.0, parts=(6.0, 8.0)),
        call([*_BEHIND_IT, *_DIAMOND], "a", "end", expects=28.0, given="total of two diamonds"),
    ],
    mistakes=[
        Mistake(
            _all_multiplied,
            "All edges were multiplied, also those that lie on no path from start to end, or on "
            "another one. Which edges leave the box `start`?",
        ),
        Mistake(
            _added_along,
            "The factors of one path were added. A nudge that is tripled, then taken five times, "
            "is how many times as large?",
        ),
    ],
    read="the line `buffers[node] = have + grad` of src/glassgrad/core/engine.py.",
)

# A neuron ----------------------------------------------------------------------------------------


def _by_autograd(w, x, b, target):
    inputs = [tensor(value, dtype=float64, requires_grad=True) for value in (w, x, b)]
    w, x, b = inputs
    loss = ((w * x + b).tanh() - target) ** 2
    return tuple(slope.item() for slope in grad(loss, inputs))


def _without_tanh(w, x, b, target):
    error = math.tanh(w * x + b) - target
    return 2 * error * x, 2 * error * w, 2 * error


def _tanh_at_the_sum(w, x, b, target):
    z = w * x + b
    into_z = 2 * (math.tanh(z) - target) * (1 - z * z)
    return into_z * x, into_z * w, into_z


def _other_way_round(w, x, b, target):
    return _by_autograd(x, w, b, target)


NEURON = Task(
    "02.neuron",
    "the slopes of a neuron, by hand",
    stub='''
def neuron_slopes(w, x, b, target):
    """The slopes of (tanh(w·x + b) − target)² along w, x and b: three numbers."""
    ...  # your code
''',
    right=_by_autograd,
    cases=[call(0.5, 3.0, -1.5, 2.0), call(0.5, 3.0, -1.0, 2.0), call(-0.25, 2.0, 1.0, -0.5)],
    mistakes=[
        Mistake(
            _without_tanh,
            "It is right where z is 0, and wrong elsewhere: each path leads through the box tanh, "
            "and the edge into that box multiplies, too.",
        ),
        Mistake(
            _tanh_at_the_sum,
            "The edge into tanh is 1 − y², and y is what comes out of that box, not what goes in.",
        ),
        Mistake(
            _other_way_round,
            "The slopes of w and x have changed places. From w into the product, the edge "
            "multiplies by the other factor.",
        ),
    ],
    read="TanhBackward0",
)
