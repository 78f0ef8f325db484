"""Steps along a trajectory that integrate, or differentiate, what is commanded.

A product with `M`, a matrix of running sums (`build_int_matrix`), integrates all samples at once;
one with `fd` (`build_fd_matrix`) differentiates them. All are ordinary ops: gradients, second
gradients, tangents and batches come by themselves.

    commanded      function                          what it takes               where it writes
    jerk           tensor_step_jerk                  (B, 3n): q, v, a            columns, in place
    acceleration   tensor_step_acc                   (B, 3n)                     columns, in place
                   step_acc_semi_euler               (B, 3n)                     a new tensor
                   tensor_step_acc_semi_euler        JointState                  new fields
    velocity       tensor_step_vel                   (B, 3n)                     columns, in place
    position       tensor_step_pos                   JointState                  fields, in place
                   tensor_step_pos_ik                nothing                     a new field

B trajectories have H samples of n joints. A start has one row for each: `(B, k)` or `(B, 1, k)`.

What is written in place carries the graph afterwards, so it must be no leaf that requires grad; to
use it for another call, pass `state_seq.detach()`, the same memory without the graph. Inside of
`vmap`, `jvp` or `grad` it must belong to the transform, as PyTorch has it: pass it as an argument,
mapped over like the others, or make it there with `act.new_zeros(…)`. Many examples cannot be
written to one tensor.

Commanded positions are also taken by one product with a matrix for each derivative:

    x = mask·q_0 + n_mask·u = [q_0, u_0, …, u_{H−2}]        v = fd_1·x    a = fd_2·x    j = fd_3·x

The same numbers come in two forms. `jit_tensor_step_pos_clique` is made of ordinary ops, each a
node of the graph. `CliqueTensorStep` is one node whose backward is written by hand:

    ū = n_maskᵀ·(p̄ + fd_1ᵀ·v̄ + fd_2ᵀ·ā + fd_3ᵀ·j̄)

(The names that begin with `jit_` are cuRobo's; nothing is compiled.)

The usual matrices are fd_k = diag(1/dt)ᵏ·build_fd_matrix(H, order=k, SHIFT=True), and mask and
n_mask of `build_start_state_mask`. With them, all derivatives of sample 0 are zero: the start's
velocity and acceleration are not looked at, and u_{H−1} has no effect.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from glassgrad.autograd.function import Function
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.levels.level import level_below
from glassgrad.ops._writing import check_write
from glassgrad.ops.joining import cat
from glassgrad.trajectory._arguments import (
    check_broadcasts,
    check_device,
    check_matrix,
    check_memory,
    check_samples,
    check_shape,
    check_tensor,
    count,
    product,
)
from glassgrad.trajectory.states import JointState, check_state, field_of
from glassgrad.values.layers import Layer, array_of, settled

__all__ = [
    "CliqueTensorStep",
    "euler_integrate",
    "jit_backward_pos_clique",
    "jit_backward_pos_clique_contiguous",
    "jit_tensor_step_pos_clique",
    "jit_tensor_step_pos_clique_contiguous",
    "step_acc_semi_euler",
    "tensor_step_acc",
    "tensor_step_acc_semi_euler",
    "tensor_step_jerk",
    "tensor_step_pos",
    "tensor_step_pos_clique",
    "tensor_step_pos_ik",
    "tensor_step_vel",
]


def euler_integrate(q_0: Tensor, u: Tensor, diag_dt: Any, integrate_matrix: Tensor) -> Tensor:
    """The integral of u from q_0 on: q_0 + M·u.

    Args:
        q_0: shape `(B, 1, D)`, or any that broadcasts.
        u: shape `(B, H, D)`.
        diag_dt: not looked at. The time step has to be in M already.
        integrate_matrix: M, shape `(H, H)`: `build_int_matrix(H, traj_dt=dt)`.

    Returns:
        Tensor of shape `(B, H, D)`.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor, or no JointState.
        DeviceError, DTypeError: if devices or dtypes differ.

    Example:
        >>> M = build_int_matrix(3, traj_dt=tensor([0.5, 0.5, 0.5]))
        >>> euler_integrate(ones(1, 1, 1), tensor([[[2.0], [4.0], [6.0]]]), None, M).flatten()
        tensor([2., 4., 7.])
    """
    check_matrix("integrate_matrix", integrate_matrix, u, of="u")
    check_broadcasts("q_0", q_0, tuple(u.shape), "one row for each trajectory, (B, 1, D)")
    check_device("q_0", q_0, "u", u)
    return q_0 + product("integrate_matrix", integrate_matrix, u, of="u")


def tensor_step_jerk(
    state: Tensor,
    act: Tensor,
    state_seq: Tensor,
    dt_h: Tensor,
    n_dofs: int,
    integrate_matrix: Tensor,
    fd_matrix: Any = None,
) -> Tensor:
    """Integrate jerks three times: with K = M·diag(dt), a = a_0 + K·u, v = v_0 + K·a, q = q_0 + K·v

    Here the time steps are applied, so M has to be without them.

    Args:
        state: the start [q_0, v_0, a_0, …], shape `(B, k)` or `(B, 1, k)` with k ≥ 3n.
        act: u, shape `(B, H, n)`.
        state_seq: shape `(B, H, ≥ 3n)`; its columns are overwritten by [q, v, a], any others stay.
        dt_h: shape `(H,)`, the time steps.
        n_dofs: n, the number of joints.
        integrate_matrix: M, shape `(H, H)`: `build_int_matrix(H)`.
        fd_matrix: not looked at.

    Returns:
        `state_seq`.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor.
        DeviceError, DTypeError: if devices or dtypes differ, or `state_seq` is of integers.
        LeafWriteError: if `state_seq` is a leaf that requires grad.

    Example:
        >>> u, dt, M = ones(1, 3, 1), tensor([0.5, 0.5, 0.5]), build_int_matrix(3)
        >>> tensor_step_jerk(zeros(1, 3), u, empty(1, 3, 3), dt, 1, M)[..., 2].flatten()
        tensor([0.5000, 1.0000, 1.5000])
    """
    q_0, v_0, a_0 = parts_of_start(state, act, n_dofs, 3)
    check_matrix("integrate_matrix", integrate_matrix, act)
    _check_steps(dt_h, act)
    name, once = "integrate_matrix·dt_h", integrate_matrix * dt_h  # scales columns: M·diag(dt)
    a = a_0 + product(name, once, act)
    v = v_0 + product(name, once, a, _MADE)
    return write(state_seq, q_0 + product(name, once, v, _MADE), v, a)


def tensor_step_acc(
    state: Tensor,
    act: Tensor,
    state_seq: Tensor,
    dt_h: Any,
    n_dofs: int,
    integrate_matrix: Tensor,
    fd_matrix: Any = None,
) -> Tensor:
    """Integrate accelerations twice: a = u, v = v_0 + M·a, q = q_0 + M·v.

    Args:
        state: the start [q_0, v_0, …], shape `(B, k)` or `(B, 1, k)` with k ≥ 2n. Its acceleration,
            if it has one, is not looked at.
        act: u, shape `(B, H, n)`.
        state_seq: shape `(B, H, ≥ 3n)`; its columns are overwritten by [q, v, a], any others stay.
        dt_h: not looked at. The time steps have to be in M already.
        n_dofs: n, the number of joints.
        integrate_matrix: M, shape `(H, H)`: `build_int_matrix(H, traj_dt=dt)`.
        fd_matrix: not looked at.

    Returns:
        `state_seq`.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor.
        DeviceError, DTypeError: if devices or dtypes differ, or `state_seq` is of integers.
        LeafWriteError: if `state_seq` is a leaf that requires grad.

    Example:
        >>> u, M = ones(1, 3, 1), build_int_matrix(3, traj_dt=tensor([0.5, 0.5, 0.5]))
        >>> tensor_step_acc(zeros(1, 3), u, empty(1, 3, 3), None, 1, M)
        tensor([[[0.2500, 0.5000, 1.0000],
                 [0.7500, 1.0000, 1.0000],
                 [1.5000, 1.5000, 1.0000]]])
    """
    return write(state_seq, *_twice(state, act, n_dofs, integrate_matrix))


def step_acc_semi_euler(
    state: Tensor, act: Tensor, diag_dt: Any, n_dofs: int, integrate_matrix: Tensor
) -> Tensor:
    """`tensor_step_acc` into a new tensor: a = u, v = v_0 + M·a, q = q_0 + M·v.

    Args:
        state: the start [q_0, v_0, …], shape `(B, k)` or `(B, 1, k)` with k ≥ 2n.
        act: u, shape `(B, H, n)`.
        diag_dt: not looked at. The time steps have to be in M already.
        n_dofs: n, the number of joints.
        integrate_matrix: M, shape `(H, H)`: `build_int_matrix(H, traj_dt=dt)`.

    Returns:
        Tensor [q, v, a] of shape `(B, H, 3n)`.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor, or no JointState.
        DeviceError, DTypeError: if devices or dtypes differ.

    Example:
        >>> M = build_int_matrix(2)
        >>> step_acc_semi_euler(zeros(1, 2), ones(1, 2, 1), None, 1, M)
        tensor([[[1., 1., 1.],
                 [3., 2., 1.]]])
    """
    return columns(*_twice(state, act, n_dofs, integrate_matrix))


def tensor_step_acc_semi_euler(
    state: JointState,
    act: Tensor,
    state_seq: JointState,
    diag_dt: Any,
    integrate_matrix: Tensor,
    integrate_matrix_pos: Tensor,
) -> JointState:
    """Integrate accelerations with a matrix for each integral: a = u, v = v_0 + M·a, q = q_0 + P·v.

    Args:
        state: the start; its position and velocity, of shape `(B, D)`, are used.
        act: u, shape `(B, H, D)`.
        state_seq: gets new tensors as position and velocity, and `act` itself as acceleration. Its
            jerk stays.
        diag_dt: not looked at. The time steps have to be in the matrices already.
        integrate_matrix, integrate_matrix_pos: M and P, shape `(H, H)`.

    Returns:
        `state_seq`.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor, or no JointState.
        DeviceError, DTypeError: if devices or dtypes differ.

    Example:
        >>> start, u, M = JointState(zeros(1, 1), zeros(1, 1)), ones(1, 2, 1), build_int_matrix(2)
        >>> tensor_step_acc_semi_euler(start, u, JointState(), None, M, M).position.flatten()
        tensor([1., 3.])
    """
    q_0, v_0 = [row_of(state, name, act) for name in ("position", "velocity")]
    check_matrix("integrate_matrix", integrate_matrix, act)
    check_matrix("integrate_matrix_pos", integrate_matrix_pos, act)
    check_state("state_seq", state_seq)
    velocity = v_0 + product("integrate_matrix", integrate_matrix, act)
    position = q_0 + product("integrate_matrix_pos", integrate_matrix_pos, velocity, _MADE)
    state_seq.position, state_seq.velocity, state_seq.acceleration = position, velocity, act
    return state_seq


def tensor_step_vel(
    state: Tensor,
    act: Tensor,
    state_seq: Tensor,
    dt_h: Tensor,
    n_dofs: int,
    integrate_matrix: Tensor,
    fd_matrix: Tensor,
) -> Tensor:
    """Integrate velocities once and differentiate them once; each arrives one sample later.

    v = [v_0, u_0, …, u_{H−2}], q = q_0 + M·v, a = [a_0, (fd·v / dt)_{0 … H−2}].

    q is that in every row: its first is q_0 + (M·v)_0, not q_0. The last row of u has no effect.

    Args:
        state: the start [q_0, v_0, a_0, …], shape `(B, 1, k)` or `(B, k)` with k ≥ 3n.
        act: u, shape `(B, H, n)`.
        state_seq: shape `(B, H, ≥ 3n)`; its columns are overwritten by [q, v, a], any others stay.
        dt_h: shape `(H,)`, the time steps of the differences.
        n_dofs: n, the number of joints.
        integrate_matrix: M, shape `(H, H)`, with time steps: `build_int_matrix(H, traj_dt=dt)`.
        fd_matrix: fd, shape `(H, H)`, without: `build_fd_matrix(H)`.

    Returns:
        `state_seq`.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor.
        DeviceError, DTypeError: if devices or dtypes differ, or `state_seq` is of integers.
        LeafWriteError: if `state_seq` is a leaf that requires grad.

    Example:
        >>> u, dt = tensor([[[1.0], [3.0], [9.0]]]), ones(3)
        >>> M, fd = build_int_matrix(3), build_fd_matrix(3)
        >>> tensor_step_vel(zeros(1, 3), u, empty(1, 3, 3), dt, 1, M, fd)
        tensor([[[0., 0., 0.],
                 [1., 1., 1.],
                 [4., 3., 2.]]])
    """
    q_0, v_0, a_0 = parts_of_start(state, act, n_dofs, 3)
    check_matrix("integrate_matrix", integrate_matrix, act)
    check_matrix("fd_matrix", fd_matrix, act)
    _check_steps(dt_h, act)
    v = delayed(v_0, act)
    a = delayed(a_0, product("fd_matrix", fd_matrix, v, _MADE) / dt_h.unsqueeze(-1))
    return write(state_seq, q_0 + product("integrate_matrix", integrate_matrix, v, _MADE), v, a)


def tensor_step_pos(
    state: JointState, act: Tensor, state_seq: JointState, fd_matrix: Tensor
) -> JointState:
    """Differentiate positions twice; each arrives one sample later.

    p = [q_0, u_0, …, u_{H−2}], v = [v_0, (fd·p)_{0 … H−2}], a = [a_0, (fd·v)_{0 … H−2}].

    Args:
        state: the start: position, velocity and acceleration of shape `(B, D)`.
        act: u, shape `(B, H, D)`.
        state_seq: its position, velocity and acceleration, tensors of shape `(B, H, D)`, are
            overwritten. Its jerk stays.
        fd_matrix: fd, shape `(H, H)`, forward differences over the time step:
            `build_fd_matrix(H) / dt`.

    Returns:
        `state_seq`.

    Raises:
        ArgumentError: if shapes do not fit, a field is missing, or two to write share memory.
        ArgumentTypeError: if an argument is no tensor, or no JointState, or a field is read-only.
        DeviceError, DTypeError: if devices or dtypes differ, or a field to write is of integers.
        LeafWriteError: if a field to write is a leaf that requires grad, and the tape records.
        GraphError: if one is another tensor that must not be written here: an inference tensor, or
            some views.
        TransformError: if one does not belong to the transform that is being computed.
        Whichever it is, no field is written.

    Example:
        >>> start = JointState.from_position(zeros(1, 1))
        >>> seq = JointState.zeros((1, 3, 1), TensorDeviceType())
        >>> u = tensor([[[1.0], [3.0], [9.0]]])
        >>> tensor_step_pos(start, u, seq, build_fd_matrix(3)).acceleration.flatten()
        tensor([0., 1., 1.])
    """
    q_0, v_0, a_0 = [row_of(state, name, act) for name in ("position", "velocity", "acceleration")]
    check_matrix("fd_matrix", fd_matrix, act)
    p = delayed(q_0, act)
    v = delayed(v_0, product("fd_matrix", fd_matrix, p, _MADE))
    a = delayed(a_0, product("fd_matrix", fd_matrix, v, _MADE))
    return overwrite(state_seq, {"position": p, "velocity": v, "acceleration": a})


def tensor_step_pos_ik(act: Tensor, state_seq: JointState) -> JointState:
    """Take positions as they are: `state_seq.position = act`, the same object.

    Args:
        act: the positions, of any shape.
        state_seq: gets them; its other fields stay.

    Returns:
        `state_seq`.

    Raises:
        ArgumentTypeError: if they are no tensor and no JointState.

    Example:
        >>> u = zeros(1, 3, 2)
        >>> tensor_step_pos_ik(u, JointState()).position is u
        True
    """
    check_tensor("act", act)
    check_state("state_seq", state_seq)
    state_seq.position = act
    return state_seq


def _twice(
    state: Tensor, act: Tensor, n_dofs: int, integrate_matrix: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """q, v and a of accelerations."""
    q_0, v_0 = parts_of_start(state, act, n_dofs, 2)
    check_matrix("integrate_matrix", integrate_matrix, act)
    v = v_0 + product("integrate_matrix", integrate_matrix, act)
    return q_0 + product("integrate_matrix", integrate_matrix, v, _MADE), v, act


def _check_steps(dt_h: Tensor, act: Tensor) -> None:
    check_shape("dt_h", dt_h, (act.shape[-2],), "one time step for each sample of act")
    check_device("dt_h", dt_h, "act", act)


_MADE = "act and state"
"""Of what the samples are computed that a matrix turns into others."""


# Where a start meets a trajectory: as the row `(B, 1, n)` before its H rows `(B, H, n)` -----------


def parts_of_start(state: Tensor, act: Tensor, n_dofs: int, parts: int) -> list[Tensor]:
    """The first columns of a start, `n_dofs` for each part, as rows before the samples of `act`.

    Raises:
        ArgumentError: if there are not that many columns, or they do not fit `act`.
    """
    n = count("n_dofs", n_dofs, 1)
    check_tensor("state", state)
    if not state.ndim or state.shape[-1] < parts * n:
        raise ArgumentError(
            f"state has shape {tuple(state.shape)}, expected (B, {parts * n}) or more columns. "
            f"With n_dofs={n} they are {parts} parts of {n}, positions first. "
            f"Pass `state` of shape (B, {parts * n})."
        )
    return [_row("state", state[..., k * n : (k + 1) * n], act) for k in range(parts)]


def row_of(state: JointState, name: str, act: Tensor) -> Tensor:
    """A field of a start as a row before the samples of `act`.

    Raises:
        ArgumentError: if it is missing, or does not fit.
    """
    return _row(f"state.{name}", field_of(state, "state", name), act)


def delayed(first: Tensor, rest: Tensor) -> Tensor:
    """[first, rest_0, …, rest_{H−2}]: the same one sample later, its last one lost."""
    batch = np.broadcast_shapes(tuple(first.shape[:-2]), tuple(rest.shape[:-2]))
    kept = rest.narrow(-2, 0, rest.shape[-2] - 1)
    return cat([x.expand(*batch, *x.shape[-2:]) for x in (first, kept)], dim=-2)


def columns(q: Tensor, v: Tensor, a: Tensor) -> Tensor:
    """[q, v, a] along the last axis."""
    return cat([q, v, a.expand(q.shape)], dim=-1)


def write(state_seq: Tensor, q: Tensor, v: Tensor, a: Tensor) -> Tensor:
    """Overwrite the first columns of `state_seq` by [q, v, a]; returns it.

    Raises:
        ArgumentError: if its shape does not fit.
        DeviceError, DTypeError: if it is on another device, or has no room for the values.
    """
    check_tensor("state_seq", state_seq)
    values = columns(q, v, a)
    *rows, width = values.shape
    if list(state_seq.shape[:-1]) != rows or state_seq.shape[-1] < width:
        raise ArgumentError(
            f"state_seq has shape {tuple(state_seq.shape)}, expected {(*rows, width)} or more "
            "columns. It takes positions, velocities and accelerations of each sample. "
            f"Pass `state_seq` of shape {(*rows, width)}."
        )
    _check_room("state_seq", state_seq, values)
    state_seq[..., :width] = values
    return state_seq


def overwrite(state_seq: JointState, values: dict[str, Tensor]) -> JointState:
    """Overwrite fields of `state_seq`, all of them or, if one cannot be written, none; returns it.

    Raises:
        ArgumentError: if one is missing, has another shape, or its memory is not its own.
        ArgumentTypeError: if its memory is read-only.
        DeviceError, DTypeError: if one is on another device, or has no room for the values.
        LeafWriteError: if one is a leaf that requires grad, or a view of one, and the tape records.
        GraphError: if one is an inference tensor outside of inference mode.
        TransformError: if one does not belong to the transform that is being computed.
    """
    seen: list[tuple[str, Any]] = []
    for field, value in values.items():
        name, written = f"state_seq.{field}", field_of(state_seq, "state_seq", field)
        check_shape(name, written, tuple(value.shape), "a row for each sample of act")
        _check_room(name, written, value)
        _check_copy(written, value)
        memory = array_of(settled(written))
        check_memory(name, memory, seen)
        seen.append((name, memory))
    for field, value in values.items():
        getattr(state_seq, field).copy_(value)
    return state_seq


def _check_room(name: str, written: Tensor, value: Tensor) -> None:
    """Raise if the values would lose what makes them, or have to be moved."""
    check_device(name, written, "act", value)
    if not np.can_cast(value.payload.dtype, written.payload.dtype, "same_kind"):
        raise DTypeError(
            f"{name} is {written.dtype}, which has no room for the results: they are "
            f"{value.dtype}. What it cannot hold would be lost, and gradients with it. Write "
            f"`{name} = {name}.to(glassgrad.{value.dtype})`."
        )


def _check_copy(written: Tensor, value: Tensor) -> None:
    """Raise what `written.copy_(value)` would, by each transform that has a part in it."""
    below = level_below("copy", written, value)
    if below is not None:
        with below:
            _check_copy(written, value)
        return
    check_write(written, "copy", value)
    layer = settled(written).payload
    if isinstance(layer, Layer):
        source = layer.level.value_of(settled(value).payload)
        with layer.level.below():
            _check_copy(layer.value, source)


def _row(name: str, start: Tensor, act: Tensor) -> Tensor:
    # Without the axis, B rows of starts would pass for H rows of samples wherever B = H.
    check_tensor(name, start)
    check_tensor("act", act)
    row = start.unsqueeze(-2) if 0 < start.ndim < act.ndim else start
    n = act.shape[-1] if act.ndim else 0
    if tuple(row.shape[-2:]) != (1, n):
        raise ArgumentError(
            f"{name} has shape {tuple(start.shape)} for actions of shape {tuple(act.shape)}. A "
            f"start has one row of {n} columns for each trajectory. Pass it as (B, {n}), or as "
            f"(B, 1, {n})."
        )
    check_broadcasts(name, row, (*act.shape[:-2], 1, n), "one row for each trajectory")
    check_device(name, row, "act", act)
    return row


# Commanded positions, as products with matrices ---------------------------------------------------


Four = tuple[Tensor, Tensor, Tensor, Tensor]


class CliqueTensorStep(Function):
    """(p, v, a, j) of u    dp = n_mask·du, dv = fd_1·dp …    ū = n_maskᵀ·(p̄ + fd_1ᵀ·v̄ + …)

    `CliqueTensorStep.apply(u_act, start_position, mask, n_mask, fd_1, fd_2, fd_3)` takes what
    `jit_tensor_step_pos_clique` takes and returns what it returns, as one node.

    Only `u_act` has a gradient. The outputs depend on `start_position` and on the matrices, too,
    but those are data here: their gradients are None and their tangents are not looked at. Whoever
    wants them takes `jit_tensor_step_pos_clique`. Outputs that nobody used count as zeros.

    It works under `vmap`, `jvp`, `grad` and in forward mode, and can be differentiated twice.

    Example:
        >>> mask, n_mask = build_start_state_mask(3, TensorDeviceType())
        >>> fds = [build_fd_matrix(3, order=k, SHIFT=True) for k in (1, 2, 3)]
        >>> u = tensor([[[1.0], [3.0], [9.0]]], requires_grad=True)
        >>> p, v, a, j = CliqueTensorStep.apply(u, zeros(1, 1), mask, n_mask, *fds)
        >>> p.flatten()
        tensor([0., 1., 3.], grad_fn=<ViewBackward0>)
        >>> v.sum().backward()
        >>> u.grad.flatten()
        tensor([0., 1., 0.])
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(
        u_act: Tensor,
        start_position: Tensor,
        mask: Tensor,
        n_mask: Tensor,
        fd_1: Tensor,
        fd_2: Tensor,
        fd_3: Tensor,
    ) -> Four:
        return _step("u_act", u_act, start_position, mask, n_mask, fd_1, fd_2, fd_3)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        matrices = inputs[3:]
        ctx.save_for_backward(*matrices)
        ctx.save_for_forward(*matrices)
        ctx.size = output[0].shape  # more than u's where one u meets several starts

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        wanted = ctx.needs_input_grad[0]
        u_bar = jit_backward_pos_clique(*grads, *ctx.saved_tensors) if wanted else None
        return u_bar, None, None, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, du: Tensor | None, *_: Tensor | None) -> tuple[Tensor | None, ...]:
        if du is None:
            return None, None, None, None
        n_mask, *derivatives = ctx.saved_tensors
        dp = (n_mask @ du).expand(ctx.size)
        return dp, *[fd @ dp for fd in derivatives]


