"""The log of a watched pass: what its engine does becomes the events of a trace.

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

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar
from weakref import ReferenceType

from glassgrad.core import state
from glassgrad.core.errors import StaleTensorError
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import HOOK_PHASES, GraphTask, Phase
from glassgrad.memory.saved import Saved

from .engine_graph import EngineGraph, grad_of, has_builtin_rule
from .events import Trace
from .graph import Graph, Growth, rank_of
from .rewind import OF_USERS
from .summary import ArrayTable

GraphOfPass = TypeVar("GraphOfPass", bound=Graph)


class EventLog(Generic[GraphOfPass]):
    """The log of one pass, of any engine.

    Args:
        graph: what the pass goes through.
        full: keep all elements of all arrays.
        remembers: whether an array is known by its identity, until `table.forget`.

    Attributes:
        table: the arrays that the events speak of.
        events: what has happened so far.
        document: the graph as it was when the pass began.
        growth: what the pass adds to the graph, if it is recorded itself.
        have: how many gradients have arrived at each node, by its id.
        need: how many come to each node.
    """

    def __init__(
        self, graph: GraphOfPass, running: Iterable[Any], *, full: bool, remembers: bool = True
    ) -> None:
        self.graph = graph
        self.table = ArrayTable(full=full, remembers=remembers)
        self.events: list[dict[str, Any]] = []
        self.document: dict[str, Any] = {"nodes": [], "leaves": []}
        self.growth: Growth | None = None
        self.have: defaultdict[str, int] = defaultdict(int)
        self.need: defaultdict[Any, int] = defaultdict(int)
        for node in running:
            for goal, _ in graph.edges[node]:
                self.need[goal] += 1

    def trace(self) -> Trace:
        """The graph as it was when the pass began, with what has grown since, and the events."""
        document, table = self.document, self.table.copy()
        if self.growth is not None:
            document = self.growth.added_to(document, table, self._gradients())
        return Trace(document, table.summaries, list(self.events))

    def saved_by(self, node: Any) -> list[Saved]:
        """What a node holds on to."""
        return self.graph.saved_by(node)

    def _gradients(self) -> Iterable[Any]:
        """The gradients behind which the graph may have grown."""
        raise NotImplementedError

    def _emit(self, kind: str, node: Any = None, **fields: Any) -> None:
        event: dict[str, Any] = {"k": len(self.events), "type": kind}
        if node is not None:
            event["node"] = self.graph.node[node]
        event |= fields
        self.events.append(event)

    def _emit_arrival(self, source: Any, position: int, grad: Any) -> None:
        """A gradient has come along an edge of `source`; `grad` is what waits at its end now."""
        node, slot = self.graph.edges[source][position]
        name = self.graph.node[node]
        self.have[name] += 1
        have, need = self.have[name], self.need[node]
        edge = f"e{self.graph.node[source][1:]}-{position}"
        (array,) = self.table.ids((grad,))
        self._emit("buffer", node, slot=slot, have=have, need=need, edge=edge, grad=array)
        if have == need:
            self._emit("ready", node)

    def _emit_error(self, node: Any, error: BaseException, stale: str | None) -> None:
        """What ended the pass: its class, and what it says, if it can say it."""
        try:
            message = str(error)
        except Exception:  # noqa: BLE001  # the one that ended the pass is the one to raise
            message = "(no text: its __str__ raises)"
        saved = {} if stale is None else {"saved": stale}
        self._emit("error", node, **saved, error=type(error).__name__, message=message)


class Log(EventLog[EngineGraph]):
    """The log of a pass of glassgrad's engine.

    Args:
        task: the pass, which has not begun.
        graph: what it goes through.
        full: keep all elements of all arrays.
    """

    def __init__(self, task: GraphTask, graph: EngineGraph, *, full: bool = False) -> None:
        needed = task.schedule.needed
        running = [node for node in task.schedule if needed is None or node in needed]
        super().__init__(graph, running, full=full)
        self.task = task
        self.document = graph.describe(self.table)
        if wanted := [graph.node[node] for node in task.wanted if node in graph.node]:
            self.document["wanted"] = sorted(wanted, key=rank_of)
        self.table.forget()
        if task.recording:
            self.growth = Growth(graph, ())
        else:
            graph.forget_storages()
        self._entering: list[str | None] = []
        self._may_write = False
        for node in task.schedule:
            if not self.need[node]:
                self._emit("ready", node)

    def whole_graph(self) -> EngineGraph:
        """The graph of all nodes that `trace` tells of."""
        if self.growth is None:
            return self.graph
        whole = self.growth.whole(self._gradients())
        assert isinstance(whole, EngineGraph)
        return whole

    def close(self) -> None:
        """Let go of all arrays; what is written stays."""
        if self.growth is not None:
            self.document = self.growth.added_to(self.document, self.table, self._gradients())
            self.graph, self.growth = self.whole_graph(), None
        self.table.forget()
        self.graph.forget_storages()

    # Back and forth -----------------------------------------------------------------------------

    def mark(self) -> tuple[int, int, int, int]:
        """This moment, for `rewind`: how many events, arrays, hooks and spans there are."""
        spans = 0 if self.growth is None else len(self.growth.spans)
        return len(self.events), len(self.table), len(self.graph.hook_ids), spans

    def rewind(self, mark: tuple[int, int, int, int]) -> None:
        """Forget what happened since `mark`, so that going on gives the same log again."""
        events, arrays, hooks, spans = mark
        for event in self.events[events:]:
            if event["type"] == "buffer":
                self.have[event["node"]] -= 1
        del self.events[events:]
        self.table.cut(arrays)
        while len(self.graph.hook_ids) > hooks:
            self.graph.hook_ids.popitem()
        if self.growth is not None:
            del self.growth.spans[spans:]

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
        task, turn = self.task, self.task.turn
        under_way = task.buffers, turn
        at_end = task.position == len(task.schedule)
        kind = "" if turn is None else turn.upcoming[0]
        # Where code of a user may write: in hooks, rules, callbacks for the end of the pass.
        self._may_write = kind in OF_USERS or at_end
        if kind in _LOOKED_AT:
            self._look_ahead(kind, turn)
        try:
            is_plain = not self._may_write and self.growth is None
            phase = advance() if is_plain else self._listening(advance)
        except BaseException as error:
            node = None if at_end else task.schedule[task.position]
            self._failed(kind, node, error, under_way)
            raise
        if self._may_write or phase is None:
            self.table.forget()
        if phase is not None and phase.kind != "ready":  # that is told where the last one arrives
            getattr(self, f"_on_{phase.kind}")(phase)
        return phase

    def _listening(self, advance: Callable[[], Phase | None]) -> Phase | None:
        """Call `advance`, while users' rules tell what they read, and new nodes are told apart."""
        task = self.task
        outer, modes.tracer = modes.tracer, self._told
        state.tracing.add(id(self))
        if self.growth is not None:
            is_over = task.position == len(task.schedule)
            self.growth.begin(state.next_seq(), None if is_over else task.schedule[task.position])
        try:
            return advance()
        finally:
            modes.tracer = outer
            state.tracing.discard(id(self))
            if self.growth is not None:  # whoever steps the pass may make nodes
                self.growth.begin(state.next_seq(), None)

    def _look_ahead(self, kind: str, turn: Any) -> None:
        """Note what goes into the next phase, which may be written there."""
        if kind == "post_hook":
            self._entering = self.table.ids(turn.results)
        elif kind == "post_accumulate":
            self._entering = self.table.ids((grad_of(turn.node.variable),))
        elif kind == "accumulate":
            had = grad_of(turn.node.variable)
            self._entering = self.table.ids((had, turn.grads[0]))
            self._may_write = had is not None
            self.table.drop(turn.grads[0])  # so that it can become the `.grad` itself
        else:
            self._entering = self.table.ids(turn.grads)
            self._may_write = kind != "apply" or not has_builtin_rule(turn.node)

    def _on_hook(self, phase: Phase) -> None:
        if isinstance(phase.detail, ReferenceType):
            return  # a tensor that retains its gradient: nobody's hook
        node: Any = phase.node
        kind, grads = phase.kind, phase.after
        if kind == "post_accumulate":
            kind, grads = "post_hook", (grad_of(node.variable),)
        hook, after = self.graph.hook(node, phase.detail), self.table.ids(grads)
        self._emit(kind, node, hook=hook, before=self._entering, after=after)

    _on_pre_hook = _on_post_hook = _on_post_accumulate = _on_hook

    def _on_apply(self, phase: Phase) -> None:
        node = phase.node
        if isinstance(node, PrimitiveNode) and any(self._entering):
            self._unpacked("unpack", node)
        grad_out = self.table.ids(phase.after)
        self._emit("apply", node, grad_in=self._entering, grad_out=grad_out)
        self.table.release()

    def _on_accumulate(self, phase: Phase) -> None:
        node: Any = phase.node
        grad = grad_of(node.variable)
        had, name = self._entering
        if had is not None or grad is None or grad.payload is not phase.before[0]:
            (name,) = self.table.ids((grad,))
        self._emit("accumulate", tensor=self.graph.leaf[node], grad=name)
        self.table.release()

    def _on_free_saved(self, phase: Phase) -> None:
        self._emit("free_saved", phase.node, bytes=phase.detail)

    def _on_buffer(self, phase: Phase) -> None:
        source, position = phase.detail
        node, slot = self.graph.edges[source][position]
        waiting = self.task.buffers.get(node)
        self._emit_arrival(source, position, waiting[slot] if type(waiting) is list else waiting)

    def _told(self, kind: str, node: Node) -> None:
        """The tracer: somebody asks for `ctx.saved_tensors`; a rule of this pass, or of another."""
        if modes.task is self.task and node in self.graph.node:
            self._unpacked(kind, node)

    def _unpacked(self, kind: str, node: Node) -> None:
        """A rule reads what its node saved."""
        for name, _, saved, now in self.graph.saved_by(node):
            self._emit(kind, node, saved=name, version=[saved, now])

    def _failed(
        self,
        kind: str,
        node: Node | None,
        error: BaseException,
        under_way: tuple[dict[Any, Any], Any],
    ) -> None:
        """Write down what ended the pass, and close the log over what was under way then."""
        stale = None
        if node is not None and isinstance(error, StaleTensorError):
            for name, _, saved, now in self.graph.saved_by(node):
                if isinstance(node, PrimitiveNode) and kind == "apply":
                    self._emit("unpack", node, saved=name, version=[saved, now])
                if saved != now:
                    stale = name
                    break
        self._emit_error(node, error, stale)
        self.task.buffers, self.task.turn = under_way  # of which the engine has let go
        self.close()
        self.task.close()  # the frames of the exception are not to keep the gradients alive
        vars(error)["trace"] = self.trace()

    def _gradients(self) -> Iterator[Tensor]:
        """What the pass has left in `.grad`, what it has captured, and what is under way."""
        waiting, turn = self.task.buffers, self.task.turn
        found: list[Any] = list(self.task.captured)
        for node in self.graph.nodes:
            holders = [node.variable] if isinstance(node, AccumulateGrad) else []
            holders += [tensor for _, tensor in self.graph.retained_by(node)]
            found += [grad_of(tensor) for tensor in holders]
        for grads in waiting.values():
            found += grads if type(grads) is list else [grads]
        found += [] if turn is None else [*turn.grads, *turn.results]
        return (grad for grad in found if isinstance(grad, Tensor))


_LOOKED_AT = (*HOOK_PHASES, "apply", "accumulate")
"""The phases whose gradients may be written."""
