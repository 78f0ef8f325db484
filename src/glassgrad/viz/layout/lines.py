"""Lines that Graphviz does not route: ties to what a node saved, to its base, to another half.

Graphviz would send them on long ways round, so they go straight up and down, and along lanes that
are free of boxes. All is for a picture from left to right; one from top to bottom is turned
afterwards.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from glassgrad.viz.layout.places import Layout, Place, Places, Point, Route
from glassgrad.viz.scene.graph import Arc, Graph
from glassgrad.viz.style import TIES

HANGING = {"saved", "view", "error"}  # kinds that no gradient need come to

STUB = 9.0  # px a tie goes straight down before it turns
BESIDE = 14.0  # from the middle of a box, where the tie to its note begins
AT_BORDER = 8.0  # of a box that a line keeps clear of its corners
ROOM = 7.0  # between a tie and a box, and between two ties side by side
APART = 4.0  # between two lanes
STEP = 2.0  # from one place that is tried to the next
FARTHEST = 800.0


def notes_of(graph: Graph) -> dict[str, Arc]:
    """The boxes that only hang on others, each with its first tie: it stands beside the tail."""
    notes: dict[str, Arc] = {}
    hanging = {vertex.id for vertex in graph.vertices if vertex.kind in HANGING}
    for arc in graph.arcs:
        if arc.kind not in TIES:
            hanging -= {arc.tail, arc.head}
    for arc in graph.arcs:
        if arc.kind in TIES and arc.head in hanging:
            notes.setdefault(arc.head, arc)
    return notes


def with_ties(layout: Layout, graph: Graph) -> Layout:
    """`layout` with ways for the ties to notes, and for what it has no way for; and with room."""
    notes = notes_of(graph)
    arrows = [layout.routes.get(arc.id, []) for arc in graph.arcs if arc.kind not in TIES]
    router = Router(layout.places, arrows)
    routes = dict(layout.routes)
    for arc in graph.arcs:
        if arc.kind in TIES and arc.head in notes:
            routes[arc.id] = router.to_note(arc)
    for arc in graph.arcs:
        if arc.id not in routes:
            routes[arc.id] = router.from_below(arc)
    return replace(layout, routes=routes).around()


class Router:
    """Finds ways for lines with right angles, past boxes and past the lines that it has drawn.

    A line leaves its box up or down, goes straight to a height, the lane, along it, and up or down
    to the other box.

    Args:
        places: of all boxes.
        arrows: the lines along which gradients go.
    """

    def __init__(self, places: Places, arrows: Sequence[Route] = ()) -> None:
        self.places, self.arrows = places, arrows
        # What is in the way up and down, and what is in the way along: the lines are boxes too.
        self.upright, self.level = list(places.values()), list(places.values())
        self.uses: Counter[str] = Counter()

    def to_note(self, arc: Arc) -> Route:
        """Straight from side to side, where a note stands beside its holder; else up or down."""
        tail, head = self.places[arc.tail], self.places[arc.head]
        if abs(tail.y - head.y) >= (tail.height + head.height) / 2 + STUB:
            return self.up_or_down(arc)
        start, end = (tail.right, head.left) if head.x > tail.x else (tail.left, head.right)
        y = (max(tail.top, head.top) + min(tail.bottom, head.bottom)) / 2
        return rounded([(start, y), (end, y)])

    def up_or_down(self, arc: Arc) -> Route:
        """Between two boxes, one above the other: straight if nothing is in the way."""
        tail, head = self.places[arc.tail], self.places[arc.head]
        sign = 1.0 if head.y > tail.y else -1.0
        start, end = tail.y + sign * tail.height / 2, head.y - sign * head.height / 2
        low, high = max(tail.left, head.left) + AT_BORDER, min(tail.right, head.right) - AT_BORDER
        if low <= high:
            x = min(max((tail.x + head.x) / 2, low), high)
            way = self._free_way(x, start + sign, end - sign, 1.0)
            if low <= way <= high:
                return self.drawn(arc, [(way, start), (way, end)])
        for number in range(self.uses[arc.head], self.uses[arc.head] + 3):
            lane = end - sign * (STUB + ROOM * (number % 3))
            corners = self.corners(arc, lane)
            if self._is_free([at for at in corners if at[1] == lane], lane):
                break
        return self.drawn(arc, corners)

    def from_below(self, arc: Arc) -> Route:
        """From below to below, along a lane that is free of boxes."""
        tail, head = self.places[arc.tail], self.places[arc.head]
        above = max(tail.bottom, head.bottom) + STUB
        corners = [(tail.x, above), (head.x, above)]
        for _ in range(3):  # the ways down may lie outside of what the lane was found for
            lane = above + ROOM
            while not self._is_free(corners, lane):
                lane += STEP
            corners = self.corners(arc, lane)
        return self.drawn(arc, corners)

    def corners(self, arc: Arc, lane: float) -> list[Point]:
        """A line from one box to another, along a lane."""
        down = self.to_lane(arc.tail, arc.head, lane)
        return [*down, *reversed(self.to_lane(arc.head, arc.tail, lane))]

    def to_lane(self, name: str, other: str, lane: float, *, aside: float = BESIDE) -> list[Point]:
        """The corners from the border of a box to a lane, past what is in between.

        Args:
            name: the box.
            other: the one that the line goes to: it begins on that side.
            lane: its height.
            aside: how far from the middle of the box the first line begins.
        """
        box, number = self.places[name], self.uses[name] % 3
        toward = 1.0 if self.places[other].x > box.x else -1.0
        sign = 1.0 if lane > box.y else -1.0
        aside = min(aside + 2 * ROOM * number, box.width / 2 - AT_BORDER)
        x, y = box.x + toward * aside, box.y + sign * box.height / 2
        way = self._free_way(x, y + sign, lane, toward)
        if self.places[other].x == box.x and self._crosses_arrow(way, y, lane):
            right = self._free_way(box.x + aside, y + sign, lane, 1.0)
            if not self._crosses_arrow(right, y, lane):
                x, way = box.x + aside, right
        turn = y + sign * (STUB + 3 * number)
        return [(x, y), *([] if way == x else [(x, turn), (way, turn)]), (way, lane)]

    def drawn(self, arc: Arc, corners: list[Point]) -> Route:
        """A line as curves. From now on it is in the way of others."""
        self.uses.update((arc.tail, arc.head))
        for corner, other in pairwise(corners):
            part = Place.between(*corner, *other)
            (self.upright if part.height else self.level).append(part)
        return rounded(corners)

    def _free_way(self, x: float, start: float, end: float, toward: float) -> float:
        """The place nearest to `x` where a line up or down meets nothing.

        Args:
            x: where the line would best be.
            start, end: from which height to which.
            toward: 1 if of two equally near places the right one is better, else -1.
        """
        low, high = sorted((start, end))
        blocked = [
            (middle - width / 2 - ROOM, middle + width / 2 + ROOM)
            for middle, y, width, height in self.upright
            if low < y + height / 2 and y - height / 2 < high
        ]
        for aside in range(int(FARTHEST / STEP)):
            for way in (x + toward * STEP * aside, x - toward * STEP * aside):
                for left, right in blocked:
                    if left < way < right:
                        break
                else:
                    return way
        return x

    def _crosses_arrow(self, x: float, start: float, end: float) -> bool:
        """Whether a line up or down does, from one height to another."""
        low, high = sorted([start, end])
        return any(
            min(x1, x2) <= x < max(x1, x2) and low < (y1 + y2) / 2 < high
            for arrow in self.arrows
            for (x1, y1), (x2, y2) in pairwise(arrow)
        )

    def _is_free(self, corners: list[Point], lane: float) -> bool:
        """Whether nothing is near a height between corners of a line."""
        xs = [x for x, _ in corners]
        left, right = min(xs) - ROOM, max(xs) + ROOM
        return not any(
            abs(y - lane) < height / 2 + (ROOM if height else APART)
            for x, y, width, height in self.level
            if x + width / 2 > left and x - width / 2 < right
        )


def rounded(corners: list[Point]) -> Route:
    """A line with right angles as Bézier curves that cut its corners."""
    corners = [at for at, _ in groupby(corners)]
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
