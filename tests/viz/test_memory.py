import numpy as np
import pytest

import glassgrad as gg
from glassgrad.tracing.held import Held, size_of
from glassgrad.utils.checkpoint import checkpoint
from glassgrad.viz import draw, text_view
from glassgrad.viz.memory import freed_by_node
from glassgrad.viz.wording import Narrator


def leaf(name, *values):
    tensor = gg.tensor(list(values), requires_grad=True)
    tensor.name = name
    return tensor


def told(trace):
    """The sentences about memory."""
    narrator = Narrator(trace)
    frees = [event for event in trace.events if event["type"] == "free_saved"]
    return [narrator.sentence(event) for event in frees]


def test_a_leaf_keeps_its_memory():
    x = leaf("x", 1.0, 2.0, 3.0)
    trace = gg.record((x**3).sum())
    assert told(trace) == ["PowBackward0 lets go of what it saved: leaf x keeps it."]
    assert [freed.bytes for freed in freed_by_node(trace).values()] == [0]


def test_what_only_the_node_held_comes_free():
    trace = gg.record(leaf("x", 1.0, 2.0).exp().sum())
    assert told(trace) == ["ExpBackward0 frees what it saved, 8 B."]


def test_of_both_only_the_part_that_is_no_leafs_comes_free():
    x = leaf("x", 1.0, 2.0)
    trace = gg.record((x * x.exp()).sum())
    assert told(trace) == [
        # exp saved its result, too, and has not run yet
        "MulBackward0 lets go of what it saved: leaf x and other nodes keep it.",
        "ExpBackward0 frees what it saved, 8 B.",
    ]
    w = leaf("w", 1.0, 2.0)
    trace = gg.record((w * (w + 1)).sum())
    assert told(trace) == ["MulBackward0 frees 8 B of what it saved: leaf w keeps the rest."]


def test_memory_that_a_node_saved_twice_counts_once():
    h = leaf("x", 1.0, 2.0) + 1
    trace = gg.record((h * h).sum())
    assert told(trace) == ["MulBackward0 frees what it saved, 8 B."]


def test_all_that_the_pictures_notes_hold_has_come_free_at_the_end():
    w = gg.tensor([[0.1, 0.2], [0.3, 0.1]], requires_grad=True)
    h = gg.tensor([[1.0, 2.0]])
    for _ in range(3):
        h = (h @ w).tanh()
    trace = gg.record((h * h).sum())
    notes = {
        saved["storage"]: saved["bytes"]
        for node in trace.nodes
        for saved in node.get("saved", ())
        if "leaf" not in saved
    }
    assert sum(freed.bytes for freed in freed_by_node(trace).values()) == sum(notes.values())
    assert told(trace)[1] == "TanhBackward0 frees what it saved, 8 B."


def held(pack, unpack):
    """What saved tensors of two results, 8 bytes each, hold along a pass."""
    with gg.autograd.graph.saved_tensors_hooks(pack, unpack):
        loss = leaf("x", 1.0, 2.0).exp().tanh().sum()
    trace = gg.record(loss)
    return list(dict.fromkeys(map(trace.held, range(len(trace.events) + 1))))


def test_what_pack_hooks_keep_counts_as_large_as_it_is():
    def half(x):
        return x.numpy().astype("float16")

    def whole(array):
        return gg.tensor(array.astype("float32"))

    assert held(lambda x: x, lambda x: x) == [16, 8, 0]
    assert held(half, whole) == [8, 4, 0]
    assert held(lambda x: {"x": [half(x)], "as": x.dtype}, lambda d: whole(d["x"][0])) == [8, 4, 0]
    assert held(lambda x: half(x).tobytes(), lambda b: whole(np.frombuffer(b, "f2"))) == [8, 4, 0]


