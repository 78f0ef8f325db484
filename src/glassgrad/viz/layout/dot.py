"""A graph as DOT, Graphviz's language: pure text, the same for equal graphs.

Every vertex and every arc has an explicit `id`, which Graphviz hands on to the SVG. The text stands
on its own (`dot -Tsvg graph.dot`); glassgrad itself takes only the places from Graphviz and draws
the boxes itself, so that a picture looks the same whichever layout was used.
"""

from collections import Counter
from collections.abc import Iterator

from glassgrad._words import plain
from glassgrad.viz.layout.lines import notes_of
from glassgrad.viz.layout.places import box_of, nominal
from glassgrad.viz.scene.graph import Arc, Graph, Vertex
from glassgrad.viz.style import COLOURS, KINDS, TIES, Theme, look_of
from glassgrad.viz.wording import escape

_SHAPES = {"note": "note", "slant": "parallelogram", "dot": "circle", "stack": "box3d"}

# How much Graphviz should care that an arc is straight: the spine of the graph is, its ribs need
# not be. Without it, long graphs climb like stairs.
_WEIGHTS = {"function": 8, "user": 8, "view": 8, "fold": 8, "accumulate": 2, "leaf": 4}
_SPINE = 40  # of the arc that begins the longest way on from its tail


def to_dot(
    graph: Graph,
    *,
    rankdir: str = "LR",
    theme: Theme = "light",
    labels: bool = True,
) -> str:
    """`graph` in DOT.

    Args:
        graph: what to draw.
        rankdir: "LR" (left to right) or "TB" (top to bottom).
        theme: whose colours to write; DOT has no variables, so "auto" is "light".
        labels: False leaves out all text and colour, and takes the sizes of the boxes as if they
            were `nominal`: enough to find the places, and the same for other numbers.

    Example:
        >>> print(to_dot(Graph((), (), "Backward graph", "0 nodes"), labels=False))
        digraph backward {
          graph [rankdir=LR, nodesep=0.32, ranksep=0.5]
          node [shape=box, fixedsize=true, label=""]
        }
    """
    return "\n".join(_Writer(graph, rankdir, theme, labels=labels).lines())


