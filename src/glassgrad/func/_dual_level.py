"""The level of `jvp`: each tensor carries a tangent, and each op's rule moves both on."""

from typing import Any

from glassgrad.core.levels import Layer, Level, Wrapped, admit_layer, settled
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.core.views import as_view
from glassgrad.recording.primitive import Primitive

from ._functions import call_below
from ._tangents import tangent_of_call, tangents_of_op

__all__ = ["Dual", "DualLevel"]


@admit_layer
class Dual(Layer):
    """The layer of a tensor with a tangent.

    Attributes:
        tangent: a tensor one level down, of the shape of `value`; None stands for zeros.
    """

    __slots__ = ("tangent",)

    def __init__(self, level: Level, value: Tensor, tangent: Tensor | None = None) -> None:
        super().__init__(level, value)
        self.tangent = tangent

    def copy(self) -> "Dual":
        """The same with memory of its own."""
        with self.level.below():
            tangent = None if self.tangent is None else self.tangent.clone()
            return Dual(self.level, self.value.clone(), tangent)

    def assign(self, source: Any) -> None:
        """Write value and tangent of another payload into the memory of this one."""
        with self.level.below():
            mine = isinstance(source, Dual) and source.level is self.level
            self.value.copy_(source.value if mine else wrap(source))
            tangent = source.tangent if mine else None
            if self.tangent is not None:
                if tangent is None:
                    self.tangent.zero_()
                else:
                    self.tangent.copy_(tangent)
            elif tangent is not None:
                self.tangent = tangent.expand(self.shape).clone()


class DualLevel(Level):
    """One `jvp` that is being computed."""

    kind = "jvp"

    def layer(self, value: Tensor) -> Layer:
        """What stands for a tensor without a tangent."""
        return Dual(self, value)

    def dual(self, primal: Tensor, tangent: Tensor | None) -> Tensor:
        """A tensor of this level."""
        return wrap(Dual(self, settled(primal), tangent))

    def parts(self, x: Any) -> tuple[Any, Any]:
        """The primal and the tangent of `x`, one level down."""
        x = settled(x)
        if x.__class__ is Wrapped and x.payload.level is self:
            return x.payload.value, x.payload.tangent
        return x, None

    def handle(
        self, cls: type[Primitive], operands: tuple[Any, ...], parameters: dict[str, Any]
    ) -> Any:
        """Do the op one level down, and its rule on the tangents."""
        pairs = [self.parts(x) for x in operands]
        values = tuple([value for value, _ in pairs])
        with self.below():
            out = cls.apply(*values, **parameters)
            if cls.views:
                as_view(out, values[0])
            tangents = tuple([tangent for _, tangent in pairs])
            moved = tangents_of_op(cls, values, tangents, out, parameters)
        if not cls.multiple:
            return wrap(Dual(self, out, moved))
        return tuple(
            [wrap(Dual(self, part, tangent)) for part, tangent in zip(out, moved, strict=True)]
        )

    def call(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """Call a user's Function one level down, and its `jvp`."""
        args = tuple([settled(x) for x in args])
        ctx, raw, _ = call_below(self, cls, args)
        return tangent_of_call(self, cls, ctx, args, raw)
