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
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple, Self

from numpy import generic, ndarray

from glassgrad._words import LONGEST, op_in, plain
from glassgrad.autograd.scopes import Entered, Path, entered_in
from glassgrad.core.engine import Schedule
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, edge_of, ends
from glassgrad.core.saved import PrimitiveNode, SavingNode
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.memory.saved import Saved, packed_by, saved_by
from glassgrad.memory.views import AsStridedBackward0, CopySlices
from glassgrad.source.frames import made_at
from glassgrad.source.names import InSight
from glassgrad.tracing.seen import Entry as Entry  # noqa: PLC0414  # views have it from here
from glassgrad.tracing.seen import (
    SeenGraph,
    SeenLeaf,
    SeenMemory,
    SeenNode,
    SeenOutput,
    SeenSaved,
    SeenTensor,
    known_as,
    op_called,
    uncollected,
)
from glassgrad.tracing.summary import ArrayTable, Taken
from glassgrad.values.layers import Layer, array_of

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
    key: int  # the same for all calls of a module, also of one that is gone


class Naming:
    """The names of the scopes that nodes were made in, and of the leaves, as modules have them.

    Args:
        nodes: of the graph.

    Attributes:
        scopes: the names of the scopes that a node was made in, the outermost first.
        parameters: the names of leaves, by their identity.
    """

    def __init__(self, nodes: list[Node]) -> None:
        inner = [node for node in nodes if node.__class__ is not AccumulateGrad]
        inner.sort(key=attrgetter("seq"))
        self._labels: dict[int, str] = {}
        self._paths: dict[int, dict[int, Path]] = {}
        self._unnamed = defaultdict[tuple[int, type], dict[int, int]](dict)
        self.parameters: dict[int, str] = {}
        calls = _calls_at(inner)
        if calls:
            leaves = {id(node.variable) for node in nodes if isinstance(node, AccumulateGrad)}
            self._name_leaves(self._name_outermost(calls), leaves)
        entered = entered_in(inner)
        self.scopes = self._found(inner, calls, entered) if calls or entered else {}

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

    def _found(
        self, nodes: list[Node], calls: list[_Call], entered: dict[Node, Entered]
    ) -> dict[Node, Path]:
        """The path of each node: the calls around it, and the scopes that the user opened."""
        found: dict[Node, Path] = {}
        ahead, around = deque(calls), list[tuple[_Call, Path]]()
        for node in nodes:
            while ahead and ahead[0].start < node.seq:
                call = ahead.popleft()
                around = [pair for pair in around if pair[0].end > call.start]
                around.append((call, self._names(call, around)))
            parts = dict(entered.get(node, ()))
            for place, (within, names) in enumerate(around):
                if node.seq <= within.end and (names or within.start not in parts):
                    outer = around[place - 1][0].key if place else 0
                    parts[within.start] = names or self._class_of(within, outer)
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
        path = self._paths[id(parent)].get(id(call.module))
        return path or self._class_of(call, around[-1][0].key)

    def _class_of(self, call: _Call, outer: int) -> Path:
        """The class of a module without a name; numbered if the one around it calls several."""
        known = self._unnamed[outer, call.cls]
        number = known.setdefault(call.key, len(known) + 1)
        name = call.cls.__name__
        return (name if number == 1 else f"{name} {number}",)


