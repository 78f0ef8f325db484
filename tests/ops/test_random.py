"""Random tensors: their distributions, seeds and errors."""

import copy
import pickle

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together

MANY = 20_000


@pytest.fixture(autouse=True)
def _same_numbers_each_time():
    state = gg.get_rng_state()
    gg.manual_seed(0)
    yield
    gg.set_rng_state(state)


DRAWS = {
    "rand": (lambda lib: lib.rand(MANY), 0.5, 1 / 12),
    "rand float64": (lambda lib: lib.rand((MANY,), dtype=lib.float64), 0.5, 1 / 12),
    "rand float16": (lambda lib: lib.rand(MANY, dtype=lib.float16), 0.5, 1 / 12),
    "rand complex": (
        lambda lib: lib.rand(MANY, dtype=lib.complex64).to(lib.complex128),
        None,
        1 / 6,
    ),
    "randn": (lambda lib: lib.randn(MANY), 0, 1),
    "randn float16": (lambda lib: lib.randn(MANY, dtype=lib.float16), 0, 1),
    "randn complex": (lambda lib: lib.randn(MANY, dtype=lib.complex64), 0, 1),
    "randint": (lambda lib: lib.randint(4, (MANY,)), 1.5, 1.25),
    "randint from": (lambda lib: lib.randint(-2, 2, (MANY,), dtype=lib.float32), -0.5, 1.25),
    "randperm": (lambda lib: lib.randperm(MANY) * 1.0 / MANY, 0.5, 1 / 12),
    "normal": (lambda lib: lib.normal(3.0, 2.0, (MANY,)), 3, 4),
    "normal of means": (lambda lib: lib.normal(lib.ones(MANY), 2.0), 1, 4),
    "normal of stds": (lambda lib: lib.normal(1.0, lib.ones(MANY) * 3), 1, 9),
    "normal of both": (lambda lib: lib.normal(lib.ones(1), lib.ones(MANY) * 3), 1, 9),
    "bernoulli": (lambda lib: lib.bernoulli(lib.ones(MANY) * 0.25), 0.25, 3 / 16),
    "bernoulli p": (lambda lib: lib.bernoulli(lib.zeros(MANY, dtype=lib.int64), 0.5), 0.5, 0.25),
    "rand_like": (lambda lib: lib.rand_like(lib.ones(MANY)), 0.5, 1 / 12),
    "randn_like": (lambda lib: lib.randn_like(lib.ones(MANY)), 0, 1),
    "randint_like": (lambda lib: lib.randint_like(lib.ones(MANY), 4), 1.5, 1.25),
}


@together
@pytest.mark.parametrize(("draw", "mean", "variance"), DRAWS.values(), ids=list(DRAWS))
def test_distribution_dtype_and_shape_are_pytorchs(draw, mean, variance):
    ours, theirs = draw(gg), draw(torch)
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.dtype == theirs.numpy().dtype
    values = ours.numpy().astype(complex)
    if mean is not None:
        assert abs(values.mean() - mean) < 0.02 * (1 + variance)
    assert abs(values.var() - variance) < 0.03 * variance + 0.001


def test_uniform_numbers_are_below_1():
    for dtype in (gg.float16, gg.float32, gg.float64):
        x = gg.rand(MANY, dtype=dtype).numpy()
        assert x.min() >= 0
        assert x.max() < 1


def test_integers_reach_both_ends():
    assert sorted(set(gg.randint(2, 5, (200,)).tolist())) == [2, 3, 4]
    assert gg.randint(3, size=(2,)).shape == (2,)
    assert gg.randint(low=1, high=2, size=(2,)).tolist() == [1, 1]


def test_a_permutation_has_every_number_once():
    assert sorted(gg.randperm(10).tolist()) == list(range(10))
    assert gg.randperm(0).dtype == gg.int64


def test_a_seed_decides_the_numbers():
    def numbers():
        return gg.rand(2).tolist() + gg.randn(2).tolist() + gg.randperm(4).tolist()

    gg.manual_seed(3)
    first = numbers()
    gg.manual_seed(3)
    assert numbers() == first
    gg.manual_seed(4)
    assert numbers() != first


def test_a_generator_has_numbers_of_its_own():
    own = gg.Generator().manual_seed(3)
    gg.manual_seed(3)
    expected = gg.rand(4).tolist()
    state = gg.get_rng_state().tolist()
    assert gg.rand(4, generator=own).tolist() == expected
    assert gg.get_rng_state().tolist() == state


@pytest.mark.parametrize(
    "duplicate",
    [
        lambda generator: gg.Generator().set_state(generator.get_state()),
        lambda generator: generator.clone_state(),
        copy.deepcopy,
        lambda generator: pickle.loads(pickle.dumps(generator)),
    ],
    ids=["state", "clone_state", "deepcopy", "pickle"],
)
def test_a_state_continues_elsewhere(duplicate):
    generator = gg.Generator().manual_seed(5)
    gg.randint(3, (3,), generator=generator, dtype=gg.int32)
    other = duplicate(generator)
    assert other.initial_seed() == 5
    expected = gg.randn(5, generator=generator).tolist()
    assert gg.randn(5, generator=other).tolist() == expected


