"""Distributions of counts: what happens or not, how often, and which of several."""

from typing import Any

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, MissingRuleError
from glassgrad.core.tensor import Size, Tensor

from . import constraints
from .distribution import Distribution, ExponentialFamily, Real, Shape, Switch, _ByProbs
from .utils import draw, limits, softplus, uniform

__all__ = [
    "Bernoulli",
    "Binomial",
    "Categorical",
    "Geometric",
    "Multinomial",
    "NegativeBinomial",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Poisson",
]

# What happens or not ------------------------------------------------------------------------------


class Bernoulli(_ByProbs, ExponentialFamily):
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

    def _sample(self, sample_shape: Shape) -> Tensor:
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


class Geometric(_ByProbs):
    """How often it does not happen before it does: p(k) = (1 - p)ᵏ·p

    Args:
        probs: the probability p, above 0; or:
        logits: log p/(1 - p).
        validate_args: whether to look at parameters and values.
    """

    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Switch = None) -> None:
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

    def _sample(self, sample_shape: Shape) -> Tensor:
        drawn = uniform(self._extended_shape(sample_shape), self.probs)
        return (drawn.log() / (-self.probs).log1p()).floor()

    def _log_prob(self, value: Tensor) -> Tensor:
        probs = ops.where((self.probs == 1) & (value == 0), 0.0, self.probs)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return Bernoulli(self.probs, validate_args=False).entropy() / self.probs


class _Counted(_ByProbs):
    """What distributions of a number of trials share."""

    total_count: Tensor

    def _set_counts(self, validate_args: Switch, total_count: Real, **chosen: Any) -> None:
        (given,) = chosen.values()
        if isinstance(total_count, Tensor) and isinstance(given, Tensor):
            total_count = total_count.type_as(given)
        self._set_parameters(validate_args, total_count=total_count, **chosen)


class Binomial(_Counted):
    """How often it happens in `total_count` trials: p(k) = (n over k)·pᵏ·(1 - p)ⁿ⁻ᵏ

    Args:
        total_count: how many trials.
        probs: the probability p in each; or:
        logits: log p/(1 - p).
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        **_ByProbs.arg_constraints,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: Switch = None,
    ) -> None:
        self._set_counts(validate_args, total_count, **self._one_of(probs, logits))

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

    def _sample(self, sample_shape: Shape) -> Tensor:
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


class NegativeBinomial(_Counted):
    """How often it happens before it has failed `total_count` times.

    Args:
        total_count: how many failures, a number that need not be whole.
        probs: the probability that it happens, below 1; or:
        logits: log p/(1 - p).
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Real,
        probs: Any = None,
        logits: Any = None,
        validate_args: Switch = None,
    ) -> None:
        self._set_counts(validate_args, total_count, **self._one_of(probs, logits))

    def _mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    def _mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0)

    def _variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    def _sample(self, sample_shape: Shape) -> Tensor:
        shape = self._extended_shape(sample_shape)
        rate = draw("standard_gamma", shape, self.total_count) * self.logits.exp()
        return draw("poisson", shape, rate)

    def _log_prob(self, value: Tensor) -> Tensor:
        n = self.total_count
        chances = -n * softplus(self.logits) - value * softplus(-self.logits)
        ways = (n + value).lgamma() - (value + 1).lgamma() - n.lgamma()
        return chances + ops.where(n + value == 0, 0.0, ways)


class Poisson(ExponentialFamily):
    """How often it happens in a unit of time: p(k) = rateᵏ·exp(-rate) / k!

    Example:
        >>> Poisson(4.0).stddev
        tensor(2.)
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    rate: Tensor

    def __init__(self, rate: Real, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, rate=rate)

    def _mean(self) -> Tensor:
        return self.rate

    def _mode(self) -> Tensor:
        return self.rate.floor()

    def _variance(self) -> Tensor:
        return self.rate

    def _sample(self, sample_shape: Shape) -> Tensor:
        return draw("poisson", self._extended_shape(sample_shape), self.rate)

    def _log_prob(self, value: Tensor) -> Tensor:
        return value.xlogy(self.rate) - self.rate - (value + 1).lgamma()


# One class of several, or how often each ----------------------------------------------------------


class _OfClasses(_ByProbs):
    """What distributions over classes share.

    Args:
        probs: how likely each class is, compared with the others: shape `(*batch, n)`; or:
        logits: the logarithms of that.
        validate_args: whether to look at parameters and values.

    Raises:
        ArgumentError: for both or none, or a number.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _is_binary = False

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Switch = None) -> None:
        ((name, given),) = self._one_of(probs, logits).items()
        if given.ndim < 1:
            raise ArgumentError(
                f"`{name}` parameter must be at least one-dimensional: it has a number for each "
                "class. Write `tensor([…])`."
            )
        if name == "probs":
            self.probs = given / given.sum(-1, keepdim=True)
        else:
            self.logits = given - given.logsumexp(-1, keepdim=True)
        Distribution.__init__(self, self.param_shape[:-1], self._event(), validate_args)

    def _event(self) -> Any:
        return self.param_shape[-1:]

    def _drawn_classes(self, sample_shape: Shape) -> Tensor:
        """Numbers of classes, of the shape `(*sample_shape, *batch)`."""
        count = int(Size(sample_shape).numel())
        weights = self.probs.detach().reshape((-1, self.param_shape[-1]))
        drawn = ops.multinomial(weights, count, replacement=True) if count else weights[:, :0]
        return drawn.T.reshape((*sample_shape, *self.batch_shape)).long()

    def _one_hot(self, classes: Tensor) -> Tensor:
        numbers = ops.arange(self.param_shape[-1], device=classes.device)
        return (numbers == classes.unsqueeze(-1)).type_as(self.probs)


