"""Frames of ours that nobody has to see: a traceback shows the user's lines, and who refused."""

import itertools
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
    return is_ours[frames[0].f_code.co_filename] and not any(map(is_users, frames))


def shorten(error: BaseException, is_known: bool = False) -> None:
    """Leave of each run of frames of ours the first, of the last run also the last, which refused.

    If the last one is beside the engine, the engine's own stays, too.

    An exception that is neither one of ours nor out of the user's code may be a mistake of ours:
    its traceback stays as it is, unless it `is_known` to be the user's.
    """
    frames = way_of(error)
    if SHOWN_WHOLE or not frames:
        return
    files = [each.tb_frame.f_code.co_filename for each in frames]
    if is_ours[files[-1]] and not (is_known or isinstance(error, GlassgradError)):
        return
    kept: list[Any] = []
    at = 0
    for is_mine, run in itertools.groupby(files, is_ours.__getitem__):
        end = at + len(list(run))
        places = list(range(at, end))
        if is_mine and end < len(files):
            places = places[:1]
        elif is_mine and len(places) > 2:
            engines = [place for place in places if _CORE in files[place]]
            places = sorted({places[0], *engines[-1:], places[-1]})
        kept += [frames[place] for place in places]
        at = end
    below: Any = None
    for each in reversed(kept):
        each.tb_next = below
        below = each


def without_first(error: BaseException) -> None:
    """Leave out the frame that has caught `error`, unless nothing else is there; and shorten."""
    rest = error.__traceback__ and error.__traceback__.tb_next
    if rest is not None and not SHOWN_WHOLE:
        error.__traceback__ = rest
        shorten(error)
