"""Grades files of stubs that a student has filled in, task by task."""

import runpy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from glassgrad._programs import FAILED, Refused

from .chapters import numbers, task_of, tasks
from .folder import STUBS
from .judge import Report, judge
from .task import Task

SCHEMA = "glassgrad.score/1"


def chosen(names: Sequence[str], folder: Path) -> list[Task]:
    """The tasks that are meant by chapters ("05") and ids ("05.matmul"); by nothing, all here.

    Raises:
        ArgumentError: for a chapter or a task that there is none of.
    """
    here = [number for number in numbers() if _path(folder, number).exists()]
    meant = names or here
    found = [[task_of(name)] if "." in name else tasks(name.zfill(2)) for name in meant]
    return [task for several in found for task in several]


def folder_of_stubs(given: Path | None) -> Path:
    """The folder that has the files: the one given, or that of a copy in or above this place."""
    places = (
        [Path(STUBS), Path("course", STUBS), Path()] if given is None else [given, given / STUBS]
    )
    for place in places:
        if any(place.glob("chapter_[0-9][0-9].py")):
            return place
    where = "here, in stubs/ or in course/stubs/" if given is None else f"in {given}"
    raise Refused(
        f"there is no chapter_….py {where}. `glassgrad course` writes the stubs to fill in.",
        FAILED,
    )


def graded(wanted: Sequence[Task], folder: Path) -> Iterator[Report]:
    """The report of each task, as its file in `folder` answers it."""
    for task in wanted:
        path = _path(folder, task.chapter)
        yield judge(task, lambda path=path, task=task: _answer(path, task.name))  # type: ignore[misc]


def _path(folder: Path, chapter: str) -> Path:
    return folder / f"chapter_{chapter}.py"


def _answer(path: Path, name: str) -> Any:
    defined = runpy.run_path(str(path))
    if name not in defined:
        raise NameError(f"{path.name} defines no `{name}`")
    return defined[name]


def score_of(reports: Sequence[Report], wanted: Sequence[Task]) -> dict[str, Any]:
    """The score as JSON has it; a task that is not passed gives no points."""
    rows = [
        {
            "task": report.task,
            "title": report.title,
            "passed": report.passed,
            "cases": report.cases,
            "right": report.right,
            "points": task.points if report.passed else 0,
            "of": task.points,
            "says": [] if report.passed else report.lines(),
        }
        for report, task in zip(reports, wanted, strict=True)
    ]
    points, of = (sum(row[key] for row in rows) for key in ("points", "of"))  # type: ignore[misc]
    return {"schema": SCHEMA, "points": points, "of": of, "tasks": rows}
