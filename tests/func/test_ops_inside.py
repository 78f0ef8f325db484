"""What single ops do inside transforms, beyond what their rows say; in both libraries."""

import itertools
import math

import numpy as np
import pytest
import torch

import glassgrad
from checks import together
from glassgrad.core.errors import DimError, MissingRuleError, ShapeError, TransformError

INF = math.inf


def agree(program):
    """The program's tensors in one library are those in the other."""
    got, want = [_arrays(program(lib)) for lib in (glassgrad, torch)]
    assert len(got) == len(want)
    for y, reference in zip(got, want, strict=True):
        assert (y.shape, y.dtype) == (reference.shape, reference.dtype)
        np.testing.assert_allclose(y, reference, rtol=1e-6)


def _arrays(results):
    several = isinstance(results, (tuple, list))
    return [y.detach().numpy() for y in (results if several else (results,))]


# Tangents ---------------------------------------------------------------------------------------

KINKS = {
    "abs": lambda lib, x, y: x.abs(),
    "relu": lambda lib, x, y: x.relu(),
    "sqrt": lambda lib, x, y: x.sqrt(),
    "a power": lambda lib, x, y: x**1.5,
    "the power 0": lambda lib, x, y: x**0,
    "a tensor to a tensor": lambda lib, x, y: x**y,
    "0 to a tensor": lambda lib, x, y: 0.0**y,
    "quotient": lambda lib, x, y: x / y,
    "maximum": lambda lib, x, y: lib.maximum(x, y),
    "minimum": lambda lib, x, y: lib.minimum(x, y),
    "bounds that meet": lambda lib, x, y: x.clamp(y, y),
    "bounds that cross": lambda lib, x, y: x.clamp(y, -y),
    "a lower bound": lambda lib, x, y: x.clamp(min=y),
    "an upper bound": lambda lib, x, y: x.clamp(max=y),
    "bounds": lambda lib, x, y: x.clamp(0, 2),
    "max": lambda lib, x, y: x.max(),
    "amax": lambda lib, x, y: x.amax(0),
    "max along a dim": lambda lib, x, y: x.max(0).values,
    "product": lambda lib, x, y: x.prod(),
}


@together
@pytest.mark.parametrize("name", KINKS)
def test_tangents_at_kinks_and_ties_are_pytorchs(name):
    def program(lib):
        x = lib.tensor([0.0, 0.0, 0.0, 2.0, -1.0, 2.0])
        y = lib.tensor([0.0, 1.0, -1.0, 0.0, 2.0, 2.0])
        dx, dy = (
            lib.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            lib.tensor([7.0, 6.0, 5.0, 4.0, 3.0, 2.0]),
        )
        return lib.func.jvp(lambda x, y: KINKS[name](lib, x, y), (x, y), (dx, dy))

    agree(program)


@together
@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(
    "name", ["sum", "mean", "var", "std", "logsumexp", "prod", "cumsum", "softmax", "log_softmax"]
)
def test_tangents_of_nothing_are_pytorchs(name):
    @agree
    def program(lib):
        nothing = lib.ones(0, 3)
        return lib.func.jvp(lambda x: getattr(x, name)(0), (nothing,), (nothing,))


def test_a_sum_where_all_is_minus_infinite_has_no_tangent():
    @agree
    def program(lib):
        x = lib.tensor([[-INF, -INF], [-INF, 1.0]])
        return lib.func.jvp(lambda x: x.logsumexp(1), (x,), (lib.ones(2, 2),))


def test_the_length_of_a_complex_number_moves_by_a_real_one():
    @agree
    def program(lib):
        z, dz = lib.tensor([3 + 4j, 0j, 1 - 1j]), lib.tensor([1 + 2j, 1j, -1j])
        length = lib.func.jvp(lambda z: z.abs(), (z,), (dz,))
        curvature = lib.func.jvp(
            lambda z: lib.func.jvp(lambda z: z.abs() ** 2, (z,), (dz,))[1], (z,), (dz,)
        )
        return [*length, *curvature]


def test_a_real_number_among_complex_ones_has_a_real_gradient():
    @agree
    def program(lib):
        x, z = lib.tensor([1.0, 2.0]), lib.tensor([1j, 2 + 1j])
        return lib.func.vmap(lib.func.grad(lambda x, z: (x * z).abs()))(x, z)


# Batches ----------------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("op", ["add", "mul", "maximum", "eq"])
def test_a_batch_of_numbers_takes_its_dtype_from_what_it_meets(op):
    """Examples without dims are numbers to promotion, though their batch is not."""
    kinds = ["float32", "float64", "int64"]
    for first, second, dims in itertools.product(kinds, kinds, [(0, None), (0, 0), (None, 0)]):

        @agree
        def program(lib, first=first, second=second, dims=dims):
            x = lib.ones((4,) * (dims[0] == 0), dtype=getattr(lib, first))
            y = lib.ones((4,) * (dims[1] == 0) + (3,), dtype=getattr(lib, second))
            return lib.func.vmap(lambda x, y: getattr(lib, op)(x, y), dims)(x, y)


@together
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss", "mse_loss"])
def test_each_example_has_a_loss_of_its_own(name, reduction):
    @agree
    def program(lib):
        loss = getattr(lib.nn.functional, name)
        x = lib.linspace(0, 2, 24).reshape(3, 4, 2)
        y = lib.tensor([[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1]])
        target = x.flip(0) if name == "mse_loss" else y
        gradients = lib.func.vmap(lib.func.grad(lambda x, t: loss(x, t, reduction=reduction).sum()))
        return [
            lib.func.vmap(lambda x, t: loss(x, t, reduction=reduction))(x, target),
            gradients(x, target),
        ]


