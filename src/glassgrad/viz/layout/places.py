"""Where everything of a picture goes, and how large each box is: where layout and drawing agree."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from glassgrad.viz.scene.graph import Graph, Vertex
from glassgrad.viz.style import BADGE_SIZE, KINDS, ROW_SIZE, TITLE_SIZE, TURNED, text_width

PAD = 11.0
GAP = 10.0  # between title and badge, key and value
TITLE_LINE = 18.0
ROW_LINE = 16.0
BADGE_PAD = 6.0
PILL_PAD = 5.0
NARROWEST = 74.0
FOLD = 6.0  # how far text keeps from a folded corner
SLANT = 12.0  # how far a parallelogram leans

Point = tuple[float, float]
Route = list[Point]  # the points of a chain of cubic Bézier curves (1 + 3·n of them)


class Place(NamedTuple):
    """Where a box or a frame is: its middle, and its size, in px, y downwards."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def between(cls, x: float, y: float, other_x: float, other_y: float) -> "Place":
        """The box between two corners."""
        return cls((x + other_x) / 2, (y + other_y) / 2, abs(other_x - x), abs(other_y - y))

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2


Places = dict[str, Place]  # by vertex, or by cluster
Sizes = dict[str, tuple[float, float]]  # width and height, by vertex


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything goes.

    Args:
        places: by vertex.
        routes: by arc.
        labels: by arc with a label: the label's middle.
        width, height: of the whole.
        engine: which layout was used, in words.
        notice: why not a better one; empty if it was the machine's own choice.
        frames: by cluster.
    """

    places: Places
    routes: dict[str, Route]
    labels: dict[str, Point] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0
    engine: str = ""
    notice: str = ""
    frames: Places = field(default_factory=dict)

    def turned(self) -> "Layout":
        """With x and y changed: what went from left to right goes from top to bottom."""
        turned = self.mapped(lambda x, y: (y, x))
        return replace(turned, width=self.height, height=self.width)

    def flipped(self) -> "Layout":
        """With left and right changed."""
        return self.mapped(lambda x, y: (self.width - x, y))

    def upside_down(self) -> "Layout":
        """With above and below changed."""
        return self.mapped(lambda x, y: (x, self.height - y))

    def moved(self, right: float, down: float) -> "Layout":
        """With more room on the left, and above."""
        moved = self.mapped(lambda x, y: (x + right, y + down))
        return replace(moved, width=self.width + right, height=self.height + down)

    def mapped(self, point: Callable[[float, float], Point]) -> "Layout":
        """With every point where `point` puts it, and every box between its mapped corners."""

        def at(x: float, y: float) -> Point:
            x, y = point(x, y)
            return round(x, 2), round(y, 2)

        def box(place: Place) -> Place:
            return Place.between(*at(place.left, place.top), *at(place.right, place.bottom))

        return replace(
            self,
            places={name: box(each) for name, each in self.places.items()},
            routes={name: [at(*each) for each in route] for name, route in self.routes.items()},
            labels={name: at(*each) for name, each in self.labels.items()},
            frames={name: box(each) for name, each in self.frames.items()},
        )

    def around(self) -> "Layout":
        """Larger, if it takes that for all that is in it."""
        extent = np.max([(self.width, self.height), *self._points()], axis=0)
        width, height = extent.round(2).tolist()
        return replace(self, width=width, height=height)

    def trimmed(self) -> "Layout":
        """With no room around what is in it."""
        left, top = np.min(self._points() or [(0.0, 0.0)], axis=0).tolist()
        return replace(self.moved(-left, -top), width=0.0, height=0.0).around()

    def _points(self) -> list[Point]:
        """The points of all lines, and the corners of all boxes."""
        points = [point for route in self.routes.values() for point in route]
        for box in (*self.places.values(), *self.frames.values()):
            points += [(box.left, box.top), (box.right, box.bottom)]
        return points


# --- how large each box is -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Box:
    """The measures of a vertex in px, from its own top left corner.

    Args:
        width, height: of the whole.
        badge: width of the badge, 0 without one.
        values: where the values of the rows begin.
        left, right: how far the text keeps from the two sides.
    """

    width: float
    height: float
    badge: float = 0.0
    values: float = 0.0
    left: float = PAD
    right: float = PAD


def box_of(vertex: Vertex) -> Box:
    """The measures of `vertex`.

    Example:
        >>> box_of(Vertex("z0-1", "none", "∅")).width
        20.0
    """
    shape = KINDS[vertex.kind].shape
    title = text_width(vertex.title, TITLE_SIZE, bold=True)
    badge = _badge_width(vertex.bad or vertex.badge)
    if vertex.size is not None:
        fits = title + badge + 20.0 <= vertex.size[0]
        return Box(*vertex.size, badge=badge if fits else 0.0, left=5.0, right=5.0)
    if shape == "dot":
        return Box(20.0, 20.0)
    rows = vertex.rows
    head = title + (GAP + badge if badge else 0.0)
    keys = max([text_width(key, ROW_SIZE) for key, _ in rows], default=0.0)
    values = max([text_width(value, ROW_SIZE, mono=True) for _, value in rows], default=0.0)
    keys += GAP if keys else 0.0
    pills = sum([pill_width(name) for name in vertex.hooks])
    kept = pill_width(vertex.kept) if vertex.kept else 0.0
    left = PAD + (SLANT / 2 if shape == "slant" else 0.0)
    right = left + (FOLD if shape == "note" else 0.0)
    width = max(head, keys + values, pills, kept, NARROWEST - 2 * PAD) + left + right
    height = TITLE_LINE + 2 * 6.0 if shape != "pill" else 26.0
    if rows:
        height += ROW_LINE * len(rows) + 5.0
    elif vertex.kept:
        height += 6.0  # so that the pill on the lower border keeps clear of the badge
    return Box(_even(width), round(height), badge, round(left + keys, 1), left, right)


def sizes_of(graph: Graph, *, sideways: bool) -> Sizes:
    """Width and height of each box; if not `sideways` in a layout that will be turned."""
    boxes = {vertex.id: box_of(vertex) for vertex in graph.vertices}
    if sideways:
        return {name: (box.width, box.height) for name, box in boxes.items()}
    return {name: (box.height, box.width) for name, box in boxes.items()}


def pill_width(name: str) -> float:
    """How much of a box's border a pill takes: of a hook, or of the number of saved tensors.

    Example:
        >>> pill_width("H1 clip") > pill_width("H1")
        True
    """
    return _even(text_width(name, BADGE_SIZE, bold=True) + 2 * PILL_PAD + 4.0)


def _badge_width(words: str) -> float:
    return _even(text_width(words, BADGE_SIZE, bold=True) + 2 * BADGE_PAD) if words else 0.0


def _even(size: float) -> float:
    """A size whose middle lies on a whole pixel."""
    return 2.0 * math.ceil(size / 2)


_NUMBER = re.compile(r"-?(?:\d[\d.]*(?:e[+-]?\d+)?|nan|inf)")
_NUMERIC = {"value", "grad", "a", "b"}  # the rows whose values are numbers


def nominal(vertex: Vertex) -> Vertex:
    """`vertex` as if all numbers were five characters long, and it had a turn.

    What remains is the structure, which is the same before, during and after a pass, and for other
    numbers.
    """
    rows = []
    for key, value in vertex.rows:
        shape, norm, rest = value.rpartition("‖·‖=")
        if key in _NUMERIC and (norm or not rest.startswith("(")):
            value = shape + norm + _NUMBER.sub("00.00", rest)
        rows.append((key, value))
    kind = KINDS[vertex.kind]
    badge = f"{kind.word} #00".strip() if kind.name in TURNED else vertex.badge
    return replace(vertex, rows=tuple(rows), badge=badge, bad="")
