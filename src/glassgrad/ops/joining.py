"""Putting tensors together: cat, stack, and as rows, columns or layers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows

from ._arguments import wrap_dim
from ._declaring import function, of_numpy
from ._families import Along, Linear, batch_all, run
from .creation import as_tensor
from .indexing import Select, Slice
from .shape import reshape, unsqueeze

Tensors = Sequence[Tensor]


class Cat(Linear, Along):
    """z = cat(x, y, …),  x, y, … = tensors        x̄, ȳ, … = split z̄"""

    axes = ("dim",)

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
    parts = tensors_of("cat", tensors)
    if not parts:
        raise ArgumentError(
            "cat(): expected a non-empty list of Tensors. Nothing has no shape. Leave the call out."
        )
    wide = [x for x in parts if x.payload.shape != (0,)] or parts
    for position, x in enumerate(parts):
        if not x.ndim:
            raise ShapeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated. It has "
                "no dim to put others behind. Write `stack(tensors)`."
            )
    at = wrap_dim(dim, wide[0].ndim)
    for x in wide:
        _check_joins(x, wide[0], at)
    return Cat.apply(*parts, dim=at)


@of_numpy(np.concatenate)
def _numpy_concatenate(arrays: Any, axis: int = 0) -> Tensor:
    return cat(as_tensors(arrays), axis)


def as_tensors(arrays: Any) -> list[Tensor]:
    """What NumPy's functions join or multiply: some of it arrays."""
    return [as_tensor(array) for array in arrays]


def _check_joins(x: Tensor, first: Tensor, dim: int) -> None:
    if x.ndim != first.ndim:
        raise ShapeError(
            f"Tensors must have same number of dimensions: got {first.ndim} and {x.ndim} (shapes "
            f"{list(first.shape)} and {list(x.shape)}). Write `x.unsqueeze(dim)` for the shorter."
        )
    for other, (n, m) in enumerate(zip(first.shape, x.shape, strict=True)):
        if other != dim and n != m:
            raise ShapeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but "
                f"got size {m} in dimension {other}: shapes {list(first.shape)} and "
                f"{list(x.shape)}. Choose another dim, or cut one of them."
            )


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

    axes = ("dim",)

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
    parts = tensors_of("stack", tensors)
    if not parts:
        raise ShapeError(
            "stack expects a non-empty TensorList. Nothing has no shape. Leave the call out."
        )
    at = wrap_dim(dim, parts[0].ndim + 1)
    for position, x in enumerate(parts):
        if x.shape != parts[0].shape:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(parts[0].shape)} at "
                f"entry 0 and {list(x.shape)} at entry {position}. Each becomes one layer of the "
                "result. Write `cat(tensors)` to join them in a dim they have, or cut them."
            )
    return Stack.apply(*parts, dim=at)


@of_numpy(np.stack)
def _numpy_stack(arrays: Any, axis: int = 0) -> Tensor:
    return stack(as_tensors(arrays), axis)


def tensors_of(name: str, tensors: object) -> list[Tensor]:
    """The tensors of a list, which is the first argument of the op called `name`.

    Raises:
        ArgumentTypeError: if it is no list, or has something else in it.
    """
    if not isinstance(tensors, (list, tuple)):
        raise ArgumentTypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}. Write them as a list: `{name}([x, y])`."
        )
    for position, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise ArgumentTypeError(
                f"expected Tensor as element {position} in argument 0, but got "
                f"{type(x).__name__}. {name}() joins tensors. Write `tensor(value)`."
            )
    return list(tensors)


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
    return cat(_each(tensors, _row, "vstack"))


@of_numpy(np.vstack)
def _numpy_vstack(tup: Any) -> Tensor:
    return vstack(as_tensors(tup))


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
    parts = _each(tensors, _line, "hstack")
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@of_numpy(np.hstack)
def _numpy_hstack(tup: Any) -> Tensor:
    return hstack(as_tensors(tup))


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
    return cat(_each(tensors, _layer, "dstack"), 2)


@of_numpy(np.dstack)
def _numpy_dstack(tup: Any) -> Tensor:
    return dstack(as_tensors(tup))


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
    return hstack(_each(tensors, _column, "column_stack"))


@of_numpy(np.column_stack)
def _numpy_column_stack(tup: Any) -> Tensor:
    return column_stack(as_tensors(tup))


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
    return _all(tensors, _line, "atleast_1d")


@function()
def atleast_2d(*tensors: Tensor | Tensors) -> Some:
    """Tensors, those of fewer than two dims as matrices of one row; see `atleast_1d`.

    Example:
        >>> atleast_2d(tensor([1.0, 2.0]))
        tensor([[1., 2.]])
    """
    return _all(tensors, _row, "atleast_2d")


@function()
def atleast_3d(*tensors: Tensor | Tensors) -> Some:
    """Tensors, those of fewer than three dims with dims of size 1; see `atleast_1d`.

    Example:
        >>> atleast_3d(tensor([1.0, 2.0])).shape
        glassgrad.Size([1, 2, 1])
    """
    return _all(tensors, _layer, "atleast_3d")


def _each(tensors: Tensors, widened: Callable[[Tensor], Tensor], name: str) -> list[Tensor]:
    parts = tensors_of(name, tensors)
    if not parts:
        raise ShapeError(
            f"{name} expects a non-empty TensorList. Nothing has no shape. Leave the call out."
        )
    return [widened(x) for x in parts]


def _all(
    tensors: tuple[Tensor | Tensors, ...], widened: Callable[[Tensor], Tensor], name: str
) -> Some:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return widened(tensors[0])
    listed = tensors[0] if len(tensors) == 1 else tensors
    return tuple([widened(x) for x in tensors_of(name, listed)])


def _line(x: Tensor) -> Tensor:
    return x if x.ndim else reshape(x, (1,))


def _row(x: Tensor) -> Tensor:
    if x.ndim > 1:
        return x
    return unsqueeze(x, 0) if x.ndim else reshape(x, (1, 1))


def _column(x: Tensor) -> Tensor:
    return x if x.ndim > 1 else reshape(x, (x.numel(), 1))


def _layer(x: Tensor) -> Tensor:
    if x.ndim > 2:
        return x
    if not x.ndim:
        return reshape(x, (1, 1, 1))
    return unsqueeze(x if x.ndim == 2 else unsqueeze(x, 0), -1)
