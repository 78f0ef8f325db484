r"""Formulas as MathML, which every browser typesets by itself: no script, no fonts, no network.

The ops write their formulas in a small part of LaTeX: letters, scripts, accents, fractions, roots
and some sixty commands. That is what is read here. KaTeX would typeset all of LaTeX, at the price
of 273 kB of JavaScript and 1.2 MB of fonts in each page; the general translators to MathML leave no
space around `\ln`, stretch the bar of `\bar x`, and need half as much markup again.

What cannot be read, in a `latex` of a user's Function for example, is shown as it was written.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from glassgrad.viz.wording import escape, plain

__all__ = ["mathml"]

LONGEST = 2_000  # characters of a formula
DEEPEST = 20  # braces inside of braces

_TOKEN = re.compile(r"\\([A-Za-z]+|.)|(\d+(?:\.\d+)?)|(\s+)|(.)", re.DOTALL)


def _table(names: str) -> dict[str, str]:
    """`"mu μ xi ξ"` as a dict."""
    words = names.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_LETTERS = _table("""
    Gamma Γ mu μ psi ψ sigma σ varepsilon ε xi ξ alpha α beta β gamma γ delta δ epsilon ϵ theta θ
    lambda λ nu ν pi π rho ρ tau τ phi ϕ omega ω infty ∞ partial ∂ top ⊤ dots … ldots …
