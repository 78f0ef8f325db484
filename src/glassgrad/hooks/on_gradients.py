"""Hooks: where they hang, in which order they run, and what they may return.

    a tensor's own hooks, in order of registration
    → retain_grad keeps what they left
    → pre-hooks of the node → the node → post-hooks of the node

For a leaf the node is its AccumulateGrad, and post-accumulate hooks come right after it has added
to `.grad`. A tensor's hooks belong to the node that made it, so they see the gradient of the
tensor as it was when they were registered.
"""

import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

from glassgrad.core.engine import Grads
from glassgrad.core.errors import ArgumentTypeError, GraphError, HookError
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.state import Block, Func
from glassgrad.core.tensor import Tensor, as_tensor
from glassgrad.values.dtypes import tensor_type
from glassgrad.values.layers import refuse_inside

# (how to run it, the hook, what else it needs): `how(hook, grads, extra)`.
Step = tuple[Callable[..., Grads], Any, Any]


class Hooks(dict[int, Any]):
    """Hooks, or their steps, in the order of registration. A handle can refer to it weakly."""

    __slots__ = ("__weakref__",)


class RemovableHandle(Block):
    """Takes a hook away again: by `remove()`, or at the end of a `with` block.

    Example:
        >>> x = tensor(1.0, requires_grad=True)
        >>> with x.register_hook(lambda g: g * 2):
        ...     (x * 3).backward()
        >>> x.grad
        tensor(6.)
    """

    _next_id: ClassVar[int] = 0

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = weakref.ref(hooks)
        self.id = RemovableHandle._next_id
        RemovableHandle._next_id += 1

    def remove(self) -> None:
        """Take the hook away; doing so twice is harmless."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def leave(self) -> None:
        self.remove()

    def begin(self) -> Self:
        """The hook is there already."""
        return self


def add_hook(hooks: Hooks, hook: Func | Step, *, first: bool = False) -> RemovableHandle:
    """Put `hook` behind those already there (or before them) and return its handle."""
    handle = RemovableHandle(hooks)
    try:
        hooks[handle.id] = hook
        for key in list(hooks)[:-1] if first else ():
            hooks[key] = hooks.pop(key)  # to the end
        return handle
    except BaseException:
        handle.remove()
        raise


class NodeHooks:
    """The cold side of a node: what few nodes have.

    Attributes:
        tensor: steps of the hooks of the tensors that are the node's outputs.
        retain: the tensors whose gradient is kept, by output number; weak.
        pre: steps of the hooks before the node.
        post: hooks after the node.
        before: whether there has been anything to do before the node.
        view: where the output is now, if it was written into a view; weak.
        metadata: a dict for whatever a user wants to remember.
    """

    __slots__ = ("before", "metadata", "post", "pre", "retain", "tensor", "view")

    def __init__(self) -> None:
        self.before = False
        self.view: weakref.ref[Node] | None = None
        self.tensor = Hooks()
        self.retain: dict[int, weakref.ref[Tensor]] = {}
        self.pre = Hooks()
        self.post = Hooks()
        self.metadata: dict[Any, Any] = {}

    def retain_grad_of(self, nr: int, tensor: Tensor) -> None:
        """Keep the gradient of the tensor that is output `nr`."""
        self.before = True
        self.retain[nr] = weakref.ref(tensor)


def add_prehook(node: Node, hook: Func) -> RemovableHandle:
    """Call `hook` before `node` runs."""
    node.hooks().before = True
    return add_hook(node.hooks().pre, (_run_node_hook, hook, ()))


# What a user calls ------------------------------------------------------------------------------


def register_hook(tensor: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call `hook(grad)` when the gradient of `tensor` is known; what it returns replaces it.

    Args:
        tensor: one that requires grad.
        hook: gets a tensor of the same shape; returns None or a tensor like it.

    Returns:
        A handle whose `remove()` takes the hook away.

    Raises:
        GraphError: if `tensor` does not require grad.

    Example:
        >>> x = tensor(1.0, requires_grad=True)
        >>> handle = register_hook(x, lambda grad: grad * 10)
        >>> (x * 2).backward()
        >>> x.grad
        tensor(20.)
    """
    _check_hook(tensor, hook)
    node = tensor.grad_fn
    if node is not None:
        node.hooks().before = True
        return add_hook(node.hooks().tensor, (_run_tensor_hook, hook, tensor.output_nr))
    cold = tensor.cold_side()
    cold.hooks = cold.hooks or Hooks()
    return add_hook(cold.hooks, (_run_tensor_hook, hook, 0))


