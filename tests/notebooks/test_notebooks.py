"""Notebooks run from top to bottom, are committed clean, and their exercises check themselves."""

import ast
import json
import os
import re
from itertools import takewhile

import nbformat
import pytest
from nbmake.nb_run import NotebookRun

from checks import together
from glassgrad.course.chapters import task_of
from solved import ASKED, NOTEBOOKS, PATHS, RUN, source_of

HEADINGS = ["Predict", "Build", "Watch", "Break", "Check", "Reflect"]
CHAPTERS = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
MOST_SECONDS = 60  # of a processor, for one chapter and a reader who waits
WORKPLACE = re.compile(r"/work\b|/tmp\b|\bissue #|\bagents?\b|\bbriefs?\b|\bTODO\b|\bFIXME\b")


def read(path):
    return nbformat.read(path, as_version=4)


def run(path):
    """The notebook with its outputs; fails if a cell raises or it takes too long."""
    before = os.times()
    result = NotebookRun(path, 10 * MOST_SECONDS).execute()
    assert result.error is None, result.error.trace
    after = os.times()
    took = after.children_user + after.children_system
    assert 0.1 < took - before.children_user - before.children_system < MOST_SECONDS
    for cell in result.nb.cells:
        for output in cell.get("outputs", ()):  # what cannot be shown says so here, and raises not
            assert output.output_type != "error", output
            assert output.get("name") != "stderr", output.text
    return result.nb


def printed(cell):
    """What a cell printed, and the text of what it shows."""
    return "".join(
        out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs
    )


def exercises(notebook):
    """The check and the worked solution of each exercise, by the ids of their cells.

    The solution is folded up in the chapter, or is that of the task which the cell checks.
    """
    cells = {cell.id: cell for cell in notebook.cells}
    numbers = [id.split("-")[1] for id in cells if re.fullmatch(r"exercise-\d-check", id)]
    for number in numbers:
        check = cells[f"exercise-{number}-check"]
        asked = re.search(r'course\.check\("([\w.-]+)"', check.source)
        if asked is not None:
            yield number, check, source_of(task_of(asked[1]))
            continue
        solution = cells[f"exercise-{number}-solution"].source
        code = re.search(r"```python\n(.*?)```", solution, re.DOTALL)
        assert code is not None, f"the solution of exercise {number} holds no program"
        yield number, cells[f"exercise-{number}-check"], code[1]


def as_graded(cell):
    """The metadata that a cell should have: nbgrader's, if it is an exercise that checks itself."""
    is_check = "gg.course.check(" in cell.source
    if not cell.metadata and not is_check:
        return {}
    said = {"cell_type": "code", "grade_id": cell.id, "schema_version": 3, "task": False}
    said |= {"grade": is_check, "locked": is_check, "solution": not is_check}
    return {"nbgrader": said | ({"points": 2} if is_check else {})}


@pytest.mark.skipif(bool(ASKED), reason="one chapter was asked for")
def test_the_chapters_begin_with_the_first():
    assert [path.stem[:2] for path in PATHS][:2] == ["01", "02"]
    assert len(PATHS) >= 4


# As committed ------------------------------------------------------------------------------------


@together
@CHAPTERS
def test_a_notebook_is_valid_and_clean(path):
    notebook = read(path)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    for cell in notebook.cells:
        assert cell.metadata == as_graded(cell)
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@together
@CHAPTERS
def test_a_notebook_is_stored_as_jupyter_stores_it(path):
    text = path.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"


@together
@CHAPTERS
def test_cells_have_names_that_stay(path):
    ids = [cell.id for cell in read(path).cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id) for id in ids)


@together
@CHAPTERS
def test_a_notebook_speaks_of_its_subject_alone(path):
    for cell in read(path).cells:
        assert WORKPLACE.search(cell.source) is None, cell.source


@together
@CHAPTERS
def test_links_between_chapters_lead_somewhere(path):
    for cell in read(path).cells:
        for target in re.findall(r"\]\(([^)#]+\.ipynb)\)", cell.source):
            assert (NOTEBOOKS / target).is_file(), target


@together
@CHAPTERS
def test_a_chapter_asks_before_it_answers_and_ends_with_three_exercises(path):
    notebook = read(path)
    questions = [c for c in notebook.cells if "**Question.**" in c.source]
    assert len(questions) >= 5
    assert len(list(exercises(notebook))) == 3


