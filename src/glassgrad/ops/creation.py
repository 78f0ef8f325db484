"""New tensors: from data, filled, counting, like another one, by PyTorch's oldest constructors."""

import builtins
import functools
import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from glassgrad.core import errors
from glassgrad.core.primitive import constant, silently
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Size, Tensor, whole, wrap
from glassgrad.memory.calls import warn
from glassgrad.values.backend import (
    CPU,
    CPU_BACKEND,
    asnumpy,
    backend_for,
    device_of,
    is_array,
)
from glassgrad.values.dtypes import (
    TYPE_NAMES,
    DType,
    Home,
    Number,
    as_dtype,
    dtype_of_number,
    get_default_dtype,
    int64,
    promote_types,
)
from glassgrad.values.layers import Wrapped, fresh
from glassgrad.values.operands import no_kernel

from . import _checks as check
from ._arguments import int_of, size_of
from ._declaring import FUNCTIONS, factory, function, method
from .conversion import to

# From data ----------------------------------------------------------------------------------------


@factory(new=True, out=False)
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
        warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than tensor(sourceTensor)."
        )
    new.pop("beside", None)  # its dtype and its device are there already
    place = data.device if isinstance(data, Tensor) else None
    array = array_from(data, None if dtype is None else as_dtype(dtype))
    return made(array, device=device or place, **new)


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
        return made(_shared(data), data.dtype, device=device)
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
        raise errors.ArgumentTypeError(
            f"expected np.ndarray (got {type(ndarray).__name__}). Only an array has memory to "
            "share. Write `tensor(data)`."
        )
    _supported(ndarray.dtype)
    if not ndarray.dtype.isnative:
        raise errors.ArgumentTypeError(
            f"given numpy array has byte order different from the native byte order: "
            f"{ndarray.dtype.str}. Its memory cannot be shared. Write `tensor(array)`."
        )
    if min(ndarray.strides, default=0) < 0:
        raise errors.ArgumentError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            f"strides are not currently supported: its strides are {ndarray.strides}. Make a copy "
            "of your array with array.copy()."
        )
    if not ndarray.flags.writeable:
        _warn_of_reading("NumPy array", "tensor(array)")
    return made(_shared(ndarray), ndarray.dtype, device=CPU)


def _shared(array: Any) -> Any:
    """An array as memory of a tensor, to which what lies before and behind does not belong."""
    is_part = isinstance(array, np.ndarray) and array.base is not None
    return np.asarray(memoryview(array)) if is_part else array


@function()
def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """A tensor of whatever holds numbers; its memory is shared where that is possible.

    Args:
        obj: a tensor, an array, nested sequences, a number, or what speaks DLPack or has a buffer.
        dtype, device: None: those of `obj`.
        copy: True: always; False: never; None: where it has to be.
        requires_grad: whether gradients are wanted; None: as of `obj`. False takes it out of its
            graph.

    Raises:
        ArgumentError: if nothing may be copied, and something has to be.

    Example:
        >>> x = tensor([1.0])
        >>> asarray(x) is x, asarray([1, 2])
        (True, tensor([1, 2]))

    See also: https://pytorch.org/docs/stable/generated/torch.asarray.html
    """
    source = obj
    if not isinstance(obj, Tensor) and not is_array(obj):
        if isinstance(obj, (bytes, bytearray, memoryview)):
            source = frombuffer(obj, dtype=dtype or get_default_dtype())
        elif hasattr(obj, "__dlpack__") and not isinstance(obj, np.generic):
            source = from_dlpack(obj)
    out = as_tensor(source, dtype=dtype, device=device)
    is_shared = out is source or (is_array(source) and np.shares_memory(out.payload, source))
    if copy is False and not (is_shared or source is not obj):
        raise errors.ArgumentError(
            f"can't alias {type(obj).__name__} with the arguments dtype={dtype}, device={device}. "
            "A tensor of another dtype or place has memory of its own. Write copy=None."
        )
    if copy and (is_shared or source is not obj):
        out = out.clone()
    if requires_grad is None or out.requires_grad == requires_grad:
        return out
    return out.requires_grad_() if requires_grad else out.detach()


