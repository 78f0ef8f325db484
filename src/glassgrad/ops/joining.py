"""Putting tensors together: cat, stack, and as rows, columns or layers."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows

from ._arguments import check_type, wrap_dim
from ._declaring import function, of_numpy
from ._families import Along, Linear, batch_all, run
from .creation import as_tensor
from .indexing import Select, Slice
from .shape import reshape, unsqueeze

Tensors = Sequence[Tensor]


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


@function(Cat, out=True)
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
    wide = [x for x in parts if x.payload.shape != (0,)] or parts
    for position, x in enumerate(parts):
        if not x.ndim:
            raise ShapeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated. It has "
                "no dim to put others behind. Write `stack(tensors)`."
            )
    first, at = wide[0].shape, wrap_dim(dim, wide[0].ndim)
    for x in wide:
        if x.ndim != len(first):
            raise ShapeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {x.ndim} "
                f"(shapes {list(first)} and {list(x.shape)}). Write `x.unsqueeze(dim)` for the "
                "shorter."
            )
        for other, (n, m) in enumerate(zip(first, x.shape, strict=True)):
            if other != at and n != m:
                raise ShapeError(
                    f"Sizes of tensors must match except in dimension {at}. Expected size {n} but "
                    f"got size {m} in dimension {other}: shapes {list(first)} and "
                    f"{list(x.shape)}. Choose another dim, or cut one of them."
                )
    return Cat.apply(*parts, dim=at)


@function()
def concat(tensors: Tensors, dim: int = 0) -> Tensor:
    """`cat` under another name.

    Example:
        >>> concat([tensor([[1]]), tensor([[2]])], dim=1)
        tensor([[1, 2]])
    """
    return cat(tensors, dim)


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


@function(Stack, out=True)
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
    at = wrap_dim(dim, parts[0].ndim + 1)
    for position, x in enumerate(parts):
        if x.shape != parts[0].shape:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(parts[0].shape)} at "
                f"entry 0 and {list(x.shape)} at entry {position}. Each becomes one layer of the "
                "result. Write `cat(tensors)` to join them in a dim they have, or cut them."
            )
    return Stack.apply(*parts, dim=at)


def tensors_of(name: str, tensors: Any) -> list[Tensor]:
    """The tensors of a list, which is the first argument of the op called `name`.

    Raises:
        ArgumentTypeError: if it is no list, or has something else in it.
    """
    wanted = f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors"
    check_type(wanted, tensors, (list, tuple), f"Write them as a list: `{name}([x, y])`.")
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


@function(aliases=("row_stack",), out=True)
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


@function(out=True)
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


@function(out=True)
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


@function(out=True)
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
    return hstack([x if x.ndim > 1 else reshape(x, (x.numel(), 1)) for x in parts])


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
    listed = tensors[0] if len(tensors) == 1 else tensors
    return tuple([_widened(x, ndim) for x in tensors_of(name, listed)])


def _widened(x: Tensor, ndim: int) -> Tensor:
    """`x` with at least `ndim` dims, up to 3: a vector is a row, a matrix a layer."""
    if not x.ndim:
        return reshape(x, (1,) * ndim)
    if x.ndim < 2 <= ndim:
        x = unsqueeze(x, 0)
    return unsqueeze(x, -1) if x.ndim < ndim else x


# NumPy's functions, to which some of it may be arrays ---------------------------------------------


def _joined(join: Callable[..., Tensor], arrays: Any, *dim: int) -> Tensor:
    return join([as_tensor(array) for array in arrays], *dim)


@of_numpy(np.concatenate)
def _numpy_concatenate(arrays: Any, axis: int = 0) -> Tensor:
    return _joined(cat, arrays, axis)


@of_numpy(np.stack)
def _numpy_stack(arrays: Any, axis: int = 0) -> Tensor:
    return _joined(stack, arrays, axis)


for _numpy, _join in (
    (np.vstack, vstack),
    (np.hstack, hstack),
    (np.dstack, dstack),
    (np.column_stack, column_stack),
):
    of_numpy(_numpy)(functools.partial(_joined, _join))
