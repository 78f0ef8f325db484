"""The ways out of a Tensor: to NumPy, to Python numbers, to copies and files.

A mixin, copied onto `Tensor` like the one in `_methods.py`.
"""

import copy
from typing import Any

import numpy as np

from .base.backend import CPU, asnumpy
from .base.dtypes import as_dtype
from .base.errors import ArgumentTypeError, GraphError, ShapeError, TransformError
from .core import state
from .core.layers import Layer, settled, visible
from .core.tensor import LEAF, Tensor, wrap

__all__ = ["Conversions"]


class Conversions:
    """What a Tensor can be turned into."""

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
            out.chilled().grad = copy.deepcopy(self.cold.grad, memo)
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
