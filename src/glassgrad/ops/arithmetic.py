"""Sums, products, quotients, absolute values; two steps in one: addcmul, addcdiv, lerp."""

from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError
from glassgrad.core.tensor import Tensor
from glassgrad.values.dtypes import Number

from ._arguments import c_name, check_kind
from ._declaring import function, op
from ._families import Elementwise, Flat, Fractional, Linear, Multilinear, Predicate, by_call, total

Operand = Tensor | bool | int | float | complex


class Add(Elementwise):
    """z = x + y        x̄ = z̄,  ȳ = z̄"""

    ufunc = np.add

    @staticmethod
    def backward(ctx, grad):
        return grad, grad

    @staticmethod
    @by_call
    def jvp(ctx, dx, dy):
        return total([dx, dy])


@op(Add)
def add(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`input + alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> add(tensor([1.0, 2.0]), 10)
        tensor([11., 12.])

    See also: https://pytorch.org/docs/stable/generated/torch.add.html
    """
    return Add.apply(
        input, other if alpha == 1 and alpha is not True else _scaled(other, alpha, input)
    )


def _scaled(x: Operand, alpha: Number, beside: Operand) -> Any:
    """`alpha·x`, where a sum with `beside` can hold that."""
    kinds = {each.dtype.kind for each in (x, beside) if isinstance(each, Tensor)}
    why = "A factor becomes an element of the result. Write `mul(other, alpha)`, of its dtype."
    if alpha is True and kinds - {"b"}:
        raise DTypeError(f"Boolean alpha only supported for Boolean results, got {alpha}. {why}")
    if isinstance(alpha, complex) and "c" not in kinds:
        raise DTypeError(
            "For non-complex input tensors, argument alpha must not be a complex number, got "
            f"{alpha}. {why}"
        )
    if isinstance(alpha, float) and not kinds & {"f", "c"}:
        raise DTypeError(
            "For integral input tensors, argument alpha must not be a floating point number, got "
            f"{alpha}. {why}"
        )
    return mul(x, alpha) if isinstance(x, Tensor) else x * alpha


class Sub(Elementwise):
    """z = x − y        x̄ = z̄,  ȳ = −z̄"""

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
        return dx if dy is None else -dy if dx is None else dx - dy


@op(Sub, aliases=("subtract",))
def sub(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`input - alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.

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
    return Sub.apply(
        input, other if alpha == 1 and alpha is not True else _scaled(other, alpha, input)
    )


class Rsub(Elementwise):
    """y = c − x,  c = other        x̄ = −ȳ"""

    node = "RsubBackward1"

    @staticmethod
    def forward(x, *, other):
        return other - x

    @staticmethod
    def backward(ctx, grad):
        return -grad


@function(tensors=("input",))
def rsub(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`other - alpha·input`, element by element: what `1 - x` does.

    Args:
        input, other: tensors of shapes that broadcast to `S`; `other` may be a number.
        alpha: a factor for `input`.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> rsub(tensor([1.0, 2.0]), 1)
        tensor([ 0., -1.])
    """
    if alpha != 1:
        return Sub.apply(other, _scaled(input, alpha, other))
    if type(other) in (int, float) and input.dtype.kind == "f":
        return Rsub.apply(input, other=other)
    return Sub.apply(other, input)


class Mul(Multilinear, Elementwise):
    """z = x·y        x̄ = z̄·y,  ȳ = z̄·x"""

    saves = ("self", "other")
    saved_if = {"self": 1, "other": 0}
    ufunc = np.multiply

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return None if y is None else grad * y, None if x is None else grad * x


@op(Mul, aliases=("multiply",))
def mul(input: Operand, other: Operand) -> Tensor:
    """`input · other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.

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
    return Mul.apply(input, other)


class Div(Fractional):
    """z = x/y        x̄ = z̄/y,  ȳ = −z̄·x/y²"""

    saves = ("self", "other")
    saved_if = {"self": 1}
    ufunc = np.divide

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        quotient = grad / y
        return quotient, None if x is None else -quotient * (x / y)

    @staticmethod
    def jvp(ctx, dx, dy):
        """As PyTorch's: where y = 0 it is infinite, and the sum of two terms would be nan."""
        _, y = ctx.saved_tensors
        moved = None if dy is None else ctx.result * dy
        return (dx if moved is None else -moved if dx is None else dx - moved) / y


class DivRounded(Elementwise):
    """z = trunc(x/y)        x̄ = 0,  ȳ = 0

    Or ⌊x/y⌋, as `rounding_mode` says.
    """

    node = "DivBackward2"

    @staticmethod
    def forward(x, y, *, rounding_mode):
        check_kind(f'"div_{rounding_mode}_cpu"', x, "iuf", _NO_REST)
        check_divisor(y)
        if rounding_mode == "floor":
            return np.floor_divide(x, y)
        if x.dtype.kind == "f":
            return np.trunc(x / y)
        below = np.floor_divide(x, y)
        return below + ((below < 0) & (below * y != x))

    @staticmethod
    def backward(ctx, grad):
        return np.zeros_like(grad), np.zeros_like(grad)


_NO_REST = "Only integers and real fractions have a quotient without a rest. Write `x.float()`."


def check_divisor(y: Any) -> None:
    """Raise DTypeError if integers are to be divided by 0."""
    if y.dtype.kind in "iu" and np.any(y == 0):
        raise DTypeError(
            "ZeroDivisionError: integers were to be divided by 0, and none of them is infinite. "
            "Write `x.float()`, or `where(y == 0, 1, y)`."
        )


@op(Div, DivRounded, aliases=("divide", "true_divide"))
def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """`input / other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        rounding_mode: None: not at all. "trunc": towards 0, as C divides integers. "floor": down,
            as Python's `//` does.

    Returns:
        Tensor of shape `S`; two integers give the default dtype, rounded integers. What is
        rounded has gradient 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for a rounding mode that is none, or integers divided by 0 and rounded.

    Example:
        >>> div(tensor([1, 2]), 4)
        tensor([0.2500, 0.5000])
        >>> div(tensor([7, -7]), 2, rounding_mode="trunc")
        tensor([ 3, -3])

    See also: https://pytorch.org/docs/stable/generated/torch.div.html
    """
    if rounding_mode is None:
        return Div.apply(input, other)
    if rounding_mode not in ("trunc", "floor"):
        raise DTypeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"{rounding_mode!r}. It says which whole number is meant. Write 'floor', as `//`."
        )
    return DivRounded.apply(input, other, rounding_mode=rounding_mode)


class Neg(Linear, Elementwise):
    """y = −x        x̄ = −ȳ"""

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


@op(Neg, aliases=("negative",), numpy=(np.negative,))
def neg(input: Tensor) -> Tensor:
    """`-input`, element by element.

    Args:
        input: tensor of shape `S`, not bool.

    Returns:
        Tensor of shape `S` and the same dtype.

    Raises:
        DTypeError: for bool tensors.

    Example:
        >>> neg(tensor([1.0, -2.0]))
        tensor([-1.,  2.])
    """
    return Neg.apply(input)


@op(numpy=(np.positive,))
def positive(input: Tensor) -> Tensor:
    """`+input`: the tensor itself.

    Raises:
        DTypeError: for bool tensors.

    Example:
        >>> positive(tensor([1.0, -2.0]))
        tensor([ 1., -2.])
    """
    if input.dtype.kind == "b":
        raise DTypeError(
            "The `+` operator, on a bool tensor is not supported. A sign is a number's. Write "
            "`x.int()`."
        )
    return input


class Abs(Elementwise):
    """y = |x|        x̄ = ȳ·sgn x"""

    holomorphic = False  # |x| is not; this rule is right as it stands, with sgn x = x/|x|
    saves = ("self",)
    ufunc = np.absolute

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


@op(Abs, aliases=("absolute",), numpy=(np.fabs,))
def abs(input: Tensor) -> Tensor:
    """`|input|`, element by element.

    Args:
        input: real tensor of shape `S`.

    Returns:
        Tensor of shape `S`. At the kink 0 its subgradient 0 is used.

    Example:
        >>> abs(tensor([-1.0, 2.0]))
        tensor([1., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.abs.html
    """
    return Abs.apply(input)


class Sign(Flat):
    """y = sgn x        x̄ = 0"""

    @staticmethod
    def forward(x):
        check_kind("sign is", x, "biuf", "The direction of a complex number is `sgn(x)`.")
        return sign_of(x)


def sign_of(x: Any) -> Any:
    """The signs of real numbers, as PyTorch has them: 0 of nan, and a bool's is itself."""
    return np.copy(x) if x.dtype.kind == "b" else np.sign(np.where(np.isnan(x), 0, x))


@op(Sign, inplace_function=False)
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1, element by element; its gradient is 0. Bools are what they are.

    Example:
        >>> sign(tensor([-3.0, 0.0, 2.0]))
        tensor([-1.,  0.,  1.])
    """
    return Sign.apply(input)


class Addcmul(Elementwise):
    """z = x + c·a·b,  c = value        x̄ = z̄,  ā = z̄·c·b,  b̄ = z̄·c·a"""

    saves = ("tensor1", "tensor2")
    saved_at = {"tensor1": 1, "tensor2": 2}
    saved_if = {"tensor1": 2, "tensor2": 1}

    @staticmethod
    def forward(x, a, b, *, value):
        return x + value * (a * b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return (
            grad,
            None if b is None else grad * (ctx.value * b),
            None if a is None else grad * (ctx.value * a),
        )


@op(Addcmul, out=False)
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
    """z = x + c·a/b,  c = value        x̄ = z̄,  ā = z̄·c/b,  b̄ = −z̄·c·a/b²"""

    saves = ("tensor1", "tensor2")
    saved_at = {"tensor1": 1, "tensor2": 2}
    saved_if = {"tensor1": 2}

    @staticmethod
    def forward(x, a, b, *, value):
        return x + value * (a / b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        b_bar = None if a is None else -grad * (ctx.value * a / (b * b))
        return grad, grad * (ctx.value / b), b_bar


@op(Addcdiv, out=False)
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
    """z = x + w·(y − x)        x̄ = z̄·(1 − w),  ȳ = z̄·w"""

    @staticmethod
    def forward(x, y, *, weight):
        return _between(x, y, weight)

    @staticmethod
    def backward(ctx, grad):
        return grad * (1 - ctx.weight), grad * ctx.weight


class LerpTensor(Elementwise):
    """z = x + w·(y − x)        x̄ = z̄·(1 − w),  ȳ = z̄·w,  w̄ = z̄·(y − x)"""

    node = "LerpBackward1"
    saves = ("self", "end", "weight")

    @staticmethod
    def forward(x, y, weight):
        return _between(x, y, weight)

    @staticmethod
    def backward(ctx, grad):
        x, y, weight = ctx.saved_tensors
        return grad * (1 - weight), grad * weight, grad * (y - x)


def _between(x: Any, y: Any, weight: Any) -> Any:
    """Computed from the nearer end, as in PyTorch: exact at both."""
    near = np.abs(weight) < 0.5
    return np.where(near, x + weight * (y - x), y - (1 - weight) * (y - x))


@op(Lerp, LerpTensor, out=True)
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
    others = (end, weight) if isinstance(weight, Tensor) else (end,)
    for other in others:
        if other.dtype is not input.dtype:
            raise DTypeError(
                f"expected dtype {c_name(input.dtype)} for `end` and `weight` but got dtype "
                f"{c_name(other.dtype)}. They are mixed with the elements of the input. Write "
                "`end.to(input.dtype)`."
            )
    why = "A point between two integers is none. Write `x.float()`."
    check_kind('"lerp_kernel"', input, "fc", why)
    if isinstance(weight, Tensor):
        return LerpTensor.apply(input, end, weight)
    return Lerp.apply(input, end, weight=weight)


class Copysign(Fractional):
    """z = |x|·(1 − 2·[y < 0])        x̄ = z̄·z/x,  ȳ = 0

    The sign of y counts for a zero, too. An x of 0 gets no gradient.
    """

    saves = ("self", "result")
    ufunc = np.copysign

    @staticmethod
    def backward(ctx, grad):
        x, z = ctx.saved_tensors
        ratio = np.where(x == 0, 0, z / np.where(x == 0, 1, x))
        return grad * ratio, np.zeros_like(grad)


@op(Copysign, tensors=("input",))
def copysign(input: Tensor, other: Operand) -> Tensor:
    """The size of `input` with the sign of `other`, element by element.

    Args:
        input, other: real tensors of shapes that broadcast to `S`; `other` may be a number.

    Returns:
        Tensor of shape `S`; integers become the default dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for complex numbers.

    Example:
        >>> copysign(tensor([1.0, -2.0]), tensor([-0.0, 3.0]))
        tensor([-1.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.copysign.html
    """
    return Copysign.apply(input, other)


class Gcd(Predicate):
    """z = gcd(x, y)"""

    ufunc = np.gcd

    @staticmethod
    def forward(x, y):
        check_kind('"gcd_cpu"', x, "iu", "Only integers have divisors. Write `x.long()`.")
        return np.gcd(x, y)


@op(Gcd, out=True, inplace=True, inplace_function=True, tensors=("input", "other"))
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, element by element.

    Args:
        input, other: integer tensors of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`, of the promoted dtype; gcd(0, 0) is 0.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for other dtypes.

    Example:
        >>> gcd(tensor([5, 10, 15]), tensor([3, 4, 5]))
        tensor([1, 2, 5])
    """
    return Gcd.apply(input, other)


class Lcm(Predicate):
    """z = lcm(x, y)"""

    ufunc = np.lcm

    @staticmethod
    def forward(x, y):
        check_kind('"lcm_cpu"', x, "iu", "Only integers have multiples. Write `x.long()`.")
        return np.lcm(x, y)


@op(Lcm, out=True, inplace=True, inplace_function=True, tensors=("input", "other"))
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple, element by element; see `gcd`.

    Example:
        >>> lcm(tensor([5, 10, 15]), tensor([3, 4, 5]))
        tensor([15, 20, 15])
    """
    return Lcm.apply(input, other)
