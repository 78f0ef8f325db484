"""What a node keeps until backward, and how it gives it back.

The node of a built-in op keeps arrays, so that a rule reads them at the price of an attribute, and
beside them the tensors they came from. The node of a user's Function keeps the tensors, and what
stands for its own outputs (`memory/saved.py`).

# Note [Saved by position]
# `saves` lists the operands that backward needs, in their order, and "result" for the output.
# They are the first operands, unless `saved_at` says at which position one is.
# Nothing is found by comparing arrays: x and x.detach() share theirs, and only one has an edge.
"""

from typing import Any, ClassVar, NoReturn

from . import state
from .errors import FreedGraphError
from .graph import Node
from .state import Place, Values, modes, plugs
from .tensor import Tensor


class Gone:
    """Stands in for the saved tensors of a node that has let them go.

    Attributes:
        by: the line that began the pass in which it did; None if nobody knows.
        newest: the number of the newest node of that pass.
    """

    def __init__(self, message: str, by: Place | None = None, newest: int = 0) -> None:
        self.message, self.by, self.newest = message, by, newest

    def _raise(self, *_: object) -> NoReturn:
        raise FreedGraphError(self.message)

    __iter__ = __getitem__ = __len__ = _raise

    def __bool__(self) -> bool:
        return True


FREED: Any = Gone(
    "Trying to backward through the graph a second time (or directly access saved tensors "
    "after they have already been freed). Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
    "need to backward through the graph a second time or if you need to access saved "
    "tensors after calling backward."
)


class SavingNode(Node):
    """A node that keeps tensors until backward, and then lets go of them.

    What it keeps can be had back as tensors, with versions, or as bytes by `memory/saved.py`.
    """

    __slots__ = ("checked", "holders", "saved_tensors", "versions")

    _kept_in: ClassVar[str] = "saved_tensors"

    @property
    def _entries(self) -> Any:
        """What is in each place: an array, a tensor, what stands for it, or None."""
        kept = getattr(self, self._kept_in)
        return getattr(kept, "entries", kept)

    def _is_released(self) -> bool:
        return isinstance(getattr(self, self._kept_in), Gone)


class PrimitiveNode(SavingNode):
    """The node of a built-in op.

    `saved_tensors` holds arrays; None in the place of what was not needed.
    """

    __slots__ = ()

    _is_quick = True
    _result_at: ClassVar[int | None] = None
    _forward_cls: ClassVar[Any]

    def compute(self, grads: Values, recorded: bool) -> Values:
        """What the op's rule makes of `grads`, one gradient per edge."""
        if self.seq < state.last_write:
            plugs.saved.check_versions(self)
        is_idle = True
        for grad in grads:
            is_idle &= grad is None
        if is_idle or not self._saved_names:
            tuple(self.saved_tensors)  # unpacked all the same, as in PyTorch: freed ones raise
        if is_idle:
            return (None,) * len(self.edges)
        rule: Any = plugs.saved.lifted(self) if recorded else self
        results = rule.backward(*grads)
        return results if isinstance(results, tuple) else (results,)

    def release(self) -> None:
        """Let go of what was saved; touching it later raises FreedGraphError."""
        if self.holders is not None:
            self.saved_tensors = modes.task.freed if modes.task else FREED
            self.holders = self.versions = None
            for kept in plugs.saved.kept_beside(self) if hasattr(self, "__dict__") else ():
                setattr(self, kept.name, None)


def operand_of(cls: Any, name: str) -> int:
    """The position of the operand that is saved under `name`; -1 for the result."""
    if name == "result" or name in cls.saved_at:
        return int(cls.saved_at.get(name, -1))
    return [saved for saved in cls.saves if saved != "result"].index(name)


def save(node: Any, operands: Values, values: Values, out: Any) -> None:
    """Keep on `node` what its class names in `saves` and its edges will need."""
    edges, kept, holders = node.edges, (*values, out), (*operands, None)
    saved: list[Any] = []
    held: list[Any] = []
    is_needed = False
    for condition, position in node._forward_cls.kept_where:
        is_wanted = condition is None or edges[condition] is not None
        is_needed |= is_wanted
        holder = holders[position] if is_wanted else None
        saved.append(kept[position] if is_wanted else None)
        held.append(holder if isinstance(holder, Tensor) else None)
    node.saved_tensors = tuple(saved)
    node.holders = tuple(held) if is_needed else None  # None: a second pass may come
    if is_needed:
        note_versions(node)


def note_versions(node: Any) -> None:
    """Remember the versions of the saved tensors that have one already (others are at 0)."""
    known = None
    for index, holder in enumerate(node.holders):
        if holder is not None and (cold := holder.cold) is not None:
            if cold.is_inference:
                raise plugs.saved.inference_error()
            version = cold.version
            if version is not None:
                known = {} if known is None else known
                known[index] = (version, version.count)
    node.versions = known
