"""What is taken of a graph and of a pass while they are there, and what is made of it later.

To watch a pass is to note what will be gone: arrays, which are written and freed, versions, names,
who is linked to whom. That is all that is done while it runs. The entries of a trace, with their
texts, sums and ids of arrays, are made of these notes when somebody reads the trace. Nothing in
here refers to a node or a tensor, so a trace that nobody has read keeps none of them alive.
"""

import gc
import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from threading import RLock
from typing import Any, NamedTuple

from glassgrad.core.state import Place, setting
from glassgrad.source.lines import shown
from glassgrad.tracing.summary import ArrayId, ArrayTable, Taken, dtype_name

Entry = dict[str, Any]
Counts = defaultdict[str, int]
Held = tuple[list[tuple[str, int, int]], int | None]
"""Of each saved tensor the name, the version that was saved and that of now; the bytes of all, None
if there is nothing to tell of."""


class uncollected(setting):  # noqa: N801  # reads as a statement: `with uncollected():`
    """No search for garbage: many small dicts are made, all are kept, and each would be visited."""

    was_enabled = False

    def __enter__(self) -> None:
        self.was_enabled = gc.isenabled()
        gc.disable()

    def leave(self) -> None:
        if self.was_enabled:
            gc.enable()
        super().leave()


def op_called(name: str) -> str:
    """The name of a node, without the C++ namespace that PyTorch shows for leaves."""
    return name.rpartition("::")[2]


def known_as(parameter: str) -> str:
    """What an op keeps in the place of its first operand, by what it `assumes`: "log p"."""
    return parameter.removeprefix("is_").replace("_", " ")


def bytes_of(shape: Iterable[int], dtype: Any) -> int:
    """The bytes of the elements of a tensor or an array."""
    size: int = math.prod(shape) * dtype.itemsize
    return size


class SeenTensor(NamedTuple):
    """A tensor: its name, what it is like, and its values."""

    name: str | None
    shape: Any
    dtype: Any
    array: Taken

    def entry(self, table: ArrayTable) -> Entry:
        """As it is told of in leaves, outputs and retained tensors."""
        entry: Entry = {"name": self.name, "shape": list(self.shape)}
        entry["dtype"] = dtype_name(self.dtype)
        if self.array is not None:
            entry["array"] = table.tell(self.array)
        return entry


class SeenLeaf(NamedTuple):
    """A leaf, the node that adds to its gradient, and that gradient."""

    id: str
    acc: str
    tensor: SeenTensor
    grad: Taken = None

    def entry(self, table: ArrayTable) -> Entry:
        """As an entry of a trace's leaves, without the gradient."""
        return {"id": self.id, "acc": self.acc, **self.tensor.entry(table)}


class SeenOutput(NamedTuple):
    """A tensor, or an edge, that a pass starts from: which output of which node."""

    node: str
    slot: int
    tensor: SeenTensor


class SeenMemory(NamedTuple):
    """An array that nodes have saved, and what memory it lies in.

    Attributes:
        key: tells it from others, as long as all are alive.
        storage, owner: the id of the memory, and that of the leaf whose memory it is.
    """

    key: int
    shape: Any
    dtype: Any
    array: Taken
    storage: str
    owner: str | None

    @property
    def bytes(self) -> int:
        """Those of its elements."""
        return bytes_of(self.shape, self.dtype)


class SeenSaved(NamedTuple):
    """What a node has saved: its name and versions, and which leaf it is or what it is called."""

    name: str
    version: int
    now: int
    leaf: str | None
    label: str | None
    memory: SeenMemory

    def entry(self, table: ArrayTable) -> Entry:
        """As an entry of a node's `saved`."""
        memory = self.memory
        entry: Entry = {"name": self.name, "storage": memory.storage, "shape": list(memory.shape)}
        entry |= {"dtype": dtype_name(memory.dtype), "version": self.version}
        entry |= {"bytes": memory.bytes, "array": table.tell(memory.array)}
        if self.now != self.version:
            entry["now"] = self.now
        if self.leaf is not None:
            return entry | {"leaf": self.leaf}
        if memory.owner is not None:
            entry["owner"] = memory.owner
        if self.label is not None:
            entry["label"] = self.label
        return entry


