"""Places that an index names: what stands between the brackets of `x[…]`, and index tensors.

# Note [Where chosen places go]
# NumPy puts the dims of what index tensors choose where these stand, if they stand side by side,
# and in front of all others if they do not. A batch changes that: where it is sliced, it is one
# more dim in front; where each example has places of its own, it is one more index tensor. The
# result's dims are then moved to where an example has them, behind the batch.
"""

import operator
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    DimError,
    DTypeError,
    GradientError,
    ShapeError,
    TransformError,
)
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import backend_of, is_array
from glassgrad.values.dtypes import int32, int64
from glassgrad.values.gradients import sum_to
from glassgrad.values.layers import Layer, backend_below, visible

from ._arguments import check_type, scalar_name, wrap_dim
from ._families import Along, array_of, batch_all, in_front, run, shifted
from .shape import reshape


def as_items(index: Any) -> list[Any]:
    """The items of an index: ints, slices, None, Ellipsis, bools, and arrays or tensors.

    Raises:
        DimError: if something is none of these.
    """
    if isinstance(index, tuple):
        items = list(index)
    elif isinstance(index, list) and any(_is_structure(item) for item in index):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated: write "
            "x[tuple(seq)] instead of x[seq], or x[tensor(seq)] to choose elements.",
            UserWarning,
            stacklevel=5,
        )
        items = list(index)
    else:
        items = [index]
    return [_as_item(item) for item in items]


def _is_structure(item: Any) -> bool:
    """Whether a list that holds `item` was meant as a tuple of indices (PyTorch's rule)."""
    kinds = slice, Tensor, list, tuple, range
    return item is None or item is Ellipsis or isinstance(item, kinds) or is_array(item)


def _as_item(item: Any) -> Any:
    if item is None or item is Ellipsis or isinstance(item, (bool, slice)):
        return item
    if isinstance(item, np.bool_):
        return bool(item)
    if isinstance(item, (list, tuple, range)):
        item = np.asarray(item) if len(item) else np.zeros(0, np.int64)
    if not isinstance(item, Tensor) and not is_array(item):
        try:
            return operator.index(item)
        except TypeError as error:
            raise DimError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                f"are valid indices (got {type(item).__name__}). An index names places. Write "
                "`int(i)` for a number, `tensor(list)` for several."
            ) from error
    check_names_places(item)
    if item.ndim == 0 and visible(getattr(item, "payload", item)) is not None:
        return bool(item) if _is_mask(item) else int(item)
    return item


def check_names_places(index: Any) -> None:
    """Raise unless a tensor holds integers or bools."""
    if index.dtype.kind not in "iub":
        raise DimError(
            "tensors used as indices must be long, int, byte or bool tensors, got "
            f"{index.dtype}. An index names places. Write `index.long()`, or a condition such as "
            "`x > 0`."
        )


def _is_mask(tensor: Any) -> bool:
    return bool(tensor.dtype.kind == "b" or tensor.dtype == np.uint8)


