"""The notebooks as pages: run at build, their drawings and players those of the site.

MkDocs calls `on_files`, which adds a page of Markdown for each notebook; nothing is written into
the source tree. In the notebook's kernel `install` has drawings and players shown as the pages
show them; everything else keeps its text.
"""

import ast
import html
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parents[1] / "notebooks"
SOLUTIONS = HERE.parent / "solutions"  # of the tasks, a file for each chapter
KERNELS = 2  # that run at a time
IN_PAGE = "application/vnd.glassgrad.page"  # HTML that relies on the site's script and style
FORMULA = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+)\$", re.DOTALL)
CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
WORD = re.compile(r"^\* \*\*(.+?)\*\*: (.+?)(?=\n\* |\n\n|\Z)", re.MULTILINE | re.DOTALL)
FOLDED = re.compile(
    r"<details>\s*<summary>(?P<title>.*?)</summary>(?P<body>.*?)</details>", re.DOTALL
)


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each notebook."""
    from mkdocs.structure.files import File

    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    with ThreadPoolExecutor(KERNELS) as pool:
        for path, page in zip(paths, pool.map(page_of, paths), strict=True):
            files.append(File.generated(config, f"notebooks/{path.stem}.md", content=page))
    files.append(File.generated(config, "notebooks/words.md", content=glossary()))
    return files


def contents(markdown: str) -> str:
    """The page with a list of the chapters, each with the question that it begins with."""
    return markdown.replace("[[chapters]]", "\n".join(_chapters()))


def _chapters() -> Iterator[str]:
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if (SOLUTIONS / f"{path.stem}.py").exists():  # the chapters: other notebooks have no tasks
            title, question = "".join(_cells(path)[0]["source"]).split("\n\n")[:2]
            name = title.removeprefix("# ").strip()
            link = f"{int(path.stem[:2])} · [{name}](../notebooks/{path.stem}.md)"
            yield f"- {link}  \n    {' '.join(_words(question).split())}"


def _cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text("utf-8"))["cells"]  # type: ignore[no-any-return]  # a notebook


def glossary() -> str:
    """The words of all chapters, each as the first chapter that uses it tells it."""
    told: dict[str, tuple[str, str]] = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        words = [cell["source"] for cell in _cells(path) if cell["cell_type"] == "markdown"]
        text = "\n".join("".join(lines) for lines in words)
        title = text.partition("\n")[0].removeprefix("# ")
        for word, meaning in WORD.findall(text.partition("### Words")[2]):
            told.setdefault(word, (" ".join(meaning.split()), f"[{title}]({path.stem}.md)"))
    rows = [f"**{word}**\n:   {told[word][0]} {told[word][1]}" for word in sorted(told, key=str.lower)]
    return _words("\n\n".join(["# Glossary", "The words that the chapters define, and where.", *rows])) + "\n"


def page_of(path: Path) -> str:
    """A notebook as Markdown, run from top to bottom.

    Raises:
        nbclient.exceptions.CellExecutionError: if a cell raises.
    """
    cells = _run(path).cells
    parts: list[str] = []
    for cell in cells:
        parts += [_words(cell.source)] if cell.cell_type == "markdown" else [_code(cell)]
        if cell.source.startswith("gg.course.check("):  # the cell to complete stands before it
            parts[-2:] = [_folded_up("example", "The cell to complete, and its check", parts[-2:])]
        parts += _solution(cell)
    note = (
        '\n!!! tip "This page is a notebook"\n\n'
        f"    Open `notebooks/{path.name}` in JupyterLab to change its programs, to do the\n"
        "    exercises, and to have live players drive the real engine.\n"
    )
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f"{title}\n{note}{rest}\n"


# Running -----------------------------------------------------------------------------------------


def _run(path: Path) -> Any:
    """The notebook with its outputs, of a kernel that shows drawings as the site does."""
    # To check addresses: two seconds go into making its parsers.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    # Not part of the page: shows once more the live players, which other cells may have moved.
    notebook.cells.append(nbformat.v4.new_code_cell("notebooks.finish()"))
    lines = (f"import sys; sys.path.insert(0, {str(HERE)!r})", "import notebooks")
    start = [f"--IPKernelApp.exec_lines={line}" for line in (*lines, "notebooks.install()")]
    start.append("--IPKernelApp.log_level=40")  # errors; it also warns of how it is reached
    client = nbclient.NotebookClient(
        notebook, timeout=120, startup_timeout=300, kernel_name="python3", extra_arguments=start
    )
    with tempfile.TemporaryDirectory() as folder:
        kernel = client.create_kernel_manager()
        # By files: two builds at once could agree on the same ports.
        kernel.transport, kernel.ip = "ipc", str(Path(folder, "kernel"))
        client.execute(cwd=str(path.parent))
    notebook.cells.pop()
    return notebook


_live: list[tuple[Any, Any]] = []


def install() -> None:
    """In the kernel: show drawings and players as the pages do."""
    import showing
    from IPython import get_ipython
    from IPython.display import HTML, display

    from glassgrad.course import Figure
    from glassgrad.viz import Drawing, Explanation, Player
    from glassgrad.viz.players.live import LivePlayer

    numbers = itertools.count(1)
    formatter = get_ipython().display_formatter

    def drawing(shown: Any, **_: Any) -> dict[str, str]:
        return {IN_PAGE: showing.picture(shown, f"d{next(numbers)}-")}

    def player(shown: Any, **_: Any) -> dict[str, str]:
        return {IN_PAGE: showing.playing(shown, f"p{next(numbers)}-")}

    def explanation(shown: Any, **_: Any) -> dict[str, str]:
        return {IN_PAGE: _typeset(shown.html)}

    def below(shown: Any) -> str:
        return str((player if isinstance(shown, Player) else drawing)(shown)[IN_PAGE])

    def chart(shown: Any, **_: Any) -> dict[str, str]:
        return {IN_PAGE: shown.html_with(below)}

    def live(shown: Any) -> None:
        still = HTML("")  # `finish` puts the player here
        _live.append((display(still, display_id=True), shown))

    formatter.mimebundle_formatter.for_type(Drawing, drawing)
    formatter.mimebundle_formatter.for_type(Player, player)
    formatter.mimebundle_formatter.for_type(Explanation, explanation)
    formatter.mimebundle_formatter.for_type(Figure, chart)
    formatter.ipython_display_formatter.for_type(LivePlayer, live)


def finish() -> None:
    """In the kernel, at its end: show what was played in each live player."""
    for place, player in _live:
        place.update(player.still)


# Markdown ----------------------------------------------------------------------------------------


def _words(text: str) -> str:
    """The Markdown of a cell: formulas as MathML, links to pages, folded parts as the site's."""
    text = re.sub(r"\((\d\d-[\w-]+)\.ipynb\)", r"(\1.md)", text)
    pieces = CODE.split(text)
    text = "".join(
        piece if piece.startswith("`") else FORMULA.sub(_formula, piece) for piece in pieces
    )
    return FOLDED.sub(_folded, text)


