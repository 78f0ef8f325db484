import pytest

import glassgrad as gg
from glassgrad.core.errors import ArgumentError
from glassgrad.tracing import Trace
from glassgrad.viz import draw
from glassgrad.viz.scene.derived import _without_lost


def folds(drawing):
    return [v.id for v in drawing.graph.vertices if v.kind in ("fold", "bar") and v.id[0] == "f"]


@pytest.fixture
def chain(samples):
    return draw(samples.chain(400))


def test_inside_are_the_nodes_of_the_fold_with_the_ways_in_and_out(chain):
    fold = folds(chain)[3]
    members = {name for name, place in chain.graph.place.items() if place == fold}
    inner = chain.inside(fold)
    kinds = {vertex.id: vertex.kind for vertex in inner.graph.vertices}
    assert {name for name, kind in kinds.items() if kind == "function"} == members
    badges = [v.badge for v in inner.graph.vertices if v.kind == "gate"]
    assert [badge.split()[0] for badge in badges] == ["from", "to"]


def test_nodes_keep_their_ids_and_their_turns(chain):
    whole = {v.id: v.badge for v in draw(chain.trace, fold=False).graph.vertices}
    inner = chain.inside(folds(chain)[5]).graph.vertices
    for vertex in inner:
        if vertex.kind == "function":
            assert vertex.badge == whole[vertex.id]


def test_its_leaves_are_there(chain):
    inner = chain.inside(folds(chain)[-1])
    assert [vertex.title for vertex in inner.graph.vertices if vertex.kind == "leaf"] == ["x"]


def test_a_large_fold_has_folds_that_open_again(samples):
    overview = draw(samples.chain(5_000))
    inner = overview.inside(folds(overview)[0])
    assert len(inner.graph.vertices) <= 45
    again = inner.inside(folds(inner)[0])
    assert {vertex.kind for vertex in again.graph.vertices} >= {"function", "gate"}


def test_every_node_is_inside_of_some_bar(samples):
    overview = draw(samples.chain(2_000))
    found = set()
    for fold in folds(overview):
        found |= set(overview.inside(fold).graph.place)
    assert found >= {node["id"] for node in overview.trace.nodes if node["op"] != "AccumulateGrad"}


def test_a_bar_with_others_below_it_is_refused_in_favour_of_these(samples):
    overview = draw(samples.chain(2_000))
    with pytest.raises(ArgumentError, match="no fold 'g0'") as refusal:
        overview.inside("g0")
    offered = str(refusal.value).split("This picture has ")[1].split(", …")[0].split(", ")
    assert offered == folds(overview)[:4]
    assert all(overview.inside(name).graph.vertices for name in offered)


def test_the_part_is_a_trace_of_its_own(chain):
    part = chain.inside(folds(chain)[2]).trace
    assert Trace.from_json(part.to_json()) == part


def test_modules_and_saved_leaves_outside_are_no_trouble():
    w = gg.tensor([[0.1, 0.2], [0.3, 0.1]], requires_grad=True)
    x = gg.tensor([[1.0, 2.0]])
    for number in range(30):
        with gg.scope(f"block{number}"):
            for _ in range(3):
                x = (x @ w).tanh()
    drawing = draw(gg.record(x.sum()), max_nodes=40)
    assert len(folds(drawing)) == 15
    for fold in folds(drawing):
        assert Trace.from_json(drawing.inside(fold).trace.to_json())


def test_it_is_the_same_again(chain):
    fold = folds(chain)[4]
    assert chain.inside(fold).svg == chain.inside(fold).svg


@pytest.mark.parametrize("name", ["f99999", "n3", "g0", ""])
def test_what_is_no_fold_cannot_be_opened(name, chain):
    with pytest.raises(ArgumentError, match="there is no fold"):
        chain.inside(name)


def test_edges_keep_the_places_that_they_have_in_the_log():
    many = [gg.tensor([1.0, 2.0], requires_grad=True) for _ in range(340)]
    x = many[0]
    for each in many[1:]:
        x = (each * 2) + x  # what goes on is the second edge
    drawing = draw(gg.record(x.sum()), max_nodes=20)
    whole = {node["id"]: node["edges"] for node in drawing.trace.nodes}
    for fold in folds(drawing)[:6]:
        inner = drawing.inside(fold)
        for node in inner.trace.nodes:
            pairs = zip(node["edges"], whole[node["id"]], strict=False)
            assert all(edge == before for edge, before in pairs if edge["to"] is not None)
        # and nothing that lies outside is taken for an input without gradient
        assert "none" not in {vertex.kind for vertex in inner.graph.vertices}


def test_that_a_saved_view_is_of_a_leaf_is_not_said_where_the_leaf_is_not():
    saved = {"name": "self", "storage": "s0", "owner": "t0", "version": 0, "bytes": 8}
    assert _without_lost(saved, {"t0"}) == saved
    assert "owner" not in _without_lost(saved, set())


def test_what_is_left_out_is_in_no_frame():
    w = gg.tensor([1.0, 2.0], requires_grad=True)
    x = w
    for _ in range(200):
        with gg.scope("net"):
            x = (x * w).exp()
        x = x.tanh()
    drawing = draw(gg.record(x.sum()), max_nodes=90)
    framed = 0
    for fold in folds(drawing):
        graph = drawing.inside(fold).graph
        known = {vertex.id for vertex in graph.vertices}
        assert all(arc.tail in known and arc.head in known for arc in graph.arcs)
        assert all(
            cluster.members and known.issuperset(cluster.members) for cluster in graph.clusters
        )
        framed += len(graph.clusters)
    assert framed
