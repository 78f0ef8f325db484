"""A PyTorch pass that waits before each node until it is told to go on.

How it is kept waiting: Note [Two threads] in `turns.py`.
"""

import contextvars
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn, Self

from glassgrad.core.errors import ArgumentError, GradientError, GraphError
from glassgrad.tracing.breakpoints import Breakpoint
from glassgrad.tracing.events import Trace

from . import breakpoints
from .arrays import is_tensor, the_torch
from .graph import node_of, op_of
from .paused import Paused
from .recorder import Recorder
from .showing import view
from .turns import Stop, end, work

__all__ = ["Session", "Stop"]


class Session(Paused):
    """PyTorch's real backward pass, paused before each node. Made by `step`.

    It prints as a description of where it stands, as a session of glassgrad does.

    Attributes:
        timeout: the seconds that one step may take.
        breakpoints: the breakpoints that are set.
    """

    def __init__(self, recorder: Recorder, run: Callable[[], None], *, timeout: float) -> None:
        super().__init__(recorder)
        self.timeout = timeout
        self.breakpoints: list[Breakpoint] = []
        turn, graph = self._turn, recorder.graph
        recorder.gate = lambda node, grads: turn.wait(Stop(node, graph.node[node], grads))
        context = contextvars.copy_context()
        recording = the_torch().is_grad_enabled()
        self._thread = threading.Thread(
            target=context.run,
            args=(work, turn, recorder, run, recording),
            name="a PyTorch pass that is stepped",
            daemon=True,
        )
        self._drop = weakref.finalize(self, end, turn, self._thread, timeout)

    @property
    def is_done(self) -> bool:
        """Whether the pass has come to its end."""
        return self.done and not self.is_closed

    @property
    def done(self) -> bool:
        """Whether the pass is over, at its end or because it was left."""
        return self._turn.over

    @property
    def is_closed(self) -> bool:
        """Whether the pass was left before its end."""
        return self._turn.leaving

    def node(self, id: str) -> Any:
        """PyTorch's node that the trace calls `id`, "n3".

        Raises:
            ArgumentError: if there is none.
        """
        return breakpoints.find_node(self, id)

    @property
    def trace(self) -> Trace:
        """What has happened until now, as `record` tells it; also after an error of the pass."""
        if self._thread.ident is None:
            with self._recorder.fresh() as recorder:
                return recorder.trace()
        return self._recorder.trace()

    def next(self) -> Stop | None:
        """Go on to the next node.

        Returns:
            Where the pass waits now; None if it is over.

        Raises:
            GraphError: if the session was left, or the step takes longer than `timeout`.
            Exception: what the pass raised, with its type.
        """
        turn = self._turn
        self._check_open()
        self.stopped_by = None
        if turn.over:
            return None
        before = len(self._recorder.events)
        if self._thread.ident is None:
            self._thread.start()
        else:
            turn.go.release()
        self._await()
        if self.done:
            self._finish()
        self.stopped_by = self._spoiled(self._recorder.events[before:]) or self._met()
        return turn.stop

    def back(self) -> NoReturn:
        """Raise: PyTorch's pass cannot be stepped back.

        Raises:
            GraphError: always.
        """
        raise GraphError(
            "a step of PyTorch's pass cannot be undone. Its engine only goes forward: what it "
            "freed and added up is gone. Begin another pass with `step(loss)`, or step the same "
            "program in glassgrad, whose `gg.step(loss)` goes back."
        )

    def _check_open(self) -> None:
        if self._turn.leaving:
            raise GraphError(
                "this session was left before its pass was over. Its thread has ended. Start "
                "another one with `step(loss)`."
            )

    def _await(self) -> None:
        try:
            came = self._turn.stopped.acquire(timeout=self.timeout)
        except BaseException:  # as Ctrl-C
            self._turn.leave()
            raise
        if not came:
            self._turn.leave()
            raise GraphError(
                f"the pass did not reach another node in {self.timeout:g} seconds, and is ended. "
                "A rule or a hook takes long, or waits for a thread that waits for this one. "
                "Give it more time with `step(loss, timeout=600)`."
            )

    def _finish(self) -> None:
        self._thread.join(self.timeout)
        self._drop.detach()
        error, self._turn.error = self._turn.error, None
        if error is not None:
            raise error

    def run_until(self, target: Any) -> Stop | None:
        """Go on until a certain node is next: at least one step, and no further than a breakpoint.

        Args:
            target: an op ("MulBackward0" or "Mul"), an id ("n3"), the name of a leaf, a node, a
                tensor (the node that its gradient arrives at), or a function of the Stop.

        Returns:
            The Stop; None if the pass ended before.

        Raises:
            ArgumentError: if a name is none of this graph.
            As `next`.
        """
        return self._go(self._meaning(target))

    def run(self) -> Trace:
        """Go on to the next breakpoint, or to the end, and return the log up to there.

        Raises:
            As `next`.
        """
        self._go(lambda _: False)
        return self.trace

    def _go(self, is_there: Callable[[Stop], Any]) -> Stop | None:
        """Step until `is_there`, a breakpoint or the end; a breakpoint here counts if untold."""
        if self.stopped_by is None:
            self.stopped_by = self._met()
            if self.stopped_by is not None:
                return self.current
        while (stop := self.next()) is not None:
            if self.stopped_by is not None or is_there(stop):
                return stop
        return None

    def _met(self) -> Breakpoint | None:
        """The breakpoint that says to stop before the node that is next."""
        stop = self.current
        for point in self.breakpoints:
            if stop is not None and point.before is not None and point.before(self, stop.node):
                return point
        return None

    def _spoiled(self, events: list[Any]) -> Breakpoint | None:
        """The breakpoint that says to stop after what was just done."""
        for point in self.breakpoints if self.current is not None else ():
            if point.after is not None and any(point.after(self, event) for event in events):
                return point
        return None

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
            scope, hook: are refused: PyTorch's nodes know no scopes, and its engine does not wait
                before a hook.
            nan: before the node that is next when nan or inf has come out of finite numbers. The
                node that they came out of is `session.schedule[session.position - 1]`, unless a
                hook before this one made them.
            norm: before a node whose gradient has a larger 2-norm.

        Returns:
            A Breakpoint. Its `remove()` takes it away; so does the end of a `with` block.

        Raises:
            ArgumentError, ArgumentTypeError: if it could never be met, or has no or two conditions.
            GraphError: if the session was left.

        Example:
            >>> import torch
            >>> from glassgrad.tracing.torch import step
            >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
            >>> with step((x * x).sum()) as session:
            ...     _ = session.break_at(op="Mul")
            ...     trace = session.run()
            ...     session.current, session.stopped_by
            (Stop(before MulBackward0, n1), <Breakpoint: before each Mul>)
        """
        self._check_open()
        conditions = {"node": node, "op": op, "tensor": tensor, "scope": scope}
        conditions |= {"hook": hook, "nan": nan, "norm": norm}
        return breakpoints.make(self, conditions).set_among(self.breakpoints)

    def set_gradient(self, at: Any, value: Any) -> None:
        """Replace the gradient that has arrived at the current node, and go on with that.

        Args:
            at: the node, as `session.current`, as such or by its id; an edge to it; or the tensor
                whose gradient it is.
            value: a tensor of the gradient's shape, dtype and device; None for no gradient.

        Raises:
            GradientError: if the pass does not wait there, or `value` does not fit.
            ArgumentError, ArgumentTypeError: if `at` is no part of the pass.
        """
        self._check_open()
        node, stop = breakpoints.find_node(self, at), self.current
        if stop is None or stop.node is not node:
            raise GradientError(
                f"the gradient at {self.describe(node)} cannot be replaced: the pass does not wait "
                "there. PyTorch's engine shows a gradient when its node is next, and not before. "
                "Write `session.run_until(node)` first."
            )
        stop.edit(value, getattr(at, "output_nr", 0) if at is not node else 0)

    def set_saved(self, node: Any, name: str, value: Any) -> NoReturn:
        """Raise: what PyTorch's nodes have saved cannot be replaced.

        Raises:
            GraphError: always.
        """
        raise GraphError(
            f"{name!r} of a node of PyTorch's cannot be replaced. Its rule is in C++, and reads "
            "what it saved where Python cannot write. Step the same program in glassgrad, "
            "whose `gg.step(loss)` replaces it."
        )

    def _meaning(self, target: Any) -> Callable[[Stop], Any]:
        if isinstance(target, str):
            return self._by_name(target)
        if is_tensor(target):
            target = node_of(target)
        if hasattr(target, "next_functions"):
            return lambda stop: stop.node is target
        meaning: Callable[[Stop], Any] = target
        return meaning

    def _by_name(self, name: str) -> Callable[[Stop], bool]:
        graph = self._recorder.graph
        nodes = {n for n in graph.nodes if name in (*breakpoints.names_of(n), graph.node[n])}
        nodes |= {n for n in graph.leaf if graph.label.get(id(n.variable)) == name}
        if not nodes:
            ops = ", ".join(sorted({op_of(node) for node in graph.nodes})[:12])
            raise ArgumentError(
                f"no node of this graph is called {name!r}. The pass would run to its end. Name "
                f"an op ({ops}), an id (n0 to n{len(graph.nodes) - 1}), or a leaf that `names` "
                "names."
            )
        return lambda stop: stop.node in nodes

    def close(self) -> None:
        """End the pass where it is; does nothing if it is over."""
        if not self._turn.over:
            self._drop()
        self._turn.error = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        why = "" if self.stopped_by is None else self.stopped_by.why
        return view(self._recorder, self.current, self._state(), why)

    def _state(self) -> str:
        if self.done:
            return "over"
        return "not begun" if self._thread.ident is None else "under way"
