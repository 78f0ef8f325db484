"""Special functions, computed by SciPy: gamma and error functions, normal probabilities, Bessel.

`glassgrad.special` has them all under PyTorch's names, and those of other files that belong there.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from glassgrad.core.errors import DTypeError, MissingRuleError, RangeError
from glassgrad.core.state import is_recording
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of

from . import _checks as check
from ._arguments import Operand, int_of
from ._declaring import F, applying, op
from ._families import Elementwise, Fractional, forward_of
from ._rules import run

MOST_ROWS = 2**20  # of the matrices that `mvlgamma` is of

_own = functools.partial(op, home="special", inplace=False)
"""Declare a function of `glassgrad.special`."""


class Special(Fractional):
    """A function that SciPy has, of real numbers.

    Attributes:
        scipy: its name in `scipy.special`.
    """

    scipy: ClassVar[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "scipy" in vars(cls):
            cls.kernel = f"{cls.scipy}_cpu"
            own = forward_of(functools.partial(computed, cls.scipy))
            cls.forward = staticmethod(own)  # type: ignore[method-assign]
        super().__init_subclass__(**kwargs)


def computed(name: str, *operands: Any) -> Any:
    """What a function of SciPy's makes of arrays of real numbers, in the dtype of the last one."""
    out = getattr(backend_of(operands[-1]).special(), name)(*operands)
    return np.positive(out, dtype=operands[-1].dtype)


def without_gradient(function: F, forward: Any = None) -> F:
    """Declare a function of `glassgrad.special` by what it makes of arrays, and no more.

    Its class follows from it. As in PyTorch it has no gradient.

    Args:
        forward: what makes it, if that is not the function itself.
    """
    name, is_pair = function.__name__, function.__code__.co_argcount == 2
    body = {
        "__doc__": f"z = {name}(x, n)" if is_pair else f"y = {name} x",
        "__module__": __name__,
        "differentiable": False,
        "forward": staticmethod(forward or (function if is_pair else forward_of(function))),
        "kernel": f"{name}_cpu",
    }
    rule = type(name.title().replace("_", ""), (Fractional,), body)
    return _own(rule)(applying(rule, function))


def of_scipy(scipy: str) -> Callable[[F], F]:
    """Declare one that SciPy has, as a function of x or as polynomials of a degree n, likewise."""

    def of_number(x: Any) -> Any:
        return computed(scipy, x)

    def of_degree(x: Any, n: Any) -> Any:
        return polynomial(scipy, x, n)

    def declare(function: F) -> F:
        is_pair = function.__code__.co_argcount == 2
        return without_gradient(function, of_degree if is_pair else of_number)

    return declare


# The gamma function -------------------------------------------------------------------------------


class Lgamma(Special):
    """y = ln |Γ(x)|        x̄ = ȳ·ψ(x)"""

    kernel = "gammaln_cpu"

    @staticmethod
    def forward(x):
        y = computed("gammaln", x)
        return np.where(x == -math.inf, np.abs(x), y)  # SciPy says −∞ there

    @staticmethod
    def gradient(grad, x):
        return grad * run(Digamma, x)


@op(Lgamma, aliases=("special.gammaln",), inplace_function=False)
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


class Digamma(Special):
    """y = ψ(x)        x̄ = ȳ·ψ'(x)"""

    scipy = "psi"

    @staticmethod
    def gradient(grad, x):
        return grad * run(Polygamma, x, n=1)


@op(Digamma, aliases=("special.digamma", "special.psi"), inplace_function=False)
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


_LARGEST_FACTORIAL = 170  # of which a float64 can be


class Polygamma(Fractional):
    """y = ψ⁽ⁿ⁾(x)        x̄ = ȳ·ψ⁽ⁿ⁺¹⁾(x)"""

    kernel = "polygamma_cpu"

    @staticmethod
    def forward(x, *, n):
        """ψ⁽ⁿ⁾(x) = (−1)ⁿ⁺¹·n!·ζ(n + 1, x)."""
        if n == 0:
            return computed("psi", x)
        factorial = math.factorial(n) if n <= _LARGEST_FACTORIAL else math.inf
        return computed("zeta", np.full_like(x, n + 1), x) * ((-1) ** (n + 1) * factorial)

    @staticmethod
    def gradient(grad, x, *, n):
        return grad * run(Polygamma, x, n=n + 1)


@op(Polygamma, aliases=("special.polygamma",), inplace_function=False)
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
    said = "polygamma(n, x) does not support negative n, got {}. It counts derivatives of digamma"
    why = "Write 0 for digamma itself, or `lgamma(x)` for what it is the derivative of."
    check.least(said, n, 0, why, RangeError)
    return Polygamma.apply(input, n=n)


