"""What the tape is doing right now: modes per thread, and who wants to be told of what.

The modes live in a `threading.local`. Reading one costs as much as a small addition, so the fast
door looks first at sets of the process, `unusual` and `special`, that are empty unless a mode of
some thread differs from its default. They only choose the path; where one is not empty, the
thread's own modes decide.

# Note [Entered whole or not at all]
# Every mode is set by a `Block`. An exception, a KeyboardInterrupt say, may come at any line of it.
#
#     entering    what was is noted before anything changes, and put back if anything comes
#     leaving     what was is put back once more if anything comes
#     in between  a `with` of ours that is interrupted where it ends calls no `__exit__`, but lets
#                 go of its block. A `setting`, which nobody else holds, then leaves as it dies.
#
# To leave calls no deeper than to enter does: it works where Python's stack is full, too.

# Note [One line is not cut]
# An interrupt that comes at a line of its own, `try:` or `with …:`, is outside of what that line
# begins: nobody handles it. What has to be left in any case shares the line with what leaves it.
# Such a line bears `noqa: E701`, by which all of them are found.
"""

import itertools
import threading
from collections.abc import Callable
from sys import _getframe
from types import CodeType, FrameType
from typing import Any, TypeVar

T = TypeVar("T")

# A function of whatever it takes.
Func = Callable[..., Any]

Names = tuple[str, ...]
Shape = tuple[int, ...]

# Operands, the arrays or tensors that they hold, gradients.
Values = tuple[Any, ...]

# Modes of a thread, by name.
Changes = dict[str, Any]

# How to pack a saved tensor, and how to unpack it again.
HookPair = tuple[Func, Func]

# Numbers nodes and in-place writes from one counter, so that they can be compared.
next_seq = itertools.count(1).__next__

# The number of the latest in-place write anywhere (see Note [One compare finds a write]).
last_write = 0

# A mark for each thread that does not record (see the module's docstring).
unusual: set[int] = set()

# A mark for each thread that must take the readable way: inside `inference_mode()`, saved-tensor
# hooks, a scope, a transform or a level of forward mode.
special: set[int] = set()

# A mark for each thread with a tracer, or a watcher: who takes over the passes that begin in it.
watching: set[int] = set()

# While anomalies are looked for: does the next phase of a turn, and looks at it; else None.
anomaly: Func | None = None

# Called with each node that the readable way makes; empty unless somebody asked.
noting: Values = ()

# Called with each op that the readable way does on arrays: the class, operands, values, parameters
# and result.
computed: Values = ()

# Called with each tensor that is about to be written in place; empty unless somebody asked.
before_write: list[Func] = []


def about_to_write(tensor: Any) -> None:
    """Tell whoever wants to know that `tensor` will be changed in place now."""
    for tell in before_write:
        tell(tensor)


def wrote() -> None:
    """Remember that some storage was just changed in place."""
    global last_write
    last_write = next_seq()


class Plugs:
    """Where other packages plug in what few programs need: None until a package is imported.

    Attributes:
        values: operands that are no tensors of one float dtype (`values/operands.py`).
        subclasses: classes of tensors that compute ops by themselves (`levels/subclasses.py`).
        calls: what users pass to a Function, and what its forward returns (`memory/calls.py`).
        saved: what nodes have saved, and what has become of it (`memory/saved.py`).
        hooks: hooks on gradients (`hooks/on_gradients.py`).
        saved_hooks: hooks on saved tensors (`hooks/on_saved.py`).
        task: the class of passes, which can be watched phase by phase (`hooks/turn.py`).
        gradients: what users' rules return, gradients of another shape or dtype than their operand
            (`values/gradients.py`).
        checks: gradients and inputs that a user gives to a pass (`autograd/gradients.py`).
    """

    values: Any = None
    subclasses: Any = None
    calls: Any = None
    saved: Any = None
    hooks: Any = None
    saved_hooks: Any = None
    task: Any = None
    gradients: Any = None
    checks: Any = None


plugs = Plugs()


