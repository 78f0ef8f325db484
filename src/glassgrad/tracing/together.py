"""Several passes as one trace: what they share is in it once, and their events follow each other.

The logs are plain data, whose ids are ranks within one pass. While the graphs of all passes are
there, `ids_of` finds out which ids mean the same; `together` needs no more than that.
"""

from collections.abc import Iterable
from typing import Any

from .describing import Names
from .events import Trace

__all__ = ["ids_of", "together"]

Entry = dict[str, Any]


def ids_of(passes: Iterable[Names]) -> list[dict[str, str]]:
    """For each pass, ids of its nodes, leaves and hooks that mean the same in all of them.

    Args:
        passes: the names that each pass gave.
    """
    passes = list(passes)
    whole = Names(dict.fromkeys([node for names in passes for node in names.nodes]), [])
    found = []
    for names in passes:
        ids = {name: whole.node[node] for node, name in names.node.items()}
        ids |= {name: whole.leaf[node] for node, name in names.leaf.items()}
        ids |= {name: whole.hook(key[0], hook) for key, (name, hook) in names._hooks.items()}
        found.append(ids)
    return found


def together(traces: Iterable[Trace], ids: Iterable[dict[str, str]]) -> Trace:
    """The trace of several passes. What several have is as the first of them found it.

    Args:
        ids: as from `ids_of`.
    """
    whole = _Whole()
    for trace, known in zip(traces, ids, strict=True):
        whole.add(trace, known)
    return whole.trace()


class _Whole:
    """What several traces are put into, one after the other."""

    def __init__(self) -> None:
        self.nodes: dict[str, Entry] = {}
        self.leaves: dict[str, Entry] = {}
        self.outputs: dict[tuple[str, int], Entry] = {}
        self.levels: dict[int, Entry] = {}
        self.wanted: set[str] = set()
        self.arrays: dict[str, Entry] = {}
        self.storages = 0
        self.events: list[Entry] = []

    def add(self, trace: Trace, known: dict[str, str]) -> None:
        """Put another pass behind those that are there."""
        ids = known | _numbered_on("a", trace.arrays, len(self.arrays))
        storages = [saved["storage"] for node in trace.nodes for saved in node.get("saved", ())]
        ids |= _numbered_on("s", dict.fromkeys(storages), self.storages)
        self.storages += len(set(storages))
        self.arrays |= {ids[name]: entry for name, entry in trace.arrays.items()}
        for entry in trace.nodes:
            self._add_node(_renamed(entry, ids))
        for entry in trace.leaves:
            new = _renamed(entry, ids)
            self.leaves.setdefault(new["id"], new)
        for entry in trace.outputs:
            new = _renamed(entry, ids)
            self.outputs.setdefault((new["node"], new["slot"]), new)
        for entry in trace.graph.get("levels", ()):
            self.levels[entry["level"]] = entry
        self.wanted |= {ids[name] for name in trace.graph.get("wanted", ())}
        if self.events and self.events[-1]["type"] == "error":
            self.events.pop()  # it would be the end of all; the trace of that pass has it
        for event in trace.events:
            self.events.append(_renamed(event, ids) | {"k": len(self.events)})

    def _add_node(self, entry: Entry) -> None:
        name = entry["id"]
        entry["seq"] = _rank(name)
        self.nodes.setdefault(name, entry)

    def trace(self) -> Trace:
        """All of it."""
        outputs = list(self.outputs.values())
        for rank, entry in enumerate(outputs, start=len(self.leaves)):
            entry["id"] = f"t{rank}"
        graph: dict[str, Any] = {
            "nodes": [self.nodes[name] for name in sorted(self.nodes, key=_rank)],
            "leaves": [self.leaves[name] for name in sorted(self.leaves, key=_rank)],
            "outputs": outputs,
        }
        if self.levels:
            graph["levels"] = [self.levels[depth] for depth in sorted(self.levels)]
        if self.wanted:
            graph["wanted"] = sorted(self.wanted, key=_rank)
        return Trace(graph, self.arrays, self.events)


_PLACES = ("id", "to", "node", "tensor", "storage", "acc", "base", "origin", "hook")
_SAVED = ("leaf", "owner")
_ARRAYS = ("array", "grad", "before", "after", "grad_in", "grad_out")
_IDS = frozenset(_PLACES + _SAVED + _ARRAYS)
"""The fields whose value is an id, or a list of ids."""


def _renamed(entry: Entry, ids: dict[str, str]) -> Entry:
    """An entry of a trace, or of a list in one, with other ids."""
    new: Entry = {}
    for field, value in entry.items():
        if field in _IDS:
            new[field] = [ids.get(x, x) for x in value] if type(value) is list else ids.get(value)
        elif field == "edge":
            node, _, place = value[1:].partition("-")
            new[field] = f"e{ids['n' + node][1:]}-{place}"
        elif type(value) is list:  # of entries, or of numbers
            new[field] = [_renamed(x, ids) if type(x) is dict else x for x in value]
        else:
            new[field] = value
    return new


def _numbered_on(letter: str, names: Iterable[str], first: int) -> dict[str, str]:
    return {name: f"{letter}{first + rank}" for rank, name in enumerate(names)}


def _rank(name: str) -> int:
    return int(name[1:])
