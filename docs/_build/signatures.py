"""Long signatures, in lines as ruff breaks them.

mkdocstrings starts ruff for each, hundreds of times. Nearly all of them are broken at their commas
alone: these are broken here, the others by ruff.
"""

import re
from collections.abc import Callable

from mkdocstrings_handlers.python._internal import rendering

Formatter = Callable[[str, int], str]
WHOLE = re.compile(r"(def x+\()([^\n']+)(\)(?: -> [^\n()']+)?:) pass")
ruff: Formatter = rendering._get_formatter()


def install() -> None:
    """Have mkdocstrings break signatures by `broken`."""
    rendering._get_formatter = lambda: broken


def broken(code: str, width: int) -> str:
    """A function that is too long for a line, in several."""
    if (found := WHOLE.fullmatch(code)) is None:
        return ruff(code, width)
    opening, between, closing = found.groups()
    arguments = _parts(between)
    rows = [", ".join(arguments)]
    if len(arguments) == 1 or len(rows[0]) + 4 > width:
        rows = [f"{argument}," for argument in arguments]
    lines = [opening, *(f"    {row}" for row in rows), closing]
    if max(map(len, lines)) > width:
        return ruff(code, width)
    return "\n".join([*lines, "    pass\n"])


def _parts(arguments: str) -> list[str]:
    """The arguments, which commas separate that are inside of nothing."""
    parts, depth, is_text = [""], 0, False
    for sign in arguments:
        is_text ^= sign == '"'
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth and not is_text:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]
