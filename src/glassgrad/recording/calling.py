"""How a user's Function is called: forward into the graph, and backward out of it.

`call` runs `forward` with recording off and gives each tensor it returned its place in the graph:
a fresh one, an input that was changed in place (`mark_dirty`), or an input returned as it is,
which becomes a view. `run_user_backward` runs `backward` and checks what it returned.
"""

import inspect
import warnings
from collections.abc import Callable
from sys import _getframe
from typing import Any

from glassgrad.base.backend import CPU_BACKEND
from glassgrad.base.errors import ArgumentTypeError, GradientError, GraphError, LeafWriteError
from glassgrad.base.source_lines import outside
from glassgrad.core import state
from glassgrad.core.graph import GradientEdge, edge_of, move
from glassgrad.core.layers import backend_below
from glassgrad.core.saved import Kept, Packed
from glassgrad.core.state import modes, next_seq, special, unusual
from glassgrad.core.tensor import LEAF, Pending, Tensor, wrap
from glassgrad.core.views import CUSTOM, MULTIPLE, as_view, check_made

__all__ = ["call", "form_of", "is_any_of", "place_outputs", "run_user_backward", "wrong_number"]


def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Run `forward` and, if an argument requires grad, record a node: this is `Function.apply`.

    Args:
        args, kwargs: what `forward` takes. Keywords and defaults need `setup_context`.

    Returns:
        What `forward` returned; its tensors carry this Function's node as their `grad_fn`.

    Raises:
        MissingRuleError: if there is no `forward`.
        GraphError: if `forward` is not a static method, or the rules of in-place Functions
            (`mark_dirty`) are broken.
    """
    forward, separate, has_defaults = cls.__dict__.get("_form") or form_of(cls)
    if kwargs or has_defaults:
        args = _bind(forward, args, kwargs, separate)
    if special:
        if modes.duals is not None and modes.duals.has_tangent(args):
            return modes.duals.call(cls, args)
        if modes.levels:
            return modes.levels[-1].call(cls, args)
    ctx = _new(cls._backward_cls)
    ctx.edges = ctx.holders = ctx.out_shape = ctx.out_dtype = ()
    ctx.versions = ctx.cold = None
    here = modes.__dict__  # this thread's modes: read and set six times below
    recording = here.get("grad", True)
    needs: list[bool] = []
    edges: list[Any] = []
    for x in args:
        if isinstance(x, Tensor):
            edge = x.edge
            needs.append(edge is not None)
            edges.append(edge.settle(x) if type(edge) is Pending and recording else edge)
        else:
            needs.append(False)
    ctx.needs_input_grad = tuple(needs)
    if recording:
        here["grad"] = False
        unusual.add(here["key"])
    try:
        if separate:
            raw = forward(*args)
            cls.setup_context(ctx, args, raw)
        else:
            raw = forward(ctx, *args)
    finally:
        if recording:
            here["grad"] = True
            unusual.discard(here["key"])
    return place_outputs(ctx, args, raw, tuple(edges) if recording and True in needs else None)


_new = object.__new__  # a node's __init__ would cost as much as all that it sets


def form_of(cls: Any) -> tuple[Callable[..., Any], bool, bool]:
    """(`forward`, whether it has the form without ctx, whether it has defaults to fill in)."""
    forward = inspect.getattr_static(cls, "forward")
    if not isinstance(forward, staticmethod):
        raise GraphError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method: put @staticmethod above "
            f"`def forward` in {cls.__name__}."
        )
    function, separate = forward.__func__, cls.has_setup_context()
    form = function, separate, separate and _has_defaults(function)
    cls._form = form  # kept with the class, and forgotten when its forward is replaced
    return form


def _has_defaults(forward: Callable[..., Any]) -> bool:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(forward).parameters.values()
    return any(p.default is not p.empty or p.kind not in kinds for p in parameters)


def _bind(
    forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], separate: bool
) -> tuple[Any, ...]:
    """The arguments by position: keywords filled in, and with setup_context defaults too."""
    ctx = () if separate else (None,)
    bound = inspect.signature(forward).bind(*ctx, *args, **kwargs)
    if separate or bound.kwargs:  # a keyword behind a gap: the gap has a default
        bound.apply_defaults()
    return (*bound.args, *bound.kwargs.values())[len(ctx) :]


# What forward returned becomes the outputs of a node ------------------------------------------


def place_outputs(ctx: Any, args: tuple[Any, ...], raw: Any, edges: Any) -> Any:
    """Give each tensor that `forward` returned its place in the graph; `edges` None: none."""
    outputs = raw if isinstance(raw, tuple) else (raw,)
    if ctx.dirty_tensors:
        _check_dirty(ctx, args, outputs, edges is not None)
    marked = ctx.dirty_tensors or ctx.non_differentiable
    if edges is None:
        placed = [_place_outside(ctx, args, out) for out in outputs]
        return tuple(placed) if outputs is raw else placed[0]
    ctx.edges = edges
    try:
        caller = _getframe(2)
    except ValueError:  # a thread that began with `apply`
        caller = outside(_getframe())
    ctx.caller_code, ctx.caller_offset = caller.f_code, caller.f_lasti
    ctx.seq = next_seq()
    if state.noting:
        for note in state.noting:
            note(ctx)
    if len(edges) != len(args):
        ctx._is_tensor = tuple([isinstance(arg, Tensor) for arg in args])
    if len(outputs) == 1:
        (out,) = outputs
        array = out.payload if isinstance(out, Tensor) else _NO_ARRAY
        ctx.out_shape, ctx.out_dtype = array.shape, array.dtype
        placed = [_place(ctx, args, out, ctx, marked)]
    else:
        arrays = [out.payload if isinstance(out, Tensor) else _NO_ARRAY for out in outputs]
        ctx.out_shape = tuple([array.shape for array in arrays])
        ctx.out_dtype = tuple([array.dtype for array in arrays])
        numbered = enumerate(outputs)
        placed = [_place(ctx, args, out, GradientEdge(ctx, nr), marked) for nr, out in numbered]
        _forbid_writes(placed)
        if not ctx._materialize_non_diff_grads:
            ctx._gradless = tuple([nr for nr, out in enumerate(placed) if not _has_edge(out)])
    if ctx.to_save:
        to_save = ctx.to_save
        one = len(to_save) == 1
        try:
            if one:
                kept: tuple[Any, ...] = (_save(ctx, to_save[0], marked),)
            else:
                kept = tuple([_save(ctx, x, marked) for x in to_save])
        finally:
            del ctx.to_save
        ctx.holders = kept
    if marked:
        ctx.__dict__.pop("dirty_tensors", None)  # outputs refer to the node: that would be a cycle
        ctx.__dict__.pop("non_differentiable", None)
    return tuple(placed) if outputs is raw else placed[0]


class _NO_ARRAY:  # noqa: N801  # a constant: what is known of an output that is no tensor
    shape = dtype = None


def _has_edge(out: Any) -> bool:
    return isinstance(out, Tensor) and out.edge is not None


def is_any_of(tensor: Tensor | None, others: tuple[Any, ...]) -> bool:
    """Whether `tensor` is one of `others`; `in` would compare elements."""
    for other in others:  # noqa: SIM110  # a generator costs more than this loop
        if other is tensor:
            return True
    return False


def _place(ctx: Any, args: tuple[Any, ...], out: Any, edge: Any, marked: Any) -> Any:
    """An output at `edge`: fresh, changed in place, or an input returned as it is.

    Args:
        marked: whether any tensor was marked as dirty or non-differentiable.
    """
    if not isinstance(out, Tensor):
        return out
    if marked and is_any_of(out, ctx.dirty_tensors):
        out.grad = None  # it was that of the tensor as it was before
        is_it = [arg is out for arg in args if isinstance(arg, Tensor)]
        move(out, edge, is_it.index(True) if True in is_it else 0)
        return out
    is_input = False
    for arg in args:  # written out: every call pays for it
        if arg is out:
            is_input = True
    if out.payload.dtype.kind not in "fc" or (marked and is_any_of(out, ctx.non_differentiable)):
        return _without_edge(out, is_input)
    here = out.edge
    if is_input or here is LEAF or (here is not None and here.__class__ is not Pending):
        out = _alias(out)
    out.edge = edge
    cold = out.cold
    if cold is not None and cold.base is not None:
        assert cold.version is not None, "a view has a version"
        cold.made, cold.seen = CUSTOM, cold.version.count
    return out


def _place_outside(ctx: Any, args: tuple[Any, ...], out: Any) -> Any:
    """An output of a call that is not recorded."""
    if not isinstance(out, Tensor):
        return out
    if ctx.dirty_tensors and is_any_of(out, ctx.dirty_tensors):
        return out
    return _without_edge(out, is_any_of(out, args))


def _without_edge(out: Tensor, is_input: bool) -> Tensor:
    """An output that gets no gradient: an input as a view of itself, or out of the graph."""
    if not is_input:
        if out.cold is not None and out.cold.base is not None:
            out.cold.made = CUSTOM
            return out
        return out.detach() if out.edge is not None else out
    return _alias(out) if out.edge is None else out.detach()


def _alias(tensor: Tensor) -> Tensor:
    """A view of all of `tensor`, which it is forbidden to write where that is recorded."""
    return as_view(wrap(tensor.payload), tensor, made=CUSTOM)


def _forbid_writes(outputs: list[Any]) -> None:
    """Of several outputs none may be written if it is a view: the node has them all."""
    views = [out for out in outputs if _has_edge(out)]
    for view in views if len(views) > 1 else ():
        if view.cold is not None and view.cold.base is not None:
            view.cold.made = MULTIPLE


def _check_dirty(
    ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...], recording: bool
) -> None:
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


def _save(ctx: Any, tensor: Any, marked: Any) -> Tensor | Kept | Packed | None:
    """How the node keeps a tensor: as it is, as long as nothing was ever written to it."""
    if tensor is None:
        return None
    if not isinstance(tensor, Tensor):
        position = [x is tensor for x in ctx.to_save].index(True)
        raise ArgumentTypeError(
            f"save_for_backward can only save variables, but argument {position} is of type "
            f"{type(tensor).__name__}. Keep other values on ctx: `ctx.dim = dim`."
        )
    edge = tensor.edge
    is_output = edge is ctx or (edge.__class__ is GradientEdge and edge.node is ctx)
    if marked and tensor._is_view() and is_any_of(tensor, ctx.dirty_tensors):
        is_output = True  # its edge is that of an AsStridedBackward0 behind this node
    if special and modes.hook_pairs and not tensor.is_inference():
        output_nr = tensor.output_nr if is_output else None
        return Packed(tensor, modes.hook_pairs[-1], edge=edge_of(tensor), output_nr=output_nr)
    if is_output:
        return Kept(tensor, output_nr=tensor.output_nr)
    cold = tensor.cold
    is_fresh = cold is None or (cold.version is None and not cold.is_inference)
    return tensor if is_fresh else Kept(tensor)


# Running a user's backward ---------------------------------------------------------------------


def run_user_backward(node: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of the tensors among the arguments, as `backward` returns them, checked."""
    if node.materialize_grads:
        for grad in grads:
            if grad is None:
                grads = _materialize(node, grads)
                break
    returned = node.apply(*grads)
    if type(returned) is Tensor and node._is_tensor is None and len(node.edges) == 1:
        return (returned,)  # what the checks below would find, sooner
    results = returned if isinstance(returned, tuple) else (returned,)
    is_tensor = node._is_tensor or (True,) * len(node.edges)
    expected = len(is_tensor)
    if len(results) > expected and all(extra is None for extra in results[expected:]):
        results = results[:expected]
    if len(results) != expected:
        raise wrong_number(node.name(), expected, len(results))
    for position, result in enumerate(results):
        if result is not None:
            _check_result(node, result, position, is_tensor[position])
    return tuple([result for result, wanted in zip(results, is_tensor, strict=True) if wanted])


