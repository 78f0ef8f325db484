"""Distributions of real numbers, and of vectors and shares made of them."""

import math
from typing import Any, ClassVar

import numpy as np

from glassgrad import linalg, ops, special
from glassgrad.autograd.function import Function, once_differentiable
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.values.backend import asnumpy

from . import constraints, transforms
from .distribution import Distribution, ExponentialFamily, Real, Shape, Switch, _ByProbs
from .transforms import TransformedDistribution
from .utils import (
    broadcast_all,
    draw,
    euler_constant,
    gaussian,
    lazy_property,
    like_it,
    limits,
    probs_to_logits,
    property_at,
    softplus,
    uniform,
)

__all__ = [
    "Beta",
    "Cauchy",
    "Chi2",
    "ContinuousBernoulli",
    "Dirichlet",
    "Exponential",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "InverseGamma",
    "Kumaraswamy",
    "Laplace",
    "LogNormal",
    "LowRankMultivariateNormal",
    "MultivariateNormal",
    "Normal",
    "Pareto",
    "StudentT",
    "Uniform",
    "VonMises",
    "Weibull",
]

_linalg: Any = linalg
_special: Any = special

_TWO_CONCENTRATIONS = {
    "concentration1": constraints.positive,
    "concentration0": constraints.positive,
}

# Drawn by turning a uniform number into theirs ----------------------------------------------------


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

    def __init__(self, low: Real, high: Real, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, low=low, high=high)

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


