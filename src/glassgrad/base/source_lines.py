"""Where in the user's source something happened: which line saved a tensor, which one wrote it.

A place is kept as (code object, offset of the instruction), since that costs less than an op's
smallest part; the line, and its text, are looked up when an error has to show them.
"""

import linecache
import re
import sys
from itertools import islice
from sys import _getframe
from types import CodeType, FrameType

__all__ = ["Place", "here", "is_ours", "outside", "shown"]

Place = tuple[CodeType, int]
"""An instruction: its code object, and its offset in bytes."""

_HOME = __file__.rpartition("base")[0]
_DEMO = f"{_HOME}_demo"  # a program of a user, for all that is shown of it


class _Ours(dict[str, bool]):
    """Whether a file is part of this package; looked up once for each name."""

    def __missing__(self, filename: str) -> bool:
        found = filename.startswith(_HOME) and not filename.startswith(_DEMO)
        self[filename] = found
        return found


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
    frame = outside(frame)
    return frame.f_code, frame.f_lasti


def outside(frame: FrameType) -> FrameType:
    """The innermost frame from `frame` on that is not of this package; else the outermost."""
    while is_ours[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame


def shown(place: Place) -> str:
    """A place as a reader finds it: "train.py, line 12: `y = w * x`", "cell 3, line 2: …"."""
    code, offset = place
    if is_ours[code.co_filename]:
        return f"inside glassgrad's {code.co_qualname}"
    line = next(islice(code.co_positions(), offset // 2, None), (None,))[0] or code.co_firstlineno
    text = linecache.getline(code.co_filename, line).strip()
    where = f"{_file(code.co_filename)}, line {line}"
    return f"{where}: `{text}`" if text else where


def _file(filename: str) -> str:
    """A file's name, or the number of the notebook cell."""
    cell = re.match(r"<ipython-input-(\d+)-", filename)
    number = int(cell.group(1)) if cell else _cell_numbers().get(filename)
    return re.split(r"[/\\]", filename)[-1] if number is None else f"cell {number}"


def _cell_numbers() -> dict[str, int]:
    """The notebook's cells by the file names that IPython gave them."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(getattr(shell, "compile", None), "_filename_map", {})
