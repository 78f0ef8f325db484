"""Reading, adding and writing at places that an index names along one dim.

An index is a vector of places, each for a slice (`index_select`, `index_add`, `index_copy` …), or
there is one for each element (`gather`, `scatter_add`, `scatter` …). What is read somewhere gives
its gradient back by adding there, and the other way round. Several elements for one place are
added, or become their product, mean, or the largest of them: `scatter_reduce`, `index_reduce`.
"""

import math
from typing import Any, ClassVar

import numpy as np

from glassgrad import ops
from glassgrad.core import errors
from glassgrad.core.primitive import Primitive
from glassgrad.core.state import Func, Shape, Values
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.values.backend import asnumpy, backend_of, in_rows
from glassgrad.values.dtypes import Number, int32, int64
from glassgrad.values.gradients import sum_to
from glassgrad.values.layers import array_of, visible
from glassgrad.values.operands import broadcast_text

from . import _checks as check
from ._arguments import OpClass, int_of, wrap_dim
from ._checks import scalar_name
from ._declaring import of_numpy, op
from ._families import Along, KeepsShape, Linear, Moved, Refused, Symmetric
from ._rules import batch_all, in_dim, in_front, reduce_at, run, zeros_like
from ._writing import fill_value
from .conversion import Contiguous
from .shape import apply_along, in_shape

# What these ops share -----------------------------------------------------------------------------


def along(index: Any, dim: int) -> Values:
    """The key that takes `index` in one dim, and counts up in all others."""
    as_array, ones = backend_of(index).asarray, [1] * index.ndim
    counts = [np.arange(n).reshape(n, *ones[at + 1 :]) for at, n in enumerate(index.shape)]
    return tuple([index if at == dim else as_array(count) for at, count in enumerate(counts)])


class Indexed(Primitive):
    """An op along a dim whose last operand is an index. It is copied: its owner may change it.

    Attributes:
        key: how an index names places, `in_dim` or `along`.
        reads, adds, fills: the ops that read such places, add to them, write one number there.
        once: the parameters with which `adds` does no more than that.
    """

    promotes = None
    differentiates = slice(-1)
    keeps_index = True
    key: ClassVar[Any]
    reads: ClassVar[OpClass]
    adds: ClassVar[OpClass]
    fills: ClassVar[OpClass]
    once: ClassVar[dict[str, Any]] = {}

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape, ctx.source_shape = inputs[0].shape, inputs[-2].shape
        ctx.index = np.copy(inputs[-1])


def read(ctx: Any, x: Any) -> Any:
    """What `x` has at the places of a node's index."""
    return run(ctx._forward_cls.reads, x, ctx.index, dim=ctx.dim)


def added(ctx: Any, x: Any, values: Any) -> Any:
    """`x` plus the values that go to each of these places."""
    cls = ctx._forward_cls
    return run(cls.adds, x, values, ctx.index, dim=ctx.dim, **cls.adds.once)


def blanked(ctx: Any, x: Any) -> Any:
    """`x`, but 0 at these places."""
    return run(ctx._forward_cls.fills, x, ctx.index, dim=ctx.dim, value=0)


class ByElement(Indexed, Along):
    """With an index for each element of what is read or written: `x[index[i, j], j]`."""

    key = staticmethod(along)

    @staticmethod
    def to_source(ctx: Any, grad: Any) -> Any:
        """The gradient of what was written.

        Raises:
            GradientError: if not all of it was.
        """
        if ctx.source_shape != ctx.index.shape:
            raise errors.GradientError(
                f"Function {ctx.name()} returned an invalid gradient at index 1 - got "
                f"{list(ctx.index.shape)} but expected shape compatible with "
                f"{list(ctx.source_shape)}. The index is smaller than the source, and only what it "
                "speaks of has a gradient. Cut the source to the shape of the index."
            )
        return read(ctx, grad)


