"""The fused `linear`: a matrix product and a bias."""

import math
from typing import Any

from glassgrad.core.errors import ShapeError
from glassgrad.core.primitive import Primitive
from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import in_front, total
from glassgrad.ops._matrices import as_matrices, check_dtypes, unfit
from glassgrad.ops._products import product, times_transposed, transposed_times
from glassgrad.ops._texts import not_a_tensor

__all__ = ["linear"]


class Linear(Primitive):
    """Y = X·Wᵀ + b        dY = dX·Wᵀ + X·dWᵀ + db        X̄ = Ȳ·W,  W̄ = Ȳᵀ·X,  b̄ = Σ Ȳ"""

    node = "LinearBackward0"
    latex = (
        r"X W^\top + b",
        r"\dot X W^\top + X \dot W^\top + \dot b",
        r"\bar X = \bar Y W,\ \bar W = \bar Y^\top X,\ \bar b = \textstyle\sum_i \bar Y_i",
    )
    saves = ("input", "weight")
    saved_if = {"input": 1, "weight": 0}

    @staticmethod
    def forward(x, weight, *bias):
        y = times_transposed(x, weight)
        return y + bias[0] if bias else y

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        wants_bias = len(ctx.edges) > 2 and ctx.edges[2] is not None  # the bias
        x_bar = None if weight is None else product(grad, weight)
        if grad.ndim != 2:  # a matrix: one row per example
            grad = grad.reshape(-1, grad.shape[-1])
            x = None if x is None else x.reshape(-1, x.shape[-1])
        w_bar = None if x is None else transposed_times(grad, x)
        if len(ctx.edges) == 2:  # no bias
            return x_bar, w_bar
        return x_bar, w_bar, grad.sum(axis=0) if wants_bias else None

    @staticmethod
    def jvp(ctx, dx, dw, *db):
        x, weight = ctx.saved_tensors
        moved_x = None if dx is None else times_transposed(dx, weight)
        return total([moved_x, None if dw is None else times_transposed(x, dw), *db])

    @classmethod
    def vmap(cls, info, in_dims, x, weight, *bias):
        if in_dims[1:].count(None) == len(in_dims) - 1:  # a batch of inputs alone
            return cls.apply(x, weight, *bias)
        if in_dims[1] is None:
            y = cls.apply(x, weight)
        else:
            y = _each_times_its_own(x, weight, in_dims[0] is not None)
        if not bias:
            return y
        rank = x.ndim - (in_dims[0] is not None)
        return y + (bias[0] if in_dims[2] is None else in_front(bias[0], rank))


def _each_times_its_own(x: Any, weight: Any, is_batched: bool) -> Any:
    """A batch of examples, or one for all, times a batch of weights."""
    lead = x.shape[is_batched:-1]
    rows = x.reshape(*x.shape[:is_batched], math.prod(lead), x.shape[-1])
    return times_transposed(rows, weight).reshape(weight.shape[0], *lead, weight.shape[1])


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`, as one op.

    Args:
        input: shape `(…, in)`.
        weight: shape `(out, in)`.
        bias: shape `(out,)`, or None.

    Returns:
        Tensor of shape `(…, out)`.

    Raises:
        ShapeError: if the shapes do not fit.
        DTypeError: if the dtypes differ.

    Example:
        >>> linear(tensor([1.0, 2.0]), tensor([[1.0, 1.0], [0.0, 3.0]]), tensor([0.5, 0.0]))
        tensor([3.5000, 6.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.linear.html
    """
    try:
        a, b = input.payload, weight.payload
    except AttributeError:
        raise not_a_tensor("linear", input, weight) from None
    if b.ndim != 2 or not a.ndim or a.shape[-1] != b.shape[1]:  # a matrix
        raise _unfit_linear(a.shape, b.shape)
    if a.dtype is not b.dtype or (bias is not None and bias.payload.dtype is not a.dtype):
        check_dtypes("linear", input, weight)
        check_dtypes("linear", input, bias)
    if bias is None:
        return Linear.apply(input, weight)
    if bias.payload.shape != (b.shape[0],):
        raise ShapeError(
            f"linear() got a bias of shape {tuple(bias.shape)}, expected ({b.shape[0]},). Each "
            "output has one. Give it as many elements as the weight has rows."
        )
    return Linear.apply(input, weight, bias)


def _unfit_linear(a: tuple[int, ...], b: tuple[int, ...]) -> ShapeError:
    if len(b) != 2 or not a:  # a matrix
        return ShapeError(
            f"linear() got an input of shape {a} and a weight of shape {b}. It multiplies rows "
            "with a matrix. Give an input (…, in) and a weight (out, in)."
        )
    left, _ = as_matrices(a, b)
    return unfit(left, (b[1], b[0]))
