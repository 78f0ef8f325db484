"""Choosing elements by `x[index]`, and by its parts: select and narrow.

`x[index]` is a chain of simple ops, as in PyTorch: an int is a `Select`, a slice a `Slice`, None
an `Unsqueeze`; all of these are views. What remains, integer and bool tensors, is one `Index`,
which copies. `parse` is that translation; writing to `x[index]` starts with it too.
"""

from typing import Any

import numpy as np

from glassgrad.core.errors import DimError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.backend import backend_of

from ._dims import int_of, wrap_dim
from ._families import Along, KeepsShape, Linear, batch_all, run
from ._index import as_items, dims_of, index_array, read_slice, refusal
from ._keys import batched_key, key_of
from .shape import unsqueeze

__all__ = ["getitem", "narrow", "parse", "select"]


# One element of a dim, and a range of them --------------------------------------------------------


class Select(KeepsShape):
    """y = x[…, i, …]        dy = dx[…, i, …]        x̄ = 0 but for x̄[…, i, …] = ȳ"""

    node = "SelectBackward0"
    views = True
    axes = ("dim",)
    latex = (r"x_i", r"\dot x_i", r"\bar x_i = \bar y,\ \bar x_{j \ne i} = 0")
    promotes = None

    @staticmethod
    def forward(x, *, dim, index):
        return x[_at(dim, index)]

    @staticmethod
    def backward(ctx, grad):
        return run(SelectInto, grad, shape=ctx.shape, dim=ctx.dim, index=ctx.index)


class SelectInto(Linear, Along):
    """y = 0 but for y[…, i, …] = x        dy = 0 but for dy[…, i, …] = dx        x̄ = ȳ[…, i, …]"""

    node = "SelectBackwardBackward0"
    latex = (r"e_i x", r"e_i \dot x", r"\bar x = \bar y_i")
    promotes = None
    axes = ("dim",)
    sizes = ("shape",)

    @staticmethod
    def forward(x, *, shape, dim, index):
        return _into_zeros(x, shape, _at(dim, index))

    @staticmethod
    def backward(ctx, grad):
        return run(Select, grad, dim=ctx.dim, index=ctx.index)


class Slice(KeepsShape):
    """y = x[…, a:b:s, …]        dy = dx[…, a:b:s, …]        x̄ = 0 but for x̄[…, a:b:s, …] = ȳ"""

    node = "SliceBackward0"
    views = True
    axes = ("dim",)
    latex = (r"x_{a:b}", r"\dot x_{a:b}", r"\bar x_{a:b} = \bar y,\ 0\ \text{elsewhere}")
    promotes = None

    @staticmethod
    def forward(x, *, dim, start, end, step):
        return x[_at(dim, slice(start, end, step))]

    @staticmethod
    def backward(ctx, grad):
        return run(
            SliceInto,
            grad,
            shape=ctx.shape,
            dim=ctx.dim,
            start=ctx.start,
            end=ctx.end,
            step=ctx.step,
        )


class SliceInto(Linear, Along):
    """y = 0 but for y[…, a:b:s, …] = x        dy = so of dx        x̄ = ȳ[…, a:b:s, …]"""

    node = "SliceBackwardBackward0"
    latex = (r"x\ \text{at}\ a{:}b", r"\dot x\ \text{at}\ a{:}b", r"\bar x = \bar y_{a:b}")
    promotes = None
    axes = ("dim",)
    sizes = ("shape",)

    @staticmethod
    def forward(x, *, shape, dim, start, end, step):
        return _into_zeros(x, shape, _at(dim, slice(start, end, step)))

    @staticmethod
    def backward(ctx, grad):
        return run(Slice, grad, dim=ctx.dim, start=ctx.start, end=ctx.end, step=ctx.step)


def _at(dim: int, place: int | slice) -> tuple[Any, ...]:
    """The key of `place` in one dim. The Ellipsis makes a 0-d result an array, and so a view."""
    return (*(slice(None),) * dim, place, ...)


