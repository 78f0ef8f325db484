"""Distributions made of others: several mixed, and choices that are relaxed to fractions.

A choice has no gradient. Relaxed, at a temperature, it is a share of each of the choices; the
lower the temperature, the nearer it is to a choice: Maddison et al., *The Concrete Distribution*.
"""

from typing import Any, ClassVar

from glassgrad import ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check

from . import constraints, transforms
from .continuous import Normal
from .discrete import Categorical
from .distribution import Distribution, Real, Shape, Switch, _ByProbs
from .transforms import TransformedDistribution
from .utils import clamp_probs, property_at, uniform

__all__ = ["LogisticNormal", "MixtureSameFamily", "RelaxedBernoulli", "RelaxedOneHotCategorical"]


class MixtureSameFamily(Distribution):
    """One of several distributions of a kind is chosen, then a value is drawn from it.

    Args:
        mixture_distribution: which one is chosen: a Categorical of shape `batch`.
        component_distribution: what is chosen among: a distribution of shape `(*batch, n)`.
        validate_args: whether to look at values.

    Raises:
        ArgumentError: if they do not fit each other.

    Example:
        >>> two = Normal(tensor([-1.0, 1.0]), 0.5)
        >>> MixtureSameFamily(Categorical(ones(2)), two).mean
        tensor(0.)
    """

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: Switch = None,
    ) -> None:
        for name, given, kind in (
            ("Mixture", mixture_distribution, Categorical),
            ("Component", component_distribution, Distribution),
        ):
            wanted = f"The {name} distribution needs to be an instance of torch.distributions."
            why = "The first chooses, the second draws."
            check.kind(wanted + kind.__name__, given, kind, why, ArgumentError)
        batch, n = component_distribution.batch_shape[:-1], component_distribution.batch_shape[-1:]
        chosen = mixture_distribution.batch_shape
        if any(1 != a != b != 1 for a, b in zip(reversed(chosen), reversed(batch), strict=False)):
            raise ArgumentError(
                f"`mixture_distribution.batch_shape` ({chosen}) is not compatible with "
                f"`component_distribution.batch_shape`({batch}). There is a choice for each."
            )
        if mixture_distribution.param_shape[-1:] != n:
            raise ArgumentError(
                f"`mixture_distribution component` ({mixture_distribution.param_shape[-1]}) does "
                f"not equal `component_distribution.batch_shape[-1]` ({n[0] if n else None}). Each "
                "choice has a distribution."
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        super().__init__(batch, component_distribution.event_shape, validate_args)

    mixture_distribution = property_at("_mixture_distribution", "Which one is chosen.")
    component_distribution = property_at("_component_distribution", "What is chosen among.")

    @property
    def support(self) -> Any:
        """What all of them have in common."""
        return constraints.MixtureSameFamilyConstraint(self.component_distribution.support)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        n = self.component_distribution.batch_shape[-1]
        new._component_distribution = self.component_distribution.expand((*batch_shape, n))
        new._mixture_distribution = self.mixture_distribution.expand(batch_shape)
        return new

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
        )

    def _for_each(self, value: Tensor) -> Tensor:
        """Values with a dim for the distributions that may have been chosen."""
        return value.unsqueeze(-1 - len(self.event_shape))

    def _weighted(self, values: Tensor) -> Tensor:
        """The mean over these distributions, by how likely they are."""
        ones = (1,) * len(self.event_shape)
        probs = self.mixture_distribution.probs
        return (probs.reshape((*probs.shape, *ones)) * values).sum(-1 - len(ones))

    def _mean(self) -> Tensor:
        return self._weighted(self.component_distribution.mean)

    def _variance(self) -> Tensor:
        within = self._weighted(self.component_distribution.variance)
        apart = self.component_distribution.mean - self._for_each(self.mean)
        return within + self._weighted(apart**2)

    def _log_prob(self, value: Tensor) -> Tensor:
        each = self.component_distribution.log_prob(self._for_each(value))
        return (each + self.mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def _cdf(self, value: Tensor) -> Tensor:
        below = self.component_distribution.cdf(self._for_each(value))
        return (below * self.mixture_distribution.probs).sum(-1)

    def _sample(self, sample_shape: Shape) -> Tensor:
        chosen = self.mixture_distribution.sample(sample_shape)
        drawn = self.component_distribution.sample(sample_shape)
        dim = chosen.ndim
        wide = chosen.reshape((*chosen.shape, 1, *[1] * len(self.event_shape)))
        wide = wide.expand((*chosen.shape, 1, *self.event_shape))
        return drawn.gather(dim, wide).squeeze(dim)


class LogitRelaxedBernoulli(_ByProbs):
    """The logit of a relaxed 0 or 1: (logits + log u - log(1 - u))/temperature, u uniform"""

    support = constraints.real
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Switch = None
    ) -> None:
        self.temperature = ops.as_tensor(temperature)
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        drawn = clamp_probs(uniform(self._extended_shape(sample_shape), self.probs))
        probs = clamp_probs(self.probs)
        odds = drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()
        return odds / self.temperature

    def _log_prob(self, value: Tensor) -> Tensor:
        difference = self.logits - value * self.temperature
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class ExpRelaxedCategorical(Distribution):
    """The logarithms of a relaxed choice: log_softmax((logits + Gumbel's)/temperature)"""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Switch = None
    ) -> None:
        self.temperature = ops.as_tensor(temperature)
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args)

    probs = property_at("_categorical.probs", "How likely each choice is.")
    logits = property_at("_categorical.logits", "The logarithms of that.")

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return new

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        drawn = clamp_probs(uniform(self._extended_shape(sample_shape), self.logits))
        return ((self.logits - (-drawn.log()).log()) / self.temperature).log_softmax(-1)

    def _log_prob(self, value: Tensor) -> Tensor:
        n = self.event_shape[0]
        scale = ops.full_like(self.temperature, n).lgamma() + (n - 1) * self.temperature.log()
        return (self.logits - value * self.temperature).log_softmax(-1).sum(-1) + scale


