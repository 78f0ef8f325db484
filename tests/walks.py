"""The calls that something takes: on any machine the same."""

import gc
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["calls_in"]


def calls_in(run: Callable[[], Any], *events: str) -> list[tuple[str, str]]:
    """(file, function) of each call while `run` runs; of those of C, too, if asked for "c_call".

    Nothing is collected meanwhile: who is told of that would be called as well.
    """
    found = []

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" or event in events:
            found.append((frame.f_code.co_filename, frame.f_code.co_qualname))

    before, collects = sys.getprofile(), gc.isenabled()
    gc.collect()  # what others have left behind, as checkpoints that logs look at
    gc.disable()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    return found
