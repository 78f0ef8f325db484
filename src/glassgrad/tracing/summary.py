"""Arrays in a log: a few numbers each, the same text on every machine and in every process."""

import functools
import math
import sys
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from glassgrad._words import nested, number_text, shape_text
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy
from glassgrad.values.layers import array_of

HEAD = 4  # so many elements are shown of an array that is not kept whole
LARGE, SAMPLED = 2**22, 10_000  # of an array of more elements so many are looked at
DIGITS = 6  # significant digits: more than a reader needs, fewer than two BLAS builds agree on

Array = np.ndarray[Any, Any]
ArrayId = str | None  # "a3"; None where there is no gradient


class Key(NamedTuple):
    """What tells an array from all others."""

    dtype: Any
    shape: tuple[int, ...]
    examples: int
    digest: int


class Measures(NamedTuple):
    """What an entry says of an array, in numbers that are not rounded yet."""

    shape: tuple[int, ...]
    dtype: Any
    examples: int
    found: tuple[Any, ...]
    head: list[Any]
    elements: list[Any] | None
    sampled: int

    @classmethod
    def of(cls, array: Array, *, full: bool, examples: int) -> Self:
        """Measure an array; the arguments are those of `summarize`."""
        sampled = SAMPLED if array.size > LARGE and not full else 0
        few = array.ravel().tolist() if array.dtype.kind == "f" and 0 < array.size <= _FEW else []
        if few and all(map(math.isfinite, few)):  # for which Python is faster than NumPy
            found: tuple[Any, ...] = min(few), max(few), math.hypot(*few), 0, 0
        elif sampled:
            low, high, norm, *spoiled = measured(_sample(array))
            scale = math.sqrt(array.size / sampled)
            found = low, high, None if norm is None else norm * scale, *spoiled
        else:
            found = measured(array)
        head = few[:HEAD] or array.flat[:HEAD].tolist()
        elements = array.ravel().tolist() if full else None
        return cls(array.shape, array.dtype, examples, found, head, elements, sampled)

    def entry(self) -> dict[str, Any]:
        """As an entry of a trace's `arrays`."""
        shape, (low, high, norm, nans, infs) = list(self.shape), self.found
        low, high, norm, *head = rounded([low, high, norm, *self.head])
        entry: dict[str, Any] = {"shape": shape[self.examples :], "dtype": dtype_name(self.dtype)}
        entry |= {"min": low, "max": high, "norm": norm, "head": head}
        if self.examples:
            entry["batch"] = shape[: self.examples]
        if nans:
            entry["nan"] = nans
        if infs:
            entry["inf"] = infs
        if self.sampled:
            entry["sampled"] = self.sampled
        if self.elements is not None:
            entry["values"] = rounded(self.elements)
        return entry


Taken = Array | np.generic | Key | None  # a copy, or what is left to know of it


