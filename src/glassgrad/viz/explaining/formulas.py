"""The formulas of ops: text that reads well in a docstring, a tree of what it says, its numbers.

    y = tanh x        x̄ = ȳ·(1 − y²)
    yᵢ = exp xᵢ/Σⱼ exp xⱼ        x̄ᵢ = yᵢ·(ȳᵢ − Σⱼ yⱼ·ȳⱼ)
    z = x,  z[indexᵢ] = sᵢ        x̄ = z̄,  x̄[indexᵢ] = 0,  s̄ᵢ = z̄[indexᵢ]

A bar makes of a letter its gradient (x̄), a d its tangent (dx). Equations are parted by a comma and
two spaces, by more spaces, or by lines. One with a place on its left is true there alone: what an
equation before it says, holds elsewhere.

    equation = list ("=" | "~") list
    list     = choice {"," choice}
    choice   = logic ["if" logic "else" choice]
    logic    = relation {("∧" | "∨" | "⊕") relation}
    relation = sum {("=" | "≠" | "<" | ">" | "≤" | "≥" | "∈") sum}
    sum      = product {("+" | "−" | "&" | "|" | "^") product}
    product  = factor {("·" | "/" | "×" | "mod") factor}
    factor   = "−" product
             | big ("ᵢ" | "_{" list "}") product             Σᵢ xᵢ·yᵢ, Π_{k ≤ i} xₖ, maxᵢ xᵢ, ∃ᵢ (…)
             | atom {"²" | "ᵀ" | "ᵢ" | "[" list "]"}         a power, a transpose, places
    atom     = number [factor] | name | name factor          2y, x, tanh x, max(x, 0), ψ⁽ⁿ⁾(x)
             | "(" list ")" | "[" list "]" | "|" list "|" | "⌊" list "⌋" | "⌈" list "⌉"
             | ("√" | "~" | "∂") factor

Small letters and signs are scripts: `xᵢⱼ` is read as `x_{i,j}`, and `e⁻ˣ` as `e^{−x}`.
`[x > 0]` is 1 where that holds, else 0; `i` in it is the place itself. The letter n is how many
places the first index of the first operand goes through, unless an equation says otherwise.
Between matrices, which have capital letters, `·` is their product.

The first paragraph of an op's docstring are its formulas: they say value and gradients, and mostly
the tangent follows.

    Tanh: y = tanh x        dy = (1 − y²)·dx        x̄ = ȳ·(1 − y²)

What the first equation has on its left, are the results. An operand or a parameter has its own name
for a letter, or its initial (but i, j, k and l are indices); or an equation says whose letter it
is, as `c = exponent` does. A user's Function may have formulas so, or LaTeX as its `latex`.
"""

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from glassgrad._words import plain
from glassgrad.core.primitive import Primitive
from glassgrad.core.saved import operand_of
from glassgrad.ops._families import Elementwise, Linear, Multilinear
from glassgrad.ops._lookup import load_all

BAR = "\u0304"  # after its letter: the gradient of what the letter stands for
LEAVES = ("name", "gradient", "tangent")
RELATIONS = ("=", "≠", "<", ">", "≤", "≥", "∈")
LEVELS = (("∧", "∨", "⊕"), RELATIONS, ("+", "−", "&", "|", "^"), ("·", "/", "×", "mod"))
CLOSING = {"(": ")", "[": "]", "|": "|", "⌊": "⌋", "⌈": "⌉", "_{": "}", "^{": "}"}
MOST_READ = 1_000  # characters of a docstring's formulas

