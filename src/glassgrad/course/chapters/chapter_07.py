"""Chapter 7, inside the engine: the order of nine nodes, a gradient replaced, bytes held."""

from itertools import accumulate

from glassgrad.course.task import Case, Mistake, Task, value
from glassgrad.ops.creation import tensor
from glassgrad.tracing import record, step

# The order of nine nodes -------------------------------------------------------------------------


def _puzzle_order():
    a, b = tensor(0.3, requires_grad=True), tensor(2.0, requires_grad=True)
    u = a.exp()
    v = a.sin()
    product = u * b
    total = v + product
    difference = u - total
    trace = record(difference.tanh().cos())
    ops = {node["id"]: node["op"] for node in trace.nodes}
    return [ops[node] for node in trace.schedule()]


_BEGIN = ["CosBackward0", "TanhBackward0", "SubBackward0"]
_LEAF, _MUL, _SIN, _EXP = "AccumulateGrad", "MulBackward0", "SinBackward0", "ExpBackward0"

ORDER = Task(
    "07.order",
    "the order of nine nodes",
    stub="""
prediction = ["CosBackward0"]  # … and then? your code
""",
    cases=[value(_puzzle_order(), given="your order")],
    mistakes=[
        Mistake(
            [*_BEGIN, _EXP, "AddBackward0", _MUL, _LEAF, _SIN, _LEAF],
            "The exponential runs before it has everything. How many arrows lead into its box?",
        ),
        Mistake(
            [*_BEGIN, "AddBackward0", _MUL, _SIN, _EXP, _LEAF, _LEAF],
            "The order of the others is right. Does each AccumulateGrad have to wait so long? What "
            "number does it have, and what does that mean once it is ready?",
        ),
        Mistake(
            [*_BEGIN, "AddBackward0", _SIN, _MUL, _LEAF, _EXP, _LEAF],
            "Behind the sum two nodes are ready, and the newest goes first. Which of the two did "
            "the program compute last?",
        ),
    ],
    read="the note [Edges point to older nodes] in src/glassgrad/core/graph.py.",
)

# A gradient replaced -----------------------------------------------------------------------------


def _what_if(program):
    """`a.grad` after a pass in which the gradient of the middle is [1, -1]."""

    def run(answer):
        a = tensor([1.0, 2.0], requires_grad=True)
        loss, middle = program(a)
        answer(loss, middle, tensor([1.0, -1.0]))
        return a.grad

    return run


def _chain(a):
    middle = a * 3
    return (middle * middle).sum(), middle


def _around(a):
    middle = a * 3
    return (middle * middle + a).sum(), middle


def _used_twice(a):
    middle = a * 3
    return (middle.exp() + middle * a).sum(), middle


def _unchanged(loss, middle, gradient):
    with step(loss) as session:
        session.run()


def _unfinished(loss, middle, gradient):
    with step(loss) as session:
        session.run_until(middle)
        session.set_gradient(middle, gradient)


def _added(loss, middle, gradient):
    with step(loss) as session:
        session.run_until(middle)
        session.set_gradient(middle, session.arrived[0] + gradient)
        session.run()


WHAT_IF = Task(
    "07.what-if",
    "a pass with another gradient",
    stub='''
def backward_with(loss, tensor, gradient):
    """Run the backward pass of `loss` as if the gradient of `tensor` were `gradient`."""
    with gg.step(loss) as session:
        session.run()  # your code: nothing is replaced yet
''',
    cases=[
        Case(f"a.grad of {given} with [1, -1] for the gradient of 3a", _what_if(program), expects)
        for given, program, expects in (
            ("Σ (3a)²", _chain, tensor([3.0, -3.0])),
            ("Σ (3a)² + a", _around, tensor([4.0, -2.0])),
            ("Σ exp(3a) + 3a·a", _used_twice, tensor([6.0, 3.0])),
        )
    ],
    mistakes=[
        Mistake(_unchanged, "It is what a plain backward() gives: nothing was replaced."),
        Mistake(
            _unfinished,
            "There is no a.grad: the pass did not come to its end. Leaving the `with` block ends "
            "it wherever it is.",
        ),
        Mistake(_added, "The new gradient was added to the one that had arrived."),
    ],
    read="Session.set_gradient in src/glassgrad/tracing/session.py.",
)

# Bytes held --------------------------------------------------------------------------------------


def _freed(trace):
    return [event["bytes"] if event["type"] == "free_saved" else 0 for event in trace.events]


def _held(trace):
    return [sum(_freed(trace)) - gone for gone in accumulate(_freed(trace))]


def _before_each(trace):
    return [now + freed for now, freed in zip(_held(trace), _freed(trace), strict=True)]


def _gone(trace):
    return list(accumulate(_freed(trace)))


def _where_freed(trace):
    return [now for now, freed in zip(_held(trace), _freed(trace), strict=True) if freed]


def _of_log(program):
    def run(answer):
        return answer(record(program(tensor([1.0, 2.0], requires_grad=True)).sum()))

    return run


HELD = Task(
    "07.held",
    "the bytes that are held, event by event",
    stub='''
def held(trace):
    """Bytes held after each event of a trace: a list as long as `trace.events`."""
    ...  # your code
''',
    right=_held,
    cases=[
        Case("held of the log of Σ a + a", _of_log(lambda a: a + a)),
        Case("held of the log of Σ exp(a)", _of_log(lambda a: a.exp())),
        Case("held of the log of Σ tanh(sin(a)·a)", _of_log(lambda a: (a.sin() * a).tanh())),
    ],
    mistakes=[
        Mistake(
            _before_each,
            "This is what is held *before* each event. Which comes first: to "
            "take off what the event frees, or to write down what is held?",
        ),
        Mistake(
            _gone,
            "This is what has been let go of so far, and grows. What is held is the rest of it.",
        ),
        Mistake(
            _where_freed,
            "There is a number for each event that frees something. Also of the "
            "others it can be said how much is held after them.",
        ),
    ],
    read="Held in src/glassgrad/tracing/held.py, which counts each piece of memory once.",
)
