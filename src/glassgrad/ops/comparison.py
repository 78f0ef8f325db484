"""Questions about elements, and bits: equal? smaller? nan? and, or, not.

Answers are bools and have no gradient. `& | ^ ~` take bools and integers, `logical_and` and its
kin all dtypes.
"""

import math
from functools import partial
from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentTypeError, DTypeError, KernelError, TransformError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy

from . import _checks as check
from ._arguments import Operand
from ._checks import scalar_name
from ._declaring import op, operators
from ._families import Predicate
from ._rules import batch_all, is_batched, rows_of

_comparison = partial(op, out=True, inplace=True, tensors=("input",))
"""Declare one of the six comparisons."""


class Eq(Predicate):
    """z = [x = y]"""

    ufunc = np.equal


@_comparison(Eq)
def eq(input: Operand, other: Operand) -> Tensor:
    """`input == other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.

    Returns:
        bool tensor of shape `S`; nan equals nothing.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> eq(tensor([1, 2]), tensor([1, 3]))
        tensor([ True, False])
    """


class Ne(Predicate):
    """z = [x ≠ y]"""

    ufunc = np.not_equal


@_comparison(Ne, aliases=("not_equal",))
def ne(input: Operand, other: Operand) -> Tensor:
    """`input != other`, element by element; see `eq`.

    Example:
        >>> ne(tensor([1, 2]), 2)
        tensor([ True, False])
    """


class Lt(Predicate):
    """z = [x < y]"""

    kernel, kinds = "lt_cpu", "biuf"
    ufunc = np.less


@_comparison(Lt, aliases=("less",))
def lt(input: Operand, other: Operand) -> Tensor:
    """`input < other`, element by element; see `eq`.

    Example:
        >>> lt(tensor([1, 2]), 2)
        tensor([ True, False])
    """


class Le(Predicate):
    """z = [x ≤ y]"""

    kernel, kinds = "le_cpu", "biuf"
    ufunc = np.less_equal


@_comparison(Le, aliases=("less_equal",))
def le(input: Operand, other: Operand) -> Tensor:
    """`input <= other`, element by element; see `eq`.

    Example:
        >>> le(tensor([1, 2]), 1)
        tensor([ True, False])
    """


class Gt(Predicate):
    """z = [x > y]"""

    kernel, kinds = "gt_cpu", "biuf"
    ufunc = np.greater


@_comparison(Gt, aliases=("greater",))
def gt(input: Operand, other: Operand) -> Tensor:
    """`input > other`, element by element; see `eq`.

    Example:
        >>> gt(tensor([1, 2]), 1)
        tensor([False,  True])
    """


class Ge(Predicate):
    """z = [x ≥ y]"""

    kernel, kinds = "ge_cpu", "biuf"
    ufunc = np.greater_equal


@_comparison(Ge, aliases=("greater_equal",))
def ge(input: Operand, other: Operand) -> Tensor:
    """`input >= other`, element by element; see `eq`.

    Example:
        >>> ge(tensor([1, 2]), 2)
        tensor([False,  True])
    """


class IsNan(Predicate):
    """y = [x ≠ x]

    That holds of nan alone.
    """

    ufunc = np.isnan


@op(IsNan)
def isnan(input: Tensor) -> Tensor:
    """Which elements are nan.

    Example:
        >>> isnan(tensor([1.0, float("nan")]))
        tensor([False,  True])
    """


class IsInf(Predicate):
    """y = [|x| = ∞]"""

    ufunc = np.isinf


@op(IsInf)
def isinf(input: Tensor) -> Tensor:
    """Which elements are inf or -inf.

    Example:
        >>> isinf(tensor([1.0, float("-inf")]))
        tensor([False,  True])
    """


@op(out=True)
def isposinf(input: Tensor) -> Tensor:
    """Which elements are inf.

    Raises:
        DTypeError: for complex numbers.

    Example:
        >>> isposinf(tensor([float("inf"), float("-inf")]))
        tensor([ True, False])
    """
    return _equal_to("isposinf", input, math.inf)