def _calls_at(nodes: list[Node]) -> list[_Call]:
    """The calls of modules that left their mark at `nodes`, those that hold others first."""
    ends: dict[tuple[int, type], tuple[int, Any]] = {}
    for node in nodes:  # the oldest first: a call ends at the last one with its mark
        for start, module, cls in getattr(node, "calls", ()):
            ends[start, cls] = node.seq, module
    if not ends:
        return []
    calls = [_Call(start, end, ref(), cls, id(ref)) for (start, cls), (end, ref) in ends.items()]
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
        self._is_looking = False  # at all of it: what was seen then was seen at one moment
        self._arrays: dict[int, tuple[Any, Taken]] = {}
        self._memory: dict[int, SeenMemory] = {}
        self.hook_ids: dict[Any, tuple[str, Any]] = {}
        self._bases: dict[Any, Any] = {}
        self.outputs: list[Any] = []
        self._inside = {"inside": [level.kind for level in modes.levels]} if modes.levels else {}
        self._in_sight = InSight(self.tensor_class)
        self._given: set[str] = set()  # names, by the user or by modules
        edges = {node: tuple(node.next_functions) for node in nodes}
        self._add(edges, _turned(nodes) if isinstance(nodes, Schedule) else None)
        self.outputs = list(outputs)

    def _add(self, edges: dict[Any, Edges], order: list[Any] | None = None) -> None:
        """Number more nodes on, and their leaves behind the outputs; `order`: oldest first."""
        leaves = set(filter(is_leaf, edges))
        order = oldest_first(edges, leaves) if order is None else order
        self.node |= {node: f"n{at}" for at, node in enumerate(order, len(self.nodes))}
        self.nodes += order
        self.edges |= edges
        for node in order if leaves else ():
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
        found = self._storages.get(key)
        if found is None:
            found = self._storages[key] = f"s{len(self._storages)}", alive
        return found[0], self._owners.get(key, _NOBODY)[0]

    def forget_storages(self) -> None:
        """Let go of the memory that was asked about."""
        self._storages.clear()
        self._owners.clear()

    def hook(self, node: Any, hook: Any) -> str:
        """The id of a hook at a node."""
        return self.hook_ids.setdefault((node, id(hook)), (f"h{len(self.hook_ids) + 1}", hook))[0]

    # As it is now -------------------------------------------------------------------------------

    def describe(self, table: ArrayTable) -> Entry:
        """The `graph` of a trace; the arrays it speaks of go into `table`."""
        return self.seen(table).entry(table)

    def seen(self, table: ArrayTable) -> SeenGraph:
        """What a trace is to tell of the graph; the arrays are taken by `table`."""
        with uncollected():
            found = self._seen(table)
            if self._given.isdisjoint(self._in_sight.told):
                return found
            self._in_sight.forget(self._given)  # a name that was given is of one tensor
            return self._seen(table)

    def _seen(self, table: ArrayTable) -> SeenGraph:
        self._is_looking = True
        leaves = [self.seen_leaf(table, node) for node in self.leaves]
        for node in reversed(self.nodes):  # hooks are numbered as they run
            if getattr(node, "cold", node) is not None or node in self.leaf:
                self.hooks_at(node)
        nodes = [self.seen_node(table, node) for node in self.nodes]
        outputs = [self._seen_output(table, output) for output in self.outputs]
        self._is_looking = False
        self._arrays.clear()
        self._memory.clear()
        return SeenGraph(self.transforms(), leaves, nodes, outputs)

    def _seen_output(self, table: ArrayTable, output: Any) -> SeenOutput:
        node: Any = self.node_of(output)
        slot = output.output_nr
        if isinstance(output, self.tensor_class):
            about = self._seen_tensor(table, output)
        else:
            about = SeenTensor(None, *self.like(node, slot), None)
        return SeenOutput(self.node[node], slot, about)

    def seen_leaf(self, table: ArrayTable, node: Any) -> SeenLeaf:
        """What a trace is to tell of a leaf."""
        holder = getattr(node.variable, "cold", node.variable)  # PyTorch's have no other
        grad = None if holder is None else table.take(holder.grad)
        about = self._seen_tensor(table, node.variable)
        return SeenLeaf(self.leaf[node], self.node[node], about, grad)

    def _seen_tensor(self, table: ArrayTable, tensor: Any) -> SeenTensor:
        own = getattr(tensor, "payload", tensor)  # a tensor of PyTorch has none
        return SeenTensor(self.label(tensor), own.shape, own.dtype, self._taken(table, own))

    def _taken(self, table: ArrayTable, array: Any) -> Taken:
        """An array, which is taken once while all of the graph is looked at."""
        found = self._arrays.get(id(array))
        if found is None:
            found = array, table.take(array)  # the array, or another could get its identity
            if self._is_looking:
                self._arrays[id(array)] = found
        return found[1]

    def seen_node(self, table: ArrayTable, node: Any) -> SeenNode:
        """What a trace is to tell of a node."""
        told, is_view, sums = self.told(node)
        edges, seen = self.edges[node], self.node
        shape, dtype = self.like(node, 0)
        to: Any = [_NOWHERE if goal is None else (seen[goal], slot, None) for goal, slot in edges]
        for place, (goal, slot) in enumerate(edges) if sums else ():
            wanted = shape if goal is None else self.like(goal, slot)[0]
            if wanted != shape and _may_be_broadcast(wanted, shape):
                to[place] = seen[goal], slot, wanted
        saved = self._saved_plainly(table, node)
        if saved is None:
            saved = [self.seen_saved(table, item) for item in self.saved_by(node)]
            if node not in self.leaf and (packed := self.packed_by(node)):
                told["packed"] = [self._seen_packed(*item[:2]) for item in packed]
        for known in getattr(getattr(node, "_forward_cls", None), "assumes", ()):
            if saved and getattr(node, known, False):  # kept is what was made of the operand
                saved[0] = saved[0]._replace(label=known_as(known))
        if is_view and edges and edges[0][0] is not None:
            first = edges[0][0]  # a view of a view has the same base
            told["base"] = seen[self._bases.setdefault(node, self._bases.get(first, first))]
        retained = []
        if getattr(node, "cold", node) is not None or node in self.leaf:
            if hooks := self.hooks_at(node):
                told["hooks"] = [{"id": x.id, "kind": x.kind, "name": x.name} for x in hooks]
            retained = [(slot, self._seen_tensor(table, x)) for slot, x in self.retained_by(node)]
        parts = seen[node], node.name(), told, shape, dtype, to, saved, retained
        return _new(SeenNode, parts)

    def _saved_plainly(self, table: ArrayTable, node: Any) -> list[SeenSaved] | None:
        """As `saved_by` has it, of a node whose saved arrays nobody wrote, converted or packed."""
        is_primitive = isinstance(node, PrimitiveNode) and not hasattr(node, "__dict__")
        if not is_primitive or node.versions or type(node.saved_tensors) is not tuple:
            return None
        if node.holders is None:
            return []
        found: list[SeenSaved] = []
        in_sight, places = self._in_sight.found, enumerate(node.saved_tensors)
        for at, kept in places:
            if kept is None:
                continue
            what = holder = node.holders[at]
            cold = leaf = label = None
            if holder is None:
                what = kept
            elif holder.payload is not kept or (
                (cold := holder.cold) is not None and cold.version is not None
            ):
                return None
            if not isinstance(kept, _ARRAYS):
                return None
            key = id(what)
            if cold is not None:  # without, it is no leaf
                leaf = self._leaf_of.get(key)
            if leaf is None and (cold is not None or key in in_sight):
                label = self._in_sight.name_of(kept) if holder is None else self.label(holder)
            memory = self._memory.get(id(kept)) or self._memory_at(table, kept)
            found.append(_new(SeenSaved, (node._saved_names[at], 0, 0, leaf, label, memory)))
        return found

    def seen_saved(self, table: ArrayTable, item: Saved) -> SeenSaved:
        name, what, version, now = item
        leaf, label = self._leaf_of.get(id(what)), None
        if leaf is None:
            is_tensor = isinstance(what, self.tensor_class)
            label = self.label(what) if is_tensor else self._in_sight.name_of(what)
        own = getattr(what, "payload", what)
        memory = self._memory.get(id(own)) or self._memory_at(table, own)
        return SeenSaved(name, version, now, leaf, label, memory)

    def _seen_packed(self, name: str, what: Any) -> Entry:
        """What a hook made of a saved tensor; without bytes if nobody knows how many it has."""
        if what is None:
            return {"name": name}
        storage, owner = self.storage(what)
        entry = {"name": name, "storage": storage, "bytes": what.nbytes}
        return entry if owner is None else entry | {"owner": owner}

    def _memory_at(self, table: ArrayTable, own: Any) -> SeenMemory:
        """A saved array; it is looked at once while all of the graph is."""
        key = id(own)
        taken = self._arrays[key][1] if key in self._arrays else table.take(own)
        found = _new(SeenMemory, (key, own.shape, own.dtype, taken, *self.storage(own)))
        if self._is_looking:
            self._memory[key] = found
            self._arrays[key] = own, taken
        return found

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
        if given is None or (given[:1].isdigit() and given is not tensor.name):
            # Of a `Sequential`, "0.weight": better "model.0.weight", if its variable is in sight.
            seen = self._in_sight.name_of(tensor)
            if given is None or (seen or "").endswith(f".{given}"):
                return seen
        self._given.add(given)
        return given

    def called(self, what: Any) -> str:
        """What a tensor, or the array of one, is called; "" if nothing calls it."""
        name = self.label(what) if self.is_tensor(what) else self._in_sight.name_of(what)
        return name or ""

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
        memory = what if isinstance(what, _ARRAYS) else array_of(what)
        while (base := getattr(memory, "base", None)) is not None:
            memory = base
        return id(memory), memory

    saved_by = staticmethod(saved_by)
    packed_by = staticmethod(packed_by)

    @staticmethod
    def like(node: Any, slot: int) -> tuple[Any, Any]:
        """Shape and dtype of an output of a node; of one that is not known (None, None)."""
        shape, dtype = node.out_shape, node.out_dtype
        if dtype is None or dtype.__class__ is tuple:  # a leaf's, or one of several
            return node._input_metadata[slot]  # type: ignore[no-any-return]  # a node is any
        return shape, dtype

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
        # A write to a part of a tensor was made where the op was that wrote.
        maker = node.fn or node if isinstance(node, CopySlices) else node
        if place := made_at(maker):
            entry["src"] = place
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


