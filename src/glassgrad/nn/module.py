"""`Module`: a function with parameters, and a tree of such functions.

What a module owns is in three dicts, and assigning to an attribute files the value in one of them:

    self.weight = Parameter(…)       → self._parameters["weight"]
    self.act = ReLU()                → self._modules["act"]
    self.mean = Buffer(…)            → self._buffers["mean"]
    self.register_buffer("mean", t)  → the same

A name is in at most one of the three, or an ordinary attribute. What a module can do for all its
parameters is a walk over these dicts, and every walk is `named_modules`.
"""

import functools
import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any, Self

from glassgrad import ops
from glassgrad._dtypes import bfloat16
from glassgrad._words import LONGEST, plain, printable
from glassgrad.autograd.gradients import clear_gradients
from glassgrad.autograd.scopes import call_in_scope, note_call
from glassgrad.core import errors
from glassgrad.core.state import modes, next_seq, setting, special
from glassgrad.core.tensor import Tensor, is_differentiable
from glassgrad.hooks.on_gradients import Hooks, RemovableHandle
from glassgrad.memory.calls import warn
from glassgrad.nn import _hooks, _state
from glassgrad.nn._hooks import EVERYWHERE, Hook
from glassgrad.nn._state import _IncompatibleKeys
from glassgrad.nn.parameter import Buffer, Parameter, is_lazy
from glassgrad.ops import _checks as check
from glassgrad.ops.conversion import destination
from glassgrad.source.names import REGISTRIES
from glassgrad.values.backend import Device
from glassgrad.values.dtypes import as_dtype, float16, float32, float64


