"""The elements of drawings: words, the outlines of boxes, pills."""

from collections.abc import Iterable, Iterator
from functools import cache

from glassgrad.core.state import Names
from glassgrad.viz.layout.places import SLANT, Place, pill_width
from glassgrad.viz.style import Kind, Theme, look_of
from glassgrad.viz.wording import escape, plain

CORNER = 10.0  # of a note
_RADII = {"card": 7.0, "round": 15.0, "stack": 4.0, "bar": 2.0}


@cache
def _looks(part: str, classes: Names, theme: str) -> str:
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

    def inline(self, part: str, classes: Iterable[str] = ()) -> str:
        """The looks of a part of a group with these classes, as attributes; none in a page."""
        return _looks(part, tuple(classes), self.theme) if self.framed else ""

    def path(self, part: str, data: str, classes: Iterable[str] = ()) -> str:
        """A line, or what it encloses; `part` of a group with these classes."""
        return f'<path class="{part}" d="{data}"{self.inline(f".{part}", classes)}/>'

    def rect(self, part: str, place: Place, radius: float, classes: Iterable[str] = ()) -> str:
        """A box with round corners; `part` of a group with these classes."""
        at = f'x="{place.left:.1f}" y="{place.top:.1f}"'
        size = f'width="{place.width:.1f}" height="{place.height:.1f}" rx="{radius:g}"'
        return f'<rect class="{part}" {at} {size}{self.inline(f".{part}", classes)}/>'

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

    def outline(self, kind: Kind, place: Place, classes: Iterable[str] = ()) -> Iterator[str]:
        """The elements that are the border and the ground of a box.

        Args:
            kind: whose shape it has.
            place: where it is, and how large.
            classes: those of its group, besides that of its kind.
        """
        x, y, w, h = place.left, place.top, place.width, place.height
        classes = (kind.name, *classes)
        if kind.shape == "dot":
            at = f'cx="{place.x:.1f}" cy="{place.y:.1f}" r="{w / 2 - 1:.1f}"'
            yield f'<circle class="box" {at}{self.inline(".box", classes)}/>'
        elif kind.shape == "note":
            edge = f"M{x:.1f} {y:.1f}h{w - CORNER:.1f}l10 10v{h - CORNER:.1f}h{-w:.1f}z"
            yield self.path("box", f"{edge}m{w - CORNER:.1f} 0v10h10", classes)
        elif kind.shape == "slant":
            lean = min(SLANT, h / 2)
            edge = f"M{x + lean:.1f} {y:.1f}h{w - lean:.1f}l{-lean:g} {h:g}h{lean - w:.1f}z"
            yield self.path("box", edge, classes)
        else:
            radius = _RADII.get(kind.shape, h / 2)
            if kind.shape == "stack":
                yield self.rect("box", Place(place.x + 4, place.y + 4, w, h), radius, classes)
            yield self.rect("box", place, radius, classes)
            if kind.doubled:
                yield self.path("box", f"M{x + 4.5:.1f} {y + 1:.1f}v{h - 2:.1f}", classes)

    def label(self, part: str, words: str, place: Place, classes: Iterable[str]) -> str:
        """Words on a ground with round ends: a badge, or a pill."""
        ground = self.rect(part, place, place.height / 2, classes)
        return ground + self.text(f"{part}-text", place.x, place.bottom - 4, words)

    def pill(self, name: str, words: str, x: float, y: float, *, struck: bool = False) -> str:
        """A pill whose left end is at x and whose middle is at y: a "hook", or what was "kept"."""
        width = pill_width(words) - 4
        inside = self.label("pill", words, Place(x + width / 2, y, width, 14), [name])
        line = self.strike(x + 3, y, width - 6) if struck else ""
        return f'<g class="{name}">{inside}{line}</g>'

    def strike(self, x: float, y: float, width: float) -> str:
        """A line through words: struck-out text of one letter, an x, reads as another letter."""
        return self.path("strike", f"M{x:.1f} {y:.1f}h{width:.1f}")


def box_attribute(place: Place) -> str:
    """Where a vertex is, for the player's script, which puts a ring and signs around it."""
    return f' data-box="{place.left:.1f} {place.top:.1f} {place.width:g} {place.height:g}"'
