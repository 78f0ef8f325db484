"""Matrices made from diagonals, and the other way round: diag, diag_embed, diagflat, trace.

`diagonal`, which shows the diagonal of a matrix without a copy, is in `triangles.py`.
"""

import numpy as np

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.tensor import Tensor

from ._dims import int_of, wrap_dim
from ._families import Along, KeepsShape, Linear, run
from ._reduce import spread, zeros_like
from .shape import ravel
from .triangles import Diagonal, DiagonalInto, diagonal_of

__all__ = ["diag", "diag_embed", "diagflat", "trace"]


class DiagEmbed(Linear, Along):
    """yᵢᵢ = xᵢ, 0 elsewhere        dyᵢᵢ = dxᵢ        x̄ᵢ = ȳᵢᵢ"""

    node = "DiagEmbedBackward0"
    latex = (r"[i = j]\,x_i", r"[i = j]\,\dot x_i", r"\bar x_i = \bar y_{ii}")
    promotes = None
    axes = ("dim1", "dim2")

    @staticmethod
    def forward(x, *, offset, dim1, dim2):
        shape, n = list(x.shape[:-1]), x.shape[-1] + abs(offset)
        for dim in sorted((dim1, dim2)):
            shape.insert(dim, n)
        out = zeros_like(x, tuple(shape))
        diagonal_of(out, offset, dim1, dim2)[...] = x
        return out

    @staticmethod
    def backward(ctx, grad):
        return run(Diagonal, grad, offset=ctx.offset, dim1=ctx.dim1, dim2=ctx.dim2)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the vectors of the last dim on a diagonal, and zeros elsewhere.

    Args:
        input: tensor of shape `(…, n)`.
        offset: which diagonal: 0 the main one, 1 the one above it, -1 the one below.
        dim1, dim2: where the rows and columns of the matrices will be in the result.

    Returns:
        Tensor with two dims of size `n + |offset|` in place of the last one.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if it is twice the same, or `input` is a 0-d tensor.

    Example:
        >>> diag_embed(tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.diag_embed.html
    """
    if not input.ndim:
        raise ShapeError(
            "diag_embed: Expected a tensor of at least one dim, got a 0-d tensor. A diagonal is a "
            "vector. Write `x.reshape(1)`."
        )
    first, second = wrap_dim(dim1, input.ndim + 1), wrap_dim(dim2, input.ndim + 1)
    if first == second:
        raise ShapeError(
            f"diagonal dimensions cannot be identical {dim1}, {dim2}. A matrix has rows and "
            "columns. Write two dims."
        )
    offset = int_of(offset, "diag_embed", "offset")
    return DiagEmbed.apply(input, offset=offset, dim1=first, dim2=second)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements on a diagonal, row by row, and zeros elsewhere.

    Args:
        input: tensor of `n` elements.
        offset: which diagonal: 0 the main one, 1 the one above it, -1 the one below.

    Returns:
        Tensor of shape `(n + |offset|, n + |offset|)`.

    Example:
        >>> diagflat(tensor([[1], [2]]))
        tensor([[1, 0],
                [0, 2]])

    See also: https://pytorch.org/docs/stable/generated/torch.diagflat.html
    """
    return diag_embed(ravel(input), offset)


class DiagonalCopy(Diagonal):
    """yᵢ = xᵢᵢ        dyᵢ = dxᵢᵢ        x̄ᵢᵢ = ȳᵢ, 0 elsewhere"""

    node = "DiagonalBackward0_copy"
    views = False

    @staticmethod
    def forward(x, *, offset, dim1, dim2):
        return np.copy(diagonal_of(x, offset, dim1, dim2))


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with a vector on its diagonal; or the diagonal of a matrix, as a copy.

    Args:
        input: shape `(n,)` or `(n, m)`.
        diagonal: which diagonal: 0 the main one, 1 the one above it, -1 the one below.

    Returns:
        Tensor of shape `(n + |diagonal|, n + |diagonal|)` for a vector; of shape `(k,)`, if the
        diagonal has `k` elements, for a matrix.

    Raises:
        ShapeError: for other shapes.

    Example:
        >>> diag(tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
        >>> diag(tensor([[1, 2], [3, 4]]))
        tensor([1, 4])

    See also: https://pytorch.org/docs/stable/generated/torch.diag.html
    """
    if input.ndim not in (1, 2):
        raise ShapeError(
            f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D, of shape {list(input.shape)}. "
            "It makes one matrix of one vector, or the opposite. Write `diag_embed` or `diagonal` "
            "for stacks of them."
        )
    diagonal = int_of(diagonal, "diag", "diagonal")
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    return DiagonalCopy.apply(input, offset=diagonal, dim1=0, dim2=1)


class Trace(KeepsShape):
    """y = Σᵢ xᵢᵢ        dy = Σᵢ dxᵢᵢ        x̄ᵢᵢ = ȳ, 0 elsewhere"""

    node = "TraceBackward0"
    latex = (
        r"\textstyle\sum_i x_{ii}",
        r"\textstyle\sum_i \dot x_{ii}",
        r"\bar x_{ij} = [i = j]\,\bar y",
    )
    promotes = None

    @staticmethod
    def forward(x):
        if x.dtype.kind == "b":
            raise DTypeError(
                "trace is not implemented for 'Bool'. A sum of True and False is neither. "
                "Write `x.int().trace()`."
            )
        return diagonal_of(x, 0, 0, 1).sum()

    @staticmethod
    def backward(ctx, grad):
        row = spread(grad, (min(ctx.shape),))
        return run(DiagonalInto, row, shape=ctx.shape, offset=0, dim1=0, dim2=1)

    @classmethod
    def vmap(cls, info, in_dims, x):
        """The matrices lie behind the batch; what is left of each is summed up."""
        return Diagonal.apply(x, offset=0, dim1=1, dim2=2).sum(axis=1)


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix.

    Args:
        input: shape `(n, m)`.

    Returns:
        A 0-d tensor of the dtype of `input`; int64 for integers.

    Raises:
        ShapeError: for other shapes.
        DTypeError: for bools.

    Example:
        >>> trace(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor(5.)

    See also: https://pytorch.org/docs/stable/generated/torch.trace.html
    """
    if input.ndim != 2:
        raise ShapeError(
            f"trace: expected a matrix, but got tensor with dim {input.ndim}, of shape "
            f"{list(input.shape)}. Write `x.diagonal(dim1=-2, dim2=-1).sum(-1)` for a stack of "
            "matrices."
        )
    return Trace.apply(input)
