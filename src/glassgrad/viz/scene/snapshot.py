"""From a trace to what is drawn: a frozen graph of vertices and arcs, in words and without places.

What is drawn depends on how much there is (`n` backward nodes):

    n ≤ 15    everything: values, saved tensors as notes, inputs without gradient
    n ≤ 60    names, shapes and norms; a leaf with more than three uses becomes stubs
    n ≤ 300   names; AccumulateGrad is part of its leaf; saved tensors are counted
    more      the same, folded to at most 150 boxes (`folding.py`)
"""

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.folding import STUBS, Fold, Folding, fold, runs_by_scope
from glassgrad.viz.scene.graph import FULL, MEDIUM, Arc, Cluster, Graph, Look, Vertex
from glassgrad.viz.scene.results import Results, flows_of, strength
from glassgrad.viz.scene.words import Words, counts_text, title_of
from glassgrad.viz.style import KINDS
from glassgrad.viz.wording import counted, notices, plain, shape_text, tensor_name

GRADIENT = "gradient's graph"
ERROR = "error"  # the id of the note with the message
MESSAGE, LINES = 58, 12  # characters of the message in a line, and lines


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


def turns_of(trace: Trace) -> dict[str, int]:
    """The turn of each node that ran, from 1."""
    return {node: turn for turn, node in enumerate(trace.schedule(), 1)}


