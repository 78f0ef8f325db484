"""Structure beside PyTorch: grids, cuts, blocks, repeats, and what is read or written in a row."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from beside import assert_same, assert_same_refusal
from both import LIBRARIES
from checks import together

X = [[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]]

SAME = {
    "meshgrid": (lambda lib, x: lib.meshgrid(x[0], x[1, :2]), X),
    "meshgrid by columns": (lambda lib, x: lib.meshgrid([x[0], x[1, :2]], indexing="xy"), X),
    "meshgrid of three": (
        lambda lib, x: lib.meshgrid(x[0], x[1, :2], x[0, 0], indexing="xy"),
        X,
    ),
    "broadcast_tensors": (lambda lib, x: lib.broadcast_tensors(x, x[0], x[:, :1]), X),
    "cartesian_prod": (lambda lib, x: lib.cartesian_prod(x[0], x[1, :2]), X),
    "combinations": (lambda lib, x: lib.combinations(x[0]), X),
    "combinations of equals": (lambda lib, x: lib.combinations(x[0], 3, with_replacement=True), X),
    "too many to combine": (lambda lib, x: lib.combinations(x[0], 5), X),
    "block_diag": (lambda lib, x: lib.block_diag(x, x[0], x[0, 0]), X),
    "vander": (lambda lib, x: lib.vander(x.detach()[0], 4), X),
    "vander, increasing": (lambda lib, x: lib.vander(x.detach()[1], increasing=True), X),
    "hsplit": (lambda lib, x: x.hsplit(3), X),
    "hsplit at places": (lambda lib, x: lib.hsplit(x, (1, 2)), X),
    "vsplit": (lambda lib, x: lib.vsplit(x, 2), X),
    "dsplit": (lambda lib, x: lib.dsplit(x[None], 3), X),
    "fliplr": (lambda lib, x: x.fliplr(), X),
    "flipud": (lambda lib, x: lib.flipud(x), X),
    "repeat_interleave": (lambda lib, x: lib.repeat_interleave(x, 2), X),
    "repeat_interleave along a dim": (lambda lib, x: x.repeat_interleave(3, dim=1), X),
    "each as often as it says": (
        lambda lib, x: x.repeat_interleave(lib.tensor([2, 0, 1]), dim=1, output_size=3),
        X,
    ),
    "all equally often": (lambda lib, x: x.repeat_interleave(lib.tensor([2]), dim=1), X),
    "places": (lambda lib, x: lib.repeat_interleave(lib.tensor([2, 0, 1])), X),
    "take_along_dim": (lambda lib, x: lib.take_along_dim(x, x.argsort(1), 1), X),
    "take_along_dim of few": (lambda lib, x: lib.take_along_dim(x, lib.tensor([[-1, 0]]), 1), X),
    "take_along_dim of all": (lambda lib, x: lib.take_along_dim(x, lib.tensor([4, 0])), X),
    "put, in place": (
        lambda lib, x: (x * 1).put_(lib.tensor([1, -1]), x[0, :2] * 2, accumulate=True),
        X,
    ),
    "as_strided_scatter": (
        lambda lib, x: lib.as_strided_scatter(x.detach(), x.detach()[0, :2] * 5, (2,), (3,), 1),
        X,
    ),
    "scatter of another dtype": (lambda lib, x: x.select_scatter(lib.tensor([7, 8]), 1, 0), X),
    "diff": (lambda lib, x: lib.diff(x, n=2, append=x[:, :1]), X),
    "diff of bools": (lambda lib, x: lib.diff(x > 1, dim=0), X),
    "diff, again and again": (lambda lib, x: lib.diff(x, n=5), X),
    "gradient": (lambda lib, x: lib.gradient(x), X),
    "gradient by coordinates": (
        lambda lib, x: lib.gradient(
            x, spacing=(lib.tensor([0, 1, 3.0], dtype=lib.float64),), dim=1, edge_order=2
        ),
        X,
    ),
    "gradient by steps": (lambda lib, x: lib.gradient(x, spacing=(2, 0.5)), X),
    "trapezoid": (lambda lib, x: lib.trapezoid(x, dx=0.5), X),
    "trapezoid by coordinates": (lambda lib, x: lib.trapezoid(x, x[0] + 1), X),
    "cumulative_trapezoid": (lambda lib, x: lib.cumulative_trapezoid(x, x**2, dim=0), X),
    "corrcoef": (lambda lib, x: lib.corrcoef(x), X),
    "corrcoef of one": (lambda lib, x: lib.corrcoef(x[0]), X),
    "nanmean": (lambda lib, x: lib.nanmean(x, 1), [[1.0, float("nan")], [2.0, 4.0]]),
    "tril_indices": (lambda lib, x: lib.tril_indices(3, 4, -1, dtype=lib.int32), X),
    "triu_indices": (lambda lib, x: lib.triu_indices(3, 4, 1), X),
    "unravel_index": (lambda lib, x: lib.unravel_index(lib.tensor([3, 5]), (2, 3)), X),
}

REFUSED = {
    "a grid of a matrix": lambda lib, x: lib.meshgrid(x, indexing="ij"),
    "an unknown indexing": lambda lib, x: lib.meshgrid(x[0], indexing="ji"),
    "a grid of nothing": lambda lib, x: lib.meshgrid(),
    "products of a matrix": lambda lib, x: lib.cartesian_prod(x, x),
    "combinations of a matrix": lambda lib, x: lib.combinations(x),
    "blocks with three dims": lambda lib, x: lib.block_diag(x[None]),
    "uneven cuts": lambda lib, x: lib.hsplit(x, 2),
    "cuts of a vector": lambda lib, x: lib.vsplit(x[0], 2),
    "columns of a vector": lambda lib, x: lib.fliplr(x[0]),
    "negative repeats": lambda lib, x: lib.repeat_interleave(x, -1),
    "too few repeats": lambda lib, x: lib.repeat_interleave(x, lib.tensor([1, 2]), dim=1),
    "another size": lambda lib, x: lib.repeat_interleave(
        x[0], lib.tensor([1, 0, 1]), output_size=1
    ),
    "places of floats": lambda lib, x: lib.take_along_dim(x, x, 1),
    "places with other dims": lambda lib, x: lib.take_along_dim(x, lib.tensor([0]), 1),
    "differences of a number": lambda lib, x: lib.diff(x[0, 0]),
    "differences beside a vector": lambda lib, x: lib.diff(x, prepend=x[0]),
    "an edge of third order": lambda lib, x: lib.gradient(x, edge_order=3),
    "too few samples": lambda lib, x: lib.gradient(x, edge_order=2),
    "too few spacings": lambda lib, x: lib.gradient(x, spacing=[1.0]),
    "areas of bools": lambda lib, x: lib.trapezoid(x > 0),
    "too few coordinates": lambda lib, x: lib.trapezoid(x, x[0, :2]),
    "a negative size": lambda lib, x: lib.tril_indices(-1, 2),
    "places as floats": lambda lib, x: lib.triu_indices(1, 2, dtype=lib.float32),
    "too few strides": lambda lib, x: lib.empty_strided((2, 3), (1,)),
    "powers of a matrix": lambda lib, x: lib.vander(x),
}


@together
@pytest.mark.parametrize(("call", "value"), SAME.values(), ids=SAME)
def test_structure_is_pytorchs(call, value):
    assert_same(call, value)


@together
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused_in_pytorchs_words(call):
    assert_same_refusal(call, X)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_memory_lies_as_the_strides_say(lib):
    x = lib.empty_strided((2, 3), (1, 2), dtype=lib.int64)
    assert (tuple(x.shape), x.stride(), x.dtype) == ((2, 3), (1, 2), lib.int64)
    assert x.new_empty_strided((2,), (0,)).stride() == (0,)


def test_an_unsaid_indexing_is_warned_of():
    with pytest.warns(UserWarning, match="required to pass the indexing argument"):
        gg.meshgrid(gg.tensor([1]))  # PyTorch says it once


def test_what_is_written_over_by_strides_has_no_gradient():
    x = gg.tensor([1.0, 2.0, 3.0], requires_grad=True)  # PyTorch's gradient of it is wrong
    gg.as_strided_scatter(x, gg.zeros(2), (2,), (2,)).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("increasing", [False, True])
def test_powers_have_their_gradient_at_0_too(increasing):
    x = gg.tensor([0.0, 3.0], requires_grad=True)  # PyTorch's fails: it writes in place
    gg.vander(x, 3, increasing).sum().backward()
    assert x.grad.tolist() == [1.0, 7.0]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_shapes_broadcast_without_tensors(lib):
    assert tuple(lib.broadcast_shapes((2, 1), (3,), 1)) == (2, 3)
    with pytest.raises(RuntimeError, match="Attempting to broadcast a dimension"):
        lib.broadcast_shapes((2,), (3,))


@together
@pytest.mark.parametrize("dims", [(0, 0), (0, None), (None, 0)])
def test_a_batch_takes_from_its_own_example(dims):
    x, index = np.arange(12.0).reshape(2, 2, 3), np.array([[0, -1], [4, 4]])
    given = [gg.tensor(a if dim == 0 else a[0]) for a, dim in zip((x, index), dims, strict=True)]
    got = gg.func.vmap(gg.take, dims)(*given)
    for i in range(2):
        one, places = [a[i if dim == 0 else 0] for a, dim in zip((x, index), dims, strict=True)]
        assert got[i].tolist() == one.reshape(-1)[places].tolist()


def test_a_number_is_no_block():
    for lib in (gg, torch):
        with pytest.raises(TypeError, match=r"must be Tensor|expected Tensor"):
            lib.block_diag(lib.ones(2, 2), 3)


def test_an_index_is_a_vector_before_it_is_anything_else(lib):
    x = lib.ones(2, 3)
    with pytest.raises(IndexError, match="Index is supposed to be a vector"):
        x.index_select(0, x)


def test_indices_are_counted_before_they_are_looked_at(lib):
    for index in (0, 5):
        with pytest.raises(
            RuntimeError, match=r"index_add_?\(\): Number of indices \(1\) should be"
        ):
            lib.zeros(0, 3).index_add(0, lib.tensor([index]), lib.zeros(2, 3))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: gg.meshgrid(x[0]), "required to pass the indexing"),
        (lambda x: x[gg.tensor([1, 0], dtype=gg.uint8)], "indexing with dtype uint8"),
        (lambda x: x[[[0], [1]]], "non-tuple sequence"),
        (lambda x: gg.cross(x, x), "without specifying the dim"),
    ],
)
def test_a_warning_names_the_line_of_the_user(call, words):
    with pytest.warns(UserWarning, match=words) as told:
        call(gg.ones(2, 3))
    assert told[0].filename == __file__
