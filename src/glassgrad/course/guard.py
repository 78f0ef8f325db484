"""Runs an answer where it can do no harm: in a process of its own, for a time, with little output.

The process is a copy of this one (a fork), so it has the answer and all that the answer needs; what
the answer does to variables, to the screen or to Python itself ends with it. Where there is no
`fork`, on Windows, it runs in place, and what hangs is stopped by the notebook's own button.
"""

import builtins
import contextlib
import io
import math
import os
import signal
import sys
import time
import types
import warnings
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

MOST_PRINTED = 20_000  # characters; more is a flood
MOST_MEMORY = 4 << 30  # bytes beyond those that are in use
OWN = "glassgrad"
BUILTINS = "abs all any callable dict float getattr isinstance len list max min print range sum zip"


class Flooded(BaseException):
    """An answer has printed more than anybody reads. No `except Exception` of its own stops it."""


class Ended(NamedTuple):
    """How a process ended.

    Attributes:
        result: what it returned; None if it did not come that far.
        reached: what it had said last about where it is.
        why: "", "hangs", "exits" or "broken" if there is no result.
    """

    result: Any
    reached: Any
    why: str


class Printed(io.StringIO):
    """What an answer prints, up to a limit."""

    def write(self, text: str) -> int:
        if self.tell() + len(text) > MOST_PRINTED:
            super().write(text[: MOST_PRINTED - self.tell()])
            raise Flooded
        return super().write(text)


def run_apart(work: Callable[[Callable[[Any], None]], Any], seconds: float) -> Ended:
    """Run `work` in a copy of this process.

    Args:
        work: is given a function to say how far it is; what it returns must be picklable.
        seconds: after these it is ended.
    """
    if not hasattr(os, "fork"):
        return Ended(work(lambda _: None), None, "")
    receiving, sending = Pipe(duplex=False)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with warnings.catch_warnings():
        # Other threads of a notebook are not copied; the child only computes, and waits for none.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _be_the_child(work, sending)
    sending.close()
    reached, until = None, time.monotonic() + seconds
    try:
        while receiving.poll(max(until - time.monotonic(), 0)):
            try:
                is_done, told = receiving.recv()
            except EOFError:
                return Ended(None, reached, "exits")
            if is_done:
                return Ended(told, reached, "")
            reached = told
        return Ended(None, reached, "hangs")
    finally:
        for end in (os.killpg, os.kill):  # with all that it has started
            with contextlib.suppress(ProcessLookupError):
                end(child, signal.SIGKILL)
        os.waitpid(child, 0)
        receiving.close()


def _be_the_child(work: Callable[[Callable[[Any], None]], Any], sending: Connection) -> None:
    """Do the work, tell the result, and end: nothing of this process may go on."""
    try:
        os.setpgrp()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's to answer
        _limit_memory()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        builtins.input = _no_input
        sending.send((True, work(lambda where: sending.send((False, where)))))
    finally:
        os._exit(0)


def _limit_memory() -> None:
    import resource  # there is none on Windows, nor a fork

    with contextlib.suppress(OSError, ValueError):
        pages = int(open("/proc/self/statm").read().split()[0])  # noqa: PTH123, SIM115
        most = pages * resource.getpagesize() + MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _no_input(*_: Any) -> str:
    raise EOFError("input() waits for somebody to type, and nobody is here while it is checked")


# What must not be replaced -----------------------------------------------------------------------

Place = tuple[str, str]


def _places() -> dict[Place, Any]:
    """The functions and classes that judge, and those that they rely on, by module and name."""
    names = [name for name in sys.modules if f"{name}.".startswith(f"{OWN}.course.")]
    names += [f"{OWN}.tracing", f"{OWN}.core.backward", f"{OWN}.core.engine", "math", "numpy"]
    found = {
        (name, key): value
        for name in names
        if name in sys.modules
        for key, value in vars(sys.modules[name]).items()
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc))
    }
    return found | {("builtins", key): getattr(builtins, key) for key in BUILTINS.split()}


_own: dict[Place, Any] = {}


def remember() -> None:
    """Remember what is in its place; called when the checker is imported."""
    _own.update(_places())


def replaced() -> str | None:
    """The name of a function that is no longer the one that was imported; None: all are."""
    now = _places()
    for place, value in _own.items():
        if now.get(place) is not value:
            return ".".join(place)
    return None if math.isclose(np.sin(0.5), math.sin(0.5)) else "numpy.sin"