@op(aliases=("special.multigammaln",), inplace=True, out=True)
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the gamma function of symmetric matrices of `p` rows, element by element.

    Args:
        input: real tensor of shape `S`, larger than `(p - 1) / 2`; integers become the default
            dtype.
        p: how many rows.

    Returns:
        Tensor of shape `S`: `p·(p - 1)/4·ln π + Σⱼ ln Γ(input - j/2)` for j from 0 to p - 1.

    Raises:
        DTypeError: if `p` is not positive.

    Example:
        >>> mvlgamma(tensor([3.0]), 2)
        tensor([1.5502])

    See also: https://pytorch.org/docs/stable/generated/torch.mvlgamma.html
    """
    said = "p has to be greater than or equal to 1, got {}"
    why = "A matrix has rows. Write 1 for `lgamma` itself."
    check.least(said, int_of(p, "mvlgamma", "p"), 1, why, DTypeError)
    if p > MOST_ROWS:
        raise RangeError(
            f"mvlgamma was asked for matrices of {p} rows. It adds a number for each, and there is "
            f"not enough memory for them. Write at most {MOST_ROWS}."
        )
    steps = [lgamma(input - j / 2) for j in range(p)]
    return sum(steps[1:], steps[0] + p * (p - 1) / 4 * math.log(math.pi))


class Igamma(Elementwise):
    """z = gammainc(a, x)        x̄ = z̄·exp((a − 1)·ln x − x − ln Γ(a))"""

    kernel = "igamma_cpu"
    saves = ("self", "other")
    differentiates = slice(1, None)

    @staticmethod
    def forward(a, x):
        return computed("gammainc", a, x)

    @staticmethod
    def gradient(grad, a, x):
        return grad * _gamma_density(a, x)


class Igammac(Igamma):
    """z = gammaincc(a, x)        x̄ = −z̄·exp((a − 1)·ln x − x − ln Γ(a))"""

    kernel = "igammac_cpu"

    @staticmethod
    def forward(a, x):
        return computed("gammaincc", a, x)

    @staticmethod
    def gradient(grad, a, x):
        return -grad * _gamma_density(a, x)


def _gamma_density(a: Any, x: Any) -> Any:
    return np.exp((a - 1) * np.log(x) - x - run(Lgamma, a))


@op(Igamma, aliases=("special.gammainc",), tensors=("input", "other"))
def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The lower incomplete gamma function, divided by the whole one, element by element.

    Args:
        input, other: non-negative floating-point tensors of shapes that broadcast to `S`. The
            first has no gradient, here as in PyTorch.

    Returns:
        Tensor of shape `S`, of the promoted dtype: from 0 at `other` = 0 to 1 at infinity.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for integers.
        MissingRuleError: if `input` requires grad.

    Example:
        >>> igamma(tensor([1.0]), tensor([1.0]))
        tensor([0.6321])

    See also: https://pytorch.org/docs/stable/special.html#torch.special.gammainc
    """
    _check_fixed("igamma", input)
    return Igamma.apply(input, other)