@function()
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A tensor that shares the memory of a buffer, such as a `bytearray`.

    Args:
        buffer: an object with Python's buffer protocol.
        dtype: of the elements.
        count: how many of them; -1: all.
        offset: how many bytes to skip.
        requires_grad: whether gradients are wanted.

    Returns:
        Tensor of shape `(count,)`.

    Raises:
        ArgumentError: if the buffer has not so many bytes, or not of whole elements.

    Example:
        >>> frombuffer(bytearray(b"abc"), dtype=uint8)
        tensor([97, 98, 99], dtype=glassgrad.uint8)

    See also: https://pytorch.org/docs/stable/generated/torch.frombuffer.html
    """
    wanted, memory = as_dtype(dtype), memoryview(buffer)
    left = memory.nbytes - offset
    if offset < 0 or left <= 0 or count == 0 or count * wanted.itemsize > left:
        raise errors.ArgumentError(
            f"requested {count} elements of {wanted} from byte {offset} on: both buffer length "
            f"({memory.nbytes}) and count must not be 0, and the buffer has to hold them. Write "
            "smaller ones."
        )
    if count < 0 and left % wanted.itemsize:
        raise errors.ArgumentError(
            f"buffer length ({memory.nbytes} bytes) after offset ({offset} bytes) must be a "
            f"multiple of element size ({wanted.itemsize}). Write count=… to leave the rest."
        )
    if memory.readonly:
        _warn_of_reading("buffer", "frombuffer(bytearray(buffer), …)")
    return made(
        np.frombuffer(buffer, wanted, count, offset), device=CPU, requires_grad=requires_grad
    )


def _warn_of_reading(given: str, copied: str) -> None:
    warn(
        f"The given {given} is not writable: writing to the tensor will fail. Write `{copied}` for "
        "a copy."
    )


@factory(out=False)
def scalar_tensor(s: Number, *, dtype: Any = None, **new: Any) -> Tensor:
    """A 0-d tensor of a number, in the default dtype.

    Example:
        >>> scalar_tensor(2)
        tensor(2.)
    """
    return filled("scalar_tensor", ((),), s, dtype=dtype, **new)


_CPU_DEVICE_TYPE = 1  # in DLPack's numbers


@function()
def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor that shares the memory of another library's array or tensor.

    Args:
        ext_tensor: an object with `__dlpack__` and `__dlpack_device__`.

    Returns:
        A leaf.

    Raises:
        ArgumentTypeError: if it does not speak the protocol, or holds no numbers.

    Example:
        >>> import numpy as np
        >>> from_dlpack(np.array([1.0, 2.0]))
        tensor([1., 2.], dtype=glassgrad.float64)
    """
    if not hasattr(ext_tensor, "__dlpack__") or not hasattr(ext_tensor, "__dlpack_device__"):
        raise errors.ArgumentTypeError(
            f"from_dlpack() takes an object with __dlpack__ and __dlpack_device__, got "
            f"{type(ext_tensor).__name__}. It says where its memory is. Write `tensor(data)`."
        )
    on_cpu = int(ext_tensor.__dlpack_device__()[0]) == _CPU_DEVICE_TYPE
    backend = CPU_BACKEND if on_cpu else backend_for("cuda")
    array = backend.xp.from_dlpack(ext_tensor)
    _supported(array.dtype)
    return fresh(array)


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
def empty(*size: Any, memory_format: Any = None, **new: Any) -> Tensor:
    """A tensor whose values are whatever was in memory; see `zeros`.

    With `memory_format=channels_last` the dim of channels lies innermost.

    Example:
        >>> empty(2, 3).shape
        glassgrad.Size([2, 3])
        >>> empty_like(tensor([1, 2])).dtype
        glassgrad.int64
    """
    return check.laid_out(filled("empty", size, None, **new), memory_format)


