"""How a tensor is written: what `x.add_(y)`, `x += y` and `x[i] = y` share.

While nothing is recorded, the array is written and its version counted. While the tape records,
the op runs out of place, its result is copied into the array, and the tensor takes the place of
the result in the graph: the old value's node is behind an edge, as if it had been another tensor.
What that means for views is told in `memory/views.py`.
"""

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from glassgrad.core.errors import (
    DimError,
    DTypeError,
    GlassgradError,
    GraphError,
    LeafWriteError,
    ShapeError,
)
from glassgrad.core.graph import edge_of
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import about_to_write, here, is_recording, modes, special, wrote
from glassgrad.core.tensor import PLAIN, Tensor, wrap
from glassgrad.levels.duals import forward_moves, tangent_of
from glassgrad.levels.level import level_below
from glassgrad.memory.views import check_made, move, relocate
from glassgrad.values.layers import Layer

from ._overlap import check_apart, check_memory
from ._prepared import Prepared
from ._texts import scalar_name

__all__ = [
    "check_dtype",
    "check_writable",
    "check_write",
    "in_place",
    "must_follow",
    "put",
    "records",
    "reshaped_in_place",
    "update",
    "write",
    "write_prepared",
]


def in_place(
    cls: type[Primitive],
    input: Tensor,
    *others: Any,
    at: int = 0,
    may_overlap: bool = False,
    **parameters: Any,
) -> Tensor:
    """`input = cls(input, *others, **parameters)`, in the memory of `input`: any op in place.

    Args:
        cls: an op whose result has the shape of `input`.
        others: its other operands, and `parameters`.
        at: which of its operands is `input`.
        may_overlap: whether it does no harm that elements share memory: they get one value.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad, or a view of one, and the tape
            records.
        GraphError: if it is a view that was made where it may not be written.
        ShapeError, DTypeError: if the result does not fit.
    """
    name = _name(cls)
    if special and (below := level_below(name, input, *others)):
        with below:
            return in_place(cls, input, *others, at=at, may_overlap=may_overlap, **parameters)
    for other in others:
        check_apart(input, other, name)
    if must_follow(input, *others):
        before = as_it_is(cls, input, *others, may_overlap=may_overlap)
        result = cls.apply(*others[:at], before, *others[at:], **parameters)
        return replace(input, result, name, at - (cls.differentiates.start or 0))
    result = cls.apply(*others[:at], _before(input), *others[at:], **parameters)
    check_fits(input, result, name)
    return write(input, name, lambda _: put(input, result.payload), may_overlap=may_overlap)


def write_prepared(call: Prepared) -> Tensor:
    """An op that was checked, in the memory of the tensor it belongs to."""
    input = call.operands[call.at]
    if call.is_without_dims():
        call = call.with_a_dim()
    operands, at = call.operands, call.at
    others = (*operands[:at], *operands[at + 1 :])
    in_place(call.op, operands[at], *others, at=at, **call.parameters)
    return input


def reshaped_in_place(cls: type[Primitive], input: Tensor, **parameters: Any) -> Tensor:
    """`input = cls(input, **parameters)`, where `cls` shows the same memory in another shape.

    Raises:
        LeafWriteError, GraphError: as `in_place`.
    """
    name = _name(cls)
    if special and (below := level_below(name, input)):
        with below:
            return reshaped_in_place(cls, input, **parameters)
    recorded = records(input)
    if recorded:
        check_writable(input, name)
    _check_inference(input, name)
    before = wrap(input.payload, edge_of(input) if recorded else None)
    moves = special and forward_moves((input,))
    if moves:
        modes.duals.hang(before, modes.duals.tangent(input))
    result = cls.apply(before, **parameters)
    input.payload = result.payload
    if moves:
        modes.duals.hang(input, modes.duals.tangent(result))
    if input.is_inference():
        wrote()
        return input
    input.wrote()
    if recorded:
        relocate(input, result.edge)
        input._tell_views()
        input.cold_side().seen = input.version_counter().count
    return input


@functools.cache
def _name(cls: type[Primitive]) -> str:
    """The name of an op's function: index_add for IndexAdd."""
    return re.sub(r"\B(?=[A-Z])", "_", cls.__name__).lower()


