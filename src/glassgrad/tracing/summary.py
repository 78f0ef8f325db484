"""Arrays in a log: a few numbers each, the same text on every machine and in every process."""

import math
from typing import Any

import numpy as np

__all__ = ["ArrayTable", "summarize"]

HEAD = 4  # elements shown of an array that is not kept whole
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
        self.summaries: dict[str, dict[str, Any]] = {}
        self._ids: dict[tuple[Any, ...], str] = {}

    def add(self, array: Any) -> str:
        """The id of `array` (of any shape and dtype), new or known."""
        array = np.asarray(array)
        # The content is the key and not the object: an array that is written in place between two
        # events must appear as two arrays. A hash of it, or the table would hold every array;
        # Python's own has 64 good bits, and takes a quarter of the time of a cryptographic one.
        key = (array.dtype.str, array.shape, hash(array.tobytes()))
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = f"a{len(self._ids)}"
            self.summaries[known] = summarize(array, full=self.full)
        return known


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
    finite, nans, infs, low, high = _finite(array)
    entry: dict[str, Any] = {
        "shape": list(array.shape),
        "dtype": str(array.dtype),
        "min": None if low is None else number(low),
        "max": None if high is None else number(high),
        "norm": _norm(finite, low, high),
        "head": [number(item) for item in array.ravel()[:HEAD]],
    }
    if nans:
        entry["nan"] = nans
    if infs:
        entry["inf"] = infs
    if full:
        entry["values"] = [number(item) for item in array.ravel()]
    return entry


def number(value: Any) -> Any:
    """`value` as JSON keeps it: six significant digits; what JSON has no number for is a string.

    Example:
        >>> number(2 / 3), number(float("nan")), number(1 - 2j)
        (0.666667, 'nan', '1-2j')
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, complex):
        return f"{value.real:.{DIGITS}g}{value.imag:+.{DIGITS}g}j"
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return str(value)
    return float(f"{value:.{DIGITS}g}") + 0.0  # + 0.0: -0.0 is printed as 0.0


def _finite(
    array: np.ndarray[Any, Any],
) -> tuple[np.ndarray[Any, Any], int, int, Any, Any]:
    """The finite elements, how many are nan and infinite, and the least and greatest element."""
    flat = array.ravel()
    if not flat.size:
        return flat, 0, 0, None, None
    kind = flat.dtype.kind
    if kind not in "fc":
        return flat, 0, 0, flat.min(), flat.max()
    if kind == "f":  # a nan is the least and the greatest: two fast passes clear most arrays
        low, high = flat.min(), flat.max()
        if math.isfinite(low) and math.isfinite(high):
            return flat, 0, 0, low, high
    nan, inf = np.isnan(flat), np.isinf(flat)
    nans, infs = int(nan.sum()), int(inf.sum())
    if nans or infs:
        flat = flat[~(nan | inf)]
    if kind == "c" or not flat.size:
        return flat, nans, infs, None, None
    return flat, nans, infs, flat.min(), flat.max()


def _norm(finite: np.ndarray[Any, Any], low: Any, high: Any) -> Any:
    if finite.dtype.kind not in "biufc":
        return None
    if not finite.size:
        return 0.0
    if finite.dtype.kind == "c":
        finite = np.abs(finite)
        high = finite.max()
    # Scaled by the largest element: the squares of 1e200 would overflow, those of 1e-200 vanish.
    top = max(abs(float(high)), abs(float(low or 0.0)))
    if not top:
        return 0.0
    wide = finite.astype(np.float64)
    wide /= top
    return number(top * math.sqrt(float(wide.dot(wide))))
