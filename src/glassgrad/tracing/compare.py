"""`compare(a, b)`: what differs between two traces, in structure and in numbers."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from glassgrad.core.errors import ArgumentError, ArgumentTypeError

from .events import Trace
from .matching import Cut, Matching, match

__all__ = ["Comparison", "Difference", "compare"]

LONGEST = 60  # characters shown of a name that a user gave, or of a line


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Attributes:
        kind: "other op", "only in a", "only in b", "detached", "no AccumulateGrad", "other edge",
            "other shape", "other hooks", "other value", "other order", "other gradient" or
            "other .grad".
        text: what it is, in one line.
        a, b: the nodes it is about, one in each trace; None where there is none.
        arrays: of an "other gradient", the arrays that differ, one in each trace.
    """

    kind: str
    text: str
    a: str | None = None
    b: str | None = None
    arrays: tuple[str | None, str | None] = (None, None)


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
    pairs: dict[str, str]
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
    found = match(a, b)
    differences = (*_Structure(a, b, found).all(), *_Values(a, b, found, rtol).all())
    return Comparison(a, b, found.pairs, differences)


def _titles(trace: Trace) -> dict[str, str]:
    """How nodes are spoken of: id and op, and of an AccumulateGrad whose it is."""
    names = {leaf["acc"]: leaf["name"] for leaf in trace.leaves}
    titles = {}
    for node in trace.nodes:
        name = names.get(node["id"])
        titles[node["id"]] = f"{node['id']} {node['op']}" + (f" of {_brief(name)}" if name else "")
    return titles


def _brief(name: str) -> str:
    text = repr(name)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _line(node: dict[str, Any]) -> str:
    """The line of a node, if it is known."""
    line: str = node.get("src", "")
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _place(node: dict[str, Any]) -> str:
    """The line of a node in brackets, if it is known."""
    line = _line(node)
    return f" ({line})" if line else ""


class _Structure:
    """What differs in the graphs."""

    def __init__(self, a: Trace, b: Trace, found: Matching) -> None:
        self.found = found
        self.nodes = {"a": {n["id"]: n for n in a.nodes}, "b": {n["id"]: n for n in b.nodes}}
        self.titles = {"a": _titles(a), "b": _titles(b)}

    def all(self) -> Iterator[Difference]:
        told: dict[str, set[str]] = {"a": set(), "b": set()}
        for first, second in self.found.pairs.items():
            yield from self._of_pair(first, second)
        for cut in self.found.cuts:
            yield self._of_cut(cut, told)
        yield from self._alone("a", self.found.only_a, told["a"])
        yield from self._alone("b", self.found.only_b, told["b"])

    def _of_pair(self, first: str, second: str) -> Iterator[Difference]:
        one, other = self.nodes["a"][first], self.nodes["b"][second]
        titles = self.titles["a"][first], self.titles["b"][second]
        if one["op"] != other["op"]:
            text = f"{titles[0]} in a is {titles[1]} in b{_place(one)}"
            yield Difference("other op", text, first, second)
        forms = [(node.get("shape"), node.get("dtype")) for node in (one, other)]
        if forms[0] != forms[1] and None not in (forms[0][1], forms[1][1]):
            text = (
                f"{titles[0]}: {forms[0][1]} {forms[0][0]} in a, {forms[1][1]} {forms[1][0]} in b"
            )
            yield Difference("other shape", text, first, second)
        hooks = [
            [f"{hook['kind']} {_brief(hook.get('name', 'hook'))}" for hook in node.get("hooks", ())]
            for node in (one, other)
        ]
        if hooks[0] != hooks[1]:
            said = [", ".join(names) or "none" for names in hooks]
            text = f"{titles[0]}: {said[0]} in a, {said[1]} in b"
            yield Difference("other hooks", text, first, second)

    def _of_cut(self, cut: Cut, told: dict[str, set[str]]) -> Difference:
        edge = f"edge {cut.position} of {self.titles['a'][cut.a]}"
        to_a = "nowhere" if cut.to_a is None else f"to {self.titles['a'][cut.to_a]}"
        to_b = "nowhere" if cut.to_b is None else f"to {self.titles['b'][cut.to_b]}"
        text = f"{edge} leads {to_a} in a, {to_b} in b{self._lines(cut)}"
        if cut.to_a is not None and cut.to_b is not None:
            return Difference("other edge", text, cut.a, cut.b)
        side, goal = ("a", cut.to_a) if cut.to_a is not None else ("b", cut.to_b)
        assert goal is not None, "one of them leads somewhere"
        lost = self._behind(side, goal)
        told[side] |= lost
        if self.nodes[side][goal]["op"] == "AccumulateGrad":
            return Difference("no AccumulateGrad", text, cut.a, cut.b)
        if lost:
            text += f"; {len(lost)} node{'s' if len(lost) > 1 else ''} behind it are missing there"
        return Difference(
            "detached", text.replace("1 node behind it are", "1 node is"), cut.a, cut.b
        )

    def _lines(self, cut: Cut) -> str:
        """The lines that made the nodes of an edge, in brackets."""
        first, second = _line(self.nodes["a"][cut.a]), _line(self.nodes["b"][cut.b])
        if first and second and first != second:
            return f" ({first} in a, {second} in b)"
        return f" ({first or second})" if first or second else ""

    def _behind(self, side: str, start: str) -> set[str]:
        """The nodes without partner that are reached from `start` through others without."""
        alone = set(self.found.only_a if side == "a" else self.found.only_b)
        reached = {start} & alone
        todo = list(reached)
        for name in todo:  # which grows meanwhile
            for edge in self.nodes[side][name]["edges"]:
                if edge["to"] in alone and edge["to"] not in reached:
                    reached.add(edge["to"])
                    todo.append(edge["to"])
        return reached

    def _alone(self, side: str, names: list[str], told: set[str]) -> Iterator[Difference]:
        for name in names:
            if name not in told:
                text = self.titles[side][name] + _place(self.nodes[side][name])
                ids = (name, None) if side == "a" else (None, name)
                yield Difference(f"only in {side}", text, *ids)


