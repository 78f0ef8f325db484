"""What Graphviz does not lay out: ties, two halves face to face, and all of it where it is absent.

Ties to what a node saved, to its base and to another half would go on long ways round, so they go
straight up and down, and along lanes that are free of boxes.

Our own layout has layers by the longest way from the outputs, two sweeps that bring neighbours
together, straight columns. It is linear in the size of the graph, has no recursion, and cannot
fail.

A gradient's own graph hangs below the graph of the pass that made it, turned round: its nodes were
recorded from left to right as the pass went along, so its arrows lead from right to left, and each
node stands about where the node is whose rule made it. In a mirror view one half is laid out, and
the other is its image.

All is for a picture from left to right; one from top to bottom is turned afterwards, and until then
its boxes are as wide as they are high (`sideways` is False).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from statistics import fmean, median_high

import numpy as np

from glassgrad.viz.layout.places import Layout, Place, Places, Point, Route, Sizes, sizes_of
from glassgrad.viz.scene.derived import Mirror
from glassgrad.viz.scene.graph import GRADIENT, Arc, Graph
from glassgrad.viz.style import TIES
from glassgrad.viz.wording import notices

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


# When Graphviz is absent or takes too long --------------------------------------------------------


ACROSS, ALONG = 24.0, 64.0  # px between the boxes of a layer, and between layers
ARROWS_APART = 16.0  # px between two arrows that join the same two boxes


def lay_out_by_layers(graph: Graph, *, sideways: bool = True) -> Layout:
    """Where each vertex and each arrow of `graph` goes; the ties are for `with_ties`.

    Args:
        graph: what to place.
        sideways: False if the layout will be turned, and its boxes are as wide as they are high.
    """
    arrows = [arc for arc in graph.arcs if arc.kind not in TIES]
    layer_of = _layer_of(graph, arrows)
    places = _columns(_sorted_layers(graph, layer_of), sizes_of(graph, sideways=sideways))
    routes = _routes(arrows, places)
    labels = {}
    for arc in arrows:
        if arc.label:
            x, y = np.dot([1, 3, 3, 1], routes[arc.id]) / 8  # the middle of the curve
            labels[arc.id] = float(x), float(y)
    return Layout(places, routes, labels, engine="glassgrad's own layers").trimmed()


def _layer_of(graph: Graph, arrows: list[Arc]) -> dict[str, int]:
    """The layer of each vertex: one more than the highest of those that lead to it."""
    layer = {vertex.id: 0 for vertex in graph.vertices}
    for arc in (*arrows, *arrows):  # newest first, but those that lead to leaves: so twice
        layer[arc.head] = max(layer[arc.head], layer[arc.tail] + 1)
    return layer | {name: layer[tie.tail] for name, tie in notes_of(graph).items()}


def _sorted_layers(graph: Graph, layer_of: dict[str, int]) -> list[list[str]]:
    """The vertices by layer, each layer sorted by the mean place of its neighbours."""
    layers: dict[int, list[str]] = defaultdict(list)
    for name, number in layer_of.items():
        layers[number].append(name)
    neighbours: dict[str, list[str]] = defaultdict(list)
    for arc in graph.arcs:
        neighbours[arc.tail].append(arc.head)
        neighbours[arc.head].append(arc.tail)
    place = dict.fromkeys(layer_of, 0.0)

    def mean(name: str) -> float:
        return fmean([place[other] for other in neighbours[name]] or [place[name]])

    numbers = sorted(layers)
    for number in (*numbers, *numbers[::-1], *numbers):
        layer = layers[number]
        layer.sort(key=mean)  # calls it for all before it sorts
        place |= {name: index - len(layer) / 2 for index, name in enumerate(layer)}
    return [layers[number] for number in numbers]


def _columns(layers: list[list[str]], sizes: Sizes) -> Places:
    """Each layer a column; the columns are centred."""
    places: Places = {}
    left = 0.0
    for layer in layers:
        wide = max(sizes[name][0] for name in layer)
        top = -sum(sizes[name][1] + ACROSS for name in layer) / 2
        for name in layer:
            width, height = sizes[name]
            places[name] = Place(left + wide / 2, top + height / 2, width, height)
            top += height + ACROSS
        left += wide + ALONG
    return places


def _routes(arrows: list[Arc], places: Places) -> dict[str, Route]:
    """Arrows between the same two vertices bulge apart: `a * a` has two edges, and shows two."""
    parallel: dict[tuple[str, str], list[str]] = defaultdict(list)
    for arc in arrows:
        parallel[arc.tail, arc.head].append(arc.id)
    routes = {}
    for ends, names in parallel.items():
        tail, head = places[ends[0]], places[ends[1]]
        middle = (tail.right + head.left) / 2
        for index, name in enumerate(names):
            bulge = (index - (len(names) - 1) / 2) * ARROWS_APART
            start, end = (tail.right, tail.y + bulge / 2), (head.left, head.y + bulge / 2)
            routes[name] = [start, (middle, tail.y + bulge), (middle, head.y + bulge), end]
    return routes


# Two halves, one above the other ----------------------------------------------------------------


CHANNEL = 18.0  # px between a half and the first line in the channel below it
LANE = 8.0  # px between two lines there
CAPTION = 16.0  # px above the boxes of a frame, for its title
GAP = 30.0  # px between a half and the notes between the halves
NOTES_APART = 18.0  # px between two notes


def hangs_below(graph: Graph) -> set[str]:
    """The vertices of a gradient's own graph, with what hangs on them alone; empty if none.

    What a transform's pass recorded on the level below is in the frame of that level instead.
    """
    grown = {name for c in graph.clusters if c.title == GRADIENT for name in c.members}
    below = {arc.tail for arc in graph.arcs if arc.kind == "origin" and arc.tail in grown}
    alone = {arc.head for arc in graph.arcs if arc.tail in below}
    alone -= {arc.head for arc in graph.arcs if arc.tail not in below}
    serving = {"saved", "none", "stub", "view", "error"}
    return below | {v.id for v in graph.vertices if v.kind in serving and v.id in alone}


def lay_out_stacked(
    graph: Graph, below: set[str], lay_out: Callable[[Graph], Layout], *, sideways: bool
) -> Layout:
    """Lay out `graph` in two halves.

    Args:
        graph: what to place.
        below: the vertices of the lower half.
        lay_out: how one half is laid out.
        sideways: whether the gradient goes from left to right.
    """
    top = lay_out(_without(graph, below))
    bottom = lay_out(replace(_without(graph, top.places), clusters=())).flipped()
    between = [arc for arc in graph.arcs if (arc.tail in below) != (arc.head in below)]
    lanes = {name: at for at, name in enumerate(dict.fromkeys(map(_lane, between)))}
    deep = 2 * CHANNEL + LANE * (len(lanes) - 1) + CAPTION * sideways
    # Aside as far as it takes for nodes to stand below their origins.
    ties = [arc for arc in between if arc.kind == "origin"]
    gaps = [top.places[arc.head].x - bottom.places[arc.tail].x for arc in ties]
    aside = round(median_high(gaps), 2) if gaps else 0.0
    left, upper = max(aside, 0.0), top.height + deep
    top, bottom = top.moved(max(-aside, 0.0), 0.0), bottom.moved(left, upper)
    # The title of the frame is above, which is on the left until it is turned.
    left -= 16 + CAPTION * (not sideways)
    upper -= 12 + CAPTION * sideways
    frame = Place.between(left, upper, bottom.width + 16, bottom.height + 12)
    both = replace(
        top,
        places=top.places | bottom.places,
        routes=top.routes | bottom.routes,
        labels=top.labels | bottom.labels,
        frames=top.frames | {c.id: frame for c in graph.clusters if c.title == GRADIENT},
        width=max(top.width, bottom.width),
        height=bottom.height,
        notice=notices(*dict.fromkeys([top.notice, bottom.notice])),
    ).moved(max(-left, 0.0), 0.0)
    lines = _routes_between(between, lanes, both.places, top.height + CHANNEL)
    return replace(both, routes=both.routes | lines).around()


def _without(graph: Graph, ends: Container[str]) -> Graph:
    """`graph` without some vertices, and without the arcs that begin or end at them."""
    clusters = [
        replace(cluster, members=tuple(name for name in cluster.members if name not in ends))
        for cluster in graph.clusters
    ]
    return replace(
        graph,
        vertices=tuple(vertex for vertex in graph.vertices if vertex.id not in ends),
        arcs=tuple(arc for arc in graph.arcs if arc.tail not in ends and arc.head not in ends),
        clusters=tuple(cluster for cluster in clusters if cluster.members),
    )


def _lane(arc: Arc) -> str:
    """What a line between the halves shares its lane with: ties to one origin are in one."""
    return arc.head if arc.kind == "origin" else arc.id


def _routes_between(
    arcs: list[Arc], lanes: dict[str, int], places: Places, top: float
) -> dict[str, Route]:
    """The lines between two halves; the first lane is at `top`."""
    router = Router(places)
    reached: dict[float, list[float]] = {}  # from where to where a lane is drawn
    routes = {}
    for arc in arcs:
        lane = top + LANE * lanes[_lane(arc)]
        corners = router.to_lane(arc.tail, arc.head, lane, aside=0.0)
        x = corners[-1][0]
        if lane in reached:  # it joins what is there: dashes drawn twice would be a solid line
            ends = reached[lane]
            corners.append((min(max(x, min(ends)), max(ends)), lane))
        else:
            goal = router.to_lane(arc.head, arc.tail, lane, aside=0.0)
            reached[lane] = [goal[-1][0]]
            corners += reversed(goal)
        reached[lane].append(x)
        routes[arc.id] = router.drawn(arc, corners)
    return routes


# Forward and backward face to face ---------------------------------------------------------------


def lay_out_facing(mirror: Mirror, lay_out: Callable[[Graph], Layout], *, sideways: bool) -> Layout:
    """Lay out a mirror view; the arguments are those of `lay_out_stacked`."""
    graph = mirror.graph
    sizes = sizes_of(graph, sideways=sideways)
    half = lay_out(_half(mirror)).flipped()
    ties = [arc for arc in graph.arcs if arc.kind == "saved" and arc.tail in half.places]
    if ties and fmean(half.places[arc.tail].y for arc in ties) > half.height / 2:
        half = half.upside_down()  # what saved something is near its notes
    users: dict[str, list[float]] = {v.id: [] for v in graph.vertices if v.kind == "saved"}
    for arc in ties:
        if arc.head in users:
            users[arc.head].append(half.places[arc.tail].x)
    middles = {name: fmean(at) for name, at in users.items()}
    notes = _stacked(middles, sizes, half.height + GAP)
    depth = max([note.bottom + GAP for note in notes.values()], default=half.height + 3 * GAP)
    lower, upper = half.moved(0.0, depth), half.upside_down()
    places = lower.places | {
        mirror.above[name]: place for name, place in upper.places.items() if name in mirror.above
    }
    # As long as each other the halves are, and as high as their texts ask for.
    places = {name: place._replace(height=sizes[name][1]) for name, place in places.items()} | notes
    outputs = [v.id for v in graph.vertices if v.kind == "output" and v.id in places]
    for number, name in enumerate(outputs):  # where forward ends and backward begins, at the right
        row = (number - (len(outputs) - 1) / 2) * (places[name].height + NOTES_APART)
        places[name] = places[name]._replace(y=round((half.height + depth) / 2 + row, 2))
    rest = [name for name in sizes if name not in places]  # leaves that are drawn as stubs
    places |= _stacked({name: -GAP - sizes[name][0] / 2 for name in rest}, sizes, 0.0)
    routes = _facing_routes(mirror, lower, upper, places)
    return replace(lower, places=places, routes=routes).trimmed()


def _stacked(middles: dict[str, float], sizes: Sizes, top: float) -> Places:
    """Places for boxes whose `middles` are known, each below others that it would overlap."""
    stacked: Places = {}
    for name, x in middles.items():
        width, height = sizes[name]
        near = [o for o in stacked.values() if abs(x - o.x) < (width + o.width) / 2 + NOTES_APART]
        upper = max([other.bottom + NOTES_APART for other in near], default=top)
        stacked[name] = Place(x, upper + height / 2, width, height)
    return stacked


def _facing_routes(
    mirror: Mirror, lower: Layout, upper: Layout, places: Places
) -> dict[str, Route]:
    """The arrows of the lower half, their images in the upper one, and all between the two."""
    outputs = {vertex.id for vertex in mirror.graph.vertices if vertex.kind == "output"}
    router = Router(places)
    routes = lower.routes | {
        mirror.ways[name]: route[::-1]
        for name, route in upper.routes.items()
        if name in mirror.ways
    }
    for arc in mirror.graph.arcs:
        if arc.tail in outputs:
            routes[arc.id] = _quarter(places[arc.head], places[arc.tail])[::-1]
        elif arc.head in outputs:
            routes[arc.id] = _quarter(places[arc.tail], places[arc.head])
        elif arc.id not in routes:
            routes[arc.id] = router.up_or_down(arc)
    return routes


def _quarter(box: Place, output: Place) -> Route:
    """From the right of a box to the top or bottom of an output further right."""
    corner = output.x, box.y
    end = output.x, output.top if output.y > box.y else output.bottom
    return [(box.right, box.y), corner, corner, end]


def _half(mirror: Mirror) -> Graph:
    """The backward half, each box as large as the larger one of it and its image."""
    sizes = sizes_of(mirror.graph, sideways=True)
    names = mirror.below | {v.id for v in mirror.graph.vertices if v.kind == "output"}
    half = _without(mirror.graph, sizes.keys() - names)
    vertices = []
    for vertex in half.vertices:
        name = vertex.id
        wide, high = map(max, sizes[name], sizes[mirror.above.get(name, name)])
        vertices.append(replace(vertex, size=(wide, high)))
    return replace(half, vertices=tuple(vertices))