""")
_FUNCTIONS = {"arccos", "arcsin", "arctan", "arg", "cos", "cosh", "det", "exp", "lim", "ln", "log"}
_FUNCTIONS |= {"max", "min", "sin", "sinh", "tan", "tanh"}

# By class of atom, as TeX has it: what a command or a character is, and what is written for it.
_CLASSES = {
    "bin": "+ + * * - − & & cdot · circ ∘ oplus ⊕ times × vee ∨ wedge ∧ odot ⊙",
    "rel": "= = < < > > : : ge ≥ le ≤ ne ≠ in ∈ sim ∼ to →",
    "open": "( ( [ [ { { lceil ⌈ lfloor ⌊ forall ∀ exists ∃ neg ¬",
    "close": ") ) ] ] } } ! ! % % rceil ⌉ rfloor ⌋",
    "punct": ", , ; ;",
    "op": "sum ∑ prod ∏ int ∫",
    "tight": "/ /",
    "bar": "| |",
}
_OPERATORS = {
    name: (text, kind) for kind, names in _CLASSES.items() for name, text in _table(names).items()
}
_SPACES = {",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.4em", "quad": "1em"}
# As `accent="true"` they would lie on the letters in fonts without a table of mathematics.
_ACCENTS = {"bar": "¯", "dot": "˙", "hat": "^", "tilde": "~", "overline": "¯", "vec": "→"}
_SIZES = {"bigl", "bigr", "Bigl", "Bigr", "left", "right"}  # of the bracket that follows
_FONTS = ("operatorname", "mathrm", "text", "mathbin", "mathord", "mathbf")


class _Unreadable(Exception):  # noqa: N818  # answered by showing the source
    """A formula in more LaTeX than is read here."""


class _Atom(NamedTuple):
    """A piece of MathML, with its class: what is left free around it depends on that."""

    markup: str
    kind: str = "ord"


@lru_cache(maxsize=1024)
def mathml(tex: str) -> str:
    r"""A LaTeX formula as a `<math>` element; several, where a line may end behind a comma.

    Args:
        tex: the formula, without `$` around it. It may be anything: no markup in it gets through.

    Example:
        >>> mathml(r"\bar y\,x^2")  # doctest: +NORMALIZE_WHITESPACE
        '<math><mover><mi>y</mi><mo>¯</mo></mover><mspace
         width="0.17em"/><msup><mi>x</mi><mn>2</mn></msup></math>'
        >>> mathml(r"\unknown")
        '<math><mtext>\\unknown</mtext></math>'
    """
    try:
        return " ".join(f"<math>{_read(part)}</math>" for part in _parts(tex))
    except _Unreadable:
        return f"<math><mtext>{escape(plain(tex, LONGEST))}</mtext></math>"


def _parts(tex: str) -> list[str]:
    """The formulas of a list; browsers break no line inside of one."""
    parts = tex.split(",\\ ")
    if any(part.count("{") != part.count("}") for part in parts):
        return [tex]
    return [f"{part}," for part in parts[:-1]] + parts[-1:]


def _read(tex: str) -> str:
    if len(tex) > LONGEST:
        raise _Unreadable
    parser = _Parser(tex)
    markup = parser.row()
    if not parser.is_done():
        raise _Unreadable  # a brace too many
    return markup


class _Parser:
    """Reads a formula from left to right."""

    def __init__(self, tex: str) -> None:
        self.tokens = [_token(found) for found in _TOKEN.finditer(tex)]
        self.at = 0
        self.depth = 0

    def is_done(self) -> bool:
        return self.at == len(self.tokens)

    def peek(self) -> tuple[str, str]:
        return ("", "end") if self.is_done() else self.tokens[self.at]

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def row(self) -> str:
        """Atoms up to a closing brace or the end."""
        atoms: list[_Atom] = []
        bar_is_open = False
        while self.peek() not in (("", "end"), ("}", "char")):
            atom = self.atom()
            if atom.kind == "bar":
                bar_is_open = not bar_is_open
                atom = _fence("|", "open" if bar_is_open else "close")
            if atom.markup:
                atoms.append(self.with_scripts(atom))
        return _spaced(atoms)

    def atom(self) -> _Atom:
        text, sort = self.take()
        if sort == "space":
            return _Atom("")
        if sort == "number":
            return _Atom(f"<mn>{text}</mn>")
        if sort == "command":
            return self.command(text)
        if text == "{":
            return self.group()
        if text in _OPERATORS:
            return _operator(text)
        if text == "~":
            return _Atom('<mspace width="0.4em"/>', "space")
        if text.isalpha():
            return _Atom(f"<mi>{text}</mi>")
        raise _Unreadable

    def group(self) -> _Atom:
        """What stands between braces; an operator in braces has no space around it."""
        markup = self.inside()
        alone = re.fullmatch(r"<mo(?: form=\"prefix\")?>([^<]+)</mo>", markup)
        if alone:
            return _Atom(f'<mo lspace="0" rspace="0">{alone[1]}</mo>')
        return _Atom(f"<mrow>{markup}</mrow>" if _is_several(markup) else markup or "<mrow/>")

    def inside(self) -> str:
        """The row up to the closing brace, the opening one being read."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Unreadable
        markup = self.row()
        if self.take() != ("}", "char"):
            raise _Unreadable
        self.depth -= 1
        return markup

    def argument(self) -> str:
        """What a command or a script applies to: a group, or the next atom."""
        while self.peek()[1] == "space":
            self.take()
        text, sort = self.peek()
        if sort == "end":
            raise _Unreadable
        if sort == "number" and len(text) > 1:  # `\tfrac12` is a half
            self.tokens[self.at] = text[1:], sort
            return f"<mn>{text[0]}</mn>"
        return self.atom().markup or "<mrow/>"

    def word(self) -> str:
        """The letters between braces, as they are."""
        if self.take() != ("{", "char"):
            raise _Unreadable
        parts = []
        while (token := self.take()) != ("}", "char"):
            if token[1] in ("end", "command") and token[0] not in ("&", "sim", " ", "_"):
                raise _Unreadable
            parts.append({"sim": "∼"}.get(token[0], token[0]))
        return "".join(parts)

    def command(self, name: str) -> _Atom:
        if name in _SPACES:
            return _Atom(f'<mspace width="{_SPACES[name]}"/>', "space")
        if name in _LETTERS:
            return _Atom(f"<mi>{_LETTERS[name]}</mi>")
        if name in _FUNCTIONS:
            return _Atom(f"<mi>{name}</mi>", "op")
        if name in _OPERATORS:
            return _operator(name)
        if name in _ACCENTS:
            return _Atom(f"<mover>{self.argument()}<mo>{_ACCENTS[name]}</mo></mover>")
        if name in _SIZES:
            return self.atom()
        if name in _FONTS:
            return _in_font(name, self.word())
        other: Callable[[], _Atom] | None = getattr(self, f"on_{name}", None)
        if other is None:
            raise _Unreadable
        return other()

    def on_frac(self) -> _Atom:
        return _Atom(f"<mfrac>{self.argument()}{self.argument()}</mfrac>")

    on_tfrac = on_frac

    def on_sqrt(self) -> _Atom:
        return _Atom(f"<msqrt>{self.argument()}</msqrt>")

    def on_textstyle(self) -> _Atom:
        return _Atom("")  # the formulas stand in lines of text anyway

    def on_bmod(self) -> _Atom:
        return _Atom('<mo lspace="0.22em" rspace="0.22em">mod</mo>', "bin")

    def with_scripts(self, atom: _Atom) -> _Atom:
        """The atom with what is written below and above to its right."""
        below = above = ""
        while self.peek() in (("_", "char"), ("^", "char"), ("'", "char")):
            mark = self.take()[0]
            if mark == "_" and not below:
                below = self.argument()
            elif mark == "^" and not above:
                above = self.argument()
            elif mark == "'":
                above += "<mo>′</mo>"
            else:
                raise _Unreadable  # two of a kind
        if not below and not above:
            return atom
        tag = "msubsup" if below and above else "msub" if below else "msup"
        return _Atom(f"<{tag}>{atom.markup}{below}{above}</{tag}>", atom.kind)


