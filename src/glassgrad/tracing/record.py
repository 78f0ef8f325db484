"""`record(loss)`: run a backward pass and write down everything the engine does."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from glassgrad.base.backend import asnumpy
from glassgrad.base.errors import ArgumentError, ArgumentTypeError
from glassgrad.core import state
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, ends, get_gradient_edge
from glassgrad.core.saved import arrays_in, versions_of
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.core.views import CopySlices
from glassgrad.engine.backward import backward_task
from glassgrad.engine.phase import Phase
from glassgrad.engine.task import GraphTask
from glassgrad.recording.saving import PrimitiveNode

from .events import Trace
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
    if values not in ("summary", "full"):
        raise ArgumentError(
            f"values must be 'summary' or 'full', got {values!r}. It says how much of each array "
            "the log keeps."
        )
    outputs = [tensors] if isinstance(tensors, Tensor) else _tensors(tensors)
    task = backward_task(outputs, gradient, retain_graph, create_graph, inputs)
    return _Recorder(task, outputs, full=values == "full").run()


def _tensors(tensors: Any) -> list[Tensor]:
    if not isinstance(tensors, Iterable):
        raise ArgumentTypeError(
            f"record() takes a Tensor or several, got {type(tensors).__name__}. "
            "Pass the loss: `gg.record(loss)`."
        )
    return list(tensors)


class _Recorder:
    """Steps a pass and turns its phases into events."""

    def __init__(self, task: GraphTask, outputs: list[Tensor], *, full: bool) -> None:
        self.task = task
        self.table = ArrayTable(full=full)
        self.names = _Names(task, outputs)
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
        graph = _describe(self.names, self.table, self.outputs)
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
        return [None if grad is None else self.table.add(_array(grad)) for grad in grads]

    def _unpacked(self, kind: str, node: Node) -> None:
        """A user's rule reads `ctx.saved_tensors`."""
        for name, _, saved, now in _saved(node):
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


def _array(value: Any) -> Any:
    """A NumPy array of a gradient: an array of some backend, a NumPy scalar, or a Tensor."""
    value = value.payload if isinstance(value, Tensor) else value
    return value if getattr(value, "shape", None) == () else asnumpy(value)


# The graph as it is before the pass -------------------------------------------------------------


class _Names:
    """The ids of nodes, tensors, hooks and storages: ranks, never addresses."""

    def __init__(self, task: GraphTask, outputs: list[Tensor]) -> None:
        self.nodes = _oldest_first(task)
        self.node = {node: f"n{rank}" for rank, node in enumerate(self.nodes)}
        leaves = [node for node in self.nodes if isinstance(node, AccumulateGrad)]
        self.leaves = leaves
        self.leaf = {node: f"t{rank}" for rank, node in enumerate(leaves)}
        self.outputs = [f"t{len(leaves) + rank}" for rank in range(len(outputs))]
        self._storages: dict[int, str] = {}
        self._hooks: dict[tuple[Node, int], str] = {}

    def storage(self, array: Any) -> str:
        """The id of the memory that `array` lies in."""
        owner = array
        while getattr(owner, "base", None) is not None:
            owner = owner.base
        return self._storages.setdefault(id(owner), f"s{len(self._storages)}")

    def hook(self, node: Node, hook: Any) -> str:
        """The id of a hook at a node."""
        return self._hooks.setdefault((node, id(hook)), f"h{len(self._hooks) + 1}")


def _oldest_first(task: GraphTask) -> list[Node]:
    """All nodes, each leaf's AccumulateGrad just before its first consumer."""
    ordered: dict[Node, None] = {}
    for node in sorted((n for n in task.schedule if n.edges), key=lambda n: n.seq):
        for edge in node.edges:
            goal = edge.node if isinstance(edge, GradientEdge) else edge
            if isinstance(goal, AccumulateGrad):
                ordered[goal] = None
        ordered[node] = None
    for node in task.schedule:
        ordered.setdefault(node)
    return list(ordered)


def _describe(names: _Names, table: ArrayTable, outputs: list[Tensor]) -> dict[str, Any]:
    return {
        "leaves": [_leaf(names, table, node) for node in names.leaves],
        "nodes": [_node(names, table, node) for node in names.nodes],
        "outputs": [
            _output(names, table, tensor, name)
            for tensor, name in zip(outputs, names.outputs, strict=True)
        ],
    }


def _tensor(table: ArrayTable, tensor: Tensor) -> dict[str, Any]:
    shape, array = list(tensor.shape), table.add(asnumpy(tensor.payload))
    return {"name": tensor.name, "shape": shape, "dtype": str(tensor.dtype), "array": array}


