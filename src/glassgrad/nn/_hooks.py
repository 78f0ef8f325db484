"""Hooks of a module: around its `forward`, and on the gradients of its inputs and outputs.

For backward hooks what goes into `forward` and what comes out of it passes through a node that does
nothing, so that there is one place in the graph where the gradients of all outputs are together,
and one for those of all inputs:

    x, y ──> BackwardHookFunction ──> forward ──> BackwardHookFunction ──> out
               its post-hook: the                   its post-hook: the
               module's backward hooks              module's backward pre-hooks
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from glassgrad.core.errors import ArgumentTypeError, HookError
from glassgrad.core.function import Function
from glassgrad.core.state import is_recording
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.handles import Hooks, RemovableHandle, add_hook
from glassgrad.ops._arguments import check_type

Grads = tuple[Tensor | None, ...]


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
    why = "It is called around `forward`. Pass a function `hook(module, args, …)`."
    check_type("a forward hook must be callable", hook, Callable, why)
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


# Backward hooks ---------------------------------------------------------------------------------


def add_full_backward_hook(hooks: Hooks, hook: Any, *, prepend: bool) -> RemovableHandle:
    """Put `hook` among `hooks`, and return its handle."""
    why = "It is called with gradients. Pass a function `hook(module, …)`."
    check_type("a backward hook must be callable", hook, Callable, why)
    return add_hook(hooks, hook, first=prepend)


class BackwardHookFunction(Function):
    """y = x for several tensors at once        x̄ = ȳ"""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> tuple[Tensor, ...]:
        ctx.mark_non_differentiable(*[x for x in args if not x.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class ModuleBackward:
    """The backward hooks of one call of a module: those it had when it was called.

    Args:
        module: what is being called.
        hooks: called as `hook(module, grad_input, grad_output)`.
        pre_hooks: called as `hook(module, grad_output)`.
    """

    def __init__(
        self,
        module: Any,
        hooks: Sequence[Callable[..., Any]],
        pre_hooks: Sequence[Callable[..., Any]],
    ) -> None:
        self.module = module
        self.hooks, self.pre_hooks = tuple(hooks), tuple(pre_hooks)
        self.places: list[int] | None = None  # of the tensors among the inputs
        self.n_inputs = 0
        self.grad_output: Grads | None = None

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The positional arguments of `forward`, behind a node if one requires grad."""
        self.n_inputs = len(args)
        passed, self.places = _behind_node(args, self._inputs_arrived)
        return passed

    def watch_output(self, result: Any) -> Any:
        """What `forward` returned, behind a node if it requires grad."""
        if isinstance(result, Tensor):
            return self._watched((result,))[0]
        if isinstance(result, tuple):
            return self._watched(result)
        warnings.warn(
            "For backward hooks to be called, module output should be a Tensor or a tuple of "
            f"Tensors but received {type(result)}.",
            UserWarning,
            stacklevel=3,
        )
        return result

    def _watched(self, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        places: list[int] | None = None

        def arrived(_: Grads, grads: Grads) -> Grads:
            assert places is not None, "there is a node only if there are tensors"
            return self._outputs_arrived(places, grads, len(outputs))

        passed, places = _behind_node(outputs, arrived)
        return passed

    # In the backward pass -----------------------------------------------------------------------

    def _outputs_arrived(self, places: list[int], grads: Grads, n: int) -> Grads:
        """Run the pre-hooks; what they leave is the gradient of the tensors at `places`."""
        grad_output = _placed((None,) * n, places, grads)
        for hook in self.pre_hooks:
            result = hook(self.module, grad_output)
            if result is not None:
                grad_output = _checked("pre hook", "grad_output", result, n)
        if self.places is None:
            self._run_without_inputs(grad_output)
        else:
            self.grad_output = grad_output
        return tuple([grad_output[place] for place in places])

    def _inputs_arrived(self, grads: Grads, _: Grads) -> Grads | None:
        """Run the hooks; what they leave is the gradient of the inputs."""
        grad_output, self.grad_output = self.grad_output, None
        if grad_output is None or self.places is None:
            return None  # it did not come through the outputs: a second differentiation
        grad_input = _placed((None,) * self.n_inputs, self.places, grads)
        for hook in self.hooks:
            result = hook(self.module, grad_input, grad_output)
            if result is not None:
                grad_input = _checked("hook", "grad_input", result, self.n_inputs)
        return tuple([grad_input[place] for place in self.places])

    def _run_without_inputs(self, grad_output: Grads) -> None:
        """Run the hooks of a module none of whose inputs has a gradient."""
        if not self.hooks:
            return
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. It is called before the gradients of the "
            "parameters are known. Use the hooks of tensors for those.",
            UserWarning,
            stacklevel=2,
        )
        nothing: Grads = (None,) * self.n_inputs
        for hook in self.hooks:
            result = hook(self.module, nothing, grad_output)
            is_nothing = isinstance(result, tuple) and all(grad is None for grad in result)
            if result is not None and not is_nothing:
                raise HookError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients: there is no gradient to replace. "
                    "Return None."
                )


def _behind_node(
    values: tuple[Any, ...], hook: Callable[[Grads, Grads], Grads | None]
) -> tuple[tuple[Any, ...], list[int] | None]:
    """Let the tensors among `values` pass through one node, with `hook` behind it.

    Returns:
        The values, and the places of the tensors; None if none requires grad and there is no node.
    """
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    tensors = [values[place] for place in places]
    if not is_recording() or not any(x.requires_grad for x in tensors):
        return values, None
    passed = BackwardHookFunction.apply(*tensors)
    node = next(x.grad_fn for x in passed if x.requires_grad)
    node.register_hook(hook)
    return _placed(values, places, passed), places


def _placed(values: Any, places: list[int], tensors: Grads) -> tuple[Any, ...]:
    """Values with these tensors at these places."""
    at = dict(zip(places, tensors, strict=True))
    return tuple([at.get(place, value) for place, value in enumerate(values)])


def _checked(what: str, name: str, result: Any, n: int) -> Grads:
    """What a hook returned, as a tuple of `n` gradients; a tensor's parts count as its entries."""
    if not hasattr(result, "__len__"):
        raise ArgumentTypeError(
            f"Backward {what} returned {type(result).__name__}, which is not a tuple of gradients. "
            f"It stands for {name}, one entry for each. Return a tuple of {n}, or None to keep it."
        )
    if len(result) != n:
        raise HookError(
            f"Backward {what} returned an invalid number of {name}, got {len(result)}, but "
            f"expected {n}. Each has its place in the tuple. Return one entry each, None for "
            "what is no tensor."
        )
    return tuple(result)
