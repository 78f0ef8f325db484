"""`watching()`: the log of every backward pass that runs in a block, or each of them live.

Of most passes a program holds no loss in its hands: a transform runs one when its function has
returned, a `hessian` one for all rows at once, a hook or a user's rule may run one inside of
another. Here they are stopped where they begin.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import Any, overload

from glassgrad._words import counted
from glassgrad.core.errors import ArgumentTypeError, GraphError
from glassgrad.core.state import modes, setting
from glassgrad.hooks.turn import GraphTask

from .events import REFERENCES, Trace
from .graph import Entry, Graph, Ids, rank_of
from .log import Log, check_values, roots_of
from .session import Session

OnPass = Callable[[Session], object]


@contextmanager
def watching(on_pass: OnPass | None = None, *, values: str = "summary") -> Iterator["Passes"]:
    """Watch every backward pass that runs in this block and in this thread.

    These are the passes of `backward` and `autograd.grad`, inside of transforms too; those that
    `grad`, `vjp`, `jacrev`, `hessian` and their kin run themselves; and those that hooks and users'
    rules run inside of others. `step` and `record` keep a log of their own, which is not in here.

    Args:
        on_pass: called at the beginning of each pass with a paused `Session` of it, before any node
            has run. It may step, look, change and set breakpoints; when it returns, the rest of
            the pass runs, and the program goes on with the gradients. It may raise, which ends
            the pass.
        values: "summary" or "full", as for `record`. What `on_pass` steps has summaries.

    Yields:
        The `Passes` so far: a sequence of `Trace`s in the order in which the passes began. Where a
        pass ran under `vmap`, the shapes in it are those of one example, and arrays say how many
        there are. Until the block ends, the graphs of its passes are kept alive.

    Raises:
        ArgumentError: if `values` is neither "summary" nor "full".
        ArgumentTypeError: if `on_pass` cannot be called.
        GraphError: in the block, if `on_pass` closed a session before the end of its pass.

    Example:
        >>> cubed = glassgrad.func.grad(glassgrad.func.grad(lambda x: x**3))
        >>> with watching() as passes:
        ...     cubed(tensor(2.0))
        tensor(12.)
        >>> passes
        2 passes:
          0  level 2: grad inside grad: Trace(6 nodes, 2 leaves, 6 events)
          1  level 1: grad: Trace(4 nodes, 1 leaf, 16 events)
        >>> with watching(lambda session: print(session.run_until("Exp").current.name())):
        ...     _ = glassgrad.func.grad(lambda x: x.exp().sin())(tensor(0.0))
        ExpBackward0
    """
    check_values(values)
    if on_pass is not None and not callable(on_pass):
        raise ArgumentTypeError(
            f"watching() was given a {type(on_pass).__name__}. It calls `on_pass(session)` for "
            "each pass. Pass a function, or nothing to have the passes recorded: "
            "`with watching() as passes:`."
        )
    watcher = _Watcher(on_pass, full=values == "full")
    try:
        with setting(watcher=watcher.watch):
            yield watcher.passes
    finally:
        watcher.passes._close()


class Passes(Sequence[Trace]):
    """The logs of the passes that ran in a block; made by `watching`.

    `draw(passes)` shows all of them as one picture, with a frame for each level, once the block
    has ended; `draw(passes[0])` shows one.
    """

    def __init__(self) -> None:
        self._begun = 0
        self._traces: dict[int, Trace] = {}  # by their places in the order of beginnings
        self._graphs: dict[int, Graph] = {}
        self._ids: list[Ids] | None = None

    @property
    def _done(self) -> list[Trace]:
        return [self._traces[place] for place in sorted(self._traces)]

    def __len__(self) -> int:
        return len(self._done)

    @overload
    def __getitem__(self, index: int) -> Trace: ...

    @overload
    def __getitem__(self, index: slice) -> list[Trace]: ...

    def __getitem__(self, index: int | slice) -> Trace | list[Trace]:
        return self._done[index]

    def together(self) -> Trace:
        """All passes as one trace: a node that ran in several is in it once.

        A node that was recorded while another one's rule ran has that as its `origin`. Of the
        errors that ended passes it has that of the last pass only.

        Raises:
            GraphError: if there is no pass, or the block has not ended.
        """
        if self._ids is None or not len(self):
            why = "the block has not ended" if self._ids is None else "none ran in the block"
            raise GraphError(
                f"the passes of watching() cannot be put together: {why}. The picture is of all "
                "of them. Write `draw(passes)` behind a `with watching() as passes:` block in "
                "which a gradient is computed."
            )
        return together(self._done, self._ids)

    def _close(self) -> None:
        """Tell what is the same in several passes, and let go of the graphs."""
        self._ids = ids_of([self._graphs[place] for place in sorted(self._graphs)])
        self._graphs.clear()

    def __repr__(self) -> str:
        if not len(self):
            return "no passes"
        rows = [f"  {number}  {_where(trace)}: {trace!r}" for number, trace in enumerate(self)]
        return "\n".join([f"{counted(len(self), 'pass', 'passes')}:", *rows])


def _where(trace: Trace) -> str:
    """The tape that a pass went along, and the transforms around it."""
    levels = trace.graph.get("levels")  # gradients may lie on lower ones: the tape is the last
    tape = f"level {levels[-1]['level']}: {levels[-1]['kind']}" if levels else "base tape"
    inside = trace.graph.get("inside")
    return tape + (f" inside {' of '.join(inside)}" if inside else "")


class _Watcher:
    """Takes over the passes that begin in one block."""

    def __init__(self, on_pass: OnPass | None, *, full: bool) -> None:
        self.passes = Passes()
        self._on_pass, self._full = on_pass, full
        self._calling: list[GraphTask | None] = []  # the passes inside of which `on_pass` is called

    def watch(self, task: GraphTask) -> Trace | None:
        """Bring a pass to its end, and keep its log, which is returned."""
        if self._calling and self._calling[-1] is modes.task:
            self._let_run(task)
            return None
        passes, roots = self.passes, roots_of(task)
        place, passes._begun = passes._begun, passes._begun + 1
        if self._on_pass is None:
            log = Log(task, Graph(task.schedule, roots), full=self._full)
            run, close = log.run, log.close
        else:
            session = Session(task, roots)
            log, run, close = session._log, partial(self._step, session), session.close
        try:
            run()
        finally:
            passes._traces[place], passes._graphs[place] = log.trace(), log.whole_graph()
            task.close()
            close()
        return passes._traces[place]

    def _let_run(self, task: GraphTask) -> None:
        """Run a pass that `on_pass` asks for itself, while it looks at another."""
        with setting(watcher=None):
            task.run()

    def _step(self, session: Session) -> None:
        assert self._on_pass is not None, "else nobody steps"
        self._calling.append(modes.task)
        try:
            self._on_pass(session)
        finally:
            self._calling.pop()
        if session.is_closed and not session.is_done:
            raise _ended_early(session)
        session.breakpoints.clear()
        if not session.is_done:
            session.run()


def _ended_early(session: Session) -> GraphError:
    """What to say of a pass that somebody waits for, and that will not come to its end."""
    where = f"after {session.position} of {len(session.schedule)} nodes"
    if (last := session.trace.events[-1])["type"] == "error":
        return GraphError(
            f"this pass failed {where} ({last['error']}: {last['message']}), and on_pass caught "
            "that. Whoever began this pass goes on with its gradients, and they are not known. "
            "Let the exception leave on_pass, and catch it around what began the pass."
        )
    return GraphError(
        f"on_pass closed its session {where}. Whoever began this pass goes on with its "
        "gradients, and they are not known. Return without closing the session (a `with session:` "
        "block closes it), and the rest of the pass runs."
    )


# Several passes as one trace ----------------------------------------------------------------------


def ids_of(passes: Iterable[Graph]) -> list[Ids]:
    """For each pass, ids of its nodes, leaves and hooks that mean the same in all of them.

    Args:
        passes: the names that each pass gave.
    """
    passes = list(passes)
    whole = Graph(dict.fromkeys([node for graph in passes for node in graph.nodes]), [])
    found = []
    for graph in passes:
        ids = {name: whole.node[node] for node, name in graph.node.items()}
        ids |= {name: whole.leaf[node] for node, name in graph.leaf.items()}
        ids |= {name: whole.hook(key[0], hook) for key, (name, hook) in graph.hook_ids.items()}
        found.append(ids)
    return found


def together(traces: Iterable[Trace], ids: Iterable[Ids]) -> Trace:
    """The trace of several passes. What several have is as the first of them found it.

    Args:
        ids: as from `ids_of`.
    """
    whole: dict[str, dict[Any, Entry]] = {part: {} for part in _KEYS}
    wanted: set[str] = set()
    arrays: dict[str, Entry] = {}
    events: list[Entry] = []
    storages = 0
    for trace, known in zip(traces, ids, strict=True):
        holders = (*trace.nodes, *trace.graph.get("checkpoints", ()), *trace.events)
        held = {kept["storage"]: None for kept in held_by(holders)}
        names = known | _numbered_on("a", trace.arrays, len(arrays))
        names |= _numbered_on("s", held, storages)
        storages += len(held)
        calls = [call["id"] for call in trace.graph.get("checkpoints", ())]
        names |= _numbered_on("c", calls, len(whole["checkpoints"]))
        arrays |= {names[name]: entry for name, entry in trace.arrays.items()}
        for part, key in _KEYS.items():
            for entry in trace.graph.get(part, ()):
                new = renamed(entry, names)
                whole[part].setdefault(key(new), new)
        wanted |= {names[name] for name in trace.graph.get("wanted", ())}
        if events and events[-1]["type"] == "error":
            events.pop()  # it would be the end of all; the trace of that pass has it
        for event in trace.events:
            events.append(renamed(event, names) | {"k": len(events)})
    outputs = list(whole.pop("outputs").values())
    graph = {part: [found[key] for key in sorted(found)] for part, found in whole.items()}
    for rank, node in enumerate(graph["nodes"]):
        node["seq"] = rank
    for rank, output in enumerate(outputs, start=len(graph["leaves"])):
        output["id"] = f"t{rank}"
    for part in ("levels", "checkpoints"):
        if not graph[part]:
            del graph[part]
    wanted_too = {"wanted": sorted(wanted, key=rank_of)} if wanted else {}
    return Trace({**graph, "outputs": outputs, **wanted_too}, arrays, events)


_KEYS: dict[str, Callable[[Entry], Any]] = {
    "nodes": lambda node: rank_of(node["id"]),
    "leaves": lambda leaf: rank_of(leaf["id"]),
    "checkpoints": lambda each: rank_of(each["id"]),
    "outputs": itemgetter("node", "slot"),
    "levels": itemgetter("level"),
}
"""What tells the entries of each list apart."""

_IDS = frozenset(("id", "storage", "hook", "inside", *REFERENCES))
"""The fields whose value is an id, or a list of ids."""


def renamed(entry: Entry, ids: Ids) -> Entry:
    """An entry of a trace, or of a list in one, with other ids for those that `ids` has."""
    new: Entry = {}
    for field, value in entry.items():
        if field in _IDS:
            new[field] = (
                [ids.get(x, x) for x in value] if type(value) is list else ids.get(value, value)
            )
        elif field == "edge":
            node, _, place = value[1:].partition("-")
            new[field] = f"e{ids['n' + node][1:]}-{place}"
        elif type(value) is list:  # of entries, or of numbers
            new[field] = [renamed(x, ids) if type(x) is dict else x for x in value]
        else:
            new[field] = value
    return new


def held_by(holders: Iterable[Entry]) -> Iterator[Entry]:
    """All entries that tell of memory, of nodes, checkpoints and events of a trace."""
    for holder in holders:
        for kind in ("saved", "packed", "made"):
            kept = holder.get(kind, ())
            yield from (each for each in kept if type(each) is dict and "storage" in each)


def _numbered_on(letter: str, names: Iterable[str], first: int) -> Ids:
    return {name: f"{letter}{first + rank}" for rank, name in enumerate(names)}
