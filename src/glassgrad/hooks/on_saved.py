"""Saved-tensor hooks in the graph: what a node keeps is whatever a pack hook made of a tensor.

A node that would keep a tensor, or its array, keeps a `Packed` in its place, from which the unpack
hook makes the tensor again at each access. `SavedTensor` is what a user sees of what a node keeps.
"""

import weakref
from collections.abc import Iterator
from typing import Any, final

from glassgrad.core.errors import ArgumentTypeError, FreedGraphError, GraphError
from glassgrad.core.graph import AccumulateGrad, Node, edge_of
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import HookPair, Names, Values, modes, setting
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.memory import saved

from .on_gradients import check_hooks


@final
class Packed:
    """A saved tensor in the form that a pack hook gave it.

    The hooks may keep it on disk or compute it again, so nothing else of it is kept here: its
    place in the graph, and the dtype that the op had converted it to.

    Args:
        tensor: what is handed to the pack hook.
        edge: the place in the graph of what was saved.
        output_nr: which output of the node it is, None for none of them.
        dtype: what the op converted its values to, None for what they are.
    """

    __slots__ = ("__weakref__", "dtype", "edge", "leaf", "output_nr", "packed", "unpack_hook")

    def __init__(
        self, tensor: Tensor, hooks: HookPair, edge: Any, output_nr: int | None, dtype: Any = None
    ) -> None:
        pack_hook, self.unpack_hook = hooks
        self.output_nr, self.dtype = output_nr, dtype
        is_leaf = isinstance(edge, AccumulateGrad)
        self.leaf = weakref.ref(edge) if is_leaf else None  # weakly: it would keep the leaf
        self.edge: Any = LEAF if is_leaf else edge if output_nr is None else None
        if modes.duals is not None:
            modes.duals.keep_saved(self, tensor)
        version = tensor._version
        with setting(grad=False):
            self.packed = pack_hook(tensor)
        if tensor._version != version:
            raise GraphError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as "
                "input to pack hook can not be modified by in-place operations as this can lead "
                f"to unexpected side-effects: others see this tensor of shape "
                f"{tuple(tensor.shape)} too. Return a changed copy, such as `x * 2` for `x *= 2`."
            )

    def data(self) -> Tensor:
        """What the unpack hook returns."""
        tensor = self.unpack_hook(self.packed)
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                f"type {type(tensor).__name__}. It stands for the tensor that was saved. Return "
                "a tensor with its values."
            )
        return tensor

    def unpack(self, node: Node) -> Tensor:
        """What the unpack hook returns, in the place in the graph where the saved tensor was."""
        out, nr, edge, duals = self.data(), self.output_nr, self.edge, modes.duals
        version = None if out.is_inference() else out.version_counter()
        if nr is not None:
            out = saved.output_again(node, nr, out.payload, version)
        elif edge is not None or out.edge is not None or duals is not None:
            out = wrap(out.payload, edge, version=version)
            if self.leaf is not None:
                out.cold_side().accumulator = self.leaf
            if duals is not None:
                duals.restore(out, self, 0)
        return out if self.dtype in (None, out.dtype) else out.to(self.dtype)

    def array(self) -> Any:
        """The values for the op's rule, in the dtype that it computed with."""
        array = self.data().payload
        return array if self.dtype is None else array.astype(self.dtype, copy=False)


# What the node of a built-in op saves ------------------------------------------------------------


@final
class Unpacking:
    """The `saved_tensors` of a node that has packed some of them: a rule unpacks as it reads."""

    __slots__ = ("entries", "names")

    def __init__(self, entries: Values, names: Names) -> None:
        self.entries, self.names = entries, names

    def __getitem__(self, index: int) -> Any:
        entry = self.entries[index]
        return entry.array() if isinstance(entry, Packed) else entry

    def __iter__(self) -> Iterator[Any]:
        found = {index: self[index] for index in saved.order_of_unpacking(self.names)}
        return iter([found[index] for index in range(len(self.entries))])


def pack(node: PrimitiveNode, result: Tensor, hooks: HookPair) -> None:
    """Give the tensors that `node` saved to a pack hook; numbers stay as they are.

    Args:
        node: the node, when everything else about it is done.
        result: its output, or the first of several.
        hooks: the pair to use.
    """
    for index in saved.order_of_unpacking(node._saved_names if node.holders else ()):
        tensor = result if node._saved_names[index] == "result" else node.holders[index]
        if tensor is not None and node._entries[index] is not None:
            pack_one(node, index, tensor, hooks)


