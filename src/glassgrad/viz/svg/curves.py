"""Curves as SVG path data."""

import math

from glassgrad.viz.layout.places import Point

__all__ = ["arrowhead", "path_data"]

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
