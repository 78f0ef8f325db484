"""What products of matrices are checked for, and how batches of their operands meet."""

from typing import Any

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import in_front
from glassgrad.ops._texts import scalar_name

__all__ = ["as_matrices", "check_dtypes", "check_rank", "check_stacks", "lined_up", "unfit"]


def as_matrices(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[Any, Any]:
    """The shapes of the two matrices that meet, as PyTorch folds them."""
    rows = 1
    for n in a[:-1]:
        rows *= n
    return (rows, a[-1]), (b[-2:] if len(b) > 1 else (b[0], 1))


def unfit(a: tuple[int, ...], b: tuple[int, ...]) -> ShapeError:
    """The error for two matrices of these shapes."""
    sizes = f"({a[0]}x{a[1]} and {b[0]}x{b[1]})"
    return ShapeError(
        f"mat1 and mat2 shapes cannot be multiplied {sizes}. Rows of {a[1]} meet columns of "
        f"{b[0]}. Transpose one of them, for example `x @ y.T`."
    )


def check_rank(x: Tensor, rank: int, sentence: str) -> None:
    """Raise ShapeError with `sentence` unless `x` has `rank` dims."""
    if x.ndim != rank:
        raise ShapeError(
            f"{sentence}. Shape mismatch: it has the shape {tuple(x.shape)}. Write `x @ y`, which "
            "takes all ranks, or reshape it."
        )


def check_dtypes(name: str, x: Tensor, y: Tensor | None) -> None:
    """Raise DTypeError unless both have one dtype."""
    if y is not None and x.payload.dtype is not y.payload.dtype:
        raise DTypeError(
            f"{name} : expected both tensors to have same dtype, but found "
            f"{scalar_name(x.dtype)} and {scalar_name(y.dtype)}. A product is computed in one "
            "precision. Write `y.to(x.dtype)`."
        )


def check_stacks(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Raise ShapeError unless the dims before the matrices broadcast."""
    rank = max(len(a), len(b)) - 2
    pairs = zip(reversed(a[:-2]), reversed(b[:-2]), strict=False)
    for back, (n, m) in enumerate(pairs, start=1):
        if n != m and 1 not in (n, m):
            raise ShapeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at "
                f"non-singleton dimension {rank - back}. matmul() got the shapes {a} and {b}: "
                "the dims before the matrices broadcast. Give them one size, or size 1."
            )


def lined_up(in_dims: Any, x: Any, y: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """Operands of `matmul`, some of them batched, so that their stacks of matrices broadcast.

    A batch of vectors is one of rows on the left, and one of columns on the right.

    Returns:
        (x, y, dims): the operands, and which dims of the product are to be left out.
    """
    is_x_batched, is_y_batched = [dim is not None for dim in in_dims]
    x_rank, y_rank = x.ndim - is_x_batched, y.ndim - is_y_batched
    rank = max(x_rank, y_rank)
    dims: tuple[int, ...] = ()
    if x_rank == 1:
        x, dims = x[..., None, :], (-2,)
    if y_rank == 1:
        y, dims = y[..., None], (-1,)
    return (
        in_front(x, rank) if is_x_batched else x,
        in_front(y, rank) if is_y_batched else y,
        dims,
    )
