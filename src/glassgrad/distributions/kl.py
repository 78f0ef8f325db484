"""`kl_divergence`: how much is lost when one distribution is taken for another."""

import math
from collections.abc import Callable
from typing import Any

from glassgrad import ops
from glassgrad.core.errors import ArgumentTypeError, MissingRuleError
from glassgrad.core.tensor import Tensor

from . import continuous, discrete
from .distribution import Distribution, ExponentialFamily, Independent
from .transforms import TransformedDistribution
from .utils import euler_constant, softplus, sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Tensor]
_rules: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Rule], Rule]:
    """Declare a function to be the KL divergence between distributions of two classes.

    Raises:
        ArgumentTypeError: for anything but classes: those of distributions, or what they share.
    """
    for name, given in (("type_p", type_p), ("type_q", type_q)):
        kind: Any = given
        if not isinstance(kind, type):
            raise ArgumentTypeError(
                f"Expected {name} to be a Distribution subclass but got {given}. "
                "Rules are found by the classes. Write `@register_kl(Normal, Normal)`."
            )

    def register(rule: Rule) -> Rule:
        _rules[type_p, type_q] = rule
        return rule

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p ∥ q) = E[log p(x) - log q(x)], x drawn from p; one number for each of them.

    Raises:
        NotImplementedError: if nobody has registered a rule for these two classes.

    Example:
        >>> unit, wide = (continuous.Normal(0.0, scale) for scale in (1.0, 2.0))
        >>> kl_divergence(unit, wide)
        tensor(0.3181)
    """
    # The rule of the nearest classes, as methods are looked up: that of p counts first.
    for ours in type(p).__mro__:
        for theirs in type(q).__mro__:
            if (ours, theirs) in _rules:
                return _rules[ours, theirs](p, q)
    raise MissingRuleError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
        f"{type(q).__name__}. Write a function and register it: `@register_kl(P, Q)`, or take the "
        "mean of `p.log_prob(x) - q.log_prob(x)` over samples."
    )


@register_kl(continuous.Normal, continuous.Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log())


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Tensor:
    """The divergence of Bregman, of the logarithms of what the densities are divided by."""
    if type(p) is not type(q):
        raise MissingRuleError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
            f"{type(q).__name__}: The cross KL-divergence between different exponential families "
            "cannot be computed using Bregman divergences. Take the mean of the difference over "
            "samples."
        )
    natural, log_norm, means = p._means()
    result = q._log_normalizer(*q._natural_params) - log_norm
    for ours, theirs, mean in zip(natural, q._natural_params, means, strict=True):
        term = (theirs - ours) * mean
        result = result - sum_rightmost(term, term.ndim - log_norm.ndim)
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise MissingRuleError(
            "No KL(p || q) is implemented between values that are transformed in two ways. "
            "Take the mean of `p.log_prob(x) - q.log_prob(x)` over samples."
        )
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise MissingRuleError(
            "No KL(p || q) is implemented for Independents of different "
            "reinterpreted_batch_ndims. Take as many dims from both."
        )
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(continuous.NormalVectors, continuous.NormalVectors)
def _multivariate_normal(p: Any, q: Any) -> Any:
    spread = continuous.solved(q.scale_tril, p.scale_tril)
    shift = continuous.solved(q.scale_tril, (q.loc - p.loc).unsqueeze(-1))
    quadratic = (spread**2).sum((-2, -1)) + (shift**2).sum((-2, -1))
    return q.log_volume() - p.log_volume() + 0.5 * (quadratic - p.event_shape[0])


@register_kl(continuous.ContinuousBernoulli, continuous.ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    ours, theirs = (each._log_norm() - softplus(each.logits) for each in (p, q))
    return p.mean * (p.logits - q.logits) + ours - theirs


@register_kl(continuous.Uniform, continuous.Uniform)
def _uniform(p: Any, q: Any) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return ops.where((q.low > p.low) | (q.high < p.high), math.inf, result)


@register_kl(continuous.Laplace, continuous.Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(continuous.Cauchy, continuous.Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    squares = (p.scale + q.scale) ** 2 + (p.loc - q.loc) ** 2
    return squares.log() - (4 * p.scale * q.scale).log()


@register_kl(continuous.Gumbel, continuous.Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    tail = (-shift + (1 + ratio).lgamma()).exp()
    return -ratio.log() + shift + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(continuous.Pareto, continuous.Pareto)
def _pareto(p: Any, q: Any) -> Tensor:
    steeper = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - steeper.log() + steeper - 1
    return ops.where(p.scale < q.scale, math.inf, result)


@register_kl(continuous.Beta, continuous.Normal)
@register_kl(continuous.Exponential, continuous.Normal)
@register_kl(continuous.Gamma, continuous.Normal)
@register_kl(continuous.Gumbel, continuous.Normal)
@register_kl(continuous.Laplace, continuous.Normal)
@register_kl(continuous.Uniform, continuous.Normal)
def _to_normal(p: Any, q: Any) -> Any:
    """Log of the normal density is a square, so mean and variance of p are enough."""
    squares = (p.variance + (p.mean - q.loc) ** 2) / q.scale**2
    return 0.5 * (math.log(2 * math.pi) + squares) + q.scale.log() - p.entropy()


@register_kl(continuous.Normal, continuous.Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Any:
    shift = (p.loc - q.loc) / q.scale
    tail = (0.5 * (p.scale / q.scale) ** 2 - shift).exp()
    return shift + tail + q.scale.log() - p.entropy()


@register_kl(continuous.Normal, continuous.Laplace)
def _normal_laplace(p: Any, q: Any) -> Any:
    shift = (p.loc - q.loc) / p.scale
    distance = (
        shift * (shift / math.sqrt(2)).erf() + math.sqrt(2 / math.pi) * (-(shift**2) / 2).exp()
    )
    return (2 * q.scale).log() + distance * p.scale / q.scale - p.entropy()


@register_kl(continuous.Beta, continuous.Uniform)
def _beta_uniform(p: Any, q: Any) -> Tensor:
    result = (q.high - q.low).log() - p.entropy()
    return ops.where((q.low > 0) | (q.high < 1), math.inf, result)


@register_kl(continuous.Exponential, continuous.Exponential)
@register_kl(continuous.Exponential, continuous.Gamma)
@register_kl(continuous.Gamma, continuous.Exponential)
@register_kl(continuous.Gamma, continuous.Gamma)
def _gamma(p: Any, q: Any) -> Any:
    """An exponential distribution is Gamma(1, rate)."""
    a, b = [getattr(each, "concentration", ops.ones_like(each.rate)) for each in (p, q)]
    gammas = b.lgamma() - a.lgamma() + (a - b) * a.digamma()
    return b * (p.rate / q.rate).log() + gammas + (q.rate - p.rate) * (a / p.rate)


@register_kl(continuous.Beta, continuous.Beta)
def _beta(p: Any, q: Any) -> Tensor:
    return kl_divergence(p._shares, q._shares)


@register_kl(continuous.Dirichlet, continuous.Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    gammas = total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return gammas + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(discrete.Bernoulli, discrete.Bernoulli)
def _bernoulli(p: Any, q: Any) -> Tensor:
    yes = _share(p.probs, p.probs.log() - q.probs.log())
    return yes + _share(1 - p.probs, (-p.probs).log1p() - (-q.probs).log1p())


def _share(weight: Tensor, difference: Tensor) -> Tensor:
    """weight·difference; 0 where the weight is 0."""
    return ops.where(weight == 0, 0.0, weight * difference)


@register_kl(discrete.Categorical, discrete.Categorical)
@register_kl(discrete.OneHotCategorical, discrete.OneHotCategorical)
def _categorical(p: Any, q: Any) -> Tensor:
    terms = ops.where(q.probs == 0, math.inf, p.probs * (p.logits - q.logits))
    return ops.where(p.probs == 0, 0.0, terms).sum(-1)


@register_kl(discrete.Binomial, discrete.Binomial)
def _binomial(p: Any, q: Any) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise MissingRuleError(
            "KL between Binomials where q.total_count > p.total_count is not implemented: their "
            "ways do not cancel. Take the mean of the difference over samples."
        )
    gain = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return ops.where(p.total_count > q.total_count, math.inf, p.total_count * gain)


@register_kl(discrete.Geometric, discrete.Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(discrete.Poisson, discrete.Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)
