"""`torch.utils.benchmark`: how long statements take, by Python's `timeit`."""

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError

__all__ = ["Measurement", "Timer"]


@dataclass
class Measurement:
    """How long a statement took, some times over.

    Attributes:
        number_per_run: how often a run repeats it.
        raw_times: the seconds of each run.
        label, sub_label, description: what the statement is.
        num_threads: what the timer was told.
    """

    number_per_run: int
    raw_times: list[float]
    label: str
    sub_label: str | None = None
    description: str | None = None
    num_threads: int = 1

    @property
    def times(self) -> list[float]:
        """The seconds of one execution, for each run."""
        return [seconds / self.number_per_run for seconds in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of `times`."""
        return float(np.mean(self.times))

    @property
    def median(self) -> float:
        """The median of `times`."""
        return float(np.median(self.times))

    @property
    def iqr(self) -> float:
        """How far apart the quartiles of `times` are."""
        low, high = np.percentile(self.times, [25, 75])
        return float(high - low)

    def __repr__(self) -> str:
        title = f"{self.label}: {self.sub_label}" if self.sub_label else self.label
        unit, scale = next(each for each in _UNITS if self.median >= each[1] or each is _UNITS[-1])
        runs = len(self.times)
        figure = "Median: " if runs > 1 else ""
        counted = "measurements" if runs > 1 else "measurement"
        lines = [f"<{type(self).__module__}.Measurement object at {hex(id(self))}>", title]
        lines += [self.description] if self.description else []
        lines += [f"  {figure}{self.median / scale:.2f} {unit}"]
        repeated = f"{self.number_per_run} runs {'per measurement' if runs > 1 else ''}"
        return "\n".join([*lines, f"  {runs} {counted}, {repeated}, {self.num_threads} thread"])


_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))


class Timer:
    """Measures a statement.

    Args:
        stmt: Python code, or a function without arguments.
        setup: code that comes before, once for each run.
        global_setup: accepted for PyTorch's sake, where it is C++.
        timer: tells the time.
        globals: the names that the statement knows.
        label, sub_label, description: what the statement is, for print.
        env, num_threads, language: accepted, without effect: nothing but Python is timed.

    Raises:
        ArgumentTypeError: for a language that is not Python.

    Example:
        >>> Timer("x * x", globals={"x": ones(3)}).timeit(10).number_per_run
        10

    See also: https://pytorch.org/docs/stable/benchmark_utils.html
    """

    def __init__(
        self,
        stmt: str | Callable[[], Any] = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timeit.default_timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,  # PyTorch's
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        if language not in ("python", "py") or global_setup:
            raise ArgumentTypeError(
                f"a Timer of {language} cannot be made. There is no compiler here. "
                "Write the statement in Python."
            )
        self._timer = timeit.Timer(stmt, setup, timer, globals)
        self._said: dict[str, Any] = {"label": label or str(stmt), "sub_label": sub_label}
        self._said |= {"description": description, "num_threads": num_threads}

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One run of as many executions."""
        self._timer.timeit(max(number // 100, 1))
        return self._measured(number, [self._timer.timeit(number)])

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Runs for some seconds, each long enough for the clock.

        Args:
            callback: is called with the number of executions and the seconds of each run.
            min_run_time: how many seconds at least.
        """
        number, seconds = 1, self._timer.timeit(1)
        while seconds < min_run_time / 1000:
            number *= 10
            seconds = self._timer.timeit(number)
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, times[-1])
        return self._measured(number, times)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,  # PyTorch stops sooner, if they hardly differ
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """The same as `blocked_autorange`.

        Args:
            threshold, max_run_time: accepted, and without effect.
            min_run_time, callback: as there.
        """
        return self.blocked_autorange(callback, min_run_time)

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, **self._said)
