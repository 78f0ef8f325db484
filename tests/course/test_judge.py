"""Answers that hang, exit, flood or patch are wrong answers with a sentence, and no more."""

import json
import math
import os
import sys
import time
from dataclasses import replace

import pytest

import glassgrad as gg
from glassgrad.course import Case, Mistake, Task, call, check, judge, tasks, value

DOUBLE = Task(
    "99.double",
    "twice a number",
    stub="def double(x): ...",
    cases=[call(1.0, expects=2.0), call(3.0, expects=6.0)],
    mistakes=[Mistake(lambda x: x * x, "That is the square.")],
    read="MulBackward0",
)


def said(answer, task=DOUBLE):
    report = check(task, answer)
    assert not report.passed
    return str(report)


def test_a_right_answer_passes_and_may_print():
    def double(x):
        sys.stdout.write(f"x is {x}")
        return 2 * x

    report = check(DOUBLE, double)
    assert report.passed
    assert report.score == 1
    assert report.insist() is report
    assert "x is 3.0" in report.printed
    assert str(report) == "✓ Right: twice a number. 2 of 2 cases."


def test_a_wrong_one_is_told_the_smallest_case_that_shows_it():
    report = check(DOUBLE, lambda x: x + 1)
    assert not report.passed
    assert report.score == 0.5
    assert "double(3) should be 6, and is 4" in str(report)
    assert "the rule of MulBackward0" in report.read
    with pytest.raises(AssertionError, match="Not yet: double"):
        report.insist()


def test_a_known_mistake_is_told_only_to_who_makes_it():
    assert "That is the square." in said(lambda x: x * x)
    assert "That is the square." not in said(lambda x: x * x if x < 2 else 0.0)


def test_a_known_mistake_is_told_whatever_becomes_of_cases_without_a_value_to_compare():
    def raising(x):
        return x * x if x < 5 else 1 / 0

    far = replace(DOUBLE, cases=[*DOUBLE.cases, call(9.0, expects=18.0)])
    assert "That is the square." in said(raising, far)

    def complains(found):
        return None if found == 10 else "it is not ten."

    judged = Case("your double of 5,", lambda double: double(5), complains=complains)
    assert "That is the square." in said(
        lambda x: x * x, replace(DOUBLE, cases=[*DOUBLE.cases, judged])
    )
    text = said(lambda x: x * x, replace(DOUBLE, cases=[judged, *DOUBLE.cases]))
    assert "your double of 5: it is not ten." in text
    assert "That is the square." in text
    only_right_ones = replace(DOUBLE, cases=[call(2.0, expects=4.0), judged])
    assert "That is the square." not in said(lambda x: x * x, only_right_ones)


def test_what_hangs_is_stopped():
    def swallows(x):
        while True:
            try:
                while True:
                    pass
            except BaseException:  # noqa: BLE001
                pass

    start = time.monotonic()
    text = said(swallows, replace(DOUBLE, seconds=0.3))
    assert "double(1): it does not end. It was stopped after 0.3 seconds" in text
    assert time.monotonic() - start < 5


def test_what_ends_python_ends_only_itself():
    assert "ends the program in place of returning" in said(lambda x: sys.exit())
    assert "ended Python itself" in said(lambda x: os._exit(0))
    assert "ended Python itself" in said(lambda x: os.kill(os.getpid(), 9))


def test_what_floods_the_screen_is_stopped():
    def flood(x):
        while True:
            sys.stdout.write("more")

    text = said(flood)
    assert "it floods the screen" in text
    assert len(text) < 2_000


def test_where_there_is_no_fork_answers_are_judged_in_place(monkeypatch):
    monkeypatch.delattr(os, "fork")
    assert check(DOUBLE, lambda x: 2 * x).passed
    assert "should be 2, and is 1" in said(lambda x: x)
    assert "ends the program" in said(lambda x: sys.exit())


def test_what_nobody_thought_of_is_no_verdict():
    class Odd:
        __hash__ = None

        def __eq__(self, other):
            raise ValueError("odd")

    task = replace(DOUBLE, cases=[call(1.0, expects=Odd())])
    assert "the check cannot judge this: it raises ValueError: odd" in said(lambda x: Odd(), task)


def test_what_asks_for_input_is_told_that_nobody_types():
    assert "nobody is here" in said(lambda x: float(input("x? ")))


def test_what_raises_is_told_with_its_line():
    text = said(lambda x: x / 0)
    assert "it raises ZeroDivisionError: " in text
    assert "x / 0" in text
    assert "it is not written yet" in said(_not_written)
    assert "calls itself too deep" in said(_too_deep)


def test_the_line_that_is_told_is_the_students():
    text = said(lambda x: json.loads("{"))
    assert "it raises JSONDecodeError" in text
    assert 'said(lambda x: json.loads("{"))' in text


def test_what_is_drawn_at_random_is_the_same_for_both():
    task = replace(DOUBLE, cases=[call(3)], right=lambda n: gg.rand(n))
    assert check(task, lambda n: gg.rand(n)).passed


def _not_written(x):
    raise NotImplementedError


def _too_deep(x):
    return _too_deep(x)


def test_what_is_no_function_is_told_so():
    assert "`double` is 2" in said(2)
    assert "`double` is None" in said(None)


def test_an_answer_of_another_kind_than_the_stub_is_told_so():
    a_class = replace(DOUBLE, stub="class Double(Base):", cases=[call(1.0, expects=2.0)])
    assert "Give the class itself" in said(lambda x: 2 * x, a_class)
    table = Case("your table", lambda table: table["a"], 1.0)
    assert "Keep the stub's dictionary" in said([1.0], replace(DOUBLE, stub="d = {", cases=[table]))
    judged = Case("your double", lambda double: double(5), complains=lambda found: None)
    assert "Give the function itself" in said(None, replace(DOUBLE, cases=[judged]))


