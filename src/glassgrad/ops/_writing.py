"""How a tensor is written: what `x.add_(y)`, `x += y` and `x[i] = y` share.
While nothing is recorded, the array is written and its version counted. While the tape records,
the op runs out of place, its result is copied into the array, and the tensor takes the place of
the result in the graph: the old value's node is behind an edge, as if it had been another tensor.
What that means for views is told in `memory/views.py`.
"""

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.core import errors, state
from glassgrad.core.graph import edge_of
from glassgrad.core.primitive import constant, silently
from glassgrad.core.state import (
    Func,
    Shape,
    about_to_write,
    here,
    is_recording,
    modes,
    special,
    wrote,
)
from glassgrad.core.tensor import PLAIN, Tensor, wrap
from glassgrad.levels.duals import forward_moves, tangent_of
from glassgrad.levels.level import level_below
from glassgrad.memory.calls import warn
from glassgrad.memory.views import check_made, move, relocate
from glassgrad.values.backend import backend_of, repeats
from glassgrad.values.dtypes import Number
from glassgrad.values.layers import Layer, array_of, fresh

from . import _checks as check
from ._arguments import OpClass
from ._checks import c_name, scalar_name
from ._rules import is_batched, seen


def in_place(
    name: str,
    input: Tensor,
    call: Callable[[Tensor], Tensor],
    others: Sequence[Any] = (),
    *,
    copies: bool = True,
    may_overlap: bool = False,
) -> Tensor:
    """`input = call(input)`, in the memory of `input`: any op in place.

    Args:
        name: the op's, for messages.
        call: gives a result of the shape of `input`.
        others: what else it computes with: tensors, lists of tensors, numbers.
        copies: whether the op may save `input`, so that it has to get a copy.
        may_overlap: whether it does no harm that elements share memory: they get one value.

    Returns:
        `input` itself.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad, or a view of one, and the tape
            records.
        GraphError: if it is a view that was made where it may not be written.
        ShapeError, DTypeError: if the result does not fit.
    """
    tensors = _tensors_in(others)
    if special and (below := level_below(name, input, *tensors)):
        with below:
            return in_place(name, input, call, others, copies=copies, may_overlap=may_overlap)
    for other in () if may_overlap else tensors:
        check_apart(input, other, name)
    if must_follow(input, *tensors):
        try:
            before = as_it_is(name, input, *tensors, copies=copies, may_overlap=may_overlap)
        except errors.GraphError:
            _check_types(input, call, others)
            raise
        result = call(before)
        if result is before:
            return input  # nothing was done, as dropout does in evaluation
        node = result.edge
        if (None if node is None else node.edges[0]) is not before.edge:
            # More than one op was done, or nothing that has a gradient: a copy leads to both.
            check_fits(input, result, name)
            return input.copy_(result)
        return replace(input, result, name)
    result = call(_before(input))
    check_fits(input, result, name)
    return write(input, name, lambda _: put(input, result.payload), may_overlap=may_overlap)


def _check_types(input: Tensor, call: Callable[[Tensor], Tensor], others: Sequence[Any]) -> None:
    """Raise what the op has to say of its arguments' types, which comes before all else."""
    if all(isinstance(other, Tensor) for other in others):
        return
    try:
        call(wrap(input.payload))
    except errors.ArgumentTypeError:
        raise
    except errors.GlassgradError:
        pass


def _tensors_in(values: Sequence[Any]) -> list[Tensor]:
    found = []
    for value in values:
        items = value if isinstance(value, (tuple, list)) else (value,)
        found += [item for item in items if isinstance(item, Tensor)]
    return found


