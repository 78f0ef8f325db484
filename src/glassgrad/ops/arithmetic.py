"""Arithmetic, of real and complex numbers: sums, products, quotients, sizes and signs, parts.

Gradients of complex numbers are PyTorch's: ȳ·conj(f'(x)) where f has a derivative, and a real
operand's is real.
"""

import builtins
from typing import Any

import numpy as np

from glassgrad.core.errors import DTypeError, ShapeError
from glassgrad.core.primitive import as_operator, constant
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import as_view
from glassgrad.values.dtypes import Number, bool_, dtype_of_number

from . import _checks as check
from ._arguments import Operand, turned
from ._checks import c_name, scalar_name
from ._declaring import (
    METHODS,
    attribute,
    function,
    in_numpys_order,
    of_numpy,
    op,
    operators,
    plain,
)
from ._families import (
    Elementwise,
    Flat,
    Fractional,
    Linear,
    Moved,
    Multilinear,
    Predicate,
    Symmetric,
    Transposed,
    by_call,
)
from ._rules import run, total
from .conversion import Contiguous, reread

# Sums and products --------------------------------------------------------------------------------


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


class AddScaled(Elementwise):
    """z = x + alpha·y        x̄ = z̄,  ȳ = alpha·z̄"""

    node = "AddBackward0"

    @staticmethod
    def forward(x, y, *, alpha):
        return x + _times(alpha, y)

    @staticmethod
    def backward(ctx, grad):
        return grad, None if ctx.edges[1] is None else grad * ctx.alpha


@op(Add, AddScaled, factor="alpha")
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
    if _is_scaled(alpha, input, other):
        return AddScaled.apply(input, other, alpha=alpha)
    return Add.apply(input, other)


def _is_scaled(alpha: Number, *operands: Operand) -> bool:
    """Whether a sum has a factor. It must be one that the result can hold."""
    if alpha == 1 and alpha is not True:
        return False
    kinds = {
        (each.dtype if isinstance(each, Tensor) else dtype_of_number(each)).kind
        for each in operands
    }
    why = "A factor becomes an element of the result. Write `mul(other, alpha)`, of its dtype."
    if alpha is True and kinds - {"b"}:
        raise DTypeError(f"Boolean alpha only supported for Boolean results, got {alpha}. {why}")
    if isinstance(alpha, builtins.complex) and "c" not in kinds:
        raise DTypeError(
            "For non-complex input tensors, argument alpha must not be a complex number, got "
            f"{alpha}. {why}"
        )
    if isinstance(alpha, float) and not kinds & {"f", "c"}:
        raise DTypeError(
            "For integral input tensors, argument alpha must not be a floating point number, got "
            f"{alpha}. {why}"
        )
    return True


def _times(alpha: Number, array: Any) -> Any:
    """`alpha·array`, of its dtype."""
    check.number(array.dtype, alpha)
    return array * constant(alpha, array.dtype)[()]


class _Subtracting(Elementwise):
    no_bools = (
        "Subtraction, the `-` operator, with {} is not supported. True - True has no bool meaning "
        "here. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead;"
        " for two masks, `^` or `logical_xor()`."
    )


class Sub(_Subtracting):
    """z = x − y        x̄ = z̄,  ȳ = −z̄"""

    ufunc = np.subtract

    @staticmethod
    def backward(ctx, grad):
        return grad, None if ctx.edges[1] is None else -grad

    @staticmethod
    @by_call
    def jvp(ctx, dx, dy):
        return dx if dy is None else -dy if dx is None else dx - dy


class SubScaled(_Subtracting):
    """z = x − alpha·y        x̄ = z̄,  ȳ = −alpha·z̄"""

    node = "SubBackward0"

    @staticmethod
    def forward(x, y, *, alpha):
        return x - _times(alpha, y)

    @staticmethod
    def backward(ctx, grad):
        return grad, None if ctx.edges[1] is None else -grad * ctx.alpha


