"""A PyTorch graph as the nodes, leaves and outputs of a trace.

Everything here only looks: no hook is registered, and nothing walks the graph recursively.
"""

import heapq
from collections.abc import Mapping
from typing import Any

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.tracing.summary import ArrayTable

from .arrays import array_of, bytes_of, dtype_of, is_tensor, the_torch
from .saved import Saved, saved_by
from .sources import line_of
from .views import note_bases

__all__ = [
    "Graph",
    "describe",
    "describe_leaf",
    "describe_node",
    "memory_of",
    "named",
    "oldest_first",
    "outputs_of",
    "owners_of",
]

_BROADCASTING = frozenset(
    f"{op}Backward{nr}"
    for op in ("Add", "Sub", "Rsub", "Mul", "Div", "Pow", "Maximum", "Minimum", "Where", "Atan2")
    for nr in (0, 1)
)
"""Nodes whose gradients the engine sums to the shape of an operand that was broadcast."""


class Graph:
    """What lies behind `outputs`, with an id for everything: ranks, never addresses.

    Args:
        outputs: the tensors the pass starts from. One without a graph is left out: PyTorch's own
            error says what is wrong with it.
        inputs: the tensors whose gradients are wanted; None for all leaves.
        names: tensors by name.

    Attributes:
        nodes: oldest first, each AccumulateGrad just before its first consumer.
        node: the id of each.
        leaf: the id of the tensor of each AccumulateGrad.
        leaf_of, label: the id and the name of tensors, by their `id()`.
        owner_of: the id of the leaf that owns a piece of memory, by what tells that.
        tensors: those that have a name.
        edges: `next_functions` of each.
        running: the nodes that the pass runs.
        outputs: those of the outputs that have a graph.
        inputs: as given.
    """

    def __init__(self, outputs: list[Any], inputs: list[Any] | None, names: dict[str, Any]) -> None:
        self.outputs = [tensor for tensor in outputs if is_tensor(tensor) and tensor.requires_grad]
        self.edges = _reach([node_of(tensor) for tensor in self.outputs])
        self.nodes = oldest_first(self.edges)
        self.node = {node: f"n{rank}" for rank, node in enumerate(self.nodes)}
        self.leaf = {
            node: f"t{rank}" for rank, node in enumerate(n for n in self.nodes if is_leaf(n))
        }
        leaves = [node.variable for node in self.leaf]
        self.leaf_of = {id(x): name for x, name in zip(leaves, self.leaf.values(), strict=True)}
        self.label = {id(tensor): name for name, tensor in names.items()}
        self.tensors = list(names.values())
        self.inputs = inputs or []
        self.owner_of = owners_of(self.leaf)
        self._alive = leaves  # so that no id is given to another tensor; as `tensors` for labels
        self.running = set(self.nodes) if inputs is None else self._needed(inputs)
        self._storages: dict[int, str] = {}

    def _needed(self, inputs: list[Any]) -> set[Any]:
        """The nodes that run in a pass for `inputs` alone: theirs, and those on the way there."""
        needed = {node_of(tensor) for tensor in inputs if tensor.requires_grad}
        for node in self.nodes:
            if any(goal in needed for goal, _ in self.edges[node]):
                needed.add(node)
        return needed

    def storage(self, tensor: Any) -> str:
        """The id of the memory that `tensor` lies in."""
        return self._storages.setdefault(memory_of(tensor), f"s{len(self._storages)}")

    def place(self, tensor: Any) -> tuple[Any, ...]:
        """Which part of which memory `tensor` is; strides left aside."""
        offset = tensor.storage_offset() if tensor.layout == the_torch().strided else 0
        return self.storage(tensor), tuple(tensor.shape), offset


def owners_of(leaves: Mapping[Any, str]) -> dict[int, str]:
    """The id of the leaf that owns a piece of memory; of several, the first."""
    found: dict[int, str] = {}
    for node, name in leaves.items():
        found.setdefault(memory_of(node.variable), name)
    return found


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


def node_of(tensor: Any) -> Any:
    """The node at which the gradient of `tensor` arrives."""
    return the_torch().autograd.graph.get_gradient_edge(tensor).node


def memory_of(tensor: Any) -> int:
    """What tells the memory that `tensor` lies in from all other memory, as long as it lives."""
    try:
        key: int = tensor.untyped_storage()._cdata
    except (AttributeError, NotImplementedError, RuntimeError):
        return id(tensor)  # sparse tensors have none of their own
    return key


def is_leaf(node: Any) -> bool:
    """Whether `node` is an AccumulateGrad."""
    return hasattr(node, "variable") and op_of(node) == "AccumulateGrad"


def outputs_of(node: Any) -> int:
    """How many gradients a node is given."""
    return len(node._input_metadata) or 1


def op_of(node: Any) -> str:
    """The name of a node, without the C++ namespace that PyTorch shows for leaves."""
    name: str = node.name()
    return name.rpartition("::")[2]


def _reach(roots: list[Any]) -> dict[Any, tuple[Any, ...]]:
    """The edges of all nodes behind `roots`."""
    edges: dict[Any, tuple[Any, ...]] = {}
    stack = roots[::-1]
    while stack:
        node = stack.pop()
        if node not in edges:
            edges[node] = tuple(node.next_functions)
            stack.extend(goal for goal, _ in reversed(edges[node]) if goal is not None)
    return edges


