"""The table of beginners' mistakes: what glassgrad says of each, and what PyTorch says.

The programs are in `docs/mistakes/`, written for `import torch`. glassgrad runs them while the page is
made; what PyTorch has said of them is stored beside them, since who builds the site need not have it:

    python docs/_build/mistakes.py      # writes docs/mistakes/torch.json
"""

import functools
import importlib
import io
import json
import linecache
import re
import tomllib
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "mistakes"
STORED = FOLDER / "torch.json"
FILE = "mistake.py"
SEED = 0
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
LONGEST = 700  # letters of a message that the page shows
BETTER, EQUAL, WORSE = "better", "equal", "worse"
WHAT = {
    "runs": "does what was meant",
    "speaks": "says something",
    "line": "the line",
    "name": "the name",
    "reason": "the reason",
    "remedy": "the remedy",
    "true": "nothing false",
}
"""What a library can do about a mistake, and what the page calls it."""


@dataclass(frozen=True)
class Mistake:
    """A row of the table: a program, and what is to be said of it.

    Attributes:
        cause: the line that has to be changed.
        name: what says which tensor or layer is meant, a regular expression as the next three.
        reason, remedy: what says why it is wrong, and what to write instead.
        wrong: what would be false, or bad advice, here.
        lacks: what glassgrad cannot say of it, out of `WHAT`.
        works: whether the program could do what it means.
        watched: whether `gg.watch()` is to find it.
    """

    title: str
    teaches: str
    program: str
    cause: str = ""
    name: str = ""
    reason: str = ""
    remedy: str = ""
    wrong: str = ""
    lacks: Sequence[str] = ()
    works: bool = False
    watched: bool = False

    @property
    def line(self) -> int:
        """The number of the line that has to be changed; the last of those that read alike."""
        lines = [line.strip() for line in self.program.splitlines()]
        return len(lines) - lines[::-1].index(self.cause)

    def asked(self) -> list[str]:
        """What a message is measured by."""
        if self.works:
            return ["runs"]
        return ["speaks", "line", *(["name"] if self.name else []), "reason", "remedy", "true"]


@dataclass(frozen=True)
class Told:
    """What a run has told.

    Attributes:
        error, warnings: each with its kind in front; an error is empty if there was none.
        printed: on stdout.
        lines: of the program, those that an error or a warning points at or speaks of.
        frames: how many of the library's own the traceback shows.
    """

    error: str
    warnings: list[str]
    printed: str
    lines: list[int]
    frames: int = field(default=0, compare=False)

    @property
    def text(self) -> str:
        """All that was said of the mistake."""
        return "\n".join([*self.warnings, *([self.error] if self.error else [])])


def groups() -> Iterator[tuple[str, list[Mistake]]]:
    """The mistakes, in the order of the page, under their headings."""
    for path in sorted(FOLDER.glob("*.toml")):
        group = tomllib.loads(path.read_text("utf-8"))
        yield group["title"], [Mistake(**row) for row in group["mistake"]]


def mistakes() -> list[Mistake]:
    """All mistakes."""
    return [mistake for _, group in groups() for mistake in group]


# Running ------------------------------------------------------------------------------------------


def run(mistake: Mistake, library: str, *, is_watched: bool = False) -> Told:
    """Run a mistake by a library, `glassgrad` or `torch`; under `gg.watch()` if `is_watched`."""
    lib = importlib.import_module(library)
    code = mistake.program.replace("import torch\n", f"import {library} as torch\n")
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    out, error, lines, own = io.StringIO(), "", set(), 0
    records = lib.is_grad_enabled()
    lib.manual_seed(SEED)
    try:
        with warnings.catch_warnings(record=True) as warned, redirect_stdout(out):
            warnings.simplefilter("always")
            said = io.StringIO()
            try:
                with redirect_stderr(said), lib.watch() if is_watched else nullcontext():
                    exec(compile(code, FILE, "exec"), {"__name__": "__main__"})  # noqa: S102
            except Exception as raised:
                error = "".join(traceback.format_exception_only(raised)).strip()
                frames = traceback.extract_tb(raised.__traceback__)
                lines.update([frame.lineno for frame in frames if frame.filename == FILE][-1:])
                home = str(Path(lib.__file__).parent)
                own = sum(frame.filename.startswith(home) for frame in frames)
    finally:
        lib.set_grad_enabled(records)
        del linecache.cache[FILE]
    lines.update([each.lineno for each in warned if each.filename == FILE])
    told = [f"{each.category.__name__}: {each.message}" for each in warned]
    told += [said.getvalue().strip()] if said.getvalue().strip() else []
    text = "\n".join([*told, error])
    lines.update([int(number) for number in re.findall(rf"{FILE}, line (\d+)", text)])
    told, error = ([ADDRESS.sub("", each) for each in told], ADDRESS.sub("", error))
    return Told(error, told, out.getvalue().strip(), sorted(lines), own)


def stored() -> tuple[str, dict[str, Told]]:
    """The version of PyTorch that was asked, and what it has told, by the mistakes' titles."""
    known = json.loads(STORED.read_text("utf-8"))
    return known["version"], {title: Told(**told) for title, told in known["told"].items()}


# Judging ------------------------------------------------------------------------------------------