@op(Sub, SubScaled, aliases=("subtract",), factor="alpha")
def sub(input: Tensor, other: Operand, *, alpha: float = 1) -> Tensor:
    """`input - alpha·other`, element by element.

    Args:
        input, other: tensors of shapes that broadcast to `S`, or one of them a number.
        alpha: a factor for `other`.

    Returns:
        Tensor of shape `S`, of the promoted dtype.

    Raises:
        ShapeError: if the shapes do not broadcast.
        DTypeError: for bool tensors.

    Example:
        >>> sub(tensor([1.0, 2.0]), tensor(1.0))
        tensor([0., 1.])

    See also: https://pytorch.org/docs/stable/generated/torch.sub.html
    """
    if _is_scaled(alpha, input, other):
        return SubScaled.apply(input, other, alpha=alpha)
    return Sub.apply(input, other)


class Rsub(Elementwise):
    """y = c − x,  c = other        x̄ = −ȳ"""

    node = "RsubBackward1"

    @staticmethod
    def forward(x, *, other):
        return other - x

    @staticmethod
    def backward(ctx, grad):
        return -grad


class RsubTensor(_Subtracting):
    """z = y − alpha·x        x̄ = −alpha·z̄,  ȳ = z̄"""

    node = "RsubBackward0"

    @staticmethod
    def forward(x, y, *, alpha):
        return y - _times(alpha, x)

    @staticmethod
    def backward(ctx, grad):
        return None if ctx.edges[0] is None else -grad * ctx.alpha, grad


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
    is_scaled = _is_scaled(alpha, input, other)
    if type(other) in (int, float) and input.dtype.kind in "fc" and not is_scaled:
        return Rsub.apply(input, other=other)
    return RsubTensor.apply(input, other, alpha=alpha)


class Mul(Multilinear, Elementwise):
    """z = x·y        x̄ = z̄·y,  ȳ = z̄·x"""

    saves = ("self", "other")
    saved_if = {"self": 1, "other": 0}
    ufunc = np.multiply

    @staticmethod
    def backward(ctx, grad):  # not `gradient`: one call less
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


class Div(Fractional):
    """z = x/y        x̄ = z̄/y,  ȳ = −z̄·x/y²"""

    saved_if = {"self": 1}
    ufunc = np.divide

    @staticmethod
    def gradient(grad, x, y):
        quotient = grad / y
        return quotient, None if x is None else -quotient * (x / y)

    @staticmethod
    def jvp(ctx, dx, dy):
        """As PyTorch's: where y = 0 it is infinite, and the sum of two terms would be nan."""
        _, y = ctx.saved_tensors
        moved = None if dy is None else ctx.result * dy
        return (dx if moved is None else -moved if dx is None else dx - moved) / y


class DivRounded(Flat):
    """z = trunc(x/y)        x̄ = 0,  ȳ = 0

    Or ⌊x/y⌋, as `rounding_mode` says.
    """

    node = "DivBackward2"

    @staticmethod
    def forward(x, y, *, rounding_mode):
        check.kernel(f'"div_{rounding_mode}_cpu"', x, "iuf", _NO_REST)
        check_divisor(y)
        if rounding_mode == "floor":
            return np.floor_divide(x, y)
        if x.dtype.kind == "f":
            return np.trunc(x / y)
        below = np.floor_divide(x, y)
        return below + ((below < 0) & (below * y != x))


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
    said = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {!r}"
    why = "It says which whole number is meant. Write 'floor', as `//`."
    check.choice(said, rounding_mode, ("trunc", "floor"), why, DTypeError)
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


@op(numpy=(np.positive,))
def positive(input: Tensor) -> Tensor:
    """`+input`: the tensor itself.

    Raises:
        DTypeError: for bool tensors.

    Example:
        >>> positive(tensor([1.0, -2.0]))
        tensor([ 1., -2.])
    """
    said = "The `+` operator, on a bool tensor is not supported"
    check.dtype(said, input, "iufc", "A sign is a number's. Write `x.int()`.")
    return input