def reshaped_in_place(name: str, cls: OpClass, input: Tensor, **parameters: Any) -> Tensor:
    """`input = cls(input, **parameters)`, where `cls` shows the same memory in another shape.

    Raises:
        LeafWriteError, GraphError: as `in_place`.
    """
    if special and (below := level_below(name, input)):
        with below:
            return reshaped_in_place(name, cls, input, **parameters)
    check_write(input, name)
    recorded = records(input)
    before = wrap(input.payload, edge_of(input) if recorded else None)
    moves = special and forward_moves((input,))
    if moves:
        modes.duals.hang(before, modes.duals.tangent(input))
    result = cls.apply(before, **parameters)
    input.payload, edge = result.payload, result.edge
    if moves:
        modes.duals.hang(input, modes.duals.tangent(result))
    if input.is_inference():
        wrote()
        return input
    input.wrote()
    if recorded:
        relocate(input, edge)
        input._tell_views()
        input.cold_side().seen = input.version_counter().count
    return input


def quick_update(ufunc: Func, input: Tensor, other: Any, alpha: float = 1) -> bool:
    """`input = ufunc(input, alpha·other)`, as optimisers do: `in_place` without its steps and copy.

    Returns:
        False if something is special; nothing has been done then.
    """
    if special or state.before_write:
        return False
    array, cold = input.payload, input.cold
    if type(other) in PLAIN:
        edge, value, beside = other.edge, other.payload, other.cold
        is_alike = array.dtype == value.dtype
    else:
        edge, value, beside = None, other, None
        is_alike = type(other) in _NUMBERS.get(array.dtype.kind, ())
    if not is_alike or 0 in array.strides:
        return False
    if modes.grad and (input.edge is not None or edge is not None):
        return False  # the tape may have to follow
    if cold is not None and (
        cold.is_inference or (beside is not None and beside.version is cold.version)
    ):
        return False  # of one storage: they may overlap in part
    try:
        if alpha != 1:
            value = silently(np.multiply, value, alpha)
        try:  # noqa: SIM105  # `suppress` takes as long as a small step
            ufunc(array, value, array)
        except (RuntimeWarning, FloatingPointError):
            pass  # computed all the same: inf and nan are results here
        input.wrote(here(3))
    except (ValueError, TypeError, OverflowError):
        return False  # nothing was written: `in_place` says why
    except BaseException:
        input.wrote()  # it may have been: an interrupt came
        raise
    return True


_NUMBERS = {"f": (float, int), "i": (int,)}
"""The types of Python's numbers that do not change a dtype, by its kind."""


def put(input: Tensor, values: Any) -> None:
    """Write the values of a payload into the memory of `input`, unchecked."""
    if isinstance(input.payload, Layer):
        input.payload.assign(input, values)
    else:
        np.copyto(input.payload, values, casting="unsafe")


def records(*tensors: Any) -> bool:
    """Whether the tape has to know of a write to the first from the others."""
    if is_recording():
        for x in tensors:  # a loop: `any` with a generator takes twice as long
            if isinstance(x, Tensor) and x.edge is not None:
                return True
    return False


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
    count = wrote if input.is_inference() else input.wrote
    try:
        silently(change, input.payload)
        count()
        return input
    except (ValueError, IndexError) as error:
        raise _explained(input, name, error)
    except BaseException:
        count()  # it may have been written: an interrupt came
        raise


def _explained(input: Tensor, name: str, error: Exception) -> errors.GlassgradError:
    shape = list(input.shape)
    if "read-only" in str(error):
        return errors.GraphError(
            f"{name}_: the memory of this tensor of shape {shape} is read-only. It shares the "
            "array it was made from. Write to `x.clone()`."
        )
    if isinstance(error, IndexError):
        said = str(error).replace("for axis", "for dimension")
        return errors.DimError(
            f"{said}: {name}_ on a tensor of shape {shape}. Write an index within it."
        )
    return errors.ShapeError(
        f"{name}_: output with shape {shape} doesn't match the broadcast shape: {error}. "
        "A tensor keeps its shape when it is written. Write out of place: `y = x + …`."
    )


