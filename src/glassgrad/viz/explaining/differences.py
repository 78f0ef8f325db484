"""A node's own rule, run beside the pass, and held against differences of its own forward.

With ȳ the gradient of the output, a rule returns the gradient of s(x) = Σ Re(conj(ȳ)·f(x)). So s
is computed at x ± h, for each element of an operand, or along some directions if there are many.
"""

from dataclasses import dataclass
from time import perf_counter
from types import MemberDescriptorType
from typing import Any

import numpy as np

from glassgrad.core.engine import fit
from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.saved import PrimitiveNode, unpacked
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor
from glassgrad.memory.views import CopySlices
from glassgrad.ops.generator import get_rng_state, set_rng_state
from glassgrad.values.backend import asnumpy

from .rerun import Rerun

__all__ = ["Verdict", "compare", "run_rule"]

FEW = 64  # elements of an operand that are looked at one by one
DIRECTIONS = 4
SLOW, SLOWEST = 0.005, 0.5  # seconds that a forward takes; then along 2 directions, or along 1
LARGE = 100_000  # elements; along one direction then, for each takes a few forwards
TOLERANCE = {2: 3e-2, 4: 1e-3, 8: 1e-5}  # by bytes of a real number: of the rule's own rounding


# The rule ----------------------------------------------------------------------------------------