def test_weights_of_classes_may_differ_between_examples():
    @agree
    def program(lib):
        x, y = lib.linspace(0, 2, 12).reshape(2, 3, 2), lib.tensor([[0, 1, 1], [-100, 1, 0]])
        weights = lib.tensor([[1.0, 2.0], [0.5, 3.0]])
        loss = lib.nn.functional.cross_entropy
        return lib.func.vmap(lambda x, y, w: loss(x, y, w, label_smoothing=0.1))(x, y, weights)


def test_a_target_that_is_no_class_is_found_in_a_batch():
    targets = glassgrad.tensor([[0, 1], [1, 7]])
    with pytest.raises(DimError, match="Target 7 is out of bounds"):
        glassgrad.func.vmap(glassgrad.nn.functional.cross_entropy)(glassgrad.ones(2, 2, 3), targets)


def test_sets_may_differ_between_examples():
    x = glassgrad.tensor([[1.0, 2.0], [3.0, 4.0]])
    sets = glassgrad.tensor([[2.0, 5.0, 1.0], [3.0, 3.0, 0.0]])
    found = glassgrad.func.vmap(glassgrad.isin)(x, sets)
    assert found.tolist() == [[True, True], [True, False]]


def test_a_mask_may_take_more_of_its_source_in_one_example_than_in_another():
    def each(x, mask):
        return x.masked_scatter(mask, glassgrad.tensor([7.0, 8.0, 9.0]))

    masks = glassgrad.tensor([[True, False, True], [False, True, False]])
    got = glassgrad.func.vmap(each)(glassgrad.zeros(2, 3), masks)
    assert got.tolist() == [[7.0, 0.0, 8.0], [0.0, 7.0, 0.0]]


def test_a_source_that_is_too_short_for_one_of_the_masks_is_refused():
    masks = glassgrad.tensor([[True, False, True], [False, True, False]])
    each = glassgrad.func.vmap(lambda x, mask: x.masked_scatter(mask, glassgrad.ones(1)))
    with pytest.raises(ShapeError, match="Number of elements of source < number of ones in mask"):
        each(glassgrad.zeros(2, 3), masks)


def test_the_source_of_a_batch_of_masks_gets_the_gradients_of_what_was_taken():
    def loss(source, mask):
        x = glassgrad.zeros(3).masked_scatter(mask, source)
        return (x * glassgrad.tensor([1.0, 10.0, 100.0])).sum()

    masks = glassgrad.tensor([[True, False, True], [False, True, False]])
    got = glassgrad.func.vmap(glassgrad.func.grad(loss), (None, 0))(glassgrad.ones(3), masks)
    assert got.tolist() == [[1.0, 100.0, 0.0], [10.0, 0.0, 0.0]]


# What no batch can answer -----------------------------------------------------------------------

REFUSED = {
    "masked_select": (lambda x: x.masked_select(x > 1), "Attempted to vmap over `mask`"),
    "where": (lambda x: glassgrad.where(x > 1), "output dynamic shape"),
    "equal": (lambda x: glassgrad.equal(x, x), "Batching rule not implemented"),
    "allclose": (lambda x: glassgrad.allclose(x, x), "vmap over allclose"),
    "tensor of numbers": (lambda x: glassgrad.tensor([x[0], x[1]]), r"calling \.item\(\)"),
    "full": (lambda x: glassgrad.full((2,), x[0]), r"calling \.item\(\)"),
    "arange": (lambda x: glassgrad.arange(x[0]), r"calling \.item\(\)"),
    "out": (lambda x: glassgrad.add(x, x, out=glassgrad.zeros(3)), "Batching rule not implemented"),
}


@together
@pytest.mark.parametrize("name", REFUSED)
def test_what_differs_between_examples_is_refused_in_pytorchs_words(name):
    program, words = REFUSED[name]
    with pytest.raises(TransformError, match=words):
        glassgrad.func.vmap(program)(glassgrad.ones(2, 3))


@together
@pytest.mark.parametrize("name", [name for name in REFUSED if name != "out"])
def test_the_same_is_answered_where_there_is_no_batch(name):
    program, _ = REFUSED[name]
    x = glassgrad.tensor([2.0, 2.0, 0.0])

    def loss(x):
        program(x.detach())
        return x.sum()

    assert glassgrad.func.grad(loss)(x).tolist() == [1.0, 1.0, 1.0]


# out= -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 0])
def test_constants_may_be_written_to_out(size):
    @agree
    def program(lib):
        def f(x):
            out, ones = lib.zeros(size), lib.ones(3)
            lib.add(ones, ones, out=out)
            return (out * x).sum()

        x = lib.ones(3)
        return [lib.func.grad(f)(x), *lib.func.jvp(f, (x,), (x,)), lib.func.vmap(f)(lib.ones(2, 3))]


def test_a_tangent_is_not_moved_on_to_out():
    def f(x):
        return glassgrad.add(x, x, out=glassgrad.zeros(3))

    x = glassgrad.ones(3)
    with pytest.raises(MissingRuleError, match="because it is an out= function"):
        glassgrad.func.jvp(f, (x,), (x,))