class ContinuousBernoulli(_ByProbs, ExponentialFamily):
    """p(x) ∝ probsˣ·(1 - probs)¹⁻ˣ,  from 0 to 1: for pixels that are neither black nor white

    Args:
        probs: above 1/2 if large x are likely; or:
        logits: log probs/(1 - probs).
        lims: between them the formulas would divide by nearly 0, and series take their place.
        validate_args: whether to look at parameters and values.

    Example:
        >>> ContinuousBernoulli(0.5).log_prob(tensor(0.2)).exp()
        tensor(1.)
    """

    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: Switch = None,
    ) -> None:
        super().__init__(probs, logits, validate_args)
        self._lims = lims

    def _off_even(self) -> tuple[Tensor, Tensor]:
        """`probs` and `logits`, moved away from even odds, where formulas divide by 0."""
        p = ops.where(self._is_even(), self._lims[0], self.probs)
        p = p.clamp(limits(p).eps, 1 - limits(p).eps)
        return p, p.logit()

    def _is_even(self) -> Tensor:
        return (self.probs > self._lims[0]) & (self.probs <= self._lims[1])

    def _log_norm(self) -> Tensor:
        """log(logits/(2p - 1)), by which the density is divided to be one."""
        (p, logits), d = self._off_even(), self.probs - 0.5
        series = math.log(2) + (4 / 3 + 104 / 45 * d**2) * d**2
        return ops.where(self._is_even(), series, (logits / (2 * p - 1)).log())

    def _mean(self) -> Tensor:
        (p, logits), d = self._off_even(), self.probs - 0.5
        series = 0.5 + (1 / 3 + 16 / 45 * d**2) * d
        return ops.where(self._is_even(), series, p / (2 * p - 1) - 1 / logits)

    def _variance(self) -> Tensor:
        (p, logits), d = self._off_even(), self.probs - 0.5
        series = 1 / 12 - (1 / 15 - 128 / 945 * d**2) * d**2
        return ops.where(self._is_even(), series, p * (p - 1) / (1 - 2 * p) ** 2 + 1 / logits**2)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(ops.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def _log_prob(self, value: Tensor) -> Tensor:
        return value * self.logits - softplus(self.logits) + self._log_norm()

    def _cdf(self, value: Tensor) -> Tensor:
        p, _ = self._off_even()
        below = value.clamp(0, 1)
        uneven = (p**below * (1 - p) ** (1 - below) + p - 1) / (2 * p - 1)
        return ops.where(self._is_even(), below, uneven)

    def icdf(self, value: Tensor) -> Tensor:
        p, logits = self._off_even()
        return ops.where(self._is_even(), value, (value * (2 * p - 1) / (1 - p)).log1p() / logits)

    def entropy(self) -> Tensor:
        logits = probs_to_logits(self.probs, is_binary=True)  # none is infinite
        return softplus(logits) - self.mean * logits - self._log_norm()


class Kumaraswamy(TransformedDistribution):
    """p(x) = a·b·xᵃ⁻¹·(1 - xᵃ)ᵇ⁻¹,  from 0 to 1: much as `Beta`, and drawn by powers alone

    Args:
        concentration1, concentration0: a and b.
        validate_args: whether to look at parameters and values.

    Example:
        >>> Kumaraswamy(1.0, 2.0).mean
        tensor(0.3333)
    """

    arg_constraints = _TWO_CONCENTRATIONS
    support = constraints.unit_interval

    def __init__(
        self, concentration1: Real, concentration0: Real, validate_args: Switch = None
    ) -> None:
        a, b = self.concentration1, self.concentration0 = broadcast_all(
            concentration1, concentration0
        )
        base = Uniform(ops.zeros_like(b), ops.ones_like(b), validate_args)
        flip = transforms.AffineTransform(1, -1)
        parts = [transforms.PowerTransform(1 / b), flip, transforms.PowerTransform(1 / a)]
        super().__init__(base, parts, validate_args)

    def _moment(self, n: int) -> Tensor:
        """The mean of xⁿ: b times the beta function of 1 + n/a and b."""
        first, b = 1 + n / self.concentration1, self.concentration0
        return b * (first.lgamma() + b.lgamma() - (first + b).lgamma()).exp()

    def _mean(self) -> Tensor:
        return self._moment(1)

    def _mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        mode = ((a - 1) / (a * b - 1)) ** (1 / a)
        return ops.where((a < 1) | (b < 1), math.nan, mode)

    def _variance(self) -> Tensor:
        return self._moment(2) - self._moment(1) ** 2

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        turns = (b + 1).digamma() + euler_constant
        return (1 - 1 / b) + (1 - 1 / a) * turns - a.log() - b.log()


class _LocScale(Distribution):
    """What distributions share that are moved by `loc` and stretched by `scale`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Real, scale: Real, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, loc=loc, scale=scale)

    def _mean(self) -> Tensor:
        return self.loc

    def _mode(self) -> Tensor:
        return self.loc

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.icdf(uniform(self._extended_shape(sample_shape), self.loc))

    def _standardized(self, value: Tensor) -> Tensor:
        """How many scales `value` is above loc."""
        return (value - self.loc) / self.scale


class Laplace(_LocScale):
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


class Cauchy(_LocScale):
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


class Gumbel(_LocScale, TransformedDistribution):
    """p(x) = exp(-z - exp(-z)) / scale,  z = (x - loc)/scale: the largest of many

    It is that of loc - scale·log(-log u), where u is uniform.
    """

    def __init__(self, loc: Real, scale: Real, validate_args: Switch = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        low = ops.full_like(self.loc, limits(self.loc).tiny)
        log, flip = transforms.ExpTransform().inv, transforms.AffineTransform(0, -1)
        parts = [log, flip, log, transforms.AffineTransform(self.loc, -self.scale)]
        base = Uniform(low, ops.full_like(low, 1 - limits(low).eps), validate_args)
        TransformedDistribution.__init__(self, base, parts, validate_args)

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


# The normal one, and what is made of it -----------------------------------------------------------


class Normal(_LocScale, ExponentialFamily):
    """p(x) = exp(-z²/2) / (√(2π)·scale),  z = (x - loc)/scale

    Args:
        loc: the mean.
        scale: the standard deviation.
        validate_args: whether to look at parameters and values.

    Example:
        >>> unit = Normal(0.0, 1.0)
        >>> unit
        Normal(loc: 0.0, scale: 1.0)
        >>> unit.log_prob(tensor([0.0, 1.0]))
        tensor([-0.9189, -1.4189])
    """

    def _variance(self) -> Tensor:
        return self.scale**2

    def _stddev(self) -> Tensor:
        return self.scale

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        noise = gaussian(self._extended_shape(sample_shape), self.loc)
        return self.loc + noise * self.scale

    def _log_prob(self, value: Tensor) -> Tensor:
        z = self._standardized(value)
        return -(z**2) / 2 - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def _cdf(self, value: Tensor) -> Tensor:
        return 0.5 * (1 + (self._standardized(value) / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class LogNormal(TransformedDistribution):
    """eˣ, where x is normal.

    Args:
        loc, scale: mean and standard deviation of x.
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = Normal.arg_constraints
    support = constraints.positive

    def __init__(self, loc: Real, scale: Real, validate_args: Switch = None) -> None:
        base = Normal(loc, scale, validate_args)
        super().__init__(base, transforms.ExpTransform(), validate_args)

    loc = property_at("base_dist.loc", "The mean of the logarithm.")
    scale = property_at("base_dist.scale", "The standard deviation of the logarithm.")

    def _mean(self) -> Tensor:
        return (self.loc + self.scale**2 / 2).exp()

    def _mode(self) -> Tensor:
        return (self.loc - self.scale**2).exp()

    def _variance(self) -> Tensor:
        return (self.scale**2).expm1() * (2 * self.loc + self.scale**2).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc


class _Half(TransformedDistribution):
    """What distributions of |x| share, where x is around 0, as likely above as below.

    Args:
        scale: of x.
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    _of: ClassVar[type[_LocScale]]

    def __init__(self, scale: Real, validate_args: Switch = None) -> None:
        base = self._of(0, scale, validate_args=False)
        super().__init__(base, transforms.AbsTransform(), validate_args)

    scale = property_at("base_dist.scale", "That of x.")

    def _mode(self) -> Tensor:
        return ops.zeros_like(self.scale)

    def _log_prob(self, value: Tensor) -> Tensor:
        inside = self.base_dist.log_prob(value) + math.log(2)
        return ops.where(value >= 0, inside, -math.inf)

    def _cdf(self, value: Tensor) -> Tensor:
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """|x|, where x is normal around 0; `scale` is the standard deviation of x."""

    _of = Normal

    def _mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    def _variance(self) -> Tensor:
        return self.scale**2 * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """|x|, where x is Cauchy's around 0; it has no mean."""

    _of = Cauchy

    def _mean(self) -> Tensor:
        return ops.full_like(self.scale, math.inf)

    def _variance(self) -> Tensor:
        return self.base_dist.variance


def _precision_to_scale_tril(P: Tensor) -> Tensor:
    """L with L·Lᵀ = P⁻¹, by the factor of P from its other end: P⁻¹ is not computed.

    See also: https://nbviewer.org/gist/fehiepsi/5ef8e09e61604f10607380467eb82006
    """
    factor = _linalg.cholesky(P.flip(-2, -1)).flip(-2, -1).mT
    one = ops.eye(P.shape[-1], dtype=P.dtype, device=P.device)
    return _linalg.solve_triangular(factor, one, upper=False)


class ByMatrix(Distribution):
    """What distributions share that take a matrix L·Lᵀ, its inverse, or its factor L."""

    @staticmethod
    def _chosen(**matrices: Tensor | None) -> tuple[str, Tensor]:
        """The name of the matrix that was given, and the matrix."""
        given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
        if len(given) != 1:
            raise ArgumentError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                f"specified, got {len(given)}. Each says the same. Leave the others out."
            )
        ((name, matrix),) = given
        if matrix.ndim < 2:
            raise ArgumentError(
                f"{name} must be at least two-dimensional, with optional leading batch dimensions, "
                f"got shape {tuple(matrix.shape)}. It has a number for each two entries."
            )
        return name, matrix

    @lazy_property
    def scale_tril(self) -> Tensor:
        """L."""
        if "precision_matrix" in vars(self):
            return _precision_to_scale_tril(self.precision_matrix)
        return _linalg.cholesky(self.covariance_matrix)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """L·Lᵀ."""
        return self.scale_tril @ self.scale_tril.mT

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of L·Lᵀ."""
        return _linalg.inv(self.covariance_matrix)

    def log_volume(self) -> Tensor:
        """Log det L."""
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class NormalVectors(ByMatrix):
    """What distributions of vectors share whose entries are sums of normal numbers."""

    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    def _mean(self) -> Tensor:
        return self.loc

    def _mode(self) -> Tensor:
        return self.loc

    def entropy(self) -> Tensor:
        return 0.5 * self.event_shape[0] * (1 + math.log(2 * math.pi)) + self.log_volume()


class MultivariateNormal(NormalVectors):
    """Vectors around `loc`: loc + L·x, where the entries of x are normal.

    Args:
        loc: the mean, of shape `(*batch, n)`.
        covariance_matrix: L·Lᵀ, of shape `(*batch, n, n)`; or:
        precision_matrix: its inverse; or:
        scale_tril: L, lower triangular with a positive diagonal.
        validate_args: whether to look at parameters and values.

    Raises:
        ArgumentError: for none or several of the three, or fewer dims.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: Switch = None,
    ) -> None:
        if loc.ndim < 1:
            raise ArgumentError(
                "loc must be at least one-dimensional: it is the mean of a vector, got a number. "
                "Write `Normal(loc, scale)` for numbers."
            )
        name, matrix = self._chosen(
            covariance_matrix=covariance_matrix,
            precision_matrix=precision_matrix,
            scale_tril=scale_tril,
        )
        batch_shape = ops.zeros(matrix.shape[:-2]).add(ops.zeros(loc.shape[:-1])).shape
        self.loc = loc.expand((*batch_shape, -1))
        vars(self)[name] = matrix.expand((*batch_shape, -1, -1))
        super().__init__(batch_shape, loc.shape[-1:], validate_args)

    def _variance(self) -> Tensor:
        return (self.scale_tril**2).sum(-1)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        noise = gaussian(self._extended_shape(sample_shape), self.loc)
        return self.loc + (self.scale_tril @ noise.unsqueeze(-1)).squeeze(-1)

    def _log_prob(self, value: Tensor) -> Tensor:
        difference = value - self.loc
        half = solved(self.scale_tril, difference.unsqueeze(-1)).squeeze(-1)
        n = self.event_shape[0]
        return -0.5 * (n * math.log(2 * math.pi) + (half**2).sum(-1)) - self.log_volume()


