"""The command line: which workloads, how long, and where the numbers go."""

import argparse
import sys
from pathlib import Path

from benchmarks.catalogue import CATALOGUE
from benchmarks.contenders import TAPES, has
from benchmarks.goals import GOALS, failed
from benchmarks.machine import facts
from benchmarks.report import results_page, tables, verdicts
from benchmarks.runs import Findings, measure_all

RESULTS = Path(__file__).parent / "RESULTS.md"

DESCRIPTION = """\
Measure glassgrad beside hand-written NumPy, PyTorch, HIPS autograd and MyGrad.

Without arguments everything is measured in three separate runs (some minutes),
and benchmarks/RESULTS.md is written anew. Name workloads, or say --quick or
--runs, and the tables are printed only: that file holds whole measurements.
"""

READING = """\
how to read the tables:
  0.62 [0.61 – 0.64]   a median between its quartiles
  ÷ torch              this contender's time over torch's, paired within a round:
                       below 1 is faster than torch
  goal met             the middle run is at or below the goal
  MUST MISSED          three runs, all above the must: exit status 1

examples:
  python -m benchmarks                   what `make bench` does
  python -m benchmarks W1 W3 --quick     seconds, while you change the engine
  python -m benchmarks W2 --runs 3       three careful runs of one workload

Close other programs first: one busy core beside the benchmark is a busy cache.
"""


def parser() -> argparse.ArgumentParser:
    names = "\n".join(f"  {w.key:<20} {w.summary}" for w in CATALOGUE.values())
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=DESCRIPTION,
        epilog=f"workloads:\n{names}\n\n{READING}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "workloads", nargs="*", metavar="WORKLOAD", help="W1, W2 … (see below); default: all"
    )
    made.add_argument("--quick", action="store_true", help="one short run, printed only")
    made.add_argument("--runs", type=int, metavar="N", help="separate runs of each (default 3)")
    return made


def main(arguments: list[str] | None = None) -> int:
    """Measure, then print or write; returns 1 if a must was missed."""
    command = parser()
    options = command.parse_args(arguments)
    unknown = [key for key in options.workloads if key not in CATALOGUE]
    if unknown:
        command.error(f"no workload {unknown[0]!r}; there are {', '.join(CATALOGUE)}")
    if options.runs is not None and options.runs < 1:
        command.error(f"--runs {options.runs} measures nothing; write --runs 1 or more")
    missing = [name for name in TAPES if not has(name)]
    if missing:
        command.error(f"{missing[0]} is not installed here; `make bench` installs what is measured")
    whole = not (options.workloads or options.quick or options.runs)
    runs = options.runs or (1 if options.quick else 3)
    where = facts()
    findings = measure_all(
        options.workloads or CATALOGUE, runs=runs, effort="quick" if options.quick else "full"
    )
    if whole:
        RESULTS.write_text(results_page(findings, where), encoding="utf-8")
        print(f"wrote {RESULTS}")
    return _conclude(findings, _goals_of(options.workloads or CATALOGUE), printing=not whole)


def _goals_of(keys) -> list[str]:
    return [goal.name for goal in GOALS if goal.name.split()[0] in keys]


def _conclude(findings: Findings, goals: list[str], *, printing: bool) -> int:
    if printing:
        print("\n".join(tables(findings, goals)))
    judged = verdicts(findings, goals)
    for name, judgement in judged.items():
        if not printing:
            print(f"{name:<32} {judgement}")
    missed = any(failed(judgement) for judgement in judged.values()) or bool(findings.crashes)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
