"""What an exception of a backward pass can say: who freed the graph, and who shares it."""

import ast
import sys
from types import FrameType
from typing import Any

from glassgrad.core.engine import Schedule
from glassgrad.core.errors import FreedGraphError, GradientError
from glassgrad.core.function import BackwardCFunction
from glassgrad.core.graph import edge_of, ends
from glassgrad.core.saved import Gone
from glassgrad.core.state import Place, is_ours
from glassgrad.core.tensor import Tensor
from glassgrad.source.frames import made_at, way_of
from glassgrad.source.lines import shown, text_of
from glassgrad.source.scope import Scope, if_known

from .calls import misfit
from .tracebacks import shorten


def tell(error: Exception, outputs: Any) -> None:
    """Let an exception say what is known of it, in a short traceback.

    Args:
        outputs: what the pass began at.
    """
    if type(error) is FreedGraphError and not hasattr(error, "told"):
        starts = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        found = if_known(_of_freed, error, starts)
        if found:
            error.args = (f"{error.args[0]} {found}",)
        error.told = True  # type: ignore[attr-defined]  # an outer pass may pass it on
    if isinstance(error, GradientError) and error.__traceback__ is not None:
        error.args = (error.args[0] + _of_given(way_of(error)[-1].tb_frame),)
    is_known = type(error) in (TypeError, ValueError, AttributeError)
    if is_known and not getattr(error, "__notes__", None):
        note = if_known(_note, error)
        if note:
            error.add_note(note)
    shorten(error, is_known=bool(getattr(error, "__notes__", None)))


def _of_given(frame: FrameType) -> str:
    """What to write for a list of numbers that was given as the gradient of one output."""
    given = frame.f_locals.get("given") if frame.f_code.co_name == "gradients_given" else None
    others = [x for x in given or () if not isinstance(x, Tensor) and x is not None]
    if not others:
        return ""
    return (
        f" And gradients can be either Tensors or None, but got {type(others[0]).__name__}: write "
        "`glassgrad.tensor(gradient)` for that of one output."
    )


def _note(_: FrameType, error: Exception) -> str:
    """What the user's `backward` has forgotten, or a hook, if an error tells of that."""
    found = misfit(error)
    frames = [each.tb_frame for each in way_of(error)]
    known = [names.get("self") for names in map(_names_in, frames)]
    node: Any = next((x for x in reversed(known) if isinstance(x, BackwardCFunction)), None)
    if found or node is None:
        return found
    name, rule = type(node)._forward_cls.__name__, type(node)._forward_cls.backward
    if frames[-1].f_code is not getattr(rule, "__code__", None):
        return ""
    if isinstance(error, ValueError) and "to unpack" in str(error):
        kept, write = len(node.holders), "`ctx.save_for_backward(…)`"
        said = f"saved {kept} tensor{'s' * (kept > 1)}" if kept else "has saved nothing"
        return f"{name} {said} for backward. Write {write} in its forward, or setup_context."
    if isinstance(error, AttributeError) and error.obj is node:
        own = [key for key in vars(node) if not hasattr(type(node), key)]
        said = f"has {', '.join(own)}" if own else "has nothing"
        return f"ctx {said} of {name}'s forward. Write `ctx.{error.name} = …` there."
    return ""


def _of_freed(frame: FrameType, error: Exception, outputs: Any) -> str:
    node = _node_in(error)
    if node is None:
        return ""
    gone: Any = getattr(node, node._kept_in)
    by: Place | None = gone.by
    if by is None or is_ours[by[0].co_filename]:
        return ""
    made = _line_of(node)
    saved = f"{node.name()}{f' ({shown(made)})' if made else ''}"
    said = f"What {saved} had saved was freed by the pass of {shown(by)}."
    roots = [ends(edge_of(x) if isinstance(x, Tensor) else x)[0] for x in outputs]
    nodes = list(Schedule([root for root in roots if root is not None]))
    is_again = nodes[0].seq == gone.newest
    if (frame.f_code, frame.f_lasti) == by:
        if is_again:
            return (
                f"{said} That was the same line, in an earlier turn of a loop. Compute the result "
                f"anew in each turn, or write {_retaining(by)}."
            )
        return f"{said} {_of_loop(Scope(frame.f_code, frame), nodes, gone)}"
    if is_again:
        return (
            f"{said} This pass goes through the same graph again. Write {_retaining(by)} there, "
            "or compute the result anew."
        )
    return (
        f"{said} Both passes go through it. Write {_retaining(by)} there, or add the results and "
        "call backward() once, for their sum."
    )


