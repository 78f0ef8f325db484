"""Parts that do not count as views: unsafe_split and unsafe_chunk.

They are for code that does not use the whole tensor again: each part may be written in place, which
a view may not that was made together with others. A write to the whole goes unseen by the graph.
"""

from collections.abc import Sequence

from glassgrad.core.tensor import Tensor

from ._declaring import op
from .splitting import Split, SplitWithSizes, checked_sections, chunk_sections


class UnsafeSplit(Split):
    """y, z, … = split(x, split_size)        x̄ = cat(ȳ, z̄, …)"""

    node = "UnsafeSplitBackward0"
    views = False


class UnsafeSplitWithSizes(SplitWithSizes):
    """y, z, … = split(x, split_sizes)        x̄ = cat(ȳ, z̄, …)"""

    node = "UnsafeSplitWithSizesBackward0"
    views = False


@op()
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` into parts that are no views, so that each may be written in place.

    Args:
        tensor: tensor of shape `(…, n, …)`.
        split_size: the size of the parts; the last may be smaller.
        dim: which dim has the size `n`.

    Returns:
        Tensors with the memory of `tensor`: they must not be used beside it once one is written.

    Raises:
        ShapeError, DimError: as `split`.

    Example:
        >>> unsafe_split(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))

    See also: https://pytorch.org/docs/stable/generated/torch.unsafe_split.html
    """
    return _parts(tensor, split_size, dim)


@op()
def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """`unsafe_split` by a list of sizes.

    Example:
        >>> unsafe_split_with_sizes(tensor([1, 2, 3]), [1, 2])
        (tensor([1]), tensor([2, 3]))
    """
    return _parts(input, tuple(split_sizes), dim)


@op()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` into parts as `unsafe_split` gives them.

    Example:
        >>> unsafe_chunk(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))
    """
    return _parts(input, chunk_sections(input, chunks, dim), dim)


def _parts(input: Tensor, sections: int | Sequence[int], dim: int) -> tuple[Tensor, ...]:
    parameters = checked_sections(input, sections, dim)
    op = UnsafeSplit if "split_size" in parameters else UnsafeSplitWithSizes
    return op.apply(input, **parameters)
