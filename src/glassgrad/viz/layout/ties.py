"""Ties to what a node saved, or to its base: they leave and arrive below, unlike arrows.

Graphviz would send them on long ways round, so we route them ourselves, whatever places the boxes:
down to a lane that is free of boxes, along it, and up again. The words here are those of a picture
from left to right; from top to bottom the ties are on the right of the boxes.
"""

from glassgrad.viz.layout.places import Place, Point
from glassgrad.viz.scene.graph import Arc, Graph
from glassgrad.viz.style import TIES

__all__ = ["connect", "free_way", "leaf_ties", "notes_of", "rounded", "route_notes", "route_ties"]

HANGING = {"saved", "view", "error"}  # kinds that no gradient need come to

STUB = 9.0  # px a tie goes straight down before it turns
BESIDE = 14.0  # from the middle of a box, where the tie to its note begins
ROOM = 7.0  # between a tie and a box, and between two ties
STEP = 4.0
FARTHEST = 800.0


def notes_of(graph: Graph) -> dict[str, str]:
    """The boxes that only hang on others, each with the first of these, beside which it stands."""
    kinds = {vertex.id: vertex.kind for vertex in graph.vertices}
    flowing = {end for arc in graph.arcs if arc.kind not in TIES for end in (arc.tail, arc.head)}
    beside: dict[str, str] = {}
    for arc in graph.arcs:
        if arc.kind in TIES and kinds[arc.head] in HANGING and arc.head not in flowing:
            beside.setdefault(arc.head, arc.tail)
    return beside


def leaf_ties(graph: Graph) -> list[Arc]:
    """The ties of `graph` that lead back among the nodes and leaves; the others end at a note."""
    notes = notes_of(graph)
    return [arc for arc in graph.arcs if arc.kind in ("saved", "view") and arc.head not in notes]


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


def route_notes(
    graph: Graph, places: dict[str, Place], *, sideways: bool
) -> dict[str, list[Point]]:
    """The curves of all ties to notes; the arguments are those of `route_ties`."""
    turned = {name: p if sideways else (p[1], p[0], p[3], p[2]) for name, p in places.items()}
    notes, taken = notes_of(graph), list(turned.values())
    uses: dict[str, int] = {}
    routes = {}
    for arc in graph.arcs:
        if arc.kind in TIES and arc.head in notes and arc.tail in turned and arc.head in turned:
            points = _to_note(arc, turned[arc.tail], turned[arc.head], taken, uses)
            routes[arc.id] = points if sideways else [(y, x) for x, y in points]
    return routes


def _to_note(
    arc: Arc, tail: Place, head: Place, taken: list[Place], uses: dict[str, int]
) -> list[Point]:
    if abs(tail[1] - head[1]) >= (tail[3] + head[3]) / 2 + STUB:
        return connect(arc, tail, head, taken, uses)
    # Beside each other: a straight line from side to side.
    sign = 1.0 if head[0] > tail[0] else -1.0
    low = max(tail[1] - tail[3] / 2, head[1] - head[3] / 2)
    y = (low + min(tail[1] + tail[3] / 2, head[1] + head[3] / 2)) / 2
    start, end = tail[0] + sign * tail[2] / 2, head[0] - sign * head[2] / 2
    return [(start, y), (start, y), (end, y), (end, y)]


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
        return rounded([*corners, (end, other)])

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
        return free_way(self.boxes, x, top + 1, lane, sign)


def free_way(boxes: list[Place], x: float, start: float, end: float, sign: float) -> float:
    """The place nearest to `x` where a line up or down from `start` to `end` meets no box.

    Args:
        boxes: what is in the way.
        x: where the line would best be.
        start, end: from which height to which.
        sign: above 0 if a place on the right is better than an equally near one on the left.
    """
    low, high = min(start, end), max(start, end)
    between = [b for b in boxes if low < _bottom(b) and b[1] - b[3] / 2 < high]
    aside, side = 0.0, 1.0 if sign > 0 else -1.0
    while aside < FARTHEST:
        for way in (x + side * aside, x - side * aside):
            if not any(_overlaps(box, way - ROOM, way + ROOM) for box in between):
                return way
        aside += STEP
    return x


def connect(
    arc: Arc, tail: Place, head: Place, taken: list[Place], uses: dict[str, int]
) -> list[Point]:
    """A curve up or down between two boxes: straight if nothing is in the way, else round it.

    Args:
        arc: whose curve it is.
        tail, head: the two boxes, one above the other.
        taken: all boxes; the curve is noted there as a box without width, for those to come.
        uses: how many curves have ended at each box.
    """
    sign = 1.0 if head[1] > tail[1] else -1.0
    start, end = tail[1] + sign * tail[3] / 2, head[1] - sign * head[3] / 2
    low = max(tail[0] - tail[2] / 2, head[0] - head[2] / 2) + 8
    high = min(tail[0] + tail[2] / 2, head[0] + head[2] / 2) - 8
    others = [box for box in taken if box not in (tail, head)]
    if low <= high:
        x = min(max((tail[0] + head[0]) / 2, low), high)
        way = free_way(others, x, start + sign, end - sign, 1.0)
        if low <= way <= high:
            _take(taken, way, start, end)
            return [(way, start), (way, start), (way, end), (way, end)]
    number = uses[arc.head] = uses.get(arc.head, 0) + 1
    line = end - sign * (STUB + ROOM * ((number - 1) % 3))
    at = _beside(tail, head, number), _beside(head, tail, number)
    first = free_way(taken, at[0], start + sign, line, at[1] - at[0])
    last = free_way(others, at[1], line, end - sign, at[0] - at[1])
    _take(taken, first, start, line)
    corners = [(at[0], start), (at[0], start + sign * STUB), (first, start + sign * STUB)]
    corners += [(first, line), (last, line), (last, end)]
    return rounded([p for i, p in enumerate(corners) if i == 0 or p != corners[i - 1]])


def _beside(box: Place, other: Place, number: int) -> float:
    """Where a line begins: on the side of a box that is nearer to the other one."""
    aside = min(10.0 + 2 * ROOM * (number % 3), box[2] / 2 - 6)
    return box[0] + (aside if other[0] > box[0] else -aside)


def _take(taken: list[Place], x: float, start: float, end: float) -> None:
    taken.append((x, (start + end) / 2, 0.0, abs(end - start)))


def _bottom(box: Place) -> float:
    return box[1] + box[3] / 2


def _overlaps(box: Place, left: float, right: float) -> bool:
    return box[0] + box[2] / 2 > left and box[0] - box[2] / 2 < right


def rounded(corners: list[Point]) -> list[Point]:
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