Edges = list[tuple[str | None, int, Any]]
"""(node or None, its output, the shape that the engine sums a gradient to or None) of each edge."""


class SeenNode(NamedTuple):
    """A node.

    Attributes:
        id, name: "n3", "MulBackward0"; that of a leaf has a C++ namespace in front.
        told: fields of its entry, `src` as the instruction that made it.
        shape, dtype: of what it made; of the first of several.
        saved, retained: the tensors that it keeps, and those of its outputs that keep gradients.
    """

    id: str
    name: str
    told: Entry
    shape: Any
    dtype: Any
    edges: Edges
    saved: list[SeenSaved]
    retained: list[tuple[int, SeenTensor]]

    def entry(self, table: ArrayTable, show: Callable[[Place], str] = shown) -> Entry:
        """As an entry of a trace's nodes; `show` puts an instruction in words."""
        entry: Entry = {
            "id": self.id,
            "op": op_called(self.name),
            "seq": int(self.id[1:]),
            **self.told,
        }
        if type(entry.get("src")) is tuple:
            entry["src"] = show(entry["src"])
        if self.dtype is not None:
            entry |= {"shape": list(self.shape), "dtype": dtype_name(self.dtype)}
        if self.saved:
            entry["saved"] = [saved.entry(table) for saved in self.saved]
        entry["edges"] = [{"to": to, "slot": slot} for to, slot, _ in self.edges]
        for edge, (_, _, shape) in zip(entry["edges"], self.edges, strict=True):
            if shape is not None:
                edge["sum_to"] = list(shape)
        if self.retained:
            entry["retains"] = [{"slot": slot, **x.entry(table)} for slot, x in self.retained]
        return entry

    @property
    def held(self) -> Held:
        """What it holds on to; an array that it keeps twice counts once."""
        versions = [(saved.name, saved.version, saved.now) for saved in self.saved]
        held = [saved.memory for saved in self.saved]
        return versions, sum({memory.key: memory.bytes for memory in held}.values()) or None


class SeenGraph(NamedTuple):
    """A graph: what is said of it as a whole, as of transforms, and its parts."""

    about: Entry
    leaves: list[SeenLeaf]
    nodes: list[SeenNode]
    outputs: list[SeenOutput]

    def entry(self, table: ArrayTable) -> Entry:
        """The `graph` of a trace."""
        leaves = [leaf.entry(table) for leaf in self.leaves]
        show = cache(shown)  # in a loop all nodes are of a few lines
        nodes = [node.entry(table, show) for node in self.nodes]
        outputs: list[Entry] = []
        for rank, (node, slot, tensor) in enumerate(self.outputs, start=len(leaves)):
            outputs += [{"id": f"t{rank}", "node": node, "slot": slot, **tensor.entry(table)}]
        for entry, leaf in zip(leaves, self.leaves, strict=True):
            if leaf.grad is not None:
                entry["grad"] = table.tell(leaf.grad)
        return {**self.about, "leaves": leaves, "nodes": nodes, "outputs": outputs}


