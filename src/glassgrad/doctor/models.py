"""Mistakes of a model: losses that compute something else, layers that have stopped learning."""

import math
import weakref
from typing import Any, ClassVar

import numpy as np

from glassgrad._words import listed, op_in
from glassgrad.core.state import Place
from glassgrad.source.frames import users_place
from glassgrad.source.names import name_of

from .check import Check
from .ledger import Op, Run, Step


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

    def begin(self) -> None:
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
        place = users_place()
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
            elif op_in(node.name()) in self.on_the_way:
                waiting += [each for each, _ in node.next_functions]
        self.suspects.clear()

    def _report(self, a: Any, b: Any, place: Place | None, names: str) -> None:
        whole = tuple(np.broadcast_shapes(a, b))
        # Of what a loss has spread already, nobody knows whether it had a dim of size 1 in front.
        own = f"shapes {a} and {b}" if len(a) != len(b) else f"{math.prod(a)} elements each"
        self.tell(
            f"The {own} of {names} broadcast to {whole}: the loss compares each prediction with "
            "every target.",
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
        if maker is None or op_in(maker.name()) != before:
            return
        self.tell(
            f"The loss was given what {before.lower()} made, and {why}.",
            remedy,
            users_place(),
        )


# Layers -----------------------------------------------------------------------------------------


class _Site:
    """A layer behind which relu is applied: which units have been 0 since the window began."""

    def __init__(self, layer: Any, units: int) -> None:
        self.layer = layer  # kept for the window, so that no other is its id
        self.dead, self.units, self.inputs = np.arange(units), units, 0
        self.place = users_place()


class DeadUnits(Check):
    """Units (channels) behind a relu that are 0 for every input, over many steps.

    Silent: 0 is a value. Where relu is 0 its gradient is, so the weights before it do not move.
    A few among many are usual; half of a layer is told. Looked at are windows of steps.
    """

    kind = "dead-units"
    ops = ("Relu",)
    steps, inputs, share, rest = 20, 200, 0.5, 100

    def begin(self) -> None:
        self.sites: dict[Any, _Site] = {}
        self.passes = 0

    def made(self, op: Op) -> None:
        shape = tuple(op.out.shape)
        if self.passes >= self.steps or len(shape) < 2:
            return
        if getattr(op.operands[0], "grad_fn", None) is None:
            return
        layer = _weight_before(op.operands[0])
        site = self.sites.get((id(layer), shape[1]))
        if site is None:
            site = self.sites[id(layer), shape[1]] = _Site(layer, shape[1])
        if site.dead.size:
            out = op.library.array(op.out)[:, site.dead]
            site.dead = site.dead[~(out > 0).any(axis=(0, *range(2, len(shape))))]
            site.inputs += math.prod(shape) // shape[1]

    def pass_ended(self, run: Run) -> None:
        self.passes += 1
        if self.passes == self.steps:
            for site in self.sites.values():
                if len(site.dead) >= self.share * site.units and site.inputs >= self.inputs:
                    self._report(site)
            self.sites.clear()
        elif self.passes == self.rest:
            self.passes = 0

    def _report(self, site: _Site) -> None:
        name = None if site.layer is None else name_of(site.layer)
        of = f" of {name}" if name else ""
        self.tell(
            f"{len(site.dead)} of {site.units} units{of} were 0 behind relu for all inputs of "
            f"{self.steps} steps: no gradient comes through, and the weights before them stay as "
            "they are.",
            "Lower the learning rate, start biases at 0 and weights by `nn.init.kaiming_normal_`, "
            "normalise the inputs, or write `leaky_relu`.",
            site.place,
            [name] if name else [],
            key=(site.place, id(site.layer)),
        )


def _weight_before(tensor: Any) -> Any:
    """The weight, or bias, that `tensor` was computed with; None if it is not next to it."""
    direct = [node for node, _ in tensor.grad_fn.next_functions if node is not None]
    behind = [node for each in direct for node, _ in each.next_functions]
    leaves = [getattr(node, "variable", None) for node in (*direct, *behind)]
    found = [leaf for leaf in leaves if leaf is not None]
    return next((leaf for leaf in found if leaf.dim() > 1), found[0] if found else None)


class EvalMode(Check):
    """Training steps of a model whose dropout and batch norms are all in evaluation mode.

    Silent: `eval()` only changes what these layers do. It is forgotten after an evaluation, where
    `train()` was to follow.
    """

    kind = "eval-mode"
    at_least = 3  # passes, each with a step
    layers: ClassVar[frozenset[str]] = frozenset(("_DropoutNd", "Dropout", "_BatchNorm"))

    def begin(self) -> None:
        self.seen: dict[int, Any] = {}
        self.times: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def pass_begins(self, run: Run) -> None:
        for module in run.modules:
            if module is not None and not module.training:
                self.seen[id(module)] = module

    def stepped(self, step: Step) -> None:
        if not self.seen:
            return
        mine = {id(tensor) for _, tensor, _ in step.leaves}
        for module in self.seen.values():
            if not any(id(p) in mine for p in module.parameters()):
                continue
            if not self._is_forgotten(module):
                self.times[module] = 0
                continue
            self.times[module] = self.times.get(module, 0) + 1
            if self.times[module] >= self.at_least:
                self.tell(
                    f"{type(module).__name__} is trained in evaluation mode: its dropout does "
                    "nothing, and its batch norms use old statistics.",
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
