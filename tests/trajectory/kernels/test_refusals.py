"""What a fused step refuses, before it touches any buffer."""

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.trajectory import numerics
from trajectory.steps import BUFFERS, NAMES, arguments, is_indexed, on, padding, step

every = pytest.mark.parametrize("name", NAMES)
indexed = pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
STARTS = ("start_position", "start_velocity", "start_acceleration")


def refused(name, error, match, **changed):
    """The step refuses the changed arguments, and has written to no buffer."""
    given = arguments(name, buffers=True) | changed
    with pytest.raises(error, match=match):
        step(name, given)
    for buffer in (*BUFFERS, "out_grad_position"):
        if buffer not in changed:
            assert given[buffer].isnan().all()
            assert given[buffer]._version == 0


def numbers(*size, dtype=gg.float64):
    return gg.ones(*size, dtype=dtype)


@together
@every
def test_actions_that_are_no_batch_of_trajectories(name):
    refused(name, ValueError, r"u_act must have the shape \(B, .*got \(7, 2\)", u_act=numbers(7, 2))
    refused(
        name,
        TypeError,
        "u_act must be a floating-point tensor, got dtype",
        u_act=gg.ones(2, 7, 2).long(),
    )
    refused(name, TypeError, "u_act must be a floating-point tensor, got list", u_act=[[[1.0]]])


@together
@every
@pytest.mark.parametrize("horizon", [6, 8])
def test_actions_that_do_not_fit_the_buffers(name, horizon):
    actions = horizon - padding(name)
    refused(
        name, ValueError, r"out_position must have the shape \(2, ", u_act=numbers(2, actions, 2)
    )


@pytest.mark.parametrize("name", [name for name in NAMES if padding(name)])
def test_central_differences_of_no_action(name):
    refused(name, ValueError, "a horizon of 5 or more, got 4", u_act=numbers(2, 0, 2))


@together
@pytest.mark.parametrize("name", [name for name in NAMES if not padding(name)])
def test_a_horizon_without_samples(name):
    refused(name, ValueError, "u_act has the shape .*without samples", u_act=numbers(2, 0, 2))


@together
@every
def test_buffers_without_elements_are_no_mistake(name):
    given = arguments(name, shape=(2, 7, 0))
    buffers = {buffer: numbers(2, 2, 7, 0)[at % 2] for at, buffer in enumerate(BUFFERS)}
    assert step(name, given, **buffers)[3].shape == (2, 7, 0)


@together
@every
def test_buffers_that_are_views_of_a_leaf_or_of_one_row_for_all(name):
    leaf = numbers(2, 7, 2).requires_grad_()
    refused(name, RuntimeError, "a leaf Variable that requires grad", out_position=leaf[:])
    shared = numbers(1, 7, 2).expand(2, 7, 2)
    refused(name, ValueError, "out_jerk has elements that share their memory", out_jerk=shared)


@together
@every
@pytest.mark.parametrize("part", STARTS)
def test_a_start_of_other_joints_or_kinds(name, part):
    refused(name, ValueError, f"{part} must have the shape|three alike", **{part: numbers(2, 3)})
    refused(name, ValueError, f"{part} must have the shape", **{part: numbers(2)})
    refused(name, TypeError, f"{part} is float32, but u_act is", **{part: gg.ones(2, 2)})
    refused(name, TypeError, f"{part} must be a tensor, got ndarray", **{part: np.ones((2, 2))})


@together
@pytest.mark.parametrize("name", [name for name in NAMES if not is_indexed(name)])
def test_a_start_of_another_batch(name):
    refused(name, ValueError, r"\(2, 2\) for u_act", start_velocity=numbers(3, 2))


@together
@every
@pytest.mark.parametrize("buffer", [*BUFFERS, "out_grad_position"])
def test_a_buffer_that_cannot_be_written_as_it_is(name, buffer):
    right = arguments(name, buffers=True)[buffer]
    refused(name, ValueError, f"{buffer} must have the shape", **{buffer: numbers(2, 9, 2)})
    refused(name, TypeError, f"{buffer} is float32, but u_act is", **{buffer: right.float()})
    refused(name, TypeError, f"{buffer} must be a tensor", **{buffer: right.numpy()})
    leaf = right.clone().requires_grad_()
    refused(name, RuntimeError, "a leaf Variable that requires grad", **{buffer: leaf})
    memory = right.numpy().copy()
    memory.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        frozen = gg.from_numpy(memory)
    refused(name, TypeError, f"{buffer} is read-only", **{buffer: frozen})


@together
@every
def test_inference_buffers_are_written_in_inference_mode_alone(name):
    with gg.inference_mode():
        given = arguments(name, buffers=True)
        step(name, given)
    plain = arguments(name) | {buffer: given[buffer] for buffer in BUFFERS}
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        step(name, plain)


