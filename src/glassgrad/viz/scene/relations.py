"""Ties between nodes along which no gradient goes: from a view to its base, from a node of the
gradient's graph to the one whose rule made it, from a node to the error that ended the pass there.
"""

import textwrap
from collections.abc import Iterator
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.graph import Arc, Vertex
from glassgrad.viz.scene.look import MEDIUM
from glassgrad.viz.wording import plain, shape_text

__all__ = ["ERROR", "failure_of", "relations"]

ERROR = "error"  # the id of the note with the message
CUT = 58  # characters of the message in a line
LINES = 12


def relations(
    trace: Trace, place: dict[str, str], vertices: dict[str, Vertex]
) -> tuple[list[Vertex], list[Arc]]:
    """The ties of a picture, and the boxes that hang on them.

    Args:
        trace: what is drawn.
        place: which vertex stands for a node.
        vertices: those that are drawn.
    """
    parts: list[Vertex] = []
    arcs: list[Arc] = []
    for node in trace.nodes:
        if place.get(node["id"]) == node["id"]:
            if len(trace.nodes) <= MEDIUM:
                parts += _part(node)
                arcs += _ties_to_bases(node, place, vertices)
            arcs += _tie(node, "origin", place, vertices)
    failure = failure_of(trace)
    if failure is not None:
        holder = _holder_of(failure, trace, place)
        if holder in vertices:
            parts.append(_message(failure))
            name = f"x{failure.get('node', holder)[1:]}"
            arcs.append(Arc(name, holder, ERROR, "error", bad=failure["error"]))
    return parts, arcs


def _holder_of(failure: dict[str, Any], trace: Trace, place: dict[str, str]) -> str:
    """The vertex at which the pass ended; if it never began, the output where it was to."""
    if "node" in failure:
        return place.get(failure["node"], "")
    return next((output["id"] for output in trace.outputs), "")


def failure_of(trace: Trace) -> dict[str, Any] | None:
    """The event with which the pass ended, if it ended by an exception."""
    last = trace.events[-1] if trace.events else {"type": ""}
    return last if last["type"] == "error" else None


def _part(node: dict[str, Any]) -> Iterator[Vertex]:
    """The view through which a CopySlices wrote."""
    if "part" in node:
        whole = f" of {shape_text(node['shape'])}" if "shape" in node else ""
        rows = (("part", f"{shape_text(node['part'])}{whole}"),)
        tip = "the view through which its base was written"
        yield Vertex(f"v{node['id'][1:]}", "view", "written view", "VIEW", rows, tip)


def _ties_to_bases(
    node: dict[str, Any], place: dict[str, str], vertices: dict[str, Vertex]
) -> Iterator[Arc]:
    if "part" in node:
        yield Arc(f"b{node['id'][1:]}", node["id"], f"v{node['id'][1:]}", "view")
    yield from _tie(node, "base", place, vertices)


def _tie(
    node: dict[str, Any], field: str, place: dict[str, str], vertices: dict[str, Vertex]
) -> Iterator[Arc]:
    head = place.get(node.get(field, ""))
    if head in vertices and head != node["id"]:
        letter, kind = {"base": ("b", "view"), "origin": ("p", "origin")}[field]
        yield Arc(f"{letter}{node['id'][1:]}", node["id"], head, kind)


def _message(failure: dict[str, Any]) -> Vertex:
    words = plain(failure["message"], 2 * CUT * LINES)
    lines = textwrap.wrap(words, CUT, max_lines=LINES, placeholder=" …") or [""]
    return Vertex(
        ERROR,
        "error",
        plain(failure["error"], 40),
        "ENDED HERE",
        tuple(("", line) for line in lines),
        plain(failure["message"], 2_000),
    )