@op(out=True)
def isneginf(input: Tensor) -> Tensor:
    """Which elements are -inf; see `isposinf`.

    Example:
        >>> isneginf(tensor([float("inf"), float("-inf")]))
        tensor([False,  True])
    """
    return _equal_to("isneginf", input, -math.inf)


def _equal_to(name: str, input: Tensor, infinity: float) -> Tensor:
    said = f"{name} does not support complex inputs"
    check.dtype(said, input, "biuf", "Their infinities have no sign. Write `isinf(x)`.")
    return Eq.apply(input, infinity)


class IsFinite(Predicate):
    """y = [|x| < ∞]"""

    ufunc = np.isfinite


@op(IsFinite)
def isfinite(input: Tensor) -> Tensor:
    """Which elements are neither nan nor infinite.

    Example:
        >>> isfinite(tensor([1.0, float("inf")]))
        tensor([ True, False])
    """


class SignBit(Predicate):
    """y = [x < 0 ∨ 1/x < 0]

    −0 has the sign that 1/−0 = −∞ shows.
    """

    kernel, kinds = "signbit", "biuf"

    @staticmethod
    def forward(x):
        return np.signbit(x) if x.dtype.kind == "f" else x < 0


@op(SignBit, out_exact=True)
def signbit(input: Tensor) -> Tensor:
    """Which elements have the sign bit set: negative ones, and -0.0.

    Example:
        >>> signbit(tensor([1.0, -0.0]))
        tensor([False,  True])
    """


class IsIn(Predicate):
    """z = [x ∈ y]"""

    broadcasts = False

    @staticmethod
    def forward(x, y, *, assume_unique, invert):
        return np.isin(x, y, assume_unique=assume_unique, invert=invert)

    @classmethod
    def vmap(cls, info, in_dims, x, y, *, assume_unique, invert):
        """Each with each, if what is looked for among differs between examples."""
        if in_dims[1] is None:
            return cls.apply(x, y, assume_unique=assume_unique, invert=invert)
        x, y = batch_all(info, in_dims, (x, y))
        pairs = np.equal(rows_of(x)[:, :, None], rows_of(y)[:, None])
        found = np.any(pairs, axis=2).reshape(x.shape)
        return np.logical_not(found) if invert else found


