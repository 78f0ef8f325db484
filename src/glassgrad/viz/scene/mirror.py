"""Forward and backward face to face: the ops in the order of computation, and below each of them,
turned round, the node that takes its gradient back; between the two what was saved for it.

Only what the tape knows is drawn: an input that needs no gradient is no part of it, and the value
of a result is known where something saved it.
"""

import re
from dataclasses import replace
from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.graph import Arc, Graph, Vertex
from glassgrad.viz.scene.look import MEDIUM, Look
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.wording import array_text, plain, shape_text

__all__ = ["Mirror", "mirrored"]

BELOW = {"function", "user", "view", "accumulate", "none", "error"}  # kinds of the lower half

READING = {
    "LR": "Forward, above, goes left to right; backward, below, right to left",
    "TB": "Forward, on the left, goes down; backward, on the right, goes up",
}


class Mirror:
    """A mirror view: its graph, and what lies opposite what.

    Attributes:
        graph: all that is drawn.
        below: the vertices of the backward half.
        above: the vertices of the forward half, by the vertex below that each is opposite to.
        ways: by the id of an arc of the backward half, that of the forward half opposite to it.
    """

    def __init__(self, graph: Graph, above: dict[str, str], ways: dict[str, str]) -> None:
        self.graph, self.above, self.ways = graph, above, ways
        names = set(above)
        self.below = names | {vertex.id for vertex in graph.vertices if vertex.kind in BELOW}


def mirrored(trace: Trace, look: Look, rankdir: str) -> Mirror:
    """The mirror view of `trace`.

    Args:
        trace: a recorded pass, or a graph on which none has run.
        look: what to show of it.
        rankdir: "LR" or "TB".

    Raises:
        ArgumentError: if there are too many nodes to read it.
    """
    grown = [node for node in trace.nodes if "origin" in node]
    if grown:  # the gradient's own graph has no forward half
        nodes = [node for node in trace.nodes if "origin" not in node]
        trace = Trace(trace.graph | {"nodes": nodes}, trace.arrays, trace.events)
    if len(trace.nodes) > MEDIUM:
        raise ArgumentError(
            f"mirror=True was asked of a graph of {len(trace.nodes):,} nodes. Forward and "
            f"backward face to face can be read up to {MEDIUM} nodes. Leave `mirror` out, or draw "
            "a smaller part: the loss of one layer, of one step."
        )
    return _Maker(trace, look, grown=len(grown)).make(rankdir)


class _Maker:
    """Adds the forward half to the graph of a trace."""

    def __init__(self, trace: Trace, look: Look, *, grown: int) -> None:
        self.trace, self.look, self.grown = trace, look, grown
        self.graph = graph_of(trace, replace(look, fold=False, max_nodes=None))
        self.known = {vertex.id: vertex for vertex in self.graph.vertices}
        self.nodes = {node["id"]: node for node in trace.nodes}
        self.leaf_of = {leaf["acc"]: leaf["id"] for leaf in trace.leaves}
        self.results = self._results()
        self.above: dict[str, str] = {}
        self.ways: dict[str, str] = {}

    def make(self, rankdir: str) -> Mirror:
        forward = [self._op(node, turn) for turn, node in enumerate(self._ops(), 1)]
        stubs = self._stubs()
        for accumulator, leaf in self.leaf_of.items():
            if accumulator in self.known and leaf in self.known:
                self.above[accumulator] = leaf
        arcs = [*self.graph.arcs, *self._values(), *self._keeping()]
        title = self.graph.title.replace("Backward graph", "Forward and backward", 1)
        notice = "; ".join(part for part in (self.graph.notice, self._left_out()) if part)
        graph = replace(
            self.graph,
            vertices=(*forward, *stubs, *self.graph.vertices),
            arcs=tuple(arcs),
            title=self.graph.title if self.look.title is not None else title,
            reading=READING[rankdir],
            notice=notice,
            clusters=(),
        )
        return Mirror(graph, self.above, self.ways)

    def _ops(self) -> list[dict[str, Any]]:
        """The nodes that took part in the forward pass, oldest first."""
        return [
            node
            for node in self.trace.nodes
            if node["op"] != "AccumulateGrad" and node["id"] in self.known
        ]

    def _left_out(self) -> str:
        constants = any(edge["to"] is None for node in self._ops() for edge in node["edges"])
        parts = ["inputs that need no gradient are not on the tape"] if constants else []
        parts += [f"the gradient's own {self.grown} nodes are left out"] if self.grown else []
        return "; ".join(parts)

    def _results(self) -> dict[str, str]:
        """The result of each op, where something saved it: `result`, or what its users saved."""
        found = {}
        for node in self.trace.nodes:
            for saved in node.get("saved", ()):
                if saved["name"] == "result" and "array" in saved:
                    found[node["id"]] = saved["array"]
        for output in self.trace.outputs:
            if "array" in output and output["slot"] == 0:
                found[output["node"]] = output["array"]
        return found

    def _op(self, node: dict[str, Any], turn: int) -> Vertex:
        name = f"o{node['id'][1:]}"
        self.above[node["id"]] = name
        title = _forward_name(node["op"])
        rows = []
        if "shape" in node and "shapes" in self.look.show:
            rows.append(("out", shape_text(node["shape"])))
        if node["id"] in self.results and "values" in self.look.show:
            rows.append(("value", array_text(self.trace.arrays[self.results[node["id"]]])))
        tip = f"op {turn} of the forward pass, which recorded {node['id']} {plain(node['op'], 80)}"
        if node.get("src"):
            tip += f"\nat {plain(node['src'], 80)}"
        if not title:
            return Vertex(name, "forward", "?", f"{turn}", tuple(rows), f"{tip}\nit is not known")
        return Vertex(name, "forward", plain(title), f"{turn}", tuple(rows), tip)

    def _stubs(self) -> list[Vertex]:
        """Above each use of a leaf that is drawn as stubs, the same use in the forward pass."""
        made = []
        for vertex in self.graph.vertices:
            if vertex.kind == "stub":
                self.above[vertex.id] = f"{vertex.id}f"
                made.append(replace(vertex, id=f"{vertex.id}f"))
        return made

    def _values(self) -> list[Arc]:
        """The arrows of the forward half: against each of the backward half."""
        made = []
        for arc in self.graph.arcs:
            if arc.kind != "grad":
                continue
            if arc.id[0] == "r":  # an output, and the op that made it
                made.append(
                    Arc(f"w{arc.id}", self.above.get(arc.head, arc.head), arc.tail, "value")
                )
            elif arc.tail in self.above and arc.head in self.above:
                name = f"w{arc.id}"
                self.ways[arc.id] = name
                made.append(Arc(name, self.above[arc.head], self.above[arc.tail], "value"))
        return made

    def _keeping(self) -> list[Arc]:
        """From each op down to what it saved, as from each node up to it."""
        return [
            Arc(f"w{arc.id}", self.above[arc.tail], arc.head, "saved")
            for arc in self.graph.arcs
            if arc.kind == "saved" and self.known[arc.head].kind == "saved"
        ]


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
