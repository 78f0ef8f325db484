"""`Distribution`: how likely values are; drawing them, and what is known of them."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Size, Tensor

from . import constraints
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

Shape = Sequence[int]


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
    _validate_args: ClassVar[bool] = True

    def __init__(
        self,
        batch_shape: Shape = (),
        event_shape: Shape = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            vars(self)["_validate_args"] = validate_args
        if self._validate_args:
            self._check_parameters()

    def _take(self, validate_args: bool | None, **parameters: Any) -> None:
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
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    def _validate_sample(self, value: Any) -> None:
        """Raise unless `value` can be a sample.

        Raises:
            ArgumentError: for another shape, or values outside of the support.
        """
        if not isinstance(value, Tensor):
            raise ArgumentError(
                "The value argument to log_prob must be a Tensor, got "
                f"{type(value).__name__}. Write `tensor(value)`."
            )
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

    def _checked(self, value: Any) -> Any:
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
        for name, constraint in self.arg_constraints.items():
            if name in vars(self):
                value = vars(self)[name]
                kept = tuple(value.shape)[value.ndim - constraint.event_dim :]
                vars(new)[name] = value.expand(tuple(batch_shape) + kept)
        new._batch_shape = Size(batch_shape)
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """What `expand` of a program's distribution fills in: a new instance of its class."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ "
                "method must also define a custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    @property
    def mean(self) -> Tensor:
        """The mean of its values."""
        raise self._missing("mean")

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        raise self._missing("mode")

    @property
    def variance(self) -> Tensor:
        """The mean squared distance from the mean."""
        raise self._missing("variance")

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Draw values, as constants."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        """Draw values that depend on the parameters, so that gradients go through them."""
        raise self._missing("rsample")

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at `value`."""
        raise self._missing("log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """How likely a value is not above `value`."""
        raise self._missing("cdf")

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
        return f"{type(self).__name__}({', '.join(parts)})"


class ByProbs(Distribution):
    """What distributions share that take probabilities, or their logits."""

    _is_binary: ClassVar[bool] = True

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
