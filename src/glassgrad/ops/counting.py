"""What elements there are, and how often: unique elements, counts of integers, histograms."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from glassgrad.core.errors import (
    ArgumentTypeError,
    DimError,
    DTypeError,
    MissingRuleError,
    ShapeError,
    TransformError,
)
from glassgrad.core.function import Function
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import backend_of

from ._arguments import OpClass, c_name, check_kind, int_of, require_tensor, wrap_dim
from ._declaring import op
from ._families import batch_all, seen, zeros_like
from .creation import arange, full
from .extrema import aminmax
from .reduction import diff
from .selection import where
from .sorting import NO_ORDER, Searchsorted

# Unique elements ----------------------------------------------------------------------------------


class NoDerivative(Function):
    """Passes on a result that depends on `x`, and raises when it is differentiated."""

    @staticmethod
    def forward(x, result, name):
        return wrap(result.payload)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.of = inputs[2]

    @staticmethod
    def vmap(info, in_dims, x, result, name):
        return NoDerivative.apply(x, result, name), in_dims[1]

    @staticmethod
    def backward(ctx, *grads):
        raise MissingRuleError(
            f"the derivative for '{ctx.of}' is not implemented. It asks which elements are equal, "
            "or in which bin they are, and that changes by steps. Write `x.detach()` for none."
        )

    jvp = backward


class _Distinct(Primitive):
    """The distinct elements, or slices; where each element went, and how often each is there."""

    promotes = None
    multiple = True
    differentiable = False

    @classmethod
    def vmap(cls, info, in_dims, x, **how):
        raise TransformError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted "
            f"to vmap over unique: each of {info.batch_size} examples may hold more or fewer "
            "distinct elements. Write a loop."
        )


class Unique2(_Distinct):
    """y, k, m = unique x"""

    @staticmethod
    def forward(x):
        row = x.reshape(-1)
        order = np.argsort(row, kind="stable")
        return _runs(row[order], x.shape, order)


class UniqueConsecutive(_Distinct):
    """y, k, m = runs x"""

    @staticmethod
    def forward(x, *, dim):
        if dim is None:
            return _runs(x.reshape(-1), x.shape)
        values, places, counts = _runs(np.moveaxis(x, dim, 0), x.shape[dim : dim + 1])
        return np.moveaxis(values, 0, dim), places, counts


class UniqueDim(_Distinct):
    """y, k, m = unique(x, dim)"""

    @staticmethod
    def forward(x, *, dim):
        """Slices are sorted as words are: by their first elements, then by the second ones."""
        rows = np.moveaxis(x, dim, 0)
        letters = rows.reshape(rows.shape[0], math.prod(rows.shape[1:]))
        order = (
            np.lexsort(np.swapaxes(letters, 0, 1)[::-1])
            if math.prod(rows.shape)
            else np.nonzero(rows)[0]
        )
        values, places, counts = _runs(rows[order], x.shape[dim : dim + 1], order)
        return np.moveaxis(values, 0, dim), places, counts


def _runs(rows: Any, shape: Any, order: Any = None) -> tuple[Any, Any, Any]:
    """Of equal neighbours the first one; which of these each row is, in their old order; how many.

    Args:
        order: where each row was before they were sorted.
    """
    differs = rows[1:] != rows[:-1]
    begins = np.ones_like(rows, dtype=np.bool_, shape=rows.shape[:1])
    begins[1:] = np.any(differs, axis=tuple(range(1, differs.ndim)))
    run = np.cumsum(begins) - 1
    if order is not None:
        run[order] = np.copy(run)
    first = np.nonzero(begins)[0]
    ends = np.concatenate([first[1:], np.zeros_like(first[:1]) + rows.shape[0]])
    return rows[begins], run.reshape(shape), ends - first


@op(Unique2, UniqueDim)
def unique(
    input: Tensor,
    sorted: bool = True,  # noqa: ARG001  # as PyTorch has it
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements, in ascending order.

    Args:
        input: tensor of shape `S`.
        sorted: whether they must be in order; here they always are.
        return_inverse: whether to say where in the result each element went.
        return_counts: whether to say how often each is there.
        dim: the dim of which slices are compared; None: all elements are.

    Returns:
        Tensor of shape `(n,)`; with a dim, of the shape of `input` with the size `n` there. Behind
        it the int64 tensors that were asked for, of shape `S` (with a dim, its size) and `(n,)`.
        Each nan is another one.

    Raises:
        DimError: if there is no such dim.
        ShapeError: if slices of nothing are compared.
        MissingRuleError: when it is differentiated: it has no derivative.

    Example:
        >>> unique(tensor([3, 1, 3]))
        tensor([1, 3])
        >>> unique(tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))

    See also: https://pytorch.org/docs/stable/generated/torch.unique.html
    """
    require_tensor("unique", input)
    check_kind('"unique"', input, "biuf", NO_ORDER)
    if dim is None:
        found = _distinct("_unique2", Unique2, input)
    else:
        at = _checked_slices("unique", input, dim)
        found = _distinct("unique_dim", UniqueDim, input, dim=at)
    return _asked(found, return_inverse, return_counts)


