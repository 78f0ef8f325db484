"""Where a start meets a trajectory: as the row `(B, 1, n)` before its H rows `(B, H, n)`."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.levels.level import level_below
from glassgrad.ops._writing import check_write
from glassgrad.ops.joining import cat
from glassgrad.values.layers import Layer, settled

from ._arguments import (
    check_broadcasts,
    check_device,
    check_memory,
    check_shape,
    check_tensor,
    count,
)
from .states import JointState


def parts_of_start(state: Tensor, act: Tensor, n_dofs: int, parts: int) -> list[Tensor]:
    """The first columns of a start, `n_dofs` for each part, as rows before the samples of `act`.

    Raises:
        ArgumentError: if there are not that many columns, or they do not fit `act`.
    """
    n = count("n_dofs", n_dofs, 1)
    check_tensor("state", state)
    if not state.ndim or state.shape[-1] < parts * n:
        raise ArgumentError(
            f"state has shape {tuple(state.shape)}, expected (B, {parts * n}) or more columns. "
            f"With n_dofs={n} they are {parts} parts of {n}, positions first. "
            f"Pass `state` of shape (B, {parts * n})."
        )
    return [_row("state", state[..., k * n : (k + 1) * n], act) for k in range(parts)]


def row_of(state: JointState, name: str, act: Tensor) -> Tensor:
    """A field of a start as a row before the samples of `act`.

    Raises:
        ArgumentError: if it is missing, or does not fit.
    """
    return _row(f"state.{name}", field_of(state, "state", name), act)


def check_state(name: str, state: Any) -> None:
    """Raise if an argument is no JointState.

    Raises:
        ArgumentTypeError: if it is none.
    """
    if not isinstance(state, JointState):
        raise ArgumentTypeError(
            f"{name} must be a JointState, got {type(state).__name__}. Its fields are the position "
            "and its derivatives. Write `JointState(position, velocity, acceleration)`."
        )


def field_of(state: JointState, of: str, name: str) -> Tensor:
    """A field of a state that has to be there.

    Raises:
        ArgumentError: if it is None.
        ArgumentTypeError: if `state` is no JointState.
    """
    check_state(of, state)
    value: Tensor | None = getattr(state, name)
    if value is None:
        raise ArgumentError(
            f"{of}.{name} is None. The step needs a tensor there. "
            f"Write `JointState.zeros(…)`, or `{of}.{name} = …`."
        )
    return value


def delayed(first: Tensor, rest: Tensor) -> Tensor:
    """[first, rest_0, …, rest_{H−2}]: the same one sample later, its last one lost."""
    batch = np.broadcast_shapes(tuple(first.shape[:-2]), tuple(rest.shape[:-2]))
    kept = rest.narrow(-2, 0, rest.shape[-2] - 1)
    return cat([x.expand(*batch, *x.shape[-2:]) for x in (first, kept)], dim=-2)


def columns(q: Tensor, v: Tensor, a: Tensor) -> Tensor:
    """[q, v, a] along the last axis."""
    return cat([q, v, a.expand(q.shape)], dim=-1)


def write(state_seq: Tensor, q: Tensor, v: Tensor, a: Tensor) -> Tensor:
    """Overwrite the first columns of `state_seq` by [q, v, a]; returns it.

    Raises:
        ArgumentError: if its shape does not fit.
        DeviceError, DTypeError: if it is on another device, or has no room for the values.
    """
    check_tensor("state_seq", state_seq)
    values = columns(q, v, a)
    *rows, width = values.shape
    if list(state_seq.shape[:-1]) != rows or state_seq.shape[-1] < width:
        raise ArgumentError(
            f"state_seq has shape {tuple(state_seq.shape)}, expected {(*rows, width)} or more "
            "columns. It takes positions, velocities and accelerations of each sample. "
            f"Pass `state_seq` of shape {(*rows, width)}."
        )
    _check_room("state_seq", state_seq, values)
    state_seq[..., :width] = values
    return state_seq


def overwrite(state_seq: JointState, values: dict[str, Tensor]) -> JointState:
    """Overwrite fields of `state_seq`, all of them or, if one cannot be written, none; returns it.

    Raises:
        ArgumentError: if one is missing, has another shape, or its memory is not its own.
        ArgumentTypeError: if its memory is read-only.
        DeviceError, DTypeError: if one is on another device, or has no room for the values.
        LeafWriteError: if one is a leaf that requires grad, or a view of one, and the tape records.
        GraphError: if one is an inference tensor outside of inference mode.
        TransformError: if one does not belong to the transform that is being computed.
    """
    seen: list[tuple[str, Any]] = []
    for field, value in values.items():
        name, written = f"state_seq.{field}", field_of(state_seq, "state_seq", field)
        check_shape(name, written, tuple(value.shape), "a row for each sample of act")
        _check_room(name, written, value)
        _check_copy(written, value)
        payload = settled(written).payload
        memory = payload.array if isinstance(payload, Layer) else payload
        check_memory(name, memory, seen)
        seen.append((name, memory))
    for field, value in values.items():
        getattr(state_seq, field).copy_(value)
    return state_seq


def _check_room(name: str, written: Tensor, value: Tensor) -> None:
    """Raise if the values would lose what makes them, or have to be moved."""
    check_device(name, written, "act", value)
    if not np.can_cast(value.payload.dtype, written.payload.dtype, "same_kind"):
        raise DTypeError(
            f"{name} is {written.dtype}, which has no room for the results: they are "
            f"{value.dtype}. What it cannot hold would be lost, and gradients with it. Write "
            f"`{name} = {name}.to(glassgrad.{value.dtype})`."
        )


def _check_copy(written: Tensor, value: Tensor) -> None:
    """Raise what `written.copy_(value)` would, by each transform that has a part in it."""
    below = level_below("copy", written, value)
    if below is not None:
        with below:
            _check_copy(written, value)
        return
    check_write(written, "copy", value)
    layer = settled(written).payload
    if isinstance(layer, Layer):
        source = layer.level.value_of(settled(value).payload)
        with layer.level.below():
            _check_copy(layer.value, source)


def _row(name: str, start: Tensor, act: Tensor) -> Tensor:
    # Without the axis, B rows of starts would pass for H rows of samples wherever B = H.
    check_tensor(name, start)
    check_tensor("act", act)
    row = start.unsqueeze(-2) if 0 < start.ndim < act.ndim else start
    n = act.shape[-1] if act.ndim else 0
    if tuple(row.shape[-2:]) != (1, n):
        raise ArgumentError(
            f"{name} has shape {tuple(start.shape)} for actions of shape {tuple(act.shape)}. A "
            f"start has one row of {n} columns for each trajectory. Pass it as (B, {n}), or as "
            f"(B, 1, {n})."
        )
    check_broadcasts(name, row, (*act.shape[:-2], 1, n), "one row for each trajectory")
    check_device(name, row, "act", act)
    return row
