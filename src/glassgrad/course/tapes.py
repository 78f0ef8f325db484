"""A student's own tape, beside glassgrad's: `own_tape(tape, result, backward)`.

A tape is a list of values in the order in which they were computed. Each has `data`, the `parents`
it was computed from, and a `grad`, which the student's `backward` writes. These writes are watched
one by one, and told as a `Trace`, which can be drawn and played. glassgrad runs the same program
with its own rules; where the two differ first, the student's pass ends with a note.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

from glassgrad.autograd import grad
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import tensor
from glassgrad.tracing import Trace, record
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.summary import summarize
from glassgrad.values.dtypes import float64

from .diagnoses import words

ONE = ("sin", "cos", "exp", "tanh", "log", "sqrt", "relu", "neg")
STEPS: dict[int, tuple[Callable[..., Any], ...]] = {
    1: tuple(getattr(Tensor, name) for name in ONE),
    2: (Tensor.__mul__, Tensor.__add__, Tensor.__sub__, Tensor.__truediv__),
}
TOLD = ("apply", "buffer", "accumulate")  # what both passes do


@dataclass(frozen=True, slots=True, repr=False)
class OwnTape:
    """A pass over a student's tape, and glassgrad's over the same program.

    Attributes:
        own: the student's pass, up to the first step that differs.
        right: glassgrad's.
        differs: that step, in a sentence; empty if there is none.
    """

    own: Trace
    right: Trace
    differs: str

    def __bool__(self) -> bool:
        return not self.differs

    def __repr__(self) -> str:
        count = sum(event["type"] == "apply" for event in self.right.events)
        return self.differs or f"Step for step the same as glassgrad: {count} nodes had their turn."


def own_tape(tape: Sequence[Any], result: Any, backward: Callable[[Any], Any]) -> OwnTape:
    """Run `backward(result)` on a tape of the student's own, and watch it.

    Args:
        tape: the values, oldest first, with `data`, `parents` and `grad`.
        result: the one to begin at.
        backward: sets `grad` of every value on the tape.

    Returns:
        An `OwnTape`: print it, `gg.player(mine.own)` plays it, `gg.player(mine.right)` glassgrad's.

    Raises:
        ArgumentError: for a value that is computed by a step which glassgrad has no name for.
    """
    tensors = _computed_again(tape)
    tensors[id(result)].name = tensors[id(result)].name or "result"
    right = record(tensors[id(result)])
    for made in right.nodes:  # here, and not by a line of the student's
        made.pop("src", None)
    nodes = _nodes(right, result)
    events, arrays = _events(right, nodes, list(_handed(_watched(tape, result, backward))), result)
    place, differs, node = _first_difference(right, events, arrays.known)
    if differs:
        events = events[:place]
        note = {"type": "error", "error": "OtherThanGlassgrad", "message": differs}
        events.append(note | ({} if node is None else {"node": node}))
    numbered = [{"k": k} | event for k, event in enumerate(events)]
    return OwnTape(Trace(right.graph, arrays.known, numbered), right, differs)


def _computed_again(tape: Sequence[Any]) -> dict[int, Tensor]:
    """The tensors of the same program, by the identities of the values."""
    found: dict[int, Tensor] = {}
    letters = iter(ascii_lowercase)
    for number, value in enumerate(tape):
        parents = [found[id(parent)] for parent in value.parents]
        if parents:
            found[id(value)] = _step(number, value)(*parents)
            continue
        leaf = tensor(float(value.data), dtype=float64, requires_grad=True)
        leaf.name = getattr(value, "name", None) or next(letters, f"v{number}")
        found[id(value)] = leaf
    return found


def _step(number: int, value: Any) -> Callable[..., Tensor]:
    """The step that computes this value from its parents; of several, that with its slopes."""
    inputs = [
        tensor(float(parent.data), dtype=float64, requires_grad=True) for parent in value.parents
    ]
    results = [(step, step(*inputs)) for step in STEPS.get(len(inputs), ())]
    fitting = [
        (step, made)
        for step, made in results
        if math.isclose(made.item(), value.data, rel_tol=1e-6)
    ]
    if not fitting:
        data = ", ".join(words(parent.data) for parent in value.parents)
        raise ArgumentError(
            f"value {number} of the tape is {words(value.data)}, computed from {data}. That is no "
            "sum, product, difference or quotient, and no sin, cos, exp, tanh, log, sqrt, relu or "
            "neg of it. Check what the step returns, or leave it out of this comparison."
        )

    def misfit(pair: tuple[Callable[..., Tensor], Tensor]) -> float:
        slopes = [slope.item() for slope in grad(pair[1], inputs) if slope is not None]
        return float(np.abs(np.subtract(slopes, getattr(value, "slopes", slopes))).sum())

    return min(fitting, key=misfit)[0]


def _nodes(right: Trace, result: Any) -> dict[int, str]:
    """The node of each value that the result was computed from."""
    edges = {node["id"]: [edge["to"] for edge in node["edges"]] for node in right.nodes}
    found: dict[int, str] = {}
    reached = [(result, right.outputs[0]["node"])]
    for value, node in reached:  # which grows meanwhile
        if id(value) not in found:
            found[id(value)] = node
            reached += zip(value.parents, edges[node], strict=True)
    return found


# What the student's pass does --------------------------------------------------------------------


class Write(NamedTuple):
    """A gradient that was written: whose, which values' were read before it, and what became."""

    value: Any
    read: tuple[Any, ...]
    before: float
    after: float


