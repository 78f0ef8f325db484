"""Places that an index names: what stands between the brackets of `x[…]`, and index tensors.

# Note [Where chosen places go]
# NumPy puts the dims of what index tensors choose where these stand, if they stand side by side,
# and in front of all others if they do not. A batch changes that: where it is sliced, it is one
# more dim in front; where each example has places of its own, it is one more index tensor. The
# result's dims are then moved to where an example has them, behind the batch.
"""

import operator
import warnings
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DimError,
    DTypeError,
    ShapeError,
    TransformError,
)
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import backend_of, is_array
from glassgrad.values.dtypes import int32, int64
from glassgrad.values.layers import Layer, backend_below, visible

from ._arguments import scalar_name
from ._families import array_of, in_front, shifted
from .shape import reshape


def as_items(index: Any) -> list[Any]:
    """The items of an index: ints, slices, None, Ellipsis, bools, and arrays or tensors.

    Raises:
        DimError: if something is none of these.
    """
    if isinstance(index, tuple):
        items = list(index)
    elif isinstance(index, list) and any(_is_structure(item) for item in index):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated: write "
            "x[tuple(seq)] instead of x[seq], or x[tensor(seq)] to choose elements.",
            UserWarning,
            stacklevel=5,
        )
        items = list(index)
    else:
        items = [index]
    return [_as_item(item) for item in items]


def _is_structure(item: Any) -> bool:
    """Whether a list that holds `item` was meant as a tuple of indices (PyTorch's rule)."""
    if item is None or item is Ellipsis or isinstance(item, (slice, Tensor)) or is_array(item):
        return True
    return isinstance(item, (list, tuple, range))


def _as_item(item: Any) -> Any:
    if item is None or item is Ellipsis or isinstance(item, (bool, slice)):
        return item
    if isinstance(item, np.bool_):
        return bool(item)
    if isinstance(item, (list, tuple, range)):
        item = np.asarray(item) if len(item) else np.zeros(0, np.int64)
    if not isinstance(item, Tensor) and not is_array(item):
        try:
            return operator.index(item)
        except TypeError as error:
            raise DimError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                f"are valid indices (got {type(item).__name__}). An index names places. Write "
                "`int(i)` for a number, `tensor(list)` for several."
            ) from error
    if item.dtype.kind not in "iub":
        raise DimError(
            "tensors used as indices must be long, int, byte or bool tensors, got "
            f"{item.dtype}. An index names places. Write `index.long()`, or a condition such as "
            "`x > 0`."
        )
    if item.ndim == 0 and visible(getattr(item, "payload", item)) is not None:
        is_mask = item.dtype.kind == "b" or item.dtype == np.uint8
        return bool(item) if is_mask else int(item)
    return item


def dims_of(item: Any) -> int:
    """How many dims of the tensor an item speaks of."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, (Tensor, np.ndarray)) or is_array(item):
        return int(item.ndim) if item.dtype.kind == "b" or item.dtype == np.uint8 else 1
    return 1


def read_slice(item: slice, n: int) -> tuple[int, int, int]:
    """(start, end, step) of a slice of a dim of size `n`, 0 <= start <= end <= n.

    Raises:
        ArgumentError: for a step of 0 or below.
        ArgumentTypeError: for bounds that are no integers.
    """
    try:
        step = 1 if item.step is None else operator.index(item.step)
        start, end, _ = slice(item.start, item.stop).indices(n)
    except TypeError as error:
        raise ArgumentTypeError(
            "slice indices must be integers or None or have an __index__ method, got "
            f"{item}. They name places. Write `int(i)`."
        ) from error
    if step < 1:
        raise ArgumentError(
            ("slice step cannot be zero" if step == 0 else "step must be greater than zero")
            + f", got {item}. A view walks forwards. Write `x.flip(0)` to turn a dim around."
        )
    return start, max(start, end), step


def index_array(item: Any, array: Any) -> Any:
    """An index tensor ready for use on `array`: on its device, and a mask as bools.

    That of a transform is its layer, which the levels take for the tensor again.
    """
    values = item.payload if isinstance(item, Tensor) else item
    if values.dtype == np.uint8:
        warnings.warn(
            "indexing with dtype uint8 is now deprecated, please use a dtype bool instead: "
            "a uint8 index is taken for a mask.",
            UserWarning,
            stacklevel=5,
        )
        values = (wrap(values) != 0).payload
    backend = backend_below(array)
    is_ready = isinstance(values, (Layer, backend.array_type))
    return values if is_ready else backend.asarray(values)


def refusal(
    error: IndexError, shape: tuple[int, ...], dims: tuple[int, ...], indices: tuple[Any, ...]
) -> DimError:
    """The error for indices that do not fit `shape`: NumPy has refused them by `error`.

    Raises:
        DimError: if it is one of them alone, naming the index, the dim and the sizes.
    """
    dim, sizes = 0, []
    for slot, index in enumerate(_slots(dims, [visible(index) for index in indices])):
        if index is None:
            dim += 1
        elif index.dtype.kind == "b":
            _check_mask(shape, index, dim, slot)
            dim += index.ndim
            sizes.append((int(index.sum()),))
        else:
            _check_bounds(index, dim, shape[dim])
            dim += 1
            sizes.append(tuple(index.shape))
    if len(sizes) < len(indices):  # vmap hides numbers
        said = f"{error}: one example has the shape {list(shape)}. Write indices within its dims."
        return error if isinstance(error, DimError) else DimError(said)
    return DimError(
        "shape mismatch: indexing tensors could not be broadcast together with shapes "
        f"{', '.join(str(list(size)) for size in sizes)}. Together they name one place each. "
        "Write tensors of one shape."
    )


def _slots(dims: tuple[int, ...], indices: list[Any]) -> list[Any]:
    slots: list[Any] = [None] * (max(dims) + 1)
    for dim, index in zip(dims, indices, strict=True):
        slots[dim] = index
    return slots


def _check_mask(shape: tuple[int, ...], mask: Any, dim: int, slot: int) -> None:
    for axis, n in enumerate(mask.shape):
        if n != shape[dim + axis]:
            raise DimError(
                f"The shape of the mask {list(mask.shape)} at index {axis} does not match the "
                f"shape of the indexed tensor {list(shape)} at index {dim + axis}. A mask says yes "
                f"or no to each element (index {slot}). Write a mask of the tensor's shape."
            )


def _check_bounds(index: Any, dim: int, n: int) -> None:
    outside = index[(index < -n) | (index >= n)]
    if len(outside):
        raise DimError(
            f"index {int(outside[0])} is out of bounds for dimension {dim} with size {n}. "
            f"Write indices from {-n} to {n - 1}."
        )


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


def apply_along(op: type[Primitive], *operands: Tensor, **parameters: Any) -> Tensor:
    """Apply an op that counts along a dim; 0-d tensors are lines of one element to it."""
    if operands[0].ndim:
        return op.apply(*operands, **parameters)
    lines = [x if x.ndim else reshape(x, (1,)) for x in operands]
    return reshape(op.apply(*lines, **parameters), ())
