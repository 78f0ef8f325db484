"""Choosing elements by `x[index]`, and writing them; `index_put`, `take` and `put`.

`x[index]` is a chain of simple ops, as in PyTorch: an int is a `Select`, a slice a `Slice`, None
an `Unsqueeze`; all of these are views. What remains, integer and bool tensors, is one `Index`,
which copies. `parse` is that translation; writing to `x[index]` starts with it too.

# Note [Where chosen places go]
# NumPy puts the dims of what index tensors choose where these stand, if they stand side by side,
# and in front of all others if they do not. A batch changes that: where it is sliced, it is one
# more dim in front; where each example has places of its own, it is one more index tensor. The
# result's dims are then moved to where an example has them, behind the batch.
"""

import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core import errors
from glassgrad.core.primitive import Primitive, silently
from glassgrad.core.state import Shape, Values, special
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.levels.level import level_below
from glassgrad.memory.calls import warn
from glassgrad.memory.views import as_view
from glassgrad.values.backend import backend_of, in_rows, is_array
from glassgrad.values.dtypes import float16
from glassgrad.values.layers import Layer, array_of, visible
from glassgrad.values.tree import as_tuple

from . import _checks as check
from ._arguments import expanded_size, ints_of
from ._declaring import function, op, operators
from ._families import Along, KeepsShape, Linear, Moved
from ._rules import batch_all, in_front, reduce_at, run, shifted, zeros_like
from ._writing import check_apart, check_memory, fill_value, in_place, must_follow, write
from .joining import dim_to_cut, no_such_index, read_slice, selected, sliced

# What an index means ------------------------------------------------------------------------------


def as_items(index: Any) -> list[Any]:
    """The items of an index: ints, slices, None, Ellipsis, bools, and arrays or tensors.

    Raises:
        DimError: if something is none of these.
    """
    if isinstance(index, tuple):
        items = list(index)
    elif isinstance(index, list) and any(_is_structure(item) for item in index):
        warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated: write "
            "x[tuple(seq)] instead of x[seq], or x[tensor(seq)] to choose elements."
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
    if item is None or item is Ellipsis or isinstance(item, (bool, slice)) or type(item) is int:
        return item
    if isinstance(item, np.bool_):
        return bool(item)
    if isinstance(item, (list, tuple, range, str, bytes)):
        item = np.asarray(item) if len(item) else np.zeros(0, np.int64)
    if not isinstance(item, Tensor) and not is_array(item):
        try:
            return operator.index(item)
        except TypeError:
            raise errors.DimError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                f"are valid indices (got {type(item).__name__}). An index names places. Write "
                "`int(i)` for a number, `tensor(list)` for several."
            )
    check_names_places(item)
    if item.ndim == 0 and visible(getattr(item, "payload", item)) is not None:
        return bool(item) if _is_mask(item) else int(item)
    return item


def check_names_places(index: Any) -> None:
    """Raise unless a tensor holds integers or bools."""
    if index.dtype.kind in "US":
        raise errors.ArgumentTypeError(
            f"new(): invalid data type '{'str' if index.dtype.kind == 'U' else 'bytes'}'. A tensor "
            "has places, not names. Write a number, a slice, or a tensor of numbers."
        )
    if index.dtype.kind not in "iub":
        raise errors.DimError(
            "tensors used as indices must be long, int, byte or bool tensors, got "
            f"{index.dtype}. An index names places. Write `index.long()`, or a condition such as "
            "`x > 0`."
        )


def _is_mask(tensor: Any) -> bool:
    return tensor.dtype.char in "?B"  # of bools, or uint8


