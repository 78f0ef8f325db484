"""One sentence for each node: what it did, with numbers that come out right by hand."""

import re

import pytest

import glassgrad as gg
from glassgrad.tracing.events import Trace
from glassgrad.viz.story import Story


def leaf(values, name):
    made = gg.tensor(values, requires_grad=True)
    made.name = name
    return made


def told(trace):
    """The sentences in the order of the pass, without lines."""
    return [re.sub(r" \(line \d+\)", "", each) for each in Story(trace).sentences().values()]


def neuron():
    w, x = leaf(0.5, "w"), leaf(2.0, "x")
    w.grad = gg.tensor(0.5)
    return gg.tanh(w * x)


def test_a_neuron_is_told_in_numbers():
    assert told(gg.record(neuron())) == [
        "tanh got 1, times 1 − 0.762² = 0.42, sends 0.42 to mul.",
        "mul got 0.42, sends 0.42·2 = 0.84 to w and 0.42·0.5 = 0.21 to x.",
        "w got 0.84: w.grad was 0.5, now 0.5 + 0.84 = 1.34.",
        "x got 0.21: x.grad was empty, now 0.21.",
    ]


def test_hooks_and_sums_are_told():
    x = leaf([1.0, 2.0], "x")
    y = x + x

    def double(grad):
        return grad * 2

    y.register_hook(double)
    assert told(gg.record((y * 3).sum()))[2:] == [
        ("add got [3, 3], your hook double changed it to [6, 6], passes it on to x and to x."),
        "x got [6, 6] + [6, 6] = [12, 12]: x.grad was empty, now [12, 12].",
    ]


def test_large_arrays_are_told_by_shapes_and_norms():
    h, w = leaf([[1.0] * 4] * 3, "h"), leaf([[1.0] * 5] * 4, "w")
    assert told(gg.record((h @ w).sum()))[1] == (
        "mm got a gradient (3, 5) (‖·‖ = 3.87), multiplies it by wᵀ (5, 4) and by hᵀ (4, 3), "
        "sends (3, 4) (‖·‖ = 17.3) to h and (4, 5) (‖·‖ = 13.4) to w."
    )


def test_a_failure_and_the_lack_of_a_gradient_are_told():
    x = leaf([1.0, 2.0, 3.0], "x")

    def fail(grad):
        raise ValueError("too bad")

    first, _ = x.split(2)
    assert "got [1, 1] for output 1 of 2" in told(gg.record(first.sum()))[1]
    y = x.exp()
    y.register_hook(fail)
    with pytest.raises(ValueError, match="too bad") as caught:
        gg.record(y.sum())
    assert told(caught.value.trace)[-1] == "exp got [1, 1, 1], and fails: ValueError: too bad"


def test_what_is_told_of_a_turn_does_not_depend_on_what_came_after():
    trace = gg.record(neuron())
    whole = Story(trace).sentences()
    turns = [event["node"] for event in trace.events if event["type"] == "apply"]
    ends = [k for k, event in enumerate(trace.events) if event["type"] == "apply"][1:]
    for node, end in zip(turns, ends, strict=False):
        start = next(k for k, e in enumerate(trace.events) if e["type"] == "unpack" and k > end - 3)
        cut = Trace(trace.graph, trace.arrays, trace.events[:start])
        assert Story(cut).sentences()[node] == whole[node]
