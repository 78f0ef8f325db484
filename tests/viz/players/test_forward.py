import pytest

import glassgrad as gg
from checks import together
from glassgrad.tracing.log import snapshot
from glassgrad.viz.players.forward import in_words
from viz.players.neuron import named, neuron


def test_it_begins_with_a_step_for_each_op_in_the_order_of_the_program():
    data = gg.player(neuron(), forward=True).data()
    kinds = [event["type"] for event in data["events"]]
    assert kinds[:7] == ["forward"] * 5 + ["turn", "ready"]
    assert [event["node"] for event in data["events"][:5]] == ["n1", "n3", "n4", "n5", "n6"]
    assert len(data["said"]) == len(kinds)
    said = [sentence.rpartition(" gave ")[2] for sentence in data["said"][:6]]
    assert said == [
        "1.",  # computed again: nothing keeps it
        "1.1.",
        "0.8.",
        "-0.2.",  # which pow has saved
        "0.0398.",
        "The forward pass is over. Now the gradients come back, from loss.",
    ]
    assert data["begin"] == "Forward begins with w, b. Press → to step."


def test_an_op_is_called_as_on_the_way_back():
    scores = gg.ones(2, 3, requires_grad=True)
    loss = gg.nn.functional.cross_entropy(scores, gg.tensor([0, 1]))
    assert ": cross_entropy gave 1.1." in gg.player(loss, forward=True).data()["said"][0]


def test_the_trace_stays_as_it_is():
    played = gg.player(neuron(), forward=True).trace
    assert played.to_json() == gg.record(neuron()).to_json()


def test_a_tensor_that_is_alive_is_read():
    x = named("x", 3.0)
    shifted = x + 1  # nothing saves it, and the 1 is not on the tape
    assert in_words(gg.player(shifted.sum(), forward=True).forward)["n1"] == "4"


def test_what_nobody_has_kept_is_a_shape():
    x = named("x", [3.0, 4.0])
    (first, *_), begin = (
        gg.player(((x + 1) + 2).sum(), forward=True).data()[k] for k in ("said", "begin")
    )
    assert " gave a tensor of shape (2,)" in first
    assert begin.startswith("Forward begins with x.")


def test_a_trace_tells_what_it_has():
    a = named("a", [1.0, 2.0])
    h = a.sin()
    h.retain_grad()
    trace = gg.record((a.exp() * h + a).sum())
    values = in_words(gg.player(trace, forward=True).forward)
    assert values == {"n1": "[0.841, 0.909]", "n2": "[2.72, 7.39]", "n5": "12"}


def test_values_that_were_written_since_are_not_told():
    x = named("x", [1.0, 2.0])
    y = x * 2
    z = y * y
    with gg.no_grad():
        y.mul_(10)
    assert "n1" not in gg.player(snapshot(z.sum()), forward=True).forward


def test_a_tensor_that_was_written_since_is_not_read():
    x = named("x", [1.0, 2.0])
    y = x + 1
    with gg.no_grad():
        y.mul_(10)
    assert "n1" not in gg.player((y + 1).sum(), forward=True).forward


def test_questions_come_after_it():
    plain = gg.player(neuron(), predict=True).data()["predict"]["questions"]
    later = gg.player(neuron(), predict=True, forward=True).data()["predict"]["questions"]
    assert [each["at"] for each in later] == [each["at"] + 6 for each in plain]


@together
@pytest.mark.parametrize("count", [20, 61])
def test_it_is_for_small_graphs(count):
    y = named("x", 1.0)
    for _ in range(count):
        y = y.sin()
    if count < 60:
        assert len(gg.player(y, forward=True).data()["said"]) > count
    else:
        with pytest.raises(gg.errors.ArgumentError, match="a graph of 62 nodes"):
            gg.player(y, forward=True)


def test_a_session_is_refused():
    with (
        gg.step(neuron()) as session,
        pytest.raises(gg.errors.ArgumentError, match="forward= was given with a session"),
    ):
        gg.player(session, forward=True)
