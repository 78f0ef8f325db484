"""What ops do with the arguments they are given: dims, sizes and numbers, and PyTorch's words."""

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from glassgrad.core import errors
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn

from . import _checks as check

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
    if type(dims) is int:  # nearly always: to ask whether it is Iterable takes far longer
        return (wrap_dim(dims, ndim),)
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
        RangeError: if it does not fit in 64 bits.
    """
    try:
        if value is True or value is False:
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise check.wrong_type(wanted, value, why)
    if not -(2**63) <= number < 2**63:
        raise errors.RangeError(f"Overflow when unpacking long long: {wanted}, got {number}. {why}")
    return number


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


def turned(name: str, input: Tensor, why: str = "Write `x.conj()`.") -> Tensor:
    """Each matrix transposed; a 0-d tensor as it is, with a warning."""
    if not input.ndim:
        warn(f"{name} is deprecated on 0-D tensors: it changes nothing, or conjugates. {why}")
        return input
    said = f"{name} is only supported on matrices or batches of matrices. Got {{ndim}}-D tensor"
    check.ndim(said, input, 2, why)
    return input.transpose(-2, -1)
