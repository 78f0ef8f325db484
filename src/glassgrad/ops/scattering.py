"""Writing to places that an index names along one dim: one element for each place, or several.

Several elements for one place become their sum, product, mean, or the largest of them. As in
`gathering`, an index is a vector of places, each for a slice (`index_copy`, `index_fill`,
`index_reduce`), or there is one for each element (`scatter`, `scatter_reduce`).
"""

import math
from typing import Any, ClassVar

import numpy as np

from glassgrad.core.errors import ArgumentError, GraphError, ShapeError
from glassgrad.core.function import Function
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import backend_of
from glassgrad.values.dtypes import Number

from ._declaring import op
from ._families import Linear, Moved, Symmetric, array_of, run, zeros_like
from ._places import (
    ByElement,
    BySlice,
    Indexed,
    added,
    along,
    apply_along,
    blanked,
    first_of,
    in_dim,
    read,
    vector_in,
    write_elements,
    write_slices,
)
from .filling import fill_value


class _Writing(Indexed):
    """What ops share that write values of a tensor."""

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_source = ctx.needs_input_grad
        to_source = ctx._forward_cls.to_source
        return (
            blanked(ctx, grad) if wants_x else None,
            to_source(ctx, grad) if wants_source else None,
        )


class Scatter(_Writing, ByElement, Moved):
    """z = x,  z[indexᵢⱼ, j] = sᵢⱼ        x̄ = z̄,  x̄[indexᵢⱼ, j] = 0,  s̄ᵢⱼ = z̄[indexᵢⱼ, j]"""

    @staticmethod
    def forward(x, src, index, *, dim):
        return _written(x, along(index, dim), first_of(src, index.shape))


class IndexCopy(_Writing, BySlice, Linear):
    """z = x,  z[indexᵢ] = sᵢ        x̄ = z̄,  x̄[indexᵢ] = 0,  s̄ᵢ = z̄[indexᵢ]"""

    by_element = Scatter.apply

    @staticmethod
    def forward(x, source, index, *, dim):
        return _written(x, in_dim(index, dim), source)


class IndexFillTensor(IndexCopy):
    """z = x,  z[indexᵢ] = v        x̄ = z̄,  x̄[indexᵢ] = 0,  v̄ = Σᵢ z̄[indexᵢ]"""

    node = "IndexFillBackward1"

    @staticmethod
    def forward(x, value, index, *, dim):
        return _written(x, in_dim(index, dim), value)


class ScatterValue(ByElement, Symmetric):
    """y = x,  y[indexᵢⱼ, j] = v
    dy = dx,  dy[indexᵢⱼ, j] = 0
    x̄ = ȳ,  x̄[indexᵢⱼ, j] = 0
    """

    node = "ScatterBackward1"

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, along(index, dim), value)

    @staticmethod
    def backward(ctx, grad):
        return blanked(ctx, grad)


class IndexFill(BySlice, Symmetric):
    """y = x,  y[indexᵢ] = v        dy = dx,  dy[indexᵢ] = 0        x̄ = ȳ,  x̄[indexᵢ] = 0"""

    by_element = ScatterValue.apply

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, in_dim(index, dim), value)

    @staticmethod
    def backward(ctx, grad):
        return blanked(ctx, grad)


ByElement.fills, BySlice.fills = ScatterValue, IndexFill


def _written(x: Any, key: Any, values: Any) -> Any:
    out = np.copy(x)
    out[key] = values
    return out


@op(ScatterValue, Scatter, inplace=True)
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
    given = value if src is None else src
    if given is None:
        raise ArgumentError(
            "scatter() got neither src nor value. It writes elements of a tensor, or one number. "
            "Write `x.scatter(dim, index, src)` or `x.scatter(dim, index, value=0)`."
        )
    if isinstance(given, Tensor):
        return write_elements("scatter", Scatter, input, dim, index, given)
    number = fill_value("scatter", input, given)
    return write_elements("scatter", ScatterValue, input, dim, index, value=number)


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
    return write_slices("index_copy", IndexCopy, input, dim, index, source, long=True)


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
    at, places = vector_in("index_fill", input, dim, index, long=True, from_end=True)
    filled = fill_value("index_fill", input, value)
    if isinstance(filled, Tensor):
        return apply_along(IndexFillTensor, input, filled, places, dim=at)
    return apply_along(IndexFill, input, places, dim=at, value=filled)


