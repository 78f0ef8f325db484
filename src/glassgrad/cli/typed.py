"""What is typed at the prompt of `glassgrad step`: lines, and the numbers in them."""

import ast
import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from glassgrad.core.errors import ArgumentError

from .parsing import whole_number

__all__ = ["count_in", "norm_in", "typed_lines", "value_in"]


def count_in(text: str) -> int:
    """How many steps: the number, or one."""
    number = whole_number(text or "1")
    if not number:
        raise ArgumentError(f"{text!r} is no number of steps. Write `n 3` for three of them.")
    return number


def value_in(text: str) -> Any:
    """A number, or a list of numbers."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    if isinstance(value, bool) or not isinstance(value, (int, float, complex, list)):
        raise ArgumentError(
            f"{text!r} is neither a number nor a list of numbers. A gradient is made of them. "
            "Write `set 10` or `set [1.5, 2]`."
        )
    return value


def norm_in(text: str) -> float:
    """A number from 0 up."""
    try:
        limit = float(text)
    except ValueError:
        limit = -1.0
    if not limit >= 0:
        raise ArgumentError(
            f"break norm {text}? It waits for a gradient that is larger than a number from 0 up. "
            "Write `break norm 10`."
        )
    return limit


def typed_lines() -> Iterator[str]:
    """The lines of stdin; at a terminal behind a prompt, from a pipe shown as they are read."""
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # arrow keys and history
    while True:
        try:
            line = input("(step) " if is_terminal else "")
        except (EOFError, KeyboardInterrupt) as end:
            if is_terminal:
                sys.stdout.write("\n")  # what is said next has a line of its own
            if isinstance(end, EOFError):
                return
            raise
        if not is_terminal:
            sys.stdout.write(f"(step) {line}\n")
        yield line
