"""The tasks of each chapter: `chapter_05.py` has those of chapter 5, in their order."""

import importlib
import pkgutil

from glassgrad.core.errors import ArgumentError
from glassgrad.course.task import Task

__all__ = ["numbers", "task_of", "tasks"]


def numbers() -> list[str]:
    """The chapters that have tasks, as "01"."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return sorted(name.removeprefix("chapter_") for name in names)


def tasks(chapter: str | None = None) -> list[Task]:
    """The tasks of a chapter, in their order; None: of all chapters.

    Raises:
        ArgumentError: if there is no such chapter.

    Example:
        >>> [task.id for task in tasks("01")]
        ['01.slopes', '01.best-h', '01.fit']
    """
    if chapter is None:
        return [task for number in numbers() for task in tasks(number)]
    if chapter not in numbers():
        raise ArgumentError(
            f"there is no chapter {chapter!r} with tasks. The chapters are {', '.join(numbers())}. "
            "Write its number in two digits."
        )
    module = importlib.import_module(f"{__name__}.chapter_{chapter}")
    return [value for value in vars(module).values() if isinstance(value, Task)]


def task_of(id: str) -> Task:
    """The task of this id.

    Raises:
        ArgumentError: if there is none, with those that are.
    """
    chapter = str(id).partition(".")[0]
    known = {task.id: task for task in tasks(chapter)} if chapter in numbers() else {}
    if id not in known:
        some = ", ".join(known) or ", ".join(f"{number}.…" for number in numbers())
        raise ArgumentError(
            f"there is no task {id!r}. A task is named by its chapter and a word: {some}. "
            'Write for example `check("01.slopes", slopes)`.'
        )
    return known[id]
