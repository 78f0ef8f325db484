"""`Tensor.grad` and `Tensor.grad_dtype`: where a backward pass leaves gradients, and as what.

A mixin, copied onto `Tensor` like the one in `_methods.py`.
"""

import warnings
from typing import Any

from .core.errors import ArgumentTypeError, DTypeError, GradientError, GraphError, ShapeError
from .core.tensor import ANY_DTYPE, Tensor, is_differentiable
from .hooks.handles import Hooks
from .values.dtypes import DType, as_dtype

__all__ = ["Gradients", "grad_dtype"]


class Gradients:
    """What a Tensor knows of its gradient."""

    @property
    def grad(self: Any) -> Tensor | None:
        """The gradient, once a backward pass has left one."""
        cold = self.cold
        if cold is not None and cold.grad is not None:
            return cold.grad  # type: ignore[no-any-return]  # self is Any
        if not self.is_leaf and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
                ".grad attribute won't be populated during autograd.backward(). If you indeed "
                "want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() "
                "on the non-leaf Tensor.",
                UserWarning,
                stacklevel=2,
            )
        return None

    @grad.setter
    def grad(self: Any, value: Tensor | None) -> None:
        if value is not None:
            _check_new_grad(self, value)
            self.cold_side().grad = value
        elif self.cold is not None:
            self.cold.grad = None

    @grad.deleter
    def grad(self: Any) -> None:
        if self.cold is not None:
            self.cold.grad = None

    @property
    def retains_grad(self: Any) -> bool:
        """Whether it is a non-leaf whose `.grad` a backward pass fills."""
        hooks = getattr(self.grad_fn, "cold", None)
        kept = hooks and hooks.retain.get(self.output_nr)
        return bool(kept and kept() is self)


def _check_new_grad(x: Tensor, value: object) -> None:
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"assigned grad expected to be a Tensor or None but got {type(value).__name__}. "
            "The next backward pass adds a tensor to it. Write `x.grad = tensor(values)`."
        )
    if value is x:
        raise GraphError(
            "can't assign Variable as its own grad. The gradient would change the tensor. "
            "Write `x.grad = x.clone()`."
        )
    wanted = None if x.cold is None else x.cold.grad_dtype
    wanted = x.dtype if wanted is None else wanted
    if value.dtype != wanted and wanted is not ANY_DTYPE:
        raise GradientError(
            f"attempting to assign a gradient with dtype '{value.dtype}' to a tensor with "
            f"grad_dtype '{wanted}'. The gradient must match it. Write `grad.to(x.dtype)`, or "
            "set `x.grad_dtype`, which is the tensor's dtype by default, None for any."
        )
    if value.device != x.device:
        raise GradientError(
            f"attempting to assign a gradient located on device '{value.device}' to a tensor "
            f"on '{x.device}'. Move it first: `grad.to(x.device)`."
        )
    if value.shape != x.shape:
        raise ShapeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of "
            f"size '{list(x.shape)}'. Please ensure that the gradient and the tensor are "
            "the same size."
        )


# The dtype of gradients -------------------------------------------------------------------------


def _get(x: Tensor) -> DType | None:
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


def _set(x: Tensor, dtype: Any) -> None:
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
    cold = x.cold_side()
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
