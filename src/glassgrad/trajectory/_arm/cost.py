"""What is asked of a trajectory: to be smooth, to arrive, and to keep away from the disc.

    cost = w_a Σ a² + w_j Σ j² + w_goal |q_end − goal|² + w_disc Σ max(0, margin − clearance)²

Positions enter it and two of their derivatives. So its gradient comes back to the positions in
three ways at once, all of them through the fused step.

# Note [Between two samples]
# The cost sees the arm where it is at the samples, and nothing of the way from one to the next. An
# optimiser finds that out: the cheapest thing to do with a straight line through the disc is to
# hurry, and to be on one side at one sample, on the other side at the next. So a plan is judged on
# the way between its samples as well.
"""

from dataclasses import dataclass
from typing import NamedTuple

from glassgrad._dtypes import float64
from glassgrad.core.tensor import Tensor
from glassgrad.ops.activations import relu
from glassgrad.ops.creation import tensor
from glassgrad.trajectory.interpolation import interpolate_kernel
from glassgrad.trajectory.states import TensorDeviceType

from .arm import Arm, Disc

PADDING = 4  # samples that the fused step adds to the actions
FINE = 16  # places between two samples, and points on a link, at which a plan is judged

ARM = Arm((1.0, 0.8))
DISC = Disc((1.05, 1.05), 0.25)

# A plan that is good enough has less, more and less than this:
COST, CLEARANCE, GOAL_ERROR = 12.0, 0.0, 5e-3


class Trajectory(NamedTuple):
    """Angles and their derivatives, each `(B, H, 2)`: B trajectories of two joints."""

    position: Tensor
    velocity: Tensor
    acceleration: Tensor
    jerk: Tensor


@dataclass(frozen=True, slots=True)
class Task:
    """From where to where, past what, how fast, and what counts how much.

    Args:
        arm, disc: what moves, and what it must not touch.
        start, goal: the two angles at rest, in radians.
        actions: how many positions are to be found.
        duration: from the first of them to the last, in seconds.
        per_link: how many points of each link keep their distance from the disc.
        margin: from how close on nearness costs something, in metres.
        w_acceleration, w_jerk, w_goal, w_disc: the weights of the four terms.
    """

    arm: Arm = ARM
    disc: Disc = DISC
    start: tuple[float, float] = (0.1, 0.4)
    goal: tuple[float, float] = (1.9, 0.5)
    actions: int = 40
    duration: float = 2.0
    per_link: int = 6
    margin: float = 0.08
    w_acceleration: float = 1e-4
    w_jerk: float = 1e-5
    w_goal: float = 200.0
    w_disc: float = 400.0

    @property
    def time_step(self) -> float:
        """Seconds from one sample to the next."""
        return self.duration / (self.actions - 1)

    @property
    def horizon(self) -> int:
        """How many samples a trajectory has."""
        return self.actions + PADDING

    @property
    def times(self) -> list[float]:
        """When each sample is, in seconds: the start position is seen at sample 1."""
        return [(h - 1) * self.time_step for h in range(self.horizon)]


class Outcome(NamedTuple):
    """One trajectory, and how good it is.

    Args:
        trajectory: a batch of one.
        cost: the four terms in one number.
        clearance: the smallest distance of the arm from the disc, at samples and between, in m.
        at_samples: the same at the samples alone, as the cost sees it.
        goal_error: the distance from the goal at the end, in rad.
    """

    trajectory: Trajectory
    cost: float
    clearance: float
    at_samples: float
    goal_error: float


def costs(task: Task, trajectory: Trajectory) -> Tensor:
    """The cost of each trajectory, `(B,)`."""
    a, j = trajectory.acceleration, trajectory.jerk
    too_near = relu(task.margin - _clearances(task, trajectory.position, task.per_link))
    each: Tensor = (
        task.w_acceleration * _sum_of_squares(a)
        + task.w_jerk * _sum_of_squares(j)
        + task.w_goal * _sum_of_squares(_misses(task, trajectory.position))
        + task.w_disc * _sum_of_squares(too_near)
    )
    return each


def judge(task: Task, trajectory: Trajectory) -> list[Outcome]:
    """Each trajectory with its cost, clearances and distance from the goal."""
    found = []
    for row in range(len(trajectory.position)):
        one = Trajectory(*(x.detach()[row : row + 1].clone() for x in trajectory))
        found.append(
            Outcome(
                one,
                cost=costs(task, one).item(),
                clearance=_clearances(task, _between(one.position), FINE).min().item(),
                at_samples=_clearances(task, one.position, task.per_link).min().item(),
                goal_error=_sum_of_squares(_misses(task, one.position)).sqrt().item(),
            )
        )
    return found


def shortfalls(outcome: Outcome) -> list[str]:
    """In what a plan is not good enough, in words; nothing if it is."""
    cost, clearance, goal_error = outcome.cost, outcome.clearance, outcome.goal_error
    checks = {
        f"the cost is {cost:.4g}, not below {COST:g}": cost < COST,
        f"the clearance is {clearance:+.3f} m, not above {CLEARANCE:g}": clearance > CLEARANCE,
        f"the goal is missed by {goal_error:.2g} rad, {GOAL_ERROR:g} or more": (
            goal_error < GOAL_ERROR
        ),
    }
    return [words for words, is_met in checks.items() if not is_met]


def _sum_of_squares(x: Tensor) -> Tensor:
    """Of each trajectory: of all axes but the first."""
    squares: Tensor = x * x
    return squares.flatten(1).sum(1)


def _misses(task: Task, position: Tensor) -> Tensor:
    missed: Tensor = position[:, -1] - tensor(task.goal, dtype=float64)
    return missed


def _clearances(task: Task, position: Tensor, per_link: int) -> Tensor:
    """Of each point at each sample, `(B, H, 2·per_link)`."""
    return task.disc.clearance(task.arm.points(position, per_link))


def _between(position: Tensor) -> Tensor:
    """Positions evenly from each sample to the next, `(B, (H − 1)·FINE, 2)`."""
    kernel = interpolate_kernel(position.shape[1], FINE, TensorDeviceType(dtype=float64))
    positions: Tensor = kernel @ position
    return positions