def tensor_step_pos_clique(
    state: JointState,
    act: Tensor,
    state_seq: JointState,
    mask_matrix: Sequence[Tensor],
    fd_matrix: Sequence[Tensor],
) -> JointState:
    """Fill a JointState with the trajectory of commanded positions, by `CliqueTensorStep`.

    Args:
        state: the start; its position, of shape `(B, D)`, is used, as data: no gradient flows to
            it.
        act: shape `(B, H, D)`, the positions u.
        state_seq: gets new tensors of shape `(B, H, D)` as its position, velocity, acceleration
            and jerk. What it held before is let go, not written to.
        mask_matrix: `[mask, n_mask]`, see `build_start_state_mask`.
        fd_matrix: `[fd_1, fd_2, fd_3]`, each `(H, H)`.

    Returns:
        `state_seq`.

    Raises:
        ArgumentError: for another number of matrices, or shapes that do not fit.
        ArgumentTypeError: if an argument is no tensor, no JointState, or no list of matrices.
        DeviceError, DTypeError: if devices or dtypes differ.

    Example:
        >>> masks = build_start_state_mask(3, TensorDeviceType())
        >>> fds = [build_fd_matrix(3, order=k, SHIFT=True) for k in (1, 2, 3)]
        >>> u, start = tensor([[[1.0], [3.0], [9.0]]]), JointState(zeros(1, 1))
        >>> tensor_step_pos_clique(start, u, JointState(), masks, fds).velocity.flatten()
        tensor([0., 1., 2.])
    """
    check_samples("act", act)
    check_state("state_seq", state_seq)
    start = field_of(state, "state", "position")
    _check_number("mask_matrix", mask_matrix, "[mask, n_mask]", 2)
    _check_number("fd_matrix", fd_matrix, "[fd_1, fd_2, fd_3]", 3)
    position, velocity, acceleration, jerk = CliqueTensorStep.apply(
        act, start, *mask_matrix, *fd_matrix
    )
    state_seq.position, state_seq.velocity = position, velocity
    state_seq.acceleration, state_seq.jerk = acceleration, jerk
    return state_seq


