"""What a Tensor's array is, and the ways out: to NumPy, to Python numbers, to copies and files.

A mixin, copied onto `Tensor` like the one in `_methods.py`.
"""

import copy
from typing import Any

import numpy as np

from .core import state
from .core.errors import ArgumentTypeError, DTypeError, GraphError, ShapeError, TransformError
from .core.tensor import LEAF, Tensor, is_differentiable, wrap
from .values.backend import CPU, Device, asnumpy, device_of
from .values.dtypes import as_dtype
from .values.layers import Layer, settled, visible

__all__ = ["Conversions"]


class Conversions:
    """What is known of a Tensor's array, and what it can be turned into."""

    @property
    def device(self: "Tensor") -> Device:
        """Where the array lives."""
        return device_of(self.payload)

    @property
    def itemsize(self: "Tensor") -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def nbytes(self: "Tensor") -> int:
        """Bytes of all elements."""
        return self.itemsize * self.numel()

    def numel(self: "Tensor") -> int:
        """The number of elements."""
        return self.shape.numel()

    def dim(self: "Tensor") -> int:
        """The number of dims."""
        return self.ndim

    def is_floating_point(self: "Tensor") -> bool:
        """Whether the elements are real fractions."""
        return self.dtype.kind == "f"

    def is_complex(self: "Tensor") -> bool:
        """Whether the elements are complex numbers."""
        return self.dtype.kind == "c"

    def size(self: "Tensor", dim: int | None = None) -> Any:
        """The shape, or the size of one dim."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def name(self: "Tensor") -> str | None:
        """A name for pictures and messages."""
        return None if self.cold is None else self.cold.name

    @name.setter
    def name(self: "Tensor", value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise ArgumentTypeError(
                f"a tensor's name was set to {value!r}, of type {type(value).__name__}. Pictures "
                f"and messages show it as text. Write `x.name = {str(value)!r}`."
            )
        self.cold_side().name = value

    @property
    def data(self: "Tensor") -> "Tensor":
        """The same array as a tensor that autograd knows nothing of, version included."""
        if getattr(self.payload, "batched", False):
            raise TransformError(
                "accessing `data` under vmap transform is not allowed. A tensor stands for one "
                "example there, and has no memory of its own. Write `x.detach()`."
            )
        payload = self.payload
        return wrap(payload.over(payload.value) if isinstance(payload, Layer) else payload)

    @data.setter
    def data(self: "Tensor", value: "Tensor") -> None:
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(
                f"Variable data has to be a tensor, but got {type(value).__name__}. "
                "Write `x.data = tensor(values)`."
            )
        layers = [x.payload for x in (self, value) if isinstance(x.payload, Layer)]
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
    def data(self: "Tensor") -> None:
        raise GraphError("cannot delete data: a tensor is nothing without. Delete the tensor.")

    def numpy(self: "Tensor", *, force: bool = False) -> "np.ndarray[Any, Any]":
        """The values as a NumPy array that shares memory.

        Args:
            force: detach and bring it to the CPU first; the result may then be a copy.

        Raises:
            GraphError: if it requires grad: NumPy's writes would go unseen.
            TransformError: inside a transform: NumPy knows nothing of it.
            ArgumentTypeError: if it is not on the CPU.
        """
        if force:
            return asnumpy(self.payload)
        if self.requires_grad and state.modes.grad:
            raise GraphError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                "instead. NumPy records nothing, so the gradient would be lost."
            )
        if self.device != CPU:
            raise ArgumentTypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to "
                "copy the tensor to host memory first."
            )
        return _without_layers(self)  # type: ignore[no-any-return]  # payload is Any

    def __array__(
        self: "Tensor", dtype: Any = None, copy: bool | None = None
    ) -> "np.ndarray[Any, Any]":
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def item(self: "Tensor") -> Any:
        """The value of a one-element tensor as a Python number.

        Raises:
            ShapeError: if it has more or fewer than one element.
            TransformError: inside `vmap`, where it stands for many numbers.
        """
        array = visible(self.payload)
        if array is None:
            raise TransformError(
                "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap "
                "over calling .item() on a Tensor: it stands for the numbers of all examples. "
                "Please try to rewrite what you're doing with other operations, or return it from "
                "the function."
            )
        if self.numel() != 1:
            raise ShapeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar: shape "
                f"{tuple(self.shape)}. A Python number holds one. Write `x.sum().item()` or "
                "`x.tolist()`."
            )
        return asnumpy(array).item()

    def tolist(self: "Tensor") -> Any:
        """The values as nested lists of Python numbers; a number for a 0-d tensor."""
        return asnumpy(self.payload).tolist()

    def __bool__(self: "Tensor") -> bool:
        if visible(self.payload) is None:
            raise TransformError(
                "vmap: It looks like you're attempting to use a Tensor in some data-dependent "
                "control flow. We don't support that: each example has an answer of its own. "
                "Write `where(condition, a, b)`, which computes both."
            )
        if self.numel() != 1:
            count = "no values" if self.numel() == 0 else "more than one value"
            raise ShapeError(
                f"Boolean value of Tensor with {count} is ambiguous: shape {tuple(self.shape)}. "
                "Python asks for one yes or no. Write `x.any()` or `x.all()`."
            )
        return bool(self.item())

    def __float__(self: "Tensor") -> float:
        return float(self.item())

    def __int__(self: "Tensor") -> int:
        return int(self.item())

    def __complex__(self: "Tensor") -> complex:
        return complex(self.item())

    def __index__(self: "Tensor") -> int:
        if self.dtype.kind not in "iub" or self.numel() != 1:
            raise ArgumentTypeError(
                "only integer tensors of a single element can be converted to an index, got "
                f"{self.dtype} of shape {tuple(self.shape)}. Write `int(x)`."
            )
        return int(self.item())

    def __format__(self: "Tensor", spec: str) -> str:
        is_number = not self.shape and (spec or type(self) is Tensor)  # a Parameter says what it is
        return format(self.item() if is_number else str(self), spec)

    # Copies -------------------------------------------------------------------------------------

    def __deepcopy__(self: "Tensor", memo: dict[int, Any]) -> "Tensor":
        if isinstance(self.payload, Layer):
            return copy.deepcopy(wrap(_without_layers(self)), memo)
        if not self.is_leaf:
            raise GraphError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment. The copy would need a copy of its graph. Write "
                "`x.detach().clone()`."
            )
        out = _rebuild(type(self), self.payload.copy(), self.requires_grad, {})
        memo[id(self)] = out
        out.__dict__.update(copy.deepcopy(self.__dict__, memo))
        if self.cold is not None:
            out.name = self.cold.name
            out.cold_side().grad = copy.deepcopy(self.cold.grad, memo)
        return out

    def __reduce_ex__(self: "Tensor", protocol: Any) -> tuple[Any, ...]:
        array = asnumpy(_without_layers(self))
        return _rebuild, (type(self), array, self.requires_grad, dict(self.__dict__), self.name)

    def __len__(self: "Tensor") -> int:
        if not self.shape:
            raise ArgumentTypeError(
                "len() of a 0-d tensor. It has no first dim to count. Write `x.numel()`."
            )
        return self.shape[0]


def _without_layers(tensor: "Tensor") -> Any:
    """The array of a tensor, if it does not take part in a transform any more.

    Raises:
        TransformError: if its transform is still being computed, or was a vmap.
    """
    payload = settled(tensor).payload
    if isinstance(payload, Layer):
        raise TransformError(
            "Cannot access data pointer of Tensor that doesn't have storage: inside a transform "
            f"({payload.level.kind}) a tensor of shape {list(tensor.shape)} is more than an array, "
            "and nobody else would see the rest. Compute with glassgrad's ops, in a Function of "
            "your own, or outside of the transform."
        )
    return payload


def _rebuild(
    cls: "type[Tensor]",
    array: Any,
    requires_grad: bool,
    attributes: dict[str, Any],
    name: str | None = None,
) -> "Tensor":
    out: Tensor = object.__new__(cls)
    out.payload = np.asarray(array, as_dtype(array.dtype))  # a pickle has a dtype of its own
    out.edge = LEAF if requires_grad else None
    out.cold = None
    out.__dict__.update(attributes)
    if name is not None:
        out.name = name
    return out