def dims_of(item: Any) -> int:
    """How many dims of the tensor an item speaks of."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return int(item.ndim) if hasattr(item, "dtype") and _is_mask(item) else 1


def read_slice(item: slice, n: int) -> tuple[int, int, int]:
    """(start, end, step) of a slice of a dim of size `n`, 0 <= start <= end <= n.

    Raises:
        ArgumentError: for a step of 0 or below.
        ArgumentTypeError: for bounds that are no integers.
    """
    try:
        step = 1 if item.step is None else operator.index(item.step)
        start, end, _ = slice(item.start, item.stop).indices(n)
    except TypeError as error:
        raise ArgumentTypeError(
            "slice indices must be integers or None or have an __index__ method, got "
            f"{item}. They name places. Write `int(i)`."
        ) from error
    if step < 1:
        raise ArgumentError(
            ("slice step cannot be zero" if step == 0 else "step must be greater than zero")
            + f", got {item}. A view walks forwards. Write `x.flip(0)` to turn a dim around."
        )
    return start, max(start, end), step


def index_array(item: Any, array: Any) -> Any:
    """An index tensor ready for use on `array`: on its device, and a mask as bools.

    That of a transform is its layer, which the levels take for the tensor again.
    """
    values = item.payload if isinstance(item, Tensor) else item
    if values.dtype == np.uint8:
        warnings.warn(
            "indexing with dtype uint8 is now deprecated, please use a dtype bool instead: "
            "a uint8 index is taken for a mask.",
            UserWarning,
            stacklevel=5,
        )
        values = (wrap(values) != 0).payload
    backend = backend_below(array)
    is_ready = isinstance(values, (Layer, backend.array_type))
    return values if is_ready else backend.asarray(values)


def refusal(
    error: IndexError, shape: tuple[int, ...], dims: tuple[int, ...], indices: tuple[Any, ...]
) -> DimError:
    """NumPy's refusal of indices for a tensor of shape `shape`, in PyTorch's words.

    Raises:
        DimError: for a mask of another shape.
    """
    beyond = 0
    for position, index in zip(dims, indices, strict=True):
        if index.dtype.kind != "b":
            continue
        for axis, n in enumerate(index.shape):
            dim = position + beyond + axis
            if n != shape[dim]:
                raise DimError(
                    f"The shape of the mask {list(index.shape)} at index {axis} does not match the "
                    f"shape of the indexed tensor {list(shape)} at index {dim}. A mask says yes "
                    f"or no to each element (index {position}). Write a mask of the tensor's shape."
                )
        beyond += index.ndim - 1
    said = str(error.__cause__ or error).replace("axis", "dimension").replace("arrays", "tensors")
    return DimError(
        f"{said.strip()}. The tensor has the shape {list(shape)} there. Write indices within its "
        "dims, and tensors of one shape: together they name one place each."
    )


def check_bounds(
    index: Any, dim: int, n: int, error: type[Exception], *, from_end: bool = False
) -> None:
    """Raise if an index is seen to name a place that dim `dim`, of size `n`, has not."""
    array, lowest = visible(index), -n if from_end else 0
    if array is not None and array.size and (array.min() < lowest or array.max() >= n):
        wrong = array[(array < lowest) | (array >= n)][0]
        raise error(
            f"index {int(wrong)} is out of bounds for dimension {dim} with size {n}: index out of "
            f"range in self. Write indices from {lowest} to {n - 1}."
        )


Dims = tuple[int, ...]


def key_of(indices: tuple[Any, ...], dims: Dims) -> tuple[Any, ...]:
    """`(:, …, indices[k], …)`, each index at its place in `dims`."""
    key: list[Any] = [slice(None)] * (max(dims) + 1)
    for dim, index in zip(dims, indices, strict=True):
        key[dim] = index
    return (*key, ...)


def shape_of_choice(shape: Dims, indices: tuple[Any, ...], dims: Dims) -> Dims:
    """The shape of what the arrays `indices` choose from a tensor of shape `shape`.

    Raises:
        IndexError: NumPy's, if they do not fit.
    """
    seen = tuple([_seen(index) for index in indices])
    everywhere = np.broadcast_to(np.zeros((), bool, like=seen[0]), shape)
    return tuple(everywhere[key_of(seen, dims)].shape)


def _seen(index: Any) -> Any:
    """An index array; zeros in the place of one that differs from example to example."""
    array = visible(index)
    if array is not None:
        return array
    if index.dtype.kind == "b":
        raise masks_differ(index.shape)
    return np.zeros(index.shape, np.int64, like=array_of(index))


class BatchedKey(NamedTuple):
    """Index tensors for a batch, and how the dims of what they choose have to move.

    Attributes:
        indices, dims: the index tensors and their places in the key.
        source, destination: which dims of the result have to move where, so that the batch comes
            first and all others lie as in one example (Note [Where chosen places go]).
        rank: how many dims one example of what is chosen has.
    """

    indices: tuple[Any, ...]
    dims: Dims
    source: Dims
    destination: Dims
    rank: int


def batched_key(
    n: int, x_rank: int, in_dims: Any, indices: tuple[Any, ...], dims: Dims
) -> BatchedKey:
    """The key for a batch of `n` examples.

    Args:
        x_rank: how many dims one example has of what is chosen from. All of that is batched.
        in_dims: of the indices, None for those that are the same for each example.
        indices, dims: the key for one example.

    Raises:
        TransformError: if a mask differs from example to example.
    """
    is_batched = [dim is not None for dim in in_dims]
    places, consumed = 0, 0
    for index, batched in zip(indices, is_batched, strict=True):
        is_mask = index.dtype.kind == "b"  # it names places in a row
        if is_mask and batched:
            raise masks_differ(index.shape[1:])
        places = max(places, 1 if is_mask else index.ndim - batched)
        consumed += dims_of(index)
    first, are_side_by_side = min(dims), max(dims) - min(dims) == len(dims) - 1
    rank = x_rank - consumed + places
    if are_side_by_side and not any(is_batched):
        return BatchedKey(indices, shifted(dims), (), (), rank)
    pairs = zip(indices, is_batched, strict=True)
    lined = [in_front(index, places) if batched else index for index, batched in pairs]
    counts = np.arange(n, like=array_of(indices[0])).reshape(n, *(1,) * places)
    behind = first if are_side_by_side else 0
    source, destination = range(1, 1 + places), range(1 + behind, 1 + behind + places)
    return BatchedKey(
        (counts, *lined), (0, *shifted(dims)), tuple(source), tuple(destination), rank
    )


def moved(x: Any, source: Dims, destination: Dims) -> Any:
    """`x` with some dims at other places."""
    return x if source == destination else np.moveaxis(x, source, destination)


def masks_differ(shape: Any) -> TransformError:
    """The error for a mask that chooses other places, and more or fewer, in each example."""
    return TransformError(
        "vmap: We do not support batching operators that can support dynamic shape. Attempting to "
        f"batch over indexing with a boolean mask (of shape {list(shape)} for each example): how "
        "many elements it chooses differs from example to example. Write `where(mask, x, y)`."
    )


# One index tensor along a dim ---------------------------------------------------------------------


def in_dim(index: Any, dim: int) -> tuple[Any, ...]:
    """The key that takes `index` in one dim, and all of the others."""
    return (*(slice(None),) * dim, index)


def along(index: Any, dim: int) -> tuple[Any, ...]:
    """The key that takes `index` in one dim, and counts up in all others."""
    counts = np.ix_(*(np.arange(n) for n in index.shape))
    key = [backend_of(index).asarray(count) for count in counts]
    key[dim] = index
    return tuple(key)


class Indexed(Primitive):
    """An op along a dim whose last operand is an index. It is copied: its owner may change it.

    Attributes:
        key: how an index names places, `in_dim` or `along`.
        reads, adds, fills: the ops that read such places, add to them, write one number there.
        once: the parameters with which `adds` does no more than that.
    """

    promotes = None
    differentiates = slice(-1)
    keeps_index = True
    key: ClassVar[Any]
    reads: ClassVar[type[Primitive]]
    adds: ClassVar[type[Primitive]]
    fills: ClassVar[type[Primitive]]
    once: ClassVar[dict[str, Any]] = {}

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.shape, ctx.source_shape = inputs[0].shape, inputs[-2].shape
        ctx.index = np.copy(inputs[-1])


def read(ctx: Any, x: Any) -> Any:
    """What `x` has at the places of a node's index."""
    return run(ctx._forward_cls.reads, x, ctx.index, dim=ctx.dim)


