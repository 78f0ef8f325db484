"""What passes between users' programs and this package."""

import warnings

import pytest

import glassgrad as gg
from checks import together


def one_element_variance():
    return gg.tensor([1.0]).var()


def a_list_of_one_with_a_gradient():
    return gg.tensor([[gg.tensor(1.0, requires_grad=True)]])


def real_part_by_casting():
    return gg.tensor([1j]).to(gg.float32), gg.tensor([1j]).float()


def memory_that_is_read_only():
    return gg.frombuffer(b"abc", dtype=gg.uint8)


def another_shape_of_out():
    return gg.add(gg.ones(2), 1, out=gg.ones(3))


def the_gradient_of_no_leaf():
    return (gg.ones(1, requires_grad=True) * 1).grad


@together
@pytest.mark.parametrize(
    "call",
    [
        one_element_variance,
        a_list_of_one_with_a_gradient,
        real_part_by_casting,
        memory_that_is_read_only,
        another_shape_of_out,
        the_gradient_of_no_leaf,
    ],
)
def test_a_warning_is_for_the_users_line(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    line = call.__code__.co_firstlineno + 1
    assert {(warning.filename, warning.lineno) for warning in told} == {(__file__, line)}
