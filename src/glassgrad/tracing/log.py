"""`record(loss)`: the log of a backward pass; `snapshot(loss)`: the graph as it is, without one.

What the engine does becomes the events of a trace. A live `Session` keeps such a log, too. It looks
at a pass and never changes what it computes. What goes into a hook or a rule is looked at before
that runs, for code of a user may write into it.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import Any
from weakref import ReferenceType

from glassgrad.autograd.scopes import segments
from glassgrad.core import state
from glassgrad.core.backward import backward_task
from glassgrad.core.engine import Grads, Schedule, fit, has_hooks
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, StaleTensorError
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, get_gradient_edge
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import modes, set_modes, setting
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import GraphTask, Phase, Turn, bytes_to_free
from glassgrad.ops import _checks as check
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Edges, Graph, grad_of, is_leaf, rank_of, reach
from glassgrad.tracing.held import size_of
from glassgrad.tracing.recomputing import Checkpoints, argument_name
from glassgrad.tracing.seen import Entry, Notes
from glassgrad.tracing.summary import ArrayTable, Taken


def record(
    tensors: Tensor | Iterable[Tensor],
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    values: str = "summary",
) -> Trace:
    """Run `tensors.backward(...)` and return the log of it.

    The pass is the real one: gradients are accumulated, hooks run, saved tensors are freed.

    While it runs, only what would be gone later is taken; the entries of the trace are made of that
    when somebody first reads it. Until then it has copies of arrays: of those up to 1 KiB, and of
    larger ones as long as these are no more than 16 MiB in the whole process. (Of the others the
    summary is made in the pass.) With `values="full"` all arrays are copied.

    Args:
        tensors: the output to differentiate, or several.
        gradient, retain_graph, create_graph, inputs: as for `backward`.
        values: "summary" keeps shape, range, norm and the first elements of each array; "full"
            keeps all elements.

    Returns:
        A Trace: `.save(path)` writes it, `draw` and `player` show it.

    Raises:
        ArgumentError: if `values` is neither "summary" nor "full".
        GraphError and its kin: as `backward`. What is raised while the pass runs has the log up to
            there as its attribute `trace`.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> record((x * x).sum()).schedule()
        ['n2', 'n1', 'n0']
    """
    options = {"retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
    return watched(tensors, None, gradient, values=values, **options)


def watched(
    tensors: Tensor | Iterable[Tensor],
    look: Callable[[str, Node, Grads], None] | None,
    gradient: Any = None,
    *,
    values: str = "summary",
    **options: Any,
) -> Trace:
    """As `record`, with an eye on the nodes while they are there.

    Args:
        look: called before each rule runs, with the id of its node, the node, which still has what
            it saved, and the gradients that it is about to be given, one per output.
        tensors, gradient, values: as for `record`, and so the `options` of the pass.
    """
    check_values(values)
    outputs = outputs_of(tensors, "record")
    task = backward_task(outputs, gradient, **options)
    task.tell_outer()
    log = Log(task, Graph(task.schedule, outputs), full=values == "full")
    try:
        if look is None:
            log.run()
        while look is not None and not task.is_over:
            log.step(task.step_here)
            turn = task.turn
            if turn is not None and turn.upcoming[0] == "apply":
                look(log.graph.node[turn.node], turn.node, turn.grads)
    finally:
        task.close()
    log.close()
    return log.trace()


def snapshot(tensors: Tensor | Iterable[Tensor], *, values: str = "summary") -> Trace:
    """The graph behind `tensors` as it is now, without running a pass.

    It can be taken before, during (in a hook) and after backward: the nodes are the same, and
    those that have let go of what they saved say so (`"freed": true`).

    Args:
        tensors: the output whose graph it is, or several.
        values: "summary" keeps shape, range, norm and the first elements of each array; "full"
            keeps all elements.

    Returns:
        A Trace without events: `draw` shows it, `compare` compares it.

    Raises:
        ArgumentError: if `values` is neither "summary" nor "full".
        ArgumentTypeError: if `tensors` are no Tensors.
        GraphError: if one of them does not require grad: it has no graph.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> loss = (x * x).sum()
        >>> snapshot(loss)
        Trace(3 nodes, 1 leaf, 0 events)
        >>> loss.backward()
        >>> [node.get("freed", False) for node in snapshot(loss).nodes]
        [False, True, False]
    """
    check_values(values)
    table = ArrayTable(full=values == "full")
    graph = graph_behind(outputs_of(tensors, "snapshot"))
    document = graph.describe(table)
    if segments:
        Checkpoints(graph, table, document)
    return Trace(document, table.summaries, [])


def graph_behind(outputs: list[Any]) -> Graph:
    """The graph behind tensors: its parts have the ids that a log of their pass gives them."""
    schedule = Schedule([get_gradient_edge(output).node for output in outputs])
    return Graph(schedule, outputs)


def roots_of(task: GraphTask) -> list[GradientEdge]:
    """The edges where gradients wait before a pass has begun."""
    roots = []
    for node, waiting in task.buffers.items():
        slots = waiting if type(waiting) is list else [waiting]
        roots += [GradientEdge(node, nr) for nr, grad in enumerate(slots) if grad is not None]
    return roots


def outputs_of(tensors: Any, function: str, *, also: tuple[type, ...] = ()) -> list[Any]:
    """`tensors` as a list; `function` names in errors what was called, and takes `also` those."""
    kinds = (Tensor, *also)
    if isinstance(tensors, kinds):
        return [tensors]
    is_torch = type(tensors).__module__.partition(".")[0] == "torch"  # it would be iterated
    outputs = list(tensors) if isinstance(tensors, Iterable) and not is_torch else [tensors]
    for output in outputs:
        if not isinstance(output, kinds):
            remedy = f"Pass the loss: `glassgrad.{function}(loss)`."
            if is_torch:
                call = function if function == "step" else "record"
                remedy = f"For a graph of PyTorch write `glassgrad.tracing.torch.{call}(loss)`."
            raise ArgumentTypeError(
                f"{function}() takes a Tensor or several, got {type(output).__name__}. "
                f"A graph hangs on tensors. {remedy}"
            )
    if not outputs:
        raise ArgumentError(
            f"{function}() was given an empty {type(tensors).__name__}. A graph hangs on tensors, "
            f"and here is none. Pass the loss: `glassgrad.{function}(loss)`."
        )
    return outputs


def check_values(values: str) -> None:
    """Refuse what says nothing of how much of each array is kept."""
    why = 'It says how much of each array the log keeps. Write `values="summary"`.'
    check.choice("values must be 'summary' or 'full'", values, ("summary", "full"), why)


# The log of a pass --------------------------------------------------------------------------------


def _is_simple(node: Any) -> bool:
    """Whether no code of a user can run in the turn of a node."""
    if node._is_quick:
        return node.cold is None and type(node.saved_tensors) is tuple
    return node.__class__ is AccumulateGrad and not has_hooks(node)


class _Buffers(dict[Any, Any]):
    """The buffers of a logged pass: who `pop`s them begins the turn of a node."""

    def __init__(self, waiting: dict[Any, Any], pop: Callable[..., Any]) -> None:
        super().__init__(waiting)
        self.pop = pop  # type: ignore[method-assign]  # that is what it is for


class EventLog:
    """The log of one pass, of any engine.

    Under `create_graph=True` it tells of the graph too that the pass leaves behind, each node with
    what made it. All nodes draw their numbers from one counter (in PyTorch, one for each thread).
    So the numbers that were drawn while the turn of a node was under way are those of the nodes
    made then, and nobody has to look at each as it is made.

    Args:
        graph: what the pass goes through.
        running: the nodes of it that run.
        full: keep all elements of all arrays.
        recorded: whether the pass is recorded itself, by `create_graph`.

    Attributes:
        notes: what has happened so far, and the graph as it was when the pass began.
        table: the arrays that the events speak of.
        spans: of a pass that is recorded, (number drawn, whose turn began then), None where one
            ended.
    """

    graph: Graph

    def __init__(self, graph: Any, running: Iterable[Any], *, full: bool, recorded: bool) -> None:
        self.graph, self.recorded = graph, recorded
        self.table = ArrayTable(full=full)
        self.notes = Notes(self.table)
        need, ids = self.notes.need, graph.node
        for node in running:
            for goal, _ in graph.edges[node]:
                if goal is not None:
                    need[ids[goal]] += 1
        self.spans: list[tuple[int, Any]] = []
        self._older = self._behind() if recorded else {}
        self._is_over = False

    @property
    def events(self) -> list[Entry]:
        """What has happened so far."""
        return self.notes.events

    def trace(self) -> Trace:
        """The graph as it was when the pass began, with what has grown since, and the events."""
        if self._is_over:  # and nothing will be noted any more
            return Trace.later(self.notes.parts)
        graph, arrays, events = self.notes.parts()
        if not self.recorded:  # and so nothing has grown
            return Trace(graph, arrays.copy(), events.copy())
        table = self.table.copy()
        return Trace(self._grown(graph, table), table.summaries, events.copy())

    def close(self) -> None:
        """Let go of all nodes; what is noted stays."""
        if self.recorded:
            graph, *_ = self.notes.parts()
            self.notes.read(self._grown(graph, self.table))
        self.graph, self.recorded, self._is_over = self.whole_graph(), False, True
        self.graph.forget_storages()

    # What has grown -----------------------------------------------------------------------------

    def whole_graph(self) -> Graph:
        """The graph of all nodes that `trace` tells of."""
        return self.graph.extended(self._behind()) if self.recorded else self.graph

    def _grown(self, document: Entry, table: ArrayTable) -> Entry:
        """The document, with what lies behind the gradients; arrays go into `table`."""
        known, graph, entries = len(self.graph.nodes), self.whole_graph(), []
        for node in graph.nodes[known:]:
            entries.append(graph.seen_node(table, node).entry(table))
            if (maker := self._maker(node)) is not None:
                entries[-1]["origin"] = graph.node[maker]
                entries[-1].pop("src", None)  # it comes from that node's rule, and not from a line
        if not entries:
            return document
        more = [graph.seen_leaf(table, leaf) for leaf in graph.leaves[len(self.graph.leaves) :]]
        leaves = document["leaves"] + [leaf.entry(table) for leaf in more]
        nodes = document["nodes"] + entries
        return document | graph.transforms() | {"nodes": nodes, "leaves": leaves}

    def _maker(self, node: Any) -> Any:
        """The node whose turn it was when `node` was made."""
        place = bisect_right(self.spans, node._sequence_nr(), key=itemgetter(0))
        is_new = not (is_leaf(node) or node in self._older)
        return self.spans[place - 1][1] if place and is_new else None

    def _behind(self) -> dict[Any, Edges]:
        """The nodes behind gradients that the graph of the pass does not have."""
        return reach(map(self.graph.node_of, self._gradients()), self.graph.node)

    def _gradients(self) -> Iterable[Any]:
        """The gradients behind which the graph may have grown."""
        raise NotImplementedError

    # Events -------------------------------------------------------------------------------------

    def _emit(self, kind: str, node: Any = None, **fields: Any) -> None:
        """Note an event. The arrays in it were taken by the table."""
        self.notes.note(kind, None if node is None else self.graph.node[node], fields)

    def _emit_arrival(self, source: Any, position: int, grad: Any) -> None:
        """A gradient has come along an edge of `source`; `grad` is what waits at its end now."""
        self.notes.note_arrival(self.graph.node[source], position, self.table.take(grad))

    def _emit_roots(self, nodes: Iterable[Any]) -> None:
        """Those that no gradient comes to from another one are ready when the pass begins."""
        for node in nodes:
            if not self.notes.need[self.graph.node[node]]:
                self._emit("ready", node)

    def _emit_error(self, node: Any, error: BaseException, stale: str | None) -> None:
        """What ended the pass: its class, and what it says, if it can say it."""
        try:
            message = str(error)
        except Exception:  # noqa: BLE001  # the one that ended the pass is the one to raise
            message = "(no text: its __str__ raises)"
        saved = {} if stale is None else {"saved": stale}
        self._emit("error", node, **saved, error=type(error).__name__, message=message)


class Log(EventLog):
    """The log of a pass of glassgrad's engine.

    Args:
        task: the pass, which has not begun.
        graph: what it goes through.
        full: keep all elements of all arrays.
    """

    _under_way: Iterable[Any] = ()
    """Of a pass that is recorded itself: what the loop has in hand, and nothing else refers to."""

    def __init__(self, task: GraphTask, graph: Graph, *, full: bool = False) -> None:
        self.task = task
        needed = task.schedule.needed
        every = task.schedule
        running = every if needed is None else [node for node in every if node in needed]
        super().__init__(graph, running, full=full, recorded=task.recording)
        self.notes.graph = graph.seen(self.table)
        if wanted := sorted(filter(None, map(graph.node.get, task.wanted)), key=rank_of):
            self.notes.graph.about["wanted"] = wanted
        self.checkpoints: Checkpoints | None = None
        if segments:
            self.checkpoints = Checkpoints(graph, self.table, self.notes.document)
        if not self.recorded:
            graph.forget_storages()
        self._entering: list[Taken] = []
        self._arrived: dict[Any, Taken] = {}  # what waits at nodes, as long as nobody can write it
        self._last_write = state.last_write
        self._is_undisturbed = not task.on_tensors  # no code of a user ran in this pass
        self._handing: tuple[list[Taken], list[int]] = [], []  # what arrives by edge; which are put
        self._leaf: Any = None  # one whose turn the loop began
        self._is_first = False  # it had no gradient then
        self._emit_roots(task.schedule)

    # Back and forth -----------------------------------------------------------------------------

    def mark(self) -> tuple[int, int, int, int]:
        """This moment, for `rewind`: how many events, arrays, hooks and spans there are."""
        return len(self.events), len(self.table), len(self.graph.hook_ids), len(self.spans)

    def rewind(self, mark: tuple[int, int, int, int]) -> None:
        """Forget what happened since `mark`, so that going on gives the same log again."""
        events, arrays, hooks, spans = mark
        self.notes.cut(events, arrays)
        del self.spans[spans:]
        while len(self.graph.hook_ids) > hooks:
            self.graph.hook_ids.popitem()

    # One phase ----------------------------------------------------------------------------------

    def run(self) -> None:
        """The whole pass in one go: the tight loop, which pops, fits and puts by what is here.

        So a log sees what goes into a rule, what comes out, and what waits at the end of each edge.
        """
        self.task.within(partial(self.step, self._run))

    def _run(self) -> None:
        task = self.task
        own = {"put": self._put, "fit": self._fit, "visit": self._visit}
        try:
            task.is_logged, task.buffers = True, _Buffers(task.buffers, self._pop)
            vars(task).update(own)
            task._run_all()
        finally:
            for name in own:  # no longer than that: they would be a cycle
                vars(task).pop(name, None)
            task.buffers = dict(task.buffers)
        self._accumulated()
        task.close()

    def _pop(self, node: Any, default: Any = None) -> Any:
        """The turn of a node begins: it takes what waits for it."""
        self._accumulated()
        self._kind = "apply"
        if self.recorded:
            self.spans.append((state.next_seq(), node))
        waiting = dict.pop(self.task.buffers, node, default)
        if self._is_undisturbed and node in self._arrived and waiting.__class__ is not list:
            self._entering = [self._arrived.pop(node)]  # nobody can have written it meanwhile
        else:
            grads = waiting if waiting.__class__ is list else [waiting]
            if waiting is None:
                grads *= node.num_outputs
            self._entering = list(map(self.table.take, grads))
            self._under_way = grads if self.recorded else ()
        if node.__class__ is AccumulateGrad:
            self._leaf, self._is_first = node, grad_of(node.variable) is None
        if not _is_simple(node):
            self._is_undisturbed = False  # from here on code of a user may have written
        return waiting

    def _accumulated(self) -> None:
        """Note what the loop has added to a leaf, if it was the turn of one."""
        leaf, self._leaf = self._leaf, None
        if leaf is not None:
            grad = grad_of(leaf.variable)
            is_known = self._is_first and grad is not None
            taken = self._entering[0] if is_known else self.table.take(grad)
            self._emit("accumulate", tensor=self.graph.leaf[leaf], grad=taken)

    def _fit(self, node: Any, results: Grads) -> Grads:
        """The rule of a node has run, and what it made is about to be handed on."""
        take, held = self.table.take, None
        made = list(map(take, results))
        if not self._is_undisturbed or state.last_write != self._last_write:
            versions = self._versions(node) if isinstance(node, PrimitiveNode) else []
            held = versions, bytes_to_free(node)
        fitted = fit(node, results)
        frees, buffers, arrivals = not self.task.keep_graph, self.task.buffers, made.copy()
        to_put: list[int] = []
        fresh: list[Node] = []
        for at, edge in enumerate(node.edges):
            part = fitted[at]
            if edge is None or part is None:
                if edge is not None and edge not in node.edges[:at]:  # else it is known from there
                    arrivals[at] = take(self._waiting_at(*self.graph.edges[node][at]))
                continue
            if part is not results[at]:
                arrivals[at] = take(part)
            if edge in buffers or edge.__class__ is GradientEdge or edge in fresh:
                to_put.append(at)
            else:
                self._arrived[edge] = arrivals[at]
                fresh.append(edge)
        self._handing = arrivals, to_put
        self._under_way = fitted if self.recorded else ()
        name = self.graph.node[node]
        self.notes.note_turn(name, self._entering, made, held, frees, arrivals)
        return fitted

    def _put(self, edge: Any, grad: Any) -> Node:
        """A gradient meets another. (A phase tells of that by itself, with none left `to_put`.)"""
        goal = GraphTask.put(self.task, edge, grad)
        arrivals, to_put = self._handing
        self._arrived.pop(goal, None)
        if to_put:
            at = to_put.pop(0)
            waiting = self.task.buffers[goal]
            if waiting.__class__ is list:
                waiting = waiting[edge.output_nr]
            if waiting is not grad:  # but the sum
                arrivals[at] = self.table.take(waiting)
            self._arrived[goal] = arrivals[at]
        return goal

    def _visit(self, node: Any) -> None:
        """The turn of a node phase by phase."""
        advance = state.anomaly or Turn.step
        turn = self.task.turn = Turn(self.task, node)
        self._leaf = None  # the phases tell of it
        while turn.at < len(turn.todo):
            phase = advance(turn)
            if phase is not None:
                self._tell(*phase)
            phase = None  # or it would refer to gradients that the next one may reuse
        self.task.turn = None

    def _waiting_at(self, node: Any, slot: int) -> Any:
        """The gradient that waits for one output of a node."""
        waiting = self.task.buffers.get(node)
        return waiting[slot] if type(waiting) is list else waiting

    def step(self, advance: Callable[[], Phase | None]) -> Phase | None:
        """Have the pass do its next phase by calling `advance`, and write it down.

        An exception is written down too, and has the log so far as its attribute `trace`.
        """
        task = self.task
        self._kind = ""
        task.about_to = self._look_ahead  # no longer than that: it would be a cycle
        if self.recorded:
            self.spans.append((state.next_seq(), task.ahead))
        try:
            with setting(tracer=self._told):
                phase = advance()
        except BaseException as error:
            self._failed(error)
            raise
        finally:
            task.about_to = None
            if self.recorded:  # whoever steps the pass may make nodes
                self.spans.append((state.next_seq(), None))
        if phase is not None and phase.kind != "ready":  # told where the last gradient arrived
            self._tell(*phase)
        return phase

    def _look_ahead(self, kind: str, turn: Any) -> None:
        """Note what goes into a hook or a rule, which may be written there."""
        self._kind = kind
        grads = turn.results if kind == "post_hook" else turn.grads
        if kind == "post_accumulate":
            grads = (grad_of(turn.node.variable),)
        self._entering = list(map(self.table.take, grads))

    def _tell(self, kind: str, node: Any, _: Any, after: Grads, detail: Any) -> None:
        """Write down a phase."""
        if kind == "apply":
            if isinstance(node, PrimitiveNode) and any(x is not None for x in self._entering):
                self._unpacked(node)
            grad_out = list(map(self.table.take, after))
            self._emit(kind, node, grad_in=self._entering, grad_out=grad_out)
        elif kind == "buffer":
            source, position = detail
            node, slot = self.graph.edges[source][position]
            self._emit_arrival(source, position, self._waiting_at(node, slot))
        elif kind == "free_saved":
            self._emit(kind, node, bytes=detail)
        elif kind == "accumulate":
            grad = self.table.take(grad_of(node.variable))
            self._emit(kind, tensor=self.graph.leaf[node], grad=grad)
        elif not isinstance(detail, ReferenceType):  # what retains: no hook
            if kind == "post_accumulate":
                kind, after = "post_hook", (grad_of(node.variable),)
            hook, changed = self.graph.hook(node, detail), list(map(self.table.take, after))
            self._emit(kind, node, hook=hook, before=self._entering, after=changed)

    def _told(self, kind: str, what: Any, *about: Any) -> Any:
        """The tracer: somebody asks for `ctx.saved_tensors`, or a checkpoint runs again.

        It may be of this pass, or of another. Of a reentrant checkpoint it is told the node, and
        returns the block for the pass inside; of another the call, and what `told_of` takes.
        """
        known = self.checkpoints
        if modes.task is not self.task:
            return None
        if kind == "unpack" and what in self.graph.node:
            self._unpacked(what)
        elif kind == "recompute" and not about:
            self._emit(kind, what, ran=[], made=[], bytes=0, failed=True)
            return self._inner(self.events[-1])
        elif kind == "recompute" and known is not None and known.is_news(self.events, what):
            asked, run = about
            self._emit(kind, self.task.node, **known.told_of(what, asked, run, self))
        return None

    @contextmanager
    def _inner(self, event: Entry) -> Iterator[None]:
        """The block in which a checkpoint runs a pass of its own, whose log goes into `event`."""
        outer = modes.watcher

        def watch(task: GraphTask) -> None:
            set_modes(watcher=outer)  # passes in there are others'
            trace: Trace | None = None
            try:
                if outer is None:
                    log = Log(task, Graph(task.schedule, roots_of(task)), full=self.table.full)
                    self._name_arguments(event["node"], log)
                    try:
                        log.run()
                    finally:
                        trace = log.trace()
                        task.close()
                        log.close()
                else:
                    trace = outer(task)
            except BaseException as error:
                trace = trace or getattr(error, "trace", None)
                raise
            finally:
                if trace is not None:
                    event["inner"] = trace.document()
                    event["bytes"] = size_of(*trace.nodes)

        del event["failed"]
        with setting(watcher=watch):
            yield

    def _name_arguments(self, node: str, inner: "Log") -> None:
        """Call the leaves of a pass inside as what they are: what that node has saved."""
        known, caller = self.graph, self.graph.nodes[rank_of(node)]
        leaves = {leaf["id"]: leaf["name"] for leaf in self.notes.document["leaves"]}
        entries = self.notes.document["nodes"][rank_of(node)].get("saved", ())
        names: dict[int, str] = {}
        for saved, told in zip(known.saved_by(caller), entries, strict=False):
            name = leaves.get(told.get("leaf")) or told.get("label")
            memory = known.memory_of(saved.what)[0]
            names.setdefault(memory, name or argument_name(caller, saved.name))
        for leaf, told in zip(inner.graph.leaves, inner.notes.document["leaves"], strict=True):
            told["name"] = told["name"] or names.get(known.memory_of(leaf.variable)[0])

    def _unpacked(self, node: Node) -> None:
        """A rule reads what its node saved."""
        for name, saved, now in self._versions(node):
            self._emit("unpack", node, saved=name, version=[saved, now])

    def _versions(self, node: Node) -> list[tuple[str, int, int]]:
        """Of what a node saved, or what was computed again of that: name, version then and now."""
        found = [(name, saved, now) for name, _, saved, now in self.graph.saved_by(node)]
        if self.checkpoints is not None:
            found += [(name, 0, 0) for name in self.checkpoints.made_for(self.events, node)]
        return found

    def _failed(self, error: BaseException) -> None:
        """Write down what ended the pass, and end both."""
        node, stale = self.task.node, None
        arrivals, to_put = self._handing
        del arrivals[to_put[0] if to_put else len(arrivals) :]  # they have not come there
        if node is not None and isinstance(error, StaleTensorError):
            for name, _, saved, now in self.graph.saved_by(node):
                if isinstance(node, PrimitiveNode) and self._kind == "apply":
                    self._emit("unpack", node, saved=name, version=[saved, now])
                if saved != now:
                    stale = name
                    break
        self._emit_error(node, error, stale)
        self.close()  # over what is under way
        self.task.close()  # the frames of the exception are not to keep the gradients alive
        vars(error)["trace"] = self.trace()

    def _gradients(self) -> Iterator[Tensor]:
        """What the pass has left in `.grad`, what it has captured, and what is under way."""
        waiting, turn = self.task.buffers, self.task.turn
        found: list[Any] = [*self.task.captured]
        found += () if self.task.node is None else self._under_way
        for node in self.graph.nodes:
            holders = [node.variable] if isinstance(node, AccumulateGrad) else []
            holders += [tensor for _, tensor in self.graph.retained_by(node)]
            found += [grad_of(tensor) for tensor in holders]
        for grads in waiting.values():
            found += grads if type(grads) is list else [grads]
        found += [] if turn is None else [*turn.grads, *turn.results]
        return (grad for grad in found if isinstance(grad, Tensor))
