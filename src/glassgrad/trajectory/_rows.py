"""Where a start meets a trajectory: as the row `(B, 1, n)` before its H rows `(B, H, n)`."""

import numpy as np

from glassgrad.base.backend import repeats
from glassgrad.base.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._writing import check_writable
from glassgrad.ops.joining import cat

from ._arguments import check_broadcasts, check_shape, check_tensor, count
from .states import JointState

__all__ = ["columns", "delayed", "field_of", "overwrite", "parts_of_start", "row_of", "write"]


def parts_of_start(state: Tensor, act: Tensor, n_dofs: int, parts: int) -> list[Tensor]:
    """The first columns of a start, `n_dofs` for each part, as rows before the samples of `act`.

    Raises:
        ArgumentError: if there are not that many columns, or they do not fit `act`.
    """
    n = count("n_dofs", n_dofs, 1)
    check_tensor("state", state)
    check_tensor("act", act)
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


def field_of(state: JointState, of: str, name: str) -> Tensor:
    """A field of a state that has to be there.

    Raises:
        ArgumentError: if it is None.
        ArgumentTypeError: if `state` is no JointState.
    """
    if not isinstance(state, JointState):
        raise ArgumentTypeError(
            f"{of} must be a JointState, got {type(state).__name__}. Its fields are the position "
            "and its derivatives. Write `JointState(position, velocity, acceleration)`."
        )
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
    state_seq[..., :width] = values
    return state_seq


def overwrite(state_seq: JointState, values: dict[str, Tensor]) -> JointState:
    """Overwrite fields of `state_seq`, all of them or, if one cannot be written, none; returns it.

    Raises:
        ArgumentError: if one is missing, has another shape, or cannot hold its values.
        LeafWriteError: if one is a leaf that requires grad, or a view of one.
    """
    fields = {name: field_of(state_seq, "state_seq", name) for name in values}
    for field, value in fields.items():
        name = f"state_seq.{field}"
        check_shape(name, value, tuple(values[field].shape), "a row for each sample of act")
        check_writable(value, "copy")
        array = value.payload
        flags = getattr(array, "flags", None)
        if not getattr(flags, "writeable", True) or repeats(array.shape, array.strides):
            raise ArgumentError(
                f"{name} of shape {tuple(value.shape)} cannot be overwritten: its memory is "
                "read-only, or elements share it. Each sample has a result of its own. Write "
                f"`{name} = {name}.clone()`."
            )
    for field, value in fields.items():
        value.copy_(values[field])
    return state_seq


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
    return row
