"""The elements of drawings: words, the outlines of boxes, pills; and legends made of them."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from glassgrad._words import plain
from glassgrad.core.state import Names
from glassgrad.viz.layout.places import SLANT, Place, pill_width
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import FLOWS, KINDS, MARKS, TIES, Kind, Theme, look_of, text_width
from glassgrad.viz.wording import escape

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
        inside = self.label("pill", words, Place(x + width / 2, y, width, 15), [name])
        line = self.strike(x + 3, y, width - 6) if struck else ""
        return f'<g class="{name}">{inside}{line}</g>'

    def strike(self, x: float, y: float, width: float) -> str:
        """A line through words: struck-out text of one letter, an x, reads as another letter."""
        return self.path("strike", f"M{x:.1f} {y:.1f}h{width:.1f}")


def box_attribute(place: Place) -> str:
    """Where a vertex is, for the player's script, which puts a ring and signs around it."""
    return f' data-box="{place.left:.1f} {place.top:.1f} {place.width:g} {place.height:g}"'


# Legends ------------------------------------------------------------------------------------------


LINE = 24.0
LEAST = 420.0  # px: a narrower picture gets a legend that is wider than itself
HOOK = ("H1", "hook, numbered as they run")
STATES = {
    "pending": "waits for gradients",
    "ready": "ready: all have arrived",
    "current": "under way",
    "done": "has run",
}
AGAIN = {"again": "its op runs again, for a checkpoint"}

_SWATCH, _DOT = Place(13.0, 8.0, 26.0, 16.0), Place(8.0, 8.0, 16.0, 16.0)


class Item(NamedTuple):
    """One entry: the width of its swatch, what it means, and the swatch with its corner at 0, 0."""

    swatch: float
    label: str
    drawn: str

    def alone(self, border: float = 2.0) -> tuple[str, str]:
        """The swatch as a picture of its own, and the label, for a page."""
        wide, high = self.swatch + 2 * border, _SWATCH.height + 2 * border
        swatch = (
            f'<svg class="gg" aria-hidden="true" width="{wide:g}" height="{high:g}"'
            f' viewBox="{-border:g} {-border:g} {wide:g} {high:g}">{self.drawn}</svg>'
        )
        return swatch, self.label


class Legend(NamedTuple):
    """The entries as SVG, the first one at 0, 0, and how much room they take."""

    drawn: list[str]
    width: float
    height: float


def legend_of(pen: Pen, graph: Graph, room: float) -> Legend:
    """The entries for what is in the picture, in lines as wide as it is: `room`."""
    drawn: list[str] = []
    x = y = wide = 0.0
    for item in (*_kinds(pen, graph), *_marks(pen, graph)):
        width = item.swatch + 26 + text_width(item.label, 11)
        if x and x + width > max(room, LEAST):
            x, y = 0.0, y + LINE
        drawn.append(f'<g transform="translate({x:.1f} {y:.1f})">{item.drawn}</g>')
        drawn.append(pen.text("note", x + item.swatch + 7, y + 12, item.label))
        x += width
        wide = max(wide, x)
    return Legend(drawn, wide, y + LINE * bool(drawn))


def legend_items(graph: Graph) -> list[tuple[str, str]]:
    """A swatch (SVG) and a label for each kind of box and line in `graph`, for a page's legend."""
    return [item.alone() for item in _kinds(Pen(), graph)]


def state_items(*, again: bool = False) -> list[tuple[str, str]]:
    """A swatch and a label for each state the player shows; `again`: where a checkpoint runs."""
    outline = "".join(Pen().outline(KINDS["function"], _SWATCH))
    at = box_attribute(_SWATCH)
    return [
        Item(_SWATCH.width, label, f'<g class="vertex function {state}"{at}>{outline}</g>').alone(9)
        for state, label in (STATES | (AGAIN if again else {})).items()
    ]


def _kinds(pen: Pen, graph: Graph) -> Iterator[Item]:
    """Boxes, hooks and ties."""
    present = {vertex.kind for vertex in graph.vertices}
    has_run = any("#" in vertex.badge for vertex in graph.vertices)
    for kind in KINDS.values():
        if kind.name in present and not (pen.framed and kind.shape == "bar"):
            label, sign = kind.label, kind.sign
            if kind.name == "function" and has_run:  # then nodes have a turn
                label, sign = f"{label}, #turn", "#"
            yield _of_box(pen, kind, label, sign=sign)
    if any(vertex.hooks for vertex in graph.vertices):
        words, label = HOOK
        yield Item(pill_width(words), label, pen.pill("hook", words, 0, 8))
    width = 30.0 if pen.framed else 26.0
    for name in TIES:
        if any(arc.kind == name for arc in graph.arcs):
            yield Item(width, TIES[name].label, _of_line(pen, "tie", f"{name}-arc", 0, width))


def _marks(pen: Pen, graph: Graph) -> Iterator[Item]:
    """What a comparison marks, and how much gradient went along arrows."""
    marks = {vertex.mark for vertex in graph.vertices} | {arc.mark for arc in graph.arcs}
    for name, mark in MARKS.items():
        if name in marks:
            yield _of_box(pen, KINDS["function"], mark.label, mark=name)
    if graph.flow:
        steps = [name for name in FLOWS if name[-1].isdigit()]
        lines = [_of_line(pen, "line", name, 20 * at, 18) for at, name in enumerate(steps)]
        label = f"{graph.flow}; dotted: zero; red dashes: nan"
        yield Item(20.0 * len(steps), label, "".join(lines))


def _of_box(pen: Pen, kind: Kind, label: str, *, sign: str = "", mark: str = "") -> Item:
    place = _DOT if kind.shape == "dot" else _SWATCH
    inside = "".join(pen.outline(kind, place, [mark]))
    if sign:  # what the badge says, where the outline alone is that of another kind
        inside += pen.text("symbol", place.x + (1.5 if kind.doubled else 0), 11.5, sign)
    return Item(place.width, label, f'<g class="{f"{kind.name} {mark}".strip()}">{inside}</g>')


def _of_line(pen: Pen, part: str, name: str, x: float, width: float) -> str:
    return f'<g class="{name}">{pen.path(part, f"M{x:g} 8h{width:g}", [name])}</g>'
