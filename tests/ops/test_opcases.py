"""What each row of tests/opcases.py buys: the checks that need no other library."""

import gc

import numpy as np
import pytest

from glassgrad.core.errors import GlassgradError
from opcase import Run, all_primitives, values, weights_for
from opcases import CASES, DIFFERENTIABLE, SAMPLES, SMOOTH, WRONG, rows

# Values -----------------------------------------------------------------------------------------


@rows([(case, given) for case, given in SAMPLES if case.numpy is not None])
def test_value_is_numpys(case, given):
    arrays = case.arrays(given)
    (got,) = values(Run(case, given, arrays).results)
    with np.errstate(all="ignore"):
        want = np.asarray(case.numpy(*arrays, **given.params))
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@rows([(case, given) for case, given in SAMPLES if "dtype" not in given.params])
def test_dtype_is_kept(case, given, dtype):
    run = Run(case, given, case.arrays(given, np.dtype(dtype)))
    for y in [*run.results, *run.gradients()]:
        assert y is None or y.dtype.kind != "f" or y.dtype == dtype


@rows(SAMPLES)
def test_inputs_are_left_as_they_were(case, given):
    arrays = case.arrays(given)
    run = Run(case, given, arrays)
    run.gradients()
    run.double()
    for x, array in zip(run.inputs, arrays, strict=True):
        np.testing.assert_array_equal(x.numpy(force=True), array)


@rows(WRONG)
def test_wrong_input_raises_our_error(case, given):
    with pytest.raises(GlassgradError) as caught:
        Run(case, given, case.arrays(given))
    assert len(str(caught.value)) > 40, "an error says what happened, why, and what to write"


# Gradients --------------------------------------------------------------------------------------


def differences(function, arrays, step):
    """The gradient of `function(arrays)`, a number, by central differences."""
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


@rows(SMOOTH)
def test_gradient_is_that_of_differences(case, given):
    arrays = case.arrays(given)
    run = Run(case, given, arrays)
    seeds = weights_for(run.roots)

    def function():
        return weighted_sum(values(Run(case, given, arrays).roots), seeds)

    want = differences(function, leaf_arrays(given, arrays), 1e-6)
    assert_close(values(run.gradients()), want, rtol=1e-6, atol=1e-8)


@rows(SMOOTH)
def test_double_gradient_is_that_of_differences(case, given):
    arrays = case.arrays(given)
    run = Run(case, given, arrays)
    got, seeds = values(run.double()), weights_for(run.roots)
    moving = [g is not None and g.requires_grad for g in run.gradients(create_graph=True)]
    first = [g for g, moves in zip(run.gradients(), moving, strict=True) if moves]
    weights = weights_for(first)

    def function():
        moved = Run(case, given, arrays)
        for seed, array in zip(moved.seeds, seeds, strict=True):
            seed.payload = array
        parts = zip(values(moved.gradients()), moving, strict=True)
        return weighted_sum([g for g, moves in parts if moves], weights)

    want = differences(function, leaf_arrays(given, arrays) + seeds, 1e-5)
    assert_close(got, want, rtol=1e-5, atol=1e-7)


@rows(DIFFERENTIABLE)
def test_recorded_backward_gives_what_the_array_run_gives(case, given):
    run = Run(case, given, case.arrays(given))
    plain = values(run.gradients())
    recorded = values(run.gradients(create_graph=True))
    assert [g is None for g in recorded] == [g is None for g in plain]
    for got, want in zip(recorded, plain, strict=True):
        if want is not None:
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


@rows([(case, given) for case, given in DIFFERENTIABLE if case.rule_names != ["Copy"]])
def test_gradient_of_one_input_needs_no_other(case, given):
    run = Run(case, given, case.arrays(given))
    want = values(run.gradients())
    for position, leaf in enumerate(run.leaves):
        alone = Run(case, given, case.arrays(given), only=position)
        if alone.roots and want[position] is not None:
            got = values(alone.gradients())[0]
            np.testing.assert_allclose(got, want[position], rtol=1e-12, atol=1e-12)
        assert leaf.is_leaf


@rows(SAMPLES)
def test_nothing_is_left_for_the_garbage_collector(case, given):
    arrays = case.arrays(given)

    def step():
        run = Run(case, given, arrays)
        run.gradients()
        run.double()

    step()
    gc.freeze()  # what is there already is left out: only what the step made is looked at
    gc.disable()
    try:
        step()
        assert gc.collect() == 0
    finally:
        gc.enable()
        gc.unfreeze()


# Devices ----------------------------------------------------------------------------------------


@rows(SAMPLES)
def test_device_computes_what_the_cpu_does(case, given, device):
    arrays = case.arrays(given)
    here, there = Run(case, given, arrays), Run(case, given, arrays, device=device)
    want = [*here.results, *here.gradients(), *here.double()]
    got = [*there.results, *there.gradients(), *there.double()]
    for y, reference in zip(got, want, strict=True):
        assert (y is None) == (reference is None)
        if y is not None:
            assert y.device.type == device
            np.testing.assert_allclose(*values([y, reference]), rtol=1e-6, atol=1e-12)


# The rows themselves ----------------------------------------------------------------------------


def test_every_op_has_exactly_one_row():
    named = [name for case in CASES for name in case.rule_names]
    assert sorted(named) == sorted(all_primitives())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_samples_reach_the_rules_the_row_names(case):
    reached = set()
    for given in case.samples:
        run = Run(case, given, case.arrays(given))
        first = run.gradients(create_graph=True)
        reached |= rules_behind([*run.results, *[g for g in first if g is not None]])
    expected = {name for name in case.rule_names if all_primitives()[name].differentiable}
    assert expected <= reached


def rules_behind(results):
    """The names of the Primitives whose nodes made some tensors."""
    stack, seen = [y.grad_fn for y in results], set()
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            stack.extend(n for n, _ in node.next_functions)
    return {node._forward_cls.__name__ for node in seen if hasattr(node, "_forward_cls")}
