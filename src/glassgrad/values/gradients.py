"""Gradients on their way: what a user's `backward` may return, the shape and the dtype that an
operand wants, and where gradients may begin to be wanted.
"""

import functools
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, GradientError, GraphError
from glassgrad.core.graph import Node
from glassgrad.core.state import Shape, Values, modes
from glassgrad.core.tensor import ANY_DTYPE, Tensor, is_differentiable, wrap

from .tree import as_tuple

EACH = "backward returns one for each argument of forward; write None for what is not a tensor."
NO_LIST = "A list is no tuple of gradients: write `return dx, dy`, or `return dx` for one."


def checked(node: Any, returned: Any) -> Values:
    """What the `backward` of `node` returned, as the gradients of the tensors among its arguments.

    Raises:
        GradientError: if there are too many or too few, or what is no gradient.
    """
    results = as_tuple(returned)
    is_tensor = node._is_tensor or (True,) * len(node.edges)
    expected = len(is_tensor)
    if len(results) > expected and all(extra is None for extra in results[expected:]):
        results = results[:expected]
    if len(results) != expected:
        is_list = len(results) == 1 and isinstance(results[0], list)
        raise wrong_number(node.name(), expected, len(results), NO_LIST if is_list else EACH)
    for position, (result, may_be) in enumerate(zip(results, is_tensor, strict=True), start=1):
        if result is not None and not may_be:
            raise GradientError(
                f"function {node.name()} returned a gradient different than None at position "
                f"{position}, but the corresponding forward input was not a Variable. What is no "
                "tensor has no gradient. Return None there."
            )
        if result is not None and not isinstance(result, Tensor):
            raise GradientError(
                f"function {node.name()}: expected Variable or None (got {type(result).__name__}) "
                f"at position {position}. The pass goes on with tensors. "
                + (NO_LIST if isinstance(result, list) else "Write `glassgrad.tensor(value)`.")
            )
    kept = [result for result, may_be in zip(results, is_tensor, strict=True) if may_be]
    return tuple([x.to_dense() if x is not None and x.is_sparse else x for x in kept])


def wrong_number(name: str, expected: int, got: int, remedy: str = EACH) -> GradientError:
    """The error about the gradients that the backward of node `name` returned."""
    return GradientError(
        f"function {name} returned an incorrect number of gradients (expected {expected}, got "
        f"{got}). {remedy}"
    )


def materialized(node: Any, grads: list[Any]) -> list[Any]:
    """Zeros in the place of missing gradients, except those that can never come, if so wished."""
    present = next((grad.payload for grad in grads if grad is not None), np.empty(0))
    for nr, meta in enumerate(node._input_metadata):
        if grads[nr] is None and meta.dtype and nr not in node._gradless:
            grads[nr] = wrap(np.zeros_like(present, meta.dtype, shape=meta.shape))
    return grads


def fitted(node: Node, position: int, grad: Any, shape: Shape, dtype: Any) -> Any:
    """A gradient that the rule of `node` returned, in the shape and dtype of its operand.

    Raises:
        GradientError: if it cannot have come from there.
    """
    leaf: Any = getattr(node.edges[position], "variable", None)
    if leaf is not None:
        dtype = leaf.cold.grad_dtype or dtype
    if grad.shape[1:] == shape:  # a bias, a weight shared over a batch
        grad = _sum_of_rows(grad)
    elif grad.shape != shape:
        sizes = zip(reversed(shape), reversed(grad.shape), strict=False)
        if len(shape) > grad.ndim or any(n not in (1, stretched) for n, stretched in sizes):
            raise GradientError(
                f"Function {node.name()} returned an invalid gradient at index {position} - got "
                f"{list(grad.shape)} but expected shape compatible with {list(shape)}. The "
                "gradient of an input has the input's shape, or one that broadcasting made of it. "
                "Look at what backward returns in that place."
            )
        grad = sum_to(grad, shape)
    is_real = dtype is not ANY_DTYPE and dtype.kind == "f"
    if node._is_users and grad.dtype.kind == "c" and is_real:
        raise GradientError(
            f"Function {node.name()} returned an invalid gradient at index {position} - got "
            f"{grad.dtype} for an input of {dtype}. A real input has a real gradient, and what the "
            "imaginary part means is not known. Return `grad.real`, if that is meant."
        )
    return _converted(grad, dtype)


def sum_to(grad: Any, shape: Shape) -> Any:
    """Undo broadcasting: sum over the dims it added or stretched.

    Args:
        grad: a value of a shape that `shape` broadcasts to.

    Returns:
        A value of shape `shape`.
    """
    lead = grad.ndim - len(shape)
    stretched = [lead + i for i, n in enumerate(shape) if n == 1 and grad.shape[lead + i] != 1]
    axes = (*range(lead), *stretched)
    total = grad.sum(axis=axes) if axes else grad
    return total if total.shape == shape else total.reshape(shape)


def _converted(grad: Any, dtype: Any) -> Any:
    """A gradient in the dtype that is wanted; a real one has the real part of a complex one."""
    if dtype is None or dtype is ANY_DTYPE or grad.dtype == dtype:
        return grad
    if grad.dtype.kind == "c" and dtype.kind == "f":
        grad = np.real(grad)
    return grad.to(dtype) if isinstance(grad, Tensor) else grad.astype(dtype)


def as_leaf_wants(leaf: Any, grad: Any) -> Any:
    """`grad` in the dtype that `leaf.grad_dtype` asks for."""
    return grad if grad is None else _converted(grad, leaf.cold.grad_dtype)


def _sum_of_rows(grad: Any) -> Any:
    """The sum over the first dim. BLAS adds rows three to ten times as fast as NumPy does."""
    if type(grad) is np.ndarray and grad.ndim == 2 and grad.dtype.char in "fd":
        return _ones(len(grad), grad.dtype).dot(grad)
    return grad.sum(axis=0)


@functools.lru_cache(maxsize=32)
def _ones(n: int, dtype: Any) -> Any:
    return np.ones(n, dtype)


def check_may_require(tensor: Tensor, value: bool) -> None:
    """Raise if `tensor` cannot require grad, or not stop to do so."""
    if not tensor.is_leaf:
        raise GraphError(
            "you can only change requires_grad flags of leaf variables. If you want to use a "
            "computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach()."
        )
    if value and not is_differentiable(tensor.dtype):
        raise DTypeError(
            "Only Tensors of floating point and complex dtype can require gradients, got "
            f"{tensor.dtype}. Integers cannot move by a small step. Write `x.float()` first."
        )
    if value and tensor.is_inference() and not modes.inference:
        raise GraphError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not "
            "allowed. It was made to never take part in autograd. Write `x.clone()`."
        )