def register_post_accumulate_grad_hook(
    tensor: Tensor, hook: Callable[[Tensor], None]
) -> RemovableHandle:
    """Call `hook(leaf)` each time after a gradient was added to `leaf.grad`.

    Args:
        tensor: a leaf that requires grad.
        hook: gets the leaf; returns None.

    Raises:
        GraphError: if `tensor` is no leaf that requires grad.

    Example:
        >>> x = tensor(1.0, requires_grad=True)
        >>> handle = register_post_accumulate_grad_hook(x, lambda leaf: print(leaf.grad))
        >>> (x * 2).backward()
        tensor(2.)
    """
    _check_hook(tensor, hook)
    if not tensor.is_leaf:
        raise GraphError(
            "post accumulate grad hooks cannot be registered on non-leaf tensors. Gradients "
            f"accumulate in leaves only, and {tensor.grad_fn.name()} made this one. "
            "Use register_hook()."
        )
    cold = tensor.cold_side()
    cold.post_hooks = cold.post_hooks or Hooks()
    return add_hook(cold.post_hooks, hook)


def retain_grad(tensor: Tensor) -> None:
    """Keep the gradient of a non-leaf in its `.grad`; harmless on a leaf, which does so anyway.

    Raises:
        GraphError: if `tensor` does not require grad.
        TransformError: inside a transform, which leaves no `.grad`.

    Example:
        >>> x = tensor(3.0, requires_grad=True)
        >>> y = x * 2
        >>> retain_grad(y)
        >>> (y * y).backward()
        >>> y.grad
        tensor(12.)
    """
    if not tensor.requires_grad:
        raise GraphError(
            "can't retain_grad on Tensor that has requires_grad=False. No gradient will reach "
            "it. Create it with requires_grad=True."
        )
    refuse_inside("Tensor.retain_grad()")
    node = tensor.grad_fn
    if node is not None:
        node.hooks().retain_grad_of(tensor.output_nr, tensor)


def _check_hook(tensor: Tensor, hook: object) -> None:
    if not tensor.requires_grad:
        raise GraphError(
            "cannot register a hook on a tensor that doesn't require gradient (shape "
            f"{tuple(tensor.shape)}). No gradient would ever reach it. Create it with "
            "requires_grad=True."
        )
    check_hooks("register_hook", hook)


def check_hooks(call: str, *hooks: object) -> None:
    """Raise ArgumentTypeError unless the hooks that a call was given can be called."""
    for hook in hooks:
        if not callable(hook):
            raise ArgumentTypeError(
                f"{call}(): incompatible function arguments. A hook must be callable, and "
                f"{type(hook).__name__} is not callable. Pass a function of a tensor, such as "
                "`lambda grad: grad * 2`."
            )


# In the engine ----------------------------------------------------------------------------------

# Hooks are copied at once, to tuples or lists: another thread may register one meanwhile.


def before(node: Node) -> list[Step]:
    """The hooks before `node`: those of the tensors that it made, then its own."""
    return [*of_tensors(node), *(node.cold.pre.values() if node.cold else ())]


def of_tensors(node: Node) -> list[Step]:
    """The hooks of the tensors that `node` made, the gradients to retain behind them.

    Those of one tensor come together, in the place of its first, as in PyTorch.
    """
    if node.__class__ is AccumulateGrad:
        leaf = node.variable.cold
        return [*((leaf and leaf.hooks) or {}).values()]
    hooks = [*node.cold.tensor.values()] if node.cold else []
    outputs = [nr for *_, nr in hooks]
    hooks.sort(key=lambda step: outputs.index(step[2]))
    return [*hooks, *_retained(node.cold)] if node.cold else []


def _retained(cold: NodeHooks) -> list[Step]:
    return [(_retain, tensor, nr) for nr, tensor in tuple(cold.retain.items())]


def after(node: Node, grads: Sequence[Any]) -> list[Step]:
    """The hooks after `node`, which was given `grads`."""
    hooks = node.cold.post.values() if node.cold else ()
    return [(_run_node_hook, hook, (as_tensors(grads),)) for hook in hooks]


def accumulated(leaf: Tensor) -> list[Step]:
    """The hooks that come after a gradient was added to `leaf.grad`."""
    hooks = (leaf.cold and leaf.cold.post_hooks) or {}
    return [(_run_accumulated_hook, hook, leaf) for hook in tuple(hooks.values())]


def run(steps: list[Step], grads: Grads) -> Grads:
    """What hooks leave of `grads`, one after the other; they see the same tensors."""
    seen = as_tensors(grads)
    for how, hook, extra in steps:
        seen = how(hook, seen, extra)
    pairs = zip(seen, grads, strict=True)
    return tuple([x if x is None or isinstance(old, Tensor) else x.payload for x, old in pairs])