def _leaf(names: _Names, table: ArrayTable, node: AccumulateGrad) -> dict[str, Any]:
    about = _tensor(table, node.variable)
    return {"id": names.leaf[node], "acc": names.node[node], **about}


def _output(names: _Names, table: ArrayTable, tensor: Tensor, name: str) -> dict[str, Any]:
    made_by = get_gradient_edge(tensor).node
    about = _tensor(table, tensor)
    return {"id": name, "node": names.node[made_by], "slot": tensor.output_nr, **about}


def _node(names: _Names, table: ArrayTable, node: Node) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": names.node[node], "op": node.name()}
    entry["seq"] = int(entry["id"][1:])
    entry["edges"] = [_edge(names, node, edge) for edge in node.edges]
    shape, dtype = node._input_metadata[0]
    if dtype is not None:
        entry |= {"shape": list(shape), "dtype": str(dtype)}
    saved = [_saved_entry(names, table, *item[:3]) for item in _saved(node)]
    if saved:
        entry["saved"] = saved
    if node._is_users:
        entry["user"] = True
    hooks = [
        {"id": names.hook(node, hook), "kind": kind, "name": getattr(hook, "__name__", "hook")}
        for kind, hook in _hooks(node)
    ]
    if hooks:
        entry["hooks"] = hooks
    return entry


def _edge(names: _Names, node: Node, edge: Any) -> dict[str, Any]:
    if edge is None:
        return {"to": None, "slot": 0}
    target, slot = ends(edge)
    entry: dict[str, Any] = {"to": names.node[target], "slot": slot}
    shape = target._input_metadata[slot].shape
    if getattr(node, "checked", False) and _broadcasts(node) and shape != node.out_shape:
        entry["sum_to"] = list(shape)
    return entry


def _broadcasts(node: Node) -> bool:
    return isinstance(node, PrimitiveNode) and node._forward_cls.broadcasts


def _hooks(node: Node) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    if isinstance(node, AccumulateGrad):
        cold = node.variable.cold
        found += [("tensor", hook) for hook in ((cold and cold.hooks) or {}).values()]
        found += [("post_accumulate", h) for h in ((cold and cold.post_hooks) or {}).values()]
    if node.cold is not None:
        found += [("tensor", h) for hooks in node.cold.tensor.values() for h in hooks.values()]
        found += [("pre", hook) for hook in node.cold.pre.values()]
        found += [("post", hook) for hook in node.cold.post.values()]
    return found


# What a node saved ------------------------------------------------------------------------------


def _saved(node: Node) -> list[tuple[str, Any, int, int]]:
    """(name, tensor or array, version when saved, version now) of what `node` saved."""
    if isinstance(node, CopySlices):
        return _saved(node.fn) if node.fn is not None else []
    if isinstance(node, PrimitiveNode):
        found = []
        for index, kept in enumerate(node._all_kept()):
            if kept is not None:
                holder, versions = node.holders[index], node.version_at(index)
                whats = arrays_in(kept) if holder is None else [holder]
                found += [(node._saved_names[index], what, *versions) for what in whats]
        return found
    if not node._is_users:
        return []
    return [
        (f"saved_tensors[{index}]", what, *versions_of(kept))
        for index, kept in enumerate(node._all_kept())  # type: ignore[attr-defined]  # a user's
        for what in _shown(kept)
    ]


def _shown(kept: Any) -> list[Any]:
    """The tensor that a user's node keeps, or the arrays if it keeps no tensor."""
    tensor = kept if isinstance(kept, Tensor) else getattr(kept, "tensor", None)
    return arrays_in(kept) if tensor is None else [tensor]


def _saved_entry(
    names: _Names, table: ArrayTable, name: str, what: Any, version: int
) -> dict[str, Any]:
    array = what.payload if isinstance(what, Tensor) else what
    entry: dict[str, Any] = {"name": name, "storage": names.storage(array), "version": version}
    entry |= {"bytes": array.nbytes, "shape": list(array.shape), "dtype": str(array.dtype)}
    entry["array"] = table.add(asnumpy(array))
    if isinstance(what, Tensor):
        accumulator: Any = what.cold and what.cold.accumulator and what.cold.accumulator()
        if what.is_leaf and accumulator in names.leaf:
            entry["leaf"] = names.leaf[accumulator]
        elif what.name is not None:
            entry["label"] = what.name
    return entry
