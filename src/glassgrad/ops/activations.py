"""Nonlinearities: relu and its kin, sigmoid and its kin, and softmax with its logarithm.

Most are functions of `nn.functional` alone. `inplace=True` and names with an underscore follow
from their declarations.
"""

import math
from typing import Any

import numpy as np

from glassgrad import ops
from glassgrad.core.errors import DTypeError, RangeError, ShapeError
from glassgrad.core.primitive import silently
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn
from glassgrad.values.backend import in_rows, kept
from glassgrad.values.dtypes import as_dtype

from . import _checks as check
from ._arguments import wrap_dim
from ._declaring import function, functional, op
from ._families import AlongLine, Elementwise, Symmetric
from ._rules import by_steps, run

_MANY = 4096  # elements: from here on it pays to make zeros


class Relu(Elementwise):
    """y = max(x, 0)        x̄ = ȳ·[y > 0]"""

    kernel, kinds = "clamp", "biuf"

    @staticmethod
    def forward(x):
        if x.dtype.kind == "b":
            raise DTypeError(
                "Boolean inputs not supported for relu. False and True are what they are. "
                "Write `x.float().relu()`."
            )
        # With zeros in rows NumPy is several times as fast as with a number.
        return np.maximum(x, np.zeros_like(x, shape=x.shape[1:]) if np.size(x) > _MANY else 0)

    @staticmethod
    def gradient(grad, y):
        if isinstance(y, Tensor) or isinstance(grad, Tensor):
            return ThresholdBackward.apply(grad, y, threshold=0)
        return kept(grad, y)  # nan lets the gradient pass, as in PyTorch


class ThresholdBackward(Elementwise):
    """z = x·[y > t]        x̄ = z̄·[y > t],  ȳ = 0

    The gradient of relu and threshold. It depends on y, if only by steps: its own gradient is 0,
    not missing.
    """

    saves = ("self",)
    saved_at = {"self": 1}

    @staticmethod
    def forward(x, y, *, threshold):
        return np.where(y <= threshold, 0, x)

    @staticmethod
    def gradient(grad, y, *, threshold):
        return np.where(y <= threshold, 0, grad), np.zeros_like(grad)


@op(Relu, out=False, aliases=("nn.functional.relu",), inplace_function=True, inplace_flag=True)
def relu(input: Tensor) -> Tensor:
    """`max(input, 0)`, element by element.

    Args:
        input: real tensor of shape `S`.

    Returns:
        Tensor of shape `S` and the same dtype. At the kink 0 its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> relu(tensor([-1.0, 2.0]))
        tensor([0., 2.])

    See also: https://pytorch.org/docs/stable/generated/torch.relu.html
    """


class Threshold(Elementwise):
    """y = x if x > t else v        x̄ = ȳ·[x > t]"""

    @staticmethod
    def forward(x, *, threshold, value):
        why = "False and True are what they are. Write `threshold(x.float(), …)`."
        check.kernel("threshold is", x, "iuf", why)
        if x.dtype.kind in "iu":  # these have no fractions: neither have the numbers
            threshold, value = int(threshold), int(value)
            check.number(x.dtype, threshold)
            check.number(x.dtype, value)
        return np.where(x <= threshold, value, x)  # nan stays

    @staticmethod
    def gradient(grad, x, *, threshold):
        return run(ThresholdBackward, grad, x, threshold=threshold)


@function(
    Threshold,
    aliases=("nn.functional.threshold",),
    inplace=True,
    inplace_function=True,
    inplace_flag=True,
)
def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """`input` where it is larger than `threshold`, `value` elsewhere.

    Args:
        input: real tensor of shape `S`.
        threshold, value: numbers.

    Returns:
        Tensor of shape `S` and the same dtype. At `threshold` its subgradient 0 is used.

    Raises:
        DTypeError: for bools.

    Example:
        >>> threshold(tensor([0.2, 0.7]), 0.5, 0.0)
        tensor([0.0000, 0.7000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.threshold.html
    """


