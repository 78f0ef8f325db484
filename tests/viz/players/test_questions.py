import pytest

import glassgrad as gg
from checks import together
from glassgrad.viz.players.questions import asking, questions
from viz.players.neuron import named, neuron


def asked(loss, predict):
    return gg.player(loss, predict=predict).data()["predict"]["questions"]


def of_trace(loss, values="summary"):
    trace = gg.record(loss, values=values)
    return questions(trace, asking(True, trace), trace.events)


def test_all_nodes_ask_what_they_send_and_which_is_next():
    found = asked(neuron(), True)
    assert [(each["kind"], each["ask"]) for each in found] == [
        ("value", "PowBackward0 got 1. What does it send to SubBackward0?"),
        ("value", "SubBackward0 got -0.399. What does it send to TanhBackward0?"),
        ("value", "TanhBackward0 got -0.399. What does it send to AddBackward0?"),
        ("value", "AddBackward0 got -0.1433. What does it send to MulBackward0?"),
        ("value", "AddBackward0 got -0.1433. What does it send to b?"),
        ("node", "Which node runs next?"),
        ("value", "MulBackward0 got -0.1433. What does it send to w?"),
    ]
    assert found[2]["facts"] == [["gradient in", "-0.399"], ["result", "0.8005"]]
    assert found[2]["answer"]["values"] == pytest.approx([-0.399002 * (1 - 0.800499**2)], rel=1e-4)
    assert found[5]["answer"]["node"] == "n2"
    assert found[5]["told"] == "AccumulateGrad of b runs next."


def test_each_question_stands_before_the_event_that_tells_its_answer():
    trace = gg.record(neuron())
    for each in questions(trace, asking(True, trace), trace.events):
        event = trace.events[each["at"]]
        if each["kind"] == "value":
            assert (event["type"], event["node"]) == ("apply", each["node"])


@together
@pytest.mark.parametrize(
    ("predict", "nodes"),
    [
        (["MulBackward0"], ["n1"]),
        ("MulBackward0", ["n1"]),
        (["n4", "n3"], ["n4", "n3", "n3"]),
        (["w"], ["n1"]),  # of a tensor it is what arrives there
        (["AccumulateGrad"], ["n3", "n2", "n1"]),  # which sends nothing itself; it is next once
    ],
)
def test_a_teacher_marks_which_nodes_ask(predict, nodes):
    assert [each["node"] for each in asked(neuron(), predict)] == nodes


def test_nodes_and_tensors_mark_themselves():
    w = named("w", 2.0)
    h = gg.tanh(w)
    (by_node,) = asked(h * 2, [h.grad_fn])
    h = gg.tanh(w)
    (by_tensor,) = asked(h * 2, [w])
    assert by_node["ask"] == by_tensor["ask"] == "TanhBackward0 got 2. What does it send to w?"
    h = gg.tanh(w)
    (into_h,) = asked(h * 2, [h])
    assert into_h["ask"] == "MulBackward0 got 1. What does it send to TanhBackward0?"


def test_kinds_rotate_for_small_vectors_and_large_ones_ask_for_the_shape():
    a = named("a", [1.0, 2.0])
    kinds = [each["kind"] for each in of_trace((a.exp() * a.sin()).exp().sum())]
    assert kinds == ["value", "shape", "value", "shape", "node", "value", "shape", "value"]
    large = gg.zeros(13, requires_grad=True)
    assert [each["kind"] for each in of_trace((large * 2).sum(), "full")] == ["shape", "shape"]


def test_a_summary_has_four_numbers_and_the_pass_of_a_loss_has_all():
    five = named("five", [1.0, 2.0, 3.0, 4.0, 5.0])
    assert [each["kind"] for each in of_trace(five.sum())] == ["shape"]
    (found,) = asked(five.sum(), True)
    assert found["answer"] == {"shape": [5], "values": [1.0] * 5}


def test_gradients_that_meet_ask_for_their_sum():
    x = named("x", 3.0)
    *_, last = asked(x * x, True)
    assert last["ask"] == "2 gradients meet at x. What is their sum?"
    assert last["facts"] == [["there already", "3"], ["arrives", "3"]]
    assert last["answer"]["values"] == [6.0]


def test_what_is_broadcast_is_asked_for_as_it_arrives():
    c = named("c", [1.0, 0.0, -1.0])
    found = asked((gg.ones(2, 3) + c).sum(), [c])
    assert found[0]["ask"] == "AddBackward0 runs. What then reaches c? (3 numbers)"
    assert found[0]["answer"] == {"shape": [3], "values": [2.0, 2.0, 2.0]}
    assert "(3,)" not in found[0]["also"]


def test_nan_and_inf_can_be_asked_for():
    x = named("x", [0.0, -1.0])
    found = asked(x.log().sum(), ["LogBackward0"])
    assert found[0]["answer"]["values"] == ["inf", -1.0]


@together
@pytest.mark.parametrize(
    ("predict", "error", "words"),
    [
        (["MullBackward0"], gg.errors.ArgumentError, "'AddBackward0', 'TanhBackward0'"),
        (["MullBackward0"], gg.errors.ArgumentError, "the tensors 'w', 'b', 'loss'"),
        ([3], gg.errors.ArgumentTypeError, "was given a int"),
        (3, gg.errors.ArgumentTypeError, "predict=True"),
        ([gg.tensor(1.0)], gg.errors.ArgumentError, "is no part of this pass"),
    ],
)
def test_a_mark_of_nothing_says_what_there_is(predict, error, words):
    with pytest.raises(error, match=words):
        gg.player(neuron(), predict=predict)


def test_a_recorded_pass_is_marked_by_names():
    loss = neuron()
    trace = gg.record(loss, retain_graph=True)
    with pytest.raises(gg.errors.ArgumentError, match="recorded already"):
        gg.player(trace, predict=[loss])
    assert gg.player(trace, predict=["TanhBackward0"]).data()["mode"] == "predict"


def test_a_session_is_refused():
    with (
        gg.step(neuron()) as session,
        pytest.raises(gg.errors.ArgumentError, match=r"session\.trace"),
    ):
        gg.player(session, predict=True)


def test_without_it_nothing_is_asked():
    for predict in (None, False):
        assert "predict" not in gg.player(neuron(), predict=predict).data()


def test_a_node_that_got_no_gradient_is_not_said_to_have_got_what_it_saved():
    class Nothing(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return None

    class Own(gg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.set_materialize_grads(False)
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return ctx.saved_tensors[0] * 2

    x = named("x", 3.0)
    (first,) = [each for each in asked(Nothing.apply(Own.apply(x)), True) if each["node"] == "n1"]
    assert first["ask"] == "OwnBackward runs. What does it send to x?"
