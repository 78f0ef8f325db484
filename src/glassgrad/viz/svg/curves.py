"""Curves as SVG path data."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from glassgrad.viz.layout.places import Point

Points = NDArray[np.float64]  # one a row

STEPS = np.linspace(0.0, 1.0, 25)[:, None]  # places that are looked at along each curve
BERNSTEIN = np.hstack([math.comb(3, k) * STEPS**k * (1 - STEPS) ** (3 - k) for k in range(4)])
BESIDE = (
    14.0  # px from a line to the middle of its label, at most, before that makes room for others
)
FARTHEST = 20.0  # px that a label moves: it still stands beside its line
STEP = 0.5  # px from one place that is tried to the next
TOUCH = 1e-6  # px that are none: a sum of floats may come out a little less
TIP, HALF = 7.5, 3.6  # length and half width of an arrowhead, px


def path_data(points: list[Point]) -> str:
    """A chain of cubic Bézier curves as path data."""
    start, *rest = points
    return f"M{_pair(*start)}C" + " ".join([_pair(*point) for point in rest])


def _pair(x: float, y: float) -> str:
    return f"{x:.1f} {y:.1f}"


def arrowhead(points: list[Point], width: float = 1.5) -> tuple[Point, str]:
    """Where a line of `width` px ends so that the head fits, and the head as path data."""
    tip, half = max(TIP, 1.8 * width), max(HALF, 1.1 * width)
    # Points as complex numbers: to turn one by a right angle is to multiply it by i.
    end, *behind = [complex(*point) for point in reversed(points)]
    before = next((point for point in behind if abs(point - end) > 1.0), end - 1.0)
    along = (end - before) / abs(end - before)
    base, aside = end - tip * along, half * along * 1j
    corners = [_pair(at.real, at.imag) for at in (base + aside, end, base - aside)]
    return (base.real, base.imag), f"M{'L'.join(corners)}z"


def beside(lines: Sequence[list[Point]], label: Point, size: Point, width: float) -> Point:
    """Where the middle of a label goes so that lines of `width` px keep clear of it.

    Args:
        lines: the points of the label's own line, then those of others that are near.
        label: where the middle is.
        size: half the width and half the height of the label.
        width: of the lines.

    Returns:
        The nearest place straight up, down, left or right that is clear of all; if there is none
        near, one clear of the own line; if there is none either, `label`.

    Example:
        >>> beside([[(0, 0), (10, 0), (20, 0), (30, 0)]], (15, -4), (8, 6), 8.0)
        (15, -10.0)
    """
    room = np.add(size, width / 2) - TOUCH
    x, y = label
    own, *others = [_places(points) for points in lines]

    def is_clear(at: Point, known: Sequence[Points]) -> bool:
        return not any((abs(places - at) < room).all(axis=1).any() for places in known)

    for known in ((own, *others), (own,)):
        for step in np.arange(0.0, FARTHEST, STEP).tolist():
            for at in ((x, y - step), (x, y + step), (x - step, y), (x + step, y)):
                if is_clear(at, known):
                    return at
    return label


def beside_its_line(points: list[Point], label: Point) -> Point:
    """A label's middle, pulled to its line where a layout has left it far from it.

    Example:
        >>> beside_its_line([(0, 0), (10, 0), (20, 0), (30, 0)], (15, -40))
        (15.0, -14.0)
    """
    places = _places(points)
    gaps = np.hypot(*(places - label).T)
    nearest, gap = places[gaps.argmin()], float(gaps.min())
    if gap <= BESIDE:
        return label
    x, y = nearest + (label - nearest) * (BESIDE / gap)
    return float(x), float(y)


def _places(points: list[Point]) -> Points:
    """Places along a chain of Bézier curves, the ends of each among them."""
    curves = [BERNSTEIN @ points[at : at + 4] for at in range(0, len(points) - 3, 3)]
    return np.concatenate(curves)
