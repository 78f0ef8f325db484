"""Where hooks hang: dicts of them, and handles that take them away again."""

import weakref
from collections.abc import Callable
from typing import Any, ClassVar, Self

from glassgrad.core.graph import Node
from glassgrad.core.state import Func
from glassgrad.core.tensor import Tensor


class Hooks(dict[int, Callable[..., Any]]):
    """Hooks in the order of registration. A dict that a handle can refer to weakly."""

    __slots__ = ("__weakref__",)


class RemovableHandle:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()


def add_hook(hooks: Hooks, hook: Func, *, first: bool = False) -> RemovableHandle:
    """Put `hook` behind those already there (or before them) and return its handle."""
    handle = RemovableHandle(hooks)
    later = {key: hooks.pop(key) for key in list(hooks)} if first else {}
    hooks[handle.id] = hook
    hooks.update(later)
    return handle


class NodeHooks:
    """The cold side of a node: what few nodes have.

    Attributes:
        tensor: hooks of the tensors that are the node's outputs, by output number.
        retain: the tensors whose gradient is kept, by output number; weak.
        pre, post: hooks before and after the node.
        before: whether there has been anything to do before the node.
        view: where the output is now, if it was written into a view; weak.
        metadata: a dict for whatever a user wants to remember.
    """

    __slots__ = ("before", "metadata", "post", "pre", "retain", "tensor", "view")

    def __init__(self) -> None:
        self.before = False
        self.view: weakref.ref[Node] | None = None
        self.tensor: dict[int, Hooks] = {}
        self.retain: dict[int, weakref.ref[Tensor]] = {}
        self.pre = Hooks()
        self.post = Hooks()
        self.metadata: dict[Any, Any] = {}

    def of_output(self, nr: int) -> Hooks:
        """The hooks of the tensor that is output `nr`."""
        self.before = True
        return self.tensor.setdefault(nr, Hooks())

    def retain_grad_of(self, nr: int, tensor: Tensor) -> None:
        """Keep the gradient of the tensor that is output `nr`."""
        self.before = True
        self.retain[nr] = weakref.ref(tensor)
