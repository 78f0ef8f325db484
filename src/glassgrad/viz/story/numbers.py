"""Numbers of a sentence in as many digits as make its arithmetic come out, and rules with them."""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from glassgrad._words import nested, number_text, shape_text
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.summary import examples_in_words, spoiled_in_words
from glassgrad.viz.explaining.entries import op_named
from glassgrad.viz.explaining.formulas import (
    LEAVES,
    Term,
    as_written,
    formulas_of,
    left_name,
    terms,
    text,
)
from glassgrad.viz.explaining.in_numbers import MOST, Calculator, is_indexed
from glassgrad.viz.wording import alike


class Digits(NamedTuple):
    """How many significant digits the numbers of a sentence have.

    Attributes:
        given: what came, and what was saved.
        factor: what it is multiplied by.
        made: what comes out.
    """

    given: int
    factor: int
    made: int


TRIED = [Digits(given, factor, made) for given, factor, made in (
    (3, 3, 3), (3, 2, 3), (4, 3, 3), (4, 4, 3), (4, 4, 4), (5, 3, 3), (5, 4, 3), (5, 5, 4),
    (6, 3, 3), (6, 6, 4), (6, 6, 6),
)]  # fmt: skip


def is_small(array: Entry | None) -> bool:
    """Whether a trace has all elements of an array, few enough to be written down."""
    if array is None or array.get("batch"):
        return False
    return 0 < math.prod(array["shape"]) <= min(MOST, len(array["head"]))


def values_of(array: Entry, digits: int) -> Any:
    """A small array of a trace as it reads in so many digits; None if it has other than numbers."""
    if not all(isinstance(value, (int, float)) for value in array["head"]):
        return None
    head = [float(number_text(float(value), digits)) for value in array["head"]]
    return np.reshape(head, array["shape"])


def numbers_text(value: Any, digits: int) -> str:
    """An array of numbers as text."""
    value = np.asarray(value)
    return nested([number_text(each, digits) for each in value.ravel().tolist()], value.shape)


def in_digits(value: Any, digits: int) -> Any:
    """An array of numbers as it reads in so many digits."""
    value = np.asarray(value)
    read = [float(number_text(each, digits)) for each in value.ravel().tolist()]
    return np.reshape(read, value.shape)


def array_words(array: Entry | None, digits: int = 3) -> str:
    """An array in a sentence: its elements, or its shape and norm.

    Example:
        >>> array_words({"shape": [2], "head": [1.0, 2.5]})
        '[1, 2.5]'
        >>> array_words({"shape": [3, 4], "head": [1.0, 2.5, 0.0, 0.0], "norm": 2.1})
        '(3, 4) (‖·‖ = 2.1)'
    """
    if array is None:
        return "nothing"
    if is_small(array):
        return nested([number_text(each, digits) for each in array["head"]], array["shape"])
    about = [] if array["norm"] is None else [f"‖·‖ = {number_text(array['norm'], digits)}"]
    about += spoiled_in_words(array)
    shape = f"{examples_in_words(array)}{shape_text(array['shape'])}"
    return f"{shape} ({', '.join(about)})" if about else shape


# Formulas evaluated ------------------------------------------------------------------------------


def value_of(term: Term, letters: dict[str, Any], *, is_of_matrices: bool = False) -> Any:
    """The value of a formula, where its letters have those.

    Args:
        term: the formula.
        letters: what its letters are.
        is_of_matrices: whether its products are those of matrices, though no letter is large.

    Raises:
        TooMuchError: if a letter has none, or the formula is too much for a pocket calculator.
    """
    leaves = [leaf for leaf in terms(term) if leaf.kind in LEAVES]
    known = {text(leaf): letters.get(as_written(leaf).lower()) for leaf in leaves}
    numbers = {letter: value for letter, value in known.items() if value is not None}
    calculator = Calculator(term, numbers)
    calculator.is_of_matrices |= is_of_matrices
    with np.errstate(all="ignore"):
        return calculator.value(term)


def is_matrix(term: Term) -> bool:
    """Whether a formula is about matrices: some letters are large."""
    return any(part.sign[0].isupper() for part in terms(term) if part.kind in LEAVES)


def comes_out(value: Any, array: Entry, digits: int) -> bool:
    """Whether a value, in so many digits, is what stands in a trace."""
    if not all(isinstance(each, (int, float)) for each in array["head"]):
        return False
    value = np.asarray(value, np.float64)
    if list(value.shape) != array["shape"]:
        value = summed(value, array["shape"])
    if value is None or not np.isfinite(value).all():
        return False
    pairs = zip(value.ravel().tolist(), array["head"], strict=False)
    return all(alike(mine, float(real), digits) for mine, real in pairs)


def summed(value: Any, shape: list[int]) -> Any:
    """An array summed over what was broadcast; None if it comes of no array of that shape."""
    try:
        np.broadcast_to(np.empty(shape), value.shape)
    except ValueError:
        return None
    value = value.sum(tuple(range(value.ndim - len(shape))))
    kept = [at for at, size in enumerate(shape) if size == 1]
    return value.sum(tuple(kept), keepdims=True) if kept else value


class Rule(NamedTuple):
    """How the gradient of one operand comes about.

    Attributes:
        formula: what the op says of it; None if that is not known.
        factor: what the gradient is multiplied by, where that is all; None otherwise.
        left: the gradient's letter, with its places.
        is_whole: whether the formula is about whole arrays, and not about places in them.
        is_of_matrices: whether its products are those of matrices.
    """

    formula: Term | None = None
    factor: Term | None = None
    left: str = ""
    is_whole: bool = True
    is_of_matrices: bool = False


@cache
def rule_of(op: str, operands: int, place: int) -> Rule:
    """The rule for the operand at a `place` among so many edges, of the op that is called so."""
    cls = op_named(op, operands)
    found = None if cls is None else formulas_of(cls)
    if found is None or not found.gradient:
        return Rule()
    letters = list(found.operands)
    at = (cls.differentiates.start or 0) + place
    letter = letters[at] if at < len(letters) else None
    own = [e for e in found.gradient if e.left.kind != "list" and left_name(e).sign == letter]
    if len(own) != 1:
        return Rule()
    (equation,) = own
    factors = list(_factors(equation.right))
    bars = [Term("gradient", result) for result in found.results]
    bars += [Term("transpose", "ᵀ", (bar,)) for bar in bars]
    others = [factor for factor in factors if factor not in bars]
    inside = [each for factor in others for each in terms(factor) if each in bars]
    rest = None
    if len(others) == len(factors) - 1 and others and not inside:
        rest = others[0]
        for factor in others[1:]:
            rest = Term("binary", "·", (rest, factor))
    whole, left = not is_indexed(equation), text(equation.left)
    return Rule(equation.right, rest, left, whole, is_matrix(equation))


def _factors(term: Term) -> Iterator[Term]:
    if term.kind == "binary" and term.sign == "·":
        for part in term.parts:
            yield from _factors(part)
    else:
        yield term


def bare(term: Term) -> Term:
    """A formula without the brackets around it."""
    return term.parts[0] if term.kind == "bracket" and term.sign == "(" else term
