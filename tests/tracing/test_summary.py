import json
import re

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.tracing import ArrayTable, summarize
from glassgrad.tracing.summary import range_in_words, rounded


def test_equal_arrays_share_an_id_and_written_ones_do_not():
    table, array = ArrayTable(), np.zeros(2)
    first = table.add(array)
    array += 1
    assert [first, table.add(array), table.add(np.zeros(2))] == ["a0", "a1", "a0"]


def test_equal_numbers_of_another_dtype_or_shape_are_other_arrays():
    table = ArrayTable()
    ids = [table.add(np.zeros(s, d)) for s, d in [((2,), "f4"), ((2,), "f8"), ((2, 1), "f4")]]
    assert ids == ["a0", "a1", "a2"]


def test_a_summary_of_four_numbers():
    assert summarize(np.array([3.0, 0.0, -4.0], np.float32)) == {
        "shape": [3],
        "dtype": "float32",
        "min": -4.0,
        "max": 3.0,
        "norm": 5.0,
        "head": [3.0, 0.0, -4.0],
    }


def test_the_values_are_kept_whole_only_when_asked_for():
    array = np.arange(6.0).reshape(2, 3)
    assert summarize(array)["head"] == [0.0, 1.0, 2.0, 3.0]
    assert "values" not in summarize(array)
    assert summarize(array, full=True)["values"] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_nan_and_inf_are_counted_and_left_out_of_the_range():
    entry = summarize(np.array([np.nan, 1.0, -np.inf, np.inf]))
    assert (entry["nan"], entry["inf"], entry["min"], entry["max"]) == (1, 2, 1.0, 1.0)
    assert entry["head"] == ["nan", 1.0, "-inf", "inf"]


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_the_norm_neither_overflows_nor_vanishes(size):
    assert summarize(np.array([3 * size, 4 * size]))["norm"] == pytest.approx(5 * size, rel=1e-5)


@together
@pytest.mark.parametrize(
    "array",
    [np.zeros((0, 3)), np.array(True), np.array([1 + 2j]), np.arange(3), np.float16(1.5)],
    ids=["empty", "bool", "complex", "int", "half"],
)
def test_every_dtype_becomes_json(array):
    json.dumps(summarize(array, full=True), allow_nan=False)


def test_numbers_have_six_digits_and_no_negative_zero():
    assert rounded([1 / 3, 123456789.0, np.int64(7).item()]) == [0.333333, 123457000.0, 7]
    assert str(rounded([-0.0])) == "[0.0]"


def test_of_a_large_array_a_sample_is_told_and_said_to_be_one():
    array = np.linspace(-1, 3, 2**22 + 1, dtype=np.float32)
    entry, exact = summarize(array), summarize(array[:: 2**10])
    assert entry["sampled"] == 10_000
    assert summarize(array) == entry
    assert "sampled" not in summarize(array[:-1])
    assert entry["norm"] == pytest.approx(np.linalg.norm(array), rel=0.02)
    assert (entry["min"], entry["max"]) == pytest.approx((exact["min"], exact["max"]), abs=0.01)
    assert range_in_words(entry).endswith(" of 10,000 sampled")
    array[::2] = np.nan
    assert re.search(r"4\d{3}|5\d{3} nan of 10,000 sampled$", range_in_words(summarize(array)))


def test_an_array_that_is_larger_than_any_memory_is_summarized():
    table = ArrayTable()
    row, column = np.array([[1.0, 2.0]]), np.array([[1.0], [2.0]])
    shown = [np.broadcast_to(x, (2**40, 2)) for x in (row, row + 0, row + 1)]
    assert [table.add(x) for x in shown] == ["a0", "a0", "a1"]
    table.add(np.broadcast_to(row.T.copy().reshape(1, 2), (2**40, 2)))
    wide = [np.broadcast_to(x, (2, 2, 2**30)) for x in (row[..., None], column[..., None])]
    assert table.add(wide[0]) != table.add(wide[1])
    x = gg.ones(1, requires_grad=True).expand(2**50)
    assert "‖·‖≈3.36e7" in gg.draw(x).svg
    assert repr(x[None].expand(2**10, 2**50)).count("1.") == 36
