"""`glassgrad check` and `glassgrad course`, as someone types them."""

import json
import re
import sys
import tomllib

import pytest

from glassgrad import cli
from glassgrad.cli import lessons
from glassgrad.course import folder
from solved import path_of


@pytest.fixture
def copied(tmp_path, monkeypatch, capsys):
    """A copy of the course, with nobody to open it for."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lessons, "find_spec", lambda name: None)
    assert cli.main(["course"]) == cli.DONE
    assert "chapters, and stubs/" in capsys.readouterr().out
    return tmp_path / "course"


def test_a_copy_has_the_chapters_and_the_stubs_and_no_solution(copied):
    names = {str(path.relative_to(copied)) for path in copied.rglob("*") if path.is_file()}
    assert {path.name for path in folder.chapters()} <= names
    assert "stubs/chapter_01.py" in names
    assert not any("WRONG" in path.read_text("utf-8") for path in copied.rglob("*.py"))


def test_a_wheel_has_the_chapters_where_they_are_looked_for():
    project = tomllib.loads((folder.HERE.parents[2] / "pyproject.toml").read_text("utf-8"))
    packed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert packed == {"notebooks": "glassgrad/course/notebooks"}
    assert folder.notebooks().name == "notebooks"


def test_a_file_that_was_changed_is_overwritten_only_if_somebody_says_so(copied, capsys):
    mine = copied / "stubs" / "chapter_01.py"
    mine.write_text("mine")
    assert cli.main(["course"]) == cli.DONE
    assert "1 file that you changed: stubs/chapter_01.py" in capsys.readouterr().err
    assert mine.read_text() == "mine"
    assert cli.main(["course", "--force"]) == cli.DONE
    assert "def slopes" in mine.read_text()


@pytest.mark.parametrize(("typed", "is_kept"), [("\n", True), ("n\n", True), ("y\n", False)])
def test_in_a_terminal_it_asks(copied, monkeypatch, capsys, typed, is_kept):
    mine = copied / "stubs" / "chapter_01.py"
    mine.write_text("mine")

    class Keyboard:
        isatty = staticmethod(lambda: True)
        readline = staticmethod(lambda: typed)

    monkeypatch.setattr(sys, "stdin", Keyboard)
    assert cli.main(["course"]) == cli.DONE
    assert "Overwrite them?" in capsys.readouterr().err
    assert (mine.read_text() == "mine") is is_kept


def test_jupyterlab_is_opened_as_asked(tmp_path, monkeypatch):
    typed = []
    monkeypatch.setattr(lessons, "find_spec", lambda name: name)
    monkeypatch.setattr(lessons, "call", lambda words: typed.append(words) or 0)
    target = tmp_path / "c"
    assert cli.main(["course", str(target), "--no-browser", "--port", "9000"]) == cli.DONE
    assert typed[0][1:] == ["-m", "jupyterlab", str(target), "--no-browser", "--port=9000"]


def test_the_chapters_pictures_are_saved_for_slides(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(folder, "chapters", lambda: [folder.notebooks() / "01-why-gradients.ipynb"])
    assert cli.main(["course", "--figures", str(tmp_path / "slides")]) == cli.DONE
    names = {path.name for path in (tmp_path / "slides").iterdir()}
    assert {"01-why-gradients-surface.svg", "01-why-gradients-broken-graph.svg"} <= names
    assert {"01-why-gradients-h-slider.svg", "01-why-gradients-h-slider-15.svg"} <= names
    assert {"01-why-gradients-player.svg", "01-why-gradients-player.html"} <= names
    told = capsys.readouterr()
    assert told.out == ""
    assert f"{len(names)} pictures" in told.err


def test_stubs_are_graded_and_the_score_is_written(copied, capsys):
    assert cli.main(["check", "01", "--json", "score.json"]) == cli.FAILED
    told = capsys.readouterr().out
    assert "✗ 01.slopes" in told
    assert "returns nothing yet" in told
    assert "0 of 3 tasks" in told
    score = json.loads((copied.parent / "score.json").read_text("utf-8"))
    assert (score["schema"], score["points"], score["of"]) == ("glassgrad.score/1", 0, 6)
    assert "Not yet: " in score["tasks"][0]["says"][0]

    solved = copied / "stubs" / "chapter_01.py"
    solved.write_text(path_of("01").read_text("utf-8"), "utf-8")
    assert cli.main(["check", "1", "--json", "score.json"]) == cli.DONE
    assert re.search("✓ 01.fit.*\n█+ 3 of 3 tasks", capsys.readouterr().out)
    assert json.loads((copied.parent / "score.json").read_text("utf-8"))["points"] == 6


def test_one_task_is_graded_and_a_file_that_cannot_be_read_is_a_wrong_answer(copied, capsys):
    mine = copied / "stubs" / "chapter_01.py"
    mine.write_text("def slopes(f:")
    assert cli.main(["check", "01.slopes", "--dir", str(copied)]) == cli.FAILED
    assert "it raises SyntaxError" in capsys.readouterr().out
    mine.write_text("fit = 1")
    assert cli.main(["check", "01.slopes"]) == cli.FAILED
    assert "chapter_01.py defines no `slopes`" in capsys.readouterr().out


def test_where_there_are_no_stubs_it_says_how_to_get_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check"]) == cli.FAILED
    assert "`glassgrad course` writes the stubs" in capsys.readouterr().err
    assert cli.main(["check", "77"]) == cli.FAILED
    assert "no chapter '77'" in capsys.readouterr().err


def test_without_a_name_the_files_that_are_there_are_graded(copied, capsys):
    for path in (copied / "stubs").iterdir():
        if path.name != "chapter_01.py":
            path.unlink()
    assert cli.main(["check"]) == cli.FAILED
    assert "0 of 3 tasks" in capsys.readouterr().out
    assert cli.main(["check", "77"]) == cli.FAILED
    assert "no chapter '77'" in capsys.readouterr().err
