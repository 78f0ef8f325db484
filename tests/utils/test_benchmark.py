"""`utils.benchmark`: what a timer says of a statement."""

import pytest

import glassgrad as gg
from glassgrad.utils.benchmark import Timer


def clock(step):
    now = [0.0]

    def tell():
        now[0] += step
        return now[0]

    return tell


def test_a_run_is_as_many_executions():
    timer = Timer("x * x", globals={"x": gg.ones(2)}, timer=clock(0.5), label="mul", sub_label="2")
    found = timer.timeit(10)
    assert (found.mean, found.median, found.iqr, found.number_per_run) == (0.05, 0.05, 0.0, 10)
    assert repr(found).splitlines()[1:] == [
        "mul: 2",
        "  50.00 ms",
        "  1 measurement, 10 runs , 1 thread",
    ]


def test_runs_go_on_for_some_time():
    seen = []
    timer = Timer("pass", timer=clock(0.125), description="nothing")
    found = timer.blocked_autorange(lambda *run: seen.append(run), min_run_time=0.5)
    assert seen == [(1, 0.125)] * 4
    assert found.times == [0.125] * 4
    assert "Median: 125.00 ms" in repr(found)
    assert "4 measurements, 1 runs per measurement" in repr(found)
    assert len(timer.adaptive_autorange(min_run_time=0.2).times) == 2


def test_other_languages_are_refused():
    with pytest.raises(TypeError, match="Write the statement in Python"):
        Timer("int i = 0;", language="c++")
