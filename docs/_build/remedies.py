"""The page of errors: each message under its first words, with what makes it and what mends it.

It is made of the mistakes (`docs/mistakes/`), which run while the pages are made, of what the classes
of errors say of themselves, and of the findings that the guide to `watch` tells of.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from mistakes import Row, rows

from glassgrad.core import errors

WATCH = Path(__file__).parents[1] / "guides" / "watch.md"
OURS = "glassgrad.core.errors."
NUMBERS = re.compile(r" \([^()]*(?:\([^()]*\)[^()]*)*\)(?=[.,:]|$)")  # "(shape ())", "(4x2 and 3x2)"
END = re.compile(r"(?<=\.)\s|: (?=\[|from )|\n|, got |(?::| on) shape\.")


def fill(markdown: str) -> str:
    """The page with the messages, and with the findings of what raises nothing."""
    filled = markdown.replace("[[remedies]]", "\n".join(_messages()))
    return filled.replace("[[findings]]", "\n".join(_findings()))


def key(message: str) -> str:
    """The first words of a message, without what is of one program: what people search for."""
    return END.split(NUMBERS.sub("", message))[0].rstrip(".")


def _messages() -> Iterator[str]:
    found: dict[str, dict[str, list[tuple[int, Row]]]] = {}
    for number, row in enumerate(rows(), start=1):
        said = [row.ours.error] if row.ours.error else row.ours.warnings[:1]
        if said and not (row.is_watched and not row.ours.error):
            kind, _, message = said[0].partition(": ")
            cases = found.setdefault(kind.removeprefix(OURS), {})
            cases.setdefault(key(message), []).append((number, row))
    ours = [kind for kind in errors.__all__ if kind in found]
    for kind in ours:
        yield f"\n## {kind}\n\n{_about(kind)}\n"
        for message, rows_of in found.pop(kind).items():
            yield from _message(message, rows_of)
    yield "\n## Python's own errors, and warnings\n"
    for kind, cases in found.items():
        for message, rows_of in cases.items():
            yield from _message(f"{kind}: {message}", rows_of)
    yield "\n## Other errors\n"
    for kind in errors.__all__:
        if kind not in ours:
            yield f"- {_about(kind)}"


def _about(kind: str) -> str:
    about = (getattr(errors, kind).__doc__ or "").partition("\n")[0]
    return f"[`{kind}`][{OURS}{kind}]: {about[:1].lower()}{about[1:]}"


def _message(message: str, cases: list[tuple[int, Row]]) -> Iterator[str]:
    yield f"\n### {_plain(message)}\n"
    for number, row in cases:
        link = f"[{_plain(row.mistake.title)}](../guides/mistakes.md#mistake-{number})"
        yield f"- {link}. {row.mistake.teaches}"
    said = cases[0][1].ours
    text = escape(said.error or said.warnings[0], quote=False).replace("\n", "&#10;")
    yield f'\n<pre class="gg-told">{text}</pre>\n'


def _plain(text: str) -> str:
    """Text in which no sign means anything to Markdown."""
    return re.sub(r"[*_`\[\]<>&]", lambda found: f"&#{ord(found[0])};", text)


def _findings() -> Iterator[str]:
    """Each finding of `watch`, and the first sentence that its guide says of it."""
    _, _, told = WATCH.read_text("utf-8").partition("## What it finds")
    for name, words in re.findall(r"^### ([\w-]+)\n\n((?:.+\n)+)", told, re.MULTILINE):
        first = re.split(r"(?<=\.)\s", " ".join(words.split()))[0]
        yield f"- [`{name}`](../guides/watch.md#{name}): {first[:1].lower()}{first[1:]}"
