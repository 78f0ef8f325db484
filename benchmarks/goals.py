"""What the numbers must reach, what they should reach, and how three runs become a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

RUNS_TO_MISS = 3  # one bad run on a shared machine proves nothing


@dataclass(frozen=True, slots=True)
class Goal:
    """A line of the verdict: the measure called `name` has to stay at or below two numbers."""

    name: str
    must: float
    goal: float
    unit: str = "×"


GOALS = (
    Goal("W1 / torch", 0.75, 0.60),
    Goal("W1s / torch", 0.80, 0.60),
    Goal("W2 batch 8 / torch", 0.95, 0.95),
    Goal("W2 batch 64 / torch", 0.95, 0.95),
    Goal("W2 batch 512 / torch", 1.05, 1.05),  # BLAS decides there, and it is not ours
    Goal("W3 / torch", 0.7, 0.5),
    Goal("W3 bytes per node", 450, 300, "B"),
    Goal("W3 objects left for gc", 0, 0, ""),
    Goal("W4 / torch", 1.3, 0.95),
    Goal("W14 / torch", 1.0, 0.8),
    Goal("W5 jvp / torch", 0.5, 0.25),
    Goal("W5 HVP / torch", 0.6, 0.4),
    Goal("W5 Hessian / torch", 1.0, 0.5),
    Goal("W6 per op / torch", 0.80, 0.60),
    Goal("W6 diamonds: twice the depth", 2.2, 2.2),
    Goal("W7 / torch", 0.70, 0.50),
    Goal("W8 per node hook", 1.0, 0.5, "µs"),
    Goal("W8 per tensor hook", 1.0, 0.5, "µs"),
    Goal("W8 unused hooks", 3.0, 2.0, "%"),
    Goal("W9 import above numpy", 60, 30, "ms"),
    Goal("W10 per example / torch", 2.0, 1.5),
    Goal("W10 Jacobian / torch", 2.0, 2.0),
    Goal("W11 64×32×7 / NumPy", 1.3, 1.1),
    Goal("W11 512×32×7 / NumPy", 1.3, 1.1),
    Goal("W11 64×128×7 / NumPy", 1.3, 1.1),
    Goal("W11 1×32×2 / best torch", 1.0, 0.7),
    Goal("W11 64×32×7 / best torch", 1.0, 0.7),
    Goal("W11 512×32×7 / best torch", 1.3, 1.0),
    Goal("W11 64×128×7 / best torch", 1.3, 1.0),
    Goal("W12 / torch", 1.1, 0.9),
    Goal("W13 program in the middle / torch", 1.0, 0.8),
    Goal("W13 slowest program / torch", 3.0, 1.5),
    Goal("W15 recorded / pass", 3.0, 1.5),
    Goal("W15 four nodes recorded / pass", 3.0, 1.5),
    Goal("W16 watched / step", 1.5, 1.2),
)


def verdict(goal: Goal, runs: Sequence[float]) -> str:
    """Judge the medians of separate runs.

    A must is missed only when three runs or more exceed it, every one; a goal is met when the
    median run meets it.

    Example:
        >>> line = Goal("W1 / torch", must=0.80, goal=0.60)
        >>> verdict(line, [0.55, 0.58, 0.90]), verdict(line, [0.81, 0.90, 0.70])
        ('goal met', 'must met in 1 of 3 runs')
    """
    if not runs:
        return "NOT MEASURED"
    within = sum(value <= goal.must for value in runs)
    if within == 0:
        enough = len(runs) >= RUNS_TO_MISS
        return "MUST MISSED" if enough else f"above the must ({len(runs)} run(s) so far)"
    if median(runs) <= goal.goal:
        return "goal met"
    return "must met" if within == len(runs) else f"must met in {within} of {len(runs)} runs"


def failed(text: str) -> bool:
    """Whether a verdict fails the suite."""
    return text in ("MUST MISSED", "NOT MEASURED")
