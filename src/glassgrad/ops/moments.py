"""Variance or standard deviation, and the mean with it."""

import math
from typing import Any

import numpy as np

from glassgrad.core.tensor import Tensor

from ._declaring import function
from ._families import Along, run
from ._reduce import Dims, dim_or_axis, kept_shape, spread
from .reduction import MeanDim
from .statistics import Std, Var, checked_spread, var_slope, var_tangent


class VarMean(Along):
    """v, μ = Σᵢ (xᵢ − μ)²/(n − c), (Σᵢ xᵢ)/n        x̄ᵢ = 2·v̄·(xᵢ − μ)/(n − c) + μ̄/n"""

    node = "VarMeanBackward0"
    saves = ("self",)
    multiple = True
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        variance = run(Var, x, dim=dim, correction=correction, keepdim=keepdim)
        return variance, run(MeanDim, x, dim=dim, keepdim=keepdim, dtype=None)

    @staticmethod
    def backward(ctx, by_variance, by_mean):
        (x,) = ctx.saved_tensors
        return _both(x, ctx, by_variance, by_mean)

    @staticmethod
    def jvp(ctx, dx):
        return _both_moved(ctx, dx)


class StdMean(Along):
    """σ, μ = √(Σᵢ (xᵢ − μ)²/(n − c)), (Σᵢ xᵢ)/n        x̄ᵢ = σ̄·(xᵢ − μ)/(σ·(n − c)) + μ̄/n"""

    node = "StdMeanBackward0"
    saves = ("self",)
    multiple = True
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        sigma = run(Std, x, dim=dim, correction=correction, keepdim=keepdim)
        return sigma, run(MeanDim, x, dim=dim, keepdim=keepdim, dtype=None)

    @staticmethod
    def backward(ctx, by_sigma, by_mean):
        (x,) = ctx.saved_tensors
        if by_sigma is None:
            return _both(x, ctx, None, by_mean)
        sigma = run(Std, x, dim=ctx.dim, correction=ctx.correction, keepdim=ctx.keepdim)
        return _both(x, ctx, np.where(sigma == 0, 0, by_sigma / (2 * sigma)), by_mean)

    @staticmethod
    def jvp(ctx, dx):
        sigma, _ = ctx.result
        dv, moved_mean = _both_moved(ctx, dx)
        return np.where(sigma == 0, 0, dv / (2 * sigma)), moved_mean


def _both_moved(ctx: Any, dx: Any) -> tuple[Any, Any]:
    """The tangents of the variance and of the mean."""
    (x,) = ctx.saved_tensors
    dv = var_tangent(x, ctx, dx)
    return dv, run(MeanDim, dx, dim=ctx.dim, keepdim=ctx.keepdim, dtype=None)


def _both(x: Any, ctx: Any, by_variance: Any, by_mean: Any) -> Any:
    """The gradient of x from those of its variance and its mean, of which one may be missing."""
    kept = kept_shape(x.shape, ctx.dim)
    from_mean = from_variance = None
    if by_mean is not None:
        count = math.prod([x.shape[dim] for dim in ctx.dim]) or math.nan
        from_mean = spread(by_mean.reshape(kept) / count, x.shape)
    if by_variance is not None:
        from_variance = by_variance.reshape(kept) * var_slope(x, ctx)
    if from_mean is None or from_variance is None:
        return from_variance if from_mean is None else from_mean
    return from_variance + from_mean


@function()
def var_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean; see `var` for the arguments.

    Returns:
        Two tensors of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.

    Example:
        >>> var_mean(tensor([1.0, 2.0, 3.0]))
        (tensor(1.), tensor(2.))

    See also: https://pytorch.org/docs/stable/generated/torch.var_mean.html
    """
    dims = dim_or_axis(dim, axis)
    return checked_spread(VarMean, input, dims, correction, unbiased, keepdim, keepdims)


@function()
def std_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean; see `std` for the arguments.

    Returns:
        Two tensors of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers.

    Example:
        >>> std_mean(tensor([1.0, 3.0, 5.0]))
        (tensor(2.), tensor(3.))

    See also: https://pytorch.org/docs/stable/generated/torch.std_mean.html
    """
    dims = dim_or_axis(dim, axis)
    return checked_spread(StdMean, input, dims, correction, unbiased, keepdim, keepdims)
