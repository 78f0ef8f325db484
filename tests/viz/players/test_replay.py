import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import glassgrad as gg
from checks import together
from glassgrad.tracing import Trace
from glassgrad.viz import draw
from glassgrad.viz.players import html
from glassgrad.viz.players.html import MOST_EVENTS, pack, replay_data
from pages import unpack


def data_of(trace):
    return replay_data(trace, draw(trace).graph)


def test_lines_are_sorted_by_file_and_number_with_their_nodes(samples):
    trace = samples.square()
    for node, src in zip(
        trace.nodes,
        ["b.py, line 9: `z = 1`", "a.py, line 12: `y = x`", "a.py, line 2: `x = w`"],
        strict=True,
    ):
        node["src"] = src
    assert data_of(trace)["lines"] == [
        {"file": "b.py", "line": 9, "code": "z = 1", "nodes": ["n0"]},
        {"file": "a.py", "line": 2, "code": "x = w", "nodes": ["n2"]},
        {"file": "a.py", "line": 12, "code": "y = x", "nodes": ["n1"]},
    ]


def test_a_place_that_is_no_line_is_shown_as_it_is(samples):
    trace = samples.square()
    trace.nodes[0]["src"] = "inside glassgrad's ReLU.forward"
    (line,) = data_of(trace)["lines"]
    assert line == {
        "file": "",
        "line": 0,
        "code": "inside glassgrad's ReLU.forward",
        "nodes": ["n0"],
    }


def test_norms_are_of_what_went_along_edges(samples):
    data = data_of(samples.square())
    assert len(data["norms"]) < len(data["arrays"])
    assert data["norms"][data["events"][-1]["grad"]] == 4.47214


def test_a_norm_with_nan_is_no_number():
    x = gg.tensor([1.0, 0.0], requires_grad=True)
    data = data_of(gg.record((x.sqrt() * 0.0).sum()))
    assert "nan" in data["norms"].values()


def test_hooks_scopes_and_lines_of_nodes_are_there():
    x = gg.tensor([1.0, 2.0], requires_grad=True)

    def clip(grad):
        return grad

    with gg.scope("layer"):
        y = x.exp()
    y.register_hook(clip)
    node = data_of(gg.record(y.sum()))["nodes"]["n1"]
    assert node["hooks"] == [{"id": "h1", "name": "clip"}]
    assert node["scope"] == ["layer"]
    assert node["about"][0] == "out (2,) float32"


def test_of_a_very_large_graph_only_what_is_spoken_of_is_there(samples):
    data = data_of(samples.chain(4_000))
    assert len(data["events"]) == MOST_EVENTS
    assert len(data["nodes"]) < 1_200
    assert set(data["place"]) <= set(data["nodes"])
    assert sum(fold["count"] for fold in data["folds"].values()) >= 4_000


def test_a_graph_without_events_has_no_sentences(samples):
    trace = samples.square()
    data = data_of(Trace(trace.graph, trace.arrays, []))
    assert data["said"] == []
    assert data["norms"] == {}


def test_what_nodes_hold_that_a_cut_page_leaves_out_is_told(monkeypatch):
    x = gg.ones(4, requires_grad=True)
    h = x
    for _ in range(40):
        h = h.exp()
    trace = gg.record(h.sum())
    assert "beyond" not in data_of(trace)
    monkeypatch.setattr(html, "MOST_EVENTS", 20)
    graph = draw(trace, max_nodes=10).graph
    cut = replay_data(trace, graph)
    held = sum(each["bytes"] for node in cut["nodes"].values() for each in node.get("saved", ()))
    assert cut["beyond"] > 0
    assert held + cut["beyond"] == 40 * 16


def test_a_page_that_is_cut_keeps_the_last_events_and_says_so_in_its_last(monkeypatch):
    x = gg.ones(4, requires_grad=True)
    y = gg.ones(4, requires_grad=True)
    trace = gg.record(((x * y).exp() * y + x).sin().cos().sum())
    whole = data_of(trace)
    monkeypatch.setattr(html, "MOST_EVENTS", 12)
    data = data_of(trace)
    count = len(trace.events)
    *first, cut = data["events"][:7]
    last = data["events"][7:]
    assert [*first, *last] == [*trace.events[:6], *trace.events[count - 5 :]]
    assert (cut["type"], cut["left"], cut["hooks"]) == ("cut", count - 11, 0)
    assert len(cut["events"]) == count - 11  # the page has a box for each node
    assert data["said"][6] == (
        f"{count - 11} events are left out here, 7 to {count - 5}: they are in the trace, "
        "and not in the page."
    )
    ending = (
        f" The page was cut for length: {count - 11} of {count} events are left out, "
        "behind event 6."
    )
    assert data["said"][-1] == whole["said"][-1] + ending
    node = trace.schedule()[-1]
    assert data["story"] == whole["story"] | {node: whole["story"][node] + ending}
    assert (data["arrays"], data["nodes"]) == (whole["arrays"], whole["nodes"])


def test_a_saved_view_of_a_leaf_is_of_that_leaf():
    w = gg.tensor([1.0, 2.0], requires_grad=True)
    nodes = data_of(gg.record(w[:1].cos().sum())).get("nodes").values()
    assert [saved["of"] for node in nodes for saved in node.get("saved", ())] == ["t0"]


def test_memory_that_a_cut_page_leaves_out_is_as_large_as_its_largest_view():
    y = gg.ones(100, requires_grad=True) + 1
    trace = gg.record(y.cos().sum() + y[:1].sin().sum())
    assert html._beyond(trace, []) == {"beyond": 400}


# Packed ------------------------------------------------------------------------------------------

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(plain)
def test_what_was_packed_comes_back(value):
    assert unpack(pack(value)) == value


@together
@pytest.mark.parametrize("text", ["\ud800", "\u2028", "a\x00", "</script>", "<!--", "&amp;"])
def test_packed_text_has_no_sign_that_a_page_could_read(text):
    packed = pack([text, text * 9])
    assert unpack(packed) == [text, text * 9]
    assert re.fullmatch("[A-Za-z0-9+/=]+", packed)


def test_records_that_are_alike_take_little_room():
    records = [{"type": "ready", "node": f"n{number}", "what": "the same"} for number in range(100)]
    assert len(pack(records)) < 0.4 * len(json.dumps(records))


def test_numbers_keep_their_kind():
    kinds = [type(each) for each in unpack(pack([1, 1.0, True]))]
    assert kinds == [int, float, bool]


def test_equal_data_gives_equal_text():
    assert pack({"a": ["same text"] * 2}) == pack({"a": ["same text"] * 2})
