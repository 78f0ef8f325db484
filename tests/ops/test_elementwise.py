"""Functions of numbers at awkward points, their dtypes and other names, as in PyTorch."""

import math

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import leaf, spelled
from checks import together

UNARY = [
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
    "exp2",
    "expm1",
    "log1p",
    "log2",
    "log10",
    "rsqrt",
    "logit",
    "floor",
    "ceil",
    "round",
    "trunc",
    "frac",
]
AWKWARD = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 1000.0, math.inf, -math.inf, math.nan]


@together
@pytest.mark.parametrize("name", UNARY)
def test_values_and_gradients_at_awkward_points_are_torchs(name):
    found = []
    for lib in (gg, torch):
        x = leaf(lib, AWKWARD)
        y = getattr(lib, name)(x)
        (grad,) = lib.autograd.grad(y, x, lib.ones_like(y))
        found.append([y.numpy(force=True), grad.numpy(force=True)])
    if name == "logit":  # which infinity its slope is at -0.0 depends in PyTorch on the processor
        found = [[np.delete(part, 1) for part in parts] for parts in found]
    for got, want in zip(*found, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)
        assert np.array_equal(np.signbit(got[:2]), np.signbit(want[:2]))


@pytest.mark.parametrize("name", ["atan2", "hypot"])
def test_a_pair_of_numbers_at_awkward_points_is_torchs(name):
    pairs = [[0.0, 0.0, -0.0, 1.0, math.inf, math.inf, math.nan, 0.0]]
    pairs += [[0.0, -0.0, 0.0, 0.0, math.inf, 1.0, 1.0, -2.0]]
    found = []
    for lib in (gg, torch):
        x, y = leaf(lib, pairs[0]), leaf(lib, pairs[1])
        z = getattr(lib, name)(x, y)
        grads = lib.autograd.grad(z, [x, y], lib.ones_like(z))
        found.append([part.numpy(force=True) for part in (z, *grads)])
    for got, want in zip(*found, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


@together
@pytest.mark.parametrize("name", ["lgamma", "digamma", *[f"polygamma {n}" for n in (0, 2, 3, 5)]])
def test_gamma_and_its_relatives_are_torchs_on_the_whole_line(name):
    x = np.concatenate([np.linspace(-9.83, 30.0, 200), [-1e-9, 1e-9, 1.0, 2.0, 1e20]])
    name, *order = name.split()
    order = [int(n) for n in order]
    got = getattr(gg, name)(*order, gg.tensor(x)).numpy()
    want = getattr(torch, name)(*order, torch.tensor(x)).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def test_gamma_has_its_poles_where_torch_has_them():
    for name in ("lgamma", "digamma"):
        for x in (0.0, -0.0, -1.0, -2.0, math.inf, math.nan):
            want = getattr(torch, name)(torch.tensor(x)).item()
            got = getattr(gg, name)(gg.tensor(x)).item()
            assert got == want or (math.isnan(got) and math.isnan(want))


def test_second_derivative_of_the_logarithm_of_gamma_is_a_known_number():
    x = leaf(gg, [0.5, 1.0])
    (slope,) = gg.autograd.grad(gg.lgamma(x).sum(), x, create_graph=True)
    (bend,) = gg.autograd.grad(slope.sum(), x)
    np.testing.assert_allclose(bend.numpy(), [math.pi**2 / 2, math.pi**2 / 6], rtol=1e-14)


@together
@pytest.mark.parametrize("decimals", [-2, 0, 3])
def test_round_keeps_the_decimals_that_torch_keeps(decimals):
    values = [1234.5678, -0.0005, 250.0, -1.5]
    got = gg.round(gg.tensor(values), decimals=decimals)
    want = torch.round(torch.tensor(values), decimals=decimals)
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)


def test_numbers_outside_of_0_and_1_have_no_odds():
    x = leaf(gg, [-1.0, 2.0])
    y = gg.logit(x)
    y.sum().backward()
    assert np.isnan(y.numpy(force=True)).all()
    assert np.isnan(x.grad.numpy()).all()


OTHER_NAMES = {
    "multiply": "mul",
    "subtract": "sub",
    "divide": "div",
    "true_divide": "div",
    "negative": "neg",
    "absolute": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "fix": "trunc",
}


@together
@pytest.mark.parametrize("name", OTHER_NAMES)
def test_other_names_mean_the_same(name):
    assert getattr(gg, name) is getattr(gg, OTHER_NAMES[name])
    for suffix in ("", "_"):
        method = getattr(gg.Tensor, name + suffix)
        assert method is getattr(gg.Tensor, OTHER_NAMES[name] + suffix)
        assert hasattr(torch.Tensor, name + suffix)


UFUNCS = [
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "arcsinh",
    "arccosh",
    "arctanh",
    "exp2",
    "expm1",
    "log1p",
    "log2",
    "log10",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "arctan2",
    "hypot",
]


@together
@pytest.mark.parametrize("name", UFUNCS)
def test_numpys_functions_take_tensors(name):
    function = getattr(np, name)
    values = np.array([1.0, 1.0]) if name == "arccosh" else np.array([0.25, 0.75])
    arrays = [values, values[::-1].copy()][: function.nin]
    got = function(*[gg.tensor(array) for array in arrays])
    assert isinstance(got, gg.Tensor)
    np.testing.assert_allclose(got.numpy(), function(*arrays), rtol=1e-15)


@pytest.mark.parametrize("name", ["add", "sub", "rsub"])
def test_a_sum_with_a_factor_is_one_node_that_keeps_nothing(name):
    graphs = []
    for lib in (gg, torch):
        x = leaf(lib, [1.0, 2.0])
        y = getattr(lib, name)(x, x, alpha=3)
        graphs.append(spelled(y.grad_fn))
        y.sum().backward()
        y.sum().backward()
        assert x.grad.tolist() == [{"add": 8.0}.get(name, -4.0)] * 2
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_square_has_a_third_derivative(lib):
    found = [leaf(lib, [1.5, 0.0])]
    y = found[0] ** 2
    for _ in range(3):
        (y,) = lib.autograd.grad(y.sum(), found[0], create_graph=True)
        found.append(y)
    assert [g.tolist() for g in found[1:]] == [[3.0, 0.0], [2.0, 2.0], [0.0, 0.0]]
