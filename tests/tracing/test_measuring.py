"""Large arrays are told apart by all of their bytes, and measured piece by piece."""

import numpy as np
import pytest

from checks import together
from glassgrad.tracing import ArrayTable
from glassgrad.tracing.summary import measured

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


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_array_that_was_changed_is_another(full, dtype):
    array = large(dtype)
    array[30_000] = 0.0
    table = ArrayTable(full=full)
    first, found = table.add(array), {}
    for change in CHANGES:
        other = array.copy()
        if change is np.negative:
            other = -other
        else:
            change(other)
        found[change.__name__] = table.add(other)
    assert {name for name, array in found.items() if array == first} == set()
    assert table.add(array.copy()) == first


def test_ones_and_twos_that_change_places_are_told_apart():
    random = np.random.default_rng(1)
    table, seen = ArrayTable(), set()
    array = np.where(np.arange(LARGE) % 2, 1.0, 2.0).astype(np.float32)
    for _ in range(50):
        seen.add(table.add(random.permutation(array)))
    assert len(seen) == 50


@together
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("times", [2, 4, 8])
def test_equal_neighbours_that_change_places_are_told_apart(dtype, times):
    random = np.random.default_rng(2)
    few = np.where(np.arange(5_000) % 2, 1.0, 2.0).astype(dtype)
    digest = ArrayTable().add
    seen = {digest(np.repeat(random.permutation(few), times)) for _ in range(300)}
    assert len(seen) == 300


@pytest.mark.parametrize("full", [False, True])
def test_how_the_elements_lie_in_memory_makes_no_difference(full):
    array = large(size=90_000).reshape(300, 300)
    table = ArrayTable(full=full)
    turned = np.ascontiguousarray(array.T).T
    assert turned.strides != array.strides
    assert table.add(array) == table.add(turned) == table.add(array[:, :])
    assert table.add(array) != table.add(array.T)


@together
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
    assert table.summaries[name]["shape"] == list(view.shape)


@together
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


@together
@pytest.mark.parametrize("size", [1, 5, 32, 33, 1000, LARGE])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.int32])
def test_measures_are_those_of_numpy(size, dtype):
    array = (large(np.float64, size) * 10).astype(dtype)
    low, high, norm, nans, infs = measured(array)
    expected = np.linalg.norm(array.astype(np.complex128))
    assert norm == pytest.approx(expected, 1e-9)
    if array.dtype.kind != "c":
        assert (low, high) == (array.min(), array.max())
    assert (nans, infs) == (0, 0)


def test_equal_bit_by_bit():
    digest = ArrayTable().add
    array = large()
    assert digest(array) == digest(array.copy())
    assert digest(np.zeros(5000)) != digest(-np.zeros(5000))
    assert digest(np.full(5000, np.nan)) == digest(np.full(5000, np.nan))


@together
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.bool_])
def test_a_few_ones_among_zeros_are_told_by_their_places(dtype):
    digest, seen = ArrayTable().add, set()
    for place in range(500):
        array = np.zeros(20_003, dtype)
        array[[place, -1 - 7 * place]] = 1
        seen.add(digest(array))
    assert len(seen) == 500
