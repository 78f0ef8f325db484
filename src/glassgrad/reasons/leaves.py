"""Leaves that were lost, parameters that nobody found: what the user's line tells of them."""

import ast
from types import FrameType
from typing import Any

from glassgrad.core.graph import ends
from glassgrad.core.state import is_ours
from glassgrad.core.tensor import Tensor
from glassgrad.source.frames import made_at
from glassgrad.source.lines import shown, text_of
from glassgrad.source.scope import UNKNOWN, Scope, if_known


def of_a_write(said: str) -> str:
    """What to write instead of a write to a leaf; `said` without the line."""
    found = if_known(_step)
    step = f"`{found}`" if found else "it"
    return (
        f"{said} If this is a training step, write {step} in `with no_grad():`, which keeps the "
        "leaf. If not, write to a `clone()` of it."
    )


def _step(frame: FrameType) -> str:
    statement, _ = Scope(frame.f_code, frame).running()
    is_plain = isinstance(statement, (ast.AugAssign, ast.Expr, ast.Assign))
    return text_of(statement) if is_plain else ""


def of_a_result(tensor: Tensor) -> str:
    """Why a tensor that is no leaf has no `.grad`, and what to do: "" if its line is not known."""
    return if_known(_of_a_result, tensor) or ""


def _of_a_result(frame: FrameType, tensor: Tensor) -> str:
    node, _ = ends(tensor._settled())
    place = made_at(node)
    if place is None or is_ours[place[0].co_filename]:
        return ""
    name = _name_at(Scope(frame.f_code, frame), tensor)
    said = f" {f'`{name}`' if name else 'It'} was computed in {shown(place)}"
    scope = Scope(place[0])
    statement, _ = scope.part_at(place)
    made_of: Any = getattr(statement, "value", None)
    bound = [x.id for x in getattr(statement, "targets", []) if isinstance(x, ast.Name)]
    read = [x.id for x in ast.walk(made_of or statement) if isinstance(x, ast.Name)]
    lost = next((each for each in bound if each in read and each == name), None)
    if lost is None:
        return f"{said}. Write `{name or 'y'}.retain_grad()` before backward()."
    step = made_of
    if isinstance(made_of, ast.BinOp) and getattr(made_of.left, "id", "") == lost:
        step = ast.AugAssign(ast.Name(lost, ast.Store()), made_of.op, made_of.right)
    instead = f"`{text_of(step)}`" if step is not made_of else f"`{lost}.copy_(…)`"
    return (
        f"{said}: since then it is a result, and no longer the leaf of that name. Write {instead} "
        "in `with no_grad():`, which changes the leaf and keeps it."
    )


def _name_at(scope: Scope, tensor: Tensor) -> str:
    """What the line that runs calls a tensor; "" if it has no name there."""
    statement, _ = scope.running()
    for part in ast.walk(statement) if statement is not None else ():
        if isinstance(part, (ast.Name, ast.Attribute)) and scope.value(part) is tensor:
            return text_of(part)
    return ""


def unlisted() -> str:
    """Which lists or dicts of the module in the user's line have modules that nobody looks for."""
    return if_known(_unlisted) or (
        "Modules and tensors in a plain list or dict are not found: keep them in a ModuleList, "
        "ModuleDict or ParameterList"
    )


def _unlisted(frame: FrameType) -> str:
    scope = Scope(frame.f_code, frame)
    statement, _ = scope.running()
    for part in ast.walk(statement):
        if isinstance(part, ast.Attribute) and part.attr in ("parameters", "named_parameters"):
            owner = scope.value(part.value)
            for name, value in vars(owner).items() if owner is not UNKNOWN else ():
                kept = value.values() if isinstance(value, dict) else value
                if name.startswith("_") or not isinstance(value, (list, tuple, dict)):
                    continue
                instead = "ModuleDict" if isinstance(value, dict) else "ModuleList"
                if any(isinstance(each, Tensor) for each in kept):
                    instead = instead.replace("Module", "Parameter")
                elif not any(hasattr(type(each), "parameters") for each in kept):
                    continue
                return (
                    f"`{text_of(part.value)}.{name}` is a plain {type(value).__name__}, whose "
                    f"parameters are not found: make it a `nn.{instead}`"
                )
    return ""
