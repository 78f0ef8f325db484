"""A pass that is paused, of glassgrad's engine or PyTorch's: what can be seen of it."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from glassgrad._words import LONGEST, counted, plain
from glassgrad.core.engine import Grads
from glassgrad.core.errors import ArgumentError
from glassgrad.core.state import Names, Shape

from .breakpoints import MAKERS, Breakpoint, Makers, find_node, find_nodes
from .events import Trace
from .graph import Hook, is_leaf, op_of
from .log import EventLog
from .seen import bytes_of
from .summary import dtype_name, gradient_in_words


class Waiting(NamedTuple):
    """A node that gradients are on their way to.

    Attributes:
        id, node: which.
        label: how it is called in sentences: "n1 AccumulateGrad of x".
        arrived, expected: how many gradients have arrived there, of how many.
        gradients: the sum of them, one for each output of the node; None where none has arrived.
    """

    id: str
    node: Any
    label: str
    arrived: int
    expected: int
    gradients: Grads

    def __str__(self) -> str:
        what = ", ".join(gradient_in_words(grad) for grad in self.gradients if grad is not None)
        return f"{self.label}: {self.arrived} of {self.expected} arrived" + (what and f"; {what}")


class Saved(NamedTuple):
    """A tensor that a node saved for its rule.

    Attributes:
        name: what the rule calls it: "self", "result", "saved_tensors[0]".
        shape, dtype, bytes: what it is.
        version, now: the version of its memory when it was saved, and now; the rule refuses to
            run if they differ.
        shared_with: who else holds the same memory: other nodes, and the leaf or output itself.
        called: what the program calls it; empty if it has no name for it.
    """

    name: str
    shape: Shape
    dtype: str
    bytes: int
    version: int
    now: int
    shared_with: Names
    called: str = ""

    def __str__(self) -> str:
        version = f"saved at version {self.version}"
        if self.now != self.version:
            version += f", which is stale: it is at version {self.now} now"
        shared = f"; memory shared with {', '.join(self.shared_with)}" if self.shared_with else ""
        size = counted(self.bytes, "byte")
        name = plain(self.name, LONGEST)
        if self.called:
            name = f"{plain(self.called, LONGEST)} ({name})"
        return f"{name} {self.shape} {self.dtype}, {size}, {version}{shared}"


class Engine(Protocol):
    """What the engine of a pass that is paused tells, and does."""

    @property
    def schedule(self) -> list[Any]:
        """The nodes that the pass visits, in order."""

    @property
    def position(self) -> int:
        """How many nodes of the schedule are done."""

    @property
    def is_done(self) -> bool:
        """Whether the pass has come to its end."""

    @property
    def is_closed(self) -> bool:
        """Whether the pass was ended before."""

    @property
    def _node(self) -> Any:
        """The node that the pass waits at."""

    def _how(self) -> str:
        """What is about to happen there."""

    def _waiting_at(self, node: Any) -> Grads:
        """The gradients at a node, as the engine has them."""

    def _copies(self, grads: Iterable[Any]) -> Grads:
        """Gradients to look at: writing to them changes nothing.

        Under `create_graph` the real ones.
        """

    def _check_open(self) -> None:
        """Raise if the session was closed."""

    def close(self) -> None:
        """End the pass where it is."""

    def _step(self) -> None:
        """One step."""


class Paused(Engine):
    """A pass that is paused.

    Attributes:
        outputs: the tensors, or edges, it starts from.
        names: the ids of nodes ("n3", n0 is the oldest), leaves and hooks.
        stopped_by: the breakpoint that it is paused at, or None.
        breakpoints: the breakpoints that are set.
    """

    _makers: Makers = MAKERS
    _log: EventLog
    _roots: list[Any]  # the nodes that it starts from
    _runs: set[Any]  # those that it runs

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.names = log.graph
        self.outputs: list[Any] = log.graph.outputs
        self.stopped_by: Breakpoint | None = None
        self.breakpoints: list[Breakpoint] = []

    @property
    def _at_start(self) -> bool:
        """Whether the current node's turn has not begun, as far as the engine can be stopped."""
        return True

    def _asks(self, what: Callable[[Any], Any]) -> Any:
        """What a function says of where the pass is."""
        return what(self)

    # Looking ------------------------------------------------------------------------------------

    @property
    def trace(self) -> Trace:
        """The log so far, as `record` gives it at the end: what has happened, and in which graph.

        The graph is as it was when the pass began, and with `create_graph` what has grown since.
        `back` takes events out again. The trace of a session that was closed, or ended by an
        exception, can be read as before.
        """
        return self._log.trace()

    @property
    def arrived(self) -> Grads:
        """Copies of the gradients at the current node, one for each of its outputs."""
        return self._copies(self._arriving())

    @property
    def queue(self) -> list[Waiting]:
        """The nodes that gradients have arrived at, the current one first, each with how many."""
        rows, log = [], self._log
        for node in () if self._node is None else self.schedule[self.position :]:
            name, given = self.names.node[node], self._roots.count(node)
            have = log.notes.have[name] + given
            if have or node is self._node:
                gradients = self._copies(self._waiting_at(node))
                about = name, node, self.describe(node), have, log.notes.need[name] + given
                rows.append(Waiting(*about, gradients))
        return rows

    @property
    def saved(self) -> list[Saved]:
        """What the current node has saved, with bytes and versions, and who shares the memory."""
        return [] if self._node is None else self.saved_of(self._node)

    def saved_of(self, node: Any) -> list[Saved]:
        """What a node of the pass has saved; empty once it is freed.

        Args:
            node: the node, its id "n3", or a tensor: the node where its gradient arrives.

        Raises:
            ArgumentError, ArgumentTypeError: if it is no part of the pass.
        """
        node, rows = find_node(self, node), []
        for name, what, version, now in self.names.saved_by(node):
            owners = self._owners(self.names.storage(what)[0], node)
            shape, dtype = tuple(what.shape), what.dtype  # of one example
            about = name, shape, dtype_name(dtype), bytes_of(shape, dtype)
            called = self.names.called(what)
            called *= f"leaf {called}" not in owners  # where that is said already
            rows.append(Saved(*about, version, now, owners, called))
        return rows

    def _owners(self, storage: str, besides: Any) -> Names:
        """Who holds a piece of memory, in words."""
        found = []
        for node in reversed(self.names.nodes):
            if is_leaf(node):
                held, who = [node.variable], f"leaf {self._leaf_name(node)}"
            else:
                held, who = [saved.what for saved in self.names.saved_by(node)], self.describe(node)
            if node is not besides and storage in [self.names.storage(what)[0] for what in held]:
                found.append(who)
        return tuple(found)

    @property
    def hooks(self) -> list[Hook]:
        """The hooks at the current node, in the order in which they run."""
        return [] if self._node is None else self.names.hooks_at(self._node)

    @property
    def gradients(self) -> dict[str, Any]:
        """The `.grad` of all leaves of the pass by name (by id, "t0", if they have none)."""
        found: dict[str, Any] = {}
        for node, id in self.names.leaf.items():
            name = self.names.label(node.variable)
            found[id if name is None or name in found else name] = node.variable.grad
        return found

    def describe(self, node: Any) -> str:
        """A node of the pass in words: "n3 MulBackward0", "n0 AccumulateGrad of x"."""
        label = f"{self.names.node[node]} {plain(op_of(node), LONGEST)}"
        return f"{label} of {self._leaf_name(node)}" if is_leaf(node) else label

    def _leaf_name(self, node: Any) -> str:
        """A leaf in a sentence: its name, its id if it has none."""
        return plain(self.names.label(node.variable) or self.names.leaf[node], LONGEST)

    @property
    def told(self) -> str | None:
        """What the node did whose turn is just over, in one sentence; None where none is.

        Example:
            >>> x = tensor(2.0, requires_grad=True)
            >>> x.name = "x"
            >>> step(x.exp()).next().next().told
            'x got 7.39: x.grad was empty, now 7.39.'
        """
        if not self._at_start or not self.position or self.is_closed:
            return None
        # The words are of a higher layer, which is loaded where somebody reads them.
        told: str = import_module("glassgrad.viz.story").last_sentence(self.trace)
        return told or None

    def _arriving(self) -> Grads:
        return () if self._node is None else self._waiting_at(self._node)

    def __repr__(self) -> str:
        total = len(self.schedule)
        done, node = f"{self.position} of {total} nodes", self._node
        if self.is_closed and not self.is_done:
            lines = [f"Closed after {done} of the pass."]
        elif self.is_done:
            lines = [f"The pass is over: {done} are done."]
        elif node is None:
            return f"{self._how()}: {done} of the pass are done."
        else:
            label = self.describe(node)
            why = f" Stopped {self.stopped_by.why}." if self.stopped_by else ""
            place = f"node {self.position + 1} of {total} of the pass"
            lines = [f"Paused at {label}{self._how()}: {place}.{why}"]
            lines += section("Queue:", map(str, self.queue))
            lines += section(f"Saved by {label}:", map(str, self.saved))
            return "\n".join(lines + section("Hooks here:", map(str, self.hooks)))
        pairs = self.gradients.items()
        rows = [f"{plain(name, LONGEST)}: {gradient_in_words(grad)}" for name, grad in pairs]
        return "\n".join(lines + section("Gradients:", rows))

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    # Breakpoints --------------------------------------------------------------------------------

    def break_at(
        self,
        *,
        node: Any = None,
        op: str | None = None,
        tensor: Any = None,
        scope: str | None = None,
        hook: Any = None,
        nan: bool | None = None,
        norm: float | None = None,
    ) -> Breakpoint:
        """Have the pass stop by itself. Exactly one condition; several breakpoints may be set.

        Args:
            node: before this node, given as such or by its id "n3".
            op: before each node of that name, "MulBackward0" or "Mul".
            tensor: where the gradient of this tensor, given as such or by its name, has arrived.
            scope: on the way into a scope: one name, or a path "encoder.block3".
            hook: before this hook runs, given as the function or the handle.
            nan: where nan or inf comes out of finite numbers.
            norm: before a node whose gradient has a larger 2-norm.

        A pass of PyTorch's refuses `scope` and `hook`: its nodes know no scopes, and its engine
        does not wait before a hook. With `nan` it stops before the node that is next then; the one
        that made them is `session.schedule[session.position - 1]`, unless a hook did.

        Returns:
            A Breakpoint. Its `remove()` takes it away; so does the end of a `with` block.

        Raises:
            ArgumentError, ArgumentTypeError: if it could never be met, or has no or two conditions.
            GraphError: if the session was closed.

        Example:
            >>> x = tensor([1.0, 0.0], requires_grad=True)
            >>> s = step(x.sqrt().sum())
            >>> _ = s.break_at(nan=True)
            >>> s.run().current.name()
            'SqrtBackward0'
        """
        self._check_open()
        conditions = {"node": node, "op": op, "tensor": tensor, "scope": scope}
        conditions |= {"hook": hook, "nan": nan, "norm": norm}
        given = [kind for kind, what in conditions.items() if what is not None]
        if len(given) != 1:
            raise ArgumentError(
                f"break_at() was given {', '.join(given) or 'nothing'}. A breakpoint has one "
                "condition. Write one of node=, op=, tensor=, scope=, hook=, nan=True and norm=; "
                "several breakpoints may be set."
            )
        point = self._makers[given[0]](self, conditions[given[0]])
        point.among = self.breakpoints
        self.breakpoints.append(point)
        return point

    def _met(self) -> Breakpoint | None:
        """The breakpoint that says to pause before what comes next."""
        node = self._node
        for point in self.breakpoints if node in self._runs else ():
            if self._at_start and point.before is not None and point.before(self, node):
                return point
            if point.at_hook is not None and point.at_hook(self):
                return point
        return None

    def _spoiled(self, first: int) -> Breakpoint | None:
        """The breakpoint that says to pause after what was just done, the events from `first`."""
        events = [] if self._node is None else self._log.events[first:]
        for point in self.breakpoints if events else ():
            if point.after is not None and any(point.after(self, event) for event in events):
                return point
        return None

    def _run_to(self, is_there: Callable[[], Any]) -> None:
        """Step until `is_there`, a breakpoint or the end; a breakpoint here counts if untold."""
        if self.stopped_by is None:
            self.stopped_by = self._met()
            if self.stopped_by is not None:
                return
        while not (self.is_done or self.is_closed):
            self._step()
            if self.stopped_by is not None or is_there():
                return

    def _until(self, what: Any) -> Callable[[], Any]:
        """Whether the pass is where `run_until(what)` ends."""
        is_place = hasattr(what, "next_functions") or self.names.is_tensor(what)
        if callable(what) and not is_place:
            return lambda: self._asks(what)
        nodes = find_nodes(self, what)
        self._check_ahead(what, nodes)
        return lambda: self._at_start and self._node in nodes

    def _check_ahead(self, what: Any, nodes: set[Any]) -> None:
        """Raise if the pass will come to none of the nodes that `what` means, and knows that."""


# In words ---------------------------------------------------------------------------------------


def section(title: str, rows: Iterable[str]) -> list[str]:
    """A title and its rows as lines; nothing if there are no rows."""
    rows = list(rows)
    if not rows:
        return []
    more = [f"  … and {len(rows) - _MOST_ROWS:,} more"] if len(rows) > _MOST_ROWS else []
    return [title, *[f"  {row}" for row in rows[:_MOST_ROWS]], *more]


_MOST_ROWS = 12
