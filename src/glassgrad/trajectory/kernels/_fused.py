"""What the fused steps have in common: one node each, buffers, and the way through transforms.

A step is a linear map of its actions. Forward and backward are computed by a scheme, each in one
go over all trajectories. What is rarer is a product with the map's matrix, of ordinary ops (see
Note [The matrix of a step]).

# Note [Buffers are memory, not tensors]
# A caller gives memory to write to, often what the call before returned. It is taken as memory: no
# edge leads to who made it, the outputs are new tensors of the same memory and version. So what an
# earlier graph saved of it is known to be overwritten, and its backward raises. The gradient that
# is left in `out_grad_position` is copied for the engine, which adds to what it is given.

# Note [Exact or literal]
# cuRobo's kernels differ in three places from what their formulas mean: the ghosts before a moving
# start (`CliqueTensorStepKernel`), the gradient of the last action (the central differences), and
# the step of `AccelerationTensorStepKernel`, which has no backward there. The classes compute
# exactly by default; inside `numerics("curobo")` they give the original's numbers, to compare and
# to teach.

# Note [The matrix of a step]
# A scheme's matrix is what it makes of unit vectors: a row for each sample of each of the four
# results. Tangents, gradients of gradients and batches of gradients are products with it, so that
# whoever differentiates or maps them finds ops that are known. It has O(H²) entries: that is the
# price.
"""

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from glassgrad.autograd import Function
from glassgrad.core.errors import ArgumentError, TransformError
from glassgrad.core.state import Shape, Values, here, modes, setting, special
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.ops import zeros_like
from glassgrad.ops.creation import arange
from glassgrad.ops.joining import cat, stack
from glassgrad.trajectory import _arguments
from glassgrad.values.backend import backend_for, backend_of, in_rows

Arrays = tuple[Any, ...]  # of positions, velocities, accelerations and jerks

THREADS = 128
REALS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}


