"""New tensors: from data, filled, counting, like another one, by PyTorch's oldest constructors."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, ShapeError
from glassgrad.core.primitive import constant
from glassgrad.core.tensor import Size, Tensor, wrap
from glassgrad.values import dtypes
from glassgrad.values.backend import asnumpy, device_of, is_array
from glassgrad.values.dtypes import DType, Number, as_dtype, get_default_dtype
from glassgrad.values.layers import Layer, fresh

from ._arguments import check_number, scalar_name, size_of
from ._declaring import FUNCTIONS, function, method
from ._making import array_from, checked_size, filled, made, number_of
from .conversion import to

# From data ----------------------------------------------------------------------------------------


@function()
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
    if is_array(data) and data.dtype == (as_dtype(dtype) if dtype is not None else data.dtype):
        return made(data, as_dtype(data.dtype), device or device_of(data), requires_grad=False)
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
    return made(ndarray, None, "cpu", requires_grad=False)


# Filled -------------------------------------------------------------------------------------------


@function()
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


@function()
def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones; see `zeros`.

    Example:
        >>> ones(2, dtype=int64)
        tensor([1, 1])
    """
    return filled("ones", size, 1, dtype, device, requires_grad)


@function()
def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose values are whatever was in memory; see `zeros`.

    Example:
        >>> empty(2, 3).shape
        glassgrad.Size([2, 3])
    """
    shape = checked_size("empty", size_of(size, "empty"))
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    return made(np.empty(shape, wanted), None, device, requires_grad)


@function()
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


@function()
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


@function()
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


@function()
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


# The same shape -----------------------------------------------------------------------------------


@function(numpy=(np.zeros_like,))
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


@function(numpy=(np.ones_like,))
def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones in the shape of `input`; see `zeros_like`.

    Example:
        >>> ones_like(tensor([3, 4]))
        tensor([1, 1])
    """
    return _like("ones_like", input, 1, dtype, device, requires_grad)


@function(numpy=(np.full_like,))
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


@function()
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


@method()
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


@method()
def new_ones(
    input: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones of another shape; see `new_zeros`.

    Example:
        >>> new_ones(tensor([1, 2]), 3)
        tensor([1, 1, 1])
    """
    return _new("new_ones", input, size, 1, dtype, device, requires_grad)


@method()
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


@method()
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


@method()
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
            return self._alias(given)
        if isinstance(given, (list, tuple)) and not isinstance(given, Size):
            return fresh(array_from(given, self.dtype))
        if is_array(given):
            return fresh(array_from(given, self.dtype))
        if given is not None and not isinstance(given, (int, np.integer, Size)):
            raise ArgumentTypeError(
                f"new(): data must be a sequence (got {type(given).__name__}). This constructor "
                "takes sizes or values. Write `tensor(value)` for a 0-d tensor."
            )
        sizes = size_of(args, "new") if args else (0,)
        return fresh(np.zeros(checked_size("new", sizes), self.dtype))

    def _alias(self, source: Tensor) -> Tensor:
        if source.dtype is not self.dtype:
            raise ArgumentTypeError(
                f"expected a tensor of dtype {self.dtype}, got {source.dtype}. This constructor "
                "shares memory and converts nothing. Write `x.to(dtype)`."
            )
        return wrap(source.payload)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is self.dtype

    def __repr__(self) -> str:
        return f"<class 'glassgrad.{scalar_name(self.dtype)}Tensor'>"


BoolTensor = TensorType(dtypes.bool_)
ByteTensor = TensorType(dtypes.uint8)
CharTensor = TensorType(dtypes.int8)
ShortTensor = TensorType(dtypes.int16)
IntTensor = TensorType(dtypes.int32)
LongTensor = TensorType(dtypes.int64)
HalfTensor = TensorType(dtypes.float16)
FloatTensor = TensorType(dtypes.float32)
DoubleTensor = TensorType(dtypes.float64)


FUNCTIONS.update({name: value for name, value in vars().items() if isinstance(value, TensorType)})


@method()
def new(input: Tensor, *args: Any) -> Tensor:
    """A tensor of the dtype of `input`, of sizes or of values.

    Example:
        >>> new(tensor([1.0]), [2, 3])
        tensor([2., 3.])
    """
    return TensorType(input.dtype)(*args)
