"""Calling a node, `y.grad_fn(grad)`: its rule alone, outside of any backward pass."""

from typing import Any

from glassgrad.core.engine import accumulate, fit
from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.state import is_recording
from glassgrad.core.tensor import Tensor, as_tensors
from glassgrad.hooks.on_gradients import run_accumulated

__all__ = ["call_node"]


def call_node(node: Node, *grads: Tensor | None) -> Any:
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
        run_accumulated(node.variable)
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
