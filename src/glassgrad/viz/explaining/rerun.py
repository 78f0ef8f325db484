"""The forward of a node once more: on the operands it saw, as far as they can still be known.

A node keeps what its rule needs and nothing else. Its operands are taken from what it saved, from
the leaves behind its edges, and from older nodes whose forward can be run again in turn. Where
nothing is left of an operand, a made-up one may stand in for it.

# Note [A made-up operand proves as much]
# A rule sees the gradient, what was saved, and what is on ctx. If the forward, run on some
# operands, saves the same and leaves the same on ctx, then the rule cannot tell those operands
# from the real ones, and must be right for them, too. So every rerun is compared with the record.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassgrad.core import state
from glassgrad.core.errors import GlassgradError
from glassgrad.core.graph import AccumulateGrad, Node, ends
from glassgrad.core.saved import PrimitiveNode
from glassgrad.memory.views import AsStridedBackward0, CopySlices, _part, _with_part
from glassgrad.ops.generator import get_rng_state, set_rng_state
from glassgrad.values.backend import asnumpy

from .blanks import Blank, NotKnown, PrimitiveBlank, array_of, blank_of, is_packed

__all__ = ["NotKnown", "Rerun", "rerun_of"]

MOST_OLDER_NODES = 200  # run again to know the operands of one


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
        return _fill(blank_of(node), given)
    finally:
        set_rng_state(random)


def _of_write(node: CopySlices, given: Any) -> Rerun:
    """The write into a view, seen from the base: its part goes through the op, the rest stays."""
    if node.fn is None:
        raise NotKnown("what was written was let go of")
    inner, geometry = _fill(blank_of(node.fn), given), node.geometry
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


# Filling in the operands -------------------------------------------------------------------------


def _fill(blank: Blank, given: Any) -> Rerun:
    """All operands: given, told by the node, by its edges, or else made up."""
    if given is not None:
        made_up: list[int] = []
        operands = [blank.taken(x) for x in given]
        if len(operands) != len(blank.operands):
            raise NotKnown(f"{len(operands)} operands were given for {len(blank.operands)}")
    else:
        operands, made_up = _found(blank)
    try:
        with np.errstate(all="ignore"):
            differs = blank.differs(operands)
    except Exception as error:  # whatever a user's forward raises
        raise NotKnown(f"its forward, run again, raises {type(error).__name__}") from error
    if differs:
        raise NotKnown(f"its forward, run again, does not lead to {differs} of the record")
    return Rerun(blank.run, operands, blank.position, tuple(made_up))


def _found(blank: Blank) -> tuple[list[Any], list[int]]:
    operands, made_up = list(blank.operands), []
    edge_at = dict(zip(blank.position, blank.node.edges, strict=True))
    for position, operand in enumerate(operands):
        if operand is not None:
            continue
        edge = edge_at.get(position)
        operands[position] = None if edge is None else value_at(edge, blank.node)
        if operands[position] is None:
            operands[position] = _stand_in(blank, position, edge)
            made_up.append(position)
    return operands, made_up


def _stand_in(blank: Blank, position: int, edge: Any) -> Any:
    """An operand of the right shape (see Note [A made-up operand proves as much])."""
    node = blank.node
    if edge is not None:
        older, nr = ends(edge)
        return _made_up(*older._input_metadata[nr])
    if position in blank.position and isinstance(node, PrimitiveNode) and blank.cls.broadcasts:
        return _made_up(node.out_shape, node.out_dtype)  # a number or a tensor: all the same
    name = blank.names[position]
    raise NotKnown(f"nothing is left of operand {position}, {name}: give them all as `operands=`")


def _made_up(shape: Any, dtype: Any) -> Any:
    rng = np.random.default_rng(0)
    values = rng.uniform(0.5, 1.5, tuple(shape))
    if dtype is not None and dtype.kind == "c":
        values = values + 1j * rng.uniform(0.5, 1.5, tuple(shape))
    return np.asarray(values).astype(dtype or np.float64)


# What lies behind an edge ------------------------------------------------------------------------


def value_at(edge: Any, user: Node) -> Any:
    """The tensor whose gradient goes along `edge` of `user`, as an array; None if not known."""
    start, nr = ends(edge)
    found: dict[Node, list[Any] | None] = {}
    waiting = _older_nodes(start)
    for node in sorted(waiting, key=lambda each: each.seq):  # operands before results
        found[node] = _outputs(node, found)
    outputs = _leaf(start, user) if isinstance(start, AccumulateGrad) else found.get(start)
    return None if outputs is None or nr >= len(outputs) else outputs[nr]


def _older_nodes(start: Node) -> list[Node]:
    """`start` and what has to be run again before it."""
    seen: dict[Node, None] = {}
    waiting = [start]
    while waiting and len(seen) <= MOST_OLDER_NODES:
        node = waiting.pop()
        if node in seen or not isinstance(node, PrimitiveNode):
            continue
        seen[node] = None
        if _saved_result(node) is None and not node._is_released():
            waiting += [ends(edge)[0] for edge in node.edges if edge is not None]
    return list(seen)


def _saved_result(node: PrimitiveNode) -> Any:
    """The output of `node`, if it saved it and nobody has written it since."""
    if node._is_released() or node._result_at is None or is_packed(node):
        return None
    try:
        node.check_versions()
    except GlassgradError:
        return None
    return array_of(node._kept(node._result_at))


def _outputs(node: Any, found: dict[Node, list[Any] | None]) -> list[Any] | None:
    """The outputs of an older node, given those of its predecessors."""
    result = _saved_result(node)
    if result is not None:
        return [result]
    if is_packed(node):
        return None  # a hook of the user's unpacks it, in the pass
    try:
        blank = PrimitiveBlank(node)
        operands = list(blank.operands)
        for position, edge in zip(blank.position, node.edges, strict=True):
            if operands[position] is None and edge is not None:
                older, nr = ends(edge)
                is_leaf = isinstance(older, AccumulateGrad)
                known = _leaf(older, node) if is_leaf else found.get(older)
                operands[position] = None if known is None else known[nr]
        if any(operand is None for operand in operands) or blank.differs(operands):
            return None
        return blank.run(operands)
    except Exception:  # noqa: BLE001  # not to be had this way, for whatever reason
        return None


def _leaf(node: Any, user: Node) -> list[Any] | None:
    """The values of a leaf, unless it may have been written since `user` was recorded."""
    version = node.variable.cold and node.variable.cold.version
    if version and version.count and state.last_write > user.seq:
        return None
    return [asnumpy(node.variable.payload)]
