"""What stands under a picture: the kinds of boxes and lines in it, and what their looks say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassgrad.viz.layout.places import Box, pill_width
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import (
    FLOW,
    KINDS,
    MARKS,
    TIES,
    Kind,
    Mark,
    arrow_looks,
    text_width,
    tie_looks,
)

if TYPE_CHECKING:
    from glassgrad.viz.svg.document import Pen

__all__ = ["HOOK", "LEGEND_LINE", "Item", "legend_lines", "meaning_of", "write_legend"]

LEGEND_LINE = 24.0
LEAST = 420.0  # px: a narrower picture gets a legend that is wider than itself
SIGNS = {"user": "ƒ", "accumulate": "Σ", "none": "∅", "fold": "…"}
HOOK = ("H1", "hook, numbered as they run")


@dataclass(frozen=True, slots=True)
class Item:
    """One entry.

    Args:
        width: of swatch and label, with the space after them.
        draw: writes it with its top left corner at x, y.
    """

    width: float
    draw: Callable[[float, float], str]


def legend_lines(pen: "Pen", room: float) -> list[list[Item]]:
    """The entries for what is in the picture, broken into lines as wide as it is: `room`."""
    room = max(room, LEAST)
    lines: list[list[Item]] = [[]]
    for item in _items(pen, pen.graph):
        if lines[-1] and sum(each.width for each in lines[-1]) + item.width > room:
            lines.append([])
        lines[-1].append(item)
    return [line for line in lines if line]


def write_legend(lines: list[list[Item]], x: float, y: float) -> Iterator[str]:
    """The entries, the first one at x, y."""
    for line in lines:
        at = x
        for item in line:
            yield item.draw(at, y)
            at += item.width
        y += LEGEND_LINE


def _items(pen: "Pen", graph: Graph) -> Iterator[Item]:
    kinds = {vertex.kind for vertex in graph.vertices}
    for kind in KINDS.values():
        if kind.name in kinds and kind.shape != "bar":
            yield _of_kind(pen, kind, *meaning_of(kind, graph))
    if any(vertex.hooks for vertex in graph.vertices):
        yield _of_hook(pen)
    for name in TIES:
        if any(arc.kind == name for arc in graph.arcs):
            yield _of_tie(pen, name)
    marks = {vertex.mark for vertex in graph.vertices} | {arc.mark for arc in graph.arcs}
    for name, mark in MARKS.items():
        if name in marks:
            yield _of_mark(pen, name, mark)
    if graph.flow:
        yield _of_flow(pen, graph.flow)


def _entry(pen: "Pen", swatch: float, label: str, draw: Callable[[float, float], str]) -> Item:
    """A swatch and its label."""

    def write(x: float, y: float) -> str:
        muted = pen.colours["muted"]
        return draw(x, y) + pen.text("note", x + swatch + 7, y + 12, label, 11, muted)

    return Item(swatch + 26 + text_width(label, 11), write)


def meaning_of(kind: Kind, graph: Graph) -> tuple[str, str]:
    """What the legend says of a kind of boxes, and the sign in its swatch, if it has one.

    Nodes have a turn, and the word for it, where a pass has run.
    """
    if kind.name == "function" and any("#" in vertex.badge for vertex in graph.vertices):
        return f"{kind.label}, #turn", "#"
    return kind.label, SIGNS.get(kind.name, "")


def _of_kind(pen: "Pen", kind: Kind, label: str, sign: str) -> Item:
    box = Box(16.0 if kind.shape == "dot" else 26.0, 16.0)

    def draw(x: float, y: float) -> str:
        inside = "".join(pen.outline(kind, x, y, box))
        if sign:
            middle = x + box.width / 2 + (1.5 if kind.doubled else 0)
            muted = pen.colours["muted"]
            inside += pen.text("key", middle, y + 11.5, sign, 10, muted, at="middle")
        return f'<g class="{kind.name}">{inside}</g>'

    return _entry(pen, box.width, label, draw)


def _of_hook(pen: "Pen") -> Item:
    name, label = HOOK
    return _entry(pen, pill_width(name), label, lambda x, y: pen.pill("hook", name, x, y + 8))


def _of_tie(pen: "Pen", name: str) -> Item:
    looks = pen.inline(fill="none", **tie_looks(name, pen.shade))

    def draw(x: float, y: float) -> str:
        return f'<g class="{name}-arc"><path class="tie" d="M{x:.1f} {y + 8:.1f}h30"{looks}/></g>'

    return _entry(pen, 30.0, TIES[name].label, draw)


def _of_mark(pen: "Pen", name: str, mark: Mark) -> Item:
    box = Box(26.0, 16.0)

    def draw(x: float, y: float) -> str:
        inside = "".join(pen.outline(KINDS["function"], x, y, box, mark=name))
        return f'<g class="function {name}">{inside}</g>'

    return _entry(pen, 26.0, mark.label, draw)


def _of_flow(pen: "Pen", words: str) -> Item:
    """The six arrows of the ramp, and what they mean."""

    def draw(x: float, y: float) -> str:
        parts = []
        for step, _ in enumerate(FLOW[pen.shade]):
            looks = pen.inline(fill="none", **arrow_looks(str(step), pen.shade))
            path = f'<path class="line" d="M{x + 20 * step:.1f} {y + 8:.1f}h18"{looks}/>'
            parts.append(f'<g class="flow-{step}">{path}</g>')
        return "".join(parts)

    return _entry(pen, 20.0 * len(FLOW[pen.shade]), f"{words}; dotted: zero; red dashes: nan", draw)
