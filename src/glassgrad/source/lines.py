"""Lines of the source: a line as a reader finds it, and the text of its parts."""

import ast
import linecache
import sys
from itertools import islice
from typing import Any

from glassgrad._words import LONGEST, plain
from glassgrad.core.state import Place, Values, is_ours

_LONGEST_LINE = 400


def shown(place: Place) -> str:
    """A place as a reader finds it: "train.py, line 12: `y = w * x`", "cell 3, line 2: …"."""
    code = place[0]
    if is_ours[code.co_filename]:
        return f"inside glassgrad's {code.co_qualname}"
    return line_shown(code.co_filename, span(place)[0])


def line_shown(filename: str, line: int) -> str:
    """A line as a reader finds it."""
    text = linecache.getline(filename, line).strip()
    where = f"{file_name(filename)}, line {line}"
    return plain(f"{where}: `{text}`" if text else where, _LONGEST_LINE)


def line_of(function: Any) -> str:
    """Where a function of the user's begins: "train.py, line 12"."""
    code = function.__code__
    line = code.co_firstlineno
    while linecache.getline(code.co_filename, line).lstrip().startswith("@"):
        line += 1  # a decorator stands before what it decorates
    return f"{plain(file_name(code.co_filename), LONGEST)}, line {line}"


def file_name(filename: str) -> str:
    """A file's name, or the number of the notebook cell."""
    _, is_cell, rest = filename.partition("<ipython-input-")
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    number = rest.partition("-")[0] if is_cell else cells.get(filename)
    return filename.replace("\\", "/").split("/")[-1] if number is None else f"cell {number}"


def text_of(expression: ast.AST) -> str:
    """An expression as it would be written, in one short line."""
    return plain(ast.unparse(expression).partition("\n")[0], LONGEST)


def parsed(filename: str) -> Any:
    """The tree of a file; None if there is none."""
    try:
        text = "".join(linecache.getlines(filename))
        return ast.parse(text) if text else None
    except (SyntaxError, ValueError, RecursionError):  # a cell with magics in it
        return None


def span(place: Place) -> Values:
    """Where an instruction's source begins and ends: lines, then columns; None if unknown.

    It begins where the whole code object does if nothing is known of it.
    """
    code, offset = place
    found = next(islice(code.co_positions(), offset // 2, None), (None,) * 4)
    return found if found[0] else (code.co_firstlineno, *found[1:])


def spans(node: Any) -> list[Any]:
    """Where a node's source begins and ends: lines, then columns; none if it has no place.

    The instruction of `x⏎.f()` begins at the name: a call has that span, too.
    """
    if not hasattr(node, "end_lineno"):
        return []
    spans = [(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        func: Any = node.func
        begin = func.end_col_offset - len(func.attr.encode())
        spans.append((func.end_lineno, node.end_lineno, begin, node.end_col_offset))
    return spans