class Abs(Elementwise):
    """y = |x|        x̄ = ȳ·sgn x"""

    kernel, kinds = "abs_cpu", "iufc"
    holomorphic = False  # |x| is not; this rule is right as it stands, with sgn x = x/|x|
    ufunc = np.absolute

    @staticmethod
    def gradient(grad, x):
        return grad * direction(x)

    @staticmethod
    def tangent(dx, x):
        return np.real(np.conj(direction(x)) * dx)


def direction(x: Any) -> Any:
    """The signs of real numbers; x/|x| of complex ones: 0 of 0, where it does not move either."""
    if x.dtype.kind != "c":
        return sign_of(x)
    length = np.abs(x)
    return np.where(length == 0, 0, x / np.where(length == 0, 1, length))


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


class Sign(Flat):
    """y = sgn x        x̄ = 0"""

    @staticmethod
    def forward(x):
        check.kernel("sign is", x, "biuf", "The direction of a complex number is `sgn(x)`.")
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


class Addcmul(Elementwise):
    """z = x + c·a·b,  c = value        x̄ = z̄,  ā = z̄·c·b,  b̄ = z̄·c·a"""

    kernel, kinds = "addcmul_cpu_out", "iufc"
    saves = ("tensor1", "tensor2")
    saved_at = {"tensor1": 1, "tensor2": 2}
    saved_if = {"tensor1": 2, "tensor2": 1}

    @staticmethod
    def forward(x, a, b, *, value):
        return x + _times(value, a * b)

    @staticmethod
    def gradient(grad, a, b, *, value):
        return (
            grad,
            None if b is None else grad * (value * b),
            None if a is None else grad * (value * a),
        )


@op(Addcmul, tensors=("input", "tensor1", "tensor2"), factor="value")
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


class Addcdiv(Elementwise):
    """z = x + c·a/b,  c = value        x̄ = z̄,  ā = z̄·c/b,  b̄ = −z̄·c·a/b²"""

    saves = ("tensor1", "tensor2")
    saved_at = {"tensor1": 1, "tensor2": 2}
    saved_if = {"tensor1": 2}

    @staticmethod
    def forward(x, a, b, *, value):
        return x + value * (a / b)

    @staticmethod
    def gradient(grad, a, b, *, value):
        b_bar = None if a is None else -grad * (value * a / (b * b))
        return grad, grad * (value / b), b_bar


@op(Addcdiv, tensors=("input", "tensor1", "tensor2"), factor="value")
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
    saved_if = {"self": 2, "end": 2}

    @staticmethod
    def forward(x, y, weight):
        return _between(x, y, weight)

    @staticmethod
    def gradient(grad, x, y, weight):
        return grad * (1 - weight), grad * weight, None if x is None else grad * (y - x)


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
        said = "expected dtype {} for `end` and `weight` but got dtype {}"
        check.one_dtype(input, other, said, "They are mixed", c_name)
    check.kernel('"lerp_kernel"', input, "fc")
    if isinstance(weight, Tensor):
        return LerpTensor.apply(input, end, weight)
    return Lerp.apply(input, end, weight=weight)


class Copysign(Fractional):
    """z = |x|·(1 − 2·[y < 0])        x̄ = z̄·z/x,  ȳ = 0

    The sign of y counts for a zero, too. An x of 0 gets no gradient.
    """

    ufunc = np.copysign
    saved_if = {"self": 0}

    @staticmethod
    def gradient(grad, x, z):
        if x is None:
            return None, np.zeros_like(grad)
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


class Gcd(Predicate):
    """z = gcd(x, y)"""

    ufunc = np.gcd
    kernel, kinds = "gcd_cpu", "iu"


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


class Lcm(Predicate):
    """z = lcm(x, y)"""

    ufunc = np.lcm
    kernel, kinds = "lcm_cpu", "iu"


