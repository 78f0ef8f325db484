"""What a user's Function is called with, and how what its `forward` returned becomes outputs of its
node. And whom a warning is for.

Nearly all outputs are fresh tensors. The others are inputs, views, and what was written. An input
that was changed in place (`mark_dirty`) moves to its new place in the graph; an input that is
returned as it is becomes a view, which it is forbidden to write where that is recorded.
"""

import importlib
import inspect
import warnings
from sys import _getframe
from typing import Any

from glassgrad._words import printable
from glassgrad.core.errors import GraphError, LeafWriteError
from glassgrad.core.graph import GradientEdge, Metadata, number
from glassgrad.core.saved import Gone
from glassgrad.core.state import Func, Values, here, is_ours, plugs
from glassgrad.core.tensor import LEAF, Pending, Tensor, wrap
from glassgrad.values.tree import as_tuple

from .saved import is_any_of, keep
from .views import CUSTOM, MULTIPLE, as_view, check_made, move

# Instead of FREED, for a Function that wants its tensors to go as soon as they were read.
CLEARED: Any = Gone(
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on "
    "the autograd.Function. Either access saved_tensors only once, or set "
    "clear_saved_tensors_on_access=False."
)


def form_of(cls: Any) -> tuple[Func, bool, bool]:
    """(`forward`, whether it has the form without ctx, whether it has defaults to fill in)."""
    function, separate = cls.forward, cls.has_setup_context()
    first = _getframe(1).f_locals  # of `apply`: who has forgotten ctx fails at the first call
    fits = first.get("kwargs", True) or _takes(function, len(first["args"]) + (not separate))
    if not fits or (separate and not _takes(cls.setup_context, 3)):
        raise importlib.import_module("glassgrad.reasons.calls").unfit(cls, first.get("args", ()))
    parameters = inspect.signature(function).parameters.values() if separate else ()
    plain = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_OR_KEYWORD
    has_defaults = any(p.default is not p.empty or p.kind not in plain for p in parameters)
    # Kept with the class, and forgotten when its forward is replaced.
    form = cls._form = function, separate, has_defaults
    return form


def _takes(function: Any, count: int) -> bool:
    """Whether a function takes so many arguments by position."""
    code: Any = getattr(function, "__code__", None)
    varies = code is None or code.co_flags & inspect.CO_VARARGS
    count += inspect.ismethod(function)  # a classmethod has its class, too
    return varies or 0 <= code.co_argcount - count <= len(function.__defaults__ or ())


def bound(forward: Func, args: Values, kwargs: dict[str, Any], separate: bool) -> Values:
    """The arguments by position: keywords filled in, and with setup_context defaults too."""
    ctx = () if separate else (None,)
    bound = inspect.signature(forward).bind(*ctx, *args, **kwargs)
    if separate or bound.kwargs:  # a keyword behind a gap: the gap has a default
        bound.apply_defaults()
    return (*bound.args, *bound.kwargs.values())[len(ctx) :]


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the user's line that is running: the innermost one outside of this package."""
    frame, level = _getframe(1), 2
    while is_ours[frame.f_code.co_filename] and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(printable(message), category, stacklevel=level)


# What `forward` returned --------------------------------------------------------------------------


def place_outputs(ctx: Any, args: Values, raw: Any, edges: Any) -> Any:
    """Give each tensor that `forward` returned its place in the graph; `edges` None: none."""
    outputs = as_tuple(raw)
    marked = ctx.dirty_tensors or ctx.non_differentiable
    if marked:
        _check_marked("mark_dirty can only accept variables", ctx.dirty_tensors)
        _check_marked(
            "mark_non_differentiable only accepts variable arguments", ctx.non_differentiable
        )
    if ctx.dirty_tensors:
        _check_dirty(ctx, args, outputs, edges is not None)
    if edges is not None:
        ctx.edges = edges
        ctx.caller_code, ctx.caller_offset = here(3)
        number(ctx)
        if len(edges) != len(args):
            ctx._is_tensor = tuple([isinstance(arg, Tensor) for arg in args])
    if len(outputs) == 1:
        (out,) = outputs
        array = out.payload if isinstance(out, Tensor) else _NO_ARRAY
        ctx.out_shape, ctx.out_dtype = array.shape, array.dtype
        placed = (_place(ctx, args, out, edges and ctx, marked),)
    else:
        placed = _place_several(ctx, args, outputs, edges is not None, marked)
    if edges is not None and ctx.to_save:
        # What is to be saved goes: an output among it refers to the node, which would be a cycle.
        keep(ctx, ctx.__dict__.pop("to_save"), marked)
    if marked:
        ctx.__dict__.pop("dirty_tensors", None)  # outputs refer to the node: that would be a cycle
        ctx.__dict__.pop("non_differentiable", None)
    return placed if outputs is raw else placed[0]