def jit_tensor_step_pos_clique(
    pos_act: Tensor,
    start_position: Tensor,
    mask: Tensor,
    n_mask: Tensor,
    fd_1: Tensor,
    fd_2: Tensor,
    fd_3: Tensor,
) -> Four:
    """The trajectory of commanded positions, of ordinary ops: gradients flow to every argument.

    x = mask·q_0 + n_mask·u;  (p, v, a, j) = (x, fd_1·x, fd_2·x, fd_3·x).

    Args:
        pos_act: u, shape `(B, H, D)`.
        start_position: q_0, shape `(B, D)`.
        mask: shape `(H, 1)`, 1 in its first row.
        n_mask: shape `(H, H)`, ones below the diagonal.
        fd_1, fd_2, fd_3: shape `(H, H)`, the derivatives.

    Returns:
        Position, velocity, acceleration and jerk, each of shape `(B, H, D)`.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor.
        DeviceError, DTypeError: if devices or dtypes differ.

    Example:
        >>> mask, n_mask = build_start_state_mask(3, TensorDeviceType())
        >>> fds = [build_fd_matrix(3, order=k, SHIFT=True) for k in (1, 2, 3)]
        >>> u, q_0 = tensor([[[1.0], [3.0], [9.0]]]), zeros(1, 1)
        >>> p, v, a, j = jit_tensor_step_pos_clique(u, q_0, mask, n_mask, *fds)
        >>> v.flatten(), a.flatten()
        (tensor([0., 1., 2.]), tensor([0., 1., 1.]))
    """
    return _step("pos_act", pos_act, start_position, mask, n_mask, fd_1, fd_2, fd_3)


