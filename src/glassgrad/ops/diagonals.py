"""Triangles and diagonals: tril, triu, diagonal, and matrices made from diagonals."""

from typing import Any

import numpy as np

from glassgrad.core.errors import KernelError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.backend import in_rows
from glassgrad.values.dtypes import Number, as_dtype, int32, int64

from . import _checks as check
from ._arguments import OpClass, int_of, wrap_dim
from ._checks import scalar_name
from ._declaring import factory, function, in_numpys_order, linalg, method, op
from ._families import Into, KeepsShape, Paired, Part, Replaced
from ._rules import run, spread
from .creation import empty, made
from .joining import as_strided, cat, source_for
from .memory import fill_, storage_offset
from .shape import ravel


def _triangle(name: str, rule: OpClass, input: Tensor, diagonal: int) -> Tensor:
    said = f"{name}: input tensor must have at least 2 dimensions, got the shape {{shape}}"
    check.ndim(said, input, 2, "A triangle is a part of a matrix. Write `x.unsqueeze(0)`.")
    return rule.apply(input, diagonal=int_of(diagonal, name, "diagonal"))


class Tril(Paired):
    """yᵢⱼ = xᵢⱼ·[j ≤ i + diagonal]        x̄ᵢⱼ = ȳᵢⱼ·[j ≤ i + diagonal]"""

    @staticmethod
    def forward(x, *, diagonal):
        return in_rows(np.tril(x, diagonal))


@op(Tril, out_exact=True, inplace=True, by=_triangle)
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


class Triu(Paired):
    """yᵢⱼ = xᵢⱼ·[j ≥ i + diagonal]        x̄ᵢⱼ = ȳᵢⱼ·[j ≥ i + diagonal]"""

    @staticmethod
    def forward(x, *, diagonal):
        return in_rows(np.triu(x, diagonal))


@op(Triu, out_exact=True, inplace=True, by=_triangle)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangles of matrices, with zeros below; see `tril`.

    Example:
        >>> triu(tensor([[1, 2], [3, 4]]))
        tensor([[1, 2],
                [0, 4]])
    """


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


@linalg(Diagonal, name="diagonal")
def _linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """`diagonal`, of the last two dims if no others are given.

    Example:
        >>> glassgrad.linalg.diagonal(tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    return diagonal(A, offset, dim1, dim2)


def _two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise ShapeError(
            f"diagonal dimensions cannot be identical {dim1}, {dim2}. A matrix has rows and "
            "columns. Write two dims."
        )
    return first, second


class DiagonalScatter(Replaced):
    """z = x,  z[i, i + offset] = sᵢ
    x̄ = z̄,  x̄[i, i + offset] = 0,  s̄ᵢ = z̄[i, i + offset]
    """

    of = Diagonal


@op(DiagonalScatter)
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """`input` with `src` in the place of diagonals.

    Args:
        input: tensor of shape `S`.
        src: tensor of the shape of `input.diagonal(offset, dim1, dim2)`.
        offset, dim1, dim2: which diagonals; see `diagonal`.

    Returns:
        A copy of shape `S`.

    Raises:
        DimError, ShapeError: if there is no such diagonal, or `src` has another shape.

    Example:
        >>> diagonal_scatter(tensor([[1, 2], [3, 4]]), tensor([0, 0]))
        tensor([[0, 2],
                [3, 0]])

    See also: https://pytorch.org/docs/stable/generated/torch.diagonal_scatter.html
    """
    source = source_for(input, src, diagonal(input, offset, dim1, dim2))
    first, second = _two_dims(dim1, dim2, input.ndim)
    return DiagonalScatter.apply(input, source, offset=offset, dim1=first, dim2=second)


in_numpys_order(np.diagonal, diagonal, axis1="dim1", axis2="dim2")


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
    said = "diag_embed: Expected a tensor of at least one dim, got a 0-d tensor"
    check.ndim(said, input, 1, "A diagonal is a vector. Write `x.reshape(1)`.")
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


in_numpys_order(np.diagflat, diagflat, k="offset")


@method()
def fill_diagonal_(input: Tensor, fill_value: Number | Tensor, wrap: bool = False) -> Tensor:
    """Overwrite the diagonal of `input` with one number.

    Args:
        input: matrix of shape `(n, m)`, or a tensor of more dims, all of one size.
        fill_value: a number, or a 0-d tensor that needs no gradient.
        wrap: in a matrix with more than `m + 1` rows, whether the diagonal begins again below
            its end, after one row left out.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: for fewer than two dims, or more than two of different sizes.
        DTypeError: if the dtype has no room for `fill_value`.
        ArgumentTypeError: if it is no number.

    Example:
        >>> tensor([[1, 2], [3, 4]]).fill_diagonal_(0)
        tensor([[0, 2],
                [3, 0]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.fill_diagonal_.html
    """
    number = fill_value
    if isinstance(number, Tensor) and not number.ndim and not number.requires_grad:
        number = number.item()
    why = "One number fills all places. Write `x.diagonal().copy_(values)` for several."
    kinds = (bool, int, float, complex, np.generic)
    check.kind("fill_diagonal_(): argument 'fill_value' must be Number", number, kinds, why)
    why = "A diagonal goes along two dims or more. Write `x.fill_(number)` for a vector."
    check.ndim("dimensions must larger than 1, got the shape {shape}", input, 2, why)
    if input.ndim > 2 and len(set(input.shape)) > 1:
        raise ShapeError(
            f"all dimensions of input must be of equal length, got {list(input.shape)}. The "
            "diagonal goes through the corners. Write `x.diagonal().fill_(number)` for that of "
            "each matrix."
        )
    rows, columns = input.shape[:2]
    start, step, count = storage_offset(input), sum(input.stride()), min(rows, columns)
    fill_(as_strided(input, (count,), (step,)), number)
    if wrap and input.ndim == 2 and rows > columns + 1:
        below = start + (columns + 1) * input.stride(0)
        rest = -(-rows * columns // (columns + 1)) - count
        fill_(as_strided(input, (rest,), (step,), below), number)
    return input


class DiagonalCopy(Diagonal):
    """yᵢ = x[i, i + offset]        x̄ᵢⱼ = ȳᵢ·[j = i + offset]"""

    node = "DiagonalBackward0_copy"
    views = False

    @staticmethod
    def forward(x, *, offset, dim1, dim2):
        return np.copy(run(Diagonal, x, offset=offset, dim1=dim1, dim2=dim2))


@op(DiagonalCopy, out_exact=True)
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


in_numpys_order(np.diag, diag, k="diagonal")


@factory()
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, **new: Any) -> Tensor:
    """The places of the lower triangle of a matrix, row by row.

    Args:
        row, col: the sizes of the matrix.
        offset: the last diagonal that belongs to it; see `tril`.
        dtype: None: int64.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(2, n)`: the rows, and the columns.

    Raises:
        ShapeError: for a negative size.
        DTypeError: for a dtype that is not int32 or int64.

    Example:
        >>> tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]])

    See also: https://pytorch.org/docs/stable/generated/torch.tril_indices.html
    """
    return _places_in("tril", row, col, offset, dtype, **new)


@factory()
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, **new: Any) -> Tensor:
    """The places of the upper triangle of a matrix, row by row; see `tril_indices`.

    Example:
        >>> triu_indices(2, 2)
        tensor([[0, 0, 1],
                [0, 1, 1]])

    See also: https://pytorch.org/docs/stable/generated/torch.triu_indices.html
    """
    return _places_in("triu", row, col, offset, dtype, **new)


