"""Reading what stands between the brackets of `x[…]`."""

import operator
import warnings
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DimError
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import is_array
from glassgrad.values.layers import Layer, backend_below, visible

__all__ = ["as_items", "dims_of", "index_array", "read_slice", "refusal"]


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
