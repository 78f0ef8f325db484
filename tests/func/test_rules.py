"""What each row of tests/opcases.py says of forward mode, of vmap, and of one inside the other."""

import contextlib
import operator
import warnings

import numpy as np
import pytest
import torch

import glassgrad
from func.calls import (
    BATCH,
    COMPOSITIONS,
    TRIPLES,
    Call,
    ComplexCall,
    InPlaceCall,
    Spelled,
    SpelledComplex,
    SpelledInPlace,
    arrays_of,
    choices,
    flat,
    in_place,
    stacked,
)
from glassgrad.core.errors import GlassgradError
from glassgrad.core.function import Function
from glassgrad.func._batch_level import BatchLevel
from glassgrad.func._dual_level import DualLevel
from glassgrad.func._grad_level import GradLevel
from leaks.letting_go import survivors
from opcase import all_primitives, weights_for
from opcases import DIFFERENTIABLE, SAMPLES, SMOOTH, rows

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}

primitives = pytest.mark.parametrize(
    "cls", [pytest.param(cls, id=name) for name, cls in sorted(all_primitives().items())]
)


@primitives
def test_op_has_a_rule_for_batches(cls):
    assert cls.vmap.__func__ is not Function.vmap


@primitives
def test_op_with_a_gradient_has_a_rule_for_tangents(cls):
    assert not cls.differentiable or cls.jvp is not Function.jvp


def test_rows_reach_the_rules(monkeypatch):
    batched, moved = set(), set()
    note(monkeypatch, BatchLevel, batched, lambda level, x: level.batch(x)[1] == 0)
    note(monkeypatch, DualLevel, moved, lambda level, x: level.parts(x)[1] is not None)
    for case, given in SAMPLES:
        call, dims = ours(case, given), (0,) * len(given.inputs)
        for some in {dims, (0, *(None,) * (len(dims) - 1))}:
            with contextlib.suppress(GlassgradError):  # what is refused is another test's matter
                call.vmap(call, some)(*call.many(some))
        for composition in TRIPLES.values() if case.has_gradient(given) else ():
            with contextlib.suppress(GlassgradError):
                composition(call, dims)
    assert set(all_primitives()) - batched == set()
    assert {name for name, cls in all_primitives().items() if cls.differentiable} <= moved


def note(patch, level, found, concerns):
    """Let a level add to `found` each op that concerns it."""
    handle = level.handle

    def noting(self, cls, operands, parameters):
        if any(isinstance(x, glassgrad.Tensor) and concerns(self, x) for x in operands):
            found.add(cls.__name__)
        return handle(self, cls, operands, parameters)

    patch.setattr(level, "handle", noting)


# Forward mode -----------------------------------------------------------------------------------


def ours(case, given):
    return Call(glassgrad, case, given)


def theirs(case, given):
    return Call(torch, case, given)


@rows(SMOOTH)
def test_tangents_are_differences(case, given):
    call = ours(case, given)
    inputs = call.one()
    tangents = call.tangents(inputs)
    _, got = call.jvp(call.floats, inputs)
    step, ends = 1e-6, []
    for sign in (1, -1):
        pairs = zip(call.leaves(inputs), tangents, strict=True)
        moved = [x + sign * step * t for x, t in pairs]
        ends.append(arrays_of(call.of_leaves(call.floats, inputs)(*moved)))
    want = [(plus - minus) / (2 * step) for plus, minus in zip(*ends, strict=True)]
    assert_equal(arrays_of(got), want, rtol=1e-6, atol=1e-7)


@rows([(case, given) for case, given in DIFFERENTIABLE if given.smooth])
def test_tangents_and_gradients_are_transposes(case, given):
    call = ours(case, given)
    inputs = call.one()
    tangents = call.tangents(inputs)
    results, pull = glassgrad.func.vjp(call.of_leaves(call.floats, inputs), *call.leaves(inputs))
    cotangents = tuple([glassgrad.tensor(w) for w in weights_for(results)])
    _, pushed = call.jvp(call.floats, inputs, tangents)
    there = products(arrays_of(cotangents), arrays_of(pushed))
    back = products(arrays_of(pull(cotangents)), arrays_of(tangents))
    tolerance = 1e-2 if any(y.dtype == glassgrad.float16 for y in results) else 1e-10
    assert there == pytest.approx(back, rel=tolerance, abs=tolerance)


def products(some, others):
    pairs = zip(some, others, strict=True)
    return sum(float((a.astype(float) * b).sum()) for a, b in pairs)


@rows(DIFFERENTIABLE)
def test_tangents_are_torchs(case, given):
    compare(lambda call, _: call.jvp(call.floats, call.one()), (), *calls(case, given))


