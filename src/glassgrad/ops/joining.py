"""Parts of tensors: cut out, seen by strides, taken apart, and put together.

`select` and `narrow` show a part, `as_strided` and `unfold` any places in memory; `split` and
`unbind` show all parts, `cat` and `stack` join them.
"""

import functools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, combinations_with_replacement, pairwise
from itertools import combinations as in_order
from typing import Any

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, DimError, RangeError, ShapeError
from glassgrad.core.primitive import Parameters
from glassgrad.core.state import Shape, Values
from glassgrad.core.tensor import Size, Tensor
from glassgrad.memory.calls import warn
from glassgrad.memory.views import as_view, offsets, show
from glassgrad.values.backend import backend_of, in_rows
from glassgrad.values.dtypes import int64
from glassgrad.values.layers import Layer, array_of
from glassgrad.values.operands import broadcast_text

from . import _checks as check
from ._arguments import OpClass, dim_there, int_of, ints_of, size_of, wrap_dim
from ._declaring import function, method, of_numpy, op, operators
from ._families import Along, Into, KeepsShape, Linear, Moved, Part, Replaced, Transposed
from ._rules import batch_all, in_dim, on_tensors, piece, run, zeros_like
from ._writing import reshaped_in_place
from .memory import owner_of, steps_of
from .scattering import IndexAdd, IndexSelect

Tensors = Sequence[Tensor]

# One element of a dim, and a range of them --------------------------------------------------------


class Select(Part):
    """y = x[index]        x̄ᵢ = ȳ·[i = index]"""

    @staticmethod
    def forward(x, *, dim, index):
        return x[piece(index, dim)]


class SelectInto(Into):
    """yᵢ = x·[i = index]        x̄ = ȳ[index]"""

    node = "SelectBackwardBackward0"
    of = Select


class SelectScatter(Replaced):
    """z = x,  z[index] = s        x̄ = z̄,  x̄[index] = 0,  s̄ = z̄[index]"""

    of = Select


class Slice(Part):
    """yᵢ = x[start + step·i]        x̄ₖ = Σᵢ ȳᵢ·[start + step·i = k]"""

    @staticmethod
    def forward(x, *, dim, start, end, step):
        return x[piece(slice(start, end, step), dim)]


class SliceInto(Into):
    """yₖ = Σᵢ xᵢ·[start + step·i = k]        x̄ᵢ = ȳ[start + step·i]"""

    node = "SliceBackwardBackward0"
    of = Slice


class SliceScatter(Replaced):
    """z = x,  z[start + step·i] = sᵢ
    x̄ = z̄,  x̄[start + step·i] = 0,  s̄ᵢ = z̄[start + step·i]
    """

    of = Slice


@op()
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One element of a dim, which is then gone.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: from `-n` to `n - 1`.

    Returns:
        A view without that dim.

    Raises:
        DimError: if there is no such dim, or no such element.

    Example:
        >>> select(tensor([[1, 2], [3, 4]]), 1, 0)
        tensor([1, 3])
    """
    at = dim_to_cut("select", input, dim)
    return selected(input, at, int_of(index, "select", "index"))


def selected(input: Tensor, dim: int, index: int) -> Tensor:
    """`select`, the dim counted from the front."""
    n = input.payload.shape[dim]
    if not -n <= index < n:
        raise no_such_index(index, dim, input.shape)
    return as_view(Select.apply(input, dim=dim, index=index % n), input)


def no_such_index(index: int, dim: int, shape: Shape) -> DimError:
    """The error for an index outside of a dim of a shape."""
    n = shape[dim]
    return DimError(
        f"index {index} is out of bounds for dimension {dim} with size {n}: select(), index "
        f"{index} out of range for tensor of size {list(shape)}. Write an index from "
        f"{-n} to {n - 1}."
    )


def sliced(input: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    """`x[…, start:end:step]`, all of them counted from the front."""
    return as_view(Slice.apply(input, dim=dim, start=start, end=end, step=step), input)


def dim_to_cut(name: str, input: Tensor, dim: int, error: type[Exception] = DimError) -> int:
    """The dim counted from the front.

    Raises:
        DimError: or another error, for a 0-d tensor.
    """
    if not input.ndim:
        raise error(
            f"{name}() cannot be applied to a 0-dim tensor: {name} expects at least a "
            "1-dimensional tensor, got a tensor with 0 dims. There is nothing to cut. Write "
            "`x.item()` for its value, or `x.reshape(1)` first."
        )
    return wrap_dim(dim, input.ndim)


@op()
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A range of a dim.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        start: where the range begins; negative ones count from the end.
        length: how many elements it has.

    Returns:
        A view of shape `(…, length, …)`.

    Raises:
        DimError: if there is no such dim, or `start` is outside of it.
        ShapeError: if the range reaches over the end.

    Example:
        >>> narrow(tensor([1, 2, 3, 4]), 0, 1, 2)
        tensor([2, 3])
    """
    at = dim_to_cut("narrow", input, dim, ShapeError)
    length = int_of(length, "narrow", "length")
    said = "narrow(): length must be non-negative, got {}"
    check.least(said, length, 0, "It counts elements. Write where the range begins as `start`.")
    if isinstance(start, Tensor) and (start.ndim or start.dtype.kind not in "iu"):
        raise ShapeError(
            f"start must be an 0-dim integral Tensor, got {start.dtype} of shape "
            f"{list(start.shape)}. A range begins at one place. Write an int, or `start[0]`."
        )
    n, first = input.shape[at], int_of(start, "narrow", "start")
    said = "start out of range (expected to be in range of [{low}, {high}], but got {})"
    check.within(said, first, -n, n, "The range begins inside of the dim.", DimError)
    first += n if first < 0 else 0
    if first + length > n:
        raise ShapeError(
            f"start ({first}) + length ({length}) exceeds dimension size ({n}). The range ends "
            f"inside of the dim. Write a length up to {n - first}."
        )
    return sliced(input, at, first, first + length, 1)