def replace(input: Tensor, result: Tensor, name: str) -> Tensor:
    """Give `input` the values of `result` and its place in the graph.

    The first edge of the node of `result` leads to `input` as it was.
    """
    check_fits(input, result, name)
    about_to_write(input)
    try:
        put(input, result.payload)
    except ValueError as error:
        raise _explained(input, name, error)
    input.wrote()
    if special and modes.duals is not None:
        modes.duals.written(input, tangent_of(result))
    node = result.edge
    if node is None:
        return input  # a dtype without gradients: the tape ends here
    node.caller_code, node.caller_offset = input.version_counter().written_line or here()
    kept = getattr(node, "_result_at", None)
    if result.dtype != input.dtype:
        node.checked = True  # gradients arrive in the dtype of what was written, and meet there
        node.out_dtype = input.dtype
    elif kept is not None and type(node.saved_tensors) is tuple:
        _share_result(node, kept, input)
    move(input, node)
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
        base = input._base
        if base is not None:
            check_made(input)
        is_view_of_leaf = base is not None and base.is_leaf
        if input.requires_grad and (is_view_of_leaf or input.is_leaf):
            what = "a view of a leaf" if is_view_of_leaf else "a leaf"
            leaves = importlib.import_module("glassgrad.reasons.leaves")
            said = (
                f"{what} Variable that requires grad is being used in an in-place operation: "
                f"{name}_ on shape {tuple(input.shape)}. The tape would then hold values that "
                "never existed."
            )
            raise errors.LeafWriteError(leaves.of_a_write(said))
    _check_inference(input, name)


def _check_inference(input: Tensor, name: str) -> None:
    if input.is_inference() and not modes.inference:
        raise errors.GraphError(
            f"Inplace update to inference tensor outside InferenceMode is not allowed: {name}_ on "
            f"shape {list(input.shape)}. Nobody counts its versions. Write to `x.clone()`."
        )


def check_fits(input: Tensor, result: Tensor, name: str) -> None:
    if result.payload.shape != input.payload.shape:
        raise errors.ShapeError(
            f"output with shape {list(input.shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}: {name}_ would need memory for {tuple(result.shape)}. It writes "
            "into what is there. Write out of place: `y = x + …`."
        )
    kept, found = input.payload.dtype, result.payload.dtype
    if found.kind == "f" and kept.kind == "c":
        raise errors.DTypeError(
            f"In-place {name} is not supported for complex tensors. What it computes is real. "
            f"Write out of place: `y = x.{name}()`."
        )
    if found is not kept:
        check_dtype(input, result, f"{name}_")


def check_dtype(input: Tensor, result: Tensor, name: str) -> None:
    """Raise if the dtype of `input` cannot hold `result`, of the op called `name`."""
    kept, found = input.dtype, result.dtype
    if found is not kept and _RANK[found.kind] > _RANK[kept.kind]:
        raise errors.DTypeError(
            f"result type {scalar_name(found)} can't be cast to the desired output type "
            f"{scalar_name(kept)}: {name} computes {found}, and the tensor holds {kept}. A tensor "
            "keeps its dtype. Write out of place, or begin with `x.to(dtype)`."
        )


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
"""What a kind of number can hold: all of the kinds before it."""


def as_it_is(
    name: str, input: Tensor, *others: Any, copies: bool = True, may_overlap: bool = False
) -> Tensor:
    """`input` as the op may save it: its values are about to change, so it gets a snapshot."""
    check_write(input, name, *others)
    if not may_overlap:
        check_memory(input, name)
    array, moves = input.payload, bool(special) and modes.duals is not None
    if copies or moves or isinstance(array, Layer):
        array = array.copy()
    before = wrap(array, edge_of(input))
    if moves:
        modes.duals.keep_as_it_is(before, input)
    return before


def _before(input: Tensor) -> Tensor:
    """`input` as it is where nothing is recorded; but the levels below may do so."""
    array = input.payload
    return wrap(array.copy() if isinstance(array, Layer) else array)


