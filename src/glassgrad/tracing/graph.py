"""The graph of a trace: what hangs together behind a tensor, with ids, as plain data.

glassgrad's nodes and PyTorch's answer to the same names (`name()`, `next_functions`, `variable`,
`_input_metadata`). What PyTorch's tell in other ways, `_torch/recorder.py` says. Nothing here runs
a pass or changes a graph.

What a program called the parts of its graph is found when somebody looks, so that calling a module
stays cheap. A module's call leaves a mark at the node of its output: which module, and the sequence
number before it (`autograd/scopes.py`). All nodes numbered since then, up to the output's, were
made inside. (All threads number from one counter: what another one makes meanwhile, and joins to
the same graph, is taken to be of the module, too.)

    net(x):   41 [ Linear 42 ] [ ReLU 43 ] [ Linear 44 ]     n.seq from 42 to 44: Sequential
                 └ "0"         └ "1"       └ "2"             n.seq = 42:          Sequential › 0
"""

import copy
import gc
import heapq
import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple, Self

from glassgrad._words import LONGEST, op_in, plain
from glassgrad.autograd.scopes import Path, entered_in
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, edge_of, ends
from glassgrad.core.saved import PrimitiveNode, SavingNode
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.memory.saved import Saved, saved_by
from glassgrad.memory.views import AsStridedBackward0, CopySlices
from glassgrad.source.frames import made_at
from glassgrad.source.lines import shown, span
from glassgrad.source.names import InSight
from glassgrad.tracing.summary import ArrayTable, dtype_name
from glassgrad.values.layers import Layer, array_of

Entry = dict[str, Any]
Ids = dict[str, str]  # for each id, the one that it stands for
Edges = tuple[tuple[Any, int], ...]


class Hook(NamedTuple):
    """A hook that runs at a node.

    Attributes:
        id: "h1".
        kind: "tensor", "pre", "post" or "post_accumulate".
        name: the name of the function.
        hook: the function.
    """

    id: str
    kind: str
    name: str
    hook: Any

    def __str__(self) -> str:
        return f"{self.id} {plain(self.name, LONGEST)} ({self.kind})"


class _Call(NamedTuple):
    """One call of a module: which, of which class, and the numbers of the nodes made inside."""

    start: int
    end: int
    module: Any  # None if it is gone
    cls: type


class Naming:
    """The names of the scopes that nodes were made in, and of the leaves, as modules have them.

    Args:
        nodes: of the graph.

    Attributes:
        scopes: the names of the scopes that a node was made in, the outermost first.
        parameters: the names of leaves, by their identity.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        nodes = sorted(nodes, key=attrgetter("seq"))
        inner = [node for node in nodes if not isinstance(node, AccumulateGrad)]
        self._labels: dict[int, str] = {}
        self._paths: dict[int, dict[int, Path]] = {}
        self.parameters: dict[int, str] = {}
        calls = _calls_at(inner)
        if calls:
            leaves = {id(node.variable) for node in nodes if isinstance(node, AccumulateGrad)}
            self._name_leaves(self._name_outermost(calls), leaves)
        self.scopes = self._found(inner, calls)

    def _name_outermost(self, calls: list[_Call]) -> list[Any]:
        """Modules that no module calls, each with its class's name, numbered if there are more."""
        modules: list[Any] = []
        counts, end = Counter[str](), -1
        for call in calls:
            if call.start >= end:
                end = call.end
                if call.module is not None and id(call.module) not in self._labels:
                    modules.append(call.module)
                    name = call.cls.__name__
                    counts[name] += 1
                    numbered = name if counts[name] == 1 else f"{name} {counts[name]}"
                    self._labels[id(call.module)] = numbered
        return modules

    def _name_leaves(self, modules: list[Any], leaves: set[int]) -> None:
        """Note the names of leaves; behind their module's label if several modules have some."""
        owning = [module for module in modules if list(module.parameters())]
        for module in owning:
            prefix = f"{self._labels[id(module)]}." if len(owning) > 1 else ""
            for name, parameter in module.named_parameters():
                if id(parameter) in leaves:  # the graph keeps those, so that no other gets their id
                    self.parameters.setdefault(id(parameter), prefix + name)

    def _found(self, nodes: list[Node], calls: list[_Call]) -> dict[Node, Path]:
        """The path of each node: the calls around it, and the scopes that the user opened."""
        found: dict[Node, Path] = {}
        entered = entered_in(nodes)
        ahead, around = deque(calls), list[tuple[_Call, Path]]()
        for node in nodes:
            while ahead and ahead[0].start < node.seq:
                call = ahead.popleft()
                around = [pair for pair in around if pair[0].end > call.start]
                around.append((call, self._names(call, around)))
            parts = dict(entered.get(node, ()))
            for within, names in around:
                if node.seq <= within.end and (names or within.start not in parts):
                    parts[within.start] = names or (within.cls.__name__,)
            if parts and (path := sum(map(parts.__getitem__, sorted(parts)), ())):
                found[node] = path
        return found

    def _names(self, call: _Call, around: list[tuple[_Call, Path]]) -> Path:
        """What a call is called where it happens; empty if whoever knew that is gone."""
        parent = around[-1][0].module if around else None
        if call.module is None or (around and parent is None):
            return ()
        if parent is None:
            return (self._labels[id(call.module)],)
        if id(parent) not in self._paths:
            parts = [(id(part), name) for name, part in parent.named_modules() if name]
            self._paths[id(parent)] = {key: tuple(name.split(".")) for key, name in parts}
        return self._paths[id(parent)].get(id(call.module), (call.cls.__name__,))


