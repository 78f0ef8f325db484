"""A node's own rule, run beside the pass, and held against differences of its own forward.

With ȳ the gradient of the output, a rule returns the gradient of s(x) = Σ Re(conj(ȳ)·f(x)). So s
is computed at x ± h, for each element of an operand, or along some directions if there are many.

For that the forward runs once more: on the operands it saw, as far as they can still be known. A
node keeps what its rule needs and nothing else. Its operands are taken from what it saved, from
the leaves behind its edges, and from older nodes whose forward can be run again in turn. Where
nothing is left of an operand, a made-up one may stand in for it.

# Note [A made-up operand proves as much]
# A rule sees the gradient, what was saved, and what is on ctx. If the forward, run on some
# operands, saves the same and leaves the same on ctx, then the rule cannot tell those operands
# from the real ones, and must be right for them, too. So every rerun is compared with the record.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import itemgetter
from time import perf_counter
from typing import Any

import numpy as np

from glassgrad.core import state
from glassgrad.core.engine import Grads, fit
from glassgrad.core.errors import GlassgradError
from glassgrad.core.function import BackwardCFunction, run_forward
from glassgrad.core.graph import AccumulateGrad, Node, edge_of, ends
from glassgrad.core.primitive import with_gradients
from glassgrad.core.saved import PrimitiveNode, operand_of
from glassgrad.core.state import Shape, setting
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.hooks.on_saved import Packed
from glassgrad.levels.duals import context_of
from glassgrad.memory.calls import form_of
from glassgrad.memory.saved import arrays_in, check_versions, names_of, places, unpack_all
from glassgrad.memory.views import AsStridedBackward0, CopySlices, _part, _with_part
from glassgrad.ops.generator import default_generator, fork
from glassgrad.values.backend import asnumpy
from glassgrad.values.tree import as_tuple

FEW = 64  # elements of an operand that are looked at one by one
DIRECTIONS = 4
SLOW, SLOWEST = 0.005, 0.5  # seconds that a forward takes; then along 2 directions, or along 1
LARGE = 100_000  # elements; along one direction then, for each takes a few forwards
TOLERANCE = {2: 3e-2, 4: 1e-3, 8: 1e-5}  # by bytes of a real number: of the rule's own rounding


# The forward once more ----------------------------------------------------------------------------


Outputs = dict[Node, list[Any] | None]  # of older nodes; None where they are not known

MOST_OLDER_NODES = 200  # run again to know the operands of one


class NotKnown(Exception):  # noqa: N818  # an answer, not an error
    """Why the forward of a node cannot be run again."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """A forward that can be run again.

    Args:
        forward: from operands to the list of outputs, arrays all.
        operands: what the op computed with; arrays, or what else a user's forward takes.
        position: for each edge of the node, its operand's position.
        reads: what the op reads of its first operand, a linear map; None: all of it.
        made_up: the positions of operands that are not the recorded ones.
    """

    forward: Callable[[list[Any]], list[Any]]
    operands: list[Any]
    position: list[int]
    made_up: Shape = ()
    reads: Callable[[Any], Any] | None = None


@contextmanager
def apart() -> Iterator[None]:
    """Apart from the program: its random numbers go on as if none were drawn, and nothing warns."""
    # Note [One line is not cut] of `core/state.py`
    with fork(), np.errstate(all="ignore"): yield  # noqa: E701  # fmt: skip


@apart()
def rerun_of(node: Node, given: Any = None) -> Rerun:
    """How to run the forward of `node` again.

    Args:
        given: the operands, if the caller knows them; None: find them.

    Raises:
        NotKnown: if they are not to be found, or do not lead to what the node saved.
    """
    if isinstance(node, CopySlices):
        return _of_write(node, given)
    if isinstance(node, AsStridedBackward0):
        geometry, (edge,) = node.geometry, node.edges
        base = _made_up_at(edge)
        return Rerun(lambda values: [_part(values[0], geometry)], [base], [0], (0,))
    return _of_op(node, given)


def _of_write(node: CopySlices, given: Any) -> Rerun:
    """The write into a view, seen from the base: its part goes through the op, the rest stays."""
    if node.fn is None:
        raise NotKnown("what was written was let go of")
    inner, geometry = _of_op(node.fn, given), node.geometry
    at = inner.position[node.at]
    base = _made_up(*node._input_metadata[0])  # written, it is what the node stands for
    base = _with_part(base, geometry, np.asarray(inner.operands[at]))

    def forward(values: list[Any]) -> list[Any]:
        operands = list(values)
        operands[at] = _part(values[at], geometry)
        (part,) = inner.forward(operands)
        return [_with_part(values[at], geometry, np.broadcast_to(part, operands[at].shape))]

    operands = [*inner.operands[:at], base, *inner.operands[at + 1 :]]
    return Rerun(forward, operands, inner.position, (*inner.made_up, at))


def _of_op(node: Node, given: Any) -> Rerun:
    if not isinstance(node, (PrimitiveNode, BackwardCFunction)):
        raise NotKnown(f"{node.name()} has no forward")
    op: Recorded = BuiltIn(node) if isinstance(node, PrimitiveNode) else Users(node)
    made_up: list[int] = []
    if given is None:
        made_up = _fill(op)
    elif len(given) != len(op.operands):
        raise NotKnown(f"{len(given)} operands were given for {len(op.operands)}")
    else:
        op.operands = [_values(x) for x in given]
    op.again()
    return Rerun(op.settled, op.operands, list(op.edges), tuple(made_up), op.reads)


# The op behind a node ----------------------------------------------------------------------------


class Recorded:
    """The op of a node, which runs on any operands, and what the node tells of its own.

    Attributes:
        edges: the edge, or None, of each operand that is differentiated, by its position.
        names: what its forward calls the first of its operands.
        reads: see `Rerun`.
        operands: what it computed with, None where the node does not tell.
    """

    operands: list[Any]
    reads: Callable[[Any], Any] | None = None

    def __init__(self, node: Any, names: list[str]) -> None:
        if node._is_released():
            raise NotKnown("what it saved was freed")
        self.node, self.cls, self.names = node, node._forward_cls, names
        self.edges = dict(zip(positions(node), node.edges, strict=True))

    def missing(self) -> list[tuple[int, Any]]:
        """The edges behind which there is an operand that the node does not tell, by position."""
        edges = self.edges.items()
        return [(at, edge) for at, edge in edges if edge is not None and self.operands[at] is None]

    def run(self, values: list[Any]) -> tuple[list[Any], Any]:
        """The outputs for `values`, and the ctx on which it left what the rule needs."""
        raise NotImplementedError

    def settled(self, values: list[Any]) -> list[Any]:
        """The outputs for `values`, as far as these settle them."""
        return self.run(values)[0]

    def again(self) -> list[Any]:
        """The outputs for `operands`.

        Raises:
            NotKnown: if it cannot be run, or these do not lead to what is recorded.
        """
        try:
            outputs, ctx = self.run(self.operands)
        except Exception as error:  # whatever a user's forward raises
            raise NotKnown(f"its forward, run again, raises {type(error).__name__}") from error
        left, recorded = _left_on(ctx), _left_on(self.node)
        differ = [key for key in recorded if key in left and not _alike(recorded[key], left[key])]
        if [out.shape for out in outputs] != [tuple(m.shape) for m in self.node._input_metadata]:
            differ = ["the shape of the output"]
        if differ:
            raise NotKnown(f"its forward, run again, does not lead to {differ[0]} of the record")
        return outputs


def positions(node: Any) -> list[int]:
    """By edge, the position of its operand."""
    if isinstance(node, PrimitiveNode):
        first = node._forward_cls.differentiates.start or 0
        return list(range(first, first + len(node.edges)))
    is_tensor = node._is_tensor or (True,) * len(node.edges)
    return [at for at, each in enumerate(is_tensor) if each]


class BuiltIn(Recorded):
    """A built-in op; its parameters are on the node."""

    def __init__(self, node: PrimitiveNode) -> None:
        cls = node._forward_cls
        spec = inspect.getfullargspec(cls.forward)
        super().__init__(node, spec.args)
        named = spec.kwonlyargs
        self.parameters = {name: getattr(node, name) for name in named if hasattr(node, name)}
        if hasattr(cls, "taken_for"):  # see Decomposition
            self.reads = functools.partial(cls.taken_for, **self.parameters)
        # One without an edge, such as an index, may have been kept by `setup_context`.
        kept = [getattr(node, name, None) for name in spec.args]
        known = {at: value for at, value in enumerate(kept) if isinstance(value, np.ndarray)}
        if spec.varargs:  # *indices
            known |= enumerate(getattr(node, spec.varargs, ()), len(spec.args))
        for name, array in zip(cls.saves, map(array_of, node._entries), strict=True):
            if name != "result" and array is not None:
                known[operand_of(cls, name)] = array
        count = max(len(spec.args), *[at + 1 for at in (*self.edges, *known)])
        self.operands = [known.get(at) for at in range(count)]

    def run(self, values: list[Any]) -> tuple[list[Any], Any]:
        cls, values = self.cls, [np.asarray(value) for value in values]
        for name, made_such in cls.assumes.items():
            values[0] = made_such(values[0]) if self.parameters[name] else values[0]
        out = cls.forward(*[value.copy() for value in values], **self.parameters)
        output = tuple(map(np.asarray, out)) if cls.multiple else np.asarray(out)
        outputs = with_gradients(cls, output)
        node, given = self.node, tuple(values)
        kind = type("Context", (type(node),), {})  # with room for the call
        return outputs, context_of(kind, given, output, node.edges, self.parameters)

    def settled(self, values: list[Any]) -> list[Any]:
        outputs = super().settled(values)
        settles = getattr(self.cls, "settles", None)
        return outputs if settles is None else list(settles(*outputs, **self.parameters))


class Users(Recorded):
    """A user's Function, run on a ctx of its own."""

    def __init__(self, node: BackwardCFunction) -> None:
        forward, is_separate, _ = self.form = form_of(node._forward_cls)
        super().__init__(node, inspect.getfullargspec(forward).args[0 if is_separate else 1 :])
        # What is no tensor may be on ctx under the name that forward gives it.
        named = {at: name for at, name in enumerate(self.names) if at not in self.edges}
        count = len(node._is_tensor or node.edges)
        self.operands = [getattr(node, named.get(at, ""), None) for at in range(count)]
        # Saved tensors that are operands: with the operand's edge, or in order without one.
        saved: dict[Any, list[Tensor]] = {}
        for x in unpack_all(node):
            if x is not None and x.grad_fn is not node:
                saved.setdefault(edge_of(x), []).append(x)
        for position, edge in self.edges.items():
            if alike := saved.get(edge):
                self.operands[position] = _values(alike[0] if edge else alike.pop(0))

    def run(self, values: list[Any]) -> tuple[list[Any], Any]:
        args = [
            wrap(value.copy(), self.edges[at]) if at in self.edges else value
            for at, value in enumerate(values)
        ]
        ctx, out, _ = run_forward(self.cls, tuple(args), *self.form[:2])
        ctx.holders = ctx.to_save
        parts = as_tuple(out)
        return [_values(part) for part in parts if isinstance(part, Tensor)], ctx


