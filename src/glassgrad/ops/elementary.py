"""Elementary functions: exponentials, logarithms, powers and roots; angles, circles, hyperbolas."""

import math
from typing import Any, NamedTuple, cast

import numpy as np

from glassgrad.core.errors import DTypeError, KernelError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows
from glassgrad.values.dtypes import Number, complex128, float64, int64

from . import _checks as check
from ._arguments import Operand, int_of
from ._declaring import function, op
from ._families import Elementwise, Fractional, Linear, Transposed
from ._rules import run
from .conversion import to


class Exp(Fractional):
    """y = eˣ        x̄ = ȳ·y"""

    ufunc = np.exp

    @staticmethod
    def gradient(grad, y):
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


class Log(Fractional):
    """y = ln x        x̄ = ȳ/x"""

    ufunc = np.log

    @staticmethod
    def gradient(grad, x):
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


class Sqrt(Fractional):
    """y = √x        x̄ = ȳ/(2y)"""

    ufunc = np.sqrt

    @staticmethod
    def gradient(grad, y):
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


class Reciprocal(Fractional):
    """y = 1/x        x̄ = −ȳ·y²"""

    ufunc = np.reciprocal

    @staticmethod
    def gradient(grad, y):
        return grad * (-y * y)


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


class Rsqrt(Fractional):
    """y = 1/√x        x̄ = −½·ȳ·y³"""

    @staticmethod
    def forward(x):
        return 1 / np.sqrt(x)

    @staticmethod
    def gradient(grad, y):
        return grad * (y * y * y * -0.5)


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


class Pow(Elementwise):
    """y = xᶜ,  c = exponent        x̄ = ȳ·c·xᶜ⁻¹"""

    @staticmethod
    def forward(x, *, exponent):
        return x**exponent

    @staticmethod
    def gradient(grad, x, *, exponent):
        if exponent == 0:
            return np.zeros_like(grad)  # also where x = 0
        if exponent == 2 and not isinstance(x, Tensor):  # the power of 1 is recorded, as PyTorch's
            return grad * (2 * x)
        return grad * (exponent * x ** (exponent - 1))


class PowTensor(Elementwise):
    """z = xʸ        x̄ = z̄·y·xʸ⁻¹,  ȳ = z̄·z·ln x"""

    node = "PowBackward1"
    saves = ("self", "exponent", "result")

    @staticmethod
    def forward(x, y):
        if x.dtype.kind == "b":
            raise KernelError(
                "\"pow\" not implemented for 'Bool': true and false have no powers. "
                "Write `x.int() ** y`."
            )
        if y.dtype.kind == "i" and x.dtype.kind == "i":  # 1/xʸ without the fraction
            inverse = np.where(abs(x) == 1, x ** (y & 1), 0)
            return np.where(y < 0, inverse, x ** np.maximum(y, 0))
        return x**y

    @staticmethod
    def gradient(grad, x, y, z):
        x_bar = grad * np.where(y == 0, 0.0, y * x ** np.where(y == 0, 1.0, y - 1))
        # At x = 0 and y ≥ 0 the power is flat in y; ln 0 would make it nan.
        flat = (x == 0) & (np.imag(y) == 0) & (np.real(y) >= 0)
        return x_bar, grad * np.where(flat, 0.0, z * np.log(np.where(flat, 1.0, x)))


class PowScalarBase(Elementwise):
    """z = cʸ,  c = base        ȳ = z̄·z·ln c"""

    node = "PowBackward2"
    saves = ("exponent", "result")

    @staticmethod
    def forward(y, *, base):
        return in_rows(base**y)

    @staticmethod
    def gradient(grad, y, z, *, base):
        if base == 0:
            return grad * np.where(np.real(y) >= 0, 0.0, z * -np.inf)
        return grad * z * _log(base)


def _log(number: Number) -> Number:
    """A logarithm as a Python number, which leaves the dtype of what it is multiplied by."""
    found = np.log(number)  # nan of a negative one
    return complex(found) if isinstance(number, complex) else float(found)