def _into_zeros(x: Any, shape: tuple[int, ...], key: Any) -> Any:
    out = np.zeros_like(x, order="C", shape=shape)
    out[key] = x
    return out


class Alias(Linear, Along):
    """y = x        dy = dx        x̄ = ȳ"""

    node = "AliasBackward0"
    latex = ("x", r"\dot x", r"\bar x = \bar y")
    promotes = None
    views = True

    @staticmethod
    def forward(x):
        return x[...]

    @staticmethod
    def backward(ctx, grad):
        return grad


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
    if not input.ndim:
        raise DimError(
            "select() cannot be applied to a 0-dim tensor. It has no dim to choose from. Write "
            "`x.item()` for its value."
        )
    at, index = wrap_dim(dim, input.ndim), int_of(index, "select", "index")
    n = input.shape[at]
    if not -n <= index < n:
        raise DimError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at "
            f"dimension {at}. Write an index from {-n} to {n - 1}."
        )
    return _select(input, at, index % n)


def _select(input: Tensor, dim: int, index: int) -> Tensor:
    return as_view(Select.apply(input, dim=dim, index=index), input)


def _slice(input: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    return as_view(Slice.apply(input, dim=dim, start=start, end=end, step=step), input)


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
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
    if not input.ndim:
        raise ShapeError(
            "narrow() cannot be applied to a 0-dim tensor. It has no dim to narrow. Write "
            "`x.reshape(1)` first."
        )
    at, length = wrap_dim(dim, input.ndim), int_of(length, "narrow", "length")
    if length < 0:
        raise ShapeError(
            f"narrow(): length must be non-negative, got {length}. It counts elements. "
            "Write where the range begins as `start`."
        )
    n, first = input.shape[at], int_of(start, "narrow", "start")
    if not -n <= first <= n:
        raise DimError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {first}). "
            "The range begins inside of the dim."
        )
    first += n if first < 0 else 0
    if first + length > n:
        raise ShapeError(
            f"start ({first}) + length ({length}) exceeds dimension size ({n}). The range ends "
            f"inside of the dim. Write a length up to {n - first}."
        )
    return _slice(input, at, first, first + length, 1)


# Elements at the places that tensors name ---------------------------------------------------------


class Index(KeepsShape):
    """y = x[i, j, …]        dy = dx[i, j, …]        x̄ = Σ ȳ at [i, j, …]"""

    node = "IndexBackward0"
    latex = (r"x_{i_k}", r"\dot x_{i_k}", r"\bar x_j = \textstyle\sum_{k:\, i_k = j} \bar y_k")
    promotes = None
    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, *indices, dims):
        return x[key_of(indices, dims)]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape = inputs[0].shape
        ctx.indices = tuple([np.copy(index) for index in inputs[1:]])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        return run(IndexInto, grad, *ctx.indices, dims=ctx.dims, shape=ctx.shape)

    @classmethod
    def vmap(cls, info: Any, in_dims: Any, x: Any, *indices: Any, dims: Any) -> Any:
        rank = x.ndim - (in_dims[0] is not None)
        key = batched_key(info.batch_size, rank, in_dims, indices, dims)
        return key.arranged(cls.apply(x, *key.indices, dims=key.dims))


