"""The outlines of boxes as SVG elements, one for each shape of `style.Kind`."""

from collections.abc import Iterator

from glassgrad.viz.layout.places import SLANT, Box
from glassgrad.viz.style import Kind

__all__ = ["outline_of"]

CORNER = 10.0  # of a note
_RADII = {"card": 7.0, "round": 15.0, "stack": 4.0, "bar": 2.0}


def outline_of(kind: Kind, x: float, y: float, box: Box, paint: str) -> Iterator[str]:
    """The elements that are the border and the ground of a box.

    Args:
        kind: whose shape it has.
        x, y: its top left corner.
        box: its size.
        paint: the attributes of each element.
    """
    w, h = box.width, box.height
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