def fill_value(name: str, input: Tensor, value: Number | Tensor) -> Any:
    """What to fill `input` with: a 0-d tensor or a number, of its dtype.

    Raises:
        ShapeError: for a tensor with dims.
        DTypeError: for a number that the dtype has no room for, as far as it can be seen.
        ArgumentTypeError: for anything else.
    """
    if isinstance(value, Tensor):
        said = (
            "_ only supports a 0-dimensional value tensor, but got tensor with {ndim} dimension(s)"
        )
        why = "One value fills all places. Write `where(mask, values, x)` for several."
        check.ndim(name + said, value, (0,), why)
        array = seen(value)
        if array is not None and array.dtype != input.dtype:
            number = array.item()
            check.number(input.dtype, number if number.imag else number.real)
        return value if value.dtype is input.dtype else value.to(input.dtype)
    why = "It fills elements of a tensor. Write a number or a 0-d tensor."
    kinds = (bool, int, float, complex, np.generic)
    check.kind(f"{name}(): argument 'value' must be Number", value, kinds, why)
    check.number(input.dtype, value)
    number = value.item() if isinstance(value, np.generic) else value
    return constant(number, input.dtype).item()


# Memory that is written and read ------------------------------------------------------------------


def check_apart(
    input: Tensor, other: Any, name: str, written: Any = None, *, wholly: bool = False
) -> None:
    """Raise if a part of what is written is a part of what `other` shows: it would change too.

    Args:
        written: the array that is written, if not all of `input`.
        wholly: whether both may not even be the same elements.
    """
    if not isinstance(other, Tensor):
        return
    mine, its = input.cold, other.cold
    if other is input:
        shares = wholly
    elif mine is None or its is None or mine.version is None or mine.version is not its.version:
        shares = False
    else:
        own = input.payload if written is None else written
        is_read_once = other.payload.size == own.size or name != "setitem"
        shares = is_read_once and _overlap(own, other.payload, wholly=wholly)
    if shares:
        raise errors.GraphError(
            "unsupported operation: some elements of the input tensor and the written-to tensor "
            f"refer to a single memory location. {name}_ would change what it still has to read. "
            "Please clone() the tensor before performing the operation."
        )


def _overlap(a: Any, b: Any, *, wholly: bool) -> bool:
    """Whether two dense arrays share some memory.

    Args:
        wholly: whether that counts for the same elements in one order, too.
    """
    spans = []
    for array in (a, b):
        steps = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
        extent = sum(abs(step) for step in steps) + array.itemsize
        if extent != array.nbytes:
            return False  # there are gaps: PyTorch does not look closer either
        start = backend_of(array).address(array) + sum(step for step in steps if step < 0)
        spans.append(range(start, start + extent))
    if spans[0] == spans[1]:
        return wholly or bool(a.strides != b.strides)
    return max(span.start for span in spans) < min(span.stop for span in spans)


def check_memory(input: Tensor, name: str) -> None:
    """Raise if elements of `input` share their memory, as those of an expanded tensor do."""
    array = input.payload
    if 0 not in array.strides or not array.size:
        return
    if repeats(array.shape, array.strides):
        raise errors.GraphError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            f"single memory location. {name}_ would write it several times. Please clone() the "
            f"tensor before performing the operation (its shape is {list(array.shape)})."
        )


# `out=` -------------------------------------------------------------------------------------------