def _retaining(by: Place) -> str:
    """The call at a place with `retain_graph=True`."""
    _, call = Scope(by[0]).part_at(by)
    if not isinstance(call, ast.Call):
        return "`retain_graph=True`"
    given = [each for each in call.keywords if each.arg != "retain_graph"]
    given.append(ast.keyword("retain_graph", ast.Constant(True)))
    return f"`{text_of(ast.Call(call.func, call.args, given))}`"


def _of_loop(scope: Scope, nodes: list[Any], gone: Gone) -> str:
    """Why the same line frees and needs a part of the graph."""
    said = "That was the same line, in an earlier turn of a loop."
    new = [each for each in nodes if gone.newest < each.seq < sys.maxsize]
    users = [each for each in new if any(_is_old(edge, gone) for edge in each.edges)]
    where = _line_of(users[-1]) if users else None
    if where is not None:
        said += f" {users[-1].name()} ({shown(where)}) leads into the graph of that turn."
    name, only_adds = _carried(scope, where)
    if only_adds:
        return (
            f"{said} `{name}` adds up the graphs of all turns: call backward() for the new part "
            f"alone, and add its `.item()` to `{name}`."
        )
    if name:
        return f"{said} So `{name}` carries it over: write `{name} = {name}.detach()` after a pass."
    return (
        f"{said} What is not to be differentiated again, `detach()`; compute the rest anew in each "
        "turn, or write `retain_graph=True`."
    )


def _is_old(edge: Any, gone: Gone) -> bool:
    node = ends(edge)[0]
    return node is not None and node.seq <= gone.newest


def _carried(scope: Scope, where: Place | None) -> tuple[str, bool]:
    """The name that a line binds, and reads as it was before; and whether it only adds to it."""
    statement: Any = scope.part_at(where)[0] if where and where[0] is scope.code else None
    is_plain = type(statement) is ast.Assign
    if not is_plain and type(statement) is not ast.AugAssign:
        return "", False
    made_of = statement.value
    for target in statement.targets if is_plain else [statement.target]:
        for name in ast.walk(target):
            if not isinstance(name, (ast.Name, ast.Attribute)):
                continue
            text, operation = text_of(name), made_of if is_plain else statement
            adds = isinstance(getattr(operation, "op", None), ast.Add)
            if not is_plain:
                return text, adds
            if adds and text in (text_of(made_of.left), text_of(made_of.right)):
                return text, True
            if text in [text_of(x) for x in ast.walk(made_of) if isinstance(x, type(name))]:
                return text, False
    return "", False


def _line_of(node: Any) -> Place | None:
    place = made_at(node)
    return None if place is None or is_ours[place[0].co_filename] else place


def _node_in(error: Exception) -> Any:
    """The node whose turn it was, in the frames that the error has come through."""
    for each in reversed(way_of(error)):
        frame = each.tb_frame
        names = _names_in(frame) if is_ours[frame.f_code.co_filename] else {}
        for value in [names.get(name) for name in ("self", "ctx", "node")]:
            kept = getattr(value, "_kept_in", None)
            if kept and isinstance(getattr(value, kept), Gone):
                return value
    return None


def _names_in(frame: FrameType) -> dict[str, Any]:
    """The variables of a frame, but of none that has the error: it would keep that alive."""
    return {} if "error" in frame.f_code.co_varnames else frame.f_locals
