"""What a fused step asks of its arguments, before it touches any buffer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DimError,
    GraphError,
    LeafWriteError,
)
from glassgrad.core.state import Shape, modes
from glassgrad.core.tensor import LEAF, Tensor
from glassgrad.trajectory._arguments import check_device, check_memory, check_tensor
from glassgrad.values.backend import asnumpy
from glassgrad.values.layers import array_of

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
        raise ArgumentError(
            f"u_act must have the shape (B, {'H − 4' if padding else 'H'}, D), got {shape}: a "
            "batch of trajectories, each a row of joints per time step. Write "
            "`u_act.unsqueeze(0)` for one trajectory."
        )
    batch, actions, joints = shape
    if actions < 1 and not padding:
        raise ArgumentError(
            f"u_act has the shape {shape}, of a horizon without samples. The start is the first of "
            "them. Write `glassgrad.zeros(B, H, D)` with an H of 1 or more."
        )
    if actions < 1:
        raise ArgumentError(
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
            raise LeafWriteError(
                f"a leaf Variable that requires grad is being used in an in-place operation: "
                f"{name} would be overwritten. Write `{name}.detach()`."
            )
        if buffer.cold is not None and buffer.is_inference() and not modes.inference:
            raise GraphError(
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
        raise ArgumentTypeError(
            f"{name} is {given.dtype}, but u_act is {u.dtype}. A step computes in one dtype. Write "
            f"`{name}.to({u.dtype})`."
        )
    check_place(name, given, u)
    if array.shape != shape:
        raise ArgumentError(
            f"{name} must have the shape {shape} for u_act {like.shape}, got {array.shape}: {why}."
        )


def check_place(name: str, given: Tensor, u: Tensor) -> None:
    """Raise if an argument is not where `u_act` is."""
    if type(given.payload) is not type(u.payload):
        check_device(name, given, "u_act", u, ArgumentTypeError)


def _check_numbers(name: str, x: Any, kinds: str, why: str) -> None:
    """Raise unless an argument is a tensor of floating-point numbers, or of integers."""
    if not isinstance(x, Tensor) or x.payload.dtype.kind not in kinds:
        wanted = "a floating-point tensor" if kinds == "f" else "a tensor of integers"
        found = f"dtype {x.dtype}" if isinstance(x, Tensor) else type(x).__name__
        raise ArgumentTypeError(f"{name} must be {wanted}, got {found}. {why}")


# Time steps and indices -------------------------------------------------------------------------


def first_rate(traj_dt: Any) -> float:
    """One over the time step: the first element of `traj_dt`."""
    array = _steps(traj_dt)
    if type(array) is not np.ndarray and array.size:
        array = asnumpy(array.reshape(-1)[:1])
    rate = float(array.item(0)) if array.size else 0.0
    if not rate or rate - rate != 0.0:
        raise ArgumentError(
            f"traj_dt begins with {rate if array.size else 'nothing'}. It holds one over the time "
            "step, of which the first element counts. Write `glassgrad.tensor([1 / dt])`."
        )
    return rate


def time_steps(traj_dt: Any, horizon: int) -> Any:
    """The time steps of `traj_dt`, one per sample; the first is not used."""
    array = _steps(traj_dt)
    if array.ndim != 1 or array.shape[0] < horizon:
        raise ArgumentError(
            f"traj_dt has the shape {array.shape}, for a horizon of {horizon}. It holds the time "
            f"step before each sample. Write `glassgrad.full(({horizon},), dt)`."
        )
    used = array[1:horizon]
    if not np.all(np.isfinite(used)) or not np.all(used):
        raise ArgumentError(
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
        raise ArgumentError(
            f"start_idx must have the shape ({batch},), one row number per trajectory, got "
            f"{array.shape}. Write `glassgrad.zeros({batch}, dtype=glassgrad.int64)`."
        )
    array = array_of(array)  # of all examples that it stands for: none may be wrong
    if array.size and (array.min() < 0 or array.max() >= count):
        raise DimError(
            f"start_idx goes from {int(array.min())} to {int(array.max())}, but there are {count} "
            "start rows. Write indices from 0 up that are smaller."
        )
