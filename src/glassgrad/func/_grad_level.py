"""The level of `grad` and `vjp`: a tape over tensors one level down.

It records the same nodes as the tape itself. Where those hold arrays, these hold tensors of the
level below, so that the ordinary engine, run on them, differentiates.
"""

from collections.abc import Sequence
from typing import Any

from glassgrad.core.graph import GradientEdge, edge_of
from glassgrad.core.levels import Level, Wrapped, settled
from glassgrad.core.state import is_recording, modes
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.core.views import show
from glassgrad.engine.task import GraphTask
from glassgrad.recording.calling import place_outputs
from glassgrad.recording.primitive import Primitive, in_common_dtype, record

from ._functions import call_below

__all__ = ["GradLevel", "pull_back"]


class GradLevel(Level):
    """One `grad` or `vjp` that is being computed."""

    kind = "grad"

    def __enter__(self) -> "GradLevel":
        super().__enter__()
        self.record(True)
        return self

    def variable(self, tensor: Tensor) -> Tensor:
        """A leaf of this level: what the function is differentiated with respect to."""
        out = self.lift(settled(tensor))
        out.edge = LEAF
        return out

    def handle(
        self, cls: type[Primitive], operands: tuple[Any, ...], parameters: dict[str, Any]
    ) -> Any:
        """Do the op one level down and, if an operand requires grad here, record it."""
        operands = tuple([settled(x) for x in operands])
        values = tuple([x.payload.value if self.is_mine(x) else x for x in operands])
        edges = self._edges(operands[cls.differentiates]) if cls.differentiable else None
        with self.below():
            out = cls.apply(*values, **parameters)
            if cls.views:
                show(out, values[0])
                if not self.is_mine(operands[0]):
                    return out  # a view of what was captured is captured
        if edges is None:
            return tuple([self.lift(part) for part in out]) if cls.multiple else self.lift(out)
        with self.below():
            node: Any = record(cls, operands, in_common_dtype(cls, values), out, edges, parameters)
        node._level = self
        if not cls.multiple:
            return wrap(self.layer(out), node)
        return tuple(
            [
                wrap(self.layer(part), GradientEdge(node, nr) if part.dtype.kind in "fc" else None)
                for nr, part in enumerate(out)
            ]
        )

    def _edges(self, operands: tuple[Any, ...]) -> Any:
        """The edges at this level; None if no operand requires grad here."""
        edges = tuple(
            [edge_of(x) if self.is_mine(x) and x.edge is not None else None for x in operands]
        )
        return edges if is_recording() and any([edge is not None for edge in edges]) else None

    def call(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """Call a user's Function one level down and record its node here."""
        args = tuple([settled(x) for x in args])
        ctx, raw, edges = call_below(self, cls, args)
        return place_outputs(ctx, args, raw, edges)


def pull_back(
    level: GradLevel, outputs: Sequence[Tensor], inputs: Sequence[Tensor], grads: Sequence[Tensor]
) -> list[Tensor | None]:
    """The gradients of `inputs`, one level below `level`, which is closed or set aside.

    Args:
        outputs: tensors of the level.
        inputs: leaves of the level.
        grads: for each output the gradient that arrives there, one level down.
    """
    pairs = [
        (edge_of(output), grad)
        for output, grad in zip(outputs, grads, strict=True)
        if level.is_mine(output) and output.edge is not None
    ]
    task = GraphTask(
        [edge for edge, _ in pairs],
        [grad for _, grad in pairs],
        keep_graph=True,
        recording=modes.grad,
        captures=[edge_of(x) for x in inputs],
    )
    task.run()
    return task.captured
