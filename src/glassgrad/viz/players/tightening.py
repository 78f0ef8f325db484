"""A script without what only people read: for a page, which carries it every time."""

import re

__all__ = ["tight"]

# What is no code, and stays: strings, templates (a template within one, too), regular expressions.
# Comments are found with them: a string may hold what looks like one.
_KEPT = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|//[^\n]*"""
    r"""|`(?:\\.|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}|[^`\\])*`"""
    r"""|(?<=[(,=:!])[ ]?/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[\n])+/[a-z]*)"""
)
_SIGNS = re.compile(r" ?([=*%<>!&|?:;,(){}\[\]]) ?")
_SUMS = re.compile(r"(?<![+-]) ([+-]=?) (?![+-])")  # `a - -b` is not `a--b`
_BREAKS = re.compile(r"(?<=[{;,(\[])\n|\n(?=[)}\].?:&|])")  # where no statement could end


def tight(source: str) -> str:
    r"""The same script without comments, indentation, and spaces and breaks that nobody needs.

    Names stay: it can still be read in a browser's inspector.

    Args:
        source: JavaScript as in `static/`: with semicolons, and strings in double quotes.

    Example:
        >>> tight('const a = [1, 2]; // two\nif (a - -b) {\n  say(" = ", `${a} `);\n}')
        'const a=[1,2];if(a - -b){say(" = ",`${a} `);}'
    """
    bare = _KEPT.sub(lambda part: "" if part[0].startswith("//") else part[0], source)
    bare = "\n".join(line.strip() for line in bare.splitlines() if line.strip())
    parts = _KEPT.split(bare)
    parts[::2] = [_dense(code) for code in parts[::2]]
    return "".join(parts)


def _dense(code: str) -> str:
    return _BREAKS.sub("", _SUMS.sub(r"\1", _SIGNS.sub(r"\1", code)))
