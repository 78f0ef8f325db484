"""Functions of vectors whose Jacobians are asked for, in forward mode and by vmap."""

from collections.abc import Callable
from typing import Any

from glassgrad import ops
from glassgrad.core.tensor import Tensor
from glassgrad.func import jacfwd


def triple(x: Tensor) -> Any:
    """3·x."""
    return 3 * x


def total(x: Tensor) -> Any:
    """[Σ x²]."""
    return (x * x).sum().reshape(1)


def powers(x: Tensor) -> Any:
    """[x, x², x³], one vector."""
    return ops.cat([x, x * x, x * x * x])


def mixed(x: Tensor) -> Any:
    """[x₀·x₁, sin(x₁·x₂)]."""
    return ops.cat([(x[0] * x[1]).reshape(1), (x[1] * x[2]).sin().reshape(1)])


def jacobian(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
    """The Jacobian of `f` at `x`."""
    return jacfwd(f)(x)
