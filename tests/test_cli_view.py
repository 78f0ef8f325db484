"""`glassgrad view`: a record in the terminal."""

import io
import re

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
    told = in_a_terminal(trace, limit=2)
    assert "… 1 more: --limit N shows more of them" in told
    count = len(trace.events)
    numbers = re.findall(r"^ +(\S+) +(?:ready|…|accumulate) ", told, re.MULTILINE)
    assert numbers == ["…", "1", "…", str(count)]  # of nodes, and of events


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


def test_it_is_drawn_in_any_form(trace, tmp_path, capsys):
    path = trace.save(tmp_path / "pass.json")
    for name, start in [("g.svg", "<svg"), ("p.html", "<!DOCTYPE"), ("g.dot", "digraph")]:
        assert cli.main(["view", str(path), "-o", str(tmp_path / name)]) == cli.DONE
        assert (tmp_path / name).read_text().startswith(start)
    assert "gg-player" in (tmp_path / "p.html").read_text()
    assert capsys.readouterr().out == ""
    assert cli.main(["view", str(path), "-o", "a.doc"]) == cli.MISUSED


def test_it_is_drawn_face_to_face(trace, tmp_path, capsys):
    path, out = str(trace.save(tmp_path / "pass.json")), tmp_path / "both.svg"
    assert cli.main(["view", path, "-o", str(out), "--mirror"]) == cli.DONE
    assert "Forward and backward" in out.read_text()
    capsys.readouterr()
    assert cli.main(["view", path, "--mirror"]) == cli.MISUSED
    assert capsys.readouterr().err == "glassgrad: --mirror says how to draw: it needs -o FILE\n"


def test_lines_in_a_terminal_too(trace):
    assert in_a_terminal(trace, is_plain=True) == text_view(trace) + "\n"


def test_a_narrow_terminal_gets_lines():
    console = Console(file=io.StringIO(), force_terminal=True, width=40)
    x = gg.ones(2, requires_grad=True)
    trace = gg.record((x * x).sum())
    show_trace(trace, console)
    assert console.file.getvalue() == text_view(trace) + "\n"


@pytest.mark.parametrize("width", [60, 80])
def test_in_tables_no_name_is_cut(width):
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    x = gg.ones(2, 3, requires_grad=True)
    show_trace(gg.record((x @ gg.ones(3, 2)).softmax(0).sum()), console)
    shown = console.file.getvalue()
    assert "…" not in shown
    for op in ("SoftmaxBackward0", "AccumulateGrad"):
        assert f" {op} " in shown
    assert max(map(len, shown.splitlines())) <= width


def test_tables_count_memory_as_the_lines_do():
    x = gg.ones(2, requires_grad=True)
    y = x * 1
    trace = gg.record((y * y).sum())
    assert "self, other (8 B)" in in_a_terminal(trace)
    assert "self, other (8 B)" in text_view(trace)


def test_an_error_that_ended_the_pass_is_told_last():
    x = gg.tensor([1.0, 2.0], requires_grad=True) * 1
    loss = (x * x).sum()
    x += 1
    with pytest.raises(RuntimeError) as caught:
        gg.record(loss)
    trace = caught.value.trace
    assert "The pass ends at MulBackward0 with StaleTensorError" in text_view(trace)
    for limit in (1, 100):
        told = in_a_terminal(trace, limit=limit)
        assert "The pass ends at" in told
        assert told.count("The pass ends at") == 1
