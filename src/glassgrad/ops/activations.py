"""Nonlinearities: relu, sigmoid, and softmax with its logarithm."""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows
from glassgrad.values.dtypes import as_dtype

from ._arguments import check_kind, scalar_name, wrap_dim
from ._declaring import in_place_twin, op
from ._families import AlongLine, Elementwise, Symmetric, run


class Relu(Elementwise):
    """y = max(x, 0)        x̄ = ȳ·[y > 0]"""

    saves = ("result",)

    @staticmethod
    def forward(x):
        if x.dtype.kind == "b":
            raise DTypeError(
                "Boolean inputs not supported for relu. False and True are what they are. "
                "Write `x.float().relu()`."
            )
        return np.maximum(x, 0)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        if isinstance(y, Tensor):
            return ThresholdBackward.apply(grad, y, threshold=0)
        return grad * (y != 0)  # nan lets the gradient pass, as in PyTorch


class ThresholdBackward(Elementwise):
    """z = x·[y > t]        x̄ = z̄·[y > t],  ȳ = 0

    The gradient of relu and threshold. It depends on y, if only by steps: its own gradient is 0,
    not missing.
    """

    saves = ("self",)
    saved_at = {"self": 1}

    @staticmethod
    def forward(x, y, *, threshold):
        return np.where(y <= threshold, 0, x)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return np.where(y <= ctx.threshold, 0, grad), np.zeros_like(grad)


@op(Relu, out=False)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(input, 0)`, element by element.

    Args:
        input: real tensor of shape `S`.
        inplace: write the result to the memory of `input`, as `relu_` does.

    Returns:
        Tensor of shape `S` and the same dtype. At the kink 0 its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> relu(tensor([-1.0, 2.0]))
        tensor([0., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.relu.html
    """
    if inplace:
        return input.relu_()
    return Relu.apply(input)


class Threshold(Elementwise):
    """y = x if x > t else v        x̄ = ȳ·[x > t]"""

    saves = ("self",)

    @staticmethod
    def forward(x, *, threshold, value):
        why = "False and True are what they are. Write `threshold(x.float(), …)`."
        check_kind("threshold is", x, "iufc", why)
        if x.dtype.kind in "iu":  # these have no fractions: neither have the numbers
            threshold, value = int(threshold), int(value)
        return np.where(x <= threshold, value, x)  # nan stays

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return run(ThresholdBackward, grad, x, threshold=ctx.threshold)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`input` where it is larger than `threshold`, `value` elsewhere.

    Args:
        input: real tensor of shape `S`.
        threshold, value: numbers.
        inplace: write the result to the memory of `input`, as `threshold_` does.

    Returns:
        Tensor of shape `S` and the same dtype. At `threshold` its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> threshold(tensor([0.2, 0.7]), 0.5, 0.0)
        tensor([0.0000, 0.7000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html
    """
    if inplace:
        return threshold_(input, threshold, value)
    return Threshold.apply(input, threshold=threshold, value=value)


threshold_ = in_place_twin(threshold, (Threshold,))


class Sigmoid(Elementwise):
    """y = 1/(1 + e⁻ˣ)        x̄ = ȳ·y·(1 − y)"""

    saves = ("result",)
    floating = True

    @staticmethod
    def forward(x):
        if x.dtype.kind == "c":
            return 1 / (1 + np.exp(-x))
        small = np.exp(-np.abs(x))  # the exponential of a large number would overflow
        return np.where(x >= 0, 1, small) / (1 + small)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (y * (1 - y))


@op(Sigmoid)
def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`, element by element, without overflow.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, between 0 and 1.

    Example:
        >>> sigmoid(tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])

    See also: https://pytorch.org/docs/stable/generated/torch.sigmoid.html
    """
    return Sigmoid.apply(input)


class Softmax(Symmetric, AlongLine):
    """yᵢ = exp xᵢ/Σⱼ exp xⱼ        dyᵢ = yᵢ·(dxᵢ − Σⱼ yⱼ·dxⱼ)        x̄ᵢ = yᵢ·(ȳᵢ − Σⱼ yⱼ·ȳⱼ)"""

    saves = ("result",)

    @staticmethod
    def forward(x, *, dim):
        e = np.exp(x - np.maximum.reduce(x, axis=dim, keepdims=True, initial=-math.inf))
        return in_rows(e / e.sum(axis=dim, keepdims=True))

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        weighted = grad * y
        return weighted - y * weighted.sum(axis=ctx.dim, keepdims=True)


@op(Softmax)
def softmax(input: Tensor, dim: int = -1, *, dtype: Any = None) -> Tensor:
    """Positive numbers that sum to 1 along a dim: `exp(input)`, normalised.

    Args:
        input: floating-point tensor of shape `S`.
        dim: along which dim.
        dtype: convert `input` to this first.

    Returns:
        Tensor of shape `S`. The largest element is subtracted first, so nothing overflows.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers without `dtype`.

    Example:
        >>> softmax(tensor([1.0, 1.0, 2.0]), dim=0)
        tensor([0.2119, 0.2119, 0.5761])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
    """
    return _along(Softmax, "softmax", input, dim, dtype)


class LogSoftmax(AlongLine):
    """yᵢ = xᵢ − ln Σⱼ exp xⱼ        dyᵢ = dxᵢ − Σⱼ exp yⱼ·dxⱼ        x̄ᵢ = ȳᵢ − exp yᵢ·Σⱼ ȳⱼ"""

    saves = ("result",)

    @staticmethod
    def forward(x, *, dim):
        z = x - np.maximum.reduce(x, axis=dim, keepdims=True, initial=-math.inf)
        return in_rows(z - np.log(np.exp(z).sum(axis=dim, keepdims=True)))

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad - np.exp(y) * grad.sum(axis=ctx.dim, keepdims=True)

    @staticmethod
    def jvp(ctx, dx):
        (y,) = ctx.saved_tensors
        return dx - (np.exp(y) * dx).sum(axis=ctx.dim, keepdims=True)


@op(LogSoftmax)
def log_softmax(input: Tensor, dim: int = -1, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, exact where softmax itself rounds to 0.

    Args:
        input: floating-point tensor of shape `S`.
        dim: along which dim.
        dtype: convert `input` to this first.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers without `dtype`.

    Example:
        >>> log_softmax(tensor([0.0, 1000.0]), dim=0)
        tensor([-1000.,     0.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
    """
    return _along(LogSoftmax, "log_softmax", input, dim, dtype)


def _along(rule: type[AlongLine], name: str, input: Tensor, dim: int, dtype: Any) -> Tensor:
    """Apply a softmax to floats."""
    at = wrap_dim(dim, input.ndim)
    if dtype is not None:
        input = input.to(as_dtype(dtype))
    if input.payload.dtype.kind != "f":
        kernel = f"{name}_lastdim_kernel" if at >= input.ndim - 1 else f"{name}_kernel"
        raise DTypeError(
            f'"{kernel}_impl" not implemented for {scalar_name(input.dtype)!r}. '
            f"Shares of 1 are fractions. Write `{name}(x.float(), dim)`."
        )
    return rule.apply(input, dim=at)
