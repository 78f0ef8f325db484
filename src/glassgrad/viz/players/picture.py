"""The picture on a player's page: laid out once, with room for all that comes to stand in it.

The page shows in a box the gradient that is there at each event. So the boxes are as wide as the
widest of these, and nothing in the picture tells how the pass ends: the script writes what is so at
an event, and marks what goes wrong in its time.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from math import prod
from typing import Any

from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Entry
from glassgrad.viz.drawing import Drawing, drawn
from glassgrad.viz.layout.engines import lay_out
from glassgrad.viz.results import Results
from glassgrad.viz.scene.graph import Graph, Look
from glassgrad.viz.scene.inside import cut_out, in_folds
from glassgrad.viz.scene.snapshot import gradient_text, graph_of
from glassgrad.viz.svg.document import Document

GRAD = "grad"  # the row of a box that the script writes
# A number of many characters; of more than two, such that their list is still written out.
WIDE = {1: -1.23e-10, 2: -1.23e-10, 3: -0.123, 4: -0.1}

MOST_NODES = 40  # of a folded box; a larger one is opened as a list of its nodes
ROOM = 200_000  # characters of all drawings of folded boxes
SHOWN = ("id", "op", "seq", "shape", "dtype", "scope", "src", "user", "hooks")


# The whole ---------------------------------------------------------------------------------------


def page_drawing(drawing: Drawing) -> Drawing:
    """The drawing as a page has it, before anything has happened."""
    graph, wide = drawing.graph, _widest_gradients(drawing)
    before, roomy = [], []
    for vertex in graph.vertices:
        early = replace(vertex, bad="", tip=re.sub(r"\n(gradient|grad) .*", "", vertex.tip))
        widest = wide.get(vertex.id, "")
        rows = [
            (key, max(text, widest, key=len) if key == GRAD else text) for key, text in vertex.rows
        ]
        before.append(early)
        roomy.append(replace(early, rows=tuple(rows)))
    places = drawing.places
    is_marked = any(vertex.bad for vertex in graph.vertices)
    if (is_marked or roomy != before) and not graph.reading:  # two halves stay face to face
        places = lay_out(replace(graph, vertices=tuple(roomy)), rankdir=drawing.rankdir)
    return replace(drawing, graph=replace(graph, vertices=tuple(before)), places=places)


def drawn_with_room(trace: Trace, order: Iterable[str]) -> Drawing:
    """The drawing of a pass under way: its log goes on to the end, with gradients that are wide.

    Args:
        trace: what has happened until now.
        order: the ids of the nodes that are yet to run, in their order.
    """
    events, arrays, results = list(trace.events), dict(trace.arrays), Results(trace)
    for id in order:
        about = results.leaf_of.get(id) or results.nodes[id]
        shape = about.get("shape", [])
        name, count = f"room {shape}", min(prod(shape), 4)
        wide = WIDE.get(count, WIDE[4])
        arrays[name] = {"shape": shape, "head": [wide] * max(count, 1), "norm": WIDE[1]}
        room: Any = {"type": "apply", "node": id, "grad_in": [name], "grad_out": []}
        if id in results.leaf_of:
            room = {"type": "accumulate", "tensor": about["id"], "grad": name}
        events.append(room)
    return replace(drawn(Trace(trace.graph, arrays, events), Look(), "LR"), trace=trace)


def _widest_gradients(drawing: Drawing) -> dict[str, str]:
    """By box, the longest text of a gradient that is there at some event."""
    trace = drawing.trace
    found: dict[str, str] = {}
    leaf = {leaf["acc"]: leaf["id"] for leaf in trace.leaves}
    for event in trace.events:
        box, arrays = event.get("node"), [*event.get("before", ())[:1], *event.get("after", ())[:1]]
        if event["type"] in ("post_hook", "buffer"):
            box, arrays = leaf.get(box), [*arrays, event.get(GRAD)]
        for array in arrays:
            if box is not None and array is not None:
                text = gradient_text(trace.arrays[array], len(trace.nodes))
                found[box] = max(found.get(box, ""), text, key=len)
    return found


def slim(svg: str) -> str:
    """A drawing of ours without what the page's script says, and in fewer signs.

    It is HTML then, which needs no quotes around plain words and numbers.

    Example:
        >>> slim('<g id="gg-e1-0"><title>e1-0</title><path class="" d="M1.0 2.5L3.0 2.0"/>1.0</g>')
        '<g id="gg-e1-0"><path d="M1 2.5L3 2"/>1.0</g>'
    """
    svg = re.sub(r"<title>([a-z]\d+(-\d+)?|n\d+  [^<]*)</title>", "", svg)
    svg = re.sub(r'( data-of="[^"]*"[^<>]*>)<title>[^<]*</title>', r"\1", svg)
    return re.sub(r"<(?:g|path|rect|text|circle) [^>]*>", _short_tag, svg.replace(' class=""', ""))


def _short_tag(tag: re.Match[str]) -> str:
    text = re.sub(r"(?<=\d)\.0(?!\d)", "", tag[0])
    text = re.sub(r"(M[\d.]+ ([\d.]+))C[\d.]+ \2 [\d.]+ \2 ([\d.]+) \2(?=\")", r"\1H\3", text)
    return re.sub(r' (?!id=)([a-z-]+)="([\w.-]+)"(?=[ >])', r" \1=\2", text)


# What is in the folded boxes ---------------------------------------------------------------------


def templates_of(trace: Trace, graph: Graph, prefix: str) -> str:
    """A `<template data-fold="f4">` with a drawing for each box of `graph` that is small enough.

    They have the ids of the log, so that the player shows in them what it shows in the whole.

    Args:
        trace: what is drawn.
        graph: the folded graph.
        prefix: put before each id of the drawings.
    """
    parts, room = [], ROOM
    for box, nodes in in_folds(trace, graph):
        if box.kind == "bar" or room < 0 or len(nodes) > MOST_NODES:
            continue
        svg = _inside(trace, nodes, prefix)
        room -= len(svg)
        if room >= 0:
            parts.append(f'<template data-fold="{box.id}">{svg}</template>\n')
    return "".join(parts)


def _inside(trace: Trace, nodes: list[Entry], prefix: str) -> str:
    """The graph of some nodes by themselves: fewer words, and no gates, than `inside_of` has."""
    known = {node["id"] for node in nodes}
    inner = [cut_out(node, SHOWN, known) for node in nodes]
    leaves = [leaf for leaf in trace.leaves if leaf["acc"] in known]
    cut = frozenset(f"e{n['id'][1:]}-{index}" for n in nodes for index, _ in enumerate(n["edges"]))
    graph = graph_of(Trace({"nodes": inner, "leaves": leaves}, trace.arrays), Look(cut=cut))
    return slim(Document(graph, lay_out(graph), prefix=prefix, framed=False).svg())
