"""`compare(a, b)`: what differs between two traces, in structure and in numbers.

Both are walked from their outputs. Two nodes belong together if the same path leads to them. Where
the ops at the end of a path differ, either one of the graphs has a node more, and the walk goes on
behind that, or one op stands in the place of the other. What is below decides: the reading under
which more of it is alike.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import zip_longest
from typing import Any, NamedTuple

from glassgrad._words import LONGEST, counted, plain
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Ids
from glassgrad.tracing.summary import ArrayId, head_in_words

FAR = 24  # how many nodes are looked at for the one behind those that were put in between


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
        lines = [counted(len(self.differences), "difference"), sizes]
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
        "edge 2 of n1 MulBackward0 leads to n0 AccumulateGrad of 'x' in a, nowhere in b"
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


# Which node of one trace is which node of the other -----------------------------------------------


class Cut(NamedTuple):
    """An edge that leads to a node in one trace, and nowhere, or elsewhere, in the other.

    Attributes:
        a, b: the nodes that have the edge.
        position: which of their edges it is.
        to_a, to_b: where it leads; None: nowhere.
    """

    a: str
    b: str
    position: int
    to_a: str | None
    to_b: str | None


class Side:
    """One of the two traces.

    Args:
        trace: it.
        known: a number for each form of what hangs below a node, the same for both sides.

    Attributes:
        nodes: its nodes by id.
        names: what its leaves are called, by their AccumulateGrad.
        form: what hangs below each node, as a number.
        partner: the node of the other side that each is.
    """

    def __init__(self, trace: Trace, known: dict[Any, int]) -> None:
        self.trace = trace
        self.nodes = {node["id"]: node for node in trace.nodes}
        self.names = {leaf["acc"]: leaf["name"] for leaf in trace.leaves}
        self.partner: Ids = {}
        self.form: dict[str, int] = {}
        sorter = TopologicalSorter({name: self.below(name) for name in self.nodes})
        for name in sorter.static_order():
            key = (self.op(name), *[self.form.get(to, -1) for to in self.goals(name)])
            self.form[name] = known.setdefault(key, len(known))

    def starts(self) -> list[str]:
        """Where a walk begins: the nodes of the outputs, or those that no edge leads to."""
        if self.trace.outputs:
            return [output["node"] for output in self.trace.outputs]
        fed = {to for name in self.nodes for to in self.goals(name)}
        return [name for name in reversed(self.nodes) if name not in fed]

    def op(self, name: str) -> str:
        """The op of a node."""
        op: str = self.nodes[name]["op"]
        return op

    def title(self, name: str) -> str:
        """How a node is spoken of."""
        leaf = self.names.get(name)
        return f"{name} {plain(self.op(name), LONGEST)}" + (
            f" of {plain(repr(leaf), LONGEST)}" if leaf else ""
        )

    def line(self, name: str) -> str:
        """The line that made a node, if it is known."""
        return plain(self.nodes[name].get("src", ""), LONGEST)

    def goals(self, name: str) -> list[Any]:
        """Where the edges of a node lead, None for an input without gradient."""
        return [edge["to"] for edge in self.nodes[name]["edges"]]

    def key(self, name: str | None) -> tuple[int, str]:
        """What tells the ends of edges apart: what is below, and of a leaf its name."""
        return (-1, "") if name is None else (self.form[name], self.names.get(name) or "")

    def below(self, name: str) -> list[str]:
        """The nodes that the edges of one lead to, each once."""
        return [to for to in dict.fromkeys(self.goals(name)) if to is not None]

    @property
    def alone(self) -> list[str]:
        """The nodes without partner, oldest first.

        Those that rules made meanwhile, which another pass runs through, are left out.
        """
        nodes = self.nodes.items()
        return [name for name, node in nodes if name not in self.partner and "origin" not in node]

    def reach(self, name: str) -> Iterator[tuple[str, int]]:
        """The nodes below `name`, nearest first, with how many edges away they are."""
        near = deque([(name, 0)])
        seen = {name}
        while near and len(seen) < FAR:
            at, steps = near.popleft()
            for to in self.below(at):
                if to not in seen:
                    seen.add(to)
                    near.append((to, steps + 1))
                    yield to, steps + 1

    def ends(self, name: str) -> set[str]:
        """The nodes with partner that an edge to `name` stands for."""
        if name in self.partner:
            return {name}
        return {to for to, _ in self.reach(name) if to in self.partner}


class Matching:
    """Which nodes of two traces belong together.

    Attributes:
        a, b: the traces.
        pairs: nodes of the first trace, and those of the second that they are.
        cuts: the edges that do not lead to a pair.
    """

    def __init__(self, a: Trace, b: Trace) -> None:
        known: dict[Any, int] = {}
        self.a, self.b = Side(a, known), Side(b, known)
        self.pairs = self.a.partner
        self.cuts: list[Cut] = []
        todo = deque(zip(self.a.starts(), self.b.starts(), strict=False))
        while todo:
            pair = self._settle(*todo.popleft())
            if pair is not None:
                first, second = pair
                self.a.partner[first], self.b.partner[second] = second, first
                todo += self._edges(first, second)
        self.cuts = [cut for cut in self.cuts if not self._is_joined(cut)]

    def _is_free(self, first: str, second: str) -> bool:
        return first not in self.a.partner and second not in self.b.partner

    def _settle(self, first: str, second: str) -> tuple[str, str] | None:
        """The pair that is meant where two equal paths lead to `first` and `second`."""
        if not self._is_free(first, second):
            return None
        if self.a.op(first) == self.b.op(second):
            return first, second
        skips = [(first, skipped, steps) for skipped, steps in self.b.reach(second)]
        skips += [(skipped, second, steps) for skipped, steps in self.a.reach(first)]
        choices = [(self._likeness_below(first, second), 0, first, second)]
        choices += [(self._likeness(x, y) - 0.1 * far, -far, x, y) for x, y, far in skips]
        _, _, first, second = max(choices, key=lambda choice: choice[:2])
        return (first, second) if self._is_free(first, second) else None

    def _likeness(self, first: str, second: str) -> float:
        """How alike two nodes are, with what is below them: from 0 to 2."""
        if self.a.op(first) != self.b.op(second):
            return 0.0
        if self.a.form[first] != self.b.form[second]:
            return 1.0
        return 2.0 if self.a.names.get(first) == self.b.names.get(second) else 1.5

    def _likeness_below(self, first: str, second: str) -> float:
        """How alike the inputs of two nodes are: what speaks for one op in place of the other."""
        goals_a, goals_b = self.a.goals(first), self.b.goals(second)
        total = sum(
            2.0 * (to_a == to_b)
            if to_a is None or to_b is None
            else max(self._likeness(to_a, to_b), 0.5)
            for to_a, to_b in zip(goals_a, goals_b, strict=False)
        )
        longest = max(len(goals_a), len(goals_b))
        return total / longest if longest else 0.5

    def _edges(self, first: str, second: str) -> list[tuple[str, str]]:
        """The ends of the edges that two nodes have in common; all are noted as cut, for now."""
        goals_a, goals_b = self.a.goals(first), self.b.goals(second)
        ends = self._swapped(goals_a, goals_b)
        for position, (to_a, to_b) in enumerate(zip_longest(goals_a, goals_b)):
            if to_a is not None or to_b is not None:
                self.cuts.append(Cut(first, second, position, to_a, to_b))
            ends.append((to_a, to_b))
        return [pair for pair in ends if None not in pair]

    def _swapped(self, goals_a: list[Any], goals_b: list[Any]) -> list[tuple[Any, Any]]:
        """The pairs of two lists that have the same in another order; none if they have not."""
        keys_a, keys_b = list(map(self.a.key, goals_a)), list(map(self.b.key, goals_b))
        if keys_a == keys_b or sorted(keys_a) != sorted(keys_b):
            return []
        sorted_b = sorted(goals_b, key=self.b.key)
        return list(zip(sorted(goals_a, key=self.a.key), sorted_b, strict=True))

    def _is_joined(self, cut: Cut) -> bool:
        """Whether an edge leads to a pair after all, or to one behind nodes put in between."""
        if cut.to_a is None or cut.to_b is None:
            return False
        ends = {self.pairs[name] for name in self.a.ends(cut.to_a)}
        return bool(ends & self.b.ends(cut.to_b))


# What differs ----------------------------------------------------------------------------------


def _in_a_and_b(words: Sequence[str]) -> str:
    return f"{words[0]} in a, {words[1]} in b"


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
            yield Difference("other shape", f"{title}: {_in_a_and_b(forms)}", first, second)
        hooks = [", ".join(map(_hook, node.get("hooks", ()))) or "none" for node in nodes]
        if hooks[0] != hooks[1]:
            yield Difference("other hooks", f"{title}: {_in_a_and_b(hooks)}", first, second)

    def _of_cut(self, cut: Cut, told: set[tuple[Side, str]]) -> Difference:
        """An edge that leads elsewhere; what hangs on it alone is `told` with it."""
        lines = self.a.line(cut.a), self.b.line(cut.b)
        where = _in_a_and_b(lines) if all(lines) and lines[0] != lines[1] else lines[0] or lines[1]
        goals = [(self.a, cut.to_a), (self.b, cut.to_b)]
        known = [(side, goal) for side, goal in goals if goal is not None]
        ends = [f"to {side.title(goal)}" if goal else "nowhere" for side, goal in goals]
        text = f"edge {cut.position + 1} of {self.a.title(cut.a)} leads {_in_a_and_b(ends)}"
        text += _in_brackets(where)
        if len(known) == 2:
            return Difference("other edge", text, cut.a, cut.b)
        ((side, goal),) = known
        lost = self._behind(side, goal, told)
        if side.op(goal) == "AccumulateGrad":
            return Difference("no AccumulateGrad", text, cut.a, cut.b)
        if lost:
            nodes = "1 node is" if len(lost) == 1 else f"{len(lost)} nodes behind it are"
            text += f"; {nodes} missing there"
        return Difference("detached", text, cut.a, cut.b)

    def _behind(self, side: Side, start: str, told: set[tuple[Side, str]]) -> list[str]:
        """The nodes without partner that are reached from `start` through others without.

        Those that are `told` already are not told again: so each is visited once.
        """
        reached, ahead = [], [start]
        for name in ahead:  # which grows meanwhile
            if name in self.alone[side] and (side, name) not in told:
                told.add((side, name))
                reached.append(name)
                ahead += side.below(name)
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
            text = f"{title}: {self._arrays_in_words(first, second)}"
            pair = first, second
            yield Difference(f"other {what}", text, node, self.pairs.get(node), pair)

    def _arrays_in_words(self, first: ArrayId, second: ArrayId) -> str:
        return _in_a_and_b([_in_words(self.a.trace, first), _in_words(self.b.trace, second)])

    def _order(self) -> Iterator[Difference]:
        """The first node of the schedule at which the orders part."""
        ran = set(self.b.trace.schedule())
        order_a = [name for name in self.a.trace.schedule() if self.a.partner.get(name) in ran]
        partners = [self.b.partner.get(name) for name in self.b.trace.schedule()]
        order_b = [name for name in partners if name in self.ran]
        for turn, (first, second) in enumerate(zip(order_a, order_b, strict=False), start=1):
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
                    text = f"first at {title}, which {verb}{where} {self._arrays_in_words(*pair)}"
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
    return f"{entry['kind']} {plain(repr(entry.get('name', 'hook')), LONGEST)}"


def _in_words(trace: Trace, name: ArrayId) -> str:
    if name is None:
        return "no gradient"
    array = trace.arrays[name]
    return f"{head_in_words(array)} (norm {array['norm']})"
