"""Traces that somebody made by hand, and that are not sound: each way to look at one says so."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentTypeError, DataError
from glassgrad.tracing import Trace


@together
@pytest.mark.parametrize("graph", [{"nodes": 5}, {}, [], {"nodes": [{"id": "n0"}]}])
def test_a_trace_is_made_of_nodes_and_leaves(graph):
    with pytest.raises(ArgumentTypeError, match="a dict with 'nodes' and 'leaves'"):
        Trace(graph)


@together
@pytest.mark.parametrize("name", ["nodes", "leaves", "outputs"])
@pytest.mark.parametrize("part", [5, None, {}, "n0"])
def test_its_parts_are_lists(name, part):
    with pytest.raises(ArgumentTypeError, match=f"with {name}=.*They are a list"):
        Trace({"nodes": [], "leaves": [], name: part})


@pytest.mark.parametrize("node", [5, {"id": "n0"}, {"id": "n0", "op": "NegBackward0"}])
def test_a_picture_of_an_unsound_node_says_which_it_is(node, tmp_path):
    trace = Trace({"nodes": [node], "leaves": []})
    for look in (gg.draw, gg.player):
        with pytest.raises(DataError, match=r"given to \w+\(\) .* graph.nodes\[0\]"):
            look(trace)
    assert repr(trace) == "Trace(1 node, 0 leaves, 0 events)"
    path = trace.save(tmp_path / "hand.json")
    with pytest.raises(DataError, match=r"hand.json .* graph.nodes\[0\]"):
        Trace.load(path)


def test_an_empty_graph_can_be_looked_at(tmp_path):
    trace = Trace({"nodes": [], "leaves": []})
    assert "0 nodes" in gg.draw(trace).svg
    assert "0 nodes" in gg.player(trace).html
    assert Trace.load(trace.save(tmp_path / "empty.json")) == trace
