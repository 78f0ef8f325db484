"""Relatives of `exp` and `log`: near 0, to the bases 2 and 10, and of odds."""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor

from ._families import Elementwise
from ._out import written_to
from ._texts import scalar_name

__all__ = ["exp2", "expm1", "log1p", "log2", "log10", "logit"]

_LN_2, _LN_10 = math.log(2), math.log(10)


class Exp2(Elementwise):
    """y = 2ˣ        dy = y·ln 2·dx        x̄ = ȳ·y·ln 2"""

    node = "Exp2Backward0"
    latex = ("2^x", r"y \ln 2\,\dot x", r"\bar x = \bar y\,y \ln 2")
    saves = ("result",)
    floating = True

    @staticmethod
    def forward(x):
        return np.exp(x * _LN_2) if x.dtype.kind == "c" else np.exp2(x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y * _LN_2


def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`2 ** input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> exp2(tensor([0.0, 3.0]))
        tensor([1., 8.])

    See also: https://pytorch.org/docs/stable/generated/torch.exp2.html
    """
    if out is not None:
        return written_to(out, exp2, input)
    return Exp2.apply(input)


class Expm1(Elementwise):
    """y = eˣ − 1        dy = (y + 1)·dx        x̄ = ȳ·(y + 1)"""

    node = "Expm1Backward0"
    latex = ("e^x - 1", r"(y + 1)\,\dot x", r"\bar x = \bar y (y + 1)")
    saves = ("result",)
    floating = True
    ufunc = np.expm1

    @staticmethod
    def forward(x):
        return np.expm1(x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (y + 1)


def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`e ** input - 1`, element by element, with all digits where `input` is small.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> expm1(tensor([0.0, 1.0]))
        tensor([0.0000, 1.7183])

    See also: https://pytorch.org/docs/stable/generated/torch.expm1.html
    """
    if out is not None:
        return written_to(out, expm1, input)
    return Expm1.apply(input)


class Log1p(Elementwise):
    """y = ln(1 + x)        dy = dx/(1 + x)        x̄ = ȳ/(1 + x)"""

    node = "Log1PBackward0"
    latex = (r"\ln(1 + x)", r"\dot x / (1 + x)", r"\bar x = \bar y / (1 + x)")
    saves = ("self",)
    floating = True
    ufunc = np.log1p

    @staticmethod
    def forward(x):
        return np.log1p(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (x + 1)


def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm of `1 + input`, with all digits where `input` is small.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at -1, nan below.

    Example:
        >>> log1p(tensor([0.0, 1.0]))
        tensor([0.0000, 0.6931])

    See also: https://pytorch.org/docs/stable/generated/torch.log1p.html
    """
    if out is not None:
        return written_to(out, log1p, input)
    return Log1p.apply(input)


class Log2(Elementwise):
    """y = log₂ x        dy = dx/(x·ln 2)        x̄ = ȳ/(x·ln 2)"""

    node = "Log2Backward0"
    latex = (r"\log_2 x", r"\dot x / (x \ln 2)", r"\bar x = \bar y / (x \ln 2)")
    saves = ("self",)
    floating = True

    @staticmethod
    def forward(x):
        return np.log2(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (x * _LN_2)


def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 2, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log2(tensor([1.0, 8.0]))
        tensor([0., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.log2.html
    """
    if out is not None:
        return written_to(out, log2, input)
    return Log2.apply(input)


class Log10(Elementwise):
    """y = log₁₀ x        dy = dx/(x·ln 10)        x̄ = ȳ/(x·ln 10)"""

    node = "Log10Backward0"
    latex = (r"\log_{10} x", r"\dot x / (x \ln 10)", r"\bar x = \bar y / (x \ln 10)")
    saves = ("self",)
    floating = True

    @staticmethod
    def forward(x):
        return np.log10(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (x * _LN_10)


def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 10, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log10(tensor([1.0, 50.0]))
        tensor([0.0000, 1.6990])

    See also: https://pytorch.org/docs/stable/generated/torch.log10.html
    """
    if out is not None:
        return written_to(out, log10, input)
    return Log10.apply(input)


class Logit(Elementwise):
    """y = ln(p/(1 − p)), p = x clamped to [ε, 1 − ε]        dy = dx/(x·(1 − x)) where p = x        x̄ = ȳ/(x·(1 − x)) where p = x"""  # noqa: E501  # formulas

    node = "LogitBackward0"
    latex = (
        r"\ln \frac{p}{1 - p},\ p = \min(\max(x, \varepsilon), 1 - \varepsilon)",
        r"[p = x]\,\dot x / (x (1 - x))",
        r"\bar x = [p = x]\,\bar y / (x (1 - x))",
    )
    saves = ("self",)
    floating = True

    @staticmethod
    def forward(x, *, eps):
        if x.dtype.kind == "c":
            raise DTypeError(
                f"logit is not implemented for '{scalar_name(x.dtype)}'. Odds are those of a "
                "probability. Write `log(x / (1 - x))` for another number."
            )
        p = x if eps is None else np.minimum(np.maximum(x, eps), 1 - eps)
        return np.log(p / (1 - p))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        low, beyond = (0.0, math.nan) if ctx.eps is None else (ctx.eps, 0.0)
        slope = grad / ((x + 0) * (1 - x))  # -0 + 0 is 0: the slope is inf there, too
        return np.where(_outside(x, low), beyond, slope)


def _outside(x: Any, low: float) -> Any:
    return (x < low) | (x > 1 - low)


def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the odds `p / (1 - p)`, element by element: the inverse of `sigmoid`.

    Args:
        input: probabilities, of shape `S`; integers become the default dtype.
        eps: how near they may come to 0 and 1; those that are nearer are moved away. None: all
            are taken as they are.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; nan outside of [0, 1] without `eps`. Probabilities that were moved
        have gradient 0.

    Raises:
        DTypeError: for complex numbers.

    Example:
        >>> logit(tensor([0.5, 0.75]))
        tensor([0.0000, 1.0986])

    See also: https://pytorch.org/docs/stable/generated/torch.logit.html
    """
    if out is not None:
        return written_to(out, logit, input, eps)
    return Logit.apply(input, eps=eps)
