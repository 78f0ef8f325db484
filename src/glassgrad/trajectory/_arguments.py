"""Checks that several functions of this package share: sizes, tensors, shapes that must fit."""

import math
import sys
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DeviceError,
    DTypeError,
    GlassgradError,
)
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import repeats


def count(name: str, value: Any, least: int) -> int:
    """`value` as an int that is at least `least`.

    Raises:
        ArgumentTypeError: if it is no integer.
        ArgumentError: if it is too small, or no matrix can have as many rows and columns.
    """
    try:
        number = index(value)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{name} must be an int, got {value!r} of type {type(value).__name__}. It counts rows "
            f"or columns of a matrix. Write a whole number: `{name}={max(least, 4)}`."
        ) from error
    if number < least:
        raise ArgumentError(
            f"{name} must be at least {least}, got {number}. It counts rows or columns of a "
            f"matrix, which cannot be fewer. Write `{name}={least}` or more."
        )
    if number > _MOST:
        raise ArgumentError(
            f"{name} must be at most {_MOST}, got {number}. It counts rows or columns of a matrix, "
            "and no memory has an address for each of its numbers. Write a smaller one."
        )
    return number


_MOST = math.isqrt(sys.maxsize // 8)
"""The rows of the largest square matrix of float64 whose bytes can be counted."""


def check_tensor(name: str, value: Any) -> None:
    """Raise if an argument is no tensor.

    Raises:
        ArgumentTypeError: if it is none.
    """
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"{name} must be a tensor, got {type(value).__name__}. It is computed with as it "
            "is. Write `glassgrad.as_tensor(…)`."
        )


def check_shape(name: str, value: Tensor, expected: Shape, why: str) -> None:
    """Raise if a tensor has not the shape that the others ask for.

    Args:
        name: the argument's name.
        value: the tensor.
        expected: its shape.
        why: where these sizes come from.

    Raises:
        ArgumentError: if the shape is another.
        ArgumentTypeError: if it is no tensor.
    """
    check_tensor(name, value)
    if tuple(value.shape) != expected:
        raise ArgumentError(
            f"{name} has shape {tuple(value.shape)}, expected {expected}. It needs {why}. "
            f"Pass `{name}` of shape {expected}."
        )


def check_broadcasts(name: str, value: Tensor, with_: tuple[int, ...], why: str) -> None:
    """Raise if a tensor's shape does not broadcast with another's.

    Args:
        name: the argument's name.
        value: the tensor.
        with_: the other shape.
        why: what the tensor needs.

    Raises:
        ArgumentError: if two sizes differ and neither is 1.
        ArgumentTypeError: if it is no tensor.
    """
    check_tensor(name, value)
    try:
        np.broadcast_shapes(tuple(value.shape), with_)
    except ValueError as error:
        raise ArgumentError(
            f"{name} has shape {tuple(value.shape)}, which does not fit {with_}. It needs {why}. "
            f"Pass `{name}` of shape {with_}, or with 1 for what is the same throughout."
        ) from error


def check_device(
    name: str,
    value: Tensor,
    other: str,
    like: Tensor,
    error: type[GlassgradError] = DeviceError,
) -> None:
    """Raise if a tensor is not where another is.

    Args:
        name: the argument's name.
        value: the tensor.
        other, like: the other's name, and itself.

        error: what to raise.

    Raises:
        DeviceError: if they are on two devices.
    """
    if value.device != like.device:
        raise error(
            f"{name} is on {value.device}, but {other} is on {like.device}. A step is computed "
            f"where its actions are. Write `{name}.to('{like.device}')`."
        )


def check_memory(name: str, array: Any, others: Sequence[tuple[str, Any]]) -> None:
    """Raise if an array cannot be overwritten as it is, apart from others.

    Args:
        name: of whom it is.
        array: what is to be written.
        others: names and arrays of what is read or written besides.

    Raises:
        ArgumentTypeError: if it is read-only.
        ArgumentError: if elements share their memory, with each other or with another's.
    """
    if not _is_writable(array):
        raise ArgumentTypeError(
            f"{name} is read-only: the step writes its results there. Write `{name}.clone()`."
        )
    if array.base is not None and repeats(array.shape, array.strides):
        raise ArgumentError(
            f"{name} has elements that share their memory, as those of an expanded tensor do, and "
            "cannot be overwritten: each of them has a result of its own. Write "
            f"`{name}.contiguous()`."
        )
    for other, memory in others:
        if may_meet(array, memory) and np.shares_memory(array, memory):
            raise ArgumentError(
                f"{name} shares memory with {other}: what is written to the one would overwrite "
                f"the other. Write `{name}.clone()`."
            )


def are_free(written: Sequence[Any], read: Sequence[Any]) -> bool:
    """Whether it takes no closer look to know that arrays can be overwritten, and harm no other.

    So it is if each owns its memory, and what is read lies in another array's.
    """
    mine = {id(array) for array in written if array.base is None and _is_writable(array)}
    for array in read:
        base = getattr(array, "base", array)
        owner = array if base is None else base
        if id(owner) in mine or getattr(owner, "base", owner) is not None:
            return False
    return len(mine) == len(written)


def _is_writable(array: Any) -> bool:
    return getattr(getattr(array, "flags", None), "writeable", True)


def may_meet(x: Any, y: Any) -> bool:
    """Whether two arrays may share memory: never if both own theirs."""
    if x.base is None and y.base is None:
        return x is y
    return type(x) is type(y) and bool(np.may_share_memory(x, y))


def check_samples(name: str, samples: Any) -> None:
    """Raise if an argument holds no samples `(B, H, D)`.

    Raises:
        ArgumentError: if it has too few dims, or an H of 0.
        ArgumentTypeError: if it is no tensor.
    """
    check_tensor(name, samples)
    if samples.ndim < 2:
        raise ArgumentError(
            f"{name} has shape {tuple(samples.shape)}, expected (B, H, D). There is a row for each "
            f"sample and a column for each joint. Write `{name}.reshape(B, H, D)`."
        )
    if not samples.shape[-2]:
        raise ArgumentError(
            f"{name} has shape {tuple(samples.shape)}, of a horizon without samples. The start is "
            "the first of them. Write `glassgrad.zeros(B, H, D)` with an H of 1 or more."
        )


def check_matrix(name: str, matrix: Tensor, samples: Tensor, of: str = "act") -> None:
    """Raise if a matrix does not turn the samples `(B, H, D)` into as many: it must be `(H, H)`.

    Args:
        name: the matrix's name.
        matrix: the matrix.
        samples: what it is to multiply.
        of: their name.

    Raises:
        ArgumentError: if it does not, or there are no samples.
        ArgumentTypeError: if one of them is no tensor.
        DeviceError: if they are on two devices.
    """
    check_samples(of, samples)
    horizon = samples.shape[-2]
    why = f"a row and a column for each of {horizon} samples"
    check_shape(name, matrix, (horizon, horizon), why)
    check_device(name, matrix, of, samples)


def product(name: str, matrix: Tensor, samples: Tensor, of: str = "act") -> Tensor:
    """`matrix @ samples`, for samples that were computed from `act`, or what is named instead.

    Raises:
        DTypeError: if they have two dtypes.
    """
    if matrix.dtype != samples.dtype:
        raise DTypeError(
            f"expected both tensors to have same dtype, but {name} is {matrix.dtype}, and what it "
            f"multiplies, computed from {of}, is {samples.dtype}. A product is computed in one "
            "precision. Write `x.to(dtype)`, with one dtype for actions, start and matrices."
        )
    found: Tensor = matrix @ samples
    return found
