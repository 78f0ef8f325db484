"""Taking tensors apart: split, chunk, tensor_split, unbind."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from glassgrad.core.errors import ArgumentTypeError, DimError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import MULTIPLE, as_view

from ._arguments import int_of, ints_of, size_of, wrap_dim
from ._declaring import op
from ._families import KeepsShape, Moved, run, zeros_like
from ._places import in_dim
from .indexing import narrow
from .joining import Cat, Stack


class _Splitting(KeepsShape):
    """What the two ways to split share."""

    multiple = True
    views = True

    @staticmethod
    def backward(ctx, *grads):
        return run(Cat, *_filled(grads, ctx.out_shape), dim=ctx.dim)


class Split(_Splitting):
    """y, z, … = split(x, split_size)        x̄ = cat(ȳ, z̄, …)"""

    @staticmethod
    def forward(x, *, split_size, dim):
        n = x.shape[dim]  # the last part may be smaller; of nothing there is one part
        sizes = [min(split_size, n - start) for start in range(0, n, split_size)] if n else [0]
        return _parts(x, dim, sizes)


class SplitWithSizes(_Splitting):
    """y, z, … = split(x, split_sizes)        x̄ = cat(ȳ, z̄, …)"""

    @staticmethod
    def forward(x, *, split_sizes, dim):
        return _parts(x, dim, split_sizes)


def _parts(x: Any, dim: int, sizes: Sequence[int]) -> tuple[Any, ...]:
    bounds = pairwise(accumulate(sizes, initial=0))
    return tuple([x[in_dim(slice(start, end), dim)] for start, end in bounds])


def _filled(grads: tuple[Any, ...], shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """The gradients of all parts; those that have none count as zeros."""
    some = next(grad for grad in grads if grad is not None)
    return [
        zeros_like(some, shape) if grad is None else grad
        for grad, shape in zip(grads, shapes, strict=True)
    ]


@op(Split, SplitWithSizes)
def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """A tensor as several, cut in one dim.

    Args:
        tensor: tensor of shape `(…, n, …)`.
        split_size_or_sections: the size of the parts (the last may be smaller), or all sizes.
        dim: which dim has the size `n`.

    Returns:
        Views.

    Raises:
        ShapeError: if sizes are negative or do not add up to `n`.
        DimError: if there is no such dim.

    Example:
        >>> split(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))

    See also: https://pytorch.org/docs/stable/generated/torch.split.html
    """
    return _views(tensor, _cut(tensor, split_size_or_sections, dim, Split, SplitWithSizes))


def _cut(
    tensor: Tensor,
    sections: int | Sequence[int],
    dim: int,
    by_size: type[Primitive],
    by_sizes: type[Primitive],
) -> tuple[Tensor, ...]:
    """The parts: of one size, or for a sequence of these sizes."""
    at, n = _dim_to_cut("split", tensor, dim)
    if isinstance(sections, Sequence):
        sizes = size_of((tuple(sections),), "split", argument="split_sizes")
        if any(size < 0 for size in sizes):
            raise ShapeError(
                "split_with_sizes expects split_sizes have only non-negative entries, but got "
                f"split_sizes={list(sizes)}. They count elements. Write sizes from 0 up."
            )
        if sum(sizes) != n:
            raise ShapeError(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size "
                f"at dimension {at}), but got split_sizes={list(sizes)}. Each element goes "
                "into one part. Write `x.split(size)` for parts of one size."
            )
        return by_sizes.apply(tensor, split_sizes=sizes, dim=at)
    size = int_of(sections, "split", "split_size")
    if size < 0:
        raise ShapeError(
            f"split expects split_size be non-negative, but got split_size={size}. It counts "
            "elements. Write a list to choose all sizes."
        )
    if size == 0 and n:
        raise ShapeError(
            "split_size can only be 0 if dimension size is 0, but got dimension size of "
            f"{n}. Parts of 0 elements never use it up. Write a larger size."
        )
    return by_size.apply(tensor, split_size=size, dim=at)


def _dim_to_cut(name: str, input: Tensor, dim: int) -> tuple[int, int]:
    """The dim counted from the front, and its size."""
    if not input.ndim:
        raise ShapeError(
            f"{name} expects at least a 1-dimensional tensor, got a tensor with 0 dims. There is "
            "nothing to cut. Write `x.reshape(1)` first."
        )
    at = wrap_dim(dim, input.ndim)
    return at, input.shape[at]


@op()
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`split` by a list of sizes.

    Example:
        >>> split_with_sizes(tensor([1, 2, 3]), [1, 2])
        (tensor([1]), tensor([2, 3]))
    """
    return split(input, tuple(split_sizes), dim)


