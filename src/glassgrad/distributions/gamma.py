"""`Gamma`, and what is made of it: `Exponential`, `Chi2`, `Beta`, `Dirichlet`, `StudentT`."""

import math
from typing import Any

import numpy as np

from glassgrad import ops
from glassgrad.autograd.function import Function, once_differentiable
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy

from . import constraints
from .distribution import Distribution, Shape
from .uniform import LocScale
from .utils import broadcast_all, draw, gaussian, like_it, limits, uniform


class _StandardGamma(Function):
    """x ~ Gamma(a, 1)        ā = x̄·dx/da,  dx/da = -(∂P(a, x)/∂a) / p(x)

    A sample stays where its probability P is the same when `a` moves a little: Figurnov et al.,
    *Implicit Reparameterization Gradients* (2018).
    """

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        drawn = draw("standard_gamma", concentration.shape, concentration)
        drawn = drawn.clamp(min=limits(drawn).tiny)
        ctx.save_for_backward(concentration, drawn)
        return drawn

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        concentration, drawn = ctx.saved_tensors
        slope = _slope_of_gamma(asnumpy(concentration.payload), asnumpy(drawn.payload))
        return grad * like_it(slope, drawn)


def _slope_of_gamma(a: Any, x: Any) -> Any:
    """dx/da where the probability of less than x stays the same, by central differences in a."""
    from scipy import special

    a, x = np.asarray(a, np.float64), np.asarray(x, np.float64)
    step = 1e-3 * a

    def moved(probability: Any) -> Any:
        near = probability(a + step, x) - probability(a - step, x)
        far = probability(a + 2 * step, x) - probability(a - 2 * step, x)
        return (8 * near - far) / (12 * step)

    # The smaller one of the probabilities below and above x has no rounded digits.
    change = np.where(x > a, -moved(special.gammaincc), moved(special.gammainc))
    return -change / np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


class Gamma(Distribution):
    """p(x) = rateᵃ·xᵃ⁻¹·exp(-rate·x) / Γ(a),  a = concentration

    Args:
        concentration: the shape a.
        rate: the inverse scale.
        validate_args: whether to look at parameters and values.

    Example:
        >>> Gamma(2.0, 4.0).mean
        tensor(0.5000)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    concentration: Tensor
    rate: Tensor

    def __init__(
        self,
        concentration: Tensor | float,
        rate: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self._take(validate_args, concentration=concentration, rate=rate)

    def _mean(self) -> Tensor:
        return self.concentration / self.rate

    def _mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    def _variance(self) -> Tensor:
        return self.concentration / self.rate**2

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn: Tensor = _StandardGamma.apply(self.concentration.expand(shape))
        return drawn / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        value = self._checked(ops.as_tensor(value, dtype=self.rate.dtype))
        a = self.concentration
        return a.xlogy(self.rate) + (a - 1).xlogy(value) - self.rate * value - a.lgamma()

    def _cdf(self, value: Tensor) -> Tensor:
        return ops.igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()


class Chi2(Gamma):
    """The sum of `df` squared normal numbers: Gamma(df/2, 1/2)."""

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        (degrees,) = broadcast_all(df)
        self.concentration, self.rate = broadcast_all(0.5 * degrees, 0.5)
        Distribution.__init__(self, degrees.shape, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """How many numbers are squared."""
        return self.concentration * 2

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new.concentration = self.concentration.expand(batch_shape)
        new.rate = self.rate.expand(batch_shape)
        return new


class Exponential(Distribution):
    """p(x) = rate·exp(-rate·x): how long to wait for what happens `rate` times in a unit of time

    Example:
        >>> Exponential(2.0).mean
        tensor(0.5000)
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    rate: Tensor

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self._take(validate_args, rate=rate)

    def _mean(self) -> Tensor:
        return 1 / self.rate

    def _mode(self) -> Tensor:
        return ops.zeros_like(self.rate)

    def _variance(self) -> Tensor:
        return self.rate**-2

    def _stddev(self) -> Tensor:
        return 1 / self.rate

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.icdf(uniform(self._extended_shape(sample_shape), self.rate))

    def _log_prob(self, value: Tensor) -> Tensor:
        return self.rate.log() - self.rate * value

    def _cdf(self, value: Tensor) -> Tensor:
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        return 1 - self.rate.log()