class _Relaxed(TransformedDistribution):
    """A relaxed choice: of the values of `_logits`, `_transform` makes shares."""

    _logits: ClassVar[type[Distribution]]
    _transform: ClassVar[type[transforms.Transform]]

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: Switch = None
    ) -> None:
        inner: Any = self._logits
        base = inner(temperature, probs, logits, validate_args)
        super().__init__(base, self._transform(), validate_args)

    temperature = property_at("base_dist.temperature", "The lower, the nearer to a choice.")
    probs = property_at("base_dist.probs", "How likely each choice is.")
    logits = property_at("base_dist.logits", "The logarithms of that, or of the odds.")


class RelaxedBernoulli(_Relaxed):
    """0 or 1, relaxed to a number in between, so that gradients go through it.

    Args:
        temperature: the lower, the nearer to 0 or 1.
        probs: the probability of 1; or:
        logits: log p/(1 - p).
        validate_args: whether to look at parameters and values.

    Example:
        >>> RelaxedBernoulli(0.5, probs=tensor(0.5)).log_prob(tensor(0.5)).exp()
        tensor(0.5000)
    """

    arg_constraints = _ByProbs.arg_constraints
    support = constraints.unit_interval
    _logits, _transform = LogitRelaxedBernoulli, transforms.SigmoidTransform


class RelaxedOneHotCategorical(_Relaxed):
    """One of several, relaxed to shares of them, so that gradients go through it.

    Args:
        temperature: the lower, the nearer to one of them.
        probs: how likely each is, compared with the others: shape `(*batch, n)`; or:
        logits: the logarithms of that.
        validate_args: whether to look at parameters and values.

    Example:
        >>> RelaxedOneHotCategorical(0.5, probs=ones(3)).rsample().shape
        glassgrad.Size([3])
    """

    arg_constraints = ExpRelaxedCategorical.arg_constraints
    support = constraints.simplex
    _logits, _transform = ExpRelaxedCategorical, transforms.ExpTransform


class LogisticNormal(TransformedDistribution):
    """Shares that add up to 1, made of a vector of normal numbers by breaking a stick.

    Args:
        loc, scale: means and standard deviations, one less than there are shares.
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = Normal.arg_constraints
    support = constraints.simplex

    def __init__(self, loc: Real, scale: Real, validate_args: Switch = None) -> None:
        base = Normal(loc, scale, validate_args)
        base = base if base.batch_shape else base.expand((1,))
        super().__init__(base, transforms.StickBreakingTransform(), validate_args)

    loc = property_at("base_dist.loc", "The means.")
    scale = property_at("base_dist.scale", "The standard deviations.")