# Several elements for one place -------------------------------------------------------------------


class _Reduces(Indexed):
    """What both ways to reduce share.

    Attributes:
        called: the function's name, for messages.
    """

    called: ClassVar[str]

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        from_x, from_src = _RULES[ctx.reduce](ctx, grad)
        wants_x, wants_src = ctx.needs_input_grad
        if wants_x and not ctx.include_self:
            from_x = blanked(ctx, from_x)
        return from_x if wants_x else None, from_src if wants_src else None

    @classmethod
    def jvp(cls, ctx, dx, dsrc):
        """Each element goes to one result: what backward makes of ones are their slopes."""
        of_x, of_src = cls.backward(ctx, np.ones_like(ctx.result))
        own = zeros_like(ctx.result, ctx.result.shape) if dx is None else of_x * dx
        return own if dsrc is None else added(ctx, own, of_src * first_of(dsrc, of_src.shape))


class ScatterReduce(_Reduces, ByElement):
    """z = scatter_reduce(x, index, s)        x̄ = z̄·(∂z/∂x),  s̄ = z̄·(∂z/∂s)"""

    saves = ("self", "src", "result")
    called = "scatter_reduce()"

    @staticmethod
    def forward(x, src, index, *, dim, reduce, include_self):
        return _reduced(x, first_of(src, index.shape), along(index, dim), reduce, include_self)


class IndexReduce(_Reduces, BySlice):
    """z = index_reduce(x, index, s)        x̄ = z̄·(∂z/∂x),  s̄ = z̄·(∂z/∂s)"""

    saves = ("self", "source", "result")
    called = "index_reduce()"
    by_element = ScatterReduce.apply

    @staticmethod
    def forward(x, source, index, *, dim, reduce, include_self):
        return _reduced(x, source, in_dim(index, dim), reduce, include_self)


# Values -------------------------------------------------------------------------------------------

_UFUNCS = {
    "sum": "add",
    "mean": "add",
    "prod": "multiply",
    "amax": "maximum",
    "amin": "minimum",
}


def _reduced(x: Any, src: Any, key: Any, reduce: str, include_self: bool) -> Any:
    out, backend = np.copy(x), backend_of(x)
    if not include_self:
        out[key] = _neutral(reduce, x.dtype)
    backend.reduce_at(_UFUNCS[reduce], out, key, src)
    if reduce != "mean":
        return out
    count = np.ones_like(out) * include_self
    backend.add_at(count, key, np.ones_like(src))
    count[count == 0] = 1
    return out / count if out.dtype.kind in "fc" else out // count


