"""Arrays in a log: a few numbers each, the same text on every machine and in every process."""

import functools
import math
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy
from glassgrad.values.layers import Layer

HEAD = 4  # so many elements are shown of an array that is not kept whole
DIGITS = 6  # significant digits: more than a reader needs, fewer than two BLAS builds agree on

Array = np.ndarray[Any, Any]


class ArrayTable:
    """Gives each array of a pass an id (`a0`, `a1`, … by first appearance); equal arrays share one.

    Args:
        full: keep every element, not only the first four.
        remembers: whether `ids` knows an array again by its identity, until `forget`.

    Attributes:
        summaries: what there is to know of each array, by id.

    Example:
        >>> table = ArrayTable()
        >>> table.add(np.ones(2, np.float32)), table.add(np.ones(2, np.float32))
        ('a0', 'a0')
        >>> table.summaries["a0"]["norm"]
        1.41421
    """

    def __init__(self, *, full: bool = False, remembers: bool = True) -> None:
        self.full, self._remembers = full, remembers
        self.summaries: dict[str, dict[str, Any]] = {}
        self._ids: dict[tuple[Any, ...], str] = {}
        self._still: dict[int, tuple[Any, str]] = {}  # the arrays too: an id may be used again
        self._most_still = 0

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, array: Any, batch: tuple[int, ...] = ()) -> str:
        """The id of `array` (of any shape and dtype), new or known.

        Args:
            batch: its first dims, if it holds many examples of what is to be told of.
        """
        array = np.asarray(array)
        # The content is the key and not the object: an array that is written in place between two
        # events must appear as two arrays. A number for it, or the table would hold every array.
        small = array.nbytes < _WORTH_A_VIEW
        content = hash(array.tobytes()) if small else digest(array)
        key = (array.dtype.str, array.shape, len(batch), content)
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = f"a{len(self._ids)}"
            self.summaries[known] = summarize(array, full=self.full, examples=len(batch))
        return known

    def ids(self, values: Iterable[Any]) -> list[str | None]:
        """The ids of tensors and arrays, None for None.

        Of what was added so before, the caller vouches that nobody wrote it since. `forget` ends
        that: it is to be called whenever code of a user may have run.
        """
        found: list[str | None] = []
        for value in values:
            array = value.payload if type(value) is Tensor else value
            known = self._still.get(id(array))
            if value is None:
                found.append(None)
            elif known is not None:
                found.append(known[1])
            else:
                plain = type(array) is np.ndarray  # as nearly all are
                name = self.add(array) if plain else self.add(numbers(array), batch_of(array))
                found.append(name)
                if self._remembers:
                    self._still[id(array)] = array, name
        return found

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
            del self.summaries[self._ids.popitem()[1]]

    def copy(self) -> "ArrayTable":
        """A table to go on with, which leaves this one as it is."""
        twin = ArrayTable(full=self.full)
        twin._ids, twin.summaries = self._ids.copy(), self.summaries.copy()
        return twin


_IN_THE_TABLE = 2  # references: the entry, and the argument of `getrefcount`


def summarize(array: Any, *, full: bool = False, examples: int = 0) -> dict[str, Any]:
    """An array as an entry of a trace's `arrays`.

    Args:
        array: anything NumPy takes, of any shape.
        full: add `values`, every element in C order.
        examples: how many of the first dims count examples of what is told of.

    Returns:
        `shape`, `dtype`, `min`, `max` and `norm` (2-norm) of the finite elements, `head` (the first
        four elements), and, only where there are any, the counts `nan` and `inf`.

    Example:
        >>> summarize(np.array([3.0, 4.0], np.float32))["norm"]
        5.0
    """
    array = np.asarray(array)
    few = array.ravel().tolist() if array.dtype.kind == "f" and 0 < array.size <= _FEW else []
    if few and all(map(math.isfinite, few)):  # for which Python is faster than NumPy
        found: tuple[Any, ...] = min(few), max(few), math.hypot(*few), 0, 0
    else:
        found = measured(array)
    shape, first = list(array.shape), few[:HEAD] or array.flat[:HEAD].tolist()
    nans, infs = found[3:]
    low, high, norm, *head = rounded([*found[:3], *first])
    entry: dict[str, Any] = {"shape": shape[examples:], "dtype": dtype_name(array.dtype)}
    entry |= {"min": low, "max": high, "norm": norm, "head": head}
    if examples:
        entry["batch"] = shape[:examples]
    if nans:
        entry["nan"] = nans
    if infs:
        entry["inf"] = infs
    if full:
        entry["values"] = rounded(array.ravel().tolist())
    return entry


def head_in_words(entry: dict[str, Any]) -> str:
    """The first elements of an array, from its entry: "[1.0, 2.0, …]"."""
    more = ["…"] if math.prod(entry["shape"]) > len(entry["head"]) else []
    return f"[{', '.join([*map(str, entry['head']), *more])}]"


