"""What ops check of their arguments, each kind of check by its name, and PyTorch's words for it.

A check is given what to say, and why: PyTorch's sentence, in which `{}` stands for what was found,
and then ours, with what to write instead. The sentence is put together only where it is needed.
"""

import functools
import importlib
import math
import re
import typing
from collections.abc import Callable, Collection, Sequence
from types import UnionType
from typing import Any, TypeVar

import numpy as np

from glassgrad.core import errors
from glassgrad.core.state import Names, is_ours
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.values.dtypes import TYPE_NAMES, DType
from glassgrad.values.operands import no_kernel, too_large
from glassgrad.values.tree import several

F = TypeVar("F", bound=Callable[..., Any])


def scalar_name(dtype: DType) -> str:
    """PyTorch's name of an element type: "Float" for float32."""
    return TYPE_NAMES[dtype]


def not_a_tensor(name: str, **arguments: object) -> errors.ArgumentTypeError:
    """The error for the first of the arguments that is no tensor."""
    kinds = [isinstance(value, Tensor) for value in arguments.values()]
    at = kinds.index(False)
    return _not_a_tensor(name, *list(arguments.items())[at], at)


def _not_a_tensor(name: str, argument: str, value: object, at: int) -> errors.ArgumentTypeError:
    said = f"{name}(): argument '{argument}' (position {at + 1}) must be Tensor"
    return wrong_type(said, value, _instead(value))


def _instead(value: object) -> str:
    """Why something is no operand, and what to write instead."""
    if value is None:
        return "None holds no numbers. Let the function that it comes from `return` its result."
    if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        return "It has tensors in it. Write `x[0]` for one of them, or `glassgrad.stack(x)`."
    if callable(value):
        what = "class" if isinstance(value, type) else "function"
        return f"It is a {what}, which has results when it is called. Write `f(x)` for `f`."
    return "Ops compute on tensors. Write `glassgrad.tensor(values)`."


EXPLAINED = AttributeError, TypeError, MemoryError, OverflowError, ValueError
"""What Python and NumPy raise of arguments that nobody has looked at."""


def blamed(error: Any, name: str, function: Any) -> Exception:
    """The error to raise for one of a call: something stood for a tensor, or is too large, maybe.

    Args:
        error: what the call has raised; its arguments are in the frame that has caught it.
        function: says in its annotations what is to be a tensor.
    """
    if isinstance(error, errors.GlassgradError) or error.__traceback__ is None:
        return error
    if isinstance(error, (MemoryError, OverflowError, ValueError)):
        return too_large(error, name) or error
    frame = error.__traceback__.tb_frame
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
    return no_tensor_among(name, function, {each: frame.f_locals[each] for each in names}) or error


def no_tensor_among(name: str, function: Any, given: dict[str, Any]) -> Exception | None:
    """The error for the first argument of a call that ought to be a tensor and is none.

    Args:
        function: says in its annotations what is to be one.
        given: the arguments, by name.
    """
    for at, (argument, value) in enumerate(given.items()):
        wanted = function.__annotations__.get(argument)
        kinds = typing.get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
        classes = tuple([typing.get_origin(each) or each for each in kinds])
        if Tensor in classes and not isinstance(value, classes):
            return _not_a_tensor(name, argument, value, at)
        parts = value if isinstance(value, (list, tuple)) else ()
        for place, part in enumerate(parts if wanted == Sequence[Tensor] else ()):
            said = f"expected Tensor as element {place} in argument {at}, but got"
            if not isinstance(part, Tensor):
                return wrong_type(said, part, _instead(part))
    return None


def is_for_others(error: Exception, given: list[Any]) -> bool:
    """Whether a user's call failed because an argument is no tensor, but computes by itself."""
    frame = error.__traceback__ and error.__traceback__.tb_frame
    if frame is None or frame.f_back is None or is_ours[frame.f_back.f_code.co_filename]:
        return False
    return any(_is_other(x) for each in given for x in several(each))


def _is_other(value: Any) -> bool:
    return not isinstance(value, Tensor) and hasattr(type(value), "__torch_function__")


def answered(error: Exception) -> Any:
    """What the classes of the arguments make of such a call."""
    frame = error.__traceback__ and error.__traceback__.tb_frame
    return importlib.import_module("glassgrad.overrides").answered(frame)


