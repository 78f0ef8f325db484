"""Comparisons in place: the answers are written as 0 and 1."""

from glassgrad.core.tensor import Tensor

from .arithmetic import Operand
from .comparison import eq, ge, gt, le, lt, ne
from .inplace import copy_

__all__ = ["eq_", "ge_", "gt_", "le_", "lt_", "ne_"]


def eq_(input: Tensor, other: Operand) -> Tensor:
    """`eq`, in place: 1 where the elements are the same, 0 elsewhere.

    Args:
        input: tensor of shape `S`, written in place.
        other: a tensor that broadcasts to `S`, or a number.

    Returns:
        `input` itself. It is constant: what it held before gets the gradient 0.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.

    Example:
        >>> eq_(tensor([1.0, 2.0]), 2.0)
        tensor([0., 1.])
    """
    return copy_(input, eq(input, other))


def ne_(input: Tensor, other: Operand) -> Tensor:
    """`ne`, in place; see `eq_`.

    Example:
        >>> ne_(tensor([1.0, 2.0]), 2.0)
        tensor([1., 0.])
    """
    return copy_(input, ne(input, other))


def lt_(input: Tensor, other: Operand) -> Tensor:
    """`lt`, in place; see `eq_`.

    Example:
        >>> lt_(tensor([1.0, 2.0]), 2.0)
        tensor([1., 0.])
    """
    return copy_(input, lt(input, other))


def le_(input: Tensor, other: Operand) -> Tensor:
    """`le`, in place; see `eq_`.

    Example:
        >>> le_(tensor([1.0, 2.0]), 2.0)
        tensor([1., 1.])
    """
    return copy_(input, le(input, other))


def gt_(input: Tensor, other: Operand) -> Tensor:
    """`gt`, in place; see `eq_`.

    Example:
        >>> gt_(tensor([1.0, 2.0]), 2.0)
        tensor([0., 0.])
    """
    return copy_(input, gt(input, other))


def ge_(input: Tensor, other: Operand) -> Tensor:
    """`ge`, in place; see `eq_`.

    Example:
        >>> ge_(tensor([1.0, 2.0]), 2.0)
        tensor([0., 1.])
    """
    return copy_(input, ge(input, other))
