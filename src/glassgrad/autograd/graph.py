"""`torch.autograd.graph`: nodes and edges of a backward graph, and the pass that runs over them.

Nodes are made in `glassgrad.core`. Here is what one may do with them: call one by hand, ask which
pass is at which of them, and wait for the gradients of several tensors. `saved_hooks.py` and
`mutation.py` are about the tensors that nodes save.
"""

import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal
from weakref import WeakKeyDictionary, WeakSet

from glassgrad.autograd.mutation import allow_mutation_on_saved_tensors, increment_version
from glassgrad.autograd.saved_hooks import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from glassgrad.core.engine import accumulate, fit
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, ExpectationError, GraphError
from glassgrad.core.graph import (
    AccumulateGrad,
    GradientEdge,
    Node,
    accumulator,
    get_gradient_edge,
)
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import is_recording, modes
from glassgrad.core.tensor import Tensor, as_tensors
from glassgrad.hooks.handles import RemovableHandle
from glassgrad.hooks.on_gradients import accumulated, register_hook, run
from glassgrad.hooks.turn import GraphTask

__all__ = [
    "AccumulateGrad",
    "GradientEdge",
    "Node",
    "_current_autograd_node",
    "_current_graph_task_id",
    "_will_engine_execute_node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


Hook = Callable[[Any], None]


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
    if mode not in ("all", "any"):
        raise ArgumentError(
            f"Expects mode to be one of ('all', 'any') but got {mode}. It says after which "
            "gradient the hook runs: the last or the first. Write mode='all' or mode='any'."
        )
    for place, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise ArgumentTypeError(
                f"register_multi_grad_hook(): element {place} of tensors must be Tensor, not "
                f"{type(x).__name__}. The hook waits for the gradients of tensors. Pass a sequence "
                "of tensors that require grad."
            )
    if mode == "any":
        tensors = [x for x in tensors if x.requires_grad]
    hook = _AllHook(tensors, fn) if mode == "all" else _AnyHook(fn)
    handles = [register_hook(x, partial(hook.arrived, nr)) for nr, x in enumerate(tensors)]
    return _MultiHandle(handles)


class _AllHook:
    """Waits in each pass until all gradients are there.

    Passes are told apart by their task, so that those of several threads may run at once, and
    one that fails half-way leaves nothing behind.
    """

    def __init__(self, tensors: Sequence[Tensor], fn: Hook) -> None:
        self.fn = fn
        self.finders = [_finder(x, nr) for nr, x in enumerate(tensors)]
        self.passes: WeakKeyDictionary[GraphTask, tuple[dict[int, Tensor], int]]
        self.passes = WeakKeyDictionary()
        self.lock = threading.Lock()

    def arrived(self, nr: int, grad: Tensor) -> None:
        """Note the gradient of one tensor, and call the hook if it was the last."""
        task = modes.task
        with self.lock:
            if task not in self.passes:
                self.passes[task] = {}, self._expected(task)
            grads, expected = self.passes[task]
            grads[nr] = grad
            is_last = len(grads) == expected
            if is_last:
                del self.passes[task]
        if is_last:
            self.fn([grads.get(place) for place in range(len(self.finders))])

    def _expected(self, task: GraphTask) -> int:
        """How many of the tensors take part in a pass."""
        return sum(_taking_part(task, [find() for find in self.finders]))


class _AnyHook:
    """Runs in each pass at the first gradient."""

    def __init__(self, fn: Hook) -> None:
        self.fn = fn
        self.ran: WeakSet[GraphTask] = WeakSet()
        self.lock = threading.Lock()

    def arrived(self, _: int, grad: Tensor) -> None:
        """Call the hook, if no gradient was there before."""
        task = modes.task
        with self.lock:
            is_first = task not in self.ran
            self.ran.add(task)
        if is_first:
            self.fn(grad)


def _finder(tensor: Tensor, nr: int) -> Callable[[], Node | None]:
    """How to find the node at which the gradient of `tensor` arrives, None once it is gone.

    It refers to it weakly: the hooks hang on the node, or on the leaf.
    """
    if not tensor.requires_grad:
        raise ExpectationError(
            f"Expected gradient function to be set: tensor {nr} does not require grad (shape "
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


# The pass that runs in this thread ----------------------------------------------------------------


_next_id = itertools.count().__next__


def _current_graph_task_id() -> int:
    """A number for the pass that runs in this thread, the innermost one; -1 outside of any.

    Example:
        >>> x = tensor(1.0, requires_grad=True)
        >>> handle = x.register_hook(lambda _: print(_current_graph_task_id() >= 0))
        >>> x.backward()
        True
        >>> _current_graph_task_id()
        -1
    """
    task = modes.task
    if task is None:
        return -1
    if task.number is None:
        task.number = _next_id()
    return int(task.number)


def _current_autograd_node() -> Node | None:
    """The node that this thread's pass is at: in its `backward` and in the hooks around it."""
    task: GraphTask | None = modes.task
    return None if task is None else task.node


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the pass that runs in this thread computes the gradient that arrives at `node`.

    Raises:
        ArgumentTypeError: if `node` is no node.
        GraphError: outside of a pass; for a leaf whose gradient `grad()` is asked for.
    """
    if not isinstance(node, Node):
        raise ArgumentTypeError(
            f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}. A pass "
            "goes from node to node. Pass `y.grad_fn`."
        )
    task: GraphTask | None = modes.task
    if task is None:
        raise GraphError(
            "_will_engine_execute_node should only be called during the backward pass: outside of "
            "it nothing is going to run. Call it from a hook."
        )
    return _taking_part(task, [node])[0]


def _taking_part(task: GraphTask, nodes: Sequence[Node | None]) -> list[bool]:
    """For each node, whether `task` computes the gradient that arrives there; not for None."""
    computed = task.computed()
    for node in nodes:
        if node in task.wanted and not any(node.edges):  # as PyTorch tells a leaf's node
            raise GraphError(
                "A leaf node was passed to _will_engine_execute_node but we are currently "
                "running autograd.grad(). This is currently not supported. Call backward(), "
                "or take the leaf out of register_multi_grad_hook()."
            )
    return [node in computed for node in nodes]


# Calling a node -----------------------------------------------------------------------------------


def _call_node(node: Node, *grads: Tensor | None) -> Any:
    """What `node` makes of the gradients of its outputs: no hooks, nothing freed or passed on.

    Args:
        grads: one for each output of the node, None where there is none.

    Returns:
        The gradient of the op's operand, or a tuple of those of several; None for an operand
        that needs none. A leaf's AccumulateGrad adds to `.grad` and returns ().

    Raises:
        ArgumentTypeError: for too many or too few gradients, or what is no tensor.
        FreedGraphError, StaleTensorError: as in a pass.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> y = x**2
        >>> with no_grad():
        ...     y.grad_fn(tensor(10.0))
        tensor(60.)
    """
    _check(node, grads)
    recorded = is_recording()
    values = grads if recorded else tuple([None if g is None else g.payload for g in grads])
    if isinstance(node, AccumulateGrad):
        if values[0] is not None:
            accumulate(node.variable, values[0], unshared=False)
        run(accumulated(node.variable), ())
        return ()
    results = as_tensors(fit(node, node.compute(values, recorded)))
    return results[0] if len(results) == 1 else results


def _check(node: Node, grads: tuple[Any, ...]) -> None:
    if len(grads) != node.num_outputs:
        raise ArgumentTypeError(
            f"expected {node.num_outputs} arguments, got {len(grads)} instead: {node.name()} takes "
            "one gradient for each of its outputs. Pass None for an output without."
        )
    for position, grad in enumerate(grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise ArgumentTypeError(
                f"argument {position} is not a Variable but {type(grad).__name__}: a gradient is "
                "a tensor. Write `glassgrad.tensor(value)`."
            )


# The tape itself never calls a node. A user's node is no function either: its backward is one.
for _made_callable in (PrimitiveNode, AccumulateGrad):
    _made_callable.__call__ = _call_node  # type: ignore[method-assign]  # of `type`, says mypy
