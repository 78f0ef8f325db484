"""A graph as DOT, Graphviz's language: pure text, the same for equal graphs.

Every vertex and every arc has an explicit `id`, which Graphviz hands on to the SVG. The text stands
on its own (`dot -Tsvg graph.dot`); glassgrad itself takes only the places from Graphviz and draws
the boxes in `svg.py`, so that a picture looks the same whichever layout was used.
"""

from collections.abc import Iterator
from typing import Literal

from glassgrad.viz.boxes import box_of
from glassgrad.viz.snapshot import Graph, Vertex
from glassgrad.viz.style import THEMES, kind_of
from glassgrad.viz.wording import escape, plain

__all__ = ["to_dot"]

_SHAPES = {"card": "box", "note": "note", "pill": "box", "dot": "circle", "more": "box3d"}

# How much Graphviz should care that an arc is straight: the spine of the graph is, its ribs need
# not be. Without it, long graphs climb like stairs.
_WEIGHTS = {"function": 8, "user": 8, "accumulate": 2, "leaf": 4}


def to_dot(
    graph: Graph,
    *,
    rankdir: str = "LR",
    theme: Literal["light", "dark"] = "light",
    labels: bool = True,
) -> str:
    """`graph` in DOT.

    Args:
        graph: what to draw.
        rankdir: "LR" (left to right) or "TB" (top to bottom).
        theme: whose colours to write; DOT has no variables.
        labels: False leaves out all text and colour: enough to find the places, and faster.

    Example:
        >>> print(to_dot(Graph((), (), "Backward graph", "0 nodes"), labels=False))
        digraph backward {
          graph [rankdir=LR, nodesep=0.32, ranksep=0.5]
          node [shape=box, fixedsize=true, label=""]
        }
    """
    return "\n".join(_lines(graph, rankdir, theme, labels=labels))


def _lines(
    graph: Graph, rankdir: str, theme: Literal["light", "dark"], *, labels: bool
) -> Iterator[str]:
    yield "digraph backward {"
    yield f"  graph [rankdir={rankdir}, nodesep=0.32, ranksep=0.5]"
    if labels:
        colours = THEMES[theme]
        title = f"{graph.title}: arrows follow the gradient\n{graph.counts}"
        yield f"  graph [bgcolor={_quote(colours['canvas'])}, label={_quote(title)}, labelloc=t]"
        yield f'  graph [fontname="Helvetica", fontcolor={_quote(colours["text"])}]'
        yield f'  node [fontname="Helvetica", fontcolor={_quote(colours["text"])}, fontsize=12]'
        yield f'  edge [fontname="Helvetica", fontcolor={_quote(colours["muted"])}, fontsize=10]'
        yield f"  edge [color={_quote(colours['line'])}, arrowsize=0.7]"
    else:
        yield '  node [shape=box, fixedsize=true, label=""]'
    for vertex in graph.vertices:
        yield f"  {_quote(vertex.id)} [{_vertex(vertex, theme, labels=labels)}]"
    ends = {arc.tail for arc in graph.arcs} | {arc.head for arc in graph.arcs}
    alone = [vertex.id for vertex in graph.vertices if vertex.id not in ends]
    if alone and graph.arcs:  # a leaf that is drawn as stubs: with the other leaves, at the end
        yield f"  {{ rank=max; {'; '.join(_quote(name) for name in alone)} }}"
    yield from _arcs(graph, "ew" if rankdir == "LR" else "sn", labels=labels)
    yield "}"


def _vertex(vertex: Vertex, theme: Literal["light", "dark"], *, labels: bool) -> str:
    kind, box = kind_of(vertex.kind), box_of(vertex)
    size = f"id={_quote(vertex.id)}, width={box.width / 72:.4f}, height={box.height / 72:.4f}"
    if not labels:
        return size
    style = ["filled", *(["rounded"] if kind.shape in {"card", "pill"} else [])]
    style += ["dashed"] if kind.dash else []
    return (
        f'{size}, class={_quote(kind.name)}, shape={_SHAPES[kind.shape]}, style="{",".join(style)}"'
        f", fillcolor={_quote(kind.fill[theme])}, color={_quote(kind.border[theme])}"
        f", penwidth={kind.width}, peripheries={2 if kind.doubled else 1}"
        f", tooltip={_quote(vertex.tip)}, label=<{_table(vertex)}>"
    )


def _table(vertex: Vertex) -> str:
    """The text of a vertex as one of DOT's HTML-like labels."""
    badge = f'  <FONT POINT-SIZE="9">{escape(vertex.badge)}</FONT>' if vertex.badge else ""
    head = f'<TD COLSPAN="2" ALIGN="LEFT"><B>{escape(vertex.title)}</B>{badge}</TD>'
    rows = "".join(
        f'<TR><TD ALIGN="LEFT"><FONT POINT-SIZE="10">{escape(key)}</FONT></TD>'
        f'<TD ALIGN="LEFT"><FONT POINT-SIZE="10">{escape(value)}</FONT></TD></TR>'
        for key, value in vertex.rows
    )
    return f'<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="1"><TR>{head}</TR>{rows}</TABLE>'


def _arcs(graph: Graph, ends: str, *, labels: bool) -> Iterator[str]:
    kinds = {vertex.id: vertex.kind for vertex in graph.vertices}
    beside: set[str] = set()
    for arc in graph.arcs:
        attributes = [f"id={_quote(arc.id)}"]
        if arc.kind == "saved":
            attributes += ["style=dashed", "dir=none", "weight=0"]
            if kinds[arc.head] == "saved" and arc.head not in beside:
                # A note stands beside its first holder and not after it: it is no step of backward.
                beside.add(arc.head)
                yield f"  {{ rank=same; {_quote(arc.tail)}; {_quote(arc.head)} }}"
            elif kinds[arc.head] != "saved":
                # From below to below: a tie must not look like one of the gradient's arrows.
                side = "s" if ends == "ew" else "e"
                attributes += ["constraint=false", f"tailport={side}", f"headport={side}"]
        else:
            attributes += [f"tailport={ends[0]}", f"headport={ends[1]}"]
            attributes.append(f"weight={_WEIGHTS.get(kinds[arc.head], 1)}")
        if arc.label:
            attributes.append(f"label={_quote(arc.label)}")
            attributes += [] if labels else ["fontsize=10"]
        yield f"  {_quote(arc.tail)} -> {_quote(arc.head)} [{', '.join(attributes)}]"


def _quote(text: str) -> str:
    """`text` as a DOT string. A backslash would begin one of DOT's escapes."""
    lines = (plain(line, 200) for line in text.split("\n"))
    quoted = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return f'"{quoted}"'
