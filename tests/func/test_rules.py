"""What each row of tests/opcases.py says of forward mode, of vmap, and of one inside the other.

A sample is one test, which makes all checks that run on the CPU; each that fails is named. What
concerns how transforms meet, and not what an op's arguments say, is tried on each row's first
sample; `make slow` tries it on the others.
"""

import contextlib
import functools
import operator
import warnings

import numpy as np
import pytest
import torch

import glassgrad
from checks import Checks, SampleChecks, together
from func.calls import (
    BATCH,
    COMPOSITIONS,
    SAME_NUMBERS,
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
from glassgrad.func import linearize
from glassgrad.func.derivatives import DualLevel, GradLevel
from glassgrad.func.vmap import BatchLevel
from glassgrad.levels.level import opened
from leaks.letting_go import survivors
from opcase import all_primitives, weights_for
from opcases import DIFFERENTIABLE, SAMPLES, SMOOTH, firsts, rows

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}

fw = glassgrad.autograd.forward_ad


def test_every_op_has_a_rule_for_batches():
    without = [n for n, cls in all_primitives().items() if cls.vmap.__func__ is Function.vmap]
    assert without == []


def test_every_op_with_a_gradient_has_a_rule_for_tangents():
    differentiable = {n: cls for n, cls in all_primitives().items() if cls.differentiable}
    assert [n for n, cls in differentiable.items() if cls.jvp is Function.jvp] == []


def test_rows_reach_the_rules(monkeypatch):
    batched, moved = set(), set()
    note(monkeypatch, BatchLevel, batched, lambda level, x: level.batch(x)[1] == 0)
    note(monkeypatch, DualLevel, moved, lambda level, x: level.parts(x)[1] is not None)
    ops = all_primitives()
    smooth = {name for name, cls in ops.items() if cls.differentiable}
    for case, given in SAMPLES:
        if {*case.rule_names} <= batched and {*case.rule_names} & smooth <= moved:
            continue
        call, dims = ours(case, given), (0,) * len(given.inputs)
        for some in {dims, (0, *(None,) * (len(dims) - 1))}:
            with contextlib.suppress(GlassgradError):  # what is refused is another test's matter
                call.vmap(call, some)(*call.many(some))
        if case.has_gradient(given):
            for composition in (
                lambda call, _: call.jvp(call.floats, call.one()),
                *TRIPLES.values(),
            ):
                if not {*case.rule_names} & smooth <= moved:
                    with contextlib.suppress(GlassgradError):
                        composition(call, dims)
    assert set(ops) - batched == set()
    assert smooth <= moved


def note(patch, level, found, concerns):
    """Let a level add to `found` each op that concerns it."""
    handle = level.handle

    def noting(self, cls, operands, parameters):
        if any(isinstance(x, glassgrad.Tensor) and concerns(self, x) for x in operands):
            found.add(cls.__name__)
        return handle(self, cls, operands, parameters)

    patch.setattr(level, "handle", noting)


# The samples ------------------------------------------------------------------------------------


def ours(case, given):
    return Call(glassgrad, case, given)


def theirs(case, given):
    return Call(torch, case, given)


check, check_slowly = SampleChecks(), SampleChecks()


@rows(SAMPLES)
def test_sample(case, given, device):
    check.make(case, given, Played(case, given, device))


@pytest.mark.slow
@rows(SAMPLES)
def test_sample_slowly(case, given, device):
    check_slowly.make(case, given, Played(case, given, device))


def check_first(pairs):
    """Decorates a check that each row's first sample passes always, the others in `make slow`."""

    def add(function):
        check.of(firsts(pairs))(function)
        return check_slowly.of(pairs)(function)

    return add