def rounded(values: list[Any]) -> list[Any]:
    """Numbers of Python as JSON keeps them: six significant digits; nan and inf are strings.

    Example:
        >>> rounded([2 / 3, float("nan"), 1 - 2j, -0.0])
        [0.666667, 'nan', '1-2j', 0.0]
    """
    found: list[Any] = []
    for value in values:
        if isinstance(value, float) and math.isfinite(value):
            found.append(float(f"{value:.{DIGITS}g}") + 0.0)  # + 0.0: -0.0 is printed as 0.0
        elif isinstance(value, complex):
            found.append(f"{value.real:.{DIGITS}g}{value.imag:+.{DIGITS}g}j")
        else:
            found.append(value if isinstance(value, int) or value is None else str(value))
    return found


@functools.cache
def dtype_name(dtype: Any) -> str:
    """What a dtype is called: NumPy takes as long to find that out as to add an array."""
    return str(dtype).removeprefix("torch.")


def numbers(value: Any) -> Any:
    """A NumPy array of a tensor, also of PyTorch's, of an array of some backend, or of a scalar.

    Of a tensor that a transform sees, it is the array at the bottom: a whole batch under vmap.
    """
    if type(value) is np.ndarray:
        return value
    value = value.payload if isinstance(value, Tensor) else value
    value = value.array if isinstance(value, Layer) else value
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _array_of(value, torch)
    return value if getattr(value, "shape", None) == () else asnumpy(value)


def _array_of(tensor: Any, torch: Any) -> Any:
    """The numbers of a tensor of PyTorch of any shape, device and layout."""
    tensor = tensor.detach()
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    try:
        return tensor.numpy()
    except TypeError:
        return tensor.float().numpy()  # bfloat16 and the like, which NumPy does not have


def batch_of(value: Any) -> tuple[int, ...]:
    """How many examples a tensor or payload is of: a size for each `vmap` around, outermost first.

    They are the first dims of the array at the bottom; the shape is that of one example.
    """
    payload = value.payload if isinstance(value, Tensor) else value
    if not isinstance(payload, Layer):
        return ()
    shape = payload.array.shape
    return tuple(shape[: len(shape) - payload.ndim])


# Of many elements -------------------------------------------------------------------------------


def digest(array: Array) -> int:
    """A number that tells arrays of one dtype and shape apart, bit by bit: nan equals itself.

    The bytes are taken as numbers of 64 bits, of which each is multiplied by a random one. That
    finds any change with all but a probability of 2⁻³¹, and takes half of the time of a checksum
    of the standard library, which would be most of the work of a log.
    """
    if array.dtype.kind not in "biufc":
        return hash(array.tobytes())
    space, marks = np.empty(min(_PIECE, array.nbytes // 8), np.uint64), []
    for piece in _pieces(array):
        data = piece.view(np.uint8)
        words = data[: data.size // 8 * 8].view(np.uint64)
        # A product loses as many bits as there are zeros at the end, as of most floats. (31 and not
        # 32, or two equal changes in one word would cancel.)
        folded = np.right_shift(words, 31, out=space[: words.size])
        folded ^= words
        marks += [int(folded.dot(_random_numbers()[: words.size])), data[words.nbytes :].tobytes()]
    return hash(tuple(marks))


def measured(array: Array) -> tuple[Any, Any, Any, int, int]:
    """Of the finite elements the least, the greatest and the 2-norm; how many are nan, and inf.

    None where there is no such number: no element, or none that can be compared.
    """
    kind, nans, infs = array.dtype.kind, 0, 0
    low: Any
    high: Any
    if kind == "f" and array.size:
        with np.errstate(all="ignore"):
            lows, highs, squares = np.array([_usual(piece) for piece in _pieces(array)]).T
        low, high = float(lows.min()), float(highs.max())  # a nan would be both
        if low > -1e100 and high < 1e100 and not 0.0 < max(-low, high) < 1e-100:
            return low, high, math.sqrt(squares.sum()), 0, 0
    flat = array.reshape(-1)
    if kind in "fc":
        nans, infs = int(np.isnan(flat).sum()), int(np.isinf(flat).sum())
        flat = flat[np.isfinite(flat)]
    if kind not in "biufc" or not flat.size:
        return None, None, 0.0 if kind in "biufc" else None, nans, infs
    low, high = (None, None) if kind == "c" else (flat.min().item(), flat.max().item())
    size = abs(flat.astype(np.complex128))  # in double precision, also -128 of 8 bits
    top = float(size.max()) or 1.0  # the squares of 1e200 would overflow, those of 1e-200 vanish
    return low, high, top * float(np.linalg.norm(size / top)), nans, infs


def _pieces(array: Array) -> Iterator[Array]:
    """The elements in order, few at a time: memory is slower than what there is to compute."""
    flat, size = array.reshape(-1), 8 * _PIECE // array.itemsize
    for first in range(0, flat.size, size):
        yield np.ascontiguousarray(flat[first : first + size])


def _usual(piece: Array) -> tuple[float, float, float]:
    """Of usual numbers the least, the greatest, and the sum of the squares."""
    wide = piece.astype(np.float64, copy=False)
    return np.minimum.reduce(piece), np.maximum.reduce(piece), wide.dot(wide)


@functools.cache
def _random_numbers() -> Array:
    return np.random.default_rng(0).integers(0, 2**64, _PIECE, dtype=np.uint64) | np.uint64(1)


_FEW = 32
_PIECE = 32768  # so many numbers of 64 bits stay in a processor's cache
_WORTH_A_VIEW = 4096  # from so many bytes on, a copy takes longer than to look where they are
