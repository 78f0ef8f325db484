"""`register_multi_grad_hook`: one hook for the gradients of several tensors."""

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Literal

from glassgrad.autograd._graph_task import taking_part
from glassgrad.core.engine import GraphTask
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, ExpectationError
from glassgrad.core.graph import Node, RemovableHandle, accumulator
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.on_gradients import register_hook

__all__ = ["register_multi_grad_hook"]

Hook = Callable[[Any], None]
_MODES = ("all", "any")


class _MultiHandle(RemovableHandle):
    """Takes away the hooks of several tensors."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take them away; doing so twice is harmless."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Hook, *, mode: Literal["all", "any"] = "all"
) -> RemovableHandle:
    """Call `fn` once in each pass that computes gradients of some of `tensors`.

    Args:
        tensors: tensors that require grad. With `mode="any"` those that do not are left out.
        fn: with `mode="all"` it gets a list, once the gradients of all tensors that the pass
            computes are there: one gradient for each tensor, None where the pass computes none.
            With `mode="any"` it gets the first gradient that is there. What it returns is ignored.
        mode: "all" or "any".

    Returns:
        A handle whose `remove()` takes the hook away.

    Raises:
        ArgumentError: if `mode` is neither.
        ArgumentTypeError: if there is anything but tensors.
        ExpectationError, GraphError: if a tensor does not require grad.
        GraphError: by the pass, for `grad()` with respect to a leaf among `tensors`.

    Example:
        >>> a, b = tensor(2.0, requires_grad=True), tensor(3.0, requires_grad=True)
        >>> handle = register_multi_grad_hook((a, b), lambda grads: print(grads))
        >>> (a * b).backward()
        [tensor(3.), tensor(2.)]
        >>> (a * 2).backward()
        [tensor(2.), None]
    """
    if mode not in _MODES:
        raise ArgumentError(
            f"Expects mode to be one of {_MODES} but got {mode}. It says after which gradient "
            "the hook runs: the last or the first. Write mode='all' or mode='any'."
        )
    for place, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise ArgumentTypeError(
                f"register_multi_grad_hook(): element {place} of tensors must be Tensor, not "
                f"{type(x).__name__}. The hook waits for the gradients of tensors. Pass a sequence "
                "of tensors that require grad."
            )
    hook = _AllHook(tensors, fn) if mode == "all" else _AnyHook(fn)
    wanted = [(place, x) for place, x in enumerate(tensors) if mode == "all" or x.requires_grad]
    return _MultiHandle([register_hook(x, hook.at(place)) for place, x in wanted])


def _running_task() -> GraphTask:
    task: GraphTask | None = modes.task
    assert task is not None, "the engine calls hooks inside a pass"
    return task


class _AllHook:
    """Waits in each pass until all gradients are there.

    Passes are told apart by their task, so that those of several threads may run at once, and
    one that fails half-way leaves nothing behind.
    """

    def __init__(self, tensors: Sequence[Tensor], fn: Hook) -> None:
        self.fn = fn
        self.finders = [_finder(x, place) for place, x in enumerate(tensors)]
        self.waiting: weakref.WeakKeyDictionary[GraphTask, tuple[list[Any], list[int]]]
        self.waiting = weakref.WeakKeyDictionary()
        self.lock = threading.Lock()

    def at(self, place: int) -> Hook:
        """The hook of one of the tensors."""

        def arrived(grad: Tensor) -> None:
            task = _running_task()
            with self.lock:
                if task not in self.waiting:
                    self.waiting[task] = [None] * len(self.finders), [self._expected(task)]
                grads, missing = self.waiting[task]
                grads[place] = grad
                missing[0] -= 1
                if missing[0] == 0:
                    del self.waiting[task]
            if missing[0] == 0:
                self.fn(grads)

        return arrived

    def _expected(self, task: GraphTask) -> int:
        """How many of the tensors take part in a pass."""
        return sum(taking_part(task, [find() for find in self.finders]))


class _AnyHook:
    """Runs in each pass at the first gradient."""

    def __init__(self, fn: Hook) -> None:
        self.fn = fn
        self.ran: weakref.WeakSet[GraphTask] = weakref.WeakSet()
        self.lock = threading.Lock()

    def at(self, _: int) -> Hook:
        """The hook of one of the tensors."""
        return self._arrived

    def _arrived(self, grad: Tensor) -> None:
        task = _running_task()
        with self.lock:
            is_first = task not in self.ran
            self.ran.add(task)
        if is_first:
            self.fn(grad)


def _finder(tensor: Tensor, place: int) -> Callable[[], Node | None]:
    """How to find the node at which the gradient of `tensor` arrives, None once it is gone.

    It refers to it weakly: the hooks hang on the node, or on the leaf.
    """
    if not tensor.requires_grad:
        raise ExpectationError(
            f"Expected gradient function to be set: tensor {place} does not require grad (shape "
            f"{tuple(tensor.shape)}). No gradient would ever reach it. "
            "Create it with requires_grad=True."
        )
    if not tensor.is_leaf:
        return weakref.ref(tensor.grad_fn)
    leaf = weakref.ref(tensor)

    def find() -> Node | None:
        alive = leaf()
        return None if alive is None else accumulator(alive)

    return find
