"""The key that index tensors stand for, and what becomes of it with a batch in front.

# Note [Where chosen places go]
# NumPy puts the dims of what index tensors choose where these stand, if they stand side by side,
# and in front of all others if they do not. A batch changes that: where it is sliced, it is one
# more dim in front; where each example has places of its own, it is one more index tensor. The
# result's dims are then moved to where an example has them, behind the batch.
"""

from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import TransformError
from glassgrad.values.layers import visible

from ._families import in_front, shifted
from ._index import dims_of
from ._reduce import array_of

__all__ = ["BatchedKey", "batched_key", "key_of", "shape_of_choice"]

Dims = tuple[int, ...]


def key_of(indices: tuple[Any, ...], dims: Dims) -> tuple[Any, ...]:
    """`(:, …, indices[k], …)`, each index at its place in `dims`."""
    key: list[Any] = [slice(None)] * (max(dims) + 1)
    for dim, index in zip(dims, indices, strict=True):
        key[dim] = index
    return (*key, ...)


def shape_of_choice(shape: Dims, indices: tuple[Any, ...], dims: Dims) -> Dims:
    """The shape of what the arrays `indices` choose from a tensor of shape `shape`.

    Raises:
        IndexError: NumPy's, if they do not fit.
    """
    seen = tuple([_seen(index) for index in indices])
    everywhere = np.broadcast_to(np.zeros((), bool, like=seen[0]), shape)
    return tuple(everywhere[key_of(seen, dims)].shape)


def _seen(index: Any) -> Any:
    """An index array; zeros in the place of one that differs from example to example."""
    array = visible(index)
    if array is not None:
        return array
    if index.dtype.kind == "b":
        raise masks_differ(index.shape)
    return np.zeros(index.shape, np.int64, like=array_of(index))


class BatchedKey(NamedTuple):
    """Index tensors for a batch, and how the dims of what they choose have to move.

    Attributes:
        indices, dims: the index tensors and their places in the key.
        move: which dims of the result have to move where, so that the batch comes first and all
            others lie as in one example (Note [Where chosen places go]).
        rank: how many dims one example of what is chosen has.
    """

    indices: tuple[Any, ...]
    dims: Dims
    move: tuple[Dims, Dims]
    rank: int

    def arranged(self, chosen: Any) -> Any:
        """What NumPy chose, batch first."""
        source, destination = self.move
        return chosen if source == destination else np.moveaxis(chosen, source, destination)

    def disarranged(self, values: Any) -> Any:
        """Values for the chosen places, batch first, as NumPy wants them."""
        source, destination = self.move
        return values if source == destination else np.moveaxis(values, destination, source)


def batched_key(
    n: int, x_rank: int, in_dims: Any, indices: tuple[Any, ...], dims: Dims
) -> BatchedKey:
    """The key for a batch of `n` examples.

    Args:
        x_rank: how many dims one example has of what is chosen from.
        in_dims: which of that, and of the indices, is batched.
        indices, dims: the key for one example.

    Raises:
        TransformError: if a mask differs from example to example.
    """
    is_batched = [dim is not None for dim in in_dims[1:]]
    _check_masks(indices, is_batched)
    places = _rank_of_places(indices, is_batched)
    first, are_side_by_side = min(dims), max(dims) - min(dims) == len(dims) - 1
    consumed = sum([dims_of(i) if i.dtype.kind == "b" else 1 for i in indices])
    rank = x_rank - consumed + places
    move: tuple[Dims, Dims]
    if not any(is_batched):
        move = ((), ()) if are_side_by_side else ((places,), (0,))
        return BatchedKey(indices, shifted(dims), move, rank)
    pairs = zip(indices, is_batched, strict=True)
    lined = tuple([in_front(i, places) if batched else i for i, batched in pairs])
    if in_dims[0] is None:
        move = ((first,), (0,)) if are_side_by_side and first else ((), ())
        return BatchedKey(lined, dims, move, rank)
    counts = np.arange(n, like=array_of(indices[0])).reshape(n, *(1,) * places)
    behind = first if are_side_by_side else 0
    move = tuple(range(1, 1 + places)), tuple(range(1 + behind, 1 + behind + places))
    return BatchedKey((counts, *lined), (0, *shifted(dims)), move, rank)


def _rank_of_places(indices: tuple[Any, ...], is_batched: list[bool]) -> int:
    """How many dims the chosen places of one example have; a mask names them in a row."""
    pairs = zip(indices, is_batched, strict=True)
    return max([1 if i.dtype.kind == "b" else i.ndim - batched for i, batched in pairs])


def _check_masks(indices: tuple[Any, ...], is_batched: list[bool]) -> None:
    for index, batched in zip(indices, is_batched, strict=True):
        if batched and index.dtype.kind == "b":
            raise masks_differ(index.shape[1:])


def masks_differ(shape: Any) -> TransformError:
    """The error for a mask that chooses other places, and more or fewer, in each example."""
    return TransformError(
        "vmap: We do not support batching operators that can support dynamic shape. Attempting to "
        f"batch over indexing with a boolean mask (of shape {list(shape)} for each example): how "
        "many elements it chooses differs from example to example. Write `where(mask, x, y)`."
    )