def _views(base: Tensor, parts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    for part in parts:
        as_view(part, base, made=MULTIPLE)
    return parts


@op()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """A tensor as (up to) so many parts of equal size, cut in one dim.

    Args:
        input: tensor of shape `(…, n, …)`.
        chunks: how many; fewer if that uses up the dim earlier.
        dim: which dim has the size `n`.

    Returns:
        Views; all of size `⌈n / chunks⌉` but for a smaller last one.

    Raises:
        ShapeError: for less than one part.
        DimError: if there is no such dim.

    Example:
        >>> chunk(tensor([1, 2, 3, 4, 5]), 3)
        (tensor([1, 2]), tensor([3, 4]), tensor([5]))
    """
    return split(input, _sections_of(input, chunks, dim), dim)


def _sections_of(input: Tensor, chunks: int, dim: int) -> int | Sequence[int]:
    """What `split` has to be told for so many parts."""
    _, n = _dim_to_cut("chunk", input, dim)
    count = _count_of("chunk", "chunks", chunks)
    return -(-n // count) if n else [0] * count


def _count_of(name: str, argument: str, given: Any) -> int:
    count = int_of(given, name, argument)
    if count < 1:
        raise ShapeError(
            f"{name} expects `{argument}` to be greater than 0, got: {count}. The number of "
            f"{argument} must be larger than 0: there is no tensor of no parts. Write "
            "`split(x, size)` to choose their size."
        )
    return count


@op()
def tensor_split(
    input: Tensor, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0
) -> tuple[Tensor, ...]:
    """A tensor cut into so many parts of nearly equal size, or at given places.

    Args:
        input: tensor of shape `(…, n, …)`.
        indices_or_sections: how many parts, or where to cut: a sequence, or a tensor with one dim.
        dim: which dim has the size `n`.

    Returns:
        Views.

    Raises:
        ShapeError: for less than one part.
        DimError: if there is no such dim.

    Example:
        >>> tensor_split(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))
    """
    at, n = _dim_to_cut("tensor_split", input, dim)
    if isinstance(indices_or_sections, Tensor):
        if indices_or_sections.ndim > 1:
            raise ShapeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                f"one-dimensional tensor, but got a tensor with {indices_or_sections.ndim} dims. "
                "It names places of one dim. Write `places.flatten()`."
            )
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, Sequence):
        places = ints_of(indices_or_sections, "tensor_split", "indices")
        cuts = [slice(i, None).indices(n)[0] for i in places]
    else:
        count = _count_of("tensor_split", "sections", indices_or_sections)
        size, larger = divmod(n, count)
        cuts = [i * size + min(i, larger) for i in range(1, count)]
    bounds = pairwise([0, *cuts, n])
    return tuple([narrow(input, at, start, max(end - start, 0)) for start, end in bounds])


class Unbind(Moved):
    """y, z, … = unbind x        x̄ = stack(ȳ, z̄, …)"""

    multiple = True
    views = True

    @staticmethod
    def forward(x, *, dim):
        return tuple([x[(*in_dim(index, dim), ...)] for index in range(x.shape[dim])])

    @staticmethod
    def backward(ctx, *grads):
        return run(Stack, *_filled(grads, ctx.out_shape), dim=ctx.dim)


@op(Unbind)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The elements of a dim as tensors of their own.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.

    Returns:
        `n` views without that dim.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> unbind(tensor([[1, 2], [3, 4]]), 1)
        (tensor([1, 3]), tensor([2, 4]))
    """
    at = wrap_dim(dim, input.ndim)
    if not input.ndim:
        raise DimError(
            f"Dimension specified as {dim} but tensor has no dimensions. A 0-d tensor has no "
            "elements to part. Write `x.reshape(1)` first."
        )
    return _views(input, Unbind.apply(input, dim=at))


def iterate(input: Tensor) -> Iterator[Tensor]:
    """What `for row in x` runs over: the elements of the first dim.

    Raises:
        ArgumentTypeError: for a 0-d tensor.
    """
    if not input.ndim:
        raise ArgumentTypeError(
            "iteration over a 0-d tensor. It has one value and no first dim. Write `x.item()`."
        )
    return iter(unbind(input))


class UnsafeSplit(Split):
    """y, z, … = split(x, split_size)        x̄ = cat(ȳ, z̄, …)"""

    views = False


class UnsafeSplitWithSizes(SplitWithSizes):
    """y, z, … = split(x, split_sizes)        x̄ = cat(ȳ, z̄, …)"""

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
    return _cut(tensor, split_size, dim, UnsafeSplit, UnsafeSplitWithSizes)


@op()
def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """`unsafe_split` by a list of sizes.

    Example:
        >>> unsafe_split_with_sizes(tensor([1, 2, 3]), [1, 2])
        (tensor([1]), tensor([2, 3]))
    """
    return _cut(input, tuple(split_sizes), dim, UnsafeSplit, UnsafeSplitWithSizes)


@op()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` into parts as `unsafe_split` gives them.

    Example:
        >>> unsafe_chunk(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))
    """
    sections = _sections_of(input, chunks, dim)
    return _cut(input, sections, dim, UnsafeSplit, UnsafeSplitWithSizes)
