"""What is inside of a fold, as a graph of its own, with the ways in and out of it."""

import re
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.graph import Graph, Vertex
from glassgrad.viz.scene.look import Look
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.wording import plain

__all__ = ["MOST", "edges_within", "inside_of", "without"]

MOST = 40  # boxes: of a larger fold some are folds again
GATES = 8  # ways in, and ways out; the others are counted


def inside_of(trace: Trace, members: Iterable[str], look: Look) -> tuple[Trace, Graph]:
    """The part of `trace` that consists of `members`, and how it is drawn.

    Args:
        trace: the whole.
        members: the ids of the nodes inside.
        look: what to show of them.
    """
    names = dict.fromkeys(members)
    leaves = [leaf for leaf in trace.leaves if _is_used(leaf["acc"], trace, names)]
    kept = set(names) | {leaf["acc"] for leaf in leaves}
    nodes = [node for node in trace.nodes if node["id"] in kept]
    into, out = _gates(trace, names, kept)
    part = _part(trace, nodes, leaves, [*out, *into], {node["id"] for node in into})
    gates = frozenset(node["id"] for node in (*into, *out)) - kept
    small = replace(look, fold=True, max_nodes=look.max_nodes or MOST, apart=gates)
    graph = graph_of(part, small)
    graph = without(graph, _strays(trace, {node["id"] for node in part.nodes}))
    turns = {name: turn for turn, name in enumerate(trace.schedule(), 1)}
    vertices = tuple(_as_seen(vertex, gates, into, turns, graph) for vertex in graph.vertices)
    count = len(names)
    words = f"{count:,} node{'' if count == 1 else 's'} inside"
    title = look.title if look.title is not None else f"Inside of {_span(nodes, names)}"
    return part, replace(graph, vertices=vertices, counts=words, title=plain(title, 120))


def edges_within(node: dict[str, Any], known: Container[str]) -> list[dict[str, Any]]:
    """The edges of a node, each in its place: those to nodes that are not known lead nowhere.

    Example:
        >>> edges_within({"edges": [{"to": "n1", "slot": 0}, {"to": "n2", "slot": 0}]}, {"n2"})
        [{'to': None, 'slot': 0}, {'to': 'n2', 'slot': 0}]
    """
    # Left out, they would shift those behind them: the log counts the edges of a node.
    return [edge if edge["to"] in known else {"to": None, "slot": 0} for edge in node["edges"]]


def without(graph: Graph, ends: Container[str]) -> Graph:
    """`graph` without some vertices at the ends of arcs, and without those arcs."""
    return replace(
        graph,
        vertices=tuple(vertex for vertex in graph.vertices if vertex.id not in ends),
        arcs=tuple(arc for arc in graph.arcs if arc.head not in ends),
    )


def _strays(trace: Trace, known: set[str]) -> set[str]:
    """What stands at the ends of edges that lead out of the picture: no input without gradient."""
    return {
        f"z{node['id'][1:]}-{index}"
        for node in trace.nodes
        if node["id"] in known
        for index, edge in enumerate(node["edges"])
        if edge["to"] is not None
    }


def _is_used(accumulator: str, trace: Trace, names: dict[str, None]) -> bool:
    return any(
        edge["to"] == accumulator
        for node in trace.nodes
        if node["id"] in names
        for edge in node["edges"]
    )


def _gates(
    trace: Trace, names: dict[str, None], kept: set[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The nodes outside from which edges lead in, and those to which edges lead out."""
    goals = {edge["to"] for n in trace.nodes if n["id"] in names for edge in n["edges"]}
    out = [node for node in trace.nodes if node["id"] in goals - kept]
    into = [
        node
        for node in trace.nodes
        if node["id"] not in kept and any(edge["to"] in names for edge in node["edges"])
    ]
    return into[:GATES], out[-GATES:]


def _part(
    trace: Trace,
    nodes: list[dict[str, Any]],
    leaves: list[dict[str, Any]],
    gates: list[dict[str, Any]],
    into: set[str],
) -> Trace:
    """A trace of its own: gates without what they saved, and no edge that leads elsewhere."""
    inner = {node["id"] for node in nodes}
    known = inner | {node["id"] for node in gates}
    entries = {}
    for node in (*nodes, *gates):
        bare = {name: node[name] for name in ("id", "op", "seq")}
        if node["id"] in inner:
            entry = {n: v for n, v in node.items() if n not in ("base", "origin")}
            entries[node["id"]] = entry | {"edges": edges_within(node, known)}
        else:
            ways = edges_within(node, inner) if node["id"] in into else []
            entries[node["id"]] = bare | {"edges": ways}
    order = sorted(entries, key=lambda name: int(name[1:]))
    tensors = {leaf["id"] for leaf in leaves}
    for name in inner:
        saved = [_without(each, tensors) for each in entries[name].get("saved", ())]
        entries[name] |= {"saved": saved} if saved else {}
    events = [e for e in trace.events if e.get("node") in inner or e.get("tensor") in tensors]
    events = [{**event, "k": k} for k, event in enumerate(events)]
    graph = {"nodes": [entries[name] for name in order], "leaves": leaves}
    return Trace(graph, trace.arrays, events)


def _without(saved: dict[str, Any], tensors: set[str]) -> dict[str, Any]:
    """A saved tensor; that it is a leaf, or of one, is not said of one that the picture lacks."""
    lost = [key for key in ("leaf", "owner") if saved.get(key, "") not in {"", *tensors}]
    return {name: value for name, value in saved.items() if name not in lost}


def _as_seen(
    vertex: Vertex,
    gates: frozenset[str],
    into: list[dict[str, Any]],
    turns: dict[str, int],
    graph: Graph,
) -> Vertex:
    """A vertex with its turn in the whole pass, or as a gate."""
    if vertex.id in gates:
        comes = any(node["id"] == vertex.id for node in into)
        words = "from" if comes else "to"
        badge = f"{words} {vertex.id}"
        return replace(vertex, kind="gate", badge=badge, rows=(), kept="", hooks=(), bad="")
    inner = [name for name, place in graph.place.items() if place == vertex.id and name in turns]
    if not inner or "#" not in vertex.badge:
        return vertex
    first, last = min(turns[name] for name in inner), max(turns[name] for name in inner)
    words = f"#{first}" if first == last else f"#{first}–{last}"
    return replace(vertex, badge=re.sub(r"#\d+(?:–\d+)?", words, vertex.badge))


def _span(nodes: list[dict[str, Any]], names: dict[str, None]) -> str:
    ids = [node["id"] for node in nodes if node["id"] in names]
    return ids[0] if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"
