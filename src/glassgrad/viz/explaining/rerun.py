"""The forward of a node once more: on the operands it saw, as far as they can still be known.

A node keeps what its rule needs and nothing else. Its operands are taken from what it saved, from
the leaves behind its edges, and from older nodes whose forward can be run again in turn. Where
nothing is left of an operand, a made-up one may stand in for it.

# Note [A made-up operand proves as much]
# A rule sees the gradient, what was saved, and what is on ctx. If the forward, run on some
# operands, saves the same and leaves the same on ctx, then the rule cannot tell those operands
# from the real ones, and must be right for them, too. So every rerun is compared with the record.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassgrad.core import state
from glassgrad.core.errors import GlassgradError
from glassgrad.core.function import BackwardCFunction
from glassgrad.core.graph import AccumulateGrad, Node, edge_of, ends
from glassgrad.core.saved import PrimitiveNode, operand_of, unpacked
from glassgrad.core.state import setting
from glassgrad.core.tensor import Tensor, wrap
from glassgrad.hooks.on_saved import Packed
from glassgrad.memory.saved import check_versions
from glassgrad.memory.views import AsStridedBackward0, CopySlices, _part, _with_part
from glassgrad.ops.generator import get_rng_state, set_rng_state
from glassgrad.values.backend import asnumpy
from glassgrad.values.calls import form_of

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
        made_up: the positions of operands that are not the recorded ones.
    """

    forward: Callable[[list[Any]], list[Any]]
    operands: list[Any]
    position: list[int]
    made_up: tuple[int, ...] = ()


def rerun_of(node: Node, given: Any = None) -> Rerun:
    """How to run the forward of `node` again.

    Args:
        given: the operands, if the caller knows them; None: find them.

    Raises:
        NotKnown: if they are not to be found, or do not lead to what the node saved.
    """
    random = get_rng_state()
    try:
        if isinstance(node, CopySlices):
            return _of_write(node, given)
        if isinstance(node, AsStridedBackward0):
            geometry = node.geometry
            base = _made_up(geometry.base_size, node.out_dtype)
            return Rerun(lambda values: [_part(values[0], geometry)], [base], [0], (0,))
        return _of_op(node, given)
    finally:
        set_rng_state(random)


def _of_write(node: CopySlices, given: Any) -> Rerun:
    """The write into a view, seen from the base: its part goes through the op, the rest stays."""
    if node.fn is None:
        raise NotKnown("what was written was let go of")
    inner, geometry = _of_op(node.fn, given), node.geometry
    at = inner.position[node.at]
    base = _with_part(
        _made_up(geometry.base_size, node.out_dtype), geometry, np.asarray(inner.operands[at])
    )

    def forward(values: list[Any]) -> list[Any]:
        operands = list(values)
        operands[at] = _part(values[at], geometry)
        (part,) = inner.forward(operands)
        return [_with_part(values[at], geometry, np.broadcast_to(part, geometry.size))]

    operands = [*inner.operands[:at], base, *inner.operands[at + 1 :]]
    return Rerun(forward, operands, inner.position, (*inner.made_up, at))


def _of_op(node: Node, given: Any) -> Rerun:
    op = _recorded(node)
    made_up: list[int] = []
    if given is None:
        operands, made_up = _found(op)
    else:
        operands = [op.taken(each) for each in given]
        if len(operands) != len(op.operands):
            raise NotKnown(f"{len(operands)} operands were given for {len(op.operands)}")
    try:
        with np.errstate(all="ignore"):
            differs = op.differs(operands)
    except Exception as error:  # whatever a user's forward raises
        raise NotKnown(f"its forward, run again, raises {type(error).__name__}") from error
    if differs:
        raise NotKnown(f"its forward, run again, does not lead to {differs} of the record")
    return Rerun(lambda values: op.run(values)[0], operands, list(op.edges), tuple(made_up))


# The op behind a node ----------------------------------------------------------------------------


