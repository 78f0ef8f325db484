"""`Normal`, and what is made of it: `LogNormal`, `HalfNormal`, `MultivariateNormal`."""

import math
from typing import Any

from glassgrad import linalg, ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor

from . import constraints
from .distribution import Distribution, Shape
from .transforms import AbsTransform, ExpTransform, TransformedDistribution
from .uniform import LocScale
from .utils import gaussian, lazy_property

_linalg: Any = linalg


class Normal(LocScale):
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

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    def _mean(self) -> Tensor:
        return (self.loc + self.scale**2 / 2).exp()

    def _mode(self) -> Tensor:
        return (self.loc - self.scale**2).exp()

    def _variance(self) -> Tensor:
        return (self.scale**2).expm1() * (2 * self.loc + self.scale**2).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc


class HalfNormal(TransformedDistribution):
    """|x|, where x is normal around 0.

    Args:
        scale: the standard deviation of x.
        validate_args: whether to look at parameters and values.
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args)

    @property
    def scale(self) -> Tensor:
        """The standard deviation of x."""
        return self.base_dist.scale

    def _mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    def _mode(self) -> Tensor:
        return ops.zeros_like(self.scale)

    def _variance(self) -> Tensor:
        return self.scale**2 * (1 - 2 / math.pi)

    def _log_prob(self, value: Tensor) -> Tensor:
        inside = self.base_dist.log_prob(value) + math.log(2)
        return ops.where(value >= 0, inside, -math.inf)

    def _cdf(self, value: Tensor) -> Tensor:
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class MultivariateNormal(Distribution):
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
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.ndim < 1:
            raise ArgumentError(
                "loc must be at least one-dimensional: it is the mean of a vector, got a number. "
                "Write `Normal(loc, scale)` for numbers."
            )
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
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
        batch_shape = ops.zeros(matrix.shape[:-2]).add(ops.zeros(loc.shape[:-1])).shape
        self.loc = loc.expand((*batch_shape, -1))
        vars(self)[name] = matrix.expand((*batch_shape, -1, -1))
        super().__init__(batch_shape, loc.shape[-1:], validate_args)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """L."""
        if "covariance_matrix" in vars(self):
            return _linalg.cholesky(self.covariance_matrix)
        return _linalg.cholesky(_linalg.inv(self.precision_matrix))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """L·Lᵀ."""
        return self.scale_tril @ self.scale_tril.mT

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of L·Lᵀ."""
        return _linalg.inv(self.covariance_matrix)

    def _mean(self) -> Tensor:
        return self.loc

    def _mode(self) -> Tensor:
        return self.loc

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

    def entropy(self) -> Tensor:
        return 0.5 * self.event_shape[0] * (1 + math.log(2 * math.pi)) + self.log_volume()

    def log_volume(self) -> Tensor:
        """Log det L."""
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def solved(lower: Tensor, right: Tensor) -> Any:
    """L⁻¹ times a matrix."""
    return _linalg.solve_triangular(lower, right, upper=False)