_new = tuple.__new__
"""Makes a named tuple at half the price of calling its class."""

_ARRAYS = ndarray, generic
_NOBODY = (None,)
_NOWHERE = (None, 0, None)
"""The edge of an input that needs no gradient."""


def _may_be_broadcast(shape: Any, result: Any) -> bool:
    """Whether an operand was broadcast: one of another shape may be so, as a matrix is."""
    return len(shape) < len(result) or 1 in shape


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
    return op_called(node.name())


def names_of(node: Any) -> tuple[str, str]:
    """What a node is called: "MulBackward0", and the name of its op, "Mul"."""
    name = op_of(node)
    return name, op_in(name)


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


def _turned(schedule: Schedule) -> list[Any]:
    """The nodes of a schedule `oldest_first`: in it, those leaves that wait for one are turned."""
    order: list[Any] = []
    leaves: list[Any] = []
    for node in reversed(schedule):
        if node.__class__ is AccumulateGrad:
            leaves.insert(0, node)
        else:
            order += [*leaves, node]
            leaves.clear()
    return order + leaves


def oldest_first(edges: dict[Any, Edges], leaves: set[Any]) -> list[Any]:
    """By age, each leaf before its first consumer, and no node before those its edges lead to.

    Age alone would nearly do. But a view of PyTorch's whose base was written gets its node when it
    is next used, which is after the node of its user was made; and each thread counts for itself.
    """
    inner = edges.keys() - leaves
    numbers = [(node._sequence_nr(), place, node) for place, node in enumerate(edges)]
    ahead = sorted([entry for entry in numbers if entry[-1] in inner], reverse=True)
    waiting: defaultdict[Any, list[Any]] = defaultdict(list)  # for a younger node: what leads to it
    ordered: dict[Any, None] = {}
    while ahead:
        entry = ahead.pop()
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
            ahead += sorted(waiting.pop(node, ()), reverse=True)  # older than all that are ahead
    return list(ordered | dict.fromkeys(edges))
