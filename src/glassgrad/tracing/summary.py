"""Arrays in a log: a few numbers each, the same text on every machine and in every process."""

import hashlib
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
        # events must appear as two arrays. A digest of it, or the table would hold every array.
        digest = hashlib.blake2b(np.ascontiguousarray(array).data, digest_size=16).digest()
        key = (array.dtype.str, array.shape, digest)
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
    finite, nans, infs = _finite(array)
    ordered = finite.size > 0 and finite.dtype.kind != "c"
    entry: dict[str, Any] = {
        "shape": list(array.shape),
        "dtype": str(array.dtype),
        "min": number(finite.min()) if ordered else None,
        "max": number(finite.max()) if ordered else None,
        "norm": _norm(finite),
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


def _finite(array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int, int]:
    """The finite elements of `array`, and how many are nan and infinite."""
    if array.dtype.kind not in "fc":
        return array.ravel(), 0, 0
    flat = array.ravel()
    nan = np.isnan(flat)
    inf = np.isinf(flat)
    if not (nan.any() or inf.any()):
        return flat, 0, 0
    return flat[~(nan | inf)], int(nan.sum()), int(inf.sum())


def _norm(finite: np.ndarray[Any, Any]) -> Any:
    if finite.dtype.kind not in "biufc":
        return None
    wide = np.abs(finite).astype(np.float64)
    # Scaled by the largest element: the squares of 1e200 would overflow, those of 1e-200 vanish.
    top = float(wide.max()) if wide.size else 0.0
    return number(top * math.sqrt(float(((wide / top) ** 2).sum()))) if top else 0.0
