"""Which memory a pass frees: what nothing but the graph held.

# Note [Memory that a pass frees]
# A node lets go of all that it saved. Memory comes free with that unless another node has saved it
# too, and unless it is a leaf's, which keeps its own, whatever view of it was saved. A piece of
# memory is as large as the largest of the tensors in it that were saved, and counts once. The
# sentences of the log, the notes that are struck out in the picture and the player's timeline go by
# this one rule; `heldBytes` in `static/log.js` is the same in the browser.
#
# A checkpoint holds its arguments until the last of its nodes has run. What it has computed again
# is held for each node until that has run (`tracing/recomputing.py`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from glassgrad.core.state import Names
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry


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
    held, found = _Held(trace), {}
    for event in trace.events:
        held.step(event)
        name = event.get("node", "")
        if event["type"] != "free_saved" or "saved" not in nodes.get(name, ()):
            continue  # of a node without a list of what it saved the event alone tells
        own = held.by_node[name]
        free = sum(held.sizes[storage] for storage in own if not held.holders[storage])
        is_shared = any(held.holders[storage] for storage in own)
        found[name] = Freed(free, leaves_of(nodes[name]), is_shared)
    return found


def held_after(trace: Trace, count: int) -> int:
    """How many bytes the nodes of a pass, and checkpoints, hold after its first events.

    Example:
        >>> saved = {"name": "self", "storage": "s0", "version": 0, "bytes": 8}
        >>> node = {"id": "n0", "op": "Neg", "edges": [], "saved": [saved]}
        >>> events = [{"type": "free_saved", "node": "n0", "bytes": 8}]
        >>> trace = Trace({"nodes": [node], "leaves": []}, {}, events)
        >>> held_after(trace, 0), held_after(trace, 1)
        (8, 0)
    """
    held = _Held(trace)
    for event in trace.events[:count]:
        held.step(event)
    return held.bytes


class _Held:
    """The memory that is held as a pass goes on.

    Args:
        trace: the pass; it begins before its first event.

    Attributes:
        sizes: of each piece of memory, in bytes.
        holders: by how many each piece is held.
        by_node: the pieces that a node has saved.
    """

    def __init__(self, trace: Trace) -> None:
        nodes = trace.nodes
        calls = trace.graph.get("checkpoints", ())
        made = [{"saved": event["made"]} for event in trace.events if "made" in event]
        self.sizes = sizes_of(
            each for entry in (*nodes, *calls, *made) for each in of_no_leaf(entry)
        )
        self.by_node = {
            node["id"]: () if node.get("freed") else sizes_of(_kept_by(node)).keys()
            for node in nodes
        }
        self._arguments = {call["id"]: sizes_of(of_no_leaf(call)) for call in calls}
        every = (*self.by_node.values(), *self._arguments.values())
        self.holders = Counter(storage for own in every for storage in own)
        self._waiting = defaultdict[str, list[str]](list)  # by whom it is held for meanwhile
        self._inside: dict[str, int] = {}  # by node, what the pass inside of a checkpoint takes

    @property
    def bytes(self) -> int:
        """How much is held now."""
        held = sum(self.sizes[storage] for storage, count in self.holders.items() if count)
        return held + sum(self._inside.values())

    def step(self, event: Entry) -> None:
        """Go on by one event."""
        name, kind = event.get("node", ""), event["type"]
        if kind == "recompute":
            call = event.get("checkpoint", "")
            self.holders.subtract(self._waiting.pop(call, ()))  # which another one has computed
            self._waiting[event.get("until", "")].extend(self._arguments.get(call, ()))
            for made in of_no_leaf({"saved": event["made"]}):
                self.holders[made["storage"]] += 1
                holder: str = made.get("node") or made.get("for", "")
                self._waiting[holder].append(made["storage"])
            if "inner" in event:
                self._inside[name] = event["bytes"]
        elif kind == "apply":
            self.holders.subtract(self._waiting.pop(name, ()))
            self._inside.pop(name, None)
        elif kind == "free_saved":
            self.holders.subtract(self.by_node.get(name, ()))


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


def _kept_by(node: Entry) -> list[Entry]:
    """What a node saved that is in no leaf's memory, and was not computed again."""
    return [saved for saved in of_no_leaf(node) if "again" not in saved]


def size_of(node: Entry) -> int:
    """How many bytes a node of a trace saved that are no leaf's, each piece of memory once.

    Example:
        >>> twice = [{"name": name, "storage": "s0", "bytes": 8} for name in ("self", "other")]
        >>> size_of({"id": "n0", "saved": twice})
        8
    """
    return sum(sizes_of(of_no_leaf(node)).values())


def sizes_of(entries: Iterable[Entry]) -> dict[str, int]:
    """How many bytes each piece of memory has, as far as saved tensors tell: the largest does.

    Example:
        >>> sizes_of([{"storage": "s0", "bytes": 4}, {"storage": "s0", "bytes": 400}])
        {'s0': 400}
    """
    sizes: dict[str, int] = {}
    for saved in entries:
        sizes[saved["storage"]] = max(saved["bytes"], sizes.get(saved["storage"], 0))
    return sizes


def of_no_leaf(node: Entry) -> list[Entry]:
    """What a node saved that is not in a leaf's memory."""
    return [saved for saved in node.get("saved", ()) if leaf_of(saved) is None]


def leaf_of(saved: Entry) -> str | None:
    """The id of the leaf in whose memory a saved tensor is: it itself, or the one it is a view of.

    Example:
        >>> leaf_of({"name": "self", "storage": "s0", "bytes": 8, "owner": "t0"})
        't0'
    """
    leaf: str | None = saved.get("leaf", saved.get("owner"))
    return leaf


def leaves_of(node: Entry) -> Names:
    """The ids of the leaves that a node saved, or views of them."""
    found = dict.fromkeys(map(leaf_of, node.get("saved", ())))
    return tuple(leaf for leaf in found if leaf is not None)
