"""Separate runs: each workload in its own process, several times, and what they say together."""

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmarks.records import Outcome, Timing
from benchmarks.spread import Spread


@dataclass(slots=True)
class Findings:
    """The outcomes of all runs.

    Args:
        measures: for each judged number, its spread in every run that has it.
        timings: for each (title, contender), its rows from every run, in order of appearance.
        crashes: for each workload whose process died, how.
    """

    measures: dict[str, list[Spread]] = field(default_factory=dict)
    timings: dict[tuple[str, str], list[Timing]] = field(default_factory=dict)
    crashes: dict[str, str] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        """Take in one run of one workload."""
        for name, value in outcome.measures.items():
            if value is not None:
                self.measures.setdefault(name, []).append(value)
        for timing in outcome.timings:
            self.timings.setdefault((timing.title, timing.contender), []).append(timing)

    def tables(self) -> dict[str, list[Timing]]:
        """Per title one row for each contender: of its runs, the one in the middle."""
        tables: dict[str, list[Timing]] = {}
        for (title, _), rows in self.timings.items():
            tables.setdefault(title, []).append(_middle(rows))
        return tables


def middle(spreads: Iterable[Spread]) -> Spread:
    """The run whose median is in the middle (of an even number the slower one)."""
    ranked = sorted(spreads, key=lambda spread: spread.median)
    return ranked[len(ranked) // 2]


def measure_all(keys: Iterable[str], *, runs: int, effort: str) -> Findings:
    """Run workloads again and again: first all of them once, then all of them anew.

    Args:
        keys: names from the catalogue.
        runs: how many times.
        effort: a name from `EFFORTS`.
    """
    findings = Findings()
    keys = list(keys)
    for number in range(1, runs + 1):
        for key in keys:
            print(f"run {number}/{runs}  {key}", file=sys.stderr, flush=True)
            _run_child(key, effort, findings)
    return findings


def _run_child(key: str, effort: str, findings: Findings) -> None:
    command = [sys.executable, "-m", "benchmarks.child", key, effort]
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if child.returncode == 0:
        findings.add(Outcome.from_json(child.stdout.splitlines()[-1]))
    else:
        findings.crashes[key] = f"its process ended with status {child.returncode}"
        print(f"  {key}: {findings.crashes[key]}", file=sys.stderr, flush=True)


def _middle(rows: list[Timing]) -> Timing:
    finished = [row for row in rows if row.value is not None]
    if not finished:
        return rows[0]
    ranked = sorted(finished, key=lambda row: row.value.median)
    return ranked[len(ranked) // 2]
