"""The line that made a PyTorch node, where PyTorch was asked to remember it."""

import re
from pathlib import PurePath
from typing import Any

from .arrays import the_torch

__all__ = ["line_of"]

_FRAME = re.compile(r'\s*File "(?P<path>.*)", line (?P<line>\d+), in .*\n\s*(?P<text>.*)')


def line_of(node: Any) -> str | None:
    """Where the user's program made `node`: "train.py, line 12: `y = w * x`".

    Returns:
        None unless the node was made within `torch.autograd.set_detect_anomaly(True)`: PyTorch
        keeps no lines otherwise.
    """
    home = str(PurePath(the_torch().__file__).parent)
    for entry in reversed(node.metadata.get("traceback_", ())):
        frame = _FRAME.match(entry)
        if frame is not None and not frame["path"].startswith(home):
            where = f"{PurePath(frame['path']).name}, line {frame['line']}"
            return f"{where}: `{frame['text']}`" if frame["text"] else where
    return None
