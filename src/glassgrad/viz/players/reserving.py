"""Room for what a pass has yet to fill in: the picture of a live player is laid out once.

The boxes of a recorded pass have a row with the gradient, which shows once that has arrived. Of a
pass under way nobody knows it. So the picture is drawn of a log that goes on to the end with
gradients that take up much room, and the page is told the true ones as they come.
"""

from collections.abc import Iterable
from dataclasses import replace
from math import prod
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.drawing import Drawing, drawn
from glassgrad.viz.scene.graph import PARTS, Look, look_of
from glassgrad.viz.scene.snapshot import graph_of

__all__ = ["drawn_with_room", "gradients_shown"]

# A number of many characters; of more than two, such that their list is still written out.
WIDE = {1: -1.23e-10, 2: -1.23e-10, 3: -0.123, 4: -0.1}


def drawn_with_room(trace: Trace, order: Iterable[str]) -> Drawing:
    """The picture of a pass under way, with rows for the gradients that will come.

    Args:
        trace: what has happened until now.
        order: the ids of the nodes that are yet to run, in their order.
    """
    events, arrays = list(trace.events), dict(trace.arrays)
    nodes = {node["id"]: node for node in trace.nodes}
    leaves = {leaf["acc"]: leaf for leaf in trace.leaves}
    for id in order:
        about = leaves.get(id) or nodes[id]
        shape = about.get("shape", [])
        arrays[f"room {shape}"] = _wide(shape)
        room: Any = {"node": id, "grad_in": [f"room {shape}"], "grad_out": []}
        if id in leaves:
            room = {"tensor": about["id"], "grad": f"room {shape}"}
        events.append({"type": "accumulate" if id in leaves else "apply", **room})
    drawing = drawn(Trace(trace.graph, arrays, events), Look(), "LR")
    tips = {vertex.id: vertex.tip for vertex in _graph(trace).vertices}
    vertices = [replace(v, tip=tips.get(v.id, "")) for v in drawing.graph.vertices]
    graph = replace(drawing.graph, vertices=tuple(vertices))
    return replace(drawing, trace=trace, graph=graph)


def _wide(shape: list[int]) -> dict[str, Any]:
    """The summary of an array whose text is long."""
    count = min(prod(shape), 4)
    wide = WIDE.get(count, WIDE[4])
    return {"shape": shape, "head": [wide] * max(count, 1), "norm": WIDE[1]}


def gradients_shown(trace: Trace, drawing: Drawing) -> dict[str, str]:
    """The text of each row that has room for a gradient: "…" where none has arrived.

    Args:
        trace: what has happened until now.
        drawing: of `drawn_with_room`.
    """
    rooms = {v.id: "…" for v in drawing.graph.vertices if any(key == "grad" for key, _ in v.rows)}
    if not rooms:
        return rooms
    ran = {event["node"] for event in trace.events if event["type"] == "apply"}
    arrived = [
        {"type": "apply", "node": event["node"], "grad_in": [event["grad"]], "grad_out": []}
        for event in trace.events
        if event["type"] == "buffer" and event["have"] == event["need"] and event["grad"]
    ]
    arrived = [event for event in arrived if event["node"] not in ran]
    graph = _graph(Trace(trace.graph, trace.arrays, [*trace.events, *arrived]))
    known = {v.id: text for v in graph.vertices for key, text in v.rows if key == "grad"}
    return {id: known.get(id, text) for id, text in rooms.items()}


def _graph(trace: Trace) -> Any:
    return graph_of(trace, look_of(PARTS, "auto", None, None, False))
