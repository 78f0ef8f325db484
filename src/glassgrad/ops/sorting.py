"""Elements in order: sorting, the k largest, the most frequent, quantiles, searching.

What stands in order was chosen along a dim, and its gradient goes back to where it was found.
"""

import math
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import backend_of
from glassgrad.values.dtypes import Number, as_dtype, int32, int64

from ._arguments import check_kind, int_of, require_tensor, scalar_name, wrap_dim
from ._declaring import op
from ._families import in_dim, seen
from .arithmetic import lerp
from .conversion import to
from .creation import as_tensor, full
from .extrema import AlongDim, ValuesAndIndices, as_line, chosen_at, filled_dim
from .masking import masked_fill
from .reduction import any as any_of
from .scattering import gather
from .selection import clamp
from .shape import flatten, movedim, reshape, squeeze, unsqueeze

NO_ORDER = "None is larger or smaller than another. Write `x.abs()`, or `x.real`."
"""Why complex numbers are refused, and what to write instead."""


class SortReturn(ValuesAndIndices):
    """What `sort` returns."""


class TopkReturn(ValuesAndIndices):
    """What `topk` returns."""


class KthvalueReturn(ValuesAndIndices):
    """What `kthvalue` returns."""


class ModeReturn(ValuesAndIndices):
    """What `mode` returns."""


# All of them, and the first ones ------------------------------------------------------------------


class Sort(AlongDim):
    """y, k = sort x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    @staticmethod
    def forward(x, *, dim, descending):
        return chosen_at(x, _order(as_line(x), dim, descending=descending), dim)


class SortStable(Sort):
    """y, k = sort x        dyᵢ = dx[kᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[kᵢ = j]"""

    node = "SortBackward1"


def _order(x: Any, dim: int, *, descending: bool) -> Any:
    """The indices that sort along a dim: nan is above all, and equals keep their order."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    from_behind = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return x.shape[dim] - 1 - np.flip(from_behind, dim)


@op(Sort, SortStable, out=True, axis=True)
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None
) -> SortReturn:
    """The elements along a dim in ascending order, and where they were.

    Args:
        input: real tensor of shape `S`.
        dim: along which dim.
        descending: whether the largest comes first.
        stable: whether equals must keep their order; here they always do.

    Returns:
        The named tuple (values, indices), both of shape `S`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for complex numbers.

    Example:
        >>> sort(tensor([3.0, 1.0, 2.0]))
        glassgrad.return_types.sort(
        values=tensor([1., 2., 3.]),
        indices=tensor([1, 2, 0]))

    See also: https://pytorch.org/docs/stable/generated/torch.sort.html
    """
    require_tensor("sort", input)
    _check_ordered("Sort", input)
    rule = Sort if stable is None else SortStable
    return SortReturn(
        *rule.apply(input, dim=wrap_dim(dim, input.ndim), descending=bool(descending))
    )


