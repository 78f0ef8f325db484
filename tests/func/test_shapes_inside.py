"""Shapes, inside vmap: examples without dims, without elements, and batches of one or none."""

import itertools

import numpy as np
import pytest
import torch

import glassgrad
from both import LIBRARIES
from checks import together

RNG = np.random.default_rng(5)


def subsets(count):
    return [dims for dims in itertools.product((0, None), repeat=count) if 0 in dims]


def check(function, shapes, batch):
    """vmap gives what a loop in PyTorch gives, whichever of the operands are batched."""
    for dims in subsets(len(shapes)):
        arrays = [
            RNG.uniform(-1, 1, shape if dim is None else (batch, *shape))
            for shape, dim in zip(shapes, dims, strict=True)
        ]
        inputs = [glassgrad.tensor(a) for a in arrays]
        found = glassgrad.func.vmap(lambda *xs: function(glassgrad, *xs), in_dims=dims)(*inputs)
        pairs = list(zip(arrays, dims, strict=True))
        loop = [
            function(torch, *[torch.tensor(a if d is None else a[k]) for a, d in pairs]).numpy()
            for k in range(batch)
        ]
        if loop:
            np.testing.assert_allclose(found.numpy(), np.stack(loop), atol=1e-12)
        assert found.shape[0] == batch


PRODUCTS = [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 2, 3), (2, 3, 1)),
    ((2, 2, 3), (3, 4)),
    ((2, 3), (2, 3, 4)),
    ((3,), (2, 3, 4)),
    ((2, 2, 3), (3,)),
    ((5, 1, 2, 3), (2, 3, 4)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((0,), (0,)),
]


@together
@pytest.mark.parametrize("batch", [3, 1, 0])
@pytest.mark.parametrize("shapes", PRODUCTS)
def test_products_take_a_batch_on_each_side(shapes, batch):
    check(lambda lib, x, y: x @ y, shapes, batch)


@together
@pytest.mark.parametrize("batch", [3, 1, 0])
@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 2)]),
        ("ii->i", [(3, 3)]),
        (",i->i", [(), (3,)]),
        ("i...,...i->...", [(3, 2), (2, 3)]),
        ("ij,jk,kl->il", [(2, 3), (3, 2), (2, 2)]),
    ],
)
def test_equations_take_a_batch_in_each_operand(equation, shapes, batch):
    check(lambda lib, *xs: lib.einsum(equation, *xs), shapes, batch)


JOINED = {
    "cat": (lambda lib, x, y: lib.cat([x, y]), [(2, 3), (1, 3)]),
    "cat of one thing twice": (lambda lib, x, y: lib.cat([x, y, x], -1), [(2,), (3,)]),
    "cat with an empty vector": (lambda lib, x, y: lib.cat([x, y], 1), [(2, 3), (0,)]),
    "cat of empty vectors": (lambda lib, x, y: lib.cat([x, y]), [(0,), (0,)]),
    "stack": (lambda lib, x, y: lib.stack([x, y], -1), [(2,), (2,)]),
    "stack of numbers": (lambda lib, x, y: lib.stack([x, y]), [(), ()]),
}


@together
@pytest.mark.parametrize("batch", [3, 1, 0])
@pytest.mark.parametrize("name", JOINED)
def test_what_is_joined_may_be_batched_in_part(name, batch):
    check(*JOINED[name], batch)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_an_empty_vector_in_cat_keeps_its_place_in_the_graph(lib):
    x = lib.ones(3, 0, requires_grad=True)
    joined = lib.func.vmap(lambda x, y: lib.cat([x, y]), in_dims=(0, None))(x, lib.ones(2))
    joined.sum().backward()
    assert joined.shape == (3, 2)
    assert x.grad.shape == (3, 0)


OF_ONE = {
    "squeeze": (lambda lib, x: x.squeeze(), (1, 2, 1)),
    "squeeze of a number": (lambda lib, x: x.squeeze(0), ()),
    "squeeze some": (lambda lib, x: x.squeeze((0, 2)), (1, 2, 1)),
    "t of a vector": (lambda lib, x: x.t(), (3,)),
    "t of a number": (lambda lib, x: x.t(), ()),
    "transpose of a number": (lambda lib, x: x.transpose(0, -1), ()),
    "flip of a number": (lambda lib, x: x.flip(0), ()),
    "expand of a number": (lambda lib, x: x.expand(2, 2), ()),
    "expand to nothing": (lambda lib, x: x.expand(0, 2), (1, 2)),
    "repeat of a number": (lambda lib, x: x.repeat(3), ()),
    "flatten of a number": (lambda lib, x: x.flatten(), ()),
    "permute of a number": (lambda lib, x: x.permute(()), ()),
    "reshape of columns": (lambda lib, x: x.t().reshape(6), (2, 3)),
    "diagonal off the matrix": (lambda lib, x: x.diagonal(4), (2, 2)),
    "roll of all": (lambda lib, x: x.roll(2), (2, 3)),
    "gather from a number": (lambda lib, x: x.gather(0, lib.tensor(0)), ()),
    "index_select from a number": (lambda lib, x: x.index_select(0, lib.tensor([0])), ()),
}


@together
@pytest.mark.parametrize("batch", [3, 1, 0])
@pytest.mark.parametrize("name", OF_ONE)
def test_the_batch_is_no_dim_of_an_example(name, batch):
    function, shape = OF_ONE[name]
    check(function, [shape], batch)
