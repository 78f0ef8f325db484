"""Products of elements, and sums and products that run along a dim."""

from typing import Any

import numpy as np

from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.values.backend import in_rows
from glassgrad.values.dtypes import as_dtype, int64

from ._dims import wrap_dim
from ._families import Along, Linear, Reduction, rows_of, run
from ._out import written_to
from ._places import in_dim
from ._reduce import dim_or_axis, kept_or_keepdims, kept_shape, zeros_like
from .conversion import to
from .shape import reshape
from .turning import Flip

__all__ = ["cumprod", "cumsum", "prod"]


class Cumsum(Linear, Along):
    """yᵢ = Σ_{j ≤ i} xⱼ        dyᵢ = Σ_{j ≤ i} dxⱼ        x̄ⱼ = Σ_{i ≥ j} ȳᵢ"""

    node = "CumsumBackward0"
    latex = (
        r"\textstyle\sum_{j \le i} x_j",
        r"\textstyle\sum_{j \le i} \dot x_j",
        r"\bar x_j = \textstyle\sum_{i \ge j} \bar y_i",
    )
    promotes = None
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim):
        return in_rows(np.cumsum(x, axis=dim, dtype=x.dtype))

    @staticmethod
    def backward(ctx, grad):
        return _from_the_end(grad, ctx.dim)


def _from_the_end(x: Any, dim: int) -> Any:
    """For each place the sum of what is there and behind it."""
    return run(Flip, run(Cumsum, run(Flip, x, dims=(dim,)), dim=dim), dims=(dim,))


def cumsum(
    input: Tensor,
    dim: int | None = None,
    *,
    dtype: Any = None,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """For each place the sum of what is before it in a dim, and of the element itself.

    Args:
        input: tensor of shape `S`.
        dim, axis: along which dim.
        dtype: what to sum in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> cumsum(tensor([1, 2, 3]), 0)
        tensor([1, 3, 6])

    See also: https://pytorch.org/docs/stable/generated/torch.cumsum.html
    """
    if out is not None:
        return written_to(out, cumsum, input, dim, dtype=dtype, axis=axis)
    return _running(Cumsum, input, dim_or_axis(dim, axis), dtype)


class Cumprod(Along):
    """yᵢ = Π_{j ≤ i} xⱼ        dyᵢ = Σ_{j ≤ i} dxⱼ·Π_{k ≤ i, k ≠ j} xₖ        x̄ⱼ = Σ_{i ≥ j} ȳᵢ·Π_{k ≤ i, k ≠ j} xₖ"""  # noqa: E501  # formulas

    node = "CumprodBackward0"
    latex = (
        r"\textstyle\prod_{j \le i} x_j",
        r"\textstyle\sum_{j \le i} \dot x_j \prod_{k \le i,\, k \ne j} x_k",
        r"\bar x_j = \textstyle\sum_{i \ge j} \bar y_i \prod_{k \le i,\, k \ne j} x_k",
    )
    saves = ("self",)
    promotes = None
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim):
        return np.cumprod(x, axis=dim, dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad):
        """Without dividing, so that zeros are nothing special.

        x̄ⱼ = (Π_{k < j} xₖ)·sⱼ with sⱼ = Σ_{i ≥ j} ȳᵢ·Π_{j < k ≤ i} xₖ = ȳⱼ + xⱼ₊₁·sⱼ₊₁.
        """
        (x,) = ctx.saved_tensors
        dim, n = ctx.dim, x.shape[ctx.dim]
        if not n:
            return grad
        sums = [grad[_at(n - 1, dim)]]
        for j in reversed(range(n - 1)):
            sums.append(grad[_at(j, dim)] + x[_at(j + 1, dim)] * sums[-1])
        return _before(x, dim) * np.stack(sums[::-1], dim)

    @staticmethod
    def jvp(ctx, dx):
        """Likewise: yᵢ = yᵢ₋₁·xᵢ, so dyᵢ = dyᵢ₋₁·xᵢ + yᵢ₋₁·dxᵢ."""
        (x,) = ctx.saved_tensors
        dim, parts = ctx.dim, _before(x, ctx.dim) * dx
        if not x.shape[dim]:
            return dx
        tangents = [parts[_at(0, dim)]]
        for i in range(1, x.shape[dim]):
            tangents.append(tangents[-1] * x[_at(i, dim)] + parts[_at(i, dim)])
        return np.stack(tangents, dim)