@dataclass(frozen=True, slots=True)
class Scheme:
    """The arithmetic of a step (its own file says which).

    Attributes:
        forward: `forward(u, start, steps, out)`.
        adjoint: `adjoint(grads, steps, out, work)`, with memory to compute in; None: there is none.
        padding: how many samples there are more than actions.
        per_sample: whether `traj_dt` has a time step per sample; else one over the only one.
        kernel: the name it has in `steps.cu`, "" for none.
        by_time: whether neighbouring threads there have neighbouring samples; else joints.
    """

    forward: Callable[[Any, Arrays, Any, Arrays], None]
    adjoint: Callable[[Arrays, Any, Any, Any], None] | None
    padding: int = 0
    per_sample: bool = False
    kernel: str = ""
    by_time: bool = False

    def steps(self, traj_dt: Tensor, horizon: int) -> Any:
        """What the stencils take of `traj_dt`."""
        if self.per_sample:
            return _arguments.time_steps(traj_dt, horizon)
        return _arguments.first_rate(traj_dt)

    # By a kernel of `steps.cu`, which CuPy compiles when it is first needed; other arrays, other
    # dtypes and the literal numerics go through NumPy's functions, which CuPy answers, too.

    def compute(self, u: Any, start: Arrays, steps: Any, out: Arrays) -> None:
        """Do `forward`, by a kernel where there is one."""
        kernel = self.kernel_for(u, "forward")
        if kernel is None:
            self.forward(u, start, steps, out)
            return
        rows = [in_rows(np.zeros_like(u[:, 0]) + x) for x in start]
        arguments = in_rows(u), *rows, _laid_out(steps, u), *out
        self._launch(kernel, out[0].shape, out[0].shape[1], arguments)

    def pull(self, grads: Arrays, steps: Any, out: Any, work: Any) -> None:
        """Do `adjoint`, by a kernel where there is one."""
        assert self.adjoint is not None, "backward has looked"
        kernel = self.kernel_for(out, "adjoint")
        if kernel is None:
            self.adjoint(grads, steps, out, work)
            return
        given = [np.intp(0) if x is None else in_rows(x) for x in grads]
        batch, actions, joints = out.shape
        shape = batch, actions + self.padding, joints
        self._launch(kernel, shape, actions, (*given, _laid_out(steps, out), out))

    def _launch(self, kernel: Any, shape: Shape, written: int, arguments: Arrays) -> None:
        """Start a kernel.

        Args:
            shape: `(B, H, D)`, that of the results.
            written: how many rows of each trajectory are written.
            arguments: what the kernel takes before the sizes.
        """
        batch, _, joints = shape
        threads = batch * joints * (1 if self.per_sample else written)
        sizes = [np.int32(x) for x in (*shape, self.by_time)]
        if threads:
            kernel((-(-threads // THREADS),), (THREADS,), (*arguments, *sizes))

    def kernel_for(self, array: Any, name: str) -> Any:
        """The kernel "forward" or "adjoint"; None where there is none for such arrays."""
        real = REALS.get(array.dtype)
        compile_text = backend_of(array).compile_text
        if real is None or compile_text is None or not self.kernel:
            return None
        return _module(compile_text, real).get_function(f"{self.kernel}_{name}")


def _laid_out(steps: Any, like: Any) -> Any:
    """The time steps as a kernel reads them: in the dtype of the others, one behind the other."""
    if isinstance(steps, float):
        return like.dtype.type(steps)
    return in_rows(steps.astype(like.dtype, copy=False))


@functools.cache
def _module(compile_text: Callable[[str], Any], real: str) -> Any:
    text = (Path(__file__).parent / "steps.cu").read_text(encoding="utf-8")
    return compile_text(f"#define real {real}\n{text}")


class FusedStep(Function):
    """The base of the fused steps; a subclass says which schemes, and whether it has an index."""

    exact: ClassVar[Scheme]
    literal: ClassVar[Scheme]
    """What `numerics("curobo")` chooses."""
    is_indexed: ClassVar[bool] = False
    signature: ClassVar[Signature]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        index = ["start_idx"] * cls.is_indexed
        names = (
            "u_act",
            *_arguments.STARTS,
            *index,
            *_arguments.OUTPUTS,
            "traj_dt",
            _arguments.SCRATCH,
        )
        parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        cls.signature = Signature(parameters)
        cls.forward = staticmethod(functools.partial(_run, cls))  # type: ignore[method-assign]

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments, take the buffers for memory, and compute."""
        if kwargs or len(args) != len(cls.signature.parameters):
            args = cls.signature.bind(*args, **kwargs).args
        data, traj_dt, memory = args[:-6], args[-2], [*args[-6:-2], args[-1]]
        written = [x.payload for x in memory if isinstance(x, Tensor)]
        read = [x.payload for x in (*data, traj_dt) if isinstance(x, Tensor)]
        free = _arguments.are_free(written, read)
        _check(cls, data, memory, free)
        if written:
            if not free:
                data = data[0], *[_apart(x, written) for x in data[1:]]
                traj_dt = _apart(traj_dt, written)  # backward reads it, too
            memory = [x if x is None or x.edge is None else x.detach() for x in memory]
        out = super().apply(*data, *memory[:4], traj_dt, memory[4])
        place = here(2)
        for buffer, result in zip(memory, out, strict=False):
            if buffer is not None:
                result.cold_side().version = buffer.version_counter()
                buffer.wrote(place)
        return out

    @staticmethod
    def setup_context(ctx: Any, inputs: Values, output: Any) -> None:
        """Keep what is data: the time steps, where to leave a gradient, and the scheme."""
        traj_dt, ctx.scratch = inputs[-2:]
        ctx.scheme = _scheme(ctx._forward_cls)
        ctx.save_for_backward(traj_dt)
        ctx.save_for_forward(traj_dt)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradient of the actions; None for all else, which is data."""
        nothing = (None,) * (len(ctx.needs_input_grad) - 1)
        (traj_dt,) = ctx.saved_tensors
        given = [grad for grad in grads if grad is not None]
        if not ctx.needs_input_grad[0] or not given:
            return None, *nothing
        if ctx.scheme.adjoint is None:
            raise NotImplementedError(
                f'{ctx._forward_cls.__name__} has no backward in numerics("curobo"), as in that '
                "library. Its exact numerics have one. Leave the `with` block before the step."
            )
        is_plain = not modes.levels and modes.duals is None
        if is_plain and not (modes.grad and any(grad.requires_grad for grad in given)):
            arrays = tuple([None if grad is None else grad.payload for grad in grads])
            return wrap(_adjoint(ctx.scheme, arrays, traj_dt, ctx.scratch)), *nothing
        rows = cat([zeros_like(given[0]) if grad is None else grad for grad in grads], dim=1)
        actions = given[0].shape[1] - ctx.scheme.padding
        u_bar = _matrix(ctx.scheme, traj_dt, actions, given[0], of_adjoint=True) @ rows
        if ctx.scratch is not None and not modes.levels:
            _leave(ctx.scratch, u_bar.payload)
        return u_bar, *nothing

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The same map of the actions' tangent, from zero; other tangents are ignored."""
        du = tangents[0]
        if du is None:
            return None, None, None, None
        (traj_dt,) = ctx.saved_tensors
        return (_matrix(ctx.scheme, traj_dt, du.shape[1], du) @ du).chunk(4, 1)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, *args: Any) -> Any:
        """All examples' trajectories are one batch, but if each has time steps of its own."""
        count, of_steps = info.batch_size, in_dims[-2]
        if of_steps is not None and count:
            calls = []
            for at in range(count):
                pairs = zip(args, in_dims, strict=True)
                calls.append(cls.apply(*[x if k is None else x.select(k, at) for x, k in pairs]))
            return tuple([stack(list(parts)) for parts in zip(*calls, strict=True)]), 0
        data = [
            x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
            for x, dim in zip(args[:-6], in_dims, strict=False)
        ]
        batch, rows = data[0].shape[1], data[1].shape[1]
        if cls.is_indexed:  # the starts of all examples lie one behind the other
            first = arange(count, device=data[4].device).unsqueeze(1) * rows
            data[4] = data[4].flatten(1).long() + first
        # Of no examples any steps will do, as a product of none: ones.
        traj_dt = args[-2] if of_steps is None else args[-2].prod(of_steps)
        found = cls.apply(*[x.flatten(0, 1) for x in data], *[None] * 4, traj_dt, None)
        return tuple([x.reshape(count, batch, *x.shape[1:]) for x in found]), 0


def _check(cls: type[FusedStep], data: Arrays, memory: Sequence[Any], free: bool) -> None:
    """Raise for whatever cannot be computed with; nothing has been touched yet.

    Args:
        free: whether it is known that `memory` can be overwritten, and is nobody else's.
    """
    u = data[0]
    shape = _arguments.check_actions(u, cls.exact.padding)
    _arguments.check_start(data[1:4], u, cls.is_indexed)
    if modes.levels and any(x is not None for x in memory):
        raise TransformError(
            f"{cls.__name__} was given a buffer inside of a transform, where one call stands for "
            "many, and would write to memory that the transform does not know. Pass None for each."
        )
    _arguments.check_buffers(u, memory, shape, free)
    if cls.is_indexed:
        _arguments.check_rows(data[4], u, data[1].payload.shape[0])


def _run(cls: type[FusedStep], *args: Any) -> tuple[Tensor, ...]:
    """What `forward` of a step does."""
    u, *start = [x.payload for x in args[:4]]
    if cls.is_indexed:
        index = args[4].payload.reshape(-1)
        start = [x[index] for x in start]
    return _compute(_scheme(cls), u, tuple(start), args[-2], args[-6:-2])


def _compute(
    scheme: Scheme, u: Any, start: Arrays, traj_dt: Any, buffers: Sequence[Any] = (None,) * 4
) -> tuple[Tensor, ...]:
    """The four results, in the buffers where some are given."""
    steps = scheme.steps(traj_dt, u.shape[1] + scheme.padding)
    if scheme.per_sample:
        _arguments.check_place("traj_dt", traj_dt, wrap(u))
    out = tuple([_memory(x, u, scheme) for x in buffers])
    with np.errstate(all="ignore"):  # as elsewhere: inf and nan are results
        scheme.compute(u, start, steps, out)
    return tuple([_result(x, y) for x, y in zip(buffers, out, strict=True)])


def _adjoint(scheme: Scheme, grads: Arrays, traj_dt: Tensor, scratch: Any = None) -> Any:
    """The gradient of the actions, of those of the results: `(B, H, D)` each, or None for zeros."""
    like = next(grad for grad in grads if grad is not None)
    batch, horizon, joints = like.shape
    out = np.empty_like(like, shape=(batch, horizon - scheme.padding, joints), order="C")
    in_place = scratch is not None and _is_free(scratch.payload, grads)
    work = scratch.payload if in_place else np.empty_like(out)
    scheme.pull(grads, scheme.steps(traj_dt, horizon), out, work)
    if scratch is not None:
        _leave(scratch, out)
    return out


def _leave(scratch: Tensor, gradient: Any) -> None:
    """Write a gradient to the memory that was given for it."""
    scratch.payload[...] = gradient
    scratch.wrote()


# Exact, or the literal numbers of the library that the case study is from ------------------------

_KINDS = "exact", "curobo"


class _Chosen(threading.local):
    def __init__(self) -> None:
        self.kind = "exact"


_chosen = _Chosen()


def numerics(kind: str) -> setting:
    """Choose what the fused steps of this thread compute inside a `with` block.

    A step remembers its choice: its backward computes as its forward did, wherever it runs. One
    that a reentrant checkpoint runs again asks anew, in the thread and at the time of that.

    Args:
        kind: "exact" (the default outside of any block), or "curobo" for that library's numbers:
            ghosts in other units, a last action that gets a part of its gradient, a halved
            increment of velocity.

    Raises:
        ArgumentError: for any other kind.

    Example:
        >>> u, start, rate = tensor([[[0.0], [0.0]]]), tensor([[0.0]]), tensor([2.0])
        >>> still = tensor([[0.0]])
        >>> def jump(velocity):
        ...     given = u, start, velocity, still, *[None] * 4, rate, None
        ...     return CliqueTensorStepKernel.apply(*given)[2][0, 1].item()
        >>> jump(tensor([[1.0]]))
        -2.0
        >>> with numerics("curobo"):
        ...     jump(tensor([[1.0]]))
        -8.0
    """
    if str(kind) not in _KINDS:
        raise ArgumentError(
            f"numerics() was given {kind!r}. It chooses between two ways to compute. Write "
            'numerics("exact") or numerics("curobo").'
        )
    return setting(vars(_chosen), kind=kind)


def is_literal() -> bool:
    """Whether this thread is inside `numerics("curobo")`."""
    return _chosen.kind == "curobo"


def _scheme(cls: type[FusedStep]) -> Scheme:
    return cls.literal if is_literal() else cls.exact


# By a matrix --------------------------------------------------------------------------------------


def _matrix(
    scheme: Scheme, traj_dt: Tensor, actions: int, like: Tensor, *, of_adjoint: bool = False
) -> Tensor:
    """What takes actions to the rows of the four results, from a start at zero: `(4H, A)`.

    Args:
        like: has the dtype and the device of the matrix.
        of_adjoint: give what takes the gradients of the results to that of the actions, `(A, 4H)`.
    """
    found: Tensor = _Matrix.apply(
        traj_dt.detach(), scheme, actions, like.dtype, like.device, of_adjoint
    )
    return found


class _Matrix(Function):
    """The matrix of a scheme at some time steps: a constant, of each example if these are."""

    @staticmethod
    def forward(
        traj_dt: Tensor, scheme: Scheme, actions: int, dtype: Any, device: Any, of_adjoint: bool
    ) -> Tensor:
        count = 4 * (actions + scheme.padding) if of_adjoint else actions
        units = backend_for(device).asarray(np.eye(count, dtype=dtype)[..., None])
        if of_adjoint:
            grads = tuple([units[:, at : at + count // 4] for at in range(0, count, count // 4)])
            return wrap(_adjoint(scheme, grads, traj_dt)[..., 0].T)
        out = _compute(scheme, units, (0.0, 0.0, 0.0), traj_dt)
        return wrap(np.concatenate([x.payload[..., 0] for x in out], axis=1).T)

    @staticmethod
    def setup_context(ctx: Any, inputs: Values, output: Any) -> None:
        """Keep nothing: nobody differentiates it."""

    @staticmethod
    def vmap(info: Any, in_dims: Any, traj_dt: Tensor, *settings: Any) -> Any:
        """One matrix for each example."""
        steps, *_ = in_dims
        if info.batch_size:
            return stack([_Matrix.apply(x, *settings) for x in traj_dt.unbind(steps)]), 0
        any_steps = traj_dt.prod(steps)  # of no examples: a product of none, ones
        matrix = _Matrix.apply(any_steps, *settings)
        return matrix.expand(0, *matrix.shape), 0


# Memory -------------------------------------------------------------------------------------------


def _memory(buffer: Tensor | None, u: Any, scheme: Scheme) -> Any:
    """Where to compute a result: in the buffer, if its rows lie one behind the other."""
    if buffer is None or not buffer.payload.flags.c_contiguous:
        batch, actions, joints = u.shape
        return np.empty_like(u, shape=(batch, actions + scheme.padding, joints), order="C")
    return buffer.payload


def _result(buffer: Tensor | None, array: Any) -> Tensor:
    """A new tensor of a buffer's memory (see Note [Buffers are memory, not tensors])."""
    if buffer is not None and array is not buffer.payload:
        buffer.payload[...] = array
        array = buffer.payload
    found = wrap(array)
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
    return True in [_arguments.may_meet(array, x) for x in others]
