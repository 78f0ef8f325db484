"""Filling parameters in place before training; each returns the tensor it was given.

    fan_in, fan_out = what feeds into one unit, what one unit feeds into
    kaiming:  Var w = gain² / fan_in                  keeps the size of activations
    xavier:   Var w = gain² · 2 / (fan_in + fan_out)  compromises between those and gradients

See also: He et al., *Delving Deep into Rectifiers* (2015); Glorot and Bengio, *Understanding the
Difficulty of Training Deep Feedforward Neural Networks* (2010); Saxe et al., *Exact Solutions to
the Nonlinear Dynamics of Learning in Deep Linear Neural Networks* (2013).
"""

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check
from glassgrad.ops.generator import Generator
from glassgrad.ops.random import check_normal, check_uniform
from glassgrad.values.dtypes import float64

Fill = TypeVar("Fill", bound=Callable[..., Tensor])

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_CONVOLUTIONS = [f"conv{kind}{rank}d" for kind in ("", "_transpose") for rank in (1, 2, 3)]
_GAINS = dict.fromkeys(["linear", *_CONVOLUTIONS, "sigmoid"], 1.0)
_GAINS |= {"tanh": 5.0 / 3.0, "relu": math.sqrt(2.0), "selu": 3.0 / 4.0}


def _fills(function: Fill) -> Fill:
    """Declare a function that fills a tensor, its first argument: that is not recorded."""

    @functools.wraps(function)
    def fill(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check.tensor(function.__name__, tensor)
        with setting(grad=False):
            return function(tensor, *args, **kwargs)

    return fill  # type: ignore[return-value]  # with the arguments of the function


@_fills
def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with draws from the uniform distribution on [a, b).

    Example:
        >>> w = uniform_(zeros(100), -0.5, 0.5)
        >>> bool((w.abs() <= 0.5).all())
        True
    """
    check_uniform(tensor, a, b)
    drawn = ops.rand(tensor.shape, generator=generator, dtype=tensor.dtype, device=tensor.device)
    tensor.copy_(drawn * (b - a) + a)
    return tensor


@_fills
def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with draws from the normal distribution."""
    check_normal(tensor, std, kinds="fc")
    drawn = ops.randn(tensor.shape, generator=generator, dtype=tensor.dtype, device=tensor.device)
    tensor.copy_(drawn * float(std) + float(mean))
    return tensor


@_fills
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with draws from the normal distribution that lie in [a, b]; those outside are redrawn.

    Args:
        mean, std: of the distribution before it is cut off.
        a, b: where it is; as they are, not in units of `std`.

    Example:
        >>> w = trunc_normal_(zeros(100), std=0.02, a=-0.04, b=0.04)
        >>> bool((w.abs() <= 0.04).all())
        True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect."
        )
    from scipy.special import ndtr, ndtri  # the normal distribution function, and its inverse

    low, high = [ndtr((end - mean) / std) for end in (a, b)]
    check_uniform(tensor, low, high)
    drawn = ops.rand(tensor.shape, generator=generator, dtype=float64) * (high - low) + low
    normal = ops.as_tensor(ndtri(drawn.numpy()), device=tensor.device)
    tensor.copy_((normal * std + mean).clamp(a, b))
    return tensor


@_fills
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    tensor.fill_(val)
    return tensor


@_fills
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


@_fills
def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


@_fills
def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity: a linear layer passes on what it gets.

    Raises:
        ArgumentError: if the tensor has not two dims.
    """
    why = "The identity is a matrix. Use `dirac_` for convolutions."
    _require_dims(tensor, "2", why, is_so=tensor.ndim == 2)
    tensor.zero_()
    tensor.diagonal().fill_(1)
    return tensor


@_fills
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it passes on as many channels as it can.

    Args:
        tensor: of shape `(out, in, …)`, with one to three more dims.
        groups: of the convolution; each passes on its own channels.

    Raises:
        ArgumentError: for another number of dims, or if the groups do not divide the channels.

    Example:
        >>> dirac_(zeros(1, 1, 3))
        tensor([[[0., 1., 0.]]])
    """
    why = "It is the weight of a convolution. Use `eye_` for a matrix."
    _require_dims(tensor, "3, 4, or 5", why, is_so=3 <= tensor.ndim <= 5)
    outputs, inputs, *field = tensor.shape
    if outputs % groups:
        raise ArgumentError(
            f"dim 0 must be divisible by groups: {outputs} channels are not {groups} groups of one "
            "size. Write a divisor."
        )
    each = outputs // groups
    middle = tuple([n // 2 for n in field])
    tensor.zero_()
    for group in range(groups):
        for k in range(min(each, inputs)):
            tensor[(group * each + k, k, *middle)] = 1
    return tensor


@_fills
def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with draws from U(-r, r), r = gain·√(6 / (fan_in + fan_out)).

    Raises:
        ShapeError: if the tensor has fewer than two dims.
    """
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


@_fills
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with draws from N(0, s²), s = gain·√(2 / (fan_in + fan_out)).

    Raises:
        ShapeError: if the tensor has fewer than two dims.
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))), generator)


@_fills
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with draws from U(-r, r), r = gain·√(3 / fan).

    Args:
        tensor: of shape `(out, in, …)`.
        a: the slope of leaky ReLU below 0, which decides its gain.
        mode: "fan_in" keeps the size of activations, "fan_out" that of gradients.
        nonlinearity: what follows; see `calculate_gain`.
        generator: where the randomness comes from; None: the one of `manual_seed`.

    Raises:
        ShapeError: if the tensor has fewer than two dims.
        ArgumentError: for an unknown mode or nonlinearity.
    """
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


@_fills
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with draws from N(0, s²), s = gain/√fan; arguments as in `kaiming_uniform_`."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if str(mode).lower() not in ("fan_in", "fan_out"):
        why = "One of the two fans sets the scale. Write 'fan_in' or 'fan_out'."
        raise ArgumentError(f"Mode {mode} not supported. {why}")
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))


