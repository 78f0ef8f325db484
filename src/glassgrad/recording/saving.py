"""What the node of a built-in op keeps until backward, and how it gives it back.

# Note [Saved by position]
# `saves` lists the operands that backward needs, in their order, and "result" for the output.
# They are the first operands, unless `saved_at` says at which position one is.
# Nothing is found by comparing arrays: x and x.detach() share theirs, and only one has an edge.
"""

import functools
from collections.abc import Iterator
from typing import Any, ClassVar, final

from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.saved import FREED, Packed, SavedTensor, arrays_in, output_edge
from glassgrad.core.stale import detached_error, inference_error, stale_error
from glassgrad.core.state import HookPair, modes
from glassgrad.core.tensor import Pending, Tensor, Version, wrap

__all__ = ["PrimitiveNode", "Unpacking", "kept_values", "note_versions", "pack", "save"]

Values = tuple[Any, ...]


@final
class Unpacking:
    """The `saved_tensors` of a node that has packed some of them: a rule unpacks as it reads."""

    __slots__ = ("entries", "order")

    def __init__(self, entries: Values, order: tuple[int, ...]) -> None:
        self.entries, self.order = entries, order

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: int) -> Any:
        entry = self.entries[index]
        return entry.array() if isinstance(entry, Packed) else entry

    def __iter__(self) -> Iterator[Any]:
        found = {index: self[index] for index in self.order}
        return iter([found[index] for index in range(len(self.entries))])


@functools.cache
def packing_order(names: tuple[str, ...]) -> tuple[int, ...]:
    """The order in which hooks see what an op saves: PyTorch's, by name and the result last."""
    places = range(len(names))
    return tuple(sorted(places, key=lambda place: (names[place] == "result", names[place])))


