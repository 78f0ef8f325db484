"""nbgrader runs on the folder as it is: a class of five hands in chapter 1, and is graded.

nbgrader is in a folder of its own, `make slow` puts it there: in the environment itself JupyterLab
would load its extensions in every other test.
"""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from glassgrad.course import folder, tasks
from solved import source_of

APART = Path(sys.prefix) / "grading"
CHAPTER = "01-why-gradients.ipynb"
CLASS = {  # what each hands in for the three exercises; None: the stub as it is
    "ada": ["solved", "solved", "solved"],
    "bob": [None, None, None],
    "cyd": ["def slopes(f, inputs, h=1e-5):\n    while True:\n        pass", "solved", None],
    "dan": ["import os\n\ndef slopes(f, inputs, h=1e-5):\n    os._exit(0)", "best_h = (", "solved"],
    "eve": ["solved", "gg.course.check = lambda *_: True", "def fit(*_):\n    return 0.0, 0.0"],
}
POINTS = {"ada": [2, 2, 2], "bob": [0, 0, 0], "cyd": [0, 2, 0], "dan": [0, 0, 2], "eve": [2, 0, 0]}


def nbgrader(where, *typed):
    path = [str(APART), os.environ.get("PYTHONPATH", "")]
    bare = {"PYTHONPATH": os.pathsep.join(path), "GLASSGRAD_DISPLAY": "static"}
    bare["PATH"] = f"{APART / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *typed],
        cwd=where,
        env=os.environ | bare,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.slow
@pytest.mark.skipif(not (APART / "nbgrader").is_dir(), reason="`make slow` installs nbgrader")
def test_a_class_of_five_is_graded_in_the_folder_as_it_is(tmp_path):
    course = tmp_path / "course"
    folder.copy_to(course, keep=[])
    for path in course.glob("*.ipynb"):
        if path.name != CHAPTER:
            path.unlink()  # one chapter is enough to see it work
    nbgrader(course, "generate_assignment", "course")
    released = json.loads((course / "release" / "course" / CHAPTER).read_text("utf-8"))
    stubs = {cell["id"]: "".join(cell["source"]) for cell in released["cells"]}
    for number, task in enumerate(tasks("01"), start=1):
        assert stubs[f"exercise-{number}-stub"] == task.stub.strip("\n")

    solutions = [source_of(task) for task in tasks("01")]
    for student, answers in CLASS.items():
        handed_in = json.loads(json.dumps(released))
        for number, (answer, solution) in enumerate(zip(answers, solutions, strict=True), start=1):
            cell = next(c for c in handed_in["cells"] if c["id"] == f"exercise-{number}-stub")
            if answer is not None:
                cell["source"] = solution if answer == "solved" else answer
        path = course / "submitted" / student / "course" / CHAPTER
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(handed_in), "utf-8")
    nbgrader(course, "autograde", "course")
    nbgrader(course, "generate_feedback", "course")

    with sqlite3.connect(course / "gradebook.db") as book:
        rows = book.execute(
            "SELECT sn.student_id, c.name, g.auto_score FROM grade g "
            "JOIN submitted_notebook n ON g.notebook_id = n.id "
            "JOIN submitted_assignment sn ON n.assignment_id = sn.id "
            "JOIN base_cell c ON g.cell_id = c.id ORDER BY 1, 2"
        ).fetchall()
    book.close()
    found = {name: [score for who, _, score in rows if who == name] for name in CLASS}
    assert found == POINTS
    said = {
        name: (course / "feedback" / name / "course" / CHAPTER).with_suffix(".html").read_text()
        for name in CLASS
    }
    assert "it does not end" in said["cyd"]
    assert "it ended Python itself" in said["dan"]
    assert "cannot be replaced" in said["eve"]
