"""Layouts of two halves, one above the other, and the lines between them.

A gradient's own graph hangs below the graph of the pass that made it, turned round: its nodes were
recorded from left to right as the pass went along, so its arrows lead from right to left, and each
node stands about where the node is whose rule made it. In a mirror view one half is laid out, and
the other is its image.

All is for a picture from left to right; one from top to bottom is turned afterwards, and until then
its boxes are as wide as they are high (`sideways` is False).
"""

from collections.abc import Callable
from dataclasses import replace

from glassgrad.viz.layout.lines import Router
from glassgrad.viz.layout.places import Frame, Layout, Place, Route, box_of, size_of
from glassgrad.viz.scene.graph import Arc, Graph
from glassgrad.viz.scene.mirror import Mirror
from glassgrad.viz.scene.snapshot import GRADIENT

CHANNEL = 18.0  # px between a half and the first line in the channel below it
LANE = 8.0  # px between two lines there
CAPTION = 16.0  # px above the boxes of a frame, for its title
GAP = 30.0  # px between a half and the notes between the halves
BESIDE = 18.0  # px between two notes


# --- a gradient's own graph ----------------------------------------------------------------------


def hangs_below(graph: Graph) -> set[str]:
    """The vertices of a gradient's own graph, with what hangs on them alone; empty if none.

    What a transform's pass recorded on the level below is in the frame of that level instead.
    """
    grown = {name for c in graph.clusters if c.title == GRADIENT for name in c.members}
    below = {arc.tail for arc in graph.arcs if arc.kind == "origin" and arc.tail in grown}
    users: dict[str, set[bool]] = {}
    for arc in graph.arcs:
        users.setdefault(arc.head, set()).add(arc.tail in below)
    serving = {"saved", "none", "stub", "view", "error"}
    alone = {v.id for v in graph.vertices if v.kind in serving and users.get(v.id) == {True}}
    return below | alone if below else set()


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
    top = lay_out(_part(graph, below, inside=False))
    bottom = lay_out(_part(graph, below, inside=True)).flipped()
    between = [arc for arc in graph.arcs if (arc.tail in below) != (arc.head in below)]
    lanes = _lanes(between)
    deep = 2 * CHANNEL + LANE * max(lanes.values(), default=0) + CAPTION * sideways
    # Aside as far as it takes for nodes to stand below their origins.
    ties = [arc for arc in between if arc.kind == "origin"]
    gaps = sorted(top.places[arc.head].x - bottom.places[arc.tail].x for arc in ties)
    aside = round(gaps[len(gaps) // 2], 2) if gaps else 0.0
    bottom = bottom.moved(max(aside, 0.0), top.height + deep)
    both = _together(top.moved(max(-aside, 0.0), 0.0), bottom)
    outside = -_frame(both, below, sideways=sideways)[0]
    both = both.moved(max(outside, 0.0), 0.0)
    frame = left, upper, width, height = _frame(both, below, sideways=sideways)
    return replace(
        both,
        routes=both.routes | _routes_between(between, lanes, both.places, top.height + CHANNEL),
        frames=both.frames | {c.id: frame for c in graph.clusters if c.title == GRADIENT},
        width=max(both.width, left + width),
        height=max(both.height, upper + height),
    )


def _part(graph: Graph, below: set[str], *, inside: bool) -> Graph:
    """The vertices on one side, the arcs among them, and the frames that hold them only."""
    vertices = tuple(vertex for vertex in graph.vertices if (vertex.id in below) == inside)
    names = {vertex.id for vertex in vertices}
    arcs = tuple(arc for arc in graph.arcs if arc.tail in names and arc.head in names)
    others = (c for c in graph.clusters if c.title != GRADIENT and set(c.members) <= names)
    return replace(graph, vertices=vertices, arcs=arcs, clusters=() if inside else tuple(others))


def _together(top: Layout, bottom: Layout) -> Layout:
    return replace(
        top,
        places=top.places | bottom.places,
        routes=top.routes | bottom.routes,
        labels=top.labels | bottom.labels,
        frames=top.frames | bottom.frames,
        width=max(top.width, bottom.width),
        height=max(top.height, bottom.height),
        notice="; ".join(dict.fromkeys(part for part in (top.notice, bottom.notice) if part)),
    )


def _frame(layout: Layout, names: set[str], *, sideways: bool) -> Frame:
    """The frame around boxes, with room for its title: above, which is on the left until turned."""
    places = [layout.places[name] for name in names]
    left = min(place.left for place in places) - 16 - CAPTION * (not sideways)
    right = max(place.right for place in places) + 16
    upper = min(place.top for place in places) - 12 - CAPTION * sideways
    lower = max(place.bottom for place in places) + 12
    return round(left, 2), round(upper, 2), round(right - left, 2), round(lower - upper, 2)


def _lanes(arcs: list[Arc]) -> dict[str, int]:
    """The lane of each line between the halves: ties to one origin share one."""
    names = {arc.id: f"to {arc.head}" if arc.kind == "origin" else arc.id for arc in arcs}
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names.values()))}
    return {id: numbers[name] for id, name in names.items()}


def _routes_between(
    arcs: list[Arc], lanes: dict[str, int], places: dict[str, Place], top: float
) -> dict[str, Route]:
    """The lines between two halves; the first lane is at `top`."""
    router = Router(places)
    reached: dict[float, list[float]] = {}  # from where to where a lane is drawn
    routes = {}
    for arc in arcs:
        lane = top + LANE * lanes[arc.id]
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


# --- forward and backward face to face -----------------------------------------------------------


def lay_out_facing(mirror: Mirror, lay_out: Callable[[Graph], Layout], *, sideways: bool) -> Layout:
    """Lay out a mirror view; the arguments are those of `lay_out_stacked`."""
    return _Facing(mirror, lay_out(_half(mirror)).flipped(), sideways=sideways).layout()