@together
@CHAPTERS
def test_a_stub_is_that_of_its_task(path):
    cells = {cell.id: cell.source for cell in read(path).cells}
    for number in "123":
        asked = re.search(r'course\.check\("([\w.-]+)"', cells.get(f"exercise-{number}-check", ""))
        if asked is not None:
            stub = task_of(asked[1]).stub.strip("\n")
            assert cells[f"exercise-{number}-stub"] == stub


@together
@CHAPTERS
def test_a_chapter_of_the_course_has_its_six_parts_and_a_list_of_words(path):
    notebook = read(path)
    if not any("gg.course.check(" in cell.source for cell in notebook.cells):
        return  # a lesson that is no chapter yet
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert [head.partition(":")[0] for head in re.findall("^## (.*)", text, re.M)] == HEADINGS
    words = re.findall(r"^\* \*\*(.+?)\*\*: ", text.partition("### Words")[2], re.M)
    assert words
    for word in words:
        bold = re.findall(rf"\*\*{word}(?:s|es)?\*\*", text, re.IGNORECASE)
        assert len(bold) >= 2, f"{word} is not bold where it is first used"


def results_and_comments(block):
    """The values of a block's lines that stand alone, and what comments behind them say."""
    lines, seen, tree = block.splitlines(), [], ast.parse(block)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            said = lines[node.end_lineno - 1][node.end_col_offset :]
            behind = takewhile(lambda line: line.startswith("#"), lines[node.end_lineno :])
            if said := "".join([said, *behind]).replace("#", "").strip():
                what = ast.unparse(node.value)
                node.value = ast.parse(f"seen.append((str({what}), {said!r}))").body[0].value
    exec(compile(tree, "block", "exec"), {"seen": seen})
    return seen


@together
@CHAPTERS
def test_what_a_chapter_says_of_pytorch_is_what_pytorch_says(path):
    for cell in read(path).cells:
        for block in re.findall(r"```python\n(import torch\n.*?)```", cell.source, re.DOTALL):
            if not re.search(r"# (tensor|[\[(\d])", block) or "run(" in block:
                continue  # says no result, or runs what the chapter has built
            for result, said in results_and_comments(block):
                form = ".*".join(map(re.escape, re.sub(r"\s", "", said).split("…")))
                assert re.fullmatch(form, re.sub(r"\s", "", result)), (said, result)


# Run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_a_notebook_and_its_solutions_run_on_a_bare_machine(path, tmp_path, monkeypatch):
    """No `dot`, no browser, no anywidget; recorded players in place of live ones.

    The check of each exercise runs on the stub, then once more on the worked solution. As it is,
    with live players, a notebook runs for its page. There the live player of the engine is left
    where it stands, here it is stepped to the end: the cells behind it do not depend on that.
    """
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['anywidget'] = None\n")
    before = os.environ.get("PYTHONPATH", "")  # of a checkout that is not the one installed
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{before}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GLASSGRAD_DISPLAY", "static")
    notebook = read(path)
    solved = []
    for number, check, solution in list(exercises(notebook)):
        place = notebook.cells.index(check) + 1
        again = [nbformat.v4.new_code_cell(source) for source in (solution, check.source)]
        for cell, what in zip(again, ("solved", "checked"), strict=True):
            cell.id = f"exercise-{number}-{what}"
        notebook.cells[place:place] = again
        solved.append(number)
    step = [place for place, cell in enumerate(notebook.cells) if cell.id == "step"]
    for place in step:
        notebook.cells.insert(place + 1, nbformat.v4.new_code_cell("_ = session.run()"))
        notebook.cells[place + 1].id = "all-the-way"
    assert bool(step) == path.stem.endswith("inside-the-engine")
    copy = tmp_path / path.name
    nbformat.write(notebook, copy)
    cells = {cell.id: cell for cell in run(copy).cells}
    if step:
        assert "node 1 of 6" in printed(cells["step-printed"])
    for number in solved:
        assert printed(cells[f"exercise-{number}-check"]).startswith("Not yet: ")
        assert printed(cells[f"exercise-{number}-checked"]).startswith("✓ ")
