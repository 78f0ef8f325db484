"""Rounding in place. Each returns `input` itself; what may go wrong is told at `add_`."""

from glassgrad.core.tensor import Tensor

from ._writing import in_place
from .rounding import Ceil, Floor, Frac, Round, RoundDecimals, Trunc

__all__ = ["ceil_", "floor_", "frac_", "round_", "trunc_"]


def floor_(input: Tensor) -> Tensor:
    """`floor`, in place.

    Example:
        >>> floor_(tensor([-1.5, 1.5]))
        tensor([-2.,  1.])
    """
    return in_place(Floor, input)


def ceil_(input: Tensor) -> Tensor:
    """`ceil`, in place.

    Example:
        >>> ceil_(tensor([-1.5, 1.5]))
        tensor([-1.,  2.])
    """
    return in_place(Ceil, input)


def trunc_(input: Tensor) -> Tensor:
    """`trunc`, in place.

    Example:
        >>> trunc_(tensor([-1.5, 1.5]))
        tensor([-1.,  1.])
    """
    return in_place(Trunc, input)


def frac_(input: Tensor) -> Tensor:
    """`frac`, in place.

    Example:
        >>> frac_(tensor([-1.5, 2.25]))
        tensor([-0.5000,  0.2500])
    """
    return in_place(Frac, input)


def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """`round`, in place.

    Example:
        >>> round_(tensor([0.5, 1.5, 2.6]))
        tensor([0., 2., 3.])
    """
    if decimals:
        return in_place(RoundDecimals, input, decimals=decimals)
    return in_place(Round, input)
