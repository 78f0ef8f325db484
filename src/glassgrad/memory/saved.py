"""What nodes have saved, seen again: as it was, with its version, or as bytes.

The tight loop reads arrays that nobody wrote. What is here is for all else: `create_graph`, whoever
asks a node what it saved, and tensors that were written before they were saved, or since.
"""

import copy
from typing import Any, NamedTuple, final

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.graph import AccumulateGrad, Edge, GradientEdge, Node, edge_of
from glassgrad.core.saved import Gone, PrimitiveNode, SavingNode, operand_of, unpacked
from glassgrad.core.state import Names, Values, modes, plugs, special
from glassgrad.core.tensor import Pending, Tensor, Version, wrap

from .stale import detached_error, inference_error, stale_error
from .views import CopySlices

Place = tuple[str, Any, Tensor | None, Version, int]
"""What a node has saved under a name: what it keeps, the tensor that this was of if it refers to
one, the Version that tells of writes, and what that was when it was saved."""


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
        self.array, self.output_nr = tensor.payload, output_nr
        self.tensor = tensor if output_nr is None else None
        self.edge = edge_of(tensor) if output_nr is None else None
        self.version = tensor.version_counter()
        self.expected = self.version.count

    def unpack(self, node: Node) -> Tensor:
        """The tensor as it was saved, or StaleTensorError if it was changed in place."""
        tensor = self.tensor
        if tensor is None:
            assert self.output_nr is not None, "an input is kept as a tensor"
            tensor = output_again(node, self.output_nr, self.array, self.version)
        if self.version.count != self.expected:
            raise stale_error(node, "", tensor, self.version, self.expected)
        edge = tensor.edge
        if self.tensor is None or edge is None or edge.__class__ is Pending or edge == self.edge:
            return tensor  # if it has no edge: detached since, or a leaf that was switched off
        return wrap(self.array, self.edge, version=self.version)

    def arrays(self) -> list[Any]:
        """The arrays that are alive because of it."""
        return [self.array]


def output_again(node: Node, output_nr: int, array: Any, version: Version | None) -> Tensor:
    """One of the node's outputs, of the array that was kept of it."""
    edge = node if node.num_outputs == 1 else GradientEdge(node, output_nr)
    view = node.cold and node.cold.view and node.cold.view()
    output = wrap(array, view or edge, version=version)
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
        nr = tensor.output_nr if is_output else None
        if special and modes.hook_pairs and not tensor.is_inference():
            kept.append(plugs.saved_hooks.Packed(tensor, modes.hook_pairs[-1], edge_of(tensor), nr))
        elif is_output or (cold is not None and (cold.version or cold.is_inference)):
            kept.append(Kept(tensor, output_nr=nr))
        else:
            kept.append(tensor)  # as nearly always
    return tuple(kept)


def is_any_of(tensor: Tensor | None, others: Values) -> bool:
    """Whether `tensor` is one of `others`; `in` would compare elements."""
    return id(tensor) in map(id, others)


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
    return holder if holder.dtype == array.dtype else holder.to(array.dtype)  # type: ignore[no-any-return]  # a Tensor


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


def version_of_result(node: PrimitiveNode, index: int) -> Version:
    """The Version that the output shares with whoever unpacks it here, made on first use."""
    known = node.versions or {}
    if index not in known:
        node.versions = known = {**known, index: (Version(), 0)}
    return known[index][0]


def check_versions(node: PrimitiveNode) -> None:
    """Raise StaleTensorError if something saved was changed in place since."""
    versions = node.versions or {}
    for index, source in enumerate(node.holders or ()):  # `places` would take three times as long
        version, expected = versions.get(index, (None, 0))
        if version is None and source is not None and source.cold is not None:
            version = source.cold.version
        if source is not None and source.edge is None:
            edge = edge_of_saved(node, index)
            if edge is not None and not isinstance(edge, AccumulateGrad):
                raise detached_error(node.name(), source)
        if version is not None and version.count != expected:
            tensor = wrap(node.saved_tensors[index], node) if source is None else source
            raise stale_error(node, node._saved_names[index], tensor, version, expected)


# For whoever looks at a node ----------------------------------------------------------------------


def places(node: SavingNode) -> list[Place]:
    """What `node` has saved, in the order of its places; nothing once it has let go of it."""
    found: list[Place] = []
    holders, versions = node.holders, node.versions or {}
    if not holders or isinstance(holders, Gone):
        return found
    entries = node._entries
    names = node._saved_names or unnamed(len(entries))
    for index, source in enumerate(holders):
        version, expected = versions.get(index, (None, 0))
        if isinstance(source, Kept):
            version, expected, source = source.version, source.expected, source.tensor
        elif not isinstance(source, Tensor):
            source = None
        elif version is None and source.cold is not None:
            version = source.cold.version
        found.append((names[index], entries[index], source, version or _NEVER_WRITTEN, expected))
    return found


def unnamed(count: int) -> Names:
    """What the tensors are called that a user's Function has saved."""
    return tuple([f"saved_tensors[{index}]" for index in range(count)])


_NEVER_WRITTEN = Version()
"""Of memory whose writes nobody has counted; hooks may have packed a copy, nobody can tell."""


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
    if not isinstance(node, SavingNode):
        return found
    for name, kept, source, version, expected in places(node) if node.holders else ():
        alive = arrays_in(kept) if source is None else [source]
        if source is not None and not node._is_users and source.payload.dtype != kept.dtype:
            alive.append(kept)
        for what in alive:
            found += [Saved(name, what, expected, version.count)]
    if isinstance(node, PrimitiveNode) and hasattr(node, "__dict__"):
        found += kept_beside(node)
    return found


def kept_beside(node: PrimitiveNode) -> list[Saved]:
    """The arrays that `setup_context` keeps beside what is saved: indices, weights."""
    found: list[Saved] = []
    for name, value in vars(node).items():
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
