"""What errors add to what they say: the tensors and layers of the user's line, by their names.

    ShapeError: mat1 and mat2 shapes cannot be multiplied (4x2 and 3x2). …
    In this line: x is float32 of shape (4, 2); w is float32 of shape (3, 2).

It is a note of the error, so the message stays what it is. It is made when the error is shown.
"""

import ast
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any

from ._words import LONGEST, plain
from .autograd.gradients import grad
from .core.errors import FreedGraphError, GlassgradError, StaleTensorError
from .core.tensor import Tensor
from .source.frames import is_users, is_users_file, way_of
from .source.lines import file_name, line_of
from .source.scope import Scope

_MOST = 6  # names in a note
_LONGEST = 60  # letters of a layer
_OTHERS = (FreedGraphError, StaleTensorError)  # which are about tensors of other lines


def notes(error: GlassgradError) -> list[str]:
    """What Python shows below the message: what we know, and what was added by `add_note`."""
    known: list[str] = vars(error).setdefault("_notes", [])
    line = None if isinstance(error, _OTHERS) or "_line" in vars(error) else _users_line(error)
    if line is not None:  # on its way out it has come to the user's program
        vars(error)["_line"] = line.tb_lineno
        with suppress(Exception):  # a user's layer may raise anything: the error goes first
            known[:0] = [*_situation(error, line), *_function(error)]
    return known


def _users_line(error: GlassgradError) -> TracebackType | None:
    """The innermost line of the user's own."""
    return next((line for line in reversed(way_of(error)) if is_users(line.tb_frame)), None)


def _situation(error: GlassgradError, line: TracebackType) -> list[str]:
    """A sentence about a line: what it names, and the message does not."""
    code = line.tb_frame.f_code
    scope = Scope(code, line.tb_frame)
    _, expression = scope.part_at((code, line.tb_lasti))
    found = {} if expression is None else dict(_named(expression, scope))
    new = [(name, thing) for name, thing in found.items() if f"`{name}`" not in str(error)]
    said = [f"{name} is {_told(thing)}" for name, thing in new[:_MOST]]
    told = [f"In this line: {'; '.join(said)}."] if said else []
    if "does not require grad" in str(error):
        told += [each for name in found for each in _gradient(name, scope)]
    return told


def _gradient(name: str, scope: Scope) -> list[str]:
    """A sentence about the line that made `name` a gradient without a graph, if one did."""
    file = scope.code.co_filename
    for part in ast.walk(scope.tree):
        call = getattr(part, "value", None)
        call = call.value if isinstance(call, ast.Subscript) else call
        if not isinstance(part, ast.Assign) or not isinstance(call, ast.Call):
            continue
        names = [each.id for each in ast.walk(part.targets[0]) if isinstance(each, ast.Name)]
        keywords = [each.arg for each in call.keywords]
        if scope.value(call.func) is grad and name in names and "create_graph" not in keywords:
            made = f"`{name}` is made in {plain(file_name(file), LONGEST)}, line {part.lineno}"
            return [f"A gradient has a graph only if it was made with create_graph=True: {made}."]
    return []


def _function(error: GlassgradError) -> list[str]:
    """A sentence about the hook or the user's backward that returned what cannot be used."""
    variables = way_of(error)[-1].tb_frame.f_locals  # of the function that has refused it
    function: Any = variables.get("hook")
    if function is None:
        cls = getattr(variables.get("node"), "_forward_cls", None)
        function = getattr(cls, "backward", None) or getattr(cls, "vjp", None)
    code = getattr(function, "__code__", None)
    if code is None or not is_users_file(code.co_filename):
        return []
    return [f"`{plain(function.__qualname__, 200)}` is in {line_of(function)}."]


def _named(node: ast.AST, scope: Scope) -> Iterator[tuple[str, Any]]:
    """The tensors and layers that an expression names, from left to right."""
    thing = scope.value(node)
    if _is_shown(thing):
        yield ast.unparse(node), thing
        return
    for part in ast.iter_child_nodes(node):
        yield from _named(part, scope)


def _is_layer(thing: Any) -> bool:
    return not isinstance(thing, type) and "_modules" in getattr(thing, "__dict__", {})


def _is_shown(thing: Any) -> bool:
    return isinstance(thing, Tensor) or _is_layer(thing)


def _told(thing: Any) -> str:
    if isinstance(thing, Tensor):
        dtype = str(thing.dtype).rpartition(".")[2]
        return f"{dtype} of shape {tuple(thing.shape)}"
    text = repr(thing)
    is_short = len(text) <= _LONGEST and "\n" not in text
    return text if is_short else f"a {type(thing).__name__}"
