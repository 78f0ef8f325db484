"""What nodes have saved, seen again: as it was, with its version, or as bytes.

The tight loop reads arrays that nobody wrote. What is here is for all else: `create_graph`, whoever
asks a node what it saved, and tensors that were written before they were saved, or since.
"""

import copy
from typing import Any, NamedTuple, final

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.graph import AccumulateGrad, Edge, GradientEdge, Node, edge_of
from glassgrad.core.saved import PrimitiveNode, SavingNode, operand_of, unpacked
from glassgrad.core.state import Names, Values, modes, plugs, special
from glassgrad.core.tensor import Pending, Tensor, Version, wrap

from .stale import detached_error, inference_error, stale_error
from .views import CopySlices


@final
class Kept:
    """What the node of a user's Function keeps of a tensor written before, or its own output.

    An output of the node itself is kept as its array and rebuilt when asked for: a reference to
    the tensor would be a cycle, tensor → node → tensor.
    """

    __slots__ = ("array", "edge", "expected", "output_nr", "tensor", "version")

    def __init__(self, tensor: Tensor, *, output_nr: int | None = None) -> None:
        if tensor.is_inference():
            raise inference_error()
        self.output_nr = output_nr
        self.array = tensor.payload
        if output_nr is None:
            self.tensor: Tensor | None = tensor
            self.edge = edge_of(tensor)
            self.version = tensor.cold and tensor.cold.version  # a later one starts at 0
        else:
            self.tensor = self.edge = None
            self.version = tensor.version_counter()
        self.expected = self.version.count if self.version else 0

    def unpack(self, node: Node) -> Tensor:
        """The tensor as it was saved, or StaleTensorError if it was changed in place."""
        tensor, (version, expected) = self.tensor, self.checked_by()
        if version is not None and version.count != expected:
            now = tensor if tensor is not None else self._rebuilt(node)
            raise stale_error(node, "", now, version, expected)
        if tensor is None:
            return self._rebuilt(node)
        edge = tensor.edge
        if edge is None or edge is self.edge or edge.__class__ is Pending or edge == self.edge:
            return tensor  # if it has no edge: detached since, or a leaf that was switched off
        return wrap(self.array, self.edge, version=tensor.version_counter())

    def checked_by(self) -> tuple[Version | None, int]:
        """The Version that tells of writes, and what it was when this was saved."""
        cold = None if self.tensor is None else self.tensor.cold
        return self.version or (cold and cold.version), self.expected

    def _rebuilt(self, node: Node) -> Tensor:
        assert self.output_nr is not None, "an input is kept as a tensor"
        return output_again(node, self.output_nr, self.array, self.version)

    def arrays(self) -> list[Any]:
        """The arrays that are alive because of it."""
        return [self.array]


def output_edge(node: Node, output_nr: int) -> Edge:
    """The edge of one of the node's outputs, as a tensor has it that was saved there."""
    view = node.cold and node.cold.view and node.cold.view()
    if view:
        return view
    return node if node.num_outputs == 1 else GradientEdge(node, output_nr)


def output_again(node: Node, output_nr: int, array: Any, version: Version | None) -> Tensor:
    """One of the node's outputs, of the array that was kept of it."""
    output = wrap(array, output_edge(node, output_nr), version=version)
    if modes.duals is not None:
        modes.duals.restore(output, node, output_nr)
    return output


def keeping(ctx: Any, tensors: Values, marked: Any) -> Values:
    """How the node of a user's Function keeps tensors: as they are, if nobody wrote to them."""
    kept: list[Any] = []
    for tensor in tensors:
        if tensor is None:
            kept.append(None)
            continue
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"save_for_backward can only save variables, but argument {len(kept)} is of type "
                f"{type(tensor).__name__}. Keep other values on ctx: `ctx.dim = dim`."
            )
        edge, cold = tensor.edge, tensor.cold
        is_output = edge is ctx or (edge.__class__ is GradientEdge and edge.node is ctx)
        if marked and tensor._is_view() and is_any_of(tensor, ctx.dirty_tensors):
            is_output = True  # its edge is that of an AsStridedBackward0 behind this node
        if special and modes.hook_pairs and not tensor.is_inference():
            nr, pair = tensor.output_nr if is_output else None, modes.hook_pairs[-1]
            packed = plugs.saved_hooks.Packed(tensor, pair, edge=edge_of(tensor), output_nr=nr)
            kept.append(packed)
        elif is_output or (cold is not None and (cold.version or cold.is_inference)):
            kept.append(Kept(tensor, output_nr=tensor.output_nr if is_output else None))
        else:
            kept.append(tensor)  # as nearly always
    return tuple(kept)


def is_any_of(tensor: Tensor | None, others: Values) -> bool:
    """Whether `tensor` is one of `others`; `in` would compare elements."""
    for other in others:  # noqa: SIM110  # a generator costs more than this loop
        if other is tensor:
            return True
    return False


# As it was saved ----------------------------------------------------------------------------------


def unpack(node: Any, index: int) -> Tensor | None:
    """What `node` saved in that place, as a tensor; None if it was not needed.

    Raises:
        FreedGraphError, StaleTensorError: if it is gone, or was written since.
    """
    kept = node._entries[index]
    if kept is None or node._is_users or hasattr(kept, "unpack"):  # a Packed
        return unpacked(node, kept)
    check_versions(node)
    return as_it_was(node, index)


