"""What the programs of this package share: where they write to, and a progress bar."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from .core.errors import DataError

if TYPE_CHECKING:
    from rich.console import Console


PROBE = ".glassgrad-can-write"


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
        probe = out / PROBE
        probe.write_text("")
        probe.unlink()


@contextmanager
def writing(out: Path, remedy: str) -> Iterator[None]:
    """Tell of an error of the file system as one about a file in the folder, or the folder.

    Args:
        remedy: what goes there, and how another folder is named.

    Raises:
        DataError: for an OSError inside.
    """
    try:
        yield
    except OSError as error:
        file = Path(error.filename or "")
        is_within = file.parent == out and file.name not in ("", PROBE)
        where = str(file) if is_within else f"into {out}"
        raise DataError(f"cannot write {where}: {error.strerror or error}. {remedy}") from error


@contextmanager
def to_stdout() -> Iterator[None]:
    """Write to stdout inside; what is still on its way there at the end is sent off.

    Raises:
        DataError: if stdout is closed, or takes nothing.
        BrokenPipeError: if who reads it has seen enough.
    """
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed")
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise DataError(
            f"cannot write to stdout: {error.strerror or error}. What is told goes there. Send it "
            "to a file or a program that takes it, or leave the redirection out."
        ) from error


def silence() -> None:
    """Send what stdout still holds nowhere: Python would complain of it at the very end."""
    if sys.stdout is not None:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
