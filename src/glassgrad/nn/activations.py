"""Nonlinearities as modules; the functions of `nn.functional` say what they compute."""

from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.nn import functional
from glassgrad.nn.applied import Applied
from glassgrad.nn.init import constant_
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.ops.creation import empty


class ReLU(Applied):
    """`max(x, 0)`."""

    function = "relu"
    inplace: bool = False


class ReLU6(Applied):
    """`x`, cut off at 0 and 6."""

    function = "relu6"
    inplace: bool = False


class LeakyReLU(Applied):
    """`x` where it is positive, a small part of it elsewhere."""

    function = "leaky_relu"
    negative_slope: float = 0.01
    inplace: bool = False


class RReLU(Applied):
    """`LeakyReLU` whose slope is drawn for each element, in training."""

    function = "rrelu"
    passes_training = True
    lower: float = 0.125
    upper: float = 1 / 3
    inplace: bool = False


class ELU(Applied):
    """`x` where it is positive, `alpha·(exp(x) - 1)` elsewhere."""

    function = "elu"
    alpha: float = 1.0
    inplace: bool = False


class CELU(Applied):
    """`x` where it is positive, `alpha·(exp(x/alpha) - 1)` elsewhere."""

    function = "celu"
    alpha: float = 1.0
    inplace: bool = False


class SELU(Applied):
    """`ELU`, scaled so that layers keep mean 0 and variance 1."""

    function = "selu"
    inplace: bool = False


class SiLU(Applied):
    """`x·sigmoid(x)`."""

    function = "silu"
    inplace: bool = False


class Mish(Applied):
    """`x·tanh(softplus(x))`."""

    function = "mish"
    inplace: bool = False


class GELU(Applied):
    """`x` times the probability that a normal number is smaller."""

    function = "gelu"
    approximate: str = "none"


class GLU(Applied):
    """The first half of `x`, each element times `sigmoid` of its partner in the second."""

    function = "glu"
    dim: int = -1


class Hardsigmoid(Applied):
    """`sigmoid` in three straight pieces."""

    function = "hardsigmoid"
    inplace: bool = False


class Hardswish(Applied):
    """`x·hardsigmoid(x)`."""

    function = "hardswish"
    inplace: bool = False


class Hardtanh(Applied):
    """`x`, cut off at two bounds."""

    function = "hardtanh"
    min_val: float = -1.0
    max_val: float = 1.0
    inplace: bool = False


class Threshold(Applied):
    """`x` where it is larger than `threshold`, `value` elsewhere."""

    function = "threshold"
    threshold: float
    value: float
    inplace: bool = False


class Hardshrink(Applied):
    """`x` where it is further from 0 than `lambd`, 0 elsewhere."""

    function = "hardshrink"
    lambd: float = 0.5

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Hardshrink):
    """`x`, moved towards 0 by `lambd`."""

    function = "softshrink"
    lambd: float = 0.5


class Tanhshrink(Applied):
    """`x - tanh(x)`."""

    function = "tanhshrink"


class Softsign(Applied):
    """`x/(1 + |x|)`."""

    function = "softsign"


class Softplus(Applied):
    """`log(1 + exp(beta·x))/beta`: a smooth `ReLU`."""

    function = "softplus"
    beta: float = 1.0
    threshold: float = 20.0


class Tanh(Applied):
    """The hyperbolic tangent."""

    function = "tanh"


class Sigmoid(Applied):
    """`1/(1 + exp(-x))`."""

    function = "sigmoid"


class LogSigmoid(Applied):
    """The logarithm of `Sigmoid`, without its rounding to 0."""

    function = "logsigmoid"


class Softmax(Applied):
    """Positive numbers that add up to 1 along a dim."""

    function = "softmax"
    dim: int | None = None


class LogSoftmax(Softmax):
    """The logarithm of `Softmax`, without its rounding to 0."""

    function = "log_softmax"
    dim: int | None = None


class Softmin(Softmax):
    """`Softmax` of `-x`: the smallest element gets the largest share."""

    function = "softmin"
    dim: int | None = None


class Softmax2d(Module):
    """`Softmax` over the channels of images, of shape `(N, C, H, W)` or `(C, H, W)`."""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ArgumentError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead. Channels "
                "lie in front of rows and columns. Write `Softmax(dim)` for other shapes."
            )
        return functional.softmax(input, -3)


class PReLU(Module):
    """`LeakyReLU` with a learned slope.

    Args:
        num_parameters: 1, or as many as there are channels.
        init: the slope at the beginning.
        device, dtype: of the slopes.

    Attributes:
        weight: the slopes, shape `(num_parameters,)`.
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
