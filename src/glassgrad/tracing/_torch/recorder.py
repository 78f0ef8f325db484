"""Watches a PyTorch pass through hooks on every node, and takes them all away again.

Note [Probes]

PyTorch tells nothing of a pass but through hooks, and calls those of one place in the order of a
dict that the handle of each can reach. So a probe stands before the first, between any two and
behind the last of the hooks that users put there, and what it is handed tells what the hook in
front of it did. The probe behind the last pre-hook is the gate: what leaves it goes into the rule.
The probe before the first post-hook sees what the rule gave, the one behind the last what goes on.

Other passes may come along the same nodes meanwhile: one that a hook runs inside of this one, or
that of another session. To them the probes are blind; PyTorch numbers its passes.

What PyTorch's nodes tell is read by a `TorchGraph`, which only looks: no hook is registered, and
nobody's is run.
"""

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any, Self

from glassgrad.core.engine import Grads
from glassgrad.core.state import Func
from glassgrad.memory.saved import Saved
from glassgrad.ops import _checks as check
from glassgrad.tracing.graph import Graph, Hook, is_leaf, name_of, op_of, reach
from glassgrad.tracing.log import EventLog
from glassgrad.tracing.seen import Entry, bytes_of
from glassgrad.tracing.summary import Taken

Gate = Callable[[Any, Grads], Grads | None]


def the_torch() -> Any:
    """PyTorch.

    Raises:
        ModuleNotFoundError: if it is not installed.
    """
    if (found := sys.modules.get("torch")) is not None:  # as it is, where this is asked often
        return found
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "PyTorch is not installed. glassgrad.tracing.torch watches PyTorch's own graphs, and "
            "glassgrad itself does without it. Install it with `pip install torch`; "
            "a tensor of glassgrad is recorded by `gg.record(loss)`.",
            name=error.name,
        ) from None


def is_tensor(value: Any) -> bool:
    """Whether `value` is one of PyTorch's tensors."""
    return isinstance(value, the_torch().Tensor)


