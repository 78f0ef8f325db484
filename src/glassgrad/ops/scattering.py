"""Writing elements to places that an index names along one dim: scatter and its relatives.

Several elements written to one place become their sum, product, mean, or the largest of them:
`scatter_reduce` takes an index of the shape of what is written, `index_reduce` a vector. What
differs is how places are named; `_Places` knows the two ways, and the rules are written once.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import ArgumentError, GraphError, ShapeError
from glassgrad.core.function import Function
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import backend_of
from glassgrad.values.dtypes import Number

from ._arguments import wrap_dim
from ._declaring import op
from ._families import Along, Moved, Symmetric, array_of, batch_all, run, zeros_like
from ._places import (
    along,
    apply_along,
    check_along,
    check_index,
    check_source,
    check_vector,
    in_dim,
    same_dtype,
)
from .filling import fill_value
from .gathering import Gather, IndexAdd, Indexed, IndexSelect, ScatterAdd, first_of, gathered
from .index_writing import IndexFill
from .shape import reshape


class Scatter(Indexed, Moved):
    """z = x,  z[indexᵢⱼ, j] = sᵢⱼ        x̄ = z̄,  x̄[indexᵢⱼ, j] = 0,  s̄ᵢⱼ = z̄[indexᵢⱼ, j]"""

    axes = ("dim",)

    @staticmethod
    def forward(x, src, index, *, dim):
        return _written(x, along(index, dim), first_of(src, index.shape))

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_src = ctx.needs_input_grad
        return (
            run(ScatterValue, grad, ctx.index, dim=ctx.dim, value=0) if wants_x else None,
            gathered(grad, ctx) if wants_src else None,
        )


class ScatterValue(Indexed, Symmetric, Along):
    """y = x,  y[indexᵢⱼ, j] = v
    dy = dx,  dy[indexᵢⱼ, j] = 0
    x̄ = ȳ,  x̄[indexᵢⱼ, j] = 0
    """

    node = "ScatterBackward1"
    axes = ("dim",)

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, along(index, dim), value)

    @staticmethod
    def backward(ctx, grad):
        return run(ScatterValue, grad, ctx.index, dim=ctx.dim, value=0)


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
    check_index("scatter", index)
    at = wrap_dim(dim, input.ndim)
    if isinstance(given, Tensor):
        same_dtype("scatter", input, given)
        check_along("scatter", input, at, index, given)
        return apply_along(Scatter, input, given, with_dims(index, input), dim=at)
    number = fill_value("scatter", input, given)
    check_along("scatter", input, at, index, None)
    return apply_along(ScatterValue, input, with_dims(index, input), dim=at, value=number)


def with_dims(index: Tensor, input: Tensor) -> Tensor:
    """An index without elements has any number of dims: as many as `input`."""
    if input.ndim > 1 and index.ndim != input.ndim:
        return reshape(index, (0,) * input.ndim)
    return index


@op(ScatterAdd, inplace=True)
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
    check_index("scatter_add", index)
    same_dtype("scatter_add", input, src)
    at = wrap_dim(dim, input.ndim)
    check_along("scatter_add", input, at, index, src)
    return apply_along(ScatterAdd, input, src, with_dims(index, input), dim=at)


class _Places(NamedTuple):
    """Places that `index` names along `dim`, and the ops that read, add and write there."""

    index: Any
    dim: int
    reader: type[Primitive]
    adder: type[Primitive]
    writer: type[Primitive]

    def read(self, x: Any) -> Any:
        return run(self.reader, x, self.index, dim=self.dim)

    def counted(self, start: Any, marks: Any) -> Any:
        """`start` plus the marks that go to each place."""
        more = {"alpha": 1} if self.adder is IndexAdd else {}
        return run(self.adder, start, marks, self.index, dim=self.dim, **more)

    def blank(self, x: Any) -> Any:
        """`x`, but 0 at these places."""
        return run(self.writer, x, self.index, dim=self.dim, value=0)


class _Reduces(Indexed, Along):
    """What both ways share."""

    axes = ("dim",)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        from_x, from_src = _RULES[ctx.reduce](ctx, grad)
        wants_x, wants_src = ctx.needs_input_grad
        if wants_x and not ctx.include_self:
            from_x = _places(ctx).blank(from_x)
        return from_x if wants_x else None, from_src if wants_src else None

    @classmethod
    def jvp(cls, ctx, dx, dsrc):
        """Each element goes to one result: what backward makes of ones are their slopes."""
        of_x, of_src = cls.backward(ctx, np.ones_like(ctx.result))
        own = zeros_like(ctx.result, ctx.result.shape) if dx is None else of_x * dx
        if dsrc is None:
            return own
        return _places(ctx).counted(own, of_src * first_of(dsrc, of_src.shape))


class ScatterReduce(_Reduces):
    """z = scatter_reduce(x, index, s)        x̄ = z̄·(∂z/∂x),  s̄ = z̄·(∂z/∂s)"""

    saves = ("self", "src", "result")

    @staticmethod
    def forward(x, src, index, *, dim, reduce, include_self):
        return _reduced(x, first_of(src, index.shape), along(index, dim), reduce, include_self)

    @staticmethod
    def places(ctx: Any) -> _Places:
        return _Places(ctx.index, ctx.dim, Gather, ScatterAdd, ScatterValue)


class IndexReduce(_Reduces):
    """z = index_reduce(x, index, s)        x̄ = z̄·(∂z/∂x),  s̄ = z̄·(∂z/∂s)"""

    saves = ("self", "source", "result")

    @staticmethod
    def forward(x, source, index, *, dim, reduce, include_self):
        return _reduced(x, source, in_dim(index, dim), reduce, include_self)

    @staticmethod
    def places(ctx: Any) -> _Places:
        return _Places(ctx.index, ctx.dim, IndexSelect, IndexAdd, IndexFill)

    @classmethod
    def vmap(cls, info, in_dims, x, source, index, *, dim, **how):
        """With places for each example, they are those of a scatter: an index for each element."""
        x, source = batch_all(info, in_dims[:2], (x, source))
        if in_dims[2] is None:
            return cls.apply(x, source, index, dim=dim + 1, **how)
        n, places = index.shape
        line = index.reshape(n, *(1,) * dim, places, *(1,) * (source.ndim - dim - 2))
        return ScatterReduce.apply(x, source, line.expand(source.shape), dim=dim + 1, **how)


# Values -------------------------------------------------------------------------------------------

_UFUNCS = {"prod": "multiply", "amax": "maximum", "amin": "minimum"}


def _reduced(x: Any, src: Any, key: Any, reduce: str, include_self: bool) -> Any:
    out = np.copy(x)
    if not include_self:
        out[key] = _neutral(reduce, x.dtype)
    if reduce in _UFUNCS:
        backend_of(out).reduce_at(_UFUNCS[reduce], out, key, src)
        return out
    backend_of(out).add_at(out, key, src)
    if reduce == "sum":
        return out
    count = np.ones_like(out) if include_self else np.zeros_like(out)
    backend_of(out).add_at(count, key, np.ones_like(src))
    count[count == 0] = 1
    return out / count if out.dtype.kind in "fc" else out // count


def _neutral(reduce: str, dtype: Any) -> Any:
    """What does not change the result: 0 for a sum, 1 for a product, -∞ for a maximum."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    if dtype.kind == "f":
        return -math.inf if reduce == "amax" else math.inf
    bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "i" else (0, 2**bits - 1)
    return low if reduce == "amax" else high