def _half(mirror: Mirror) -> Graph:
    """The backward half, each box as large as the larger one of it and its image."""
    known = {vertex.id: vertex for vertex in mirror.graph.vertices}
    names = mirror.below | {v.id for v in mirror.graph.vertices if v.kind == "output"}
    vertices = []
    for vertex in mirror.graph.vertices:
        if vertex.id in names:
            boxes = box_of(vertex), box_of(known.get(mirror.above.get(vertex.id, ""), vertex))
            size = max(box.width for box in boxes), max(box.height for box in boxes)
            vertices.append(replace(vertex, size=size))
    arcs = [arc for arc in mirror.graph.arcs if arc.tail in names and arc.head in names]
    return replace(mirror.graph, vertices=tuple(vertices), arcs=tuple(arcs), clusters=())


class _Facing:
    """Puts the two halves of a mirror view together."""

    def __init__(self, mirror: Mirror, half: Layout, *, sideways: bool) -> None:
        self.mirror = mirror
        self.vertices = {vertex.id: vertex for vertex in mirror.graph.vertices}
        self.sizes = {v.id: size_of(v, sideways=sideways) for v in mirror.graph.vertices}
        tails = [arc.tail for arc in mirror.graph.arcs if arc.kind == "saved"]
        heights = [half.places[name].y for name in tails if name in half.places]
        deep = bool(heights) and sum(heights) / len(heights) > half.height / 2
        self.half = half.upside_down() if deep else half  # what saved something is near its notes
        notes = self._notes()
        band = max((place.bottom for place in notes.values()), default=0.0)
        self.depth = half.height + (band + 2 * GAP if notes else 3 * GAP)
        self.lower, self.upper = self.half.moved(0.0, self.depth), self.half.upside_down()
        self.places = self._both_halves()
        for name, place in notes.items():
            self.places[name] = place._replace(y=place.y + half.height + GAP)
        self._place_outputs()
        self._place_rest()

    def layout(self) -> Layout:
        """All of it."""
        arcs, ways = self.mirror.graph.arcs, self.mirror.ways
        from_output = {arc.id for arc in arcs if self.vertices[arc.tail].kind == "output"}
        routes = {id: way for id, way in self.lower.routes.items() if id not in from_output}
        routes |= {ways[id]: self.upper.routes[id][::-1] for id in routes if id in ways}
        router = Router(self.places)
        for arc in arcs:
            if arc.id not in routes:
                tail, head = self.places[arc.tail], self.places[arc.head]
                if arc.id in from_output:
                    routes[arc.id] = _quarter(head, tail)[::-1]
                elif self.vertices[arc.head].kind == "output":
                    routes[arc.id] = _quarter(tail, head)
                else:
                    routes[arc.id] = router.up_or_down(arc)
        return replace(self.lower, places=self.places, routes=routes, frames={}).trimmed()

    def _notes(self) -> dict[str, Place]:
        """The notes below each other where they would overlap; the first row is at height 0."""
        users: dict[str, list[float]] = {}
        for arc in self.mirror.graph.arcs:
            if arc.kind == "saved" and arc.tail in self.half.places:
                users.setdefault(arc.head, []).append(self.half.places[arc.tail].x)
        rows: list[dict[str, Place]] = []
        for vertex in self.vertices.values():
            if vertex.kind == "saved" and vertex.id in users:
                x = sum(users[vertex.id]) / len(users[vertex.id])
                place = Place(x, 0.0, *self.sizes[vertex.id])
                row = next((row for row in rows if _is_free(row, place)), None)
                if row is None:
                    rows.append({vertex.id: place})
                else:
                    row[vertex.id] = place
        placed: dict[str, Place] = {}
        top = 0.0
        for row in rows:
            deep = max(place.height for place in row.values())
            placed |= {name: place._replace(y=top + deep / 2) for name, place in row.items()}
            top += deep + BESIDE
        return placed

    def _both_halves(self) -> dict[str, Place]:
        """Both halves. As long as each other they are, and as high as their texts ask for."""
        above = self.mirror.above
        places = dict(self.lower.places)
        places |= {above[id]: at for id, at in self.upper.places.items() if id in above}
        return {id: place._replace(height=self.sizes[id][1]) for id, place in places.items()}

    def _place_outputs(self) -> None:
        """Where forward ends and backward begins: at the right, between the halves."""
        outputs = [v for v in self.vertices.values() if v.kind == "output" and v.id in self.places]
        middle = (self.half.height + self.depth) / 2
        for number, vertex in enumerate(outputs):
            place = self.places[vertex.id]
            y = middle + (number - (len(outputs) - 1) / 2) * (place.height + BESIDE)
            self.places[vertex.id] = place._replace(y=round(y, 2))

    def _place_rest(self) -> None:
        """A leaf that is drawn as stubs stands by itself, at the left."""
        top = 0.0
        rest = [vertex for name, vertex in self.vertices.items() if name not in self.places]
        wide = max([self.sizes[vertex.id][0] for vertex in rest], default=0.0) + GAP
        for vertex in rest:
            width, height = self.sizes[vertex.id]
            self.places[vertex.id] = Place(width / 2 - wide, top + height / 2, width, height)
            top += height + BESIDE


def _is_free(row: dict[str, Place], place: Place) -> bool:
    return all(
        abs(place.x - other.x) >= (place.width + other.width) / 2 + BESIDE for other in row.values()
    )


def _quarter(box: Place, output: Place) -> Route:
    """From the right of a box to the top or bottom of an output further right."""
    start = box.right, box.y
    end = output.x, output.top if output.y > box.y else output.bottom
    return [start, (end[0], start[1]), (end[0], start[1]), end]
