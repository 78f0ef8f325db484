"""What MkDocs does for us while it builds: assets from the package, generated parts of pages."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))  # the code blocks of pages import `showing`, too

import cells
import describing
import figures
import formulas
import mistakes
import notebooks
import notes
import operators
import pictures
import reference
import remedies
import searching
import shared
import signatures
import source

cells.install()
signatures.install()

FILLED = {
    "gallery.md": pictures.fill,
    "guides/mistakes.md": mistakes.fill,
    "inside/compared.md": lambda text: figures.fill(source.fill(text)),
    "inside/design.md": figures.fill,
    "inside/notes.md": notes.fill,
    "guides/write-an-op.md": source.fill,
    "inside/reading.md": source.fill,
    "learn/index.md": notebooks.contents,
    "reference/operators.md": operators.fill,
    "reference/remedies.md": remedies.fill,
}


def on_files(files: Files, config: Any) -> Files:
    """Add the style sheet of the drawings and the script of the players."""
    for name, text in (("drawing.css", shared.style()), ("players.js", shared.script())):
        files.append(File.generated(config, f"assets/{name}", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill in what is collected from the source."""
    path = page.file.src_uri
    if path in FILLED:
        return FILLED[path](markdown)
    if path.startswith("reference/"):
        return reference.fill(markdown)
    if path.startswith("notebooks/"):
        page.meta.setdefault("hide", ["toc"])  # players want the room
        return markdown
    return formulas.take_out(markdown, page)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Set formulas and pictures; link the errors that a function raises to what they mean."""
    page.meta.setdefault("description", describing.sentence(html))
    if page.file.src_uri.startswith("reference/"):
        return reference.link_errors(html)
    if page.file.src_uri == "gallery.md":
        return pictures.put_in(html)
    return formulas.put_in(html, page)


@event_priority(-100)  # when the index of the search is written
def on_post_build(config: Any) -> None:
    """Have the search find names as they are typed."""
    searching.mend(Path(config.site_dir) / "search" / "search_index.json")
