"""Hooks around the `forward` of a module, and what they may return."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from glassgrad.core.errors import ArgumentTypeError, HookError
from glassgrad.core.graph import Hooks, RemovableHandle, add_hook

__all__ = ["ForwardHook", "add_forward_hook", "replaced_inputs"]


@dataclass(frozen=True, slots=True)
class ForwardHook:
    """A hook with the way it wants to be called; no closure, so that modules with hooks pickle."""

    hook: Callable[..., Any]
    with_kwargs: bool

    def __call__(
        self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *result: Any
    ) -> Any:
        if self.with_kwargs:
            return self.hook(module, args, kwargs, *result)
        return self.hook(module, args, *result)


def add_forward_hook(
    hooks: Hooks, hook: Callable[..., Any], *, prepend: bool, with_kwargs: bool
) -> RemovableHandle:
    """Put `hook` among `hooks`, and return its handle."""
    if not callable(hook):
        raise ArgumentTypeError(
            f"a forward hook must be callable, got {type(hook).__name__}. "
            "It is called around `forward`. Pass a function `hook(module, args, …)`."
        )
    return add_hook(hooks, ForwardHook(hook, with_kwargs), first=prepend)


def replaced_inputs(
    hook: ForwardHook, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of `forward` after one pre-hook."""
    result = hook(module, args, kwargs)
    if result is None:
        return args, kwargs
    if not hook.with_kwargs:
        return (result if isinstance(result, tuple) else (result,)), kwargs
    if isinstance(result, tuple) and len(result) == 2:
        return result
    raise HookError(
        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
        f"{result!r}. `forward` is called with them. Write `return args, kwargs`."
    )
