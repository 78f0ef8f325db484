"""`glassgrad view`: a record in the terminal."""

import io

import pytest
from rich.console import Console

import glassgrad as gg
from glassgrad import cli
from glassgrad.cli.view import show_trace
from glassgrad.viz import text_view


@pytest.fixture
def trace():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "[bold]x[/bold]"
    return gg.record((x * x).sum())


def in_a_terminal(trace, **options):
    console = Console(
        file=io.StringIO(), force_terminal=True, width=120, markup=False, highlight=False
    )
    show_trace(trace, console, **options)
    return console.file.getvalue()


def test_into_a_pipe_go_plain_lines(trace, tmp_path, capsys):
    path = trace.save(tmp_path / "pass.json")
    assert cli.main(["view", str(path)]) == cli.DONE
    assert capsys.readouterr().out == text_view(trace) + "\n"


def test_limit_shows_the_first_ones(trace, tmp_path, capsys):
    path = trace.save(tmp_path / "pass.json")
    cli.main(["view", str(path), "--limit", "1"])
    told = capsys.readouterr().out
    assert "… 2 more" in told
    assert "MulBackward0 (2,)" not in told


def test_a_terminal_gets_tables(trace):
    told = in_a_terminal(trace)
    for words in ("turn", "goes to", "n0, n0", "self, other", "what happened", "SumBackward0"):
        assert words in told


def test_no_color_is_respected(trace, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in in_a_terminal(trace).replace("\x1b[3m", "")


def test_a_name_is_text_and_no_markup(trace):
    assert "[bold]x[/bold]" in in_a_terminal(trace)


def test_a_table_stops_and_says_so(trace):
    assert "… 2 more: --limit N shows more of them" in in_a_terminal(trace, limit=1)


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "cannot read"), ("{", "json"), ('{"schema": "other/1"}', "glassgrad.trace/1")],
)
def test_what_is_no_record_is_refused(tmp_path, capsys, text, words):
    path = tmp_path / "pass.json"
    if text is not None:
        path.write_text(text)
    assert cli.main(["view", str(path)]) == cli.FAILED
    complaint = capsys.readouterr().err
    assert "pass.json" in complaint
    assert words in complaint
