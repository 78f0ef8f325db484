r"""Formulas as MathML, which every browser typesets by itself: no script, no fonts, no network.

The ops' formulas are printed in a small part of LaTeX: letters, scripts, accents, fractions, roots
and some sixty commands. That is what is read here. KaTeX would typeset all of LaTeX, at the price
of 273 kB of JavaScript and 1.2 MB of fonts in each page. latex2mathml leaves no space around `\ln`,
stretches the bar of `\bar x`, writes `&` as it is, which is no XML, and an unknown command as a
letter.

What cannot be read, in a `latex` of a user's Function for example, is shown as it was written.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from glassgrad._words import plain
from glassgrad.viz.wording import escape

LONGEST = 2_000  # characters of a formula


class _Unreadable(Exception):  # noqa: N818  # answered by showing the source
    """A formula in more LaTeX than is read here."""


class _Atom(NamedTuple):
    """A piece of MathML, with its class: what is left free around it depends on that."""

    markup: str
    kind: str = "ord"


def _table(names: str) -> dict[str, str]:
    """`"mu μ xi ξ"` as a dict."""
    words = names.split()
    return dict(zip(words[::2], words[1::2], strict=True))


# By class of atom, as TeX has it: what a command or a character is, and what is written for it.
_CLASSES = {
    "ord": """
        Gamma Γ mu μ psi ψ sigma σ varepsilon ε xi ξ alpha α beta β gamma γ delta δ epsilon ϵ
        theta θ lambda λ nu ν pi π rho ρ tau τ phi ϕ omega ω infty ∞ partial ∂ top ⊤ dots … ldots …
    """,
    "bin": "+ + * * - − & & cdot · circ ∘ oplus ⊕ times × vee ∨ wedge ∧ odot ⊙",
    "rel": "= = < < > > : : ge ≥ le ≤ ne ≠ in ∈ sim ∼ to →",
    "open": "( ( [ [ { { lceil ⌈ lfloor ⌊ forall ∀ exists ∃ neg ¬",
    "close": ") ) ] ] } } ! ! % % rceil ⌉ rfloor ⌋",
    "punct": ", , ; ;",
    "op": "sum ∑ prod ∏ int ∫",
    "bar": "| |",
    "space": r"\, 0.17em \: 0.22em \; 0.28em ~ 0.4em quad 1em",
}
_OPERATORS = {"bin", "rel", "open", "close", "punct", "bar"}
_MARKUP = {
    "ord": "<mi>{}</mi>",
    "open": '<mo form="prefix" stretchy="false">{}</mo>',
    "close": '<mo form="postfix" stretchy="false">{}</mo>',
    "space": '<mspace width="{}"/>',
}
_FUNCTIONS = "arccos arcsin arctan arg cos cosh det exp lim ln log max min sin sinh tan tanh"
_ATOMS = {
    "/": _Atom('<mo lspace="0" rspace="0">/</mo>', "bin"),
    "bmod": _Atom('<mo lspace="0.22em" rspace="0.22em">mod</mo>', "bin"),
    r"\ ": _Atom('<mspace width="0.4em"/>', "space"),
    **{name: _Atom(f"<mi>{name}</mi>", "op") for name in _FUNCTIONS.split()},
}
for _kind, _names in _CLASSES.items():
    for _name, _sign in _table(_names).items():
        _ATOMS[_name] = _Atom(_MARKUP.get(_kind, "<mo>{}</mo>").format(escape(_sign)), _kind)
_APART = {("ord", "op"), ("close", "op"), ("op", "ord"), ("op", "op")}  # by a thin space

# What is made of the arguments of a command. As `accent="true"` accents would lie on the letters in
# fonts without a table of mathematics.
_ACCENTS = _table("bar ¯ dot ˙ hat ^ tilde ~ overline ¯ vec →")
_COMMANDS = {name: f"<mover>{{}}<mo>{sign}</mo></mover>" for name, sign in _ACCENTS.items()}
_COMMANDS |= dict.fromkeys(("frac", "tfrac"), "<mfrac>{}{}</mfrac>")
_COMMANDS["sqrt"] = "<msqrt>{}</msqrt>"
# Of what follows; and the formulas stand in lines of text anyway.
_SIZES = {"bigl", "bigr", "Bigl", "Bigr", "left", "right", "textstyle"}
_FONTS = {
    "text": ("<mtext>{}</mtext>", "ord"),
    "mathbin": ('<mo lspace="0.22em" rspace="0.22em">{}</mo>', "bin"),
    "mathord": ("<mi>{}</mi>", "ord"),
    "operatorname": ("<mi{upright}>{}</mi>", "op"),
    "mathrm": ("<mi{upright}>{}</mi>", "ord"),
    "mathbf": ("<mi{upright}>{}</mi>", "ord"),
}
_IN_WORDS = {r"\&": "&", r"\sim": "∼", r"\ ": " ", r"\_": "_"}
_TOKEN = re.compile(
    rf"""\\(?:{"|".join(_FONTS)}){{(?:[^{{}}\\]|\\[&\ _]|\\sim(?![A-Za-z]))*}}
    |\\(?:[A-Za-z]+|.) | \d+(?:\.\d+)? | \S""",
    re.DOTALL | re.VERBOSE,
)


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
    parts = re.split(r"(?<=,)\\ ", tex)  # browsers break no line inside of a formula
    if any(part.count("{") != part.count("}") for part in parts):
        parts = [tex]
    try:
        return " ".join([f"<math>{_spaced(_Parser(part).row(''))}</math>" for part in parts])
    except (_Unreadable, RecursionError):
        return f"<math><mtext>{escape(plain(tex, LONGEST))}</mtext></math>"


class _Parser:
    """Reads a formula from left to right."""

    def __init__(self, tex: str) -> None:
        if len(tex) > LONGEST:
            raise _Unreadable
        self.tokens = iter(_TOKEN.findall(tex))
        self.now = next(self.tokens, "")

    def take(self) -> str:
        taken, self.now = self.now, next(self.tokens, "")
        return taken

    def row(self, closing: str) -> list[_Atom]:
        """Atoms up to a closing brace or the end, and that."""
        atoms: list[_Atom] = []
        bars = 0
        while self.now not in ("", "}"):
            atom = self.atom()
            if atom.kind == "bar":
                kind = ("open", "close")[bars % 2]
                bars += 1
                atom = _Atom(_MARKUP[kind].format("|"), kind)
            atoms.append(self.with_scripts(atom))
        if self.take() != closing:
            raise _Unreadable
        return atoms

    def atom(self) -> _Atom:
        """What is written for the next token, and what belongs to it."""
        written = self.take()
        name = written.removeprefix("\\")
        if written == "{":
            return self.group()
        if known := _ATOMS.get(written) or _ATOMS.get(name):
            return known
        if written[:1].isdecimal():
            return _Atom(f"<mn>{written}</mn>")
        if written.isalpha():
            return _Atom(f"<mi>{written}</mi>")
        if name in _COMMANDS:
            count = _COMMANDS[name].count("{}")
            return _Atom(_COMMANDS[name].format(*[self.argument() for _ in range(count)]))
        if name in _SIZES:
            return self.atom()
        font, _, word = name.removesuffix("}").partition("{")
        if font == name or font not in _FONTS:
            raise _Unreadable
        word = re.sub(r"\\(?:sim|.)", lambda found: _IN_WORDS[found[0]], word)
        template, kind = _FONTS[font]
        upright = ' mathvariant="normal"' if len(word) == 1 else ""
        return _Atom(template.format(escape(word), upright=upright), kind)

    def group(self) -> _Atom:
        """What stands between braces; an operator in braces has no space around it."""
        atoms = self.row("}")
        if len(atoms) == 1 and atoms[0].kind in _OPERATORS:
            sign = re.sub("<.*?>", "", atoms[0].markup)
            return _Atom(f'<mo lspace="0" rspace="0">{sign}</mo>')
        return _Atom(_spaced(atoms) if len(atoms) == 1 else f"<mrow>{_spaced(atoms)}</mrow>")

    def argument(self) -> str:
        """What a command or a script applies to: a group, or the next atom."""
        if not self.now.isdecimal():
            return self.atom().markup
        digit, self.now = self.now[0], self.now[1:]  # `\tfrac12` is a half
        if not self.now:
            self.take()
        return f"<mn>{digit}</mn>"

    def with_scripts(self, atom: _Atom) -> _Atom:
        """The atom with what is written below and above to its right."""
        scripts = {"_": "", "^": ""}
        while self.now in ("_", "^", "'"):
            mark = self.take()
            if mark == "'":
                scripts["^"] += "<mo>′</mo>"
            elif scripts[mark]:
                raise _Unreadable  # two of a kind
            else:
                scripts[mark] = self.argument()
        tag = ("msub" if scripts["_"] else "m") + ("sup" if scripts["^"] else "")
        if tag == "m":
            return atom
        return _Atom(f"<{tag}>{atom.markup}{''.join(scripts.values())}</{tag}>", atom.kind)


def _spaced(atoms: list[_Atom]) -> str:
    """A row of atoms, with TeX's thin spaces, and signs told from differences."""
    parts = []
    for before, atom in pairwise([_Atom("", "start"), *atoms]):
        if (before.kind, atom.kind) in _APART:
            parts.append('<mspace width="0.17em"/>')
        is_sign = atom.markup == "<mo>−</mo>" and before.kind not in ("ord", "close", "space")
        parts.append('<mo form="prefix">−</mo>' if is_sign else atom.markup)
    return "".join(parts)