# Gradients: each rule gives those of x and of y ---------------------------------------------------


def _places(ctx: Any) -> _Places:
    return ctx._forward_cls.places(ctx)


def _by_sum(ctx: Any, grad: Any) -> Any:
    return grad, _places(ctx).read(grad)


def _by_mean(ctx: Any, grad: Any) -> Any:
    places, (_, src, _) = _places(ctx), ctx.saved_tensors
    own = zeros_like(grad, grad.shape) + int(ctx.include_self)
    count = places.counted(own, zeros_like(grad, src.shape) + 1)
    part = grad / np.where(count == 0, 1, count)
    return part, places.read(part)


def _by_extreme(ctx: Any, grad: Any) -> Any:
    """Ties share the gradient evenly."""
    places, (x, src, y) = _places(ctx), ctx.saved_tensors
    x_is_it = np.where(x == y, 1.0, zeros_like(grad, ()))
    src_is_it = np.where(src == places.read(y), 1.0, zeros_like(grad, ()))
    part = grad / places.counted(x_is_it, src_is_it)
    return x_is_it * part, src_is_it * places.read(part)


def _by_product(ctx: Any, grad: Any) -> Any:
    """Products of all other factors. A factor of 0 is left out first, then divided by."""
    places, (x, src, y) = _places(ctx), ctx.saved_tensors
    cls = ctx._forward_cls
    more = {"dim": ctx.dim, "reduce": "prod", "include_self": ctx.include_self}
    nonzero = np.where(x == 0, 1, x)
    from_x = grad * run(cls, nonzero, src, ctx.index, **more) / nonzero
    is_zero = src == 0
    marks = np.where(is_zero, 1.0, zeros_like(grad, ()))
    zeros = places.read(places.counted(zeros_like(grad, y.shape), marks))
    only_zero = is_zero & (zeros == 1)
    without = run(cls, x, np.where(only_zero, 1, src), ctx.index, **more)
    divided = places.read(grad * y) / np.where(is_zero, 1, src)
    from_src = np.where(only_zero, places.read(grad * without), divided)
    if isinstance(from_src, Tensor) and bool(np.any(array_of(zeros > 1))):
        from_src = NotTwice.apply(from_src, f"{_NAMES[cls]}()")
    return from_x, from_src


_RULES = {
    "sum": _by_sum,
    "mean": _by_mean,
    "amax": _by_extreme,
    "amin": _by_extreme,
    "prod": _by_product,
}

_NAMES: dict[Any, str] = {ScatterReduce: "scatter_reduce", IndexReduce: "index_reduce"}


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


# What users call ----------------------------------------------------------------------------------


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
    check_index("scatter_reduce", index)
    same_dtype("scatter_reduce", input, src)
    if reduce not in _RULES:
        raise ShapeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}. It says "
            "how several elements become one. Write one of these."
        )
    at = wrap_dim(dim, input.ndim)
    check_along("scatter_reduce", input, at, index, src)
    how: Any = {"dim": at, "reduce": reduce, "include_self": include_self}
    return apply_along(ScatterReduce, input, src, with_dims(index, input), **how)


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
    check_index("index_reduce", index)
    same_dtype("index_reduce", input, source)
    at = wrap_dim(dim, input.ndim)
    check_vector("index_reduce", index, input.shape[at] if input.ndim else 1)
    check_source("index_reduce", input, at, index, source)
    vector = index if index.ndim else reshape(index, (1,))
    how: Any = {"dim": at, "reduce": reduce, "include_self": include_self}
    return apply_along(IndexReduce, input, source, vector, **how)
