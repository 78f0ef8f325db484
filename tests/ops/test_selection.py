"""where, maximum and clamp: who gets the gradient at a tie or a bound; comparisons and logic."""

import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DTypeError

NAN = float("nan")


def leaf(values):
    return gg.tensor(values, requires_grad=True)


def test_maximum_halves_its_gradient_at_a_tie():
    x, y = leaf([1.0, 2.0, 3.0]), leaf([2.0, 2.0, 2.0])
    gg.maximum(x, y).sum().backward()
    assert x.grad.tolist() == [0.0, 0.5, 1.0]
    assert y.grad.tolist() == [1.0, 0.5, 0.0]


def test_clamp_passes_the_gradient_at_its_bounds():
    x = leaf([-2.0, -1.0, 0.0, 1.0, 2.0])
    x.clamp(-1, 1).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


def test_clamp_gives_the_gradient_to_the_tensor_that_was_the_bound():
    x, low, high = leaf([-3.0, 0.0, 3.0]), leaf([-1.0] * 3), leaf([1.0] * 3)
    gg.clamp(x, low, high).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 0.0]
    assert low.grad.tolist() == [1.0, 0.0, 0.0]
    assert high.grad.tolist() == [0.0, 0.0, 1.0]


def test_clamp_of_integers_by_a_fraction_gives_floats():
    clamped = gg.clamp(gg.tensor([0, 5]), 0.5)
    assert clamped.dtype == gg.float32
    assert clamped.tolist() == [0.5, 5.0]


def test_clamp_of_bools_by_a_tensor_of_bools_gives_bools():
    clamped = gg.tensor([True, False]).clamp(max=gg.tensor(False))
    assert clamped.dtype == gg.bool
    assert clamped.tolist() == [False, False]


@together
@pytest.mark.parametrize("bound", [1.0, 1j, "x", "y"])
@pytest.mark.parametrize("name", ["clamp", "clamp_min", "clamp_max"])
def test_clamp_refuses_complex_numbers_in_any_place(name, bound):
    x, y = gg.tensor([1.0 + 2.0j]), gg.tensor([1.0])
    bound = {"x": x, "y": y}.get(bound, bound)
    with pytest.raises(DTypeError, match="clamp is not supported for complex types"):
        getattr(x, name)(bound)
    if bound is x or bound == 1j:
        with pytest.raises(DTypeError, match="clamp is not supported for complex types"):
            getattr(y, name)(bound)


def test_clamp_without_a_bound_is_refused():
    with pytest.raises(ArgumentError, match="At least one of 'min' or 'max' must not be None"):
        gg.clamp(gg.zeros(2))


def test_where_keeps_a_nan_out_of_the_other_gradient():
    x = leaf([0.0, 4.0])
    gg.where(x > 0, gg.where(x > 0, x, 1.0).sqrt(), 0.0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.25]


def test_where_needs_a_bool_condition():
    with pytest.raises(DTypeError, match="boolean tensor, but got a tensor with dtype Float"):
        gg.where(gg.ones(2), gg.ones(2), 0.0)


def test_where_has_no_edge_for_its_condition():
    y = gg.where(gg.tensor([True]), leaf([1.0]), 0.0)
    assert [edge[0] is None for edge in y.grad_fn.next_functions] == [False, True]


def test_where_with_a_condition_alone_finds_the_places():
    rows, columns = gg.where(gg.tensor([[0.0, 1.0], [2.0, 0.0]]))
    assert rows.tolist() == [0, 1]
    assert columns.tolist() == [1, 0]


# Comparisons and logic --------------------------------------------------------------------------


def test_comparisons_have_no_gradient():
    assert not (leaf([1.0]) > 0).requires_grad


def test_nan_equals_nothing():
    x = gg.tensor([NAN, 1.0])
    assert (x == x).tolist() == [False, True]
    assert not gg.equal(x, x)
    assert gg.allclose(x, x, equal_nan=True)


def test_infinities_are_close_to_themselves_only():
    x = gg.tensor([float("inf"), float("inf")])
    assert gg.isclose(x, gg.tensor([float("inf"), 1.0])).tolist() == [True, False]


def test_close_means_close_in_one_dtype():
    with pytest.raises(DTypeError, match="Float did not match Double"):
        gg.allclose(gg.zeros(1), gg.zeros(1, dtype=gg.float64))


def test_equal_of_other_shapes_is_false():
    assert not gg.equal(gg.zeros(2), gg.zeros(1, 2))


def test_bitwise_operators():
    x = gg.tensor([True, False])
    assert (x & True).tolist() == [True, False]
    assert (x | ~x).tolist() == [True, True]
    assert (gg.tensor([6]) ^ 3).tolist() == [5]


def test_floats_have_no_bits():
    with pytest.raises(DTypeError, match='"bitwise_and_cpu" not implemented for'):
        gg.zeros(2) & gg.zeros(2)
    with pytest.raises(ArgumentTypeError, match="only implemented on integer and Boolean-type"):
        ~gg.zeros(2)


@together
@pytest.mark.parametrize("bounds", [{"max": 300}, {"min": -1}, {"max": -1}, {"min": 2, "max": 9}])
def test_bounds_of_integers_are_integers_of_their_dtype(bounds):
    outcomes = []
    for library in (gg, torch):
        x = library.tensor([1, 200], dtype=library.uint8)
        try:
            outcomes.append(x.clamp(**bounds).tolist())
        except RuntimeError as error:
            outcomes.append(str(error).partition(":")[0])
    assert outcomes[0] == outcomes[1]
