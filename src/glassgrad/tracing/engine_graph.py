"""What glassgrad's own nodes tell: the part of a `Graph` that reads the engine's objects."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from glassgrad.autograd.scopes import made_at
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, edge_of, ends
from glassgrad.core.saved import PrimitiveNode, SavingNode
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.on_saved import Unpacking
from glassgrad.memory.saved import saved_by
from glassgrad.memory.stale import line_of, shown
from glassgrad.memory.views import AsStridedBackward0, CopySlices
from glassgrad.values.layers import Layer

from .graph import Entry, Graph, Hook, name_of
from .naming import Naming


class EngineGraph(Graph):
    """A graph of glassgrad's.

    Args:
        nodes: all of it.
        outputs: the tensors, or edges, that a pass starts from.
    """

    how_to_name = (
        "Leaves, outputs and saved tensors are looked through. Set `x.name` before the session"
    )

    def __init__(self, nodes: Iterable[Node], outputs: Sequence[Tensor | GradientEdge]) -> None:
        super().__init__({node: node.next_functions for node in nodes}, list(outputs))
        self._lines: dict[tuple[str, int], str] = {}
        self._inside = {"inside": [level.kind for level in modes.levels]} if modes.levels else {}

    @cached_property
    def naming(self) -> Naming:
        """What modules and scopes call the parts of the graph."""
        return Naming(self.nodes)

    def scope(self, node: Node) -> tuple[str, ...]:
        """The names of the scopes in which `node` was made, the outermost first."""
        return self.naming.scopes.get(node, ())

    def label(self, tensor: Tensor) -> str | None:
        return self.naming.parameters.get(id(tensor)) if tensor.name is None else tensor.name

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, Tensor)

    def node_of(self, tensor: Tensor | GradientEdge) -> Node | None:
        edge = edge_of(tensor) if isinstance(tensor, Tensor) else tensor
        return None if edge is None else ends(edge)[0]

    def memory_of(self, what: Any) -> tuple[int, Any]:
        memory = what.payload if isinstance(what, Tensor) else what
        memory = memory.array if isinstance(memory, Layer) else memory
        while getattr(memory, "base", None) is not None:
            memory = memory.base
        return id(memory), memory

    saved_by = staticmethod(saved_by)

    def hooks_at(self, node: Node) -> list[Hook]:
        if node.cold is None and not isinstance(node, AccumulateGrad):
            return []  # as most nodes have none
        found = hooks_at(node)
        return [Hook(self.hook(node, x), kind, name_of(x), x) for kind, x in found]

    @staticmethod
    def retained_by(node: Node) -> list[tuple[int, Tensor]]:
        if node.cold is None:
            return []
        kept = node.cold.retain.items()
        return [(slot, tensor) for slot, ref in kept if (tensor := ref()) is not None]

    def traits(self, node: Node) -> tuple[bool, bool]:
        if not isinstance(node, PrimitiveNode):
            return isinstance(node, AsStridedBackward0), False
        return bool(node._forward_cls.views), node.checked and node._forward_cls.broadcasts

    def origin(self, node: Any) -> Entry:
        entry: Entry = {}
        if scope := self.naming.scopes.get(node):
            entry["scope"] = list(scope)
        if place := made_at(node):
            line = place[0].co_filename, line_of(place)
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
        return entry

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
        yield from [(tensor.name, self.node_of(tensor)) for tensor in outputs]
        yield from [(self.label(leaf.variable), leaf) for leaf in self.leaves]


def _depth(level: Any) -> int:
    return len(level.outer) + 1  # its `depth` says so only while it is open


def has_builtin_rule(node: Any) -> bool:
    """Whether no code of a user runs where `node` computes: neither a rule nor an unpack hook."""
    return isinstance(node, PrimitiveNode) and type(node.saved_tensors) is not Unpacking


def grad_of(tensor: Tensor) -> Tensor | None:
    """The `.grad` of a tensor; without the warning that one of a non-leaf is none."""
    return None if tensor.cold is None else tensor.cold.grad


def hooks_at(node: Node) -> list[tuple[str, Any]]:
    """(kind, hook) of the hooks at `node`, in the order in which they run."""
    groups: list[tuple[str, dict[int, Any] | None]] = []
    if isinstance(node, AccumulateGrad) and (leaf := node.variable.cold) is not None:
        groups += [("tensor", leaf.hooks), ("post_accumulate", leaf.post_hooks)]
    if (cold := node.cold) is not None:
        groups += [("tensor", hooks) for hooks in cold.tensor.values()]
        groups += [("pre", cold.pre), ("post", cold.post)]
    found: list[tuple[str, Any]] = []
    for kind, hooks in groups:
        found += [(kind, hook) for hook in hooks.values()] if hooks else []
    return found


def replace_saved(node: Any, name: str, value: Tensor) -> None:
    """Have the rule of `node` find a copy of `value` under `name`."""
    if isinstance(node, CopySlices):
        node = node.fn
    if not isinstance(node, PrimitiveNode):
        index = int(name.removeprefix("saved_tensors[").removesuffix("]"))
        kept = list(node.holders)
        kept[index] = value.detach().clone()
        node.holders = tuple(kept)
        return
    index = node._saved_names.index(name)
    values, holders = node._all_kept(), list(node.holders)
    values[index], holders[index] = value.payload.copy(), None  # which has no version of its own
    packed = type(node.saved_tensors) is Unpacking
    node.saved_tensors = (
        Unpacking(tuple(values), node.saved_tensors.order) if packed else tuple(values)
    )
    node.holders = tuple(holders)
    node.versions = {at: known for at, known in (node.versions or {}).items() if at != index}
