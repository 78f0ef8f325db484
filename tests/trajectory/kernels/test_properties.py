"""What holds of every fused step: its derivatives, its twins, its buffers, its edges."""

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.trajectory import CliqueTensorStep, build_fd_matrix, build_start_state_mask, numerics
from glassgrad.trajectory.states import TensorDeviceType
from trajectory.steps import BUFFERS, NAMES, arguments, is_indexed, of_actions, padding, step

every = pytest.mark.parametrize("name", NAMES)
backward_differences = pytest.mark.parametrize(
    "name", [name for name in NAMES if not padding(name) and "Acceleration" not in name]
)


def same(found, want):
    return all(gg.allclose(x, y, rtol=1e-12, atol=1e-12) for x, y in zip(found, want, strict=True))


@every
def test_the_gradient_is_right_in_both_modes_twice_and_for_batches(name):
    given = arguments(name)
    f, u = of_actions(name, given), given["u_act"].requires_grad_()
    assert gg.autograd.gradcheck(f, (u,), check_forward_ad=True, check_batched_grad=True)
    assert gg.autograd.gradgradcheck(f, (u,))


@pytest.mark.parametrize("name", [name for name in NAMES if padding(name)])
def test_the_literal_central_step_is_differentiable_twice_and_gradcheck_finds_it_wrong(name):
    given = arguments(name)
    u = given["u_act"].requires_grad_()

    def literal(u):
        with numerics("curobo"):
            return step(name, given, u_act=u)

    with pytest.raises(gg.core.errors.GradcheckError):
        gg.autograd.gradcheck(literal, (u,))

    def gradient(*cotangents):
        return gg.autograd.grad(literal(u), u, cotangents, create_graph=True)

    cotangents = [gg.randn(2, 7, 2, dtype=gg.float64, requires_grad=True) for _ in range(4)]
    assert gg.autograd.gradcheck(gradient, cotangents)


@together
@pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
def test_with_every_row_in_turn_it_is_its_twin_without_index(name):
    given = arguments(name, rows=2)
    found = step(name, given, start_idx=gg.arange(2))
    without = {key: x for key, x in given.items() if key != "start_idx"}
    assert same(found, step(name.replace("Idx", ""), without))


def test_joint_by_joint_is_the_same():
    given = arguments("CliqueTensorStepKernel")
    found = step("CliqueTensorStepCoalesceKernel", given)
    assert same(found, step("CliqueTensorStepKernel", given))
    assert all(x.is_contiguous() for x in found)


def test_at_rest_it_is_the_step_by_matrices():
    given = arguments("CliqueTensorStepKernel")
    still = gg.zeros(2, 2, dtype=gg.float64)
    u, q = given["u_act"].requires_grad_(), given["start_position"]
    found = step("CliqueTensorStepKernel", given, start_velocity=still, start_acceleration=still)
    wide = TensorDeviceType(dtype=gg.float64)
    mask, n_mask = build_start_state_mask(7, wide)
    rates = [2.0**k * build_fd_matrix(7, order=k, SHIFT=True, dtype=gg.float64) for k in (1, 2, 3)]
    want = CliqueTensorStep.apply(u, q, mask, n_mask, *rates)
    assert same(found, want)
    cotangents = [gg.randn(2, 7, 2, dtype=gg.float64) for _ in range(4)]
    (one,) = gg.autograd.grad(found, u, cotangents)
    (other,) = gg.autograd.grad(want, u, cotangents)
    assert gg.allclose(one, other)


@together
@every
def test_buffers_of_nan_are_written_completely(name):
    given = arguments(name, buffers=True)
    u = given["u_act"].requires_grad_()
    found = step(name, given)
    assert same(found, step(name, arguments(name)))
    sum(x.sum() for x in found).backward()
    for buffer in (*BUFFERS, "out_grad_position"):
        assert given[buffer].isfinite().all()
        assert given[buffer]._version == 1
    assert gg.equal(given["out_grad_position"], u.grad)


@together
@every
def test_buffers_that_are_no_rows_are_written_too(name):
    given = arguments(name)
    shape = step(name, given)[0].shape
    turned = [gg.empty(*reversed(shape), dtype=gg.float64).permute(2, 1, 0) for _ in range(5)]
    scratch = turned[4][:, : given["u_act"].shape[1]]
    u = given["u_act"].requires_grad_()
    changed = dict(zip(BUFFERS, turned, strict=False)) | {"out_grad_position": scratch}
    found = step(name, given, **changed)
    assert same(found, step(name, arguments(name)))
    assert np.shares_memory(found[0].detach().numpy(), turned[0].numpy())
    found[0].sum().backward()
    assert gg.equal(scratch, u.grad)


@together
@every
def test_overwritten_outputs_are_known_to_be_gone(name):
    given = arguments(name, buffers=True)
    given["u_act"].requires_grad_()
    loss = (step(name, given)[0] ** 2).sum()
    step(name, given)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@together