def merits(mistake: Mistake, told: Told) -> list[str]:
    """What of what is asked a library does."""
    text = told.text

    def says(pattern: str) -> bool:
        return bool(pattern) and re.search(pattern, text) is not None

    does = {
        "runs": not told.error,
        "speaks": bool(text),
        "line": bool(text) and bool(mistake.cause) and mistake.line in told.lines,
        "name": says(rf"(?<![\w.])({mistake.name})(?!\w)"),
        "reason": says(mistake.reason),
        "remedy": says(mistake.remedy),
        "true": bool(text) and not says(mistake.wrong),
    }
    return [each for each in mistake.asked() if does[each]]


def verdict(ours: list[str], theirs: list[str]) -> str:
    """Better if glassgrad does all that PyTorch does, and more; equal if the same; else worse."""
    if set(ours) == set(theirs):
        return EQUAL
    return BETTER if set(ours) > set(theirs) else WORSE


@dataclass(frozen=True)
class Row:
    """A mistake, what each library tells of it and does about it, and which of them does more."""

    mistake: Mistake
    ours: Told
    theirs: Told
    our_merits: list[str]
    their_merits: list[str]
    is_watched: bool

    @property
    def verdict(self) -> str:
        """Of glassgrad."""
        return verdict(self.our_merits, self.their_merits)


def judged(mistake: Mistake, theirs: Told) -> Row:
    """Run a mistake by glassgrad, and compare; under `gg.watch()` what is silent without it."""
    is_watched = mistake.watched and hasattr(importlib.import_module("glassgrad"), "watch")
    ours = run(mistake, "glassgrad", is_watched=is_watched)
    return Row(mistake, ours, theirs, merits(mistake, ours), merits(mistake, theirs), is_watched)


# The page -----------------------------------------------------------------------------------------


def fill(markdown: str) -> str:
    """The page with the verdicts and the mistakes."""
    filled = markdown.replace("[[PyTorch's version]]", stored()[0])
    filled = filled.replace("[[verdicts]]", _verdicts(rows()))
    return filled.replace("[[mistakes]]", _sections(_run_groups()))


def rows() -> list[Row]:
    """All mistakes, in the order of the page, each of them run."""
    return [row for _, group in _run_groups() for row in group]


@functools.cache  # two pages are made of them
def _run_groups() -> list[tuple[str, list[Row]]]:
    _, told = stored()
    return [(title, [judged(each, told[each.title]) for each in group]) for title, group in groups()]


def _verdicts(rows: list[Row]) -> str:
    count = Counter([row.verdict for row in rows])
    said = [f"**{count[each]}** {each}" for each in (BETTER, EQUAL, WORSE)]
    table = [_line("<b>mistake</b>", "<b>glassgrad</b>", "<b>PyTorch</b>", "<b>so it is</b>")]
    for number, row in enumerate(rows, start=1):
        link = f'<a href="#mistake-{number}">{number} · {escape(row.mistake.title, quote=False)}</a>'
        counts = [_count(row.mistake, found) for found in (row.our_merits, row.their_merits)]
        table.append(_line(link, *counts, row.verdict))
    told = f"glassgrad beside PyTorch: {', '.join(said)}."
    return "\n".join([told, "", '<div class="gg-mistakes">', *table, "</div>"])


def _line(*cells: str) -> str:
    return f"<div>{' '.join([f'<div>{cell}</div>' for cell in cells])}</div>"


def _count(mistake: Mistake, found: list[str]) -> str:
    if "speaks" not in found and not mistake.works:
        return "silent"
    return f"{len(found)} of {len(mistake.asked())}"


def _sections(rows: list[tuple[str, list[Row]]]) -> str:
    parts, number = [], 0
    for title, group in rows:
        parts.append(f"## {title}")
        for row in group:
            number += 1
            parts += _section(number, row)
    return "\n\n".join(parts)


def _section(number: int, row: Row) -> list[str]:
    mistake = row.mistake
    under = " under `with gg.watch():`" if row.is_watched else ""
    return [
        f"### {number} · {mistake.title} {{#mistake-{number}}}",
        mistake.teaches,
        f"```python\n{mistake.program.rstrip()}\n```",
        f"**glassgrad**{under} {_has(mistake, row.our_merits)}",
        _said(row.ours),
        f"**PyTorch** {_has(mistake, row.their_merits)}",
        _said(row.theirs),
        f"glassgrad is **{row.verdict}**{_difference(row)}.",
    ]


def _has(mistake: Mistake, found: list[str]) -> str:
    if mistake.works:
        return "does what was meant:" if found else "does not do what was meant:"
    if "speaks" not in found:
        return "is silent:"
    lacking = [WHAT[each] for each in mistake.asked() if each not in found]
    return f"says all but {_listed(lacking)}:" if lacking else "says all that is asked:"


def _difference(row: Row) -> str:
    ours, theirs = row.our_merits, row.their_merits
    more = [WHAT[each] for each in ours if each not in theirs]
    less = [WHAT[each] for each in theirs if each not in ours]
    said = [f"it has {_listed(more)} besides"] if more else []
    said += [f"it lacks {_listed(less)}"] if less else []
    return f": {', but '.join(said)}" if said else ""


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _said(told: Told) -> str:
    """What was told, or what the program printed while nobody told anything."""
    text = told.text or f"silent, and the program prints {told.printed or 'nothing'}"
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
    return f'<pre class="gg-told">{escape(short, quote=False).replace(chr(10), "&#10;")}</pre>'


def main() -> None:
    """Write down what PyTorch tells."""
    version = importlib.import_module("torch").__version__.partition("+")[0]
    told = {mistake.title: vars(run(mistake, "torch")) for mistake in mistakes()}
    text = json.dumps({"version": version, "told": told}, indent=1, ensure_ascii=False)
    STORED.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
