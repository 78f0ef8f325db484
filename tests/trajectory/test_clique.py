"""The step of commanded positions: of ordinary ops, and as one Function."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad import func, trajectory
from glassgrad.autograd import forward_ad, gradcheck, gradgradcheck
from glassgrad.trajectory import (
    CliqueTensorStep,
    JointState,
    TensorDeviceType,
    build_fd_matrix,
    build_start_state_mask,
    jit_backward_pos_clique,
    jit_backward_pos_clique_contiguous,
    jit_tensor_step_pos_clique,
    jit_tensor_step_pos_clique_contiguous,
    tensor_step_pos_clique,
)
from trajectory.oracle import cases, check

FUNCTIONS = (
    "jit_tensor_step_pos_clique",
    "jit_tensor_step_pos_clique_contiguous",
    "jit_backward_pos_clique",
    "jit_backward_pos_clique_contiguous",
    "tensor_step_pos_clique",
)
EXACT = TensorDeviceType(dtype=gg.float64)


def random(*shape, grad=False):
    return gg.randn(*shape, dtype=gg.float64).requires_grad_(grad)


def matrices(horizon, dt=0.5):
    masks = build_start_state_mask(horizon, EXACT)
    orders = [1, 2, 3]
    fds = [build_fd_matrix(horizon, dtype=gg.float64, order=k, SHIFT=True) / dt**k for k in orders]
    return [*masks, *fds]


def step(u, start):
    return CliqueTensorStep.apply(u, start, *matrices(u.shape[-2]))


def same(got, want):
    return all(gg.allclose(x, y) for x, y in zip(got, want, strict=True))


def stacked(results):
    """What several calls returned, output by output."""
    return [gg.stack(parts) for parts in zip(*results, strict=True)]


@together
@pytest.mark.parametrize("by_name", [False, True], ids=["by position", "by name"])
@pytest.mark.parametrize("case", cases(*FUNCTIONS), ids=str)
def test_the_numbers_of_the_oracle(case, by_name):
    check(case, getattr(trajectory, case.function), by_name=by_name)


@together
@pytest.mark.parametrize("case", cases("CliqueTensorStep"), ids=str)
def test_the_numbers_of_the_oracle_in_one_function(case):
    check(case, CliqueTensorStep.apply, by_name=False)


# Of ordinary ops ----------------------------------------------------------------------------------


def test_gradients_of_the_positions_the_start_and_the_matrices():
    given = random(2, 4, 2), random(2, 2), *matrices(4)
    leaves = [x.clone().requires_grad_() for x in given]
    assert gradcheck(jit_tensor_step_pos_clique, leaves, check_forward_ad=True)
    assert gradgradcheck(jit_tensor_step_pos_clique, leaves, fast_mode=True)


def test_gradients_of_the_backward_step():
    leaves = [random(2, 4, 2, grad=True) for _ in range(4)]
    leaves += [matrix.clone().requires_grad_() for matrix in matrices(4)[1:]]
    assert gradcheck(jit_backward_pos_clique, leaves, check_forward_ad=True)
    assert gradgradcheck(jit_backward_pos_clique, leaves, fast_mode=True)


def test_results_are_contiguous_where_the_inputs_are_not():
    u, start = random(2, 3, 4).mT, random(3, 2).t()
    matrices_ = [matrix.t().contiguous().t() for matrix in matrices(4)]
    laid_out = jit_tensor_step_pos_clique_contiguous(u, start, *matrices_)
    assert all(out.is_contiguous() for out in laid_out)
    assert same(laid_out, jit_tensor_step_pos_clique(u, start, *matrices_))


def test_one_start_serves_every_trajectory():
    u, start = random(3, 4, 2), random(1, 2)
    everywhere = start.expand(3, 2)
    assert same(
        jit_tensor_step_pos_clique(u, start, *matrices(4)),
        jit_tensor_step_pos_clique(u, everywhere, *matrices(4)),
    )


def test_no_trajectories_give_no_trajectories():
    assert [out.shape for out in step(random(0, 4, 2), random(0, 2))] == [(0, 4, 2)] * 4


def test_the_last_command_never_arrives():
    u = random(1, 4, 1, grad=True)
    sum(out.square().sum() for out in step(u, random(1, 1))).backward()
    assert u.grad[0, -1].tolist() == [0.0]


@pytest.mark.parametrize(
    "form", [step, lambda u, q: jit_tensor_step_pos_clique(u, q, *matrices(4))]
)
def test_batches_and_tangents(form):
    u, start, du = random(3, 2, 4, 2), random(3, 2, 2), random(3, 2, 4, 2)
    mapped = func.vmap(form)(u, start)
    assert same(mapped, stacked(map(form, u, start)))
    shared = func.vmap(form, (0, None))(u, start[0])
    assert same([out[1] for out in shared], form(u[1], start[0]))
    out, moved = func.jvp(lambda u: form(u, start[0]), (u[0],), (du[0],))
    assert same(out, form(u[0], start[0]))
    assert same(moved, form(du[0], gg.zeros_like(start[0])))
    both = func.vmap(lambda u, q, du: func.jvp(lambda u: form(u, q), (u,), (du,))[1])(u, start, du)
    assert same(both, stacked(form(x, 0 * start[0]) for x in du))


def test_one_sequence_of_commands_from_several_starts():
    u, starts, du = random(1, 4, 2, grad=True), random(3, 2), random(1, 4, 2)
    everywhere = u.expand(3, 4, 2)
    assert same(step(u, starts), step(everywhere, starts))
    assert gradcheck(lambda u: step(u, starts), u, check_forward_ad=True)
    moved = func.jvp(lambda u: step(u, starts), (u.detach(),), (du,))[1]
    assert same(moved, step(du.expand(3, 4, 2), 0 * starts))


@together
@pytest.mark.parametrize("shapes", [((4, 2), (2,)), ((3, 4, 2), (2,)), ((4, 2), (3, 2))])
def test_a_batch_of_any_trajectories_and_any_starts(shapes):
    u, start = random(3, *shapes[0]), random(3, *shapes[1])
    assert same(func.vmap(step)(u, start), stacked(map(step, u, start)))
    assert same(func.vmap(step, (0, None))(u, start[0]), stacked(step(x, start[0]) for x in u))
    assert same(func.vmap(step, (None, 0))(u[0], start), stacked(step(u[0], q) for q in start))


def test_a_batch_of_matrices():
    def cost(u, *more):
        return sum(out.sum() for out in CliqueTensorStep.apply(u, *more))

    u, start, by_dt = random(2, 4, 2), random(2, 2), [matrices(4, dt) for dt in (0.1, 0.2, 0.5)]
    given = u, start, *[gg.stack(parts, 1) for parts in zip(*by_dt, strict=True)]
    dims = None, None, *[1] * 5
    got = func.vmap(CliqueTensorStep.apply, dims)(*given)
    assert same(got, stacked(CliqueTensorStep.apply(u, start, *one) for one in by_dt))
    grads = func.vmap(func.grad(cost), dims)(*given)
    assert gg.allclose(grads, gg.stack([func.grad(cost)(u, start, *one) for one in by_dt]))


def test_the_gradient_of_actions_that_all_examples_share_is_summed():
    u, starts = random(2, 4, 2, grad=True), random(3, 2, 2)
    p, *_ = func.vmap(step, (None, 0))(u, starts)
    p.sum().backward()
    assert u.grad[0, :, 0].tolist() == [3.0, 3.0, 3.0, 0.0]


# As one Function ----------------------------------------------------------------------------------


def test_gradcheck_of_the_function():
    u, start = random(2, 5, 2, grad=True), random(2, 2)
    checks = {"check_forward_ad": True, "check_batched_grad": True}
    assert gradcheck(lambda u: step(u, start), u, check_batched_forward_grad=True, **checks)
    assert gradgradcheck(lambda u: step(u, start), u)
    assert gradgradcheck(lambda u: [out.square() for out in step(u, start)], u)


def test_it_is_one_node():
    u = random(1, 4, 2, grad=True)
    p, *_, j = step(u, random(1, 2))
    assert p.grad_fn is j.grad_fn
    assert p.grad_fn.name() == "CliqueTensorStepBackward"
    assert p.grad_fn.next_functions[0][0].variable is u


def test_only_the_positions_have_a_gradient():
    leaves = [x.requires_grad_() for x in (random(1, 4, 2), random(1, 2), *matrices(4))]
    sum(out.sum() for out in CliqueTensorStep.apply(*leaves)).backward()
    assert leaves[0].grad is not None
    assert [leaf.grad for leaf in leaves[1:]] == [None] * 6


def test_positions_that_need_no_gradient_get_none():
    start = random(1, 2, grad=True)
    p, *_ = step(random(1, 4, 2), start)
    p.sum().backward()
    assert start.grad is None


def test_tangents_of_the_start_are_not_looked_at():
    u, start, du = random(1, 4, 2), random(1, 2), random(1, 4, 2)
    alone = func.jvp(lambda u: step(u, start), (u,), (du,))[1]
    with_start = func.jvp(step, (u, start), (du, gg.ones_like(start)))[1]
    assert same(alone, with_start)
    of_start = func.jvp(lambda q: step(u, q), (start,), (gg.ones_like(start),))[1]
    assert not any(tangent.any() for tangent in of_start)


def test_forward_mode():
    u, du = random(1, 4, 2), random(1, 4, 2)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(u, du)
        moved = [forward_ad.unpack_dual(out).tangent for out in step(dual, random(1, 2))]
    assert same(moved, step(du, gg.zeros(1, 2, dtype=gg.float64)))


def test_the_gradient_of_a_transform_and_its_derivatives():
    u, start = random(3, 4, 2), random(3, 2)

    def cost(u, q):
        p, v, a, j = step(u, q)
        return (p.sin() * v).sum() + (a * j).sum()

    def one(u, q):
        return cost(u[None], q[None])

    by_transform = func.vmap(func.grad(one))(u, start)
    leaf = u.clone().requires_grad_()
    cost(leaf, start).backward()
    assert gg.allclose(by_transform, leaf.grad)
    forward = func.jacfwd(func.grad(one))(u[0], start[0])
    assert gg.allclose(func.jacrev(func.grad(one))(u[0], start[0]), forward)
    assert gg.allclose(func.hessian(one)(u[0], start[0]), forward)


def test_a_gradient_that_is_one_number_for_all_entries():
    u = random(2, 4, 2, grad=True)
    p, v, _, _ = step(u, random(2, 2))
    (p.sum() + v.sum()).backward()
    expected = jit_backward_pos_clique(
        *[gg.full_like(p, x) for x in (1, 1, 0, 0)], *matrices(4)[1:]
    )
    assert gg.allclose(u.grad, expected)


# Filling a state ----------------------------------------------------------------------------------


def test_a_state_is_filled_and_returned():
    kept = gg.zeros(1, 4, 2, dtype=gg.float64)
    filled = JointState(kept, kept, kept, ["a", "b"])
    mask, n_mask, *fds = matrices(4)
    u, start = random(1, 4, 2, grad=True), JointState(random(1, 2))
    assert tensor_step_pos_clique(start, u, filled, [mask, n_mask], fds) is filled
    assert filled.jerk.grad_fn.name() == "CliqueTensorStepBackward"
    assert filled.joint_names == ["a", "b"]
    assert not kept.any()  # it was let go, not written to


def test_a_state_filled_over_and_over_keeps_no_earlier_graph():
    mask, n_mask, *fds = matrices(4)
    u, state = random(1, 4, 2, grad=True), JointState()
    for _ in range(3):
        tensor_step_pos_clique(JointState(random(1, 2)), u, state, [mask, n_mask], fds)
        edges = state.position.grad_fn.next_functions
        assert [node is not None for node, _ in edges] == [True] + [False] * 6


def test_states_are_filled_under_transforms():
    mask, n_mask, *fds = matrices(4)

    def velocity(u, q):
        return tensor_step_pos_clique(JointState(q), u, JointState(), [mask, n_mask], fds).velocity

    u, start = random(3, 1, 4, 2), random(3, 1, 2)
    assert gg.allclose(func.vmap(velocity)(u, start).squeeze(1), step(u[:, 0], start[:, 0])[1])


# What does not fit --------------------------------------------------------------------------------


@together
@pytest.mark.parametrize("call", [jit_tensor_step_pos_clique, CliqueTensorStep.apply])
@pytest.mark.parametrize(
    ("place", "shape", "said"),
    [
        (0, (4,), r"(pos_act|u_act) has shape \(4,\), expected \(B, H, D\)"),
        (0, (2, 0, 2), r"(pos_act|u_act) has shape \(2, 0, 2\), of a horizon without samples"),
        (0, (2, 5, 2), r"n_mask has shape \(4, 4\), expected \(5, 5\)"),
        (1, (2, 3), r"start_position has shape \(2, 3\), which does not fit \(2, 2\)"),
        (1, (3, 2), r"start_position has shape \(3, 2\), which does not fit \(2, 2\)"),
        (1, (2, 1, 2), r"start_position has shape \(2, 1, 2\) for \w+ of shape \(2, 4, 2\)"),
        (1, (1, 1, 1, 1), r"start_position has shape \(1, 1, 1, 1\) for \w+ of"),
        (1, (), r"start_position has shape \(\) for \w+ of shape \(2, 4, 2\)"),
        (2, (4, 4), r"mask has shape \(4, 4\), expected \(4, 1\)"),
        (3, (4, 1), r"n_mask has shape \(4, 1\), expected \(4, 4\)"),
        (5, (3, 4), r"fd_2 has shape \(3, 4\), expected \(4, 4\)"),
    ],
)
def test_shapes_that_do_not_fit_are_named(call, place, shape, said):
    given = [random(2, 4, 2), random(2, 2), *matrices(4)]
    given[place] = gg.randn(shape, dtype=gg.float64)
    with pytest.raises(ValueError, match=said):
        call(*given)


def test_a_start_with_an_axis_for_samples_is_refused_in_each_example():
    with pytest.raises(ValueError, match=r"\(2, 1, 2\) for u_act of shape \(2, 4, 2\)"):
        func.vmap(step)(random(3, 2, 4, 2), random(3, 2, 1, 2))


@pytest.mark.parametrize("call", [jit_tensor_step_pos_clique, CliqueTensorStep.apply])
def test_other_kinds_dtypes_and_devices_are_named(call, device):
    given = random(2, 4, 2), random(2, 2), *matrices(4)
    names = "act", "start_position", "mask", "n_mask", "fd_1", "fd_2", "fd_3"
    for place, name in enumerate(names):
        before, after = given[:place], given[place + 1 :]
        with pytest.raises(TypeError, match=f"{name} must be a tensor, got float"):
            call(*before, 1.0, *after)
        if place:
            with pytest.raises(RuntimeError, match=f"{name} is on {device}, but .*act is on cpu"):
                call(*before, given[place].to(device), *after)
            with pytest.raises(RuntimeError, match=r"same dtype, but \w+ is float"):
                call(*before, given[place].float(), *after)


def test_gradients_that_do_not_fit_are_named():
    grads, more = [random(2, 4, 2) for _ in range(3)], matrices(4)[1:]
    with pytest.raises(ValueError, match=r"grad_j has shape \(2, 1, 2\), expected \(2, 4, 2\)"):
        jit_backward_pos_clique(*grads, random(2, 1, 2), *more)
    with pytest.raises(ValueError, match=r"fd_3 has shape \(5, 5\), expected \(4, 4\)"):
        jit_backward_pos_clique(*grads, grads[0], *more[:3], random(5, 5))


@pytest.mark.parametrize("backward", [jit_backward_pos_clique, jit_backward_pos_clique_contiguous])
def test_gradients_that_are_none_are_named(backward, device):
    grads, more = [random(2, 4, 2) for _ in range(4)], matrices(4)[1:]
    for place, name in enumerate(("grad_p", "grad_v", "grad_a", "grad_j")):
        with pytest.raises(TypeError, match=f"{name} must be a tensor, got NoneType"):
            backward(*grads[:place], None, *grads[place + 1 :], *more)
    with pytest.raises(RuntimeError, match=f"grad_v is on {device}, but grad_p is on cpu"):
        backward(grads[0], grads[1].to(device), *grads[2:], *more)
    with pytest.raises(RuntimeError, match=r"fd_3 is float64, and .* grad_j, is float32"):
        backward(*grads[:3], grads[3].float(), *more)


def test_each_matrix_has_its_place():
    mask, n_mask, *fds = matrices(4)
    given = JointState(random(1, 2)), random(1, 4, 2), JointState()
    with pytest.raises(ValueError, match="mask_matrix has 1 matrices, expected 2"):
        tensor_step_pos_clique(*given, [mask], fds)
    with pytest.raises(ValueError, match="fd_matrix has 2 matrices, expected 3"):
        tensor_step_pos_clique(*given, [mask, n_mask], fds[:2])
    for no_list in (None, 3, gg.ones(2, 4, 4)):
        with pytest.raises(TypeError, match=f"must be a list of 2 .* {type(no_list).__name__}"):
            tensor_step_pos_clique(*given, no_list, fds)
        with pytest.raises(TypeError, match=f"must be a list of 3 .* {type(no_list).__name__}"):
            tensor_step_pos_clique(*given, [mask, n_mask], no_list)


def test_states_that_are_none_are_named():
    (mask, n_mask, *fds), act = matrices(4), random(1, 4, 2)
    more, start = ([mask, n_mask], fds), JointState(random(1, 2))
    for no_state in (None, random(1, 2)):
        with pytest.raises(TypeError, match="state must be a JointState, got"):
            tensor_step_pos_clique(no_state, act, JointState(), *more)
        with pytest.raises(TypeError, match="state_seq must be a JointState, got"):
            tensor_step_pos_clique(start, act, no_state, *more)
    with pytest.raises(ValueError, match=r"state\.position is None"):
        tensor_step_pos_clique(JointState(), act, JointState(), *more)
    with pytest.raises(TypeError, match="act must be a tensor, got NoneType"):
        tensor_step_pos_clique(start, None, JointState(), *more)
    with pytest.raises(ValueError, match=r"\(1, 1, 2\) for u_act of shape \(1, 4, 2\)"):
        tensor_step_pos_clique(start.unsqueeze(1), act, JointState(), *more)
