"""The elements of drawings: words, the outlines of boxes, pills."""

from collections.abc import Iterable, Iterator
from functools import cache

from glassgrad.viz.layout.places import SLANT, Place, pill_width
from glassgrad.viz.style import Kind, Theme, look_of
from glassgrad.viz.wording import escape, plain

CORNER = 10.0  # of a note
_RADII = {"card": 7.0, "round": 15.0, "stack": 4.0, "bar": 2.0}


@cache
def _attributes(part: str, classes: tuple[str, ...], theme: str) -> str:
    look = look_of(part, classes, theme)
    return "".join([f' {name}="{value}"' for name, value in look.items()])


class Pen:
    """Writes elements of one drawing. What they look like follows from their classes: `LOOKS`.

    Args:
        theme: "light", "dark", or "auto": as the reader's system has it.
        framed: False for a part of a page, whose style sheet says how things look.
    """

    def __init__(self, theme: Theme = "auto", *, framed: bool = False) -> None:
        self.theme, self.framed = theme, framed
        self.shade = "dark" if theme == "dark" else "light"

    def inline(self, part: str, classes: Iterable[str] = ()) -> str:
        """The looks of a part of a group with these classes, as attributes; none in a page."""
        return _attributes(part, tuple(classes), self.shade) if self.framed else ""

    def text(self, name: str, x: float, y: float, words: str, rest: str = "") -> str:
        """Words, in one line, escaped.

        Args:
            name: their class, and others that the looks do not depend on.
            x, y: where they begin, end or have their middle.
            words: what they are.
            rest: more of them, as what several have in common.
        """
        looks = self.inline(f".{name.partition(' ')[0]}")
        tail = f"<tspan{self.inline('.title>tspan')}>{escape(rest)}</tspan>" if rest else ""
        place = f'x="{x:.1f}" y="{y:.1f}"{looks}'
        return f'<text class="{name}" {place}>{escape(plain(words, 400))}{tail}</text>'

    def path(self, part: str, data: str, classes: Iterable[str] = ()) -> str:
        """A line, or what it encloses; `part` of a group with these classes."""
        return f'<path class="{part}" d="{data}"{self.inline(f".{part}", classes)}/>'

    def outline(self, kind: Kind, place: Place, classes: Iterable[str] = ()) -> Iterator[str]:
        """The elements that are the border and the ground of a box.

        Args:
            kind: whose shape it has.
            place: where it is, and how large.
            classes: those of its group, besides that of its kind.
        """
        x, y, w, h = place.left, place.top, place.width, place.height
        paint = f'class="box"{self.inline(".box", (kind.name, *classes))}'
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
        width = pill_width(words) - 4
        size = f'x="{x:.1f}" y="{y - 7:.1f}" width="{width:.1f}" height="14" rx="7"'
        rect = f'<rect class="pill" {size}{self.inline(".pill", [name])}/>'
        text = self.text("pill-text", x + width / 2, y + 3, words)
        is_struck = name == "kept" and (struck or not self.framed)
        line = self.strike(x + 3, y, width - 6) if is_struck else ""
        return f'<g class="{name}">{rect}{text}{line}</g>'

    def strike(self, x: float, y: float, width: float) -> str:
        """A line through words: struck-out text of one letter, an x, reads as another letter."""
        return self.path("strike", f"M{x:.1f} {y:.1f}h{width:.1f}")


def box_attribute(place: Place) -> str:
    """Where a vertex is, for the player's script, which puts a ring and signs around it."""
    return f' data-box="{place.left:.1f} {place.top:.1f} {place.width:g} {place.height:g}"'
