"""Ops that write into their first operand: `add_ sub_ mul_ div_ copy_ zero_ fill_`.

How that is recorded is told in `_writing.py`. An op `f` has its in-place form in one line,
`in_place(F, input, …)`; those here need more, or are what optimisers spend their time in.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.state import special
from glassgrad.core.tensor import Tensor
from glassgrad.levels.level import level_below
from glassgrad.values.layers import Layer, settled

from ._families import Elementwise, in_front
from ._overlap import check_apart
from ._writing import (
    as_it_is,
    in_place,
    must_follow,
    put,
    replace,
    update,
    write,
)
from .arithmetic import Add, Div, Mul, Operand, Sub
from .arithmetic import mul as _mul
from .masking import fill_value

__all__ = ["add_", "copy_", "div_", "fill_", "mul_", "sub_", "zero_"]


def add_(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`input += alpha·other`.

    Args:
        input: tensor of shape `S`, written in place.
        other: a tensor that broadcasts to `S`, or a number.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> add_(x, 1)
        tensor([2., 3.])
    """
    return update(Add, np.add, input, other if alpha == 1 else _mul(other, alpha))


def sub_(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`input -= alpha·other`; see `add_`.

    Example:
        >>> sub_(tensor([1.0, 2.0]), 1)
        tensor([0., 1.])
    """
    return update(Sub, np.subtract, input, other if alpha == 1 else _mul(other, alpha))


def mul_(input: Tensor, other: Operand) -> Tensor:
    """`input *= other`; see `add_`.

    Example:
        >>> mul_(tensor([1.0, 2.0]), 3)
        tensor([3., 6.])
    """
    return update(Mul, np.multiply, input, other)


def div_(input: Tensor, other: Operand) -> Tensor:
    """`input /= other`; see `add_`.

    Example:
        >>> div_(tensor([1.0, 2.0]), 4)
        tensor([0.2500, 0.5000])
    """
    return update(Div, np.divide, input, other)


class Copy(Elementwise):
    """z = y        dz = dy        x̄ = 0,  ȳ = z̄"""

    node = "CopyBackwards"
    latex = ("y", r"\dot y", r"\bar x = 0,\ \bar y = \bar z")
    promotes = None

    @staticmethod
    def forward(x, y):
        return np.zeros_like(x) + y

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), grad


def copy_(input: Tensor, src: Tensor) -> Tensor:
    """Overwrite `input` with the values of `src`, converted to its dtype and moved to its device.

    Args:
        input: tensor of shape `S`, written in place.
        src: a tensor that broadcasts to `S`. Its gradient is that of `input` from now on.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError, ShapeError: as `add_`.

    Example:
        >>> copy_(tensor([0.0, 0.0]), tensor([1, 2]))
        tensor([1., 2.])
    """
    if not isinstance(src, Tensor):
        raise ArgumentTypeError(
            f"copy_(): argument 'other' must be Tensor, not {type(src).__name__}. "
            "Write `x.fill_(number)` for a number."
        )
    if special and (below := level_below("copy", input, src)):
        with below:
            return copy_(input, src)
    src = settled(src)
    if src.device != input.device:
        src = src.to(input.device)
    check_apart(input, src, "copy")
    if not must_follow(input, src):
        return write(input, "copy", lambda _: put(input, src.payload), may_overlap=src is input)
    source = src if src.dtype is input.dtype else src.to(input.dtype)
    return replace(input, Copy.apply(as_it_is(Copy, input, src), source), "copy")


class Fill(Elementwise):
    """y = c        dy = 0        x̄ = 0"""

    node = "FillBackward2"
    latex = ("c", "0", r"\bar x = 0")

    @staticmethod
    def forward(x, *, value):
        return np.full_like(x, value)

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad)


class FillWith(Elementwise):
    """z = y, a number        dz = dy        x̄ = 0,  ȳ = Σ z̄"""

    node = "FillBackward3"
    latex = ("y", r"\dot y", r"\bar x = 0,\ \bar y = \textstyle\sum_i \bar z_i")
    promotes = None

    @staticmethod
    def forward(x, y):
        return np.full_like(x, y)

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), grad.sum()

    @staticmethod
    def jvp(ctx, tangent, of_number):
        return of_number

    @classmethod
    def vmap(cls, info, in_dims, x, y):
        """A number for each example is stretched over it, and then stands for itself alone."""
        if in_dims[1] is None:
            return cls.apply(x, y)
        shape = x.shape if in_dims[0] == 0 else (info.batch_size, *x.shape)
        return in_front(y, len(shape) - 1).expand(shape).to(x.dtype).clone()


class Zero(Elementwise):
    """y = 0        dy = 0        x̄ = 0"""

    node = "ZeroBackward0"
    latex = ("0", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.zeros_like(x)

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad)


def fill_(input: Tensor, value: Any) -> Tensor:
    """Overwrite `input` with one number.

    Args:
        input: tensor of any shape, written in place.
        value: a number, or a 0-d tensor.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if `value` is a tensor with dims.
        DTypeError: if the dtype has no room for `value`.
        ArgumentTypeError: if it is no number.

    Example:
        >>> fill_(tensor([1.0, 2.0]), 7)
        tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        if value.ndim:
            raise ShapeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value.ndim} dimensions. It writes one value everywhere. Write "
                "`x.copy_(values)`."
            )
        return in_place(FillWith, input, value, may_overlap=True)
    if special and (below := level_below("fill", input)):
        with below:
            return fill_(input, value)
    number = fill_value("fill", input, value)
    if not must_follow(input):
        return write(input, "fill", lambda _: _fill(input, number), may_overlap=True)
    return in_place(Fill, input, may_overlap=True, value=number)


def zero_(input: Tensor) -> Tensor:
    """Overwrite `input` with zeros; see `fill_`.

    Example:
        >>> zero_(tensor([1.0, 2.0]))
        tensor([0., 0.])
    """
    if special and (below := level_below("zero", input)):
        with below:
            return zero_(input)
    if must_follow(input):
        return in_place(Zero, input, may_overlap=True)
    return write(input, "zero", lambda _: _fill(input, 0), may_overlap=True)


def _fill(input: Tensor, number: Any) -> None:
    if isinstance(input.payload, Layer):
        input.payload.fill(input, number)
    else:
        input.payload.fill(number)