def _neutral(reduce: str, dtype: Any) -> Any:
    """What does not change the result: 0 for a sum, 1 for a product, -∞ for a maximum."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    bits, low, high = 8 * dtype.itemsize, -math.inf, math.inf
    if dtype.kind == "i":
        low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    elif dtype.kind != "f":
        low, high = 0, 1 if dtype.kind == "b" else 2**bits - 1
    return low if reduce == "amax" else high


# Gradients: each rule gives those of x and of y ---------------------------------------------------


def _by_sum(ctx: Any, grad: Any) -> Any:
    return grad, read(ctx, grad)


def _by_mean(ctx: Any, grad: Any) -> Any:
    _, src, _ = ctx.saved_tensors
    own = zeros_like(grad, grad.shape) + int(ctx.include_self)
    count = added(ctx, own, zeros_like(grad, src.shape) + 1)
    part = grad / np.where(count == 0, 1, count)
    return part, read(ctx, part)


def _by_extreme(ctx: Any, grad: Any) -> Any:
    """Ties share the gradient evenly."""
    x, src, y = ctx.saved_tensors
    x_is_it = np.where(x == y, 1.0, zeros_like(grad, ()))
    src_is_it = np.where(src == read(ctx, y), 1.0, zeros_like(grad, ()))
    part = grad / added(ctx, x_is_it, src_is_it)
    return x_is_it * part, src_is_it * read(ctx, part)


def _by_product(ctx: Any, grad: Any) -> Any:
    """Products of all other factors. A factor of 0 is left out first, then divided by."""
    x, src, y = ctx.saved_tensors
    cls = ctx._forward_cls
    more = {"dim": ctx.dim, "reduce": "prod", "include_self": ctx.include_self}
    nonzero = np.where(x == 0, 1, x)
    from_x = grad * run(cls, nonzero, src, ctx.index, **more) / nonzero
    is_zero = src == 0
    marks = np.where(is_zero, 1.0, zeros_like(grad, ()))
    zeros = read(ctx, added(ctx, zeros_like(grad, y.shape), marks))
    only_zero = is_zero & (zeros == 1)
    without = run(cls, x, np.where(only_zero, 1, src), ctx.index, **more)
    divided = read(ctx, grad * y) / np.where(is_zero, 1, src)
    from_src = np.where(only_zero, read(ctx, grad * without), divided)
    if isinstance(from_src, Tensor) and bool(np.any(array_of(zeros > 1))):
        from_src = NotTwice.apply(from_src, cls.called)
    return from_x, from_src


_RULES = {
    "sum": _by_sum,
    "mean": _by_mean,
    "amax": _by_extreme,
    "amin": _by_extreme,
    "prod": _by_product,
}


class NotTwice(Function):
    """Passes a gradient on, and raises when it is differentiated."""

    @staticmethod
    def forward(grad: Tensor, name: str) -> Tensor:
        return wrap(grad.payload)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, ctx.of = inputs

    @staticmethod
    def vmap(info: Any, in_dims: Any, grad: Tensor, name: str) -> Any:
        return NotTwice.apply(grad, name), in_dims[0]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise GraphError(
            f"{ctx.of}: Double backward is unsupported for src when >1 zeros in src are scattered "
            "to the same position in self. The gradient is 0 there, but its own is not. Keep src "
            "away from 0, or reduce by another function."
        )

    jvp = backward


@op(ScatterReduce, inplace=True)
def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """`input`, each element reduced with those elements of `src` whose index names its place.

    Args:
        input: tensor with `d` dims.
        dim: the dim in which `index` names places; in the others it counts along.
        index: int32 or int64 tensor with `d` dims, nowhere but in `dim` larger than `input`.
        src: tensor of the dtype of `input`, nowhere smaller than `index`.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether the element that is there takes part.

    Returns:
        Tensor of the shape of `input`. Gradients of amax and amin are split evenly between ties.

    Raises:
        ShapeError: if the shapes do not fit, there is no such place, or no such reduction.
        DTypeError: if `index` holds no integers, or the dtypes differ.

    Example:
        >>> x, index = tensor([1.0, 2.0]), tensor([0, 0, 1])
        >>> scatter_reduce(x, 0, index, tensor([5.0, 3.0, 4.0]), "sum")
        tensor([9., 6.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
    """
    if reduce not in _RULES:
        raise ShapeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}. It says "
            "how several elements become one. Write one of these."
        )
    how: Any = {"reduce": reduce, "include_self": include_self}
    return write_elements("scatter_reduce", ScatterReduce, input, dim, index, src, **how)


@op(IndexReduce, inplace=True)
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """`input`, each slice reduced with those slices of `source` whose index names its place.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int32 or int64 tensor of shape `(m,)`, from 0 to `n - 1`.
        source: tensor of shape `(…, m, …)` and of the dtype of `input`.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: whether the slice that is there takes part.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        DimError, ShapeError, DTypeError: as `index_add`; also for another `reduce`.

    Example:
        >>> x, index = tensor([1.0, 2.0]), tensor([0, 0, 1])
        >>> index_reduce(x, 0, index, tensor([5.0, 3.0, 4.0]), "prod")
        tensor([15.,  8.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.index_reduce_.html
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise ShapeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}. It says how several slices become one. Write index_add() for their sum."
        )
    how: Any = {"reduce": reduce, "include_self": include_self}
    return write_slices("index_reduce", IndexReduce, input, dim, index, source, **how)
