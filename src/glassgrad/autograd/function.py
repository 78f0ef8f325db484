"""`torch.autograd.function`: Functions of one's own, and the forms they had in earlier years.

Write a `Function` (see `glassgrad.core.function`). The rest keeps older code running:

    InplaceFunction       an instance with a flag `inplace`
    NestedIOFunction      arguments and outputs are nested lists, tuples and dicts of tensors
    traceable             the mark PyTorch 1.7 had for its tracer
"""

import warnings
import weakref
from typing import Any, ClassVar, TypeVar

from glassgrad.autograd._differences import as_tuple
from glassgrad.autograd._once_differentiable import once_differentiable
from glassgrad.core.errors import ArgumentError, GradientError, MissingRuleError
from glassgrad.core.function import BackwardCFunction, Function, FunctionCtx, FunctionMeta
from glassgrad.core.tensor import Tensor
from glassgrad.values.tree import Structure, flatten, unflatten

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
    "traceable",
]

FunctionClass = TypeVar("FunctionClass", bound=type[Function])


def traceable(fn_cls: FunctionClass) -> FunctionClass:
    """Mark a Function as traceable: it passes no value that depends on data to its backward.

    PyTorch up to 1.7 had this for its tracer. Here it sets `is_traceable` and does nothing else.

    Example:
        >>> @traceable
        ... class Twice(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        >>> Twice.is_traceable, Function.is_traceable
        (True, False)
    """
    fn_cls.is_traceable = True
    return fn_cls


class InplaceFunction(Function):
    """A Function whose instances know whether they work in place; for old code only.

    Args:
        inplace: kept as the attribute `inplace`.
    """

    def __init__(self, inplace: bool = False) -> None:  # PyTorch's form
        super().__init__()
        self.inplace = inplace


class _NestedCall(Function):
    """One call of a NestedIOFunction, on the tensors inside its arguments."""

    @staticmethod
    def forward(ctx: Any, nested: "NestedIOFunction", *tensors: Tensor) -> Any:
        ctx.nested = nested
        nested._node = weakref.ref(ctx)  # weakly: the node already owns the instance
        outputs = nested.forward(*tensors)
        ctx.save_for_backward(*nested.to_save)
        ctx.mark_dirty(*nested.dirty_tensors)
        ctx.mark_non_differentiable(*nested.non_differentiable)
        ctx.set_materialize_grads(nested.materialize_grads)
        nested.to_save = nested.dirty_tensors = nested.non_differentiable = ()
        return outputs

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return None, *ctx.nested.backward(*grad_outputs)


