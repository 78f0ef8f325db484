"""What an op computes with: from tensors, arrays and numbers to values of one dtype and device.

PyTorch's promotion rules look at the operands as the user sees them. Arrays are brought to the
common dtype by `arrays_of`; tensors one level below a transform by `in_common_dtype`.
"""

import functools
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from glassgrad.core import errors
from glassgrad.core.primitive import apply_to_arrays, constant
from glassgrad.core.state import Shape, Values, plugs
from glassgrad.core.tensor import PLAIN, WRAPPERS, Size, Tensor, is_differentiable, whole

from .backend import backend_for, backend_of, cast, device_of, is_array
from .dtypes import NUMBERS, TYPE_NAMES, DType, as_dtype, get_default_dtype, result_dtype
from .layers import Layer, Wrapped, settled
from .tree import as_tuple


def payload_of(cls: type, given: Values, dtype: Any, device: Any) -> Any:
    """The array that a new tensor of class `cls` has, of whatever it is made of."""
    target = backend_for(device)
    only: Any = given[0] if len(given) == 1 else None
    wanted = None if dtype is None else as_dtype(dtype)
    if not given or isinstance(only, Size) or all(isinstance(n, Integral) for n in given):
        return target.asarray(np.zeros(only or given or 0, wanted or get_default_dtype()))
    data = only.payload if isinstance(only, Tensor) else only
    if WRAPPERS.get(data.__class__):
        raise errors.TransformError(
            f"{cls.__name__}(x) cannot take a tensor of shape {list(data.shape)} out of a "
            "transform: inside it is more than an array. Write `x.detach()`."
        )
    if isinstance(only, Tensor):  # it stays where it is, whatever the default device
        return (backend_of(data) if device is None else target).asarray(data, wanted)
    if not hasattr(data, "__len__") or isinstance(data, str):
        raise errors.ArgumentTypeError(
            f"new(): data must be a sequence (got {type(data).__name__}). {cls.__name__} takes "
            "values, or sizes as whole numbers. Write `glassgrad.tensor(value)` for a 0-d tensor."
        )
    return target.asarray(data, wanted or get_default_dtype())


def applied(cls: Any, operands: Values, parameters: dict[str, Any]) -> Any:
    """Apply an op to operands that are no plain tensors of one float dtype.

    They may have left their transform, compute ops by themselves, or have to be converted.
    """
    others = [x for x in operands if type(x) not in PLAIN and type(x) not in NUMBERS]
    if any(x.__class__ is Wrapped or isinstance(x, Layer) for x in others):
        return cls.apply(*[settled(x) for x in operands], **parameters)
    if any(hasattr(x, "__torch_function__") for x in others):
        found = plugs.subclasses.computed(cls, operands, parameters)
        if found is not NotImplemented:
            return found
    return apply_to_arrays(cls, operands, arrays_of(cls, operands), parameters)


# Arrays, at the bottom --------------------------------------------------------------------------


def arrays_of(cls: Any, operands: Values) -> Values:
    """The arrays behind the operands, on one device and, where the op wants it, of one dtype."""
    values = [
        x.payload if type(x) in PLAIN else _value(cls, x, position)
        for position, x in enumerate(operands)
    ]
    arrays = [v for v in values if is_array(v)]
    if not arrays:
        given = ", ".join([type(value).__name__ for value in values])
        raise errors.ArgumentTypeError(
            f"{cls.__name__.lower()}() received an invalid combination of arguments - got "
            f"({given}), and one of them must be Tensor. Ops compute on tensors. Write "
            "`glassgrad.tensor(value)`."
        )
    place = next((a for a in arrays if a.ndim), arrays[0])
    dtype = common_dtype(cls, values)
    if cls.kernel and dtype is not None and dtype.kind not in cls.kinds:
        raise no_kernel(f'"{cls.kernel}"', dtype, cls.kinds)
    alike = in_dtype(cls, values, dtype)
    return tuple([v if type(v) is type(place) else _move(v, place) for v in alike])


def no_kernel(name: str, dtype: DType, kinds: str, why: str = "") -> errors.KernelError:
    """The error for numbers of a kind that an op does not take.

    Args:
        name: who it is that is "not implemented for" them.
        why: says why, and what to write instead, if there is more to say than that.
    """
    usual = "Its values are fractions. Write `x.float()`."
    if "f" not in kinds:
        usual = "It is of whole numbers. Write `x.long()`."
    elif dtype.kind == "c":
        usual = "It is of real numbers. Write `x.real`."
    elif "i" in kinds:
        usual = "It is of numbers. Write `x.float()`."
    return errors.KernelError(f"{name} not implemented for {TYPE_NAMES[dtype]!r}. {why or usual}")


def _value(cls: Any, operand: Any, position: int) -> Any:
    """An array, or a Python number that is still to get its dtype."""
    if isinstance(operand, Tensor):
        return operand.payload
    if isinstance(operand, (bool, int, float, complex)) or is_array(operand):
        return operand
    if isinstance(operand, np.generic):
        return operand.item()
    raise errors.ArgumentTypeError(
        f"{cls.__name__.lower()}(): argument {position + 1} must be Tensor, not "
        f"{type(operand).__name__}. Ops compute on tensors and numbers. "
        "Write `glassgrad.tensor(values)`."
    )


def _move(value: Any, place: Any) -> Any:
    """A 0-d value of another device where `place` is, from the CPU; all others are a mistake."""
    if value.ndim == 0 and type(value) is np.ndarray:
        return backend_of(place).asarray(value)
    raise errors.DeviceError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{device_of(place)} and {device_of(value)}! An op computes where its operands are. "
        f"Write `x.to({str(device_of(place))!r})`."
    )