class _Writer:
    def __init__(self, graph: Graph, rankdir: str, theme: str, *, labels: bool) -> None:
        self.graph, self.rankdir, self.theme, self.labels = graph, rankdir, theme, labels
        self.colours = {role: f'"{colour}"' for role, colour in COLOURS[theme].items()}
        self.kinds = {vertex.id: vertex.kind for vertex in graph.vertices}
        self.notes = notes_of(graph)

    def lines(self) -> Iterator[str]:
        graph = self.graph
        yield "digraph backward {"
        yield f"  graph [rankdir={self.rankdir}, nodesep=0.32, ranksep=0.5]"
        yield from self._defaults()
        for vertex in graph.vertices:
            yield f"  {_quote(vertex.id)} [{self._vertex(vertex)}]"
        yield from self._clusters()
        framed = {name for cluster in graph.clusters for name in cluster.members}
        for tie in self.notes.values():
            if not {tie.tail, tie.head} & framed:
                yield _same_rank(tie)
        ends = {arc.tail for arc in graph.arcs} | {arc.head for arc in graph.arcs}
        alone = [_quote(name) for name in self.kinds if name not in ends]
        if alone and graph.arcs:  # a leaf that is drawn as stubs: with the other leaves, at the end
            yield f"  {{ rank=max; {'; '.join(alone)} }}"
        yield from self._arcs()
        yield "}"

    def _defaults(self) -> Iterator[str]:
        if not self.labels:
            yield '  node [shape=box, fixedsize=true, label=""]'
            return
        title = f"{self.graph.title}: arrows follow the gradient\n{self.graph.counts}"
        text, muted = self.colours["text"], self.colours["muted"]
        yield f"  graph [bgcolor={self.colours['canvas']}, label={_quote(title)}, labelloc=t]"
        yield f'  graph [fontname="Helvetica", fontcolor={text}]'
        yield f'  node [fontname="Helvetica", fontcolor={text}, fontsize=12]'
        yield f'  edge [fontname="Helvetica", fontcolor={muted}, fontsize=10]'
        yield f"  edge [color={self.colours['line']}, arrowsize=0.7]"

    def _vertex(self, vertex: Vertex) -> str:
        kind, box = KINDS[vertex.kind], box_of(vertex if self.labels else nominal(vertex))
        size = f"id={_quote(vertex.id)}, width={box.width / 72:.4f}, height={box.height / 72:.4f}"
        if not self.labels:
            return size
        style = ["filled", *(["rounded"] if kind.shape in {"card", "round", "pill"} else [])]
        classes = [kind.name, "bad" * bool(vertex.bad), vertex.mark]
        look = look_of(".box", classes, self.theme)
        style += ["dashed"] if look.get("stroke-dasharray", "none") != "none" else []
        shape = _SHAPES.get(kind.shape, "box")
        return (
            f'{size}, class={_quote(kind.name)}, shape={shape}, style="{",".join(style)}"'
            f", fillcolor={_quote(look['fill'])}, color={_quote(look['stroke'])}"
            f", penwidth={float(look['stroke-width'])}, peripheries={2 if kind.doubled else 1}"
            f", tooltip={_quote(vertex.tip)}, label=<{_table(vertex)}>"
        )

    def _clusters(self) -> Iterator[str]:
        for cluster in self.graph.clusters:
            yield f"  subgraph {_quote('cluster_' + cluster.id)} {{"
            looks = (
                f"id={_quote(cluster.id)}, margin=16, label={_quote(cluster.title)}, labeljust=l"
            )
            if self.labels:
                looks += f", style=rounded, color={self.colours['rule']}"
            yield f"    graph [{looks}]"
            yield f"    {'; '.join(_quote(name) for name in cluster.members)}"
            # Said inside the frame: outside of it Graphviz would take both out of the frame.
            for name in cluster.members:
                if name in self.notes:
                    yield f"  {_same_rank(self.notes[name])}"
            yield "  }"

    def _arcs(self) -> Iterator[str]:
        first, last = ("e", "w") if self.rankdir == "LR" else ("s", "n")
        below, above = ("s", "n") if self.rankdir == "LR" else ("e", "w")
        spine = self._spine()
        for arc in self.graph.arcs:
            is_ours = arc.kind in ("saved", "view") and self.notes.get(arc.head) is not arc
            if is_ours and not self.labels:
                continue  # we find the ways of ties to leaves, and all but the first to a note
            attributes = [f"id={_quote(arc.id)}"]
            if arc.kind in TIES:
                style = "dotted" if arc.kind == "view" else "dashed"
                attributes += [f"style={style}", "dir=none", "weight=0"]
                if arc.head not in self.notes:
                    # From below to below: a tie must not look like one of the gradient's arrows.
                    port = above if arc.kind == "origin" else below
                    attributes += ["constraint=false", f"tailport={port}", f"headport={below}"]
            else:
                attributes += [f"tailport={first}", f"headport={last}"]
                attributes += self._looks(arc) if self.labels else []
                weight = _SPINE if arc.id in spine else _WEIGHTS.get(self.kinds[arc.head], 1)
                attributes.append(f"weight={weight}")
            if arc.label:
                attributes.append(f"label={_quote(arc.label)}")
                attributes += [] if self.labels else ["fontsize=10"]
            yield f"  {_quote(arc.tail)} -> {_quote(arc.head)} [{', '.join(attributes)}]"

    def _spine(self) -> set[str]:
        """The arcs that begin the longest way on, where their tail has several."""
        ahead = Counter(name for name, kind in self.kinds.items() if kind == "accumulate")  # a leaf
        arrows = [arc for arc in self.graph.arcs if arc.kind == "grad" and arc.tail not in ahead]
        ways = Counter(arc.tail for arc in arrows)
        first: dict[str, str] = {}
        for arc in reversed(arrows):  # oldest first: what an arc leads to is known
            way = ahead[arc.head] + 1
            if way >= ahead[arc.tail]:
                ahead[arc.tail], first[arc.tail] = way, arc.id
        return {name for tail, name in first.items() if ways[tail] > 1}

    def _looks(self, arc: Arc) -> list[str]:
        """Colour and width of an arrow that is not like all others."""
        if not (arc.flow or arc.bad or arc.mark):
            return []
        classes = [f"flow-{arc.flow}", "bad" * bool(arc.bad), arc.mark]
        look = look_of(".line", classes, self.theme)
        style = "solid" if look.get("stroke-dasharray", "none") == "none" else "dashed"
        style = "dotted" if arc.flow == "zero" else style
        width = look["stroke-width"]
        return [f"color={_quote(look['stroke'])}", f"penwidth={width}", f"style={style}"]


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


def _same_rank(tie: Arc) -> str:
    return f"  {{ rank=same; {_quote(tie.tail)}; {_quote(tie.head)} }}"


def _quote(text: str) -> str:
    """`text` as a DOT string. A backslash would begin one of DOT's escapes."""
    lines = [plain(line, 200).replace("\\", "\\\\") for line in text.split("\n")]
    return '"' + "\\n".join(lines).replace('"', '\\"') + '"'
