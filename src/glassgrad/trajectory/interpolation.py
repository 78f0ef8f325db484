"""Points between points: of a straight line, and of way-points by a matrix.

Between h way-points lie h − 1 segments, of n = `int_steps` rows each. A kernel is a matrix of
(h − 1)·n rows and h columns that turns way-points into rows; its transpose takes gradients back.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.ops.creation import arange, tensor

from ._arguments import check_tensor, count
from .states import TensorDeviceType, settings_of

Array = np.ndarray[Any, np.dtype[Any]]


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
    points: Tensor = start_tensor + parts * way
    return points


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