def _watched(tape: Sequence[Any], result: Any, backward: Callable[[Any], Any]) -> list[Write]:
    """Every write to a gradient while `backward` runs."""
    kind = type(result)
    now = {id(value): value.grad for value in tape}
    read: list[Any] = []
    writes: list[Write] = []

    def get(value: Any) -> Any:
        read.append(value)
        return now[id(value)]

    def set_(value: Any, after: Any) -> None:
        before = now.get(id(value), 0.0)
        writes.append(Write(value, tuple(read), float(before or 0.0), float(after)))
        now[id(value)] = after
        read.clear()

    watched = type(kind.__name__, (kind,), {"grad": property(get, set_), "__slots__": ()})
    for value in tape:
        value.__class__ = watched
    try:
        backward(result)
    finally:
        for value in tape:
            value.__class__ = kind
            value.grad = now[id(value)]
    return writes


@dataclass(slots=True)
class Turn:
    """A value hands on: along each edge a part, with what its parent has then."""

    value: Any
    grad: float
    parts: dict[int, tuple[float, float]] = field(default_factory=dict)


def _handed(writes: Sequence[Write]) -> Iterator[Turn]:
    """The turns of the values, in their order."""
    turn: Turn | None = None
    has: dict[int, float] = {}
    for write in writes:
        givers = [value for value in write.read if any(write.value is p for p in value.parents)]
        giver = givers[-1] if givers else None
        if giver is None and turn is not None and write.before != write.after:
            giver = turn.value  # it was read once, for several edges
        has[id(write.value)] = write.after
        if giver is None or not any(write.value is parent for parent in giver.parents):
            continue
        if turn is None or turn.value is not giver or len(turn.parts) == len(giver.parents):
            if turn is not None:
                yield turn
            turn = Turn(giver, has.get(id(giver), 0.0))
        edge = next(
            edge
            for edge, parent in enumerate(giver.parents)
            if parent is write.value and edge not in turn.parts
        )
        is_added = any(value is write.value for value in write.read)
        part = write.after - write.before if is_added else write.after
        turn.parts[edge] = part, write.after
    if turn is not None:
        yield turn


@dataclass(slots=True)
class Numbers:
    """The arrays of a trace, each a number."""

    known: Entry

    def add(self, number: float) -> str:
        """The id of a number, new or known."""
        summary = summarize(np.asarray(number, np.float64))
        for name, other in self.known.items():
            if other == summary:
                return name
        name = f"a{len(self.known)}"
        self.known[name] = summary
        return name


