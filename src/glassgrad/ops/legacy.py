"""PyTorch's oldest constructors, one for each dtype: `FloatTensor`, `LongTensor` and so on."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import Size, Tensor, wrap
from glassgrad.values import dtypes
from glassgrad.values.backend import is_array
from glassgrad.values.dtypes import DType
from glassgrad.values.layers import fresh

from ._data import array_from
from ._dims import size_of
from ._making import checked_size
from ._texts import scalar_name

__all__ = [
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "TensorType",
    "new",
]


class TensorType:
    """A constructor for tensors of one dtype, which `isinstance` takes for their class.

    Args:
        dtype: the dtype.

    Example:
        >>> FloatTensor([1, 2])
        tensor([1., 2.])
        >>> FloatTensor(2, 3).shape
        glassgrad.Size([2, 3])
        >>> isinstance(tensor(1.0), FloatTensor)
        True
    """

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype

    def __call__(self, *args: Any) -> Tensor:
        """A tensor of sizes (its elements are 0), of a sequence of values, or of a tensor's memory.

        Raises:
            ArgumentTypeError: for anything else, or a tensor of another dtype.
        """
        given = args[0] if len(args) == 1 else None
        if isinstance(given, Tensor):
            return self._alias(given)
        if isinstance(given, (list, tuple)) and not isinstance(given, Size):
            return fresh(array_from(given, self.dtype))
        if is_array(given):
            return fresh(array_from(given, self.dtype))
        if given is not None and not isinstance(given, (int, np.integer, Size)):
            raise ArgumentTypeError(
                f"new(): data must be a sequence (got {type(given).__name__}). This constructor "
                "takes sizes or values. Write `tensor(value)` for a 0-d tensor."
            )
        sizes = size_of(args, "new") if args else (0,)
        return fresh(np.zeros(checked_size("new", sizes), self.dtype))

    def _alias(self, source: Tensor) -> Tensor:
        if source.dtype is not self.dtype:
            raise ArgumentTypeError(
                f"expected a tensor of dtype {self.dtype}, got {source.dtype}. This constructor "
                "shares memory and converts nothing. Write `x.to(dtype)`."
            )
        return wrap(source.payload)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is self.dtype

    def __repr__(self) -> str:
        return f"<class 'glassgrad.{scalar_name(self.dtype)}Tensor'>"


BoolTensor = TensorType(dtypes.bool_)
ByteTensor = TensorType(dtypes.uint8)
CharTensor = TensorType(dtypes.int8)
ShortTensor = TensorType(dtypes.int16)
IntTensor = TensorType(dtypes.int32)
LongTensor = TensorType(dtypes.int64)
HalfTensor = TensorType(dtypes.float16)
FloatTensor = TensorType(dtypes.float32)
DoubleTensor = TensorType(dtypes.float64)


def new(input: Tensor, *args: Any) -> Tensor:
    """A tensor of the dtype of `input`, of sizes or of values.

    Example:
        >>> new(tensor([1.0]), [2, 3])
        tensor([2., 3.])
    """
    return TensorType(input.dtype)(*args)
