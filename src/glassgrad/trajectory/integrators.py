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
"""

from typing import Any

from glassgrad.core.tensor import Tensor

from ._arguments import (
    check_broadcasts,
    check_device,
    check_matrix,
    check_shape,
    check_tensor,
    product,
)
from ._rows import check_state, columns, delayed, overwrite, parts_of_start, row_of, write
from .states import JointState


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
    integral: Tensor = q_0 + product("integrate_matrix", integrate_matrix, u, of="u")
    return integral


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
