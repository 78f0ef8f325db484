"""Draws a laid-out graph as SVG. Pure text: equal graphs and layouts give equal bytes.

Each vertex and arc is a `<g>` with the id and the kind it has in the log, so whoever shows the SVG
can restyle it (`#n3`, `.saved`) without laying it out again. Colours are CSS variables; the light
ones also stand as attributes, for programs that know no style sheets.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from glassgrad.viz.layout.places import (
    ROW_LINE,
    TITLE_LINE,
    Box,
    Layout,
    Route,
    box_of,
    pill_width,
)
from glassgrad.viz.scene.graph import Arc, Cluster, Graph, Vertex
from glassgrad.viz.scene.snapshot import GRADIENT
from glassgrad.viz.style import (
    BADGE_SIZE,
    KINDS,
    MARKS,
    ROW_SIZE,
    SANS,
    TIES,
    TITLE_SIZE,
    Kind,
    Theme,
    arrow_looks,
    style_sheet,
    text_width,
    tie_looks,
)
from glassgrad.viz.svg.curves import arrowhead, beside, path_data
from glassgrad.viz.svg.legend import LEGEND_LINE, legend_lines, write_legend
from glassgrad.viz.svg.pen import Pen, box_attribute
from glassgrad.viz.wording import escape, notices, plain

MARGIN = 20.0
WIDEST = "5"  # step of the ramp of flows
HEAD = 58.0  # title and counts
_SHARED = re.compile(r"Backward\d*$")  # what the names of ops end with


def to_svg(
    graph: Graph,
    layout: Layout,
    *,
    theme: Theme = "auto",
    rankdir: str = "LR",
    prefix: str = "",
    framed: bool = True,
    styled: bool = True,
) -> str:
    """`graph` as an SVG document.

    Args:
        graph: what to draw.
        layout: where.
        theme: "light", "dark", or "auto": as the reader's system has it.
        rankdir: which way the layout goes, for the words under the title.
        prefix: put before every id, where several drawings share a page.
        framed: with title, background and legend; without them the player's page shows those.
        styled: with the style sheet; False for programs that know no CSS variables.
    """
    document = _Document(graph, layout, theme, prefix, framed=framed)
    return "\n".join(document.lines(rankdir, styled=styled)) + "\n"


class _Document(Pen):
    """Writes one drawing, top to bottom."""

    def __init__(
        self, graph: Graph, layout: Layout, theme: Theme, prefix: str, *, framed: bool
    ) -> None:
        super().__init__(theme, framed=framed)
        self.graph, self.layout, self.prefix = graph, layout, prefix

    def lines(self, rankdir: str, *, styled: bool) -> Iterator[str]:
        graph, layout = self.graph, self.layout
        above = [self._subtitle(rankdir), notices(graph.notice, layout.notice)]
        # Above the picture, beside it, and below it.
        top, left, legend = MARGIN, MARGIN, []
        width, height = layout.width + 2 * MARGIN, layout.height + MARGIN
        if self.framed:
            words = max([text_width(line, 11.5) for line in above])
            words = max(words, text_width(plain(graph.title, 400), 15, bold=True))
            legend = legend_lines(self, graph, max(layout.width, words))
            wide = [sum([item.width for item in line]) for line in legend]
            width = math.ceil(max([layout.width, words, *wide]) + 2 * MARGIN)
            height += LEGEND_LINE * len(legend)
            top, left = HEAD + (16.0 if above[1] else 0.0), (width - layout.width) / 2
        width, height = math.ceil(width), math.ceil(top + height)
        label = f"{graph.title}. {graph.counts}."
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gg" role="img"'
            f' aria-label="{escape(label)}" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" font-family="{SANS}">'
        )
        if styled:
            yield f"<style>{self._sheet()}</style>"
        if self.framed:
            yield from self._frame(width, height, above)
        yield f'<g transform="translate({left:.1f} {top:.0f})">'
        clusters = [cluster for cluster in graph.clusters if cluster.id in layout.frames]
        for cluster in clusters:
            yield self._cluster(cluster)
        for arc in graph.arcs:
            yield self._arc(arc)
        yield from self._labels()
        for cluster in clusters:
            x, y, _, _ = layout.frames[cluster.id]
            yield self._words_beside(x + 12, y + 17, cluster.title, 11, at="start")
        for vertex in graph.vertices:
            yield self._vertex(vertex)
        yield "</g>"
        yield from write_legend(self, legend, MARGIN, height - LEGEND_LINE * len(legend) - 4)
        yield "</svg>"

    # --- the whole ---

    def _sheet(self) -> str:
        vertices, arcs = self.graph.vertices, self.graph.arcs
        kinds = {vertex.kind for vertex in vertices} | {"function"}  # marks have its swatch
        kinds |= {"saved"} if any(vertex.kept for vertex in vertices) else set()
        marks = any(vertex.mark for vertex in vertices) or any(arc.mark for arc in arcs)
        return style_sheet(self.theme, flow=bool(self.graph.flow), marks=marks, kinds=kinds)

    def _subtitle(self, rankdir: str) -> str:
        way, back = ("left to right", "right to left")
        if rankdir == "TB":
            way, back = ("top to bottom", "bottom to top")
        reading = self.graph.reading or f"Arrows follow the gradient, {way}"
        if any(cluster.title == GRADIENT for cluster in self.graph.clusters):
            reading += f", and {back} in the gradient's own graph"
        return f"{reading} · {self.graph.counts}"

    def _frame(self, width: int, height: int, above: list[str]) -> Iterator[str]:
        canvas, text, muted = (self.colours[role] for role in ("canvas", "text", "muted"))
        yield f'<rect class="ground" width="{width}" height="{height}" fill="{canvas}"/>'
        yield self.text("heading", MARGIN, 26, self.graph.title, 15, text, weight=600)
        for number, line in enumerate(above):
            if line:
                yield self.text("note", MARGIN, 44 + 16 * number, line, 11.5, muted)

    def _group(self, name: str, classes: list[str], inside: list[str], extra: str = "") -> str:
        names = " ".join([each for each in classes if each])
        return f'<g id="{self.prefix}{name}" class="{names}"{extra}>{"".join(inside)}</g>'

    def _cluster(self, cluster: Cluster) -> str:
        x, y, width, height = self.layout.frames[cluster.id]
        rule = self.inline(fill="none", stroke=self.colours["line"], stroke_width="0.75")
        size = f'width="{width:.1f}" height="{height:.1f}" rx="10"'
        inside = [f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" {size}{rule}/>']
        return self._group(cluster.id, ["cluster"], inside)

    # --- arcs ---

    def _arc(self, arc: Arc) -> str:
        points, is_bad = self.layout.routes[arc.id], bool(arc.bad)
        tip = f"{arc.id}  {arc.label} {arc.bad}".strip()
        inside = [f"<title>{escape(tip)}</title>"]
        if arc.kind in TIES:
            line = self.inline(fill="none", **tie_looks(arc.kind, self.shade, bad=is_bad))
            inside.append(f'<path class="tie" d="{path_data(points)}"{line}/>')
        else:
            looks = arrow_looks(arc.flow, self.shade, bad=is_bad, mark=arc.mark)
            line, fill = self.inline(fill="none", **looks), self.inline(fill=looks["stroke"])
            base, head = arrowhead(points, float(looks["stroke_width"]))
            inside.append(f'<path class="line" d="{path_data([*points[:-1], base])}"{line}/>')
            inside.append(f'<path class="tip" d="{head}"{fill}/>')
        states = [arc.flow and f"flow-{arc.flow}", "bad" if is_bad else "", arc.mark]
        return self._group(arc.id, ["arc", f"{arc.kind}-arc", *states], inside)

    def _labels(self) -> Iterator[str]:
        """The texts beside arcs. They are drawn after all arcs, so that no line crosses one."""
        fans: dict[str, list[Route]] = defaultdict(list)
        for arc in self.graph.arcs:
            if arc.kind not in TIES:
                fans[arc.tail].append(self.layout.routes[arc.id])
        for arc in self.graph.arcs:
            if arc.id in self.layout.labels:
                x, y = self.layout.labels[arc.id]
                if arc.flow or not self.framed:  # its arrow may be wide; in a player any may be
                    lines = [self.layout.routes[arc.id], *fans[arc.tail]]
                    wide = float(arrow_looks(arc.flow or WIDEST, self.shade)["stroke_width"])
                    x, y = beside(lines, (x, y), (text_width(arc.label, 10) / 2 + 2, 6.0), wide)
                yield self._words_beside(x, y + 3, arc.label, 10, at="middle")

    def _words_beside(self, x: float, y: float, words: str, size: float, *, at: str) -> str:
        """Words with a halo, which lines end at."""
        looks = self.inline(
            text_anchor=at,
            font_size=f"{size:g}",
            fill=self.colours["muted"],
            stroke=self.colours["canvas"],
            stroke_width="4",
            stroke_linejoin="round",
            paint_order="stroke",
        )
        name = "label" if at == "middle" else "label caption"
        return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}"{looks}>{escape(words)}</text>'

    # --- vertices ---

    def _vertex(self, vertex: Vertex) -> str:
        place, kind = self.layout.places[vertex.id], KINDS[vertex.kind]
        box = replace(box_of(vertex), width=place.width, height=place.height)
        x, y = place.left, place.top
        inside = [f"<title>{escape(vertex.tip)}</title>"] if vertex.tip else []
        if vertex.kind == "heat":
            fill = arrow_looks(vertex.flow, self.shade)["stroke"]
            inside += self.shape(kind, x, y, box, fill=fill)
        else:
            inside += self.outline(kind, x, y, box, bad=bool(vertex.bad), mark=vertex.mark)
        if kind.shape == "dot":
            muted = self.colours["muted"]
            inside.append(self.text("key", place.x, y + 14, "∅", 11, muted, at="middle"))
        elif vertex.title:
            inside += self._words(vertex, kind, x, y, box)
        inside += self._pills(vertex, x, y, box)
        states = ["freed" if vertex.freed else "", "bad" if vertex.bad else "", vertex.mark]
        states.append(vertex.flow and f"flow-{vertex.flow}")
        extra = f' data-of="{self.prefix}{vertex.of}"' if vertex.of else ""
        if not self.framed and kind.shape not in ("card", "pill"):  # whose place the script sees
            extra += box_attribute(x, y, box)
        return self._group(vertex.id, ["vertex", vertex.kind, *states], inside, extra)

    def _words(self, vertex: Vertex, kind: Kind, x: float, y: float, box: Box) -> Iterator[str]:
        line = y + (18 if kind.shape == "pill" else 6 + TITLE_LINE - 4)
        left = x + box.left
        yield self._title(vertex, left, line)
        if kind.shape == "note" and (vertex.freed or not self.framed):
            width = text_width(vertex.title, TITLE_SIZE, bold=True) + 8
            yield self.strike(left - 4, line - 4.5, width)
        if box.badge:
            right = x + box.width - box.right
            yield from self._badge(vertex, kind, right - box.badge, line - 12, box.badge)
        text, muted = self.colours["text"], self.colours["muted"]
        for number, (key, value) in enumerate(vertex.rows):
            at = y + 6 + TITLE_LINE + 3 + ROW_LINE * number + 12
            late = " late" if key == "grad" else ""
            if key:
                yield self.text(f"key{late}", left, at, key, ROW_SIZE, muted)
            yield self.text(f"value{late}", x + box.values, at, value, ROW_SIZE, text, mono=True)

    def _title(self, vertex: Vertex, x: float, y: float) -> str:
        """`MulBackward0`: what tells the ops apart is bold, what they share is not."""
        words = escape(vertex.title)
        shared = _SHARED.search(vertex.title) if vertex.kind in ("function", "view") else None
        if shared and shared.start():
            tail = self.inline(font_weight="400", fill=self.colours["muted"])
            own = escape(vertex.title[: shared.start()])
            words = f"{own}<tspan{tail}>{shared[0]}</tspan>"
        size, text = f"{TITLE_SIZE:g}", self.colours["text"]
        looks = self.inline(font_size=size, font_weight="600", fill=text)
        return f'<text class="title" x="{x:.1f}" y="{y:.1f}"{looks}>{words}</text>'

    def _badge(self, vertex: Vertex, kind: Kind, x: float, y: float, width: float) -> Iterator[str]:
        fill = self.colours["bad"] if vertex.bad else kind.badge(self.shade)
        fill = MARKS[vertex.mark].colour[self.shade] if vertex.mark else fill
        yield (
            f'<rect class="badge" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="15" rx="7.5"'
            f"{self.inline(fill=fill)}/>"
        )
        words, canvas = vertex.bad or vertex.badge, self.colours["canvas"]
        middle = x + width / 2, y + 11
        yield self.text("badge-text", *middle, words, BADGE_SIZE, canvas, at="middle", weight=600)

    def _pills(self, vertex: Vertex, x: float, y: float, box: Box) -> Iterator[str]:
        """A pill on the upper border for each hook, one on the lower for what was saved."""
        at = x + 6
        for name in vertex.hooks:
            yield self.pill("hook", name, at, y)
            at += pill_width(name)
        if vertex.kept:
            at = x + box.width - pill_width(vertex.kept) - 2
            yield self.pill("kept", vertex.kept, at, y + box.height, struck=vertex.freed)