def update(cls: type[Primitive], ufunc: Callable[..., Any], input: Tensor, other: Any) -> Tensor:
    """`input = cls(input, other)`, in the memory of `input`."""
    if not modes.grad and type(other) in PLAIN and _step(ufunc, input, other):
        return input
    name = _name(cls)
    if special and (below := level_below(name, input, other)):
        with below:
            return update(cls, ufunc, input, other)
    check_apart(input, other, name)
    if must_follow(input, other):
        return replace(input, cls.apply(as_it_is(cls, input, other), other), name)
    value = other.payload if isinstance(other, Tensor) else other
    array = input.payload
    is_plain = value.__class__ is array.__class__ and not isinstance(array, Layer)
    if is_plain and value.dtype is array.dtype:
        return write(input, name, lambda array: ufunc(array, value, out=array))
    result = cls.apply(_before(input), other)
    check_fits(input, result, name)
    return write(input, name, lambda _: put(input, result.payload))


def put(input: Tensor, values: Any) -> None:
    """Write the values of a payload into the memory of `input`, unchecked."""
    if isinstance(input.payload, Layer):
        input.payload.assign(input, values)
    else:
        np.copyto(input.payload, values, casting="unsafe")


def _step(ufunc: Callable[..., Any], input: Tensor, other: Tensor) -> bool:
    """What an optimiser does, without the steps of `write`; False if something is special."""
    array, value, cold = input.payload, other.payload, input.cold
    if special or array.dtype is not value.dtype or 0 in array.strides:
        return False
    beside = other.cold
    if cold is not None and (
        cold.is_inference or (beside is not None and beside.version is cold.version)
    ):
        return False  # of one storage: they may overlap in part
    try:
        ufunc(array, value, array)
    except (RuntimeWarning, FloatingPointError):
        pass  # computed all the same: inf and nan are results here
    except (ValueError, TypeError):
        return False  # nothing was written: `write` says why
    input.wrote(here(4))
    return True


def records(*tensors: Any) -> bool:
    """Whether the tape has to know of a write to the first from the others."""
    return is_recording() and any(isinstance(x, Tensor) and x.edge is not None for x in tensors)


def must_follow(*tensors: Any) -> bool:
    """Whether the tape or forward mode has to know of a write to the first from the others."""
    return records(*tensors) or (bool(special) and forward_moves(tensors))


def write(
    input: Tensor, name: str, change: Callable[[Any], Any], *, may_overlap: bool = False
) -> Tensor:
    """Change the array by `change(array)`; its version tells those who saved it."""
    _check_inference(input, name)
    if not may_overlap:
        check_memory(input, name)
    about_to_write(input)
    if isinstance(input.payload, Layer):
        change(input.payload)  # its array is written, and mistakes are explained, at the bottom
        input.wrote()
        return input
    try:
        with np.errstate(all="ignore"):
            change(input.payload)
    except GlassgradError:
        raise
    except (ValueError, TypeError, IndexError, OverflowError) as error:
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
    if isinstance(error, IndexError):
        said = str(error).replace("for axis", "for dimension")
        return DimError(f"{said}: {name}_ on a tensor of shape {shape}. Write an index within it.")
    if isinstance(error, OverflowError) or "NaN" in str(error):
        return DTypeError(
            f"value cannot be converted to type {scalar_name(input.dtype)} without overflow: "
            f"{error}. A tensor keeps its dtype. Write to `x.to(dtype)`."
        )
    if isinstance(error, TypeError):
        return DTypeError(
            f"{name}_: the result can't be cast to the desired output type {input.dtype}: {error}"
        )
    return ShapeError(
        f"{name}_: output with shape {shape} doesn't match the broadcast shape: {error}. "
        "A tensor keeps its shape when it is written. Write out of place: `y = x + …`."
    )


