"""Every task: its solution passes, its stub does not, typical wrong answers get fitting hints."""

import numpy as np
import pytest

from glassgrad import tensor
from glassgrad.course import check, tasks
from glassgrad.course.chapters import numbers
from glassgrad.course.folder import chapters
from solved import ASKED, path_of, solutions

ALL = tasks(ASKED or None)  # of the one that somebody writes, or of all
EACH = pytest.mark.parametrize("task", ALL, ids=lambda task: task.id)


def answer_of(task, text):
    """What a student's file gives, whose text this is."""
    space = {}
    exec(f"import math\nimport numpy as np\nimport glassgrad as gg\n{text}", space)
    return space[task.name]


@EACH
def test_a_task_knows_right_from_wrong(task):
    """One test a task: a check is a process of its own, and each takes its time."""
    solved = solutions(task.chapter)
    report = check(task, getattr(solved, task.name))
    assert report.passed, report
    assert not check(task, answer_of(task, task.stub)).passed, "the stub passes"
    wrong = solved.WRONG[task.id]
    assert len(wrong) >= 3
    for answer, hint in wrong:
        report = check(task, answer)
        name = getattr(answer, "__name__", answer)
        assert not report.passed, f"{name} passes"
        assert hint in str(report), f"{name}: {report}"


@EACH
def test_a_task_is_declared_whole(task):
    assert task.cases
    assert task.read
    assert all(case.given or case.args for case in task.cases)


def test_ids_are_those_of_one_task_and_stand_in_their_chapter():
    assert len({task.id for task in ALL}) == len(ALL)
    for number in numbers():
        assert {task.chapter for task in tasks(number)} == {number}
        assert len(tasks(number)) == 3


def test_a_chapter_with_tasks_is_a_notebook_with_a_file_of_solutions():
    stems = [path.stem for path in chapters()]
    for number in numbers():
        assert path_of(number).stem in stems


def test_a_right_answer_may_be_written_another_way():
    rule = solutions("05").div_backward
    assert check("05.div", lambda x, y, grad: list(rule(x, y, grad))).passed
    edges = solutions("02").edges
    assert check("02.edges", {edge: np.float32(factor) for edge, factor in edges.items()}).passed
    assert check("02.edges", {edge: tensor(factor) for edge, factor in edges.items()}).passed
    text = str(check("02.edges", {edge: str(factor) for edge, factor in edges.items()}))
    assert "the edge a → u: it is '7', which is no number." in text


def test_a_rule_that_is_missing_is_not_told_the_mistake_of_another():
    text = str(check("05.rows", {"mean": solutions("05").rules["mean"]}))
    assert "it raises KeyError: 'softmax'" in text
    assert "A dictionary is asked for a key that it does not have." in text
