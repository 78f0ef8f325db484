"""How often a forward is run again: less often where it is slow, as a clock of our own says."""

import pytest

import glassgrad as gg
from glassgrad.autograd import Function
from glassgrad.viz.explaining import checking


@pytest.fixture
def slow(monkeypatch):
    """Makes a Function whose forward takes so many seconds, and counts its runs."""
    now = [0.0]
    monkeypatch.setattr(checking, "perf_counter", lambda: now[0])

    def make(seconds, factor=3):
        class Slow(Function):
            """y = x³"""

            runs = 0

            @staticmethod
            def forward(ctx, x):
                Slow.runs += 1
                now[0] += seconds
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                return grad * factor * x**2

        return Slow

    return make


def explained(op, size=40):
    x = gg.tensor([1.0 + 0.1 * i for i in range(size)], dtype=gg.float64, requires_grad=True)
    y = op.apply(x)
    op.runs = 0
    return gg.explain(y)


def checked(found):
    return [text for section, _, text in found.rows() if section == "check"]


def test_of_a_fast_forward_each_element_is_looked_at(slow):
    op = slow(0.0001)
    assert checked(explained(op)) == ["✓ agrees with differences of the forward, 40 of 40 elements"]
    assert op.runs > 80


@pytest.mark.parametrize(("seconds", "words"), [(0.05, "2 of 2"), (2.0, "1 of 1")])
def test_a_slow_forward_runs_a_few_times_and_the_words_say_so(slow, seconds, words):
    op = slow(seconds)
    (text,) = checked(explained(op))
    assert text.startswith("✓ agrees with differences of the forward, ")
    assert text.endswith(f"{words} directions, no more, for the forward is slow")
    assert op.runs <= 12


def test_one_slow_run_of_two_does_not_make_a_forward_slow(slow, monkeypatch):
    op = slow(0.0)
    times = iter([0.0, 7.0])  # held up once
    monkeypatch.setattr(checking, "perf_counter", lambda: next(times, 7.0))
    assert "40 of 40 elements" in checked(explained(op))[0]


@pytest.mark.parametrize("seconds", [0.05, 2.0])
def test_a_wrong_rule_of_a_slow_forward_is_found(slow, seconds):
    found = explained(slow(seconds, factor=2))
    assert found.ok is False
    assert "WRONG at direction" in checked(found)[0]


def test_so_few_elements_as_directions_are_looked_at_one_by_one(slow):
    assert checked(explained(slow(0.05), size=2)) == [
        "✓ agrees with differences of the forward, 2 of 2 elements"
    ]