_LOWERED, _LOWS = "ijklmnst0123456789+−", "ᵢⱼₖₗₘₙₛₜ₀₁₂₃₄₅₆₇₈₉₊₋"
_RAISED, _HIGHS = "0123456789+−cyxnk()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᶜʸˣⁿᵏ⁽⁾"
_TO_PLAIN = str.maketrans(_LOWS + _HIGHS, _LOWERED + _RAISED)
_SCRIPTS = re.compile(f"(?P<name>log[{_LOWS}]+)|(?P<low>[{_LOWS}]+)|[{_HIGHS}]+")
_TOKEN = re.compile(
    rf"""(?P<space>\s*)(?:
    (?P<big>(?:[ΣΠ∃∀]|(?:arg)?(?:max|min|(?:nan)?median))(?=_{{))
    |(?P<keyword>(?:if|else|mod)\b)
    |(?P<number>\d+(?:\.\d+)?|½|π|∞|…)
    |(?P<name>log[{_LOWS}]+|(?:[A-Za-z](?:_(?!{{))?|[αβεμσΓψ])+\d*{BAR}?'?|[ΣΠ∃∀])
    |(?P<sign>[_^]{{|.)
    |(?P<end>\Z))""",
    re.VERBOSE,
)


class NotationError(ValueError):
    """A text that is no formula."""


class Term(NamedTuple):
    """A part of a formula.

    Attributes:
        kind: "name", or "gradient" or "tangent" of a name; "number", "places", "call",
            "derivative", "big", "power", "transpose", "binary", "prefix", "bracket", "choice",
            "list", "equation".
        sign: the name, the number, the function, the operator or the opening bracket.
        parts: what it is made of.
    """

    kind: str
    sign: str = ""
    parts: tuple["Term", ...] = ()

    @property
    def left(self) -> "Term":
        """What is on the left of an equation."""
        return self.parts[0]

    @property
    def right(self) -> "Term":
        """What is on its right."""
        return self.parts[1]


Equation = Term  # of that kind: what is on the left, the sign, and what is on the right
Leaf = Callable[[Term], str]


def equations(source: str) -> list[Equation]:
    r"""The equations of a text.

    Raises:
        NotationError: if it is none; the message says what was not understood.

    Example:
        >>> [equation] = equations("x̄ = ȳ·(1 − y²)")
        >>> equation.left
        Term(kind='gradient', sign='x', parts=())
        >>> latex(equation.right)
        '\\bar y (1 - y^2)'
    """
    plain = unicodedata.normalize("NFD", source.strip()).replace("=\u0338", "≠")
    if len(plain) > MOST_READ:
        raise NotationError(f"it has more than {MOST_READ} characters")
    try:
        return [_Parser(part).equation() for part in re.split(r",?\s*\n\s*|,?\s{2,}", plain)]
    except RecursionError:
        raise NotationError("it is nested too deeply") from None


def terms(term: Term) -> Iterator[Term]:
    """All terms in a formula, from left to right."""
    yield term
    for part in term.parts:
        yield from terms(part)


def items(term: Term) -> tuple[Term, ...]:
    """The terms of a list; the term itself, if it is none."""
    return term.parts if term.kind == "list" else (term,)


