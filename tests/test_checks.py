"""Rows that are played in one test fail as tests of their own would."""

import pytest

import glassgrad
from checks import Checks, together

PLAYED = []


@together
@pytest.mark.parametrize("x", [1, pytest.param(2, id="two"), 3])
@pytest.mark.parametrize(("y", "z"), [(1, 2), (3, 4)], ids=["low", "high"])
def check_of_rows(x, y, z):
    PLAYED.append((x, y, z, glassgrad.rand(1).item()))
    assert (x, y) != (3, 3)
    if x == 2:
        glassgrad.set_grad_enabled(False)


def test_all_rows_are_played_and_those_that_fail_are_named():
    PLAYED.clear()
    with pytest.raises(BaseExceptionGroup) as caught:
        check_of_rows()
    assert sorted(row[:3] for row in PLAYED) == [
        (x, *pair) for x in (1, 2, 3) for pair in ((1, 2), (3, 4))
    ]
    assert len({row[3] for row in PLAYED}) == 1  # each draws from seed 0
    assert str(caught.value).startswith("3 checks failed: low-two; high-two; high-3")
    assert "left a mode" in str(caught.value.exceptions[0])
    assert glassgrad.is_grad_enabled()


@together
@pytest.mark.parametrize("name", ["first", "second"])
def check_of_one_row(name):
    assert {"first": 1}[name]


def test_one_row_that_fails_raises_what_it_raised():
    with pytest.raises(KeyError) as caught:
        check_of_one_row()
    assert caught.value.__notes__ == ["in the check: 'second'"]


def test_a_check_cannot_be_skipped():
    with (
        pytest.raises(AssertionError, match="would skip all"),
        Checks() as checks,
        checks.named("this"),
    ):
        pytest.skip("that")
