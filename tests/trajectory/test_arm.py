"""The arm, what is asked of its motion, and the plan that is found."""

import math

import numpy as np
import pytest

import glassgrad as gg
from glassgrad.core.errors import StaleTensorError
from glassgrad.trajectory._arm.planning import (
    FOLDS,
    Arm,
    Disc,
    Outcome,
    Plan,
    Stepper,
    Task,
    Trajectory,
    costs,
    guesses,
    judge,
    plan,
    shortfalls,
)

ARM = Arm((1.0, 0.8))
TASK = Task()


@pytest.fixture(scope="module")
def found():
    return plan(TASK, 800)


def real(*values):
    return gg.tensor(values, dtype=gg.float64)


def resting(task, *place):
    """The trajectory that stays at a place for all samples."""
    still = gg.zeros(1, task.horizon, 2, dtype=gg.float64)
    return Trajectory(still + real(*place), still, still, still)


def smallest_distance(task, positions, places=50):
    """From the disc's rim to the links as segments, in NumPy, with `places` between two samples."""
    at = np.arange(0.0, len(positions) - 1, 1.0 / places)
    q = np.stack([np.interp(at, np.arange(len(positions)), column) for column in positions.T])
    center = np.array(task.disc.center)
    heads = np.zeros((len(at), 2))
    found = math.inf
    for length, angle in zip(task.arm.lengths, (q[0], q[0] + q[1]), strict=True):
        link = length * np.stack([np.cos(angle), np.sin(angle)], -1)
        along = np.clip(((center - heads) * link).sum(-1) / length**2, 0.0, 1.0)
        nearest = heads + along[:, None] * link
        found = min(found, np.linalg.norm(nearest - center, axis=-1).min())
        heads = heads + link
    return found - task.disc.radius


# The arm and the disc ---------------------------------------------------------------------------


def test_the_corners_of_a_bent_arm():
    corners = ARM.corners(real(math.pi / 2, -math.pi / 2)).numpy()
    np.testing.assert_allclose(corners, [[0, 0], [0, 1], [0.8, 1]], atol=1e-15)


def test_points_are_evenly_along_the_links_and_end_at_elbow_and_tip():
    points = ARM.points(real(0.0, 0.0), 4)
    np.testing.assert_allclose(points[:, 0].numpy(), [0.25, 0.5, 0.75, 1.0, 1.2, 1.4, 1.6, 1.8])
    assert not points[:, 1].numpy().any()
    q = gg.tensor(np.random.default_rng(0).uniform(-3, 3, (5, 7, 2)))
    corners, points = ARM.corners(q), ARM.points(q, 6)
    assert tuple(points.shape) == (5, 7, 12, 2)
    np.testing.assert_allclose(points[..., [5, 11], :].numpy(), corners[..., 1:, :].numpy())


def test_clearance_is_negative_inside_of_the_disc():
    disc = Disc((1.0, 1.0), 0.5)
    np.testing.assert_allclose(
        disc.clearance(gg.tensor([[1.0, 1.25], [1.0, 1.5], [4.0, 5.0]])).numpy(), [-0.25, 0.0, 4.5]
    )


def test_gradients_of_the_arm_agree_with_differences():
    q = real(0.3, -1.1).requires_grad_()
    assert gg.autograd.gradcheck(lambda q: TASK.disc.clearance(ARM.points(q, 3)), q)


# The cost ---------------------------------------------------------------------------------------


def test_to_rest_at_the_goal_costs_nothing():
    assert costs(TASK, resting(TASK, *TASK.goal)).tolist() == [0.0]


def test_to_rest_beside_the_goal_costs_the_square_of_the_distance():
    cost = costs(TASK, resting(TASK, TASK.goal[0] + 0.3, TASK.goal[1] - 0.4)).item()
    assert cost == pytest.approx(TASK.w_goal * 0.25)


def test_the_cost_of_the_straight_line_is_290():
    straight = guesses(TASK)[:1]
    assert costs(TASK, Stepper(TASK, 1)(straight)).item() == pytest.approx(289.78, abs=0.01)


def test_the_gradient_of_the_cost_agrees_with_differences():
    task = Task(actions=8, duration=1.0, w_goal=3.0)
    actions = guesses(task).requires_grad_()
    assert gg.autograd.gradcheck(
        lambda u: costs(task, Stepper(task, len(u))(u)), actions, rtol=1e-4
    )