def dims_of(item: Any) -> int:
    """How many dims of the tensor an item speaks of."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return int(item.ndim) if hasattr(item, "dtype") and _is_mask(item) else 1


def index_array(item: Any, array: Any) -> Any:
    """An index tensor ready for use on `array`: on its device, and a mask as bools.

    That of a transform is its layer, which the levels take for the tensor again.
    """
    values = item.payload if isinstance(item, Tensor) else item
    if values.dtype == np.uint8:
        warn(
            "indexing with dtype uint8 is now deprecated, please use a dtype bool instead: "
            "a uint8 index is taken for a mask."
        )
        values = (wrap(values) != 0).payload
    backend = backend_of(array_of(array))
    is_ready = isinstance(values, (Layer, backend.array_type))
    return values if is_ready else backend.asarray(values)


def refusal(error: IndexError, shape: Shape, dims: Shape, indices: Values) -> errors.DimError:
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
                raise errors.DimError(
                    f"The shape of the mask {list(index.shape)} at index {axis} does not match the "
                    f"shape of the indexed tensor {list(shape)} at index {dim}. A mask says yes "
                    f"or no to each element (index {position}). Write a mask of the tensor's shape."
                )
        beyond += index.ndim - 1
    numpys = error.__context__ if isinstance(error, errors.DimError) else error
    said = str(numpys).replace("axis", "dimension")
    if "broadcast" in said:
        shapes = ", ".join([str(list(index.shape)) for index in indices])
        said = "shape mismatch: indexing tensors could not be broadcast together with shapes "
        said += shapes
    return errors.DimError(
        f"{said}. The tensor has the shape {list(shape)} there. Write indices within its "
        "dims, and tensors of one shape: together they name one place each."
    )


def key_of(indices: Values, dims: Shape) -> Values:
    """`(:, …, indices[k], …)`, each index at its place in `dims`."""
    key: list[Any] = [slice(None)] * (max(dims) + 1)
    for dim, index in zip(dims, indices, strict=True):
        key[dim] = index
    return (*key, ...)


def shape_of_choice(shape: Shape, indices: Values, dims: Shape) -> Shape:
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

    indices: Values
    dims: Shape
    source: Shape
    destination: Shape
    rank: int


def batched_key(n: int, x_rank: int, in_dims: Any, indices: Values, dims: Shape) -> BatchedKey:
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


def moved(x: Any, source: Shape, destination: Shape) -> Any:
    """`x` with some dims at other places."""
    return x if source == destination else np.moveaxis(x, source, destination)


def masks_differ(shape: Any) -> errors.TransformError:
    """The error for a mask that chooses other places, and more or fewer, in each example."""
    return errors.TransformError(
        "vmap: We do not support batching operators that can support dynamic shape. Attempting to "
        f"batch over indexing with a boolean mask (of shape {list(shape)} for each example): how "
        "many elements it chooses differs from example to example. Write `where(mask, x, y)`."
    )


# Elements at the places that tensors name ---------------------------------------------------------


class _Chosen(Primitive):
    """An op at the places that index tensors name, its last operands."""

    promotes = None

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, indices = inputs[0].shape, inputs[ctx._forward_cls.differentiates.stop :]
        ctx.indices = tuple([np.copy(index) for index in indices])  # its owner may change it


class Index(_Chosen, KeepsShape):
    """yᵢ = x[indicesᵢ]        x̄ₖ = Σᵢ ȳᵢ·[indicesᵢ = k]"""

    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, *indices, dims):
        return in_rows(x[key_of(indices, dims)])

    @staticmethod
    def backward(ctx, grad):
        zeros, dims = zeros_like(grad, ctx.shape), ctx.dims
        if isinstance(grad, Tensor):
            return IndexPutImpl.apply(zeros, grad, *ctx.indices, dims=dims, accumulate=True)
        return _put(zeros, grad, ctx.indices, dims, accumulate=True)

    @classmethod
    def vmap(cls, info, in_dims, x, *indices, dims):
        (x,) = batch_all(info, in_dims[:1], (x,))
        key = batched_key(info.batch_size, x.ndim - 1, in_dims[1:], indices, dims)
        chosen = cls.apply(x, *key.indices, dims=key.dims)
        return moved(chosen, key.source, key.destination)


class Alias(Moved):
    """y = x        x̄ = ȳ"""

    views = True

    @staticmethod
    def forward(x):
        return x[...]

    @staticmethod
    def backward(ctx, grad):
        return grad


def getitem(input: Tensor, index: Any) -> Tensor:
    """`input[index]`.

    Args:
        input: tensor of shape `S`.
        index: an int, a slice (with a positive step), None, Ellipsis, a bool, an integer or bool
            tensor (array, list), or a tuple of those.

    Returns:
        A view if there are only ints, slices, None and Ellipsis in it, else a copy. Integer
        tensors `i, j, …` choose the elements `x[i[k], j[k], …]`, after they were broadcast.

    Raises:
        DimError: if there is no such dim or element, or `index` is something else.
        ArgumentError: for a step that is not positive.

    Example:
        >>> x = tensor([[1, 2, 3], [4, 5, 6]])
        >>> x[0, 1:], x[[1, 0], [2, 0]], x[x > 4]
        (tensor([2, 3]), tensor([6, 1]), tensor([5, 6]))

    See also: https://numpy.org/doc/stable/user/basics.indexing.html
    """
    if index.__class__ is int and input.ndim:  # nearly always: `x[i]` in a loop
        return selected(input, 0, index)
    if index.__class__ is slice:  # alone, a slice is a Slice even if it is all of the dim
        at = dim_to_cut("slice", input, 0)
        return sliced(input, at, *read_slice(index, input.payload.shape[at]))
    try:
        view, dims, indices = parse(input, index)
    except errors.GlassgradError as error:
        check.told(error)
        raise
    if not dims:
        return as_view(Alias.apply(input), input) if view is input else view
    try:
        return Index.apply(view, *indices, dims=dims)
    except IndexError as error:
        raise refusal(error, tuple(view.shape), dims, indices)


def parse(input: Tensor, index: Any) -> tuple[Tensor, Shape, Values]:
    """Divide `input[index]` into a view and what is left to choose from it.

    Returns:
        (view, dims, indices): `input[index]` is `view[:, …, indices[k], …]` with the arrays
        `indices[k]` at the positions `dims[k]`. There may be none.

    Raises:
        DimError: as `getitem`.
    """
    ndim = input.payload.ndim
    if not ndim and isinstance(index, (str, bytes)):
        raise _too_many(input, [index])
    items = as_items(index)
    spoken_of = sum(map(dims_of, items))
    if spoken_of > ndim:
        raise _too_many(input, items)
    view, at, beyond = input, 0, 0
    dims: list[int] = []
    indices: list[Any] = []
    for place, item in enumerate(items):
        if item is Ellipsis:
            at += ndim - spoken_of
        elif item is None:
            view = view.unsqueeze(at)
            at += 1
        elif isinstance(item, slice):
            n = view.payload.shape[at]
            bounds = read_slice(item, n)
            if bounds != (0, n, 1) or item.start:  # a start of -n makes a node in PyTorch
                view = sliced(view, at, *bounds)
            at += 1
        elif isinstance(item, int) and not isinstance(item, bool):
            try:
                view = selected(view, at, item)
            except errors.DimError:
                before = [each for each in items[:place] if each is not Ellipsis]
                skipped = 0 if len(before) == place else input.ndim - spoken_of
                raise no_such_index(item, skipped + sum(map(dims_of, before)), input.shape)
        else:
            if isinstance(item, bool):
                view, item = view.unsqueeze(at), np.zeros(int(item), np.int64)
            dims.append(at - beyond)
            indices.append(index_array(item, view.payload))
            at += dims_of(item)
            beyond += dims_of(item) - 1  # a mask takes several dims in one place of the key
    return view, tuple(dims), tuple(indices)


def _too_many(input: Tensor, items: Sequence[Any]) -> errors.DimError:
    if not input.ndim and len(items) == 1:
        return errors.DimError(
            "invalid index of a 0-dim tensor. It has no dim to choose from. Use `tensor.item()` "
            "to convert a 0-dim tensor to a number."
        )
    return errors.DimError(
        f"too many indices for tensor of dimension {input.ndim}: it has the shape "
        f"{list(input.shape)}. Each int, slice or index tensor takes a dim. Write None for a new "
        "one."
    )


class IndexPut(_Chosen, Linear):
    """z = x,  z[indicesᵢ] = vᵢ        x̄ = z̄,  x̄[indicesᵢ] = 0,  v̄ᵢ = z̄[indicesᵢ]"""

    broadcasts = True  # y against z[i, j, …]
    differentiates = slice(0, 2)

    @staticmethod
    def forward(x, values, *indices, dims, accumulate):
        return _put(np.copy(x), values, indices, dims, accumulate=accumulate)

    @staticmethod
    def backward(ctx, grad):
        (wants_x, wants_values), dims = ctx.needs_input_grad, ctx.dims
        left = grad if wants_x else None
        if wants_x and not ctx.accumulate:  # what was there is gone
            zero = zeros_like(grad, ())
            left = run(IndexPut, grad, zero, *ctx.indices, dims=dims, accumulate=False)
        return left, run(Index, grad, *ctx.indices, dims=dims) if wants_values else None

    @classmethod
    def vmap(cls, info, in_dims, x, values, *indices, dims, accumulate):
        x, values = batch_all(info, in_dims[:2], (x, values))
        key = batched_key(info.batch_size, x.ndim - 1, in_dims[2:], indices, dims)
        values = moved(in_front(values, key.rank), key.destination, key.source)
        return cls.apply(x, values, *key.indices, dims=key.dims, accumulate=accumulate)


def _put(out: Any, values: Any, indices: Values, dims: Shape, *, accumulate: bool) -> Any:
    key = key_of(indices, dims)
    if accumulate and any(index.dtype.kind != "b" for index in indices):
        reduce_at("add", out, key, values)
    else:  # masks name no place twice
        out[key] = out[key] + values if accumulate else values
    return out


class IndexPutImpl(IndexPut):
    """zₖ = xₖ + Σᵢ vᵢ·[indicesᵢ = k]        x̄ = z̄,  v̄ᵢ = z̄[indicesᵢ]"""


@op(IndexPut, inplace=True, inplace_function=True)
def index_put(
    input: Tensor,
    indices: Sequence[Tensor],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """`input`, but `values` at the places `[indices[0][k], indices[1][k], …]`.

    Args:
        input: tensor of shape `S`.
        indices: a tuple of integer or bool tensors, as in `input[indices]`.
        values: tensor of the dtype of `input` that broadcasts to the shape of `input[indices]`.
        accumulate: add to what is there; values for one place add up. Otherwise one of them stays.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such place.
        ShapeError: if `values` does not fit.
        DTypeError: if the dtypes differ.
        ArgumentTypeError: if `indices` is no tuple of tensors.

    Example:
        >>> index_put(tensor([1, 2, 3]), (tensor([0, 2]),), tensor([7, 8]))
        tensor([7, 2, 8])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
    """
    wanted = "index_put(): argument 'indices' (position 1) must be tuple of Tensors"
    check.kind(wanted, indices, (tuple, list), "There is one for each dim. Write `(index,)`.")
    for index in indices:
        check.tensor("index_put", index)
        check_names_places(index)
    check.tensor("index_put", values)
    check_values_dtype(input, indices, values)
    return put_at(input, tuple(range(len(indices))), indices, values, accumulate=accumulate)


def check_values_dtype(input: Tensor, indices: Sequence[Any], values: Tensor) -> None:
    """Raise unless the values have the dtype of `input`; one value for a mask is converted."""
    is_one = values.numel() == 1 and (values.dtype.kind != "c" or input.dtype.kind == "c")
    if not is_one or not all(index.dtype.kind == "b" for index in indices):
        said = "Index put requires the source and destination dtypes match"
        check.same_dtype(said, input, values)


def put_at(
    input: Tensor,
    dims: Shape,
    indices: Sequence[Any],
    values: Tensor,
    *,
    accumulate: bool = False,
) -> Tensor:
    """`input`, but `values` to `input[:, …, indices[k], …]`, each at its place in `dims`.

    Raises:
        DimError: if there is no such place.
        ShapeError: if `values` does not fit.
    """
    if sum(dims_of(index) for index in indices) > input.ndim:
        raise _too_many(input, indices)
    arrays = tuple([index_array(index, input.payload) for index in indices])
    try:
        chosen = shape_of_choice(tuple(input.shape), arrays, dims)
    except IndexError as error:
        raise refusal(error, tuple(input.shape), dims, arrays)
    _check_values(values, chosen)
    return IndexPut.apply(input, values, *arrays, dims=dims, accumulate=accumulate)


def _check_values(values: Tensor, shape: Shape) -> None:
    try:
        fits = np.broadcast_shapes(values.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise errors.ShapeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}. Each place takes a value. Write values of "
            "that shape, or one for all."
        )


# Places counted row by row ------------------------------------------------------------------------


class _Flat(Linear):
    """An op whose last operand is an index into the elements of the first, row by row."""

    promotes = None
    differentiates = slice(-1)
    keeps_index = True

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.index = inputs[0].shape, np.copy(inputs[-1])

    @classmethod
    def vmap(cls, info, in_dims, *operands, **how):
        """The elements of all examples stand one behind the other."""
        *values, index = batch_all(info, in_dims, operands)
        size = math.prod(values[0].shape[1:])
        begins = backend_of(array_of(index)).asarray(np.arange(info.batch_size) * size)
        index = index + begins.reshape(info.batch_size, *(1,) * (index.ndim - 1))
        return cls.apply(*values, index, **how)


class Take(_Flat):
    """yᵢ = x[indexᵢ]        x̄ₖ = Σᵢ ȳᵢ·[indexᵢ = k]"""

    @staticmethod
    def forward(x, index):
        return x.reshape(-1)[index]

    @staticmethod
    def backward(ctx, grad):
        return run(Put, zeros_like(grad, ctx.shape), grad, ctx.index, accumulate=True)


class Put(_Flat):
    """z = x,  z[indexᵢ] = sᵢ        x̄ = z̄,  x̄[indexᵢ] = 0,  s̄ᵢ = z̄[indexᵢ]"""

    @staticmethod
    def forward(x, source, index, *, accumulate):
        out = np.copy(x, order="C")
        row = out.reshape(-1)
        if accumulate:
            # NumPy has a fast way for places in one row, many times that of others.
            backend_of(out).reduce_at("add", row, index.reshape(-1), source.reshape(-1))
        else:
            row[index] = source
        return out

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_source = ctx.needs_input_grad
        left = grad
        if wants_x and not ctx.accumulate:
            zeros = zeros_like(grad, ctx.index.shape)
            left = run(Put, grad, zeros, ctx.index, accumulate=False)
        read = run(Take, grad, ctx.index) if wants_source else None
        return left if wants_x else None, read


@op(Take, out_exact=True, out_apart=True)
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at places counted row by row, whatever shape `input` has.

    Args:
        input: tensor of `n` elements.
        index: int64 tensor of shape `S`, from `-n` to `n - 1`.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: if `index` holds other numbers.
        DimError: if there is no such place.

    Example:
        >>> take(tensor([[4, 3], [2, 1]]), tensor([0, 3]))
        tensor([4, 1])

    See also: https://pytorch.org/docs/stable/generated/torch.take.html
    """
    return Take.apply(input, _in_a_row("take", input, index))


