"""`Bernoulli`, `Binomial`, `Geometric`, `Poisson`: counts of what happens or not."""

from typing import Any

from glassgrad import ops
from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor

from . import constraints
from .distribution import ByProbs, Distribution, Shape
from .utils import draw, softplus, uniform


class Bernoulli(ByProbs):
    """1 with the probability `probs`, else 0.

    Args:
        probs: the probability; or:
        logits: log p/(1 - p).
        validate_args: whether to look at parameters and values.

    Example:
        >>> Bernoulli(probs=0.25).variance
        tensor(0.1875)
    """

    support = constraints.boolean
    has_enumerate_support = True

    def _mean(self) -> Tensor:
        return self.probs

    def _mode(self) -> Tensor:
        return ops.where(self.probs == 0.5, float("nan"), (self.probs >= 0.5).type_as(self.probs))

    def _variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            return ops.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def _log_prob(self, value: Tensor) -> Tensor:
        return -_cross_entropy(self.logits, value)

    def entropy(self) -> Tensor:
        return _cross_entropy(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return enumerated(2, self.param_shape, self.probs, expand=expand)


def _cross_entropy(logits: Tensor, value: Tensor) -> Tensor:
    """-log of the probability of `value`, also where it is a fraction."""
    return softplus(logits) - logits * value


def enumerated(count: int, batch: Any, like: Tensor, *, expand: bool) -> Tensor:
    """0, 1, … along a new first dim, repeated for each distribution or not."""
    values = ops.arange(count, dtype=like.dtype, device=like.device).reshape(
        (count, *[1] * len(batch))
    )
    return values.expand((count, *batch)) if expand else values


class Geometric(ByProbs):
    """How often it does not happen before it does: p(k) = (1 - p)ᵏ·p

    Args:
        probs: the probability p, above 0; or:
        logits: log p/(1 - p).
        validate_args: whether to look at parameters and values.
    """

    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ArgumentError(
                f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of "
                f"distribution {self!r} to be positive but found invalid values:\n{self.probs}"
            )

    def _mean(self) -> Tensor:
        return 1 / self.probs - 1

    def _mode(self) -> Tensor:
        return ops.zeros_like(self.probs)

    def _variance(self) -> Tensor:
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
            drawn = uniform(self._extended_shape(sample_shape), self.probs)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def _log_prob(self, value: Tensor) -> Tensor:
        probs = ops.where((self.probs == 1) & (value == 0), 0.0, self.probs)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return Bernoulli(self.probs, validate_args=False).entropy() / self.probs


class Binomial(ByProbs):
    """How often it happens in `total_count` trials: p(k) = (n over k)·pᵏ·(1 - p)ⁿ⁻ᵏ

    Args:
        total_count: how many trials.
        probs: the probability p in each; or:
        logits: log p/(1 - p).
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        **ByProbs.arg_constraints,
    }
    has_enumerate_support = True
    total_count: Tensor

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        chosen = self._one_of(probs, logits)
        (given,) = chosen.values()
        if isinstance(total_count, Tensor) and isinstance(given, Tensor):
            total_count = total_count.type_as(given)
        self._take(validate_args, total_count=total_count, **chosen)

    @property
    def support(self) -> Any:
        """0 to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    def _mean(self) -> Tensor:
        return self.total_count * self.probs

    def _mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().minimum(self.total_count)

    def _variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return draw("binomial", shape, self.total_count.long(), self.probs).type_as(self.probs)

    def _log_prob(self, value: Tensor) -> Tensor:
        n = self.total_count
        ways = (n + 1).lgamma() - (value + 1).lgamma() - (n - value + 1).lgamma()
        return ways + value * self.logits - n * softplus(self.logits)

    def entropy(self) -> Tensor:
        self._count("entropy")
        log_prob = self.log_prob(self.enumerate_support(expand=False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self._count("enumerate_support")
        return enumerated(count + 1, self.batch_shape, self.probs, expand=expand)

    def _count(self, asked: str) -> int:
        """`total_count`, as one number."""
        count = int(self.total_count.max())
        if not bool((self.total_count == count).all()):
            raise NotImplementedError(
                f"Inhomogeneous total count not supported by `{asked}`: there would be fewer "
                "values for some. Make a distribution for each count."
            )
        return count


class Poisson(Distribution):
    """How often it happens in a unit of time: p(k) = rateᵏ·exp(-rate) / k!

    Example:
        >>> Poisson(4.0).stddev
        tensor(2.)
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    rate: Tensor

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self._take(validate_args, rate=rate)

    def _mean(self) -> Tensor:
        return self.rate

    def _mode(self) -> Tensor:
        return self.rate.floor()

    def _variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        return draw("poisson", self._extended_shape(sample_shape), self.rate)

    def _log_prob(self, value: Tensor) -> Tensor:
        return value.xlogy(self.rate) - self.rate - (value + 1).lgamma()
