"""What makes new tensors: from Python's data to an array, and a leaf around it."""

import functools
import warnings
from itertools import chain
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from glassgrad.core.primitive import constant
from glassgrad.core.tensor import Tensor, whole
from glassgrad.values.backend import asnumpy, backend_for, is_array
from glassgrad.values.dtypes import (
    DType,
    Number,
    as_dtype,
    dtype_of_number,
    get_default_dtype,
    promote_types,
)
from glassgrad.values.layers import Layer, Wrapped, fresh

from ._arguments import check_number, size_of

_MAX_DIMS = 64
_NUMBERS = (bool, int, float, complex)


def array_from(data: Any, dtype: DType | None) -> Any:
    """A new array of the values of `data`.

    Args:
        data: a number, an array, a tensor, or nested sequences of numbers.
        dtype: None: floats become the default dtype, ints int64, bools bool; arrays keep theirs.

    Raises:
        ArgumentError: for ragged sequences, or a number that does not fit.
        ArgumentTypeError, DTypeError: for anything but numbers.
    """
    if isinstance(data, Tensor):
        data = asnumpy(data.payload) if isinstance(data, Wrapped) else data.payload
    if is_array(data) or isinstance(data, np.generic):
        return _from_array(data, dtype)
    shape, flat = _flattened(data)
    if flat and all(isinstance(item, np.ndarray) for item in flat):
        return _from_array(_stacked(flat, shape), dtype)
    found = _inferred(flat)
    values = [item.item() if isinstance(item, Tensor) else item for item in flat]
    return _filled(values, found if dtype is None else dtype).reshape(shape)


def _from_array(array: Any, dtype: DType | None) -> Any:
    kept = _supported(array.dtype)
    return whole(array.astype(kept if dtype is None else dtype))


def _supported(dtype: Any) -> DType:
    if dtype.kind not in "biufc":
        raise ArgumentTypeError(
            f"can't convert np.ndarray of type {dtype.type.__module__}.{dtype.type.__name__}. "
            "A tensor holds numbers. Write `array.astype(np.float32)` if these are some."
        )
    return as_dtype(dtype.newbyteorder("=").name)


# Nested sequences ---------------------------------------------------------------------------------


