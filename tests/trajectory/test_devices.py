"""The same numbers on a device that is not the CPU."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad import trajectory
from glassgrad.trajectory import CliqueTensorStep, JointState, TensorDeviceType, build_fd_matrix
from trajectory.oracle import cases, check

FUNCTIONS = (
    *("build_fd_matrix", "build_int_matrix", "build_clique_matrix", "build_start_state_mask"),
    *("sum_matrix", "interpolate_kernel", "action_interpolate_kernel", "tensor_linspace"),
    *("euler_integrate", "step_acc_semi_euler", "tensor_step_acc", "tensor_step_acc_semi_euler"),
    *("tensor_step_jerk", "tensor_step_pos", "tensor_step_pos_ik", "tensor_step_vel"),
    *("jit_tensor_step_pos_clique", "jit_tensor_step_pos_clique_contiguous"),
    *("jit_backward_pos_clique", "jit_backward_pos_clique_contiguous", "tensor_step_pos_clique"),
)


@together
@pytest.mark.parametrize("case", cases(*FUNCTIONS), ids=str)
def test_the_numbers_of_the_oracle(case, device):
    check(case, getattr(trajectory, case.function), by_name=True, device=device)


@together
@pytest.mark.parametrize("case", cases("CliqueTensorStep"), ids=str)
def test_the_numbers_of_the_oracle_in_one_function(case, device):
    check(case, CliqueTensorStep.apply, by_name=False, device=device)


def test_what_is_made_there_is_there(device):
    args = TensorDeviceType(device)
    assert build_fd_matrix(3, device).device == gg.device(device)
    assert args.to_device([1.0]).device == gg.device(device)
    assert JointState.zeros((1, 2), args).jerk.device == gg.device(device)
    assert JointState([[1.0]], tensor_args=args).clone().position.device == gg.device(device)
