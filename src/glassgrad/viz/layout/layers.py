"""A plain layered layout of our own, for when Graphviz is absent or takes too long.

Layers by the longest way from the outputs, two sweeps that bring neighbours together, straight
columns. It is linear in the size of the graph, has no recursion, and cannot fail. All is for a
picture from left to right; one from top to bottom is turned afterwards.
"""

from collections import defaultdict
from statistics import fmean

import numpy as np

from glassgrad.viz.layout.lines import lane_ties, notes_of
from glassgrad.viz.layout.places import Layout, Place, Route, size_of
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import TIES

ACROSS, ALONG = 24.0, 64.0  # px between the boxes of a layer, and between layers
APART = 16.0  # px between two arcs that join the same two boxes


def lay_out_by_layers(graph: Graph, *, sideways: bool = True) -> Layout:
    """Where each vertex and each arc of `graph` goes, but for the ties among nodes and leaves.

    Args:
        graph: what to place.
        sideways: False if the layout will be turned, and its boxes are as wide as they are high.
    """
    sizes = {vertex.id: size_of(vertex, sideways=sideways) for vertex in graph.vertices}
    places = _places(_sorted_layers(graph, _layer_of(graph)), sizes)
    routes = _routes(graph, places)
    labels = {}
    for arc in graph.arcs:
        if arc.label:
            x, y = np.dot([1, 3, 3, 1], routes[arc.id]) / 8  # the middle of the curve
            labels[arc.id] = float(x), float(y)
    width = max((place.right for place in places.values()), default=0.0)
    height = max((place.bottom for place in places.values()), default=0.0)
    return Layout(places, routes, labels, width, height, "glassgrad's own layers")


def _layer_of(graph: Graph) -> dict[str, int]:
    """The layer of each vertex: one more than the highest of those that lead to it."""
    following: dict[str, list[str]] = defaultdict(list)
    waiting = {vertex.id: 0 for vertex in graph.vertices}
    for arc in graph.arcs:
        if arc.kind not in TIES:
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


def _sorted_layers(graph: Graph, layer_of: dict[str, int]) -> list[list[str]]:
    """The vertices by layer, each layer sorted by the mean place of its neighbours."""
    layers: list[list[str]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for name, number in layer_of.items():
        layers[number].append(name)
    neighbours: dict[str, list[str]] = defaultdict(list)
    for arc in graph.arcs:
        neighbours[arc.tail].append(arc.head)
        neighbours[arc.head].append(arc.tail)
    place = {name: index - len(layer) / 2 for layer in layers for index, name in enumerate(layer)}

    def mean(name: str) -> float:
        return fmean([place[other] for other in neighbours[name]] or [place[name]])

    for layer in (*layers, *layers[::-1], *layers):
        layer.sort(key=mean)  # calls it for all before it sorts
        for index, name in enumerate(layer):
            place[name] = index - len(layer) / 2
    return layers


def _places(layers: list[list[str]], sizes: dict[str, tuple[float, float]]) -> dict[str, Place]:
    """Each layer a column; the columns are centred."""
    heights = [
        sum(sizes[name][1] for name in layer) + ACROSS * max(len(layer) - 1, 0) for layer in layers
    ]
    places: dict[str, Place] = {}
    left = 0.0
    for layer, high in zip(layers, heights, strict=True):
        wide = max(sizes[name][0] for name in layer)
        top = (max(heights) - high) / 2
        for name in layer:
            width, height = sizes[name]
            places[name] = Place(left + wide / 2, top + height / 2, width, height)
            top += height + ACROSS
        left += wide + ALONG
    return places


def _routes(graph: Graph, places: dict[str, Place]) -> dict[str, Route]:
    """Arcs between the same two vertices bulge apart: `a * a` has two edges, and shows two."""
    later = {arc.id for arc in lane_ties(graph, notes_of(graph))}
    parallel: dict[tuple[str, str], list[str]] = defaultdict(list)
    for arc in graph.arcs:
        if arc.id not in later:
            parallel[arc.tail, arc.head].append(arc.id)
    routes = {}
    for (tail, head), names in parallel.items():
        start, first, second, end = _curve(places[tail], places[head])
        for index, name in enumerate(names):
            bulge = (index - (len(names) - 1) / 2) * APART
            shifts = (start, bulge / 2), (first, bulge), (second, bulge), (end, bulge / 2)
            routes[name] = [(x, y + shift) for (x, y), shift in shifts]
    return routes


def _curve(tail: Place, head: Place) -> Route:
    """From the far side of `tail` to the near side of `head`; in one layer, from edge to edge."""
    if abs(head.x - tail.x) < (head.width + tail.width) / 2:
        sign = 1 if head.y > tail.y else -1
        start = tail.x, tail.y + sign * tail.height / 2
        end = head.x, head.y - sign * head.height / 2
        return [start, start, end, end]
    sign = 1 if head.x > tail.x else -1
    start = tail.x + sign * tail.width / 2, tail.y
    end = head.x - sign * head.width / 2, head.y
    middle = (start[0] + end[0]) / 2
    return [start, (middle, start[1]), (middle, end[1]), end]