class LowRankMultivariateNormal(NormalVectors):
    """Vectors around `loc` with the covariance W·Wᵀ + diag(d), where W has few columns.

    Args:
        loc: the mean, of shape `(*batch, n)`.
        cov_factor: W, of shape `(*batch, n, m)`.
        cov_diag: d, of shape `(*batch, n)`, positive.
        validate_args: whether to look at parameters and values.

    Raises:
        ArgumentError: if the shapes do not fit.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }

    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: Switch = None
    ) -> None:
        n = loc.shape[-1:]
        for is_so, sentence in (
            (loc.ndim >= 1, "loc must be at least one-dimensional"),
            (cov_factor.ndim >= 2, "cov_factor must be at least two-dimensional"),
            (
                cov_factor.shape[-2:-1] == n,
                "cov_factor must be a batch of matrices with shape nxm",
            ),
            (cov_diag.shape[-1:] == n, f"cov_diag must be a batch of vectors with shape {n}"),
        ):
            if not is_so:
                raise ArgumentError(
                    f"{sentence}, got the shapes {list(loc.shape)}, {list(cov_factor.shape)} and "
                    f"{list(cov_diag.shape)}. They are those of (n,), (n, m) and (n,)."
                )
        parts = ops.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        self.loc, self.cov_factor, self.cov_diag = parts[0][..., 0], parts[1], parts[2][..., 0]
        Distribution.__init__(self, self.loc.shape[:-1], n, validate_args)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """W·Wᵀ + diag(d)."""
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @property
    def _inner(self) -> tuple[Tensor, Any]:
        """Wᵀ/d, and the Cholesky factor of 1 + Wᵀ/d·W, which has the size of m."""
        scaled = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        inner = scaled @ self.cov_factor
        one = ops.eye(inner.shape[-1], dtype=inner.dtype, device=inner.device)
        return scaled, _linalg.cholesky(inner + one)

    def _variance(self) -> Tensor:
        return (self.cov_factor**2).sum(-1) + self.cov_diag

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        inner = gaussian((*shape[:-1], self.cov_factor.shape[-1], 1), self.loc)
        noise = gaussian(shape, self.loc) * self.cov_diag.sqrt()
        return self.loc + (self.cov_factor @ inner).squeeze(-1) + noise

    def _log_prob(self, value: Tensor) -> Tensor:
        """By Woodbury's identity, so that no matrix of the size n is inverted."""
        difference = value - self.loc
        scaled, lower = self._inner
        half = solved(lower, scaled @ difference.unsqueeze(-1)).squeeze(-1)
        squares = (difference**2 / self.cov_diag).sum(-1) - (half**2).sum(-1)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + squares) - self.log_volume()

    def log_volume(self) -> Tensor:
        _, lower = self._inner
        inner = lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return inner + 0.5 * self.cov_diag.log().sum(-1)


