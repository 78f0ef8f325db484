"""Hyperbolic functions and their inverses; `tanh` is in `transcendental.py`."""

import numpy as np

from glassgrad.core.tensor import Tensor

from ._declaring import op
from ._families import Elementwise


class Sinh(Elementwise):
    """y = sinh x        x̄ = ȳ·cosh x"""

    node = "SinhBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.sinh

    @staticmethod
    def forward(x):
        return np.sinh(x)

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


class Cosh(Elementwise):
    """y = cosh x        x̄ = ȳ·sinh x"""

    node = "CoshBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.cosh

    @staticmethod
    def forward(x):
        return np.cosh(x)

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


class Asinh(Elementwise):
    """y = asinh x        x̄ = ȳ/√(x² + 1)"""

    node = "AsinhBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.arcsinh

    @staticmethod
    def forward(x):
        return np.arcsinh(x)

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


class Acosh(Elementwise):
    """y = acosh x        x̄ = ȳ/√(x² − 1)"""

    node = "AcoshBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.arccosh

    @staticmethod
    def forward(x):
        return np.arccosh(x)

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


class Atanh(Elementwise):
    """y = atanh x        x̄ = ȳ/(1 − x²)"""

    node = "AtanhBackward0"
    saves = ("self",)
    floating = True
    ufunc = np.arctanh

    @staticmethod
    def forward(x):
        return np.arctanh(x)

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