class Categorical(_OfClasses):
    """The number of a class.

    Example:
        >>> classes = Categorical(probs=tensor([1.0, 3.0]))
        >>> classes.log_prob(tensor(1)).exp()
        tensor(0.7500)
        >>> classes.sample((2, 3)).shape
        glassgrad.Size([2, 3])
    """

    def _event(self) -> Any:
        return ()

    @property
    def support(self) -> Any:
        """0 to n - 1."""
        return constraints.integer_interval(0, self.param_shape[-1] - 1)

    def _mean(self) -> Tensor:
        return ops.full_like(self.probs[..., 0], float("nan"))

    def _mode(self) -> Tensor:
        return self.probs.argmax(-1)

    def _variance(self) -> Tensor:
        return ops.full_like(self.probs[..., 0], float("nan"))

    def _sample(self, sample_shape: Shape) -> Tensor:
        return self._drawn_classes(sample_shape)

    def _log_prob(self, value: Tensor) -> Tensor:
        index = value.long().unsqueeze(-1)
        shape = ops.broadcast_shapes(index.shape, self.param_shape)
        index = index.expand((*shape[:-1], 1))
        return self.logits.expand(shape).gather(-1, index).squeeze(-1)

    def entropy(self) -> Tensor:
        lowest = limits(self.logits).min  # so that 0·log 0 is 0
        return -(self.logits.clamp(min=lowest) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self.param_shape[-1]
        return enumerated(count, self.batch_shape, self.mode, expand=expand)


class OneHotCategorical(_OfClasses):
    """A class as a vector of zeros with a one in its place.

    Example:
        >>> OneHotCategorical(probs=tensor([0.0, 1.0])).sample()
        tensor([0., 1.])
    """

    support = constraints.one_hot

    def _mean(self) -> Tensor:
        return self.probs

    def _mode(self) -> Tensor:
        return self._one_hot(self.probs.argmax(-1))

    def _variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _sample(self, sample_shape: Shape) -> Tensor:
        return self._one_hot(self._drawn_classes(sample_shape))

    def _log_prob(self, value: Tensor) -> Tensor:
        return _classes_of(self).log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        return _classes_of(self).entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.param_shape[-1]
        values = ops.eye(n, dtype=self.probs.dtype, device=self.probs.device)
        values = values.reshape((n, *[1] * len(self.batch_shape), n))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot samples whose gradient goes to the probabilities as it is.

    See also: Bengio et al., *Gradients Through Stochastic Neurons* (2013).
    """

    has_rsample = True

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(_OfClasses):
    """How often each class comes in `total_count` draws.

    Args:
        total_count: how many draws.
        probs: how likely each class is, compared with the others: shape `(*batch, n)`; or:
        logits: the logarithms of that.
        validate_args: whether to look at parameters and values.
    """

    has_enumerate_support = False

    def __init__(
        self,
        total_count: int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: Switch = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise MissingRuleError(
                f"inhomogeneous total_count is not supported, got {type(total_count).__name__}: "
                "all have equally many draws. Write an int."
            )
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)

    @property
    def support(self) -> Any:
        """Counts that add up."""
        return constraints.multinomial(self.total_count)

    def _mean(self) -> Tensor:
        return self.probs * self.total_count

    def _variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def _sample(self, sample_shape: Shape) -> Tensor:
        drawn = self._drawn_classes((self.total_count, *sample_shape))
        return self._one_hot(drawn).sum(0)

    def _log_prob(self, value: Tensor) -> Tensor:
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        logits = ops.where((value == 0) & (self.logits == -float("inf")), 0.0, self.logits)
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        n = self.probs.new_tensor(self.total_count)
        counts = Binomial(self.total_count, self.probs, validate_args=False)
        values = counts.enumerate_support(expand=False)[1:]
        expected = (counts.log_prob(values).exp() * (values + 1).lgamma()).sum((0, -1))
        return n * _classes_of(self).entropy() - (n + 1).lgamma() + expected


def _classes_of(distribution: _OfClasses) -> Categorical:
    """The numbers of the classes of a distribution."""
    kept = vars(distribution)
    given = {name: kept[name] for name in ("logits", "probs") if name in kept}
    name, values = next(iter(given.items()))
    return Categorical(**{name: values}, validate_args=False)
