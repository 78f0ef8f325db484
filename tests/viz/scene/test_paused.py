import pytest

import glassgrad as gg
from glassgrad.viz import draw
from glassgrad.viz.layout.places import box_of
from glassgrad.viz.style import TITLE_SIZE, text_width


def program():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    return x, x.tanh().exp().sum()


def badges(drawing):
    return {vertex.title: vertex.badge for vertex in drawing.graph.vertices}


def test_a_paused_pass_shows_what_has_run_and_where_it_is():
    _, loss = program()
    with gg.step(loss) as session:
        session.next()
        session.next()
        drawing = draw(session)
        found = badges(drawing)
    assert (found["SumBackward0"], found["ExpBackward0"]) == ("#1", "#2")
    assert found["TanhBackward0"] == "▶"
    assert drawing.graph.notice == "paused: ▶ TanhBackward0 is next"


def test_a_paused_pass_shows_the_gradients_so_far():
    _, loss = program()
    with gg.step(loss) as session:
        session.next()
        session.next()
        rows = {vertex.title: dict(vertex.rows) for vertex in draw(session).graph.vertices}
    assert (rows["SumBackward0"]["grad"], rows["ExpBackward0"]["grad"]) == ("1", "[1, 1]")
    assert "grad" not in rows["TanhBackward0"]


def test_drawing_changes_nothing_and_the_boxes_stay():
    x, loss = program()
    arcs = []
    with gg.step(loss) as session:
        while not session.is_done:
            arcs.append([arc for arc in draw(session).graph.arcs if arc.kind == "grad"])
            session.next()
        at_the_end = draw(session)
    assert all(each == arcs[0] for each in arcs)
    assert "▶" not in "".join(badges(at_the_end).values())
    again, other = program()
    other.backward()
    assert x.grad.tolist() == again.grad.tolist()
    (leaf,) = [vertex for vertex in at_the_end.graph.vertices if vertex.kind == "leaf"]
    assert dict(leaf.rows)["grad"].startswith("[")


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
def test_the_mark_has_room_beside_the_title_in_a_mirror_view_too(rankdir):
    _, loss = program()
    with gg.step(loss) as session:
        session.next()
        drawing = draw(session, mirror=True, rankdir=rankdir)
    (marked,) = [vertex for vertex in drawing.graph.vertices if "▶" in vertex.badge]
    assert drawing.places.places[marked.id][2] >= box_of(marked).width


def long_pass(modules):
    h = gg.tensor([1.0, 2.0], requires_grad=True)
    for number in range(modules):
        with gg.scope(f"layer{number}"):
            for _ in range(1_600 // modules):
                h = -h
    return h.sum()


def test_the_mark_stands_in_the_bar_of_an_overview_before_its_title_which_makes_room():
    with gg.step(long_pass(20)) as session:
        for _ in range(100):
            session.next()
        drawing = draw(session)
    (marked,) = [vertex for vertex in drawing.graph.vertices if vertex.title.startswith("▶")]
    assert marked.title == "▶ lay…"
    assert text_width(marked.title, TITLE_SIZE, bold=True) < marked.size[0]
    assert ">▶ lay…<" in drawing.svg


def test_a_bar_without_room_for_it_stays_empty_and_the_words_above_say_where_it_is():
    with gg.step(long_pass(20)) as session:
        drawing = draw(session)  # at the sum, which is in no module
    assert not any("▶" in vertex.title for vertex in drawing.graph.vertices)
    assert drawing.graph.notice.startswith("paused: ▶ SumBackward0 is next")
