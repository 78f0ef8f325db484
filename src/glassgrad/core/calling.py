"""How a user's Function is called: forward into the graph, and backward out of it.

`call` runs `forward` with recording off and gives each tensor it returned its place in the graph:
a fresh one, an input that was changed in place (`mark_dirty`), or an input returned as it is,
which becomes a view. `run_user_backward` runs `backward` and checks what it returned.
"""

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .backend import CPU_BACKEND, backend_of
from .dtypes import is_differentiable
from .errors import ArgumentTypeError, GradientError, GraphError, LeafWriteError
from .graph import GradientEdge, Node, SavedTensor, edge_of, move
from .state import modes, next_seq
from .tensor import LEAF, Tensor, wrap

__all__ = ["call", "run_user_backward"]


def call(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`cls.apply(*args, **kwargs)` for a user's Function."""
    forward, separate = _form_of(cls)
    if kwargs or (separate and _has_defaults(forward)):
        args = _bind(forward, args, kwargs, separate)
    ctx = cls._backward_cls()
    recording = modes.grad
    needs: list[bool] = []
    edges: list[Any] = []
    for x in args:
        is_tensor = isinstance(x, Tensor)
        needs.append(is_tensor and x.edge is not None)
        if is_tensor:
            edges.append(edge_of(x) if recording else None)
    ctx.needs_input_grad = tuple(needs)
    if recording:
        modes.grad = False
        modes.refresh()
    try:
        if separate:
            raw = forward(*args)
            cls.setup_context(ctx, args, raw)
        else:
            raw = forward(ctx, *args)
    finally:
        if recording:
            modes.grad = True
            modes.refresh()
    return _place_outputs(ctx, args, raw, tuple(edges) if recording and True in needs else None)


@functools.cache
def _form_of(cls: Any) -> tuple[Callable[..., Any], bool]:
    """(`forward`, whether it has the form without ctx)."""
    forward = inspect.getattr_static(cls, "forward")
    if not isinstance(forward, staticmethod):
        raise GraphError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method: put @staticmethod above "
            f"`def forward` in {cls.__name__}."
        )
    return forward.__func__, cls.has_setup_context()


@functools.cache
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


def _place_outputs(ctx: Any, args: tuple[Any, ...], raw: Any, edges: Any) -> Any:
    """Give each tensor that `forward` returned its place in the graph; `edges` None: none."""
    many = isinstance(raw, tuple)
    if ctx.dirty_tensors:
        _check_dirty(ctx, args, raw if many else (raw,), edges is not None)
    if edges is None:
        return (
            tuple([_place(ctx, args, out, None) for out in raw])
            if many
            else _place(ctx, args, raw, None)
        )
    ctx._is_tensor = tuple([isinstance(arg, Tensor) for arg in args])
    ctx.edges = edges
    ctx.seq = next_seq()
    placed: Any
    if many and len(raw) != 1:
        metas = [_meta(out) for out in raw]
        ctx.out_shape, ctx.out_dtype = (tuple([meta[i] for meta in metas]) for i in (0, 1))
        placed = tuple(
            [_place(ctx, args, out, GradientEdge(ctx, nr)) for nr, out in enumerate(raw)]
        )
    else:
        ctx.out_shape, ctx.out_dtype = _meta(raw[0] if many else raw)
        placed = (_place(ctx, args, raw[0], ctx),) if many else _place(ctx, args, raw, ctx)
    if ctx.to_save:
        ctx.holders = tuple([_save(ctx, saved, i) for i, saved in enumerate(ctx.to_save)])
        del ctx.to_save
    return placed


def _meta(out: Any) -> tuple[Any, Any]:
    return (out.payload.shape, out.payload.dtype) if isinstance(out, Tensor) else (None, None)


def _is_any_of(tensor: Tensor | None, others: tuple[Any, ...]) -> bool:
    """Whether `tensor` is one of `others`; `in` would compare elements."""
    for other in others:  # noqa: SIM110  # a generator costs more than this loop
        if other is tensor:
            return True
    return False


