"""Which nodes made views, and of what: the part of a trace's graph that is about shared memory."""

from typing import Any

from glassgrad.core.graph import Node, ends
from glassgrad.core.saved import PrimitiveNode
from glassgrad.memory.views import AsStridedBackward0, CopySlices

__all__ = ["Bases", "written_part"]


class Bases:
    """Finds for the node of a view the node that made its base.

    A view of a view has the same base, so the nodes are asked for from the oldest on: each looks
    one edge far.
    """

    def __init__(self) -> None:
        self._base: dict[Node, Node] = {}

    def copy(self) -> "Bases":
        """What was found so far, to go on with."""
        twin = Bases()
        twin._base = self._base.copy()
        return twin

    def of(self, node: Node) -> Node | None:
        """The node that made the memory which the result of `node` shows; None for its own."""
        if not _makes_view(node) or node.edges[0] is None:
            return None
        operand = ends(node.edges[0])[0]
        return self._base.setdefault(node, self._base.get(operand, operand))


def _makes_view(node: Node) -> bool:
    if isinstance(node, AsStridedBackward0):
        return True
    return isinstance(node, PrimitiveNode) and bool(node._forward_cls.views)


def written_part(node: Node) -> list[Any] | None:
    """The shape of the view that was written to where `node` is a CopySlices; None elsewhere."""
    return list(node.geometry.size) if isinstance(node, CopySlices) else None