def run_rule(node: Node, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the rule of `node` makes of `grads`: on copies, outside of any pass, without hooks.

    Args:
        grads: arrays, one per output; None where there is none.

    Returns:
        An array for each edge, of its operand's shape and dtype; None where there is none.

    Raises:
        FreedGraphError, StaleTensorError: as in a pass; and whatever a user's rule raises.
    """
    if isinstance(node, AccumulateGrad):
        return ()
    twin = _twin(node)
    random = get_rng_state()
    try:  # a watched pass may be pausing: this is no part of it, and without a tracer
        with setting(grad=False, inference=False, tracer=None), np.errstate(all="ignore"):
            copies = tuple([None if grad is None else grad.copy() for grad in grads])
            results = fit(node, twin.compute(copies, False))
    finally:
        set_rng_state(random)
    return tuple(
        [
            None if edge is None or grad is None else _bare(grad)
            for edge, grad in zip(node.edges, results, strict=True)
        ]
    )


def _bare(grad: Any) -> Any:
    """A NumPy array of a gradient: an array of some backend, a NumPy scalar, or a Tensor."""
    grad = getattr(grad, "payload", grad)
    return np.asarray(grad) if isinstance(grad, np.generic) else asnumpy(grad)


def _twin(node: Any) -> Any:
    """A node like `node` with saved tensors of its own, versions checked: a rule may spoil it."""
    twin = object.__new__(type(node))
    for cls in type(node).__mro__:
        for slot in getattr(cls, "__slots__", ()):
            # A class may put a value or a property in front of a slot that it inherits.
            is_slot = isinstance(getattr(type(node), slot), MemberDescriptorType)
            if is_slot and slot != "__weakref__" and hasattr(node, slot):
                setattr(twin, slot, getattr(node, slot))
    if hasattr(node, "__dict__"):
        twin.__dict__.update(node.__dict__)
    if isinstance(node, CopySlices):
        twin.fn = None if node.fn is None else _twin(node.fn)
    elif isinstance(node, PrimitiveNode):
        node.check_versions()
        twin.holders = twin.versions = None
        if not node._is_released():
            saved = tuple(node.saved_tensors)
            twin.saved_tensors = tuple([x if x is None else x.copy() for x in saved])
    elif node._is_users:
        twin.holders = tuple([_clone(unpacked(node, kept)) for kept in node.holders])
    return twin


def _clone(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else tensor.detach().clone()


# The differences ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the differences say of the gradient that goes along one edge.

    Args:
        edge: which.
        ok: whether they agree wherever they could be compared.
        places: how many elements, or directions, were compared.
        along: "elements" or "directions".
        kinks: how many were left out, for the op has no derivative there.
        worst: the place where they differ most: an element's index, or a direction's number.
        rule, slope: what the rule and the differences say there.
        is_short: whether less was compared than in a forward that is fast.
    """

    edge: int
    ok: bool
    places: int
    along: str
    kinks: int
    worst: tuple[int, ...]
    rule: complex
    slope: complex
    is_short: bool = False


def compare(rerun: Rerun, grads: tuple[Any, ...], found: tuple[Any, ...]) -> list[Verdict]:
    """Hold what a rule returned against differences of the forward.

    Args:
        rerun: the node's forward.
        grads: what the rule was given, by output.
        found: what it returned, by edge.

    Returns:
        A Verdict for each edge along which a gradient goes.
    """
    random = get_rng_state()
    try:
        with np.errstate(all="ignore"):
            return [
                _Differences(rerun, grads, edge, gradient).verdict()
                for edge, gradient in enumerate(found)
                if gradient is not None and gradient.dtype.kind in "fc"
            ]
    finally:
        set_rng_state(random)


class _Differences:
    """Differences with respect to the operand at one edge."""

    def __init__(self, rerun: Rerun, grads: tuple[Any, ...], edge: int, gradient: Any) -> None:
        self.rerun, self.edge, self.gradient = rerun, edge, gradient
        self.grads = [None if grad is None else asnumpy(grad) for grad in grads]
        self.at = rerun.position[edge]
        self.operands = [_precise(value) for value in rerun.operands]
        self.random: Any = None  # what to draw from, if the forward draws numbers at all
        before, start = get_rng_state(), perf_counter()
        self.rounding = max([_rounding(out) for out in rerun.forward(self.operands)], default=0.0)
        taken = perf_counter() - start
        if not np.array_equal(get_rng_state().payload, before.payload):
            self.random = before
        self.step = max(1e-6, self.rounding ** (1 / 3) if self.rounding > 1e-12 else 0.0)
        start = perf_counter()
        self.here, self.noise = self._s(self.operands[self.at]), 0.0
        taken = min(taken, perf_counter() - start)  # of two: one may have been held up
        self.directions = DIRECTIONS if taken < SLOW else 2 if taken < SLOWEST else 1

    def verdict(self) -> Verdict:
        operand = np.asarray(self.operands[self.at])
        # A direction has all elements in it: of a slow forward two tell more than two elements.
        few = FEW if self.directions == DIRECTIONS else self.directions
        many = operand.size > few
        pairs = self._along_directions(operand) if many else self._by_element(operand)
        judged = [pair for pair in pairs if pair is not None]
        ranked = sorted(judged, key=lambda pair: -pair[3])
        place, rule, slope, distance = ranked[0] if ranked else ((), 0.0, 0.0, 0.0)
        along = "directions" if many else "elements"
        missing, ok = len(pairs) - len(judged), distance <= 1.0
        is_short = many and self.directions < DIRECTIONS
        return Verdict(self.edge, ok, len(judged), along, missing, place, rule, slope, is_short)

    def _s(self, operand: Any) -> tuple[float, float]:
        """s, and how large its terms are: their rounding is what differences amplify."""
        values = list(self.operands)
        values[self.at] = np.asarray(operand)  # 0-d sums are NumPy scalars
        if self.random is not None:
            set_rng_state(self.random)  # the same numbers each time
        total, size = 0.0, 0.0
        for grad, out in zip(self.grads, self.rerun.forward(values), strict=False):
            if grad is not None and out.dtype.kind in "fc":
                terms = (np.conj(grad) * out).real
                total, size = total + float(terms.sum()), size + float(np.abs(terms).sum())
        return total, size

    def _by_element(self, operand: Any) -> list[Any]:
        pairs = []
        for index in np.ndindex(operand.shape):
            slope: complex | None = 0.0
            for unit in (1.0, 1j) if operand.dtype.kind == "c" else (1.0,):
                step = np.zeros_like(operand)
                step[index] = unit * (scale := float(_scale(operand[index])))
                part = self._slope(operand, step)
                self.noise /= scale
                slope = None if part is None or slope is None else slope + unit * part / scale
            rule = self.gradient[index].item()
            pairs.append(None if slope is None else (index, rule, slope, self._far(rule, slope)))
        return pairs

    def _along_directions(self, operand: Any) -> list[Any]:
        rng = np.random.default_rng(0)
        pairs: list[Any] = []
        for number in range(self.directions if operand.size <= LARGE else 1):
            signs = rng.choice([-1.0, 1.0], operand.shape)
            step = (signs * _scale(operand)).astype(operand.dtype)
            slope = self._slope(operand, step)
            rule = float((np.conj(step) * self.gradient.astype(operand.dtype)).real.sum())
            spread = float(np.abs(step * self.gradient).sum())
            far = None if slope is None else self._far(rule, slope, spread)
            pairs.append(None if slope is None else ((number,), rule, slope, far))
        return pairs

    def _slope(self, operand: Any, step: Any) -> float | None:
        """The derivative of s along `step`; None at a kink, a jump, or beyond the domain."""
        h = self.step
        (after, size), (before, _) = self._s(operand + h * step), self._s(operand - h * step)
        ahead, behind = (after - self.here[0]) / h, (self.here[0] - before) / h
        self.noise = 8 * self.rounding * size / h
        slope = (ahead + behind) / 2
        if not np.isfinite(slope) or self._differ(ahead, behind):
            return None
        if abs(slope) > 1e3:  # steep, or a jump: a jump is twice as steep over half the way
            half = h / 2 * step
            steeper = (self._s(operand + half)[0] - self._s(operand - half)[0]) / h
            return None if self._differ(slope, steeper) else slope
        return slope

    def _differ(self, one: float, other: float) -> bool:
        """Whether two slopes of a smooth function could not be that far apart."""
        rough = max(1e-3, self.step)
        return abs(one - other) > rough * (1 + abs(one) + abs(other)) + 8 * self.noise

    def _far(self, rule: complex, slope: complex, spread: float = 0.0) -> float:
        """How far apart they are, in tolerances; more than 1 is too far."""
        if not np.isfinite(rule):
            return float("inf")
        bytes_each = self.gradient.dtype.itemsize // (2 if self.gradient.dtype.kind == "c" else 1)
        allowed = TOLERANCE[min(bytes_each, 8)] * (1 + abs(slope) + spread * 1e-2) + 8 * self.noise
        return abs(rule - slope) / allowed


def _scale(values: Any) -> Any:
    """How long a step is for a value: as long as the value itself, from 0.01 on; 1 from zero."""
    size = np.abs(values)
    return np.where((size == 0) | ~np.isfinite(size), 1.0, np.maximum(size, 0.01))


def _precise(value: Any) -> Any:
    """An operand in double precision; indices, conditions and Python's numbers as they are."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
        return value
    return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _rounding(out: Any) -> float:
    """The relative rounding of an output that a gradient goes through."""
    return float(np.finfo(out.dtype).eps) if out.dtype.kind in "fc" else 0.0
