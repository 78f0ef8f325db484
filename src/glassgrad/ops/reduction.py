"""Many elements become one: sums, means, products, log-sum-exp, any and all, variances, covariance.

Running sums and products, differences of neighbours and areas below samples, too.

Dims are wrapped by the public functions: a rule gets `dim` as a tuple counted from the front.
"""

import builtins
import math
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from glassgrad import ops
from glassgrad.core import errors
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.memory.calls import warn
from glassgrad.values.backend import backend_of, in_rows
from glassgrad.values.dtypes import Number, as_dtype, int64, uint8
from glassgrad.values.gradients import sum_to

from . import _checks as check
from ._arguments import Dims, dim_there, int_of, names_none, reduced, size_of, wrap_dim, wrap_dims
from ._checks import scalar_name
from ._declaring import function, in_numpys_order, method, op
from ._families import Along, KeepsShape, Moved, Reduction, Transposed, over_dims
from ._rules import kept_shape, on_arrays, piece, rows_of, run, seen, spread, total, zeros_like
from .shape import Flip, apply_along


class SumDim(KeepsShape):
    """y = Σᵢ xᵢ        x̄ᵢ = ȳ"""

    node = "SumBackward1"

    @staticmethod
    def forward(x, *, dim, keepdim, dtype):
        return x.sum(axis=dim, keepdims=keepdim, dtype=dtype)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad.reshape(kept_shape(ctx.shape, ctx.dim)), ctx.shape)


class Sum(KeepsShape):
    """y = Σᵢ xᵢ        x̄ᵢ = ȳ"""

    along: ClassVar[type[KeepsShape]] = SumDim  # what a sum of each example is

    @staticmethod
    def forward(x, *, dtype):
        return x.sum(dtype=dtype)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad, ctx.shape)

    @classmethod
    @on_arrays
    def vmap(cls, info, in_dims, x, *, dtype):
        return run(cls.along, x, dim=tuple(range(1, x.ndim)), keepdim=False, dtype=dtype)


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


