"""Powers, squares and reciprocals."""

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor

from ._families import Elementwise
from ._out import written_to
from ._prepared import Prepared
from .arithmetic import Operand

__all__ = ["pow", "reciprocal", "rsqrt", "square"]


class Reciprocal(Elementwise):
    """y = 1/x        dy = −y²·dx        x̄ = −ȳ·y²"""

    node = "ReciprocalBackward0"
    latex = ("1 / x", r"-y^2\,\dot x", r"\bar x = -\bar y\,y^2")
    saves = ("result",)
    floating = True

    @staticmethod
    def forward(x):
        return 1 / x

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return -grad * (y * y)


def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`1 / input`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. At 0 it is inf, and its gradient -inf.

    Example:
        >>> reciprocal(tensor([2.0, 4.0]))
        tensor([0.5000, 0.2500])
    """
    if out is not None:
        return written_to(out, reciprocal, input)
    return Reciprocal.apply(input)


class Rsqrt(Elementwise):
    """y = 1/√x        dy = −½·y³·dx        x̄ = −½·ȳ·y³"""

    node = "RsqrtBackward0"
    latex = (r"1 / \sqrt x", r"-\tfrac12\,y^3\,\dot x", r"\bar x = -\tfrac12\,\bar y\,y^3")
    saves = ("result",)
    floating = True

    @staticmethod
    def forward(x):
        return 1 / np.sqrt(x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * -0.5 * (y * y * y)


def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`1 / sqrt(input)`, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`: inf at 0, nan below.

    Example:
        >>> rsqrt(tensor([1.0, 4.0]))
        tensor([1.0000, 0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.rsqrt.html
    """
    if out is not None:
        return written_to(out, rsqrt, input)
    return Rsqrt.apply(input)


class Pow(Elementwise):
    """y = xᶜ        dy = c·xᶜ⁻¹·dx        x̄ = ȳ·c·xᶜ⁻¹"""

    node = "PowBackward0"
    latex = ("x^c", r"c\,x^{c-1}\,\dot x", r"\bar x = \bar y\,c\,x^{c-1}")
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
    """z = xʸ        dz = y·xʸ⁻¹·dx + z·ln x·dy        x̄ = z̄·y·xʸ⁻¹,  ȳ = z̄·z·ln x"""

    node = "PowBackward1"
    latex = (
        "x^y",
        r"y\,x^{y-1}\,\dot x + z \ln x\,\dot y",
        r"\bar x = \bar z\,y\,x^{y-1},\ \bar y = \bar z\,z \ln x",
    )
    saves = ("self", "exponent", "result")

    @staticmethod
    def forward(x, y):
        return x**y

    @staticmethod
    def backward(ctx, grad):
        x, y, z = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        x_bar = grad * np.where(y == 0, 0.0, y * x ** np.where(y == 0, 1.0, y - 1))
        # At x = 0 and y ≥ 0 the power is flat in y; ln 0 would make it nan.
        flat = (x == 0) & (y >= 0)
        y_bar = grad * np.where(flat, 0.0, z * np.log(np.where(flat, 1.0, x)))
        return x_bar if wants_x else None, y_bar if wants_y else None


class PowScalarBase(Elementwise):
    """z = cʸ        dz = z·ln c·dy        ȳ = z̄·z·ln c"""

    node = "PowBackward2"
    latex = ("c^y", r"z \ln c\,\dot y", r"\bar y = \bar z\,z \ln c")
    saves = ("exponent", "result")

    @staticmethod
    def forward(y, *, base):
        return base**y

    @staticmethod
    def backward(ctx, grad):
        y, z = ctx.saved_tensors
        if ctx.base == 0:
            return grad * np.where(y >= 0, 0.0, z * -np.inf)
        return grad * z * np.log(ctx.base)


def pow(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input ** exponent`, element by element.

    Args:
        input, exponent: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, pow, input, exponent)
    if isinstance(exponent, (int, float)) and _is_float(input):  # nearly always
        return Pow.apply(input, exponent=exponent)
    if isinstance(input, (int, float)) and _is_float(exponent):
        return PowScalarBase.apply(exponent, base=float(input))
    return prepare_pow(input, exponent).result()


def prepare_pow(input: Operand, exponent: Operand) -> Prepared:
    """What `pow` and `pow_` have in common."""
    if isinstance(exponent, (int, float)) and _is_float(input):
        return Prepared(Pow, (input,), {"exponent": exponent})
    if isinstance(exponent, int) and exponent < 0 and isinstance(input, Tensor):
        raise DTypeError(
            f"Integers to negative integer powers are not allowed, got {input.dtype} to the "
            f"power of {exponent}. The result is a fraction. Write `x.float() ** exponent`."
        )
    return Prepared(PowTensor, (input, exponent))


def _is_float(x: Operand) -> bool:
    return isinstance(x, Tensor) and x.dtype.kind == "f"


def square(input: Tensor) -> Tensor:
    """`input ** 2`, element by element.

    Example:
        >>> square(tensor([1.0, -3.0]))
        tensor([1., 9.])
    """
    return pow(input, 2)
