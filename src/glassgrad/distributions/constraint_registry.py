"""`transform_to` and `biject_to`: from all numbers to those that a constraint allows.

So parameters that have to be positive, say, are optimised as numbers that need not be. The second
one has an inverse, and the volume that it stretches: that is for densities.
"""

from collections.abc import Callable
from typing import Any

from glassgrad.core.errors import ArgumentTypeError, MissingRuleError

from . import constraints, transforms
from .constraints import Constraint
from .transforms import Transform

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Transform]


class ConstraintRegistry:
    """For each class of constraints, what makes the transform to the values of one.

    Example:
        >>> transform_to(constraints.positive)(tensor(0.0))
        tensor(1.)
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Declare a function to make the transforms for a class of constraints.

        Raises:
            ArgumentTypeError: for anything but constraints and their classes.
        """
        if factory is None:
            return lambda made: self.register(constraint, made)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise ArgumentTypeError(
                "Expected constraint to be either a Constraint subclass or instance, but got "
                f"{constraint}. Transforms are found by it. Write `constraints.positive`."
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Transform:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise MissingRuleError(
                f"Cannot transform {type(constraint).__name__} constraints: nobody has said how. "
                "Register a function: `@transform_to.register(constraint)`."
            )
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _interval(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    to_bounds = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), to_bounds])


def _from(bound: str, sign: int) -> Factory:
    """From a bound on, upwards or downwards."""

    def made(constraint: Any) -> Transform:
        number = getattr(constraint, bound)
        away = transforms.ExpTransform()
        if isinstance(number, (int, float)) and number == 0 and sign > 0:
            return away
        return transforms.ComposeTransform([away, transforms.AffineTransform(number, sign)])

    return made


def _vectors(registry: ConstraintRegistry) -> Factory:
    return lambda constraint: transforms.IndependentTransform(
        registry(constraint.base_constraint), constraint.reinterpreted_batch_ndims
    )


def _parts(registry: ConstraintRegistry, constraint: Any) -> list[Transform]:
    return [registry(each) for each in constraint.cseq]


def _stacked(registry: ConstraintRegistry) -> Factory:
    return lambda of: transforms.StackTransform(_parts(registry, of), of.dim)


def _joined(registry: ConstraintRegistry) -> Factory:
    return lambda of: transforms.CatTransform(_parts(registry, of), of.dim, of.lengths)


for _registry in (biject_to, transform_to):
    _registry.register(constraints.stack, _stacked(_registry))
    _registry.register(constraints.cat, _joined(_registry))
    _registry.register(constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform())
    _registry.register(constraints.real, lambda _: transforms.identity_transform)
    _registry.register(constraints.independent, _vectors(_registry))
    _registry.register(constraints.greater_than, _from("lower_bound", 1))
    _registry.register(constraints.greater_than_eq, _from("lower_bound", 1))
    _registry.register(constraints.less_than, _from("upper_bound", -1))
    _registry.register(constraints.interval, _interval)
    _registry.register(constraints.half_open_interval, _interval)
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform())
for _matrices in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_matrices, lambda _: transforms.PositiveDefiniteTransform())
