"""Triangles and diagonals of matrices: tril, triu, diagonal."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view

from ._dims import int_of, wrap_dim
from ._families import Along, KeepsShape, Linear, run
from ._reduce import zeros_like

__all__ = ["diagonal", "diagonal_of", "tril", "triu"]


class Tril(Linear, Along):
    """y = x on and below a diagonal, else 0        dy = dx so        x̄ = ȳ so"""

    node = "TrilBackward0"
    latex = (
        r"[j \le i + k]\,x_{ij}",
        r"[j \le i + k]\,\dot x_{ij}",
        r"\bar x = [j \le i + k]\,\bar y",
    )
    promotes = None

    @staticmethod
    def forward(x, *, diagonal):
        return np.tril(x, diagonal)

    @staticmethod
    def backward(ctx, grad):
        return run(Tril, grad, diagonal=ctx.diagonal)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangles of matrices, with zeros above.

    Args:
        input: tensor of shape `(…, n, m)`.
        diagonal: the last diagonal that is kept: 0 the main one, 1 the one above, and so on.

    Returns:
        Tensor of shape `(…, n, m)`.

    Raises:
        ShapeError: if there are fewer than two dims.
        ArgumentTypeError: if `diagonal` is no integer.

    Example:
        >>> tril(tensor([[1, 2], [3, 4]]))
        tensor([[1, 0],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.tril.html
    """
    _check_matrix("tril", input)
    return Tril.apply(input, diagonal=int_of(diagonal, "tril", "diagonal"))


class Triu(Linear, Along):
    """y = x on and above a diagonal, else 0        dy = dx so        x̄ = ȳ so"""

    node = "TriuBackward0"
    latex = (
        r"[j \ge i + k]\,x_{ij}",
        r"[j \ge i + k]\,\dot x_{ij}",
        r"\bar x = [j \ge i + k]\,\bar y",
    )
    promotes = None

    @staticmethod
    def forward(x, *, diagonal):
        return np.triu(x, diagonal)

    @staticmethod
    def backward(ctx, grad):
        return run(Triu, grad, diagonal=ctx.diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangles of matrices, with zeros below; see `tril`.

    Example:
        >>> triu(tensor([[1, 2], [3, 4]]))
        tensor([[1, 2],
                [0, 4]])
    """
    _check_matrix("triu", input)
    return Triu.apply(input, diagonal=int_of(diagonal, "triu", "diagonal"))


def _check_matrix(name: str, input: Tensor) -> None:
    if input.ndim < 2:
        raise ShapeError(
            f"{name}: input tensor must have at least 2 dimensions, got the shape "
            f"{list(input.shape)}. A triangle is a part of a matrix. Write `x.unsqueeze(0)`."
        )


class Diagonal(KeepsShape):
    """yᵢ = xᵢᵢ        dyᵢ = dxᵢᵢ        x̄ᵢᵢ = ȳᵢ, 0 elsewhere"""

    node = "DiagonalBackward0"
    latex = (r"x_{ii}", r"\dot x_{ii}", r"\bar x_{ii} = \bar y_i,\ \bar x_{ij} = 0")
    promotes = None
    views = True
    axes = ("dim1", "dim2")

    @staticmethod
    def forward(x, *, offset, dim1, dim2):
        return diagonal_of(x, offset, dim1, dim2)

    @staticmethod
    def backward(ctx, grad):
        return run(
            DiagonalInto,
            grad,
            shape=ctx.shape,
            offset=ctx.offset,
            dim1=ctx.dim1,
            dim2=ctx.dim2,
        )


class DiagonalInto(Linear, Along):
    """yᵢᵢ = xᵢ, 0 elsewhere        dyᵢᵢ = dxᵢ        x̄ᵢ = ȳᵢᵢ"""

    node = "DiagonalBackwardBackward0"
    latex = (r"[i = j]\,x_i", r"[i = j]\,\dot x_i", r"\bar x_i = \bar y_{ii}")
    promotes = None
    axes = ("dim1", "dim2")
    sizes = ("shape",)

    @staticmethod
    def forward(x, *, shape, offset, dim1, dim2):
        out = zeros_like(x, shape)
        diagonal_of(out, offset, dim1, dim2)[...] = x
        return out

    @staticmethod
    def backward(ctx, grad):
        return run(Diagonal, grad, offset=ctx.offset, dim1=ctx.dim1, dim2=ctx.dim2)


def diagonal_of(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    """A view of the diagonal: the one of two matrix dims that are swapped in place."""
    rows, columns = x.shape[dim1], x.shape[dim2]
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    key: list[Any] = [slice(None)] * len(x.shape)
    key[dim1] = slice(max(-offset, 0), max(-offset, 0) + length)
    key[dim2] = slice(max(offset, 0), max(offset, 0) + length)
    return np.einsum("...ii->...i", np.moveaxis(x[tuple(key)], (dim1, dim2), (-2, -1)))


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonals of matrices.

    Args:
        input: tensor of which the dims `dim1` and `dim2` are the rows and columns of matrices.
        offset: which diagonal: 0 the main one, 1 the one above it, -1 the one below.
        dim1, dim2: two dims.

    Returns:
        A view, with the diagonal as its last dim in place of the two.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if it is twice the same.

    Example:
        >>> diagonal(tensor([[1, 2], [3, 4]]))
        tensor([1, 4])

    See also: https://pytorch.org/docs/stable/generated/torch.diagonal.html
    """
    offset = int_of(offset, "diagonal", "offset")
    first, second = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    if first == second:
        raise ShapeError(
            f"diagonal dimensions cannot be identical {dim1}, {dim2}. A matrix has rows and "
            "columns. Write two dims."
        )
    return as_view(Diagonal.apply(input, offset=offset, dim1=first, dim2=second), input)
