"""Writing into a tensor: `add_ sub_ mul_ div_ copy_ zero_ fill_`, `x += y` and `x[i] = y`.

While nothing is recorded, the array is written and its version counted. While the tape records,
the op runs out of place, its result is copied into the array, and the tensor takes the place of
the result in the graph: the old value's node is behind an edge, as if it had been another tensor.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad.core.backend import is_array
from glassgrad.core.dtypes import is_differentiable
from glassgrad.core.errors import (
    ArgumentTypeError,
    DTypeError,
    GlassgradError,
    GraphError,
    LeafWriteError,
    ShapeError,
)
from glassgrad.core.graph import move
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import about_to_write, modes, special, wrote
from glassgrad.core.tensor import LEAF, PLAIN, Tensor, wrap

from .arithmetic import Add, Div, Mul, Operand, Sub
from .arithmetic import mul as _mul

__all__ = ["add_", "copy_", "div_", "fill_", "mul_", "sub_", "zero_"]


def add_(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`input += alpha·other`.

    Args:
        input: tensor of shape `S`, written in place.
        other: a tensor that broadcasts to `S`, or a number.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if the result would have another shape than `input`.
        DTypeError: if the result's dtype does not fit into `input`.

    Example:
        >>> x = tensor([1.0, 2.0])
        >>> add_(x, 1)
        tensor([2., 3.])
    """
    return _update(Add, np.add, input, other if alpha == 1 else _mul(other, alpha))


def sub_(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`input -= alpha·other`; see `add_`.

    Example:
        >>> sub_(tensor([1.0, 2.0]), 1)
        tensor([0., 1.])
    """
    return _update(Sub, np.subtract, input, other if alpha == 1 else _mul(other, alpha))


def mul_(input: Tensor, other: Operand) -> Tensor:
    """`input *= other`; see `add_`.

    Example:
        >>> mul_(tensor([1.0, 2.0]), 3)
        tensor([3., 6.])
    """
    return _update(Mul, np.multiply, input, other)


def div_(input: Tensor, other: Operand) -> Tensor:
    """`input /= other`; see `add_`.

    Example:
        >>> div_(tensor([1.0, 2.0]), 4)
        tensor([0.2500, 0.5000])
    """
    return _update(Div, np.divide, input, other)


class Copy(Primitive):
    """z = y        dz = dy        x̄ = 0,  ȳ = z̄"""

    node = "CopyBackwards"
    latex = ("y", r"\dot y", r"\bar x = 0,\ \bar y = \bar z")
    broadcasts = True
    promotes = None

    @staticmethod
    def forward(x, y):
        return np.zeros_like(x) + y

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), grad


def copy_(input: Tensor, src: Tensor) -> Tensor:
    """Overwrite `input` with the values of `src`, converted to its dtype.

    Args:
        input: tensor of shape `S`, written in place.
        src: a tensor that broadcasts to `S`. Its gradient is that of `input` from now on.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError, ShapeError: as `add_`.

    Example:
        >>> copy_(tensor([0.0, 0.0]), tensor([1, 2]))
        tensor([1., 2.])
    """
    if not isinstance(src, Tensor):
        raise ArgumentTypeError(
            f"copy_(): argument 'other' must be Tensor, not {type(src).__name__}. "
            "Write `x.fill_(number)` for a number."
        )
    if not _records(input, src):
        return _write(input, "copy", lambda array: np.copyto(array, src.payload, casting="unsafe"))
    source = src if src.dtype is input.dtype else src.to(input.dtype)
    return _replace(input, Copy.apply(_as_it_is(Copy, input), source), "copy")


def fill_(input: Tensor, value: Any) -> Tensor:
    """Overwrite `input` with one number.

    Args:
        input: tensor of any shape, written in place.
        value: a number, or a 0-d tensor.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if `value` is a tensor with dims.

    Example:
        >>> fill_(tensor([1.0, 2.0]), 7)
        tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        if value.ndim:
            raise ShapeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value.ndim} dimensions. It writes one value everywhere. Write "
                "`x.copy_(values)`."
            )
        return copy_(input, value)
    if not _records(input):
        return _write(input, "fill", lambda array: array.fill(value))
    return _replace(input, _mul(_as_it_is(Mul, input), 0) + value, "fill")


def zero_(input: Tensor) -> Tensor:
    """Overwrite `input` with zeros; see `fill_`.

    Example:
        >>> zero_(tensor([1.0, 2.0]))
        tensor([0., 0.])
    """
    return fill_(input, 0)


def setitem(input: Tensor, index: Any, value: Any) -> None:
    """`input[index] = value`.

    Args:
        input: tensor, written in place.
        index: what `input[index]` takes.
        value: a number, or a tensor that broadcasts to `input[index]`.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        ShapeError: if `value` does not fit.
        GraphError: if a gradient would have to flow through the write.

    Example:
        >>> x = tensor([1.0, 2.0, 3.0])
        >>> x[1:] = 0
        >>> x
        tensor([1., 0., 0.])
    """
    if _records(input, value):
        _check_leaf(input, "setitem")
        raise GraphError(
            "x[index] = value cannot be recorded: "
            f"{'x' if input.requires_grad else 'the value'} requires grad. Write the tensor "
            "under no_grad(), or make a new one with where() or cat()."
        )
    place = tuple([_plain(i) for i in index]) if isinstance(index, tuple) else _plain(index)
    new = value.payload if isinstance(value, Tensor) else value
    if not (is_array(new) or isinstance(new, (bool, int, float, complex, np.generic))):
        raise ArgumentTypeError(
            f"can't assign a {type(value).__name__} to a tensor. "
            "Write `x[index] = glassgrad.tensor(values)`."
        )
    _write(input, "setitem", lambda array: array.__setitem__(place, new))


