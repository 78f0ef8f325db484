"""How a user's Function goes through a level: `forward` below it, `setup_context` at it."""

import functools
from typing import Any

from glassgrad.core.errors import TransformError
from glassgrad.core.function import place_outputs
from glassgrad.core.tensor import Tensor
from glassgrad.levels.level import Level, call_at
from glassgrad.levels.tangents import Call
from glassgrad.values.layers import Wrapped
from glassgrad.values.tree import map_leaves

__all__ = ["call_below", "call_moving", "check_form", "lowered"]


def check_form(cls: Any) -> None:
    """Raise if `forward` has the form with ctx, which no transform can take apart."""
    if not cls.has_setup_context():
        raise TransformError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, "
            "jacrev, ...), it must override the setup_context staticmethod. For more details, "
            f"please see the notes on extending autograd. {cls.__name__} has "
            "`forward(ctx, …)`: write `forward(…)`, and `setup_context(ctx, inputs, output)`."
        )


def call_below(level: Level, cls: Any, args: tuple[Any, ...]) -> Any:
    """Call a Function one level down; returns its ctx, its outputs at this level, its edges."""
    check_form(cls)
    lower = [map_leaves(functools.partial(lowered, level), x) for x in args]

    def outputs() -> Any:
        with level.below():
            raw = cls.apply(*lower)
        if isinstance(raw, tuple):
            return tuple([_at(level, out, args, lower) for out in raw])
        return _at(level, raw, args, lower)

    return call_at(level, cls, args, outputs)


def lowered(level: Level, x: Any) -> Any:
    """The tensor one level down of one that belongs to the level; anything else as it is."""
    return x.payload.value if level.is_mine(x) else x


def _at(level: Level, out: Any, args: Any, lower: Any) -> Any:
    """An output as this level shows it: an argument that was returned is that argument."""
    if not isinstance(out, Tensor):
        return out
    for arg, below in zip(args, lower, strict=True):
        if below is out:
            return arg
    return level.lift(out)


def call_moving(level: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    """Call a Function one level down, and its `jvp` on the tangents that its arguments have."""
    ctx, raw, edges = call_below(level, cls, args)
    tangents = tuple([level.parts(x)[1] if isinstance(x, Tensor) else None for x in args])
    if all(tangent is None for tangent in tangents):
        return place_outputs(ctx, args, raw, edges)
    call = Call.of(ctx, args, tangents, raw)
    outputs = place_outputs(ctx, args, raw, edges)
    several = outputs if isinstance(outputs, tuple) else (outputs,)
    for out in several:
        _part(level, out, args)
    with level.below():
        moved = call.moved(outputs)
    for out, tangent, _ in moved:
        level.move(out, tangent)
    return outputs


def _part(level: Any, out: Any, args: tuple[Any, ...]) -> None:
    """An argument returned as it is has a layer of its own there: it may move otherwise."""
    for arg in args:
        if (
            out.__class__ is Wrapped
            and out is not arg
            and out.payload is getattr(arg, "payload", 0)
        ):
            out.payload = level.layer(out.payload.value)
