"""From a trace to what is drawn: a frozen graph of vertices and arcs, in words and without places.

What is drawn depends on how much there is (`n` backward nodes):

    n ≤ 15    everything: values, saved tensors as notes, inputs without gradient
    n ≤ 60    names, shapes and norms; a leaf with more than three uses becomes stubs
    n ≤ 300   names; AccumulateGrad is part of its leaf; saved tensors are counted
    more      the same, folded to at most 150 boxes (`folding.py`)
"""

from collections import Counter
from dataclasses import replace
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.clusters import GRADIENT, clusters_of
from glassgrad.viz.scene.flow import flow_range, flows_of, strength
from glassgrad.viz.scene.folding import STUBS, Fold, Folding, fold
from glassgrad.viz.scene.graph import Arc, Cluster, Graph, Vertex
from glassgrad.viz.scene.look import FULL, MEDIUM, Look
from glassgrad.viz.scene.relations import relations
from glassgrad.viz.scene.results import bad_nodes, stale_of
from glassgrad.viz.scene.words import Words, counts_text, title_of
from glassgrad.viz.wording import plain, shape_text, tensor_name

__all__ = ["graph_of"]


def graph_of(trace: Trace, look: Look = Look()) -> Graph:  # noqa: B008 - it is frozen
    """The graph of `trace` as it is drawn.

    Args:
        trace: a recorded pass, or a graph on which none has run.
        look: what to show of it.

    Example:
        >>> nodes = [{"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}]
        >>> graph_of(Trace({"nodes": nodes, "leaves": []})).vertices[0].title
        'NegBackward0'
    """
    return _Builder(trace, look).build()


