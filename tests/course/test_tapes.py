"""A student's own tape: watched, told as a trace, its first step that differs named and marked."""

import math

import pytest

import glassgrad as gg
from glassgrad.course import own_tape


class Value:
    def __init__(self, tape, data, parents=(), slopes=()):
        self.tape, self.data, self.parents, self.slopes = tape, data, parents, slopes
        self.grad = 0.0
        tape.append(self)

    def __add__(self, other):
        return Value(self.tape, self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Value(self.tape, self.data * other.data, (self, other), (other.data, self.data))

    def sin(self, sign=1):
        return Value(self.tape, math.sin(self.data), (self,), (sign * math.cos(self.data),))


def adding(result):
    for value in result.tape:
        value.grad = 0.0
    result.grad = 1.0
    for value in reversed(result.tape):
        for parent, slope in zip(value.parents, value.slopes, strict=True):
            parent.grad += value.grad * slope


def in_other_words(result):
    result.grad = 1.0
    for value in reversed(result.tape):
        grad = value.grad
        for parent, slope in zip(value.parents, value.slopes, strict=True):
            parent.grad = parent.grad + grad * slope


def overwriting(result):
    result.grad = 1.0
    for value in reversed(result.tape):
        for parent, slope in zip(value.parents, value.slopes, strict=True):
            parent.grad = value.grad * slope


def oldest_first(result):
    result.grad = 1.0
    for value in result.tape:
        for parent, slope in zip(value.parents, value.slopes, strict=True):
            parent.grad += value.grad * slope


def nothing(result):
    result.grad = 1.0


def played(program, backward):
    tape = []
    a, b = Value(tape, 3.0), Value(tape, 2.0)
    return own_tape(tape, program(a, b), backward)


def plain(a, b):
    return a * b + a.sin()


@pytest.mark.parametrize("backward", [adding, in_other_words])
@pytest.mark.parametrize("program", [plain, lambda a, b: a * a + b, lambda a, b: (a + a) * (b + b)])
def test_a_right_tape_goes_step_for_step_as_glassgrad(program, backward):
    mine = played(program, backward)
    assert mine, mine
    assert repr(mine).startswith("Step for step the same")
    assert mine.own.schedule() == mine.right.schedule()
    assert not any("src" in node for node in mine.own.nodes)  # no line of ours
    assert not gg.compare(mine.own, mine.right).of_kind("other gradient")
    assert "ENDED HERE" not in gg.player(mine.own).html


@pytest.mark.parametrize(
    ("program", "backward", "said"),
    [
        (lambda a, b: a * a + b, overwriting, "`a` now has 3, and in glassgrad 6: that is just"),
        (
            plain,
            oldest_first,
            "the turn of MulBackward0 (n2) here, and in glassgrad of AddBackward0",
        ),
        (
            lambda a, b: a * b + a.sin(sign=-1),
            adding,
            "SinBackward0 (n3) hands on 0.989992, and in",
        ),
        (plain, nothing, "No value's gradient was read"),
    ],
)
def test_the_first_step_that_differs_is_said_and_marked(program, backward, said):
    mine = played(program, backward)
    assert not mine
    assert said in repr(mine)
    assert mine.own.events[-1]["type"] == "error"
    assert mine.own.events[-1]["message"] == mine.differs
    assert "in glassgrad" in gg.draw(mine.own).svg or backward is nothing


def test_no_step_is_said_to_come_from_a_line_that_the_student_did_not_write():
    mine = played(plain, adding)
    assert not [node for node in mine.own.nodes + mine.right.nodes if "src" in node]
    assert "_computed_again" not in gg.player(mine.own).html


def test_the_values_are_left_as_backward_leaves_them():
    tape = []
    a = Value(tape, 3.0)
    own_tape(tape, a * a, adding)
    assert type(a) is Value
    assert a.grad == 6.0


def test_a_step_without_a_name_is_refused():
    tape = []
    a = Value(tape, 3.0)
    odd = Value(tape, 17.0, (a,), (1.0,))
    with pytest.raises(gg.errors.ArgumentError, match="value 1 of the tape is 17, computed from 3"):
        own_tape(tape, odd, adding)
