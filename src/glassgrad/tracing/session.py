"""`step(loss)`: a backward pass that stops, shows itself, and can be stepped back.

It is the engine's own pass that stops, not a replay of it: `GraphTask.step_here()` does one phase
and returns. Before each phase a `Journal` notes what that will change, which is all that stepping
back takes.
"""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from glassgrad.core.backward import backward_task
from glassgrad.core.engine import GraphTask
from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.core.graph import GradientEdge, Node
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import HOOK_PHASES, Phase

from . import breakpoints, changing
from .breakpoints import Breakpoint
from .paused import Paused
from .snapshot import outputs_of

__all__ = ["Session", "step"]

_GRANULARITIES = ("node", "hook", "micro")


def step(
    tensors: Tensor | Iterable[Tensor],
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    granularity: str = "node",
) -> "Session":
    """Begin `tensors.backward(...)` and stop before its first node.

    The pass is the real one. Stepped to its end it leaves what `backward` would have left.

    Args:
        tensors: the output to differentiate, or several.
        gradient, retain_graph, create_graph, inputs: as for `backward`.
        granularity: how much one `next()` does: "node", all that happens at one node; "hook",
            up to the next hook, or one hook; "micro", one phase of the engine (a gradient is
            taken, a hook runs, the rule runs, what was saved is freed, a gradient is handed on).

    Returns:
        A Session, best used in a `with` block: leaving it ends the pass.

    Raises:
        ArgumentError: if there is no such granularity.
        GraphError and its kin: as `backward`; nothing has run then.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with step((x * x).sum()) as s:
        ...     _ = s.run_until("MulBackward0")
        ...     s.set_gradient(s.current, tensor([10.0, 10.0]))
        ...     _ = s.run()
        >>> x.grad
        tensor([20., 40.])
    """
    if granularity not in _GRANULARITIES:
        raise ArgumentError(
            f"granularity must be 'node', 'hook' or 'micro', got {granularity!r}. It says how much "
            "one step does. Write `step(loss, granularity='micro')` for the smallest steps."
        )
    outputs = outputs_of(tensors, "step", also=(GradientEdge,))
    task = backward_task(outputs, gradient, retain_graph, create_graph, inputs)
    return Session(task, outputs, granularity)


