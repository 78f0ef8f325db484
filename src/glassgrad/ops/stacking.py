"""Tensors joined as rows, columns or layers: vstack, hstack, dstack, column_stack.

Each gives its tensors the dims they lack, then joins them with `cat`.
"""

from collections.abc import Callable, Sequence

from glassgrad.core.errors import ShapeError
from glassgrad.core.tensor import Tensor

from ._out import written_to
from .joining import cat, tensors_of
from .shape import reshape, unsqueeze

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "column_stack",
    "dstack",
    "hstack",
    "row_stack",
    "vstack",
]

Tensors = Sequence[Tensor]
Some = Tensor | tuple[Tensor, ...]


def vstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors below each other: vectors as rows, others joined in their first dim.

    Args:
        tensors: tensors of one shape but for the first dim, or vectors of one length.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, vstack, tensors)
    return cat(_each(tensors, _row, "vstack"))


row_stack = vstack


def hstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other: vectors one behind the other, others joined in their second dim.

    Args:
        tensors: tensors of one shape but for the second dim, or vectors.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, hstack, tensors)
    parts = _each(tensors, _line, "hstack")
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


def dstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors behind each other, joined in their third dim.

    Args:
        tensors: tensors of one shape but for the third dim; matrices and vectors get dims of
            size 1.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, dstack, tensors)
    return cat(_each(tensors, _layer, "dstack"), 2)


def column_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other: vectors as columns, others joined in their second dim.

    Args:
        tensors: vectors of length `n`, tensors of shape `(n, m, …)`.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, column_stack, tensors)
    return hstack(_each(tensors, _column, "column_stack"))


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


def atleast_2d(*tensors: Tensor | Tensors) -> Some:
    """Tensors, those of fewer than two dims as matrices of one row; see `atleast_1d`.

    Example:
        >>> atleast_2d(tensor([1.0, 2.0]))
        tensor([[1., 2.]])
    """
    return _all(tensors, _row, "atleast_2d")


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
