"""A number with its spread: median and quartiles, of samples or of pairs of samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Spread:
    """A median between its lower and upper quartile.

    Example:
        >>> Spread.of([1.0, 2.0, 3.0, 4.0, 100.0])
        Spread(median=3.0, low=2.0, high=4.0)
    """

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Spread":
        """The spread of one or more samples."""
        if len(samples) == 1:
            return cls(samples[0], samples[0], samples[0])
        low, _, high = quantiles(samples, n=4, method="inclusive")
        return cls(median(samples), low, high)

    @classmethod
    def exact(cls, value: float) -> "Spread":
        """A number that was counted, not timed."""
        return cls(value, value, value)


# Note: pairs.
# Samples of one round were taken within milliseconds of each other. A machine that slows down for
# a second slows both, so the quotient within a round is steadier than the quotient of two medians.

Rounds = Sequence[float | None]  # one entry per round; None where a contender sat the round out


def paired_ratio(above: Rounds, below: Rounds) -> Spread:
    """The spread of above/below over the rounds that have both."""
    return Spread.of([a / b for a, b in _pairs(above, below)])


def paired_difference(more: Rounds, less: Rounds) -> Spread:
    """The spread of more - less over the rounds that have both."""
    return Spread.of([a - b for a, b in _pairs(more, less)])


def _pairs(first: Rounds, second: Rounds) -> list[tuple[float, float]]:
    both = zip(first, second, strict=True)
    return [(a, b) for a, b in both if a is not None and b is not None]
