"""The mistakes: each a class that says what it is, why it is silent, and what to write instead.

A check has a method for each event that it wants to hear of, and reports what it finds. Each waits
for what makes a mistake certain: the report of a right program is empty.
"""

import math
import weakref
from collections import Counter
from typing import Any, ClassVar

import numpy as np

from glassgrad.core.state import Names, Place

from .findings import Findings, listed
from .ledger import Leaf, Ledger, Op, Run, Step
from .names import name_of, user_place


class Check:
    """One kind of mistake; a subclass overrides the events that it wants.

    Attributes:
        kind: what a finding of it is called.
        ops: the names of the ops that `made` is called for; all ops for "*".
    """

    kind: ClassVar[str] = ""
    ops: ClassVar[Names] = ()

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        self.ledger, self.findings = ledger, findings

    def made(self, op: Op) -> None:
        """An op of `ops` was done, and recorded."""

    def pass_begins(self, run: Run) -> None:
        """A backward pass is about to run."""

    def pass_ended(self, run: Run) -> None:
        """It has run to its end."""

    def stepped(self, step: Step) -> None:
        """An optimiser has moved its parameters; the ledger is as it was before."""

    def wrote(self, leaf: Leaf, place: Place | None) -> None:
        """The program itself is about to write to a leaf that no optimiser has."""

    def closes(self) -> None:
        """The block ends: what never came will not come."""


# Gradients and steps ----------------------------------------------------------------------------


class NotCleared(Check):
    """Gradients that a step has used are still there when the next pass adds to them.

    Silent: adding up is what `.grad` is for, so each step goes along the sum of all gradients so
    far. Accumulating on purpose is several passes and one step, then clearing; that is no finding.
    Nor is a pass that adds to gradients which are cleared before they are used, as in a GAN.
    """

    kind = "grads-not-cleared"

    def stepped(self, step: Step) -> None:
        tainted = [leaf for leaf, *_ in step.leaves if leaf.tainted]
        if tainted:
            self._report(tainted, step.place, by_hand=False)

    def wrote(self, leaf: Leaf, place: Place | None) -> None:
        if leaf.tainted:
            self._report([leaf], place, by_hand=True)

    def _report(self, leaves: list[Leaf], place: Place | None, *, by_hand: bool) -> None:
        if self.findings.is_known(self.kind, place):
            return
        names = [leaf.name for leaf in leaves]
        clear = f"{names[0]}.grad = None" if by_hand else "optimizer.zero_grad()"
        self.findings.add(
            self.kind,
            f"The gradients of {listed(names)} were never cleared between two steps: a pass added "
            "to what a step had used already, so this step goes along the sum of old and new ones.",
            f"Write `{clear}` before each `loss.backward()`; to accumulate on purpose, clear after "
            "each step.",
            place,
            names,
        )


class StepWithoutBackward(Check):
    """A step that finds no new gradient in any of its parameters, twice in a row.

    Silent: an optimiser passes over parameters without a gradient, and uses an old one again. So it
    goes where `backward()` is missing, or where `zero_grad()` stands between it and `step()`.
    """

    kind = "step-without-backward"

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.idle: Counter[int] = Counter()

    def stepped(self, step: Step) -> None:
        key = id(step.optimizer)
        is_idle = bool(step.leaves)
        for leaf, _, grad in step.leaves:
            if not self._is_idle(leaf, grad, key):
                is_idle = False
                break
        if not is_idle:
            self.idle[key] = 0
            return
        self.idle[key] += 1
        if self.idle[key] < 2 or self.findings.is_known(self.kind, step.place):
            return
        gone = [leaf for leaf, _, grad in step.leaves if grad is None]
        zero = [leaf for leaf, _, grad in step.leaves if grad is not None and leaf.norm == 0]
        if len(gone) + len(zero) == len(step.leaves):
            what = "is None" if gone else "is zero"
            said = f"No parameter of this optimiser has moved: the gradient of each {what}."
            remedy = (
                "Write `loss.backward()` right before `optimizer.step()`, and `zero_grad()` before "
                "`backward()`: between the two it forgets what `step()` needs."
            )
        else:
            said = "This step used the gradients that the step before had used: none is new."
            remedy = "Write `optimizer.zero_grad()` and `loss.backward()` before each step."
        self.findings.add(self.kind, said, remedy, step.place)

    @staticmethod
    def _is_idle(leaf: Leaf, grad: Any, me: int) -> bool:
        """Whether there is nothing to move it; what another optimiser used is another finding."""
        if grad is None or leaf.measure(grad) == 0:
            return True
        return not (leaf.fresh or leaf.user not in (None, me))