def added(ctx: Any, x: Any, values: Any) -> Any:
    """`x` plus the values that go to each of these places."""
    cls = ctx._forward_cls
    return run(cls.adds, x, values, ctx.index, dim=ctx.dim, **cls.adds.once)


def blanked(ctx: Any, x: Any) -> Any:
    """`x`, but 0 at these places."""
    return run(ctx._forward_cls.fills, x, ctx.index, dim=ctx.dim, value=0)


class ByElement(Indexed, Along):
    """With an index for each element of what is read or written: `x[index[i, j], j]`."""

    key = staticmethod(along)

    @staticmethod
    def to_source(ctx: Any, grad: Any) -> Any:
        """The gradient of what was written.

        Raises:
            GradientError: if not all of it was.
        """
        if ctx.source_shape != ctx.index.shape:
            raise GradientError(
                f"Function {ctx.name()} returned an invalid gradient at index 1 - got "
                f"{list(ctx.index.shape)} but expected shape compatible with "
                f"{list(ctx.source_shape)}. The index is smaller than the source, and only what it "
                "speaks of has a gradient. Cut the source to the shape of the index."
            )
        return read(ctx, grad)


class BySlice(Indexed):
    """With a vector of places, each for a slice: `x[index[i], :]`.

    Attributes:
        by_element: does the same with an index for each element.
    """

    key = staticmethod(in_dim)
    by_element: ClassVar[Callable[..., Any]]

    @staticmethod
    def to_source(ctx: Any, grad: Any) -> Any:
        """The gradient of what was written, which may have been one value for all places."""
        return sum_to(read(ctx, grad), ctx.source_shape)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, *operands: Any, dim: int, **how: Any) -> Any:
        """One dim further on. Examples with places of their own have an index for each element."""
        index = operands[-1]
        x, *source = batch_all(info, in_dims[:-1], operands[:-1])
        source = [in_front(values, x.ndim - 1) for values in source]
        if in_dims[-1] is None:
            return cls.apply(x, *source, index, dim=dim + 1, **how)
        n, places = index.shape
        shape = (*x.shape[: dim + 1], places, *x.shape[dim + 2 :])
        line = index.reshape(n, *(1,) * dim, places, *(1,) * (x.ndim - dim - 2))
        wide = [np.broadcast_to(values, shape) for values in (*source, line)]
        return cls.by_element(x, *wide, dim=dim + 1, **how)


