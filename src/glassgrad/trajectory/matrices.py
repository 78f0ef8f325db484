"""Differences and sums along a trajectory, and points between its points, written as matrices.

A column x of H samples is differentiated by D x and integrated by L x. As D and L are fixed, the
backward pass multiplies by their transposes: nothing else has to be derived.

                 -1  1  0  0                     0  0  0  0                   1  0  0  0
    default       0 -1  1  0     SHIFT=True     -1  1  0  0     build_int     1  1  0  0
                  0  0 -1  1                     0 -1  1  0     _matrix       1  1  1  0
                  0  0  0  0                     0  0 -1  1                   1  1  1  1

No difference knows the time step: divide by it, `fd / dt`, or multiply rows by `(1 / dt)`.

Between h way-points lie h − 1 segments, of n = `int_steps` rows each. A kernel is a matrix of
(h − 1)·n rows and h columns that turns way-points into rows; its transpose takes gradients back.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.ops.creation import arange, as_tensor, eye, ones, tensor
from glassgrad.ops.diagonals import tril
from glassgrad.ops.joining import cat
from glassgrad.trajectory._arguments import check_shape, check_tensor, count
from glassgrad.trajectory.states import TensorDeviceType, dtype_of, settings_of
from glassgrad.values.dtypes import DType, float32

__all__ = [
    "action_interpolate_kernel",
    "build_clique_matrix",
    "build_fd_matrix",
    "build_int_matrix",
    "build_start_state_mask",
    "interpolate_kernel",
    "sum_matrix",
    "tensor_linspace",
]

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


# Points between points ----------------------------------------------------------------------------


def tensor_linspace(start_tensor: Tensor, end_tensor: Tensor, steps: int = 10) -> Tensor:
    """Points on the straight line between two tensors, without its start and with its end.

    start + c·(end − start) with c = (1/steps, 2/steps, …, 1) along the last axis. A start of shape
    `(n, 1)` gives `(n, steps)`. One that has `steps` entries there is met by c entry by entry.

    Args:
        start_tensor, end_tensor: tensors whose shapes broadcast with each other and `(steps,)`.
        steps: how many points.

    Returns:
        Tensor of the shape that they broadcast to. Its gradients are ḡ·(1 − c) and ḡ·c, summed
        over the axes that were broadcast.

    Raises:
        ShapeError: if the shapes do not broadcast.
        ArgumentError: for `steps` < 1.
        ArgumentTypeError: if it is no integer, or the others are no tensors.

    Example:
        >>> tensor_linspace(tensor([[0.0], [1.0]]), tensor([[4.0], [3.0]]), steps=4)
        tensor([[1.0000, 2.0000, 3.0000, 4.0000],
                [1.5000, 2.0000, 2.5000, 3.0000]])
    """
    steps = count("steps", steps, 1)
    check_tensor("start_tensor", start_tensor)
    check_tensor("end_tensor", end_tensor)
    way: Tensor = end_tensor - start_tensor
    dtype = way.dtype if is_differentiable(way.dtype) else None
    parts = arange(1, steps + 1, dtype=dtype, device=way.device) / steps
    return start_tensor + parts * way


def sum_matrix(h: int, int_steps: int, tensor_args: TensorDeviceType) -> Tensor:
    """The matrix whose transpose gathers rows of segments back to the way-points they began at.

    Row i·n + k has a 1 in column i; the last column is zero, for no segment begins there.

    Args:
        h: the number of way-points.
        int_steps: n, the rows of a segment.
        tensor_args: device and dtype of the matrix.

    Returns:
        Tensor of shape `((h − 1)·n, h)`.

    Raises:
        ArgumentError: for `h` < 1 or `int_steps` < 1.
        ArgumentTypeError: if they are no integers.

    Example:
        >>> sum_matrix(3, 2, TensorDeviceType()).T @ tensor([1.0, 2.0, 3.0, 4.0])
        tensor([3., 7., 0.])
    """
    h, n = count("h", h, 1), count("int_steps", int_steps, 1)
    return _kernel(h, np.ones(n), np.zeros(n), tensor_args)


def interpolate_kernel(h: int, int_steps: int, tensor_args: TensorDeviceType) -> Tensor:
    """The matrix that fills in straight lines between way-points.

    Row i·n + k is (1 − t)·x_i + t·x_{i+1} with t = k / (n − 1). So each segment has both of its
    ends, and a way-point in the middle appears twice.

    Args:
        h: the number of way-points.
        int_steps: n, the rows of a segment, its ends included.
        tensor_args: device and dtype of the matrix.

    Returns:
        Tensor of shape `((h − 1)·n, h)`.

    Raises:
        ArgumentError: for `h` < 1, or `int_steps` < 2: one row cannot be both ends.
        ArgumentTypeError: if they are no integers.
        DTypeError: for a dtype of integers where rows have fractions.

    Example:
        >>> interpolate_kernel(3, 3, TensorDeviceType()) @ tensor([0.0, 1.0, 5.0])
        tensor([0.0000, 0.5000, 1.0000, 1.0000, 3.0000, 5.0000])
    """
    h, n = count("h", h, 1), count("int_steps", int_steps, 2)
    t = np.arange(n) / (n - 1)
    return _kernel(h, 1 - t, t, tensor_args)


def action_interpolate_kernel(
    h: int, int_steps: int, tensor_args: TensorDeviceType, offset: int = 4
) -> Tensor:
    """The matrix that fills in straight lines, and then holds the goal for `offset` rows.

    With w = n − offset: row i·n + k for k < w is (1 − t)·x_i + t·x_{i+1} with t = (k + 1) / w, so
    that a segment starts after its way-point. The other `offset` rows of a segment are zero, but
    for the last segment's, which hold x_1.

    Convention: it is x_1 that is held, whatever h is. That is the goal for h = 2, where the rows
    feed the four states in which central differences come to rest. For more way-points, the
    numbers are cuRobo's, but make no sense of their own: zeros between the segments, and the second
    way-point at the end.

    Args:
        h: the number of way-points, from 2 up.
        int_steps: n, the rows of a segment.
        tensor_args: device and dtype of the matrix.
        offset: how many rows at the end hold the goal.

    Returns:
        Tensor of shape `((h − 1)·n, h)`.

    Raises:
        ArgumentError: for `h` < 2, `offset` < 1, or `int_steps` ≤ `offset`.
        ArgumentTypeError: if they are no integers.
        DTypeError: for a dtype of integers where rows have fractions.

    Example:
        >>> action_interpolate_kernel(2, 4, TensorDeviceType(), offset=2) @ tensor([0.0, 6.0])
        tensor([3., 6., 6., 6.])
    """
    h, n, offset = count("h", h, 2), count("int_steps", int_steps, 1), count("offset", offset, 1)
    if n <= offset:
        raise ArgumentError(
            f"int_steps={n} leaves no row before the {offset} rows at the end that hold the goal. "
            f"The way there needs one at least. Write `int_steps={offset + 1}` or more."
        )
    t, held = np.arange(1, n - offset + 1) / (n - offset), np.zeros(offset)
    goal = np.zeros(((h - 1) * n, h))
    goal[-offset:, 1] = 1
    return _kernel(h, np.append(1 - t, held), np.append(t, held), tensor_args, goal)


def _kernel(
    h: int, here: Array, there: Array, tensor_args: TensorDeviceType, more: Array | float = 0.0
) -> Tensor:
    """Rows of a segment over and over: weights of its first and of its second way-point."""
    first, second = np.eye(h - 1, h), np.eye(h - 1, h, k=1)
    rows = np.kron(first, here[:, None]) + np.kron(second, there[:, None]) + more
    settings = settings_of(tensor_args)
    if not is_differentiable(settings["dtype"]) and (rows % 1).any():
        raise DTypeError(
            f"tensor_args has dtype {settings['dtype']}, which has no fractions. The points "
            "between two way-points are fractions of them. Write `TensorDeviceType()` for float32."
        )
    return tensor(rows, **settings)
