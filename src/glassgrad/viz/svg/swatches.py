"""Swatches of the kinds and states, for a page's own legend."""

from glassgrad.viz.layout.places import Box, Layout, pill_width
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import KINDS, ROW_SIZE, TIES, Kind, text_width
from glassgrad.viz.svg.document import Pen, box_attribute
from glassgrad.viz.svg.legend import HOOK, meaning_of

__all__ = ["legend_items", "state_items"]


def legend_items(graph: Graph) -> list[tuple[str, str]]:
    """A swatch (SVG) and a label for each kind of box and line in `graph`, for a page's legend."""
    present = {vertex.kind for vertex in graph.vertices}
    pen = Pen(graph, Layout({}, {}), "auto", "LR", "", framed=False, styled=False)
    items = []
    for kind in KINDS.values():
        if kind.name in present:
            box = Box(16.0 if kind.shape == "dot" else 26.0, 16.0)
            label, sign = meaning_of(kind, graph)
            swatch = "".join(pen.outline(kind, 2, 2, box)) + _sign(pen, kind, box, sign)
            items.append((_swatch(box, f'<g class="{kind.name}">{swatch}</g>'), label))
    if any(vertex.hooks for vertex in graph.vertices):
        words, label = HOOK
        box = Box(pill_width(words), 16.0)
        items.append((_swatch(box, pen.pill("hook", words, 2, 10)), label))
    for name in (name for name in TIES if any(arc.kind == name for arc in graph.arcs)):
        line = f'<g class="{name}-arc"><path class="tie" d="M2 10h26"/></g>'
        items.append((_swatch(Box(26.0, 16.0), line), TIES[name].label))
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


def _sign(pen: Pen, kind: Kind, box: Box, words: str) -> str:
    """What the badge of a kind says, where its outline alone is that of another kind."""
    if not words:
        return ""
    # Anchored at its start, as the style sheet has it; a circle's sign is anchored in the middle.
    half = 0.0 if kind.shape == "dot" else text_width(words, ROW_SIZE) / 2
    middle = 2 + box.width / 2 + (1.5 if kind.doubled else 0)
    return pen.text("key", middle - half, 14, words, ROW_SIZE, pen.colours["muted"])


def _swatch(box: Box, inside: str) -> str:
    width, height = box.width + 4, box.height + 4
    return (
        f'<svg class="gg" aria-hidden="true" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}">{inside}</svg>'
    )
