"""What nodes have saved, seen again: as it was, with its version, or as bytes.

The tight loop reads arrays that nobody wrote. What is here is for all else: `create_graph`, whoever
asks a node what it saved, and tensors that were written before they were saved, or since.
"""

import copy
import functools
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, GraphError, ShapeError
from glassgrad.core.graph import AccumulateGrad, Edge, GradientEdge, Node
from glassgrad.core.saved import Gone, PrimitiveNode, SavingNode, note_versions, operand_of
from glassgrad.core.state import Names, Values, modes, plugs, special
from glassgrad.core.tensor import Pending, Size, Tensor, Version, wrap
from glassgrad.values.backend import Device
from glassgrad.values.layers import settled
from glassgrad.values.tree import flatten

from .views import CopySlices


class Output(NamedTuple):
    """What the node of a user's Function keeps of its own output, which is rebuilt when asked for.

    A reference to the tensor would be a cycle, tensor → node → tensor. `version` is None as long as
    nobody asked for that of its only output: node and output share it from then on.
    """

    payload: Any
    version: Version | None
    output_nr: int


def output_again(node: Node, output_nr: int, array: Any, version: Version | None) -> Tensor:
    """One of the node's outputs, of the array that was kept of it."""
    edge = GradientEdge(node, output_nr) if type(node.out_dtype) is tuple else node
    view = node.cold and node.cold.view and node.cold.view()
    output = wrap(array, view or edge, version=version)
    if modes.duals is not None:
        modes.duals.restore(output, node, output_nr)
    return output


def keep(ctx: Any, tensors: Values, marked: Any) -> None:
    """Keep tensors on the node of a user's Function: as they are, but for its own outputs."""
    kept: list[Any] = []
    is_counted = False
    is_packed = special and modes.hook_pairs
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            if tensor is not None:
                raise not_kept("save_for_backward can only save variables", index, tensor)
            kept.append(None)
            continue
        edge = tensor.edge
        is_output = edge is ctx or (edge.__class__ is GradientEdge and edge.node is ctx)
        if marked and tensor._is_view() and is_any_of(tensor, ctx.dirty_tensors):
            is_output = True  # its edge is that of an AsStridedBackward0 behind this node
        is_counted |= tensor.cold is not None
        if edge is ctx and tensor.cold is None and not is_packed:
            ctx._result_at, tensor = index, Output(tensor.payload, None, 0)
        elif is_output:
            is_counted = True
            tensor = Output(tensor.payload, tensor.version_counter(), tensor.output_nr)
        kept.append(tensor)
    if is_counted:
        ctx.holders = tensors
        note_versions(ctx)
    ctx.holders = tuple(kept)
    if is_packed:
        for index, tensor in enumerate(tensors):
            if tensor is not None:
                plugs.saved_hooks.pack_one(ctx, index, tensor, modes.hook_pairs[-1])


def check_kept(said: str, tensors: Values) -> None:
    """Raise if anything but tensors is to be kept; `said`: what PyTorch says to that."""
    for position, tensor in enumerate(tensors):
        if tensor is not None and not isinstance(tensor, Tensor):
            raise not_kept(said, position, tensor)


def not_kept(said: str, position: int, value: object) -> ArgumentTypeError:
    """The error for what is no tensor; `said`: what PyTorch says to that."""
    return ArgumentTypeError(
        f"{said}, but argument {position} is of type {type(value).__name__}. Keep other "
        "values on ctx: `ctx.dim = dim`."
    )


def is_any_of(tensor: Tensor | None, others: Values) -> bool:
    """Whether `tensor` is one of `others`; `in` would compare elements."""
    return id(tensor) in map(id, others)


# As it was saved ----------------------------------------------------------------------------------


def unpack(node: Any, index: int) -> Tensor | None:
    """What `node` saved in that place, as a tensor; None if it was not needed.

    Raises:
        FreedGraphError, StaleTensorError: if it is gone, or was written since.
    """
    if node._entries[index] is None:
        return None
    check_version(node, index)
    return as_it_was(node, index)


def unpack_all(node: Any) -> Values:
    """What `node` saved, as tensors."""
    return tuple([unpack(node, index) for index in range(len(node._entries))])


