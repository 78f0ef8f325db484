"""Breakpoints of a live session: where a pass stops by itself.

Most are about the node whose turn comes next; `hook=` is about the next hook, and `nan=` about what
has just been computed. All of them look at the pass as it stands and remember nothing, so that a
pass that was stepped back stops at them again.
"""

import difflib
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, RemovableHandle, ends
from glassgrad.core.graph import edge_of as _edge_of
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import HOOK_PHASES, Phase

from .describing import hooks_at, numbers, saved_by

if TYPE_CHECKING:
    from .paused import Paused

__all__ = [
    "Breakpoint",
    "at_goal",
    "at_norm",
    "at_tensor",
    "check_nan",
    "check_op",
    "find_node",
    "is_called",
    "knows",
    "make",
]


Makers = dict[str, Callable[[Any, Any], "Breakpoint"]]


class Breakpoint:
    """A place where a session stops. Made by `Session.break_at`.

    Attributes:
        why: what it stops at, in words.
        before: whether it stops before the node that comes next; asked with session and node.
        at_hook: whether it stops before the hook that comes next.
        after: whether it stops after the phase that was just done; in a pass of PyTorch's, after
            an event of its log.
        node: the one node that it stops at; None if it may be several.
    """

    def __init__(
        self,
        why: str,
        *,
        before: Callable[[Any, Any], bool] | None = None,
        at_hook: Callable[[Any], bool] | None = None,
        after: Callable[[Any, Any], bool] | None = None,
        node: Node | None = None,
    ) -> None:
        self.why, self.node = why, node
        self.before, self.at_hook, self.after = before, at_hook, after
        self._among: list[Breakpoint] | None = None

    def set_among(self, others: list["Breakpoint"]) -> Self:
        """Put it among the breakpoints of a session."""
        self._among = others
        others.append(self)
        return self

    def remove(self) -> None:
        """Take it away; doing so twice is harmless."""
        if self._among is not None and self in self._among:
            self._among.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<Breakpoint: {self.why}>"


def make(session: Any, conditions: dict[str, Any], makers: Makers | None = None) -> Breakpoint:
    """The breakpoint that `break_at(**conditions)` asks for, one condition in them.

    Args:
        session: a pass that is paused, of glassgrad or of PyTorch.
        conditions: by the name of the argument; None for those that were not given.
        makers: how each kind is made, if not for glassgrad's engine.

    Raises:
        ArgumentError: if there is not exactly one condition, or it can never be met.
        ArgumentTypeError: if a condition is of the wrong type.
    """
    given = {kind: what for kind, what in conditions.items() if what is not None}
    if len(given) != 1:
        names = ", ".join(given) or "nothing"
        raise ArgumentError(
            f"break_at() was given {names}. A breakpoint has one condition. Write one of node=, "
            "op=, tensor=, scope=, hook=, nan=True and norm=; several breakpoints may be set."
        )
    ((kind, what),) = given.items()
    return (_MAKERS if makers is None else makers)[kind](session, what)


# Before a node ----------------------------------------------------------------------------------


def at_goal(session: Any, goal: Any, why: str = "before") -> Breakpoint:
    """Before one node of a pass; `why` is what stands before its description."""
    why = f"{why} {session.describe(goal)}"
    return Breakpoint(why, before=lambda _, node: node is goal, node=goal)


def at_tensor(
    session: Any,
    what: Any,
    is_tensor: Callable[[Any], bool],
    find: Callable[[Any, Any], Any],
    find_named: Callable[[Any, str], Any],
) -> Breakpoint:
    """Where the gradient of a tensor has arrived.

    Args:
        session: a pass that is paused, of glassgrad or of PyTorch.
        what: the tensor, or its name.
        is_tensor: whether something is a tensor of that library.
        find, find_named: the node where the gradient of a tensor arrives, or of a name.
    """
    if isinstance(what, str):
        goal, label = find_named(session, what), repr(what)
    elif is_tensor(what):
        goal, label = find(session, what), "the tensor"
    else:
        raise ArgumentTypeError(
            f"break_at(tensor=…) takes a Tensor or its name, got {type(what).__name__}. The pass "
            "stops where the gradient of that tensor has arrived. Write `break_at(tensor=x)`."
        )
    return at_goal(session, goal, f"where the gradient of {label} has arrived, at")


def _at_node(session: "Paused", what: Any) -> Breakpoint:
    return at_goal(session, find_node(session, what))


def _at_op(session: "Paused", name: Any) -> Breakpoint:
    check_op(name, session.schedule)
    return Breakpoint(f"before each {name}", before=lambda _, node: is_called(node, name))


