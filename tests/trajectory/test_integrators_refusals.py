"""What the steps along a trajectory refuse, and how they say it."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad import func
from glassgrad.trajectory import (
    JointState,
    euler_integrate,
    step_acc_semi_euler,
    tensor_step_acc,
    tensor_step_acc_semi_euler,
    tensor_step_jerk,
    tensor_step_pos,
    tensor_step_pos_ik,
    tensor_step_vel,
)

H, N = 4, 2
START, ACT = gg.ones(3, 3 * N), gg.ones(3, H, N)
M, DT = gg.ones(H, H), gg.ones(H)


def room(width=3 * N):
    return gg.zeros(3, H, width)


def joints(*missing):
    fields = ("position", "velocity", "acceleration")
    return JointState(**{name: gg.ones(3, N) for name in fields if name not in missing})


def rooms():
    return JointState(room(N), room(N), room(N))


WRONG = {
    "columns of a start": (
        lambda: tensor_step_jerk(START[:, :5], ACT, room(), DT, N, M),
        r"state has shape \(3, 5\), expected \(B, 6\) or more columns",
    ),
    "two parts are enough of an acceleration's": (
        lambda: step_acc_semi_euler(START[:, :3], ACT, None, N, M),
        r"state has shape \(3, 3\), expected \(B, 4\) or more columns",
    ),
    "a start that is one number": (
        lambda: step_acc_semi_euler(gg.tensor(1.0), ACT, None, N, M),
        r"state has shape \(\), expected \(B, 4\)",
    ),
    "too many starts": (
        lambda: tensor_step_acc(gg.ones(2, 3 * N), ACT, room(), None, N, M),
        r"state has shape \(2, 1, 2\), which does not fit \(3, 1, 2\)",
    ),
    "a start for each sample": (
        lambda: tensor_step_acc(gg.ones(3, H, 3 * N), ACT, room(), None, N, M),
        r"state has shape \(3, 4, 2\) for actions of shape \(3, 4, 2\)",
    ),
    "joints that differ": (
        lambda: tensor_step_acc(START, gg.ones(3, H, 1), room(), None, N, M),
        r"state has shape \(3, 2\) for actions of shape \(3, 4, 1\)",
    ),
    "the number of joints": (
        lambda: tensor_step_acc(START, ACT, room(), None, 0, M),
        "n_dofs must be at least 1, got 0",
    ),
    "no actions": (
        lambda: step_acc_semi_euler(gg.ones(1, 2), gg.tensor(1.0), None, 1, M),
        r"state has shape \(1, 1\) for actions of shape \(\)",
    ),
    "a matrix": (
        lambda: tensor_step_acc(START, ACT, room(), None, N, gg.ones(3, 3)),
        r"integrate_matrix has shape \(3, 3\), expected \(4, 4\)",
    ),
    "a second matrix": (
        lambda: tensor_step_acc_semi_euler(joints(), ACT, JointState(), None, M, gg.ones(4)),
        r"integrate_matrix_pos has shape \(4,\), expected \(4, 4\)",
    ),
    "a matrix of differences": (
        lambda: tensor_step_vel(START, ACT, room(), DT, N, M, gg.ones(5, 4)),
        r"fd_matrix has shape \(5, 4\), expected \(4, 4\)",
    ),
    "steps": (
        lambda: tensor_step_jerk(START, ACT, room(), gg.ones(1), N, M),
        r"dt_h has shape \(1,\), expected \(4,\)",
    ),
    "a sequence that is too narrow": (
        lambda: tensor_step_acc(START, ACT, room(5), None, N, M),
        r"state_seq has shape \(3, 4, 5\), expected \(3, 4, 6\) or more columns",
    ),
    "a wide sequence that is too short": (
        lambda: tensor_step_acc(START, ACT, room(7)[:, :3], None, N, M),
        r"state_seq has shape \(3, 3, 7\), expected \(3, 4, 6\) or more columns",
    ),
    "a start of an integral": (
        lambda: euler_integrate(START, ACT, None, M),
        r"q_0 has shape \(3, 6\), which does not fit \(3, 4, 2\)",
    ),
    "samples of an integral": (
        lambda: euler_integrate(START, gg.ones(4), None, M),
        r"u has shape \(4,\), expected \(B, H, D\)",
    ),
    "a horizon without samples": (
        lambda: tensor_step_acc(START, ACT[:, :0], gg.zeros(3, 0, 3 * N), None, N, M[:0, :0]),
        r"act has shape \(3, 0, 2\), of a horizon without samples",
    ),
    "velocities without samples": (
        lambda: tensor_step_vel(
            START, ACT[:, :0], gg.zeros(3, 0, 3 * N), DT[:0], N, M[:0, :0], M[:0, :0]
        ),
        r"act has shape \(3, 0, 2\), of a horizon without samples",
    ),
    "an integral without samples": (
        lambda: euler_integrate(gg.zeros(3, 1, N), ACT[:, :0], None, M[:0, :0]),
        r"u has shape \(3, 0, 2\), of a horizon without samples",
    ),
    "a missing velocity": (
        lambda: tensor_step_pos(joints("velocity"), ACT, rooms(), M),
        r"state\.velocity is None",
    ),
    "a blank start": (
        lambda: tensor_step_acc_semi_euler(JointState(), ACT, JointState(), None, M, M),
        r"state\.position is None",
    ),
    "nowhere to write": (
        lambda: tensor_step_pos(joints(), ACT, JointState(), M),
        r"state_seq\.position is None",
    ),
    "a field of another shape": (
        lambda: tensor_step_pos(joints(), ACT, JointState(room(N), room(1), room(N)), M),
        r"state_seq\.velocity has shape \(3, 4, 1\), expected \(3, 4, 2\)",
    ),
}


@together
@pytest.mark.parametrize(("call", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_does_not_fit_is_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_nothing_is_written_before_all_shapes_are_checked():
    seq = JointState(room(N), room(N), room(1))
    with pytest.raises(ValueError, match=r"state_seq\.acceleration has shape"):
        tensor_step_pos(joints(), ACT, seq, M)
    assert not seq.position.any()


def test_what_no_step_looks_at_may_be_anything():
    tensor_step_acc(START, ACT, room(), "no steps", N, M, "no differences")
    step_acc_semi_euler(START, ACT, object(), N, M)
    tensor_step_jerk(START, ACT, room(), DT, N, M, fd_matrix=object())


def test_a_leaf_that_requires_grad_is_not_written_to():
    for width in (3 * N, 3 * N + 1):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            tensor_step_acc(START, ACT, room(width).requires_grad_(), None, N, M)


LAST = {
    "a leaf": (room(N).requires_grad_(), "leaf Variable that requires grad"),
    "one row for all": (gg.zeros(3, 1, N).expand(3, H, N), "acceleration .* cannot be overwritten"),
}


@pytest.mark.parametrize(("last", "said"), LAST.values(), ids=LAST.keys())
def test_if_one_field_cannot_be_written_none_is(last, said):
    seq = JointState(room(N), room(N), last)
    with pytest.raises((RuntimeError, ValueError), match=said):
        tensor_step_pos(joints(), ACT, seq, M)
    assert not seq.position.any()
    assert seq.position._version == seq.velocity._version == 0


NO_TENSORS = {
    "a start": (lambda: tensor_step_acc([0.0], ACT, room(), None, N, M), "state must be a tensor"),
    "actions": (lambda: tensor_step_acc(START, 2.0, room(), None, N, M), "act must be a tensor"),
    "a sequence": (
        lambda: tensor_step_acc(START, ACT, None, None, N, M),
        "state_seq must be a tensor, got NoneType",
    ),
    "a matrix": (
        lambda: euler_integrate(gg.zeros(1, 1, N), ACT, None, None),
        "integrate_matrix must be a tensor",
    ),
    "samples": (
        lambda: euler_integrate(gg.zeros(1, 1, N), [1.0], None, M),
        "u must be a tensor, got list",
    ),
    "a state": (
        lambda: tensor_step_pos(START, ACT, rooms(), M),
        "state must be a JointState, got Tensor",
    ),
    "fields": (
        lambda: tensor_step_pos(joints(), ACT, None, M),
        "state_seq must be a JointState, got NoneType",
    ),
    "new fields": (
        lambda: tensor_step_acc_semi_euler(joints(), ACT, room(), None, M, M),
        "state_seq must be a JointState, got Tensor",
    ),
    "one new field": (
        lambda: tensor_step_pos_ik(ACT, None),
        "state_seq must be a JointState, got NoneType",
    ),
    "positions": (
        lambda: tensor_step_pos_ik(3, JointState()),
        "act must be a tensor, got int",
    ),
}


@together
@pytest.mark.parametrize(("call", "said"), NO_TENSORS.values(), ids=NO_TENSORS.keys())
def test_what_is_no_tensor_is_named(call, said):
    with pytest.raises(TypeError, match=said):
        call()


EXACT = {
    "actions": (
        lambda: tensor_step_acc(START, ACT.double(), room(), None, N, M),
        "integrate_matrix is float32, and .* computed from act, is float64",
    ),
    "a start": (
        lambda: tensor_step_acc(START.double(), ACT, room(), None, N, M),
        "integrate_matrix is float32, and .* computed from act and state, is float64",
    ),
    "steps": (
        lambda: tensor_step_jerk(START, ACT, room(), DT.double(), N, M),
        "integrate_matrix·dt_h is float64, and .* computed from act, is float32",
    ),
    "a matrix": (
        lambda: euler_integrate(gg.zeros(1, 1, N), ACT, None, M.double()),
        "integrate_matrix is float64, and .* computed from u, is float32",
    ),
    "a second matrix": (
        lambda: tensor_step_acc_semi_euler(joints(), ACT, JointState(), None, M, M.double()),
        "integrate_matrix_pos is float64, and .* computed from act and state, is float32",
    ),
    "a matrix of differences": (
        lambda: tensor_step_pos(joints(), ACT, rooms(), M.double()),
        "fd_matrix is float64, and .* is float32",
    ),
}


@together
@pytest.mark.parametrize(("call", "said"), EXACT.values(), ids=EXACT.keys())
def test_what_has_another_dtype_is_named(call, said):
    with pytest.raises(RuntimeError, match=said):
        call()


AWAY = {
    "state": lambda device: tensor_step_acc(START.to(device), ACT, room(), None, N, M),
    "state.velocity": lambda device: tensor_step_pos(
        JointState(ACT[:, 0], ACT[:, 0].to(device), ACT[:, 0]), ACT, rooms(), M
    ),
    "dt_h": lambda device: tensor_step_jerk(START, ACT, room(), DT.to(device), N, M),
    "integrate_matrix": lambda device: tensor_step_acc(START, ACT, room(), None, N, M.to(device)),
    "fd_matrix": lambda device: tensor_step_vel(START, ACT, room(), DT, N, M, M.to(device)),
    "q_0": lambda device: euler_integrate(gg.zeros(1, 1, N, device=device), ACT, None, M),
}


@together
@pytest.mark.parametrize(("name", "call"), AWAY.items(), ids=AWAY.keys())
def test_what_is_on_another_device_is_named(name, call, device):
    with pytest.raises(RuntimeError, match=f"{name} is on {device}, but (act|u) is on cpu"):
        call(device)


def test_memory_that_is_read_only_is_not_written_to():
    seq = room()
    seq.numpy().flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        tensor_step_acc(START, ACT, seq, None, N, M)


def test_one_sequence_cannot_take_the_results_of_a_batch():
    seq = gg.zeros(1, H, 3 * N)
    with pytest.raises(RuntimeError, match="vmap"):
        func.vmap(lambda act: tensor_step_acc(START[:1], act[None], seq, None, N, M))(ACT)


def test_a_sequence_from_outside_cannot_be_written_in_a_transform():
    seq = room()
    with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
        func.grad(lambda act: tensor_step_acc(START, act, seq, None, N, M).sum())(ACT)


def test_a_sequence_that_is_mapped_over_is_written():
    seqs = room().unsqueeze(1)
    mapped = func.vmap(lambda act, seq: tensor_step_acc(START[:1], act[None], seq, None, N, M))
    out = mapped(ACT, seqs)
    assert out.tolist() == seqs.tolist()
    assert out[:, 0].tolist() == tensor_step_acc(START, ACT, room(), None, N, M).tolist()