def both(case, given):
    return ours(case, given), theirs(case, given)


def assert_equal(got, want, **tolerance):
    assert len(got) == len(want)
    for y, reference in zip(got, want, strict=True):
        assert (y.shape, y.dtype) == (reference.shape, reference.dtype)
        near = {"rtol": 1e-2, "atol": 1e-2} if y.dtype == np.float16 else tolerance or TOLERANCE
        np.testing.assert_allclose(y, reference, **near)


# Batches ----------------------------------------------------------------------------------------


@rows(SAMPLES)
def test_a_batch_is_a_loop_over_its_examples(case, given):
    call, oracle = both(case, given)
    for dims in choices(len(given.inputs)):
        for count in (BATCH, 1):
            try:
                got = call.vmap(call, dims)(*call.many(dims, count))
            except GlassgradError:
                if refuses(oracle, dims):
                    continue
                raise
            assert_equal(arrays_of(got), stacked(call, dims, count))


def refuses(call, dims):
    """Whether such a batch cannot be mapped over."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own fallbacks
        try:
            call.vmap(call, dims)(*call.many(dims))
        except (RuntimeError, NotImplementedError, IndexError):
            return True
    return False


@rows(SAMPLES)
def test_a_batch_of_batches_is_two_loops(case, given):
    call, oracle = both(case, given)
    dims = (0,) * len(given.inputs)
    if case.name in DYNAMIC and refuses(oracle, dims):
        return
    inputs = [glassgrad.stack([x, x]) for x in call.many(dims)]
    got = call.vmap(call.vmap(call, dims), dims)(*inputs)
    want = stacked(call, dims, BATCH)
    assert_equal(arrays_of(got), [np.stack([y, y]) for y in want])


class Counting(GradLevel):
    """A level that counts the ops that come down to it."""

    count = 0

    def handle(self, cls, operands, parameters):
        self.count += 1
        return super().handle(cls, operands, parameters)


@rows(SAMPLES)
def test_a_larger_batch_takes_no_more_ops(case, given):
    call, oracle = both(case, given)
    dims = (0,) * len(given.inputs)
    if case.name in DYNAMIC and refuses(oracle, dims):
        return
    counts = []
    for count in (2, 5):
        inputs = call.many(dims, count)
        with Counting() as level:
            call.vmap(call, dims)(*inputs)
            if case.has_gradient(given):
                call.vmap(call.grad, dims)(*inputs)
        counts.append(level.count)
    assert counts[0] == counts[1]


DYNAMIC = {"getitem", "index_put", "masked_select", "where"}
"""Rows with samples whose results have shapes that depend on numbers."""


@rows([(case, given) for case, given in SAMPLES if case.name in DYNAMIC])
def test_shapes_that_depend_on_numbers_are_refused_as_in_torch(case, given):
    call, oracle = both(case, given)
    for dims in choices(len(given.inputs)):
        if refuses(oracle, dims):
            with pytest.raises(GlassgradError, match="vmap"):
                call.vmap(call, dims)(*call.many(dims))


# Compositions -----------------------------------------------------------------------------------

TORCH_CANNOT = {
    "cumprod": "gradients of tangents at 0: they are nan",
    "flip": "a batch of 0-d tensors",
    "index_add": "a batch of one place whose source is stretched",
    "index_fill": "gradients of a number for each of a batch: they are lost",
    "index_reduce": "tangents; products of a batch",
    "masked_scatter": "tangents of the gradient",
    "scatter_reduce": "gradients of products of a batch",
    "unsafe_split_with_sizes": "a batch",
}
"""Rows with samples that PyTorch has no rule for: loops and gradients are its answer there."""


@pytest.mark.parametrize("name", TORCH_CANNOT)
def test_pytorch_really_has_no_rule_there(name):
    samples = [(case, given) for case, given in DIFFERENTIABLE if case.name == name]
    assert not all(torch_agrees_with_itself(case, given) for case, given in samples)


def torch_agrees_with_itself(case, given):
    """Whether its transforms give what loops and gradients give."""
    _, oracle, spelled = calls(case, given)
    for dims in choices(len(given.inputs)):
        for composition in [*COMPOSITIONS.values(), *TRIPLES.values()]:
            try:
                assert_torchs(arrays_of(composition(spelled, dims)), composition, oracle, dims)
            except (AssertionError, RuntimeError, NotImplementedError, IndexError):
                return False
    return True


@pytest.mark.parametrize("name", COMPOSITIONS)
@rows(DIFFERENTIABLE)
def test_composition_is_torchs(case, given, name):
    compare(COMPOSITIONS[name], batch_of(case, given), *calls(case, given))


def batch_of(case, given):
    """All inputs, or those with a gradient where a shape would depend on the numbers of others."""
    dims = (0,) * len(given.inputs)
    if case.name in DYNAMIC and refuses(theirs(case, given), dims):
        return tuple([0 if spec.is_leaf else None for spec in given.inputs])
    return dims


@pytest.mark.slow
@rows(DIFFERENTIABLE)
def test_composition_is_torchs_whatever_is_batched(case, given):
    for dims in choices(len(given.inputs)):
        if not refuses(theirs(case, given), dims):
            for composition in [*COMPOSITIONS.values(), *TRIPLES.values()]:
                compare(composition, dims, *calls(case, given))


@rows(SAMPLES)
def test_a_device_transforms_as_the_cpu_does(case, given, device):
    here, there = ours(case, given), ours(case, given)
    there.device = device
    todo = [lambda call, dims: call.vmap(call, dims)(*call.many(dims))]
    if case.has_gradient(given):
        todo += TRIPLES.values()
    dims = batch_of(case, given)
    if case.name in DYNAMIC and (0 not in dims or refuses(theirs(case, given), dims)):
        return
    for composition in todo:
        got = list(flat(glassgrad, composition(there, dims)))
        assert {y.device.type for y in got} == {device}
        assert_equal(arrays_of(got), arrays_of(composition(here, dims)))


@rows(DIFFERENTIABLE)
def test_transforms_leave_nothing_for_the_garbage_collector(case, given):
    call, dims = ours(case, given), batch_of(case, given)

    def play():
        results = [composition(call, dims) for composition in TRIPLES.values()]
        return list(flat(glassgrad, results))

    assert survivors(play) == ([], 0)


COMPLEX = """
    abs acos acosh add addcdiv addcmul asin asinh atan atanh bmm cat conj cos cosh cross cumprod
    cumsum diag diag_embed diagonal div dot einsum exp exp2 expm1 gather index_add lerp linear
    log log10 log1p log2 masked_fill matmul mean mm mul mv neg permute pow prod reciprocal
    reshape roll rsqrt rsub scatter_add sigmoid sin sinh sqrt square stack sub sum tan tanh
    trace unfold where
