"""A planar arm of two links, a disc in its way, and the loop that finds a way past it.

    angles  q = (q₁, q₂)          q₂ is measured from the first link on
    elbow   e = ℓ₁ (cos q₁, sin q₁)
    tip     t = e + ℓ₂ (cos(q₁ + q₂), sin(q₁ + q₂))

All is made of differentiable ops, so that a gradient at a point of the arm arrives at the angles.
What is asked of a trajectory is to be smooth, to arrive, and to keep away from the disc:

    cost = w_a Σ a² + w_j Σ j² + w_goal |q_end − goal|² + w_disc Σ max(0, margin − clearance)²

Positions enter it and two of their derivatives. So its gradient comes back to the positions in
three ways at once, all of them through the fused step.

The loop goes from positions to a trajectory to its cost, and back, and makes a step of Adam. A
gradient leads to the nearest valley, so it matters where one starts. Three first guesses are
improved side by side, in one batch, and the best plan is kept:

    straight        both angles evenly from start to goal: the arm goes through the disc
    folded right    the same, with the second link folded clockwise on the way, and out again
    folded left     … counter-clockwise

The straight one becomes cheap, yet never leaves the disc.

# Note [Between two samples]
# The cost sees the arm where it is at the samples, and nothing of the way from one to the next. An
# optimiser finds that out: the cheapest thing to do with a straight line through the disc is to
# hurry, and to be on one side at one sample, on the other side at the next. So a plan is judged on
# the way between its samples as well.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from glassgrad._dtypes import float64, int64
from glassgrad.core.tensor import Tensor
from glassgrad.ops import zeros_like
from glassgrad.ops.activations import relu
from glassgrad.ops.creation import arange, empty, tensor, zeros
from glassgrad.ops.elementary import cos, sin
from glassgrad.ops.joining import cat, stack
from glassgrad.optim import Adam
from glassgrad.trajectory.kernels import CliqueTensorStepIdxCentralDifferenceKernel
from glassgrad.trajectory.matrices import interpolate_kernel, tensor_linspace
from glassgrad.trajectory.states import TensorDeviceType


@dataclass(frozen=True, slots=True)
class Arm:
    """Two links, the first of which turns about the origin.

    Args:
        lengths: of the two links, in metres.

    Example:
        >>> Arm((2.0, 1.0)).corners(tensor([0.0, 0.0]))
        tensor([[0., 0.],
                [2., 0.],
                [3., 0.]])
    """

    lengths: tuple[float, float]

    def corners(self, q: Tensor) -> Tensor:
        """Base, elbow and tip.

        Args:
            q: angles in radians, `(…, 2)`.

        Returns:
            Tensor of shape `(…, 3, 2)`.
        """
        upper, lower = self._links(q)
        return stack([zeros_like(upper), upper, upper + lower], -2)

    def points(self, q: Tensor, per_link: int) -> Tensor:
        """Points along the links, evenly spaced, the last of each link at its end.

        Args:
            q: angles in radians, `(…, 2)`.
            per_link: how many of them on each link.

        Returns:
            Tensor of shape `(…, 2·per_link, 2)`.
        """
        upper, lower = (link.unsqueeze(-2) for link in self._links(q))
        along = (arange(1, per_link + 1, dtype=q.dtype) / per_link).unsqueeze(-1)
        return cat([along * upper, upper + along * lower], -2)

    def _links(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """Each link as a vector `(…, 2)`."""
        first = q[..., 0]
        second = first + q[..., 1]
        upper, lower = (
            length * stack([cos(angle), sin(angle)], -1)
            for length, angle in zip(self.lengths, (first, second), strict=True)
        )
        return upper, lower


@dataclass(frozen=True, slots=True)
class Disc:
    """What the arm must not touch.

    Args:
        center, radius: in metres.

    Example:
        >>> Disc((0.0, 3.0), 1.0).clearance(tensor([[4.0, 0.0], [0.0, 3.5]]))
        tensor([ 4.0000, -0.5000])
    """

    center: tuple[float, float]
    radius: float

    def clearance(self, points: Tensor) -> Tensor:
        """How far points are from the rim; negative inside.

        At the very centre, where each way out is as short as another, there is no gradient (nan).

        Args:
            points: `(…, 2)`.

        Returns:
            Tensor of shape `(…)`.
        """
        away = points - tensor(self.center, dtype=points.dtype)
        return (away * away).sum(-1).sqrt() - self.radius


# What is asked of a trajectory --------------------------------------------------------------------


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
    return (
        task.w_acceleration * _sum_of_squares(a)
        + task.w_jerk * _sum_of_squares(j)
        + task.w_goal * _sum_of_squares(_misses(task, trajectory.position))
        + task.w_disc * _sum_of_squares(too_near)
    )


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
    return (x * x).flatten(1).sum(1)


def _misses(task: Task, position: Tensor) -> Tensor:
    return position[:, -1] - tensor(task.goal, dtype=float64)


def _clearances(task: Task, position: Tensor, per_link: int) -> Tensor:
    """Of each point at each sample, `(B, H, 2·per_link)`."""
    return task.disc.clearance(task.arm.points(position, per_link))


def _between(position: Tensor) -> Tensor:
    """Positions evenly from each sample to the next, `(B, (H − 1)·FINE, 2)`."""
    kernel = interpolate_kernel(position.shape[1], FINE, TensorDeviceType(dtype=float64))
    return kernel @ position


# The loop -----------------------------------------------------------------------------------------


FOLDS = {"straight": 0.0, "folded right": -2.25, "folded left": 2.75}
"""How far the second link is folded half-way, in radians."""

RATE = 0.01  # of Adam: twice this at first, falling to 0 along a cosine


@dataclass(frozen=True, slots=True)
class Plan:
    """What became of each guess of `FOLDS`, by name, and how long it took, in seconds."""

    before: dict[str, Outcome]
    after: dict[str, Outcome]
    seconds: float

    @property
    def best(self) -> str:
        """The cheapest of the plans that are good enough; if none is, of those farthest out."""

        def rank(name: str) -> tuple[bool, bool, float]:
            outcome = self.after[name]
            return bool(shortfalls(outcome)), outcome.clearance <= 0.0, outcome.cost

        return min(self.after, key=rank)


class Stepper:
    """The fused step of a task, into memory that every call writes anew.

    So what one call returned is overwritten by the next, and its backward comes before that.
    All is in float64: a jerk divides differences of positions by the cube of a small time step,
    and with them their rounding.

    Args:
        task: says how many samples there are, where the arm starts, and the time step.
        batch: how many trajectories start there.
    """

    def __init__(self, task: Task, batch: int) -> None:
        still = zeros(1, 2, dtype=float64)
        self._start = tensor([task.start], dtype=float64), still, still
        self._rows = zeros(batch, dtype=int64)  # all start from the one row of `_start`
        self._memory = [empty(batch, task.horizon, 2, dtype=float64) for _ in Trajectory._fields]
        self._rate = tensor([1 / task.time_step], dtype=float64)
        self._scratch = empty(batch, task.actions, 2, dtype=float64)

    def __call__(self, actions: Tensor) -> Trajectory:
        """The trajectories through positions `(B, A, 2)`."""
        step = CliqueTensorStepIdxCentralDifferenceKernel
        outputs = step.apply(
            actions, *self._start, self._rows, *self._memory, self._rate, self._scratch
        )
        return Trajectory(*outputs)


def guesses(task: Task) -> Tensor:
    """The positions to begin with, `(3, A, 2)`: straight, folded right, folded left."""
    start, goal = (tensor(q, dtype=float64).unsqueeze(-1) for q in (task.start, task.goal))
    first, second = tensor_linspace(start, goal, task.actions)
    bump = sin(arange(1, task.actions + 1, dtype=float64) * (math.pi / task.actions)) ** 2
    return stack([stack([first, second + fold * bump], -1) for fold in FOLDS.values()])


def plan(task: Task, steps: int, report: Callable[[float], object] | None = None) -> Plan:
    """Bend the guesses until their costs are low.

    Args:
        task: what is asked for.
        steps: how many steps of Adam to make.
        report: called with the lowest cost at each step.

    Returns:
        The guesses and what became of them, judged.
    """
    began = time.perf_counter()
    actions = guesses(task).requires_grad_()
    step = Stepper(task, len(actions))
    before = judge(task, step(actions))
    optimizer = Adam([actions], lr=RATE)
    for k in range(steps):
        optimizer.param_groups[0]["lr"] = RATE * (1 + math.cos(math.pi * k / steps))
        optimizer.zero_grad()
        each = costs(task, step(actions))
        each.sum().backward()  # no guess is in another's cost: each has its own gradient
        optimizer.step()
        if report is not None:
            report(each.min().item())
    after = judge(task, step(actions))
    seconds = time.perf_counter() - began
    return Plan(
        dict(zip(FOLDS, before, strict=True)), dict(zip(FOLDS, after, strict=True)), seconds
    )
