"""How much memory saved tensors hold, before a pass and as it goes on.

# Note [Memory that a pass frees]
# A node lets go of all that it saved. Memory comes free with that unless another node has saved it
# too, and unless it is a leaf's, which keeps its own, whatever view of it was saved. A piece of
# memory is as large as the largest of the tensors in it that were saved, and counts once. The
# sentences of the log, the notes that are struck out in the picture and the player's timeline go by
# this one rule; `heldBytes` in `static/held.js` is the same in the browser.
#
# A checkpoint holds its arguments until the last of its nodes has run. What it has computed again
# is held for each node until that has run (`tracing/recomputing.py`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any

from glassgrad.tracing.seen import Entry


class Held:
    """The memory that is held as a pass goes on.

    Args:
        trace: the pass; it begins before its first event.

    Attributes:
        sizes: of each piece of memory, in bytes.
        holders: by how many each piece is held.
        by_node: the pieces that a node has saved.
        unknown: the nodes that keep what a pack hook made, of a size that nobody can tell.
    """

    def __init__(self, trace: Any) -> None:
        nodes = trace.nodes
        calls = trace.graph.get("checkpoints", ())
        made = [{"saved": event["made"]} for event in trace.events if "made" in event]
        self.sizes = sizes_of(chain.from_iterable(map(of_no_leaf, (*nodes, *calls, *made))))
        self.by_node = {
            node["id"]: () if node.get("freed") else sizes_of(_kept_by(node)).keys()
            for node in nodes
        }
        hiding = [node for node in nodes if any("bytes" not in x for x in node.get("packed", ()))]
        self.unknown = {node["id"] for node in hiding if not node.get("freed")}
        self._arguments = {call["id"]: sizes_of(of_no_leaf(call)) for call in calls}
        every = (*self.by_node.values(), *self._arguments.values())
        self.holders = Counter[str]()
        self._bytes = 0
        for own in every:
            self._hold(own, 1)
        self._waiting = defaultdict[str, list[str]](list)  # by whom it is held for meanwhile
        self._inside: dict[str, int] = {}  # by node, what the pass inside of a checkpoint takes

    @property
    def bytes(self) -> int:
        """How much is held now."""
        return self._bytes + sum(self._inside.values())

    def _hold(self, storages: Iterable[str], by: int) -> None:
        """Have pieces of memory held by one more, or by one less."""
        for storage in storages:
            before = self.holders[storage]
            self.holders[storage] = now = before + by
            self._bytes += (bool(now) - bool(before)) * self.sizes[storage]

    def step(self, event: Entry) -> None:
        """Go on by one event."""
        name, kind = event.get("node", ""), event["type"]
        if kind == "recompute":
            call = event.get("checkpoint", "")
            self._hold(self._waiting.pop(call, ()), -1)  # which another one has computed
            self._waiting[event.get("until", "")].extend(self._arguments.get(call, ()))
            for made in of_no_leaf({"saved": event["made"]}):
                self._hold([made["storage"]], 1)
                holder: str = made.get("node") or made.get("for", "")
                self._waiting[holder].append(made["storage"])
            if "inner" in event:
                self._inside[name] = event["bytes"]
        elif kind == "apply":
            self._hold(self._waiting.pop(name, ()), -1)
            self._inside.pop(name, None)
        elif kind == "free_saved":
            self._hold(self.by_node.get(name, ()), -1)
            self.unknown.discard(name)


def size_of(*nodes: Entry) -> int:
    """How many bytes nodes of a trace saved that are no leaf's, each piece of memory once.

    Example:
        >>> twice = [{"name": name, "storage": "s0", "bytes": 8} for name in ("self", "other")]
        >>> size_of({"id": "n0", "saved": twice})
        8
    """
    return sum(sizes_of(chain.from_iterable(map(of_no_leaf, nodes))).values())


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
    """What a node saved, and pack hooks made of that, which is not in a leaf's memory."""
    packed = [each for each in node.get("packed", ()) if "bytes" in each]
    return [saved for saved in (*node.get("saved", ()), *packed) if leaf_of(saved) is None]


def leaf_of(saved: Entry) -> str | None:
    """The id of the leaf in whose memory a saved tensor is: it itself, or the one it is a view of.

    Example:
        >>> leaf_of({"name": "self", "storage": "s0", "bytes": 8, "owner": "t0"})
        't0'
    """
    leaf: str | None = saved.get("leaf", saved.get("owner"))
    return leaf


def _kept_by(node: Entry) -> list[Entry]:
    """What a node saved that is in no leaf's memory, and was not computed again."""
    return [saved for saved in of_no_leaf(node) if "again" not in saved]
