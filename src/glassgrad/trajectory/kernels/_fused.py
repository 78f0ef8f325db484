"""What the fused steps have in common: one node each, buffers, and the way through transforms.

A step is a linear map of its actions. So three rules carry everything: the step itself, its
adjoint (backward), and the adjoint's transpose (backward of backward, which for exact numerics is
the step from a start at zero). Each is a Function, and each is the derivative of another:

    FusedStep ──backward──▶ Adjoint ──backward──▶ Linear ──backward──▶ Adjoint …
    FusedStep ──jvp──▶ Linear

# Note [Buffers are memory, not tensors]
# A caller gives memory to write to, often what the call before returned. It is taken as memory: no
# edge leads to who made it, the outputs are new tensors of the same memory and version. So what an
# earlier graph saved of it is known to be overwritten, and its backward raises. The gradient that
# is left in `out_grad_position` is copied for the engine, which adds to what it is given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, Signature
from typing import Any, ClassVar

import numpy as np

from glassgrad.autograd import Function
from glassgrad.core.errors import TransformError
from glassgrad.core.graph import ends
from glassgrad.core.state import here, modes, special
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.ops.creation import arange
from glassgrad.ops.joining import stack
from glassgrad.trajectory._arguments import may_meet
from glassgrad.trajectory._numerics import is_literal

from . import _checks, _cuda
from ._cuda import Arrays


@dataclass(frozen=True, slots=True)
class Scheme:
    """The arithmetic of a step (its own file says which).

    Attributes:
        forward: `forward(u, start, steps, out)`.
        adjoint: `adjoint(grads, steps, out, work)`, with memory to compute in; None: there is none.
        transpose: whose `forward` from a start at zero is the transpose of `adjoint`; None: this.
        padding: how many samples there are more than actions.
        per_sample: whether `traj_dt` has a time step per sample; else one over the only one.
        kernel: the name it has in `steps.cu`, "" for none.
        by_time: whether neighbouring threads there have neighbouring samples; else joints.
    """

    forward: Callable[[Any, Arrays, Any, Arrays], None]
    adjoint: Callable[[Arrays, Any, Any, Any], None] | None
    transpose: "Scheme | None" = None
    padding: int = 0
    per_sample: bool = False
    kernel: str = ""
    by_time: bool = False

    def steps(self, traj_dt: Tensor, horizon: int) -> Any:
        """What the stencils take of `traj_dt`."""
        if self.per_sample:
            return _checks.time_steps(traj_dt, horizon)
        return _checks.first_rate(traj_dt)

    def new_output(self, u: Any) -> Any:
        """Memory for one of the four results."""
        batch, actions, joints = u.shape
        return np.empty_like(u, shape=(batch, actions + self.padding, joints), order="C")


class _Map(Function):
    """What the three share: `traj_dt`, `scratch` and `scheme`, the last arguments; and `vmap`.

    Attributes:
        n_batches: how many of its first arguments are batches of trajectories.
        at_steps: which argument is `traj_dt`; behind it stands `scratch`.
    """

    n_batches: ClassVar[int]
    at_steps: ClassVar[int] = -3

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep what is data: the time steps, where to leave a gradient, and the scheme."""
        traj_dt, ctx.scratch, ctx.scheme = inputs[-3:]
        ctx.save_for_backward(traj_dt)
        ctx.save_for_forward(traj_dt)
        ctx.set_materialize_grads(False)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, *args: Any) -> Any:
        """All examples' trajectories are one batch, but if each has time steps of its own."""
        count, of_steps = info.batch_size, in_dims[cls.at_steps]
        if of_steps is not None and count:
            calls = []
            for at in range(count):
                pairs = zip(args, in_dims, strict=True)
                calls.append(cls.apply(*[x if k is None else x.select(k, at) for x, k in pairs]))
            return tuple([stack(list(parts)) for parts in zip(*calls, strict=True)]), 0
        given = list(args)
        for at, dim in enumerate(in_dims[: cls.n_batches]):
            if (x := args[at]) is not None:
                given[at] = x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
        batch = next(x.shape[1] for x in given if x is not None)
        cls.fold(given)
        if of_steps is not None:  # of no examples: any steps will do, as a product of none, ones
            given[cls.at_steps] = args[cls.at_steps].prod(of_steps)
        given[cls.at_steps + 1] = None  # there is no room where one example's gradient is left
        found = cls.apply(*given)
        return tuple([x.reshape(count, batch, *x.shape[1:]) for x in found]), 0

    @classmethod
    def fold(cls, given: list[Any]) -> None:
        """Make one batch of the trajectories of all examples: `(count·B, …)` of `(count, B, …)`."""
        for at, x in enumerate(given[: cls.n_batches]):
            if x is not None:
                given[at] = x.flatten(0, 1)


