"""`Uniform`, `Laplace`, `Cauchy`, `Gumbel`: drawn by turning a uniform number into theirs."""

import math
from typing import Any

from glassgrad import ops
from glassgrad.core.tensor import Tensor

from . import constraints
from .distribution import Distribution, Shape
from .utils import euler_constant, uniform


class Uniform(Distribution):
    """All numbers from `low` up to `high` are equally likely.

    Raises:
        ArgumentError: if there is no number in between.

    Example:
        >>> Uniform(0.0, 4.0).log_prob(tensor(1.0)).exp()
        tensor(0.2500)
    """

    has_rsample = True
    low: Tensor
    high: Tensor

    def __init__(
        self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self._take(validate_args, low=low, high=high)

    @property
    def arg_constraints(self) -> Any:
        """`low` is below `high`."""
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    @property
    def support(self) -> Any:
        """From `low` to `high`."""
        return constraints.interval(self.low, self.high)

    def _mean(self) -> Tensor:
        return (self.high + self.low) / 2

    def _mode(self) -> Tensor:
        return math.nan * self.high

    def _variance(self) -> Tensor:
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = ops.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def _log_prob(self, value: Tensor) -> Tensor:
        inside = (self.low <= value) & (self.high > value)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def _cdf(self, value: Tensor) -> Tensor:
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()


class LocScale(Distribution):
    """What distributions share that are moved by `loc` and stretched by `scale`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self._take(validate_args, loc=loc, scale=scale)

    def _mean(self) -> Tensor:
        return self.loc

    def _mode(self) -> Tensor:
        return self.loc

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.icdf(uniform(self._extended_shape(sample_shape), self.loc))

    def _standardized(self, value: Tensor) -> Tensor:
        """How many scales `value` is above loc."""
        return (value - self.loc) / self.scale


class Laplace(LocScale):
    """p(x) = exp(-|x - loc|/scale) / (2·scale)"""

    def _variance(self) -> Tensor:
        return 2 * self.scale**2

    def _stddev(self) -> Tensor:
        return math.sqrt(2) * self.scale

    def _log_prob(self, value: Tensor) -> Tensor:
        return -(2 * self.scale).log() - self._standardized(value).abs()

    def _cdf(self, value: Tensor) -> Tensor:
        z = self._standardized(value)
        return 0.5 - 0.5 * z.sign() * (-z.abs()).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        centred = value - 0.5
        return self.loc - self.scale * centred.sign() * (-2 * centred.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()


class Cauchy(LocScale):
    """p(x) = 1 / (π·scale·(1 + z²)),  z = (x - loc)/scale; it has no mean"""

    def _mean(self) -> Tensor:
        return ops.full_like(self.loc, math.nan)

    def _variance(self) -> Tensor:
        return ops.full_like(self.loc, math.inf)

    def _log_prob(self, value: Tensor) -> Tensor:
        return -math.log(math.pi) - self.scale.log() - (self._standardized(value) ** 2).log1p()

    def _cdf(self, value: Tensor) -> Tensor:
        return self._standardized(value).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class Gumbel(LocScale):
    """p(x) = exp(-z - exp(-z)) / scale,  z = (x - loc)/scale: the largest of many"""

    def _mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    def _variance(self) -> Tensor:
        return self.stddev**2

    def _stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

    def _log_prob(self, value: Tensor) -> Tensor:
        z = self._standardized(value)
        return -z - (-z).exp() - self.scale.log()

    def _cdf(self, value: Tensor) -> Tensor:
        return (-(-self._standardized(value)).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * (-value.log()).log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
