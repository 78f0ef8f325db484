"""The backward pass that runs in this thread, as PyTorch's `torch._C` shows it to hooks."""

import itertools
from collections.abc import Sequence
from typing import Any

from glassgrad.core.engine import GraphTask
from glassgrad.core.errors import ArgumentTypeError, GraphError
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.state import modes

__all__ = [
    "_current_autograd_node",
    "_current_graph_task_id",
    "_will_engine_execute_node",
    "taking_part",
]

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
    return taking_part(task, [node])[0]


def taking_part(task: GraphTask, nodes: Sequence[Node | None]) -> list[bool]:
    """For each node, whether `task` computes the gradient that arrives there; not for None."""
    computed = task.computed()
    for node in nodes:
        if isinstance(node, AccumulateGrad) and node in task.wanted:
            raise GraphError(
                "A leaf node was passed to _will_engine_execute_node but we are currently "
                "running autograd.grad(). This is currently not supported. Call backward(), "
                "or take the leaf out of register_multi_grad_hook()."
            )
    return [node in computed for node in nodes]
