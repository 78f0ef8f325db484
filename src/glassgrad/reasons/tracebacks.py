"""Frames of ours that nobody has to see: a traceback shows the user's lines, and who refused."""

import os
from typing import Any

from glassgrad.core.errors import GlassgradError
from glassgrad.core.state import HOME, is_ours
from glassgrad.source.frames import is_users, way_of

_CORE = f"{HOME}core"

SHOWN_WHOLE = bool(os.environ.get("GLASSGRAD_FULL_TRACEBACKS"))
"""For whoever works on glassgrad itself: all frames stay."""


def is_told_of(caught: BaseException) -> bool:
    """Whether an error that ours raise says all of the exception that they have `caught`.

    So it does unless lines of the user's lead there: they caught it, or it came through them.
    """
    frames = [each.tb_frame for each in way_of(caught)]
    is_of_ours = bool(frames) and is_ours[frames[0].f_code.co_filename]
    return is_of_ours and not any(map(is_users, frames))


def shorten(error: BaseException, is_known: bool = False) -> None:
    """Leave of frames of ours the first, which the user has called, and the last, which refused.

    Before the last, the first of its run stays, too, or the last of the engine's.

    An exception that is neither one of ours nor out of the user's code may be a mistake of ours:
    its traceback stays as it is, unless it `is_known` to be the user's.
    """
    frames = way_of(error)
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
    places = sorted(stay, reverse=True)
    if isinstance(error, RecursionError):  # all in between are the same, over and over
        places = [*places[:_OF_EACH_END], *places[_OF_EACH_END:][-_OF_EACH_END:]]
    for place in places:
        frames[place].tb_next = below
        below = frames[place]


_OF_EACH_END = 10
"""How many frames stay at each end of a recursion that is too deep."""


def _others(files: list[str]) -> list[int]:
    return [place for place, file in enumerate(files) if not is_ours[file]]


def without_first(error: BaseException, count: int = 1) -> None:
    """Leave out the frame that has caught `error`, unless nothing else is there; and shorten.

    Args:
        count: how many frames to leave out, with those below it.
    """
    for _ in range(0 if SHOWN_WHOLE else count):
        rest = error.__traceback__ and error.__traceback__.tb_next
        if rest is not None:
            error.__traceback__ = rest
    shorten(error)
