"""A trajectory from commanded positions: one product with a matrix for each derivative.

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

from glassgrad.autograd.function import Function
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor

from ._arguments import (
    check_broadcasts,
    check_device,
    check_matrix,
    check_samples,
    check_shape,
    check_tensor,
    product,
)
from .states import JointState, check_state, field_of

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
