"""Forward mode: how an op, or a user's Function, moves tangents on."""

import functools
from typing import Any

from glassgrad.core.tensor import Tensor
from glassgrad.core.views import as_view
from glassgrad.recording.operands import in_common_dtype
from glassgrad.recording.primitive import Primitive, context

__all__ = ["tangents_of_op"]


def tangents_of_op(
    cls: type[Primitive],
    values: tuple[Any, ...],
    tangents: tuple[Any, ...],
    out: Any,
    parameters: dict[str, Any],
) -> Any:
    """The tangent of `out` (a tuple of them if the op has several outputs); None where none is."""
    wanted = tangents[cls.differentiates]
    if not cls.differentiable or all([tangent is None for tangent in wanted]):
        return (None,) * len(out) if cls.multiple else None
    values = in_common_dtype(cls, values)
    ctx = context(cls, values, values, out, wanted, parameters, forward_ctx(cls))
    ctx.operands, ctx.parameters, ctx.result = values, parameters, out
    moved = cls.jvp(ctx, *wanted)
    if not cls.multiple:
        return _fitted(cls, moved, out, tangents)
    return tuple([_fitted(cls, part, of, tangents) for part, of in zip(moved, out, strict=True)])


@functools.cache
def forward_ctx(cls: type[Primitive]) -> Any:
    """The class of the `ctx` of `jvp`: what backward finds there, and the call itself."""
    return type(f"{cls.__name__}Forward", (cls._backward_cls,), {})


def _fitted(cls: type[Primitive], tangent: Any, out: Tensor, tangents: tuple[Any, ...]) -> Any:
    """A tangent in the shape and dtype of its primal."""
    if tangent is None or out.dtype.kind not in "fc":
        return None
    if cls.views:
        return as_view(tangent, tangents[0])
    if tangent.dtype is not out.dtype:
        tangent = tangent.to(out.dtype)
    return tangent if tangent.shape == out.shape else tangent.expand(out.shape)


def tangent_of_call(
    level: Any, cls: Any, ctx: Any, args: tuple[Any, ...], raw: Any
) -> Any:
    """The outputs of a user's Function, with the tangents that its `jvp` gives them."""
    tangents = [level.parts(x)[1] if isinstance(x, Tensor) else None for x in args]
    if all([tangent is None for tangent in tangents]):
        return raw
    ctx.to_save = ctx.saved_for_forward
    with level.below():
        moved = ctx.apply_jvp(*tangents)
    several = isinstance(raw, tuple)
    moved = moved if isinstance(moved, tuple) else (moved,)
    for out, tangent in zip(raw if several else (raw,), moved, strict=True):
        if isinstance(out, Tensor):
            out.payload.tangent = tangent
    return raw
