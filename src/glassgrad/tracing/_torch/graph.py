"""What PyTorch's nodes tell: the part of a `Graph` that reads PyTorch's objects.

Everything here only looks: no hook is registered, and nobody's is run.
"""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.memory.saved import Saved
from glassgrad.tracing.graph import Entry, Graph, Hook, is_leaf, name_of, op_of, reach


def the_torch() -> Any:
    """PyTorch.

    Raises:
        ModuleNotFoundError: if it is not installed.
    """
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "PyTorch is not installed. glassgrad.tracing.torch watches PyTorch's own graphs, and "
            "glassgrad itself does without it. Install it with `pip install 'glassgrad[torch]'`; "
            "a tensor of glassgrad is recorded by `gg.record(loss)`.",
            name=error.name,
        ) from error


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

    def is_tensor(self, value: Any) -> bool:
        return is_tensor(value)

    def node_of(self, tensor: Any) -> Any:
        edge_of = the_torch().autograd.graph.get_gradient_edge
        return edge_of(tensor).node if tensor.requires_grad else None

    def label(self, tensor: Any) -> str | None:
        return self._labels.get(id(tensor))

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
    if not isinstance(names, Mapping):
        raise ArgumentTypeError(
            f"names cannot be a {type(names).__name__}. It says what the tensors are called in "
            "pictures. Write `names={'x': x, 'w': w}`, `names=model` or `names=locals()`."
        )
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