class BySlice(Indexed):
    """With a vector of places, each for a slice: `x[index[i], :]`.

    Attributes:
        by_element: does the same with an index for each element.
    """

    key = staticmethod(in_dim)
    by_element: ClassVar[Func]

    @staticmethod
    def to_source(ctx: Any, grad: Any) -> Any:
        """The gradient of what was written, which may have been one value for all places."""
        return sum_to(read(ctx, grad), ctx.source_shape)

    @classmethod
    def vmap(cls, info, in_dims, *operands, dim, **how):
        """One dim further on. Examples with places of their own have an index for each element."""
        index = operands[-1]
        x, *source = batch_all(info, in_dims[:-1], operands[:-1])
        source = [in_front(values, x.ndim - 1) for values in source]
        if in_dims[-1] is None:
            return cls.apply(x, *source, index, dim=dim + 1, **how)
        n, places = index.shape
        shape = (*x.shape[: dim + 1], places, *x.shape[dim + 2 :])
        line = index.reshape(n, *(1,) * dim, places, *(1,) * (x.ndim - dim - 2))
        wide = [np.broadcast_to(values, shape) for values in (*source, line)]
        return cls.by_element(x, *wide, dim=dim + 1, **how)


def first_of(src: Any, shape: Shape) -> Any:
    """The part of `src` that an index of shape `shape` speaks of."""
    return src if src.shape == shape else src[tuple([slice(n) for n in shape])]


# What users give ----------------------------------------------------------------------------------


def places_in(
    name: str, input: Tensor, dim: int, index: Tensor, *, long: bool = False
) -> tuple[int, Tensor]:
    """A dim counted from the front, and an index that names places in it.

    Raises:
        DTypeError: if the index holds no integers; empty, it may hold anything.
        DimError: if there is no such dim; for an index that has to be `long`, and is not.
    """
    wanted = f"{name}(): argument 'index' must be Tensor"
    check.kind(wanted, index, Tensor, "Write `tensor(index)`.")
    if not (long or index.numel()):
        index = index.to(int64)
    found = index.payload.dtype
    if found != int64 and (long or found != int32):
        wanted = "int64 for index, a long tensor" if long else "int32 or int64 for index"
        raise (errors.DimError if long else errors.DTypeError)(
            f"{name}(): Expected dtype {wanted}, got {index.dtype}. An index names places. "
            "Write `index.long()`."
        )
    return wrap_dim(dim, input.ndim), index


def same_dtype(name: str, input: Tensor, source: Tensor) -> None:
    """Raise unless both are tensors of one dtype."""
    why = "Its elements are written one by one. Write `tensor(values)`."
    check.kind(f"{name}(): argument 'src' must be Tensor", source, Tensor, why)
    check.same_dtype(f"{name}(): Expected self.dtype to be equal to src.dtype", input, source)


def elements_in(
    name: str, input: Tensor, dim: int, index: Tensor, src: Tensor | None = None
) -> tuple[int, Tensor]:
    """A dim counted from the front, and an index: for elements of `src`, places along that dim."""
    dim, index = places_in(name, input, dim, index)
    if src is not None:
        same_dtype(name, input, src)
    if not index.numel():
        return dim, index
    reads, behind = name == "gather", ""
    limits = [("input" if reads else "self", input)]
    if src is not None:
        limits.append(("src", src))
        behind = f" and to be no larger size than src {list(src.shape)}"
    for what, other in limits:
        if max(index.ndim, 1) != max(other.ndim, 1):
            raise errors.ShapeError(
                f"Index tensor must have the same number of dimensions as {what} tensor: shapes "
                f"{list(index.shape)} and {list(other.shape)}. Write `index.unsqueeze(dim)`."
            )
        for at, (n, m) in enumerate(zip(_sizes(index), _sizes(other), strict=True)):
            if n > m and (at != dim or what == "src"):
                start = f"Size does not match at dimension {at} expected" if reads else "Expected"
                raise errors.ShapeError(
                    f"{start} index {list(index.shape)} to be no larger than self "
                    f"{list(input.shape)} apart from dimension {dim}{behind}. {name}() counts "
                    "along in the other dims. Cut the index there."
                )
    check_bounds(index.payload, dim, _sizes(input)[dim], errors.ShapeError)
    return dim, index


def check_bounds(
    index: Any, dim: int, n: int, error: type[Exception], *, from_end: bool = False
) -> None:
    """Raise if an index is seen to name a place that dim `dim`, of size `n`, has not."""
    array, lowest = visible(index), -n if from_end else 0
    if array is not None and array.size and (array.min() < lowest or array.max() >= n):
        wrong = array[(array < lowest) | (array >= n)][0]
        raise error(
            f"index {int(wrong)} is out of bounds for dimension {dim} with size {n}: index out of "
            f"range in self. Write indices from {lowest} to {n - 1}."
        )


