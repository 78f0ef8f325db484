"""Exponentials, logarithms and roots, element by element: exp, log, sqrt, pow and their kin."""

import math

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import Number

from ._arguments import check_kind
from ._declaring import op
from ._families import Elementwise, Fractional
from .arithmetic import Operand


class Exp(Fractional):
    """y = eˣ        x̄ = ȳ·y"""

    saves = ("result",)
    ufunc = np.exp

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


@op(Exp)
def exp(input: Tensor) -> Tensor:
    """`e ** input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> exp(tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])

    See also: https://pytorch.org/docs/stable/generated/torch.exp.html
    """
    return Exp.apply(input)


class Log(Fractional):
    """y = ln x        x̄ = ȳ/x"""

    saves = ("self",)
    ufunc = np.log

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / x


@op(Log)
def log(input: Tensor) -> Tensor:
    """The natural logarithm, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log(tensor([1.0, 10.0]))
        tensor([0.0000, 2.3026])

    See also: https://pytorch.org/docs/stable/generated/torch.log.html
    """
    return Log.apply(input)


class Sqrt(Fractional):
    """y = √x        x̄ = ȳ/(2y)"""

    saves = ("result",)
    ufunc = np.sqrt

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad / (2 * y)


@op(Sqrt)
def sqrt(input: Tensor) -> Tensor:
    """The square root, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: nan below 0. Its gradient at 0 is inf.

    Example:
        >>> sqrt(tensor([4.0, 9.0]))
        tensor([2., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.sqrt.html
    """
    return Sqrt.apply(input)


class Reciprocal(Fractional):
    """y = 1/x        x̄ = −ȳ·y²"""

    saves = ("result",)
    ufunc = np.reciprocal

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return -grad * (y * y)


@op(Reciprocal)
def reciprocal(input: Tensor) -> Tensor:
    """`1 / input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`. At 0 it is inf, and its gradient -inf.

    Example:
        >>> reciprocal(tensor([2.0, 4.0]))
        tensor([0.5000, 0.2500])
    """
    return Reciprocal.apply(input)


