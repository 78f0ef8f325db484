"""What a module owns, by name: parameters, buffers, submodules, and the tree these make.

Assigning to an attribute files the value:

    self.weight = Parameter(…)       → self._parameters["weight"]
    self.act = ReLU()                → self._modules["act"]
    self.mean = Buffer(…)            → self._buffers["mean"]
    self.register_buffer("mean", t)  → the same

A name is in at most one of the three, or an ordinary attribute. What a module can do for all its
parameters is a walk over these dicts, and every walk is `named_modules`.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from glassgrad.core.errors import ArgumentTypeError, GlassgradError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.buffer import Buffer
from glassgrad.nn.parameter import Parameter

if TYPE_CHECKING:
    from glassgrad.nn.module import Module

__all__ = ["ModuleTree", "PartNameError"]

_REGISTRIES = ("_parameters", "_buffers", "_modules")


class PartNameError(GlassgradError, KeyError):
    """A name that no parameter, buffer or submodule can have."""

    __str__ = Exception.__str__  # KeyError's would print the message as a quoted key


class ModuleTree:
    """The owning half of `Module`; the computing half is in `module.py`."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, "Module | None"]
    _non_persistent_buffers_set: set[str]

    def __init__(self) -> None:
        vars(self).update(
            _parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set()
        )

    # By name --------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._file(name, value, registry="_parameters", what="parameters")
        elif isinstance(value, ModuleTree):
            self._file(name, value, registry="_modules", what="module")
        elif name in vars(self).get("_parameters", ()):
            self._empty(name, value, self._parameters, "parameter", "nn.Parameter")
        elif name in vars(self).get("_modules", ()):
            self._empty(name, value, self._modules, "child module", "nn.Module")
        elif isinstance(value, Buffer):
            self._require_setup("buffer", name)
            self.register_buffer(name, value, persistent=value.persistent)
        elif name in vars(self).get("_buffers", ()):
            _require_tensor_or_none(name, value)
            self._buffers[name] = value
        else:
            super().__setattr__(name, value)

    def _file(self, name: str, value: Any, *, registry: str, what: str) -> None:
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

    def _empty(
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
        if module is not None and not isinstance(module, ModuleTree):
            raise ArgumentTypeError(
                f"{type(module).__name__} is not a Module subclass. A part of a network has to be "
                "one. Derive its class from nn.Module, or call it as a function in `forward`."
            )
        self._require_free_name("module", name, self._modules)
        self._modules[name] = module

    add_module = register_module

    def _require_free_name(self, what: str, name: str, own: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"{what} name should be a string. Got {type(name).__name__}. Write a name."
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
        self, *, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """This module and all below it, with dotted names, parents first.

        Args:
            prefix: what the names start with.
            remove_duplicate: give a module that is reached twice only once.
        """
        seen: set[int] = set()
        stack: list[tuple[str, Module]] = [(prefix, cast("Module", self))]
        while stack:
            name, module = stack.pop()
            if remove_duplicate and id(module) in seen:
                continue
            seen.add(id(module))
            yield name, module
            below = [
                (f"{name}.{key}" if name else key, child)
                for key, child in module._modules.items()
                if child is not None
            ]
            stack.extend(reversed(below))

    def modules(self) -> Iterator["Module"]:
        """This module and all below it, parents first, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """The modules directly below, with their names, each once."""
        seen: set[int] = set()
        for name, child in self._modules.items():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                yield name, child

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
        for owner_name, owner in owners:
            for name, value in vars(owner)[registry].items():
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield (f"{owner_name}.{name}" if owner_name else name), value
            if not recurse:
                return


def _require_tensor_or_none(name: str, value: object) -> None:
    if value is not None and not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"cannot assign '{type(value).__name__}' object to buffer '{name}' "
            "(Tensor or None required). A buffer moves and is saved with the module. "
            "Write `glassgrad.tensor(values)`."
        )