def as_it_was(node: Any, index: int) -> Tensor:
    """A tensor of what was saved, in the place in the graph that it had."""
    kept, holder = node._entries[index], node.holders[index]
    if isinstance(kept, Output):
        return output_again(node, kept.output_nr, kept.payload, kept.version)
    if node._is_users or hasattr(kept, "unpack"):
        return settled(kept.unpack(node) if hasattr(kept, "unpack") else kept)  # type: ignore[no-any-return]  # a Tensor
    if node._saved_names[index] == "result":
        array = node._level.layer(kept) if isinstance(kept, Tensor) else kept
        return output_again(node, 0, array, version_of_result(node, index))
    if holder is None:
        return wrap(kept)
    edge = edge_of_saved(node, index)
    if holder.edge.__class__ is not Pending and holder.edge != edge:
        holder = wrap(holder.payload, edge)
    return holder if holder.dtype == kept.dtype else holder.to(kept.dtype)  # type: ignore[no-any-return]  # a Tensor


def edge_of_saved(node: PrimitiveNode, index: int) -> Edge | None:
    """The edge of the operand that was saved under `saves[index]`."""
    position = _edge_at(node._forward_cls, node._saved_names[index])
    return node.edges[position] if 0 <= position < len(node.edges) else None


@functools.cache
def _edge_at(cls: Any, name: str) -> int:
    """Which edge of its nodes leads to the operand saved under `name`."""
    return operand_of(cls, name) - (cls.differentiates.start or 0)


@functools.cache
def order_of_unpacking(names: Names) -> list[int]:
    """The order in which hooks see what an op saves: PyTorch's, by name and the result last."""
    return sorted(range(len(names)), key=lambda place: (names[place] == "result", names[place]))


def lifted(node: PrimitiveNode) -> PrimitiveNode:
    """A copy whose saved tensors are Tensors with the edges they had when saved.

    The rule, run on it, is recorded itself: that is `create_graph=True`. A node that saved none
    needs no copy.
    """
    if not node.holders:
        return node
    twin = copy.copy(node)
    found = {index: unpack(node, index) for index in order_of_unpacking(node._saved_names)}
    twin.saved_tensors = tuple([found[index] for index in range(len(found))])
    return twin


# Versions -----------------------------------------------------------------------------------------


def version_of_result(node: PrimitiveNode, index: int) -> Version:
    """The Version that the output shares with whoever unpacks it here, made on first use."""
    node.versions = {index: (Version(), 0), **(node.versions or {})}
    return node.versions[index][0]


def check_version(node: Any, index: int) -> None:
    """Raise StaleTensorError if what was saved in that place was changed in place since."""
    source = node.holders[index]
    if not node._is_users and source is not None and source.edge is None:
        edge = edge_of_saved(node, index)
        if edge is not None and not isinstance(edge, AccumulateGrad):
            raise GraphError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with "
                ".detach_(). This is not supported, please use out-of-place `.detach()` instead: "
                f"{node.name()} saved it with shape {tuple(source.shape)}, and its gradient went "
                "to a node that is no longer known. Write `y = x.detach()`."
            )
    version, expected = (node.versions or {}).get(index, (None, 0))
    if version is None and isinstance(source, Tensor) and source.cold is not None:
        version = source.cold.version
    is_packed = hasattr(node._entries[index], "unpack")  # by a hook, which may have made a copy
    if version is not None and version.count != expected and not is_packed:
        name = "" if node._is_users else node._saved_names[index]
        tensor = as_it_was(node, index) if source is None or node._is_users else source
        stale = import_module("glassgrad.reasons.stale")
        raise stale.stale_error(node, name, tensor, version, expected)


def inference_error() -> Exception:
    """The error for saving a tensor that has no version to be checked by."""
    return GraphError(
        "Inference tensors cannot be saved for backward: nobody would see it if they were written. "
        "Please do not use tensors made in inference_mode() where the tape records. "
        "Write `x.clone()` to get a normal tensor."
    )