class TorchGraph(Graph):
    """What lies behind `outputs`.

    Args:
        outputs: the tensors the pass starts from. One without a graph is left out: PyTorch's own
            error says what is wrong with it.
        inputs: the tensors whose gradients are wanted; None for all leaves.
        names: tensors by name.

    Attributes:
        tensors: those that have a name.
        inputs: the tensors whose gradients are wanted, if not all.
        running: the nodes that the pass runs.
        roots: the nodes that it starts from.
        hooks: those of users by node, once a recorder has found them.
        saved: what nodes hold on to, as a recorder that watches them has found it.
    """

    how_to_name = "PyTorch's tensors have no names of their own. Write `step(loss, names=locals())`"

    def __init__(self, outputs: list[Any], inputs: list[Any] | None, names: dict[str, Any]) -> None:
        outputs = [tensor for tensor in outputs if is_tensor(tensor) and tensor.requires_grad]
        self.roots = [self.node_of(tensor) for tensor in outputs]
        super().__init__(reach(self.roots), outputs)
        self.tensors = list(names.values())
        self._labels = {id(tensor): name for name, tensor in names.items()}
        self._given = set(names)
        self.inputs = inputs or []
        self.running = set(self.nodes) if inputs is None else self._needed(inputs)
        self.hooks: dict[Any, list[Hook]] = {}
        self.saved: dict[Any, list[Saved]] = {}

    def _needed(self, inputs: list[Any]) -> set[Any]:
        """The nodes that run in a pass for `inputs` alone: theirs, and those on the way there."""
        needed = {self.node_of(tensor) for tensor in inputs} - {None}
        for node in self.nodes:
            if any(goal in needed for goal, _ in self.edges[node]):
                needed.add(node)
        return needed

    @property
    def tensor_class(self) -> Any:
        return the_torch().Tensor

    def node_of(self, tensor: Any) -> Any:
        edge_of = the_torch().autograd.graph.get_gradient_edge
        return edge_of(tensor).node if tensor.requires_grad else None

    def label(self, tensor: Any) -> str | None:
        return self._labels.get(id(tensor)) or self._in_sight.name_of(tensor)

    def tensors_by_name(self) -> Iterator[tuple[str | None, Any]]:
        yield from [(self.label(tensor), self.node_of(tensor)) for tensor in self.tensors]

    def memory_of(self, what: Any) -> tuple[int, Any]:
        """What tells the memory of a tensor from all other memory, as long as it lives."""
        try:
            return what.untyped_storage()._cdata, None
        except (AttributeError, NotImplementedError, RuntimeError):
            return id(what), None  # sparse tensors have none of their own

    def saved_by(self, node: Any) -> list[Saved]:
        """The saved tensors of `node`, in the order of their names; none if they are freed.

        While a pass is watched, they are those it began with, with the versions of now.

        What a pack hook turned into something else than a tensor is left out: to see the tensor one
        would have to call the unpack hook, which is the pass's to call.
        """
        if node in self.saved:
            return [item._replace(now=version_now(item.what)) for item in self.saved[node]]
        found = []
        for attribute in sorted(a for a in dir(node) if a.startswith(_RAW)):
            name = attribute.removeprefix(_RAW)
            try:
                raw = getattr(node, attribute)
            except RuntimeError:
                continue  # freed
            many = raw if isinstance(raw, (tuple, list)) else (raw,)
            for index, item in enumerate(many):
                entry = _entry(node, name, index if many is raw else None, item)
                if entry is not None:
                    found.append(entry)
        return found

    @staticmethod
    def like(node: Any, slot: int) -> tuple[Any, Any]:
        """Shape and dtype of an output of a node; of one that is not known (None, None)."""
        about = node._input_metadata[slot : slot + 1]
        return (about[0].shape, about[0].dtype) if about else (None, None)

    def note_hook(self, node: Any, kind: str, hook: Any) -> str:
        """The id of one more hook at a node."""
        name = f"h{1 + sum(map(len, self.hooks.values()))}"
        self.hooks.setdefault(node, []).append(Hook(name, kind, name_of(hook), hook))
        return name

    def hooks_at(self, node: Any) -> list[Hook]:
        return self.hooks.get(node, [])

    @staticmethod
    def retained_by(_: Any) -> list[tuple[int, Any]]:
        """None: PyTorch's nodes do not tell."""
        return []

    def transforms(self) -> Entry:
        """None: they are not watched."""
        return {}

    def told(self, node: Any) -> tuple[Entry, bool, bool]:
        """PyTorch says what an op is like by its name alone."""
        entry: Entry = {}
        if not is_leaf(node) and (line := line_of(node)) is not None:
            entry["src"] = line
        if isinstance(node, the_torch().autograd.function.BackwardCFunction):
            entry["user"] = True
        return entry, op_of(node) in _VIEWS, op_of(node) in _BROADCASTING

    def place(self, tensor: Any) -> tuple[Any, ...]:
        """Which part of which memory `tensor` is; strides left aside."""
        offset = tensor.storage_offset() if tensor.layout == the_torch().strided else 0
        return self.memory_of(tensor)[0], tuple(tensor.shape), offset


_BROADCASTING = frozenset(
    f"{op}Backward{nr}"
    for op in ("Add", "Sub", "Rsub", "Mul", "Div", "Pow", "Maximum", "Minimum", "Where", "Atan2")
    for nr in (0, 1)
)
"""Nodes whose gradients the engine sums to the shape of an operand that was broadcast."""

# The ops whose result shares the memory of their first operand, whatever that is.
_VIEWS = frozenset(
    f"{name}Backward{number}"
    for name in (
        *("Alias", "AsStrided", "Diagonal", "Expand", "Permute", "ReshapeAlias", "Select", "Slice"),
        *("Split", "SplitWithSizes", "Squeeze", "T", "Transpose", "Unbind", "Unfold", "Unsqueeze"),
        "View",
    )
    for number in range(3)
)

_EXPECTED = re.compile(r"is at version \d+; expected version (\d+)")
_RAW = "_raw_saved_"
_FRAME = re.compile(r'\s*File "(?P<path>.*)", line (?P<line>\d+), in .*\n\s*(?P<text>.*)')


def named(names: Any) -> dict[str, Any]:
    """Tensors by name, from a mapping of tensors and modules, or from one module.

    Raises:
        ArgumentTypeError: if `names` is none of these.
    """
    module = the_torch().nn.Module
    if names is None:
        return {}
    if isinstance(names, module):
        return {**dict(names.named_buffers()), **dict(names.named_parameters())}
    why = "It says what tensors are called. Write `{'x': x}`, `names=model` or `names=locals()`."
    check.kind("names must be a dict or a module", names, Mapping, why)
    found = {str(name): value for name, value in names.items() if is_tensor(value)}
    for prefix, value in names.items():
        if isinstance(value, module):
            found |= {f"{prefix}.{name}": tensor for name, tensor in named(value).items()}
    return found


