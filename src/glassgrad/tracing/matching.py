"""Which node of one trace is which node of another: found by walking both from their outputs.

Two nodes belong together if the same path leads to them. Where the ops at the end of a path
differ, either one of the graphs has a node more, and the walk goes on behind that, or one op stands
in the place of the other. What is below decides: the reading under which more of it is alike.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Any

from .events import Trace

FAR = 24  # how many nodes are looked at for the one behind those that were put in between


@dataclass(frozen=True, slots=True)
class Cut:
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


@dataclass(slots=True)
class Matching:
    """What belongs together.

    Attributes:
        pairs: nodes of the first trace, and those of the second that they are.
        cuts: the edges that do not lead to a pair.
        only_a, only_b: the nodes without partner, oldest first; a gradient's own graph left out.
    """

    pairs: dict[str, str] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    only_a: list[str] = field(default_factory=list)
    only_b: list[str] = field(default_factory=list)


def match(a: Trace, b: Trace) -> Matching:
    """Match the nodes of two traces."""
    return _Walk(a, b).run()


class _Graph:
    """One of the two: nodes by id, and what hangs below each of them as a number."""

    def __init__(self, trace: Trace, known: dict[Any, int]) -> None:
        self.nodes = {node["id"]: node for node in trace.nodes}
        self.starts = _starts(trace)
        self.names = {leaf["acc"]: leaf["name"] for leaf in trace.leaves}
        self.shape_of: dict[str, int] = {}
        sorter = TopologicalSorter({name: self.below(name) for name in self.nodes})
        for name in sorter.static_order():
            parts = [self.shape_of.get(to, -1) for to in self.goals(name)]
            key = (self.op(name), *parts)
            self.shape_of[name] = known.setdefault(key, len(known))

    def op(self, name: str) -> str:
        op: str = self.nodes[name]["op"]
        return op

    def goals(self, name: str) -> list[Any]:
        """Where the edges of a node lead, None for an input without gradient."""
        return [edge["to"] for edge in self.nodes[name]["edges"]]

    def key(self, name: str | None) -> tuple[int, str]:
        """What tells the ends of edges apart: what is below, and of a leaf its name."""
        return (-1, "") if name is None else (self.shape_of[name], self.names.get(name) or "")

    def below(self, name: str) -> list[str]:
        return [to for to in dict.fromkeys(self.goals(name)) if to is not None]

    def own(self) -> list[str]:
        """The nodes but for those that rules made meanwhile, which another pass runs through."""
        return [name for name, node in self.nodes.items() if "origin" not in node]

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


def _starts(trace: Trace) -> list[str]:
    """The nodes where a walk begins: those of the outputs, or those that no edge leads to."""
    if trace.outputs:
        return [output["node"] for output in trace.outputs]
    fed = {edge["to"] for node in trace.nodes for edge in node["edges"]}
    return [node["id"] for node in reversed(trace.nodes) if node["id"] not in fed]


class _Walk:
    def __init__(self, a: Trace, b: Trace) -> None:
        known: dict[Any, int] = {}
        self.a, self.b = _Graph(a, known), _Graph(b, known)
        self.found = Matching()
        self.taken: dict[str, str] = {}

    def run(self) -> Matching:
        todo = deque(zip(self.a.starts, self.b.starts, strict=False))
        while todo:
            first, second = todo.popleft()
            pair = self._settle(first, second)
            if pair is None:
                continue
            first, second = pair
            self.found.pairs[first], self.taken[second] = second, first
            todo += self._edges(first, second)
        self.found.only_a = [name for name in self.a.own() if name not in self.found.pairs]
        self.found.only_b = [name for name in self.b.own() if name not in self.taken]
        self.found.cuts = [cut for cut in self.found.cuts if not self._is_joined(cut)]
        return self.found

    def _is_free(self, first: str, second: str) -> bool:
        return first not in self.found.pairs and second not in self.taken

    def _settle(self, first: str, second: str) -> tuple[str, str] | None:
        """The pair that is meant where two equal paths lead to `first` and `second`."""
        if not self._is_free(first, second):
            return None
        if self.a.op(first) == self.b.op(second):
            return first, second
        choices = [(self._likeness_below(first, second), 0, first, second)]
        for skipped, steps in self.b.reach(second):
            choices.append((self._likeness(first, skipped) - 0.1 * steps, -steps, first, skipped))
        for skipped, steps in self.a.reach(first):
            choices.append((self._likeness(skipped, second) - 0.1 * steps, -steps, skipped, second))
        _, _, first, second = max(choices, key=lambda choice: choice[:2])
        return (first, second) if self._is_free(first, second) else None

    def _likeness(self, first: str, second: str) -> float:
        """How alike two nodes are, with what is below them: from 0 to 2."""
        if self.a.op(first) != self.b.op(second):
            return 0.0
        if self.a.shape_of[first] != self.b.shape_of[second]:
            return 1.0
        return 2.0 if self.a.names.get(first) == self.b.names.get(second) else 1.5

    def _likeness_below(self, first: str, second: str) -> float:
        """How alike the inputs of two nodes are: what speaks for one op in place of the other."""
        goals = list(zip(self.a.goals(first), self.b.goals(second), strict=False))
        longest = max(len(self.a.goals(first)), len(self.b.goals(second)))
        if not longest:
            return 0.5
        total = sum(
            2.0 * (to_a == to_b)
            if to_a is None or to_b is None
            else max(self._likeness(to_a, to_b), 0.5)
            for to_a, to_b in goals
        )
        return total / longest

    def _edges(self, first: str, second: str) -> list[tuple[str, str]]:
        """The ends of the edges that two nodes have in common; the others are noted as cut."""
        todo: list[tuple[str, str]] = []
        goals_a, goals_b = self.a.goals(first), self.b.goals(second)
        todo += self._swapped(goals_a, goals_b)
        for position in range(max(len(goals_a), len(goals_b))):
            to_a = goals_a[position] if position < len(goals_a) else None
            to_b = goals_b[position] if position < len(goals_b) else None
            if to_a is not None and to_b is not None:
                todo.append((to_a, to_b))
            if to_a is not None or to_b is not None:
                self.found.cuts.append(Cut(first, second, position, to_a, to_b))
        return todo

    def _swapped(self, goals_a: list[Any], goals_b: list[Any]) -> list[tuple[str, str]]:
        """The pairs of two lists that have the same in another order; none if they have not."""
        keys_a, keys_b = [self.a.key(to) for to in goals_a], [self.b.key(to) for to in goals_b]
        if keys_a == keys_b or sorted(keys_a) != sorted(keys_b):
            return []
        order_a = sorted(range(len(keys_a)), key=keys_a.__getitem__)
        order_b = sorted(range(len(keys_b)), key=keys_b.__getitem__)
        pairs = [(goals_a[i], goals_b[j]) for i, j in zip(order_a, order_b, strict=True)]
        return [pair for pair in pairs if None not in pair]

    def _is_joined(self, cut: Cut) -> bool:
        """Whether an edge leads to a pair after all, or to one behind nodes put in between."""
        if cut.to_a is None or cut.to_b is None:
            return False
        return bool(self._ends(cut.to_a, "a") & self._ends(cut.to_b, "b"))

    def _ends(self, name: str, side: str) -> set[str]:
        """The nodes of the first trace that an edge to `name` stands for."""
        graph, known = (self.a, self.found.pairs) if side == "a" else (self.b, self.taken)
        if name in known:
            return {name if side == "a" else known[name]}
        behind = [to for to, _ in graph.reach(name) if to in known]
        return {to if side == "a" else known[to] for to in behind}
