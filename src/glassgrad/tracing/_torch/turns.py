"""Where a PyTorch pass waits, and the turn that it and its session hand to and fro.

Note [Two threads]

PyTorch's engine cannot be stepped, but it can be kept waiting: the pass runs in a thread of its
own, and the gate of the recorder (see Note [Probes] in `recorder.py`) waits there. Two semaphores
hand the turn to and fro, so that only one of the two threads is ever under way. Nobody waits
for ever: a step ends with an error after `timeout` seconds; the thread is a daemon and does not
know the session, so that a session that is dropped, or the end of the process, ends the pass.
"""

import threading
from collections.abc import Callable
from typing import Any

from glassgrad.core.errors import GradientError

from .arrays import dtype_of, is_tensor, the_torch
from .graph import is_leaf, op_of
from .recorder import Recorder

__all__ = ["Stop", "Turn", "end", "work"]

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


class Left(BaseException):
    """Ends a pass that nobody wants to go on with."""


class Turn:
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
            raise Left
        return stop.gradients if stop.edited else None

    def leave(self) -> None:
        """End the pass at its next node, or where it waits."""
        self.leaving = True
        self.go.release()


def work(turn: Turn, recorder: Recorder, run: Callable[[], None], recording: bool) -> None:
    """The pass's thread."""
    try:
        with the_torch().set_grad_enabled(recording), recorder:
            recorder.run(run, besides=(Left,))
    except Left:
        pass
    except BaseException as error:  # noqa: BLE001  # it is raised in the session's thread
        turn.error = error
    finally:
        turn.over = True
        turn.stopped.release()


def end(turn: Turn, thread: threading.Thread, timeout: float) -> None:
    """Leave the pass, and see its thread out: PyTorch aborts a process that ends within a pass."""
    turn.leave()
    if thread.ident is not None and thread is not threading.current_thread():
        thread.join(timeout)
