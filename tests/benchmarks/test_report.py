import pytest

from benchmarks.records import Outcome, Timing
from benchmarks.report import number, results_page, table, tables, verdicts
from benchmarks.runs import Findings, middle
from benchmarks.spread import Spread
from checks import together


def found(*ratios):
    findings = Findings()
    for ratio in ratios:
        spread = Spread(ratio, ratio - 0.01, ratio + 0.01)
        rows = [
            Timing("W1 chain", "torch", "µs per op", Spread.exact(5.0), None, Spread.exact(1.0)),
            Timing("W1 chain", "glassgrad", "µs per op", Spread.exact(5 * ratio), None, spread),
            Timing("W1 chain", "MyGrad", "µs per op", failure="RecursionError: too deep"),
        ]
        findings.add(Outcome(rows, {"W1 / torch": spread}))
    return findings


def test_an_outcome_survives_json():
    spread = Spread(1.0, 0.5, 2.0)
    rows = [
        Timing("t", "NumPy", "µs", spread, spread, None),
        Timing("t", "MyGrad", "µs", failure="no"),
    ]
    outcome = Outcome(rows, {"a": spread, "b": None})
    assert Outcome.from_json(outcome.to_json()) == outcome


def test_of_several_runs_the_one_in_the_middle_is_shown():
    assert middle([Spread.exact(3.0), Spread.exact(1.0), Spread.exact(2.0)]).median == 2.0
    rows = found(0.5, 0.9, 0.7).tables()["W1 chain"]
    assert [row.contender for row in rows] == ["torch", "glassgrad", "MyGrad"]
    assert rows[1].to_torch.median == 0.7


@together
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (450.0, "450"),
        (0.8, "0.80"),
        (0.01234, "0.012"),
        (12.34, "12.3"),
        (1234.5, "1234"),
        (-1.26, "-1.26"),
    ],
)
def test_numbers_are_short(value, text):
    assert number(value) == text


def test_a_table_lines_up():
    assert table(("", "ms"), [("glassgrad", "20"), ("torch", "876")]) == [
        "|           | ms  |",
        "|-----------|-----|",
        "| glassgrad | 20  |",
        "| torch     | 876 |",
    ]


def test_the_verdict_shows_every_run():
    lines = tables(found(0.5, 0.9, 0.7), ["W1 / torch"])
    (row,) = [line for line in lines if line.startswith("| W1 / torch")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    measured = "0.70 [0.69 – 0.71] ×"
    expected = ["W1 / torch", measured, "0.50, 0.90, 0.70", "0.75", "0.60"]
    assert cells == [*expected, "must met in 2 of 3 runs"]


def test_who_did_not_finish_is_in_the_table_with_the_reason():
    text = "\n".join(tables(found(0.5), ["W1 / torch"]))
    assert "RecursionError: too deep" in text


def test_graphs_are_counted_where_a_workload_tells_their_size():
    findings = Findings()
    rows = [
        Timing("W11 step", "NumPy", "µs", Spread.exact(1.0)),
        Timing("W11 step", "glassgrad, slices", "µs", Spread.exact(2.0), nodes=25),
    ]
    findings.add(Outcome(rows, {}))
    lines = tables(findings, [])
    assert "|                   | µs | nodes |" in lines
    assert "| NumPy             | 1  | –     |" in lines
    assert "| glassgrad, slices | 2  | 25    |" in lines
    assert "nodes" not in "".join(tables(found(0.5), []))


def test_a_crashed_workload_is_named_and_its_goals_are_not_measured():
    findings = found(0.5)
    findings.crashes["W9"] = "its process ended with status -11"
    page = results_page(findings, {"Date": "today"})
    assert "**W9 has no numbers: its process ended with status -11.**" in page
    assert "| **Date** | today |" in page
    judged = verdicts(findings, ["W1 / torch", "W9 import above numpy"])
    assert judged == {"W1 / torch": "goal met", "W9 import above numpy": "NOT MEASURED"}
