"""What each row of tests/opcases.py buys: values, gradients, nodes, against NumPy and PyTorch.

A sample is one test: all its checks look at the same run, and each that fails is named. Differences
are taken in one direction, in which all moves; `make slow` takes those of each element.
"""

import functools

import numpy as np
import pytest
import torch

import glassgrad
from both import bare
from checks import SampleChecks, together
from glassgrad.core.errors import GlassgradError
from leaks.letting_go import Owner, behind, survivors
from opcase import Run, all_primitives, as_list, rules_behind, values, weights_for
from opcases import CASES, DIFFERENTIABLE, SAMPLES, SMOOTH, WRONG, rows
from optwin import translated, twin

check, check_slowly = SampleChecks(), SampleChecks()


@rows(SAMPLES)
def test_sample(case, given, device):
    check.make(case, given, Played(case, given, device))


@pytest.mark.slow
@rows(SMOOTH)
def test_sample_slowly(case, given, device):
    check_slowly.make(case, given, Played(case, given, device))


class Played:
    """A sample as its checks see it: run once here and once by PyTorch, when first asked for."""

    def __init__(self, case, given, device):
        self.case, self.given, self.device = case, given, device
        self.arrays = case.arrays(given)

    def again(self, arrays=None, **options):
        """A run of its own."""
        return Run(self.case, self.given, self.arrays if arrays is None else arrays, **options)

    @functools.cached_property
    def run(self):
        return self.again()

    @functools.cached_property
    def gradients(self):
        return values(self.run.gradients())

    @functools.cached_property
    def double(self):
        return values(self.run.double())

    @functools.cached_property
    def oracle(self):
        return TorchRun(self.case, self.given, self.arrays)


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
        return torch.autograd.grad(first, targets, weights, retain_graph=True, allow_unused=True)


# Values -----------------------------------------------------------------------------------------


@check.of([(case, given) for case, given in SAMPLES if case.numpy is not None])
def value_is_numpys(played):
    (got,) = values(played.run.results)
    with np.errstate(all="ignore"):
        want = np.asarray(played.case.numpy(*played.arrays, **played.given.params))
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


TORCHS = {"rtol": 1e-11, "atol": 1e-11}


@check.of(SAMPLES)
def value_is_torchs(played):
    got = values(played.run.results)
    want = [y.detach().numpy() for y in as_torch(played.oracle.results)]
    for y, reference in zip(got, want, strict=True):
        assert y.dtype == reference.dtype
        assert y.shape == reference.shape
        np.testing.assert_allclose(y, reference, **TORCHS)


def as_torch(results):
    return [y if isinstance(y, torch.Tensor) else torch.tensor(y.numpy()) for y in results]


@check.of([(case, given) for case, given in SAMPLES if "dtype" not in given.params])
def dtype_is_kept(played):
    for dtype in ("float32", "float64"):
        run = played.again(played.case.arrays(played.given, np.dtype(dtype)))
        for y in [*run.results, *run.gradients()]:
            assert y is None or y.dtype.kind != "f" or y.dtype == dtype


@check.of(SAMPLES)
def inputs_are_left_as_they_were(played):
    run, _, _ = played.run, played.gradients, played.double
    for x, array in zip(run.inputs, played.arrays, strict=True):
        np.testing.assert_array_equal(x.numpy(force=True), array)


@check.of(SAMPLES)
def memory_of_an_input_is_shared_by_its_views_alone(played):
    if played.case.name.startswith("unsafe_") or played.case.name.endswith("_"):
        return  # whose users promise to write to one of them at most
    for y in played.run.results:
        for x in played.run.inputs:
            shares = np.shares_memory(y.payload, x.payload)
            assert not shares or y is x or y._base is x


# Gradients --------------------------------------------------------------------------------------


def differences(function, arrays, step):
    """The gradient of `function()` with respect to the arrays it reads, by central differences."""
    found = []
    for array in arrays:
        slope = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            here, ends = array[place], []
            for move in (step, -step):
                array[place] = here + move
                ends.append(function())
            array[place] = here
            slope[place] = (ends[0] - ends[1]) / (2 * step)
        found.append(slope)
    return found


def assert_slope(function, arrays, gradients, step, **tolerance):
    """Hold gradients against differences in one direction, in which every element moves."""
    kept = [array.copy() for array in arrays]
    rng = np.random.default_rng(11)
    directions = [rng.choice([-1.0, 1.0], a.shape) * rng.uniform(0.5, 1.5, a.shape) for a in arrays]
    ends = []
    for move in (step, -step):
        for array, here, direction in zip(arrays, kept, directions, strict=True):
            array[...] = here + move * direction
        ends.append(function())
    for array, here in zip(arrays, kept, strict=True):
        array[...] = here
    pairs = [pair for pair in zip(gradients, directions, strict=True) if pair[0] is not None]
    want = weighted_sum(*zip(*pairs, strict=True)) if pairs else 0.0
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * step), want, **tolerance)