@together
@every
def test_memory_that_would_be_read_after_it_is_written(name):
    given = arguments(name, buffers=True)
    twice = given["out_velocity"]
    refused(
        name,
        ValueError,
        "out_jerk shares memory with out_velocity",
        out_velocity=twice,
        out_jerk=twice,
    )
    base = gg.ones(2, 16, 2, dtype=gg.float64)
    n = given["u_act"].shape[1]
    overlapping = {"u_act": base[:, :n], "out_position": base[:, 1:8]}
    refused(name, ValueError, "out_position shares memory with u_act", **overlapping)


@together
@every
def test_parts_of_one_memory_that_do_not_meet_are_no_mistake(name):
    base = gg.empty(2, 4, 7, 2, dtype=gg.float64)
    given = arguments(name)
    parts = dict(zip(BUFFERS, (base[:, k] for k in range(4)), strict=True))
    found = step(name, given, **parts)
    assert all(gg.equal(x, y) for x, y in zip(found, step(name, given), strict=True))


@together
@every
@pytest.mark.parametrize("bad", [0.0, float("nan"), float("inf")])
def test_a_time_step_that_is_none(name, bad):
    steps = numbers(7)
    steps[0 if "Clique" in name else 3] = bad
    refused(name, ValueError, "traj_dt", traj_dt=steps)
    refused(name, ValueError, "traj_dt", traj_dt=numbers(0))
    refused(name, TypeError, "traj_dt must be a floating-point tensor", traj_dt=2.0)


@pytest.mark.parametrize("name", [name for name in NAMES if "Acceleration" in name])
def test_too_few_time_steps(name):
    refused(name, ValueError, r"shape \(6,\), for a horizon of 7", traj_dt=numbers(6))


@pytest.mark.parametrize("name", [name for name in NAMES if "Acceleration" in name])
def test_time_steps_on_another_device(name):
    given = arguments(name)
    refused(
        name,
        TypeError,
        "traj_dt is on fake, but u_act is on cpu",
        traj_dt=given["traj_dt"].to("fake"),
    )
    there = on("fake", arguments(name, buffers=True))
    with pytest.raises(TypeError, match="traj_dt is on cpu, but u_act is on fake"):
        step(name, there, traj_dt=given["traj_dt"])
    assert all(there[buffer].cpu().isnan().all() for buffer in BUFFERS)


@together
@indexed
def test_indices_on_another_device(name):
    given = arguments(name)
    index = given["start_idx"]
    refused(
        name, TypeError, "start_idx is on fake, but u_act is on cpu", start_idx=index.to("fake")
    )
    with pytest.raises(TypeError, match="start_idx is on cpu, but u_act is on fake"):
        step(name, on("fake", given), start_idx=index)


@together
@indexed
def test_rows_that_are_not_there(name):
    refused(name, IndexError, "from 0 to 3, but there are 3", start_idx=gg.tensor([0, 3]))
    refused(name, IndexError, "from -1 to 0", start_idx=gg.tensor([0, -1]))
    refused(name, TypeError, "tensor of integers, got dtype", start_idx=gg.tensor([0.0, 1.0]))
    refused(name, TypeError, "tensor of integers, got list", start_idx=[0, 1])
    refused(
        name, ValueError, r"start_idx must have the shape \(2,\)", start_idx=gg.tensor([0, 1, 2])
    )


@together
@indexed
def test_a_column_of_indices_of_any_integers_is_right(name):
    given = arguments(name)
    want = step(name, given)
    for dtype in (gg.int32, gg.uint8, gg.int16):
        found = step(name, given, start_idx=given["start_idx"].to(dtype).unsqueeze(1))
        assert all(gg.equal(x, y) for x, y in zip(found, want, strict=True))


@together
@every
def test_the_wrong_number_of_arguments(name):
    with pytest.raises(TypeError, match="missing a required argument: 'out_grad_position'"):
        getattr(gg.trajectory, name).apply(*list(arguments(name).values())[:-1])


def test_numerics_of_another_name():
    with (
        pytest.raises(ValueError, match='Write numerics\\("exact"\\) or numerics\\("curobo"\\)'),
        numerics("f32"),
    ):
        pass


def test_numerics_nest_and_belong_to_their_thread():
    given = arguments("CliqueTensorStepKernel")

    def acceleration():
        return step("CliqueTensorStepKernel", given)[2]

    exact = acceleration()
    with numerics("curobo"):
        literal = acceleration()
        with numerics("exact"):
            assert gg.equal(acceleration(), exact)
        assert gg.equal(acceleration(), literal)
    assert gg.equal(acceleration(), exact)
    assert not gg.equal(literal, exact)
