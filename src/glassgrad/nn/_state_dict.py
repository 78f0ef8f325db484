"""Saving and loading: a module's parameters and persistent buffers as one flat dict."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from glassgrad.autograd.grad_mode import no_grad
from glassgrad.core.errors import ArgumentTypeError, GraphError
from glassgrad.core.tensor import Tensor
from glassgrad.nn.parameter import Parameter

if TYPE_CHECKING:
    from glassgrad.nn.module import Module

__all__ = ["IncompatibleKeys", "collect", "load"]


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


class _Slot(NamedTuple):
    """One entry of a state dict, and where in the module it lives."""

    key: str
    registry: dict[str, Any]
    name: str
    value: Tensor


def collect(
    module: "Module", destination: dict[str, Tensor], prefix: str, *, keep_vars: bool
) -> dict[str, Tensor]:
    """Add the state of `module` to `destination`, which is returned."""
    for slot in _slots(module):
        destination[prefix + slot.key] = slot.value if keep_vars else slot.value.detach()
    return destination


def load(
    module: "Module", state_dict: Mapping[str, Tensor], *, strict: bool, assign: bool
) -> IncompatibleKeys:
    """Copy `state_dict` into `module`, or raise with everything that is wrong and copy nothing."""
    if not isinstance(state_dict, Mapping):
        raise ArgumentTypeError(
            f"Expected state_dict to be dict-like, got {type(state_dict)}. "
            "Values are found by name. Pass what `module.state_dict()` returns."
        )
    slots = list(_slots(module))
    own = {slot.key for slot in slots}
    missing = [slot.key for slot in slots if slot.key not in state_dict]
    unexpected = [key for key in state_dict if key not in own]
    problems = []
    if strict and missing:
        problems.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
    if strict and unexpected:
        problems.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
    found = [slot for slot in slots if slot.key in state_dict]
    problems += [text for slot in found if (text := _misfit(slot, state_dict[slot.key]))]
    if problems:
        raise GraphError(
            f"Error(s) in loading state_dict for {type(module).__name__}:\n\t"
            + "\n\t".join(problems)
            + "\nNothing was loaded. Load into a module built like the one that was saved"
            + (
                ", or pass strict=False to load what matches."
                if strict and (missing or unexpected)
                else "."
            )
        )
    with no_grad():
        for slot in found:
            _put(slot, state_dict[slot.key], assign=assign)
    return IncompatibleKeys(missing, unexpected)


def _slots(module: "Module") -> Iterator[_Slot]:
    for path, owner in module.named_modules(remove_duplicate=False):
        prefix = f"{path}." if path else ""
        persistent = {
            name: buffer
            for name, buffer in owner._buffers.items()
            if name not in owner._non_persistent_buffers_set
        }
        for registry, entries in (
            (owner._parameters, owner._parameters),
            (owner._buffers, persistent),
        ):
            for name, value in entries.items():
                if value is not None:
                    yield _Slot(prefix + name, registry, name, value)


def _misfit(slot: _Slot, value: object) -> str | None:
    """Why `value` cannot be loaded into `slot`, None if it can."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{slot.key}", expected a Tensor '
            f"from checkpoint but received {type(value)}."
        )
    if value.shape != slot.value.shape:
        return (
            f"size mismatch for {slot.key}: copying a param with shape {value.shape} from "
            f"checkpoint, the shape in current model is {slot.value.shape}."
        )
    return None


def _put(slot: _Slot, value: Tensor, *, assign: bool) -> None:
    if not assign:
        slot.value.copy_(value)
    elif isinstance(slot.value, Parameter) and not isinstance(value, Parameter):
        slot.registry[slot.name] = Parameter(value, slot.value.requires_grad)
    else:
        slot.registry[slot.name] = value


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
