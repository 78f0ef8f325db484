import re

import pytest

import glassgrad as gg
from checks import together
from glassgrad.tracing import Trace
from glassgrad.viz import draw, graph_of
from glassgrad.viz.style import text_width


def chain(**fields):
    """Nodes one after the other; a list in `fields` has one entry per node, None for none."""
    (count,) = {len(values) for values in fields.values()}
    nodes = []
    for rank in range(count):
        edges = [{"to": f"n{rank - 1}", "slot": 0}] if rank else []
        about = {name: values[rank] for name, values in fields.items() if values[rank] is not None}
        node = {"id": f"n{rank}", "op": "ExpBackward0", "seq": rank, "edges": edges}
        nodes.append(node | about)
    return Trace({"nodes": nodes, "leaves": []})


def frames(trace):
    return {cluster.title: sorted(cluster.members) for cluster in graph_of(trace).clusters}


def test_each_level_has_its_frame():
    assert frames(chain(level=[None, 1, 1, 2])) == {
        "level 0: the tape": ["n0"],
        "level 1": ["n1", "n2"],
        "level 2": ["n3"],
    }


def test_what_a_transforms_pass_recorded_is_in_the_frame_of_its_level():
    with gg.tracing.watching() as passes:
        gg.func.grad(gg.func.grad(lambda x: (x**3).sin()))(gg.tensor(2.0))
    drawn = draw(passes)
    assert [cluster.title for cluster in drawn.graph.clusters] == [
        "level 1: grad",
        "level 2: grad inside grad",
    ]
    for cluster in drawn.graph.clusters:  # a note that both share must not draw nodes out of them
        frame = drawn.places.frames[cluster.id]
        for member in cluster.members:
            x, y, *_ = drawn.places.places[member]
            assert frame.left < x < frame.right
            assert frame.top < y < frame.bottom


def test_the_base_tape_alone_needs_no_frame():
    assert frames(chain(level=[None, 0])) == {}


def test_a_graph_inside_of_a_transform_says_its_level():
    seen = []

    def f(x):
        y = x.tanh().sum()
        seen.append([cluster.title for cluster in draw(y).graph.clusters])
        return y

    gg.func.grad(f)(gg.tensor([1.0, 2.0]))
    gg.vmap(gg.func.grad(f))(gg.tensor([[1.0, 2.0]]))
    assert seen == [["level 1: grad"], ["level 2: grad inside vmap"]]


def test_each_call_of_a_module_has_its_frame():
    cell, out = ["net", "cell"], ["net", "out"]
    trace = chain(scope=[cell, cell, out, cell, cell, None])
    members = [cluster.members for cluster in graph_of(trace).clusters]
    assert members == [("n1", "n0"), ("n4", "n3")]
    assert frames(trace).keys() == {"net.cell"}


@pytest.mark.parametrize("path", [["attention"], ["net", "attention"]])
def test_one_scope_is_set_apart_from_what_is_outside_of_it(path):
    assert frames(chain(scope=[None, path, path, None])) == {".".join(path): ["n1", "n2"]}
    assert frames(chain(scope=[path, path])) == {}


def test_modules_of_one_node_each_are_framed_together_if_something_is_outside():
    parts = ["net", "0"], ["net", "1"]
    assert frames(chain(scope=[*parts, None])) == {"net": ["n0", "n1"]}
    assert frames(chain(scope=[*parts])) == {}


def test_leaves_alone_are_no_outside():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with gg.scope("all"):
        loss = (x * 2).tanh().sum()
    assert draw(loss).graph.clusters == ()


def test_what_one_module_alone_uses_is_in_its_frame():
    weight = gg.tensor([1.0, 2.0], requires_grad=True)
    with gg.scope("first"):
        hidden = (weight * 2).tanh()
    with gg.scope("second"):
        loss = hidden.exp().sum()
    graph = draw(loss).graph
    first = next(cluster for cluster in graph.clusters if cluster.title == "first")
    kinds = {vertex.id: vertex.kind for vertex in graph.vertices}
    assert [kinds[name] for name in first.members].count("leaf") == 1
    members = [name for cluster in graph.clusters for name in cluster.members]
    assert len(members) == len(set(members))


def test_a_frame_is_drawn_around_its_boxes():
    svg = draw(chain(level=[None, 1, 1]), theme="light").svg
    assert re.findall(r'<g id="(c\d)" class="cluster">', svg) == ["c0", "c1"]
    assert ">level 1<" in svg


def test_a_hostile_scope_is_text():
    evil = "<script>alert(1)</script>"
    drawing = draw(chain(scope=[[evil, "a"], [evil, "a"], [evil, 'b"}'], [evil, 'b"}']]))
    assert "<script" not in drawing.svg
    assert '\\"}' in drawing.dot


# --- titles ---------------------------------------------------------------------------------------


def with_its_gradients_graph(rankdir):
    x = gg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return draw(gg.record((x**3).sum(), create_graph=True), rankdir=rankdir)


def with_long_scopes(rankdir):
    x = gg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with gg.scope("W" * 60):
        hidden = -(x * 2)
    with gg.scope("層" * 60):
        loss = (-hidden).exp().sum()
    return draw(loss, rankdir=rankdir)


def with_a_level(rankdir):
    seen = []

    def f(x):
        y = x.tanh().sum()
        seen.append(draw(y, rankdir=rankdir))
        return y

    gg.vmap(gg.func.grad(f))(gg.tensor([[1.0, 2.0]]))
    return seen[0]


@together
@pytest.mark.parametrize("rankdir", ["LR", "TB"])
@pytest.mark.parametrize("drawn", [with_its_gradients_graph, with_long_scopes, with_a_level])
def test_the_title_of_a_frame_lies_inside_of_it_and_under_no_box(drawn, rankdir):
    drawing = drawn(rankdir)
    assert drawing.graph.clusters
    for cluster in drawing.graph.clusters:
        frame = drawing.places.frames[cluster.id]
        left, top = frame.left, frame.top
        assert left >= 0
        begin, end = left + 12, left + 12 + text_width(cluster.title, 11)
        assert end <= frame.right
        for x, y, w, h in drawing.places.places.values():
            beside = x + w / 2 <= begin or x - w / 2 >= end
            assert beside or y + h / 2 <= top or y - h / 2 >= top + 20