def _at(index: int | slice, dim: int) -> tuple[Any, ...]:
    return (*in_dim(index, dim), ...)


def _before(x: Any, dim: int) -> Any:
    """For each place the product of all elements before it in a dim."""
    if not x.shape[dim]:
        return x
    first = zeros_like(x, kept_shape(x.shape, (dim,))) + 1
    return run(Cumprod, np.concatenate([first, x[_at(slice(0, -1), dim)]], dim), dim=dim)


def cumprod(
    input: Tensor,
    dim: int | None = None,
    *,
    dtype: Any = None,
    axis: int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """For each place the product of what is before it in a dim, and of the element itself.

    Args:
        input: tensor of shape `S`.
        dim, axis: along which dim.
        dtype: what to multiply in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> cumprod(tensor([1, 2, 3, 4]), 0)
        tensor([ 1,  2,  6, 24])

    See also: https://pytorch.org/docs/stable/generated/torch.cumprod.html
    """
    if out is not None:
        return written_to(out, cumprod, input, dim, dtype=dtype, axis=axis)
    return _running(Cumprod, input, dim_or_axis(dim, axis), dtype)


def _running(op: type[Primitive], input: Tensor, dim: int, dtype: Any) -> Tensor:
    at = wrap_dim(dim, input.ndim)
    source = _in_dtype(input, dtype)
    if source.ndim:
        return op.apply(source, dim=at)
    return reshape(op.apply(reshape(source, (1,)), dim=0), ())


def _in_dtype(input: Tensor, dtype: Any) -> Tensor:
    """`input` in the asked dtype; integers count in int64."""
    if dtype is not None:
        return to(input, as_dtype(dtype))
    return input if is_differentiable(input.dtype) else to(input, int64)


class Prod(Reduction):
    """y = Πᵢ xᵢ        dy = Σᵢ dxᵢ·Π_{j ≠ i} xⱼ        x̄ᵢ = ȳ·Π_{j ≠ i} xⱼ"""

    node = "ProdBackward0"
    latex = (
        r"\textstyle\prod_i x_i",
        r"\textstyle\sum_i \dot x_i \prod_{j \ne i} x_j",
        r"\bar x_i = \bar y \textstyle\prod_{j \ne i} x_j",
    )
    saves = ("self",)

    @staticmethod
    def forward(x):
        return np.prod(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * _others(x.reshape(-1), 0).reshape(x.shape)

    @classmethod
    def vmap(cls, info, in_dims, x):
        return ProdDim.apply(rows_of(x), dim=1, keepdim=False)


class ProdDim(Reduction):
    """y = Πᵢ xᵢ along a dim        dy = Σᵢ dxᵢ·Π_{j ≠ i} xⱼ        x̄ᵢ = ȳ·Π_{j ≠ i} xⱼ"""

    node = "ProdBackward1"
    latex = Prod.latex
    saves = ("self",)

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.prod(x, axis=dim, keepdims=keepdim)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad.reshape(kept_shape(x.shape, (ctx.dim,))) * _others(x, ctx.dim)


def _others(x: Any, dim: int) -> Any:
    """For each place the product of all others in a dim: those before times those behind it."""
    behind = run(Flip, _before(run(Flip, x, dims=(dim,)), dim), dims=(dim,))
    return _before(x, dim) * behind


def prod(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    axis: int | None = None,
    keepdims: bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product of all elements, or along one dim.

    Args:
        input: tensor of shape `S`.
        dim, axis: one dim; None for all.
        keepdim, keepdims: keep that dim, with size 1.
        dtype: what to multiply in. Default: that of `input`; integers and bools become int64.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` without `dim`. The product of no elements is 1.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> prod(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
        tensor([ 2., 12.])

    See also: https://pytorch.org/docs/stable/generated/torch.prod.html
    """
    if out is not None:
        return written_to(out, prod, input, dim, keepdim, dtype=dtype, axis=axis, keepdims=keepdims)
    source, wanted = _in_dtype(input, dtype), dim_or_axis(dim, axis)
    if wanted is None:
        return Prod.apply(source)
    at = wrap_dim(wanted, input.ndim)
    if not source.ndim:
        return reshape(ProdDim.apply(reshape(source, (1,)), dim=0, keepdim=False), ())
    return ProdDim.apply(source, dim=at, keepdim=kept_or_keepdims(keepdim, keepdims))
