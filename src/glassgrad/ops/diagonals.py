"""Triangles and diagonals: tril, triu, diagonal, and matrices made from diagonals."""

import numpy as np

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view

from ._arguments import OpClass, check_kind, int_of, wrap_dim
from ._declaring import of_numpy, op
from ._families import Into, KeepsShape, Paired, Part, run, spread
from .shape import ravel


class Tril(Paired):
    """yᵢⱼ = xᵢⱼ·[j ≤ i + diagonal]        x̄ᵢⱼ = ȳᵢⱼ·[j ≤ i + diagonal]"""

    @staticmethod
    def forward(x, *, diagonal):
        return np.tril(x, diagonal)


@op(Tril)
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
    return _triangle("tril", Tril, input, diagonal)


class Triu(Paired):
    """yᵢⱼ = xᵢⱼ·[j ≥ i + diagonal]        x̄ᵢⱼ = ȳᵢⱼ·[j ≥ i + diagonal]"""

    @staticmethod
    def forward(x, *, diagonal):
        return np.triu(x, diagonal)


@op(Triu)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangles of matrices, with zeros below; see `tril`.

    Example:
        >>> triu(tensor([[1, 2], [3, 4]]))
        tensor([[1, 2],
                [0, 4]])
    """
    return _triangle("triu", Triu, input, diagonal)


def _triangle(name: str, rule: OpClass, input: Tensor, diagonal: int) -> Tensor:
    if input.ndim < 2:
        raise ShapeError(
            f"{name}: input tensor must have at least 2 dimensions, got the shape "
            f"{list(input.shape)}. A triangle is a part of a matrix. Write `x.unsqueeze(0)`."
        )
    return rule.apply(input, diagonal=int_of(diagonal, name, "diagonal"))


class Diagonal(Part):
    """yᵢ = x[i, i + offset]        x̄ᵢⱼ = ȳᵢ·[j = i + offset]"""

    axes = ("dim1", "dim2")

    @staticmethod
    def forward(x, *, offset, dim1, dim2):
        """The main one of the square that begins where the diagonal does."""
        last = np.moveaxis(x, (dim1, dim2), (-2, -1))[..., max(-offset, 0) :, max(offset, 0) :]
        n = min(last.shape[-2:])
        return np.einsum("...ii->...i", last[..., :n, :n])


class DiagonalInto(Into):
    """yᵢⱼ = xᵢ·[j = i + offset]        x̄ᵢ = ȳ[i, i + offset]"""

    node = "DiagonalBackwardBackward0"
    of = Diagonal


@op(Diagonal)
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
    first, second = _two_dims(dim1, dim2, input.ndim)
    return as_view(Diagonal.apply(input, offset=offset, dim1=first, dim2=second), input)


def _two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise ShapeError(
            f"diagonal dimensions cannot be identical {dim1}, {dim2}. A matrix has rows and "
            "columns. Write two dims."
        )
    return first, second


@of_numpy(np.diagonal)
def _numpy_diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return diagonal(a, offset, axis1, axis2)


class DiagEmbed(Paired):
    """yᵢⱼ = xᵢ·[j = i + offset]        x̄ᵢ = ȳ[i, i + offset]"""

    axes = ("dim1", "dim2")
    back = Diagonal

    @staticmethod
    def forward(x, *, offset, dim1, dim2):
        shape, n = list(x.shape[:-1]), x.shape[-1] + abs(offset)
        for dim in sorted((dim1, dim2)):
            shape.insert(dim, n)
        return run(DiagonalInto, x, shape=tuple(shape), offset=offset, dim1=dim1, dim2=dim2)


@op(DiagEmbed)
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
    first, second = _two_dims(dim1, dim2, input.ndim + 1)
    offset = int_of(offset, "diag_embed", "offset")
    return DiagEmbed.apply(input, offset=offset, dim1=first, dim2=second)


@op()
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


@of_numpy(np.diagflat)
def _numpy_diagflat(v: Tensor, k: int = 0) -> Tensor:
    return diagflat(v, k)


class DiagonalCopy(Diagonal):
    """yᵢ = x[i, i + offset]        x̄ᵢⱼ = ȳᵢ·[j = i + offset]"""

    node = "DiagonalBackward0_copy"
    views = False

    @staticmethod
    def forward(x, *, offset, dim1, dim2):
        return np.copy(run(Diagonal, x, offset=offset, dim1=dim1, dim2=dim2))


@op(DiagonalCopy)
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


@of_numpy(np.diag)
def _numpy_diag(v: Tensor, k: int = 0) -> Tensor:
    return diag(v, k)


class Trace(KeepsShape):
    """y = Σᵢⱼ xᵢⱼ·[i = j]        x̄ᵢⱼ = ȳ·[i = j]"""

    @staticmethod
    def forward(x):
        why = "A sum of True and False is neither. Write `x.int().trace()`."
        check_kind("trace is", x, "iufc", why)
        return run(Diagonal, x, offset=0, dim1=0, dim2=1).sum()

    @staticmethod
    def backward(ctx, grad):
        row = spread(grad, (min(ctx.shape),))
        return run(DiagonalInto, row, shape=ctx.shape, offset=0, dim1=0, dim2=1)

    @classmethod
    def vmap(cls, info, in_dims, x):
        """The matrices lie behind the batch; what is left of each is summed up."""
        return Diagonal.apply(x, offset=0, dim1=1, dim2=2).sum(axis=1)


@op(Trace, numpy=(np.trace,))
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
