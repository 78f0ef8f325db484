"""A rule in symbols and in its numbers: `x̄ = z̄·y = [1, 1]·[3, 4] = [3, 4]`.

Where a formula has indices, the numbers stand beside it instead of in it. An array is what a trace
tells of it, so that a node that is there and one in a log are told of alike.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.engine import Grads
from glassgrad.core.function import BackwardCFunction
from glassgrad.core.graph import Node
from glassgrad.core.saved import PrimitiveNode
from glassgrad.tracing.graph import Entry
from glassgrad.tracing.summary import summarize
from glassgrad.values.backend import asnumpy
from glassgrad.viz.wording import array_text

from .formulas import formulas_of, left_name, letters_of
from .notation import BAR, LEAVES, Equation, Term, as_written, terms, text
from .rerun import Rerun, positions

MOST = 4  # elements of an array that is written into a formula
SUMMED = ", summed over what was broadcast: "
LONGEST = 120  # characters of a formula with numbers in it

Saved = tuple[
    str, Any, tuple[int, int]
]  # of a tensor: its name, the array, its version then and now


class Shown(NamedTuple):
    """An array in one line, and whether all of its elements are in it."""

    text: str
    is_whole: bool


def shown(array: Entry) -> Shown:
    """An array of a trace.

    Example:
        >>> shown({"shape": [2, 1], "head": [1.0, 2.5], "norm": 2.7})
        Shown(text='[[1], [2.5]]', is_whole=True)
        >>> shown({"shape": [9], "head": [1.0, 2.5, 0.0, 0.0], "norm": 2.7})
        Shown(text='(9,) ‖·‖=2.7', is_whole=False)
    """
    shape, head = array["shape"], array["head"]
    if not 0 < math.prod(shape) <= min(MOST, len(head)):
        return Shown(array_text(array), False)
    items = [array_text({"shape": [], "head": [value]}) for value in head]
    for size in reversed(shape):
        rows = range(0, len(items), size)
        items = [f"[{', '.join(items[row : row + size])}]" for row in rows]
    return Shown(items[0], len(items[0]) <= LONGEST // 2)


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


def rule_of(
    node: Node,
    given: Grads,
    results: Grads,
    saved: list[Saved],
    rerun: Rerun | None,
    before: dict[int, str],
) -> list[tuple[str, str]]:
    """The rule of a node with its numbers in it.

    Args:
        given: the gradients of its outputs, arrays or None.
        results: what the rule made of them, by edge.
        saved: name, array and versions of what the node saved.
        rerun: its forward, where that is known: it knows operands that were not saved.
        before: by edge, what stands before the result, where it is not what the formula gives.

    Returns:
        Pairs as of `rule_in_numbers`; none for a node without formulas of its own.
    """
    cls: Any = getattr(node, "_forward_cls", None)
    found = formulas_of(cls) if isinstance(node, (PrimitiveNode, BackwardCFunction)) else None
    if found is None:
        return []
    # Numbers that were no operands: the exponent of `x ** 2`.
    known = {letter: getattr(node, name, None) for letter, name in found.parameters.items()}
    if rerun is not None:
        operands = enumerate(zip(found.operands, rerun.operands, strict=False))
        known |= {letter: value for at, (letter, value) in operands if at not in rerun.made_up}
    numbers = {
        letter: summarize(value)
        for letter, value in known.items()
        if isinstance(value, (np.ndarray, int, float)) and not isinstance(value, bool)
    }
    gradients = [
        Gradient(at, _entry(result), before.get(edge, ""))
        for edge, (at, result) in enumerate(zip(positions(node), results, strict=False))
    ]
    kept = {name: _entry(array) for name, array, _ in saved}
    return rule_in_numbers(cls, gradients, map(_entry, given), kept, numbers)


def _entry(array: Any) -> Entry | None:
    return None if array is None else summarize(asnumpy(array))


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
    texts = {letter.lower(): shown(array) for letter, array in known.items() if array}
    lines, names = [], dict(enumerate(found.operands))
    for gradient in gradients:
        letter = names.get(gradient.at)
        own = [e for e in found.gradient if e.left.kind != "list" and left_name(e).sign == letter]
        if own and gradient.array:
            line = _line(own, shown(gradient.array), gradient.before, texts) + gradient.behind
            lines.append((text(own[0].left), line))
    return lines or [("rule", ",  ".join(map(text, found.gradient)))]


def _line(
    formula: list[Equation], result: Shown, ends: str, letters: dict[str, Shown]
) -> str:
    """The right side of a formula, with numbers in it or beside it, and the result.

    Args:
        ends: what stands before the result, if that is another thing than the formula.
    """
    side = formula[0].right
    parts: list[Term | Equation] = [side, *formula[1:]]
    right = ", ".join(map(text, parts))
    leaves = [leaf for part in parts for leaf in terms(part) if leaf.kind in LEAVES]
    known = {leaf: letters.get(as_written(leaf).lower()) for leaf in leaves}
    used = {text(leaf): value.text for leaf, value in known.items() if value}
    if not ends:
        of_each = any(map(_is_indexed, formula))
        ends = f", so {text(left_name(formula[0]))} = " if of_each else " = "
    if ends == " = " and used.get(right) == result.text:
        return right + ends + result.text  # passed on as it came
    if (
        len(formula) == 1
        and not _is_indexed(side)
        and all(v and v.is_whole for v in known.values())
    ):
        filled = text(side, lambda leaf: _in_place(used[text(leaf)], leaf == side))
        if right != filled and len(filled) <= LONGEST:
            return f"{right} = {filled}{ends}{result.text}"
    where = ", ".join(f"{letter} = {value}" for letter, value in used.items())
    return right + ends + result.text + (f", where {where}" if where else "")


def _is_indexed(formula: Term | Equation) -> bool:
    return any(term.kind in ("places", "big") for term in terms(formula))


def _in_place(number: str, is_alone: bool) -> str:
    """A number in the place of a letter."""
    return f"({number})" if number.startswith("-") and not is_alone else number