def broadcast_text(*shapes: Shape) -> str:
    """PyTorch's sentence for shapes that do not broadcast."""
    widest = max(map(len, shapes))
    padded = [(1,) * (widest - len(shape)) + tuple(shape) for shape in shapes]
    for dim in reversed(range(widest)):
        sizes = dict.fromkeys(shape[dim] for shape in padded if shape[dim] != 1)
        if len(sizes) > 1:
            a, b = list(sizes)[:2]
            return (
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                f"non-singleton dimension {dim}."
            )
    return "These shapes do not broadcast."


class TooLargeError(errors.GlassgradError, RuntimeError, MemoryError):
    """A result that has no room in memory."""


def too_large(error: Exception, name: str) -> Exception | None:
    """The error for what NumPy says of a size or another integer that is too large."""
    said = str(error)
    if isinstance(error, MemoryError):
        return TooLargeError(
            f"can't allocate memory: {name}() asked for a larger array than there is room for. "
            f"{said or 'Unable to allocate it'}. Write smaller sizes, or compute it in parts."
        )
    if isinstance(error, OverflowError) or said.startswith(_NO_SUCH_SIZE):
        return errors.RangeError(
            f"Overflow when unpacking long long: {name}() was given a number that is too large, "
            f"or sizes whose product is. {said.rstrip('.')}. Write smaller ones."
        )
    return None


_NO_SUCH_SIZE = "Maximum allowed dimension", "array is too big", "Maximum allowed size"
"""How NumPy's errors for sizes that no array has begin."""


def explained(cls: Any, error: Exception, values: Values) -> Exception:
    """The error to raise when `forward` failed with `error`, which may be none that an op tells."""
    if found := too_large(error, cls.__name__.lower()):
        return found
    known = isinstance(error, (ValueError, TypeError, IndexError))
    return cls.explain(error, values) if known else error


def explain(cls: Any, error: Exception, values: Values) -> Exception:
    """The error to raise when `forward` failed with `error` on `values`."""
    shapes = " and ".join(str(tuple(v.shape)) for v in values)
    name = cls.__name__.lower()
    if isinstance(error, ValueError) and cls.broadcasts:
        return errors.ShapeError(
            f"{broadcast_text(*[v.shape for v in values])} {name}() got the shapes {shapes}, and "
            "stretches only dims of size 1. Write `x.unsqueeze(dim)` or `x.reshape(…)` to line "
            "them up."
        )
    if isinstance(error, TypeError) and cls.kernel:
        return no_kernel(f'"{cls.kernel}"', values[0].dtype, cls.kinds)
    if isinstance(error, TypeError):
        dtypes = " and ".join(str(v.dtype) for v in values)
        return errors.KernelError(
            f"{name}() is not implemented for {dtypes}: {error}. "
            "Convert an operand, for example with `x.float()`."
        )
    if isinstance(error, IndexError):
        said = str(error).replace("for axis", "for dimension")
        return errors.DimError(
            f"{said}: {name}() got the shapes {shapes}. An index names places. Write indices "
            "from 0 up that are within the dim."
        )
    return errors.ShapeError(
        f"{name}() cannot take the shapes {shapes}: {error}. Reshape an operand."
    )


@functools.cache
def conjugating(cls: Any) -> Any:
    """The node class of an op on complex numbers: it conjugates what goes in and comes out."""

    def conjugates(values: Values) -> list[Any]:
        return [None if value is None else whole(np.conj(value)) for value in values]

    def backward(ctx: Any, *grads: Any) -> Any:
        return tuple(conjugates(as_tuple(cls.backward(ctx, *conjugates(grads)))))

    node_cls = cls._backward_cls
    return type(node_cls.__name__, (node_cls,), {"backward": backward, "__slots__": ()})


# Tensors, one level below a transform -----------------------------------------------------------


def common_dtype(cls: Any, operands: Sequence[Any]) -> DType | None:
    """What the op brings its operands to: Tensors, arrays and numbers; None if to nothing."""
    if cls.promotes is None:
        return None
    arrays: list[Any] = []
    numbers: list[Any] = []
    for x in operands[cls.promotes :]:
        own = x.payload if isinstance(x, Tensor) else x
        (arrays if is_array(own) else numbers).append(own)
    if said := getattr(cls, "no_bools", ""):
        are_bools = [x.dtype.kind == "b" for x in arrays] + [type(x) is bool for x in numbers]
        _refuse_bools(said, are_bools)
    dtype = result_dtype(arrays, numbers)
    return get_default_dtype() if cls.floating and not is_differentiable(dtype) else dtype


def _refuse_bools(said: str, which: list[bool]) -> None:
    if any(which):
        raise errors.DTypeError(said.format("two bool tensors" if all(which) else "a bool tensor"))


def in_dtype(cls: Any, operands: Sequence[Any], dtype: DType | None) -> Values:
    """Operands, some of them Tensors, as values of one dtype; numbers become 0-d arrays."""
    values = list(operands)
    first = len(values) if dtype is None else cls.promotes or 0
    for position, value in enumerate(values[first:], start=first):
        own = getattr(value, "payload", value)  # of a Tensor
        if not is_array(own):
            values[position] = constant(value, dtype)
        elif own.dtype is not dtype and own.dtype != dtype:
            values[position] = cast(value, dtype) if own is value else value.to(dtype)
    return tuple(values)


def in_common_dtype(cls: Any, operands: Values) -> Values:
    """Operands, some of them Tensors, as the values that the op's rules work with."""
    return in_dtype(cls, operands, common_dtype(cls, operands))