def test_who_takes_other_arguments_than_the_stub_is_told_to_keep_them():
    assert "Keep the arguments that the stub has" in said(lambda: 2.0)
    assert "Keep the arguments" not in said(_too_deep)


def test_an_array_may_stand_for_a_list_of_numbers():
    task = replace(DOUBLE, cases=[call(1.0, expects=[2.0, 3.0])])
    assert check(task, lambda x: gg.tensor([2.0, 3.0])).passed
    assert check(task, lambda x: gg.tensor([2.0, 3.0]).numpy()).passed
    assert "It is a map, and a list is wanted. Write `list(…)` around it." in said(
        lambda x: map(float, (2, 3)), task
    )
    assert "one more pair of brackets" in said(lambda x: [[2.0, 3.0]], task)


def test_a_case_may_be_worded_to_end_with_a_colon():
    task = replace(DOUBLE, cases=[call(1.0, expects=2.0, given="a gradient, limit 5:")])
    assert "a gradient, limit 5 should be 2" in said(lambda x: 3.0, task)
    assert "a gradient, limit 5: it raises" in said(lambda x: 1 / 0, task)


def test_names_of_nodes_may_have_their_namespace():
    order = replace(DOUBLE, stub="order = []", cases=[value(["MulBackward0", "AccumulateGrad"])])
    assert check(order, ("MulBackward0", "torch::autograd::AccumulateGrad")).passed
    text = said(["Mul", "AccumulateGrad"], order)
    assert "Number 1 is not 'Mul'. None of them has that name." in text


def test_no_mistake_is_told_by_what_is_neither_right():
    task = replace(
        DOUBLE,
        cases=[call(1.0, expects=2.0), Case("a check", lambda double: double(3.0) == 6, True)],
        mistakes=[Mistake(lambda x: 2 * x if x < 2 else 0.0, "It stops at 2.")],
    )

    def answer(x):
        return 2 * x if x < 2 else 5.0

    assert "It stops at 2." not in said(answer, task)


def test_what_changes_its_input_is_told_so():
    task = replace(DOUBLE, cases=[call([3, 1], expects=[1, 3])])

    def sort(values):
        values.sort()
        return values

    assert check(task, sorted).passed
    assert "its argument 1 is not what it was: [3, 1] became [1, 3]" in said(sort, task)


def test_a_patched_checker_is_a_wrong_answer(monkeypatch):
    def patch(x):
        judge.is_right = lambda pair: True
        return 0

    assert "glassgrad.course.judge.is_right is not the function it was" in said(patch)
    assert not check(DOUBLE, lambda x: 0).passed  # here it is what it was
    with pytest.raises(AttributeError, match=r"course.check cannot be replaced"):
        gg.course.check = lambda *_: True
    monkeypatch.setattr(math, "isclose", lambda *_, **__: True)
    assert "math.isclose is not the function it was" in said(lambda x: 2 * x)


def test_the_session_keeps_its_variables_and_its_random_numbers():
    gg.manual_seed(3)
    expected = gg.rand(2).tolist()
    gg.manual_seed(3)
    seen = []
    check(DOUBLE, lambda x: seen.append(x) or 2 * x)
    assert seen == []
    assert gg.rand(2).tolist() == expected


def test_under_nbgrader_a_wrong_answer_raises(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(AssertionError, match="Not yet: double"):
        check(DOUBLE, lambda x: x)
    assert check(DOUBLE, lambda x: 2 * x).passed


def test_a_prediction_is_not_told_the_right_one():
    task = replace(DOUBLE, cases=[value(["b", "a"], given="your order")])
    assert check(task, ["b", "a"]).passed
    text = said(["b", "c"], task)
    assert "your order is not right" in text
    assert "Number 2 is not 'c'" in text
    assert "'a'" not in text


def test_a_case_may_judge_in_its_own_words():
    def complains(losses):
        return None if losses[-1] < losses[0] else "the loss does not fall."

    task = replace(DOUBLE, cases=[Case("your loop", lambda train: train(), complains=complains)])
    assert check(task, lambda: [2.0, 1.0]).passed
    assert "your loop: the loss does not fall." in said(lambda: [1.0, 2.0], task)


def test_the_first_difference_of_the_passes_is_told_and_drawn():
    def right(x):
        loss = (x * x).sum()
        loss.backward()
        return x.grad

    def cut(x):
        loss = (x * x.detach()).sum()
        loss.backward()
        return x.grad

    x = gg.tensor([1.0, 2.0], requires_grad=True)
    report = check(replace(DOUBLE, cases=[call(x)], right=right), cut)
    assert not report.passed
    assert "half of" in report.hint
    assert "leads to n0 AccumulateGrad" in report.differs
    html = replace(report, hint="`a < b` is code")._repr_mimebundle_()["text/html"]
    assert "<code>a &lt; b</code> is code" in html
    assert report.picture.startswith("<svg")
    assert report.picture in report._repr_mimebundle_()["text/html"]


def test_an_unknown_task_is_refused_with_those_that_are():
    with pytest.raises(gg.errors.ArgumentError, match=r"no task '01.nothing'.*01.slopes"):
        check("01.nothing", None)
    with pytest.raises(gg.errors.ArgumentError, match="no chapter '77'"):
        tasks("77")
    with pytest.raises(gg.errors.ArgumentError, match="cannot be declared"):
        Task("slopes", "", stub="", cases=[])
