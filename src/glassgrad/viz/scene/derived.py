"""Graphs of parts of a trace, of both its directions, and of two traces.

What is inside of a fold is a graph of its own, with the ways in and out of it.

Face to face are the ops in the order of computation, and below each of them, turned round, the node
that takes its gradient back; between the two what was saved for it. Only what the tape knows is
drawn: an input that needs no gradient is no part of it, and the value of a result is known where
something saved it.

Of two traces what both have is drawn once, the rest is marked by border and badge. A solid thick
border is a's alone, a dashed one b's alone, a dotted one says that the two differ in what stands in
the box; then the rows `a` and `b` have the numbers of each.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from glassgrad._words import counted, plain, shape_text
from glassgrad.core.errors import ArgumentError
from glassgrad.tracing.compare import Comparison, Difference
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Ids
from glassgrad.tracing.watching import held_by, renamed
from glassgrad.viz.results import Results
from glassgrad.viz.scene.graph import MEDIUM, Arc, Graph, Look, Rows, Vertex, graph_of
from glassgrad.viz.style import KINDS, MARKS
from glassgrad.viz.wording import array_text, notices

FOLDS = ("fold", "bar")  # kinds of boxes that stand for several nodes
MOST = 40  # boxes: of a larger fold some are folds again
GATES = 8  # ways in, and ways out; the others are left out


def in_folds(trace: Trace, graph: Graph) -> list[tuple[Vertex, list[Entry]]]:
    """The boxes that stand for several nodes, each with those nodes."""
    found: dict[str | None, tuple[Vertex, list[Entry]]] = {
        vertex.id: (vertex, []) for vertex in graph.vertices if vertex.kind in FOLDS
    }
    for node in trace.nodes if found else ():
        if (place := graph.place.get(node["id"])) in found:
            found[place][1].append(node)
    return [(vertex, nodes) for vertex, nodes in found.values() if nodes]


def inside_of(trace: Trace, members: Iterable[Entry]) -> tuple[Trace, Graph]:
    """The part of `trace` that consists of the nodes `members`, and how it is drawn."""
    nodes = {node["id"]: node for node in members}
    goals = {edge["to"] for node in nodes.values() for edge in node["edges"]}
    leaves = [leaf for leaf in trace.leaves if leaf["acc"] in goals]
    inner = nodes.keys() | {leaf["acc"] for leaf in leaves}
    outside = [node for node in trace.nodes if node["id"] not in inner]
    into = [n["id"] for n in outside if any(edge["to"] in nodes for edge in n["edges"])][:GATES]
    out = [node["id"] for node in outside if node["id"] in goals][-GATES:]
    gates = dict.fromkeys(out, "to") | dict.fromkeys(into, "from")
    part = _part(trace, inner, gates, leaves)

    # What stands at the end of an edge that leads out of the part is no input without gradient.
    cut = frozenset(
        f"e{node['id'][1:]}-{index}"
        for node in trace.nodes
        for index, edge in enumerate(node["edges"])
        if edge["to"] is not None
    )
    turns = {node: turn for turn, node in enumerate(trace.schedule(), 1)}
    graph = graph_of(part, Look(max_nodes=MOST, apart=frozenset(gates), cut=cut, turns=turns))
    vertices = tuple(
        replace(vertex, kind="gate", badge=f"{gates[vertex.id]} {vertex.id}")
        if vertex.id in gates
        else vertex
        for vertex in graph.vertices
    )
    ends = dict.fromkeys([next(iter(nodes)), next(reversed(nodes))])
    title, words = plain(f"Inside of {' to '.join(ends)}", 120), counted(len(nodes), "node")
    return part, replace(graph, vertices=vertices, counts=f"{words} inside", title=title)


def cut_out(node: Entry, keys: Iterable[str], known: Container[str]) -> Entry:
    """A node with some of its keys, and with its edges: those to others than `known` lead nowhere.

    Example:
        >>> edges = [{"to": "n1", "slot": 0}, {"to": "n2", "slot": 0}]
        >>> cut_out({"id": "n3", "edges": edges, "level": 1}, ["id"], {"n2"})
        {'id': 'n3', 'edges': [{'to': None, 'slot': 0}, {'to': 'n2', 'slot': 0}]}
    """
    # Left out, they would shift those behind them: the log counts the edges of a node.
    edges = [edge if edge["to"] in known else {"to": None, "slot": 0} for edge in node["edges"]]
    return {key: node[key] for key in keys if key in node} | {"edges": edges}


def _part(trace: Trace, inner: set[str], gates: Ids, leaves: list[Entry]) -> Trace:
    """A trace of its own: gates without what they saved, and no edge that leads elsewhere."""
    tensors = {leaf["id"] for leaf in leaves}
    nodes = []
    for node in trace.nodes:
        name = node["id"]
        if name in inner:
            own = [key for key in node if key not in ("base", "origin")]
            entry = cut_out(node, own, inner | gates.keys())
            if "saved" in node:
                entry["saved"] = [_without_lost(saved, tensors) for saved in node["saved"]]
            nodes.append(entry)
        elif name in gates:
            known = inner if gates[name] == "from" else set()
            nodes.append(cut_out(node, ("id", "op", "seq"), known))
    events = [e for e in trace.events if e.get("node") in inner or e.get("tensor") in tensors]
    events = [{**event, "k": k} for k, event in enumerate(events)]
    return Trace({"nodes": nodes, "leaves": leaves}, trace.arrays, events)


def _without_lost(saved: Entry, tensors: set[str]) -> Entry:
    """A saved tensor; that it is a leaf, or of one, is not said of one that the picture lacks."""
    refers = ("leaf", "owner")
    return {key: value for key, value in saved.items() if key not in refers or value in tensors}


# Forward and backward face to face ---------------------------------------------------------------


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


def mirrored(trace: Trace, look: Look, rankdir: str, values: Ids | None = None) -> Mirror:
    """The mirror view of `trace`.

    Args:
        trace: a recorded pass, or a graph on which none has run.
        look: what to show of it.
        rankdir: "LR" or "TB".
        values: of ops, in words, by the id of the node; besides those that the trace tells.

    Raises:
        ArgumentError: if there are too many nodes to read it.
    """
    kept = {node["id"] for node in trace.nodes if "origin" not in node}
    nodes = [cut_out(node, node, kept) for node in trace.nodes if node["id"] in kept]
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
    forward = _forward(trace, ops, look, values or {})
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


def _forward(trace: Trace, ops: list[Entry], look: Look, values: Ids) -> list[Vertex]:
    """A box for each op of the forward pass, oldest first."""
    results = {  # where something saved them, or they are outputs
        node["id"]: saved.get("array")
        for node in trace.nodes
        for saved in node.get("saved", ())
        if saved["name"] == "result"
    } | {output["node"]: output.get("array") for output in trace.outputs if output["slot"] == 0}
    vertices = []
    for turn, node in enumerate(ops, 1):
        name, title = node["id"], forward_name(node["op"])
        rows = []
        if "shape" in node and "shapes" in look.show:
            rows.append(("out", shape_text(node["shape"])))
        result = results.get(name)
        value = values.get(name) or (result and array_text(trace.arrays[result]))
        if value and "values" in look.show:
            rows.append(("value", value))
        tip = f"op {turn} of the forward pass, which recorded {name} {plain(node['op'], 80)}"
        if node.get("src"):
            tip += f"\nat {plain(node['src'], 80)}"
        tip += "" if title else "\nit is not known"
        title = plain(title) or "?"
        vertices.append(Vertex(f"o{name[1:]}", "forward", title, str(turn), tuple(rows), tip))
    return vertices


def forward_name(op: str) -> str:
    """`Mul` of `MulBackward0`; nothing if the name of the node does not say it.

    Example:
        >>> forward_name("MulBackward0"), forward_name("CopySlices"), forward_name("Thing")
        ('Mul', 'write to a part', '')
    """
    if op.endswith("CopySlices"):
        return "write to a part"
    found = re.fullmatch(r"(?:.*::)?(.+?)Backward\d*", op)
    return found[1] if found else ""


# Two traces as one picture ------------------------------------------------------------------------


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
    calls = [*_calls(a), *(renamed(call, names) for call in _calls(b))]
    graph = {"nodes": _by_age(nodes), "leaves": leaves, "outputs": outputs, "checkpoints": calls}
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
    """The ids of its nodes, tensors, checkpoints, storages and arrays."""
    holders = (*trace.nodes, *_calls(trace))
    entries = [entry["id"] for entry in (*holders, *trace.leaves, *trace.outputs)]
    return [*entries, *(kept["storage"] for kept in held_by(holders)), *trace.arrays]


def _calls(trace: Trace) -> list[Entry]:
    return trace.graph.get("checkpoints", [])


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
        (key, plain(_in_words(each, node, found.kind, array), 34))
        for key, each, node, array in sides
        if node is not None
    )


def _in_words(results: Results, name: str, kind: str, array: str | None) -> str:
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