class ArrayTable:
    """Gives each array of a pass an id (`a0`, `a1`, … by first appearance); equal arrays share one.

    Whoever runs a pass only takes arrays, which is quick. What they are called, and what there is
    to say of them, is found when somebody reads.

    Args:
        full: keep every element, not only the first four.

    Attributes:
        summaries: what there is to know of each array, by id.

    Example:
        >>> table = ArrayTable()
        >>> table.add(np.ones(2, np.float32)), table.add(np.ones(2, np.float32))
        ('a0', 'a0')
        >>> table.summaries["a0"]["norm"]
        1.41421
    """

    _copied: ClassVar[int] = 0
    """The bytes of all copies in the process that nobody has read."""

    _own_copies = 0

    def __init__(self, *, full: bool = False) -> None:
        self.full = full
        self.summaries: dict[str, dict[str, Any]] = {}
        self._ids: dict[Any, str] = {}
        self._measures: dict[Any, Measures] = {}  # of arrays that were taken and have no id yet
        self._told: dict[int, tuple[Taken, ArrayId]] = {}  # by identity, and so kept

    def __len__(self) -> int:
        return len(self._ids)

    def take(self, value: Any) -> Taken:
        """An array or a tensor as it is now, for `add`: it may be written at any time.

        It is copied, which takes less time than a summary of it. Where the copies that wait in this
        process for somebody to read them have grown too large, it is looked at now.
        """
        array: Any = value.payload if isinstance(value, Tensor) else value
        kind = type(array)
        if kind is not np.ndarray:
            if array is None or issubclass(kind, np.generic):  # which nobody can write
                return array  # type: ignore[no-any-return]  # it is Any
            if dims_of_batch(array):
                return self._looked_at(array)
            array = np.asarray(numbers(array))
        size = array.nbytes
        is_kept = size <= _SMALL or self._has_room(size)
        return array.copy() if is_kept else self._looked_at(array)

    def _has_room(self, size: int) -> bool:
        """Whether an array may be copied that is not small: one of not too many."""
        if self.full:
            return True
        table = type(self)
        if table._copied + size > MOST_COPIED:
            return False
        self._own_copies += size
        table._copied += size
        return True

    def forget_copies(self) -> None:
        """The copies that were taken are gone."""
        self.forget_told()
        type(self)._copied -= self._own_copies
        self._own_copies = 0

    def forget_told(self) -> None:
        """What was told of is gone, and others may have its identity."""
        self._told.clear()

    def __del__(self) -> None:
        type(self)._copied -= self._own_copies

    def add(self, value: Any) -> ArrayId:
        """The id, new or known, of an array or tensor of any shape and dtype, or of one `taken`."""
        if value is None:
            return None
        key = value if type(value) is Key else self._looked_at(value)
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = f"a{len(self._ids)}"
            self.summaries[known] = self._measures.pop(key).entry()
        return known

    def tell(self, taken: Taken) -> ArrayId:
        """The id of what was `taken`: nobody writes it, and so it is looked at once."""
        found = self._told.get(id(taken))
        if found is None:
            found = self._told[id(taken)] = taken, self.add(taken)
        return found[1]

    def _looked_at(self, value: Any) -> Key:
        """What tells an array from all others; it is measured if it is new."""
        import xxhash

        array = value.payload if isinstance(value, Tensor) else value
        examples = 0
        if type(array) is not np.ndarray:
            array, examples = np.asarray(numbers(array)), dims_of_batch(array)
        # The content is the key and not the object: an array that is written in place between two
        # events must appear as two arrays. A number for it, or the table would hold every array.
        once, repeated = array, 0
        if (
            array.size > LARGE
        ):  # of what was expanded, which has no end in memory, each element once
            along = [step == 0 for step in array.strides]
            repeated = sum(is_so << axis for axis, is_so in enumerate(along))
            once = array[tuple([slice(1) if is_so else slice(None) for is_so in along])]
        content = np.ascontiguousarray(once).view(np.uint8).data  # also of nan, bit by bit
        digest = xxhash.xxh3_64_intdigest(content, seed=repeated)
        key = Key(array.dtype, array.shape, examples, digest)
        if key not in self._ids and key not in self._measures:
            self._measures[key] = Measures.of(array, full=self.full, examples=examples)
        return key

    def cut(self, length: int) -> None:
        """Be as it was when there were `length` arrays."""
        while len(self._ids) > length:
            del self.summaries[self._ids.popitem()[1]]

    def copy(self) -> "ArrayTable":
        """A table to go on with, which leaves this one as it is."""
        twin = ArrayTable(full=self.full)
        twin._ids, twin.summaries = self._ids.copy(), self.summaries.copy()
        twin._measures = self._measures.copy()
        return twin


def summarize(array: Any, *, full: bool = False, examples: int = 0) -> dict[str, Any]:
    """An array as an entry of a trace's `arrays`.

    Args:
        array: anything NumPy takes, of any shape.
        full: add `values`, every element in C order.
        examples: how many of the first dims count examples of what is told of.

    Returns:
        `shape`, `dtype`, `min`, `max` and `norm` (2-norm) of the finite elements, `head` (the first
        four elements), and, only where there are any, the counts `nan` and `inf`. Of more than
        four million elements these numbers are those of a sample of `sampled` of them, and the norm
        is what that lets expect; the `values` of `full` are all.

    Example:
        >>> summarize(np.array([3.0, 4.0], np.float32))["norm"]
        5.0
    """
    return Measures.of(np.asarray(array), full=full, examples=examples).entry()


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
    value = array_of(value)
    if type(value) is np.ndarray:
        return value
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


