"""Variance, standard deviation and covariance."""

import math
import re
import warnings
from numbers import Real
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, is_differentiable

from ._arguments import Dims, dim_or_axis, kept_or_keepdims, reduced
from ._declaring import function, of_numpy, op
from ._families import Along, Reduction, kept_shape, run, seen, total
from .arithmetic import conj
from .linalg import mm
from .reduction import MeanDim, count_of, spread_mean
from .selection import clamp
from .shape import reshape, squeeze


class Var(Reduction):
    """y = Σᵢ (xᵢ − μ)²/(n − c),  μ = (Σᵢ xᵢ)/n        x̄ᵢ = 2·ȳ·(xᵢ − μ)/(n − c)"""

    saves = ("self",)

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        deviation = _deviation(x, dim)
        total = (deviation * deviation).sum(axis=dim, keepdims=keepdim)
        freedom = count_of(x.shape, dim) - correction
        return total / freedom if freedom > 0 else _over_nothing(total)

    @staticmethod
    def backward(ctx, grad):
        return _by_variance(grad, ctx.saved_tensors[0], ctx)


class Std(Reduction):
    """y = √(Σᵢ (xᵢ − μ)²/(n − c)),  μ = (Σᵢ xᵢ)/n        x̄ᵢ = ȳ·(xᵢ − μ)/(y·(n − c))"""

    saves = ("self", "result")

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        return np.sqrt(run(Var, x, dim=dim, correction=correction, keepdim=keepdim))

    @staticmethod
    def backward(ctx, grad):
        x, sigma = ctx.saved_tensors
        return _by_variance(_by_root(grad, sigma), x, ctx)

    @staticmethod
    def jvp(ctx, dx):
        return _by_root(Var.jvp(ctx, dx), ctx.result)


@op(Var)
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
    return checked_spread(Var, input, (dim, axis), (keepdim, keepdims), correction, unbiased)