class _Parser:
    """Reads one equation from left to right: a method for each rule of the grammar."""

    def __init__(self, source: str) -> None:
        self.source = _SCRIPTS.sub(_in_braces, source)
        self.tokens = _TOKEN.finditer(self.source)
        self.closing = ""
        self.go_on()

    def go_on(self) -> None:
        """To the next token: its kind, its text, and whether a space is before it."""
        self.token = next(self.tokens)
        self.kind = str(self.token.lastgroup)
        self.now = self.token[self.kind]

    def adjoins(self, *wanted: str) -> bool:
        """Whether the token is one of those kinds or signs, without a space before it."""
        return not self.token["space"] and (self.kind in wanted or self.now in wanted)

    def take(self, wanted: str = "") -> str:
        taken = self.now
        if self.kind == "end" or wanted not in ("", taken):
            before = self.source[: self.token.start(self.kind)]
            raise NotationError(f"{wanted or 'a term'} is missing after {before!r}")
        self.go_on()
        return taken

    def equation(self) -> Equation:
        left = self.list(partial(self.binary, 2))
        sign = self.take("~" if self.now == "~" else "=")
        right = self.list(self.choice)
        if self.kind != "end":
            raise NotationError(f"{self.take()!r} was not expected in {self.source!r}")
        return Term("equation", sign, (left, right))

    def list(self, item: Callable[[], Term]) -> Term:
        parts = [item()]
        while self.now == ",":
            self.take()
            parts.append(item())
        return parts[0] if len(parts) == 1 else Term("list", "", tuple(parts))

    def choice(self) -> Term:
        value = self.binary()
        if self.now != "if":
            return value
        self.take("if")
        condition = self.binary()
        self.take("else")
        return Term("choice", "", (value, condition, self.choice()))

    def binary(self, level: int = 0) -> Term:
        """A chain of operators that bind alike, of terms that bind more tightly."""
        if level == len(LEVELS):
            return self.factor()
        found = self.binary(level + 1)
        while self.now in LEVELS[level] and self.now != self.closing:
            found = Term("binary", self.take(), (found, self.binary(level + 1)))
        return found

    def factor(self) -> Term:
        product = len(LEVELS) - 1
        if self.now == "−":
            return Term("prefix", self.take(), (self.binary(product),))
        if self.kind == "big":
            return Term("big", self.take(), (self.enclosed(), self.binary(product)))
        found = self.atom()
        while self.adjoins("_{", "^{", "[", "ᵀ"):
            if self.now == "ᵀ":
                found = Term("transpose", self.take(), (found,))
            elif self.now == "^{":
                found = Term("power", "", (found, self.enclosed()))
            else:
                found = Term("places", self.now.strip("_{"), (found, self.enclosed()))
        return found

    def atom(self) -> Term:
        if self.now in CLOSING:
            return Term("bracket", self.now, (self.enclosed(),))
        kind, written = self.kind, self.take()
        if kind == "number":
            number = Term("number", written)
            is_factor = written.isdigit() and self.adjoins("name", "big")
            return Term("binary", "", (number, self.factor())) if is_factor else number
        if written in ("√", "~", "∂"):
            return Term("prefix", written, (self.factor(),))
        if kind != "name":
            raise NotationError(f"{written!r} was not expected in {self.source!r}")
        if written.endswith(BAR):
            return Term("gradient", written.removesuffix(BAR))
        if re.fullmatch(r"d[^\W\d_]", written):
            return Term("tangent", written[1])
        return self.call(written) if len(written) > 1 or written in "Γψ" else Term("name", written)

    def call(self, name: str) -> Term:
        """A function of what follows, or a long name."""
        if name == "ψ" and self.adjoins("^{"):  # its nth derivative
            return Term("derivative", name, (self.enclosed(), self.factor()))
        is_term = self.kind in ("name", "big", "number") or self.now in ("(", "√")
        is_term |= self.now == "|" != self.closing
        if not is_term:
            return Term("name", name)
        of = self.factor()
        several = of.sign == "(" and of.parts[0].kind == "list"
        return Term("call", name, of.parts[0].parts if several else (of,))

    def enclosed(self) -> Term:
        """What stands between an opening sign and the closing one."""
        outside, self.closing = self.closing, CLOSING[self.take()]
        inner = self.list(self.choice)
        self.take(self.closing)
        self.closing = outside
        return inner


def _in_braces(script: re.Match[str]) -> str:
    """`ᵢⱼ` as `_{i,j}`, and `ᶜ⁻¹` as `^{c−1}`."""
    plain = script[0].translate(_TO_PLAIN)
    if script["low"]:
        return "_{" + re.sub(r"(?<=\w)(?=[a-z])", ",", plain) + "}"
    return script["name"] or f"^{{{plain}}}"


# As text -----------------------------------------------------------------------------------------


def as_written(leaf: Term) -> str:
    """A name, with its bar or its d."""
    return _TEXT[leaf.kind].format(sign=leaf.sign)


def text(term: Term, leaf: Leaf = as_written) -> str:
    """A formula in the notation that it was read from.

    Args:
        leaf: what is written for a name, a gradient, a tangent: its number, for example.

    Example:
        >>> text(equations("x̄ = ȳ·(1 − y²)")[0], lambda term: "2" if term.sign == "y" else "x̄")
        'x̄ = 2·(1 − 2²)'
    """
    written = _as_read(term) if leaf is as_written else _text(term, leaf)
    return unicodedata.normalize("NFC", written)


