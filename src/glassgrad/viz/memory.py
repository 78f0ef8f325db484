"""Which memory a pass frees: what nothing but the graph held.

# Note [Memory that a pass frees]
# A node lets go of all that it saved. Memory comes free with that unless another node has saved it
# too, and unless it is a leaf's, which keeps its own. The sentences of the log, the notes that are
# struck out in the picture and the player's timeline go by this one rule; `heldBytes` in
# `static/log.js` is the same in the browser. Each piece of memory counts once.
"""

from dataclasses import dataclass
from typing import Any

from glassgrad.tracing.events import Trace

__all__ = ["Freed", "freed_by_node", "size_of"]


@dataclass(frozen=True, slots=True)
class Freed:
    """What comes free when a node lets go of what it saved, and who keeps the rest.

    Args:
        bytes: how much comes free.
        leaves: ids of the leaves that it saved.
        is_shared: whether some of it is kept by nodes that have not run yet.
    """

    bytes: int
    leaves: tuple[str, ...] = ()
    is_shared: bool = False


def freed_by_node(trace: Trace) -> dict[str, Freed]:
    """What each node of a pass has freed, by its id.

    Example:
        >>> saved = {"name": "self", "storage": "s0", "version": 0, "bytes": 8}
        >>> two = [
        ...     {"id": name, "op": "Neg", "edges": [], "saved": [saved]} for name in ("n0", "n1")
        ... ]
        >>> events = [{"type": "free_saved", "node": name, "bytes": 8} for name in ("n1", "n0")]
        >>> found = freed_by_node(Trace({"nodes": two, "leaves": []}, {}, events))
        >>> found["n1"].bytes, found["n1"].is_shared, found["n0"].bytes
        (0, True, 8)
    """
    nodes = {node["id"]: node for node in trace.nodes}
    sizes: dict[str, int] = {}
    holders: dict[str, set[str]] = {}
    for name, node in nodes.items():
        for saved in _of_the_graph(node):
            sizes.setdefault(saved["storage"], saved["bytes"])
            holders.setdefault(saved["storage"], set()).add(name)
    found = {}
    for event in trace.events:
        node = nodes.get(event.get("node", ""), {})
        if event["type"] != "free_saved" or "saved" not in node:
            continue  # of a node without a list of what it saved the event alone tells
        own = {saved["storage"] for saved in _of_the_graph(node)}
        for storage in own:
            holders[storage].discard(event["node"])
        leaves = dict.fromkeys(saved["leaf"] for saved in node["saved"] if "leaf" in saved)
        free = sum(sizes[storage] for storage in own if not holders[storage])
        is_shared = any(holders[storage] for storage in own)
        found[event["node"]] = Freed(free, tuple(leaves), is_shared)
    return found


def size_of(node: dict[str, Any]) -> int:
    """How many bytes a node of a trace saved that are no leaf's, each piece of memory once.

    Example:
        >>> twice = [{"name": name, "storage": "s0", "bytes": 8} for name in ("self", "other")]
        >>> size_of({"id": "n0", "saved": twice})
        8
    """
    own = (saved for saved in node.get("saved", ()) if "leaf" not in saved)
    return sum({saved["storage"]: saved["bytes"] for saved in own}.values())


def _of_the_graph(node: dict[str, Any]) -> list[dict[str, Any]]:
    """What a node saved that is no leaf's, if it still holds it."""
    if node.get("freed"):
        return []
    return [saved for saved in node.get("saved", ()) if "leaf" not in saved]
