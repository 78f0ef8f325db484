"""Two traces as one picture: what both have is drawn once, the rest is marked by border and badge.

A solid thick border is a's alone, a dashed one b's alone, a dotted one says that the two differ in
what stands in the box; then the rows `a` and `b` have the numbers of each.
"""

from collections import Counter
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from glassgrad.tracing.compare import Comparison, Difference
from glassgrad.tracing.events import Trace
from glassgrad.viz.scene.graph import Arc, Graph, Look, Vertex
from glassgrad.viz.scene.results import Results
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.style import KINDS, MARKS
from glassgrad.viz.wording import array_text, counted, notices, plain, shape_text

ON_EDGES = {"detached", "no AccumulateGrad", "other edge"}  # seen at the edges, which are marked
TOLD = 2  # differences that are written under the title

NAMED = {"id", "acc", "node", "array", "storage", "leaf", "owner", "base", "origin", "to"}

Entry = dict[str, Any]


def compared(comparison: Comparison, look: Look) -> tuple[Trace, Graph]:
    """Both traces as one, and how it is drawn."""
    union = _Union(comparison)
    graph = graph_of(union.trace, look)
    marks = _vertex_marks(graph, union)
    accumulators = {leaf["id"]: leaf["acc"] for leaf in union.a.leaves}
    rows = {
        union.place_of(each): _rows(comparison, each)
        for each in reversed(comparison.differences)
        if each.a
    }
    tips: dict[str, list[str]] = {}
    for each in comparison.differences:
        name = each.a or (union.name(each.b) if each.b else "")
        tips.setdefault(name, []).append(plain(each.text, 300))
    vertices = []
    for vertex in graph.vertices:
        mark = marks.get(vertex.id, "")
        if vertex.id in tips:
            vertex = replace(vertex, tip="\n".join([vertex.tip, *tips[vertex.id]]).strip())
        if mark == "differs":
            node = accumulators.get(vertex.id, vertex.id)
            vertex = replace(vertex, rows=rows.get(node) or vertex.rows)
        vertices.append(_marked(vertex, mark))
    drawn = replace(
        graph,
        vertices=tuple(vertices),
        arcs=tuple(_marked_arc(arc, marks, union.only) for arc in graph.arcs),
        title=plain(look.title if look.title is not None else "Two backward graphs, a and b", 120),
        notice=notices(_summary(comparison), graph.notice),
    )
    return union.trace, drawn


# --- one graph of two ----------------------------------------------------------------------------


class _Union:
    """The nodes of a, and those of b that a does not have, under new ids.

    Attributes:
        trace: all of it, without events.
        only: what is in one of them alone: "only-a" or "only-b" by id of node, leaf or edge.
        differing: the nodes that are in both, and are not the same.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.a, b = comparison.a, comparison.b
        a, pairs = self.a, comparison.pairs
        self.differing = {
            self.place_of(each)
            for each in comparison.differences
            if each.a and each.b and each.kind not in ON_EDGES
        }
        # The nodes of b are those of a where they are paired, and its leaves where these have
        # their AccumulateGrad; all else has a number beyond those of a.
        self.names = {second: first for first, second in pairs.items()}
        leaves = {leaf["acc"]: leaf["id"] for leaf in a.leaves}
        self.names |= {
            leaf["id"]: leaves[self.names[leaf["acc"]]]
            for leaf in b.leaves
            if self.names.get(leaf["acc"]) in leaves
        }
        entries = [entry["id"] for entry in (*a.nodes, *a.leaves, *a.outputs)]
        known = [*entries, *a.arrays, *_storages(a.nodes)]
        self.shift = 1 + max((int(name[1:]) for name in known), default=0)
        others = {node["id"]: self._renamed(node) for node in b.nodes}
        self.only = {node["id"]: "only-a" for node in a.nodes if node["id"] not in pairs}
        nodes = [
            self._with_edges(node, others.pop(pairs[node["id"]])["edges"])
            if node["id"] in pairs
            else node
            for node in a.nodes
        ]
        self.only |= {node["id"]: "only-b" for node in others.values()}
        nodes += [node | {"seq": int(node["id"][1:])} for node in others.values()]
        slots = {(output["node"], output["slot"]) for output in a.outputs}
        added = [leaf for leaf in map(self._renamed, b.leaves) if leaf["acc"] in self.only]
        outputs = [o for o in map(self._renamed, b.outputs) if (o["node"], o["slot"]) not in slots]
        self.only |= {leaf["id"]: "only-a" for leaf in a.leaves if leaf["acc"] in self.only}
        self.only |= {tensor["id"]: "only-b" for tensor in (*added, *outputs)}
        graph = {
            "nodes": _by_age(nodes),
            "leaves": [*a.leaves, *added],
            "outputs": [*a.outputs, *outputs],
        }
        arrays = {self.name(id): each for id, each in b.arrays.items()}
        self.trace = Trace(graph, a.arrays | arrays, [])

    def place_of(self, found: Difference) -> str:
        """The node, or the output, at which a difference is shown."""
        outputs = [output["id"] for output in self.a.outputs if output["node"] == found.a]
        is_value = found.kind == "other value" and bool(outputs)
        return outputs[0] if is_value else found.a or ""

    def name(self, id: str) -> str:
        """The id that a node, tensor, storage or array of b has here."""
        return self.names.get(id) or f"{id[0]}{int(id[1:]) + self.shift}"

    def _renamed(self, entry: Entry) -> Entry:
        """An entry of b's graph with the ids that its parts have here."""
        renamed = dict(entry)
        for key, value in entry.items():
            if key in NAMED and value is not None:
                renamed[key] = self.name(value)
            elif key in {"edges", "saved", "retains"}:
                renamed[key] = [self._renamed(each) for each in value]
        return renamed

    def _with_edges(self, node: Entry, others: list[Entry]) -> Entry:
        """A node with its edges, and those that it has only in b."""
        rank, own = node["id"][1:], node["edges"]
        both = Counter(edge["to"] for edge in own) & Counter(edge["to"] for edge in others)
        more = [others[index] for index in _beyond(others, both)]
        self.only |= {f"e{rank}-{index}": "only-a" for index in _beyond(own, both)}
        self.only |= {f"e{rank}-{index}": "only-b" for index, _ in enumerate(more, len(own))}
        return node | {"edges": [*own, *more]}