def first_of(src: Any, shape: tuple[int, ...]) -> Any:
    """The part of `src` that an index of shape `shape` speaks of."""
    return src if src.shape == shape else src[tuple([slice(n) for n in shape])]


# What users give ----------------------------------------------------------------------------------


def check_index(name: str, index: Tensor, *, long: bool = False) -> None:
    """Raise unless `index` is a tensor of integers, int64 if it has to be `long`."""
    wanted = f"{name}(): argument 'index' must be Tensor"
    check_type(wanted, index, Tensor, "Write `tensor(index)`.")
    if index.dtype is not int64 and (long or index.dtype is not int32):
        wanted = "int64 for index, a long tensor" if long else "int32 or int64 for index"
        raise (DimError if long else DTypeError)(
            f"{name}(): Expected dtype {wanted}, got {index.dtype}. An index names places. "
            "Write `index.long()`."
        )


def same_dtype(name: str, input: Tensor, source: Tensor) -> None:
    """Raise unless both are tensors of one dtype."""
    why = "Its elements are written one by one. Write `tensor(values)`."
    check_type(f"{name}(): argument 'src' must be Tensor", source, Tensor, why)
    check_dtypes(f"{name}(): Expected self.dtype to be equal to src.dtype", input, source)


def check_dtypes(said: str, input: Tensor, source: Tensor) -> None:
    """Raise unless both tensors have one dtype."""
    if source.dtype is not input.dtype:
        raise DTypeError(
            f"{said}, got {scalar_name(input.dtype)} for the destination and "
            f"{scalar_name(source.dtype)} for the source. They must have the same scalar type: "
            "elements are written as they are. Write `source.to(x.dtype)`."
        )


