"""Points on lines between points."""

import re

import pytest

import glassgrad as gg
from checks import together
from glassgrad import trajectory
from glassgrad.autograd import gradcheck, gradgradcheck
from glassgrad.trajectory import (
    TensorDeviceType,
    action_interpolate_kernel,
    interpolate_kernel,
    sum_matrix,
    tensor_linspace,
)
from trajectory.oracle import cases, check

KERNELS = ("sum_matrix", "interpolate_kernel", "action_interpolate_kernel")
ARGS = TensorDeviceType(dtype=gg.float64)


@together
@pytest.mark.parametrize("by_name", [False, True], ids=["by position", "by name"])
@pytest.mark.parametrize("case", cases(*KERNELS, "tensor_linspace"), ids=str)
def test_the_numbers_of_the_oracle(case, by_name):
    check(case, getattr(trajectory, case.function), by_name=by_name)


# Straight lines -----------------------------------------------------------------------------------


def leaf(values):
    return gg.tensor(values, dtype=gg.float64, requires_grad=True)


def test_a_line_leaves_its_start_out_and_ends_exactly_at_its_end():
    line = tensor_linspace(gg.tensor([1.0]), gg.tensor([2.0]))
    assert line.shape == (10,)
    assert line[0].item() == pytest.approx(1.1)
    assert line[-1].item() == 2.0


@together
@pytest.mark.parametrize("shapes", [((3, 1), (3, 1)), ((4,), (3, 1)), ((2, 4), (4,)), ((), (1,))])
def test_gradients_of_both_ends(shapes):
    ends = [gg.full(s, 0.3, dtype=gg.float64, requires_grad=True) for s in shapes]

    def line(start, end):
        return tensor_linspace(start, end, 4)

    assert gradcheck(line, ends, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(line, ends)


def test_lines_of_a_batch():
    starts, ends = leaf([[0.0], [1.0], [2.0]]), leaf([[4.0], [3.0], [-1.0]])
    mapped = gg.func.vmap(lambda a, b: tensor_linspace(a, b, 3))(starts, ends)
    assert mapped.tolist() == tensor_linspace(starts, ends, 3).tolist()


def test_the_tangent_of_a_line_is_a_line_of_tangents():
    a, b, da, db = (gg.tensor([[x]], dtype=gg.float64) for x in (1.0, 3.0, 0.5, -1.0))
    _, moved = gg.func.jvp(lambda a, b: tensor_linspace(a, b, 4), (a, b), (da, db))
    assert gg.allclose(moved, tensor_linspace(da, db, 4))


def test_lines_between_whole_numbers_are_not_rounded():
    assert tensor_linspace(gg.tensor([0]), gg.tensor([1]), 4).tolist() == [0.25, 0.5, 0.75, 1.0]


def test_a_line_that_has_no_room_for_its_steps():
    with pytest.raises(gg.errors.ShapeError):
        tensor_linspace(gg.zeros(3, 2), gg.ones(3, 2), 4)
    with pytest.raises(ValueError, match="steps must be at least 1, got 0"):
        tensor_linspace(gg.zeros(1), gg.ones(1), 0)


# Kernels ------------------------------------------------------------------------------------------


def test_way_points_in_the_middle_appear_twice():
    points = gg.tensor([0.0, 2.0, 6.0], dtype=gg.float64)
    assert (interpolate_kernel(3, 3, ARGS) @ points).tolist() == [0, 1, 2, 2, 4, 6]


def test_each_row_of_a_line_weighs_one_in_total():
    rows = interpolate_kernel(4, 5, ARGS).sum(-1)
    assert gg.allclose(rows, gg.ones_like(rows))


def test_the_goal_is_held_at_the_end():
    ends = gg.tensor([1.0, 4.0], dtype=gg.float64)
    reached = action_interpolate_kernel(2, 7, ARGS) @ ends
    assert reached.tolist() == pytest.approx([2.0, 3.0, 4.0, 4.0, 4.0, 4.0, 4.0])


def test_with_more_way_points_it_is_the_second_that_is_held():
    points = gg.tensor([0.0, 3.0, 9.0], dtype=gg.float64)
    assert (action_interpolate_kernel(3, 3, ARGS, 1) @ points).tolist() == [1.5, 3, 0, 6, 9, 3]


def test_one_way_point_has_no_segment():
    assert interpolate_kernel(1, 3, ARGS).shape == (0, 1)
    assert sum_matrix(1, 3, ARGS).shape == (0, 1)


def test_kernels_have_the_dtype_that_is_asked_for():
    for kernel in (sum_matrix, interpolate_kernel, action_interpolate_kernel):
        assert kernel(2, 6, TensorDeviceType()).dtype is gg.float32
        assert kernel(2, 6, ARGS).dtype is gg.float64


def test_whole_numbers_are_refused_only_where_they_would_lose_a_fraction():
    whole = TensorDeviceType(dtype=gg.int64)
    assert interpolate_kernel(2, 2, whole).tolist() == [[1, 0], [0, 1]]
    assert action_interpolate_kernel(2, 2, whole, 1).tolist() == [[0, 1], [0, 1]]
    assert sum_matrix(2, 1, whole).tolist() == [[1, 0]]
    for kernel in (interpolate_kernel, action_interpolate_kernel):
        with pytest.raises(RuntimeError, match=r"tensor_args has dtype int64, .* no fractions"):
            kernel(3, 6, whole)


@together
@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: sum_matrix(0, 2, ARGS), "h must be at least 1, got 0"),
        (lambda: sum_matrix(2, 0, ARGS), "int_steps must be at least 1, got 0"),
        (lambda: interpolate_kernel(0, 2, ARGS), "h must be at least 1, got 0"),
        (lambda: interpolate_kernel(2, 1, ARGS), "int_steps must be at least 2, got 1"),
        (lambda: action_interpolate_kernel(1, 6, ARGS), "h must be at least 2, got 1"),
        (lambda: action_interpolate_kernel(2, 4, ARGS), "int_steps=4 leaves no row before the 4"),
        (lambda: action_interpolate_kernel(2, 4, ARGS, 0), "offset must be at least 1, got 0"),
    ],
)
def test_wrong_sizes_are_named(build, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        build()


def test_what_is_no_tensor_or_no_setting_is_named():
    with pytest.raises(TypeError, match="start_tensor must be a tensor, got float"):
        tensor_linspace(0.0, gg.ones(3))
    for build in (sum_matrix, interpolate_kernel, action_interpolate_kernel):
        with pytest.raises(TypeError, match="tensor_args must be a TensorDeviceType, got None"):
            build(3, 6, None)
