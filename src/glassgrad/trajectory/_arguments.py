"""What the functions of this package ask of their arguments: sizes, tensors, shapes that fit."""

import math
import sys
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from glassgrad.core import errors
from glassgrad.core.state import Shape, modes
from glassgrad.core.tensor import LEAF, Tensor
from glassgrad.values.backend import asnumpy, repeats
from glassgrad.values.layers import array_of


def count(name: str, value: Any, least: int) -> int:
    """`value` as an int that is at least `least`.

    Raises:
        ArgumentTypeError: if it is no integer.
        ArgumentError: if it is too small, or no matrix can have as many rows and columns.
    """
    try:
        number = index(value)
    except TypeError:
        raise errors.ArgumentTypeError(
            f"{name} must be an int, got {value!r} of type {type(value).__name__}. It counts rows "
            f"or columns of a matrix. Write a whole number: `{name}={max(least, 4)}`."
        )
    if number < least:
        raise errors.ArgumentError(
            f"{name} must be at least {least}, got {number}. It counts rows or columns of a "
            f"matrix, which cannot be fewer. Write `{name}={least}` or more."
        )
    if number > _MOST:
        raise errors.ArgumentError(
            f"{name} must be at most {_MOST}, got {number}. It counts rows or columns of a matrix, "
            "and no memory has an address for each of its numbers. Write a smaller one."
        )
    return number


