"""Parameters that are computed from others: a parametrization is a module that says how.

    register_parametrization(linear, "weight", Symmetric())

    linear.weight                            Symmetric()(original), computed at each access
    linear.parametrizations.weight.original  the parameter that is trained

`linear.weight = value` asks the modules for their `right_inverse(value)`. The class of the module
is changed for one derived from it, since properties belong to classes.
"""

import copy
from typing import Any

from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.nn.containers import ModuleDict, ModuleList
from glassgrad.nn.module import Module
from glassgrad.nn.parameter import Parameter
from glassgrad.ops import _checks as check

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache: dict[tuple[int, str], Any] = {}
_caching = 0  # how many blocks of `cached` are open


class cached(setting):  # noqa: N801  # PyTorch's name
    """The block in which a parametrized tensor is computed once."""

    def __init__(self) -> None:
        super().__init__(globals(), _caching=_caching + 1)

    def leave(self) -> None:
        if _caching == 1:
            _cache.clear()
        super().leave()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, the first of them innermost; calling it computes it.

    Attributes:
        original: the parameter that they start from; `original0`, `original1` … if the
            `right_inverse` of the first gives several.
    """

    original: Any

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        first = self._inverted(original)
        self.is_tensor = isinstance(first, Tensor)
        parts = [first] if self.is_tensor else list(first)
        self.ntensors = len(parts)
        for name, part in zip(self._originals_names(), parts, strict=True):
            _file(self, name, part, original)

    def _inverted(self, value: Any) -> Any:
        with setting(grad=False):
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    value = module.right_inverse(value)
        return value

    def originals(self) -> list[Any]:
        """The tensors that the parametrizations start from."""
        return [getattr(self, name) for name in self._originals_names()]

    def _originals_names(self) -> list[str]:
        return ["original"] if self.is_tensor else [f"original{k}" for k in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Write into the originals what makes the parametrized tensor this one."""
        for module in self:
            if not hasattr(module, "right_inverse"):
                raise GraphError(
                    f"parametrization {type(module).__name__} does not implement right_inverse. It "
                    "says what the originals are of which it makes the value. Write that method, "
                    "or assign the originals."
                )
        made = self._inverted(value)
        with setting(grad=False):
            for own, part in zip(self.originals(), [made] if self.is_tensor else made, strict=True):
                own.data = part.detach()

    def forward(self) -> Any:
        first, *others = list(self)
        value = first(*self.originals())
        for module in others:
            value = module(value)
        return value


def _file(module: Module, name: str, value: Tensor, like: Tensor) -> None:
    """Make a value a parameter of a module if it stands for one, else a buffer."""
    if not isinstance(like, Parameter):
        module.register_buffer(name, value)
    elif isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_parameter(name, Parameter(value.detach(), like.requires_grad))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer be computed from another by a module.

    Args:
        module: whose tensor it is.
        tensor_name: its name.
        parametrization: is called with the original, or with what an earlier one made of it.
        unsafe: allow the parametrization to change shape and dtype.

    Returns:
        The module.

    Raises:
        ArgumentError: if the module has no such tensor, or its shape or dtype would change.

    Example:
        >>> class Positive(Module):
        ...     def forward(self, x):
        ...         return x.exp()
        >>> layer = register_parametrization(Linear(1, 1), "weight", Positive())
        >>> bool(layer.weight > 0)
        True
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'parametrizations.weight.original']

    See also: https://pytorch.org/tutorials/intermediate/parametrizations.html
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        own: Any = module.parametrizations[tensor_name]
        value = getattr(module, tensor_name)
        if not (unsafe or own.unsafe):
            _require_alike(value, parametrization(value))
        own.append(parametrization)
        own.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ArgumentError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name {tensor_name!r}. Write the name of one."
        )
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe)
    if not unsafe:
        _require_alike(original, made())
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _derive_class(module)
        module.parametrizations = ModuleDict()
    _add_property(module, tensor_name)
    module.parametrizations[tensor_name] = made
    return module


def _require_alike(before: Tensor, after: Any) -> None:
    why = "It stands where a tensor stood. Return one."
    check.kind("A parametrization must return a tensor. Got", after, Tensor, why, ArgumentError)
    if after.shape != before.shape or after.dtype != before.dtype:
        raise ArgumentError(
            "Registering a parametrization may not change the shape or the dtype of the tensor, "
            f"unless the `unsafe` flag is enabled: {tuple(before.shape)} of {before.dtype} would "
            f"become {tuple(after.shape)} of {after.dtype}. Write `unsafe=True`."
        )


def _derive_class(module: Module) -> None:
    own = type(module)

    def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        made = memo[id(self)] = own.__new__(type(self))
        vars(made).update(copy.deepcopy(vars(self), memo))
        made.__class__ = type(type(self).__name__, (own,), dict(vars(type(self))))
        return made

    def refuse(*_: Any) -> Any:
        raise GraphError(
            "Serialization of parametrized modules is only supported through state_dict(): the "
            "class is made at run time. Save `module.state_dict()`."
        )

    body = {"__deepcopy__": deepcopy, "__reduce_ex__": refuse, "__module__": own.__module__}
    module.__class__ = type(f"Parametrized{own.__name__}", (own,), body)


def _add_property(module: Any, name: str) -> None:
    def get(self: Any) -> Any:
        if not _caching:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or one of this name."""
    own: Any = module._modules.get("parametrizations")
    if not isinstance(own, ModuleDict) or not type(module).__name__.startswith("Parametrized"):
        return False
    return bool(len(own)) if tensor_name is None else tensor_name in own


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make an ordinary parameter or buffer of a parametrized tensor again.

    Args:
        module: whose tensor it is.
        tensor_name: its name.
        leave_parametrized: whether it keeps the value that was computed, and not the original's.

    Returns:
        The module.

    Raises:
        ArgumentError: if it is not parametrized, or there are several originals to go back to.
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(
            f"Module {module} does not have a parametrization on {tensor_name}. Write the name of "
            "a tensor that has."
        )
    own: Any = module.parametrizations[tensor_name]
    if not leave_parametrized and not own.is_tensor:
        raise ArgumentError(
            "You cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors. Write `leave_parametrized=True`."
        )
    original = own.originals()[0]
    value = getattr(module, tensor_name).detach()
    if leave_parametrized and own.is_tensor:
        original.data = value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _file(module, tensor_name, original if own.is_tensor else value, original)
    if not len(module.parametrizations):
        del module.parametrizations
        module.__class__ = type_before_parametrizations(module)
    return module


def type_before_parametrizations(module: Module) -> Any:
    """The class of a module, whether tensors of it are parametrized or not."""
    kind = type(module)
    return kind.__bases__[0] if kind.__name__.startswith("Parametrized") else kind


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another, with copies of their parameters.

    Args:
        from_module: who has them.
        to_module: who gets them.
        tensor_name: of which tensor; None: of all.

    Returns:
        `to_module`.
    """
    own: Any = from_module.parametrizations
    for name in [tensor_name] if tensor_name else list(own):
        for parametrization in own[name]:
            made = copy.deepcopy(parametrization)
            register_parametrization(to_module, name, made, unsafe=own[name].unsafe)
        theirs: Any = to_module.parametrizations[name]
        for mine, other in zip(theirs.originals(), own[name].originals(), strict=True):
            mine.data = other.detach().clone()
    return to_module