class Recorded:
    """The op of a node, which runs on any operands, and what the node tells of its own.

    Attributes:
        operands: what it computed with, None where the node does not tell.
        names: what its forward calls the first of them.
        edges: the edge, or None, of each that is differentiated, by its position.
        left: what the forward left for the rule, in words: "the result", "ctx.dim".
    """

    operands: list[Any]
    names: tuple[str, ...]
    edges: dict[int, Any]
    left: dict[str, Any]

    def __init__(self, node: Any) -> None:
        if node._is_released():
            raise NotKnown("what it saved was freed")
        self.node, self.cls = node, node._forward_cls

    def taken(self, given: Any) -> Any:
        """An operand that the caller gives, as `run` takes it."""
        return asnumpy(given.payload) if isinstance(given, Tensor) else given

    def run(self, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The outputs for `values`, and what is left for the rule."""
        raise NotImplementedError

    def differs(self, values: list[Any]) -> str:
        """What of the record `values` do not lead to; empty if all is as recorded."""
        outputs, left = self.run(values)
        if [out.shape for out in outputs] != [tuple(m.shape) for m in self.node._input_metadata]:
            return "the shape of the output"
        both = [key for key in self.left if key in left]
        return next((key for key in both if not _alike(self.left[key], left[key])), "")


def _recorded(node: Node) -> Recorded:
    if isinstance(node, PrimitiveNode):
        return BuiltIn(node)
    if isinstance(node, BackwardCFunction):
        return Users(node)
    raise NotKnown(f"{node.name()} has no forward")


class BuiltIn(Recorded):
    """A built-in op; its parameters are on the node."""

    def __init__(self, node: PrimitiveNode) -> None:
        super().__init__(node)
        code, first = self.cls.forward.__code__, self.cls.differentiates.start or 0
        count, variables = code.co_argcount, code.co_varnames
        keywords = variables[count:][: code.co_kwonlyargcount]
        self.parameters = {key: getattr(node, key) for key in keywords if hasattr(node, key)}
        self.edges = dict(enumerate(node.edges, first))
        self.names = variables[:count]
        # One without an edge, such as an index, may have been kept by `setup_context`.
        beside = [getattr(node, name, None) for name in self.names]
        self.operands = [each if isinstance(each, np.ndarray) else None for each in beside]
        self.operands += [None] * (first + len(node.edges) - count)
        if code.co_flags & 0x04:  # *indices
            more = getattr(node, variables[count + code.co_kwonlyargcount], None)
            self.operands += more if isinstance(more, (tuple, list)) else ()
        saved = [array_of(node._entries[index]) for index in range(len(self.cls.saves))]
        for name, value in zip(self.cls.saves, saved, strict=True):
            if name != "result" and value is not None:
                at = operand_of(self.cls, name)
                self.operands += [None] * (at + 1 - len(self.operands))
                self.operands[at] = value
        self.left = self._left(saved, node)

    def _left(self, saved: list[Any], ctx: Any) -> dict[str, Any]:
        words = [
            "the result" if name == "result" else f"the saved {name}" for name in self.cls.saves
        ]
        return _left(zip(words, saved, strict=True), getattr(ctx, "__dict__", {}))

    def taken(self, given: Any) -> Any:
        return np.asarray(super().taken(given))  # numbers are 0-d arrays to a rule

    def run(self, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        anywhere = self.parameters | dict.fromkeys(self.cls.assumes, False)
        out = self.cls.forward(*[_copy(value) for value in values], **anywhere)
        outputs = [np.asarray(part) for part in (out if self.cls.multiple else (out,))]
        ctx: Any = None
        if self.cls.has_setup_context():
            ctx = object.__new__(type(self.node))
            ctx.edges, ctx.holders = self.node.edges, ()
            for name, value in self.parameters.items():
                setattr(ctx, name, value)
            output = tuple(outputs) if self.cls.multiple else outputs[0]
            self.cls.setup_context(ctx, tuple(values), output)
        saved = [
            outputs[0] if name == "result" else values[operand_of(self.cls, name)]
            for name in self.cls.saves
        ]
        return outputs, self._left(saved, ctx)


class Users(Recorded):
    """A user's Function, run on a ctx of its own."""

    def __init__(self, node: BackwardCFunction) -> None:
        super().__init__(node)
        self.forward, self.separate, _ = form_of(self.cls)
        is_tensor = node._is_tensor or (True,) * len(node.edges)
        positions = [at for at, each in enumerate(is_tensor) if each]
        self.edges = dict(zip(positions, node.edges, strict=True))
        code = self.forward.__code__
        self.names = code.co_varnames[: code.co_argcount][0 if self.separate else 1 :]
        own = {key: value for key, value in vars(node).items() if key not in _NOT_STATE}
        saved = [unpacked(node, kept) for kept in node.holders]
        self.left = self._left(saved, own)
        # What is no tensor may be on ctx under the name that forward gives it.
        named = [getattr(node, name, None) for name in self.names]
        named += [None] * (len(is_tensor) - len(named))
        self.operands = [None if each else named[at] for at, each in enumerate(is_tensor)]
        # Saved tensors that are operands: with the operand's edge, or in order without one.
        inputs = [x for x in saved if x is not None and not self._is_output(x)]
        without = iter([x for x in inputs if x.edge is None])
        for position, edge in self.edges.items():
            alike = without if edge is None else (x for x in inputs if edge_of(x) == edge)
            if (found := next(alike, None)) is not None:
                self.operands[position] = asnumpy(found.payload)

    def _is_output(self, tensor: Tensor) -> bool:
        edge = edge_of(tensor)
        return edge is not None and ends(edge)[0] is self.node

    def _left(self, saved: Iterable[Any], own: dict[str, Any]) -> dict[str, Any]:
        return _left([(f"saved_tensors[{at}]", each) for at, each in enumerate(saved)], own)

    def run(self, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        ctx: Any = object.__new__(type(self.node))
        BackwardCFunction.__init__(ctx)
        ctx.needs_input_grad = self.node.needs_input_grad
        args = [
            wrap(_copy(value)) if at in self.edges else value for at, value in enumerate(values)
        ]
        with setting(grad=False):
            if self.separate:
                out = self.forward(*args)
                self.cls.setup_context(ctx, tuple(args), out)
            else:
                out = self.forward(ctx, *args)
        parts = out if isinstance(out, tuple) else (out,)
        outputs = [asnumpy(part.payload) for part in parts if isinstance(part, Tensor)]
        return outputs, self._left(ctx.to_save, vars(ctx))


def _left(saved: Iterable[tuple[str, Any]], own: dict[str, Any]) -> dict[str, Any]:
    """What was saved, and what is on ctx besides."""
    found = {key: value for key, value in saved if value is not None}
    return found | {f"ctx.{key}": value for key, value in own.items()}


_NOT_STATE = {"to_save", "needs_input_grad", "_is_tensor", "_gradless", "dirty_tensors"}
_NOT_STATE |= {"non_differentiable", "saved_for_forward"}


# Its operands ------------------------------------------------------------------------------------


def _found(op: Recorded) -> tuple[list[Any], list[int]]:
    """All operands: told by the node, behind its edges, or else made up; and which are made up."""
    older = [
        ends(edge)[0]
        for position, edge in op.edges.items()
        if edge is not None and op.operands[position] is None
    ]
    operands = _with_known(op, _run_again(older))
    made_up = [position for position, operand in enumerate(operands) if operand is None]
    for position in made_up:
        operands[position] = _stand_in(op, position)
    return operands, made_up


def _stand_in(op: Recorded, position: int) -> Any:
    """An operand of the right shape (see Note [A made-up operand proves as much])."""
    if op.edges.get(position) is not None:
        older, nr = ends(op.edges[position])
        return _made_up(*older._input_metadata[nr])
    if position in op.edges and isinstance(op, BuiltIn) and op.cls.broadcasts:
        return _made_up(op.node.out_shape, op.node.out_dtype)  # a number or a tensor: all the same
    name = op.names[position] if position < len(op.names) else f"number {position}"
    raise NotKnown(f"nothing is left of operand {position}, {name}: give them all as `operands=`")


def _made_up(shape: Any, dtype: Any) -> Any:
    rng = np.random.default_rng(0)
    values = rng.uniform(0.5, 1.5, tuple(shape))
    if dtype is not None and dtype.kind == "c":
        values = values + 1j * rng.uniform(0.5, 1.5, tuple(shape))
    return np.asarray(values).astype(dtype or np.float64)


def _with_known(op: Recorded, older: dict[Node, list[Any] | None]) -> list[Any]:
    """The operands that the node tells, and those behind its edges as far as they are known.

    Args:
        older: the outputs of older nodes.
    """
    operands = list(op.operands)
    for position, edge in op.edges.items():
        if operands[position] is None and edge is not None:
            node, nr = ends(edge)
            is_leaf = isinstance(node, AccumulateGrad)
            outputs = _leaf(node, op.node) if is_leaf else older.get(node)
            if outputs is not None and nr < len(outputs):
                operands[position] = outputs[nr]
    return operands


def _run_again(nodes: list[Node]) -> dict[Node, list[Any] | None]:
    """The outputs of nodes, and of those that had to be run again before them."""
    found: dict[Node, list[Any] | None] = {}
    waiting = list(nodes)
    while waiting and len(found) <= MOST_OLDER_NODES:
        node = waiting.pop()
        if node not in found and isinstance(node, PrimitiveNode):
            found[node] = _saved_result(node)
            if found[node] is None and not node._is_released():
                waiting += [ends(edge)[0] for edge in node.edges if edge is not None]
    for node in sorted(found, key=lambda each: each.seq):  # operands before results
        if found[node] is None:
            found[node] = _outputs(node, found)
    return found


def _saved_result(node: PrimitiveNode) -> list[Any] | None:
    """The output of `node`, if it saved it and nobody has written it since."""
    if node._is_released() or node._result_at is None or is_packed(node):
        return None
    try:
        check_versions(node)
    except GlassgradError:
        return None
    return [array_of(node._entries[node._result_at])]


def _outputs(node: Any, older: dict[Node, list[Any] | None]) -> list[Any] | None:
    """The outputs of a node, given those of its predecessors."""
    if is_packed(node):
        return None  # a hook of the user's unpacks it, in the pass
    try:
        op = BuiltIn(node)
        operands = _with_known(op, older)
        if any(operand is None for operand in operands) or op.differs(operands):
            return None
        return op.run(operands)[0]
    except Exception:  # noqa: BLE001  # not to be had this way, for whatever reason
        return None


def _leaf(node: Any, user: Node) -> list[Any] | None:
    """The values of a leaf, unless it may have been written since `user` was recorded."""
    version = node.variable.cold and node.variable.cold.version
    if version and version.count and state.last_write > user.seq:
        return None
    return [asnumpy(node.variable.payload)]


# Arrays ------------------------------------------------------------------------------------------


def is_packed(node: Any) -> bool:
    """Whether hooks keep something that the node saved: theirs is the code that unpacks it."""
    if isinstance(node, CopySlices):
        return node.fn is not None and is_packed(node.fn)
    kept = getattr(node, "_all_kept", None)
    return kept is not None and any(isinstance(each, Packed) for each in kept())


def array_of(kept: Any) -> Any:
    """An array of what a node keeps: one, a Packed, or None."""
    if kept is None:
        return None
    return asnumpy(kept.array() if isinstance(kept, Packed) else kept)


def _copy(value: Any) -> Any:
    """A copy of an array, so that a forward may write into it."""
    return value.copy() if isinstance(value, np.ndarray) else value


def _alike(one: Any, other: Any) -> bool:
    """Whether two things that a forward left are the same, but for rounding."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        one, other = asnumpy(one.payload), asnumpy(other.payload)
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(_alike, one, other))
    if not isinstance(one, (np.ndarray, np.generic, int, float, complex)):
        return one is other or bool(type(one) is type(other) and one == other)
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    rough = 1e-12 if one.dtype.itemsize >= 8 and one.dtype != np.complex64 else 1e-5
    return bool(np.allclose(one, other, rtol=rough, atol=rough, equal_nan=True))
