"""Levels: what a transform is.

A transform is a `Level`. The innermost open level sees each op first. It takes its own layer off
the operands, has the op done one level down, and wraps what comes back; "is this mine?" is
`layer.level is self`, so that perturbations of two levels cannot be confused. At the bottom are
plain tensors and arrays.

What each kind of level does with an op is told in `glassgrad.func`.
"""

from typing import Any

from glassgrad.base.errors import TransformError
from glassgrad.core import state
from glassgrad.core.graph import edge_of
from glassgrad.core.layers import Layer, Wrapped, settled
from glassgrad.core.state import mark_special, modes, set_levels, special
from glassgrad.core.tensor import Tensor, wrap

__all__ = ["Below", "Level", "level_below"]


class Level:
    """One transform that is being computed; a context manager.

    Attributes:
        depth: its position among the open levels of its thread, from 1; below 0 once it is closed.
        outer: the levels that were open before it, the innermost last.
        grad: whether recording was on where it was opened.
    """

    kind = ""

    def __init__(self) -> None:
        self.outer: tuple[Level, ...] = modes.levels
        self.depth = len(self.outer) + 1
        self.grad = modes.grad

    def __enter__(self) -> Any:
        set_levels((*self.outer, self))
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.depth = -2
        set_levels(self.outer)
        state.set_modes(self.grad, modes.inference)

    def below(self) -> "Below":
        """Do things one level down, as if this level were not there."""
        return Below(self)

    def is_mine(self, x: Any) -> bool:
        """Whether `x` is a tensor of this level."""
        return x.__class__ is Wrapped and x.payload.level is self

    def handle(self, cls: Any, operands: tuple[Any, ...], parameters: dict[str, Any]) -> Any:
        """Do an op of which at least this level knows."""
        raise NotImplementedError

    def own(self, operands: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Operands one level down, and beside each the tensor of this level that it was, or None.

        Raises:
            TransformError: if one of them escaped from a function that was vmapped.
        """
        below: list[Any] = []
        mine: list[Any] = []
        for x in operands:
            if x.__class__ is not Wrapped or x.payload.level is not self:
                x = settled(x)
            if x.__class__ is Wrapped and x.payload.level is self:
                below.append(x.payload.value)
                mine.append(x)
            else:
                below.append(x)
                mine.append(None)
        return tuple(below), tuple(mine)

    def edges(self, cls: Any, mine: tuple[Any, ...]) -> Any:
        """The edges of this level's operands; None if none requires grad, or may."""
        if not cls.differentiable or modes.inference:
            return None
        edges = tuple(
            [None if x is None or x.edge is None else edge_of(x) for x in mine[cls.differentiates]]
        )
        for edge in edges:
            if edge is not None:
                return edges
        return None

    def lets_down(self, name: str, input: Any, others: tuple[Any, ...]) -> bool:
        """Whether an in-place op is nothing to this level, so that it is done one level down.

        Raises:
            TransformError: if it would change what the function captured.
        """
        if self.is_mine(input):
            return False
        raise TransformError(
            "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to "
            f"call in-place operation ({name}_) that would mutate a captured Tensor, of shape "
            f"{list(input.shape)}. This is not supported; please rewrite the function being "
            "transformed to explicitly accept the mutated Tensor(s) as inputs."
        )

    def call(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """Call a user's Function."""
        raise NotImplementedError

    def layer(self, value: Tensor) -> Layer:
        """What stands for a tensor one level down in one of this level."""
        return Layer(self, value)

    def lift(self, tensor: Tensor) -> Tensor:
        """A tensor just made one level down, as this level shows it: its own, and a constant."""
        return wrap(self.layer(tensor))

    def lift_like(self, tensor: Tensor, like: Tensor) -> Tensor:
        """The same for a tensor that was made to match `like`."""
        return self.lift(tensor)

    def value_of(self, payload: Any) -> Tensor:
        """The tensor one level down of some payload."""
        if isinstance(payload, Layer) and payload.level is self:
            return payload.value
        return wrap(payload)


def level_below(name: str, input: Any, *others: Any) -> "Below | None":
    """The block in which an in-place op is to be done; None if it is to be done here.

    Args:
        name: the name of the op, without its underscore.
        input: what it writes.
        others: its other operands.
    """
    if not modes.levels:
        return None
    level: Level = modes.levels[-1]
    if not level.lets_down(name, settled(input), others):
        return None
    if modes.duals is not None and modes.duals.has_tangent((input, *others)):
        return None  # tangents may be of this level where their tensors are not
    return level.below()


class Below:
    """The block in which a level is set aside; see `Level.below`."""

    __slots__ = ("grad", "here", "level", "levels")

    def __init__(self, level: Level) -> None:
        self.level = level

    def __enter__(self) -> None:
        here = self.here = modes.__dict__  # this thread's modes, quicker to reach
        self.levels, self.grad = here["levels"], here.get("grad", True)
        if self.level.depth > 0:  # of a level that is closed there is nothing to set aside
            here["levels"] = outer = self.level.outer
            if not outer:
                mark_special()
        if self.grad and not self.level.grad:  # no_grad inside a transform holds below it too
            state.set_modes(False, modes.inference)

    def __exit__(self, *exc_info: object) -> None:
        here = self.here
        here["levels"] = self.levels
        if self.levels:
            special.add(here["key"])
        if self.grad is not here.get("grad", True):
            state.set_modes(self.grad, modes.inference)
