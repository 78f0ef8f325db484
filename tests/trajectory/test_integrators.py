"""Steps that integrate and differentiate along a trajectory."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad import func, trajectory
from glassgrad.autograd import gradcheck, gradgradcheck
from glassgrad.trajectory import (
    JointState,
    build_fd_matrix,
    build_int_matrix,
    euler_integrate,
    step_acc_semi_euler,
    tensor_step_acc,
    tensor_step_acc_semi_euler,
    tensor_step_jerk,
    tensor_step_pos,
    tensor_step_pos_ik,
    tensor_step_vel,
)
from trajectory.oracle import cases, check

FUNCTIONS = (
    "euler_integrate",
    "step_acc_semi_euler",
    "tensor_step_acc",
    "tensor_step_acc_semi_euler",
    "tensor_step_jerk",
    "tensor_step_pos",
    "tensor_step_pos_ik",
    "tensor_step_vel",
)
H, N = 4, 2
DT = gg.tensor([0.5, 0.25, 0.1, 0.2], dtype=gg.float64)
M = build_int_matrix(H, dtype=gg.float64)
MDT = build_int_matrix(H, dtype=gg.float64, traj_dt=DT)
FD = build_fd_matrix(H, dtype=gg.float64)


def random(*shape, grad=False):
    return gg.randn(*shape, dtype=gg.float64).requires_grad_(grad)


@together
@pytest.mark.parametrize("by_name", [False, True], ids=["by position", "by name"])
@pytest.mark.parametrize("case", cases(*FUNCTIONS), ids=str)
def test_the_numbers_of_the_oracle(case, by_name):
    check(case, getattr(trajectory, case.function), by_name=by_name)


# Each step as a function of a start (B, 3N) and of actions (B, H, N), with nothing else to pass ---


def room(act, width=3 * N):
    """A tensor to write to: of the transform that runs, if one does."""
    return act.new_zeros(*act.shape[:-1], width)


def joints(state):
    return JointState(*[state[..., k * N : (k + 1) * N] for k in range(3)])


def of_positions(state, act):
    seq = JointState(*[room(act, N) for _ in range(3)])
    seq = tensor_step_pos(joints(state), act, seq, FD / 0.5)
    return seq.position, seq.velocity, seq.acceleration


def of_accelerations(state, act):
    seq = tensor_step_acc_semi_euler(joints(state), act, JointState(), None, MDT, M)
    return seq.position, seq.velocity, seq.acceleration


STEPS = {
    "euler_integrate": lambda s, u: euler_integrate(s[..., :N].unsqueeze(-2), u, None, MDT),
    "tensor_step_jerk": lambda s, u: tensor_step_jerk(s, u, room(u), DT, N, M),
    "tensor_step_acc": lambda s, u: tensor_step_acc(s, u, room(u), None, N, MDT),
    "step_acc_semi_euler": lambda s, u: step_acc_semi_euler(s, u, None, N, MDT),
    "tensor_step_acc_semi_euler": of_accelerations,
    "tensor_step_vel": lambda s, u: tensor_step_vel(s, u, room(u), DT, N, MDT, FD),
    "tensor_step_pos": of_positions,
    "more columns": lambda s, u: tensor_step_acc(s, u, room(u, 3 * N + 1), None, N, MDT),
}
each_step = pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())


def parts(result):
    return list(result) if isinstance(result, tuple) else [result]


def same(got, want):
    return all(gg.allclose(x, y) for x, y in zip(parts(got), parts(want), strict=True))


@each_step
def test_gradients_of_the_start_and_of_the_actions(step):
    given = random(2, 3 * N, grad=True), random(2, H, N, grad=True)
    checks = {"check_forward_ad": True, "check_batched_grad": True}
    assert gradcheck(step, given, check_batched_forward_grad=True, **checks)
    assert gradgradcheck(step, given, fast_mode=True)  # the squares below are checked in full
    assert gradgradcheck(lambda *x: [part.square() for part in parts(step(*x))], given)


@together
@each_step
def test_batches_of_batches(step):
    start, act = random(3, 2, 3 * N), random(3, 2, H, N)
    one_by_one = [parts(step(s, u)) for s, u in zip(start, act, strict=True)]
    stacked = tuple(gg.stack(column) for column in zip(*one_by_one, strict=True))
    assert same(func.vmap(step)(start, act), stacked)
    shared = func.vmap(step, (None, 0))(start[0], act)
    assert same(tuple(part[0] for part in parts(shared)), step(start[0], act[0]))


@together
@each_step
def test_one_trajectory_at_a_time(step):
    start, act = random(3, 3 * N), random(3, H, N)
    assert same(func.vmap(step)(start, act), step(start, act))


@together
@each_step
def test_tangents(step):
    start, act, d_start, d_act = (random(*s) for s in 2 * [(2, 3 * N), (2, H, N)])
    out, moved = func.jvp(step, (start, act), (d_start, d_act))
    assert same(out, step(start, act))
    assert same(moved, step(d_start, d_act))  # the steps are linear


@together
@each_step
def test_derivatives_of_transforms(step):
    start, act = random(3 * N), random(H, N)

    def cost(act):
        return sum((part.sin() * part).sum() for part in parts(step(start[None], act[None])))

    leaf = act.clone().requires_grad_()
    cost(leaf).backward()
    assert gg.allclose(func.grad(cost)(act), leaf.grad)
    assert gg.allclose(func.jacfwd(func.grad(cost))(act), func.hessian(cost)(act))


@together
@each_step
def test_trajectories_do_not_mix_where_there_are_as_many_as_samples(step):
    start, act = random(H, 3 * N), random(H, H, N)
    alone = step(start[2:3], act[2:3])
    assert same(tuple(part[2:3] for part in parts(step(start, act))), tuple(parts(alone)))


@together
@each_step
def test_a_start_may_have_the_axis_of_the_samples(step):
    start, act = random(2, 3 * N), random(2, H, N)
    if step is not STEPS["euler_integrate"]:
        assert same(step(start.unsqueeze(1), act), step(start, act))


@together
@each_step
def test_one_start_serves_every_trajectory(step):
    start, act = random(1, 3 * N), random(3, H, N)
    assert same(step(start, act), step(start.expand(3, 3 * N), act))


@together
@each_step
def test_inputs_may_lie_anyhow_in_memory(step):
    start, act = random(3 * N, 2).t(), random(N, H, 2).permute(2, 1, 0)
    assert same(step(start, act), step(start.contiguous(), act.contiguous()))


@together
@each_step
def test_no_trajectories(step):
    for part in parts(step(random(0, 3 * N), random(0, H, N))):
        assert part.shape[:2] == (0, H)


# What each of them does to what it is given -------------------------------------------------------


@together
@pytest.mark.parametrize("name", ["tensor_step_jerk", "tensor_step_acc", "tensor_step_vel"])
def test_columns_are_overwritten_and_others_stay(name):
    seq = gg.full((2, H, 3 * N + 1), float("nan"), dtype=gg.float64)
    seq[..., -1] = 7.0
    more = {"fd_matrix": FD} if name == "tensor_step_vel" else {}
    start, act = random(2, 3 * N), random(2, H, N)
    step = getattr(trajectory, name)
    returned = step(start, act, seq, DT, n_dofs=N, integrate_matrix=M, **more)
    assert returned is seq
    assert (seq[..., -1] == 7.0).all()
    assert not seq.isnan().any()


def test_memory_is_used_again_without_the_graph_of_the_call_before():
    memory, act = gg.zeros(1, H, 3 * N, dtype=gg.float64), random(1, H, N, grad=True)
    for _ in range(3):  # the graph of the call before is freed by now
        seq = tensor_step_acc(random(1, 3 * N), act, memory.detach(), None, N, MDT)
        seq.square().sum().backward()
        assert memory.tolist() == seq.tolist()


def test_fields_are_written_in_place():
    kept = [gg.zeros(1, H, N, dtype=gg.float64) for _ in range(4)]
    seq = JointState(kept[0], kept[1], kept[2], ["a", "b"], kept[3])
    assert tensor_step_pos(joints(random(1, 3 * N)), random(1, H, N, grad=True), seq, FD) is seq
    assert [seq.position, seq.velocity, seq.acceleration, seq.jerk] == kept
    assert [field.requires_grad for field in kept] == [True] * 3 + [False]
    assert not seq.jerk.any()


def test_fields_are_replaced():
    kept, act = gg.zeros(1, H, N, dtype=gg.float64), random(1, H, N)
    seq = JointState(kept, kept, kept, jerk=kept)
    state = joints(random(1, 3 * N))
    assert tensor_step_acc_semi_euler(state, act, seq, None, M, M) is seq
    assert seq.acceleration is act
    assert seq.jerk is kept
    assert not kept.any()


def test_positions_are_taken_as_they_are():
    act, seq = random(1, H, N), JointState(velocity=gg.ones(1))
    assert tensor_step_pos_ik(act, seq) is seq
    assert seq.position is act
    assert seq.velocity.tolist() == [1.0]


def test_positions_of_commanded_velocities_move_in_the_first_row_already():
    start, act = gg.tensor([[1.0, 2.0, 0.0]], dtype=gg.float64), random(1, H, 1)
    seq = tensor_step_vel(start, act, act.new_zeros(1, H, 3), DT, 1, MDT, FD)
    assert seq[0, 0].tolist() == [1.0 + 0.5 * 2.0, 2.0, 0.0]


def test_the_last_of_the_delayed_actions_has_no_effect():
    for step in (STEPS["tensor_step_vel"], of_positions):
        act = random(1, H, N, grad=True)
        sum(part.square().sum() for part in parts(step(random(1, 3 * N), act))).backward()
        assert act.grad[0, -1].tolist() == [0.0, 0.0]


def test_one_sample():
    one, state, act = gg.ones(1, 1), random(2, 3 * N), random(2, 1, N)
    one = one.to(gg.float64)
    seq = tensor_step_vel(state, act, room(act), DT[:1], N, one, 0 * one)
    assert gg.allclose(seq[:, 0], gg.cat([state[:, :N] + state[:, N : 2 * N], state[:, N:]], 1))


def test_steps_are_computed_in_the_dtype_of_their_inputs():
    given = gg.zeros(1, 3), gg.ones(1, H, 1)
    matrix = build_int_matrix(H)
    assert step_acc_semi_euler(*given, None, 1, matrix).dtype is gg.float32
    assert tensor_step_jerk(*given, gg.empty(1, H, 3), DT.float(), 1, matrix).dtype is gg.float32
