"""The notation of formulas: text that reads well in a docstring, and a tree of what it says.

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
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

BAR = "\u0304"  # after its letter: the gradient of what the letter stands for
LEAVES = ("name", "gradient", "tangent")
RELATIONS = ("=", "≠", "<", ">", "≤", "≥", "∈")
LEVELS = (("∧", "∨", "⊕"), RELATIONS, ("+", "−", "&", "|", "^"), ("·", "/", "×", "mod"))
CLOSING = {"(": ")", "[": "]", "|": "|", "⌊": "⌋", "⌈": "⌉", "_{": "}", "^{": "}"}
LONGEST = 1_000  # characters of a docstring's formulas

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
    if len(plain) > LONGEST:
        raise NotationError(f"it has more than {LONGEST} characters")
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
    return unicodedata.normalize("NFC", _text(term, leaf))


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
        words[1] = _text(parts[1], as_written)  # no number takes the place of an index
    script = words[0 if kind == "derivative" else -1] if words else ""
    is_filled = kind == "power" and script != _text(parts[1], as_written)
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
