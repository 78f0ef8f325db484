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
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NoReturn, Self

from glassgrad.core.engine import Grads
from glassgrad.core.errors import ArgumentError, GradientError, GraphError
from glassgrad.tracing.breakpoints import MAKERS, Breakpoint, find_node
from glassgrad.tracing.events import Trace
from glassgrad.tracing.graph import Hook, is_leaf, name_of, op_of
from glassgrad.tracing.paused import Paused
from glassgrad.tracing.summary import dtype_name

from .recorder import Recorder, foreseen, is_tensor, outputs_of, the_torch


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

    def name(self) -> str:
        """The name of the node, as `session.current.name()` gives it in a pass of glassgrad."""
        return self.op

    def edit(self, gradient: Any, slot: int = 0) -> None:
        """Let `gradient` go into the rule for output number `slot`; None for no gradient.

        Give another tensor rather than write into the one that is there: PyTorch may have handed
        the same one to several nodes.

        Raises:
            GradientError: if it is no tensor of the output's shape, dtype and device.
        """
        if not 0 <= slot < len(self.gradients):
            raise GradientError(
                f"{self.op} ({self.id}) has no output {slot}. Its gradients are numbered from 0 "
                f"to {len(self.gradients) - 1}. Give one of these as `slot`."
            )
        output = self.node._input_metadata[slot] if self.tensor is None else self.tensor
        wanted = _described(output)
        got = _described(gradient) if is_tensor(gradient) else type(gradient).__name__
        if gradient is not None and got != wanted:
            raise GradientError(
                f"the gradient for output {slot} of {self.op} ({self.id}) was to be {got}, but "
                f"the output is {wanted}. The rule multiplies the one with the other. Give a "
                "tensor like the output, or None."
            )
        self.gradients = (*self.gradients[:slot], gradient, *self.gradients[slot + 1 :])
        self.edited = True

    def __repr__(self) -> str:
        return f"Stop(before {self.op}, {self.id})"


def _described(tensor: Any) -> str:
    """What a gradient has to agree with."""
    return f"{tuple(tensor.shape)} {dtype_name(tensor.dtype)} on {tensor.device}"


# Breakpoints -------------------------------------------------------------------------------------


def _at_scope(_: "Paused", name: Any) -> Breakpoint:
    raise ArgumentError(
        f"PyTorch's pass cannot break at a scope, and was asked to at {name!r}: its nodes do not "
        "know which module made them. Write one of node=, op=, tensor=, nan=True and norm=; a "
        "pass of glassgrad, `gg.step(loss)`, knows scopes."
    )


def _at_hook(_: "Paused", hook: Any) -> Breakpoint:
    name = hook if isinstance(hook, str) else name_of(hook)
    raise ArgumentError(
        f"PyTorch's pass cannot break at a hook, and was asked to at {name}: its engine waits "
        "before rules, when the hooks before them have run. Write `break_at(node=…)` for the node "
        "of the hook, or call Python's `breakpoint()` in the hook."
    )


_MAKERS = MAKERS | {"scope": _at_scope, "hook": _at_hook}


class Session(Paused):
    """PyTorch's real backward pass, paused before each node. Made by `step`.

    It prints as a description of where it stands, as a session of glassgrad does.

    Attributes:
        timeout: the seconds that one step may take.
        breakpoints: the breakpoints that are set.
    """

    _makers = _MAKERS
    _log: Recorder

    def __init__(self, recorder: Recorder, run: Callable[[], None], *, timeout: float) -> None:
        super().__init__(recorder)
        self._roots, self._runs = recorder.graph.roots, recorder.graph.running
        self.timeout = timeout
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

    # Where it stands ----------------------------------------------------------------------------

    @property
    def current(self) -> Stop | None:
        """Where the pass waits; None before the first step and when it is over."""
        return self._turn.stop

    @property
    def schedule(self) -> list[Any]:
        """The nodes that the pass visits: those that have had their turn, in its order, and the
        others in the order to expect. With several devices, PyTorch may take another one.
        """
        begun = self._log.begun
        return [*begun, *(node for node in self._foreseen if node not in begun)]

    @cached_property
    def _foreseen(self) -> list[Any]:
        return foreseen(self._log.graph)

    @property
    def position(self) -> int:
        """How many nodes of the schedule are done."""
        return self._log.done

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

    @property
    def hooks(self) -> list[Hook]:
        """The hooks at the current node, in the order in which they run."""
        return sorted(super().hooks, key=lambda hook: _ORDER.index(hook.kind))

    @property
    def _node(self) -> Any:
        return None if self.current is None else self.current.node

    def _how(self) -> str:
        if self._node is None:
            return "Not begun" if self._thread.ident is None else "Under way"
        return ", before it adds to .grad" if is_leaf(self._node) else ", before its rule"

    def _waiting_at(self, node: Any) -> Grads:
        if self.current is not None and self.current.node is node:
            return self.current.gradients
        return tuple([self._log.waiting.get((node, slot)) for slot in range(outputs_of(node))])

    def _copies(self, grads: Iterable[Any]) -> Grads:
        return tuple([x if x is None or x.requires_grad else x.detach().clone() for x in grads])

    def node(self, id: str) -> Any:
        """PyTorch's node that the trace calls `id`, "n3".

        Raises:
            ArgumentError: if there is none.
        """
        return find_node(self, id)

    @property
    def trace(self) -> Trace:
        """What has happened until now, as `record` tells it; also after an error of the pass."""
        if self._thread.ident is None:
            keep, full = self._log.keep_graph, self._log.table.full
            with Recorder(self._log.graph, keep_graph=keep, full=full) as recorder:
                return recorder.trace()
        return self._log.trace()

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
        before = len(self._log.events)
        if self._thread.ident is None:
            self._thread.start()
        else:
            turn.go.release()
        self._await()
        if self.done:
            self._finish()
        self.stopped_by = self._spoiled(before) or self._met()
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
        self._run_to(self._until(target))
        return self.current

    def run(self) -> Trace:
        """Go on to the next breakpoint, or to the end, and return the log up to there.

        Raises:
            As `next`.
        """
        self._run_to(lambda: False)
        return self.trace

    def _step(self) -> None:
        self.next()

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
        node, stop = find_node(self, at), self.current
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

    def _asks(self, what: Callable[[Stop], Any]) -> Any:
        return self.current is None or what(self.current)

    def close(self) -> None:
        """End the pass where it is; does nothing if it is over."""
        if not self._turn.over:
            self._drop()
        self._turn.error = None

    def __enter__(self) -> Self:
        return self


_ORDER = ("tensor", "pre", "post_accumulate", "post")
"""The kinds of hooks at a node, in the order in which they run."""


# Two threads --------------------------------------------------------------------------------------


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
