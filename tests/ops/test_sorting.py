"""Sorting, quantiles and searching beside PyTorch: what rows of ops do not say."""

import math

import numpy as np
import pytest
import torch

import glassgrad as gg
from beside import assert_same, assert_same_refusal
from both import LIBRARIES
from checks import together

NAN = math.nan
X = [[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]]

SAME = {
    "quantile": (lambda lib, x: lib.quantile(x, 0.3), X),
    "quantile along a dim": (lambda lib, x: lib.quantile(x, 0.3, dim=1, keepdim=True), X),
    "several quantiles": (
        lambda lib, x: lib.quantile(x, lib.tensor([0.1, 0.9], dtype=lib.float64), dim=0),
        X,
    ),
    "several, with all dims": (
        lambda lib, x: lib.quantile(x, lib.tensor([0.5], dtype=lib.float64), keepdim=True),
        X,
    ),
    "lower": (lambda lib, x: x.quantile(0.4, 1, interpolation="lower"), X),
    "higher": (lambda lib, x: x.quantile(0.4, 1, interpolation="higher"), X),
    "midpoint": (lambda lib, x: x.quantile(0.4, 1, interpolation="midpoint"), X),
    "nearest": (lambda lib, x: x.quantile(0.4, 1, interpolation="nearest"), X),
    "a nan is all quantiles": (
        lambda lib, x: lib.quantile(x, 0.5, dim=1),
        [[1.0, NAN], [1.0, 2.0]],
    ),
    "nanquantile": (lambda lib, x: lib.nanquantile(x, 0.5, dim=1), [[1.0, NAN], [1.0, 2.0]]),
    "nanquantile of nan": (lambda lib, x: lib.nanquantile(x, 0.5), [NAN, NAN]),
    "quantile of a number": (lambda lib, x: lib.quantile(x, 0.5, keepdim=True), 2.0),
    "msort": (lambda lib, x: lib.msort(x), X),
    "nan is sorted to the end": (lambda lib, x: lib.sort(x)[0], [2.0, NAN, 1.0]),
    "and to the front": (lambda lib, x: lib.sort(x, descending=True)[0], [2.0, NAN, 1.0]),
    "topk of nan": (lambda lib, x: lib.topk(x, 2), [2.0, NAN, 1.0]),
    "kthvalue of nan": (lambda lib, x: lib.kthvalue(x, 3), [2.0, NAN, 1.0]),
    "argsort": (lambda lib, x: lib.argsort(x, 1, True), X),
    "cummax of nan": (lambda lib, x: lib.cummax(x, 0), [1.0, 1.0, NAN, 0.0, NAN]),
    "bucketize": (lambda lib, x: lib.bucketize(x, lib.tensor([0.0, 2.0], dtype=lib.float64)), X),
    "searchsorted in rows": (
        lambda lib, x: lib.searchsorted(x.sort().values, x + 0.5, right=True, out_int32=True),
        X,
    ),
    "searchsorted by a sorter": (
        lambda lib, x: lib.searchsorted(x, x, sorter=x.argsort(), side="left"),
        X,
    ),
    "searchsorted of nan": (
        lambda lib, x: lib.searchsorted(lib.tensor([1.0, 2.0], dtype=lib.float32), x, right=True),
        [NAN, 1.0, 2.0],
    ),
}

REFUSED = {
    "a share above 1": lambda lib, x: lib.quantile(x, 1.5),
    "shares above 1": lambda lib, x: lib.quantile(x, x + 9),
    "shares of another dtype": lambda lib, x: lib.quantile(x, x[0].to(lib.float32)),
    "quantiles of integers": lambda lib, x: lib.quantile(x.long(), 0.5),
    "quantiles of nothing": lambda lib, x: lib.quantile(x[:0], 0.5),
    "an unknown interpolation": lambda lib, x: lib.quantile(x, 0.5, interpolation="cubic"),
    "boundaries with dims": lambda lib, x: lib.bucketize(x, x),
    "two sides": lambda lib, x: lib.searchsorted(x, x, side="left", right=True),
    "a sorter of floats": lambda lib, x: lib.searchsorted(x, x, sorter=x),
}


@together
@pytest.mark.parametrize(("call", "value"), SAME.values(), ids=SAME)
def test_what_is_sorted_is_pytorchs(call, value):
    assert_same(call, value)


@together
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_has_no_order_is_refused_in_pytorchs_words(call):
    assert_same_refusal(call, X)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_equals_keep_their_order_both_ways(lib):
    x = lib.tensor([1, 0, 1, 0])
    assert lib.sort(x, stable=True).indices.tolist() == [1, 3, 0, 2]
    assert lib.sort(x, stable=True, descending=True).indices.tolist() == [0, 2, 1, 3]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_values_and_indices_are_written_to_memory_that_is_there(lib):
    values, indices = lib.empty(0), lib.empty(0, dtype=lib.int64)
    found = lib.topk(lib.tensor([3.0, 1.0, 2.0]), 2, out=(values, indices))
    assert found.values is values
    assert (values.tolist(), indices.tolist()) == ([3.0, 2.0], [0, 2])


def test_one_tensor_is_too_few_for_two_results():
    with pytest.raises(gg.core.errors.ArgumentTypeError, match="must be tuple of Tensors"):
        gg.sort(gg.tensor([1.0]), out=gg.empty(1))


def test_a_batch_of_boundaries_is_searched_row_by_row():
    rng = np.random.default_rng(0)
    boundaries, x = np.sort(rng.random((3, 4)), -1), rng.random((3, 2, 5))
    got = gg.func.vmap(gg.searchsorted)(gg.tensor(boundaries), gg.tensor(x))
    rows = [
        torch.searchsorted(torch.tensor(b), torch.tensor(v))
        for b, v in zip(boundaries, x, strict=True)
    ]
    assert got.tolist() == torch.stack(rows).tolist()
