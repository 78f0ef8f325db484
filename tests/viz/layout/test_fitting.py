import pytest

from checks import together
from glassgrad.viz.layout.engines import fit
from glassgrad.viz.layout.places import Layout, Place, box_of, nominal
from glassgrad.viz.scene.graph import Arc, Graph, Vertex

GRAPH = Graph(
    (Vertex("n2", "function", "B"), Vertex("n1", "function", "A"), Vertex("n0", "view", "V")),
    (Arc("e2-0", "n2", "n1"), Arc("e1-0", "n1", "n0")),
    "",
    "",
)
LAYOUT = Layout(
    places={
        "n2": Place(50, 20, 100, 30),
        "n1": Place(200, 20, 80, 30),
        "n0": Place(320, 20, 60, 30),
    },
    routes={
        "e2-0": [(100, 20), (120, 20), (140, 20), (160, 20)],
        "e1-0": [(240, 20), (255, 20), (275, 20), (290, 20)],
    },
    labels={"e2-0": (130, 14)},
    width=350,
    height=40,
)


def fitted(**widths):
    sizes = {name: (widths.get(name, place[2]), 30) for name, place in LAYOUT.places.items()}
    return fit(LAYOUT, GRAPH, sizes)


def test_boxes_of_the_nominal_size_stay_where_they_are():
    assert fitted().places == LAYOUT.places


@together
@pytest.mark.parametrize("width", [40, 79, 81, 200])
def test_what_is_beside_a_box_makes_room_and_no_more(width):
    places = fitted(n1=width).places
    assert places["n2"] == LAYOUT.places["n2"]
    assert places["n1"][2] == width
    gaps = [
        places["n1"][0] - width / 2 - (places["n2"][0] + 50),
        places["n0"][0] - 30 - (places["n1"][0] + width / 2),
    ]
    assert gaps == pytest.approx([60, 50])


def test_arrows_go_along_to_the_borders():
    layout = fitted(n1=200)
    left, right = layout.places["n1"][0] - 100, layout.places["n1"][0] + 100
    assert layout.routes["e2-0"][-1] == (left, 20)
    assert layout.routes["e1-0"][0] == (right, 20)


def test_at_the_side_of_a_parallelogram_an_arrow_goes_on_to_its_slant():
    end = fitted().routes["e1-0"][-1]
    assert end[0] == LAYOUT.places["n0"][0] - 30 + 6


def test_a_picture_is_as_wide_as_it_has_to_be():
    assert fitted(n1=180).width == 450


def test_nominal_boxes_have_the_same_size_for_all_numbers_and_turns():
    def box(value, badge):
        rows = (("out", "(2, 3)"), ("grad", value))
        return box_of(nominal(Vertex("n1", "function", "MulBackward0", badge, rows)))

    assert box("[1, 2]", "#1") == box("[-0.123, 1.23e-05]", "#12") == box("[nan, inf]", "")
    assert box("(2, 3) ‖·‖=1", "") == box("(2, 3) ‖·‖=1.23e+05", "")
    assert box("(2, 3) ‖·‖=1", "") != box("(2, 3, 4) ‖·‖=1", "")