def replace(input: Tensor, result: Tensor, name: str, at: int = 0) -> Tensor:
    """Give `input` the values of `result` and its place in the graph.

    Args:
        at: which edge of the node of `result` leads to `input` as it was.
    """
    check_fits(input, result, name)
    about_to_write(input)
    try:
        put(input, result.payload)
    except ValueError as error:
        raise _explained(input, name, error) from error
    input.wrote()
    if special and modes.duals is not None:
        modes.duals.written(input, tangent_of(result))
    node = result.edge
    if node is None:
        return input  # a dtype without gradients: the tape ends here
    node.caller_code, node.caller_offset = input.version_counter().written_line or here()
    kept = getattr(node, "_result_at", None)
    if kept is not None and type(node.saved_tensors) is tuple and result.dtype == input.dtype:
        _share_result(node, kept, input)
    move(input, node, at)
    return input


def _share_result(node: Any, at: int, input: Tensor) -> None:
    """Let the node have saved what it wrote, so that it sees the next write to it."""
    saved, version = node.saved_tensors, input.version_counter()
    value = input.payload
    if isinstance(value, Layer):  # a jvp saves tensors of its level, a grad those below
        value = wrap(value) if value.level.is_mine(saved[at]) else value.value
    node.saved_tensors = (*saved[:at], value, *saved[at + 1 :])
    node.versions = {**(node.versions or {}), at: (version, version.count)}


def check_write(input: Tensor, name: str, *others: Any) -> None:
    """Raise if `input` cannot be written from the others, recorded or not."""
    if records(input, *others):
        check_writable(input, name)
    else:
        _check_inference(input, name)


def check_writable(input: Tensor, name: str) -> None:
    """Raise if a write to `input` cannot be recorded."""
    base = input._base
    if base is not None:
        check_made(input)
        if input.requires_grad and base.is_leaf:
            raise LeafWriteError(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                f"operation: {name}_ on shape {tuple(input.shape)}. The leaf would change with it. "
                "Write out of place, or wrap an optimiser step in no_grad()."
            )
    if input.requires_grad and input.is_leaf:
        raise LeafWriteError(
            "a leaf Variable that requires grad is being used in an in-place operation: "
            f"{name}_ on shape {tuple(input.shape)}. The tape would then hold values that never "
            "existed. Write out of place, or wrap an optimiser step in no_grad()."
        )
    _check_inference(input, name)


def _check_inference(input: Tensor, name: str) -> None:
    if input.is_inference() and not modes.inference:
        raise GraphError(
            f"Inplace update to inference tensor outside InferenceMode is not allowed: {name}_ on "
            f"shape {list(input.shape)}. Nobody counts its versions. Write to `x.clone()`."
        )


def check_fits(input: Tensor, result: Tensor, name: str) -> None:
    if result.shape != input.shape:
        raise ShapeError(
            f"output with shape {list(input.shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}: {name}_ cannot enlarge a tensor. It writes into the "
            "memory that is there. Write out of place: `y = x + …`."
        )
    check_dtype(input, result, f"{name}_")


def check_dtype(input: Tensor, result: Tensor, name: str) -> None:
    """Raise if the dtype of `input` cannot hold `result`, of the op called `name`."""
    kept, found = input.dtype, result.dtype
    if found is not kept and _RANK[found.kind] > _RANK[kept.kind]:
        raise DTypeError(
            f"result type {scalar_name(found)} can't be cast to the desired output type "
            f"{scalar_name(kept)}: {name} computes {found}, and the tensor holds {kept}. A tensor "
            "keeps its dtype. Write out of place, or begin with `x.to(dtype)`."
        )


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
"""What a kind of number can hold: all of the kinds before it."""


def as_it_is(
    cls: type[Primitive], input: Tensor, *others: Any, may_overlap: bool = False
) -> Tensor:
    """`input` as the op may save it: its values are about to change, so it gets a snapshot."""
    name = _name(cls)
    check_write(input, name, *others)
    if not may_overlap:
        check_memory(input, name)
    array, moves = input.payload, bool(special) and modes.duals is not None
    if "self" in cls.saves or moves or isinstance(array, Layer):
        array = array.copy()
    before = wrap(array, edge_of(input))
    if moves:
        modes.duals.keep_as_it_is(before, input)
    return before


def _before(input: Tensor) -> Tensor:
    """`input` as it is where nothing is recorded; but the levels below may do so."""
    array = input.payload
    return wrap(array.copy() if isinstance(array, Layer) else array)