def _formula(found: re.Match[str]) -> str:
    from glassgrad.viz.explaining.mathml import mathml

    text = mathml((found["block"] or found["inline"]).strip())
    return f'<p class="gg-formula">{text}</p>' if found["block"] else text


def _folded(found: re.Match[str]) -> str:
    return _folded_up("success", found["title"], [found["body"].strip("\n")])


def _folded_up(kind: str, title: str, parts: list[str]) -> str:
    lines = [f"    {line}" if line else "" for line in "\n\n".join(parts).splitlines()]
    return "\n".join([f'??? {kind} "{title}"', "", *lines])


def _code(cell: Any) -> str:
    parts = [f"```python\n{cell.source}\n```", *_outputs(cell.outputs)]
    return "\n\n".join(parts)


def _solution(cell: Any) -> Iterator[str]:
    """Below a cell that checks a task: the task's solution, folded up."""
    asked = re.match(r'gg\.course\.check\("(\d\d)\.[\w-]+", (\w+)\)', cell.source)
    if asked is not None:
        (path,) = SOLUTIONS.glob(f"{asked[1]}-*.py")
        text = path.read_text("utf-8")
        named = (node for node in ast.parse(text).body if asked[2] in _names_of(node))
        code = "\n\n\n".join(ast.get_source_segment(text, node) or "" for node in named)
        yield _folded_up("success", "A solution", [f"```python\n{code}\n```"])


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [getattr(node, "name", "")]


def _outputs(outputs: list[Any]) -> Iterator[str]:
    """What a cell shows, each as a block of HTML; lines that were printed one by one together."""
    for kind, group in itertools.groupby(outputs, key=lambda output: output.output_type):
        if kind == "stream":
            yield _text("".join(output.text for output in group))
            continue
        for output in group:
            bundle = output.get("data", {})
            if IN_PAGE in bundle:
                yield bundle[IN_PAGE]
            elif bundle.get("text/plain"):
                yield _text(bundle["text/plain"])


def _text(text: str) -> str:
    text = re.sub(r" at 0x[0-9a-f]+", "", text.rstrip("\n"))  # another one each time
    fence = max(re.findall(r"`{3,}", text), default="``") + "`"
    return f"{fence}text\n{text}\n{fence}"


def _typeset(page: str) -> str:
    """An explanation whose formulas, in LaTeX for a notebook, are MathML."""
    from glassgrad.viz.explaining.mathml import mathml

    body = re.sub(r"\\\((.+?)\\\)", lambda found: mathml(html.unescape(found[1])), page)
    return f'<div class="gg-explained">{body}</div>'


def main() -> None:
    """Print the pages: `python docs/_build/notebooks.py`."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        sys.stdout.write(page_of(path))


if __name__ == "__main__":
    main()
