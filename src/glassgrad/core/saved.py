"""What a node keeps of a tensor until backward, and the errors of coming too late for it.

A node keeps the tensor itself, or a `Kept` where there is something to check or to rebuild. With
saved-tensor hooks it keeps a `Packed`: whatever the pack hook made of the tensor, from which the
unpack hook makes it again at each access. `SavedTensor` is what a user sees of all of them.
"""

import weakref
from collections.abc import Iterator
from typing import Any, NoReturn, final

from glassgrad.base.errors import ArgumentTypeError, FreedGraphError, GraphError
from glassgrad.base.tree import flatten

from .graph import AccumulateGrad, GradientEdge, Node, edge_of
from .layers import Wrapped, settled
from .stale import inference_error, stale_error
from .state import HookPair, modes, unrecorded
from .tensor import LEAF, Pending, Tensor, wrap

__all__ = [
    "CLEARED",
    "FREED",
    "Kept",
    "Packed",
    "SavedTensor",
    "arrays_in",
    "unpacked",
    "versions_of",
]


class _Gone:
    """Stands in for the saved tensors of a node that has let them go."""

    def __init__(self, message: str) -> None:
        self.message = message

    def __iter__(self) -> Iterator[NoReturn]:
        raise FreedGraphError(self.message)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> NoReturn:
        next(iter(self))
        raise AssertionError("iterating over freed tensors raises")

    def __getitem__(self, index: object) -> NoReturn:
        next(iter(self))
        raise AssertionError("iterating over freed tensors raises")


