"""Numbers without their fractions, and what is left: floor, ceil, round, trunc, frac, remainder.

The steps are flat: their gradient is 0. What they leave has slope 1. Here are also the neighbours
of a number, and numbers for what is none: nextafter, nan_to_num.
"""

from typing import Any, ClassVar

import numpy as np

from glassgrad.core.errors import DTypeError, KernelError
from glassgrad.core.state import Func
from glassgrad.core.tensor import Tensor, is_differentiable

from . import _checks as check
from ._arguments import Operand, int_of
from ._checks import scalar_name
from ._declaring import in_numpys_order, op
from ._families import Elementwise, Flat
from ._rules import run
from .arithmetic import DivRounded, check_divisor, div


def _stepping(ufunc: Any, name: str) -> Func:
    """The forward of an op that steps from integer to integer, which it leaves as they are."""

    def forward(x: Any) -> Any:
        return ufunc(x) if _has_fractions(x, name) else np.copy(x)

    return forward


def _has_fractions(x: Any, name: str) -> bool:
    """Whether there is something to round: integers are what they are.

    Raises:
        DTypeError: for bools and complex numbers.
    """
    why = (
        "Real numbers lie between two integers, and no others do. Write `x.float()`, or round both "
        "parts by themselves."
    )
    check.kernel(f"{name} is", x, "iuf", why)
    return bool(x.dtype.kind == "f")


class Floor(Flat):
    """y = ⌊x⌋        x̄ = 0"""

    forward = staticmethod(_stepping(np.floor, "floor"))


@op(Floor, numpy=(np.floor,))
def floor(input: Tensor) -> Tensor:
    """The largest integer that is not larger, element by element.

    Args:
        input: real tensor of shape `S`, not bool.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> floor(tensor([-1.5, 1.5]))
        tensor([-2.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.floor.html
    """


class Ceil(Flat):
    """y = ⌈x⌉        x̄ = 0"""

    forward = staticmethod(_stepping(np.ceil, "ceil"))


@op(Ceil, numpy=(np.ceil,))
def ceil(input: Tensor) -> Tensor:
    """The smallest integer that is not smaller, element by element.

    Args:
        input: real tensor of shape `S`, not bool.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> ceil(tensor([-1.5, 1.5]))
        tensor([-1.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.ceil.html
    """


class Trunc(Flat):
    """y = sgn x·⌊|x|⌋        x̄ = 0"""

    forward = staticmethod(_stepping(np.trunc, "trunc"))


@op(Trunc, aliases=("fix",), numpy=(np.trunc,))
def trunc(input: Tensor) -> Tensor:
    """The numbers without what is behind their point, element by element.

    Args:
        input: real tensor of shape `S`, not bool.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers.

    Example:
        >>> trunc(tensor([-1.5, 1.5]))
        tensor([-1.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.trunc.html
    """


class Round(Flat):
    """y = round x        x̄ = 0"""

    forward = staticmethod(_stepping(np.rint, "round"))


class RoundDecimals(Flat):
    """y = round(10ᵏ·x)/10ᵏ,  k = decimals        x̄ = 0"""

    node = "RoundBackward1"

    @staticmethod
    def forward(x, *, decimals):
        if not _has_fractions(x, "round"):
            raise DTypeError(
                f"round(decimals={decimals}) is not implemented for '{scalar_name(x.dtype)}': "
                "integers have no decimals. Leave `decimals` out, or write `x.float()`."
            )
        scale = float(f"1e{abs(decimals)}")  # inf, where 10ᵏ is larger than any float
        return np.rint(x / scale) * scale if decimals < 0 else np.rint(x * scale) / scale


