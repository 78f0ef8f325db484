"""Writing to places of one dim: index_add, index_copy, index_fill; and `x[index] = value`."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DeviceError, DimError
from glassgrad.core.state import special
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.levels.level import level_below
from glassgrad.values.backend import is_array
from glassgrad.values.dtypes import Number, float16, int64
from glassgrad.values.gradients import sum_to
from glassgrad.values.layers import Layer, backend_below

from ._arguments import scalar_name, wrap_dim
from ._declaring import op
from ._families import Linear, Symmetric, array_of, batch_all, in_front, run
from ._places import (
    apply_along,
    check_index,
    check_source,
    check_vector,
    in_dim,
    key_of,
    same_dtype,
)
from ._writing import check_apart, check_memory, in_place, must_follow, write
from .filling import copy_, fill_, fill_value
from .gathering import IndexAdd, Indexed, IndexSelect
from .indexing import IndexPut, check_values_dtype, parse, put_at
from .shape import expand, reshape, view


@op(IndexAdd, inplace=True)
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
    check_index("index_add", index)
    same_dtype("index_add", input, source)
    at = _checked("index_add", input, dim, index, source)
    return apply_along(IndexAdd, input, source, _vector(index), dim=at, alpha=alpha)


class IndexCopy(Indexed, Linear):
    """z = x,  z[indexᵢ] = sᵢ        x̄ = z̄,  x̄[indexᵢ] = 0,  s̄ᵢ = z̄[indexᵢ]"""

    @staticmethod
    def forward(x, source, index, *, dim):
        return _written(x, index, dim, source)

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


@op(IndexCopy, inplace=True)
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
    _check_long("index_copy", index)
    same_dtype("index_copy", input, source)
    at = _checked("index_copy", input, dim, index, source)
    return apply_along(IndexCopy, input, source, _vector(index), dim=at)


class IndexFill(Indexed, Symmetric):
    """y = x,  y[indexᵢ] = v        dy = dx,  dy[indexᵢ] = 0        x̄ = ȳ,  x̄[indexᵢ] = 0"""

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, index, dim, value)

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


class IndexFillTensor(Indexed, Linear):
    """z = x,  z[indexᵢ] = v        x̄ = z̄,  x̄[indexᵢ] = 0,  v̄ = Σᵢ z̄[indexᵢ]"""

    node = "IndexFillBackward1"

    @staticmethod
    def forward(x, value, index, *, dim):
        return _written(x, index, dim, value)

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_value = ctx.needs_input_grad
        chosen = run(IndexSelect, grad, ctx.index, dim=ctx.dim) if wants_value else None
        return (
            run(IndexFill, grad, ctx.index, dim=ctx.dim, value=0) if wants_x else None,
            None if chosen is None else sum_to(chosen, ctx.source_shape),
        )

    @classmethod
    def vmap(cls, info, in_dims, x, value, index, *, dim):
        if in_dims[2] is None:
            x, value = batch_all(info, in_dims[:2], (x, value))
            return cls.apply(x, in_front(value, x.ndim - 1), index, dim=dim + 1)
        return IndexPut.vmap(info, in_dims, x, value, index, dims=(dim,), accumulate=False)


@op(IndexFill, IndexFillTensor, inplace=True)
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
    _check_long("index_fill", index)
    at = wrap_dim(dim, input.ndim)
    check_vector("index_fill", index, input.shape[at] if input.ndim else 1, negative=True)
    filled = fill_value("index_fill", input, value)
    if isinstance(filled, Tensor):
        return apply_along(IndexFillTensor, input, filled, _vector(index), dim=at)
    return apply_along(IndexFill, input, _vector(index), dim=at, value=filled)


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


def setitem(input: Tensor, index: Any, value: Any) -> None:
    """`input[index] = value`.

    Args:
        input: tensor, written in place.
        index: what `input[index]` takes.
        value: a number, or a tensor that broadcasts to `input[index]`.

    Raises:
        LeafWriteError: if `input` is a leaf that requires grad and the tape records.
        DimError: if there is no such place.
        ShapeError: if `value` does not fit.
        DTypeError: if the dtype has no room for it.
        DeviceError: if a tensor of another device is to go to places that `index` names by tensors.

    Example:
        >>> x = tensor([1.0, 2.0, 3.0])
        >>> x[1:] = 0
        >>> x
        tensor([1., 0., 0.])
    """
    new = value.payload if isinstance(value, Tensor) else value
    if not (is_array(new) or isinstance(new, (bool, int, float, complex, np.generic))):
        raise ArgumentTypeError(
            f"can't assign a {type(value).__name__} to a tensor. "
            "Write `x[index] = glassgrad.tensor(values)`."
        )
    rounds = input.dtype is float16 and not isinstance(new, (complex, np.complexfloating))
    if not (is_array(new) or rounds):  # what is too large for a float16 is inf there
        new = value = fill_value("setitem", input, new)
    if index is False:
        return
    index = None if index is True else index
    if special and (below := level_below("setitem", input, value)):
        with below:
            setitem(input, index, value)
        return
    if isinstance(value, Tensor) and type(new) is not type(input.payload):
        value = _moved(value, input, index)
        new = value.payload
    if must_follow(input, value) or isinstance(input.payload, Layer):
        _record(input, index, value)
    elif index.__class__ is int and _is_plain(input.payload, index):
        write(input, "setitem", lambda array: array.__setitem__(index, new))
    else:
        target, dims, indices = parse(wrap(input.payload), index)
        key = key_of(indices, dims) if dims else ...
        if dims and isinstance(value, Tensor):
            check_values_dtype(target, indices, value)
        if is_array(new) and new.size > 1:
            check_memory(target, "setitem")
            check_apart(input, value, "setitem", target.payload)
        write(input, "setitem", lambda _: target.payload.__setitem__(key, new), may_overlap=True)


def _moved(value: Tensor, input: Tensor, index: Any) -> Tensor:
    """The value on the device of `input`; only what goes to places that tensors name stays."""
    if value.device == input.device:
        return value
    indices = index if isinstance(index, tuple) else (index,)
    if value.ndim and any(isinstance(each, (Tensor, np.ndarray, list)) for each in indices):
        raise DeviceError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{input.device} and {value.device}! Places that a tensor names take values of their "
            f"own device only. Write `x[index] = value.to({str(input.device)!r})`."
        )
    return value.to(input.device)


def _is_plain(array: Any, index: int) -> bool:
    """Whether there is such an element, and a place of its own for each part of it."""
    return array.ndim > 0 and -len(array) <= index < len(array) and 0 not in array.strides


def _record(input: Tensor, index: Any, value: Any) -> None:
    """Write to a view of the places that `index` names, or put the value at each of them."""
    target, dims, indices = parse(input, index)
    if not isinstance(value, Tensor):
        with np.errstate(over="ignore"):
            value = wrap(backend_below(target.payload).asarray(value, target.dtype))
    if dims:
        sizes = _without_leading_ones(value)
        value = value if sizes == value.shape else view(value, sizes)
        check_values_dtype(target, indices, value)
        in_place(
            "index_put", target, lambda x: put_at(x, dims, indices, value), [value], copies=False
        )
    elif value.shape == target.shape:
        copy_(target, value)
    elif value.ndim == 0:
        fill_(target, value)
    else:
        copy_(target, expand(view(value, _without_leading_ones(value)), target.shape))


def _without_leading_ones(value: Tensor) -> tuple[int, ...]:
    shape = value.shape
    return shape[next((dim for dim, n in enumerate(shape) if n != 1), len(shape)) :]
