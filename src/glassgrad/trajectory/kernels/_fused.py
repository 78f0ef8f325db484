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

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from glassgrad.trajectory._numerics import is_literal

from . import _checks, _cuda

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


class _Map(Function):
    """What the three share: time steps that are data, and one batch of all examples under `vmap`.

    Attributes:
        n_batches: how many of its first arguments are batches of trajectories.
        at_steps: which argument is `traj_dt`.
    """

    n_batches: ClassVar[int]
    at_steps: ClassVar[int]

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the time steps."""
        traj_dt = inputs[ctx._forward_cls.at_steps]
        ctx.save_for_backward(traj_dt)
        ctx.save_for_forward(traj_dt)
        ctx.set_materialize_grads(False)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, *args: Any) -> Any:
        """All examples' trajectories are one batch, but if each has time steps of its own."""
        count = info.batch_size
        if in_dims[cls.at_steps] is not None and count:
            return _one_by_one(cls, count, in_dims, args)
        pairs = zip(args[: cls.n_batches], in_dims, strict=False)
        batch = next(_length(x, dim) for x, dim in pairs if x is not None)
        found = cls.apply(*cls.of_all(count, in_dims, args))
        if isinstance(found, Tensor):
            return found.reshape(count, batch, *found.shape[1:]), 0
        return tuple([x.reshape(count, batch, *x.shape[1:]) for x in found]), (0,) * len(found)

    @classmethod
    def of_all(cls, count: int, in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
        """The arguments for the trajectories of all examples: `(count·B, …)` for `(B, …)`."""
        found = list(args)
        for at in range(cls.n_batches):
            x = args[at]
            if x is not None:
                x = _examples_first(x, in_dims[at], count)
                found[at] = x.reshape(count * x.shape[1], *x.shape[2:])
        if in_dims[cls.at_steps] is not None:  # of no examples: any steps will do, as a product of
            found[cls.at_steps] = args[cls.at_steps].prod(in_dims[cls.at_steps])  # none: ones
        return found


def _length(x: Tensor, dim: int | None) -> int:
    """The size of the first dim of one example."""
    return x.shape[int(dim == 0)]


def _examples_first(x: Tensor, dim: int | None, count: int) -> Tensor:
    return x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)


def _one_by_one(cls: type[Function], count: int, in_dims: Any, args: tuple[Any, ...]) -> Any:
    """A call for each of one or more examples, and where these are counted in what is stacked."""
    found = []
    for at in range(count):
        pairs = zip(args, in_dims, strict=True)
        found.append(cls.apply(*[x if dim is None else x.select(dim, at) for x, dim in pairs]))
    if isinstance(found[0], Tensor):
        return stack(found), 0
    return tuple([stack(list(parts)) for parts in zip(*found, strict=True)]), (0,) * len(found[0])


class Adjoint(_Map):
    """The gradient of the actions, of the gradients of what a step returned."""

    n_batches, at_steps = 4, 4

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
        """Keep the scheme, too."""
        _Map.setup_context(ctx, inputs, output)
        ctx.scheme = inputs[-1]

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """What each of the four adds to the gradient of the actions, the other way round."""
        needs, grads = ctx.needs_input_grad, (None,) * 4
        if grad is not None:
            grads = Linear.apply(grad, *ctx.saved_tensors, ctx.scheme, True)
        return *[x if need else None for x, need in zip(grads, needs, strict=False)], *[None] * 3

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The same map of the tangents."""
        if all(x is None for x in tangents[:4]):
            return None
        with np.errstate(all="ignore"):
            return Adjoint.apply(*tangents[:4], *ctx.saved_tensors, None, ctx.scheme)

    @classmethod
    def of_all(cls, count: int, in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
        """The gradients of all examples have no room where that of one is left."""
        *given, _, scheme = super().of_all(count, in_dims, args)
        return [*given, None, scheme]


class Linear(_Map):
    """The step from a start at zero, or the transpose of its adjoint: of exact ones, the same."""

    n_batches, at_steps = 1, 1

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
        """Keep the scheme, too, and that no gradient is to be left anywhere."""
        _Map.setup_context(ctx, inputs, output)
        ctx.scheme, ctx.of_adjoint = inputs[2:]
        ctx.scratch = None

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
        """The same map of the actions' tangent, from zero; other tangents are ignored."""
        if tangents[0] is None:
            return None, None, None, None
        return Linear.apply(tangents[0], *ctx.saved_tensors, ctx.scheme, ctx.of_adjoint)


class FusedStep(Linear):
    """The base of the fused steps; a subclass says which schemes, and whether it has an index."""

    n_batches, at_steps = 4, -2
    exact: ClassVar[Scheme]
    literal: ClassVar[Scheme]
    """What `numerics("curobo")` chooses."""
    n_data: ClassVar[int] = 4
    """How many arguments stand before the buffers: 5 with `start_idx`."""
    signature: ClassVar[Signature]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        index = ["start_idx"] * (cls.n_data - 4)
        names = "u_act", *_checks.STARTS, *index, *_checks.OUTPUTS, "traj_dt", "out_grad_position"
        parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        cls.signature = Signature(parameters)
        cls.forward = staticmethod(functools.partial(_run, cls))  # type: ignore[method-assign]

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments, take the buffers for memory, and compute."""
        if kwargs or len(args) != cls.n_data + 6:
            args = cls.signature.bind(*args, **kwargs).args
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
        """Keep the scheme, too, and where to leave the gradient."""
        _Map.setup_context(ctx, inputs, output)
        ctx.scheme, ctx.scratch = _scheme(ctx._forward_cls), inputs[-1]
        ctx.of_adjoint = False

    @classmethod
    def of_all(cls, count: int, in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
        """The starts of all examples lie one behind the other; so their indices move on."""
        found = super().of_all(count, in_dims, args)
        if cls.n_data == 5:
            index = _examples_first(args[4], in_dims[4], count)
            first = arange(count, device=index.device).unsqueeze(1) * _length(args[1], in_dims[1])
            found[4] = index.flatten(1).long().add(first).flatten()
        return found


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


def _is_free(array: Any, grads: Arrays) -> bool:
    """Whether an array can be computed in while `grads` are still read."""
    owns = array.base is None
    for x in grads:
        if x is None or (owns and x.base is None and x is not array):
            continue
        if np.may_share_memory(x, array):
            return False
    return bool(array.flags.c_contiguous)