def test_where_nobody_can_tell_how_large_it_is_no_number_is_told():
    elsewhere = {}

    def pack(x):
        elsewhere[len(elsewhere)] = x
        return len(elsewhere) - 1

    assert held(pack, elsewhere.get) == [None, 0]
    assert held(lambda x: lambda: x, lambda thunk: thunk()) == [None, 0]
    with gg.autograd.graph.saved_tensors_hooks(pack, elsewhere.get):
        loss = leaf("x", 1.0, 2.0).exp().sum()
    packed = [node.get("packed") for node in gg.snapshot(loss).nodes]
    assert packed == [None, [{"name": "result"}], None]
    assert "saved result packed (what nobody can count)" in text_view(gg.snapshot(loss))
    assert told(gg.record(loss)) == ["ExpBackward0 lets go of what a hook made of result."]


def test_a_node_whose_saved_tensors_nobody_lists_is_told_by_its_event():
    trace = gg.record(leaf("x", 1.0, 2.0).exp().sum())
    for node in trace.nodes:
        node.pop("saved", None)
    assert told(trace) == ["ExpBackward0 frees what it saved, 8 B."]


def test_a_view_of_a_leaf_lies_in_the_leafs_memory():
    w, v = leaf("w", 1.0, 2.0), leaf("v", 3.0, 4.0)
    assert told(gg.record((v @ w.reshape(2, 1)).sum())) == [
        "MatMulBackward0 lets go of what it saved: leaf v and leaf w keep it."
    ]
    trace = gg.record(w.sin().sum() + w[:1].cos().sum())
    assert told(trace) == [
        "CosBackward0 lets go of what it saved: leaf w keeps it.",
        "SinBackward0 lets go of what it saved: leaf w keeps it.",
    ]
    assert "CosBackward0 (1,) → n3 saved self (leaf w)" in text_view(trace)


def test_a_note_of_a_view_of_a_leaf_is_not_struck_out():
    w = leaf("w", 1.0, 2.0)
    vertices = draw(gg.record(w[:1].cos().sum() + w.exp().sum())).graph.vertices
    notes = {vertex.title: vertex.freed for vertex in vertices if vertex.kind == "saved"}
    assert notes == {"slice(…)": False, "exp(w)": True}


def test_a_piece_of_memory_is_as_large_as_the_largest_view_of_it():
    y = gg.ones(100, requires_grad=True) + 1
    assert told(gg.record(y[:1].sin().sum() + y.cos().sum())) == [
        "CosBackward0 lets go of what it saved: other nodes keep it.",
        "SinBackward0 frees what it saved, 400 B.",
    ]
    y = gg.ones(100, requires_grad=True) + 1
    sentences = told(gg.record(y.cos().sum() + y[:1].sin().sum()))
    assert sentences[1] == "CosBackward0 frees what it saved, 400 B."


@pytest.mark.parametrize("sizes", [(4, 400), (400, 4)])
def test_what_a_node_saved_counts_the_largest_view(sizes):
    saved = [{"name": "self", "storage": "s0", "bytes": size} for size in sizes]
    assert size_of({"id": "n0", "saved": saved}) == 400


@pytest.mark.parametrize("after", [-1, 99, "2", None])
def test_it_is_asked_for_an_event_that_there_is(after):
    trace = gg.record(gg.ones(2, requires_grad=True).exp().sum())
    with pytest.raises(gg.errors.ArgumentError, match=f"after {after!r} events; this pass has "):
        trace.held(after)


def test_what_is_held_over_time_is_found_in_one_go(monkeypatch):
    x = leaf("x", 1.0, 2.0)
    y = checkpoint(lambda z: (z.exp() * z).sin(), x * 1, use_reentrant=False)
    trace = gg.record((y * y.cos()).sum())
    assert any(event["type"] == "recompute" for event in trace.events)
    held = [trace.held(after) for after in range(len(trace.events) + 1)]
    steps, step = [], Held.step
    monkeypatch.setattr(Held, "step", lambda self, event: steps.append(step(self, event)))
    assert trace.held_over_time() == held
    assert len(steps) == len(trace.events)
