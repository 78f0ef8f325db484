"""Bools and bits: `logical_and` and friends for all dtypes, `& | ^ ~` for bools and integers."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import Predicate
from glassgrad.ops._texts import scalar_name
from glassgrad.ops.arithmetic import Operand

__all__ = [
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
]


class LogicalAnd(Predicate):
    """z = [x ≠ 0] ∧ [y ≠ 0]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"x \wedge y", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return np.logical_and(x, y)


def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Whether both are not 0, element by element.

    Args:
        input, other: tensors of any dtype and of shapes that broadcast to `S`.

    Returns:
        bool tensor of shape `S`.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> logical_and(tensor([1.0, 0.0]), tensor([True, True]))
        tensor([ True, False])
    """
    return LogicalAnd.apply(input, other)


class LogicalOr(Predicate):
    """z = [x ≠ 0] ∨ [y ≠ 0]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"x \vee y", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return np.logical_or(x, y)


def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Whether one or both are not 0, element by element; see `logical_and`.

    Example:
        >>> logical_or(tensor([1.0, 0.0]), tensor([False, False]))
        tensor([ True, False])
    """
    return LogicalOr.apply(input, other)


class LogicalXor(Predicate):
    """z = [x ≠ 0] ⊕ [y ≠ 0]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"x \oplus y", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return np.logical_xor(x, y)


def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Whether exactly one is not 0, element by element; see `logical_and`.

    Example:
        >>> logical_xor(tensor([1.0, 0.0]), tensor([True, True]))
        tensor([False,  True])
    """
    return LogicalXor.apply(input, other)


class LogicalNot(Predicate):
    """y = [x = 0]        dy = 0        x̄ = 0"""

    latex = (r"\neg x", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.logical_not(x)


def logical_not(input: Tensor) -> Tensor:
    """Whether it is 0, element by element.

    Example:
        >>> logical_not(tensor([1.0, 0.0]))
        tensor([False,  True])
    """
    return LogicalNot.apply(input)


class BitwiseAnd(Predicate):
    """z = x & y        dz = 0        x̄ = ȳ = 0"""

    latex = (r"x \mathbin{\&} y", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return _bits("bitwise_and", x) & y


def bitwise_and(input: Operand, other: Operand) -> Tensor:
    """`input & other`, bit by bit.

    Args:
        input, other: bool or integer tensors of shapes that broadcast to `S`, or one a number.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for floating-point tensors.

    Example:
        >>> bitwise_and(tensor([6, 5]), 3)
        tensor([2, 1])
    """
    return BitwiseAnd.apply(input, other)


class BitwiseOr(Predicate):
    """z = x | y        dz = 0        x̄ = ȳ = 0"""

    latex = (r"x \mathbin{|} y", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return _bits("bitwise_or", x) | y


def bitwise_or(input: Operand, other: Operand) -> Tensor:
    """`input | other`, bit by bit; see `bitwise_and`.

    Example:
        >>> bitwise_or(tensor([True, False]), tensor([False, False]))
        tensor([ True, False])
    """
    return BitwiseOr.apply(input, other)


class BitwiseXor(Predicate):
    """z = x ^ y        dz = 0        x̄ = ȳ = 0"""

    latex = (r"x \oplus y", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return _bits("bitwise_xor", x) ^ y


def bitwise_xor(input: Operand, other: Operand) -> Tensor:
    """`input ^ other`, bit by bit; see `bitwise_and`.

    Example:
        >>> bitwise_xor(tensor([6, 5]), 3)
        tensor([5, 6])
    """
    return BitwiseXor.apply(input, other)


class BitwiseNot(Predicate):
    """y = ~x        dy = 0        x̄ = 0"""

    latex = (r"\mathord{\sim} x", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        if x.dtype.kind == "f":
            raise ArgumentTypeError(
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors, got "
                f"{x.dtype}. A float has no bits to turn. Write `-x`, or compare first: `~(x > 0)`."
            )
        return ~x


def bitwise_not(input: Tensor) -> Tensor:
    """`~input`: not for bools, all bits turned for integers.

    Raises:
        ArgumentTypeError: for floating-point tensors.

    Example:
        >>> bitwise_not(tensor([True, False]))
        tensor([False,  True])
    """
    return BitwiseNot.apply(input)


def _bits(name: str, x: Any) -> Any:
    """`x`, if it has bits."""
    if x.dtype.kind not in "biu":
        raise DTypeError(
            f'"{name}_cpu" not implemented for {scalar_name(x.dtype)!r}. A float has no bits to '
            f"combine. Compare first, for example `(x > 0) & (y > 0)`, or use `logical_and`."
        )
    return x