def _left_on(node: Any) -> dict[str, Any]:
    """What a forward left on its node for the rule, in words: "the result", "ctx.dim"."""
    found: dict[str, Any] = {}
    for name, kept in zip(names_of(node), node._entries, strict=True):
        words = name if node._is_users else f"the saved {name}"
        if kept is not None:
            found["the result" if name == "result" else words] = array_of(kept)
    own = getattr(node, "__dict__", {}).items()
    hidden = () if node._is_users else ("_level", "_recorded")
    return found | {f"ctx.{key}": x for key, x in own if key not in (*_NOT_STATE, *hidden)}


_NOT_STATE = vars(BackwardCFunction)  # what every ctx has


# Its operands ------------------------------------------------------------------------------------


def _fill(op: Recorded) -> list[int]:
    """Find the operands that the node does not tell, or make them up; returns which are made up."""
    _look_behind(op, _run_again(op))
    made_up = [at for at, operand in enumerate(op.operands) if operand is None]
    for at in made_up:
        op.operands[at] = _stand_in(op, at)
    return made_up


def _stand_in(op: Recorded, position: int) -> Any:
    """An operand of the right shape (see Note [A made-up operand proves as much])."""
    if op.edges.get(position) is not None:
        return _made_up_at(op.edges[position])
    if position in op.edges and isinstance(op, BuiltIn) and op.cls.broadcasts:
        return _made_up(op.node.out_shape, op.node.out_dtype)  # a number or a tensor: all the same
    name = op.names[position] if position < len(op.names) else f"number {position + 1}"
    which = f"operand {position + 1}, {name}"
    raise NotKnown(f"nothing is left of {which}: give them all as `operands=`")


