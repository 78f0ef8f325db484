"""Overwriting a tensor: `copy_`, `fill_` and `zero_`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.primitive import constant
from glassgrad.core.state import special
from glassgrad.core.tensor import Tensor
from glassgrad.levels.level import level_below
from glassgrad.values.dtypes import Number
from glassgrad.values.layers import Layer, settled

from ._arguments import check_number, check_type
from ._declaring import function, method, op
from ._families import Elementwise, Flat, in_front, seen
from ._writing import as_it_is, check_apart, in_place, must_follow, put, replace, write
from .conversion import Clone, to


class Copy(Elementwise):
    """z = y        x̄ = 0,  ȳ = z̄"""

    node = "CopyBackwards"
    promotes = None

    @staticmethod
    def forward(x, y):
        return np.zeros_like(x) + y

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), grad


@method()
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
    why = "Write `x.fill_(number)` for a number."
    check_type("copy_(): argument 'other' must be Tensor", src, Tensor, why)
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
    before = as_it_is("copy", input, src, copies=False)
    return replace(input, Copy.apply(before, source), "copy")


class Fill(Flat):
    """y = c,  c = value        x̄ = 0"""

    node = "FillBackward2"

    @staticmethod
    def forward(x, *, value):
        return np.full_like(x, value)


class FillWith(Elementwise):
    """z = y        x̄ = 0,  ȳ = z̄"""

    node = "FillBackward3"
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


class Zero(Flat):
    """y = 0        x̄ = 0"""

    @staticmethod
    def forward(x):
        return np.zeros_like(x)


@op()
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
        return in_place(
            "fill", input, lambda x: FillWith.apply(x, value), [value], may_overlap=True
        )
    number = fill_value("fill", input, value)
    return _filled("fill", input, number, lambda x: Fill.apply(x, value=number))


def fill_value(name: str, input: Tensor, value: Number | Tensor) -> Any:
    """What to fill `input` with: a 0-d tensor or a number, of its dtype.

    Raises:
        ShapeError: for a tensor with dims.
        DTypeError: for a number that the dtype has no room for, as far as it can be seen.
        ArgumentTypeError: for anything else.
    """
    if isinstance(value, Tensor):
        if value.ndim:
            raise ShapeError(
                f"{name}_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value.ndim} dimension(s). One value fills all places. Write "
                "`where(mask, values, x)` for several."
            )
        array = seen(value)
        if array is not None and array.dtype != input.dtype:
            number = array.item()
            check_number(input.dtype, number if number.imag else number.real)
        return value if value.dtype is input.dtype else to(value, input.dtype)
    why = "It fills elements of a tensor. Write a number or a 0-d tensor."
    kinds = (bool, int, float, complex, np.generic)
    check_type(f"{name}(): argument 'value' must be Number", value, kinds, why)
    check_number(input.dtype, value)
    number = value.item() if isinstance(value, np.generic) else value
    return constant(number, input.dtype).item()


@function()
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like `input`, with one value everywhere; see `fill_`.

    Example:
        >>> fill(tensor([1.0, 2.0]), 3)
        tensor([3., 3.])
    """
    return fill_(Clone.apply(input), value)


@op()
def zero_(input: Tensor) -> Tensor:
    """Overwrite `input` with zeros; see `fill_`.

    Example:
        >>> zero_(tensor([1.0, 2.0]))
        tensor([0., 0.])
    """
    return _filled("zero", input, 0, Zero.apply)


def _filled(name: str, input: Tensor, number: Any, call: Callable[[Tensor], Tensor]) -> Tensor:
    """`input` with one number everywhere: if nobody follows, without `call` and its copy."""
    if special or isinstance(input.payload, Layer) or must_follow(input):
        return in_place(name, input, call, may_overlap=True)
    return write(input, name, lambda array: array.fill(number), may_overlap=True)
