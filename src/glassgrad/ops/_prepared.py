"""A call of an op that was checked: to be made out of place, or in place."""

from dataclasses import dataclass, field, replace
from typing import Any

from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor

from .shape import reshape

__all__ = ["Prepared"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """An op, and what it gets: `x.scatter(…)` and `x.scatter_(…)` are prepared alike.

    Attributes:
        op: the op.
        operands: its operands: tensors, arrays and numbers.
        parameters: its parameters.
        at: which operand is the tensor that the method belongs to.
    """

    op: type[Primitive]
    operands: tuple[Any, ...]
    parameters: dict[str, Any] = field(default_factory=dict)
    at: int = 0

    def result(self) -> Tensor:
        """The result, in new memory."""
        if self.is_without_dims():
            return reshape(self.with_a_dim().result(), ())
        return self.op.apply(*self.operands, **self.parameters)

    def is_without_dims(self) -> bool:
        """Whether the op counts along a dim, and the tensor has none."""
        return "dim" in self.parameters and not self.operands[self.at].ndim

    def with_a_dim(self) -> "Prepared":
        """The same with vectors, which are views, for 0-d tensors."""
        vectors = tuple([x if x.ndim else reshape(x, (1,)) for x in self.operands])
        return replace(self, operands=vectors)