@method()
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over the dims that `expand` would have stretched: its reverse.

    Args:
        input: tensor of shape `S`.
        size: sizes that stretch to `S`. As numbers or as one sequence.

    Returns:
        Tensor of that size; `input` itself if it has it.

    Raises:
        ShapeError: if the sizes do not stretch to `S`.

    Example:
        >>> sum_to_size(tensor([[1, 2], [3, 4]]), 1, 2)
        tensor([[4, 6]])
    """
    asked, shape = size_of(size, "sum_to_size"), tuple(input.shape)
    pairs = zip(reversed(asked), reversed(shape), strict=False)
    if len(asked) > len(shape) or [n for n, m in pairs if n not in (1, m)]:
        raise errors.ShapeError(
            f"size {list(asked)} is not expandable to size {list(shape)}. Each sum is over a dim "
            "that is new, or of size 1 there. Write such sizes."
        )
    if not asked:
        return sum(input)
    return input if asked == shape else sum_to(input, asked)


class MeanDim(KeepsShape):
    """y = (Σᵢ xᵢ)/n        x̄ᵢ = ȳ/n"""

    node = "MeanBackward1"

    @staticmethod
    def forward(x, *, dim, keepdim, dtype):
        total = x.sum(axis=dim, keepdims=keepdim, dtype=dtype)
        return total / (count_of(x.shape, dim) or math.nan)

    @staticmethod
    def backward(ctx, grad):
        return spread_mean(grad, ctx.shape, ctx.dim)


class Mean(Sum):
    """y = (Σᵢ xᵢ)/n        x̄ᵢ = ȳ/n"""

    along = MeanDim

    @staticmethod
    def forward(x, *, dtype):
        return x.sum(dtype=dtype) / (math.prod(x.shape) or math.nan)

    @staticmethod
    def backward(ctx, grad):
        return spread(grad, ctx.shape) / (math.prod(ctx.shape) or math.nan)


def spread_mean(grad: Any, shape: Shape, dims: Shape) -> Any:
    """The gradient of what has that shape from that of its mean over some dims."""
    count = count_of(shape, dims) or math.nan  # the mean of nothing is nan, and warns nobody
    return spread(grad.reshape(kept_shape(shape, dims)), shape) / count


def count_of(shape: Shape, dims: Shape) -> int:
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
        raise errors.DTypeError(
            "mean(): could not infer output dtype. "
            f"{source} dtype must be either a floating point or complex dtype. "
            f"Got: {scalar_name(name)}. The mean of integers is no integer. "
            "Write `x.float().mean()`."
        )
    if dim is None and not keepdim:
        return Mean.apply(input, dtype=wanted)
    return MeanDim.apply(input, dim=reduced(dim, input.ndim), keepdim=keepdim, dtype=wanted)


class Nansum(Reduction):
    """y = Σᵢ (xᵢ if xᵢ = xᵢ else 0)        x̄ᵢ = ȳ if xᵢ = xᵢ else 0"""

    promotes = None

    @staticmethod
    def forward(x, *, dim, keepdim, dtype):
        return np.where(x == x, x, 0).sum(axis=dim, keepdims=keepdim, dtype=dtype)

    @staticmethod
    def gradient(grad, x, *, dim):
        return np.where(x == x, grad.reshape(kept_shape(x.shape, dim)), 0)


@op(Nansum, out=True, axis=True)
def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """`sum` of all elements but nan; a nan has gradient 0.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for complex numbers.

    Example:
        >>> nansum(tensor([1.0, float("nan"), 2.0]))
        tensor(3.)

    See also: https://pytorch.org/docs/stable/generated/torch.nansum.html
    """
    said = "nansum on CPU does not support complex inputs: either part may be nan"
    check.dtype(said, input, "biuf", "Write `where(x.isnan(), 0, x).sum()`.")
    if input.dtype.kind != "f":
        return sum(input, dim, keepdim, dtype=dtype)
    wanted = None if dtype is None else as_dtype(dtype)
    return Nansum.apply(input, dim=reduced(dim, input.ndim), keepdim=keepdim, dtype=wanted)


@op(out=True, axis=True)
def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """`mean` of all elements but nan; of nothing else it is nan.

    Raises:
        DimError: for a dim that `input` does not have.
        DTypeError: for integers and complex numbers.

    Example:
        >>> nanmean(tensor([1.0, float("nan"), 3.0]))
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanmean.html
    """
    said = "nanmean(): expected input to have floating point or complex dtype but got {name}"
    why = "The mean of integers is no integer. Write `x.float().nanmean()`."
    check.dtype(said, input, "fc", why)
    total = nansum(input, dim, keepdim, dtype=dtype)
    return total / sum(input.detach() == input.detach(), dim, keepdim)


class CountNonzero(Along):
    """y = Σᵢ [xᵢ ≠ 0]"""

    differentiable = False

    @staticmethod
    def forward(x, *, dim):
        return (x != 0).sum(axis=dim)


@op(CountNonzero, axis=True)
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not 0, of all or over some dims.

    Args:
        input: tensor of shape `S`.
        dim: the dims to count over; None or () for all.

    Returns:
        int64 tensor of shape `S` without `dim`.

    Raises:
        DimError: for a dim that `input` does not have.

    Example:
        >>> count_nonzero(tensor([[0.0, 1.0], [2.0, 3.0]]), dim=1)
        tensor([1, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.count_nonzero.html
    """
    return CountNonzero.apply(input, dim=reduced(dim, input.ndim))


class LogSumExp(Along):
    """y = ln Σᵢ exp xᵢ        x̄ᵢ = ȳ·exp(xᵢ − y)"""

    node = "LogsumexpBackward0"
    floating = True

    @staticmethod
    def forward(x, *, dim, keepdim):
        top = np.max(np.real(x), axis=dim, keepdims=True, initial=-math.inf)
        top = np.where(np.isfinite(top), top, 0)  # ∞ − ∞ would be nan
        total = np.log(np.exp(x - top).sum(axis=dim, keepdims=keepdim))
        return total + top.reshape(total.shape)

    @staticmethod
    def gradient(grad, x, y, *, dim):
        kept = kept_shape(x.shape, dim)
        return grad.reshape(kept) * np.exp(x - y.reshape(kept))

    @staticmethod
    def tangent(dx, x, y, *, dim, keepdim):
        shares = np.exp(x - y.reshape(kept_shape(x.shape, dim)))
        moved, whole = [part.sum(axis=dim, keepdims=keepdim) for part in (shares * dx, shares)]
        return moved / whole  # by 1; but of no elements, or where all are −∞, it is nan


@op(LogSumExp, aliases=("special.logsumexp",), out=True, axis=True)
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


