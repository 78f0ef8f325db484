"""Matrices that differentiate and integrate a trajectory."""

import re

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad import trajectory
from glassgrad.autograd import gradcheck, gradgradcheck
from glassgrad.trajectory import (
    TensorDeviceType,
    build_clique_matrix,
    build_fd_matrix,
    build_int_matrix,
    build_start_state_mask,
)
from trajectory.oracle import cases, check

BUILDERS = (
    "build_fd_matrix",
    "build_int_matrix",
    "build_clique_matrix",
    "build_start_state_mask",
)
STEPS = gg.tensor([0.5, 0.25, 0.1, 0.2], dtype=gg.float64)


@together
@pytest.mark.parametrize("by_name", [False, True], ids=["by position", "by name"])
@pytest.mark.parametrize("case", cases(*BUILDERS), ids=str)
def test_the_numbers_of_the_oracle(case, by_name):
    check(case, getattr(trajectory, case.function), by_name=by_name)


def test_defaults_are_float32_on_the_cpu():
    for matrix in (
        build_fd_matrix(4),
        build_int_matrix(4),
        build_clique_matrix(4, STEPS),
        *build_start_state_mask(4, TensorDeviceType()),
    ):
        assert (matrix.dtype, matrix.device) == (gg.float32, gg.device("cpu"))


def test_a_prepended_sample_goes_before_the_other_flags():
    earlier = build_fd_matrix(3, order=2, PREV_STATE=True)
    both = build_fd_matrix(3, order=2, PREV_STATE=True, FULL_RANK=True, SHIFT=True)
    assert earlier.tolist() == both.tolist()
    assert earlier.shape == (3, 5)


def test_order_zero_of_a_difference_is_order_one():
    assert build_fd_matrix(4, order=0).tolist() == build_fd_matrix(4, order=1).tolist()
    assert build_fd_matrix(4, order=0, PREV_STATE=True).shape == (4, 4)


def test_differences_towards_the_middle_annihilate_constants():
    middle = build_fd_matrix(5, FULL_RANK=True)
    assert (middle @ gg.ones(5)).tolist() == [0.0] * 5


def test_a_running_sum_undoes_backward_differences():
    x = gg.tensor([2.0, 3.0, 5.0, 9.0])
    changes = build_fd_matrix(4, SHIFT=True) @ x
    assert (build_int_matrix(4) @ changes).tolist() == (x - x[0]).tolist()


def test_no_zero_of_a_matrix_is_negative():
    for options in ({}, {"PREV_STATE": True}, {"SHIFT": True}, {"order": 3}):
        values = build_fd_matrix(4, **options).numpy()
        assert not np.signbit(values[values == 0]).any()


def test_steps_are_converted_to_the_dtype_of_the_matrix():
    assert build_int_matrix(4, traj_dt=STEPS).dtype is gg.float32
    assert build_clique_matrix(4, STEPS, dtype=gg.float64).dtype is gg.float64
    assert build_int_matrix(4, traj_dt=[0.5, 0.5, 0.5, 0.5]).dtype is gg.float32


def test_no_dtype_is_the_default_dtype():
    for matrix in (
        build_fd_matrix(4, dtype=None),
        build_int_matrix(4, dtype=None),
        build_int_matrix(4, dtype=None, traj_dt=STEPS),
        build_clique_matrix(4, STEPS, dtype=None),
        *build_start_state_mask(4, TensorDeviceType(dtype=None)),
    ):
        assert matrix.dtype is gg.float32


def test_steps_in_a_list_keep_their_precision():
    assert build_int_matrix(1, dtype=gg.float64, traj_dt=[0.1]).item() == 0.1


def test_whole_numbers_make_matrices_of_whole_numbers():
    assert build_int_matrix(2, dtype=gg.int64, traj_dt=[2, 3]).tolist() == [[2, 0], [2, 3]]
    assert build_fd_matrix(2, dtype=gg.int64).tolist() == [[-1, 1], [0, 0]]