def _flattened(data: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of nested sequences, and their elements row by row."""
    shape: list[int] = []
    flat = [data]
    while rows := [item for item in flat if _is_sequence(item)]:
        dim, length = len(shape), len(rows[0])
        for item in flat:
            if not _is_sequence(item):
                raise ArgumentTypeError(
                    f"not a sequence: numbers and sequences are mixed at dim {dim}, got a "
                    f"{type(item).__name__} beside a sequence of length {length}. All rows have "
                    "one shape. Write nested lists of equal lengths."
                )
            if len(item) != length:
                raise ArgumentError(
                    f"expected sequence of length {length} at dim {dim} (got {len(item)}). All "
                    "rows have one shape. Pad the shorter ones, or keep a list of tensors."
                )
        if dim == _MAX_DIMS:
            raise ArgumentError(
                f"too many dimensions: the data is nested more than {_MAX_DIMS} times. Does a "
                "list contain itself?"
            )
        shape.append(length)
        flat = list(chain.from_iterable(flat))
    return tuple(shape), flat


def _is_sequence(item: Any) -> bool:
    if isinstance(item, (str, bytes, Tensor, np.ndarray, dict, set)):
        return False
    return hasattr(item, "__len__") and hasattr(item, "__getitem__")


def _stacked(arrays: list[Any], shape: tuple[int, ...]) -> Any:
    try:
        return np.stack(arrays).reshape(shape + arrays[0].shape)
    except ValueError as error:
        raise ArgumentError(
            f"expected arrays of one shape at dim {len(shape)}, got "
            f"{sorted({array.shape for array in arrays})}. A tensor is no ragged list. Pad the "
            "smaller ones, or keep a list of tensors."
        ) from error


# The dtype ----------------------------------------------------------------------------------------


def _inferred(flat: list[Any]) -> DType:
    """The dtype that holds all of the elements."""
    if not flat:
        return get_default_dtype()
    one_each = {type(item): item for item in flat}  # the class of a number says all
    has_arrays = any(issubclass(cls, (Tensor, np.ndarray)) for cls in one_each)
    return functools.reduce(promote_types, map(_kind, flat if has_arrays else one_each.values()))


def _kind(item: Any) -> DType:
    if isinstance(item, np.generic):
        return _supported(item.dtype)
    if isinstance(item, _NUMBERS):
        return dtype_of_number(item)
    if isinstance(item, Tensor):
        if item.numel() != 1:
            raise ArgumentError(
                "only one element tensors can be converted to Python scalars: the list holds a "
                f"tensor of shape {list(item.shape)}. Its gradient would be lost. Write "
                "`stack(tensors)`."
            )
        if item.requires_grad:
            warnings.warn(
                "Converting a tensor with requires_grad=True to a scalar: the new tensor will not "
                "pass a gradient on. Write `stack(tensors)`, or `x.detach()` if that is meant.",
                UserWarning,
                stacklevel=6,
            )
        return item.dtype
    if isinstance(item, np.ndarray) and not item.ndim:
        return _supported(item.dtype)
    name = type(item).__name__
    if isinstance(item, (str, bytes)):
        raise ArgumentTypeError(
            f"new(): invalid data type '{name}': {item!r}. A tensor holds numbers. Write "
            "`float(text)` for a number in a text."
        )
    raise DTypeError(
        f"Could not infer dtype of {name}. A tensor is made of numbers, arrays or nested lists of "
        "numbers. Write `tensor(list(values))` for an iterator."
    )


def _filled(values: list[Any], dtype: DType) -> Any:
    try:
        with np.errstate(all="ignore"):
            return np.array(values, dtype)
    except OverflowError as error:
        raise ArgumentError(
            f"Overflow when unpacking long long: {error}. {dtype} has no room for it. Write a "
            "float, or choose a larger dtype."
        ) from error
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"the values cannot become {dtype}: {error}. Leave dtype out, or convert them first."
        ) from error


def made(
    array: Any,
    dtype: Any = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    like: Tensor | None = None,
) -> Tensor:
    """A leaf around `array`, brought to a dtype (None: as it is) and a device.

    Raises:
        DTypeError: if it is to require grad and is neither float nor complex.
    """
    array = backend_for(device).asarray(array, array.dtype if dtype is None else as_dtype(dtype))
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
    value: Number | None,
    *,
    dtype: Any = None,
    like: Tensor | None = None,
    beside: Tensor | None = None,
    **new: Any,
) -> Tensor:
    """A leaf of one number everywhere; None: of whatever was in memory.

    Args:
        like: a tensor that it matches, also in how it lies in memory.
        beside: a tensor that it matches but for its size.
    """
    wanted = as_dtype(dtype or get_default_dtype())
    if like is not None:
        array = np.empty_like(form_of(like.payload), wanted)
    elif value is None:
        array = np.empty(checked_size(name, size), wanted)
    else:
        array = np.zeros(checked_size(name, size), wanted)
    if value is not None:
        check_number(wanted, value)
        if value or isinstance(value, float) or like is not None:  # -0.0 is not the memory's zero
            array.fill(constant(value, wanted))
    return made(array, like=beside if like is None else like, **new)


def form_of(array: Any) -> Any:
    """A NumPy array of the same form, its elements in the same order; what they are is unknown."""
    if not isinstance(array, Layer):
        return asnumpy(array)
    order = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
    form = np.empty([array.shape[dim] for dim in order], array.dtype)
    return form.transpose(np.argsort(order)) if order else form


def checked_size(name: str, sizes: tuple[Any, ...], argument: str = "size") -> tuple[int, ...]:
    """The size of a new tensor, meant by `f(2, 3)` or `f((2, 3))`.

    Raises:
        ShapeError: for negative numbers.
        ArgumentTypeError: for anything but integers.
    """
    size = size_of(sizes, name, argument=argument)
    if any(n < 0 for n in size):
        raise ShapeError(
            f"{name}: Trying to create tensor with negative dimension {min(size)}: {list(size)}. "
            "A size counts elements: Dimension size must be non-negative."
        )
    return size
