"""Runs many programs and counts: how many ran, agreed, and had which op and feature."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from fuzz.comparing import differences, report
from fuzz.generator import ALL_FEATURES, DECLARED, generate
from fuzz.known import known
from fuzz.playing import play

__all__ = ["Counts", "run_many"]


@dataclass
class Counts:
    """What a run has seen."""

    programs: int = 0
    without_error: int = 0
    mismatches: int = 0
    features: Counter[str] = field(default_factory=Counter)
    ops: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    reports: list[str] = field(default_factory=list)

    def table(self) -> str:
        """The counts in print: programs per feature, op and kind of error."""
        good = f"{self.without_error} without error on torch"
        lines = [f"{self.programs} programs, {good}, {self.mismatches} mismatches"]
        for title, counter in (
            ("feature", self.features),
            ("op", self.ops),
            ("error", self.errors),
            ("known difference", self.known),
        ):
            lines.append(f"programs per {title}:")
            lines += [f"  {name:52}{count:7}" for name, count in sorted(counter.items())]
        lines.append(f"ops never met: {' '.join(sorted(DECLARED - self.ops.keys()))}")
        return "\n".join(lines)


def run_many(
    seeds: Iterable[int], features: frozenset[str] = ALL_FEATURES, show: int = 3
) -> Counts:
    """Run the programs of `seeds` in both libraries; shrink the first `show` that disagree."""
    counts = Counts()
    for seed in seeds:
        program = generate(seed, features)
        theirs, ours = play(program, "torch"), play(program, "glassgrad")
        counts.programs += 1
        counts.without_error += theirs.error is None
        counts.features.update({step.feature for step in program.steps})
        counts.ops.update({step.op for step in program.steps})
        if theirs.error:
            counts.errors[theirs.error[2]] += 1
        lines = [step.line for step in program.steps]
        found = {known(lines, difference) for difference in differences(ours, theirs)}
        counts.known.update(name for name in found if name is not None)
        if None in found:
            counts.mismatches += 1
            if len(counts.reports) < show:
                counts.reports.append(report(program))
    return counts
