"""What is remembered of each leaf, and the events that a source tells of.

    clean ──pass──> fresh ──step──> used ──pass, not cleared──> tainted ──step──> a finding
      ^               │               │                            │
      └───────────────┴── cleared, or written by somebody ─────────┘

A gradient is known by its object and its version, so whoever clears, replaces or scales it is seen,
and a pass that nobody told of does no harm.
"""

import functools
import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from glassgrad.core.state import Place
from glassgrad.source.frames import users_place
from glassgrad.source.names import name_of


class Library(Protocol):
    """How a source looks at the tensors of its library: nothing is recorded, and nothing changed.

    What both libraries have under one name (`shape`, `requires_grad`, `grad_fn`, `next_functions`)
    checks ask for themselves.
    """

    def grad(self, leaf: Any) -> Any:
        """Its gradient, or None."""

    def version(self, tensor: Any) -> int:
        """How often its memory was written."""

    def array(self, tensor: Any) -> Any:
        """The values of a tensor, or of what an op made."""

    def norm(self, tensor: Any) -> float:
        """The root of the sum of its squares; nan if one is."""

    def memory(self, tensor: Any) -> int:
        """What tells a tensor's memory, or that of what an op made, while it is alive."""

    def seq(self, node: Any) -> int:
        """The number of a node, which no other one gets."""


class Leaf:
    """A leaf, and what has become of its gradient.

    Attributes:
        tensor: the leaf; weak.
        shape: its shape.
        used: whether a step has used the gradient as it is now.
        tainted: whether gradients were added to one that a step had used.
        user: the optimiser whose step used it last, by id; None: the program itself.
        fresh: whether a step finds a gradient that none has used.
        passes, steps: how many have reached it, and moved it.
        is_asked: whether the program looks at its gradient itself: as data may have one on purpose.
        is_read: whether an op has read its gradient since the last pass.
        norm, rms: of its gradient when it was last measured.
        first_norms: those of its first steps.
        ignored: how many steps found no gradient, or were not its.
        unrecorded: where it was used while recording was off.
        strange: for how many steps its gradient has been too large, and too small.
    """

    def __init__(self, tensor: Any, library: Library) -> None:
        self.tensor, self.library = weakref.ref(tensor), library
        self.memory, self.shape = library.memory(tensor), tuple(tensor.shape)
        self._name: str | None = None
        self._grad: Any = None
        self._version = -1
        self.used = self.tainted = self.fresh = self.is_asked = self.is_read = False
        self.user: int | None = None
        self.owners: set[int] = set()
        self.passes = self.steps = self.ignored = 0
        self.unrecorded: Place | None = None
        self.norm = self.rms = 0.0
        self.first_norms: list[float] = []
        self.strange = [0, 0]

    @property
    def name(self) -> str:
        """What the program calls it: once that was found it is not looked for again."""
        tensor = self.tensor()
        if self._name is None and tensor is not None:
            self._name = name_of(tensor)
        return self._name or f"a leaf of shape {self.shape}"

    def is_as_marked(self, grad: Any) -> bool:
        """Whether nobody has touched its gradient since the last mark."""
        known = self._grad
        return known is not None and known() is grad and self.library.version(grad) == self._version

    def _mark(self, grad: Any) -> None:
        self._grad = None if grad is None else weakref.ref(grad)
        self._version = -1 if grad is None else self.library.version(grad)

    def pass_begins(self, tensor: Any) -> None:
        """A pass is about to add to its gradient."""
        grad = self.library.grad(tensor)
        if not (self.used or self.tainted):
            return
        if grad is None or not self.is_as_marked(grad):
            self.used = self.tainted = False
        elif self.used:
            self.tainted = bool(np.any(self.library.array(grad)))

    def pass_ends(self, tensor: Any) -> None:
        """A pass has added to it."""
        if self.tainted:
            self._mark(self.library.grad(tensor))
        self.used = self.is_read = False
        self.fresh = True
        self.passes += 1

    def look(self, tensor: Any) -> Any:
        """Its gradient as a step finds it."""
        grad = self.library.grad(tensor)
        if grad is None:
            self.used = self.fresh = False
            return None
        self.fresh = not (self.used and self.is_as_marked(grad))
        return grad

    def measure(self, grad: Any) -> float:
        """The norm of its gradient."""
        self.norm = self.library.norm(grad)
        self.rms = self.norm / math.sqrt(math.prod(self.shape) or 1)
        return self.norm

    def stepped(self, grad: Any, user: int | None) -> None:
        """A step has used its gradient."""
        self._mark(grad)
        self.used, self.tainted, self.user = grad is not None, False, user
        self.steps += grad is not None


class Run:
    """A backward pass.

    Attributes:
        library: whose it is.
        leaves: those it adds to, with their tensors.
        starts: the nodes where it starts; each has `name()` and `next_functions`.
        is_freeing: whether the graph is gone after it.
        modules: those whose output it goes through, as far as nodes tell.
    """

    def __init__(self, library: Library, starts: Sequence[Any]) -> None:
        self.library, self.starts = library, starts
        self.nodes: Sequence[Any] = ()
        self.leaves: list[tuple[Leaf, Any]] = []
        self.modules: list[Any] = []
        self.is_freeing = True

    @functools.cached_property
    def seqs(self) -> set[int]:
        """The numbers of its nodes."""
        return {self.library.seq(node) for node in self.nodes}


class Step:
    """A step of an optimiser, just done.

    Attributes:
        leaves: those that it may move, with their tensors, and the gradients that it found.
        times: what checks count of this optimiser, by their kind.
    """

    def __init__(self, optimizer: Any, times: dict[str, int]) -> None:
        self.optimizer, self.times = optimizer, times
        self.leaves: list[tuple[Leaf, Any, Any]] = []
        self._places: list[Place | None] = []

    @property
    def place(self) -> Place | None:
        """Its line; looked for when it is first asked for, while the step is running."""
        if not self._places:
            self._places.append(users_place())
        return self._places[0]


class Op(NamedTuple):
    """An op, just done.

    Attributes:
        name: glassgrad's name of its class, "Sub".
        operands: tensors, or numbers.
        out: what it made, for `library.array`.
        node: what was recorded; None if nothing was.
    """

    name: str
    operands: Sequence[Any]
    out: Any
    node: Any
    library: Library


@dataclass(slots=True)
class Ledger:
    """All leaves that were met; `unowned` are those that no optimiser has."""

    leaves: dict[int, Leaf] = field(default_factory=dict)
    unowned: dict[int, Leaf] = field(default_factory=dict)
    steps: int = 0
    passes: int = 0

    def leaf(self, tensor: Any, library: Library) -> Leaf:
        """What is known of a leaf."""
        key = id(tensor)
        found = self.leaves.get(key)
        if found is None or found.tensor() is not tensor:
            found = self.leaves[key] = self.unowned[key] = Leaf(tensor, library)
        return found

    def forget_the_dead(self) -> None:
        """Forget the leaves that are gone, such as the inputs of each batch."""
        if len(self.leaves) > 1000 and self.passes % 100 == 0:
            for known in (self.leaves, self.unowned):
                for key in [key for key, leaf in known.items() if leaf.tensor() is None]:
                    del known[key]
