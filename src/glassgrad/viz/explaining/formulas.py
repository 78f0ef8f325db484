"""The formulas of an op: its docstring says value and gradients, and mostly the tangent follows.

    Tanh: y = tanh x        dy = (1 − y²)·dx        x̄ = ȳ·(1 − y²)

The docstring of an op begins with them, in the notation of `notation.py`. A letter is an operand's
by its position: it is called like the operand or like its first letter, or an equation says
whose it is, as `c = exponent` does. What stands alone on the left of the first equation, are the
results. Of a user's Function the docstring may say the same, or its `latex` has the formulas.
"""

from functools import cache
from typing import Any, NamedTuple

from glassgrad.ops._families import Elementwise, Linear, Multilinear, Symmetric
from glassgrad.recording.primitive import Primitive
from glassgrad.recording.saving import operand_of
from glassgrad.viz.wording import plain

from .notation import Equation, NotationError, Term, equations, latex, terms, text

__all__ = ["Formulas", "formulas_of", "latex_of", "letters_of", "words_of"]

LONGEST = 240  # characters of a user's docstring
GAP = " " * 8
BETWEEN = ",  "
LEAVES = ("name", "gradient", "tangent")
INDICES = "ijkl"  # which are the initials of no operand
NOTHING = Term("number", "0")


class Formulas(NamedTuple):
    """The equations of an op, and whose letters are in them.

    Attributes:
        value, tangent, gradient: what the op computes, and what its rules do.
        where: equations for letters that are no operand's and no result's.
        results, operands: letters, by position.
        parameters: the name of the parameter that a letter stands for.
    """

    value: tuple[Equation, ...]
    tangent: tuple[Equation, ...]
    gradient: tuple[Equation, ...]
    where: tuple[Equation, ...]
    results: tuple[str, ...]
    operands: tuple[str, ...]
    parameters: dict[str, str]

    def __str__(self) -> str:
        columns = ((*self.value, *self.where), self.tangent, self.gradient)
        return GAP.join([BETWEEN.join(map(text, column)) for column in columns if column])

    def latex(self) -> tuple[str, ...]:
        """Value, tangent and gradient as LaTeX, as far as there are some."""
        columns = ((*self.value, *self.where), self.tangent, self.gradient)
        return tuple([",\\ ".join(map(latex, column)) for column in columns if column])


@cache
def formulas_of(cls: Any) -> Formulas | None:
    """The formulas of an op or a Function; None if its docstring begins with something else.

    Example:
        >>> from glassgrad.ops.transcendental import Tanh
        >>> print(formulas_of(Tanh))
        y = tanh x        dy = (1 − y²)·dx        x̄ = ȳ·(1 − y²)
    """
    try:
        return read(cls)
    except NotationError:
        return None


def read(cls: Any) -> Formulas:
    """The same, of a class whose docstring has to begin with formulas.

    Raises:
        NotationError: if it does not; the message says what is not understood, or missing.
    """
    first = str(cls.__doc__ or "").strip().split("\n\n")[0]
    value: list[Equation] = []
    tangent: list[Equation] = []
    gradient: list[Equation] = []
    where: list[Equation] = []
    for equation in equations(first):
        name = left_name(equation)
        if name.kind == "gradient":
            gradient.append(equation)
        elif name.kind == "tangent":
            tangent.append(equation)
        elif not value or name == left_name(value[0]):
            value.append(equation)
        else:
            where.append(equation)
    if not value:
        raise NotationError("it does not begin with the value, as in `y = tanh x`")
    left = value[0].left
    several = left.parts if left.kind == "list" else (left,)
    results = tuple([(part.parts[0] if part.parts else part).sign for part in several])
    operands, parameters = _letters(cls, [*value, *tangent, *gradient, *where], where)
    found = Formulas(
        tuple(value), tuple(tangent), tuple(gradient), tuple(where), results, operands, parameters
    )
    is_op = isinstance(cls, type) and issubclass(cls, Primitive) and cls.differentiable
    return found._replace(tangent=_tangent(cls, found)) if is_op and not tangent else found


