"""The graph of a trace: nodes, leaves and outputs of a real graph as they are now, in plain data.

Nothing here runs a pass or changes the graph.
"""

import copy
import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from glassgrad.autograd.scopes import made_at
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, ends, get_gradient_edge
from glassgrad.core.saved import PrimitiveNode, arrays_in
from glassgrad.core.state import Place
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.on_saved import versions_of
from glassgrad.memory.stale import shown
from glassgrad.memory.views import CopySlices
from glassgrad.values.backend import asnumpy
from glassgrad.values.layers import Layer

from .levels import batch_of, levels_of, open_levels
from .naming import Naming
from .sharing import Bases, written_part
from .summary import ArrayTable, dtype_name

__all__ = [
    "Names",
    "describe",
    "describe_leaf",
    "describe_node",
    "error_in_words",
    "hooks_at",
    "numbers",
    "oldest_first",
    "saved_by",
]


def numbers(value: Any) -> Any:
    """A NumPy array of a Tensor, an array of some backend, or a NumPy scalar.

    Of a tensor that a transform sees, it is the array at the bottom: a whole batch under vmap.
    """
    if type(value) is np.ndarray:
        return value
    value = value.payload if isinstance(value, Tensor) else value
    value = value.array if isinstance(value, Layer) else value
    return value if getattr(value, "shape", None) == () else asnumpy(value)


class Names:
    """The ids of nodes, tensors, hooks and storages: ranks, never addresses.

    Args:
        schedule: the nodes, in the order in which a pass visits them.
        outputs: the tensors that it starts from.
    """

    def __init__(self, schedule: Iterable[Node], outputs: list[Tensor]) -> None:
        self.nodes = oldest_first(list(schedule))
        self.node = {node: f"n{rank}" for rank, node in enumerate(self.nodes)}
        leaves = [node for node in self.nodes if isinstance(node, AccumulateGrad)]
        self.leaves = leaves
        self.leaf = {node: f"t{rank}" for rank, node in enumerate(leaves)}
        self.outputs = [f"t{len(leaves) + rank}" for rank in range(len(outputs))]
        self._storages: dict[int, tuple[str, Any]] = {}  # kept alive: an id may be used again
        self._leaf_memory: dict[int, tuple[str, Any]] = {}  # likewise; made when it is asked for
        self._lines: dict[Place, str] = {}
        self._hooks: dict[tuple[Node, int], tuple[str, Any]] = {}
        self.bases = Bases()

    @cached_property
    def naming(self) -> Naming:
        """What modules and scopes call the parts of the graph."""
        return Naming(self.nodes)

    def storage(self, array: Any) -> str:
        """The id of the memory that `array` lies in."""
        memory = _memory_of(array)
        return self._storages.setdefault(id(memory), (f"s{len(self._storages)}", memory))[0]

    def owner(self, array: Any) -> str | None:
        """The id of the leaf in whose memory `array` lies."""
        if not self._leaf_memory:
            for node in self.leaves:
                memory = _memory_of(node.variable.payload)
                self._leaf_memory.setdefault(id(memory), (self.leaf[node], memory))
        return self._leaf_memory.get(id(_memory_of(array)), (None,))[0]

    def forget_storages(self) -> None:
        """Let go of the memory that was asked about."""
        self._storages.clear()
        self._leaf_memory.clear()

    def hook(self, node: Node, hook: Any) -> str:
        """The id of a hook at a node."""
        return self._hooks.setdefault((node, id(hook)), (f"h{len(self._hooks) + 1}", hook))[0]

    @property
    def hook_count(self) -> int:
        """How many hooks have an id."""
        return len(self._hooks)

    def cut_hooks(self, count: int) -> None:
        """Be as it was when `count` hooks had one."""
        while len(self._hooks) > count:
            self._hooks.popitem()

    def extended(self, nodes: list[Node]) -> "Names":
        """These names, and those of more nodes, numbered on."""
        more = copy.copy(self)
        leaves = [node for node in nodes if isinstance(node, AccumulateGrad)]
        first, first_leaf = len(self.nodes), len(self.leaves) + len(self.outputs)
        more.nodes, more.leaves = self.nodes + nodes, self.leaves + leaves
        more.node = self.node | {node: f"n{first + rank}" for rank, node in enumerate(nodes)}
        more.leaf = self.leaf | {x: f"t{first_leaf + rank}" for rank, x in enumerate(leaves)}
        more._storages, more._hooks = self._storages.copy(), self._hooks.copy()
        more._leaf_memory = {}
        more.bases = self.bases.copy()
        return more

    def line(self, place: Place) -> str:
        """The line of an instruction, as a reader finds it."""
        found = self._lines.get(place)
        if found is None:
            found = self._lines[place] = shown(place)
        return found


def _memory_of(array: Any) -> Any:
    """What owns the memory of an array, or of what a transform sees in its place."""
    memory = array.array if isinstance(array, Layer) else array
    while getattr(memory, "base", None) is not None:
        memory = memory.base
    return memory


def oldest_first(schedule: list[Node]) -> list[Node]:
    """All nodes, each leaf's AccumulateGrad just before its first consumer."""
    ordered: dict[Node, None] = {}
    for node in sorted((n for n in schedule if n.edges), key=lambda n: n.seq):
        for edge in node.edges:
            goal = edge.node if isinstance(edge, GradientEdge) else edge
            if isinstance(goal, AccumulateGrad):
                ordered[goal] = None
        ordered[node] = None
    for node in schedule:
        ordered.setdefault(node)
    return list(ordered)