def _plain(index: Any) -> Any:
    return index.payload if isinstance(index, Tensor) else index


# What all of them share -------------------------------------------------------------------------


def _update(cls: type[Primitive], ufunc: Callable[..., Any], input: Tensor, other: Any) -> Tensor:
    """`input = cls(input, other)`, in the memory of `input`."""
    if not modes.grad and type(other) in PLAIN and _step(ufunc, input, other):
        return input
    if _records(input, other):
        return _replace(input, cls.apply(_as_it_is(cls, input), other), cls.__name__.lower())
    name = cls.__name__.lower()
    value = other.payload if isinstance(other, Tensor) else other
    array = input.payload
    if value.__class__ is array.__class__ and value.dtype is array.dtype:
        return _write(input, name, lambda array: ufunc(array, value, out=array))
    result = cls.apply(wrap(array), other)
    _check_fits(input, result, name)
    return _write(input, name, lambda array: np.copyto(array, result.payload, casting="unsafe"))


def _step(ufunc: Callable[..., Any], input: Tensor, other: Tensor) -> bool:
    """What an optimiser does, without the steps of `_write`; False if something is special."""
    array, value, cold = input.payload, other.payload, input.cold
    if special or array.dtype is not value.dtype or (cold is not None and cold.is_inference):
        return False
    try:
        ufunc(array, value, array)
    except (RuntimeWarning, FloatingPointError):
        pass  # computed all the same: inf and nan are results here
    except (ValueError, TypeError):
        return False  # nothing was written: `_write` says why
    input.wrote()
    return True


def _records(*tensors: Any) -> bool:
    """Whether the tape has to know of a write to the first from the others."""
    return modes.grad and any(isinstance(x, Tensor) and _in_graph(x) for x in tensors)


def _in_graph(x: Tensor) -> bool:
    """Whether `x` requires grad, or the tensor it is a view of does."""
    return x.edge is not None or (x._base is not None and x._base.edge is not None)


def _write(input: Tensor, name: str, write: Callable[[Any], Any]) -> Tensor:
    """Change the array; its version tells those who saved it."""
    if input.is_inference() and not modes.inference:
        raise GraphError(
            f"Inplace update to inference tensor outside InferenceMode is not allowed: {name}_ on "
            f"shape {list(input.shape)}. Nobody counts its versions. Write to `x.clone()`."
        )
    about_to_write(input)
    try:
        with np.errstate(all="ignore"):
            write(input.payload)
    except GlassgradError:
        raise
    except (ValueError, TypeError, IndexError) as error:
        raise _explained(input, name, error) from error
    if input.is_inference():
        wrote()
    else:
        input.wrote()
    return input


def _explained(input: Tensor, name: str, error: Exception) -> GlassgradError:
    shape = list(input.shape)
    if "read-only" in str(error):
        return GraphError(
            f"{name}_: the memory of this tensor of shape {shape} is read-only. It shares the "
            "array it was made from. Write to `x.clone()`."
        )
    if isinstance(error, TypeError):
        return DTypeError(
            f"{name}_: the result can't be cast to the desired output type {input.dtype}: {error}"
        )
    return ShapeError(
        f"{name}_: output with shape {shape} doesn't match the broadcast shape: {error}. "
        "A tensor keeps its shape when it is written. Write out of place: `y = x + …`."
    )


def _replace(input: Tensor, result: Tensor, name: str) -> Tensor:
    """Give `input` the values of `result` and its place in the graph."""
    _check_leaf(input, name)
    if input._is_view():
        raise GraphError(
            f"{name}_ on a view of another tensor (shape {tuple(input.shape)}) cannot be "
            "recorded. Its base would change with it. Write to `x.clone()`, or out of place: "
            "`y = x + …`."
        )
    _check_fits(input, result, name)
    about_to_write(input)
    np.copyto(input.payload, result.payload, casting="unsafe")
    input.wrote()
    move(input, result.edge)
    return input


def _check_leaf(input: Tensor, name: str) -> None:
    base = input._base
    if base is not None and base.edge is LEAF:
        raise LeafWriteError(
            "a view of a leaf Variable that requires grad is being used in an in-place "
            f"operation: {name}_ on shape {tuple(input.shape)}. The leaf would change with it. "
            "Write out of place, or wrap an optimiser step in no_grad()."
        )
    if input.edge is LEAF:
        raise LeafWriteError(
            "a leaf Variable that requires grad is being used in an in-place operation: "
            f"{name}_ on shape {tuple(input.shape)}. The tape would then hold values that never "
            "existed. Write out of place, or wrap an optimiser step in no_grad()."
        )


def _check_fits(input: Tensor, result: Tensor, name: str) -> None:
    if result.shape != input.shape:
        raise ShapeError(
            f"output with shape {list(input.shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}: {name}_ cannot enlarge a tensor. It writes into the "
            "memory that is there. Write out of place: `y = x + …`."
        )
    if is_differentiable(result.dtype) and not is_differentiable(input.dtype):
        raise DTypeError(
            f"result type {result.dtype} can't be cast to the desired output type "
            f"{input.dtype}: {name}_ would lose the fractions. A tensor keeps its dtype. "
            "Write out of place, or begin with `x.float()`."
        )


def _as_it_is(cls: type[Primitive], input: Tensor) -> Tensor:
    """`input` as the op may save it: its values are about to change, so it gets a snapshot."""
    _check_leaf(input, cls.__name__.lower())
    return wrap(input.payload.copy() if "self" in cls.saves else input.payload, input.edge)
