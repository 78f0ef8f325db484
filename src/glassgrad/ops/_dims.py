"""What ops do with the dims and sizes they are given."""

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from glassgrad.core.errors import ArgumentTypeError, DimError, ShapeError

__all__ = ["int_of", "ints_of", "names_none", "size_of", "wrap_dim", "wrap_dims"]


def wrap_dim(dim: int, ndim: int) -> int:
    """A dim counted from the front; negative ones count from the end.

    Args:
        dim: from `-ndim` to `ndim - 1`; a 0-d tensor takes -1 and 0.

    Raises:
        DimError: if there is no such dim.
        ArgumentTypeError: if `dim` is no integer.
    """
    try:
        wanted = _index(dim)
    except TypeError as error:
        raise ArgumentTypeError(
            f"a dim must be an int, not {type(dim).__name__}. It is a position in the shape. "
            "Write dim=0 for the first."
        ) from error
    count = ndim or 1
    if not -count <= wanted < count:
        raise DimError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got "
            f"{wanted}). The tensor has {ndim} dims. Write dim=-1 for the last."
        )
    return wanted % count


def wrap_dims(dims: int | Iterable[int] | None, ndim: int) -> tuple[int, ...]:
    """Dims counted from the front, in the order given; None means all of them.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a dim is there twice.
    """
    if dims is None:
        return tuple(range(ndim))
    given: Any = dims
    if not isinstance(given, Iterable) or not getattr(given, "ndim", 1):  # a 0-d tensor is one dim
        return (wrap_dim(given, ndim),)
    wrapped = tuple([wrap_dim(dim, ndim) for dim in given])
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise ShapeError(
                f"dim {dim} appears multiple times in the list of dims {list(wrapped)}. "
                "A dim can only be reduced once. Name each dim once."
            )
    return wrapped


def names_none(dims: Any) -> bool:
    """Whether dims are () or []. For most reductions that means all of them, for `any` none."""
    return isinstance(dims, (tuple, list)) and not dims


def int_of(value: Any, name: str, argument: str) -> int:
    """An argument that counts: an int, or what stands for one.

    Args:
        value: the argument.
        name: of the function, for the message.
        argument: how PyTorch calls it.

    Raises:
        ArgumentTypeError: if it is no integer.
    """
    try:
        return _index(value)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{name}(): argument '{argument}' must be int, not {type(value).__name__}. It counts "
            f"elements or places. Write a whole number: `{argument}=1`."
        ) from error


def ints_of(values: Any, name: str, argument: str) -> tuple[int, ...]:
    """An argument that may be one int or several.

    Raises:
        ArgumentTypeError: if it is neither.
    """
    several = values if isinstance(values, (tuple, list)) else (values,)
    return _indices(several, name, argument, f"It counts places. Write `{argument}=1`, or a tuple.")


def size_of(sizes: tuple[Any, ...], name: str, *, argument: str = "size") -> tuple[int, ...]:
    """The sizes meant by `f(2, 3)` or `f((2, 3))`.

    Args:
        sizes: the positional arguments.
        name: of the function, for the message.
        argument: how PyTorch calls the sizes.

    Raises:
        ArgumentTypeError: if they are no integers.
    """
    if not sizes:
        raise ArgumentTypeError(
            f'{name}() missing 1 required positional arguments: "{argument}". '
            f"Write {name}(…, 2, 3), or () for no dims."
        )
    only = sizes[0]
    given = tuple(only) if len(sizes) == 1 and isinstance(only, (tuple, list)) else sizes
    return _indices(given, name, argument, "A size counts elements. Write `int(n)`.")


def _indices(given: Sequence[Any], name: str, argument: str, why: str) -> tuple[int, ...]:
    found = []
    for value in given:
        try:
            found.append(_index(value))
        except TypeError as error:
            raise ArgumentTypeError(
                f"{name}(): argument '{argument}' must be tuple of ints, not "
                f"{type(value).__name__}. {why}"
            ) from error
    return tuple(found)


def _index(value: Any) -> int:
    """An int, or what stands for one. True is none: it is meant for a flag next to it."""
    if value is True or value is False:
        raise TypeError("bool")
    return operator.index(value)