def outputs_of(node: Any) -> int:
    """How many gradients a node is given."""
    return len(node._input_metadata) or 1


# What a node saved -------------------------------------------------------------------------------


def _entry(node: Any, name: str, index: int | None, item: Any) -> Saved | None:
    # `saved_tensors` is what users call those of their Functions.
    shown = "saved_tensors" if name == "tensors" else name
    shown = shown if index is None else f"{shown}[{index}]"
    try:
        tensor, hooked = item.data, item.unpack_hook is not None
    except (AttributeError, RuntimeError):
        return None  # an older PyTorch, which shows only what the hooks unpack; or freed
    if not is_tensor(tensor):
        return None
    # An output of its own node is whole only when it is read through the node.
    read = item.unpack if index is not None else lambda: getattr(node, f"_saved_{name}")
    now = version_now(tensor)
    return Saved(shown, tensor, now if hooked else _version(read, now), now)


def _version(read: Callable[[], Any], now: int) -> int:
    """The version a tensor was saved at. PyTorch tells it only when it differs, in an error."""
    try:
        read()
    except RuntimeError as error:
        told = _EXPECTED.search(str(error))
        if told is not None:
            return int(told[1])
    return now


def version_now(tensor: Any) -> int:
    """The version of the memory of `tensor`; 0 in inference mode, which counts none."""
    try:
        version: int = tensor._version
    except RuntimeError:
        return 0
    return version


# Lines, and the order of a pass ------------------------------------------------------------------


def line_of(node: Any) -> str | None:
    """Where the user's program made `node`: "train.py, line 12: `y = w * x`".

    Returns:
        None unless the node was made within `torch.autograd.set_detect_anomaly(True)`: PyTorch
        keeps no lines otherwise.
    """
    home = str(PurePath(the_torch().__file__).parent)
    for entry in reversed(node.metadata.get("traceback_", ())):
        frame = _FRAME.match(entry)
        if frame is not None and not frame["path"].startswith(home):
            where = f"{PurePath(frame['path']).name}, line {frame['line']}"
            return f"{where}: `{frame['text']}`" if frame["text"] else where
    return None


def foreseen(graph: "TorchGraph") -> list[Any]:
    """The nodes that a pass along `graph` runs, in the order to expect on one device.

    They run the newest first, and a leaf as soon as all gradients have arrived there. The engine
    keeps a queue for each device, which take turns as they like: with several devices, this is one
    order of many.
    """
    running = [node for node in reversed(graph.nodes) if node in graph.running]
    last = {goal: node for node in running for goal, _ in graph.edges[node]}
    order: dict[Any, None] = {}
    for node in running:
        order.setdefault(node)  # a leaf may have had its turn
        for goal, _ in graph.edges[node]:
            if last[goal] is node and goal in graph.running and is_leaf(goal):
                order.setdefault(goal)
    return list(order)


# What watches a pass ------------------------------------------------------------------------------


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
        self._before: dict[Any, list[Taken]] = {}
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
            self.notes.graph = self.graph.seen(self.table)
            for node in self.graph.nodes:
                saved = self.graph.saved_by(node)
                # Only what shares memory: the tensors themselves would outlive their node.
                self.graph.saved[node] = [item._replace(what=item.what.detach()) for item in saved]
        except BaseException:
            self._take_down()
            raise
        self._emit_roots(reversed(running))
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
        self._before[node] = list(map(self.table.take, grads))

    def _begin(self, node: Any) -> None:
        self._node = node
        self.begun.setdefault(node)
        self._turn_of(node)

    def _hooked(self, event: str, name: str, node: Any, grads: Grads, *_: Any) -> None:
        after = list(map(self.table.take, grads))
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
        entered, self._before[node] = (
            list(map(self.table.take, grads)),
            list(map(self.table.take, results)),
        )
        self._emit("apply", node, grad_in=entered, grad_out=self._before[node])

    def _added(self, node: Any, grads: Grads) -> None:
        self._accumulated.add(node)
        self._before[node] = list(map(self.table.take, grads))
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
