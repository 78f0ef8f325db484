"""The gallery page: each program of docs/gallery.py, with its picture."""

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from showing import stored

GALLERY = Path(__file__).parents[1] / "gallery.py"
PLACE = "[[gallery]]"
MARK = "picture-of-{}-here"


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
    told = {"leaf", "named", "matrix"}  # the text above the pictures tells of them
    yield "\n## Ten classic programs\n"
    for name, (program, options) in gallery.PROGRAMS.items():
        yield _section(name, program, options, _helpers(gallery, program, told))
    yield "\n## Other ways to draw\n"
    for name, (program, options) in gallery.WAYS.items():
        yield _section(name, program, options, _helpers(gallery, program, told))


def _section(
    name: str, program: Callable[[], Any], options: dict[str, Any], helpers: Iterable[str]
) -> str:
    text = options.get("title") or program.__doc__ or name
    title, _, words = text.partition(":")
    body = inspect.getsource(program).splitlines()[2:]  # without `def` and docstring
    parts = [*helpers, inspect.cleandoc("\n".join(body))]
    drawn = ", ".join(f"{key}={value!r}" for key, value in options.items() if key != "title")
    parts += [f"# drawn by gg.draw(trace, {drawn})"] if drawn else []
    code = "\n\n".join(parts)
    return (
        f"\n### {title.rstrip('.')}\n\n{_sentence(words)}\n\n{MARK.format(name)}\n\n"
        f"```python\n{code}\n```\n"
    )


def _helpers(gallery: ModuleType, program: Callable[[], Any], told: set[str]) -> Iterator[str]:
    """The source of what a program uses of the gallery and no other did before it."""
    for name in program.__code__.co_names:
        value = getattr(gallery, name, None)
        if name not in told and getattr(value, "__module__", "") == gallery.__name__:
            told.add(name)
            yield inspect.getsource(value).rstrip() + "\n"


def _sentence(words: str) -> str:
    words = words.strip()
    first = words.partition(" ")[0]
    is_name = len(first) == 1 or not first.rstrip(",").isalpha()  # of a variable, or a formula
    return words if is_name else words[:1].upper() + words[1:]