class _Builder:
    """Collects vertices and arcs. One is made per snapshot and thrown away."""

    def __init__(self, trace: Trace, look: Look) -> None:
        self.trace, self.look = trace, look
        self.count = len(trace.nodes)
        most = look.most(self.count)
        self.folding = Folding() if most is None else fold(trace, most, look.apart)
        self.turn = {node: turn for turn, node in enumerate(trace.schedule(), 1)}
        self.leaf_of = {leaf["acc"]: leaf for leaf in trace.leaves}
        self.leaf = {leaf["id"]: leaf for leaf in trace.leaves}
        self.nodes = {node["id"]: node for node in trace.nodes}
        self.uses = self._uses()
        self.words = Words(trace, look)
        self.bad, self.stale = bad_nodes(trace), stale_of(trace)
        self.flows = flows_of(trace) if look.flow else {}
        self.vertices: dict[str, Vertex] = {}
        self.arcs: list[Arc] = []
        self.place: dict[str, str] = {}
        self.stubs: Counter[str] = Counter()
        self.drawn: dict[tuple[str, str], int] = {}

    def build(self) -> Graph:
        # Outputs first, leaves last: dot keeps the order of equals, so the picture reads that way.
        self._place_nodes()
        for output in self.trace.outputs:
            self._add_output(output)
        for node in reversed(self.trace.nodes):
            self._add_node(node)
        for leaf in self.trace.leaves:
            self._add_leaf(leaf)
        for node in reversed(self.trace.nodes):
            self._add_edges(node)
            self._add_saved(node)
        parts, ties = relations(self.trace, self.place, self.vertices)
        self.vertices |= {part.id: part for part in parts}
        self.arcs += ties
        return Graph(
            tuple(self.vertices.values()),
            tuple(self.arcs),
            title=title_of(self.trace, self.look.title),
            counts=counts_text(self.trace),
            place=self.place,
            notice=self._notice(),
            clusters=self._clusters(),
            flow=flow_range(self.trace) if self.look.flow else "",
        )

    # --- what is there ---

    def _uses(self) -> Counter[str]:
        """How many edges lead to each node, those from one fold counted once."""
        uses: Counter[str] = Counter()
        seen = set()
        for node in self.trace.nodes:
            tail = self.folding.of.get(node["id"])
            for edge in node["edges"]:
                key = (tail.id, edge["to"]) if tail else None
                if key is None or key not in seen:
                    uses[edge["to"]] += 1
                    seen.add(key)
        return uses

    def _is_stubbed(self, node: str) -> bool:
        return node in self.leaf_of and self.count > FULL and self.uses[node] > STUBS

    def _is_fused(self, node: str) -> bool:
        if node not in self.leaf_of:
            return False
        hidden = self.leaf_of[node]["id"] in self.folding.hidden
        return self.count > MEDIUM or hidden or self._is_stubbed(node)

    def _place_nodes(self) -> None:
        for node in self.trace.nodes:
            name = node["id"]
            if name in self.folding.of:
                self.place[name] = self.folding.of[name].id
            elif self._is_fused(name):
                leaf = self.leaf_of[name]["id"]
                self.place[name] = self.folding.hidden.get(leaf, leaf)
            else:
                self.place[name] = name

    # --- vertices ---

    def _add_output(self, output: dict[str, Any]) -> None:
        if output["id"] in self.leaf:
            return  # backward started at a leaf: it has its box already
        title, rows = tensor_name(output), self.words.of_tensor(output)
        tip = self.words.tip_of_tensor(output, f"{title}: backward starts here")
        self._add(Vertex(output["id"], "output", title, "OUT", rows, tip))
        name = f"r{output['id'][1:]}"
        head = self.place[output["node"]]
        self.arcs.append(Arc(name, output["id"], head, flow=self.flows.get(name, "")))

    def _add_node(self, node: dict[str, Any]) -> None:
        if node["id"] in self.folding.of:
            self._add_fold(self.folding.of[node["id"]])
            return
        if self._is_fused(node["id"]):
            return
        kind = self._kind(node)
        mark = {"accumulate": "Σ", "user": "ƒ", "view": "VIEW"}.get(kind, "")
        turn = f"#{self.turn[node['id']]}" if node["id"] in self.turn else ""
        self._add(
            Vertex(
                node["id"],
                kind,
                plain(node["op"]),
                " ".join(part for part in (mark, turn) if part),
                () if kind == "accumulate" else self.words.of_node(node),
                self.words.tip_of_node(node),
                bad=self.bad.get(node["id"], ""),
                hooks=self.words.hooks(node),
                kept=self.words.kept(node),
                freed=node["id"] in self.words.freed and self.count > MEDIUM,
            )
        )

    def _kind(self, node: dict[str, Any]) -> str:
        if node["id"] in self.leaf_of or node["op"] == "AccumulateGrad":
            return "accumulate"
        if node.get("user"):
            return "user"
        return "view" if "base" in node else "function"

    def _add_fold(self, group: Fold) -> None:
        if group.id in self.vertices:
            return
        turns = [self.turn[name] for name in group.members if name in self.turn]
        badge = f"#{min(turns)}–{max(turns)}" if turns else ""
        if not group.title.startswith("…"):  # a module: its name says nothing of its size
            badge = f"{len(group.members):,} ops"
        bad = next((self.bad[name] for name in group.members if name in self.bad), "")
        self._add(Vertex(group.id, "fold", group.title, badge, tip=group.tip, bad=bad))

    def _add_leaf(self, leaf: dict[str, Any]) -> None:
        if leaf["id"] in self.folding.hidden:
            return
        fused = self._is_fused(leaf["acc"])
        title, turn = tensor_name(leaf), self.turn.get(leaf["acc"])
        badge = "LEAF" if not fused else f"Σ #{turn}" if turn else "Σ LEAF"
        uses = self.uses[leaf["acc"]]
        tip = f"{title}: a leaf, used {uses} time{'' if uses == 1 else 's'}"
        about = (title, badge, self.words.of_tensor(leaf), self.words.tip_of_tensor(leaf, tip))
        node = self.nodes.get(leaf["acc"], {}) if fused else {}
        self._add(Vertex(leaf["id"], "leaf", *about, hooks=self.words.hooks(node)))
        if not fused and leaf["acc"] in self.place:
            name = f"e{leaf['acc'][1:]}-0"
            self.arcs.append(Arc(name, leaf["acc"], leaf["id"], flow=self.flows.get(name, "")))

    def _add(self, vertex: Vertex) -> None:
        self.vertices[vertex.id] = vertex

    # --- arcs ---

    def _add_edges(self, node: dict[str, Any]) -> None:
        several = len(node["edges"]) > 1 and self.count <= FULL
        group = self.folding.of.get(node["id"])
        tail = group.id if group else node["id"]
        for index, edge in enumerate(node["edges"]):
            name = f"e{node['id'][1:]}-{index}"
            label = f"in{index}" if several else ""
            if "sum_to" in edge and self.count <= MEDIUM and "shapes" in self.look.show:
                label = f"{label} Σ→{shape_text(edge['sum_to'])}".strip()
            if group and self._is_drawn(tail, edge["to"], self.flows.get(name, "")):
                continue
            head = self._head(node, index, edge["to"])
            if head:
                flow = self.flows.get(name, "")
                self.arcs.append(Arc(name, tail, head, label="" if group else label, flow=flow))

    def _is_drawn(self, tail: str, target: str | None, flow: str) -> bool:
        """Whether an arc from a fold need not be drawn: it stays inside, or is there already.

        One that is there already shows the largest of the gradients that went along it.
        """
        if target is None or self.place[target] == tail:
            return True
        pair = tail, self.place[target]
        known = self.drawn.get(pair)
        if known is None:
            self.drawn[pair] = len(self.arcs)
        elif strength(flow) > strength(self.arcs[known].flow):
            self.arcs[known] = replace(self.arcs[known], flow=flow)
        return known is not None

    def _head(self, node: dict[str, Any], index: int, target: str | None) -> str:
        """The vertex that edge `index` of `node` leads to; empty if the edge is not drawn."""
        if target is None:
            if self.count > FULL:
                return ""
            slot = f"z{node['id'][1:]}-{index}"
            tip = "this input needs no gradient"
            self._add(Vertex(slot, "none", "∅", tip=tip))
            return slot
        return self._add_stub(target) if self._is_stubbed(target) else self.place[target]

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

    def _add_saved(self, node: dict[str, Any]) -> None:
        if self.count > MEDIUM or "saved" not in self.look.show or node["id"] in self.folding.of:
            return
        for index, saved in enumerate(node.get("saved", ())):
            name = f"d{node['id'][1:]}-{index}"
            bad = self.stale.get((node["id"], saved["name"]), "")
            if "leaf" in saved:
                # A tie to a leaf that is drawn as stubs would cross the whole picture.
                if self._has_box(saved["leaf"]):
                    self.arcs.append(Arc(name, node["id"], saved["leaf"], "saved", bad=bad))
                continue
            self._add_note(node, saved, bad)
            self.arcs.append(Arc(name, node["id"], saved["storage"], "saved", bad=bad))
        if node.get("freed") and not node.get("saved"):
            # The graph was looked at after the pass: nobody knows any more what it was.
            rank, tip = node["id"][1:], "what it saved is gone: a pass has used it"
            self._add(Vertex(f"s{rank}-0", "saved", "saved", "FREED", tip=tip, freed=True))
            self.arcs.append(Arc(f"d{rank}-0", node["id"], f"s{rank}-0", "saved"))

    def _has_box(self, leaf: str) -> bool:
        return leaf in self.vertices and not self._is_stubbed(self.leaf[leaf]["acc"])

    def _add_note(self, node: dict[str, Any], saved: dict[str, Any], bad: str) -> None:
        known = self.vertices.get(saved["storage"])
        freed = node["id"] in self.words.freed and "owner" not in saved  # a leaf keeps it
        if known:  # shared: under each holder's name, and gone when the last has let it go
            names = known.title.split(", ")
            title = (
                known.title
                if "label" in saved or saved["name"] in names
                else (plain(f"{known.title}, {saved['name']}"))
            )
            bad = known.bad or bad
            self._add(replace(known, title=title, freed=known.freed and freed, bad=bad))
            return
        title = plain(saved.get("label", saved["name"]))
        badge = f"SAVED v{saved['version']}" if "versions" in self.look.show else "SAVED"
        tip = f"{title}: saved by {plain(node['op'])} at version {saved['version']}"
        rows, tip = self.words.of_saved(saved), self.words.tip_of_tensor(saved, tip)
        self._add(Vertex(saved["storage"], "saved", title, badge, rows, tip, freed=freed, bad=bad))

    # --- words ---

    def _notice(self) -> str:
        parts = [self.folding.notice] if self.folding.notice else []
        if self.stubs:
            parts.append(f"a leaf with more than {STUBS} uses is drawn as stubs")
        elif self.count > MEDIUM and self.leaf:
            parts.append("AccumulateGrad is drawn as part of its leaf")
        return "; ".join(parts)

    def _clusters(self) -> tuple[Cluster, ...]:
        if self.folding.of:
            return ()
        frames = clusters_of(self.trace, self.vertices, self.arcs, self.place)
        few = self.count <= MEDIUM
        return tuple(frame for frame in frames if few or frame.title == GRADIENT)
