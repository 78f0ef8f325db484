"""Mistakes of a training loop: gradients, and what a step makes of them."""

import math
from typing import Any

from glassgrad._words import listed
from glassgrad.core.state import Place
from glassgrad.source.lines import shown

from .check import Check
from .ledger import Leaf, Step


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
        if leaf.tainted and (leaf.is_read or (place and "grad" in shown(place))):
            self._report([leaf], place, by_hand=True)  # and not an average of weights, say

    def _report(self, leaves: list[Leaf], place: Place | None, *, by_hand: bool) -> None:
        names = [leaf.name for leaf in leaves]
        clear = f"{names[0]}.grad = None" if by_hand else "optimizer.zero_grad()"
        self.tell(
            f"The gradients of {listed(names, most=4)} were never cleared between two steps: a "
            "pass added to what a step had used already, so this step goes along the sum of old "
            "and new ones.",
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

    def stepped(self, step: Step) -> None:
        key = id(step.optimizer)
        is_idle = bool(step.leaves)
        for leaf, _, grad in step.leaves:
            if not self._is_idle(leaf, grad, key):
                is_idle = False
                break
        if not is_idle:
            step.times[self.kind] = 0
            return
        step.times[self.kind] += 1
        if step.times[self.kind] < 2 or self._is_of_others(step):
            return
        if all(grad is None for *_, grad in step.leaves):
            said = "No parameter of this optimiser has moved: the gradient of each is None."
            remedy = (
                "Write `loss.backward()` right before `optimizer.step()`, and `zero_grad()` before "
                "`backward()`: between the two it forgets what `step()` needs."
            )
        else:
            said = "This step used the gradients that the step before had used: none is new."
            remedy = "Write `optimizer.zero_grad()` and `loss.backward()` before each step."
        self.tell(said, remedy, step.place)

    def _is_of_others(self, step: Step) -> bool:
        """Whether there are passes, and none ever reached a parameter of it: `NoGradient` tells."""
        return self.ledger.passes > 0 and not any(leaf.passes for leaf, *_ in step.leaves)

    @staticmethod
    def _is_idle(leaf: Leaf, grad: Any, me: int) -> bool:
        """Whether there is nothing to move it; what another optimiser used is another finding."""
        return grad is None or not (leaf.fresh or leaf.user not in (None, me))


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
        if not twice:
            return
        names = [leaf.name for leaf in twice]
        self.tell(
            f"Two optimisers have {listed(names, most=4)}: this step moves along a gradient that "
            "the step of another one has used.",
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

    def begin(self) -> None:
        self.found: list[tuple[Leaf, Place | None]] = []

    def stepped(self, step: Step) -> None:
        without = [leaf for leaf, _, grad in step.leaves if grad is None and not leaf.passes]
        if without and self.ledger.passes:  # else another finding
            for leaf in without:
                leaf.ignored += 1
                if leaf.ignored == self.at_least and leaf.name:  # found now: it is in sight
                    self.found.append((leaf, step.place))

    def closes(self) -> None:
        lost: dict[Place | None, list[Leaf]] = {}
        for leaf, place in self.found:
            if not leaf.passes:
                lost.setdefault(place, []).append(leaf)
        for place, leaves in lost.items():
            names = [leaf.name for leaf in leaves]
            off = next((leaf.unrecorded for leaf in leaves if leaf.unrecorded), None)
            why = "the loss is not computed from them, or something between cuts the graph."
            if off is not None:
                why = f"they were used where recording was off ({shown(off)})."
            self.tell(
                f"{listed(names, most=4)} never got a gradient, in any step of this optimiser: "
                f"{why}",
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
    at_least = 3  # steps

    def begin(self) -> None:
        self.found: list[tuple[Leaf, Place | None]] = []

    def stepped(self, step: Step) -> None:
        for leaf in self.ledger.unowned.values():
            if leaf.passes and self._is_left(leaf):
                leaf.ignored += 1
                is_sure = leaf.ignored == self.at_least and leaf.passes > 1
                if is_sure and leaf.name:  # found now: it is in sight
                    self.found.append((leaf, step.place))

    @staticmethod
    def _is_left(leaf: Leaf) -> bool:
        return not (leaf.owners or leaf.steps or leaf.is_asked)

    def closes(self) -> None:
        left = [(leaf, place) for leaf, place in self.found if self._is_left(leaf)]
        if not left:
            return
        names = [leaf.name for leaf, _ in left]
        self.tell(
            f"{listed(names, most=4)} got a gradient in pass after pass, and no optimiser has "
            "them: they keep their first values.",
            "Give them to the optimiser (layers belong into an `nn.ModuleList`, not a list); what "
            "is data or frozen, let not require grad: `x.requires_grad_(False)`.",
            left[0][1],
            names,
        )


class Norms(Check):
    """Gradients that are nan or infinite, a thousand times what they were, or next to nothing.

    Silent: numbers have no alarm. Looked at is what a step uses, after clipping; later on, in every
    fourth step. Only weights count as vanishing: the gradient of a bias before a normalisation is
    zero by rights. What is exactly 0 was not used, and does not vanish.
    """

    kind = "exploding"
    exploding, vanishing, patience = 1e3, 1e-7, 10
    settled = 5  # steps, of which the largest norm is what is usual
    early, every = 20, 4

    def stepped(self, step: Step) -> None:
        step.times[self.kind] += 1
        number = step.times[self.kind]
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
            is_small = len(tensor.shape) > 1 and 0 < leaf.rms < self.vanishing * largest
            leaf.strange[0] = leaf.strange[0] + 1 if is_large else 0
            leaf.strange[1] = leaf.strange[1] + 1 if is_small else 0
            if leaf.strange[0] == 3:
                self._tell(leaf, step, f"{leaf.norm:.1e}, and was {usual:.1e} at the beginning")
        if gone := [leaf for leaf, *_ in step.leaves if leaf.strange[1] == self.patience]:
            self._vanished(gone, step, largest)

    def _tell(self, leaf: Leaf, step: Step, what: str) -> None:
        self.tell(
            f"The gradient of {leaf.name} explodes: its norm is {what}.",
            "Lower the learning rate, clip (`nn.utils.clip_grad_norm_`) or normalise; "
            "`gg.find_nan` names the op that made the first nan.",
            step.place,
            [leaf.name],
        )

    def _vanished(self, gone: list[Leaf], step: Step, largest: float) -> None:
        names, smallest = [leaf.name for leaf in gone], min(leaf.rms for leaf in gone)
        self.tell(
            f"The gradients of {listed(names, most=4)} vanish: {smallest:.1e} for an element, for "
            f"{self.patience} steps, where that of another parameter is {largest:.1e}.",
            "Use relu in place of sigmoid or tanh, a normalisation, a residual connection, or an "
            "initialisation that fits (`nn.init`).",
            step.place,
            names,
            kind="vanishing",
        )


class ZeroRate(Check):
    """Several steps with a learning rate of 0.

    Silent: a step of length 0 is a step. A schedule that has ended, or counts epochs as steps.
    """

    kind = "zero-learning-rate"
    at_least = 5  # steps: a warm-up begins at 0

    def stepped(self, step: Step) -> None:
        for group in step.optimizer.param_groups:
            if group.get("lr", 1) != 0:
                step.times[self.kind] = 0
                return
        step.times[self.kind] += 1
        if step.times[self.kind] >= self.at_least:
            self.tell(
                f"The learning rate of all groups has been 0 for {self.at_least} steps: nothing "
                "moves.",
                "Look at `optimizer.param_groups[0]['lr']`, and at what the scheduler counts.",
                step.place,
            )
