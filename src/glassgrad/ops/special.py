"""The gamma function by its logarithm, and the derivatives of that: lgamma, digamma, polygamma.
# Note [Far out, all are smooth]
# For large x the derivatives of ln Γ are sums of few powers of x, as Stirling's series is one.
# Γ(x + 1) = x·Γ(x) leads there from smaller x, and Γ(x)·Γ(1 − x) = π/sin πx from below ½.
# (Abramowitz & Stegun, 6.4.6, 6.4.7, 6.4.11.)
"""

import functools
import math
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy, backend_of

from ._declaring import op
from ._families import Fractional, run

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""B₂, B₄, …"""

_FAR = 10
"""How far x is moved: from here on the series is as exact as a float64."""


class Lgamma(Fractional):
    """y = ln |Γ(x)|        x̄ = ȳ·ψ(x)"""

    saves = ("self",)

    @staticmethod
    def forward(x):
        return backend_of(x).asarray(_log_gamma(asnumpy(x)), x.dtype)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * run(Digamma, x)


@functools.partial(np.frompyfunc, nin=1, nout=1)
def _log_gamma(x: float) -> float:
    """The logarithm of |Γ(x)|, by the C library: of one number at a time, on the CPU."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # a pole; a number without room for its result
        return math.inf


@op(Lgamma)
def lgamma(input: Tensor) -> Tensor:
    """The logarithm of the absolute value of the gamma function, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: `ln (n - 1)!` at a whole number n; inf at 0 and below at whole numbers.

    Example:
        >>> lgamma(tensor([0.5, 1.0, 4.0]))
        tensor([0.5724, 0.0000, 1.7918])

    See also: https://pytorch.org/docs/stable/generated/torch.lgamma.html
    """
    return Lgamma.apply(input)


class Digamma(Fractional):
    """y = ψ(x)        x̄ = ȳ·ψ'(x)"""

    saves = ("self",)

    @staticmethod
    def forward(x):
        wide = _wide(x)
        y = np.where(wide == 0, -1 / wide, _mirrored(wide, 0))  # -0 has another sign
        is_pole = (wide < 0) & (wide == np.floor(wide))
        return _as_narrow_as(x, np.where(is_pole, math.nan, y))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * run(Polygamma, x, n=1)


@op(Digamma)
def digamma(input: Tensor) -> Tensor:
    """The derivative of `lgamma`, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below at whole numbers.

    Example:
        >>> digamma(tensor([0.5, 1.0]))
        tensor([-1.9635, -0.5772])

    See also: https://pytorch.org/docs/stable/generated/torch.digamma.html
    """
    return Digamma.apply(input)


class Polygamma(Fractional):
    """y = ψ⁽ⁿ⁾(x)        x̄ = ȳ·ψ⁽ⁿ⁺¹⁾(x)"""

    saves = ("self",)

    @staticmethod
    def forward(x, *, n):
        if n == 0:
            return Digamma.forward(x)
        return _as_narrow_as(x, _mirrored(_wide(x), n))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * run(Polygamma, x, n=ctx.n + 1)


def _far_polygamma(n: int, x: Any) -> Any:
    """ψ⁽ⁿ⁾(x) = (−1)ⁿ⁺¹·n!·Σ (x + k)⁻ⁿ⁻¹ for x ≥ ½ and n > 0; ψ(x) itself for n = 0."""
    z, steps = x + _FAR, 0.0
    for k in range(_FAR):
        steps = steps + (x + k) ** -(n + 1.0)
    rest = z ** -float(n) / n if n else -np.log(z)
    total = steps + rest + z ** -(n + 1.0) / 2
    for j, b in enumerate(_BERNOULLI, 1):
        ways = math.factorial(n + 2 * j - 1) / (math.factorial(n) * math.factorial(2 * j))
        total = total + b * ways * z ** -(n + 2.0 * j)
    return total * ((-1) ** (n + 1) * math.factorial(n))


@op(Polygamma)
def polygamma(n: int, input: Tensor) -> Tensor:
    """The `n`-th derivative of `digamma`, element by element.

    Args:
        n: which derivative: 0 is `digamma` itself.
        input: real tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Raises:
        ArgumentError: for a negative `n`.

    Example:
        >>> polygamma(1, tensor([0.5, 1.0]))
        tensor([4.9348, 1.6449])

    See also: https://pytorch.org/docs/stable/generated/torch.polygamma.html
    """
    if n < 0:
        raise ArgumentError(
            f"polygamma(n, x) does not support negative n, got {n}. It counts derivatives of "
            "digamma. Write 0 for digamma itself, or `lgamma(x)` for what it is the derivative of."
        )
    return Polygamma.apply(input, n=n)


# From below ½, and to other dtypes --------------------------------------------------------------


def _mirrored(x: Any, n: int) -> Any:
    """ψ⁽ⁿ⁾ everywhere, given that above ½.

    ψ(x) = ψ(1 − x) − π·cot πx, n times derived. With c = cot πx and c' = −π·(1 + c²) the n-th
    derivative of c is πⁿ·Qₙ(c), where Q₀ = c and Qₙ₊₁ = −(1 + c²)·Qₙ'.
    """
    angle = math.pi * (x - np.rint(x))  # its sine is 0 at integers, to the last digit
    cotangent = np.cos(angle) / np.sin(angle)
    value, *others = _derived_cotangent(n)
    for q in others:
        value = value * cotangent + q
    y = _far_polygamma(n, np.where(x < 0.5, 1 - x, x))
    return np.where(x < 0.5, (-1) ** n * y - math.pi ** (n + 1) * value, y)


def _derived_cotangent(n: int) -> list[float]:
    """The coefficients of Qₙ, that of the highest power first."""
    q = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n):
        q = -np.polynomial.Polynomial([1.0, 0.0, 1.0]) * q.deriv()
    return [float(each) for each in reversed(q.coef)]


def _wide(x: Any) -> Any:
    """As float64: the steps from x to where the series holds cost digits."""
    return np.positive(x, dtype=np.float64)


def _as_narrow_as(x: Any, y: Any) -> Any:
    return np.positive(y, dtype=x.dtype)
