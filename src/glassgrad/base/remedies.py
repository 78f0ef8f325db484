"""What to write in place of a line that changed a tensor which backward still needs."""

import ast
import linecache
from itertools import islice
from typing import Any

from .source_lines import Place, is_ours

__all__ = ["remedy"]

_LONGEST = 60  # characters of a line that is shown once more
_ANYWHERE = "Write `y = x + …` instead of `x += …` after the op, or change a clone()."


def remedy(place: Place | None, tensor: Any) -> str:
    """A sentence that says how the line at `place` lets backward have its values.

    Args:
        place: the instruction that wrote; None if it is not known.
        tensor: what it wrote to. That of a leaf is meant, since it trains: it comes too early.
    """
    found = None if place is None or is_ours[place[0].co_filename] else _written(place)
    if found is None:
        return _ANYWHERE
    statement, call = found
    owner = tensor if tensor._base is None else tensor._base
    is_step = isinstance(call, ast.Call) and _last_name(call.func) == "step"
    if is_step or (owner.is_leaf and owner.requires_grad):
        what = call if is_step else statement
        return f"Call backward() before {_code(what)}, and compute the loss anew after it."
    if isinstance(call, ast.Call):
        return _of_call(call, type(tensor))
    if isinstance(statement, ast.AugAssign) and _is_name(statement.target, type(tensor)):
        value = ast.BinOp(statement.target, statement.op, statement.value)
        new = ast.Assign([statement.target], value, lineno=1)
        return f"Write {_code(new)} instead of {_code(statement)}."
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        return _of_elements(statement, type(tensor))
    return f"Let {_code(statement)} change a clone()."


def _of_call(call: ast.Call, cls: type) -> str:
    """`x.mul_(y)`, `gg.exp(x, out=y)`, or a call of the user's own that leads to such a one."""
    out = next((keyword.value for keyword in call.keywords if keyword.arg == "out"), None)
    if isinstance(out, ast.Tuple) and len(out.elts) == 1:
        out = out.elts[0]
    if out is not None and _is_name(out, cls):
        rest = [keyword for keyword in call.keywords if keyword.arg != "out"]
        new = ast.Assign([out], ast.Call(call.func, call.args, rest), lineno=1)
        return f"Write {_code(new)} instead of {_code(call)}."
    name = _last_name(call.func)
    if name.endswith("_") and hasattr(cls, name) and hasattr(cls, name[:-1]):
        assert isinstance(call.func, ast.Attribute), "it is a method, or a function of a module"
        func = ast.Attribute(call.func.value, name[:-1])
        new_call = ast.Call(func, call.args, call.keywords)
        return f"Write {_code(new_call)} instead of {_code(call)}, and use what it returns."
    return f"Let {_code(call)} change a clone()."


def _of_elements(statement: ast.Assign | ast.AugAssign, cls: type) -> str:
    """`x[0] = y`."""
    target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
    while isinstance(target, ast.Subscript):
        target = target.value
    if not _is_name(target, cls):
        return f"Let {_code(statement)} change a clone()."
    name = ast.unparse(target)
    return f"Write `{name} = {name}.clone()` before {_code(statement)}."


def _is_name(target: ast.expr, cls: type) -> bool:
    """Whether it is `x` or `self.x`; but `x.T` and `x.data` are other views of one tensor."""
    while isinstance(target, ast.Attribute) and not hasattr(cls, target.attr):
        target = target.value
    return isinstance(target, ast.Name)


def _last_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else ""


def _code(node: ast.AST | None) -> str:
    assert node is not None, "it was found"
    if isinstance(node, ast.stmt):  # `ast.fix_missing_locations` would leave a cycle behind
        node.lineno = getattr(node, "lineno", 1)
    text = ast.unparse(node).partition("\n")[0]
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


# The line ---------------------------------------------------------------------------------------


def _written(place: Place) -> tuple[ast.stmt, ast.Call | None] | None:
    """The statement that an instruction is of, and the call in it, if it is one."""
    code, offset = place
    line, _, column, _ = next(islice(code.co_positions(), offset // 2, None), (None,) * 4)
    if line is None or column is None:
        return None
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):  # a cell with magics in it
        return None
    around = [node for node in ast.walk(tree) if _holds(node, line, column)]
    statements = [node for node in around if isinstance(node, ast.stmt)]
    if not statements:
        return None
    return statements[-1], _call_at(around, place)


def _holds(node: Any, line: int, column: int) -> bool:
    if not hasattr(node, "end_lineno"):
        return False
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return bool(begin <= (line, column) < end)


def _call_at(around: list[ast.AST], place: Place) -> ast.Call | None:
    """The call that the instruction makes, by where its source begins and ends."""
    where = next(islice(place[0].co_positions(), place[1] // 2, None))
    for node in around:
        if isinstance(node, ast.Call):
            spans = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            if spans == where:
                return node
    return None
