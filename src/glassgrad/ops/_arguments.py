"""What ops do with the arguments they are given: dims, sizes and numbers, and PyTorch's words."""

import functools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from glassgrad.core import errors
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Names, Shape, Values
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.values.dtypes import TYPE_NAMES, DType, ends_of
from glassgrad.values.operands import no_kernel

Dims = int | Sequence[int] | None
Operand = Tensor | bool | int | float | complex
OpClass = type[Primitive]


def reduced(dim: Dims, ndim: int) -> Shape:
    """The dims to reduce over, counted from the front; None and () mean all of them.

    Raises:
        DimError: if one of them does not exist.
        ShapeError: if one of them comes twice.
    """
    dims = wrap_dims(None if names_none(dim) else dim, ndim)
    return dims if ndim else ()


def missing(name: str, **arguments: Any) -> errors.ArgumentTypeError:
    """The error for arguments that were not given: those that are `...`."""
    lacking = [f'"{argument}"' for argument, value in arguments.items() if value is ...]
    return errors.ArgumentTypeError(
        f"{name}() missing {len(lacking)} required positional arguments: {', '.join(lacking)}. "
        f"Nothing says along which dim. Write `{name}(x, dim=0, …)`."
    )


def dim_or_axis(dim: Any, axis: Any, default: Any) -> Any:
    """The dim, given under NumPy's name.

    Raises:
        ArgumentTypeError: if it is given under PyTorch's, too.
    """
    if dim != default:
        raise errors.ArgumentTypeError(
            f"got both dim={dim} and axis={axis}. They are two names of one argument. Write dim."
        )
    return axis


def scalar_name(dtype: DType) -> str:
    """PyTorch's name of an element type: "Float" for float32."""
    return TYPE_NAMES[dtype]


def not_a_tensor(name: str, *arguments: object) -> errors.ArgumentTypeError:
    """The error for the first of the arguments that is no tensor."""
    at, value = next(
        (at, value) for at, value in enumerate(arguments) if not isinstance(value, Tensor)
    )
    why = "Ops compute on tensors. Write `glassgrad.tensor(values)`."
    return _wrong_type(f"{name}(): argument {at} must be Tensor", value, why)


def require_tensor(name: str, value: object) -> None:
    """Raise ArgumentTypeError unless the op called `name` was given a tensor."""
    if not isinstance(value, Tensor):
        raise not_a_tensor(name, value)


def refuse_numbers(name: str, arguments: Names, *operands: object) -> None:
    """Raise ArgumentTypeError if one of the first operands of an op is a Python number.

    Args:
        arguments: how they are called.
    """
    for at, value in enumerate(operands):
        if value.__class__ in (bool, int, float, complex):
            argument = f"'{arguments[at]}' (position {at + 1})"
            why = "Numbers stand for tensors nowhere here. Write `glassgrad.tensor(value)`."
            raise _wrong_type(f"{name}(): argument {argument} must be Tensor", value, why)


def check_type(
    wanted: str,
    value: object,
    kinds: Any,
    why: str,
    error: type[errors.GlassgradError] = errors.ArgumentTypeError,
) -> None:
    """Raise an error unless an argument is of some kinds.

    Args:
        wanted: says of which, and whose argument it is.
        why: says why, and what to write instead.
        error: its class.
    """
    if not isinstance(value, kinds):
        raise error(_wrong_kind(wanted, value, why))


def check_choice(
    wanted: str,
    value: object,
    choices: Collection[Any],
    why: str,
    error: type[errors.GlassgradError] = errors.ArgumentError,
) -> None:
    """Raise an error unless an argument is one of some; the others as `check_type`."""
    if value not in choices:
        raise error(f"{wanted}, got {value!r}. {why}")


def check_kind(name: str, x: Any, kinds: str = "f", why: str = "") -> None:
    """Raise KernelError unless the dtype of `x` is of some kinds.

    Args:
        name: who it is that is "not implemented for" others.
        kinds: NumPy's letters of them, of "biufc".
        why: says why, and what to write instead; by itself that they are fractions, or real.
    """
    if x.dtype.kind not in kinds:
        raise no_kernel(name, x.dtype, kinds, why)


