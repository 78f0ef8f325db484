"""How sentences put things: names that may hold anything, numbers, shapes, counts, lists.

Errors, the terminal, pictures and pages say them in the same way.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from glassgrad.core.errors import GlassgradError

LONGEST_NAME = 28  # of a box
LONGEST = 60  # of a name in a sentence

# What must not be shown as it is: control characters (a terminal obeys them, XML forbids most),
# marks that are not seen or turn the direction of the text around them, ends of lines, halves of
# surrogate pairs, non-characters. The page has the same list, in `elements.js`.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufffe\uffff]"
)


def plain(text: str, longest: int = LONGEST_NAME) -> str:
    r"""`text` on one line, printable, and no longer than `longest` characters.

    Example:
        >>> plain("a name that goes on", 12), plain("a\nb\x1b")
        ('a name that…', 'a\\x0ab\\x1b')
    """
    # Cut first: a name of a million characters costs no more than one of thirty.
    text = UNPRINTABLE.sub(_escape, text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def printable(text: str) -> str:
    r"""A whole text, with names in it: its lines and tabs stay what they are.

    Example:
        >>> printable("a\x1bb\n\tc")
        'a\\x1bb\n\tc'
    """
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] in "\n\t" else _escape(found), text)


GlassgradError.printable = staticmethod(printable)  # type: ignore[assignment]  # text of text, too


def _escape(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def one_line(text: str, longest: int) -> str:
    r"""A message as a part of a sentence: like `plain`, but that white space is a space.

    Example:
        >>> one_line("first\n  second", 20)
        'first second'
    """
    return plain(" ".join(text[: 4 * longest].split()), longest)


def op_in(name: str) -> str:
    """The op that a node is of, by its name: "Mul" for "MulBackward0"."""
    return name.rpartition("Backward")[0] or name


def listed(parts: Sequence[str], last: str = " and ", most: int | None = None) -> str:
    """Parts of a sentence.

    Example:
        >>> listed(["w"]), listed(["v", "w", "b"]), listed(["v", "w", "b"], most=2)
        ('w', 'v, w and b', 'v, w and 1 more')
    """
    if most is not None and len(parts) > most:
        parts = [*parts[:most], f"{len(parts) - most} more"]
    return last.join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def counted(count: int, noun: str, nouns: str = "") -> str:
    """A number of things.

    Example:
        >>> counted(1, "node"), counted(1_200, "node"), counted(2, "leaf", "leaves")
        ('1 node', '1,200 nodes', '2 leaves')
    """
    return f"{count:,} {noun if count == 1 else nouns or f'{noun}s'}"


def shape_text(shape: Iterable[int]) -> str:
    """A shape as Python writes it.

    Example:
        >>> shape_text([3]), shape_text([]), shape_text([2, 3])
        ('(3,)', '()', '(2, 3)')
    """
    return str(tuple(shape))


def bytes_text(count: int) -> str:
    """A number of bytes in three digits.

    Example:
        >>> bytes_text(16), bytes_text(12_800), bytes_text(3_000_000)
        ('16 B', '12.8 kB', '3 MB')
    """
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


_LARGE = 1e6  # from there on numbers have an exponent
_WHOLE = 4  # a number of so many digits is not made shorter


def number_text(value: Any, digits: int = 3) -> str:
    """A number in so many significant digits; an integer and what is no number as it is.

    Example:
        >>> [number_text(value) for value in (0.761594, 1250.0, -0.0, 2e-7, "nan")]
        ['0.762', '1250', '0', '2e-7', 'nan']
        >>> number_text("2.71828-4.01e-08j"), number_text("0-0.5j")
        ('2.72', '-0.5j')
    """
    if isinstance(value, str) and value.endswith("j"):
        return _complex_text(complex(value), digits)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < _LARGE:
        return str(int(value))
    if float(f"{value:.{_WHOLE}g}") == value:
        digits = max(digits, _WHOLE)
    size = math.floor(math.log10(abs(value)))
    if not -5 < size < math.log10(_LARGE):
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{_short(mantissa)}e{int(power)}"
    return _short(f"{value:.{max(digits - 1 - size, 0)}f}")


def _complex_text(value: complex, digits: int) -> str:
    """A complex number without what is rounding beside its larger part."""
    size = max(abs(value.real), abs(value.imag))
    if size == 0 or not math.isfinite(size):
        return "0" if size == 0 else str(value).strip("()")
    places = digits - 1 - math.floor(math.log10(size))
    real, imag = (number_text(round(part, places), digits) for part in (value.real, value.imag))
    if imag == "0":
        return real
    return f"{'' if real == '0' else real}{'' if real == '0' or imag[0] == '-' else '+'}{imag}j"


def nested(texts: Iterable[str], shape: Sequence[int]) -> str:
    """The elements of an array as nested lists.

    Example:
        >>> nested(["1", "2", "3", "4"], [2, 2])
        '[[1, 2], [3, 4]]'
    """
    texts = [*texts]
    if not shape:
        return texts[0]
    step = len(texts) // shape[0] if shape[0] else 0
    parts = [nested(texts[at * step : (at + 1) * step], shape[1:]) for at in range(shape[0])]
    return f"[{', '.join(parts)}]"


def _short(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
