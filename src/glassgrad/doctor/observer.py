"""The observer: it keeps the ledger, and hands each event to the checks that asked for it."""

from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from weakref import WeakKeyDictionary

from glassgrad.core.state import Place, modes
from glassgrad.source.frames import users_place

from .check import Check
from .findings import Findings
from .graphs import KeptGraphs, LostLeaf, WrittenSaved
from .ledger import Leaf, Ledger, Library, Op, Run, Step
from .models import BroadcastLoss, DeadUnits, EvalMode, TwiceNormalized
from .steps import (
    NoGradient,
    Norms,
    NotCleared,
    NotInOptimizer,
    SteppedTwice,
    StepWithoutBackward,
    ZeroRate,
)

Tells = list[Callable[..., None]]

CHECKS: tuple[type[Check], ...] = (
    *(NotCleared, StepWithoutBackward, SteppedTwice, NoGradient, NotInOptimizer, Norms, ZeroRate),
    *(LostLeaf, WrittenSaved, KeptGraphs),
    *(BroadcastLoss, TwiceNormalized, DeadUnits, EvalMode),
)


class _Owned:
    """What an optimiser has: its leaves, by the ids of its parameters, and what checks count."""

    def __init__(self, ids: list[int], leaves: list[Leaf]) -> None:
        self.ids, self.leaves = ids, leaves
        self.times: dict[str, int] = defaultdict(int)


class Observer:
    """What sources tell their events to.

    Attributes:
        ledger: what is known of the leaves.
        ops: for each name of an op that a check asked for, whom to tell.
        stepping: the optimisers that are at work: what they do is their own matter.
    """

    def __init__(self, findings: Findings, ledger: Ledger) -> None:
        self.ledger = ledger
        self.checks = [cls(self.ledger, findings) for cls in CHECKS]
        self.ops: dict[str, Tells] = {}
        for check in self.checks:
            for name in check.ops:
                self.ops.setdefault(name, []).append(check.made)
        self.tells = {event: self._who_wants(event) for event in _EVENTS}
        (self.overwritten,) = [c.overwritten for c in self.checks if isinstance(c, WrittenSaved)]
        self.stepping: list[Any] = []
        self._owned: WeakKeyDictionary[Any, _Owned] = WeakKeyDictionary()
        self._by_memory: dict[int, Leaf] = {}

    def _who_wants(self, event: str) -> Tells:
        """The methods of those checks that have one of their own for an event."""
        wanting = [c for c in self.checks if getattr(type(c), event) is not getattr(Check, event)]
        return [getattr(check, event) for check in wanting]

    def made(self, op: Op) -> None:
        """An op was done."""
        for tell in self.ops[op.name]:
            tell(op)

    def unrecorded(self, leaf: Any, library: Library) -> None:
        """An op read a leaf while recording was off."""
        known = self.ledger.leaf(leaf, library)
        if known.unrecorded is None and not known.passes:
            known.unrecorded = users_place()

    def pass_begins(self, run: Run) -> None:
        """A pass is about to run."""
        for tell in self.tells["pass_begins"]:
            tell(run)
        for leaf, tensor in run.leaves:
            if not leaf.owners:
                memory = run.library.memory(tensor)
                if memory != leaf.memory:  # `w.data = w.data - …`
                    leaf.memory = memory
                    self._moved_by_hand(leaf, tensor, users_place())
            leaf.pass_begins(tensor)

    def pass_ended(self, run: Run) -> None:
        """A pass has run to its end."""
        self.ledger.passes += 1
        self.ledger.forget_the_dead()
        for leaf, tensor in run.leaves:
            leaf.pass_ends(tensor)
            if not leaf.owners:
                self._by_memory[leaf.memory] = leaf
        if len(self._by_memory) > 10_000:
            self._by_memory.clear()
        for tell in self.tells["pass_ended"]:
            tell(run)

    def wrote(self, tensor: Any, place: Place | None, library: Library) -> None:
        """The program is about to write to a tensor: a step, if it is a leaf or shows one."""
        leaf = self._by_memory.get(library.memory(tensor))
        if leaf is not None and not leaf.owners:
            own = leaf.tensor()
            if own is not None and library.memory(own) == leaf.memory:
                self._moved_by_hand(leaf, own, place)

    def _moved_by_hand(self, leaf: Leaf, tensor: Any, place: Place | None) -> None:
        grad = leaf.look(tensor)
        for tell in self.tells["wrote"]:
            tell(leaf, place)
        leaf.stepped(grad, None)

    def step_begins(self, optimizer: Any) -> None:
        """An optimiser is about to do a step."""
        if optimizer in self.stepping:  # an exception has ended its last one
            self.stepping.clear()
        self.stepping.append(optimizer)

    def step_ended(self, optimizer: Any, library: Library) -> None:
        """It has done it. Where one does the step of another, only the outer one counts."""
        if optimizer in self.stepping:
            del self.stepping[self.stepping.index(optimizer) :]
        if self.stepping:
            return
        self.ledger.steps += 1
        owned = self._owned.get(optimizer)
        params = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        if owned is None or owned.ids != list(map(id, params)):
            owned = self._owned[optimizer] = self._found(optimizer, params, library)
        step, user = Step(optimizer, owned.times), id(optimizer)
        for leaf, tensor in zip(owned.leaves, params, strict=True):
            if tensor.requires_grad:
                step.leaves.append((leaf, tensor, leaf.look(tensor)))
        for tell in self.tells["stepped"]:
            tell(step)
        for leaf, _, grad in step.leaves:
            leaf.stepped(grad, user)

    def _found(self, optimizer: Any, params: list[Any], library: Library) -> "_Owned":
        """The leaves of an optimiser; that they have one is noted."""
        leaves = [self.ledger.leaf(tensor, library) for tensor in params]
        for leaf, tensor in zip(leaves, params, strict=True):
            leaf.owners.add(id(optimizer))
            self.ledger.unowned.pop(id(tensor), None)
        return _Owned(list(map(id, params)), leaves)

    def closes(self) -> None:
        """The block ends."""
        for tell in self.tells["closes"]:
            tell()


class Source(Library):
    """What tells an observer what this thread does with a library, from `open` on.

    Attributes:
        writes: who wrote last to a memory, by what tells it.
    """

    def __init__(self, observer: Observer) -> None:
        self.observer, self.key = observer, modes.key
        self.writes: dict[int, Place | None] = {}

    def open(self, stack: ExitStack) -> None:
        """Begin to look; `stack` ends it, wherever this is interrupted."""
        raise NotImplementedError

    def note_write(self, tensor: Any, memory: int) -> None:
        """Tell that the program is about to write to a tensor, which has that memory."""
        if len(self.writes) > _MOST_WRITES:
            self.writes.clear()
        self.writes[memory] = place = users_place()
        self.observer.wrote(tensor, place, self)

    def before_step(self, optimizer: Any, *_: Any) -> None:
        """A hook of all optimisers."""
        if modes.key == self.key:
            self.observer.step_begins(optimizer)

    def after_step(self, optimizer: Any, *_: Any) -> None:
        """A hook of all optimisers."""
        if modes.key == self.key:
            self.observer.step_ended(optimizer, self)


_MOST_WRITES = 10_000  # that are remembered
_EVENTS = ("pass_begins", "pass_ended", "stepped", "wrote", "closes")
