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
from glassgrad.viz.scene.graph import Arc, Graph, Vertex
from glassgrad.viz.scene.look import Look
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.style import MARKS
from glassgrad.viz.wording import array_text, plain, shape_text

__all__ = ["compared"]

ON_EDGES = {"detached", "no AccumulateGrad", "other edge"}  # seen at the edges, which are marked
TOLD = 2  # differences that are written under the title


def compared(comparison: Comparison, look: Look) -> tuple[Trace, Graph]:
    """Both traces as one, and how it is drawn."""
    union = _Union(comparison)
    graph = graph_of(union.trace, look)
    marks = _vertex_marks(graph, union)
    rows = {
        union.place_of(each): _rows(comparison, each)
        for each in reversed(comparison.differences)
        if each.a
    }
    tips = _tips(comparison, union)
    vertices = []
    for vertex in graph.vertices:
        mark = marks.get(vertex.id, "")
        if vertex.id in tips:
            vertex = replace(vertex, tip=f"{vertex.tip}\n{tips[vertex.id]}".strip())
        if mark == "differs":
            vertex = replace(vertex, rows=rows.get(union.node_of(vertex.id)) or vertex.rows)
        vertices.append(_marked(vertex, mark))
    arcs = tuple(_marked_arc(arc, marks, union) for arc in graph.arcs)
    notice = "; ".join(part for part in (_summary(comparison), graph.notice) if part)
    title = look.title if look.title is not None else "Two backward graphs, a and b"
    drawn = replace(
        graph, vertices=tuple(vertices), arcs=arcs, title=plain(title, 120), notice=notice
    )
    return union.trace, drawn


# --- one graph of two ----------------------------------------------------------------------------


