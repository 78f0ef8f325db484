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
from typing import Literal

from glassgrad.viz.layout.places import ROW_LINE, TITLE_LINE, Box, Layout, Point, box_of, pill_width
from glassgrad.viz.scene.graph import Arc, Cluster, Graph, Vertex
from glassgrad.viz.scene.snapshot import GRADIENT
from glassgrad.viz.style import (
    BADGE_SIZE,
    KINDS,
    MARKS,
    MONO,
    ROW_SIZE,
    SANS,
    THEMES,
    TIES,
    TITLE_SIZE,
    Kind,
    Theme,
    arrow_looks,
    border_looks,
    kind_of,
    text_width,
    tie_looks,
)
from glassgrad.viz.svg.curves import arrowhead, beside, path_data
from glassgrad.viz.svg.legend import LEGEND_LINE, legend_lines, write_legend
from glassgrad.viz.svg.shapes import outline_of
from glassgrad.viz.svg.sheet import style_sheet
from glassgrad.viz.wording import escape, plain

__all__ = ["Pen", "box_attribute", "to_svg"]

MARGIN = 20.0
WIDEST = "5"  # step of the ramp of flows
HEAD = 58.0  # title and counts


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
    return "\n".join(Pen(graph, layout, theme, rankdir, prefix, framed, styled).document()) + "\n"


