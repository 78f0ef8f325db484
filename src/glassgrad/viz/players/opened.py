"""Small drawings of what is in the folded boxes, as templates that the player's script opens.

They have the ids of the log, so that the player shows in them what it shows in the whole.
"""

from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.layout.engines import lay_out
from glassgrad.viz.players.assets import slim
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.scene.inside import edges_within, without
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.svg.document import to_svg

__all__ = ["templates_of"]

MOST_NODES = 40  # of a box; a larger one is opened as a list of its nodes
ROOM = 200_000  # characters of all drawings of a page
SHOWN = ("id", "op", "seq", "shape", "dtype", "scope", "src", "user", "hooks")


def templates_of(trace: Trace, graph: Graph, prefix: str) -> str:
    """A `<template data-fold="f4">` with a drawing for each box of `graph` that is small enough.

    Args:
        trace: what is drawn.
        graph: the folded graph.
        prefix: put before each id of the drawings.
    """
    folds: dict[str, list[dict[str, Any]]] = {
        vertex.id: [] for vertex in graph.vertices if vertex.kind == "fold"
    }
    if not folds:
        return ""
    for node in trace.nodes:
        place = graph.place.get(node["id"], "")
        if place in folds:
            folds[place].append(node)
    parts, room = [], ROOM
    for name, nodes in folds.items():
        if room < 0 or len(nodes) > MOST_NODES:
            continue
        svg = _drawing(_part(trace, nodes), prefix)
        room -= len(svg)
        if room >= 0:
            parts.append(f'<template data-fold="{name}">{svg}</template>\n')
    return "".join(parts)


def _part(trace: Trace, nodes: list[dict[str, Any]]) -> Trace:
    """The graph of some nodes by themselves: fewer words, and no gates, than `inside_of` has."""
    known = {node["id"] for node in nodes}
    inner = []
    for node in nodes:
        entry = {key: node[key] for key in SHOWN if key in node}
        inner.append(entry | {"edges": edges_within(node, known)})
    leaves = [leaf for leaf in trace.leaves if leaf["acc"] in known]
    return Trace({"nodes": inner, "leaves": leaves}, trace.arrays, [])


def _drawing(part: Trace, prefix: str) -> str:
    graph = graph_of(part)
    ends = {vertex.id for vertex in graph.vertices if vertex.kind == "none"}
    graph = without(graph, ends)
    return slim(to_svg(graph, lay_out(graph), prefix=prefix, framed=False, styled=False))