class LeakyRelu(Elementwise):
    """y = x if x > 0 else a·x,  a = negative_slope        x̄ = ȳ if x > 0 else a·ȳ"""

    kernel = "leaky_relu_cpu"

    @staticmethod
    def forward(x, *, negative_slope):
        return np.maximum(x, 0) + np.minimum(x, 0) * negative_slope

    @staticmethod
    def gradient(grad, x, *, negative_slope):
        if 0 <= negative_slope <= 1:
            return grad * np.maximum(np.sign(x), negative_slope)
        return by_steps(np.where(x > 0, grad, grad * negative_slope), x)


@functional(LeakyRelu, inplace_function=True, inplace_flag=True)
def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`input` where it is positive, a small part of it elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        negative_slope: which part.

    Returns:
        Tensor of shape `S`. At the kink 0 the slope is `negative_slope`.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> leaky_relu(tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu.html
    """


@function(aliases=("nn.functional.rrelu",), inplace_function=True, inplace_flag=True)
def rrelu(
    input: Tensor, lower: float = 0.125, upper: float = 1 / 3, training: bool = False
) -> Tensor:
    """`leaky_relu` whose slope is drawn for each negative element.

    Args:
        input: floating-point tensor of shape `S`.
        lower, upper: between which numbers; their mean is the slope outside of training.
        training: whether slopes are drawn.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if `lower` is larger than `upper`.

    Example:
        >>> rrelu(tensor([-8.0, 2.0]), 0.25, 0.75)
        tensor([-4.,  2.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.rrelu.html
    """
    if not lower <= upper:
        raise RangeError(
            f"Lower bound should be less than or equal to the upper bound, got {lower} and "
            f"{upper}. Slopes are drawn between them. Swap the two."
        )
    if not training:
        return LeakyRelu.apply(input, negative_slope=(lower + upper) / 2)
    check.kernel('"rrelu_with_noise_out_cpu"', input)
    slopes = _uniform_like(input) * (upper - lower) + lower
    return (input * slopes).where(input <= 0, input)


def _uniform_like(x: Tensor) -> Tensor:
    return ops.rand(x.shape, dtype=x.dtype, device=x.device)


class PreluKernel(Elementwise):
    """z = x if x > 0 else w·x        x̄ = z̄ if x > 0 else w·z̄,  w̄ = 0 if x > 0 else x·z̄"""

    saves = ("self", "weight")

    @staticmethod
    def forward(x, weight):
        return np.where(x > 0, x, weight * x)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        wants_x, wants_weight = ctx.needs_input_grad
        by_x = by_steps(np.where(x > 0, grad, grad * weight), x) if wants_x else None
        return by_x, np.where(x > 0, 0, grad * x) if wants_weight else None


@op(PreluKernel, aliases=("nn.functional.prelu",), out=False, inplace=False)
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """`leaky_relu` with a learned slope, one for all or one for each channel.

    Args:
        input: floating-point tensor of shape `(N, C, d…)`; of any shape for a single slope.
        weight: the slopes, of shape `(C,)`, `(1,)` or `()`.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        DTypeError: if the dtypes differ, or are not floating-point.
        ShapeError: if there is not one slope for each channel.

    Example:
        >>> prelu(tensor([[-1.0, -1.0]]), tensor([0.5, 0.25]))
        tensor([[-0.5000, -0.2500]])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.prelu.html
    """
    said = "prelu: Type promoting not supported. Got {} and {}"
    check.one_dtype(input, weight, said, "Slopes multiply the input", called="weight")
    check.kernel('"prelu_cpu"', input)
    said = "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {ndim}"
    check.ndim(said, weight, (0, 1), "A channel has one slope. Write `weight.reshape(-1)`.")
    if weight.numel() == 1:
        is_fit = weight.ndim == input.ndim
        return PreluKernel.apply(input, weight if is_fit else weight.reshape((1,) * input.ndim))
    why = f"It has no channels for {weight.numel()} slopes. Give one slope."
    check.ndim("Not allow zero-dim input tensor", input, 1, why)
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.numel() != channels:
        raise ShapeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{weight.numel()} and channel size = {channels}. Channels lie along dim 1. Give one "
            "slope for each, or one for all."
        )
    return PreluKernel.apply(input, weight.reshape(1, -1, *(1,) * (input.ndim - 2)))


class Hardtanh(Elementwise):
    """y = min(max(x, a), b),  a = min_val,  b = max_val        x̄ = ȳ if a < x < b else 0"""

    kernel, kinds = "clamp", "iuf"

    @staticmethod
    def forward(x, *, min_val, max_val):
        return np.minimum(np.maximum(x, min_val), max_val)

    @staticmethod
    def gradient(grad, x, *, min_val, max_val):
        return by_steps(np.where((x <= min_val) | (x >= max_val), 0, grad), x)


@functional(Hardtanh, inplace_function=True, inplace_flag=True)
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`input`, cut off at two bounds.

    Args:
        input: real tensor of shape `S`.
        min_val, max_val: the bounds.

    Returns:
        Tensor of shape `S` and the same dtype. At the bounds the subgradient 0 is used.

    Raises:
        DTypeError: for bools, and for unsigned integers with a negative bound.
        RangeError: if `min_val` is larger than `max_val`.

    Example:
        >>> hardtanh(tensor([-2.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardtanh.html
    """
    if min_val > max_val:
        raise RangeError(
            f"min_val cannot be greater than max_val, got {min_val} and {max_val}. Nothing is "
            "between them. Swap the two."
        )
    kind = input.payload.dtype.kind
    if kind in "bu" and (kind == "b" or min_val < 0):
        what = "an unsigned type with negative limits" if kind == "u" else "bools"
        raise DTypeError(
            f"cannot do hardtanh on {what}: Bool inputs not supported for hardtanh, and a result "
            "has the dtype of the input. Write `x.float()`."
        )
    if kind in "iu":
        min_val, max_val = int(min_val), int(max_val)
    return Hardtanh.apply(input, min_val=min_val, max_val=max_val)


@functional(Hardtanh, inplace_flag=True)
def relu6(input: Tensor) -> Tensor:
    """`input`, cut off at 0 and 6; see `hardtanh`.

    Args:
        input: real tensor of shape `S`.

    Example:
        >>> relu6(tensor([-2.0, 0.5, 8.0]))
        tensor([0.0000, 0.5000, 6.0000])
    """
    return hardtanh(input, 0.0, 6.0)


class Softshrink(Elementwise):
    """y = x − sgn(x)·min(|x|, a),  a = lambd        x̄ = ȳ if |x| > a else 0"""

    kernel = "softshrink_check"

    @staticmethod
    def forward(x, *, lambd):
        return np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, x * 0))

    @staticmethod
    def gradient(grad, x, *, lambd):
        return by_steps(np.where((x >= -lambd) & (x <= lambd), 0, grad), x)


@functional(Softshrink)
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """`input`, moved towards 0 by `lambd`; 0 where it is not as far away.

    Args:
        input: floating-point tensor of shape `S`.
        lambd: a number from 0 up.

    Returns:
        Tensor of shape `S`. At the kinks the subgradient 0 is used.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if `lambd` is negative.

    Example:
        >>> softshrink(tensor([-2.0, 0.25, 1.0]))
        tensor([-1.5000,  0.0000,  0.5000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.softshrink.html
    """
    if lambd < 0:
        raise RangeError(
            f"lambda must be greater or equal to 0, but found to be {lambd}: must be in range "
            "[0, 3.40282e+38]. It is a distance. Write `-lambd`."
        )
    return Softshrink.apply(input, lambd=lambd)


class Hardshrink(Softshrink):
    """y = x if |x| > a else 0,  a = lambd        x̄ = ȳ if |x| > a else 0"""

    kernel = "hardshrink_cpu"

    @staticmethod
    def forward(x, *, lambd):
        return np.where((x >= -lambd) & (x <= lambd), 0, x)


@op(Hardshrink, aliases=("nn.functional.hardshrink",), inplace=False)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """`input` where it is further from 0 than `lambd`, 0 elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        lambd: how far.

    Returns:
        Tensor of shape `S`. At the jumps the slope is 0.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> hardshrink(tensor([-2.0, 0.25, 1.0]))
        tensor([-2.,  0.,  1.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardshrink.html
    """


class Elu(Elementwise):
    """y = b·x if x > 0 else b·a·(exp(c·x) − 1)
    x̄ = b·ȳ if x > 0 else a·b·c·exp(c·x)·ȳ,  a, b, c = alpha, scale, input_scale
    """

    kernel = "elu_cpu"

    @staticmethod
    def forward(x, *, alpha, scale, input_scale):
        low = np.minimum(x, 0)
        return np.maximum(x, 0) * scale + np.expm1(low * input_scale) * (alpha * scale)

    @staticmethod
    def gradient(grad, x, *, alpha, scale, input_scale):
        slope = np.exp(_below_0(x) * input_scale) * (alpha * scale * input_scale)
        if alpha * input_scale == 1:  # no kink
            return grad * slope
        return np.where(x > 0, grad * scale, grad * slope)


def _below_0(x: Any) -> Any:
    """`min(x, 0)`, so that no exponential overflows; at the kink its slope is 1."""
    return np.where(x > 0, 0, x) if isinstance(x, Tensor) else np.minimum(x, 0)


class Celu(Elu):
    """y = x if x > 0 else a·(exp(x/a) − 1),  a = alpha        x̄ = ȳ if x > 0 else exp(x/a)·ȳ"""


@functional(Elu, inplace_function=True, inplace_flag=True)
def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`input` where it is positive, `alpha·(exp(input) - 1)` elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        alpha: where it tends to, far on the left, is `-alpha`.

    Returns:
        Tensor of shape `S`. At 0 the slope is `alpha`.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> elu(tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.elu.html
    """
    return Elu.apply(input, alpha=alpha, scale=1.0, input_scale=1.0)


@function(Elu, aliases=("nn.functional.selu",), inplace_function=True, inplace_flag=True)
def selu(input: Tensor) -> Tensor:
    """`elu`, scaled so that layers keep mean 0 and variance 1.

    Args:
        input: floating-point tensor of shape `S`.

    Example:
        >>> selu(tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])

    See also: Klambauer et al., *Self-Normalizing Neural Networks* (2017).
    """
    return Elu.apply(input, alpha=_SELU_ALPHA, scale=_SELU_SCALE, input_scale=1.0)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@function(Celu, aliases=("nn.functional.celu",), inplace_function=True, inplace_flag=True)
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`input` where it is positive, `alpha·(exp(input/alpha) - 1)` elsewhere.

    Args:
        input: floating-point tensor of shape `S`.
        alpha: where it tends to, far on the left, is `-alpha`.

    Returns:
        Tensor of shape `S`. The slope is 1 at 0, whatever `alpha` is.

    Raises:
        DTypeError: for other dtypes.
        RangeError: if `alpha` is 0.

    Example:
        >>> celu(tensor([-1.0, 2.0]), 0.5)
        tensor([-0.4323,  2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.celu.html
    """
    if not alpha:
        raise RangeError(
            "ZeroDivisionError: alpha cannot be 0 for CELU. The input is divided by it. Write "
            "`relu(input)`, which it tends to."
        )
    return Celu.apply(input, alpha=alpha, scale=1.0, input_scale=1 / alpha)


class Hardsigmoid(Elementwise):
    """y = min(max(x + 3, 0), 6)/6        x̄ = ȳ/6 if −3 < x < 3 else 0"""

    kernel = "hardsigmoid_cpu"

    @staticmethod
    def forward(x):
        return np.minimum(np.maximum(x + 3, 0), 6) / 6

    @staticmethod
    def gradient(grad, x):
        return by_steps(np.where((x > -3) & (x < 3), grad / 6, 0), x)


@functional(Hardsigmoid, inplace_flag=True)
def hardsigmoid(input: Tensor) -> Tensor:
    """`sigmoid` in three straight pieces: 0 up to -3, 1 from 3 on.

    Args:
        input: floating-point tensor of shape `S`.

    Example:
        >>> hardsigmoid(tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardsigmoid.html
    """


class Hardswish(Elementwise):
    """y = x·min(max(x + 3, 0), 6)/6        x̄ = 0 if x ≤ −3 else (ȳ·(x/3 + ½) if x < 3 else ȳ)"""

    kernel = "hardswish_cpu"

    @staticmethod
    def forward(x):
        return x * np.minimum(np.maximum(x + 3, 0), 6) / 6

    @staticmethod
    def gradient(grad, x):
        return np.where(x <= -3, 0, np.where(x < 3, grad * (x / 3 + 0.5), grad))


@functional(Hardswish, inplace_flag=True)
def hardswish(input: Tensor) -> Tensor:
    """`input * hardsigmoid(input)`.

    Args:
        input: floating-point tensor of shape `S`.

    Example:
        >>> hardswish(tensor([0.0, 1.5, 6.0]))
        tensor([0.0000, 1.1250, 6.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.hardswish.html
    """


class Sigmoid(Elementwise):
    """y = 1/(1 + e⁻ˣ)        x̄ = ȳ·y·(1 − y)"""

    floating = True

    @staticmethod
    def forward(x):
        return 1 / (1 + silently(np.exp, -x))  # 1/∞ is the 0 that is meant

    @staticmethod
    def gradient(grad, y):
        return grad * (y * (1 - y))


@op(Sigmoid, aliases=("nn.functional.sigmoid", "special.expit"))
def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`, element by element, without overflow.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Returns:
        Tensor of shape `S`, between 0 and 1.

    Example:
        >>> sigmoid(tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])

    See also: https://pytorch.org/docs/stable/generated/torch.sigmoid.html
    """


class LogSigmoid(Elementwise):
    """y = −ln(1 + exp(−x))        x̄ = ȳ/(1 + exp x)"""

    kernel = "log_sigmoid_cpu"

    @staticmethod
    def forward(x):
        return in_rows(np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))))

    @staticmethod
    def gradient(grad, x):
        return grad * run(Sigmoid, -x)


@functional(LogSigmoid)
def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of `sigmoid`, exact where sigmoid itself rounds to 0.

    Args:
        input: floating-point tensor of shape `S`.

    Example:
        >>> logsigmoid(tensor([-100.0, 0.0]))
        tensor([-100.0000,   -0.6931])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.logsigmoid.html
    """


class Softplus(Elementwise):
    """y = ln(1 + exp(b·x))/b if b·x ≤ t else x,  b = beta
    x̄ = ȳ/(1 + exp(−b·x)) if b·x ≤ t else ȳ
    """

    kernel = "softplus_cpu"

    @staticmethod
    def forward(x, *, beta, threshold):
        scaled = x * beta
        smooth = (np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)) / beta
        return np.where(scaled > threshold, x, smooth)

    @staticmethod
    def gradient(grad, x, *, beta, threshold):
        scaled = x * beta
        return np.where(scaled > threshold, grad, grad * run(Sigmoid, scaled))


@functional(Softplus)
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """`log(1 + exp(beta·input)) / beta`: a smooth `relu`.

    Args:
        input: floating-point tensor of shape `S`.
        beta: how sharp the bend is.
        threshold: where `beta·input` is larger, the result is `input` itself.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for other dtypes.

    Example:
        >>> softplus(tensor([-1.0, 0.0, 50.0]))
        tensor([ 0.3133,  0.6931, 50.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.softplus.html
    """


class Silu(Elementwise):
    """y = x/(1 + exp(−x))        x̄ = ȳ·(1 + x·(1 − s))·s,  s = 1/(1 + exp(−x))"""

    kernel, kinds = "silu_cpu", "fc"

    @staticmethod
    def forward(x):
        return x * Sigmoid.forward(x)

    @staticmethod
    def gradient(grad, x):
        s = run(Sigmoid, x)
        return grad * (s * (1 + x * (1 - s)))


@functional(Silu, inplace_flag=True)
def silu(input: Tensor) -> Tensor:
    """`input * sigmoid(input)`, also called swish.

    Args:
        input: floating-point or complex tensor of shape `S`.

    Example:
        >>> silu(tensor([-1.0, 2.0]))
        tensor([-0.2689,  1.7616])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.silu.html
    """


class Mish(Elementwise):
    """y = x·tanh(ln(1 + exp x))
    x̄ = ȳ·(t + x·(1 − t²)/(1 + exp(−x))),  t = tanh(ln(1 + exp x))
    """

    kernel = "mish_cpu"

    @staticmethod
    def forward(x):
        return x * np.tanh(Softplus.forward(x, beta=1, threshold=20))

    @staticmethod
    def gradient(grad, x):
        t = np.tanh(run(Softplus, x, beta=1, threshold=20))
        return grad * (t + x * (1 - t * t) * run(Sigmoid, x))


@functional(Mish, inplace_flag=True)
def mish(input: Tensor) -> Tensor:
    """`input * tanh(softplus(input))`.

    Args:
        input: floating-point tensor of shape `S`.

    Example:
        >>> mish(tensor([-1.0, 2.0]))
        tensor([-0.3034,  1.9440])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.mish.html
    """


class NormalCdf(Elementwise):
    """y = ½·(1 + erf(x/√2))        x̄ = ȳ·exp(−½·x²)/√(2·π)"""

    node = "SpecialNdtrBackward0"

    @staticmethod
    def forward(x):
        if x.dtype.itemsize < 8:
            return _normal_cdf(x)
        from scipy.special import ndtr

        return ndtr(x)

    @staticmethod
    def gradient(grad, x):
        return grad * (np.exp(x * x * -0.5) * _DENSITY_AT_0)


def _normal_cdf(x: Any) -> Any:
    """½·(1 + erf(x/√2)) of single precision, with errors below 1e-7: five times as fast as SciPy.

    erf z is tanh(z·p(z²)), with a polynomial p that was fitted to the least largest error. Its
    leading coefficient is positive, so that far away it is 1, too.
    """
    z = x * math.sqrt(0.5)
    squared = z * z
    p = squared * _FITTED[0] + _FITTED[1]
    for coefficient in _FITTED[2:]:
        p *= squared  # in its own memory: half of the time goes into new arrays
        p += coefficient
    p *= z
    p = np.tanh(p, out=p if p.ndim else None)
    p *= 0.5
    p += 0.5
    return p


_FITTED = (
    1.5690047e-7,
    -5.951745e-6,
    8.951966e-5,
    -6.252552e-4,
    -1.8485421e-4,
    1.0276566e-1,
    1.1283797,
)
_DENSITY_AT_0 = 1 / math.sqrt(2 * math.pi)


class Gelu(Elementwise):
    """y = ½·x·(1 + erf(x/√2))        x̄ = ȳ·(½·(1 + erf(x/√2)) + x·exp(−½·x²)/√(2·π))"""

    kernel = "GeluKernelImpl"

    @staticmethod
    def forward(x, *, approximate):
        if approximate == "none":
            return x * NormalCdf.forward(x)
        return x * (np.tanh((x + x * x * x * _CUBIC) * _LINEAR) + 1) * 0.5

    @staticmethod
    def gradient(grad, x, *, approximate):
        if approximate == "none":
            return grad * (run(NormalCdf, x) + x * np.exp(x * x * -0.5) * _DENSITY_AT_0)
        squared = x * x
        t = np.tanh((squared * _CUBIC + 1) * x * _LINEAR)
        inner = (squared * (3 * _CUBIC) + 1) * _LINEAR
        return grad * ((t + 1 + x * (1 - t * t) * inner) * 0.5)


_LINEAR, _CUBIC = math.sqrt(2 / math.pi), 0.044715


@functional(Gelu)
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """`input` times the probability that a normal number is smaller.

    Args:
        input: floating-point tensor of shape `S`.
        approximate: "tanh" for a formula without the error function, "none" for the exact one.

    Returns:
        Tensor of shape `S`.

    Raises:
        DTypeError: for other dtypes.
        RangeError: for another `approximate`.

    Example:
        >>> gelu(tensor([-1.0, 2.0]))
        tensor([-0.1587,  1.9545])

    See also: Hendrycks & Gimpel, *Gaussian Error Linear Units* (2016).
    """
    said = "approximate argument must be either none or tanh, got {!r}. There are two formulas"
    check.choice(said, approximate, ("none", "tanh"), "Write one of these words.", RangeError)
    return Gelu.apply(input, approximate=approximate)


@functional(is_method=False)
def softsign(input: Tensor) -> Tensor:
    """`input / (1 + |input|)`.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Example:
        >>> softsign(tensor([-1.0, 3.0]))
        tensor([-0.5000,  0.7500])
    """
    return input / (input.abs() + 1)


@functional()
def tanhshrink(input: Tensor) -> Tensor:
    """`input - tanh(input)`.

    Args:
        input: tensor of shape `S`; integers become the default dtype.

    Example:
        >>> tanhshrink(tensor([-1.0, 2.0]))
        tensor([-0.2384,  1.0360])
    """
    return input - input.tanh()


@functional()
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of `input`, each element times `sigmoid` of its partner in the second.

    Args:
        input: floating-point tensor of shape `S`.
        dim: along which dim it is halved.

    Returns:
        Tensor of shape `S` with half the size in that dim.

    Raises:
        ShapeError: if the size is odd.
        DimError: if there is no such dim.
        DTypeError: for other dtypes.

    Example:
        >>> glu(tensor([1.0, 2.0, 0.0, 100.0]))
        tensor([0.5000, 2.0000])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.glu.html
    """
    said = "glu does not support scalars because halving size must be even"
    check.ndim(said, input, 1, "A number has no halves. Give at least one dim.")
    at = wrap_dim(dim, input.ndim)
    if input.shape[at] % 2:
        raise ShapeError(
            f"Halving dimension must be even, but dimension {at} is size {input.shape[at]}. Each "
            "element needs a partner. Leave one out, or name another dim."
        )
    check.kernel('"glu_cpu"', input)
    a, b = input.chunk(2, at)
    return a * b.sigmoid()


def _along(name: str, rule: type[AlongLine], input: Tensor, dim: int, dtype: Any) -> Tensor:
    """Apply a softmax to floats."""
    at = wrap_dim(dim, input.ndim)
    if dtype is not None:
        input = input.to(as_dtype(dtype))
    kernel = f"{name}_lastdim_kernel" if at >= input.ndim - 1 else f"{name}_kernel"
    check.kernel(f'"{kernel}_impl"', input)
    return rule.apply(input, dim=at)


class Softmax(Symmetric, AlongLine):
    """yᵢ = exp xᵢ/Σⱼ exp xⱼ        dyᵢ = yᵢ·(dxᵢ − Σⱼ yⱼ·dxⱼ)        x̄ᵢ = yᵢ·(ȳᵢ − Σⱼ yⱼ·ȳⱼ)"""

    @staticmethod
    def forward(x, *, dim):
        e = np.exp(x - np.maximum.reduce(x, axis=dim, keepdims=True, initial=-math.inf))
        return in_rows(e / e.sum(axis=dim, keepdims=True))

    @staticmethod
    def gradient(grad, y, *, dim):
        weighted = grad * y
        return weighted - y * weighted.sum(axis=dim, keepdims=True)


@op(Softmax, aliases=("special.softmax",), axis=True, by=_along)
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Positive numbers that sum to 1 along a dim: `exp(input)`, normalised.

    Args:
        input: floating-point tensor of shape `S`.
        dim: along which dim.
        dtype: convert `input` to this first.

    Returns:
        Tensor of shape `S`. The largest element is subtracted first, so nothing overflows.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers without `dtype`.

    Example:
        >>> softmax(tensor([1.0, 1.0, 2.0]), dim=0)
        tensor([0.2119, 0.2119, 0.5761])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
    """


@functional(name="softmax")
def functional_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """`softmax`, of which PyTorch's older programs do not say the dim.

    Args:
        input, dtype: as for `softmax`.
        dim: along which dim; None: 0 for an input of 0, 1 or 3 dims, else 1, and a warning.
    """
    return softmax(input, _dim_or_guess("softmax", input, dim), dtype)


@functional()
def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """`softmax(-input)`: the smallest element gets the largest share.

    Args:
        input, dim, dtype: as for `softmax`.

    Example:
        >>> softmin(tensor([1.0, 1.0, 2.0]), dim=0)
        tensor([0.4223, 0.4223, 0.1554])
    """
    return softmax(-input, _dim_or_guess("softmin", input, dim), dtype)


def _dim_or_guess(name: str, input: Tensor, dim: int | None) -> int:
    """The dim; as PyTorch once chose it, if there is none."""
    if dim is not None:
        return dim
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument."
    )
    return 0 if input.ndim in (0, 1, 3) else 1


class LogSoftmax(AlongLine):
    """yᵢ = xᵢ − ln Σⱼ exp xⱼ        dyᵢ = dxᵢ − Σⱼ exp yⱼ·dxⱼ        x̄ᵢ = ȳᵢ − exp yᵢ·Σⱼ ȳⱼ"""

    @staticmethod
    def forward(x, *, dim):
        z = x - np.maximum.reduce(x, axis=dim, keepdims=True, initial=-math.inf)
        return in_rows(z - np.log(np.add.reduce(np.exp(z), axis=dim, keepdims=True)))

    @staticmethod
    def gradient(grad, y, *, dim):
        return grad - np.exp(y) * grad.sum(axis=dim, keepdims=True)

    @staticmethod
    def tangent(dx, y, *, dim):
        return dx - (np.exp(y) * dx).sum(axis=dim, keepdims=True)


@op(LogSoftmax, aliases=("special.log_softmax",), axis=True, by=_along)
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, exact where softmax itself rounds to 0.

    Args:
        input: floating-point tensor of shape `S`.
        dim: along which dim.
        dtype: convert `input` to this first.

    Returns:
        Tensor of shape `S`.

    Raises:
        DimError: if there is no such dim.
        DTypeError: for integers without `dtype`.

    Example:
        >>> log_softmax(tensor([0.0, 1000.0]), dim=0)
        tensor([-1000.,     0.])

    See also: https://pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html
    """


@functional(name="log_softmax")
def functional_log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """`log_softmax`, of which PyTorch's older programs do not say the dim.

    Args:
        input, dtype: as for `softmax`.
        dim: along which dim; None: 0 for an input of 0, 1 or 3 dims, else 1, and a warning.
    """
    return log_softmax(input, _dim_or_guess("log_softmax", input, dim), dtype)


@functional()
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A random choice that has a gradient: `softmax` of scores with Gumbel noise.

    Args:
        logits: scores: floating-point tensor of shape `S`.
        tau: the temperature; the lower, the closer to a choice.
        hard: return a 1 and zeros, but with the gradient of the shares.
        eps: has no effect.
        dim: along which dim.

    Returns:
        Tensor of shape `S`: shares that sum to 1.

    Raises:
        DTypeError: for other dtypes.
        DimError: if there is no such dim.

    Example:
        >>> gumbel_softmax(tensor([0.0, 100.0]), hard=True)
        tensor([0., 1.])

    See also: Jang, Gu & Poole, *Categorical Reparameterization with Gumbel-Softmax* (2017).
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    check.kernel("Exponential distribution is a continuous probability distribution", logits)
    noise = -(-(-_uniform_like(logits)).log1p()).log()
    shares = softmax((logits + noise) / tau, dim)
    if not hard:
        return shares
    chosen = (shares.detach() * 0).scatter(dim, shares.max(dim, keepdim=True)[1], 1.0)
    return chosen - shares.detach() + shares
