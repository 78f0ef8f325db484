"""`once_differentiable`: for a `backward` that cannot be differentiated itself."""

import functools
from collections.abc import Callable
from typing import Any

from glassgrad.core.errors import GraphError
from glassgrad.core.function import Function
from glassgrad.core.state import modes
from glassgrad.core.tensor import LEAF, Tensor, is_differentiable, wrap

from .grad_mode import no_grad

__all__ = ["once_differentiable"]


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a `backward` that cannot be differentiated itself, because it leaves the tape.

    Its gradients carry a node that raises when a second differentiation reaches it.

    Example:
        >>> class Square(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.x = x.numpy()
        ...         return x * x
        ...
        ...     @staticmethod
        ...     @once_differentiable
        ...     def backward(ctx, grad):
        ...         return grad * (2 * ctx.x)
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args)
        if not modes.grad:
            return outputs
        if not any(isinstance(arg, Tensor) and arg.requires_grad for arg in args):
            return outputs
        if not isinstance(outputs, tuple):
            return _poison(outputs)
        return tuple([_poison(output) for output in outputs])

    return wrapper


def _poison(output: Any) -> Any:
    """The same gradient behind a node that raises; what is no tensor stays as it is."""
    if not isinstance(output, Tensor) or not is_differentiable(output.dtype):
        return output
    return _DelayedError.apply(wrap(output.payload, LEAF))


class _DelayedError(Function):
    """Passes a gradient on, and raises when it is differentiated."""

    @staticmethod
    def forward(ctx: Any, grad: Tensor) -> Tensor:
        return wrap(grad.payload)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise GraphError(
            "trying to differentiate twice a function that was marked with @once_differentiable. "
            "Its backward leaves the tape. Write that backward with differentiable ops, and "
            "without the decorator."
        )