def _calls_at(nodes: list[Node]) -> list[_Call]:
    """The calls of modules that left their mark at `nodes`, those that hold others first."""
    ends: dict[tuple[int, type], tuple[int, Any]] = {}
    for node in nodes:  # the oldest first: a call ends at the last one with its mark
        for start, module, cls in getattr(node, "calls", ()):
            ends[start, cls] = node.seq, module
    if not ends:
        return []
    calls = [_Call(start, end, ref(), cls) for (start, cls), (end, ref) in ends.items()]
    return sorted(calls, key=lambda call: (call.start, -call.end))


class Graph:
    """Nodes, leaves, outputs, hooks and storages, each with an id: ranks, never addresses.

    Args:
        nodes: all of it.
        outputs: the tensors that a pass starts from; or edges, where nobody has these.

    Attributes:
        nodes: oldest first, each AccumulateGrad just before its first consumer.
        node: the id of each.
        leaves: those that are an AccumulateGrad.
        leaf: the ids of their tensors.
        hook_ids: of each hook that was asked for, by node and identity, with the hook.
    """

    how_to_name = (
        "Leaves, outputs and saved tensors are looked through. Set `x.name` before the session"
    )

    tensor_class: Any = Tensor

    def __init__(self, nodes: Iterable[Any], outputs: Iterable[Any]) -> None:
        self.edges: dict[Any, Edges] = {}
        self.nodes: list[Any] = []
        self.node: dict[Any, str] = {}
        self.leaf: dict[Any, str] = {}
        self._storages: dict[int, tuple[str, Any]] = {}  # kept alive: an id may be used again
        self.hook_ids: dict[Any, tuple[str, Any]] = {}
        self._bases: dict[Any, Any] = {}
        self.outputs: list[Any] = []
        self._lines: dict[tuple[str, int], str] = {}
        self._inside = {"inside": [level.kind for level in modes.levels]} if modes.levels else {}
        self._in_sight = InSight(self.tensor_class)
        self._given: set[str] = set()  # names, by the user or by modules
        self._add({node: tuple(node.next_functions) for node in nodes})
        self.outputs = list(outputs)

    def _add(self, edges: dict[Any, Edges]) -> None:
        """Number more nodes on, and their leaves behind the outputs."""
        leaves = set(filter(is_leaf, edges))
        self.edges |= edges
        for node in oldest_first(edges, leaves):
            self.node[node] = f"n{len(self.nodes)}"
            self.nodes.append(node)
            if node in leaves:
                self.leaf[node] = f"t{len(self.leaf) + len(self.outputs)}"
        self.leaves = list(self.leaf)
        self._leaf_of = {id(node.variable): name for node, name in self.leaf.items()}
        self._owners: dict[int, tuple[str, Any]] = {}  # made when it is asked for

    def extended(self, edges: dict[Any, Edges]) -> Self:
        """This graph and more nodes, numbered on."""
        more = copy.copy(self)
        for name in ("edges", "nodes", "node", "leaf", "_storages", "hook_ids", "_bases"):
            setattr(more, name, getattr(self, name).copy())
        more._add(edges)
        return more

    # Ids ----------------------------------------------------------------------------------------

    def storage(self, what: Any) -> tuple[str, str | None]:
        """The id of the memory that a tensor or array lies in, and that of the leaf it is of."""
        if not self._owners:
            for node, name in self.leaf.items():
                key, alive = self.memory_of(node.variable)
                self._owners.setdefault(key, (name, alive))
        key, alive = self.memory_of(what)
        storage, _ = self._storages.setdefault(key, (f"s{len(self._storages)}", alive))
        return storage, self._owners.get(key, (None,))[0]

    def forget_storages(self) -> None:
        """Let go of the memory that was asked about."""
        self._storages.clear()
        self._owners.clear()

    def hook(self, node: Any, hook: Any) -> str:
        """The id of a hook at a node."""
        return self.hook_ids.setdefault((node, id(hook)), (f"h{len(self.hook_ids) + 1}", hook))[0]

    # As entries of a trace ----------------------------------------------------------------------

    def describe(self, table: ArrayTable) -> Entry:
        """The `graph` of a trace; the arrays it speaks of go into `table`."""
        with uncollected():
            told = self._described(table)
            if self._given.isdisjoint(self._in_sight.told):
                return told
            self._in_sight.forget(self._given)  # a name that was given is of one tensor
            return self._described(table)

    def _described(self, table: ArrayTable) -> Entry:
        found: Entry = {
            **self.transforms(),
            "leaves": [self.leaf_entry(table, node) for node in self.leaves],
            "nodes": [self.node_entry(table, node) for node in self.nodes],
            "outputs": [
                {"id": f"t{rank}", **self._output(table, output)}
                for rank, output in enumerate(self.outputs, start=len(self.leaves))
            ],
        }
        for node, entry in zip(self.leaves, found["leaves"], strict=True):
            holder = getattr(node.variable, "cold", node.variable)  # PyTorch's have no other
            if holder is not None and holder.grad is not None:
                entry["grad"] = table.add(holder.grad)
        return found

    def _output(self, table: ArrayTable, output: Any) -> Entry:
        node: Any = self.node_of(output)
        slot = output.output_nr
        if isinstance(output, self.tensor_class):
            about = self._tensor(table, output)
        else:
            shape, dtype = node._input_metadata[slot]
            about = {"name": None, "shape": list(shape), "dtype": dtype_name(dtype)}
        return {"node": self.node[node], "slot": slot, **about}

    def leaf_entry(self, table: ArrayTable, node: Any) -> Entry:
        """A leaf as an entry of a trace."""
        about = self._tensor(table, node.variable)
        return {"id": self.leaf[node], "acc": self.node[node], **about}

    def _tensor(self, table: ArrayTable, tensor: Any) -> Entry:
        own = getattr(tensor, "payload", tensor)  # a tensor of PyTorch has none
        about = {"name": self.label(tensor), "shape": list(own.shape)}
        return {**about, "dtype": dtype_name(own.dtype), "array": table.add(tensor)}

    def node_entry(self, table: ArrayTable, node: Any) -> Entry:
        """A node as an entry of a trace."""
        entry: Entry = {"id": self.node[node], "op": op_of(node)}
        entry["seq"] = int(entry["id"][1:])
        told, is_view, sums = self.told(node)
        entry |= told
        about, edges = node._input_metadata, self.edges[node]
        if about and about[0].dtype is not None:
            entry |= {"shape": list(about[0].shape), "dtype": dtype_name(about[0].dtype)}
        entry["edges"] = []
        for goal, slot in edges:
            if goal is None:
                entry["edges"].append({"to": None, "slot": 0})
                continue
            entry["edges"].append({"to": self.node[goal], "slot": slot})
            wanted = goal._input_metadata[slot : slot + 1] if sums else ()
            if wanted and _may_be_broadcast(wanted[0].shape, about[0].shape):
                entry["edges"][-1]["sum_to"] = list(wanted[0].shape)
        if saved := self.saved_by(node):
            entry["saved"] = [self._saved(table, item) for item in saved]
        if is_view and edges and edges[0][0] is not None:
            first = edges[0][0]  # a view of a view has the same base
            entry["base"] = self.node[self._bases.setdefault(node, self._bases.get(first, first))]
        if hooks := self.hooks_at(node):
            entry["hooks"] = [{"id": x.id, "kind": x.kind, "name": x.name} for x in hooks]
        if getattr(node, "cold", None) is not None and (retained := self.retained_by(node)):
            entry["retains"] = [
                {"slot": slot, **self._tensor(table, tensor)} for slot, tensor in retained
            ]
        return entry

    def _saved(self, table: ArrayTable, item: Saved) -> Entry:
        name, what, version, now = item
        own, (storage, owner) = getattr(what, "payload", what), self.storage(what)
        shape, dtype = list(own.shape), own.dtype
        entry: Entry = {"name": name, "storage": storage, "version": version}
        entry |= {"bytes": bytes_of(shape, dtype), "shape": shape}
        entry |= {"dtype": dtype_name(dtype), "array": table.add(what)}
        if now != version:
            entry["now"] = now
        if id(what) in self._leaf_of:
            return entry | {"leaf": self._leaf_of[id(what)]}
        if owner is not None:
            entry["owner"] = owner
        is_tensor = isinstance(what, self.tensor_class)
        label = self.label(what) if is_tensor else self._in_sight.name_of(what)
        if label is not None:
            entry["label"] = label
        return entry

    # What the nodes tell: of PyTorch's, `_torch/recorder.py` says it ------------------------------

    @cached_property
    def naming(self) -> Naming:
        """What modules and scopes call the parts of the graph."""
        return Naming(self.nodes)

    def scope(self, node: Node) -> Path:
        """The names of the scopes in which `node` was made, the outermost first."""
        return self.naming.scopes.get(node, ())

    def label(self, tensor: Tensor) -> str | None:
        """What `tensor` is called."""
        given = tensor.name or self.naming.parameters.get(id(tensor))
        if given is None:
            return self._in_sight.name_of(tensor)
        self._given.add(given)
        return given

    def is_tensor(self, value: Any) -> bool:
        """Whether `value` is a tensor of the library."""
        return isinstance(value, self.tensor_class)

    def node_of(self, tensor: Tensor | GradientEdge) -> Node | None:
        """The node at which the gradient of `tensor` arrives; None if none does."""
        edge = edge_of(tensor) if isinstance(tensor, Tensor) else tensor
        node: Node | None = ends(edge)[0]
        return node

    def memory_of(self, what: Any) -> tuple[int, Any]:
        """What tells the memory of a tensor or array from all other, and what keeps that so."""
        memory = array_of(what)
        while getattr(memory, "base", None) is not None:
            memory = memory.base
        return id(memory), memory

    saved_by = staticmethod(saved_by)

    def hooks_at(self, node: Node) -> list[Hook]:
        """The hooks at a node, in the order in which they run."""
        groups: list[tuple[str, dict[int, Any] | None]] = []  # as most nodes have none
        if isinstance(node, AccumulateGrad) and (leaf := node.variable.cold) is not None:
            groups += [("tensor", leaf.hooks), ("post_accumulate", leaf.post_hooks)]
        if (cold := node.cold) is not None:
            groups += [("tensor", cold.tensor), ("pre", cold.pre), ("post", cold.post)]
        found: list[Hook] = []
        for kind, hooks in groups:
            for mine in hooks.values() if hooks else ():
                hook = mine[1] if isinstance(mine, tuple) else mine  # of a step
                found += [Hook(self.hook(node, hook), kind, name_of(hook), hook)]
        return found

    @staticmethod
    def retained_by(node: Node) -> list[tuple[int, Tensor]]:
        """(which output, tensor) of the tensors that a node made and that keep their gradient."""
        if node.cold is None:
            return []
        kept = node.cold.retain.items()
        return [(slot, tensor) for slot, ref in kept if (tensor := ref()) is not None]

    def told(self, node: Any) -> tuple[Entry, bool, bool]:
        """Where a node comes from, and what its op is like.

        Returns:
            Fields of its entry; whether the result shares the memory of the first operand; whether
            the engine reduces the gradients that the node makes to the operands' shapes.
        """
        entry: Entry = {}
        if scope := self.naming.scopes.get(node):
            entry["scope"] = list(scope)
        if place := made_at(node):
            line = place[0].co_filename, span(place)[0]
            entry["src"] = self._lines.get(line) or self._lines.setdefault(line, shown(place))
        if (level := getattr(node, "_level", None)) is not None:
            entry["level"] = _depth(level)
        if isinstance(node, CopySlices):
            entry["part"] = list(node.geometry.size)
            is_freed = node.fn is None
        else:
            is_freed = isinstance(node, SavingNode) and node._is_released()
        if is_freed:
            entry["freed"] = True
        if node._is_users:
            entry["user"] = True
        if not isinstance(node, PrimitiveNode):
            return entry, isinstance(node, AsStridedBackward0), False
        cls = node._forward_cls
        return entry, bool(cls.views), node.checked and cls.broadcasts

    def transforms(self) -> Entry:
        """`inside` and `levels` of a trace: what was open; whose tapes nodes are on."""
        found: dict[int, Entry] = {}
        for node in self.nodes:
            level = getattr(node, "_level", None)
            if isinstance(node, AccumulateGrad) and isinstance(node.variable.payload, Layer):
                level = node.variable.payload.level
            if level is not None:
                entry = found[_depth(level)] = {"level": _depth(level), "kind": level.kind}
                if level.outer:
                    entry["inside"] = [outer.kind for outer in level.outer]
        levels = {"levels": [found[depth] for depth in sorted(found)]} if found else {}
        return self._inside | levels

    def tensors_by_name(self) -> Iterator[tuple[str | None, Any]]:
        """The tensors that are known, each with the node where its gradient arrives."""
        for node in reversed(self.nodes):
            for saved in self.saved_by(node):
                if isinstance(saved.what, Tensor) and self.node_of(saved.what) in self.node:
                    yield saved.what.name, self.node_of(saved.what)
            yield from [(tensor.name, node) for _, tensor in self.retained_by(node)]
        outputs = filter(self.is_tensor, self.outputs)
        yield from [(self.label(tensor), self.node_of(tensor)) for tensor in outputs]
        yield from [(self.label(leaf.variable), leaf) for leaf in self.leaves]


