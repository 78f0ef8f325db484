"""The shape and the dtype of gradients on their way, and where they may begin to be wanted."""

import functools
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, GradientError, GraphError
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.state import Shape, modes
from glassgrad.core.tensor import ANY_DTYPE, Tensor, is_differentiable


def fitted(node: Node, position: int, grad: Any, shape: Shape, dtype: Any) -> Any:
    """A gradient that the rule of `node` returned, in the shape and dtype of its operand.

    Raises:
        GradientError: if it cannot have come from there.
    """
    edge = node.edges[position]
    wanted = _grad_dtype(edge.variable) if isinstance(edge, AccumulateGrad) else None
    dtype = dtype if wanted is None else wanted
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
    if dtype is ANY_DTYPE or grad.dtype == dtype:
        return grad
    if node._is_users and grad.dtype.kind == "c" and dtype.kind == "f":
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
    """A gradient in another dtype; a real one has the real part of a complex one."""
    if grad.dtype.kind == "c" and dtype.kind == "f":
        grad = np.real(grad)
    return grad.to(dtype) if isinstance(grad, Tensor) else grad.astype(dtype)


def _grad_dtype(leaf: Tensor) -> Any:
    """The leaf's `grad_dtype` if it was set, else None."""
    return None if leaf.cold is None else leaf.cold.grad_dtype


def as_leaf_wants(leaf: Tensor, grad: Any) -> Any:
    """`grad` in the dtype that `leaf.grad_dtype` asks for."""
    wanted = _grad_dtype(leaf)
    if grad is None or wanted is None or wanted is ANY_DTYPE or grad.dtype == wanted:
        return grad
    return _converted(grad, wanted)


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
