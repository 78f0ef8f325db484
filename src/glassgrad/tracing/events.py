"""The event log: one document, `glassgrad.trace/1`, that every view of a backward pass reads.

A `Trace` is four lists. All ids are ranks within the recorded graph, never `id()` and never a
counter of the process, so that the same program gives the same file, byte for byte.

`graph["nodes"]`, oldest first (`n0` is the oldest); behind them, again oldest first, those of the
gradient's own graph, which a pass under `create_graph=True` made. Each is a dict with

    id      "n3"
    op      PyTorch's name of the node, "MulBackward0"; "AccumulateGrad" for the node that adds into
            a leaf's .grad (it is a node like any other; its `edges` are [])
    seq     rank in order of creation
    edges   one per input of the op, in order: {"to": "n2", "slot": 0}, with "sum_to": [3] where the
            engine reduces a broadcast gradient to that shape; {"to": None, "slot": 0} for an input
            that needs no gradient
    shape, dtype    of the op's output (optional)
    saved   optional, a list of {"name": "self", "storage": "s1", "version": 0, "bytes": 16}; equal
            memory, equal storage id. Optional there: "leaf": "t1" if the saved tensor is that leaf,
            "owner": "t1" if it is no leaf and lies in the memory of that one, as a view does,
            "label" (the tensor's name), "shape", "dtype", "array", and "now": 1, the version it has
            now, where it was written to since
    packed  optional, what pack hooks made of tensors that it saved, where that is no tensor: a list
            of {"name": "self", "storage": "s1", "bytes": 8}, with "owner" as there; without
            storage and bytes where nobody can tell them
    scope   optional, the modules and scopes that it was made in, as a list: ["MLP", "act"]
    src     optional, the line that made the node: "cell 3, line 2: `y = w * x`"; none of
            AccumulateGrad, which no line makes, and of those with an `origin`
    level   optional, depth of the transform that recorded it (0, or no field: the base tape)
    freed   optional, true if the node had let go of what it saved when the graph was described
    user    optional, true for a Function that is not glassgrad's own
    base    optional, of an op whose result is a view: the node that made the memory it shows, "n1"
            (the AccumulateGrad of a leaf)
    part    optional, of CopySlices: the shape of the view that was written, [2]
    checkpoint  optional, the innermost call of `checkpoint` that it was made in, "c0": what it
            would save is computed again when it is asked for
    origin  optional, the node while whose turn this one was recorded, "n3": it is of the
            gradient's own graph, and does not run in the pass that made it
    hooks   optional, a list of {"id": "h1", "kind": "pre" | "post" | "tensor" | "post_accumulate",
            "name": "clip"}
    retains optional, the tensors that the op made and that keep their gradient (`retain_grad`), a
            list of {"slot": 0, "name": "h" or None, "shape": [2], "dtype": "float32"}, with
            "array" (its value; optional)

`graph["leaves"]`, by first appearance:

    {"id": "t1", "name": "x" or None, "shape": [2], "dtype": "float32", "acc": "n5",
     "array": "a0" (its value; optional), "grad": "a1" (its .grad before the pass, if it had one)}

`graph["outputs"]` (optional), the tensors backward started from, numbered on from the leaves:

    {"id": "t2", "name": "loss" or None, "shape": [], "dtype": "float32",
     "node": "n9", "slot": 0, "array": "a1" (its value; optional)}

Optional in `graph`, where checkpoints or transforms are about or nobody held the loss:

    checkpoints the calls of `checkpoint` that are not reentrant: {"id": "c0", "src": (its line),
                "inside": "c1" (the call around it; optional), "saved": (its arguments, which it
                keeps; as of a node; optional)}
    levels      the transforms that recorded nodes: [{"level": 2, "kind": "grad", "inside": ["vmap"]
                (the kinds of those around it, outermost first; optional)}]
    inside      the kinds of the transforms that were open when the pass began: ["vmap"]
    wanted      the nodes whose gradients the pass was run for, and does not add to .grad: ["n0"]

`arrays`: what `ArrayTable.summaries` holds. `shape` is that of one example if there is a "batch":
[3], the number of examples for each `vmap` around; of a large one with "sampled": 10000 it is what
so many of its elements tell. Where a gradient is None, None stands for the id.

`events`, in the order in which the engine did things; `k` counts them from 0, `type` is one of

    ready       node                        every gradient it waits for has arrived: it is queued
    pre_hook    node, hook, before, after   a pre-hook, or a hook of a tensor the node made; before
                                            and after list one array (or None) per output slot
    unpack      node, saved, version        the rule reads its saved tensor `saved` (the name in the
                                            node's list); version is [when saved, now]
    recompute   node, ran, made, bytes      a checkpointed function ran again, because `node` asked
                                            for what was saved in it (`recomputing.py`). `ran`: the
                                            nodes whose ops ran again; `made`: what waits in memory
                                            since then, entries as of `saved`, with the "node" that
                                            it waits for; `bytes`: how much memory that took.
                                            Optional: "checkpoint", "saved" (what `node` asked for),
                                            "for" (the checkpoint whose arguments were wanted),
                                            "until" (the node after which the arguments go, too),
                                            "failed": true, and, of the reentrant kind, "inner": the
                                            trace of the pass that it runs itself
    apply       node, grad_in, grad_out     the rule ran: per output slot, per input (before the
                                            engine reduces a broadcast). Not for AccumulateGrad
    post_hook   node, hook, before, after   a post-hook of the node; before and after are grad_out.
                                            Of kind "post_accumulate": they are the leaf's .grad
    buffer      node, slot, have, need      a gradient arrived at `node`: `have` of `need` of its
                                            incoming edges have delivered. Optional: "edge": "e3-0"
                                            (edge 0 of n3 brought it), "grad" (the buffer as it is)
    accumulate  tensor, grad                AccumulateGrad ran: `grad` is the leaf's .grad now
    free_saved  node, bytes                 the node's saved tensors are gone
    error       error, message              the pass ended here by an exception: its class, and what
                                            it said. Always the last event. Optional: "node", where
                                            it was raised (absent if all had run, or if nobody
                                            knows), and "saved", the name of the saved tensor that
                                            was written since

A node is under way from its first event after `ready` (hooks, unpack, apply or accumulate) to its
`free_saved`, or to the first event of the next node if it has none. The `buffer` and `ready` events
that its gradients cause follow its `apply`.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache, cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from importlib import resources
from io import BytesIO, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any

from glassgrad._words import UNPRINTABLE, counted
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DataError
from glassgrad.tracing import sound
from glassgrad.tracing.fitting import Fitting
from glassgrad.tracing.held import Held
from glassgrad.tracing.seen import Entry, uncollected
from glassgrad.tracing.summary import ArrayId

MOST_CHECKED = 20_000  # nodes and events of a trace: one that is made by hand has fewer
MOST_UNPACKED = 2**29  # bytes of a compressed trace: a small file can unpack to more than there is
SCHEMA = "glassgrad.trace/1"

Parts = tuple[dict[str, list[Any]], Entry, list[Entry]]  # of a trace: graph, arrays, events

# The order of the fields in the file. It is the order in which a person reads an entry, and it
# makes the text independent of the order in which the recorder happened to fill its dicts.
_FIELDS = """
    k id type checkpoints levels inside wanted op seq name node tensor storage leaf owner label
    scope src checkpoint level
    user freed base part origin kind acc shape dtype hook for until ran made saved packed version
    now bytes failed to slot sum_to
    have need edge before after grad_in grad_out grad error message array batch min max norm
    head nan inf sampled values hooks edges inner