@every
def test_outputs_as_buffers_lead_to_no_earlier_call(name):
    given = arguments(name)
    given["u_act"].requires_grad_()
    first = step(name, given)
    again = step(name, given, **dict(zip(BUFFERS, first, strict=True)))
    targets = [node for node, _ in again[0].grad_fn.next_functions if node is not None]
    assert [type(node).__name__ for node in targets] == ["AccumulateGrad"]
    assert np.shares_memory(first[0].detach().numpy(), again[0].detach().numpy())


@together
@every
def test_two_nodes_may_share_one_scratch(name):
    given = arguments(name, buffers=True)
    u = given["u_act"].requires_grad_()
    fresh = dict.fromkeys(BUFFERS)
    total = sum(step(name, given, **fresh)[k].sum() * weight for k, weight in ((0, 1.0), (1, 3.0)))
    total.backward()
    plain = arguments(name)
    v = plain["u_act"].requires_grad_()
    sum(step(name, plain)[k].sum() * weight for k, weight in ((0, 1.0), (1, 3.0))).backward()
    assert gg.allclose(u.grad, v.grad)


@together
@every
def test_a_gradient_that_lies_in_the_scratch_is_read_before_it_is_written(name):
    given = arguments(name, shape=(2, 9, 2))
    u = given["u_act"].requires_grad_()
    memory = gg.randn(2, 9, 2, dtype=gg.float64)
    scratch = memory[:, padding(name) :]
    cotangents = [memory, *[gg.randn(2, 9, 2, dtype=gg.float64) for _ in range(3)]]
    (want,) = gg.autograd.grad(step(name, given), u, [x.clone() for x in cotangents])
    out = step(name, given, out_grad_position=scratch)
    (found,) = gg.autograd.grad(out, u, cotangents)
    assert gg.equal(found, want)
    assert gg.equal(scratch, want)


@together
@every
def test_a_batch_of_gradients_leaves_the_scratch_alone(name):
    given = arguments(name, buffers=True)
    u = given["u_act"].requires_grad_()
    out, batch = step(name, given), gg.randn(3, 2, 7, 2, dtype=gg.float64)
    (found,) = gg.autograd.grad(out[3], u, batch, is_grads_batched=True, retain_graph=True)
    assert given["out_grad_position"].isnan().all()
    one_by_one = [gg.autograd.grad(out[3], u, x, retain_graph=True)[0] for x in batch]
    assert gg.allclose(found, gg.stack(one_by_one))


@together
@every
def test_inputs_in_any_layout_and_gradients_without_stride(name):
    given = arguments(name)
    want = step(name, given)
    turned = given["u_act"].permute(2, 1, 0).contiguous().permute(2, 1, 0).requires_grad_()
    assert not turned.is_contiguous()
    found = step(name, given, u_act=turned)
    assert same(found, want)
    found[1].sum().backward()  # one number, expanded
    ones = gg.ones(*want[1].shape, dtype=gg.float64)
    u = given["u_act"].requires_grad_()
    (full,) = gg.autograd.grad(step(name, given)[1], u, ones)
    assert gg.allclose(turned.grad, full)


@together
@every
def test_a_start_that_lies_in_a_buffer_is_read_before_it_is_written(name):
    given = arguments(name, buffers=True, rows=2)
    kept = {}
    for part, buffer in (("position", 0), ("velocity", 1), ("acceleration", 2)):
        rows = given[BUFFERS[buffer]]
        rows[:, 3] = given[f"start_{part}"]
        kept[f"start_{part}"] = rows[:, 3]
    want = step(name, arguments(name, rows=2))
    assert same(step(name, given, **kept), want)


@together
@pytest.mark.parametrize("name", [name for name in NAMES if not padding(name)])
def test_a_start_whose_views_are_the_buffers_is_read_before_it_is_written(name):
    given = arguments(name, shape=(2, 1, 2), rows=2)
    want = [x.clone() for x in step(name, given)]
    starts = [given[f"start_{part}"] for part in ("velocity", "acceleration", "position")]
    buffers = dict(zip(BUFFERS, [x.unsqueeze(1) for x in starts], strict=False))
    assert same(step(name, given, **buffers), want)


@together
@every
@pytest.mark.parametrize("buffer", [*BUFFERS, "out_grad_position"])
def test_time_steps_that_lie_in_a_buffer_are_read_before_it_is_written(name, buffer):
    given, plain = [arguments(name, shape=(2, 9, 2), buffers=flag) for flag in (True, False)]
    lying = given[buffer].view(-1)[: len(given["traj_dt"])]
    lying[:] = given["traj_dt"]
    cotangents = [gg.randn(2, 9, 2, dtype=gg.float64) for _ in range(4)]
    want = step(name, plain, u_act=plain["u_act"].requires_grad_())
    found = step(name, given, u_act=given["u_act"].requires_grad_(), traj_dt=lying)
    assert same(found, want)
    (expected,) = gg.autograd.grad(want, plain["u_act"], cotangents)
    for _ in range(2):
        (grad,) = gg.autograd.grad(found, given["u_act"], cotangents, retain_graph=True)
        assert same([grad], [expected])


