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
from glassgrad.core.state import modes
from glassgrad.core.tensor import LEAF, Tensor
from glassgrad.values.backend import asnumpy, repeats
from glassgrad.values.layers import Layer

STARTS = "start_position", "start_velocity", "start_acceleration"
OUTPUTS = "out_position", "out_velocity", "out_acceleration", "out_jerk"


def is_plain(data: Sequence[Any], memory: Sequence[Any], padding: int) -> bool:
    """Whether actions, start and buffers are what they nearly always are, so that nothing is wrong.

    Arrays of one kind and dtype in the shapes that belong together, buffers that own their memory,
    and are not the same. What is not, is looked at one by one: it may be right all the same.
    """
    for x in data:
        if not isinstance(x, Tensor):
            return False
    u = data[0].payload
    kind, dtype = type(u), u.dtype
    if dtype.kind != "f" or u.ndim != 3:
        return False
    batch, actions, joints = u.shape
    for x in data[1:]:
        array = x.payload
        if type(array) is not kind or array.dtype is not dtype or array.shape != (batch, joints):
            return False
    shape, seen = (batch, actions + padding, joints), {id(u)}
    for at, x in enumerate(memory):
        if x is None:
            continue
        if not isinstance(x, Tensor) or x.edge is LEAF:
            return False
        if x.cold is not None and x.cold.is_inference:
            return False
        array = x.payload
        if type(array) is not kind or array.dtype is not dtype or array.base is not None:
            return False
        if array.shape != (u.shape if at == 4 else shape):
            return False
        if kind is np.ndarray and not array.flags.writeable:
            return False
        seen.add(id(array))
    return u.base is None and actions > 0 and len(seen) == 6 - sum([x is None for x in memory])


