"""What a tensor is called in the program that is running: sought when it has to be told."""

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from glassgrad.core.state import Place, is_ours

_LIBRARIES = ("torch",)
_MOST = 200  # values of one container


def user_frames() -> Iterator[FrameType]:
    """The frames that run, the innermost first, without those of this package and of PyTorch."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_ours[frame.f_code.co_filename] and not _is_of_library(frame):
            yield frame
        frame = frame.f_back


def _is_of_library(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] in _LIBRARIES


def user_place() -> Place | None:
    """The instruction of the user's program that is running."""
    frame = next(user_frames(), None)
    return None if frame is None else (frame.f_code, frame.f_lasti)


def name_of(tensor: Any) -> str | None:
    """A tensor's name: its own, a variable's, a parameter's; None if nothing in sight has it."""
    own = getattr(tensor, "name", None)
    if isinstance(own, str):
        return own
    for frame in user_frames():
        for scope in (frame.f_locals, frame.f_globals):
            for name, value in list(scope.items()):
                if not name.startswith("__") and (found := _within(name, value, tensor, 2)):
                    return found
    return None


def _within(name: str, value: Any, tensor: Any, depth: int) -> str | None:
    """How `tensor` is reached from a variable, if it is."""
    if value is tensor:
        return name
    if isinstance(value, (str, bytes, int, float, type)):
        return None
    parameters: Any = getattr(type(value), "named_parameters", None)
    is_module = callable(parameters)
    for path, each in parameters(value) if is_module else ():
        if each is tensor:
            return f"{name}.{path}"
    parts: Any = ()
    if type(value) is dict:
        parts = [(f"{name}[{key!r}]", part) for key, part in list(value.items())[:_MOST]]
    elif type(value) in (list, tuple):
        parts = [(f"{name}[{at}]", part) for at, part in enumerate(value[:_MOST])]
    elif is_module or name == "self":
        inside = list(getattr(value, "__dict__", {}).items())[:_MOST]
        parts = [(f"{name}.{key}", part) for key, part in inside if key[:1] != "_"]
    for inner, part in parts:
        if depth and (found := _within(inner, part, tensor, depth - 1)):
            return found
    return None
