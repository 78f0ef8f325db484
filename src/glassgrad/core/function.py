"""`Function`: an op is a forward, what it remembers, and a backward.

Users' Functions get Tensors and go through `Function.apply`. Built-in ops are `Primitive`s, which
get *values*, and go through the doors of `primitive.py`; the two are written alike:

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
`apply` runs `forward` with recording off. What users may pass to it, and how what it returned gets
its place in the graph, is told in `memory/calls.py`; what `backward` may return, in
`values/gradients.py`.
"""

from typing import Any, ClassVar

from . import state
from .errors import GraphError, MissingRuleError
from .graph import Node
from .saved import FREED, SavingNode
from .state import Func, Values, modes, plugs, special, unusual
from .tensor import PLAIN, Pending, Tensor, as_tensor


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
        said = "save_for_forward expects all arguments to be tensors"
        plugs.saved.check_kept(said, tensors)
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


class BackwardCFunction(FunctionCtx, SavingNode):
    """The node of a user's Function: its `ctx`, and the `grad_fn` of what it returned."""

    _forward_cls: ClassVar["type[Function]"]
    _is_users = True
    _kept_in = "holders"
    to_save: Values = ()
    saved_for_forward: Values = ()
    dirty_tensors: Values = ()
    non_differentiable: Values = ()
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
        found = self.holders
        if state.watching and modes.tracer is not None:
            modes.tracer("unpack", self)
        for saved in found:
            is_plain = saved is None or saved.__class__ in PLAIN
            if not is_plain or (saved is not None and saved.cold and saved.cold.version):
                found = plugs.saved.unpack_all(self)
                break
        if self._forward_cls.clear_saved_tensors_on_access:
            self.holders = plugs.calls.CLEARED
        return found

    def release(self) -> None:
        """Let go of what was saved; touching it later raises FreedGraphError."""
        if type(self.holders) is tuple and self.holders:
            self.holders, self.versions = modes.task.freed if modes.task else FREED, None

    def compute(self, grads: Values, recorded: bool) -> Values:
        """What the user's `backward` makes of `grads`, checked; one gradient per edge."""
        given: list[Any] = []
        lacks_one = False
        for grad in grads:
            given.append(as_tensor(grad))
            lacks_one |= grad is None
            recorded |= isinstance(grad, Tensor)  # of a transform's level: they stay tensors
        if lacks_one and self.materialize_grads:
            given = plugs.gradients.materialized(self, given)
        cls = self._forward_cls
        if cls.vjp is Function.vjp and not cls.boxed_grads_call:
            returned = cls.backward(self, *given)  # what `apply` does, sooner
        else:
            returned = self.apply(*given)
        if type(returned) is Tensor and self._is_tensor is None and len(self.edges) == 1:
            results: Values = (returned,)  # what the checks would find, sooner
        else:
            results = plugs.gradients.checked(self, returned)
        if recorded:
            return results
        if len(results) == 1 and results[0] is not None:
            return (results[0].payload,)
        return tuple([None if grad is None else grad.payload for grad in results])

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
        body = {"_forward_cls": cls, "__module__": "glassgrad.autograd.function"}
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

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the output: `forward(ctx, *args)`, or `forward(*args)` with setup_context."""
        raise MissingRuleError(
            "You must implement the forward function for custom autograd.Function. It computes "
            "the output. Write `@staticmethod def forward(ctx, x): …`."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: Values, output: Any) -> None:
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

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and, if an argument requires grad, record a node.

        Args:
            args, kwargs: what `forward` takes. Keywords and defaults need `setup_context`.

        Returns:
            What `forward` returned; its tensors carry this Function's node as their `grad_fn`.

        Raises:
            MissingRuleError: if there is no `forward`.
            GraphError: if the rules of in-place Functions (`mark_dirty`) are broken.
        """
        forward, separate, has_defaults = cls.__dict__.get("_form") or plugs.calls.form_of(cls)
        if kwargs or has_defaults:
            args = plugs.calls.bound(forward, args, kwargs, separate)
        if special:
            if modes.duals is not None and modes.duals.has_tangent(args):
                return modes.duals.call(cls, args)
            if modes.levels:
                return modes.levels[-1].call(cls, args)
        ctx, raw, edges = run_forward(cls, args, forward, separate)
        return plugs.calls.place_outputs(ctx, args, raw, edges)


def run_forward(cls: Any, args: Values, forward: Func, separate: bool) -> tuple[Any, Any, Any]:
    """Run `forward` with recording off.

    Returns:
        The ctx, what `forward` returned, and the edges of the tensors among `args`; None for edges
        if nothing is recorded.
    """
    ctx = _new(cls._backward_cls)
    ctx.edges = ctx.holders = ctx.out_shape = ctx.out_dtype = ()
    ctx.versions = ctx.cold = None
    now = modes.__dict__
    recording = now["grad"]
    needs: list[bool] = []
    edges: list[Any] = []
    for x in args:
        if isinstance(x, Tensor):
            edge = x.edge
            needs.append(edge is not None)
            edges.append(edge.settle(x) if type(edge) is Pending and recording else edge)
        else:
            needs.append(False)
    ctx.needs_input_grad = tuple(needs)
    try:  # `setting(grad=False)` written out: every call pays for it
        now["grad"] = False
        unusual.add(now["key"])
        if separate:
            raw = forward(*args)
            cls.setup_context(ctx, args, raw)
        else:
            raw = forward(ctx, *args)
        if recording:
            now["grad"] = True
            unusual.discard(now["key"])
    except BaseException:
        if recording:
            now["grad"] = True
            unusual.discard(now["key"])
        raise
    return ctx, raw, tuple(edges) if recording and True in needs else None


_new = object.__new__  # a node's __init__ would cost as much as all that it sets