class Played:
    """A sample as its checks see it.

    Attributes:
        call, oracle, spelled: ours, PyTorch's, and PyTorch's without `vmap` and `jvp`.
        device: where ours is played a second time.
        dims: all inputs are batched.
    """

    def __init__(self, case, given, device="cpu"):
        self.case, self.given, self.device = case, given, device
        self.call, self.oracle = ours(case, given), theirs(case, given)
        self.spelled = Spelled(torch, case, given)
        self.dims = (0,) * len(given.inputs)
        self._pytorchs = {}

    @functools.cached_property
    def moved(self):
        """Values and tangents at the sample's inputs."""
        return self.call.jvp(self.call.floats, self.call.one())

    @functools.cached_property
    def pushed(self):
        """The tangents as arrays."""
        return arrays_of(self.moved[1])

    @functools.cached_property
    def has_no_batch(self):
        """Whether a shape would depend on the numbers of a batch."""
        return self.case.name in DYNAMIC and refuses(self.oracle, self.dims)

    @functools.cached_property
    def batched(self):
        """All inputs, or those with a gradient where the others' numbers make a shape."""
        if self.has_no_batch:
            return tuple([0 if spec.is_leaf else None for spec in self.given.inputs])
        return self.dims

    @functools.cached_property
    def looped(self):
        """What a loop over a batch of examples gives."""
        return stacked(self.call, self.dims, BATCH)

    @functools.cached_property
    def triples(self):
        """What the triples of transforms give, as arrays."""
        return {name: arrays_of(of(self.call, self.batched)) for name, of in TRIPLES.items()}

    def compare(self, composition, dims):
        """Ours is PyTorch's; where its rules disagree with its own loops, the one or the other."""
        got = arrays_of(composition(self.call, dims))
        try:
            assert_as(self.pytorchs(self.oracle, composition, dims), got, self.given)
        except (AssertionError, RuntimeError, NotImplementedError, IndexError):
            if self.given.smooth and self.case.name not in TORCH_CANNOT:
                raise
            assert_as(self.pytorchs(self.spelled, composition, dims), got, self.given)

    def pytorchs(self, call, composition, dims):
        """What PyTorch gives, as arrays: of two orders that make no difference, by the one."""
        if self.given.smooth and dims and all(dims[place] == 0 for place in call.places):
            composition = SAME_NUMBERS.get(composition, composition)
        key = call, composition, dims
        if key not in self._pytorchs:
            self._pytorchs[key] = torchs(composition, call, dims)
        return self._pytorchs[key]


# Forward mode -----------------------------------------------------------------------------------


@check.of(SMOOTH)
def tangents_are_differences(played):
    call = played.call
    inputs = call.one()
    tangents = call.tangents(inputs)
    step, ends = 1e-6, []
    for sign in (1, -1):
        pairs = zip(call.leaves(inputs), tangents, strict=True)
        moved = [x + sign * step * t for x, t in pairs]
        ends.append(arrays_of(call.of_leaves(call.floats, inputs)(*moved)))
    want = [(plus - minus) / (2 * step) for plus, minus in zip(*ends, strict=True)]
    assert_equal(played.pushed, want, rtol=1e-6, atol=1e-7)


@check.of([(case, given) for case, given in DIFFERENTIABLE if given.smooth])
def tangents_and_gradients_are_transposes(played):
    call = played.call
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


@check.of(DIFFERENTIABLE)
def tangents_are_torchs(played):
    played.compare(lambda call, _: call.jvp(call.floats, call.one()), ())


@check_first(SMOOTH)
def linear_map_is_the_jvp(played):
    call = played.call
    inputs = call.one()
    _, push = linearize(call.of_leaves(call.floats, inputs), *call.leaves(inputs))
    assert_near(push(*call.tangents(inputs)), played.moved[1], 1e-9)


def assert_near(got, want, tolerance):
    for y, reference in zip(arrays_of(tuple(got)), arrays_of(tuple(want)), strict=True):
        near = 1e-2 if y.dtype == np.float16 else tolerance
        np.testing.assert_allclose(y, reference, rtol=near, atol=near)