FREED: Any = _Gone(
    "Trying to backward through the graph a second time (or directly access saved tensors "
    "after they have already been freed). Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
    "need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)

# Instead of FREED, for a Function that wants its tensors to go as soon as they were read.
CLEARED: Any = _Gone(
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on "
    "the autograd.Function. Either access saved_tensors only once, or set "
    "clear_saved_tensors_on_access=False."
)


@final
class Kept:
    """What a node keeps of one tensor that was written to before, or is its own output.

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
        tensor = self.tensor
        version = self.version
        if version is None and tensor is not None and tensor.cold is not None:
            version = tensor.cold.version
        if version is not None and version.count != self.expected:
            now = tensor if tensor is not None else self._rebuilt(node)
            raise stale_error(node, "", now, version, self.expected)
        if tensor is None:
            return self._rebuilt(node)
        edge = tensor.edge
        if edge is self.edge or edge.__class__ is Pending or edge == self.edge:
            return tensor
        if edge is None:
            return tensor  # detached since, or a leaf whose requires_grad was switched off
        return wrap(self.array, self.edge, version=tensor.version_counter())

    def _rebuilt(self, node: Node) -> Tensor:
        assert self.output_nr is not None, "an input is kept as a tensor"
        output = wrap(self.array, output_edge(node, self.output_nr), version=self.version)
        if modes.duals is not None:
            modes.duals.restore(output, node, self.output_nr)
        return output


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
        self,
        tensor: Tensor,
        hooks: HookPair,
        *,
        edge: Any = None,
        output_nr: int | None = None,
        dtype: Any = None,
    ) -> None:
        pack_hook, self.unpack_hook = hooks
        self.output_nr, self.dtype = output_nr, dtype
        is_leaf = isinstance(edge, AccumulateGrad)
        self.leaf = weakref.ref(edge) if is_leaf else None  # weakly: it would keep the leaf
        self.edge = None if is_leaf or output_nr is not None else edge
        if modes.duals is not None:
            modes.duals.keep_saved(self, tensor)
        version = tensor._version
        with unrecorded():
            self.packed = pack_hook(tensor)
        if tensor._version != version:
            raise GraphError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as "
                "input to pack hook can not be modified by in-place operations as this can lead "
                f"to unexpected side-effects: others see this tensor of shape "
                f"{tuple(tensor.shape)} too. Return a changed copy, such as `x * 2` for `x *= 2`."
            )

    @classmethod
    def of(cls, kept: "Tensor | Kept", hooks: HookPair) -> "Packed":
        """What a node keeps already, packed: the hook gets a tensor outside of the graph."""
        if isinstance(kept, Tensor):
            return cls(kept.detach(), hooks, edge=edge_of(kept))
        tensor = kept.tensor
        if tensor is None:
            tensor = wrap(kept.array, version=kept.version)
        return cls(tensor.detach(), hooks, edge=kept.edge, output_nr=kept.output_nr)

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
        tensor = self.data()
        edge: Any = LEAF if self.leaf is not None else self.edge
        if self.output_nr is not None:
            edge = output_edge(node, self.output_nr)
        if edge is None and tensor.edge is None and modes.duals is None:
            return tensor
        version = None if tensor.is_inference() else tensor.version_counter()
        out = wrap(tensor.payload, edge, version=version)
        if self.leaf is not None:
            out.chilled().accumulator = self.leaf
        if modes.duals is not None:
            modes.duals.restore(
                out, *((self, 0) if self.output_nr is None else (node, self.output_nr))
            )
        return out

    def array(self) -> Any:
        """The values for the op's rule, in the dtype that it computed with."""
        array = self.data().payload
        return array if self.dtype is None else array.astype(self.dtype, copy=False)


def output_edge(node: Node, output_nr: int) -> Node | GradientEdge:
    """The edge of one of the node's outputs, as a tensor has it that was saved there."""
    view = node.cold and node.cold.view and node.cold.view()
    if view:
        return view
    return node if node.num_outputs == 1 else GradientEdge(node, output_nr)


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

    @classmethod
    def _at(cls, node: Any, index: int) -> "SavedTensor":
        self = object.__new__(cls)
        self._node, self._index = node, index
        return self

    @property
    def data(self) -> Any:
        """What is kept: the tensor, or what the pack hook made of it; None if there is nothing."""
        kept = None if self._node._is_released() else self._node._kept(self._index)
        if kept is None:
            return None
        return kept.packed if isinstance(kept, Packed) else self.unpack()

    @property
    def unpack_hook(self) -> Any:
        """The hook that unpacks it, None without hooks."""
        kept = None if self._node._is_released() else self._node._kept(self._index)
        return kept.unpack_hook if isinstance(kept, Packed) else None

    def unpack(self) -> Tensor | None:
        """The tensor as it was saved; None if it was not needed.

        Raises:
            FreedGraphError, StaleTensorError: if it is gone, or was written since.
        """
        return self._node._unpack(self._index)  # type: ignore[no-any-return]  # of any node

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
        for hook in (pack_hook, unpack_hook):
            if not callable(hook):
                raise ArgumentTypeError(
                    "register_hooks(): incompatible function arguments. Hooks are called with "
                    f"what they convert, and {type(hook).__name__} is not callable. Pass two "
                    "functions."
                )
        if self._node._is_released():
            raise FreedGraphError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved "
                "intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the "
                "graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        kept = self._node._kept(self._index)
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
        self._node._pack(self._index, (pack_hook, unpack_hook))


def unpacked(node: Node, saved: Tensor | Kept | Packed | None) -> Tensor | None:
    """What `node` saved: a tensor that was never written to is kept as it is."""
    if isinstance(saved, Tensor):
        version = saved.cold and saved.cold.version
        if version and version.count:
            raise stale_error(node, "", saved, version, 0)
        return saved if saved.__class__ is not Wrapped else settled(saved)
    if saved is None:
        return None
    tensor = saved.unpack(node)
    return tensor if tensor.__class__ is not Wrapped else settled(tensor)


def versions_of(kept: Tensor | Kept | Packed) -> tuple[int, int]:
    """The version of the storage when it was saved, and now; (0, 0) if hooks keep it."""
    if isinstance(kept, Packed):
        return 0, 0
    tensor: Tensor | None = kept if isinstance(kept, Tensor) else kept.tensor
    version, expected = (None, 0) if isinstance(kept, Tensor) else (kept.version, kept.expected)
    if version is None and tensor is not None and tensor.cold is not None:
        version = tensor.cold.version
    return expected, version.count if version else 0


def arrays_in(kept: Any) -> list[Any]:
    """The arrays that are alive because of what a node keeps of one tensor."""
    if isinstance(kept, Packed):
        return [leaf.payload for leaf in flatten(kept.packed)[0] if isinstance(leaf, Tensor)]
    if isinstance(kept, Tensor):
        return [kept.payload]
    return [] if kept is None else [kept.array if isinstance(kept, Kept) else kept]
