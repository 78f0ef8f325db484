import base64
import builtins
import re
import struct

import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DataError, GraphError
from glassgrad.tracing import Trace
from glassgrad.viz import draw, player, text_view
from glassgrad.viz.layout import engines
from walks import calls_in


@pytest.fixture
def drawing(samples):
    return draw(samples.square())


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        (".svg", b"<svg "),
        (".dot", b"digraph backward {"),
        (".html", b"<!DOCTYPE html>"),
        (".txt", b"3 nodes, in the order they ran"),
        (".json", b'{"schema": "glassgrad.trace/1"'),
        (".SVG", b"<svg "),
    ],
)
def test_the_suffix_says_what_is_written(suffix, start, drawing, tmp_path):
    path = drawing.save(tmp_path / f"graph{suffix}")
    assert path.read_bytes().startswith(start)


def test_a_png_is_twice_as_large_as_the_svg(drawing, tmp_path):
    pytest.importorskip("resvg_py")
    data = drawing.save(tmp_path / "graph.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert f'width="{width // 2}" height="{height // 2}"' in drawing.svg


def test_a_png_that_would_be_too_large_is_refused_with_a_remedy(samples):
    with pytest.raises(ArgumentError, match=r"too large for a PNG.*Save it as SVG"):
        draw(samples.chain(500), fold=False).png()


def test_a_png_without_its_package_says_what_to_install(drawing, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "resvg_py":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match=r"pip install resvg_py"):
        drawing.png()


@pytest.mark.parametrize("name", ["graph.bmp", "graph"])
def test_an_unknown_suffix_is_refused_and_nothing_is_written(name, drawing, tmp_path):
    with pytest.raises(ArgumentError, match=r"Use \.svg, \.png"):
        drawing.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_os_error(drawing, tmp_path):
    with pytest.raises(FileNotFoundError):
        drawing.save(tmp_path / "none" / "graph.svg")


@pytest.mark.parametrize("options", [{"rankdir": "RL"}, {"theme": "pink"}])
def test_unknown_options_are_named(options, samples):
    (name,) = options
    with pytest.raises(ArgumentError, match=f"{name}="):
        draw(samples.square(), **options)


@together
@pytest.mark.parametrize("show", [draw, player])
@pytest.mark.parametrize("thing", [None, 3.0, {"schema": "glassgrad.trace/1"}])
def test_only_traces_are_shown(show, thing):
    with pytest.raises(ArgumentTypeError, match=rf"{show.__name__}\(record\(loss\)\)"):
        show(thing)


def test_a_loss_is_drawn_without_running_it():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    assert draw(loss) == draw(gg.snapshot(loss))
    assert x.grad is None


def test_several_tensors_are_drawn_as_one_graph():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    graph = draw([x.sum(), x.prod()]).graph
    assert [vertex.kind for vertex in graph.vertices].count("output") == 2


def test_a_player_of_a_loss_runs_its_pass():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    assert "events" in repr(player((x * x).sum()))
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("show", [draw, player])
def test_a_tensor_without_a_graph_is_refused(show):
    with pytest.raises(GraphError):
        show(gg.tensor([1.0]))


def test_before_during_and_after_the_pass_the_boxes_are_the_same(samples):
    trace = samples.mlp()
    half = len(trace.events) // 2
    before, during, after = (
        draw(Trace(trace.graph, trace.arrays, trace.events[:k])) for k in (0, half, None)
    )
    assert before.graph.arcs == during.graph.arcs == after.graph.arcs
    ids = [[vertex.id for vertex in each.graph.vertices] for each in (before, during, after)]
    assert ids[0] == ids[1] == ids[2]
    struck = [each.svg.count('class="strike"') for each in (before, during, after)]
    assert struck[0] == 0 < struck[1] <= struck[2]


def test_one_line_says_which_layout_was_used(drawing):
    assert drawing.layout.startswith("laid out by Graphviz (")
    assert "\n" not in drawing.layout
    assert "3 nodes" in repr(drawing)


def test_a_notebook_gets_an_image_that_fits_its_page_the_svg_and_text(drawing):
    bundle = drawing._repr_mimebundle_(include=None)
    assert bundle["image/svg+xml"] == drawing.svg
    assert bundle["text/plain"] == repr(drawing)
    shown = re.fullmatch(
        r'<img alt="[^"<]+" style="max-width:100%;min-width:(\d+)px;height:auto" '
        r'src="data:image/svg\+xml;base64,([\w+/=]+)">',
        bundle["text/html"],
    )
    assert base64.b64decode(shown[2]).decode() == drawing.svg
    assert 300 < int(shown[1]) < int(re.search(r'width="(\d+)"', drawing.svg)[1])


def test_an_empty_graph_is_drawn():
    assert "0 nodes" in draw(Trace({"nodes": [], "leaves": []})).svg


@pytest.mark.parametrize("show", [draw, player])
def test_a_tensor_of_pytorch_is_to_be_recorded_first(show):
    torch = pytest.importorskip("torch")
    remedy = f"Write `{show.__name__}\\(glassgrad.tracing.torch.record\\(loss\\)\\)`"
    with pytest.raises(TypeError, match=f"was given a torch.Tensor.*{remedy}"):
        show(torch.ones((), requires_grad=True))


def test_the_flow_of_a_pass_that_did_not_run_is_refused():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ArgumentError, match=r"Write `draw\(record\(loss\), flow=True\)`"):
        draw((x * x).sum(), flow=True)


def compare_with_itself(trace):
    return gg.compare(trace, trace)


NODE = {"id": "n0", "op": "NegBackward0", "seq": 0, "edges": []}


@together
@pytest.mark.parametrize(
    ("nodes", "events", "where"),
    [
        ([{"id": "n0"}], [], r"graph\.nodes\[0\]: 'op' is missing"),
        ([NODE | {"edges": [{"to": "n9", "slot": 0}]}], [], r"an edge leads to n9, which is not"),
        ([NODE | {"edges": [{"to": "n0", "slot": 0}]}], [], r"in a circle, n0 → n0"),
        ([NODE], [{"k": 0, "type": "apply", "node": "n0"}], r"events\[0\]: 'grad_in' is missing"),
    ],
)
@pytest.mark.parametrize("show", [draw, player, text_view, compare_with_itself])
def test_a_trace_made_by_hand_is_checked(show, nodes, events, where):
    trace = Trace({"nodes": nodes, "leaves": []}, {}, events)
    name = show.__name__.partition("_with")[0]
    given = rf"the trace given to {name}\(\) is not a glassgrad\.trace/1 document: .*{where}"
    with pytest.raises(DataError, match=given):
        show(trace)


def width_and_height(drawing):
    return tuple(map(int, re.search(r'width="(\d+)" height="(\d+)"', drawing.svg).groups()))


def test_a_picture_too_long_to_be_read_goes_from_top_to_bottom_and_says_so(samples):
    drawing = draw(samples.chain(100))
    width, height = width_and_height(drawing)
    assert drawing.rankdir == "TB"
    assert width < 1_000 < height
    assert "Arrows follow the gradient, top to bottom" in drawing.svg
    assert "from top to bottom, for it is long" in drawing.layout


def test_a_long_picture_goes_from_left_to_right_where_that_is_asked_for(samples):
    drawing = draw(samples.chain(100), rankdir="LR")
    width, height = width_and_height(drawing)
    assert drawing.rankdir == "LR"
    assert width > 20 * height
    assert "for it is long" not in drawing.layout


def test_a_player_lays_out_from_left_to_right_however_long_it_is(samples):
    assert player(samples.chain(100)).drawing.rankdir == "LR"


def test_a_drawing_of_four_nodes_takes_at_most_3000_calls():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    draw(gg.record((x * 2).sum()))  # what is imported and compiled once
    trace = gg.record(gg.tanh(x * gg.tensor([3.0, 4.0])).sum())
    engines._plan.cache_clear()
    assert len(trace.nodes) == 4
    assert len(calls_in(lambda: draw(trace))) <= 3_000