"""
_ORDER = {name: rank for rank, name in enumerate(_FIELDS.split())}


class Trace:
    """One recorded backward pass: its graph, and what the engine did, in order.

    The lists are described at the top of this file. They are kept as they are given, so whoever
    makes a trace hands them over; treat them as read-only.

    Args:
        graph: `{"nodes": […], "leaves": […], "outputs": […]}`.
        arrays: summaries of arrays by id (`ArrayTable.summaries`).
        events: the events, `k` counting from 0.

    Raises:
        ArgumentTypeError: if the graph is no dict with lists of nodes and leaves.

    Example:
        >>> trace = Trace({"nodes": [], "leaves": []})
        >>> trace
        Trace(0 nodes, 0 leaves, 0 events)
        >>> Trace.from_json(trace.to_json()) == trace
        True
    """

    def __init__(
        self,
        graph: dict[str, list[Any]],
        arrays: Entry | None = None,
        events: list[Entry] | None = None,
    ) -> None:
        arrays, events = {} if arrays is None else arrays, [] if events is None else events
        given: Any = graph
        if not isinstance(given, dict) or not {"nodes", "leaves"} <= set(given):
            raise ArgumentTypeError(
                f"a Trace cannot be made of {str(given)[:60]!r}. Its graph is a dict with "
                "'nodes' and 'leaves'. Record one with `record(loss)`."
            )
        for name, part in {"outputs": [], **given, "events": events}.items():
            if name in ("nodes", "leaves", "outputs", "events") and not isinstance(part, list):
                raise ArgumentTypeError(
                    f"a Trace cannot be made with {name}={str(part)[:60]}. They are a list, with a "
                    "dict for each. Record one with `record(loss)`."
                )
        self._parts = graph, arrays, events

    @classmethod
    def later(cls, make: Callable[[], Parts]) -> "Trace":
        """A trace whose `graph`, `arrays` and `events` are made when somebody first reads it."""
        trace = object.__new__(cls)
        trace._make = make
        return trace

    _make: Callable[[], Parts]

    @cached_property
    def _parts(self) -> Parts:
        parts = self._make()
        self._make = lambda: parts  # and let go of what that held
        return parts

    @property
    def graph(self) -> dict[str, list[Any]]:
        """Nodes, leaves and outputs."""
        return self._parts[0]

    @property
    def arrays(self) -> Entry:
        """What there is to know of each array, by id."""
        return self._parts[1]

    @property
    def events(self) -> list[Entry]:
        """What the engine did, in order."""
        return self._parts[2]

    def __eq__(self, other: object) -> bool:
        return self._parts == other._parts if isinstance(other, Trace) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it is made of dicts

    def __reduce__(self) -> Any:
        return Trace, self._parts

    @property
    def nodes(self) -> list[Entry]:
        """The backward nodes, oldest first."""
        return self.graph["nodes"]

    @property
    def leaves(self) -> list[Entry]:
        """The tensors whose `.grad` the pass fills."""
        return self.graph["leaves"]

    @property
    def outputs(self) -> list[Entry]:
        """The tensors the pass started from."""
        return self.graph.get("outputs", [])

    def inner(self) -> list["Trace"]:
        """The passes that ran inside of this one: one for each reentrant checkpoint that ran again.

        Example:
            >>> from glassgrad.utils.checkpoint import checkpoint
            >>> x = tensor(2.0, requires_grad=True)
            >>> record(checkpoint(lambda x: x.exp() * x, x, use_reentrant=True)).inner()
            [Trace(3 nodes, 1 leaf, 14 events)]
        """
        documents = [event["inner"] for event in self.events if "inner" in event]
        return [Trace(each["graph"], each["arrays"], each["events"]) for each in documents]

    def schedule(self) -> list[str]:
        """The ids of the nodes in the order in which they ran.

        Example:
            >>> graph = {"nodes": [{"id": "n0", "op": "Neg", "seq": 0, "edges": []}], "leaves": []}
            >>> Trace(graph, {}, [{"k": 0, "type": "apply", "node": "n0"}]).schedule()
            ['n0']
        """
        accumulators = {leaf["id"]: leaf["acc"] for leaf in self.leaves}
        order = []
        for event in self.events:
            if event["type"] == "apply":
                order.append(event["node"])
            elif event["type"] == "accumulate" and event["tensor"] in accumulators:
                order.append(accumulators[event["tensor"]])
        return order

    def grads(self) -> dict[str, ArrayId]:
        """The `.grad` of each leaf at the end, as an array's id, by the leaf's.

        A hook that runs when a gradient was added to it may have written it since.
        """
        leaves = {leaf["acc"]: leaf["id"] for leaf in self.leaves}
        found: dict[str, ArrayId] = {}
        for event in self.events:
            if event["type"] == "accumulate":
                found[event["tensor"]] = event["grad"]
            elif event["type"] == "post_hook" and event["node"] in leaves and event["after"]:
                (found[leaves[event["node"]]],) = event["after"]
        return found

    def held(self, after: int = 0) -> int | None:
        """How many bytes saved tensors hold: before the pass, or after the first events of it.

        Each piece of memory counts once, until the last node that saved it has run. What lies in a
        leaf's memory does not count: no pass frees it. What checkpoints keep, and have computed
        again, does.

        Args:
            after: how many events of the pass are over; `len(trace.events)`: all of it.

        Returns:
            The bytes; None as long as a pack hook keeps what is no array, tensor or bytes and no
            container of these: nobody can tell how large that is.

        Raises:
            ArgumentError: if the pass has not so many events.

        Example:
            >>> trace = record(tensor([1.0, 2.0], requires_grad=True).exp().sum())
            >>> trace.held(), trace.held(len(trace.events))
            (8, 0)
        """
        asked: Any = after  # a program may ask for anything
        if not (isinstance(asked, int) and 0 <= asked <= len(self.events)):
            raise ArgumentError(
                f"held() was asked for what is held after {after!r} events; this pass has "
                f"{len(self.events)}. Write a number from 0, before it, to {len(self.events)}."
            )
        return next(islice(self._held(), after, None))

    def held_over_time(self) -> list[int | None]:
        """What `held` says before the pass, and after each event of it, found in one go.

        Example:
            >>> record(tensor([1.0, 2.0], requires_grad=True).exp().sum()).held_over_time()
            [8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0]
        """
        return list(self._held())

    def _held(self) -> Iterator[int | None]:
        held = Held(self)
        for event in (None, *self.events):
            if event is not None:
                held.step(event)
            yield None if held.unknown else held.bytes

    def to_json(self) -> str:
        """The document as text, one node or event a line. Equal traces give equal text."""
        return "".join(_lines(self))

    def save(self, path: str | Path) -> Path:
        """Write the document to `path` (UTF-8) and return the path.

        With the suffix `.gz` it is compressed, to a tenth of the bytes, and again the same ones for
        equal traces.

        Raises:
            OSError: if the file cannot be written.
        """
        path = Path(path)
        with uncollected(), ExitStack() as stack:
            file: Any = stack.enter_context(path.open("wb"))
            if path.suffix.lower() == ".gz":
                file = stack.enter_context(gzip.GzipFile("", "wb", _EFFORT, file, mtime=0))
            text = stack.enter_context(TextIOWrapper(file, "utf-8", newline="\n"))
            text.writelines(_lines(self))
        return path

    @classmethod
    def load(cls, path: str | Path) -> "Trace":
        """Read a file that `save` wrote, compressed or not.

        Raises:
            DataError: if the file is no sound `glassgrad.trace/1`; the message says where.
            OSError: if there is no such file.
        """
        source, data = str(path), Path(path).read_bytes()
        if data.startswith(_GZIP):
            try:
                data = gzip.GzipFile(fileobj=BytesIO(data)).read(MOST_UNPACKED + 1)
            except (OSError, EOFError, zlib.error) as error:
                raise _refusal(source, f"it cannot be unpacked ({error})")
            if len(data) > MOST_UNPACKED:
                most = f"{MOST_UNPACKED / 2**20:.0f} MiB"
                raise _refusal(source, f"unpacked, it has more than {most}")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise _refusal(source, f"it is not text ({error.reason})")
        return cls.from_json(text, source=source)

    @classmethod
    def from_json(cls, text: str, *, source: str = "the text") -> "Trace":
        """Read a document from its text; `source` names it in errors.

        Raises:
            DataError: if the text is no sound `glassgrad.trace/1`; the message says where.
        """
        with uncollected():
            try:
                document = json.loads(text, parse_constant=_no_constant)
            except RecursionError:
                raise _refusal(source, "it is nested too deeply")
            except ValueError as error:
                raise _refusal(source, f"it is not JSON ({error})")
            return cls.from_document(document, source=source)

    @classmethod
    def from_document(cls, document: Any, *, source: str = "the document") -> "Trace":
        """Take a parsed document, after checking all of it; `source` names it in errors.

        Raises:
            DataError: if it is no sound `glassgrad.trace/1`; the message says where.
        """
        with uncollected():
            found = problem(document)
        if found:
            raise _refusal(source, found)
        return cls(document["graph"], document["arrays"], document["events"])

    def check(self, name: str) -> None:
        """Look through a trace that may be made by hand, for a function that relies on the format.

        Args:
            name: of that function, for the error.

        Raises:
            DataError: if it is not sound; the message says where.
        """
        if len(self.nodes) + len(self.events) <= MOST_CHECKED:
            Trace.from_document(self.document(), source=f"the trace given to {name}()")

    def document(self) -> Entry:
        """The whole as one dict, as it is in the file."""
        return {
            "schema": SCHEMA,
            "graph": self.graph,
            "arrays": self.arrays,
            "events": self.events,
        }

    def __repr__(self) -> str:
        nodes, events = counted(len(self.nodes), "node"), counted(len(self.events), "event")
        return f"Trace({nodes}, {counted(len(self.leaves), 'leaf', 'leaves')}, {events})"


def _lines(trace: Trace) -> Iterator[str]:
    """The document in pieces: a million nodes need not be one string in memory."""
    yield f'{{"schema": {_text(SCHEMA)},\n "graph": {{\n'
    parts = ["nodes", "leaves", "outputs"] if trace.outputs else ["nodes", "leaves"]
    for name in parts:
        closing = "]" if name == parts[-1] else "],\n"
        yield from _block(f'  "{name}": [', _texts(trace.graph[name]), closing, "\n   ")
    for name in ("checkpoints", "levels", "inside", "wanted"):
        if name in trace.graph:
            yield f',\n  "{name}": {_text(trace.graph[name])}'
    names = sorted(trace.arrays, key=_rank)
    entries = _texts(trace.arrays[name] for name in names)
    arrays = (f"{_text(name)}: {text}" for name, text in zip(names, entries, strict=True))
    yield from _block('},\n "arrays": {', arrays, "},\n", "\n  ")
    yield from _block(' "events": [', _texts(trace.events), "]}\n", "\n  ")


def _block(opening: str, rows: Iterable[str], closing: str, line: str) -> Iterator[str]:
    """Rows with commas between them, each after the beginning of a `line`."""
    yield opening
    for rank, row in enumerate(rows):
        yield ("," if rank else "") + line + row
    yield closing


def _rank(name: str) -> tuple[int, str]:
    return int(name[1:]) if name[1:].isdigit() else -1, name


def _texts(entries: Iterable[Entry]) -> Iterator[str]:
    """Each entry as text. Most have their fields in order, which many tell faster than one."""
    entries = iter(entries)
    while some := list(islice(entries, 1000)):
        yield from map(_as_text if _are_in_order(some) else _text, some)


def _are_in_order(values: list[Any]) -> bool:
    """Whether all dicts in there, in whatever they are, have their fields in order."""
    while values:
        dicts = [value for value in values if type(value) is dict]
        if not all(list(names) == _order(names) for names in set(map(tuple, dicts))):
            return False
        lists = [value for value in values if type(value) is list]
        if len(dicts) + len(lists) < len(values):  # of classes that are told apart one by one
            return False
        parts = chain(*map(dict.values, dicts), *lists)
        values = [part for part in parts if type(part) not in _PLAIN]
    return True


def _text(value: Any) -> str:
    return _as_text(_ordered(value))


def _as_text(value: Any) -> str:
    text = _encode(value)
    if text.isascii():
        return text
    # Half of a surrogate pair (a name can hold one) has no UTF-8, and a terminal would obey other
    # signs; JSON can say them in ASCII.
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        parts = [(key, value[key]) for key in _order(tuple(value))]
        return {key: part if type(part) in _PLAIN else _ordered(part) for key, part in parts}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _PLAIN else _ordered(item) for item in value]
    return value


@lru_cache(maxsize=1000)
def _order(keys: tuple[str, ...]) -> list[str]:
    """The fields of an entry in the order of the file: of all entries of a kind the same."""
    last = len(_ORDER)
    return sorted(keys, key=lambda key: (_ORDER.get(key, last), key))


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_PLAIN = frozenset((str, int, float, bool, type(None)))
_EFFORT = 3  # of 9, of gzip: from there on a trace takes twice the time and gets hardly smaller
_GZIP = b"\x1f\x8b"  # how such a file begins


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


def _refusal(source: str, found: str) -> DataError:
    return DataError(
        f"{source} is not a {SCHEMA} document: {found}. "
        "Every picture is drawn from such a document, and would show what never happened. "
        "Write one with `gg.record(loss).save(path)`."
    )


# Is a document a trace? -------------------------------------------------------------------------
# The schema file in this package is the one description of the format; then ids are looked at. A
# document is first held against both as a whole (`fitting.py`): a log may have a million events.
# Only in one that does not fit, the place is looked for.


Problem = str | None  # "where: what"; None: there is none


@cache
def load_schema() -> Entry:
    """The JSON schema of `glassgrad.trace/1` (shared: do not change it)."""
    text = resources.files("glassgrad.tracing").joinpath("trace-1.schema.json").read_text("utf-8")
    schema: Entry = json.loads(text)
    return schema


def problem(document: Any) -> Problem:
    """The first thing that is wrong with `document`, as "where: what"; None for a sound trace.

    Example:
        >>> problem({"schema": "glassgrad.trace/1", "graph": {"nodes": []}, "arrays": {}})
        "the document: 'events' is missing"
    """
    return _problem(document, sound.DEEPEST)


def _problem(document: Any, depth: int) -> Problem:
    """The same, with passes inside of passes to that depth."""
    schema = load_schema()
    fitting = Fitting(schema, most=sound.LARGEST, names=_NO_REFERENCES)
    steps: list[Callable[[Any], Problem]] = [_twice, _disorder, sound.misfit]
    if not (fitting.fits([document], schema) and fitting.refers_to(_known(document))):
        steps = [fitting.misfit, _twice, _dangling, *steps[1:]]
    for wrong_in in steps:
        if wrong := wrong_in(document):
            return wrong
    for index, event in enumerate(document["events"]):
        if "inner" in event:
            wrong = _problem(event["inner"], depth - 1) if depth else "it is nested too deeply"
            if wrong:
                return f"events[{index}].inner: {wrong}"
    return None


_NO_REFERENCES = ("id", "storage", "hook", "edge", "inside", "wanted")
"""The fields whose id is the entry's own, or of what is no entry, or is looked at in `sound.py`."""


