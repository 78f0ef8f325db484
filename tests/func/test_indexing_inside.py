"""Places that index tensors name, inside vmap: in each example the same, or its own."""

import itertools
import warnings

import numpy as np
import pytest
import torch
import torch.func

import glassgrad
import glassgrad.func
from both import LIBRARIES
from checks import together

RNG = np.random.default_rng(11)
X = RNG.uniform(-2, 2, (2, 3, 3, 3, 3))  # two examples
SUBSETS = [(0, 0), (0, None), (None, 0)]


def mapped(lib, function, arrays, dims):
    """What vmap gives, where the first of two examples stands for both if there is no batch."""
    inputs = [lib.tensor(a if dim == 0 else a[0]) for a, dim in zip(arrays, dims, strict=True)]
    return lib.func.vmap(lambda *xs: function(lib, *xs), in_dims=dims)(*inputs).numpy()


def looped(function, arrays, dims):
    """What a loop in PyTorch gives."""
    rows = [
        [torch.tensor(a[k if dim == 0 else 0]) for a, dim in zip(arrays, dims, strict=True)]
        for k in range(2)
    ]
    return np.stack([function(torch, *row).numpy() for row in rows])


# Reading ----------------------------------------------------------------------------------------

KEYS = {
    "i": lambda i: i,
    "0, i": lambda i: (0, i),
    ":, i": lambda i: (slice(None), i),
    "..., i": lambda i: (..., i),
    "1:, i": lambda i: (slice(1, None), i),
    "i, 1:": lambda i: (i, slice(1, None)),
    "i, i": lambda i: (i, i),
    ":, i, i": lambda i: (slice(None), i, i),
    "i, :, i": lambda i: (i, slice(None), i),
    ":, i, :, i": lambda i: (slice(None), i, slice(None), i),
    "None, i": lambda i: (None, i),
    "i, None, i": lambda i: (i, None, i),
    "i, 0, i": lambda i: (i, 0, i),
    "negative": lambda i: (i - 3,),
}


@together
@pytest.mark.parametrize("dims", SUBSETS)
@pytest.mark.parametrize("shape", [(), (2,), (2, 1), (0,)])
@pytest.mark.parametrize("key", KEYS)
def test_a_key_chooses_what_it_does_in_torch(key, shape, dims):
    def chosen(lib, x, i):
        return x[KEYS[key](i)]

    arrays = [X, RNG.integers(0, 3, (2, *shape))]
    np.testing.assert_array_equal(
        mapped(glassgrad, chosen, arrays, dims), mapped(torch, chosen, arrays, dims)
    )


@together
@pytest.mark.parametrize("dims", [d for d in itertools.product((0, None), repeat=3) if 0 in d])
@pytest.mark.parametrize("shapes", [((2,), (2,)), ((2, 1), (3,)), ((), (2,)), ((2, 1, 1), (3, 1))])
@pytest.mark.parametrize("apart", [False, True])
def test_two_index_tensors_are_lined_up_in_each_example(shapes, apart, dims):
    def chosen(lib, x, i, j):
        return x[i, :, j] if apart else x[:, i, j]

    arrays = [X, *[RNG.integers(0, 3, (2, *shape)) for shape in shapes]]
    np.testing.assert_array_equal(
        mapped(glassgrad, chosen, arrays, dims), mapped(torch, chosen, arrays, dims)
    )


@together
@pytest.mark.parametrize("key", ["m", "m, i", ":, m", "i, :, m"])
def test_a_mask_that_is_one_for_all_examples_chooses(key):
    def chosen(lib, x, i):
        mask = lib.tensor([True, False, True])
        keys = {"m": mask, "m, i": (mask, i), ":, m": (slice(None), mask)}
        return x[{**keys, "i, :, m": (i, slice(None), mask)}[key]]

    for dims in SUBSETS:
        if key in ("m", ":, m") and dims[0] is None:
            continue
        arrays = [X, RNG.integers(0, 3, (2, 2))]
        np.testing.assert_array_equal(
            mapped(glassgrad, chosen, arrays, dims), looped(chosen, arrays, dims)
        )


# Reading and writing with places of each example's own --------------------------------------------