def named(error: Exception) -> Exception:
    """The error, which also says what the names in the user's line stand for."""
    return importlib.import_module("glassgrad.reasons.calls").named(error)


def told(error: Exception, name: str = "", function: Any = None) -> None:
    """Let an error that was caught tell of the call, without the frame that has caught it.

    Args:
        name, function: as for `blamed`: they know which argument is no tensor.
    """
    frame = error.__traceback__ and error.__traceback__.tb_frame
    if frame and frame.f_back and not is_ours[frame.f_back.f_code.co_filename]:
        named(error)
    guess = _ARGUMENT_GUESSED.match(str(error))
    if guess is not None:
        found = blamed(TypeError().with_traceback(error.__traceback__), guess[2] or name, function)
        error.args = found.args or error.args
    importlib.import_module("glassgrad.reasons.tracebacks").without_first(error)


_ARGUMENT_GUESSED = re.compile(
    r"((.+)\(\): argument 'input' \(position 1\)|.+ argument \d+|.+ and one of them) must be Tensor"
)
"""What an error says of an argument that is no tensor, if it knows of its place at most."""


def briefly(function: F) -> F:
    """The function, in a frame that leaves few of ours in the tracebacks of its errors."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            told(error)
            raise

    return called  # type: ignore[return-value]  # it takes and returns the same


def tensor(name: str, value: object) -> None:
    """Raise ArgumentTypeError unless the op called `name` was given a tensor."""
    if not isinstance(value, Tensor):
        raise not_a_tensor(name, input=value)


def no_numbers(name: str, arguments: Names, *operands: object) -> None:
    """Raise ArgumentTypeError if one of the first operands of an op is a Python number.

    Args:
        arguments: how they are called.
    """
    for at, value in enumerate(operands):
        if value.__class__ in (bool, int, float, complex):
            raise _not_a_tensor(name, arguments[at], value, at)


def laid_out(x: Tensor, memory_format: Any) -> Tensor:
    """A new tensor in the order of memory that was asked for, if one was."""
    if memory_format is None or str(memory_format).endswith("preserve_format"):
        return x
    laid: Tensor = x.detach().contiguous(memory_format=memory_format)
    return laid.requires_grad_(x.requires_grad)


def old_order(name: str, factor: str) -> None:
    """Warn of a call that has the factor in front of the operands."""
    warn(
        f"This overload of {name} is deprecated: {factor} comes before the tensors. It is a "
        f"keyword since PyTorch 1.5. Write `x.{name}(…, {factor}={factor})`."
    )


def kind(
    wanted: str,
    value: object,
    kinds: Any,
    why: str,
    error: type[Exception] = errors.ArgumentTypeError,
) -> None:
    """Raise unless an argument is of some kinds.

    Args:
        wanted: says of which, and whose argument it is.
        why: says why, and what to write instead.
    """
    if not isinstance(value, kinds):
        raise error(_wrong_kind(wanted, value, why))


def kernel(name: str, x: Any, kinds: str = "f", why: str = "") -> None:
    """Raise KernelError unless the dtype of `x` is of some kinds.

    Args:
        name: who it is that is "not implemented for" others.
        kinds: NumPy's letters of them, of "biufc".
        why: says why, and what to write instead; by itself that they are fractions, or real.
    """
    if x.dtype.kind not in kinds:
        raise no_kernel(name, x.dtype, kinds, why)


def same_dtype(said: str, x: Tensor, y: Tensor, *, called: str = "source") -> None:
    """Raise unless both tensors have one dtype.

    Args:
        called: how the second one is called.
    """
    said += ", got {} and {}"
    what = "They must have the same scalar type: nothing is converted here, and all is"
    one_dtype(x, y, said, what, called=called)


def one_dtype(
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
            f"{said.format(names(x.dtype), names(y.dtype))}. {what} in one precision. "
            f"{to_one_dtype(x, y, called)}"
        )


def to_one_dtype(x: Tensor, y: Tensor, called: str = "y") -> str:
    """What to write, so that two tensors have one dtype: none loses digits, and no leaf changes.

    Args:
        called: what the second one is called.
    """
    y_holds_more = "biufc".index(y.dtype.kind) > "biufc".index(x.dtype.kind)
    if y_holds_more or (y.is_leaf and y.requires_grad and not x.requires_grad):
        return f"Write `x.to({called}.dtype)`."
    return f"Write `{called}.to(x.dtype)`."


def same_shape(said: str, x: Tensor, y: Tensor, why: str) -> None:
    """Raise unless both tensors have one shape."""
    if x.shape != y.shape:
        raise errors.ShapeError(
            f"{said}, got the shapes {list(x.shape)} and {list(y.shape)}. {why}"
        )


def ndim(
    said: str,
    x: Any,
    dims: int | Collection[int],
    why: str,
    error: type[Exception] = errors.ShapeError,
) -> None:
    """Raise unless a tensor has as many dims as it should.

    Args:
        said: what to say, with `{ndim}` and `{shape}` for what it has.
        dims: the fewest, or all numbers that will do.
        why: says why, and what to write instead.
    """
    if x.ndim < dims if isinstance(dims, int) else x.ndim not in dims:
        raise error(f"{said.format(ndim=x.ndim, shape=list(x.shape))}. {why}")


def dtype(
    said: str,
    x: Any,
    kinds: str | Names,
    why: str,
    error: type[Exception] = errors.DTypeError,
) -> None:
    """Raise unless a tensor has a dtype, or is one, that will do.

    Args:
        said: what to say, with `{dtype}`, or `{name}` as PyTorch calls it.
        kinds: NumPy's letters of the kinds that will do, of "biufc", or names of dtypes.
        why: says why, and what to write instead.
    """
    dtype = getattr(x, "dtype", x)
    if dtype.kind not in kinds and dtype.name not in kinds:
        name = TYPE_NAMES.get(dtype, dtype)
        raise error(f"{said.format(dtype=dtype, name=name)}. {why}")


def least(
    said: str, number: Any, least: float, why: str, error: type[Exception] = errors.ShapeError
) -> None:
    """Raise if a number, which stands in the place of `{}`, is less than the least that will do."""
    if number < least:
        raise error(f"{said.format(number)}. {why}")


def within(
    said: str,
    number: Any,
    low: float,
    high: float,
    why: str,
    error: type[Exception] = errors.ShapeError,
) -> None:
    """Raise unless a number, `{}`, lies between two others, `{low}` and `{high}`, or is one."""
    if not low <= number <= high:
        raise error(f"{said.format(number, low=low, high=high)}. {why}")


def equal(
    said: str, found: Any, wanted: Any, why: str, error: type[Exception] = errors.ShapeError
) -> None:
    """Raise unless two sizes, or shapes, are equal; they are shown as `{0}` and `{1}`."""
    if found != wanted:
        both = [list(each) if isinstance(each, tuple) else each for each in (found, wanted)]
        raise error(f"{said.format(*both)}. {why}")


def choice(
    wanted: str,
    value: object,
    choices: Collection[Any],
    why: str,
    error: type[Exception] = errors.ArgumentError,
) -> None:
    """Raise unless an argument is one of some.

    Args:
        wanted: names them, and whose argument it is; `{}` stands for what it is.
        why: says why, and what to write instead.
    """
    if value not in choices:
        said = wanted if "{" in wanted else wanted + ", got {!r}"
        raise error(f"{said.format(value)}. {why}")


def long(said: str, index: Tensor) -> None:
    """Raise unless an index is int64."""
    why = "It names places. Write `index.long()`."
    dtype(said + " but got {name}", index, ("int64",), why)


def vector(said: str, x: Tensor, why: str, *, or_number: bool = False) -> None:
    """Raise unless a tensor has one dim, or maybe none."""
    dims = (0, 1) if or_number else (1,)
    ndim(said + " got shape {shape}", x, dims, why + " Write `x.flatten()`.")


def wrong_type(wanted: str, value: object, why: str) -> errors.ArgumentTypeError:
    """The error for an argument of another kind than is wanted."""
    return errors.ArgumentTypeError(_wrong_kind(wanted, value, why))


def _wrong_kind(wanted: str, value: object, why: str) -> str:
    """The words, in which PyTorch's own `but got` is kept."""
    got = "" if wanted.endswith((" got", " got:", " Got")) else ", not"
    return f"{wanted}{got} {type(value).__name__}. {why}"


def number(dtype: DType, value: Any) -> None:
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


def ends_of(dtype: DType) -> tuple[Any, Any]:
    """The smallest and the largest element of a dtype; floats reach from -∞ to ∞."""
    if dtype.kind not in "biu":
        return -math.inf, math.inf
    if dtype.kind == "b":
        return False, True
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


_C_NAMES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
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
