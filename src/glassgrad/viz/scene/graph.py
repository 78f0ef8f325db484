"""What a picture is made of: boxes, lines and frames, in words and without places; from a trace.

What is drawn depends on how much there is (`n` backward nodes):

    n ≤ 15    everything: values, saved tensors as notes, inputs without gradient
    n ≤ 60    names, shapes and norms; a leaf with more than three uses becomes stubs
    n ≤ 300   names; AccumulateGrad is part of its leaf; saved tensors are counted
    more      the same, folded to at most 150 boxes (`folding.py`)
"""

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Literal

from glassgrad._words import bytes_text, counted, number_text, one_line, plain, shape_text
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.state import Names
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Ids
from glassgrad.viz.memory import completed
from glassgrad.viz.results import FLOWS, Results
from glassgrad.viz.scene.folding import STUBS, Fold, fold, runs_by_scope
from glassgrad.viz.style import KINDS
from glassgrad.viz.whose import Whose
from glassgrad.viz.wording import array_text, checkpoint_name, notices, tensor_name

PARTS = ("values", "shapes", "saved", "hooks", "versions")
FULL, MEDIUM = 15, 60  # up to so many nodes: everything is written out; names, shapes and norms
LARGE, FEW = 300, 150  # more nodes than LARGE are folded, to at most FEW boxes
HUGE = 1_500  # more nodes than that are an overview
CROWD = 100  # of one kind that hang on one node; more are not written out

Rows = tuple[tuple[str, str], ...]  # of a box: key and value