class Rsqrt(Fractional):
    """y = 1/√x        x̄ = −½·ȳ·y³"""

    saves = ("result",)

    @staticmethod
    def forward(x):
        return 1 / np.sqrt(x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * -0.5 * (y * y * y)


@op(Rsqrt)
def rsqrt(input: Tensor) -> Tensor:
    """`1 / sqrt(input)`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: inf at 0, nan below.

    Example:
        >>> rsqrt(tensor([1.0, 4.0]))
        tensor([1.0000, 0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.rsqrt.html
    """
    return Rsqrt.apply(input)


class Pow(Elementwise):
    """y = xᶜ,  c = exponent        x̄ = ȳ·c·xᶜ⁻¹"""

    saves = ("self",)

    @staticmethod
    def forward(x, *, exponent):
        return x**exponent

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        c = ctx.exponent
        if c == 0:
            return np.zeros_like(grad)  # also where x = 0
        if c == 2:  # the square
            return grad * (2 * x)
        return grad * (c * x ** (c - 1))


class PowTensor(Elementwise):
    """z = xʸ        x̄ = z̄·y·xʸ⁻¹,  ȳ = z̄·z·ln x"""

    node = "PowBackward1"
    saves = ("self", "exponent", "result")

    @staticmethod
    def forward(x, y):
        return x**y

    @staticmethod
    def backward(ctx, grad):
        x, y, z = ctx.saved_tensors
        x_bar = grad * np.where(y == 0, 0.0, y * x ** np.where(y == 0, 1.0, y - 1))
        # At x = 0 and y ≥ 0 the power is flat in y; ln 0 would make it nan.
        flat = (x == 0) & (y >= 0)
        return x_bar, grad * np.where(flat, 0.0, z * np.log(np.where(flat, 1.0, x)))


class PowScalarBase(Elementwise):
    """z = cʸ,  c = base        ȳ = z̄·z·ln c"""

    node = "PowBackward2"
    saves = ("exponent", "result")

    @staticmethod
    def forward(y, *, base):
        return base**y

    @staticmethod
    def backward(ctx, grad):
        y, z = ctx.saved_tensors
        if ctx.base == 0:
            return grad * np.where(y >= 0, 0.0, z * -np.inf)
        return grad * z * _log(ctx.base)


def _log(number: Number) -> Number:
    """A logarithm as a Python number, which leaves the dtype of what it is multiplied by."""
    found = np.log(number)  # nan of a negative one
    return complex(found) if isinstance(number, complex) else float(found)


@op(Pow, PowScalarBase, PowTensor, numpy=(np.power, np.float_power))
def pow(input: Operand, exponent: Operand) -> Tensor:
    """`input ** exponent`, element by element.

    Args:
        input, exponent: tensors of shapes that broadcast to `S`, or one of them a number.

    Returns:
        Tensor of shape `S`. The gradient of x⁰ is 0 everywhere, and that of 0ʸ with respect to
        y ≥ 0 is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for an integer tensor to a negative integer power.

    Example:
        >>> pow(tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])

    See also: https://pytorch.org/docs/stable/generated/torch.pow.html
    """
    if isinstance(exponent, (int, float)) and _is_float(input):  # nearly always
        return Pow.apply(input, exponent=exponent)
    if isinstance(input, (int, float)) and _is_float(exponent):
        return PowScalarBase.apply(exponent, base=float(input))
    if isinstance(exponent, int) and exponent < 0 and isinstance(input, Tensor):
        raise DTypeError(
            f"Integers to negative integer powers are not allowed, got {input.dtype} to the "
            f"power of {exponent}. The result is a fraction. Write `x.float() ** exponent`."
        )
    return PowTensor.apply(input, exponent)


def _is_float(x: Operand) -> bool:
    return isinstance(x, Tensor) and x.dtype.kind == "f"


@op(Pow, numpy=(np.square,), out=False)
def square(input: Tensor) -> Tensor:
    """`input ** 2`, element by element.

    Example:
        >>> square(tensor([1.0, -3.0]))
        tensor([1., 9.])
    """
    return pow(input, 2)


_LN_2, _LN_10 = math.log(2), math.log(10)


class Exp2(Fractional):
    """y = 2ˣ        x̄ = ȳ·y·ln 2"""

    saves = ("result",)

    @staticmethod
    def forward(x):
        return np.exp(x * _LN_2) if x.dtype.kind == "c" else np.exp2(x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y * _LN_2


@op(Exp2, numpy=(np.exp2,))
def exp2(input: Tensor) -> Tensor:
    """`2 ** input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> exp2(tensor([0.0, 3.0]))
        tensor([1., 8.])

    See also: https://pytorch.org/docs/stable/generated/torch.exp2.html
    """
    return Exp2.apply(input)


class Expm1(Fractional):
    """y = eˣ − 1        x̄ = ȳ·(y + 1)"""

    saves = ("result",)
    ufunc = np.expm1

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (y + 1)


@op(Expm1)
def expm1(input: Tensor) -> Tensor:
    """`e ** input - 1`, element by element, with all digits where `input` is small.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> expm1(tensor([0.0, 1.0]))
        tensor([0.0000, 1.7183])

    See also: https://pytorch.org/docs/stable/generated/torch.expm1.html
    """
    return Expm1.apply(input)


class Log1p(Fractional):
    """y = ln(1 + x)        x̄ = ȳ/(1 + x)"""

    node = "Log1PBackward0"
    saves = ("self",)
    ufunc = np.log1p

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (x + 1)


@op(Log1p)
def log1p(input: Tensor) -> Tensor:
    """The natural logarithm of `1 + input`, with all digits where `input` is small.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: -inf at -1, nan below.

    Example:
        >>> log1p(tensor([0.0, 1.0]))
        tensor([0.0000, 0.6931])

    See also: https://pytorch.org/docs/stable/generated/torch.log1p.html
    """
    return Log1p.apply(input)


class Log2(Fractional):
    """y = log₂ x        x̄ = ȳ/(x·ln 2)"""

    saves = ("self",)
    ufunc = np.log2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (x * _LN_2)


@op(Log2)
def log2(input: Tensor) -> Tensor:
    """The logarithm to the base 2, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log2(tensor([1.0, 8.0]))
        tensor([0., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.log2.html
    """
    return Log2.apply(input)


class Log10(Fractional):
    """y = log₁₀ x        x̄ = ȳ/(x·ln 10)"""

    saves = ("self",)
    ufunc = np.log10

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad / (x * _LN_10)


@op(Log10)
def log10(input: Tensor) -> Tensor:
    """The logarithm to the base 10, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: -inf at 0, nan below.

    Example:
        >>> log10(tensor([1.0, 50.0]))
        tensor([0.0000, 1.6990])

    See also: https://pytorch.org/docs/stable/generated/torch.log10.html
    """
    return Log10.apply(input)


class Logit(Fractional):
    """y = ln(p/(1 − p)),  p = min(max(x, eps), 1 − eps)
    x̄ = ȳ/(x·(1 − x)) if p = x else 0
    """

    saves = ("self",)

    @staticmethod
    def forward(x, *, eps):
        why = "Odds are those of a probability. Write `log(x / (1 - x))` for another number."
        check_kind("logit is", x, "biuf", why)
        p = x if eps is None else np.minimum(np.maximum(x, eps), 1 - eps)
        return np.log(p / (1 - p))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        low, beyond = (0.0, math.nan) if ctx.eps is None else (ctx.eps, 0.0)
        slope = grad / ((x + 0) * (1 - x))  # -0 + 0 is 0: the slope is inf there, too
        return np.where((x < low) | (x > 1 - low), beyond, slope)


@op(Logit)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """The logarithm of the odds `p / (1 - p)`, element by element: the inverse of `sigmoid`.

    Args:
        input: probabilities, of shape `S`; integers become the default dtype.
        eps: how near they may come to 0 and 1; those that are nearer are moved away. None: all
            are taken as they are.

    Returns:
        Tensor of shape `S`; nan outside of [0, 1] without `eps`. Probabilities that were moved
        have gradient 0.

    Raises:
        DTypeError: for complex numbers.

    Example:
        >>> logit(tensor([0.5, 0.75]))
        tensor([0.0000, 1.0986])

    See also: https://pytorch.org/docs/stable/generated/torch.logit.html
    """
    return Logit.apply(input, eps=eps)
