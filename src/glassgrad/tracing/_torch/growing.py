"""The graph that a PyTorch pass leaves behind under `create_graph=True`.

PyTorch numbers nodes too, in each thread on its own. The numbers given while a node runs are those
of the nodes that its rule makes.
"""

import copy
from bisect import bisect_right
from typing import Any

from glassgrad.tracing.summary import ArrayTable

from .arrays import the_torch
from .graph import Graph, describe_leaf, describe_node, is_leaf, node_of, oldest_first, owners_of
from .saved import saved_by

__all__ = ["Growth"]


class Growth:
    """What a recorded pass adds to `graph`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._spans: list[tuple[int, Any]] = []
        self._older = set(self._behind_gradients())

    def begin(self, node: Any) -> None:
        """From now on `node` runs, None for no node."""
        self._spans.append((the_torch().autograd._get_sequence_nr(), node))

    def added_to(self, document: dict[str, Any], table: ArrayTable) -> dict[str, Any]:
        """`document` and what lies behind the gradients, numbered on; arrays go into `table`."""
        edges = self._behind_gradients()
        within = {node: tuple(e for e in edges[node] if e[0] in edges) for node in edges}
        nodes = oldest_first(within)
        graph = _extended(self.graph, nodes, edges)
        leaves = [node for node in nodes if is_leaf(node)]
        entries = [
            describe_node(graph, table, node, saved_by(node)) | self._origin(graph, node)
            for node in nodes
        ]
        more = [describe_leaf(graph, table, node) for node in leaves]
        return document | {
            "nodes": document["nodes"] + entries,
            "leaves": document["leaves"] + more,
        }

    def _origin(self, graph: Graph, node: Any) -> dict[str, str]:
        if is_leaf(node) or node in self._older:
            return {}
        place = bisect_right(self._spans, node._sequence_nr(), key=lambda span: span[0])
        maker = self._spans[place - 1][1] if place else None
        return {} if maker is None else {"origin": graph.node[maker]}

    def _behind_gradients(self) -> dict[Any, tuple[Any, ...]]:
        """The edges of the nodes behind `.grad` that the graph of the pass does not have."""
        graph = self.graph
        tensors = [*(node.variable for node in graph.leaf), *graph.inputs, *graph.tensors]
        grads = [tensor._grad for tensor in tensors]  # of a non-leaf, `.grad` may warn
        stack = [node_of(grad) for grad in grads if grad is not None and grad.requires_grad]
        edges: dict[Any, tuple[Any, ...]] = {}
        while stack:
            node = stack.pop()
            if node not in edges and node not in self.graph.node:
                edges[node] = tuple(node.next_functions)
                stack += [goal for goal, _ in edges[node] if goal is not None]
        return edges


def _extended(graph: Graph, nodes: list[Any], edges: dict[Any, tuple[Any, ...]]) -> Graph:
    """`graph` with more nodes, numbered on."""
    more = copy.copy(graph)
    more.edges = graph.edges | edges
    first, first_leaf = len(graph.nodes), len(graph.leaf) + len(graph.outputs)
    more.nodes = graph.nodes + nodes
    more.node = graph.node | {node: f"n{first + rank}" for rank, node in enumerate(nodes)}
    leaves = [node for node in nodes if is_leaf(node)]
    new = {node: f"t{first_leaf + rank}" for rank, node in enumerate(leaves)}
    more.leaf = graph.leaf | new
    more.leaf_of = graph.leaf_of | {id(node.variable): name for node, name in new.items()}
    more.owner_of = owners_of(more.leaf)
    more._storages = graph._storages.copy()
    return more
