"""`torch.autograd.function`: Functions of one's own, and the forms they had in earlier years.

Write a `Function` (see `glassgrad.core.function`). The rest keeps older code running:

    InplaceFunction       an instance with a flag `inplace`
    NestedIOFunction      arguments and outputs are nested lists, tuples and dicts of tensors
    traceable             the mark PyTorch 1.7 had for its tracer
"""

import functools
import inspect
import warnings
import weakref
from collections.abc import Iterable
from itertools import compress
from typing import Any, ClassVar, NamedTuple, TypeVar

from glassgrad._words import printable
from glassgrad.core import errors
from glassgrad.core.function import BackwardCFunction, Function, FunctionCtx, FunctionMeta
from glassgrad.core.state import Func, modes, setting
from glassgrad.core.tensor import LEAF, Tensor, is_differentiable, wrap
from glassgrad.hooks.on_gradients import Hooks, RemovableHandle, add_hook
from glassgrad.hooks.on_saved import SavedTensor, raw_saved
from glassgrad.memory.calls import CLEARED, warn
from glassgrad.ops import _checks as check
from glassgrad.values.tree import Structure, flatten, several, unflatten

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


def once_differentiable(fn: Func) -> Func:
    """Mark a `backward` that cannot be differentiated itself, because it leaves the tape.

    Its gradients carry a node that raises when a second differentiation reaches it.

    Example:
        >>> class Square(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.x = x.numpy()
        ...         return x * x
        ...
        ...     @staticmethod
        ...     @once_differentiable
        ...     def backward(ctx, grad):
        ...         return grad * (2 * ctx.x)
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with setting(grad=False):
            outputs = fn(ctx, *args)
        if not modes.grad:
            return outputs
        if not any(isinstance(arg, Tensor) and arg.requires_grad for arg in args):
            return outputs
        if not isinstance(outputs, tuple):
            return _poison(outputs)
        return tuple([_poison(output) for output in outputs])

    return wrapper


def _poison(output: Any) -> Any:
    """The same gradient behind a node that raises; what is no tensor stays as it is."""
    if not isinstance(output, Tensor) or not is_differentiable(output.dtype):
        return output
    return _DelayedError.apply(wrap(output.payload, LEAF))


class _DelayedError(Function):
    """Passes a gradient on, and raises when it is differentiated."""

    @staticmethod
    def forward(ctx: Any, grad: Tensor) -> Tensor:
        return wrap(grad.payload)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise errors.GraphError(
            "trying to differentiate twice a function that was marked with @once_differentiable. "
            "Its backward leaves the tape. Write that backward with differentiable ops, and "
            "without the decorator."
        )


# Forms of earlier years -------------------------------------------------------------------------


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
        ctx.set_materialize_grads(nested.materialize_grads)
        for name in ("to_save", "dirty_tensors", "non_differentiable"):
            if name in vars(nested):  # from now on the node's: kept here, outputs would be a cycle
                setattr(ctx, name, vars(nested).pop(name))
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

    materialize_grads: bool = True
    to_save: Any = None
    dirty_tensors: Any = None
    non_differentiable: Any = None

    _call: ClassVar[type[Function]] = _NestedCall
    _node: "weakref.ref[BackwardCFunction] | None" = None
    _inputs: "_Nesting"
    _outputs: "_Nesting"
    _saved: "_Nesting"

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
        tensors, self._inputs = _tensors_of(input)
        outputs = self._call.apply(self, *tensors)
        return self._outputs.of(outputs)

    def forward(self, *args: Any) -> Any:  # type: ignore[override]  # an instance method, as in PyTorch
        """Nest the tensors as the arguments were, run `forward_extended`, flatten its result."""
        tensors, self._outputs = _tensors_of(self.forward_extended(*self._inputs.of(args)))
        return tensors

    def backward(self, *gradients: Any) -> Any:  # type: ignore[override]  # as forward
        """Nest the gradients as the outputs were, run `backward_extended`, flatten its result."""
        nested = self._outputs.of(gradients)
        result = self.backward_extended(*several(nested))
        _tensors_of(result)  # or it raises
        leaves = flatten(result)[0]
        if len(leaves) == len(self._inputs.places):  # None also where the argument was None
            return tuple(compress(leaves, self._inputs.places))
        expected = self._inputs.places.count(True)
        if len(leaves) < expected or any(extra is not None for extra in leaves[expected:]):
            raise errors.GradientError(
                f"function {self._own_node().name()} returned an incorrect number of gradients "
                f"(expected {expected}, got {len(leaves)}). backward_extended returns one for "
                "each tensor among the nested arguments, None if it has none."
            )
        return tuple(leaves[:expected])

    def forward_extended(self, *input: Any) -> Any:
        """Compute the output, a tensor or nested containers of them; yours to write."""
        raise errors.MissingRuleError(
            f"{type(self).__name__} has no forward_extended. A NestedIOFunction computes its "
            "output there. Write `def forward_extended(self, *input)`."
        )

    def backward_extended(self, *grad_output: Any) -> Any:
        """Return the gradients of the inputs, given those of the outputs; yours to write."""
        raise errors.MissingRuleError(
            f"{type(self).__name__} has no backward_extended. Its gradient is not known. "
            "Write `def backward_extended(self, *grad_output)`."
        )

    # What `self` offers to the two methods above ------------------------------------------------

    def save_for_backward(self, *args: Any) -> None:
        """Save nested tensors; `saved_tensors` gives them back nested the same way."""
        self.to_save, self._saved = _tensors_of(args)

    @property
    def saved_tensors(self) -> Any:
        """What `save_for_backward` was given, as a tuple."""
        tensors = self._own_node().saved_tensors
        return self._saved.of(tensors) if tensors else ()

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """For each tensor among the nested arguments, whether its gradient is wanted."""
        return self._own_node().needs_input_grad[1:]  # 0 is the instance

    def mark_dirty(self, *args: Any) -> None:
        """Say which (nested) inputs were changed in place."""
        self.dirty_tensors, _ = _tensors_of(args)

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which (nested) outputs have no gradient."""
        self.non_differentiable, _ = _tensors_of(args)

    def _own_node(self) -> BackwardCFunction:
        node = None if self._node is None else self._node()
        if node is None:
            raise errors.ArgumentError(
                f"this {type(self).__name__} belongs to no graph. Its saved tensors live in the "
                "node that a call makes. Ask for them inside backward_extended."
            )
        return node


