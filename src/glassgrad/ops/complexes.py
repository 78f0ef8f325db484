"""Complex numbers: the conjugate and the real part."""

import numpy as np

from glassgrad.core.tensor import Tensor

from ._declaring import of_numpy, op
from ._families import Elementwise, Linear


class Conj(Linear, Elementwise):
    """y = conj x        x̄ = conj ȳ"""

    node = "ConjBackward0"
    holomorphic = False

    @staticmethod
    def forward(x):
        return np.conj(x)

    @staticmethod
    def backward(ctx, grad):
        return np.conj(grad)


@op(Conj, numpy=(np.conjugate,), out=False, inplace=False)
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, element by element; a real tensor is its own.

    Args:
        input: tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype.

    Example:
        >>> conj(tensor([1 + 2j]))
        tensor([1.-2.j])

    See also: https://pytorch.org/docs/stable/generated/torch.conj.html
    """
    return Conj.apply(input) if input.dtype.kind == "c" else input


class Real(Linear, Elementwise):
    """y = Re x        x̄ = ȳ"""

    node = "RealBackward0"
    holomorphic = False

    @staticmethod
    def forward(x):
        return np.copy(np.real(x))

    @staticmethod
    def backward(ctx, grad):
        return grad


@of_numpy(np.real)
def real(input: Tensor) -> Tensor:
    """A copy of the real part, element by element; a real tensor is its own.

    Args:
        input: tensor of shape `S`.

    Returns:
        Tensor of shape `S`, real.

    Example:
        >>> from glassgrad.ops.complexes import real
        >>> real(tensor([1 + 2j]))
        tensor([1.])

    See also: https://pytorch.org/docs/stable/generated/torch.real.html
    """
    return Real.apply(input) if input.dtype.kind == "c" else input