def weighted_sum(arrays, weights):
    pairs = zip(arrays, weights, strict=True)
    return sum(float((a * w).sum()) for a, w in pairs)


def leaf_arrays(given, arrays):
    """The arrays of the inputs that have a gradient."""
    return [a for a, spec in zip(arrays, given.inputs, strict=True) if spec.is_leaf]


def assert_close(got, want, **tolerance):
    """Gradients against differences; None is a gradient of 0."""
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(np.zeros_like(w) if g is None else g, w, **tolerance)


def loss_of(played):
    """A number as a function of the arrays of leaves, and these."""
    seeds = weights_for(played.run.roots)

    def function():
        return weighted_sum(values(played.again().roots), seeds)

    return function, leaf_arrays(played.given, played.arrays)


def gradient_of(played):
    """The gradient as a function of the arrays of leaves and seeds, weighted, and these."""
    run, seeds = played.run, weights_for(played.run.roots)
    moving = [g is not None and g.requires_grad for g in run.gradients(create_graph=True)]
    first = [g for g, moves in zip(run.gradients(), moving, strict=True) if moves]
    weights = weights_for(first)

    def function():
        moved = played.again()
        for seed, array in zip(moved.seeds, seeds, strict=True):
            seed.payload = array
        parts = zip(values(moved.gradients()), moving, strict=True)
        return weighted_sum([g for g, moves in parts if moves], weights)

    return function, leaf_arrays(played.given, played.arrays) + seeds


@check.of(SMOOTH)
def gradient_is_that_of_differences(played):
    assert_slope(*loss_of(played), played.gradients, 1e-6, rtol=1e-6, atol=1e-7)


@check_slowly.of(SMOOTH)
def each_gradient_is_that_of_differences(played):
    assert_close(played.gradients, differences(*loss_of(played), 1e-6), rtol=1e-6, atol=1e-8)


@check.of(SMOOTH)
def double_gradient_is_that_of_differences(played):
    assert_slope(*gradient_of(played), played.double, 1e-5, rtol=1e-5, atol=1e-6)


@check_slowly.of(SMOOTH)
def each_double_gradient_is_that_of_differences(played):
    assert_close(played.double, differences(*gradient_of(played), 1e-5), rtol=1e-5, atol=1e-7)


@check.of(DIFFERENTIABLE)
def recorded_backward_gives_what_the_array_run_gives(played):
    plain = played.gradients
    recorded = values(played.run.gradients(create_graph=True))
    assert [g is None for g in recorded] == [g is None for g in plain]
    for got, want in zip(recorded, plain, strict=True):
        if want is not None:
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@check.of([(case, given) for case, given in DIFFERENTIABLE if case.rule_names != ["Copy"]])
def gradient_of_one_input_needs_no_other(played):
    want = played.gradients
    for position, leaf in enumerate(played.run.leaves):
        alone = played.again(only=position)
        if alone.roots and want[position] is not None:
            got = values(alone.gradients())[0]
            np.testing.assert_allclose(got, want[position], rtol=1e-12, atol=1e-12)
        assert leaf.is_leaf


@check.of(DIFFERENTIABLE)
def gradient_is_torchs(played):
    want = arrays_of(played.oracle.gradients())
    assert [g is None for g in played.gradients] == [g is None for g in want]
    assert_equal(played.gradients, want)


@check.of([(case, given) for case, given in DIFFERENTIABLE if given.smooth])
def double_gradient_is_torchs(played):
    assert_equal(played.double, arrays_of(played.oracle.double()))


def arrays_of(results):
    return [None if y is None else y.numpy(force=True) for y in results]


def assert_equal(got, want):
    """Gradients; None is a gradient of 0."""
    for g, w in zip(got, want, strict=True):
        if g is not None or w is not None:
            g = np.zeros_like(w) if g is None else g
            w = np.zeros_like(g) if w is None else w
            np.testing.assert_allclose(g, w, **TORCHS)


# Nodes ------------------------------------------------------------------------------------------


@check.of([(case, given) for case, given in DIFFERENTIABLE if case.same_graph])
def node_is_torchs(played):
    got = [spelled(y) for y in played.run.results]
    want = [spelled(y) for y in played.oracle.results]
    assert got == want


def spelled(y):
    """The name of the node that made `y`, and those its edges lead to."""
    if y.grad_fn is None:
        return None
    edges = [(n and bare(n.name()), nr) for n, nr in y.grad_fn.next_functions]
    return bare(y.grad_fn.name()), y.output_nr, edges


# Memory -----------------------------------------------------------------------------------------


@check.of(SAMPLES)
def tensors_and_nodes_die_when_they_are_let_go(played):
    for passes in (False, True):
        for hooks in (False, True) if passes else (False,):
            play = functools.partial(run_and_let_go, played, passes=passes, hooks=hooks)
            found = survivors(play, was_played=not hooks)  # by the checks above
            assert found == ([], 0), f"{passes=}, {hooks=}"


