"""A rule in symbols and in its numbers: `x̄ = z̄·y = [1, 1]·[3, 4] = [3, 4]`.

Where a formula has indices, the numbers stand beside it instead of in it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.function import BackwardCFunction
from glassgrad.core.graph import Node
from glassgrad.core.saved import PrimitiveNode
from glassgrad.tracing.summary import summarize
from glassgrad.values.backend import asnumpy
from glassgrad.viz.wording import array_text

from .formulas import Formulas, formulas_of, left_name, letters_of
from .notation import BAR, Equation, Term, as_written, terms, text
from .rerun import Rerun, positions

MOST = 4  # elements of an array that is written into a formula
LONGEST = 120  # characters of a formula with numbers in it


class Shown(NamedTuple):
    """An array in one line, and whether all of its elements are in it."""

    text: str
    is_whole: bool


@dataclass(slots=True)
class Numbers:
    """What a rule was run on, and what came of it; None where nothing is known.

    Args:
        given: the gradients of the outputs.
        results: by edge, the gradient that went along it.
        letters: what each letter of the formulas stands for, as far as that is known.
        wrong: the edges along which the rule was found to be wrong: the formula is another thing.
        summed: the edges whose gradient is a sum over broadcast dims.
        summed_next: those where that sum is still to come, and the shape it gives.
    """

    given: list[Shown | None]
    results: list[Shown | None]
    letters: dict[str, Shown] = field(default_factory=dict)
    wrong: set[int] = field(default_factory=set)
    summed: set[int] = field(default_factory=set)
    summed_next: dict[int, str] = field(default_factory=dict)


def shown_array(array: Any) -> Shown:
    """An array of numbers."""
    return shown(summarize(array))


def shown(summary: dict[str, Any]) -> Shown:
    """An array of a trace.

    Example:
        >>> shown({"shape": [2, 1], "head": [1.0, 2.5], "norm": 2.7})
        Shown(text='[[1], [2.5]]', is_whole=True)
        >>> shown({"shape": [9], "head": [1.0, 2.5, 0.0, 0.0], "norm": 2.7})
        Shown(text='(9,) ‖·‖=2.7', is_whole=False)
    """
    shape, head = summary["shape"], summary["head"]
    if not 0 < math.prod(shape) <= min(MOST, len(head)):
        return Shown(array_text(summary), False)
    one: dict[str, Any] = {"shape": [], "norm": None}
    items = [array_text({**one, "head": [value]}) for value in head]
    for size in reversed(shape):
        rows = range(0, len(items), size)
        items = [f"[{', '.join(items[row : row + size])}]" for row in rows]
    return Shown(items[0], len(items[0]) <= LONGEST // 2)


def rule_of(
    node: Node,
    given: tuple[Any, ...],
    results: tuple[Any, ...],
    saved: list[tuple[str, Any, tuple[int, int]]],
    rerun: Rerun | None = None,
    wrong: Iterable[int] = (),
) -> list[tuple[str, str]]:
    """The rule of a node with its numbers in it.

    Args:
        given: the gradients of its outputs, arrays or None.
        results: what the rule made of them, by edge.
        saved: name, array and versions of what the node saved.
        rerun: its forward, where that is known: it knows operands that were not saved.
        wrong: the edges along which differences say something else.

    Returns:
        Pairs as of `rule_in_numbers`; none for a node without formulas of its own.
    """
    if not isinstance(node, (PrimitiveNode, BackwardCFunction)):
        return []
    cls: Any = node._forward_cls
    found = formulas_of(cls)
    if found is None:
        return []
    numbers = Numbers([_shown(grad) for grad in given], [_shown(grad) for grad in results])
    numbers.wrong = set(wrong)
    numbers.letters |= _known_again(rerun, found.operands)
    if isinstance(node, PrimitiveNode):
        numbers.letters |= _parameters(node, found)
        kept = [(name, _shown(array)) for name, array, _ in saved]
        numbers.letters |= saved_letters(cls, [(name, a) for name, a in kept if a is not None])
        numbers.summed = _summed(cls, given, results)
    return rule_in_numbers(cls, positions(node), numbers)


def rule_in_numbers(cls: Any, edges: list[int], numbers: Numbers) -> list[tuple[str, str]]:
    """The gradient of each operand: its symbol, and the formula for it with these numbers.

    Args:
        cls: the op.
        edges: by edge, the position of its operand.
        numbers: what stands for the symbols; its `letters` grow by the gradients given.

    Returns:
        A pair for each edge whose formula is known; or one pair, of "rule" and the formula as it
        stands, if the formula is about all of them together.
    """
    found = formulas_of(cls)
    if found is None or not found.gradient:
        return []
    for letter, grad in zip(found.results, numbers.given, strict=False):
        if grad is not None:
            numbers.letters[letter.lower() + BAR] = grad
    lines, letters = [], list(found.operands)
    for edge, at in enumerate(edges[: len(numbers.results)]):
        letter = letters[at] if at < len(letters) else ""
        own = [e for e in found.gradient if e.left.kind != "list" and left_name(e).sign == letter]
        result = numbers.results[edge]
        if own and result is not None:
            rest = numbers.summed_next.get(edge)
            line = _line(own, result, edge, numbers)
            line += f"; the engine sums that to {rest}" if rest else ""
            lines.append((text(own[0].left), line))
    return lines or [("rule", ",  ".join(map(text, found.gradient)))]


def _line(formula: list[Equation], result: Shown, edge: int, numbers: Numbers) -> str:
    """The right side of a formula, with numbers in it or beside it, and the result."""
    used: dict[str, Shown] = {}
    right = ", ".join([text(formula[0].right), *map(text, formula[1:])])
    is_indexed = any(term.kind in ("places", "big") for each in formula for term in terms(each))
    filled = _filled(formula, numbers.letters, used)
    ends = f" = {result.text}"
    if edge in numbers.wrong:
        ends = f", but the rule says {result.text}"
    elif edge in numbers.summed:
        ends = f", summed over what was broadcast: {result.text}"
    elif is_indexed:
        ends = f", so {text(left_name(formula[0]))} = {result.text}"
    is_passed_on = right in used and used[right].text == result.text
    if (is_passed_on and ends.startswith(" =")) or filled == right:
        return right + ends
    if filled is not None:
        return f"{right} = {filled}{ends}"
    where = ", ".join(f"{letter} = {value.text}" for letter, value in used.items())
    return right + ends + (f", where {where}" if where else "")


def _filled(
    formula: list[Equation], letters: dict[str, Shown], used: dict[str, Shown]
) -> str | None:
    """The right side with numbers for its letters; None if they do not go there.

    Args:
        used: is filled with the letters of the formula whose numbers are known.
    """
    right = formula[0].right
    is_simple = len(formula) == 1 and not any(t.kind in ("places", "big") for t in terms(right))

    def number(leaf: Term) -> str:
        nonlocal is_simple
        name = as_written(leaf)
        value = letters.get(name.lower())
        if value is None:
            is_simple = False
            return name
        used[text(leaf)] = value
        is_simple &= value.is_whole
        return f"({value.text})" if value.text.startswith("-") and leaf != right else value.text

    filled = [text(right, number), *[text(each.right, number) for each in formula[1:]]][0]
    return filled if is_simple and len(filled) <= LONGEST else None


# What a node knows -------------------------------------------------------------------------------


def _shown(array: Any) -> Shown | None:
    return None if array is None else shown_array(asnumpy(array))


def _known_again(rerun: Rerun | None, operands: Iterable[str]) -> dict[str, Shown]:
    """The operands that the forward would be run on again, as far as they are the real ones."""
    if rerun is None:
        return {}
    return {
        letter.lower(): shown_array(np.asarray(value))
        for at, (letter, value) in enumerate(zip(operands, rerun.operands, strict=False))
        if at not in rerun.made_up and isinstance(value, (np.ndarray, int, float))
    }


def _parameters(node: Any, found: Formulas) -> dict[str, Shown]:
    """Numbers that were no operands: the exponent of `x ** 2`."""
    values = {letter: getattr(node, name, None) for letter, name in found.parameters.items()}
    return {
        letter: shown_array(np.asarray(value))
        for letter, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def saved_letters(cls: Any, saved: Iterable[tuple[str, Shown]]) -> dict[str, Shown]:
    """What a node saved, by the letters of the formulas."""
    letters = {name: letter for letter, name in reversed(letters_of(cls).items())}
    return {letters[name].lower(): value for name, value in saved if name in cls.saves}


def _summed(cls: Any, given: tuple[Any, ...], results: tuple[Any, ...]) -> set[int]:
    """The edges along which the engine summed the gradient of a broadcast operand."""
    if not cls.broadcasts or not given or given[0] is None:
        return set()
    whole = given[0].shape
    return {edge for edge, grad in enumerate(results) if grad is not None and grad.shape != whole}