def _sizes(x: Tensor) -> Shape:
    return x.payload.shape or (1,)


def vector_in(
    name: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    *,
    long: bool = False,
    from_end: bool = False,
    is_bounded: bool = True,
) -> tuple[int, Tensor]:
    """A dim counted from the front, and `index` as a vector of places in it.

    Args:
        long, from_end: whether the index must be int64, and whether it may be negative.
        is_bounded: whether to see that there are such places.
    """
    if getattr(index, "ndim", 0) > 1:  # before its dtype is looked at
        raise errors.DimError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{scalar_name(index.dtype)} and size: {list(index.shape)}. It names slices of one "
            "dim. Write `index.flatten()`, or use gather() or scatter()."
        )
    at, index = places_in(name, input, dim, index, long=long)
    if is_bounded:
        check_bounds(index.payload, at, _sizes(input)[at], errors.DimError, from_end=from_end)
    return at, index if index.ndim else index.reshape(1)


def write_slices(
    name: str, op: OpClass, input: Tensor, dim: int, index: Tensor, source: Tensor, **how: Any
) -> Tensor:
    """Apply an op that takes one slice of `source` for each element of a vector `index`."""
    long = op is IndexCopy
    at, places = vector_in(name, input, dim, index, long=long, is_bounded=False)
    same_dtype(name, input, source)
    if long and source.ndim != input.ndim and input.ndim and source.ndim:
        raise errors.DimError(
            f"{name}(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({source.ndim}), destination dimensionality "
            f"({input.ndim}). Write `source.unsqueeze(dim)`."
        )
    count = source.shape[at] if at < source.ndim else 1
    if index.numel() != count:
        raise (errors.DimError if long else errors.ShapeError)(
            f"{name}(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
            f"({count}), for dim: {at}. Each index takes a slice of the source. Cut the longer."
        )
    wanted, found = list(input.shape), list(source.shape)
    del wanted[at : at + 1], found[at : at + 1]
    if wanted != found:
        raise errors.ShapeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}. "
            f"{name}() writes whole slices. Write `source.expand(…)`."
        )
    check_bounds(places.payload, at, _sizes(input)[at], errors.DimError)
    return apply_along(op, input, source, places, dim=at, **how)


def write_elements(
    name: str,
    op: OpClass,
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | None = None,
    **how: Any,
) -> Tensor:
    """Apply an op that takes one element of `src` (or a number) for each element of `index`."""
    at, index = elements_in(name, input, dim, index, src)
    if input.ndim > 1 and index.ndim != input.ndim:
        index = index.reshape((0,) * input.ndim)  # without elements, it has any number of dims
    operands = (input, index) if src is None else (input, src, index)
    return apply_along(op, *operands, dim=at, **how)


# Reading and adding -------------------------------------------------------------------------------


class _Reading(Indexed, KeepsShape):
    """What both ways to read share: what was read somewhere is added there."""

    @staticmethod
    def backward(ctx, grad):
        zeros = zeros_like(grad, ctx.shape)
        if isinstance(grad, Tensor):
            return added(ctx, zeros, grad)
        return _add_at(zeros, ctx._forward_cls.key(ctx.index, ctx.dim), grad)


class IndexSelect(_Reading, BySlice):
    """yᵢ = x[indexᵢ]        x̄ₖ = Σᵢ ȳᵢ·[indexᵢ = k]"""

    @staticmethod
    def forward(x, index, *, dim):
        return in_rows(x[in_dim(index, dim)])


class Embedding(IndexSelect):
    """yᵢ = x[indexᵢ]        x̄ₖ = Σᵢ ȳᵢ·[indexᵢ = k]

    Of the first dim, with an index of any shape.
    """

    @staticmethod
    def backward(ctx, grad):
        if ctx.index.ndim == 1 or not isinstance(grad, Tensor):
            return _Reading.backward(ctx, grad)
        line, zeros = ctx.index.reshape(-1), zeros_like(grad, ctx.shape)
        rows = grad.reshape(*line.shape, ctx.shape[1])
        return run(IndexAdd, zeros, rows, line, dim=0, alpha=1)

    @classmethod
    def vmap(cls, info, in_dims, *operands, dim, **how):
        """Examples share a table; or each has its own, and the index becomes one line."""
        x, index = operands
        if in_dims[0] is None:
            return cls.apply(x, index, dim=dim)
        shape = index.shape if in_dims[1] is None else index.shape[1:]
        line = index.reshape(*index.shape[: index.ndim - len(shape)], math.prod(shape))
        rows = super().vmap(info, in_dims, x, line, dim=dim, **how)
        return rows.reshape(x.shape[0], *shape, x.shape[2])