@of_numpy(np.var)
def _numpy_var(a: Tensor, axis: Dims = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return var(a, axis, correction=ddof, keepdim=keepdims)


@op(Std)
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
    return checked_spread(Std, input, (dim, axis), (keepdim, keepdims), correction, unbiased)


@of_numpy(np.std)
def _numpy_std(a: Tensor, axis: Dims = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return std(a, axis, correction=ddof, keepdim=keepdims)


def checked_spread(
    op: type[Primitive],
    input: Tensor,
    names: tuple[Dims, Dims],
    keeps: tuple[bool, bool | None],
    correction: float | None,
    unbiased: bool | None,
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
    dim = dim_or_axis(*names)
    if isinstance(dim, bool):  # the only argument, of a form without dims
        dim, unbiased = None, dim
    lost = _lost(name, correction, unbiased)
    dims = reduced(dim, input.ndim)
    if count_of(input.shape, dims) <= lost:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=3,
        )
    return op.apply(input, dim=dims, correction=lost, keepdim=kept_or_keepdims(*keeps))


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


# What they share --------------------------------------------------------------------------------


def _deviation(x: Any, dim: tuple[int, ...]) -> Any:
    return x - x.sum(axis=dim, keepdims=True) / (count_of(x.shape, dim) or math.nan)


def _by_variance(grad: Any, x: Any, ctx: Any) -> Any:
    """The gradient of x from that of its variance.

    Without a degree of freedom the variance is 0·∞, and so is its slope.
    """
    freedom = count_of(x.shape, ctx.dim) - ctx.correction
    deviation = _deviation(x, ctx.dim)
    slope = deviation * (2 / freedom) if freedom > 0 else _over_nothing(np.abs(deviation))
    return grad.reshape(kept_shape(x.shape, ctx.dim)) * slope


def _by_root(grad: Any, root: Any) -> Any:
    """The gradient of a variance from that of its root; 0 where that is 0."""
    return np.where(root == 0, 0, grad / (2 * root))


def _over_nothing(x: Any) -> Any:
    """x/0 for x ≥ 0, without NumPy's warning: nan where x is 0, else inf."""
    return np.where(x == 0, x + math.nan, x + math.inf)


def _by_both(by_variance: Any, by_mean: Any, x: Any, ctx: Any) -> Any:
    """The gradient of x from those of its variance and of its mean, where there are these."""
    return total(
        [
            None if by_variance is None else _by_variance(by_variance, x, ctx),
            None if by_mean is None else spread_mean(by_mean, x.shape, ctx.dim),
        ]
    )


class VarMean(Along):
    """v, μ = Σᵢ (xᵢ − μ)²/(n − c), (Σᵢ xᵢ)/n        x̄ᵢ = 2·v̄·(xᵢ − μ)/(n − c) + μ̄/n"""

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
        return _by_both(by_variance, by_mean, x, ctx)

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.saved_tensors
        weighted = _by_variance(np.ones_like(ctx.result[0]), x, ctx) * dx
        moved_mean = run(MeanDim, dx, dim=ctx.dim, keepdim=ctx.keepdim, dtype=None)
        return weighted.sum(axis=ctx.dim, keepdims=ctx.keepdim), moved_mean


class StdMean(VarMean):
    """σ, μ = √(Σᵢ (xᵢ − μ)²/(n − c)), (Σᵢ xᵢ)/n        x̄ᵢ = σ̄·(xᵢ − μ)/(σ·(n − c)) + μ̄/n"""

    @staticmethod
    def forward(x, *, dim, correction, keepdim):
        variance, mean = run(VarMean, x, dim=dim, correction=correction, keepdim=keepdim)
        return np.sqrt(variance), mean

    @staticmethod
    def backward(ctx, by_sigma, by_mean):
        (x,) = ctx.saved_tensors
        if by_sigma is not None:
            sigma = run(Std, x, dim=ctx.dim, correction=ctx.correction, keepdim=ctx.keepdim)
            by_sigma = _by_root(by_sigma, sigma)
        return _by_both(by_sigma, by_mean, x, ctx)

    @staticmethod
    def jvp(ctx, dx):
        moved, moved_mean = VarMean.jvp(ctx, dx)  # type: ignore[no-untyped-call]
        return _by_root(moved, ctx.result[0]), moved_mean


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
    return checked_spread(VarMean, input, (dim, axis), (keepdim, keepdims), correction, unbiased)


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
    return checked_spread(StdMean, input, (dim, axis), (keepdim, keepdims), correction, unbiased)


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
        raise ShapeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions, of shape {list(input.shape)}. A row is a variable. "
            "Write `vmap(cov)` for a stack of matrices."
        )
    if input.dtype.kind == "b":
        raise DTypeError(
            "cov(): bool dtype is not supported for input. A mean of True and False is neither. "
            "Write `x.float()`."
        )
    x = input if input.ndim == 2 else reshape(input, (1, input.numel()))
    weights = _checked_weights(x.shape[1], fweights, aweights)
    weighted = x if weights is None else x * weights
    total: Any = x.shape[1] if weights is None else weights.sum()
    if weights is not None and _holds(total == 0):
        raise ArgumentError(
            "cov(): weights sum to zero, can't be normalized. Nothing was observed. "
            "Write a weight that is not 0."
        )
    deviation = x - (weighted.sum(dim=1) / total).unsqueeze(1)
    lost: Any = correction
    if correction and weights is not None and aweights is not None:
        lost = correction * (weights * aweights).sum() / total
    weighted = deviation if weights is None else deviation * weights
    product = mm(deviation, conj(weighted.t()))
    freedom = total - lost
    if _holds(freedom <= 0):
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number "
            "of observations.",
            UserWarning,
            stacklevel=2,
        )
    freedom = clamp(freedom, min=0) if isinstance(freedom, Tensor) else max(freedom, 0)
    return squeeze(product / freedom)


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
            raise ShapeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{weights.ndim} dimensions. There is one weight for each observation. Write them "
                f"in a tensor of shape [{n}]."
            )
        if weights.dtype.kind not in kinds:
            raise DTypeError(
                f"cov(): expected {name} to have {kind} dtype but got {name} with "
                f"{weights.dtype} dtype. The one counts observations, the other weighs them: write "
                "fweights=tensor([1, 2]), aweights=tensor([0.5, 1.0])."
            )
        if weights.numel() != n:
            raise ShapeError(
                f"cov(): expected {name} to have the same numel as there are observations in the "
                f"input but got {weights.numel()} != {n}. Write one weight for each column."
            )
        if _holds(weights < 0):
            raise ArgumentError(
                f"cov(): {name} cannot be negative. An observation was made at least 0 times. "
                f"Write `{name}.clamp(min=0)`."
            )
        found = weights if found is None else found * weights
    return found


def _holds(condition: Any) -> bool:
    """Whether it is so somewhere; no, where it is a batch that cannot be looked at."""
    values = seen(condition)
    return values is not None and bool(np.any(values))
