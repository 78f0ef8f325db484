"""`torch.autograd.variable`: the name Tensors had before they could require grad themselves."""

from collections.abc import Callable
from typing import Any

from glassgrad.core.errors import GraphError
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check

__all__ = ["Variable"]


class _ExecutionEngine:
    """What PyTorch shows of its engine."""

    @staticmethod
    def queue_callback(callback: Callable[[], Any]) -> None:
        """Call `callback()` at the end of the pass that is running: from a hook or a backward.

        Callbacks run in the order they were queued, when all nodes have run; one may queue another.
        A pass inside another has its own. If the pass fails, they are not called.

        Raises:
            GraphError: if no pass is running in this thread.
            ArgumentTypeError: if `callback` cannot be called.

        Example:
            >>> x = tensor(1.0, requires_grad=True)
            >>> say = lambda: print("gradient:", x.grad)
            >>> handle = x.register_hook(lambda _: Variable._execution_engine.queue_callback(say))
            >>> (x * 2).backward()
            gradient: tensor(2.)
        """
        if modes.task is None:
            raise GraphError(
                "Final callbacks can only be installed during backward pass. They run when it "
                "ends, and none is running in this thread. Call queue_callback from a hook, or "
                "from the backward of a Function."
            )
        why = "It is called without arguments. Pass a function: `lambda: print(x.grad)`."
        check.kind("a callback must be callable, got", callback, Callable, why)
        modes.task.callbacks.append(callback)


Tensor._execution_engine = _ExecutionEngine()  # type: ignore[attr-defined]  # no class below knows

Variable = Tensor
