"""New tensors: from data, filled, counting, and like another tensor."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import device_of, is_array
from glassgrad.values.dtypes import Number, as_dtype, get_default_dtype

from ._data import array_from
from ._dims import size_of
from ._making import checked_size, filled, made, number_of
from .alike import (
    empty_like,
    full_like,
    new_empty,
    new_full,
    new_ones,
    new_tensor,
    new_zeros,
    ones_like,
    zeros_like,
)
from .conversion import clone, to

__all__ = [
    "arange",
    "as_tensor",
    "clone",
    "empty",
    "empty_like",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "linspace",
    "new_empty",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "ones",
    "ones_like",
    "tensor",
    "zeros",
    "zeros_like",
]


# From data ----------------------------------------------------------------------------------------


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor with a copy of the data.

    Args:
        data: a number, nested sequences of numbers, or an array.
        dtype: None: floats become the default dtype (float32), ints int64, bools bool, and arrays
            keep what they have.
        device: where it will live; None: the CPU, or where `data` is.
        requires_grad: whether gradients are wanted.

    Returns:
        A leaf.

    Raises:
        ArgumentError: for ragged sequences.
        ArgumentTypeError, DTypeError: for anything but numbers; for integers that are to require
            grad.

    Example:
        >>> tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
        >>> tensor([1.0, 2.5], requires_grad=True)
        tensor([1.0000, 2.5000], requires_grad=True)

    See also: https://pytorch.org/docs/stable/generated/torch.tensor.html
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than glassgrad.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
    array = array_from(data, None if dtype is None else as_dtype(dtype))
    place = device_of(array) if device is None else device
    return made(array, None, place, requires_grad)


def as_tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor that shares memory with the data where it can.

    Args:
        data: what `tensor` takes. A tensor keeps its gradient; an array of the right dtype and
            device is not copied.
        dtype, device: None: those of the data.

    Returns:
        `data` itself if it is a tensor and nothing changes.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> as_tensor(x) is x
        True

    See also: https://pytorch.org/docs/stable/generated/torch.as_tensor.html
    """
    if isinstance(data, Tensor):
        return to(data, dtype=dtype, device=device)
    if is_array(data) and data.dtype == (as_dtype(dtype) if dtype is not None else data.dtype):
        return made(data, as_dtype(data.dtype), device or device_of(data), requires_grad=False)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(ndarray: "np.ndarray[Any, Any]") -> Tensor:
    """A tensor that shares the memory of a NumPy array.

    Args:
        ndarray: of a supported dtype. Writing to one is seen in the other.

    Returns:
        A leaf on the CPU.

    Raises:
        ArgumentTypeError: for anything but an array of numbers.

    Example:
        >>> import numpy as np
        >>> a = np.array([1.0, 2.0])
        >>> x = from_numpy(a)
        >>> a[0] = 5.0
        >>> x
        tensor([5., 2.], dtype=glassgrad.float64)
    """
    if not isinstance(ndarray, np.ndarray):
        raise ArgumentTypeError(
            f"expected np.ndarray (got {type(ndarray).__name__}). Only an array has memory to "
            "share. Write `tensor(data)`."
        )
    if ndarray.dtype.kind not in "biufc" or not ndarray.dtype.isnative:
        array_from(ndarray[:0], None)  # says which dtypes there are
        raise ArgumentTypeError(
            f"given numpy array has byte order different from the native byte order: "
            f"{ndarray.dtype.str}. Its memory cannot be shared. Write `tensor(array)`."
        )
    if not ndarray.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable: writing to the tensor will fail. Write "
            "`tensor(array)` for a copy.",
            UserWarning,
            stacklevel=2,
        )
    return made(ndarray, None, "cpu", requires_grad=False)


# Filled -------------------------------------------------------------------------------------------


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros.

    Args:
        size: the shape, as numbers or as one sequence.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Raises:
        ShapeError: for a negative size.

    Example:
        >>> zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    return filled("zeros", size, 0, dtype, device, requires_grad)


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones; see `zeros`.

    Example:
        >>> ones(2, dtype=int64)
        tensor([1, 1])
    """
    return filled("ones", size, 1, dtype, device, requires_grad)


def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose values are whatever was in memory; see `zeros`.

    Example:
        >>> empty(2, 3).shape
        glassgrad.Size([2, 3])
    """
    shape = checked_size("empty", size_of(size, "empty"))
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    return made(np.empty(shape, wanted), None, device, requires_grad)


