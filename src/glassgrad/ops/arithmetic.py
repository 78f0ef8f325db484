"""Sums, products, quotients and absolute values."""

from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor

from ._families import Elementwise, Linear, Multilinear, by_call, total
from ._out import written_to

__all__ = [
    "abs",
    "absolute",
    "add",
    "div",
    "divide",
    "mul",
    "multiply",
    "neg",
    "negative",
    "rsub",
    "sign",
    "sub",
    "subtract",
    "true_divide",
]

Operand = Tensor | bool | int | float | complex


class Add(Elementwise):
    """z = x + y        dz = dx + dy        x̄ = z̄,  ȳ = z̄"""

    node = "AddBackward0"
    latex = ("x + y", r"\dot x + \dot y", r"\bar x = \bar z,\ \bar y = \bar z")
    ufunc = np.add

    @staticmethod
    def forward(x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad

    @staticmethod
    @by_call
    def jvp(ctx, dx, dy):
        return total([dx, dy])


def add(input: Tensor, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input + alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> add(tensor([1.0, 2.0]), 10)
        tensor([11., 12.])

    See also: https://pytorch.org/docs/stable/generated/torch.add.html
    """
    if out is not None:
        return written_to(out, add, input, other, alpha=alpha)
    return Add.apply(input, other if alpha == 1 else mul(other, alpha))


class Sub(Elementwise):
    """z = x − y        dz = dx − dy        x̄ = z̄,  ȳ = −z̄"""

    node = "SubBackward0"
    latex = ("x - y", r"\dot x - \dot y", r"\bar x = \bar z,\ \bar y = -\bar z")
    ufunc = np.subtract

    @staticmethod
    def forward(x, y):
        if x.dtype.kind == "b":
            raise DTypeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. True - "
                "True has no bool meaning here. Use the `^` or `logical_xor()` operator instead."
            )
        return x - y

    @staticmethod
    def backward(ctx, grad):
        return grad, None if ctx.edges[1] is None else -grad

    @staticmethod
    @by_call
    def jvp(ctx, dx, dy):
        if dx is None or dy is None:
            return -dy if dx is None else dx
        return dx - dy


def sub(input: Tensor, other: Operand, *, alpha: float = 1, out: Tensor | None = None) -> Tensor:
    """`input - alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for two bool tensors.

    Example:
        >>> sub(tensor([1.0, 2.0]), tensor(1.0))
        tensor([0., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.sub.html
    """
    if out is not None:
        return written_to(out, sub, input, other, alpha=alpha)
    return Sub.apply(input, other if alpha == 1 else mul(other, alpha))


class Rsub(Elementwise):
    """y = c − x        dy = −dx        x̄ = −ȳ"""

    node = "RsubBackward1"
    latex = ("c - x", r"-\dot x", r"\bar x = -\bar y")

    @staticmethod
    def forward(x, *, other):
        return other - x

    @staticmethod
    def backward(ctx, grad):
        return -grad

    @staticmethod
    @by_call
    def jvp(ctx, dx):
        return -dx


def rsub(input: Tensor, other: Operand) -> Tensor:
    """`other - input`, element by element: what `1 - x` does.

    Args:
        input, other: tensors of shapes that broadcast to `S`; `other` may be a number.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> rsub(tensor([1.0, 2.0]), 1)
        tensor([ 0., -1.])
    """
    if type(other) in (int, float) and input.dtype.kind == "f":
        return Rsub.apply(input, other=other)
    return Sub.apply(other, input)


class Mul(Multilinear, Elementwise):
    """z = x·y        dz = y·dx + x·dy        x̄ = z̄·y,  ȳ = z̄·x"""

    node = "MulBackward0"
    latex = (r"x\,y", r"y\,\dot x + x\,\dot y", r"\bar x = \bar z\,y,\ \bar y = \bar z\,x")
    saves = ("self", "other")
    saved_if = {"self": 1, "other": 0}
    ufunc = np.multiply

    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return None if y is None else grad * y, None if x is None else grad * x


def mul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input · other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> mul(tensor([1.0, 2.0]), tensor([[3.0], [4.0]]))
        tensor([[3., 6.],
                [4., 8.]])

    See also: https://pytorch.org/docs/stable/generated/torch.mul.html
    """
    if out is not None:
        return written_to(out, mul, input, other)
    return Mul.apply(input, other)


class Div(Elementwise):
    """z = x/y        dz = (dx − z·dy)/y        x̄ = z̄/y,  ȳ = −z̄·x/y²"""

    node = "DivBackward0"
    latex = ("x / y", r"(\dot x - z\,\dot y)/y", r"\bar x = \bar z / y,\ \bar y = -\bar z\,x / y^2")
    saves = ("self", "other")
    saved_if = {"self": 1}
    floating = True
    ufunc = np.divide

    @staticmethod
    def forward(x, y):
        return x / y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        quotient = grad / y
        return quotient, None if x is None else -quotient * (x / y)

    @staticmethod
    def jvp(ctx, dx, dy):
        _, y = ctx.saved_tensors
        moved = None if dy is None else ctx.result * dy
        return (dx if moved is None else -moved if dx is None else dx - moved) / y


def div(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """`input / other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`; two integers give the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> div(tensor([1, 2]), 4)
        tensor([0.2500, 0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.div.html
    """
    if out is not None:
        return written_to(out, div, input, other)
    return Div.apply(input, other)


class Neg(Linear, Elementwise):
    """y = −x        dy = −dx        x̄ = −ȳ"""

    node = "NegBackward0"
    latex = ("-x", r"-\dot x", r"\bar x = -\bar y")

    @staticmethod
    def forward(x):
        if x.dtype.kind == "b":
            raise DTypeError(
                "Negation, the `-` operator, on a bool tensor is not supported. -True has no "
                "bool meaning. Use the `~` or `logical_not()` operator instead."
            )
        return -x

    @staticmethod
    def backward(ctx, grad):
        return -grad


def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`-input`, element by element.

    Args:
        input: tensor of shape `S`, not bool.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S` and the same dtype.

    Raises:
        DTypeError: for bool tensors.

    Example:
        >>> neg(tensor([1.0, -2.0]))
        tensor([-1.,  2.])
    """
    if out is not None:
        return written_to(out, neg, input)
    return Neg.apply(input)


class Abs(Elementwise):
    """y = |x|        dy = sgn x·dx        x̄ = ȳ·sgn x"""

    node = "AbsBackward0"
    holomorphic = False  # |x| is not; this rule is right as it stands, with sgn x = x/|x|
    latex = ("|x|", r"\operatorname{sgn}(x)\,\dot x", r"\bar x = \bar y \operatorname{sgn}(x)")
    saves = ("self",)

    @staticmethod
    def forward(x):
        return np.abs(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        if x.dtype.kind != "c":
            return grad * np.sign(x)
        return grad * _direction(x)

    @staticmethod
    def jvp(ctx, dx):
        (x,) = ctx.saved_tensors
        return dx * np.sign(x) if x.dtype.kind != "c" else np.real(np.conj(_direction(x)) * dx)


def _direction(x: Any) -> Any:
    """x/|x| of complex numbers; 0 of 0, where it does not move either."""
    length = np.abs(x)
    return np.where(length == 0, 0.0, x / np.where(length == 0, 1.0, length))


def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`|input|`, element by element.

    Args:
        input: real tensor of shape `S`.
        out: where to write the result, if the tape need not record it.

    Returns:
        Tensor of shape `S`. At the kink 0 its subgradient 0 is used.

    Example:
        >>> abs(tensor([-1.0, 2.0]))
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.abs.html
    """
    if out is not None:
        return written_to(out, abs, input)
    return Abs.apply(input)


class Sign(Elementwise):
    """y = sgn x        dy = 0        x̄ = 0"""

    node = "SignBackward0"
    latex = (r"\operatorname{sgn} x", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.sign(x)

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad)


def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1, element by element; its gradient is 0.

    Example:
        >>> sign(tensor([-3.0, 0.0, 2.0]))
        tensor([-1.,  0.,  1.])
    """
    return Sign.apply(input)


# Under PyTorch's other names
multiply, subtract, divide, true_divide, negative, absolute = mul, sub, div, div, neg, abs
