"""The errors about saved tensors: who saved what and where, what became of it, what to do.

The last sentence of the error about a tensor that was written is made of the line that wrote.
"""

import ast
from typing import Any

from glassgrad.core.errors import StaleTensorError
from glassgrad.core.graph import ends
from glassgrad.core.state import Place, is_ours
from glassgrad.core.tensor import Pending, Tensor, Version
from glassgrad.source.frames import made_at
from glassgrad.source.lines import shown, text_of
from glassgrad.source.names import name_of
from glassgrad.source.scope import Scope
from glassgrad.values.dtypes import tensor_type

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
    made, wrote = made_at(node), version.written_line
    saved = f" ({shown(made)})" if made else ""
    written = f" The last write was in {shown(wrote)}." if wrote else ""
    under = f" as {name!r}" if name else ""
    found = name_of(tensor)
    called = f"`{found}`" if found else "It"
    return StaleTensorError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{tensor_type(tensor.dtype)} {list(tensor.shape)}]{origin} is at version "
        f"{version.count}; expected version {expected} instead. {called} was saved by "
        f"{node.name()}{under}{saved} at version {expected} and is now at version "
        f"{version.count}: the values that its gradient is computed from are gone."
        f"{written} {remedy(wrote, tensor, made)}"
    )


# What to write instead ----------------------------------------------------------------------------


def remedy(place: Place | None, tensor: Any, made: Place | None = None) -> str:
    """A sentence that says how the line at `place` lets backward have its values.

    Args:
        place: the instruction that wrote; None if it is not known.
        tensor: what it wrote to. That of a leaf is meant, since it trains: it comes too early.
        made: the instruction that saved: a clone before a line that saves and writes helps nobody.
    """
    try:
        if place is None or is_ours[place[0].co_filename]:
            return _ANYWHERE
        scope = Scope(place[0])
        statement, node = scope.part_at(place)
        saves = made is not None and made[0] is place[0] and scope.part_at(made)[0] is statement
        return _ANYWHERE if node is None else _instead(statement, node, tensor, saves=saves)
    except RecursionError:  # a line of a thousand parts
        return _ANYWHERE


def _instead(statement: ast.stmt, node: ast.AST, tensor: Any, *, saves: bool) -> str:
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
    if saves:
        part = ast.unparse(parts[0])
        each = f"`{name}.clone()` for each `{name}` on the right side"
        return f"{was} saves what it writes. Write `{part} = …` with {each}."
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
    return f"`{text_of(node)}`"