class Gather(_Reading, ByElement):
    """yᵢⱼ = x[indexᵢⱼ, j]        x̄ₖⱼ = Σᵢ ȳᵢⱼ·[indexᵢⱼ = k]"""

    @staticmethod
    def forward(x, index, *, dim):
        return x[along(index, dim)]


def _add_at(array: Any, key: Any, values: Any) -> Any:
    reduce_at("add", array, key, values)
    return array


class _Writing(Indexed):
    """What ops share that write values of a tensor.

    Attributes:
        overwrites: whether what was there is gone.
    """

    overwrites = True

    @staticmethod
    def backward(ctx, grad):
        cls, (wants_x, wants_source) = ctx._forward_cls, ctx.needs_input_grad
        left = blanked(ctx, grad) if wants_x and cls.overwrites else grad
        return left if wants_x else None, cls.to_source(ctx, grad) if wants_source else None


class _Adding(_Writing):
    """What both ways to add share: the index is kept if the gradient of the source needs it."""

    overwrites = False

    @staticmethod
    def setup_context(ctx, inputs, output):
        if ctx.needs_input_grad[1]:
            ctx.index, ctx.source_shape = np.copy(inputs[2]), inputs[1].shape
        else:
            ctx.holders = None  # nothing is kept: a second pass may come


class IndexAdd(_Adding, BySlice, Linear):
    """zₖ = xₖ + alpha·Σᵢ sᵢ·[indexᵢ = k]        x̄ = z̄,  s̄ᵢ = alpha·z̄[indexᵢ]"""

    once = {"alpha": 1}

    @staticmethod
    def forward(x, source, index, *, dim, alpha):
        check.number(source.dtype, alpha)
        return _add_at(
            np.copy(x, order="C"), in_dim(index, dim), source if alpha == 1 else alpha * source
        )

    @staticmethod
    def to_source(ctx, grad):
        return read(ctx, grad) if ctx.alpha == 1 else read(ctx, grad) * ctx.alpha

    @staticmethod
    def by_element(x, source, index, *, dim, alpha):
        return ScatterAdd.apply(x, source if alpha == 1 else source * alpha, index, dim=dim)


class ScatterAdd(_Adding, ByElement, Moved):
    """zₖⱼ = xₖⱼ + Σᵢ sᵢⱼ·[indexᵢⱼ = k]        x̄ = z̄,  s̄ᵢⱼ = z̄[indexᵢⱼ, j]"""

    @staticmethod
    def forward(x, src, index, *, dim):
        return _add_at(np.copy(x, order="C"), along(index, dim), first_of(src, index.shape))


IndexSelect.by_element = Gather.apply
BySlice.reads, BySlice.adds = IndexSelect, IndexAdd
ByElement.reads, ByElement.adds = Gather, ScatterAdd


