"""The level of `vmap`: a function of one example is computed for a batch of them at once.

A tensor of this level shows one example, without the batch axis, which is the first axis of the
tensor one level down. An op's `vmap` rule says what to do there to do it to each example.
"""

from typing import Any, NamedTuple

from glassgrad.core.errors import TransformError
from glassgrad.core.function import Function
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.levels.level import Level
from glassgrad.memory.views import show
from glassgrad.ops._families import in_front
from glassgrad.values.layers import Layer, Wrapped, admit_layer, batches_of, settled
from glassgrad.values.operands import common_dtype, in_common_dtype, in_dtype, one_dtype
from glassgrad.values.tree import map_leaves

from ._one_by_one import one_by_one
from .vmapify import call_batched

__all__ = ["Batch", "BatchLevel"]


@admit_layer
class Batch(Layer):
    """The layer of a tensor that shows one example of a batch.

    Attributes:
        argument: the argument of vmap that it is, and the dim of it that counts the examples; set
            if that is not the first one, for whoever is to see it as it was passed.
    """

    __slots__ = ("argument",)
    argument: tuple[Tensor, int]
    kind = "Batched"
    batched = True

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dims of one example."""
        return tuple(self.value.payload.shape[1:])

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element of an example to the next, by dim."""
        return self.value.payload.strides[1:]  # type: ignore[no-any-return]  # payload is Any

    def detached(self) -> Layer:
        """The same memory, out of the graphs; of one that escaped nothing is made."""
        settled(self)
        return super().detached()

    def pictured(self) -> tuple[str, Tensor]:
        """The batch, with its axis where it came from."""
        value, dim = getattr(self, "argument", (self.value, 0))
        return f", bdim={dim}", value

    def assign(self, tensor: Tensor, source: Any) -> None:
        """Write the values of another payload, one for each example or the same for all."""
        with self.level.below():
            value = self.level.value_of(source)
            batched = isinstance(source, Batch) and source.level is self.level
            self.value.copy_(in_front(value, self.ndim) if batched else value)

    def concrete(self) -> Any:
        """There are as many numbers as examples: nobody sees one."""
        raise TransformError(
            "Cannot access data pointer of Tensor that doesn't have storage: inside vmap a tensor "
            f"of shape {list(self.shape)} stands for {self.value.shape[0]} examples at once. "
            "Return it from the function and look at the result."
        )


class Info(NamedTuple):
    """What a `vmap` rule is told of the batch.

    Attributes:
        batch_size: how many examples there are.
        randomness: "error", "different" or "same".
    """

    batch_size: int
    randomness: str


class BatchLevel(Level):
    """One `vmap` that is being computed.

    Args:
        batch_size: how many examples there are.
        randomness: what random ops do: "error", "different" or "same"; "never" if nobody asked
            for a vmap who could choose.
    """

    kind = "vmap"

    def __init__(self, batch_size: int, randomness: str = "error") -> None:
        super().__init__()
        self.info = Info(batch_size, randomness)

    def layer(self, value: Tensor) -> Layer:
        """What shows one example of `value`."""
        return Batch(self, value)

    def lift(self, tensor: Tensor) -> Tensor:
        """A tensor just made: it is the same for all examples."""
        return tensor

    def lift_like(self, tensor: Tensor, like: Tensor) -> Tensor:
        """A tensor made to match one that shows one example: a copy for each."""
        if self not in batches_of(like):
            return self.lift(tensor)
        with self.below():
            return wrap(Batch(self, tensor.expand(self.info.batch_size, *tensor.shape).clone()))

    def passes_down(self, name: str, input: Any, others: tuple[Any, ...]) -> bool:
        """Whether an in-place op is the same for all examples.

        Raises:
            TransformError: if what is written is, and what is written to it is not.
        """
        if self.is_mine(input):
            return False
        if any(self.is_mine(settled(other)) for other in others):
            raise TransformError(
                f"vmap: {name}_(self, *extra_args) is not possible because there exists a Tensor "
                "`other` in extra_args that has more elements than `self`. This happened due to "
                "`other` being vmapped over but `self` not being vmapped over in a vmap: there is "
                f"one `self`, of shape {list(input.shape)}, for all {self.info.batch_size} "
                "examples. Please try to use out-of-place operators instead of inplace arithmetic."
            )
        return True

    def batch(self, x: Any) -> tuple[Any, int | None]:
        """The tensor one level down and where its batch axis is: 0, or None if it has none."""
        x = settled(x)
        if x.__class__ is Wrapped and x.payload.level is self:
            return x.payload.value, 0
        return x, None

    def as_passed(self, x: Any) -> tuple[Any, int | None]:
        """The tensor one level down with its batch axis where it was, and where that is."""
        if not self.is_mine(x):
            return x, None
        value, dim = getattr(x.payload, "argument", (x.payload.value, 0))
        return settled(value), dim

    def show(self, value: Tensor) -> Tensor:
        """What shows one example of `value`."""
        return wrap(Batch(self, settled(value)))

    def call(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """Call a user's Function for all examples at once."""
        return call_batched(self, cls, tuple([map_leaves(settled, x) for x in args]))

    def handle(
        self, cls: type[Primitive], operands: tuple[Any, ...], parameters: dict[str, Any]
    ) -> Any:
        """Do the op for all examples at once, by its `vmap` rule."""
        values, mine = self.own(operands)
        in_dims = tuple([None if x is None else 0 for x in mine])
        with self.below():
            if 0 not in in_dims:
                out = cls.apply(*values, **parameters)
                if cls.views:
                    show(out, values[0])
                return out
            if one_dtype(values) is None:
                seen = [x if own is None else own for x, own in zip(values, mine, strict=True)]
                values = in_dtype(cls, values, common_dtype(cls, tuple(seen)))
            elif not cls.broadcasts:  # an elementwise rule takes numbers as they are
                values = in_common_dtype(cls, values)
            if cls.vmap is Function.vmap:
                out = one_by_one(cls, self.info, in_dims, *values, **parameters)
            else:
                out = cls.vmap(self.info, in_dims, *values, **parameters)
            if cls.views:
                show(out, values[0])
        if cls.multiple:
            return tuple([wrap(Batch(self, part)) for part in out])
        return wrap(Batch(self, out))