def _at_tensor(session: "Paused", what: Any) -> Breakpoint:
    return at_tensor(session, what, _is_tensor, find_node, _node_of_name)


def _is_tensor(what: Any) -> bool:
    return isinstance(what, Tensor)


def _at_scope(session: "Paused", name: Any) -> Breakpoint:
    if not isinstance(name, str):
        raise ArgumentTypeError(
            f"break_at(scope=…) takes a name, got {type(name).__name__}. Nodes know the names of "
            'the scopes they were made in. Write `break_at(scope="encoder")`.'
        )
    paths = {session.names.naming.scope(node) for node in session.schedule}
    if not any(is_inside(path, name) for path in paths):
        scopes = {".".join(path) for path in paths if path}
        raise ArgumentError(
            f"no node of this pass was made in a scope {name!r}; {knows('scope', scopes)}. Only "
            'calls of modules and `with gg.scope("…"):` make one. Compute the loss in it.'
        )
    return Breakpoint(f"on the way into scope {name!r}", before=_Entering(name))


class _Entering:
    """Whether the next node is the first one of a scope, in the order of the pass."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, session: "Paused", node: Node) -> bool:
        scope = session.names.naming.scope
        if not is_inside(scope(node), self.name):
            return False
        for earlier in reversed(session.schedule[: session.position]):
            if not isinstance(earlier, AccumulateGrad):  # leaves are made in no scope
                return not is_inside(scope(earlier), self.name)
        return True


def is_inside(names: tuple[str, ...], scope: str) -> bool:
    """Whether a node of these scopes is in `scope`: one name, or a path from the outermost on."""
    path = ".".join(names)
    return scope in names or path == scope or path.startswith(scope + ".")


def at_norm(_: Any, limit: Any) -> Breakpoint:
    """Before a gradient that is larger than `limit`: also in a pass of PyTorch."""
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 0:
        raise ArgumentError(
            f"break_at(norm=…) takes a number that is not negative, got {limit!r}. The pass stops "
            "before a node whose gradient has a larger 2-norm. Write `break_at(norm=1e3)`."
        )

    def is_large(session: "Paused", _node: Node) -> bool:
        return any(_norm(grad) > limit for grad in session._arriving() if grad is not None)

    return Breakpoint(f"before a gradient of norm over {limit:g} is used", before=is_large)


def _norm(grad: Any) -> float:
    wide = np.abs(numbers(grad)).astype(np.float64)
    top = float(wide.max(initial=0.0))  # squares of what is huge or tiny would leave the range
    return top * math.sqrt(float(((wide / top) ** 2).sum())) if 0.0 < top < math.inf else top


# Before a hook, and after a phase ---------------------------------------------------------------


def _at_hook(session: "Paused", hook: Any) -> Breakpoint:
    if isinstance(hook, RemovableHandle):
        hooks = hook._hooks()
        hook = None if hooks is None else hooks.get(hook.id)
    found = [kind for node in session.schedule for kind, known in hooks_at(node) if known == hook]
    if hook is None or not found:
        raise ArgumentError(
            "break_at(hook=…) was given what is no hook of this pass. It takes the function that "
            "was registered, or the handle. Register it first: `x.register_hook(hook)`."
        )
    name = getattr(hook, "__name__", "hook")
    return Breakpoint(f"before the hook {name}", at_hook=lambda session: _is_next(session, hook))


def _is_next(session: "Paused", hook: Any) -> bool:
    turn = session._task.turn
    if turn is None:
        return False
    kind, what = turn.upcoming
    return kind in HOOK_PHASES and bool(what[1] == hook)


def _at_nan(_: "Paused", wanted: Any) -> Breakpoint:
    check_nan(wanted)
    return Breakpoint("where nan or inf comes out of finite numbers", after=_spoils)


def check_nan(wanted: Any) -> None:
    """Raise if `break_at(nan=wanted)` says something else than True."""
    if wanted is not True:
        raise ArgumentError(
            f"break_at(nan=…) takes True, got {wanted!r}. The pass stops where the first nan or "
            "inf comes out of numbers that were finite. Leave it out for no such breakpoint."
        )


def _spoils(session: "Paused", phase: Phase) -> bool:
    if phase.kind == "ready":  # nothing made it but the caller, where a pass starts
        return session._starts_at(phase.node) and not _are_finite(phase.before)
    if phase.kind == "buffer":  # inf - inf
        return _are_finite(phase.after) and not _are_finite(session._waiting_at(phase.node))
    if phase.kind in ("pre_hook", "apply", "post_hook"):
        return not _are_finite(phase.after) and _are_finite(phase.before)
    return False


def _are_finite(grads: Iterable[Any]) -> bool:
    arrays = [numbers(grad) for grad in grads if grad is not None]
    return all(bool(np.isfinite(array).all()) for array in arrays if array.dtype.kind in "fc")


_MAKERS: Makers = {
    "node": _at_node,
    "op": _at_op,
    "tensor": _at_tensor,
    "scope": _at_scope,
    "hook": _at_hook,
    "nan": _at_nan,
    "norm": at_norm,
}


# Finding nodes ----------------------------------------------------------------------------------


def is_called(node: Node, name: str) -> bool:
    """Whether `name` is that of the node, "MulBackward0", or of its op, "Mul"."""
    return name in names_of(node)


def names_of(node: Node) -> tuple[str, str]:
    """What a node is called: "MulBackward0", and the name of its op, "Mul"."""
    return node.name(), node.op_name()


def check_op(
    name: Any,
    nodes: Iterable[Any],
    called: Callable[[Any], tuple[str, str]] = names_of,
) -> None:
    """Raise if no node is called `name`, by one of the names that `called` gives."""
    if not isinstance(name, str):
        raise ArgumentTypeError(
            f"the name of an op is a string, got {type(name).__name__}. Nodes are called as "
            '`grad_fn` shows them. Write "MulBackward0".'
        )
    pairs = {called(node) for node in nodes}
    alike = {name for pair in pairs for name in pair}
    if name not in alike:
        close = difflib.get_close_matches(name, sorted(alike), 1)
        hint = f"Did you mean {close[0]!r}?" if close else "`session.schedule` lists the nodes."
        raise ArgumentError(
            f"no node called {name!r} is part of this pass; {knows('op', {n for n, _ in pairs})}. "
            f"A pass goes through the nodes behind its roots only. {hint}"
        )


def find_node(session: "Paused", what: Any) -> Node:
    """The node of the pass that is meant: a node, its id "n3", an edge, or a tensor.

    For a tensor it is the node where the tensor's gradient arrives.
    """
    node: Any = what
    if isinstance(what, str):
        found = {name: node for node, name in session.names.node.items()}
        node = found.get(what)
    elif isinstance(what, GradientEdge):
        node = what.node
    elif isinstance(what, Tensor):
        edge = _edge_of(what)
        node = None if edge is None else ends(edge)[0]
    elif not isinstance(what, Node):
        raise ArgumentTypeError(
            f"a place in a pass is a node, its id or a tensor, got {type(what).__name__}. "
            'Gradients arrive at nodes. Pass `y.grad_fn`, "n3" or `y`.'
        )
    if node not in session.names.node:
        shown = repr(what) if isinstance(what, (str, Node)) else "that tensor"
        raise ArgumentError(
            f"{shown} is no part of this pass, which goes through {len(session.schedule)} nodes "
            "(n0 is the oldest). Only nodes behind its roots are visited. `session.schedule` "
            "lists them."
        )
    return node  # type: ignore[no-any-return]  # one of them


def _node_of_name(session: "Paused", name: str) -> Node:
    """The node where the gradient of the tensor called `name` arrives."""
    known = {label: node for label, node in _named(session) if label}
    if name not in known:
        raise ArgumentError(
            f"no tensor called {name!r} is known to this pass; {knows('tensor', set(known))}. "
            "Leaves, outputs and saved tensors are looked through. Set `x.name` before the "
            "session, or pass the tensor itself."
        )
    return known[name]


def _named(session: "Paused") -> Iterable[tuple[str | None, Node]]:
    """The tensors of a pass by name, each with the node where its gradient arrives."""
    for node in session.schedule:
        for _, what, _, _ in saved_by(node):
            edge = _edge_of(what) if isinstance(what, Tensor) else None
            if edge is not None and ends(edge)[0] in session.names.node:
                yield what.name, ends(edge)[0]
        for kept in () if node.cold is None else node.cold.retain.values():
            tensor = kept()
            if tensor is not None:
                yield tensor.name, node
    for tensor in session.outputs:
        edge = _edge_of(tensor)
        if edge is not None:
            yield tensor.name, ends(edge)[0]
    for leaf in session.names.leaves:
        yield session.names.naming.of(leaf.variable), leaf


def knows(noun: str, names: set[str]) -> str:
    """What there is instead, a few of it."""
    if not names:
        return f"it knows no {noun} by name"
    few = sorted(names)[:6]
    more = ", …" if len(names) > len(few) else ""
    return f"it knows the {noun}s {', '.join(map(repr, few))}{more}"
