"""How much variables vary together: cov."""

import warnings
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import visible

from .complexes import conj
from .linalg import mm
from .selection import clamp
from .shape import reshape, squeeze

__all__ = ["cov"]


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
    _check_total(total)
    deviation = x - (weighted.sum(dim=1) / total).unsqueeze(1)
    lost: Any = correction
    if correction and weights is not None and aweights is not None:
        lost = correction * (weights * aweights).sum() / total
    weighted = deviation if weights is None else deviation * weights
    product = mm(deviation, conj(weighted.t()))
    return squeeze(product / _at_least_0(total - lost))


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
        values = visible(weights.payload)
        if values is not None and bool((values < 0).any()):
            raise ArgumentError(
                f"cov(): {name} cannot be negative. An observation was made at least 0 times. "
                f"Write `{name}.clamp(min=0)`."
            )
        found = weights if found is None else found * weights
    return found


def _check_total(total: Any) -> None:
    """Raise if there are weights, and they are all 0."""
    seen = visible(total.payload) if isinstance(total, Tensor) else None
    if seen is not None and not bool(seen):
        raise ArgumentError(
            "cov(): weights sum to zero, can't be normalized. Nothing was observed. "
            "Write a weight that is not 0."
        )


def _at_least_0(freedom: Any) -> Any:
    """What the sums are divided by; with a warning if it is nothing."""
    seen = visible(freedom.payload) if isinstance(freedom, Tensor) else freedom
    if seen is not None and bool(np.less_equal(seen, 0)):
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number "
            "of observations.",
            UserWarning,
            stacklevel=3,
        )
    return clamp(freedom, min=0) if isinstance(freedom, Tensor) else max(freedom, 0)