@op(IndexSelect, out_exact=True, out_apart=True)
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Some elements of a dim, in the order of `index`.

    Args:
        input: tensor of shape `(…, n, …)`.
        dim: which dim has the size `n`.
        index: int32 or int64 tensor of shape `(m,)`, from 0 to `n - 1`; repeats are allowed.

    Returns:
        Tensor of shape `(…, m, …)`.

    Raises:
        DimError: if there is no such dim, or no such element.
        DTypeError: if `index` holds no integers.

    Example:
        >>> index_select(tensor([[1, 2, 3], [4, 5, 6]]), 1, tensor([2, 0, 2]))
        tensor([[3, 1, 3],
                [6, 4, 6]])
    """
    at, places = vector_in("index_select", input, dim, index)
    return apply_along(IndexSelect, input, places, dim=at)


@op(Gather, out_exact=True, out_apart=True, axis=True)
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """For each place of `index` one element of `input`: there in one dim, here in the others.

    Args:
        input: tensor with `d` dims.
        dim: the dim in which `index` chooses.
        index: int32 or int64 tensor with `d` dims, in all others but `dim` no larger than `input`.
        sparse_grad: PyTorch's; no other than False, since no tensor here is sparse.

    Returns:
        Tensor of the shape of `index`; with dim=1, `y[i, j] = input[i, index[i, j]]`.

    Raises:
        ShapeError: if the shapes do not fit, or there is no such element.
        DTypeError: if `index` holds no integers.

    Example:
        >>> gather(tensor([[1, 2], [3, 4]]), 1, tensor([[0], [1]]))
        tensor([[1],
                [4]])

    See also: https://pytorch.org/docs/stable/generated/torch.gather.html
    """
    if sparse_grad:
        raise errors.ArgumentError(
            "gather(sparse_grad=True) is not there: gradients are dense here. Leave it out."
        )
    at, index = elements_in("gather", input, dim, index)
    if input.ndim != index.ndim or not input.ndim:
        chosen = Gather.apply(input.reshape(-1), index.reshape(-1), dim=0)
        return in_shape(chosen, index.shape)
    return Gather.apply(input, index, dim=at)


@op(out_exact=True, out_apart=True)
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, where `input` and `indices` broadcast in all dims but `dim`.

    Args:
        input: tensor of shape `S`.
        indices: int64 tensor with as many dims, such as `argsort` returns.
        dim: in which dim `indices` chooses; None: in the flattened tensor.

    Returns:
        Tensor of the shape of `indices`, stretched to that of `input` in the other dims.

    Raises:
        DTypeError: if `indices` holds other numbers.
        ShapeError: if the shapes do not fit, or there is no such element.

    Example:
        >>> take_along_dim(tensor([[3, 1], [4, 2]]), tensor([[1]]), 1)
        tensor([[1],
                [2]])

    See also: https://pytorch.org/docs/stable/generated/torch.take_along_dim.html
    """
    check.tensor("take_along_dim", indices)
    check.long("torch.take_along_dim(): dtype of indices should be Long", indices)
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    said = (
        "torch.take_along_dim(): input and indices should have the same number of dimensions, "
        f"but got {{ndim}} dimensions for input, and {indices.ndim} dimensions for indices"
    )
    check.ndim(said, input, (indices.ndim,), "Write `indices.unsqueeze(…)`.")
    at = wrap_dim(dim, input.ndim)
    indices = (indices + input.shape[at]).where(indices < 0, indices)
    sizes = zip(input.shape, indices.shape, strict=True)
    shared = [1 if i == at else n if m == 1 else m for i, (n, m) in enumerate(sizes)]
    ours, theirs = [[*shared[:at], -1, *shared[at + 1 :]] for _ in range(2)]
    return gather(input.expand(ours), at, indices.expand(theirs))


