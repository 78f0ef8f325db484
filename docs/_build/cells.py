"""The code blocks of a page are cells: what glassgrad says of lines names "cell 3, line 2".

markdown-exec runs each block under a name of its own, and nothing knows the text behind it. Here
blocks get the names that a notebook's cells have, and `linecache` their lines.
"""

import linecache
import re
from collections.abc import Callable
from typing import Any

from markdown_exec._internal.formatters import python as formatter

_run: Callable[[str, str, dict[str, Any]], None] = formatter.exec_python
_counts: dict[str, int] = {}


def install() -> None:
    """Have blocks run as cells, counted within a page's session."""
    formatter.exec_python = run


def run(code: str, block: str, names: dict[str, Any]) -> None:
    """Run a block."""
    session = re.sub(r"\W+", "-", block.partition(";")[0])
    _counts[session] = number = _counts.get(session, 0) + 1
    name = f"<ipython-input-{number}-{session}>"
    lines = [line for line in code.splitlines(keepends=True) if "markdown-exec: hide" not in line]
    linecache.cache[name] = (len(code), None, lines, name)
    _run(code, name, names)
