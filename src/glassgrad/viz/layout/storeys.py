"""Two layouts, one above the other, and the lines between them.

A gradient's own graph hangs below the graph of the pass that made it, turned round: its nodes were
recorded from left to right as the pass went along, so its arrows lead from right to left, and each
node stands about where the node is whose rule made it. Lines from storey to storey go through the
landing between the two, straight up or down where no box is in the way.

All is written for a picture from left to right; one from top to bottom is turned first.
"""

from collections.abc import Callable
from dataclasses import replace

from glassgrad.viz.layout.places import Layout, Place, Point
from glassgrad.viz.layout.ties import ROOM, STUB, free_way, rounded
from glassgrad.viz.scene.clusters import GRADIENT
from glassgrad.viz.scene.graph import Arc, Graph

__all__ = ["flipped", "hangs_below", "lay_out_storeys", "trimmed", "turned"]

LANDING = 18.0  # px between a storey and the first line on the landing
LANE = 8.0  # px between two lines there
CAPTION = 16.0  # px above the boxes of a frame, for its title


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


def lay_out_storeys(
    graph: Graph, below: set[str], lay_out: Callable[[Graph], Layout], *, sideways: bool
) -> Layout:
    """Lay out `graph` in two storeys.

    Args:
        graph: what to place.
        below: the vertices of the lower storey.
        lay_out: how one storey is laid out.
        sideways: whether the gradient goes from left to right.
    """
    lower, upper = _part(graph, below, inside=True), _part(graph, below, inside=False)
    top, bottom = lay_out(upper), lay_out(lower)
    top, bottom = (top, bottom) if sideways else (turned(top), turned(bottom))
    between = [arc for arc in graph.arcs if (arc.tail in below) != (arc.head in below)]
    lanes = list(dict.fromkeys(_bundle(arc) for arc in between))
    landing = 2 * LANDING + LANE * max(len(lanes) - 1, 0) + CAPTION * sideways
    bottom = flipped(bottom)
    aside = _aside(top, bottom, [arc for arc in between if arc.kind == "origin"])
    bottom = _moved(bottom, max(aside, 0.0), top.height + landing)
    top = _moved(top, max(-aside, 0.0), 0.0)
    both = _together(top, bottom)
    outside = -_frame([both.places[name] for name in below], sideways=sideways)[0]
    both = _moved(both, max(outside, 0.0), 0.0)
    first = top.height + LANDING
    lines = {bundle: first + LANE * number for number, bundle in enumerate(lanes)}
    both = replace(both, routes=both.routes | _bridges(between, both.places, lines))
    frame = _frame([both.places[name] for name in below], sideways=sideways)
    frames = both.frames | {c.id: frame for c in graph.clusters if c.title == GRADIENT}
    height = max(both.height, frame[1] + frame[3])
    both = replace(both, frames=frames, height=height, width=max(both.width, frame[0] + frame[2]))
    return both if sideways else turned(both)


def _part(graph: Graph, below: set[str], *, inside: bool) -> Graph:
    """The vertices on one side, the arcs among them, and the frames that hold them only."""
    vertices = tuple(vertex for vertex in graph.vertices if (vertex.id in below) == inside)
    names = {vertex.id for vertex in vertices}
    arcs = tuple(arc for arc in graph.arcs if arc.tail in names and arc.head in names)
    others = (c for c in graph.clusters if c.title != GRADIENT and set(c.members) <= names)
    frames = () if inside else tuple(others)
    return replace(graph, vertices=vertices, arcs=arcs, clusters=frames)


def _bundle(arc: Arc) -> str:
    """Ties to one origin share a line; every other arc has its own."""
    return f"to {arc.head}" if arc.kind == "origin" else arc.id


