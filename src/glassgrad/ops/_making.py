"""What all factories share: a leaf around an array, sizes and numbers that were checked."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DTypeError, ShapeError
from glassgrad.core.primitive import constant
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.values.backend import backend_for
from glassgrad.values.dtypes import DType, Number, as_dtype, dtype_of_number, get_default_dtype
from glassgrad.values.layers import fresh

from ._dims import size_of
from ._numbers import check_number

__all__ = ["checked_size", "filled", "made", "number_of"]


def made(
    array: Any, dtype: Any, device: Any, requires_grad: bool, like: Tensor | None = None
) -> Tensor:
    """A leaf around `array`, brought to a dtype (None: as it is) and a device.

    Raises:
        DTypeError: if it is to require grad and is neither float nor complex.
    """
    wanted = as_dtype(array.dtype if dtype is None else dtype)
    if requires_grad and not is_differentiable(wanted):
        raise DTypeError(
            "Only Tensors of floating point and complex dtype can require gradients, got "
            f"{wanted}. Integers cannot move by a small step. Write dtype=glassgrad.float32."
        )
    array = backend_for(device).asarray(array, wanted)
    return fresh(array, requires_grad=requires_grad, like=like)


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
    name: str,
    size: tuple[Any, ...],
    value: Number,
    dtype: Any,
    device: Any,
    requires_grad: bool,
    like: Tensor | None = None,
) -> Tensor:
    shape = checked_size(name, size_of(size, name))
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    check_number(wanted, value)
    array = np.zeros(shape, wanted)
    if value or isinstance(value, float):  # -0.0 is not the zero of the memory
        array.fill(constant(value, wanted))
    return made(array, None, device, requires_grad, like)


def checked_size(name: str, size: tuple[int, ...]) -> tuple[int, ...]:
    if any(n < 0 for n in size):
        raise ShapeError(
            f"{name}: Trying to create tensor with negative dimension {min(size)}: {list(size)}. "
            "A size counts elements: Dimension size must be non-negative."
        )
    return size
