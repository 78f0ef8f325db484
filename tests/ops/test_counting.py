"""Unique elements, counts and histograms beside PyTorch."""

import math

import numpy as np
import pytest
import torch

import glassgrad as gg
from beside import assert_same, assert_same_refusal
from checks import together
from glassgrad.core.errors import MissingRuleError

X = [[3.0, 1.0, 1.0], [3.0, 1.0, 1.0], [0.0, 2.0, 5.0]]

SAME = {
    "unique, all": (
        lambda lib, x: lib.unique(x.detach(), return_inverse=True, return_counts=True),
        X,
    ),
    "unique rows": (
        lambda lib, x: lib.unique(x.detach(), dim=0, return_inverse=True, return_counts=True),
        X,
    ),
    "unique columns": (lambda lib, x: x.detach().unique(dim=-1), X),
    "unique rows of nothing": (lambda lib, x: x.detach()[:0].unique(dim=0), X),
    "each nan is another one": (
        lambda lib, x: lib.unique(x.detach(), return_inverse=True),
        [math.nan, 1.0, math.nan],
    ),
    "unique of a number": (lambda lib, x: lib.unique(x.detach(), return_inverse=True), 2.0),
    "runs": (
        lambda lib, x: x.detach().unique_consecutive(return_inverse=True, return_counts=True),
        X,
    ),
    "runs of rows": (
        lambda lib, x: x.detach().unique_consecutive(
            dim=0, return_inverse=True, return_counts=True
        ),
        X,
    ),
    "histc": (lambda lib, x: lib.histc(x, 4), X),
    "histc of one value": (lambda lib, x: lib.histc(x, 3), [1.0, 1.0]),
    "histc of nothing": (lambda lib, x: lib.histc(x, 3), []),
    "histogram": (lambda lib, x: lib.histogram(x.detach(), 3), X),
    "histogram in a range": (lambda lib, x: lib.histogram(x.detach(), 3, range=(0.5, 4.0)), X),
    "histogram of edges": (
        lambda lib, x: lib.histogram(x.detach(), lib.tensor([0, 1, 3.5], dtype=lib.float64)),
        X,
    ),
    "density": (
        lambda lib, x: lib.histogram(x.detach(), 3, weight=x.detach() + 1, density=True),
        X,
    ),
    "bincount": (lambda lib, x: lib.bincount(x.detach().long().flatten(), minlength=8), X),
    "bincount, weighted": (
        lambda lib, x: lib.bincount(x.detach().long()[2], weights=x.detach()[2].float()),
        X,
    ),
    "count_nonzero": (lambda lib, x: lib.count_nonzero(x, dim=(0, 1)), X),
    "nonzero": (lambda lib, x: lib.nonzero(x), X),
    "nonzero, dim by dim": (lambda lib, x: x.nonzero(as_tuple=True), X),
    "nonzero of a number": (lambda lib, x: lib.nonzero(x), 2.0),
    "argwhere": (lambda lib, x: lib.argwhere(x), X),
}

REFUSED = {
    "complex numbers": lambda lib, x: lib.unique(x.to(lib.complex64)),
    "slices of nothing": lambda lib, x: lib.unique(x[:0], dim=1),
    "fractions": lambda lib, x: lib.bincount(x[0]),
    "negative integers": lambda lib, x: lib.bincount(-x[0].long()),
    "a negative length": lambda lib, x: lib.bincount(x[0].long(), minlength=-1),
    "weights of another length": lambda lib, x: lib.bincount(x[0].long(), x[0, :1]),
    "no bins": lambda lib, x: lib.histc(x, 0),
    "ends in the wrong order": lambda lib, x: lib.histc(x, 2, 3, 1),
    "an end at infinity": lambda lib, x: lib.histogram(x, 2, range=(0.0, math.inf)),
    "edges with dims": lambda lib, x: lib.histogram(x, x),
    "edges of another dtype": lambda lib, x: lib.histogram(x, x[0].float()),
}


@together
@pytest.mark.parametrize(("call", "value"), SAME.values(), ids=SAME)
def test_what_is_counted_is_pytorchs(call, value):
    assert_same(call, value)


@together
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_counted_is_refused_in_pytorchs_words(call):
    assert_same_refusal(call, X)


@together
@pytest.mark.parametrize(
    "of", [gg.unique, gg.unique_consecutive, lambda x: gg.histogram(x, 2).hist]
)
def test_there_is_no_derivative_and_it_says_so(of):
    y = of(gg.tensor([1.0, 2.0], requires_grad=True))
    assert y.requires_grad
    with pytest.raises(MissingRuleError, match="is not implemented"):
        y.sum().backward()


def test_a_batch_has_bins_of_its_own():
    x = np.random.default_rng(0).random((3, 7))
    got = gg.func.vmap(lambda row: gg.histogram(row, 3).hist)(gg.tensor(x))
    rows = [torch.histogram(torch.tensor(row), 3).hist for row in x]
    assert got.tolist() == torch.stack(rows).tolist()


def test_a_batch_of_counts_is_as_long_as_its_largest_number_asks_for():
    got = gg.func.vmap(gg.bincount)(gg.tensor([[0, 1, 1], [2, 0, 0]]))
    assert got.tolist() == [[1, 2, 0], [2, 0, 1]]


@together
@pytest.mark.parametrize("options", ["", "density", "range", "weight"])
def test_histograms_of_points_are_pytorchs(options):
    x = np.random.default_rng(0).normal(size=(5, 4, 2))
    edges = [np.linspace(-1, 1, 4), np.linspace(-2, 2, 3)]

    def told(lib, bins):
        known = {"density": True, "range": [-1.0, 1.0, 0.0, 2.0]}
        known["weight"] = lib.tensor(abs(x[..., 0]))
        given = {name: value for name, value in known.items() if name == options}
        bins = [lib.tensor(each) if isinstance(each, np.ndarray) else each for each in bins]
        found = lib.histogramdd(lib.tensor(x), bins, **given)
        return [found.hist.numpy(), *[each.numpy() for each in found.bin_edges]]

    for bins in ([2, 3], *[edges] * (options != "range")):
        for ours, theirs in zip(told(gg, bins), told(torch, bins), strict=True):
            np.testing.assert_allclose(ours, theirs)


@pytest.mark.parametrize("lib", [gg, torch])
def test_histograms_of_points_that_do_not_fit_are_refused_as_by_pytorch(lib):
    x = lib.ones(3, 2)
    for arguments, options, words in (
        ((x, [2]), {}, "size of bins must be equal to the innermost dimension"),
        ((lib.ones(3), [2]), {}, "should have at least 2 dimensions"),
        ((x, [2, 2]), {"range": [0.0, 1.0]}, "range should have 4 elements"),
        ((x, [0, 2]), {}, "bins must be > 0"),
    ):
        with pytest.raises(RuntimeError, match=words):
            lib.histogramdd(*arguments, **options)
    found = lib.histogramdd(x.requires_grad_(), [1, 1])
    assert repr(found).startswith(f"{lib.__name__}.return_types.histogramdd(\nhist=")
    with pytest.raises(RuntimeError, match=r"[Dd]erivative for|derivative for"):
        found.hist.sum().backward()


@pytest.mark.parametrize("lib", [gg, torch])
def test_the_edges_of_a_histogram_are_its_own(lib):
    edges = lib.tensor([0.0, 1.0])
    _, found = lib.tensor([0.5]).histogram(edges)
    edges.zero_()
    assert found.tolist() == [0.0, 1.0]
    assert len(lib.tensor([0.5]).histogram().hist) == 100