class NestedIOFunction(Function):
    """A Function of nested lists, tuples and dicts of tensors; for old code only.

    Its methods are instance methods: the instance is what `ctx` is to a Function. PyTorch keeps
    the class but can no longer run it; here both forms of the call work, `Swap()(x, [y])`, which
    warns as every instance of a Function does, and `Swap.apply(x, [y])`.

    Example:
        >>> class Dot(NestedIOFunction):
        ...     def forward_extended(self, pair):
        ...         self.save_for_backward(pair)
        ...         return {"dot": (pair[0] * pair[1]).sum()}
        ...
        ...     def backward_extended(self, grads):
        ...         ((a, b),) = self.saved_tensors
        ...         return [grads["dot"] * b, grads["dot"] * a]
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> Dot.apply([x, tensor([3.0, 4.0])])["dot"].backward()
        >>> x.grad
        tensor([3., 4.])
    """

    to_save: tuple[Any, ...] = ()
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    materialize_grads: bool = True

    _call: ClassVar[type[Function]] = _NestedCall
    _node: "weakref.ref[BackwardCFunction] | None" = None
    _inputs: Structure
    _places: tuple[bool, ...]
    _outputs: Structure
    _kept: tuple[bool, ...]
    _saved: tuple[tuple[bool, ...], Structure] = ((), ())

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # One class per subclass, so that the node carries the subclass's name.
        cls._call = FunctionMeta(cls.__name__, (_NestedCall,), {"__module__": cls.__module__})  # type: ignore[assignment]  # a metaclass's call gives a class

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run an instance made for this call."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            nested = cls()
        return nested(*args, **kwargs)

    def __call__(self, *input: Any) -> Any:
        leaves, self._inputs = flatten(input)
        self._places = _places_of_tensors(leaves)
        tensors = [leaf for leaf in leaves if leaf is not None]
        outputs = self._call.apply(self, *tensors)
        return _refill(outputs, self._kept, self._outputs)

    def forward(self, *args: Any) -> Any:  # type: ignore[override]  # an instance method, as in PyTorch
        """Nest the tensors as the arguments were, run `forward_extended`, flatten its result."""
        result = self.forward_extended(*_refill(args, self._places, self._inputs))
        leaves, self._outputs = flatten(result)
        self._kept = _places_of_tensors(leaves)
        return tuple([leaf for leaf in leaves if leaf is not None])

    def backward(self, *gradients: Any) -> Any:  # type: ignore[override]  # as forward
        """Nest the gradients as the outputs were, run `backward_extended`, flatten its result."""
        nested = _refill(gradients, self._kept, self._outputs)
        result = self.backward_extended(*as_tuple(nested))
        leaves = flatten(result)[0]
        _places_of_tensors(leaves)
        if len(leaves) == len(self._places):  # None also where the argument was None
            pairs = zip(leaves, self._places, strict=True)
            return tuple([leaf for leaf, is_tensor in pairs if is_tensor])
        expected = self._places.count(True)
        if len(leaves) < expected or any(extra is not None for extra in leaves[expected:]):
            raise GradientError(
                f"function {self._own_node().name()} returned an incorrect number of gradients "
                f"(expected {expected}, got {len(leaves)}). backward_extended returns one for "
                "each tensor among the nested arguments, None if it has none."
            )
        return tuple(leaves[:expected])

    def forward_extended(self, *input: Any) -> Any:
        """Compute the output, a tensor or nested containers of them; yours to write."""
        raise MissingRuleError(
            f"{type(self).__name__} has no forward_extended. A NestedIOFunction computes its "
            "output there. Write `def forward_extended(self, *input)`."
        )

    def backward_extended(self, *grad_output: Any) -> Any:
        """Return the gradients of the inputs, given those of the outputs; yours to write."""
        raise MissingRuleError(
            f"{type(self).__name__} has no backward_extended. Its gradient is not known. "
            "Write `def backward_extended(self, *grad_output)`."
        )

    # What `self` offers to the two methods above ------------------------------------------------

    def save_for_backward(self, *args: Any) -> None:
        """Save nested tensors; `saved_tensors` gives them back nested the same way."""
        leaves, structure = flatten(args)
        self._saved = _places_of_tensors(leaves), structure
        self.to_save = tuple([leaf for leaf in leaves if leaf is not None])

    @property
    def saved_tensors(self) -> Any:
        """What `save_for_backward` was given, as a tuple."""
        return _refill(self._own_node().saved_tensors, *self._saved)

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """For each tensor among the nested arguments, whether its gradient is wanted."""
        return self._own_node().needs_input_grad[1:]  # 0 is the instance

    def mark_dirty(self, *args: Any) -> None:
        """Say which (nested) inputs were changed in place."""
        self.dirty_tensors = _tensors_in(args)

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which (nested) outputs have no gradient."""
        self.non_differentiable = _tensors_in(args)

    def _own_node(self) -> BackwardCFunction:
        node = None if self._node is None else self._node()
        if node is None:
            raise ArgumentError(
                f"this {type(self).__name__} belongs to no graph. Its saved tensors live in the "
                "node that a call makes. Ask for them inside backward_extended."
            )
        return node


def _places_of_tensors(leaves: list[Any]) -> tuple[bool, ...]:
    """For each leaf whether it is a tensor; the others must be None."""
    for leaf in leaves:
        if leaf is not None and not isinstance(leaf, Tensor):
            raise ArgumentError(
                "Auto nesting doesn't know how to process an input object of type "
                f"{type(leaf).__name__}. Accepted types: Tensors or None, or lists/tuples/dicts "
                "of them. Keep other values on the instance: `self.dim = dim`."
            )
    return tuple([leaf is not None for leaf in leaves])


def _tensors_in(tree: Any) -> tuple[Any, ...]:
    leaves = flatten(tree)[0]
    _places_of_tensors(leaves)
    return tuple([leaf for leaf in leaves if leaf is not None])


def _refill(tensors: Any, places: tuple[bool, ...], structure: Structure) -> Any:
    """The tree with `tensors` where it had tensors, and None where it had None."""
    supply = iter(tensors)
    return unflatten(structure, [next(supply) if place else None for place in places])
