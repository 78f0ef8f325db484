"""Differences and sums along a trajectory, written as matrices.

A column x of H samples is differentiated by D x and integrated by L x. As D and L are fixed, the
backward pass multiplies by their transposes: nothing else has to be derived.

                 -1  1  0  0                     0  0  0  0                   1  0  0  0
    default       0 -1  1  0     SHIFT=True     -1  1  0  0     build_int     1  1  0  0
                  0  0 -1  1                     0 -1  1  0     _matrix       1  1  1  0
                  0  0  0  0                     0  0 -1  1                   1  1  1  1

No difference knows the time step: divide by it, `fd / dt`, or multiply rows by `(1 / dt)`.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.ops.creation import as_tensor, eye, ones, tensor
from glassgrad.ops.diagonals import tril
from glassgrad.ops.joining import cat
from glassgrad.values.dtypes import DType, float32

from ._arguments import check_shape, count
from .states import TensorDeviceType, dtype_of, settings_of

Array = np.ndarray[Any, np.dtype[Any]]


def build_fd_matrix(
    horizon: int,
    device: Any = "cpu",
    dtype: Any = float32,
    order: int = 1,
    PREV_STATE: bool = False,
    FULL_RANK: bool = False,
    SHIFT: bool = False,
) -> Tensor:
    """The matrix of finite differences along a trajectory, for a time step of 1.

    Four forms, of which the flags choose one; PREV_STATE goes before FULL_RANK before SHIFT:

        default       (F x)_i = x_{i+1} − x_i, last row zero            Fᵏ
        SHIFT         (S x)_i = x_i − x_{i−1}, row 0 zero               Sᵏ
        PREV_STATE    F of size n = H + order                           the first H rows of −Fᵏ
        FULL_RANK     m = H // 2: x_i − x_{i+1} above row m, x_{m+1} − x_{m−1} in it, and
                      x_i − x_{i−1} below; `order` is not looked at

    with k = max(order, 1): order 0 is order 1.

    Conventions that surprise: near its zero row a power is no difference any more: row H − 2 of F²
    is x_{H−2} − x_{H−1}, row 1 of S² is x_1 − x_0. PREV_STATE has the other sign, x_i − x_{i+1}
    for order 1. FULL_RANK is singular whatever its name says: it takes constants to zero.

    Args:
        horizon: H, the number of samples.
        device, dtype: of the matrix; None for the default dtype.
        order: of the derivative.
        PREV_STATE: one more column for each order; the samples begin that many steps earlier.
        FULL_RANK: differences towards the middle; for an odd H from 3 up.
        SHIFT: backward differences.

    Returns:
        Tensor of shape `(H, H)`; with PREV_STATE `(H, H + order)`.

    Raises:
        ArgumentError: for `horizon` < 1, `order` < 0, or FULL_RANK with another H than it is for.
        ArgumentTypeError: if they are no integers.
        DTypeError: for a `dtype` without negative numbers.

    Example:
        >>> build_fd_matrix(3)
        tensor([[-1.,  1.,  0.],
                [ 0., -1.,  1.],
                [ 0.,  0.,  0.]])
        >>> build_fd_matrix(3, order=2, SHIFT=True)
        tensor([[ 0.,  0.,  0.],
                [-1.,  1.,  0.],
                [ 1., -2.,  1.]])
    """
    rows, order, dtype = count("horizon", horizon, 1), count("order", order, 0), dtype_of(dtype)
    if dtype.kind in "ub":
        raise DTypeError(
            f"build_fd_matrix was given dtype {dtype}, which has no negative numbers. A difference "
            "has one in each row. Write `dtype=glassgrad.float32`."
        )
    if PREV_STATE:
        values = 0 - _forward(rows + order, order)[:rows]  # a negated 0 would print as -0.
    elif FULL_RANK:
        values = _towards_the_middle(rows)
    elif SHIFT:
        # 1 − N where N delays by one sample, but for sample 0, which has none before it.
        backward = np.eye(rows) - np.eye(rows, k=-1)
        backward[0] = 0
        values = _power(backward, order)
    else:
        values = _forward(rows, order)
    return tensor(values, device=device, dtype=dtype)


def build_int_matrix(
    horizon: int,
    diagonal: int = 0,
    device: Any = "cpu",
    dtype: Any = float32,
    order: int = 1,
    traj_dt: Tensor | None = None,
) -> Tensor:
    """The matrix of running sums along a trajectory.

    (L x)_i = Σ_{j ≤ i + diagonal} x_j. With steps, L·diag(traj_dt): each sample counts for the
    time that it lasts. The result is that to the power of `order`. Gradients flow to `traj_dt`.

    Args:
        horizon: H, the number of samples.
        diagonal: 0 for sums that include their own sample, −1 for sums that do not.
        device, dtype: of the matrix; None for the default dtype.
        order: how often to integrate; 0 gives the identity.
        traj_dt: shape `(H,)`, the time steps. It is converted to `dtype`.

    Returns:
        Tensor of shape `(H, H)`.

    Raises:
        ArgumentError: for `horizon` < 1, `order` < 0, or another shape of `traj_dt`.
        ArgumentTypeError: if `horizon` or `order` is no integer.
        DTypeError: for a `dtype` of integers with time steps that have fractions.

    Example:
        >>> build_int_matrix(3, traj_dt=tensor([0.5, 1.0, 2.0]))
        tensor([[0.5000, 0.0000, 0.0000],
                [0.5000, 1.0000, 0.0000],
                [0.5000, 1.0000, 2.0000]])
    """
    rows, order = count("horizon", horizon, 1), count("order", order, 0)
    dtype = dtype_of(dtype)
    if not order:
        return eye(rows, device=device, dtype=dtype)
    once = tril(ones(rows, rows, device=device, dtype=dtype), diagonal)
    if traj_dt is not None:
        once = once * _steps("traj_dt", traj_dt, rows, device, dtype)  # scales columns: L·diag(dt)
    product = once
    for _ in range(order - 1):
        product = product @ once
    return product


def build_clique_matrix(
    horizon: int, dt: Tensor, device: Any = "cpu", dtype: Any = float32
) -> Tensor:
    """Three matrices on top of one another: positions, velocities, and velocities over dt.

        N             (N x)_i = x_{i−1}, row 0 zero: what was commanded arrives a step later
        V             diag(1/dt)·S, with S the backward differences of `build_fd_matrix`
        diag(1/dt)·V

    The third block looks like an acceleration and is none: it divides the velocity by dt once
    more, instead of differentiating it. That is cuRobo's convention; nothing in this package
    uses it. For accelerations, write `build_fd_matrix(H, order=2, SHIFT=True)`.

    Args:
        horizon: H, the number of samples.
        dt: shape `(H,)`, the time steps. It is converted to `dtype`; gradients flow to it.
        device, dtype: of the matrix; None for the default dtype.

    Returns:
        Tensor of shape `(3 H, H)`. For H = 1 it is all zeros.

    Raises:
        ArgumentError: for `horizon` < 1, or another shape of `dt`.
        ArgumentTypeError: if `horizon` is no integer.
        DTypeError: for a `dtype` of integers.

    Example:
        >>> build_clique_matrix(2, tensor([0.5, 0.5]))
        tensor([[ 0.,  0.],
                [ 1.,  0.],
                [ 0.,  0.],
                [-2.,  2.],
                [ 0.,  0.],
                [-4.,  4.]])
    """
    rows, dtype = count("horizon", horizon, 1), dtype_of(dtype)
    if not is_differentiable(dtype):
        raise DTypeError(
            f"build_clique_matrix was given dtype {dtype}, which has no fractions. Its rows are "
            "divided by the time step. Write `dtype=glassgrad.float32`."
        )
    rate = 1 / _steps("dt", dt, rows, device, dtype).unsqueeze(-1)
    velocity = rate * build_fd_matrix(rows, device, dtype, SHIFT=True)
    delay = tensor(np.eye(rows, k=-1), device=device, dtype=dtype)
    return cat([delay, velocity, rate * velocity])


def build_start_state_mask(horizon: int, tensor_args: TensorDeviceType) -> tuple[Tensor, Tensor]:
    """Two matrices that put a start state in front of what is commanded.

    mask·q_0 + n_mask·u = [q_0, u_0, …, u_{H−2}]: the last command never arrives.

    Args:
        horizon: H, the number of samples.
        tensor_args: device and dtype of the matrices.

    Returns:
        mask: tensor of shape `(H, 1)`, 1 in its first row.
        n_mask: tensor of shape `(H, H)`, ones below the diagonal: (N u)_i = u_{i−1}.

    Raises:
        ArgumentError: for `horizon` < 1.
        ArgumentTypeError: if it is no integer.

    Example:
        >>> mask, n_mask = build_start_state_mask(3, TensorDeviceType())
        >>> (mask @ tensor([[7.0]]) + n_mask @ tensor([[1.0], [2.0], [3.0]])).flatten()
        tensor([7., 1., 2.])
    """
    rows = count("horizon", horizon, 1)
    settings = settings_of(tensor_args)
    return tensor(np.eye(rows, 1), **settings), tensor(np.eye(rows, k=-1), **settings)


def _forward(size: int, order: int) -> Array:
    """Fᵏ of `size` rows, with k = max(order, 1)."""
    forward = np.eye(size, k=1) - np.eye(size)
    forward[-1] = 0
    return _power(forward, order)


def _power(matrix: Array, order: int) -> Array:
    return np.linalg.matrix_power(matrix, max(order, 1))


def _towards_the_middle(rows: int) -> Array:
    if rows < 3 or rows % 2 == 0:
        raise ArgumentError(
            f"FULL_RANK with horizon={rows} has no middle row with neighbours on both sides. Its "
            "differences point there. Write an odd horizon from 3 up, or leave out FULL_RANK."
        )
    middle = rows // 2
    values = np.eye(rows) - np.eye(rows, k=1)
    values[middle, middle - 1 : middle + 2] = -1, 0, 1
    values[middle + 1 :] = (np.eye(rows) - np.eye(rows, k=-1))[middle + 1 :]
    return values


def _steps(name: str, steps: Any, rows: int, device: Any, dtype: DType) -> Tensor:
    """The time steps as a tensor of the matrix's dtype; gradients flow through.

    Raises:
        ArgumentError: if there is not one for each row.
        DTypeError: if that dtype is one of integers, and theirs is none.
    """
    if not is_differentiable(dtype) and is_differentiable(as_tensor(steps).dtype):
        raise DTypeError(
            f"{name} has fractions, but the matrix is to be {dtype}, which has none. Time steps "
            "would be cut off to whole numbers. Write `dtype=glassgrad.float32`."
        )
    found = as_tensor(steps, device=device, dtype=dtype)
    check_shape(name, found, (rows,), f"one time step for each of {rows} samples")
    return found