def solved(lower: Tensor, right: Tensor) -> Any:
    """L⁻¹ times a matrix."""
    return _linalg.solve_triangular(lower, right, upper=False)


# That of waiting times, and what is made of it ----------------------------------------------------


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


class Gamma(ExponentialFamily):
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

    def __init__(self, concentration: Real, rate: Real, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, concentration=concentration, rate=rate)

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
        value = self._validated(ops.as_tensor(value, dtype=self.rate.dtype))
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
    _kept = Gamma.arg_constraints

    def __init__(self, df: Real, validate_args: Switch = None) -> None:
        (degrees,) = broadcast_all(df)
        self.concentration, self.rate = broadcast_all(0.5 * degrees, 0.5)
        Distribution.__init__(self, degrees.shape, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """How many numbers are squared."""
        return self.concentration * 2


class Exponential(ExponentialFamily):
    """p(x) = rate·exp(-rate·x): how long to wait for what happens `rate` times in a unit of time

    Example:
        >>> Exponential(2.0).mean
        tensor(0.5000)
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    rate: Tensor

    def __init__(self, rate: Real, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, rate=rate)

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


class Dirichlet(ExponentialFamily):
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

    def __init__(self, concentration: Tensor, validate_args: Switch = None) -> None:
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


class Beta(ExponentialFamily):
    """A share: p(x) ∝ x^(a - 1)·(1 - x)^(b - 1),  a = concentration1, b = concentration0

    Example:
        >>> Beta(1.0, 3.0).mean
        tensor(0.2500)
    """

    arg_constraints = _TWO_CONCENTRATIONS
    support = constraints.unit_interval
    has_rsample = True
    concentration1: Tensor
    concentration0: Tensor

    def __init__(
        self, concentration1: Real, concentration0: Real, validate_args: Switch = None
    ) -> None:
        self._set_parameters(
            validate_args, concentration1=concentration1, concentration0=concentration0
        )

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


class StudentT(_LocScale):
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
        self, df: Real, loc: Real = 0.0, scale: Real = 1.0, validate_args: Switch = None
    ) -> None:
        self._set_parameters(validate_args, df=df, loc=loc, scale=scale)

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


class FisherSnedecor(Distribution):
    """The ratio of two `Chi2` numbers, each divided by its degrees of freedom: df1 over df2

    Example:
        >>> FisherSnedecor(2.0, 4.0).mean
        tensor(2.)
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    df1: Tensor
    df2: Tensor

    def __init__(self, df1: Real, df2: Real, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, df1=df1, df2=df2)

    def _mean(self) -> Tensor:
        return ops.where(self.df2 <= 2, math.nan, self.df2 / (self.df2 - 2))

    def _mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return ops.where(self.df1 <= 2, math.nan, mode)

    def _variance(self) -> Tensor:
        a, b = self.df1, self.df2
        variance = 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4))
        return ops.where(b <= 4, math.nan, variance)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        above, below = (Gamma(0.5 * df, df).rsample(sample_shape) for df in (self.df1, self.df2))
        tiny = limits(above).tiny
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    def _log_prob(self, value: Tensor) -> Tensor:
        a, b, ratio = 0.5 * self.df1, 0.5 * self.df2, self.df1 / self.df2
        log_beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
        power = a * ratio.log() + (a - 1) * value.log()
        return power - (a + b) * (ratio * value).log1p() - log_beta


