"""Where the boxes of a mirror view go: one half is laid out, the other is its image.

All is written for a picture from left to right; one from top to bottom is turned first.
"""

from collections.abc import Callable
from dataclasses import replace

from glassgrad.viz.layout.boxes import box_of
from glassgrad.viz.layout.places import Layout, Place, Point
from glassgrad.viz.layout.storeys import flipped, trimmed, turned
from glassgrad.viz.layout.ties import connect
from glassgrad.viz.scene.graph import Arc, Graph, Vertex
from glassgrad.viz.scene.mirror import Mirror

__all__ = ["lay_out_facing"]

GAP = 30.0  # px between a half and the notes between the halves
BESIDE = 18.0  # px between two notes


def lay_out_facing(mirror: Mirror, lay_out: Callable[[Graph], Layout], *, sideways: bool) -> Layout:
    """Lay out a mirror view.

    Args:
        mirror: what to place.
        lay_out: how one half is laid out.
        sideways: whether forward goes from left to right.
    """
    half = lay_out(_half(mirror))
    half = _notes_first(mirror, flipped(half if sideways else turned(half)))
    layout = _Facing(mirror, half, sideways=sideways).layout()
    return layout if sideways else turned(layout)


def _notes_first(mirror: Mirror, half: Layout) -> Layout:
    """`half` with the nodes that saved something at the top, where the notes are."""
    tails = [arc.tail for arc in mirror.graph.arcs if arc.kind == "saved"]
    heights = [half.places[name][1] for name in tails if name in half.places]
    deep = bool(heights) and sum(heights) / len(heights) > half.height / 2
    return flipped(half, upside_down=True) if deep else half


def _half(mirror: Mirror) -> Graph:
    """The backward half, each box as large as the larger one of it and its image."""
    known = {vertex.id: vertex for vertex in mirror.graph.vertices}
    names = mirror.below | {v.id for v in mirror.graph.vertices if v.kind == "output"}
    vertices = []
    for vertex in mirror.graph.vertices:
        if vertex.id in names:
            opposite = known.get(mirror.above.get(vertex.id, ""), vertex)
            boxes = box_of(vertex), box_of(opposite)
            size = max(box.width for box in boxes), max(box.height for box in boxes)
            vertices.append(replace(vertex, size=size))
    arcs = [arc for arc in mirror.graph.arcs if arc.tail in names and arc.head in names]
    return replace(mirror.graph, vertices=tuple(vertices), arcs=tuple(arcs), clusters=())