@dataclass(frozen=True, slots=True)
class Vertex:
    """One box of the picture.

    Args:
        id: as in the log: "n3" (node), "t1" (leaf, output), "s1" (storage); "f3" for a fold.
        kind: a name in `style.KINDS`.
        title: the bold line.
        badge: the pill at its right.
        rows: key and value, at most three. A "grad" row is filled by the pass.
        tip: what hovering shows.
        freed: for a saved tensor, whether the pass let it go.
        bad: why it is marked as bad ("NaN", "v1≠v0"); empty for a sound one.
        of: for a stub, the id of its leaf.
        hooks: short names of the hooks on it, in the order in which they run.
        kept: how much it saved ("2 saved"), where that is not drawn; struck out if `freed`.
        mark: in a comparison, "only-a", "only-b" or "differs".
        flow: as of an arc, for a part of the strip of an overview.
        size: width and height in px, if its text does not say them.
    """

    id: str
    kind: str
    title: str
    badge: str = ""
    rows: Rows = ()
    tip: str = ""
    freed: bool = False
    bad: str = ""
    of: str = ""
    hooks: Names = ()
    kept: str = ""
    mark: str = ""
    flow: str = ""
    size: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Arc:
    """One line of the picture: an arrow along which a gradient goes, or a tie without arrowhead.

    Args:
        id: "e3-0" for edge 0 of n3, "d3-0" for its saved tensor 0, "r2" for output t2's line;
            "b3", "p3" and "x3" for n3's ties to its base, to its origin and to its error.
        tail, head: ids of vertices.
        kind: "grad", "value" (forward), or a tie: a name in `style.TIES`.
        label: short text beside it.
        flow: how much gradient went along it: "0" to "5", "zero", "nan"; empty if not shown.
        bad: why it is marked as bad; empty for a sound one.
        mark: in a comparison, "only-a" or "only-b".
    """

    id: str
    tail: str
    head: str
    kind: str = "grad"
    label: str = ""
    flow: str = ""
    bad: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A frame around vertices that belong together: one level of transforms, one module's call.

    Args:
        id: "c0", "c1", …
        title: what stands in its corner.
        members: the ids of its vertices.
    """

    id: str
    title: str
    members: Names


@dataclass(frozen=True, slots=True)
class Graph:
    """What is drawn.

    Args:
        vertices, arcs: the boxes and lines, in the order of the log.
        title: what the picture is of.
        counts: how much there is, in words.
        place: which vertex stands for a node of the log (a fused or folded one has another's id).
        notice: what was left out or folded; empty if nothing was.
        clusters: frames; no vertex is in two.
        flow: where the arcs show how much gradient went along, the range in words.
        reading: how the picture is to be read, if not as arrows that follow the gradient.
    """

    vertices: tuple[Vertex, ...]
    arcs: tuple[Arc, ...]
    title: str
    counts: str
    place: Ids = field(default_factory=dict)
    notice: str = ""
    clusters: tuple[Cluster, ...] = ()
    flow: str = ""
    reading: str = ""


# --- what is asked for ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Look:
    """The options of a picture that say what is in it, not how it is coloured.

    Args:
        show: which of `PARTS` to show.
        fold: whether large graphs are folded.
        max_nodes: at most so many boxes; None for the usual rule (more than 300 nodes become 150).
        title: in place of "Backward graph of loss".
        flow: show by the arcs how much gradient went along them.
        apart: the ids of nodes that no fold takes in.
        cut: of a part of a graph, the ids of edges at whose ends nothing is drawn.
        turns: of a part of a pass, the turn of each node in the whole.
    """

    show: frozenset[str] = frozenset(PARTS)
    fold: bool = True
    max_nodes: int | None = None
    title: str | None = None
    flow: bool = False
    apart: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()
    turns: dict[str, int] = field(default_factory=dict)

    def is_overview(self, count: int) -> bool:
        """Whether a graph of `count` nodes is drawn as an overview, not as boxes and arrows."""
        return self.fold and self.max_nodes is None and count > HUGE

    def most(self, count: int) -> int | None:
        """How many boxes a graph of `count` nodes may have; None for as many as there are.

        Example:
            >>> Look().most(100), Look().most(1_000), Look(max_nodes=20).most(100)
            (None, 150, 20)
        """
        if not self.fold:
            return None
        return self.max_nodes if self.max_nodes else FEW if count > LARGE else None


def look_of(
    show: Iterable[str],
    fold: Literal["auto", False],
    max_nodes: int | None,
    title: str | None,
    flow: bool,
) -> Look:
    """The options of `draw`, checked.

    Raises:
        ArgumentError: for one that means nothing.
        ArgumentTypeError: for a title that is no text, or parts that are no names.
    """
    parts = _parts_of(show)
    if fold != "auto" and fold is not False:
        raise ArgumentError(
            f"fold={fold!r} is not known. Large graphs are folded by rule or not at all. "
            "Write `fold='auto'` or `fold=False`."
        )
    if max_nodes is not None and (type(max_nodes) is not int or max_nodes < 1):
        raise ArgumentError(
            f"max_nodes={max_nodes!r} leaves nothing to draw. It says how many boxes a folded "
            "graph may have. Write `max_nodes=60`, or `fold=False` for all nodes."
        )
    if max_nodes is not None and fold is False:
        raise ArgumentError(
            f"max_nodes={max_nodes} was given with fold=False. Without folding every node is "
            "drawn, however many there are. Leave one of the two out."
        )
    if title is not None and not isinstance(title, str):
        raise ArgumentTypeError(
            f"title={title!r} is of type {type(title).__name__}. What stands above a picture is "
            f"text. Write `title={str(title)!r}`."
        )
    return Look(parts, fold == "auto", max_nodes, title, bool(flow))


def _parts_of(show: Iterable[str]) -> frozenset[str]:
    """The parts that were asked for, by one name or several."""
    if not isinstance(show, Iterable):
        raise ArgumentTypeError(
            f"show={show!r} is of type {type(show).__name__}. It names the parts of a picture. "
            'Write `show=("values", "saved")`.'
        )
    parts = (show,) if isinstance(show, str) else tuple(show)
    for part in parts:
        if part not in PARTS:
            raise ArgumentError(
                f"show has {part!r}, which is no part of a picture. It takes any of "
                f'{", ".join(map(repr, PARTS))}. Write `show=("values", "saved")`.'
            )
    return frozenset(parts)


# From a trace to what is drawn --------------------------------------------------------------------


GRADIENT = "gradient's graph"
AGAIN = "RECOMPUTED"  # the badge of what a checkpoint has computed again
ERROR = "error"  # the id of the note with the message
MESSAGE, LINES = 58, 12  # characters of the message in a line, and lines
LONGEST = 34  # characters of a value
WORDS = 14  # characters of what PyTorch calls a saved tensor
TIES = ("base", "b", "view"), ("origin", "p", "origin")  # key of a node, letter, kind of arc


def graph_of(trace: Trace, look: Look = Look()) -> Graph:
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


_PARTS = {"saved", "packed", "hooks", "retains"}  # of a node, drawn at its box


def _without_crowds(trace: Trace) -> tuple[Trace, bool]:
    """A trace of which a picture can be drawn, and whether it has less in it."""
    nodes = []
    for node in trace.nodes:
        for part in _PARTS & node.keys():
            if len(node[part]) > CROWD:
                node = node | {part: node[part][:CROWD]}
        nodes.append(node)
    graph = trace.graph | {"nodes": nodes, "outputs": trace.outputs[:CROWD]}
    if graph["nodes"] == trace.nodes and len(trace.outputs) <= CROWD:
        return trace, False
    return Trace(graph, trace.arrays, trace.events), True


class _Builder:
    """Collects vertices and arcs. One is made per snapshot and thrown away."""

    def __init__(self, trace: Trace, look: Look) -> None:
        self.trace, is_cut = _without_crowds(completed(trace))
        trace = self.trace
        self.title, self.show, self.cut = look.title, look.show, look.cut
        self.results, self.whose = Results(trace), Whose(trace)
        # By storage: what it is called, and under which words it was saved.
        self._notes: dict[str, tuple[list[str], list[str]]] = {}
        self.leaf_of, self.turn = self.results.leaf_of, look.turns or self.results.turns
        self.count = len(trace.nodes)
        self.is_full, self.is_large = self.count <= FULL, self.count > MEDIUM
        self.fold_of, notice = fold(trace, look.most(self.count), look.apart)
        crowd = f"of what hangs on one node the first {CROWD} are drawn" if is_cut else ""
        is_wide = any(len(node["edges"]) > CROWD for node in trace.nodes)
        wide = "edges of one node that lead the same way are drawn as one" if is_wide else ""
        self.notice = notices(notice, crowd, wide)
        self.flows, self.range = self.results.flows() if look.flow else ({}, "")
        self.uses = self._uses()
        many = {name for name in self.leaf_of if self.uses[name] > STUBS}
        self.stubbed = set() if self.is_full else many
        self.arguments = {
            saved["storage"]
            for call in trace.graph.get("checkpoints", ())
            for saved in call.get("saved", ())
        }
        self.place = {name: self._place_of(name) for name in self.results.nodes}
        self.vertices: dict[str, Vertex] = {}
        self.arcs: dict[str | tuple[str, str], Arc] = {}  # by id; those of folds by their ends
        self.stubs: Counter[str] = Counter()

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
        words = "AccumulateGrad is drawn as part of its leaf"
        if self.stubs:
            words = f"a leaf with more than {STUBS} uses is drawn as stubs"
        elif not self.is_large or not self.trace.leaves:
            words = ""
        return Graph(
            tuple(self.vertices.values()),
            tuple(self.arcs.values()),
            title=title_of(self.trace, self.title),
            counts=counts_text(self.trace),
            place=self.place,
            notice=notices(self.notice, words),
            clusters=() if self.fold_of else self._clusters(),
            flow=self.range,
        )

    def _uses(self) -> Counter[str]:
        """How many edges lead to each node, those from one fold counted once."""
        ends = set()
        for node in self.trace.nodes:
            group = self.fold_of.get(node["id"])
            for index, edge in enumerate(node["edges"]):
                ends.add((group.id if group else (node["id"], index), edge["to"]))
        return Counter(goal for _, goal in ends)

    def _place_of(self, name: str) -> str:
        """The vertex that stands for a node: itself, its fold, or the leaf that it is part of."""
        part = self.leaf_of[name]["id"] if name in self.leaf_of else name
        if part in self.fold_of:
            return self.fold_of[part].id
        return part if self.is_large or name in self.stubbed else name

    def _add(self, vertex: Vertex) -> None:
        self.vertices[vertex.id] = vertex

    def _add_arc(self, id: str, tail: str, head: str, kind: str = "grad", **looks: str) -> None:
        self.arcs[id] = Arc(id, tail, head, kind, flow=self.flows.get(id, ""), **looks)

    # --- vertices ---

    def _add_output(self, output: Entry) -> None:
        name, title = output["id"], tensor_name(output)
        if name not in self.results.leaf:  # else backward started at a leaf: it has its box
            rows, tip = self._of_tensor(output, f"{title}: backward starts here")
            self._add(Vertex(name, "output", title, KINDS["output"].word, rows, tip))
            self._add_arc(f"r{name[1:]}", name, self.place[output["node"]])

    def _add_node(self, node: Entry) -> None:
        name = node["id"]
        if name in self.fold_of:
            group = self.fold_of[name]
            if name == group.members[-1]:
                self._add_fold(group)
        elif self.place[name] == name:
            kind = "view" if "base" in node else "user" if node.get("user") else "function"
            if node["op"] == "AccumulateGrad" or name in self.leaf_of:
                kind = "accumulate"
            turn = f"#{self.turn[name]}" if name in self.turn else ""
            gradients = self.results.gradients.get(name) or [None]
            rows = [("out", self._shape(node)), ("saved", self._saved_leaves(node))]
            saved = len(node.get("saved", ())) if self.is_large and "saved" in self.show else 0
            vertex = Vertex(
                name,
                kind,
                plain(node["op"]),
                f"{KINDS[kind].word} {turn}".strip(),
                () if kind == "accumulate" else self._rows(*rows, grad=gradients[0]),
                self._tip_of_node(node) + self._numbers("gradient", *gradients),
                bad=self.results.bad.get(name, ""),
                hooks=self._hooks(node),
                kept=f"{saved} saved" if saved else "",
                freed=name in self.results.freed and self.is_large,
            )
            self._add(vertex)

    def _add_fold(self, group: Fold) -> None:
        turns = [self.turn[name] for name in group.members if name in self.turn]
        badge = f"#{min(turns)}–{max(turns)}" if turns else ""
        if not group.title.startswith("…"):  # a module: its name says nothing of its size
            badge = f"{len(group.members):,} ops"
        bad = next(filter(None, map(self.results.bad.get, group.members)), "")
        self._add(Vertex(group.id, "fold", group.title, badge, tip=group.tip, bad=bad))

    def _add_leaf(self, leaf: Entry) -> None:
        name, accumulator, title = leaf["id"], leaf["acc"], tensor_name(leaf)
        if name in self.fold_of:
            return
        badge = KINDS["leaf"].word
        hooks: Names = ()
        if self.place[accumulator] == name:  # of this box is AccumulateGrad
            turn = f"#{self.turn[accumulator]}" if accumulator in self.turn else badge
            badge = f"{KINDS['accumulate'].word} {turn}"
            hooks = self._hooks(self.results.nodes[accumulator])
        else:
            self._add_arc(f"e{accumulator[1:]}-0", accumulator, name)
        words = f"{title}: a leaf, used {counted(self.uses[accumulator], 'time')}"
        self._add(Vertex(name, "leaf", title, badge, *self._of_tensor(leaf, words), hooks=hooks))

    def _add_saved(self, node: Entry) -> None:
        name, rank = node["id"], node["id"][1:]
        if self.is_large or "saved" not in self.show or name in self.fold_of:
            return
        for index, saved in enumerate(node.get("saved", ())):
            bad = self.results.stale.get((name, saved["name"]), "")
            head = saved.get("leaf", saved["storage"])
            if "leaf" not in saved:
                self._add_note(node, saved, bad)
            elif head not in self.vertices or self.results.leaf[head]["acc"] in self.stubbed:
                continue  # a tie to a leaf that is drawn as stubs would cross the whole picture
            self._add_arc(f"d{rank}-{index}", name, head, "saved", bad=bad)
        if node.get("freed") and not node.get("saved"):
            # The graph was looked at after the pass: nobody knows any more what it was.
            tip = "what it saved is gone: a pass has used it"
            self._add(Vertex(f"s{rank}-0", "saved", "saved", "FREED", tip=tip, freed=True))
            self._add_arc(f"d{rank}-0", name, f"s{rank}-0", "saved")

    def _add_note(self, node: Entry, saved: Entry, bad: str) -> None:
        name: str = saved["storage"]
        names, words = self._notes.setdefault(name, ([], []))
        names += filter(None, [self.whose.saved(node, saved)])
        words += [saved["name"]] * (saved["name"] not in words)
        kept_as = plain(", ".join(words), WORDS)  # PyTorch's word
        title = names[0] if names else self.whose.made_by(node, saved)
        is_named, title = bool(title), title or plain(", ".join(words))
        # A leaf keeps it; what was computed again goes once it was used.
        gone = self.results.gradients if "again" in saved else self.results.freed
        freed = node["id"] in gone and "owner" not in saved
        if known := self.vertices.get(name):
            # Shared: under each holder's word, and gone when the last has let it go.
            rows = known.rows
            if rows and is_named:
                rows = ((kept_as, rows[0][1]), *rows[1:])
            freed, bad = known.freed and freed, known.bad or bad
            self._add(replace(known, title=title, rows=rows, freed=freed, bad=bad))
            return
        version, size = saved["version"], bytes_text(saved["bytes"])
        badge = KINDS["saved"].word + (f" v{version}" if "versions" in self.show else "")
        if "again" in saved and name not in self.arguments:
            badge = AGAIN
        shape = self._shape(saved)
        row = ("shape", f"{shape}, {size}") if shape else ("size", size)
        rows = self._rows((kept_as, row[1]) if is_named else row, value=saved.get("array"))
        tip = f"{title}: saved by {plain(node['op'])} as {kept_as} at version {version}"
        tip += ", and computed again for it" if badge == AGAIN else ""
        tip += self._numbers("value", saved.get("array"))
        self._add(Vertex(name, "saved", title, badge, rows, tip, freed=freed, bad=bad))

    # --- what stands in a box ---

    def _of_tensor(self, tensor: Entry, tip: str) -> tuple[Rows, str]:
        """The rows and the tip of a leaf or an output: shape, value, and the `.grad` of a leaf."""
        value, grad = tensor.get("array"), self.results.final.get(tensor["id"])
        shape = self._shape(tensor) and f"{self._shape(tensor)} {plain(tensor['dtype'])}"
        rows = self._rows(("shape", shape), value=value, grad=grad)
        return rows, tip + self._numbers("value", value) + self._numbers("grad", grad)

    def _shape(self, entry: Entry) -> str:
        is_shown = "shape" in entry and "shapes" in self.show
        return shape_text(entry["shape"]) if is_shown else ""

    def _rows(
        self, *given: tuple[str, str], value: str | None = None, grad: str | None = None
    ) -> Rows:
        """At most three rows: those given that say something, and the numbers of two arrays."""
        rows = [row for row in given if row[1]]
        if "values" in self.show:
            if self.is_full and value is not None:
                rows.append(("value", array_text(self.trace.arrays[value])))
            if grad is not None:
                rows.append(("grad", gradient_text(self.trace.arrays[grad], self.count)))
        # The last row is the gradient, what the picture is about: it stays.
        kept = () if self.is_large else rows if len(rows) <= 3 else [*rows[:2], rows[-1]]
        return tuple((key, plain(text, LONGEST)) for key, text in kept)

    def _saved_leaves(self, node: Entry) -> str:
        """`self, other → x v0`: which saved tensors are leaves; those have no note of their own."""
        names: dict[str, list[str]] = {}
        is_shown = self.is_full and "saved" in self.show
        for saved in node.get("saved", ()) if is_shown else ():
            if "leaf" in saved:
                label = tensor_name(self.results.leaf[saved["leaf"]])
                version = f" v{saved['version']}" if "versions" in self.show else ""
                names.setdefault(label + version, []).append(plain(saved["name"], 12))
        return "; ".join(f"{', '.join(keys)} → {label}" for label, keys in names.items())

    def _hooks(self, node: Entry) -> Names:
        """The hooks of a node, in the order in which they run."""
        return tuple(
            f"{hook['id'].upper()} {plain(hook.get('name', ''), 16)}".strip()
            for hook in node.get("hooks", ())
            if "hooks" in self.show
        )

    def _tip_of_node(self, node: Entry) -> str:
        tip = f"{node['id']}  {plain(node['op'], 80)}"
        if node.get("scope"):
            tip += f"\nin {plain('.'.join(node['scope']), 80)}"
        return tip + (f"\nmade at {plain(node['src'], 80)}" if node.get("src") else "")

    def _numbers(self, key: str, *names: str | None) -> str:
        """Lines of a tip: the arrays called `names`."""
        known = [self.trace.arrays[name] for name in names if name is not None]
        return "".join(f"\n{key} {array_text(array)}" for array in known)

    # --- arcs ---

    def _add_edges(self, node: Entry) -> None:
        name = node["id"]
        several = len(node["edges"]) > 1 and self.is_full
        for index, edge in enumerate(node["edges"]):
            id, goal = f"e{name[1:]}-{index}", edge["to"]
            label = f"in{index + 1}" if several else ""
            if "sum_to" in edge and "shapes" in self.show and not self.is_large:
                label = f"{label} Σ→{shape_text(edge['sum_to'])}".strip()
            if name in self.fold_of or len(node["edges"]) > CROWD:
                self._add_edge_of_fold(id, self.place[name], goal)
            elif goal is not None:
                self._add_arc(id, name, self._head(goal), label=label)
            elif self.is_full and id not in self.cut:
                slot = f"z{id[1:]}"
                self._add(Vertex(slot, "none", "∅", tip="this input needs no gradient"))
                self._add_arc(id, name, slot, label=label)

    def _add_edge_of_fold(self, id: str, tail: str, goal: str | None) -> None:
        """An arc from a fold, or of very many, unless it stays inside, or is there already.

        One that is there already shows the largest of the gradients that went along it.
        """
        if goal is None or self.place[goal] == tail:
            return
        flow, ends = self.flows.get(id, ""), (tail, self.place[goal])
        known = self.arcs.get(ends) or Arc(id, tail, self._head(goal), flow=flow)
        self.arcs[ends] = replace(known, flow=max(known.flow, flow, key=FLOWS.index))

    def _head(self, goal: str) -> str:
        """The vertex that an edge to a node leads to: of a leaf with many uses, another stub."""
        if goal not in self.stubbed:
            return self.place[goal]
        leaf, total = self.leaf_of[goal], self.uses[goal]
        self.stubs[goal] += 1
        number, title = self.stubs[goal], tensor_name(leaf)
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
            if "part" in node and not self.is_large:  # the view through which a CopySlices wrote
                whole = f" of {shape_text(node['shape'])}" if "shape" in node else ""
                rows = (("part", f"{shape_text(node['part'])}{whole}"),)
                tip = "the view through which its base was written"
                self._add(Vertex(f"v{rank}", "view", "written view", KINDS["view"].word, rows, tip))
                self._add_arc(f"b{rank}", name, f"v{rank}", "view")
            for key, letter, kind in TIES[self.is_large :]:
                head = self.place.get(node.get(key, ""))
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
            words = one_line(failure["message"], 2 * MESSAGE * LINES)
            lines = textwrap.wrap(words, MESSAGE, max_lines=LINES, placeholder=" …") or [""]
            title, tip = plain(failure["error"], 40), one_line(failure["message"], 2_000)
            rows = tuple(("", line) for line in lines)
            self._add(Vertex(ERROR, "error", title, KINDS["error"].word, rows, tip))
            name = f"x{failure.get('node', holder)[1:]}"
            self._add_arc(name, holder, ERROR, "error", bad=failure["error"])

    # --- the whole ---

    def _clusters(self) -> tuple[Cluster, ...]:
        """Frames: a gradient's graph; levels inside of transforms, else checkpoints, else modules.

        A leaf, a note or an AccumulateGrad that serves one frame only is in that frame.
        """
        nodes = self.results.nodes
        grown = [  # what rules of their own level recorded; a transform's are on the level below
            name
            for name, node in nodes.items()
            if "origin" in node and _level(nodes[node["origin"]]) == _level(node)
        ]
        ops = [
            node
            for name, node in nodes.items()
            if name not in grown and node["op"] != "AccumulateGrad"
        ]
        frames: Frames = []
        if not self.is_large:
            frames = _levels(ops, self.trace.graph.get("levels", ())) or _checkpoints(
                self.trace, ops
            )
            frames = frames or _modules(ops)
        frames += [(GRADIENT, grown)] if grown else []
        frame_of = {self.place[name]: at for at, (_, names) in enumerate(frames) for name in names}
        users: dict[str, set[int | None]] = {}
        for kinds in ({"accumulate", "saved", "none", "stub"}, {"leaf"}):
            for arc in self.arcs.values():
                if self.vertices[arc.head].kind in kinds:
                    users.setdefault(arc.head, set()).add(frame_of.get(arc.tail))
            for name, (frame, *others) in users.items():
                if frame is not None and not others:
                    frame_of[name] = frame
        return tuple(
            Cluster(f"c{at}", title, tuple(id for id in self.vertices if frame_of.get(id) == at))
            for at, (title, _) in enumerate(frames)
        )


def gradient_text(array: Entry, count: int) -> str:
    """A gradient as boxes show it in a picture of `count` nodes."""
    if count <= FULL:
        return array_text(array)
    norm = array["norm"]
    return f"‖·‖={number_text(norm)}" if isinstance(norm, (int, float)) else "–"


# --- what stands above a picture ------------------------------------------------------------------


def title_of(trace: Trace, title: str | None) -> str:
    """What a picture is of, if it is not called `title`."""
    if title is not None:
        return plain(title, 120)
    names = ", ".join(tensor_name(output) for output in trace.outputs[:3])
    return f"Backward graph of {names}" if names else "Backward graph"


def counts_text(trace: Trace) -> str:
    """How much there is: `3 nodes · 4 edges · 1 leaf`."""
    nodes, leaves = len(trace.nodes), len(trace.leaves)
    edges = leaves + sum([e["to"] is not None for node in trace.nodes for e in node["edges"]])
    counts = counted(nodes, "node"), counted(edges, "edge"), counted(leaves, "leaf", "leaves")
    return " · ".join(counts)


# --- frames around what belongs together ---------------------------------------------------------

Frames = list[tuple[str, list[str]]]


def _level(node: Entry) -> int:
    level: int = node.get("level", 0)
    return level


def _levels(ops: list[Entry], levels: Sequence[Entry]) -> Frames:
    """One frame per level, if any node was recorded inside of a transform; `levels` has kinds."""
    titles = {0: "level 0: the tape"}
    for entry in levels:
        outer = " of ".join(entry.get("inside", ()))
        words = f"level {entry['level']}: {entry['kind']}" + (outer and f" inside {outer}")
        titles[entry["level"]] = plain(words, 60)
    by_level: dict[int, list[str]] = {}
    for node in ops:
        by_level.setdefault(_level(node), []).append(node["id"])
    if set(by_level) <= {0}:
        return []
    return [(titles.get(level, f"level {level}"), by_level[level]) for level in sorted(by_level)]


def _checkpoints(trace: Trace, ops: list[Entry]) -> Frames:
    """One frame per checkpoint that is inside of no other; it has the nodes of those inside."""
    calls = trace.graph.get("checkpoints", ())
    outermost: dict[str, str] = {}  # the call around another comes before it
    for call in calls:
        outermost[call["id"]] = outermost.get(call.get("inside", ""), call["id"])
    members: dict[str, list[str]] = {}
    for node in ops:
        if "checkpoint" in node:
            members.setdefault(outermost[node["checkpoint"]], []).append(node["id"])
    found = []
    for name, nodes in members.items():
        inside = [call["id"] for call in calls if outermost[call["id"]] == name != call["id"]]
        more = f", {len(inside)} more inside" if inside else ""
        found.append((plain(checkpoint_name(trace, name) + more, 80), nodes))
    return found


def _modules(ops: list[Entry]) -> Frames:
    """One frame per call of a module, at the outermost depth where modules differ.

    Where that frames nothing, for all is one module's, it sets that apart from what is outside.
    """
    scopes = {tuple(node.get("scope", ())) for node in ops}
    within = scopes - {()}
    alike = takewhile(lambda names: len(set(names)) == 1, zip(*within, strict=False))
    shared = len(list(alike))
    frames = _calls(ops, shared + 1)
    return frames or (_calls(ops, shared) if shared and () in scopes else [])


def _calls(ops: list[Entry], depth: int) -> Frames:
    """One frame per run of nodes whose scopes are alike down to `depth`."""
    return [
        (plain(".".join(scope), 60), [node["id"] for node in run])
        for scope, run in runs_by_scope(ops, depth)
        if len(scope) == depth and len(run) > 1  # a frame around one says what its tip says
    ]
