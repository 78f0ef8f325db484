"""Frames of ours that nobody has to see: a traceback shows the user's lines, and who refused."""

import itertools
import os
from typing import Any

from glassgrad.core.errors import GlassgradError
from glassgrad.core.state import HOME, is_ours
from glassgrad.source.frames import way_of

MOST = 3
"""So many frames of ours in a row stay."""

_CORE = f"{HOME}core"

SHOWN_WHOLE = bool(os.environ.get("GLASSGRAD_FULL_TRACEBACKS"))
"""For whoever works on glassgrad itself: all frames stay."""


def shorten(error: BaseException, is_known: bool = False) -> None:
    """Leave, of each run of frames of ours, the first, the last, and the engine's between them.

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
        if is_mine and len(places) > MOST:
            engines = [place for place in places[1:-1] if _CORE in files[place]]
            places = [places[0], *engines[-1:], places[-1]]
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
