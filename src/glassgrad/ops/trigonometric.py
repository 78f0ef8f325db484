"""Trigonometric and hyperbolic functions and their inverses; atan2, hypot, sinc, degrees."""

import math

import numpy as np

from glassgrad.core.tensor import Tensor

from ._arguments import check_kind
from ._declaring import op
from ._families import Elementwise, Fractional, Linear


class Sin(Fractional):
    """y = sin x        x̄ = ȳ·cos x"""

    saves = ("self",)
    ufunc = np.sin

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Sin.apply(input)


class Cos(Fractional):
    """y = cos x        x̄ = −ȳ·sin x"""

    saves = ("self",)
    ufunc = np.cos

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Cos.apply(input)


class Tanh(Fractional):
    """y = tanh x        x̄ = ȳ·(1 − y²)"""

    saves = ("result",)
    ufunc = np.tanh

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
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
    return Tanh.apply(input)


class Tan(Fractional):
    """y = tan x        x̄ = ȳ·(1 + y²)"""

    saves = ("result",)
    ufunc = np.tan

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
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
    return Tan.apply(input)


class Asin(Fractional):
    """y = asin x        x̄ = ȳ/√(1 − x²)"""

    saves = ("self",)
    ufunc = np.arcsin

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Asin.apply(input)


class Acos(Fractional):
    """y = acos x        x̄ = −ȳ/√(1 − x²)"""

    saves = ("self",)
    ufunc = np.arccos

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Acos.apply(input)


class Atan(Fractional):
    """y = atan x        x̄ = ȳ/(1 + x²)"""

    saves = ("self",)
    ufunc = np.arctan

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Atan.apply(input)


class Atan2(Fractional):
    """z = atan2(x, y)        x̄ = z̄·y/(x² + y²),  ȳ = −z̄·x/(x² + y²)"""

    # As in PyTorch the first operand, here x, is the height: the angle is that of (y, x).
    saves = ("self", "other")
    ufunc = np.arctan2

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
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
    return Atan2.apply(input, other)


class Hypot(Elementwise):
    """z = √(x² + y²)        x̄ = z̄·x/z,  ȳ = z̄·y/z"""

    saves = ("self", "other", "result")

    @staticmethod
    def forward(x, y):
        if x.dtype.kind != "f":
            raise TypeError("lengths are fractions")
        return np.hypot(x, y)

    @staticmethod
    def backward(ctx, grad):
        x, y, z = ctx.saved_tensors
        return grad * (x / z), grad * (y / z)


@op(Hypot, numpy=(np.hypot,), tensors=("input", "other"))
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
    return Hypot.apply(input, other)


class Sinh(Fractional):
    """y = sinh x        x̄ = ȳ·cosh x"""

    saves = ("self",)
    ufunc = np.sinh

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Sinh.apply(input)


class Cosh(Fractional):
    """y = cosh x        x̄ = ȳ·sinh x"""

    saves = ("self",)
    ufunc = np.cosh

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Cosh.apply(input)


class Asinh(Fractional):
    """y = asinh x        x̄ = ȳ/√(x² + 1)"""

    saves = ("self",)
    ufunc = np.arcsinh

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Asinh.apply(input)


class Acosh(Fractional):
    """y = acosh x        x̄ = ȳ/√(x² − 1)"""

    saves = ("self",)
    ufunc = np.arccosh

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Acosh.apply(input)


class Atanh(Fractional):
    """y = atanh x        x̄ = ȳ/(1 − x²)"""

    saves = ("self",)
    ufunc = np.arctanh

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Atanh.apply(input)


class Sinc(Fractional):
    """y = sin(π·x)/(π·x) if x ≠ 0 else 1        x̄ = ȳ·(cos(π·x) − y)/x if x ≠ 0 else 0"""

    saves = ("self",)
    ufunc = np.sinc

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
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
    return Sinc.apply(input)


class Deg2Rad(Linear, Fractional):
    """y = x·π/180        x̄ = ȳ·π/180"""

    ufunc = np.deg2rad

    @staticmethod
    def forward(x):
        check_kind("deg2rad", x, "biuf", _NO_ANGLE)
        return x * (math.pi / 180)

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
    return Deg2Rad.apply(input)


class Rad2Deg(Linear, Fractional):
    """y = x·180/π        x̄ = ȳ·180/π"""

    ufunc = np.rad2deg

    @staticmethod
    def forward(x):
        check_kind("rad2deg", x, "biuf", _NO_ANGLE)
        return x * (180 / math.pi)

    @staticmethod
    def backward(ctx, grad):
        return grad * (180 / math.pi)


_NO_ANGLE = "A complex number is no angle. Write `x.angle()` for its own."


@op(Rad2Deg, numpy=(np.degrees,))
def rad2deg(input: Tensor) -> Tensor:
    """Angles in degrees, of angles in radians; see `deg2rad`.

    Example:
        >>> rad2deg(tensor([0.0, 3.1415927]))
        tensor([  0., 180.])
    """
    return Rad2Deg.apply(input)
