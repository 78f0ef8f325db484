"""A node's own rule, run beside the pass, and held against differences of its own forward.

With ȳ the gradient of the output, a rule returns the gradient of s(x) = Σ Re(conj(ȳ)·f(x)). So s
is computed at x ± h, for each element of an operand, or along some directions if there are many.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from time import perf_counter
from typing import Any

import numpy as np

from glassgrad.core.engine import Grads, fit
from glassgrad.core.function import BackwardCFunction
from glassgrad.core.graph import Node
from glassgrad.core.state import setting
from glassgrad.memory.saved import unpack_all
from glassgrad.ops.generator import get_rng_state, set_rng_state
from glassgrad.values.backend import asnumpy

from .rerun import Rerun, apart, op_node

FEW = 64  # elements of an operand that are looked at one by one
DIRECTIONS = 4
SLOW, SLOWEST = 0.005, 0.5  # seconds that a forward takes; then along 2 directions, or along 1
LARGE = 100_000  # elements; along one direction then, for each takes a few forwards
TOLERANCE = {2: 3e-2, 4: 1e-3, 8: 1e-5}  # by bytes of a real number: of the rule's own rounding


# The rule ----------------------------------------------------------------------------------------


@apart()
def run_rule(node: Node, grads: Grads) -> tuple[Grads, set[int]]:
    """What the rule of `node` makes of `grads`: on copies, outside of any pass, without hooks.

    Args:
        grads: arrays, one per output; None where there is none.

    Returns:
        An array for each edge, of its operand's shape and dtype; None where there is none. And
        the edges whose gradient the engine summed over what was broadcast.

    Raises:
        FreedGraphError, StaleTensorError: as in a pass; and whatever a user's rule raises.
    """
    # A watched pass may be pausing: this is no part of it, and without a tracer.
    with setting(grad=False, inference=False, tracer=None), _on_copies(op_node(node)):
        copies = tuple([None if grad is None else grad.copy() for grad in grads])
        made = node.compute(copies, False)
        fitted = fit(node, made)
    pairs = zip(node.edges, fitted, strict=True)
    results = [None if edge is None or grad is None else _bare(grad) for edge, grad in pairs]
    each = enumerate(zip(made, results, strict=True))
    return tuple(results), {at for at, (own, x) in each if x is not None and own.shape != x.shape}


def _bare(grad: Any) -> Any:
    """A NumPy array of one's own: of an array of some backend, a NumPy scalar, or a Tensor."""
    grad = getattr(grad, "payload", grad)
    return np.array(grad if isinstance(grad, np.generic) else asnumpy(grad))


@contextmanager
def _on_copies(node: Any) -> Iterator[None]:
    """Have a user's rule read copies of what its node saved, and leave nothing on its ctx."""
    if not isinstance(node, BackwardCFunction):
        yield  # a built-in rule changes nothing
        return
    kept, own = (node.holders, node.versions), dict(vars(node))
    saved = [None if each is None else each.detach().clone() for each in unpack_all(node)]
    node.holders, node.versions = tuple(saved), None
    try:
        yield
    finally:
        node.holders, node.versions = kept
        vars(node).clear()
        vars(node).update(own)


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


@apart()
def compare(rerun: Rerun, grads: Grads, found: Grads) -> list[Verdict]:
    """Hold what a rule returned against differences of the forward.

    Args:
        rerun: the node's forward.
        grads: what the rule was given, by output.
        found: what it returned, by edge.

    Returns:
        A Verdict for each edge along which a gradient goes.
    """
    return [
        _Differences(rerun, grads, edge, gradient).verdict()
        for edge, gradient in enumerate(found)
        if gradient is not None and gradient.dtype.kind in "fc"
    ]


