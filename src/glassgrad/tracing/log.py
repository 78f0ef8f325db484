"""The log of a watched pass: its phases, as the engine does them, become events of a trace.

`record` and a live `Session` both keep one. It looks at a pass and never changes what it computes.

Note [What the log may remember]

One gradient passes by several times, as what a rule gave, what waits, and what goes into the next
rule, and it is the same array each time. Looking at all its elements each time would be most of
the work. So an array is known by its identity as long as nobody can have written it: the engine
adds in place only to arrays that nobody refers to, and the log does; built-in rules write into
none. Whatever else runs may write: hooks, rules of users, whoever steps a session, and the sum
into a `.grad` that was there before. After each of them the log forgets what it knew, and what
goes into code of a user is looked at before that runs.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from weakref import ReferenceType

import numpy as np

from glassgrad.core import state
from glassgrad.core.engine import GraphTask
from glassgrad.core.errors import StaleTensorError
from glassgrad.core.graph import AccumulateGrad, Node, ends
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import HOOK_PHASES, Phase

from .describing import Names, describe, error_in_words, numbers, saved_by
from .events import Trace
from .growing import Growth
from .levels import batch_of
from .rewind import has_builtin_rule
from .summary import ArrayTable

__all__ = ["Log"]


class _Mark(NamedTuple):
    """How long a log was."""

    events: int
    arrays: int
    hooks: int
    spans: int


class Log:
    """Writes down what one pass does.

    Args:
        task: the pass, which has not begun.
        names: the ids of what it meets.
        outputs: the tensors that it starts from.
        full: keep all elements of all arrays.

    Attributes:
        graph: the graph as it was when the pass began.
        table: the arrays the events speak of.
        events: what has happened so far.
    """

    def __init__(
        self, task: GraphTask, names: Names, outputs: list[Tensor], *, full: bool = False
    ) -> None:
        self.task, self.names = task, names
        self.table = ArrayTable(full=full)
        self.events: list[dict[str, Any]] = []
        self.graph = describe(names, self.table, outputs)
        self.table.forget()
        self._growth = Growth(task, names) if task.recording else None
        if self._growth is None:
            names.forget_storages()
        self._need = _incoming(task)
        self._have: Counter[str] = Counter()
        self._next = ""
        self._entering: list[str | None] = []
        self._may_write = False
        for node in task.schedule:
            if not self._need[node]:
                self._emit("ready", node)

    # What the log tells -------------------------------------------------------------------------

    def trace(self) -> Trace:
        """The graph as it was when the pass began, with what has grown since, and the events."""
        graph, table = self.graph, self.table.copy()
        if self._growth is not None:
            graph = self._growth.added_to(graph, table)
        return Trace(graph, table.summaries, list(self.events))

    def all_names(self) -> Names:
        """The ids of all nodes that `trace` tells of."""
        return self.names if self._growth is None else self._growth.all_names()

    def close(self) -> None:
        """Let go of all arrays; what is written stays."""
        if self._growth is not None:
            self.graph = self._growth.added_to(self.graph, self.table)
            self.names, self._growth = self.all_names(), None
        self.forget()
        self.names.forget_storages()

    # Back and forth -----------------------------------------------------------------------------

    def mark(self) -> _Mark:
        """This moment, for `rewind`."""
        spans = 0 if self._growth is None else len(self._growth.spans)
        return _Mark(len(self.events), len(self.table), self.names.hook_count, spans)

    def rewind(self, mark: _Mark) -> None:
        """Forget what happened since `mark`, so that going on gives the same log again."""
        for event in self.events[mark.events :]:
            if event["type"] == "buffer":
                self._have[event["node"]] -= 1
        del self.events[mark.events :]
        self.table.cut(mark.arrays)
        self.names.cut_hooks(mark.hooks)
        if self._growth is not None:
            del self._growth.spans[mark.spans :]

    def forget(self) -> None:
        """Let go of all arrays, which somebody may be about to write: see the note above."""
        self.table.forget()

    # One phase ----------------------------------------------------------------------------------

    def run(self) -> None:
        """The whole pass in one go."""
        self.task.within(self._run)

    def _run(self) -> None:
        while not self.task.is_over:
            self.step(self.task.step_here)

    def step(self, advance: Callable[[], Phase | None]) -> Phase | None:
        """Have the pass do its next phase by calling `advance`, and write it down.

        An exception is written down too, and has the log so far as its attribute `trace`.
        """
        self._look_ahead()
        under_way = self.task.buffers, self.task.turn
        try:
            is_plain = not self._may_write and self._growth is None
            phase = advance() if is_plain else self._listening(advance)
        except BaseException as error:
            self._failed(self._node, error, under_way)
            raise
        if self._may_write or phase is None:
            self.forget()
        if phase is not None:
            _WRITERS[phase.kind](self, phase)
        return phase

    @property
    def _node(self) -> Node | None:
        """The node whose turn it is."""
        task = self.task
        return task.schedule[task.position] if task.position < len(task.schedule) else None

    def _listening(self, advance: Callable[[], Phase | None]) -> Phase | None:
        """Call `advance`, while users' rules tell what they read, and new nodes are told apart."""
        outer, modes.tracer = modes.tracer, self._told
        state.tracing.add(id(self))
        if self._growth is not None:
            self._growth.begin(self._node)
        try:
            return advance()
        finally:
            modes.tracer = outer
            state.tracing.discard(id(self))
            if self._growth is not None:
                self._growth.end()

    def _look_ahead(self) -> None:
        """Note what goes into the next phase, which may be written there."""
        turn = self.task.turn
        if turn is None:
            self._next, self._may_write = "", self._node is None  # callbacks for the end
            return
        self._next = kind = turn.upcoming[0]
        self._may_write = kind in _FREE
        if kind in ("apply", "pre_hook"):
            self._entering = self._arrays(turn.grads)
            self._may_write = kind != "apply" or not has_builtin_rule(turn.node)
        elif kind == "post_hook":
            self._entering = self._arrays(turn.results)
        elif kind == "accumulate":
            had, came = self._arrays([_grad_of(turn.node), turn.grads[0]])
            self._entering, self._may_write = [had, came], had is not None
            self.table.drop(turn.grads[0])  # so that it can become the `.grad` itself
        elif kind == "post_accumulate":
            self._entering = self._arrays([_grad_of(turn.node)])

    def _on_ready(self, _: Phase) -> None:
        """It is written down where the last gradient arrives."""

    def _on_hook(self, phase: Phase) -> None:
        if isinstance(phase.detail, ReferenceType):
            return  # a tensor that retains its gradient: nobody's hook
        hook = self.names.hook(phase.node, phase.detail)
        after = self._arrays(phase.after)
        self._emit(phase.kind, phase.node, hook=hook, before=self._entering, after=after)

    def _on_apply(self, phase: Phase) -> None:
        node = phase.node
        if isinstance(node, PrimitiveNode) and any(grad is not None for grad in phase.before):
            self._unpacked("unpack", node)
        self._emit("apply", node, grad_in=self._entering, grad_out=self._arrays(phase.after))
        self.table.release()

    def _on_accumulate(self, phase: Phase) -> None:
        node, came, (had, name) = phase.node, phase.before[0], self._entering
        assert isinstance(node, AccumulateGrad)
        grad = _grad_of(node)
        if grad is None or had is not None or name is None:
            array = self._arrays([grad])[0]
        else:  # the first one, which is what came, or a copy of that
            array = self.table.add_alike(numbers(grad), numbers(came), name, batch_of(grad))
        self._emit("accumulate", tensor=self.names.leaf[node], grad=array)
        self.table.release()

    def _on_post_accumulate(self, phase: Phase) -> None:
        node, after = phase.node, self._arrays([_grad_of(phase.node)])
        hook = self.names.hook(node, phase.detail)
        self._emit("post_hook", node, hook=hook, before=self._entering, after=after)

    def _on_free_saved(self, phase: Phase) -> None:
        self._emit("free_saved", phase.node, bytes=phase.detail)

    def _on_buffer(self, phase: Phase) -> None:
        node, (source, position) = phase.node, phase.detail
        name, slot = self.names.node[node], ends(source.edges[position])[1]
        waiting = self.task.buffers.get(node)
        waiting = waiting[slot] if type(waiting) is list else waiting
        grad = None if waiting is None else self._array(waiting)
        self._have[name] += 1
        have, need = self._have[name], self._need[node]
        edge = f"e{self.names.node[source][1:]}-{position}"
        self._emit("buffer", node, slot=slot, have=have, need=need, edge=edge, grad=grad)
        if have == need:
            self._emit("ready", node)

    # Events -------------------------------------------------------------------------------------

    def _emit(self, kind: str, node: Node | None = None, **fields: Any) -> None:
        event: dict[str, Any] = {"k": len(self.events), "type": kind}
        if node is not None:
            event["node"] = self.names.node[node]
        event |= fields
        self.events.append(event)

    def _arrays(self, grads: Iterable[Any]) -> list[str | None]:
        return [None if grad is None else self._array(grad) for grad in grads]

    def _array(self, grad: Any) -> str:
        if type(grad) is np.ndarray:  # as nearly all are
            return self.table.add_still(grad)
        return self.table.add_still(numbers(grad), batch_of(grad))

    def _told(self, kind: str, node: Node) -> None:
        """The tracer: somebody asks for `ctx.saved_tensors`; a rule of this pass, or of another."""
        if modes.task is self.task and node in self.names.node:
            self._unpacked(kind, node)

    def _unpacked(self, kind: str, node: Node) -> None:
        """A rule reads what its node saved."""
        for name, _, saved, now in saved_by(node):
            self._emit(kind, node, saved=name, version=[saved, now])

    def _failed(
        self, node: Node | None, error: BaseException, under_way: tuple[dict[Any, Any], Any]
    ) -> None:
        """Write down what ended the pass, and close the log over what was under way then."""
        stale: dict[str, str] = {}
        if node is not None and isinstance(error, StaleTensorError):
            for name, _, saved, now in saved_by(node):
                if isinstance(node, PrimitiveNode) and self._next == "apply":
                    self._emit("unpack", node, saved=name, version=[saved, now])
                if saved != now:
                    stale = {"saved": name}
                    break
        self._emit("error", node, **stale, **error_in_words(error))
        if self._growth is not None:
            self._growth.waiting, self._growth.turn = under_way
        self.close()
        under_way[0].clear()  # the frames of the exception are not to keep the gradients alive
        vars(error)["trace"] = self.trace()


_WRITERS: dict[str, Callable[[Log, Phase], None]] = {
    "ready": Log._on_ready,
    "pre_hook": Log._on_hook,
    "apply": Log._on_apply,
    "post_hook": Log._on_hook,
    "accumulate": Log._on_accumulate,
    "post_accumulate": Log._on_post_accumulate,
    "free_saved": Log._on_free_saved,
    "buffer": Log._on_buffer,
}

_FREE = (*HOOK_PHASES, "pass_by")
"""The phases in which hooks of users run."""


def _incoming(task: GraphTask) -> Counter[Node]:
    """How many edges lead to each node of the pass from nodes that run."""
    needed = task.schedule.needed
    running = [node for node in task.schedule if needed is None or node in needed]
    return Counter(ends(edge)[0] for node in running for edge in node.edges if edge is not None)


def _grad_of(node: Any) -> Tensor | None:
    """The `.grad` of the leaf of an AccumulateGrad."""
    assert isinstance(node, AccumulateGrad)
    cold = node.variable.cold
    return None if cold is None else cold.grad