def check_dtypes(said: str, x: Tensor, y: Tensor, *, called: str = "source") -> None:
    """Raise unless both tensors have one dtype.

    Args:
        called: how the second one is called.
    """
    said += ", got {} and {}"
    what = "They must have the same scalar type: nothing is converted here, and all is"
    check_one_dtype(x, y, said, what, called=called)


def check_one_dtype(
    x: Tensor,
    y: Tensor,
    said: str,
    what: str = "A product is computed",
    names: Callable[[DType], str] = scalar_name,
    called: str = "y",
) -> None:
    """Raise DTypeError unless both tensors have one dtype.

    Args:
        said: what to say, with `{}` for the dtype of each.
        what: for what they need one.
        names: what a dtype is called.
        called: what the second one is called.
    """
    if y.payload.dtype is not x.payload.dtype:
        raise errors.DTypeError(
            f"{said.format(names(x.dtype), names(y.dtype))}. {what} in one precision. Write "
            f"`{called}.to(x.dtype)`."
        )


def check_shapes(said: str, x: Tensor, y: Tensor, why: str) -> None:
    """Raise unless both tensors have one shape."""
    if x.shape != y.shape:
        raise errors.ShapeError(
            f"{said}, got the shapes {list(x.shape)} and {list(y.shape)}. {why}"
        )


def check_long(said: str, index: Tensor) -> None:
    """Raise unless an index is int64."""
    if index.dtype.name != "int64":
        raise errors.DTypeError(
            f"{said} but got {scalar_name(index.dtype)}. It names places. Write `index.long()`."
        )


def check_vector(said: str, x: Tensor, why: str, *, or_number: bool = False) -> None:
    """Raise unless a tensor has one dim, or maybe none."""
    if x.ndim != 1 and not (or_number and not x.ndim):
        raise errors.ShapeError(f"{said} got shape {list(x.shape)}. {why} Write `x.flatten()`.")


def check_word(said: str, word: object, words: Collection[str], why: str) -> None:
    """Raise unless it is one of some words.

    Args:
        said: whose argument it is, and that it has to be one of them.
        why: says what they are for.
    """
    if word not in words:
        *first, last = words
        raise errors.ShapeError(f"{said} {', '.join(first)} or {last}, but got {word}. {why}")


def _wrong_type(wanted: str, value: object, why: str) -> errors.ArgumentTypeError:
    return errors.ArgumentTypeError(_wrong_kind(wanted, value, why))


def _wrong_kind(wanted: str, value: object, why: str) -> str:
    """The words, in which PyTorch's own `but got` is kept."""
    got = "" if wanted.endswith(" got") else ", not"
    return f"{wanted}{got} {type(value).__name__}. {why}"


def check_number(dtype: DType, value: Any) -> None:
    """Raise DTypeError for a number that a dtype has no room for."""
    if not _fits(dtype, value):
        raise errors.DTypeError(
            f"value cannot be converted to type {_C_NAMES[dtype.name]} without overflow: {value}. "
            "A tensor keeps its dtype. Write a number that it can hold, or to `x.to(dtype)`."
        )


def _fits(dtype: DType, value: Any) -> bool:
    """Whether there is room: unsigned integers take negative numbers too, and wrap around."""
    kind = dtype.kind
    if isinstance(value, (complex, np.complexfloating)):
        within = kind == "c" and all(_fits(dtype, part) for part in (value.real, value.imag))
        return kind == "b" or within
    if kind == "b" or (kind in "fc" and (value != value or abs(value) == math.inf)):
        return True
    low, high = _limits(dtype)
    return bool(low <= value <= high)  # False for nan


_C_NAMES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
    "float16": "c10::Half",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def c_name(dtype: DType) -> str:
    """C++'s name of an element type, which some messages use: "float" for float32."""
    return "long int" if dtype.name == "int64" else _C_NAMES.get(dtype.name, dtype.name)


@functools.cache
def _limits(dtype: DType) -> tuple[Any, Any]:
    if dtype.kind in "fc":
        high = float(np.finfo(dtype).max)
        return -high, high
    low, high = ends_of(dtype)
    return low or -high, high


