"""Writing to the places that several index tensors name together: index_put."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DimError, DTypeError, ShapeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of

from ._families import Linear, batch_all, in_front, run
from ._index import dims_of, index_array, refusal
from ._keys import batched_key, key_of, shape_of_choice
from ._prepared import Prepared
from ._reduce import zeros_like
from ._texts import require_tensor, scalar_name
from .indexing import Index

__all__ = ["index_put"]


class IndexPut(Linear):
    """z = x, but y at [i, j, …]        dz = dx, but dy there        x̄ = z̄, but 0 there,  ȳ = z̄[i, j, …]"""  # noqa: E501  # formulas

    node = "IndexPutBackward0"
    latex = (
        r"z_{i_k} = y_k,\ z = x\ \text{elsewhere}",
        r"\dot z_{i_k} = \dot y_k,\ \dot z = \dot x\ \text{elsewhere}",
        r"\bar y_k = \bar z_{i_k},\ \bar x = \bar z\ \text{elsewhere}",
    )
    promotes = None
    broadcasts = True  # y against z[i, j, …]
    differentiates = slice(0, 2)

    @staticmethod
    def forward(x, values, *indices, dims, accumulate):
        out, key = np.copy(x), key_of(indices, dims)
        if accumulate:
            backend_of(out).add_at(out, key, values)
        else:
            out[key] = values
        return out

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.indices = tuple([np.copy(index) for index in inputs[2:]])  # its owner may change it

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_values = ctx.needs_input_grad
        return (
            _left(grad, ctx) if wants_x else None,
            run(Index, grad, *ctx.indices, dims=ctx.dims) if wants_values else None,
        )

    @classmethod
    def vmap(
        cls,
        info: Any,
        in_dims: Any,
        x: Any,
        values: Any,
        *indices: Any,
        dims: Any,
        accumulate: bool,
    ) -> Any:
        x, values = batch_all(info, in_dims[:2], (x, values))
        key = batched_key(info.batch_size, x.ndim - 1, (0, *in_dims[2:]), indices, dims)
        values = key.disarranged(in_front(values, key.rank))
        return cls.apply(x, values, *key.indices, dims=key.dims, accumulate=accumulate)


def _left(grad: Any, ctx: Any) -> Any:
    """The gradient of what was there before."""
    if ctx.accumulate:
        return grad
    return run(IndexPut, grad, zeros_like(grad, ()), *ctx.indices, dims=ctx.dims, accumulate=False)


def index_put(
    input: Tensor,
    indices: Sequence[Tensor],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """`input`, but `values` at the places `[indices[0][k], indices[1][k], …]`.

    Args:
        input: tensor of shape `S`.
        indices: a tuple of integer or bool tensors, as in `input[indices]`.
        values: tensor of the dtype of `input` that broadcasts to the shape of `input[indices]`.
        accumulate: add to what is there; values for one place add up. Otherwise one of them stays.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such place.
        ShapeError: if `values` does not fit.
        DTypeError: if the dtypes differ.
        ArgumentTypeError: if `indices` is no tuple of tensors.

    Example:
        >>> index_put(tensor([1, 2, 3]), (tensor([0, 2]),), tensor([7, 8]))
        tensor([7, 2, 8])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html
    """
    return prepare_index_put(input, indices, values, accumulate).result()


def prepare_index_put(
    input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool
) -> Prepared:
    """What `index_put` and `index_put_` have in common."""
    if not isinstance(indices, (tuple, list)):
        raise ArgumentTypeError(
            "index_put(): argument 'indices' (position 1) must be tuple of Tensors, not "
            f"{type(indices).__name__}. There is one for each dim. Write `(index,)`."
        )
    for index in indices:
        require_tensor("index_put", index)
        if index.dtype.kind not in "iub":
            raise DimError(
                f"tensors used as indices must be long, int, byte or bool tensors, got "
                f"{index.dtype}. An index names places. Write `index.long()`."
            )
    require_tensor("index_put", values)
    check_values_dtype(input, indices, values)
    return put_at(input, tuple(range(len(indices))), indices, values, accumulate=accumulate)


def check_values_dtype(input: Tensor, indices: Sequence[Any], values: Tensor) -> None:
    """Raise unless the values have the dtype of `input`; one value for a mask is converted."""
    if values.ndim == 0 and all(index.dtype.kind == "b" for index in indices):
        return
    if values.dtype is not input.dtype:
        raise DTypeError(
            "Index put requires the source and destination dtypes match, got "
            f"{scalar_name(input.dtype)} for the destination and {scalar_name(values.dtype)} for "
            "the source. Elements are written as they are. Write `values.to(x.dtype)`."
        )


def put_at(
    input: Tensor,
    dims: tuple[int, ...],
    indices: Sequence[Any],
    values: Tensor,
    *,
    accumulate: bool = False,
) -> Prepared:
    """The write of `values` to `input[:, …, indices[k], …]`, each at its place in `dims`.

    Raises:
        DimError: if there is no such place.
        ShapeError: if `values` does not fit.
    """
    if sum(dims_of(index) for index in indices) > input.ndim:
        raise DimError(
            f"too many indices for tensor of dimension {input.ndim} (got {len(indices)}). Each "
            "takes a dim. Leave some out."
        )
    arrays = tuple([index_array(index, input.payload) for index in indices])
    try:
        chosen = shape_of_choice(tuple(input.shape), arrays, dims)
    except IndexError as error:
        raise refusal(error, tuple(input.shape), dims, arrays) from error
    _check_values(values, chosen)
    parameters = {"dims": dims, "accumulate": accumulate}
    return Prepared(IndexPut, (input, values, *arrays), parameters)


def _check_values(values: Tensor, shape: tuple[int, ...]) -> None:
    try:
        fits = np.broadcast_shapes(values.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}. Each place takes a value. Write values of "
            "that shape, or one for all."
        )