class Session(Paused):
    """A backward pass that is paused; made by `step`.

    `next`, `back`, `run` and `run_until` move it; each returns the session, which prints as a
    description of where it stands. Between two steps all modes are the caller's, and the tape
    can be used as ever.

    Stepping back restores what glassgrad owns: the gradients that wait, `.grad` of leaves and of
    tensors that retain it, what nodes saved and let go of, versions, the default source of random
    numbers, the attributes of a user's `ctx` (not what they refer to), how far the pass has come.
    What a hook did besides stays done, and stepping on calls it again. For all this, a session
    keeps what the pass has freed until it is closed.

    Leaving the `with` block, or `close()`, ends the pass wherever it is: no gradient waits any
    more, nodes that have not run keep what they saved, and what was added to `.grad` stays there.
    So does an exception of a hook or a rule, which arrives where `next()` was called.

    Attributes:
        granularity: how much one step does; may be changed at any time.
        breakpoints: the breakpoints that are set.
    """

    def __init__(self, task: GraphTask, outputs: list[Any], granularity: str = "node") -> None:
        super().__init__(task, outputs)
        self.granularity = granularity
        self.breakpoints: list[Breakpoint] = []
        self._pauses: list[tuple[Any, Any]] = []  # marks of all pauses before this one
        while self._node not in self._runs and not self.is_done:
            self._phase()  # a node that is only passed by has no turn

    # Moving -------------------------------------------------------------------------------------

    @property
    def can_go_back(self) -> bool:
        """Whether there is a step that `back` would undo."""
        return bool(self._pauses) and not self.is_closed

    def next(self) -> Self:
        """Do one step.

        Raises:
            GraphError: if the pass is over, the session is closed, or a hook of the pass asks.

        Example:
            >>> x = tensor(3.0, requires_grad=True)
            >>> s = step(x.exp())
            >>> s.next().current.name()
            'AccumulateGrad'
        """
        self._check_idle()
        if self.is_done:
            raise GraphError(
                f"next() after the end: all {len(self.schedule)} nodes of this pass are done. "
                "There is nothing left to do. Write back() to see a step again, or begin another "
                "pass with `gg.step(loss)`, for which this one needs `retain_graph=True`."
            )
        self._log.forget()
        self._step()
        return self

    def back(self) -> Self:
        """Undo the last step, and what was changed by hand since; see the class for what stays.

        Raises:
            GraphError: if nothing has been done, or the session is closed.

        Example:
            >>> x = tensor(3.0, requires_grad=True)
            >>> s = step(x * 2).run()
            >>> x.grad, s.back().gradients["t0"]
            (tensor(2.), None)
        """
        self._check_idle()
        if not self._pauses:
            raise GraphError(
                "back() at the beginning: no step of this pass has been done. What was computed "
                "before it is not undone. Write next() to begin."
            )
        journal, log = self._pauses.pop()
        self._journal.rewind(journal)
        self._log.rewind(log)
        self.stopped_by = None
        return self

    def run(self) -> Self:
        """Go on to the next breakpoint, or to the end of the pass.

        Raises:
            GraphError: if the session is closed.
        """
        return self._go(lambda: False)

    def run_until(self, what: "str | Node | Tensor | GradientEdge | Callable[[Self], Any]") -> Self:
        """Go on until a certain node is next: at least one step, and no further than a breakpoint.

        Args:
            what: the name of an op, "MulBackward0" or "Mul": its next node; a node, or its id;
                a tensor: the node where its gradient has arrived; or a function of the session,
                asked after each step. If that is never true, the pass runs to its end.

        Raises:
            ArgumentError: if the node is not part of the pass, or not ahead.
            GraphError: if the session is closed.

        Example:
            >>> x = tensor([1.0, 2.0], requires_grad=True)
            >>> y = x.exp()
            >>> step((y * y).sum()).run_until(y).current.name()
            'ExpBackward0'
        """
        self._check_open()
        return self._go(self._goal(what))

    def _goal(self, what: Any) -> Callable[[], bool]:
        if isinstance(what, str) and what not in self.names.node.values():
            breakpoints.check_op(what, self.schedule)
            ahead = self.schedule[self.position + 1 :]
            if not any(breakpoints.is_called(node, what) for node in ahead if node in self._runs):
                raise ArgumentError(
                    f"no {what} is ahead of {self._here()}. A pass visits each node once. Write "
                    "back() to return to one that has run."
                )
            return lambda: self._at_start and breakpoints.is_called(self._node, what)
        if callable(what) and not isinstance(what, (Node, Tensor)):
            return lambda: self._asks(what)
        goal = breakpoints.find_node(self, what)
        if goal not in self._runs or self._rank(goal) < self.position:
            why = "has run already" if goal in self._runs else "does not run in this pass"
            raise ArgumentError(
                f"{self.describe(goal)} {why}; the pass is at {self._here()}. Each node has one "
                "turn. Write back() to return to one that has run."
            )
        return lambda: self._at_start and self._node is goal

    def _asks(self, what: Callable[[Self], Any]) -> bool:
        self._log.forget()  # a function of the user may write into what it looks at
        return bool(what(self))

    def _go(self, is_there: Callable[[], bool]) -> Self:
        """Step until `is_there`, a breakpoint or the end; a breakpoint here counts if untold."""
        self._check_idle()
        self._log.forget()
        if self.stopped_by is None and not self.is_done:
            self.stopped_by = self._met()
            if self.stopped_by is not None:
                return self
        while not self.is_done:
            self._step()
            if self.stopped_by is not None or is_there():
                break
        return self

    def _step(self) -> None:
        """One step: phases until there is a reason to pause."""
        self._pauses.append((self._journal.mark(), self._log.mark()))
        self.stopped_by = None
        while True:
            phase = self._phase()
            if self._task.is_over:
                return
            self.stopped_by = self._spoiled(phase) or self._met()
            if self.stopped_by is not None or self._is_pause(phase):
                return

    def _phase(self) -> Phase | None:
        """One phase, noted first; an exception ends the session."""
        try:
            return self._log.step(self._journal.step)
        except BaseException:
            self.close()
            raise

    def _is_pause(self, phase: Phase | None) -> bool:
        if self._task.turn is None:
            return self._node in self._runs  # the end of the pass is part of its last step
        if self.granularity == "hook":
            ran = phase is not None and phase.kind in HOOK_PHASES
            return ran or self._task.turn.upcoming[0] in HOOK_PHASES
        return self.granularity == "micro" and phase is not None

    def _met(self) -> Breakpoint | None:
        """The breakpoint that says to pause before what comes next."""
        node = self._node
        if node not in self._runs:
            return None
        for point in self.breakpoints:
            if self._at_start and point.before is not None and point.before(self, node):
                return point
            if point.at_hook is not None and point.at_hook(self):
                return point
        return None

    def _spoiled(self, phase: Phase | None) -> Breakpoint | None:
        """The breakpoint that says to pause after what was just done."""
        for point in self.breakpoints:
            if phase is not None and point.after is not None and point.after(self, phase):
                return point
        return None

    # Breakpoints --------------------------------------------------------------------------------

    def break_at(
        self,
        *,
        node: "Node | str | None" = None,
        op: str | None = None,
        tensor: Tensor | str | None = None,
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

        Returns:
            A Breakpoint. Its `remove()` takes it away; so does the end of a `with` block.

        Raises:
            ArgumentError, ArgumentTypeError: if it could never be met, or has no or two conditions.

        Example:
            >>> x = tensor([1.0, 0.0], requires_grad=True)
            >>> s = step(x.sqrt().sum())
            >>> _ = s.break_at(nan=True)
            >>> s.run().current.name()
            'SqrtBackward0'
        """
        self._check_open()
        conditions = {
            "node": node,
            "op": op,
            "tensor": tensor,
            "scope": scope,
            "hook": hook,
            "nan": nan,
            "norm": norm,
        }
        return breakpoints.make(self, conditions).set_among(self.breakpoints)

    # Changing -----------------------------------------------------------------------------------

    def set_gradient(self, at: "Node | Tensor | GradientEdge | str", value: Tensor) -> None:
        """Replace the gradient that has arrived at a node, and go on with that.

        Args:
            at: the node or its id, an edge to it, or the tensor whose gradient it is.
            value: a tensor of the gradient's shape and dtype.

        Raises:
            GradientError: if no gradient waits there, or `value` has another shape or dtype.
            ArgumentTypeError: if `value` is no tensor.
        """
        self._check_open()
        changing.set_gradient(self, at, value)

    def set_saved(self, node: "Node | str", name: str, value: Tensor) -> None:
        """Replace what a node saved under `name`, and have its rule use that.

        To a graph of the pass itself (`create_graph=True`) the new value is a constant.

        Args:
            node: the node or its id.
            name: as in `saved`: "self", "result", "saved_tensors[0]".
            value: a tensor of the same shape and dtype.

        Raises:
            ArgumentError: if the node saved nothing of that name, or has let go of it.
            GradientError: if `value` has another shape or dtype.
            ArgumentTypeError: if `value` is no tensor.
        """
        self._check_open()
        changing.set_saved(self, node, name, value)

    # The end ------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the pass where it is, and let go of what stepping back takes; twice is harmless.

        Raises:
            GraphError: if a hook of the pass asks for it, in the middle of a step.
        """
        if self.is_closed:
            return
        self._check_idle()
        self.is_closed = True
        self._log.close()  # first: under create_graph it looks at what waits
        self._task.close()
        self._journal.forget()
        self._pauses.clear()

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