class _Builder:
    """Collects vertices and arcs. One is made per snapshot and thrown away."""

    def __init__(self, trace: Trace, look: Look) -> None:
        self.trace, self.look = trace, look
        self.count = len(trace.nodes)
        most = look.most(self.count)
        self.folding = Folding() if most is None else fold(trace, most, look.apart)
        self.turn = look.turns or turns_of(trace)
        self.nodes = {node["id"]: node for node in trace.nodes}
        self.leaf = {leaf["id"]: leaf for leaf in trace.leaves}
        self.leaf_of = {leaf["acc"]: leaf for leaf in trace.leaves}
        self.results = Results(trace)
        self.words = Words(trace, look, self.results)
        self.flows, self.range = flows_of(trace) if look.flow else ({}, "")
        self.uses = self._uses()
        many = [name for name in self.leaf_of if self.uses[name] > STUBS]
        self.stubbed = set(many) if self.count > FULL else set()
        self.place = {node["id"]: self._place_of(node["id"]) for node in trace.nodes}
        self.vertices: dict[str, Vertex] = {}
        self.arcs: list[Arc] = []
        self.stubs: Counter[str] = Counter()
        self.drawn: dict[tuple[str, str], int] = {}

    def build(self) -> Graph:
        # Outputs first, leaves last: dot keeps the order of equals, so the picture reads that way.
        for output in self.trace.outputs:
            self._add_output(output)
        for node in reversed(self.trace.nodes):
            self._add_node(node)
        for leaf in self.trace.leaves:
            self._add_leaf(leaf)
        for node in reversed(self.trace.nodes):
            self._add_edges(node)
            self._add_saved(node)
        self._add_ties()
        self._add_failure()
        return Graph(
            tuple(self.vertices.values()),
            tuple(self.arcs),
            title=title_of(self.trace, self.look.title),
            counts=counts_text(self.trace),
            place=self.place,
            notice=self._notice(),
            clusters=() if self.folding.of else self._clusters(),
            flow=self.range,
        )

    def _uses(self) -> Counter[str]:
        """How many edges lead to each node, those from one fold counted once."""
        ends = set()
        for node in self.trace.nodes:
            group = self.folding.of.get(node["id"])
            for index, edge in enumerate(node["edges"]):
                ends.add((group.id if group else (node["id"], index), edge["to"]))
        return Counter(goal for _, goal in ends)

    def _place_of(self, name: str) -> str:
        """The vertex that stands for a node: itself, its fold, or the leaf that it is part of."""
        if name in self.folding.of:
            return self.folding.of[name].id
        if name not in self.leaf_of:
            return name
        leaf: str = self.leaf_of[name]["id"]
        if leaf in self.folding.hidden:
            return self.folding.hidden[leaf]
        return leaf if self.count > MEDIUM or name in self.stubbed else name

    def _add_arc(self, id: str, tail: str, head: str, kind: str = "grad", **looks: str) -> None:
        self.arcs.append(Arc(id, tail, head, kind, flow=self.flows.get(id, ""), **looks))

    # --- vertices ---

    def _add(self, vertex: Vertex) -> None:
        self.vertices[vertex.id] = vertex

    def _add_output(self, output: dict[str, Any]) -> None:
        if output["id"] in self.leaf:
            return  # backward started at a leaf: it has its box already
        title, rows = tensor_name(output), self.words.of_tensor(output)
        tip = self.words.tip_of_tensor(output, f"{title}: backward starts here")
        self._add(Vertex(output["id"], "output", title, KINDS["output"].word, rows, tip))
        self._add_arc(f"r{output['id'][1:]}", output["id"], self.place[output["node"]])

    def _add_node(self, node: dict[str, Any]) -> None:
        name = node["id"]
        if name in self.folding.of:
            self._add_fold(self.folding.of[name])
        elif self.place[name] == name:
            kind = "view" if "base" in node else "function"
            if node["op"] == "AccumulateGrad" or name in self.leaf_of:
                kind = "accumulate"
            elif node.get("user"):
                kind = "user"
            turn = f"#{self.turn[name]}" if name in self.turn else ""
            vertex = Vertex(
                name,
                kind,
                plain(node["op"]),
                f"{KINDS[kind].word} {turn}".strip(),
                () if kind == "accumulate" else self.words.of_node(node),
                self.words.tip_of_node(node),
                bad=self.results.bad.get(name, ""),
                hooks=self.words.hooks(node),
                kept=self.words.kept(node),
                freed=name in self.results.freed and self.count > MEDIUM,
            )
            self._add(vertex)

    def _add_fold(self, group: Fold) -> None:
        if group.id in self.vertices:
            return
        turns = [self.turn[name] for name in group.members if name in self.turn]
        badge = f"#{min(turns)}–{max(turns)}" if turns else ""
        if not group.title.startswith("…"):  # a module: its name says nothing of its size
            badge = f"{len(group.members):,} ops"
        bad = next(filter(None, map(self.results.bad.get, group.members)), "")
        self._add(Vertex(group.id, "fold", group.title, badge, tip=group.tip, bad=bad))

    def _add_leaf(self, leaf: dict[str, Any]) -> None:
        name, accumulator = leaf["id"], leaf["acc"]
        if name in self.folding.hidden:
            return
        is_part = self.place.get(accumulator) == name  # of this box is AccumulateGrad
        word = KINDS["leaf"].word
        turn = f"#{self.turn[accumulator]}" if accumulator in self.turn else word
        title = tensor_name(leaf)
        tip = f"{title}: a leaf, used {counted(self.uses[accumulator], 'time')}"
        vertex = Vertex(
            name,
            "leaf",
            title,
            f"{KINDS['accumulate'].word} {turn}" if is_part else word,
            self.words.of_tensor(leaf),
            self.words.tip_of_tensor(leaf, tip),
            hooks=self.words.hooks(self.nodes[accumulator] if is_part else {}),
        )
        self._add(vertex)
        if self.place.get(accumulator) == accumulator:
            self._add_arc(f"e{accumulator[1:]}-0", accumulator, name)

    def _add_saved(self, node: dict[str, Any]) -> None:
        name = node["id"]
        if self.count > MEDIUM or "saved" not in self.look.show or name in self.folding.of:
            return
        for index, saved in enumerate(node.get("saved", ())):
            bad = self.results.stale.get((name, saved["name"]), "")
            head = saved.get("leaf")
            if head is None:
                head = saved["storage"]
                self._add_note(node, saved, bad)
            elif head not in self.vertices or self.leaf[head]["acc"] in self.stubbed:
                continue  # a tie to a leaf that is drawn as stubs would cross the whole picture
            self._add_arc(f"d{name[1:]}-{index}", name, head, "saved", bad=bad)
        if node.get("freed") and not node.get("saved"):
            # The graph was looked at after the pass: nobody knows any more what it was.
            rank, tip = name[1:], "what it saved is gone: a pass has used it"
            self._add(Vertex(f"s{rank}-0", "saved", "saved", "FREED", tip=tip, freed=True))
            self._add_arc(f"d{rank}-0", name, f"s{rank}-0", "saved")

    def _add_note(self, node: dict[str, Any], saved: dict[str, Any], bad: str) -> None:
        known = self.vertices.get(saved["storage"])
        freed = node["id"] in self.results.freed and "owner" not in saved  # a leaf keeps it
        title = plain(saved.get("label", saved["name"]))
        if known:  # shared: under each holder's name, and gone when the last has let it go
            is_named = "label" in saved or saved["name"] in known.title.split(", ")
            title = known.title if is_named else plain(f"{known.title}, {saved['name']}")
            freed, bad = known.freed and freed, known.bad or bad
            self._add(replace(known, title=title, freed=freed, bad=bad))
            return
        version = saved["version"]
        word = KINDS["saved"].word
        badge = f"{word} v{version}" if "versions" in self.look.show else word
        tip = f"{title}: saved by {plain(node['op'])} at version {version}"
        rows, tip = self.words.of_saved(saved), self.words.tip_of_tensor(saved, tip)
        self._add(Vertex(saved["storage"], "saved", title, badge, rows, tip, freed=freed, bad=bad))

    # --- arcs ---

    def _add_edges(self, node: dict[str, Any]) -> None:
        several = len(node["edges"]) > 1 and self.count <= FULL
        tail = self.folding.of[node["id"]].id if node["id"] in self.folding.of else node["id"]
        for index, edge in enumerate(node["edges"]):
            name, goal = f"e{node['id'][1:]}-{index}", edge["to"]
            label = f"in{index}" if several else ""
            if "sum_to" in edge and self.count <= MEDIUM and "shapes" in self.look.show:
                label = f"{label} Σ→{shape_text(edge['sum_to'])}".strip()
            if tail != node["id"]:
                self._add_edge_of_fold(name, tail, goal)
            elif goal is not None:
                self._add_arc(name, tail, self._head(goal), label=label)
            elif self.count <= FULL:
                slot = f"z{name[1:]}"
                self._add(Vertex(slot, "none", "∅", tip="this input needs no gradient"))
                self._add_arc(name, tail, slot, label=label)

    def _add_edge_of_fold(self, name: str, tail: str, goal: str | None) -> None:
        """An arc from a fold, unless it stays inside, or is there already.

        One that is there already shows the largest of the gradients that went along it.
        """
        if goal is None or self.place[goal] == tail:
            return
        pair, flow = (tail, self.place[goal]), self.flows.get(name, "")
        if pair not in self.drawn:
            self.drawn[pair] = len(self.arcs)
            self._add_arc(name, tail, self._head(goal))
        elif strength(flow) > strength(self.arcs[self.drawn[pair]].flow):
            self.arcs[self.drawn[pair]] = replace(self.arcs[self.drawn[pair]], flow=flow)

    def _head(self, target: str) -> str:
        """The vertex that an edge to a node leads to: of a leaf with many uses, another stub."""
        if target not in self.stubbed:
            return self.place[target]
        leaf = self.leaf_of[target]
        title, total = tensor_name(leaf), self.uses[target]
        self.stubs[leaf["id"]] += 1
        number = self.stubs[leaf["id"]]
        name, tip = f"{leaf['id']}-{number}", f"use {number} of {total} of {title}"
        self._add(Vertex(name, "stub", title, f"{number}/{total}", tip=tip, of=leaf["id"]))
        return name

    # --- ties along which no gradient goes ---

    def _add_ties(self) -> None:
        """From a view to its base, from a node of the gradient's graph to where it came from."""
        for node in self.trace.nodes:
            name, rank = node["id"], node["id"][1:]
            if self.place[name] != name:
                continue
            ties = [("base", "b", "view"), ("origin", "p", "origin")]
            if self.count > MEDIUM:
                ties = ties[1:]
            elif "part" in node:  # the view through which a CopySlices wrote
                whole = f" of {shape_text(node['shape'])}" if "shape" in node else ""
                rows = (("part", f"{shape_text(node['part'])}{whole}"),)
                tip = "the view through which its base was written"
                self._add(Vertex(f"v{rank}", "view", "written view", KINDS["view"].word, rows, tip))
                self._add_arc(f"b{rank}", name, f"v{rank}", "view")
            for field, letter, kind in ties:
                head = self.place.get(node.get(field, ""))
                if head in self.vertices and head != name:
                    self._add_arc(f"{letter}{rank}", name, head, kind)

    def _add_failure(self) -> None:
        """The error that ended the pass: at its node, or at the output where it never began."""
        failure = self.results.failure
        if failure is None:
            return
        outputs = [output["id"] for output in self.trace.outputs]
        holder = self.place.get(failure["node"], "") if "node" in failure else "".join(outputs[:1])
        if holder in self.vertices:
            words = plain(failure["message"], 2 * MESSAGE * LINES)
            lines = textwrap.wrap(words, MESSAGE, max_lines=LINES, placeholder=" …") or [""]
            title, tip = plain(failure["error"], 40), plain(failure["message"], 2_000)
            rows = tuple(("", line) for line in lines)
            self._add(Vertex(ERROR, "error", title, KINDS["error"].word, rows, tip))
            name = f"x{failure.get('node', holder)[1:]}"
            self._add_arc(name, holder, ERROR, "error", bad=failure["error"])

    # --- the whole ---

    def _notice(self) -> str:
        words = ""
        if self.stubs:
            words = f"a leaf with more than {STUBS} uses is drawn as stubs"
        elif self.count > MEDIUM and self.leaf:
            words = "AccumulateGrad is drawn as part of its leaf"
        return notices(self.folding.notice, words)

    def _clusters(self) -> tuple[Cluster, ...]:
        """Frames: a gradient's graph; levels inside of transforms, else modules.

        A leaf, a note or an AccumulateGrad that serves one frame only is in that frame.
        """
        grown = _grown(self.trace)
        ops = [
            node
            for node in self.trace.nodes
            if self.place[node["id"]] in self.vertices
            and node["id"] not in grown
            and node["op"] != "AccumulateGrad"
        ]
        frames: Frames = []
        if self.count <= MEDIUM:
            frames = _levels(ops, self.trace.graph.get("levels", ())) or _modules(ops)
        frames += [(GRADIENT, grown)] if grown else []
        frame_of = {self.place[name]: at for at, (_, names) in enumerate(frames) for name in names}
        users: dict[str, set[int | None]] = {}
        for kinds in ({"accumulate", "saved", "none", "stub"}, {"leaf"}):
            for arc in self.arcs:
                if self.vertices[arc.head].kind in kinds:
                    users.setdefault(arc.head, set()).add(frame_of.get(arc.tail))
            for name, (frame, *others) in users.items():
                if frame is not None and not others:
                    frame_of[name] = frame
        return tuple(
            Cluster(f"c{at}", title, tuple(id for id in self.vertices if frame_of.get(id) == at))
            for at, (title, _) in enumerate(frames)
        )


