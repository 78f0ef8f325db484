"""Watches a PyTorch pass through hooks on every node, and takes them all away again.

Note [Probes]

PyTorch tells nothing of a pass but through hooks, and calls those of one place in the order of a
dict that the handle of each can reach. So a probe stands before the first, between any two and
behind the last of the hooks that users put there, and what it is handed tells what the hook in
front of it did. The probe behind the last pre-hook is the gate: what leaves it goes into the rule.
The probe before the first post-hook sees what the rule gave, the one behind the last what goes on.

Other passes may come along the same nodes meanwhile: one that a hook runs inside of this one, or
that of another session. To them the probes are blind; PyTorch numbers its passes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

from glassgrad.core.engine import Grads
from glassgrad.core.state import Func
from glassgrad.tracing.graph import bytes_of, is_leaf
from glassgrad.tracing.log import EventLog
from glassgrad.tracing.summary import ArrayId

from .graph import TorchGraph, outputs_of, the_torch

Gate = Callable[[Any, Grads], Grads | None]


class _Probe:
    """A hook of a recorder, among those of users and of other recorders."""

    def __init__(self, recorder: "Recorder", look: Func) -> None:
        self.recorder, self.look = recorder, look

    def __call__(self, *grads: Any) -> Any:
        return self.look(*grads) if self.recorder.is_under_way() else None


class Recorder(EventLog):
    """A context manager: within it, a pass over `graph` becomes events.

    Args:
        graph: what is watched.
        keep_graph: whether saved tensors outlive the pass.
        full: keep all elements of all arrays.
        recorded: whether the pass is recorded itself, by `create_graph`.

    Attributes:
        gate: is called with each node that is about to run, and its gradients; may give others.
        waiting: the sums of gradients that have arrived, by node and output number.
        begun: the nodes whose turn has come, in the order of their turns.
        done: how many turns are over.
    """

    graph: TorchGraph

    def __init__(
        self, graph: TorchGraph, *, keep_graph: bool, full: bool, recorded: bool = False
    ) -> None:
        running = [node for node in graph.nodes if node in graph.running]
        super().__init__(graph, running, full=full, recorded=recorded)
        self.keep_graph = keep_graph
        self.gate: Gate | None = None
        self.waiting: dict[tuple[Any, int], Any] = {}
        self.begun: dict[Any, None] = {}
        self.done = 0
        self._handles: list[Any] = []
        self._before: dict[Any, list[ArrayId]] = {}
        self._node: Any = None
        self._accumulated: set[Any] = set()
        self._pass: int | None = None  # its number, once it has come to a node

    def __enter__(self) -> Self:
        self.graph.hooks.clear()
        running = [node for node in self.graph.nodes if node in self.graph.running]
        try:
            for node in running:
                self._watch(node)
            self._watch_named_tensors()
            self.document = self.graph.describe(self.table)
            for node in self.graph.nodes:
                saved = self.graph.saved_by(node)
                # Only what shares memory: the tensors themselves would outlive their node.
                self.graph.saved[node] = [item._replace(what=item.what.detach()) for item in saved]
        except BaseException:
            self._take_down()
            raise
        for node in reversed(running):
            if not self.need[node]:
                self._emit("ready", node)
        return self

    def __exit__(self, *_: object) -> None:
        self._take_down()

    def _take_down(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self.waiting.clear()
        self.graph.saved.clear()

    def _gradients(self) -> list[Any]:
        """The gradients that there are now."""
        graph = self.graph
        tensors = [*(leaf.variable for leaf in graph.leaves), *graph.inputs, *graph.tensors]
        grads = [tensor._grad for tensor in tensors]  # of a non-leaf, `.grad` may warn
        return [grad for grad in grads if grad is not None]

    def run(self, run: Callable[[], None], besides: tuple[type[BaseException], ...] = ()) -> None:
        """Run the pass. An exception, but for those of `besides`, is in the log and has it."""
        try:
            run()
        except besides:
            raise
        except BaseException as error:
            is_stale = isinstance(error, RuntimeError) and self._node in self.graph.saved
            saved = self.graph.saved_by(self._node) if is_stale else ()
            stale = [x.name for x in saved if x.now != x.version]
            self._emit_error(self._node, error, stale[0] if stale else None)
            vars(error)["trace"] = self.trace()
            raise
        finally:
            self._turn_of(None)

    def _turn_of(self, node: Any) -> None:
        if self.recorded:
            self.spans.append((the_torch().autograd._get_sequence_nr(), node))

    # Probes: see the note above -----------------------------------------------------------------

    def is_under_way(self) -> bool:
        """Whether the pass that has come to a node is the one that is watched."""
        number: int = the_torch()._C._current_graph_task_id()
        if self._pass is None:
            self._pass = number
        return number == self._pass

    def _watch(self, node: Any) -> None:
        if is_leaf(node):
            leaf = node.variable
            self._watch_tensor(node, leaf)
            if getattr(leaf, "_post_accumulate_grad_hooks", None):
                register = leaf.register_post_accumulate_grad_hook
                self._line_up(node, "post_accumulate", register, self._added, None, _grad_of)
        self._line_up(node, "pre", node.register_prehook, self._first, self._arrive)
        self._line_up(node, "post", node.register_hook, self._ran, self._leave)

    def _watch_named_tensors(self) -> None:
        """The hooks of tensors that are no leaves can be seen only where the tensor is known."""
        known = {id(x): x for x in (*self.graph.outputs, *self.graph.tensors)}
        for tensor in known.values():
            node = tensor.grad_fn
            if node is not None and node in self.graph.running:
                self._watch_tensor(node, tensor)

    def _watch_tensor(self, node: Any, tensor: Any) -> None:
        if getattr(tensor, "_backward_hooks", None):
            wide = partial(_at_slot, tensor.output_nr, outputs_of(node))
            self._line_up(node, "tensor", tensor.register_hook, self._first, None, wide)

    def _line_up(
        self,
        node: Any,
        kind: str,
        register: Any,
        first: Any,
        last: Any,
        wide: Callable[..., Grads] = lambda grads, *_: grads,
    ) -> None:
        """Stand before, between and behind the hooks that `register` adds to."""
        stand = partial(self._stand, node, register, wide)
        handle = stand(first)
        order = handle.hooks_dict_ref()
        others = [item for item in order.items() if item[0] != handle.id]
        if not others and kind == "pre":
            handle.remove()  # nobody stands behind it
        line = [key for key in order if key == handle.id]
        for key, hook in others:
            line.append(key)
            if not isinstance(hook, _Probe):
                name = self.graph.note_hook(node, kind, hook)
                line.append(stand(partial(self._hooked, _EVENT[kind], name)).id)
        if last is not None:
            line.append(stand(last).id)
        for key in line:  # `move_to_end` would not do: C++ reads the dict below the OrderedDict
            order[key] = order.pop(key)

    def _stand(self, node: Any, register: Any, wide: Callable[..., Grads], probe: Any) -> Any:
        """Put a probe behind all hooks that are there."""
        look = _Probe(self, lambda *grads: probe(node, wide(*grads), *grads[1:]))
        handle = register(look)
        self._handles.append(handle)
        return handle

    def _first(self, node: Any, grads: Grads) -> None:
        self._begin(node)
        self._before[node] = self.table.ids(grads)

    def _begin(self, node: Any) -> None:
        self._node = node
        self.begun.setdefault(node)
        self._turn_of(node)

    def _hooked(self, event: str, name: str, node: Any, grads: Grads, *_: Any) -> None:
        after = self.table.ids(grads)
        self._emit(event, node, hook=name, before=self._before[node], after=after)
        self._before[node] = after

    def _arrive(self, node: Any, grads: Grads) -> Grads | None:
        """The gate."""
        self._begin(node)
        for slot in range(outputs_of(node)):
            self.waiting.pop((node, slot), None)
        given = None if self.gate is None else self.gate(node, grads)
        if any(grad is not None for grad in grads):
            for name, _, version, now in (
                self.graph.saved_by(node) if node in self.graph.saved else ()
            ):
                self._emit("unpack", node, saved=name, version=[version, now])
        return given

    def _ran(self, node: Any, results: Grads, grads: Grads) -> None:
        if is_leaf(node):
            if node not in self._accumulated:
                self._added(node, (node.variable.grad,))
            self._before[node] = []
            return
        entered, self._before[node] = self.table.ids(grads), self.table.ids(results)
        self._emit("apply", node, grad_in=entered, grad_out=self._before[node])

    def _added(self, node: Any, grads: Grads) -> None:
        self._accumulated.add(node)
        self._before[node] = self.table.ids(grads)
        self._emit("accumulate", tensor=self.graph.leaf[node], grad=self._before[node][0])

    def _leave(self, node: Any, results: Grads, _: Grads) -> None:
        self._node = None
        self.done += 1
        saved = [item.what for item in self.graph.saved.pop(node, ())]
        places = {self.graph.place(what): bytes_of(what.shape, what.dtype) for what in saved}
        size = sum(places.values())
        if size and not self.keep_graph:
            self._emit("free_saved", node, bytes=size)
        edges = zip(self.graph.edges[node], results, strict=False)
        for position, ((goal, slot), grad) in enumerate(edges):
            if goal not in self.graph.running:
                continue
            waiting = self.waiting.get((goal, slot))
            if waiting is None:
                waiting = grad
            elif grad is not None:
                with the_torch().no_grad():
                    waiting = waiting + grad.detach()
            self.waiting[goal, slot] = waiting
            self._emit_arrival(node, position, waiting)


_EVENT = {
    "pre": "pre_hook",
    "tensor": "pre_hook",
    "post": "post_hook",
    "post_accumulate": "post_hook",
}


def _grad_of(leaf: Any) -> Grads:
    return (leaf.grad,)


def _at_slot(slot: int, slots: int, grad: Any) -> Grads:
    """The gradient of one output as one of all: a tensor's hook is handed only its own."""
    return tuple(grad if place == slot else None for place in range(slots))