def _may_be_broadcast(shape: Any, result: Any) -> bool:
    """Whether an operand was broadcast: one of another shape may be so, as a matrix is."""
    return shape != result and (len(shape) < len(result) or 1 in shape)


def _depth(level: Any) -> int:
    return len(level.outer) + 1  # its `depth` says so only while it is open


def grad_of(tensor: Tensor) -> Tensor | None:
    """The `.grad` of a tensor; without the warning that one of a non-leaf is none."""
    return None if tensor.cold is None else tensor.cold.grad


def name_of(hook: Any) -> str:
    """What a hook is called."""
    name: str = getattr(hook, "__name__", "hook")
    return name


def rank_of(name: str) -> int:
    """The number in an id."""
    return int(name[1:])


def is_leaf(node: Any) -> bool:
    """Whether `node` is an AccumulateGrad."""
    return type(node).__name__ == "AccumulateGrad"


def op_of(node: Any) -> str:
    """The name of a node, without the C++ namespace that PyTorch shows for leaves."""
    name: str = node.name()
    return name.rpartition("::")[2]


def names_of(node: Any) -> tuple[str, str]:
    """What a node is called: "MulBackward0", and the name of its op, "Mul"."""
    name = op_of(node)
    return name, op_in(name)


def bytes_of(shape: Iterable[int], dtype: Any) -> int:
    """The bytes of the elements of a tensor or an array."""
    size: int = math.prod(shape) * dtype.itemsize
    return size


