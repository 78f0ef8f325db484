import pytest

import glassgrad as gg
from glassgrad.tracing import Trace
from glassgrad.viz import draw


def deep(blocks, parts=("attention", "network")):
    """A chain of ops in `blocks` modules, each of which has parts."""
    nodes = []
    for block in range(blocks):
        for part in parts:
            for _ in range(4):
                rank = len(nodes)
                edges = [{"to": f"n{rank - 1}", "slot": 0}] if rank else []
                scope = ["net", f"block{block}", part]
                node = {"id": f"n{rank}", "op": "TanhBackward0", "seq": rank, "edges": edges}
                nodes.append(node | {"scope": scope})
    return Trace({"nodes": nodes, "leaves": []})


def long_chain(samples, length):
    """The log of `samples.chain(length)`, written down instead of computed: gradients shrink."""
    short = samples.chain(2)
    accumulator, node, _ = short.nodes
    turn = [
        event for event in short.events if event.get("edge", event.get("node")) in ("n1", "e1-0")
    ]
    ends = [event | {"k": 5 * length + k} for k, event in enumerate(short.events[-2:])]
    nodes, events, arrays = [accumulator], [], dict(short.arrays)
    for rank in range(1, length + 1):
        edges = [{"to": f"n{rank - 1}", "slot": 0}]
        nodes.append(node | {"id": f"n{rank}", "seq": rank, "edges": edges})
        norm = 0.9999 ** (length - rank)
        arrays[f"a{9 + rank}"] = arrays["a0"] | {"norm": norm, "head": [norm]}
    arrays["a9"] = arrays["a10"]
    for rank in range(length, 0, -1):
        grads = {"grad_in": [f"a{9 + rank}"], "grad_out": [f"a{8 + rank}"], "grad": f"a{8 + rank}"}
        for event in turn:
            own = {"k": len(events), "node": f"n{rank - (event['type'] == 'buffer')}"}
            own |= {"edge": f"e{rank}-0"} | grads
            events.append(event | {key: value for key, value in own.items() if key in event})
    return Trace(short.graph | {"nodes": nodes}, arrays, events + ends)


def bars(drawing):
    return [vertex for vertex in drawing.graph.vertices if vertex.kind == "bar"]


@pytest.mark.parametrize(("length", "is_overview"), [(1_499, False), (1_500, True)])
def test_more_than_1500_nodes_are_an_overview(length, is_overview, samples):
    assert bool(bars(draw(samples.chain(length)))) == is_overview


def test_all_of_them_or_so_many_boxes_is_no_overview(samples):
    assert not bars(draw(samples.chain(1_600), max_nodes=40))


def test_many_modules_side_by_side_are_a_few_bars():
    drawing = draw(deep(400))
    titles = [bar.title for bar in bars(drawing)]
    assert titles[:3] == ["3,200 ops", "net", "block399–360"]
    assert len(titles) == 12


def test_modules_have_their_parts_below_them():
    drawing = draw(deep(8, parts=("attention", "network") * 30))
    below = {bar.title for bar in bars(drawing)}
    assert {"net", "block7", "block0"} <= below
    places = drawing.places.places
    heights = {places[bar.id][1] for bar in bars(drawing)}
    assert len(heights) >= 3


def test_without_modules_there_are_stretches(samples):
    titles = [bar.title for bar in bars(draw(samples.chain(5_000)))]
    assert titles == ["5,000 ops"] + ["500 ops"] * 10


@pytest.mark.parametrize("program", ["chain", "modules"])
def test_every_op_has_its_bar_and_no_two_bars_overlap(program, samples):
    trace = samples.chain(2_000) if program == "chain" else deep(301)
    drawing = draw(trace)
    leaves = {leaf["acc"] for leaf in trace.leaves}
    assert drawing.graph.place.keys() == {node["id"] for node in trace.nodes} - leaves
    assert set(drawing.graph.place.values()) <= {bar.id for bar in bars(drawing)}
    boxes = [drawing.places.places[bar.id] for bar in bars(drawing)]
    for index, (x, y, w, h) in enumerate(boxes):
        for other_x, other_y, other_w, other_h in boxes[:index]:
            apart = abs(x - other_x) >= (w + other_w) / 2 or abs(y - other_y) >= (h + other_h) / 2
            assert apart


def test_the_strip_shows_the_gradients_of_the_pass(samples):
    trace = samples.chain(2_000)
    svg = draw(trace).svg
    assert 'class="vertex heat flow-' in svg
    assert "‖gradient‖ from" in svg
    before = draw(Trace(trace.graph, trace.arrays, []))
    assert "heat flow" not in before.svg


def test_a_nan_is_on_the_strip_and_on_its_bar(samples):
    trace = samples.chain(2_000)
    nan = {"shape": [2], "dtype": "float32", "min": None, "max": None, "norm": 0.0}
    arrays = trace.arrays | {"a99999": {**nan, "head": ["nan", "nan"], "nan": 2}}
    events = [dict(event) for event in trace.events]
    for event in events[len(events) // 2 :]:
        if event["type"] == "apply":
            event["grad_out"] = ["a99999"]
            break
    graph = draw(Trace(trace.graph, arrays, events)).graph
    assert [vertex.bad for vertex in graph.vertices if vertex.bad] == ["NaN"]


def test_it_takes_a_few_hundred_shapes_whatever_the_size(samples):
    small, large = (draw(long_chain(samples, length)) for length in (2_000, 20_000))
    assert len(large.graph.vertices) <= len(small.graph.vertices) + 5 < 400
    assert len(large.svg) < 60_000


def test_its_calls_grow_with_the_nodes_and_no_faster(samples, count_calls):
    small, large = [long_chain(samples, length) for length in (2_000, 4_000)]
    draw(small)  # what is read and compiled once
    calls = [count_calls(lambda trace=trace: draw(trace).svg) for trace in (small, large)]
    assert calls[1] < 2.2 * calls[0]
    assert calls[1] < 35 * 4_000


@pytest.mark.parametrize("length", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_long_chain_is_drawn_the_same_each_time(samples, length):
    trace = long_chain(samples, length)
    assert draw(trace).svg == draw(trace).svg


def test_a_hostile_module_is_text():
    svg = draw(deep(300, parts=("<script>alert(1)</script>",) * 3)).svg
    assert "<script" not in svg


def test_a_wide_bar_says_how_many_ops_it_has():
    h = gg.tensor([1.0], requires_grad=True)
    for name in ("first", "second"):
        with gg.scope(name):
            for _ in range(800):
                h = -h
    assert ">800 ops<" in draw(h.sum()).svg
