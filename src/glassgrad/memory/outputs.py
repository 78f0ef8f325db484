"""The outputs of a user's Function that are no fresh tensors: inputs, views, what was written.

An input that was changed in place (`mark_dirty`) moves to its new place in the graph; an input that
is returned as it is becomes a view, which it is forbidden to write where that is recorded.
"""

import sys
import warnings
from typing import Any

from glassgrad.core.errors import GraphError, LeafWriteError
from glassgrad.core.state import plugs
from glassgrad.core.tensor import LEAF, Pending, Tensor, is_any_of, wrap

from .views import CUSTOM, MULTIPLE, as_view, check_made, move


def place(ctx: Any, args: tuple[Any, ...], out: Tensor, edge: Any) -> Tensor:
    """An output at `edge`, None for nowhere: changed in place, an input as it is, or a view."""
    if is_any_of(out, ctx.dirty_tensors):
        if edge is not None:
            out.grad = None  # it was that of the tensor as it was before
            is_it = [arg is out for arg in args if isinstance(arg, Tensor)]
            move(out, edge, is_it.index(True) if True in is_it else 0)
        return out
    is_input, here, cold = is_any_of(out, args), out.edge, out.cold
    is_gradless = out.payload.dtype.kind not in "fc" or is_any_of(out, ctx.non_differentiable)
    if edge is None or is_gradless:
        if is_input:
            return _alias(out) if here is None else out.detach()
        if cold is not None and cold.base is not None:
            cold.made = CUSTOM
            return out
        return out.detach() if here is not None else out
    if is_input or here is LEAF or (here is not None and here.__class__ is not Pending):
        out = _alias(out)
    out.edge = edge
    cold = out.cold
    if cold is not None and cold.base is not None:
        assert cold.version is not None, "a view has a version"
        cold.made, cold.seen = CUSTOM, cold.version.count
    return out


def _alias(tensor: Tensor) -> Tensor:
    """A view of all of `tensor`, which it is forbidden to write where that is recorded."""
    return as_view(wrap(tensor.payload), tensor, made=CUSTOM)


def forbid_writes(outputs: list[Any]) -> None:
    """Of several outputs none may be written if it is a view: the node has them all."""
    views = [out for out in outputs if isinstance(out, Tensor) and out.edge is not None]
    for view in views if len(views) > 1 else ():
        if view.cold is not None and view.cold.base is not None:
            view.cold.made = MULTIPLE


def check_dirty(ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...], recording: bool) -> None:
    """Count the writes to the tensors that were marked as dirty, and see whether they may be."""
    for tensor in ctx.dirty_tensors:
        tensor.wrote()
    for tensor in ctx.dirty_tensors:
        if not is_any_of(tensor, outputs):
            raise GraphError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the "
                "Function."
            )
        edge = tensor.edge
        if recording and edge.__class__ is Pending and edge.was is None:
            raise LeafWriteError(
                "a leaf Variable that requires grad has been used in an in-place operation: "
                f"{ctx.op_name()} marked a tensor of shape {tuple(tensor.shape)} as dirty. "
                "The leaf would no longer be a leaf. Pass `x.clone()`."
            )
        if not is_any_of(tensor, args):
            warnings.warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that "
                "have been mutated should be passed to ctx.mark_dirty().",
                UserWarning,
                stacklevel=5,
            )
        if recording and tensor._is_view() and len(outputs) > 1:
            raise GraphError(
                "your Function modifies inplace an input that is a view of another Tensor, and "
                f"returns {len(outputs)} outputs: the other Tensor can be tied to one only. Pass "
                "`x.clone()`."
            )
        base = tensor._base
        if recording and base is not None:
            check_made(tensor)
            if base.requires_grad and base.is_leaf:
                raise LeafWriteError(
                    "a view of a leaf Variable that requires grad is being used in an in-place "
                    f"operation: {ctx.op_name()} marked a tensor of shape {tuple(tensor.shape)} "
                    "as dirty. The leaf would change with it. Pass `x.clone()`."
                )


plugs.memory = sys.modules[__name__]
