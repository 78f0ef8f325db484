"""Products in pieces and the other way around: the numbers of `@`, whatever the layout."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import glassgrad as gg
from glassgrad.ops import _products
from glassgrad.ops._products import product, times_transposed, transposed_times


@pytest.fixture(autouse=True)
def small_kernels(monkeypatch):
    """Cut products on every machine, and small ones too."""
    monkeypatch.setattr(_products, "_has_small_kernels", lambda: True)
    monkeypatch.setattr(_products, "_SMALL", 400)
    monkeypatch.setattr(_products, "_WORTH_CUTTING", 2)
    monkeypatch.setattr(_products, "_WORTH_TURNING", 50)


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
        (product, lambda x, y: x @ y, matrix(n, m, left), matrix(m, k, right)),
        (transposed_times, lambda x, y: x.T @ y, matrix(m, n, left), matrix(m, k, right)),
        (times_transposed, lambda x, y: x @ y.T, matrix(n, m, left), matrix(k, m, right)),
    ]:
        result = compute(x, y)
        assert result.dtype == x.dtype
        np.testing.assert_array_equal(result, expected(x, y))  # whole numbers: exact in any order


def test_pieces_leave_no_other_array_behind_the_result():
    x, y = np.ones((8, 20), np.float32), np.ones((20, 5), np.float32)
    assert product(x, y).base is None
    assert transposed_times(x, np.ones((8, 10), np.float32)).base is None


def test_training_step_in_pieces_gives_the_gradients_of_float64():
    random = np.random.default_rng(0)
    x, w = random.standard_normal((16, 30)), random.standard_normal((30, 8))
    x32, w32 = gg.tensor(x.astype("f4"), requires_grad=True), gg.tensor(w.astype("f4"))
    w32.requires_grad_()
    (x32 @ w32).tanh().sum().backward()
    slope = 1 - np.tanh(x @ w) ** 2
    np.testing.assert_allclose(x32.grad.numpy(), slope @ w.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(w32.grad.numpy(), x.T @ slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("variables", "threads"),
    [
        ({"OPENBLAS_NUM_THREADS": "3", "OMP_NUM_THREADS": "1"}, 3),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "many", "GOTO_NUM_THREADS": "2"}, 2),
    ],
)
def test_threads_are_counted_by_the_rules_of_openblas(monkeypatch, variables, threads):
    for name in ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert _products._blas_threads() == threads


def test_without_variables_every_core_is_a_thread(monkeypatch):
    for name in ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert _products._blas_threads() >= 1
