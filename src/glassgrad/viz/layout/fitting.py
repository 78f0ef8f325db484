"""Places made for nominal boxes, for the boxes as they are.

# Note [One layout for a structure]
# Graphviz is asked where boxes of a nominal size go: as if all numbers were equally long. Then the
# answer is the same for all graphs of a structure, and is remembered. What the numbers really take
# is made room for here: each stretch of the x axis grows or shrinks with the boxes that lie over
# it, by one map that never turns back, so that nothing that was apart comes to overlap. The places
# are a function of the graph alone, whether or not the answer was remembered.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from glassgrad.viz.layout.boxes import SLANT, Box
from glassgrad.viz.layout.places import Layout, Place, Point
from glassgrad.viz.scene.graph import Graph
from glassgrad.viz.style import kind_of

__all__ = ["fit"]


def fit(layout: Layout, graph: Graph, boxes: dict[str, Box]) -> Layout:
    """`layout` with room for `boxes`, and its arcs ending at their borders."""
    stretch = _Stretch(layout, boxes)
    places = {
        name: (stretch.at(x), y, boxes[name].width, boxes[name].height)
        for name, (x, y, _, _) in layout.places.items()
    }
    slanted = {vertex.id for vertex in graph.vertices if kind_of(vertex.kind).shape == "slant"}
    routes = {}
    for arc in graph.arcs:
        if arc.id in layout.routes:
            points = [(stretch.at(x), y) for x, y in layout.routes[arc.id]]
            for end, name in ((0, arc.tail), (-1, arc.head)):
                here, there = layout.places[name], places[name]
                lean = SLANT / 2 if name in slanted else 0.0
                _move_end(points, end, _on_border(layout.routes[arc.id][end], here, there, lean))
            routes[arc.id] = points
    labels = {name: (stretch.at(x), y) for name, (x, y) in layout.labels.items()}
    frames = {
        name: (stretch.at(x), y, round(stretch.at(x + width) - stretch.at(x), 2), height)
        for name, (x, y, width, height) in layout.frames.items()
    }
    return replace(
        layout,
        places=places,
        routes=routes,
        labels=labels,
        frames=frames,
        width=stretch.at(layout.width),
    )


class _Stretch:
    """The map of the x axis."""

    def __init__(self, layout: Layout, boxes: dict[str, Box]) -> None:
        spans = [
            (x - width / 2, x + width / 2, boxes[name].width / width)
            for name, (x, _, width, _) in layout.places.items()
        ]
        marks = {0.0, layout.width, *(end for span in spans for end in span[:2])}
        self.marks = np.array(sorted(marks))
        factors = np.zeros(len(self.marks) - 1)
        for left, right, factor in spans:
            from_, to = np.searchsorted(self.marks, (left, right))
            np.maximum(factors[from_:to], factor, out=factors[from_:to])
        factors[factors == 0] = 1.0  # between the boxes
        steps = np.diff(self.marks) * factors
        self.images = np.concatenate([[self.marks[0]], self.marks[0] + np.cumsum(steps)])

    def at(self, x: float) -> float:
        image: Any = np.interp(x, self.marks, self.images)
        # Beyond the ends the map goes on as it was: a curve may bulge out there.
        beyond = min(x - self.marks[0], 0.0) + max(x - self.marks[-1], 0.0)
        return round(float(image + beyond), 2)


def _on_border(point: Point, here: Place, there: Place, lean: float) -> Point:
    """Where a point on the border of a box is when the box has another place and size."""
    share = (point[0] - here[0]) / here[2]
    inside = lean * (abs(share) > 0.49)
    x = there[0] + share * there[2] - (inside if share > 0 else -inside)
    return round(x, 2), point[1]


def _move_end(points: list[Point], end: int, goal: Point) -> None:
    """Let a curve end at `goal`; its last control point goes along, so that it stays smooth."""
    dx, dy = goal[0] - points[end][0], goal[1] - points[end][1]
    control = 1 if end == 0 else -2
    x, y = points[control]
    points[end], points[control] = goal, (round(x + dx, 2), round(y + dy, 2))
