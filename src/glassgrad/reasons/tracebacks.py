"""Frames of ours that nobody has to see: a traceback shows the user's lines, and who refused."""

import os
import sysconfig
from types import TracebackType
from typing import Any

from glassgrad.core.errors import GlassgradError
from glassgrad.core.state import HOME, is_ours

_CORE = f"{HOME}core"
_LIBRARIES = (*{sysconfig.get_path(each) for each in ("stdlib", "purelib", "platlib")}, "<frozen")
_NO_FILES = "<string>", "<__array_function__ internals>"

SHOWN_WHOLE = bool(os.environ.get("GLASSGRAD_FULL_TRACEBACKS"))
"""For whoever works on glassgrad itself: all frames stay."""


def is_users(filename: str) -> bool:
    """Whether a file is the user's: neither ours nor a library's, and there are lines to show."""
    is_library = filename in _NO_FILES or filename.startswith(_LIBRARIES)
    return not is_library and not is_ours[filename]


def is_told_of(caught: BaseException) -> bool:
    """Whether an error that ours raise says all of the exception that they have `caught`.

    So it does unless lines of the user's lead there: they caught it, or it came through them.
    """
    files = [each.tb_frame.f_code.co_filename for each in frames_of(caught)]
    return bool(files) and is_ours[files[0]] and not any(map(is_users, files))


def shorten(error: BaseException, is_known: bool = False) -> None:
    """Leave of frames of ours the first, which the user has called, and the last, which refused.

    Before the last, the first of its run stays, too, or the last of the engine's.

    An exception that is neither one of ours nor out of the user's code may be a mistake of ours:
    its traceback stays as it is, unless it `is_known` to be the user's.
    """
    frames = frames_of(error)
    if SHOWN_WHOLE or not frames:
        return
    files = [each.tb_frame.f_code.co_filename for each in frames]
    if is_ours[files[-1]] and not (is_known or isinstance(error, GlassgradError)):
        return
    ours = [place for place, file in enumerate(files) if is_ours[file]]
    last_run = [place for place in ours if place > max(_others(files), default=-1)]
    stay = {*_others(files), *ours[:1], *last_run[:1], *last_run[-1:]}
    if ours[:1] == last_run[:1]:
        stay |= {*[place for place in last_run if _CORE in files[place]][-1:]}
    below: Any = None
    for place in sorted(stay, reverse=True):
        frames[place].tb_next = below
        below = frames[place]


def _others(files: list[str]) -> list[int]:
    return [place for place, file in enumerate(files) if not is_ours[file]]


def frames_of(error: BaseException) -> list[TracebackType]:
    """The frames that an error has come through, the innermost last."""
    found, each = [], error.__traceback__
    while each is not None:
        found.append(each)
        each = each.tb_next
    return found


def without_first(error: BaseException) -> None:
    """Leave out the frame that has caught `error`, unless nothing else is there; and shorten."""
    rest = error.__traceback__ and error.__traceback__.tb_next
    if rest is not None and not SHOWN_WHOLE:
        error.__traceback__ = rest
        shorten(error)
