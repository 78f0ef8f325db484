"""`record(loss)`: run a backward pass and write down everything the engine does."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from glassgrad.core import state
from glassgrad.core.graph import AccumulateGrad, Node, ends
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.engine.backward import backward_task
from glassgrad.engine.phase import Phase
from glassgrad.engine.task import GraphTask
from glassgrad.recording.saving import PrimitiveNode

from .describing import Names, describe, numbers, saved_by
from .events import Trace
from .snapshot import check_values, outputs_of
from .summary import ArrayTable

__all__ = ["record"]


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

    Args:
        tensors: the output to differentiate, or several.
        gradient, retain_graph, create_graph, inputs: as for `backward`.
        values: "summary" keeps shape, range, norm and the first elements of each array; "full"
            keeps all elements.

    Returns:
        A Trace: `.save(path)` writes it, `draw` and `player` show it.

    Raises:
        ArgumentError: if `values` is neither "summary" nor "full".
        GraphError and its kin: as `backward`; nothing is recorded then.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> record((x * x).sum()).schedule()
        ['n2', 'n1', 'n0']
    """
    check_values(values)
    outputs = outputs_of(tensors, "record")
    task = backward_task(outputs, gradient, retain_graph, create_graph, inputs)
    return _Recorder(task, outputs, full=values == "full").run()


class _Recorder:
    """Steps a pass and turns its phases into events."""

    def __init__(self, task: GraphTask, outputs: list[Tensor], *, full: bool) -> None:
        self.task = task
        self.table = ArrayTable(full=full)
        self.names = Names(task.schedule, outputs)
        self.events: list[dict[str, Any]] = []
        self.need = self._incoming()
        self.have: Counter[Node] = Counter()
        self.outputs = outputs

    def _incoming(self) -> Counter[Node]:
        """How many edges lead to each node of the pass from nodes that run."""
        needed = self.task.schedule.needed
        running = [node for node in self.task.schedule if needed is None or node in needed]
        return Counter(ends(edge)[0] for node in running for edge in node.edges if edge is not None)

    def run(self) -> Trace:
        """The whole pass."""
        graph = describe(self.names, self.table, self.outputs)
        for node in self.task.schedule:
            if not self.need[node]:
                self._emit("ready", node)
        outer, modes.tracer = modes.tracer, self._unpacked
        state.tracing.add(id(self))
        try:
            while (phase := self.task.step()) is not None:
                self._write(phase)
        finally:
            modes.tracer = outer
            state.tracing.discard(id(self))
            self.task.close()
        return Trace(graph, self.table.summaries, self.events)

    def _emit(self, kind: str, node: Node | None = None, **fields: Any) -> None:
        place = {} if node is None else {"node": self.names.node[node]}
        self.events.append({"k": len(self.events), "type": kind, **place, **fields})

    def _arrays(self, grads: Iterable[Any]) -> list[str | None]:
        return [None if grad is None else self.table.add(numbers(grad)) for grad in grads]

    def _unpacked(self, kind: str, node: Node) -> None:
        """A user's rule reads `ctx.saved_tensors`."""
        if node not in self.names.node:
            return  # it is of a pass that runs inside of this one
        for name, _, saved, now in saved_by(node):
            self._emit(kind, node, saved=name, version=[saved, now])

    def _write(self, phase: Phase) -> None:
        writer: Callable[[Phase], None] | None = getattr(self, f"_on_{phase.kind}", None)
        if writer is not None:
            writer(phase)

    def _on_pre_hook(self, phase: Phase) -> None:
        before, after = self._arrays(phase.before), self._arrays(phase.after)
        hook = self.names.hook(phase.node, phase.detail)
        self._emit(phase.kind, phase.node, hook=hook, before=before, after=after)

    _on_post_hook = _on_pre_hook

    def _on_apply(self, phase: Phase) -> None:
        if isinstance(phase.node, PrimitiveNode) and any(g is not None for g in phase.before):
            self._unpacked("unpack", phase.node)
        grad_in, grad_out = self._arrays(phase.before), self._arrays(phase.after)
        self._emit("apply", phase.node, grad_in=grad_in, grad_out=grad_out)

    def _on_accumulate(self, phase: Phase) -> None:
        assert isinstance(phase.node, AccumulateGrad)
        leaf = phase.node.variable
        grad = None if leaf.cold is None else leaf.cold.grad
        name = self.names.leaf[phase.node]
        self._emit("accumulate", tensor=name, grad=self._arrays([grad])[0])

    def _on_free_saved(self, phase: Phase) -> None:
        self._emit("free_saved", phase.node, bytes=phase.detail)

    def _on_buffer(self, phase: Phase) -> None:
        node = phase.node
        source, position = phase.detail
        self.have[node] += 1
        slot = ends(source.edges[position])[1]
        waiting = self.task.buffers.get(node)
        fields: dict[str, Any] = {"slot": slot, "have": self.have[node], "need": self.need[node]}
        fields["edge"] = f"e{self.names.node[source][1:]}-{position}"
        fields["grad"] = self._arrays(
            waiting[slot : slot + 1] if type(waiting) is list else [waiting]
        )[0]
        self._emit("buffer", node, **fields)
        if self.have[node] == self.need[node]:
            self._emit("ready", node)
