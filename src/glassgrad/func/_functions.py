"""How a user's Function goes through a level: `forward` below it, `setup_context` at it."""

from typing import Any

from glassgrad.base.errors import TransformError
from glassgrad.core.levels import Level, Wrapped
from glassgrad.core.tensor import Tensor
from glassgrad.recording.calling import call_at

__all__ = ["call_below"]


def call_below(level: Level, cls: Any, args: tuple[Any, ...]) -> Any:
    """Call a Function one level down; returns its ctx, its outputs at this level, its edges."""
    if not cls.has_setup_context():
        raise TransformError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, "
            "jacrev, ...), it must override the setup_context staticmethod. For more details, "
            f"please see the notes on extending autograd. {cls.__name__} has "
            "`forward(ctx, …)`: write `forward(…)`, and `setup_context(ctx, inputs, output)`."
        )
    lower = [_below(level, x) for x in args]

    def outputs() -> Any:
        with level.below():
            raw = cls.apply(*lower)
        if isinstance(raw, tuple):
            return tuple([_at(level, out, args, lower) for out in raw])
        return _at(level, raw, args, lower)

    return call_at(level, cls, args, outputs)


def _below(level: Level, x: Any) -> Any:
    is_mine = x.__class__ is Wrapped and x.payload.level is level
    return x.payload.value if is_mine else x


def _at(level: Level, out: Any, args: Any, lower: Any) -> Any:
    """An output as this level shows it: an argument that was returned is that argument."""
    if not isinstance(out, Tensor):
        return out
    for arg, below in zip(args, lower, strict=True):
        if below is out:
            return arg
    return level.lift(out)
