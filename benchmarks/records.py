"""What a measurement leaves behind, and its way through JSON from the process that took it."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.spread import Spread


@dataclass(frozen=True, slots=True)
class Timing:
    """One contender in one table: how long it took, or why it did not finish.

    `nodes` is the size of the graph that it ran through, where that is told.
    """

    title: str
    contender: str
    unit: str
    value: Spread | None = None
    to_numpy: Spread | None = None
    to_torch: Spread | None = None
    failure: str | None = None
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of one workload found.

    Args:
        timings: rows of tables, in the order in which they are printed.
        measures: the numbers that `goals.py` judges, by name; None where one could not be had.
    """

    timings: list[Timing] = field(default_factory=list)
    measures: dict[str, Spread | None] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        raw = json.loads(text)
        return cls(
            timings=[_timing(row) for row in raw["timings"]],
            measures={name: _spread(value) for name, value in raw["measures"].items()},
        )


def _timing(row: dict[str, Any]) -> Timing:
    spreads = {name: _spread(row[name]) for name in ("value", "to_numpy", "to_torch")}
    return Timing(**{**row, **spreads})


def _spread(raw: dict[str, float] | None) -> Spread | None:
    return None if raw is None else Spread(**raw)
