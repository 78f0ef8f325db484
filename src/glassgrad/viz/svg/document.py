"""Draws a laid-out graph as SVG. Pure text: equal graphs and layouts give equal bytes.

Each vertex and arc is a `<g>` with the id and the kind it has in the log, so whoever shows the SVG
can restyle it (`#n3`, `.saved`) without laying it out again. Colours are CSS variables; the light
ones also stand as attributes, for programs that know no style sheets.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator

from glassgrad._words import plain
from glassgrad.viz import style
from glassgrad.viz.layout.places import ROW_LINE, TITLE_LINE, Layout, Place, box_of, pill_width
from glassgrad.viz.scene.graph import GRADIENT, Arc, Graph, Vertex
from glassgrad.viz.svg.curves import arrowhead, beside, beside_its_line, path_data
from glassgrad.viz.svg.pen import Legend, Pen, box_attribute, legend_of
from glassgrad.viz.wording import escape, notices

MARGIN = 20.0
WIDEST = "5"  # step of the ramp of flows
WAYS = {"LR": ("left to right", "right to left"), "TB": ("top to bottom", "bottom to top")}
HEAD = 58.0  # title and counts
_SHARED = re.compile(r"(?<=.)(?=Backward\d*$)")  # where what the names of ops share begins


class Document(Pen):
    """A laid-out graph as an SVG document.

    Args:
        graph: what to draw.
        layout: where.
        theme: "light", "dark", or "auto": as the reader's system has it.
        prefix: put before every id, where several drawings share a page.
        framed: with title, background, legend and style sheet; False for a page that has these.
    """

    def __init__(
        self,
        graph: Graph,
        layout: Layout,
        theme: style.Theme = "auto",
        *,
        prefix: str = "",
        framed: bool = True,
    ) -> None:
        super().__init__(theme, framed=framed)
        self.graph, self.layout, self.prefix = graph, layout, prefix

    def svg(self, rankdir: str = "LR", *, styled: bool = True) -> str:
        """The text.

        Args:
            rankdir: which way the layout goes, for the words under the title.
            styled: False leaves out the style sheet, for programs that know no CSS variables.
        """
        return "\n".join(self._lines(rankdir, styled=styled)) + "\n"

    def _lines(self, rankdir: str, *, styled: bool) -> Iterator[str]:
        graph, layout = self.graph, self.layout
        above = [self._subtitle(rankdir), notices(graph.notice, layout.notice)]
        top, room, legend = MARGIN, layout.width, Legend([], 0.0, 0.0)
        if self.framed:
            words = style.text_width(plain(graph.title, 400), 15, bold=True)
            words = max(words, *[style.text_width(line, 11.5) for line in above])
            legend = legend_of(self, graph, max(room, words))
            room = max(room, words, legend.width)
            top = HEAD + (16.0 if above[1] else 0.0)
        width = math.ceil(room + 2 * MARGIN)
        height = math.ceil(top + layout.height + MARGIN + legend.height)
        label = f"{graph.title}. {graph.counts}."
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gg" role="img"'
            f' aria-label="{escape(label)}" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" font-family="{style.SANS}">'
        )
        if self.framed and styled:
            yield f"<style>{self._sheet()}</style>"
        if self.framed:
            ground = self.inline(".ground")
            yield f'<rect class="ground" width="{width}" height="{height}"{ground}/>'
            yield self.text("heading", MARGIN, 26, graph.title)
            for number, line in enumerate(filter(None, above)):
                yield self.text("subtitle", MARGIN, 44 + 16 * number, line)
        yield f'<g transform="translate({(width - layout.width) / 2:.1f} {top:.0f})">'
        frames = [(c, layout.frames[c.id]) for c in graph.clusters if c.id in layout.frames]
        for cluster, frame in frames:
            yield self._group(cluster.id, ["cluster"], [self.rect("frame", frame, 10)])
        for arc in graph.arcs:
            yield self._arc(arc)
        yield from self._labels()
        for cluster, frame in frames:
            yield self.text("caption", frame.left + 12, frame.top + 17, cluster.title)
        for vertex in graph.vertices:
            yield self._vertex(vertex)
        yield "</g>"
        yield f'<g transform="translate({MARGIN} {height - legend.height - 4})">'
        yield from legend.drawn
        yield "</g>"
        yield "</svg>"

    # --- the whole ---

    def _sheet(self) -> str:
        drawn: tuple[Vertex | Arc, ...] = (*self.graph.vertices, *self.graph.arcs)
        classes = {name for each in drawn for name in _classes(each)}
        in_legend = ("function", *(style.FLOWS if self.graph.flow else ()))
        return style.style_sheet(self.theme, classes=classes.union(in_legend))

    def _subtitle(self, rankdir: str) -> str:
        way, back = WAYS[rankdir]
        reading = self.graph.reading or f"Arrows follow the gradient, {way}"
        if any(cluster.title == GRADIENT for cluster in self.graph.clusters):
            reading += f", and {back} in the gradient's own graph"
        return f"{reading} · {self.graph.counts}"

    def _group(self, name: str, classes: list[str], inside: list[str], extra: str = "") -> str:
        names = " ".join(classes)
        return f'<g id="{self.prefix}{name}" class="{names}"{extra}>{"".join(inside)}</g>'

    # --- arcs ---

    def _arc(self, arc: Arc) -> str:
        points, classes = self.layout.routes[arc.id], _classes(arc)
        tip = f"{arc.id}  {arc.label} {arc.bad}".strip()
        inside = [f"<title>{escape(tip)}</title>"]
        if arc.kind in style.TIES:
            inside.append(self.path("tie", path_data(points), classes))
        else:
            base, head = arrowhead(points, float(style.look_of(".line", classes)["stroke-width"]))
            inside.append(self.path("line", path_data([*points[:-1], base]), classes))
            inside.append(self.path("tip", head, classes))
        return self._group(arc.id, ["arc", *classes], inside)

    def _labels(self) -> Iterator[str]:
        """The texts beside arcs. They are drawn after all arcs, so that no line crosses one."""
        routes = self.layout.routes
        fans = defaultdict(list)
        for arc in self.graph.arcs:
            if arc.kind not in style.TIES:
                fans[arc.tail].append(routes[arc.id])
        for arc in self.graph.arcs:
            if arc.id in self.layout.labels:
                x, y = beside_its_line(routes[arc.id], self.layout.labels[arc.id])
                if arc.flow or not self.framed:  # its arrow may be wide; in a player any may be
                    wide = style.look_of(".line", [f"flow-{arc.flow or WIDEST}"])["stroke-width"]
                    size = style.text_width(arc.label, style.BADGE_SIZE) / 2 + 2, 6.0
                    lines = [routes[arc.id], *fans[arc.tail]]
                    x, y = beside(lines, (x, y), size, float(wide))
                yield self.text("label", x, y + 3, arc.label)

    # --- vertices ---

    def _vertex(self, vertex: Vertex) -> str:
        place, classes = self.layout.places[vertex.id], _classes(vertex)
        kind = style.KINDS[vertex.kind]
        inside = [f"<title>{escape(vertex.tip)}</title>"] if vertex.tip else []
        inside += self.outline(kind, place, classes)
        if kind.shape == "dot":
            inside.append(self.text("symbol", place.x, place.top + 14, "∅"))
        elif vertex.title:
            inside += self._words(vertex, kind, place)
        inside += self._pills(vertex, place)
        extra = f' data-of="{self.prefix}{vertex.of}"' if vertex.of else ""
        if not self.framed and kind.shape not in ("card", "pill"):  # whose place the script sees
            extra += box_attribute(place)
        return self._group(vertex.id, ["vertex", *classes], inside, extra)

    def _words(self, vertex: Vertex, kind: style.Kind, place: Place) -> Iterator[str]:
        box, x, y = box_of(vertex), place.left, place.top
        line = y + (18 if kind.shape == "pill" else 6 + TITLE_LINE - 4)
        left = x + box.left
        is_op = kind.name in ("function", "view")  # what tells ops apart is bold, the rest is not
        words = _SHARED.split(vertex.title) if is_op else [vertex.title]
        yield self.text("title", left, line, *words)
        if kind.shape == "note" and self._is_struck(vertex):
            width = style.text_width(vertex.title, style.TITLE_SIZE, bold=True) + 8
            yield self.strike(left - 4, line - 4.5, width)
        if box.badge:
            middle = place.right - box.right - box.badge / 2
            ground = Place(middle, line - 4.5, box.badge, 15)
            yield self.label("badge", vertex.bad or vertex.badge, ground, _classes(vertex))
        for number, (key, value) in enumerate(vertex.rows):
            at = y + 6 + TITLE_LINE + 3 + ROW_LINE * number + 12
            late = " late" if key == "grad" else ""
            if key:
                yield self.text(f"key{late}", left, at, key)
            yield self.text(f"value{late}", x + box.values, at, value)

    def _pills(self, vertex: Vertex, place: Place) -> Iterator[str]:
        """A pill on the upper border for each hook, one on the lower for what was saved."""
        at = place.left + 6
        for name in vertex.hooks:
            yield self.pill("hook", name, at, place.top - 3)  # clear of the title
            at += pill_width(name)
        if vertex.kept:
            at = place.right - pill_width(vertex.kept) - 2
            struck = self._is_struck(vertex)
            yield self.pill("kept", vertex.kept, at, place.bottom, struck=struck)

    def _is_struck(self, vertex: Vertex) -> bool:
        """Whether what was saved is struck out: freed, or in a page, whose script shows when."""
        return vertex.freed or not self.framed


def _classes(drawn: Vertex | Arc) -> list[str]:
    """The classes of a vertex or an arc: its kind, and what is said of it."""
    kind = drawn.kind + "-arc" * isinstance(drawn, Arc)
    freed = isinstance(drawn, Vertex) and drawn.freed
    flow = drawn.flow and f"flow-{drawn.flow}"
    return list(filter(None, [kind, "freed" * freed, "bad" * bool(drawn.bad), flow, drawn.mark]))