def test_a_jump_over_the_disc_between_two_samples_is_seen():
    sides = gg.cat([real(0.3, 0.0).expand(20, 2), real(1.3, 0.0).expand(24, 2)]).unsqueeze(0)
    still = gg.zeros_like(sides)
    outcome = judge(TASK, Trajectory(sides, still, still, still))[0]
    assert outcome.at_samples > 0.2
    assert outcome.clearance < -0.2


def test_what_a_plan_lacks_is_said_in_words():
    motion = resting(TASK, *TASK.goal)
    assert shortfalls(Outcome(motion, 11.9, 0.001, 0.001, 0.0049)) == []
    assert shortfalls(Outcome(motion, 12.0, -0.1, 0.2, 0.006)) == [
        "the cost is 12, not below 12",
        "the clearance is -0.100 m, not above 0",
        "the goal is missed by 0.006 rad, 0.005 or more",
    ]


def test_a_plan_that_is_not_a_number_is_not_good():
    outcome = Outcome(resting(TASK, 0.0, 0.0), math.nan, math.nan, math.nan, math.nan)
    assert len(shortfalls(outcome)) == 3


# The plan ---------------------------------------------------------------------------------------


def test_guesses_go_from_beside_the_start_to_the_goal():
    u = guesses(TASK)
    assert tuple(u.shape) == (len(FOLDS), TASK.actions, 2)
    np.testing.assert_allclose(u[:, -1].numpy(), [TASK.goal] * 3)
    np.testing.assert_allclose(u[:, :, 0].numpy(), u[:1, :, 0].expand(3, -1).numpy())
    half_way = u[:, TASK.actions // 2 - 1, 1]
    np.testing.assert_allclose((half_way - half_way[0]).numpy(), list(FOLDS.values()))


def test_the_memory_of_a_step_is_written_anew_by_the_next():
    step, u = Stepper(TASK, 3), guesses(TASK).requires_grad_()
    first = costs(TASK, step(u)).sum()
    second = costs(TASK, step(u)).sum()
    second.backward()
    with pytest.raises(StaleTensorError):
        first.backward()


def test_the_straight_line_becomes_cheap_by_jumping_over_the_disc(found):
    was, is_now = found.before["straight"], found.after["straight"]
    assert was.clearance == pytest.approx(-0.234, abs=1e-3)
    assert is_now.cost < 12
    assert is_now.at_samples > 0
    assert is_now.goal_error < 5e-3
    assert is_now.clearance < -0.2


def test_the_plan_that_is_kept_is_good_at_samples_and_between(found):
    best = found.after[found.best]
    assert shortfalls(best) == []
    assert found.best == "folded right"
    assert best.cost < 2
    assert best.clearance > 0.03
    assert best.goal_error < 2.5e-3
    measured = smallest_distance(TASK, best.trajectory.position[0].numpy())
    assert measured == pytest.approx(best.clearance, abs=2e-3)


def test_the_plan_begins_and_ends_at_rest(found):
    position, velocity, acceleration, _ = found.after[found.best].trajectory
    assert position[0, 1].tolist() == list(TASK.start)
    for derivative in (velocity, acceleration):
        np.testing.assert_allclose(derivative[0, -1].numpy(), 0.0, atol=1e-9)


def test_a_plan_is_the_same_each_time():
    plans = [plan(TASK, 5) for _ in range(2)]
    first, second = ([x.numpy().tobytes() for x in p.after["straight"].trajectory] for p in plans)
    assert first == second


def test_each_step_reports_the_lowest_cost():
    told = []
    found = plan(TASK, 4, told.append)
    assert len(told) == 4
    assert told[0] == pytest.approx(min(outcome.cost for outcome in found.before.values()))
    assert all(found.after[name].cost < found.before[name].cost for name in FOLDS)


def test_the_best_plan_is_good_before_it_is_cheap():
    motion = resting(TASK, *TASK.goal)

    def best(**rows):
        after = {name: Outcome(motion, *row) for name, row in rows.items()}
        return Plan(after, after, 0.0).best

    cheap_but_through, good = (1.0, -0.1, 0.1, 0.0), (5.0, 0.1, 0.1, 0.0)
    missing = 2.0, 0.1, 0.1, 0.1
    assert best(a=cheap_but_through, b=missing, c=good) == "c"
    assert best(a=cheap_but_through, b=missing) == "b"
    assert best(a=(6.0, 0.1, 0.1, 0.0), b=good) == "b"
