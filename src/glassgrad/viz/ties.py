"""Ties from a node to a leaf that it saved: they leave and arrive below, and look like no arrow.

Graphviz would send them on long ways round, so we route them ourselves, whatever places the boxes:
down to a lane that is free of boxes, along it, and up again. The words here are those of a picture
from left to right; from top to bottom the ties are on the right of the boxes.
"""

from glassgrad.viz.graph import Arc, Graph

__all__ = ["Place", "Point", "leaf_ties", "route_ties"]

Point = tuple[float, float]
Place = tuple[float, float, float, float]  # x and y of the middle, width, height

STUB = 9.0  # px a tie goes straight down before it turns
BESIDE = 14.0  # from the middle of a box, where the tie to its note begins
ROOM = 7.0  # between a tie and a box, and between two ties
STEP = 4.0
FARTHEST = 800.0


def leaf_ties(graph: Graph) -> list[Arc]:
    """The ties of `graph` that end at a leaf; the others end at a note, beside its holder."""
    notes = {vertex.id for vertex in graph.vertices if vertex.kind == "saved"}
    return [arc for arc in graph.arcs if arc.kind == "saved" and arc.head not in notes]


def route_ties(graph: Graph, places: dict[str, Place], *, sideways: bool) -> dict[str, list[Point]]:
    """The curves of all ties to leaves.

    Args:
        graph: what is drawn.
        places: where its boxes are.
        sideways: whether the gradient goes from left to right.
    """
    turned = {name: p if sideways else (p[1], p[0], p[3], p[2]) for name, p in places.items()}
    router = _Router(list(turned.values()))
    routes = {}
    for number, arc in enumerate(leaf_ties(graph)):
        points = router.route(turned[arc.tail], turned[arc.head], BESIDE + ROOM * (number % 4))
        routes[arc.id] = points if sideways else [(y, x) for x, y in points]
    return routes


class _Router:
    """Knows the boxes, and the lanes that are taken."""

    def __init__(self, boxes: list[Place]) -> None:
        self.boxes = boxes
        self.taken: list[tuple[float, float, float]] = []  # left, right, how far down

    def route(self, tail: Place, head: Place, shift: float) -> list[Point]:
        sign = 1.0 if head[0] >= tail[0] else -1.0
        start, end = tail[0] + sign * shift, head[0] - sign * shift
        top, other = _bottom(tail), _bottom(head)
        down, up, lane = start, end, 0.0
        for _ in range(3):  # the ways down may lie outside of what the lane was found for
            lane = self._lane(max(top, other) + STUB, min(down, up), max(down, up))
            down = self._way_down(start, top, lane, sign)
            up = self._way_down(end, other, lane, -sign)
        self.taken.append((min(down, up), max(down, up), lane))
        corners = [(start, top)]
        if down != start:
            corners += [(start, top + STUB), (down, top + STUB)]
        corners += [(down, lane), (up, lane)]
        if up != end:
            corners += [(up, other + STUB), (end, other + STUB)]
        return _rounded([*corners, (end, other)])

    def _lane(self, above: float, left: float, right: float) -> float:
        """The first height below `above` at which nothing lies between `left` and `right`."""
        lane = above + ROOM
        between = [box for box in self.boxes if _overlaps(box, left - ROOM, right + ROOM)]
        lanes = [y for a, b, y in self.taken if b > left - ROOM and a < right + ROOM]
        while any(abs(box[1] - lane) < box[3] / 2 + ROOM for box in between) or any(
            abs(y - lane) < ROOM for y in lanes
        ):
            lane += STEP
        return lane

    def _way_down(self, x: float, top: float, lane: float, sign: float) -> float:
        """The place nearest to `x` from which a line down to the lane meets no box."""
        between = [b for b in self.boxes if top + 1 < _bottom(b) and b[1] - b[3] / 2 < lane]
        aside = 0.0
        while aside < FARTHEST:
            for way in (x + sign * aside, x - sign * aside):
                if not any(_overlaps(box, way - ROOM, way + ROOM) for box in between):
                    return way
            aside += STEP
        return x


def _bottom(box: Place) -> float:
    return box[1] + box[3] / 2


def _overlaps(box: Place, left: float, right: float) -> bool:
    return box[0] + box[2] / 2 > left and box[0] - box[2] / 2 < right


def _rounded(corners: list[Point]) -> list[Point]:
    """A line with right angles as Bézier curves that cut its corners."""
    points = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        first, second = _toward(corner, before), _toward(corner, after)
        points += [points[-1], first, first, corner, corner, second]
    return [*points, points[-1], corners[-1], corners[-1]]


def _toward(corner: Point, other: Point) -> Point:
    """A point near `corner` on the way to `other`, at most half of it."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = abs(dx) + abs(dy)
    share = min(14.0, length / 2) / length if length else 0.0
    return corner[0] + share * dx, corner[1] + share * dy