def _answer(op: type[Primitive], input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """A bool, or uint8 for uint8; () means no dim here, as in PyTorch."""
    wanted = () if names_none(dim) else reduced(dim, input.ndim)
    answer = op.apply(input, dim=wanted, keepdim=keepdim)
    return answer.to(uint8) if input.dtype == uint8 else answer


class Some(Along):
    """y = ∃ᵢ (xᵢ ≠ 0)"""

    differentiable = False
    promotes = None
    forward = staticmethod(over_dims(np.any))


class All(Along):
    """y = ∀ᵢ (xᵢ ≠ 0)"""

    differentiable = False
    promotes = None
    forward = staticmethod(over_dims(np.all))


@op(Some, out_exact=True, axis=True, by=_answer)
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


@op(All, out_exact=True, axis=True, by=_answer)
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


def _running(op: type[Primitive], input: Tensor, dim: Any, dtype: Any) -> Tensor:
    at = wrap_dim(dim, input.ndim)
    return apply_along(op, _in_dtype(input, dtype), dim=at)


class Cumsum(Moved):
    """yᵢ = Σ_{j ≤ i} xⱼ        x̄ⱼ = Σ_{i ≥ j} ȳᵢ"""

    @staticmethod
    def forward(x, *, dim):
        return in_rows(np.cumsum(x, axis=dim, dtype=x.dtype))

    @staticmethod
    def backward(ctx, grad):
        sums = run(Cumsum, run(Flip, grad, dims=(ctx.dim,)), dim=ctx.dim)  # from the end
        return run(Flip, sums, dims=(ctx.dim,))


@op(Cumsum, out=True, inplace=True, axis=True, by=_running)
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
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


class Logcumsumexp(Transposed, Along):
    """yᵢ = ln Σ_{j ≤ i} exp xⱼ
    dyᵢ = Σ_{j ≤ i} dxⱼ·exp(xⱼ − yᵢ)
    x̄ⱼ = Σ_{i ≥ j} ȳᵢ·exp(xⱼ − yᵢ)
    """

    @staticmethod
    def forward(x, *, dim):
        asarray = backend_of(x).asarray
        out = asarray(x, np.result_type(x.dtype, np.float64))  # small parts of large sums add up
        if x.dtype.kind == "c":
            out = np.copy(out)
            for i in range(1, x.shape[dim]):
                here = piece(i, dim)
                out[here] = _logaddexp(out[here], out[piece(i - 1, dim)])
        else:
            out = np.logaddexp.accumulate(out, axis=dim)
        return in_rows(asarray(out, x.dtype))

    @staticmethod
    def gradient(grad, x, y, *, dim):
        """x̄ⱼ = exp(xⱼ − yⱼ)·sⱼ with sⱼ = ȳⱼ + exp(yⱼ − yⱼ₊₁)·sⱼ₊₁: no power is above 1."""
        return _ratio(x, y) * _chained(grad, _steps_of(y, dim), dim)


def _ratio(x: Any, y: Any) -> Any:
    """exp(x − y); 1 where both are −∞."""
    return np.exp(np.where(x == y, 0, x - y))


def _steps_of(y: Any, dim: int) -> Any:
    """How small exp yᵢ is beside exp yᵢ₊₁, for each place of a dim but the last."""
    return _ratio(y[piece(slice(None, -1), dim)], y[piece(slice(1, None), dim)])


def _logaddexp(x: Any, y: Any) -> Any:
    """ln(exp x + exp y) of complex numbers."""
    is_larger = np.real(x) > np.real(y)
    larger, smaller = np.where(is_larger, x, y), np.where(is_larger, y, x)
    return larger + np.log1p(_ratio(smaller, larger))


@op(Logcumsumexp, out_exact=True, axis=True)
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """For each place `logsumexp` of what is before it in a dim, and of the element itself.

    Args:
        input: floating-point or complex tensor of shape `S`.
        dim: along which dim.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers.

    Example:
        >>> logcumsumexp(tensor([1000.0, 1000.0]), 0)
        tensor([1000.0000, 1000.6932])

    See also: https://pytorch.org/docs/stable/generated/torch.logcumsumexp.html
    """
    check.kernel('"logcumsumexp_out_cpu"', input, "fc")
    return apply_along(Logcumsumexp, input, dim=wrap_dim(dim, input.ndim))


class Cumprod(Transposed, Along):
    """yᵢ = Π_{j ≤ i} xⱼ
    dyᵢ = Σ_{j ≤ i} dxⱼ·Π_{k ≤ i, k ≠ j} xₖ
    x̄ⱼ = Σ_{i ≥ j} ȳᵢ·Π_{k ≤ i, k ≠ j} xₖ
    """

    @staticmethod
    def forward(x, *, dim):
        return in_rows(np.cumprod(x, axis=dim, dtype=x.dtype))

    @staticmethod
    def gradient(grad, x, *, dim):
        """Without dividing, so that zeros are nothing special.

        x̄ⱼ = (Π_{k < j} xₖ)·sⱼ with sⱼ = Σ_{i ≥ j} ȳᵢ·Π_{j < k ≤ i} xₖ = ȳⱼ + xⱼ₊₁·sⱼ₊₁.
        """
        behind = _chained(grad, x[piece(slice(1, None), dim)], dim)
        return _scaled(behind, _before(x, dim))


def _chained(x: Any, factors: Any, dim: int) -> Any:
    """sᵢ = xᵢ + fᵢ·sᵢ₊₁ along a dim, from its end."""
    sums: list[Any] = []
    for i in reversed(range(x.shape[dim])):
        here = x[piece(i, dim)]
        sums.append(here + _scaled(sums[-1], factors[piece(i, dim)]) if sums else here)
    return np.stack(sums[::-1], dim) if sums else x


def _scaled(x: Any, factor: Any) -> Any:
    """Their product. A factor of 0 lets nothing pass, and be it infinite."""
    return np.where((factor == 0) & ~np.isfinite(x), 0, x * factor)


def _before(x: Any, dim: int) -> Any:
    """For each place the product of all elements before it in a dim."""
    if not x.shape[dim]:
        return x
    first = zeros_like(x, kept_shape(x.shape, (dim,))) + 1
    return run(Cumprod, np.concatenate([first, x[piece(slice(0, -1), dim)]], dim), dim=dim)


@op(Cumprod, out=True, inplace=True, axis=True, by=_running)
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
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


def _in_dtype(input: Tensor, dtype: Any) -> Tensor:
    """`input` in the asked dtype; integers count in int64."""
    if dtype is not None:
        return input.to(as_dtype(dtype))
    return input if is_differentiable(input.dtype) else input.to(int64)


class Prod(Reduction):
    """y = Πᵢ xᵢ        x̄ᵢ = ȳ·Π_{j ≠ i} xⱼ"""

    @staticmethod
    def forward(x):
        return np.prod(x, dtype=x.dtype)

    @staticmethod
    def gradient(grad, x):
        if not x.ndim:
            return grad  # of no others
        return grad * products_of_others(x.reshape(-1), 0).reshape(x.shape)

    @classmethod
    def vmap(cls, info, in_dims, x):
        return ProdDim.apply(rows_of(x), dim=1, keepdim=False)


class ProdDim(Reduction):
    """y = Πᵢ xᵢ        x̄ᵢ = ȳ·Π_{j ≠ i} xⱼ"""

    node = "ProdBackward1"

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.prod(x, axis=dim, keepdims=keepdim, dtype=x.dtype)

    @staticmethod
    def gradient(grad, x, *, dim):
        return grad.reshape(kept_shape(x.shape, (dim,))) * products_of_others(x, dim)


def products_of_others(x: Any, dim: int) -> Any:
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


# Variances ----------------------------------------------------------------------------------------


class Var(Transposed, Along):
    """y = Σᵢ (xᵢ − μ)²/(n − c),  μ = (Σᵢ xᵢ)/n        x̄ᵢ = 2·ȳ·(xᵢ − μ)/(n − c)"""

    holomorphic = False  # of complex numbers it is |xᵢ − μ|², and the rule the same

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        deviation = _deviation(x, dim)
        total = np.real(deviation * np.conj(deviation)).sum(axis=dim, keepdims=keepdim)
        freedom = count_of(x.shape, dim) - correction
        return total / freedom if freedom > 0 else _over_nothing(total)

    @staticmethod
    def gradient(grad, x, *, dim, correction):
        freedom, deviation = count_of(x.shape, dim) - correction, _deviation(x, dim)
        slopes = deviation * (2 / freedom) if freedom > 0 else _over_nothing(np.abs(deviation))
        return grad.reshape(kept_shape(x.shape, dim)) * slopes


class Std(Transposed, Along):
    """y = √(Σᵢ (xᵢ − μ)²/(n − c)),  μ = (Σᵢ xᵢ)/n        x̄ᵢ = ȳ·(xᵢ − μ)/(y·(n − c))"""

    holomorphic = False

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        return np.sqrt(Var.forward(x, dim=dim, correction=correction, keepdim=keepdim))

    @staticmethod
    def gradient(grad, x, y, *, dim, correction):
        return Var.gradient(_by_root(grad, y), x, dim=dim, correction=correction)


def checked_spread(
    name: str,
    op: type[Primitive],
    input: Tensor,
    dim: Dims,
    unbiased: bool | None,
    keepdim: bool,
    *,
    correction: float | None,
) -> Any:
    """Apply an op of this family to arguments as users give them."""
    said = "std and var only support floating point and complex dtypes, got {dtype}"
    why = f"Integers have no fractional spread. Write `x.float().{name}()`."
    check.dtype(said, input, "fc", why)
    if isinstance(dim, bool):  # the only argument, of a form without dims
        dim, unbiased = None, dim
    lost = _lost(name, correction, unbiased)
    dims = reduced(dim, input.ndim)
    if count_of(input.shape, dims) <= lost:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel)."
        )
    return op.apply(input, dim=dims, correction=lost, keepdim=keepdim)


