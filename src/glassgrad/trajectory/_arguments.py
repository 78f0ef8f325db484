"""Checks that several functions of this package share: sizes, tensors, shapes that must fit."""

from itertools import zip_longest
from operator import index
from typing import Any

from glassgrad.base.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor

__all__ = ["check_broadcasts", "check_matrix", "check_shape", "check_tensor", "count"]


def count(name: str, value: Any, least: int) -> int:
    """`value` as an int that is at least `least`.

    Raises:
        ArgumentTypeError: if it is no integer.
        ArgumentError: if it is too small.
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
    return number


def check_tensor(name: str, value: Any) -> None:
    """Raise if an argument is no tensor.

    Raises:
        ArgumentTypeError: if it is none.
    """
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"{name} must be a tensor, got {type(value).__name__}. It has a shape, and gradients "
            "flow to it. Write `glassgrad.as_tensor(…)`."
        )


def check_shape(name: str, value: Tensor, expected: tuple[int, ...], why: str) -> None:
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
    pairs = zip_longest(reversed(value.shape), reversed(with_), fillvalue=1)
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        raise ArgumentError(
            f"{name} has shape {tuple(value.shape)}, which does not fit {with_}. It needs {why}. "
            f"Pass `{name}` of shape {with_}, or with 1 for what is the same throughout."
        )


def check_matrix(name: str, matrix: Tensor, samples: Tensor) -> None:
    """Raise if a matrix does not turn the samples `(B, H, D)` into as many: it must be `(H, H)`.

    Raises:
        ArgumentError: if it does not, or there are no samples.
        ArgumentTypeError: if one of them is no tensor.
    """
    check_tensor("the samples", samples)
    if samples.ndim < 2:
        raise ArgumentError(
            f"the samples have shape {tuple(samples.shape)}, expected (B, H, D). There is a row "
            "for each sample and a column for each joint. Write `act.reshape(B, H, D)`."
        )
    horizon = samples.shape[-2]
    why = f"a row and a column for each of {horizon} samples"
    check_shape(name, matrix, (horizon, horizon), why)
