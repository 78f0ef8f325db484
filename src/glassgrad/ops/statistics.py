"""Variance and standard deviation."""

import math
import re
import warnings
from numbers import Real
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DTypeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.ops._families import Along, run
from glassgrad.ops._reduce import Dims, dim_or_axis, kept_or_keepdims, kept_shape, reduced

__all__ = ["std", "var"]


class Var(Along):
    """v = Σᵢ(xᵢ − μ)²/(n − c)        dv = 2·Σᵢ(xᵢ − μ)·dxᵢ/(n − c)        x̄ᵢ = 2·v̄·(xᵢ − μ)/(n − c)"""  # noqa: E501  # formulas

    node = "VarBackward0"
    latex = (
        r"\tfrac{1}{n-c} \sum_i (x_i - \mu)^2",
        r"\tfrac{2}{n-c} \sum_i (x_i - \mu)\,\dot x_i",
        r"\bar x_i = \tfrac{2}{n-c}\,\bar v\,(x_i - \mu)",
    )
    saves = ("self",)
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        deviation = _deviation(x, dim)
        total = (deviation * deviation).sum(axis=dim, keepdims=keepdim)
        freedom = _freedom(x.shape, dim, correction)
        return total / freedom if freedom > 0 else _over_nothing(total)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad.reshape(kept_shape(x.shape, ctx.dim)) * var_slope(x, ctx)

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.saved_tensors
        return var_tangent(x, ctx, dx)


class Std(Along):
    """σ = √(Σᵢ(xᵢ − μ)²/(n − c))        dσ = dv/(2σ)        x̄ᵢ = σ̄·(xᵢ − μ)/(σ·(n − c))"""

    node = "StdBackward0"
    latex = (
        r"\sqrt{\tfrac{1}{n-c} \sum_i (x_i - \mu)^2}",
        r"\tfrac{1}{\sigma(n-c)} \sum_i (x_i - \mu)\,\dot x_i",
        r"\bar x_i = \tfrac{1}{\sigma(n-c)}\,\bar \sigma\,(x_i - \mu)",
    )
    saves = ("self", "result")
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        return np.sqrt(run(Var, x, dim=dim, correction=correction, keepdim=keepdim))

    @staticmethod
    def backward(ctx, grad):
        x, sigma = ctx.saved_tensors
        by_variance = np.where(sigma == 0, 0, grad / (2 * sigma))
        return by_variance.reshape(kept_shape(x.shape, ctx.dim)) * var_slope(x, ctx)

    @staticmethod
    def jvp(ctx, dx):
        x, sigma = ctx.saved_tensors
        return np.where(sigma == 0, 0, var_tangent(x, ctx, dx) / (2 * sigma))


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The variance of all elements, or over some dims.

    Args:
        input: floating-point tensor of shape `S`.
        dim, axis: the dims to reduce; None or () for all.
        unbiased: True is `correction=1`, False `correction=0`; it may come alone: `x.var(False)`.
        keepdim, keepdims: keep those dims, with size 1.
        correction: what is subtracted from the number of elements; 1, or None, is Bessel's.

    Returns:
        Tensor of shape `S` without `dim`; nan with a warning if nothing is left to divide by.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.
        ArgumentTypeError: if `correction` is no number.

    Example:
        >>> var(tensor([1.0, 2.0, 3.0]))
        tensor(1.)

    See also: https://pytorch.org/docs/stable/generated/torch.var.html
    """
    dims = dim_or_axis(dim, axis)
    return checked_spread(Var, input, dims, correction, unbiased, keepdim, keepdims)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The standard deviation: the square root of `var`, with the same arguments.

    Returns:
        Tensor of shape `S` without `dim`. Where it is 0, its subgradient 0 is used.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.

    Example:
        >>> std(tensor([1.0, 3.0, 5.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.std.html
    """
    dims = dim_or_axis(dim, axis)
    return checked_spread(Std, input, dims, correction, unbiased, keepdim, keepdims)


def checked_spread(
    op: type[Primitive],
    input: Tensor,
    dim: Dims,
    correction: float | None,
    unbiased: bool | None,
    keepdim: bool,
    keepdims: bool | None,
) -> Any:
    """Apply an op of this family to arguments as users give them."""
    name = re.sub(r"\B(?=[A-Z])", "_", op.__name__).lower()
    if input.dtype.kind == "c":
        raise DTypeError(
            f"{name}() is not implemented for {input.dtype}: its derivative here is that of real "
            "numbers. Write it with `x - x.mean()` and `abs()`."
        )
    if not is_differentiable(input.dtype):
        raise DTypeError(
            f"std and var only support floating point and complex dtypes, got {input.dtype}. "
            f"Integers have no fractional spread. Write `x.float().{name}()`."
        )
    if isinstance(dim, bool):  # the only argument, of a form without dims
        dim, unbiased = None, dim
    lost = _lost(name, correction, unbiased)
    dims = reduced(dim, input.ndim)
    if _freedom(input.shape, dims, lost) <= 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=3,
        )
    keep = kept_or_keepdims(keepdim, keepdims)
    return op.apply(input, dim=dims, correction=lost, keepdim=keep)


def _lost(name: str, correction: Any, unbiased: bool | None) -> float:
    """What is subtracted from the number of elements, as users say it."""
    if unbiased is not None:
        if not isinstance(unbiased, bool):
            raise ArgumentTypeError(
                f"{name}(): argument 'unbiased' must be bool, not {type(unbiased).__name__}. It "
                "chooses between n - 1 and n. Write `correction=…` for another number."
            )
        return int(unbiased)
    if correction is None:
        return 1
    if isinstance(correction, Tensor) and not correction.ndim and not correction.requires_grad:
        correction = correction.item()
    if not isinstance(correction, Real):
        raise ArgumentTypeError(
            f"{name}(): argument 'correction' must be Number, not {type(correction).__name__}. It "
            "is subtracted from the number of elements. Write `correction=1`."
        )
    number: float = correction  # type: ignore[assignment]  # what is a Real computes as one
    return number


# What both share --------------------------------------------------------------------------------


def _deviation(x: Any, dim: tuple[int, ...]) -> Any:
    return x - x.sum(axis=dim, keepdims=True) / (math.prod([x.shape[d] for d in dim]) or math.nan)


def _freedom(shape: tuple[int, ...], dim: tuple[int, ...], correction: float) -> float:
    return math.prod([shape[d] for d in dim]) - correction


def var_slope(x: Any, ctx: Any) -> Any:
    """∂v/∂xᵢ; without a degree of freedom the variance is 0·∞, and so is its slope."""
    freedom = _freedom(x.shape, ctx.dim, ctx.correction)
    deviation = _deviation(x, ctx.dim)
    return deviation * (2 / freedom) if freedom > 0 else _over_nothing(np.abs(deviation))


def var_tangent(x: Any, ctx: Any, dx: Any) -> Any:
    """The tangent of the variance: dv = Σᵢ ∂v/∂xᵢ·dxᵢ."""
    return (var_slope(x, ctx) * dx).sum(axis=ctx.dim, keepdims=ctx.keepdim)


def _over_nothing(x: Any) -> Any:
    """x/0 for x ≥ 0, without NumPy's warning: nan where x is 0, else inf."""
    return np.where(x == 0, x + math.nan, x + math.inf)