def _aside(top: Layout, bottom: Layout, ties: list[Arc]) -> float:
    """How far to the right the lower storey goes, so that nodes stand below their origins."""
    gaps = sorted(top.places[arc.head][0] - bottom.places[arc.tail][0] for arc in ties)
    return round(gaps[len(gaps) // 2], 2) if gaps else 0.0


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


def _frame(places: list[Place], *, sideways: bool) -> Place:
    """The frame around boxes, with room for its title: above, which is on the left until turned."""
    left = min(x - w / 2 for x, _, w, _ in places) - 16 - CAPTION * (not sideways)
    right = max(x + w / 2 for x, _, w, _ in places) + 16
    upper = min(y - h / 2 for _, y, _, h in places) - 12 - CAPTION * sideways
    lower = max(y + h / 2 for _, y, _, h in places) + 12
    return round(left, 2), round(upper, 2), round(right - left, 2), round(lower - upper, 2)


# --- lines on the landing ------------------------------------------------------------------------


def _bridges(
    arcs: list[Arc], places: dict[str, Place], lines: dict[str, float]
) -> dict[str, list[Point]]:
    """The routes of the arcs between the storeys, each along its line of the landing."""
    taken = list(places.values())  # and later the lines that are drawn, as boxes without width
    risers: dict[str, list[Point]] = {}
    reached: dict[str, tuple[float, float]] = {}  # from where to where a bundle's line is drawn
    ends: dict[str, int] = {}
    routes = {}
    for arc in arcs:
        bundle = _bundle(arc)
        line, tail, head = lines[bundle], places[arc.tail], places[arc.head]
        start = _riser(taken, tail, line, _place_of(arc.tail, tail, ends))
        taken.append(_as_box(start))
        x = start[-1][0]
        if bundle not in risers:
            risers[bundle] = _riser(taken, head, line, _place_of(arc.head, head, ends))
            taken.append(_as_box(risers[bundle]))
            way = [*start, *reversed(risers[bundle])]
            first, last = x, risers[bundle][-1][0]
        else:  # it joins what is there: dashes drawn twice would be a solid line
            first, last = reached[bundle]
            join = min(max(x, first), last)
            way = [*start, (join, line)]
        low, high = min(first, last, x), max(first, last, x)
        reached[bundle] = low, high
        routes[arc.id] = rounded(_without_repeats(way))
    return routes


def _as_box(riser: list[Point]) -> Place:
    (x, start), (_, end) = riser[-2:]
    return x, (start + end) / 2, 0.0, abs(end - start)


def _place_of(name: str, box: Place, ends: dict[str, int]) -> float:
    """Where the next line begins or ends at a box: in the middle, then right and left of it."""
    number = ends[name] = ends.get(name, 0) + 1
    step = (number // 2) * 2 * ROOM * (1 if number % 2 else -1)
    return box[0] + max(min(step, box[2] / 2 - 12), 12 - box[2] / 2)


def _riser(boxes: list[Place], box: Place, line: float, x: float) -> list[Point]:
    """From the border of a box to the line, past the boxes in between."""
    sign = 1.0 if line > box[1] else -1.0
    border = box[1] + sign * box[3] / 2
    way = free_way(boxes, x, border + sign, line, x)
    if way == x:
        return [(x, border), (x, line)]
    turn = border + sign * STUB
    return [(x, border), (x, turn), (way, turn), (way, line)]


def _without_repeats(points: list[Point]) -> list[Point]:
    kept = points[:1]
    for point in points[1:]:
        if point != kept[-1]:
            kept.append(point)
    return kept


# --- layouts as a whole --------------------------------------------------------------------------


def _mapped(layout: Layout, point: Callable[[float, float], Point], *, swap: bool) -> Layout:
    """`layout` with every point mapped; `swap` says that width and height change places."""

    def frame(x: float, y: float, w: float, h: float) -> Place:
        (a, b), (c, d) = point(x, y), point(x + w, y + h)
        return min(a, c), min(b, d), round(abs(c - a), 2), round(abs(d - b), 2)

    width, height = (layout.height, layout.width) if swap else (layout.width, layout.height)
    return replace(
        layout,
        places={
            name: (*point(x, y), *((h, w) if swap else (w, h)))
            for name, (x, y, w, h) in layout.places.items()
        },
        routes={name: [point(*each) for each in route] for name, route in layout.routes.items()},
        labels={name: point(*each) for name, each in layout.labels.items()},
        frames={name: frame(*each) for name, each in layout.frames.items()},
        width=width,
        height=height,
    )


def turned(layout: Layout) -> Layout:
    """`layout` with x and y changed."""
    return _mapped(layout, lambda x, y: (y, x), swap=True)


def flipped(layout: Layout, *, upside_down: bool = False) -> Layout:
    """`layout` with left and right changed, or above and below."""
    if upside_down:
        return _mapped(layout, lambda x, y: (x, round(layout.height - y, 2)), swap=False)
    return _mapped(layout, lambda x, y: (round(layout.width - x, 2), y), swap=False)


def _moved(layout: Layout, right: float, down: float) -> Layout:
    moved = _mapped(layout, lambda x, y: (round(x + right, 2), round(y + down, 2)), swap=False)
    return replace(moved, width=layout.width + right, height=layout.height + down)


def trimmed(layout: Layout) -> Layout:
    """`layout` with no room around what is in it."""
    points = [point for route in layout.routes.values() for point in route]
    for x, y, w, h in layout.places.values():
        points += [(x - w / 2, y - h / 2), (x + w / 2, y + h / 2)]
    if not points:
        return layout
    (left, right), (low, high) = (
        (min(values), max(values)) for values in zip(*points, strict=True)
    )
    moved = _moved(layout, -left, -low)
    return replace(moved, width=round(right - left, 2), height=round(high - low, 2))
