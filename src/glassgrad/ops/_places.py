"""Places that index tensors name: what an index must look like, and the key it stands for."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DimError, DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of
from glassgrad.values.dtypes import int32, int64
from glassgrad.values.layers import visible

from ._texts import scalar_name

__all__ = [
    "along",
    "check_along",
    "check_bounds",
    "check_index",
    "check_source",
    "check_vector",
    "in_dim",
    "is_outside",
    "same_dtype",
]


def in_dim(index: Any, dim: int) -> tuple[Any, ...]:
    """The key that takes `index` in one dim, and all of the others."""
    return (*(slice(None),) * dim, index)


def along(index: Any, dim: int) -> tuple[Any, ...]:
    """The key that takes `index` in one dim, and counts up in all others."""
    counts = np.ix_(*(np.arange(n) for n in index.shape))
    key = [backend_of(index).asarray(count) for count in counts]
    key[dim] = index
    return tuple(key)


def is_outside(index: Tensor, n: int) -> bool:
    """Whether an index can be seen to name a place that a dim of size `n` has not."""
    array = visible(index.payload)
    return array is not None and bool(array.size and (array.min() < 0 or array.max() >= n))


def first_outside(index: Tensor, lowest: int, n: int) -> int | None:
    """The first of the indices that is seen to be below `lowest`, or not below `n`."""
    array = visible(index.payload)
    wrong: Any = () if array is None else array[(array < lowest) | (array >= n)]
    return int(wrong[0]) if len(wrong) else None


def check_bounds(index: Tensor, dim: int, n: int) -> None:
    """Raise ShapeError if an index names a place that dim `dim`, of size `n`, has not."""
    if is_outside(index, n):
        raise ShapeError(
            f"index {first_outside(index, 0, n)} is out of bounds for dimension {dim} with size "
            f"{n}. Write indices from 0 to {n - 1}."
        )


def check_index(name: str, index: object) -> None:
    """Raise unless `index` is a tensor of integers."""
    if not isinstance(index, Tensor):
        raise ArgumentTypeError(
            f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}. "
            "Write `tensor(index)`."
        )
    if index.dtype not in (int64, int32):
        raise DTypeError(
            f"{name}(): Expected dtype int32 or int64 for index, got {index.dtype}. An index "
            "names places. Write `index.long()`."
        )


def same_dtype(name: str, input: Tensor, source: Tensor) -> None:
    """Raise unless both tensors have one dtype."""
    if not isinstance(source, Tensor):
        raise ArgumentTypeError(
            f"{name}(): argument 'src' must be Tensor, not {type(source).__name__}. Its elements "
            "are written one by one. Write `tensor(values)`."
        )
    if source.dtype is not input.dtype:
        raise DTypeError(
            f"{name}(): Expected self.dtype to be equal to src.dtype: self "
            f"({scalar_name(input.dtype)}) and source ({scalar_name(source.dtype)}) must have the "
            "same scalar type. Elements are written as they are. Write `src.to(x.dtype)`."
        )


# One index tensor along a dim, of the shape of what is written ------------------------------------


def check_along(name: str, input: Tensor, dim: int, index: Tensor, src: Tensor | None) -> None:
    """Raise unless `index` names, along `dim`, a place in `input` for elements of `src`."""
    if not index.numel():
        return
    _check_dims(index, input, "self")
    if src is not None:
        _check_dims(index, src, "src")
    inner, given = _sizes(input), None if src is None else _sizes(src)
    for other, n in enumerate(_sizes(index)):
        fits = other == dim or n <= inner[other]
        if not fits or (given is not None and n > given[other]):
            behind = "" if src is None else f" and to be no larger size than src {list(src.shape)}"
            raise ShapeError(
                f"Expected index {list(index.shape)} to be no larger than self "
                f"{list(input.shape)} apart from dimension {dim}{behind}. {name}() writes one "
                "element for each element of the index. Cut the index."
            )
    check_bounds(index, dim, inner[dim])


def _check_dims(index: Tensor, other: Tensor, what: str) -> None:
    if max(index.ndim, 1) != max(other.ndim, 1):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as {what} tensor: shapes "
            f"{list(index.shape)} and {list(other.shape)}. Write `index.unsqueeze(dim)`."
        )


def _sizes(x: Tensor) -> tuple[int, ...]:
    return tuple(x.shape) or (1,)


# A vector of places in a dim, each for a slice of what is written ---------------------------------


def check_vector(name: str, index: Tensor, n: int, *, negative: bool = False) -> None:
    """Raise unless `index` is a vector of places in a dim of size `n`."""
    if index.ndim > 1:
        raise DimError(
            f"{name}_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{scalar_name(index.dtype)} and size: {list(index.shape)}. It names slices of one "
            "dim. Write `index.flatten()`, or scatter() for an index of more dims."
        )
    lowest = -n if negative else 0
    wrong = first_outside(index, lowest, n)
    if wrong is not None:
        raise DimError(
            f"index out of range in self: {name}_(): index {wrong} is out of bounds for a dim "
            f"with size {n}. Write indices from {lowest} to {n - 1}."
        )


def check_source(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Raise unless `source` holds one slice of `input` for each element of `index`."""
    if source.ndim != input.ndim and input.ndim and source.ndim:
        raise DimError(
            f"{name}_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({source.ndim}), destination dimensionality "
            f"({input.ndim}). Write `source.unsqueeze(dim)`."
        )
    count = source.shape[dim] if source.ndim else 1
    if index.numel() != count:
        kind = ShapeError if name in ("index_add", "index_reduce") else DimError  # as in PyTorch
        raise kind(
            f"{name}_(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
            f"({count}), for dim: {dim}. Each index takes a slice of the source. Cut the longer."
        )
    wanted, found = list(input.shape), list(source.shape)
    del wanted[dim : dim + 1], found[dim : dim + 1]
    if wanted != found:
        raise ShapeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}. "
            f"{name}() writes whole slices. Write `source.expand(…)`."
        )
