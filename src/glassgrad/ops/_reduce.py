"""What reductions share: which dims, and how a gradient goes back over them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._dims import names_none, wrap_dims
from glassgrad.values.layers import Layer

__all__ = [
    "Dims",
    "array_of",
    "dim_or_axis",
    "kept_or_keepdims",
    "kept_shape",
    "reduced",
    "spread",
    "zeros_like",
]

Dims = int | Sequence[int] | None


def reduced(dim: Dims, ndim: int) -> tuple[int, ...]:
    """The dims to reduce over, counted from the front; None and () mean all of them.

    Raises:
        DimError: if one of them does not exist.
        ShapeError: if one of them comes twice.
    """
    dims = wrap_dims(None if names_none(dim) else dim, ndim)
    return dims if ndim else ()


def dim_or_axis(dim: Any, axis: Any) -> Any:
    """The dim, given under PyTorch's or under NumPy's name.

    Raises:
        ArgumentTypeError: if both are given.
    """
    if axis is None:
        return dim
    if dim is not None:
        raise ArgumentTypeError(
            f"got both dim={dim} and axis={axis}. They are two names of one argument. Write dim."
        )
    return axis


def kept_or_keepdims(keepdim: Any, keepdims: Any) -> bool:
    """Whether reduced dims stay, said under PyTorch's or under NumPy's name."""
    return bool(keepdim if keepdims is None else keepdims)


def kept_shape(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    """The shape after a reduction over `dims` that keeps them."""
    return tuple([1 if dim in dims else n for dim, n in enumerate(shape)])


def spread(value: Any, shape: tuple[int, ...]) -> Any:
    """`value` broadcast to `shape`: what the gradient of a sum is.

    The view of a 0-d array is made by hand, in an eighth of the time of `np.broadcast_to`.
    """
    if type(value) is np.ndarray and not value.ndim:
        return np.ndarray(shape, value.dtype, value, strides=(0,) * len(shape))
    return np.broadcast_to(value, shape)


def array_of(value: Any) -> Any:
    """The array of a value, or the one at its bottom: says where a constant belongs."""
    array = value.payload if isinstance(value, Tensor) else value
    return array.array if isinstance(array, Layer) else array


def zeros_like(value: Any, shape: tuple[int, ...]) -> Any:
    """An array of zeros, of the dtype of `value` and on its device."""
    return np.zeros_like(array_of(value), order="C", shape=shape)