@op(RoundDecimals, Round, aliases=("special.round",), numpy=(np.rint,))
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest integer, element by element; halves go to the even one.

    Args:
        input: real tensor of shape `S`, not bool.
        decimals: how many digits to keep behind the point; below 0, how many to drop before it.

    Returns:
        Tensor of shape `S` and the same dtype; its gradient is 0.

    Raises:
        DTypeError: for bools and complex numbers; for integers if there are `decimals`.

    Example:
        >>> round(tensor([0.5, 1.5, 2.6]))
        tensor([0., 2., 3.])
        >>> round(tensor([3.14159]), decimals=2)
        tensor([3.1400])

    See also: https://pytorch.org/docs/stable/generated/torch.round.html
    """
    places = int_of(decimals, "round", "decimals")
    return RoundDecimals.apply(input, decimals=places) if places else Round.apply(input)


in_numpys_order(np.round, round)


class Frac(Elementwise):
    """y = x − trunc x        x̄ = ȳ"""

    @staticmethod
    def forward(x):
        if not _has_fractions(x, "frac"):
            raise KernelError(
                f"\"frac_cpu\" not implemented for '{scalar_name(x.dtype)}': integers have no "
                "fractions. Write `zeros_like(x)` if that is meant."
            )
        return x - np.trunc(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


@op(Frac)
def frac(input: Tensor) -> Tensor:
    """What is behind the point, with the sign of the number, element by element.

    Args:
        input: floating-point tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype. Its gradient is 1, also where it jumps.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> frac(tensor([-1.5, 2.25]))
        tensor([-0.5000,  0.2500])

    See also: https://pytorch.org/docs/stable/generated/torch.frac.html
    """


class _Rest(Elementwise):
    """z = x − y·q, where q, the quotient as it is `rounded`, stands still."""

    kinds = "iuf"
    saves = ("self", "other")
    saved_if = {"self": 1, "other": 1}
    rounded: ClassVar[str]

    @staticmethod
    def backward(ctx, grad):
        if not ctx.needs_input_grad[1]:
            return grad, None
        rounded = ctx._forward_cls.rounded
        return grad, -grad * run(DivRounded, *ctx.saved_tensors, rounding_mode=rounded)


class Fmod(_Rest):
    """z = x − y·trunc(x/y)        x̄ = z̄,  ȳ = −z̄·trunc(x/y)"""

    node = "FmodBackward1"
    kernel, rounded = "fmod_cpu", "trunc"
    ufunc = np.fmod

    @staticmethod
    def forward(x, y):
        check_divisor(y)
        return np.fmod(x, y)


@op(Fmod, tensors=("input",))
def fmod(input: Tensor, other: Operand) -> Tensor:
    """What is left of a division that is rounded towards 0; it has the sign of `input`.

    Args:
        input, other: real tensors of shapes that broadcast to `S`; `other` may be a number.

    Returns:
        Tensor of shape `S`, of the promoted dtype; nan where a float is divided by 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for bools and complex numbers; for integers divided by 0.

    Example:
        >>> fmod(tensor([-3.0, 3.5]), 2)
        tensor([-1.0000,  1.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.fmod.html
    """


class Remainder(_Rest):
    """z = x − y·⌊x/y⌋        x̄ = z̄,  ȳ = −z̄·⌊x/y⌋"""

    node = "RemainderBackward1"
    kernel, rounded = "remainder_cpu", "floor"
    ufunc = np.remainder

    @staticmethod
    def forward(x, y):
        check_divisor(y)
        return np.remainder(x, y)


@op(Remainder, sign="mod")
def remainder(input: Operand, other: Operand) -> Tensor:
    """`input % other`, as in Python: what is left of a division that is rounded down.

    Args:
        input, other: real tensors of shapes that broadcast to `S`, or one of them a number.

    Returns:
        Tensor of shape `S`, of the promoted dtype, with the sign of `other`; nan where a float is
        divided by 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for bools and complex numbers; for integers divided by 0.

    Example:
        >>> remainder(tensor([-3.0, 3.5]), 2)
        tensor([1.0000, 1.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.remainder.html
    """


@op(DivRounded, numpy=(np.floor_divide,), sign="floordiv")
def floor_divide(input: Operand, other: Operand) -> Tensor:
    """`input // other`, as in Python: `div` rounded down.

    Example:
        >>> floor_divide(tensor([7, -7]), 2)
        tensor([ 3, -4])

    See also: https://pytorch.org/docs/stable/generated/torch.floor_divide.html
    """
    return div(input, other, rounding_mode="floor")


class NanToNum(Elementwise):
    """y = x if |x| < ∞ else nan if x ≠ x else posinf if x > 0 else neginf
    x̄ = ȳ if |x| < ∞ else 0
    """

    @staticmethod
    def forward(x, *, nan, posinf, neginf):
        if x.dtype.kind not in "fc":
            return np.copy(x)
        return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)

    @staticmethod
    def gradient(grad, x):
        return np.where(np.isfinite(x), grad, 0)


@op(NanToNum)
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Numbers in place of nan, inf and -inf, element by element.

    Args:
        input: tensor of shape `S`.
        nan: what nan becomes. Default: 0.
        posinf, neginf: what they become. Default: the largest and the smallest of the dtype.

    Returns:
        Tensor of shape `S` and the same dtype. What was replaced has gradient 0.

    Example:
        >>> nan_to_num(tensor([1.0, float("nan"), float("inf")]), posinf=9.0)
        tensor([1., 0., 9.])

    See also: https://pytorch.org/docs/stable/generated/torch.nan_to_num.html
    """
    low, high = 0.0, 0.0
    if is_differentiable(input.dtype):
        low, high = float(np.finfo(input.dtype).min), float(np.finfo(input.dtype).max)
    return NanToNum.apply(
        input,
        nan=nan or 0.0,
        posinf=high if posinf is None else posinf,
        neginf=low if neginf is None else neginf,
    )


in_numpys_order(np.nan_to_num, nan_to_num)


class Nextafter(Elementwise):
    """z = nextafter(x, y)        x̄ = z̄·[x ≠ y],  ȳ = 0"""

    ufunc = np.nextafter
    kernel = "nextafter_cpu"

    @staticmethod
    def gradient(grad, x, y):
        return np.where(x != y, grad, 0), np.zeros_like(grad)


@op(Nextafter, out=True, inplace=True, tensors=("input", "other"))
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next number that the dtype has, on the way from `input` to `other`.

    Args:
        input, other: floating-point tensors of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`; it moves as `input` does.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for other dtypes.

    Example:
        >>> nextafter(tensor([1.0]), tensor([2.0])) - 1
        tensor([1.1921e-07])
    """
