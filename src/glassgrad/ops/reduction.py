"""Many elements become one: sums, means, products, log-sum-exp, any and all; running sums, too.

Dims are wrapped by the public functions: a rule gets `dim` as a tuple counted from the front.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.values.backend import in_rows
from glassgrad.values.dtypes import as_dtype, int64, uint8

from ._arguments import Dims, names_none, reduced, scalar_name, wrap_dim
from ._declaring import of_numpy, op
from ._families import (
    Along,
    KeepsShape,
    Moved,
    Reduction,
    kept_shape,
    over_dims,
    rows_of,
    run,
    spread,
    zeros_like,
)
from ._places import apply_along, in_dim
from .conversion import to
from .transposing import Flip


class SumDim(KeepsShape):
    """y = Σᵢ xᵢ        x̄ᵢ = ȳ"""

    node = "SumBackward1"
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, keepdim, dtype):
        return x.sum(axis=dim, keepdims=keepdim, dtype=dtype)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad.reshape(kept_shape(ctx.shape, ctx.dim)), ctx.shape)


class Sum(KeepsShape):
    """y = Σᵢ xᵢ        x̄ᵢ = ȳ"""

    @staticmethod
    def forward(x, *, dtype):
        return x.sum(dtype=dtype)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad, ctx.shape)

    @classmethod
    def vmap(cls, info, in_dims, x, *, dtype):
        return SumDim.apply(x, dim=tuple(range(1, x.ndim)), keepdim=False, dtype=dtype)


@op(SumDim, Sum, out=True, axis=True)
def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or over some dims.

    Args:
        input: tensor of shape `S`.
        dim, axis: the dims to sum over; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        dtype: what to sum in. Default: that of `input`; integers and bools become int64.

    Returns:
        Tensor of shape `S` without `dim`. The sum of no elements is 0.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> sum(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
        tensor([4., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.sum.html
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if wanted is None and not is_differentiable(input.payload.dtype):
        wanted = int64
    if wanted is not None and not is_differentiable(wanted):
        input = input.detach() if input.requires_grad else input
    if dim is None and not keepdim:
        return Sum.apply(input, dtype=wanted)
    return SumDim.apply(input, dim=reduced(dim, input.ndim), keepdim=keepdim, dtype=wanted)


class MeanDim(KeepsShape):
    """y = (Σᵢ xᵢ)/n        x̄ᵢ = ȳ/n"""

    node = "MeanBackward1"
    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim, keepdim, dtype):
        total = x.sum(axis=dim, keepdims=keepdim, dtype=dtype)
        return total / (count_of(x.shape, dim) or math.nan)

    @staticmethod
    def backward(ctx, grad):
        return spread_mean(grad, ctx.shape, ctx.dim)


class Mean(KeepsShape):
    """y = (Σᵢ xᵢ)/n        x̄ᵢ = ȳ/n"""

    @staticmethod
    def forward(x, *, dtype):
        return x.sum(dtype=dtype) / (math.prod(x.shape) or math.nan)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad / (math.prod(ctx.shape) or math.nan), ctx.shape)

    @classmethod
    def vmap(cls, info, in_dims, x, *, dtype):
        return MeanDim.apply(x, dim=tuple(range(1, x.ndim)), keepdim=False, dtype=dtype)


def spread_mean(grad: Any, shape: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    """The gradient of what has that shape from that of its mean over some dims."""
    count = count_of(shape, dims) or math.nan  # the mean of nothing is nan, and warns nobody
    return spread(grad.reshape(kept_shape(shape, dims)) / count, shape)


def count_of(shape: tuple[int, ...], dims: tuple[int, ...]) -> int:
    """How many elements become one."""
    return math.prod([shape[dim] for dim in dims])


@op(MeanDim, Mean, out=True, axis=True)
def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or over some dims.

    Args:
        input: floating-point tensor of shape `S`; others with `dtype` only.
        dim, axis: the dims to average over; None or () for all.
        keepdim, keepdims: keep those dims, with size 1.
        dtype: what to compute in.

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
    """y = ln Σᵢ exp xᵢ        x̄ᵢ = ȳ·exp(xᵢ − y)"""

    node = "LogsumexpBackward0"
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


@op(LogSumExp, axis=True)
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
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
    return LogSumExp.apply(input, dim=reduced(dim, input.ndim), keepdim=keepdim)


class Some(Along):
    """y = ∃ᵢ (xᵢ ≠ 0)"""

    differentiable = False
    axes = ("dim",)

    forward = staticmethod(over_dims(np.any))


class All(Along):
    """y = ∀ᵢ (xᵢ ≠ 0)"""

    differentiable = False
    axes = ("dim",)

    forward = staticmethod(over_dims(np.all))


@op(Some, axis=True)
def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is not 0, among all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); False where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> any(tensor([[0.0, 1.0], [0.0, 0.0]]), dim=1)
        tensor([ True, False])
    """
    return _answer(Some, input, dim, keepdim)


