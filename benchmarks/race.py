"""The method: contenders take turns in one process, and each sample is set beside its neighbours.

First every contender runs once and must arrive at the same numbers. Then come rounds: in each, all
contenders give one sample, in an order shuffled anew, so that none always runs in another's wake.
(Who takes longer than a second for a sample gives one in every eighth round only.)
The garbage collector is on, as it is in a user's program, but starts every sample with nothing to
look at: no contender pays for another's litter.
"""

import gc
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.agreement import agree, as_arrays
from benchmarks.effort import Effort
from benchmarks.records import Timing
from benchmarks.spread import Spread, paired_difference, paired_ratio

MICROSECONDS = 1e6
SLOW_SECONDS = 1.0
SLOW_EVERY = 8


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do the work.

    Args:
        name: who does it: "NumPy", "glassgrad", "torch" …
        run: does one unit of it and returns the numbers it arrived at.
        prepare: what must be ready beforehand and is not timed; its result is handed to `run`.
        probe: returns the numbers to compare where the outcome of one `run` says too little.
    """

    name: str
    run: Callable[..., Any]
    prepare: Callable[[], Any] | None = None
    probe: Callable[[], Any] | None = None

    def outcome(self) -> Any:
        """The numbers this contender arrives at."""
        if self.probe is not None:
            return self.probe()
        if self.prepare is not None:
            return self.run(self.prepare())
        return self.run()

    def seconds(self, repeats: int) -> float:
        """Time `repeats` units, by the clock on the wall."""
        if self.prepare is not None:
            return self._seconds_after_preparation()
        run = self.run
        gc.collect()
        begin = time.perf_counter()
        for _ in range(repeats):
            run()
        return time.perf_counter() - begin

    def _seconds_after_preparation(self) -> float:
        state = self.prepare()
        gc.collect()
        begin = time.perf_counter()
        self.run(state)
        return time.perf_counter() - begin


@dataclass(slots=True)
class Race:
    """The samples of all contenders, in microseconds per unit, and who did not finish.

    Args:
        title: what was run.
        unit: what a sample counts, e.g. "µs per op".
        samples: one list per contender; the i-th entries of all lists were taken together, and
            None stands for a round without this contender.
        failures: for each contender that could not run or got other numbers, why.
    """

    title: str
    unit: str
    samples: dict[str, list[float | None]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def ratio(self, name: str, to: str) -> Spread | None:
        """How much longer `name` takes than `to`; None if one of them has no samples."""
        if name in self.samples and to in self.samples:
            return paired_ratio(self.samples[name], self.samples[to])
        return None

    def difference(self, name: str, to: str) -> Spread | None:
        """How many µs more `name` takes than `to`; None if one of them has no samples."""
        if name in self.samples and to in self.samples:
            return paired_difference(self.samples[name], self.samples[to])
        return None

    def timings(self, torch: str = "torch") -> list[Timing]:
        """One row per contender, for the report.

        Args:
            torch: whose time stands below the line in "÷ torch", where torch runs several times.
        """
        rows = [
            Timing(
                title=self.title,
                contender=name,
                unit=self.unit,
                value=Spread.of([sample for sample in samples if sample is not None]),
                to_numpy=self.ratio(name, "NumPy"),
                to_torch=self.ratio(name, torch),
            )
            for name, samples in self.samples.items()
        ]
        rows += [
            Timing(title=self.title, contender=name, unit=self.unit, failure=why)
            for name, why in self.failures.items()
        ]
        return rows


def race(
    title: str,
    contenders: Sequence[Contender],
    *,
    effort: Effort,
    unit: str = "µs",
    per: float = 1.0,
    tolerance: float = 1e-5,
) -> Race:
    """Let contenders do the same work in turns.

    Args:
        title: what is run, the heading of the table.
        contenders: who runs; the first that finishes sets the numbers the others must reach.
        effort: how many rounds, and how long a sample lasts at least.
        unit: what one sample is reported in.
        per: how many of these units one `run` does (1,000 operations, say).
        tolerance: how far outcomes may differ, relative to their largest entry.

    Returns:
        The samples, and the reason for each contender that has none.
    """
    result = Race(title, unit)
    starters = _those_who_agree(contenders, result, tolerance)
    gc.collect()
    was_frozen = gc.get_freeze_count() > 0  # by the caller, who wants it to stay so
    gc.freeze()  # what is there by now belongs to the libraries: no sample walks over it
    try:
        paces = {contender.name: _pace(contender, effort) for contender in starters}
        shuffled = random.Random(0)
        for number in range(effort.rounds):
            for contender in shuffled.sample(starters, len(starters)):
                sample = _sample(contender, paces[contender.name], number)
                result.samples[contender.name].append(sample and sample * MICROSECONDS / per)
    finally:
        if not was_frozen:
            gc.unfreeze()
    return result


def _those_who_agree(
    contenders: Sequence[Contender], result: Race, tolerance: float
) -> list[Contender]:
    expected = None
    starters = []
    for contender in contenders:
        try:
            outcome = as_arrays(contender.outcome())
            if expected is None:
                expected = outcome
            agree(outcome, expected, tolerance=tolerance)
        except Exception as error:  # noqa: BLE001 - a contender that cannot is a row of the table
            result.failures[contender.name] = f"{type(error).__name__}: {error}"
            continue
        starters.append(contender)
        result.samples[contender.name] = []
    return starters


@dataclass(frozen=True, slots=True)
class Pace:
    """How many units make one sample, and in every how many-th round it is taken."""

    repeats: int
    every: int


def _pace(contender: Contender, effort: Effort) -> Pace:
    """Find out by trying, which also warms the contender up."""
    repeats = 1
    while (seconds := contender.seconds(repeats)) < effort.sample_seconds:
        if contender.prepare is not None:
            break  # one preparation serves one unit
        shortfall = effort.sample_seconds / max(seconds, 1e-7)
        repeats = max(repeats + 1, int(repeats * min(shortfall, 10) + 1))
    return Pace(repeats, SLOW_EVERY if seconds > SLOW_SECONDS else 1)


def _sample(contender: Contender, pace: Pace, number: int) -> float | None:
    """Seconds per unit, or None if the contender sits this round out."""
    if number % pace.every:
        return None
    return contender.seconds(pace.repeats) / pace.repeats
