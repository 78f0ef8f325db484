"""New tensors that take shape, dtype or device from another one."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError
from glassgrad.core.primitive import constant
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy
from glassgrad.values.dtypes import Number, as_dtype
from glassgrad.values.layers import Layer

from ._data import array_from
from ._dims import size_of
from ._making import checked_size, filled, made, number_of
from ._numbers import check_number

__all__ = [
    "empty_like",
    "full_like",
    "new_empty",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "ones_like",
    "zeros_like",
]


# The same shape -----------------------------------------------------------------------------------


def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Zeros in the shape of `input`.

    Args:
        input: tensor of shape `S`.
        dtype, device: None: those of `input`.
        requires_grad: whether gradients are wanted.

    Returns:
        A leaf of shape `S`.

    Raises:
        ArgumentTypeError: if `input` is no tensor.

    Example:
        >>> zeros_like(tensor([1.0, 2.0]))
        tensor([0., 0.])
    """
    return _like("zeros_like", input, 0, dtype, device, requires_grad)


def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones in the shape of `input`; see `zeros_like`.

    Example:
        >>> ones_like(tensor([3, 4]))
        tensor([1, 1])
    """
    return _like("ones_like", input, 1, dtype, device, requires_grad)


def full_like(
    input: Tensor,
    fill_value: Number | Tensor,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """One number in the shape of `input`; see `zeros_like`.

    Args:
        input: tensor of shape `S`.
        fill_value: the number; its fraction is cut off where the dtype has none.
        dtype, device, requires_grad: as `zeros_like`.

    Example:
        >>> full_like(tensor([1, 2]), 3.5)
        tensor([3, 3])
    """
    value, _ = number_of("full_like", fill_value)
    return _like("full_like", input, value, dtype, device, requires_grad)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Whatever was in memory, in the shape of `input`; see `zeros_like`.

    Example:
        >>> empty_like(tensor([1, 2])).shape
        glassgrad.Size([2])
    """
    return _like("empty_like", input, None, dtype, device, requires_grad)


def _like(
    name: str, input: Tensor, value: Number | None, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    """A leaf that also lies in memory as `input` does."""
    checked = _checked(name, input)
    wanted = checked.dtype if dtype is None else as_dtype(dtype)
    array = np.empty_like(form_of(checked.payload), wanted)
    if value is not None:
        check_number(wanted, value)
        array.fill(constant(value, wanted))
    return made(array, None, device or checked.device, requires_grad, like=checked)


def form_of(array: Any) -> Any:
    """A NumPy array of the same form, its elements in the same order; what they are is unknown."""
    if not isinstance(array, Layer):
        return asnumpy(array)
    order = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
    form = np.empty([array.shape[dim] for dim in order], array.dtype)
    return form.transpose(np.argsort(order)) if order else form


def _checked(name: str, input: object) -> Tensor:
    if isinstance(input, Tensor):
        return input
    raise ArgumentTypeError(
        f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}. "
        "Write `tensor(data)` first."
    )


# The same dtype and device ------------------------------------------------------------------------


def new_zeros(
    input: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Zeros of another shape, in the dtype and on the device of `input`.

    Args:
        input: tensor of any shape.
        size: the new shape, as numbers or as one sequence.
        dtype, device: None: those of `input`.
        requires_grad: whether gradients are wanted.

    Returns:
        A leaf.

    Example:
        >>> new_zeros(tensor([1, 2]), 3)
        tensor([0, 0, 0])
    """
    return _new("new_zeros", input, size, 0, dtype, device, requires_grad)


def new_ones(
    input: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones of another shape; see `new_zeros`.

    Example:
        >>> new_ones(tensor([1, 2]), 3)
        tensor([1, 1, 1])
    """
    return _new("new_ones", input, size, 1, dtype, device, requires_grad)


def new_full(
    input: Tensor,
    size: Sequence[int],
    fill_value: Number | Tensor,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """One number in another shape; see `new_zeros`.

    Args:
        input: tensor of any shape.
        size: the new shape.
        fill_value: the number; its fraction is cut off where the dtype has none.
        dtype, device, requires_grad: as `new_zeros`.

    Example:
        >>> new_full(tensor([1, 2]), (3,), 7)
        tensor([7, 7, 7])
    """
    value, _ = number_of("new_full", fill_value)
    return _new("new_full", input, (tuple(size),), value, dtype, device, requires_grad)


def new_empty(
    input: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Whatever was in memory, in another shape; see `new_zeros`.

    Example:
        >>> new_empty(tensor([1, 2]), 3).shape
        glassgrad.Size([3])
    """
    shape = checked_size("new_empty", size_of(size, "new_empty"))
    wanted = input.dtype if dtype is None else as_dtype(dtype)
    return made(np.empty(shape, wanted), None, device or input.device, requires_grad, input)


def new_tensor(
    input: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`tensor(data)` in the dtype and on the device of `input`.

    Args:
        input: tensor of any shape.
        data: what `tensor` takes.
        dtype, device, requires_grad: as `new_zeros`.

    Example:
        >>> new_tensor(tensor([1.0]), [2, 3])
        tensor([2., 3.])
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than tensor.new_tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
    wanted = input.dtype if dtype is None else as_dtype(dtype)
    return made(array_from(data, wanted), None, device or input.device, requires_grad)


def _new(
    name: str,
    input: Tensor,
    size: tuple[Any, ...],
    value: Number,
    dtype: Any,
    device: Any,
    requires_grad: bool,
) -> Tensor:
    wanted = input.dtype if dtype is None else dtype
    return filled(name, size, value, wanted, device or input.device, requires_grad, input)
