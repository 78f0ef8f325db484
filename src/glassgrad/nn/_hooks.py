"""Hooks of a module: around its `forward`, and on the gradients of its inputs and outputs.

For backward hooks what goes into `forward` and what comes out of it passes through a node that does
nothing, so that there is one place in the graph where the gradients of all outputs are together,
and one for those of all inputs:

    x, y ──> BackwardHookFunction ──> forward ──> BackwardHookFunction ──> out
               its post-hook: the                   its post-hook: the
               module's backward hooks              module's backward pre-hooks
"""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from glassgrad.core.errors import ArgumentTypeError, HookError
from glassgrad.core.function import Function
from glassgrad.core.state import is_recording
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.on_gradients import Hooks, RemovableHandle, add_hook
from glassgrad.memory.calls import warn
from glassgrad.ops import _checks as check
from glassgrad.values.tree import as_tuple

Args = tuple[Any, ...]
Kwargs = dict[str, Any]
Grads = tuple[Tensor | None, ...]
Hook = Callable[..., Any]


EVERYWHERE = Hooks()
"""The hooks of all modules, each an `EveryModule`."""


@dataclass(frozen=True, slots=True)
class ForwardHook:
    """A hook with the way it wants to be called; no closure, so that modules with hooks pickle."""

    hook: Hook
    with_kwargs: bool = False
    always_call: bool = False

    def __call__(self, module: Any, args: Args, kwargs: Kwargs, *result: Any) -> Any:
        if self.with_kwargs:
            return self.hook(module, args, kwargs, *result)
        return self.hook(module, args, *result)


@dataclass(frozen=True, slots=True)
class EveryModule:
    """A hook that all modules have, and the dict of a module in which it would be."""

    registry: str
    hook: Hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


def hooks_of(module: Any, registry: str) -> tuple[Any, ...]:
    """The hooks of one kind: those of all modules, then a module's own."""
    every: Any = EVERYWHERE.values()
    shared = [each.hook for each in every if each.registry == registry]
    found = (*shared, *vars(module)[registry].values())
    if not registry.startswith("_forward"):
        return found
    return tuple([each if isinstance(each, ForwardHook) else ForwardHook(each) for each in found])


def add(
    module: Any, registry: str, hook: Hook, *, prepend: bool = False, **called: bool
) -> RemovableHandle:
    """Put a hook among those of a module, and return its handle.

    Args:
        module: None: of all modules.
        registry: the dict of a module in which it would be; for what is filed, its kind.
        hook: what is called.
        prepend: run it before the hooks that are already there.
        **called: how a hook around `forward` is: `with_kwargs`, `always_call`.

    Raises:
        ArgumentTypeError: if it cannot be called.
    """
    kind = registry.strip("_").partition("_")[0]
    why = "It is called when the module is used. Pass a function `hook(module, …)`."
    check.kind(f"a {kind} hook must be callable", hook, Callable, why)
    if any(called.values()):  # others stay what they are: programs look for theirs
        hook = ForwardHook(hook, **called)
    if module is None:
        return add_hook(EVERYWHERE, EveryModule(registry, hook))
    return add_hook(vars(module)[registry], hook, first=prepend)


def file(kind: str, module: Any, name: str, value: Any) -> None:
    """File under a name what the hooks of all modules make of a value.

    Args:
        kind: "parameter", "buffer" or "module".
    """
    every: Any = tuple(EVERYWHERE.values())
    for each in every:
        if each.registry == kind:
            replacement = each.hook(module, name, value)
            value = value if replacement is None else replacement
    vars(module)[f"_{kind}s"][name] = value


def run_always(hooks: Iterable[Any], module: Any, args: Args, kwargs: Kwargs, result: Any) -> None:
    """Run those of the hooks that are to be called even after an error."""
    for hook in hooks:
        if not hook.always_call:
            continue
        try:
            result = hook(module, args, kwargs, result)
        except Exception as error:  # noqa: BLE001  # the error that came first is raised
            warn(
                "module forward hook with ``always_call=True`` raised an exception that was "
                f"silenced as another error was raised in forward: {error}"
            )


def replaced_inputs(
    hook: ForwardHook, module: Any, args: Args, kwargs: Kwargs
) -> tuple[Args, Kwargs]:
    """The arguments of `forward` after one pre-hook."""
    result = hook(module, args, kwargs)
    if result is None:
        return args, kwargs
    if not hook.with_kwargs:
        return as_tuple(result), kwargs
    if isinstance(result, tuple) and len(result) == 2:
        return result
    raise HookError(
        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
        f"{result!r}. `forward` is called with them. Write `return args, kwargs`."
    )


