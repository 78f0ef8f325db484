"""Checkpoints in the log: which nodes are of one, and what a pass has computed again.

`utils/checkpoint.py` keeps of a function's call its arguments alone. What its nodes would have
saved is computed again when a pass first asks for it. The log tells that as an event `recompute`,
before the `unpack` or `apply` of the node that asked:

    y = checkpoint(block, x, use_reentrant=False)                                # line 8

    apply      n5                                                    the nodes behind the checkpoint
    recompute  n4, saved "result", checkpoint "c0"                   n4 asks: block runs again
               ran [n2, n3, n4], made [self of n2, result of n3, result of n4], 24 bytes
    apply      n4, then n3, then n2                                  each takes what it had saved

Which nodes are of the call, the sequence numbers before and behind it say, as for a module's call
(`tracing/graph.py`). Of those `ran` has the ones whose op ran again: with early stop, up to the op
that saved the last tensor. `made` are the tensors that wait for their nodes since then, and are in
memory until those have run; one that nobody in this pass asks for stays until its end.

What a checkpoint keeps all the time are its arguments: `graph["checkpoints"]` has them. They go
with the last of its nodes, `until` in the event; with `retain_graph=True` they stay.

A checkpoint inside of another has its arguments kept by that one. When it is to run again, that
one has run before it, for these (the event says `for` which); so there are two events, the outer
one first. A run that fails is told of as far as it came (`failed`); the error follows.

With `use_reentrant=True` the call is one node, and no part of it is in the graph. Its rule runs the
function again, recorded, and then a pass of its own over what that gives. The event is at that
node and has the log of this pass, a whole trace, as `inner`; its `bytes` are those that the nodes
in there save, which are gone when the node has run. `Trace.inner` gives these passes.

Nothing of this is done where there is no log. In a log, a program without checkpoints pays for
looking at an empty dict.
"""

import weakref
from collections.abc import Iterator
from typing import Any

from glassgrad.autograd.scopes import segments
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.hooks.on_saved import Packed
from glassgrad.memory.saved import places
from glassgrad.memory.stale import shown
from glassgrad.memory.views import CopySlices
from glassgrad.tracing.graph import Entry, Graph, bytes_of
from glassgrad.tracing.summary import ArrayTable, dtype_name