def run_after(cold: NodeHooks, edges: Sequence[Any], grads: Grads, grad: Any) -> Grads:
    """What the hooks after a node with one output leave of the gradients it computed.

    Those of operands that need none are None. What the rule passed on is the tensor that arrived,
    as in PyTorch.
    """
    arrived = as_tensor(grad)
    for hook in [*cold.post.values()]:
        if len(grads) == 2:  # as most ops have: written out, it takes half the time
            (first, second), (one, other) = edges, grads
            passed = arrived if one is grad else as_tensor(one)
            seen: Any = first and passed, second and (passed if other is one else as_tensor(other))
        else:
            pairs = zip(edges, grads)  # noqa: B905  # a rule returns as many
            seen = tuple([edge and as_tensor(part) for edge, part in pairs])
        result = hook(seen, (arrived,))
        if result is not None:
            grads = _checked_all(hook, result, grads)
    return grads


def run_before(node: Node, grad: Any) -> Any:
    """What the hooks before a node with one output leave; its own are those that are left then."""
    cold: Any = node.cold
    seen = as_tensor(grad)
    for _, hook, _ in [*cold.tensor.values()]:  # `run` written out
        result = hook(seen)
        if result is not None:
            grad, seen = _checked(hook, result, grad), result
    if cold.retain or cold.pre:
        return run([*_retained(cold), *cold.pre.values()], (grad,))[0]
    return grad


def _run_tensor_hook(hook: Any, grads: Grads, nr: int) -> Grads:
    result = hook(as_tensor(grads[nr]))
    if result is None:
        return grads
    return (*grads[:nr], _checked(hook, result, grads[nr]), *grads[nr + 1 :])


def _retain(kept: "weakref.ref[Tensor]", grads: Grads, nr: int) -> Grads:
    tensor, grad = kept(), as_tensor(grads[nr])
    if tensor is not None and grad is not None:
        cold = tensor.cold_side()
        cold.grad = grad.clone() if cold.grad is None else cold.grad + grad
    return grads


def _run_node_hook(hook: Any, grads: Grads, arrived: tuple[Grads, ...]) -> Grads:
    """Run a hook before a node; or after it, when it is also given what had arrived there."""
    result = hook(as_tensors(grads), *arrived)
    return grads if result is None else _checked_all(hook, result, grads)


def as_tensors(grads: Sequence[Any]) -> tuple[Tensor | None, ...]:
    """Gradients as hooks and users' Functions see them."""
    return tuple([as_tensor(grad) for grad in grads])


# What a hook may return -------------------------------------------------------------------------


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _checked_all(hook: Any, result: Any, grads: Grads) -> Grads:
    if not isinstance(result, tuple):
        raise ArgumentTypeError(
            f"expected tuple, but hook returned '{type(result).__name__}'. A node has several "
            f"gradients. Return a tuple of {len(grads)}, or None to keep them."
        )
    if len(result) != len(grads):
        raise HookError(
            f"hook {_name(hook)!r} has returned an incorrect number of values (got "
            f"{len(result)}, but expected {len(grads)}). Return a tuple with one entry each."
        )
    pairs = zip(result, grads, strict=True)
    return tuple([None if new is None else _checked(hook, new, old) for new, old in pairs])


def _checked(hook: Any, result: Any, grad: Any) -> Any:
    """The value of a tensor that a hook returned in the place of `grad`."""
    if grad is None:
        raise HookError(
            f"hook {_name(hook)!r}: can't replace a None gradient with a non-None value. "
            "Return None."
        )
    if not isinstance(result, Tensor):
        raise ArgumentTypeError(
            f"expected Variable, but hook returned '{type(result).__name__}'. The gradient is a "
            "tensor. Return a tensor, or None to keep it."
        )
    if result.dtype != grad.dtype:
        raise HookError(
            f"hook {_name(hook)!r} has changed the type of value (was {tensor_type(grad.dtype)} "
            f"got {tensor_type(result.dtype)}). A gradient has its tensor's dtype. "
            "Return `new.to(grad.dtype)`."
        )
    if tuple(result.shape) != tuple(grad.shape):
        raise HookError(
            f"hook {_name(hook)!r} has changed the size of value: from {tuple(grad.shape)} to "
            f"{tuple(result.shape)}. A gradient has its tensor's shape."
        )
    return result if isinstance(grad, Tensor) else result.payload


def _run_accumulated_hook(hook: Any, grads: Grads, leaf: Tensor) -> Grads:
    returned = hook(leaf)
    if not (returned is None or returned is leaf):
        raise HookError(
            "Tensor post accumulate grad hooks should return None. The gradient has been added "
            "to .grad already. Write to `leaf.grad` instead."
        )
    return grads