@op(UniqueConsecutive)
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The elements without those that equal the one before them; see `unique`.

    Example:
        >>> unique_consecutive(tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])

    See also: https://pytorch.org/docs/stable/generated/torch.unique_consecutive.html
    """
    require_tensor("unique_consecutive", input)
    check_kind('"unique"', input, "biuf", NO_ORDER)
    at = None if dim is None else _checked_slices("unique_consecutive", input, dim)
    found = _distinct("unique_consecutive", UniqueConsecutive, input, dim=at)
    return _asked(found, return_inverse, return_counts)


def _distinct(name: str, rule: OpClass, input: Tensor, **how: Any) -> tuple[Tensor, ...]:
    values, *others = rule.apply(input, **how)
    if input.requires_grad:
        values = NoDerivative.apply(input, values, name)
    return values, *others


def _asked(found: Any, return_inverse: bool, return_counts: bool) -> Any:
    values, places, counts = found
    if not (return_inverse or return_counts):
        return values
    return (values, *[places] * return_inverse, *[counts] * return_counts)


def _checked_slices(name: str, input: Tensor, dim: int) -> int:
    at = wrap_dim(dim, input.ndim)
    if not input.ndim:
        raise DimError(
            f"Dimension specified as {dim} but tensor has no dimensions: {name}() compares slices "
            "along one. Leave `dim` out."
        )
    if input.shape.count(0) > 1:
        raise ShapeError(
            "Number of zero sized dimensions is more than one, so unique cannot be applied to the "
            f"shape {list(input.shape)}."
        )
    if 0 in input.shape and input.shape[at]:
        raise ShapeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied: "
            f"{name}() compares slices, which have no elements in the shape {list(input.shape)}."
        )
    return at


# Counts of integers -------------------------------------------------------------------------------


class Bincount(Primitive):
    """y = bincount x"""

    promotes = None
    differentiable = False

    @staticmethod
    def forward(x, *weights, minlength):
        """Rows are counted as one, each from a number of its own on."""
        n = int(np.maximum(np.max(x, initial=-1) + 1, minlength))
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        begins = backend_of(x).asarray(np.arange(len(rows)).reshape(-1, 1) * n)
        weight = weights[0].reshape(-1) if weights else None
        counts = np.bincount((rows + begins).reshape(-1), weight, len(rows) * n)
        return counts.reshape(*x.shape[:-1], n)

    @classmethod
    def vmap(cls, info, in_dims, *operands, minlength):
        """As long for all examples as the largest number of all asks for."""
        return cls.apply(*batch_all(info, in_dims, operands), minlength=minlength)


@op(Bincount)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each integer from 0 on is there.

    Args:
        input: integers of shape `(n,)`, none of them negative.
        weights: what each counts: shape `(n,)`.
        minlength: the smallest length of the result.

    Returns:
        Tensor of one count more than the largest integer: int64; with weights, float32 if these
        are, else float64.

    Raises:
        ShapeError: for other shapes, negative integers or a negative `minlength`.
        DTypeError: for numbers that are no integers.

    Example:
        >>> bincount(tensor([0, 2, 2]))
        tensor([1, 0, 2])

    See also: https://pytorch.org/docs/stable/generated/torch.bincount.html
    """
    require_tensor("bincount", input)
    length = int_of(minlength, "bincount", "minlength")
    if length < 0:
        raise ShapeError(f"minlength should be >= 0, got {length}. It counts counts.")
    check_kind('"bincount_cpu"', input, "iu", "Only whole numbers are counted. Write `x.long()`.")
    values = seen(input)
    if input.ndim != 1 or (values is not None and values.size and values.min() < 0):
        raise ShapeError(
            "bincount only supports 1-d non-negative integral inputs, got the shape "
            f"{list(input.shape)}. Each is the place of its count. Write `x.flatten()`."
        )
    if weights is None:
        return Bincount.apply(input, minlength=length)
    if weights.shape != input.shape:
        raise ShapeError(
            "weights should be 1-d and have the same length as input, got the shapes "
            f"{list(weights.shape)} and {list(input.shape)}. Each element has one."
        )
    counted = Bincount.apply(input, weights.detach(), minlength=length)
    return counted.to(weights.dtype) if weights.dtype.name == "float32" else counted


