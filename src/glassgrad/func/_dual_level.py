"""The level of `jvp`: each tensor carries a tangent, and each op's rule moves both on."""

from typing import Any, ClassVar

from glassgrad.core.graph import GradientEdge
from glassgrad.core.primitive import Primitive, record
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.levels.duals import check_size
from glassgrad.levels.level import Level
from glassgrad.levels.tangents import tangents_of_op
from glassgrad.memory.views import Geometry, show
from glassgrad.values.layers import Layer, Wrapped, admit_layer, batches_of, settled
from glassgrad.values.operands import in_common_dtype

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
                _room(tensor, self.tangent).zero_()

    def fill(self, tensor: Tensor, number: Any) -> None:
        """Write one number everywhere: a constant."""
        with self.level.below():
            self.value.fill_(number)
            if self.tangent is not None:
                _room(tensor, self.tangent).zero_()


def _room(tensor: Tensor, tangent: Tensor) -> Tensor:
    """The tangent of `tensor`, in memory of its own that its base and other views of it share.

    A missing tangent becomes zeros; one that is the same for all examples of a batch gets a copy
    for each, if the values differ, or what will be written: `tangent`. One that lies in memory in
    another way than the values gets other memory if a view of the base has only a copy of it.
    """
    base = tensor if tensor._base is None else tensor._base
    layer: Any = base.payload
    have = layer.tangent
    is_one = have is not None and _is_shared(base)
    if not is_one or not batches_of(layer.value) | batches_of(tangent) <= batches_of(have):
        layer.tangent = room = _laid_out_as(layer.value, tangent)
        if have is not None:
            apart = tuple([slice(None if step else 1) for step in room.stride()])
            room[apart].copy_(have[apart])  # elements that are one place in memory move as one
        for view in _views(base):
            at = Geometry.of(base, view)
            view.payload.tangent = room.as_strided(at.size, at.stride, at.offset)
    return tensor.payload.tangent  # type: ignore[no-any-return]  # it has one now


def _is_shared(base: Tensor) -> bool:
    """Whether the tangents of all views of `base` are views of its tangent."""
    memory = _stem(base.payload.tangent)
    tangents = [view.payload.tangent for view in _views(base)]
    return all(tangent is not None and _stem(tangent) is memory for tangent in tangents)


def _views(base: Tensor) -> Any:
    """The views of `base`; their payloads are duals, as its own is."""
    version = base.cold and base.cold.version
    return (version and version.views) or ()


def _stem(tangent: Tensor) -> Tensor:
    return tangent if tangent._base is None else tangent._base


def _laid_out_as(value: Tensor, tangent: Tensor) -> Tensor:
    """Zeros that lie in memory as `value` does; for each example that it or `tangent` is of."""
    size, stride = value.shape, value.stride()
    last = sum([(n - 1) * step for n, step in zip(size, stride, strict=True)])
    memory = value.new_zeros((last + 1,)) + tangent.new_zeros(())
    room: Tensor = memory.as_strided(size, stride)
    return room


class DualLevel(Level):
    """One `jvp` that is being computed.

    It records as well, but only what is done to tensors that require grad at this level: those
    that the function makes itself.
    """

    kind = "jvp"
    modes_inside: ClassVar[dict[str, Any]] = {"forward": True}

    def layer(self, value: Tensor) -> Layer:
        """What stands for a tensor without a tangent; a tensor of this level has its own."""
        return value.payload if self.is_mine(value) else Dual(self, value)

    def dual(self, primal: Tensor, tangent: Tensor | None) -> Tensor:
        """A tensor of this level."""
        return wrap(Dual(self, settled(primal), tangent))

    def parts(self, x: Any) -> tuple[Any, Any]:
        """The primal and the tangent of `x`, one level down."""
        x = settled(x)
        if x.__class__ is Wrapped and x.payload.level is self:
            layer: Any = x.payload
            return layer.value, layer.tangent
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
        if cls.multiple:
            results = tuple([wrap(Dual(self, *pair)) for pair in zip(out, moved, strict=True)])
        else:
            results = (wrap(Dual(self, out, moved)),)
        for x in mine:
            if x is not None and x.edge is not None and modes.grad:
                self._record(cls, operands, mine, results, parameters)
                break
        return results if cls.multiple else results[0]

    def _record(
        self,
        cls: type[Primitive],
        operands: tuple[Any, ...],
        mine: tuple[Any, ...],
        results: tuple[Tensor, ...],
        parameters: dict[str, Any],
    ) -> None:
        """Record an op of tensors that require grad here, for they were made inside the function.

        The node saves tensors of this level, so that the gradients, too, move.
        """
        edges = self.edges(cls, mine)
        if edges is None:
            return
        seen = tuple([x if own is None else own for x, own in zip(operands, mine, strict=True)])
        outputs = tuple([wrap(x.payload) for x in results])  # a node does not keep its own outputs
        out = outputs if cls.multiple else outputs[0]
        node = record(cls, seen, in_common_dtype(cls, seen), out, edges, parameters, self)
        for nr, x in enumerate(results):
            if x.dtype.kind in "fc":
                x.edge = GradientEdge(node, nr) if cls.multiple else node

    def call(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """Call a user's Function one level down, and its `jvp`."""
        args = tuple([settled(x) for x in args])
        return call_moving(self, cls, args)

    def move(self, x: Tensor, tangent: Tensor | None) -> None:
        """Let a tensor that was just made, or written, move as `tangent` says."""
        if tangent is not None:
            check_size(x, tangent)
        x.payload.tangent = tangent
