"""One of several values, element by element: `where`, `maximum`, `minimum`, `clamp`."""

from typing import Any

import numpy as np

from glassgrad.core.errors import ArgumentError, DTypeError, KernelError, RangeError, TransformError
from glassgrad.core.primitive import Primitive, constant
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.values.dtypes import get_default_dtype, int64, result_dtype, uint8
from glassgrad.values.layers import array_of

from . import _checks as check
from ._arguments import Operand
from ._declaring import in_numpys_order, op
from ._families import Elementwise, Predicate, without_derivative
from ._rules import on_tensors


class Maximum(Elementwise):
    """z = max(x, y)        x̄ = z̄·([x > y] + ½·[x = y]),  ȳ = z̄·([x < y] + ½·[x = y])"""

    kernel, kinds = "maximum", "biuf"
    ufunc = np.maximum

    @staticmethod
    def gradient(grad, x, y):
        return _to_the_larger(grad, x, y)


@op(Maximum, inplace=False, tensors=("input", "other"))
def maximum(input: Operand, other: Operand) -> Tensor:
    """The larger of two values, element by element.

    Args:
        input, other: real tensors of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`, of the promoted dtype; nan where either is nan. Where both are
        equal, each gets half of the gradient.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> maximum(tensor([1.0, 5.0]), tensor([3.0, 2.0]))
        tensor([3., 5.])

    See also: https://pytorch.org/docs/stable/generated/torch.maximum.html
    """


class Minimum(Elementwise):
    """z = min(x, y)        x̄ = z̄·([x < y] + ½·[x = y]),  ȳ = z̄·([x > y] + ½·[x = y])"""

    kernel, kinds = "minimum", "biuf"
    ufunc = np.minimum

    @staticmethod
    def gradient(grad, x, y):
        return _to_the_larger(grad, y, x)  # x gets what the larger y would


