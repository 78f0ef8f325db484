"""A paused pass as a picture: what has run has its turn, and ▶ stands where it is."""

from dataclasses import replace
from typing import Any

from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.tracing.describing import describe, numbers
from glassgrad.tracing.events import Trace
from glassgrad.tracing.session import Session
from glassgrad.tracing.summary import ArrayTable
from glassgrad.viz.graph import Graph
from glassgrad.viz.wording import plain

__all__ = ["mark_current", "trace_so_far"]


def trace_so_far(session: Session) -> Trace:
    """The graph of a paused pass as it is now, and which nodes have run.

    A session keeps no log: of the gradients only those in `.grad` are known.
    """
    table = ArrayTable()
    graph = describe(session.names, table, session.outputs)
    events: list[dict[str, Any]] = []
    for node in session.schedule[: session.position]:
        events.append({"k": len(events), **_event(session, table, node)})
    return Trace(graph, table.summaries, events)


def _event(session: Session, table: ArrayTable, node: Node) -> dict[str, Any]:
    if isinstance(node, AccumulateGrad):
        grad = node.variable.grad
        array = None if grad is None else table.add(numbers(grad))
        return {"type": "accumulate", "tensor": session.names.leaf[node], "grad": array}
    grad_in = [None] * len(node._input_metadata)
    grad_out = [None] * len(node.edges)
    name = session.names.node[node]
    return {"type": "apply", "node": name, "grad_in": grad_in, "grad_out": grad_out}


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
