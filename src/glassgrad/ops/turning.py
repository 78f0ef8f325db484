"""The same elements in another order along their dims: flip and roll. Both copy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import copy_of, in_rows

from ._dims import ints_of, size_of, wrap_dim, wrap_dims
from ._families import Along, Linear, run
from .shape import reshape

__all__ = ["flip", "roll"]


class Flip(Linear, Along):
    """y = x turned around in some dims        dy = dx so        x̄ = ȳ so"""

    node = "FlipBackward0"
    latex = (r"x_{n-1-i}", r"\dot x_{n-1-i}", r"\bar x_i = \bar y_{n-1-i}")
    promotes = None
    axes = ("dims",)

    @staticmethod
    def forward(x, *, dims):
        return copy_of(np.flip(x, dims))

    @staticmethod
    def backward(ctx, grad):
        return run(Flip, grad, dims=ctx.dims)


def flip(input: Tensor, *dims: Any) -> Tensor:
    """Some dims from back to front.

    Args:
        input: tensor of shape `S`.
        dims: which, as numbers or one sequence.

    Returns:
        A copy of shape `S`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a dim is there twice.

    Example:
        >>> flip(tensor([[1, 2], [3, 4]]), 0)
        tensor([[3, 4],
                [1, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.flip.html
    """
    asked = size_of(dims, "flip", argument="dims")
    wrapped = wrap_dims(asked, input.ndim)
    return Flip.apply(input, dims=wrapped if input.ndim else ())


class Roll(Linear, Along):
    """yᵢ = xᵢ₋ₛ, around the end of a dim        dyᵢ = dxᵢ₋ₛ        x̄ᵢ = ȳᵢ₊ₛ"""

    node = "RollBackward0"
    latex = (
        r"x_{(i - s) \bmod n}",
        r"\dot x_{(i - s) \bmod n}",
        r"\bar x_i = \bar y_{(i + s) \bmod n}",
    )
    promotes = None
    axes = ("dims",)

    @staticmethod
    def forward(x, *, shifts, dims):
        return in_rows(np.roll(x, shifts, dims))

    @staticmethod
    def backward(ctx, grad):
        return run(Roll, grad, shifts=tuple([-s for s in ctx.shifts]), dims=ctx.dims)


def roll(
    input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None
) -> Tensor:
    """Elements moved along some dims; what leaves at the end comes back at the start.

    Args:
        input: tensor of shape `S`.
        shifts: by how many places, for each dim.
        dims: the dims; None rolls the flattened tensor.

    Returns:
        A copy of shape `S`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if there are not as many shifts as dims.

    Example:
        >>> roll(tensor([1, 2, 3]), 1)
        tensor([3, 1, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.roll.html
    """
    steps = ints_of(shifts, "roll", "shifts")
    asked = () if dims is None else ints_of(dims, "roll", "dims")
    if not steps:
        raise ShapeError(
            "roll(): `shifts` required, got none. They say by how many places. Write `roll(x, 1)`."
        )
    if not asked and len(steps) == 1:
        flat = Roll.apply(reshape(input, (-1,)), shifts=steps, dims=(0,))
        return reshape(flat, tuple(input.shape))
    if len(asked) != len(steps):
        raise ShapeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(asked)}. Each dim "
            "moves by a number of its own. Write as many shifts as dims."
        )
    wrapped = tuple([wrap_dim(dim, input.ndim) for dim in asked])
    return Roll.apply(input, shifts=steps, dims=wrapped)
