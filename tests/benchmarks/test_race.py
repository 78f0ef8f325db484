import gc
from types import SimpleNamespace

import pytest

from benchmarks.effort import Effort
from benchmarks.race import Contender, race

ONCE = Effort(rounds=3, sample_seconds=0.0)


def test_every_contender_gives_one_sample_in_every_round():
    result = race("r", [Contender("a", lambda: 1.0), Contender("b", lambda: 1.0)], effort=ONCE)
    assert {name: len(samples) for name, samples in result.samples.items()} == {"a": 3, "b": 3}
    assert result.failures == {}


def test_contenders_take_turns():
    order = []

    def runner(name):
        return Contender(name, lambda: order.append(name) or 1.0)

    race("r", [runner("a"), runner("b")], effort=ONCE)
    rounds = order[-6:]
    assert [sorted(rounds[i : i + 2]) for i in (0, 2, 4)] == [["a", "b"]] * 3


def test_who_gets_other_numbers_is_not_timed():
    result = race("r", [Contender("a", lambda: 1.0), Contender("b", lambda: 2.0)], effort=ONCE)
    assert list(result.samples) == ["a"]
    assert result.failures["b"].startswith("ValueError: array 0 is off by 1")
    assert result.ratio("b", "a") is None


def test_who_raises_is_a_row_that_says_why():
    def fall():
        raise RecursionError("too deep")

    result = race("r", [Contender("a", lambda: 1.0), Contender("b", fall)], effort=ONCE)
    a, b = result.timings()
    assert (a.contender, a.failure) == ("a", None)
    assert (b.contender, b.failure, b.value) == ("b", "RecursionError: too deep", None)


def test_a_probe_is_compared_in_place_of_the_outcome():
    stepping = Contender("b", lambda: "anything", probe=lambda: 1.0)
    assert race("r", [Contender("a", lambda: 1.0), stepping], effort=ONCE).failures == {}


def test_each_unit_gets_a_preparation_of_its_own():
    prepared = []

    def prepare():
        prepared.append(len(prepared))
        return prepared[-1]

    seen = []
    race("r", [Contender("a", lambda state: seen.append(state) or 1.0, prepare)], effort=ONCE)
    assert seen == prepared
    assert len(seen) == len(set(seen)) >= ONCE.rounds


def test_short_units_are_repeated_until_they_fill_a_sample(monkeypatch):
    calls = []
    clock = SimpleNamespace(perf_counter=lambda: len(calls) / 10_000)  # seconds: a tick a call
    monkeypatch.setattr("benchmarks.race.time", clock)
    effort = Effort(rounds=1, sample_seconds=0.001)
    race("r", [Contender("a", lambda: calls.append(0) or 1.0)], effort=effort)
    assert len(calls) > 2 * 10  # to find out how many, and for the sample


def test_the_collector_is_left_as_it_was():
    assert gc.get_freeze_count() > 0, "tests/conftest.py freezes what is there at the start"
    race("r", [Contender("a", lambda: 1.0)], effort=ONCE)
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    gc.unfreeze()
    try:
        race("r", [Contender("a", lambda: 1.0)], effort=ONCE)
        assert gc.get_freeze_count() == 0
    finally:
        gc.freeze()


def test_timings_carry_the_ratios_to_numpy_and_torch():
    contenders = [Contender(name, lambda: 1.0) for name in ("NumPy", "torch", "glassgrad")]
    numpy, _, glassgrad = race("r", contenders, effort=ONCE, unit="µs per op").timings()
    assert numpy.to_numpy.median == pytest.approx(1.0)
    assert glassgrad.to_numpy.median > 0
    assert glassgrad.to_torch.median > 0
    assert glassgrad.unit == "µs per op"


def test_of_several_rows_of_torch_one_is_named_to_be_divided_by():
    contenders = [Contender(name, lambda: 1.0) for name in ("torch, in a loop", "torch, at once")]
    result = race("r", contenders, effort=ONCE)
    assert [row.to_torch for row in result.timings()] == [None, None]
    loop, at_once = result.timings(torch="torch, at once")
    assert loop.to_torch.median > 0
    assert at_once.to_torch.median == 1.0
