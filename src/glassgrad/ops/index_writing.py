"""Writing slices to places that a vector names in one dim: index_add, index_copy, index_fill."""

from typing import Any

import numpy as np

from glassgrad.core.engine import sum_to
from glassgrad.core.errors import ArgumentTypeError, DimError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import Number, int64

from ._dims import wrap_dim
from ._families import Linear, Symmetric, batch_all, in_front, run
from ._places import check_index, check_source, check_vector, in_dim, same_dtype
from ._prepared import Prepared
from ._reduce import array_of
from ._texts import scalar_name
from .gathering import IndexAdd, IndexSelect
from .masking import fill_value
from .putting import IndexPut
from .shape import reshape

__all__ = ["index_add", "index_copy", "index_fill"]


def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1
) -> Tensor:
    """`input` plus slices of `source`, each at the place that `index` names.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int32 or int64 tensor of shape `(m,)`, from 0 to `n - 1`; at repeats slices add up.
        source: tensor of shape `(…, m, …)` and of the dtype of `input`.
        alpha: what `source` is multiplied with.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        DimError: if there is no such dim or place, or `index` is not as long as `source`.
        ShapeError: if the other sizes differ.
        DTypeError: if `index` holds no integers, or the dtypes differ.

    Example:
        >>> index_add(tensor([1.0, 1.0, 1.0]), 0, tensor([0, 2, 0]), tensor([1.0, 2.0, 3.0]))
        tensor([5., 1., 3.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html
    """
    return prepare_index_add(input, dim, index, source, alpha).result()


def prepare_index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Number
) -> Prepared:
    """What `index_add` and `index_add_` have in common."""
    check_index("index_add", index)
    same_dtype("index_add", input, source)
    at = _checked("index_add", input, dim, index, source)
    return Prepared(IndexAdd, (input, source, _vector(index)), {"dim": at, "alpha": alpha})


