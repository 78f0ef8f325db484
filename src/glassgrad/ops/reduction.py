"""Many elements become one: sums, means, log-sum-exp, any and all.

Dims are wrapped by the public functions: a rule gets `dim` as a tuple counted from the front.
"""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.ops._dims import names_none
from glassgrad.ops._families import Along, KeepsShape
from glassgrad.ops._reduce import (
    Dims,
    dim_or_axis,
    kept_or_keepdims,
    kept_shape,
    reduced,
    spread,
)
from glassgrad.ops._texts import scalar_name
from glassgrad.ops.conversion import to
from glassgrad.values.dtypes import DType, as_dtype, int64, uint8

from ._out import written_to

__all__ = ["all", "any", "logsumexp", "mean", "sum"]


class Sum(KeepsShape):
    """y = Σᵢ xᵢ        dy = Σᵢ dxᵢ        x̄ᵢ = ȳ"""

    node = "SumBackward0"
    latex = (r"\sum_i x_i", r"\sum_i \dot x_i", r"\bar x_i = \bar y")

    @staticmethod
    def forward(x, *, dtype):
        return x.sum(dtype=dtype)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad, ctx.shape)

    @classmethod
    def vmap(cls, info, in_dims, x, *, dtype):
        return SumDim.apply(x, dim=tuple(range(1, x.ndim)), keepdim=False, dtype=dtype)


class SumDim(KeepsShape):
    """y = Σᵢ xᵢ over dims        dy = Σᵢ dxᵢ        x̄ᵢ = ȳ"""

    node = "SumBackward1"
    axes = ("dim",)
    latex = (r"\sum_{i \in dim} x_i", r"\sum_{i \in dim} \dot x_i", r"\bar x_i = \bar y")

    @staticmethod
    def forward(x, *, dim, keepdim, dtype):
        return x.sum(axis=dim, keepdims=keepdim, dtype=dtype)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad.reshape(kept_shape(ctx.shape, ctx.dim)), ctx.shape)


