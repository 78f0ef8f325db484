import pytest

from benchmarks.goals import GOALS, Goal, failed, verdict
from checks import together

LINE = Goal("a line", must=0.80, goal=0.60)


@together
@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([0.60, 0.50, 0.90], "goal met"),
        ([0.70, 0.61, 0.80], "must met"),
        ([0.81, 0.90, 0.70], "must met in 1 of 3 runs"),
        ([0.81, 0.82, 0.83], "MUST MISSED"),
        ([0.81], "above the must (1 run(s) so far)"),
        ([], "NOT MEASURED"),
    ],
)
def test_three_runs_become_a_verdict(runs, expected):
    assert verdict(LINE, runs) == expected


def test_only_three_exceeding_runs_or_no_number_at_all_fail_the_suite():
    assert failed(verdict(LINE, [0.9, 0.9, 0.9]))
    assert failed(verdict(LINE, []))
    assert not failed(verdict(LINE, [0.9, 0.9]))
    assert not failed(verdict(LINE, [0.9, 0.9, 0.8]))


def test_no_goal_is_laxer_than_its_must():
    assert all(goal.goal <= goal.must for goal in GOALS)
    assert len({goal.name for goal in GOALS}) == len(GOALS)