def _token(found: re.Match[str]) -> tuple[str, str]:
    command, number, space, char = found.groups()
    if command is not None:
        return command, "command"
    if number is not None:
        return number, "number"
    return (" ", "space") if space is not None else (char, "char")


def _operator(name: str) -> _Atom:
    text, kind = _OPERATORS[name]
    if kind == "bar":
        return _Atom("|", kind)
    if kind in ("open", "close"):
        return _fence(text, kind)
    if kind == "tight":
        return _Atom(f'<mo lspace="0" rspace="0">{text}</mo>', "bin")
    return _Atom(f"<mo>{escape(text)}</mo>", kind)


def _fence(text: str, kind: str) -> _Atom:
    form = "prefix" if kind == "open" else "postfix"
    return _Atom(f'<mo form="{form}" stretchy="false">{text}</mo>', kind)


def _in_font(name: str, text: str) -> _Atom:
    if name == "text":
        return _Atom(f"<mtext>{escape(text)}</mtext>")
    if name == "mathbin":
        return _Atom(f'<mo lspace="0.22em" rspace="0.22em">{escape(text)}</mo>', "bin")
    if name == "mathord":
        return _Atom(f"<mi>{escape(text)}</mi>")
    upright = ' mathvariant="normal"' if len(text) == 1 else ""
    return _Atom(f"<mi{upright}>{escape(text)}</mi>", "op" if name == "operatorname" else "ord")


def _is_several(markup: str) -> bool:
    """Whether the markup is more than one element."""
    depth = 0
    for found in re.finditer(r"<(/?)\w+[^>]*?(/?)>", markup):
        if found[1]:
            depth -= 1
        elif not found[2]:
            depth += 1
        if depth == 0:
            return found.end() < len(markup)
    return False


def _spaced(atoms: list[_Atom]) -> str:
    """The atoms of a row, with TeX's thin spaces, and signs told from differences."""
    parts = []
    before = "start"
    for at, atom in enumerate(atoms):
        after = atoms[at + 1].kind if at + 1 < len(atoms) else "end"
        markup, kind = atom
        is_sign = kind == "bin" and before in ("start", "bin", "rel", "open", "punct", "op")
        if is_sign and markup == "<mo>−</mo>":
            markup = '<mo form="prefix">−</mo>'
        if kind == "op" and before in ("ord", "close"):
            parts.append('<mspace width="0.17em"/>')
        parts.append(markup)
        if kind == "op" and after in ("ord", "op"):
            parts.append('<mspace width="0.17em"/>')
        before = kind if not (kind == "op" and after in ("ord", "op")) else "space"
    return "".join(parts)