def sum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Dims = None,
    keepdims: bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of all elements, or over some dims.

    Args:
        input: tensor of shape `S`.
        dim, axis: the dims to sum over; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        dtype: what to sum in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. The sum of no elements is 0.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> sum(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
        tensor([4., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.sum.html
    """
    if out is not None:
        return written_to(out, sum, input, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)
    dim = dim_or_axis(dim, axis)
    keepdim = kept_or_keepdims(keepdim, keepdims)
    wanted = _sum_dtype(input, dtype)
    if wanted is not None and not is_differentiable(wanted):
        input = input.detach() if input.requires_grad else input
    if dim is None and not keepdim:
        return Sum.apply(input, dtype=wanted)
    return SumDim.apply(input, dim=reduced(dim, input.ndim), keepdim=keepdim, dtype=wanted)


def _sum_dtype(input: Tensor, dtype: Any) -> DType | None:
    if dtype is not None:
        return as_dtype(dtype)
    return None if is_differentiable(input.payload.dtype) else int64


class Mean(KeepsShape):
    """y = (Σᵢ xᵢ)/n        dy = (Σᵢ dxᵢ)/n        x̄ᵢ = ȳ/n"""

    node = "MeanBackward0"
    latex = (
        r"\tfrac1n \sum_i x_i",
        r"\tfrac1n \sum_i \dot x_i",
        r"\bar x_i = \bar y / n",
    )

    @staticmethod
    def forward(x, *, dtype):
        return x.sum(dtype=dtype) / _count(x.shape)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad / _count(ctx.shape), ctx.shape)

    @classmethod
    def vmap(cls, info, in_dims, x, *, dtype):
        return MeanDim.apply(x, dim=tuple(range(1, x.ndim)), keepdim=False, dtype=dtype)


class MeanDim(KeepsShape):
    """y = (Σᵢ xᵢ)/n over dims        dy = (Σᵢ dxᵢ)/n        x̄ᵢ = ȳ/n"""

    node = "MeanBackward1"
    axes = ("dim",)
    latex = (
        r"\tfrac1n \sum_{i \in dim} x_i",
        r"\tfrac1n \sum_{i \in dim} \dot x_i",
        r"\bar x_i = \bar y / n",
    )

    @staticmethod
    def forward(x, *, dim, keepdim, dtype):
        return x.sum(axis=dim, keepdims=keepdim, dtype=dtype) / _count(x.shape, dim)

    @staticmethod
    def backward(ctx, grad):
        part = grad.reshape(kept_shape(ctx.shape, ctx.dim)) / _count(ctx.shape, ctx.dim)
        return spread(part, ctx.shape)


def _count(shape: tuple[int, ...], dims: tuple[int, ...] | None = None) -> float:
    """How many elements become one; nan for none, so that their mean is nan and warns nobody."""
    return math.prod(shape if dims is None else [shape[dim] for dim in dims]) or math.nan


def mean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: Dims = None,
    keepdims: bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of all elements, or over some dims.

    Args:
        input: floating-point tensor of shape `S`; others with `dtype` only.
        dim, axis: the dims to average over; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        dtype: what to compute in.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. The mean of no elements is nan.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers: their mean is no integer.

    Example:
        >>> mean(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
        tensor([1.5000, 3.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.mean.html
    """
    if out is not None:
        return written_to(out, mean, input, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)
    dim = dim_or_axis(dim, axis)
    keepdim = kept_or_keepdims(keepdim, keepdims)
    wanted = None if dtype is None else as_dtype(dtype)
    if not is_differentiable(wanted or input.payload.dtype):
        source, name = ("Input", input.dtype) if wanted is None else ("Optional", wanted)
        raise DTypeError(
            "mean(): could not infer output dtype. "
            f"{source} dtype must be either a floating point or complex dtype. "
            f"Got: {scalar_name(name)}. The mean of integers is no integer. "
            "Write `x.float().mean()`."
        )
    if dim is None and not keepdim:
        return Mean.apply(input, dtype=wanted)
    return MeanDim.apply(input, dim=reduced(dim, input.ndim), keepdim=keepdim, dtype=wanted)


class LogSumExp(Along):
    """y = ln Σᵢ eˣⁱ        dy = Σᵢ eˣⁱ⁻ʸ·dxᵢ        x̄ᵢ = ȳ·eˣⁱ⁻ʸ"""

    node = "LogsumexpBackward0"
    latex = (
        r"\ln \sum_i e^{x_i}",
        r"\sum_i e^{x_i - y}\,\dot x_i",
        r"\bar x_i = \bar y\,e^{x_i - y}",
    )
    saves = ("self", "result")
    floating = True
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, keepdim):
        top = np.max(x, axis=dim, keepdims=True, initial=-math.inf)
        top = np.where(np.isfinite(top), top, 0)  # ∞ − ∞ would be nan
        total = np.log(np.exp(x - top).sum(axis=dim, keepdims=keepdim))
        return total + top.reshape(total.shape)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        kept = kept_shape(x.shape, ctx.dim)
        return grad.reshape(kept) * np.exp(x - y.reshape(kept))

    @staticmethod
    def jvp(ctx, dx):
        x, y = ctx.saved_tensors
        shares = np.exp(x - y.reshape(kept_shape(x.shape, ctx.dim)))
        moved, whole = [
            part.sum(axis=ctx.dim, keepdims=ctx.keepdim) for part in (shares * dx, shares)
        ]
        return moved / whole  # by 1; but of no elements, or where all are −∞, it is nan


def logsumexp(
    input: Tensor,
    dim: Dims,
    keepdim: bool = False,
    *,
    keepdims: bool | None = None,
) -> Tensor:
    """`log(sum(exp(input)))` without overflow: the largest element is taken out first.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        dim: the dims to reduce; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.

    Returns:
        Tensor of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> logsumexp(tensor([1000.0, 1000.0]), dim=0)
        tensor(1000.6932)

    See also: https://pytorch.org/docs/stable/generated/torch.logsumexp.html
    """
    keep = kept_or_keepdims(keepdim, keepdims)
    return LogSumExp.apply(input, dim=reduced(dim, input.ndim), keepdim=keep)


class Some(Along):
    """y = ∃i: xᵢ ≠ 0        dy = 0        x̄ = 0"""

    latex = (r"\exists i: x_i \ne 0", "0", r"\bar x = 0")
    differentiable = False
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.any(x, axis=dim, keepdims=keepdim)


class All(Along):
    """y = ∀i: xᵢ ≠ 0        dy = 0        x̄ = 0"""

    latex = (r"\forall i: x_i \ne 0", "0", r"\bar x = 0")
    differentiable = False
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.all(x, axis=dim, keepdims=keepdim)


def any(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Whether any element is not 0, among all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); False where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> any(tensor([[0.0, 1.0], [0.0, 0.0]]), dim=1)
        tensor([ True, False])
    """
    return _answer(Some, input, dim_or_axis(dim, axis), kept_or_keepdims(keepdim, keepdims))


def all(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Whether all elements are not 0, of all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); True where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> all(tensor([[1.0, 1.0], [0.0, 1.0]]), dim=1)
        tensor([ True, False])
    """
    return _answer(All, input, dim_or_axis(dim, axis), kept_or_keepdims(keepdim, keepdims))


def _answer(op: type[Primitive], input: Tensor, dim: Dims, keepdim: Any) -> Tensor:
    """A bool, or uint8 for uint8; () means no dim here, as in PyTorch."""
    dims = () if names_none(dim) else reduced(dim, input.ndim)
    answer = op.apply(input, dim=dims, keepdim=keepdim)
    return to(answer, uint8) if input.dtype == uint8 else answer