class _Nesting(NamedTuple):
    """The form of a tree of tensors and None.

    Attributes:
        structure: how its leaves are nested.
        places: for each leaf, whether it is a tensor.
    """

    structure: Structure
    places: tuple[bool, ...]

    def of(self, tensors: Iterable[Any]) -> Any:
        """The tree of this form with these tensors."""
        supply = iter(tensors)
        return unflatten(self.structure, [next(supply) if has else None for has in self.places])


def _tensors_of(tree: Any) -> tuple[tuple[Tensor, ...], _Nesting]:
    """The tensors of a tree of tensors and None, and its form."""
    leaves, structure = flatten(tree)
    for leaf in leaves:
        if leaf is not None and not isinstance(leaf, Tensor):
            raise errors.ArgumentError(
                "Auto nesting doesn't know how to process an input object of type "
                f"{type(leaf).__name__}. Accepted types: Tensors or None, or lists/tuples/dicts "
                "of them. Keep other values on the instance: `self.dim = dim`."
            )
    places = tuple([leaf is not None for leaf in leaves])
    return tuple(compress(leaves, places)), _Nesting(structure, places)


# Members that PyTorch lists of Functions and of their nodes, and few programs touch --------------


def _mark_shared_storage(_self: Any, *_pairs: Any) -> None:
    """Deprecated: views are found without it."""
    warn(
        "mark_shared_storage is deprecated. Tensors with shared storages are automatically "
        "tracked. Note that calls to `set_()` are not tracked",
        FutureWarning,
    )


def _warn_of_instance(self: Any, *_args: Any, **_kwargs: Any) -> None:
    warn(
        f"{type(self)} should not be instantiated. Methods on autograd functions are all "
        "static, so you should invoke them on the class itself. Instantiating an autograd "
        "function will raise an error in a future version of PyTorch.",
        DeprecationWarning,
    )


def _refuse_instance(self: Any, *_args: Any, **_kwargs: Any) -> Any:
    raise errors.GraphError(
        "Legacy autograd function with non-static forward method is deprecated. Please use "
        "new-style autograd function with static forward method: write "
        f"`{type(self).__name__}.apply(...)`."
    )


class Members:
    """What few programs ask of the node of a user's Function.

    A mixin, copied onto that; what a node has, PyTorch shows on the class too.
    """

    requires_grad: ClassVar[bool] = True

    @property
    def saved_variables(self: Any) -> Any:
        """The old name of `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self: Any) -> tuple[SavedTensor, ...]:
        if self.holders is CLEARED:
            return ()
        return tuple([raw_saved(self, index) for index, _ in enumerate(self.holders)])

    def maybe_clear_saved_tensors(self: Any) -> None:
        """Let go of what was saved, if the class says `clear_saved_tensors_on_access`."""
        if self._forward_cls.clear_saved_tensors_on_access:
            self.holders = CLEARED

    def _set_sequence_nr(self: Any, sequence_nr: int) -> None:
        self.seq = sequence_nr

    @staticmethod
    def _register_hook(backward_hooks: Hooks | None, hook: Any) -> tuple[Hooks, RemovableHandle]:
        """Put `hook` into a dict of hooks, a new one for None: (the dict, a handle)."""
        hooks = Hooks() if backward_hooks is None else backward_hooks
        return hooks, add_hook(hooks, hook)

    def _register_hook_dict(self: Any, tensor: Tensor) -> None:
        """Have the hooks of an output run here: they do, for a tensor's hooks are its node's."""
        why = "It is about an output's. Write `node.register_hook(fn)` for a hook of the node."
        check.kind("_register_hook_dict expected a Tensor, got", tensor, Tensor, why)
        if tensor.grad_fn is not self:
            raise errors.GraphError(
                f"_register_hook_dict was given a tensor of {tensor.grad_fn}, and this is "
                f"{self.name()}. A node runs the hooks of its own outputs. Pass one of them."
            )


_SHOWN = """
    saved_tensors saved_for_forward to_save dirty_tensors non_differentiable materialize_grads
    needs_input_grad metadata name next_functions register_hook register_prehook _sequence_nr
    _input_metadata _materialize_non_diff_grads
"""
_ADDED = [name for name in vars(Members) if not name.startswith("__")]
for _name in _ADDED:
    setattr(BackwardCFunction, _name, vars(Members)[_name])
for _name in (*_SHOWN.split(), *_ADDED):
    setattr(Function, _name, inspect.getattr_static(BackwardCFunction, _name))
BackwardCFunction.__repr__ = lambda node: printable(object.__repr__(node))  # type: ignore[method-assign]
FunctionCtx.mark_shared_storage = _mark_shared_storage  # type: ignore[attr-defined]  # added here
for _name, _legacy in {"__init__": _warn_of_instance, "__call__": _refuse_instance}.items():
    setattr(Function, _name, _legacy)