PLACES = np.array([[2, 0], [1, 2]])
PAIRS = RNG.uniform(-2, 2, (2, 3, 2, 3, 3))
WRITES = {
    "index_select": lambda lib, x, i, y: x.index_select(1, i),
    "index_add": lambda lib, x, i, y: x.index_add(1, i, y, alpha=2),
    "index_copy": lambda lib, x, i, y: x.index_copy(1, i, y),
    "index_fill": lambda lib, x, i, y: x.index_fill(2, i - 3, 1.5),
    "index_fill by a tensor": lambda lib, x, i, y: x.index_fill(2, i, y.sum()),
    "index_put": lambda lib, x, i, y: x.index_put((i, i), y[0]),
    "index_put that adds": lambda lib, x, i, y: x.index_put((i * 0, i), y[0], accumulate=True),
    "setitem": lambda lib, x, i, y: written(x, (slice(None), i), y),
    "setitem apart": lambda lib, x, i, y: written(x, (i, slice(None), i), y[0]),
    "setitem of one place": lambda lib, x, i, y: written(x, (slice(None), i[0]), y[:, 0]),
    "scatter": lambda lib, x, i, y: x.scatter(1, wide(i), y),
    "scatter_add": lambda lib, x, i, y: x.scatter_add(1, wide(i * 0), y),
    "gather": lambda lib, x, i, y: x.gather(1, wide(i)),
    "scatter_reduce": lambda lib, x, i, y: x.scatter_reduce(1, wide(i * 0), y, "prod"),
}


def written(x, key, values):
    y = x.clone()
    y[key] = values
    return y


def wide(index):
    return index.reshape(1, 2, 1, 1).expand(3, 2, 3, 3)


@together
@pytest.mark.parametrize("dims", [d for d in itertools.product((0, None), repeat=3) if 0 in d])
@pytest.mark.parametrize("name", WRITES)
def test_places_of_each_example_are_its_own(name, dims):
    op, arrays = WRITES[name], [X, PLACES, PAIRS]
    if name.startswith("setitem") and dims[0] is None:
        return  # what is one for all examples cannot be written for each

    np.testing.assert_allclose(mapped(glassgrad, op, arrays, dims), looped(op, arrays, dims))

    def slope(lib, x, i, y):
        moved = lib.func.grad(lambda x, y: (op(lib, x, i, y) ** 2).sum(), argnums=(0, 1))(x, y)
        return lib.cat([g.reshape(-1) for g in moved])

    np.testing.assert_allclose(mapped(glassgrad, slope, arrays, dims), looped(slope, arrays, dims))


@together
@pytest.mark.parametrize("reduce", ["mean", "prod", "amax"])
def test_slices_are_reduced_at_places_of_each_example(reduce):
    def reduced(lib, x, i, y):
        return x.index_reduce(1, i, y, reduce, include_self=False)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch says once that it is new there
        want = looped(reduced, [X, PLACES, PAIRS], (0, 0, 0))
    np.testing.assert_allclose(mapped(glassgrad, reduced, [X, PLACES, PAIRS], (0, 0, 0)), want)


# Refusals ---------------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("shape", [(3, 4), (3,)])
def test_a_mask_that_differs_between_examples_is_refused(lib, shape):
    x = lib.ones(3, 4, 5)
    words = r"vmap: .*dynamic shape.*indexing with a boolean mask"
    with pytest.raises(RuntimeError, match=words):
        lib.func.vmap(lambda x, at: x[at > 0])(x, lib.ones(shape))
    with pytest.raises(RuntimeError, match=words):
        lib.func.vmap(lambda x, at: x.index_put((at > 0,), x[:1, :1]))(x, lib.ones(shape))


@together
@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize(
    "op",
    [
        lambda x, i: x[i],
        lambda x, i: x.index_select(0, i),
        lambda x, i: x.gather(0, i),
        lambda x, i: x.index_put((i,), x[:2]),
    ],
)
def test_a_place_that_one_example_has_not_is_found(lib, op):
    x, index = lib.ones(2, 4), lib.tensor([[0, 1], [3, 4]])
    with pytest.raises((IndexError, RuntimeError), match=r"index 4 is out of bounds for dimension"):
        lib.func.vmap(op)(x, index)
