"""What the programs of this package share: a folder to write to, and a progress bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import DataError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["progress", "require_writable", "writing"]


@contextmanager
def progress(
    console: "Console", doing: str, number: str, total: int, *, disable: bool = False
) -> Iterator[Callable[[float], None]]:
    """A progress bar; what it yields moves it on by a step.

    Args:
        doing: the text before it, "training".
        number: what is told behind it, with its format: "loss {:.3f}".
        total: how many steps there are.
        disable: whether to show nothing.
    """
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(doing),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn(number.replace("{", "{task.fields[number]")),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=disable) as shown:
        bar = shown.add_task(doing, total=total, number=nan)
        yield lambda value: shown.update(bar, advance=1, number=value)


def require_writable(out: Path, remedy: str) -> None:
    """Make the folder, and see before any work is done whether it takes a file; see `writing`."""
    with writing(out, remedy):
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".glassgrad-can-write"
        probe.write_text("")
        probe.unlink()


@contextmanager
def writing(out: Path, remedy: str) -> Iterator[None]:
    """Tell of an error of the file system as one about the folder.

    Args:
        remedy: what goes there, and how another folder is named.

    Raises:
        DataError: for an OSError inside.
    """
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot write into {out}: {error.strerror or error}. {remedy}") from error
