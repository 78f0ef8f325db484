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
from collections import defaultdict
from functools import cached_property
from typing import Any, NamedTuple

from glassgrad.autograd.scopes import segments
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.hooks.on_saved import Packed
from glassgrad.memory.saved import places
from glassgrad.memory.views import CopySlices
from glassgrad.source.lines import shown
from glassgrad.tracing.graph import Graph
from glassgrad.tracing.seen import Entry, bytes_of
from glassgrad.tracing.summary import ArrayTable, dtype_name


class Kept(NamedTuple):
    """Who keeps the place of a tensor that a checkpoint has let go of.

    Attributes:
        holder: the node, or the id of a checkpoint inside whose argument it is.
        name: under which it was saved there.
        leaf: refers to the node of the leaf that it is, if it is one.
    """

    holder: Any = None
    name: str = ""
    leaf: Any = None


NOBODY = Kept()  # of this graph


class Checkpoints:
    """The checkpoints that nodes of a graph are of. It keeps none of them alive.

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
        self._told: dict[str, int] = {}  # by id, the event of the last run
        self._memory: dict[int, tuple[Any, str]] = {}  # of what was computed again
        around: dict[Any, Any] = {}
        inner = self._innermost(around)
        found = sorted({*inner.values(), *around}, key=_start)
        for call in found:
            self.ids[call] = f"c{len(self.ids)}"
        for node, entry in zip(graph.nodes, document["nodes"], strict=True):
            if node in inner:
                entry["checkpoint"] = self.ids[inner[node]]
        entries = [self._entry(table, call, around) for call in found]
        if found:
            document["checkpoints"] = entries
        # Who holds what is there before the pass: known by its address, as long as it is held.
        self._before = {key: name for key, (name, _) in graph._storages.items()}
        self._count = 1 + max([int(name[1:]) for name in self._before.values()], default=-1)
        self._holders: defaultdict[str, list[Any]] = defaultdict(list)
        refs = [weakref.ref(call) for call in found]
        for holder, entry in zip(
            (*graph.nodes, *refs), (*document["nodes"], *entries), strict=True
        ):
            for saved in entry.get("saved", ()):
                self._holders[saved["storage"]].append(holder)

    def _innermost(self, around: dict[Any, Any]) -> dict[Node, Any]:
        """The innermost call that each node was made in; `around` gets the call around each."""
        inner: dict[Node, Any] = {}
        ahead = sorted(segments.values(), key=_start)
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
                {
                    **self.graph.seen_saved(table, item).entry(table),
                    "name": argument_name(call, item.name),
                }
                for item in saved
            ]
        return entry

    # What ran again -----------------------------------------------------------------------------

    def _runs(self, events: list[Entry]) -> dict[str, Entry]:
        """The events told of until now, by the checkpoint; `back` may have taken some away."""
        known = {name: events[at] for name, at in self._told.items() if at < len(events)}
        return {name: each for name, each in known.items() if each.get("checkpoint") == name}

    def is_news(self, events: list[Entry], call: Any) -> bool:
        """Whether no run of it is told of: a pass that was stepped back may ask once more."""
        if call not in self.ids:
            return False  # a run of one around it has made it: what it keeps, nobody asks for
        return self.ids[call] not in self._runs(events)

    def made_for(self, events: list[Entry], node: Node) -> list[str]:
        """The names of what was computed again for a node."""
        name = self.graph.node[node]
        call = self.document["nodes"][int(name[1:])].get("checkpoint", "")
        made = self._runs(events).get(call, {}).get("made", ())
        return [each["name"] for each in made if each.get("node") == name]

    def told_of(self, call: Any, asked: int, run: Any, log: Any) -> Entry:
        """The fields of the event, of one more run of a function.

        Args:
            call: the call of `checkpoint`, with `ids`.
            asked: the position, among what it saved, of what was asked for.
            run: what has come of it.
            log: of the pass.
        """
        name, names = self.ids[call], self.graph.node
        kept = self._kept.get((name, asked), NOBODY)
        fields: Entry = {"checkpoint": name}
        if kept.holder is not None:
            is_inner = isinstance(kept.holder, str)
            fields |= {"for": kept.holder} if is_inner else {"saved": kept.name}
        last = call.span[1] if run.is_whole else call.numbers[run.count - 1] if run.count else 0
        fields["ran"] = [
            names[node]
            for node in self.graph.nodes
            if not isinstance(node, AccumulateGrad) and call.span[0] < node.seq < last
        ]
        found = run.found if run.is_sound else {}
        fields["made"], fields["bytes"] = self._made(name, found, log)
        self._told[name] = len(log.events)
        if not run.is_sound:
            return fields | {"failed": True}
        last_user = None if log.task.keep_graph else self._last_user(call, log.task.schedule)
        return fields | ({"until": names[last_user]} if last_user is not None else {})

    def _last_user(self, call: Any, schedule: Any) -> Node | None:
        """The node that is the last to need anything of a call; None if one does not run."""
        start, end = call.span
        inside = {name for each, name in self.ids.items() if start <= each.span[0] < end}
        users = {kept.holder for (name, _), kept in self._kept.items() if name in inside} - inside
        runs = [node for node in schedule if node in users]
        is_all = schedule.needed is None or users <= schedule.needed
        return runs[-1] if runs and is_all else None

    @cached_property
    def _kept(self) -> dict[tuple[str, int], Kept]:
        """By checkpoint and position, who keeps its place, seen when the first one runs again."""
        found: dict[tuple[str, int], Kept] = {}
        calls = {id(call): name for call, name in self.ids.items()}
        keepers: list[Any] = [(node, node, None) for node in self.graph.nodes]
        keepers += [(name, call.inputs, call) for call, name in self.ids.items()]
        for holder, node, call in keepers:
            own = node.fn if isinstance(node, CopySlices) else node
            for name, kept, *_ in places(own) if own else ():
                hook = kept.unpack_hook if isinstance(kept, Packed) else None
                if packer := calls.get(id(getattr(hook, "__self__", None))):
                    known = name if call is None else argument_name(call, name)
                    found[packer, kept.packed.position] = Kept(holder, known, kept.leaf)
        return found

    # Memory -------------------------------------------------------------------------------------

    def _made(self, call: str, tensors: dict[int, Any], log: Any) -> tuple[list[Entry], int]:
        """What waits for its nodes now, as entries of a trace, and how many bytes of it are new."""
        made: list[Entry] = []
        leaves = self.graph.leaf.items()
        owners = {self.graph.memory_of(node.variable)[0]: name for node, name in leaves}
        sizes: dict[str, int] = {}
        told = {each["storage"] for run in self._runs(log.events).values() for each in run["made"]}
        fresh = max([self._count, *(1 + int(name[1:]) for name in told)])
        for position, tensor in sorted(tensors.items()):
            kept = self._kept.get((call, position), NOBODY)
            entry: Entry = {"name": kept.name}
            if kept.holder is not None:
                is_inner = isinstance(kept.holder, str)
                entry["for" if is_inner else "node"] = (
                    kept.holder if is_inner else self.graph.node[kept.holder]
                )
            key, memory = self.graph.memory_of(tensor)
            storage = self._known(key, told)
            if storage is None:
                storage = f"s{fresh}"
                fresh += 1
                told.add(storage)
                sizes[storage] = 0
                self._memory[key] = _ref(memory), storage
                if log.recorded:  # ids go on in the graph's own list, for what has grown
                    self.graph._storages.setdefault(-fresh, (storage, None))
            own = tensor.payload
            size = bytes_of(own.shape, own.dtype)
            if storage in sizes and key not in owners:
                sizes[storage] = max(sizes[storage], size)
            entry |= {"storage": storage, "version": 0, "bytes": size, "shape": list(own.shape)}
            entry |= {
                "dtype": dtype_name(own.dtype),
                "array": log.table.add(log.table.take(tensor)),
            }
            leaf = kept.leaf and self.graph.leaf.get(kept.leaf())
            if leaf is not None:
                entry["leaf"] = leaf
            elif key in owners:
                entry["owner"] = owners[key]
            made.append(entry)
        return made, sum(sizes.values())

    def _known(self, key: int, told: set[str]) -> str | None:
        """The id of the memory at an address, if it is that which has one."""
        name = self._before.get(key)
        if name is not None and any(map(self._is_holding, self._holders[name])):
            return name
        ref, name = self._memory.get(key, (None, None))
        return name if ref is not None and ref() is not None and name in told else None

    def _is_holding(self, holder: Any) -> bool:
        """Whether a node, or a checkpoint by a reference, still has what it kept."""
        return bool(self.graph.saved_by(holder)) if isinstance(holder, Node) else bool(holder())


def _ref(memory: Any) -> Any:
    """A reference to memory, which does not keep it; None of what cannot be referred to so."""
    try:
        return weakref.ref(memory)
    except TypeError:  # some other kind of array
        return None


def argument_name(call: Any, saved: str) -> str:
    """What an argument of a checkpointed call is called, "args[0]", by its name among the saved."""
    name: str = call.arguments.names[int(saved.removeprefix("saved_tensors[")[:-1])]
    return name


def _start(call: Any) -> int:
    start: int = call.span[0]
    return start
