"""`out=`: the result of an op, written to a tensor that is there."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, GraphError, MissingRuleError, TransformError
from glassgrad.core.state import is_recording, modes, special
from glassgrad.core.tensor import Tensor
from glassgrad.levels.duals import forward_moves
from glassgrad.values.layers import Layer, fresh

from ._families import is_batched
from ._reduce import array_of
from ._writing import check_dtype, write

__all__ = ["written_to"]


def written_to(out: Tensor, function: Callable[..., Tensor], *args: Any, **params: Any) -> Tensor:
    """`function(*args, **params)`, in the memory of `out`.

    Args:
        out: a tensor of the dtype of the result, or of one that can hold it. It is resized if its
            shape is another, with a warning unless it is empty.

    Returns:
        `out`.

    Raises:
        GraphError: if the tape would have to record it.
        DTypeError: if the dtype of `out` cannot hold the result.
    """
    name = function.__name__
    if not isinstance(out, Tensor):
        raise ArgumentTypeError(
            f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}. The result is "
            "written to its memory. Leave it out for a new tensor."
        )
    if is_recording() and any(x.requires_grad for x in (out, *_tensors_in(args))):
        raise GraphError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad. What `out` held has no gradient, nor would "
            f"its new place in the graph be clear. Write `y = {name}(…)`, or use no_grad()."
        )
    if special:
        _check_transforms(name, (out, *_tensors_in(args)))
    result = function(*args, **params)
    check_dtype(out, result, name)
    if out.shape != result.shape:
        _resize(out, result)
    if modes.levels:
        return out.copy_(result)
    array = result.payload
    return write(out, name, lambda memory: np.copyto(memory, array, casting="unsafe"))


def _check_transforms(name: str, tensors: tuple[Tensor, ...]) -> None:
    """Raise if a tangent would have to be moved on, or what is written differs in a batch."""
    if forward_moves(tensors) or any(_has_tangent(x.payload) for x in tensors):
        raise MissingRuleError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an "
            f"out= function. Write `y = {name}(…)`, or take the tangents away with `detach()`."
        )
    if any(is_batched(x) for x in tensors):
        raise TransformError(
            f"Batching rule not implemented for {name}.out; vmap has none for out= functions. "
            f"Write `y = {name}(…)`, which makes room for what differs between examples."
        )


def _has_tangent(payload: Any) -> bool:
    """Whether a `jvp`, at some level, gave it a tangent."""
    while isinstance(payload, Layer):
        if getattr(payload, "tangent", None) is not None:
            return True
        payload = payload.value.payload
    return False


def _tensors_in(args: tuple[Any, ...]) -> list[Tensor]:
    found = []
    for arg in args:
        items = arg if isinstance(arg, (tuple, list)) else (arg,)
        found += [item for item in items if isinstance(item, Tensor)]
    return found


def _resize(out: Tensor, result: Tensor) -> None:
    if out.numel():
        warnings.warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(out.shape)}, which does not match the required output shape "
            f"{list(result.shape)}. It has new memory now. Write `out.resize_(0)` before if "
            "that is meant.",
            UserWarning,
            stacklevel=4,
        )
    zeros = np.zeros_like(array_of(out), order="C", shape=tuple(result.shape))
    out.payload = fresh(zeros).payload
