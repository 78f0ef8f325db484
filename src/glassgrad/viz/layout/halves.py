"""Layouts of two halves, one above the other, and the lines between them.

A gradient's own graph hangs below the graph of the pass that made it, turned round: its nodes were
recorded from left to right as the pass went along, so its arrows lead from right to left, and each
node stands about where the node is whose rule made it. In a mirror view one half is laid out, and
the other is its image.

All is for a picture from left to right; one from top to bottom is turned afterwards, and until then
its boxes are as wide as they are high (`sideways` is False).
"""

from collections.abc import Callable, Container
from dataclasses import replace
from statistics import fmean, median_high

from glassgrad.viz.layout.lines import Router
from glassgrad.viz.layout.places import Layout, Place, Places, Route, Sizes, sizes_of
from glassgrad.viz.scene.graph import Arc, Graph
from glassgrad.viz.scene.mirror import Mirror
from glassgrad.viz.scene.snapshot import GRADIENT
from glassgrad.viz.wording import notices

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


# --- forward and backward face to face -----------------------------------------------------------


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
        row = (number - (len(outputs) - 1) / 2) * (places[name].height + BESIDE)
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
        near = [o for o in stacked.values() if abs(x - o.x) < (width + o.width) / 2 + BESIDE]
        upper = max([other.bottom + BESIDE for other in near], default=top)
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