_MOST = math.isqrt(sys.maxsize // 8)
"""The rows of the largest square matrix of float64 whose bytes can be counted."""


def check_tensor(name: str, value: Any) -> None:
    """Raise if an argument is no tensor.

    Raises:
        ArgumentTypeError: if it is none.
    """
    if not isinstance(value, Tensor):
        raise errors.ArgumentTypeError(
            f"{name} must be a tensor, got {type(value).__name__}. It is computed with as it "
            "is. Write `glassgrad.as_tensor(…)`."
        )


def check_shape(name: str, value: Tensor, expected: Shape, why: str) -> None:
    """Raise if a tensor has not the shape that the others ask for.

    Args:
        name: the argument's name.
        value: the tensor.
        expected: its shape.
        why: where these sizes come from.

    Raises:
        ArgumentError: if the shape is another.
        ArgumentTypeError: if it is no tensor.
    """
    check_tensor(name, value)
    if tuple(value.shape) != expected:
        raise errors.ArgumentError(
            f"{name} has shape {tuple(value.shape)}, expected {expected}. It needs {why}. "
            f"Pass `{name}` of shape {expected}."
        )


def check_broadcasts(name: str, value: Tensor, with_: tuple[int, ...], why: str) -> None:
    """Raise if a tensor's shape does not broadcast with another's.

    Args:
        name: the argument's name.
        value: the tensor.
        with_: the other shape.
        why: what the tensor needs.

    Raises:
        ArgumentError: if two sizes differ and neither is 1.
        ArgumentTypeError: if it is no tensor.
    """
    check_tensor(name, value)
    try:
        np.broadcast_shapes(tuple(value.shape), with_)
    except ValueError:
        raise errors.ArgumentError(
            f"{name} has shape {tuple(value.shape)}, which does not fit {with_}. It needs {why}. "
            f"Pass `{name}` of shape {with_}, or with 1 for what is the same throughout."
        )


def check_device(
    name: str,
    value: Tensor,
    other: str,
    like: Tensor,
    error: type[errors.GlassgradError] = errors.DeviceError,
) -> None:
    """Raise if a tensor is not where another is.

    Args:
        name: the argument's name.
        value: the tensor.
        other, like: the other's name, and itself.

        error: what to raise.

    Raises:
        DeviceError: if they are on two devices.
    """
    if value.device != like.device:
        raise error(
            f"{name} is on {value.device}, but {other} is on {like.device}. A step is computed "
            f"where its actions are. Write `{name}.to('{like.device}')`."
        )


def check_memory(name: str, array: Any, others: Sequence[tuple[str, Any]]) -> None:
    """Raise if an array cannot be overwritten as it is, apart from others.

    Args:
        name: of whom it is.
        array: what is to be written.
        others: names and arrays of what is read or written besides.

    Raises:
        ArgumentTypeError: if it is read-only.
        ArgumentError: if elements share their memory, with each other or with another's.
    """
    if not _is_writable(array):
        raise errors.ArgumentTypeError(
            f"{name} is read-only: the step writes its results there. Write `{name}.clone()`."
        )
    if array.base is not None and repeats(array.shape, array.strides):
        raise errors.ArgumentError(
            f"{name} has elements that share their memory, as those of an expanded tensor do, and "
            "cannot be overwritten: each of them has a result of its own. Write "
            f"`{name}.contiguous()`."
        )
    for other, memory in others:
        if may_meet(array, memory) and np.shares_memory(array, memory):
            raise errors.ArgumentError(
                f"{name} shares memory with {other}: what is written to the one would overwrite "
                f"the other. Write `{name}.clone()`."
            )


def are_free(written: Sequence[Any], read: Sequence[Any]) -> bool:
    """Whether it takes no closer look to know that arrays can be overwritten, and harm no other.

    So it is if each owns its memory, and what is read lies in another array's.
    """
    mine = {id(array) for array in written if array.base is None and _is_writable(array)}
    for array in read:
        base = getattr(array, "base", array)
        owner = array if base is None else base
        if id(owner) in mine or getattr(owner, "base", owner) is not None:
            return False
    return len(mine) == len(written)


def _is_writable(array: Any) -> bool:
    return getattr(getattr(array, "flags", None), "writeable", True)


def may_meet(x: Any, y: Any) -> bool:
    """Whether two arrays may share memory: never if both own theirs."""
    if x.base is None and y.base is None:
        return x is y
    return type(x) is type(y) and bool(np.may_share_memory(x, y))


def check_samples(name: str, samples: Any) -> None:
    """Raise if an argument holds no samples `(B, H, D)`.

    Raises:
        ArgumentError: if it has too few dims, or an H of 0.
        ArgumentTypeError: if it is no tensor.
    """
    check_tensor(name, samples)
    if samples.ndim < 2:
        raise errors.ArgumentError(
            f"{name} has shape {tuple(samples.shape)}, expected (B, H, D). There is a row for each "
            f"sample and a column for each joint. Write `{name}.reshape(B, H, D)`."
        )
    if not samples.shape[-2]:
        raise errors.ArgumentError(
            f"{name} has shape {tuple(samples.shape)}, of a horizon without samples. The start is "
            "the first of them. Write `glassgrad.zeros(B, H, D)` with an H of 1 or more."
        )


def check_matrix(name: str, matrix: Tensor, samples: Tensor, of: str = "act") -> None:
    """Raise if a matrix does not turn the samples `(B, H, D)` into as many: it must be `(H, H)`.

    Args:
        name: the matrix's name.
        matrix: the matrix.
        samples: what it is to multiply.
        of: their name.

    Raises:
        ArgumentError: if it does not, or there are no samples.
        ArgumentTypeError: if one of them is no tensor.
        DeviceError: if they are on two devices.
    """
    check_samples(of, samples)
    horizon = samples.shape[-2]
    why = f"a row and a column for each of {horizon} samples"
    check_shape(name, matrix, (horizon, horizon), why)
    check_device(name, matrix, of, samples)


def product(name: str, matrix: Tensor, samples: Tensor, of: str = "act") -> Tensor:
    """`matrix @ samples`, for samples that were computed from `act`, or what is named instead.

    Raises:
        DTypeError: if they have two dtypes.
    """
    if matrix.dtype != samples.dtype:
        raise errors.DTypeError(
            f"expected both tensors to have same dtype, but {name} is {matrix.dtype}, and what it "
            f"multiplies, computed from {of}, is {samples.dtype}. A product is computed in one "
            "precision. Write `x.to(dtype)`, with one dtype for actions, start and matrices."
        )
    return matrix @ samples


# What a fused step asks of its arguments, before it touches any buffer ----------------------------


STARTS = "start_position", "start_velocity", "start_acceleration"
OUTPUTS = "out_position", "out_velocity", "out_acceleration", "out_jerk"
SCRATCH = "out_grad_position"


def check_actions(u: Any, padding: int) -> tuple[int, int, int]:
    """The shape of what the step returns, for `u_act` of shape `(B, A, D)`."""
    _check_numbers(
        "u_act", u, "f", "The step is differentiated with respect to it. Write `u_act.float()`."
    )
    shape = u.payload.shape
    if len(shape) != 3:
        raise errors.ArgumentError(
            f"u_act must have the shape (B, {'H − 4' if padding else 'H'}, D), got {shape}: a "
            "batch of trajectories, each a row of joints per time step. Write "
            "`u_act.unsqueeze(0)` for one trajectory."
        )
    batch, actions, joints = shape
    if actions < 1 and not padding:
        raise errors.ArgumentError(
            f"u_act has the shape {shape}, of a horizon without samples. The start is the first of "
            "them. Write `glassgrad.zeros(B, H, D)` with an H of 1 or more."
        )
    if actions < 1:
        raise errors.ArgumentError(
            f"central differences need a horizon of 5 or more, got {actions + padding} (u_act "
            f"{shape} and {padding} samples of padding). Give one action at least."
        )
    return batch, actions + padding, joints


def check_start(start: Sequence[Any], u: Tensor, indexed: bool) -> None:
    """Raise unless position, velocity and acceleration have one row for each trajectory."""
    rows, _, joints = u.payload.shape
    why = "one number per joint. Write `x.expand(B, D)` for a start that all share"
    if indexed:
        check_tensor(STARTS[0], start[0])
        rows = start[0].payload.shape[0] if start[0].payload.ndim else 0
        why = "one number per joint, and a row for each start: all three alike. Write `(N, D)`"
    for name, given in zip(STARTS, start, strict=True):
        _check_like(name, given, u, (rows, joints), why)


def check_buffers(u: Tensor, buffers: Sequence[Any], shape: Shape, free: bool) -> None:
    """Raise unless each buffer is None or can be written as it is, apart from the others.

    Args:
        buffers: those of the four results, of the given shape, then that of the gradient.
        free: whether it is known that they can be overwritten, and share memory with nobody.
    """
    seen = [("u_act", u.payload)]
    why = "it is written completely. Write `glassgrad.empty(…)`, or None for a new one"
    for name, buffer in zip((*OUTPUTS, SCRATCH), buffers, strict=True):
        if buffer is None:
            continue
        _check_like(name, buffer, u, u.payload.shape if name == SCRATCH else shape, why)
        array = buffer.payload
        base = None if array.base is None else buffer._base
        if buffer.edge is LEAF or (base is not None and base.is_leaf and base.requires_grad):
            raise errors.LeafWriteError(
                f"a leaf Variable that requires grad is being used in an in-place operation: "
                f"{name} would be overwritten. Write `{name}.detach()`."
            )
        if buffer.cold is not None and buffer.is_inference() and not modes.inference:
            raise errors.GraphError(
                "Inplace update to inference tensor outside InferenceMode is not allowed: "
                f"{name} would be overwritten, and nobody counts its versions. Write "
                f"`{name}.clone()`."
            )
        if not free:
            check_memory(name, array, seen)
            seen.append((name, array))


def _check_like(name: str, given: Any, u: Tensor, shape: Shape, why: str) -> None:
    """Raise unless an argument has the dtype and the device of `u_act`, and this shape."""
    check_tensor(name, given)
    array, like = given.payload, u.payload
    if array.dtype is not like.dtype and array.dtype != like.dtype:
        raise errors.ArgumentTypeError(
            f"{name} is {given.dtype}, but u_act is {u.dtype}. A step computes in one dtype. Write "
            f"`{name}.to({u.dtype})`."
        )
    check_place(name, given, u)
    if array.shape != shape:
        raise errors.ArgumentError(
            f"{name} must have the shape {shape} for u_act {like.shape}, got {array.shape}: {why}."
        )


def check_place(name: str, given: Tensor, u: Tensor) -> None:
    """Raise if an argument is not where `u_act` is."""
    if type(given.payload) is not type(u.payload):
        check_device(name, given, "u_act", u, errors.ArgumentTypeError)


def _check_numbers(name: str, x: Any, kinds: str, why: str) -> None:
    """Raise unless an argument is a tensor of floating-point numbers, or of integers."""
    if not isinstance(x, Tensor) or x.payload.dtype.kind not in kinds:
        wanted = "a floating-point tensor" if kinds == "f" else "a tensor of integers"
        found = f"dtype {x.dtype}" if isinstance(x, Tensor) else type(x).__name__
        raise errors.ArgumentTypeError(f"{name} must be {wanted}, got {found}. {why}")


# Time steps and indices -------------------------------------------------------------------------


def first_rate(traj_dt: Any) -> float:
    """One over the time step: the first element of `traj_dt`."""
    array = _steps(traj_dt)
    if type(array) is not np.ndarray and array.size:
        array = asnumpy(array.reshape(-1)[:1])
    rate = float(array.item(0)) if array.size else 0.0
    if not rate or rate - rate != 0.0:
        raise errors.ArgumentError(
            f"traj_dt begins with {rate if array.size else 'nothing'}. It holds one over the time "
            "step, of which the first element counts. Write `glassgrad.tensor([1 / dt])`."
        )
    return rate


def time_steps(traj_dt: Any, horizon: int) -> Any:
    """The time steps of `traj_dt`, one per sample; the first is not used."""
    array = _steps(traj_dt)
    if array.ndim != 1 or array.shape[0] < horizon:
        raise errors.ArgumentError(
            f"traj_dt has the shape {array.shape}, for a horizon of {horizon}. It holds the time "
            f"step before each sample. Write `glassgrad.full(({horizon},), dt)`."
        )
    used = array[1:horizon]
    if not np.all(np.isfinite(used)) or not np.all(used):
        raise errors.ArgumentError(
            "traj_dt has a time step that is zero or not finite, so that jerks would be too. Give "
            f"positive numbers; these are {array[:horizon].tolist()}."
        )
    return array[:horizon]


def _steps(traj_dt: Any) -> Any:
    _check_numbers(
        "traj_dt",
        traj_dt,
        "f",
        "It says how long a time step is. Write `glassgrad.tensor([1 / dt])`, or "
        "`glassgrad.full((H,), dt)` for accelerations.",
    )
    return traj_dt.payload


def check_rows(start_idx: Any, u: Tensor, count: int) -> None:
    """Raise unless `start_idx` names one of `count` start rows for each trajectory of `u_act`."""
    _check_numbers(
        "start_idx",
        start_idx,
        "iu",
        "It says which row each trajectory starts from. Write `start_idx.long()`.",
    )
    check_place("start_idx", start_idx, u)
    array, batch = start_idx.payload, u.payload.shape[0]
    if array.shape not in ((batch,), (batch, 1)):
        raise errors.ArgumentError(
            f"start_idx must have the shape ({batch},), one row number per trajectory, got "
            f"{array.shape}. Write `glassgrad.zeros({batch}, dtype=glassgrad.int64)`."
        )
    array = array_of(array)  # of all examples that it stands for: none may be wrong
    if array.size and (array.min() < 0 or array.max() >= count):
        raise errors.DimError(
            f"start_idx goes from {int(array.min())} to {int(array.max())}, but there are {count} "
            "start rows. Write indices from 0 up that are smaller."
        )