def _events(
    right: Trace, nodes: dict[int, str], turns: Sequence[Turn], result: Any
) -> tuple[list[Entry], "Numbers"]:
    """The turns as a trace has them."""
    arrays = Numbers(dict(right.arrays))
    leaf_of = {leaf["acc"]: leaf["id"] for leaf in right.leaves}
    need: dict[str, int] = {}
    for each in right.nodes:
        for edge in each["edges"]:
            need[edge["to"]] = need.get(edge["to"], 0) + 1
    have = dict.fromkeys(need, 0)
    events: list[Entry] = [{"type": "ready", "node": nodes[id(result)]}]
    for turn in turns:
        node = nodes.get(id(turn.value))
        if node is None:
            continue  # the result was not computed from it: it hands on zeros
        sent = [turn.parts.get(edge, (None,))[0] for edge in range(len(turn.value.parents))]
        out = [None if part is None else arrays.add(part) for part in sent]
        given = arrays.add(turn.grad)
        events.append({"type": "apply", "node": node, "grad_in": [given], "grad_out": out})
        complete = []
        for edge, (_, total) in sorted(turn.parts.items()):
            to = nodes[id(turn.value.parents[edge])]
            have[to] += 1
            name, now = f"e{node[1:]}-{edge}", arrays.add(total)
            count = {"slot": 0, "have": have[to], "need": need[to], "edge": name}
            events.append({"type": "buffer", "node": to} | count | {"grad": now})
            if have[to] == need[to]:
                events.append({"type": "ready", "node": to})
                complete += [(to, now)] if to in leaf_of else []
        for to, now in sorted(complete, key=lambda pair: int(pair[0][1:])):
            events.append({"type": "accumulate", "tensor": leaf_of[to], "grad": now})
    return events, arrays


# Beside glassgrad's ------------------------------------------------------------------------------


class Step(NamedTuple):
    """What can be compared of an event: which node does what, with which numbers."""

    place: int
    node: str
    does: str
    numbers: tuple[float | None, ...]


def _steps(events: Sequence[Entry], arrays: Entry, leaves: Sequence[Entry]) -> Iterator[Step]:
    acc = {leaf["id"]: leaf["acc"] for leaf in leaves}
    for place, event in enumerate(events):
        for key, does in DOES.items():
            if event["type"] in TOLD and key in event:
                several = event[key] if isinstance(event[key], list) else [event[key]]
                numbers = (None if name is None else arrays[name]["head"][0] for name in several)
                node = event["node"] if "node" in event else acc[event["tensor"]]
                yield Step(place, node, does, tuple(numbers))


def _first_difference(
    right: Trace, events: Sequence[Entry], arrays: Entry
) -> tuple[int, str, str | None]:
    """Behind how many events the first difference is, what it is, and at which node."""
    ours = list(_steps(events, arrays, right.leaves))
    theirs = list(_steps(right.events, right.arrays, right.leaves))
    who = {node["id"]: f"{node['op']} ({node['id']})" for node in right.nodes}
    who |= {each["acc"]: f"`{each['name']}`" for each in right.leaves}
    if not ours:
        return len(events), UNSEEN, None
    handed: tuple[float | None, ...] = ()
    for own, other in zip(ours, theirs, strict=False):
        if (own.node, own.does) != (other.node, other.does):
            said = f"It is the turn of {who[own.node]} here, and in glassgrad of {who[other.node]}."
            return own.place + 1, said, own.node
        for found, expected in zip(own.numbers, other.numbers, strict=True):
            if not _is_near(found, expected):
                said = f"{who[own.node]} {own.does} {words(found)}, and in glassgrad"
                lost = LOST if own.does == DOES["grad"] and found in handed else ""
                return own.place + 1, f"{said} {words(expected)}{lost}.", own.node
        handed = own.numbers if own.does == DOES["grad_out"] else handed
    if len(ours) > len(theirs):
        more = ours[len(theirs)]
        return more.place + 1, f"{who[more.node]} has a turn more than in glassgrad.", more.node
    if len(ours) < len(theirs):
        node = theirs[len(ours)].node
        return len(events), f"Here it ends; in glassgrad {who[node]} follows.", node
    return len(events), "", None


DOES = {"grad_in": "begins its turn with", "grad_out": "hands on", "grad": "now has"}
LOST = ": that is just what it was handed last, and what had arrived before is lost"
UNSEEN = (
    "No value's gradient was read while it ran. What can be followed is a backward that computes "
    "`parent.grad` from `value.grad`."
)


def _is_near(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-5, abs_tol=1e-9)