@together
@every
def test_time_steps_whose_views_are_a_buffer_are_read_before_it_is_written(name):
    given = arguments(name)
    steps = gg.full((28,), 0.5, dtype=gg.float64)
    want = step(name, given, traj_dt=steps.clone())
    u = given["u_act"].requires_grad_()
    found = step(name, given, u_act=u, traj_dt=steps, out_velocity=steps.reshape(2, 7, 2))
    assert same(found, want)
    found[0].sum().backward()
    assert u.grad.isfinite().all()


@together
@pytest.mark.parametrize("name", [name for name in NAMES if "Clique" in name])
def test_one_over_the_time_step_may_be_on_another_device(name):
    given = arguments(name, buffers=True)
    there = gg.tensor([1.0, 2.0], dtype=gg.float64, device="fake")[1:]
    assert same(step(name, given, traj_dt=there), step(name, arguments(name)))


@together
@every
def test_in_inference_mode_results_are_inference_tensors_except_in_a_plain_buffer(name):
    plain = arguments(name, buffers=True)
    with gg.inference_mode():
        fresh = arguments(name, buffers=True)
        assert all(x.is_inference() for x in step(name, arguments(name)))
        assert all(x.is_inference() for x in step(name, fresh))
        assert not any(x.is_inference() for x in step(name, plain))
    assert not any(x.is_inference() for x in step(name, plain))


@together
@every
@pytest.mark.parametrize("output", range(4))
def test_a_gradient_may_come_by_any_one_output(name, output):
    given = arguments(name)
    u = given["u_act"].requires_grad_()
    out = step(name, given)
    cotangent = gg.randn(*out[0].shape, dtype=gg.float64)
    (alone,) = gg.autograd.grad(out[output], u, cotangent)
    zeros = [gg.zeros_like(cotangent) for _ in range(4)]
    zeros[output] = cotangent
    (full,) = gg.autograd.grad(step(name, given), u, zeros)
    assert gg.allclose(alone, full)


@together
@every
def test_nothing_is_recorded_for_actions_that_need_no_gradient(name):
    out = step(name, arguments(name))
    assert not any(x.requires_grad for x in out)


SHAPES = [(1, 1, 1), (2, 1, 2), (1, 2, 1), (3, 4, 2), (0, 6, 2), (2, 5, 3)]
SHORT = [(name, shape) for name in NAMES for shape in SHAPES if shape[1] > padding(name)]


@together
@pytest.mark.parametrize(("name", "shape"), SHORT)
def test_short_horizons_and_empty_batches(name, shape):
    given = arguments(name, shape=shape)
    u = given["u_act"].requires_grad_()
    out = step(name, given)
    assert all(x.shape == shape for x in out)
    if not padding(name) and shape[0]:
        start = [given[f"start_{part}"] for part in ("position", "velocity", "acceleration")]
        if is_indexed(name):
            start = [x[given["start_idx"]] for x in start]
        assert all(gg.equal(x[:, 0], y) for x, y in zip(out[:3], start, strict=True))
        assert not out[3][:, 0].any()
    sum(x.sum() for x in out).backward()
    assert u.grad.shape == u.shape
    assert gg.autograd.gradcheck(of_actions(name, given), (u,))


@together
@backward_differences
def test_steady_motion_has_no_acceleration(name):
    given = arguments(name, rows=2)
    velocity, still = given["start_velocity"], gg.zeros(2, 2, dtype=gg.float64)
    if is_indexed(name):
        given["start_idx"] = gg.arange(2)
    times = gg.arange(1.0, 8.0, dtype=gg.float64).reshape(1, 7, 1) / 2.0
    u = given["start_position"].unsqueeze(1) + times * velocity.unsqueeze(1)
    p, v, a, j = step(name, given, u_act=u, start_acceleration=still)
    assert gg.allclose(v, velocity.unsqueeze(1).expand(2, 7, 2))
    assert max(a.abs().max().item(), j.abs().max().item()) < 1e-12
    summed = given["start_position"].unsqueeze(1) + v[:, 1:].cumsum(1) / 2.0
    assert gg.allclose(summed, p[:, 1:])


@together
@every
def test_the_node_bears_the_name_and_the_line(name):
    given = arguments(name)
    given["u_act"].requires_grad_()
    out = step(name, given)
    assert out[0].grad_fn.name() == f"{name}Backward"
    (node,) = [n for n in gg.snapshot(out[0]).nodes if n["op"] == f"{name}Backward"]
    assert node["src"].startswith("steps.py, line ")


@together
@every
def test_float32_stays_float32(name):
    given = arguments(name, dtype=gg.float32)
    out = step(name, given)
    assert {x.dtype for x in out} == {gg.float32}
    wide = {
        k: x.double() if x is not None and x.is_floating_point() else x for k, x in given.items()
    }
    for x, y in zip(out, step(name, wide), strict=True):
        assert gg.allclose(x.double(), y, rtol=1e-5, atol=1e-5)


@together
@every
def test_it_has_what_a_function_has_and_its_own_node_class(name):
    cls = getattr(gg.trajectory, name)
    assert cls._backward_cls.__name__ == f"{name}Backward"
    assert not cls.generate_vmap_rule
    assert hasattr(cls, "saved_tensors")
    assert hasattr(cls, "_set_sequence_nr")
