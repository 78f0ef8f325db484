import re

from glassgrad.viz import draw
from glassgrad.viz.players import opened
from glassgrad.viz.players.opened import templates_of


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
    monkeypatch.setattr(opened, "MOST_NODES", 3)
    assert templates(samples.rnn(200)) == []


def test_the_drawings_take_a_limited_room(samples, monkeypatch):
    monkeypatch.setattr(opened, "ROOM", 20_000)
    found = templates(samples.rnn(200))
    assert 0 < sum(len(svg) for _, svg in found) <= 20_000


def test_a_graph_that_is_not_folded_has_none(samples):
    assert templates(samples.mlp()) == []