def check_elements(
    name: str, input: Tensor, dim: int, index: Tensor, src: Tensor | None = None
) -> None:
    """Raise unless `index` names, along `dim`, a place in `input` for elements of `src`."""
    if not index.numel():
        return
    reads, behind = name == "gather", ""
    limits = [("input" if reads else "self", input)]
    if src is not None:
        limits.append(("src", src))
        behind = f" and to be no larger size than src {list(src.shape)}"
    for what, other in limits:
        if max(index.ndim, 1) != max(other.ndim, 1):
            raise ShapeError(
                f"Index tensor must have the same number of dimensions as {what} tensor: shapes "
                f"{list(index.shape)} and {list(other.shape)}. Write `index.unsqueeze(dim)`."
            )
        for at, (n, m) in enumerate(zip(_sizes(index), _sizes(other), strict=True)):
            if n > m and (at != dim or what == "src"):
                start = f"Size does not match at dimension {at} expected" if reads else "Expected"
                raise ShapeError(
                    f"{start} index {list(index.shape)} to be no larger than self "
                    f"{list(input.shape)} apart from dimension {dim}{behind}. {name}() counts "
                    "along in the other dims. Cut the index there."
                )
    check_bounds(index.payload, dim, _sizes(input)[dim], ShapeError)


def _sizes(x: Tensor) -> tuple[int, ...]:
    return tuple(x.shape) or (1,)


def vector_in(
    name: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    *,
    long: bool = False,
    from_end: bool = False,
) -> tuple[int, Tensor]:
    """A dim counted from the front, and `index` as a vector of places in it.

    Args:
        long, from_end: whether the index must be int64, and whether it may be negative.
    """
    check_index(name, index, long=long)
    at = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise DimError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{scalar_name(index.dtype)} and size: {list(index.shape)}. It names slices of one "
            "dim. Write `index.flatten()`, or use gather() or scatter()."
        )
    check_bounds(index.payload, at, _sizes(input)[at], DimError, from_end=from_end)
    return at, index if index.ndim else reshape(index, (1,))


def write_slices(
    name: str,
    op: type[Primitive],
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    *,
    long: bool = False,
    **how: Any,
) -> Tensor:
    """Apply an op that takes one slice of `source` for each element of a vector `index`."""
    at, places = vector_in(name, input, dim, index, long=long)
    same_dtype(name, input, source)
    if source.ndim != input.ndim and input.ndim and source.ndim:
        raise DimError(
            f"{name}(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({source.ndim}), destination dimensionality "
            f"({input.ndim}). Write `source.unsqueeze(dim)`."
        )
    count = source.shape[at] if source.ndim else 1
    if index.numel() != count:
        raise (DimError if long else ShapeError)(
            f"{name}(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
            f"({count}), for dim: {at}. Each index takes a slice of the source. Cut the longer."
        )
    wanted, found = list(input.shape), list(source.shape)
    del wanted[at : at + 1], found[at : at + 1]
    if wanted != found:
        raise ShapeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}. "
            f"{name}() writes whole slices. Write `source.expand(…)`."
        )
    return apply_along(op, input, source, places, dim=at, **how)


def write_elements(
    name: str,
    op: type[Primitive],
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | None = None,
    **how: Any,
) -> Tensor:
    """Apply an op that takes one element of `src` (or a number) for each element of `index`."""
    check_index(name, index)
    if src is not None:
        same_dtype(name, input, src)
    at = wrap_dim(dim, input.ndim)
    check_elements(name, input, at, index, src)
    if input.ndim > 1 and index.ndim != input.ndim:
        index = reshape(index, (0,) * input.ndim)  # without elements, it has any number of dims
    operands = (input, index) if src is None else (input, src, index)
    return apply_along(op, *operands, dim=at, **how)


def apply_along(op: type[Primitive], *operands: Tensor, **parameters: Any) -> Tensor:
    """Apply an op that counts along a dim; 0-d tensors are lines of one element to it."""
    if operands[0].ndim:
        return op.apply(*operands, **parameters)
    lines = [x if x.ndim else reshape(x, (1,)) for x in operands]
    return reshape(op.apply(*lines, **parameters), ())
