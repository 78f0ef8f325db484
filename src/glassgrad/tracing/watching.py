"""`watching()`: the log of every backward pass that runs in a block, or each of them live.

Of most passes a program holds no loss in its hands: a transform runs one when its function has
returned, a `hessian` one for all rows at once, a hook or a user's rule may run one inside of
another. Here they are stopped where they begin.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, overload

from glassgrad.core.engine import GraphTask
from glassgrad.core.errors import ArgumentTypeError, GraphError
from glassgrad.core.graph import GradientEdge, Node
from glassgrad.core.state import modes, set_modes

from .describing import Names
from .events import Trace
from .log import Log
from .session import Session
from .snapshot import check_values
from .together import ids_of, together

__all__ = ["Passes", "watching"]

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
    outer = modes.watcher
    set_modes(watcher=watcher.watch)
    try:
        yield watcher.passes
    finally:
        set_modes(watcher=outer)
        watcher.passes._close()


class Passes(Sequence[Trace]):
    """The logs of the passes that ran in a block; made by `watching`.

    `draw(passes)` shows all of them as one picture, with a frame for each level, once the block
    has ended; `draw(passes[0])` shows one.
    """

    def __init__(self) -> None:
        self._traces: list[Trace | None] = []  # in the order of their beginnings; None: under way
        self._names: list[Names | None] = []
        self._ids: list[dict[str, str]] | None = None

    @property
    def _done(self) -> list[Trace]:
        return [trace for trace in self._traces if trace is not None]

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

    def _begin(self) -> int:
        """A place for the pass that begins now."""
        self._traces.append(None)
        self._names.append(None)
        return len(self._traces) - 1

    def _keep(self, place: int, ends: "_Ends", log: Log) -> None:
        """Keep the log of a pass that is over, or has failed."""
        self._names[place] = names = log.all_names()
        self._traces[place] = _with_ends(log.trace(), names, ends)

    def _close(self) -> None:
        """Tell what is the same in several passes, and let go of the graphs."""
        self._ids = ids_of([names for names in self._names if names is not None])
        self._names.clear()

    def __repr__(self) -> str:
        if not len(self):
            return "no passes"
        rows = [f"  {number}  {_where(trace)}: {trace!r}" for number, trace in enumerate(self)]
        return "\n".join([f"{len(self)} pass{'es' if len(self) > 1 else ''}:", *rows])


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

    def watch(self, task: GraphTask) -> None:
        """Bring a pass to its end, and keep its log."""
        if self._calling and self._calling[-1] is modes.task:
            self._let_run(task)
            return
        keep = partial(self.passes._keep, self.passes._begin(), _ends_of(task))
        if self._on_pass is None:
            self._record(task, keep)
        else:
            self._step(task, keep, self._on_pass)

    def _let_run(self, task: GraphTask) -> None:
        """Run a pass that `on_pass` asks for itself, while it looks at another."""
        set_modes(watcher=None)
        try:
            task.run()
        finally:
            set_modes(watcher=self.watch)

    def _record(self, task: GraphTask, keep: Callable[[Log], None]) -> None:
        log = Log(task, Names(task.schedule, []), [], full=self._full)
        try:
            log.run()
        finally:
            keep(log)
            task.close()
            log.close()

    def _step(self, task: GraphTask, keep: Callable[[Log], None], on_pass: OnPass) -> None:
        session = Session(task, _ends_of(task).roots)
        try:
            self._calling.append(modes.task)
            try:
                on_pass(session)
            finally:
                self._calling.pop()
            if session.is_closed and not session.is_done:
                raise _ended_early(session)
            session.breakpoints.clear()
            if not session.is_done:
                session.run()
        finally:
            keep(session._log)
            session.close()


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


class _Ends(NamedTuple):
    """Where a pass starts, and what it is run for.

    Attributes:
        roots: the edges where gradients wait at the beginning.
        wanted: the nodes whose gradients it captures.
    """

    roots: list[GradientEdge]
    wanted: list[Node]


def _ends_of(task: GraphTask) -> _Ends:
    """The ends of a pass that has not begun."""
    roots = []
    for node, waiting in task.buffers.items():
        slots = waiting if type(waiting) is list else [waiting]
        roots += [GradientEdge(node, nr) for nr, grad in enumerate(slots) if grad is not None]
    return _Ends(roots, [*task.wanted])


def _with_ends(trace: Trace, names: Names, ends: _Ends) -> Trace:
    """A trace that says where its pass started, though the tensors there are not known."""
    outputs = []
    for rank, (node, nr, _) in enumerate(ends.roots, start=len(trace.leaves)):
        shape, dtype = node._input_metadata[nr]
        place = {"id": f"t{rank}", "node": names.node[node], "slot": nr}
        outputs.append({**place, "name": None, "shape": list(shape), "dtype": str(dtype)})
    more: dict[str, Any] = {"outputs": outputs}
    if wanted := [names.node[node] for node in ends.wanted if node in names.node]:
        more["wanted"] = sorted(wanted, key=lambda name: int(name[1:]))
    return replace(trace, graph={**trace.graph, **more})
