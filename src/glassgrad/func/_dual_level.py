"""The level of `jvp`: each tensor carries a tangent, and each op's rule moves both on."""

from typing import Any, Self

import numpy as np

from glassgrad.core.levels import Below, Layer, Level, Wrapped, admit_layer, batches_of, settled
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.core.views import Geometry, show
from glassgrad.recording.primitive import Primitive
from glassgrad.recording.tangents import tangents_of_op

from ._functions import call_moving

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
                _room(tensor, tangent).copy_(tangent)
            elif self.tangent is not None:
                self.tangent.zero_()

    def fill(self, number: Any) -> None:
        """Write one number everywhere: a constant."""
        with self.level.below():
            self.value.fill_(number)
            if self.tangent is not None:
                self.tangent.zero_()


def _room(tensor: Tensor, tangent: Tensor) -> Tensor:
    """The tangent of `tensor`, in memory of its own that its base and other views of it share.

    A missing tangent becomes zeros; one that is the same for all examples of a batch gets a copy
    for each, if the values differ, or what will be written: `tangent`.
    """
    base = tensor if tensor._base is None else tensor._base
    layer: Any = base.payload
    have = layer.tangent
    if have is None or not batches_of(layer.value) | batches_of(tangent) <= batches_of(have):
        layer.tangent = room = layer.value.new_zeros(layer.shape) + tangent.new_zeros(())
        if have is not None:
            room.copy_(have)
        version = base.cold and base.cold.version
        for view in version.views if version and version.views else ():
            view.payload.tangent = _part(room, Geometry.of(base, view))
    return tensor.payload.tangent  # type: ignore[no-any-return]  # it has one now


def _part(room: Tensor, geometry: Geometry) -> Tensor:
    """The part of a contiguous tensor that a view of its base shows."""
    places = geometry.places(np.empty(0))
    if not places.size:
        return room.new_zeros(geometry.size)
    first = places[(0,) * places.ndim]
    ahead = [
        places[(*(0,) * dim, 1, *(0,) * (places.ndim - dim - 1))] if n > 1 else first
        for dim, n in enumerate(geometry.size)
    ]
    return room.as_strided(geometry.size, [int(at - first) for at in ahead], int(first))


class _Unmoved(Below):
    """The block in which a level is set aside that was opened where forward mode was off."""

    __slots__ = ("forward",)

    def __enter__(self) -> None:
        super().__enter__()
        self.forward, modes.forward = modes.forward, False

    def __exit__(self, *exc_info: object) -> None:
        modes.forward = self.forward
        super().__exit__(*exc_info)


class DualLevel(Level):
    """One `jvp` that is being computed."""

    kind = "jvp"

    def __enter__(self) -> Self:
        super().__enter__()
        self.forward, modes.forward = modes.forward, True
        return self

    def __exit__(self, *exc_info: object) -> None:
        modes.forward = self.forward
        super().__exit__(*exc_info)

    def below(self) -> Below:
        """Do things one level down, where forward mode is off if it was before."""
        return Below(self) if self.forward else _Unmoved(self)

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
        values, mine = self.own(operands)
        moves = modes.forward
        tangents = tuple([x.payload.tangent if moves and x is not None else None for x in mine])
        with self.below():
            out = cls.apply(*values, **parameters)
            if cls.views:
                show(out, values[0])
                if mine[0] is None:
                    return out  # a view of what was captured is captured
            moved = tangents_of_op(cls, values, tangents, out, parameters)
        if not cls.multiple:
            return wrap(Dual(self, out, moved))
        return tuple(
            [wrap(Dual(self, part, tangent)) for part, tangent in zip(out, moved, strict=True)]
        )

    def call(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """Call a user's Function one level down, and its `jvp`."""
        args = tuple([settled(x) for x in args])
        return call_moving(self, cls, args)

    def move(self, x: Tensor, tangent: Tensor | None) -> None:
        """Let a tensor that was just made, or written, move as `tangent` says."""
        x.payload.tangent = tangent
