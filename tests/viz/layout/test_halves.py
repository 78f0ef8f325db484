from dataclasses import replace

import pytest

from glassgrad.viz.layout.lines import hangs_below, lay_out_stacked
from glassgrad.viz.layout.places import Layout, Place
from glassgrad.viz.scene.graph import GRADIENT, Arc, Cluster, Graph, Vertex

LAYOUT = Layout(
    places={"n1": Place(10, 20, 20, 30), "n0": Place(60, 20, 30, 30)},
    routes={"e1-0": [(20, 20), (30, 20), (40, 20), (45, 20)]},
    labels={"e1-0": (32, 15)},
    width=80,
    height=50,
    frames={"c0": Place.between(0, 5, 25, 45)},
)


def test_turned_twice_or_flipped_twice_is_as_before():
    assert LAYOUT.turned().turned() == LAYOUT
    assert LAYOUT.flipped().flipped() == LAYOUT
    assert LAYOUT.upside_down().upside_down() == LAYOUT


def test_flipped_is_as_seen_in_a_mirror():
    layout = LAYOUT.flipped()
    assert layout.places["n1"] == (70, 20, 20, 30)
    assert layout.routes["e1-0"][0] == (60, 20)
    assert layout.frames["c0"] == Place.between(55, 5, 80, 45)


def test_turned_changes_across_and_along():
    layout = LAYOUT.turned()
    assert layout.places["n0"] == (20, 60, 30, 30)
    assert layout.places["n1"] == (20, 10, 30, 20)
    assert (layout.width, layout.height) == (50, 80)


def test_trimmed_has_no_room_around_it():
    layout = LAYOUT.trimmed()
    assert layout.places["n1"] == (10, 15, 20, 30)
    assert (layout.width, layout.height) == (75, 40)  # with the frame


def grown():
    """n3 came of n1's rule, kept s0, and leads to n0 above."""
    kinds = {"n1": "function", "n0": "function", "n3": "function", "s0": "saved", "s1": "saved"}
    vertices = tuple(Vertex(name, kind, name) for name, kind in kinds.items())
    arcs = (
        Arc("e1-0", "n1", "n0"),
        Arc("e3-0", "n3", "n0"),
        Arc("d3-0", "n3", "s0", "saved"),
        Arc("d3-1", "n3", "s1", "saved"),
        Arc("d1-0", "n1", "s1", "saved"),
        Arc("p3", "n3", "n1", "origin"),
    )
    frames = (Cluster("c0", GRADIENT, ("n3", "s0")),)
    return Graph(vertices, arcs, "", "", clusters=frames)


def in_a_row(graph):
    """A layout to test with: one box after the other."""
    places = {
        v.id: Place(50.0 + 150 * at, 20.0, 100.0, 30.0) for at, v in enumerate(graph.vertices)
    }
    routes = {arc.id: [(0.0, 0.0)] * 4 for arc in graph.arcs}
    return Layout(places, routes, width=150.0 * len(places), height=40.0)


def test_below_hangs_what_came_of_rules_and_what_it_alone_uses():
    assert hangs_below(grown()) == {"n3", "s0"}


def test_without_origins_nothing_hangs_below():
    assert hangs_below(replace(grown(), arcs=grown().arcs[:-1])) == set()


def test_what_is_in_another_frame_does_not_hang_below():
    level = Cluster("c0", "level 1: grad", ("n3",))
    assert hangs_below(replace(grown(), clusters=(level,))) == set()


@pytest.mark.parametrize(("sideways", "across"), [(True, 1), (False, 0)])
def test_the_halves_do_not_overlap_and_all_lines_are_drawn(sideways, across):
    graph = grown()
    below = hangs_below(graph)
    layout = lay_out_stacked(graph, below, in_a_row, sideways=sideways)
    layout = layout if sideways else layout.turned()
    above = [place for name, place in layout.places.items() if name not in below]
    lower = [layout.places[name] for name in below]
    ends = [place[across] + place[2 + across] / 2 for place in above]
    assert max(ends) < min(place[across] - place[2 + across] / 2 for place in lower)
    assert layout.routes.keys() == {arc.id for arc in graph.arcs}
    assert all(len(route) % 3 == 1 for route in layout.routes.values())