@op(Lcm, out=True, inplace=True, inplace_function=True, tensors=("input", "other"))
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple, element by element; see `gcd`.

    Example:
        >>> lcm(tensor([5, 10, 15]), tensor([3, 4, 5]))
        tensor([15, 20, 15])
    """


# Two numbers in one -------------------------------------------------------------------------------


class Complex(Transposed, Elementwise):
    """z = complex(x, y)        dz = complex(dx, dy)        x̄ = Re z̄,  ȳ = Im z̄"""

    changes_dtype = True
    holomorphic = False
    saves = ("real", "imag")
    saved_at = saved_if = {"real": 0, "imag": 1}

    @staticmethod
    def forward(x, y):
        return _joined(x, y)

    @staticmethod
    def backward(ctx, grad):
        return np.real(grad), np.imag(grad)


def _joined(x: Any, y: Any) -> Any:
    """The numbers x + i·y, whose parts are just these: i·∞ would have nan as its real part."""
    pairs = np.stack(np.broadcast_arrays(x, y), -1)
    return reread(pairs, _complex_of(pairs.dtype))[..., 0]


def _complex_of(dtype: Any) -> Any:
    """The dtype of complex numbers whose parts have the given one."""
    return np.result_type(dtype, np.complex64)


@op(Complex, is_method=False, inplace=False, tensors=("real", "imag"), out_exact=True)
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """`real + i·imag`, element by element.

    Args:
        real, imag: float32 or float64 tensors of one dtype, of shapes that broadcast to `S`.

    Returns:
        Tensor of shape `S`: complex64 of float32, complex128 of float64.

    Raises:
        DTypeError: for other dtypes, or if they differ.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> complex(tensor([1.0, 2.0]), tensor([3.0, 4.0]))
        tensor([1.+3.j, 2.+4.j])

    See also: https://pytorch.org/docs/stable/generated/torch.complex.html
    """
    _check_parts(real, imag)
    return Complex.apply(real, imag)


class Polar(Transposed, Elementwise):
    """z = complex(r·cos t, r·sin t)
    dz = dr·sgn z + dt·z·complex(0, 1)
    r̄ = Re(conj(z̄)·sgn z)
    t̄ = Re(conj(z̄)·z·complex(0, 1))
    """

    changes_dtype = True
    holomorphic = False

    @staticmethod
    def forward(r, t):
        return _joined(r * np.cos(t), r * np.sin(t))

    @staticmethod
    def gradient(grad, z):
        rotated = np.conj(grad)
        return np.real(rotated * run(Sgn, z)), np.real(rotated * (z * 1j))


@op(Polar, is_method=False, inplace=False, tensors=("abs", "angle"), out_exact=True)
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """The complex numbers of given lengths and angles, element by element.

    Args:
        abs, angle: float32 or float64 tensors of one dtype, of shapes that broadcast to `S`;
            angles in radians.

    Returns:
        Tensor of shape `S`: complex64 of float32, complex128 of float64.

    Raises:
        DTypeError: for other dtypes, or if they differ.
        ShapeError: if the shapes do not broadcast.

    Example:
        >>> polar(tensor([1.0, 2.0]), tensor([0.0, 0.0]))
        tensor([1.+0.j, 2.+0.j])

    See also: https://pytorch.org/docs/stable/generated/torch.polar.html
    """
    _check_parts(abs, angle)
    return Polar.apply(abs, angle)


def _check_parts(first: Tensor, second: Tensor) -> None:
    dtypes = [scalar_name(x.dtype) for x in (first, second)]
    if any(name not in ("Half", "Float", "Double") for name in dtypes):
        raise DTypeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {dtypes[0]} and "
            f"{dtypes[1]}. They are the parts of complex numbers. Write `x.float()`."
        )
    if "Half" in dtypes:
        raise DTypeError(
            "Half tensors would be the parts of complex32 numbers, and NumPy has no such dtype. "
            "Write `x.float()`, for complex64."
        )
    said = "Expected object of scalar type {} but got scalar type {} for second argument"
    check.one_dtype(first, second, said, "Both parts of a number are")


class ViewAsReal(Moved):
    """y = view_as_real x        x̄ = view_as_complex ȳ"""

    holomorphic = False
    views = True

    @staticmethod
    def forward(x):
        return reread(x[..., None], np.real(x).dtype)

    @staticmethod
    def backward(ctx, grad):
        return run(ViewAsComplex, run(Contiguous, grad))


class ViewAsComplex(Moved):
    """y = view_as_complex x        x̄ = view_as_real ȳ"""

    holomorphic = False
    views = True

    @staticmethod
    def forward(x):
        return reread(x, _complex_of(x.dtype))[..., 0]

    @staticmethod
    def backward(ctx, grad):
        return run(ViewAsReal, grad)

    @classmethod
    @by_call
    def jvp(cls, ctx, dx):
        """A tangent may lie in memory in another way than x."""
        return run(cls, run(Contiguous, dx))


@op(ViewAsReal, is_method=False)
def view_as_real(input: Tensor) -> Tensor:
    """The real and the imaginary parts of complex numbers, side by side.

    Args:
        input: complex tensor of shape `S`.

    Returns:
        A view of shape `(*S, 2)`, real.

    Raises:
        DTypeError: for real tensors.

    Example:
        >>> view_as_real(tensor([1 + 2j, 3 + 4j]))
        tensor([[1., 2.],
                [3., 4.]])

    See also: https://pytorch.org/docs/stable/generated/torch.view_as_real.html
    """
    said = "view_as_real is only supported for complex tensors, got {dtype}"
    check.dtype(said, input, "c", "Real numbers have one part. Write `x.unsqueeze(-1)`.")
    return as_view(ViewAsReal.apply(input), input)


@op(ViewAsComplex, is_method=False)
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of real numbers as complex ones: the inverse of `view_as_real`.

    Args:
        input: real tensor of shape `(*S, 2)`, whose pairs lie side by side in memory.

    Returns:
        A view of shape `S`, complex.

    Raises:
        DTypeError: for integers and complex numbers.
        ShapeError: if there are no pairs, or they do not lie so in memory.

    Example:
        >>> view_as_complex(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([1.+2.j, 3.+4.j])

    See also: https://pytorch.org/docs/stable/generated/torch.view_as_complex.html
    """
    if input.dtype.kind != "f" or input.dtype.itemsize < 4:
        raise DTypeError(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {scalar_name(input.dtype)}. Of half there would be complex32, "
            "which NumPy has not. Write `x.float()`."
        )
    wrong = _why_no_pairs(input)
    if wrong:
        raise ShapeError(
            f"{wrong}, got shape {list(input.shape)} and strides {list(input.stride())}. Two "
            "neighbours in memory become one number. Write "
            "`view_as_complex(stack([x, y], -1))`, or `complex(x, y)`."
        )
    return as_view(ViewAsComplex.apply(input), input)


