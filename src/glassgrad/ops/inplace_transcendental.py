"""Trigonometric and hyperbolic functions, exponentials and logarithms in place.

Each returns `input` itself; what may go wrong is told at `add_`. `sin_`, `exp_` and their like are
in `inplace_elementwise.py`.
"""

from glassgrad.core.tensor import Tensor

from ._writing import in_place
from .hyperbolic import Acosh, Asinh, Atanh, Cosh, Sinh
from .logarithms import Exp2, Expm1, Log1p, Log2, Log10, Logit
from .trigonometric import Acos, Asin, Atan, Atan2, Hypot, Tan

__all__ = [
    "acos_",
    "acosh_",
    "asin_",
    "asinh_",
    "atan2_",
    "atan_",
    "atanh_",
    "cosh_",
    "exp2_",
    "expm1_",
    "hypot_",
    "log1p_",
    "log2_",
    "log10_",
    "logit_",
    "sinh_",
    "tan_",
]


def tan_(input: Tensor) -> Tensor:
    """`tan`, in place.

    Example:
        >>> tan_(tensor([0.0, 1.0]))
        tensor([0.0000, 1.5574])
    """
    return in_place(Tan, input)


def asin_(input: Tensor) -> Tensor:
    """`asin`, in place.

    Example:
        >>> asin_(tensor([0.0, 1.0]))
        tensor([0.0000, 1.5708])
    """
    return in_place(Asin, input)


def acos_(input: Tensor) -> Tensor:
    """`acos`, in place.

    Example:
        >>> acos_(tensor([1.0, 0.0]))
        tensor([0.0000, 1.5708])
    """
    return in_place(Acos, input)


def atan_(input: Tensor) -> Tensor:
    """`atan`, in place.

    Example:
        >>> atan_(tensor([0.0, 1.0]))
        tensor([0.0000, 0.7854])
    """
    return in_place(Atan, input)


def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """`atan2`, in place.

    Example:
        >>> atan2_(tensor([1.0, 1.0]), tensor([1.0, -1.0]))
        tensor([0.7854, 2.3562])
    """
    return in_place(Atan2, input, other)


def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """`hypot`, in place.

    Example:
        >>> hypot_(tensor([3.0]), tensor([4.0]))
        tensor([5.])
    """
    return in_place(Hypot, input, other)


def sinh_(input: Tensor) -> Tensor:
    """`sinh`, in place.

    Example:
        >>> sinh_(tensor([0.0, 1.0]))
        tensor([0.0000, 1.1752])
    """
    return in_place(Sinh, input)


def cosh_(input: Tensor) -> Tensor:
    """`cosh`, in place.

    Example:
        >>> cosh_(tensor([0.0, 1.0]))
        tensor([1.0000, 1.5431])
    """
    return in_place(Cosh, input)


def asinh_(input: Tensor) -> Tensor:
    """`asinh`, in place.

    Example:
        >>> asinh_(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8814])
    """
    return in_place(Asinh, input)


def acosh_(input: Tensor) -> Tensor:
    """`acosh`, in place.

    Example:
        >>> acosh_(tensor([1.0, 2.0]))
        tensor([0.0000, 1.3170])
    """
    return in_place(Acosh, input)


def atanh_(input: Tensor) -> Tensor:
    """`atanh`, in place.

    Example:
        >>> atanh_(tensor([0.0, 0.5]))
        tensor([0.0000, 0.5493])
    """
    return in_place(Atanh, input)


def exp2_(input: Tensor) -> Tensor:
    """`exp2`, in place.

    Example:
        >>> exp2_(tensor([0.0, 3.0]))
        tensor([1., 8.])
    """
    return in_place(Exp2, input)


def expm1_(input: Tensor) -> Tensor:
    """`expm1`, in place.

    Example:
        >>> expm1_(tensor([0.0, 1.0]))
        tensor([0.0000, 1.7183])
    """
    return in_place(Expm1, input)


def log1p_(input: Tensor) -> Tensor:
    """`log1p`, in place.

    Example:
        >>> log1p_(tensor([0.0, 1.0]))
        tensor([0.0000, 0.6931])
    """
    return in_place(Log1p, input)


def log2_(input: Tensor) -> Tensor:
    """`log2`, in place.

    Example:
        >>> log2_(tensor([1.0, 8.0]))
        tensor([0., 3.])
    """
    return in_place(Log2, input)


def log10_(input: Tensor) -> Tensor:
    """`log10`, in place.

    Example:
        >>> log10_(tensor([1.0, 50.0]))
        tensor([0.0000, 1.6990])
    """
    return in_place(Log10, input)


def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """`logit`, in place.

    Example:
        >>> logit_(tensor([0.5, 0.75]))
        tensor([0.0000, 1.0986])
    """
    return in_place(Logit, input, eps=eps)
