"""Changes by hand at a pause: another gradient, another saved tensor."""

from typing import TYPE_CHECKING, Any

from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GradientError
from glassgrad.core.graph import GradientEdge, Node, edge_of, ends
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.on_saved import Unpacking
from glassgrad.memory.views import CopySlices

from .breakpoints import find_node
from .describing import saved_by

if TYPE_CHECKING:
    from .paused import Paused

__all__ = ["set_gradient", "set_saved"]

_BEFORE_THE_RULE = ("capture", "pre_hook", "apply", "accumulate", "pass_by")


def set_gradient(session: "Paused", at: Any, value: Any) -> None:
    """What `Session.set_gradient` does."""
    node, nr = _place(session, at)
    have = session._waiting_at(node)
    label = session.describe(node)
    turn = session._task.turn
    is_begun = turn is not None and turn.node is node
    used = is_begun and turn is not None and turn.upcoming[0] not in _BEFORE_THE_RULE
    if used or session._rank(node) < session.position:
        raise GradientError(
            f"the gradient at {label} has been used: the node has run. What is changed now would "
            "go nowhere. Step back first, or change the gradient of a node in `queue`."
        )
    if len(have) > 1 and isinstance(at, (Node, str)):
        raise GradientError(
            f"{label} has {len(have)} outputs, each with a gradient of its own, and none was "
            "named. A gradient belongs to one tensor. Pass the tensor, or GradientEdge(node, nr)."
        )
    if have[nr] is None:
        raise GradientError(
            f"can't replace a None gradient with a non-None value: none has arrived at {label}. "
            "The nodes that send it will add theirs later. Go on until it is in `queue`."
        )
    _check(value, have[nr].shape, have[nr].dtype, f"the gradient at {label}")
    new = value if session._task.on_tensors else value.payload
    if is_begun and turn is not None:
        session._journal.note_turn()
        turn.grads = (*have[:nr], new, *have[nr + 1 :])
        return
    session._journal.note_buffers([node])
    waiting = session._task.buffers[node]
    if type(waiting) is list:
        waiting[nr] = new
    else:
        session._task.buffers[node] = new


def _place(session: "Paused", at: Any) -> tuple[Node, int]:
    """The node that is meant, and which of its outputs."""
    node, nr = find_node(session, at), 0
    if isinstance(at, GradientEdge):
        nr = at.output_nr
    elif isinstance(at, Tensor):
        edge = edge_of(at)
        nr = 0 if edge is None else ends(edge)[1]
    return node, nr


def set_saved(session: "Paused", at: Any, name: str, value: Any) -> None:
    """What `Session.set_saved` does."""
    node: Any = find_node(session, at)
    label = session.describe(node)
    found = {known: what for known, what, _, _ in saved_by(node)}
    if name not in found:
        known = ", ".join(map(repr, found)) or "nothing (any more)"
        raise ArgumentError(
            f"{label} has saved no {name!r}; it holds {known}. Only what a node holds can be "
            "replaced. `session.saved_of(node)` lists it."
        )
    _check(value, found[name].shape, found[name].dtype, f"{name!r} of {label}")
    session._journal.note_node(node)
    holder: Any = node.fn if isinstance(node, CopySlices) else node
    if isinstance(holder, PrimitiveNode):
        _replace_in_primitive(holder, name, value)
    else:
        index = int(name.removeprefix("saved_tensors[").removesuffix("]"))
        kept = list(holder.holders)
        kept[index] = value.detach().clone()
        holder.holders = tuple(kept)


def _replace_in_primitive(node: Any, name: str, value: Tensor) -> None:
    """Built-in rules read arrays, which have no version of their own any more then."""
    index = node._saved_names.index(name)
    values, holders = node._all_kept(), list(node.holders)
    values[index], holders[index] = value.payload.copy(), None
    packed = type(node.saved_tensors) is Unpacking
    node.saved_tensors = (
        Unpacking(tuple(values), node.saved_tensors.order) if packed else tuple(values)
    )
    node.holders = tuple(holders)
    node.versions = {at: known for at, known in (node.versions or {}).items() if at != index}


def _check(value: Any, shape: Any, dtype: Any, what: str) -> None:
    """Raise unless `value` may stand in for something of that shape and dtype."""
    if not isinstance(value, Tensor):
        raise ArgumentTypeError(
            f"{what} is to be replaced by a {type(value).__name__}. The pass goes on with "
            "tensors. Write `glassgrad.tensor(value, dtype=…)`."
        )
    if tuple(value.shape) != tuple(shape):
        raise GradientError(
            f"{what} has the shape {tuple(shape)}, and the new value {tuple(value.shape)}. The "
            "rules that use it were chosen for the old one. Write `value.reshape(…)`, or expand it."
        )
    if value.dtype != dtype:
        raise GradientError(
            f"{what} is {dtype}, and the new value {value.dtype}. A gradient has its tensor's "
            f"dtype. Write `value.to(glassgrad.{dtype})`."
        )
