"""Two traces as one picture: what both have is drawn once, the rest is marked by border and badge.

A solid thick border is a's alone, a dashed one b's alone, a dotted one says that the two differ in
what stands in the box; then the rows `a` and `b` have the numbers of each.
"""

from collections import Counter
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from glassgrad.tracing.compare import Comparison, Difference
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Ids
from glassgrad.tracing.watching import renamed
from glassgrad.viz.results import Results
from glassgrad.viz.scene.graph import Arc, Graph, Look, Rows
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.style import KINDS, MARKS
from glassgrad.viz.wording import array_text, counted, notices, plain, shape_text

ON_EDGES = {"detached", "no AccumulateGrad", "other edge"}  # seen at the edges, which are marked
TOLD = 2  # differences that are written under the title


def compared(comparison: Comparison, look: Look) -> tuple[Trace, Graph]:
    """Both traces as one, and how it is drawn."""
    names = _names(comparison)
    trace, only = _united(comparison, names)
    graph = graph_of(trace, look)
    results = Results(comparison.a), Results(comparison.b)
    marks = _vertex_marks(graph, only)
    rows: dict[str, Rows] = {}
    tips: dict[str, list[str]] = {}
    for each in comparison.differences:
        tips.setdefault(each.a or names.get(each.b or "", ""), []).append(plain(each.text, 300))
        place = _place_of(comparison.a, each)
        box = graph.place.get(place, place)
        if each.a and each.b and each.kind not in ON_EDGES:
            marks[box] = "differs"
        if each.a:
            rows.setdefault(box, _rows(results, each))
    vertices = []
    for vertex in graph.vertices:
        tip = "\n".join([vertex.tip, *tips.get(vertex.id, ())]).strip()
        mark, badge, shown = marks.get(vertex.id, ""), vertex.badge, vertex.rows
        if mark:
            words = "≠" if mark == "differs" else MARKS[mark].label
            badge = f"{KINDS[vertex.kind].word} {words}".strip()
        if mark == "differs" and vertex.kind != "fold":
            shown = rows.get(vertex.id) or vertex.rows
        vertices.append(replace(vertex, tip=tip, mark=mark, badge=badge, rows=shown))
    drawn = replace(
        graph,
        vertices=tuple(vertices),
        arcs=tuple(_marked(arc, marks, only) for arc in graph.arcs),
        title=plain(look.title if look.title is not None else "Two backward graphs, a and b", 120),
        notice=notices(_summary(comparison), graph.notice),
    )
    return trace, drawn


# --- one graph of two ----------------------------------------------------------------------------


def _united(comparison: Comparison, names: Ids) -> tuple[Trace, Ids]:
    """The nodes of a, and those of b that a does not have, as a trace without events.

    Args:
        comparison: of the two.
        names: the ids that the parts of b have in it.

    Returns:
        The trace, and what is in one of the two alone: "only-a" or "only-b" by id of node, tensor
        or edge.
    """
    a, b = comparison.a, comparison.b
    others = {names[node["id"]]: renamed(node, names) for node in b.nodes}
    only: Ids = {}
    nodes = []
    for node in a.nodes:
        if twin := others.pop(node["id"], None):
            rank, own = node["id"][1:], node["edges"]
            more = [twin["edges"][index] for index in _beyond(twin["edges"], own)]
            only |= {f"e{rank}-{index}": "only-a" for index in _beyond(own, twin["edges"])}
            only |= {f"e{rank}-{index}": "only-b" for index, _ in enumerate(more, len(own))}
            nodes.append(node | {"edges": [*own, *more]})
        else:
            only[node["id"]] = "only-a"
            nodes.append(node)
    only |= dict.fromkeys(others, "only-b")
    nodes += [node | {"seq": int(name[1:])} for name, node in others.items()]
    leaves = [
        *a.leaves,
        *(renamed(leaf, names) for leaf in b.leaves if names[leaf["acc"]] in others),
    ]
    only |= {leaf["id"]: only[leaf["acc"]] for leaf in leaves if leaf["acc"] in only}
    slots = {(output["node"], output["slot"]) for output in a.outputs}
    more = [o for o in b.outputs if (names[o["node"]], o["slot"]) not in slots]
    only |= {names[output["id"]]: "only-b" for output in more}
    outputs = [*a.outputs, *(renamed(output, names) for output in more)]
    graph = {"nodes": _by_age(nodes), "leaves": leaves, "outputs": outputs}
    arrays = {names[id]: array for id, array in b.arrays.items()}
    return Trace(graph, a.arrays | arrays, []), only