class SteppedTwice(Check):
    """Two optimisers move the same parameter along the same gradient.

    Silent: an optimiser knows nothing of others. The parameter takes two steps for one.
    """

    kind = "in-two-optimizers"

    def stepped(self, step: Step) -> None:
        me = id(step.optimizer)
        twice = [
            leaf
            for leaf, *_ in step.leaves
            if leaf.used and not leaf.fresh and leaf.user not in (None, me)
        ]
        if not twice or self.findings.is_known(self.kind, step.place):
            return
        names = [leaf.name for leaf in twice]
        self.findings.add(
            self.kind,
            f"Two optimisers have {listed(names)}: this step moves along a gradient that the step "
            "of another one has used.",
            "Give each parameter to one optimiser, as two groups of it if options differ.",
            step.place,
            names,
        )


class NoGradient(Check):
    """A parameter of an optimiser that no pass ever reached.

    Silent: `step()` passes over it, and it keeps its first values. It is not used in the loss, or
    cut off: by `detach()`, `.data`, `.item()`, NumPy, or a forward inside of `no_grad()`.
    """

    kind = "no-gradient"
    at_least = 3  # steps

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.without: Counter[int] = Counter()
        self.found: dict[int, tuple[Leaf, Place | None]] = {}

    def stepped(self, step: Step) -> None:
        if not any(leaf.passes for leaf, *_ in step.leaves):
            return  # no pass at all: that is another finding
        for leaf, tensor, grad in step.leaves:
            if grad is None and not leaf.passes and tensor.requires_grad:
                key = id(leaf)
                self.without[key] += 1
                if self.without[key] == self.at_least and leaf.name:  # found now: it is in sight
                    self.found[key] = leaf, step.place

    def closes(self) -> None:
        lost: dict[Place | None, list[str]] = {}
        for leaf, place in self.found.values():
            if not leaf.passes:
                lost.setdefault(place, []).append(leaf.name)
        for place, names in lost.items():
            self.findings.add(
                self.kind,
                f"{listed(names)} never got a gradient, in any step of this optimiser: the loss is "
                "not computed from them, or something between cuts the graph.",
                "Use them in the loss; look for `detach()`, `.data`, `.item()`, NumPy and "
                "`no_grad()` on the way. What is not to be trained, leave out of the optimiser.",
                place,
                names,
            )


class NotInOptimizer(Check):
    """A leaf that gets a gradient in each pass, and that nobody ever moves.

    Silent: `step()` moves what it was given. A layer in a plain list, or made after the optimiser,
    is not in `model.parameters()`; data with `requires_grad=True` costs time for nothing.
    """

    kind = "not-in-optimizer"
    at_least = 3  # passes

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.steps: Counter[int] = Counter()
        self.found: dict[int, tuple[Leaf, Place | None]] = {}

    def stepped(self, step: Step) -> None:
        for leaf in self.ledger.unowned.values():
            if leaf.passes and self._is_left(leaf):
                key = id(leaf)
                self.steps[key] += 1
                if (
                    leaf.passes >= self.at_least
                    and self.steps[key] >= self.at_least
                    and key not in self.found
                    and leaf.name  # found now: it is in sight
                ):
                    self.found[key] = leaf, step.place

    @staticmethod
    def _is_left(leaf: Leaf) -> bool:
        return not (leaf.owners or leaf.steps or leaf.is_asked)

    def closes(self) -> None:
        left = [(leaf, place) for leaf, place in self.found.values() if self._is_left(leaf)]
        if not left:
            return
        names = [leaf.name for leaf, _ in left]
        self.findings.add(
            self.kind,
            f"{listed(names)} got a gradient in pass after pass, and no optimiser has them: they "
            "keep their first values.",
            "Give them to the optimiser (layers belong into an `nn.ModuleList`, not a list); what "
            "is data or frozen, let not require grad: `x.requires_grad_(False)`.",
            left[0][1],
            names,
        )


