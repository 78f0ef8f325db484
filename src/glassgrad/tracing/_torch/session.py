"""A PyTorch pass that waits before each node until it is told to go on.

Note [Two threads]

PyTorch's engine cannot be stepped, but it can be kept waiting: the pass runs in a thread of its
own, and the gate of the recorder (see Note [Probes] in `recorder.py`) waits there. Two semaphores
hand the turn to and fro, so that only one of the two threads is ever under way. Nobody waits
for ever: a step ends with an error after `timeout` seconds; the thread is a daemon and does not
know the session, so that a session that is dropped, or the end of the process, ends the pass.
"""

import contextvars
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from glassgrad.base.errors import ArgumentError, GradientError, GraphError
from glassgrad.tracing.events import Trace

from .arrays import dtype_of, is_tensor, the_torch
from .graph import is_leaf, node_of, op_of
from .recorder import Recorder
from .showing import view

__all__ = ["Session", "Stop"]

Grads = tuple[Any, ...]


class Stop:
    """Where a pass waits: before a node's rule, behind its pre-hooks.

    Attributes:
        node: PyTorch's node.
        id: its id in the trace, "n3".
        op: its name, "MulBackward0".
        tensor: the leaf, at an AccumulateGrad; else None.
        gradients: those that go into the rule, one for each of the node's outputs; None where
            nothing arrived.
    """

    def __init__(self, node: Any, id: str, gradients: Grads) -> None:
        self.node = node
        self.id = id
        self.op = op_of(node)
        self.tensor = node.variable if is_leaf(node) else None
        self.gradients = gradients
        self.edited = False

    def edit(self, gradient: Any, slot: int = 0) -> None:
        """Let `gradient` go into the rule for output number `slot`; None for no gradient.

        Give another tensor rather than write into the one that is there: PyTorch may have handed
        the same one to several nodes.

        Raises:
            GradientError: if it is no tensor of the output's shape, dtype and device.
        """
        wanted = self._wanted(slot)
        if gradient is not None:
            got = None
            if is_tensor(gradient):
                got = (tuple(gradient.shape), dtype_of(gradient), gradient.device)
            if got != wanted:
                raise GradientError(
                    f"the gradient for output {slot} of {self.op} ({self.id}) was to be "
                    f"{_described(got) if got else type(gradient).__name__}, but the output is "
                    f"{_described(wanted)}. The rule multiplies the one with the other. Give a "
                    "tensor like the output, or None."
                )
        gradients = list(self.gradients)
        gradients[slot] = gradient
        self.gradients = tuple(gradients)
        self.edited = True

    def _wanted(self, slot: int) -> tuple[Any, ...]:
        if not 0 <= slot < len(self.gradients):
            raise GradientError(
                f"{self.op} ({self.id}) has no output {slot}. Its gradients are numbered from 0 "
                f"to {len(self.gradients) - 1}. Give one of these as `slot`."
            )
        about = self.tensor if self.tensor is not None else self.node._input_metadata[slot]
        return tuple(about.shape), dtype_of(about), about.device

    def __repr__(self) -> str:
        return f"Stop(before {self.op}, {self.id})"


def _described(about: tuple[Any, ...]) -> str:
    shape, dtype, device = about
    return f"{shape} {dtype} on {device}"


class _Left(BaseException):
    """Ends a pass that nobody wants to go on with."""


class _Turn:
    """What the two threads share: whose turn it is, and how far the pass has come."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)
        self.stop: Stop | None = None
        self.leaving = False
        self.over = False
        self.error: BaseException | None = None

    def wait(self, stop: Stop) -> Grads | None:
        """In the pass's thread: wait at `stop`."""
        if not self.leaving:
            self.stop = stop
            self.stopped.release()
            self.go.acquire()
            self.stop = None
        if self.leaving:
            raise _Left
        return stop.gradients if stop.edited else None

    def leave(self) -> None:
        """End the pass at its next node, or where it waits."""
        self.leaving = True
        self.go.release()


def _work(turn: _Turn, recorder: Recorder, run: Callable[[], None], recording: bool) -> None:
    """The pass's thread."""
    try:
        with the_torch().set_grad_enabled(recording), recorder:
            recorder.run(run, besides=(_Left,))
    except _Left:
        pass
    except BaseException as error:  # noqa: BLE001  # it is raised in the session's thread
        turn.error = error
    finally:
        turn.over = True
        turn.stopped.release()


def _end(turn: _Turn, thread: threading.Thread, timeout: float) -> None:
    """Leave the pass, and see its thread out: PyTorch aborts a process that ends within a pass."""
    turn.leave()
    if thread.ident is not None and thread is not threading.current_thread():
        thread.join(timeout)


class Session:
    """PyTorch's real backward pass, paused before each node. Made by `step`.

    It prints as a description of where it stands, as a session of glassgrad does.

    Attributes:
        timeout: the seconds that one step may take.
    """

    def __init__(self, recorder: Recorder, run: Callable[[], None], *, timeout: float) -> None:
        self.timeout = timeout
        self._recorder = recorder
        self._turn = turn = _Turn()
        graph = recorder.graph
        recorder.gate = lambda node, grads: turn.wait(Stop(node, graph.node[node], grads))
        context = contextvars.copy_context()
        recording = the_torch().is_grad_enabled()
        self._thread = threading.Thread(
            target=context.run,
            args=(_work, turn, recorder, run, recording),
            name="a PyTorch pass that is stepped",
            daemon=True,
        )
        self._drop = weakref.finalize(self, _end, turn, self._thread, timeout)

    @property
    def current(self) -> Stop | None:
        """Where the pass waits; None before the first step and when it is over."""
        return self._turn.stop

    @property
    def done(self) -> bool:
        """Whether the pass is over."""
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
        for node, known in self._recorder.graph.node.items():
            if known == id:
                return node
        raise ArgumentError(
            f"{id!r} is no node of this graph, which has {len(self._recorder.graph.nodes)}. n0 is "
            "the oldest. `session.trace.nodes` lists them."
        )

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
        if turn.leaving:
            raise GraphError(
                "this session was left before its pass was over. Its thread has ended. Start "
                "another one with `step(loss)`."
            )
        if turn.over:
            return None
        if self._thread.ident is None:
            self._thread.start()
        else:
            turn.go.release()
        self._await()
        if self.done:
            self._finish()
        return turn.stop

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
        """Go on to the next node that is meant.

        Args:
            target: an op ("MulBackward0"), an id ("n3"), the name of a leaf, a node, a tensor
                (the node that its gradient arrives at), or a function of the Stop.

        Returns:
            The Stop; None if the pass ended before.

        Raises:
            ArgumentError: if a name is none of this graph.
            As `next`.
        """
        is_meant = self._meaning(target)
        while (stop := self.next()) is not None:
            if is_meant(stop):
                return stop
        return None

    def run(self) -> Trace:
        """Go on to the end, and return the log of the whole pass."""
        while self.next() is not None:
            pass
        return self.trace

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
        nodes = {n for n in graph.nodes if name in (op_of(n), graph.node[n])}
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
        return view(self._recorder, self._turn.stop, self._state())

    def _state(self) -> str:
        if self.done:
            return "over"
        return "not begun" if self._thread.ident is None else "under way"