# --- what refers to what -----------------------------------------------------------------------


def _known(document: Entry) -> set[str]:
    """The ids of all entries."""
    graph = document["graph"]
    parts = [graph.get(name, ()) for name in ("nodes", "leaves", "outputs", "checkpoints")]
    return {*[entry["id"] for part in parts for entry in part], *document["arrays"]}


def _twice(document: Entry) -> Problem:
    """The kind of entries of which two have the same id."""
    for name in ("nodes", "leaves", "checkpoints"):
        entries = document["graph"].get(name, [])
        if len({entry["id"] for entry in entries}) < len(entries):
            return f"graph.{name}: two {name} have the same id"
    return None


def _dangling(document: Entry) -> Problem:
    """The first id that is used and not defined."""
    graph, known = document["graph"], _known(document)
    names = "nodes", "leaves", "outputs", "checkpoints"
    parts = {f"graph.{name}": graph.get(name, []) for name in names}
    for where, part in (parts | {"events": document["events"]}).items():
        for index, entry in enumerate(part):
            if unknown := _unknown(entry, known):
                return f"{where}[{index}]: {unknown}"
    return None


def _disorder(document: Entry) -> Problem:
    """A circle of edges, or the first event that is out of order."""
    if circle := _circle(document["graph"]["nodes"]):
        return f"graph.nodes: the edges lead in a circle, {circle}"
    events = document["events"]
    for index, event in enumerate(events):
        if event["k"] != index:
            return f"events[{index}].k: expected {index}, found {event['k']}"
        if event["type"] == "error" and index + 1 < len(events):
            return f"events[{index}]: an error ends the pass, and other events follow"
    return None