def letters_of(cls: Any) -> dict[str, str]:
    """Which letter of the formulas is which tensor, by the name that it is saved under.

    Example:
        >>> from glassgrad.ops.arithmetic import Mul
        >>> letters_of(Mul)
        {'z': 'result', 'x': 'self', 'y': 'other'}
    """
    found = formulas_of(cls)
    if found is None:
        return {}
    names = _operand_names(cls)
    names += names[-1:] * (len(found.operands) - len(names))
    for saved in getattr(cls, "saves", ()):
        if saved != "result" and operand_of(cls, saved) < len(names):
            names[operand_of(cls, saved)] = saved
    results = dict.fromkeys([letter for letter in found.results if letter != "…"], "result")
    return results | dict(zip(found.operands, names, strict=True)) | found.parameters


def words_of(cls: Any) -> str:
    """The formulas as text, or the first line of a docstring that has none."""
    found = formulas_of(cls) if issubclass(cls, Primitive) else None
    if found is not None:
        return str(found)
    lines = str(cls.__doc__ or "").strip().splitlines()
    return plain(lines[0], LONGEST) if lines else "no docstring says what it computes"


def latex_of(cls: Any) -> tuple[str, ...]:
    """The formulas of an op as LaTeX, or those that a user's Function has as its `latex`."""
    if issubclass(cls, Primitive):
        found = formulas_of(cls)
        return () if found is None else found.latex()
    given = getattr(cls, "latex", ())
    several = given if isinstance(given, (tuple, list)) else (given,)
    return tuple([tex for tex in several if isinstance(tex, str) and tex])


# Letters -----------------------------------------------------------------------------------------


def left_name(equation: Equation) -> Term:
    """The name on the left of an equation, without its places; the first of several."""
    return next(term for term in terms(equation.left) if term.kind in LEAVES)


def _code(cls: Any) -> Any:
    return getattr(getattr(cls, "forward", None), "__code__", None)