def _storages(nodes: list[Entry]) -> list[str]:
    return [saved["storage"] for node in nodes for saved in node.get("saved", ())]


def _beyond(edges: list[Entry], both: "Counter[Any]") -> list[int]:
    """Which of the edges that lead somewhere are not among those that both have."""
    left = Counter(both)
    found = []
    for index, edge in enumerate(edges):
        left[edge["to"]] -= 1
        if left[edge["to"]] < 0 and edge["to"] is not None:
            found.append(index)
    return found


def _by_age(nodes: list[Entry]) -> list[Entry]:
    """The nodes so that edges lead to earlier ones, if that is possible."""
    known = {node["id"]: node for node in nodes}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for node in nodes:
        sorter.add(node["id"], *(edge["to"] for edge in node["edges"] if edge["to"] is not None))
    try:
        return [known[name] for name in sorter.static_order()]
    except CycleError:  # what is above in one of them is below in the other
        return nodes


# --- marks ---------------------------------------------------------------------------------------


def _vertex_marks(graph: Graph, union: _Union) -> dict[str, str]:
    """How each vertex is marked; one that stands for several nodes by all that are marked."""
    marks: dict[str, set[str]] = {}
    for node, vertex in graph.place.items():
        marks.setdefault(vertex, set()).add(union.only.get(node, ""))
    marks |= {v.id: {union.only[v.id]} for v in graph.vertices if v.id in union.only}
    found = {name: each.pop() if len(each) == 1 else "differs" for name, each in marks.items()}
    return found | {graph.place.get(name, name): "differs" for name in union.differing}


def _marked(vertex: Vertex, mark: str) -> Vertex:
    if not mark:
        return vertex
    words = "≠" if mark == "differs" else MARKS[mark].label
    return replace(vertex, mark=mark, badge=f"{KINDS[vertex.kind].word} {words}".strip())


def _marked_arc(arc: Arc, marks: dict[str, str], only: dict[str, str]) -> Arc:
    if arc.kind != "grad":
        return arc
    found = [only.get(arc.id, ""), marks.get(arc.tail, ""), marks.get(arc.head, "")]
    mark = next((each for each in found if each.startswith("only")), "")
    if not mark:
        return arc
    side = mark.removeprefix("only-")
    added = only.get(arc.id) == "only-b" and arc.head not in only
    return replace(arc, mark=mark, label=side if added else f"{arc.label} {side}".strip())


# --- words ---------------------------------------------------------------------------------------


def _summary(comparison: Comparison) -> str:
    count = len(comparison.differences)
    if not count:
        return "the same in structure and values"
    told = "; ".join(plain(_short(each), 84) for each in comparison.differences[:TOLD])
    more = f"; and {count - TOLD} more" if count > TOLD else ""
    return f"{counted(count, 'difference')}: {told}{more}"


def _short(found: Difference) -> str:
    """What differs, without the numbers: those stand in the boxes."""
    said = found.text.partition(" (")[0]
    what, colon, _ = said.partition(": ")
    return f"{found.kind}: {what}" if colon else said


def _rows(comparison: Comparison, found: Difference) -> tuple[tuple[str, str], ...]:
    """What stands in the box in a, and in b."""
    traces, nodes = (comparison.a, comparison.b), (found.a, found.b)
    return tuple(
        (key, plain(_said(trace, node, found.kind, array), 34))
        for key, trace, node, array in zip("ab", traces, nodes, found.arrays, strict=True)
        if node is not None
    )


def _said(trace: Trace, name: str, kind: str, array: str | None) -> str:
    node = next(node for node in trace.nodes if node["id"] == name)
    if kind == "other op":
        return str(node["op"])
    if kind == "other shape":
        return f"{shape_text(node.get('shape', ()))} {node.get('dtype', '')}"
    if kind == "other hooks":
        return ", ".join(hook.get("name", "hook") for hook in node.get("hooks", ())) or "no hook"
    if kind == "other order":
        schedule = trace.schedule()
        return f"#{schedule.index(name) + 1}" if name in schedule else "does not run"
    array = array or _array_of(trace, name, kind)
    return "no gradient" if array is None else array_text(trace.arrays[array])


def _array_of(trace: Trace, name: str, kind: str) -> str | None:
    """The array of a node that a difference in values is about."""
    leaves = [leaf for leaf in trace.leaves if leaf["acc"] == name]
    if kind == "other value":
        outputs = [output for output in trace.outputs if output["node"] == name]
        (tensor, *_) = [*leaves, *outputs, {}]
        return tensor.get("array")
    results = Results(trace)
    if leaves and leaves[0]["id"] in results.final:
        return results.final[leaves[0]["id"]]
    given = results.gradients.get(name, [])
    return next((each for each in given if each is not None), None)
