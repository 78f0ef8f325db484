"""Writing to some places of a tensor, in place: `masked_fill_`, `index_add_`, `scatter_`, …

Each returns `input` itself. Which places may be named, and how, is told at the op of the same name
without the underscore; what may go wrong with any write, at `add_`.
"""

from collections.abc import Sequence

from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import Number

from ._writing import write_prepared
from .index_writing import prepare_index_add, prepare_index_copy, prepare_index_fill
from .masking import prepare_masked_fill, prepare_masked_scatter
from .putting import prepare_index_put
from .scatter_reducing import prepare_index_reduce, prepare_scatter_reduce
from .scattering import prepare_scatter, prepare_scatter_add

__all__ = [
    "index_add_",
    "index_copy_",
    "index_fill_",
    "index_put_",
    "index_reduce_",
    "masked_fill_",
    "masked_scatter_",
    "scatter_",
    "scatter_add_",
    "scatter_reduce_",
]


def masked_fill_(input: Tensor, mask: Tensor, value: Number | Tensor) -> Tensor:
    """`masked_fill`, in place.

    Example:
        >>> masked_fill_(tensor([1.0, 2.0]), tensor([True, False]), 0)
        tensor([0., 2.])
    """
    return write_prepared(prepare_masked_fill(input, mask, value))


def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter`, in place.

    Example:
        >>> masked_scatter_(tensor([1, 2]), tensor([True, False]), tensor([7]))
        tensor([7, 2])
    """
    return write_prepared(prepare_masked_scatter(input, mask, source))


def index_put_(
    input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False
) -> Tensor:
    """`index_put`, in place.

    Example:
        >>> index_put_(tensor([1, 2, 3]), (tensor([0, 2]),), tensor(9))
        tensor([9, 2, 9])
    """
    return write_prepared(prepare_index_put(input, indices, values, accumulate))


def index_add_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1
) -> Tensor:
    """`index_add`, in place.

    Example:
        >>> index_add_(tensor([1, 2, 3]), 0, tensor([0, 0]), tensor([10, 20]))
        tensor([31,  2,  3])
    """
    return write_prepared(prepare_index_add(input, dim, index, source, alpha))


def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy`, in place.

    Example:
        >>> index_copy_(tensor([1, 2, 3]), 0, tensor([2, 0]), tensor([8, 9]))
        tensor([9, 2, 8])
    """
    return write_prepared(prepare_index_copy(input, dim, index, source))


def index_fill_(input: Tensor, dim: int, index: Tensor, value: Number | Tensor) -> Tensor:
    """`index_fill`, in place.

    Example:
        >>> index_fill_(tensor([1, 2, 3]), 0, tensor([0, -1]), 9)
        tensor([9, 2, 9])
    """
    return write_prepared(prepare_index_fill(input, dim, index, value))


def index_reduce_(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """`index_reduce`, in place.

    Example:
        >>> index_reduce_(tensor([1, 2]), 0, tensor([1, 1]), tensor([3, 4]), "prod")
        tensor([ 1, 24])
    """
    return write_prepared(prepare_index_reduce(input, dim, index, source, reduce, include_self))


def scatter_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Number | None = None,
    *,
    value: Number | None = None,
) -> Tensor:
    """`scatter`, in place.

    Example:
        >>> scatter_(tensor([1, 2, 3]), 0, tensor([2]), 9)
        tensor([1, 2, 9])
    """
    return write_prepared(prepare_scatter(input, dim, index, value if src is None else src))


def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`scatter_add`, in place.

    Example:
        >>> scatter_add_(tensor([1, 2]), 0, tensor([0, 0]), tensor([10, 20]))
        tensor([31,  2])
    """
    return write_prepared(prepare_scatter_add(input, dim, index, src))


def scatter_reduce_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """`scatter_reduce`, in place.

    Example:
        >>> scatter_reduce_(tensor([1, 2]), 0, tensor([0, 0]), tensor([10, 20]), "amax")
        tensor([20,  2])
    """
    return write_prepared(prepare_scatter_reduce(input, dim, index, src, reduce, include_self))
