"""Arrays in a log: a few numbers each, the same text on every machine and in every process."""

import functools
import math
import sys
from typing import Any

import numpy as np

from .measuring import HEAD, Measures, are_equal, hashed, measured

__all__ = ["ArrayTable", "summarize"]

DIGITS = 6  # significant digits: more than a reader needs, fewer than two BLAS builds agree on


class ArrayTable:
    """Gives each array of a pass an id (`a0`, `a1`, … by first appearance); equal arrays share one.

    Args:
        full: keep every element, not only the first four.

    Example:
        >>> table = ArrayTable()
        >>> table.add(np.ones(2, np.float32)), table.add(np.ones(2, np.float32))
        ('a0', 'a0')
        >>> table.summaries["a0"]["norm"]
        1.41421
    """

    def __init__(self, *, full: bool = False) -> None:
        self.full = full
        self._ids: dict[tuple[Any, ...], str] = {}
        self._summaries: dict[str, dict[str, Any]] = {}
        self._small: dict[str, np.ndarray[Any, Any]] = {}
        self._batched: dict[str, int] = {}  # of which arrays the first dims count examples
        self._still: dict[int, tuple[Any, str]] = {}  # the arrays too: an id may be used again
        self._most_still = 0

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def summaries(self) -> dict[str, dict[str, Any]]:
        """What there is to know of each array, by id."""
        for name, array in self._small.items():
            self._summaries[name] = self._told(name, array)
        self._small.clear()
        return self._summaries

    def add(self, array: Any, batch: tuple[int, ...] = ()) -> str:
        """The id of `array` (of any shape and dtype), new or known.

        Args:
            batch: its first dims, if it holds many examples of what is to be told of.
        """
        array = np.asarray(array)
        # The content is the key and not the object: an array that is written in place between two
        # events must appear as two arrays. A number for it, or the table would hold every array.
        digest, measures = hashed(array, exact=self.full)
        key = (array.dtype.str, array.shape, len(batch), digest)
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = f"a{len(self._ids)}"
            if batch:
                self._batched[known] = len(batch)
            if array.size <= _SMALL:
                self._small[known] = array.copy()  # most passes are run without being looked at
            else:
                self._summaries[known] = self._told(known, array, measures)
        return known

    def _told(self, name: str, array: Any, measures: Measures | None = None) -> dict[str, Any]:
        entry = _entry(array, measures or measured(array), full=self.full)
        dims = self._batched.get(name)
        if dims is not None:
            shape = entry["shape"]
            entry |= {"shape": shape[dims:], "batch": shape[:dims]}
        return entry

    def add_still(self, array: Any, batch: tuple[int, ...] = ()) -> str:
        """As `add`; if it was added so before, the caller vouches that nobody wrote it since.

        `forget` ends that: it is to be called whenever code of a user may have run.
        """
        known = self._still.get(id(array))
        if known is None:
            known = self._still[id(array)] = (array, self.add(array, batch))
        return known[1]

    def add_alike(self, array: Any, other: Any, name: str, batch: tuple[int, ...] = ()) -> str:
        """As `add`, for what is likely equal to `other`, whose id is known: comparing is faster."""
        if array is other or are_equal(np.asarray(array), np.asarray(other)):
            return name
        return self.add(array, batch)

    def drop(self, array: Any) -> None:
        """Let go of one array."""
        self._still.pop(id(array), None)

    def forget(self) -> None:
        """From now on look at each array again."""
        self._still.clear()

    def release(self) -> None:
        """Let go of arrays that nobody else refers to: a pass need not keep all its gradients."""
        if len(self._still) > self._most_still:
            self._still = {
                key: entry
                for key, entry in self._still.items()
                if sys.getrefcount(entry[0]) > _IN_THE_TABLE
            }
            self._most_still = 2 * len(self._still)  # so that this costs the same for each array

    def cut(self, length: int) -> None:
        """Be as it was when there were `length` arrays."""
        self.forget()
        while len(self._ids) > length:
            name = self._ids.popitem()[1]
            self._summaries.pop(name, None)
            self._small.pop(name, None)
            self._batched.pop(name, None)

    def copy(self) -> "ArrayTable":
        """A table to go on with, which leaves this one as it is."""
        twin = ArrayTable(full=self.full)
        twin._ids, twin._summaries = self._ids.copy(), self.summaries.copy()
        twin._batched = self._batched.copy()
        return twin


_IN_THE_TABLE = 2  # references: the entry, and the argument of `getrefcount`
_SMALL = 1024
"""Up to so many elements a copy of an array is made at once, and what there is to say later."""


def summarize(array: Any, *, full: bool = False) -> dict[str, Any]:
    """An array as an entry of a trace's `arrays`.

    Args:
        array: anything NumPy takes, of any shape.
        full: add `values`, every element in C order.

    Returns:
        `shape`, `dtype`, `min`, `max` and `norm` (2-norm) of the finite elements, `head` (the first
        four elements), and, only where there are any, the counts `nan` and `inf`.

    Example:
        >>> summarize(np.array([3.0, 4.0], np.float32))["norm"]
        5.0
    """
    array = np.asarray(array)
    return _entry(array, measured(array), full=full)


def _entry(array: np.ndarray[Any, Any], measures: Measures, *, full: bool) -> dict[str, Any]:
    low, high, norm, nans, infs = measures
    entry: dict[str, Any] = {
        "shape": list(array.shape),
        "dtype": dtype_name(array.dtype),
        "min": None if low is None else number(low),
        "max": None if high is None else number(high),
        "norm": None if norm is None else number(norm),
        "head": [number(item) for item in array.flat[:HEAD].tolist()],
    }
    if nans:
        entry["nan"] = nans
    if infs:
        entry["inf"] = infs
    if full:
        entry["values"] = [number(item) for item in array.ravel().tolist()]
    return entry


def number(value: Any) -> Any:
    """`value` as JSON keeps it: six significant digits; what JSON has no number for is a string.

    Example:
        >>> number(2 / 3), number(float("nan")), number(1 - 2j)
        (0.666667, 'nan', '1-2j')
    """
    if type(value) is float and -1e100 < value < 1e100:  # nearly all are
        return float(f"{value:.{DIGITS}g}") + 0.0  # + 0.0: -0.0 is printed as 0.0
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, complex):
        return f"{value.real:.{DIGITS}g}{value.imag:+.{DIGITS}g}j"
    if not isinstance(value, float):
        return str(value)
    return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else str(value)


@functools.cache
def dtype_name(dtype: Any) -> str:
    """What a dtype is called: NumPy takes as long to find that out as to add an array."""
    return str(dtype)