class PrimitiveNode(Node):
    """The node of a built-in op.

    `saved_tensors` holds arrays, so that a rule reads them at the price of an attribute.
    """

    __slots__ = ()

    _is_quick = True
    _result_at: ClassVar[int | None] = None
    _forward_cls: ClassVar[Any]

    def saved(self, index: int) -> Tensor | None:
        """What was saved under the name `saves[index]`; None if it was not needed."""
        kept = self._kept(index)
        if kept is None:
            return None
        if isinstance(kept, Packed):
            tensor = kept.unpack(self)
            return tensor if kept.dtype in (None, tensor.dtype) else tensor.to(kept.dtype)
        self.check_versions()
        return self._saved_as_it_was(index)

    _unpack = saved

    def _kept(self, index: int) -> Any:
        """What is in the place of `saves[index]`: an array, a Packed, or None."""
        values = self.saved_tensors
        return values.entries[index] if type(values) is Unpacking else values[index]

    def _all_kept(self) -> list[Any]:
        """What is in each place; empty if the node has let go of it."""
        return [] if self._is_released() else [self._kept(i) for i in range(len(self._saved_names))]

    def kept_arrays(self) -> list[Any]:
        """Every array that is alive because of this node: what was converted, before and after."""
        found = [array for _, array in self.kept_beside()]
        for kept, holder in zip(self._all_kept(), self.holders or (), strict=False):
            found += arrays_in(kept)
            if holder is not None and holder.dtype is not kept.dtype:
                found.append(holder.payload)
        return found

    def kept_beside(self) -> list[tuple[str, Any]]:
        """(name, array) of what `setup_context` keeps beside what is saved: indices, weights."""
        own = getattr(self, "__dict__", {})
        several = [(name, v if isinstance(v, tuple) else (v,)) for name, v in own.items()]
        return [(name, v) for name, values in several for v in values if hasattr(v, "nbytes")]

    def _is_released(self) -> bool:
        return self.saved_tensors is FREED

    def _pack(self, index: int, hooks: HookPair) -> None:
        """Replace what is in the place of `saves[index]` by what a pack hook makes of it."""
        name, array = self._saved_names[index], self.saved_tensors[index]
        holder = self.holders[index]
        if name == "result":
            packed = Packed(self._saved_as_it_was(index).detach(), hooks, output_nr=0)
        else:
            tensor = wrap(array) if holder is None else holder.detach()
            packed = _packed(tensor, hooks, self._edge_of_operand(name), array)
        self._put(index, packed)

    def _put(self, index: int, packed: Packed) -> None:
        entries, holders = self._all_kept(), list(self.holders)
        entries[index], holders[index] = packed, None
        order = packing_order(self._saved_names)
        self.saved_tensors, self.holders = Unpacking(tuple(entries), order), tuple(holders)
        versions = {at: known for at, known in (self.versions or {}).items() if at != index}
        self.versions = versions or None

    def _saved_as_it_was(self, index: int) -> Tensor:
        array, name, holder = self.saved_tensors[index], self._saved_names[index], None
        if name == "result":
            array = self._seen(array)
            result = wrap(array, output_edge(self, 0), version=self.version_of_result(index))
            if modes.duals is not None:
                modes.duals.restore(result, self)
            return result
        holder = self.holders[index]
        if holder is None:
            return wrap(array)
        edge = self._edge_of_operand(name)
        if holder.edge.__class__ is not Pending and holder.edge != edge:
            holder = wrap(holder.payload, edge)
        return holder if holder.dtype is array.dtype else holder.to(array.dtype)

    def _seen(self, value: Any) -> Any:
        """What was saved as an array, or as a layer of the transform that recorded the node."""
        if not isinstance(value, Tensor):
            return value
        return self._level.layer(value)

    def _edge_of_operand(self, name: str) -> Any:
        cls = self._forward_cls
        position = operand_of(cls, name) - (cls.differentiates.start or 0)
        return self.edges[position] if 0 <= position < len(self.edges) else None

    def version_of_result(self, index: int) -> Version:
        """The Version that the output shares with whoever unpacks it here, made on first use."""
        known = self.versions or {}
        if index not in known:
            self.versions = known = {**known, index: (Version(), 0)}
        return known[index][0]

    def version_at(self, index: int) -> tuple[int, int]:
        """The version of a saved tensor when it was saved, and now."""
        version, expected = self._version_when_saved(index)
        return (0, 0) if version is None else (expected, version.count)

    def _version_when_saved(self, index: int) -> tuple[Version | None, int]:
        holder = self.holders[index]
        if isinstance(self._kept(index), Packed):
            return None, 0  # its hooks may keep a copy: nobody can tell
        if self.versions and index in self.versions:
            return self.versions[index]
        if holder is not None and holder.cold:
            return holder.cold.version, 0
        return None, 0

    def check_versions(self) -> None:
        """Raise StaleTensorError if something saved was changed in place since."""
        for index, holder in enumerate(self.holders or ()):
            if holder is not None and holder.edge is None and self._had_node(index):
                raise detached_error(self.name(), holder)
            version, expected = self._version_when_saved(index)
            if version is not None and version.count != expected:
                tensor = holder if holder is not None else wrap(self.saved_tensors[index], self)
                raise stale_error(self, self._saved_names[index], tensor, version, expected)

    def _had_node(self, index: int) -> bool:
        """Whether what was saved under `saves[index]` was no leaf and required grad."""
        edge = self._edge_of_operand(self._saved_names[index])
        return edge is not None and not isinstance(edge, AccumulateGrad)

    def raw_saved(self, index: int) -> SavedTensor:
        """The saved tensor before it is unpacked."""
        return SavedTensor._at(self, index)

    def lifted(self) -> "PrimitiveNode":
        """A copy whose saved tensors are Tensors with the edges they had when saved.

        The rule, run on it, is recorded itself: that is `create_graph=True`.
        """
        twin = object.__new__(type(self))
        for cls in type(self).__mro__:
            for slot in getattr(cls, "__slots__", ()):
                if slot != "__weakref__" and hasattr(self, slot):
                    setattr(twin, slot, getattr(self, slot))
        if hasattr(self, "__dict__"):
            twin.__dict__.update(self.__dict__)
        if self.holders is not None:
            found = {index: self.saved(index) for index in packing_order(self._saved_names)}
            twin.saved_tensors = tuple([found[index] for index in range(len(found))])
        return twin

    def compute(self, grads: Values, recorded: bool) -> Values:
        """What the op's rule makes of `grads`, one gradient per edge."""
        self.check_versions()
        if all(grad is None for grad in grads):
            tuple(self.saved_tensors)  # unpacked all the same, as in PyTorch: freed ones raise
            return (None,) * len(self.edges)
        rule: Any = self.lifted() if recorded else self
        results = rule.backward(*grads)
        return results if isinstance(results, tuple) else (results,)

    def release(self) -> None:
        """Let go of what was saved; touching it later raises FreedGraphError."""
        if self.holders is not None:
            self.saved_tensors = FREED
            self.holders = self.versions = None
            for name, _ in self.kept_beside():
                setattr(self, name, None)


