"""What an array's entry in a log is computed from: its range, its norm, and a hash of its bytes.

The log of a pass looks at every gradient, and for large ones that is most of its work. So what can
be had in one go through the memory is: an array is read in pieces, and each piece is in the cache
when it is read again.

Note [Telling arrays apart]

Equal arrays are one entry of a log. A hash of all bytes would tell which are equal, and take twice
as long as all the rest. So large arrays of real numbers are told apart by what is computed anyway,
least and greatest element, norm and first elements, which is all that an entry shows: whatever
shares an entry is shown as it is. Two more sums tell of what it does not show: that of all bits,
which any change of one element changes, and that of all elements times irregular numbers, which
changes when elements change places. What the sums cannot tell apart is what rounding hides from
them, about 10⁻¹² of the norm: elements that are smaller than that, or in double precision differ
by less, may change places unseen, or change so that the sum of all bits stays as it was. Where all
elements are kept, all bytes are hashed.
"""

import math
import threading
from typing import Any, NamedTuple

import numpy as np

__all__ = ["HEAD", "Measures", "are_equal", "hashed", "measured"]

HEAD = 4
"""So many elements are shown of an array that is not kept whole."""

Array = np.ndarray[Any, Any]


class Measures(NamedTuple):
    """Of the finite elements the least, the greatest and the 2-norm; how many others there are.

    None where there is no such number: no element, or none that can be compared.
    """

    low: Any
    high: Any
    norm: Any
    nans: int = 0
    infs: int = 0


def hashed(array: Array, *, exact: bool = False) -> tuple[int, Measures | None]:
    """A number that tells arrays of a dtype and shape apart, and measures if they came out with it.

    Args:
        exact: whether it is to tell apart what differs in any element, and not only in what an
            entry shows. See Note [Telling arrays apart].
    """
    if array.nbytes < _WORTH_A_VIEW or array.dtype.hasobject:
        return hash(array.tobytes()), None
    if not exact and array.dtype.char in "efd":
        sums = _summed(array)
        if sums is not None and (measures := sums.measures()) is not None:
            head = array.flat[:HEAD].tobytes()
            return hash((measures.low, measures.high, head, *sums.marks)), measures
    return hash(_words(array).view(np.uint8).view(_Hashable).data.toreadonly()), None


def measured(array: Array) -> Measures:
    """The measures of an array of any shape and dtype."""
    if 0 < array.size <= _FEW and array.dtype.char in "efd":
        numbers = array.ravel().tolist()
        if all(map(math.isfinite, numbers)):
            return Measures(min(numbers), max(numbers), math.hypot(*numbers))
    elif array.size and array.dtype.char in "efd":
        sums = _summed(array)
        if sums is not None and (found := sums.measures()) is not None:
            return found
    finite, nans, infs, low, high = _finite(array)
    return Measures(low, high, _norm(finite, low, high), nans, infs)


def are_equal(a: Array, b: Array) -> bool:
    """Whether two arrays are the same bit by bit: nan equals itself, and 0 is not -0."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.nbytes < _WORTH_A_VIEW or a.dtype.hasobject:
        return a.tobytes() == b.tobytes()
    return bool((_words(a) == _words(b)).all())


def _words(array: Array) -> Array:
    """The bytes of `array` as numbers of eight of them, where they come out even."""
    whole = np.ascontiguousarray(array)  # what `expand` makes has one element in many places
    return whole.reshape(-1).view(np.uint8 if array.nbytes % 8 else np.uint64)


class _Hashable(np.ndarray[Any, Any]):
    """An array whose bytes can be hashed where they are; Python asks their owner for leave."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # an array has none


class _Scratch(threading.local):
    """Room for a piece of an array in double precision, in each thread; and numbers as good as any.

    It is the same room each time: some BLAS adds in an order that depends on the address.
    """

    def __init__(self) -> None:
        self.wide = np.empty(_PIECE)
        self.irregular = np.sin(np.arange(1.0, _PIECE + 1))


class _Sums:
    """The measures of an array of usual real numbers, piece by piece, and what tells it apart."""

    __slots__ = ("high", "low", "marks", "total")

    def __init__(self) -> None:
        self.total, self.low, self.high = 0.0, math.inf, -math.inf
        self.marks: list[Any] = []

    def add(self, piece: Array) -> bool:
        """Take in a piece; False if it is no usual one, and all is in vain."""
        low, high = float(np.minimum.reduce(piece)), float(np.maximum.reduce(piece))
        if not (low > -_HUGE and high < _HUGE):
            return False  # inf, or nan, which is the least and the greatest
        wide = _scratch.wide[: piece.size]
        wide[...] = piece
        squares, mixed = float(wide.dot(wide)), float(wide.dot(_scratch.irregular[: piece.size]))
        self.marks += [squares, mixed, int(np.add.reduce(_words(piece)))]
        self.total += squares
        self.low, self.high = min(self.low, low), max(self.high, high)
        return True

    def measures(self) -> Measures | None:
        """What was found; None if all numbers are so small that their squares are none."""
        top = max(self.high, -self.low)
        if top and top < _TINY:
            return None
        return Measures(self.low, self.high, math.sqrt(self.total))


def _summed(array: Array) -> _Sums | None:
    """The sums of an array of reals; None if its numbers are no usual ones."""
    sums, flat = _Sums(), array.reshape(-1)
    for first in range(0, flat.size, _PIECE):
        if not sums.add(flat[first : first + _PIECE]):
            return None
    return sums


# The slow way, for everything -------------------------------------------------------------------


def _finite(array: Array) -> tuple[Array, int, int, Any, Any]:
    """The finite elements, how many are nan and infinite, and the least and greatest element."""
    flat = array.ravel()
    if not flat.size:
        return flat, 0, 0, None, None
    kind = flat.dtype.kind
    if kind not in "fc":
        return flat, 0, 0, flat.min(), flat.max()
    nan, inf = np.isnan(flat), np.isinf(flat)
    nans, infs = int(nan.sum()), int(inf.sum())
    if nans or infs:
        flat = flat[~(nan | inf)]
    if kind == "c" or not flat.size:
        return flat, nans, infs, None, None
    return flat, nans, infs, flat.min(), flat.max()


def _norm(finite: Array, low: Any, high: Any) -> Any:
    if finite.dtype.kind not in "biufc":
        return None
    if not finite.size:
        return 0.0
    if finite.dtype.kind == "c":
        finite = np.abs(finite)
        high = finite.max()
    top = max(abs(float(high)), abs(float(low or 0.0)))
    if not top:
        return 0.0
    wide = finite.astype(np.float64)
    wide /= top  # the squares of 1e200 would overflow, those of 1e-200 vanish
    return top * math.sqrt(float(wide.dot(wide)))


_TINY, _HUGE = 1e-100, 1e100
"""Between these, squares are numbers like any."""

_FEW = 32
"""Up to so many numbers, Python is faster than NumPy."""

_WORTH_A_VIEW = 4096
"""From so many bytes on, a copy takes longer than to look at them where they are."""

_PIECE = 32768
"""So many numbers in double precision stay in a processor's cache."""

_scratch = _Scratch()