class PartNameError(errors.GlassgradError, KeyError, AttributeError):
    """A name that no parameter, buffer or submodule can have."""

    def __str__(self) -> str:  # KeyError's would print the message as a quoted key
        return printable(Exception.__str__(self))


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
    call_super_init: bool = False
    dump_patches: bool = False
    _version: int = 1
    _is_full_backward_hook: bool | None = None
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, "Module | None"]
    _non_persistent_buffers_set: set[str]
    _forward_pre_hooks: Hooks
    _forward_hooks: Hooks
    _backward_pre_hooks: Hooks
    _backward_hooks: Hooks
    _state_dict_pre_hooks: Hooks
    _state_dict_hooks: Hooks
    _load_state_dict_pre_hooks: Hooks
    _load_state_dict_post_hooks: Hooks

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        init: Any = cls.__init__
        is_ours = cls.__module__.startswith("glassgrad.") and isinstance(init, FunctionType)
        if is_ours and init.__qualname__.startswith("_"):  # Python names that of Conv2d so, too
            parts = init.__code__, init.__globals__, "__init__", init.__defaults__, init.__closure__
            own: Any = functools.update_wrapper(FunctionType(*parts), init)
            own.__kwdefaults__, own.__qualname__ = init.__kwdefaults__, f"{cls.__name__}.__init__"
            cls.__init__ = own  # type: ignore[method-assign]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            given = f"keyword argument '{next(iter(kwargs))}'" if kwargs else "positional argument"
            raise errors.ArgumentTypeError(
                f"{type(self).__name__}.__init__() got an unexpected {given}. A module's own "
                "arguments stop at its class. Write `super().__init__()`."
            )
        vars(self).update({name: {} for name in REGISTRIES}, _non_persistent_buffers_set=set())
        vars(self).update({name: Hooks() for name in _HOOKS}, training=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled or copied; a module of an older program may lack some of it."""
        Module.__init__(self)
        vars(self).update(state)

    # Calling ------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass says so."""
        name = plain(type(self).__name__, LONGEST)
        raise errors.MissingRuleError(
            f'Module [{name}] is missing the required "forward" function. '
            "Calling a module runs it. Write `def forward(self, x): …` in the class."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        hooks = self._forward_pre_hooks or self._forward_hooks or self._backward_hooks
        try:
            is_scoped = special and modes.scope is not None
            if not hooks and not self._backward_pre_hooks and not is_scoped and not EVERYWHERE:
                return note_call(self, next_seq(), self.forward(*args, **kwargs))
            return call_in_scope(self, self._run, args, kwargs)
        except (errors.GlassgradError, AttributeError, TypeError) as error:
            reasons = importlib.import_module("glassgrad.reasons.calls")
            found = None
            if not isinstance(error, errors.GlassgradError) and reasons.is_of_layer(error, self):
                forward = type(self).forward
                given = dict(zip(forward.__code__.co_varnames[1:], args, strict=False)) | kwargs
                found = check.no_tensor_among(type(self).__name__, forward, given)
            reasons.in_module(found or error, self, (*args, *kwargs.values()))
            if found is None:
                raise
            raise found

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """`forward` between its hooks."""
        waiting: list[Any] | None = None
        result = None
        try:
            for hook in _hooks.hooks_of(self, "_forward_pre_hooks"):
                args, kwargs = _hooks.replaced_inputs(hook, self, args, kwargs)
            watch = self._watched()
            if watch is not None:
                args = watch.watch_inputs(args)
            result = self.forward(*args, **kwargs)
            waiting = list(_hooks.hooks_of(self, "_forward_hooks"))
            while waiting:
                hook = waiting.pop(0)
                replacement = hook(self, args, kwargs, result)
                if replacement is not None:
                    result = replacement
        except Exception:
            later = _hooks.hooks_of(self, "_forward_hooks") if waiting is None else waiting
            _hooks.run_always(later, self, args, kwargs, result)
            raise
        if watch is not None:
            result = watch.watch_output(result)
        if self._is_full_backward_hook is False and self._backward_hooks:
            _hooks.watch_last_node(self, tuple(self._backward_hooks.values()), args, result)
        return result

    def _watched(self) -> _hooks.ModuleBackward | None:
        """What calls the full backward hooks; None if there are none."""
        hooks = _hooks.hooks_of(self, "_backward_hooks")
        if self._is_full_backward_hook is False:
            hooks = hooks[: len(hooks) - len(self._backward_hooks)]
        pre_hooks = _hooks.hooks_of(self, "_backward_pre_hooks")
        return _hooks.ModuleBackward(self, hooks, pre_hooks) if hooks or pre_hooks else None

    # Parts by name ------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._register(name, value, "parameter", "parameters")
        elif isinstance(value, Module):
            self._register(name, value, "module", "module")
        elif name in vars(self).get("_parameters", ()):
            self._assign_none(name, value, "_parameters", "parameter", "nn.Parameter")
        elif name in vars(self).get("_modules", ()):
            self._assign_none(name, value, "_modules", "child module", "nn.Module")
        elif isinstance(value, Buffer):
            self._require_setup("buffer", name)
            self.register_buffer(name, value, persistent=value.persistent)
        elif name in vars(self).get("_buffers", ()):
            _require_tensor_or_none(name, value)
            self._buffers[name] = value
        else:
            super().__setattr__(name, value)

    def _register(self, name: str, value: Any, kind: str, what: str) -> None:
        """File a value under a name that was free, or something else's."""
        self._require_setup(what, name)
        for other in (vars(self), self._parameters, self._buffers, self._modules):
            if other is not vars(self)[f"_{kind}s"]:
                other.pop(name, None)
        self._non_persistent_buffers_set.discard(name)
        _hooks.file(kind, self, name, value)

    def _require_setup(self, what: str, name: str) -> None:
        if "_parameters" not in vars(self):
            raise AttributeError(
                f"cannot assign {what} before Module.__init__() call (attribute {name!r} of "
                f"{plain(type(self).__name__, LONGEST)}). There is no place for it yet. "
                "Begin `__init__` with `super().__init__()`."
            )

    def _assign_none(self, name: str, value: object, registry: str, what: str, wanted: str) -> None:
        if value is not None:
            raise errors.ArgumentTypeError(
                f"cannot assign '{ops.typename(value)}' as {what} {name!r} (torch.{wanted} or None "
                f"expected). Other code finds the {what} by that name. "
                f"Assign a {wanted}, or `del` the attribute first."
            )
        vars(self)[registry][name] = None

    def __getattr__(self, name: str) -> Any:
        # Python calls this only after the ordinary lookup has failed.
        own = self.__dict__
        for registry in REGISTRIES:
            if name in own.get(registry, ()):
                return own[registry][name]
        kind = plain(type(self).__name__, LONGEST)
        said = f"'{kind}' object has no attribute '{plain(name, LONGEST)}'"
        if "_parameters" not in own:
            said += ": its `__init__` begins with no `super().__init__()`, which makes that."
        elif hasattr(Tensor, name):
            said += f". A tensor has; a module makes one when it is called: `{kind}()(x)`."
        raise AttributeError(said, name=name, obj=self)

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
            raise errors.ArgumentTypeError(
                f"cannot assign '{ops.typename(param)}' object to parameter {name!r} "
                "(torch.nn.Parameter or None required). Only those are found by `parameters()`. "
                "Write `nn.Parameter(tensor)`."
            )
        self._parameters[name] = param
        if param is not None:
            _hooks.file("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """File a tensor that is part of the state but no parameter, under `name`.

        Args:
            name: the attribute to reach it by.
            tensor: moves with the module; None for one that is left out.
            persistent: whether `state_dict` contains it.
        """
        self._require_free_name("buffer", name, self._buffers)
        _require_tensor_or_none(name, tensor)
        _hooks.file("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_module(self, name: str, module: "Module | None") -> None:
        """File a submodule, or None for one that is left out, under `name`."""
        given: Any = module
        if given is not None and not isinstance(given, Module):
            what = getattr(given, "__name__", type(given).__name__)
            remedy = "Derive its class from nn.Module, or call it as a function in `forward`."
            if isinstance(given, type):
                remedy = f"Write `{what}()`, which makes one."
            elif isinstance(given, (list, tuple)):
                remedy = f"Write `{type(self).__name__}(*parts)` for the parts in a {what}."
            raise errors.ArgumentTypeError(
                f"{type(given).__name__} is not a Module subclass. A part of a network has to be "
                f"one. {remedy}"
            )
        self._require_free_name("module", name, self._modules)
        _hooks.file("module", self, name, module)

    add_module = register_module

    def get_submodule(self, target: str) -> "Module":
        """The module of a dotted name; this module itself for an empty one.

        Raises:
            PartNameError: if there is none of that name.

        Example:
            >>> Sequential(Linear(2, 3), ReLU()).get_submodule("1")
            ReLU()
        """
        found: Any = self
        for name in target.split(".") if target else ():
            found = _part_of(found, name, Module, "an nn.Module")
        return found  # type: ignore[no-any-return]

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name.

        Raises:
            PartNameError: if there is none of that name.
        """
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        return _part_of(owner, name, Parameter, "an nn.Parameter")  # type: ignore[no-any-return]

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name.

        Raises:
            PartNameError: if there is none of that name.
        """
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        found = _part_of(owner, name, Tensor, "a buffer")
        if name not in owner._buffers:
            raise PartNameError(
                f"`{name}` is not a buffer of {type(owner).__name__}. Only what was registered as "
                "one is. Write `get_parameter`, or `register_buffer(name, tensor)` first."
            )
        return found  # type: ignore[no-any-return]

    def set_submodule(self, target: str, module: "Module", strict: bool = False) -> None:
        """Put a module in the place of a dotted name.

        Args:
            target: the name; the modules on the way to it exist.
            module: what is put there.
            strict: refuse a name that no module has.

        Raises:
            ArgumentError: for an empty name, or what is no module.
            PartNameError: if the name leads nowhere, or to what is no module.
        """
        if not target:
            raise errors.ArgumentError(
                "Cannot set the submodule without a target name! Write the name of its place."
            )
        if not isinstance(module, Module):
            raise errors.ArgumentError(
                f"`module` is not an nn.Module, found {type(module)}. Only modules are parts of "
                "one. Derive its class from nn.Module."
            )
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if strict or hasattr(owner, name):
            _part_of(owner, name, Module, "an nn.Module")
        setattr(owner, name, module)

    def get_extra_state(self) -> Any:
        """What `state_dict` contains beside the tensors; a subclass that has such says so."""
        raise _without_extra_state("get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Take up what `get_extra_state` gave."""
        raise _without_extra_state("set_extra_state")

    def _overrides(self, method: str) -> bool:
        """Whether a subclass has a method of its own."""
        return getattr(type(self), method) is not getattr(Module, method)

    def _require_free_name(self, what: str, name: Any, own: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            got = type(name).__name__
            raise errors.ArgumentTypeError(
                f"{what} name should be a string. Got {got}. Write a name."
            )
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
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """This module and all below it, with dotted names, parents first.

        Args:
            memo: modules that are left out; those that are given are added.
            prefix: what the names start with.
            remove_duplicate: give a module that is reached twice only once.
        """
        seen = set() if memo is None else memo
        stack: list[tuple[str, Module]] = [(prefix, self)]
        while stack:
            name, module = stack.pop()
            if remove_duplicate and module in seen:
                continue
            seen.add(module)
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
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
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

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each once: what an optimiser is given."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted names; arguments as in `named_parameters`."""
        return self._named("_buffers", prefix, recurse=recurse, remove_duplicate=remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
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
        how = {"prepend": prepend, "with_kwargs": with_kwargs}
        return _hooks.add(self, "_forward_pre_hooks", hook, **how)

    def register_forward_hook(
        self,
        hook: Hook,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each `forward`.

        Args:
            hook: what it returns replaces the output, None keeps it.
            prepend: run it before the hooks that are already there.
            with_kwargs: call `hook(module, args, kwargs, output)`.
            always_call: also if `forward` raised an error; its output is None then.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        how = {"prepend": prepend, "with_kwargs": with_kwargs, "always_call": always_call}
        return _hooks.add(self, "_forward_hooks", hook, **how)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the gradients of the module are computed.

        Args:
            hook: gets one gradient for each output, None for what is no tensor; may return a
                tuple that takes their place.
            prepend: run it before the hooks that are already there.

        Returns:
            A handle whose `remove()` takes the hook away, from the next call of the module on.
        """
        return _hooks.add(self, "_backward_pre_hooks", hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known.

        Args:
            hook: gets one gradient for each positional argument and for each output, None for
                what is no tensor; may return a tuple that takes the place of `grad_input`.
            prepend: run it before the hooks that are already there.

        Returns:
            A handle whose `remove()` takes the hook away, from the next call of the module on.

        Raises:
            HookError: if the module has hooks of the old form.

        Example:
            >>> layer = Sequential(ReLU())
            >>> handle = layer.register_full_backward_hook(lambda m, gin, gout: print(gin, gout))
            >>> layer(tensor([-1.0, 2.0], requires_grad=True)).sum().backward()
            (tensor([0., 1.]),) (tensor([1., 1.]),)
        """
        self._use_backward_hooks(full=True)
        return _hooks.add(self, "_backward_hooks", hook, prepend=prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The old form: `hook(module, grad_input, grad_output)` sees the last op of `forward`.

        It takes the gradients of that op's operands for those of the module's inputs, and warns
        where they differ. Use `register_full_backward_hook`.

        Raises:
            HookError: if the module has hooks of the full form.
        """
        self._use_backward_hooks(full=False)
        return _hooks.add(self, "_backward_hooks", hook)

    def _use_backward_hooks(self, *, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise errors.HookError(
                "Cannot use both regular backward hooks and full backward hooks on a single "
                "Module. Please use only one of them: write `register_full_backward_hook` for all."
            )
        self._is_full_backward_hook = full

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict` looks at the module."""
        return _hooks.add(self, "_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` when its entries are there.

        Args:
            hook: may change the dict in place.
        """
        return _hooks.add(self, "_state_dict_hooks", hook)

    def _register_state_dict_hook(self, hook: Hook) -> RemovableHandle:
        """The older form: a dict that the hook returns takes the place of what it was given."""
        return self.register_state_dict_post_hook(functools.partial(_state.replaced_by, hook))

    def _register_load_state_dict_pre_hook(
        self, hook: Hook, with_module: bool = False
    ) -> RemovableHandle:
        """The older form: the hook is not given the module, unless it asks for it."""
        called = hook if with_module else functools.partial(_state.without_module, hook)
        return self.register_load_state_dict_pre_hook(called)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call a hook before the module looks for its entries in a state.

        Args:
            hook: is called as `hook(module, state_dict, prefix, local_metadata, strict,
                missing_keys, unexpected_keys, error_msgs)`; may change the dict and the lists.
        """
        return _hooks.add(self, "_load_state_dict_pre_hooks", hook)

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` when the module has been loaded.

        Args:
            hook: may change the two lists of names; what is left in them is an error if strict.
        """
        return _hooks.add(self, "_load_state_dict_post_hooks", hook)

    # State ----------------------------------------------------------------------------------------

    def state_dict(
        self,
        *args: Any,
        destination: dict[str, Tensor] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Tensor]:
        """Parameters and persistent buffers by dotted name, sharing the module's memory.

        Args:
            *args: the same three by position, as older programs give them.
            destination: the dict to add to; None: a new one.
            prefix: what the names start with.
            keep_vars: the tensors themselves, not detached ones.

        Example:
            >>> list(Linear(2, 3).state_dict())
            ['weight', 'bias']
        """
        if args:
            warn("Positional args are being deprecated, use kwargs instead.", FutureWarning)
            others: list[Any] = [destination, prefix, keep_vars]
            destination, prefix, keep_vars = [*args, *others[len(args) :]]
        if destination is None:
            destination = _state.new_state()
        _state.save(self, destination, prefix, keep_vars)
        return destination

    _save_to_state_dict = _state.save_own

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
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
        return _state.load(self, state_dict, strict, assign)

    _load_from_state_dict = _state.load_own

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        clear_gradients(self.parameters(), set_to_none=set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Let gradients flow to all parameters, or stop them; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    # Modes, and moving ----------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below it to training mode, or out of it; returns it."""
        if not isinstance(mode, bool):
            raise errors.ArgumentError(
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
        ahead: list[tuple[Module, bool]] = [(self, False)]
        while ahead:  # not by calls of itself: a tree may be deeper than a stack
            module, is_ready = ahead.pop()
            if is_ready:
                fn(module)
            elif module is not self and module._overrides("apply"):
                module.apply(fn)
            else:
                ahead += [(module, True), *[(m, False) for m in reversed([*module.children()])]]
        return self

    @check.briefly
    def to(
        self,
        *target: Any,
        device: Device | str | None = None,
        dtype: Any = None,
        tensor: Tensor | None = None,
        non_blocking: bool = False,
        memory_format: Any = None,
    ) -> Self:
        """Move parameters, gradients and buffers to a device, a floating-point dtype, or both.

        Args:
            *target: a device, a dtype, both, or a tensor to be like.
            device, dtype, tensor: the same by keyword. Integer buffers keep their dtype.
            non_blocking, memory_format: for PyTorch's programs; nothing waits, and memory is laid
                out as it was.

        Raises:
            ArgumentTypeError: if the dtype is neither floating-point nor complex.

        Example:
            >>> Linear(2, 3).to(float64).weight.dtype
            glassgrad.float64
        """
        places = [each for each in (*target, tensor) if not isinstance(each, bool)]
        dtype, device = destination(places, dtype, device)
        wanted = None if dtype is None else as_dtype(dtype)
        if wanted is not None and not is_differentiable(wanted):
            raise errors.ArgumentTypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={wanted}. Parameters of whole numbers cannot be trained. "
                "Write `module.to(glassgrad.float32)`."
            )

        def moved(tensor: Tensor) -> Tensor:
            kept = None if is_differentiable(tensor.dtype) else tensor.dtype
            return tensor.to(dtype=kept or wanted, device=device)

        return self._apply(moved)

    def type(self, dst_type: Any) -> Self:
        """Give all parameters and buffers a dtype; those of whole numbers, too."""
        return self._apply(lambda tensor: tensor.to(as_dtype(dst_type)))

    def float(self) -> Self:
        """`to(float32)`."""
        return self.to(float32)

    def double(self) -> Self:
        """`to(float64)`."""
        return self.to(float64)

    def half(self) -> Self:
        """`to(float16)`."""
        return self.to(float16)

    def bfloat16(self) -> Self:
        """`to(bfloat16)`, which becomes float32: NumPy has no such numbers."""
        return self.to(bfloat16)

    def compile(self, *_args: Any, **_options: Any) -> None:
        """Nothing: there is no compiler."""

    def cpu(self) -> Self:
        """`to("cpu")`."""
        return self.to("cpu")

    def cuda(self, device: int | Device | None = None) -> Self:
        """`to("cuda")`, or to the GPU of that number."""
        return self.to(f"cuda:{device}" if isinstance(device, int) else device or "cuda")

    def share_memory(self) -> Self:
        """Move parameters and buffers to memory that processes share which are forked later."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def to_empty(self, *, device: Device | str | None, recurse: bool = True) -> Self:
        """Move parameters and buffers to a device without their values."""
        return self._apply(lambda tensor: ops.empty_like(tensor, device=device), recurse)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the array of every parameter, gradient and buffer; the tensors stay the same."""
        with setting(grad=False):
            for parameter in self.parameters(recurse):
                grad = parameter.grad
                parameter.data = fn(parameter.data)
                if grad is not None:
                    parameter.grad = fn(grad)
            owners: Iterable[Module] = self.modules() if recurse else (self,)
            for module in owners:
                for name, buffer in module._buffers.items():
                    if is_lazy(buffer):
                        buffer.data = fn(buffer.data)  # type: ignore[union-attr]
                    elif buffer is not None:
                        module._buffers[name] = fn(buffer)
        return self

    # In print -------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses of the repr; subclasses say it."""
        return ""

    def __repr__(self) -> str:
        tree: list[Any] = [self]
        walked: list[Any] = []
        for module in tree:  # which grows meanwhile: parents first
            if module is self or (module is not None and not module._overrides("__repr__")):
                walked.append(module)
                tree += module._modules.values()
        ours = set(map(id, walked))
        texts = {id(module): repr(module) for module in tree if id(module) not in ours}
        for module in reversed(walked):
            texts[id(module)] = module._text([texts[id(m)] for m in module._modules.values()])
        return texts[id(self)]

    def _text(self, below: list[str]) -> str:
        """The repr, made of those of the modules directly below."""
        lines = [line for line in self.extra_repr().splitlines() if line]
        children = [
            f"({plain(name, LONGEST)}): {_addindent(text, 2)}"
            for name, text in zip(self._modules, below, strict=True)
        ]
        name = plain(self._get_name(), LONGEST)
        body = "".join(f"  {line}\n" for line in [*lines, *children])
        inside = f"\n{body}" if children or len(lines) > 1 else "".join(lines)
        return printable(f"{name}({inside})")


_HOOKS = tuple([name for name, kind in Module.__annotations__.items() if kind is Hooks])


def _without_extra_state(method: str) -> errors.MissingRuleError:
    return errors.MissingRuleError(
        f"Reached a code path in Module.{method}() that should never be called. A state has it "
        f"only if a subclass does. Write `def {method}(self, …): …` in the class."
    )


def _require_tensor_or_none(name: str, value: object) -> None:
    if value is not None and not isinstance(value, Tensor):
        raise errors.ArgumentTypeError(
            f"cannot assign '{ops.typename(value)}' object to buffer {name!r} "
            "(torch Tensor or None required). A buffer moves and is saved with the module. "
            "Write `glassgrad.tensor(values)`."
        )


def _part_of(owner: Module, name: str, kind: Any, what: str) -> Any:
    """The attribute of a module that has to be of some kind."""
    if not hasattr(owner, name):
        raise PartNameError(
            f"{type(owner).__name__} has no attribute `{plain(name, LONGEST)}`. A dotted name "
            "leads from module to module. Write one of those that `named_modules()` gives."
        )
    found = getattr(owner, name)
    if not isinstance(found, kind):
        raise PartNameError(
            f"`{plain(name, LONGEST)}` is not {what}, but of {type(found)}. "
            "Write the name of one, or take the attribute itself."
        )
    return found


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _addindent(text: str, spaces: int) -> str:
    return text.replace("\n", "\n" + " " * spaces)


# Hooks of all modules -----------------------------------------------------------------------------


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, args)` before each `forward` of any module, before its own hooks."""
    return _hooks.add(None, "_forward_pre_hooks", hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after each `forward` of any module, before its own hooks.

    Args:
        hook: what it returns replaces the output, None keeps it.
        with_kwargs, always_call: as in `Module.register_forward_hook`.

    Example:
        >>> say = lambda module, args, output: print(type(module).__name__)
        >>> with register_module_forward_hook(say):
        ...     _ = Sequential(ReLU(), Tanh())(zeros(1))
        ReLU
        Tanh
        Sequential
    """
    how = {"with_kwargs": with_kwargs, "always_call": always_call}
    return _hooks.add(None, "_forward_hooks", hook, **how)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the gradients of any module are computed."""
    return _hooks.add(None, "_backward_pre_hooks", hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` for any module; see the method of a module."""
    return _hooks.add(None, "_backward_hooks", hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, parameter)` when any module gets one; it may return another."""
    return _hooks.add(None, "parameter", hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, buffer)` when any module gets one; it may return another."""
    return _hooks.add(None, "buffer", hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, submodule)` when any module gets one; it may return another."""
    return _hooks.add(None, "module", hook)