@op(Igammac, aliases=("special.gammaincc",), tensors=("input", "other"))
def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The upper incomplete gamma function, divided by the whole one: `1 - igamma(input, other)`.

    Example:
        >>> igammac(tensor([1.0]), tensor([1.0]))
        tensor([0.3679])
    """
    _check_fixed("igammac", input)
    return Igammac.apply(input, other)


class SpecialZeta(Fractional):
    """z = zeta(x, y)        ȳ = −z̄·x·zeta(x + 1, y)"""

    kernel = "zeta_cpu"
    differentiates = slice(1, None)

    @staticmethod
    def forward(x, y):
        return computed("zeta", x, y)

    @staticmethod
    def gradient(grad, x, y):
        return grad * -x * run(SpecialZeta, x + 1, y)


@_own(SpecialZeta)
def zeta(input: Operand, other: Operand) -> Tensor:
    """The Hurwitz zeta function `Σₖ 1/(other + k)**input`, element by element.

    Args:
        input, other: real tensors of shapes that broadcast to `S`, or one of them a number. The
            first has no gradient, here as in PyTorch.

    Returns:
        Tensor of shape `S`; integers become the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        MissingRuleError: if `input` requires grad.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.zeta(tensor([2.0, 4.0]), 1)
        tensor([1.6449, 1.0823])
    """
    _check_fixed("zeta", input)
    return SpecialZeta.apply(input, other)


def _check_fixed(name: str, input: Operand) -> None:
    """Raise MissingRuleError if a gradient of the first operand would be wanted."""
    if isinstance(input, Tensor) and input.requires_grad and is_recording():
        raise MissingRuleError(
            f"the derivative for '{name}: input' is not implemented. PyTorch has none either. "
            "Write `input.detach()`."
        )


# The error function and the normal distribution ---------------------------------------------------

_SLOPE_AT_0 = 2 / math.sqrt(math.pi)  # of erf


class Erf(Special):
    """y = erf x        x̄ = ȳ·2·exp(−x²)/√π"""

    scipy = "erf"

    @staticmethod
    def gradient(grad, x):
        return grad * (_SLOPE_AT_0 * np.exp(-x * x))


@op(Erf, aliases=("special.erf",))
def erf(input: Tensor) -> Tensor:
    """The error function `2/√π·∫ exp(−t²) dt` from 0 to `input`, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> erf(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8427])
    """


class Erfc(Special):
    """y = erfc x        x̄ = −ȳ·2·exp(−x²)/√π"""

    scipy = "erfc"

    @staticmethod
    def gradient(grad, x):
        return grad * (-_SLOPE_AT_0 * np.exp(-x * x))


@op(Erfc, aliases=("special.erfc",))
def erfc(input: Tensor) -> Tensor:
    """`1 - erf(input)`, with all digits where that is small; see `erf`.

    Example:
        >>> erfc(tensor([0.0, 1.0]))
        tensor([1.0000, 0.1573])
    """


class Erfinv(Special):
    """y = erfinv x        x̄ = ȳ·√π·exp((erfinv x)²)/2"""

    scipy = "erfinv"

    @staticmethod
    def gradient(grad, x):
        return grad * (np.exp(run(Erfinv, x) ** 2) / _SLOPE_AT_0)


@op(Erfinv, aliases=("special.erfinv",), inplace_function=False)
def erfinv(input: Tensor) -> Tensor:
    """The inverse of `erf`, element by element: inf at 1, nan beyond.

    Example:
        >>> erfinv(tensor([0.0, 0.5]))
        tensor([0.0000, 0.4769])
    """


class SpecialErfcx(Special):
    """y = erfcx x        x̄ = ȳ·(2·x·y − 2/√π)"""

    scipy = "erfcx"

    @staticmethod
    def gradient(grad, x, y):
        return grad * (2 * x * y - _SLOPE_AT_0)


@_own(SpecialErfcx)
def erfcx(input: Tensor) -> Tensor:
    """`exp(input²)·erfc(input)`, which does not vanish far out; see `erf`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.erfcx(tensor([0.0, 100.0]))
        tensor([1.0000, 0.0056])
    """


@_own()
def ndtr(input: Tensor) -> Tensor:
    """The probability that a normal number is smaller than `input`, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.ndtr(tensor([0.0, 1.0]))
        tensor([0.5000, 0.8413])

    See also: https://pytorch.org/docs/stable/special.html#torch.special.ndtr
    """
    return (1 + erf(input * math.sqrt(0.5))) * 0.5


class SpecialLogNdtr(Special):
    """y = log_ndtr x        x̄ = ȳ·exp(−x²/2 − y)/√(2·π)"""

    scipy = "log_ndtr"

    @staticmethod
    def gradient(grad, x, y):
        return grad * (np.exp(-x * x / 2 - y) / math.sqrt(2 * math.pi))


@_own(SpecialLogNdtr)
def log_ndtr(input: Tensor) -> Tensor:
    """The logarithm of `ndtr`, with all digits where that is small.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.log_ndtr(tensor([-10.0, 0.0]))
        tensor([-53.2313,  -0.6931])
    """


class SpecialNdtri(Special):
    """y = ndtri x        x̄ = ȳ·√(2·π)·exp(y²/2)"""

    scipy = "ndtri"

    @staticmethod
    def gradient(grad, y):
        return grad * (math.sqrt(2 * math.pi) * np.exp(y * y / 2))


@_own(SpecialNdtri)
def ndtri(input: Tensor) -> Tensor:
    """The inverse of `ndtr`, element by element: -inf at 0, inf at 1, nan beyond.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.ndtri(tensor([0.5, 0.8413447]))
        tensor([0.0000, 1.0000])
    """


class SpecialEntr(Special):
    """y = entr x        x̄ = −ȳ·(1 + ln x)"""

    scipy = "entr"

    @staticmethod
    def gradient(grad, x):
        return grad * -(1 + np.log(x))


@_own(SpecialEntr)
def entr(input: Tensor) -> Tensor:
    """The terms of an entropy, `-x·log x`, element by element: 0 at 0, -inf below.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.entr(tensor([0.0, 0.5, 1.0]))
        tensor([0.0000, 0.3466, -0.0000])
    """


# Bessel functions ---------------------------------------------------------------------------------


class I0(Special):
    """y = i0 x        x̄ = ȳ·i1 x"""

    scipy = "i0"

    @staticmethod
    def gradient(grad, x):
        return grad * run(SpecialI1, x)


@op(I0, aliases=("special.i0", "special.modified_bessel_i0"), numpy=(np.i0,))
def i0(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0, element by element.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> i0(tensor([0.0, 1.0]))
        tensor([1.0000, 1.2661])
    """