class _Differences:
    """Differences with respect to the operand at one edge.

    Attributes:
        rounding: the relative rounding of the forward.
        h: how far to go from the operand, in steps of `_scale`.
        most: along how many directions to look, if not at each element.
        here: s at the operand.
        size: how large its terms are: their rounding is what differences amplify.
    """

    size = 0.0

    def __init__(self, rerun: Rerun, grads: Grads, edge: int, gradient: Any) -> None:
        self.rerun, self.edge, self.gradient = rerun, edge, gradient
        self.grads, self.at = grads, rerun.position[edge]
        self.operands = [_precise(value) for value in rerun.operands]
        self.operand = np.asarray(self.operands[self.at])
        self.reads = None if self.at else rerun.reads
        self.random = get_rng_state()  # a forward that draws numbers is to draw the same each time
        self.rounding, times = 0.0, []
        for _ in range(2):  # one of them may be held up
            start = perf_counter()
            self.here = self._s(self.operand)
            times.append(perf_counter() - start)
        self.most = DIRECTIONS if min(times) < SLOW else 2 if min(times) < SLOWEST else 1
        self.h = max(1e-6, self.rounding ** (1 / 3) if self.rounding > 1e-12 else 0.0)

    def verdict(self) -> Verdict:
        is_slow = self.most < DIRECTIONS
        # A direction has all elements in it: of a slow forward two tell more than two elements.
        many = self.operand.size > (self.most if is_slow else FEW)
        looks = list(self._looks(many))
        judged = [look for look in looks if look is not None]
        place, rule, slope, far = max(judged, key=itemgetter(3), default=((), 0.0, 0.0, 0.0))
        along, kinks = "directions" if many else "elements", len(looks) - len(judged)
        return Verdict(
            self.edge, far <= 1, len(judged), along, kinks, place, rule, slope, many and is_slow
        )

    def _looks(self, many: bool) -> Iterator[Any]:
        """(place, what the rule says, what differences say, how far apart); None at a kink.

        Args:
            many: look along directions in which each element changes, not at each element; at a
                complex element along both of its parts.
        """
        operand, gradient = self.operand, self.gradient.astype(self.operand.dtype)
        count, units = operand.size, np.eye(operand.size)
        if many:
            count = self.most if count <= LARGE else 1
            units = np.random.default_rng(0).choice([-1.0, 1.0], (count, operand.size))
        parts = (1.0, 1j) if operand.dtype.kind == "c" and not many else (1.0,)
        for number, unit in enumerate(units.reshape(count, *operand.shape)):
            step = np.asarray(unit * _scale(operand), operand.dtype)
            slopes: list[Any] = [self._slope(part * step) for part in parts]
            if None in slopes:
                yield None
                continue
            terms = np.array([self._terms(part * step, gradient) for part in parts])
            length = 1.0 if many else float(step.sum().real)
            slope = np.dot(parts, slopes).item() / length
            rule = np.dot(parts, terms.sum(axis=1)).item() / length
            spread = float(np.abs(terms).sum()) / length  # the size of the terms in that sum
            place = (number,) if many else tuple(np.argwhere(unit)[0].tolist())
            size = np.finfo(self.gradient.dtype).dtype.itemsize
            allowed = TOLERANCE[min(size, 8)] * (1 + abs(slope) + spread * 1e-2)
            allowed += self._noise() / length
            far = abs(rule - slope) / allowed if np.isfinite(rule) else float("inf")
            yield place, rule, slope, far

    def _terms(self, step: Any, gradient: Any) -> Any:
        """What the rule says of each element along `step`, and of what moves with it."""
        moved = step if self.reads is None else self.reads(step)
        return np.where(moved != 0, (np.conj(moved) * gradient).real, 0).ravel()

    def _slope(self, step: Any) -> float | None:
        """The derivative of s along `step`; None at a kink, a jump, or nowhere."""
        operand, h = self.operand, self.h
        after, before = self._s(operand + h * step), self._s(operand - h * step)
        ahead, behind = (after - self.here) / h, (self.here - before) / h
        slope = (ahead + behind) / 2
        if not np.isfinite(slope) or self._differ(ahead, behind):
            return None
        if abs(slope) > 1e3:  # steep, or a jump: a jump is twice as steep over half the way
            half = h / 2 * step
            steeper = (self._s(operand + half) - self._s(operand - half)) / h
            if self._differ(slope, steeper):
                return None
        return slope

    def _differ(self, one: float, other: float) -> bool:
        """Whether two slopes of a smooth function could not be that far apart."""
        allowed = max(1e-3, self.h) * (1 + abs(one) + abs(other))
        return abs(one - other) > allowed + self._noise()

    def _noise(self) -> float:
        """How far rounding alone may move a slope."""
        return 64 * self.rounding * self.size / self.h

    def _s(self, operand: Any) -> float:
        values = list(self.operands)
        values[self.at] = np.asarray(operand)  # 0-d sums are NumPy scalars
        set_rng_state(self.random)
        total = self.size = 0.0
        for grad, out in zip(self.grads, self.rerun.forward(values), strict=False):
            if out.dtype.kind in "fc" and grad is not None:
                terms = (np.conj(grad) * out).real
                total += float(terms.sum())
                self.size += float(np.abs(terms).sum())
                self.rounding = max(self.rounding, float(np.finfo(out.dtype).eps))
        return total


def _scale(values: Any) -> Any:
    """How long a step is for a value: as long as the value itself, from 0.01 on; 1 from zero."""
    size = np.abs(values)
    return np.where((size == 0) | ~np.isfinite(size), 1.0, np.maximum(size, 0.01))


def _precise(value: Any) -> Any:
    """An operand in double precision; indices, conditions and Python's numbers as they are."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
        return value
    return value.astype(np.result_type(value.dtype, np.float64))