class _Facing:
    """Puts the two halves together."""

    def __init__(self, mirror: Mirror, half: Layout, *, sideways: bool) -> None:
        self.mirror, self.half, self.sideways = mirror, half, sideways
        self.graph = mirror.graph
        self.kinds = {vertex.id: vertex.kind for vertex in self.graph.vertices}
        notes = self._notes()
        band = max((y + h / 2 for _, y, _, h in notes.values()), default=0.0)
        self.depth = half.height + (band + 2 * GAP if notes else 3 * GAP)
        self.places = self._mirrored_places()
        for name, (x, y, w, h) in notes.items():
            self.places[name] = (x, y + half.height + GAP, w, h)
        self._place_outputs()
        self._place_rest()

    def layout(self) -> Layout:
        """All of it."""
        routes = self._mirrored_routes()
        taken = list(self.places.values())
        uses: dict[str, int] = {}
        for arc in self.graph.arcs:
            if arc.id not in routes and arc.tail in self.places and arc.head in self.places:
                routes[arc.id] = self._route(arc, taken, uses)
        labels = {name: (x, y + self.depth) for name, (x, y) in self.half.labels.items()}
        both = replace(self.half, places=self.places, routes=routes, labels=labels, frames={})
        return trimmed(both)

    # --- boxes ---

    def _size(self, vertex: Vertex) -> tuple[float, float]:
        box = box_of(vertex)
        return (box.width, box.height) if self.sideways else (box.height, box.width)

    def _notes(self) -> dict[str, Place]:
        """The notes below each other where they would overlap; the first row is at height 0."""
        users: dict[str, list[float]] = {}
        for arc in self.graph.arcs:
            if arc.kind == "saved" and arc.tail in self.half.places:
                users.setdefault(arc.head, []).append(self.half.places[arc.tail][0])
        rows: list[list[Place]] = []
        deep: list[float] = []
        placed = {}
        for vertex in self.graph.vertices:
            if vertex.kind == "saved" and vertex.id in users:
                w, h = self._size(vertex)
                x = sum(users[vertex.id]) / len(users[vertex.id])
                row = next((r for r, row in enumerate(rows) if _is_free(row, x, w)), len(rows))
                if row == len(rows):
                    rows.append([])
                    deep.append(0.0)
                rows[row].append((x, 0.0, w, h))
                deep[row] = max(deep[row], h)
                placed[vertex.id] = (x, row, w, h)
        tops = [sum(deep[:row]) + BESIDE * row for row in range(len(deep))]
        return {
            name: (x, tops[row] + deep[row] / 2, w, h) for name, (x, row, w, h) in placed.items()
        }

    def _mirrored_places(self) -> dict[str, Place]:
        """Both halves. As long as each other they are, and as high as their texts ask for."""
        height = self.half.height
        high = {vertex.id: self._size(vertex)[1] for vertex in self.graph.vertices}
        places = {}
        for name, (x, y, w, _) in self.half.places.items():
            places[name] = (x, round(y + self.depth, 2), w, high[name])
            if name in self.mirror.above:
                above = self.mirror.above[name]
                places[above] = (x, round(height - y, 2), w, high[above])
        return places

    def _place_outputs(self) -> None:
        """Where forward ends and backward begins: at the right, between the halves."""
        outputs = [v for v in self.graph.vertices if v.kind == "output" and v.id in self.places]
        middle = (self.half.height + self.depth) / 2
        for number, vertex in enumerate(outputs):
            x, _, w, h = self.places[vertex.id]
            y = middle + (number - (len(outputs) - 1) / 2) * (h + BESIDE)
            self.places[vertex.id] = (x, round(y, 2), w, h)

    def _place_rest(self) -> None:
        """A leaf that is drawn as stubs stands by itself, at the left."""
        rest = [v for v in self.graph.vertices if v.id not in self.places]
        if not rest:
            return
        wide = max(self._size(vertex)[0] for vertex in rest) + GAP
        for name, (x, y, w, h) in self.places.items():
            self.places[name] = (x + wide, y, w, h)
        self.half = replace(
            self.half,
            routes={n: [(x + wide, y) for x, y in r] for n, r in self.half.routes.items()},
            labels={n: (x + wide, y) for n, (x, y) in self.half.labels.items()},
        )
        below = 0.0
        for vertex in rest:
            w, h = self._size(vertex)
            self.places[vertex.id] = (w / 2, below + h / 2, w, h)
            below += h + BESIDE

    # --- lines ---

    def _mirrored_routes(self) -> dict[str, list[Point]]:
        outputs = {v.id for v in self.graph.vertices if v.kind == "output"}
        ends = {arc.id: arc.tail for arc in self.graph.arcs}
        routes = {}
        for name, points in self.half.routes.items():
            if ends.get(name) in outputs:
                continue
            routes[name] = [(x, round(y + self.depth, 2)) for x, y in points]
            if name in self.mirror.ways:
                image = [(x, round(self.half.height - y, 2)) for x, y in points]
                routes[self.mirror.ways[name]] = image[::-1]
        return routes

    def _route(self, arc: Arc, taken: list[Place], uses: dict[str, int]) -> list[Point]:
        tail, head = self.places[arc.tail], self.places[arc.head]
        if self.kinds[arc.tail] == "output":
            return _quarter(head, tail)[::-1]
        if self.kinds[arc.head] == "output":
            return _quarter(tail, head)
        return connect(arc, tail, head, taken, uses)


def _is_free(row: list[Place], x: float, width: float) -> bool:
    return all(abs(x - other) >= (width + w) / 2 + BESIDE for other, _, w, _ in row)


def _quarter(box: Place, output: Place) -> list[Point]:
    """From the right of a box to the top or bottom of an output further right."""
    start = box[0] + box[2] / 2, box[1]
    down = output[1] > box[1]
    end = output[0], output[1] + (-output[3] / 2 if down else output[3] / 2)
    return [start, (end[0], start[1]), (end[0], start[1]), end]
