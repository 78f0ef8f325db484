"""Large arrays are measured in one go, and told apart by that."""

import numpy as np
import pytest

from glassgrad.tracing import ArrayTable
from glassgrad.tracing.measuring import are_equal, measured

LARGE = 70_001  # several pieces, the last one shorter and of an odd number of bytes


def large(dtype=np.float32, size=LARGE):
    return np.random.default_rng(0).standard_normal(size).astype(dtype)


def one_element(array):
    array[50_000] = np.nextafter(array[50_000], np.inf, dtype=array.dtype)


def two_places(array):
    array[[7, 40_000]] = array[[40_000, 7]]


def two_signs(array):
    array[[10, 11]] *= -1


def neighbours(array):
    array[: LARGE // 2 * 2] = array[: LARGE // 2 * 2].reshape(-1, 2)[:, ::-1].ravel()


def pieces(array):
    array[: 2 * 32768] = np.roll(array[: 2 * 32768], 32768)


def sign_of_zero(array):
    array[30_000] = -0.0


CHANGES = [one_element, two_places, two_signs, neighbours, pieces, sign_of_zero, np.negative]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_array_that_was_changed_is_another(change, full, dtype):
    array = large(dtype)
    array[30_000] = 0.0
    table = ArrayTable(full=full)
    first = table.add(array)
    other = array.copy()
    if change is np.negative:
        other = -other
    else:
        change(other)
    assert table.add(other) != first
    assert table.add(array.copy()) == first


def test_ones_and_twos_that_change_places_are_told_apart():
    random = np.random.default_rng(1)
    table, seen = ArrayTable(), set()
    array = np.where(np.arange(LARGE) % 2, 1.0, 2.0).astype(np.float32)
    for _ in range(50):
        seen.add(table.add(random.permutation(array)))
    assert len(seen) == 50


@pytest.mark.parametrize("full", [False, True])
def test_how_the_elements_lie_in_memory_makes_no_difference(full):
    array = large(size=90_000).reshape(300, 300)
    table = ArrayTable(full=full)
    turned = np.ascontiguousarray(array.T).T
    assert turned.strides != array.strides
    assert table.add(array) == table.add(turned) == table.add(array[:, :])
    assert table.add(array) != table.add(array.T)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    "look",
    [
        lambda array: array[::-1],
        lambda array: array[::2],
        lambda array: np.broadcast_to(array[:1], (LARGE,)),
        lambda array: np.broadcast_to(array[:300], (300, 300)),
        lambda array: array[1:],
        lambda array: array[:0],
    ],
    ids=["backwards", "every other", "one expanded", "rows expanded", "odd", "empty"],
)
def test_any_view_is_told_by_its_elements(look, full):
    view = look(large())
    table = ArrayTable(full=full)
    name = table.add(view)
    assert table.add(view.copy()) == name
    assert table.add_alike(view, view.copy(), name) == name
    assert table.summaries[name]["shape"] == list(view.shape)


@pytest.mark.parametrize(
    "odd", [np.nan, np.inf, 1e200, 1e-200, 0.0], ids=["nan", "inf", "huge", "tiny", "zero"]
)
def test_unusual_numbers_are_measured_the_slow_way_with_the_same_result(odd):
    array = np.full(LARGE, odd)
    table = ArrayTable()
    first = table.add(array)
    assert table.add(array.copy()) == first
    array[3] = 5.0 if odd != 5.0 else 4.0
    assert table.add(array) != first
    entry = table.summaries[first]
    finite = np.isfinite(odd)
    assert entry["min"] == (odd if finite else None)
    assert entry["norm"] == pytest.approx(abs(odd) * np.sqrt(LARGE) if finite else 0.0, rel=1e-5)


@pytest.mark.parametrize("size", [1, 5, 32, 33, 1000, LARGE])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.int32])
def test_measures_are_those_of_numpy(size, dtype):
    array = (large(np.float64, size) * 10).astype(dtype)
    found = measured(array)
    assert float(found.norm) == pytest.approx(np.linalg.norm(array.astype(np.complex128)), 1e-9)
    if array.dtype.kind != "c":
        assert (found.low, found.high) == (array.min(), array.max())
    assert (found.nans, found.infs) == (0, 0)


def test_equal_bit_by_bit():
    array = large()
    assert are_equal(array, array.copy())
    assert not are_equal(array, array.astype(np.float64))
    assert not are_equal(np.zeros(5000), -np.zeros(5000))
    assert are_equal(np.full(5000, np.nan), np.full(5000, np.nan))


def test_what_is_likely_equal_is_compared():
    table, array = ArrayTable(), large()
    name = table.add_still(array)
    assert table.add_alike(array.copy(), array, name) == name
    other = array + 1
    assert table.add_alike(other, array, name) == table.add(other) != name
