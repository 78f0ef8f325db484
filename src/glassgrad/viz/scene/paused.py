"""A paused pass as a picture: what has run has its turn, and ▶ stands where it is."""

from dataclasses import replace
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.tracing.session import Session
from glassgrad.viz.scene.graph import Graph
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


def mark_current(graph: Graph, session: Session) -> Graph:
    """`graph` with ▶ at the node whose turn it is."""
    node = session.current
    if node is None:
        return graph
    here = graph.place[session.names.node[node]]
    vertices = tuple(
        replace(vertex, badge=f"▶ {vertex.badge}".strip()) if vertex.id == here else vertex
        for vertex in graph.vertices
    )
    notice = f"paused: ▶ {plain(node.name())} is next"
    notice += f"; {graph.notice}" if graph.notice else ""
    return replace(graph, vertices=vertices, notice=notice)
