"""The gallery page: each program of docs/gallery.py, with its picture."""

import ast
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from showing import stored

GALLERY = Path(__file__).parents[1] / "gallery.py"
PLACE = "[[gallery]]"
MARK = "picture-of-{}-here"
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def fill(markdown: str) -> str:
    """The page with all programs; marks stand for the pictures."""
    return markdown.replace(PLACE, "\n".join(_sections(_gallery())))


def put_in(html: str) -> str:
    """The rendered page with the pictures."""
    gallery = _gallery()
    for name in (*gallery.PROGRAMS, *gallery.WAYS):
        html = html.replace(f"<p>{MARK.format(name)}</p>", stored(name))
    return html


def _gallery() -> ModuleType:
    if "gallery" not in sys.modules:
        spec = importlib.util.spec_from_file_location("gallery", GALLERY)
        assert spec is not None
        assert spec.loader is not None
        sys.modules["gallery"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["gallery"])
    return sys.modules["gallery"]


def _sections(gallery: ModuleType) -> Iterator[str]:
    yield "\n## Ten classic programs\n"
    for name, (program, options) in gallery.PROGRAMS.items():
        yield _section(gallery, name, program, options)
    yield "\n## Other ways to draw\n"
    for name, (program, options) in gallery.WAYS.items():
        yield _section(gallery, name, program, options)


def _section(
    gallery: ModuleType, name: str, program: Callable[[], Any], options: dict[str, Any]
) -> str:
    text = options.get("title") or program.__doc__ or name
    title, _, words = text.partition(":")
    return (
        f"\n### {title.rstrip('.')}\n\n{_sentence(words)}\n\n{MARK.format(name)}\n\n"
        f"```python\n{snippet(gallery, name)}```\n"
    )


def snippet(gallery: ModuleType, name: str) -> str:
    """A program that draws the picture `name`, with all that it needs: it can be pasted."""
    program, options = (gallery.PROGRAMS | gallery.WAYS)[name]
    tree = ast.parse(inspect.getsource(gallery))
    defined = {part.name: part for part in tree.body if isinstance(part, DEFINITIONS)}
    needed, waiting = {program.__name__}, [program.__name__]
    for each in waiting:  # which grows meanwhile
        more = (_names(defined[each]) & defined.keys()) - needed
        needed |= more
        waiting += more
    parts = [part for part in tree.body if getattr(part, "name", None) in needed]
    wanted = set().union(*[_names(part) for part in parts]) | {"gg"}
    call = f"{program.__name__}()"
    if "Drawing" not in str(program.__annotations__["return"]):
        given = [call, *[f"{key}={value!r}" for key, value in options.items()]]
        call = f"gg.draw({', '.join(given)})"
    lines = inspect.getsource(gallery).splitlines()
    code = ["\n".join(lines[_begin(part) : part.end_lineno]) for part in parts]
    return "\n\n\n".join([_imports(tree, wanted), *code, f'{call}.save("{name}.svg")\n'])


def _names(part: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}


def _begin(part: Any) -> int:
    """The place of the first line, that of a decorator if there is one."""
    return min([part.lineno, *[each.lineno for each in part.decorator_list]]) - 1


def _imports(tree: ast.Module, wanted: set[str]) -> str:
    """The imports of the file of which something is wanted."""
    found = []
    for part in tree.body:
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            part.names = [each for each in part.names if (each.asname or each.name) in wanted]
            found += [ast.unparse(part)] if part.names else []
    return "\n".join(found)


def _sentence(words: str) -> str:
    words = words.strip()
    first = words.partition(" ")[0]
    is_name = len(first) == 1 or not first.rstrip(",").isalpha()  # of a variable, or a formula
    return words if is_name else words[:1].upper() + words[1:]
