"""Where the largest and the smallest element are."""

from typing import Any

import numpy as np

from glassgrad.core.errors import DimError, DTypeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.ops._reduce import dim_or_axis, kept_or_keepdims
from glassgrad.ops.extrema import filled_dim

from ._families import AlongLine, rows_of

__all__ = ["argmax", "argmin"]


class _Index(AlongLine):
    """The index of an extreme element."""

    differentiable = False
    axes = ("dim",)

    @classmethod
    def vmap(cls, info, in_dims, x, **parameters):
        if parameters["dim"] is not None:
            return super().vmap(info, in_dims, x, **parameters)
        found = cls.apply(rows_of(x), dim=1, keepdim=False)
        return found.reshape(info.batch_size, *(1,) * (x.ndim - 1) * parameters["keepdim"])


class ArgMax(_Index):
    """k = the first i with xᵢ = maxⱼ xⱼ        no derivative"""

    latex = (r"\min \arg\max_i x_i", "0", r"\bar x = 0")

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.argmax(x, axis=dim, keepdims=keepdim)


class ArgMin(_Index):
    """k = the first i with xᵢ = minⱼ xⱼ        no derivative"""

    latex = (r"\min \arg\min_i x_i", "0", r"\bar x = 0")

    @staticmethod
    def forward(x, *, dim, keepdim):
        return np.argmin(x, axis=dim, keepdims=keepdim)


def argmax(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The index of the largest element: the first one, if there are several.

    Args:
        input: real tensor of shape `S`.
        dim, axis: along which dim; None for the index into the flattened tensor.
        keepdim, keepdims: keep that dim, with size 1.

    Returns:
        int64 tensor of shape `S` without `dim`.

    Raises:
        DimError: if there is no such dim, or no element to choose from.
        DTypeError: for bools.

    Example:
        >>> argmax(tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
        tensor([1, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.argmax.html
    """
    return _index(ArgMax, "argmax", input, dim_or_axis(dim, axis), keepdim, keepdims)


def argmin(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The index of the smallest element; everything else is as for `argmax`.

    Example:
        >>> argmin(tensor([3.0, 1.0, 2.0]))
        tensor(1)

    See also: https://pytorch.org/docs/stable/generated/torch.argmin.html
    """
    return _index(ArgMin, "argmin", input, dim_or_axis(dim, axis), keepdim, keepdims)


def _index(
    op: type[Primitive], name: str, input: Tensor, dim: int | None, keepdim: Any, keepdims: Any
) -> Tensor:
    keep = kept_or_keepdims(keepdim, keepdims)
    if input.dtype.kind == "b":
        raise DTypeError(
            f"{name}(): does not support bool input. True and False are no sizes. "
            f"Write `x.int().{name}()`."
        )
    if dim is None:
        if not input.numel():
            raise DimError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                f"Shape {tuple(input.shape)} has no element. Check where it became empty."
            )
        return op.apply(input, dim=None, keepdim=keep)
    where = filled_dim(input, dim, name)
    return op.apply(input, dim=where if input.ndim else None, keepdim=keep)
