"""Backward differences: positions, and three times the difference to the sample before.

    p₀ = q₀          v₀ = v₀             a₀ = a₀             j₀ = 0
    pₕ = uₕ₋₁        vₕ = s(pₕ − pₕ₋₁)   aₕ = s(vₕ − vₕ₋₁)   jₕ = s(aₕ − aₕ₋₁)

`s` is one over the time step. All arrays have the shape `(B, H, D)`, those of the start `(B, D)`.

# Note [One row of memory]
# NumPy is two to three times as fast on one long row as on a slice of each trajectory. So the
# difference is taken over all memory, D elements apart: from the last sample of a trajectory to the
# first one of the next, too. What is wrong there is written over before anybody reads it.
"""

from typing import Any

import numpy as np

from ._fused import Arrays, FusedStep, Scheme


def forward(u: Any, start: Arrays, s: float, out: Arrays) -> None:
    """Write positions, velocities, accelerations and jerks.

    Args:
        u: the positions of samples 1 to H − 1; its last row is not used.
        start: position, velocity and acceleration of sample 0, each `(B, D)`.
        s: one over the time step.
        out: four arrays like `u`, in C order.
    """
    joints = u.shape[2]
    rows = [x.reshape(-1) for x in out]
    rows[0][joints:] = u.reshape(-1)[:-joints]
    out[0][:, 0] = start[0]
    for at, begin in enumerate((start[1], start[2], 0.0)):
        x, y = rows[at], rows[at + 1][joints:]
        np.subtract(x[joints:], x[:-joints], out=y)
        np.multiply(y, s, out=y)
        out[at + 1][:, 0] = begin


def literal_forward(u: Any, start: Arrays, s: float, out: Arrays) -> None:
    """`forward` with the ghosts of `numerics("curobo")`: they step by `s` where 1/s is meant."""
    q_0, v_0, a_0 = start
    behind = s * s * (v_0 - a_0 * (0.5 * s))  # the velocity between the ghosts and the start
    forward(u, (q_0, behind, 0.0), s, out)
    out[1][:, 0], out[2][:, 0] = v_0, a_0


def adjoint(grads: Arrays, s: float, out: Any, work: Any) -> None:
    """Write the gradient of `u`: with Dx = xₕ − xₕ₊₁, it is p̄ + sD(v̄ + sD(ā + sDj̄)), from h = 1 on.

    What belongs to sample h is computed in row h − 1, where the gradient of uₕ₋₁ is wanted; the
    last row stays zero.

    Args:
        grads: those of positions, velocities, accelerations and jerks, each `(B, H, D)` or None.
        s: one over the time step.
        out: of the shape `(B, H, D)`, in C order.
        work: memory like `out`, to compute in.
    """
    joints, degree = out.shape[2], max(at for at, grad in enumerate(grads) if grad is not None)
    x, y = (work, out) if degree % 2 else (out, work)  # each derivative swaps them: `out` is last
    x[:, :-1], x[:, -1] = grads[degree][:, 1:], 0.0
    for grad in reversed(grads[:degree]):
        before, found = x.reshape(-1), y.reshape(-1)[:-joints]
        np.subtract(before[:-joints], before[joints:], out=found)
        np.multiply(found, s, out=found)
        if grad is not None:
            np.add(found, grad.reshape(-1)[joints:], out=found)
        y[:, -1] = 0.0
        x, y = y, x


_EXACT = Scheme(forward, adjoint, kernel="backward")
_COALESCED = Scheme(forward, adjoint, kernel="backward", by_time=True)
_LITERAL = Scheme(literal_forward, adjoint)


# The Functions ----------------------------------------------------------------------------------


class CliqueTensorStepKernel(FusedStep):
    """A trajectory of positions, and its derivatives as differences to the sample before.

    pₕ = uₕ₋₁, vₕ = s(pₕ − pₕ₋₁), aₕ = s(vₕ − vₕ₋₁), jₕ = s(aₕ − aₕ₋₁),
    from h = 1 on, behind the start.

    Args:
        u_act: the positions of samples 1 to H − 1, `(B, H, D)`; its last row is not used.
        start_position, start_velocity, start_acceleration: sample 0, each `(B, D)`.
        out_position, out_velocity, out_acceleration, out_jerk: memory `(B, H, D)` that is written
            completely, or None for new memory. What an earlier call returned may be given again;
            what its graph saved of that is then gone, and its backward raises.
        traj_dt: one over the time step; its first element counts.
        out_grad_position: memory like `u_act` that the gradient is left in, or None.

    Returns:
        Position, velocity, acceleration and jerk, each `(B, H, D)`.

    Raises:
        ArgumentError: for a shape that does not fit, a bad time step, or memory used twice.
        ArgumentTypeError: for mixed or non-floating dtypes, devices, or a read-only buffer.
        LeafWriteError: if a buffer is a leaf that requires grad.
        TransformError: for a buffer inside of a transform.

    Example:
        >>> u, q = tensor([[[1.0], [3.0], [0.0]]], requires_grad=True), tensor([[0.0]])
        >>> p, v, a, j = CliqueTensorStepKernel.apply(u, q, q, q, *[None] * 4, tensor([1.0]), None)
        >>> v.flatten().tolist(), a.flatten().tolist()
        ([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])
        >>> v.sum().backward()
        >>> u.grad.flatten().tolist()
        [0.0, 1.0, 0.0]
    """

    exact, literal = _EXACT, _LITERAL


class CliqueTensorStepIdxKernel(FusedStep):
    """`CliqueTensorStepKernel`, each trajectory starting from a row of the start tensors.

    Args, Returns, Raises: as there, but each start has the shape `(N, D)`, and behind them stands
    `start_idx`, integers `(B,)` or `(B, 1)`: the row that each trajectory starts from. If there is
    no such row, a DimError is raised.

    Example:
        >>> u, q = tensor([[[1.0], [3.0], [0.0]]], requires_grad=True), tensor([[0.0]])
        >>> p, v, a, j = CliqueTensorStepIdxKernel.apply(
        ...     u, q, q, q, tensor([0]), *[None] * 4, tensor([1.0]), None
        ... )
        >>> v.flatten().tolist(), a.flatten().tolist()
        ([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])
        >>> v.sum().backward()
        >>> u.grad.flatten().tolist()
        [0.0, 1.0, 0.0]
    """

    exact, literal = _EXACT, _LITERAL
    is_indexed = True


class CliqueTensorStepCoalesceKernel(FusedStep):
    """`CliqueTensorStepKernel`, with threads side by side along time on a GPU.

    The numbers are the same, and on a CPU so is the work.

    Args, Returns, Raises: as there.

    Example:
        >>> u, q = tensor([[[1.0], [3.0], [0.0]]], requires_grad=True), tensor([[0.0]])
        >>> p, v, a, j = CliqueTensorStepCoalesceKernel.apply(
        ...     u, q, q, q, *[None] * 4, tensor([1.0]), None
        ... )
        >>> v.flatten().tolist(), a.flatten().tolist()
        ([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])
        >>> v.sum().backward()
        >>> u.grad.flatten().tolist()
        [0.0, 1.0, 0.0]
    """

    exact, literal = _COALESCED, _LITERAL