@lru_cache(maxsize=1024)  # the nodes of a long pass are of a few ops
def _as_read(term: Term) -> str:
    return _text(term, as_written)


_TEXT = {
    "name": "{sign}",
    "gradient": f"{{sign}}{BAR}",
    "tangent": "d{sign}",
    "equation": "{0} {sign} {1}",
    "number": "{sign}",
    "binary": "{0} {sign} {1}",
    "binary ·": "{0}·{1}",
    "binary ": "{0}{dot}{1}",
    "binary /": "{0}/{1}",
    "prefix": "{sign}{0}",
    "transpose": "{0}ᵀ",
    "places": "{0}{lowered[1]}",
    "places [": "{0}[{1}]",
    "power": "{0}{raised}",
    "big": "{sign}{lowered[0]} {1}",
    "list": "{listed}",
    "call": "{sign}({listed})",
    "function": "{sign}{space}{0}",
    "bracket": "{sign}{0}{closing}",
    "choice": "{0} if {1} else {2}",
    "derivative": "{sign}{raised}{1}",
}


def _text(term: Term, leaf: Leaf) -> str:
    kind, sign, parts = term
    if kind in LEAVES:
        return leaf(term)
    words = [_text(part, leaf) for part in parts]
    if kind == "places":
        words[1] = _as_read(parts[1])  # no number takes the place of an index
    script = words[0 if kind == "derivative" else -1] if words else ""
    is_filled = kind == "power" and script != _as_read(parts[1])
    return _filled(
        _TEXT,
        term,
        words,
        sign=sign,
        closing=CLOSING.get(sign),
        lowered=[_mapped(word, _LOWERED, _LOWS) or f"_{{{word}}}" for word in words],
        raised=(not is_filled and _mapped(script, _RAISED, _HIGHS))
        or f"^({script.replace(' ', '')})",
        dot="" if script[:1].isalpha() else "·",  # 2y, but 2·3
        space="" if script.startswith("(") else " ",
    )


def _filled(templates: dict[str, str], term: Term, words: list[str], **fields: Any) -> str:
    """The template for a term, with the words for its parts."""
    kind = "function" if term.kind == "call" and len(words) == 1 else term.kind
    template = templates.get(f"{kind} {term.sign}") or templates[kind]
    return template.format(*words, listed=", ".join(words), **fields)


def _mapped(written: str, plain: str, scripts: str) -> str:
    """The text as subscript or superscript; empty, if there are no such letters."""
    if set(written) - {*plain, ",", " "}:
        return ""
    return written.translate(str.maketrans(plain, scripts, ", "))


# As LaTeX ----------------------------------------------------------------------------------------

_COMMANDS = {
    "½": r"\tfrac12", "π": r"\pi", "∞": r"\infty", "…": r"\dots", "Σ": r"\sum", "Π": r"\prod",
    "α": r"\alpha", "β": r"\beta", "ε": r"\varepsilon", "μ": r"\mu", "σ": r"\sigma",
    "Γ": r"\Gamma", "ψ": r"\psi", "ψ'": r"\psi'",
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log₂": r"\log_2",
    "log₁₀": r"\log_{10}",
    "∧": r"\wedge", "∨": r"\vee", "⊕": r"\oplus", "≠": r"\ne", "≤": r"\le", "≥": r"\ge",
    "∈": r"\in", "∃": r"\exists", "∀": r"\forall", "∂": r"\partial ", "−": "-",
    "&": r"\mathbin{\&}", "|": r"\mathbin{|}",
    "^": r"\oplus", "×": r"\times", "mod": r"\bmod", "~": r"\mathord{\sim} ",
}  # fmt: skip
_FUNCTIONS = ("cos", "cosh", "ln", "max", "min", "sin", "sinh", "tan", "tanh")
_COMMANDS |= {name: rf"\{name}" for name in _FUNCTIONS}
_LATEX = {
    "name": "{sign}",
    "gradient": r"\bar {sign}",
    "tangent": r"\dot {sign}",
    "equation": "{0} {sign} {1}",
    "equation ~": r"{0} \sim {1}",
    "number": "{sign}",
    "binary": "{0} {sign} {1}",
    "binary ·": "{0}{gap}{1}",
    "binary ": "{0}{gap}{1}",
    "binary /": r"\frac{{{bare[0]}}}{{{bare[1]}}}",
    "inline": "{0} / {1}",
    "prefix": "{sign}{0}",
    "prefix √": r"\sqrt{{{bare[0]}}}",
    "transpose": r"{0}^\top",
    "places": "{0}_{scripts[1]}",
    "power": "{0}^{scripts[1]}",
    "big": "{sign}_{scripts[0]} {1}",
    "list": "{listed}",
    "call": "{sign}({listed})",
    "function": "{sign}{space}{0}",
    "big ∃": r"\exists {0}: {bare[1]}",
    "big ∀": r"\forall {0}: {bare[1]}",
    "choice": r"{0}\ \text{{if}}\ {1}\ \text{{else}}\ {2}",
    "derivative": "{sign}^{{{0}}}{1}",
    "function exp": "e^{{{bare[0]}}}",
    "function conj": r"\overline{{{bare[0]}}}",
    "bracket (": "({0})",
    "bracket [": "[{0}]",
    "bracket |": "|{0}|",
    "bracket ⌊": r"\lfloor {0} \rfloor",
    "bracket ⌈": r"\lceil {0} \rceil",
}


