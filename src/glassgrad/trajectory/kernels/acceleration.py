"""Semi-implicit Euler steps from accelerations.

    a₀, v₀, p₀ = the start    aₕ = uₕ₋₁    vₕ = vₕ₋₁ + Δₕaₕ    pₕ = pₕ₋₁ + Δₕvₕ
    j₀ = 0                    jₕ = (aₕ − aₕ₋₁)/Δₕ

`Δ` has one time step per sample, `(H,)`; the first is not used.
"""

from typing import Any

import numpy as np

from ._fused import Arrays, FusedStep, Scheme


def forward(u: Any, start: Arrays, steps: Any, out: Arrays) -> None:
    """Write positions, velocities, accelerations and jerks.

    Args:
        u: the accelerations of samples 1 to H − 1, `(B, H, D)`; its last row is not used.
        start: position, velocity and acceleration of sample 0, each `(B, D)`.
        steps: Δ, `(H,)`.
        out: four arrays like `u`.
    """
    p, v, a, step = _begun(u, start, steps, out)
    _sum(v, start[1], a * step)
    _sum(p, start[0], v[:, 1:] * step)


def literal_forward(u: Any, start: Arrays, steps: Any, out: Arrays) -> None:
    """The steps of `numerics("curobo")`: v grows by ½Δa, p by Δv of the sample before and ½Δ²a."""
    p, v, a, step = _begun(u, start, steps, out)
    _sum(v, start[1], a * (0.5 * step))
    _sum(p, start[0], v[:, :-1] * step + a * (0.5 * step * step))


def _begun(u: Any, start: Arrays, steps: Any, out: Arrays) -> Arrays:
    """Write accelerations and jerks; returns p, v, and of all samples but the first a and Δ."""
    p, v, a, j = out
    step = steps[1:, None]
    a[:, 0], j[:, 0] = start[2], 0.0
    a[:, 1:] = u[:, :-1]
    np.subtract(a[:, 1:], a[:, :-1], out=j[:, 1:])
    j[:, 1:] /= step
    return p, v, a[:, 1:], step


def _sum(x: Any, first: Any, growth: Any) -> None:
    """Write samples that begin at `first` and grow from one to the next."""
    x[:, 0], x[:, 1:] = first, growth
    np.cumsum(x, axis=1, out=x)


def adjoint(grads: Arrays, steps: Any, out: Any, _work: Any) -> None:
    """Write the gradient of `u`: sums from the end, and the difference of the jerks' gradients.

    Args:
        grads: those of positions, velocities, accelerations and jerks, each `(B, H, D)` or None.
        steps: Δ, `(H,)`.
        out: of the shape `(B, H, D)`.
        _work: memory, not used.
    """
    p, v, a, j = [None if grad is None else grad[:, 1:] for grad in grads]
    step = steps[1:, None]
    found = out[:, :-1]
    found[...] = 0.0 if a is None else a
    if p is not None:
        p = _summed(p) * step
        v = p if v is None else p + v
    if v is not None:
        found += _summed(v) * step
    if j is not None:
        j = j / step
        found += j
        found[:, :-1] -= j[:, 1:]
    out[:, -1] = 0.0


def _summed(grad: Any) -> Any:
    """For each sample the sum over it and all later ones."""
    return np.cumsum(grad[:, ::-1], axis=1)[:, ::-1]


_EXACT = Scheme(forward, adjoint, per_sample=True, kernel="euler")
_LITERAL = Scheme(forward, None, per_sample=True)
_HALVED = Scheme(literal_forward, None, per_sample=True)


# The Functions ----------------------------------------------------------------------------------


class AccelerationTensorStepKernel(FusedStep):
    """A trajectory of accelerations, summed to velocities and positions.

    aₕ = uₕ₋₁, vₕ = vₕ₋₁ + Δₕaₕ, pₕ = pₕ₋₁ + Δₕvₕ, jₕ = (aₕ − aₕ₋₁)/Δₕ,
    from h = 1 on, behind the start.

    Args:
        u_act: the accelerations of samples 1 to H − 1, `(B, H, D)`; its last row is not used.
        start_position, start_velocity, start_acceleration: sample 0, each `(B, D)`.
        out_position, out_velocity, out_acceleration, out_jerk: memory `(B, H, D)` that is written
            completely, or None for new memory. What an earlier call returned may be given again;
            what its graph saved of that is then gone, and its backward raises.
        traj_dt: the time step before each sample, `(H,)`; the first is not used.
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
        >>> p, v, a, j = AccelerationTensorStepKernel.apply(u, q, q, q, *[None] * 4, ones(3), None)
        >>> v.flatten().tolist(), p.flatten().tolist()
        ([0.0, 1.0, 4.0], [0.0, 1.0, 5.0])
        >>> p.sum().backward()
        >>> u.grad.flatten().tolist()
        [3.0, 1.0, 0.0]
    """

    exact, literal = _EXACT, _HALVED


class AccelerationTensorStepIdxKernel(FusedStep):
    """`AccelerationTensorStepKernel`, each trajectory starting from a row of the start tensors.

    Args, Returns, Raises: as there, but each start has the shape `(N, D)`, and behind them stands
    `start_idx`, integers `(B,)` or `(B, 1)`: the row that each trajectory starts from. If there is
    no such row, a DimError is raised.

    Example:
        >>> u, q = tensor([[[1.0], [3.0], [0.0]]], requires_grad=True), tensor([[0.0]])
        >>> p, v, a, j = AccelerationTensorStepIdxKernel.apply(
        ...     u, q, q, q, tensor([0]), *[None] * 4, ones(3), None
        ... )
        >>> v.flatten().tolist(), p.flatten().tolist()
        ([0.0, 1.0, 4.0], [0.0, 1.0, 5.0])
        >>> p.sum().backward()
        >>> u.grad.flatten().tolist()
        [3.0, 1.0, 0.0]
    """

    exact, literal = _EXACT, _LITERAL
    is_indexed = True
