"""The picture of a page: room for all that comes to stand in it, small drawings of folded boxes."""

import re

import pytest

import glassgrad as gg
from checks import together
from glassgrad.viz import draw
from glassgrad.viz.players import html
from glassgrad.viz.players.html import drawn_with_room, page_drawing, slim, templates_of


def templates(trace):
    text = templates_of(trace, draw(trace).graph, "gg-")
    return re.findall(r'<template data-fold="(\w+)">(.*?)</template>', text, re.DOTALL)


def test_each_folded_box_has_a_drawing(samples):
    trace = samples.rnn(200)
    folds = [vertex.id for vertex in draw(trace).graph.vertices if vertex.kind == "fold"]
    assert [name for name, _ in templates(trace)] == folds


def test_arcs_keep_the_names_they_have_in_the_log(samples):
    trace = samples.rnn(200)
    known = {f"e{n['id'][1:]}-{at}" for n in trace.nodes for at in range(len(n["edges"]))}
    drawn = {name for _, svg in templates(trace) for name in re.findall(r'id="gg-(e[\d-]+)"', svg)}
    assert drawn
    assert drawn <= known


def test_what_lies_outside_is_not_drawn(samples):
    for _, svg in templates(samples.rnn(200)):
        assert "none" not in re.findall(r'class="vertex (\w+)', svg)
        assert "saved-arc" not in svg


def test_a_box_that_is_too_large_has_none(samples, monkeypatch):
    monkeypatch.setattr(html, "MOST_NODES", 3)
    assert templates(samples.rnn(200)) == []


def test_the_drawings_take_a_limited_room(samples, monkeypatch):
    monkeypatch.setattr(html, "ROOM", 20_000)
    found = templates(samples.rnn(200))
    assert 0 < sum(len(svg) for _, svg in found) <= 20_000


def test_a_graph_that_is_not_folded_has_none(samples):
    assert templates(samples.mlp()) == []


def test_slim_leaves_text_alone():
    svg = '<g id="gg-n1"><title>1.0</title><path d="M1.0 2.5L30.0 4"/><text x="1.0">1.0</text></g>'
    assert slim(svg) == (
        '<g id="gg-n1"><title>1.0</title><path d="M1 2.5L30 4"/><text x=1>1.0</text></g>'
    )


def test_a_level_line_is_straight():
    line = '<path class="line" d="M1.0 2.0C4.0 2.0 5.0 2.0 9.5 2.0"/>'
    assert slim(line) == '<path class=line d="M1 2H9.5"/>'
    bent = '<path d="M1 2C4 2 5 2 9.5 3"/>'
    assert slim(bent) == bent


def test_titles_that_the_script_writes_are_left_out_whatever_the_name():
    tag = '<g id="a" data-of="x=&gt; /">'
    assert slim(f"{tag}<title>t</title></g>") == f"{tag}</g>"


# Of a pass under way ----------------------------------------------------------------------------


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
    page = page_drawing(room(session))
    assert not any("grad" in vertex.tip.split("\n", 1)[-1] for vertex in page.graph.vertices)


@together
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (4,), (5,), (2, 2), (3, 1), (2, 3)])
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
    assert not any("grad" in keys for keys in rows(room(session)).values())


# Of a recorded pass ------------------------------------------------------------------------------


def hooked():
    x = gg.tensor([3.0, 4.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 0)
    return gg.record((y * gg.tensor([1.23e-10, -1.23e-10])).sum())


def test_a_pass_without_hooks_is_laid_out_as_its_drawing(samples):
    drawing = draw(samples.mlp())
    assert page_drawing(drawing).places == drawing.places


def test_a_box_is_as_wide_as_the_widest_gradient_that_was_there():
    drawing = draw(hooked())
    wide = page_drawing(drawing)
    assert wide.places.places["n1"][2] > drawing.places.places["n1"][2]
    assert [vertex.rows for vertex in wide.graph.vertices] == [
        vertex.rows for vertex in drawing.graph.vertices
    ]


def test_two_halves_stay_face_to_face():
    drawing = draw(hooked(), mirror=True)
    assert page_drawing(drawing).places == drawing.places
