"""The Tensor: an array, and where its gradient goes.

A tensor has three slots. `payload` is the array. `edge` says where the gradient goes: None (no
gradient), LEAF (a leaf that requires grad), a node (its only output), a GradientEdge (one of
several outputs) or another Pending (a view whose memory was written since). `cold` is a side object
for what few tensors have, made on first use.

What a Tensor can *do* is declared by the ops and in `glassgrad/_methods.py`.
"""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from glassgrad.base.backend import Device, backend_for, device_of, is_array
from glassgrad.base.dtypes import DType, as_dtype, is_differentiable, result_dtype
from glassgrad.base.errors import (
    ArgumentTypeError,
    DTypeError,
    GraphError,
    TransformError,
)
from glassgrad.base.source_lines import Place, here

from . import state
from .cold import LEAF, Cold, Pending, Size, Version

if TYPE_CHECKING:
    from glassgrad._conversions import Conversions
    from glassgrad._grad import Gradients
    from glassgrad._methods import Methods
    from glassgrad.ops._methods import OpMethods

    class _Mixins(Methods, OpMethods, Conversions, Gradients): ...
else:
    _Mixins = object

__all__ = ["LEAF", "PLAIN", "Cold", "Pending", "Size", "Tensor", "Version", "fresh", "wrap"]


