"""Which frames are the user's: neither ours, nor Python's, nor those of an installed library."""

import os
import re
import sys
from functools import lru_cache
from types import FrameType, TracebackType
from typing import Any

from glassgrad.core.state import Place, is_ours

_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
_PYTHON = os.__file__.removesuffix("os.py")


@lru_cache(maxsize=1024)
def is_users_file(filename: str) -> bool:
    """Whether a file is the user's: not of this package, of Python's, or of an installed one."""
    if is_ours[filename] or filename.startswith((_PYTHON, "<frozen ", "<__array_function__")):
        return False
    torch = getattr(sys.modules.get("torch"), "__file__", None)  # may be built where its source is
    is_torch = torch is not None and filename.startswith(torch.removesuffix("__init__.py"))
    return not is_torch and _LIBRARY.search(filename) is None


def is_users(frame: FrameType) -> bool:
    """Whether a frame is of the user's: of no function either that was put together here."""
    filename = frame.f_code.co_filename
    if filename != "<string>":
        return is_users_file(filename)
    return not str(frame.f_globals.get("__name__", "")).startswith("glassgrad.")


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame from `frame` on that is the user's; None if there is none."""
    while frame is not None and not is_users(frame):
        frame = frame.f_back
    return frame


def users_place() -> Place | None:
    """The instruction of the user's program that is running."""
    frame = users_frame(sys._getframe(1))
    return None if frame is None else (frame.f_code, frame.f_lasti)


def way_of(error: BaseException) -> list[TracebackType]:
    """The frames that an error has come through, the outermost first."""
    found, link = [], error.__traceback__
    while link is not None:
        found.append(link)
        link = link.tb_next
    return found


def made_at(node: Any) -> Place | None:
    """The instruction that made `node` of a graph, if that is known."""
    code = getattr(node, "caller_code", None)
    return None if code is None else (code, node.caller_offset)