class Norms(Check):
    """Gradients that are nan or infinite, a thousand times what they were, or next to nothing.

    Silent: numbers have no alarm. Looked at is what a step uses, after clipping; later on, in every
    fourth step. Only weights count as vanishing: the gradient of a bias before a normalisation is
    zero by rights.
    """

    kind = "exploding"
    exploding, vanishing, patience = 1e3, 1e-7, 10
    settled = 5  # steps, of which the largest norm is what is usual
    early, every = 20, 4

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.steps: Counter[int] = Counter()

    def stepped(self, step: Step) -> None:
        self.steps[id(step.optimizer)] += 1
        number = self.steps[id(step.optimizer)]
        if number > self.early and number % self.every:
            return
        fresh = [each for each in step.leaves if each[2] is not None and each[0].fresh]
        for leaf, _, grad in fresh:
            leaf.measure(grad)
        largest = max([leaf.rms for leaf, *_ in fresh], default=0.0)
        for leaf, tensor, _ in fresh:
            if not math.isfinite(leaf.norm):
                self._tell(leaf, step, "nan or infinite")
                continue
            if len(leaf.first_norms) < self.settled:
                leaf.first_norms.append(leaf.norm)
            usual = max(leaf.first_norms)
            is_large = leaf.norm > self.exploding * max(usual, 1e-3)
            is_small = len(tensor.shape) > 1 and leaf.rms < self.vanishing * largest
            leaf.strange[0] = leaf.strange[0] + 1 if is_large else 0
            leaf.strange[1] = leaf.strange[1] + 1 if is_small else 0
            if leaf.strange[0] == 3:
                self._tell(leaf, step, f"{leaf.norm:.1e}, and was {usual:.1e} at the beginning")
        if gone := [leaf for leaf, *_ in step.leaves if leaf.strange[1] == self.patience]:
            self._vanished(gone, step, largest)

    def _tell(self, leaf: Leaf, step: Step, what: str) -> None:
        if self.findings.is_known("exploding", step.place):
            return
        self.findings.add(
            "exploding",
            f"The gradient of {leaf.name} explodes: its norm is {what}.",
            "Lower the learning rate, clip (`nn.utils.clip_grad_norm_`) or normalise; "
            "`gg.find_nan` names the op that made the first nan.",
            step.place,
            [leaf.name],
        )

    def _vanished(self, gone: list[Leaf], step: Step, largest: float) -> None:
        if self.findings.is_known("vanishing", step.place):
            return
        names, smallest = [leaf.name for leaf in gone], min(leaf.rms for leaf in gone)
        self.findings.add(
            "vanishing",
            f"The gradients of {listed(names)} vanish: {smallest:.1e} for an element, for "
            f"{self.patience} steps, where that of another parameter is {largest:.1e}.",
            "Use relu in place of sigmoid or tanh, a normalisation, a residual connection, or an "
            "initialisation that fits (`nn.init`).",
            step.place,
            names,
        )


class ZeroRate(Check):
    """Several steps with a learning rate of 0.

    Silent: a step of length 0 is a step. A schedule that has ended, or counts epochs as steps.
    """

    kind = "zero-learning-rate"
    at_least = 5  # steps: a warm-up begins at 0

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.idle: Counter[int] = Counter()

    def stepped(self, step: Step) -> None:
        rates = [group.get("lr", 1) for group in step.optimizer.param_groups]
        key = id(step.optimizer)
        self.idle[key] = 0 if any(rate != 0 for rate in rates) else self.idle[key] + 1
        if self.idle[key] >= self.at_least and not self.findings.is_known(self.kind, step.place):
            self.findings.add(
                self.kind,
                f"The learning rate of all groups has been 0 for {self.at_least} steps: nothing "
                "moves.",
                "Look at `optimizer.param_groups[0]['lr']`, and at what the scheduler counts.",
                step.place,
            )


# Leaves -----------------------------------------------------------------------------------------


