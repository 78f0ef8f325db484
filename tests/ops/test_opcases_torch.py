"""Each row against PyTorch: values, gradients, double gradients, names and edges of the node."""

import numpy as np
import torch

from opcase import Run, as_list, values, weights_for
from opcases import CASES, DIFFERENTIABLE, SAMPLES, rows
from optwin import translated, twin

TOLERANCE = {"rtol": 1e-11, "atol": 1e-11}


class TorchRun:
    """`Run`, by PyTorch."""

    def __init__(self, case, given, arrays):
        self.inputs = [torch.tensor(array) for array in arrays]
        self.leaves = [x for x, s in zip(self.inputs, given.inputs, strict=True) if s.is_leaf]
        for x in self.leaves:
            x.requires_grad_()
        params = {name: translated(value) for name, value in given.params.items()}
        self.results = as_list(case.call(twin(case), *self.inputs, **params))
        self.roots = [y for y in self.results if y.requires_grad]
        self.seeds = [torch.tensor(w, requires_grad=True) for w in weights_for(self.roots)]

    def gradients(self, *, create_graph=False):
        if not self.roots:
            return [None] * len(self.leaves)
        return torch.autograd.grad(
            self.roots,
            self.leaves,
            self.seeds,
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )

    def double(self):
        first = [g for g in self.gradients(create_graph=True) if g is not None and g.requires_grad]
        targets = self.leaves + self.seeds
        if not first:
            return [None] * len(targets)
        weights = [torch.tensor(w) for w in weights_for(first)]
        return torch.autograd.grad(first, targets, weights, allow_unused=True)


def arrays_of(results):
    return [None if y is None else y.numpy(force=True) for y in results]


@rows(SAMPLES)
def test_value_is_torchs(case, given):
    arrays = case.arrays(given)
    got = values(Run(case, given, arrays).results)
    want = [y.detach().numpy() for y in as_torch(TorchRun(case, given, arrays).results)]
    for y, reference in zip(got, want, strict=True):
        assert y.dtype == reference.dtype
        assert y.shape == reference.shape
        np.testing.assert_allclose(y, reference, **TOLERANCE)


def as_torch(results):
    return [y if isinstance(y, torch.Tensor) else torch.tensor(y.numpy()) for y in results]


@rows(DIFFERENTIABLE)
def test_gradient_is_torchs(case, given):
    arrays = case.arrays(given)
    got = values(Run(case, given, arrays).gradients())
    want = arrays_of(TorchRun(case, given, arrays).gradients())
    assert [g is None for g in got] == [g is None for g in want]
    assert_equal(got, want)


@rows([(case, given) for case, given in DIFFERENTIABLE if given.smooth])
def test_double_gradient_is_torchs(case, given):
    arrays = case.arrays(given)
    got = values(Run(case, given, arrays).double())
    want = arrays_of(TorchRun(case, given, arrays).double())
    assert_equal(got, want)


def assert_equal(got, want):
    """Gradients; None is a gradient of 0."""
    for g, w in zip(got, want, strict=True):
        if g is not None or w is not None:
            g = np.zeros_like(w) if g is None else g
            w = np.zeros_like(g) if w is None else w
            np.testing.assert_allclose(g, w, **TOLERANCE)


@rows([(case, given) for case, given in DIFFERENTIABLE if case.same_graph])
def test_node_is_torchs(case, given):
    arrays = case.arrays(given)
    got = [spelled(y) for y in Run(case, given, arrays).results]
    want = [spelled(y) for y in TorchRun(case, given, arrays).results]
    assert got == want


def spelled(y):
    """The name of the node that made `y`, and those its edges lead to."""
    if y.grad_fn is None:
        return None
    edges = [(n and bare(n.name()), nr) for n, nr in y.grad_fn.next_functions]
    return bare(y.grad_fn.name()), y.output_nr, edges


def bare(name):
    return name.rpartition("::")[2]


def test_graphs_differ_only_where_the_row_says_so():
    differing = {case.name for case in CASES if not case.same_graph}
    fused = {"matmul", "linear", "einsum", "cross_entropy"}
    assert differing == fused | {"getitem", "conj", "real", "random_"}
