"""Curves as SVG path data."""

import math
from collections.abc import Iterator, Sequence

from glassgrad.viz.layout.places import Point

STEPS = 24  # places that are looked at along each curve
FARTHEST = 20.0  # px that a label moves: it still stands beside its line
TOUCH = 1e-6  # px that are none: a sum of floats may come out a little less
TIP, HALF = 7.5, 3.6  # length and half width of an arrowhead, px


def path_data(points: list[Point]) -> str:
    """A chain of cubic Bézier curves as path data."""
    start, *rest = points
    return f"M{_pair(start)}C" + " ".join(_pair(point) for point in rest)


def _pair(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def arrowhead(points: list[Point], width: float = 1.5) -> tuple[Point, str]:
    """Where a line of `width` px ends so that the head fits, and the head as path data."""
    tip, half = max(TIP, 1.8 * width), max(HALF, 1.1 * width)
    x, y = end = points[-1]
    behind = (point for point in reversed(points[:-1]) if math.dist(point, end) > 1.0)
    before = next(behind, (x - 1.0, y))
    length = math.dist(before, end)
    dx, dy = (x - before[0]) / length, (y - before[1]) / length
    base = x - tip * dx, y - tip * dy
    left = base[0] - half * dy, base[1] + half * dx
    right = base[0] + half * dy, base[1] - half * dx
    return base, f"M{_pair(left)}L{_pair(end)}L{_pair(right)}z"


def beside(lines: Sequence[list[Point]], label: Point, size: Point, width: float) -> Point:
    """Where the middle of a label goes so that lines of `width` px keep clear of it.

    Args:
        lines: the points of the label's own line, then those of others that are near.
        label: where the middle is.
        size: half the width and half the height of the label.
        width: of the lines.

    Returns:
        The nearest place that is clear of all; if there is none near, one clear of the own line;
        if there is none either, `label`.

    Example:
        >>> beside([[(0, 0), (10, 0), (20, 0), (30, 0)]], (15, -4), (8, 6), 8.0)
        (15, -10.0)
    """
    across, along = size[0] + width / 2, size[1] + width / 2
    known = [list(_places(points)) for points in lines]

    def is_clear(at: Point) -> bool:
        return all(
            abs(u - at[0]) >= across - TOUCH or abs(v - at[1]) >= along - TOUCH
            for places in known
            for u, v in places
        )

    if is_clear(label):
        return label
    ways = [way for places in known for way in _ways_out(places, label, across, along)]
    ways = [way for way in ways if math.dist(way, label) <= FARTHEST and is_clear(way)]
    if not ways and len(lines) > 1:
        return beside(lines[:1], label, size, width)
    return min(ways, key=lambda way: math.dist(way, label), default=label)


def _ways_out(places: list[Point], label: Point, across: float, along: float) -> Iterator[Point]:
    """Straight up, down, left and right of a label, to where a line no longer touches it."""
    x, y = label
    over = [v for u, v in places if abs(u - x) < across]
    level = [u for u, v in places if abs(v - y) < along]
    if over:
        yield from ((x, min(over) - along), (x, max(over) + along))
    if level:
        yield from ((min(level) - across, y), (max(level) + across, y))


def _places(points: list[Point]) -> Iterator[Point]:
    """Places along a chain of Bézier curves, the ends of each among them."""
    for at in range(0, len(points) - 3, 3):
        a, b, c, d = points[at : at + 4]
        for step in range(STEPS + 1):
            t = step / STEPS
            u = 1 - t
            first, second, third, last = u**3, 3 * u * u * t, 3 * u * t * t, t**3
            yield (
                first * a[0] + second * b[0] + third * c[0] + last * d[0],
                first * a[1] + second * b[1] + third * c[1] + last * d[1],
            )
