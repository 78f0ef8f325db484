"""The level of `jvp`: each tensor carries a tangent, and each op's rule moves both on."""

from typing import Any

from glassgrad.core.levels import Layer, Level, Wrapped, admit_layer, settled
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.core.views import Geometry, show
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

    def assign(self, tensor: Tensor, source: Any) -> None:
        """Write value and tangent of another payload into the memory of this one."""
        mine = isinstance(source, Dual) and source.level is self.level
        with self.level.below():
            self.value.copy_(source.value if mine else wrap(source))
            tangent = source.tangent if mine else None
            if tangent is not None:
                _make_room(tensor)
                self.tangent.copy_(tangent)
            elif self.tangent is not None:
                self.tangent.zero_()

    def fill(self, number: Any) -> None:
        """Write one number everywhere: a constant."""
        with self.level.below():
            self.value.fill_(number)
            if self.tangent is not None:
                self.tangent.zero_()


def _make_room(tensor: Tensor) -> None:
    """Let the tangents of `tensor`, its base and all views of that have memory of their own.

    A missing tangent becomes zeros; one that is the same for all examples of a batch gets a copy
    for each, if the values differ.
    """
    base = tensor if tensor._base is None else tensor._base
    layer = base.payload
    if layer.tangent is not None and _batches(layer.value) <= _batches(layer.tangent):
        return
    room = layer.value.detach().clone()
    if layer.tangent is None:
        room.zero_()
    else:
        room.copy_(layer.tangent)
    layer.tangent = room
    version = base.cold and base.cold.version
    for view in version.views if version and version.views else ():
        place = Geometry.of(base, view)
        view.payload.tangent = room.as_strided(place.size, place.stride, place.offset)


def _batches(x: Tensor) -> set[Level]:
    """The levels for which `x` shows one example of a batch."""
    found = set()
    while isinstance(x.payload, Layer):
        if x.payload.batched:
            found.add(x.payload.level)
        x = x.payload.value
    return found


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
                show(out, values[0])
                if values[0] is operands[0]:
                    return out  # a view of what was captured is captured
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
