"""Sums, means, variances and extremes: kinks, dtypes, names of arguments, words of errors."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentTypeError, DimError, DTypeError, ShapeError


def leaf(values):
    return gg.tensor(values, requires_grad=True)


def test_integers_and_bools_sum_to_int64():
    for dtype in (gg.uint8, gg.int32, gg.bool_):
        total = gg.tensor([1, 0, 1]).to(dtype).sum()
        assert total.dtype == gg.int64
        assert total.item() == 2


def test_sum_in_another_dtype_gives_the_gradient_in_the_inputs():
    x = leaf([1.0, 2.0])
    y = x.sum(dtype=gg.float64)
    assert y.dtype == gg.float64
    y.backward()
    assert x.grad.dtype == gg.float32
    assert x.grad.tolist() == [1.0, 1.0]


def test_sum_in_integers_has_no_gradient():
    assert not leaf([1.5, 2.5]).sum(dtype=gg.int64).requires_grad


def test_axis_and_keepdims_are_other_names():
    x = gg.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert gg.equal(x.sum(axis=0), x.sum(dim=0))
    assert x.mean(axis=1, keepdims=True).shape == (2, 1)
    with pytest.raises(ArgumentTypeError, match="two names of one argument"):
        x.sum(dim=0, axis=0)


@together
@pytest.mark.parametrize(
    "call",
    [
        lambda lib, x: x.softmax(axis=0),
        lambda lib, x: lib.special.log_softmax(x, axis=1),
        lambda lib, x: lib.logsumexp(x, axis=0, keepdims=True),
        lambda lib, x: x.unsqueeze(axis=1),
        lambda lib, x: lib.gather(x, axis=0, index=lib.tensor([[0, 1]])),
        lambda lib, x: x.renorm(2, axis=0, maxnorm=1.0),
        lambda lib, x: lib.logcumsumexp(x, axis=1),
        lambda lib, x: lib.linalg.vector_norm(x, axis=1),
        lambda lib, x: lib.cosine_similarity(x, x + 1, axis=0),
        lambda lib, x: lib.trapezoid(x, axis=0),
        lambda lib, x: lib.gradient(x, axis=1)[0],
    ],
)
def test_axis_is_another_name_of_a_dim_that_has_to_be_given(call):
    values = [[1.0, 2.0], [3.0, 5.0]]
    ours, theirs = call(gg, gg.tensor(values)), call(torch, torch.tensor(values))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-6)


def test_a_dim_that_is_given_by_neither_name_is_missed(lib):
    for call in (lib.tensor([1.0]).softmax, lib.tensor([1.0]).logsumexp):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match="missing"):
        gg.gather(gg.tensor([1.0]), 0)


@together
@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("values", [[2.0, 0.0, 3.0], [0.0, 0.0, 1.0], [2.0, 1.0, 3.0]])
def test_an_infinite_gradient_does_not_pass_a_zero_of_cumprod(values, at):
    found = []
    for lib in (gg, torch):
        x = lib.tensor(values, requires_grad=True)
        grad = [1.0, 1.0, 1.0]
        grad[at] = np.inf
        lib.cumprod(x, 0).backward(lib.tensor(grad))
        found.append(x.grad.tolist())
    assert found[0] == found[1]


@together
@pytest.mark.parametrize("order", [1, 2, np.inf, -np.inf])
def test_nan_has_no_direction_in_a_norm(order):
    found = []
    for lib in (gg, torch):
        x = lib.tensor([np.nan, 1.0], requires_grad=True)
        lib.linalg.vector_norm(x, order).backward()
        found.append(x.grad.numpy())
    np.testing.assert_array_equal(*found)


def test_gradient_of_a_sum_is_a_tensor_of_its_own():
    x = leaf([1.0, 2.0])
    x.sum().backward()
    x.grad[0] = 5.0
    assert x.grad.tolist() == [5.0, 1.0]


def test_mean_of_integers_is_refused():
    with pytest.raises(DTypeError, match=r"could not infer output dtype.*Got: Long"):
        gg.tensor([1, 2]).mean()
    assert gg.tensor([1, 2]).mean(dtype=gg.float32).item() == 1.5


def test_mean_of_nothing_is_nan_without_a_warning():
    assert np.isnan(gg.zeros(0).mean().item())


def test_dim_outside_of_the_tensor_raises_an_index_error():
    with pytest.raises(DimError, match=r"range of \[-2, 1\], but got 5"):
        gg.zeros(2, 3).sum(5)
    with pytest.raises(ShapeError, match="dim 0 appears multiple times"):
        gg.zeros(2, 3).sum((0, -2))


def test_variance_of_one_element_warns_and_is_nan():
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert np.isnan(gg.tensor([1.0]).var().item())
    assert gg.tensor([1.0]).var(unbiased=False).item() == 0


def test_standard_deviation_of_equal_elements_has_gradient_zero():
    x = leaf([2.0, 2.0, 2.0])
    x.std().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_logsumexp_of_large_numbers_does_not_overflow():
    assert gg.logsumexp(gg.tensor([1e4, 1e4], dtype=gg.float64), 0).item() == 1e4 + np.log(2)


def test_any_and_all_of_nothing():
    assert not gg.zeros(0).any()
    assert gg.zeros(0).all()


def test_any_of_uint8_is_uint8():
    assert gg.tensor([0, 3]).to(gg.uint8).any().dtype == gg.uint8


# Extremes ---------------------------------------------------------------------------------------


def test_max_splits_its_gradient_between_ties():
    x = leaf([1.0, 3.0, 3.0])
    x.max().backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.5]


def test_max_along_a_dim_gives_its_gradient_to_the_first_tie():
    x = leaf([[1.0, 3.0, 3.0], [2.0, 1.0, 2.0]])
    values, indices = x.max(dim=1)
    assert indices.tolist() == [1, 0]
    assert not indices.requires_grad
    values.sum().backward()
    assert x.grad.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


def test_max_along_a_dim_prints_as_pytorch_does():
    found = gg.tensor([[1.0, 2.0]]).max(1)
    assert repr(found) == (
        "glassgrad.return_types.max(\nvalues=tensor([2.]),\nindices=tensor([1]))"
    )
    assert found.values.tolist() == [2.0]


def test_max_with_a_tensor_is_maximum():
    assert gg.max(gg.tensor([1.0, 4.0]), gg.tensor([3.0, 2.0])).tolist() == [3.0, 4.0]


def test_extreme_of_nothing_is_refused():
    with pytest.raises(ShapeError, match="Specify the reduction dim with the 'dim' argument"):
        gg.zeros(0).max()
    with pytest.raises(DimError, match="reduction dim 0 to have non-zero size"):
        gg.zeros(0, 2).amax(0)
    with pytest.raises(DimError, match=r"argmax.*input\.numel"):
        gg.zeros(0).argmax()


def test_argmax_counts_in_the_flattened_tensor():
    assert gg.tensor([[1.0, 5.0], [5.0, 2.0]]).argmax().item() == 1


def test_the_gradient_of_a_mean_can_be_written(lib):
    x = lib.ones(2, 3, requires_grad=True)
    for mean in (x.mean(), x.mean(0).sum(), x.mean((0, 1))):
        (grad,) = lib.autograd.grad(mean, x)
        grad[0, 0] = 5.0
        assert grad.flatten().tolist().count(5.0) == 1


def test_the_product_of_one_number_has_a_constant_gradient(lib):
    x = lib.tensor(3.0, requires_grad=True)
    (grad,) = lib.autograd.grad(x.prod(), x, create_graph=True)
    assert not grad.requires_grad
