"""Numbers without their fractions, and fractions: floor, ceil, round, trunc, frac.

The steps are flat: their gradient is 0. `frac` is what they leave, and has slope 1.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor

from ._families import Elementwise
from ._out import written_to
from ._texts import scalar_name

__all__ = ["ceil", "fix", "floor", "frac", "round", "trunc"]


class _Steps(Elementwise):
    """What the four ways to round share: a slope of 0."""

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad)


class Floor(_Steps):
    """y = ⌊x⌋        dy = 0        x̄ = 0"""

    node = "FloorBackward0"
    latex = (r"\lfloor x \rfloor", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.floor(x) if _has_fractions(x, "floor") else np.copy(x)


def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer that is not larger, element by element.

    Args:
        input: real tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> floor(tensor([-1.5, 1.5]))
        tensor([-2.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.floor.html
    """
    if out is not None:
        return written_to(out, floor, input)
    return Floor.apply(input)


class Ceil(_Steps):
    """y = ⌈x⌉        dy = 0        x̄ = 0"""

    node = "CeilBackward0"
    latex = (r"\lceil x \rceil", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.ceil(x) if _has_fractions(x, "ceil") else np.copy(x)


def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer that is not smaller, element by element.

    Args:
        input: real tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> ceil(tensor([-1.5, 1.5]))
        tensor([-1.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.ceil.html
    """
    if out is not None:
        return written_to(out, ceil, input)
    return Ceil.apply(input)


class Trunc(_Steps):
    """y = x without its fraction        dy = 0        x̄ = 0"""

    node = "TruncBackward0"
    latex = (r"\operatorname{sgn}(x) \lfloor |x| \rfloor", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.trunc(x) if _has_fractions(x, "trunc") else np.copy(x)


def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The numbers without what is behind their point, element by element.

    Args:
        input: real tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> trunc(tensor([-1.5, 1.5]))
        tensor([-1.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.trunc.html
    """
    if out is not None:
        return written_to(out, trunc, input)
    return Trunc.apply(input)


fix = trunc


class Round(_Steps):
    """y = the integer next to x        dy = 0        x̄ = 0"""

    node = "RoundBackward0"
    latex = (r"\lfloor x \rceil", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.rint(x) if _has_fractions(x, "round") else np.copy(x)


class RoundDecimals(_Steps):
    """y = x to k decimals        dy = 0        x̄ = 0"""

    node = "RoundBackward1"
    latex = (r"10^{-k} \lfloor 10^k x \rceil", "0", r"\bar x = 0")

    @staticmethod
    def forward(x, *, decimals):
        if not _has_fractions(x, "round"):
            raise DTypeError(
                f"round(decimals={decimals}) is not implemented for '{scalar_name(x.dtype)}': "
                "integers have no decimals. Leave `decimals` out, or write `x.float()`."
            )
        if decimals < 0:
            return np.rint(x / 10**-decimals) * 10**-decimals
        return np.rint(x * 10**decimals) / 10**decimals


def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest integer, element by element; halves go to the even one.

    Args:
        input: real tensor of shape `S`, not bool.
        decimals: how many digits to keep behind the point; below 0, how many to drop before it.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers; for integers if there are `decimals`.

    Example:
        >>> round(tensor([0.5, 1.5, 2.6]))
        tensor([0., 2., 3.])
        >>> round(tensor([3.14159]), decimals=2)
        tensor([3.1400])

    See also: https://pytorch.org/docs/stable/generated/torch.round.html
    """
    if out is not None:
        return written_to(out, round, input, decimals=decimals)
    return RoundDecimals.apply(input, decimals=decimals) if decimals else Round.apply(input)


class Frac(Elementwise):
    """y = x − trunc x        dy = dx        x̄ = ȳ"""

    node = "FracBackward0"
    latex = (r"x - \operatorname{trunc} x", r"\dot x", r"\bar x = \bar y")

    @staticmethod
    def forward(x):
        if not _has_fractions(x, "frac"):
            raise DTypeError(
                f"frac is not implemented for '{scalar_name(x.dtype)}': integers have no "
                "fractions. Write `zeros_like(x)` if that is meant."
            )
        return x - np.trunc(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What is behind the point, with the sign of the number, element by element.

    Args:
        input: floating-point tensor of shape `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype. Its gradient is 1, also where it jumps.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> frac(tensor([-1.5, 2.25]))
        tensor([-0.5000,  0.2500])

    See also: https://pytorch.org/docs/stable/generated/torch.frac.html
    """
    if out is not None:
        return written_to(out, frac, input)
    return Frac.apply(input)


def _has_fractions(x: Any, name: str) -> bool:
    """Whether there is something to round: integers are what they are.

    Raises:
        DTypeError: for bools and complex numbers.
    """
    if x.dtype.kind in "bc":
        raise DTypeError(
            f"{name} is not implemented for '{scalar_name(x.dtype)}'. Real numbers lie between "
            "two integers, and no others do. Write `x.float()`, or round both parts by themselves."
        )
    return bool(x.dtype.kind == "f")