def describe(names: Names, table: ArrayTable, outputs: list[Tensor]) -> dict[str, Any]:
    """The `graph` of a trace; the arrays it speaks of go into `table`."""
    with _uncollected():
        return {
            **levels_of(names.nodes),
            **open_levels(),
            "leaves": [describe_leaf(names, table, node) for node in names.leaves],
            "nodes": [describe_node(names, table, node) for node in names.nodes],
            "outputs": [
                _output(names, table, tensor, name)
                for tensor, name in zip(outputs, names.outputs, strict=True)
            ],
        }


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage: many small dicts are made, all are kept, and each would be visited."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _tensor(names: Names, table: ArrayTable, tensor: Tensor) -> dict[str, Any]:
    array = table.add_still(numbers(tensor), batch_of(tensor))
    about = {"name": names.naming.of(tensor), "shape": list(tensor.shape)}
    return {**about, "dtype": dtype_name(tensor.dtype), "array": array}


def describe_leaf(names: Names, table: ArrayTable, node: AccumulateGrad) -> dict[str, Any]:
    """A leaf as an entry of a trace."""
    about = _tensor(names, table, node.variable)
    return {"id": names.leaf[node], "acc": names.node[node], **about}


def _output(names: Names, table: ArrayTable, tensor: Tensor, name: str) -> dict[str, Any]:
    made_by = get_gradient_edge(tensor).node
    about = _tensor(names, table, tensor)
    return {"id": name, "node": names.node[made_by], "slot": tensor.output_nr, **about}


def describe_node(names: Names, table: ArrayTable, node: Node) -> dict[str, Any]:
    """A node as an entry of a trace."""
    entry: dict[str, Any] = {"id": names.node[node], "op": node.name()}
    entry["seq"] = int(entry["id"][1:])
    entry |= _origin(names, node)
    entry["edges"] = [_edge(names, node, edge) for edge in node.edges]
    shape, dtype = node._input_metadata[0]
    if dtype is not None:
        entry |= {"shape": list(shape), "dtype": dtype_name(dtype)}
    saved = [_saved_entry(names, table, *item) for item in saved_by(node)]
    if saved:
        entry["saved"] = saved
    if _is_freed(node):
        entry["freed"] = True
    if node._is_users:
        entry["user"] = True
    if base := names.bases.of(node):
        entry["base"] = names.node[base]
    if (part := written_part(node)) is not None:
        entry["part"] = part
    hooks = [
        {"id": names.hook(node, hook), "kind": kind, "name": getattr(hook, "__name__", "hook")}
        for kind, hook in hooks_at(node)
    ]
    if hooks:
        entry["hooks"] = hooks
    if retained := _retained(names, table, node):
        entry["retains"] = retained
    return entry


def _retained(names: Names, table: ArrayTable, node: Node) -> list[dict[str, Any]]:
    """The tensors made by `node` that keep their gradient."""
    kept = {} if node.cold is None else node.cold.retain
    alive = [(slot, tensor) for slot, ref in kept.items() if (tensor := ref()) is not None]
    return [{"slot": slot, **_tensor(names, table, tensor)} for slot, tensor in alive]


def _origin(names: Names, node: Node) -> dict[str, Any]:
    """Where a node comes from: the scopes, the line, the depth of the transform; what is known."""
    entry: dict[str, Any] = {}
    if scope := names.naming.scope(node):
        entry["scope"] = list(scope)
    if place := made_at(node):
        entry["src"] = names.line(place)
    level = getattr(node, "_level", None)
    if level is not None:
        entry["level"] = len(level.outer) + 1  # `depth` says it only while the level is open
    return entry


def _is_freed(node: Any) -> bool:
    """Whether the node saved something, and has let go of it."""
    if isinstance(node, CopySlices):
        return node.fn is None
    if isinstance(node, PrimitiveNode) or node._is_users:
        return bool(node._is_released())
    return False


def _edge(names: Names, node: Node, edge: Any) -> dict[str, Any]:
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


def hooks_at(node: Node) -> list[tuple[str, Any]]:
    """(kind, hook) of the hooks at `node`, in the order in which they run."""
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


def error_in_words(error: BaseException) -> dict[str, str]:
    """What an event tells of an exception: its class, and what it says, if it can say it."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  # the one that ended the pass is the one to raise
        message = "(no text: its __str__ raises)"
    return {"error": type(error).__name__, "message": message}


# What a node saved ------------------------------------------------------------------------------


def saved_by(node: Node) -> list[tuple[str, Any, int, int]]:
    """(name, tensor or array, version when saved, version now) of what `node` saved."""
    if isinstance(node, CopySlices):
        return saved_by(node.fn) if node.fn is not None else []
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
    names: Names, table: ArrayTable, name: str, what: Any, version: int, now: int
) -> dict[str, Any]:
    array = what.payload if isinstance(what, Tensor) else what
    entry: dict[str, Any] = {"name": name, "storage": names.storage(array), "version": version}
    entry |= {"bytes": array.nbytes, "shape": list(array.shape), "dtype": dtype_name(array.dtype)}
    entry["array"] = table.add_still(numbers(array), batch_of(array))
    if now != version:
        entry["now"] = now
    leaf = _leaf(names, what) if isinstance(what, Tensor) else None
    if leaf is not None:
        return entry | {"leaf": leaf}
    if (owner := names.owner(array)) is not None:
        entry["owner"] = owner
    if isinstance(what, Tensor) and what.name is not None:
        entry["label"] = what.name
    return entry


def _leaf(names: Names, tensor: Tensor) -> str | None:
    """The id of `tensor` if it is a leaf of the graph."""
    node: Any = tensor.cold and tensor.cold.accumulator and tensor.cold.accumulator()
    return names.leaf.get(node) if tensor.is_leaf else None
