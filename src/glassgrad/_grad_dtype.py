"""`Tensor.grad_dtype`: the dtype in which a leaf wants its gradients."""

from typing import TYPE_CHECKING, Any

from .base.dtypes import DType, as_dtype, is_differentiable
from .base.errors import ArgumentTypeError, DTypeError, GraphError
from .core.cold import ANY_DTYPE
from .core.graph import Hooks

if TYPE_CHECKING:
    from .core.tensor import Tensor

__all__ = ["grad_dtype"]


def _get(x: "Tensor") -> DType | None:
    """The dtype of the gradients of a leaf: its own unless another was set; None for any.

    Gradients are converted when they arrive, before hooks see them. None leaves them as they are.

    Raises:
        GraphError: on a non-leaf, and when a gradient of another dtype is there already.
        DTypeError: for what is neither a floating-point or complex dtype nor None.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> x.grad_dtype = float64
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.], dtype=glassgrad.float64)
    """
    if not x.is_leaf:
        raise GraphError(
            "grad_dtype can only be accessed on leaf tensors. The gradient of any other has the "
            f"dtype of the tensor, here {x.dtype}. Read `x.dtype`."
        )
    wanted = None if x.cold is None else x.cold.grad_dtype
    if wanted is ANY_DTYPE:
        return None
    return x.dtype if wanted is None else wanted


def _set(x: "Tensor", dtype: Any) -> None:
    if not x.is_leaf:
        raise GraphError(
            "grad_dtype can only be set on leaf tensors. This one was computed by "
            f"{x.grad_fn.name()}, which gets gradients of dtype {x.dtype}. Set it on the leaves."
        )
    wanted = None if dtype is None else _as_grad_dtype(dtype)
    grad = x.grad
    if grad is not None and wanted is not None and grad.dtype != wanted:
        raise GraphError(
            f"Cannot set grad_dtype to '{wanted}' because there is already a gradient with dtype "
            f"'{grad.dtype}'. The next one could not be added to it. Please clear the gradient "
            "(.grad = None) before changing grad_dtype."
        )
    cold = x.chilled()
    cold.grad_dtype = ANY_DTYPE if wanted is None else wanted
    if cold.hooks is None:
        cold.hooks = Hooks()  # the engine takes its careful way where a leaf has a dict of hooks


def _as_grad_dtype(dtype: Any) -> DType:
    try:
        if isinstance(dtype, str) and dtype not in _NAMES:
            raise ArgumentTypeError(f"{dtype!r} names no dtype")  # NumPy would read its letters
        wanted = as_dtype(dtype)
    except (ArgumentTypeError, DTypeError) as error:
        raise DTypeError(
            f"grad_dtype must be a glassgrad dtype or None, but got {type(dtype).__name__}. "
            "Gradients are converted to it. Write `x.grad_dtype = glassgrad.float64`."
        ) from error
    if not is_differentiable(wanted):
        raise DTypeError(
            f"grad_dtype must be a floating point or complex dtype, got {wanted}: gradients are "
            "fractions. Write `x.grad_dtype = glassgrad.float32`."
        )
    return wanted


_NAMES = ("float16", "float32", "float64", "complex64", "complex128")

grad_dtype = property(_get, _set)
