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

from glassgrad.viz.wording import escape, plain

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


_LETTERS = _table("""
    Gamma Γ mu μ psi ψ sigma σ varepsilon ε xi ξ alpha α beta β gamma γ delta δ epsilon ϵ theta θ
    lambda λ nu ν pi π rho ρ tau τ phi ϕ omega ω infty ∞ partial ∂ top ⊤ dots … ldots …
""")
_FUNCTIONS = "arccos arcsin arctan arg cos cosh det exp lim ln log max min sin sinh tan tanh"
# By class of atom, as TeX has it: what a command or a character is, and what is written for it.
_CLASSES = {
    "bin": "+ + * * - − & & cdot · circ ∘ oplus ⊕ times × vee ∨ wedge ∧ odot ⊙",
    "rel": "= = < < > > : : ge ≥ le ≤ ne ≠ in ∈ sim ∼ to →",
    "open": "( ( [ [ { { lceil ⌈ lfloor ⌊ forall ∀ exists ∃ neg ¬",
    "close": ") ) ] ] } } ! ! % % rceil ⌉ rfloor ⌋",
    "punct": ", , ; ;",
    "op": "sum ∑ prod ∏ int ∫",
    "bar": "| |",
}
_FORMS = {
    "open": ' form="prefix" stretchy="false"',
    "close": ' form="postfix" stretchy="false"',
}
_SPACES = {r"\,": "0.17em", r"\:": "0.22em", r"\;": "0.28em", r"\ ": "0.4em", "~": "0.4em"}
_ATOMS = {
    "/": _Atom('<mo lspace="0" rspace="0">/</mo>', "bin"),
    "bmod": _Atom('<mo lspace="0.22em" rspace="0.22em">mod</mo>', "bin"),
    **{name: _Atom(f"<mi>{letter}</mi>") for name, letter in _LETTERS.items()},
    **{name: _Atom(f"<mi>{name}</mi>", "op") for name in _FUNCTIONS.split()},
}
for _kind, _names in _CLASSES.items():
    for _name, _sign in _table(_names).items():
        _ATOMS[_name] = _Atom(f"<mo{_FORMS.get(_kind, '')}>{escape(_sign)}</mo>", _kind)
for _name, _width in [*_SPACES.items(), ("quad", "1em")]:
    _ATOMS[_name] = _Atom(f'<mspace width="{_width}"/>', "space")
_OPERATORS = {kind for kind in _CLASSES if kind != "op"}

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
    try:
        return " ".join(f"<math>{_Parser(part).all()}</math>" for part in _parts(tex))
    except (_Unreadable, RecursionError):
        return f"<math><mtext>{escape(plain(tex, LONGEST))}</mtext></math>"


def _parts(tex: str) -> list[str]:
    """The formulas of a list; browsers break no line inside of one."""
    parts = tex.split(",\\ ")
    if any(part.count("{") != part.count("}") for part in parts):
        return [tex]
    return [f"{part}," for part in parts[:-1]] + parts[-1:]


class _Parser:
    """Reads a formula from left to right."""

    def __init__(self, tex: str) -> None:
        if len(tex) > LONGEST:
            raise _Unreadable
        self.tokens: list[str] = [*_TOKEN.findall(tex), ""]
        self.at = 0

    def take(self) -> str:
        written: str = self.tokens[self.at]
        self.at += bool(written)
        return written

    def all(self) -> str:
        atoms = self.row()
        if self.take():
            raise _Unreadable  # a brace too many
        return "".join(_spaced(atoms))

    def row(self) -> list[_Atom]:
        """Atoms up to a closing brace or the end."""
        atoms: list[_Atom] = []
        bars = 0
        while self.tokens[self.at] not in ("", "}"):
            atom = self.atom()
            if atom.kind == "bar":
                kind = ("open", "close")[bars % 2]
                bars += 1
                atom = _Atom(f"<mo{_FORMS[kind]}>|</mo>", kind)
            atoms.append(self.with_scripts(atom))
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
        atoms = self.row()
        if self.take() != "}":
            raise _Unreadable
        if len(atoms) == 1 and atoms[0].kind in _OPERATORS:
            sign = re.sub("<.*?>", "", atoms[0].markup)
            return _Atom(f'<mo lspace="0" rspace="0">{sign}</mo>')
        pieces = _spaced(atoms)
        return _Atom(pieces[0] if len(pieces) == 1 else f"<mrow>{''.join(pieces)}</mrow>")

    def argument(self) -> str:
        """What a command or a script applies to: a group, or the next atom."""
        written = self.tokens[self.at]
        if written.isdecimal():  # `\tfrac12` is a half
            self.tokens[self.at] = written[1:]
            self.at += len(written) == 1
            return f"<mn>{written[0]}</mn>"
        return self.atom().markup

    def with_scripts(self, atom: _Atom) -> _Atom:
        """The atom with what is written below and above to its right."""
        scripts = {"_": "", "^": ""}
        while (mark := self.tokens[self.at]) in ("_", "^", "'"):
            self.take()
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


def _spaced(atoms: list[_Atom]) -> list[str]:
    """The atoms of a row, with TeX's thin spaces, and signs told from differences."""
    parts = []
    thin = '<mspace width="0.17em"/>'
    before = "start"
    for (markup, kind), after in pairwise([*atoms, _Atom("", "end")]):
        is_sign = before in ("start", "bin", "rel", "open", "punct", "op")
        if is_sign and markup == "<mo>−</mo>":
            markup = '<mo form="prefix">−</mo>'
        if kind == "op" and before in ("ord", "close"):
            parts.append(thin)
        parts.append(markup)
        before = kind
        if kind == "op" and after.kind in ("ord", "op"):
            parts.append(thin)
            before = "space"
    return parts