@op(axis=True)
def repeat_interleave(
    input: Tensor,
    repeats: Tensor | int | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element several times, one behind the other.

    Args:
        input: tensor of shape `(…, n, …)`; alone, it is how often each place is named.
        repeats: how often: a number, or a tensor of one integer for each element of the dim.
        dim: which dim has the size `n`; None: the flattened tensor.
        output_size: what the size of that dim becomes, if it is known.

    Returns:
        Tensor of shape `(…, m, …)`.

    Raises:
        ShapeError: for negative numbers, or not one number for each element.
        DTypeError: for numbers that are no int32 or int64.

    Example:
        >>> repeat_interleave(tensor([1, 2]), 2)
        tensor([1, 1, 2, 2])
        >>> repeat_interleave(tensor([1, 2]), tensor([0, 3]))
        tensor([2, 2, 2])
        >>> repeat_interleave(tensor([2, 1]))
        tensor([0, 0, 1])

    See also: https://pytorch.org/docs/stable/generated/torch.repeat_interleave.html
    """
    check.tensor("repeat_interleave", input)
    if repeats is None:
        why = "Its elements say how often each place is named."
        check.vector("repeat_interleave only accept 1D vector as repeat, but", input, why)
        return _repeated(input, output_size)
    if dim is None or not input.ndim:
        input, dim = input.reshape(-1), dim or 0
    at = wrap_dim(dim, input.ndim)
    if not isinstance(repeats, Tensor):
        if int_of(repeats, "repeat_interleave", "repeats") < 0:
            raise errors.ShapeError("Repeats must be non-negative. They count copies.")
        shape = input.shape
        wide = input.unsqueeze(at + 1).expand(*shape[: at + 1], repeats, *shape[at + 1 :])
        return Contiguous.apply(wide).reshape(*shape[:at], shape[at] * repeats, *shape[at + 1 :])
    why = "There is one number for each element along the dim."
    check.vector("repeats must be 0-dim or 1-dim tensor, but", repeats, why, or_number=True)
    n = input.shape[at]
    if repeats.numel() == 1:
        repeats = repeats.reshape(1).expand(n)
    if repeats.numel() != n:
        raise errors.ShapeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.numel()} and input.size({at}) = {n}. There is one number for each."
        )
    return index_select(input, at, _repeated(repeats, output_size))


def _repeated(repeats: Tensor, output_size: int | None) -> Tensor:
    """The places 0, 1, …, each named as often as `repeats` says."""
    said = '"repeat_interleave_cpu" not implemented for {name!r}. Repeats count copies'
    check.dtype(said, repeats, ("int32", "int64"), "Write `repeats.long()`.", errors.KernelError)
    layer, counts = repeats.payload, visible(repeats.payload)
    if counts is None:  # an example after the other, and all have to become of one size
        examples = layer.value if layer.batched else [layer.value]
        each = [_repeated(example, output_size) for example in examples]
        return wrap(layer.over(np.stack(each) if layer.batched else each[0]))
    if (counts < 0).any():
        raise errors.ShapeError(
            "repeats can not be negative. They count copies. Write `x.clamp(min=0)`."
        )
    places = np.repeat(np.arange(len(asnumpy(counts))), asnumpy(counts))
    if output_size is not None:
        said = "allocated size does not match required size: {0} and {1}"
        check.equal(said, output_size, len(places), "Leave `output_size` out.")
    return wrap(backend_of(counts).asarray(places, repeats.dtype))


@of_numpy(np.take_along_axis)
def _numpy_take_along_axis(arr: Tensor, indices: Any, axis: int) -> Tensor:
    return gather(arr, axis, ops.as_tensor(indices))


@op(IndexAdd, inplace=True, by=write_slices)
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


@op(ScatterAdd, inplace=True, by=write_elements)
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


# Writing ------------------------------------------------------------------------------------------


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
    """z = x,  z[indexᵢ] = v        x̄ = z̄,  x̄[indexᵢ] = 0,  v̄ = Σₖ z̄ₖ·[k ∈ index]"""

    node = "IndexFillBackward1"

    @staticmethod
    def to_source(ctx, grad):
        """Of each place that was filled once, however often the index names it."""
        is_left = blanked(ctx, np.ones_like(grad))
        return sum_to(np.where(is_left == 0, grad, 0), ctx.source_shape)

    @staticmethod
    def forward(x, value, index, *, dim):
        return _written(x, in_dim(index, dim), value)


class _Filling(Indexed, Symmetric):
    """What ops share that write one number: there the gradient ends."""

    @staticmethod
    def backward(ctx, grad):
        return blanked(ctx, grad)


class ScatterValue(_Filling, ByElement):
    """y = x,  y[indexᵢⱼ, j] = v
    dy = dx,  dy[indexᵢⱼ, j] = 0
    x̄ = ȳ,  x̄[indexᵢⱼ, j] = 0
    """

    node = "ScatterBackward1"

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, along(index, dim), value)


class IndexFill(_Filling, BySlice):
    """y = x,  y[indexᵢ] = v        dy = dx,  dy[indexᵢ] = 0        x̄ = ȳ,  x̄[indexᵢ] = 0"""

    by_element = ScatterValue.apply

    @staticmethod
    def forward(x, index, *, dim, value):
        return _written(x, in_dim(index, dim), value)


ByElement.fills, BySlice.fills = ScatterValue, IndexFill


def _written(x: Any, key: Any, values: Any) -> Any:
    out = np.copy(x, order="C")
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
    reduce: str | None = None,
) -> Tensor:
    """`input`, but elements of `src` (or one value) at the places that `index` names along a dim.

    Args:
        input: tensor with `d` dims.
        dim: the dim in which `index` names places; in the others it counts along.
        index: int32 or int64 tensor with `d` dims, nowhere but in `dim` larger than `input`. If it
            names a place twice, the last element stays.
        src, value: a tensor of the dtype of `input`, nowhere smaller than `index`; or a number.
        reduce: "add" or "multiply": what is there takes part, as in `scatter_reduce`.

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
        raise errors.ArgumentError(
            "scatter() got neither src nor value. It writes elements of a tensor, or one number. "
            "Write `x.scatter(dim, index, src)` or `x.scatter(dim, index, value=0)`."
        )
    if reduce is not None:
        return _scatter_reduced(input, dim, index, given, reduce)
    if isinstance(given, Tensor):
        return write_elements("scatter", Scatter, input, dim, index, given)
    number = fill_value("scatter", input, given)
    return write_elements("scatter", ScatterValue, input, dim, index, value=number)


def _scatter_reduced(
    input: Tensor, dim: int, index: Tensor, given: Tensor | Number, reduce: str
) -> Tensor:
    names = {"add": "sum", "multiply": "prod"}
    said = "reduce argument must be either add or multiply, got {!r}. It says how elements meet"
    check.choice(said, reduce, names, "Write `scatter_reduce` for another way.", errors.DTypeError)
    if not isinstance(given, Tensor):
        _, index = places_in("scatter", input, dim, index)
        number = fill_value("scatter", input, given)
        given = input.new_full(tuple(index.shape), number)
    return scatter_reduce(input, dim, index, given, names[reduce])


@op(IndexCopy, inplace=True, by=write_slices)
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
    def backward(ctx, grad):
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
    out = np.copy(x, order="C")
    if not include_self:
        out[key] = _neutral(reduce, x.dtype)
    reduce_at(_UFUNCS[reduce], out, key, src)
    if reduce != "mean":
        return out
    count = np.ones_like(out) * include_self
    reduce_at("add", count, key, np.ones_like(src))
    count[count == 0] = 1
    return out / count if out.dtype.kind in "fc" else out // count


def _neutral(reduce: str, dtype: Any) -> Any:
    """What does not change the result: 0 for a sum, 1 for a product, -∞ for a maximum."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    low, high = check.ends_of(dtype)
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


def _compared(ctx: Any) -> Any:
    """x, the source and the result, whose elements the rule compares with each other.

    Raises:
        ShapeError: if the index speaks of a part of the source only.
    """
    x, src, y = ctx.saved_tensors
    index = ctx.index.shape
    if len(index) == len(src.shape) and any(
        n not in (1, m) for n, m in zip(index, src.shape, strict=True)
    ):
        raise errors.ShapeError(
            f"{broadcast_text(src.shape, index)} The gradient of {ctx._forward_cls.called} needs "
            "an index for each element of src. Cut the source to the shape of the index."
        )
    return x, src, y


def _by_extreme(ctx: Any, grad: Any) -> Any:
    """Ties share the gradient evenly."""
    x, src, y = _compared(ctx)
    x_is_it = np.where(x == y, 1.0, zeros_like(grad, ()))
    src_is_it = np.where(src == read(ctx, y), 1.0, zeros_like(grad, ()))
    part = grad / added(ctx, x_is_it, src_is_it)
    return x_is_it * part, src_is_it * read(ctx, part)


def _by_product(ctx: Any, grad: Any) -> Any:
    """Products of all other factors. A factor of 0 is left out first, then divided by."""
    x, src, y = _compared(ctx)
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
        said = (
            f"{cls.called}: Double backward is unsupported for src when >1 zeros in src are "
            "scattered to the same position in self. The gradient is 0 there, but its own is not. "
            "Keep src away from 0, or reduce by another function."
        )
        from_src = Refused.apply(from_src, from_src, errors.GraphError, said)
    return from_x, from_src


_RULES = {
    "sum": _by_sum,
    "prod": _by_product,
    "mean": _by_mean,
    "amax": _by_extreme,
    "amin": _by_extreme,
}


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
    said = "reduce argument must be either sum, prod, mean, amax or amin, but got {}"
    why = "It says how several elements become one."
    check.choice(said, reduce, _RULES, why, errors.ShapeError)
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
    why = "It says how several slices become one. Write index_add() for their sum."
    said = "index_reduce(): Expected reduce to be one of prod, mean, amax or amin, but got {}"
    check.choice(said, reduce, ("prod", "mean", "amax", "amin"), why, errors.ShapeError)
    how: Any = {"reduce": reduce, "include_self": include_self}
    return write_slices("index_reduce", IndexReduce, input, dim, index, source, **how)
