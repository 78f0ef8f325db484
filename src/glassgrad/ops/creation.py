"""New tensors: from data, filled, counting, like another one, by PyTorch's oldest constructors."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Size, Tensor, wrap
from glassgrad.values.backend import device_of, is_array
from glassgrad.values.dtypes import TYPE_NAMES, DType, Number, as_dtype, get_default_dtype
from glassgrad.values.layers import fresh

from ._arguments import size_of
from ._declaring import FUNCTIONS, factory, function, method
from ._making import array_from, filled, made, number_of
from .conversion import to

# From data ----------------------------------------------------------------------------------------


@factory(new=True)
def tensor(data: Any, *, dtype: Any = None, device: Any = None, **new: Any) -> Tensor:
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
        >>> tensor(0.5).new_tensor([2, 3])
        tensor([2., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.tensor.html
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than tensor(sourceTensor).",
            UserWarning,
            stacklevel=3,
        )
    new.pop("beside", None)  # its dtype and its device are there already
    array = array_from(data, None if dtype is None else as_dtype(dtype))
    return made(array, device=device or device_of(array), **new)


@function()
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
    if is_array(data) and (dtype is None or data.dtype == as_dtype(dtype)):
        return made(data, data.dtype, device=device or device_of(data))
    return tensor(data, dtype=dtype, device=device)


@function()
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
    return made(ndarray, ndarray.dtype)


# Filled -------------------------------------------------------------------------------------------


@factory(like=True, new=True)
def zeros(*size: Any, **new: Any) -> Tensor:
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
        >>> zeros_like(tensor([1, 2]))
        tensor([0, 0])
        >>> tensor([1, 2]).new_zeros(3)
        tensor([0, 0, 0])
    """
    return filled("zeros", size, 0, **new)


@factory(like=True, new=True)
def ones(*size: Any, **new: Any) -> Tensor:
    """A tensor of ones; see `zeros`.

    Example:
        >>> ones(2, dtype=int64)
        tensor([1, 1])
        >>> ones_like(tensor([3.0, 4.0]))
        tensor([1., 1.])
    """
    return filled("ones", size, 1, **new)


@factory(like=True, new=True)
def empty(*size: Any, **new: Any) -> Tensor:
    """A tensor whose values are whatever was in memory; see `zeros`.

    Example:
        >>> empty(2, 3).shape
        glassgrad.Size([2, 3])
        >>> empty_like(tensor([1, 2])).dtype
        dtype('int64')
    """
    return filled("empty", size, None, **new)


@factory(like=True, new=True)
def full(
    size: Sequence[int], fill_value: Number | Tensor, *, dtype: Any = None, **new: Any
) -> Tensor:
    """A tensor of one number everywhere.

    Args:
        size: the shape.
        fill_value: the number; a 0-d tensor stands for its value. Its fraction is cut off where
            the dtype has none.
        dtype: None: that of the number.
        device, requires_grad: as `tensor`.

    Raises:
        ArgumentTypeError: if `size` is no sequence, or `fill_value` no number.

    Example:
        >>> full((2, 2), 3.5)
        tensor([[3.5000, 3.5000],
                [3.5000, 3.5000]])
        >>> full_like(tensor([1, 2]), 3.5)
        tensor([3, 3])
    """
    if not isinstance(size, (tuple, list)):
        raise ArgumentTypeError(
            "full(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(size).__name__}. Write `full((n,), value)`."
        )
    value, own = number_of("full", fill_value)
    return filled("full", (size,), value, dtype=dtype or own, **new)


# Counting -----------------------------------------------------------------------------------------


@factory()
def arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, **new: Any) -> Tensor:
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
    return made(first + by * steps, dtype or default, **new)


def _real(name: str, value: Any) -> int | float:
    number, _ = number_of(name, value)
    if isinstance(number, complex):
        raise ArgumentTypeError(
            f"{name}() counts along a line: {number} is a complex number. Write a real one."
        )
    return number


@factory()
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, **new: Any) -> Tensor:
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
    return made(np.linspace(first, last, count), dtype or get_default_dtype(), **new)


@factory()
def eye(n: int, m: int | None = None, *, dtype: Any = None, **new: Any) -> Tensor:
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
    return made(np.eye(rows, columns), dtype or get_default_dtype(), **new)


# PyTorch's oldest constructors --------------------------------------------------------------------


class TensorType:
    """A constructor for tensors of one dtype, which `isinstance` takes for their class.

    Args:
        dtype: the dtype.

    Example:
        >>> FloatTensor([1, 2])
        tensor([1., 2.])
        >>> FloatTensor(2, 3).shape
        glassgrad.Size([2, 3])
        >>> isinstance(tensor(1.0), FloatTensor)
        True
    """

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype

    def __call__(self, *args: Any) -> Tensor:
        """A tensor of sizes (its elements are 0), of a sequence of values, or of a tensor's memory.

        Raises:
            ArgumentTypeError: for anything else, or a tensor of another dtype.
        """
        given = args[0] if len(args) == 1 else None
        if isinstance(given, Tensor):
            if given.dtype is not self.dtype:
                raise ArgumentTypeError(
                    f"expected a tensor of dtype {self.dtype}, got {given.dtype}. This constructor "
                    "shares memory and converts nothing. Write `x.to(dtype)`."
                )
            return wrap(given.payload)
        if is_array(given) or (isinstance(given, (list, tuple)) and not isinstance(given, Size)):
            return fresh(array_from(given, self.dtype))
        if given is not None and not isinstance(given, (int, np.integer, Size)):
            raise ArgumentTypeError(
                f"new(): data must be a sequence (got {type(given).__name__}). This constructor "
                "takes sizes or values. Write `tensor(value)` for a 0-d tensor."
            )
        return filled("new", args or (0,), 0, dtype=self.dtype)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is self.dtype

    def __repr__(self) -> str:
        return f"<class 'glassgrad.{TYPE_NAMES[self.dtype]}Tensor'>"


FUNCTIONS |= {
    f"{name}Tensor": TensorType(dtype) for dtype, name in TYPE_NAMES.items() if dtype.kind != "c"
}


@method()
def new(input: Tensor, *args: Any) -> Tensor:
    """A tensor of the dtype of `input`, of sizes or of values.

    Example:
        >>> new(tensor([1.0]), [2, 3])
        tensor([2., 3.])
    """
    return TensorType(input.dtype)(*args)
