"""Which memory a pass frees: what nothing but the graph held.

The rule is in `tracing/held.py`.
"""

from dataclasses import dataclass

from glassgrad.core.state import Names
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.held import Held, leaf_of

LISTS = ("saved", "packed")  # of what a node keeps


@dataclass(frozen=True, slots=True)
class Freed:
    """What comes free when a node lets go of what it saved, and who keeps the rest.

    Args:
        bytes: how much comes free.
        leaves: ids of the leaves that it saved, or views of them.
        is_shared: whether some of it is kept by nodes that have not run yet.
    """

    bytes: int
    leaves: Names = ()
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
    held, found = Held(trace), {}
    for event in trace.events:
        held.step(event)
        name = event.get("node", "")
        if event["type"] != "free_saved" or nodes.get(name, {}).keys().isdisjoint(LISTS):
            continue  # of a node without a list of what it saved the event alone tells
        own = held.by_node[name]
        free = sum(held.sizes[storage] for storage in own if not held.holders[storage])
        is_shared = any(held.holders[storage] for storage in own)
        found[name] = Freed(free, leaves_of(nodes[name]), is_shared)
    return found


def completed(trace: Trace) -> Trace:
    """A trace whose nodes have among what they saved what a checkpoint computed again for them.

    These have `"again": True`, and are held from their `recompute` to the node's `apply`.
    """
    made: dict[str, dict[str, Entry]] = {}
    for event in trace.events:
        for entry in event.get("made", ()):
            own = made.setdefault(entry.get("node", ""), {})
            own[entry["name"]] = {key: entry[key] for key in entry if key not in ("node", "for")}
    if not made or any("again" in saved for node in trace.nodes for saved in node.get("saved", ())):
        return trace
    nodes = [
        node
        if node["id"] not in made
        else node
        | {
            "saved": [
                *node.get("saved", ()),
                *({**each, "again": True} for each in made[node["id"]].values()),
            ]
        }
        for node in trace.nodes
    ]
    return Trace(trace.graph | {"nodes": nodes}, trace.arrays, trace.events)


def leaves_of(node: Entry) -> Names:
    """The ids of the leaves that a node saved, or views of them."""
    found = dict.fromkeys(map(leaf_of, node.get("saved", ())))
    return tuple(leaf for leaf in found if leaf is not None)
