"""Putting tensors together: cat and stack. `splitting.py` takes them apart."""

from collections.abc import Sequence

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import in_rows

from ._dims import wrap_dim
from ._families import Along, Linear, batch_all, run
from ._out import written_to
from .indexing import Select, Slice

__all__ = ["cat", "concat", "stack", "tensors_of"]

Tensors = Sequence[Tensor]


class Cat(Linear, Along):
    """z = x ⌢ y ⌢ …        dz = dx ⌢ dy ⌢ …        x̄, ȳ, … = the parts of z̄"""

    node = "CatBackward0"
    latex = (
        r"[x;\, y;\, \dots]",
        r"[\dot x;\, \dot y;\, \dots]",
        r"\bar x = \bar z_{1:n},\ \bar y = \bar z_{n+1:n+m},\ \dots",
    )
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


def cat(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one behind the other in a dim they have.

    Args:
        tensors: tensors of shapes `(…, nᵢ, …)`, the same but for `nᵢ`; those of shape `(0,)` are
            passed over.
        dim: which dim has the sizes `nᵢ`.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, cat, tensors, dim)
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


def concat(tensors: Tensors, dim: int = 0) -> Tensor:
    """`cat` under another name.

    Example:
        >>> concat([tensor([[1]]), tensor([[2]])], dim=1)
        tensor([[1, 2]])
    """
    return cat(tensors, dim)


class Stack(Linear, Along):
    """z = (x, y, …) in a new dim        dz = (dx, dy, …)        x̄, ȳ, … = the elements of z̄"""

    node = "StackBackward0"
    latex = (
        r"(x, y, \dots)",
        r"(\dot x, \dot y, \dots)",
        r"\bar x = \bar z_1,\ \bar y = \bar z_2,\ \dots",
    )
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


def stack(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors beside each other in a new dim.

    Args:
        tensors: `n` tensors of one shape `S`.
        dim: where the new dim will be, from `-len(S) - 1` to `len(S)`.
        out: where to write the result, if the tape need not record it.

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
    if out is not None:
        return written_to(out, stack, tensors, dim)
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
