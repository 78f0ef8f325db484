"""`Independent`: several distributions side by side, seen as one of vectors."""

from typing import Any

from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor

from . import constraints
from .distribution import Derived, Distribution, Shape, Switch
from .utils import sum_rightmost


class Independent(Derived):
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
