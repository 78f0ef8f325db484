"""Dims stretched without copying: expand, and what broadcasting does by itself."""

import math
from collections.abc import Sequence
from typing import Any

from glassgrad.core.engine import sum_to
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.backend import backend_of

from ._dims import size_of
from ._families import KeepsShape, in_front
from ._sizes import expanded_size

__all__ = ["broadcast_to", "expand", "expand_as"]


class Expand(KeepsShape):
    """y = x stretched        dy = dx stretched        x̄ = Σ ȳ over what was stretched"""

    node = "ExpandBackward0"
    latex = (
        r"\operatorname{expand} x",
        r"\operatorname{expand} \dot x",
        r"\bar x = \textstyle\sum_{\mathrm{expanded}} \bar y",
    )
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


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`expand(input, other.shape)`.

    Example:
        >>> expand_as(tensor([1, 2]), tensor([[0, 0], [0, 0]]))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, other.shape)


def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`expand(input, size)` under NumPy's name.

    Example:
        >>> broadcast_to(tensor([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]])
    """
    return expand(input, tuple(size))