@op(IsIn)
def isin(
    elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Which elements are among the test elements.

    Args:
        elements: a number, or a tensor of shape `S`.
        test_elements: a number, or a tensor of any shape.
        assume_unique: whether no value comes twice, in neither; may be faster.
        invert: tell which are not.

    Returns:
        bool tensor of shape `S`.

    Example:
        >>> isin(tensor([1, 2, 3]), tensor([2, 3]))
        tensor([False,  True,  True])

    See also: https://pytorch.org/docs/stable/generated/torch.isin.html
    """


class IsClose(Predicate):
    """z = [x = y ∨ |x − y| ≤ atol + rtol·|y| < ∞]"""

    @staticmethod
    def forward(x, y, *, rtol, atol, equal_nan):
        if x.dtype.kind == "b":
            return x == y
        near = np.isfinite(y) & (np.abs(x - y) <= atol + np.abs(rtol * y))
        close = near | (x == y)
        return close | (np.isnan(x) & np.isnan(y)) if equal_nan else close


@op(IsClose)
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    *,
    equal_nan: bool = False,
) -> Tensor:
    """`|input - other| <= atol + rtol·|other|`, element by element.

    Args:
        input, other: tensors of one dtype and of shapes that broadcast to `S`.
        rtol, atol: the relative and the absolute tolerance.
        equal_nan: whether nan is close to nan.

    Returns:
        bool tensor of shape `S`; an infinite number is close to itself only.

    Raises:
        DTypeError: if the dtypes differ, or a tolerance is negative.

    Example:
        >>> isclose(tensor([1.0, 2.0]), tensor([1.0000001, 2.1]))
        tensor([ True, False])

    See also: https://pytorch.org/docs/stable/generated/torch.isclose.html
    """
    check.no_numbers("isclose", ("input", "other"), input, other)
    for which, tolerance in (("rtol", rtol), ("atol", atol)):
        said = f"{which} must be greater than or equal to zero, but got {{}}"
        why = "It says how far apart two numbers may be. Leave it out, or write a positive one."
        check.least(said, tolerance, 0, why, DTypeError)
    check.one_dtype(input, other, "{} did not match {}", "Numbers are close", called="other")
    return IsClose.apply(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


@op()
def allclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    *,
    equal_nan: bool = False,
) -> bool:
    """Whether all elements are close, as `isclose` says.

    Example:
        >>> allclose(tensor([1.0, 2.0]), tensor([1.0, 2.0000001]))
        True
    """
    return _are_all("allclose", isclose(input, other, rtol, atol, equal_nan=equal_nan))


@op()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape and the same elements.

    Example:
        >>> equal(tensor([1.0, 2.0]), tensor([1.0, 2.0]))
        True
    """
    check.tensor("equal", input)
    check.tensor("equal", other)
    return input.shape == other.shape and _are_all("equal", Eq.apply(input, other))


def _are_all(name: str, answers: Tensor) -> bool:
    if is_batched(answers):
        raise TransformError(
            f"vmap over {name}() isn't supported: Batching rule not implemented for it. It says "
            "yes or no, and the examples of a batch may differ. Write `isclose(x, y).all()`, or "
            "`(x == y).all()`, which is a tensor."
        )
    return bool(np.all(asnumpy(answers.payload)))


class LogicalAnd(Predicate):
    """z = [x ≠ 0 ∧ y ≠ 0]"""

    ufunc = np.logical_and


@op(LogicalAnd, out=True, inplace=True, tensors=("input", "other"))
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


class LogicalOr(Predicate):
    """z = [x ≠ 0 ∨ y ≠ 0]"""

    ufunc = np.logical_or


@op(LogicalOr, out=True, inplace=True, tensors=("input", "other"))
def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """Whether one or both are not 0, element by element; see `logical_and`.

    Example:
        >>> logical_or(tensor([1.0, 0.0]), tensor([False, False]))
        tensor([ True, False])
    """


class LogicalXor(Predicate):
    """z = [x ≠ 0 ⊕ y ≠ 0]"""

    ufunc = np.logical_xor


@op(LogicalXor, out=True, inplace=True, tensors=("input", "other"))
def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Whether exactly one is not 0, element by element; see `logical_and`.

    Example:
        >>> logical_xor(tensor([1.0, 0.0]), tensor([True, True]))
        tensor([False,  True])
    """


class LogicalNot(Predicate):
    """y = [x = 0]"""

    ufunc = np.logical_not


@op(LogicalNot, out=True, inplace=True)
def logical_not(input: Tensor) -> Tensor:
    """Whether it is 0, element by element.

    Example:
        >>> logical_not(tensor([1.0, 0.0]))
        tensor([False,  True])
    """


class _Bitwise(Predicate):
    """Two numbers combined bit by bit; floats have no bits."""

    @classmethod
    def explain(cls, error, values):
        for x in values:
            if x.dtype.kind not in "biu":
                kernel = _KERNELS.get(cls.ufunc, cls.ufunc.__name__)
                return KernelError(
                    f'"{kernel}_cpu" not implemented for {scalar_name(x.dtype)!r}. A '
                    "float has no bits to combine. Compare first, for example "
                    "`(x > 0) & (y > 0)`, or use `logical_and`."
                )
        return super().explain(error, values)


_KERNELS = {np.left_shift: "lshift", np.right_shift: "rshift"}
"""What PyTorch calls them in its messages, if not as NumPy does."""


class BitwiseAnd(_Bitwise):
    """z = x & y"""

    ufunc = np.bitwise_and


@op(BitwiseAnd, out=True, inplace=True, sign="and")
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


class BitwiseOr(_Bitwise):
    """z = x | y"""

    ufunc = np.bitwise_or


@op(BitwiseOr, out=True, inplace=True, sign="or")
def bitwise_or(input: Operand, other: Operand) -> Tensor:
    """`input | other`, bit by bit; see `bitwise_and`.

    Example:
        >>> bitwise_or(tensor([True, False]), tensor([False, False]))
        tensor([ True, False])
    """


class BitwiseXor(_Bitwise):
    """z = x ^ y"""

    ufunc = np.bitwise_xor


@op(BitwiseXor, out=True, inplace=True, sign="xor")
def bitwise_xor(input: Operand, other: Operand) -> Tensor:
    """`input ^ other`, bit by bit; see `bitwise_and`.

    Example:
        >>> bitwise_xor(tensor([6, 5]), 3)
        tensor([5, 6])
    """


class BitwiseLeftShift(_Bitwise):
    """z = x·2ʸ if 0 ≤ y < 64 else 0

    So for 64 bits. What a dtype has no room for is lost.
    """

    ufunc = np.left_shift

    @staticmethod
    def forward(x, y):
        x, y = _with_bits(x, y)
        room = 8 * x.dtype.itemsize
        return np.where((y < 0) | (y >= room), 0, np.left_shift(x, np.clip(y, 0, room - 1)))


@op(BitwiseLeftShift, out=True, inplace=True, sign="lshift")
def bitwise_left_shift(input: Operand, other: Operand) -> Tensor:
    """`input << other`: all bits moved up; see `bitwise_and` for the arguments.

    Example:
        >>> bitwise_left_shift(tensor([1, 5]), 2)
        tensor([ 4, 20])
    """


class BitwiseRightShift(_Bitwise):
    """z = ⌊x/2ʸ⌋ if 0 ≤ y < 64 else −[x < 0]

    So for 64 bits: the last of them says the sign.
    """

    ufunc = np.right_shift

    @staticmethod
    def forward(x, y):
        x, y = _with_bits(x, y)
        room = 8 * x.dtype.itemsize
        return np.right_shift(x, np.where((y < 0) | (y >= room), room - 1, y))


@op(BitwiseRightShift, out=True, inplace=True, sign="rshift")
def bitwise_right_shift(input: Operand, other: Operand) -> Tensor:
    """`input >> other`: all bits moved down; see `bitwise_and` for the arguments.

    Example:
        >>> bitwise_right_shift(tensor([8, 20]), 2)
        tensor([2, 5])
    """


def _with_bits(x: Any, y: Any) -> tuple[Any, Any]:
    """Numbers that can be shifted. A bool is one of a byte's."""
    if x.dtype.kind not in "biu":
        raise TypeError("a float has no bits")
    return (x + np.uint8(0), y + np.uint8(0)) if x.dtype.kind == "b" else (x, y)


class BitwiseNot(Predicate):
    """y = ~x"""

    ufunc = np.invert

    @classmethod
    def explain(cls, error, values):
        return ArgumentTypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors, got "
            f"{values[0].dtype}. A float has no bits to turn. Write `-x`, or compare first: "
            "`~(x > 0)`."
        )


@op(BitwiseNot, out=True, inplace=True)
def bitwise_not(input: Tensor) -> Tensor:
    """`~input`: not for bools, all bits turned for integers.

    Raises:
        ArgumentTypeError: for floating-point tensors.

    Example:
        >>> bitwise_not(tensor([True, False]))
        tensor([False,  True])
    """


operators(eq=Eq, ne=Ne, lt=Lt, le=Le, gt=Gt, ge=Ge, invert=bitwise_not)
