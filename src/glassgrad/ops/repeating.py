"""A tensor several times over: repeat and tile. `expand` in `stretching.py` does not copy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor

from ._dims import size_of
from ._families import KeepsShape, in_front

__all__ = ["repeat", "tile"]


class Repeat(KeepsShape):
    """y = x, x, …        dy = dx, dx, …        x̄ = Σ ȳ over the copies"""

    node = "RepeatBackward0"
    latex = (
        r"[x, x, \dots]",
        r"[\dot x, \dot x, \dots]",
        r"\bar x = \textstyle\sum_{\mathrm{copies}} \bar y",
    )
    promotes = None

    @staticmethod
    def forward(x, *, repeats):
        return np.tile(x, repeats)

    @staticmethod
    def backward(ctx, grad):
        lead = len(ctx.repeats) - len(ctx.shape)
        apart: list[int] = []  # each dim parted in two: which copy, and where in it
        for times, n in zip(ctx.repeats, (*[1] * lead, *ctx.shape), strict=True):
            apart += (times, n)
        copies = tuple(range(0, len(apart), 2))
        return grad.reshape(apart).sum(axis=copies).reshape(ctx.shape) if apart else grad

    @classmethod
    def vmap(cls, info, in_dims, x, *, repeats):
        return cls.apply(in_front(x, len(repeats)), repeats=(1, *repeats))


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Copies of a tensor side by side.

    Args:
        input: tensor of shape `(n₁, …, nₖ)`.
        repeats: how often along each dim, `(r₁, …, rₖ)`; more in front make new dims. As numbers
            or as one sequence.

    Returns:
        Tensor of shape `(r₁·n₁, …, rₖ·nₖ)` with memory of its own.

    Raises:
        ShapeError: for fewer numbers than dims, or for a negative one.

    Example:
        >>> repeat(tensor([1, 2]), 2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.repeat.html
    """
    times = size_of(repeats, "repeat", argument="repeats")
    lead = len(times) - input.ndim
    if lead < 0:
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            f"tensor: {list(times)} for shape {tuple(input.shape)}. Each dim needs its number. "
            "Write 1 for those that stay, or `tile`, which does so."
        )
    size = [r * n for r, n in zip(times, (*[1] * lead, *input.shape), strict=True)]
    for n in size:
        if n < 0:
            raise ShapeError(
                f"Trying to create tensor with negative dimension {n}: {size}. A tensor is there "
                "at least 0 times. Write a number from 0 on."
            )
    return Repeat.apply(input, repeats=tuple([max(r, 0) for r in times]))  # below 0: of nothing


def tile(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """`repeat`, with ones put in front if there are fewer numbers than dims.

    Example:
        >>> tile(tensor([[1, 2], [3, 4]]), 2)
        tensor([[1, 2, 1, 2],
                [3, 4, 3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.tile.html
    """
    times = size_of(dims, "tile", argument="dims")
    return repeat(input, (1,) * (input.ndim - len(times)) + times)
