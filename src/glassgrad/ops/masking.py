"""Elements chosen by a mask: filled with one value, taken out, or written one by one."""

import contextlib
import math
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, ShapeError, TransformError
from glassgrad.core.state import Shape
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy, in_rows
from glassgrad.values.dtypes import Number
from glassgrad.values.gradients import sum_to
from glassgrad.values.layers import array_of

from . import _checks as check
from ._checks import scalar_name
from ._declaring import op
from ._families import Elementwise, Linear
from ._rules import in_front, is_batched, rows_of, run, stretched, zeros_like
from ._writing import fill_value
from .conversion import Clone
from .reduction import Cumsum
from .scattering import Gather, IndexAdd, IndexSelect
from .selection import Nonzero


class MaskedFill(Elementwise):
    """y = v if m else x        x̄ = 0 if m else ȳ"""

    saves = ("mask",)
    promotes = None
    differentiates = slice(1, None)

    @staticmethod
    def forward(mask, x, *, value):
        return in_rows(np.where(mask, value, x))

    @staticmethod
    def backward(ctx, grad):
        return run(MaskedFill, *ctx.saved_tensors, grad, value=0)


class MaskedFillTensor(MaskedFill):
    """y = v if m else x
    dy = dv if m else dx
    x̄ = 0 if m else ȳ,  v̄ = ȳ if m else 0
    """

    node = "MaskedFillBackward1"

    @staticmethod
    def forward(mask, x, value):
        return in_rows(np.where(mask, value, x))

    @staticmethod
    def backward(ctx, grad):
        (mask,), (wants_x, wants_value) = ctx.saved_tensors, ctx.needs_input_grad
        return (
            run(MaskedFill, mask, grad, value=0) if wants_x else None,
            np.where(mask, grad, 0) if wants_value else None,  # its shape makes it a sum
        )


@op(MaskedFill, MaskedFillTensor, out=False)
def masked_fill(input: Tensor, mask: Tensor, value: Number | Tensor) -> Tensor:
    """`value` where the mask says so, `input` elsewhere.

    Args:
        input: tensor; its shape and the mask's broadcast to `S`.
        mask: bool tensor.
        value: a number or a 0-d tensor.

    Returns:
        Tensor of shape `S`, of the dtype of `input`. A `value` that is a tensor gets the sum of
        the gradients of the places it fills.

    Raises:
        DTypeError: if the mask is not bool, or a complex number is to fill real ones.
        ShapeError: if the shapes do not broadcast, or `value` has dims.

    Example:
        >>> masked_fill(tensor([1.0, 2.0, 3.0]), tensor([True, False, True]), 0.0)
        tensor([0., 2., 0.])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.masked_fill.html
    """
    _check_mask("masked_fill", mask)
    filled = fill_value("masked_fill", input, value)
    if isinstance(filled, Tensor):
        return MaskedFillTensor.apply(mask, input, filled)
    return MaskedFill.apply(mask, input, value=filled)


class MaskedSelect(Linear, Elementwise):
    """y = x[m]        x̄ = 0,  x̄[m] = ȳ"""

    saves = ("mask",)
    promotes = None
    differentiates = slice(1, None)

    @staticmethod
    def forward(mask, x):
        shape = np.broadcast_shapes(mask.shape, x.shape)
        return np.broadcast_to(x, shape)[np.broadcast_to(mask, shape)]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape = inputs[1].shape
        ctx.wide = np.broadcast_shapes(inputs[0].shape, ctx.shape)

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        # The result may have the shape of x by chance, so the rule itself undoes broadcasting.
        return sum_to(run(MaskedScatter, mask, zeros_like(grad, ctx.wide), grad), ctx.shape)

    @classmethod
    def vmap(cls, info, in_dims, mask, x):
        if in_dims[0] is not None:
            raise TransformError(
                "vmap: Attempted to vmap over `mask` in masked_select(self, mask). We cannot "
                "support this because for each batch this would return a differently shaped "
                f"Tensor: there are {info.batch_size} masks of shape {list(mask.shape[1:])}. "
                "Write `where(mask, x, 0)`."
            )
        shape = np.broadcast_shapes(mask.shape, x.shape[1:])
        (places,) = Nonzero.apply(np.broadcast_to(mask, shape).reshape(-1))
        return IndexSelect.apply(_lines(info, shape, 0, x), places, dim=1)


def _lines(info: Any, shape: Shape, dim: int | None, x: Any) -> Any:
    """For each example one line of the elements of `x`, broadcast to `shape`."""
    lined = x if dim is None else in_front(x, len(shape))
    return rows_of(np.broadcast_to(lined, (info.batch_size, *shape)))


