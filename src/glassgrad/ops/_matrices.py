"""What products of matrices are checked for: shapes and dtypes."""

from typing import Any

from glassgrad.base.errors import DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._texts import scalar_name

__all__ = ["as_matrices", "check_dtypes", "check_rank", "unfit"]


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
            f"{sentence}. It has the shape {tuple(x.shape)}. Write `x @ y`, which takes all "
            "ranks, or reshape it."
        )


def check_dtypes(name: str, x: Tensor, y: Tensor | None) -> None:
    """Raise DTypeError unless both have one dtype."""
    if y is not None and x.payload.dtype is not y.payload.dtype:
        raise DTypeError(
            f"{name} : expected both tensors to have same dtype, but found "
            f"{scalar_name(x.dtype)} and {scalar_name(y.dtype)}. A product is computed in one "
            "precision. Write `y.to(x.dtype)`."
        )
