"""Distributions of matrices: covariances, and factors of correlations."""

import math
from typing import Any

from glassgrad import linalg, ops
from glassgrad.core.errors import ArgumentError
from glassgrad.core.tensor import Tensor
from glassgrad.memory.calls import warn

from . import constraints
from .continuous import Beta, ByMatrix, Chi2, solved
from .distribution import Distribution, ExponentialFamily, Real, Shape, Switch
from .utils import broadcast_all, gaussian, limits

__all__ = ["LKJCholesky", "Wishart"]

_linalg: Any = linalg


class LKJCholesky(Distribution):
    """Cholesky factors L of matrices of correlations: p(L) ∝ ∏ Lᵢᵢ^(n - i + 2·(concentration - 1))

    So the density of L·Lᵀ is its determinant to the power concentration - 1. Rows are drawn one
    after the other, by the onion method of Lewandowski, Kurowicka & Joe, *Generating random
    correlation matrices based on vines and extended onion method* (2009).

    Args:
        dim: the number n of rows and columns, 2 or more.
        concentration: large ones make weak correlations, 1 makes all equally likely.
        validate_args: whether to look at parameters and values.

    Raises:
        ArgumentError: for fewer rows.

    Example:
        >>> LKJCholesky(2, 1.0).log_prob(eye(2))
        tensor(-0.6931)
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    concentration: Tensor

    def __init__(self, dim: int, concentration: Real = 1.0, validate_args: Switch = None) -> None:
        if dim < 2:
            raise ArgumentError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}. "
                "A correlation is that of two things."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)

    def _before(self, first: int) -> Tensor:
        """How many rows come before each row from `first` on."""
        like = self.concentration
        return ops.arange(first, self.dim, dtype=like.dtype, device=like.device)

    def _sample(self, sample_shape: Shape) -> Tensor:
        half = 0.5 * (self._before(0) - 1).clamp(min=0)
        rest = (self.concentration + 0.5 * (self.dim - 2)).unsqueeze(-1) - half
        shares = Beta(half + 0.5, rest, validate_args=False).sample(sample_shape).unsqueeze(-1)
        noise = gaussian(self._extended_shape(sample_shape), shares).tril(-1)
        length = noise.square().sum(-1, keepdim=True).sqrt()
        below = shares.sqrt() * noise / ops.where(length == 0, 1.0, length)
        diagonal = (1 - below.square().sum(-1)).clamp(min=limits(below).tiny).sqrt()
        return below + diagonal.diag_embed()

    def _log_prob(self, value: Tensor) -> Tensor:
        n, c = self.dim - 1, self.concentration
        powers = 2 * (c - 1).unsqueeze(-1) + n - self._before(1)
        terms = powers * value.diagonal(dim1=-2, dim2=-1)[..., 1:].log()
        alpha = c + 0.5 * n
        gammas: Any = ops.mvlgamma(alpha - 0.5, n)
        return terms.sum(-1) - 0.5 * n * math.log(math.pi) - gammas + n * alpha.lgamma()


class Wishart(ByMatrix, ExponentialFamily):
    """L·A·Aᵀ·Lᵀ, where A is n by `df`, of normal numbers: the scatter of `df` vectors

    Drawn by the decomposition of Bartlett, so that `df` need not be a whole number.

    Args:
        df: how many vectors, above n - 1.
        covariance_matrix: L·Lᵀ, of shape `(*batch, n, n)`; or:
        precision_matrix: its inverse; or:
        scale_tril: L, lower triangular with a positive diagonal.
        validate_args: whether to look at parameters and values.

    Raises:
        ArgumentError: for none or several of the three, fewer dims, or few vectors.

    Example:
        >>> Wishart(3.0, eye(2)).mean
        tensor([[3., 0.],
                [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    df: Tensor

    def __init__(
        self,
        df: Real,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: Switch = None,
    ) -> None:
        name, matrix = self._chosen(
            covariance_matrix=covariance_matrix,
            precision_matrix=precision_matrix,
            scale_tril=scale_tril,
        )
        degrees = df if isinstance(df, Tensor) else matrix.new_tensor(df)
        batch = ops.broadcast_shapes(matrix.shape[:-2], degrees.shape)
        n = matrix.shape[-1]
        self.df = degrees.expand(batch)
        vars(self)[name] = matrix.expand((*batch, -1, -1))
        if bool((self.df <= n - 1).any()):
            raise ArgumentError(
                f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}. Fewer vectors "
                "do not span the space."
            )
        if bool((self.df < n).any()):
            warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim."
            )
        super().__init__(batch, matrix.shape[-2:], validate_args)

    @property
    def arg_constraints(self) -> Any:
        """`df` is above n - 1."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def _times(self, factor: Tensor) -> Tensor:
        return factor[..., None, None] * self.covariance_matrix

    def _mean(self) -> Tensor:
        return self._times(self.df)

    def _mode(self) -> Tensor:
        factor = self.df - self.event_shape[-1] - 1
        return self._times(ops.where(factor <= 0, math.nan, factor))

    def _variance(self) -> Tensor:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df[..., None, None] * (v**2 + products)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        squares = Chi2(self._degrees(), validate_args=False).rsample(sample_shape)
        noise = gaussian(self._extended_shape(sample_shape), self.df).tril(-1)
        diagonal = squares.sqrt().clamp(min=limits(noise).eps)
        factor = self.scale_tril @ (noise + diagonal.diag_embed())
        return factor @ factor.mT

    def _degrees(self) -> Tensor:
        """Degrees of freedom of each row: df, df - 1 …"""
        n = self.event_shape[-1]
        return self.df.unsqueeze(-1) - ops.arange(n, dtype=self.df.dtype, device=self.df.device)

    def _scale(self) -> Tensor:
        """n/2·log 2 + log det L."""
        return self.event_shape[-1] * math.log(2) / 2 + self.log_volume()

    def _log_prob(self, value: Tensor) -> Tensor:
        n, df = self.event_shape[-1], self.df
        half = solved(self.scale_tril, _linalg.cholesky(value))
        trace = half.square().sum((-2, -1))  # of the inverse of L·Lᵀ times the value
        log_det = _linalg.slogdet(value).logabsdet
        gammas: Any = ops.mvlgamma(df / 2, n)
        return (df - n - 1) / 2 * log_det - trace / 2 - df * self._scale() - gammas

    def entropy(self) -> Tensor:
        n, df = self.event_shape[-1], self.df
        slopes = (self._degrees() / 2).digamma().sum(-1)
        gammas: Any = ops.mvlgamma(df / 2, n)
        return (n + 1) * self._scale() + gammas - (df - n - 1) / 2 * slopes + df * n / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self.event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        matrix, power = natural_params
        n = self.event_shape[-1]
        half = power + (n + 1) / 2  # of df
        log_det = _linalg.slogdet(-2 * matrix).logabsdet
        gammas: Any = ops.mvlgamma(half, n)
        return half * (n * math.log(2) - log_det) + gammas