class _Mark:
    """A thread's entry in the sets of marks; goes with the thread."""

    def __del__(self, marked: Any = (unusual, special, watching)) -> None:
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
        scope: the scopes that are open (`autograd/scopes.py`), told of each node made; or None.
        key: the thread's mark in the sets of the process.
    """

    tracer: Func | None
    watcher: Func | None
    task: Any
    hook_pairs: tuple[HookPair, ...]
    no_hooks: str | None
    levels: Values
    duals: Any
    scope: Any

    def __init__(self) -> None:
        self._mark = _Mark()
        self.key = id(self._mark)
        self.grad = self.forward = True
        self.inference = False
        self.hook_pairs = self.levels = ()
        self.tracer = self.watcher = self.task = self.no_hooks = self.duals = self.scope = None


modes = Modes()


class Block:
    """What enters modes of a thread, or entries of another dict, and puts back what was."""

    outside: Values = ()
    """A dict, what was in it, and `outside` in turn: it may be entered inside of itself."""

    is_brief = False
    """Whether it is left, at the latest, as it dies."""

    begin: Func
    """Enters what is not entered yet. Returns what the block is called inside."""

    def enter(self, value: T, changes: Changes, home: Any = None) -> T:
        """Change entries of `home`, by default of the modes: all or none. Returns `value`."""
        here, was, outer = home or modes.__dict__, {}, self.outside
        for name in changes:
            was[name] = here[name]
        try:
            self.outside = here, was, outer
            return _set(here, changes, value)  # type: ignore[no-any-return]
        except BaseException:
            self.outside = outer
            _set(here, was)
            raise

    def leave(self) -> None:
        """Put back what was; twice is harmless."""
        if self.outside:
            here, was, outer = self.outside
            _set(here, was)
            self.outside = outer
        if self.is_brief:  # it just dies: an interrupt of `__del__` would go nowhere
            self.__class__ = Block

    def __enter__(self) -> Any:
        try: return self.begin()  # Note [One line is not cut]  # noqa: E701  # fmt: skip
        except BaseException:
            self.leave()
            raise

    def __exit__(self, *exc_info: object) -> None:
        try: self.leave()  # noqa: E701  # fmt: skip
        except BaseException:
            self.leave()
            raise


class setting(Block):  # noqa: N801  # reads as a statement: `with setting(grad=False):`
    """The block in which some modes of this thread are others; it leaves them as it found them."""

    def __init__(self, home: Any = None, /, **changes: Any) -> None:
        self.home, self.changes = home, changes

    def __enter__(self) -> None:
        self.enter(None, self.changes, self.home)

    is_brief = True
    __del__ = Block.__exit__


def set_modes(**changes: Any) -> None:
    """Set modes of this thread until somebody sets them again: all of them or none."""
    Block().enter(None, changes)


def _set(here: Changes, wanted: Changes, value: Any = None) -> Any:
    """Set entries of a dict; of modes, derive which paths ops and passes take. Returns `value`."""
    here.update(wanted)
    if "hook_pairs" in here:
        key = here["key"]
        is_special = here["scope"] or here["levels"] or here["duals"] or here["inference"]
        (special.add if is_special or here["hook_pairs"] else special.discard)(key)
        (unusual.discard if here["grad"] else unusual.add)(key)
        (watching.add if here["watcher"] or here["tracer"] else watching.discard)(key)
    return value


def is_recording() -> bool:
    """Whether an op whose operand requires grad gets a node: never inside `inference_mode()`."""
    return modes.grad and not modes.inference


# Which line of the user's is running --------------------------------------------------------------

Place = tuple[CodeType, int]
"""An instruction: its code object, and its offset in bytes. That costs less than an op's smallest
part; the line, and its text, are looked up when an error has to show them."""

HOME = __file__.rpartition("core")[0]


class _Ours(dict[str, bool]):
    """Whether a file is part of this package; looked up once for each name."""

    def __missing__(self, filename: str) -> bool:
        is_own = filename.startswith(HOME) and not filename.startswith(f"{HOME}_demo")
        return self.setdefault(filename, is_own)  # the demo is a program of a user


is_ours = _Ours()
"""By file name. Frames of such files are passed over: a user asks for a line of their own."""


def here(depth: int = 1) -> Place:
    """The instruction that is running in the innermost frame outside of this package.

    Args:
        depth: how many frames to pass over unseen: those of the caller, and of its callers in
            this package. Looking at a frame costs more than the rest.
    """
    try:
        frame = _getframe(depth)
    except ValueError:  # there are not so many
        frame = _getframe(1)
    if is_ours[frame.f_code.co_filename]:
        frame = outside(frame)
    return frame.f_code, frame.f_lasti


def outside(frame: FrameType) -> FrameType:
    """The innermost frame from `frame` on that is not of this package; else the outermost."""
    while is_ours[frame.f_code.co_filename] and (caller := frame.f_back) is not None:
        frame = caller
    return frame
