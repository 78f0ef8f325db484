"""Products of vectors: cross, inner, ger. `dot` and `outer` are in `linalg.py`."""

import math
import warnings

import numpy as np

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.tensor import Tensor

from ._dims import wrap_dim
from ._families import Along, Multilinear, run
from ._out import written_to
from .arithmetic import mul
from .linalg import dot, mm, outer
from .shape import reshape

__all__ = ["cross", "ger", "inner"]


class LinalgCross(Multilinear, Along):
    """z = x × y        dz = dx × y + x × dy        x̄ = y × z̄,  ȳ = z̄ × x"""

    node = "LinalgCrossBackward0"
    latex = (
        r"x \times y",
        r"\dot x \times y + x \times \dot y",
        r"\bar x = y \times \bar z,\ \bar y = \bar z \times x",
    )
    saves = ("self", "other")
    saved_if = {"self": 1, "other": 0}
    broadcasts = True
    axes = ("dim",)

    @staticmethod
    def forward(x, y, *, dim):
        # Coordinate i is xᵢ₊₁·yᵢ₊₂ − xᵢ₊₂·yᵢ₊₁, counted around.
        forwards = np.roll(x, -1, axis=dim) * np.roll(y, 1, axis=dim)
        return forwards - np.roll(x, 1, axis=dim) * np.roll(y, -1, axis=dim)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return (
            None if y is None else run(LinalgCross, y, grad, dim=ctx.dim),
            None if x is None else run(LinalgCross, grad, x, dim=ctx.dim),
        )


def cross(
    input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The vectors at right angles to two others in space, as long as the area between them.

    Args:
        input, other: tensors of as many dims, of size 3 in `dim`; the other dims broadcast.
        dim: the dim of the vectors; None: the first one of size 3, with a warning.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shape that both broadcast to, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not fit, or no dim has size 3.
        DimError: if there is no such dim.

    Example:
        >>> cross(tensor([1.0, 0.0, 0.0]), tensor([0.0, 1.0, 0.0]), dim=0)
        tensor([0., 0., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.cross.html
    """
    if out is not None:
        return written_to(out, cross, input, other, dim)
    shapes = f"{list(input.shape)} and {list(other.shape)}"
    if input.ndim != other.ndim:
        raise ShapeError(
            f"linalg.cross: inputs must have the same number of dimensions, got the shapes {shapes}"
            ". Their vectors lie in one dim. Write `x.unsqueeze(0)` for the shorter."
        )
    at = _first_of_three(input) if dim is None else wrap_dim(dim, input.ndim)
    sizes = [x.shape[at] if x.ndim else 1 for x in (input, other)]
    if sizes != [3, 3]:
        raise ShapeError(
            f"linalg.cross: inputs dimension {at if dim is None else dim} must have length 3. Got "
            f"{sizes[0]} and {sizes[1]}, in the shapes {shapes}. Only in space is there one "
            "direction at right angles to two. Write the dim of the vectors."
        )
    return LinalgCross.apply(input, other, dim=at)


def _first_of_three(input: Tensor) -> int:
    if 3 not in input.shape:
        raise ShapeError(
            f"no dimension of size 3 in input, of shape {list(input.shape)}. Vectors in space have "
            "three coordinates. Write a 0 for those that are missing."
        )
    warnings.warn(
        "Using torch.cross without specifying the dim arg is deprecated: it takes the first dim "
        "of size 3, whatever it means. Please pass the dim explicitly: `cross(x, y, dim=-1)`.",
        UserWarning,
        stacklevel=3,
    )
    return input.shape.index(3)


def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The dot products of all vectors of one tensor with all of another; they lie in the last dim.

    Args:
        input: shape `(…, n)`, or a 0-d tensor.
        other: shape `(…, n)`, of the same dtype, or a 0-d tensor.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of the shapes without their last dims, one behind the other; the ordinary product
        if one of them is a 0-d tensor.

    Raises:
        ShapeError: if the vectors are not as long as each other.
        DTypeError: if the dtypes differ.

    Example:
        >>> inner(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 1.0]))
        tensor([3., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.inner.html
    """
    if out is not None:
        return written_to(out, inner, input, other)
    if not input.ndim or not other.ndim:
        return mul(input, other)
    n = input.shape[-1]
    if n != other.shape[-1]:
        raise ShapeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}. Each coordinate of a vector meets one "
            "of the other. Write `x @ y` for rows and columns."
        )
    if input.dtype != other.dtype:
        raise DTypeError(
            f"inner(): both inputs should have same dtype, got {input.dtype} and {other.dtype}. "
            "A product is computed in one precision. Write `y.to(x.dtype)`."
        )
    ahead, behind = input.shape[:-1], other.shape[:-1]
    if input.ndim == other.ndim == 1:
        return dot(input, other)
    rows, columns = reshape(input, (math.prod(ahead), n)), reshape(other, (math.prod(behind), n))
    return reshape(mm(rows, columns.t()), (*ahead, *behind))


def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """`outer` under its old name.

    Example:
        >>> ger(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    return outer(input, vec2)