def reach(starts: Iterable[Any], known: Any = ()) -> dict[Any, Edges]:
    """The edges of all nodes behind `starts`; those that are `known` end the search."""
    found: dict[Any, Edges] = {}
    stack = list(starts)[::-1]
    while stack:
        node = stack.pop()
        if node is not None and node not in found and node not in known:
            found[node] = tuple(node.next_functions)
            stack += [goal for goal, _ in reversed(found[node])]
    return found


def oldest_first(edges: dict[Any, Edges], leaves: set[Any]) -> list[Any]:
    """By age, each leaf before its first consumer, and no node before those its edges lead to.

    Age alone would nearly do. But a view of PyTorch's whose base was written gets its node when it
    is next used, which is after the node of its user was made; and each thread counts for itself.
    """
    inner = edges.keys() - leaves
    heap: list[tuple[int, int, Any]] = []
    for place, node in enumerate(edges):
        if node in inner:
            heapq.heappush(heap, (node._sequence_nr(), place, node))
    waiting: defaultdict[Any, list[Any]] = defaultdict(list)  # for a younger node: what leads to it
    ordered: dict[Any, None] = {}
    while heap:
        entry = heapq.heappop(heap)
        node = entry[-1]
        for goal, _ in edges[node]:
            if goal in inner and goal not in ordered:
                waiting[goal].append(entry)
                break
        else:
            for goal, _ in edges[node]:
                if goal in leaves:
                    ordered[goal] = None  # where it was, if it has a consumer already
            ordered[node] = None
            for entry in waiting.pop(node, ()):
                heapq.heappush(heap, entry)
    return list(ordered | dict.fromkeys(edges))


class uncollected:  # noqa: N801  # reads as a statement: `with uncollected():`
    """No search for garbage: many small dicts are made, all are kept, and each would be visited."""

    def __enter__(self) -> None:
        self.was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *exc_info: object) -> None:
        if self.was_enabled:
            gc.enable()
