"""Mistakes about the graph: leaves that are lost, values that are gone, graphs that pile up."""

import math
from typing import Any

import numpy as np

from glassgrad.core.state import Place
from glassgrad.source.frames import users_place

from .check import Check
from .ledger import Leaf, Op, Run


class LostLeaf(Check):
    """`w = w - lr * w.grad`: the name is bound to a new tensor, and the leaf stays as it was.

    Silent: it is a correct computation. With recording on, the new `w` is no leaf and its `.grad`
    stays None; under `no_grad()` it does not require grad; and in `for p in parameters: p = …`
    only the loop's variable changes.
    """

    kind = "leaf-lost"
    ops = ("Sub", "Add", "Mul", "Div", "Neg")

    def begin(self) -> None:
        self.grads: dict[int, Leaf] = {}
        """Those that the last passes left, by memory; each is compared before it counts."""
        self.derived: dict[int, tuple[Any, Leaf]] = {}
        """What was made of them; kept, so that nothing else has its memory."""
        self.nodes: dict[int, tuple[Leaf, Place | None]] = {}
        self.pending: dict[int, tuple[int, Any, Place | None]] = {}
        """By leaf: passes since the step, the values before it, and its line."""

    def made(self, op: Op) -> None:
        if not self.grads:
            return
        library, source, target = op.library, None, None
        for x in op.operands:
            if not hasattr(x, "requires_grad"):
                continue
            memory = library.memory(x)
            if memory in self.derived:
                source = self.derived[memory][1]
            elif (leaf := self.grads.get(memory)) is not None and self._is_grad(leaf, memory):
                source, leaf.is_asked, leaf.is_read = leaf, True, True
            elif op.name in ("Sub", "Add"):
                target = x
        if source is None or (target is not None and target is not source.tensor()):
            return
        if target is None:
            self.derived[library.memory(op.out)] = op.out, source
        elif op.name in ("Sub", "Add"):
            self._stepped_aside(op, source, library.array(target))

    def _stepped_aside(self, op: Op, leaf: Leaf, before: Any) -> None:
        """The sum of a leaf and something made of its gradient is a new tensor."""
        place = users_place()
        if op.node is not None and leaf.name:  # found now: the name is about to change
            self.nodes[op.library.seq(op.node)] = leaf, place
        if id(leaf) not in self.pending and not np.array_equal(op.library.array(op.out), before):
            self.pending[id(leaf)] = 0, before.copy(), place

    def _is_grad(self, leaf: Leaf, memory: int) -> bool:
        tensor = leaf.tensor()
        grad = None if tensor is None else leaf.library.grad(tensor)
        return grad is not None and leaf.library.memory(grad) == memory

    def wrote(self, leaf: Leaf, place: Place | None) -> None:
        self.pending.pop(id(leaf), None)

    def pass_begins(self, run: Run) -> None:
        for seq in (self.nodes.keys() & run.seqs) if self.nodes else ():
            leaf, place = self.nodes.pop(seq)
            self._report(leaf, place, "The new one is no leaf: its `.grad` stays None.")
        if self.pending:
            for leaf, tensor in run.leaves:
                self._is_unmoved(leaf, tensor)

    def _is_unmoved(self, leaf: Leaf, tensor: Any) -> None:
        """Whether a leaf has the values from which its step was computed, two passes later."""
        times, before, place = self.pending.get(id(leaf), (0, None, None))
        if before is None:
            return
        now = leaf.library.array(tensor)
        if now.shape != before.shape or not np.array_equal(now, before):
            del self.pending[id(leaf)]
            return
        self.pending[id(leaf)] = times + 1, before, place
        if times + 1 >= 2:
            self._report(leaf, place, "The leaf itself has not moved.")

    def pass_ended(self, run: Run) -> None:
        self.derived.clear()
        if len(self.grads) > 10_000:
            self.grads.clear()
        for leaf, tensor in run.leaves:
            grad = None if leaf.owners else leaf.library.grad(tensor)
            if grad is not None:
                self.grads[leaf.library.memory(grad)] = leaf

    def _report(self, leaf: Leaf, place: Place | None, what: str) -> None:
        name = leaf.name
        self.tell(
            f"A step along the gradient was bound to a name, and not written to the leaf {name}. "
            f"{what}",
            "Write in place: `with no_grad(): w -= lr * w.grad`.",
            place,
            [name],
        )