def jit_tensor_step_pos_clique_contiguous(
    pos_act: Tensor,
    start_position: Tensor,
    mask: Tensor,
    n_mask: Tensor,
    fd_1: Tensor,
    fd_2: Tensor,
    fd_3: Tensor,
) -> Four:
    """`jit_tensor_step_pos_clique`, its four results laid out row after row in memory.

    Args, Returns, Raises: as there.

    Example:
        >>> mask, n_mask = build_start_state_mask(2, TensorDeviceType())
        >>> fd, u = build_fd_matrix(2, SHIFT=True), tensor([[[1.0], [3.0]]])
        >>> steps = jit_tensor_step_pos_clique_contiguous(u, zeros(1, 1), mask, n_mask, fd, fd, fd)
        >>> [step.is_contiguous() for step in steps]
        [True, True, True, True]
    """
    p, v, a, j = jit_tensor_step_pos_clique(pos_act, start_position, mask, n_mask, fd_1, fd_2, fd_3)
    return p.contiguous(), v.contiguous(), a.contiguous(), j.contiguous()


def jit_backward_pos_clique(
    grad_p: Tensor,
    grad_v: Tensor,
    grad_a: Tensor,
    grad_j: Tensor,
    n_mask: Tensor,
    fd_1: Tensor,
    fd_2: Tensor,
    fd_3: Tensor,
) -> Tensor:
    """The gradient of commanded positions: ū = n_maskᵀ·(p̄ + fd_1ᵀ·v̄ + fd_2ᵀ·ā + fd_3ᵀ·j̄).

    Args:
        grad_p, grad_v, grad_a, grad_j: p̄, v̄, ā, j̄, each of shape `(B, H, D)`.
        n_mask, fd_1, fd_2, fd_3: shape `(H, H)`, those of the step.

    Returns:
        ū, of shape `(B, H, D)`. Gradients flow to every argument.

    Raises:
        ArgumentError: if shapes do not fit.
        ArgumentTypeError: if an argument is no tensor.
        DeviceError, DTypeError: if devices or dtypes differ.

    Example:
        >>> n_mask = build_start_state_mask(3, TensorDeviceType())[1]
        >>> fd, none = build_fd_matrix(3, SHIFT=True), zeros(1, 3, 1)
        >>> jit_backward_pos_clique(none, none + 1, none, none, n_mask, fd, fd, fd).flatten()
        tensor([0., 1., 0.])
    """
    check_samples("grad_p", grad_p)
    for name, grad in zip(("grad_v", "grad_a", "grad_j"), (grad_v, grad_a, grad_j), strict=True):
        check_shape(name, grad, tuple(grad_p.shape), "the shape of the other gradients")
        check_device(name, grad, "grad_p", grad_p)
    _check_matrices("grad_p", grad_p, n_mask, fd_1, fd_2, fd_3)
    x_bar = grad_p + product("fd_1", fd_1.mT, grad_v, "grad_v")
    x_bar = x_bar + product("fd_2", fd_2.mT, grad_a, "grad_a")
    x_bar = x_bar + product("fd_3", fd_3.mT, grad_j, "grad_j")
    return product("n_mask", n_mask.mT, x_bar, "all gradients")


