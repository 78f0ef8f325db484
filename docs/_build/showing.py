"""What the code blocks of the pages print beneath themselves: pictures, players, programs."""

import contextlib
import html
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import glassgrad
from glassgrad.viz import Drawing, Player

ROOT = Path(__file__).parents[2]


def picture(drawing: Drawing, prefix: str) -> str:
    """A drawing as a figure in the page; `prefix` tells its ids from those of others there."""
    return _figure(_prefixed(drawing.svg, prefix))


def stored(name: str) -> str:
    """A picture of docs/images as a figure in the page."""
    svg = (ROOT / "docs" / "images" / f"{name}.svg").read_text("utf-8")
    return _figure(_prefixed(svg, f"{name}-"))


def _figure(svg: str) -> str:
    width = re.search(r'width="(\d+)"', svg)
    assert width is not None
    # Much smaller than its size the text cannot be read: then the figure scrolls.
    least = round(0.72 * int(width[1]))
    body = re.sub(r"<style>.*?</style>", "", svg, flags=re.DOTALL)  # the page has it once
    body = re.sub(r"\n\s*\n", "\n", body).strip()
    how = f'class="gg-figure" style="--gg-least:{least}px" tabindex="0" data-search-exclude="1"'
    return f"<figure {how}>{body}</figure>"


def _prefixed(svg: str, prefix: str) -> str:
    svg = re.sub(r' id="([^"]*)"', rf' id="{prefix}\1"', svg)
    return re.sub(r'(href="|url\()#', rf"\1#{prefix}", svg)


def playing(player: Player, prefix: str) -> str:
    """A player in the page; `prefix` tells its ids from those of others there."""
    return player.fragment(prefix)


def program_of(page: str, number: int = 0) -> str:
    """A program of a page that is shown and not run in place."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    found = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return str(found[number])


def reported(program: str, name: str = "train.py") -> str:
    """What `watch` reports of a program."""
    glassgrad.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(program, encoding="utf-8")
        told, code = io.StringIO(), compile(program, str(path), "exec")
        with contextlib.redirect_stderr(told):
            block_of = contextlib.nullcontext() if "gg.watch" in program else glassgrad.watch()
            with block_of:
                exec(code, {"__name__": "__main__"})  # noqa: S102  # it stands in our own page
    return block(told.getvalue().strip())


def terminal(program: str, command: str, typed: str = "", *more: str) -> str:
    """What a terminal shows of commands about a program.

    Args:
        program: the text of the file that the first command names.
        command: what is run, "glassgrad step neuron.py".
        typed: the lines that are typed while it runs.
        more: what is run next in the same folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        name = next(word for word in command.split() if word.endswith(".py"))
        Path(folder, name).write_text(program, encoding="utf-8")
        lines = (command, *more)
        return block("\n".join(f"$ {line}\n{_run(line, folder, typed)}" for line in lines))


def failure(program: str, name: str) -> str:
    """The message with which a program ends, and what is noted below it, without the traceback."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_text(program, encoding="utf-8")
        said = _run(f"python {name}", folder, "").rpartition("\nglassgrad.core.errors.")[2]
    return block("\n".join([textwrap.fill(line, 88) for line in said.strip().splitlines()]))


def _run(command: str, folder: str, typed: str) -> str:
    """What a command prints; Python and glassgrad are those that run this."""
    program, *arguments = command.split()
    module = ["-m", "glassgrad"] if program == "glassgrad" else []
    run = subprocess.run(  # noqa: S603  # the commands stand in our own pages
        [sys.executable, *module, *arguments],
        input=typed,
        cwd=folder,
        env=os.environ | {"COLUMNS": "88", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return run.stdout


def block(text: str) -> str:
    """Text as it stands, in a box."""
    return f'<div class="highlight gg-said-so"><pre><code>{html.escape(text)}</code></pre></div>'
