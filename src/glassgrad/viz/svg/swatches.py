"""Swatches of the kinds and states, for a page's own legend."""

from glassgrad.viz.layout.boxes import Box
from glassgrad.viz.layout.places import Layout
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import KINDS
from glassgrad.viz.svg.document import Pen, box_attribute

__all__ = ["legend_items", "state_items"]


def legend_items(graph: Graph) -> list[tuple[str, str]]:
    """A swatch (SVG) and a label for each kind in `graph`, for a page's own legend."""
    present = {vertex.kind for vertex in graph.vertices}
    pen = Pen(graph, Layout({}, {}), "auto", "LR", "", framed=False, styled=False)
    items = []
    for kind in KINDS.values():
        if kind.name in present:
            box = Box(16.0 if kind.shape == "dot" else 26.0, 16.0)
            swatch = "".join(pen.outline(kind, 2, 2, box))
            items.append((_swatch(box, f'<g class="{kind.name}">{swatch}</g>'), kind.label))
    return items


def state_items() -> list[tuple[str, str]]:
    """A swatch and a label for each state the player shows."""
    box, kind = Box(26.0, 16.0), KINDS["function"]
    pen = Pen(Graph((), (), "", ""), Layout({}, {}), "auto", "LR", "", framed=False, styled=False)
    items = []
    for state, label in (
        ("pending", "waits for gradients"),
        ("ready", "ready: all have arrived"),
        ("current", "under way"),
        ("done", "has run"),
    ):
        swatch, at = "".join(pen.outline(kind, 10, 8, box)), box_attribute(10, 8, box)
        large = Box(box.width + 16, box.height + 12)
        group = f'<g class="vertex function {state}"{at}>{swatch}</g>'
        items.append((_swatch(large, group), label))
    return items


def _swatch(box: Box, inside: str) -> str:
    width, height = box.width + 4, box.height + 4
    return (
        f'<svg class="gg" aria-hidden="true" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}">{inside}</svg>'
    )
