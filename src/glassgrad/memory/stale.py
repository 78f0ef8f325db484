"""The errors about saved tensors: who saved what and where, and what has become of it."""

import linecache
import sys
from typing import Any

from glassgrad.core.errors import GraphError, StaleTensorError
from glassgrad.core.state import Place, is_ours
from glassgrad.core.tensor import Pending, Tensor, Version
from glassgrad.values.dtypes import tensor_type

from .remedies import remedy, span


def stale_error(
    node: Any, saved_as: str, tensor: Tensor, version: Version, expected: int
) -> Exception:
    """The error for a saved tensor that was written since.

    Args:
        node: what saved it.
        saved_as: under which name, "" for none.
        tensor: shows what it is now.
        version: of its storage.
        expected: what the version was when it was saved.
    """
    kind = tensor_type(tensor.dtype)
    shape = ", ".join(str(n) for n in tensor.shape)
    edge = tensor.edge.was if tensor.edge.__class__ is Pending else tensor.edge
    origin = ""
    if edge is not None:
        maker = getattr(edge, "node", edge).op_name()
        origin = f", which is output {getattr(edge, 'output_nr', 0)} of {maker},"
    code, wrote = getattr(node, "caller_code", None), version.written_line
    saved = f" ({shown((code, node.caller_offset))})" if code else ""
    written = f" The last write was in {shown(wrote)}." if wrote else ""
    under = f" as {saved_as!r}" if saved_as else ""
    return StaleTensorError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind} [{shape}]]{origin} is at version {version.count}; expected version "
        f"{expected} instead. {_name_of(tensor)} was saved by {node.name()}{under}{saved} at "
        f"version {expected} and is now at version {version.count}: the values that its gradient "
        f"is computed from are gone.{written} {remedy(wrote, tensor)}"
    )


def _name_of(tensor: Tensor) -> str:
    """What the user calls a tensor: its `name`, or a variable in a frame that is running."""
    if tensor.name is not None:
        return f"`{tensor.name}`"
    frame: Any = sys._getframe(1)
    while frame is not None:
        if not is_ours[frame.f_code.co_filename]:
            for name, value in frame.f_locals.items():
                if isinstance(value, Tensor) and value.payload is tensor.payload:
                    return f"`{name}`"
        frame = frame.f_back
    return "It"


def detached_error(saver: str, tensor: Tensor) -> Exception:
    """The error for a saved tensor that has lost its place in the graph since."""
    return GraphError(
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). This "
        "is not supported, please use out-of-place `.detach()` instead: "
        f"{saver} saved it with shape {tuple(tensor.shape)}, and its gradient went to a node that "
        "is no longer known. Write `y = x.detach()`."
    )


def inference_error() -> Exception:
    """The error for saving a tensor that has no version to be checked by."""
    return GraphError(
        "Inference tensors cannot be saved for backward: nobody would see it if they were written. "
        "Please do not use tensors made in inference_mode() where the tape records. "
        "Write `x.clone()` to get a normal tensor."
    )


# Lines of the source -----------------------------------------------------------------------------


def shown(place: Place) -> str:
    """A place as a reader finds it: "train.py, line 12: `y = w * x`", "cell 3, line 2: …"."""
    code = place[0]
    if is_ours[code.co_filename]:
        return f"inside glassgrad's {code.co_qualname}"
    line = line_of(place)
    text = linecache.getline(code.co_filename, line).strip()
    where = f"{_file(code.co_filename)}, line {line}"
    return f"{where}: `{text}`" if text else where


def line_of(place: Place) -> int:
    """The number of the line."""
    return span(place)[0] or place[0].co_firstlineno


def _file(filename: str) -> str:
    """A file's name, or the number of the notebook cell."""
    _, is_cell, rest = filename.partition("<ipython-input-")
    number = rest.partition("-")[0] if is_cell else _cell_numbers().get(filename)
    return filename.replace("\\", "/").split("/")[-1] if number is None else f"cell {number}"


def _cell_numbers() -> dict[str, int]:
    """The notebook's cells by the file names that IPython gave them."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(getattr(shell, "compile", None), "_filename_map", {})
