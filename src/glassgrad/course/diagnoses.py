"""What is wrong with a result, said by how it differs from the right one.

A diagnosis is a function of a `Pair`. It returns a sentence that is true for this pair, or None.
`hint_for` asks all of them in order: first for one that fits every case that failed, then for one
that fits the smallest. So an answer whose sign is wrong everywhere is told just that.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassgrad.core.tensor import Tensor

from .task import kind

MOST_WORDS = 160  # characters of a value in a sentence
NOTHING = "It returns nothing yet. The last line of a function says `return`, and what."
FACTORS = {
    2.0: "twice",
    0.5: "half of",
    3.0: "three times",
    4.0: "four times",
    0.25: "a quarter of",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """What was found, and what was expected in its place.

    Attributes:
        found, expected: the two.
        rtol: how far numbers may differ.
        parts: what is summed to the expected value.
        where: which result it is, of several: "result 2 of 3".
    """

    found: Any
    expected: Any
    rtol: float = 1e-5
    parts: tuple[Any, ...] = ()
    where: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "found", _listed(self.found, self.expected))


Diagnosis = Callable[[Pair], str | None]


def hint_for(pairs: Sequence[Pair]) -> str:
    """A sentence about results that are wrong, the smallest first."""
    inner = [_first_wrong(pair) for pair in pairs]
    said = [[diagnosis(pair) for pair in inner] for diagnosis in DIAGNOSES]
    fits_all = [sentences[0] for sentences in said if all(sentences)]
    fits_first = [sentences[0] for sentences in said if sentences[0]]
    sentence = [*fits_all, *fits_first, ""][0] or ""
    where = inner[0].where
    return f"Look at {where}. {sentence}".strip() if where else sentence


def is_right(pair: Pair) -> bool:
    """Whether what was found is what was expected: the same kind, shape, dtype and numbers."""
    found, expected = pair.found, pair.expected
    if _is_list(expected):
        return (
            _is_list(found)
            and len(found) == len(expected)
            and all(is_right(each) for each in _each(pair))
        )
    if not _is_numeric(expected):
        return bool(type(found) is type(expected) and found == expected)
    if not _is_numeric(found) or (isinstance(expected, Tensor) and not isinstance(found, Tensor)):
        return False
    return not (_wrong_dtype(pair) or _cut_off(pair)) and _is_near(found, expected, pair.rtol)


def words(value: Any) -> str:
    """A value in a sentence."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(words, value))}{',' * (len(value) == 1)})"
    text = " ".join(repr(value).split())
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]} …"


# Values ------------------------------------------------------------------------------------------


def _listed(found: Any, expected: Any) -> Any:
    """What was found; as a list, if it is a row of an array where plain things are wanted."""
    is_row = isinstance(found, (Tensor, np.ndarray)) and found.ndim == 1
    is_plain = _is_list(expected) and all(isinstance(each, (int, float, str)) for each in expected)
    return found.tolist() if is_row and is_plain else found


def _array(value: Any) -> Any:
    return value.detach().numpy() if isinstance(value, Tensor) else np.asarray(value)


