"""Dtypes by PyTorch's names, the default dtype, and PyTorch's promotion rules.

Here a dtype *is* a NumPy dtype: `float32 is np.dtype("float32")`. So `a.dtype is b.dtype` is the
whole test the fast doors need. What `x.dtype` gives to users is `glassgrad.dtype`, which is equal.

Promotion looks at categories (bool < int < float < complex) before sizes, and at three kinds of
operand: tensors with dims, 0-d tensors, Python numbers. A weaker kind changes the result only if
its category is higher. See https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DTypeError

DType = np.dtype[Any]
Number = bool | int | float | complex

float16 = half = np.dtype("float16")
float32 = np.dtype("float32")
float64 = double = np.dtype("float64")
complex64 = np.dtype("complex64")
complex128 = np.dtype("complex128")
uint8 = np.dtype("uint8")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = long = np.dtype("int64")
bool_ = np.dtype("bool")

TYPE_NAMES = {
    bool_: "Bool",
    uint8: "Byte",
    int8: "Char",
    int16: "Short",
    int32: "Int",
    int64: "Long",
    float16: "Half",
    float32: "Float",
    float64: "Double",
    complex64: "ComplexFloat",
    complex128: "ComplexDouble",
    np.dtype("uint16"): "UInt16",
    np.dtype("uint32"): "UInt32",
    np.dtype("uint64"): "UInt64",
}
"""PyTorch's older names of the dtypes: those of its tensor types, which its messages have too."""

_SUPPORTED: dict[DType, DType] = {dtype: dtype for dtype in TYPE_NAMES}
"""The dtypes by themselves: of what is equal to one, say from a pickle, this is the one."""


class Home:
    """Whose names dtypes, sizes and types are told by: `as_torch()` makes it "torch"."""

    name = "glassgrad"


NUMBERS = frozenset({bool, int, float, complex})
"""The classes of Python's numbers."""

CATEGORY = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}

_default = float32


def tensor_type(dtype: DType) -> str:
    """PyTorch's old name for tensors of a dtype, as its messages have it.

    Example:
        >>> tensor_type(float64)
        'torch.DoubleTensor'
    """
    return f"torch.{TYPE_NAMES[dtype]}Tensor" if dtype in TYPE_NAMES else f"{dtype} tensor"


def get_default_dtype() -> DType:
    """The dtype that Python floats become: float32 until `set_default_dtype` says otherwise."""
    return _default


def set_default_dtype(d: Any) -> None:
    """Choose the dtype that Python floats become, and integers in float functions.

    Args:
        d: a floating-point dtype.

    Raises:
        ArgumentTypeError: if `d` is not floating-point.

    Example:
        >>> set_default_dtype(float64)
        >>> tensor(0.5).dtype
        glassgrad.float64
        >>> set_default_dtype(float32)
    """
    global _default
    dtype = as_dtype(d)
    if dtype.kind != "f":
        raise ArgumentTypeError(
            f"only floating-point types are supported as the default type, got {dtype}. "
            "Python floats have to become it. Write `set_default_dtype(glassgrad.float64)`."
        )
    _default = dtype


def as_dtype(dtype: Any) -> DType:
    """The supported dtype meant by a NumPy dtype, a scalar type, a name, or bool/int/float."""
    try:
        asked: DType = np.dtype(dtype)
    except TypeError:
        raise ArgumentTypeError(
            f"dtype must be a dtype, got {dtype!r}. "
            "Write `glassgrad.float32`, `np.float32` or 'float32'."
        )
    found = _SUPPORTED.get(asked)
    if found is None:
        raise DTypeError(
            f"dtype {asked} is not supported. PyTorch's are: {', '.join(map(str, _SUPPORTED))}. "
            "Convert the data first, for example with `array.astype(np.float32)`."
        )
    return found


def dtype_of_number(value: Number) -> DType:
    """The dtype a Python number stands for on its own."""
    return _dtype_of_numbers(type(value), _default)


def _dtype_of_numbers(kind: type, default: DType) -> DType:
    if issubclass(kind, (bool, np.bool_)):
        return bool_
    if issubclass(kind, (int, np.integer)):
        return int64
    if issubclass(kind, (float, np.floating)):
        return default
    return promote_types(default, complex64)


def promote_types(type1: Any, type2: Any) -> DType:
    """The smallest dtype that holds both, the category deciding before the size.

    Example:
        >>> promote_types(int64, float16)
        dtype('float16')
    """
    a, b = as_dtype(type1), as_dtype(type2)
    if a is b:
        return a
    ranks = CATEGORY[a.kind], CATEGORY[b.kind]
    if ranks[0] != ranks[1] and min(ranks) < 2:  # 2: both hold fractions
        return a if ranks[0] > ranks[1] else b
    if any(each.kind == "u" and each is not uint8 for each in (a, b)):
        raise DTypeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{TYPE_NAMES[a]} and {TYPE_NAMES[b]}. They are for data. Write `x.long()` first."
        )
    return np.promote_types(a, b)


def result_dtype(arrays: Sequence[Any], numbers: Sequence[Number] = ()) -> DType:
    """PyTorch's `result_type` of some arrays (or tensors) and Python numbers."""
    of_arrays = tuple([(array.dtype, array.ndim > 0) for array in arrays])
    return _result_dtype(of_arrays, tuple(map(type, numbers)), _default)


@functools.lru_cache(maxsize=1024)
def _result_dtype(arrays: Any, numbers: Any, default: DType) -> DType:
    """The same of (dtype, whether it has dims) of the arrays, and the classes of the numbers."""
    groups = (
        {dtype for dtype, has_dims in arrays if has_dims},
        {dtype for dtype, has_dims in arrays if not has_dims},
        {_dtype_of_numbers(kind, default) for kind in numbers},
    )
    strong, *weaker = [functools.reduce(promote_types, group) for group in groups if group]
    for dtype in weaker:
        if CATEGORY[dtype.kind] > CATEGORY[strong.kind]:  # complex128 of float64 and a number 1j
            strong = promote_types(strong, complex64) if strong.kind == "f" else dtype
    return strong