class _Union:
    """The nodes of a, and those of b that a does not have, under new ids.

    Attributes:
        trace: all of it, without events.
        only: what is in one of them alone: "only-a" or "only-b" by id of node, leaf or edge.
        differing: the nodes that are in both, and are not the same.
        name_in: the id that a node of b has here.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.a, self.b, self.pairs = comparison.a, comparison.b, comparison.pairs
        self.only: dict[str, str] = {}
        self.differing = {
            self.place_of(each)
            for each in comparison.differences
            if each.a and each.b and each.kind not in ON_EDGES
        }
        self.name_in = {second: first for first, second in self.pairs.items()}
        for node in self.b.nodes:
            count = len(self.a.nodes) + len(self.name_in) - len(self.pairs)
            if node["id"] not in self.name_in:
                self.name_in[node["id"]] = f"n{count}"
                self.only[f"n{count}"] = "only-b"
        for node in self.a.nodes:
            if node["id"] not in self.pairs:
                self.only[node["id"]] = "only-a"
        self.others = {node["id"]: node for node in self.b.nodes}
        self.tensors = self._tensors()
        nodes = [self._node_of_a(node) for node in self.a.nodes]
        nodes += [self._node_of_b(n) for n in self.b.nodes if self.name_in[n["id"]] in self.only]
        graph = {"nodes": _by_age(nodes), "leaves": self._leaves(), "outputs": self._outputs()}
        arrays = {
            f"a{int(name[1:]) + self._shift('a')}": each for name, each in self.b.arrays.items()
        }
        self.trace = Trace(graph, self.a.arrays | arrays, [])

    def place_of(self, found: Difference) -> str:
        """The node, or the output, at which a difference is shown."""
        outputs = [output["id"] for output in self.a.outputs if output["node"] == found.a]
        is_value = found.kind == "other value" and bool(outputs)
        return outputs[0] if is_value else found.a or ""

    def node_of(self, vertex: str) -> str:
        """The node that a vertex stands for: that of a leaf is its accumulator."""
        accumulators: dict[str, str] = {leaf["id"]: leaf["acc"] for leaf in self.a.leaves}
        return accumulators.get(vertex, vertex)

    def _shift(self, letter: str) -> int:
        """What is added to the number of an id of b, to make it one of its own."""
        if letter == "a":
            return 1 + max((int(name[1:]) for name in self.a.arrays), default=0)
        storages = [saved["storage"] for node in self.a.nodes for saved in node.get("saved", ())]
        return 1 + max((int(name[1:]) for name in storages), default=0)

    def _tensors(self) -> dict[str, str]:
        """The ids that the leaves and outputs of b have here."""
        own = {leaf["acc"]: leaf["id"] for leaf in self.a.leaves}
        free = len(self.a.leaves) + len(self.a.outputs)
        names = {}
        for number, tensor in enumerate((*self.b.leaves, *self.b.outputs)):
            accumulator = self.name_in.get(tensor.get("acc", ""), "")
            names[tensor["id"]] = own.get(accumulator, f"t{free + number}")
        return names

    def _array(self, entry: dict[str, Any]) -> dict[str, Any]:
        if "array" not in entry:
            return entry
        return entry | {"array": f"a{int(entry['array'][1:]) + self._shift('a')}"}

    def _leaves(self) -> list[dict[str, Any]]:
        leaves = list(self.a.leaves)
        for leaf in self.b.leaves:
            accumulator = self.name_in[leaf["acc"]]
            if accumulator in self.only:
                name = self.tensors[leaf["id"]]
                leaves.append(self._array(leaf | {"id": name, "acc": accumulator}))
                self.only[name] = "only-b"
        for leaf in self.a.leaves:
            if leaf["acc"] in self.only:
                self.only[leaf["id"]] = "only-a"
        return leaves

    def _outputs(self) -> list[dict[str, Any]]:
        outputs = list(self.a.outputs)
        known = {(output["node"], output["slot"]) for output in outputs}
        for output in self.b.outputs:
            node = self.name_in[output["node"]]
            if (node, output["slot"]) not in known:
                name = self.tensors[output["id"]]
                outputs.append(self._array(output | {"id": name, "node": node}))
                self.only[name] = "only-b"
        return outputs

    def _node_of_a(self, node: dict[str, Any]) -> dict[str, Any]:
        """A node with its edges, and those that it has only in b."""
        if node["id"] not in self.pairs:
            return node
        others = self._edges_of_b(self.others[self.pairs[node["id"]]])
        both = Counter(edge["to"] for edge in node["edges"]) & Counter(e["to"] for e in others)
        for index, edge in enumerate(_beyond(node["edges"], Counter(both))):
            if edge is not None and edge["to"] is not None:
                self.only[f"e{node['id'][1:]}-{index}"] = "only-a"
        edges = list(node["edges"])
        for edge in _beyond(others, Counter(both)):
            if edge is not None and edge["to"] is not None:
                self.only[f"e{node['id'][1:]}-{len(edges)}"] = "only-b"
                edges.append(edge)
        return node | {"edges": edges}

    def _node_of_b(self, node: dict[str, Any]) -> dict[str, Any]:
        name = self.name_in[node["id"]]
        entry = node | {"id": name, "seq": int(name[1:]), "edges": self._edges_of_b(node)}
        if "saved" in node:
            entry["saved"] = [self._saved_of_b(saved) for saved in node["saved"]]
        for field in ("base", "origin"):
            if field in node:
                entry[field] = self.name_in[node[field]]
        return entry

    def _edges_of_b(self, node: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            edge | {"to": None if edge["to"] is None else self.name_in[edge["to"]]}
            for edge in node["edges"]
        ]

    def _saved_of_b(self, saved: dict[str, Any]) -> dict[str, Any]:
        entry = saved | {"storage": f"s{int(saved['storage'][1:]) + self._shift('s')}"}
        entry |= {key: self.tensors[saved[key]] for key in ("leaf", "owner") if key in saved}
        return self._array(entry)


def _beyond(edges: list[dict[str, Any]], both: "Counter[Any]") -> list[dict[str, Any] | None]:
    """For each edge: itself, or None if it is one of those that both have."""
    left: list[dict[str, Any] | None] = []
    for edge in edges:
        common = both[edge["to"]] > 0
        both[edge["to"]] -= common
        left.append(None if common else edge)
    return left


def _by_age(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
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
    for vertex_ in graph.vertices:
        if vertex_.id in union.only:
            marks[vertex_.id] = {union.only[vertex_.id]}
    found = {name: each.pop() if len(each) == 1 else "differs" for name, each in marks.items()}
    return found | _differing(graph, union)


def _differing(graph: Graph, union: _Union) -> dict[str, str]:
    return {graph.place.get(name, name): "differs" for name in union.differing}


def _marked(vertex: Vertex, mark: str) -> Vertex:
    if not mark:
        return vertex
    words = "≠" if mark == "differs" else MARKS[mark].label
    sign = {"leaf": "LEAF ", "accumulate": "Σ ", "output": "OUT "}.get(vertex.kind, "")
    return replace(vertex, mark=mark, badge=f"{sign}{words}")


def _marked_arc(arc: Arc, marks: dict[str, str], union: _Union) -> Arc:
    if arc.kind != "grad":
        return arc
    ends = [marks.get(name, "") for name in (arc.tail, arc.head)]
    mark = union.only.get(arc.id) or next((each for each in ends if each.startswith("only")), "")
    if not mark:
        return arc
    side = mark.removeprefix("only-")
    added = union.only.get(arc.id) == "only-b" and arc.head not in union.only
    return replace(arc, mark=mark, label=side if added else f"{arc.label} {side}".strip())


# --- words ---------------------------------------------------------------------------------------


def _summary(comparison: Comparison) -> str:
    count = len(comparison.differences)
    if not count:
        return "the same in structure and values"
    texts = [_short(each) for each in comparison.differences[:TOLD]]
    told = "; ".join(plain(text, 84) for text in texts)
    more = f"; and {count - TOLD} more" if count > TOLD else ""
    return f"{count} difference{'s' if count > 1 else ''}: {told}{more}"


def _short(found: Difference) -> str:
    """What differs, without the numbers: those stand in the boxes."""
    said = found.text.partition(" (")[0]
    what, colon, _ = said.partition(": ")
    return f"{found.kind}: {what}" if colon else said


def _tips(comparison: Comparison, union: _Union) -> dict[str, str]:
    tips: dict[str, list[str]] = {}
    for each in comparison.differences:
        name = each.a or union.name_in.get(each.b or "", "")
        tips.setdefault(name, []).append(plain(each.text, 300))
    return {name: "\n".join(lines) for name, lines in tips.items()}


def _rows(comparison: Comparison, found: Difference) -> tuple[tuple[str, str], ...]:
    """What stands in the box in a, and in b."""
    rows = []
    for key, trace, node, array in (
        ("a", comparison.a, found.a, found.arrays[0]),
        ("b", comparison.b, found.b, found.arrays[1]),
    ):
        if node is not None:
            given = None if array is None else array_text(trace.arrays[array])
            rows.append((key, plain(given or _said(trace, node, found.kind), 34)))
    return tuple(rows)


def _said(trace: Trace, name: str, kind: str) -> str:
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
    array = _array_of(trace, name, kind)
    return "no gradient" if array is None else array_text(trace.arrays[array])


def _array_of(trace: Trace, name: str, kind: str) -> str | None:
    """The array of a node that a difference in values is about."""
    leaf = next((leaf for leaf in trace.leaves if leaf["acc"] == name), None)
    if kind == "other value":
        outputs = [output for output in trace.outputs if output["node"] == name]
        tensor = leaf or (outputs[0] if outputs else {})
        return tensor.get("array")
    for event in reversed(trace.events):
        if event["type"] == "accumulate" and leaf and event["tensor"] == leaf["id"]:
            found: str | None = event["grad"]
            return found
        if event["type"] == "apply" and event["node"] == name:
            return next((each for each in event["grad_in"] if each is not None), None)
    return None