def _why_no_pairs(input: Tensor) -> str:
    """What keeps a tensor from being seen as complex numbers; empty if nothing does."""
    if not input.ndim:
        return "Input tensor must have one or more dimensions"
    if input.shape[-1] != 2:
        return "Tensor must have a last dimension of size 2"
    *others, last = input.stride()
    if last != 1:
        return "Tensor must have a last dimension with stride 1"
    if any(step % 2 for step in others):
        return "Tensor must have a stride divisible by 2 for all but last dimension"
    return "Tensor must have a storage_offset divisible by 2" if input.storage_offset() % 2 else ""


# One of both --------------------------------------------------------------------------------------


@attribute(assigned=True)
@op(is_method=False, numpy=(np.real,))
def real(input: Tensor) -> Tensor:
    """The real parts, element by element; `x.real` is the same.

    Args:
        input: tensor of shape `S`.

    Returns:
        A view of shape `S`, real; a real tensor itself.

    Example:
        >>> real(tensor([1 + 2j]))
        tensor([1.])

    See also: https://pytorch.org/docs/stable/generated/torch.real.html
    """
    return view_as_real(input).select(-1, 0) if input.dtype.kind == "c" else input


@attribute(assigned=True)
@op(is_method=False)
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, element by element; `x.imag` is the same.

    Args:
        input: complex tensor of shape `S`.

    Returns:
        A view of shape `S`, real.

    Raises:
        DTypeError: for real tensors.

    Example:
        >>> imag(tensor([1 + 2j]))
        tensor([2.])

    See also: https://pytorch.org/docs/stable/generated/torch.imag.html
    """
    said = "imag is not implemented for tensors with non-complex dtypes"
    why = f"The imaginary part of a real number is 0, got {input.dtype}. Write `zeros_like(x)`."
    check.dtype(said, input, "c", why)
    return view_as_real(input).select(-1, 1)


@of_numpy(np.imag)
def _numpy_imag(val: Tensor) -> Tensor:
    return imag(val) if val.dtype.kind == "c" else val * 0


@op()
def isreal(input: Tensor) -> Tensor:
    """Which elements have no imaginary part; all of a real tensor.

    Example:
        >>> isreal(tensor([1 + 0j, 1j]))
        tensor([ True, False])
    """
    if input.dtype.kind != "c":
        return input.new_ones(input.shape, dtype=bool_)
    return imag(input) == 0


class Conj(Linear, Elementwise):
    """y = conj x        x̄ = conj ȳ"""

    node = "ConjPhysicalBackward0"
    holomorphic = False
    ufunc = np.conjugate

    @staticmethod
    def forward(x):
        return np.conjugate(x) if x.dtype.kind != "b" else np.copy(x)  # of bools NumPy makes int8

    @staticmethod
    def backward(ctx, grad):
        return np.conj(grad)


@op(Conj, out=False, inplace=False)
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, element by element; a real tensor is its own.

    Args:
        input: tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype.

    Example:
        >>> conj(tensor([1 + 2j]))
        tensor([1.-2.j])

    See also: https://pytorch.org/docs/stable/generated/torch.conj.html
    """
    return Conj.apply(input) if input.dtype.kind == "c" else input