def save(node: Any, operands: Values, values: Values, out: Any) -> None:
    """Keep on `node` what its class names in `saves` and its edges will need."""
    cls = node._forward_cls
    arrays: list[Any] = []
    holders: list[Any] = []
    any_needed = False
    for name in cls.saves:
        condition = cls.saved_if.get(name)
        needed = condition is None or node.edges[condition] is not None
        position = None if name == "result" else operand_of(cls, name)
        value = out if position is None else values[position]
        operand = None if position is None else operands[position]
        any_needed = any_needed or needed
        arrays.append(value if needed else None)
        holders.append(operand if needed and isinstance(operand, Tensor) else None)
    node.saved_tensors = tuple(arrays)
    if not any_needed:
        node.holders = None  # nothing to let go of: a second pass may come
        return
    node.holders = tuple(holders)
    note_versions(node)


def kept_values(cls: Any, values: Values, out: Any, wanted: Values) -> Values:
    """What the rules of an op find in `ctx.saved_tensors`.

    Args:
        wanted: for each operand that can have a derivative, None if it is not asked for.
    """
    return tuple(
        [
            (out if name == "result" else values[operand_of(cls, name)])
            if name not in cls.saved_if or wanted[cls.saved_if[name]] is not None
            else None
            for name in cls.saves
        ]
    )


def note_versions(node: Any) -> None:
    """Remember the versions of the saved tensors that have one already (others are at 0)."""
    known = None
    for index, holder in enumerate(node.holders):
        if holder is not None and (cold := holder.cold) is not None:
            if cold.is_inference:
                raise inference_error()
            version = cold.version
            if version is not None:
                if known is None:
                    known = {}
                known[index] = (version, version.count)
    node.versions = known


def pack(node: PrimitiveNode, result: Tensor, hooks: HookPair) -> None:
    """Give the tensors that `node` saved to a pack hook; numbers stay as they are.

    Args:
        node: the node, when everything else about it is done.
        result: its output, or the first of several.
        hooks: the pair to use.
    """
    if node.holders is None:
        return
    for index in packing_order(node._saved_names):
        name, holder = node._saved_names[index], node.holders[index]
        array = node._kept(index)
        if array is not None and name == "result":
            node._put(index, Packed(result, hooks, output_nr=0))
        elif array is not None and holder is not None:
            node._put(index, _packed(holder, hooks, node._edge_of_operand(name), array))


def _packed(tensor: Tensor, hooks: HookPair, edge: Any, array: Any) -> Packed:
    """Pack an operand whose values the op computed with as `array`."""
    dtype = None if tensor.dtype is array.dtype else array.dtype
    return Packed(tensor, hooks, edge=edge, dtype=dtype)


@functools.cache
def operand_of(cls: Any, name: str) -> int:
    """The position of the operand that is saved under `name`."""
    first = [saved for saved in cls.saves if saved != "result"].index(name)
    return int(cls.saved_at.get(name, first))