@op(Var, out=True, axis=True, by=checked_spread)
def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
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


@op(Std, out=True, axis=True, by=checked_spread)
def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
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


def _lost(name: str, correction: Any, unbiased: bool | None) -> float:
    """What is subtracted from the number of elements, as users say it."""
    if unbiased is not None:
        why = "It chooses between n - 1 and n. Write `correction=…` for another number."
        check.kind(f"{name}(): argument 'unbiased' must be bool", unbiased, bool, why)
        return int(unbiased)
    if correction is None:
        return 1
    if isinstance(correction, Tensor) and not correction.ndim and not correction.requires_grad:
        correction = correction.item()
    why = "It is subtracted from the number of elements. Write `correction=1`."
    check.kind(f"{name}(): argument 'correction' must be Number", correction, Real, why)
    number: float = correction  # what is a Real computes as one
    return number


def _deviation(x: Any, dim: Shape) -> Any:
    return x - x.sum(axis=dim, keepdims=True) / (count_of(x.shape, dim) or math.nan)


def _by_root(grad: Any, root: Any) -> Any:
    """The gradient of a variance from that of its root; 0 where that is 0."""
    return np.where(root == 0, 0, grad / (2 * root))


def _over_nothing(x: Any) -> Any:
    """x/0 for x ≥ 0, without NumPy's warning: nan where x is 0, else inf."""
    return np.where(x == 0, x + math.nan, x + math.inf)


