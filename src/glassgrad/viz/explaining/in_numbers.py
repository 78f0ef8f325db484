"""Formulas with numbers in them: `x̄ = z̄·y = [1, 1]·[3, 4] = [3, 4]`.

An array is what a trace tells of it, so that a node that is there and one in a log are told of
alike. Numbers have three digits, and more where a reader with a pocket calculator would not get
what stands on the right: of `1 − 0.999²`, three do not make 0.00194.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from glassgrad._words import nested, number_text, plain, shape_text
from glassgrad.core.primitive import Primitive, silently
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.seen import known_as
from glassgrad.tracing.summary import DIGITS
from glassgrad.viz.whose import Whose
from glassgrad.viz.wording import alike, array_text, op_word

from .formulas import (
    BAR,
    LEAVES,
    LONGEST,
    Equation,
    Term,
    as_written,
    formulas_of,
    left_name,
    letters_of,
    terms,
    text,
)

MOST = 4  # elements of an array that is written into a formula
LEAST, MOST_DIGITS = 3, 9  # digits of a number: a trace has six, a float32 nine
_OF_COMPLEX = ("conj", "Re", "Im", "sgn")  # a rule that has one of these says all
SUMMED = ", summed over what was broadcast: "


class ShortArray(NamedTuple):
    """An array in one line, and whether all of its elements are in it."""

    text: str
    is_whole: bool


def short_array(array: Entry, digits: int = LEAST) -> ShortArray:
    """An array of a trace.

    Example:
        >>> short_array({"shape": [2, 1], "head": [1.0, 2.5], "norm": 2.7})
        ShortArray(text='[[1], [2.5]]', is_whole=True)
        >>> short_array({"shape": [9], "head": [1.0, 2.5, 0.0, 0.0], "norm": 2.7})
        ShortArray(text='(9,) ‖·‖=2.7', is_whole=False)
    """
    shape, head = array["shape"], array["head"]
    if not 0 < math.prod(shape) <= min(MOST, len(head)):
        return ShortArray(array_text(array), False)
    whole = nested([number_text(value, digits) for value in head], shape)
    return ShortArray(whole, len(whole) <= LONGEST // 4)


class Gradient(NamedTuple):
    """The gradient of one operand.

    Attributes:
        at: the position of the operand.
        array: what went along its edge.
        before: what stands before that, where it is not what the formula gives.
        behind: what there is to say behind it.
    """

    at: int
    array: Entry | None
    before: str = ""
    behind: str = ""


def rule_in_numbers(
    cls: Any,
    gradients: Iterable[Gradient],
    given: Iterable[Entry | None],
    saved: dict[str, Entry | None],
    numbers: dict[str, Entry],
) -> list[tuple[str, str]]:
    """The gradient of each operand: its symbol, and the formula for it with these numbers.

    Args:
        cls: the op.
        gradients: those of the operands, by edge.
        given: those of the outputs.
        saved: what the node saved, by name.
        numbers: by letter, what else is known.

    Returns:
        A pair for each edge whose formula is known; or one pair, of "rule" and the formula as it
        stands, if the formula is about all of them together.
    """
    found = formulas_of(cls)
    if found is None or not found.gradient:
        return []
    letters = {name: letter for letter, name in reversed(letters_of(cls).items())}
    known: dict[str, Entry | None] = {**numbers}
    known |= {letters[name]: array for name, array in saved.items() if array and name in letters}
    known |= zip([letter + BAR for letter in found.results], given, strict=False)
    arrays = {letter.lower(): array for letter, array in known.items() if array}
    lines, names = [], dict(enumerate(found.operands))
    for gradient in gradients:
        letter = names.get(gradient.at)
        own = [e for e in found.gradient if e.left.kind != "list" and left_name(e).sign == letter]
        if own and gradient.array:
            lines.append((text(own[0].left), _line(own, gradient, arrays) + gradient.behind))
    return lines or [("rule", ",  ".join(map(text, found.gradient)))]


def _line(formula: list[Equation], gradient: Gradient, arrays: dict[str, Entry]) -> str:
    """The right side of a formula, with numbers in it or beside it, and the result."""
    assert gradient.array
    result, side = short_array(gradient.array).text, formula[0].right
    own = left_name(formula[0]).sign
    parts = [side, *formula[1:]]
    right = ", ".join(map(text, parts))
    leaves = [leaf for part in parts for leaf in terms(part) if leaf.kind in LEAVES]
    known = {text(leaf): arrays.get(as_written(leaf).lower()) for leaf in leaves}
    entries = {letter: array for letter, array in known.items() if array}
    of_each = any(map(is_indexed, formula))
    equals = f", so {text(left_name(formula[0]))} = " if of_each else " = "
    ending = (gradient.before or equals) + result
    digits = LEAST
    if len(formula) == 1 and gradient.before in ("", SUMMED):
        digits = _digits_for(formula[0], gradient.array, entries)
    short = {letter: short_array(array, digits) for letter, array in entries.items()}
    used = {letter: value.text for letter, value in short.items()}
    if ending == f" = {used.get(right)}":
        return right + ending  # passed on as it came
    is_whole = len(used) == len(known) and all(value.is_whole for value in short.values())
    conjugated = _conjugated(side, entries)
    if conjugated:
        is_whole = False
    if is_whole and len(formula) == 1 and not is_indexed(side):
        shaped = _with_shape(side, own, gradient.array["shape"])
        filled = text(shaped, lambda leaf: _in_place(used[text(leaf)], leaf == side))
        if right != filled and len(filled) <= LONGEST // 2:
            return f"{right} = {filled}{ending}"
    where = ", ".join(f"{letter} = {value}" for letter, value in used.items())
    where += f"; of {' and '.join(conjugated)} the conjugate" if conjugated else ""
    return right + ending + (f", where {where}" if where else "")


def _with_shape(term: Term, letter: str, shape: list[int]) -> Term:
    """A formula with the shape of an operand written out, which is that of its gradient."""
    if term == Term("call", "shape", (Term("name", letter),)):
        return Term("number", shape_text(shape))
    return term._replace(parts=tuple(_with_shape(part, letter, shape) for part in term.parts))


def _conjugated(side: Term, known: dict[str, Entry]) -> list[str]:
    """The letters whose complex numbers are conjugated, though the rule, of f', does not say so."""
    if any(part.kind == "call" and part.sign in _OF_COMPLEX for part in terms(side)):
        return []
    names = dict.fromkeys(part.sign for part in terms(side) if part.kind == "name")
    return [x for x in names if known.get(x, {}).get("dtype", "").startswith("complex")]


