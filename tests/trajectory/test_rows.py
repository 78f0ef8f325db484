"""Where steps write their results: all of it, or, if something forbids it, nothing."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad import func
from glassgrad.trajectory import (
    JointState,
    TensorDeviceType,
    build_fd_matrix,
    build_int_matrix,
    tensor_step_acc,
    tensor_step_jerk,
    tensor_step_pos,
    tensor_step_vel,
)

B, H, N = 2, 3, 2
ACT, START = gg.ones(B, H, N), gg.ones(B, 3 * N)
M, FD, DT = build_int_matrix(H), build_fd_matrix(H), gg.ones(H)
NAMES = "position", "velocity", "acceleration"

COLUMNS = {
    "jerk": lambda seq: tensor_step_jerk(START, ACT, seq, DT, N, M),
    "acceleration": lambda seq: tensor_step_acc(START, ACT, seq, None, N, M),
    "velocity": lambda seq: tensor_step_vel(START, ACT, seq, DT, N, M, FD),
}


def room(*batch, **options):
    return gg.zeros(*batch, B, H, N, **options)


def step(seq, act=ACT):
    return tensor_step_pos(JointState(*START.chunk(3, -1)), act, seq, FD)


def is_untouched(*fields):
    return not any(field.any() or field._version for field in fields)


# Leaves, and what is not recorded -----------------------------------------------------------------


@pytest.mark.parametrize("context", [gg.no_grad, gg.inference_mode])
def test_a_leaf_is_overwritten_where_nothing_is_recorded(context):
    leaf = room(requires_grad=True)
    with context():
        step(JointState(leaf, room(), room()))
    assert leaf[:, 0].tolist() == START[:, :N].tolist()
    assert leaf.requires_grad
    assert leaf.is_leaf


def test_so_is_a_view_of_a_leaf_that_was_made_there():
    leaf = room(requires_grad=True)
    with gg.no_grad():
        step(JointState(room(), leaf.view(B, H, N), room()))
    assert leaf.any()


def test_a_leaf_is_refused_where_the_step_is_recorded():
    fields = room(), room(), room(requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        step(JointState(*fields))
    assert is_untouched(*fields)


def test_inference_tensors_are_refused_outside_of_their_mode():
    fields = room(), room()
    with gg.inference_mode():
        last = room()
    with pytest.raises(RuntimeError, match="inference tensor outside InferenceMode"):
        step(JointState(*fields, last))
    assert is_untouched(*fields)


# Devices and dtypes -------------------------------------------------------------------------------


def test_a_field_on_another_device_is_named_and_none_is_written(device):
    fields = room(), room()
    with pytest.raises(RuntimeError, match=rf"state_seq\.acceleration is on {device}, but act is"):
        step(JointState(*fields, room(device=device)))
    assert is_untouched(*fields)


@together
@pytest.mark.parametrize("write", COLUMNS.values(), ids=COLUMNS.keys())
def test_columns_on_another_device_are_named(write, device):
    with pytest.raises(RuntimeError, match=f"state_seq is on {device}, but act is on cpu"):
        write(gg.zeros(B, H, 3 * N, device=device))


@together
@pytest.mark.parametrize("dtype", [gg.int64, gg.uint8, gg.bool])
def test_fractions_are_not_cut_off(dtype):
    fields = room(), room()
    with pytest.raises(RuntimeError, match=rf"acceleration is {dtype}, .* they are float32"):
        step(JointState(*fields, room(dtype=dtype)))
    assert is_untouched(*fields)
    for write in COLUMNS.values():
        with pytest.raises(RuntimeError, match=f"state_seq is {dtype}, .* they are float32"):
            write(gg.zeros(B, H, 3 * N, dtype=dtype))


def test_imaginary_parts_are_not_cut_off():
    state, act, matrix = START + 0j, ACT + 0j, M + 0j
    with pytest.raises(RuntimeError, match=r"state_seq is float32, .* they are complex64"):
        tensor_step_acc(state, act, gg.zeros(B, H, 3 * N), None, N, matrix)


@together
@pytest.mark.parametrize("dtype", [gg.float16, gg.float64, gg.complex64])
def test_another_precision_is_no_loss(dtype):
    assert step(JointState(*[room(dtype=dtype) for _ in NAMES])).position.dtype is dtype
    for write in COLUMNS.values():
        assert write(gg.zeros(B, H, 3 * N, dtype=dtype)).any()


def test_whole_numbers_are_written_to_whole_numbers():
    whole = [x.long() for x in (START, ACT, M)]
    seq = gg.zeros(B, H, 3 * N, dtype=gg.int64)
    assert tensor_step_acc(*whole[:2], seq, None, N, whole[2])[0, 0].tolist() == [3, 3, 2, 2, 1, 1]


# Memory -------------------------------------------------------------------------------------------


def test_fields_that_are_one_tensor_are_refused():
    one = room()
    with pytest.raises(ValueError, match=r"velocity shares memory with state_seq\.position"):
        step(JointState(one, one, one))
    assert is_untouched(one)


def test_fields_that_overlap_are_refused():
    longer, between = gg.zeros(B, H + 1, N), room()
    with pytest.raises(ValueError, match=r"acceleration shares memory with state_seq\.position"):
        step(JointState(longer[:, 1:], between, longer[:, :-1]))
    assert is_untouched(longer, between)


def test_fields_that_lie_between_one_another_are_written():
    columns = gg.zeros(B, H, 3 * N)
    apart = step(JointState(*[room() for _ in NAMES]))
    step(JointState(*columns.chunk(3, -1)))
    assert columns.tolist() == gg.cat([getattr(apart, name) for name in NAMES], -1).tolist()


def test_fields_that_are_one_tensor_to_the_examples_of_a_batch_are_refused():
    one, other = room(4), room(4)
    with pytest.raises(ValueError, match=r"acceleration shares memory with state_seq\.position"):
        func.vmap(fill)(gg.rand(4, B, H, N), one, other, one)
    assert is_untouched(one, other)


# Transforms ---------------------------------------------------------------------------------------


def fill(act, *fields):
    return step(JointState(*fields), act).acceleration


def test_fields_that_are_mapped_over_are_written():
    acts, fields = gg.rand(4, B, H, N), [room(4) for _ in NAMES]
    func.vmap(fill)(acts, *fields)
    one = step(JointState(*[room() for _ in NAMES]), acts[3])
    assert [x[3].tolist() for x in fields] == [getattr(one, name).tolist() for name in NAMES]


@pytest.mark.parametrize("last", [2, 3])
def test_one_field_for_all_examples_is_refused_and_none_is_written(last):
    fields = [room() if at == last else room(4) for at in (1, 2, 3)]
    dims = 0, *[None if at == last else 0 for at in (1, 2, 3)]
    with pytest.raises(RuntimeError, match="vmap: copy_"):
        func.vmap(fill, dims)(gg.rand(4, B, H, N), *fields)
    assert is_untouched(*fields)


def test_a_captured_field_is_refused_and_none_is_written():
    captured = room()

    def cost(act, *fields):
        return fill(act, *fields, captured).sum()

    fields = room(), room()
    with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
        func.grad(cost)(ACT, *fields)
    mapped = room(4), room(4)
    with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
        func.vmap(func.grad(cost))(gg.rand(4, B, H, N), *mapped)
    assert is_untouched(*fields, *mapped, captured)


def test_a_level_below_may_be_the_one_that_refuses():
    fields = room(4), room(4), room(4, requires_grad=True)
    for function in (fill, func.grad(lambda *given: fill(*given).sum())):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            func.vmap(function)(gg.rand(4, B, H, N), *fields)
        assert is_untouched(*fields)


def test_fields_made_inside_of_a_transform_are_written():
    def cost(act):
        seq = step(JointState(*[act.new_zeros(B, H, N) for _ in NAMES]), act)
        return (seq.acceleration * seq.velocity).sum()

    acts = gg.rand(4, B, H, N)
    grads = func.vmap(func.grad(cost))(acts)
    assert gg.allclose(grads, gg.stack([func.grad(cost)(act) for act in acts]))
    assert grads.any()


def test_a_state_of_zeros_has_fields_of_its_own():
    seq = JointState.zeros((B, H, N), TensorDeviceType())
    assert step(seq) is seq