def check_versions(node: PrimitiveNode) -> None:
    """Raise StaleTensorError if something saved was changed in place since.

    A tensor that was given another array since, by `x.data = y`, is saved with that one.
    """
    for index, (holder, kept) in enumerate(zip(node.holders or (), node._entries, strict=False)):
        check_version(node, index)
        new: Any = getattr(holder, "payload", None)
        is_other = new is not kept and type(new) is type(kept) and new.dtype == kept.dtype
        if is_other and node._saved_names[index] not in getattr(node._forward_cls, "copied", ()):
            if new.shape != kept.shape:
                said = f"The size of tensor a must match the size of tensor b: {node.name()} saved"
                said += f" a tensor of shape {kept.shape}, and `x.data = y` made it {new.shape}."
                raise ShapeError(f"{said} Its gradient is lost. Write `x.data` before the op.")
            node.saved_tensors = tuple([new if x is kept else x for x in node.saved_tensors])


# For whoever looks at a node ----------------------------------------------------------------------


def places(node: Any) -> list[Values]:
    """What `node` has saved, in the order of its places; nothing once it has let go of it.

    Returns:
        For each place its name, what is kept, the tensor that this was of if the node refers to
        one, and the version of its memory, when it was saved and now. That of memory whose writes
        nobody has counted is 0; hooks may have packed a copy, nobody can tell.
    """
    found: list[Values] = []
    if not isinstance(node, SavingNode) or not node.holders or isinstance(node.holders, Gone):
        return found
    entries, versions = node._entries, node.versions or {}
    names = node._saved_names or names_of(node)
    for index, holder in enumerate(node.holders):
        source = holder if isinstance(holder, Tensor) else None
        version, then = versions.get(index, (None, 0))
        if version is None and source is not None and source.cold is not None:
            version = source.cold.version
        now = 0 if version is None else version.count
        found.append((names[index], entries[index], source, then, now))
    return found


def names_of(node: SavingNode) -> Names:
    """What the saved tensors are called: those of a user's Function by their place."""
    return node._saved_names or tuple([f"saved_tensors[{at}]" for at in range(len(node._entries))])


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
    node = node.fn if isinstance(node, CopySlices) else node
    found: list[Saved] = []
    for name, kept, source, then, now in places(node) if node and node.holders else ():
        alive = arrays_in(kept) if source is None else [source]
        if source is not None and not node._is_users and source.payload.dtype != kept.dtype:
            alive.append(kept)
        for what in alive:
            found += [Saved(name, what, then, now)]
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
    if isinstance(kept, (Tensor, Output)):
        return [kept.payload]
    if hasattr(kept, "packed"):
        return [leaf.payload for leaf in flatten(kept.packed)[0] if isinstance(leaf, Tensor)]
    return [] if kept is None else [kept]


def packed_by(node: Any) -> list[Saved]:
    """The arrays and bytes, beside tensors, that pack hooks made of what `node` saved.

    What is none of these, nor a container of them, has None in its place: nobody can tell how much
    memory it takes. A key to what the hook has left elsewhere is such a thing.
    """
    node = node.fn if isinstance(node, CopySlices) else node
    found: list[Saved] = []
    for name, kept, *_ in places(node) if node else ():
        packed = getattr(kept, "packed", None)
        if not hasattr(kept, "packed") or getattr(packed, "nbytes", None) == 0:
            continue
        leaves = [_as_array(leaf) for leaf in flatten(packed)[0]]
        found += [Saved(name, leaf) for leaf in leaves if _is_array(leaf)]
        others = [leaf for leaf in leaves if not (_is_array(leaf) or isinstance(leaf, Tensor))]
        if len(others) == len(leaves) or not all(map(_is_small, others)):
            found.append(Saved(name, None))
    return found


def _as_array(leaf: Any) -> Any:
    """Bytes as an array in the same memory; anything else as it is."""
    return np.frombuffer(leaf, np.uint8) if isinstance(leaf, bytes) and leaf else leaf


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and not leaf.dtype.hasobject


def _is_small(value: Any) -> bool:
    """Whether it may lie beside an array, and takes no memory to speak of."""
    kinds = (str, int, float, complex, type(None), np.generic, np.dtype, Device, Size)
    return isinstance(value, kinds) or type(value).__name__ == "dtype"  # ours is defined above


def saved_bytes(node: Any) -> int:
    """The bytes of what `node` keeps; an array that it keeps twice counts once."""
    sizes: dict[int, int] = {}
    found = [*saved_by(node), *packed_by(node)]
    for _, what, *_ in found:
        array = getattr(what, "payload", what)
        sizes[id(array)] = getattr(array, "nbytes", 0)
    return sum(sizes.values())
