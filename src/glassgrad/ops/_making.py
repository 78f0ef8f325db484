"""What all factories share: a leaf around an array, sizes and numbers that were checked."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.backend import backend_for
from glassgrad.core.dtypes import (
    DType,
    Number,
    as_dtype,
    dtype_of_number,
    get_default_dtype,
    is_differentiable,
)
from glassgrad.core.errors import ArgumentTypeError, DTypeError, ShapeError
from glassgrad.core.tensor import Tensor, fresh

from ._dims import size_of

__all__ = ["checked_size", "filled", "filled_array", "made", "number_of"]


def made(array: Any, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    """A leaf around `array`, brought to a dtype (None: as it is) and a device.

    Raises:
        DTypeError: if it is to require grad and is neither float nor complex.
    """
    wanted = array.dtype if dtype is None else as_dtype(dtype)
    if requires_grad and not is_differentiable(wanted):
        raise DTypeError(
            "Only Tensors of floating point and complex dtype can require gradients, got "
            f"{wanted}. Integers cannot move by a small step. Write dtype=glassgrad.float32."
        )
    return fresh(backend_for(device).asarray(array, wanted), requires_grad=requires_grad)


def number_of(name: str, value: Any) -> tuple[Number, DType]:
    """The number meant by a number or a 0-d tensor, and its dtype."""
    if isinstance(value, Tensor) and not value.ndim and not value.requires_grad:
        return value.item(), value.dtype
    if isinstance(value, np.generic):
        return value.item(), as_dtype(value.dtype)
    if isinstance(value, (bool, int, float, complex)):
        return value, dtype_of_number(value)
    raise ArgumentTypeError(
        f"{name}(): argument 'fill_value' must be Number, not {type(value).__name__}. A filled "
        "tensor passes no gradient on to it. Write `x.item()`, or `x.expand(size)`."
    )


def filled(
    name: str, size: tuple[Any, ...], value: Number, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    shape = checked_size(name, size_of(size, name))
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    return made(filled_array(shape, value, wanted), None, device, requires_grad)


def filled_array(shape: Sequence[int], value: Number, dtype: DType) -> Any:
    """An array of one number, converted as PyTorch converts it: fractions are cut off."""
    if not value:
        return np.zeros(shape, dtype)  # memory that comes zeroed is not written at all
    with np.errstate(all="ignore"):
        return np.full(shape, np.array(value).astype(dtype), dtype)


def checked_size(name: str, size: tuple[int, ...]) -> tuple[int, ...]:
    if any(n < 0 for n in size):
        raise ShapeError(
            f"{name}: Trying to create tensor with negative dimension {min(size)}: {list(size)}. "
            "A size counts elements: Dimension size must be non-negative."
        )
    return size
