"""Lines that Graphviz does not route: ties to what a node saved, to its base, to another half.

Graphviz would send them on long ways round, so they go straight up and down, and along lanes that
are free of boxes. All is for a picture from left to right; one from top to bottom is turned
afterwards.
"""

from collections import Counter
from dataclasses import replace

from glassgrad.viz.layout.places import Layout, Place, Point, Route
from glassgrad.viz.scene.graph import Arc, Graph
from glassgrad.viz.style import TIES

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


def lane_ties(graph: Graph, notes: dict[str, str]) -> list[Arc]:
    """The ties that lead back among the nodes and leaves; the others end at one of `notes`."""
    return [arc for arc in graph.arcs if arc.kind in ("saved", "view") and arc.head not in notes]


def with_ties(layout: Layout, graph: Graph) -> Layout:
    """`layout` with the ties of `graph` that Graphviz did not route, and with room for them."""
    notes = notes_of(graph)
    routes = _note_routes(graph, layout.places, notes)
    lanes = _Lanes(list(layout.places.values()))
    for number, arc in enumerate(lane_ties(graph, notes)):
        tail, head = layout.places[arc.tail], layout.places[arc.head]
        routes[arc.id] = lanes.route(tail, head, BESIDE + ROOM * (number % 4))
    routes = layout.routes | routes
    across = max([layout.width, *[x for route in routes.values() for x, _ in route]])
    down = max([layout.height, *[y for route in routes.values() for _, y in route]])
    return replace(layout, routes=routes, width=round(across, 2), height=round(down, 2))


def _note_routes(graph: Graph, places: dict[str, Place], notes: dict[str, str]) -> dict[str, Route]:
    """Straight from side to side, where a note stands beside its holder; else up or down."""
    taken = list(places.values())
    uses: Counter[str] = Counter()
    routes = {}
    for arc in graph.arcs:
        if arc.kind not in TIES or arc.head not in notes:
            continue
        tail, head = places[arc.tail], places[arc.head]
        if abs(tail.y - head.y) >= (tail.height + head.height) / 2 + STUB:
            routes[arc.id] = connect(arc, tail, head, taken, uses)
            continue
        sign = 1.0 if head.x > tail.x else -1.0
        y = (max(tail.top, head.top) + min(tail.bottom, head.bottom)) / 2
        start = tail.x + sign * tail.width / 2, y
        end = head.x - sign * head.width / 2, y
        routes[arc.id] = [start, start, end, end]
    return routes


class _Lanes:
    """Ties from below to below: down to a lane that is free of boxes, along it, and up again."""

    def __init__(self, boxes: list[Place]) -> None:
        self.boxes = boxes
        self.taken: list[tuple[float, float, float]] = []  # left, right, how far down

    def route(self, tail: Place, head: Place, shift: float) -> Route:
        sign = 1.0 if head.x >= tail.x else -1.0
        start, end = tail.x + sign * shift, head.x - sign * shift
        down, up, lane = start, end, 0.0
        for _ in range(3):  # the ways down may lie outside of what the lane was found for
            above = max(tail.bottom, head.bottom) + STUB
            lane = self._lane(above, min(down, up), max(down, up))
            down = free_way(self.boxes, start, tail.bottom + 1, lane, sign)
            up = free_way(self.boxes, end, head.bottom + 1, lane, -sign)
        self.taken.append((min(down, up), max(down, up), lane))
        corners = [*dodge(start, tail.bottom, down), (down, lane), (up, lane)]
        return rounded([*corners, *reversed(dodge(end, head.bottom, up))])

    def _lane(self, above: float, left: float, right: float) -> float:
        """The first height below `above` at which nothing lies between `left` and `right`."""
        left, right = left - ROOM, right + ROOM
        between = [
            (y, height / 2 + ROOM)
            for x, y, width, height in self.boxes
            if x + width / 2 > left and x - width / 2 < right
        ]
        between += [(y, ROOM) for begin, end, y in self.taken if end > left and begin < right]
        lane = above + ROOM
        while any(abs(y - lane) < room for y, room in between):
            lane += STEP
        return lane


def dodge(x: float, y: float, way: float, sign: float = 1.0) -> list[Point]:
    """From a border to the way down from there (up, for `sign` -1), which may be beside a box."""
    turn = y + sign * STUB
    return [(x, y)] if way == x else [(x, y), (x, turn), (way, turn)]


def free_way(boxes: list[Place], x: float, start: float, end: float, sign: float) -> float:
    """The place nearest to `x` where a line up or down from `start` to `end` meets no box.

    Args:
        boxes: what is in the way.
        x: where the line would best be.
        start, end: from which height to which.
        sign: above 0 if a place on the right is better than an equally near one on the left.
    """
    low, high = min(start, end), max(start, end)
    blocked = [
        (middle - width / 2 - ROOM, middle + width / 2 + ROOM)
        for middle, y, width, height in boxes
        if low < y + height / 2 and y - height / 2 < high
    ]
    side = STEP if sign > 0 else -STEP
    for aside in range(int(FARTHEST / STEP)):
        for way in (x + side * aside, x - side * aside):
            for left, right in blocked:
                if left < way < right:
                    break
            else:
                return way
    return x


def connect(arc: Arc, tail: Place, head: Place, taken: list[Place], uses: Counter[str]) -> Route:
    """A curve up or down between two boxes: straight if nothing is in the way, else round it.

    Args:
        arc: whose curve it is.
        tail, head: the two boxes, one above the other.
        taken: all boxes; the curve is noted there as a box without width, for those to come.
        uses: how many curves have ended at each box.
    """
    sign = 1.0 if head.y > tail.y else -1.0
    start, end = tail.y + sign * tail.height / 2, head.y - sign * head.height / 2
    low, high = max(tail.left, head.left) + 8, min(tail.right, head.right) - 8
    others = [box for box in taken if box not in (tail, head)]
    if low <= high:
        x = min(max((tail.x + head.x) / 2, low), high)
        way = free_way(others, x, start + sign, end - sign, 1.0)
        if low <= way <= high:
            taken.append(upright(way, start, end))
            return [(way, start), (way, start), (way, end), (way, end)]
    uses[arc.head] += 1
    number = uses[arc.head]
    line = end - sign * (STUB + ROOM * ((number - 1) % 3))
    begin, goal = _beside(tail, head, number), _beside(head, tail, number)
    first = free_way(taken, begin, start + sign, line, goal - begin)
    last = free_way(others, goal, line, end - sign, begin - goal)
    taken.append(upright(first, start, line))
    turn = start + sign * STUB
    down = [(begin, start), (begin, turn), (first, turn), (first, line)]
    return rounded([*down, (last, line), (last, end)])


def _beside(box: Place, other: Place, number: int) -> float:
    """Where a line begins: on the side of a box that is nearer to the other one."""
    aside = min(10.0 + 2 * ROOM * (number % 3), box.width / 2 - 6)
    return box.x + (aside if other.x > box.x else -aside)


def upright(x: float, start: float, end: float) -> Place:
    """A line up or down, as a box without width."""
    return Place(x, (start + end) / 2, 0.0, abs(end - start))


def rounded(corners: list[Point]) -> Route:
    """A line with right angles as Bézier curves that cut its corners."""
    corners = [at for number, at in enumerate(corners) if not number or at != corners[number - 1]]
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
