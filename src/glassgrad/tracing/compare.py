"""`compare(a, b)`: what differs between two traces, in structure and in numbers."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glassgrad.core.errors import ArgumentError, ArgumentTypeError

from .events import Trace
from .graph import Entry, Ids, plain
from .matching import Cut, Matching, Side
from .summary import ArrayId, head_in_words


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Attributes:
        kind: "other op", "only in a", "only in b", "detached", "no AccumulateGrad", "other edge",
            "other shape", "other hooks", "other value", "other order", "other gradient" or
            "other .grad".
        text: what it is, in one line.
        a, b: the nodes it is about, one in each trace; None where there is none.
        arrays: of "other value", "other gradient" and "other .grad", the arrays that differ, one in
            each trace.
    """

    kind: str
    text: str
    a: str | None = None
    b: str | None = None
    arrays: tuple[ArrayId, ArrayId] = (None, None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `compare` found. Its text is the report; it is true if nothing differs.

    Attributes:
        a, b: the traces.
        pairs: the nodes of `a`, each with the node of `b` that stands in its place.
        differences: structure first, then values, then gradients in the order of the pass.
    """

    a: Trace
    b: Trace
    pairs: Ids
    differences: tuple[Difference, ...]

    def __bool__(self) -> bool:
        return not self.differences

    def of_kind(self, kind: str) -> list[Difference]:
        """The differences of one kind."""
        return [difference for difference in self.differences if difference.kind == kind]

    def marks(self) -> dict[str, dict[str, str]]:
        """For a picture: by trace ("a", "b") and node, the kind of its first difference."""
        marks: dict[str, dict[str, str]] = {"a": {}, "b": {}}
        for difference in self.differences:
            for side, node in (("a", difference.a), ("b", difference.b)):
                if node is not None:
                    marks[side].setdefault(node, difference.kind)
        return marks

    def __str__(self) -> str:
        sizes = f"a: {self.a!r}\nb: {self.b!r}"
        if self:
            return f"the same in structure and values\n{sizes}"
        count = len(self.differences)
        lines = [f"{count} difference{'s' if count > 1 else ''}", sizes]
        lines += [f"{found.kind:<17} {found.text}" for found in self.differences]
        return "\n".join(lines)


def compare(a: Trace, b: Trace, *, rtol: float = 1e-5) -> Comparison:
    """Say what differs between two traces.

    Nodes are matched by the paths that lead to them from the outputs, so a node that one of the
    programs has in addition is named, and what is behind it still compared.

    Args:
        a, b: what `record` or `snapshot` returned. Gradients are compared if both were recorded.
        rtol: how far two numbers may differ, relative to the larger; the log has six digits.

    Returns:
        A Comparison: print it, draw it (`gg.draw(comparison)`), or ask `if compare(a, b): …`
        whether nothing differs.

    Raises:
        ArgumentTypeError: if one of them is no Trace.
        DataError: for a `Trace` that was made by hand and is not sound; the message says where.
        ArgumentError: if `rtol` is negative or nan.

    Example:
        >>> def run(f):
        ...     x = tensor([1.0, 2.0], requires_grad=True)
        ...     return record(f(x).sum())
        >>> found = compare(run(lambda x: x * x), run(lambda x: x * x.detach()))
        >>> [difference.kind for difference in found.differences]
        ['no AccumulateGrad', 'other .grad']
        >>> found.differences[0].text.partition(" (")[0]
        'edge 1 of n1 MulBackward0 leads to n0 AccumulateGrad in a, nowhere in b'
    """
    for trace in (a, b):
        if isinstance(trace, Trace):
            trace.check("compare")
        else:
            raise ArgumentTypeError(
                f"compare() was given a {type(trace).__name__}. It compares what two passes did. "
                "Write `compare(record(loss), record(other_loss))`, or load files by `Trace.load`."
            )
    if not rtol >= 0:
        raise ArgumentError(
            f"rtol must be at least 0, got {rtol!r}. It is how far two numbers may differ. "
            "Write `rtol=1e-5`."
        )
    found = _Findings(a, b, rtol)
    return Comparison(a, b, found.pairs, tuple(found.all()))


def _beside(said: Sequence[str]) -> str:
    return f"{said[0]} in a, {said[1]} in b"


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


class _Findings(Matching):
    """What differs between two traces whose nodes are matched."""

    def __init__(self, a: Trace, b: Trace, rtol: float) -> None:
        super().__init__(a, b)
        self.rtol = rtol
        self.alone = {side: dict.fromkeys(side.alone) for side in (self.a, self.b)}
        self.cut = {(cut.a, cut.position) for cut in self.cuts}  # told as such
        self.ran = set(self.a.trace.schedule())
        self.shapes = {id: node.get("shape") for id, node in self.a.nodes.items()}
        self.shapes |= {leaf["acc"]: leaf["shape"] for leaf in self.a.trace.leaves}

    def all(self) -> Iterator[Difference]:
        """Structure first, then values, then gradients in the order of the pass."""
        for pair in self.pairs.items():
            yield from self._in_pair(*pair)
        told: set[tuple[Side, str]] = set()
        for cut in self.cuts:
            yield self._of_cut(cut, told)
        for side, letter in ((self.a, "a"), (self.b, "b")):
            for name in self.alone[side]:
                if (side, name) not in told:
                    text = side.title(name) + _in_brackets(side.line(name))
                    ids = (name, None) if side is self.a else (None, name)
                    yield Difference(f"only in {letter}", text, *ids)
        yield from self._values()
        if self.a.trace.events and self.b.trace.events:
            yield from self._order()
            yield from self._gradients()

    # In structure -------------------------------------------------------------------------------

    def _in_pair(self, first: str, second: str) -> Iterator[Difference]:
        """What differs between two nodes that belong together."""
        title, nodes = self.a.title(first), (self.a.nodes[first], self.b.nodes[second])
        if nodes[0]["op"] != nodes[1]["op"]:
            line = _in_brackets(self.a.line(first))
            text = f"{title} in a is {self.b.title(second)} in b{line}"
            yield Difference("other op", text, first, second)
        forms = [
            f"{node['dtype']} {node.get('shape')}" if "dtype" in node else "" for node in nodes
        ]
        if all(forms) and forms[0] != forms[1]:
            yield Difference("other shape", f"{title}: {_beside(forms)}", first, second)
        hooks = [", ".join(map(_hook, node.get("hooks", ()))) or "none" for node in nodes]
        if hooks[0] != hooks[1]:
            yield Difference("other hooks", f"{title}: {_beside(hooks)}", first, second)

    def _of_cut(self, cut: Cut, told: set[tuple[Side, str]]) -> Difference:
        """An edge that leads elsewhere; what hangs on it alone is `told` with it."""
        lines = self.a.line(cut.a), self.b.line(cut.b)
        where = _beside(lines) if all(lines) and lines[0] != lines[1] else lines[0] or lines[1]
        goals = [(self.a, cut.to_a), (self.b, cut.to_b)]
        known = [(side, goal) for side, goal in goals if goal is not None]
        ends = [f"to {side.title(goal)}" if goal else "nowhere" for side, goal in goals]
        text = f"edge {cut.position} of {self.a.title(cut.a)} leads {_beside(ends)}"
        text += _in_brackets(where)
        if len(known) == 2:
            return Difference("other edge", text, cut.a, cut.b)
        ((side, goal),) = known
        lost = self._behind(side, goal)
        told |= {(side, name) for name in lost}
        if side.op(goal) == "AccumulateGrad":
            return Difference("no AccumulateGrad", text, cut.a, cut.b)
        if lost:
            nodes = "1 node is" if len(lost) == 1 else f"{len(lost)} nodes behind it are"
            text += f"; {nodes} missing there"
        return Difference("detached", text, cut.a, cut.b)

    def _behind(self, side: Side, start: str) -> list[str]:
        """The nodes without partner that are reached from `start` through others without."""
        alone = self.alone[side]
        reached = [start] if start in alone else []
        for name in reached:  # which grows meanwhile
            reached += [to for to in side.below(name) if to in alone and to not in reached]
        return reached

    # In numbers ---------------------------------------------------------------------------------

    def _values(self) -> Iterator[Difference]:
        """The leaves and outputs that have other values."""
        leaves = {leaf["acc"]: leaf for leaf in self.b.trace.leaves}
        tensors = [
            (self.a.title(leaf["acc"]), leaf["acc"], leaf, other)
            for leaf in self.a.trace.leaves
            if (other := leaves.get(self.pairs.get(leaf["acc"], "")))
        ]
        outputs = zip(self.a.trace.outputs, self.b.trace.outputs, strict=False)
        tensors += [(f"output {one['id']}", one["node"], one, other) for one, other in outputs]
        for title, node, one, other in tensors:
            yield from self._apart("value", title, node, one.get("array"), other.get("array"))

    def _apart(
        self, what: str, title: str, node: str, first: ArrayId, second: ArrayId
    ) -> Iterator[Difference]:
        if not self._are_equal(first, second):
            text = f"{title}: {self._said(first, second)}"
            pair = first, second
            yield Difference(f"other {what}", text, node, self.pairs.get(node), pair)

    def _said(self, first: ArrayId, second: ArrayId) -> str:
        return _beside([_seen(self.a.trace, first), _seen(self.b.trace, second)])

    def _order(self) -> Iterator[Difference]:
        """The first node of the schedule at which the orders part."""
        ran = set(self.b.trace.schedule())
        order_a = [name for name in self.a.trace.schedule() if self.a.partner.get(name) in ran]
        partners = [self.b.partner.get(name) for name in self.b.trace.schedule()]
        order_b = [name for name in partners if name in self.ran]
        for turn, (first, second) in enumerate(zip(order_a, order_b, strict=True), start=1):
            if first != second and second is not None:
                other = self.pairs[second]
                text = f"of the nodes in both, number {turn} to run is {self.a.title(first)} in a"
                text += f", {self.b.title(other)} in b"
                yield Difference("other order", text, first, other)
                return

    def _gradients(self) -> Iterator[Difference]:
        """The first node whose gradients differ, then every leaf's .grad that does."""
        applied = {event["node"]: event for event in _rules(self.b.trace)}
        for event in _rules(self.a.trace):
            other = applied.get(self.pairs.get(event["node"], ""))
            if other is not None and (found := self._of_rule(event, other)):
                yield found
                break
        grads = [_grads(trace) for trace in (self.a.trace, self.b.trace)]
        for first, second in self.pairs.items():
            if first in grads[0] and second in grads[1]:
                arrays = grads[0][first], grads[1][second]
                yield from self._apart(".grad", self.a.title(first), first, *arrays)

    def _of_rule(self, one: Entry, other: Entry) -> Difference | None:
        """What differs where a node ran: what it was given, or else what it made of that."""
        for side, verb in (("grad_in", "is given"), ("grad_out", "makes of the same gradient")):
            for place, pair in enumerate(zip(one[side], other[side], strict=False)):
                is_told = side == "grad_out" and self._is_told(one["node"], place, *pair)
                if not is_told and not self._are_equal(*pair):
                    where = f" (at {place})" if len(one[side]) > 1 else ""
                    title = self.a.title(one["node"])
                    text = f"first at {title}, which {verb}{where} {self._said(*pair)}"
                    return Difference("other gradient", text, one["node"], other["node"], pair)
        return None

    def _is_told(self, node: str, place: int, first: ArrayId, second: ArrayId) -> bool:
        """Whether what a rule returned need not be equal.

        The edge leads elsewhere, and that is told, or nowhere; or the gradient of a broadcast is
        still to be summed in one of the traces: PyTorch's rules do that, here the engine does.
        """
        edges = self.a.nodes[node]["edges"]
        goal = edges[place] if place < len(edges) else {"to": None}
        if goal["to"] is None or (node, place) in self.cut:
            return True
        if first is None or second is None:
            return goal["to"] not in self.ran  # a pass for some inputs: nobody asked for it
        shapes = [self.a.trace.arrays[first]["shape"], self.b.trace.arrays[second]["shape"]]
        wanted = goal.get("sum_to", self.shapes.get(goal["to"]))
        return wanted in shapes and shapes[0] != shapes[1]

    def _are_equal(self, first: ArrayId, second: ArrayId) -> bool:
        if first is None or second is None:
            return first is second
        arrays = self.a.trace.arrays[first], self.b.trace.arrays[second]
        one, other = arrays
        if any((one.get(field) or 0) != (other.get(field) or 0) for field in _COUNTS):
            return False
        scale = max(abs(x["norm"]) if _is_number(x["norm"]) else 0.0 for x in arrays)
        pairs = [(one[field], other[field]) for field in ("norm", "min", "max")]
        for field in ("head", "values"):
            pairs += zip(one.get(field, ()), other.get(field, ()), strict=False)
        return all(self._is_near(*pair, scale) for pair in pairs)

    def _is_near(self, first: Any, second: Any, scale: float) -> bool:
        if first == second or not _is_number(first) or not _is_number(second):
            return bool(first == second)
        # Relative to the whole array too: sums in another order leave dust where 0 was.
        dust = self.rtol * 0.01 * scale
        return math.isclose(first, second, rel_tol=self.rtol, abs_tol=dust)


_COUNTS = ("shape", "nan", "inf")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _rules(trace: Trace) -> Iterator[Entry]:
    """The events in which a rule ran."""
    return (event for event in trace.events if event["type"] == "apply")


def _grads(trace: Trace) -> dict[str, ArrayId]:
    """The .grad of each leaf at the end, by its AccumulateGrad."""
    grads = trace.grads()
    return {leaf["acc"]: grads[leaf["id"]] for leaf in trace.leaves if leaf["id"] in grads}


def _hook(entry: Entry) -> str:
    return f"{entry['kind']} {plain(repr(entry.get('name', 'hook')))}"


def _seen(trace: Trace, name: ArrayId) -> str:
    if name is None:
        return "no gradient"
    array = trace.arrays[name]
    return f"{head_in_words(array)} (norm {array['norm']})"
