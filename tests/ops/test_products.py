"""Products of matrices: the numbers of `@`, whatever the layout."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import glassgrad as gg
from glassgrad.nn.functional import linear


def laid_out(values, layout):
    if layout == "rows":
        return values
    if layout == "columns":
        return np.asfortranarray(values)
    return np.repeat(values, 2, axis=1)[:, ::2]


layouts = st.sampled_from(["rows", "columns", "every other"])
sizes = st.integers(0, 24)


@settings(deadline=None)
@given(sizes, sizes, sizes, layouts, layouts, st.sampled_from(["f4", "f8", "i8"]), st.integers(0))
def test_products_are_those_of_numpy(n, m, k, left, right, dtype, seed):
    random = np.random.default_rng(seed)

    def matrix(rows, columns, layout):
        return laid_out(random.integers(-9, 9, (rows, columns)).astype(dtype), layout)

    for compute, expected, x, y in [
        (gg.mm, lambda x, y: x @ y, matrix(n, m, left), matrix(m, k, right)),
        (linear, lambda x, y: x @ y.T, matrix(n, m, left), matrix(k, m, right)),
    ]:
        result = compute(gg.from_numpy(x), gg.from_numpy(y)).numpy()
        assert result.dtype == x.dtype
        np.testing.assert_array_equal(result, expected(x, y))  # whole numbers: exact in any order


@pytest.mark.parametrize("inner", [1, 2])
def test_stacks_of_outer_products_are_those_of_numpy(inner):
    random = np.random.default_rng(0)
    x, y = random.standard_normal((5, 3, inner)), random.standard_normal((5, inner, 4))
    np.testing.assert_allclose(gg.bmm(gg.tensor(x), gg.tensor(y)).numpy(), x @ y, rtol=1e-15)
    np.testing.assert_allclose((gg.tensor(x) @ gg.tensor(y[0])).numpy(), x @ y[0], rtol=1e-15)


def test_a_training_step_gives_the_gradients_of_float64():
    random = np.random.default_rng(0)
    x, w = random.standard_normal((16, 30)), random.standard_normal((30, 8))
    x32, w32 = gg.tensor(x.astype("f4"), requires_grad=True), gg.tensor(w.astype("f4"))
    w32.requires_grad_()
    (x32 @ w32).tanh().sum().backward()
    slope = 1 - np.tanh(x @ w) ** 2
    np.testing.assert_allclose(x32.grad.numpy(), slope @ w.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(w32.grad.numpy(), x.T @ slope, rtol=1e-4, atol=1e-5)