@factory(new=True, out=False)
def empty_strided(size: Sequence[int], stride: Sequence[int], **new: Any) -> Tensor:
    """A tensor of whatever was in memory, with such strides.

    Args:
        size: its sizes.
        stride: how many elements of memory lie between neighbours along each dim.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        A leaf.

    Raises:
        ShapeError: if there are not as many sizes as strides, or one is negative.

    Example:
        >>> empty_strided((2, 3), (1, 2)).stride()
        (1, 2)

    See also: https://pytorch.org/docs/stable/generated/torch.empty_strided.html
    """
    sizes = checked_size("empty_strided", (tuple(size),))
    steps = size_of((tuple(stride),), "empty_strided", argument="stride")
    said = "dimensionality of sizes ({0}) must match dimensionality of strides ({1})"
    check.equal(said, len(sizes), len(steps), "Each dim has one of both. Write one for each.")
    if min(steps, default=0) < 0:
        raise errors.ShapeError(
            f"Storage size calculation overflowed with sizes={list(sizes)} and "
            f"strides={list(steps)}. Memory is walked forwards. Write strides from 0 on."
        )
    reach = sum([(n - 1) * step for n, step in zip(sizes, steps, strict=True)])
    wanted = as_dtype(new.pop("dtype") or get_default_dtype())
    memory = np.empty(0 if 0 in sizes else 1 + reach, wanted)
    array = CPU_BACKEND.strided(memory, sizes, steps, 0)
    return made(array, like=new.pop("beside", None), **new)