@op(MaskedSelect, out_exact=True, out_apart=True, inplace=False)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask says so, row by row.

    Args:
        input: tensor; its shape and the mask's broadcast.
        mask: bool tensor.

    Returns:
        Tensor with one dim.

    Raises:
        DTypeError: if the mask is not bool.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> x = tensor([[1.0, 5.0], [7.0, 2.0]])
        >>> masked_select(x, x > 3)
        tensor([5., 7.])

    See also: https://pytorch.org/docs/stable/generated/torch.masked_select.html
    """
    _check_mask("masked_select", mask)
    return MaskedSelect.apply(mask, input)


def _check_mask(name: str, mask: Tensor) -> None:
    check.kind(f"{name}(): argument 'mask' must be Tensor", mask, Tensor, "Write `tensor(mask)`.")
    if mask.dtype.kind != "b":
        raise DTypeError(
            f"{name} only supports boolean masks, but got mask with dtype {mask.dtype}: expected "
            f"BoolTensor for mask, got {scalar_name(mask.dtype)}. A number is neither yes nor no. "
            "Write `mask != 0`."
        )


class MaskedScatter(Linear, Elementwise):
    """z = x,  z[m] = s        x̄ = z̄,  x̄[m] = 0,  s̄ = z̄[m]"""

    saves = ("mask",)
    promotes = None
    differentiates = slice(1, None)

    @staticmethod
    def forward(mask, x, source):
        shape = np.broadcast_shapes(mask.shape, x.shape)
        out = np.copy(x) if x.shape == shape else np.copy(np.broadcast_to(x, shape), order="C")
        chosen = np.broadcast_to(mask, shape)
        out[chosen] = source.reshape(-1)[: int(chosen.sum())]
        return out

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.source_shape = inputs[2].shape

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        wants_x, wants_source = ctx.needs_input_grad
        return (
            run(MaskedFill, mask, grad, value=0) if wants_x else None,
            _taken_from(mask, grad, ctx.source_shape) if wants_source else None,
        )

    @classmethod
    def vmap(cls, info, in_dims, mask, x, source):
        pairs = list(zip((mask, x), in_dims[:2], strict=True))
        shape = np.broadcast_shapes(*[v.shape[dim is not None :] for v, dim in pairs])
        chosen, kept = [_lines(info, shape, dim, v) for v, dim in pairs]
        values = rows_of(source if in_dims[2] is not None else stretched(source, info.batch_size))
        if not is_batched(chosen):
            _check_suffices(values.shape[1], asnumpy(array_of(chosen)).sum(axis=1).max(initial=0))
        if values.shape[1]:
            kept = np.where(chosen, Gather.apply(values, _turns(chosen, values, 1), dim=1), kept)
        return Clone.apply(kept.reshape(info.batch_size, *shape))


def _turns(mask: Any, values: Any, dim: int) -> Any:
    """For each place in a line of a mask, which of the values it would take: the next in order."""
    turns = run(Cumsum, np.where(mask, 1, 0), dim=dim) - 1
    return np.clip(turns, 0, values.shape[dim] - 1)


def _taken_from(mask: Any, grad: Any, shape: Shape) -> Any:
    """The gradient of a source of some shape, whose elements went to the places of the mask."""
    arrived, source = np.where(mask, grad, 0).reshape(-1), zeros_like(grad, (math.prod(shape),))
    if source.shape == (0,):
        return arrived[:0].reshape(shape)
    turns = _turns(np.broadcast_to(mask, grad.shape).reshape(-1), source, 0)
    return run(IndexAdd, source, arrived, turns, dim=0, alpha=1).reshape(shape)


@op(MaskedScatter, out=False)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of `source`, one after the other, where the mask says so; `input` elsewhere.

    Args:
        input: tensor; its shape and the mask's broadcast to `S`.
        mask: bool tensor.
        source: tensor of the dtype of `input` with at least as many elements as the mask chooses.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: if the mask is not bool, or the dtypes differ.
        ShapeError: if the shapes do not broadcast, or `source` has too few elements.

    Example:
        >>> masked_scatter(tensor([1, 2, 3]), tensor([True, False, True]), tensor([7, 8]))
        tensor([7, 2, 8])

    See also: https://pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html
    """
    _check_mask("masked_scatter", mask)
    check.same_dtype("masked_scatter: expected self and source to have same dtypes", input, source)
    if not is_batched(mask):
        array = asnumpy(mask.payload)
        with contextlib.suppress(ValueError):  # shapes that do not broadcast are the op's matter
            array = np.broadcast_to(array, np.broadcast_shapes(mask.shape, input.shape))
        _check_suffices(source.numel(), array.sum())
    return MaskedScatter.apply(mask, input, source)


def _check_suffices(count: int, needed: Any) -> None:
    if count < needed:
        raise ShapeError(
            f"Number of elements of source < number of ones in mask: {count} < {needed}. "
            "Each place takes an element of its own. Write a longer source, or masked_fill()."
        )