@op(Pow, PowScalarBase, PowTensor, numpy=(np.power,), sign="pow")
def pow(input: Operand, exponent: Operand) -> Tensor:
    """`input ** exponent`, element by element.

    Args:
        input, exponent: tensors of shapes that broadcast to `S`, or one of them a number.

    Returns:
        Tensor of shape `S`. The gradient of x⁰ is 0 everywhere, and that of 0ʸ with respect to
        y ≥ 0 is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for an integer tensor to a negative number; a tensor of them rounds to 0.

    Example:
        >>> pow(tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])

    See also: https://pytorch.org/docs/stable/generated/torch.pow.html
    """
    if isinstance(exponent, np.generic):
        exponent = exponent.item()  # a number of NumPy's would bring its own dtype
    if isinstance(exponent, (int, float)) and _is_float(input):  # nearly always
        return Pow.apply(input, exponent=exponent)
    if isinstance(input, (int, float)) and _is_float(exponent):
        return PowScalarBase.apply(exponent, base=float(input))
    if isinstance(exponent, (int, float, complex)) and _is_complex(input):
        return Pow.apply(input, exponent=exponent)
    if isinstance(input, (int, float, complex)) and _is_complex(exponent):
        return PowScalarBase.apply(exponent, base=complex(input))
    if isinstance(exponent, int) and exponent < 0 and isinstance(input, Tensor):
        raise DTypeError(
            f"Integers to negative integer powers are not allowed, got {input.dtype} to the "
            f"power of {exponent}. The result is a fraction. Write `x.float() ** exponent`."
        )
    if isinstance(exponent, int) and isinstance(input, Tensor) and input.dtype.kind != "b":
        check.number(input.dtype, exponent)
    return PowTensor.apply(input, exponent)


def _is_float(x: Operand) -> bool:
    return isinstance(x, Tensor) and x.dtype.kind == "f"


def _is_complex(x: Operand) -> bool:
    return isinstance(x, Tensor) and x.dtype.kind == "c"


@op(numpy=(np.float_power,), out=True, inplace=True)
def float_power(input: Operand, exponent: Operand) -> Tensor:
    """`pow` of float64, or of complex128 where one of both is complex.

    Args:
        input, exponent: tensors of shapes that broadcast to `S`, or one of them a number.

    Returns:
        Tensor of shape `S`.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> float_power(tensor([1, 2, 3]), 2)
        tensor([1., 4., 9.], dtype=glassgrad.float64)

    See also: https://pytorch.org/docs/stable/generated/torch.float_power.html
    """
    kinds = [x.dtype.kind if isinstance(x, Tensor) else type(x) for x in (input, exponent)]
    is_complex = "c" in kinds or complex in kinds
    dtype = complex128 if is_complex else float64
    base, power = [to(x, dtype) if isinstance(x, Tensor) else x for x in (input, exponent)]
    return pow(base, power)


@op(Pow, numpy=(np.square,))
def square(input: Tensor) -> Tensor:
    """`input ** 2`, element by element.

    Example:
        >>> square(tensor([1.0, -3.0]))
        tensor([1., 9.])
    """
    return pow(input, 2)