@factory(like=True, new=True)
def full(size: Sequence[int], fill_value: Number | Tensor, **new: Any) -> Tensor:
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
    wanted = "full(): argument 'size' (position 1) must be tuple of ints"
    check.kind(wanted, size, (tuple, list), "Write `full((n,), value)`.")
    value, own = number_of("full", fill_value)
    if isinstance(fill_value, float):  # np.float64 is one
        own = get_default_dtype()
    return filled("full", (size,), value, dtype=new.pop("dtype") or own, **new)


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
    wanted = None if dtype is None else as_dtype(dtype)
    if wanted is not None and wanted.kind in "bc":
        raise no_kernel('"arange_cpu"', wanted, "iuf", "It counts. Write `arange(n).to(dtype)`.")
    if wanted == int64 and all(map(math.isfinite, (first, last, by))):
        first, last, by = int(first), int(last), int(by)
    whole = all(isinstance(value, int) for value in (first, last, by))
    if not (math.isfinite(first) and math.isfinite(last)):
        raise errors.ShapeError(
            f"unsupported range: {first} -> {last}. It has no end. Write finite numbers."
        )
    if by == 0:
        is_cut = step != 0  # to a whole number
        raise (errors.ArgumentError if is_cut else errors.ShapeError)(
            f"step must be nonzero, got {by}. The end would never be reached. Write 1 or -1."
        )
    if (last - first) * by < 0:
        raise errors.ShapeError(
            "upper bound and lower bound inconsistent with step sign: "
            f"arange({first}, {last}, {by}). Such steps lead away from the end. Write step={-by}."
        )
    count = int(-(-(last - first) // by)) if whole else math.ceil((last - first) / by)
    default = np.dtype("int64") if whole else get_default_dtype()
    steps: Any = np.arange(count, dtype=np.int64 if whole else np.float64)
    if wanted is not None and wanted.kind in "iu":  # such steps have no fractions, either
        first, by = int(first), int(by)
    return made(first + by * steps, wanted or default, **new)


@factory()
def range(start: Any, end: Any, step: Any = 1, *, dtype: Any = None, **new: Any) -> Tensor:
    """The numbers `start, start + step, …`, with `end`: what PyTorch had before `arange`.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     range(1, 3)
        tensor([1., 2., 3.])
    """
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Instead, use torch.arange, which produces "
        "values in [start, end)."
    )
    first, last, by = [_real("range", value) for value in (start, end, step)]
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    behind: Any = last
    if wanted.kind in "iu":
        behind = int(last) + (1 if by > 0 else -1)
    elif by:
        behind = first + (math.floor((last - first) / by) + 0.5) * by
    return arange(first, behind, by, dtype=wanted, **new)


def _real(name: str, value: Any) -> int | float:
    number, _ = number_of(name, value)
    if isinstance(number, complex):
        raise errors.ArgumentTypeError(
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
    said = "number of steps must be non-negative, got {}"
    check.least(said, count, 0, "It counts elements. Write a number from 0 up.")
    dims = [end.ndim if isinstance(end, Tensor) else 0 for end in (start, end)]
    if any(dims):
        raise errors.ShapeError(
            "linspace only supports 0-dimensional start and end tensors, but got start with "
            f"{dims[0]} dimension(s) and end with {dims[1]} dimension(s). A row of numbers has one "
            "first and one last. Write `start[0]`."
        )
    first, last = _real("linspace", start), _real("linspace", end)
    wanted = as_dtype(dtype or get_default_dtype())
    if wanted.kind in "iu":  # such ends have no fractions, either
        first, last = int(first), int(last)
    if wanted.kind != "f" or count < 2:
        return made(np.linspace(first, last, count), wanted, **new)
    step = wanted.type(last - first) / wanted.type(count - 1)  # as PyTorch, from both ends
    here = np.arange(count)
    from_first, from_last = first + float(step) * here, last - float(step) * here[::-1]
    return made(np.where(here < count // 2, from_first, from_last), wanted, **new)


@factory()
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, **new: Any) -> Tensor:
    """Powers of `base` whose exponents lie at equal distances, from `start` to `end`.

    Args:
        start, end: the first and the last exponent.
        steps: how many; as `linspace`.
        base: what is raised to them.
        dtype: None: the default dtype.
        device, requires_grad: as `tensor`.

    Returns:
        Tensor of shape `(steps,)`.

    Example:
        >>> logspace(0, 2, 3)
        tensor([  1.,  10., 100.])
    """
    exponents = linspace(start, end, steps, dtype=np.dtype(np.float64))
    return made(base**exponents.payload, new.pop("dtype") or get_default_dtype(), **new)


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
    rows, columns = [int_of(each, "eye", "n") for each in (n, n if m is None else m)]
    if rows < 0 or columns < 0:
        raise errors.ShapeError(
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
            if given.dtype != self.dtype:
                raise errors.ArgumentTypeError(
                    f"expected a tensor of dtype {self.dtype}, got {given.dtype}. This constructor "
                    "shares memory and converts nothing. Write `x.to(dtype)`."
                )
            return wrap(given.payload)
        if isinstance(given, builtins.range):
            given = list(given)
        if is_array(given) or (isinstance(given, (list, tuple)) and not isinstance(given, Size)):
            return fresh(array_from(given, self.dtype))
        if given is not None and not isinstance(given, (int, np.integer, Size)):
            raise errors.ArgumentTypeError(
                f"new(): data must be a sequence (got {type(given).__name__}). This constructor "
                "takes sizes or values. Write `tensor(value)` for a 0-d tensor."
            )
        return filled("new", args or (0,), 0, dtype=self.dtype)

    def __or__(self, other: Any) -> Any:
        """`LongTensor | None`, as an annotation."""
        return Tensor | other

    __ror__ = __or__

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == self.dtype

    def __repr__(self) -> str:
        return f"<class '{Home.name}.{TYPE_NAMES[self.dtype]}Tensor'>"


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


# What they are made of ----------------------------------------------------------------------------


_MAX_DIMS = 64
_NUMBERS = (bool, int, float, complex)


def array_from(data: Any, dtype: DType | None) -> Any:
    """A new array of the values of `data`.

    Args:
        data: a number, an array, a tensor, or nested sequences of numbers.
        dtype: None: floats become the default dtype, ints int64, bools bool; arrays keep theirs.

    Raises:
        ArgumentError: for ragged sequences, or a number that does not fit.
        ArgumentTypeError, DTypeError: for anything but numbers.
    """
    if isinstance(data, Tensor):
        data = asnumpy(data.payload) if isinstance(data, Wrapped) else data.payload
    if is_array(data) or isinstance(data, np.generic):
        return _from_array(data, dtype)
    shape, flat = _flattened(data)
    if flat and all(isinstance(item, np.ndarray) for item in flat):
        return _from_array(_stacked(flat, shape), dtype)
    found = _inferred(flat)
    values = [item.item() if isinstance(item, Tensor) else item for item in flat]
    return _filled(values, found if dtype is None else dtype).reshape(shape)


def _from_array(array: Any, dtype: DType | None) -> Any:
    kept = _supported(array.dtype)
    return whole(array.astype(kept if dtype is None else dtype))


@functools.cache
def _supported(dtype: Any) -> DType:
    """The dtype of a tensor that holds such elements, or an error: there is none."""
    if dtype.kind not in "biufc":
        raise errors.ArgumentTypeError(
            f"can't convert np.ndarray of type {dtype.type.__module__}.{dtype.type.__name__}. "
            "A tensor holds numbers. Write `array.astype(np.float32)` if these are some."
        )
    return as_dtype(dtype.newbyteorder("=").name)


# Nested sequences ---------------------------------------------------------------------------------


def _flattened(data: Any) -> tuple[Shape, list[Any]]:
    """The shape of nested sequences, and their elements row by row."""
    shape: list[int] = []
    flat = [data]
    while rows := [item for item in flat if _is_sequence(item)]:
        dim, length = len(shape), len(rows[0])
        for item in flat:
            if not _is_sequence(item):
                raise errors.ArgumentTypeError(
                    f"not a sequence: numbers and sequences are mixed at dim {dim}, got a "
                    f"{type(item).__name__} beside a sequence of length {length}. All rows have "
                    "one shape. Write nested lists of equal lengths."
                )
            if len(item) != length:
                raise errors.ArgumentError(
                    f"expected sequence of length {length} at dim {dim} (got {len(item)}). All "
                    "rows have one shape. Pad the shorter ones, or keep a list of tensors."
                )
        if dim == _MAX_DIMS:
            raise errors.ArgumentError(
                f"too many dimensions: the data is nested more than {_MAX_DIMS} times. Does a "
                "list contain itself?"
            )
        shape.append(length)
        flat = list(chain.from_iterable(flat))
    return tuple(shape), flat


def _is_sequence(item: Any) -> bool:
    if isinstance(item, (str, bytes, Tensor, np.ndarray, dict, set)):
        return False
    return hasattr(item, "__len__") and hasattr(item, "__getitem__")


def _stacked(arrays: list[Any], shape: Shape) -> Any:
    try:
        return np.stack(arrays).reshape(shape + arrays[0].shape)
    except ValueError:
        raise errors.ArgumentError(
            f"expected arrays of one shape at dim {len(shape)}, got "
            f"{sorted({array.shape for array in arrays})}. A tensor is no ragged list. Pad the "
            "smaller ones, or keep a list of tensors."
        )


# The dtype ----------------------------------------------------------------------------------------


def _inferred(flat: list[Any]) -> DType:
    """The dtype that holds all of the elements."""
    if not flat:
        return get_default_dtype()
    one_each = {type(item): item for item in flat}  # the class of a number says all
    has_arrays = any(issubclass(cls, (Tensor, np.ndarray)) for cls in one_each)
    return functools.reduce(promote_types, map(_kind, flat if has_arrays else one_each.values()))


def _kind(item: Any) -> DType:
    if isinstance(item, np.generic):
        return _supported(item.dtype)
    if isinstance(item, _NUMBERS):
        return dtype_of_number(item)
    if isinstance(item, Tensor):
        if item.numel() != 1:
            raise errors.ArgumentError(
                "only one element tensors can be converted to Python scalars: the list holds a "
                f"tensor of shape {list(item.shape)}. Its gradient would be lost. Write "
                "`stack(tensors)`."
            )
        if item.requires_grad:
            warn(
                "Converting a tensor with requires_grad=True to a scalar: the new tensor will not "
                "pass a gradient on. Write `stack(tensors)`, or `x.detach()` if that is meant."
            )
        return item.dtype
    if isinstance(item, np.ndarray) and not item.ndim:
        return _supported(item.dtype)
    name = type(item).__name__
    if isinstance(item, (str, bytes)):
        raise errors.ArgumentTypeError(
            f"new(): invalid data type '{name}': {item!r}. A tensor holds numbers. Write "
            "`float(text)` for a number in a text."
        )
    remedy = "Write `tensor(list(values))` for an iterator."
    if item is None:
        remedy = "Let the function that None comes from `return` its result."
    raise errors.DTypeError(
        f"Could not infer dtype of {name}. A tensor is made of numbers, arrays or nested lists of "
        f"numbers. {remedy}"
    )


def _filled(values: list[Any], dtype: DType) -> Any:
    try:
        return silently(np.array, values, dtype)
    except OverflowError as error:
        wide = np.array(values)
        if (
            dtype.kind == "u"
            and wide.dtype.kind == "i"
            and np.abs(wide).max() <= check.ends_of(dtype)[1]
        ):
            return wide.astype(dtype)  # negative numbers wrap around
        raise errors.RangeError(
            f"value cannot be converted to type {dtype} without overflow; Overflow when unpacking "
            f"long long: {error}. {dtype} has no room for it. Write a "
            "float, or choose a larger dtype."
        )
    except (TypeError, ValueError) as error:
        raise errors.RangeError(
            f"the values cannot become {dtype}: {error}. Leave dtype out, or convert them first."
        )


def made(
    array: Any,
    dtype: Any = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    like: Tensor | None = None,
) -> Tensor:
    """A leaf around `array`, brought to a dtype (None: as it is) and a device.

    Args:
        device: None: where it is, or that of new tensors for an array of NumPy's.

    Raises:
        DTypeError: if it is to require grad and is neither float nor complex.
    """
    if device is None and not isinstance(array, np.ndarray):
        device = device_of(array)
    array = backend_for(device).asarray(array, array.dtype if dtype is None else as_dtype(dtype))
    return fresh(array, requires_grad=requires_grad, like=like)


def number_of(name: str, value: Any) -> tuple[Number, DType]:
    """The number meant by a number or a 0-d tensor, and its dtype."""
    if isinstance(value, Tensor) and not value.ndim and not value.requires_grad:
        return value.item(), value.dtype
    if isinstance(value, np.generic):
        return value.item(), as_dtype(value.dtype)
    if isinstance(value, (bool, int, float, complex)):
        return value, dtype_of_number(value)
    raise errors.ArgumentTypeError(
        f"{name}(): argument 'fill_value' must be Number, not {type(value).__name__}. A filled "
        "tensor passes no gradient on to it. Write `x.item()`, or `x.expand(size)`."
    )


def filled(
    name: str,
    size: Values,
    value: Number | None,
    *,
    dtype: Any = None,
    like: Tensor | None = None,
    beside: Tensor | None = None,
    **new: Any,
) -> Tensor:
    """A leaf of one number everywhere; None: of whatever was in memory.

    Args:
        like: a tensor that it matches, also in how it lies in memory.
        beside: a tensor that it matches but for its size.
    """
    wanted, maker = as_dtype(dtype or get_default_dtype()), backend_for(new.get("device")).maker
    if like is not None:
        array = maker.empty_like(form_of(like.payload), wanted)
    else:
        sizes = checked_size(name if beside is None else f"new_{name}", size)
        array = maker.empty(sizes, wanted) if value is None else maker.zeros(sizes, wanted)
    if value is not None:
        check.number(wanted, value)
        if value or isinstance(value, float) or like is not None:  # -0.0 is not the memory's zero
            array.fill(constant(value, wanted) if value else value)
    return made(array, like=beside if like is None else like, **new)


def form_of(array: Any) -> Any:
    """A NumPy array of the same form, its elements in the same order; what they are is unknown."""
    if isinstance(array, np.ndarray):
        return array
    return np.lib.stride_tricks.as_strided(np.empty((), array.dtype), array.shape, array.strides)


def checked_size(name: str, sizes: Values, argument: str = "size") -> Shape:
    """The size of a new tensor, meant by `f(2, 3)` or `f((2, 3))`.

    Raises:
        ShapeError: for negative numbers.
        ArgumentTypeError: for anything but integers.
    """
    size = size_of(sizes, name, argument=argument)
    if min(size, default=0) < 0:
        raise errors.ShapeError(
            f"{name}: Trying to create tensor with negative dimension {min(size)}: {list(size)}. "
            "A size counts elements: Dimension size must be non-negative."
        )
    return size
