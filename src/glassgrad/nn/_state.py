"""The state of a module, saved and loaded: a dict of tensors by dotted name.

Every module adds its own entries and asks those below it for theirs, so that a subclass may
override its part (`_save_to_state_dict`, `_load_from_state_dict`), and hooks may change it.

# Note [All or nothing is loaded]
# What loading finds wrong is listed whole, and then nothing has been written: writes wait until
# everything has been looked at. Only hooks that run after loading have to see what was loaded.
"""

import functools
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from glassgrad._words import plain
from glassgrad.core.errors import ExpectationError, GraphError, HookError
from glassgrad.core.state import Func, setting
from glassgrad.core.tensor import Tensor
from glassgrad.nn.parameter import Parameter, is_lazy
from glassgrad.ops import _checks as check

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(NamedTuple):
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
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def new_state() -> Any:
    """An empty state, which remembers the version of each module's part."""
    state: Any = OrderedDict()
    state._metadata = OrderedDict()
    return state


def save(module: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Add the entries of a module, and of all below it, to a state."""
    root, ahead = module, [(module, prefix, False)]
    while ahead:  # not by calls of itself: a tree may be deeper than a stack
        module, prefix, is_saved = ahead.pop()
        metadata = {"version": module._version}
        if is_saved:
            _after_save(module, destination, prefix, metadata)
            continue
        if module is not root and module._overrides("state_dict"):
            module.state_dict(destination=destination, prefix=prefix, keep_vars=keep_vars)
            continue
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in tuple(module._state_dict_pre_hooks.values()):
            hook(module, prefix, keep_vars)
        module._save_to_state_dict(destination, prefix, keep_vars)
        ahead += [(module, prefix, True), *_below(module, prefix, False)]


def _below(module: Any, prefix: str, *rest: Any) -> list[Any]:
    """The modules directly below, the last one first, each with the prefix of its entries."""
    named = reversed(module._modules.items())
    return [(child, f"{prefix}{name}.", *rest) for name, child in named if child is not None]


def _after_save(module: Any, destination: Any, prefix: str, metadata: Any) -> None:
    for hook in tuple(module._state_dict_hooks.values()):
        if hook(module, destination, prefix, metadata) is not None:
            raise HookError(
                "state_dict post-hook must return None: the dict is the one that all modules of "
                "the tree share. Change it in place."
            )


def replaced_by(hook: Func, module: Any, state: Any, *given: Any) -> None:
    """Fill `state` with what a hook returns in its place; None: it has changed it itself."""
    made = hook(module, state, *given)
    if made is not None and made is not state:
        entries = dict(made)
        state.clear()
        state.update(entries)


def without_module(hook: Func, _module: Any, *given: Any) -> None:
    """Call a hook that is not given the module."""
    hook(*given)


def save_own(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Add the module's own entries; subclasses may override it."""
    for name, value in own_state(self).items():
        destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()
    if self._overrides("get_extra_state"):
        destination[prefix + EXTRA_STATE] = self.get_extra_state()


def own_state(module: Any) -> dict[str, Tensor]:
    """Parameters and persistent buffers of a module alone."""
    left_out = module._non_persistent_buffers_set
    buffers = {name: x for name, x in module._buffers.items() if name not in left_out}
    named = {**module._parameters, **buffers}
    return {name: value for name, value in named.items() if value is not None}


def load(module: Any, state: Mapping[str, Any], strict: bool, assign: bool) -> _IncompatibleKeys:
    """Fill a module from a state; see `Module.load_state_dict`."""
    why = "Values are found by name. Pass what `module.state_dict()` returns."
    check.kind("Expected state_dict to be dict-like, got", state, Mapping, why)
    metadata = getattr(state, "_metadata", {})
    keys = _IncompatibleKeys([], [])
    errors: list[str] = []
    writes: list[Callable[[], None]] = []

    def loaded(module: Any) -> None:
        for hook in tuple(module._load_state_dict_post_hooks.values()):
            if not errors:
                _write(writes)
            if hook(module, keys) is not None:
                raise ExpectationError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected "
                    "to return new values: the lists of names are those of the whole tree. Change "
                    "them in place."
                )

    ahead: list[tuple[Any, str, Any]] = [(module, "", dict(state))]
    while ahead:
        at, prefix, given = ahead.pop()
        if given is None:  # all below it are loaded
            loaded(at)
            continue
        given = {k: v for k, v in given.items() if k.startswith(prefix)}
        local = {**metadata.get(prefix[:-1], {}), "writes": writes}
        if assign:
            local["assign_to_params_buffers"] = True
        at._load_from_state_dict(given, prefix, local, True, *keys, errors)
        ahead += [(at, prefix, None), *_below(at, prefix, given)]
    names = {"Missing": keys.missing_keys, "Unexpected": keys.unexpected_keys}
    problems = [
        f"{what} key(s) in state_dict: {_quoted(found)}. "
        for what, found in names.items()
        if strict and found
    ]
    if problems or errors:
        raise GraphError(
            f"Error(s) in loading state_dict for {type(module).__name__}:\n\t"
            + "\n\t".join([*problems, *errors])
            + "\nNothing was loaded. Load into a module built like the one that was saved"
            + (", or pass strict=False to load what matches." if problems else ".")
        )
    _write(writes)
    return keys


