"""The named notes of the source, `# Note [Who owns a gradient]`, collected into a page."""

import re
from collections.abc import Iterator
from pathlib import Path

import glassgrad

PACKAGE = Path(glassgrad.__file__).parent
NOTE = re.compile(r"^ *# Note \[(?P<title>[^\]]+)\]\n(?P<text>(?: *# .+\n)+)", re.MULTILINE)
PLACE = "[[notes]]"


def fill(markdown: str) -> str:
    """The page with all notes, by the file they stand in, the tape's own files first."""
    return markdown.replace(PLACE, "\n".join(_sections()))


def _sections() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py"), key=_rank):
        found = list(NOTE.finditer(path.read_text("utf-8")))
        if found:
            yield f"\n## {path.relative_to(PACKAGE.parent)}\n"
        for note in found:
            text = " ".join(line.strip().lstrip("# ") for line in note["text"].splitlines())
            yield f"### {note['title']}\n\n{_escaped(text)}\n"


def _rank(path: Path) -> tuple[int, str]:
    """Packages in reading order."""
    order = ("base", "core", "recording", "engine", "ops", "levels", "func", "autograd")
    package = path.relative_to(PACKAGE).parts[0]
    return (order.index(package) if package in order else len(order), str(path))


def _escaped(text: str) -> str:
    """Text of a comment as Markdown: code stays code, nothing else means anything."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_\[\]<>#|])", r"\\\1", part)
        for part in parts
    )