# --- frames around what belongs together ---------------------------------------------------------

Frames = list[tuple[str, list[str]]]


def _grown(trace: Trace) -> list[str]:
    """The nodes that rules of their own level recorded; a transform's are on the level below."""
    levels = {node["id"]: node.get("level", 0) for node in trace.nodes}
    return [
        node["id"]
        for node in trace.nodes
        if "origin" in node and levels[node["origin"]] == levels[node["id"]]
    ]


def _levels(ops: list[dict[str, Any]], levels: Sequence[dict[str, Any]]) -> Frames:
    """One frame per level, if any node was recorded inside of a transform; `levels` has kinds."""
    titles = {0: "level 0: the tape"}
    for entry in levels:
        outer = " of ".join(entry.get("inside", ()))
        words = f"level {entry['level']}: {entry['kind']}" + (outer and f" inside {outer}")
        titles[entry["level"]] = plain(words, 60)
    by_level: dict[int, list[str]] = {}
    for node in ops:
        by_level.setdefault(node.get("level", 0), []).append(node["id"])
    if set(by_level) <= {0}:
        return []
    return [(titles.get(level, f"level {level}"), by_level[level]) for level in sorted(by_level)]


def _modules(ops: list[dict[str, Any]]) -> Frames:
    """One frame per call of a module, at the outermost depth where modules differ.

    Where that frames nothing, for all is one module's, it sets that apart from what is outside.
    """
    scopes = {tuple(node.get("scope", ())) for node in ops}
    within = scopes - {()}
    alike = takewhile(lambda names: len(set(names)) == 1, zip(*within, strict=False))
    shared = len(list(alike))
    frames = _calls(ops, shared + 1)
    return frames or (_calls(ops, shared) if shared and () in scopes else [])


def _calls(ops: list[dict[str, Any]], depth: int) -> Frames:
    """One frame per run of nodes whose scopes are alike down to `depth`."""
    frames = []
    for scope, run in runs_by_scope(ops, depth):
        if len(scope) == depth and len(run) > 1:  # a frame around one says what its tip says
            frames.append((plain(".".join(scope), 60), [node["id"] for node in run]))
    return frames