def is_indexed(formula: Term) -> bool:
    """Whether a formula is about places in arrays."""
    return any(term.kind in ("places", "big") for term in terms(formula))


def _in_place(number: str, is_alone: bool) -> str:
    """A number in the place of a letter."""
    return f"({number})" if number.startswith("-") and not is_alone else number


# Whose letters -----------------------------------------------------------------------------------


def letters_told(
    cls: Any, node: Entry, whose: Whose, arrays: Entry, given: Iterable[Entry | None]
) -> list[tuple[str, str]]:
    """What each letter of an op's formulas stands for at one node: whose value, and its numbers.

    Args:
        cls: the op.
        node: the entry of the node in a trace.
        whose: tells what its tensors are called.
        arrays: of the trace.
        given: the gradients of its outputs; none, where it has not run.

    Returns:
        Pairs of a letter and words: those of the operands, of the results, of the gradients.
    """
    found = formulas_of(cls)
    if found is None or not found.gradient:
        return []
    lines, saved = [], {each["name"]: each for each in node.get("saved", ())}
    for letter, name, kept, goal in _operands(cls, node, whose):
        tensor = kept or whose.leaf_of.get(goal) or {}
        array = arrays.get(tensor.get("array", ""))
        lines.append((letter, _standing(name, array, kept)))
    lines.append(("n", _standing(_count_told(found), None, None)))
    for place, letter in enumerate(found.results):
        kept = None if place else saved.get("result")
        name = "" if place else whose.saved(node, kept) if kept else whose.made(node["id"])
        array = arrays.get((kept or {}).get("array", ""))
        name = name or (f"result {place + 1}" if len(found.results) > 1 else "the result")
        lines.append((letter, _standing(name, array, kept)))
    for place, (letter, grad) in enumerate(zip(found.results, given, strict=False)):
        if grad is not None:
            bar = text(Term("gradient", letter))
            of = f" for result {place + 1}" if len(found.results) > 1 else ""
            lines.append((bar, _standing(f"the gradient that arrived{of}", grad, None)))
    return [(letter, words) for letter, words in lines if words]


