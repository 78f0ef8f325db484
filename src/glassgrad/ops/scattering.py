"""Writing elements to places that an index names along one dim: scatter and scatter_add."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import Number

from ._dims import wrap_dim
from ._families import Along, Linear, Symmetric, run
from ._places import along, check_along, check_index, same_dtype
from ._prepared import Prepared
from .gathering import ScatterAdd, first_of, gathered
from .masking import fill_value
from .shape import reshape

__all__ = ["scatter", "scatter_add"]


class Scatter(Linear, Along):
    """z = x, but y at the places of a gather        dz so of dx, dy        x̄ = z̄, 0 there,  ȳ = gather of z̄"""  # noqa: E501  # formulas

    node = "ScatterBackward0"
    latex = (
        r"z_{i_{kl},\,l} = y_{kl},\ z = x\ \text{elsewhere}",
        r"\dot z_{i_{kl},\,l} = \dot y_{kl},\ \dot z = \dot x\ \text{elsewhere}",
        r"\bar y_{kl} = \bar z_{i_{kl},\,l},\ \bar x = \bar z\ \text{elsewhere}",
    )
    promotes = None
    differentiates = slice(0, 2)
    axes = ("dim",)

    @staticmethod
    def forward(x, src, index, *, dim):
        return _written(x, along(index, dim), first_of(src, index.shape))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.src_shape, ctx.index = inputs[1].shape, np.copy(inputs[2])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_src = ctx.needs_input_grad
        return (
            run(ScatterValue, grad, ctx.index, dim=ctx.dim, value=0) if wants_x else None,
            gathered(grad, ctx) if wants_src else None,
        )


class ScatterValue(Symmetric, Along):
    """y = x, but c at the places of a gather        dy = dx, 0 there        x̄ = ȳ, 0 there"""

    node = "ScatterBackward1"
    latex = (
        r"y_{i_{kl},\,l} = c,\ y = x\ \text{elsewhere}",
        r"\dot y_{i_{kl},\,l} = 0,\ \dot y = \dot x\ \text{elsewhere}",
        r"\bar x_{i_{kl},\,l} = 0,\ \bar x = \bar y\ \text{elsewhere}",
    )
    promotes = None
    differentiates = slice(0, 1)
    axes = ("dim",)

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, along(index, dim), value)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.index = np.copy(inputs[1])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        return run(ScatterValue, grad, ctx.index, dim=ctx.dim, value=0)


def _written(x: Any, key: Any, values: Any) -> Any:
    out = np.copy(x)
    out[key] = values
    return out


def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | Number | None = None,
    *,
    value: Number | None = None,
) -> Tensor:
    """`input`, but elements of `src` (or one value) at the places that `index` names along a dim.

    Args:
        input: tensor with `d` dims.
        dim: the dim in which `index` names places; in the others it counts along.
        index: int32 or int64 tensor with `d` dims, nowhere but in `dim` larger than `input`. If it
            names a place twice, the last element stays.
        src, value: a tensor of the dtype of `input`, nowhere smaller than `index`; or a number.

    Returns:
        Tensor of the shape of `input`; with dim=1, `y[i, index[i, j]] = src[i, j]`. A gradient to
        `src` needs it to have the shape of `index`.

    Raises:
        ShapeError: if the shapes do not fit, or there is no such place.
        DTypeError: if `index` holds no integers, or the dtypes differ.
        ArgumentError: if it is not said what to write.

    Example:
        >>> scatter(tensor([[0, 0], [0, 0]]), 1, tensor([[1], [0]]), tensor([[7], [8]]))
        tensor([[0, 7],
                [8, 0]])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html
    """
    return prepare_scatter(input, dim, index, value if src is None else src).result()


def prepare_scatter(input: Tensor, dim: int, index: Tensor, given: Any) -> Prepared:
    """What `scatter` and `scatter_` have in common."""
    if given is None:
        raise ArgumentError(
            "scatter() got neither src nor value. It writes elements of a tensor, or one number. "
            "Write `x.scatter(dim, index, src)` or `x.scatter(dim, index, value=0)`."
        )
    check_index("scatter", index)
    at = wrap_dim(dim, input.ndim)
    if isinstance(given, Tensor):
        same_dtype("scatter", input, given)
        check_along("scatter", input, at, index, given)
        return Prepared(Scatter, (input, given, with_dims(index, input)), {"dim": at})
    number = fill_value("scatter", input, given)
    check_along("scatter", input, at, index, None)
    operands = (input, with_dims(index, input))
    return Prepared(ScatterValue, operands, {"dim": at, "value": number})


def with_dims(index: Tensor, input: Tensor) -> Tensor:
    """An index without elements has any number of dims: as many as `input`."""
    if input.ndim > 1 and index.ndim != input.ndim:
        return reshape(index, (0,) * input.ndim)
    return index


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` plus the elements of `src`, each at the place that `index` names along a dim.

    Args:
        input, dim, index, src: as for `scatter`. Elements for one place add up.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        ShapeError: if the shapes do not fit, or there is no such place.
        DTypeError: if `index` holds no integers, or the dtypes differ.

    Example:
        >>> scatter_add(tensor([1, 1, 1]), 0, tensor([0, 0, 2]), tensor([10, 20, 30]))
        tensor([31,  1, 31])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html
    """
    return prepare_scatter_add(input, dim, index, src).result()


def prepare_scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Prepared:
    """What `scatter_add` and `scatter_add_` have in common."""
    check_index("scatter_add", index)
    same_dtype("scatter_add", input, src)
    at = wrap_dim(dim, input.ndim)
    check_along("scatter_add", input, at, index, src)
    return Prepared(ScatterAdd, (input, src, with_dims(index, input)), {"dim": at})
