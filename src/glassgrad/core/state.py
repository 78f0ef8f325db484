"""What the tape is doing right now: modes per thread, and one flag the fast doors read.

The modes live in a `threading.local`. Reading one costs as much as a small addition, so the
fast doors of `doors.py` look first at sets of the process, `unusual` and `inferring`, that are
empty unless a mode of some thread differs from its default. They only choose the path; where one
is not empty, the thread's own modes decide.
`no_grad` and its kin, which set the modes, are in `autograd/grad_mode.py`.
"""

import itertools
import threading
from collections.abc import Callable

__all__ = ["is_grad_enabled", "is_inference_mode_enabled", "modes", "set_modes"]

unusual: set[int] = set()
"""A mark for each thread that does not record (see the module's docstring)."""

next_seq = itertools.count(1).__next__
"""Numbers nodes and in-place writes from one counter, so that they can be compared."""

last_write = 0
"""The number of the latest in-place write anywhere (see Note [One compare finds a write])."""


inferring: set[int] = set()
"""A mark for each thread inside `inference_mode()`."""

tracing: set[int] = set()
"""The passes that are being watched: only while there are any does a thread have a tracer."""


class _Mark:
    """A thread's entry in these sets; goes with the thread."""

    __slots__ = ()

    def __del__(self, marked: tuple[set[int], ...] = (unusual, inferring)) -> None:
        for marks in marked:  # bound early: at exit the module's names may be gone
            marks.discard(id(self))


class Modes(threading.local):
    """The modes of one thread.

    Attributes:
        grad: whether ops are recorded.
        inference: whether new tensors are made without autograd metadata.
        tracer: called with (event name, node, …) by a watched pass, or None.
        depth: how many backward passes run inside each other.
        key: the thread's mark in the sets of the process.
    """

    grad: bool = True
    inference: bool = False
    tracer: Callable[..., None] | None = None
    depth: int = 0

    def __init__(self) -> None:
        self._mark = _Mark()
        self.key = id(self._mark)


modes = Modes()


def wrote() -> None:
    """Remember that some storage was just changed in place."""
    global last_write
    last_write = next_seq()


def is_grad_enabled() -> bool:
    """Whether ops are recorded in this thread."""
    return modes.grad


def is_recording() -> bool:
    """Whether an op whose operand requires grad gets a node: never inside `inference_mode()`."""
    return modes.grad and not modes.inference


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode()`."""
    return modes.inference


def set_modes(grad: bool, inference: bool) -> None:
    """Set both modes of this thread at once."""
    modes.grad = grad
    modes.inference = inference
    if grad:
        unusual.discard(modes.key)
    else:
        unusual.add(modes.key)
    if inference:
        inferring.add(modes.key)
    elif inferring:
        inferring.discard(modes.key)
