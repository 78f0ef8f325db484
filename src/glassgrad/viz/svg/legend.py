"""Legends: the kinds of boxes and lines in a picture, and what their looks say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from glassgrad.viz.layout.places import Box, pill_width
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import (
    FLOW,
    KINDS,
    MARKS,
    ROW_SIZE,
    TIES,
    Kind,
    arrow_looks,
    text_width,
    tie_looks,
)
from glassgrad.viz.svg.pen import Pen, box_attribute

LEGEND_LINE = 24.0
LEAST = 420.0  # px: a narrower picture gets a legend that is wider than itself
HOOK = ("H1", "hook, numbered as they run")
STATES = {
    "pending": "waits for gradients",
    "ready": "ready: all have arrived",
    "current": "under way",
    "done": "has run",
}

_SWATCH = Box(26.0, 16.0)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry.

    Args:
        swatch: the width of its swatch, in px.
        label: what it means.
        draw: writes the swatch with its top left corner at x, y.
    """

    swatch: float
    label: str
    draw: Callable[[float, float], str]

    @property
    def width(self) -> float:
        """Of swatch and label, with the space after them."""
        return self.swatch + 26 + text_width(self.label, 11)


def legend_lines(pen: Pen, graph: Graph, room: float) -> list[list[Item]]:
    """The entries for what is in the picture, broken into lines as wide as it is: `room`."""
    lines: list[list[Item]] = []
    left = 0.0
    for item in (*_kinds(pen, graph), *_marks(pen, graph)):
        if not lines or item.width > left:
            lines.append([])
            left = max(room, LEAST)
        lines[-1].append(item)
        left -= item.width
    return lines


def write_legend(pen: Pen, lines: list[list[Item]], x: float, y: float) -> Iterator[str]:
    """The entries, the first one at x, y."""
    for line in lines:
        at = x
        for item in line:
            muted = pen.colours["muted"]
            words = pen.text("note", at + item.swatch + 7, y + 12, item.label, 11, muted)
            yield item.draw(at, y) + words
            at += item.width
        y += LEGEND_LINE


def legend_items(graph: Graph) -> list[tuple[str, str]]:
    """A swatch (SVG) and a label for each kind of box and line in `graph`, for a page's legend."""
    return [(_alone(item.swatch, item.draw(2, 2)), item.label) for item in _kinds(Pen(), graph)]


def state_items() -> list[tuple[str, str]]:
    """A swatch and a label for each state the player shows."""
    outline = "".join(Pen().outline(KINDS["function"], 10, 8, _SWATCH))
    at = box_attribute(10, 8, _SWATCH)
    items = []
    for state, label in STATES.items():
        group = f'<g class="vertex function {state}"{at}>{outline}</g>'
        items.append((_alone(_SWATCH.width + 16, group, _SWATCH.height + 12), label))
    return items


def _alone(width: float, inside: str, height: float = _SWATCH.height) -> str:
    """A swatch as a picture of its own."""
    width, height = width + 4, height + 4
    return (
        f'<svg class="gg" aria-hidden="true" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}">{inside}</svg>'
    )


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
        yield Item(pill_width(words), label, lambda x, y: pen.pill("hook", words, x, y + 8))
    for name in TIES:
        if any(arc.kind == name for arc in graph.arcs):
            yield _of_tie(pen, name)


def _marks(pen: Pen, graph: Graph) -> Iterator[Item]:
    """What a comparison marks, and how much gradient went along arrows."""
    marks = {vertex.mark for vertex in graph.vertices} | {arc.mark for arc in graph.arcs}
    for name, mark in MARKS.items():
        if name in marks:
            yield _of_box(pen, KINDS["function"], mark.label, mark=name)
    if graph.flow:
        yield _of_flow(pen, graph.flow)


def _of_box(pen: Pen, kind: Kind, label: str, *, sign: str = "", mark: str = "") -> Item:
    box = Box(16.0, 16.0) if kind.shape == "dot" else _SWATCH

    def draw(x: float, y: float) -> str:
        inside = "".join(pen.outline(kind, x, y, box, mark=mark))
        if sign:
            inside += _sign(pen, sign, x + box.width / 2 + (1.5 if kind.doubled else 0), y, kind)
        names = f"{kind.name} {mark}".strip()
        return f'<g class="{names}">{inside}</g>'

    return Item(box.width, label, draw)


def _sign(pen: Pen, sign: str, middle: float, y: float, kind: Kind) -> str:
    """What the badge of a kind says, where its outline alone is that of another kind."""
    muted = pen.colours["muted"]
    if pen.framed:
        return pen.text("key", middle, y + 11.5, sign, 10, muted, at="middle")
    # Anchored at its start, as the style sheet has it; a circle's sign is anchored in the middle.
    half = 0.0 if kind.shape == "dot" else text_width(sign, ROW_SIZE) / 2
    return pen.text("key", middle - half, y + 12, sign, ROW_SIZE, muted)


def _of_tie(pen: Pen, name: str) -> Item:
    looks = pen.inline(fill="none", **tie_looks(name, pen.shade))
    width = 30.0 if pen.framed else 26.0

    def draw(x: float, y: float) -> str:
        path = f'<path class="tie" d="M{x:.1f} {y + 8:.1f}h{width:g}"{looks}/>'
        return f'<g class="{name}-arc">{path}</g>'

    return Item(width, TIES[name].label, draw)


def _of_flow(pen: Pen, words: str) -> Item:
    """The six arrows of the ramp, and what they mean."""
    steps = [str(step) for step, _ in enumerate(FLOW[pen.shade])]

    def draw(x: float, y: float) -> str:
        parts = []
        for step in steps:
            looks = pen.inline(fill="none", **arrow_looks(step, pen.shade))
            path = f'<path class="line" d="M{x + 20 * int(step):.1f} {y + 8:.1f}h18"{looks}/>'
            parts.append(f'<g class="flow-{step}">{path}</g>')
        return "".join(parts)

    return Item(20.0 * len(steps), f"{words}; dotted: zero; red dashes: nan", draw)
