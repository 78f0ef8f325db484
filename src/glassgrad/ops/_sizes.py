"""The arithmetic of reshape and expand: which sizes are meant, and whether memory can be shared."""

import math
from typing import Any

from glassgrad.core.errors import ShapeError

__all__ = ["can_view", "expanded_size", "infer_size"]

Sizes = tuple[int, ...]


def infer_size(size: Sizes, numel: int) -> Sizes:
    """`size` with its -1 replaced, for a tensor of `numel` elements.

    Raises:
        ShapeError: if no size, or more than one, fits.
    """
    asked = list(size)
    for position, n in enumerate(size):
        if n < -1:
            raise ShapeError(
                f"invalid shape dimension {n} at index {position} of shape {asked}. A size "
                "counts elements. Write -1 for the one that follows from the others."
            )
    if size.count(-1) > 1:
        raise ShapeError(
            f"only one dimension can be inferred, got shape {asked}. Two unknown sizes have many "
            "solutions. Write one of them as a number."
        )
    known = math.prod(n for n in size if n != -1)
    if -1 not in size:
        if known != numel:
            raise _invalid(asked, numel)
        return size
    if known == 0 and numel == 0:
        raise ShapeError(
            f"cannot reshape tensor of 0 elements into shape {asked} because the unspecified "
            "dimension size -1 can be any value and is ambiguous. Write it as a number."
        )
    if known == 0 or numel % known:
        raise _invalid(asked, numel)
    return tuple([numel // known if n == -1 else n for n in size])


def _invalid(asked: list[int], numel: int) -> ShapeError:
    return ShapeError(
        f"shape '{asked}' is invalid for input of size {numel}. A new shape holds the same "
        f"elements. Write sizes whose product is {numel}."
    )


def can_view(array: Any, size: Sizes) -> bool:
    """Whether `array` takes the shape `size` (as many elements) without being copied.

    Neighbouring dims that lie in memory like one long dim form a *run*. A run may be divided
    anew; no new dim may reach over its end.
    """
    if array.flags.c_contiguous:
        return True
    runs: list[int] = []
    step = None  # in bytes, from the start of one row of the run to that of the next
    for n, stride in reversed(list(zip(array.shape, array.strides, strict=True))):
        if n == 1:
            continue
        if stride == step:
            runs[-1] *= n
        else:
            runs.append(n)
        step = stride * n
    left = 1
    for n in reversed(size):
        if left == 1 and n != 1:
            left = runs.pop(0)
        if left % n:
            return False
        left //= n
    return True


def expanded_size(size: Sizes, shape: Sizes, dtype: Any) -> Sizes:
    """`size` with each -1 replaced by the size that is there.

    Raises:
        ShapeError: if a tensor of shape `shape` cannot be stretched to it.
    """
    new = len(size) - len(shape)
    if new < 0:
        raise ShapeError(
            f"expand({dtype} tensor of shape {list(shape)}, size={list(size)}): the number of "
            f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({len(shape)}). Expanding adds dims and drops none. Write a size for "
            "each dim, -1 to keep it."
        )
    found = list(size)
    for dim, n in enumerate(size):
        if dim < new:
            if n < 0:
                raise ShapeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, "
                    f"non-existing dimension {dim}. There is no size to keep. Write a number."
                )
            continue
        have = shape[dim - new]
        if n == -1:
            found[dim] = have
        elif n < 0 or have not in (1, n):
            raise ShapeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({have}) at "
                f"non-singleton dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: "
                f"{list(shape)}. Only a dim of size 1 can be stretched."
            )
    return tuple(found)