class VarMean(Transposed, Along):
    """v, μ = Σᵢ (xᵢ − μ)²/(n − c), (Σᵢ xᵢ)/n        x̄ᵢ = 2·v̄·(xᵢ − μ)/(n − c) + μ̄/n"""

    holomorphic = False
    saves = ("self",)
    multiple = True

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        variance = Var.forward(x, dim=dim, correction=correction, keepdim=keepdim)
        return variance, MeanDim.forward(x, dim=dim, keepdim=keepdim, dtype=None)

    @staticmethod
    def backward(ctx, by_variance, by_mean):
        (x,) = ctx.saved_tensors
        return _of_both(by_variance, by_mean, x, ctx)


class StdMean(VarMean):
    """σ, μ = √(Σᵢ (xᵢ − μ)²/(n − c)), (Σᵢ xᵢ)/n        x̄ᵢ = σ̄·(xᵢ − μ)/(σ·(n − c)) + μ̄/n"""

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        variance, mean = VarMean.forward(x, dim=dim, correction=correction, keepdim=keepdim)
        return np.sqrt(variance), mean

    @staticmethod
    def backward(ctx, by_sigma, by_mean):
        (x,) = ctx.saved_tensors
        if by_sigma is not None:
            sigma = run(Std, x, dim=ctx.dim, correction=ctx.correction, keepdim=ctx.keepdim)
            by_sigma = _by_root(by_sigma, sigma)
        return _of_both(by_sigma, by_mean, x, ctx)


def _of_both(by_variance: Any, by_mean: Any, x: Any, ctx: Any) -> Any:
    """The gradients through a variance and through the mean, if there are."""
    through = beside = None
    if by_variance is not None:
        through = Var.gradient(by_variance, x, dim=ctx.dim, correction=ctx.correction)
    if by_mean is not None:
        beside = spread_mean(by_mean, x.shape, ctx.dim)
    return total([through, beside])


@function(VarMean, axis=True, by=checked_spread)
def var_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
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