# Backward hooks ---------------------------------------------------------------------------------


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
        hooks: are called as `hook(module, grad_input, grad_output)`.
        pre_hooks: are called as `hook(module, grad_output)`.
    """

    def __init__(self, module: Any, hooks: Args, pre_hooks: Args) -> None:
        self.module = module
        self.hooks, self.pre_hooks = hooks, pre_hooks
        self.no_grads: Grads = ()  # as many as there are inputs
        self.is_behind_node = False  # whether an input has a gradient
        self.grad_output: Grads | None = None

    def watch_inputs(self, args: Args) -> Args:
        """The positional arguments of `forward`, behind a node if one requires grad."""
        passed = _behind_node(args, self._inputs_arrived, _GRAD_INPUTS)
        self.no_grads, self.is_behind_node = (None,) * len(args), passed is not args
        return passed

    def watch_output(self, result: Any) -> Any:
        """What `forward` returned, behind a node if it requires grad."""
        if isinstance(result, Tensor):
            return _behind_node((result,), self._outputs_arrived, _GRAD_OUTPUTS)[0]
        if isinstance(result, tuple):
            return _behind_node(result, self._outputs_arrived, _GRAD_OUTPUTS)
        warn(
            "For backward hooks to be called, module output should be a Tensor or a tuple of "
            f"Tensors but received {type(result)}."
        )
        return result

    # In the backward pass -----------------------------------------------------------------------

    def _outputs_arrived(self, grads: Grads) -> Grads:
        """Run the pre-hooks; what they leave are the gradients of the outputs."""
        grad_output = self._replaced(self.pre_hooks, "pre hook", "grad_output", grads)
        if self.is_behind_node:
            self.grad_output = grad_output
        elif self.hooks:
            self._run_without_inputs(grad_output)
        return grad_output

    def _inputs_arrived(self, grads: Grads) -> Grads | None:
        """Run the hooks; what they leave are the gradients of the inputs."""
        grad_output, self.grad_output = self.grad_output, None
        if grad_output is None:
            return None  # it did not come through the outputs: a second differentiation
        return self._replaced(self.hooks, "hook", "grad_input", grads, grad_output)

    def _replaced(
        self, hooks: Iterable[Hook], what: str, name: str, grads: Grads, *more: Grads
    ) -> Grads:
        """The gradients that hooks leave; a tensor's parts count as entries of a tuple."""
        n = len(grads)
        for hook in hooks:
            result = hook(self.module, grads, *more)
            if result is None:
                continue
            if not hasattr(result, "__len__"):
                raise ArgumentTypeError(
                    f"Backward {what} returned {type(result).__name__}, which is not a tuple of "
                    f"gradients. It stands for {name}, one entry for each. Return a tuple of {n}, "
                    "or None to keep it."
                )
            if len(result) != n:
                raise HookError(
                    f"Backward {what} returned an invalid number of {name}, got {len(result)}, but "
                    f"expected {n}. Each has its place in the tuple. Return one entry each, None "
                    "for what is no tensor."
                )
            grads = tuple(result)
        return grads

    def _run_without_inputs(self, grad_output: Grads) -> None:
        """Run the hooks of a module none of whose inputs has a gradient."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. It is called before the gradients of the "
            "parameters are known. Use the hooks of tensors for those."
        )
        for hook in self.hooks:
            result = hook(self.module, self.no_grads, grad_output)
            is_nothing = isinstance(result, tuple) and all(grad is None for grad in result)
            if result is not None and not is_nothing:
                raise HookError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients: there is no gradient to replace. "
                    "Return None."
                )


_GRAD_INPUTS, _GRAD_OUTPUTS = 0, 1
"""Which gradients a node's post-hook is about: those it has computed, or those it got."""


def _behind_node(values: Args, hook: Callable[[Grads], Grads | None], side: int) -> Args:
    """Let the tensors among `values` pass through one node, if one of them requires grad.

    Args:
        hook: gets the gradients of all values, None for what is no tensor, and returns what they
            become; or None to keep them.
        side: which gradients of the node these are.
    """
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    tensors = [values[place] for place in places]
    if not is_recording() or not any(x.requires_grad for x in tensors):
        return values
    passed = BackwardHookFunction.apply(*tensors)
    no_grads = (None,) * len(values)

    def arrived(*grads: Grads) -> Grads | None:
        found = hook(_placed(no_grads, places, grads[side]))
        return None if found is None else tuple([found[place] for place in places])

    next(x.grad_fn for x in passed if x.requires_grad).register_hook(arrived)
    return _placed(values, places, passed)


def _placed(values: Args, places: list[int], tensors: Grads) -> Args:
    """Values with these tensors at these places."""
    at = dict(zip(places, tensors, strict=True))
    return tuple([at.get(place, value) for place, value in enumerate(values)])


# The old form -------------------------------------------------------------------------------------


def watch_last_node(module: Any, hooks: Args, args: Args, result: Any) -> None:
    """Call hooks with the gradients of the op that made the output, and warn if there are more."""
    first = result
    while not isinstance(first, Tensor):
        parts = first.values() if isinstance(first, dict) else first
        first = next(iter(parts))
    node = first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(functools.partial(hook, module))
    results = as_tuple(result)
    fed_by = {x.grad_fn for x in args if isinstance(x, Tensor) and x.grad_fn is not None}
    if not all(isinstance(y, Tensor) for y in results):
        used = "hooks on a Module that does not return a single Tensor or a tuple of Tensors"
        missing = "grad_output"
    elif not all(isinstance(x, Tensor) for x in args):
        used = "hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
        missing = "grad_input"
    elif {y.grad_fn for y in results} - {None, node}:
        used = "a hook when outputs are generated by different autograd Nodes"
        missing = "grad_output"
    elif {each for each, _ in node.next_functions} != fed_by:
        used = "a hook when the forward contains multiple autograd Nodes"
        missing = "grad_input"
    else:
        return
    warn(
        f"Using {used.replace('hook', 'non-full backward hook', 1)} is deprecated and will be "
        f"removed in future versions. This hook will be missing some {missing}. Please use "
        "register_full_backward_hook to get the documented behavior.",
        FutureWarning,
    )
