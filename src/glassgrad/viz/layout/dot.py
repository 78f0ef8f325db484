"""A graph as DOT, Graphviz's language: pure text, the same for equal graphs.

Every vertex and every arc has an explicit `id`, which Graphviz hands on to the SVG. The text stands
on its own (`dot -Tsvg graph.dot`); glassgrad itself takes only the places from Graphviz and draws
the boxes in `svg.py`, so that a picture looks the same whichever layout was used.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from glassgrad.viz.layout.boxes import box_of
from glassgrad.viz.layout.ties import leaf_ties, notes_of
from glassgrad.viz.scene.graph import Arc, Graph, Vertex
from glassgrad.viz.style import MARKS, THEMES, TIES, arrow_looks, kind_of
from glassgrad.viz.wording import escape, plain

__all__ = ["to_dot"]

_SHAPES = {"note": "note", "slant": "parallelogram", "dot": "circle", "stack": "box3d"}

# How much Graphviz should care that an arc is straight: the spine of the graph is, its ribs need
# not be. Without it, long graphs climb like stairs.
_WEIGHTS = {"function": 8, "user": 8, "view": 8, "fold": 8, "accumulate": 2, "leaf": 4}
_SPINE = 40  # of the arc that begins the longest way on from its tail


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
        labels: False leaves out all text and colour, and takes the nominal sizes of the boxes
            (`box_of`): enough to find the places, and the same for other numbers.

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
    beside = notes_of(graph)
    yield from _clusters(graph, beside, theme, labels=labels)
    framed = {name for cluster in graph.clusters for name in cluster.members}
    free = {note: tail for note, tail in beside.items() if not {note, tail} & framed}
    yield from (_same_rank(note, tail) for note, tail in free.items())
    ends = {arc.tail for arc in graph.arcs} | {arc.head for arc in graph.arcs}
    alone = [vertex.id for vertex in graph.vertices if vertex.id not in ends]
    if alone and graph.arcs:  # a leaf that is drawn as stubs: with the other leaves, at the end
        yield f"  {{ rank=max; {'; '.join(_quote(name) for name in alone)} }}"
    yield from _arcs(graph, "ew" if rankdir == "LR" else "sn", theme, labels=labels)
    yield "}"


def _vertex(vertex: Vertex, theme: Literal["light", "dark"], *, labels: bool) -> str:
    kind, box = kind_of(vertex.kind), box_of(vertex, nominal=not labels)
    size = f"id={_quote(vertex.id)}, width={box.width / 72:.4f}, height={box.height / 72:.4f}"
    if not labels:
        return size
    style = ["filled", *(["rounded"] if kind.shape in {"card", "round", "pill"} else [])]
    style += ["dashed"] if kind.dash else []
    border, width = kind.border[theme], kind.width
    if vertex.bad:
        border, width = THEMES[theme]["bad"], 3.0
    if vertex.mark:
        border, width = MARKS[vertex.mark].colour[theme], 3.0
        style += ["dashed"] if MARKS[vertex.mark].dash else []
    shape = _SHAPES.get(kind.shape, "box")
    return (
        f'{size}, class={_quote(kind.name)}, shape={shape}, style="{",".join(style)}"'
        f", fillcolor={_quote(kind.fill[theme])}, color={_quote(border)}"
        f", penwidth={width}, peripheries={2 if kind.doubled else 1}"
        f", tooltip={_quote(vertex.tip)}, label=<{_table(vertex)}>"
    )


def _table(vertex: Vertex) -> str:
    """The text of a vertex as one of DOT's HTML-like labels."""
    words = vertex.bad or vertex.badge
    badge = f'  <FONT POINT-SIZE="9">{_words(words)}</FONT>' if words else ""
    head = f'<TD COLSPAN="2" ALIGN="LEFT"><B>{_words(vertex.title)}</B>{badge}</TD>'
    rows = "".join(
        f'<TR><TD ALIGN="LEFT"><FONT POINT-SIZE="10">{_words(key)}</FONT></TD>'
        f'<TD ALIGN="LEFT"><FONT POINT-SIZE="10">{_words(value)}</FONT></TD></TR>'
        for key, value in vertex.rows
    )
    rows += "".join(
        f'<TR><TD COLSPAN="2" ALIGN="LEFT"><FONT POINT-SIZE="9">{_words(hook)}</FONT></TD></TR>'
        for hook in (*vertex.hooks, *([vertex.kept] if vertex.kept else []))
    )
    return f'<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="1"><TR>{head}</TR>{rows}</TABLE>'