@function(StdMean, axis=True, by=checked_spread)
def std_mean(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = 1,
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


@op()
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of variables: `C[i, j]` is the mean of (xᵢ − x̄ᵢ)·(xⱼ − x̄ⱼ).

    Args:
        input: a row for each of `n` variables and a column for each of `m` observations: shape
            `(n, m)`; or one variable: `(m,)` or `()`.
        correction: what is subtracted from the number of observations; 1 is Bessel's.
        fweights: how often each observation was made: integers of shape `(m,)`.
        aweights: how much each observation counts: floats of shape `(m,)`.

    Returns:
        Tensor of shape `(n, n)`; 0-d for one variable. inf and nan, with a warning, if nothing is
        left to divide by.

    Raises:
        ShapeError: for more dims, or not one weight for each observation.
        DTypeError: for bools, and weights of another kind.
        ArgumentError: for negative weights, or weights that are all 0.

    Example:
        >>> cov(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])

    See also: https://pytorch.org/docs/stable/generated/torch.cov.html
    """
    if input.ndim > 2:
        raise errors.ShapeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions, of shape {list(input.shape)}. A row is a variable. "
            "Write `vmap(cov)` for a stack of matrices."
        )
    said = "cov(): bool dtype is not supported for input"
    check.dtype(said, input, "iufc", "A mean of True and False is neither. Write `x.float()`.")
    x = input if input.ndim == 2 else input.reshape(1, input.numel())
    weights = _checked_weights(x.shape[1], fweights, aweights)
    weighted = x if weights is None else x * weights
    total: Any = x.shape[1] if weights is None else weights.sum()
    if weights is not None and _holds(total == 0):
        raise errors.ArgumentError(
            "cov(): weights sum to zero, can't be normalized. Nothing was observed. "
            "Write a weight that is not 0."
        )
    deviation = x - (weighted.sum(dim=1) / total).unsqueeze(1)
    lost: Any = correction
    if correction and weights is not None and aweights is not None:
        lost = correction * (weights * aweights).sum() / total
    weighted = deviation if weights is None else deviation * weights
    product = deviation.mm(weighted.t().conj())
    freedom = total - lost
    if _holds(freedom <= 0):
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number "
            "of observations."
        )
    freedom = freedom.clamp(min=0) if isinstance(freedom, Tensor) else max(freedom, 0)
    return (product / freedom).squeeze()


def _checked_weights(n: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    """The weight of each observation; None if all count the same."""
    found = None
    for name, weights, kinds, kind in (
        ("fweights", fweights, "iu", "integral"),
        ("aweights", aweights, "f", "floating point"),
    ):
        if weights is None:
            continue
        if weights.ndim > 1:
            raise errors.ShapeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{weights.ndim} dimensions. There is one weight for each observation. Write them "
                f"in a tensor of shape [{n}]."
            )
        if weights.dtype.kind not in kinds:
            raise errors.DTypeError(
                f"cov(): expected {name} to have {kind} dtype but got {name} with "
                f"{weights.dtype} dtype. The one counts observations, the other weighs them: write "
                "fweights=tensor([1, 2]), aweights=tensor([0.5, 1.0])."
            )
        if weights.numel() != n:
            raise errors.ShapeError(
                f"cov(): expected {name} to have the same numel as there are observations in the "
                f"input but got {weights.numel()} != {n}. Write one weight for each column."
            )
        if _holds(weights < 0):
            raise errors.RangeError(
                f"cov(): {name} cannot be negative. An observation was made at least 0 times. "
                f"Write `{name}.clamp(min=0)`."
            )
        found = weights if found is None else found * weights
    return found


def _holds(condition: Any) -> bool:
    """Whether it is so somewhere; no, where it is a batch that cannot be looked at."""
    values = seen(condition)
    return values is not None and bool(np.any(values))


@op()
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of variables: their covariances, divided by both standard deviations.

    Args:
        input: a row for each of `n` variables; see `cov`.

    Returns:
        Tensor of shape `(n, n)`, from -1 to 1; 0-d for one variable.

    Raises:
        ShapeError: for more than two dims.

    Example:
        >>> corrcoef(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])

    See also: https://pytorch.org/docs/stable/generated/torch.corrcoef.html
    """
    covariances = cov(input)
    if not covariances.ndim:
        return covariances / covariances
    deviations = covariances.diagonal().sqrt()
    found = covariances / deviations.unsqueeze(1) / deviations.unsqueeze(0)
    return found if found.dtype.kind == "c" else found.clamp(-1, 1)


# Differences, and areas ---------------------------------------------------------------------------


