"""`Categorical`, `OneHotCategorical`, `Multinomial`: one class of several, or how often each."""

from typing import Any

from glassgrad import ops
from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Size, Tensor

from . import constraints
from .bernoulli import Binomial, enumerated
from .distribution import ByProbs, Distribution, Shape
from .utils import limits


class _OfClasses(ByProbs):
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

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take_classes(probs, logits)
        Distribution.__init__(self, self.param_shape[:-1], self._event(), validate_args)

    def _take_classes(self, probs: Any, logits: Any) -> None:
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

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        return self._drawn_classes(sample_shape)

    def _log_prob(self, value: Tensor) -> Tensor:
        index = value.long().unsqueeze(-1)
        shape = ops.zeros(index.shape).add(ops.zeros(self.param_shape)).shape
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

    def sample(self, sample_shape: Shape = ()) -> Tensor:
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
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError(
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

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with no_grad():
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
