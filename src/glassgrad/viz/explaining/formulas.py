"""The formulas of an op: its docstring says value and gradients, and mostly the tangent follows.

    Tanh: y = tanh x        dy = (1 − y²)·dx        x̄ = ȳ·(1 − y²)

The first paragraph of an op's docstring are its formulas, in the notation of `notation.py`. What
the first equation has on its left, are the results. An operand or a parameter has its own name for
a letter, or its initial (but i, j, k and l are indices); or an equation says whose letter it is, as
`c = exponent` does. A user's Function may have formulas so, or LaTeX as its `latex`.

`rule_in_numbers` puts arrays into them: `x̄ = z̄·y = [1, 1]·[3, 4] = [3, 4]`. An array is what a
trace tells of it, so that a node that is there and one in a log are told of alike.
"""

import inspect
import math
from collections.abc import Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from glassgrad.core.primitive import Primitive
from glassgrad.core.saved import operand_of
from glassgrad.ops._families import Elementwise, Linear, Multilinear
from glassgrad.ops._lookup import load_all
from glassgrad.tracing.graph import Entry
from glassgrad.viz.wording import array_text, plain

from .notation import (
    BAR,
    LEAVES,
    Equation,
    NotationError,
    Term,
    as_written,
    equations,
    items,
    latex,
    terms,
    text,
)

Letters = dict[str, str]  # letters of formulas, and the names of what they stand for

LONGEST = 240  # characters of a user's docstring, and of a formula and the same with numbers in it
MOST = 4  # elements of an array that is written into a formula
SUMMED = ", summed over what was broadcast: "
INDICES = "ijkl"
NOTHING = Term("number", "0")


class Formulas(NamedTuple):
    """The equations of an op, and whose letters are in them.

    Attributes:
        value, tangent, gradient: what the op computes, and what its rules do.
        where: equations for letters that are no operand's and no result's.
        results: letters, by position.
        operands, parameters: letters by position, with the names that `forward` has for them.
    """

    value: list[Equation]
    tangent: list[Equation]
    gradient: list[Equation]
    where: list[Equation]
    results: list[str]
    operands: Letters
    parameters: Letters

    @property
    def columns(self) -> list[list[Equation]]:
        """Value, tangent and gradient, as far as there are some."""
        several = ([*self.value, *self.where], self.tangent, self.gradient)
        return [column for column in several if column]

    def __str__(self) -> str:
        return (" " * 8).join([",  ".join(map(text, column)) for column in self.columns])


_READ: WeakKeyDictionary[type, Formulas | None] = WeakKeyDictionary()


def formulas_of(cls: Any) -> Formulas | None:
    """The formulas of an op or a Function; None if its docstring begins with something else.

    Example:
        >>> node = tensor(1.0, requires_grad=True).tanh().grad_fn
        >>> print(formulas_of(node._forward_cls))
        y = tanh x        dy = (1 − y²)·dx        x̄ = ȳ·(1 − y²)
    """
    if cls not in _READ:
        try:
            _READ[cls] = read(cls)
        except NotationError:
            _READ[cls] = None
    return _READ[cls]


def read(cls: Any) -> Formulas:
    """The same, of a class whose docstring has to begin with formulas.

    Raises:
        NotationError: if it does not; the message says what is not understood, or missing.
    """
    said = equations(str(cls.__doc__ or "").strip().split("\n\n")[0])
    kinds = ("name", "tangent", "gradient")
    named, tangent, gradient = [[e for e in said if left_name(e).kind == kind] for kind in kinds]
    if not named:
        raise NotationError("it does not begin with the value, as in `y = tanh x`")
    value = [equation for equation in named if left_name(equation) == left_name(named[0])]
    where = [equation for equation in named if equation not in value]
    results = _signs(value[0].left)
    operands, parameters = _letters(cls, said, where)
    found = Formulas(value, tangent, gradient, where, results, operands, parameters)
    follows = not tangent and issubclass(cls, Primitive) and cls.differentiable
    return found._replace(tangent=_tangent(cls, found)) if follows else found


def all_ops() -> list[type[Primitive]]:
    """The classes of all ops and of their families, those of files not yet loaded among them."""
    load_all()
    found: list[type[Primitive]] = [Primitive]
    for cls in found:  # which grows meanwhile
        found += cls.__subclasses__()
    return found


def left_name(equation: Equation) -> Term:
    """The name on the left of an equation, without its places; the first of several."""
    return next((term for term in terms(equation.left) if term.kind in LEAVES), NOTHING)