@function()
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element: Vandermonde's matrix.

    Args:
        x: tensor of shape `(n,)`.
        N: how many powers, from the 0th on. Default: `n`.
        increasing: whether the 0th comes first; else last.

    Returns:
        Tensor of shape `(n, N)`.

    Raises:
        ShapeError: if `x` is no vector, or `N` is negative.

    Example:
        >>> vander(tensor([2, 3]), 3)
        tensor([[4, 2, 1],
                [9, 3, 1]])

    See also: https://pytorch.org/docs/stable/generated/torch.vander.html
    """
    said = "x must be a one-dimensional tensor, got the shape {shape}"
    check.ndim(said, x, (1,), "Each element has a row of powers. Write `x.flatten()`.")
    count = len(x) if N is None else int_of(N, "vander", "N")
    check.least("N must be non-negative, got {}", count, 0, "It counts powers.")
    steps = range(count) if increasing else range(count - 1, -1, -1)
    return pow(x.unsqueeze(1), x.new_tensor(list(steps), dtype=int64))


_LN_2, _LN_10 = math.log(2), math.log(10)


class Exp2(Fractional):
    """y = 2ˣ        x̄ = ȳ·y·ln 2"""

    @staticmethod
    def forward(x):
        return np.exp(x * _LN_2) if x.dtype.kind == "c" else np.exp2(x)

    @staticmethod
    def gradient(grad, y):
        return grad * (y * _LN_2)


@op(Exp2, aliases=("special.exp2",), numpy=(np.exp2,))
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


class Expm1(Fractional):
    """y = eˣ − 1        x̄ = ȳ·(y + 1)"""

    ufunc = np.expm1

    @staticmethod
    def gradient(grad, y):
        return grad * (y + 1)


@op(Expm1, aliases=("special.expm1",))
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


class Log1p(Fractional):
    """y = ln(1 + x)        x̄ = ȳ/(1 + x)"""

    node = "Log1PBackward0"
    ufunc = np.log1p

    @staticmethod
    def gradient(grad, x):
        return grad / (x + 1)


@op(Log1p, aliases=("special.log1p",))
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


class Log2(Fractional):
    """y = log₂ x        x̄ = ȳ/(x·ln 2)"""

    ufunc = np.log2

    @staticmethod
    def gradient(grad, x):
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


class Log10(Fractional):
    """y = log₁₀ x        x̄ = ȳ/(x·ln 10)"""

    ufunc = np.log10

    @staticmethod
    def gradient(grad, x):
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


class Logit(Fractional):
    """y = ln(p/(1 − p)),  p = min(max(x, eps), 1 − eps)
    x̄ = ȳ/(x·(1 − x)) if p = x else 0
    """

    kernel = "logit"

    @staticmethod
    def forward(x, *, eps):
        p = x if eps is None else np.minimum(np.maximum(x, eps), 1 - eps)
        return np.log(p / (1 - p))

    @staticmethod
    def gradient(grad, x, *, eps):
        low, beyond = (0.0, math.nan) if eps is None else (eps, 0.0)
        slope = grad / ((x + 0) * (1 - x))  # -0 + 0 is 0: the slope is inf there, too
        return np.where((x < low) | (x > 1 - low), beyond, slope)


@op(Logit, aliases=("special.logit",))
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


# Of two numbers -----------------------------------------------------------------------------------


class Logaddexp(Elementwise):
    """z = ln(eˣ + eʸ)        x̄ = z̄/(1 + exp(y − x)),  ȳ = z̄/(1 + exp(x − y))"""

    ufunc = np.logaddexp
    kernel, kinds = "logaddexp_cpu", "fc"

    @staticmethod
    def forward(x, y):
        if x.dtype.kind == "f":
            return np.logaddexp(x, y)
        is_first = np.real(x) >= np.real(y)
        top = np.where(is_first, x, y)
        return top + np.log1p(np.exp(np.where(is_first, y, x) - top))

    @staticmethod
    def gradient(grad, x, y):
        return grad / (1 + np.exp(y - x)), grad / (1 + np.exp(x - y))


@op(Logaddexp, inplace=False, tensors=("input", "other"))
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """`log(exp(input) + exp(other))` without overflow, element by element.

    Args:
        input, other: floating-point or complex tensors of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for integers.

    Example:
        >>> logaddexp(tensor([1000.0]), tensor([1000.0]))
        tensor([1000.6932])

    See also: https://pytorch.org/docs/stable/generated/torch.logaddexp.html
    """


class Logaddexp2(Elementwise):
    """z = log₂(2ˣ + 2ʸ)        x̄ = z̄/(1 + 2^{y − x}),  ȳ = z̄/(1 + 2^{x − y})"""

    ufunc = np.logaddexp2
    kernel, kinds = "logaddexp2_cpu", "f"

    @staticmethod
    def gradient(grad, x, y):
        return grad / (1 + np.exp2(y - x)), grad / (1 + np.exp2(x - y))


@op(Logaddexp2, inplace=False, tensors=("input", "other"))
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """`log2(2**input + 2**other)` without overflow, element by element; see `logaddexp`.

    Example:
        >>> logaddexp2(tensor([1000.0]), tensor([1000.0]))
        tensor([1001.])
    """


class Xlogy(Fractional):
    """z = 0 if x = 0 ∧ y = y else x·ln y
    x̄ = 0 if x = 0 ∧ y ≤ 0 else z̄·ln y
    ȳ = z̄·x/y

    Where y is not itself, it is nan.
    """

    kernel = "xlogy_cpu"

    @staticmethod
    def forward(x, y):
        is_zero = (x == 0) & ~np.isnan(y)
        return np.where(is_zero, 0, x * np.log(np.where(is_zero, 1, y)))

    @staticmethod
    def gradient(grad, x, y):
        is_flat = (x == 0) & (y <= 0)
        return np.where(is_flat, 0, run(Xlogy, grad, np.where(is_flat, 1, y))), grad * (x / y)


@op(Xlogy, aliases=("special.xlogy",), inplace_function=True)
def xlogy(input: Operand, other: Operand) -> Tensor:
    """`input·log(other)`, element by element; 0 where `input` is 0, whatever `other` is.

    Args:
        input, other: real tensors of shapes that broadcast to `S`, or one of them a number.

    Returns:
        Tensor of shape `S`; integers become the default dtype. nan where `other` is.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> xlogy(tensor([0.0, 2.0]), tensor([0.0, 1.0]))
        tensor([0., 0.])

    See also: https://pytorch.org/docs/stable/special.html#torch.special.xlogy
    """


class SpecialXlog1py(Fractional):
    """z = 0 if x = 0 ∧ y = y else x·ln(1 + y)
    x̄ = 0 if x = 0 ∧ y ≤ −1 else z̄·ln(1 + y)
    ȳ = z̄·x/(1 + y)

    Where y is not itself, it is nan.
    """

    node = "SpecialXlog1PyBackward0"
    kernel = "xlog1py_cpu"

    @staticmethod
    def forward(x, y):
        is_zero = (x == 0) & ~np.isnan(y)
        return np.where(is_zero, 0, x * np.log1p(np.where(is_zero, 0, y)))

    @staticmethod
    def gradient(grad, x, y):
        is_flat = (x == 0) & (y <= -1)
        slope = run(SpecialXlog1py, grad, np.where(is_flat, 0, y))
        return np.where(is_flat, 0, slope), grad * (x / (y + 1))


@op(SpecialXlog1py, home="special", inplace=False)
def xlog1py(input: Operand, other: Operand) -> Tensor:
    """`input·log1p(other)`, element by element; 0 where `input` is 0: see `xlogy`.

    Example:
        >>> import glassgrad
        >>> glassgrad.special.xlog1py(tensor([0.0, 2.0]), tensor([-1.0, 0.0]))
        tensor([0., 0.])
    """


class Ldexp(Fractional):
    """z = x·2ʸ        x̄ = z̄·2ʸ,  ȳ = z̄·z·ln 2"""

    @staticmethod
    def forward(x, y):
        return x * np.exp2(y)

    @staticmethod
    def gradient(grad, y, z):
        return grad * np.exp2(y), grad * z * _LN_2


@op(Ldexp, numpy=(np.ldexp,), inplace_function=True, tensors=("input", "other"))
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """`input · 2**other`, element by element: the inverse of `frexp`.

    Args:
        input, other: tensors of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`; integers become the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> ldexp(tensor([0.5, 0.75]), tensor([1, 3]))
        tensor([1., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.ldexp.html
    """


class FrexpReturn(NamedTuple):
    """What `frexp` returns."""

    mantissa: Tensor
    exponent: Tensor


class Frexp(Transposed, Elementwise):
    """m, k = frexp x        dm = dx/2ᵏ        x̄ = m̄/2ᵏ"""

    multiple = True
    saves = ("self",)

    @staticmethod
    def forward(x):
        return np.frexp(x)

    @staticmethod
    def backward(ctx, grad):
        return _shrunk(grad, *ctx.saved_tensors)


def _shrunk(value: Any, x: Any) -> Any:
    """A value divided by the power of 2 that is in x."""
    _, exponent = np.frexp(x)
    return value / np.exp2(exponent + np.zeros_like(value))


@op(Frexp, numpy=(np.frexp,), inplace=False)
def frexp(input: Tensor) -> FrexpReturn:
    """Each number as a mantissa from ½ to 1, and a power of 2.

    Args:
        input: floating-point tensor of shape `S`.

    Returns:
        `(mantissa, exponent)`: tensors of shape `S`, the exponents int32, so that
        `input = mantissa · 2**exponent`.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> frexp(tensor([6.0])).exponent
        tensor([3], dtype=glassgrad.int32)

    See also: https://pytorch.org/docs/stable/generated/torch.frexp.html
    """
    check.kernel("torch.frexp() only supports floating-point dtypes: it is", input)
    return FrexpReturn(*cast("Any", Frexp.apply(input)))


# Angles ----------------------------------------------------------------------------------------


class Sin(Fractional):
    """y = sin x        x̄ = ȳ·cos x"""

    ufunc = np.sin

    @staticmethod
    def gradient(grad, x):
        return grad * np.cos(x)


@op(Sin)
def sin(input: Tensor) -> Tensor:
    """The sine, element by element.

    Args:
        input: tensor of shape `S`, in radians; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> sin(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8415])
    """


class Cos(Fractional):
    """y = cos x        x̄ = −ȳ·sin x"""

    ufunc = np.cos

    @staticmethod
    def gradient(grad, x):
        return grad * -np.sin(x)


@op(Cos)
def cos(input: Tensor) -> Tensor:
    """The cosine, element by element.

    Args:
        input: tensor of shape `S`, in radians; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> cos(tensor([0.0, 1.0]))
        tensor([1.0000, 0.5403])
    """


class Tanh(Fractional):
    """y = tanh x        x̄ = ȳ·(1 − y²)"""

    ufunc = np.tanh

    @staticmethod
    def gradient(grad, y):
        return grad * (1 - y * y)


@op(Tanh, aliases=("nn.functional.tanh",))
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, between -1 and 1.

    Example:
        >>> tanh(tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])

    See also: https://pytorch.org/docs/stable/generated/torch.tanh.html
    """


class Tan(Fractional):
    """y = tan x        x̄ = ȳ·(1 + y²)"""

    ufunc = np.tan

    @staticmethod
    def gradient(grad, y):
        return grad * (1 + y * y)


@op(Tan)
def tan(input: Tensor) -> Tensor:
    """The tangent, element by element.

    Args:
        input: tensor of shape `S`, in radians; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> tan(tensor([0.0, 1.0]))
        tensor([0.0000, 1.5574])

    See also: https://pytorch.org/docs/stable/generated/torch.tan.html
    """


class Asin(Fractional):
    """y = asin x        x̄ = ȳ/√(1 − x²)"""

    ufunc = np.arcsin

    @staticmethod
    def gradient(grad, x):
        return grad / np.sqrt(1 - x * x)


@op(Asin, aliases=("arcsin",))
def asin(input: Tensor) -> Tensor:
    """The angle whose sine is given, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, from -π/2 to π/2; nan outside of [-1, 1]. Its gradient at -1 and 1 is
        inf.

    Example:
        >>> asin(tensor([0.0, 1.0]))
        tensor([0.0000, 1.5708])

    See also: https://pytorch.org/docs/stable/generated/torch.asin.html
    """


class Acos(Fractional):
    """y = acos x        x̄ = −ȳ/√(1 − x²)"""

    ufunc = np.arccos

    @staticmethod
    def gradient(grad, x):
        return -grad / np.sqrt(1 - x * x)


@op(Acos, aliases=("arccos",))
def acos(input: Tensor) -> Tensor:
    """The angle whose cosine is given, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, from 0 to π; nan outside of [-1, 1]. Its gradient at -1 and 1 is -inf.

    Example:
        >>> acos(tensor([1.0, 0.0]))
        tensor([0.0000, 1.5708])

    See also: https://pytorch.org/docs/stable/generated/torch.acos.html
    """


class Atan(Fractional):
    """y = atan x        x̄ = ȳ/(1 + x²)"""

    ufunc = np.arctan

    @staticmethod
    def gradient(grad, x):
        return grad / (1 + x * x)


@op(Atan, aliases=("arctan",))
def atan(input: Tensor) -> Tensor:
    """The angle whose tangent is given, element by element; see `atan2`.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, from -π/2 to π/2.

    Example:
        >>> atan(tensor([0.0, 1.0]))
        tensor([0.0000, 0.7854])

    See also: https://pytorch.org/docs/stable/generated/torch.atan.html
    """


class Atan2(Fractional):
    """z = atan2(x, y)        x̄ = z̄·y/(x² + y²),  ȳ = −z̄·x/(x² + y²)"""

    # As in PyTorch the first operand, here x, is the height: the angle is that of (y, x).
    ufunc = np.arctan2

    @staticmethod
    def gradient(grad, x, y):
        square = x * x + y * y
        share = (square != 0) / np.where(square == 0, 1, square)
        return grad * y * share, grad * -x * share


@op(Atan2, aliases=("arctan2",), tensors=("input", "other"))
def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point `(other, input)`, element by element.

    Args:
        input: the heights: real tensor.
        other: the widths: real tensor; both shapes broadcast to `S`.

    Returns:
        Tensor of shape `S`, from -π to π; two integers give the default dtype. At (0, 0), which
        has no angle, the gradient is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> atan2(tensor([1.0, 1.0]), tensor([1.0, -1.0]))
        tensor([0.7854, 2.3562])

    See also: https://pytorch.org/docs/stable/generated/torch.atan2.html
    """


class Hypot(Elementwise):
    """z = √(x² + y²)        x̄ = z̄·x/z,  ȳ = z̄·y/z"""

    kernel = "hypot_cpu"
    ufunc = np.hypot
    saved_if = {"self": 0, "other": 1}

    @staticmethod
    def gradient(grad, x, y, z):
        return None if x is None else grad * (x / z), None if y is None else grad * (y / z)


@op(Hypot, tensors=("input", "other"))
def hypot(input: Tensor, other: Tensor) -> Tensor:
    """The length of the vector `(input, other)`, element by element.

    Args:
        input, other: floating-point tensors of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`, of the promoted dtype. Its gradient at (0, 0) is nan: the cone has no
        tangent plane there.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for integers and complex numbers.

    Example:
        >>> hypot(tensor([3.0]), tensor([4.0]))
        tensor([5.])

    See also: https://pytorch.org/docs/stable/generated/torch.hypot.html
    """


class Sinh(Fractional):
    """y = sinh x        x̄ = ȳ·cosh x"""

    ufunc = np.sinh

    @staticmethod
    def gradient(grad, x):
        return grad * np.cosh(x)


@op(Sinh)
def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> sinh(tensor([0.0, 1.0]))
        tensor([0.0000, 1.1752])

    See also: https://pytorch.org/docs/stable/generated/torch.sinh.html
    """


