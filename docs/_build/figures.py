"""Measured figures: `[[measured W1 / torch]]` becomes what benchmarks/RESULTS.md says today."""

import re
from pathlib import Path

RESULTS = Path(__file__).parents[2] / "benchmarks" / "RESULTS.md"
DIRECTIVE = re.compile(r"\[\[measured ([^\]]+)\]\]")


def fill(markdown: str) -> str:
    """The page with the medians of the table `Verdict`.

    Raises:
        KeyError: if the table has no such row.
    """
    medians = measured()
    return DIRECTIVE.sub(lambda found: medians[found[1]], markdown)


def measured() -> dict[str, str]:
    """For each row of the table what was measured: the median, without its quartiles."""
    _, _, verdict = RESULTS.read_text("utf-8").partition("## Verdict")
    verdict, _, _ = verdict.partition("\n## ")
    rows = [line.split("|") for line in verdict.splitlines() if line.startswith("|")]
    cells = {row[1].strip(): row[2].strip() for row in rows[2:]}
    return {name: re.sub(r" *\[[^\]]*\]", "", text) for name, text in cells.items()}
