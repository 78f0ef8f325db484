"""Memory, inside of transforms: as_strided, and tangents that lie otherwise than their values."""

import numpy as np
import pytest

from both import LIBRARIES, plain
from checks import together

MATRIX = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]


# Tangents -----------------------------------------------------------------------------------------


def a_flat_view(lib, x):
    x.view(-1).mul_(x.sum())


def a_part_of_one(lib, x):
    x.view(-1)[2:7].copy_(lib.ones(5))


def a_filled_part(lib, x):
    x.view(-1)[2:7].fill_(3.0)


def a_zeroed_part(lib, x):
    x.view(-1)[2:7].zero_()


def a_strided_view(lib, x):
    x.as_strided((2, 3), (5, 1), 1).mul_(x.sum())


def views_before_and_behind_a_write(lib, x):
    before = x.view(-1)
    x.mul_(x.sum())
    x.view(2, 6)[1].add_(before[1])


def a_merged_diagonal(lib, x):
    x[:, :2].diagonal().mul_(x.sum())


WRITES = [
    a_flat_view,
    a_part_of_one,
    a_filled_part,
    a_zeroed_part,
    a_strided_view,
    views_before_and_behind_a_write,
    a_merged_diagonal,
]


def tangents(lib):
    whole = plain(lib, MATRIX)
    return {
        "as the values": whole * 0.5,
        "turned": plain(lib, np.transpose(MATRIX).tolist()).t(),
        "expanded": whole[:1].expand(3, 4),
    }


@together
@pytest.mark.parametrize("kind", ["as the values", "turned", "expanded"])
@pytest.mark.parametrize("write", WRITES)
def test_a_write_to_a_view_moves_the_base_however_its_tangent_lies(write, kind):
    def moved(lib):
        def program(x):
            y = x * 1
            write(lib, y)
            return y

        value, tangent = lib.func.jvp(program, (plain(lib, MATRIX),), (tangents(lib)[kind],))
        return value.tolist(), tangent.tolist()

    glassgrad, torch = [library.values[0] for library in LIBRARIES]
    assert moved(glassgrad) == moved(torch)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_the_tangent_of_a_strided_view_is_that_of_the_memory_it_shows(lib):
    def shown(x):
        return x.as_strided((2, 3), (4, 1), 1) * 1

    x, dx = plain(lib, MATRIX).t(), plain(lib, [[float(k) for k in range(3)]] * 4)
    _, tangent = lib.func.jvp(shown, (x,), (dx,))
    assert tangent.tolist() == [[0, 0, 0], [1, 1, 1]]


# Batches ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lib", LIBRARIES)
def test_strides_count_in_the_memory_of_one_example(lib):
    x = plain(lib, MATRIX)
    found = lib.func.vmap(lambda row: row.as_strided((2, 2), (1, 2)))(x)
    assert found[1].tolist() == [[5, 7], [6, 8]]
    found = lib.func.vmap(lambda column: column.as_strided((2,), (8,)), in_dims=1)(x)
    assert found.tolist() == [[1, 9], [2, 10], [3, 11], [4, 12]]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_the_offset_is_that_of_the_first_example(lib):
    x = plain(lib, [MATRIX, MATRIX])[1]
    found = lib.func.vmap(lambda row: row.as_strided((2,), (1,), row.storage_offset() + 1))(x)
    assert found.tolist() == [[2, 3], [6, 7], [10, 11]]
    assert found._base is x._base


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("call", [((3,), (2,)), ((2,), (1,), 3), ((5,), (0,), 4)])
def test_a_view_stays_within_its_example(lib, call):
    with pytest.raises(RuntimeError, match="This is not supported inside of vmap"):
        lib.func.vmap(lambda row: row.as_strided(*call))(plain(lib, MATRIX))


@pytest.mark.parametrize("lib", LIBRARIES)
def test_what_a_transform_sees_has_no_address(lib):
    for transform in (lib.func.vmap, lib.func.grad):
        with pytest.raises(RuntimeError, match="Cannot access data pointer of Tensor that doesn't"):
            transform(lambda x: x.sum() * x.data_ptr())(plain(lib, MATRIX))


@pytest.mark.parametrize("lib", LIBRARIES)
def test_an_example_says_whether_it_is_contiguous(lib):
    seen = []

    def look(x):
        seen.append((x.is_contiguous(), x.t().is_contiguous()))
        return x

    lib.vmap(look)(plain(lib, np.ones((2, 3, 4)).tolist()))
    assert seen == [(True, False)]