@op()
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A copy of what `narrow` shows.

    Example:
        >>> narrow_copy(tensor([1, 2, 3, 4]), 0, 1, 2)
        tensor([2, 3])
    """
    return narrow(input, dim, start, length).clone()


@method(name="slice")
def slice_along(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """What `x[…, start:end:step]` is, in a dim.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        start, end: where it begins, and before which it ends; negative ones count from the end.
        step: how far the next one is.

    Returns:
        A view.

    Raises:
        DimError: if there is no such dim.
        ArgumentError: if `step` is not positive.

    Example:
        >>> slice_along(tensor([1, 2, 3, 4]), 0, 1, None, 2)
        tensor([2, 4])
    """
    at = dim_to_cut("slice", input, dim)
    return sliced(input, at, *read_slice(slice(start, end, step), input.shape[at]))


def read_slice(item: slice, n: int) -> tuple[int, int, int]:
    """(start, end, step) of a slice of a dim of size `n`, 0 <= start <= end <= n.

    Raises:
        ArgumentError: for a step of 0 or below.
        ArgumentTypeError: for bounds that are no integers.
    """
    try:
        step = 1 if item.step is None else operator.index(item.step)
        start, end, _ = slice(item.start, item.stop).indices(n)
    except TypeError:
        raise ArgumentTypeError(
            "slice indices must be integers or None or have an __index__ method, got "
            f"{item}. They name places. Write `int(i)`."
        )
    if step < 1:
        raise ArgumentError(
            ("slice step cannot be zero" if step == 0 else "step must be greater than zero")
            + f", got {item}. A view walks forwards. Write `x.flip(0)` to turn a dim around."
        )
    return start, max(start, end), step


@op(SelectScatter)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """`input` with `src` in the place of one element of a dim.

    Args:
        input: tensor of shape `S`.
        src: tensor of the shape of `input.select(dim, index)`.
        dim, index: of which dim, and which element.

    Returns:
        A copy of shape `S`.

    Raises:
        DimError: if there is no such element.
        ShapeError: if `src` has another shape.

    Example:
        >>> select_scatter(tensor([[1, 2], [3, 4]]), tensor([0, 0]), 1, 0)
        tensor([[0, 2],
                [0, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.select_scatter.html
    """
    shown = select(input, dim, index)
    at = wrap_dim(dim, input.ndim)
    place = int_of(index, "select_scatter", "index") % input.shape[at]
    return SelectScatter.apply(input, source_for(input, src, shown), dim=at, index=place)


@op(SliceScatter)
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """`input` with `src` in the place of a range of a dim.

    Args:
        input: tensor of shape `S`.
        src: tensor of the shape of that range.
        dim, start, end, step: the range, as in `x[start:end:step]`.

    Returns:
        A copy of shape `S`.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if `src` has another shape.

    Example:
        >>> slice_scatter(tensor([1, 2, 3, 4]), tensor([0, 0]), 0, 1, 3)
        tensor([1, 0, 0, 4])

    See also: https://pytorch.org/docs/stable/generated/torch.slice_scatter.html
    """
    at = dim_to_cut("slice", input, dim)
    start, end, step = read_slice(slice(start, end, step), input.shape[at])
    source = source_for(input, src, sliced(input, at, start, end, step))
    return SliceScatter.apply(input, source, dim=at, start=start, end=end, step=step)


def source_for(input: Tensor, src: Tensor, shown: Tensor) -> Tensor:
    """`src`, in the dtype of `input`.

    Raises:
        ShapeError: if it has not the shape of `shown`, the place that it is for.
    """
    if src.shape != shown.shape:
        raise ShapeError(
            "expected src to have a size equal to the slice of self. "
            f"src size = {list(src.shape)}, slice size = {list(shown.shape)}. Each place takes "
            "one element. Write `src.expand(…)`."
        )
    return src.to(input.dtype)


# Any places in memory -----------------------------------------------------------------------------


class AsStrided(Transposed):
    """yᵢ = x[storage_offset + stride·i]
    dyᵢ = dx[storage_offset + stride·i]
    x̄ₖ = Σᵢ ȳᵢ·[storage_offset + stride·i = k]

    Places in memory are counted from the first element of x, which is the one at `own`.
    """

    promotes = None
    views = True

    @staticmethod
    def forward(x, *, size, stride, storage_offset, own):
        return backend_of(x).strided(x, size, stride, storage_offset - own)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.steps = inputs[0].shape, steps_of(inputs[0])

    @staticmethod
    def backward(ctx, grad):
        """The gradient of the memory; of it, what `x` shows."""
        shown, own, n = _places(grad, ctx)
        zeros, row = zeros_like(grad, (n,)), grad.reshape(-1)
        of_memory = run(IndexAdd, zeros, row, shown, dim=0, alpha=1)
        if 0 in ctx.steps:  # several elements of x share a place: each gets its part
            of_memory = of_memory / _holders(own, n, grad.dtype)
        return run(IndexSelect, of_memory, own, dim=0).reshape(ctx.shape)

    @classmethod
    @on_tensors
    def jvp(cls, ctx, dx):
        """A view of a tangent that lies in memory as x does."""
        if steps_of(dx) == ctx.steps and _is_within(ctx):
            return cls.apply(dx, **ctx.parameters)
        return super().jvp(ctx, dx)

    @classmethod
    def vmap(cls, info, in_dims, x, *, size, stride, **offsets):
        return cls.apply(
            x, size=(info.batch_size, *size), stride=(steps_of(x)[0], *stride), **offsets
        )


def _places(like: Any, ctx: Any) -> tuple[Any, Any, int]:
    """Where in memory each element of y is, and each of x: vectors; and how large the memory is."""
    shown = offsets(ctx.size, ctx.stride).reshape(-1) + (ctx.storage_offset - ctx.own)
    own = offsets(ctx.shape, ctx.steps).reshape(-1)
    first = min(np.min(shown, initial=0), 0)
    n = int(max(np.max(shown, initial=0), np.max(own, initial=0))) + 1 - first
    asarray = backend_of(array_of(like)).asarray
    return asarray(shown - first), asarray(own - first), n


def _holders(own: Any, n: int, dtype: Any) -> Any:
    """How many elements of x are at each of the n places in memory; 1 where none is."""
    return np.astype(np.maximum(np.bincount(own, minlength=n), 1), dtype)


def _is_within(ctx: Any) -> bool:
    """Whether y shows nothing before the first or behind the last element of x."""
    first = ctx.storage_offset - ctx.own
    return first >= 0 and first + _reach(ctx.size, ctx.stride) <= _reach(ctx.shape, ctx.steps)


def _reach(size: Shape, stride: Shape) -> int:
    """How many elements of memory there are from the first to the last, both included."""
    if 0 in size:
        return 0
    return 1 + sum([(n - 1) * step for n, step in zip(size, stride, strict=True)])


@op(AsStrided)
def as_strided(
    input: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """A view of the memory of `input`, with any sizes and strides.

    Args:
        input: tensor of any shape.
        size: the sizes of the view.
        stride: how many elements of memory lie between neighbours along each dim.
        storage_offset: which element of the memory is the first one; None: the first of `input`.

    Returns:
        A view. Elements that show one place in memory add up their gradients.

    Raises:
        ShapeError: if there are not as many sizes as strides, one is negative, or the memory is
            too small.

    Example:
        >>> as_strided(tensor([1, 2, 3]), (2, 2), (1, 1))
        tensor([[1, 2],
                [2, 3]])

    See also: https://pytorch.org/docs/stable/generated/torch.as_strided.html
    """
    given = _checked(input, size, stride, storage_offset)
    return as_view(AsStrided.apply(input, **given), input)


class AsStridedInPlace(AsStrided):
    """yᵢ = x[storage_offset + stride·i]
    dyᵢ = dx[storage_offset + stride·i]
    x̄ₖ = Σᵢ ȳᵢ·[storage_offset + stride·i = k]
    """

    node = "AsStridedBackward1"


@op(out=False, inplace=False)
def as_strided_(
    input: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """`as_strided`, in place: `input` shows other elements of its memory.

    Example:
        >>> as_strided_(tensor([1, 2, 3]), (2, 2), (1, 1))
        tensor([[1, 2],
                [2, 3]])
    """
    given = _checked(input, size, stride, storage_offset)
    return reshaped_in_place("as_strided", AsStridedInPlace, input, **given)


def _checked(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> Parameters:
    """The parameters of a view by strides.

    Raises:
        ShapeError: if there is no such view.
    """
    sizes = size_of((tuple(size),), "as_strided")
    steps = size_of((tuple(stride),), "as_strided", argument="stride")
    own = input.storage_offset()
    offset = own
    if storage_offset is not None:
        offset = int_of(storage_offset, "as_strided", "storage_offset")
    said = "mismatch in length of strides and shape: {} and {}"
    why = "As size and stride must have the same length, write one of both for each dim."
    check.equal(said, len(steps), len(sizes), why)
    if min((*sizes, *steps, offset)) < 0:
        raise ShapeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(steps)} with sizes {list(sizes)} and the storage offset {offset}. Memory is "
            "walked forwards. Write `x.flip(dim)` to turn a dim around."
        )
    if 0 not in sizes:
        _check_memory(input, sizes, steps, offset)
    return {"size": sizes, "stride": steps, "storage_offset": offset, "own": own}


@op()
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """`input` with `src` in the place of what `as_strided` shows of it.

    Args:
        input: tensor of shape `S`.
        src: tensor of shape `size`.
        size, stride, storage_offset: which elements; see `as_strided`.

    Returns:
        A copy of shape `S`.

    Raises:
        ShapeError: if there is no such memory, or `src` has another shape.

    Example:
        >>> as_strided_scatter(tensor([1, 2, 3]), tensor([0, 0]), (2,), (2,))
        tensor([0, 2, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.as_strided_scatter.html
    """
    out = input.clone()
    shown = as_strided(out, size, stride, storage_offset)
    shown.copy_(source_for(input, src, shown))
    return out


def _check_memory(input: Tensor, size: Shape, stride: Shape, start: int) -> None:
    """Raise if there is no such memory; inside vmap, if one example does not show it."""
    end, itemsize = start + _reach(size, stride), input.itemsize
    while isinstance(input.payload, Layer):
        if input.payload.batched:
            own, n = input.storage_offset(), _reach(input.shape, steps_of(input))
            no_examples = input.numel() and not array_of(input).size
            if not no_examples and not own <= start < end <= own + n:
                raise ShapeError(
                    f"result = tensor.as_strided({list(size)}, {list(stride)}, {start}) can access "
                    "memory outside of `tensor`. `result` can access some memory in range "
                    f"[{start}, {end - 1}], but `tensor`, one example of shape "
                    f"{list(input.shape)}, only in range [{own}, {own + n - 1}]. This is not "
                    "supported inside of vmap, please try to rewrite the `as_strided` call as a "
                    "sequence of view operations such as `x[…]` and `x.t()`."
                )
            return
        input = input.payload.value
    whole = owner_of(input, of_any_dtype=True)
    n = _reach(whole.shape, steps_of(whole)) * whole.itemsize // itemsize
    if end > n:
        raise ShapeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and "
            f"itemsize {itemsize} requiring a storage size of {end * itemsize} are out of bounds "
            f"for storage of size {n * itemsize}. Choose smaller ones."
        )


class Unfold(Part):
    """yᵢₖ = x[step·i + k]        x̄ⱼ = Σᵢₖ ȳᵢₖ·[step·i + k = j]"""

    axes = ("dimension",)

    @staticmethod
    def forward(x, *, dimension, size, step):
        sizes, strides = list(x.shape), list(steps_of(x))
        inner = strides[dimension]
        sizes[dimension] = (sizes[dimension] - size) // step + 1
        strides[dimension] *= step
        return backend_of(x).strided(x, (*sizes, size), (*strides, inner), 0)


class UnfoldInto(Into):
    """yⱼ = Σᵢₖ xᵢₖ·[step·i + k = j]        x̄ᵢₖ = ȳ[step·i + k]"""

    node = "UnfoldBackwardBackward0"
    of = Unfold

    @staticmethod
    def forward(x, *, shape, dimension, size, step):
        out, reach = zeros_like(x, shape), (x.shape[dimension] - 1) * step + 1
        for k in range(size):  # the places of the k-th elements differ from each other
            out[in_dim(slice(k, k + reach, step), dimension)] += x[..., k]
        return out


@method()
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of a dim, without a copy.

    Args:
        input: tensor of shape `(…, n, …)`.
        dimension: which dim has the size `n`.
        size: how long each window is.
        step: how far the next one begins.

    Returns:
        A view of shape `(…, (n - size) // step + 1, …, size)`. Windows that overlap show the same
        memory.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if a window is longer than the dim.
        ArgumentError: if `size` is negative, or `step` not positive.
        ArgumentTypeError: if one of them is no integer.

    Example:
        >>> tensor([1, 2, 3, 4]).unfold(0, 2, 1)
        tensor([[1, 2],
                [2, 3],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.unfold.html
    """
    at = wrap_dim(dimension, input.ndim)
    size, step = int_of(size, "unfold", "size"), int_of(step, "unfold", "step")
    longest = input.shape[at] if input.ndim else 1
    if size > longest:
        raise ShapeError(
            f"maximum size for tensor at dimension {at} is {longest} but size is {size}: the shape "
            f"is {list(input.shape)}. A window lies within its dim. Write a smaller size."
        )
    why = "It counts the elements of a window. Write a number from 0 on."
    check.least("size is {} but must be >= 0", size, 0, why, ArgumentError)
    said = "step is {} but must be > 0"
    check.least(said, step, 1, "Windows move forwards. Write a number from 1 on.", RangeError)
    if not input.ndim:
        return unfold(input.reshape(1), 0, size, 1)[0]
    return as_view(Unfold.apply(input, dimension=at, size=size, step=step), input)


# Put together -------------------------------------------------------------------------------------


class Cat(Linear, Along):
    """z = cat(x, y, …),  x, y, … = tensors        x̄, ȳ, … = split z̄"""

    @staticmethod
    def forward(*tensors, dim):
        present = [x for x in tensors if x.shape != (0,)] or tensors
        return in_rows(np.concatenate(present, axis=dim))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shapes = tuple([x.shape for x in inputs])

    @staticmethod
    def backward(ctx, grad):
        parts, start = [], 0
        for edge, shape in zip(ctx.edges, ctx.shapes, strict=True):
            if shape == (0,):  # which may stand beside tensors of more dims
                parts.append(grad.reshape(-1)[:0])
                continue
            end = start + shape[ctx.dim]
            parts.append(
                None
                if edge is None
                else run(Slice, grad, dim=ctx.dim, start=start, end=end, step=1)
            )
            start = end
        return tuple(parts)

    @classmethod
    def vmap(cls, info, in_dims, *tensors, dim):
        """Examples of shape (0,), which may stand beside others, get no batch in front."""
        lined = batch_all(info, in_dims, tensors)
        if any(x.shape[1:] != (0,) for x in lined):
            lined = [x.reshape(0) if x.shape[1:] == (0,) else x for x in lined]
        return cls.apply(*lined, dim=dim + 1)


@function(Cat, out_apart=True, aliases=("concat", "concatenate"), axis=True)
def cat(tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors one behind the other in a dim they have.

    Args:
        tensors: tensors of shapes `(…, nᵢ, …)`, the same but for `nᵢ`; those of shape `(0,)` are
            passed over.
        dim: which dim has the sizes `nᵢ`.

    Returns:
        Tensor of shape `(…, Σ nᵢ, …)`, of the promoted dtype.

    Raises:
        ArgumentError: for no tensors.
        ShapeError: if the shapes differ elsewhere, or are those of 0-d tensors.
        DimError: if there is no such dim.

    Example:
        >>> cat([tensor([1, 2]), tensor([3])])
        tensor([1, 2, 3])

    See also: https://pytorch.org/docs/stable/generated/torch.cat.html
    """
    parts = _some("cat", tensors, ArgumentError)
    shapes = [x.payload.shape for x in parts]
    if () in shapes:
        raise ShapeError(
            f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated. It "
            "has no dim to put others behind. Write `stack(tensors)`."
        )
    wide = [shape for shape in shapes if shape != (0,)] or shapes
    first, at = wide[0], wrap_dim(dim, len(wide[0]))
    for shape in wide:
        if len(shape) != len(first):
            raise ShapeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)} "
                f"(shapes {list(first)} and {list(shape)}). Write `x.unsqueeze(dim)` for the "
                "shorter."
            )
        if shape[:at] != first[:at] or shape[at + 1 :] != first[at + 1 :]:
            pairs = enumerate(zip(first, shape, strict=True))
            other, (n, m) = next(each for each in pairs if each[0] != at and len({*each[1]}) > 1)
            raise ShapeError(
                f"Sizes of tensors must match except in dimension {at}. Expected size {n} but "
                f"got size {m} in dimension {other}: shapes {list(first)} and {list(shape)}. "
                "Choose another dim, or cut one of them."
            )
    return Cat.apply(*parts, dim=at)


class Stack(Linear, Along):
    """z = stack(x, y, …),  x, y, … = tensors        x̄, ȳ, … = unbind z̄"""

    @staticmethod
    def forward(*tensors, dim):
        return in_rows(np.stack(tensors, axis=dim))

    @staticmethod
    def backward(ctx, grad):
        return tuple(
            [
                None if edge is None else run(Select, grad, dim=ctx.dim, index=index)
                for index, edge in enumerate(ctx.edges)
            ]
        )


@function(Stack, out_apart=True, axis=True)
def stack(tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors beside each other in a new dim.

    Args:
        tensors: `n` tensors of one shape `S`.
        dim: where the new dim will be, from `-len(S) - 1` to `len(S)`.

    Returns:
        Tensor of shape `S` with `n` at `dim`, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or different shapes.
        DimError: if there is no such place.

    Example:
        >>> stack([tensor([1, 2]), tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.stack.html
    """
    parts = _some("stack", tensors)
    shapes = [x.payload.shape for x in parts]
    at = wrap_dim(dim, len(shapes[0]) + 1)
    for position, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(shapes[0])} at "
                f"entry 0 and {list(shape)} at entry {position}. Each becomes one layer of the "
                "result. Write `cat(tensors)` to join them in a dim they have, or cut them."
            )
    return Stack.apply(*parts, dim=at)


def tensors_of(name: str, tensors: Any) -> list[Tensor]:
    """The tensors of a list, which is the first argument of the op called `name`.

    Raises:
        ArgumentTypeError: if it is no list, or has something else in it.
    """
    wanted = f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors"
    check.kind(wanted, tensors, (list, tuple), f"Write them as a list: `{name}([x, y])`.")
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise ArgumentTypeError(
                f"expected Tensor as element {position} in argument 0, but got "
                f"{type(x).__name__}. {name}() joins tensors. Write `tensor(value)`."
            )
    return list(tensors)


def _some(name: str, tensors: object, error: type[Exception] = ShapeError) -> list[Tensor]:
    """The tensors of a list that is not empty."""
    parts = tensors_of(name, tensors)
    if not parts:
        raise error(
            f"{name} expects a non-empty TensorList: expected a non-empty list of Tensors, got "
            "none. Nothing has no shape. Leave the call out."
        )
    return parts


Some = Tensor | tuple[Tensor, ...]


@function(aliases=("row_stack",), out_apart=True)
def vstack(tensors: Tensors) -> Tensor:
    """Tensors below each other: vectors as rows, others joined in their first dim.

    Args:
        tensors: tensors of one shape but for the first dim, or vectors of one length.

    Returns:
        Tensor of at least two dims, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> vstack([tensor([1, 2]), tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.vstack.html
    """
    return cat([_widened(x, 2) for x in _some("vstack", tensors)])


@function(out_apart=True)
def hstack(tensors: Tensors) -> Tensor:
    """Tensors beside each other: vectors one behind the other, others joined in their second dim.

    Args:
        tensors: tensors of one shape but for the second dim, or vectors.

    Returns:
        Tensor of at least one dim, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> hstack([tensor([[1], [2]]), tensor([[3], [4]])])
        tensor([[1, 3],
                [2, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.hstack.html
    """
    parts = [_widened(x, 1) for x in _some("hstack", tensors)]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@function(out_apart=True)
def dstack(tensors: Tensors) -> Tensor:
    """Tensors behind each other, joined in their third dim.

    Args:
        tensors: tensors of one shape but for the third dim; matrices and vectors get dims of
            size 1.

    Returns:
        Tensor of at least three dims, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> dstack([tensor([[1, 2]]), tensor([[3, 4]])])
        tensor([[[1, 3],
                 [2, 4]]])

    See also: https://pytorch.org/docs/stable/generated/torch.dstack.html
    """
    return cat([_widened(x, 3) for x in _some("dstack", tensors)], 2)


@function(out_apart=True)
def column_stack(tensors: Tensors) -> Tensor:
    """Tensors beside each other: vectors as columns, others joined in their second dim.

    Args:
        tensors: vectors of length `n`, tensors of shape `(n, m, …)`.

    Returns:
        Tensor of at least two dims, of the promoted dtype.

    Raises:
        ShapeError: for no tensors, or if the shapes do not fit.

    Example:
        >>> column_stack([tensor([1, 2]), tensor([3, 4])])
        tensor([[1, 3],
                [2, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.column_stack.html
    """
    parts = _some("column_stack", tensors)
    return hstack([x if x.ndim > 1 else x.reshape(x.numel(), 1) for x in parts])


@function()
def atleast_1d(*tensors: Tensor | Tensors) -> Some:
    """Tensors, those without dims as vectors of one element.

    Args:
        tensors: one tensor, several, or one sequence of them.

    Returns:
        A tensor for one, else a tuple.

    Example:
        >>> atleast_1d(tensor(2.0))
        tensor([2.])

    See also: https://pytorch.org/docs/stable/generated/torch.atleast_1d.html
    """
    return _all("atleast_1d", 1, tensors)


@function()
def atleast_2d(*tensors: Tensor | Tensors) -> Some:
    """Tensors, those of fewer than two dims as matrices of one row; see `atleast_1d`.

    Example:
        >>> atleast_2d(tensor([1.0, 2.0]))
        tensor([[1., 2.]])
    """
    return _all("atleast_2d", 2, tensors)


@function()
def atleast_3d(*tensors: Tensor | Tensors) -> Some:
    """Tensors, those of fewer than three dims with dims of size 1; see `atleast_1d`.

    Example:
        >>> atleast_3d(tensor([1.0, 2.0])).shape
        glassgrad.Size([1, 2, 1])
    """
    return _all("atleast_3d", 3, tensors)


def _all(name: str, ndim: int, tensors: tuple[Tensor | Tensors, ...]) -> Some:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return _widened(tensors[0], ndim)
    return tuple([_widened(x, ndim) for x in _listed(name, tensors)])


def _widened(x: Tensor, ndim: int) -> Tensor:
    """`x` with at least `ndim` dims, up to 3: a vector is a row, a matrix a layer."""
    if not x.ndim:
        return x.reshape((1,) * ndim)
    if x.ndim < 2 <= ndim:
        x = x.unsqueeze(0)
    return x.unsqueeze(-1) if x.ndim < ndim else x


# Tensors that vary along dims of their own -------------------------------------------------------


@function()
def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape to which some shapes broadcast.

    Raises:
        ShapeError: if they do not.

    Example:
        >>> broadcast_shapes((2, 1), (3,))
        glassgrad.Size([2, 3])
    """
    sizes = [ints_of(shape, "broadcast_shapes", "shapes") for shape in shapes]
    try:
        return Size(np.broadcast_shapes(*sizes))
    except ValueError:
        raise ShapeError(
            f"Attempting to broadcast a dimension: shapes {sizes} do not fit. Mismatching "
            "argument: sizes of a dim, counted from the last, must be equal or 1."
        )


@function()
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Tensors stretched to one shape, without copying.

    Args:
        tensors: tensors of shapes that broadcast to `S`.

    Returns:
        Views of shape `S`; those that have it are returned themselves.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> broadcast_tensors(tensor([1, 2]), tensor([[3]]))
        (tensor([[1, 2]]), tensor([[3, 3]]))

    See also: https://pytorch.org/docs/stable/generated/torch.broadcast_tensors.html
    """
    listed = _listed("broadcast_tensors", tensors)
    shapes = [tuple(x.shape) for x in listed]
    try:
        size = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(f"{broadcast_text(*shapes)} Give them shapes that broadcast.")
    return tuple([x if x.shape == size else x.expand(size) for x in listed])


def _listed(name: str, tensors: Any) -> list[Tensor]:
    """The tensors that were given one by one, or as one list."""
    is_list = len(tensors) == 1 and isinstance(tensors[0], (list, tuple))
    return tensors_of(name, tensors[0] if is_list else tensors)


@function()
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of all points of a grid: `y[0][i, j] = a[i]`, `y[1][i, j] = b[j]`.

    Args:
        tensors: vectors, or 0-d tensors, of one dtype.
        indexing: "ij"; or "xy", with which the first two dims change places. PyTorch warns if it
            is not said.

    Returns:
        A view of each, all of them of the shape of their sizes.

    Raises:
        ShapeError: if a tensor has more dims, there is none, or for another `indexing`.
        DTypeError: if the dtypes differ.

    Example:
        >>> meshgrid(tensor([1, 2]), tensor([3, 4]), indexing="ij")
        (tensor([[1, 1],
                [2, 2]]), tensor([[3, 4],
                [3, 4]]))

    See also: https://pytorch.org/docs/stable/generated/torch.meshgrid.html
    """
    vectors = _listed("meshgrid", tensors)
    if not vectors:
        raise ShapeError("meshgrid expects a non-empty TensorList. Write a vector for each dim.")
    if indexing is None:
        warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            "argument. Write `indexing='ij'` for what it is now."
        )
    said = 'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {}'
    why = "It says which dim the first vector varies along."
    check.choice(said, indexing, (None, "ij", "xy"), why, ShapeError)
    for x in vectors:
        said = "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but"
        check.vector(said, x, "Each has a dim of its own.", or_number=True)
        said = "meshgrid expects all tensors to have the same dtype"
        check.same_dtype(said, vectors[0], x, called="y")
    dims = list(range(len(vectors)))  # along which each varies
    if indexing == "xy":
        dims[:2] = dims[1::-1]
    size = [vectors[dim].numel() for dim in dims]
    lines = [[-1 if dim == own else 1 for dim in range(len(size))] for own in dims]
    return tuple([x.reshape(line).expand(size) for x, line in zip(vectors, lines, strict=True)])


@function()
def cartesian_prod(*tensors: Any) -> Tensor:
    """All ways to take one element of each vector.

    Args:
        tensors: `k` vectors.

    Returns:
        Tensor of shape `(n, k)`; the vector itself if it is the only one.

    Raises:
        ShapeError: if one is no vector.

    Example:
        >>> cartesian_prod(tensor([1, 2]), tensor([3, 4]))
        tensor([[1, 3],
                [1, 4],
                [2, 3],
                [2, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.cartesian_prod.html
    """
    vectors = _listed("cartesian_prod", tensors)
    for x in vectors:
        check.vector("Expect a 1D vector, but", x, "An element of each is taken.")
    if len(vectors) == 1:
        return vectors[0]
    return stack([x.reshape(-1) for x in meshgrid(*vectors, indexing="ij")], 1)


_BITS = 63
"""What a number of elements has room in."""


@op()
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All ways to take `r` elements of a vector, in their order.

    Args:
        input: tensor of shape `(n,)`.
        r: how many.
        with_replacement: whether an element may be taken several times.

    Returns:
        Tensor of shape `(m, r)`.

    Raises:
        ShapeError: if `input` is no vector, or `r` is negative.

    Example:
        >>> combinations(tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]])

    See also: https://pytorch.org/docs/stable/generated/torch.combinations.html
    """
    check.vector("Expect a 1D vector, but", input, "Its elements are taken.")
    count = int_of(r, "combinations", "r")
    check.least("Expect a non-negative number, but got {}", count, 0, "It counts elements.")
    if not count:
        return input.new_empty((0,))
    if count * math.log2(max(len(input), 2)) >= _BITS:
        raise RangeError(
            f"numel: integer multiplication overflow: combinations() of {count} among "
            f"{len(input)} elements. Their number does not fit in memory. Choose a smaller `r`."
        )
    choose = combinations_with_replacement if with_replacement else in_order
    places = list(choose(range(len(input)), count))
    index = ops.as_tensor(places, dtype=int64, device=input.device) if places else None
    columns = [input[:0] if index is None else input[index[:, i]] for i in range(count)]
    return stack(columns, 1)


# NumPy's functions, to which some of it may be arrays ---------------------------------------------


def _joined(join: Callable[..., Tensor], arrays: Any, *dim: int, **axis: int) -> Tensor:
    return join([ops.as_tensor(array) for array in arrays], *dim, *axis.values())


for _numpy, _join in (
    (np.concatenate, cat),
    (np.stack, stack),
    (np.vstack, vstack),
    (np.hstack, hstack),
    (np.dstack, dstack),
    (np.column_stack, column_stack),
):
    of_numpy(_numpy)(functools.partial(_joined, _join))


# Taking tensors apart -----------------------------------------------------------------------------


class _Splitting(KeepsShape):
    """What the two ways to split share."""

    multiple = True
    views = True

    @staticmethod
    def backward(ctx, *grads):
        return run(Cat, *_filled(ctx, grads), dim=ctx.dim)


class Split(_Splitting):
    """y, z, … = split(x, split_size)        x̄ = cat(ȳ, z̄, …)"""

    @staticmethod
    def forward(x, *, split_size, dim):
        n = x.shape[dim]  # the last part may be smaller; of nothing there is one part
        sizes = [min(split_size, n - start) for start in range(0, n, split_size)] if n else [0]
        return _parts(x, dim, sizes)


class SplitWithSizes(_Splitting):
    """y, z, … = split(x, split_sizes)        x̄ = cat(ȳ, z̄, …)"""

    @staticmethod
    def forward(x, *, split_sizes, dim):
        return _parts(x, dim, split_sizes)


def _parts(x: Any, dim: int, sizes: Sequence[int]) -> Values:
    bounds = pairwise(accumulate(sizes, initial=0))
    return tuple([x[in_dim(slice(start, end), dim)] for start, end in bounds])


def _filled(ctx: Any, grads: Values) -> list[Any]:
    """The gradients of all parts; those that have none count as zeros."""
    some = next(grad for grad in grads if grad is not None)
    return [
        zeros_like(some, part.shape) if grad is None else grad
        for grad, part in zip(grads, ctx._input_metadata, strict=True)
    ]


@method(name="split")
def split_by(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """`split(input, split_size, dim)`.

    Example:
        >>> tensor([1, 2, 3]).split(split_size=2)
        (tensor([1, 2]), tensor([3]))
    """
    return split(input, split_size, dim)


@function(Split, SplitWithSizes)
def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """A tensor as several, cut in one dim.

    Args:
        tensor: tensor of shape `(…, n, …)`.
        split_size_or_sections: the size of the parts (the last may be smaller), or all sizes.
        dim: which dim has the size `n`.

    Returns:
        Views.

    Raises:
        ShapeError: if sizes are negative or do not add up to `n`.
        DimError: if there is no such dim.

    Example:
        >>> split(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))

    See also: https://pytorch.org/docs/stable/generated/torch.split.html
    """
    return show(_cut(tensor, split_size_or_sections, dim, Split, SplitWithSizes), tensor)


def _cut(tensor: Tensor, sections: Any, dim: int, *rules: OpClass) -> tuple[Tensor, ...]:
    """The parts: of one size, or for a sequence of these sizes; each has a rule."""
    at = dim_to_cut("split", tensor, dim, ShapeError)
    n, (by_size, by_sizes) = tensor.shape[at], rules
    if isinstance(sections, Sequence):
        sizes = size_of((tuple(sections),), "split", argument="split_sizes")
        if any(size < 0 for size in sizes):
            raise ShapeError(
                "split_with_sizes expects split_sizes have only non-negative entries, but got "
                f"split_sizes={list(sizes)}. They count elements. Write sizes from 0 up."
            )
        if sum(sizes) != n:
            raise ShapeError(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size "
                f"at dimension {at}), but got split_sizes={list(sizes)}. Each element goes "
                "into one part. Write `x.split(size)` for parts of one size."
            )
        return by_sizes.apply(tensor, split_sizes=sizes, dim=at)
    size = int_of(sections, "split", "split_size")
    said = "split expects split_size be non-negative, but got split_size={}"
    check.least(said, size, 0, "It counts elements. Write a list to choose all sizes.")
    if size == 0 and n:
        raise ShapeError(
            "split_size can only be 0 if dimension size is 0, but got dimension size of "
            f"{n}. Parts of 0 elements never use it up. Write a larger size."
        )
    return by_size.apply(tensor, split_size=size, dim=at)


@op()
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`split` by a list of sizes.

    Example:
        >>> split_with_sizes(tensor([1, 2, 3]), [1, 2])
        (tensor([1]), tensor([2, 3]))
    """
    return split(input, tuple(split_sizes), dim)


@op(axis=True)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """A tensor as (up to) so many parts of equal size, cut in one dim.

    Args:
        input: tensor of shape `(…, n, …)`.
        chunks: how many; fewer if that uses up the dim earlier.
        dim: which dim has the size `n`.

    Returns:
        Views; all of size `⌈n / chunks⌉` but for a smaller last one.

    Raises:
        ShapeError: for less than one part.
        DimError: if there is no such dim.

    Example:
        >>> chunk(tensor([1, 2, 3, 4, 5]), 3)
        (tensor([1, 2]), tensor([3, 4]), tensor([5]))
    """
    return split(input, _sections_of(input, chunks, dim), dim)


def _sections_of(input: Tensor, chunks: int, dim: int) -> int | Sequence[int]:
    """What `split` has to be told for so many parts."""
    n = input.shape[dim_to_cut("chunk", input, dim, ShapeError)]
    count = _count_of("chunk", "chunks", chunks)
    return -(-n // count) if n else [0] * count


MOST_EMPTY = 2**20  # parts without an element


def _count_of(name: str, argument: str, given: Any) -> int:
    count = int_of(given, name, argument)
    if count < 1:
        raise ShapeError(
            f"{name} expects `{argument}` to be greater than 0, got: {count}. The number of "
            f"{argument} must be larger than 0: there is no tensor of no parts. Write "
            "`split(x, size)` to choose their size."
        )
    return count


@op(axis=True)
def tensor_split(
    input: Tensor, indices_or_sections: int | Sequence[int] | Tensor, dim: int = 0
) -> tuple[Tensor, ...]:
    """A tensor cut into so many parts of nearly equal size, or at given places.

    Args:
        input: tensor of shape `(…, n, …)`.
        indices_or_sections: how many parts, or where to cut: a sequence, or a tensor with one dim.
        dim: which dim has the size `n`.

    Returns:
        Views.

    Raises:
        ShapeError: for less than one part.
        DimError: if there is no such dim.

    Example:
        >>> tensor_split(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))
    """
    at = dim_to_cut("tensor_split", input, dim, ShapeError)
    n = input.shape[at]
    if isinstance(indices_or_sections, Tensor):
        said = (
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
            "one-dimensional tensor, but"
        )
        check.vector(said, indices_or_sections, "It names places of one dim.", or_number=True)
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, Sequence):
        places = ints_of(indices_or_sections, "tensor_split", "indices")
        cuts = [slice(i, None).indices(n)[0] for i in places]
    else:
        count = _count_of("tensor_split", "sections", indices_or_sections)
        if count > n + MOST_EMPTY:
            raise RangeError(
                f"tensor_split was asked for {count} parts of {n} elements. There is not enough "
                "memory for so many tensors, nearly all of them empty. Write at most their number."
            )
        size, larger = divmod(n, count)
        cuts = [i * size + min(i, larger) for i in range(1, count)]
    bounds = pairwise([0, *cuts, n])
    return tuple([narrow(input, at, start, max(end - start, 0)) for start, end in bounds])


@op()
def hsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """A tensor cut along its columns, as `tensor_split` cuts; a vector along its elements.

    Raises:
        ShapeError: if there is no such dim, or it has not so many parts of one size.

    Example:
        >>> hsplit(tensor([[1, 2], [3, 4]]), 2)
        (tensor([[1],
                [3]]), tensor([[2],
                [4]]))
    """
    dim = 0 if input.ndim == 1 else 1
    return _split_evenly("hsplit", input, indices_or_sections, dim, 1)


@op()
def vsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """A tensor cut along its rows; see `hsplit`.

    Example:
        >>> vsplit(tensor([[1, 2], [3, 4]]), 2)
        (tensor([[1, 2]]), tensor([[3, 4]]))
    """
    return _split_evenly("vsplit", input, indices_or_sections, 0, 2)


@op()
def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """A tensor cut along its third dim; see `hsplit`.

    Example:
        >>> dsplit(tensor([[[1, 2]]]), 2)
        (tensor([[[1]]]), tensor([[[2]]]))
    """
    return _split_evenly("dsplit", input, indices_or_sections, 2, 3)


def _split_evenly(
    name: str, input: Tensor, indices_or_sections: int | Sequence[int], dim: int, fewest: int
) -> tuple[Tensor, ...]:
    if input.ndim < fewest:
        raise ShapeError(
            f"torch.{name} requires a tensor with at least {fewest} dimension, but got a tensor "
            f"with {input.ndim} dimensions! It has nothing to cut. Write `tensor_split`."
        )
    n, parts = input.shape[dim], indices_or_sections
    if isinstance(parts, int) and (parts <= 0 or n % parts):
        raise ShapeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the "
            f"dimension {n} is not divisible by the split_size {parts}! All parts have one size. "
            "Write `tensor_split`, whose parts may differ."
        )
    return tensor_split(input, parts, dim)


class Unbind(Moved):
    """y, z, … = unbind x        x̄ = stack(ȳ, z̄, …)"""

    multiple = True
    views = True

    @staticmethod
    def forward(x, *, dim):
        return tuple([x[piece(index, dim)] for index in range(x.shape[dim])])

    @staticmethod
    def backward(ctx, *grads):
        return run(Stack, *_filled(ctx, grads), dim=ctx.dim)


@op(Unbind, axis=True)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The elements of a dim as tensors of their own.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.

    Returns:
        `n` views without that dim.

    Raises:
        DimError: if there is no such dim.

    Example:
        >>> unbind(tensor([[1, 2], [3, 4]]), 1)
        (tensor([1, 3]), tensor([2, 4]))
    """
    at = dim_there(dim, input, "There is nothing to part. Write `x.reshape(1)` first.")
    return show(Unbind.apply(input, dim=at), input)


def iterate(input: Tensor) -> Iterator[Tensor]:
    """What `for row in x` runs over: the elements of the first dim.

    Raises:
        ArgumentTypeError: for a 0-d tensor.
    """
    why = "It has one value and no first dim. Write `x.item()`."
    check.ndim("iteration over a 0-d tensor", input, 1, why, ArgumentTypeError)
    return iter(unbind(input))


operators(iter=iterate)


class UnsafeSplit(Split):
    """y, z, … = split(x, split_size)        x̄ = cat(ȳ, z̄, …)"""

    views = False


class UnsafeSplitWithSizes(SplitWithSizes):
    """y, z, … = split(x, split_sizes)        x̄ = cat(ȳ, z̄, …)"""

    views = False


@op()
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` into parts that are no views, so that each may be written in place.

    Args:
        tensor: tensor of shape `(…, n, …)`.
        split_size: the size of the parts; the last may be smaller.
        dim: which dim has the size `n`.

    Returns:
        Tensors with the memory of `tensor`: they must not be used beside it once one is written.

    Raises:
        ShapeError, DimError: as `split`.

    Example:
        >>> unsafe_split(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))

    See also: https://pytorch.org/docs/stable/generated/torch.unsafe_split.html
    """
    return _cut(tensor, split_size, dim, UnsafeSplit, UnsafeSplitWithSizes)


@op()
def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """`unsafe_split` by a list of sizes.

    Example:
        >>> unsafe_split_with_sizes(tensor([1, 2, 3]), [1, 2])
        (tensor([1]), tensor([2, 3]))
    """
    return _cut(input, tuple(split_sizes), dim, UnsafeSplit, UnsafeSplitWithSizes)


@op()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` into parts as `unsafe_split` gives them.

    Example:
        >>> unsafe_chunk(tensor([1, 2, 3]), 2)
        (tensor([1, 2]), tensor([3]))
    """
    sections = _sections_of(input, chunks, dim)
    return _cut(input, sections, dim, UnsafeSplit, UnsafeSplitWithSizes)


_OF_EMPTY = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}


@function()
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,  # noqa: ARG001  # PyTorch's
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """One element for each of some segments that lie one behind the other along a dim.

    Args:
        data: floating-point tensor of shape `(*batch, n, *rest)`.
        reduce: "sum", "mean", "prod", "max" or "min".
        lengths: of the segments, integers of shape `(*batch, k)`; or:
        offsets: where they begin and the last one ends, of shape `(*batch, k + 1)`.
        indices: accepted; PyTorch computes nothing with them, either.
        axis: the dim, the last one of `lengths`.
        unsafe: whether the lengths need not sum up to n.
        initial: where each segment begins; what an empty one gives. Default: that of the function,
            nan for the mean of nothing.

    Returns:
        Tensor of shape `(*batch, k, *rest)`.

    Raises:
        ShapeError: for neither lengths nor offsets, or lengths that do not fit.

    Example:
        >>> segment_reduce(tensor([1.0, 2.0, 3.0]), "sum", lengths=tensor([2, 0, 1]))
        tensor([3., 0., 3.])
    """
    if lengths is None and offsets is None:
        raise ShapeError(
            "segment_reduce(): Either lengths or offsets must be defined. They say where segments "
            "begin. Write lengths=tensor([2, 1])."
        )
    sizes: Any = offsets.diff() if lengths is None and offsets is not None else lengths
    said = "reduce argument must be either sum, prod, mean, amax or amin, got {}"
    kind = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    check.choice(said, kind, _OF_EMPTY, "It is what is done with a segment.", ShapeError)
    if wrap_dim(axis, data.ndim) != sizes.ndim - 1:
        raise ShapeError(
            f"segment_reduce(): Expected axis to be the last dim of lengths, {sizes.ndim - 1}, got "
            f"{axis}. Dims before it are those of the batch."
        )
    if sizes.ndim > 1:
        options: Parameters = {"unsafe": unsafe, "initial": initial}
        rows = zip(data, sizes, strict=True)
        return stack([segment_reduce(x, kind, lengths=row, **options) for x, row in rows])
    counts = sizes.tolist()
    if not unsafe and sum(counts) != len(data):
        raise ShapeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to "
            f"data.size(lengths.dim()-1) when !unsafe: {sum(counts)} and {len(data)}."
        )
    ends = np.cumsum(counts).tolist()
    return stack(
        [_reduced(data[end - n : end], kind, initial) for n, end in zip(counts, ends, strict=True)]
    )


def _reduced(segment: Tensor, kind: str, initial: float | None) -> Tensor:
    """The elements of a segment and a first one, as one."""
    n = len(segment)
    if kind == "mean" and not n and initial is None:
        return segment.new_full(segment.shape[1:], math.nan)
    first = segment.new_full(
        (1, *segment.shape[1:]), _OF_EMPTY[kind] if initial is None else initial
    )
    found: Tensor = getattr(cat([first, segment]), "sum" if kind == "mean" else kind)(0)
    return found / n if kind == "mean" and n else found
