"""The graph that a pass leaves behind under `create_graph=True`: nodes, each with what made it.

All nodes draw their numbers from one counter. So the numbers that were drawn while the turn of a
node was under way are those of the nodes made then, and nobody has to look at each as it is made.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from glassgrad.core import state
from glassgrad.core.engine import GraphTask
from glassgrad.core.graph import AccumulateGrad, Node, edge_of, ends
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import Turn
from glassgrad.values.layers import Layer

from .describing import Names, describe_leaf, describe_node, oldest_first
from .levels import levels_of
from .summary import ArrayTable

__all__ = ["Growth"]


class Growth:
    """What a recorded pass adds to the graph.

    Args:
        task: the pass.
        names: the ids of the graph that it runs through.

    Attributes:
        spans: (number drawn, whose turn began then), None where one ended.
        waiting, turn: the gradients that wait, and the turn that has begun, when the pass failed:
            it lets go of both itself. None as long as it has not.
    """

    def __init__(self, task: GraphTask, names: Names) -> None:
        self.task, self.names = task, names
        self.spans: list[tuple[int, Node | None]] = []
        self.waiting: dict[Any, Any] | None = None
        self.turn: Turn | None = None

    def begin(self, node: Node | None) -> None:
        """A part of the turn of `node` begins."""
        self.spans.append((state.next_seq(), node))

    def end(self) -> None:
        """It ends, and whoever steps the pass may make nodes."""
        self.spans.append((state.next_seq(), None))

    def added_to(self, graph: dict[str, Any], table: ArrayTable) -> dict[str, Any]:
        """`graph` and what lies behind the gradients, numbered on; arrays go into `table`."""
        names = self.all_names()
        nodes = names.nodes[len(self.names.nodes) :]
        if not nodes:
            return graph
        new = names.leaves[len(self.names.leaves) :]
        entries = [self._entry(names, table, node) for node in nodes]
        leaves = [describe_leaf(names, table, node) for node in new]
        grown = {"nodes": graph["nodes"] + entries, "leaves": graph["leaves"] + leaves}
        return graph | levels_of(names.nodes) | grown

    def all_names(self) -> Names:
        """The ids of the graph that the pass runs through, and those of what it has added."""
        nodes = [node for node in oldest_first(self._found()) if node not in self.names.node]
        return self.names.extended(nodes)

    def _entry(self, names: Names, table: ArrayTable, node: Any) -> dict[str, Any]:
        """`describe_node`; what a rule made comes from the rule's node, not from a line."""
        entry = describe_node(names, table, node)
        if isinstance(node, AccumulateGrad):
            return entry  # of a leaf, which no rule made
        place = bisect_right(self.spans, node.seq, key=lambda span: span[0])
        maker = self.spans[place - 1][1] if place else None
        if maker is not None:
            entry.pop("src", None)
            entry["origin"] = names.node[maker]
        return entry

    def _found(self) -> list[Node]:
        """The nodes behind the gradients that the graph of the pass does not have."""
        found: dict[Node, None] = {}
        stack = [node for grad in self._gradients() for node in _makers(grad)]
        while stack:
            node = stack.pop()
            if node not in found and node not in self.names.node:
                found[node] = None
                stack += [ends(edge)[0] for edge in node.edges if edge is not None]
        return list(found)

    def _gradients(self) -> Iterator[Tensor]:
        """What the pass has left in `.grad`, what it has captured, and what is under way."""
        for node in self.names.nodes:
            holders = [node.variable] if isinstance(node, AccumulateGrad) else []
            holders += _retaining(node)
            for tensor in holders:
                if tensor.cold is not None and tensor.cold.grad is not None:
                    yield tensor.cold.grad
        under_way: list[Any] = [self.task.captured]
        waiting = self.task.buffers if self.waiting is None else self.waiting
        under_way += [x if type(x) is list else [x] for x in waiting.values()]
        if (turn := self.task.turn or self.turn) is not None:
            under_way += [turn.grads, turn.results]
        for grads in under_way:
            yield from [grad for grad in grads if isinstance(grad, Tensor)]


def _makers(grad: Tensor) -> list[Node]:
    """The nodes that made a gradient, at each level."""
    tensors = [grad]
    while isinstance(tensors[-1].payload, Layer):
        tensors.append(tensors[-1].payload.value)
    return [ends(edge)[0] for tensor in tensors if (edge := edge_of(tensor)) is not None]


def _retaining(node: Node) -> list[Tensor]:
    kept = () if node.cold is None else tuple(node.cold.retain.values())
    return [tensor for reference in kept if (tensor := reference()) is not None]