def wrong_number(name: str, expected: int, got: int) -> GradientError:
    """The error about the gradients that the backward of node `name` returned."""
    return GradientError(
        f"function {name} returned an incorrect number of gradients (expected {expected}, got "
        f"{got}). backward returns one for each argument of forward; write None for what is not a "
        "tensor."
    )


def _materialize(node: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """Zeros in the place of missing gradients, except those that can never come, if so wished."""
    present = next((grad for grad in grads if grad is not None), None)
    backend = CPU_BACKEND if present is None else backend_below(present.payload)
    return tuple(
        [
            wrap(backend.xp.zeros(meta.shape, meta.dtype))
            if grad is None and meta.dtype and nr not in node._gradless
            else grad
            for nr, (grad, meta) in enumerate(zip(grads, node._input_metadata, strict=True))
        ]
    )


def _check_result(node: Any, result: Any, position: int, is_tensor: bool) -> None:
    """A gradient belongs to a tensor argument, and is a tensor; anything else raises."""
    if not is_tensor:
        raise GradientError(
            f"function {node.name()} returned a gradient different than None at position "
            f"{position + 1}, but the corresponding forward input was not a Variable. What is no "
            "tensor has no gradient. Return None there."
        )
    if not isinstance(result, Tensor):
        raise GradientError(
            f"function {node.name()}: expected Variable or None (got {type(result).__name__}) at "
            f"position {position + 1}. The pass goes on with tensors. "
            "Write `glassgrad.tensor(value)`."
        )
