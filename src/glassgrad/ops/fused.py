"""Two steps in one op: addcmul, addcdiv, lerp."""

from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.values.dtypes import Number

from ._families import Elementwise
from ._prepared import Prepared
from ._texts import c_name, scalar_name

__all__ = ["addcdiv", "addcmul", "lerp"]


class Addcmul(Elementwise):
    """z = x + c·a·b        dz = dx + c·(b·da + a·db)        x̄ = z̄,  ā = c·z̄·b,  b̄ = c·z̄·a"""

    node = "AddcmulBackward0"
    latex = (
        r"x + c\,a\,b",
        r"\dot x + c\,(b\,\dot a + a\,\dot b)",
        r"\bar x = \bar z,\ \bar a = c\,\bar z\,b,\ \bar b = c\,\bar z\,a",
    )

    saves = ("tensor1", "tensor2")
    saved_at = {"tensor1": 1, "tensor2": 2}
    saved_if = {"tensor1": 2, "tensor2": 1}

    @staticmethod
    def forward(x, a, b, *, value):
        return x + value * (a * b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        wants_x, wants_a, wants_b = ctx.needs_input_grad
        return (
            grad if wants_x else None,
            grad * (ctx.value * b) if wants_a else None,
            grad * (ctx.value * a) if wants_b else None,
        )


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value·tensor1·tensor2`, element by element.

    Args:
        input, tensor1, tensor2: tensors of shapes that broadcast to `S`.
        value: a number.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> addcmul(tensor([1.0, 1.0]), tensor([2.0, 3.0]), tensor([4.0, 5.0]), value=10)
        tensor([ 81., 151.])

    See also: https://pytorch.org/docs/stable/generated/torch.addcmul.html
    """
    return Addcmul.apply(input, tensor1, tensor2, value=value)


class Addcdiv(Elementwise):
    """z = x + c·a/b        dz = dx + c·(da − a·db/b)/b        x̄ = z̄,  ā = c·z̄/b,  b̄ = −c·z̄·a/b²"""

    node = "AddcdivBackward0"
    latex = (
        r"x + c\,a / b",
        r"\dot x + c\,(\dot a - a\,\dot b / b) / b",
        r"\bar x = \bar z,\ \bar a = c\,\bar z / b,\ \bar b = -c\,\bar z\,a / b^2",
    )

    saves = ("tensor1", "tensor2")
    saved_at = {"tensor1": 1, "tensor2": 2}
    saved_if = {"tensor1": 2}

    @staticmethod
    def forward(x, a, b, *, value):
        return x + value * (a / b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        wants_x, wants_a, wants_b = ctx.needs_input_grad
        return (
            grad if wants_x else None,
            grad * (ctx.value / b) if wants_a else None,
            -grad * (ctx.value * a / (b * b)) if wants_b else None,
        )


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value·tensor1/tensor2`, element by element.

    Args:
        input, tensor1, tensor2: tensors of shapes that broadcast to `S`.
        value: a number.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: if both divided tensors hold integers.

    Example:
        >>> addcdiv(tensor([1.0, 1.0]), tensor([6.0, 9.0]), tensor([2.0, 3.0]))
        tensor([4., 4.])

    See also: https://pytorch.org/docs/stable/generated/torch.addcdiv.html
    """
    if tensor1.dtype.kind in "iub" and tensor2.dtype.kind in "iub":
        raise DTypeError(
            "Integer division with addcdiv is no longer supported: "
            f"{tensor1.dtype} / {tensor2.dtype}. A quotient of integers is none. Write "
            "`tensor1.float()`."
        )
    return Addcdiv.apply(input, tensor1, tensor2, value=value)


class Lerp(Elementwise):
    """z = x + w·(y − x)        dz = (1 − w)·dx + w·dy        x̄ = (1 − w)·z̄,  ȳ = w·z̄"""

    node = "LerpBackward0"
    latex = (
        r"x + w\,(y - x)",
        r"(1 - w)\,\dot x + w\,\dot y",
        r"\bar x = (1 - w)\,\bar z,\ \bar y = w\,\bar z",
    )

    @staticmethod
    def forward(x, y, *, weight):
        return _between(x, y, weight)

    @staticmethod
    def backward(ctx, grad):
        wants_x, wants_y = ctx.needs_input_grad
        return (
            grad * (1 - ctx.weight) if wants_x else None,
            grad * ctx.weight if wants_y else None,
        )


class LerpTensor(Elementwise):
    """z = x + w·(y − x)        dz = (1 − w)·dx + w·dy + (y − x)·dw        x̄ = (1 − w)·z̄,  ȳ = w·z̄,  w̄ = (y − x)·z̄"""  # noqa: E501  # formulas

    node = "LerpBackward1"
    latex = (
        r"x + w\,(y - x)",
        r"(1 - w)\,\dot x + w\,\dot y + (y - x)\,\dot w",
        r"\bar x = (1 - w)\,\bar z,\ \bar y = w\,\bar z,\ \bar w = (y - x)\,\bar z",
    )
    saves = ("self", "end", "weight")

    @staticmethod
    def forward(x, y, weight):
        return _between(x, y, weight)

    @staticmethod
    def backward(ctx, grad):
        x, y, weight = ctx.saved_tensors
        wants_x, wants_y, wants_weight = ctx.needs_input_grad
        return (
            grad * (1 - weight) if wants_x else None,
            grad * weight if wants_y else None,
            grad * (y - x) if wants_weight else None,
        )


def _between(x: Any, y: Any, weight: Any) -> Any:
    """Computed from the nearer end, as in PyTorch: exact at both."""
    near = np.abs(weight) < 0.5
    return np.where(near, x + weight * (y - x), y - (1 - weight) * (y - x))


def lerp(input: Tensor, end: Tensor, weight: Tensor | Number) -> Tensor:
    """The point that lies `weight` of the way from `input` to `end`.

    Args:
        input, end: floating-point tensors of one dtype; with a tensor `weight` all three
            broadcast to `S`.
        weight: a number or a tensor of the same dtype; 0 gives `input`, 1 gives `end`.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for integers, or if the dtypes differ.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> lerp(tensor([0.0, 10.0]), tensor([10.0, 20.0]), 0.25)
        tensor([ 2.5000, 12.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.lerp.html
    """
    return prepare_lerp(input, end, weight).result()


def prepare_lerp(input: Tensor, end: Tensor, weight: Tensor | Number) -> Prepared:
    """What `lerp` and `lerp_` have in common."""
    others = (end, weight) if isinstance(weight, Tensor) else (end,)
    for other in others:
        if other.dtype is not input.dtype:
            raise DTypeError(
                f"expected dtype {c_name(input.dtype)} for `end` and `weight` but got dtype "
                f"{c_name(other.dtype)}. They are mixed with the elements of the input. Write "
                "`end.to(input.dtype)`."
            )
    if not is_differentiable(input.dtype):
        raise DTypeError(
            f'"lerp_kernel" not implemented for {scalar_name(input.dtype)!r}. A point between '
            "two integers is none. Write `x.float()`."
        )
    if isinstance(weight, Tensor):
        return Prepared(LerpTensor, (input, end, weight))
    return Prepared(Lerp, (input, end), {"weight": weight})