def assert_equal(got, want, **tolerance):
    assert len(got) == len(want)
    for y, reference in zip(got, want, strict=True):
        assert (y.shape, y.dtype) == (reference.shape, reference.dtype)
        near = {"rtol": 1e-2, "atol": 1e-2} if y.dtype == np.float16 else tolerance or TOLERANCE
        np.testing.assert_allclose(y, reference, **near)


# Batches ----------------------------------------------------------------------------------------


@check.of(SAMPLES)
def a_batch_is_a_loop_over_its_examples(played):
    assert_loop(played, BATCH)


@check_first(SAMPLES)
def a_batch_of_one_is_its_example(played):
    assert_loop(played, 1)


def assert_loop(played, count):
    """A batch of so many examples, in whichever inputs, is a loop over them."""
    call = played.call
    for dims in choices(len(played.given.inputs)):
        try:
            got = call.vmap(call, dims)(*call.many(dims, count))
        except GlassgradError:
            if refuses(played.oracle, dims):
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


@check_first(SAMPLES)
def a_batch_of_batches_is_two_loops(played):
    if played.has_no_batch:
        return
    call, dims = played.call, played.dims
    inputs = [glassgrad.stack([x, x]) for x in call.many(dims)]
    got = call.vmap(call.vmap(call, dims), dims)(*inputs)
    assert_equal(arrays_of(got), [np.stack([y, y]) for y in played.looped])


class Counting(GradLevel):
    """A level that counts the ops that come down to it."""

    count = 0

    def handle(self, cls, operands, parameters):
        self.count += 1
        return super().handle(cls, operands, parameters)


@check.of(SAMPLES)
def a_larger_batch_takes_no_more_ops(played):
    assert_no_more_ops(played, played.call)


@check_first(DIFFERENTIABLE)
def gradients_of_a_larger_batch_take_no_more_ops(played):
    assert_no_more_ops(played, played.call.grad)


def assert_no_more_ops(played, function):
    if played.has_no_batch:
        return
    call, dims, counts = played.call, played.dims, []
    for count in (2, 5):
        inputs = call.many(dims, count)
        with opened(Counting()) as level:
            call.vmap(function, dims)(*inputs)
        counts.append(level.count)
    assert counts[0] == counts[1]


DYNAMIC = {
    "argwhere",
    "getitem",
    "index_put",
    "masked_select",
    "unique",
    "unique_consecutive",
    "where",
}
"""Rows with samples whose results have shapes that depend on numbers."""


@check.of([(case, given) for case, given in SAMPLES if case.name in DYNAMIC])
def shapes_that_depend_on_numbers_are_refused_as_in_torch(played):
    call = played.call
    for dims in choices(len(played.given.inputs)):
        if refuses(played.oracle, dims):
            with pytest.raises(GlassgradError, match="vmap"):
                call.vmap(call, dims)(*call.many(dims))


# Compositions -----------------------------------------------------------------------------------

TORCH_CANNOT = {
    **dict.fromkeys(("igamma", "igammac", "zeta"), "tangents"),
    **dict.fromkeys(
        ("batch_norm", "det", "eig", "eigh", "layer_norm", "slogdet", "solve"),
        "gradients of tangents: to them what forward saved is constant",
    ),
    "as_strided_": "the new shape of a batch",
    "cumprod": "gradients of tangents at 0: they are nan",
    "flip": "a batch of 0-d tensors",
    "index_add": "a batch of one place whose source is stretched",
    "index_fill": "gradients of a number for each of a batch: they are lost",
    "index_reduce": "tangents; products of a batch",
    "masked_scatter": "tangents of the gradient",
    "select_scatter": "gradients of a batch that is written into one tensor",
    "slice_scatter": "gradients of a batch that is written into one tensor",
    "scatter_reduce": "gradients of products of a batch",
    "unsafe_split_with_sizes": "a batch",
}
"""Rows with samples that PyTorch has no rule for: loops and gradients are its answer there."""


