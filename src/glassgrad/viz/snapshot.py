"""From a trace to what is drawn: a frozen graph of vertices and arcs, in words and without places.

What is drawn depends on how much there is (`n` backward nodes):

    n ≤ 15      everything: values, saved tensors as notes, inputs without gradient
    n ≤ 60      names, shapes and norms; a leaf with more than three uses becomes stubs
    n ≤ 1,500   names; saved tensors are a count, AccumulateGrad is part of its leaf
    more        the 300 nodes that run first, and one vertex for the others
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.wording import array_text, bytes_text, plain, shape_text, tensor_name

__all__ = ["Arc", "Graph", "Vertex", "snapshot"]

FULL, MEDIUM, MOST, FIRST = 15, 60, 1_500, 300
USES = 3  # a leaf with more uses becomes stubs: one shared leaf is what takes `dot` minutes
REST = "rest"  # the id of the vertex that stands for the nodes not drawn


@dataclass(frozen=True, slots=True)
class Vertex:
    """One box of the picture.

    Args:
        id: as in the log: "n3" (node), "t1" (leaf, output), "s1" (storage).
        kind: a name in `style.KINDS`.
        title: the bold line.
        badge: the pill at its right.
        rows: key and value, at most three. A "grad" row is filled by the pass.
        tip: what hovering shows.
        freed: for a saved tensor, whether the pass let it go.
        bad: why it is marked as bad ("NaN", "v1≠v0"); empty for a sound one.
        of: for a stub, the id of its leaf.
    """

    id: str
    kind: str
    title: str
    badge: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    tip: str = ""
    freed: bool = False
    bad: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class Arc:
    """One line of the picture, along which a gradient goes or a saved tensor is tied.

    Args:
        id: "e3-0" for edge 0 of n3, "d3-0" for its saved tensor 0, "r2" for output t2's line.
        tail, head: ids of vertices.
        kind: "grad" or "saved".
        label: short text beside it.
    """

    id: str
    tail: str
    head: str
    kind: str = "grad"
    label: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """What is drawn.

    Args:
        vertices, arcs: the boxes and lines, in the order of the log.
        title: what the picture is of.
        counts: how much there is, in words.
        place: which vertex stands for a node of the log (a fused or folded one has another's id).
        notice: what was left out; empty if nothing was.
    """

    vertices: tuple[Vertex, ...]
    arcs: tuple[Arc, ...]
    title: str
    counts: str
    place: dict[str, str] = field(default_factory=dict)
    notice: str = ""


def snapshot(trace: Trace) -> Graph:
    """The graph of `trace` as it is drawn.

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> snapshot(Trace({"nodes": nodes, "leaves": []})).vertices[0].title
        'NegBackward0'
    """
    return _Builder(trace).build()


class _Builder:
    """Collects vertices and arcs. One is made per snapshot and thrown away."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.count = len(trace.nodes)
        self.turn = {node: turn for turn, node in enumerate(trace.schedule(), 1)}
        self.shown = self._shown_nodes()
        self.leaf_of = {leaf["acc"]: leaf for leaf in trace.leaves}
        self.leaf = {leaf["id"]: leaf for leaf in trace.leaves}
        self.uses = Counter(edge["to"] for node in self.shown for edge in node["edges"])
        self.gradients, self.final, self.freed = self._results()
        self.bad = self._bad_nodes()
        self.vertices: dict[str, Vertex] = {}
        self.arcs: list[Arc] = []
        self.place: dict[str, str] = {}
        self.stubs: Counter[str] = Counter()

    def build(self) -> Graph:
        # Outputs first, leaves last: dot keeps the order of equals, so the picture reads that way.
        self._place_nodes()
        for output in self.trace.outputs:
            self._add_output(output)
        for node in reversed(self.shown):
            self._add_node(node)
        for leaf in self.trace.leaves:
            self._add_leaf(leaf)
        for node in reversed(self.shown):
            self._add_edges(node)
            self._add_saved(node)
        return Graph(
            tuple(self.vertices.values()),
            tuple(self.arcs),
            title=self._title(),
            counts=self._counts(),
            place=self.place,
            notice=self._notice(),
        )

    # --- what is there ---

    def _shown_nodes(self) -> list[dict[str, Any]]:
        nodes = self.trace.nodes
        if self.count <= MOST:
            return nodes
        order = self.trace.schedule() or [node["id"] for node in reversed(nodes)]
        first = set(order[:FIRST])
        return [node for node in nodes if node["id"] in first]

    def _results(self) -> tuple[dict[str, Any], dict[str, Any], set[str]]:
        """Gradients by node, `.grad` by tensor, and the nodes that freed what they saved."""
        gradients, final, freed = {}, {}, set()
        for event in self.trace.events:
            if event["type"] == "apply":
                gradients[event["node"]] = event["grad_in"]
            elif event["type"] == "accumulate" and event["grad"] is not None:
                final[event["tensor"]] = event["grad"]
            elif event["type"] == "free_saved":
                freed.add(event["node"])
        return gradients, final, freed

    def _bad_nodes(self) -> dict[str, str]:
        """Nodes on which something went wrong: a stale saved tensor, or a NaN of their making."""
        bad = {}
        for event in self.trace.events:
            if event["type"] == "unpack" and event["version"][0] != event["version"][1]:
                bad[event["node"]] = f"v{event['version'][1]}≠v{event['version'][0]}"
            elif event["type"] == "apply" and self._makes_nan(event):
                bad[event["node"]] = "NaN"
        return bad

    def _makes_nan(self, event: dict[str, Any]) -> bool:
        def any_nan(ids: list[str | None]) -> bool:
            return any(self.trace.arrays[each].get("nan") for each in ids if each is not None)

        return any_nan(event["grad_out"]) and not any_nan(event["grad_in"])

    def _is_stubbed(self, node: str | None) -> bool:
        return node in self.leaf_of and self.count > FULL and self.uses[node] > USES

    def _is_fused(self, node: str) -> bool:
        return node in self.leaf_of and (self.count > MEDIUM or self._is_stubbed(node))

    def _place_nodes(self) -> None:
        for node in self.shown:
            fused = self._is_fused(node["id"])
            self.place[node["id"]] = self.leaf_of[node["id"]]["id"] if fused else node["id"]

    # --- vertices ---

    def _add_output(self, output: dict[str, Any]) -> None:
        if output["id"] in self.leaf:
            return  # backward started at a leaf: it has its box already
        rows = [("shape", f"{shape_text(output['shape'])} {plain(output['dtype'])}")]
        if self.count <= FULL and "array" in output:
            rows.append(("value", array_text(self.trace.arrays[output["array"]])))
        title = tensor_name(output)
        tip = f"{title}: backward starts here"
        self._add(Vertex(output["id"], "output", title, "OUT", self._rows(rows), tip))
        head = self._place(output["node"])
        self.arcs.append(Arc(f"r{output['id'][1:]}", output["id"], head))

    def _add_node(self, node: dict[str, Any]) -> None:
        if self._is_fused(node["id"]):
            return
        accumulates = node["id"] in self.leaf_of or node["op"] == "AccumulateGrad"
        kind = "accumulate" if accumulates else ("user" if node.get("user") else "function")
        mark = {"accumulate": "Σ", "user": "ƒ", "function": ""}[kind]
        turn = f"#{self.turn[node['id']]}" if node["id"] in self.turn else ""
        self._add(
            Vertex(
                node["id"],
                kind,
                plain(node["op"]),
                " ".join(part for part in (mark, turn) if part),
                self._rows([] if accumulates else self._node_rows(node)),
                self._node_tip(node),
                bad=self.bad.get(node["id"], ""),
            )
        )

    def _node_rows(self, node: dict[str, Any]) -> list[tuple[str, str]]:
        rows = [("out", shape_text(node["shape"]))] if "shape" in node else []
        if self.count <= FULL and (kept := self._kept_leaves(node)):
            rows.append(("saved", kept))
        if self.count > MEDIUM and node.get("saved"):
            rows.append(("saved", f"{len(node['saved'])} tensors"))
        gradients = self.gradients.get(node["id"], ())
        if gradients and gradients[0] is not None:
            rows.append(self._gradient_row(gradients[0]))
        return rows

    def _kept_leaves(self, node: dict[str, Any]) -> str:
        """`self, other → x`: which saved tensors are leaves (those have no note of their own)."""
        names: dict[str, list[str]] = {}
        for saved in node.get("saved", ()):
            if "leaf" in saved:
                label = tensor_name(self.leaf[saved["leaf"]])
                names.setdefault(label, []).append(plain(saved["name"], 12))
        return "; ".join(f"{', '.join(keys)} → {label}" for label, keys in names.items())

    def _gradient_row(self, array: str) -> tuple[str, str]:
        summary = self.trace.arrays[array]
        if self.count <= FULL:
            return "grad", array_text(summary)
        norm = summary["norm"]
        return "grad", f"‖·‖={norm:.3g}" if isinstance(norm, (int, float)) else "–"

    def _add_leaf(self, leaf: dict[str, Any]) -> None:
        if self.count > MOST and leaf["acc"] not in self.place:
            return  # among the nodes not drawn
        fused = self._is_fused(leaf["acc"])
        rows = [("shape", f"{shape_text(leaf['shape'])} {plain(leaf['dtype'])}")]
        if self.count <= FULL and "array" in leaf:
            rows.append(("value", array_text(self.trace.arrays[leaf["array"]])))
        if leaf["id"] in self.final:
            rows.append(self._gradient_row(self.final[leaf["id"]]))
        title, turn = tensor_name(leaf), self.turn.get(leaf["acc"])
        badge = "LEAF" if not fused else f"Σ #{turn}" if turn else "Σ LEAF"
        uses = self.uses[leaf["acc"]]
        tip = f"{title}: a leaf, used {uses} time{'' if uses == 1 else 's'}"
        self._add(Vertex(leaf["id"], "leaf", title, badge, self._rows(rows), tip))
        if not fused and leaf["acc"] in self.place:
            self.arcs.append(Arc(f"e{leaf['acc'][1:]}-0", leaf["acc"], leaf["id"]))

    def _rows(self, rows: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        if self.count > MEDIUM:
            return ()
        # The last row is the gradient, what the picture is about: it stays.
        kept = rows if len(rows) <= 3 else [*rows[:2], rows[-1]]
        return tuple((key, plain(value, 34)) for key, value in kept)

    def _node_tip(self, node: dict[str, Any]) -> str:
        lines = [f"{node['id']}  {plain(node['op'], 80)}"]
        if node.get("scope"):
            lines.append("in " + plain(".".join(node["scope"]), 80))
        if node.get("src"):
            lines.append("made at " + plain(node["src"], 80))
        arrays = (self.trace.arrays.get(each) for each in self.gradients.get(node["id"], ()))
        lines += [f"gradient {array_text(array)}" for array in arrays]
        return "\n".join(lines)

    def _add(self, vertex: Vertex) -> None:
        self.vertices[vertex.id] = vertex

    # --- arcs ---

    def _add_edges(self, node: dict[str, Any]) -> None:
        several = len(node["edges"]) > 1 and self.count <= FULL
        for index, edge in enumerate(node["edges"]):
            name = f"e{node['id'][1:]}-{index}"
            label = f"in{index}" if several else ""
            if "sum_to" in edge and self.count <= MEDIUM:
                label = f"{label} Σ→{shape_text(edge['sum_to'])}".strip()
            head = self._head(node, index, edge["to"])
            if head:
                self.arcs.append(Arc(name, node["id"], head, label=label))

    def _head(self, node: dict[str, Any], index: int, target: str | None) -> str:
        """The vertex that edge `index` of `node` leads to; empty if the edge is not drawn."""
        if target is None:
            if self.count > FULL:
                return ""
            slot = f"z{node['id'][1:]}-{index}"
            tip = "this input needs no gradient"
            self._add(Vertex(slot, "none", "∅", tip=tip))
            return slot
        return self._add_stub(target) if self._is_stubbed(target) else self._place(target)

    def _add_stub(self, accumulator: str) -> str:
        leaf = self.leaf_of[accumulator]
        self.stubs[leaf["id"]] += 1
        number, total = self.stubs[leaf["id"]], self.uses[accumulator]
        title = tensor_name(leaf)
        stub = Vertex(
            f"{leaf['id']}-{number}",
            "stub",
            title,
            f"{number}/{total}",
            tip=f"use {number} of {total} of {title}",
            of=leaf["id"],
        )
        self._add(stub)
        return stub.id

    def _place(self, node: str) -> str:
        """The vertex that stands for `node`."""
        if node not in self.place:
            self.place[node] = REST
            hidden = self.count - len(self.shown)
            tip = "older nodes: the text view lists them all"
            self._add(Vertex(REST, "more", f"{hidden:,} more nodes", "⋯", tip=tip))
        return self.place[node]

    def _add_saved(self, node: dict[str, Any]) -> None:
        if self.count > MEDIUM:
            return
        for index, saved in enumerate(node.get("saved", ())):
            name = f"d{node['id'][1:]}-{index}"
            if "leaf" in saved:
                # A tie to a leaf that is drawn as stubs would cross the whole picture.
                if not self._is_stubbed(self.leaf[saved["leaf"]]["acc"]):
                    self.arcs.append(Arc(name, node["id"], saved["leaf"], "saved"))
                continue
            self._add_note(node, saved)
            self.arcs.append(Arc(name, node["id"], saved["storage"], "saved"))

    def _add_note(self, node: dict[str, Any], saved: dict[str, Any]) -> None:
        known = self.vertices.get(saved["storage"])
        freed = node["id"] in self.freed
        if known:  # shared: under each holder's name, and gone when the last has let it go
            names = known.title.split(", ")
            title = (
                known.title
                if "label" in saved or saved["name"] in names
                else (plain(f"{known.title}, {saved['name']}"))
            )
            self._add(replace(known, title=title, freed=known.freed and freed))
            return
        title = plain(saved.get("label", saved["name"]))
        rows = [("size", bytes_text(saved["bytes"]))]
        if "shape" in saved:
            rows = [("shape", f"{shape_text(saved['shape'])}, {bytes_text(saved['bytes'])}")]
        if self.count <= FULL and "array" in saved:
            rows.append(("value", array_text(self.trace.arrays[saved["array"]])))
        badge = f"SAVED v{saved['version']}"
        tip = f"{title}: saved by {plain(node['op'])} at version {saved['version']}"
        self._add(
            Vertex(saved["storage"], "saved", title, badge, self._rows(rows), tip, freed=freed)
        )

    # --- words ---

    def _title(self) -> str:
        names = ", ".join(tensor_name(output) for output in self.trace.outputs[:3])
        return f"Backward graph of {names}" if names else "Backward graph"

    def _counts(self) -> str:
        edges = sum(edge["to"] is not None for node in self.trace.nodes for edge in node["edges"])
        edges += len(self.trace.leaves)
        counts = ((self.count, "node"), (edges, "edge"))
        parts = [f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in counts]
        leaves = len(self.trace.leaves)
        return " · ".join([*parts, f"{leaves:,} leaf" if leaves == 1 else f"{leaves:,} leaves"])

    def _notice(self) -> str:
        parts = []
        if self.count > MOST:
            parts.append(f"the first {len(self.shown)} of {self.count:,} nodes are drawn")
        if self.stubs:
            parts.append(f"a leaf with more than {USES} uses is drawn as stubs")
        elif self.count > MEDIUM and self.leaf:
            parts.append("AccumulateGrad is drawn as part of its leaf")
        return "; ".join(parts)