"""
"""Rows of ops on complex numbers."""


@rows([(case, given) for case, given in SMOOTH if case.name in COMPLEX.split()])
def test_composition_of_complex_numbers_is_torchs(case, given):
    dims = (0,) * len(given.inputs)
    call = ComplexCall(glassgrad, case, given)
    assert_equal(arrays_of(call.vmap(call, dims)(*call.many(dims))), stacked(call, dims, BATCH))
    oracle, spelled = ComplexCall(torch, case, given), SpelledComplex(torch, case, given)
    for composition in COMPOSITIONS.values():
        compare(composition, dims, call, oracle, spelled)


IN_PLACE = [
    (case, given)
    for case, given in SAMPLES
    if in_place(glassgrad, case) and in_place(torch, case) and case.op is not operator.pow
]


@rows(IN_PLACE)
def test_in_place_is_what_pytorchs_loops_give(case, given):
    call, spelled = InPlaceCall(glassgrad, case, given), SpelledInPlace(torch, case, given)
    dims = batch_of(case, given)
    todo = [lambda call, dims: call.vmap(call, dims)(*call.many(dims))]
    if case.has_gradient(given):
        todo += COMPOSITIONS.values()
    for composition in todo:
        try:
            composition(spelled, dims)
        except NotImplementedError:  # PyTorch has no rule for it in place
            continue
        except RuntimeError:  # too small a tensor, or not of the dtype
            with pytest.raises(GlassgradError):
                composition(call, dims)
        else:
            assert_torchs(arrays_of(composition(call, dims)), composition, spelled, dims)


def calls(case, given):
    """Ours, PyTorch's, and PyTorch's without `vmap` and `jvp`."""
    return *both(case, given), Spelled(torch, case, given)


def compare(composition, dims, call, oracle, spelled):
    """Ours is PyTorch's; where its rules disagree with its own loops, the one or the other."""
    got = arrays_of(composition(call, dims))
    try:
        assert_torchs(got, composition, oracle, dims)
    except (AssertionError, RuntimeError, NotImplementedError, IndexError):
        if call.given.smooth and call.case.name not in TORCH_CANNOT:
            raise
        assert_torchs(got, composition, spelled, dims)


def assert_torchs(got, composition, oracle, dims):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own fallbacks
        want = arrays_of(composition(oracle, dims))
    if not oracle.given.smooth:  # at a kink PyTorch's nan may be a number here
        pairs = zip(got, want, strict=True)
        got = [np.where(np.isnan(w), w, g).astype(g.dtype) for g, w in pairs]
    assert_equal(got, want)