@op(Conj)
def conj_physical(input: Tensor) -> Tensor:
    """`conj`, which is not put off here: PyTorch's name for that.

    Example:
        >>> conj_physical(tensor([1 + 2j]))
        tensor([1.-2.j])
    """
    return conj(input)


@op(aliases=("resolve_neg",))
def resolve_conj(input: Tensor) -> Tensor:
    """`input` itself: `conj` conjugates at once here, so there is nothing left to do.

    Example:
        >>> resolve_conj(tensor([1 + 2j]).conj())
        tensor([1.-2.j])
    """
    return input


# Lengths and directions ---------------------------------------------------------------------------


class Angle(Transposed, Elementwise):
    """y = atan2(Im x, Re x)        x̄ = 0

    So for real numbers: their angle is 0 or π. The gradient of a complex one is ȳ·i·x/|x|², across
    its direction.
    """

    holomorphic = False
    floating = True

    @staticmethod
    def forward(x):
        if x.dtype.kind == "c":
            return np.angle(x)
        ahead = np.zeros_like(x)
        return np.where(np.isnan(x), x, np.where(x < 0, ahead + np.pi, ahead))

    @staticmethod
    def gradient(grad, x):
        return grad * _turning(x) if x.dtype.kind == "c" else np.zeros_like(grad)

    @classmethod
    def jvp(cls, ctx, dx):
        """0 for real numbers, of which backward depends on nothing."""
        moved = super().jvp(ctx, dx)
        return np.zeros_like(dx) if moved is None else moved


