"""Arrays in a log: a few numbers each, the same text on every machine and in every process."""

import functools
import math
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy
from glassgrad.values.layers import array_of

HEAD = 4  # so many elements are shown of an array that is not kept whole
DIGITS = 6  # significant digits: more than a reader needs, fewer than two BLAS builds agree on

Array = np.ndarray[Any, Any]
ArrayId = str | None  # "a3"; None where there is no gradient


class ArrayTable:
    """Gives each array of a pass an id (`a0`, `a1`, … by first appearance); equal arrays share one.

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

    def __init__(self, *, full: bool = False) -> None:
        self.full = full
        self.summaries: dict[str, dict[str, Any]] = {}
        self._ids: dict[Any, str] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, value: Any) -> ArrayId:
        """The id, new or known, of an array or a tensor of any shape and dtype; None for None."""
        import xxhash

        if value is None:
            return None
        value = value.payload if isinstance(value, Tensor) else value
        array, examples = value, 0
        if type(value) is not np.ndarray:
            array, examples = np.asarray(numbers(value)), dims_of_batch(value)
        # The content is the key and not the object: an array that is written in place between two
        # events must appear as two arrays. A number for it, or the table would hold every array.
        content = np.ascontiguousarray(array).view(np.uint8).data  # also of nan, bit by bit
        key = array.dtype.str, array.shape, examples, xxhash.xxh3_64_intdigest(content)
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = f"a{len(self._ids)}"
            self.summaries[known] = summarize(array, full=self.full, examples=examples)
        return known

    def cut(self, length: int) -> None:
        """Be as it was when there were `length` arrays."""
        while len(self._ids) > length:
            del self.summaries[self._ids.popitem()[1]]

    def copy(self) -> "ArrayTable":
        """A table to go on with, which leaves this one as it is."""
        twin = ArrayTable(full=self.full)
        twin._ids, twin.summaries = self._ids.copy(), self.summaries.copy()
        return twin


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


# Arrays in words: from their entries, or of a gradient at hand ------------------------------------


LARGE = 1e6  # from there on numbers have an exponent
WHOLE = 4  # a number of so many digits is not made shorter


def nested_text(items: Iterable[str], shape: Iterable[int]) -> str:
    """Numbers in words as an array of that shape.

    Example:
        >>> nested_text(["1", "2"], [2, 1])
        '[[1], [2]]'
    """
    return str(np.reshape(np.array([*items], object), tuple(shape)).tolist()).replace("'", "")


def number_text(value: Any, digits: int = 3) -> str:
    """A number in so many significant digits; an integer and what is no number as it is.

    Example:
        >>> [number_text(value) for value in (0.761594, 1250.0, -0.0, 2e-7, "nan")]
        ['0.762', '1250', '0', '2e-7', 'nan']
        >>> number_text("2.71828-4.01e-08j"), number_text("0-0.5j")
        ('2.72', '-0.5j')
    """
    if isinstance(value, str) and value.endswith("j"):
        return _complex_text(complex(value), digits)
    if isinstance(value, (bool, str)) or value is None or not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < LARGE:
        return str(int(value))
    if float(f"{value:.{WHOLE}g}") == value:
        digits = max(digits, WHOLE)
    size = math.floor(math.log10(abs(value)))
    if not -5 < size < math.log10(LARGE):
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{_short(mantissa)}e{int(power)}"
    return _short(f"{value:.{max(digits - 1 - size, 0)}f}")


def _short(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _complex_text(value: complex, digits: int) -> str:
    """A complex number without what is rounding beside its larger part."""
    size = max(abs(value.real), abs(value.imag))
    if size == 0 or not math.isfinite(size):
        return "0" if size == 0 else str(value).strip("()")
    places = digits - 1 - math.floor(math.log10(size))
    real, imag = (number_text(round(part, places), digits) for part in (value.real, value.imag))
    if imag == "0":
        return real
    return f"{'' if real == '0' else real}{'' if real == '0' or imag[0] == '-' else '+'}{imag}j"


def examples_in_words(entry: dict[str, Any]) -> str:
    """How many examples there are, one number for each `vmap` around: "8 × "."""
    return "".join([f"{size} × " for size in entry.get("batch", ())])


def spoiled_in_words(entry: dict[str, Any]) -> list[str]:
    """How many elements are nan, and inf: ["1 nan"]; empty if all are finite."""
    return [f"{entry[kind]} {kind}" for kind in ("nan", "inf") if entry.get(kind)]


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
    words = f"{examples_in_words(entry)}{tuple(entry['shape'])} {entry['dtype']}"
    if len(entry["head"]) == array.size:
        words += f" {nested_text(map(number_text, entry['head']), array.shape)}"
    elif entry["norm"] is not None:
        words += f", norm {number_text(entry['norm'])}"
    return ", ".join([words, *spoiled_in_words(entry)])
