"""Parts of the source on a page: what a package is about, and whole functions and classes.

`[[about glassgrad.core]]` is the docstring of the package, `[[lines glassgrad.core]]` how much code is in
it, `[[minutes glassgrad.core]]` how long its files take to read, and
`[[source glassgrad.ops.affine linear]]` is the text of that function.
"""

import ast
import importlib
import inspect
import re
from math import ceil
from pathlib import Path

ABOUT = re.compile(r"^\[\[about ([\w.]+)\]\]$", re.MULTILINE)
LINES = re.compile(r"\[\[lines ([\w.]+)\]\]")
MINUTES = re.compile(r"^\[\[minutes ([\w.]+)\]\]$", re.MULTILINE)
PER_MINUTE = 10  # lines of code, read slowly enough to understand them
SOURCE = re.compile(r"^\[\[source ([\w.]+) ([\w ]+)\]\]$", re.MULTILINE)


def fill(markdown: str) -> str:
    """The page with the texts that it names."""
    markdown = ABOUT.sub(lambda found: _docstring(found[1]), markdown)
    markdown = LINES.sub(lambda found: _lines(found[1]), markdown)
    markdown = MINUTES.sub(lambda found: _minutes(found[1]), markdown)
    return SOURCE.sub(lambda found: _text(found[1], found[2].split()), markdown)


def _docstring(package: str) -> str:
    return f"```text\n{inspect.getdoc(importlib.import_module(package))}\n```"


def _lines(package: str) -> str:
    """The lines of code of a package, to the hundred."""
    folder = Path(str(importlib.import_module(package).__file__)).parent
    lines = sum([code_lines(path.read_text("utf-8")) for path in folder.rglob("*.py")])
    return f"{round(lines, -2):,}"


def _minutes(package: str) -> str:
    """A table of the files, in the order in which the docstring of the package names them."""
    module = importlib.import_module(package)
    about = inspect.getdoc(module) or ""
    paths = [path for path in Path(str(module.__file__)).parent.glob("*.py") if path.stem[0] != "_"]
    order = re.findall(r"^ +(?:\w+/)?(\w+)", about, re.MULTILINE)
    paths.sort(key=lambda path: order.index(path.stem) if path.stem in order else len(order))
    rows, whole = ["| file | lines of code | minutes |", "|--|--|--|"], 0
    for path in paths:
        lines = code_lines(path.read_text("utf-8"))
        whole += ceil(lines / PER_MINUTE)
        rows.append(f"| `{path.name}` | {lines} | {ceil(lines / PER_MINUTE)} |")
    return "\n".join([*rows, f"| **all of it** | | **{whole}** |"])


def code_lines(text: str) -> int:
    """The lines of a program that hold code: no docstrings, comments, blank lines."""
    tree, told = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            told |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum([bool(line.strip()) and line.strip()[0] != "#" and k not in told for k, line in lines])


def _text(module: str, names: list[str]) -> str:
    values = [getattr(importlib.import_module(module), name) for name in names]
    source = "\n\n".join(inspect.getsource(value) for value in values)
    return f"```python\n{source}```"
