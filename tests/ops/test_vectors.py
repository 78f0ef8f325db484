"""Products of vectors and covariances: values, gradients and words are PyTorch's."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import leaf
from checks import together
from glassgrad.core.errors import (
    ArgumentError,
    DTypeError,
    GlassgradError,
    RangeError,
    ShapeError,
)

RNG = np.random.default_rng(3)


def gradients(lib, call, *arrays):
    """The result of `call`, and its gradients."""
    leaves = [leaf(lib, array) for array in arrays]
    y = call(lib, *leaves)
    weights = lib.tensor(np.linspace(1, 2, y.numel()).reshape(tuple(y.shape)))
    grads = lib.autograd.grad(y, leaves, weights)
    return [part.numpy(force=True) for part in (y, *grads)]


def assert_torchs(call, *arrays):
    ours, theirs = gradients(gg, call, *arrays), gradients(torch, call, *arrays)
    for got, want in zip(ours, theirs, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


SHAPES = [
    ((3,), (3,)),
    ((), (3,)),
    ((2, 3), ()),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 3), (4, 3)),
    ((2, 2, 3), (4, 3)),
    ((0,), (0,)),
]


@together
@pytest.mark.parametrize(("one", "two"), SHAPES)
def test_inner_is_torchs(one, two):
    assert_torchs(lambda lib, x, y: lib.inner(x, y), RNG.normal(size=one), RNG.normal(size=two))


def test_inner_refuses_vectors_of_other_lengths_and_dtypes():
    with pytest.raises(ShapeError, match=r"inner\(\) the last dimension must match"):
        gg.inner(gg.ones(2, 3), gg.ones(3, 2))
    with pytest.raises(DTypeError, match="both inputs should have same dtype"):
        gg.inner(gg.ones(3), gg.ones(3, dtype=gg.float64))


def test_ger_is_outer():
    x, y = gg.tensor([1.0, 2.0]), gg.tensor([3.0, 4.0])
    assert gg.ger(x, y).tolist() == gg.outer(x, y).tolist()


def test_cross_without_a_dim_takes_the_first_of_size_3_and_says_so():
    x, y = RNG.normal(size=(2, 3, 3)), RNG.normal(size=(2, 3, 3))
    for lib in (gg, torch):
        with pytest.warns(UserWarning, match="without specifying the dim arg is deprecated"):
            lib.cross(lib.tensor(x), lib.tensor(y))
    with pytest.warns(UserWarning, match="deprecated"):
        got = gg.cross(gg.tensor(x), gg.tensor(y))
    np.testing.assert_allclose(got.numpy(), np.cross(x, y, axis=1))


@together
@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        ((2, 3), (3,), "inputs must have the same number of dimensions"),
        ((2, 3), (2, 2), "inputs dimension 1 must have length 3. Got 3 and 2"),
        ((2, 4), (2, 4), "must have length 3. Got 4 and 4"),
    ],
)
def test_what_has_no_cross_product_is_refused_in_torchs_words(one, two, words):
    for lib, error in ((gg, ShapeError), (torch, RuntimeError)):
        with pytest.raises(error, match=words):
            lib.cross(lib.ones(one), lib.ones(two), dim=1)


def test_numpys_cross_is_that_of_the_last_dim():
    x, y = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3))
    np.testing.assert_allclose(np.cross(gg.tensor(x), gg.tensor(y)).numpy(), np.cross(x, y))


WEIGHTS = {
    "none": {},
    "another correction": {"correction": 0},
    "how often": {"fweights": [1, 2, 1, 3]},
    "how much": {"aweights": [0.5, 1.0, 2.0, 0.1]},
    "both": {"fweights": [1, 2, 1, 3], "aweights": [0.5, 1.0, 2.0, 0.1]},
}


@together
@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("shape", [(3, 4), (4,)])
def test_covariance_is_torchs(name, shape):
    def call(lib, x):
        given = WEIGHTS[name]
        tensors = {k: lib.tensor(v) if isinstance(v, list) else v for k, v in given.items()}
        return lib.cov(x, **tensors)

    assert_torchs(call, RNG.normal(size=shape))


def test_covariance_of_complex_numbers_is_torchs():
    x = RNG.normal(size=(2, 4)) + 1j * RNG.normal(size=(2, 4))
    got, want = gg.cov(gg.tensor(x)), torch.cov(torch.tensor(x))
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-12)


def test_covariance_of_integers_is_a_fraction():
    assert gg.cov(gg.tensor([1, 2, 4])).item() == pytest.approx(7 / 3)


@together
@pytest.mark.parametrize("shape", [(2, 1), (2, 0), ()])
def test_without_a_degree_of_freedom_the_covariance_is_nan_with_a_warning(shape):
    for lib in (gg, torch):
        with np.errstate(all="ignore"), pytest.warns(UserWarning, match="freedom is <= 0"):
            assert lib.isnan(lib.cov(lib.ones(shape))).all()


WRONG = [
    ((2, 2, 2), {}, ShapeError, "expected input to have two or fewer dimensions"),
    ((2, 3), {"fweights": [1.0, 2.0, 1.0]}, DTypeError, "fweights to have integral dtype"),
    ((2, 3), {"fweights": [[1, 2, 1]]}, ShapeError, "fweights to have one or fewer dimensions"),
    ((2, 3), {"fweights": [1, 2]}, ShapeError, "fweights to have the same numel"),
    ((2, 3), {"fweights": [1, -2, 1]}, RangeError, "fweights cannot be negative"),
    ((2, 3), {"aweights": [1, 2, 1]}, DTypeError, "aweights to have floating point dtype"),
    ((2, 3), {"fweights": [0, 0, 0]}, ArgumentError, "weights sum to zero"),
]


@together
@pytest.mark.parametrize(("shape", "weights", "error", "words"), WRONG)
def test_what_has_no_covariance_is_refused_in_torchs_words(shape, weights, error, words):
    for lib, kind in ((gg, error), (torch, RuntimeError)):
        given = {name: lib.tensor(values) for name, values in weights.items()}
        with pytest.raises(kind, match=words):
            lib.cov(lib.ones(shape), **given)


def test_bools_have_no_covariance():
    with pytest.raises(DTypeError, match="bool dtype is not supported"):
        gg.cov(gg.ones(2, 3, dtype=gg.bool))


def test_covariances_of_a_batch_are_those_of_its_examples():
    xs = RNG.normal(size=(3, 2, 4))
    weights = RNG.uniform(size=(3, 4))
    got = gg.func.vmap(lambda x, w: gg.cov(x, aweights=w))(gg.tensor(xs), gg.tensor(weights))
    for x, w, each in zip(xs, weights, got.numpy(), strict=True):
        np.testing.assert_allclose(each, np.cov(x, aweights=w))


def test_a_batch_is_refused_where_an_example_would_be():
    with pytest.raises(GlassgradError, match="must have length 3"):
        gg.func.vmap(lambda x: gg.cross(x, x, dim=0))(gg.ones(3, 2))


@pytest.mark.parametrize("count", [4, 30])
def test_the_gradient_of_a_distance_from_itself_is_0(count):
    points = np.random.default_rng(0).normal(size=(count, 2))
    found = []
    for lib in (gg, torch):
        x = lib.tensor(points, requires_grad=True)
        (lib.cdist(x, x) ** 2).sum().backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(*found, atol=1e-10)
