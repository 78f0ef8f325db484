"""The shape and the dtype of gradients: on their way, as given, and where they are wanted."""

import functools
import sys
from typing import Any

import numpy as np

from glassgrad.core.backward import plain
from glassgrad.core.errors import (
    ArgumentTypeError,
    DTypeError,
    GradientError,
    GraphError,
    ShapeError,
)
from glassgrad.core.graph import AccumulateGrad, Edge, GradientEdge, Node, edge_of, ends
from glassgrad.core.state import modes, plugs
from glassgrad.core.tensor import ANY_DTYPE, Tensor, is_differentiable


def fitted(node: Node, position: int, grad: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A gradient that the rule of `node` returned, in the shape and dtype of its operand.

    Raises:
        GradientError: if it cannot have come from there.
    """
    edge = node.edges[position]
    if isinstance(edge, AccumulateGrad) and _grad_dtype(edge.variable) is not None:
        dtype = _grad_dtype(edge.variable)
    if grad.shape[1:] == shape:  # a bias, a weight shared over a batch
        grad = _sum_of_rows(grad)
    elif grad.shape != shape:
        if not _is_broadcast_of(shape, grad.shape):
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


def sum_to(grad: Any, shape: tuple[int, ...]) -> Any:
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


def _is_broadcast_of(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, wide) == wide
    except ValueError:
        return False


# At the ends of a pass ----------------------------------------------------------------------------


def given(gradient: object, shape: tuple[int, ...], dtype: Any, position: int) -> Tensor:
    """The gradient that was given for an output, in the output's dtype."""
    gradient = must_be_tensor(gradient, position)
    array = gradient.payload
    if array.shape == shape and array.dtype == dtype:
        return gradient  # as nearly always
    if array.shape != shape:
        raise GradientError(
            f"Mismatch in shape: grad_output[{position}] has a shape of "
            f"{list(gradient.shape)} and output[{position}] has a shape of {list(shape)}. The "
            "gradient of an output has the output's shape. Write `glassgrad.ones_like(output)` "
            "for the gradient of its sum."
        )
    if (gradient.dtype.kind == "c") != (dtype.kind == "c"):
        raise DTypeError(
            "For complex Tensors, both grad_output and output are required to have the same "
            f"dtype. Mismatch in dtype: grad_output[{position}] has a dtype of {gradient.dtype} "
            f"and output[{position}] has a dtype of {dtype}. Write `gradient.to(output.dtype)`."
        )
    return gradient.to(dtype)


def must_be_tensor(gradient: object, position: int) -> Tensor:
    """The gradient that was given for an output, if it is a tensor; else an error."""
    if not isinstance(gradient, Tensor):
        raise ArgumentTypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__} for "
            f"output {position}. The pass computes with tensors. "
            "Write `glassgrad.tensor(gradient)`."
        )
    return gradient


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


def accumulation_targets(inputs: list[Any]) -> set[Any]:
    """The nodes to run for `backward(inputs=…)`; a non-leaf keeps its gradient there."""
    if not inputs:
        raise ShapeError(
            "`inputs` argument to `backward()` cannot be empty. It names the tensors whose .grad "
            "will be filled, and there are none. Leave it out to fill that of all leaves."
        )
    targets = set()
    for x in inputs:
        node = ends(target(x))[0]
        if isinstance(x, Tensor) and not x.is_leaf:
            plugs.hooks.retain_grad(x)
        targets.add(node)
    return targets


def target(x: Any) -> Edge:
    """The edge of an input: where its gradient arrives."""
    if isinstance(x, GradientEdge):
        return plain(x)
    if not isinstance(x, Tensor):
        raise ArgumentTypeError(
            "all inputs have to be Tensors or GradientEdges, but got "
            f"{type(x).__name__}. Gradients are taken with respect to tensors."
        )
    edge = edge_of(x)
    if edge is None:
        raise GraphError(
            "One of the differentiated Tensors does not require grad (shape "
            f"{tuple(x.shape)}). Nothing recorded how the outputs depend on it. "
            "Set requires_grad=True before computing them."
        )
    return edge


plugs.gradients = sys.modules[__name__]