def letters_of(cls: Any) -> Letters:
    """Which letter of the formulas is which tensor, by the name that it is saved under.

    Example:
        >>> x = tensor(1.0, requires_grad=True)
        >>> letters_of((x * x).grad_fn._forward_cls)
        {'z': 'result', 'x': 'self', 'y': 'other'}
    """
    found = formulas_of(cls)
    if found is None:
        return {}
    letters = list(found.operands)
    names = dict.fromkeys(found.results, "result") | found.operands | found.parameters
    saved = [name for name in getattr(cls, "saves", ()) if name != "result"]
    return names | {letters[operand_of(cls, name)]: name for name in saved}


def op_of(node: Any) -> Any:
    """The op or Function that made a node; of another one its own class, which has words, too."""
    return getattr(node, "_forward_cls", type(node))


def words_of(cls: Any) -> str:
    """The formulas of an op as text, or the first line of another docstring."""
    found = formulas_of(cls) if issubclass(cls, Primitive) else None
    lines = str(cls.__doc__ or "").strip().splitlines() or ["no docstring says what it computes"]
    return plain(lines[0], LONGEST) if found is None else str(found)


def latex_of(cls: Any) -> tuple[str, ...]:
    """The formulas of an op as LaTeX, or those that a user's Function has as its `latex`."""
    found = formulas_of(cls) if issubclass(cls, Primitive) else None
    if found is not None:
        return tuple([",\\ ".join(map(latex, column)) for column in found.columns])
    given = getattr(cls, "latex", ())
    several = given if isinstance(given, (tuple, list)) else (given,)
    return tuple([tex for tex in several if isinstance(tex, str) and tex])


def _signs(left: Term) -> list[str]:
    """The letters on the left of an equation, without their places."""
    names = [part.parts[0] if part.parts else part for part in items(left)]
    return [name.sign for name in names if name.sign != "…"]


def _letters(cls: Any, said: list[Equation], where: list[Equation]) -> tuple[Letters, Letters]:
    """The letters of the operands, and those of the parameters."""
    forward = getattr(cls, "forward", None)
    if not inspect.isfunction(forward):
        return {}, {}
    used = {term.sign for each in said for term in terms(each) if term.kind in LEAVES}
    declared = {each.right.sign: _signs(each.left) for each in where}
    operands: Letters = {}
    parameters: Letters = {}
    for name, parameter in inspect.signature(forward).parameters.items():
        initials = [] if name[0] in INDICES else [name[0], name[0].upper()]
        fitting = [x for x in (name, *initials) if x in used and x not in operands]
        letters = declared.get(name, fitting[:1])
        kind = parameters if parameter.kind is parameter.KEYWORD_ONLY else operands
        if name != "ctx":
            kind |= dict.fromkeys(letters or [name], name)
    return operands, parameters


# Tangents that follow ----------------------------------------------------------------------------


def _tangent(cls: Any, found: Formulas) -> list[Equation]:
    """What the rules of the families make of tangents."""
    moving = list(found.operands)[cls.differentiates]
    together: list[list[str]] = []
    if issubclass(cls, Linear):
        together = [moving]
    elif issubclass(cls, Multilinear) and not issubclass(cls, Elementwise):
        together = [[x] for x in moving]
    else:
        made = [_transposed(result, found) for result in found.results]
        return [each for each in made if len(made) == 1 or each.right != NOTHING]
    made = []
    for equation in found.value:
        left = _replaced(equation.left, _moved(found.results))
        moved = [(False, _replaced(equation.right, _moved(x))) for x in together]
        made.append(Term("equation", equation.sign, (left, _sum(moved))))
    return made


def _moved(names: list[str]) -> dict[Term, Term]:
    return {Term("name", name): Term("tangent", name) for name in names}


def _replaced(term: Term, by: dict[Term, Term]) -> Term:
    """A formula with other terms in it; its indices stay."""
    if term in by:
        return by[term]
    fixed = term.parts[1:] if term.kind == "places" else ()
    parts = [_replaced(part, by) for part in term.parts[: len(term.parts) - len(fixed)]]
    return term._replace(parts=(*parts, *fixed))


def _transposed(result: str, found: Formulas) -> Equation:
    """`dyᵢ = Σⱼ Jᵢⱼ·dxⱼ`, where the gradients are `x̄ⱼ = ȳᵢ·Jᵢⱼ` for all i that x̄ has not itself."""
    bar = Term("gradient", result)
    made_left, several = Term("tangent", result), []
    for equation in found.gradient:
        name = left_name(equation)
        tangent = _replaced(equation.left, {name: Term("tangent", name.sign)})
        for is_minus, term in _addends(equation.right):
            given = [t for t in terms(term) if bar in (t, *t.parts[: t.kind == "places"])]
            if given:
                made_left = _replaced(given[0], {bar: Term("tangent", result)})
                over = [i for i in _indices(tangent) if i not in _indices(made_left)]
                moved = _to_the_end(_replaced(term, {given[0]: tangent}), tangent)
                under = over[0] if len(over) == 1 else Term("list", "", tuple(over))
                several.append((is_minus, Term("big", "Σ", (under, moved)) if over else moved))
    return Term("equation", "=", (made_left, _sum(several)))


