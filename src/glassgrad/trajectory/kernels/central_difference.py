"""Central differences over five points, which end at rest.

The positions x are the actions behind three ghosts and the start, the last action four times more:

    x = g₃ g₂ g₁ q₀ u₀ u₁ … uₗ uₗ uₗ uₗ uₗ        H + 4 of them, for H = A + 4 samples
            └── sample 0 is g₁; the start position is seen at sample 1
    g₁ = q₀ − Δv₀ − 3/2 Δ²a₀    g₂ = q₀ − 2Δv₀ − 2Δ²a₀    g₃ = q₀ − 3Δv₀ − 3/2 Δ²a₀

and of each window of five:

    p = x                  v = s (1, −8, 0, 8, −1)/12 · x
    a = s² (−1, 16, −30, 16, −1)/12 · x     j = s³ (−1, 2, 0, −2, 1)/2 · x
"""

from typing import Any

import numpy as np

from ._fused import Arrays, FusedStep, Scheme

PADDING = 4
"""How many samples there are more than actions."""


STENCILS = (
    (np.subtract, 8 / 12, 0.0, -1 / 12),
    (np.add, 16 / 12, -30 / 12, -1 / 12),
    (np.subtract, -1.0, 0.0, 1 / 2),
)
"""Of v, a and j: how a window's later points meet its earlier ones, and the weights of the two
neighbours of its middle, of the middle, and of the two far points."""


def forward(u: Any, start: Arrays, s: float, out: Arrays) -> None:
    """Write positions, velocities, accelerations and jerks.

    Args:
        u: the actions, `(B, A, D)`.
        start: position, velocity and acceleration, each `(B, D)`.
        s: one over the time step.
        out: four arrays of the shape `(B, A + 4, D)`.
    """
    q_0, v_0, a_0 = start
    step, half = 1.0 / s, 1.5 / (s * s)
    x = _extended(u)
    x[:, 0] = q_0 - 3.0 * step * v_0 - half * a_0
    x[:, 1] = q_0 - 2.0 * step * v_0 - 2.0 * step * step * a_0
    x[:, 2] = q_0 - step * v_0 - half * a_0
    x[:, 3] = q_0
    x[:, 4:-PADDING] = u
    x[:, -PADDING:] = u[:, -1:]
    out[0][...] = x[:, 2:-2]
    for order, (mirror, near_by, middle_by, far_by) in enumerate(STENCILS, 1):
        found, far = out[order], mirror(x[:, 4:], x[:, :-4])
        mirror(x[:, 3:-1], x[:, 1:-3], out=found)
        found *= near_by * s**order
        far *= far_by * s**order
        found += far
        if middle_by:
            found += x[:, 2:-2] * (middle_by * s**order)


def _extended(u: Any) -> Any:
    return np.zeros_like(u, shape=(u.shape[0], u.shape[1] + 2 * PADDING, u.shape[2]))


def adjoint(grads: Arrays, s: float, out: Any, _work: Any) -> None:
    """Write the gradient of `u`: each window gives back to its five points.

    Args:
        grads: those of positions, velocities, accelerations and jerks, each `(B, A + 4, D)` or
            None.
        s: one over the time step.
        out: of the shape `(B, A, D)`.
        _work: memory, not used.
    """
    x = _extended(out)
    if grads[0] is not None:
        x[:, 2:-2] += grads[0]
    for order, (mirror, near_by, middle_by, far_by) in enumerate(STENCILS, 1):
        if grads[order] is not None:
            near, far = grads[order] * (near_by * s**order), grads[order] * (far_by * s**order)
            x[:, 3:-1] += near
            x[:, 4:] += far
            mirror(x[:, 1:-3], near, out=x[:, 1:-3])
            mirror(x[:, :-4], far, out=x[:, :-4])
            if middle_by:
                x[:, 2:-2] += grads[order] * (middle_by * s**order)
    out[...] = x[:, 4:-PADDING]
    out[:, -1] += x[:, -PADDING:].sum(axis=1)


def literal_adjoint(grads: Arrays, s: float, out: Any, work: Any) -> None:
    """`adjoint` as in `numerics("curobo")`: the last action hears of positions alone."""
    adjoint(grads, s, out, work)
    out[:, -1] = 0.0 if grads[0] is None else grads[0][:, -3:].sum(axis=1)


_EXACT = Scheme(forward, adjoint, padding=PADDING, kernel="central")
_LITERAL = Scheme(forward, literal_adjoint, padding=PADDING)


# The Functions ----------------------------------------------------------------------------------


class CliqueTensorStepCentralDifferenceKernel(FusedStep):
    """A trajectory that ends at rest, and its derivatives as central differences over five points.

    Sample 0 lies one step before the start, which is seen at sample 1; action t is seen at sample
    t + 2, and the last one in the last three samples.

    Args:
        u_act: the positions from sample 2 on, `(B, H − 4, D)`; the last one stays to the end.
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
        >>> u, q = ones(1, 6, 1, requires_grad=True), tensor([[1.0]])
        >>> still = tensor([[0.0]])
        >>> p, v, a, j = CliqueTensorStepCentralDifferenceKernel.apply(
        ...     u, q, still, still, *[None] * 4, tensor([1.0]), None
        ... )
        >>> tuple(p.shape), v.abs().max().item()
        ((1, 10, 1), 0.0)
        >>> p.sum().backward()
        >>> u.grad.flatten().tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 3.0]
    """

    exact, literal = _EXACT, _LITERAL


class CliqueTensorStepIdxCentralDifferenceKernel(FusedStep):
    """`CliqueTensorStepCentralDifferenceKernel`, each trajectory starting from a row of the start.

    Args, Returns, Raises: as there, but each start has the shape `(N, D)`, and behind them stands
    `start_idx`, integers `(B,)` or `(B, 1)`: the row that each trajectory starts from. If there is
    no such row, a DimError is raised.

    Example:
        >>> u, q = ones(1, 6, 1, requires_grad=True), tensor([[1.0]])
        >>> still = tensor([[0.0]])
        >>> p, v, a, j = CliqueTensorStepIdxCentralDifferenceKernel.apply(
        ...     u, q, still, still, tensor([0]), *[None] * 4, tensor([1.0]), None
        ... )
        >>> tuple(p.shape), v.abs().max().item()
        ((1, 10, 1), 0.0)
        >>> p.sum().backward()
        >>> u.grad.flatten().tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 3.0]
    """

    exact, literal = _EXACT, _LITERAL
    is_indexed = True
