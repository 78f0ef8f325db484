"""What the tape is doing right now: modes per thread, and one flag the fast doors read.

The modes live in a `threading.local`. Reading one costs as much as a small addition, so the
fast doors of `doors.py` look first at sets of the process, `unusual` and `special`, that are
empty unless a mode of some thread differs from its default. They only choose the path; where one
is not empty, the thread's own modes decide.
`no_grad` and its kin, which set the modes, are in `autograd/grad_mode.py`.
"""

import itertools
import threading
from collections.abc import Callable
from typing import Any

from glassgrad.base.errors import TransformError

__all__ = ["HookPair", "is_grad_enabled", "is_inference_mode_enabled", "modes", "set_modes"]

# How to pack a saved tensor, and how to unpack it again.
HookPair = tuple[Callable[[Any], Any], Callable[[Any], Any]]

# A mark for each thread that does not record (see the module's docstring).
unusual: set[int] = set()

# Numbers nodes and in-place writes from one counter, so that they can be compared.
next_seq = itertools.count(1).__next__

# The number of the latest in-place write anywhere (see Note [One compare finds a write]).
last_write = 0


# A mark for each thread that must take the slow door: inside `inference_mode()`, saved-tensor
# hooks, a transform or a level of forward mode.
special: set[int] = set()

# A mark for each thread that has a watcher: somebody takes over the passes that begin in it.
watching: set[int] = set()

# The passes that are being watched: only while there are any does a thread have a tracer.
tracing: set[int] = set()

# While anomalies are looked for, who does: it has `run(task)` and `step(turn)`; else None.
anomaly: Any = None

# Called with each node that the slow door makes; empty unless somebody asked.
noting: tuple[Callable[[Any], None], ...] = ()

# Called with each op that the slow door does on arrays: the class, operands, values, parameters
# and result.
computed: tuple[Callable[..., None], ...] = ()

# A mark for each thread inside `scope()`; such a thread takes the slow door, which notes nodes.
scoped: set[int] = set()


# Called with each tensor that is about to be written in place; empty unless somebody asked.
before_write: list[Callable[[Any], None]] = []


_MARKED = unusual, special, scoped, watching


class _Mark:
    """A thread's entry in these sets; goes with the thread."""

    __slots__ = ()

    def __del__(self, marked: tuple[set[int], ...] = _MARKED) -> None:
        for marks in marked:  # bound early: at exit the module's names may be gone
            marks.discard(id(self))


class Modes(threading.local):
    """The modes of one thread.

    Attributes:
        grad: whether ops are recorded.
        inference: whether new tensors are made without autograd metadata.
        tracer: called with (event name, node, …) by a watched pass, or None.
        watcher: called with each pass that is about to run, which it brings to its end; or None.
        task: the backward pass that is running, the innermost one, or None.
        hook_pairs: (pack, unpack) of the saved-tensor hooks entered, the innermost last.
        no_hooks: why saved-tensor hooks may not be entered now; None: they may.
        levels: the transforms that are open, the innermost last (`levels/level.py`).
        duals: the level of forward mode that is open (`levels/duals.py`), or None.
        forward: whether ops move the tangents of such a level on.
        scope: the scopes that are open and the module they end in (`autograd/scopes.py`), or None.
        key: the thread's mark in the sets of the process.
    """

    grad: bool = True
    inference: bool = False
    tracer: Callable[..., None] | None = None
    watcher: Callable[[Any], None] | None = None
    task: Any = None
    hook_pairs: tuple[HookPair, ...] = ()
    no_hooks: str | None = None
    levels: tuple[Any, ...] = ()
    duals: Any = None
    forward: bool = True
    scope: tuple[Any, Any] | None = None

    def __init__(self) -> None:
        self._mark = _Mark()
        self.key = id(self._mark)


modes = Modes()


def about_to_write(tensor: Any) -> None:
    """Tell whoever wants to know that `tensor` will be changed in place now."""
    for tell in before_write:
        tell(tensor)


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


def refuse_inside(call: str) -> None:
    """Raise if a transform is being computed: `call` would tell the tape, and not the transform."""
    if modes.levels:
        kinds = " of ".join([level.kind for level in modes.levels])
        raise TransformError(
            f"You are attempting to call {call} (or perhaps using torch.autograd.functional.* "
            "APIs, or ours) inside of a function being transformed by a functorch transform: "
            f"{kinds}. This is unsupported: a transform keeps derivatives of its own. Please use "
            "grad, vjp, jvp, jacrev, jacfwd or hessian of glassgrad.func there, or call it outside."
        )


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
    if inference or special:
        mark_special()


def modes_to_hand_over() -> dict[str, Any]:
    """The modes of this thread, for another one that does a part of its work."""
    own = ("key", "_mark", "task", "tracer")
    return {name: value for name, value in vars(modes).items() if name not in own}


def take_over(given: dict[str, Any]) -> None:
    """Give this thread, a new one, the modes of another."""
    vars(modes).update(given)
    if modes.scope is not None:
        scoped.add(modes.key)
    set_watcher(modes.watcher)
    set_modes(modes.grad, modes.inference)
    mark_special()


class unrecorded:  # noqa: N801  # it reads like `no_grad`, which is for users
    """The block in which this thread records nothing."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = modes.grad
        set_modes(False, modes.inference)

    def __exit__(self, *exc_info: object) -> None:
        set_modes(self.before, modes.inference)


def set_hook_pairs(pairs: tuple[HookPair, ...]) -> None:
    """Set the saved-tensor hooks of this thread; the last pair is the one that acts."""
    modes.hook_pairs = pairs
    mark_special()


def set_watcher(watcher: Callable[[Any], None] | None) -> None:
    """Let somebody take over the passes that begin in this thread; None: they run by themselves."""
    modes.watcher = watcher
    (watching.discard if watcher is None else watching.add)(modes.key)


def set_levels(levels: tuple[Any, ...]) -> None:
    """Set the open transforms of this thread, the innermost last."""
    modes.levels = levels
    mark_special()


def set_duals(level: Any) -> None:
    """Set the level of forward mode that is open in this thread; None: there is none."""
    modes.duals = level
    mark_special()


def mark_special() -> None:
    """Send this thread's ops through the slow door if there is a reason to."""
    here = modes.__dict__.get
    is_level = here("levels") or here("duals") is not None
    found = is_level or here("inference") or here("hook_pairs") or here("scope") is not None
    (special.add if found else special.discard)(modes.key)
