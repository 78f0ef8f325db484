"""Constraints: which values the parameters and the samples of a distribution may have."""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from glassgrad import linalg, ops
from glassgrad.core.errors import ExpectationError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import all as all_of
from glassgrad.ops import zeros

from .utils import limits

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class Constraint:
    """A set of values.

    Attributes:
        is_discrete: whether it has gaps.
        event_dim: how many dims of a tensor make one value.
        bounds: the names of the numbers with which it is made.

    Example:
        >>> positive.check(tensor([-1.0, 2.0]))
        tensor([False,  True])
        >>> positive
        GreaterThan(lower_bound=0.0)
    """

    is_discrete = False
    event_dim = 0

    bounds: tuple[str, ...] = ()
    lower_bound: Any
    upper_bound: Any

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self.bounds, values, strict=False), **named)
        vars(self).update({name: given[name] for name in self.bounds})

    def check(self, value: Any) -> Any:
        """Whether each value is in the set: booleans, without the dims of a value."""
        raise NotImplementedError

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={vars(self)[name]}" for name in self.bounds)
        return f"{type(self).__name__.lstrip('_')}({bounds})"


class _Dependent(Constraint):
    """A set that depends on other parameters, so that it cannot be checked by itself."""


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    """Zeros with a one among them."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Real(Constraint):
    """All numbers but nan."""

    def check(self, value: Any) -> Any:
        return value == value  # all but nan


class _Between(Constraint):
    """All on the right side of each bound: `value ≥ lower_bound`, say."""

    sides: ClassVar[dict[str, Callable[[Any, Any], Any]]]

    def __init_subclass__(cls) -> None:
        cls.bounds = tuple(cls.sides)

    def check(self, value: Any) -> Any:
        held = [is_right(value, vars(self)[name]) for name, is_right in self.sides.items()]
        held += [value % 1 == 0] if self.is_discrete and value.dtype.kind not in "iub" else []
        return functools.reduce(operator.and_, held)


class _GreaterThan(_Between):
    """All above a bound."""

    sides = {"lower_bound": operator.gt}


class _GreaterThanEq(_Between):
    """All from a bound up."""

    sides = {"lower_bound": operator.ge}


class _LessThan(_Between):
    """All below a bound."""

    sides = {"upper_bound": operator.lt}


class _Interval(_Between):
    """From one bound to the other, both included."""

    sides = {"lower_bound": operator.ge, "upper_bound": operator.le}


class _HalfOpenInterval(_Between):
    """From one bound, included, to the other, left out."""

    sides = {"lower_bound": operator.ge, "upper_bound": operator.lt}


class _IntegerInterval(_Interval):
    """The integers from one bound to the other, both included."""

    is_discrete = True


class _IntegerGreaterThan(_GreaterThanEq):
    """The integers from a bound up."""

    is_discrete = True


class _Simplex(Constraint):
    """Shares that add up to 1."""

    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Counts that add up to a bound at most."""

    is_discrete = True
    event_dim = 1
    bounds = ("upper_bound",)

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    """Matrices with zeros above the diagonal."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: Any) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """Of those, the ones with rows of length 1: factors of correlations."""

    def check(self, value: Any) -> Any:
        off = (value.detach().square().sum(-1).sqrt() - 1).abs()
        return super().check(value) & (off <= 10 * value.shape[-1] * limits(value).eps).all(-1)


class _Square(Constraint):
    """Matrices with as many rows as columns."""

    event_dim = 2

    def check(self, value: Any) -> Any:
        is_square = value.shape[-2] == value.shape[-1]
        return ops.full(value.shape[:-2], is_square, device=value.device)


class _Symmetric(_Square):
    """Square matrices that are their own transposes."""

    def check(self, value: Any) -> Any:
        if value.shape[-2] != value.shape[-1]:
            return super().check(value)
        return ops.isclose(value, value.mT, atol=1e-6).flatten(-2).all(-1) & self._signs(value)

    def _signs(self, value: Any) -> Any:
        """Whether the eigenvalues have the signs that they should."""
        return super().check(value)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def _signs(self, value: Any) -> Any:
        eigenvalues: Any = linalg.eigvalsh(value)
        return (eigenvalues >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices with positive eigenvalues."""

    def _signs(self, value: Any) -> Any:
        from glassgrad.ops.matrices import CholeskyInfo

        return CholeskyInfo.apply(value) == 0


class _Stack(Constraint):
    """Several sets: one for each place along a dim of a tensor."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        super().__init__()
        self.cseq, self.dim = list(cseq), dim
        if not all(isinstance(each, Constraint) for each in cseq):
            raise ExpectationError(
                f"All elements of cseq must be Constraint instances, got {self.cseq}. "
                "Each says which values are allowed. Write `constraints.positive`."
            )
        self.is_discrete = any(each.is_discrete for each in cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]  # PyTorch's is a property as well
        most = max(each.event_dim for each in self.cseq)
        return most + (self.dim + most < 0)

    def check(self, value: Any) -> Any:
        pairs = zip(self.cseq, value.unbind(self.dim), strict=False)
        return ops.stack([each.check(part) for each, part in pairs], self.dim)


class _Cat(_Stack):
    """Several sets: one for each stretch along a dim of a tensor."""

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise ExpectationError(
                f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)}). "
                "Each set has a stretch of its own. Write a length for each."
            )

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return max(each.event_dim for each in self.cseq)

    def check(self, value: Any) -> Any:
        pairs = zip(self.cseq, value.split(self.lengths, self.dim), strict=True)
        return ops.cat([each.check(part) for each, part in pairs], self.dim)


class _IndependentConstraint(Constraint):
    """All values along some dims of a tensor together are one value."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        super().__init__()
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        found = self.base_constraint.check(value)
        if found.dim() < self.reinterpreted_batch_ndims:
            return zeros((), dtype=found.dtype)
        if self.reinterpreted_batch_ndims == 0:
            return found
        return found.flatten(found.dim() - self.reinterpreted_batch_ndims).all(-1)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The values that all distributions of a mixture may have, which are along another dim."""

    bounds = ("base_constraint",)
    base_constraint: Constraint

    @property
    def event_dim(self) -> int:  # type: ignore[override]  # PyTorch's is a property as well
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Any:
        return self.base_constraint.check(value.unsqueeze(-1 - self.event_dim)).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


def is_dependent(constraint: object) -> bool:
    """Whether a constraint depends on other parameters."""
    return isinstance(constraint, _Dependent)


def dependent_property(
    fn: Any = None,
    *,
    is_discrete: bool = False,  # noqa: ARG001  # PyTorch's arguments: the property knows
    event_dim: int = 0,  # noqa: ARG001
) -> Any:
    """A constraint that is computed from other parameters, as a property."""
    return property if fn is None else property(fn)


def holds(constraint: Constraint, value: Tensor) -> bool:
    """Whether all values of a tensor are in the set."""
    found = constraint.check(value.detach())
    return bool(found.payload.all() if type(found) is Tensor else all_of(found))


interval = _Interval
half_open_interval = _HalfOpenInterval
integer_interval = _IntegerInterval
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
independent = _IndependentConstraint
dependent = _Dependent()
boolean = _Boolean()
one_hot = _OneHot()
real = _Real()
real_vector = independent(real, 1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
unit_interval = interval(0.0, 1.0)
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
cat = _Cat
stack = _Stack
positive_definite = _PositiveDefinite()