@op(All, axis=True)
def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are not 0, of all or over some dims.

    Returns:
        bool tensor (uint8 for uint8); True where there are no elements.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> all(tensor([[1.0, 1.0], [0.0, 1.0]]), dim=1)
        tensor([ True, False])
    """
    return _answer(All, input, dim, keepdim)


def _answer(op: type[Primitive], input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """A bool, or uint8 for uint8; () means no dim here, as in PyTorch."""
    wanted = () if names_none(dim) else reduced(dim, input.ndim)
    answer = op.apply(input, dim=wanted, keepdim=keepdim)
    return to(answer, uint8) if input.dtype == uint8 else answer


class Cumsum(Moved):
    """yᵢ = Σ_{j ≤ i} xⱼ        x̄ⱼ = Σ_{i ≥ j} ȳᵢ"""

    axes = ("dim",)

    @staticmethod
    def forward(x, *, dim):
        return in_rows(np.cumsum(x, axis=dim, dtype=x.dtype))

    @staticmethod
    def backward(ctx, grad):
        sums = run(Cumsum, run(Flip, grad, dims=(ctx.dim,)), dim=ctx.dim)  # from the end
        return run(Flip, sums, dims=(ctx.dim,))


@op(Cumsum, out=True, axis=True)
def cumsum(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """For each place the sum of what is before it in a dim, and of the element itself.

    Args:
        input: tensor of shape `S`.
        dim, axis: along which dim.
        dtype: what to sum in. Default: that of `input`; integers and bools become int64.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> cumsum(tensor([1, 2, 3]), 0)
        tensor([1, 3, 6])

    See also: https://pytorch.org/docs/stable/generated/torch.cumsum.html
    """
    return _running(Cumsum, input, dim, dtype)


class Cumprod(Along):
    """yᵢ = Π_{j ≤ i} xⱼ
    dyᵢ = Σ_{j ≤ i} dxⱼ·Π_{k ≤ i, k ≠ j} xₖ
    x̄ⱼ = Σ_{i ≥ j} ȳᵢ·Π_{k ≤ i, k ≠ j} xₖ
    """

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
        if not x.shape[ctx.dim]:
            return grad
        sums = _chained(_parts(grad, ctx.dim)[::-1], _parts(x, ctx.dim)[:0:-1])
        return _before(x, ctx.dim) * np.stack(sums[::-1], ctx.dim)

    @staticmethod
    def jvp(ctx, dx):
        """Likewise: yᵢ = yᵢ₋₁·xᵢ, so dyᵢ = yᵢ₋₁·dxᵢ + xᵢ·dyᵢ₋₁."""
        (x,) = ctx.saved_tensors
        if not x.shape[ctx.dim]:
            return dx
        moved = _parts(_before(x, ctx.dim) * dx, ctx.dim)
        return np.stack(_chained(moved, _parts(x, ctx.dim)[1:]), ctx.dim)


def _parts(x: Any, dim: int) -> list[Any]:
    """What stands at each place of a dim."""
    return [x[_at(i, dim)] for i in range(x.shape[dim])]


def _chained(parts: list[Any], factors: list[Any]) -> list[Any]:
    """The sums s₀ = p₀, sᵢ₊₁ = pᵢ₊₁ + fᵢ·sᵢ."""
    sums = parts[:1]
    for part, factor in zip(parts[1:], factors, strict=True):
        sums.append(part + factor * sums[-1])
    return sums


def _at(index: int | slice, dim: int) -> tuple[Any, ...]:
    return (*in_dim(index, dim), ...)


def _before(x: Any, dim: int) -> Any:
    """For each place the product of all elements before it in a dim."""
    if not x.shape[dim]:
        return x
    first = zeros_like(x, kept_shape(x.shape, (dim,))) + 1
    return run(Cumprod, np.concatenate([first, x[_at(slice(0, -1), dim)]], dim), dim=dim)


@op(Cumprod, out=True, axis=True)
def cumprod(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """For each place the product of what is before it in a dim, and of the element itself.

    Args:
        input: tensor of shape `S`.
        dim, axis: along which dim.
        dtype: what to multiply in. Default: that of `input`; integers and bools become int64.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> cumprod(tensor([1, 2, 3, 4]), 0)
        tensor([ 1,  2,  6, 24])

    See also: https://pytorch.org/docs/stable/generated/torch.cumprod.html
    """
    return _running(Cumprod, input, dim, dtype)


def _running(op: type[Primitive], input: Tensor, dim: Any, dtype: Any) -> Tensor:
    at = wrap_dim(dim, input.ndim)
    return apply_along(op, _in_dtype(input, dtype), dim=at)


def _in_dtype(input: Tensor, dtype: Any) -> Tensor:
    """`input` in the asked dtype; integers count in int64."""
    if dtype is not None:
        return to(input, as_dtype(dtype))
    return input if is_differentiable(input.dtype) else to(input, int64)


class Prod(Reduction):
    """y = Πᵢ xᵢ        x̄ᵢ = ȳ·Π_{j ≠ i} xⱼ"""

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
    """y = Πᵢ xᵢ        x̄ᵢ = ȳ·Π_{j ≠ i} xⱼ"""

    node = "ProdBackward1"
    saves = ("self",)

    forward = staticmethod(over_dims(np.prod))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad.reshape(kept_shape(x.shape, (ctx.dim,))) * _others(x, ctx.dim)


def _others(x: Any, dim: int) -> Any:
    """For each place the product of all others in a dim: those before times those behind it."""
    behind = run(Flip, _before(run(Flip, x, dims=(dim,)), dim), dims=(dim,))
    return _before(x, dim) * behind


@op(ProdDim, Prod, out=True, axis=True)
def prod(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The product of all elements, or along one dim.

    Args:
        input: tensor of shape `S`.
        dim, axis: one dim; None for all.
        keepdim, keepdims: keep that dim, with size 1.
        dtype: what to multiply in. Default: that of `input`; integers and bools become int64.

    Returns:
        Tensor of shape `S` without `dim`. The product of no elements is 1.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> prod(tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1)
        tensor([ 2., 12.])

    See also: https://pytorch.org/docs/stable/generated/torch.prod.html
    """
    source = _in_dtype(input, dtype)
    if dim is None:
        return Prod.apply(source)
    at = wrap_dim(dim, input.ndim)
    return apply_along(ProdDim, source, dim=at, keepdim=keepdim)


def in_numpys_order(theirs: Any, ours: Callable[..., Any]) -> None:
    """Declare that a function of NumPy is one of ours, which knows NumPy's arguments by name."""
    names = list(inspect.signature(theirs).parameters)[1:]

    def call(a: Tensor, *args: Any, **kwargs: Any) -> Any:
        return ours(a, **dict(zip(names, args, strict=False)), **kwargs)

    of_numpy(theirs)(call)


in_numpys_order(np.sum, sum)
in_numpys_order(np.mean, mean)
in_numpys_order(np.any, any)
in_numpys_order(np.all, all)
