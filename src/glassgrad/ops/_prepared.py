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
        operands: its operands.
        parameters: its parameters.
        at: which operand is the tensor that the method belongs to.
    """

    op: type[Primitive]
    operands: tuple[Tensor, ...]
    parameters: dict[str, Any] = field(default_factory=dict)
    at: int = 0

    def result(self) -> Tensor:
        """The result, in new memory."""
        input = self.operands[self.at]
        if input.ndim or not self._needs_a_dim():
            return self.op.apply(*self.operands, **self.parameters)  # type: ignore[no-any-return]  # a tensor
        return reshape(self._with_a_dim().result(), ())

    def _needs_a_dim(self) -> bool:
        """Whether the op counts along a dim, which a 0-d tensor has not."""
        return "dim" in self.parameters

    def _with_a_dim(self) -> "Prepared":
        """The same with vectors for 0-d tensors."""
        vectors = tuple([x if x.ndim else reshape(x, (1,)) for x in self.operands])
        return replace(self, operands=vectors)