# Histograms ---------------------------------------------------------------------------------------


class HistogramReturn(NamedTuple):
    """What `histogram` returns."""

    hist: Tensor
    bin_edges: Tensor

    def __repr__(self) -> str:
        return (
            f"glassgrad.return_types.histogram(\nhist={self.hist!r},\nbin_edges={self.bin_edges!r})"
        )


class Histogram(Primitive):
    """y = histogram(x, e)"""

    promotes = None
    differentiable = False

    @staticmethod
    def forward(x, edges, *weight, interpolates):
        """One row of edges; or several, and as many rows of elements."""
        lead, n = edges.shape[:-1], edges.shape[-1] - 1
        rows = x.reshape(*lead, math.prod(x.shape[len(lead) :]))
        first, last = edges[..., :1], edges[..., -1:]
        inside = (rows >= first) & (rows <= last)
        if interpolates:
            places = (rows - first) * n / (last - first)
        else:
            places = Searchsorted.forward(edges, rows, right=True, dtype=np.int64) - 1
        asarray = backend_of(x).asarray
        places = np.minimum(asarray(np.where(inside, places, 0), np.dtype(np.int64)), n - 1)
        counts = weight[0].reshape(rows.shape) if weight else np.ones_like(rows)
        out = zeros_like(edges, (math.prod(lead), n))
        if n:
            row = asarray(np.arange(len(out)).reshape(-1, 1))
            key = row, places.reshape(len(out), -1)
            values = np.where(inside, counts, 0).reshape(len(out), -1)
            backend_of(out).reduce_at("add", out, key, values)
        return out.reshape(*lead, n)

    @classmethod
    def vmap(cls, info, in_dims, *operands, interpolates):
        """Each example is counted in bins of its own."""
        return cls.apply(*batch_all(info, in_dims, operands), interpolates=interpolates)