def dims_of_batch(value: Any) -> int:
    """How many of the first dims of the array at the bottom count examples: one per `vmap` around.

    The shape of a tensor or payload is that of one example.
    """
    return len(array_of(value).shape) - len(value.shape)


def _sample(array: Array) -> Array:
    """Elements of a large array, the same places each time; nothing else of it is read."""
    places = np.random.default_rng(0).integers(array.size, size=SAMPLED)
    return array[np.unravel_index(places, array.shape)]


def measured(array: Array) -> tuple[Any, Any, Any, int, int]:
    """Of the finite elements the least, the greatest and the 2-norm; how many are nan, and inf.

    None where there is no such number: no element, or none that can be compared.
    """
    kind, flat = array.dtype.kind, array.ravel()
    if kind not in "biufc" or not flat.size:
        return None, None, 0.0 if kind in "biufc" else None, 0, 0
    parts = flat.astype(np.complex128 if kind == "c" else np.float64, copy=False).view(np.float64)
    ordered = parts if kind == "c" else flat
    ends = ordered.min().item(), ordered.max().item()
    top = max(map(abs, ends))  # a nan would be both ends
    if not math.isfinite(top):
        finite = measured(flat[np.isfinite(flat)])
        return *finite[:3], int(np.isnan(flat).sum()), int(np.isinf(flat).sum())
    low, high = (None, None) if kind == "c" else ends
    if 1e-100 < top < 1e100:  # else the squares would overflow, or vanish
        return low, high, math.sqrt(parts.dot(parts)), 0, 0
    parts = parts / (top or 1.0)
    return low, high, top * math.sqrt(parts.dot(parts)), 0, 0


_FEW = 32
_SMALL = 1024  # bytes: a summary is as large
MOST_COPIED = 16 * 2**20  # bytes of larger copies in a process, until they are read


# Arrays in words: from their entries, or of a gradient at hand ------------------------------------


def examples_in_words(entry: dict[str, Any]) -> str:
    """How many examples there are, one number for each `vmap` around: "8 × "."""
    return "".join([f"{size} × " for size in entry.get("batch", ())])


def spoiled_in_words(entry: dict[str, Any]) -> list[str]:
    """How many elements are nan, and inf: ["1 nan"]; and of how many, if not of all."""
    found = [f"{entry[kind]} {kind}" for kind in ("nan", "inf") if entry.get(kind)]
    if "sampled" in entry:
        found.append(f"{found.pop() if found else ''} of {entry['sampled']:,} sampled".lstrip())
    return found


def head_in_words(entry: dict[str, Any]) -> str:
    """The first elements: "[1.0, 2.0, …]"."""
    more = ["…"] if math.prod(entry["shape"]) > len(entry["head"]) else []
    return f"[{', '.join([*map(str, entry['head']), *more])}]"


def range_in_words(entry: dict[str, Any]) -> str:
    """All that is known: "float32 [2] [1.0, nan] from 1.0 to 1.0, 1 nan"."""
    words = f"{entry['dtype']} {entry['shape']} {head_in_words(entry)}"
    if entry["min"] is not None:  # else nothing in it is finite
        words += f" from {entry['min']} to {entry['max']}"
    spoiled = spoiled_in_words(entry)
    return words + (f", {' and '.join(spoiled)}" if spoiled else "")


def gradient_in_words(grad: Any) -> str:
    """A gradient in a few words: shape, dtype, and its elements or its norm; "none" for None."""
    if grad is None:
        return "none"
    array = numbers(grad)
    entry = summarize(array, examples=dims_of_batch(grad))
    words = f"{examples_in_words(entry)}{shape_text(entry['shape'])} {entry['dtype']}"
    if len(entry["head"]) == array.size:
        words += f" {nested(map(number_text, entry['head']), array.shape)}"
    elif entry["norm"] is not None:
        words += f", norm {number_text(entry['norm'])}"
    return ", ".join([words, *spoiled_in_words(entry)])
