"""Filling parameters in place before training; each returns the tensor it was given.

    fan_in, fan_out = what feeds into one unit, what one unit feeds into
    kaiming:  Var w = gain² / fan_in                  keeps the size of activations
    xavier:   Var w = gain² · 2 / (fan_in + fan_out)  compromises between those and gradients

See also: He et al., *Delving Deep into Rectifiers* (2015); Glorot and Bengio, *Understanding the
Difficulty of Training Deep Feedforward Neural Networks* (2010).
"""

import math

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops.generator import Generator
from glassgrad.ops.random import rand, randn

__all__ = [
    "calculate_gain",
    "constant_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "uniform_",
    "xavier_uniform_",
    "zeros_",
]

_GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0, "relu": math.sqrt(2.0)}


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with draws from the uniform distribution on [a, b).

    Example:
        >>> w = uniform_(zeros(100), -0.5, 0.5)
        >>> bool((w.abs() <= 0.5).all())
        True
    """
    with no_grad():
        drawn = rand(*tensor.shape, generator=generator, dtype=tensor.dtype, device=tensor.device)
        tensor.copy_(drawn * (b - a) + a)
    return tensor


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with draws from the normal distribution."""
    with no_grad():
        drawn = randn(*tensor.shape, generator=generator, dtype=tensor.dtype, device=tensor.device)
        tensor.copy_(drawn * std + mean)
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    with no_grad():
        tensor.fill_(val)
    return tensor


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with draws from U(-r, r), r = gain·√(6 / (fan_in + fan_out)).

    Raises:
        ShapeError: if the tensor has fewer than two dims.
    """
    fan_in, fan_out = _fans(tensor)
    bound = gain * math.sqrt(6.0 / (fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


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
    if mode not in ("fan_in", "fan_out"):
        raise ArgumentError(
            f"Mode {mode} not supported: one of the two fans sets the scale. "
            "Write 'fan_in' or 'fan_out'."
        )
    fan = _fans(tensor)[mode == "fan_out"]
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3.0 / max(fan, 1))
    return uniform_(tensor, -bound, bound, generator)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that makes up for what a nonlinearity takes from the variance.

    Args:
        nonlinearity: "linear", "sigmoid", "tanh", "relu" or "leaky_relu".
        param: the slope of leaky ReLU below 0; None: 0.01.

    Raises:
        ArgumentError: for another name.

    Example:
        >>> round(calculate_gain("relu"), 4)
        1.4142
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1.0 + slope**2))
    if nonlinearity not in _GAINS:
        raise ArgumentError(
            f"Unsupported nonlinearity {nonlinearity}: no gain is known for it. "
            f"Write one of {', '.join(_GAINS)} or leaky_relu, or scale the tensor yourself."
        )
    return _GAINS[nonlinearity]


def _fans(tensor: Tensor) -> tuple[int, int]:
    """(fan_in, fan_out) of a weight of shape `(out, in, …)`."""
    if tensor.ndim < 2:
        raise ShapeError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, "
            f"got shape {tuple(tensor.shape)}. A weight has shape (out, in, …). "
            "Use `uniform_` or `zeros_` for a bias."
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field
