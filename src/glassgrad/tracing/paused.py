"""What can be seen of a paused pass: a `Session` without the parts that move or change it."""

from typing import Any

from glassgrad.core.engine import GraphTask
from glassgrad.core.errors import GraphError
from glassgrad.core.graph import GradientEdge, Node, edge_of
from glassgrad.core.tensor import Tensor

from . import inspection
from .breakpoints import Breakpoint, find_node
from .describing import Names
from .events import Trace
from .inspection import Hook, Saved, Waiting
from .log import Log
from .rewind import Journal

__all__ = ["Paused"]


class Paused:
    """A pass that is paused.

    Attributes:
        schedule: the nodes that the pass visits, in order.
        outputs: the tensors it starts from.
        names: the ids of nodes ("n3", n0 is the oldest), leaves and hooks.
        stopped_by: the breakpoint that it is paused at, or None.
        is_closed: whether it was closed.
    """

    def __init__(self, task: GraphTask, outputs: list[Any]) -> None:
        self.schedule: list[Node] = task.schedule
        self.outputs = [x for x in outputs if isinstance(x, Tensor)]
        self.names = Names(task.schedule, self.outputs)
        self.stopped_by: Breakpoint | None = None
        self.is_closed = False
        self._task = task
        self._runs = task.computed()
        if task.only_root is not None:
            self._runs.add(task.only_root)
        self._ranks = {node: rank for rank, node in enumerate(self.schedule)}
        self._roots: list[Any] = [x if isinstance(x, GradientEdge) else edge_of(x) for x in outputs]
        self._sources = inspection.sources_of(self)
        self._journal = Journal(task)
        self._log = Log(task, self.names, self.outputs)

    @property
    def trace(self) -> Trace:
        """The log so far, as `record` gives it at the end: what has happened, and in which graph.

        The graph is as it was when the pass began, and with `create_graph` what has grown since.
        `back` takes events out again. The trace of a session that was closed, or ended by an
        exception, can be read as before.
        """
        return self._log.trace()

    @property
    def position(self) -> int:
        """How many nodes of the schedule are done."""
        return self._task.position

    @property
    def is_done(self) -> bool:
        """Whether the pass has come to its end."""
        return self._task.position == len(self.schedule) and self._task.is_over

    @property
    def current(self) -> Node | None:
        """The node whose turn it is; None at the end."""
        return None if self.is_done or self.is_closed else self._node

    @property
    def _node(self) -> Any:
        place = self._task.position
        return self.schedule[place] if place < len(self.schedule) else None

    @property
    def _at_start(self) -> bool:
        """Whether the current node's turn has not begun."""
        return self._task.turn is None

    @property
    def arrived(self) -> tuple[Tensor | None, ...]:
        """Copies of the gradients at the current node, one for each of its outputs."""
        return inspection.copies(self._arriving())

    @property
    def queue(self) -> list[Waiting]:
        """The nodes that gradients have arrived at, the current one first, each with how many."""
        return [] if self.current is None else inspection.queue_of(self)

    @property
    def buffers(self) -> dict[Node, tuple[Tensor | None, ...]]:
        """Copies of the gradients that wait for nodes whose turn has not begun."""
        waiting = self._task.buffers
        return {node: inspection.copies(self._waiting_at(node)) for node in waiting}

    @property
    def saved(self) -> list[Saved]:
        """What the current node has saved, with bytes and versions, and who shares the memory."""
        return [] if self.current is None else self.saved_of(self.current)

    def saved_of(self, node: "Node | Tensor | str") -> list[Saved]:
        """What another node of the pass has saved; empty once it is freed."""
        return inspection.saved_of(self, find_node(self, node))

    @property
    def hooks(self) -> list[Hook]:
        """The hooks at the current node, in the order in which they run."""
        return [] if self.current is None else inspection.hooks_of(self, self.current)

    @property
    def gradients(self) -> dict[str, Tensor | None]:
        """The `.grad` of all leaves of the pass by name (by id, "t0", if they have none)."""
        found: dict[str, Tensor | None] = {}
        for leaf in self.names.leaves:
            name = self.names.naming.of(leaf.variable)
            name = self.names.leaf[leaf] if name is None or name in found else name
            found[name] = None if leaf.variable.cold is None else leaf.variable.cold.grad
        return found

    def describe(self, node: Node) -> str:
        """A node of the pass in words: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
        return inspection.label_of(self, node)

    def __repr__(self) -> str:
        return inspection.view(self)

    def _check_open(self) -> None:
        if self.is_closed:
            raise GraphError(
                f"this session was closed after {self.position} of {len(self.schedule)} nodes. A "
                "pass that has ended is not taken up again. Begin another: `gg.step(loss)`."
            )

    def _check_idle(self) -> None:
        self._check_open()
        if self._journal.is_stepping:
            raise GraphError(
                f"this session is in the middle of a step, at {self._here()}, and a hook or a rule "
                "of its own pass asks it to move. A pass does one thing after the other. Let the "
                "hook return, and move or close the session when its step is done."
            )

    def _here(self) -> str:
        return "its end" if self.current is None else self.describe(self.current)

    def _rank(self, node: Node) -> int:
        return self._ranks[node]

    def _starts_at(self, node: Node) -> bool:
        return any(source is None for source, _ in self._sources[node])

    def _arriving(self) -> tuple[Any, ...]:
        return () if self.current is None else self._waiting_at(self.current)

    def _waiting_at(self, node: Node) -> tuple[Any, ...]:
        """The gradients at a node, as the engine has them."""
        turn = self._task.turn
        if turn is not None and turn.node is node:
            return turn.grads  # type: ignore[no-any-return]  # a plug: a tuple
        waiting = self._task.buffers.get(node)
        if type(waiting) is list:
            return tuple(waiting)
        return (None,) * node.num_outputs if waiting is None else (waiting,)

    def _has_sent(self, source: Node | None, place: int) -> bool:
        """Whether a gradient has been handed on along an edge."""
        if source is None or source is not self._node:
            return source is None or self._rank(source) < self.position
        turn = self._task.turn
        done = () if turn is None else turn.todo[: turn.at]
        return any(kind == "buffer" and what[0] == place for kind, what in done)
