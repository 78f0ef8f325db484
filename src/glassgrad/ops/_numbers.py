"""Whether a number fits into a dtype."""

import functools
import math
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.values.dtypes import DType

__all__ = ["check_number"]


def check_number(dtype: DType, value: Any) -> None:
    """Raise DTypeError for a number that a dtype has no room for."""
    if not _fits(dtype, value):
        raise DTypeError(
            f"value cannot be converted to type {_C_NAMES[str(dtype)]} without overflow: {value}. "
            "A tensor keeps its dtype. Write a number that it can hold, or to `x.to(dtype)`."
        )


def _fits(dtype: DType, value: Any) -> bool:
    """Whether there is room: unsigned integers take negative numbers too, and wrap around."""
    kind = dtype.kind
    if isinstance(value, (complex, np.complexfloating)):
        within = kind == "c" and all(_fits(dtype, part) for part in (value.real, value.imag))
        return kind == "b" or within
    if kind == "b" or (kind in "fc" and (value != value or abs(value) == math.inf)):
        return True
    low, high = _limits(dtype)
    return bool(low <= value <= high)  # False for nan


_C_NAMES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
    "float16": "c10::Half",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


@functools.cache
def _limits(dtype: DType) -> tuple[Any, Any]:
    if dtype.kind in "fc":
        high = float(np.finfo(dtype).max)
        return -high, high
    info = np.iinfo(dtype)
    return info.min or -info.max, info.max