def as_it_was(node: PrimitiveNode, index: int) -> Tensor:
    """A tensor of what was saved, in the place in the graph that it had."""
    array, holder = node.saved_tensors[index], node.holders[index]
    if node._saved_names[index] == "result":
        array = node._level.layer(array) if isinstance(array, Tensor) else array
        return output_again(node, 0, array, version_of_result(node, index))
    if holder is None:
        return wrap(array)
    edge = edge_of_saved(node, index)
    if holder.edge.__class__ is not Pending and holder.edge != edge:
        holder = wrap(holder.payload, edge)
    return holder if holder.dtype is array.dtype else holder.to(array.dtype)  # type: ignore[no-any-return]  # a Tensor


def edge_of_saved(node: PrimitiveNode, index: int) -> Edge | None:
    """The edge of the operand that was saved under `saves[index]`."""
    cls = node._forward_cls
    position = operand_of(cls, node._saved_names[index]) - (cls.differentiates.start or 0)
    return node.edges[position] if 0 <= position < len(node.edges) else None


def order_of_unpacking(names: Names) -> list[int]:
    """The order in which hooks see what an op saves: PyTorch's, by name and the result last."""
    return sorted(range(len(names)), key=lambda place: (names[place] == "result", names[place]))


def lifted(node: PrimitiveNode) -> PrimitiveNode:
    """A copy whose saved tensors are Tensors with the edges they had when saved.

    The rule, run on it, is recorded itself: that is `create_graph=True`.
    """
    twin = copy.copy(node)
    if node.holders is not None:
        found = {index: unpack(node, index) for index in order_of_unpacking(node._saved_names)}
        twin.saved_tensors = tuple([found[index] for index in range(len(found))])
    return twin


# Versions -----------------------------------------------------------------------------------------


def version_when_saved(node: Any, index: int) -> tuple[Version | None, int]:
    """The Version of what `node` saved in that place, and what it was then.

    None for what hooks have packed: they may have copied it, nobody can tell.
    """
    if node.versions and index in node.versions:
        return node.versions[index]  # type: ignore[no-any-return]  # node is Any
    kept = node.holders[index]
    if isinstance(kept, Kept):
        return kept.checked_by()
    return (kept.cold and kept.cold.version, 0) if isinstance(kept, Tensor) else (None, 0)


def version_of_result(node: PrimitiveNode, index: int) -> Version:
    """The Version that the output shares with whoever unpacks it here, made on first use."""
    known = node.versions or {}
    if index not in known:
        node.versions = known = {**known, index: (Version(), 0)}
    return known[index][0]


def check_versions(node: PrimitiveNode) -> None:
    """Raise StaleTensorError if something saved was changed in place since."""
    for index, holder in enumerate(node.holders or ()):
        if holder is not None and holder.edge is None:
            edge = edge_of_saved(node, index)
            if edge is not None and not isinstance(edge, AccumulateGrad):
                raise detached_error(node.name(), holder)
        version, expected = version_when_saved(node, index)
        if version is not None and version.count != expected:
            tensor = holder if holder is not None else wrap(node.saved_tensors[index], node)
            raise stale_error(node, node._saved_names[index], tensor, version, expected)


# For whoever looks at a node ----------------------------------------------------------------------


class Saved(NamedTuple):
    """A tensor, or an array, that is alive because a node saved it.

    Attributes:
        name: under which it was saved.
        what: a Tensor where the node refers to one, else an array.
        version, now: of its memory, when it was saved and now.
    """

    name: str
    what: Any
    version: int = 0
    now: int = 0


def saved_by(node: Any) -> list[Saved]:
    """All that `node` keeps alive: what was converted, before and after, and what lies beside."""
    if isinstance(node, CopySlices):
        node = node.fn
    found: list[Saved] = []
    has_any = isinstance(node, SavingNode) and node.holders
    for index, kept in enumerate(node._all_kept() if has_any else ()):
        if kept is None:
            continue
        holder = node.holders[index]
        holder = holder.tensor if isinstance(holder, Kept) else holder
        alive = [holder] if isinstance(holder, Tensor) else arrays_in(kept)
        if isinstance(holder, Tensor) and not node._is_users:
            alive += [kept] if holder.payload.dtype is not kept.dtype else []
        name, (version, expected) = name_of_saved(node, index), version_when_saved(node, index)
        versions = (0, 0) if version is None else (expected, version.count)
        for what in alive:
            found += [Saved(name, what, *versions)]
    return found + kept_beside(node) if hasattr(node, "__dict__") else found


def name_of_saved(node: Any, index: int) -> str:
    """Under which name `node` saved what is in that place."""
    return node._saved_names[index] if node._saved_names else f"saved_tensors[{index}]"


def versions_at(node: Any, index: int) -> tuple[int, int]:
    """The version of what is saved there when it was saved, and now; (0, 0) if none is known."""
    version, expected = version_when_saved(node, index)
    return (0, 0) if version is None else (expected, version.count)


def kept_beside(node: Any) -> list[Saved]:
    """The arrays that `setup_context` keeps beside what is saved: indices, weights."""
    found: list[Saved] = []
    beside = getattr(node, "__dict__", {}) if isinstance(node, PrimitiveNode) else {}
    for name, value in beside.items():
        for part in value if isinstance(value, tuple) else (value,):
            found += [Saved(name, part)] if hasattr(part, "nbytes") else []
    return found


def arrays_in(kept: Any) -> list[Any]:
    """The arrays that are alive because of what a node keeps of one tensor."""
    if isinstance(kept, Tensor):
        return [kept.payload]
    if hasattr(kept, "arrays"):
        return kept.arrays()  # type: ignore[no-any-return]  # a Kept or a Packed
    return [] if kept is None else [kept]


def saved_bytes(node: Any) -> int:
    """The bytes of what `node` keeps; an array that it keeps twice counts once."""
    sizes: dict[int, int] = {}
    for _, what, *_ in saved_by(node):
        array = getattr(what, "payload", what)
        sizes[id(array)] = array.nbytes
    return sum(sizes.values())