def pack_one(node: Any, index: int, tensor: Tensor, hooks: HookPair) -> None:
    """Keep what a pack hook makes of `tensor` in the place of what `node` saved there."""
    kept = node._entries[index]
    edge, output_nr, dtype = None, None, None
    if isinstance(kept, saved.Output):
        output_nr = kept.output_nr
    elif node._is_users:
        edge = edge_of(kept)
    else:
        edge = saved.edge_of_saved(node, index)
        output_nr = 0 if node._result_at == index else None
        dtype = None if tensor.dtype == kept.dtype else kept.dtype  # converted by the op
    put_in(node, index, Packed(tensor, hooks, edge, output_nr, dtype))


def put_in(node: Any, index: int, entry: Any) -> None:
    """Have `node` keep `entry` in the place of what it saved there: writes to that are forgotten.

    Args:
        entry: an array (a tensor, if it is a user's Function) or a Packed.
    """
    entries = (*node._entries[:index], entry, *node._entries[index + 1 :])
    node.versions = {at: known for at, known in (node.versions or {}).items() if at != index}
    if node._is_users:
        node.holders = entries
        return
    node.holders = (*node.holders[:index], None, *node.holders[index + 1 :])
    is_packed = any(isinstance(kept, Packed) for kept in entries)
    node.saved_tensors = Unpacking(entries, node._saved_names) if is_packed else entries


# What a user sees --------------------------------------------------------------------------------


class SavedTensor:
    """A tensor that a node saved, before it is unpacked: `node._raw_saved_self` and its like.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> y = x.exp()
        >>> y.grad_fn._raw_saved_result.register_hooks(lambda y: y * 2, lambda twice: twice / 2)
        >>> y.sum().backward()
        >>> x.grad
        tensor([2.7183, 7.3891])
    """

    __slots__ = ("_index", "_node")

    _node: Any
    _index: int

    def __init__(self) -> None:
        raise GraphError(
            "Trying to create a SavedTensor object from Python is forbidden. It shows what a node "
            "saved. Take it from a node: `y.grad_fn._raw_saved_self`."
        )

    @property
    def _kept(self) -> Any:
        return None if self._node._is_released() else self._node._entries[self._index]

    @property
    def data(self) -> Any:
        """What is kept: the tensor, or what the pack hook made of it; None if there is nothing."""
        if isinstance(kept := self._kept, Packed):
            return kept.packed
        return None if kept is None else self.unpack()

    @property
    def unpack_hook(self) -> Any:
        """The hook that unpacks it, None without hooks."""
        return getattr(self._kept, "unpack_hook", None)

    def unpack(self) -> Tensor | None:
        """The tensor as it was saved; None if it was not needed.

        Raises:
            FreedGraphError, StaleTensorError: if it is gone, or was written since.
        """
        return saved.unpack(self._node, self._index)

    def register_hooks(self, pack_hook: Any, unpack_hook: Any) -> None:
        """Keep what `pack_hook(tensor)` returns in the place of the tensor.

        Args:
            pack_hook: gets the tensor, detached, and must not write to it. Called now.
            unpack_hook: gets what `pack_hook` returned and makes the tensor again, whenever it
                is needed.

        Raises:
            FreedGraphError: if the node has let the tensor go.
            GraphError: if there are hooks already, or nothing was saved.
        """
        check_hooks("register_hooks", pack_hook, unpack_hook)
        node, index = self._node, self._index
        if node._is_released():
            raise FreedGraphError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved "
                "intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the "
                "graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        kept = self._kept
        if kept is None:
            raise GraphError(
                "Calling register_hooks on a saved tensor with value None is forbidden: there is "
                "nothing to pack. `.data` says whether there is."
            )
        if isinstance(kept, Packed):
            raise GraphError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. "
                "Hint: only one pair of hooks is allowed at a time. Write one pair that does both."
            )
        tensor = saved.as_it_was(node, index)
        pack_one(node, index, tensor.detach(), (pack_hook, unpack_hook))


def raw_saved(node: Any, index: int) -> SavedTensor:
    """What `node` saved in that place, before it is unpacked."""
    raw = object.__new__(SavedTensor)
    raw._node, raw._index = node, index
    return raw