def wrap_dim(dim: int, ndim: int) -> int:
    """A dim counted from the front; negative ones count from the end.

    Args:
        dim: from `-ndim` to `ndim - 1`; a 0-d tensor takes -1 and 0.

    Raises:
        DimError: if there is no such dim.
        ArgumentTypeError: if `dim` is no integer.
    """
    wanted, why = dim, "It is a position in the shape. Write dim=0 for the first."
    if type(dim) is not int:
        wanted = _index(dim, "a dim must be an int", why)
    count = ndim or 1
    if not -count <= wanted < count:
        raise errors.DimError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got "
            f"{wanted}). The tensor has {ndim} dims. Write dim=-1 for the last."
        )
    return wanted % count


def dim_there(dim: int, x: Tensor, why: str) -> int:
    """`wrap_dim`; but a 0-d tensor has none.

    Args:
        why: what needs one, and what to write instead.
    """
    at = wrap_dim(dim, x.ndim)
    if not x.ndim:
        raise errors.DimError(f"Dimension specified as {dim} but tensor has no dimensions. {why}")
    return at


def wrap_dims(dims: int | Iterable[int] | None, ndim: int) -> Shape:
    """Dims counted from the front, in the order given; None means all of them.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a dim is there twice.
    """
    if dims is None:
        return tuple(range(ndim))
    given: Any = dims
    if not isinstance(given, Iterable) or not getattr(given, "ndim", 1):  # a 0-d tensor is one dim
        return (wrap_dim(given, ndim),)
    wrapped = tuple([wrap_dim(dim, ndim) for dim in given])
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise errors.ShapeError(
                f"dim {dim} appears multiple times in the list of dims {list(wrapped)}. "
                "A dim can only be reduced once. Name each dim once."
            )
    return wrapped


def names_none(dims: Any) -> bool:
    """Whether dims are () or []. For most reductions that means all of them, for `any` none."""
    return isinstance(dims, (tuple, list)) and not dims


def int_of(value: Any, name: str, argument: str) -> int:
    """An argument that counts: an int, or what stands for one.

    Args:
        value: the argument.
        name: of the function, for the message.
        argument: how PyTorch calls it.

    Raises:
        ArgumentTypeError: if it is no integer.
    """
    return _index(
        value,
        f"{name}(): argument '{argument}' must be int",
        f"It counts elements or places. Write a whole number: `{argument}=1`.",
    )


def ints_of(values: Any, name: str, argument: str) -> Shape:
    """An argument that may be one int or several.

    Raises:
        ArgumentTypeError: if it is neither.
    """
    several = values if isinstance(values, (tuple, list)) else (values,)
    if set(map(type, several)) == {int}:  # nearly always
        return tuple(several)
    wanted = f"{name}(): argument '{argument}' must be tuple of ints"
    why = f"It counts places. Write `{argument}=1`, or a tuple."
    return tuple([_index(value, wanted, why) for value in several])


def size_of(sizes: Values, name: str, *, argument: str = "size") -> Shape:
    """The sizes meant by `f(2, 3)` or `f((2, 3))`.

    Args:
        sizes: the positional arguments.
        name: of the function, for the message.
        argument: how PyTorch calls the sizes.

    Raises:
        ArgumentTypeError: if they are no integers.
    """
    if not sizes:
        raise errors.ArgumentTypeError(
            f'{name}() missing 1 required positional arguments: "{argument}". '
            f"Write {name}(…, 2, 3), or () for no dims."
        )
    only = sizes[0]
    given = tuple(only) if len(sizes) == 1 and isinstance(only, (tuple, list)) else sizes
    if set(map(type, given)) == {int}:  # nearly always
        return given
    wanted = f"{name}(): argument '{argument}' must be tuple of ints"
    return tuple([_index(n, wanted, "A size counts elements. Write `int(n)`.") for n in given])


def _index(value: Any, wanted: str, why: str) -> int:
    """An int, or what stands for one. True is none: it is meant for a flag next to it.

    Raises:
        ArgumentTypeError: that says what is wanted, what it is, and why.
    """
    try:
        if value is True or value is False:
            raise TypeError
        return operator.index(value)
    except TypeError as error:
        raise _wrong_type(wanted, value, why) from error


