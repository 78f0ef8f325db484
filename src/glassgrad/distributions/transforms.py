"""Transforms of values, and `TransformedDistribution`: the values of another one, transformed."""

import copy
import math
from collections.abc import Sequence
from typing import Any, ClassVar

from glassgrad import ops
from glassgrad._words import LONGEST, plain
from glassgrad.core.errors import ArgumentError, ExpectationError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check

from . import constraints
from .constraints import Constraint
from .distribution import Distribution, Shape, Switch, _Derived
from .utils import (
    limits,
    property_at,
    softplus,
    sum_rightmost,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "identity_transform",
]


class Transform:
    """A function of values with an inverse, and how much it stretches.

    Args:
        cache_size: 1: remember the last value, so that its inverse is exact.

    Attributes:
        domain, codomain: from which values to which it leads.
        bijective: whether it has an inverse.

    Example:
        >>> transform = ExpTransform()
        >>> y = transform(tensor(0.5))
        >>> transform.inv(y)
        tensor(0.5000)
    """

    domain: Constraint = constraints.real
    codomain: Constraint = constraints.real
    bijective: Any = True
    _made_of: ClassVar[tuple[str, ...]] = ()  # the names of what makes two of a class equal

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._last: tuple[Any, Any] = (None, None)

    def __call__(self, x: Tensor) -> Tensor:
        y = self._call(x)
        if self._cache_size:
            self._last = (x, y)
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        """Where `y` comes from: exactly, if it was made last and `cache_size` is 1."""
        return self._last[0] if y is self._last[1] else self._inverse(y)

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Log |dy/dx|."""
        raise NotImplementedError

    @property
    def event_dim(self) -> int:
        """How many dims make one value, if those are as many before and after.

        Raises:
            ArgumentError: if they are not.
        """
        if self.domain.event_dim != self.codomain.event_dim:
            raise ArgumentError(
                f"{self!r} makes values of {self.codomain.event_dim} dims of such with "
                f"{self.domain.event_dim}. Please use either .domain.event_dim or "
                ".codomain.event_dim."
            )
        return self.domain.event_dim

    @property
    def inv(self) -> "Transform":
        """The inverse, as a transform."""
        return _InverseTransform(self)

    def with_cache(self, cache_size: int = 1) -> "Transform":
        """The same, with another `cache_size`."""
        new = copy.copy(self)
        new._cache_size, new._last = cache_size, (None, None)
        return new

    @property
    def sign(self) -> Any:
        """1 if it rises, -1 if it falls."""
        return 1

    def forward_shape(self, shape: Shape) -> Shape:
        """The shape of what it makes of that shape."""
        return shape

    def inverse_shape(self, shape: Shape) -> Shape:
        """The shape from which it makes that one."""
        return shape

    def __eq__(self, other: object) -> bool:
        pairs = [(getattr(self, name), getattr(other, name, None)) for name in self._made_of]
        return type(self) is type(other) and all(
            bool(ops.as_tensor(ours == theirs).all()) for ours, theirs in pairs
        )

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"{plain(type(self).__name__, LONGEST)}()"


class _InverseTransform(Transform):
    """The inverse of another transform."""

    _made_of = ("_transform",)

    def __init__(self, transform: Transform) -> None:
        super().__init__()
        self._transform = transform
        self.domain, self.codomain = transform.codomain, transform.domain

    inv = property_at("_transform", "The other one.")
    sign = property_at("_transform.sign", "That of the other one.")

    def _call(self, x: Tensor) -> Tensor:
        return self._transform._inv_call(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._transform(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._transform.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Shape) -> Shape:
        return self._transform.inverse_shape(shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        return self._transform.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._transform!r})"


class ComposeTransform(Transform):
    """One transform after the other.

    Args:
        parts: the transforms, the first one first.
        cache_size: as `Transform`.
    """

    _made_of = ("parts",)

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = list(parts)
        if self.parts:
            self.domain, self.codomain = self.parts[0].domain, self.parts[-1].codomain

    @property
    def sign(self) -> Any:
        return math.prod(part.sign for part in self.parts)

    def _call(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part._inv_call(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        ndim = max([part.domain.event_dim for part in self.parts], default=0)
        total: Any = 0 if ndim else ops.zeros_like(x)
        for part in self.parts:
            after = part(x)
            stretch = part.log_abs_det_jacobian(x, after)
            total = total + sum_rightmost(stretch, ndim - part.domain.event_dim)
            ndim += part.codomain.event_dim - part.domain.event_dim
            x = after
        return total

    def forward_shape(self, shape: Shape) -> Shape:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Shape) -> Shape:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        parts = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {parts}\n)"


identity_transform = ComposeTransform([])


class ExpTransform(Transform):
    """y = eˣ"""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """y = x^exponent, of positive numbers"""

    domain = constraints.positive
    codomain = constraints.positive
    _made_of = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = ops.as_tensor(exponent)

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def _call(self, x: Tensor) -> Tensor:
        return x**self.exponent

    def _inverse(self, y: Tensor) -> Tensor:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()


class SigmoidTransform(Transform):
    """y = 1/(1 + e⁻ˣ)"""

    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return x.sigmoid()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Transform):
    """y = log(1 + eˣ)"""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y + (-(-y).expm1()).log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Transform):
    """y = tanh x"""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2 * (math.log(2) - x - softplus(-2 * x))


class AbsTransform(Transform):
    """y = |x|; its inverse gives x ≥ 0"""

    codomain = constraints.nonnegative
    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """y = loc + scale·x

    Args:
        loc, scale: tensors or numbers.
        event_dim: how many dims make one value.
        cache_size: as `Transform`.
    """

    _made_of = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc = loc
        self.scale = scale
        if event_dim:
            self.domain = self.codomain = constraints.independent(constraints.real, event_dim)

    @property
    def sign(self) -> Any:
        return self.scale.sign() if isinstance(self.scale, Tensor) else math.copysign(1, self.scale)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        stretch = (
            ops.as_tensor(self.scale, dtype=x.dtype, device=x.device).abs().log().expand(x.shape)
        )
        return sum_rightmost(stretch, self.domain.event_dim)


class IndependentTransform(Transform):
    """Another transform, whose last batch dims become dims of a value.

    Args:
        base_transform: the other one.
        reinterpreted_batch_ndims: how many dims.
        cache_size: as `Transform`.
    """

    _made_of = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.bijective = base_transform.bijective
        self.domain = constraints.independent(base_transform.domain, reinterpreted_batch_ndims)
        self.codomain = constraints.independent(base_transform.codomain, reinterpreted_batch_ndims)

    sign = property_at("base_transform.sign", "That of the other one.")

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform._inv_call(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        stretch = self.base_transform.log_abs_det_jacobian(x, y)
        return sum_rightmost(stretch, self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Shape) -> Shape:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Values of another shape.

    Args:
        in_shape, out_shape: of one value, before and after.
        cache_size: as `Transform`.

    Raises:
        ArgumentError: if the shapes have not as many elements.
    """

    _made_of = ("in_shape", "out_shape")

    def __init__(self, in_shape: Shape, out_shape: Shape, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.in_shape, self.out_shape = tuple(in_shape), tuple(out_shape)
        if math.prod(in_shape) != math.prod(out_shape):
            raise ArgumentError(
                f"in_shape, out_shape have different numbers of elements: {self.in_shape} and "
                f"{self.out_shape}. No number is added or left out."
            )
        self.domain = constraints.independent(constraints.real, len(self.in_shape))
        self.codomain = constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.ndim - len(self.in_shape)])

    def forward_shape(self, shape: Shape) -> Shape:
        return (*shape[: len(shape) - len(self.in_shape)], *self.out_shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        return (*shape[: len(shape) - len(self.out_shape)], *self.in_shape)


class SoftmaxTransform(Transform):
    """y = softmax x, along the last dim; its inverse is log y"""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = False

    def _call(self, x: Tensor) -> Tensor:
        return x.softmax(-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


class StickBreakingTransform(Transform):
    """Shares of a stick: of what is left, yᵢ = σ(xᵢ - log(n - i))·(1 - Σⱼ yⱼ),  j < i

    There is one share more than there are numbers. Zeros make equal shares.
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    @staticmethod
    def _left(x: Tensor) -> Tensor:
        """Log of how many shares come after each number."""
        n = x.shape[-1]
        return ops.arange(n, 0, -1, dtype=x.dtype, device=x.device).log()

    def _call(self, x: Tensor) -> Tensor:
        broken = (x - self._left(x)).sigmoid()
        broken = broken.clamp(limits(x).tiny, 1 - limits(x).eps)
        ones = ops.ones_like(broken[..., :1])
        return ops.cat([broken, ones], -1) * ops.cat([ones, (1 - broken).cumprod(-1)], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        shares = y[..., :-1]
        left = (1 - shares.cumsum(-1)).clamp(min=limits(y).tiny)
        return shares.log() - left.log() + self._left(shares)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        odds = x - self._left(x)
        return (-odds - softplus(-odds) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Shape) -> Shape:
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Shape) -> Shape:
        return (*shape[:-1], shape[-1] - 1)


class LowerCholeskyTransform(Transform):
    """Lower triangular matrices with a positive diagonal: the exponential of what is there."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """L·Lᵀ, where L is what `LowerCholeskyTransform` makes."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite
    _lower = LowerCholeskyTransform()

    def _call(self, x: Tensor) -> Tensor:
        lower = self._lower(x)
        return lower @ lower.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return self._lower._inverse(ops.cholesky(y))


class CorrCholeskyTransform(Transform):
    """Cholesky factors of correlations: what is below the diagonal, one row after the other

    yᵢⱼ = rᵢⱼ·√∏ₖ (1 - rᵢₖ²),  k < j,  r = tanh x,  and rᵢᵢ = 1: each row has the length 1.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky

    def _call(self, x: Tensor) -> Tensor:
        eps = limits(x).eps
        r = vec_to_tril_matrix(x.tanh().clamp(-1 + eps, 1 - eps), -1)
        left = (1 - r**2).sqrt().cumprod(-1)
        left = ops.cat([ops.ones_like(left[..., :1]), left[..., :-1]], -1)
        return (r + ops.eye(r.shape[-1], dtype=r.dtype, device=r.device)) * left

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - (y * y).cumsum(-1)
        left = ops.cat([ops.ones_like(left[..., :1]), left[..., :-1]], -1)
        return (tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()).atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Log |dy/dx|, of the numbers below the diagonal of y."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), -2)
        return 0.5 * left.log().sum(-1) - 2 * (x + softplus(-2 * x) - math.log(2)).sum(-1)

    def forward_shape(self, shape: Shape) -> Shape:
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ArgumentError(
                f"Input is not a flattened lower-diagonal number: {shape[-1]}. An n by n matrix "
                "has n·(n - 1)/2 numbers below the diagonal. Write a vector of 1, 3, 6 …"
            )
        return (*shape[:-1], n, n)

    def inverse_shape(self, shape: Shape) -> Shape:
        if len(shape) < 2 or shape[-2] != shape[-1]:
            raise ArgumentError(
                f"Input is not square: {tuple(shape)}. It is a factor of a matrix of correlations."
            )
        return (*shape[:-2], shape[-1] * (shape[-1] - 1) // 2)


class StackTransform(Transform):
    """A transform for each place along a dim.

    Args:
        tseq: the transforms.
        dim: the dim.
        cache_size: as `Transform`.

    Example:
        >>> StackTransform([ExpTransform(), identity_transform])(zeros(2))
        tensor([1., 0.])
    """

    _made_of: ClassVar[tuple[str, ...]] = ("transforms", "dim")

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.transforms, self.dim = list(tseq), dim
        wanted = "All elements of tseq must be Transform instances"
        why = "Each transforms a part. Write `ExpTransform()`."
        for transform in self.transforms:
            check.kind(wanted, transform, Transform, why, ExpectationError)
        self.bijective = all(each.bijective for each in self.transforms)
        self.domain = self._side_by_side([each.domain for each in self.transforms])
        self.codomain = self._side_by_side([each.codomain for each in self.transforms])

    def _side_by_side(self, each: list[Constraint]) -> Constraint:
        return constraints.stack(each, self.dim)

    def _split(self, x: Tensor) -> Any:
        """The parts, one for each transform."""
        said = f"x.size({self.dim}) = {{}} must equal len(transforms) {{}}"
        why = "There is a transform for each place."
        check.equal(said, x.shape[self.dim], len(self.transforms), why, ExpectationError)
        return x.unbind(self.dim)

    def _join(self, parts: list[Tensor]) -> Tensor:
        return ops.stack(parts, self.dim)

    def _call(self, x: Tensor) -> Tensor:
        return self._join(
            [t(part) for t, part in zip(self.transforms, self._split(x), strict=True)]
        )

    def _inverse(self, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._split(y), strict=True)
        return self._join([t._inv_call(part) for t, part in pairs])

    def _stretches(self, x: Tensor, y: Tensor) -> list[Tensor]:
        parts = zip(self.transforms, self._split(x), self._split(y), strict=True)
        return [t.log_abs_det_jacobian(before, after) for t, before, after in parts]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self._join(self._stretches(x, y))


class CatTransform(StackTransform):
    """A transform for each stretch along a dim.

    Args:
        tseq: the transforms.
        dim: the dim.
        lengths: of the stretches; None: 1 each.
        cache_size: as `Transform`.

    Example:
        >>> CatTransform([ExpTransform(), identity_transform], lengths=[1, 2])(zeros(3))
        tensor([1., 0., 0.])
    """

    _made_of = ("transforms", "dim", "lengths")

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        self.lengths = [1] * len(tseq) if lengths is None else list(lengths)
        said = "lengths ({}) must match transforms ({})"
        why = "Each transform has a stretch of its own. Write a length for each."
        check.equal(said, len(self.lengths), len(tseq), why, ExpectationError)
        super().__init__(tseq, dim, cache_size)

    @property
    def event_dim(self) -> int:
        """How many dims make one value."""
        return max(each.event_dim for each in self.transforms)

    @property
    def length(self) -> int:
        """Of all stretches."""
        return sum(self.lengths)

    def _side_by_side(self, each: list[Constraint]) -> Constraint:
        return constraints.cat(each, self.dim, self.lengths)

    def _split(self, x: Tensor) -> Any:
        said = f"x.size({self.dim}) = {{}} must equal length {{}}"
        why = f"There are stretches of {self.lengths}."
        check.equal(said, x.shape[self.dim], self.length, why, ExpectationError)
        return x.split(self.lengths, self.dim)

    def _join(self, parts: list[Tensor]) -> Tensor:
        return ops.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._stretches(x, y), strict=True)
        found: Any = [sum_rightmost(each, self.event_dim - t.event_dim) for t, each in pairs]
        dim = self.dim - x.ndim * (self.dim >= 0) + self.event_dim
        return ops.cat(found, dim) if dim < 0 else sum(found)  # of one value: they add up


class CumulativeDistributionTransform(Transform):
    """y = how likely a value of a distribution is not above x

    Args:
        distribution: the distribution.
        cache_size: as `Transform`.
    """

    codomain = constraints.unit_interval

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution, self.domain = distribution, distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)


class TransformedDistribution(_Derived):
    """The values of another distribution, transformed.

    Args:
        base_distribution: the other one.
        transforms: one transform, or a list of them, the first one first.
        validate_args: whether to look at parameters and values.

    Raises:
        ArgumentError: for anything but transforms.

    Example:
        >>> unit = glassgrad.distributions.Uniform(0.0, 1.0)
        >>> wider = TransformedDistribution(unit, AffineTransform(1.0, 4.0))
        >>> wider.log_prob(tensor(2.0)).exp()
        tensor(0.2500)
    """

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: Switch = None,
    ) -> None:
        given: Any = transforms
        self.transforms: list[Transform] = list(given) if isinstance(given, Sequence) else [given]
        for transform in self.transforms:
            wanted = "transforms must be a Transform or list of Transforms"
            why = "Each has to know its inverse. Write a subclass of Transform."
            check.kind(wanted, transform, Transform, why, ArgumentError)
        self.base_dist = base_distribution
        self._whole = ComposeTransform(self.transforms)
        base_shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        shape = tuple(self._whole.forward_shape(base_shape))
        self._ndim = max(
            [len(base_distribution.event_shape), *(t.codomain.event_dim for t in self.transforms)]
        )
        split = len(shape) - self._ndim
        super().__init__(shape[:split], shape[split:], validate_args)

    def _shape_before(self, shape: Shape) -> Shape:
        return self._whole.inverse_shape(shape)

    @property
    def support(self) -> Any:
        """What the last transform leads to."""
        return self.transforms[-1].codomain if self.transforms else self.base_dist.support

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        return self._whole(self.base_dist.sample(sample_shape)).detach()

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self._whole(self.base_dist.rsample(sample_shape))

    def _log_prob(self, value: Tensor) -> Tensor:
        total, ndim = None, self._ndim
        for transform in reversed(self.transforms):
            x = transform._inv_call(value)
            ndim += transform.domain.event_dim - transform.codomain.event_dim
            stretch = transform.log_abs_det_jacobian(x, value)
            stretch = sum_rightmost(stretch, ndim - transform.domain.event_dim)
            total = stretch if total is None else total + stretch
            value = x
        inside = self.base_dist.log_prob(value)
        inside = sum_rightmost(inside, ndim - len(self.base_dist.event_shape))
        return inside if total is None else inside - total

    def _cdf(self, value: Tensor) -> Tensor:
        below: Tensor = self.base_dist.cdf(self._whole._inv_call(value))
        return self._whole.sign * (below - 0.5) + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return self._whole(self.base_dist.icdf(self._whole.sign * (value - 0.5) + 0.5))
