"""`Module`: a function with parameters, and a tree of such functions.

What a module owns is in three dicts, and assigning to an attribute files the value in one of them:

    self.weight = Parameter(…)       → self._parameters["weight"]
    self.act = ReLU()                → self._modules["act"]
    self.mean = Buffer(…)            → self._buffers["mean"]
    self.register_buffer("mean", t)  → the same

A name is in at most one of the three, or an ordinary attribute. What a module can do for all its
parameters is a walk over these dicts, and every walk is `named_modules`.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.autograd.gradients import clear_gradients
from glassgrad.autograd.scopes import call_in_scope, note_call
from glassgrad.core.errors import (
    ArgumentError,
    ArgumentTypeError,
    GlassgradError,
    GraphError,
    MissingRuleError,
)
from glassgrad.core.state import next_seq, scoped
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.hooks.on_gradients import Hooks, RemovableHandle
from glassgrad.nn._hooks import (
    Hook,
    ModuleBackward,
    add_forward_hook,
    add_full_backward_hook,
    replaced_inputs,
)
from glassgrad.nn.parameter import Buffer, Parameter
from glassgrad.ops.conversion import destination
from glassgrad.values.backend import Device
from glassgrad.values.dtypes import as_dtype, float16, float32, float64

_REGISTRIES = ("_parameters", "_buffers", "_modules")


class PartNameError(GlassgradError, KeyError):
    """A name that no parameter, buffer or submodule can have."""

    __str__ = Exception.__str__  # KeyError's would print the message as a quoted key


class IncompatibleKeys(NamedTuple):
    """The names that only one side of `load_state_dict` had.

    Attributes:
        missing_keys: names of the module that the dict lacks.
        unexpected_keys: names of the dict that the module lacks.
    """

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


class Module:
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
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, "Module | None"]
    _non_persistent_buffers_set: set[str]
    _forward_pre_hooks: Hooks
    _forward_hooks: Hooks
    _backward_pre_hooks: Hooks
    _backward_hooks: Hooks

    def __init__(self) -> None:
        vars(self).update(
            _parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set()
        )
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
            watch = ModuleBackward(self)
            args = watch.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for hook in tuple(self._forward_hooks.values()):
            replacement = hook(self, args, kwargs, result)
            if replacement is not None:
                result = replacement
        return result if watch is None else watch.watch_output(result)

    # Parts by name ------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._register(name, value, registry="_parameters", what="parameters")
        elif isinstance(value, Module):
            self._register(name, value, registry="_modules", what="module")
        elif name in vars(self).get("_parameters", ()):
            self._assign_none(name, value, self._parameters, "parameter", "nn.Parameter")
        elif name in vars(self).get("_modules", ()):
            self._assign_none(name, value, self._modules, "child module", "nn.Module")
        elif isinstance(value, Buffer):
            self._require_setup("buffer", name)
            self.register_buffer(name, value, persistent=value.persistent)
        elif name in vars(self).get("_buffers", ()):
            _require_tensor_or_none(name, value)
            self._buffers[name] = value
        else:
            super().__setattr__(name, value)

    def _register(self, name: str, value: Any, *, registry: str, what: str) -> None:
        self._require_setup(what, name)
        for other in (vars(self), self._parameters, self._buffers, self._modules):
            if other is not vars(self)[registry]:
                other.pop(name, None)
        self._non_persistent_buffers_set.discard(name)
        vars(self)[registry][name] = value

    def _require_setup(self, what: str, name: str) -> None:
        if "_parameters" not in vars(self):
            raise AttributeError(
                f"cannot assign {what} before Module.__init__() call (attribute {name!r} of "
                f"{type(self).__name__}). There is no place for it yet. "
                "Begin `__init__` with `super().__init__()`."
            )

    def _assign_none(
        self, name: str, value: object, registry: dict[str, Any], what: str, wanted: str
    ) -> None:
        if value is not None:
            raise ArgumentTypeError(
                f"cannot assign '{type(value).__name__}' as {what} '{name}' ({wanted} or None "
                f"expected). Other code finds the {what} by that name. "
                f"Assign a {wanted}, or `del` the attribute first."
            )
        registry[name] = None

    def __getattr__(self, name: str) -> Any:
        # Python calls this only after the ordinary lookup has failed.
        for registry in _REGISTRIES:
            found = vars(self).get(registry, {})
            if name in found:
                return found[name]
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self
        )

    def __delattr__(self, name: str) -> None:
        for registry in (self._parameters, self._buffers, self._modules):
            if name in registry:
                del registry[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """File a parameter, or None for one that is left out, under `name`."""
        self._require_free_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise ArgumentTypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                "(nn.Parameter or None required). Only those are found by `parameters()`. "
                "Write `nn.Parameter(tensor)`."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, *, persistent: bool = True) -> None:
        """File a tensor that is part of the state but no parameter, under `name`.

        Args:
            name: the attribute to reach it by.
            tensor: moves with the module; None for one that is left out.
            persistent: whether `state_dict` contains it.
        """
        self._require_free_name("buffer", name, self._buffers)
        _require_tensor_or_none(name, tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_module(self, name: str, module: "Module | None") -> None:
        """File a submodule, or None for one that is left out, under `name`."""
        if module is not None and not isinstance(module, Module):
            raise ArgumentTypeError(
                f"{type(module).__name__} is not a Module subclass. A part of a network has to be "
                "one. Derive its class from nn.Module, or call it as a function in `forward`."
            )
        self._require_free_name("module", name, self._modules)
        self._modules[name] = module

    add_module = register_module

    def _require_free_name(self, what: str, name: Any, own: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            got = type(name).__name__
            raise ArgumentTypeError(f"{what} name should be a string. Got {got}. Write a name.")
        if "." in name:
            raise PartNameError(
                f'{what} name can\'t contain ".", got: {name}. Dots join the names of nested '
                "modules. Write an underscore."
            )
        if not name:
            raise PartNameError(
                f'{what} name can\'t be empty string "". It is an attribute of the module. '
                "Write a name."
            )
        if hasattr(self, name) and name not in own:
            raise PartNameError(
                f"attribute '{name}' already exists in {type(self).__name__}. "
                f"The {what} would hide it. Choose another name, or `del` the attribute first."
            )

    # Walking the tree -----------------------------------------------------------------------------

    def named_modules(
        self, *, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """This module and all below it, with dotted names, parents first.

        Args:
            prefix: what the names start with.
            remove_duplicate: give a module that is reached twice only once.
        """
        seen: set[int] = set()
        stack: list[tuple[str, Module]] = [(prefix, self)]
        while stack:
            name, module = stack.pop()
            if remove_duplicate and id(module) in seen:
                continue
            seen.add(id(module))
            yield name, module
            stack += [
                (_joined(name, key), child)
                for key, child in reversed(module._modules.items())
                if child is not None
            ]

    def modules(self) -> Iterator["Module"]:
        """This module and all below it, parents first, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """The modules directly below, with their names, each once."""
        return self._named("_modules", "", recurse=False, remove_duplicate=True)

    def children(self) -> Iterator["Module"]:
        """The modules directly below, each once."""
        for _, child in self.named_children():
            yield child

    def named_parameters(
        self, prefix: str = "", *, recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted names.

        Args:
            prefix: what the names start with.
            recurse: also those of the modules below.
            remove_duplicate: give a parameter that two modules share only once.

        Example:
            >>> [name for name, _ in Sequential(Linear(2, 3), ReLU()).named_parameters()]
            ['0.weight', '0.bias']
        """
        return self._named(
            "_parameters", prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def parameters(self, *, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once: what an optimiser is given."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", *, recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted names; arguments as in `named_parameters`."""
        return self._named("_buffers", prefix, recurse=recurse, remove_duplicate=remove_duplicate)

    def buffers(self, *, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named(
        self, registry: str, prefix: str, *, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        seen: set[int] = set()
        for path, owner in owners if recurse else itertools.islice(owners, 1):
            for name, value in vars(owner)[registry].items():
                if value is not None and not (remove_duplicate and id(value) in seen):
                    seen.add(id(value))
                    yield _joined(path, name), value

    # Hooks ----------------------------------------------------------------------------------------

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each `forward`.

        Args:
            hook: may return what replaces `args`: a tuple, or a single value.
            prepend: run it before the hooks that are already there.
            with_kwargs: call `hook(module, args, kwargs)` and expect `(args, kwargs)` back.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        pre_hooks = self._forward_pre_hooks
        return add_forward_hook(pre_hooks, hook, prepend=prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
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
        self, hook: Hook, *, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the gradients of the module are computed.

        Args:
            hook: gets one gradient for each output, None for what is no tensor; may return a
                tuple that takes their place.
            prepend: run it before the hooks that are already there.

        Returns:
            A handle whose `remove()` takes the hook away, from the next call of the module on.
        """
        return add_full_backward_hook(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Hook, *, prepend: bool = False) -> RemovableHandle:
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
        return add_full_backward_hook(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
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
        destination = {} if destination is None else destination
        for key, _, _, value in self._state():
            destination[prefix + key] = value if keep_vars else value.detach()
        return destination

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
        if not isinstance(state_dict, Mapping):
            raise ArgumentTypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict)}. "
                "Values are found by name. Pass what `module.state_dict()` returns."
            )
        own = {key: (registry, name, value) for key, registry, name, value in self._state()}
        missing = [key for key in own if key not in state_dict]
        unexpected = [key for key in state_dict if key not in own]
        found = [key for key in own if key in state_dict]
        problems = [
            f"{what} key(s) in state_dict: {_quoted(names)}. "
            for what, names in (("Missing", missing), ("Unexpected", unexpected))
            if strict and names
        ]
        names_differ = bool(problems)
        problems += filter(None, [_misfit(key, own[key][2], state_dict[key]) for key in found])
        if problems:
            raise GraphError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                + "\n\t".join(problems)
                + "\nNothing was loaded. Load into a module built like the one that was saved"
                + (", or pass strict=False to load what matches." if names_differ else ".")
            )
        with no_grad():
            for key in found:
                registry, name, present = own[key]
                value = state_dict[key]
                if not assign:
                    present.copy_(value)
                elif isinstance(present, Parameter) and not isinstance(value, Parameter):
                    registry[name] = Parameter(value, present.requires_grad)
                else:
                    registry[name] = value
        return IncompatibleKeys(missing, unexpected)

    def _state(self) -> Iterator[tuple[str, dict[str, Any], str, Tensor]]:
        """The entries of the state: the dotted name, where it is kept, its name there, itself."""
        for path, owner in self.named_modules(remove_duplicate=False):
            for registry in (owner._parameters, owner._buffers):
                for name, value in registry.items():
                    if value is not None and name not in owner._non_persistent_buffers_set:
                        yield _joined(path, name), registry, name, value

    def zero_grad(self, *, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        clear_gradients(self.parameters(), set_to_none=set_to_none)

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
        dtype, device = destination(target, dtype, device)
        wanted = None if dtype is None else as_dtype(dtype)
        if wanted is not None and not is_differentiable(wanted):
            raise ArgumentTypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={wanted}. Parameters of whole numbers cannot be trained. "
                "Write `module.to(glassgrad.float32)`."
            )

        def moved(tensor: Tensor) -> Tensor:
            kept = None if is_differentiable(tensor.dtype) else tensor.dtype
            return tensor.to(dtype=kept or wanted, device=device)

        return self._apply(moved)

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


def _require_tensor_or_none(name: str, value: object) -> None:
    if value is not None and not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"cannot assign '{type(value).__name__}' object to buffer '{name}' "
            "(Tensor or None required). A buffer moves and is saved with the module. "
            "Write `glassgrad.tensor(values)`."
        )


def _misfit(key: str, present: Tensor, value: object) -> str:
    """Why `value` cannot be loaded in the place of what is there; nothing if it can."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected a Tensor '
            f"from checkpoint but received {type(value)}."
        )
    if value.shape != present.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from "
            f"checkpoint, the shape in current model is {present.shape}."
        )
    return ""


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
