"""A plain layered layout of our own, for when Graphviz is absent or takes too long.

Layers by the longest way from the outputs, two sweeps that bring neighbours together, straight
columns. It is linear in the size of the graph, has no recursion, and cannot fail. All is for a
picture from left to right; one from top to bottom is turned afterwards.
"""

from collections import defaultdict
from statistics import fmean

import numpy as np

from glassgrad.viz.layout.lines import notes_of
from glassgrad.viz.layout.places import Layout, Place, Places, Route, Sizes, sizes_of
from glassgrad.viz.scene.graph import Arc, Graph
from glassgrad.viz.style import TIES

ACROSS, ALONG = 24.0, 64.0  # px between the boxes of a layer, and between layers
APART = 16.0  # px between two arrows that join the same two boxes


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
            bulge = (index - (len(names) - 1) / 2) * APART
            start, end = (tail.right, tail.y + bulge / 2), (head.left, head.y + bulge / 2)
            routes[name] = [start, (middle, tail.y + bulge), (middle, head.y + bulge), end]
    return routes