def _made_up_at(edge: Any) -> Any:
    """Made-up values for the tensor whose gradient arrives at the end of an edge."""
    node, nr = ends(edge)
    return _made_up(*node._input_metadata[nr])


def _made_up(shape: Any, dtype: Any) -> Any:
    values, imaginary = np.random.default_rng(0).uniform(0.5, 1.5, (2, *shape))
    if dtype is not None and dtype.kind == "c":
        values = values + 1j * imaginary
    return np.asarray(values, dtype or np.float64)


def _look_behind(op: Recorded, older: Outputs) -> None:
    """Take the operands that are missing from the leaves and the outputs of older nodes."""
    for position, edge in op.missing():
        node, nr = ends(edge)
        outputs: Any = older.get(node)
        if isinstance(node, AccumulateGrad):
            # It may have been written since the node was recorded.
            is_stale = node.variable._version and state.last_write > op.node.seq
            outputs = None if is_stale else [_values(node.variable)]
        if outputs is not None and nr < len(outputs):
            op.operands[position] = outputs[nr]


def _run_again(op: Recorded) -> Outputs:
    """The outputs of the nodes behind `op`, and of those that had to be run again before them."""
    found: Outputs = {}
    waiting = [ends(edge)[0] for _, edge in op.missing()]
    for node in waiting:  # which grows meanwhile
        is_known = node in found or len(found) > MOST_OLDER_NODES
        # What hooks have packed, they unpack in the pass.
        if (
            is_known
            or not isinstance(node, PrimitiveNode)
            or node._is_released()
            or is_packed(node)
        ):
            continue
        found[node] = _saved_result(node)
        if found[node] is None:
            waiting += [ends(edge)[0] for edge in node.edges if edge is not None]
    for node in sorted(found, key=lambda each: each.seq):  # operands before results
        if found[node] is None:
            found[node] = _outputs(node, found)
    return found


