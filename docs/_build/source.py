"""Parts of the source on a page: what a package is about, and whole functions and classes.

`[[about glassgrad.core]]` is the docstring of the package, `[[source glassgrad.ops.affine linear]]`
the text of that function.
"""

import importlib
import inspect
import re

ABOUT = re.compile(r"^\[\[about ([\w.]+)\]\]$", re.MULTILINE)
SOURCE = re.compile(r"^\[\[source ([\w.]+) ([\w ]+)\]\]$", re.MULTILINE)


def fill(markdown: str) -> str:
    """The page with the texts that it names."""
    markdown = ABOUT.sub(lambda found: _docstring(found[1]), markdown)
    return SOURCE.sub(lambda found: _text(found[1], found[2].split()), markdown)


def _docstring(package: str) -> str:
    return f"```text\n{inspect.getdoc(importlib.import_module(package))}\n```"


def _text(module: str, names: list[str]) -> str:
    values = [getattr(importlib.import_module(module), name) for name in names]
    source = "\n\n".join(inspect.getsource(value) for value in values)
    return f"```python\n{source}```"
