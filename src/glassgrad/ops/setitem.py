"""`x[index] = value`: a write to a view, or to the places that index tensors name."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DeviceError
from glassgrad.core.state import special
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.levels.level import level_below
from glassgrad.values.backend import is_array
from glassgrad.values.dtypes import float16
from glassgrad.values.layers import Layer, backend_below

from ._keys import key_of
from ._overlap import check_apart, check_memory
from ._writing import must_follow, write, write_prepared
from .indexing import parse
from .inplace import copy_, fill_
from .masking import fill_value
from .putting import check_values_dtype, put_at
from .shape import view
from .stretching import expand

__all__ = ["setitem"]


def setitem(input: Tensor, index: Any, value: Any) -> None:
    """`input[index] = value`.

    Args:
        input: tensor, written in place.
        index: what `input[index]` takes.
        value: a number, or a tensor that broadcasts to `input[index]`.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        DimError: if there is no such place.
        ShapeError: if `value` does not fit.
        DTypeError: if the dtype has no room for it.
        DeviceError: if a tensor of another device is to go to places that `index` names by tensors.

    Example:
        >>> x = tensor([1.0, 2.0, 3.0])
        >>> x[1:] = 0
        >>> x
        tensor([1., 0., 0.])
    """
    new = value.payload if isinstance(value, Tensor) else value
    if not (is_array(new) or isinstance(new, (bool, int, float, complex, np.generic))):
        raise ArgumentTypeError(
            f"can't assign a {type(value).__name__} to a tensor. "
            "Write `x[index] = glassgrad.tensor(values)`."
        )
    rounds = input.dtype is float16 and not isinstance(new, (complex, np.complexfloating))
    if not (is_array(new) or rounds):  # what is too large for a float16 is inf there
        new = value = fill_value("setitem", input, new)
    if index is False:
        return
    index = None if index is True else index
    if special and (below := level_below("setitem", input, value)):
        with below:
            setitem(input, index, value)
        return
    if isinstance(value, Tensor) and type(new) is not type(input.payload):
        value = _moved(value, input, index)
        new = value.payload
    if must_follow(input, value) or isinstance(input.payload, Layer):
        _record(input, index, value)
    elif index.__class__ is int and _is_plain(input.payload, index):
        write(input, "setitem", lambda array: array.__setitem__(index, new))
    else:
        target, dims, indices = parse(wrap(input.payload), index)
        key = key_of(indices, dims) if dims else ...
        if dims and isinstance(value, Tensor):
            check_values_dtype(target, indices, value)
        if is_array(new) and new.size > 1:
            check_memory(target, "setitem")
            check_apart(input, value, "setitem", target.payload)
        write(input, "setitem", lambda _: target.payload.__setitem__(key, new), may_overlap=True)


def _moved(value: Tensor, input: Tensor, index: Any) -> Tensor:
    """The value on the device of `input`; only what goes to places that tensors name stays."""
    if value.device == input.device:
        return value
    indices = index if isinstance(index, tuple) else (index,)
    if value.ndim and any(isinstance(each, (Tensor, np.ndarray, list)) for each in indices):
        raise DeviceError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{input.device} and {value.device}! Places that a tensor names take values of their "
            f"own device only. Write `x[index] = value.to({str(input.device)!r})`."
        )
    return value.to(input.device)


def _is_plain(array: Any, index: int) -> bool:
    """Whether there is such an element, and a place of its own for each part of it."""
    return array.ndim > 0 and -len(array) <= index < len(array) and 0 not in array.strides


def _record(input: Tensor, index: Any, value: Any) -> None:
    """Write to a view of the places that `index` names, or put the value at each of them."""
    target, dims, indices = parse(input, index)
    if not isinstance(value, Tensor):
        with np.errstate(over="ignore"):
            value = wrap(backend_below(target.payload).asarray(value, target.dtype))
    if dims:
        sizes = _without_leading_ones(value)
        value = value if sizes == value.shape else view(value, sizes)
        check_values_dtype(target, indices, value)
        write_prepared(put_at(target, dims, indices, value))
    elif value.shape == target.shape:
        copy_(target, value)
    elif value.ndim == 0:
        fill_(target, value)
    else:
        copy_(target, expand(view(value, _without_leading_ones(value)), target.shape))


def _without_leading_ones(value: Tensor) -> tuple[int, ...]:
    shape = value.shape
    return shape[next((dim for dim, n in enumerate(shape) if n != 1), len(shape)) :]