def run_and_let_go(played, *, passes, hooks):
    """What must be dead, without the garbage collector, when nobody refers to it any more."""
    run = played.again()
    dying = [*run.inputs, *behind(*run.roots)]
    if hooks:
        owners = [Owner() for _ in run.roots]
        for y, owner in zip(run.roots, owners, strict=True):
            y.retain_grad()
            y.register_hook(lambda grad, owner=owner: None)
            y.grad_fn.register_hook(lambda into, out, owner=owner: None)
        dying += owners
    if passes:
        dying += [g for g in run.gradients() if g is not None]
        dying += [g for g in run.double() if g is not None]
    return dying


# Devices ----------------------------------------------------------------------------------------


@check.of(SAMPLES)
def device_computes_what_the_cpu_does(played):
    there = played.again(device=played.device)
    want = [*values(played.run.results), *played.gradients, *played.double]
    got = [*there.results, *there.gradients(), *there.double()]
    for y, reference in zip(got, want, strict=True):
        assert (y is None) == (reference is None)
        if y is not None:
            assert y.device.type == played.device
            np.testing.assert_allclose(*values([y]), reference, rtol=1e-6, atol=1e-12)


# The rows themselves ----------------------------------------------------------------------------


@together
@rows(WRONG)
def test_wrong_input_raises_our_error(case, given):
    with pytest.raises(GlassgradError) as caught:
        Run(case, given, case.arrays(given))
    assert len(str(caught.value)) > 40, "an error says what happened, why, and what to write"


def test_every_op_has_exactly_one_row():
    named = [name for case in CASES for name in case.rule_names]
    for name, cls in all_primitives().items():
        assert named.count(name) == 1, (
            f"{name} of {cls.__module__} has {named.count(name)} rows. Write one into "
            f"tests/oprows_*.py: OpCase(family.function, [real(2, 3)], numpy=np.function)."
        )
    assert sorted(named) == sorted(all_primitives())


@together
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_samples_reach_the_rules_the_row_names(case):
    missing = {name for name in case.rule_names if all_primitives()[name].differentiable}
    for given in case.samples:
        if missing:
            run = Run(case, given, case.arrays(given))
            first = run.gradients(create_graph=True)
            missing -= {*rules_behind([*run.results, *[g for g in first if g is not None]])}
    assert not missing


@together
@pytest.mark.filterwarnings("ignore:Casting complex values:UserWarning")
@pytest.mark.filterwarnings("ignore:ComplexHalf support:UserWarning")
@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "complex64"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_op_makes_of_each_kind_of_numbers_what_torch_makes(case, dtype):
    try:
        want = dtypes_of(torch, case, dtype)
    except (RuntimeError, TypeError):
        want = "an error"
    try:
        got = dtypes_of(glassgrad, case, dtype)
    except GlassgradError:
        got = "an error"
    is_more = want == "an error" and (dtype == "float16" or case.name in MORE_KINDS)
    assert got == want or is_more or case.name in OTHER_KINDS, (
        f"{case.name} makes {got} of {dtype}, and PyTorch {want}. A function that makes fractions "
        "of integers is `Fractional`; one that takes only some kinds of numbers names them: "
        '`kernel, kinds = "its_cpu", "iuf"`.'
    )


MORE_KINDS = {"gru", "rnn_tanh", "clamp"}
"""Rows that PyTorch has not for integers (of layers) or for bools (between two tensors)."""

OTHER_KINDS = {"hardsigmoid", "complex", "view_as_complex", "view_as_real", "conj", "normal_"}
"""Rows that are another function in PyTorch, or have operands of dtypes of their own."""
OTHER_KINDS |= {"matrix_exp"}  # of halves, whose results have too few digits


def dtypes_of(lib, case, dtype):
    """The dtypes of what an op makes of ones, which the row has floats for."""
    op, params = case.op, case.samples[0].params
    if lib is torch:
        op, params = twin(case), {name: translated(value) for name, value in params.items()}
    operands = []
    for array in case.arrays(case.samples[0]):
        is_float = array.dtype.kind == "f"
        x = lib.tensor(np.ones_like(array) if is_float else array)
        operands.append(x.to(getattr(lib, dtype)) if is_float else x)
    results = as_list(case.call(op, *operands, **params))
    return [str(y.dtype).removeprefix("torch.") for y in results if isinstance(y, lib.Tensor)]


def test_graphs_differ_only_where_the_row_says_so():
    differing = {case.name for case in CASES if not case.same_graph}
    fused = {"matmul", "linear", "einsum", "cross_entropy"}
    fused |= {"scaled_dot_product_attention"}  # which PyTorch has fused for 4 dims alone
    fused |= {"lstm", "gru", "rnn_tanh"}  # all steps of a layer
    # In PyTorch; the rows compare with compositions.
    incomplete = {"hardsigmoid", "huber_loss", "ctc_loss"}
    others = {"getitem", "conj", "igamma", "igammac", "zeta", "random_", "pad"}
    others |= {"batch_norm"}  # in evaluation, where views line up the numbers of channels
    assert differing == fused | incomplete | others