class Adjoint(_Map):
    """The gradient of the actions, of the gradients of what a step returned."""

    n_batches = 4

    @staticmethod
    def forward(
        p: Any, v: Any, a: Any, j: Any, traj_dt: Tensor, scratch: Any, scheme: Scheme
    ) -> tuple[Tensor]:
        """`p`, `v`, `a`, `j`: of the shape `(B, H, D)`; None: zeros, but not all of them."""
        grads = tuple([None if x is None else x.payload for x in (p, v, a, j)])
        like = next(grad for grad in grads if grad is not None)
        batch, horizon, joints = like.shape
        out = np.empty_like(like, shape=(batch, horizon - scheme.padding, joints), order="C")
        assert scheme.adjoint is not None, "who has none has raised"
        in_place = scratch is not None and _is_free(scratch.payload, grads)
        work = scratch.payload if in_place else np.empty_like(out)
        act = scheme.adjoint if type(out) is np.ndarray else partial(_cuda.adjoint, scheme)
        act(grads, scheme.steps(traj_dt, horizon), out, work)
        if scratch is not None:
            scratch.payload[...] = out
            scratch.wrote()
        return (wrap(out),)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """What each of the four adds to the gradient of the actions, the other way round."""
        grads = (None,) * 4
        if grad is not None:
            scheme = ctx.scheme.transpose or ctx.scheme
            grads = Linear.apply(grad, *ctx.saved_tensors, None, scheme)
        needs = ctx.needs_input_grad
        return *[x if need else None for x, need in zip(grads, needs, strict=False)], *[None] * 3

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The same map of the tangents."""
        if all(x is None for x in tangents[:4]):
            return (None,)
        with np.errstate(all="ignore"):
            return Adjoint.apply(*tangents[:4], *ctx.saved_tensors, None, ctx.scheme)


class Linear(_Map):
    """The step from a start at zero."""

    n_batches = 1

    @staticmethod
    def forward(w: Tensor, traj_dt: Tensor, scratch: Any, scheme: Scheme) -> tuple[Any, ...]:
        """`w`: like the actions, `(B, A, D)`."""
        return _compute(scheme, w, (0.0, 0.0, 0.0), traj_dt, (None,) * 4)

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
            return *Adjoint.apply(*given), *nothing
        return *Adjoint.forward(*given), *nothing

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The same map of the actions' tangent, from zero; other tangents are ignored."""
        if tangents[0] is None:
            return None, None, None, None
        return Linear.apply(tangents[0], *ctx.saved_tensors, None, ctx.scheme)


