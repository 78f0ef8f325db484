"""`Module`: a function with parameters, and a tree of such functions.

`_tree.py` has what a module owns and how it is found by name; here is what it does with it: run,
save and load, move, switch modes, print.
"""

from collections.abc import Callable, Mapping
from typing import Any, Self

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.autograd.scopes import call_in_scope, note_call
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GraphError, MissingRuleError
from glassgrad.core.graph import Hooks, RemovableHandle, add_hook
from glassgrad.core.state import next_seq, scoped
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.nn._backward_hooks import ModuleBackward
from glassgrad.nn._forward_hooks import add_forward_hook, replaced_inputs
from glassgrad.nn._state_dict import IncompatibleKeys, collect, load
from glassgrad.nn._tree import ModuleTree
from glassgrad.values.backend import Device
from glassgrad.values.dtypes import DType, as_dtype, float16, float32, float64

__all__ = ["Module"]


class Module(ModuleTree):
    """The base of all networks: subclasses make their parts in `__init__`, use them in `forward`.

    Attributes:
        training: whether the module is in training mode; set by `train()` and `eval()`.

    Example:
        >>> class Scale(Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = Parameter(tensor(2.0))
        ...
        ...     def forward(self, x):
        ...         return x * self.factor
        >>> Scale()(tensor(3.0)).item()
        6.0
        >>> [name for name, _ in Scale().named_parameters()]
        ['factor']
    """

    training: bool
    _forward_pre_hooks: Hooks
    _forward_hooks: Hooks
    _backward_pre_hooks: Hooks
    _backward_hooks: Hooks

    def __init__(self) -> None:
        super().__init__()
        self.training = True
        self._forward_pre_hooks = Hooks()
        self._forward_hooks = Hooks()
        self._backward_pre_hooks = Hooks()
        self._backward_hooks = Hooks()

    # Calling ------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass says so."""
        raise MissingRuleError(
            f'Module [{type(self).__name__}] is missing the required "forward" function. '
            "Calling a module runs it. Write `def forward(self, x): …` in the class."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        hooks = self._forward_pre_hooks or self._forward_hooks or self._backward_hooks
        if not hooks and not self._backward_pre_hooks and not scoped:
            return note_call(self, next_seq(), self.forward(*args, **kwargs))
        return call_in_scope(self, self._run, args, kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """`forward` between its hooks."""
        pre_hooks: tuple[Any, ...] = tuple(self._forward_pre_hooks.values())
        for hook in pre_hooks:
            args, kwargs = replaced_inputs(hook, self, args, kwargs)
        watch = None
        if self._backward_hooks or self._backward_pre_hooks:
            hooks = self._backward_hooks.values(), self._backward_pre_hooks.values()
            watch = ModuleBackward(self, *map(tuple, hooks))
            args = watch.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for hook in tuple(self._forward_hooks.values()):
            replacement = hook(self, args, kwargs, result)
            if replacement is not None:
                result = replacement
        return result if watch is None else watch.watch_output(result)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each `forward`.

        Args:
            hook: may return what replaces `args`: a tuple, or a single value.
            prepend: run it before the hooks that are already there.
            with_kwargs: call `hook(module, args, kwargs)` and expect `(args, kwargs)` back.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        return add_forward_hook(
            self._forward_pre_hooks, hook, prepend=prepend, with_kwargs=with_kwargs
        )

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each `forward`.

        Args:
            hook: what it returns replaces the output, None keeps it.
            prepend: run it before the hooks that are already there.
            with_kwargs: call `hook(module, args, kwargs, output)`.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        return add_forward_hook(self._forward_hooks, hook, prepend=prepend, with_kwargs=with_kwargs)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the gradients of the module are computed.

        Args:
            hook: gets one gradient for each output, None for what is no tensor; may return a
                tuple that takes their place.
            prepend: run it before the hooks that are already there.

        Returns:
            A handle whose `remove()` takes the hook away, from the next call of the module on.
        """
        return _add_backward_hook(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known.

        Args:
            hook: gets one gradient for each positional argument and for each output, None for
                what is no tensor; may return a tuple that takes the place of `grad_input`.
            prepend: run it before the hooks that are already there.

        Returns:
            A handle whose `remove()` takes the hook away, from the next call of the module on.

        Example:
            >>> layer = Sequential(ReLU())
            >>> handle = layer.register_full_backward_hook(lambda m, gin, gout: print(gin, gout))
            >>> layer(tensor([-1.0, 2.0], requires_grad=True)).sum().backward()
            (tensor([0., 1.]),) (tensor([1., 1.]),)
        """
        return _add_backward_hook(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old form, which saw the last op of `forward` alone; it raises."""
        raise GraphError(
            "register_backward_hook() is deprecated: it saw the gradients of the last op of "
            "forward, and took them for those of the module. Write "
            "`module.register_full_backward_hook(hook)`, which sees those of the module."
        )

    # State ----------------------------------------------------------------------------------------

    def state_dict(
        self,
        *,
        destination: dict[str, Tensor] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Tensor]:
        """Parameters and persistent buffers by dotted name, sharing the module's memory.

        Args:
            destination: the dict to add to; None: a new one.
            prefix: what the names start with.
            keep_vars: the tensors themselves, not detached ones.

        Example:
            >>> list(Linear(2, 3).state_dict())
            ['weight', 'bias']
        """
        return collect(
            self, {} if destination is None else destination, prefix, keep_vars=keep_vars
        )

    def load_state_dict(
        self, state_dict: Mapping[str, Tensor], *, strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the values of a `state_dict` into this module's parameters and buffers.

        Args:
            state_dict: tensors by dotted name.
            strict: raise for names that only one side has.
            assign: put the given tensors in the place of the module's, not only their values.

        Returns:
            `(missing_keys, unexpected_keys)`, both empty if `strict`.

        Raises:
            GraphError: for names or shapes that do not match, all of them listed; nothing has
                been loaded then.
        """
        return load(self, state_dict, strict=strict, assign=assign)

    def zero_grad(self, *, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            grad = parameter.grad
            if set_to_none or grad is None:
                parameter.grad = None
            else:
                parameter.grad = grad.detach()
                parameter.grad.zero_()

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Let gradients flow to all parameters, or stop them; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    # Modes, and moving ----------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below it to training mode, or out of it; returns it."""
        if not isinstance(mode, bool):
            raise ArgumentError(
                f"training mode is expected to be boolean, got {mode!r}. A module is in it "
                "or out of it. Write `train(True)`."
            )
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """`train(False)`; returns the module."""
        return self.train(False)

    def apply(self, fn: Callable[["Module"], object]) -> Self:
        """Call `fn` on every module, those below first; returns the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(
        self,
        *target: Any,
        device: Device | str | None = None,
        dtype: Any = None,
    ) -> Self:
        """Move parameters, gradients and buffers to a device, a floating-point dtype, or both.

        Args:
            *target: a device, a dtype, both, or a tensor to be like.
            device, dtype: the same by keyword. Integer buffers keep their dtype.

        Raises:
            ArgumentTypeError: if the dtype is neither floating-point nor complex.

        Example:
            >>> Linear(2, 3).to(float64).weight.dtype
            dtype('float64')
        """
        for wish in target:
            if isinstance(wish, Tensor):
                device, dtype = wish.device, wish.dtype
            elif isinstance(wish, (str, Device)):
                device = wish
            else:
                dtype = wish
        wanted = None if dtype is None else as_dtype(dtype)
        if wanted is not None and not is_differentiable(wanted):
            raise ArgumentTypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={wanted}. Parameters of whole numbers cannot be trained. "
                "Write `module.to(glassgrad.float32)`."
            )
        return self._apply(lambda tensor: _moved(tensor, device, wanted))

    def float(self) -> Self:
        """`to(float32)`."""
        return self.to(float32)

    def double(self) -> Self:
        """`to(float64)`."""
        return self.to(float64)

    def half(self) -> Self:
        """`to(float16)`."""
        return self.to(float16)

    def cpu(self) -> Self:
        """`to("cpu")`."""
        return self.to("cpu")

    def cuda(self, device: int | None = None) -> Self:
        """`to("cuda")`, or to the GPU of that number."""
        return self.to("cuda" if device is None else f"cuda:{device}")

    def _apply(self, convert: Callable[[Tensor], Tensor]) -> Self:
        """Replace the array of every parameter, gradient and buffer; the tensors stay the same."""
        with no_grad():
            for parameter in self.parameters():
                grad = parameter.grad
                parameter.data = convert(parameter.data)
                if grad is not None:
                    parameter.grad = convert(grad)
            for module in self.modules():
                for name, buffer in module._buffers.items():
                    if buffer is not None:
                        module._buffers[name] = convert(buffer)
        return self

    # In print -------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What stands between the parentheses of the repr; subclasses say it."""
        return ""

    def __repr__(self) -> str:
        lines = [line for line in self.extra_repr().splitlines() if line]
        children = [f"({name}): {_indented(repr(child))}" for name, child in self._modules.items()]
        name = type(self).__name__
        if not children and len(lines) <= 1:
            return f"{name}({''.join(lines)})"
        body = "".join(f"  {line}\n" for line in [*lines, *children])
        return f"{name}(\n{body})"


def _add_backward_hook(hooks: Hooks, hook: Any, *, prepend: bool) -> RemovableHandle:
    if not callable(hook):
        raise ArgumentTypeError(
            f"a backward hook must be callable, got {type(hook).__name__}. "
            "It is called with gradients. Pass a function `hook(module, …)`."
        )
    return add_hook(hooks, hook, first=prepend)


def _moved(tensor: Tensor, device: Device | str | None, dtype: DType | None) -> Tensor:
    keeps_dtype = dtype is None or not is_differentiable(tensor.dtype)
    return tensor.to(
        device=tensor.device if device is None else device,
        dtype=tensor.dtype if keeps_dtype else dtype,
    )


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
