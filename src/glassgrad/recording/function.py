"""`Function`: an op is a forward, what it remembers, and a backward.

Users' Functions get Tensors and go through `Function.apply`. Built-in ops are `Primitive`s, which
get *values*, and go through the doors of `doors.py`; the two are written alike:

    class Exp(Function):                            class Exp(Primitive):
        @staticmethod                                   saves = ("result",)
        def forward(ctx, x):
            y = x.exp()                                 @staticmethod
            ctx.save_for_backward(y)                    def forward(x):
            return y                                        return np.exp(x)

        @staticmethod                                   @staticmethod
        def backward(ctx, grad):                        def backward(ctx, grad):
            (y,) = ctx.saved_tensors                        (y,) = ctx.saved_tensors
            return grad * y                                 return grad * y

The class of the node (`ctx`, `grad_fn`) is made together with the Function: `_backward_cls`.
"""

import inspect
import warnings
from typing import Any, ClassVar

from glassgrad.base.errors import ArgumentTypeError, GraphError, MissingRuleError
from glassgrad.core import state
from glassgrad.core.graph import Hooks, Node, RemovableHandle, add_hook
from glassgrad.core.hooks import as_tensors
from glassgrad.core.saved import CLEARED, FREED, Packed, SavedTensor, unpacked
from glassgrad.core.state import HookPair, modes
from glassgrad.core.tensor import Tensor

from .calling import call, run_user_backward

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta"]


class FunctionCtx:
    """What `forward` and `setup_context` can ask of their `ctx`."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `backward`, which finds them in `ctx.saved_tensors`.

        Args:
            tensors: inputs, outputs or intermediate tensors, or None.

        Raises:
            ArgumentTypeError: for anything else; keep that on `ctx` directly: `ctx.dim = dim`.

        Example:
            >>> class Square(Function):
            ...     @staticmethod
            ...     def forward(ctx, x):
            ...         ctx.save_for_backward(x)
            ...         return x * x
            ...
            ...     @staticmethod
            ...     def backward(ctx, grad):
            ...         (x,) = ctx.saved_tensors
            ...         return grad * 2 * x
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `jvp`, which finds them in `ctx.saved_tensors`."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise ArgumentTypeError(
                    "save_for_forward expects all arguments to be tensors; got "
                    f"{type(tensor).__name__}. Keep other values on ctx: `ctx.dim = dim`."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs `forward` changed in place; it must return each of them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient; `backward` still gets a zero gradient for them."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach `backward` as zeros (the default) or as None."""
        self.materialize_grads = value

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Deprecated: views are found without it."""
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically "
            "tracked. Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )


class BackwardCFunction(FunctionCtx, Node):
    """The node of a user's Function: its `ctx`, and the `grad_fn` of what it returned."""

    _forward_cls: ClassVar["type[Function]"]
    _is_users = True
    to_save: tuple[Any, ...] = ()
    saved_for_forward: tuple[Any, ...] = ()
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    materialize_grads: bool = True
    _materialize_non_diff_grads: bool = True
    """Whether zeros also stand for the gradients of outputs that have none: integers and such."""
    _gradless: tuple[int, ...] = ()
    """If not: the outputs that have none."""
    needs_input_grad: tuple[bool, ...] = ()
    """For each argument of `apply`, whether its gradient is wanted."""
    _is_tensor: tuple[bool, ...] | None = None
    """Which arguments of `apply` were tensors; None: all."""

    def __init__(self) -> None:
        self.edges = self.holders = self.out_shape = self.out_dtype = ()
        self.versions = self.cold = None

    @property
    def saved_tensors(self) -> Any:
        """What `save_for_backward` saved, each checked for in-place changes."""
        saved = self.holders
        if state.tracing and modes.tracer is not None:
            modes.tracer("unpack", self)
        if self._forward_cls.clear_saved_tensors_on_access:
            self.holders = CLEARED
        if len(saved) == 1:
            return (unpacked(self, saved[0]),)
        return tuple([unpacked(self, item) for item in saved])

    @property
    def saved_variables(self) -> Any:
        """The old name of `saved_tensors`."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self.holders is CLEARED:
            return ()
        return tuple([SavedTensor._at(self, index) for index, _ in enumerate(self.holders)])

    # What a SavedTensor asks of a node; underscored, since `ctx.name = …` belongs to the user.

    def _is_released(self) -> bool:
        return self.holders is FREED or self.holders is CLEARED

    def _kept(self, index: int) -> Any:
        return self.holders[index]

    def _all_kept(self) -> list[Any]:
        return [] if self._is_released() else list(self.holders)

    def _unpack(self, index: int) -> Tensor | None:
        return unpacked(self, self.holders[index])

    def _pack(self, index: int, hooks: HookPair) -> None:
        holders = list(self.holders)
        holders[index] = Packed.of(holders[index], hooks)
        self.holders = tuple(holders)

    def release(self) -> None:
        """Let go of what was saved; touching it later raises FreedGraphError."""
        if self.holders and self.holders is not CLEARED:
            self.holders = FREED

    def compute(self, grads: tuple[Any, ...], recorded: bool) -> tuple[Any, ...]:
        """What the user's `backward` makes of `grads`, checked; one gradient per edge."""
        gradients = run_user_backward(self, as_tensors(grads))
        if recorded:
            return gradients
        for grad in grads:
            if isinstance(grad, Tensor):  # of a transform's level: they stay tensors
                return gradients
        if len(gradients) == 1 and gradients[0] is not None:
            return (gradients[0].payload,)
        return tuple([None if grad is None else grad.payload for grad in gradients])

    def apply(self, *grads: Any) -> Any:
        """Run the user's `backward` (or `vjp`) on gradients that are Tensors."""
        cls = self._forward_cls
        if cls.boxed_grads_call:
            grads = (list(grads),)
        if cls.vjp is Function.vjp:
            return cls.backward(self, *grads)
        if cls.backward is not Function.backward:
            raise GraphError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                f"should only implement one of them; {cls.__name__} has both."
            )
        return cls.vjp(self, *grads)

    def apply_jvp(self, *tangents: Any) -> Any:
        """Run the user's `jvp`."""
        return self._forward_cls.jvp(self, *tangents)

    def maybe_clear_saved_tensors(self) -> None:
        """Let go of what was saved, if the class says `clear_saved_tensors_on_access`."""
        if self._forward_cls.clear_saved_tensors_on_access:
            self.holders = CLEARED

    # PyTorch's internals, as its list of members has them

    requires_grad: ClassVar[bool] = True
    _is_compiled_autograd_tracing: ClassVar[bool] = False
    """There is no compiler of passes here, so the key and the rest of its members are idle."""
    _compiled_autograd_backward_state: ClassVar[None] = None

    def _compiled_autograd_key(self) -> tuple[int]:
        return (id(self._forward_cls),)

    def _get_compiled_autograd_symints(self) -> tuple[()]:
        return ()

    def _set_sequence_nr(self, sequence_nr: int) -> None:
        self.seq = sequence_nr

    @staticmethod
    def _register_hook(backward_hooks: Hooks | None, hook: Any) -> tuple[Hooks, RemovableHandle]:
        """Put `hook` into a dict of hooks, a new one for None: (the dict, a handle)."""
        hooks = Hooks() if backward_hooks is None else backward_hooks
        return hooks, add_hook(hooks, hook)

    def _register_hook_dict(self, tensor: Tensor) -> None:
        """Have the hooks of an output run here: they do, for a tensor's hooks are its node's."""
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"_register_hook_dict expected a Tensor, got {type(tensor).__name__}. It is about "
                "the hooks of an output. Write `node.register_hook(fn)` for a hook of the node."
            )
        if tensor.grad_fn is not self:
            raise GraphError(
                f"_register_hook_dict was given a tensor of {tensor.grad_fn}, and this is "
                f"{self.name()}. A node runs the hooks of its own outputs. Pass one of them."
            )


