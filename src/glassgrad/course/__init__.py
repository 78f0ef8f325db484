"""The exercises of the course check themselves: `gg.course.check("01.slopes", slopes)`.

In reading order:

task       what a task is: a stub, cases from small to large, known mistakes
chapters/  the tasks of each chapter
diagnoses  what is wrong with a result, said by how it differs from the right one
guard      runs an answer in a process of its own: hanging, exiting, flooding do no harm
judge      `check`: tries an answer, and reports on the smallest case that fails
tapes      a student's own tape, watched, beside glassgrad's
figures    charts of the chapters: curves, maps of numbers, a slider
grading    `glassgrad check`: files of stubs, from a terminal
folder     `glassgrad course`: the chapters, copied
"""

import sys
import types
from typing import Any

from . import guard
from .chapters import tasks
from .figures import Figure, heat, plot, slider
from .judge import Report, check
from .tapes import OwnTape, own_tape
from .task import Case, Mistake, Task, call, value

guard.remember()


class _Kept(types.ModuleType):
    """This module: a cell that puts a function of its own in place of `check` is told so."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in __all__:
            raise AttributeError(
                f"glassgrad.course.{name} cannot be replaced: it judges answers, and a class "
                "relies on it. Give your own function another name."
            )
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Kept

__all__ = [
    # in a cell
    "check",
    "Report",
    # what a task is
    "tasks",
    "Task",
    "Case",
    "Mistake",
    "call",
    "value",
    # a student's own tape
    "own_tape",
    "OwnTape",
    # charts
    "plot",
    "heat",
    "slider",
    "Figure",
]
