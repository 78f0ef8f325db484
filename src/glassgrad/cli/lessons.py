"""`glassgrad course` and `glassgrad check`: chapters copied and opened, exercises graded."""

import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from subprocess import call
from typing import TYPE_CHECKING

from glassgrad._programs import DONE, FAILED, Refused, progress, reaching, tell, to_stdout
from glassgrad._words import counted, printable
from glassgrad.course import folder, grading
from glassgrad.course.judge import Report

if TYPE_CHECKING:
    from rich.console import Console


def grade(names: Sequence[str], given: Path | None, out: Path | None) -> int:
    """Grade the files of stubs; tell of each task, and write the score.

    Args:
        names: chapters and tasks; none: all.
        given: the folder of the files; None: looked for here.
        out: where the score goes, as JSON.

    Returns:
        DONE if all tasks are passed, else FAILED.
    """
    from rich.console import Console

    grading.chosen(names, Path())  # a name of nothing is told before that the files are missing
    place = grading.folder_of_stubs(given)
    wanted = grading.chosen(names, place)
    reports: list[Report] = []
    bar = Console(stderr=True, highlight=False)
    with (
        to_stdout(),
        progress(
            bar, "checking", "passed {:.0f}", len(wanted), disable=not bar.is_terminal
        ) as step,
    ):
        for report in grading.graded(wanted, place):
            reports.append(report)
            step(sum(each.passed for each in reports))
    with to_stdout():
        _tell(reports, Console(highlight=False, markup=False, soft_wrap=True))
    score = grading.score_of(reports, wanted)
    if out is not None:
        with reaching(f"write {out}", "Name another file."):
            out.write_text(json.dumps(score, indent=1) + "\n", "utf-8")
    return DONE if all(report.passed for report in reports) else FAILED


def _tell(reports: Sequence[Report], console: "Console") -> None:
    """A line for each task; of those that are not passed what is wrong."""
    for report in reports:
        first, *rest = report.lines()
        console.print(f"{'✓' if report.passed else '✗'} {report.task}  {report.title}")
        for line in [] if report.passed else [first, *rest]:
            console.print(f"    {line}")
    passed = sum(report.passed for report in reports)
    width = 24
    full = round(width * passed / max(len(reports), 1))
    of = counted(len(reports), "task")
    console.print(f"{'█' * full}{'░' * (width - full)} {passed} of {of}")


def copy_and_open(target: Path, *, force: bool, browser: bool, port: int | None) -> int:
    """Copy the chapters, ask before a changed file is overwritten, and open JupyterLab."""
    changed = folder.changed_in(target)
    keep = [] if force or not changed else _kept(target, changed)
    written = folder.copy_to(target, keep=keep)
    with to_stdout():
        told = f"{counted(len(written), 'file')} in {target}: chapters, and stubs/\n"
        sys.stdout.write(printable(told))
    if find_spec("jupyterlab") is None:
        tell(
            "to open the chapters, type `pip install jupyterlab anywidget`, then "
            f"`jupyter lab {target}`"
        )
        return DONE
    options = [] if browser else ["--no-browser"]
    options += [] if port is None else [f"--port={port}"]
    return call([sys.executable, "-m", "jupyterlab", str(target), *options])  # noqa: S603


def _kept(target: Path, changed: list[str]) -> list[str]:
    """Of the files that would be overwritten, those to keep: all, unless somebody agrees."""
    names = ", ".join(changed[:4]) + (", …" if len(changed) > 4 else "")
    tell(f"{target} has {counted(len(changed), 'file')} that you changed: {names}")
    if not sys.stdin.isatty():
        tell("they are kept; --force overwrites them")
        return changed
    sys.stderr.write("Overwrite them? Your work in them is lost. [y/N] ")
    sys.stderr.flush()
    return [] if sys.stdin.readline().strip().lower() in ("y", "yes") else changed


def save_figures(target: Path) -> int:
    """Run the chapters, and save their pictures for slides, and their players for a projector."""
    count = 0
    with to_stdout(), reaching(f"write into {target}", "Name another folder."):
        target.mkdir(parents=True, exist_ok=True)
        for chapter in folder.chapters():
            for name, text in folder.pictures(chapter):
                (target / name).write_text(text, encoding="utf-8", newline="\n")
                count += 1
    if not count:
        raise Refused("no chapter has a picture", FAILED)
    tell(f"{counted(count, 'picture')} and pages → {target}")
    return DONE
