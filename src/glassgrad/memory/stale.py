"""The errors about saved tensors: who saved what and where, what became of it, what to do.

The last sentence of the error about a tensor that was written is made of the line that wrote.
"""

import ast
import importlib
import linecache
import sys
from itertools import islice
from typing import Any

from glassgrad.core.errors import GraphError, StaleTensorError
from glassgrad.core.graph import ends
from glassgrad.core.state import Place, Values, is_ours
from glassgrad.core.tensor import Pending, Tensor, Version
from glassgrad.values.dtypes import tensor_type

_LONGEST = 60  # characters of a line that is shown once more
_ANYWHERE = "Write `y = x + …` instead of `x += …` after the op, or change a clone()."


def stale_error(node: Any, name: str, tensor: Tensor, version: Version, expected: int) -> Exception:
    """The error for a saved tensor that was written since.

    Args:
        node: what saved it.
        name: under which name, "" for none.
        tensor: shows what it is now.
        version: of its storage.
        expected: what the version was when it was saved.
    """
    edge = tensor.edge.was if tensor.edge.__class__ is Pending else tensor.edge
    maker, nr = ends(edge)
    origin = f", which is output {nr} of {maker.op_name()}," if maker else ""
    code, wrote = getattr(node, "caller_code", None), version.written_line
    saved = f" ({shown((code, node.caller_offset))})" if code else ""
    written = f" The last write was in {shown(wrote)}." if wrote else ""
    under = f" as {name!r}" if name else ""
    return StaleTensorError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{tensor_type(tensor.dtype)} {list(tensor.shape)}]{origin} is at version "
        f"{version.count}; expected version {expected} instead. {_name_of(tensor)} was saved by "
        f"{node.name()}{under}{saved} at version {expected} and is now at version "
        f"{version.count}: the values that its gradient is computed from are gone."
        f"{written} {remedy(wrote, tensor)}"
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


def inference_error() -> Exception:
    """The error for saving a tensor that has no version to be checked by."""
    return GraphError(
        "Inference tensors cannot be saved for backward: nobody would see it if they were written. "
        "Please do not use tensors made in inference_mode() where the tape records. "
        "Write `x.clone()` to get a normal tensor."
    )


# What to write instead ----------------------------------------------------------------------------


def remedy(place: Place | None, tensor: Any) -> str:
    """A sentence that says how the line at `place` lets backward have its values.

    Args:
        place: the instruction that wrote; None if it is not known.
        tensor: what it wrote to. That of a leaf is meant, since it trains: it comes too early.
    """
    if place is None or is_ours[place[0].co_filename]:
        return _ANYWHERE
    source = importlib.import_module("glassgrad.reasons.source")
    statement, part = source.Scope(place[0]).part_at(place)
    try:
        return _ANYWHERE if statement is None else _instead(statement, part, tensor)
    except RecursionError:  # a line of a thousand parts
        return _ANYWHERE


def _instead(statement: ast.stmt, node: ast.AST, tensor: Any) -> str:
    owner, cls = tensor if tensor._base is None else tensor._base, type(tensor)
    is_step = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "step"
    if is_step or (owner.is_leaf and owner.requires_grad):
        what = node if is_step else statement
        return f"Call backward() before {_code(what)}, and compute the loss anew after it."
    if isinstance(node, ast.Call):
        return _of_call(node, cls)
    was, targets = _code(statement), getattr(statement, "targets", [])
    if isinstance(statement, ast.AugAssign):
        target, targets = statement.target, [statement.target]
        # What `x[0] += 1` writes of a tensor it writes as `x[0]`; of a list's tensor, by the `+=`.
        if (isinstance(target, ast.Subscript) and node is statement) or _is_name(target, cls):
            value = ast.BinOp(target, statement.op, statement.value)
            return f"Write {_code(ast.Assign([target], value, lineno=1))} instead of {was}."
    parts = [target for target in targets if isinstance(target, ast.Subscript)]
    written: Any = parts[0] if parts else None
    while isinstance(written, ast.Subscript) and not _is_key(written):
        written = written.value
    if written is None or not _is_name(written, cls):
        return f"Let {was} change a clone()."
    name = ast.unparse(written)
    return f"Write `{name} = {name}.clone()` before {was}."


def _of_call(call: Any, cls: type) -> str:
    """`x.mul_(y)`, `gg.exp(x, out=y)`, or a call of the user's own that leads to such a one."""
    was, name = _code(call), getattr(call.func, "attr", "")
    out = next((keyword.value for keyword in call.keywords if keyword.arg == "out"), None)
    if isinstance(out, ast.Tuple) and len(out.elts) == 1:
        out = out.elts[0]
    if out is not None and _is_name(out, cls):
        call.keywords = [keyword for keyword in call.keywords if keyword.arg != "out"]
        return f"Write {_code(ast.Assign([out], call, lineno=1))} instead of {was}."
    if name.endswith("_") and hasattr(cls, name) and hasattr(cls, name[:-1]):
        call.func.attr = name[:-1]
        return f"Write {_code(call)} instead of {was}, and use what it returns."
    return f"Let {was} change a clone()."


def _is_name(target: Any, cls: type) -> bool:
    """Whether it is `x`, `self.x` or `d["x"]`; but `x.T` and `x.data` are views of one tensor."""
    while _is_key(target) or (isinstance(target, ast.Attribute) and not hasattr(cls, target.attr)):
        target = target.value
    return isinstance(target, ast.Name)


def _is_key(target: ast.expr) -> bool:
    """Whether it is `d["x"]`: no tensor has such an index."""
    index = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def _code(node: ast.AST) -> str:
    text = ast.unparse(node).partition("\n")[0]
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


def spans(node: Any) -> list[Any]:
    """Where a node's source begins and ends: lines, then columns; none if it has no place.

    The instruction of `x⏎.f()` begins at the name: a call has that span, too.
    """
    if not hasattr(node, "end_lineno"):
        return []
    spans = [(node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        func: Any = node.func
        begin = func.end_col_offset - len(func.attr.encode())
        spans.append((func.end_lineno, node.end_lineno, begin, node.end_col_offset))
    return spans


# Lines of the source -----------------------------------------------------------------------------


def shown(place: Place) -> str:
    """A place as a reader finds it: "train.py, line 12: `y = w * x`", "cell 3, line 2: …"."""
    code = place[0]
    if is_ours[code.co_filename]:
        return f"inside glassgrad's {code.co_qualname}"
    line = span(place)[0]
    text = linecache.getline(code.co_filename, line).strip()
    where = f"{file_name(code.co_filename)}, line {line}"
    return f"{where}: `{text}`" if text else where


def span(place: Place) -> Values:
    """Where an instruction's source begins and ends: lines, then columns; None if unknown.

    It begins where the whole code object does if nothing is known of it.
    """
    code, offset = place
    found = next(islice(code.co_positions(), offset // 2, None), (None,) * 4)
    return found if found[0] else (code.co_firstlineno, *found[1:])


def file_name(filename: str) -> str:
    """A file's name, or the number of the notebook cell."""
    _, is_cell, rest = filename.partition("<ipython-input-")
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    number = rest.partition("-")[0] if is_cell else cells.get(filename)
    return filename.replace("\\", "/").split("/")[-1] if number is None else f"cell {number}"