def _addends(term: Term, is_minus: bool = False) -> list[tuple[bool, Term]]:
    """The terms of a sum, and whether each is subtracted."""
    if term.kind == "binary" and term.sign in ("+", "−"):
        left, right = term.parts
        return [*_addends(left, is_minus), *_addends(right, is_minus != (term.sign == "−"))]
    if term.sign == "−":
        return _addends(term.parts[0], not is_minus)
    return [(is_minus, term)]


def _sum(addends: list[tuple[bool, Term]]) -> Term:
    total = NOTHING
    for is_minus, term in addends:
        if total != NOTHING:
            total = _joined(total, "−" if is_minus else "+", term)
        else:
            total = Term("prefix", "−", (term,)) if is_minus else term
    return total


def _joined(left: Term, sign: str, right: Term) -> Term:
    return Term("binary", sign, (left, right))


def _indices(term: Term) -> tuple[Term, ...]:
    return items(term.parts[1]) if term.kind == "places" else ()


def _to_the_end(term: Term, tangent: Term) -> Term:
    """A product whose last factor is the tangent: `(1 − y²)·dx`, `dx/y`."""
    if term.kind == "choice":
        return term._replace(parts=tuple([_to_the_end(part, tangent) for part in term.parts]))
    factors: list[Term] = []
    divisors: list[Term] = []
    while term.kind == "binary" and term.sign in ("·", "/"):
        (factors if term.sign == "·" else divisors).append(term.parts[1])
        term = term.parts[0]
    # Behind all others, but before a sum or product, which reaches to the end.
    product, *rest = sorted([term, *factors[::-1]], key=lambda f: (f.kind == "big", f == tangent))
    for factor in rest:
        product = _joined(product, "·", factor)
    for divisor in divisors[::-1]:
        product = _joined(product, "/", divisor)
    return product


# In numbers --------------------------------------------------------------------------------------


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
    whole = str(np.reshape(items, shape).tolist()).replace("'", "")
    return Shown(whole, len(whole) <= LONGEST // 4)


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
    texts = {letter.lower(): shown(array) for letter, array in known.items() if array}
    lines, names = [], dict(enumerate(found.operands))
    for gradient in gradients:
        letter = names.get(gradient.at)
        own = [e for e in found.gradient if e.left.kind != "list" and left_name(e).sign == letter]
        if own and gradient.array:
            lines.append((text(own[0].left), _line(own, gradient, texts) + gradient.behind))
    return lines or [("rule", ",  ".join(map(text, found.gradient)))]


def _line(formula: list[Equation], gradient: Gradient, letters: dict[str, Shown]) -> str:
    """The right side of a formula, with numbers in it or beside it, and the result."""
    assert gradient.array
    result, side = shown(gradient.array).text, formula[0].right
    parts = [side, *formula[1:]]
    right = ", ".join(map(text, parts))
    leaves = [leaf for part in parts for leaf in terms(part) if leaf.kind in LEAVES]
    known = {text(leaf): letters.get(as_written(leaf).lower()) for leaf in leaves}
    used = {letter: value.text for letter, value in known.items() if value}
    of_each = any(map(_is_indexed, formula))
    equals = f", so {text(left_name(formula[0]))} = " if of_each else " = "
    ending = (gradient.before or equals) + result
    if ending == f" = {used.get(right)}":
        return right + ending  # passed on as it came
    is_whole = all(value and value.is_whole for value in known.values())
    if is_whole and len(formula) == 1 and not _is_indexed(side):
        filled = text(side, lambda leaf: _in_place(used[text(leaf)], leaf == side))
        if right != filled and len(filled) <= LONGEST // 2:
            return f"{right} = {filled}{ending}"
    where = ", ".join(f"{letter} = {value}" for letter, value in used.items())
    return right + ending + (f", where {where}" if where else "")


def _is_indexed(formula: Term) -> bool:
    return any(term.kind in ("places", "big") for term in terms(formula))


def _in_place(number: str, is_alone: bool) -> str:
    """A number in the place of a letter."""
    return f"({number})" if number.startswith("-") and not is_alone else number