class _Values:
    """What differs in the numbers of what belongs together."""

    def __init__(self, a: Trace, b: Trace, found: Matching, rtol: float) -> None:
        self.a, self.b, self.found, self.rtol = a, b, found, rtol
        self.titles, self.others = _titles(a), _titles(b)
        self.cut = {(cut.a, cut.position) for cut in found.cuts}  # told as such
        self.edges = {node["id"]: node["edges"] for node in a.nodes}
        self.shapes = {node["id"]: node.get("shape") for node in a.nodes}
        self.ran = set(a.schedule())
        self.shapes |= {leaf["acc"]: leaf["shape"] for leaf in a.leaves}

    def all(self) -> Iterator[Difference]:
        leaves = {leaf["acc"]: leaf for leaf in self.b.leaves}
        for leaf in self.a.leaves:
            other = leaves.get(self.found.pairs.get(leaf["acc"], ""))
            if other is not None:
                yield from self._of_tensor(leaf, other, self.titles[leaf["acc"]], leaf["acc"])
        for one, other in zip(self.a.outputs, self.b.outputs, strict=False):
            yield from self._of_tensor(one, other, f"output {one['id']}", one["node"])
        if self.a.events and self.b.events:
            yield from self._order()
            yield from self._gradients()

    def _of_tensor(
        self, one: dict[str, Any], other: dict[str, Any], title: str, node: str
    ) -> Iterator[Difference]:
        if not self._are_equal(one.get("array"), other.get("array")):
            text = f"{title}: {self._said(one, other)}"
            yield Difference("other value", text, node, self.found.pairs.get(node))

    def _said(self, one: dict[str, Any], other: dict[str, Any]) -> str:
        return f"{self._seen(self.a, one['array'])} in a, {self._seen(self.b, other['array'])} in b"

    @staticmethod
    def _seen(trace: Trace, name: str | None) -> str:
        if name is None:
            return "no gradient"
        array = trace.arrays[name]
        head = ", ".join(str(item) for item in array["head"])
        rest = ", …" if math.prod(array["shape"]) > len(array["head"]) else ""
        return f"[{head}{rest}] (norm {array['norm']})"

    def _order(self) -> Iterator[Difference]:
        """The first node of the schedule at which the orders part."""
        backwards = {second: first for first, second in self.found.pairs.items()}
        order_b = [backwards[name] for name in self.b.schedule() if name in backwards]
        ran = set(order_b)
        order_a = [name for name in self.a.schedule() if name in ran]
        ran &= set(order_a)
        pairs = zip(order_a, [name for name in order_b if name in ran], strict=True)
        for turn, (first, second) in enumerate(pairs, start=1):
            if first != second:
                other = self.found.pairs[second]
                text = f"of the nodes in both, number {turn} to run is {self.titles[first]} in a"
                yield Difference("other order", f"{text}, {self.others[other]} in b", first, other)
                return

    def _gradients(self) -> Iterator[Difference]:
        """The first node whose gradients differ, then every leaf's .grad that does."""
        applied = {event["node"]: event for event in self.b.events if event["type"] == "apply"}
        for event in self.a.events:
            if event["type"] != "apply":
                continue
            other = applied.get(self.found.pairs.get(event["node"], ""))
            if other is not None and (found := self._of_apply(event, other)):
                yield Difference("other gradient", found[0], event["node"], other["node"], found[1])
                break
        grads = [_final(trace) for trace in (self.a, self.b)]
        for first, second in self.found.pairs.items():
            if first in grads[0] and second in grads[1]:
                one, other = {"array": grads[0][first]}, {"array": grads[1][second]}
                if not self._are_equal(one["array"], other["array"]):
                    text = f"{self.titles[first]}: {self._said(one, other)}"
                    yield Difference("other .grad", text, first, second)

    def _of_apply(
        self, one: dict[str, Any], other: dict[str, Any]
    ) -> tuple[str, tuple[str | None, str | None]] | None:
        """What differs where a node ran: what it was given, or else what it made of that."""
        title = self.titles[one["node"]]
        for side, verb in (("grad_in", "is given"), ("grad_out", "makes of the same gradient")):
            for place, pair in enumerate(zip(one[side], other[side], strict=False)):
                if side == "grad_out" and self._is_told(one["node"], place, *pair):
                    continue
                if not self._are_equal(*pair):
                    arrays = {"array": pair[0]}, {"array": pair[1]}
                    where = f" (at {place})" if len(one[side]) > 1 else ""
                    text = f"first at {title}, which {verb}{where} {self._said(*arrays)}"
                    return text, pair
        return None

    def _is_told(self, node: str, place: int, first: str | None, second: str | None) -> bool:
        """Whether what a rule returned need not be equal.

        The edge leads elsewhere, and that is told, or nowhere; or the gradient of a broadcast is
        still to be summed in one of the traces: PyTorch's rules do that, here the engine does.
        """
        edges = self.edges[node]
        goal = edges[place] if place < len(edges) else {"to": None}
        if goal["to"] is None or (node, place) in self.cut:
            return True
        if first is None or second is None:
            return goal["to"] not in self.ran  # a pass for some inputs: nobody asked for it
        shapes = [self.a.arrays[first]["shape"], self.b.arrays[second]["shape"]]
        wanted = goal.get("sum_to", self.shapes.get(goal["to"]))
        return wanted in shapes and shapes[0] != shapes[1]

    def _are_equal(self, first: str | None, second: str | None) -> bool:
        if first is None or second is None:
            return first is second
        one, other = self.a.arrays[first], self.b.arrays[second]
        if one["shape"] != other["shape"] or _counts(one) != _counts(other):
            return False
        scale = max(abs(_real(array["norm"])) for array in (one, other))
        names = ["norm", "min", "max"]
        pairs = [(one[name], other[name]) for name in names]
        pairs += zip(one["head"], other["head"], strict=True)
        if "values" in one and "values" in other:
            pairs += zip(one["values"], other["values"], strict=True)
        return all(self._is_near(*pair, scale) for pair in pairs)

    def _is_near(self, first: Any, second: Any, scale: float) -> bool:
        if first == second:
            return True
        numbers = isinstance(first, (int, float)) and isinstance(second, (int, float))
        if not numbers:
            return False
        # Relative to the whole array too: sums in another order leave dust where 0 was.
        return bool(abs(first - second) <= self.rtol * max(abs(first), abs(second), 0.01 * scale))


def _counts(array: dict[str, Any]) -> Counter[str]:
    return Counter(nan=array.get("nan", 0), inf=array.get("inf", 0))


def _real(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _final(trace: Trace) -> dict[str, str | None]:
    """The .grad of each leaf at the end, by its AccumulateGrad."""
    nodes = {leaf["id"]: leaf["acc"] for leaf in trace.leaves}
    events = [event for event in trace.events if event["type"] == "accumulate"]
    return {nodes[event["tensor"]]: event["grad"] for event in events if event["tensor"] in nodes}
