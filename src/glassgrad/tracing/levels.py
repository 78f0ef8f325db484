"""Transforms in a log: the levels that nodes are on, and the examples that an array is of."""

from collections.abc import Iterable
from typing import Any

from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.values.layers import Layer

__all__ = ["batch_of", "levels_of", "open_levels"]


def levels_of(nodes: Iterable[Node]) -> dict[str, Any]:
    """The `levels` of a trace: the transforms whose tapes `nodes` are on, outermost first.

    Nothing if they are on the base tape.
    """
    found = {}
    for node in nodes:
        level = _level_of(node)
        if level is not None:
            found[len(level.outer) + 1] = level  # its `depth` says so only while it is open
    entries = [{"level": at, **_about(found[at].kind, found[at].outer)} for at in sorted(found)]
    return {"levels": entries} if entries else {}


def _about(kind: str, outer: tuple[Any, ...]) -> dict[str, Any]:
    return {"kind": kind, "inside": _kinds(outer)} if outer else {"kind": kind}


def _kinds(levels: tuple[Any, ...]) -> list[str]:
    return [level.kind for level in levels]


def open_levels() -> dict[str, Any]:
    """The `inside` of a trace: the kinds of the transforms that are open, outermost first."""
    return {"inside": _kinds(modes.levels)} if modes.levels else {}


def _level_of(node: Node) -> Any:
    """The transform that recorded `node`, or None."""
    if isinstance(node, AccumulateGrad):
        payload = node.variable.payload
        return payload.level if isinstance(payload, Layer) else None
    return getattr(node, "_level", None)


def batch_of(value: Any) -> tuple[int, ...]:
    """How many examples a tensor or payload is of: a size for each `vmap` around, outermost first.

    They are the first dims of the array at the bottom; the shape is that of one example.
    """
    payload = value.payload if isinstance(value, Tensor) else value
    if not isinstance(payload, Layer):
        return ()
    shape = payload.array.shape
    return tuple(shape[: len(shape) - payload.ndim])