@op(axis=True)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort along a dim: those of `sort`.

    Returns:
        int64 tensor of the shape of `input`.

    Raises:
        DimError, DTypeError: as `sort`.

    Example:
        >>> argsort(tensor([3.0, 1.0, 2.0]))
        tensor([1, 2, 0])

    See also: https://pytorch.org/docs/stable/generated/torch.argsort.html
    """
    return sort(input, dim, descending, stable).indices


@op(out=True)
def msort(input: Tensor) -> Tensor:
    """The elements along the first dim in ascending order.

    Example:
        >>> msort(tensor([[3, 1], [2, 4]]))
        tensor([[2, 1],
                [3, 4]])

    See also: https://pytorch.org/docs/stable/generated/torch.msort.html
    """
    return sort(input, 0).values


class Topk(AlongDim):
    """y, p = topk x        dyᵢ = dx[pᵢ]        x̄ⱼ = Σᵢ ȳᵢ·[pᵢ = j]"""

    @staticmethod
    def forward(x, *, k, dim, largest):
        order = _order(as_line(x), dim, descending=largest)
        return chosen_at(x, order[in_dim(slice(k), dim)], dim)


@op(Topk, out=True, axis=True)
def topk(
    input: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,  # noqa: ARG001  # as PyTorch has it
) -> TopkReturn:
    """The `k` largest elements along a dim, the largest first, and where they were.

    Args:
        input: real tensor of shape `(…, n, …)`.
        k: how many, from 0 to `n`.
        dim: which dim has the size `n`.
        largest: whether it is the largest; else the smallest.
        sorted: whether they must be in order; here they always are.

    Returns:
        The named tuple (values, indices), both of shape `(…, k, …)`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if there are not so many elements.
        DTypeError: for complex numbers and bools.

    Example:
        >>> topk(tensor([3.0, 1.0, 2.0]), 2)
        glassgrad.return_types.topk(
        values=tensor([3., 2.]),
        indices=tensor([0, 2]))

    See also: https://pytorch.org/docs/stable/generated/torch.topk.html
    """
    require_tensor("topk", input)
    at, count = wrap_dim(dim, input.ndim), int_of(k, "topk", "k")
    n = input.shape[at] if input.ndim else 1
    if not 0 <= count <= n:
        raise ShapeError(
            f"topk(): selected index k out of range: {count} of {n} elements along dim {at}. "
            f"Write a number from 0 to {n}."
        )
    if input.dtype.kind == "b":
        raise DTypeError(
            "topk does not support bool dtypes on CPU: True and False are no sizes. "
            "Write `x.int().topk(k)`."
        )
    _check_ordered("topk", input)
    return TopkReturn(*Topk.apply(input, k=count, dim=at, largest=bool(largest)))


def _check_ordered(name: str, input: Tensor) -> None:
    if input.dtype.kind == "c":
        raise DTypeError(f"{name} does not support complex dtypes on CPU: {NO_ORDER}")


# One of them --------------------------------------------------------------------------------------


class Kthvalue(AlongDim):
    """y, p = kthvalue x        x̄ᵢ = ȳ·[i = p]"""

    @staticmethod
    def forward(x, *, k, dim, keepdim):
        order = _order(as_line(x), dim, descending=False)
        return chosen_at(x, order[in_dim(slice(k - 1, k), dim)], dim, keepdim=keepdim)


@op(Kthvalue, out=True, axis=True)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> KthvalueReturn:
    """The `k`-th smallest element along a dim, and where it is.

    Args:
        input: real tensor of shape `(…, n, …)`.
        k: which one, from 1 to `n`.
        dim: which dim has the size `n`.
        keepdim: keep that dim, with size 1.

    Returns:
        The named tuple (values, indices), without `dim`. nan counts as the largest.

    Raises:
        DimError: if there is no such dim, or nothing along it.
        ShapeError: if there is no `k`-th element.
        DTypeError: for complex numbers.

    Example:
        >>> kthvalue(tensor([3.0, 1.0, 2.0]), 2).values
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.kthvalue.html
    """
    at, which = filled_dim(input, dim, "kthvalue"), int_of(k, "kthvalue", "k")
    n = input.shape[at] if input.ndim else 1
    if not 1 <= which <= n:
        raise ShapeError(
            f"kthvalue(): selected number k out of range for dimension {at}: {which} of {n} "
            f"elements. The smallest is the first. Write a number from 1 to {n}."
        )
    check_kind('"kthvalue_cpu"', input, "biuf", NO_ORDER)
    return KthvalueReturn(*Kthvalue.apply(input, k=which, dim=at, keepdim=bool(keepdim)))


class Mode(AlongDim):
    """y, k = mode x        x̄ᵢ = ȳ·[i = k]"""

    @staticmethod
    def forward(x, *, dim, keepdim):
        """In order, equals are neighbours; each counts those of its kind that stand before it."""
        line = as_line(x)
        order = _order(line, dim, descending=False)
        row = np.moveaxis(np.take_along_axis(line, order, axis=dim), dim, -1)
        places = np.cumsum(np.ones_like(row, dtype=np.int64), axis=-1) - 1
        begins = np.concatenate(
            [np.ones_like(row[..., :1], dtype=np.bool_), row[..., 1:] != row[..., :-1]], axis=-1
        )
        before = places - np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
        most = np.moveaxis(np.argmax(before, axis=-1, keepdims=True), -1, dim)
        return chosen_at(x, np.take_along_axis(order, most, axis=dim), dim, keepdim=keepdim)


@op(Mode, out=True, axis=True)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ModeReturn:
    """The most frequent element along a dim, and where it is.

    Args:
        input: real tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        keepdim: keep that dim, with size 1.

    Returns:
        The named tuple (values, indices), without `dim`: of equally frequent elements the
        smallest one, and where it is for the last time.

    Raises:
        DimError: if there is no such dim, or nothing along it.
        DTypeError: for complex numbers.

    Example:
        >>> mode(tensor([3, 1, 3]))
        glassgrad.return_types.mode(
        values=tensor(3),
        indices=tensor(2))

    See also: https://pytorch.org/docs/stable/generated/torch.mode.html
    """
    at = filled_dim(input, dim, "mode")
    check_kind('"mode_cpu"', input, "biuf", NO_ORDER)
    return ModeReturn(*Mode.apply(input, dim=at, keepdim=bool(keepdim)))


# Quantiles ----------------------------------------------------------------------------------------

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@op(out=True, axis=True)
def quantile(
    input: Tensor,
    q: Tensor | float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The value below which a share `q` of the elements lies.

    Args:
        input: float32 or float64 tensor of shape `S`.
        q: a share from 0 to 1, or a tensor of such, with one dim or none.
        dim: along which dim; None for all elements.
        keepdim: keep that dim, with size 1.
        interpolation: what lies between two elements: "linear", "lower", "higher", "midpoint" or
            "nearest".

    Returns:
        Tensor of shape `S` without `dim`; if `q` has a dim, it is in front. nan if there is a nan.

    Raises:
        DTypeError: for other dtypes, or a `q` of another one than `input`.
        ShapeError: if there are no elements, for a share outside of [0, 1], or an unknown
            interpolation.

    Example:
        >>> quantile(tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
        tensor(2.5000)

    See also: https://pytorch.org/docs/stable/generated/torch.quantile.html
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, ignore_nan=False)


@op(out=True, axis=True)
def nanquantile(
    input: Tensor,
    q: Tensor | float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """`quantile` of all elements but nan; of nothing else it is nan.

    Example:
        >>> nanquantile(tensor([1.0, float("nan"), 3.0]), 0.5)
        tensor(2.)

    See also: https://pytorch.org/docs/stable/generated/torch.nanquantile.html
    """
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, ignore_nan=True)


def _quantile(
    name: str,
    input: Tensor,
    q: Tensor | float,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    *,
    ignore_nan: bool,
) -> Tensor:
    shares = _checked_shares(name, input, q, interpolation)
    at = 0 if dim is None else wrap_dim(dim, input.ndim)
    line = flatten(input) if dim is None or not input.ndim else input
    rows = sort(movedim(line, at, -1)).values
    is_nan = rows.detach().isnan()
    last = rows.shape[-1] - 1
    if ignore_nan:
        count = (~is_nan).sum(dim=-1, keepdim=True)
        ranks = clamp(shares * (count - 1).to(input.dtype), min=0)
    else:
        ranks = masked_fill(shares * last, any_of(is_nan, dim=-1, keepdim=True), last)
    found = movedim(_between(rows, ranks, interpolation), -1, 0)
    if keepdim and input.ndim:
        found = (
            reshape(found, (-1, *(1,) * input.ndim)) if dim is None else unsqueeze(found, at + 1)
        )
    return found if isinstance(q, Tensor) and q.ndim else squeeze(found, 0)


def _between(rows: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    """What stands at these ranks, which have fractions, in sorted rows."""
    ranks = ranks.expand(*rows.shape[:-1], ranks.shape[-1])
    if interpolation in ("lower", "higher", "nearest"):
        rounding = {"lower": Tensor.floor, "higher": Tensor.ceil, "nearest": Tensor.round}
        return gather(rows, -1, to(rounding[interpolation](ranks), int64))
    below = to(ranks, int64)
    weights = full((), 0.5, dtype=rows.dtype) if interpolation == "midpoint" else ranks - below
    return lerp(gather(rows, -1, below), gather(rows, -1, to(ranks.ceil(), int64)), weights)


def _checked_shares(name: str, input: Tensor, q: Any, interpolation: str) -> Tensor:
    """The shares that are asked for, as a vector."""
    require_tensor(name, input)
    if not input.numel():
        raise ShapeError(
            f"{name}() input tensor must be non-empty, got the shape {list(input.shape)}. "
            "No element lies between none. Check where it became empty."
        )
    if input.dtype.name not in ("float32", "float64"):
        raise DTypeError(
            f"{name}() input tensor must be either float or double dtype, got "
            f"{scalar_name(input.dtype)}. Values between its elements have fractions. "
            "Write `x.float()`."
        )
    if interpolation not in INTERPOLATIONS:
        raise ShapeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}. It says what lies between two elements."
        )
    outside = "A share of all elements is from none, 0, to all, 1."
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise ShapeError(f"{name}() q must be in the range [0, 1] but got {q}. {outside}")
        return full((1,), q, dtype=input.dtype, device=input.device)
    if q.ndim > 1:
        raise ShapeError(
            f"{name}() q must be a scalar or 1D tensor, got the shape {list(q.shape)}. Its dim "
            "is the first of the result. Write `q.flatten()`."
        )
    if q.dtype != input.dtype:
        raise DTypeError(
            f"{name}() q tensor must be same dtype as the input tensor, got "
            f"{scalar_name(q.dtype)} and {scalar_name(input.dtype)}. Write `q.to(x.dtype)`."
        )
    values = seen(q)
    if values is not None and not bool(((values >= 0) & (values <= 1)).all()):
        raise ShapeError(f"{name}() q values must be in the range [0, 1]. {outside}")
    return reshape(q, (-1,))


# Searching in what is sorted ----------------------------------------------------------------------


class Searchsorted(Primitive):
    """y = searchsorted(b, x)"""

    promotes = None
    differentiable = False

    @staticmethod
    def forward(boundaries, x, *, right, dtype):
        asarray = backend_of(x).asarray
        if boundaries.ndim == 1:
            return asarray(np.searchsorted(boundaries, x, "right" if right else "left"), dtype)
        parts = (boundaries, x) if right else (x, boundaries)
        order = np.argsort(np.concatenate(parts, axis=-1), axis=-1, kind="stable")
        n, m = boundaries.shape[-1], x.shape[-1]
        is_boundary = order < n if right else order >= m
        ranks = np.zeros_like(order)
        np.put_along_axis(ranks, order, np.cumsum(is_boundary, axis=-1), axis=-1)
        return asarray(ranks[..., n:] if right else ranks[..., :m], dtype)

    @classmethod
    def vmap(cls, info, in_dims, boundaries, x, **how):
        """Each example has values, and maybe boundaries: then these have as many dims."""
        if in_dims[0] is None and boundaries.ndim == 1:
            return cls.apply(boundaries, x, **how)
        if in_dims[0] is None:
            boundaries = np.broadcast_to(boundaries, (info.batch_size, *boundaries.shape))
        if in_dims[1] is None:
            x = np.broadcast_to(x, (info.batch_size, *x.shape))
        shape = x.shape
        if boundaries.ndim == 2:
            x = x.reshape(shape[0], math.prod(shape[1:]))
        return cls.apply(boundaries, x, **how).reshape(shape)


@op(Searchsorted, is_method=False, out=True)
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """How many boundaries lie before each value: where it could be put in, keeping the order.

    Args:
        sorted_sequence: ascending boundaries: shape `(n,)`, or `(…, n)` with the same dims in
            front as `input`.
        input: a number, or a tensor of shape `S`.
        out_int32: whether the result is int32, not int64.
        right, side: whether equal boundaries count, too: `right=True`, or `side="right"`.
        sorter: the indices that sort the boundaries, if they are not in order.

    Returns:
        Integers of shape `S`, from 0 to `n`.

    Raises:
        ShapeError: for other shapes, or if `right` and `side` contradict each other.
        DTypeError: for complex numbers, or a `sorter` of other integers than int64.

    Example:
        >>> searchsorted(tensor([1, 3, 5]), tensor([3, 4]))
        tensor([1, 2])
        >>> searchsorted(tensor([1, 3, 5]), 3, right=True)
        tensor(2)

    See also: https://pytorch.org/docs/stable/generated/torch.searchsorted.html
    """
    require_tensor("searchsorted", sorted_sequence)
    if side not in (None, "left", "right"):
        raise ShapeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}. It says "
            "whether a value goes before or behind its equals."
        )
    if right and side == "left":
        raise ShapeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True. They mean the same. Write `side` only."
        )
    shape = sorted_sequence.shape
    values = as_tensor(input, device=sorted_sequence.device)
    if not shape:
        raise ShapeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
            "dimension. Write `boundaries.reshape(1)`."
        )
    if len(shape) > 1 and shape[:-1] != values.shape[:-1]:
        raise ShapeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(shape)} and input value tensor {list(values.shape)}. A row "
            "of values is looked for in the row of boundaries of the same place."
        )
    for each in (sorted_sequence, values):
        check_kind('"searchsorted_out_cpu"', each, "biuf", NO_ORDER)
    if sorter is not None:
        sorted_sequence = gather(sorted_sequence, -1, _checked_sorter(sorted_sequence, sorter))
    return Searchsorted.apply(
        sorted_sequence.detach(),
        values.detach(),
        right=bool(right) or side == "right",
        dtype=as_dtype(int32 if out_int32 else int64),
    )


def _checked_sorter(boundaries: Tensor, sorter: Tensor) -> Tensor:
    if sorter.shape != boundaries.shape:
        raise ShapeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
            f"tensor {list(boundaries.shape)} and got sorter tensor {list(sorter.shape)}. "
            "Write `boundaries.argsort()`."
        )
    if sorter.dtype != int64:
        raise DTypeError(
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
            f"{scalar_name(sorter.dtype)}. It names places. Write `sorter.long()`."
        )
    return sorter


@op(Searchsorted, is_method=False, out=True)
def bucketize(
    input: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Between which boundaries each value lies: `searchsorted` in one row of them.

    Args:
        input: a number, or a tensor of shape `S`.
        boundaries: ascending boundaries of shape `(n,)`.
        out_int32: whether the result is int32, not int64.
        right: whether a value equal to a boundary lies behind it.

    Returns:
        Integers of shape `S`, from 0 to `n`.

    Raises:
        ShapeError: if `boundaries` has not one dim.

    Example:
        >>> bucketize(tensor([0.5, 3.0]), tensor([1.0, 2.0]))
        tensor([0, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.bucketize.html
    """
    require_tensor("bucketize", boundaries)
    if boundaries.ndim != 1:
        raise ShapeError(
            f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim}). All values "
            "are compared with the same. Write `searchsorted` for rows of boundaries."
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
