"""Draws a laid-out graph as SVG. Pure text: equal graphs and layouts give equal bytes.

Each vertex and arc is a `<g>` with the id and the kind it has in the log, so whoever shows the SVG
can restyle it (`#n3`, `.saved`) without laying it out again. Colours are CSS variables; the light
ones also stand as attributes, for programs that know no style sheets.
"""

import math
import re
from collections.abc import Iterator
from typing import Literal

from glassgrad.viz.boxes import PAD, ROW_LINE, TITLE_LINE, Box, box_of, hook_width
from glassgrad.viz.curves import arrowhead, path_data
from glassgrad.viz.graph import Arc, Cluster, Graph, Vertex
from glassgrad.viz.layout import Layout
from glassgrad.viz.sheet import style_sheet
from glassgrad.viz.style import (
    BADGE_SIZE,
    FLOW,
    KINDS,
    MONO,
    ROW_SIZE,
    SANS,
    THEMES,
    TITLE_SIZE,
    Kind,
    Theme,
    arrow_looks,
    kind_of,
    text_width,
)
from glassgrad.viz.wording import escape, plain

__all__ = ["Pen", "mark", "to_svg"]

MARGIN = 20.0
HEAD = 58.0  # title and counts
LEGEND_LINE = 24.0


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
        self.legend = self._legend_lines() if framed else []
        self.top = HEAD + (16.0 if graph.notice else 0.0) if framed else MARGIN

    def document(self) -> Iterator[str]:
        width, height = self._size()
        label = f"{self.graph.title}. {self.graph.counts}."
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gg" role="img"'
            f' aria-label="{escape(label)}" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="{SANS}">'
        )
        if self.styled:
            yield f"<style>{style_sheet(self.theme, flow=bool(self.graph.flow))}</style>"
        if self.framed:
            yield from self._frame(width, height)
        yield f'<g transform="translate({self._left(width):.1f} {self.top:.0f})">'
        for cluster in self.graph.clusters:
            if cluster.id in self.layout.frames:
                yield self._frame_of(cluster)
        for arc in self.graph.arcs:
            if arc.id in self.layout.routes:
                yield self._arc(arc)
        for arc in self.graph.arcs:
            if arc.id in self.layout.labels:
                yield self._label(arc)
        for vertex in self.graph.vertices:
            if vertex.id in self.layout.places:
                yield self._vertex(vertex)
        yield "</g>"
        yield from self._legend(height)
        if self.framed and self.graph.flow:
            yield from self._flow_legend(height)
        yield "</svg>"

    # --- the whole ---

    def _size(self) -> tuple[float, float]:
        width = self.layout.width + 2 * MARGIN
        height = self.top + self.layout.height + MARGIN
        if self.framed:
            words = [text_width(self._subtitle(), 11.5), text_width(self.graph.notice, 11.5)]
            legend = [sum(width for width, _ in line) for line in self.legend]
            width = max(width, *(each + 2 * MARGIN for each in [*words, *legend]))
            height += LEGEND_LINE * (len(self.legend) + bool(self.graph.flow))
        return math.ceil(width), math.ceil(height)

    def _left(self, width: float) -> float:
        return (width - self.layout.width) / 2 if self.framed else MARGIN

    def _subtitle(self) -> str:
        way = "left to right" if self.rankdir == "LR" else "top to bottom"
        return f"Arrows follow the gradient, {way} · {self.graph.counts}"

    def _frame(self, width: float, height: float) -> Iterator[str]:
        canvas, text, muted = (self.colours[role] for role in ("canvas", "text", "muted"))
        yield f'<rect class="ground" width="{width:.0f}" height="{height:.0f}" fill="{canvas}"/>'
        yield self._text("heading", MARGIN, 26, self.graph.title, 15, text, weight=600)
        yield self._text("note", MARGIN, 44, self._subtitle(), 11.5, muted)
        if self.graph.notice:
            yield self._text("note", MARGIN, 60, self.graph.notice, 11.5, muted)

    # --- arcs ---

    def _arc(self, arc: Arc) -> str:
        points = self.layout.routes[arc.id]
        inside = [f"<title>{escape(self._arc_tip(arc))}</title>"]
        if arc.kind == "saved":
            looks = {"stroke": self.colours["line"], "stroke_dasharray": "3 3"}
            inside.append(
                f'<path class="tie" d="{path_data(points)}"{self._inline(fill="none", **looks)}/>'
            )
        else:
            base, tip = arrowhead(points)
            looks = arrow_looks(arc.flow, self.shade)
            inside.append(
                f'<path class="line" d="{path_data([*points[:-1], base])}"'
                f"{self._inline(fill='none', **looks)}/>"
            )
            inside.append(f'<path class="tip" d="{tip}"{self._inline(fill=looks["stroke"])}/>')
        flow = f" flow-{arc.flow}" if arc.flow else ""
        return self._group(arc.id, f"arc {arc.kind}-arc{flow}", inside)

    def _frame_of(self, cluster: Cluster) -> str:
        x, y, width, height = self.layout.frames[cluster.id]
        rule = self._inline(fill="none", stroke=self.colours["line"], stroke_width="0.75")
        size = f'width="{width:.1f}" height="{height:.1f}" rx="10"'
        inside = [
            f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" {size}{rule}/>',
            self._text("note", x + 12, y + 17, cluster.title, 11, self.colours["muted"]),
        ]
        return self._group(cluster.id, "cluster", inside)

    def _label(self, arc: Arc) -> str:
        """The text beside an arc. Labels are drawn after all arcs, so that no line crosses one."""
        x, y = self.layout.labels[arc.id]
        looks = self._inline(
            text_anchor="middle",
            font_size="10",
            fill=self.colours["muted"],
            stroke=self.colours["canvas"],
            stroke_width="4",
            stroke_linejoin="round",
            paint_order="stroke",
        )
        return (
            f'<text class="label" x="{x:.1f}" y="{y + 3.5:.1f}"{looks}>{escape(arc.label)}</text>'
        )

    def _arc_tip(self, arc: Arc) -> str:
        return f"{arc.id}  {arc.label}".strip()

    # --- vertices ---

    def _vertex(self, vertex: Vertex) -> str:
        kind, box = kind_of(vertex.kind), box_of(vertex)
        place = self.layout.places[vertex.id]
        x, y = place[0] - box.width / 2, place[1] - box.height / 2
        inside = [f"<title>{escape(vertex.tip)}</title>"] if vertex.tip else []
        inside += self.outline(kind, x, y, box, bad=bool(vertex.bad))
        if kind.shape == "dot":
            inside.append(
                self._text("key", place[0], y + 14, "∅", 11, self.colours["muted"], at="middle")
            )
        else:
            inside += self._words(vertex, kind, x, y, box)
        inside += self._hooks(vertex, x, y)
        if not self.framed:
            inside.append(mark(x, y, box))
        states = [
            vertex.kind,
            *(["freed"] if vertex.freed else []),
            *(["bad"] if vertex.bad else []),
        ]
        extra = f' data-of="{self.prefix}{vertex.of}"' if vertex.of else ""
        return self._group(vertex.id, f"vertex {' '.join(states)}", inside, extra)

    def outline(self, kind: Kind, x: float, y: float, box: Box, *, bad: bool) -> Iterator[str]:
        stroke = self.colours["bad"] if bad else kind.border[self.shade]
        dash = {"stroke_dasharray": kind.dash} if kind.dash else {}
        paint = 'class="box"' + self._inline(
            fill=kind.fill[self.shade],
            stroke=stroke,
            stroke_width=f"{3 if bad else kind.width:g}",
            **dash,
        )
        w, h = box.width, box.height
        if kind.shape == "dot":
            yield f'<circle {paint} cx="{x + w / 2:.1f}" cy="{y + h / 2:.1f}" r="{w / 2 - 1:.1f}"/>'
            return
        if kind.shape == "note":
            yield (
                f'<path {paint} d="M{x:.1f} {y:.1f}h{w - 10:.1f}l10 10v{h - 10:.1f}h{-w:.1f}z'
                f'm{w - 10:.1f} 0v10h10"/>'
            )
            return
        radius = {"card": 7, "pill": h / 2, "stack": 4}[kind.shape]
        size = f'width="{w:g}" height="{h:g}" rx="{radius:g}"'
        if kind.shape == "stack":
            yield f'<rect {paint} x="{x + 4:.1f}" y="{y + 4:.1f}" {size}/>'
        yield f'<rect {paint} x="{x:.1f}" y="{y:.1f}" {size}/>'
        if kind.doubled:
            yield f'<path {paint} d="M{x + 4.5:.1f} {y + 1:.1f}v{h - 2:.1f}"/>'

    def _words(self, vertex: Vertex, kind: Kind, x: float, y: float, box: Box) -> Iterator[str]:
        line = y + (18 if kind.shape == "pill" else 6 + TITLE_LINE - 4)
        yield self._title(vertex, x + PAD, line)
        if kind.shape == "note" and (vertex.freed or not self.framed):
            # A line of our own: struck-out text of one letter, an x, reads as another letter.
            width = text_width(vertex.title, TITLE_SIZE, bold=True) + 8
            yield (
                f'<path class="strike" d="M{x + PAD - 4:.1f} {line - 4.5:.1f}h{width:.1f}"'
                f"{self._inline(stroke=self.colours['text'], stroke_width='1.5')}/>"
            )
        right = x + box.width - PAD - (6 if kind.shape == "note" else 0)
        if box.badge:
            yield from self._badge(vertex, kind, right - box.badge, line - 12, box.badge)
        for number, (key, value) in enumerate(vertex.rows):
            at = y + 6 + TITLE_LINE + 3 + ROW_LINE * number + 12
            late = " late" if key == "grad" else ""
            yield self._text(f"key{late}", x + PAD, at, key, ROW_SIZE, self.colours["muted"])
            yield self._text(
                f"value{late}", x + box.values, at, value, ROW_SIZE, self.colours["text"], mono=True
            )

    def _title(self, vertex: Vertex, x: float, y: float) -> str:
        """`MulBackward0`: what tells the ops apart is bold, what they share is not."""
        shared = re.search(r"Backward\d*$", vertex.title) if vertex.kind == "function" else None
        words = escape(vertex.title)
        if shared and shared.start():
            tail = self._inline(font_weight="400", fill=self.colours["muted"])
            words = (
                f"{escape(vertex.title[: shared.start()])}"
                f'<tspan class="tail"{tail}>{escape(shared[0])}</tspan>'
            )
        looks = self._inline(
            font_size=f"{TITLE_SIZE:g}", font_weight="600", fill=self.colours["text"]
        )
        return f'<text class="title" x="{x:.1f}" y="{y:.1f}"{looks}>{words}</text>'

    def _badge(self, vertex: Vertex, kind: Kind, x: float, y: float, width: float) -> Iterator[str]:
        fill = self.colours["bad"] if vertex.bad else kind.pill(self.shade)
        yield (
            f'<rect class="badge" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="15" rx="7.5"'
            f"{self._inline(fill=fill)}/>"
        )
        yield self._text(
            "badge-text",
            x + width / 2,
            y + 11,
            vertex.bad or vertex.badge,
            BADGE_SIZE,
            self.colours["canvas"],
            at="middle",
            weight=600,
        )

    def _hooks(self, vertex: Vertex, x: float, y: float) -> Iterator[str]:
        """A pill on the upper border for each hook."""
        at = x + 6
        for name in vertex.hooks:
            width = hook_width(name) - 4
            looks = self._inline(fill=self.colours["canvas"], stroke=self.colours["muted"])
            muted = self.colours["muted"]
            pill = f'x="{at:.1f}" y="{y - 7:.1f}" width="{width:.1f}" height="14" rx="7"'
            text = self._text("", at + width / 2, y + 3.2, name, 9, muted, at="middle", weight=600)
            yield f'<g class="hook"><rect {pill}{looks}/>{text}</g>'
            at += width + 4

    # --- legend ---

    def _legend_lines(self) -> list[list[tuple[float, Kind]]]:
        """The kinds in the picture, with their widths, broken into lines as wide as the picture."""
        present = {vertex.kind for vertex in self.graph.vertices}
        room = max(self.layout.width, 420.0)
        lines: list[list[tuple[float, Kind]]] = [[]]
        for kind in (kind for kind in KINDS.values() if kind.name in present):
            width = 52 + text_width(kind.label, 11)
            if lines[-1] and sum(each for each, _ in lines[-1]) + width > room:
                lines.append([])
            lines[-1].append((width, kind))
        return [line for line in lines if line]

    def _legend(self, height: float) -> Iterator[str]:
        y = height - LEGEND_LINE * (len(self.legend) + bool(self.graph.flow)) - 4
        for line in self.legend:
            x = MARGIN
            for width, kind in line:
                swatch = Box(26.0, 16.0, 0.0, 0.0) if kind.shape != "dot" else Box(16.0, 16.0, 0, 0)
                inside = [*self.outline(kind, x, y, swatch, bad=False)]
                inside.append(
                    self._text("note", x + 33, y + 12, kind.label, 11, self.colours["muted"])
                )
                yield f'<g class="{kind.name}">{"".join(inside)}</g>'
                x += width
            y += LEGEND_LINE

    def _flow_legend(self, height: float) -> Iterator[str]:
        """The six arrows of the ramp, and what they mean."""
        y, x = height - LEGEND_LINE + 4, MARGIN
        for step, _ in enumerate(FLOW[self.shade]):
            looks = self._inline(fill="none", **arrow_looks(str(step), self.shade))
            path = f'<path class="line" d="M{x:.1f} {y:.1f}h18"{looks}/>'
            yield f'<g class="flow-{step}">{path}</g>'
            x += 20
        words = f"{self.graph.flow}; dotted: zero; red: nan"
        yield self._text("note", x + 8, y + 4, words, 11, self.colours["muted"])

    # --- elements ---

    def _group(self, name: str, classes: str, inside: list[str], extra: str = "") -> str:
        return f'<g id="{self.prefix}{name}" class="{classes}"{extra}>{"".join(inside)}</g>'

    def _text(
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
        looks = {"font_size": f"{size:g}", "fill": fill}
        if at != "start":
            looks["text_anchor"] = at
        if weight != 400:
            looks["font_weight"] = str(weight)
        if mono:
            looks["font_family"] = MONO
        words = escape(plain(words, 400))
        return (
            f'<text class="{classes}" x="{x:.1f}" y="{y:.1f}"{self._inline(**looks)}>{words}</text>'
        )

    def _inline(self, **looks: str) -> str:
        """Looks as attributes; none in a page, whose style sheet says the same once for all."""
        if not self.framed:
            return ""
        return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in looks.items())


def mark(x: float, y: float, box: Box) -> str:
    """Room for what the player says of a vertex: a ring around it and a sign on its corner."""
    ring = (
        f'<rect class="ring" x="{x - 4:.1f}" y="{y - 4:.1f}" width="{box.width + 8:g}"'
        f' height="{box.height + 8:g}" rx="10"/>'
    )
    sign = (
        f'<g class="sign" transform="translate({x:.1f} {y:.1f})"><circle r="9"/>'
        '<path class="tick" d="M-4 0l3 3l5 -6"/><path class="play" d="M-2.5 -4l6.5 4l-6.5 4z"/></g>'
    )
    return ring + sign