@op(Put, inplace=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with other elements at places counted row by row.

    Args:
        input: tensor of `n` elements.
        index: int64 tensor, from `-n` to `n - 1`.
        source: as many elements as `index` has, of the dtype of `input`.
        accumulate: whether they are added to what is there.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        DTypeError: if `index` or `source` holds other numbers.
        DimError: if there is no such place, or not one element for each.

    Example:
        >>> put(tensor([[4, 3], [2, 1]]), tensor([0, 3]), tensor([7, 8]))
        tensor([[7, 3],
                [2, 8]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.put_.html
    """
    check.tensor("put", source)
    check.same_dtype("put_(): self and source expected to have the same dtype", input, source)
    places = _in_a_row("put_", input, index)
    if source.numel() != places.numel():
        raise errors.DimError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {places.numel()}. "
            "Each place takes one."
        )
    if source.shape != places.shape:
        source = source.reshape(places.shape)
    return Put.apply(input, source, places, accumulate=bool(accumulate))


def _in_a_row(name: str, input: Tensor, index: Tensor) -> Tensor:
    """An index into all elements of `input`, counted from the first."""
    check.tensor(name, index)
    check.long(f"{name}(): Expected a long tensor for index,", index)
    n, places = input.numel(), visible(index.payload)
    if index.numel() and not n:
        raise errors.DimError(f"{name}(): tried to {name.strip('_')} from an empty tensor.")
    if places is not None and places.size and not -n <= places.min() <= places.max() < n:
        wrong = places[(places < -n) | (places >= n)][0]
        raise errors.DimError(
            f"out of range: tried to access index {int(wrong)} on a tensor of {n} elements. "
            f"Write places from {-n} to {n - 1}."
        )
    return (index + n).where(index < 0, index)


class UnravelIndex(Along):
    """y, z, … = unravel(x, shape)"""

    promotes = None
    differentiable = False
    multiple = True

    @staticmethod
    def forward(x, *, shape):
        steps = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
        return tuple([x // step % n for n, step in zip(shape, steps, strict=True)])


@function(UnravelIndex)
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Places in a tensor of a shape, one index for each dim, from places counted row by row.

    Args:
        indices: tensor of integers, of shape `S`.
        shape: the sizes of the dims.

    Returns:
        For each dim an int64 tensor of shape `S`.

    Raises:
        ArgumentTypeError: if `indices` holds other numbers.
        ArgumentError: for a negative size.

    Example:
        >>> unravel_index(tensor([3, 5]), (2, 3))
        (tensor([1, 1]), tensor([0, 2]))

    See also: https://pytorch.org/docs/stable/generated/torch.unravel_index.html
    """
    check.tensor("unravel_index", indices)
    said = "expected 'indices' to be integer dtype, but got {dtype}. They count elements"
    check.dtype(said, indices, "iu", "Write `indices.long()`.", errors.ArgumentTypeError)
    sizes = ints_of(shape, "unravel_index", "shape")
    if min(sizes, default=0) < 0:
        raise errors.ArgumentError(
            f"'shape' cannot have negative values, but got {sizes}. A size counts elements."
        )
    return UnravelIndex.apply(indices, shape=sizes)


# Writing ------------------------------------------------------------------------------------------


def setitem(input: Tensor, index: Any, value: Any) -> None:
    """`input[index] = value`.

    Args:
        input: tensor, written in place.
        index: what `input[index]` takes.
        value: a number, or a tensor that broadcasts to `input[index]`.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        DimError: if there is no such place.
        ShapeError: if `value` does not fit.
        DTypeError: if the dtype has no room for it.
        DeviceError: if a tensor of another device is to go to places that `index` names by tensors.

    Example:
        >>> x = tensor([1.0, 2.0, 3.0])
        >>> x[1:] = 0
        >>> x
        tensor([1., 0., 0.])
    """
    new = value.payload if isinstance(value, Tensor) else value
    if not (is_array(new) or isinstance(new, (bool, int, float, complex, np.generic))):
        raise errors.ArgumentTypeError(
            f"can't assign a {type(value).__name__} to a tensor. "
            "Write `x[index] = glassgrad.tensor(values)`."
        )
    rounds = input.dtype == float16 and not isinstance(new, (complex, np.complexfloating))
    if not (is_array(new) or rounds):  # what is too large for a float16 is inf there
        new = value = fill_value("setitem", input, new)
    if index is False:
        return
    index = None if index is True else index
    if special and (below := level_below("setitem", input, value)):
        with below:
            setitem(input, index, value)
        return
    if isinstance(value, Tensor) and type(new) is not type(input.payload):
        value = _moved(value, input, index)
        new = value.payload
    try:
        if must_follow(input, value) or isinstance(input.payload, Layer):
            _record(input, index, value)
        elif (
            index.__class__ is int
            and getattr(new, "ndim", 0) < input.ndim
            and _has_own_memory(input.payload, index)
        ):
            write(input, "setitem", lambda array: array.__setitem__(index, new))
        else:
            target, dims, indices = parse(wrap(input.payload), index)
            key = key_of(indices, dims) if dims else ...
            if dims and isinstance(value, Tensor):
                check_values_dtype(target, indices, value)
            if is_array(new) and new.size > 1:
                check_memory(target, "setitem")
                check_apart(input, value, "setitem", target.payload)
            place = target.payload
            write(input, "setitem", lambda _: place.__setitem__(key, new), may_overlap=True)
    except errors.GlassgradError as error:
        if isinstance(error, errors.ShapeError):
            _check_room(input, index, new)
        check.told(error)
        raise


def _check_room(input: Tensor, index: Any, new: Any) -> None:
    """Raise ShapeError, in PyTorch's words, if an array does not fit where `index` leads."""
    values = wrap(np.asarray(new) if isinstance(new, np.generic) else new)
    target, dims, indices = parse(wrap(input.payload), index)
    if dims:
        _check_values(values, shape_of_choice(tuple(target.shape), indices, dims))
    else:
        expanded_size(tuple(target.shape), _without_leading_ones(values), values.dtype)


def _moved(value: Tensor, input: Tensor, index: Any) -> Tensor:
    """The value on the device of `input`; only what goes to places that tensors name stays."""
    if value.device == input.device:
        return value
    indices = as_tuple(index)
    if value.ndim and any(isinstance(each, (Tensor, np.ndarray, list)) for each in indices):
        raise errors.DeviceError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{input.device} and {value.device}! Places that a tensor names take values of their "
            f"own device only. Write `x[index] = value.to({str(input.device)!r})`."
        )
    return value.to(input.device)


def _has_own_memory(array: Any, index: int) -> bool:
    """Whether there is such an element, and a place for each part of it."""
    return array.ndim > 0 and -len(array) <= index < len(array) and 0 not in array.strides


def _record(input: Tensor, index: Any, value: Any) -> None:
    """Write to a view of the places that `index` names, or put the value at each of them."""
    target, dims, indices = parse(input, index)
    if not isinstance(value, Tensor):
        asarray = backend_of(array_of(target)).asarray
        value = wrap(silently(asarray, value, target.dtype))
    if dims:
        sizes = _without_leading_ones(value)
        value = value if sizes == value.shape else value.view(sizes)
        check_values_dtype(target, indices, value)
        in_place(
            "index_put", target, lambda x: put_at(x, dims, indices, value), [value], copies=False
        )
    elif value.shape == target.shape:
        target.copy_(value)
    elif value.ndim == 0:
        target.fill_(value)
    else:
        target.copy_(value.view(_without_leading_ones(value)).expand(target.shape))


def _without_leading_ones(value: Tensor) -> Shape:
    shape = value.shape
    return shape[next((dim for dim, n in enumerate(shape) if n != 1), len(shape)) :]


operators(getitem=getitem, setitem=setitem)
