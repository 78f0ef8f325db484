"""Dims stretched without copying: expand, and what broadcasting does by itself."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.base.backend import backend_of
from glassgrad.core.tensor import Tensor
from glassgrad.core.views import as_view
from glassgrad.engine.gradients import sum_to

from ._declaring import method, op
from ._dims import size_of
from ._families import KeepsShape, in_front
from ._sizes import expanded_size


class Expand(KeepsShape):
    """y = expand(x, size)        x̄ = sum_to(ȳ, shape x)"""

    node = "ExpandBackward0"
    promotes = None
    views = True

    @staticmethod
    def forward(x, *, size):
        if math.prod(size) == math.prod(x.shape):
            return x.reshape(size)  # nothing is stretched, and the result can be written
        return backend_of(x).broadcast_to(x, size)

    @staticmethod
    def backward(ctx, grad):
        return grad if grad.shape == ctx.shape else sum_to(grad, ctx.shape)

    @classmethod
    def vmap(cls, info, in_dims, x, *, size):
        return cls.apply(in_front(x, len(size)), size=(info.batch_size, *size))


@method()
def expand(input: Tensor, *size: Any) -> Tensor:
    """Dims of size 1 stretched to any size, and new dims in front, without copying.

    Args:
        input: tensor of shape `S`.
        size: the new sizes, -1 to keep one. As numbers or as one sequence.

    Returns:
        A view. Where it is stretched, several of its elements are one place in memory: it cannot
        be written in place.

    Raises:
        ShapeError: if a dim that is not of size 1 would have to change.

    Example:
        >>> expand(tensor([[1], [2]]), 2, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html
    """
    asked = size_of(size, "expand")
    found = expanded_size(asked, tuple(input.shape), input.dtype)
    return as_view(Expand.apply(input, size=found), input)


@method()
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand(input, other.shape)`.

    Example:
        >>> expand_as(tensor([1, 2]), tensor([[0, 0], [0, 0]]))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, other.shape)


@op(numpy=(np.broadcast_to,))
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`expand(input, size)` under NumPy's name.

    Example:
        >>> broadcast_to(tensor([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, tuple(size))
