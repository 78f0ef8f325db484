"""A rule in symbols and in its numbers: `x̄ = z̄·y = [1, 1]·[3, 4] = [3, 4]`.

Where a formula has indices, the numbers stand beside it instead of in it.
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


def shown(summary: Entry | None) -> Shown | None:
    """An array of a trace; None for none.

    Example:
        >>> shown({"shape": [2, 1], "head": [1.0, 2.5], "norm": 2.7})
        Shown(text='[[1], [2.5]]', is_whole=True)
        >>> shown({"shape": [9], "head": [1.0, 2.5, 0.0, 0.0], "norm": 2.7})
        Shown(text='(9,) ‖·‖=2.7', is_whole=False)
    """
    if summary is None:
        return None
    shape, head = summary["shape"], summary["head"]
    if not 0 < math.prod(shape) <= min(MOST, len(head)):
        return Shown(array_text(summary), False)
    items = [array_text({"shape": [], "head": [value]}) for value in head]
    for size in reversed(shape):
        rows = range(0, len(items), size)
        items = [f"[{', '.join(items[row : row + size])}]" for row in rows]
    return Shown(items[0], len(items[0]) <= LONGEST // 2)


def _shown(array: Any) -> Shown | None:
    return None if array is None else shown(summarize(asnumpy(array)))


def rule_of(
    node: Node,
    given: Grads,
    results: Grads,
    saved: list[Saved],
    rerun: Rerun | None,
    ends: dict[int, str],
) -> list[tuple[str, str]]:
    """The rule of a node with its numbers in it.

    Args:
        given: the gradients of its outputs, arrays or None.
        results: what the rule made of them, by edge.
        saved: name, array and versions of what the node saved.
        rerun: its forward, where that is known: it knows operands that were not saved.
        ends: as for `rule_in_numbers`.

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
    letters = {
        letter.lower(): _shown(np.asarray(value))
        for letter, value in known.items()
        if isinstance(value, (np.ndarray, int, float)) and not isinstance(value, bool)
    }
    letters |= saved_letters(cls, [(name, _shown(array)) for name, array, _ in saved])
    return rule_in_numbers(
        cls, positions(node), map(_shown, given), map(_shown, results), letters, ends, {}
    )


def rule_in_numbers(
    cls: Any,
    operands: Iterable[int],
    given: Iterable[Shown | None],
    results: Iterable[Shown | None],
    letters: dict[str, Shown | None],
    ends: dict[int, str],
    more: dict[int, str],
) -> list[tuple[str, str]]:
    """The gradient of each operand: its symbol, and the formula for it with these numbers.

    Args:
        cls: the op.
        operands: by edge, the position of its operand.
        given: the gradients of the outputs.
        results: by edge, the gradient that went along it.
        letters: what other letters of the formulas stand for, as far as that is known.
        ends: by edge, what stands before the result, where that is not what the formula gives.
        more: by edge, what there is to say behind it.

    Returns:
        A pair for each edge whose formula is known; or one pair, of "rule" and the formula as it
        stands, if the formula is about all of them together.
    """
    found = formulas_of(cls)
    if found is None or not found.gradient:
        return []
    bars = {letter.lower() + BAR: grad for letter, grad in zip(found.results, given, strict=False)}
    known = letters | bars
    lines, names = [], dict(enumerate(found.operands))
    for edge, (at, result) in enumerate(zip(operands, results, strict=False)):
        letter = names.get(at)
        own = [e for e in found.gradient if e.left.kind != "list" and left_name(e).sign == letter]
        if own and result is not None:
            line = _line(own, result, ends.get(edge, ""), known) + more.get(edge, "")
            lines.append((text(own[0].left), line))
    return lines or [("rule", ",  ".join(map(text, found.gradient)))]


def _line(
    formula: list[Equation], result: Shown, ends: str, letters: dict[str, Shown | None]
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


def saved_letters(cls: Any, saved: Iterable[tuple[str, Shown | None]]) -> dict[str, Shown | None]:
    """What a node saved, by the letters of the formulas."""
    letters = {name: letter for letter, name in reversed(letters_of(cls).items())}
    names = getattr(cls, "saves", ())
    return {letters[name].lower(): value for name, value in saved if name in names and value}
