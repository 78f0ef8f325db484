"""`allow_mutation_on_saved_tensors`: a copy is made of what is about to be overwritten.

    y = (x * x).sum()     x is saved: by its memory and its version, as `_Saved(array, version, 0)`
    x.sin_()              about to write version 0: what is saved of it is copied first
    y.backward()          unpacks the copy

What is saved is found again by its `Version`, which all tensors of one storage share. So a write
through a view, or through the base, finds all of them.
"""

import contextlib
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from glassgrad.core import state
from glassgrad.core.errors import GraphError
from glassgrad.core.tensor import Tensor, Version

from .saved_hooks import saved_tensors_hooks

__all__ = [
    "AllowMutationOnSavedContext",
    "allow_mutation_on_saved_tensors",
    "increment_version",
]


class _Handle:
    """Stands for a saved tensor in the graph: when the graph goes, so do handle and copy."""

    __slots__ = ("__weakref__",)


class _Saved(NamedTuple):
    """What was saved: which array, of which storage, and at which version."""

    array: int
    version: Version
    at: int


class AllowMutationOnSavedContext:
    """What `allow_mutation_on_saved_tensors` knows of the tensors saved in its block.

    Attributes:
        cloned: the copies of what was overwritten, by handle.
        original: the tensors that are still as they were saved, by handle.
        tid_to_weakhandle: the handles, by what was saved.
        sid_to_tid: what was saved, by storage and version.
    """

    def __init__(self) -> None:
        self.cloned: Any = weakref.WeakKeyDictionary()
        self.original: Any = weakref.WeakKeyDictionary()
        self.tid_to_weakhandle: Any = weakref.WeakValueDictionary()
        self.sid_to_tid: dict[tuple[Version, int], set[_Saved]] = {}

    def clear(self) -> None:
        """Forget everything; graphs recorded in the block cannot be used afterwards."""
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()

    def _pack(self, tensor: Tensor) -> _Handle:
        version = tensor.version_counter()
        saved = _Saved(id(tensor.payload), version, version.count)
        self.sid_to_tid.setdefault((version, version.count), set()).add(saved)
        handle = self.tid_to_weakhandle.get(saved)
        if handle is None:
            self.tid_to_weakhandle[saved] = handle = _Handle()
            self.original[handle] = tensor.detach()  # an output itself would keep its own node
        return handle  # type: ignore[no-any-return]  # the dictionaries are Any

    def _unpack(self, handle: _Handle) -> Tensor:
        found = self.cloned.get(handle)
        if found is None:
            found = self.original.get(handle)
        if found is None or self not in _entered:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in "
                "which the graph was originally recorded. The copies went with the block. Move "
                "the backward pass into it."
            )
        return found  # type: ignore[no-any-return]  # the dictionaries are Any

    def _about_to_write(self, tensor: Tensor) -> None:
        """Copy what was saved of the storage of `tensor` at its present version."""
        version = None if tensor.cold is None else tensor.cold.version
        if version is None:
            return  # only a tensor with a Version was saved
        for saved in self.sid_to_tid.pop((version, version.count), ()):
            handle = self.tid_to_weakhandle.get(saved)
            if handle is not None and handle in self.original:
                self.cloned[handle] = self.original.pop(handle).clone()


_entered: list[AllowMutationOnSavedContext] = []
"""The block that is running, if there is one: of the process, since writes are seen by all."""


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[AllowMutationOnSavedContext]:
    """Let tensors be written in place although they are saved: backward uses what was there.

    Forward and backward both belong into the block. What is saved is copied when it is written
    for the first time, and only if a graph still needs it.

    Returns:
        A context manager, whose `with … as` gives the bookkeeping.

    Raises:
        GraphError: if it is entered a second time inside itself.
        AssertionError: if a graph recorded in the block is used after it.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with allow_mutation_on_saved_tensors():
        ...     y = x.clone()
        ...     z = (y * y).sum()
        ...     _ = y.zero_()
        ...     z.backward()
        >>> x.grad
        tensor([2., 4.])
    """
    if _entered:
        raise GraphError(
            "allow_mutation_on_saved_tensors contexts cannot be nested: one block already copies "
            "what is written. Leave out the inner one."
        )
    here = AllowMutationOnSavedContext()
    with saved_tensors_hooks(here._pack, here._unpack):
        _entered.append(here)
        state.before_write.append(here._about_to_write)
        try:
            yield here
        finally:
            state.before_write.remove(here._about_to_write)
            here.clear()
            _entered.clear()


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write that autograd could not see, such as one through `x.numpy()`.

    What was saved of the memory before is stale from now on, and a backward pass that needs it
    raises. Inference tensors count nothing, and are passed over.

    Args:
        tensor: what was written: one tensor or several.

    Raises:
        GraphError: for anything else.

    Example:
        >>> x = tensor([1.0])
        >>> x.numpy()[0] = 2.0
        >>> increment_version(x)
        >>> x._version
        1

    See also: https://pytorch.org/docs/stable/autograd.html
    """
    if not isinstance(tensor, Iterable):
        raise GraphError(
            "increment_version expect a Iterable[Tensor] as input, got "
            f"{type(tensor).__name__}. It counts writes to tensors. Write `increment_version(x)`."
        )
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(each, Tensor):
            raise GraphError(
                "increment_version expects each element of the iterable to be a tensor, got "
                f"{type(each).__name__}. Only tensors have a version. Leave it out."
            )
        if not each.is_inference():
            each.wrote()