class IndexCopy(Linear):
    """z = x, but y at i        dz = dx, but dy at i        x̄ = z̄, but 0 at i,  ȳ = z̄[…, i, …]"""

    node = "IndexCopyBackward0"
    latex = (
        r"z_{i_k} = y_k,\ z = x\ \text{elsewhere}",
        r"\dot z_{i_k} = \dot y_k,\ \dot z = \dot x\ \text{elsewhere}",
        r"\bar y_k = \bar z_{i_k},\ \bar x = \bar z\ \text{elsewhere}",
    )
    promotes = None
    differentiates = slice(0, 2)

    @staticmethod
    def forward(x, source, index, *, dim):
        return _written(x, index, dim, source)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.index = np.copy(inputs[2])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_source = ctx.needs_input_grad
        return (
            run(IndexFill, grad, ctx.index, dim=ctx.dim, value=0) if wants_x else None,
            run(IndexSelect, grad, ctx.index, dim=ctx.dim) if wants_source else None,
        )

    @classmethod
    def vmap(cls, info, in_dims, x, source, index, *, dim):
        if in_dims[2] is None:
            x, source = batch_all(info, in_dims[:2], (x, source))
            return cls.apply(x, source, index, dim=dim + 1)
        return IndexPut.vmap(info, in_dims, x, source, index, dims=(dim,), accumulate=False)


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`input`, but slices of `source` at the places that `index` names.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int64 tensor of shape `(m,)`, from 0 to `n - 1`, without repeats.
        source: tensor of shape `(…, m, …)` and of the dtype of `input`.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        DimError, ShapeError, DTypeError: as `index_add`.

    Example:
        >>> index_copy(tensor([1, 2, 3]), 0, tensor([2, 0]), tensor([8, 9]))
        tensor([9, 2, 8])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html
    """
    return prepare_index_copy(input, dim, index, source).result()


def prepare_index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Prepared:
    """What `index_copy` and `index_copy_` have in common."""
    _check_long("index_copy", index)
    same_dtype("index_copy", input, source)
    at = _checked("index_copy", input, dim, index, source)
    return Prepared(IndexCopy, (input, source, _vector(index)), {"dim": at})


class IndexFill(Symmetric):
    """y = x, but c at i        dy = dx, but 0 at i        x̄ = ȳ, but 0 at i"""

    node = "IndexFillBackward0"
    latex = (
        r"y_{i_k} = c,\ y = x\ \text{elsewhere}",
        r"\dot y_{i_k} = 0,\ \dot y = \dot x\ \text{elsewhere}",
        r"\bar x_{i_k} = 0,\ \bar x = \bar y\ \text{elsewhere}",
    )
    promotes = None
    differentiates = slice(0, 1)

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, index, dim, value)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.index = np.copy(inputs[1])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        return run(IndexFill, grad, ctx.index, dim=ctx.dim, value=0)

    @classmethod
    def vmap(cls, info, in_dims, x, index, *, dim, value):
        if in_dims[1] is None:
            return cls.apply(x, index, dim=dim + 1, value=value)
        number = np.full_like(array_of(x), value, shape=())
        in_dims = (in_dims[0], None, in_dims[1])
        return IndexPut.vmap(info, in_dims, x, number, index, dims=(dim,), accumulate=False)


class IndexFillTensor(Linear):
    """y = x, but c at i        dy = dx, but dc at i        x̄ = ȳ, but 0 at i,  c̄ = Σ ȳ at i"""

    node = "IndexFillBackward1"
    latex = (
        IndexFill.latex[0],
        r"\dot y_{i_k} = \dot c,\ \dot y = \dot x\ \text{elsewhere}",
        r"\bar c = \textstyle\sum_k \bar y_{i_k},\ \bar x = \bar y\ \text{elsewhere}",
    )
    promotes = None
    differentiates = slice(0, 2)

    @staticmethod
    def forward(x, value, index, *, dim):
        return _written(x, index, dim, value)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.value_shape, ctx.index = inputs[1].shape, np.copy(inputs[2])

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_value = ctx.needs_input_grad
        chosen = run(IndexSelect, grad, ctx.index, dim=ctx.dim) if wants_value else None
        return (
            run(IndexFill, grad, ctx.index, dim=ctx.dim, value=0) if wants_x else None,
            None if chosen is None else sum_to(chosen, ctx.value_shape),
        )

    @classmethod
    def vmap(cls, info, in_dims, x, value, index, *, dim):
        if in_dims[2] is None:
            x, value = batch_all(info, in_dims[:2], (x, value))
            return cls.apply(x, in_front(value, x.ndim - 1), index, dim=dim + 1)
        return IndexPut.vmap(info, in_dims, x, value, index, dims=(dim,), accumulate=False)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Number | Tensor) -> Tensor:
    """`input`, but one value in the slices that `index` names.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int64 tensor of shape `(m,)`, from `-n` to `n - 1`.
        value: a number or a 0-d tensor.

    Returns:
        Tensor of the shape and dtype of `input`.

    Raises:
        DimError: if there is no such dim or place.
        ShapeError: if `value` has dims.
        DTypeError: if `index` holds no integers.

    Example:
        >>> index_fill(tensor([1, 2, 3]), 0, tensor([0, -1]), 9)
        tensor([9, 2, 9])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html
    """
    return prepare_index_fill(input, dim, index, value).result()


def prepare_index_fill(input: Tensor, dim: int, index: Tensor, value: Number | Tensor) -> Prepared:
    """What `index_fill` and `index_fill_` have in common."""
    _check_long("index_fill", index)
    at = wrap_dim(dim, input.ndim)
    check_vector("index_fill", index, input.shape[at] if input.ndim else 1, negative=True)
    filled = fill_value("index_fill", input, value)
    if isinstance(filled, Tensor):
        return Prepared(IndexFillTensor, (input, filled, _vector(index)), {"dim": at})
    return Prepared(IndexFill, (input, _vector(index)), {"dim": at, "value": filled})


def _written(x: Any, index: Any, dim: int, values: Any) -> Any:
    out = np.copy(x)
    out[in_dim(index, dim)] = values
    return out


def _check_long(name: str, index: Tensor) -> None:
    if not isinstance(index, Tensor):
        raise ArgumentTypeError(
            f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}. "
            "Write `tensor(index)`."
        )
    if index.dtype is not int64:
        raise DimError(
            f"{name}_(): Expected dtype int64 for index, a long tensor, but got "
            f"{scalar_name(index.dtype)}. An index names places. Write `index.long()`."
        )


def _checked(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    """The dim counted from the front, if everything fits."""
    at = wrap_dim(dim, input.ndim)
    check_vector(name, index, input.shape[at] if input.ndim else 1)
    check_source(name, input, at, index, source)
    return at


def _vector(index: Tensor) -> Tensor:
    return index if index.ndim else reshape(index, (1,))