def full(
    size: Sequence[int],
    fill_value: Number | Tensor,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of one number everywhere.

    Args:
        size: the shape.
        fill_value: the number; a 0-d tensor stands for its value.
        dtype: None: that of the number.
        device, requires_grad: as `tensor`.

    Raises:
        ArgumentTypeError: if `size` is no sequence, or `fill_value` no number.

    Example:
        >>> full((2, 2), 3.5)
        tensor([[3.5000, 3.5000],
                [3.5000, 3.5000]])
    """
    if not isinstance(size, (tuple, list)):
        raise ArgumentTypeError(
            "full(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(size).__name__}. Write `full((n,), value)`."
        )
    value, own = number_of("full", fill_value)
    wanted = own if dtype is None else dtype
    return filled("full", (tuple(size),), value, wanted, device, requires_grad)


# Counting -----------------------------------------------------------------------------------------


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """The numbers `start, start + step, …` below `end`.

    Args:
        start: the first; with only one argument it is the end, and 0 the first.
        end: not reached.
        step: negative to count down.
        dtype: None: int64 if all three are integers, else the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(⌈(end - start) / step⌉,)`.

    Raises:
        ShapeError: if `step` is 0, or leads away from `end`.

    Example:
        >>> arange(2, 5)
        tensor([2, 3, 4])
        >>> arange(0, 1, 0.25)
        tensor([0.0000, 0.2500, 0.5000, 0.7500])
    """
    if end is None:
        start, end = 0, start
    first, last, by = [_real("arange", value) for value in (start, end, step)]
    whole = all(isinstance(value, int) for value in (first, last, by))
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ShapeError(
            f"unsupported range: {first} -> {last}. It has no end. Write finite numbers."
        )
    if by == 0:
        raise ShapeError(
            f"step must be nonzero, got {by}. The end would never be reached. Write 1 or -1."
        )
    if (last - first) * by < 0:
        raise ShapeError(
            "upper bound and lower bound inconsistent with step sign: "
            f"arange({first}, {last}, {by}). Such steps lead away from the end. Write step={-by}."
        )
    count = int(-(-(last - first) // by)) if whole else math.ceil((last - first) / by)
    default = np.dtype("int64") if whole else get_default_dtype()
    steps: Any = np.arange(count, dtype=np.int64 if whole else np.float64)
    values = first + by * steps
    return made(values, default if dtype is None else dtype, device, requires_grad)


def _real(name: str, value: Any) -> int | float:
    number, _ = number_of(name, value)
    if isinstance(number, complex):
        raise ArgumentTypeError(
            f"{name}() counts along a line: {number} is a complex number. Write a real one."
        )
    return number


def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers at equal distances, both ends included.

    Args:
        start, end: the first and the last.
        steps: how many.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(steps,)`.

    Raises:
        ShapeError: for a negative number of steps.

    Example:
        >>> linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    (count,) = size_of((steps,), "linspace", argument="steps")
    if count < 0:
        raise ShapeError(
            f"number of steps must be non-negative, got {count}. It counts elements. "
            "Write a number from 0 up."
        )
    first, last = _real("linspace", start), _real("linspace", end)
    default = get_default_dtype() if dtype is None else dtype
    return made(np.linspace(first, last, count), default, device, requires_grad)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere.

    Args:
        n: the number of rows.
        m: the number of columns; None: as many.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(n, m)`.

    Raises:
        ShapeError: for negative sizes.

    Example:
        >>> eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
    rows, columns = size_of((n, n if m is None else m), "eye", argument="n")
    if rows < 0 or columns < 0:
        raise ShapeError(
            f"n must be greater or equal to 0, got {rows} and {columns}. They count rows and "
            "columns. Write numbers from 0 up."
        )
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    return made(np.eye(rows, columns, dtype=wanted), None, device, requires_grad)