def _places_in(triangle: str, row: int, col: int, offset: int, dtype: Any, **new: Any) -> Tensor:
    name = f"{triangle}_indices"
    sizes = {"row": int_of(row, name, "row"), "col": int_of(col, name, "col")}
    for argument, n in sizes.items():
        check.least(f"{argument} must be non-negative, got {{}}", n, 0, "It counts elements.")
    wanted = as_dtype(dtype or int64)
    if wanted not in (int32, int64):
        raise KernelError(
            f'"{name}" not implemented for {scalar_name(wanted)!r}. Places are integers. '
            "Leave dtype out."
        )
    last = int_of(offset, name, "offset") - (triangle == "triu")
    mask = np.tri(sizes["row"], sizes["col"], last, dtype=np.bool_)
    return made(np.stack(np.nonzero(mask if triangle == "tril" else ~mask)), wanted, **new)


@function()
def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with some matrices along its diagonal, and zeros elsewhere.

    Args:
        tensors: matrices of shapes `(nᵢ, mᵢ)`; a vector is a row.

    Returns:
        Tensor of shape `(Σ nᵢ, Σ mᵢ)`, of the promoted dtype.

    Raises:
        ShapeError: for a tensor with more dims.

    Example:
        >>> block_diag(tensor([[1]]), tensor([2, 3]))
        tensor([[1, 0, 0],
                [0, 2, 3]])

    See also: https://pytorch.org/docs/stable/generated/torch.block_diag.html
    """
    for i, x in enumerate(tensors):
        check.tensor("block_diag", x)
        if x.ndim > 2:
            raise ShapeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {i} has {x.ndim} dimensions. Write `vmap(block_diag)` for a stack."
            )
    if not tensors:
        return empty((1, 0))
    blocks = [x.reshape((1,) * (2 - x.ndim) + tuple(x.shape)) for x in tensors]
    width, before, rows = sum(block.shape[1] for block in blocks), 0, []
    for block in blocks:
        n, m = block.shape
        behind = width - before - m
        rows.append(cat([block.new_zeros((n, before)), block, block.new_zeros((n, behind))], 1))
        before += m
    return cat(rows, 0)


class Trace(KeepsShape):
    """y = Σᵢⱼ xᵢⱼ·[i = j]        x̄ᵢⱼ = ȳ·[i = j]"""

    @staticmethod
    def forward(x):
        why = "A sum of True and False is neither. Write `x.int().trace()`."
        check.kernel("trace is", x, "iufc", why)
        return run(Diagonal, x, offset=0, dim1=0, dim2=1).sum(
            dtype=int64 if x.dtype.kind in "iu" else None
        )

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
    said = "trace: expected a matrix, but got tensor with dim {ndim}, of shape {shape}"
    why = "Write `x.diagonal(dim1=-2, dim2=-1).sum(-1)` for a stack of matrices."
    check.ndim(said, input, (2,), why)
    return Trace.apply(input)