def infer_size(size: Shape, numel: int) -> Shape:
    """`size` with its -1 replaced, for a tensor of `numel` elements.

    Raises:
        ShapeError: if no size, or more than one, fits.
    """
    if math.prod(size) == numel and min(size, default=0) >= 0:
        return size
    asked = list(size)
    for position, n in enumerate(size):
        if n < -1:
            raise errors.ShapeError(
                f"invalid shape dimension {n} at index {position} of shape {asked}. A size "
                "counts elements. Write -1 for the one that follows from the others."
            )
    if size.count(-1) > 1:
        raise errors.ShapeError(
            f"only one dimension can be inferred, got shape {asked}. Two unknown sizes have many "
            "solutions. Write one of them as a number."
        )
    known = math.prod([n for n in size if n != -1])
    if -1 not in size:
        raise _invalid(asked, numel)
    if known == 0 and numel == 0:
        raise errors.ShapeError(
            f"cannot reshape tensor of 0 elements into shape {asked} because the unspecified "
            "dimension size -1 can be any value and is ambiguous. Write it as a number."
        )
    if known == 0 or numel % known:
        raise _invalid(asked, numel)
    return tuple([numel // known if n == -1 else n for n in size])


def _invalid(asked: list[int], numel: int) -> errors.ShapeError:
    return errors.ShapeError(
        f"shape '{asked}' is invalid for input of size {numel}. A new shape holds the same "
        f"elements. Write sizes whose product is {numel}."
    )


def can_view(array: Any, size: Shape) -> bool:
    """Whether `array` takes the shape `size` (as many elements) without being copied.

    Neighbouring dims that lie in memory like one long dim form a *run*. A run may be divided
    anew; no new dim may reach over its end.
    """
    if array.flags.c_contiguous:
        return True
    runs: list[int] = []
    step = None  # in bytes, from the start of one row of the run to that of the next
    for n, stride in reversed(list(zip(array.shape, array.strides, strict=True))):
        if n == 1:
            continue
        if stride == step:
            runs[-1] *= n
        else:
            runs.append(n)
        step = stride * n
    left = 1
    for n in reversed(size):
        if left == 1 and n != 1:
            left = runs.pop(0)
        if left % n:
            return False
        left //= n
    return True


def expanded_size(size: Shape, shape: Shape, dtype: Any) -> Shape:
    """`size` with each -1 replaced by the size that is there.

    Raises:
        ShapeError: if a tensor of shape `shape` cannot be stretched to it.
    """
    new = len(size) - len(shape)
    if new < 0:
        raise errors.ShapeError(
            f"expand({dtype} tensor of shape {list(shape)}, size={list(size)}): the number of "
            f"sizes provided ({len(size)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({len(shape)}). Expanding adds dims and drops none. Write a size for "
            "each dim, -1 to keep it."
        )
    found = list(size)
    for dim, n in enumerate(size):
        if dim < new:
            if n < 0:
                raise errors.ShapeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, "
                    f"non-existing dimension {dim}. There is no size to keep. Write a number."
                )
            continue
        have = shape[dim - new]
        if n == -1:
            found[dim] = have
        elif n < 0 or have not in (1, n):
            raise errors.ShapeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({have}) at "
                f"non-singleton dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: "
                f"{list(shape)}. Only a dim of size 1 can be stretched."
            )
    return tuple(found)


def chosen_reduction(
    reduction: str,
    size_average: bool | None,
    reduce: bool | None,
    refusal: str = "is not a valid value for reduction",
) -> str:
    """The reduction; as its two flags say, if there are some: so PyTorch's older programs do.

    Args:
        refusal: PyTorch's words for one that is none.

    Raises:
        ArgumentError: for one that is none.
    """
    if size_average is not None or reduce is not None:
        named = {(True, True): "mean", (False, True): "sum"}
        reduction = named.get((size_average is not False, reduce is not False), "none")
        warn(
            "size_average and reduce args will be deprecated, please use "
            f"reduction='{reduction}' instead."
        )
    if reduction not in ("mean", "sum", "none"):
        raise errors.ArgumentError(
            f"{reduction} {refusal}. It says how many losses become one. Write 'mean', 'sum' or "
            "'none'."
        )
    return reduction