def _operand_names(cls: Any) -> list[str]:
    """What `forward` calls its operands, `*bias` among them."""
    code = _code(cls)
    if code is None:
        return []
    names = list(code.co_varnames[: code.co_argcount])
    if code.co_flags & 0x04:
        names.append(code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
    return names[1:] if names and names[0] == "ctx" else names


def _letters(
    cls: Any, found: list[Equation], where: list[Equation]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The letters of the operands, and those of the parameters with their names."""
    used = {term.sign for equation in found for term in terms(equation) if term.kind in LEAVES}
    aliases = {equation.right.sign: equation.left for equation in where if not equation.right.parts}
    code = _code(cls)
    if code is None:
        return (), {}

    def letters(name: str) -> list[str]:
        if name in aliases:
            left = aliases[name]
            return [part.sign for part in (left.parts or (left,))]
        if name == "tensors":
            return ["x", "y"]
        initials = () if name[0] in INDICES else (name[0], name[0].upper())
        fitting = [x for x in (name, *initials) if x in used and x not in taken]
        return fitting[:1] or [name]

    taken: list[str] = []
    for name in _operand_names(cls):
        taken += letters(name)
    operands = tuple(taken)
    parameters = {}
    for name in code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]:
        parameters[letters(name)[0]] = name
    return operands, {letter: name for letter, name in parameters.items() if letter in used}


# Tangents that follow ----------------------------------------------------------------------------


def _tangent(cls: Any, found: Formulas) -> tuple[Equation, ...]:
    """What the rules of the families make of tangents."""
    movable = set(found.operands[cls.differentiates])
    if issubclass(cls, Symmetric):
        swapped = {("gradient", x): Term("tangent", y) for x, y in _swaps(found)}
        return tuple([_replaced(equation, swapped) for equation in found.gradient])
    if issubclass(cls, Linear):
        names = {("name", x): Term("tangent", x) for x in (*movable, *found.results)}
        return tuple([_replaced(equation, names) for equation in found.value])
    if issubclass(cls, Multilinear) and not issubclass(cls, Elementwise):
        [(left, sign, right)] = found.value
        terms = [_replaced(right, {("name", x): Term("tangent", x)}) for x in found.operands]
        return (Equation(Term("tangent", left.sign), sign, _sum(terms)),)
    moved = [_transposed(result, found) for result in found.results]
    return tuple([each for each in moved if len(moved) == 1 or each.right != NOTHING])


def _swaps(found: Formulas) -> list[tuple[str, str]]:
    (x, *_), (y, *_) = found.operands, found.results
    return [(x, y), (y, x)]


def _replaced(part: Any, by: dict[tuple[str, str], Term]) -> Any:
    """A formula with other names; what says a place stays as it is."""
    if isinstance(part, Equation):
        return Equation(_replaced(part.left, by), part.sign, _replaced(part.right, by))
    if part.kind == "places":
        return part._replace(parts=(_replaced(part.parts[0], by), part.parts[1]))
    if part.kind == "truth":
        return part
    parts = tuple([_replaced(each, by) for each in part.parts])
    return by.get((part.kind, part.sign)) or part._replace(parts=parts)


def _transposed(result: str, found: Formulas) -> Equation:
    """`dyᵢ = Σⱼ Jᵢⱼ·dxⱼ`, where the gradients are `x̄ⱼ = ȳᵢ·Jᵢⱼ` for all i that x̄ has not itself."""
    terms: list[Term] = []
    left = Term("tangent", result)
    for equation in found.gradient:
        for term in _addends(equation.right):
            given = _found(term, Term("gradient", result))
            if given is None:
                continue
            name, places = left_name(equation), _indices(equation.left)
            tangent = _put(equation.left, name, Term("tangent", name.sign))
            moved = _to_the_end(_put(term, given, tangent), tangent)
            if given.kind == "places":
                left = _put(given, given.parts[0], Term("tangent", result))
            over = [index for index in places if index not in _indices(given)]
            terms.append(_summed(moved, over))
    return Equation(left, "=", _sum(terms))


def _addends(term: Term) -> list[Term]:
    if term.kind == "binary" and term.sign in "+−":
        left, right = term.parts
        is_minus = term.sign == "−"
        return [*_addends(left), Term("minus", "−", (right,)) if is_minus else right]
    return [term]


def _found(term: Term, name: Term) -> Term | None:
    """Where the name stands in a formula: with the places that it has there."""
    if term == name or (term.kind == "places" and term.parts[0] == name):
        return term
    for part in term.parts:
        inner = _found(part, name)
        if inner is not None:
            return inner
    return None


def _indices(term: Term) -> tuple[Term, ...]:
    if term.kind != "places":
        return ()
    under = term.parts[1]
    return under.parts if under.kind == "list" else (under,)


def _put(term: Term, old: Term, new: Term) -> Term:
    if term == old:
        return new
    return term._replace(parts=tuple([_put(part, old, new) for part in term.parts]))


def _to_the_end(term: Term, tangent: Term) -> Term:
    """A product whose last factor is the tangent: `(1 − y²)·dx`, `dx/y`."""
    if term.kind in ("minus", "choice"):
        return term._replace(parts=tuple([_to_the_end(part, tangent) for part in term.parts]))
    factors, divisors = _factors(term)
    if tangent not in factors:
        return term
    # Behind all others, but before a sum or product, which reaches to the end.
    product, *rest = sorted(factors, key=lambda f: (f.kind == "big", f == tangent))
    for factor in rest:
        product = Term("binary", "·", (product, factor))
    for divisor in divisors:
        product = Term("binary", "/", (product, divisor))
    return product


def _factors(term: Term) -> tuple[list[Term], list[Term]]:
    """What a product multiplies, and what it divides by."""
    if term.kind != "binary" or term.sign not in ("·", "/"):
        return [term], []
    factors, divisors = _factors(term.parts[0])
    (factors if term.sign == "·" else divisors).append(term.parts[1])
    return factors, divisors


def _summed(term: Term, over: list[Term]) -> Term:
    if not over:
        return term
    if term.kind == "minus":
        return term._replace(parts=(_summed(term.parts[0], over),))
    under = over[0] if len(over) == 1 else Term("list", "", tuple(over))
    return Term("big", "Σ", (under, term))


def _sum(terms: list[Term]) -> Term:
    total = terms[0] if terms else NOTHING
    for term in terms[1:]:
        total = (
            Term("binary", "−", (total, term.parts[0]))
            if term.kind == "minus"
            else Term("binary", "+", (total, term))
        )
    return total
