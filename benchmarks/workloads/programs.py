"""W13: the programs of `tests/programs`, written for PyTorch and run as they are.

Small networks of all kinds, trained for some dozens of steps in float64: so the cost of an op and
of an optimiser's step decides more than arithmetic does. The verdict looks at the program in the
middle and at the worst.
"""

import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.contenders import TAPES, tape
from benchmarks.effort import Effort
from benchmarks.race import Contender, race
from benchmarks.records import Outcome, Timing

TESTS = Path(__file__).parents[2] / "tests"
TITLE = "W13 programs written for PyTorch, float64"
UNIT = "ms per program"
MILLISECONDS = 1e3  # in µs, which a race counts
ROUNDS = 5  # a program takes as long as many samples of other workloads


def contenders(name: str) -> list[Contender]:
    """The same program with `import torch` meaning one library and the other."""
    from running import load

    return [Contender(library, load(name, library)) for library in TAPES]


def measure(effort: Effort) -> Outcome:
    sys.path.append(str(TESTS))
    from running import PROGRAMS

    for library in TAPES:
        tape(library)
    effort = replace(effort, rounds=min(effort.rounds, ROUNDS), sample_seconds=0.0)
    outcome = Outcome()
    ratios = []
    for name in PROGRAMS[: effort.size(len(PROGRAMS))]:
        result = race(name, contenders(name), effort=effort, per=MILLISECONDS, tolerance=1e-6)
        outcome.timings.extend(_row(name, timing) for timing in result.timings())
        if ratio := result.ratio("glassgrad", "torch"):
            ratios.append(ratio)
    ratios.sort(key=lambda ratio: ratio.median)
    if ratios:
        outcome.measures["W13 program in the middle / torch"] = ratios[len(ratios) // 2]
        outcome.measures["W13 slowest program / torch"] = ratios[-1]
    return outcome


def _row(program: str, timing: Timing) -> Timing:
    """A line of the one table that all programs share."""
    contender = f"{timing.contender}, {program.replace('_', ' ')}"
    return replace(timing, title=TITLE, unit=UNIT, contender=contender)
