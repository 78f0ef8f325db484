"""Exponentials, logarithms, roots and trigonometric functions: one operand, element by element."""

import numpy as np

from glassgrad.core.tensor import Tensor

from ._declaring import op
from ._families import Elementwise


class Exp(Elementwise):
    """y = eˣ        x̄ = ȳ·y"""

    node = "ExpBackward0"
    saves = ("result",)
    floating = True
    ufunc = np.exp

    @staticmethod
    def forward(x):
        return np.exp(x)

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


class Log(Elementwise):
    """y = ln x        x̄ = ȳ/x"""

    node = "LogBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.log

    @staticmethod
    def forward(x):
        return np.log(x)

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


class Sqrt(Elementwise):
    """y = √x        x̄ = ȳ/(2y)"""

    node = "SqrtBackward0"
    saves = ("result",)
    floating = True
    ufunc = np.sqrt

    @staticmethod
    def forward(x):
        return np.sqrt(x)

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


class Sin(Elementwise):
    """y = sin x        x̄ = ȳ·cos x"""

    node = "SinBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.sin

    @staticmethod
    def forward(x):
        return np.sin(x)

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


class Cos(Elementwise):
    """y = cos x        x̄ = −ȳ·sin x"""

    node = "CosBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.cos

    @staticmethod
    def forward(x):
        return np.cos(x)

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


class Tanh(Elementwise):
    """y = tanh x        x̄ = ȳ·(1 − y²)"""

    node = "TanhBackward0"
    saves = ("result",)
    floating = True
    ufunc = np.tanh

    @staticmethod
    def forward(x):
        return np.tanh(x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (1 - y * y)


@op(Tanh)
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