class WrittenSaved(Check):
    """Values that backward needs were overwritten where no version counts: a wrong gradient.

    Silent: `x.data`, `x.detach().numpy()` and an array that a tensor was made of share its memory,
    and nobody is told of what they write. What is saved is looked at when it is saved and right
    before the pass.
    """

    kind = "saved-overwritten"

    def overwritten(
        self, name: str, node: Any, saved_at: Place | None, by: Place | None, memory: int
    ) -> None:
        """A source found that what `node` saved in some memory is no longer what it was."""
        how = "by a write" if by else "by a write that only memory knows of: through NumPy, maybe,"
        self.tell(
            f"{name} was saved for backward by {node.name()} and has been overwritten since, {how} "
            "which no version counts. The gradient is computed from the new values, and is wrong.",
            "Write to a copy (`x.clone()`), or do it after `backward()`; `x.data`, `x.detach()` "
            "and their NumPy arrays show the memory of `x`.",
            by or saved_at,
            [name],
            key=by or memory,
        )


# Graphs -----------------------------------------------------------------------------------------


class KeptGraphs(Check):
    """`total += loss`: a sum of losses that is recorded keeps the graphs of all of them.

    Silent: it is only memory. In a training loop, graphs that are used up hang on it; in an
    evaluation loop, whole ones, because recording was left on. And with `retain_graph=True` a state
    that is carried on makes each pass go through all steps before.
    """

    kind = "graph-kept"
    ops = ("Add",)
    at_least = 10  # losses

    def begin(self) -> None:
        self.lengths: dict[int, int] = {}
        self.spent: set[int] = set()
        self.long: dict[int, Place | None] = {}
        self.nodes = self.longer = 0  # of the last pass, and how many passes were longer each time

    def made(self, op: Op) -> None:
        if op.node is None or math.prod(op.out.shape) != 1:
            return
        behind = [node for node, _ in op.node.next_functions if node is not None]
        sources = [op.library.seq(node) for node in behind]
        before = max([self.lengths.get(seq, 0) for seq in sources], default=0)
        seq = op.library.seq(op.node)
        if len(self.lengths) > 10_000:
            self.lengths.clear()
        for source in sources:
            self.long.pop(source, None)
            self.lengths.pop(source, None)
        self.lengths[seq] = before + 1
        if before + 1 < self.at_least:
            return
        self.long[seq] = place = users_place()
        if self.spent.intersection(sources):
            self.tell(
                f"A sum of {self.at_least} losses keeps the graph of each alive, and no pass can "
                "go along them again: memory grows with each step.",
                "Add up numbers: `total += loss.item()`.",
                place,
            )

    def pass_begins(self, run: Run) -> None:
        for known in (self.lengths, self.long):
            for seq in (known.keys() & run.seqs) if known else ():
                del known[seq]  # a sum along which a pass goes is what it should be
        nodes = len(run.nodes)
        is_longer = nodes > self.nodes > 0 and not run.is_freeing
        self.longer = self.longer + 1 if is_longer else 0
        self.nodes = nodes
        if self.longer < self.at_least:
            return
        self.tell(
            f"Each of {self.at_least} passes was longer than the one before, now of {nodes} "
            "nodes: it goes through the graphs of all steps before, which retain_graph keeps.",
            "Write `state = state.detach()` between two steps, and leave retain_graph out.",
            users_place(),
        )

    def pass_ended(self, run: Run) -> None:
        if run.is_freeing:
            if len(self.spent) > 10_000:
                self.spent.clear()
            self.spent.update([run.library.seq(node) for node in run.starts])

    def closes(self) -> None:
        for place in set(self.long.values()):
            self.tell(
                f"A sum of {self.at_least} losses or more was recorded, with all their graphs, "
                "and no pass ever went along it: recording was on for nothing.",
                "Evaluate inside of `with no_grad():`, and add up numbers: `total += loss.item()`.",
                place,
            )
