"""Tensors joined as rows, columns or layers: vstack, hstack, dstack, column_stack.

Each gives its tensors the dims they lack, then joins them with `cat`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glassgrad.base.errors import ShapeError
from glassgrad.core.tensor import Tensor

from ._declaring import function, of_numpy
from .joining import as_tensors, cat, tensors_of
from .shape import reshape, unsqueeze


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
