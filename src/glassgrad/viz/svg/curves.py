"""Curves as SVG path data."""

import math
from collections.abc import Iterator

from glassgrad.viz.layout.places import Point

__all__ = ["arrowhead", "beside", "path_data"]

STEPS = 24  # places that are looked at along each curve
FARTHEST = 20.0  # px that a label moves: it still stands beside its line
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
    end = points[-1]
    before = next((point for point in reversed(points[:-1]) if math.dist(point, end) > 1.0), None)
    dx, dy = (end[0] - before[0], end[1] - before[1]) if before else (1.0, 0.0)
    length = math.hypot(dx, dy)
    dx, dy = dx / length, dy / length
    base = end[0] - tip * dx, end[1] - tip * dy
    left = base[0] - half * dy, base[1] + half * dx
    right = base[0] + half * dy, base[1] - half * dx
    return base, f"M{_pair(left)}L{_pair(end)}L{_pair(right)}z"


def beside(points: list[Point], label: Point, size: Point, width: float) -> Point:
    """Where the middle of a label goes so that a line of `width` px keeps clear of it.

    Args:
        points: of the line.
        label: where the middle is.
        size: half the width and half the height of the label.
        width: of the line.

    Example:
        >>> beside([(0, 0), (10, 0), (20, 0), (30, 0)], (15, -4), (8, 6), 8.0)
        (15, -10.0)
    """
    (x, y), (across, along) = label, (size[0] + width / 2, size[1] + width / 2)
    places = list(_places(points))
    over = [v for u, v in places if abs(u - x) < across]
    level = [u for u, v in places if abs(v - y) < along]
    if not any(abs(u - x) < across and abs(v - y) < along for u, v in places):
        return label
    ways = (
        *((x, at) for at in (min(over) - along, max(over) + along)),
        *((at, y) for at in (min(level) - across, max(level) + across)),
    )
    best = min(ways, key=lambda way: math.dist(way, label))
    return best if math.dist(best, label) <= FARTHEST else label


def _places(points: list[Point]) -> Iterator[Point]:
    """Places along a chain of Bézier curves, the ends of each among them."""
    for at in range(0, len(points) - 3, 3):
        a, b, c, d = points[at : at + 4]
        for step in range(STEPS + 1):
            t = step / STEPS
            u = 1 - t
            parts = u**3, 3 * u * u * t, 3 * u * t * t, t**3
            yield (
                sum(part * point[0] for part, point in zip(parts, (a, b, c, d), strict=True)),
                sum(part * point[1] for part, point in zip(parts, (a, b, c, d), strict=True)),
            )
