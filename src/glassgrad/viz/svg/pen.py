"""The elements of drawings: words, the outlines of boxes, pills."""

from collections.abc import Iterator
from typing import Literal

from glassgrad.viz.layout.places import SLANT, Box, pill_width
from glassgrad.viz.style import KINDS, MONO, THEMES, Kind, Theme, border_looks
from glassgrad.viz.wording import escape, plain

CORNER = 10.0  # of a note
_RADII = {"card": 7.0, "round": 15.0, "stack": 4.0, "bar": 2.0}


class Pen:
    """Writes elements of one drawing.

    Args:
        theme: "light", "dark", or "auto": as the reader's system has it.
        framed: False for a part of a page, whose style sheet says how things look.
    """

    def __init__(self, theme: Theme = "auto", *, framed: bool = False) -> None:
        self.theme, self.framed = theme, framed
        self.shade: Literal["light", "dark"] = "dark" if theme == "dark" else "light"
        self.colours = THEMES[self.shade]

    def inline(self, **looks: str) -> str:
        """Looks as attributes; none in a page, whose style sheet says the same once for all."""
        if not self.framed:
            return ""
        return "".join([f' {name.replace("_", "-")}="{value}"' for name, value in looks.items()])

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

    def outline(
        self, kind: Kind, x: float, y: float, box: Box, *, bad: bool = False, mark: str = ""
    ) -> Iterator[str]:
        """The border of a box and its ground."""
        looks = border_looks(kind, self.shade, bad=bad, mark=mark)
        return self.shape(kind, x, y, box, fill=kind.paint.fill[self.shade], **looks)

    def shape(self, kind: Kind, x: float, y: float, box: Box, **looks: str) -> Iterator[str]:
        """The elements that are the border and the ground of a box.

        Args:
            kind: whose shape it has.
            x, y: its top left corner.
            box: its size.
            looks: the attributes of each element.
        """
        w, h = box.width, box.height
        paint = 'class="box"' + self.inline(**looks)
        if kind.shape == "dot":
            yield f'<circle {paint} cx="{x + w / 2:.1f}" cy="{y + h / 2:.1f}" r="{w / 2 - 1:.1f}"/>'
        elif kind.shape == "note":
            edge = f"M{x:.1f} {y:.1f}h{w - CORNER:.1f}l10 10v{h - CORNER:.1f}h{-w:.1f}z"
            yield f'<path {paint} d="{edge}m{w - CORNER:.1f} 0v10h10"/>'
        elif kind.shape == "slant":
            lean = min(SLANT, h / 2)
            edge = f"M{x + lean:.1f} {y:.1f}h{w - lean:.1f}l{-lean:g} {h:g}h{lean - w:.1f}z"
            yield f'<path {paint} d="{edge}"/>'
        else:
            size = f'width="{w:g}" height="{h:g}" rx="{_RADII.get(kind.shape, h / 2):g}"'
            if kind.shape == "stack":
                yield f'<rect {paint} x="{x + 4:.1f}" y="{y + 4:.1f}" {size}/>'
            yield f'<rect {paint} x="{x:.1f}" y="{y:.1f}" {size}/>'
            if kind.doubled:
                yield f'<path {paint} d="M{x + 4.5:.1f} {y + 1:.1f}v{h - 2:.1f}"/>'

    def pill(self, name: str, words: str, x: float, y: float, *, struck: bool = False) -> str:
        """A pill whose left end is at x and whose middle is at y: a "hook", or what was "kept"."""
        width, muted = pill_width(words) - 4, self.colours["muted"]
        fill, stroke = self.colours["canvas"], muted
        if name == "kept":
            paint = KINDS["saved"].paint
            fill, stroke = paint.fill[self.shade], paint.border[self.shade]
        looks = self.inline(fill=fill, stroke=stroke)
        rect = f'<rect x="{x:.1f}" y="{y - 7:.1f}" width="{width:.1f}" height="14" rx="7"{looks}/>'
        text = self.text("", x + width / 2, y + 3, words, 9, muted, at="middle", weight=600)
        is_struck = name == "kept" and (struck or not self.framed)
        line = self.strike(x + 3, y, width - 6) if is_struck else ""
        return f'<g class="{name}">{rect}{text}{line}</g>'

    def strike(self, x: float, y: float, width: float) -> str:
        """A line through words: struck-out text of one letter, an x, reads as another letter."""
        looks = self.inline(stroke=self.colours["text"], stroke_width="1.5")
        return f'<path class="strike" d="M{x:.1f} {y:.1f}h{width:.1f}"{looks}/>'


def box_attribute(x: float, y: float, box: Box) -> str:
    """Where a vertex is, for the player's script, which puts a ring and signs around it."""
    return f' data-box="{x:.1f} {y:.1f} {box.width:g} {box.height:g}"'