@together
@pytest.mark.parametrize("name", TORCH_CANNOT)
def test_pytorch_really_has_no_rule_there(name):
    samples = [(case, given) for case, given in DIFFERENTIABLE if case.name == name]
    assert not all(torch_agrees_with_itself(case, given) for case, given in samples)


def torch_agrees_with_itself(case, given):
    """Whether its transforms give what loops and gradients give."""
    played = Played(case, given)
    for dims in choices(len(given.inputs)):
        for composition in [*COMPOSITIONS.values(), *TRIPLES.values()]:
            try:
                got = arrays_of(composition(played.spelled, dims))
                assert_torchs(got, composition, played.oracle, dims)
            except (AssertionError, RuntimeError, NotImplementedError, IndexError):
                return False
    return True


@check_first(DIFFERENTIABLE)
def compositions_are_torchs(played):
    with Checks() as checks:
        for name, composition in COMPOSITIONS.items():
            with checks.named(name):
                played.compare(composition, played.batched)


@pytest.mark.slow
@rows(DIFFERENTIABLE)
def test_compositions_are_torchs_whatever_is_batched(case, given):
    played = Played(case, given)
    with Checks() as checks:
        for dims in choices(len(given.inputs)):
            if not refuses(played.oracle, dims):
                for name, composition in [*COMPOSITIONS.items(), *TRIPLES.items()]:
                    with checks.named(name, dims):
                        played.compare(composition, dims)


@check_first(DIFFERENTIABLE)
def transforms_leave_nothing_for_the_garbage_collector(played):
    def play():
        results = [triple(played.call, played.batched) for triple in TRIPLES.values()]
        return list(flat(glassgrad, results))

    assert played.triples  # caches fill the first time
    assert survivors(play, was_played=True) == ([], 0)


@check_first(SAMPLES)
def a_device_transforms_as_the_cpu_does(played):
    case, call, dims = played.case, played.call, played.batched
    if case.name in DYNAMIC and (0 not in dims or refuses(played.oracle, dims)):
        return
    there = ours(case, played.given)
    there.device = played.device
    todo = {"vmap": (mapped, lambda: arrays_of(mapped(call, dims)))}
    if case.has_gradient(played.given):
        todo |= {name: (of, lambda name=name: played.triples[name]) for name, of in TRIPLES.items()}
    with Checks() as checks:
        for name, (composition, here) in todo.items():
            with checks.named(name):
                got = list(flat(glassgrad, composition(there, dims)))
                assert {y.device.type for y in got} == {played.device}
                assert_equal(arrays_of(got), here())


def mapped(call, dims):
    return call.vmap(call, dims)(*call.many(dims))


COMPLEX = """
    abs acos acosh add addcdiv addcmul asin asinh atan atanh bmm cat conj cos cosh cross cumprod
    cumsum diag diag_embed diagonal div dot einsum exp exp2 expm1 gather index_add lerp linear
    log log10 log1p log2 masked_fill matmul mean mm mul mv neg permute pow prod reciprocal
    reshape roll rsqrt rsub scatter_add sigmoid sin sinh sqrt square stack sub sum tan tanh
    trace unfold where
"""
"""Rows of ops on complex numbers."""


@check_first(
    [
        (case, given)
        for case, given in SMOOTH
        if case.name in COMPLEX.split() and "rounding_mode" not in given.params
    ]
)
def compositions_of_complex_numbers_are_torchs(played):
    of_complex = Played(played.case, played.given)
    of_complex.call = call = ComplexCall(glassgrad, played.case, played.given)
    of_complex.oracle = ComplexCall(torch, played.case, played.given)
    of_complex.spelled = SpelledComplex(torch, played.case, played.given)
    dims = played.dims
    assert_equal(arrays_of(call.vmap(call, dims)(*call.many(dims))), stacked(call, dims, BATCH))
    with Checks() as checks:
        for name, composition in COMPOSITIONS.items():
            with checks.named(name):
                of_complex.compare(composition, dims)


