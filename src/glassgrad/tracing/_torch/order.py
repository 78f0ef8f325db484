"""The order in which PyTorch's engine takes the nodes of a pass."""

import heapq
from collections import Counter
from itertools import count
from typing import Any

from .graph import Graph, is_leaf, node_of

__all__ = ["foreseen"]


def foreseen(graph: Graph) -> list[Any]:
    """The nodes that a pass along `graph` runs, in the order to expect on one device.

    Of the nodes that all gradients have arrived at, the engine takes a leaf first, then the newest.
    It keeps a queue for each device, which take turns as they like: with several devices, this is
    one order of many.
    """
    running, order, ticks = graph.running, list[Any](), count()
    left = Counter(goal for node in running for goal, _ in graph.edges[node])
    ready: list[tuple[bool, int, int, Any]] = []

    def add(node: Any) -> None:
        heapq.heappush(ready, (not is_leaf(node), -node._sequence_nr(), next(ticks), node))

    for root in dict.fromkeys(node_of(tensor) for tensor in graph.outputs):
        if root in running and not left[root]:
            add(root)
    while ready:
        node = heapq.heappop(ready)[-1]
        order.append(node)
        for goal, _ in graph.edges[node]:
            left[goal] -= 1
            if goal in running and not left[goal]:
                add(goal)
    return order
