"""What is inside of a fold, as a graph of its own, with the ways in and out of it."""

from collections.abc import Container, Iterable
from dataclasses import replace

from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry, Ids
from glassgrad.viz.results import Results
from glassgrad.viz.scene.graph import Graph, Look, Vertex
from glassgrad.viz.scene.snapshot import graph_of
from glassgrad.viz.wording import counted, plain

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
    turns = Results(trace).turns
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