_MEAN = re.compile(r"/\(?n\b")  # where n is no place, as it is in x[n, i]


def names_of_letters(cls: Any, node: Entry, whose: Whose) -> dict[str, str]:
    """By letter, what the operands of a node are called; "" for those that nobody knows."""
    called = {letter: name for letter, name, *_ in _operands(cls, node, whose)}
    count = _count_told(formulas_of(cls))
    return {**called, "n": count} if count else called


def _count_told(found: Any) -> str:
    """What `n` is in the formulas of an op that divides by it; "" for others."""
    return "how many terms the mean is of" if found and _MEAN.search(str(found)) else ""


def _operands(cls: Any, node: Entry, whose: Whose) -> Iterator[tuple[str, str, Entry | None, Any]]:
    """Of each operand the letter, its name, as what it was saved, and where its edge leads."""
    found, names = formulas_of(cls), letters_of(cls)
    saved = {each["name"]: each for each in node.get("saved", ())}
    for at, letter in enumerate(found.operands if found else (), -_first(cls)):
        kept = saved.get(names[letter])
        goal = node["edges"][at]["to"] if 0 <= at < len(node["edges"]) else None
        made = kept.get("label", "") if kept else ""  # of the operand, which is not kept itself
        if made in map(known_as, getattr(cls, "assumes", ())):
            name = whose.operand({**node, "saved": []}, at)
        else:
            made = ""
            name = whose.saved(node, kept) if kept else whose.operand(node, at) if at >= 0 else ""
        if not name and goal in whose.nodes and goal not in whose.leaf_of:
            name = f"the result of {op_word(whose.nodes[goal])}"
        if not kept and at >= len(node["edges"]) and names[letter] == "weight":
            name = "1, as no weight was given"
        yield letter, ", ".join(filter(None, (name, made and f"kept as {made}"))), kept, goal


def _first(cls: Any) -> int:
    """The place of the operand that the first edge is of."""
    return cls.differentiates.start or 0 if issubclass(cls, Primitive) else 0


def _standing(name: str, array: Entry | None, kept: Entry | None) -> str:
    """`is w = [1, 2], saved as other`, as far as it is known."""
    value = short_array(array, DIGITS).text if array else ""
    words = " = ".join(filter(None, (name, value)))
    behind = f", saved as {plain(kept['name'])}" if kept else ""
    return f"is {words}{behind}" if words else ""


# By hand -----------------------------------------------------------------------------------------


_CONSTANTS = {"½": 0.5, "π": math.pi, "∞": math.inf}
_SIGNS: dict[str, Callable[..., Any]] = {
    "+": np.add, "−": np.subtract, "·": np.multiply, "": np.multiply, "/": np.divide,
    "=": np.equal, "≠": np.not_equal, "<": np.less, ">": np.greater,
    "≤": np.less_equal, "≥": np.greater_equal, "∧": np.logical_and, "∨": np.logical_or,
}  # fmt: skip
_CALLS: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "ln": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "sign": np.sign, "max": np.maximum, "min": np.minimum,
}  # fmt: skip
_BIG: dict[str, Callable[..., Any]] = {"Σ": np.sum, "Π": np.prod, "max": np.max, "min": np.min}
_NOTHING = 1e-4  # what may be left, of numbers around 1, where they cancel
_AXES = {"i": (-1, 1), "j": (1, -1)}  # the shape of a vector whose elements have that index


class TooMuchError(Exception):
    """A formula that is too much for a pocket calculator."""


