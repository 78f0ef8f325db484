"""What the fused steps have in common: one node each, buffers, and the way through transforms.

A step is a linear map of its actions. So three rules carry everything: the step itself, its
adjoint (backward), and the adjoint's transpose (backward of backward, which for exact numerics is
the step from a start at zero). Each is a Function, and each is the derivative of another:

    FusedStep ──backward──▶ Adjoint ──backward──▶ Linear ──backward──▶ Adjoint …

# Note [Buffers are memory, not tensors]
# A caller gives memory to write to, often what the call before returned. It is taken as memory: no
# edge leads to who made it, the outputs are new tensors of the same memory and version. So what an
# earlier graph saved of it is known to be overwritten, and its backward raises. The gradient that
# is left in `out_grad_position` is copied for the engine, which adds to what it is given.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from glassgrad.autograd import Function
from glassgrad.base.errors import TransformError
from glassgrad.base.source_lines import here
from glassgrad.core.graph import ends
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.ops.creation import arange
from glassgrad.ops.joining import stack
from glassgrad.ops.selection import where
from glassgrad.trajectory._numerics import is_literal

from . import _checks, _cuda

__all__ = ["FusedStep", "Scheme"]

Arrays = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """The arithmetic of a step (its own file says which).

    Attributes:
        forward: `forward(u, start, steps, out)`.
        adjoint: `adjoint(grads, steps, out, work)`, with memory to compute in; None: there is none.
        transpose: `transpose(w, steps, out)`, of the adjoint; None: `forward` from zero.
        padding: how many samples there are more than actions.
        per_sample: whether `traj_dt` has a time step per sample; else one over the only one.
        kernel: the name it has in `steps.cu`, "" for none.
        by_time: whether neighbouring threads there have neighbouring samples; else joints.
    """

    forward: Callable[[Any, Arrays, Any, Arrays], None]
    adjoint: Callable[[Arrays, Any, Any, Any], None] | None
    transpose: Callable[[Any, Any, Arrays], None] | None = None
    padding: int = 0
    per_sample: bool = False
    kernel: str = ""
    by_time: bool = False

    def steps(self, traj_dt: Tensor, horizon: int) -> Any:
        """What the stencils take of `traj_dt`."""
        if self.per_sample:
            return _checks.time_steps(traj_dt, horizon)
        return _checks.first_rate(traj_dt)

    def from_zero(self, u: Any, steps: Any, out: Arrays) -> None:
        """The linear part of the step: `forward` from a start at zero."""
        self.forward(u, (0.0, 0.0, 0.0), steps, out)

    def transposed(self, w: Any, steps: Any, out: Arrays) -> None:
        """The transpose of `adjoint`."""
        (self.transpose or self.from_zero)(w, steps, out)

    def new_output(self, u: Any) -> Any:
        """Memory for one of the four results."""
        batch, actions, joints = u.shape
        return np.empty_like(u, shape=(batch, actions + self.padding, joints), order="C")


class FusedStep(Function):
    """The base of the fused steps; a subclass has its schemes, and the signature of `forward`."""

    exact: ClassVar[Scheme]
    literal: ClassVar[Scheme]
    """What `numerics("curobo")` chooses."""
    n_data: ClassVar[int] = 4
    """How many arguments stand before the buffers: 5 with `start_idx`."""

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments, take the buffers for memory, and compute."""
        if kwargs or len(args) != cls.n_data + 6:
            args = inspect.signature(cls.forward).bind(*args, **kwargs).args
        n = cls.n_data
        given = args[n : n + 4]
        _check(cls, args, (*given, args[-1]))
        memory = [x if x is None or x.edge is None else x.detach() for x in (*given, args[-1])]
        out = super().apply(*args[:n], *memory[:4], args[-2], memory[4])
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
        count, starts, n = info.batch_size, args[1:4], cls.n_data
        if in_dims[-2] is not None:  # each example has a time step of its own
            return _one_by_one(cls, count, in_dims, args)
        u = folded(args[0], in_dims[0], count)
        if n == 4:
            starts = tuple(
                [folded(x, dim, count) for x, dim in zip(starts, in_dims[1:4], strict=True)]
            )
            return _unfolded(cls.apply(u, *starts, *args[n:]), count)
        rows = starts[0].shape[0 if in_dims[1] is None else int(in_dims[1] == 0)]
        starts = tuple([folded(x, dim, count) for x, dim in zip(starts, in_dims[1:4], strict=True)])
        index = _rows_of_all(args[4], in_dims[4], (count, u.shape[0] // max(count, 1)), rows)
        return _unfolded(cls.apply(u, *starts, index, *args[n:]), count)


def _scheme(cls: type[FusedStep]) -> Scheme:
    return cls.literal if is_literal() else cls.exact


def _check(cls: type[FusedStep], args: tuple[Any, ...], memory: tuple[Any, ...]) -> None:
    """Raise for whatever cannot be computed with; nothing has been touched yet."""
    if not modes.levels and _checks.is_plain(args[:4], memory, cls.exact.padding):
        return
    shape = _checks.check_actions(args[0], cls.exact.padding)
    _checks.check_start(args[1:4], args[0], shape, indexed=cls.n_data == 5)
    if modes.levels and any(x is not None for x in memory):
        raise TransformError(
            f"{cls.__name__} was given a buffer inside of a transform, where one call stands for "
            "many, and would write to memory that the transform does not know. Pass None for each."
        )
    _checks.check_buffers(args[0], memory[:4], memory[4], shape)


def run(cls: type[FusedStep], *args: Any) -> tuple[Tensor, ...]:
    """What `forward` of a step does: compute, into the buffers where some are given."""
    scheme, u, n = _scheme(cls), args[0].payload, cls.n_data
    steps = scheme.steps(args[-2], u.shape[1] + scheme.padding)
    start = tuple([x.payload for x in args[1:4]])
    if n == 5:
        index = _checks.rows(args[4], u.shape[0], start[0].shape[0])
        start = tuple([x[index] for x in start])
    buffers = args[n : n + 4]
    out = tuple([_memory(x, u, scheme) for x in buffers])
    start = _apart(start, [x.payload for x in buffers if x is not None])
    with np.errstate(all="ignore"):  # as elsewhere: inf and nan are results
        act = scheme.forward if type(u) is np.ndarray else _cuda.forward_of(scheme, u)
        act(u, start, steps, out)
    return tuple([_result(x, y) for x, y in zip(buffers, out, strict=True)])


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


def _apart(arrays: Arrays, memory: Sequence[Any]) -> Arrays:
    """`arrays`, with a copy of what may be a part of what will be written."""
    views = [x for x in memory if x.base is not None]
    return tuple([x.copy() if _meets(x, memory, views) else x for x in arrays])


def _meets(array: Any, memory: Sequence[Any], views: Sequence[Any]) -> bool:
    """Whether an array may share memory with others, of which `views` do not own theirs."""
    others = views if array.base is None else memory
    return True in [np.may_share_memory(array, x) for x in others]


def _is_free(array: Any, grads: Arrays) -> bool:
    """Whether an array can be computed in while `grads` are still read."""
    for x in grads:
        if x is array or (x is not None and x.base is not None and np.may_share_memory(x, array)):
            return False
    return bool(array.flags.c_contiguous)


# The other two maps -----------------------------------------------------------------------------


class Adjoint(Function):
    """The gradient of the actions, of the gradients of what a step returned."""

    @staticmethod
    def forward(
        p: Any, v: Any, a: Any, j: Any, traj_dt: Tensor, scratch: Any, scheme: Scheme
    ) -> Any:
        """`p`, `v`, `a`, `j`: of the shape `(B, H, D)`; None: zeros, but not all of them."""
        grads = tuple([None if x is None else x.payload for x in (p, v, a, j)])
        like = next(grad for grad in grads if grad is not None)
        batch, horizon, joints = like.shape
        out = np.empty_like(like, shape=(batch, horizon - scheme.padding, joints), order="C")
        assert scheme.adjoint is not None, "who has none has raised"
        in_place = scratch is not None and _is_free(scratch.payload, grads)
        work = scratch.payload if in_place else np.empty_like(out)
        act = scheme.adjoint if type(out) is np.ndarray else _cuda.adjoint_of(scheme, out)
        act(grads, scheme.steps(traj_dt, horizon), out, work)
        if scratch is not None:
            scratch.payload[...] = out
            scratch.wrote()
        return wrap(out)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the time step and the scheme."""
        ctx.scheme = inputs[-1]
        ctx.save_for_backward(inputs[4])
        ctx.save_for_forward(inputs[4])

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """What each of the four adds to the gradient of the actions, the other way round."""
        (traj_dt,) = ctx.saved_tensors
        grads = Linear.apply(grad, traj_dt, ctx.scheme, True)
        needs = ctx.needs_input_grad[:4]
        return (
            *[x if need else None for x, need in zip(grads, needs, strict=True)],
            None,
            None,
            None,
        )

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The same map of the tangents."""
        (traj_dt,) = ctx.saved_tensors
        if all(x is None for x in tangents[:4]):
            return None
        with np.errstate(all="ignore"):
            return Adjoint.apply(*tangents[:4], traj_dt, None, ctx.scheme)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """One batch of all examples, whose gradients have no room where that of one is left."""
        if in_dims[4] is not None:
            return _one_by_one(Adjoint, info.batch_size, in_dims, args)
        pairs = zip(args[:4], in_dims[:4], strict=True)
        grads = [None if x is None else folded(x, dim, info.batch_size) for x, dim in pairs]
        return _unfolded(Adjoint.apply(*grads, args[4], None, args[6]), info.batch_size)


class Linear(Function):
    """The step from a start at zero, or the transpose of its adjoint: of exact ones, the same."""

    @staticmethod
    def forward(w: Tensor, traj_dt: Tensor, scheme: Scheme, of_adjoint: bool) -> tuple[Any, ...]:
        """`w`: like the actions, `(B, A, D)`."""
        out = tuple([scheme.new_output(w.payload) for _ in range(4)])
        act = scheme.transposed if of_adjoint else scheme.from_zero
        with np.errstate(all="ignore"):
            act(w.payload, scheme.steps(traj_dt, out[0].shape[1]), out)
        return tuple([wrap(x) for x in out])

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the time step and the scheme."""
        _, traj_dt, ctx.scheme, ctx.of_adjoint = inputs
        ctx.save_for_backward(traj_dt)
        ctx.save_for_forward(traj_dt)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The adjoint."""
        (traj_dt,) = ctx.saved_tensors
        if all(grad is None for grad in grads):
            return None, None, None, None
        return Adjoint.apply(*grads, traj_dt, None, ctx.scheme), None, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The same map of the tangent."""
        (traj_dt,) = ctx.saved_tensors
        if tangents[0] is None:
            return None, None, None, None
        return Linear.apply(tangents[0], traj_dt, ctx.scheme, ctx.of_adjoint)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """One batch of all examples."""
        if in_dims[1] is not None:
            return _one_by_one(Linear, info.batch_size, in_dims, args)
        w = folded(args[0], in_dims[0], info.batch_size)
        return _unfolded(Linear.apply(w, *args[1:]), info.batch_size)


# Examples of a vmap are a part of the batch -------------------------------------------------------


def folded(x: Tensor, dim: int | None, count: int) -> Tensor:
    """`x` of shape `(B, …)`, of `count` examples: `(count·B, …)`."""
    x = x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
    return x.reshape(count * x.shape[1], *x.shape[2:])


def _rows_of_all(index: Any, dim: int | None, size: tuple[int, int], rows: int) -> Any:
    """`start_idx` of all examples, whose starts lie one behind the other, `rows` of each.

    Args:
        size: how many examples there are, and how many trajectories in each.
    """
    if not isinstance(index, Tensor):
        return index  # the checks say what is wrong with it
    count = size[0]
    index = index.expand(count, *index.shape) if dim is None else index.movedim(dim, 0)
    if index.payload.dtype.kind not in "iu" or index.shape not in (size, (*size, 1)):
        return index  # and with this
    index = index.flatten(1).long()
    first = arange(count, dtype=index.dtype, device=index.device).unsqueeze(1) * rows
    last = (count - 1) * rows  # what is beyond the rows of one example stays beyond those of all
    return where(index < 0, index, where(index < rows, index + first, index + last)).flatten()


def _unfolded(out: Any, count: int) -> Any:
    """The results of `count` examples, and where these are counted."""
    if isinstance(out, Tensor):
        return out.reshape(count, out.shape[0] // max(count, 1), *out.shape[1:]), 0
    return tuple([_unfolded(x, count)[0] for x in out]), (0,) * len(out)


def _one_by_one(cls: type[Function], count: int, in_dims: Any, args: tuple[Any, ...]) -> Any:
    found = []
    for at in range(count):
        pairs = zip(args, in_dims, strict=True)
        found.append(cls.apply(*[x if dim is None else x.select(dim, at) for x, dim in pairs]))
    if isinstance(found[0], Tensor):
        return stack(found), 0
    return tuple([stack(list(parts)) for parts in zip(*found, strict=True)]), (0,) * len(found[0])