@apart()
def outputs_of_nodes(nodes: Iterable[Node]) -> dict[Node, Any]:
    """The first outputs of nodes, as far as they can be known: nothing is run that need not be.

    An op saved it, or one that read it did; or it is run again on what is known.
    """
    plain_ones = [
        node
        for node in sorted(nodes, key=lambda each: each.seq)
        if isinstance(node, PrimitiveNode) and not node._is_released() and not is_packed(node)
    ]
    found: Outputs = {node: _saved_result(node) for node in plain_ones}
    for node in plain_ones:
        with suppress(Exception):  # it tells nothing of its operands
            check_versions(node)
            op = BuiltIn(node)
            for at, edge in op.edges.items():
                if edge is None or op.operands[at] is None or op.reads is not None:
                    continue
                older, nr = ends(edge)
                if nr == 0 and not isinstance(older, AccumulateGrad) and not found.get(older):
                    found[older] = [op.operands[at]]
    for node in plain_ones:  # operands before results
        if found[node] is None:
            found[node] = _outputs(node, found)
    return {node: outputs[0] for node, outputs in found.items() if outputs}


def _saved_result(node: PrimitiveNode) -> list[Any] | None:
    """The output of `node`, if it saved it and nobody has written it since."""
    with suppress(GlassgradError):
        check_versions(node)
        if node._result_at is not None:
            return [array_of(node._entries[node._result_at])]
    return None


def _outputs(node: Any, older: Outputs) -> list[Any] | None:
    """The outputs of a node, given those of its predecessors."""
    with suppress(Exception):  # not to be had this way, for whatever reason
        op = BuiltIn(node)
        _look_behind(op, older)
        if not any(operand is None for operand in op.operands):
            return op.again()
    return None


# Arrays ------------------------------------------------------------------------------------------


def op_node(node: Any) -> Any:
    """The node of the op: of a write into a view that of what was written, None if let go of."""
    return node.fn if isinstance(node, CopySlices) else node


def is_packed(node: Any) -> bool:
    """Whether hooks keep something that the node saved: theirs is the code that unpacks it."""
    return any(isinstance(kept, Packed) for _, kept, *_ in places(op_node(node)))


def array_of(kept: Any) -> Any:
    """An array of what a node keeps; None for nothing."""
    arrays = [kept.array()] if isinstance(kept, Packed) else arrays_in(kept)
    return asnumpy(arrays[0]) if arrays else None


def _values(of: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    return asnumpy(of.payload) if isinstance(of, Tensor) else of


def _alike(one: Any, other: Any) -> bool:
    """Whether two things that a forward left are the same, but for rounding."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(_alike, one, other))
    one, other = np.asarray(_values(one)), np.asarray(_values(other))  # also of an object
    if one.shape != other.shape or one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    rough = 1e-12 if np.finfo(one.dtype).eps < 1e-12 else 1e-5
    return bool(np.allclose(one, other, rtol=rough, atol=rough, equal_nan=True))


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


class _on_copies(setting):  # noqa: N801  # reads as a statement
    """A user's rule reads copies of what its node saved, and leaves nothing on its ctx."""

    node: Any = None

    def __init__(self, node: Any) -> None:
        super().__init__()
        if isinstance(node, BackwardCFunction):  # a built-in rule changes nothing
            self.kept = (node.holders, node.versions), dict(vars(node))
            self.node = node

    def __enter__(self) -> None:
        if self.node:
            saved = [None if x is None else x.detach().clone() for x in unpack_all(self.node)]
            self.node.holders, self.node.versions = tuple(saved), None

    def leave(self) -> None:
        if self.node:
            (self.node.holders, self.node.versions), own = self.kept
            vars(self.node).clear()
            vars(self.node).update(own)
        super().leave()


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
        # A forward that draws numbers is to draw the same each time.
        self.random = default_generator.source.bit_generator.state
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
        default_generator.source.bit_generator.state = self.random
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