class Checkpoints:
    """The checkpoints that nodes of a graph are of.

    Args:
        graph: the graph.
        table: where arrays go.
        document: the graph as it was described; what is found is put in.

    Attributes:
        ids: of each call that is there still, its id.
    """

    def __init__(self, graph: Graph, table: ArrayTable, document: Entry) -> None:
        self.graph, self.document = graph, document
        self.ids: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._told: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._memory: dict[int, tuple[Any, str]] = {}  # of what was computed again
        around: dict[Any, Any] = {}
        inner = self._innermost(around)
        found = sorted({*inner.values(), *around}, key=lambda call: call.span)
        for call in found:
            self.ids[call] = f"c{len(self.ids)}"
        for node, entry in zip(graph.nodes, document["nodes"], strict=True):
            if node in inner:
                entry["checkpoint"] = self.ids[inner[node]]
        if found:
            document["checkpoints"] = [self._entry(table, call, around) for call in found]

    def _innermost(self, around: dict[Any, Any]) -> dict[Node, Any]:
        """The innermost call that each node was made in; `around` gets the call around each."""
        inner: dict[Node, Any] = {}
        ahead = sorted(filter(None, [ref() for ref in [*segments.values()]]), key=_start)
        ahead.reverse()
        within: list[Any] = []
        made = [node for node in self.graph.nodes if not isinstance(node, AccumulateGrad)]
        for node in sorted(made, key=Node._sequence_nr):
            while ahead and _start(ahead[-1]) < node.seq:
                within = [call for call in within if call.span[1] > _start(ahead[-1])]
                within.append(ahead.pop())
            within = [call for call in within if call.span[1] > node.seq]
            if within:
                inner[node] = within[-1]
                around |= dict(zip(within, [None, *within], strict=False))
        return inner

    def _entry(self, table: ArrayTable, call: Any, around: dict[Any, Any]) -> Entry:
        """A call as an entry of a trace."""
        entry: Entry = {"id": self.ids[call]}
        if (place := getattr(call.inputs, "caller_code", None)) is not None:
            entry["src"] = shown((place, call.inputs.caller_offset))
        if (outer := around.get(call)) is not None:
            entry["inside"] = self.ids[outer]
        saved = self.graph.saved_by(call.inputs)
        if saved:
            entry["saved"] = [
                {**self.graph._saved(table, item), "name": argument_name(call, item.name)}
                for item in saved
            ]
        return entry

    # What ran again -----------------------------------------------------------------------------

    def is_news(self, events: list[Entry], call: Any) -> bool:
        """Whether no run of it is told of: a pass that was stepped back may ask once more."""
        if call not in self.ids:
            return False  # a run of one around it has made it: what it keeps, nobody asks for
        known = self._told.get(call, len(events))
        return known >= len(events) or events[known].get("checkpoint") != self.ids[call]

    def made_for(self, events: list[Entry], node: str) -> list[str]:
        """The names of what was computed again for a node."""
        runs = [events[at] for at in sorted(self._told.values()) if at < len(events)]
        made = [each for run in runs if run["type"] == "recompute" for each in run["made"]]
        return [each["name"] for each in made if each.get("node") == node]

    def told_of(self, call: Any, asked: int, run: Any, log: Any) -> Entry:
        """The fields of the event, of one more run of a function.

        Args:
            call: the call of `checkpoint`, with `ids`.
            asked: the position, among what it saved, of what was asked for.
            run: what has come of it.
            log: of the pass.
        """
        events, task = log.events, log.task
        self._told[call] = len(events)
        holders, names = self._holders(), self.graph.node
        node, name, _ = holders.get((call, asked), (None, "", None))
        fields: Entry = {"saved": name} if isinstance(node, Node) else {}
        if node is not None and not isinstance(node, Node):
            fields["for"] = self.ids[node]
        fields["checkpoint"] = self.ids[call]
        last = call.span[1] if run.is_whole else call.numbers[run.count - 1] if run.count else 0
        fields["ran"] = [
            names[each]
            for each in self.graph.nodes
            if not isinstance(each, AccumulateGrad) and call.span[0] < each.seq < last
        ]
        fields["made"], fields["bytes"] = self._made(
            call, run.found if run.is_sound else {}, holders, log
        )
        own = {
            holder
            for (known, _), (holder, *_) in holders.items()
            if call.span[0] <= known.span[0] < call.span[1]
        }
        users = [each for each in task.schedule if each in own]
        needed = task.schedule.needed
        if (
            run.is_sound
            and users
            and not task.keep_graph
            and (needed is None or own <= {*self.ids, *needed})
        ):
            fields["until"] = names[users[-1]]
        return fields if run.is_sound else fields | {"failed": True}

    def _holders(self) -> dict[tuple[Any, int], tuple[Any, str, Any]]:
        """By call and position, who keeps its place: a node or an inner call; its name there."""
        found: dict[tuple[Any, int], tuple[Any, str, Any]] = {}
        calls = {id(call): call for call in self.ids}
        keepers = [(node, node) for node in self.graph.nodes]
        keepers += [(call, call.inputs) for call in calls.values()]
        for holder, node in keepers:
            own = node.fn if isinstance(node, CopySlices) else node
            for name, kept, *_ in places(own) if own else ():
                hook = kept.unpack_hook if isinstance(kept, Packed) else None
                if call := calls.get(id(getattr(hook, "__self__", None))):
                    known = name if isinstance(holder, Node) else argument_name(holder, name)
                    found[call, kept.packed.position] = holder, known, kept
        return found

    def _made(
        self, call: Any, tensors: dict[int, Any], holders: Any, log: Any
    ) -> tuple[list[Entry], int]:
        """What waits for its nodes now, as entries of a trace, and how many bytes of it are new.

        Memory that was known has its id.
        """
        made: list[Entry] = []
        known, owners, sizes = self._known_memory(), self._owners(), {}
        numbers = [int(name[1:]) for name in [*known.values(), *self._storages(log.events)]]
        fresh = 1 + max(numbers, default=-1)
        for position, tensor in sorted(tensors.items()):
            holder, name, kept = holders.get((call, position), (None, "", None))
            entry: Entry = {"name": name}
            if isinstance(holder, Node):
                entry["node"] = self.graph.node[holder]
            elif holder is not None:
                entry["for"] = self.ids[holder]
            key, memory = self.graph.memory_of(tensor)
            if key not in known:
                known[key] = f"s{fresh}"
                fresh += 1
                sizes[key] = 0
                if log.recorded:  # ids go on in the graph's own list, for what has grown
                    self.graph._storages.setdefault(-fresh, (known[key], None))
            self._remember(key, memory, known[key])
            entry |= {"storage": known[key], "version": 0}
            own = tensor.payload
            entry["bytes"] = bytes_of(own.shape, own.dtype)
            if key in sizes and key not in owners:
                sizes[key] = max(sizes[key], entry["bytes"])
            entry |= {"shape": list(own.shape), "dtype": dtype_name(own.dtype)}
            entry["array"] = log.table.add(tensor)
            accumulator = kept.leaf and kept.leaf() if isinstance(kept, Packed) else None
            if (leaf := self.graph.leaf.get(accumulator)) is not None:
                entry["leaf"] = leaf
            elif key in owners:
                entry["owner"] = owners[key]
            made.append(entry)
        return made, sum(sizes.values())

    def _owners(self) -> dict[int, str]:
        leaves = self.graph.leaf.items()
        return {self.graph.memory_of(node.variable)[0]: name for node, name in leaves}

    def _known_memory(self) -> dict[int, str]:
        """The ids of memory that is there: nodes hold it, checkpoints, or it waits."""
        found = {key: name for key, (ref, name) in self._memory.items() if ref() is not None}
        entries = {entry["id"]: entry for entry in self.document.get("checkpoints", ())}
        holding = [*zip(self.graph.nodes, self.document["nodes"], strict=False)]
        holding += [(call.inputs, entries[name]) for call, name in self.ids.items()]
        for node, entry in holding:
            pairs = zip(self.graph.saved_by(node), entry.get("saved", ()), strict=False)
            for saved, told in pairs:
                found[self.graph.memory_of(saved.what)[0]] = told["storage"]
        return found

    def _remember(self, key: int, memory: Any, name: str) -> None:
        """Memory that was computed again, as long as it is there: its address may be used anew."""
        try:
            self._memory[key] = weakref.ref(memory), name
        except TypeError:  # of another kind of array
            self._memory.pop(key, None)

    def _storages(self, events: list[Entry]) -> Iterator[str]:
        """All ids of memory that the log knows."""
        for entry in (*self.document["nodes"], *self.document.get("checkpoints", ())):
            yield from [saved["storage"] for saved in entry.get("saved", ())]
        for event in events:
            if event["type"] == "recompute":
                yield from [made["storage"] for made in event.get("made", ())]


def argument_name(call: Any, saved: str) -> str:
    """What an argument of a checkpointed call is called, "args[0]", by its name among the saved."""
    name: str = call.arguments.names[int(saved.removeprefix("saved_tensors[")[:-1])]
    return name


def saved_bytes_of(trace: Any) -> int:
    """The bytes of what the nodes of a pass saved that is no leaf's, each piece of memory once."""
    sizes: dict[str, int] = {}
    for node in trace.nodes:
        for saved in node.get("saved", ()):
            if "leaf" not in saved and "owner" not in saved:
                name = saved["storage"]
                sizes[name] = max(saved["bytes"], sizes.get(name, 0))
    return sum(sizes.values())


def _start(call: Any) -> int:
    start: int = call.span[0]
    return start
