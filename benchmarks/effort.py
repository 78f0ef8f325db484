"""How long to measure: the same workloads, sampled much, little or hardly at all."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a measurement may be.

    Args:
        rounds: how many samples each contender gives.
        sample_seconds: how long one sample lasts at least; short units are repeated to fill it.
        shrink: what the sizes of the workloads are divided by; 1 is the size whose name they bear.
    """

    rounds: int
    sample_seconds: float
    shrink: int = 1

    def size(self, full: int) -> int:
        """The workload's size `full`, made small for a smoke test (at least 2)."""
        return max(2, full // self.shrink)


EFFORTS = {
    "full": Effort(rounds=31, sample_seconds=0.010),
    "quick": Effort(rounds=7, sample_seconds=0.004),
    "tiny": Effort(rounds=1, sample_seconds=0.0, shrink=100),
}