@op(Histogram, out=True, out_exact=True)
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of some bins of one width.

    Args:
        input: floating-point tensor of any shape.
        bins: how many bins.
        min, max: where the first begins and the last ends; if equal, the smallest and the largest
            element. What lies outside is not counted.

    Returns:
        Tensor of shape `(bins,)` and the dtype of `input`.

    Raises:
        ShapeError: for less than one bin, or ends that are not finite or not in order.
        DTypeError: for other dtypes.

    Example:
        >>> histc(tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
        tensor([0., 2., 1., 0.])

    See also: https://pytorch.org/docs/stable/generated/torch.histc.html
    """
    require_tensor("histc", input)
    check_kind('"histogram_cpu"', input, "f", WHOLE_NUMBERS)
    given = None if min == max else (min, max)
    if given is not None and min > max:
        raise ShapeError(f"torch.histc: max must be larger than min, got {min} and {max}.")
    edges = _edges("torch.histc: ", input.detach(), bins, given)
    return Histogram.apply(input.detach(), edges, interpolates=True)


@op(Histogram, out=True, out_exact=True)
def histogram(
    input: Tensor,
    bins: Tensor | int,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> HistogramReturn:
    """How many elements lie in each of some bins, and where these begin and end.

    Args:
        input: floating-point tensor of shape `S`.
        bins: how many bins of one width; or their edges, a vector of `n + 1` ascending numbers.
        range: where the first bin begins and the last one ends. Default: the smallest and the
            largest element.
        weight: what each element counts: shape `S`.
        density: whether the areas of the bins are to sum up to 1.

    Returns:
        The named tuple (hist, bin_edges), of shapes `(n,)` and `(n + 1,)`. The last edge belongs to
        the last bin.

    Raises:
        ShapeError: for less than one bin, other shapes, or ends that are not finite or in order.
        DTypeError: for other dtypes, or different ones.
        ArgumentTypeError: for both edges and a range.

    Example:
        >>> histogram(tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
        tensor([2., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.histogram.html
    """
    require_tensor("histogram", input)
    check_kind('"histogramdd"', input, "f", WHOLE_NUMBERS)
    if not isinstance(bins, Tensor):
        edges = _edges("torch.histogramdd: dimension 0's ", input.detach(), bins, range)
    elif range is None:
        edges = _checked_edges(input, bins.detach())
    else:
        raise ArgumentTypeError(
            "histogram() received an invalid combination of arguments: edges and a range. "
            "Edges say where bins begin and end. Leave `range` out."
        )
    operands = [input.detach(), edges]
    if weight is not None:
        _check_weight(input, weight)
        operands.append(weight.detach())
    found = Histogram.apply(*operands, interpolates=False)
    if density:
        found = found / (found.sum() * diff(edges))
    for each in (input, weight):
        if each is not None and each.requires_grad:
            found = NoDerivative.apply(each, found, "histogram")
    return HistogramReturn(found, edges)


WHOLE_NUMBERS = (
    "It says where bins begin in the same dtype, and those are fractions. Write `x.float()`."
)
"""Why integers have no histogram, and what to write instead."""


def _edges(name: str, x: Tensor, bins: int, given: Sequence[float] | None) -> Tensor:
    """The edges of bins of one width between two ends, or the ends of `x`."""
    count = int_of(bins, "histogram", "bins")
    if count <= 0:
        raise ShapeError(
            f"torch.histogram(): bins must be > 0, but got {count} for dimension 0. It says how "
            "many parts there are."
        )
    if given is not None:
        low, high = [full((), end, dtype=x.dtype, device=x.device) for end in given]
    elif x.numel():
        low, high = aminmax(x)
    else:
        low, high = x.new_zeros(()), x.new_ones(())
    ends = [seen(low), seen(high)]
    if ends[0] is not None and ends[1] is not None:
        said = f"[{float(ends[0]):g}, {float(ends[1]):g}]"
        if not np.isfinite(ends[0]) or not np.isfinite(ends[1]):
            raise ShapeError(f"{name}range of {said} is not finite. Write finite ends.")
        if ends[0] > ends[1]:
            raise ShapeError(
                "torch.histogramdd: min should not exceed max, but got "
                f"min {float(ends[0]):g} max {float(ends[1]):g} for dimension 0. Swap them."
            )
    is_point = low == high
    low, high = where(is_point, low - 0.5, low), where(is_point, high + 0.5, high)
    step = (high - low) / count
    at = arange(count + 1, dtype=x.dtype, device=x.device)
    return where(at < (count + 1) // 2, low + step * at, high - step * (count - at))


def _checked_edges(input: Tensor, edges: Tensor) -> Tensor:
    if edges.ndim != 1:
        raise ShapeError(
            "torch.histogramdd: bins tensor should have one dimension, but got "
            f"{edges.ndim} dimensions in the bins tensor for dimension 0."
        )
    if not edges.numel():
        raise ShapeError(
            "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in "
            "the bins tensor for dimension 0. A bin lies between two edges."
        )
    if edges.dtype != input.dtype:
        raise DTypeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got "
            f"input with dtype {c_name(input.dtype)} and bins for dimension 0 with dtype "
            f"{c_name(edges.dtype)}. Write `bins.to(x.dtype)`."
        )
    return edges


def _check_weight(input: Tensor, weight: Tensor) -> None:
    if weight.shape != input.shape:
        raise ShapeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{list(input.shape)} and weight with shape {list(weight.shape)}. "
            "Each element has a weight."
        )
    if weight.dtype != input.dtype:
        raise DTypeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
            f"should have the same dtype, but got input({c_name(input.dtype)}), and "
            f"weight({c_name(weight.dtype)}). Write `weight.to(x.dtype)`."
        )
