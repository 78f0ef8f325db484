"""The worked solutions of the course: `docs/solutions/`, a file for each chapter."""

import ast
import importlib.util
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "solutions"


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
