"""States of joints, and what says where tensors are made."""

import dataclasses
import pickle
from copy import deepcopy

import pytest

import glassgrad as gg
from checks import together
from glassgrad.trajectory import JointState, TensorDeviceType, build_start_state_mask

NAMES = ["shoulder", "elbow"]


def moving():
    numbers = gg.arange(24, dtype=gg.float64).reshape(4, 3, 2)
    position, velocity, acceleration, jerk = numbers.requires_grad_().unbind()
    return JointState(position, velocity, acceleration, NAMES, jerk)


def fields(state):
    return [state.position, state.velocity, state.acceleration, state.jerk]


# Device and dtype ---------------------------------------------------------------------------------


def test_the_default_is_float32_on_the_cpu():
    args = TensorDeviceType()
    assert args.as_torch_dict() == {"device": gg.device("cpu"), "dtype": gg.float32}
    assert gg.zeros(2, **args.as_torch_dict()).dtype is gg.float32


def test_names_of_devices_and_dtypes_are_taken():
    args = TensorDeviceType("cpu", "float64")
    assert (args.device, args.dtype) == (gg.device("cpu"), gg.float64)
    assert args == TensorDeviceType(dtype=gg.float64)


def test_no_dtype_is_the_default_dtype():
    assert TensorDeviceType(dtype=None).dtype is gg.float32
    gg.set_default_dtype(gg.float64)
    try:
        assert TensorDeviceType(dtype=None).dtype is gg.float64
        assert TensorDeviceType().dtype is gg.float32
    finally:
        gg.set_default_dtype(gg.float32)


def test_it_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TensorDeviceType().dtype = gg.float64


def test_what_is_no_device_or_dtype_is_refused():
    with pytest.raises(RuntimeError, match="Invalid device string: 'moon'"):
        TensorDeviceType("moon")
    with pytest.raises(TypeError, match="dtype must be a dtype"):
        TensorDeviceType(dtype="floating")


def test_data_becomes_a_tensor_there():
    args = TensorDeviceType(dtype=gg.float64)
    assert args.to_device([1, 2]).dtype is gg.float64
    already = gg.zeros(2, dtype=gg.float64)
    assert args.to_device(already) is already


# States -------------------------------------------------------------------------------------------


def test_the_jerk_stands_behind_the_names():
    state = JointState(gg.ones(1), gg.ones(2), gg.ones(3), NAMES, gg.ones(4))
    assert [len(value) for value in fields(state)] == [1, 2, 3, 4]
    assert state.joint_names is NAMES


def test_a_blank_state_holds_nothing():
    blank = JointState()
    assert fields(blank) == [None] * 4
    assert len(blank) == 0
    assert fields(blank.unsqueeze(0).detach().clone()) == [None] * 4


def test_lists_become_tensors():
    state = JointState([[0.1, 0.4]], velocity=[[0, 0]])
    assert state.position.dtype is state.velocity.dtype is gg.float32
    exact = JointState([0.1], tensor_args=TensorDeviceType(dtype=gg.float64))
    assert exact.position.dtype is gg.float64


def test_tensors_are_kept_as_they_are():
    position = gg.zeros(2, 3, dtype=gg.float64)
    assert JointState(position).position is position


def test_an_axis_is_put_into_what_is_there():
    state = JointState(gg.zeros(2, 3), acceleration=gg.zeros(2, 3), joint_names=NAMES)
    longer = state.unsqueeze(1)
    assert longer.position.shape == longer.acceleration.shape == (2, 1, 3)
    assert longer.velocity is longer.jerk is None
    assert longer.joint_names == NAMES
    assert state.position.shape == (2, 3)


def test_a_place_is_taken_of_every_field():
    state = moving()
    assert [value.tolist() for value in fields(state[1])] == [[2, 3], [8, 9], [14, 15], [20, 21]]
    assert state[-1].position.tolist() == [4, 5]
    chosen = state[gg.tensor([2, 2, 0])]
    assert chosen.jerk.tolist() == [[22, 23], [22, 23], [18, 19]]
    assert chosen.joint_names == NAMES
    assert state[1:].position.shape == (2, 2)


@together
@pytest.mark.parametrize("idx", [3, -4, gg.tensor([0, 3]), gg.tensor([-4]), 1.5])
def test_a_place_that_is_not_there_is_refused(idx):
    with pytest.raises(ValueError, match="out of range for a JointState of length 3"):
        moving()[idx]


def test_a_blank_state_has_no_place():
    with pytest.raises(ValueError, match="a JointState without a position"):
        JointState()[0]


def test_a_state_has_as_many_places_as_its_first_axis():
    assert len(moving()) == 3
    assert [len(state.position) for state in moving()] == [2, 2, 2]


def test_detached_values_share_memory_and_have_no_graph():
    state = moving()
    detached = state.detach()
    assert not any(value.requires_grad for value in fields(detached))
    assert detached.position.data_ptr() == state.position.data_ptr()


def test_a_clone_has_its_own_memory_and_passes_gradients_on():
    position = gg.tensor([[1.0, 2.0]], requires_grad=True)
    copy = JointState(position, joint_names=NAMES).clone()
    assert copy.position.data_ptr() != position.data_ptr()
    assert copy.joint_names == NAMES
    assert copy.joint_names is not NAMES
    copy.position.sum().backward()
    assert position.grad.tolist() == [[1.0, 1.0]]


def test_a_state_of_zeros():
    state = JointState.zeros((2, 3), TensorDeviceType(dtype=gg.float64))
    assert all(value.shape == (2, 3) and value.dtype is gg.float64 for value in fields(state))
    assert len({value.data_ptr() for value in fields(state)}) == 4
    assert not any(value.any() for value in fields(state))
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        JointState.zeros((2, -1), TensorDeviceType())


def test_a_state_at_rest():
    position = gg.tensor([[1.0, float("nan")]], dtype=gg.float64, requires_grad=True)
    rest = JointState.from_position(position, NAMES)
    assert rest.position is position
    assert rest.joint_names is NAMES
    for derivative in fields(rest)[1:]:
        assert derivative.tolist() == [[0.0, 0.0]]
        assert derivative.dtype is gg.float64
        assert not derivative.requires_grad


def test_a_state_survives_a_copy_and_a_pickle():
    state = moving().detach()
    for copy in (deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert [value.tolist() for value in fields(copy)] == [v.tolist() for v in fields(state)]
        assert copy.joint_names == NAMES


def test_two_states_are_equal_only_if_they_are_one():
    state = moving()
    assert state == state
    assert state != moving()


def test_what_are_no_settings_is_named():
    for make in (
        lambda: JointState([[0.0]], tensor_args=None),
        lambda: JointState.zeros((1, 2), None),
        lambda: build_start_state_mask(3, None),
    ):
        with pytest.raises(TypeError, match="tensor_args must be a TensorDeviceType, got None"):
            make()