class GeneralizedPareto(_LocScale):
    """p(x) = (1 + c·z)^(-1/c - 1) / scale,  z = (x - loc)/scale,  c = concentration: a tail

    With c = 0 it is exponential; with c < 0 it ends at loc - scale/c.

    Example:
        >>> GeneralizedPareto(0.0, 1.0, 0.5).mean
        tensor(2.)
    """

    arg_constraints = {**_LocScale.arg_constraints, "concentration": constraints.real}
    concentration: Tensor

    def __init__(
        self, loc: Real, scale: Real, concentration: Real, validate_args: Switch = None
    ) -> None:
        self._set_parameters(validate_args, loc=loc, scale=scale, concentration=concentration)

    @property
    def support(self) -> Any:  # type: ignore[override]  # it depends on the parameters
        """From `loc` on, and with a negative concentration up to an end."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, ops.where(self.concentration < 0, end, math.inf))

    def _of(self, exponential: Any, otherwise: Any) -> Tensor:
        """One formula where the concentration is 0, the other elsewhere, given what is not 0."""
        c = self.concentration
        is_zero = ops.isclose(c, ops.zeros_like(c))
        return ops.where(is_zero, exponential, otherwise(ops.where(is_zero, 1.0, c)))

    def _mean(self) -> Tensor:
        c = self.concentration
        return ops.where(c < 1, self.loc + self.scale / (1 - c), math.nan)

    def _variance(self) -> Tensor:
        c = self.concentration
        return ops.where(c < 0.5, self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c)), math.nan)

    def icdf(self, value: Tensor) -> Tensor:
        log = (-value).log1p()
        return self.loc + self.scale * self._of(-log, lambda c: (-c * log).expm1() / c)

    def _log_prob(self, value: Tensor) -> Tensor:
        z = self._standardized(value)
        return -self.scale.log() - self._of(z, lambda c: (1 / c + 1) * (c * z).log1p())

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of how likely a value is above `value`."""
        z = self._standardized(self._validated(value))
        return self._of(-z, lambda c: -(c * z).log1p() / c)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of `cdf`."""
        return (-self.log_survival_function(value).exp()).log1p()

    def _cdf(self, value: Tensor) -> Tensor:
        return self.log_cdf(value).exp()

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1


# Made of the ones above ---------------------------------------------------------------------------


class InverseGamma(TransformedDistribution):
    """1/x, where x is `Gamma(concentration, rate)`."""

    arg_constraints = Gamma.arg_constraints
    support = constraints.positive

    def __init__(self, concentration: Real, rate: Real, validate_args: Switch = None) -> None:
        base = Gamma(concentration, rate, validate_args)
        exponent = ops.as_tensor(-1.0, dtype=base.rate.dtype, device=base.rate.device)
        super().__init__(base, transforms.PowerTransform(exponent), validate_args)

    concentration = property_at("base_dist.concentration", "That of x.")
    rate = property_at("base_dist.rate", "That of x.")

    def _mean(self) -> Tensor:
        a = self.concentration
        return ops.where(a > 1, self.rate / (a - 1), math.inf)

    def _mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    def _variance(self) -> Tensor:
        a = self.concentration
        return ops.where(a > 2, self.rate**2 / ((a - 1) ** 2 * (a - 2)), math.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class Pareto(TransformedDistribution):
    """p(x) = alpha·scaleᵅ / xᵅ⁺¹,  from `scale` on: few have very much"""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Real, alpha: Real, validate_args: Switch = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args)
        parts = [transforms.ExpTransform(), transforms.AffineTransform(0, self.scale)]
        super().__init__(base, parts, validate_args)

    @property
    def support(self) -> Any:
        """From `scale` on."""
        return constraints.greater_than_eq(self.scale)

    def _mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    def _mode(self) -> Tensor:
        return self.scale

    def _variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale**2 * a / ((a - 1) ** 2 * (a - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + 1 / self.alpha)


class Weibull(TransformedDistribution):
    """scale·x^(1/concentration), where x is exponential: how long something lasts"""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Real, concentration: Real, validate_args: Switch = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(ops.ones_like(self.scale), validate_args)
        power = transforms.PowerTransform(1 / self.concentration)
        parts = [power, transforms.AffineTransform(0, self.scale)]
        super().__init__(base, parts, validate_args)

    def _moment(self, n: int) -> Tensor:
        """The mean of (x / scale)ⁿ."""
        return (1 + n / self.concentration).lgamma().exp()

    def _mean(self) -> Tensor:
        return self.scale * self._moment(1)

    def _mode(self) -> Tensor:
        c = self.concentration
        return self.scale * ((c - 1) / c) ** (1 / c)

    def _variance(self) -> Tensor:
        return self.scale**2 * (self._moment(2) - self._moment(1) ** 2)

    def entropy(self) -> Tensor:
        c = self.concentration
        return euler_constant * (1 - 1 / c) + (self.scale / c).log() + 1


class VonMises(Distribution):
    """p(x) ∝ exp(concentration·cos(x - loc)): an angle around `loc`"""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    loc: Tensor
    concentration: Tensor

    def __init__(self, loc: Real, concentration: Real, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, loc=loc, concentration=concentration)

    def _mean(self) -> Tensor:
        return self.loc

    def _mode(self) -> Tensor:
        return self.loc

    def _variance(self) -> Tensor:
        k = self.concentration
        return 1 - _special.i1e(k) / _special.i0e(k)

    def _log_prob(self, value: Tensor) -> Tensor:
        k = self.concentration
        return k * ((value - self.loc).cos() - 1) - math.log(2 * math.pi) - _special.i0e(k).log()

    def _sample(self, sample_shape: Shape) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return draw("vonmises", shape, self.loc, self.concentration)