@together
@pytest.mark.parametrize("dtype", [gg.int64, gg.uint8, gg.bool])
def test_time_steps_are_not_cut_off_to_whole_numbers(dtype):
    for steps in (STEPS, [0.5] * 4):
        with pytest.raises(RuntimeError, match=f"traj_dt has fractions, .* is to be {dtype}"):
            build_int_matrix(4, dtype=dtype, traj_dt=steps)
        with pytest.raises(RuntimeError, match=f"build_clique_matrix was given dtype {dtype}"):
            build_clique_matrix(4, steps, dtype=dtype)


@together
@pytest.mark.parametrize("order", [1, 2, 3])
def test_gradients_of_time_steps_in_a_running_sum(order):
    steps = STEPS.clone().requires_grad_()

    def integral(dt):
        return build_int_matrix(4, -1, dtype=gg.float64, order=order, traj_dt=dt)

    assert gradcheck(integral, steps, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(integral, steps)


def test_gradients_of_time_steps_in_the_clique_matrix():
    steps = STEPS.clone().requires_grad_()

    def clique(dt):
        return build_clique_matrix(4, dt, dtype=gg.float64)

    assert gradcheck(clique, steps, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(clique, steps)


def test_matrices_for_a_batch_of_time_steps():
    batch = gg.stack([STEPS, 2 * STEPS])
    for build in (
        lambda dt: build_int_matrix(4, dtype=gg.float64, order=2, traj_dt=dt),
        lambda dt: build_clique_matrix(4, dt, dtype=gg.float64),
    ):
        one_by_one = gg.stack([build(dt) for dt in batch])
        assert gg.allclose(gg.func.vmap(build)(batch), one_by_one)


@together
@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: build_fd_matrix(0), "horizon must be at least 1, got 0"),
        (lambda: build_fd_matrix(3, order=-1), "order must be at least 0, got -1"),
        (lambda: build_fd_matrix(10**12), "horizon must be at most"),
        (lambda: build_int_matrix(10**30), "horizon must be at most"),
        (lambda: build_fd_matrix(6, FULL_RANK=True), "horizon=6 has no middle row"),
        (lambda: build_fd_matrix(1, FULL_RANK=True), "horizon=1 has no middle row"),
        (lambda: build_int_matrix(-1), "horizon must be at least 1, got -1"),
        (lambda: build_int_matrix(3, order=-2), "order must be at least 0, got -2"),
        (lambda: build_int_matrix(3, traj_dt=STEPS), "traj_dt has shape (4,), expected (3,)"),
        (lambda: build_int_matrix(1, traj_dt=gg.tensor(0.5)), "traj_dt has shape (), expected"),
        (lambda: build_clique_matrix(3, STEPS), "dt has shape (4,), expected (3,)"),
        (lambda: build_clique_matrix(0, STEPS), "horizon must be at least 1"),
        (lambda: build_start_state_mask(0, TensorDeviceType()), "horizon must be at least 1"),
    ],
)
def test_wrong_sizes_are_named(build, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        build()


def test_sizes_are_whole_numbers():
    assert build_fd_matrix(np.int32(3)).shape == (3, 3)
    with pytest.raises(TypeError, match=r"horizon must be an int, got 3\.0 of type float"):
        build_fd_matrix(3.0)
    with pytest.raises(TypeError, match=r"order must be an int, got '1' of type str"):
        build_int_matrix(3, order="1")


@pytest.mark.parametrize("dtype", [gg.uint8, gg.bool], ids=str)
def test_differences_need_negative_numbers(dtype):
    with pytest.raises(
        RuntimeError, match=f"was given dtype {dtype}, which has no negative numbers"
    ):
        build_fd_matrix(3, dtype=dtype)
    assert build_fd_matrix(3, dtype=gg.int64).tolist() == build_fd_matrix(3).tolist()
