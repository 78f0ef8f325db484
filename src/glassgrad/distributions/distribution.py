"""`Distribution`: how likely values are; drawing them, and what is known of them.

Then what families of distributions share, and `Independent`: several of them as one of vectors.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

from glassgrad._words import printable
from glassgrad.autograd.gradients import grad
from glassgrad.core.errors import ArgumentError, MissingRuleError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Size, Tensor
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check

from . import constraints
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits, sum_rightmost

__all__ = ["Distribution", "ExponentialFamily", "Independent"]

Shape = Sequence[int]
Real = Tensor | float  # a parameter with a number for each distribution
Switch = bool | None  # None: as `set_default_validate_args` has said


def _unknown(name: str) -> Callable[..., Tensor]:
    """In the place of a formula that a distribution does not have."""

    def refuse(distribution: "Distribution", *_: Tensor) -> Tensor:
        raise distribution._missing(name)

    return refuse


class Distribution:
    """The base of all distributions.

    Samples have the shape `sample_shape + batch_shape + event_shape`: how many were asked for, how
    many distributions there are side by side, and what one value of a distribution looks like.

    Args:
        batch_shape: the shape of the distributions that are side by side.
        event_shape: the shape of one value.
        validate_args: whether to look at parameters and values; None: the default.

    Attributes:
        arg_constraints: which values the parameters may have, by name.
        support: which values may be drawn.
        has_rsample: whether the gradient goes through a sample to the parameters.
        has_enumerate_support: whether the values can be listed.

    Raises:
        ArgumentError: for parameters outside of their constraints.

    Example:
        >>> flips = glassgrad.distributions.Bernoulli(tensor([0.5, 1.0]))
        >>> flips.log_prob(tensor([1.0, 1.0])).exp()
        tensor([0.5000, 1.0000])
        >>> flips.sample((3,)).shape
        glassgrad.Size([3, 2])
    """

    arg_constraints: Any = {}
    support: Any = None
    has_rsample: Any = False
    has_enumerate_support: Any = False
    _kept: ClassVar[Any] = {}  # parameters of other names than the constraints have
    _validate_args: ClassVar[bool] = True

    def __init__(
        self, batch_shape: Shape = (), event_shape: Shape = (), validate_args: Switch = None
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            vars(self)["_validate_args"] = validate_args
        if self._validate_args:
            self._check_parameters()

    @check.briefly
    def _set_parameters(self, validate_args: Switch, **parameters: Any) -> None:
        """Begin with parameters of one number for each distribution, brought to one shape."""
        tensors = broadcast_all(*parameters.values())
        vars(self).update(zip(parameters, tensors, strict=True))
        Distribution.__init__(self, tensors[0].shape, validate_args=validate_args)

    def _check_parameters(self) -> None:
        for name, constraint in self.arg_constraints.items():
            is_later = name not in vars(self) and isinstance(
                getattr(type(self), name, None), lazy_property
            )
            if constraints.is_dependent(constraint) or is_later:
                continue
            value = getattr(self, name)
            if not constraints.holds(constraint, value):
                raise ArgumentError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}\n"
                    "There is no such distribution. Give values that satisfy it."
                )

    def _validate_sample(self, value: Any) -> None:
        """Raise unless `value` can be a sample.

        Raises:
            ArgumentError: for another shape, or values outside of the support.
        """
        wanted = "The value argument to log_prob must be a Tensor"
        check.kind(wanted, value, Tensor, "Write `tensor(value)`.", ArgumentError)
        shape, event = tuple(value.shape), tuple(self.event_shape)
        if shape[len(shape) - len(event) :] != event:
            raise ArgumentError(
                "The right-most size of value must match event_shape: "
                f"{value.shape} vs {self.event_shape}. That is the shape of one value."
            )
        expected = tuple(self.batch_shape) + event
        for ours, theirs in zip(reversed(shape), reversed(expected), strict=False):
            if ours != theirs and 1 not in (ours, theirs):
                raise ArgumentError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{value.shape} vs {Size(expected)}. There is one value for each distribution."
                )
        if self.support is not None and not constraints.holds(self.support, value):
            raise ArgumentError(
                f"Expected value argument ({type(value).__name__} of shape {shape}) to be within "
                f"the support ({self.support!r}) of the distribution {self!r}, "
                f"but found invalid values:\n{value}"
            )

    def _validated(self, value: Any) -> Any:
        """`value`, which can be a sample."""
        if self._validate_args:
            self._validate_sample(value)
        return value

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Look at parameters and values from now on, or not, where a call does not say.

        Raises:
            ArgumentError: for anything but a boolean.
        """
        if value not in (True, False):
            raise ArgumentError(f"validate_args is a switch, got {value!r}. Write True or False.")
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Size:
        """The shape of the distributions that are side by side."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        """The same distribution, repeated side by side; no memory is copied."""
        new: Self = object.__new__(type(self)) if _instance is None else _instance
        vars(new).update(vars(self))
        for name, constraint in (self._kept or self.arg_constraints).items():
            if name in vars(self):
                value = vars(self)[name]
                kept = tuple(value.shape)[value.ndim - constraint.event_dim :]
                vars(new)[name] = value.expand(tuple(batch_shape) + kept)
        new._batch_shape = Size(batch_shape)
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """What `expand` of a program has to fill in: a new instance of its class."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise MissingRuleError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ "
                "method must also define a custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    # Questions, and the formulas that answer them: `_mean` … of the subclasses.

    @property
    def mean(self) -> Tensor:
        """The mean of its values."""
        return self._mean()

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return self._mode()

    @property
    def variance(self) -> Tensor:
        """The mean squared distance from the mean."""
        return self._variance()

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return self._stddev()

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at `value`."""
        return self._log_prob(self._validated(value))

    def cdf(self, value: Tensor) -> Tensor:
        """How likely a value is not above `value`."""
        return self._cdf(self._validated(value))

    _mean, _mode, _variance = _unknown("mean"), _unknown("mode"), _unknown("variance")
    _log_prob, _cdf = _unknown("log_prob"), _unknown("cdf")

    def _stddev(self) -> Tensor:
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Draw values, as constants."""
        with setting(grad=False):
            return self._sample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """`sample((n,))`, as it was called once."""
        said = "`sample_n(n)` will be deprecated. Use `.sample((n,))` instead."
        warn(said, FutureWarning)
        return self.sample((n,))

    def _sample(self, sample_shape: Shape) -> Tensor:
        return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        """Draw values that depend on the parameters, so that gradients go through them."""
        raise self._missing("rsample")

    def icdf(self, value: Tensor) -> Tensor:
        """Below which number a value is with the probability `value`."""
        raise self._missing("icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, along a new first dim."""
        raise self._missing("enumerate_support")

    def entropy(self) -> Tensor:
        """How much there is to learn from a sample, in nats."""
        raise self._missing("entropy")

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(
            f"{type(self)} does not implement {name}. There is no formula for it, or nobody has "
            "written it down. Draw samples, and look at those."
        )

    def _extended_shape(self, sample_shape: Shape = ()) -> Size:
        return Size((*sample_shape, *self.batch_shape, *self.event_shape))

    def __repr__(self) -> str:
        parts = []
        for name in self.arg_constraints:
            if name in vars(self):
                value = vars(self)[name]
                parts.append(f"{name}: {value if value.numel() == 1 else value.shape}")
        return printable(f"{type(self).__name__}({', '.join(parts)})")


class ExponentialFamily(Distribution):
    """p(x) = exp(⟨t(x), θ⟩ - F(θ) + k(x)): the base of those of which this is known.

    A distribution of a program says its natural parameters θ (`_natural_params`, a tuple), F
    (`_log_normalizer`) and the mean of k (`_mean_carrier_measure`). The gradient of F is the mean
    of t(x), so entropy and KL divergence follow: Nielsen & Nock, *Entropies and Cross-Entropies of
    Exponential Families* (2010).
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise self._missing("_natural_params")

    @property
    def _mean_carrier_measure(self) -> Any:
        raise self._missing("_mean_carrier_measure")

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise self._missing("_log_normalizer")

    def _means(self) -> tuple[list[Tensor], Tensor, tuple[Any, ...]]:
        """θ, as leaves; F(θ); the means of t(x)."""
        natural = [each.detach().requires_grad_() for each in self._natural_params]
        log_norm = self._log_normalizer(*natural)
        return natural, log_norm, grad(log_norm.sum(), natural, create_graph=True)

    def entropy(self) -> Tensor:
        natural, log_norm, means = self._means()
        result = log_norm - self._mean_carrier_measure
        for each, mean in zip(natural, means, strict=True):
            result = result - (each * mean).reshape((*self.batch_shape, -1)).sum(-1)
        return result


class _Derived(Distribution):
    """What distributions share that are made of another one, `base_dist`."""

    base_dist: Any

    @property
    def has_rsample(self) -> Any:
        """Whether the base has it."""
        return self.base_dist.has_rsample

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = super().expand(batch_shape, _instance)
        shape = self._shape_before((*batch_shape, *self.event_shape))
        event = len(self.base_dist.event_shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - event])
        return new

    def _shape_before(self, shape: Shape) -> Shape:
        """The shape of the base's values of which values of that shape are made."""
        return shape


class Independent(_Derived):
    """The last batch dims of another distribution become dims of its values.

    Args:
        base_distribution: the other one.
        reinterpreted_batch_ndims: how many dims.
        validate_args: whether to look at values.

    Raises:
        ArgumentError: for more dims than there are.

    Example:
        >>> vectors = Independent(glassgrad.distributions.Normal(zeros(2), ones(2)), 1)
        >>> vectors.log_prob(zeros(2))
        tensor(-1.8379)
    """

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: Switch = None,
    ) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ArgumentError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}. They are taken from those dims."
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        split = len(batch) - reinterpreted_batch_ndims
        event = (*batch[split:], *base_distribution.event_shape)
        super().__init__(batch[:split], event, validate_args)

    @property
    def support(self) -> Any:
        """That of the base, for vectors."""
        if not self.reinterpreted_batch_ndims:
            return self.base_dist.support
        return constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims)

    @property
    def has_enumerate_support(self) -> Any:
        """Whether the base has it, and no dims were taken."""
        return not self.reinterpreted_batch_ndims and self.base_dist.has_enumerate_support

    def _mean(self) -> Tensor:
        return self.base_dist.mean

    def _mode(self) -> Tensor:
        return self.base_dist.mode

    def _variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError(
                "Enumeration over cartesian product is not implemented: a vector has too many "
                "values. List those of `base_dist`."
            )
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


class _ByProbs(Distribution):
    """What distributions share that take probabilities, or their logits."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    _is_binary: ClassVar[bool] = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Switch = None) -> None:
        self._set_parameters(validate_args, **self._one_of(probs, logits))

    def _one_of(self, probs: Any, logits: Any) -> dict[str, Any]:
        if (probs is None) == (logits is None):
            raise ArgumentError(
                "Either `probs` or `logits` must be specified, but not both. Each says the same: "
                "logits are logarithms of the odds. Leave one of them out."
            )
        return {"logits": logits} if probs is None else {"probs": probs}

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=self._is_binary)

    @lazy_property
    def logits(self) -> Tensor:
        """The logarithms of the odds."""
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @property
    def param_shape(self) -> Size:
        """The shape of the probabilities."""
        kept = vars(self)
        shape: Size = (kept["probs"] if "probs" in kept else kept["logits"]).shape
        return shape