class Notes:
    """What is noted of a pass as it goes on, and the events that are made of it.

    Args:
        table: takes the arrays.

    Attributes:
        graph: as it was when the pass began; set by then, gone when it has been read.
        need: how many gradients come to each node, by its id; set by then.
    """

    graph: SeenGraph

    def __init__(self, table: ArrayTable) -> None:
        self.table = table
        self.need: Counts = defaultdict(int)
        self._have: Counts = defaultdict(int)
        self._waiting: dict[tuple[str, int], ArrayId] = {}  # by node and slot, what came last
        self._notes: list[tuple[Any, ...]] = []
        self._events: list[Entry] = []
        self._document: Entry | None = None
        self._nodes: dict[str, tuple[Edges, Held]] = {}
        self._reading = RLock()

    def note(self, kind: str, node: str | None, fields: Entry) -> None:
        """Note an event; its arrays were taken."""
        self._notes.append((Notes._event, kind, node, fields))

    def note_arrival(self, source: str, position: int, grad: Taken) -> None:
        """Note that a gradient came along an edge of `source`; `grad` waits at its end now."""
        self._notes.append((Notes._arrival, source, position, grad))

    def note_turn(
        self,
        node: str,
        given: list[Taken],
        made: list[Taken],
        held: Held | None,
        frees: bool,
        arrivals: list[Taken],
    ) -> None:
        """Note the turn of a node at which no hook hangs, all of it at once.

        Args:
            node: its id.
            given, made: its gradients, and what its rule made of them.
            held: what it had saved, if that is not as it was when the pass began.
            frees: whether it has let go of that.
            arrivals: by edge what waits at its end now, None where no gradient came along it. They
                may be noted until this is read.
        """
        self._notes.append((Notes._turn, node, given, made, held, frees, arrivals))

    # Made later ---------------------------------------------------------------------------------

    @property
    def document(self) -> Entry:
        """The graph, as a trace tells of it."""
        with self._reading:
            if self._document is None:
                with uncollected():
                    self._document = self.graph.entry(self.table)
                    self._nodes = {node.id: (node.edges, node.held) for node in self.graph.nodes}
                del self.graph  # which has copies of arrays
                self.table.forget_told()
            return self._document

    @property
    def events(self) -> list[Entry]:
        """The events until now."""
        with self._reading:
            if self._notes and self.document:  # whose arrays come first
                notes, self._notes = self._notes, []
                with uncollected():
                    for make, *what in notes:
                        make(self, *what)
                self.table.forget_copies()
            return self._events

    @property
    def have(self) -> Counts:
        """How many gradients have arrived at each node, by its id."""
        with self._reading:
            _ = self.events  # as they are made, these are counted
            return self._have

    def parts(self) -> tuple[Entry, Entry, list[Entry]]:
        """All of it, as the parts of a trace."""
        events = self.events
        return self.document, self.table.summaries, events

    def read(self, document: Entry) -> None:
        """Have more in the graph: `document` is what it grew to."""
        self._document = document
        self.table.forget_told()

    def cut(self, events: int, arrays: int) -> None:
        """Forget all but the first events and arrays."""
        for event in self.events[events:]:
            if event["type"] == "buffer":
                self._have[event["node"]] -= 1
        del self._events[events:]
        self.table.cut(arrays)

    def _event(self, kind: str, node: str | None, fields: Entry) -> None:
        tell = self.table.tell
        told = fields.copy()
        for name, value in fields.items():
            if name in _GRADIENTS:
                told[name] = list(map(tell, value)) if type(value) is list else tell(value)
        self._tell(kind, node, told)

    def _tell(self, kind: str, node: str | None, fields: Entry) -> None:
        event: Entry = {"k": len(self._events), "type": kind}
        if node is not None:
            event["node"] = node
        event |= fields
        self._events.append(event)

    def _turn(
        self,
        node: str,
        given: list[Taken],
        made: list[Taken],
        held: Held | None,
        frees: bool,
        arrivals: list[Taken],
    ) -> None:
        tell = self.table.tell
        grad_in = list(map(tell, given))
        versions, size = held or self._nodes[node][1]
        for name, version, now in versions if any(grad_in) else ():
            self._tell("unpack", node, {"saved": name, "version": [version, now]})
        self._tell("apply", node, {"grad_in": grad_in, "grad_out": list(map(tell, made))})
        if frees and size is not None:
            self._tell("free_saved", node, {"bytes": size})
        for position, grad in enumerate(arrivals):
            goal, slot, _ = self._nodes[node][0][position]
            if goal is not None:
                self._arrives(node, position, tell(grad) or self._waiting.get((goal, slot)))

    def _arrival(self, source: str, position: int, grad: Taken) -> None:
        self._arrives(source, position, self.table.tell(grad))

    def _arrives(self, source: str, position: int, grad: ArrayId) -> None:
        goal, slot, _ = self._nodes[source][0][position]
        assert goal is not None, "else nothing arrives"
        self._have[goal] += 1
        have, need = self._have[goal], self.need[goal]
        about = {"slot": slot, "have": have, "need": need, "edge": f"e{source[1:]}-{position}"}
        self._waiting[goal, slot] = grad
        self._tell("buffer", goal, about | {"grad": grad})
        if have == need:
            self._tell("ready", goal, {})


_GRADIENTS = frozenset(("grad", "before", "after", "grad_in", "grad_out"))
"""The fields of events that are arrays, or lists of them."""
