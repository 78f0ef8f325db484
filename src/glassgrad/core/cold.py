"""What hangs on a tensor: the mark of a leaf, its shape, its version, its cold side."""

import weakref
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["LEAF", "Cold", "Size", "Version"]


class _Leaf:
    """The type of LEAF."""

    def __repr__(self) -> str:
        return "LEAF"


LEAF: Any = _Leaf()
"""The `edge` of a leaf that requires grad. Its AccumulateGrad is looked up when it is used."""


class Size(tuple[int, ...]):
    """A shape: a tuple that prints as one and knows its number of elements.

    Example:
        >>> Size((2, 3)).numel()
        6
    """

    __slots__ = ()

    def numel(self) -> int:
        """The product of the sizes."""
        total = 1
        for n in self:
            total *= n
        return total

    def __repr__(self) -> str:
        return f"glassgrad.Size({list(self)})"


@final
class Version:
    """How often a storage was written in place; shared by all tensors that share the storage."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


@final
class Cold:
    """The cold side of a tensor: what few tensors have, each None until there is one.

    Attributes:
        grad: the gradient: of a leaf, or of a tensor that retains it.
        version: the storage's Version.
        accumulator: a weak reference to the leaf's AccumulateGrad.
        hooks, post_hooks: a leaf's hooks before and after accumulation.
        base: the tensor this one is a view of.
        name: a name for pictures and error messages.
        is_inference: made inside `inference_mode()`.
    """

    __slots__ = (
        "accumulator",
        "base",
        "grad",
        "hooks",
        "is_inference",
        "name",
        "post_hooks",
        "version",
    )

    grad: "Tensor | None"
    version: Version | None
    accumulator: "weakref.ref[Any] | None"
    hooks: Any
    post_hooks: Any
    base: "Tensor | None"
    name: str | None
    is_inference: bool

    def __init__(self) -> None:
        self.grad = self.version = self.accumulator = self.hooks = None
        self.post_hooks = self.base = self.name = None
        self.is_inference = False
