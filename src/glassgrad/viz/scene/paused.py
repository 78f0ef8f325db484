"""A paused pass as a picture: what has run has its turn, and ▶ stands where it is."""

from dataclasses import replace
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.tracing.session import Session
from glassgrad.viz.scene.cutting import cut_title
from glassgrad.viz.scene.graph import Graph, Vertex
from glassgrad.viz.wording import plain

__all__ = ["mark_current", "trace_so_far"]


def trace_so_far(session: Session) -> Trace:
    """The log of a paused pass, on the graph as it is now: nodes that have freed hold nothing."""
    trace = session.trace
    freed = {event["node"] for event in trace.events if event["type"] == "free_saved"}
    nodes = [_freed(node) if node["id"] in freed else node for node in trace.nodes]
    return replace(trace, graph=trace.graph | {"nodes": nodes})


def _freed(node: dict[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in node.items() if field != "saved"} | {"freed": True}


def _marked(vertex: Vertex) -> Vertex:
    if vertex.size is None:
        return replace(vertex, badge=f"▶ {vertex.badge}".strip())
    width, _ = vertex.size  # of a bar of an overview, which is as wide as it has ops
    title = cut_title(f"▶ {vertex.title}".strip(), width) or cut_title("▶", width)
    return replace(vertex, title=title, badge="")


def mark_current(graph: Graph, session: Session | None) -> Graph:
    """`graph` with ▶ at the node whose turn it is; before it is laid out, for ▶ takes room."""
    node = None if session is None else session.current
    if session is None or node is None:
        return graph
    here = graph.place[session.names.node[node]]
    vertices = tuple(_marked(vertex) if vertex.id == here else vertex for vertex in graph.vertices)
    notice = f"paused: ▶ {plain(node.name())} is next"
    notice += f"; {graph.notice}" if graph.notice else ""
    return replace(graph, vertices=vertices, notice=notice)
