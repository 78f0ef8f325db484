import re

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.tracing import Trace
from glassgrad.viz import player
from glassgrad.viz.players.html import MOST_EVENTS
from pages import data_of


def deep_net(count):
    """The loss of a net of `count` layers, whose gradients are neither zero nor alike."""
    layers = {}
    for number in range(count):
        layers |= {f"layer{number}": nn.Linear(6, 6), f"relu{number}": nn.ReLU()}
    model = nn.Sequential(layers)
    with gg.no_grad():
        for name, parameter in model.named_parameters():
            places = np.arange(parameter.numel()).reshape(parameter.shape)
            parameter.copy_(gg.tensor(np.sin(places * places + len(name)), dtype=parameter.dtype))
            parameter.name = name
    x = gg.tensor(np.linspace(-1, 1, 24).reshape(4, 6), dtype=gg.float32)
    return nn.functional.cross_entropy(model(x), gg.tensor([0, 1, 1, 0]))


def test_the_page_is_one_file_that_asks_for_nothing(samples):
    page = player(samples.mlp()).html
    assert "default-src 'none'" in page
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= names  # of languages, not addresses
    assert not re.search(r"\beval\(|new Function|fetch\(|XMLHttpRequest|import\(", page)


def test_the_page_holds_the_log_with_a_sentence_per_event(samples):
    trace = samples.mlp()
    data = data_of(player(trace).html)
    assert data["events"] == [{k: e[k] for k in e if k != "k"} for e in trace.events]
    assert len(data["said"]) == len(trace.events)
    assert data["said"][-1] == "layers.0.bias.grad is now (8,) of norm 0.191."


def test_every_id_of_the_log_has_a_place_in_the_drawing(samples):
    page = player(samples.rnn(30)).html
    ids = set(re.findall(r'<g id="gg-([^"]+)"', page))
    assert set(data_of(page)["place"].values()) <= ids
    assert {event["edge"] for event in data_of(page)["events"] if "edge" in event} <= ids


@together
@pytest.mark.parametrize("name", ["</script><b>", "<!--", "]]>", "\u2028", "\ud800", "'\"`"])
def test_no_name_ends_the_data(name, samples):
    page = player(samples.hostile(name)).html
    assert data_of(page)["nodes"]["n1"]["op"] == name
    assert page.count("<script") == 2
    page.encode()


def shared_weights(steps):
    """The loss of a recurrent net, at each step with the same two weights."""
    weights = np.sin(np.arange(32)).reshape(2, 4, 4) / 2
    w, u = (gg.tensor(each, dtype=gg.float32, requires_grad=True) for each in weights)
    h, x = gg.zeros(1, 4), gg.ones(1, 4)
    for _ in range(steps):
        h = (h @ w + x @ u).tanh()
    return h.sum()


def blocks(count):
    """The loss of `count` blocks of attention and a network, each with weights of its own."""
    rng = np.random.default_rng(0)

    def weight():
        return gg.tensor(rng.normal(size=(8, 8)), dtype=gg.float32, requires_grad=True)

    x = gg.tensor(rng.normal(size=(6, 8)), dtype=gg.float32)
    for _ in range(count):
        query, key, value = x @ weight(), x @ weight(), x @ weight()
        x = x + ((query @ key.T) / 2.8).softmax(-1) @ value @ weight()
        x = x + (x @ weight()).relu() @ weight()
    return x.sum()


def test_a_hundred_nodes_take_less_than_200_kb(samples):
    assert len(player(samples.chain(99)).html.encode()) < 180_000


@pytest.mark.parametrize(("net", "size"), [(deep_net, 25), (shared_weights, 25), (blocks, 5)])
def test_a_real_net_with_five_hundred_events_and_explanations_takes_little_more(net, size):
    page = player(net(size))
    assert 100 <= len(page.trace.nodes) <= 103
    assert all(entry["ok"] is not False for entry in page.explain.values())
    assert len(page.html.encode()) < 210_000


def test_of_a_long_pass_the_first_and_the_last_events_are_in_the_page(samples):
    shown = player(samples.chain(1_200))
    events = data_of(shown.html)["events"]
    assert len(events) == MOST_EVENTS
    assert events[-1]["type"] == shown.trace.events[-1]["type"]
    assert f"{MOST_EVENTS - 1:,} of 6,002 events are here, the first and the last" in shown.html


def test_a_graph_without_events_says_so(samples):
    trace = samples.square()
    page = player(Trace(trace.graph, trace.arrays, [])).html
    assert data_of(page)["begin"] == "Nothing was recorded: this is the graph alone."


def test_a_notebook_gets_a_frame_over_a_picture(samples):
    bundle = player(samples.square())._repr_mimebundle_()
    assert bundle.keys() == {"text/html", "image/svg+xml", "text/plain"}
    assert 'sandbox="allow-scripts"' in bundle["text/html"]
    assert '<img alt="Backward graph of loss' in bundle["text/html"]


def test_saving_gives_the_path(samples, tmp_path):
    path = player(samples.square()).save(tmp_path / "x.html")
    assert path.read_text("utf-8") == player(samples.square()).html
    with pytest.raises(FileNotFoundError):
        player(samples.square()).save(tmp_path / "none" / "x.html")