def oldest_first(edges: dict[Any, tuple[Any, ...]]) -> list[Any]:
    """By age, each leaf before its first consumer, and no node before those its edges lead to.

    Age alone would nearly do. But a view whose base was written gets its node when it is next
    used, which is after the node of its user was made; and each thread counts for itself.
    """
    rank = {node: place for place, node in enumerate(edges)}
    feeds: dict[Any, list[Any]] = {node: [] for node in edges}
    left: dict[Any, int] = {}
    for node, ends in edges.items():
        goals = {goal for goal, _ in ends if goal is not None and not is_leaf(goal)}
        left[node] = len(goals)
        for goal in goals:
            feeds[goal].append(node)
    heap = [_age(node, rank) for node in edges if not left[node] and not is_leaf(node)]
    heapq.heapify(heap)
    ordered: dict[Any, None] = {}
    while heap:
        node = heapq.heappop(heap)[-1]
        ordered |= dict.fromkeys(goal for goal, _ in edges[node] if goal in rank and is_leaf(goal))
        ordered[node] = None
        for consumer in feeds[node]:
            left[consumer] -= 1
            if not left[consumer]:
                heapq.heappush(heap, _age(consumer, rank))
    return list(ordered | dict.fromkeys(edges))


def _age(node: Any, rank: dict[Any, int]) -> tuple[int, int, Any]:
    return node._sequence_nr(), rank[node], node


# As entries of a trace --------------------------------------------------------------------------


def describe(
    graph: Graph, table: ArrayTable, hooks: dict[Any, list[dict[str, Any]]]
) -> tuple[dict[str, Any], dict[Any, list[Saved]]]:
    """The `graph` of a trace, with the hooks by node; and the saved tensors by node."""
    saved = {node: saved_by(node) for node in graph.nodes}
    first = len(graph.leaf)
    leaves = [describe_leaf(graph, table, node) for node in graph.leaf]
    nodes = [
        describe_node(graph, table, node, saved[node], hooks.get(node)) for node in graph.nodes
    ]
    note_bases(nodes)
    document = {
        "leaves": leaves,
        "nodes": nodes,
        "outputs": [
            {
                "id": f"t{first + rank}",
                "node": graph.node[node_of(tensor)],
                "slot": tensor.output_nr,
                **_tensor(graph, table, tensor),
            }
            for rank, tensor in enumerate(graph.outputs)
        ],
    }
    return document, saved


def describe_leaf(graph: Graph, table: ArrayTable, node: Any) -> dict[str, Any]:
    """A leaf as an entry of a trace."""
    about = _tensor(graph, table, node.variable)
    return {"id": graph.leaf[node], "acc": graph.node[node], **about}


def _tensor(graph: Graph, table: ArrayTable, tensor: Any) -> dict[str, Any]:
    return {
        "name": graph.label.get(id(tensor)),
        "shape": list(tensor.shape),
        "dtype": dtype_of(tensor),
        "array": table.add(array_of(tensor)),
    }


def describe_node(
    graph: Graph, table: ArrayTable, node: Any, saved: list[Saved], hooks: Any = None
) -> dict[str, Any]:
    """A node as an entry of a trace."""
    entry: dict[str, Any] = {"id": graph.node[node], "op": op_of(node)}
    entry["seq"] = int(entry["id"][1:])
    entry["edges"] = [_edge(graph, node, *edge) for edge in graph.edges[node]]
    about = node._input_metadata
    if about:
        entry |= {"shape": list(about[0].shape), "dtype": dtype_of(about[0])}
    if saved:
        entry["saved"] = [_saved(graph, table, item) for item in saved]
    line = None if is_leaf(node) else line_of(node)
    if line is not None:
        entry["src"] = line
    if isinstance(node, the_torch().autograd.function.BackwardCFunction):
        entry["user"] = True
    if hooks:
        entry["hooks"] = hooks
    return entry


def _edge(graph: Graph, node: Any, goal: Any, slot: int) -> dict[str, Any]:
    if goal is None:
        return {"to": None, "slot": 0}
    entry: dict[str, Any] = {"to": graph.node[goal], "slot": slot}
    if op_of(node) in _BROADCASTING and slot < len(goal._input_metadata):
        shape = goal._input_metadata[slot].shape
        if shape != node._input_metadata[0].shape:
            entry["sum_to"] = list(shape)
    return entry


def _saved(graph: Graph, table: ArrayTable, item: Saved) -> dict[str, Any]:
    tensor = item.tensor
    entry: dict[str, Any] = {"name": item.name, "storage": graph.storage(tensor)}
    entry |= {"version": item.version, "bytes": bytes_of(tensor)}
    entry |= {"shape": list(tensor.shape), "dtype": dtype_of(tensor)}
    entry["array"] = table.add(array_of(tensor))
    if id(tensor) in graph.leaf_of:
        return entry | {"leaf": graph.leaf_of[id(tensor)]}
    if memory_of(tensor) in graph.owner_of:
        entry["owner"] = graph.owner_of[memory_of(tensor)]
    if id(tensor) in graph.label:
        entry["label"] = graph.label[id(tensor)]
    return entry