@_fills
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a random matrix whose rows, or columns, are orthonormal: it keeps lengths.

    Args:
        tensor: of shape `(n, …)`; the dims behind the first count as one.
        gain: what the matrix is multiplied by.

    Raises:
        ArgumentError: if the tensor has fewer than two dims.

    Example:
        >>> w = orthogonal_(zeros(2, 3))
        >>> (w @ w.T).round(decimals=3).abs()
        tensor([[1., 0.],
                [0., 1.]])
    """
    why = "Rows are orthogonal to each other. Use `uniform_` for a bias."
    _require_dims(tensor, "2 or more", why, is_so=tensor.ndim >= 2)
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    drawn = ops.randn(rows, tensor.numel() // rows, generator=generator, dtype=tensor.dtype)
    matrix = drawn.numpy()
    q, r = np.linalg.qr(matrix.T if rows < matrix.shape[1] else matrix)
    q = q * np.sign(np.diagonal(r))  # so that all rotations are as likely
    made = ops.as_tensor(q.T if rows < matrix.shape[1] else q, device=tensor.device)
    tensor.copy_(gain * made.reshape(tensor.shape))
    return tensor


@_fills
def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Fill with draws from N(0, std²), of which a share in each column is 0.

    Args:
        tensor: a matrix.
        sparsity: the share.

    Raises:
        ArgumentError: if the tensor has not two dims.
    """
    why = "Each column has its zeros. Write `reshape` first."
    _require_dims(tensor, "2", why, is_so=tensor.ndim == 2)
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    normal_(tensor, 0, std, generator)
    for column in range(columns):
        tensor[ops.randperm(rows, generator=generator)[:zeros], column] = 0
    return tensor


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that makes up for what a nonlinearity takes from the variance.

    Args:
        nonlinearity: "linear", a convolution's name, "sigmoid", "tanh", "relu", "leaky_relu" or
            "selu".
        param: the slope of leaky ReLU below 0; None: 0.01.

    Raises:
        ArgumentError: for another name.

    Example:
        >>> round(calculate_gain("relu"), 4)
        1.4142
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ArgumentError(f"negative_slope {param} not a valid number. Write a float.")
        return math.sqrt(2.0 / (1.0 + slope**2))
    if str(nonlinearity) not in _GAINS:
        raise ArgumentError(
            f"Unsupported nonlinearity {nonlinearity}: no gain is known for it. "
            f"Write one of {', '.join(_GAINS)} or leaky_relu, or scale the tensor yourself."
        )
    return _GAINS[nonlinearity]


def _require_dims(tensor: Tensor, allowed: str, why: str, *, is_so: bool) -> None:
    if not is_so:
        raise ArgumentError(
            f"Only tensors with {allowed} dimensions are supported, and this one has shape "
            f"{tuple(tensor.shape)}. {why}"
        )


def _fans(tensor: Tensor) -> tuple[int, int]:
    """(fan_in, fan_out) of a weight of shape `(out, in, …)`."""
    if tensor.ndim < 2:
        raise ArgumentError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, "
            f"got shape {tuple(tensor.shape)}. A weight has shape (out, in, …). "
            "Use `uniform_` or `zeros_` for a bias."
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


# The old names ------------------------------------------------------------------------------------


def old_name(function: Callable[..., Tensor], home: str) -> Callable[..., Tensor]:
    """The function without the underscore, as PyTorch called it once; it warns."""
    name = function.__name__
    old = name.removesuffix("_")

    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Tensor:
        warn(f"`{home}.{old}` is now deprecated in favor of `{home}.{name}`.", FutureWarning)
        return function(*args, **kwargs)

    renamed.__name__ = old
    renamed.__doc__ = f"The old name of `{name}`; it warns."
    return renamed


# PyTorch's name, which layers of programs import.
_calculate_fan_in_and_fan_out = _fans


_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """One of the two fans of a weight, by its name."""
    return _fans(tensor)[mode.lower() == "fan_out"]


for _name in {*__all__} - {"calculate_gain", "ones_", "trunc_normal_", "zeros_"}:
    globals()[_name.removesuffix("_")] = old_name(globals()[_name], "nn.init")