class FusedStep(Linear):
    """The base of the fused steps; a subclass says which schemes, and whether it has an index."""

    n_batches, at_steps = 4, -2  # 5 with `start_idx`; behind them stand the buffers
    exact: ClassVar[Scheme]
    literal: ClassVar[Scheme]
    """What `numerics("curobo")` chooses."""
    signature: ClassVar[Signature]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        index = ["start_idx"] * (cls.n_batches - 4)
        names = "u_act", *_checks.STARTS, *index, *_checks.OUTPUTS, "traj_dt", _checks.SCRATCH
        parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        cls.signature = Signature(parameters)
        cls.forward = staticmethod(partial(_run, cls))  # type: ignore[method-assign]

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments, take the buffers for memory, and compute."""
        if kwargs or len(args) != cls.n_batches + 6:
            args = cls.signature.bind(*args, **kwargs).args
        n = cls.n_batches
        data, traj_dt, memory = args[:n], args[-2], [*args[n : n + 4], args[-1]]
        _check(cls, data, memory)
        arrays = [x.payload for x in memory if x is not None]
        if arrays:
            data = data[0], *[_apart(x, arrays) for x in data[1:]]
            traj_dt = _apart(traj_dt, arrays)  # backward reads it, too
            memory = [x if x is None or x.edge is None else x.detach() for x in memory]
        out = super().apply(*data, *memory[:4], traj_dt, memory[4])
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
        """Keep the scheme that `numerics` chooses."""
        _Map.setup_context(ctx, (*inputs, _scheme(ctx._forward_cls)), output)

    @classmethod
    def fold(cls, given: list[Any]) -> None:
        """The starts of all examples lie one behind the other; so their indices move on."""
        if cls.n_batches == 5:
            count, rows = given[1].shape[:2]
            first = arange(count, device=given[4].device).unsqueeze(1) * rows
            given[4] = given[4].flatten(1).long() + first
        super().fold(given)


def _scheme(cls: type[FusedStep]) -> Scheme:
    return cls.literal if is_literal() else cls.exact


def _check(cls: type[FusedStep], data: Arrays, memory: Sequence[Any]) -> None:
    """Raise for whatever cannot be computed with; nothing has been touched yet."""
    u, is_indexed = data[0], cls.n_batches == 5
    shape = _checks.check_actions(u, cls.exact.padding)
    _checks.check_start(data[1:4], u, is_indexed)
    if modes.levels and any(x is not None for x in memory):
        raise TransformError(
            f"{cls.__name__} was given a buffer inside of a transform, where one call stands for "
            "many, and would write to memory that the transform does not know. Pass None for each."
        )
    _checks.check_buffers(u, memory, shape)
    if is_indexed:
        _checks.check_rows(data[4], u, data[1].payload.shape[0])


def _run(cls: type[FusedStep], *args: Any) -> tuple[Tensor, ...]:
    """What `forward` of a step does."""
    scheme, n = _scheme(cls), cls.n_batches
    start = tuple([x.payload for x in args[1:4]])
    if n == 5:
        index = args[4].payload.reshape(-1)
        start = tuple([x[index] for x in start])
    return _compute(scheme, args[0], start, args[-2], args[n : n + 4])


def _compute(
    scheme: Scheme, u: Tensor, start: Arrays, traj_dt: Any, buffers: Sequence[Any]
) -> tuple[Tensor, ...]:
    """The four results, in the buffers where some are given."""
    array = u.payload
    steps = scheme.steps(traj_dt, array.shape[1] + scheme.padding)
    if scheme.per_sample:
        _checks.check_place("traj_dt", traj_dt, u)
    out = tuple([_memory(x, array, scheme) for x in buffers])
    with np.errstate(all="ignore"):  # as elsewhere: inf and nan are results
        act = scheme.forward if type(array) is np.ndarray else partial(_cuda.forward, scheme)
        act(array, start, steps, out)
    return tuple([_result(x, y) for x, y in zip(buffers, out, strict=True)])


def _memory(buffer: Tensor | None, u: Any, scheme: Scheme) -> Any:
    """Where to compute a result: in the buffer, if its rows lie one behind the other."""
    if buffer is None or not buffer.payload.flags.c_contiguous:
        return scheme.new_output(u)
    return buffer.payload


def _result(buffer: Tensor | None, array: Any) -> Tensor:
    """A new tensor of a buffer's memory (see Note [Buffers are memory, not tensors])."""
    if buffer is None:
        found = wrap(array)
    else:
        if array is not buffer.payload:
            buffer.payload[...] = array
        found = wrap(buffer.payload, version=buffer.version_counter())
    if special and modes.inference:
        found.cold_side().is_inference = buffer is None or buffer.is_inference()
    return found


def _apart(x: Any, memory: Sequence[Any]) -> Any:
    """A tensor, or a copy of it if it may lie where something is written."""
    if not isinstance(x, Tensor) or not _meets(x.payload, memory):
        return x
    return x.clone()


def _is_free(array: Any, grads: Arrays) -> bool:
    """Whether an array can be computed in while `grads` are still read."""
    read = [x for x in grads if x is not None]
    return bool(array.flags.c_contiguous) and not _meets(array, read)


def _meets(array: Any, others: Sequence[Any]) -> bool:
    return True in [may_meet(array, x) for x in others]
