"""What ops of one family share."""

from collections.abc import Callable
from typing import Any

from glassgrad.core.tensor import Size, Tensor
from glassgrad.recording.primitive import Primitive

__all__ = ["Elementwise", "KeepsShape", "Predicate", "run"]


class Elementwise(Primitive):
    """Each element of the result depends on the operands' elements at the same place."""

    broadcasts = True
    apply: Callable[..., Tensor]


class Predicate(Elementwise):
    """An elementwise question; its answer is a bool, which has no gradient."""

    differentiable = False


class KeepsShape(Primitive):
    """The gradient needs the shape of the operand: `ctx.shape`, `node._saved_self_sym_sizes`."""

    @classmethod
    def _make_node_class(cls) -> None:
        super()._make_node_class()
        if "_backward_cls" in cls.__dict__:
            node_class: Any = cls._backward_cls
            node_class._saved_self_sym_sizes = property(lambda node: Size(node.shape))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.shape = inputs[0].shape


def run(cls: type[Primitive], *values: Any, **parameters: Any) -> Any:
    """Apply an op inside a rule: recorded if a value is a Tensor, at array speed if none is."""
    if any(isinstance(value, Tensor) for value in values):
        return cls.apply(*values, **parameters)
    return cls.forward(*values, **parameters)
