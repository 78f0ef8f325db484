"""The chapters as files: where they are, a copy to work in, stubs to fill in, their pictures."""

import ast
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from glassgrad._programs import reaching
from glassgrad.values.dtypes import get_default_dtype, set_default_dtype
from glassgrad.viz import Drawing, Player

from .chapters import numbers, tasks
from .figures import Figure

HERE = Path(__file__).parent
STUBS = "stubs"

_ABOVE = '''\
"""Chapter {number}: fill in the stubs, then type `glassgrad check {number}`."""

import math

import numpy as np

import glassgrad as gg
'''


def notebooks() -> Path:
    """The folder of the chapters: in the package, or beside it in a checkout."""
    packed = HERE / "notebooks"
    return packed if packed.is_dir() else HERE.parents[2] / "notebooks"


def chapters() -> list[Path]:
    """The notebooks of all chapters, in their order."""
    return sorted(notebooks().glob("*.ipynb"))


def stubs_of(number: str) -> str:
    """The file of stubs of a chapter."""
    stubs = [task.stub.strip("\n") for task in tasks(number)]
    return "\n\n\n".join([_ABOVE.format(number=number).strip("\n"), *stubs]) + "\n"


def contents() -> dict[str, str]:
    """The text of each file of a copy, by its path in it."""
    found = {path.name: path.read_text("utf-8") for path in chapters()}
    found |= {path.name: path.read_text("utf-8") for path in notebooks().glob("*.py")}
    found |= {f"{STUBS}/chapter_{number}.py": stubs_of(number) for number in numbers()}
    return found


def changed_in(folder: Path) -> list[str]:
    """The files of a copy that are there already, and are not as a new copy would have them."""
    with reaching(f"read {folder}", "Name another folder."):
        return [
            name
            for name, text in contents().items()
            if (folder / name).exists() and (folder / name).read_text("utf-8") != text
        ]


def copy_to(folder: Path, *, keep: list[str]) -> list[str]:
    """Write the chapters and the stubs into `folder`, but those to `keep`; return which."""
    written = {name: text for name, text in contents().items() if name not in keep}
    with reaching(f"write into {folder}", "Name another folder."):
        for name, text in written.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        for extra in (path for path in notebooks().iterdir() if path.name == "data"):
            shutil.copytree(extra, folder / extra.name, dirs_exist_ok=True)
    return list(written)


def pictures(chapter: Path) -> Iterator[tuple[str, str]]:
    """What a chapter shows, which is run for it: a name and an SVG each; of players a page, too."""
    space: dict[str, Any] = {"__name__": "__main__"}
    dtype = get_default_dtype()  # a chapter may set another
    try:
        for cell in json.loads(chapter.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                shown = _shown(ast.parse("".join(cell["source"])), chapter.name, space)
                yield from _files(f"{chapter.stem}-{cell['id']}", shown)
    finally:
        set_default_dtype(dtype)


def _files(name: str, shown: Any) -> Iterator[tuple[str, str]]:
    """The files of a thing that a cell shows; of a slider those of each of its charts."""
    if isinstance(shown, Player):
        yield f"{name}.html", shown.html
        shown = shown.drawing
    if isinstance(shown, Figure):
        for number, frame in enumerate(shown.frames, start=1):
            yield from _files(f"{name}-{number}" if number > 1 else name, frame)
        yield from _files(f"{name}-below", shown.below)
    if isinstance(shown, Drawing) or (isinstance(shown, Figure) and not shown.frames):
        yield f"{name}.svg", shown.svg


def _shown(program: ast.Module, name: str, space: dict[str, Any]) -> Any:
    """Run a cell of a chapter of ours; return what its last line is, as a notebook shows it."""
    last = program.body.pop() if isinstance(program.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()):
        exec(compile(program, name, "exec"), space)  # noqa: S102
        if isinstance(last, ast.Expr):
            return eval(compile(ast.Expression(last.value), name, "eval"), space)  # noqa: S307
    return None