class Dirichlet(Distribution):
    """Shares that add up to 1: p(x) ∝ ∏ xᵢ^(aᵢ - 1),  a = concentration of shape `(*batch, n)`

    Raises:
        ArgumentError: for a concentration without dims.

    Example:
        >>> Dirichlet(tensor([1.0, 3.0])).mean
        tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.ndim < 1:
            raise ArgumentError(
                "`concentration` parameter must be at least one-dimensional: there is a number "
                "for each share. Write `tensor([a, b])`."
            )
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)

    def _mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    def _mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0)
        mode = above / above.sum(-1, keepdim=True)
        is_corner = (self.concentration < 1).all(-1, keepdim=True)
        n = self.concentration.shape[-1]
        corner = ops.arange(n, device=mode.device) == ops.nan_to_num(mode).argmax(-1, keepdim=True)
        return ops.where(is_corner, corner.type_as(mode), mode)

    def _variance(self) -> Tensor:
        a = self.concentration
        total = a.sum(-1, keepdim=True)
        return a * (total - a) / (total**2 * (total + 1))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn: Tensor = _StandardGamma.apply(self.concentration.expand(shape))
        return drawn / drawn.sum(-1, keepdim=True)

    def _log_prob(self, value: Tensor) -> Tensor:
        a = self.concentration
        weights = (a - 1).xlogy(value).sum(-1)
        return weights + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        a = self.concentration
        total, n = a.sum(-1), a.shape[-1]
        spread = a.lgamma().sum(-1) - total.lgamma()
        return spread - (n - total) * total.digamma() - ((a - 1) * a.digamma()).sum(-1)


class Beta(Distribution):
    """A share: p(x) ∝ x^(a - 1)·(1 - x)^(b - 1),  a = concentration1, b = concentration0

    Example:
        >>> Beta(1.0, 3.0).mean
        tensor(0.2500)
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    concentration1: Tensor
    concentration0: Tensor

    def __init__(
        self,
        concentration1: Tensor | float,
        concentration0: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self._take(validate_args, concentration1=concentration1, concentration0=concentration0)

    @property
    def _shares(self) -> Dirichlet:
        """The share and the rest."""
        both = ops.stack([self.concentration1, self.concentration0], -1)
        return Dirichlet(both, validate_args=False)

    def _mean(self) -> Tensor:
        return self._shares.mean[..., 0]

    def _mode(self) -> Tensor:
        return self._shares.mode[..., 0]

    def _variance(self) -> Tensor:
        return self._shares.variance[..., 0]

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self._shares.rsample(sample_shape)[..., 0]

    def _log_prob(self, value: Tensor) -> Tensor:
        return self._shares.log_prob(ops.stack([value, 1 - value], -1))

    def entropy(self) -> Tensor:
        return self._shares.entropy()


class StudentT(LocScale):
    """p(x) ∝ (1 + z²/df)^(-(df + 1)/2),  z = (x - loc)/scale: normal, with heavier tails

    Args:
        df: how heavy: 1 is Cauchy's, ∞ the normal one.
        loc: the middle.
        scale: the width.
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    df: Tensor

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self._take(validate_args, df=df, loc=loc, scale=scale)

    def _mean(self) -> Tensor:
        return ops.where(self.df <= 1, math.nan, self.loc)

    def _variance(self) -> Tensor:
        finite = self.scale**2 * self.df / (self.df - 2)
        above = ops.where(self.df > 2, finite, math.inf)
        return ops.where(self.df <= 1, math.nan, above)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        noise = gaussian(self._extended_shape(sample_shape), self.df)
        squares = Chi2(self.df, validate_args=False).rsample(sample_shape)
        return self.loc + self.scale * noise * (squares / self.df).rsqrt()

    def _log_prob(self, value: Tensor) -> Tensor:
        z = self._standardized(value)
        half = 0.5 * (self.df + 1)
        return -half * (z**2 / self.df).log1p() - self.scale.log() - self._log_beta()

    def _log_beta(self) -> Tensor:
        gammas = (0.5 * self.df).lgamma() - (0.5 * (self.df + 1)).lgamma()
        return 0.5 * self.df.log() + 0.5 * math.log(math.pi) + gammas

    def entropy(self) -> Tensor:
        half = 0.5 * (self.df + 1)
        slopes = half.digamma() - (0.5 * self.df).digamma()
        return self.scale.log() + half * slopes + self._log_beta()

    icdf = Distribution.icdf
