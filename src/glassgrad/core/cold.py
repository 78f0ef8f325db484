"""What hangs on a tensor: its shape, its version, its cold side, and edges yet to be found."""

import weakref
from typing import TYPE_CHECKING, Any, final

from glassgrad.base.source_lines import Place

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["ANY_DTYPE", "LEAF", "Cold", "Pending", "Size", "Version"]


@final
class Pending:
    """An `edge` that is found when it is used, by `edge.settle(tensor)`.

    Attributes:
        settle: finds it; for a view it also puts what it found into the place of the Pending.
        was: the edge that a view had before its memory was written.
    """

    __slots__ = ("settle", "was")

    def __init__(self, settle: Any = None, was: Any = None) -> None:
        self.settle, self.was = settle, was

    def __repr__(self) -> str:
        return "LEAF" if self is LEAF else "PENDING"


# The `edge` of a leaf that requires grad. It settles for the leaf's AccumulateGrad.
LEAF: Any = Pending()

# The `grad_dtype` of a leaf that takes gradients of any dtype as they come.
ANY_DTYPE: Any = object()


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
    """How often a storage was written in place; shared by all tensors that share the storage.

    Attributes:
        count: how often.
        views: the `Views` of the storage, who have to know of a write; None if there are none.
        written_line: the source line of the last write.
    """

    __slots__ = ("count", "views", "written_line")

    def __init__(self) -> None:
        self.count = 0
        self.views: Any = None
        self.written_line: Place | None = None


@final
class Cold:
    """The cold side of a tensor: what few tensors have, each None until there is one.

    Attributes:
        grad: the gradient: of a leaf, or of a tensor that retains it.
        version: the storage's Version.
        accumulator: a weak reference to the leaf's AccumulateGrad.
        grad_dtype: the dtype a leaf wants its gradients in, or ANY_DTYPE; None: its own.
        hooks, post_hooks: a leaf's hooks before and after accumulation.
        base: the tensor this one is a view of; only views have the next two.
        made: how the view was made, if it was made where it may not be written (`views.Made`).
        seen: the version of the storage for which the view's `edge` is right.
        stem: the tensor of whose tangent a view has a part, often its base (`levels/duals.py`).
        tangent: how it moves, while a level of forward mode is open that knows.
        name: a name for pictures and error messages.
        is_inference: made inside `inference_mode()`.
    """

    __slots__ = (
        "accumulator",
        "base",
        "grad",
        "grad_dtype",
        "hooks",
        "is_inference",
        "made",
        "name",
        "post_hooks",
        "seen",
        "stem",
        "tangent",
        "version",
    )

    grad: "Tensor | None"
    version: Version | None
    accumulator: "weakref.ref[Any] | None"
    grad_dtype: Any
    hooks: Any
    post_hooks: Any
    base: "Tensor | None"
    name: str | None
    is_inference: bool
    made: Any
    seen: int
    stem: "Tensor | None"
    tangent: "Tensor | None"

    def __init__(self) -> None:
        self.grad = self.version = self.accumulator = self.hooks = None
        self.grad_dtype = self.post_hooks = self.base = self.name = None
        self.stem = self.tangent = None
        self.is_inference = False
