"""The loop: positions → trajectory → cost, and back, and a step of Adam.

A gradient leads to the nearest valley, so it matters where one starts. Three first guesses are
improved side by side, in one batch, and the best plan is kept:

    straight        both angles evenly from start to goal: the arm goes through the disc
    folded right    the same, with the second link folded clockwise on the way, and out again
    folded left     … counter-clockwise

The straight one becomes cheap, yet never leaves the disc; see Note [Between two samples].
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from glassgrad.core.tensor import Tensor
from glassgrad.ops.creation import arange, empty, tensor, zeros
from glassgrad.ops.elementary import sin
from glassgrad.ops.joining import stack
from glassgrad.optim import Adam
from glassgrad.trajectory.interpolation import tensor_linspace
from glassgrad.trajectory.kernels import CliqueTensorStepIdxCentralDifferenceKernel
from glassgrad.values.dtypes import float64, int64

from .cost import Outcome, Task, Trajectory, costs, judge, shortfalls

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
