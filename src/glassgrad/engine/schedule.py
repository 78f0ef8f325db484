"""The order of a backward pass: newest first, each leaf right behind its last consumer.

That is PyTorch's order, and a list one can print. It needs no recursion: edges lead to older
nodes, so one sort is the whole schedule (Note [Edges point to older nodes] in `graph.py`).
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node

__all__ = ["Edge", "Schedule"]

Edge = Node | GradientEdge
_by_seq = attrgetter("seq")


class Schedule(list[Node]):
    """The nodes a pass visits, in order.

    Args:
        roots: where the pass starts.
        targets: the nodes whose gradients are wanted; None for all leaves.

    Attributes:
        needed: with `targets`, the nodes that run because one of them is downstream.
    """

    needed: set[Node] | None

    def __init__(self, roots: Sequence[Node], targets: set[Node] | None = None) -> None:
        order: list[Node] = []
        starts = list(dict.fromkeys(roots))
        nodes, last_to_feed = _reach([n for n in starts if n.__class__ is not AccumulateGrad])
        if AccumulateGrad in map(type, starts):
            fed = {leaf for leaves in last_to_feed.values() for leaf in leaves}
            order = [n for n in starts if type(n) is AccumulateGrad and n not in fed]
        nodes.sort(key=_by_seq, reverse=True)
        for node in nodes:
            order.append(node)
            if node in last_to_feed:
                order += last_to_feed[node]
        super().__init__(order)
        self.needed = None if targets is None else self._upstream_of(targets)

    def _upstream_of(self, targets: set[Node]) -> set[Node]:
        """The nodes from which an edge leads towards one of `targets`."""
        needed: set[Node] = set()
        for node in reversed(self):
            for edge in node.edges:
                goal = edge.node if type(edge) is GradientEdge else edge
                if goal in targets or goal in needed:
                    needed.add(node)
                    break
        return needed


def _reach(starts: list[Node]) -> tuple[list[Node], dict[Node, list[Node]]]:
    """The nodes reachable from `starts`, and the leaves each of them is the last to feed."""
    nodes: list[Any] = starts
    seen: set[Any] = {None, *starts}
    oldest: dict[Node, Node] = {}
    for node in nodes:  # which grows meanwhile
        for edge in node.edges:
            if edge in seen:
                continue
            kind = edge.__class__
            if kind is AccumulateGrad:
                if edge in oldest:
                    if oldest[edge].seq < node.seq:
                        continue
                    del oldest[edge]  # its place is behind what this node feeds before it
                oldest[edge] = node
                continue
            if kind is GradientEdge:
                edge = edge.node
                if edge in seen:
                    continue
            seen.add(edge)
            nodes.append(edge)
    last_to_feed: dict[Node, list[Node]] = {}
    for leaf, node in oldest.items():  # edges were seen in input order, and so are these
        last_to_feed.setdefault(node, []).append(leaf)
    return nodes, last_to_feed
