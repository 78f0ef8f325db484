"""A rule in symbols and in its numbers: `x̄ = z̄·y = [1, 1]·[3, 4] = [3, 4]`.

The symbols are those of the op's docstring, whose first line says value, tangent and gradient.
Where a formula speaks of indices or in words, the numbers stand beside it instead of in it.
"""

import math
import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from glassgrad.tracing.summary import summarize
from glassgrad.viz.wording import array_text, plain

__all__ = ["Numbers", "Shown", "letters_of", "rule_in_numbers", "shown", "shown_array"]

MOST = 4  # elements of an array that is written into a formula
LONGEST = 120  # characters of a formula with numbers in it

BAR = "\u0304"  # after its letter: the gradient of what the letter stands for
_FUNCTIONS = {"sgn", "sin", "cos", "sinh", "cosh", "tan", "ln", "conj"}
_RAISED = str.maketrans("ᶜʸˣⁿ⁺⁻⁰¹²³", "cyxn+−0123")
_INDEXED = re.compile("[ᵢⱼₖₙₛₗΣΠ…⌢∘]|[ˣʸᶜ][ⁱʲ]")
_RUN = re.compile(f"([A-Za-zμσ]+)({BAR}?)")
_LONG_NAMES = {"weight": "w", "mask": "m", "condition": "c", "low": "a", "high": "b"}
_LONG_NAMES |= {
    "bias": "b",
    "target": "t",
    "source": "y",
    "src": "y",
    "values": "y",
    "value": "c",
    "exponent": "c",
}


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


def letters_of(cls: Any) -> tuple[list[str], list[str]]:
    """The letters that the formulas of an op have for its outputs and its operands."""
    columns = _columns(cls)
    left = re.split(r" [=~] ", columns[0])[0] if columns else ""
    outputs = [re.sub("[ᵢⱼₖ]+|\\[.*", "", name) for name in left.split(", ")]
    code = getattr(cls.forward, "__code__", None)
    names = [] if code is None else list(code.co_varnames[: code.co_argcount])
    if code is not None and code.co_flags & 0x04:  # *bias
        names.append(code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
    if names and names[0] == "ctx":
        del names[0]
    return outputs, [_LONG_NAMES.get(name, name) for name in names]


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
    columns = _columns(cls)
    if len(columns) < 2 or BAR not in columns[-1]:
        return []
    outputs, operands = letters_of(cls)
    for letter, grad in zip(outputs, numbers.given, strict=False):
        if grad is not None:
            numbers.letters[letter.lower() + BAR] = grad
    edge_of = {operands[at].lower(): e for e, at in enumerate(edges) if at < len(operands)}
    lines = []
    for formula in columns[-1].split(",  "):
        symbol, _, right = formula.partition(" = ")
        edge = edge_of.get(symbol.rstrip("ᵢⱼₖ").removesuffix(BAR).lower())
        if edge is None or not right or edge >= len(numbers.results):
            continue
        result = numbers.results[edge]
        if result is not None:
            line = _line(symbol, right, result, edge, numbers)
            rest = numbers.summed_next.get(edge)
            line += f"; the engine sums that to {rest}" if rest else ""
            lines.append((_composed(symbol), line))
    return lines or [("rule", _composed(columns[-1]))]


def _columns(cls: Any) -> list[str]:
    """Value, tangent and gradient, as the first line of a docstring has them."""
    lines = (cls.__doc__ or "").strip().splitlines()
    first = unicodedata.normalize("NFD", plain(lines[0], 2 * LONGEST)) if lines else ""
    columns = re.split(" {4,}", first)
    return columns if " = " in columns[0] or " ~ " in columns[0] else []


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _line(symbol: str, right: str, result: Shown, edge: int, numbers: Numbers) -> str:
    """The right side of a formula, with numbers in it or beside it, and the result."""
    used: dict[str, Shown] = {}
    filled = _filled(right, numbers.letters, used)
    ends = f" = {result.text}"
    if edge in numbers.wrong:
        ends = f", but the rule says {result.text}"
    elif edge in numbers.summed:
        ends = f", summed over what was broadcast: {result.text}"
    elif symbol[-1] in "ᵢⱼₖ" or _INDEXED.search(right):  # of one element, or in words
        ends = f", so {symbol.rstrip('ᵢⱼₖ')} = {result.text}"
    is_passed_on = right in used and used[right].text == result.text
    if is_passed_on and ends.startswith(" ="):
        return _composed(right + ends)
    if filled == right:
        return _composed(right + ends)
    if filled is not None:
        return _composed(f"{right} = {filled}{ends}")
    where = ", ".join(f"{letter} = {value.text}" for letter, value in used.items())
    return _composed(f"{right}{ends}" + (f", where {where}" if where else ""))


def _filled(formula: str, letters: dict[str, Shown], used: dict[str, Shown]) -> str | None:
    """The formula with numbers for its letters; None if they do not go there.

    Args:
        used: is filled with the letters of the formula whose numbers are known.
    """
    powers = re.sub("[ᶜʸˣⁿ][⁺⁻⁰¹²³]*", lambda run: f"^({run[0].translate(_RAISED)})", formula)
    spread = re.sub(r"(\d)(?=[A-Za-z])", r"\1·", powers)
    is_simple = not _INDEXED.search(formula)

    def number(run: re.Match[str]) -> str:
        nonlocal is_simple
        name = run[0]
        if len(run[1]) > 1:
            is_simple &= name in _FUNCTIONS
            return name
        value = letters.get(name.lower())
        if value is None:
            is_simple = False
            return name
        used[name] = value
        is_simple &= value.is_whole
        return f"({value.text})" if value.text.startswith("-") and name != spread else value.text

    filled = _RUN.sub(number, spread)
    return filled if is_simple and len(filled) <= LONGEST else None
