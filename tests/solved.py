"""The chapters of the course that tests are about, and their worked solutions."""

import ast
import importlib.util
import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTEBOOKS, FOLDER = ROOT / "notebooks", ROOT / "docs" / "solutions"

# `make notebooks` is about all chapters, or with CHAPTER=05 about that. `make test` runs one from
# top to bottom, with live players; all are run where `make docs` makes pages of them.
ASKED = os.environ.get("GLASSGRAD_CHAPTER")
PATHS = sorted(NOTEBOOKS.glob(f"{ASKED or ''}*.ipynb"))
RUN_IN_EACH_TEST = "inside-the-engine"
RUN = [path for path in PATHS if ASKED is not None or RUN_IN_EACH_TEST in path.stem]


def path_of(number):
    """The file of a chapter, "01"."""
    (path,) = FOLDER.glob(f"{number}-*.py")
    return path


@cache
def solutions(number):
    """The file of a chapter as a module: an answer for each task, and `WRONG` ones."""
    path = path_of(number)
    spec = importlib.util.spec_from_file_location(f"solutions_{number}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def source_of(task):
    """The program that answers a task, with the imports that it needs."""
    text = path_of(task.chapter).read_text("utf-8")
    body = ast.parse(text).body
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    named = [node for node in body if task.name in _names(node)]
    return "\n".join(ast.unparse(node) for node in (*imports, *named))


def _names(node):
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [getattr(node, "name", None)]