@op(out=True, axis=True)
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """How much larger than the one before it each element of a dim is.

    Args:
        input: tensor of shape `(…, m, …)`.
        n: how often differences are taken.
        dim: which dim has the size `m`.
        prepend, append: tensors that are put before and behind `input` first.

    Returns:
        Tensor of shape `(…, m - n, …)`. Bools differ where the result is True.

    Raises:
        ShapeError: for a 0-d tensor, a negative `n`, or other shapes of `prepend` and `append`.
        DimError: if there is no such dim.

    Example:
        >>> diff(tensor([1, 3, 2]))
        tensor([ 2, -1])

    See also: https://pytorch.org/docs/stable/generated/torch.diff.html
    """
    said = "diff expects input to be at least one-dimensional, got a 0-d tensor"
    check.ndim(said, input, 1, "Write `x.reshape(1)`.")
    at, times = wrap_dim(dim, input.ndim), int_of(n, "diff", "n")
    for other in (prepend, append):
        if other is not None:
            _check_beside(input, other, at)
    check.least("order must be non-negative but got {}", times, 0, "It counts differences.")
    if not times:
        return input.clone()
    parts = [x for x in (prepend, input, append) if x is not None]
    out = ops.cat(parts, at) if len(parts) > 1 else input
    for _ in range(min(times, out.shape[at])):
        size = max(out.shape[at] - 1, 0)
        before, behind = out.narrow(at, 0, size), out.narrow(at, out.shape[at] - size, size)
        out = before != behind if out.dtype.kind == "b" else behind - before
    return out


def _check_beside(input: Tensor, other: Tensor, dim: int) -> None:
    """Raise ShapeError unless `other` can stand beside `input` in a dim."""
    said = "diff expects prepend or append to be the same dimension as input, got {0} and {1} dims"
    check.equal(said, other.ndim, input.ndim, "Write `unsqueeze`.")
    for at, (n, m) in enumerate(zip(input.shape, other.shape, strict=True)):
        if n != m and at != dim:
            raise errors.ShapeError(
                "diff expects the shape of tensor to prepend or append to match that of input "
                f"except along the differencing dimension; input.size({at}) = {n}, but got "
                f"tensor.size({at}) = {m}. Write `expand`."
            )