_ARRAYS = ("array", "grad", "before", "after", "grad_in", "grad_out")
REFERENCES = (
    *("to", "acc", "node", "base", "origin", "tensor", "leaf", "owner", "checkpoint", "for"),
    *("until", "ran", *_ARRAYS),
)
"""The fields whose value is the id of something else, or a list of ids."""

_MISSING = {
    "to": "an edge leads to {}, which is not in the graph",
    "base": "its base {} is not in the graph",
    "origin": "its origin {} is not in the graph",
}


def _unknown(entry: Entry, known: set[str]) -> Problem:
    """The first id in an entry, or in one of a list in it, that is not defined."""
    for key, value in entry.items():
        is_list = type(value) is list
        if key in REFERENCES:
            for name in value if is_list else (value,):
                if name is not None and name not in known:
                    return _MISSING.get(key, key + " {} is not in the trace").format(name)
        elif is_list and value and type(value[0]) is dict:
            kind = {"saved": "saved tensor", "retains": "retained tensor", "made": "made"}.get(key)
            for item in value:
                if wrong := _unknown(item, known):
                    return wrong if kind is None else f"{kind} {item['name']!r}: {wrong}"
    return None


def _circle(nodes: list[Entry]) -> Problem:
    """A circle of edges, as text. Every view walks the edges, and would walk it for ever."""
    rank: dict[str | None, int] = {node["id"]: at for at, node in enumerate(nodes)} | {None: -1}
    if all(rank[edge["to"]] < at for at, node in enumerate(nodes) for edge in node["edges"]):
        return None  # as in every trace of a pass
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for node in nodes:
        sorter.add(node["id"], *(edge["to"] for edge in node["edges"] if edge["to"] is not None))
    try:
        sorter.prepare()
    except CycleError as error:
        return " → ".join(error.args[1])
    return None