class FunctionMeta(type):
    """Makes the node class that belongs to a Function class."""

    _backward_cls: type[Node]
    _form: tuple[Any, bool, bool] | None

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        super().__init__(name, bases, attrs)
        cls._make_node_class()

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("forward", "setup_context"):
            cls._form = None  # what `apply` knew of them

    def _make_node_class(cls) -> None:
        body = {"_forward_cls": cls, "__module__": cls.__module__}
        cls._backward_cls = type(f"{cls.__name__}Backward", (BackwardCFunction,), body)


class Function(FunctionCtx, metaclass=FunctionMeta):
    """An op of your own: subclass it, write `forward` and `backward`, call `apply`.

    `forward` is a static method in one of two forms: `forward(ctx, *args)`, or `forward(*args)`
    with `setup_context(ctx, inputs, output)` beside it, which transforms need.

    Right:
        >>> class Cube(Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x**3
        ...
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         ctx.save_for_backward(*inputs)
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         (x,) = ctx.saved_tensors
        ...         return grad * 3 * x**2
        >>> x = tensor(2.0, requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor(12.)

    Wrong: `Cube()(x)`, which is how Functions were called long ago; `ctx.x = x`, which keeps x
    unchecked and alive as long as the graph.

    See also: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function
    """

    generate_vmap_rule = False
    is_traceable = False
    clear_saved_tensors_on_access = False
    """Whether `ctx.saved_tensors`, read once, lets go of them: they go when the reader is done."""
    boxed_grads_call = False
    """Whether `backward` gets its gradients as one list, from which it may take them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise GraphError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method: write "
            f"`{type(self).__name__}.apply(...)`."
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the output: `forward(ctx, *args)`, or `forward(*args)` with setup_context."""
        raise MissingRuleError(
            "You must implement the forward function for custom autograd.Function. It computes "
            "the output. Write `@staticmethod def forward(ctx, x): …`."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save on `ctx` what `backward` will need; for the form `forward(*args)`."""
        raise MissingRuleError(
            "setup_context is not implemented. It saves what backward needs. "
            "Write `@staticmethod def setup_context(ctx, inputs, output): …`."
        )

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradient of each argument, given that of each output."""
        raise MissingRuleError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD. It turns the gradient of the "
            "output into those of the inputs. Write `@staticmethod def backward(ctx, grad): …`."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Return the tangent of each output, given that of each argument."""
        raise MissingRuleError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any, **kwargs: Any) -> Any:
        """Return (output, out_dims) for batched arguments."""
        raise MissingRuleError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod "
            "or set generate_vmap_rule=True."
        )

    @classmethod
    def has_setup_context(cls) -> bool:
        """Whether `forward` has the form without ctx, `setup_context` beside it."""
        return cls.setup_context is not Function.setup_context

    apply = classmethod(call)


_NODES = """
    saved_tensors saved_variables saved_for_forward to_save dirty_tensors non_differentiable
    materialize_grads needs_input_grad metadata name next_functions register_hook register_prehook
    requires_grad maybe_clear_saved_tensors _raw_saved_tensors _register_hook _register_hook_dict
    _sequence_nr _set_sequence_nr _input_metadata _materialize_non_diff_grads
    _is_compiled_autograd_tracing _get_compiled_autograd_symints _compiled_autograd_key
    _compiled_autograd_backward_state
"""
for _name in _NODES.split():  # what a node has, PyTorch shows on the class, too
    setattr(Function, _name, inspect.getattr_static(BackwardCFunction, _name))
