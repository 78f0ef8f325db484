"""What to write in place of a line that changed a tensor which backward still needs."""

import ast
import linecache
from itertools import islice
from typing import Any

from glassgrad.core.state import Place, Values, is_ours

_LONGEST = 60  # characters of a line that is shown once more
_ANYWHERE = "Write `y = x + …` instead of `x += …` after the op, or change a clone()."


def remedy(place: Place | None, tensor: Any) -> str:
    """A sentence that says how the line at `place` lets backward have its values.

    Args:
        place: the instruction that wrote; None if it is not known.
        tensor: what it wrote to. That of a leaf is meant, since it trains: it comes too early.
    """
    try:
        found = None if place is None or is_ours[place[0].co_filename] else _written(place)
        return _ANYWHERE if found is None else _instead(*found, tensor)
    except RecursionError:  # a line of a thousand parts
        return _ANYWHERE


def _instead(statement: ast.stmt, node: ast.AST, tensor: Any) -> str:
    owner = tensor if tensor._base is None else tensor._base
    is_step = isinstance(node, ast.Call) and _last_name(node.func) == "step"
    if is_step or (owner.is_leaf and owner.requires_grad):
        what = node if is_step else statement
        return f"Call backward() before {_code(what)}, and compute the loss anew after it."
    if isinstance(node, ast.Call):
        return _of_call(node, type(tensor))
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        # What `x[0] += 1` writes of a tensor it writes as `x[0]`; of a list's tensor, by the `+=`.
        is_item = isinstance(target, ast.Subscript) and node is statement
        if is_item or _is_name(target, type(tensor)):
            new = ast.Assign([target], ast.BinOp(target, statement.op, statement.value))
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
        new = ast.Assign([out], ast.Call(call.func, call.args, rest))
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
    targets = [statement.target] if isinstance(statement, ast.AugAssign) else statement.targets
    parts = [target for target in targets if isinstance(target, ast.Subscript)]
    target: ast.expr | None = parts[0] if parts else None
    while isinstance(target, ast.Subscript) and not _is_key(target):
        target = target.value
    if target is None or not _is_name(target, cls):
        return f"Let {_code(statement)} change a clone()."
    name = ast.unparse(target)
    return f"Write `{name} = {name}.clone()` before {_code(statement)}."


def _is_name(target: ast.expr, cls: type) -> bool:
    """Whether it is `x`, `self.x` or `d["x"]`; but `x.T` and `x.data` are views of one tensor."""
    while _is_key(target) or (isinstance(target, ast.Attribute) and not hasattr(cls, target.attr)):
        assert isinstance(target, (ast.Attribute, ast.Subscript)), "it is one of the two"
        target = target.value
    return isinstance(target, ast.Name)


def _is_key(target: ast.expr) -> bool:
    """Whether it is `d["x"]`: no tensor has such an index."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
        return False
    return isinstance(target.slice.value, str)


def _last_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else ""


def _code(node: ast.AST) -> str:
    if isinstance(node, ast.stmt):  # `ast.fix_missing_locations` would leave a cycle behind
        node.lineno = getattr(node, "lineno", 1)
    text = ast.unparse(node).partition("\n")[0]
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


# The line ---------------------------------------------------------------------------------------


def span(place: Place) -> Values:
    """Where an instruction's source begins and ends: lines, then columns; None if unknown."""
    code, offset = place
    return next(islice(code.co_positions(), offset // 2, None), (None,) * 4)


def _written(place: Place) -> tuple[ast.stmt, ast.AST] | None:
    """The statement that an instruction is of, and what in it is the instruction's own."""
    where = span(place)
    if None in where:
        return None
    try:
        tree = ast.parse("".join(linecache.getlines(place[0].co_filename)))
    except (SyntaxError, ValueError):  # a cell with magics in it
        return None
    begin, within = where[::2], ast.walk(tree)  # which meets the outer ones first
    around = [n for n in within if any(s[::2] <= begin < s[1::2] for s in _spans(n)[:1])]
    statements = [node for node in around if isinstance(node, ast.stmt)]
    exactly = [node for node in around if where in _spans(node)]
    if not statements or not exactly:  # a file that was changed since it was imported
        return None
    return statements[-1], next((x for x in exactly if isinstance(x, ast.Call)), exactly[-1])


def _spans(node: Any) -> list[Any]:
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
