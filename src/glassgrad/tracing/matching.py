"""Which node of one trace is which node of another: found by walking both from their outputs.

Two nodes belong together if the same path leads to them. Where the ops at the end of a path
differ, either one of the graphs has a node more, and the walk goes on behind that, or one op stands
in the place of the other. What is below decides: the reading under which more of it is alike.
"""

from collections import deque
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import zip_longest
from typing import Any, NamedTuple

from .events import Trace
from .graph import Ids, plain

FAR = 24  # how many nodes are looked at for the one behind those that were put in between


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
        return f"{name} {self.op(name)}" + (f" of {plain(repr(leaf))}" if leaf else "")

    def line(self, name: str) -> str:
        """The line that made a node, if it is known."""
        return plain(self.nodes[name].get("src", ""))

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