def _names(comparison: Comparison) -> Ids:
    """The ids that the parts of b have beside those of a.

    The nodes of b are those of a where they are paired, and its leaves where these have their
    AccumulateGrad; all else has a number beyond those of a.
    """
    a, b, pairs = comparison.a, comparison.b, comparison.pairs
    shift = 1 + max((int(name[1:]) for name in _ids(a)), default=0)
    names = {name: f"{name[0]}{int(name[1:]) + shift}" for name in _ids(b)}
    names |= {second: first for first, second in pairs.items()}
    leaves = {pairs.get(leaf["acc"]): leaf["id"] for leaf in a.leaves}
    return names | {leaf["id"]: leaves[leaf["acc"]] for leaf in b.leaves if leaf["acc"] in leaves}


def _ids(trace: Trace) -> list[str]:
    """The ids of its nodes, tensors, storages and arrays."""
    entries = [entry["id"] for entry in (*trace.nodes, *trace.leaves, *trace.outputs)]
    held = [saved["storage"] for node in trace.nodes for saved in node.get("saved", ())]
    return [*entries, *held, *trace.arrays]


def _beyond(edges: list[Entry], others: list[Entry]) -> list[int]:
    """Which of the edges that lead somewhere have none beside them that leads there."""
    left = Counter(edge["to"] for edge in others)
    found = []
    for index, edge in enumerate(edges):
        left[edge["to"]] -= 1
        if left[edge["to"]] < 0 and edge["to"] is not None:
            found.append(index)
    return found


def _by_age(nodes: list[Entry]) -> list[Entry]:
    """The nodes so that edges lead to earlier ones, if that is possible."""
    known = {node["id"]: node for node in nodes}
    goals = {
        name: [edge["to"] for edge in node["edges"] if edge["to"] is not None]
        for name, node in known.items()
    }
    try:
        return [known[name] for name in TopologicalSorter(goals).static_order()]
    except CycleError:  # what is above in one of them is below in the other
        return nodes


# --- marks ---------------------------------------------------------------------------------------


def _vertex_marks(graph: Graph, only: Ids) -> Ids:
    """How each vertex is marked; one that stands for several nodes by all that are marked."""
    marks: dict[str, set[str]] = {}
    for node, vertex in graph.place.items():
        marks.setdefault(vertex, set()).add(only.get(node, ""))
    marks |= {v.id: {only[v.id]} for v in graph.vertices if v.id in only}
    return {name: each.pop() if len(each) == 1 else "differs" for name, each in marks.items()}


def _place_of(a: Trace, found: Difference) -> str:
    """The node, or the output, at which a difference is shown."""
    outputs = [o["id"] for o in a.outputs if o["node"] == found.a and found.kind == "other value"]
    return outputs[0] if outputs else found.a or ""


def _marked(arc: Arc, marks: Ids, only: Ids) -> Arc:
    found = [only.get(arc.id, ""), marks.get(arc.tail, ""), marks.get(arc.head, "")]
    mark = next((each for each in found if each.startswith("only")), "")
    if arc.kind != "grad" or not mark:
        return arc
    side = mark.removeprefix("only-")
    added = only.get(arc.id) == "only-b" and arc.head not in only
    return replace(arc, mark=mark, label=side if added else f"{arc.label} {side}".strip())


# --- words ---------------------------------------------------------------------------------------


def _summary(comparison: Comparison) -> str:
    count, told = len(comparison.differences), []
    if not count:
        return "the same in structure and values"
    for each in comparison.differences[:TOLD]:
        said = each.text.partition(" (")[0]
        what, colon, _ = said.partition(": ")  # what follows are numbers: those are in the boxes
        told.append(plain(f"{each.kind}: {what}" if colon else said, 84))
    more = f"; and {count - TOLD} more" if count > TOLD else ""
    return f"{counted(count, 'difference')}: {'; '.join(told)}{more}"


def _rows(results: tuple[Results, Results], found: Difference) -> Rows:
    """What stands in the box in a, and in b."""
    sides = zip("ab", results, (found.a, found.b), found.arrays, strict=True)
    return tuple(
        (key, plain(_said(each, node, found.kind, array), 34))
        for key, each, node, array in sides
        if node is not None
    )


def _said(results: Results, name: str, kind: str, array: str | None) -> str:
    node = results.nodes[name]
    if kind == "other op":
        return str(node["op"])
    if kind == "other shape":
        return f"{shape_text(node.get('shape', ()))} {node.get('dtype', '')}"
    if kind == "other hooks":
        return ", ".join(hook.get("name", "hook") for hook in node.get("hooks", ())) or "no hook"
    if kind == "other order":
        return f"#{results.turns[name]}" if name in results.turns else "does not run"
    return "no gradient" if array is None else array_text(results.trace.arrays[array])