class IndexInto(Linear):
    """y = Σ x at [i, j, …]        dy = Σ dx at [i, j, …]        x̄ = ȳ[i, j, …]"""

    node = "IndexPutImplBackward0"
    latex = (
        r"\textstyle\sum_{k:\, i_k = j} x_k",
        r"\textstyle\sum_{k:\, i_k = j} \dot x_k",
        r"\bar x_k = \bar y_{i_k}",
    )
    promotes = None
    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, *indices, dims, shape):
        key = key_of(indices, dims)
        if all(index.dtype.kind == "b" for index in indices):
            return _into_zeros(x, shape, key)  # a mask names no place twice
        out = np.zeros_like(x, order="C", shape=shape)
        backend_of(out).add_at(out, key, x)
        return out

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.indices = inputs[1:]

    @staticmethod
    def backward(ctx, grad):
        return run(Index, grad, *ctx.indices, dims=ctx.dims)

    @classmethod
    def vmap(cls, info, in_dims, x, *indices, dims, shape):
        key = batched_key(info.batch_size, len(shape), (0, *in_dims[1:]), indices, dims)
        (chosen,), shape = batch_all(info, in_dims[:1], (x,)), (info.batch_size, *shape)
        return cls.apply(key.disarranged(chosen), *key.indices, dims=key.dims, shape=shape)


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
        return _select(input, 0, _checked(index, 0, input))
    if index.__class__ is slice:  # alone, a slice is a Slice even if it is all of the dim
        return _slice(input, 0, *read_slice(index, _size_to_slice(input, 0)))
    view, dims, indices = parse(input, index)
    if not dims:
        return as_view(Alias.apply(input), input) if view is input else view
    try:
        return Index.apply(view, *indices, dims=dims)
    except IndexError as error:
        raise refusal(error, tuple(view.shape), dims, indices) from error


def parse(input: Tensor, index: Any) -> tuple[Tensor, tuple[int, ...], tuple[Any, ...]]:
    """Divide `input[index]` into a view and what is left to choose from it.

    Returns:
        (view, dims, indices): `input[index]` is `view[:, …, indices[k], …]` with the arrays
        `indices[k]` at the positions `dims[k]`. There may be none.

    Raises:
        DimError: as `getitem`.
    """
    items = as_items(index)
    spoken_of = sum(dims_of(item) for item in items)
    if spoken_of > input.ndim:
        raise _too_many(input, items)
    view, dim, consumed = input, 0, 0
    dims: list[int] = []
    indices: list[Any] = []
    for item in items:
        if item is Ellipsis:
            dim += input.ndim - spoken_of
        elif item is None:
            view = unsqueeze(view, dim + consumed)
            dim += 1
        elif isinstance(item, slice):
            n = _size_to_slice(view, dim + consumed)
            bounds = read_slice(item, n)
            if bounds != (0, n, 1) or item.start:  # a start of -n makes a node in PyTorch
                view = _slice(view, dim + consumed, *bounds)
            dim += 1
        elif isinstance(item, bool):
            view = unsqueeze(view, dim + consumed)
            dims.append(dim)
            indices.append(index_array(np.zeros(int(item), np.int64), view.payload))
            dim += 1
        elif isinstance(item, int):
            view = _select(view, dim + consumed, _checked(item, dim + consumed, view))
        else:
            dims.append(dim)
            indices.append(index_array(item, view.payload))
            consumed += dims_of(item) - 1
            dim += 1
    return view, tuple(dims), tuple(indices)


def _size_to_slice(input: Tensor, dim: int) -> int:
    if not input.ndim:
        raise DimError(
            "slice() cannot be applied to a 0-dim tensor. It has no dim to slice. Write `x[None]` "
            "for a tensor with one."
        )
    return input.shape[dim]


def _checked(index: int, dim: int, view: Tensor) -> int:
    n = view.shape[dim]
    if not -n <= index < n:
        raise DimError(
            f"index {index} is out of bounds for dimension {dim} with size {n}. The tensor has "
            f"the shape {list(view.shape)} there. Write an index from {-n} to {n - 1}."
        )
    return index % n


def _too_many(input: Tensor, items: list[Any]) -> DimError:
    if not input.ndim and len(items) == 1:
        return DimError(
            "invalid index of a 0-dim tensor. It has no dim to choose from. Use `tensor.item()` "
            "to convert a 0-dim tensor to a number."
        )
    return DimError(
        f"too many indices for tensor of dimension {input.ndim}: it has the shape "
        f"{list(input.shape)}. Each int, slice or index tensor takes a dim. Write None for a new "
        "one."
    )
