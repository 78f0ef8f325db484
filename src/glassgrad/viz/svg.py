"""Draws a laid-out graph as SVG. Pure text: equal graphs and layouts give equal bytes.

Each vertex and arc is a `<g>` with the id and the kind it has in the log, so whoever shows the SVG
can restyle it (`#n3`, `.saved`) without laying it out again. Colours are CSS variables; the light
ones also stand as attributes, for programs that know no style sheets.
"""

import math
import re
from collections.abc import Iterator
from typing import Literal

from glassgrad.viz.boxes import PAD, ROW_LINE, TITLE_LINE, Box, box_of
from glassgrad.viz.curves import arrowhead, path_data
from glassgrad.viz.layout import Layout
from glassgrad.viz.sheet import style_sheet
from glassgrad.viz.snapshot import Arc, Graph, Vertex
from glassgrad.viz.style import (
    BADGE_SIZE,
    KINDS,
    MONO,
    ROW_SIZE,
    SANS,
    THEMES,
    TITLE_SIZE,
    Kind,
    Theme,
    kind_of,
    text_width,
)
from glassgrad.viz.wording import escape, plain

__all__ = ["to_svg"]

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
    return "\n".join(_Pen(graph, layout, theme, rankdir, prefix, framed, styled).document()) + "\n"


class _Pen:
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
            yield f"<style>{style_sheet(self.theme)}</style>"
        if self.framed:
            yield from self._frame(width, height)
        yield f'<g transform="translate({self._left(width):.1f} {self.top:.0f})">'
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
        yield "</svg>"

    # --- the whole ---

    def _size(self) -> tuple[float, float]:
        width = self.layout.width + 2 * MARGIN
        height = self.top + self.layout.height + MARGIN
        if self.framed:
            words = [text_width(self._subtitle(), 11.5), text_width(self.graph.notice, 11.5)]
            legend = [sum(width for width, _ in line) for line in self.legend]
            width = max(width, *(each + 2 * MARGIN for each in [*words, *legend]))
            height += LEGEND_LINE * len(self.legend)
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
        colour = self.colours["line"]
        if arc.kind == "saved":
            inside.append(
                f'<path class="tie" d="{path_data(points)}"'
                f"{self._inline(fill='none', stroke=colour, stroke_dasharray='3 3')}/>"
            )
        else:
            base, tip = arrowhead(points)
            inside.append(
                f'<path class="line" d="{path_data([*points[:-1], base])}"'
                f"{self._inline(fill='none', stroke=colour, stroke_width='1.5')}/>"
            )
            inside.append(f'<path class="tip" d="{tip}"{self._inline(fill=colour)}/>')
        return self._group(arc.id, f"arc {arc.kind}-arc", inside)

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
        inside += self._outline(kind, x, y, box, bad=bool(vertex.bad))
        if kind.shape == "dot":
            inside.append(
                self._text("key", place[0], y + 14, "∅", 11, self.colours["muted"], at="middle")
            )
        else:
            inside += self._words(vertex, kind, x, y, box)
        if not self.framed:
            inside.append(_mark(x, y, box))
        states = [
            vertex.kind,
            *(["freed"] if vertex.freed else []),
            *(["bad"] if vertex.bad else []),
        ]
        extra = f' data-of="{self.prefix}{vertex.of}"' if vertex.of else ""
        return self._group(vertex.id, f"vertex {' '.join(states)}", inside, extra)

    def _outline(self, kind: Kind, x: float, y: float, box: Box, *, bad: bool) -> Iterator[str]:
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
        radius = {"card": 7, "pill": h / 2, "more": 4}[kind.shape]
        size = f'width="{w:g}" height="{h:g}" rx="{radius:g}"'
        if kind.shape == "more":
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
        y = height - LEGEND_LINE * len(self.legend) - 4
        for line in self.legend:
            x = MARGIN
            for width, kind in line:
                swatch = Box(26.0, 16.0, 0.0, 0.0) if kind.shape != "dot" else Box(16.0, 16.0, 0, 0)
                inside = [*self._outline(kind, x, y, swatch, bad=False)]
                inside.append(
                    self._text("note", x + 33, y + 12, kind.label, 11, self.colours["muted"])
                )
                yield f'<g class="{kind.name}">{"".join(inside)}</g>'
                x += width
            y += LEGEND_LINE

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


def _mark(x: float, y: float, box: Box) -> str:
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


# --- swatches for a page's own legend ---


def legend_items(graph: Graph) -> list[tuple[str, str]]:
    """A swatch (SVG) and a label for each kind in `graph`, for a page's own legend."""
    present = {vertex.kind for vertex in graph.vertices}
    pen = _Pen(graph, Layout({}, {}), "auto", "LR", "", framed=False, styled=False)
    items = []
    for kind in KINDS.values():
        if kind.name in present:
            box = Box(16.0 if kind.shape == "dot" else 26.0, 16.0, 0.0, 0.0)
            swatch = "".join(pen._outline(kind, 2, 2, box, bad=False))
            items.append((_swatch(box, f'<g class="{kind.name}">{swatch}</g>'), kind.label))
    return items


def state_items() -> list[tuple[str, str]]:
    """A swatch and a label for each state the player shows."""
    box, kind = Box(26.0, 16.0, 0.0, 0.0), KINDS["function"]
    pen = _Pen(Graph((), (), "", ""), Layout({}, {}), "auto", "LR", "", framed=False, styled=False)
    items = []
    for state, label in (
        ("pending", "waits for gradients"),
        ("ready", "ready: all have arrived"),
        ("current", "under way"),
        ("done", "has run"),
    ):
        swatch = "".join(pen._outline(kind, 10, 8, box, bad=False)) + _mark(10, 8, box)
        large = Box(box.width + 16, box.height + 12, 0.0, 0.0)
        items.append((_swatch(large, f'<g class="vertex function {state}">{swatch}</g>'), label))
    return items


def _swatch(box: Box, inside: str) -> str:
    width, height = box.width + 4, box.height + 4
    return (
        f'<svg class="gg" aria-hidden="true" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}">{inside}</svg>'
    )