class Cosh(Fractional):
    """y = cosh x        x̄ = ȳ·sinh x"""

    ufunc = np.cosh

    @staticmethod
    def gradient(grad, x):
        return grad * np.sinh(x)


@op(Cosh)
def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, 1 or larger.

    Example:
        >>> cosh(tensor([0.0, 1.0]))
        tensor([1.0000, 1.5431])

    See also: https://pytorch.org/docs/stable/generated/torch.cosh.html
    """


class Asinh(Fractional):
    """y = asinh x        x̄ = ȳ/√(x² + 1)"""

    ufunc = np.arcsinh

    @staticmethod
    def gradient(grad, x):
        return grad / np.sqrt(x * x + 1)


@op(Asinh, aliases=("arcsinh",))
def asinh(input: Tensor) -> Tensor:
    """The inverse of `sinh`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> asinh(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8814])

    See also: https://pytorch.org/docs/stable/generated/torch.asinh.html
    """


class Acosh(Fractional):
    """y = acosh x        x̄ = ȳ/√(x² − 1)"""

    ufunc = np.arccosh

    @staticmethod
    def gradient(grad, x):
        if x.dtype.kind == "c":  # the branch of the root that acosh is on
            return grad / (np.sqrt(x + 1) * np.sqrt(x - 1))
        return grad / np.sqrt(x * x - 1)


@op(Acosh, aliases=("arccosh",))
def acosh(input: Tensor) -> Tensor:
    """The inverse of `cosh`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, 0 or larger; nan below 1. Its gradient at 1 is inf.

    Example:
        >>> acosh(tensor([1.0, 2.0]))
        tensor([0.0000, 1.3170])

    See also: https://pytorch.org/docs/stable/generated/torch.acosh.html
    """


class Atanh(Fractional):
    """y = atanh x        x̄ = ȳ/(1 − x²)"""

    ufunc = np.arctanh

    @staticmethod
    def gradient(grad, x):
        return grad / (1 - x * x)


@op(Atanh, aliases=("arctanh",))
def atanh(input: Tensor) -> Tensor:
    """The inverse of `tanh`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`: -inf at -1, inf at 1, nan beyond. Its gradient at both is inf.

    Example:
        >>> atanh(tensor([0.0, 0.5]))
        tensor([0.0000, 0.5493])

    See also: https://pytorch.org/docs/stable/generated/torch.atanh.html
    """


class Sinc(Fractional):
    """y = sin(π·x)/(π·x) if x ≠ 0 else 1        x̄ = ȳ·(cos(π·x) − y)/x if x ≠ 0 else 0"""

    ufunc = np.sinc

    @staticmethod
    def gradient(grad, x):
        is_there = x != 0
        slope = (np.cos(x * np.pi) - np.sinc(x)) / np.where(is_there, x, 1)
        return np.where(is_there, grad * slope, 0)


@op(Sinc, aliases=("special.sinc",))
def sinc(input: Tensor) -> Tensor:
    """The cardinal sine `sin(π·x) / (π·x)`, element by element: 1 at 0, where its gradient is 0.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Example:
        >>> sinc(tensor([0.0, 0.5]))
        tensor([1.0000, 0.6366])

    See also: https://pytorch.org/docs/stable/generated/torch.sinc.html
    """


class Deg2Rad(Linear, Fractional):
    """y = x·π/180        x̄ = ȳ·π/180"""

    ufunc = np.deg2rad
    kernel = "deg2rad"

    @staticmethod
    def backward(ctx, grad):
        return grad * (math.pi / 180)


@op(Deg2Rad, numpy=(np.radians,))
def deg2rad(input: Tensor) -> Tensor:
    """Angles in radians, of angles in degrees.

    Args:
        input: real tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for complex numbers.

    Example:
        >>> deg2rad(tensor([180.0, 90.0]))
        tensor([3.1416, 1.5708])
    """


class Rad2Deg(Linear, Fractional):
    """y = x·180/π        x̄ = ȳ·180/π"""

    ufunc = np.rad2deg
    kernel = "rad2deg"

    @staticmethod
    def backward(ctx, grad):
        return grad * (180 / math.pi)


@op(Rad2Deg, numpy=(np.degrees,))
def rad2deg(input: Tensor) -> Tensor:
    """Angles in degrees, of angles in radians; see `deg2rad`.

    Example:
        >>> rad2deg(tensor([0.0, 3.1415927]))
        tensor([  0., 180.])
    """
