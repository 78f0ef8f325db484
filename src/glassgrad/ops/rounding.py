"""Numbers without their fractions, and fractions: floor, ceil, round, trunc, frac.
The steps are flat: their gradient is 0. `frac` is what they leave, and has slope 1.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor

from ._arguments import scalar_name
from ._declaring import of_numpy, op
from ._families import Elementwise, Flat


class Floor(Flat):
    """y = ⌊x⌋        x̄ = 0"""

    @staticmethod
    def forward(x):
        return _stepped(np.floor, x, "floor")


@op(Floor, numpy=(np.floor,))
def floor(input: Tensor) -> Tensor:
    """The largest integer that is not larger, element by element.

    Args:
        input: real tensor of shape `S`, not bool.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> floor(tensor([-1.5, 1.5]))
        tensor([-2.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.floor.html
    """
    return Floor.apply(input)


class Ceil(Flat):
    """y = ⌈x⌉        x̄ = 0"""

    @staticmethod
    def forward(x):
        return _stepped(np.ceil, x, "ceil")


@op(Ceil, numpy=(np.ceil,))
def ceil(input: Tensor) -> Tensor:
    """The smallest integer that is not smaller, element by element.

    Args:
        input: real tensor of shape `S`, not bool.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> ceil(tensor([-1.5, 1.5]))
        tensor([-1.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.ceil.html
    """
    return Ceil.apply(input)


class Trunc(Flat):
    """y = sgn x·⌊|x|⌋        x̄ = 0"""

    @staticmethod
    def forward(x):
        return _stepped(np.trunc, x, "trunc")


@op(Trunc, aliases=("fix",), numpy=(np.trunc,))
def trunc(input: Tensor) -> Tensor:
    """The numbers without what is behind their point, element by element.

    Args:
        input: real tensor of shape `S`, not bool.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> trunc(tensor([-1.5, 1.5]))
        tensor([-1.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.trunc.html
    """
    return Trunc.apply(input)


class Round(Flat):
    """y = round x        x̄ = 0"""

    @staticmethod
    def forward(x):
        return _stepped(np.rint, x, "round")


class RoundDecimals(Flat):
    """y = round(10ᵏ·x)/10ᵏ,  k = decimals        x̄ = 0"""

    node = "RoundBackward1"

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


@op(RoundDecimals, Round, numpy=(np.rint,))
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest integer, element by element; halves go to the even one.

    Args:
        input: real tensor of shape `S`, not bool.
        decimals: how many digits to keep behind the point; below 0, how many to drop before it.

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
    return RoundDecimals.apply(input, decimals=decimals) if decimals else Round.apply(input)


@of_numpy(np.round)
def _numpy_round(a: Tensor, decimals: int = 0) -> Tensor:
    return round(a, decimals=decimals)


class Frac(Elementwise):
    """y = x − trunc x        x̄ = ȳ"""

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


@op(Frac)
def frac(input: Tensor) -> Tensor:
    """What is behind the point, with the sign of the number, element by element.

    Args:
        input: floating-point tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype. Its gradient is 1, also where it jumps.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> frac(tensor([-1.5, 2.25]))
        tensor([-0.5000,  0.2500])

    See also: https://pytorch.org/docs/stable/generated/torch.frac.html
    """
    return Frac.apply(input)


def _stepped(ufunc: Any, x: Any, name: str) -> Any:
    return ufunc(x) if _has_fractions(x, name) else np.copy(x)


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
