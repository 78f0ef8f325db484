"""The notation of formulas: text that reads well in a docstring, and a tree of what it says.

    y = tanh x        x̄ = ȳ·(1 − y²)
    yᵢ = exp xᵢ/Σⱼ exp xⱼ        x̄ᵢ = yᵢ·(ȳᵢ − Σⱼ yⱼ·ȳⱼ)
    z = x,  z[indexᵢ] = sᵢ        x̄ = z̄,  x̄[indexᵢ] = 0,  s̄ᵢ = z̄[indexᵢ]

A bar makes of a letter its gradient (x̄), a d its tangent (dx). Equations are parted by a comma and
two spaces, by more spaces, or by lines. One with a place on its left is true there alone: what an
equation before it says, holds elsewhere.

    equation = list ("=" | "~") list
    list     = choice {", " choice}
    choice   = logic ["if" logic "else" choice]
    logic    = relation {("∧" | "∨" | "⊕") relation}
    relation = sum {("=" | "≠" | "<" | ">" | "≤" | "≥" | "∈") sum}
    sum      = ["−"] product {("+" | "−" | "&" | "|" | "^") product}
    product  = factor {("·" | "/" | "×" | "mod") factor}
    factor   = big under factor {("·" | "/" …) factor}       Σᵢ xᵢ·yᵢ, Π_{k ≤ i} xₖ, maxᵢ xᵢ, ∃ᵢ (…)
             | atom {"²" | "ᵀ" | "ᵢ" | "[" list "]"}         a power, a transpose, places
    atom     = number [name] | name | function factor | function "(" list ")" | "(" list ")"
             | "[" choice "]" | "|" sum "|" | "⌊" sum "⌋" | "⌈" sum "⌉" | ("√" | "~" | "∂") atom

`[x > 0]` is 1 where that holds, else 0; `i` in it is the place itself. The letter n is how many
places the first index of the first operand goes through, unless an equation says otherwise.
Between matrices, which have capital letters, `·` is their product.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

__all__ = ["Equation", "NotationError", "Term", "as_written", "equations", "latex", "terms", "text"]

BAR = "\u0304"  # after its letter: the gradient of what the letter stands for
BIG = {"Σ", "Π", "∃", "∀", "max", "min", "argmax", "argmin"}
BIG |= {"median", "nanmedian", "argmedian", "argnanmedian"}
KEYWORDS = {"if", "else", "mod"}
LEVELS = (("∧", "∨", "⊕"), ("=", "≠", "<", ">", "≤", "≥", "∈"), ("+", "−", "&", "|", "^"))
PRODUCTS = ("·", "/", "×", "mod")
FENCES = {"|": "|", "⌊": "⌋", "⌈": "⌉"}
LONGEST = 1_000  # characters of a docstring's formulas
DEEPEST = 40  # parentheses inside of parentheses

_LOWERED = dict(zip("ᵢⱼₖₗₘₙₛₜ₀₁₂₃₄₅₆₇₈₉₊₋", "ijklmnst0123456789+−", strict=True))
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᶜʸˣⁿᵏ⁽⁾", "0123456789+−cyxnk()", strict=True))
_TO_LOWERED = {plain: lowered for lowered, plain in _LOWERED.items()}
_TO_RAISED = {plain: raised for raised, plain in _RAISED.items()}
_TOKEN = re.compile(
    rf"""(?P<number>\d+(?:\.\d+)?|½|∞|…)
    |(?P<under>_{{)
    |(?P<name>(?:[A-Za-z](?:_(?!{{))?|[αβεμσΓψ])+\d*{BAR}?'?|[ΣΠ∃∀])
    |(?P<lowered>[{"".join(_LOWERED)}]+)
    |(?P<transposed>ᵀ)
    |(?P<raised>[{"".join(_RAISED)}]+)
    |(?P<space>\s+)
    |(?P<sign>.)""",
    re.VERBOSE,
)


class NotationError(ValueError):
    """A text that is no formula."""


class Term(NamedTuple):
    """A part of a formula.

    Attributes:
        kind: "number", "name", "gradient" and "tangent" (of a name), "places", "call", "big",
            "power", "transpose", "binary", "minus", "not", "root", "truth" (in brackets), "fence",
            "group" (in parentheses), "choice", "relation", "list".
        sign: the number, the name, the function or the signs, as they are written.
        parts: what it is made of.
    """

    kind: str
    sign: str = ""
    parts: tuple["Term", ...] = ()


class Equation(NamedTuple):
    """What is on the left, the sign, and what is on the right."""

    left: Term
    sign: str
    right: Term


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
    parts = unicodedata.normalize("NFD", source.strip()).replace("=\u0338", "≠")
    if len(parts) > LONGEST:
        raise NotationError(f"it has more than {LONGEST} characters")
    return [_Parser(part).equation() for part in re.split(r",?\s*\n\s*|,?\s{2,}", parts)]


def terms(part: Term | Equation) -> Iterator[Term]:
    """All terms in a formula, from left to right."""
    if isinstance(part, Term):
        yield part
    for each in part.parts if isinstance(part, Term) else (part.left, part.right):
        yield from terms(each)


class _Parser:
    """Reads one equation from left to right."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = [(str(m.lastgroup), m[0], m.start()) for m in _TOKEN.finditer(source)]
        self.at = 0
        self.depth = 0
        self.bars = 0

    # Tokens

    def peek(self) -> tuple[str, str]:
        """Kind and text of the next token that is no space."""
        while self.at < len(self.tokens) and self.tokens[self.at][0] == "space":
            self.at += 1
        return self.tokens[self.at][:2] if self.at < len(self.tokens) else ("end", "")

    def adjoins(self, kind: str, sign: str = "") -> bool:
        """Whether the very next token, without a space, is of that kind, and that text."""
        if self.at >= len(self.tokens):
            return False
        found, written, _ = self.tokens[self.at]
        return found == kind and sign in ("", written)

    def take(self, sign: str = "") -> str:
        """The next token; `sign` is what it must be."""
        _, written = self.peek()
        if not written or sign not in ("", written):
            where = self.tokens[self.at][2] if written else len(self.source)
            wanted = f"{sign!r} is missing" if sign else "something is missing"
            raise NotationError(f"{wanted} after {self.source[:where]!r}")
        self.at += 1
        return written

    # Rules of the grammar

    def equation(self) -> Equation:
        left = self.list(self.sum)
        sign = self.take("~" if self.peek()[1] == "~" else "=")
        right = self.list()
        if self.peek()[0] != "end":
            raise NotationError(f"{self.take()!r} was not expected in {self.source!r}")
        return Equation(left, sign, right)

    def list(self, rule: Callable[[], Term] | None = None) -> Term:
        rule = rule or self.choice
        parts = [rule()]
        while self.peek()[1] == ",":
            self.take()
            parts.append(rule())
        return parts[0] if len(parts) == 1 else Term("list", "", tuple(parts))

    def choice(self) -> Term:
        value = self.logic()
        if self.peek()[1] != "if":
            return value
        self.take("if")
        condition = self.logic()
        self.take("else")
        return Term("choice", "", (value, condition, self.choice()))

    def logic(self) -> Term:
        return self.binary(self.relation, LEVELS[0])

    def relation(self) -> Term:
        parts, signs = [self.sum()], []
        while self.peek()[1] in LEVELS[1]:
            signs.append(self.take())
            parts.append(self.sum())
        return Term("relation", " ".join(signs), tuple(parts)) if signs else parts[0]

    def sum(self) -> Term:
        closing = "|" if self.bars else ""
        return self.binary(self.signed, tuple([sign for sign in LEVELS[2] if sign != closing]))

    def signed(self) -> Term:
        if self.peek()[1] == "−":
            self.take()
            return Term("minus", "−", (self.product(),))
        return self.product()

    def product(self) -> Term:
        return self.binary(self.factor, PRODUCTS)

    def binary(self, rule: Callable[[], Term], signs: tuple[str, ...]) -> Term:
        found = rule()
        while self.peek()[1] in signs:
            sign = self.take()
            found = Term("binary", sign, (found, rule()))
        return found

    def factor(self) -> Term:
        kind, written = self.peek()
        if kind == "name" and written in BIG:
            start = self.at
            self.take()
            if self.adjoins("lowered") or self.adjoins("under"):
                return Term("big", written, (self.under(), self.product()))
            self.at = start
        return self.postfixed()

    def under(self) -> Term:
        """What a sum runs over: indices, or a condition whose first letter is the index."""
        if self.adjoins("lowered"):
            return self.lowered()
        self.take("_{")
        under = self.list()
        self.take("}")
        return under

    def lowered(self) -> Term:
        """Indices that are written as subscripts: `ᵢⱼ`, `ᵢ₊ₖ`."""
        plain = "".join(_LOWERED[char] for char in self.take())
        parts = [_small(part) for part in re.findall(r"(?:[a-z]|\d+)(?:[+−](?:[a-z]|\d+))*", plain)]
        return parts[0] if len(parts) == 1 else Term("list", "", tuple(parts))

    def postfixed(self) -> Term:
        found = self.atom()
        while True:
            if self.adjoins("lowered"):
                found = Term("places", "", (found, self.lowered()))
            elif self.adjoins("transposed"):
                found = Term("transpose", self.take(), (found,))
            elif self.adjoins("raised"):
                plain = "".join(_RAISED[char] for char in self.take())
                found = Term("power", "", (found, _Parser(plain).list()))
            elif self.adjoins("sign", "[") and found.kind in ("name", "gradient", "tangent"):
                self.take()
                found = Term("places", "[]", (found, self.enclosed(self.list, "]")))
            else:
                return found

    def enclosed(self, rule: Callable[[], Term], closing: str) -> Term:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotationError("it is nested too deeply")
        bars, self.bars = self.bars, int(closing == "|")
        inner = rule()
        self.take(closing)
        self.bars = bars
        self.depth -= 1
        return inner

    def atom(self) -> Term:
        kind, written = self.peek()
        self.take()
        if kind == "number":
            number = Term("number", written)
            if written.isdigit() and self.adjoins("name") and self.peek()[1] not in BIG | KEYWORDS:
                return Term("binary", "", (number, self.postfixed()))
            return number
        if kind == "name" and written not in KEYWORDS:
            return self.named(written)
        if written == "(":
            return Term("group", "", (self.enclosed(self.list, ")"),))
        if written == "[":
            return Term("truth", "", (self.enclosed(self.choice, "]"),))
        if written in FENCES:
            return Term("fence", written, (self.enclosed(self.sum, FENCES[written]),))
        if written == "√":
            return Term("root", written, (self.postfixed(),))
        if written in ("~", "∂"):
            return Term("not", written, (self.postfixed(),))
        raise NotationError(f"{written!r} was not expected in {self.source!r}")

    def named(self, written: str) -> Term:
        """A letter, a name, or a function and what it is of."""
        if written.endswith(BAR):
            return Term("gradient", written.removesuffix(BAR))
        order: tuple[Term, ...] = ()
        if written == "log" and self.adjoins("lowered"):
            written += self.take()
        elif written == "ψ" and self.adjoins("raised"):  # its nth derivative
            plain = "".join(_RAISED[char] for char in self.take()).strip("()")
            order = (_small(plain),)
        is_function = len(written.rstrip("'")) > 1 or written[0] in "Γψ"
        if is_function and not re.fullmatch("d.", written) and self.begins_a_term():
            of = self.factor()
            parts = of.parts if of.kind == "group" else ()
            if parts and parts[0].kind == "list":
                return Term("call", written, (*order, *parts[0].parts))
            return Term("call", written, (*order, of))
        if re.fullmatch("d[^\\W\\d_]", written):
            return Term("tangent", written[1])
        return Term("name", written)

    def begins_a_term(self) -> bool:
        if self.adjoins("lowered") or self.adjoins("sign", "["):
            return False
        kind, written = self.peek()
        if kind == "name":
            return written not in KEYWORDS
        return kind == "number" or written in ("(", "√") or (written == "|" and not self.bars)


def _small(plain: str) -> Term:
    """A sum of letters and numbers, as it stands in a subscript."""
    return _Parser(plain).sum()


# As text -----------------------------------------------------------------------------------------


def as_written(leaf: Term) -> str:
    """A name, with its bar or its d."""
    mark = BAR if leaf.kind == "gradient" else ""
    return ("d" if leaf.kind == "tangent" else "") + leaf.sign + mark


def text(term: Term | Equation, leaf: Callable[[Term], str] = as_written) -> str:
    """A formula in the notation that it was read from.

    Args:
        leaf: what is written for a name, a gradient, a tangent: its number, for example.

    Example:
        >>> text(equations("x̄ = ȳ·(1 − y²)")[0], lambda term: "2" if term.sign == "y" else "x̄")
        'x̄ = 2·(1 − 2²)'
    """
    if isinstance(term, Equation):
        return f"{text(term.left, leaf)} {term.sign} {text(term.right, leaf)}"
    return unicodedata.normalize("NFC", _text(term, leaf))


def _text(term: Term, leaf: Callable[[Term], str]) -> str:
    kind, sign, parts = term
    if kind in ("name", "gradient", "tangent"):
        return leaf(term)
    if kind == "places":
        indices = _text(parts[1], as_written)
        return _text(parts[0], leaf) + (f"[{indices}]" if sign else _mapped(indices, _TO_LOWERED))
    words = [_text(part, leaf) for part in parts]
    if kind == "call":
        if sign == "ψ" and len(words) > 1:
            sign += _mapped(f"({words.pop(0)})", _TO_RAISED)
        if len(words) > 1:
            return f"{sign}({', '.join(words)})"
        return sign + words[0] if words[0].startswith("(") else f"{sign} {words[0]}"
    if kind == "big":
        under = _mapped(words[0], _TO_LOWERED)
        return f"{sign}{under or f'_{{{words[0]}}}'} {words[1]}"
    if kind == "power":
        is_written = words[1] == _text(parts[1], as_written)  # and no number in its place
        raised = _mapped(words[1], _TO_RAISED) if is_written else ""
        return words[0] + (raised or f"^({words[1].replace(' ', '')})")
    if kind == "binary":
        is_tight = sign in ("·", "/", "")
        return words[0] + (_between(sign, words[1]) if is_tight else f" {sign} ") + words[1]
    if kind == "relation":
        return (
            "".join(f"{word} {each} " for word, each in zip(words, sign.split(), strict=False))
            + words[-1]
        )
    if kind == "list":
        return ", ".join(words)
    return _SHAPES[kind].format(*words, sign=sign, closing=FENCES.get(sign))


_SHAPES = {
    "number": "{sign}",
    "minus": "−{}",
    "not": "{sign}{}",
    "root": "√{}",
    "transpose": "{}ᵀ",
    "truth": "[{}]",
    "group": "({})",
    "fence": "{sign}{}{closing}",
    "choice": "{} if {} else {}",
}


def _chained(words: list[str], signs: list[str]) -> str:
    """`a ≤ x ≤ b`."""
    steps = zip(signs, words[1:], strict=True)
    return " ".join([words[0], *[f"{sign} {word}" for sign, word in steps]])


def _between(sign: str, following: str) -> str:
    """What stands between two factors: nothing in `2y`, but a dot in `2·3`."""
    return sign if sign or following[0].isalpha() else "·"


def _mapped(plain: str, table: dict[str, str]) -> str:
    """The text as subscript or superscript; empty, if there are no such letters."""
    chars = [table.get(char, "") for char in plain if char not in ", "]
    return "".join(chars) if all(chars) else ""


# As LaTeX ----------------------------------------------------------------------------------------

_COMMANDS = {
    "½": r"\tfrac12", "∞": r"\infty", "…": r"\dots", "Σ": r"\sum", "Π": r"\prod",
    "α": r"\alpha", "β": r"\beta", "ε": r"\varepsilon", "μ": r"\mu", "σ": r"\sigma",
    "Γ": r"\Gamma", "ψ": r"\psi", "ψ'": r"\psi'",
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log₂": r"\log_2",
    "log₁₀": r"\log_{10}",
    "∧": r"\wedge", "∨": r"\vee", "⊕": r"\oplus", "≠": r"\ne", "≤": r"\le", "≥": r"\ge",
    "∈": r"\in", "∃": r"\exists", "∀": r"\forall", "∂": r"\partial", "−": "-",
    "&": r"\mathbin{\&}", "|": r"\mathbin{|}",
    "^": r"\oplus", "×": r"\times", "mod": r"\bmod", "~": r"\mathord{\sim}",
}  # fmt: skip
_COMMANDS |= {
    name: f"\\{name}"
    for name in ["cos", "cosh", "exp", "ln", "max", "min", "sin", "sinh", "tan", "tanh"]
}
_LATEX = {
    "number": "{sign}",
    "minus": "-{}",
    "not": "{sign} {}",
    "truth": "[{}]",
    "group": "({})",
    "choice": r"{}\ \text{{if}}\ {}\ \text{{else}}\ {}",
    "transpose": r"{}^\top",
}
_LATEX_FENCES = {"|": "|{}|", "⌊": r"\lfloor {} \rfloor", "⌈": r"\lceil {} \rceil"}


def latex(term: Term | Equation) -> str:
    r"""A formula as LaTeX.

    Example:
        >>> print(latex(equations("x̄ᵢ = ȳ·exp(xᵢ − y)")[0]))
        \bar x_i = \bar y\,e^{x_i - y}
    """
    if isinstance(term, Equation):
        sign = "=" if term.sign == "=" else r"\sim"
        return f"{latex(term.left)} {sign} {latex(term.right)}"
    kind, sign, parts = term
    if kind in ("name", "gradient", "tangent"):
        accent = {"name": "", "gradient": r"\bar ", "tangent": r"\dot "}[kind]
        return accent + _latex_name(sign)
    words = [latex(part) for part in parts]
    if kind == "places":
        return words[0] + _script("_", parts[1])
    if kind == "power":
        return words[0] + _script("^", parts[1])
    if kind == "binary":
        return _latex_binary(sign, parts)
    if kind == "call":
        return _latex_call(sign, parts)
    if kind == "big":
        under = f" {words[0]}:" if sign in "∃∀" else _script("_", parts[0])
        body = latex(_bare(parts[1])) if sign in "∃∀" else words[1]
        return f"{_command(sign)}{under} {body}"
    if kind == "relation":
        signs = [_COMMANDS.get(each, each) for each in sign.split()]
        return (
            "".join(f"{word} {each} " for word, each in zip(words, signs, strict=False)) + words[-1]
        )
    if kind == "fence":
        return _LATEX_FENCES[sign].format(*words)
    if kind == "list":
        return ", ".join(words)
    if kind == "root":
        return f"\\sqrt{{{latex(_bare(parts[0]))}}}"
    return _LATEX[kind].format(*words, sign=_COMMANDS.get(sign, sign))


def _latex_name(name: str) -> str:
    if len(name) == 1:
        return _COMMANDS.get(name, name)
    return _upright("mathrm", name)


def _command(function: str) -> str:
    return _COMMANDS.get(function) or _upright("operatorname", function)


def _upright(command: str, name: str) -> str:
    escaped = name.replace("_", r"\_")
    return f"\\{command}{{{escaped}}}"


def _script(mark: str, term: Term) -> str:
    """A subscript or superscript; letters need no comma between them."""
    words = [latex(part) for part in (term.parts if term.kind == "list" else (term,))]
    script = ("" if all(len(word) == 1 for word in words) else r",\,").join(words)
    return mark + (script if len(script) == 1 else f"{{{script}}}")


def _bare(term: Term) -> Term:
    """What stands in the parentheses, where LaTeX needs none."""
    return term.parts[0] if term.kind == "group" else term


def _latex_binary(sign: str, parts: tuple[Term, ...]) -> str:
    if sign == "/":
        return f"\\frac{{{latex(_bare(parts[0]))}}}{{{latex(_bare(parts[1]))}}}"
    left, right = latex(parts[0]), latex(parts[1])
    if sign not in ("·", ""):
        return f"{left} {_COMMANDS.get(sign, sign)} {right}"
    if right[0].isdigit():
        return rf"{left} \cdot {right}"
    is_apart = right.startswith(("(", "\\sum", "\\prod"))
    is_apart |= parts[1].kind == "call" and parts[1].sign not in ("exp", "conj", "Γ", "ψ")
    return f"{left} {right}" if is_apart else f"{left}\\,{right}"


def _latex_call(function: str, parts: tuple[Term, ...]) -> str:
    if function == "exp":
        return f"e^{{{latex(_bare(parts[0]))}}}"
    if function == "ψ" and len(parts) > 1:
        return f"\\psi^{{({latex(parts[0])})}}{latex(parts[1])}"
    if function == "conj":
        return f"\\overline{{{latex(_bare(parts[0]))}}}"
    words, name = ", ".join(latex(part) for part in parts), _command(function)
    if len(parts) > 1:
        return f"{name}({words})"
    return f"{name}{'' if parts[0].kind == 'group' else ' '}{words}"