def check_actions(u: Any, padding: int) -> tuple[int, int, int]:
    """The shape of what the step returns, for `u_act` of shape `(B, A, D)`."""
    if not _is_of("f", u):
        raise ArgumentTypeError(
            f"u_act must be a floating-point tensor, got {_kind(u)}. The step is "
            "differentiated with respect to it. Write `u_act.float()`."
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


def check_start(start: Sequence[Any], u: Tensor, shape: tuple[int, ...], indexed: bool) -> None:
    """Raise unless position, velocity and acceleration have one row for each trajectory."""
    batch, _, joints = shape
    first = start[0].payload.shape if isinstance(start[0], Tensor) else ()
    for name, given in zip(STARTS, start, strict=True):
        _check_kind(name, given, u)
        found = given.payload.shape
        fits = len(found) == 2 and found[1] == joints and found == first
        if not fits or (not indexed and found[0] != batch):
            wanted = f"(N, {joints}), all three alike" if indexed else f"({batch}, {joints})"
            raise ArgumentError(
                f"{name} must have the shape {wanted} for u_act {tuple(u.shape)}, got {found}: "
                "one number per joint. Write `x.expand(B, D)` for a start that all share."
            )


def check_buffers(
    u: Tensor, buffers: Sequence[Any], scratch: Any, shape: tuple[int, ...], names: Any = OUTPUTS
) -> None:
    """Raise unless each buffer is None or can be written as it is, apart from the others."""
    given = [(name, x, shape) for name, x in zip(names, buffers, strict=True) if x is not None]
    if scratch is not None:
        given.append(("out_grad_position", scratch, u.payload.shape))
    for at, (name, buffer, wanted) in enumerate(given):
        _check_kind(name, buffer, u)
        array = buffer.payload
        if array.shape != wanted:
            raise ArgumentError(
                f"{name} must have the shape {wanted} for u_act {tuple(u.shape)}, got "
                f"{array.shape}: it is written completely. Write `glassgrad.empty({wanted})`, or "
                "None for a new one."
            )
        base = buffer._base
        if buffer.edge is LEAF or (base is not None and base.is_leaf and base.requires_grad):
            raise LeafWriteError(
                f"a leaf Variable that requires grad is being used in an in-place operation: "
                f"{name} would be overwritten. Write `{name}.detach()`."
            )
        if buffer.is_inference() and not modes.inference:
            raise GraphError(
                "Inplace update to inference tensor outside InferenceMode is not allowed: "
                f"{name} would be overwritten, and nobody counts its versions. Write "
                f"`{name}.clone()`."
            )
        if not getattr(array.flags, "writeable", True):
            raise ArgumentTypeError(
                f"{name} is read-only: the step writes its results there. Write `{name}.clone()`."
            )
        if repeats(array.shape, array.strides):
            raise ArgumentError(
                f"{name} has elements that share their memory, as those of an expanded tensor do: "
                f"each of them has a result of its own. Write `{name}.contiguous()`."
            )
        others = [("u_act", u.payload)] + [(other, x.payload) for other, x, _ in given[:at]]
        for other, memory in others:
            if np.may_share_memory(array, memory) and np.shares_memory(array, memory):
                raise ArgumentError(
                    f"{name} shares memory with {other}: it would be read after it is written. "
                    f"Write `{name}.clone()`."
                )


def _check_kind(name: str, given: Any, u: Tensor) -> None:
    if not isinstance(given, Tensor):
        raise ArgumentTypeError(
            f"{name} must be a tensor, got {type(given).__name__}. It is computed with as it is. "
            "Write `glassgrad.as_tensor(x)`."
        )
    if given.payload.dtype != u.payload.dtype:
        raise ArgumentTypeError(
            f"{name} is {given.dtype}, but u_act is {u.dtype}. A step computes in one dtype. Write "
            f"`{name}.to({u.dtype})`."
        )
    check_device(name, given, u)


def check_device(name: str, given: Tensor, u: Tensor) -> None:
    """Raise if an argument is not where `u_act` is."""
    if type(given.payload) is not type(u.payload) and given.device != u.device:
        raise ArgumentTypeError(
            f"{name} is on {given.device}, but u_act is on {u.device}. A step runs on one device. "
            f"Write `{name}.to('{u.device}')`."
        )


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
    if not _is_of("f", traj_dt):
        raise ArgumentTypeError(
            f"traj_dt must be a floating-point tensor, got {_kind(traj_dt)}. It says how long a "
            "time step is. Write `glassgrad.tensor([1 / dt])`, or `glassgrad.full((H,), dt)` for "
            "accelerations."
        )
    return traj_dt.payload


def _is_of(kinds: str, x: Any) -> bool:
    return isinstance(x, Tensor) and x.payload.dtype.kind in kinds


def _kind(x: Any) -> str:
    return f"dtype {x.dtype}" if isinstance(x, Tensor) else type(x).__name__


def check_rows(start_idx: Any, u: Tensor, count: int) -> None:
    """Raise unless `start_idx` names one of `count` start rows for each trajectory of `u_act`."""
    if not _is_of("iu", start_idx):
        raise ArgumentTypeError(
            f"start_idx must be a tensor of integers, got {_kind(start_idx)}: it says "
            "which row each trajectory starts from. Write `start_idx.long()`."
        )
    check_device("start_idx", start_idx, u)
    array, batch = start_idx.payload, u.payload.shape[0]
    if array.shape not in ((batch,), (batch, 1)):
        raise ArgumentError(
            f"start_idx must have the shape ({batch},), one row number per trajectory, got "
            f"{array.shape}. Write `glassgrad.zeros({batch}, dtype=glassgrad.int64)`."
        )
    if isinstance(array, Layer):
        array = array.array  # of all examples that it stands for: none may be wrong
    if array.size and (array.min() < 0 or array.max() >= count):
        raise DimError(
            f"start_idx goes from {int(array.min())} to {int(array.max())}, but there are {count} "
            "start rows. Write indices from 0 up that are smaller."
        )
