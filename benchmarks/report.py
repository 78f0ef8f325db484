"""The findings as text: the verdict first, then every table, then how it was measured."""

from collections.abc import Iterable, Mapping

from benchmarks.goals import GOALS, Goal, verdict
from benchmarks.records import Timing
from benchmarks.runs import Findings, middle
from benchmarks.spread import Spread

METHOD = """\
## How it was measured

- Every workload runs in a process of its own, with one thread, and the whole suite several times.
  Above are the medians of the run in the middle; "runs" lists the median of each.
- Within a process contenders take turns in shuffled order, one sample each per round. A ratio is
  the median of the ratios within a round; in brackets are the quartiles.
- Before any timing all contenders must arrive at the same numbers.
- The garbage collector is on and starts each sample with nothing to look at.
- glassgrad and torch run the same source text. NumPy is what an expert writes by hand, in place
  and without a tape. HIPS autograd and MyGrad run with their defaults.
- In W11 the two Functions are each library's own, torch's written for torch. There "÷ torch" is
  by the fastest of torch's forms at that size, and "nodes" counts the graph of the results' sum.
- A must is missed when three separate runs exceed it; a goal is met when the middle run meets it.
"""


def verdicts(findings: Findings, names: Iterable[str]) -> dict[str, str]:
    """The verdict on each goal whose name is among `names`."""
    wanted = set(names)
    return {
        goal.name: verdict(goal, [s.median for s in findings.measures.get(goal.name, [])])
        for goal in GOALS
        if goal.name in wanted
    }


def results_page(findings: Findings, facts: Mapping[str, str]) -> str:
    """The whole of RESULTS.md."""
    lines = [
        "# How fast glassgrad is",
        "",
        "Written by `make bench` (`python -m benchmarks`); edits are lost with the next run.",
        "",
        *table(("", ""), [(f"**{name}**", value) for name, value in facts.items()]),
        "",
        *tables(findings, [goal.name for goal in GOALS]),
        METHOD.rstrip(),
        "",
    ]
    return "\n".join(lines)


def tables(findings: Findings, goals: Iterable[str]) -> list[str]:
    """The verdict on `goals` and a table for every title, as lines of Markdown."""
    lines = ["## Verdict", "", *_verdict_table(findings, goals), ""]
    for key, how in findings.crashes.items():
        lines += [f"**{key} has no numbers: {how}.**", ""]
    lines += ["## Everyone", ""]
    for title, rows in findings.tables().items():
        lines += [f"### {title}", "", *_contender_table(rows), ""]
    return lines


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table whose columns line up in the source too."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return lines


def number(value: float) -> str:
    """Three significant digits, and never an exponent.

    Example:
        >>> number(0.01234), number(3.14159), number(1234.5)
        ('0.012', '3.14', '1234')
    """
    if value == int(value):
        return str(int(value))
    size = abs(value)
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 0.1 else f"{value:.3f}"


def _verdict_table(findings: Findings, goals: Iterable[str]) -> list[str]:
    judged = verdicts(findings, goals)
    asked = [goal for goal in GOALS if goal.name in judged]
    rows = [_verdict_row(goal, findings, judged[goal.name]) for goal in asked]
    return table(("", "measured", "runs", "must ≤", "goal ≤", "verdict"), rows)


def _verdict_row(goal: Goal, findings: Findings, judgement: str) -> tuple[str, ...]:
    spreads = findings.measures.get(goal.name, [])
    unit = f" {goal.unit}".rstrip()
    measured = f"{_with_quartiles(middle(spreads))}{unit}" if spreads else "–"
    runs = ", ".join(number(spread.median) for spread in spreads)
    return goal.name, measured, runs, number(goal.must), number(goal.goal), judgement


def _contender_table(rows: list[Timing]) -> list[str]:
    head = ["", rows[0].unit]
    body = [
        [row.contender, _with_quartiles(row.value) if row.value else row.failure or "–"]
        for row in rows
    ]
    for title, ratios in (
        ("÷ NumPy", [row.to_numpy for row in rows]),
        ("÷ torch", [row.to_torch for row in rows]),
    ):
        if any(ratios):
            head.append(title)
            for cells, ratio in zip(body, ratios, strict=True):
                cells.append(_with_quartiles(ratio))
    if any(row.nodes for row in rows):
        head.append("nodes")
        for cells, row in zip(body, rows, strict=True):
            cells.append(str(row.nodes) if row.nodes else "–")
    return table(head, body)


def _with_quartiles(spread: Spread | None) -> str:
    if spread is None:
        return "–"
    if spread.low == spread.high:
        return number(spread.median)
    return f"{number(spread.median)} [{number(spread.low)} – {number(spread.high)}]"
