"""Frames around what belongs together: a gradient's graph, a transform's level, a module's call."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.graph import Arc, Cluster, Vertex
from glassgrad.viz.wording import plain

__all__ = ["GRADIENT", "clusters_of"]

GRADIENT = "gradient's graph"
SMALLEST = 2  # nodes: a frame around one box says what its tip says


def clusters_of(
    trace: Trace, vertices: dict[str, Vertex], arcs: list[Arc], place: dict[str, str]
) -> tuple[Cluster, ...]:
    """The frames of a picture: a gradient's graph; levels inside of transforms, else modules.

    A leaf, a note or an AccumulateGrad that serves one frame only is in that frame.
    """
    nodes = [node for node in trace.nodes if place.get(node["id"]) in vertices]
    gradients = _grown(trace)
    nodes = [node for node in nodes if node["id"] not in gradients]
    frames = _levels(nodes, trace.graph.get("levels", ())) or _modules(nodes)
    frames += [(GRADIENT, gradients)] if gradients else []
    titles = [title for title, _ in frames]
    of = {place[name]: number for number, (_, names) in enumerate(frames) for name in names}
    _take_in_servants(vertices, arcs, of)
    members: list[list[str]] = [[] for _ in frames]
    for name in vertices:
        if name in of:
            members[of[name]].append(name)
    return tuple(
        Cluster(f"c{number}", title, tuple(names))
        for number, (title, names) in enumerate(zip(titles, members, strict=True))
    )


def _grown(trace: Trace) -> list[str]:
    """The nodes that rules of their own level recorded; a transform's are on the level below."""
    levels = {node["id"]: node.get("level", 0) for node in trace.nodes}
    return [
        node["id"]
        for node in trace.nodes
        if "origin" in node and levels[node["origin"]] == levels[node["id"]]
    ]


Frames = list[tuple[str, list[str]]]


def _levels(nodes: list[dict[str, Any]], levels: Sequence[dict[str, Any]]) -> Frames:
    """One frame per level, if any node was recorded inside of a transform; `levels` has kinds."""
    titles = {entry["level"]: _title(entry) for entry in levels}
    by_level: dict[int, list[str]] = {}
    for node in nodes:
        if node["op"] != "AccumulateGrad":
            by_level.setdefault(node.get("level", 0), []).append(node["id"])
    if set(by_level) <= {0}:
        return []
    return [
        (titles.get(level, f"level {level}" if level else "level 0: the tape"), by_level[level])
        for level in sorted(by_level)
    ]


def _title(level: dict[str, Any]) -> str:
    outer = " of ".join(level.get("inside", ()))
    return plain(f"level {level['level']}: {level['kind']}" + (outer and f" inside {outer}"), 60)


def _modules(nodes: list[dict[str, Any]]) -> Frames:
    """One frame per call of a module, at the outermost depth where modules differ.

    Where that frames nothing, for all is one module's, it sets that apart from what is outside.
    """
    inner = [node for node in nodes if node["op"] != "AccumulateGrad"]
    scopes = {tuple(node.get("scope", ())) for node in inner}
    within = scopes - {()}
    shared = 0
    while within and len({scope[: shared + 1] for scope in within}) == 1:
        if shared == max(map(len, within)):
            break
        shared += 1
    frames = _calls(inner, shared + 1)
    return frames or (_calls(inner, shared) if shared and () in scopes else [])


def _calls(nodes: list[dict[str, Any]], depth: int) -> Frames:
    """One frame per run of nodes whose scopes are alike down to `depth`."""
    frames = []
    for scope, run in groupby(nodes, lambda node: tuple(node.get("scope", ())[:depth])):
        names = [node["id"] for node in run]
        if len(scope) == depth and len(names) >= SMALLEST:
            frames.append((plain(".".join(scope), 60), names))
    return frames


def _take_in_servants(vertices: dict[str, Vertex], arcs: list[Arc], of: dict[str, int]) -> None:
    """Put what only one frame uses into it: first accumulators and notes, then their leaves."""
    users: dict[str, set[int | None]] = {}
    for kinds in ({"accumulate", "saved", "none", "stub"}, {"leaf"}):
        for arc in arcs:
            if vertices[arc.head].kind in kinds:
                users.setdefault(arc.head, set()).add(of.get(arc.tail))
        for name, frames in users.items():
            (frame, *others) = frames
            if frame is not None and not others:
                of[name] = frame
