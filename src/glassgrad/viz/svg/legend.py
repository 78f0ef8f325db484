"""Legends: the kinds of boxes and lines in a picture, and what their looks say."""

from collections.abc import Iterator
from typing import NamedTuple

from glassgrad.viz.layout.places import Place, pill_width
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import FLOWS, KINDS, MARKS, TIES, Kind, text_width
from glassgrad.viz.svg.pen import Pen, box_attribute

LINE = 24.0
LEAST = 420.0  # px: a narrower picture gets a legend that is wider than itself
HOOK = ("H1", "hook, numbered as they run")
STATES = {
    "pending": "waits for gradients",
    "ready": "ready: all have arrived",
    "current": "under way",
    "done": "has run",
}

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


def state_items() -> list[tuple[str, str]]:
    """A swatch and a label for each state the player shows."""
    outline = "".join(Pen().outline(KINDS["function"], _SWATCH))
    at = box_attribute(_SWATCH)
    return [
        Item(_SWATCH.width, label, f'<g class="vertex function {state}"{at}>{outline}</g>').alone(9)
        for state, label in STATES.items()
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
