"""Gradients of products, and of ties, where several elements go to one place."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import LIBRARIES, leaf
from checks import together


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_two_zeros_for_one_place_have_no_second_gradient(lib, name):
    x, src = leaf(lib, [1.0]), leaf(lib, [0.0, 0.0])
    y = getattr(lib, name)(x, 0, lib.tensor([0, 0]), src, "prod")
    grads = lib.autograd.grad(y, [x, src], create_graph=True)
    assert [g.tolist() for g in grads] == [[0.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match=rf"{name}\(\): Double backward is unsupported for"):
        grads[1].sum().backward()


@pytest.mark.parametrize("lib", LIBRARIES)
def test_one_zero_gets_the_product_of_the_others(lib):
    x, src = leaf(lib, [2.0]), leaf(lib, [0.0, 5.0])
    x.scatter_reduce(0, lib.tensor([0, 0]), src, "prod").backward()
    assert (x.grad.tolist(), src.grad.tolist()) == ([0.0], [10.0, 0.0])


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("reduce", ["amax", "amin"])
def test_ties_share_the_gradient(lib, reduce):
    x, src = leaf(lib, [3.0]), leaf(lib, [3.0, 3.0])
    x.scatter_reduce(0, lib.tensor([0, 0]), src, reduce).backward()
    assert x.grad.tolist() == pytest.approx([1 / 3])
    assert src.grad.tolist() == pytest.approx([1 / 3, 1 / 3])


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("reduce", ["amax", "amin", "prod"])
def test_elements_without_an_index_cannot_be_compared(lib, reduce):
    x, src = leaf(lib, [1.0, 2.0]), leaf(lib, [5.0, 3.0, 4.0])
    y = x.scatter_reduce(0, lib.tensor([0, 0]), src, reduce)
    with pytest.raises(
        RuntimeError, match=r"size of tensor a \(3\) must match the size of tensor b"
    ):
        y.sum().backward()


@together
@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
def test_whole_numbers_are_reduced_as_pytorchs(reduce, dtype):
    results = []
    for lib in (gg, pytest.importorskip("torch")):
        x = lib.tensor([1, 0, 1], dtype=getattr(lib, dtype))
        y = x.scatter_reduce(0, lib.tensor([0, 0, 1]), x, reduce, include_self=False)
        results.append(y.tolist())
    assert results[0] == results[1]


MANY = {
    "a place along a dim": lambda lib, x, at: x.gather(1, at),
    "a row": lambda lib, x, at: x[at[0]],
    "counted from the end": lambda lib, x, at: x[at - 40],
    "rows behind a slice": lambda lib, x, at: x[:, at[0]],
    "a place in each dim": lambda lib, x, at: x[at, at.mT],
    "of a transposed tensor": lambda lib, x, at: x.mT.index_add(0, at[0], x),
    "added along a dim": lambda lib, x, at: x.mT.scatter_add(0, at, x),
    "the largest": lambda lib, x, at: x.scatter_reduce(1, at, x.mT, "amax"),
    "a row of a table": lambda lib, x, at: lib.nn.functional.embedding(at, x),
}


@together
@pytest.mark.parametrize("program", MANY.values(), ids=list(MANY))
def test_many_elements_go_to_few_places(program):
    places = np.random.default_rng(0).integers(0, 40, (40, 40))
    found = []
    for lib in (gg, torch):
        x = lib.arange(1600.0, dtype=lib.float64).reshape(40, 40).sin().requires_grad_()
        y = program(lib, x, lib.tensor(places))
        (
            y * lib.arange(float(y.numel()), dtype=lib.float64).reshape(y.shape).cos()
        ).sum().backward()
        found.append((y.detach().numpy(), x.grad.numpy()))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
