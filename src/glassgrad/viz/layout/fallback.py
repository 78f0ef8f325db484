"""A plain layered layout of our own, for when Graphviz is absent or takes too long.

Layers by the longest way from the outputs, two sweeps that bring neighbours together, straight
columns. It is linear in the size of the graph, has no recursion, and cannot fail.
"""

from collections import defaultdict

from glassgrad.viz.layout.boxes import Box, box_of
from glassgrad.viz.layout.places import Place, Point
from glassgrad.viz.layout.ties import leaf_ties, notes_of, route_notes, route_ties
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import TIES

__all__ = ["place_by_layers"]

ACROSS, ALONG = 24.0, 64.0  # px between the boxes of a layer, and between layers


def place_by_layers(
    graph: Graph, *, rankdir: str = "LR"
) -> tuple[dict[str, Place], dict[str, list[Point]]]:
    """Where each vertex and each arc of `graph` goes.

    Returns:
        `(x, y, width, height)` of each vertex, x and y being its middle, and for each arc the
        points of one cubic Bézier curve.
    """
    boxes = {vertex.id: box_of(vertex) for vertex in graph.vertices}
    layers = _order(graph, _layers(graph))
    places = _coordinates(layers, boxes, sideways=rankdir == "LR")
    sideways = rankdir == "LR"
    ties = {arc.id for arc in leaf_ties(graph)}
    routes = {
        arc.id: _curve(places[arc.tail], places[arc.head], sideways=sideways)
        for arc in graph.arcs
        if arc.id not in ties
    }
    routes = _spread(graph, routes, sideways=sideways)
    routes |= route_notes(graph, places, sideways=sideways)
    return places, routes | route_ties(graph, places, sideways=sideways)


def _layers(graph: Graph) -> dict[str, int]:
    """The layer of each vertex: one more than the highest of those that lead to it."""
    following: dict[str, list[str]] = defaultdict(list)
    waiting = {vertex.id: 0 for vertex in graph.vertices}
    for arc in graph.arcs:
        if arc.kind in TIES:
            continue
        following[arc.tail].append(arc.head)
        waiting[arc.head] += 1
    layer = dict.fromkeys(waiting, 0)
    queue = [name for name, count in waiting.items() if not count]
    for name in queue:  # grows while it is walked
        for head in following[name]:
            layer[head] = max(layer[head], layer[name] + 1)
            waiting[head] -= 1
            if not waiting[head]:
                queue.append(head)
    for note, holder in notes_of(graph).items():
        layer[note] = layer[holder]
    return layer


def _order(graph: Graph, layer: dict[str, int]) -> list[list[str]]:
    """The vertices by layer, each layer sorted by the mean place of its neighbours."""
    layers: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    neighbours: dict[str, list[str]] = defaultdict(list)
    for name, number in layer.items():
        layers[number].append(name)
    for arc in graph.arcs:
        neighbours[arc.tail].append(arc.head)
        neighbours[arc.head].append(arc.tail)
    place = {name: index - len(row) / 2 for row in layers for index, name in enumerate(row)}
    for sweep in (layers, layers[::-1], layers):
        for row in sweep:
            means = {
                name: sum(place[other] for other in neighbours[name]) / len(neighbours[name])
                for name in row
                if neighbours[name]
            }
            row.sort(key={name: means.get(name, place[name]) for name in row}.__getitem__)
            for index, name in enumerate(row):
                place[name] = index - len(row) / 2
    return layers


def _coordinates(
    layers: list[list[str]], boxes: dict[str, Box], *, sideways: bool
) -> dict[str, Place]:
    places: dict[str, Place] = {}
    widest = max((_length(row, boxes, sideways=sideways) for row in layers), default=0.0)
    along = 0.0
    for row in layers:
        thick = max((boxes[name].width if sideways else boxes[name].height) for name in row)
        across = (widest - _length(row, boxes, sideways=sideways)) / 2
        for name in row:
            box = boxes[name]
            long = box.height if sideways else box.width
            middle = (along + thick / 2, across + long / 2)
            x, y = middle if sideways else middle[::-1]
            places[name] = (x, y, box.width, box.height)
            across += long + ACROSS
        along += thick + ALONG
    return places


def _length(row: list[str], boxes: dict[str, Box], *, sideways: bool) -> float:
    sizes = [boxes[name].height if sideways else boxes[name].width for name in row]
    return sum(sizes) + ACROSS * max(len(row) - 1, 0)


def _curve(tail: Place, head: Place, *, sideways: bool) -> list[Point]:
    """From the far side of `tail` to the near side of `head`; between equals, from edge to edge."""
    along = 0 if sideways else 1
    across = 1 - along
    if abs(head[along] - tail[along]) < (head[2 + along] + tail[2 + along]) / 2:
        sign = 1 if head[across] > tail[across] else -1
        start, end = [tail[0], tail[1]], [head[0], head[1]]
        start[across] += sign * tail[2 + across] / 2
        end[across] -= sign * head[2 + across] / 2
        return [(start[0], start[1]), (start[0], start[1]), (end[0], end[1]), (end[0], end[1])]
    sign = 1 if head[along] > tail[along] else -1
    start, end = [tail[0], tail[1]], [head[0], head[1]]
    start[along] += sign * tail[2 + along] / 2
    end[along] -= sign * head[2 + along] / 2
    middle = (start[along] + end[along]) / 2
    first, second = list(start), list(end)
    first[along] = second[along] = middle
    return [(point[0], point[1]) for point in (start, first, second, end)]


def _spread(
    graph: Graph, routes: dict[str, list[Point]], *, sideways: bool
) -> dict[str, list[Point]]:
    """Arcs between the same two vertices bulge apart: `a * a` has two edges, and shows two."""
    twins: dict[tuple[str, str], list[str]] = defaultdict(list)
    for arc in graph.arcs:
        if arc.id in routes:
            twins[arc.tail, arc.head].append(arc.id)
    for names in twins.values():
        for index, name in enumerate(names):
            bulge = (index - (len(names) - 1) / 2) * 16.0
            dx, dy = (0.0, bulge) if sideways else (bulge, 0.0)
            start, first, second, end = routes[name]
            shifted = [(x + dx, y + dy) for x, y in (first, second)]
            near = [(x + dx / 2, y + dy / 2) for x, y in (start, end)]
            routes[name] = [near[0], *shifted, near[1]]
    return routes
