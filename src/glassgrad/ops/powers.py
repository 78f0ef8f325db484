"""Powers, squares and reciprocals."""

import numpy as np

from glassgrad.base.errors import DTypeError
from glassgrad.core.tensor import Tensor

from ._declaring import op
from ._families import Elementwise
from .arithmetic import Operand


class Reciprocal(Elementwise):
    """y = 1/x        x̄ = −ȳ·y²"""

    node = "ReciprocalBackward0"
    saves = ("result",)
    floating = True

    @staticmethod
    def forward(x):
        return 1 / x

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return -grad * (y * y)


@op(Reciprocal, numpy=(np.reciprocal,))
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


class Rsqrt(Elementwise):
    """y = 1/√x        x̄ = −½·ȳ·y³"""

    node = "RsqrtBackward0"
    saves = ("result",)
    floating = True

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

    node = "PowBackward0"
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
        wants_x, wants_y = ctx.needs_input_grad
        x_bar = grad * np.where(y == 0, 0.0, y * x ** np.where(y == 0, 1.0, y - 1))
        # At x = 0 and y ≥ 0 the power is flat in y; ln 0 would make it nan.
        flat = (x == 0) & (y >= 0)
        y_bar = grad * np.where(flat, 0.0, z * np.log(np.where(flat, 1.0, x)))
        return x_bar if wants_x else None, y_bar if wants_y else None


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
        return grad * z * np.log(ctx.base)


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
