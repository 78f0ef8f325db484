"""What the fused steps have in common: one node each, buffers, and the way through transforms.

A step is a linear map of its actions. So three rules carry everything: the step itself, its
adjoint (backward), and the adjoint's transpose (backward of backward, which for exact numerics is
the step from a start at zero). Each is a Function, and each is the derivative of another:

    FusedStep ──backward──▶ Adjoint ──backward──▶ Linear ──backward──▶ Adjoint …      (`_maps.py`)

# Note [Buffers are memory, not tensors]
# A caller gives memory to write to, often what the call before returned. It is taken as memory: no
# edge leads to who made it, the outputs are new tensors of the same memory and version. So what an
# earlier graph saved of it is known to be overwritten, and its backward raises. The gradient that
# is left in `out_grad_position` is copied for the engine, which adds to what it is given.
"""

import functools
import inspect
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from glassgrad.autograd import Function
from glassgrad.core.errors import TransformError
from glassgrad.core.graph import ends
from glassgrad.core.state import here, modes, special
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.trajectory._numerics import is_literal

from . import _checks, _cuda
from ._batches import folded, length, one_by_one, rows_of_all, steps_of_any, unfolded
from ._maps import Adjoint, Linear, Scheme

__all__ = ["FusedStep", "Scheme"]

Arrays = tuple[Any, ...]


class FusedStep(Function):
    """The base of the fused steps; a subclass says which schemes, and whether it has an index."""

    exact: ClassVar[Scheme]
    literal: ClassVar[Scheme]
    """What `numerics("curobo")` chooses."""
    n_data: ClassVar[int] = 4
    """How many arguments stand before the buffers: 5 with `start_idx`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        forward = _step if cls.n_data == 4 else _indexed_step
        cls.forward = staticmethod(functools.partial(forward, cls))  # type: ignore[method-assign]

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments, take the buffers for memory, and compute."""
        if kwargs or len(args) != cls.n_data + 6:
            args = inspect.signature(cls.forward).bind(*args, **kwargs).args
        n = cls.n_data
        given = args[n : n + 4]
        is_plain = _check(cls, args, (*given, args[-1]))
        memory = [x if x is None or x.edge is None else x.detach() for x in (*given, args[-1])]
        traj_dt = _steps_apart(args[-2], memory, is_plain)
        out = super().apply(*args[:n], *memory[:4], traj_dt, memory[4])
        place = here(2)
        for x in memory[:4]:
            if x is not None:
                x.wrote(place)
        if out[0].edge is not None:
            node = ends(out[0].edge)[0]
            node.caller_code, node.caller_offset = place
        return out

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the time step, the scheme, and where to leave the gradient."""
        ctx.scheme, ctx.scratch = _scheme(ctx._forward_cls), inputs[-1]
        ctx.save_for_backward(inputs[-2])
        ctx.save_for_forward(inputs[-2])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradient of the actions; None for all else, which is data."""
        nothing = (None,) * (len(ctx.needs_input_grad) - 1)
        (traj_dt,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0] or all(grad is None for grad in grads):
            return None, *nothing
        if ctx.scheme.adjoint is None:
            raise NotImplementedError(
                f'{ctx._forward_cls.__name__} has no backward in numerics("curobo"), as in that '
                "library. Its exact numerics have one. Leave the `with` block before the step."
            )
        given = *grads, traj_dt, ctx.scratch, ctx.scheme
        if modes.grad or modes.levels or modes.duals is not None:
            return Adjoint.apply(*given), *nothing
        return Adjoint.forward(*given), *nothing

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The step of the actions' tangent, from a start at zero; other tangents are ignored."""
        if tangents[0] is None:
            return None, None, None, None
        (traj_dt,) = ctx.saved_tensors
        return Linear.apply(tangents[0], traj_dt, ctx.scheme, False)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, *args: Any) -> Any:
        """All examples' trajectories are one batch of trajectories."""
        count, n = info.batch_size, cls.n_data
        if in_dims[-2] is not None and count:  # each example has a time step of its own
            return one_by_one(cls, count, in_dims, args)
        batch, rows = length(args[0], in_dims[0]), length(args[1], in_dims[1])
        data = [folded(x, dim, count) for x, dim in zip(args[:4], in_dims[:4], strict=True)]
        if n == 5:
            data.append(rows_of_all(args[4], in_dims[4], count, rows))
        traj_dt = steps_of_any(args[-2], in_dims[-2])
        return unfolded(cls.apply(*data, *args[n:-2], traj_dt, args[-1]), count, batch)


def _scheme(cls: type[FusedStep]) -> Scheme:
    return cls.literal if is_literal() else cls.exact


def _check(cls: type[FusedStep], args: tuple[Any, ...], memory: tuple[Any, ...]) -> bool:
    """Raise for whatever cannot be computed with; nothing has been touched yet.

    Returns:
        Whether all is plain: buffers, too, that own their memory.
    """
    is_plain = not modes.levels and _checks.is_plain(args[:4], memory, cls.exact.padding)
    if not is_plain:
        _check_each(cls, args, memory)
    if cls.n_data == 5:
        _checks.check_rows(args[4], args[0], args[1].payload.shape[0])
    return is_plain