@function(axis=True)
def gradient(
    input: Tensor, *, spacing: Any = 1, dim: Dims = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The slope of sampled functions: from both neighbours, at the ends from the nearest ones.

    Args:
        input: samples: tensor of shape `S`.
        spacing: how far samples are apart: a number; one for each dim; or for each dim a vector
            of coordinates.
        dim: along which dims; None: all of them.
        edge_order: 1 or 2: whether the ends are exact for lines, or for parabolas.

    Returns:
        For each dim a tensor of shape `S`.

    Raises:
        ShapeError: if there are too few samples, or not one spacing for each dim.
        DTypeError: for uint8.

    Example:
        >>> gradient(tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)

    See also: https://pytorch.org/docs/stable/generated/torch.gradient.html
    """
    if edge_order not in (1, 2):
        raise errors.ShapeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if input.dtype == uint8:
        raise errors.DTypeError(
            "torch.gradient does not support uint8 input. Differences may be negative. "
            "Write `x.int()`."
        )
    dims = tuple(range(input.ndim)) if dim is None else wrap_dims(dim, input.ndim)
    steps = _steps(dims, spacing, is_for_all=dim is None)
    if builtins.any(input.shape[at] < edge_order + 1 for at in dims):
        raise errors.ShapeError(
            "torch.gradient expected each dimension size to be at least edge_order+1, got the "
            f"shape {list(input.shape)}. A slope is one between samples."
        )
    return tuple(
        [_slope(input, at, step, edge_order) for at, step in zip(dims, steps, strict=True)]
    )


def _steps(dims: Shape, spacing: Any, *, is_for_all: bool) -> list[Any]:
    """For each dim a number, or the distances between its samples."""
    spacing = 1 if spacing is None else spacing
    several = isinstance(spacing, (list, tuple))
    if several and len(spacing) != len(dims):
        wanted = f"'self.dim() = {len(dims)}'" if is_for_all else f"dim, {len(dims)}"
        why = ", since dim argument was not given" if is_for_all else ""
        raise errors.ShapeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            f"equal to {wanted}{why}, but got a list of length {len(spacing)}. Each dim has its "
            "own."
        )
    steps = []
    for each in spacing if several else [spacing] * len(dims):
        if not isinstance(each, Tensor) or not each.ndim:
            steps.append(each)
            continue
        if each.ndim != 1:
            raise errors.ShapeError(
                "torch.gradient expected each element of spacing to have one dimension, but got "
                f"an element with {each.ndim} dimensions! They are coordinates."
            )
        steps.append(diff(each))
    return steps


def _slope(x: Tensor, dim: int, step: Any, edge_order: int) -> Tensor:
    """The slope along a dim; `step` is a number, or how far each sample is from the next."""
    slopes = diff(x, dim=dim)
    n = slopes.shape[dim]
    if isinstance(step, Tensor) and step.ndim:
        step = step.reshape(-1, *(1,) * (x.ndim - dim - 1))
        before, behind = step.narrow(0, 0, n - 1), step.narrow(0, 1, n - 1)
        first, last = step.narrow(0, 0, 1), step.narrow(0, n - 1, 1)
        second, last_but_one = step.narrow(0, min(1, n - 1), 1), step.narrow(0, max(n - 2, 0), 1)
    else:
        first = second = before = behind = last_but_one = last = step
    slopes = slopes / step
    left, right = slopes.narrow(dim, 0, n - 1), slopes.narrow(dim, 1, n - 1)
    inner = (left * behind + right * before) / (before + behind)
    start, end = slopes.narrow(dim, 0, 1), slopes.narrow(dim, n - 1, 1)
    if edge_order == 2:  # the slope of the parabola through the three samples there
        start = start + (start - slopes.narrow(dim, 1, 1)) * (first / (first + second))
        end = end + (end - slopes.narrow(dim, n - 2, 1)) * (last / (last + last_but_one))
    return ops.cat([start, inner, end], dim)


@function(aliases=("trapz",), axis=True)
def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1
) -> Tensor:
    """The area below sampled functions, by trapezoids between the samples.

    Args:
        y: samples: tensor of shape `(…, n, …)`.
        x: where they are: coordinates of shape `(n,)`, or of the shape of `y`.
        dx: how far they are apart, if there is no `x`. Default: 1.
        dim: which dim has the size `n`.

    Returns:
        Tensor of the shape of `y` without that dim.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if there is not one coordinate for each sample.
        DTypeError: for bools.
        ArgumentTypeError: for both `x` and `dx`.

    Example:
        >>> trapezoid(tensor([1.0, 3.0, 5.0]))
        tensor(6.)

    See also: https://pytorch.org/docs/stable/generated/torch.trapezoid.html
    """
    return sum(_trapezoids("trapezoid", y, x, dx, dim), dim)


@function(axis=True)
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1
) -> Tensor:
    """The area up to each sample but the first; see `trapezoid`.

    Example:
        >>> cumulative_trapezoid(tensor([1.0, 3.0, 5.0]))
        tensor([2., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.cumulative_trapezoid.html
    """
    return cumsum(_trapezoids("cumulative_trapezoid", y, x, dx, dim), dim)


def _trapezoids(name: str, y: Tensor, x: Tensor | None, dx: Any, dim: int) -> Tensor:
    """The area between each sample and the next."""
    if x is not None and dx is not None:
        raise errors.ArgumentTypeError(
            f"{name}() received an invalid combination of arguments: both x and dx say how far "
            "samples are apart. Leave one out."
        )
    at = dim_there(dim, y, f"{name}() needs samples along one. Write `y.reshape(1)`.")
    for argument, given in (("y", y), ("x", x)):
        if given is not None:
            said = f"{name}: received a bool input for `{argument}`, but bool is not supported"
            check.dtype(said, given, "iufc", f"Write `{argument}.float()`.")
    size = max(y.shape[at] - 1, 0)
    both = y.narrow(at, y.shape[at] - size, size) + y.narrow(at, 0, size)
    if x is None:
        return both * ((1 if dx is None else dx) / 2)
    if x.ndim == 1:
        said = f"{name}: There must be one `x` value for each sample point, got {{0}} for {{1}}"
        check.equal(said, x.shape[0], y.shape[at], "Write a coordinate for each.")
        return both * diff(x).reshape(-1, *(1,) * (y.ndim - at - 1)) / 2
    return both * diff(x, dim=dim) / 2


in_numpys_order(np.sum, sum)
in_numpys_order(np.mean, mean)
in_numpys_order(np.any, any)
in_numpys_order(np.all, all)
in_numpys_order(np.var, var, {"correction": 0}, ddof="correction")
in_numpys_order(np.std, std, {"correction": 0}, ddof="correction")
