"""What becomes of a gradient on its way: fitted to its operand, added to others, left in a leaf.

# Note [Who owns a gradient]
# A gradient may be added to in place, or become a leaf's `.grad`, only if nobody else refers to
# its array: not a saved tensor, not another buffer, not the caller. CPython's reference count
# says so exactly, as the use count of its tensors does for PyTorch.
"""

import functools
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.base.backend import backend_of, is_array, whole
from glassgrad.base.dtypes import DType
from glassgrad.base.errors import GradientError
from glassgrad.base.source_lines import Place
from glassgrad.core.cold import ANY_DTYPE
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node
from glassgrad.core.tensor import Tensor, wrap

__all__ = ["A_LOCAL", "accumulate", "as_leaf_wants", "fit", "is_own", "sum_to"]

Grads = tuple[Any, ...]


def fit(node: Node, grads: Grads) -> Grads:
    """Give each gradient the shape and dtype of the operand it belongs to."""
    fitted = list(grads)
    edge: Any
    for position, edge in enumerate(node.edges):
        grad = grads[position]
        if grad is None or edge is None:
            continue
        kind = edge.__class__
        if kind is AccumulateGrad:
            operand = edge.variable.payload
            shape, dtype = operand.shape, operand.dtype
        elif kind is GradientEdge:
            shape, dtype = edge.node._input_metadata[edge.output_nr]
        else:
            shape, dtype = edge.out_shape, edge.out_dtype
        if grad.shape != shape or grad.dtype is not dtype:
            fitted[position] = _fit_one(node, position, grad, shape, dtype)
    return tuple(fitted)


def _fit_one(node: Node, position: int, grad: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    edge = node.edges[position]
    if isinstance(edge, AccumulateGrad) and _wanted(edge.variable) is not None:
        dtype = _wanted(edge.variable)
    if grad.shape[1:] == shape:  # a bias, a weight shared over a batch
        grad = _sum_of_rows(grad)
    elif grad.shape != shape:
        if not _can_sum_to(grad.shape, shape):
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


def _converted(grad: Any, dtype: Any) -> Any:
    """A gradient in another dtype; a real one has the real part of a complex one."""
    if grad.dtype.kind == "c" and dtype.kind == "f":
        grad = np.real(grad)
    return grad.to(dtype) if isinstance(grad, Tensor) else grad.astype(dtype)


def _wanted(leaf: Tensor) -> Any:
    """The leaf's `grad_dtype` if it was set, else None."""
    return None if leaf.cold is None else leaf.cold.grad_dtype


def as_leaf_wants(leaf: Tensor, grad: Any) -> Any:
    """`grad` in the dtype that `leaf.grad_dtype` asks for."""
    wanted = _wanted(leaf)
    if grad is None or wanted is None or wanted is ANY_DTYPE or grad.dtype == wanted:
        return grad
    return _converted(grad, wanted)


def _sum_of_rows(grad: Any) -> Any:
    """The sum over the first dim. BLAS adds rows three to ten times as fast as NumPy does."""
    if type(grad) is np.ndarray and grad.ndim == 2 and grad.dtype.char in "fd":
        return _ones(len(grad), grad.dtype).dot(grad)
    return grad.sum(axis=0)


@functools.lru_cache(maxsize=32)
def _ones(n: int, dtype: DType) -> Any:
    return np.ones(n, dtype)


def _can_sum_to(shape: Sequence[int], target: Sequence[int]) -> bool:
    if len(shape) < len(target):
        return False
    tail = shape[len(shape) - len(target) :]
    return all(n == m or m == 1 for n, m in zip(tail, target, strict=True))


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


# Who owns a gradient ----------------------------------------------------------------------------


def _count_a_local() -> int:
    local = object()
    return sys.getrefcount(local)


A_LOCAL = _count_a_local()
"""The reference count of an object that only one local variable refers to."""


def is_own(array: Any) -> bool:
    """Whether the memory of an unshared array is its own, writable and in order."""
    base = array.base
    if base is not None and (not is_array(base) or sys.getrefcount(base) > A_LOCAL + 1):
        return False  # somebody else looks at the same memory
    flags = array.flags
    return bool(flags.c_contiguous and getattr(flags, "writeable", True))


def accumulate(leaf: Tensor, grad: Any, unshared: bool) -> None:
    """Add `grad` to `leaf.grad`, in place if it is an array and there is one already.

    The first one becomes `leaf.grad` itself if it is nobody else's; else a copy of it does, in
    the order that the leaf's elements have in memory.
    """
    with _accumulating:
        cold = leaf.cold or leaf.chilled()
        old = cold.grad
        if old is None:
            is_usual = leaf.payload.flags.c_contiguous
            if unshared and is_usual and is_own(grad):
                cold.grad = wrap(grad)
            elif isinstance(grad, Tensor):
                cold.grad = _placed(leaf, grad.clone())
            elif is_usual:
                cold.grad = wrap(whole(grad).copy())
            else:
                cold.grad = wrap(_in_order_of(leaf.payload, grad))
        elif isinstance(grad, Tensor):
            cold.grad = _placed(leaf, old + grad)
        else:
            np.add(old.payload, grad, out=old.payload)
            old.wrote(_HERE)


_HERE: Place = (accumulate.__code__, 0)
"""Where gradients are written: known, and so not looked for."""


def _placed(leaf: Tensor, grad: Tensor) -> Tensor:
    """A gradient just computed, its elements in the order that those of `leaf` have in memory."""
    if grad.payload.strides != leaf.payload.strides:
        grad.payload = _in_order_of(leaf.payload, grad.payload)
    return grad


def _in_order_of(array: Any, grad: Any) -> Any:
    """A copy of `grad` whose elements lie in memory as those of `array` do."""
    copy = backend_of(array).xp.empty_like(array, dtype=grad.dtype)
    copy[...] = grad
    return copy


_accumulating = threading.RLock()
"""Passes in several threads may end at the same leaf."""