# In place ---------------------------------------------------------------------------------------

IN_PLACE = [
    (case, given)
    for case, given in SAMPLES
    if in_place(glassgrad, case) and case.op is not operator.pow
]


@check_first([(case, given) for case, given in IN_PLACE if in_place(torch, case)])
def in_place_is_what_pytorchs_loops_give(played):
    call = InPlaceCall(glassgrad, played.case, played.given)
    spelled = SpelledInPlace(torch, played.case, played.given)
    dims = played.batched
    todo = {"vmap": mapped}
    if played.case.has_gradient(played.given):
        todo |= COMPOSITIONS
    with Checks() as checks:
        for name, composition in todo.items():
            with checks.named(name):
                try:
                    want = played.pytorchs(spelled, composition, dims)
                except NotImplementedError:  # PyTorch has no rule for it in place
                    continue
                except RuntimeError:  # too small a tensor, or not of the dtype
                    with pytest.raises(GlassgradError):
                        composition(call, dims)
                else:
                    assert_as(want, arrays_of(composition(call, dims)), played.given)


def assert_torchs(got, composition, oracle, dims):
    assert_as(torchs(composition, oracle, dims), got, oracle.given)


def torchs(composition, oracle, dims):
    """What PyTorch gives, as arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own fallbacks
        return arrays_of(composition(oracle, dims))


def assert_as(want, got, given):
    if not given.smooth:  # at a kink PyTorch's nan may be a number here
        pairs = zip(got, want, strict=True)
        got = [np.where(np.isnan(w), w, g).astype(g.dtype) for g, w in pairs]
    assert_equal(got, want)


# Duals of the base tape -------------------------------------------------------------------------


def duals(call, inputs):
    leaves = call.leaves(inputs)
    return [fw.make_dual(x, dx) for x, dx in zip(leaves, call.tangents(inputs), strict=True)]


def tangents_of(results):
    pairs = [fw.unpack_dual(y) for y in results]
    return [glassgrad.zeros_like(y) if dy is None else dy for y, dy in pairs]


@check_first(DIFFERENTIABLE)
def duals_move_as_under_jvp(played):
    call, inputs = played.call, played.call.one()
    with fw.dual_level():
        got = tangents_of(call.of_leaves(call.floats, inputs)(*duals(call, inputs)))
    assert_near(got, played.moved[1], 1e-9)


@check_first([(case, given) for case, given in IN_PLACE if case.has_gradient(given)])
def duals_move_in_place_as_under_jvp(played):
    call = InPlaceCall(glassgrad, played.case, played.given)
    inputs = call.one()
    try:
        want = call.jvp(call.floats, inputs)[1]
    except GlassgradError:  # too small a tensor, or not of the dtype
        with fw.dual_level(), pytest.raises(GlassgradError):
            call.of_leaves(call.floats, inputs)(*duals(call, inputs))
        return
    with fw.dual_level():
        got = tangents_of(call.of_leaves(call.floats, inputs)(*duals(call, inputs)))
        assert_near(got, want, 1e-9)


@check_first(DIFFERENTIABLE)
def gradients_of_duals_move_as_under_jvp(played):
    call, inputs = played.call, played.call.one()
    loss_of = call.of_leaves(call.loss, inputs)

    def slopes(*leaves):
        return glassgrad.func.grad(loss_of, tuple(range(len(leaves))))(*leaves)

    with fw.dual_level():
        points = [x.requires_grad_() for x in duals(call, inputs)]
        loss = loss_of(*points)
        if not loss.requires_grad:
            return
        got = tangents_of(glassgrad.autograd.grad(loss, points, materialize_grads=True))
    leaves, tangents = call.leaves(inputs), call.tangents(inputs)
    assert_near(got, glassgrad.func.jvp(slopes, tuple(leaves), tuple(tangents))[1], 1e-9)