class Pen:
    """Writes one drawing, top to bottom."""

    def __init__(
        self,
        graph: Graph,
        layout: Layout,
        theme: Theme,
        rankdir: str,
        prefix: str,
        framed: bool,
        styled: bool,
    ) -> None:
        self.graph, self.layout, self.theme, self.rankdir = graph, layout, theme, rankdir
        self.prefix, self.framed, self.styled = prefix, framed, styled
        self.shade: Literal["light", "dark"] = "dark" if theme == "dark" else "light"
        self.colours = THEMES[self.shade]
        self.notice = "; ".join(part for part in (graph.notice, layout.notice) if part)
        self.legend = legend_lines(self, max(layout.width, self._words_width())) if framed else []
        self.top = HEAD + (16.0 if self.notice else 0.0) if framed else MARGIN

    def document(self) -> Iterator[str]:
        width, height = self._size()
        label = f"{self.graph.title}. {self.graph.counts}."
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gg" role="img"'
            f' aria-label="{escape(label)}" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="{SANS}">'
        )
        if self.styled:
            yield f"<style>{self._sheet()}</style>"
        if self.framed:
            yield from self._frame(width, height)
        yield f'<g transform="translate({self._left(width):.1f} {self.top:.0f})">'
        for cluster in self.graph.clusters:
            if cluster.id in self.layout.frames:
                yield self._frame_of(cluster)
        for arc in self.graph.arcs:
            if arc.id in self.layout.routes:
                yield self._arc(arc)
        yield from self._labels()
        for cluster in self.graph.clusters:
            if cluster.id in self.layout.frames:
                x, y, _, _ = self.layout.frames[cluster.id]
                yield self._words_beside(x + 12, y + 17, cluster.title, 11, at="start")
        for vertex in self.graph.vertices:
            if vertex.id in self.layout.places:
                yield self._vertex(vertex)
        yield "</g>"
        yield from write_legend(self.legend, MARGIN, height - LEGEND_LINE * len(self.legend) - 4)
        yield "</svg>"

    def _sheet(self) -> str:
        vertices, arcs = self.graph.vertices, self.graph.arcs
        kinds = {vertex.kind for vertex in vertices} | {"function"}  # marks have its swatch
        kinds |= {"saved"} if any(vertex.kept for vertex in vertices) else set()
        marks = any(vertex.mark for vertex in vertices) or any(arc.mark for arc in arcs)
        return style_sheet(self.theme, flow=bool(self.graph.flow), marks=marks, kinds=kinds)

    # --- the whole ---

    def _size(self) -> tuple[float, float]:
        width = self.layout.width + 2 * MARGIN
        height = self.top + self.layout.height + MARGIN
        if self.framed:
            legend = [sum(item.width for item in line) for line in self.legend]
            width = max(
                each + 2 * MARGIN for each in [self.layout.width, self._words_width(), *legend]
            )
            height += LEGEND_LINE * len(self.legend)
        return math.ceil(width), math.ceil(height)

    def _words_width(self) -> float:
        """How wide the lines above the picture are."""
        small = max(text_width(line, 11.5) for line in (self._subtitle(), self.notice))
        return max(small, text_width(plain(self.graph.title, 400), 15, bold=True))

    def _left(self, width: float) -> float:
        return (width - self.layout.width) / 2 if self.framed else MARGIN

    def _subtitle(self) -> str:
        way = "left to right" if self.rankdir == "LR" else "top to bottom"
        reading = self.graph.reading or f"Arrows follow the gradient, {way}"
        if any(cluster.title == GRADIENT for cluster in self.graph.clusters):
            back = "right to left" if self.rankdir == "LR" else "bottom to top"
            reading += f", and {back} in the gradient's own graph"
        return f"{reading} · {self.graph.counts}"

    def _frame(self, width: float, height: float) -> Iterator[str]:
        canvas, text, muted = (self.colours[role] for role in ("canvas", "text", "muted"))
        yield f'<rect class="ground" width="{width:.0f}" height="{height:.0f}" fill="{canvas}"/>'
        yield self.text("heading", MARGIN, 26, self.graph.title, 15, text, weight=600)
        yield self.text("note", MARGIN, 44, self._subtitle(), 11.5, muted)
        if self.notice:
            yield self.text("note", MARGIN, 60, self.notice, 11.5, muted)

    # --- arcs ---

    def _arc(self, arc: Arc) -> str:
        points = self.layout.routes[arc.id]
        inside = [f"<title>{escape(self._arc_tip(arc))}</title>"]
        if arc.kind in TIES:
            looks = tie_looks(arc.kind, self.shade, bad=bool(arc.bad))
            line = self.inline(fill="none", **looks)
            inside.append(f'<path class="tie" d="{path_data(points)}"{line}/>')
        else:
            looks = arrow_looks(arc.flow, self.shade, bad=bool(arc.bad), mark=arc.mark)
            base, tip = arrowhead(points, float(looks["stroke_width"]))
            inside.append(
                f'<path class="line" d="{path_data([*points[:-1], base])}"'
                f"{self.inline(fill='none', **looks)}/>"
            )
            inside.append(f'<path class="tip" d="{tip}"{self.inline(fill=looks["stroke"])}/>')
        states = [
            *([f"flow-{arc.flow}"] if arc.flow else []),
            *(["bad"] if arc.bad else []),
            *([arc.mark] if arc.mark else []),
        ]
        return self._group(arc.id, " ".join(["arc", f"{arc.kind}-arc", *states]), inside)

    def _frame_of(self, cluster: Cluster) -> str:
        x, y, width, height = self.layout.frames[cluster.id]
        rule = self.inline(fill="none", stroke=self.colours["line"], stroke_width="0.75")
        size = f'width="{width:.1f}" height="{height:.1f}" rx="10"'
        inside = [f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" {size}{rule}/>']
        return self._group(cluster.id, "cluster", inside)

    def _labels(self) -> Iterator[str]:
        """The texts beside arcs. They are drawn after all arcs, so that no line crosses one."""
        fans: dict[str, list[list[Point]]] = defaultdict(list)
        for arc in self.graph.arcs:
            if arc.kind not in TIES:
                fans[arc.tail].append(self.layout.routes.get(arc.id, []))
        for arc in self.graph.arcs:
            if arc.id in self.layout.labels:
                yield self._label(arc, [self.layout.routes[arc.id], *fans[arc.tail]])

    def _label(self, arc: Arc, lines: list[list[Point]]) -> str:
        x, y = self.layout.labels[arc.id]
        if arc.flow or not self.framed:  # its arrow may be wide; in a player any may become so
            wide = float(arrow_looks(arc.flow or WIDEST, self.shade)["stroke_width"])
            x, y = beside(lines, (x, y), (text_width(arc.label, 10) / 2 + 2, 6.0), wide)
        return self._words_beside(x, y + 3, arc.label, 10, at="middle")

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

    def _arc_tip(self, arc: Arc) -> str:
        return f"{arc.id}  {arc.label} {arc.bad}".strip()

    # --- vertices ---

    def _vertex(self, vertex: Vertex) -> str:
        place = self.layout.places[vertex.id]
        kind, box = kind_of(vertex.kind), replace(box_of(vertex), width=place[2], height=place[3])
        x, y = place[0] - box.width / 2, place[1] - box.height / 2
        inside = [f"<title>{escape(vertex.tip)}</title>"] if vertex.tip else []
        if vertex.kind == "heat":
            fill = arrow_looks(vertex.flow, self.shade)["stroke"]
            paint = 'class="box"' + self.inline(fill=fill)
            inside += outline_of(kind, x, y, box, paint)
        else:
            inside += self.outline(kind, x, y, box, bad=bool(vertex.bad), mark=vertex.mark)
        if kind.shape == "dot":
            inside.append(
                self.text("key", place[0], y + 14, "∅", 11, self.colours["muted"], at="middle")
            )
        elif vertex.title:
            inside += self._words(vertex, kind, x, y, box)
        inside += self._pills(vertex, x, y, box)
        states = [
            vertex.kind,
            *(["freed"] if vertex.freed else []),
            *(["bad"] if vertex.bad else []),
            *([vertex.mark] if vertex.mark else []),
            *([f"flow-{vertex.flow}"] if vertex.flow else []),
        ]
        extra = f' data-of="{self.prefix}{vertex.of}"' if vertex.of else ""
        if not self.framed and kind.shape not in ("card", "pill"):  # whose place the script sees
            extra += box_attribute(x, y, box)
        return self._group(vertex.id, f"vertex {' '.join(states)}", inside, extra)

    def outline(
        self, kind: Kind, x: float, y: float, box: Box, *, bad: bool = False, mark: str = ""
    ) -> Iterator[str]:
        """The border of a box and its ground."""
        looks = border_looks(kind, self.shade, bad=bad, mark=mark)
        paint = 'class="box"' + self.inline(fill=kind.fill[self.shade], **looks)
        return outline_of(kind, x, y, box, paint)

    def _words(self, vertex: Vertex, kind: Kind, x: float, y: float, box: Box) -> Iterator[str]:
        line = y + (18 if kind.shape == "pill" else 6 + TITLE_LINE - 4)
        left = x + box.left
        yield self._title(vertex, left, line)
        if kind.shape == "note" and (vertex.freed or not self.framed):
            # A line of our own: struck-out text of one letter, an x, reads as another letter.
            width = text_width(vertex.title, TITLE_SIZE, bold=True) + 8
            yield (
                f'<path class="strike" d="M{left - 4:.1f} {line - 4.5:.1f}h{width:.1f}"'
                f"{self.inline(stroke=self.colours['text'], stroke_width='1.5')}/>"
            )
        right = x + box.width - box.right
        if box.badge:
            yield from self._badge(vertex, kind, right - box.badge, line - 12, box.badge)
        for number, (key, value) in enumerate(vertex.rows):
            at = y + 6 + TITLE_LINE + 3 + ROW_LINE * number + 12
            late = " late" if key == "grad" else ""
            if key:
                yield self.text(f"key{late}", left, at, key, ROW_SIZE, self.colours["muted"])
            yield self.text(
                f"value{late}", x + box.values, at, value, ROW_SIZE, self.colours["text"], mono=True
            )

    def _title(self, vertex: Vertex, x: float, y: float) -> str:
        """`MulBackward0`: what tells the ops apart is bold, what they share is not."""
        shared = (
            re.search(r"Backward\d*$", vertex.title)
            if vertex.kind in ("function", "view")
            else None
        )
        words = escape(vertex.title)
        if shared and shared.start():
            tail = self.inline(font_weight="400", fill=self.colours["muted"])
            words = (
                f"{escape(vertex.title[: shared.start()])}<tspan{tail}>{escape(shared[0])}</tspan>"
            )
        looks = self.inline(
            font_size=f"{TITLE_SIZE:g}", font_weight="600", fill=self.colours["text"]
        )
        return f'<text class="title" x="{x:.1f}" y="{y:.1f}"{looks}>{words}</text>'

    def _badge(self, vertex: Vertex, kind: Kind, x: float, y: float, width: float) -> Iterator[str]:
        fill = self.colours["bad"] if vertex.bad else kind.pill(self.shade)
        fill = MARKS[vertex.mark].colour[self.shade] if vertex.mark else fill
        yield (
            f'<rect class="badge" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="15" rx="7.5"'
            f"{self.inline(fill=fill)}/>"
        )
        yield self.text(
            "badge-text",
            x + width / 2,
            y + 11,
            vertex.bad or vertex.badge,
            BADGE_SIZE,
            self.colours["canvas"],
            at="middle",
            weight=600,
        )

    def _pills(self, vertex: Vertex, x: float, y: float, box: Box) -> Iterator[str]:
        """A pill on the upper border for each hook, one on the lower for what was saved."""
        at = x + 6
        for name in vertex.hooks:
            yield self.pill("hook", name, at, y)
            at += pill_width(name)
        if vertex.kept:
            at = x + box.width - pill_width(vertex.kept) - 2
            yield self.pill("kept", vertex.kept, at, y + box.height, struck=vertex.freed)

    def pill(self, name: str, words: str, x: float, y: float, *, struck: bool = False) -> str:
        """A pill whose left end is at x and whose middle is at y: a "hook", or what was "kept"."""
        width, muted = pill_width(words) - 4, self.colours["muted"]
        fill, stroke = self.colours["canvas"], muted
        if name == "kept":
            fill, stroke = (
                part[self.shade] for part in (KINDS["saved"].fill, KINDS["saved"].border)
            )
        looks = self.inline(fill=fill, stroke=stroke)
        rect = f'<rect x="{x:.1f}" y="{y - 7:.1f}" width="{width:.1f}" height="14" rx="7"{looks}/>'
        text = self.text("", x + width / 2, y + 3, words, 9, muted, at="middle", weight=600)
        line = ""
        if name == "kept" and (struck or not self.framed):
            dark = self.inline(stroke=self.colours["text"], stroke_width="1.5")
            line = f'<path class="strike" d="M{x + 3:.1f} {y:.1f}h{width - 6:.1f}"{dark}/>'
        return f'<g class="{name}">{rect}{text}{line}</g>'

    # --- elements ---

    def _group(self, name: str, classes: str, inside: list[str], extra: str = "") -> str:
        return f'<g id="{self.prefix}{name}" class="{classes}"{extra}>{"".join(inside)}</g>'

    def text(
        self,
        classes: str,
        x: float,
        y: float,
        words: str,
        size: float,
        fill: str,
        *,
        at: str = "start",
        weight: int = 400,
        mono: bool = False,
    ) -> str:
        """Words, in one line, escaped."""
        looks = {"font_size": f"{size:g}", "fill": fill}
        if at != "start":
            looks["text_anchor"] = at
        if weight != 400:
            looks["font_weight"] = str(weight)
        if mono:
            looks["font_family"] = MONO
        place = f'x="{x:.1f}" y="{y:.1f}"{self.inline(**looks)}'
        return f'<text class="{classes}" {place}>{escape(plain(words, 400))}</text>'

    def inline(self, **looks: str) -> str:
        """Looks as attributes; none in a page, whose style sheet says the same once for all."""
        if not self.framed:
            return ""
        return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in looks.items())


def box_attribute(x: float, y: float, box: Box) -> str:
    """Where a vertex is, for the player's script, which puts a ring and signs around it."""
    return f' data-box="{x:.1f} {y:.1f} {box.width:g} {box.height:g}"'
