"""Elementwise ops in place: `exp_`, `clamp_`, `pow_` and others.

Each returns `input` itself; what may go wrong is told at `add_`.
"""

from typing import Any

from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import Number

from ._writing import in_place, write_prepared
from .activations import Relu, Sigmoid
from .arithmetic import Abs, Neg, Operand, Sign
from .fused import Addcdiv, Addcmul, prepare_lerp
from .powers import Reciprocal, Rsqrt, prepare_pow
from .selection import prepare_clamp, prepare_clamp_max, prepare_clamp_min
from .transcendental import Cos, Exp, Log, Sin, Sqrt, Tanh

__all__ = [
    "abs_",
    "addcdiv_",
    "addcmul_",
    "clamp_",
    "clamp_max_",
    "clamp_min_",
    "cos_",
    "exp_",
    "lerp_",
    "log_",
    "neg_",
    "pow_",
    "reciprocal_",
    "relu_",
    "rsqrt_",
    "sigmoid_",
    "sign_",
    "sin_",
    "sqrt_",
    "square_",
    "tanh_",
]


def exp_(input: Tensor) -> Tensor:
    """`exp`, in place.

    Example:
        >>> exp_(tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])
    """
    return in_place(Exp, input)


def log_(input: Tensor) -> Tensor:
    """`log`, in place.

    Example:
        >>> log_(tensor([1.0, 2.0]))
        tensor([0.0000, 0.6931])
    """
    return in_place(Log, input)


def sqrt_(input: Tensor) -> Tensor:
    """`sqrt`, in place.

    Example:
        >>> sqrt_(tensor([4.0, 9.0]))
        tensor([2., 3.])
    """
    return in_place(Sqrt, input)


def sin_(input: Tensor) -> Tensor:
    """`sin`, in place.

    Example:
        >>> sin_(tensor([0.0, 1.0]))
        tensor([0.0000, 0.8415])
    """
    return in_place(Sin, input)


def cos_(input: Tensor) -> Tensor:
    """`cos`, in place.

    Example:
        >>> cos_(tensor([0.0, 1.0]))
        tensor([1.0000, 0.5403])
    """
    return in_place(Cos, input)


def tanh_(input: Tensor) -> Tensor:
    """`tanh`, in place.

    Example:
        >>> tanh_(tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])
    """
    return in_place(Tanh, input)


def sigmoid_(input: Tensor) -> Tensor:
    """`sigmoid`, in place.

    Example:
        >>> sigmoid_(tensor([0.0, 1.0]))
        tensor([0.5000, 0.7311])
    """
    return in_place(Sigmoid, input)


def relu_(input: Tensor) -> Tensor:
    """`relu`, in place.

    Example:
        >>> relu_(tensor([-1.0, 1.0]))
        tensor([0., 1.])
    """
    return in_place(Relu, input)


def neg_(input: Tensor) -> Tensor:
    """`neg`, in place.

    Example:
        >>> neg_(tensor([-1.0, 1.0]))
        tensor([ 1., -1.])
    """
    return in_place(Neg, input)


def abs_(input: Tensor) -> Tensor:
    """`abs`, in place.

    Example:
        >>> abs_(tensor([-1.0, 1.0]))
        tensor([1., 1.])
    """
    return in_place(Abs, input)


def sign_(input: Tensor) -> Tensor:
    """`sign`, in place.

    Example:
        >>> sign_(tensor([-3.0, 2.0]))
        tensor([-1.,  1.])
    """
    return in_place(Sign, input)


def reciprocal_(input: Tensor) -> Tensor:
    """`reciprocal`, in place.

    Example:
        >>> reciprocal_(tensor([2.0, 4.0]))
        tensor([0.5000, 0.2500])
    """
    return in_place(Reciprocal, input)


def rsqrt_(input: Tensor) -> Tensor:
    """`rsqrt`, in place.

    Example:
        >>> rsqrt_(tensor([1.0, 4.0]))
        tensor([1.0000, 0.5000])
    """
    return in_place(Rsqrt, input)


def square_(input: Tensor) -> Tensor:
    """`square`, in place.

    Example:
        >>> square_(tensor([2.0, -3.0]))
        tensor([4., 9.])
    """
    return pow_(input, 2)


def pow_(input: Tensor, exponent: Operand) -> Tensor:
    """`pow`, in place.

    Example:
        >>> pow_(tensor([2.0, 3.0]), 2)
        tensor([4., 9.])
    """
    return write_prepared(prepare_pow(input, exponent))


def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`clamp`, in place.

    Example:
        >>> clamp_(tensor([-2.0, 0.5, 2.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000])
    """
    return write_prepared(prepare_clamp(input, min, max))


def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """`clamp_min`, in place.

    Example:
        >>> clamp_min_(tensor([-2.0, 2.0]), 0)
        tensor([0., 2.])
    """
    return write_prepared(prepare_clamp_min(input, min))


def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """`clamp_max`, in place.

    Example:
        >>> clamp_max_(tensor([-2.0, 2.0]), 0)
        tensor([-2.,  0.])
    """
    return write_prepared(prepare_clamp_max(input, max))


def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`addcmul`, in place.

    Example:
        >>> addcmul_(tensor([1.0, 1.0]), tensor([2.0, 3.0]), tensor([4.0, 5.0]))
        tensor([ 9., 16.])
    """
    return in_place(Addcmul, input, tensor1, tensor2, value=value)


def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`addcdiv`, in place.

    Example:
        >>> addcdiv_(tensor([1.0, 1.0]), tensor([6.0, 9.0]), tensor([2.0, 3.0]))
        tensor([4., 4.])
    """
    return in_place(Addcdiv, input, tensor1, tensor2, value=value)


def lerp_(input: Tensor, end: Tensor, weight: Tensor | Number) -> Tensor:
    """`lerp`, in place.

    Example:
        >>> lerp_(tensor([0.0, 10.0]), tensor([10.0, 20.0]), 0.25)
        tensor([ 2.5000, 12.5000])
    """
    return write_prepared(prepare_lerp(input, end, weight))