def _to_the_larger(grad: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """The gradients of x and y if the larger of both gets it; half of it each if they are equal."""
    halved = np.where(x == y, grad / 2, grad)
    return np.where(x < y, 0, halved), np.where(x > y, 0, halved)


@op(Minimum, inplace=False, tensors=("input", "other"))
def minimum(input: Operand, other: Operand) -> Tensor:
    """The smaller of two values, element by element; everything else is as for `maximum`.

    Example:
        >>> minimum(tensor([1.0, 5.0]), tensor([3.0, 2.0]))
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.minimum.html
    """


class Fmax(Elementwise):
    """z = fmax(x, y)        x̄ = z̄·[x ≥ y ∨ y ≠ y],  ȳ = z̄·(1 − [x ≥ y ∨ y ≠ y])

    A number is larger than nan, which alone differs from itself.
    """

    ufunc = np.fmax

    @staticmethod
    def forward(x, y):
        check.kernel("fmax", x, "biuf", _UNORDERED)
        return np.fmax(x, y)

    @staticmethod
    def gradient(grad, x, y):
        return _to_the_chosen(grad, (x >= y) | np.isnan(y))


class Fmin(Elementwise):
    """z = fmin(x, y)        x̄ = z̄·[x ≤ y ∨ y ≠ y],  ȳ = z̄·(1 − [x ≤ y ∨ y ≠ y])

    A number is smaller than nan, which alone differs from itself.
    """

    ufunc = np.fmin

    @staticmethod
    def forward(x, y):
        check.kernel("fmin", x, "biuf", _UNORDERED)
        return np.fmin(x, y)

    @staticmethod
    def gradient(grad, x, y):
        return _to_the_chosen(grad, (x <= y) | np.isnan(y))


_UNORDERED = "Complex numbers have no order. Write `x.abs()`."


def _to_the_chosen(grad: Any, is_first: Any) -> tuple[Any, Any]:
    return np.where(is_first, grad, 0), np.where(is_first, 0, grad)


@op(Fmax, inplace=False, tensors=("input", "other"))
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two values, element by element; a number if the other one is nan.

    Args:
        input, other: real tensors of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`, of the promoted dtype; nan where both are. Where both are equal,
        `input` gets the gradient.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> fmax(tensor([1.0, float("nan")]), tensor([3.0, 2.0]))
        tensor([3., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.fmax.html
    """


@op(Fmin, inplace=False, tensors=("input", "other"))
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two values, element by element; everything else is as for `fmax`.

    Example:
        >>> fmin(tensor([1.0, float("nan")]), tensor([3.0, 2.0]))
        tensor([1., 2.])
    """


class Heaviside(Predicate):
    """z = y if x = 0 else [x > 0]"""

    @staticmethod
    def forward(x, y):
        return np.where(x == 0, y, np.where(x > 0, np.ones_like(x), np.zeros_like(x)))


@op(Heaviside, numpy=(np.heaviside,), out=True, inplace=True, tensors=("input", "values"))
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """The step from 0 to 1: 0 below 0, 1 above, `values` there, element by element.

    Args:
        input, values: real tensors of one dtype and of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S` and the same dtype. As in PyTorch, a pass that comes to it raises.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers, or if the dtypes differ.

    Example:
        >>> heaviside(tensor([-1.5, 0.0, 2.0]), tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.heaviside.html
    """
    if "c" in (input.dtype.kind, values.dtype.kind):
        raise DTypeError(f"heaviside is not yet implemented for complex tensors. {_UNORDERED}")
    said = "heaviside is not yet implemented for tensors with different dtypes"
    check.same_dtype(said, input, values, called="values")
    result = Heaviside.apply(input, values)
    return without_derivative("aten::heaviside", result, input, values)


class Where(Elementwise):
    """z = x if c else y
    dz = dx if c else dy
    x̄ = z̄ if c else 0,  ȳ = 0 if c else z̄
    """

    saves = ("condition",)
    promotes = 1
    differentiates = slice(1, None)

    @staticmethod
    def forward(condition, x, y):
        return np.where(condition, x, y)

    @staticmethod
    def backward(ctx, grad):
        (condition,) = ctx.saved_tensors
        wants_x, wants_y = ctx.needs_input_grad
        return (
            np.where(condition, grad, 0) if wants_x else None,
            np.where(condition, 0, grad) if wants_y else None,
        )


class Nonzero(Primitive):
    """y, z, … = nonzero x"""

    differentiable = False
    multiple = True

    @staticmethod
    def forward(x):
        return np.nonzero(x if x.shape else x.reshape(1))

    @classmethod
    def vmap(cls, info, in_dims, x):
        raise TransformError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted "
            f"to vmap over aten::where(condition): each of {info.batch_size} examples of shape "
            f"{list(x.shape[1:])} may hold at other places, and at more or fewer of them. Write "
            "`where(condition, x, y)`."
        )


class Argwhere(Nonzero):
    """y = argwhere x"""

    multiple = False

    @staticmethod
    def forward(x):
        return np.argwhere(x)


@op(Nonzero, Argwhere, out_exact=True, out_apart=True)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The places of all elements that are not 0, row by row.

    Args:
        input: tensor with `d` dims.
        as_tuple: whether each dim's indices are a tensor of their own.

    Returns:
        int64 tensor of shape `(n, d)`; or `d` tensors of shape `(n,)`, one for a 0-d tensor.

    Raises:
        TransformError: inside vmap: there may be more or fewer of them in each example.

    Example:
        >>> nonzero(tensor([[0, 1], [2, 0]]))
        tensor([[0, 1],
                [1, 0]])

    See also: https://pytorch.org/docs/stable/generated/torch.nonzero.html
    """
    return (Nonzero if as_tuple else Argwhere).apply(input)


@op(out=True)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first places of elements that are not 0, as many as asked for.

    Args:
        input: tensor with `d` dims.
        size: how many; what is missing is `fill_value`.

    Returns:
        int64 tensor of shape `(size, d)`.

    Example:
        >>> nonzero_static(tensor([0, 1, 2]), size=3)
        tensor([[ 1],
                [ 2],
                [-1]])
    """
    said = "nonzero_static: 'size' must be an non-negative integer, got {}"
    check.least(said, size, 0, "It counts places. Write `size=n`.")
    places = argwhere(input)[:size]
    out = places.new_full((size, input.ndim), fill_value)
    out[: places.shape[0]] = places
    return out


@op(Argwhere)
def argwhere(input: Tensor) -> Tensor:
    """`nonzero(input)` under NumPy's name.

    Example:
        >>> argwhere(tensor([0, 1, 2]))
        tensor([[1],
                [2]])
    """


@op(numpy=(np.where,), out_exact=True)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """`input` where `condition` holds, `other` elsewhere; or the places where it holds.

    Args:
        condition: bool tensor, or a uint8 tensor of an old program.
        input, other: tensors or numbers; all three broadcast to `S`. Neither: see below.

    Returns:
        Tensor of shape `S`, of the promoted dtype of `input` and `other`; the one that was not
        chosen gets gradient 0. With `condition` alone, one int64 tensor of indices per dim.

    Raises:
        DTypeError: if `condition` is not bool.
        ArgumentError: if only one of `input` and `other` is given.

    Example:
        >>> where(tensor([True, False]), tensor([1.0, 2.0]), 0.0)
        tensor([1., 0.])
        >>> where(tensor([0.0, 3.0, 4.0]))
        (tensor([1, 2]),)

    See also: https://pytorch.org/docs/stable/generated/torch.where.html
    """
    if input is None and other is None:
        return Nonzero.apply(condition)
    if input is None or other is None:
        raise ArgumentError(
            "where() takes a condition alone or with both values. Each element comes from one "
            "of two. Write `where(condition, x, 0)`."
        )
    if array_of(condition).dtype == uint8:
        warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be "
            "removed in a future version of PyTorch. Use a boolean condition instead."
        )
        condition = condition != 0
    said = "where expected condition to be a boolean tensor, but got a tensor with dtype {name}"
    why = "A number is neither true nor false. Write `where(c != 0, x, y)`."
    check.dtype(said, array_of(condition), "b", why)
    for value, beside in ((input, other), (other, input)):
        if isinstance(value, int) and isinstance(beside, Tensor) and beside.dtype.kind in "iu":
            check.number(beside.dtype, value)
    return Where.apply(condition, input, other)


class _Clamping(Elementwise):
    """What ops share whose bounds are numbers; one of them may be missing."""

    saves = ("self",)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        low, high = getattr(ctx, "min", None), getattr(ctx, "max", None)
        if low is None or high is None:
            return np.where(x >= low if high is None else x <= high, grad, 0)
        return np.where((x >= low) & (x <= high), grad, 0)


class Clamp(_Clamping):
    """y = min(max(x, a), b),  a = min,  b = max        x̄ = ȳ·[a ≤ x ≤ b]"""

    node = "ClampBackward1"

    @staticmethod
    def forward(x, *, min, max):
        return np.clip(x, min, max)


class ClampMin(_Clamping):
    """y = max(x, a),  a = min        x̄ = ȳ·[a ≤ x]"""

    @staticmethod
    def forward(x, *, min):
        return np.maximum(x, min)


class ClampMax(_Clamping):
    """y = min(x, b),  b = max        x̄ = ȳ·[x ≤ b]"""

    @staticmethod
    def forward(x, *, max):
        return np.minimum(x, max)


class ClampTensor(Elementwise):
    """z = min(max(x, a), b),  a = low,  b = high
    x̄ = z̄·[a ≤ x ≤ b],  ā = z̄·[x < a < b],  b̄ = z̄·[x > b ∨ a > b]
    """

    node = "ClampBackward0"
    saves = ("self", "min", "max")

    @staticmethod
    def forward(x, low, high):
        return np.clip(x, low, high)

    @staticmethod
    def backward(ctx, grad):
        x, low, high = ctx.saved_tensors
        wants_x, wants_low, wants_high = ctx.needs_input_grad
        return (
            np.where((x >= low) & (x <= high), grad, 0) if wants_x else None,
            np.where((x < low) & (low < high), grad, 0) if wants_low else None,
            np.where((x > high) | (high < low), grad, 0) if wants_high else None,
        )

    @staticmethod
    @on_tensors
    def jvp(ctx, dx, d_low, d_high):
        x, low, high = ctx.saved_tensors
        dx, d_low, d_high = [0 if tangent is None else tangent for tangent in (dx, d_low, d_high)]
        # In PyTorch an element that meets its only bound moves as the bound does; of two, as x.
        if not isinstance(high, Tensor):
            return np.where(x > low, dx, d_low)
        if not isinstance(low, Tensor):
            return np.where(x < high, dx, d_high)
        within = np.where(x < low, d_low, np.where(x > high, d_high, dx))
        return np.where(low > high, d_high, within)


@op(Clamp, ClampTensor, aliases=("clip",), inplace_function=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`input`, no element smaller than `min` or larger than `max`.

    Args:
        input: real tensor; with tensor bounds, all broadcast to `S`.
        min, max: numbers or tensors; one of them may be None. `max` wins if `min > max`.

    Returns:
        Tensor of shape `S`, of the promoted dtype. At a bound that is a number, `input` gets
        the gradient; a bound that is a tensor gets it where it was used.

    Raises:
        ArgumentError: if there is no bound.
        DTypeError: for complex numbers.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> clamp(tensor([-2.0, 0.5, 2.0]), min=-1, max=1)
        tensor([-1.0000,  0.5000,  1.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.clamp.html
    """
    if min is None and max is None:
        raise RangeError(
            "torch.clamp: At least one of 'min' or 'max' must not be None. Nothing would be "
            "clamped. Write `x.clamp(min=0)`."
        )
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        _check_real(input, min, max)
        if input.dtype.kind == "b":
            input = input.to(result_dtype([x for x in (input, min, max) if isinstance(x, Tensor)]))
        low, high = check.ends_of(input.dtype)
        bounds = low if min is None else min, high if max is None else max
        return ClampTensor.apply(input, *bounds)
    input = _fractional(input, min, max)
    return Clamp.apply(input, min=_bound(input, min), max=_bound(input, max))


in_numpys_order(np.clip, clamp, a_min="min", a_max="max")


@op(ClampMin, tensors=("input",))
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """`clamp` with a lower bound only.

    Example:
        >>> clamp_min(tensor([-2.0, 2.0]), 0)
        tensor([0., 2.])
    """
    if isinstance(min, Tensor):
        return clamp(input, min=min)
    return ClampMin.apply(_fractional(input, min), min=_bound(input, min))


@op(ClampMax, tensors=("input",))
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """`clamp` with an upper bound only.

    Example:
        >>> clamp_max(tensor([-2.0, 2.0]), 0)
        tensor([-2.,  0.])
    """
    if isinstance(max, Tensor):
        return clamp(input, max=max)
    return ClampMax.apply(_fractional(input, max), max=_bound(input, max))


def _bound(input: Tensor, number: Any) -> Any:
    """A bound as integers like those of `input` hold it; refused if they have no room for it."""
    dtype = input.payload.dtype
    if isinstance(number, np.generic):
        number = number.item()
    if dtype.kind not in "iu" or type(number) is not int:
        return number
    check.number(dtype, number)
    return constant(number, dtype).item()


def _fractional(input: Tensor, *bounds: Any) -> Tensor:
    """`input`, as floats or as integers if a bound is such a number and it has none."""
    _check_real(input, *bounds)
    kind = input.payload.dtype.kind
    if kind != "f" and any(isinstance(bound, float | np.floating) for bound in bounds):
        return input.to(get_default_dtype())
    if kind == "b":
        if all(isinstance(bound, bool) or bound is None for bound in bounds):
            raise DTypeError(
                "\"clamp_scalar_cpu\" not implemented for 'Bool': there is nothing between True "
                "and False. Write `x.int()`, or `logical_and`."
            )
        return input.to(int64)
    return input


def _check_real(input: Tensor, *bounds: Any) -> None:
    """Raise KernelError for a complex number: none is larger or smaller than another."""
    for x in (input, *bounds):
        if isinstance(x, str):
            why = "It is compared with numbers. Write `float(text)`."
            raise check.wrong_type("clamp(): a bound must be Number or Tensor", x, why)
        if isinstance(x, complex) or (isinstance(x, Tensor) and x.dtype.kind == "c"):
            raise KernelError(
                "clamp is not supported for complex types: complex numbers have no order. Write "
                "`x.abs().clamp(…)`."
            )
