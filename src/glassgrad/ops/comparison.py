"""Questions about elements: equal? smaller? nan? Answers are bools and have no gradient."""

import math

import numpy as np

from glassgrad.core.errors import DTypeError, TransformError
from glassgrad.core.tensor import Tensor
from glassgrad.ops._families import Predicate, is_batched, stretched
from glassgrad.ops._texts import scalar_name
from glassgrad.ops.arithmetic import Operand
from glassgrad.ops.reduction import Some
from glassgrad.values.backend import asnumpy

__all__ = [
    "allclose",
    "eq",
    "equal",
    "ge",
    "gt",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "le",
    "lt",
    "ne",
    "signbit",
]


class Eq(Predicate):
    """z = [x = y]        dz = 0        x̄ = ȳ = 0"""

    latex = ("[x = y]", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return x == y


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
    return Eq.apply(input, other)


class Ne(Predicate):
    """z = [x ≠ y]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"[x \ne y]", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return x != y


def ne(input: Operand, other: Operand) -> Tensor:
    """`input != other`, element by element; see `eq`.

    Example:
        >>> ne(tensor([1, 2]), 2)
        tensor([ True, False])
    """
    return Ne.apply(input, other)


class Lt(Predicate):
    """z = [x < y]        dz = 0        x̄ = ȳ = 0"""

    latex = ("[x < y]", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return x < y


def lt(input: Operand, other: Operand) -> Tensor:
    """`input < other`, element by element; see `eq`.

    Example:
        >>> lt(tensor([1, 2]), 2)
        tensor([ True, False])
    """
    return Lt.apply(input, other)


class Le(Predicate):
    """z = [x ≤ y]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"[x \le y]", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return x <= y


def le(input: Operand, other: Operand) -> Tensor:
    """`input <= other`, element by element; see `eq`.

    Example:
        >>> le(tensor([1, 2]), 1)
        tensor([ True, False])
    """
    return Le.apply(input, other)


class Gt(Predicate):
    """z = [x > y]        dz = 0        x̄ = ȳ = 0"""

    latex = ("[x > y]", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return x > y


def gt(input: Operand, other: Operand) -> Tensor:
    """`input > other`, element by element; see `eq`.

    Example:
        >>> gt(tensor([1, 2]), 1)
        tensor([False,  True])
    """
    return Gt.apply(input, other)


class Ge(Predicate):
    """z = [x ≥ y]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"[x \ge y]", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y):
        return x >= y


def ge(input: Operand, other: Operand) -> Tensor:
    """`input >= other`, element by element; see `eq`.

    Example:
        >>> ge(tensor([1, 2]), 2)
        tensor([False,  True])
    """
    return Ge.apply(input, other)


class IsNan(Predicate):
    """y = [x is nan]        dy = 0        x̄ = 0"""

    latex = (r"[x = \mathrm{nan}]", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.isnan(x)


def isnan(input: Tensor) -> Tensor:
    """Which elements are nan.

    Example:
        >>> isnan(tensor([1.0, float("nan")]))
        tensor([False,  True])
    """
    return IsNan.apply(input)


class IsInf(Predicate):
    """y = [|x| = ∞]        dy = 0        x̄ = 0"""

    latex = (r"[|x| = \infty]", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.isinf(x)


def isinf(input: Tensor) -> Tensor:
    """Which elements are inf or -inf.

    Example:
        >>> isinf(tensor([1.0, float("-inf")]))
        tensor([False,  True])
    """
    return IsInf.apply(input)


class IsFinite(Predicate):
    """y = [|x| < ∞]        dy = 0        x̄ = 0"""

    latex = (r"[|x| < \infty]", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.isfinite(x)


def isfinite(input: Tensor) -> Tensor:
    """Which elements are neither nan nor infinite.

    Example:
        >>> isfinite(tensor([1.0, float("inf")]))
        tensor([ True, False])
    """
    return IsFinite.apply(input)


class SignBit(Predicate):
    """y = [x < 0, or −0]        dy = 0        x̄ = 0"""

    latex = (r"[x < 0 \vee x = -0]", "0", r"\bar x = 0")

    @staticmethod
    def forward(x):
        return np.signbit(x) if x.dtype.kind == "f" else x < 0


def signbit(input: Tensor) -> Tensor:
    """Which elements have the sign bit set: negative ones, and -0.0.

    Example:
        >>> signbit(tensor([1.0, -0.0]))
        tensor([False,  True])
    """
    return SignBit.apply(input)


class IsIn(Predicate):
    """z = [x ∈ Y]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"[x \in Y]", "0", r"\bar x = \bar y = 0")
    broadcasts = False

    @staticmethod
    def forward(x, y, *, assume_unique, invert):
        return np.isin(x, y, assume_unique=assume_unique, invert=invert)

    @classmethod
    def vmap(cls, info, in_dims, x, y, *, assume_unique, invert):
        """Each with each, if what is looked for among differs between examples."""
        if in_dims[1] is None:
            return cls.apply(x, y, assume_unique=assume_unique, invert=invert)
        elements = x if in_dims[0] is not None else stretched(x, info.batch_size)
        pairs = Eq.apply(
            elements.reshape(info.batch_size, math.prod(elements.shape[1:]), 1),
            y.reshape(info.batch_size, 1, math.prod(y.shape[1:])),
        )
        found = Some.apply(pairs, dim=(2,), keepdim=False).reshape(elements.shape)
        return np.logical_not(found) if invert else found


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
    return IsIn.apply(elements, test_elements, assume_unique=assume_unique, invert=invert)


class IsClose(Predicate):
    """z = [|x − y| ≤ a + r·|y|]        dz = 0        x̄ = ȳ = 0"""

    latex = (r"[|x - y| \le a + r\,|y|]", "0", r"\bar x = \bar y = 0")

    @staticmethod
    def forward(x, y, *, rtol, atol, equal_nan):
        near = np.isfinite(y) & (np.abs(x - y) <= atol + np.abs(rtol * y))
        close = near | (x == y)
        return close | (np.isnan(x) & np.isnan(y)) if equal_nan else close


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
        DTypeError: if the dtypes differ.

    Example:
        >>> isclose(tensor([1.0, 2.0]), tensor([1.0000001, 2.1]))
        tensor([ True, False])

    See also: https://pytorch.org/docs/stable/generated/torch.isclose.html
    """
    if input.dtype != other.dtype:
        raise DTypeError(
            f"{scalar_name(input.dtype)} did not match {scalar_name(other.dtype)}. The precision "
            "of a dtype decides what is close. Write `other.to(input.dtype)`."
        )
    return IsClose.apply(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


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


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape and the same elements.

    Example:
        >>> equal(tensor([1.0, 2.0]), tensor([1.0, 2.0]))
        True
    """
    return input.shape == other.shape and _are_all("equal", Eq.apply(input, other))


def _are_all(name: str, answers: Tensor) -> bool:
    if is_batched(answers):
        raise TransformError(
            f"vmap over {name}() isn't supported: Batching rule not implemented for it. It says "
            "yes or no, and the examples of a batch may differ. Write `isclose(x, y).all()`, or "
            "`(x == y).all()`, which is a tensor."
        )
    return bool(np.all(asnumpy(answers.payload)))
