"""What can be seen of a paused PyTorch pass: a `Session` without the parts that move it."""

from functools import cached_property
from typing import Any

from glassgrad.tracing.breakpoints import Breakpoint
from glassgrad.tracing.inspection import Hook, Saved

from . import showing
from .arrays import array_of
from .breakpoints import find_node
from .graph import Graph
from .order import foreseen
from .recorder import Recorder
from .turns import Stop, Turn

__all__ = ["Paused"]


class Paused:
    """A PyTorch pass that is paused.

    Attributes:
        names: the ids of nodes ("n3", n0 is the oldest) and of leaves, as `names.node[node]`.
        outputs: the tensors it starts from.
        stopped_by: the breakpoint that it is paused at, or None.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.names: Graph = recorder.graph
        self.outputs: list[Any] = recorder.graph.outputs
        self.stopped_by: Breakpoint | None = None
        self._recorder = recorder
        self._turn = Turn()

    @property
    def current(self) -> Stop | None:
        """Where the pass waits; None before the first step and when it is over."""
        return self._turn.stop

    @property
    def schedule(self) -> list[Any]:
        """The nodes that the pass visits: those that have had their turn, in its order, and the
        others in the order to expect. With several devices, PyTorch may take another one.
        """
        begun = self._recorder.begun
        return [*begun, *(node for node in self._foreseen if node not in begun)]

    @cached_property
    def _foreseen(self) -> list[Any]:
        return foreseen(self.names)

    @property
    def position(self) -> int:
        """How many nodes of the schedule are done."""
        return self._recorder.done

    @property
    def arrived(self) -> tuple[Any, ...]:
        """Copies of the gradients at the current node, one for each of its outputs."""
        return () if self.current is None else showing.copies(self.current.gradients)

    @property
    def queue(self) -> list[showing.Waiting]:
        """The nodes that gradients have arrived at, the current one first, each with how many."""
        return [] if self.current is None else showing.queue_of(self._recorder, self.current)

    @property
    def saved(self) -> list[Saved]:
        """What the current node has saved, with bytes and versions, and who shares the memory."""
        return [] if self.current is None else self.saved_of(self.current)

    def saved_of(self, node: Any) -> list[Saved]:
        """What a node of the pass has saved; empty once it is freed.

        Args:
            node: the node, its id "n3", or a tensor: the node where its gradient arrives.

        Raises:
            ArgumentError, ArgumentTypeError: if it is no part of the pass.
        """
        return showing.saved_of(self._recorder, find_node(self, node))

    @property
    def hooks(self) -> list[Hook]:
        """The hooks at the current node, in the order in which they run."""
        return [] if self.current is None else showing.hooks_of(self._recorder, self.current.node)

    @property
    def gradients(self) -> dict[str, Any]:
        """The `.grad` of all leaves of the pass by name (by id, "t0", if they have none)."""
        return showing.gradients_of(self.names)

    def describe(self, node: Any) -> str:
        """A node of the pass in words: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
        return showing.label_of(self.names, node)

    def _arriving(self) -> tuple[Any, ...]:
        """The gradients at the current node, as arrays."""
        grads = () if self.current is None else self.current.gradients
        return tuple(None if grad is None else array_of(grad) for grad in grads)