_NO_ARRAY = Metadata(None, None)  # type: ignore[arg-type]  # of an output that is no tensor


def _place_several(ctx: Any, args: Values, outputs: Values, recording: bool, marked: Any) -> Values:
    """The outputs of a Function with none or several, each at an edge of its own."""
    arrays = [out.payload if isinstance(out, Tensor) else _NO_ARRAY for out in outputs]
    ctx.out_shape = tuple([array.shape for array in arrays])
    ctx.out_dtype = tuple([array.dtype for array in arrays])
    edges = [GradientEdge(ctx, nr) if recording else None for nr in range(len(outputs))]
    placed = [
        _place(ctx, args, out, edge, marked) for out, edge in zip(outputs, edges, strict=True)
    ]
    if recording:
        gradless = [nr for nr, out in enumerate(placed) if getattr(out, "edge", None) is None]
        for nr, out in enumerate(placed):
            if nr not in gradless and len(gradless) < len(placed) - 1 and out._is_view():
                out.cold.made = MULTIPLE  # its node has them all
        if not ctx._materialize_non_diff_grads:
            ctx._gradless = tuple(gradless)
    return tuple(placed)


def _place(ctx: Any, args: Values, out: Any, edge: Any, marked: Any) -> Any:
    """An output at `edge`, None for nowhere.

    Nearly always it is a tensor that `forward` has just made. Else it was changed in place, is an
    input as it is, or a view. An input as it is becomes a view, which nobody may write.

    Args:
        marked: whether any tensor was marked as dirty or non-differentiable.
    """
    if not isinstance(out, Tensor):
        return out
    if marked and is_any_of(out, ctx.dirty_tensors):
        if edge is not None:
            out.grad = None  # it was that of the tensor as it was before
            is_it = [arg is out for arg in args if isinstance(arg, Tensor)]
            move(out, edge, is_it.index(True) if True in is_it else 0)
        return out
    is_input, here, cold = False, out.edge, out.cold
    for arg in args:  # `is_any_of` written out: every call pays for it
        is_input |= arg is out
    is_gradless = out.payload.dtype.kind not in "fc"
    if edge is None or is_gradless or (marked and is_any_of(out, ctx.non_differentiable)):
        if is_input and here is None:
            return _alias(out)
        if not is_input and cold is not None and cold.base is not None:
            cold.made = CUSTOM
            return out
        return out.detach() if here is not None else out
    if is_input or here is LEAF or (here is not None and here.__class__ is not Pending):
        out = _alias(out)
    out.edge = edge
    cold = out.cold
    if cold is not None and cold.base is not None:
        cold.made, cold.seen = CUSTOM, out.version_counter().count
    return out


def _alias(tensor: Tensor) -> Tensor:
    """A view of all of `tensor`, which it is forbidden to write where that is recorded."""
    if plugs.subclasses.overrides((tensor,)):
        return tensor.view_as(tensor)
    return as_view(wrap(tensor.payload), tensor, made=CUSTOM)


def _check_marked(said: str, marked: Values) -> None:
    """Raise if anything but tensors was marked."""
    for each in marked:
        if not isinstance(each, Tensor):
            got = type(each).__name__
            raise GraphError(f"{said}, but got {got}. What is no tensor has no gradient.")


def _check_dirty(ctx: Any, args: Values, outputs: Values, recording: bool) -> None:
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
            raise _leaf_error(ctx, tensor, "a leaf Variable that requires grad has been used")
        if not is_any_of(tensor, args):
            warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that "
                "have been mutated should be passed to ctx.mark_dirty()."
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
                what = "a view of a leaf Variable that requires grad is being used"
                raise _leaf_error(ctx, tensor, what)


def _leaf_error(ctx: Any, tensor: Tensor, what: str) -> LeafWriteError:
    """The error for a leaf, or a view of one, that was marked as dirty."""
    return LeafWriteError(
        f"{what} in an in-place operation: {ctx.op_name()} marked a tensor of shape "
        f"{tuple(tensor.shape)} as dirty. The leaf would become a result. Pass `x.clone()`."
    )
