"""What an op computes with: from tensors, arrays and numbers to values of one dtype and device.

PyTorch's promotion rules look at the operands as the user sees them. Arrays are brought to the
common dtype by `arrays_of`; tensors one level below a transform by `in_common_dtype`.
"""

from typing import Any

import numpy as np

from glassgrad.base.backend import backend_of, device_of, is_array
from glassgrad.base.dtypes import (
    DType,
    float32,
    float64,
    get_default_dtype,
    is_differentiable,
    result_dtype,
)
from glassgrad.base.errors import ArgumentTypeError, DeviceError
from glassgrad.core.tensor import Tensor

from .doors import constant

__all__ = [
    "arrays_of",
    "broadcast_text",
    "common_dtype",
    "in_common_dtype",
    "in_dtype",
    "one_dtype",
]

Values = tuple[Any, ...]


# Arrays, at the bottom --------------------------------------------------------------------------


def arrays_of(cls: Any, operands: Values) -> Values:
    """The arrays behind the operands, on one device and, where the op wants it, of one dtype."""
    values = [_value(cls, x, position) for position, x in enumerate(operands)]
    arrays = [v for v in values if is_array(v)]
    if not arrays:
        values = [np.asarray(v, result_dtype((), (v,))) for v in values]
        arrays = values
    place = next((a for a in arrays if a.ndim), arrays[0])
    if cls.promotes is not None:
        _promote(cls, values)
    if any(type(v) is not type(place) for v in values):
        values = [_move(v, place) for v in values]
    return tuple(values)


def _value(cls: Any, operand: Any, position: int) -> Any:
    """An array, or a Python number that is still to get its dtype."""
    if isinstance(operand, Tensor):
        return operand.payload
    if isinstance(operand, (bool, int, float, complex)) or is_array(operand):
        return operand
    if isinstance(operand, np.generic):
        return np.asarray(operand)
    raise ArgumentTypeError(
        f"{cls.__name__.lower()}(): argument {position} must be Tensor, not "
        f"{type(operand).__name__}. Ops compute on tensors and numbers. "
        "Write `glassgrad.tensor(values)`."
    )


def _promote(cls: Any, values: list[Any]) -> None:
    """Bring the operands from `cls.promotes` on to PyTorch's common dtype, in place."""
    operands = values[cls.promotes :]
    dtype = result_dtype(
        [v for v in operands if is_array(v)], [v for v in operands if not is_array(v)]
    )
    if cls.floating and not is_differentiable(dtype):
        dtype = get_default_dtype()
    for position, value in enumerate(operands, start=cls.promotes or 0):
        if not is_array(value):
            values[position] = constant(value, dtype)
        elif value.dtype is not dtype:
            values[position] = value.astype(dtype)


def _move(value: Any, place: Any) -> Any:
    """A 0-d CPU value where `place` is; anything else on another device is a mistake."""
    if type(value) is type(place):
        return value
    if value.ndim == 0 and isinstance(value, np.ndarray):
        return backend_of(place).asarray(value)
    raise DeviceError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{device_of(place)} and {device_of(value)}! An op computes where its operands are. "
        f"Write `x.to({str(device_of(place))!r})`."
    )


def broadcast_text(values: Values) -> str:
    """PyTorch's sentence for shapes that do not broadcast."""
    widest = max(len(v.shape) for v in values)
    padded = [(1,) * (widest - len(v.shape)) + tuple(v.shape) for v in values]
    for dim in reversed(range(widest)):
        sizes = dict.fromkeys(shape[dim] for shape in padded if shape[dim] != 1)
        if len(sizes) > 1:
            a, b = list(sizes)[:2]
            return (
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                f"non-singleton dimension {dim}."
            )
    return "These shapes do not broadcast."


# Tensors, one level below a transform -----------------------------------------------------------


def common_dtype(cls: Any, operands: Values) -> DType | None:
    """What the op brings its operands to: Tensors, arrays and numbers; None if to nothing."""
    if cls.promotes is None:
        return None
    own = [x.payload if isinstance(x, Tensor) else x for x in operands[cls.promotes :]]
    dtype = result_dtype([x for x in own if is_array(x)], [x for x in own if not is_array(x)])
    return get_default_dtype() if cls.floating and not is_differentiable(dtype) else dtype


def in_dtype(cls: Any, operands: Values, dtype: DType | None) -> Values:
    """Operands, some of them Tensors, as values of one dtype; numbers become 0-d arrays."""
    values = list(operands)
    for position, value in enumerate(values):
        if dtype is None or position < (cls.promotes or 0):
            continue
        if isinstance(value, Tensor):
            values[position] = value if value.dtype is dtype else value.to(dtype)
        elif not is_array(value):
            values[position] = constant(value, dtype)
        elif value.dtype is not dtype:
            values[position] = value.astype(dtype)
    return tuple(values)


def in_common_dtype(cls: Any, operands: Values) -> Values:
    """Operands, some of them Tensors, as the values that the op's rules work with."""
    dtype = one_dtype(operands)
    if dtype is None:
        return in_dtype(cls, operands, common_dtype(cls, operands))
    first = cls.promotes
    if first is None or all(isinstance(x, Tensor) for x in operands):
        return operands
    return tuple([x if isinstance(x, Tensor) else constant(x, dtype) for x in operands])


def one_dtype(operands: Values) -> DType | None:
    """The one float dtype of all Tensors, if the others are numbers that do not change it."""
    dtype: DType | None = None
    for x in operands:
        if isinstance(x, Tensor):
            own = x.payload.dtype
            if own is not dtype:
                if dtype is not None or (own is not float32 and own is not float64):
                    return None
                dtype = own
        elif type(x) is not float and type(x) is not int:
            return None
    return dtype