@pytest.mark.parametrize("seed", [0, -1, 2**64 - 1, -(2**63)])
def test_seeds_are_pytorchs(seed):
    assert gg.Generator().manual_seed(seed).initial_seed() == (
        torch.Generator().manual_seed(seed).initial_seed()
    )


def test_seed_draws_another_seed_each_time():
    generator = gg.Generator()
    assert generator.initial_seed() == torch.Generator().initial_seed()
    first = generator.seed()
    assert first == generator.initial_seed()
    assert first != generator.seed()
    assert gg.seed() == gg.initial_seed()


def test_the_device_of_a_generator():
    assert str(gg.Generator().device) == str(torch.Generator().device) == "cpu"
    assert "cpu" in repr(gg.Generator("cpu"))


@pytest.mark.parametrize(
    ("dtype", "end"), [("float32", 2**24), ("float64", 2**53), ("int16", 2**15)]
)
def test_random_without_bounds_draws_whole_numbers_that_the_dtype_holds(dtype, end):
    for lib in (gg, torch):
        drawn = lib.empty(1000, dtype=getattr(lib, dtype)).random_()
        assert 0.9 * end < drawn.max().item() <= end
        assert drawn.min().item() >= 0


def test_random_leaves_may_require_grad():
    for x in (gg.rand(2, requires_grad=True), gg.randn_like(gg.ones(2), requires_grad=True)):
        assert x.is_leaf
        assert x.requires_grad


def test_the_result_of_normal_does_not_depend_on_its_mean():
    assert not gg.normal(gg.ones(2, requires_grad=True), 1.0).requires_grad


ERRORS = {
    "negative size": (lambda lib: lib.rand(-1), "Trying to create tensor with negative dimension"),
    "float size": (lambda lib: lib.rand(2.5), "must be tuple of ints, not float"),
    "no range": (
        lambda lib: lib.randint(3, 3, (2,)),
        "random_ expects 'from' to be less than 'to', but got from=3 >= to=3",
    ),
    "bool range": (lambda lib: lib.randint(3, (2,), dtype=lib.bool), "to - 1 is out of bounds for"),
    "uint8 range": (
        lambda lib: lib.randint(300, (2,), dtype=lib.uint8),
        "to - 1 is out of bounds for",
    ),
    "int size": (lambda lib: lib.randint(3, 2), "must be tuple of ints, not"),
    "float high": (lambda lib: lib.randint(5.5, (2,)), "argument 'high'"),
    "int leaf": (
        lambda lib: lib.randint(3, (2,), requires_grad=True),
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    "negative perm": (lambda lib: lib.randperm(-1), "Trying to create tensor with negative"),
    "uint8 perm": (
        lambda lib: lib.randperm(300, dtype=lib.uint8),
        "without overflow",
    ),
    "negative std": (lambda lib: lib.normal(lib.zeros(2), -1.0), "normal expects std >= 0.0, but"),
    "no normal size": (lambda lib: lib.normal(0.0, 1.0), "invalid combination of arguments"),
    "normal shapes": (
        lambda lib: lib.normal(lib.zeros(2), lib.ones(3)),
        "The size of tensor a",
    ),
    "p": (lambda lib: lib.bernoulli(lib.ones(1) * 2), "p_in >= 0 && p_in <= 1"),
    "one p": (lambda lib: lib.bernoulli(lib.ones(1), 1.5), "p to be in [0, 1], but got p=1.5"),
    "no tensor": (lambda lib: lib.bernoulli(0.5), "must be Tensor, not float"),
    "large seed": (lambda lib: lib.manual_seed(2**64), "Overflow when unpacking long long"),
    "no state": (lambda lib: lib.Generator().set_state(5), "ByteTensor, but got int"),
    "short state": (
        lambda lib: lib.Generator().set_state(lib.zeros(1, dtype=lib.uint8)),
        "but found the input RNG state size to be 1",
    ),
}


@together
@pytest.mark.parametrize(("call", "words"), ERRORS.values(), ids=list(ERRORS))
def test_errors_have_pytorchs_type_and_words(call, words):
    with pytest.raises(Exception) as theirs:  # noqa: PT011  # which type is what is compared
        call(torch)
    assert words in str(theirs.value)
    with pytest.raises(type(theirs.value)) as ours:
        call(gg)
    assert words in str(ours.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda lib: lib.rand(2, dtype=lib.int64),
        lambda lib: lib.randn(2, dtype=lib.int64),
        lambda lib: lib.rand_like(lib.arange(2)),
        lambda lib: lib.normal(lib.arange(2), 1.0),
        lambda lib: lib.bernoulli(lib.arange(2)),
    ],
)
def test_fractions_need_a_dtype_that_has_them(call):
    with pytest.raises(NotImplementedError):
        call(torch)
    with pytest.raises(RuntimeError, match="is not implemented for int64"):
        call(gg)


def test_a_generator_is_a_generator():
    with pytest.raises(TypeError, match="generator must be a Generator, not int"):
        gg.rand(2, generator=5)


def test_numbers_are_drawn_in_the_dtype_asked_for():
    assert gg.rand(3, dtype=gg.float64).numpy().dtype == np.float64
