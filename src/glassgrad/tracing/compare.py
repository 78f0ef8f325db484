"""`compare(a, b)`: what differs between two traces, in structure and in numbers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glassgrad.core.errors import ArgumentError, ArgumentTypeError

from .events import Trace
from .matching import Cut, Matching, match
from .summary import head_in_words

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
    sides = _Side("a", a, found.only_a), _Side("b", b, found.only_b)
    differences = (*_structure(*sides, found), *_Values(*sides, found, rtol).all())
    return Comparison(a, b, found.pairs, differences)


def _brief(name: str) -> str:
    return _cut(repr(name))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class _Side:
    """One of the traces: its nodes by id, how they are spoken of, and which have no partner."""

    def __init__(self, name: str, trace: Trace, alone: list[str]) -> None:
        self.name, self.trace = name, trace
        self.alone = dict.fromkeys(alone)
        self.nodes = {node["id"]: node for node in trace.nodes}
        names = {leaf["acc"]: leaf["name"] for leaf in trace.leaves}
        self.titles = {
            id: f"{id} {node['op']}" + (f" of {_brief(names[id])}" if names.get(id) else "")
            for id, node in self.nodes.items()
        }

    def end(self, goal: str | None) -> str:
        """Where an edge leads, in words."""
        return "nowhere" if goal is None else f"to {self.titles[goal]}"

    def line(self, name: str) -> str:
        """The line that made a node, if it is known."""
        return _cut(self.nodes[name].get("src", ""))

    def behind(self, start: str) -> set[str]:
        """The nodes without partner that are reached from `start` through others without."""
        reached = {start} & self.alone.keys()
        todo = list(reached)
        for name in todo:  # which grows meanwhile
            goals = {edge["to"] for edge in self.nodes[name]["edges"]}
            more = (goals & self.alone.keys()) - reached
            reached |= more
            todo += more
        return reached


def _structure(a: _Side, b: _Side, found: Matching) -> Iterator[Difference]:
    """What differs in the graphs."""
    for first, second in found.pairs.items():
        yield from _in_pair(a, b, first, second)
    told: set[tuple[str, str]] = set()
    for cut in found.cuts:
        yield _of_cut(a, b, cut, told)
    for side in (a, b):
        for name in side.alone:
            if (side.name, name) not in told:
                text = side.titles[name] + _in_brackets(side.line(name))
                ids = (name, None) if side is a else (None, name)
                yield Difference(f"only in {side.name}", text, *ids)


def _in_pair(a: _Side, b: _Side, first: str, second: str) -> Iterator[Difference]:
    """What differs between two nodes that belong together."""
    one, other = a.nodes[first], b.nodes[second]
    title = a.titles[first]
    if one["op"] != other["op"]:
        text = f"{title} in a is {b.titles[second]} in b{_in_brackets(a.line(first))}"
        yield Difference("other op", text, first, second)
    forms = [(node.get("dtype"), node.get("shape")) for node in (one, other)]
    if forms[0] != forms[1] and None not in (forms[0][0], forms[1][0]):
        said = ["{} {}".format(*form) for form in forms]
        yield Difference("other shape", f"{title}: {_beside(said)}", first, second)
    hooks = [
        [f"{hook['kind']} {_brief(hook.get('name', 'hook'))}" for hook in node.get("hooks", ())]
        for node in (one, other)
    ]
    if hooks[0] != hooks[1]:
        said = [", ".join(names) or "none" for names in hooks]
        yield Difference("other hooks", f"{title}: {_beside(said)}", first, second)


def _of_cut(a: _Side, b: _Side, cut: Cut, told: set[tuple[str, str]]) -> Difference:
    """An edge that leads elsewhere; what hangs on it alone is `told` with it."""
    lines = a.line(cut.a), b.line(cut.b)
    differ = all(lines) and lines[0] != lines[1]
    where = _in_brackets(_beside(lines) if differ else lines[0] or lines[1])
    ends = _beside([a.end(cut.to_a), b.end(cut.to_b)])
    text = f"edge {cut.position} of {a.titles[cut.a]} leads {ends}{where}"
    if cut.to_a is not None and cut.to_b is not None:
        return Difference("other edge", text, cut.a, cut.b)
    side, goal = (b, cut.to_b) if cut.to_a is None else (a, cut.to_a)
    assert goal is not None, "one of them leads somewhere"
    lost = side.behind(goal)
    told |= {(side.name, name) for name in lost}
    if side.nodes[goal]["op"] == "AccumulateGrad":
        return Difference("no AccumulateGrad", text, cut.a, cut.b)
    if lost:
        nodes = "1 node is" if len(lost) == 1 else f"{len(lost)} nodes behind it are"
        text += f"; {nodes} missing there"
    return Difference("detached", text, cut.a, cut.b)


def _beside(said: Sequence[str]) -> str:
    return f"{said[0]} in a, {said[1]} in b"


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


class _Values:
    """What differs in the numbers of what belongs together."""

    def __init__(self, a: _Side, b: _Side, found: Matching, rtol: float) -> None:
        self.a, self.b, self.found, self.rtol = a.trace, b.trace, found, rtol
        self.titles, self.others = a.titles, b.titles
        self.cut = {(cut.a, cut.position) for cut in found.cuts}  # told as such
        self.edges = {id: node["edges"] for id, node in a.nodes.items()}
        self.shapes = {id: node.get("shape") for id, node in a.nodes.items()}
        self.ran = set(self.a.schedule())
        self.shapes |= {leaf["acc"]: leaf["shape"] for leaf in self.a.leaves}

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
        return _beside([_seen(self.a, one["array"]), _seen(self.b, other["array"])])

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


def _seen(trace: Trace, name: str | None) -> str:
    if name is None:
        return "no gradient"
    array = trace.arrays[name]
    return f"{head_in_words(array)} (norm {array['norm']})"