def jit_backward_pos_clique_contiguous(
    grad_p: Tensor,
    grad_v: Tensor,
    grad_a: Tensor,
    grad_j: Tensor,
    n_mask: Tensor,
    fd_1: Tensor,
    fd_2: Tensor,
    fd_3: Tensor,
) -> Tensor:
    """`jit_backward_pos_clique`, its result laid out row after row in memory.

    Args, Returns, Raises: as there.

    Example:
        >>> n_mask = build_start_state_mask(2, TensorDeviceType())[1]
        >>> fd, grad = build_fd_matrix(2, SHIFT=True), ones(1, 2, 1)
        >>> jit_backward_pos_clique_contiguous(*[grad] * 4, n_mask, fd, fd, fd).is_contiguous()
        True
    """
    return jit_backward_pos_clique(
        grad_p, grad_v, grad_a, grad_j, n_mask, fd_1, fd_2, fd_3
    ).contiguous()


def _step(
    of: str, u: Tensor, start_position: Tensor, mask: Tensor, n_mask: Tensor, *fds: Tensor
) -> Four:
    """The four results for positions u, which errors call by the name `of`."""
    _check_matrices(of, u, n_mask, *fds)
    *batch, horizon, joints = u.shape
    check_shape("mask", mask, (horizon, 1), f"one row for each of {horizon} samples")
    check_tensor("start_position", start_position)
    # With the axis of the samples, B starts would meet each of B trajectories: B·B of them.
    if not 0 < start_position.ndim <= max(u.ndim - 1, 2):
        raise ArgumentError(
            f"start_position has shape {tuple(start_position.shape)} for {of} of shape "
            f"{tuple(u.shape)}. A start is a row of joints for each trajectory, without an axis "
            "for samples. Pass it as (B, D)."
        )
    rows = (*batch, joints)
    check_broadcasts("start_position", start_position, rows, "one row for each trajectory")
    check_device("start_position", start_position, of, u)
    check_device("mask", mask, of, u)
    first = product("mask", mask, start_position.unsqueeze(-2), "start_position")
    position = first + product("n_mask", n_mask, u, of)
    made = f"{of} and start_position"
    velocity, acceleration, jerk = [
        product(name, fd, position, made) for name, fd in zip(_MATRICES[1:], fds, strict=True)
    ]
    return position, velocity, acceleration, jerk


_MATRICES = ("n_mask", "fd_1", "fd_2", "fd_3")


def _check_matrices(of: str, samples: Tensor, *matrices: Tensor) -> None:
    for name, matrix in zip(_MATRICES, matrices, strict=True):
        check_matrix(name, matrix, samples, of)


def _check_number(name: str, matrices: Any, names: str, number: int) -> None:
    if isinstance(matrices, Tensor) or not isinstance(matrices, Collection):
        raise ArgumentTypeError(
            f"{name} must be a list of {number} matrices, got {type(matrices).__name__}. Each has "
            f"its place in the step. Pass `{name}={names}`."
        )
    if len(matrices) != number:
        raise ArgumentError(
            f"{name} has {len(matrices)} matrices, expected {number}. Each has its place in the "
            f"step. Pass `{name}={names}`."
        )