def _turning(x: Any) -> Any:
    """i·x/|x|²: where to, and how little, x moves to turn by 1; 0 of 0."""
    square = np.real(x * np.conj(x))
    return np.where(square == 0, 0, x * 1j / np.where(square == 0, 1, square))


@op(Angle, inplace=False)
def angle(input: Tensor) -> Tensor:
    """The angle of complex numbers in radians, element by element.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, real: from -π to π; of real numbers π below 0, else 0.

    Example:
        >>> angle(tensor([1j, -1 + 0j]))
        tensor([1.5708, 3.1416])

    See also: https://pytorch.org/docs/stable/generated/torch.angle.html
    """


in_numpys_order(np.angle, angle)


class Sgn(Symmetric, Elementwise):
    """y = sgn x        x̄ = (ȳ − y·Re(conj(ȳ)·y))/|x| if x ≠ 0 else 0"""

    holomorphic = False

    @staticmethod
    def forward(x):
        return direction(x) if x.dtype.kind == "c" else sign_of(x)

    @staticmethod
    def gradient(grad, x, y):
        """Only what is across the direction turns it."""
        if x.dtype.kind != "c":
            return np.zeros_like(grad)
        length = np.abs(x)
        across = grad - y * np.real(np.conj(grad) * y)
        return np.where(length == 0, 0, across / np.where(length == 0, 1, length))


@op(Sgn, inplace_function=False, numpy=(np.sign,))
def sgn(input: Tensor) -> Tensor:
    """The direction of complex numbers, x/|x|, element by element; of real ones the sign.

    Args:
        input: tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype; 0 where `input` is 0.

    Example:
        >>> sgn(tensor([3 + 4j, 0j]))
        tensor([0.6000+0.8000j, 0.0000+0.0000j])

    See also: https://pytorch.org/docs/stable/generated/torch.sgn.html
    """


# Matrices transposed and conjugated --------------------------------------------------------------


@attribute()
def mH(input: Tensor) -> Tensor:  # noqa: N802  # PyTorch's name
    """`x.mH`: each matrix of a batch transposed, and its elements conjugated; see `mT`.

    Example:
        >>> tensor([[1j, 2]]).mH
        tensor([[0.-1.j],
                [2.-0.j]])
    """
    return conj(turned("tensor.mH", input))


@attribute()
def H(input: Tensor) -> Tensor:  # noqa: N802  # PyTorch's name
    """`x.H`: a matrix transposed, and its elements conjugated; a 0-d tensor is conjugated.

    Example:
        >>> tensor([[1j, 2]]).H.shape
        glassgrad.Size([2, 1])
    """
    said = "tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor"
    check.ndim(said, input, (0, 2), "Write `x.mH` for a batch of matrices.")
    return conj(turned("tensor.H", input))


@op()
def adjoint(input: Tensor) -> Tensor:
    """Each matrix of a batch transposed, and its elements conjugated.

    Args:
        input: tensor of shape `(…, n, m)`.

    Returns:
        Tensor of shape `(…, m, n)`; of real numbers a view.

    Raises:
        ShapeError: if it has fewer than two dims.

    Example:
        >>> adjoint(tensor([[1, 2]]))
        tensor([[1],
                [2]])
    """
    return conj(turned("tensor.adjoint()", input))


# What operators call; others are declared as `sign`s ----------------------------------------------


def _reciprocal_times(input: Tensor, other: Operand) -> Tensor:
    return Mul.apply(input.reciprocal(), other)


operators(
    add=Add,
    radd=Add,
    iadd=as_operator(METHODS["add_"]),
    sub=Sub,
    rsub=rsub,
    isub=as_operator(METHODS["sub_"]),
    mul=Mul,
    rmul=Mul,
    imul=as_operator(METHODS["mul_"]),
    truediv=Div,
    pos=positive,
    rtruediv=_reciprocal_times,
    itruediv=as_operator(METHODS["div_"]),
    neg=plain(neg),  # of one operand, the door expects a function of ours before it
    abs=plain(abs),
)
