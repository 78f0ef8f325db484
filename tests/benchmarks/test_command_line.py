import pytest

from benchmarks import __main__ as command_line
from benchmarks.catalogue import CATALOGUE
from benchmarks.records import Outcome, Timing
from benchmarks.runs import Findings
from benchmarks.spread import Spread


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What the command line asks to be measured; every W1 is found to be 0.5."""
    calls = []

    def measure_all(keys, *, runs, effort):
        calls.append((list(keys), runs, effort))
        findings = Findings()
        row = Timing("W1 chain", "glassgrad", "µs per op", Spread.exact(3.0))
        for _ in range(runs):
            findings.add(Outcome([row], {"W1 / torch": Spread.exact(0.5)}))
        return findings

    monkeypatch.setattr(command_line, "measure_all", measure_all)
    monkeypatch.setattr(command_line, "RESULTS", tmp_path / "RESULTS.md")
    return calls


def test_without_arguments_everything_is_run_three_times_and_written(asked, capsys):
    status = command_line.main([])
    assert asked == [(list(CATALOGUE), 3, "full")]
    page = command_line.RESULTS.read_text(encoding="utf-8")
    assert "| W1 / torch " in page
    assert "## How it was measured" in page
    assert "goal met" in capsys.readouterr().out
    assert status == 1  # the other goals were not measured


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["W1", "--quick"], (["W1"], 1, "quick")),
        (["W1"], (["W1"], 3, "full")),
        (["W1", "--runs", "2"], (["W1"], 2, "full")),
    ],
)
def test_a_part_is_printed_and_not_written(asked, capsys, arguments, expected):
    assert command_line.main(arguments) == 0
    assert asked == [expected]
    assert "### W1 chain" in capsys.readouterr().out
    assert not command_line.RESULTS.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["W99"], "no workload 'W99'; there are W1, W1s"), (["--runs", "0"], "measures nothing")],
)
def test_a_wrong_word_is_explained(asked, capsys, arguments, message):
    with pytest.raises(SystemExit) as stopped:
        command_line.main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert asked == []


def test_help_names_every_workload(capsys):
    with pytest.raises(SystemExit):
        command_line.main(["--help"])
    text = capsys.readouterr().out
    assert all(f"  {key} " in text for key in CATALOGUE)
    assert "MUST MISSED" in text