def written_to(
    out: Any,
    function: Callable[..., Any],
    *args: Any,
    exact: bool = False,
    apart: bool = False,
    **params: Any,
) -> Any:
    """`function(*args, **params)`, in the memory of `out`.

    Args:
        out: a tensor of the dtype of the result, or of one that can hold it. It is resized if its
            shape is another, with a warning unless it is empty. For several results, as many.
        exact: whether it has to be the dtype of the result.
        apart: whether it may not even be one of the operands.

    Returns:
        `out`; several tensors are named as the results are.

    Raises:
        GraphError: if the tape would have to record it, or elements of `out` share their memory
            with each other, or with what is still to be read.
        DTypeError: if the dtype of `out` cannot hold the result, or is not its own.
    """
    name = function.__name__
    outs = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    why = "The result is written to its memory. Leave it out for a new tensor."
    for each in outs:
        check.kind(f"{name}(): argument 'out' must be Tensor", each, Tensor, why)
    operands = _tensors_in(args)
    tensors = (*outs, *operands)
    if is_recording() and any(x.requires_grad for x in tensors):
        raise errors.GraphError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad. What `out` held has no gradient, nor would "
            f"its new place in the graph be clear. Write `y = {name}(…)`, or use no_grad()."
        )
    if special:
        _check_transforms(name, tensors)
    result = function(*args, **params)
    results = result if isinstance(result, tuple) else (result,)
    if len(results) != len(outs):
        raise errors.ArgumentTypeError(
            f"{name}(): argument 'out' must be tuple of Tensors, not Tensor: there are "
            f"{len(results)} results. Write a tensor for each."
        )
    pairs = list(zip(outs, results, strict=True))
    for each, part in pairs:
        check_write(each, name)
        if exact and each.dtype is not part.dtype:
            raise _other_dtype(name, each, part)
        check_dtype(each, part, name)
        keeps_shape = each.shape == part.shape
        if keeps_shape or apart:
            check_memory(each, name)
            memory = each.payload if keeps_shape else _resized(each.payload, part.shape)
            for other in operands:
                check_apart(each, other, name, memory, wholly=apart)
    for each, part in pairs:  # nothing is refused any more: all are written, or none was
        if each.shape != part.shape:
            _resize(each, part)
        each.copy_(part)
    return type(result)(*outs) if isinstance(result, tuple) else out


def _resized(array: Any, shape: Shape) -> Any:
    """Where PyTorch would put an `out` of another shape: on from its first element. Never read."""
    if isinstance(array, Layer):
        return array
    steps = tuple([math.prod(shape[dim + 1 :]) for dim in range(len(shape))])
    return backend_of(array).strided(array, shape, steps, 0)


def _other_dtype(name: str, out: Tensor, result: Tensor) -> errors.DTypeError:
    wanted, found = c_name(result.dtype), c_name(out.dtype)
    return errors.DTypeError(
        f"Expected out tensor to have dtype {wanted}, but got {found} instead: {name}() and its "
        f"out must have the same scalar type, {scalar_name(result.dtype)}. Its results are "
        f"written as they are. Write `{name}(…).to(dtype)`."
    )


def _check_transforms(name: str, tensors: tuple[Tensor, ...]) -> None:
    """Raise if a tangent would have to be moved on, or what is written differs in a batch."""
    if forward_moves(tensors) or any(_has_tangent(x.payload) for x in tensors):
        raise errors.MissingRuleError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an "
            f"out= function. Write `y = {name}(…)`, or take the tangents away with `detach()`."
        )
    if any(is_batched(x) for x in tensors):
        raise errors.TransformError(
            f"Batching rule not implemented for {name}.out; vmap has none for out= functions. "
            f"Write `y = {name}(…)`, which makes room for what differs between examples."
        )


def _has_tangent(payload: Any) -> bool:
    """Whether a `jvp`, at some level, gave it a tangent."""
    while isinstance(payload, Layer):
        if getattr(payload, "tangent", None) is not None:
            return True
        payload = payload.value.payload
    return False


def _resize(out: Tensor, result: Tensor) -> None:
    if out.numel():
        warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(out.shape)}, which does not match the required output shape "
            f"{list(result.shape)}. It has new memory now. Write `out.resize_(0)` before if "
            "that is meant."
        )
    zeros = np.zeros_like(array_of(out), order="C", shape=tuple(result.shape))
    out.payload = fresh(zeros).payload