def _place(ctx: Any, args: tuple[Any, ...], out: Any, edge: Any) -> Any:
    """An output at `edge`: fresh, changed in place, or an input returned as it is."""
    if not isinstance(out, Tensor):
        return out
    if ctx.dirty_tensors and _is_any_of(out, ctx.dirty_tensors):
        out.wrote()
        if edge is not None:
            move(out, edge)
        return out
    known = out.edge is not None or _is_any_of(out, args)
    if (
        edge is None
        or not is_differentiable(out.payload.dtype)
        or (ctx.non_differentiable and _is_any_of(out, ctx.non_differentiable))
    ):
        return out.detach() if known else out
    if known:
        return _alias(out, edge)
    out.edge = edge
    return out


def _alias(tensor: Tensor, edge: Any) -> Tensor:
    """A view of all of `tensor`, with another place in the graph."""
    view = wrap(tensor.payload, edge, version=tensor.version_counter())
    view.chilled().base = tensor if tensor._base is None else tensor._base
    return view


def _check_dirty(
    ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...], recording: bool
) -> None:
    for tensor in ctx.dirty_tensors:
        if not _is_any_of(tensor, outputs):
            raise GraphError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the "
                "Function."
            )
        if not _is_any_of(tensor, args):
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
        if recording and tensor.edge is LEAF:
            raise LeafWriteError(
                "a leaf Variable that requires grad has been used in an in-place operation: "
                f"{ctx.name()[:-8]} marked a tensor of shape {tuple(tensor.shape)} as dirty. "
                "The leaf would no longer be a leaf. Pass `x.clone()`."
            )


def _save(ctx: Any, tensor: Any, index: int) -> Tensor | SavedTensor | None:
    """How the node keeps a tensor: as it is, as long as nothing was ever written to it."""
    if isinstance(tensor, Tensor):
        if (tensor.cold is None or tensor.cold.version is None) and tensor.grad_fn is not ctx:
            return tensor
        return SavedTensor(tensor, output_nr=tensor.output_nr if tensor.grad_fn is ctx else None)
    if tensor is None:
        return None
    raise ArgumentTypeError(
        f"save_for_backward can only save variables, but argument {index} is of type "
        f"{type(tensor).__name__}. Keep other values on ctx: `ctx.dim = dim`."
    )


# Running a user's backward ---------------------------------------------------------------------


_ONE_TENSOR = (True,)


def run_user_backward(node: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of the tensors among the arguments, as `backward` returns them, checked."""
    if node.materialize_grads and _is_any_of(None, grads):
        grads = _materialize(node, grads)
    returned = node.apply(*grads)
    if type(returned) is Tensor and node._is_tensor == _ONE_TENSOR:
        return (returned,)  # what the checks below would find, sooner
    results = returned if isinstance(returned, (tuple, list)) else (returned,)
    expected = len(node._is_tensor)
    if len(results) > expected and all(extra is None for extra in results[expected:]):
        results = results[:expected]
    if len(results) != expected:
        raise GradientError(
            f"function {node.name()} returned an incorrect number of gradients (expected "
            f"{expected}, got {len(results)}). backward returns one for each argument of "
            "forward; write None for what is not a tensor."
        )
    for position, result in enumerate(results):
        if result is not None:
            _check_result(node, result, position)
    pairs = zip(results, node._is_tensor, strict=True)
    return tuple([result for result, is_tensor in pairs if is_tensor])


def _materialize(node: Node, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """Zeros in the place of missing gradients."""
    present = next((grad for grad in grads if grad is not None), None)
    backend = CPU_BACKEND if present is None else backend_of(present.payload)
    return tuple(
        [
            wrap(backend.xp.zeros(meta.shape, meta.dtype)) if grad is None and meta.dtype else grad
            for grad, meta in zip(grads, node._input_metadata, strict=True)
        ]
    )


def _check_result(node: Any, result: Any, position: int) -> None:
    """A gradient belongs to a tensor argument, and is a tensor; anything else raises."""
    if not node._is_tensor[position]:
        raise GradientError(
            f"function {node.name()} returned a gradient different than None at position "
            f"{position + 1}, but the corresponding forward input was not a Variable. "
            "Return None there."
        )
    if not isinstance(result, Tensor):
        raise GradientError(
            f"function {node.name()}: expected Variable or None (got {type(result).__name__}) at "
            f"position {position + 1}. Wrap numbers: `glassgrad.tensor(value)`."
        )
