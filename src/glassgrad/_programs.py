"""What the programs of this package share: exit codes, numbers typed, files, a progress bar."""

import argparse
import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from ._words import printable
from .core.errors import DataError, GlassgradError

if TYPE_CHECKING:
    from rich.console import Console


DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
PROBE = ".glassgrad-can-write"


class Refused(Exception):  # noqa: N818  # no error of the library: how a program ends
    """Ends a program with a reason, told on stderr, and an exit code."""

    def __init__(self, reason: str, code: int = MISUSED) -> None:
        super().__init__(reason)
        self.code = code


def run_program(name: str, work: Callable[[], int]) -> int:
    """Do the work of a program, and tell on stderr what ends it.

    Args:
        name: what stands before the reason.
        work: returns the exit code. It may end with SystemExit, too, as argparse does.

    Returns:
        The exit code.
    """
    code, reason = FAILED, ""
    try:
        with _escaping():
            return work()
    except SystemExit as request:  # --help and --version end here, and mistakes
        return int(request.code or DONE)
    except BrokenPipeError:  # who reads our output has seen enough: `… | head -1`
        silence()
        return DONE
    except KeyboardInterrupt:
        code, reason = INTERRUPTED, "stopped"
    except Refused as refusal:
        code, reason = refusal.code, str(refusal)
    except ModuleNotFoundError as error:
        reason = absent(str(error.name))
    except GlassgradError as error:
        reason = str(error)
    tell(reason, name)
    return code


def absent(module: str) -> str:
    """What to do about a module that glassgrad looks for, and is not installed."""
    package = module.partition(".")[0]
    return (
        f"the package {package} is not installed, and is needed here. What glassgrad needs comes "
        "with it. In a copy of the source, write `pip install .`, and for more an extra of the "
        "page Install."
    )


@contextmanager
def _escaping() -> Iterator[None]:
    """Escape, inside, signs that the encoding of stdout has not, as stderr does."""
    stdout = sys.stdout
    if not isinstance(stdout, TextIOWrapper) or stdout.errors != "strict":
        yield
        return
    stdout.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        if not stdout.closed:
            stdout.reconfigure(errors="strict")


def tell(text: str, name: str = "glassgrad") -> None:
    """Say something on stderr, under the program's name; stdout is the script's."""
    sys.stderr.write(printable(f"{name}: {text}\n"))


# What is typed -----------------------------------------------------------------------------------


def whole_number(text: str) -> int:
    """The number that `text` writes in decimal digits, up to 18 of them; 0 if it writes none.

    Example:
        >>> whole_number("12"), whole_number("²"), whole_number("many")
        (12, 0, 0)
    """
    return int(text) if text.isdecimal() and len(text) <= 18 else 0


def real_number(text: str) -> float:
    """The number that `text` writes; nan if it writes none.

    Example:
        >>> real_number("1e-5"), real_number("many")
        (1e-05, nan)
    """
    try:
        return float(text)
    except ValueError:
        return nan


def at_least_one(text: str) -> int:
    """A whole number from 1 up, as an argument of argparse."""
    number = whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return number


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


# Files -------------------------------------------------------------------------------------------


@contextmanager
def reaching(doing: str, remedy: str) -> Iterator[None]:
    """Tell of an error of the file system in a sentence.

    Args:
        doing: what cannot be done then: "read a.json".
        remedy: what the file is for, and what to write instead.

    Raises:
        DataError: for an OSError inside.
    """
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot {doing}: {error.strerror or error}. {remedy}")


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
        with reaching(f"write {file}" if is_within else f"write into {out}", remedy):
            raise


@contextmanager
def to_stdout() -> Iterator[None]:
    """Write to stdout inside; what is still on its way there at the end is sent off.

    Raises:
        DataError: if stdout is closed, or takes nothing.
        BrokenPipeError: if who reads it has seen enough.
    """
    try:
        if not is_open():
            raise OSError(errno.EBADF, "it is closed")
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        silence()
        remedy = "Send it to a file or a program that takes it, or leave the redirection out."
        with reaching("write to stdout", f"What is told goes there. {remedy}"):
            raise


def is_open() -> bool:
    """Whether there is a stdout: none may have come with the process, and a script may close it."""
    return sys.stdout is not None and not sys.stdout.closed


def silence() -> None:
    """Send what stdout still holds nowhere: Python would complain of it at the very end."""
    if is_open():
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
