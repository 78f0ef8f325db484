"""The picture of a pass under way is laid out once, with room for the gradients to come."""

import pytest

import glassgrad as gg
from glassgrad.viz.players.live import LivePlayer
from glassgrad.viz.players.reserving import drawn_with_room, gradients_shown


@pytest.fixture
def session():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    return gg.step((x * x).sum())


def room(session):
    names = session.names.node
    return drawn_with_room(session.trace, [names[node] for node in session.schedule])


def rows(drawing):
    return {vertex.id: [key for key, _ in vertex.rows] for vertex in drawing.graph.vertices}


def test_the_boxes_are_those_of_the_whole_pass(session):
    before = room(session)
    after = gg.draw(session.run().trace)
    assert rows(before) == rows(after)
    badges = [vertex.badge for vertex in after.graph.vertices]
    assert [vertex.badge for vertex in before.graph.vertices] == badges


def test_the_true_gradients_fit_into_the_room(session):
    before = {vertex.id: dict(vertex.rows) for vertex in room(session).graph.vertices}
    for vertex in gg.draw(session.run().trace).graph.vertices:
        for key, value in vertex.rows:
            assert len(value) <= len(before[vertex.id][key])


def test_no_made_up_number_is_hovered_over(session):
    assert not any("gradient" in vertex.tip for vertex in room(session).graph.vertices)


def test_the_gradients_are_told_as_they_arrive(session):
    drawing = room(session)
    assert gradients_shown(session.trace, drawing) == {"n2": "…", "n1": "…", "t0": "…"}
    session.next()
    assert gradients_shown(session.trace, drawing) == {"n2": "1", "n1": "[1, 1]", "t0": "…"}
    session.run()
    assert gradients_shown(session.trace, drawing)["t0"] == "[2, 4]"
    session.back()
    assert gradients_shown(session.trace, drawing)["t0"] == "…"


def test_the_page_is_told_what_to_write_into_which_box(session):
    told = []
    player = LivePlayer(session)
    player.connect(told.append)
    player.receive({"do": "hello", "view": "v"})
    assert told[0]["grads"] == {"n2": "…", "n1": "…", "t0": "…"}
    player.receive({"do": "next"})
    (update,) = [message for message in told if message["type"] == "update"]
    assert update["grads"] == {"n2": "1", "n1": "[1, 1]"}


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (4,), (5,), (2, 3)])
def test_any_shape_has_room(shape):
    x = gg.ones(shape, requires_grad=True)
    session = gg.step((x * 0.123).sum())
    before = {vertex.id: dict(vertex.rows) for vertex in room(session).graph.vertices}
    for vertex in gg.draw(session.run().trace).graph.vertices:
        wide = before[vertex.id].get("grad", "")
        assert len(dict(vertex.rows).get("grad", "")) <= len(wide)


def test_a_large_graph_has_no_rows_and_costs_nothing():
    y = x = gg.tensor([1.0], requires_grad=True)
    for _ in range(100):
        y = y.sin()
    session = gg.step(y.sum())
    assert x.requires_grad
    assert gradients_shown(session.trace, room(session)) == {}