def _write(writes: list[Callable[[], None]]) -> None:
    with setting(grad=False):
        for write in writes:
            write()
    writes.clear()


def load_own(
    self: Any,
    state_dict: dict[str, Any],
    prefix: str,
    local_metadata: dict[str, Any],
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Take the module's own entries; subclasses may override it."""
    lists = (missing_keys, unexpected_keys, error_msgs)
    for hook in tuple(self._load_state_dict_pre_hooks.values()):
        hook(self, state_dict, prefix, local_metadata, strict, *lists)
    assign = local_metadata.get("assign_to_params_buffers", False)
    writes: list[Callable[[], None]] = []
    own = own_state(self)
    for name, present in own.items():
        key = prefix + name
        if key not in state_dict:
            missing_keys += [key] if strict else []
            continue
        value = state_dict[key]
        if isinstance(value, Tensor) and not is_lazy(present) and not present.ndim:
            value = value[0] if value.shape == (1,) else value  # as files of PyTorch 0.3 have it
        misfit = _misfit(key, present, value)
        if misfit:
            error_msgs.append(misfit)
        else:
            writes.append(functools.partial(_put, self, name, present, value, assign))
    if self._overrides("set_extra_state"):
        extra = prefix + EXTRA_STATE
        if extra in state_dict:
            writes.append(lambda: self.set_extra_state(state_dict[extra]))
        elif strict:
            missing_keys.append(extra)
        own[EXTRA_STATE] = None  # type: ignore[assignment]  # its name is known
    for key in state_dict if strict else ():
        name, dot, _ = key.removeprefix(prefix).partition(".")
        if key.startswith(prefix) and name not in (self._modules if dot else own):
            unexpected_keys.append(key)
    if "writes" in local_metadata:
        local_metadata["writes"] += writes  # Note [All or nothing is loaded]
    else:
        _write(writes)


def _put(module: Any, name: str, present: Tensor, value: Tensor, assign: bool) -> None:
    """Write one value to a module."""
    if not assign:
        present.copy_(value)
        return
    if isinstance(present, Parameter):
        if not isinstance(value, Parameter):
            value = Parameter(value, present.requires_grad)
        value.requires_grad = present.requires_grad
    setattr(module, name, value)


def _misfit(key: str, present: Tensor, value: object) -> str:
    """Why `value` cannot be loaded in the place of what is there; nothing if it can."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{plain(key, _LONGEST_KEY)}", expected a Tensor '
            f"from checkpoint but received {type(value)}."
        )
    if not is_lazy(present) and value.shape != present.shape:
        return (
            f"size mismatch for {plain(key, _LONGEST_KEY)}: copying a param with shape "
            f"{value.shape} from checkpoint, the shape in current model is {present.shape}."
        )
    return ""


_LONGEST_KEY = 400


def _quoted(names: list[str]) -> str:
    return ", ".join([f'"{plain(name, _LONGEST_KEY)}"' for name in names])
