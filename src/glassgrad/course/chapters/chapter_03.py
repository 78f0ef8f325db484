"""Chapter 3, build a tape: an order to predict, a diamond, a chain too deep for recursion."""

import math

from glassgrad.course.task import Case, Mistake, Task, kind, value
from glassgrad.ops.creation import tensor
from glassgrad.tracing import record

MOST_VISITS = 20

# The order of nodes ------------------------------------------------------------------------------


def _puzzle_order():
    a, b = tensor(0.3, requires_grad=True), tensor(2.0, requires_grad=True)
    u = a.exp()
    v = a * b
    trace = record((u + v).sin())
    ops = {node["id"]: node["op"] for node in trace.nodes}
    return [ops[node] for node in trace.schedule()]


ORDER = Task(
    "03.order",
    "the order in which nodes run",
    stub="""
prediction = ["SinBackward0"]  # … and then? your code
""",
    cases=[value(_puzzle_order(), given="your order")],
    mistakes=[
        Mistake(
            [
                "SinBackward0",
                "AddBackward0",
                "ExpBackward0",
                "MulBackward0",
                *["AccumulateGrad"] * 2,
            ],
            "The two AccumulateGrad do not wait for the end, and of two nodes that are ready the "
            "newest runs first. Which is newer, the product or the exponential?",
        ),
    ],
    read="the note [Edges point to older nodes] in src/glassgrad/core/graph.py.",
)

# Values without a tape ---------------------------------------------------------------------------


class _Value:
    """A number that knows its parents and slopes; it counts how often it is asked for these."""

    def __init__(self, data, parents=(), slopes=()):
        self.data, self.parents, self._slopes = data, parents, slopes
        self.grad = 0.0
        self.visits = 0

    @property
    def slopes(self):
        self.visits += 1
        if self.visits > MOST_VISITS:
            raise RuntimeError(
                f"the value {self.data:g} was visited more than {MOST_VISITS} times: once for "
                "each path that leads to it, in place of once when all its parts have arrived"
            )
        return self._slopes

    def __repr__(self):
        return f"Value({self.data:.4g})"


def _times(a, b):
    return _Value(a.data * b.data, (a, b), (b.data, a.data))


def _plus(a, b):
    return _Value(a.data + b.data, (a, b), (1.0, 1.0))


def _sine(a):
    return _Value(math.sin(a.data), (a,), (math.cos(a.data),))


def _itself(a):
    return a


def _squared(a):
    return _times(a, a)


def _lopsided(a):
    return _plus(_plus(_times(a, a), _sine(_sine(a))), a)


def _doubled(times):
    def program(a):
        for _ in range(times):
            a = _plus(a, a)
        return a

    return program


def _gradient(program):
    """What an answer makes of a program of one input, 3."""

    def run(answer):
        a = _Value(3.0)
        answer(program(a))
        return a.grad

    return run


_SINES = math.cos(3.0) * math.cos(math.sin(3.0))

DIAMOND = Task(
    "03.diamond",
    "a backward without a tape",
    stub='''
def backward(result):
    """Set `.grad` of `result`, and of all values that it was computed from. There is no tape.

    A value has `.parents`, the `.slopes` along them, and a `.grad` that is 0.0 at first.
    """
    ...  # your code
''',
    cases=[
        Case("a.grad of a, at 3,", _gradient(_itself), 1.0),
        Case("a.grad of sin(a), at 3,", _gradient(_sine), math.cos(3.0)),
        Case("a.grad of a·a, at 3,", _gradient(_squared), 6.0, parts=(3.0, 3.0)),
        Case(
            "a.grad of (a·a + sin(sin(a))) + a, at 3,",
            _gradient(_lopsided),
            7.0 + _SINES,
            parts=(6.0, _SINES, 1.0),
        ),
        Case("a.grad of a doubled 7 times", _gradient(_doubled(7)), 128.0),
    ],
    read="backward() of this chapter; class Schedule in src/glassgrad/core/engine.py.",
)

# A deep chain ------------------------------------------------------------------------------------


def _complaint(values, result):
    """What is wrong with an order: a value too many, missing, or before one that uses it."""
    if not isinstance(values, (list, tuple)):
        return f"it returns {kind(values)}, and should return a list of values."
    known = {id(each): place for place, each in enumerate(values)}
    if len(known) != len(values):
        return "a value is in the list more than once: who has been seen need not be seen again."
    reached, seen = [result], {id(result)}
    for each in reached:  # which grows meanwhile
        if id(each) not in known:
            return f"{each!r} is missing."
        for parent in each.parents:
            if known.get(id(parent), len(known)) < known[id(each)]:
                return (
                    f"{parent!r} stands before {each!r}, which was computed from it and has yet "
                    "to hand it a part. When is a value ready?"
                )
            if id(parent) not in seen:
                seen.add(id(parent))
                reached.append(parent)
    return None if len(values) == len(reached) else "there are values that do not belong to it."


def _ordered(program):
    def run(answer):
        result = program(_Value(1.0))
        return answer(result), result

    return run


def _judged(pair):
    return _complaint(*pair)


def _chain(a):
    for _ in range(5_000):
        a = _Value(a.data, (a,), (1.0,))
    return a


DEEP = Task(
    "03.deep",
    "an order for a chain of 5,000 steps",
    stub='''
def order(result):
    """All values that `result` was computed from, and itself: each before its parents.

    A value has `.parents`. A chain may be 5,000 values long.
    """
    ...  # your code
''',
    cases=[
        Case("a alone", _ordered(_itself), complains=_judged),
        Case("sin(a)", _ordered(_sine), complains=_judged),
        Case("a·a", _ordered(_squared), complains=_judged),
        Case("(a·a + sin(sin(a))) + a", _ordered(_lopsided), complains=_judged),
        Case("a doubled 7 times", _ordered(_doubled(7)), complains=_judged),
        Case("a chain of 5,000 values", _ordered(_chain), complains=_judged),
    ],
    read="the note [Edges point to older nodes] in src/glassgrad/core/graph.py: a sort is enough.",
)