def _digits_for(formula: Equation, result: Entry, known: dict[str, Entry]) -> int:
    """How many digits of the numbers let the formula come out at the result, as that is shown."""
    for digits in range(LEAST, MOST_DIGITS + 1):
        try:
            wanted = _as_shown(result, LEAST)
            numbers = {letter: _as_shown(array, digits) for letter, array in known.items()}
            value = silently(Calculator(formula, numbers).value, formula.right)
            found = np.asarray(value, float)
        except (TooMuchError, ArithmeticError, TypeError, ValueError):
            return LEAST
        if wanted.size == 1:
            found = found.sum()  # over what was broadcast
        found = np.full(wanted.shape, found.item()) if found.size == 1 else found
        if found.size != wanted.size:
            return LEAST
        found, scale = found.reshape(wanted.shape), max(map(_size, numbers.values()), default=0)
        found = np.where((wanted == 0) & (np.abs(found) < _NOTHING * scale), 0.0, found)
        pairs = zip(found.ravel().tolist(), wanted.ravel().tolist(), strict=True)
        if all(alike(mine, real, LEAST) for mine, real in pairs):
            return digits
    return MOST_DIGITS


def _size(array: Any) -> float:
    return float(np.abs(array).max())


def _as_shown(array: Entry, digits: int) -> Any:
    """The elements of a small array of a trace, as they are read off the page."""
    shape, head = array["shape"], array["head"]
    is_real = all(type(value) in (int, float) for value in head)
    if not is_real or not 0 < math.prod(shape) <= min(MOST, len(head)):
        raise TooMuchError
    return np.reshape([float(number_text(value, digits)) for value in head], shape)


class Calculator:
    """Formulas with numbers in the places of their letters."""

    def __init__(self, formula: Term, numbers: dict[str, Any]) -> None:
        self.numbers = numbers
        letters = [term.sign for term in terms(formula) if term.kind in LEAVES]
        self.is_of_matrices = any(letter[0].isupper() for letter in letters)
        self.is_of_places = is_indexed(formula)
        self.size = max((array.size for array in numbers.values()), default=1)

    def value(self, term: Term) -> Any:
        kind, sign, parts = term
        if kind in LEAVES:
            return self.letter(term)
        if kind == "number":
            return _CONSTANTS[sign] if sign in _CONSTANTS else float(sign)
        if kind == "places":
            return self.at_place(*parts)
        if kind == "big" and sign in _BIG and parts[0].sign in _AXES:
            axis = _AXES[parts[0].sign].index(-1)
            return _BIG[sign](self.value(parts[1]), axis=axis, keepdims=True)
        values = [self.value(part) for part in parts]
        if kind == "binary" and sign in _SIGNS:
            is_product = self.is_of_matrices and sign == "·"
            return _product(*values) if is_product else _SIGNS[sign](*values)
        if kind == "prefix" and sign in ("−", "√"):
            return -values[0] if sign == "−" else np.sqrt(values[0])
        if kind == "bracket" and sign in ("(", "[", "|"):
            return abs(values[0]) if sign == "|" else values[0] * 1.0
        if kind == "call" and sign in _CALLS:
            return _CALLS[sign](*values)
        if kind == "power":
            return values[0] ** values[1]
        if kind == "transpose":
            return values[0].T if np.ndim(values[0]) == 2 else np.reshape(values[0], (1, -1))
        if kind == "choice":
            return np.where(values[1], values[0], values[2])
        raise TooMuchError

    def letter(self, leaf: Term) -> Any:
        if text(leaf) in self.numbers:
            number = self.numbers[text(leaf)]
            if not self.is_of_matrices or number.ndim != 1:
                return number
            return number.reshape(-1, 1)  # a column
        if leaf.sign == "n" and self.is_of_places:
            return float(self.size)
        raise TooMuchError

    def at_place(self, base: Term, index: Term) -> Any:
        """Each element of a vector, along the axis of its index."""
        vector = self.value(base)
        if index.sign not in _AXES or np.ndim(vector) != 1:
            raise TooMuchError
        return np.reshape(vector, _AXES[index.sign])


def _product(left: Any, right: Any) -> Any:
    """The product of matrices, or with a number."""
    return left @ right if np.ndim(left) == np.ndim(right) == 2 else left * right
