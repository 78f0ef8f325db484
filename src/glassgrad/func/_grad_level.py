"""The level of `grad` and `vjp`: a tape over tensors one level down.

It records the same nodes as the tape itself. Where those hold arrays, these hold tensors of the
level below, so that the ordinary engine, run on them, differentiates.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from glassgrad.core.engine import GraphTask
from glassgrad.core.function import place_outputs
from glassgrad.core.graph import GradientEdge, edge_of
from glassgrad.core.primitive import Primitive, record
from glassgrad.core.state import modes
from glassgrad.core.tensor import LEAF, Tensor, wrap
from glassgrad.levels.level import Level
from glassgrad.memory.views import show
from glassgrad.values.layers import settled
from glassgrad.values.operands import in_common_dtype

from ._functions import call_below

__all__ = ["GradLevel", "pull_back"]


class GradLevel(Level):
    """One `grad` or `vjp` that is being computed."""

    kind = "grad"
    modes_inside: ClassVar[dict[str, Any]] = {"grad": True, "inference": False}

    def variable(self, tensor: Tensor) -> Tensor:
        """A leaf of this level: what the function is differentiated with respect to."""
        out = self.lift(settled(tensor))
        out.edge = LEAF
        return out

    def handle(
        self, cls: type[Primitive], operands: tuple[Any, ...], parameters: dict[str, Any]
    ) -> Any:
        """Do the op one level down and, if an operand requires grad here, record it."""
        values, mine = self.own(operands)
        edges = self.edges(cls, mine) if modes.grad else None
        with self.below():
            out = cls.apply(*values, **parameters)
            if cls.views:
                show(out, values[0])
                if mine[0] is None:
                    return out  # a view of what was captured is captured
            if edges is not None:
                seen = [x if own is None else own for x, own in zip(operands, mine, strict=True)]
                values = in_common_dtype(cls, values)
                node = record(cls, tuple(seen), values, out, edges, parameters, self)
        if not cls.multiple:
            return wrap(self.layer(out), None if edges is None else node)
        if edges is None:
            return tuple([self.lift(part) for part in out])
        return tuple(
            [
                wrap(self.layer(part), GradientEdge(node, nr) if part.dtype.kind in "fc" else None)
                for nr, part in enumerate(out)
            ]
        )

    def call(self, cls: Any, args: tuple[Any, ...]) -> Any:
        """Call a user's Function one level down and record its node here."""
        args = tuple([settled(x) for x in args])
        ctx, raw, edges = call_below(self, cls, args)
        return place_outputs(ctx, args, raw, edges)


def pull_back(
    roots: Sequence[Any],
    inputs: Sequence[Tensor],
    grads: Sequence[Tensor],
    keep_graph: bool = True,
    recording: bool | None = None,
) -> list[Tensor | None]:
    """The gradients of `inputs`, one level below theirs, which is closed or set aside.

    Args:
        roots: edges of that level.
        inputs: leaves of that level.
        grads: the gradients that arrive at the roots, one level down.
        keep_graph: leave saved tensors for another pass.
        recording: whether the levels below record it; None: if they record now.
    """
    captures: Any = [edge_of(x) for x in inputs]
    task = GraphTask(
        roots,
        grads,
        keep_graph=keep_graph,
        recording=modes.grad if recording is None else recording,
        captures=captures,
    )
    task.run()
    return task.captured