class SpecialI0e(Special):
    """y = exp(−|x|)·i0 x        x̄ = ȳ·(exp(−|x|)·i1 x − y·sgn x)"""

    node = "SpecialI0EBackward0"
    scipy = "i0e"

    @staticmethod
    def gradient(grad, x, y):
        return grad * (run(SpecialI1e, x) - np.sign(x) * y)


@_own(SpecialI0e)
def i0e(input: Tensor) -> Tensor:
    """`exp(-|input|)·i0(input)`, which does not grow, element by element.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.i0e(tensor([0.0, 1.0]))
        tensor([1.0000, 0.4658])
    """


class SpecialI1(Special):
    """y = i1 x        x̄ = ȳ·(i0 x − y/x) if x ≠ 0 else ȳ/2"""

    scipy = "i1"

    @staticmethod
    def gradient(grad, x, y):
        return grad * np.where(x == 0, 0.5, run(I0, x) - y / np.where(x == 0, 1, x))


@_own(SpecialI1, aliases=("special.modified_bessel_i1",))
def i1(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 1, element by element.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.i1(tensor([0.0, 1.0]))
        tensor([0.0000, 0.5652])
    """


class SpecialI1e(Special):
    """y = exp(−|x|)·i1 x        x̄ = ȳ·(exp(−|x|)·i0 x − y·(sgn x + 1/x)) if x ≠ 0 else ȳ/2"""

    node = "SpecialI1EBackward0"
    scipy = "i1e"

    @staticmethod
    def gradient(grad, x, y):
        slope = run(SpecialI0e, x) - y * (np.sign(x) + 1 / np.where(x == 0, 1, x))
        return grad * np.where(x == 0, 0.5, slope)


@_own(SpecialI1e)
def i1e(input: Tensor) -> Tensor:
    """`exp(-|input|)·i1(input)`, which does not grow, element by element.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.i1e(tensor([0.0, 1.0]))
        tensor([0.0000, 0.2079])
    """


@of_scipy("j0")
def bessel_j0(input: Tensor) -> Tensor:
    """The Bessel function of the first kind of order 0, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_j0(tensor([1.0]))
        tensor([0.7652])
    """


@of_scipy("j1")
def bessel_j1(input: Tensor) -> Tensor:
    """The Bessel function of the first kind of order 1, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_j1(tensor([1.0]))
        tensor([0.4401])
    """


@of_scipy("y0")
def bessel_y0(input: Tensor) -> Tensor:
    """The Bessel function of the second kind of order 0, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_y0(tensor([1.0]))
        tensor([0.0883])
    """


@of_scipy("y1")
def bessel_y1(input: Tensor) -> Tensor:
    """The Bessel function of the second kind of order 1, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.bessel_y1(tensor([1.0]))
        tensor([-0.7812])
    """


@of_scipy("k0")
def modified_bessel_k0(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind of order 0; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.modified_bessel_k0(tensor([1.0]))
        tensor([0.4210])
    """


@of_scipy("k1")
def modified_bessel_k1(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind of order 1; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.modified_bessel_k1(tensor([1.0]))
        tensor([0.6019])
    """


@of_scipy("k0e")
def scaled_modified_bessel_k0(input: Tensor) -> Tensor:
    """`exp(input)·modified_bessel_k0(input)`, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.scaled_modified_bessel_k0(tensor([1.0]))
        tensor([1.1445])
    """


@of_scipy("k1e")
def scaled_modified_bessel_k1(input: Tensor) -> Tensor:
    """`exp(input)·modified_bessel_k1(input)`, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.scaled_modified_bessel_k1(tensor([1.0]))
        tensor([1.6362])
    """


@without_gradient
def airy_ai(input: Tensor) -> Tensor:
    """The Airy function Ai, element by element; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.airy_ai(tensor([0.0, 1.0]))
        tensor([0.3550, 0.1353])
    """
    return np.positive(backend_of(input).special().airy(input)[0], dtype=input.dtype)


@without_gradient
def spherical_bessel_j0(input: Tensor) -> Tensor:
    """The spherical Bessel function of the first kind of order 0; it has no gradient.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.spherical_bessel_j0(tensor([0.0, 1.0]))
        tensor([1.0000, 0.8415])
    """
    x: Any = input
    ratio: Any = np.where(np.isinf(x), 0, np.sinc(np.where(np.isinf(x), 0, x) / math.pi))
    return ratio


# Orthogonal polynomials ---------------------------------------------------------------------------


MOST_DEGREE = 10_000_000


def polynomial(name: str, x: Any, n: Any, lower: int = 0) -> Any:
    """The values at x of polynomials of SciPy's, of degree n: what of it is whole.

    Args:
        lower: how many degrees lower. Of a negative degree the value is 0.
    """
    degree = np.positive(n, dtype=np.int64, casting="unsafe") - lower
    if (highest := np.max(degree, initial=0)) > MOST_DEGREE:
        raise RangeError(
            f"a polynomial of degree {highest} is not computed. That takes as many steps for each "
            f"element. Write a degree up to {MOST_DEGREE:,}."
        )
    return np.where(degree < 0, 0, computed(name, np.where(degree < 0, 0, degree), x))


@of_scipy("eval_chebyt")
def chebyshev_polynomial_t(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the first kind, of degree `n` at `x`.

    Args:
        x, n: real tensors of shapes that broadcast to `S`, or one of them a number; of the degree
            n what is whole.

    Returns:
        Tensor of shape `S`; integers become the default dtype. 0 for negative n.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_t(tensor([2.0]), 2)
        tensor([7.])
    """


@of_scipy("eval_chebyu")
def chebyshev_polynomial_u(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the second kind, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_u(tensor([2.0]), 2)
        tensor([15.])
    """


@of_scipy("eval_hermite")
def hermite_polynomial_h(x: Operand, n: Operand) -> Tensor:
    """Hermite polynomials, the physicists', of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.hermite_polynomial_h(tensor([2.0]), 2)
        tensor([14.])
    """


@of_scipy("eval_hermitenorm")
def hermite_polynomial_he(x: Operand, n: Operand) -> Tensor:
    """Hermite polynomials, the probabilists', of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.hermite_polynomial_he(tensor([2.0]), 2)
        tensor([3.])
    """


@of_scipy("eval_laguerre")
def laguerre_polynomial_l(x: Operand, n: Operand) -> Tensor:
    """Laguerre polynomials, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.laguerre_polynomial_l(tensor([2.0]), 2)
        tensor([-1.])
    """


@of_scipy("eval_legendre")
def legendre_polynomial_p(x: Operand, n: Operand) -> Tensor:
    """Legendre polynomials, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.legendre_polynomial_p(tensor([2.0]), 2)
        tensor([5.5000])
    """


@of_scipy("eval_sh_chebyt")
def shifted_chebyshev_polynomial_t(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the first kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_t(tensor([2.0]), 2)
        tensor([17.])
    """


@of_scipy("eval_sh_chebyu")
def shifted_chebyshev_polynomial_u(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the second kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_u(tensor([2.0]), 2)
        tensor([35.])
    """


@without_gradient
def chebyshev_polynomial_v(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the third kind, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_v(tensor([2.0]), 2)
        tensor([11.])
    """
    return polynomial("eval_chebyu", x, n) - polynomial("eval_chebyu", x, n, 1)


@without_gradient
def chebyshev_polynomial_w(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the fourth kind, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.chebyshev_polynomial_w(tensor([2.0]), 2)
        tensor([19.])
    """
    return polynomial("eval_chebyu", x, n) + polynomial("eval_chebyu", x, n, 1)


@without_gradient
def shifted_chebyshev_polynomial_v(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the third kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_v(tensor([2.0]), 2)
        tensor([29.])
    """
    return polynomial("eval_sh_chebyu", x, n) - polynomial("eval_sh_chebyu", x, n, 1)


@without_gradient
def shifted_chebyshev_polynomial_w(x: Operand, n: Operand) -> Tensor:
    """Chebyshev polynomials of the fourth kind, of 2x − 1, of degree `n` at `x`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.shifted_chebyshev_polynomial_w(tensor([2.0]), 2)
        tensor([41.])
    """
    return polynomial("eval_sh_chebyu", x, n) + polynomial("eval_sh_chebyu", x, n, 1)
