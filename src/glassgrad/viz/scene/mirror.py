"""Forward and backward face to face: the ops in the order of computation, and below each of them,
turned round, the node that takes its gradient back; between the two what was saved for it.

Only what the tape knows is drawn: an input that needs no gradient is no part of it, and the value
of a result is known where something saved it.
"""

import re
from dataclasses import dataclass, replace

from glassgrad.core.errors import ArgumentError
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Ids
from glassgrad.viz.scene.graph import MEDIUM, Arc, Graph, Look, Vertex
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.wording import array_text, notices, plain, shape_text

BELOW = {"function", "user", "view", "accumulate", "none", "error"}  # kinds of the lower half

READING = {
    "LR": "Forward, above, goes left to right; backward, below, right to left",
    "TB": "Forward, on the left, goes down; backward, on the right, goes up",
}


@dataclass(frozen=True, slots=True)
class Mirror:
    """A mirror view: its graph, and what lies opposite what.

    Attributes:
        graph: all that is drawn.
        above: the vertices of the forward half, by the vertex below that each is opposite to.
        ways: by the id of an arc of the backward half, that of the forward half opposite to it.
    """

    graph: Graph
    above: Ids
    ways: Ids

    @property
    def below(self) -> set[str]:
        """The vertices of the backward half."""
        return {*self.above, *(v.id for v in self.graph.vertices if v.kind in BELOW)}


def mirrored(trace: Trace, look: Look, rankdir: str) -> Mirror:
    """The mirror view of `trace`.

    Args:
        trace: a recorded pass, or a graph on which none has run.
        look: what to show of it.
        rankdir: "LR" or "TB".

    Raises:
        ArgumentError: if there are too many nodes to read it.
    """
    nodes = [node for node in trace.nodes if "origin" not in node]
    grown = len(trace.nodes) - len(nodes)  # the gradient's own graph has no forward half
    trace = Trace(trace.graph | {"nodes": nodes}, trace.arrays, trace.events)
    if len(nodes) > MEDIUM:
        raise ArgumentError(
            f"mirror=True was asked of a graph of {len(nodes):,} nodes. Forward and "
            f"backward face to face can be read up to {MEDIUM} nodes. Leave `mirror` out, or draw "
            "a smaller part: the loss of one layer, of one step."
        )
    graph = graph_of(trace, replace(look, fold=False, max_nodes=None))
    known = {vertex.id: vertex for vertex in graph.vertices}
    ops = [node for node in nodes if node["op"] != "AccumulateGrad" and node["id"] in known]
    forward = _forward(trace, ops, look)
    # Above each use of a leaf that is drawn as stubs, the same use in the forward pass.
    stubs = [v for v in graph.vertices if v.kind == "stub"]
    forward += [replace(stub, id=f"{stub.id}f") for stub in stubs]
    above = {node["id"]: f"o{node['id'][1:]}" for node in ops}
    above |= {stub.id: f"{stub.id}f" for stub in stubs}
    above |= {leaf["acc"]: leaf["id"] for leaf in trace.leaves if leaf["acc"] in known}
    # Each arrow of the forward half goes against one of the backward half, up to the outputs.
    facing = above | {output["id"]: output["id"] for output in trace.outputs}
    opposed = [
        arc
        for arc in graph.arcs
        if arc.kind == "grad" and arc.tail in facing and arc.head in facing
    ]
    ways = {arc.id: f"w{arc.id}" for arc in opposed if arc.tail in above}
    arcs = [Arc(f"w{arc.id}", facing[arc.head], facing[arc.tail], "value") for arc in opposed]
    arcs += [  # from each op down to what it saved, as from each node up to it
        Arc(f"w{arc.id}", above[arc.tail], arc.head, "saved")
        for arc in graph.arcs
        if arc.kind == "saved" and known[arc.head].kind == "saved"
    ]
    title = graph.title.replace("Backward graph", "Forward and backward", 1)
    constants = any(edge["to"] is None for node in ops for edge in node["edges"])
    drawn = replace(
        graph,
        vertices=(*forward, *graph.vertices),
        arcs=(*graph.arcs, *arcs),
        title=title if look.title is None else graph.title,
        reading=READING[rankdir],
        notice=notices(
            graph.notice,
            "inputs that need no gradient are not on the tape" if constants else "",
            f"the gradient's own {grown} nodes are left out" if grown else "",
        ),
        clusters=(),
    )
    return Mirror(drawn, above, ways)


def _forward(trace: Trace, ops: list[Entry], look: Look) -> list[Vertex]:
    """A box for each op of the forward pass, oldest first."""
    results = {  # where something saved them, or they are outputs
        node["id"]: saved.get("array")
        for node in trace.nodes
        for saved in node.get("saved", ())
        if saved["name"] == "result"
    } | {output["node"]: output.get("array") for output in trace.outputs if output["slot"] == 0}
    vertices = []
    for turn, node in enumerate(ops, 1):
        name, title = node["id"], _forward_name(node["op"])
        rows = []
        if "shape" in node and "shapes" in look.show:
            rows.append(("out", shape_text(node["shape"])))
        if (value := results.get(name)) and "values" in look.show:
            rows.append(("value", array_text(trace.arrays[value])))
        tip = f"op {turn} of the forward pass, which recorded {name} {plain(node['op'], 80)}"
        if node.get("src"):
            tip += f"\nat {plain(node['src'], 80)}"
        tip += "" if title else "\nit is not known"
        title = plain(title) or "?"
        vertices.append(Vertex(f"o{name[1:]}", "forward", title, str(turn), tuple(rows), tip))
    return vertices


def _forward_name(op: str) -> str:
    """`Mul` of `MulBackward0`; nothing if the name of the node does not say it.

    Example:
        >>> _forward_name("MulBackward0"), _forward_name("CopySlices"), _forward_name("Thing")
        ('Mul', 'write to a part', '')
    """
    if op.endswith("CopySlices"):
        return "write to a part"
    found = re.fullmatch(r"(?:.*::)?(.+?)Backward\d*", op)
    return found[1] if found else ""