def _is_numeric(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    return isinstance(value, (Tensor, int, float, complex, np.number, np.bool_))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _is_near(found: Any, expected: Any, rtol: float) -> bool:
    one, other = _array(found), _array(expected)
    if one.shape != other.shape:
        return False
    if "?" in (one.dtype.char, other.dtype.char):
        return bool((one == other).all())
    finite = np.abs(other[np.isfinite(other)]) if other.size else other
    dust = rtol * 0.01 * float(finite.max(initial=0.0))  # sums in another order leave some
    return bool(np.allclose(one, other, rtol, dust, equal_nan=True))


def _each(pair: Pair) -> list[Pair]:
    """The pairs of two lists that are as long."""
    of = len(pair.expected)
    return [
        Pair(one, other, pair.rtol, where=f"result {place} of {of}" if of > 1 else "")
        for place, (one, other) in enumerate(zip(pair.found, pair.expected, strict=True), start=1)
    ]


def _first_wrong(pair: Pair) -> Pair:
    """Of several results that belong to several, the first that is wrong; else the pair itself."""
    if not _is_list(pair.expected) or not _is_list(pair.found) or _whole(pair):
        return pair
    return next((each for each in _each(pair) if not is_right(each)), pair)


def _whole(pair: Pair) -> str | None:
    """What is wrong with several results together: how many they are, and in which order."""
    if not _is_list(pair.expected):
        return None
    of = len(pair.expected)
    if not _is_list(pair.found):
        wanted = "list" if isinstance(pair.expected, list) else "tuple"
        if not _is_numeric(pair.found):
            as_one = f" Write `{wanted}(…)` around it." * isinstance(pair.found, Iterator)
            return f"It is {kind(pair.found)}, and a {wanted} is wanted.{as_one}"
        if of == 1:
            return f"That is the result by itself. Return a {wanted} with it."
        return f"There should be {of} results; there is one. Return them as a {wanted}."
    if len(pair.found) == 1 and is_right(replace(pair, found=pair.found[0])):
        return "All is right, but stands in one more pair of brackets."
    if len(pair.found) != of:
        first = next((p for p in _each_of_shorter(pair) if not is_right(p)), None)
        more = (
            "" if first is None or not first.where else f" The first that differs is {first.where}."
        )
        there = "is one" if len(pair.found) == 1 else f"are {len(pair.found)}"
        return f"There should be {of}; there {there}.{more}"
    if of > 1 and is_right(replace(pair, found=pair.found[::-1])):
        return "All of them are right, but in the opposite order."
    if all(isinstance(name, str) for name in pair.expected):
        return _of_names(pair)
    return None


def _each_of_shorter(pair: Pair) -> list[Pair]:
    of = min(len(pair.found), len(pair.expected))
    return _each(replace(pair, found=pair.found[:of], expected=pair.expected[:of]))


def _of_names(pair: Pair) -> str:
    """What is wrong with names in an order; never which one is right."""
    place = next(place for place, each in enumerate(_each(pair)) if not is_right(each))
    name = pair.found[place]
    same = sorted(map(str, pair.found)) == sorted(pair.expected)
    before = f"The first {place} are right. " if place else ""
    rest = "All names are there, in another order." if same else "A name is missing or too many."
    rest = rest if name in pair.expected else "None of them has that name."
    return f"{before}Number {place + 1} is not {words(name)}. {rest}"


# Of what kind it is ------------------------------------------------------------------------------


def _nothing(pair: Pair) -> str | None:
    if pair.expected is None:
        return "Nothing is wanted there: it should be None."
    if pair.where and pair.found is None:
        return "It is None, and a value is wanted."
    if pair.found is None or pair.found is ...:
        return NOTHING
    return None


def _other_kind(pair: Pair) -> str | None:
    if callable(pair.found) and not callable(pair.expected):
        return "It is a function, which was not called: what is missing are its brackets."
    if not _is_numeric(pair.expected):
        return None
    if isinstance(pair.expected, Tensor) and not isinstance(pair.found, Tensor):
        told = f"It is {kind(pair.found)}, and a tensor is wanted"
        if _is_list(pair.found):
            return f"{told}: one of what is in it, or all stacked."
        leaves = " `.item()` and `.numpy()` leave the graph." * _is_numeric(pair.found)
        return f"{told}.{leaves}"
    if not _is_numeric(pair.found):
        return f"It is {kind(pair.found)}, and a number or an array is wanted."
    return None


# In shape ----------------------------------------------------------------------------------------


def _of_arrays(diagnosis: Callable[[Any, Any, Pair], str | None]) -> Diagnosis:
    """A diagnosis that is given what was found and expected as arrays, if both are numbers."""

    def diagnose(pair: Pair) -> str | None:
        if not _is_numeric(pair.found) or not _is_numeric(pair.expected):
            return None
        found, expected = _array(pair.found), _array(pair.expected)
        is_of_truths = "?" in (found.dtype.char, expected.dtype.char)
        return None if is_of_truths else diagnosis(found, expected, pair)

    return diagnose


@_of_arrays
def _not_summed(found: Any, expected: Any, pair: Pair) -> str | None:
    """A gradient of the shape of the result, where the input was broadcast."""
    extra = found.ndim - expected.ndim
    if extra < 0 or found.size == expected.size:
        return None
    stretched = [
        dim
        for dim in range(found.ndim)
        if dim < extra or (expected.shape[dim - extra] == 1 and found.shape[dim] != 1)
    ]
    summed = found.sum(axis=tuple(stretched)).reshape(-1)
    if summed.size != expected.size or not _is_near(summed, expected.reshape(-1), pair.rtol):
        return None
    return (
        f"It has the shape {found.shape}, and should have {expected.shape}. The numbers are right, "
        f"but the input was broadcast: it was used several times along dimension "
        f"{' and '.join(map(str, stretched))}. What was used several times gets a sum."
    )


@_of_arrays
def _other_shape(found: Any, expected: Any, pair: Pair) -> str | None:
    if found.shape == expected.shape:
        return None
    told = f"It has the shape {found.shape}, and should have {expected.shape}."
    if found.shape == expected.T.shape and _is_near(found.T, expected, pair.rtol):
        return f"{told} It is the transpose of what is wanted."
    if found.size == expected.size and _is_near(found.reshape(-1), expected.reshape(-1), pair.rtol):
        return f"{told} The numbers are right: dimensions of size 1 were kept or lost."
    for what, one in (("sum", expected.sum()), ("mean", expected.mean())):
        if found.size == 1 and _is_near(found.reshape(()), one, pair.rtol):
            return (
                f"{told} It is the {what} over everything, where each number is wanted by itself."
            )
    return f"{told} A gradient has the shape of what it is the gradient of."


# In its numbers ----------------------------------------------------------------------------------


@_of_arrays
def _not_finite(found: Any, expected: Any, _: Pair) -> str | None:
    for what, is_so in (("nan", np.isnan), ("inf", np.isinf)):
        if is_so(found).any() and not is_so(expected).any():
            return f"There is {what} in it. Look for a division by zero, or a logarithm of zero."
    return None


def _of_numbers(diagnosis: Callable[[Any, Any, Pair], str | None]) -> Diagnosis:
    """The same, if the arrays are of one shape and their numbers differ."""

    def diagnose(found: Any, expected: Any, pair: Pair) -> str | None:
        is_about = found.shape == expected.shape and not _is_near(found, expected, pair.rtol)
        return diagnosis(found, expected, pair) if is_about else None

    return _of_arrays(diagnose)


@_of_numbers
def _zero(found: Any, expected: Any, _: Pair) -> str | None:
    is_zero = not found.any() and expected.any()
    return "It is zero: nothing has arrived there." if is_zero else None


@_of_numbers
def _opposite(found: Any, expected: Any, pair: Pair) -> str | None:
    is_opposite = expected.any() and _is_near(-found, expected, pair.rtol)
    return "Its size is right, and its sign is wrong." if is_opposite else None


@_of_numbers
def _one_part(found: Any, _: Any, pair: Pair) -> str | None:
    """One of the parts where all should be added."""
    same = [_is_near(found, part, pair.rtol) for part in pair.parts]
    if len(same) < 2 or not any(same):
        return None
    return (
        f"This is what one of {len(same)} paths brings. Each path brings a part, and the parts "
        "are added: was a part overwritten by the next?"
    )


@_of_numbers
def _transposed(found: Any, expected: Any, pair: Pair) -> str | None:
    if found.ndim < 2 or not _is_near(found.swapaxes(-1, -2), expected, pair.rtol):
        return None
    return "The numbers are right, and stand transposed: rows and columns have changed places."


@_of_numbers
def _reversed(found: Any, expected: Any, pair: Pair) -> str | None:
    if found.ndim < 1 or not _is_near(found[::-1], expected, pair.rtol):
        return None
    return "The numbers are right, and stand in the opposite order."


@_of_numbers
def _factor(found: Any, expected: Any, pair: Pair) -> str | None:
    """Everything is the same number of times too large."""
    if not expected.any() or not np.isfinite(found).all():
        return None
    at = np.abs(expected).argmax()
    factor = complex(found.reshape(-1)[at] / expected.reshape(-1)[at])
    if not factor or not _is_near(found, factor * expected, pair.rtol):
        return None
    size = abs(factor.real)
    if factor.imag or not 1e-12 < size < 1e12:
        return None
    for known, said in FACTORS.items():
        if np.isclose(size, known, 1e-3):
            sign = ", with the wrong sign" if factor.real < 0 else ""
            return f"It is {said} what it should be{sign}. Where does that factor come from?"
    for count in {expected.size, *expected.shape} - {1}:
        if np.isclose(factor.real, 1 / count, 1e-3) or np.isclose(factor.real, count, 1e-3):
            how = "large" if factor.real > 1 else "small"
            return (
                f"Each number is {count} times too {how}, and {count} is how many there are: "
                "was a mean taken for a sum, or a sum for a mean?"
            )
    if expected.size < 2:
        return None  # any two numbers have a ratio
    return f"Each number is {factor.real:.6g} times what it should be: a factor is missing."


@_of_numbers
def _shifted(found: Any, expected: Any, pair: Pair) -> str | None:
    shift = (found - expected).reshape(-1)[0] if expected.size > 1 else 0.0
    if not np.isfinite(shift) or not shift or not _is_near(found - shift, expected, pair.rtol):
        return None
    return f"Each number is off by the same {shift:.6g}: a term is too many, or missing."


def _wrong_dtype(pair: Pair) -> str | None:
    if not isinstance(pair.found, Tensor) or not isinstance(pair.expected, Tensor):
        return None
    one, other = pair.found.dtype, pair.expected.dtype
    if one == other:
        return None
    return f"Its dtype is {one}, and should be {other}, as that of the input."


def _cut_off(pair: Pair) -> str | None:
    """A tensor with the right numbers and no way back."""
    if not isinstance(pair.found, Tensor) or not isinstance(pair.expected, Tensor):
        return None
    if pair.found.requires_grad or not pair.expected.requires_grad:
        return None
    return (
        "The graph is cut: the result does not require grad, so no gradient finds a way back "
        "through it. Look for `detach()`, `no_grad()`, `.item()`, `.numpy()` or `tensor(…)`."
    )


@_of_numbers
def _nearly(found: Any, expected: Any, _: Pair) -> str | None:
    if not np.allclose(found, expected, rtol=0.05, atol=0):
        return None
    return (
        "It is close, but not close enough: this looks like rounding, or a step that is too large."
    )


@_of_numbers
def _some(found: Any, expected: Any, pair: Pair) -> str | None:
    off = ~np.isclose(found, expected, rtol=pair.rtol, equal_nan=True)
    if expected.size < 2 or not 0 < off.sum() < off.size:
        return None
    first = tuple(int(place) for place in np.argwhere(off)[0])
    at = first[0] if len(first) == 1 else first
    return (
        f"{off.sum()} of {off.size} numbers are wrong, the first at {at}: "
        f"{found[first]:.6g} in place of {expected[first]:.6g}."
    )


DIAGNOSES: tuple[Diagnosis, ...] = (
    _nothing,
    _whole,
    _other_kind,
    _not_finite,
    _not_summed,
    _other_shape,
    _zero,
    _opposite,
    _one_part,
    _transposed,
    _reversed,
    _factor,
    _shifted,
    _nearly,
    _some,
    _wrong_dtype,
    _cut_off,
)