@lru_cache(maxsize=1024)
def latex(term: Term) -> str:
    r"""A formula as LaTeX.

    Example:
        >>> print(latex(equations("x̄ᵢ = ȳ·exp(xᵢ − y)")[0]))
        \bar x_i = \bar y\,e^{x_i - y}
    """
    kind, sign, parts = term
    words = [latex(part) for part in parts]
    bare = [w[1:-1] if p.sign == "(" else w for w, p in zip(words, parts, strict=True)]
    name = _COMMANDS.get(sign)
    if len(sign) > 1 and kind in LEAVES:
        name = _upright("mathrm", sign)
    elif len(sign) > 1 and kind in ("call", "big"):
        name = name or _upright("operatorname", sign)
    is_inline = sign == "/" and words == bare and parts[1].kind != "big"
    return _filled(
        _LATEX,
        term._replace(kind="inline") if is_inline else term,
        words,
        bare=bare,
        sign=name or sign,
        scripts=[_script(word) for word in words],
        gap=_gap(parts[1], words[1]) if kind == "binary" else "",
        space=" " if words == bare else "",
    )


def _upright(command: str, name: str) -> str:
    escaped = name.replace("_", r"\_")
    return f"\\{command}{{{escaped}}}"


def _script(word: str) -> str:
    """A subscript or superscript; letters need no comma between them."""
    words = word.split(", ")
    script = ("" if all(len(word) == 1 for word in words) else r",\,").join(words)
    return script if len(script) == 1 else f"{{{script}}}"


def _gap(factor: Term, written: str) -> str:
    """What stands before a factor: a dot before a number, else some space."""
    if written[0].isdigit():
        return r" \cdot "
    is_apart = factor.kind == "call" and factor.sign not in ("exp", "conj", "Γ", "ψ", "ψ'")
    return " " if is_apart or factor.kind == "big" or factor.sign == "(" else r"\,"


# The formulas of an op ----------------------------------------------------------------------------


Letters = dict[str, str]  # letters of formulas, and the names of what they stand for

LONGEST = 240  # characters of a user's docstring, and of a formula and the same with numbers in it
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
    results = signs_of(value[0].left)
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


def signs_of(left: Term) -> list[str]:
    """The letters on the left of an equation, without their places."""
    names = [part.parts[0] if part.parts else part for part in items(left)]
    return [name.sign for name in names if name.sign != "…"]


def _letters(cls: Any, said: list[Equation], where: list[Equation]) -> tuple[Letters, Letters]:
    """The letters of the operands, and those of the parameters."""
    forward = getattr(cls, "forward", None)
    if not inspect.isfunction(forward):
        return {}, {}
    used = {term.sign for each in said for term in terms(each) if term.kind in LEAVES}
    declared = {each.right.sign: signs_of(each.left) for each in where}
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