def _words(text: str) -> str:
    """`text` in an HTML-like label, in which Graphviz wants every element to hold something."""
    return escape(text) or " "


def _same_rank(note: str, holder: str) -> str:
    return f"  {{ rank=same; {_quote(holder)}; {_quote(note)} }}"


def _clusters(
    graph: Graph, beside: dict[str, str], theme: Literal["light", "dark"], *, labels: bool
) -> Iterator[str]:
    for cluster in graph.clusters:
        yield f"  subgraph {_quote('cluster_' + cluster.id)} {{"
        looks = f"id={_quote(cluster.id)}, margin=16, label={_quote(cluster.title)}, labeljust=l"
        if labels:
            looks += f", style=rounded, color={_quote(THEMES[theme]['rule'])}"
        yield f"    graph [{looks}]"
        yield f"    {'; '.join(_quote(name) for name in cluster.members)}"
        # Said inside the frame: outside of it Graphviz would take both out of the frame.
        inside = (name for name in cluster.members if name in beside)
        yield from (f"  {_same_rank(note, beside[note])}" for note in inside)
        yield "  }"


def _spine(graph: Graph) -> set[str]:
    """The arcs that begin the longest way on, where their tail has several."""
    kinds = {vertex.id: vertex.kind for vertex in graph.vertices}
    ahead = {name: 1 for name, kind in kinds.items() if kind == "accumulate"}  # its leaf
    first: dict[str, str] = {}
    ways: Counter[str] = Counter()
    for arc in reversed(graph.arcs):  # oldest first: what an arc leads to is known
        if arc.kind == "grad" and kinds[arc.tail] != "accumulate":
            way = ahead.get(arc.head, 0) + 1
            ways[arc.tail] += 1
            if way >= ahead.get(arc.tail, 0):
                ahead[arc.tail], first[arc.tail] = way, arc.id
    return {name for tail, name in first.items() if ways[tail] > 1}


def _arcs(
    graph: Graph, ends: str, theme: Literal["light", "dark"], *, labels: bool
) -> Iterator[str]:
    kinds = {vertex.id: vertex.kind for vertex in graph.vertices}
    spine = _spine(graph)
    notes = notes_of(graph)
    unplaced = set() if labels else {arc.id for arc in (*leaf_ties(graph), *_later_ties(graph))}
    for arc in graph.arcs:
        if arc.id in unplaced:
            continue  # we route those ourselves
        attributes = [f"id={_quote(arc.id)}"]
        if arc.kind in TIES:
            dotted = arc.kind == "view"
            attributes += [f"style={'dotted' if dotted else 'dashed'}", "dir=none", "weight=0"]
            if arc.head not in notes:
                # From below to below: a tie must not look like one of the gradient's arrows.
                side, other = ("s", "n") if ends == "ew" else ("e", "w")
                first = other if arc.kind == "origin" else side
                attributes += ["constraint=false", f"tailport={first}", f"headport={side}"]
        else:
            attributes += [f"tailport={ends[0]}", f"headport={ends[1]}"]
            weight = _WEIGHTS.get(kinds[arc.head], 1)
            attributes += _looks(arc, theme) if labels else []
            attributes.append(f"weight={_SPINE if arc.id in spine else weight}")
        if arc.label:
            attributes.append(f"label={_quote(arc.label)}")
            attributes += [] if labels else ["fontsize=10"]
        yield f"  {_quote(arc.tail)} -> {_quote(arc.head)} [{', '.join(attributes)}]"


def _later_ties(graph: Graph) -> Iterator[Arc]:
    """The ties to a note from all holders but the one that it stands beside."""
    notes = notes_of(graph)
    seen = set()
    for arc in graph.arcs:
        if arc.kind in TIES and arc.head in notes:
            if arc.head in seen:
                yield arc
            seen.add(arc.head)


def _looks(arc: Arc, theme: Literal["light", "dark"]) -> list[str]:
    """Colour and width of an arrow that is not like all others."""
    if not (arc.flow or arc.bad or arc.mark):
        return []
    looks = arrow_looks(arc.flow, theme, bad=bool(arc.bad), mark=arc.mark)
    style = "dotted" if arc.flow == "zero" else "dashed" if "stroke_dasharray" in looks else "solid"
    width = looks["stroke_width"]
    return [f"color={_quote(looks['stroke'])}", f"penwidth={width}", f"style={style}"]


def _quote(text: str) -> str:
    """`text` as a DOT string. A backslash would begin one of DOT's escapes."""
    lines = (plain(line, 200) for line in text.split("\n"))
    quoted = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return f'"{quoted}"'