def _check_each(cls: type[FusedStep], args: tuple[Any, ...], memory: tuple[Any, ...]) -> None:
    shape = _checks.check_actions(args[0], cls.exact.padding)
    _checks.check_start(args[1:4], args[0], shape, indexed=cls.n_data == 5)
    if modes.levels and any(x is not None for x in memory):
        raise TransformError(
            f"{cls.__name__} was given a buffer inside of a transform, where one call stands for "
            "many, and would write to memory that the transform does not know. Pass None for each."
        )
    _checks.check_buffers(args[0], memory[:4], memory[4], shape)


def _step(
    cls: type[FusedStep],
    u_act: Any,
    start_position: Any,
    start_velocity: Any,
    start_acceleration: Any,
    out_position: Any,
    out_velocity: Any,
    out_acceleration: Any,
    out_jerk: Any,
    traj_dt: Any,
    out_grad_position: Any,
) -> tuple[Tensor, ...]:
    start = start_position, start_velocity, start_acceleration
    buffers = out_position, out_velocity, out_acceleration, out_jerk
    return _run(cls, u_act, *start, *buffers, traj_dt, out_grad_position)


def _indexed_step(
    cls: type[FusedStep],
    u_act: Any,
    start_position: Any,
    start_velocity: Any,
    start_acceleration: Any,
    start_idx: Any,
    out_position: Any,
    out_velocity: Any,
    out_acceleration: Any,
    out_jerk: Any,
    traj_dt: Any,
    out_grad_position: Any,
) -> tuple[Tensor, ...]:
    start = start_position, start_velocity, start_acceleration
    buffers = out_position, out_velocity, out_acceleration, out_jerk
    return _run(cls, u_act, *start, start_idx, *buffers, traj_dt, out_grad_position)


def _run(cls: type[FusedStep], *args: Any) -> tuple[Tensor, ...]:
    """What `forward` of a step does: compute, into the buffers where some are given."""
    scheme, u, n = _scheme(cls), args[0].payload, cls.n_data
    steps = scheme.steps(args[-2], u.shape[1] + scheme.padding)
    if scheme.per_sample:
        _checks.check_device("traj_dt", args[-2], args[0])
    start = tuple([x.payload for x in args[1:4]])
    if n == 5:
        index = args[4].payload.reshape(-1)
        start = tuple([x[index] for x in start])
    buffers = args[n : n + 4]
    out = tuple([_memory(x, u, scheme) for x in buffers])
    start = _apart(start, [x.payload for x in buffers if x is not None])
    with np.errstate(all="ignore"):  # as elsewhere: inf and nan are results
        act = scheme.forward if type(u) is np.ndarray else _cuda.forward_of(scheme, u)
        act(u, start, steps, out)
    found = tuple([_result(x, y) for x, y in zip(buffers, out, strict=True)])
    if special and modes.inference:
        for buffer, x in zip(buffers, found, strict=True):
            x.cold_side().is_inference = buffer is None or buffer.is_inference()
    return found


def _memory(buffer: Tensor | None, u: Any, scheme: Scheme) -> Any:
    """Where to compute a result: in the buffer, if its rows lie one behind the other."""
    if buffer is None or not buffer.payload.flags.c_contiguous:
        return scheme.new_output(u)
    return buffer.payload


def _result(buffer: Tensor | None, array: Any) -> Tensor:
    """A new tensor of a buffer's memory (see Note [Buffers are memory, not tensors])."""
    if buffer is None:
        return wrap(array)
    if array is not buffer.payload:
        buffer.payload[...] = array
    return wrap(buffer.payload, version=buffer.version_counter())


def _steps_apart(traj_dt: Any, memory: Sequence[Tensor | None], is_plain: bool) -> Any:
    """`traj_dt`, or a copy if it may lie where results are written: backward reads it, too.

    Args:
        is_plain: whether all memory is that of its own tensor alone.
    """
    array = traj_dt.payload if isinstance(traj_dt, Tensor) else None
    if array is None or (is_plain and array.base is None):
        return traj_dt
    arrays = [x.payload for x in memory if x is not None]
    arrays = [x for x in arrays if type(x) is type(array)]  # others are on another device
    views = [x for x in arrays if x.base is not None]
    return traj_dt.clone() if arrays and _meets(array, arrays, views) else traj_dt


def _apart(arrays: Arrays, memory: Sequence[Any]) -> Arrays:
    """`arrays`, with a copy of what may be a part of what will be written."""
    views = [x for x in memory if x.base is not None]
    if not views and not [x for x in arrays if x.base is not None]:
        return arrays
    return tuple([x.copy() if _meets(x, memory, views) else x for x in arrays])


def _meets(array: Any, memory: Sequence[Any], views: Sequence[Any]) -> bool:
    """Whether an array may share memory with others, of which `views` do not own theirs."""
    others = views if array.base is None else memory
    return True in [np.may_share_memory(array, x) for x in others]