class Tensor(_Mixins):
    """A multi-dimensional array that knows how it was computed.

    Args:
        data: an array, another tensor or (nested) sequences of numbers. Numbers become the
            default dtype, as in PyTorch; write `glassgrad.tensor(...)` to keep integers.
        dtype, device: what to make of it.
        requires_grad: whether gradients are wanted with respect to it.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """

    __slots__ = ("__dict__", "__weakref__", "cold", "edge", "payload")

    payload: Any
    edge: Any
    cold: Cold | None

    def __new__(
        cls,
        data: Any = (),
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Self:
        if isinstance(data, Tensor):
            data = data.payload
        if _wrappers.get(data.__class__):
            raise TransformError(
                f"{cls.__name__}(x) cannot take a tensor of shape {list(data.shape)} out of a "
                "transform: inside it is more than an array. Write `x.detach()`."
            )
        target = backend_for(device)
        if not is_array(data):
            data = np.array(data, dtype=result_dtype((), (0.0,)))
        wanted = data.dtype if dtype is None else as_dtype(dtype)
        self = object.__new__(cls)
        self.payload = target.asarray(data, as_dtype(wanted))
        self.edge = self.cold = None
        if requires_grad:
            self.requires_grad = True
        return self

    # What the array is ------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes of the dims."""
        return Size(self.payload.shape)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements: a NumPy dtype."""
        return self.payload.dtype  # type: ignore[no-any-return]  # payload is Any

    @property
    def device(self) -> Device:
        """Where the array lives."""
        return device_of(self.payload)

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return self.payload.ndim  # type: ignore[no-any-return]  # payload is Any

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.itemsize * self.numel()

    def numel(self) -> int:
        """The number of elements."""
        return self.shape.numel()

    def dim(self) -> int:
        """The number of dims."""
        return self.ndim

    def is_floating_point(self) -> bool:
        """Whether the elements are real fractions."""
        return self.dtype.kind == "f"

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers."""
        return self.dtype.kind == "c"

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dim."""
        return self.shape if dim is None else self.shape[dim]

    # What it is to autograd ---------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to it. Settable on leaves."""
        return self.edge is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise ArgumentTypeError(
                f"requires_grad must be a bool, got {type(value).__name__}. Write True or False."
            )
        if not self.is_leaf:
            raise GraphError(
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach()."
            )
        if value and not is_differentiable(self.dtype):
            raise DTypeError(
                "only Tensors of floating point and complex dtype can require gradients, got "
                f"{self.dtype}. Integers cannot move by a small step. Write `x.float()` first."
            )
        if value and self.is_inference() and not state.modes.inference:
            raise GraphError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed. It was made to never take part in autograd. Write `x.clone()`."
            )
        self.edge = LEAF if value else None
        if self._base is None:
            self._tell_views()
        if not value and self.cold is not None and self.cold.accumulator is not None:
            accumulator = self.cold.accumulator()
            if accumulator is not None:
                accumulator.hooks()  # where there might be hooks, a pass looks before it adds

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it: `.grad` ends up in leaves."""
        edge = self.edge
        return edge is None or edge is LEAF or (edge.__class__ is Pending and not self._settled())

    @property
    def grad_fn(self) -> Any:
        """The node that made it, None for a leaf."""
        edge = self._settled()
        return getattr(edge, "node", edge)

    @property
    def output_nr(self) -> int:
        """Its position among the outputs of `grad_fn`."""
        return getattr(self._settled(), "output_nr", 0)

    def _settled(self) -> Any:
        """The edge, None for a leaf; that of a view is found anew if its memory was written."""
        edge = self.edge
        if edge.__class__ is Pending:
            return None if edge is LEAF else edge.settle(self)
        return edge

    @property
    def retains_grad(self) -> bool:
        """Whether it is a non-leaf whose `.grad` a backward pass fills."""
        hooks = getattr(self.grad_fn, "cold", None)
        kept = hooks and hooks.retain.get(self.output_nr)
        return bool(kept and kept() is self)

    @property
    def name(self) -> str | None:
        """A name for pictures and messages."""
        return None if self.cold is None else self.cold.name

    @name.setter
    def name(self, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise ArgumentTypeError(
                f"a tensor's name was set to {value!r}, of type {type(value).__name__}. Pictures "
                f"and messages show it as text. Write `x.name = {str(value)!r}`."
            )
        self.chilled().name = value

    def is_inference(self) -> bool:
        """Whether it was made inside `inference_mode()`."""
        return self.cold is not None and self.cold.is_inference

    def chilled(self) -> Cold:
        """The cold side, made on first use."""
        if self.cold is None:
            self.cold = Cold()
        return self.cold

    # Shared memory and versions -----------------------------------------------------------------

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise GraphError(
                "Inference tensors do not track version counter. They never take part in "
                "autograd. Write `x.clone()` outside of inference_mode() for one that does."
            )
        version = None if self.cold is None else self.cold.version
        return 0 if version is None else version.count

    def version_counter(self) -> Version:
        """The storage's Version, made on first use.

        A node that saved this tensor as its own output holds only the array: the two share the
        Version from now on, so that a write through any alias is seen.
        """
        cold = self.chilled()
        if cold.version is None:
            at = getattr(self.edge, "_result_at", None)
            cold.version = Version() if at is None else self.edge.version_of_result(at)
        return cold.version

    def wrote(self, place: Place | None = None) -> None:
        """Note that the array was changed in place: at `place`, or by the line that is running."""
        cold = self.cold
        version = None if cold is None else cold.version
        if version is None:
            version = self.version_counter()
        version.count += 1
        version.written_line = here(2) if place is None else place
        state.last_write = state.next_seq()
        if version.views is not None:
            version.views.written()

    def _tell_views(self) -> None:
        """Let the views of this tensor know that its edge has changed."""
        version = None if self.cold is None else self.cold.version
        if version is not None and version.views is not None:
            version.views.written()

    @property
    def data(self) -> "Tensor":
        """The same array as a tensor that autograd knows nothing of, version included."""
        if getattr(self.payload, "batched", False):
            raise TransformError(
                "accessing `data` under vmap transform is not allowed. A tensor stands for one "
                "example there, and has no memory of its own. Write `x.detach()`."
            )
        payload = self.payload
        is_layer = _wrappers.get(payload.__class__)
        return wrap(payload.over(payload.value) if is_layer else payload)

    @data.setter
    def data(self, value: "Tensor") -> None:
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(
                f"Variable data has to be a tensor, but got {type(value).__name__}. "
                "Write `x.data = tensor(values)`."
            )
        layers = [x.payload for x in (self, value) if _wrappers.get(x.payload.__class__)]
        if layers:
            where = "under vmap" if layers[0].batched else "inside functorch"
            raise TransformError(
                f"mutating directly with `.data` {where} transform is not allowed. The transform "
                "would not see it. Write `x.copy_(value)`."
            )
        if self.requires_grad and not is_differentiable(value.dtype):
            raise DTypeError(
                "data set to a tensor that requires gradients must be floating point or complex "
                f"dtype, got {value.dtype}. Write `x.data = y.float()`."
            )
        self.payload = value.payload

    @data.deleter
    def data(self) -> None:
        raise GraphError("cannot delete data: a tensor is nothing without. Delete the tensor.")

    def detach(self) -> "Tensor":
        """The same array, out of the graph: shares memory and version.

        Example:
            >>> x = tensor([1.0], requires_grad=True)
            >>> x.detach().requires_grad
            False
        """
        payload = self.payload
        if _wrappers.get(payload.__class__):
            payload = payload.detached()
        out = wrap(payload, version=None if self.is_inference() else self.version_counter())
        out.chilled().is_inference = self.is_inference()
        return out

    @property
    def _base(self) -> "Tensor | None":
        return None if self.cold is None else self.cold.base

    def _is_view(self) -> bool:
        return self._base is not None

    __hash__ = object.__hash__  # by identity: == compares elements


# The classes whose tensors the fast doors take; `nn.Parameter` joins them.
PLAIN: set[type] = {Tensor}

_new = object.__new__

_wrappers: dict[type, type[Tensor]] = {}


def wraps_layers(kind: type, wrapper: type[Tensor]) -> None:
    """Make tensors around payloads of this kind instances of `wrapper`."""
    _wrappers[kind] = wrapper


def wrap(payload: Any, edge: Any = None, *, version: Version | None = None) -> Tensor:
    """A tensor around an array, without copying or checking it."""
    out = _new(_wrappers.get(payload.__class__, Tensor))
    out.payload = payload
    out.edge = edge
    out.cold = None
    if version is not None:
        out.chilled().version = version
    return out


def fresh(payload: Any, *, requires_grad: bool = False, like: Tensor | None = None) -> Tensor:
    """A new leaf, as factories make them: marked if made inside `inference_mode()`.

    Args:
        like: a tensor it is to match: a batch of examples, inside vmap, where that is one.
    """
    out = wrap(payload)
    if state.special:
        if state.modes.inference:
            out.chilled().is_inference = True
        for level in state.modes.levels:  # it belongs to all of them, and may be written
            out = level.lift(out) if like is None else level.lift_like(out, like)
    if requires_grad:
        out.requires_grad = True
    return out
