"""The three linear maps of a step: two of them as Functions, each the other's derivative.

FusedStep ──backward──▶ Adjoint ──backward──▶ Linear ──backward──▶ Adjoint …
──jvp──▶ Linear
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassgrad.autograd import Function
from glassgrad.core.tensor import Tensor, wrap

from . import _checks, _cuda
from ._batches import folded, length, one_by_one, steps_of_any, unfolded

__all__ = ["Adjoint", "Linear", "Scheme"]

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
        count, pairs = info.batch_size, list(zip(args[:4], in_dims[:4], strict=True))
        if in_dims[4] is not None and count:
            return one_by_one(Adjoint, count, in_dims, args)
        grads = [None if x is None else folded(x, dim, count) for x, dim in pairs]
        traj_dt = steps_of_any(args[4], in_dims[4])
        batch = next(length(x, dim) for x, dim in pairs if x is not None)
        return unfolded(Adjoint.apply(*grads, traj_dt, None, args[6]), count, batch)


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
        count = info.batch_size
        if in_dims[1] is not None and count:
            return one_by_one(Linear, count, in_dims, args)
        w = folded(args[0], in_dims[0], count)
        traj_dt = steps_of_any(args[1], in_dims[1])
        return unfolded(Linear.apply(w, traj_dt, *args[2:]), count, length(args[0], in_dims[0]))


def _is_free(array: Any, grads: Arrays) -> bool:
    """Whether an array can be computed in while `grads` are still read."""
    owns = array.base is None
    for x in grads:
        if x is None or (owns and x.base is None and x is not array):
            continue
        if np.may_share_memory(x, array):
            return False
    return bool(array.flags.c_contiguous)