class LostLeaf(Check):
    """`w = w - lr * w.grad`: the name is bound to a new tensor, and the leaf stays as it was.

    Silent: it is a correct computation. With recording on, the new `w` is no leaf and its `.grad`
    stays None; under `no_grad()` it does not require grad; and in `for p in parameters: p = …`
    only the loop's variable changes.
    """

    kind = "leaf-lost"
    ops = ("Sub", "Add", "Mul", "Div", "Neg")

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
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
                source, leaf.is_asked = leaf, True
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
        place = user_place()
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
            grad = leaf.library.grad(tensor)
            if grad is not None and not leaf.owners:
                self.grads[leaf.library.memory(grad)] = leaf

    def _report(self, leaf: Leaf, place: Place | None, what: str) -> None:
        if self.findings.is_known(self.kind, place):
            return
        name = leaf.name
        self.findings.add(
            self.kind,
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
        key = by or memory
        if self.findings.is_known(self.kind, key):
            return
        how = "by a write" if by else "by a write that only memory knows of: through NumPy, maybe,"
        self.findings.add(
            self.kind,
            f"{name} was saved for backward by {node.name()} and has been overwritten since, {how} "
            "which no version counts. The gradient is computed from the new values, and is wrong.",
            "Write to a copy (`x.clone()`), or do it after `backward()`; `x.data`, `x.detach()` "
            "and their NumPy arrays show the memory of `x`.",
            by or saved_at,
            [name],
            key=key,
        )


# Graphs -----------------------------------------------------------------------------------------


class KeptGraphs(Check):
    """`total += loss`: a sum of losses that is recorded keeps the graphs of all of them.

    Silent: it is only memory. In a training loop, graphs that are used up hang on it; in an
    evaluation loop, whole ones, because recording was left on.
    """

    kind = "graph-kept"
    ops = ("Add",)
    at_least = 10  # losses

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.lengths: dict[int, int] = {}
        self.spent: set[int] = set()
        self.long: dict[int, Place | None] = {}

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
        self.long[seq] = place = user_place()
        if self.spent.intersection(sources) and not self.findings.is_known(self.kind, place):
            self.findings.add(
                self.kind,
                f"A sum of {self.at_least} losses keeps the graph of each alive, and no pass can "
                "go along them again: memory grows with each step.",
                "Add up numbers: `total += loss.item()`.",
                place,
            )

    def pass_begins(self, run: Run) -> None:
        for known in (self.lengths, self.long):
            for seq in (known.keys() & run.seqs) if known else ():
                del known[seq]  # a sum along which a pass goes is what it should be

    def pass_ended(self, run: Run) -> None:
        if run.is_freeing:
            if len(self.spent) > 10_000:
                self.spent.clear()
            self.spent.update([run.library.seq(node) for node in run.starts])

    def closes(self) -> None:
        for place in set(self.long.values()):
            if not self.findings.is_known(self.kind, place):
                self.findings.add(
                    self.kind,
                    f"A sum of {self.at_least} losses or more was recorded, with all their graphs, "
                    "and no pass ever went along it: recording was on for nothing.",
                    "Evaluate inside of `with no_grad():`, and add up numbers: "
                    "`total += loss.item()`.",
                    place,
                )


# Losses -----------------------------------------------------------------------------------------


class BroadcastLoss(Check):
    """A prediction of shape (n, 1) beside a target of shape (n,): the loss is of n × n pairs.

    Silent: they broadcast. Every prediction is pulled towards all targets, and ends at their mean.
    """

    kind = "broadcast-loss"
    losses = ("MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss")
    ops = (*losses, "Sub")
    on_the_way: ClassVar[frozenset[str]] = frozenset(
        ("Mean", "Sum", "Pow", "Mul", "Div", "Add", "Sub", "Abs", "Square", "Neg", "Sqrt", "Log")
    )

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.suspects: dict[int, tuple[Any, Any, Place | None, str]] = {}

    def made(self, op: Op) -> None:
        if len(op.operands) < 2 or op.node is None:
            return
        x, y = op.operands[:2]
        if not (hasattr(x, "requires_grad") and hasattr(y, "requires_grad")):
            return
        a, b = tuple(x.shape), tuple(y.shape)
        if a == b and len(a) > 1:  # a loss that has shown both in one shape
            a, b = _before_broadcast(op.library.array(x)), _before_broadcast(op.library.array(y))
        elif len(a) == len(b):
            return
        n = math.prod(a)
        if a == b or n < 2 or math.prod(b) != n or x.requires_grad == y.requires_grad:
            return
        place = user_place()
        if self.findings.is_known(self.kind, place):
            return
        if len(self.suspects) > 1000:
            self.suspects.clear()
        names = name_of(x), name_of(y)
        roles = ("the prediction", "the target")[:: 1 if x.requires_grad else -1]
        told = a, b, place, listed([name or role for name, role in zip(names, roles, strict=True)])
        if op.name in self.losses:
            self._report(*told)
        else:
            self.suspects[op.library.seq(op.node)] = told

    def pass_begins(self, run: Run) -> None:
        if not self.suspects or not self.suspects.keys() & run.seqs:
            return
        waiting, seen = list(run.starts), 0
        for node in waiting:  # which grows
            seen += 1
            if seen > 30 or node is None:
                continue
            seq = run.library.seq(node)
            if seq in self.suspects:
                self._report(*self.suspects.pop(seq))
            elif node.name().partition("Backward")[0] in self.on_the_way:
                waiting += [each for each, _ in node.next_functions]
        self.suspects.clear()

    def _report(self, a: Any, b: Any, place: Place | None, names: str) -> None:
        whole = tuple(np.broadcast_shapes(a, b))
        self.findings.add(
            self.kind,
            f"The shapes {a} and {b} of {names} broadcast to {whole}: the loss compares each "
            "prediction with every target.",
            "Give both one shape: `pred.squeeze(-1)`, or `target.unsqueeze(-1)`.",
            place,
        )


def _before_broadcast(array: Any) -> tuple[int, ...]:
    """The shape of what an array shows again and again: 1 along those dims."""
    return tuple([n if step else 1 for n, step in zip(array.shape, array.strides, strict=True)])


class TwiceNormalized(Check):
    """Probabilities where a loss takes logits, or the other way round.

    Silent: `cross_entropy` applies log-softmax to whatever it gets, and `nll_loss` a minus sign.
    Training goes on, slowly, towards something else.
    """

    kind = "softmax-twice"
    ops = (
        "CrossEntropy",
        "SoftCrossEntropy",
        "BinaryCrossEntropyWithLogits",
        "NllLoss",
    )
    wrong: ClassVar[dict[str, tuple[str, str, str]]] = {
        "CrossEntropy": ("Softmax", "cross_entropy applies softmax itself", "Pass the logits."),
        "SoftCrossEntropy": ("Softmax", "cross_entropy applies softmax itself", "Pass the logits."),
        "BinaryCrossEntropyWithLogits": (
            "Sigmoid",
            "binary_cross_entropy_with_logits applies sigmoid itself",
            "Pass the logits, or write `binary_cross_entropy`.",
        ),
        "NllLoss": (
            "Softmax",
            "nll_loss takes logarithms of probabilities",
            "Write `log_softmax`, or pass the logits to `cross_entropy`.",
        ),
    }

    def made(self, op: Op) -> None:
        maker = getattr(op.operands[0], "grad_fn", None)
        before, why, remedy = self.wrong[op.name]
        if maker is None or maker.name().partition("Backward")[0] != before:
            return
        place = user_place()
        if not self.findings.is_known(self.kind, place):
            self.findings.add(
                self.kind,
                f"The loss was given what {before.lower()} made, and {why}.",
                remedy,
                place,
            )


# Layers -----------------------------------------------------------------------------------------


class _Site:
    """A place where relu is applied: which units have been 0 since the window began."""

    __slots__ = ("calls", "dead", "inputs", "layer", "units")

    def __init__(self, layer: Any) -> None:
        self.layer = None if layer is None else weakref.ref(layer)
        self.calls = self.inputs = self.units = 0
        self.dead: Any = None


class DeadUnits(Check):
    """Units (channels) behind a relu that are 0 for every input, over many steps.

    Silent: 0 is a value. Where relu is 0 its gradient is, so the weights before it do not move.
    A few among many are usual; half of a layer is told.
    """

    kind = "dead-units"
    ops = ("Relu",)
    steps, inputs, share, rest = 20, 200, 0.5, 100

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.sites: dict[Any, _Site] = {}

    def made(self, op: Op) -> None:
        shape = tuple(op.out.shape)
        if op.node is None or len(shape) < 2:
            return
        layer = op.library.layer_of(op.operands[0])
        key = id(layer), shape[1]
        site = self.sites.get(key)
        if site is None or (site.layer is not None and site.layer() is not layer):
            site = self.sites[key] = _Site(layer)
        site.calls += 1
        if site.calls > self.steps:
            if site.calls > self.rest:
                site.calls, site.dead, site.inputs = 0, None, 0
            return
        if site.dead is None or site.dead.size:
            out = op.library.array(op.out)
            axes = (0, *range(2, len(shape)))
            if site.dead is None:
                site.dead, site.units = np.flatnonzero(~(out > 0).any(axis=axes)), shape[1]
            else:
                site.dead = site.dead[~(out[:, site.dead] > 0).any(axis=axes)]
            site.inputs += math.prod(shape) // (shape[1] or 1)
        if site.calls == self.steps and site.inputs >= self.inputs:
            self._decide(site, layer)

    def _decide(self, site: _Site, layer: Any) -> None:
        dead, place = len(site.dead), user_place()
        key = (place, id(layer))
        if dead < self.share * site.units or self.findings.is_known(self.kind, key):
            return
        name = "" if layer is None else name_of(layer) or ""
        of = f" of {name}" if name else ""
        self.findings.add(
            self.kind,
            f"{dead} of {site.units} units{of} were 0 behind relu for all inputs of {self.steps} "
            "steps: no gradient comes through, and the weights before them stay as they are.",
            "Lower the learning rate, start biases at 0 and weights by `nn.init.kaiming_normal_`, "
            "normalise the inputs, or write `leaky_relu`.",
            place,
            [name] if name else [],
            key=key,
        )


class EvalMode(Check):
    """Training steps of a model whose dropout and batch norms are all in evaluation mode.

    Silent: `eval()` only changes what these layers do. It is forgotten after an evaluation, where
    `train()` was to follow.
    """

    kind = "eval-mode"
    at_least = 3  # passes, each with a step
    layers: ClassVar[frozenset[str]] = frozenset(("_DropoutNd", "Dropout", "_BatchNorm"))

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        super().__init__(ledger, findings)
        self.seen: dict[int, Any] = {}
        self.times: Counter[int] = Counter()

    def pass_begins(self, run: Run) -> None:
        for module in run.modules:
            if not module.training:
                self.seen[id(module)] = module

    def stepped(self, step: Step) -> None:
        mine = {id(tensor) for _, tensor, _ in step.leaves} if self.seen else ()
        for key, module in self.seen.items():
            if not any(id(p) in mine for p in module.parameters()):
                continue
            if not self._is_forgotten(module):
                self.times[key] = 0
                continue
            self.times[key] += 1
            if self.times[key] < self.at_least or self.findings.is_known(self.kind, step.place):
                continue
            self.findings.add(
                self.kind,
                f"{type(module).__name__} is trained in evaluation mode: its dropout does nothing, "
                "and its batch norms use old statistics.",
                "Write `model.train()` before the training loop, after each evaluation.",
                step.place,
            )
        self.seen.clear()

    def _is_forgotten(self, module: Any) -> bool:
        """Whether it has layers that know a mode, all of them in evaluation mode.

        A batch norm whose own parameters are frozen is meant to be so.
        """
        found = False
        for each in module.modules():
            if not self.layers.isdisjoint([cls.__name__ for cls in type(each).__mro__]):
                own = list(each.parameters(recurse=False))
                if each.training:
                    return False
                found |= not own or any(p.requires_grad for p in own)
        return found


CHECKS: tuple[type[Check], ...] = (
    NotCleared,
    StepWithoutBackward,
    SteppedTwice,
    NoGradient,
    NotInOptimizer,
    Norms,
    ZeroRate,
    LostLeaf,
    WrittenSaved,
    KeptGraphs,
    BroadcastLoss,
    TwiceNormalized,
    DeadUnits,
    EvalMode,
)
