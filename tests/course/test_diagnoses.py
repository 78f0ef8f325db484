"""What is said of a wrong result is true of it: by kind, shape, numbers, dtype and graph."""

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.course.diagnoses import Pair, hint_for, is_right, words

SQUARE = np.array([[1.0, 2.0], [3.0, 4.0]])
ROW = np.array([1.0, -2.0, 5.0])
WITH_GRAPH = gg.tensor([1.0, 2.0], requires_grad=True) * 3
PLAIN = gg.tensor([3.0, 6.0])

WRONG = {  # found, expected, what the hint says
    "nothing": (None, 3.0, "returns nothing yet"),
    "an ellipsis": (..., 3.0, "returns nothing yet"),
    "nothing among others": ((None, 2.0), (1.0, 2.0), "result 1 of 2. It is None, and a value"),
    "something in place of nothing": ((1.0, 2.0), (1.0, None), "2 of 2. Nothing is wanted there"),
    "a function": (abs, 3.0, "was not called"),
    "a string": ("3", 3.0, "It is a str"),
    "strings": (np.array(["3"]), 3.0, "It is a ndarray"),
    "objects": (np.array([None]), 3.0, "It is a ndarray"),
    "an array in place of a tensor": (np.ones(2), gg.tensor([1.0, 1.0]), "a tensor is wanted"),
    "one of two results": (1.0, (1.0, 2.0), "There should be 2 results; there is one"),
    "a result by itself": (1.0, [1.0], "Return a list with it"),
    "a result too many": ((1.0, 2.0, 3.0), (1.0, 2.0), "There should be 2; there are 3"),
    "swapped": ((2.0, 1.0), (1.0, 2.0), "opposite order"),
    "the second": ((1.0, -2.0), (1.0, 2.0), "result 2 of 2. Its size is right, and its sign"),
    "names in another order": (["a", "c", "b"], ["a", "b", "c"], "Number 2 is not 'c'"),
    "a name that is missing": (["a", "b"], ["a", "b", "c"], "There should be 3; there are 2"),
    "nan": (np.array([np.nan, 1]), np.array([2.0, 1]), "There is nan in it"),
    "inf": (np.inf, 1.0, "There is inf in it"),
    "zero": (np.zeros(3), ROW, "It is zero"),
    "the sign": (-ROW, ROW, "sign is wrong"),
    "twice": (2 * ROW, ROW, "twice what it should be"),
    "minus a half": (-ROW / 2, ROW, "half of what it should be, with the wrong sign"),
    "a mean": (ROW / 3, ROW, "Each number is 3 times too small"),
    "a factor": (1.7 * ROW, ROW, "Each number is 1.7 times"),
    "a term": (ROW + 0.5, ROW, "off by the same 0.5"),
    "transposed": (SQUARE.T, SQUARE, "stand transposed"),
    "transposed in shape": (np.ones((2, 3)).cumsum(0).T, np.ones((2, 3)).cumsum(0), "transpose"),
    "reversed": (ROW[::-1], ROW, "opposite order"),
    "not summed": (np.ones((4, 3)), np.full(3, 4.0), "along dimension 0"),
    "not summed over a 1": (np.ones((2, 3)), np.full((2, 1), 3.0), "along dimension 1"),
    "not summed to a number": (np.ones(3), np.array(3.0), "a sum"),
    "summed too far": (np.array(4.0), ROW, "the sum over everything"),
    "kept dimensions": (np.ones((1, 3)), np.ones(3), "kept or lost"),
    "another shape": (np.ones(5), np.ones(3), "It has the shape (5,), and should have (3,)"),
    "some": (np.array([1.0, 2.0, 5.0]), ROW, "1 of 3 numbers are wrong, the first at 1: 2 in"),
    "nearly": (np.array([1.001, -2.0, 5.002]), ROW, "close, but not close enough"),
    "dtype": (PLAIN.double(), PLAIN, "dtype is float64"),
    "graph cut": (PLAIN, WITH_GRAPH, "The graph is cut"),
}


@together
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_result_is_told_by_how_it_differs(name):
    found, expected, said = WRONG[name]
    pair = Pair(found, expected)
    assert not is_right(pair)
    assert said in hint_for([pair])


def test_a_part_is_told_from_the_sum_of_all():
    assert "one of 2 paths" in hint_for([Pair(3.0, 6.0, parts=(3.0, 3.0))])
    assert "one of" not in hint_for([Pair(5.0, 6.0, parts=(3.0, 3.0))])


def test_what_fits_every_case_is_told_before_what_fits_the_smallest():
    pairs = [Pair(np.array([2.0]), np.array([1.0])), Pair(np.array([3.0, 3.0]), np.ones(2) * 2)]
    assert "twice" in hint_for(pairs[:1])
    assert "twice" in hint_for(pairs)  # nothing fits both
    pairs = [Pair(-1.0, 1.0), Pair(np.array([-2.0, -3.0]), np.array([2.0, 3.0]))]
    assert "sign is wrong" in hint_for(pairs)


@together
@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (3, 3.0),
        (np.float32(3), 3.0),
        (gg.tensor(3.0), 3.0),
        ((1.0, 2.0), [1.0, 2.0]),
        (ROW * (1 + 1e-7), ROW),
        (np.array([np.nan]), np.array([np.nan])),
        (gg.tensor([True]), gg.tensor([True])),
        (None, None),
        (["a"], ["a"]),
    ],
)
def test_what_is_right_is_taken_as_right(found, expected):
    assert is_right(Pair(found, expected))


def test_long_values_are_cut_in_sentences():
    assert words(1 / 3) == "0.333333"
    assert words((1.0, 2.5)) == "(1, 2.5)"
    assert len(words(list(range(1000)))) < 200


def test_of_one_result_among_several_no_place_is_named():
    assert hint_for([Pair(["c"], ["a", "b"])]) == "There should be 2; there is one."
