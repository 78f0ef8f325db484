import pytest

from checks import together
from glassgrad.viz.layout.lines import notes_of, with_ties
from glassgrad.viz.layout.places import Layout, Place
from glassgrad.viz.scene.graph import Arc, Graph, Vertex


def graph(*ties):
    kinds = {"n1": "function", "n2": "function", "t0": "leaf", "s0": "saved"}
    vertices = tuple(Vertex(name, kind, name) for name, kind in kinds.items())
    arcs = [Arc(f"d{rank}-0", tail, head, "saved") for rank, (tail, head) in enumerate(ties)]
    return Graph(vertices, tuple(arcs), "", "")


# A node, a box below it, one on the way, and the leaf.
PLACES = {
    "n1": Place(50.0, 20.0, 80.0, 40.0),
    "s0": Place(50.0, 90.0, 100.0, 40.0),
    "n2": Place(250.0, 60.0, 80.0, 60.0),
    "t0": Place(450.0, 20.0, 80.0, 40.0),
}


def routed(graph, places=PLACES):
    return with_ties(Layout(places, {}), graph)


def inside(point, box):
    (x, y), (middle_x, middle_y, width, height) = point, box
    return abs(x - middle_x) < width / 2 - 0.1 and abs(y - middle_y) < height / 2 - 0.1


def along(points):
    """Points on a chain of Bézier curves."""
    for at in range(0, len(points) - 3, 3):
        a, b, c, d = points[at : at + 4]
        for t in (0.0, 0.25, 0.5, 0.75, 1.0):
            s = 1 - t
            weights = s**3, 3 * s * s * t, 3 * s * t * t, t**3
            yield tuple(
                sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True))
                for axis in (0, 1)
            )


def test_what_only_hangs_on_a_node_is_a_note_and_a_leaf_is_none():
    both = graph(("n1", "s0"), ("n1", "t0"))
    assert {name: tie.id for name, tie in notes_of(both).items()} == {"s0": "d0-0"}


def test_a_tie_meets_no_box_on_its_way():
    (points,) = routed(graph(("n1", "t0"))).routes.values()
    assert len(points) % 3 == 1
    assert (points[0][1], points[-1][1]) == (40.0, 40.0)  # from below to below
    for point in along(points):
        assert not any(inside(point, box) for box in PLACES.values())


def test_from_top_to_bottom_a_tie_is_on_the_right():
    layout = routed(graph(("n1", "t0"))).turned()
    (points,) = layout.routes.values()
    assert points[0][0] == 40.0
    for point in along(points):
        assert not any(inside(point, box) for box in layout.places.values())


def test_two_ties_between_the_same_boxes_are_two_lines():
    first, second = routed(graph(("n1", "t0"), ("n1", "t0"))).routes.values()
    assert not set(first) & set(second)


def test_a_tie_to_a_note_keeps_off_the_border_of_the_box_above():
    holder, note, other = Place(50, 20, 100, 40), Place(50, 83, 100, 40), Place(250, 0, 80, 40)
    shared = graph(("n2", "s0"), ("n2", "s0"), ("n1", "s0"))
    layout = routed(shared, PLACES | {"n2": holder, "s0": note, "n1": other, "t0": other})
    below = [y for x, y in along(layout.routes["d2-0"]) if x < holder.right]
    assert below
    assert min(below) > holder.bottom + 5


@pytest.mark.parametrize("head", ["n1", "t0"])
def test_boxes_in_one_place_do_not_hang(head):
    crowded = dict.fromkeys(PLACES, Place(50.0, 20.0, 80.0, 40.0))
    assert routed(graph(("n1", head)), crowded).routes["d0-0"]


@together
@pytest.mark.parametrize(("start", "side"), [(None, -1), (-200.0, 1), (300.0, -1)])
def test_a_tie_round_a_box_crosses_no_arrow_that_comes_to_it(start, side):
    places = {
        "n1": Place(50.0, 20.0, 80.0, 40.0),
        "t0": Place(50.0, 90.0, 100.0, 40.0),
        "s0": Place(50.0, 170.0, 80.0, 40.0),
        "n2": Place(400.0, 90.0, 80.0, 40.0),
    }
    tie = graph(("n1", "s0"))
    arrow = Arc("e2-0", "n2", "t0")
    end = 0.0 if start and start < 0 else 100.0
    routes = {"e2-0": [(start, 90.0), (start, 90.0), (end, 90.0), (end, 90.0)]} if start else {}
    drawn = Graph(tie.vertices, (*tie.arcs, arrow), "", "")
    across = [x for x, _ in with_ties(Layout(places, routes), drawn).routes["d0-0"]]
    assert max(across, key=lambda x: abs(x - 50.0)) * side > 50.0 * side
