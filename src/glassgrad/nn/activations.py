"""Nonlinearities as modules, and dropout: `nn.functional` says what they compute."""

from typing import Any

from glassgrad.core.errors import ExpectationError
from glassgrad.nn.applied import Applied
from glassgrad.ops.random import check_dropout


class ReLU(Applied, of="relu"):
    """`max(x, 0)`."""


class LeakyReLU(Applied, of="leaky_relu"):
    """`x` where it is positive, a small part of it elsewhere."""


class RReLU(Applied, of="rrelu"):
    """`LeakyReLU` whose slope is drawn for each element, in training."""


class ELU(Applied, of="elu"):
    """`x` where it is positive, `alpha·(exp(x) - 1)` elsewhere."""


class CELU(Applied, of="celu"):
    """`x` where it is positive, `alpha·(exp(x/alpha) - 1)` elsewhere."""


class SELU(Applied, of="selu"):
    """`ELU`, scaled so that layers keep mean 0 and variance 1."""


class SiLU(Applied, of="silu"):
    """`x·sigmoid(x)`."""


class Mish(Applied, of="mish"):
    """`x·tanh(softplus(x))`."""


class GELU(Applied, of="gelu"):
    """`x` times the probability that a normal number is smaller."""


class GLU(Applied, of="glu"):
    """The first half of `x`, each element times `sigmoid` of its partner in the second."""


class Hardsigmoid(Applied, of="hardsigmoid"):
    """`sigmoid` in three straight pieces."""

    _in_repr = ()


class Hardswish(Applied, of="hardswish"):
    """`x·hardsigmoid(x)`."""

    _in_repr = ()


class Hardtanh(Applied, of="hardtanh"):
    """`x`, cut off at two bounds."""

    def _build(self, given: dict[str, Any]) -> None:
        low, high = given["min_val"], given["max_val"]
        if high <= low:
            raise ExpectationError(
                f"max_val ({high}) must be greater than min_val ({low}). What is between them is "
                "kept. Swap the two."
            )
        super()._build(given)


class ReLU6(Hardtanh, of="relu6"):
    """`x`, cut off at 0 and 6."""

    def _build(self, given: dict[str, Any]) -> None:
        super()._build(given | {"min_val": 0.0, "max_val": 6.0})


class Threshold(Applied, of="threshold"):
    """`x` where it is larger than `threshold`, `value` elsewhere."""


class _Shrink(Applied):
    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink, of="hardshrink"):
    """`x` where it is further from 0 than `lambd`, 0 elsewhere."""


class Softshrink(_Shrink, of="softshrink"):
    """`x`, moved towards 0 by `lambd`."""


class Tanhshrink(Applied, of="tanhshrink"):
    """`x - tanh(x)`."""


class Softsign(Applied, of="softsign"):
    """`x/(1 + |x|)`."""


class Softplus(Applied, of="softplus"):
    """`log(1 + exp(beta·x))/beta`: a smooth `ReLU`."""


class Tanh(Applied, of="tanh"):
    """The hyperbolic tangent."""


class Sigmoid(Applied, of="sigmoid"):
    """`1/(1 + exp(-x))`."""


class LogSigmoid(Applied, of="logsigmoid"):
    """The logarithm of `Sigmoid`, without its rounding to 0."""


class Softmax(Applied, of="softmax"):
    """Positive numbers that add up to 1 along a dim."""


class LogSoftmax(Applied, of="log_softmax"):
    """The logarithm of `Softmax`, without its rounding to 0."""


class Softmin(Applied, of="softmin"):
    """`Softmax` of `-x`: the smallest element gets the largest share."""


# Dropout: it does nothing in evaluation mode ------------------------------------------------------


class _DropoutNd(Applied):
    _in_repr = ("p", "inplace")

    def _build(self, given: dict[str, Any]) -> None:
        check_dropout(given["p"])
        super()._build(given)


class Dropout(_DropoutNd, of="dropout"):
    """Elements set to 0 at random; the others grow, so that the expectation stays.

    Args:
        p: how likely an element is set to 0.
        inplace: write the result into the input.

    Raises:
        ArgumentError: if `p` is not from 0 to 1.
    """


class Dropout1d(_DropoutNd, of="dropout1d"):
    """`Dropout` of whole channels of sequences."""


class Dropout2d(_DropoutNd, of="dropout2d"):
    """`Dropout` of whole channels of images."""


class Dropout3d(_DropoutNd, of="dropout3d"):
    """`Dropout` of whole channels of volumes."""


class AlphaDropout(_DropoutNd, of="alpha_dropout"):
    """`Dropout` that keeps mean and variance of what `SELU` makes."""


class FeatureAlphaDropout(_DropoutNd, of="feature_alpha_dropout"):
    """`AlphaDropout` of whole channels."""
