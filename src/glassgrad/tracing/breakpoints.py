"""Breakpoints of a live session: where a pass stops by itself.

Most are about the node whose turn comes next; `hook=` is about the next hook, and `nan=` about what
has just been logged. All of them look at the pass as it stands and remember nothing, so that a
pass that was stepped back stops at them again.
"""

import difflib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from glassgrad._words import LONGEST, plain
from glassgrad.autograd.scopes import Path
from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.core.graph import GradientEdge, Node
from glassgrad.core.state import Block
from glassgrad.hooks.on_gradients import RemovableHandle
from glassgrad.hooks.turn import HOOK_PHASES
from glassgrad.ops import _checks as check

from .graph import Entry, is_leaf, name_of, names_of
from .summary import ArrayId, measured, numbers

if TYPE_CHECKING:
    from .paused import Paused


Makers = dict[str, Callable[[Any, Any], "Breakpoint"]]


@dataclass(eq=False, repr=False, slots=True)
class Breakpoint(Block):
    """A place where a session stops. Made by `Session.break_at`.

    Attributes:
        why: what it stops at, in words.
        before: whether it stops before the node that comes next; asked with session and node.
        at_hook: whether it stops before the hook that comes next.
        after: whether it stops after an event of the log.
        node: the one node that it stops at; None if it may be several.
        among: the breakpoints of the session.
    """

    why: str
    before: Callable[[Any, Any], bool] | None = None
    at_hook: Callable[[Any], bool] | None = None
    after: Callable[[Any, Any], bool] | None = None
    node: Any = None
    among: "list[Breakpoint]" = field(default_factory=list)

    def remove(self) -> None:
        """Take it away; doing so twice is harmless."""
        if self in self.among:
            self.among.remove(self)

    def begin(self) -> Self:
        """It is set already."""
        return self

    def leave(self) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<Breakpoint: {self.why}>"


# Before a node ----------------------------------------------------------------------------------


def _at_goal(session: "Paused", goal: Any, why: str = "before") -> Breakpoint:
    """Before one node of a pass; `why` is what stands before its description."""
    why = f"{why} {session.describe(goal)}"
    return Breakpoint(why, before=lambda _, node: node is goal, node=goal)


def _at_node(session: "Paused", what: Any) -> Breakpoint:
    return _at_goal(session, find_node(session, what))


def _at_op(session: "Paused", name: Any) -> Breakpoint:
    check_op(name, session.schedule)
    return Breakpoint(
        f"before each {plain(name, LONGEST)}", before=lambda _, node: is_called(node, name)
    )


def _at_tensor(session: "Paused", what: Any) -> Breakpoint:
    if isinstance(what, str):
        goal, label = _node_of_name(session, what), repr(what)
    elif session.names.is_tensor(what) or isinstance(what, GradientEdge):
        goal, label = find_node(session, what), "the tensor"
    else:
        raise ArgumentTypeError(
            f"break_at(tensor=…) takes a Tensor or its name, got {type(what).__name__}. The pass "
            "stops where the gradient of that tensor has arrived. Write `break_at(tensor=x)`."
        )
    return _at_goal(session, goal, f"where the gradient of {label} has arrived, at")


def _at_scope(session: "Paused", name: Any) -> Breakpoint:
    why = 'Nodes know the names of their scopes. Write `break_at(scope="encoder")`.'
    check.kind("break_at(scope=…) takes a name, got", name, str, why)
    paths = {session.names.scope(node) for node in session.schedule}
    if not any(is_inside(path, name) for path in paths):
        scopes = {".".join(path) for path in paths if path}
        raise ArgumentError(
            f"no node of this pass was made in a scope {name!r}; {_knows('scope', scopes)}. Only "
            'calls of modules and `with gg.scope("…"):` make one. Compute the loss in it.'
        )

    def is_entered(session: "Paused", node: Node) -> bool:
        """Whether a node is the first one of the scope, in the order of the pass."""
        before = reversed(session.schedule[: session.position])
        earlier = next((each for each in before if not is_leaf(each)), None)  # made in no scope
        is_new = earlier is None or not is_inside(session.names.scope(earlier), name)
        return is_new and is_inside(session.names.scope(node), name)

    return Breakpoint(f"on the way into scope {name!r}", before=is_entered)


def is_inside(names: Path, scope: str) -> bool:
    """Whether a node of these scopes is in `scope`: one name, or a path from the outermost on."""
    path = ".".join(names)
    return scope in names or path == scope or path.startswith(scope + ".")


def _at_norm(_: Any, limit: Any) -> Breakpoint:
    """Before a gradient that is larger than `limit`: also in a pass of PyTorch."""
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 0:
        raise ArgumentError(
            f"break_at(norm=…) takes a number that is not negative, got {limit!r}. The pass stops "
            "before a node whose gradient has a larger 2-norm. Write `break_at(norm=1e3)`."
        )

    def is_large(session: "Paused", _node: Node) -> bool:
        found = _measures(session)
        return any(not nans and (infs or norm > limit) for norm, nans, infs in found)

    return Breakpoint(f"before a gradient of norm over {limit:g} is used", before=is_large)


def _measures(session: "Paused") -> list[tuple[Any, int, int]]:
    """Of the gradients at the current node: the norm, how many elements are nan, and inf."""
    grads = [grad for grad in session._arriving() if grad is not None]
    return [measured(numbers(grad))[2:] for grad in grads]


# Before a hook -------------------------------------------------------------------------------


def _at_hook(session: "Paused", hook: Any) -> Breakpoint:
    if isinstance(hook, RemovableHandle):
        hooks = hook._hooks()
        hook = None if hooks is None else hooks.get(hook.id)
        hook = hook[1] if isinstance(hook, tuple) else hook  # of a step
    rows = [row for node in session.schedule for row in session.names.hooks_at(node)]
    if isinstance(hook, str):
        hook = next((row.hook for row in rows if hook in (row.id, row.name)), None)
    if hook is None or hook not in [row.hook for row in rows]:
        raise ArgumentError(
            "break_at(hook=…) was given what is no hook of this pass; "
            f"{_knows('hook', {row.name for row in rows})}. It takes the function that was "
            "registered, or the handle. Register it first: `x.register_hook(hook)`."
        )
    return Breakpoint(
        f"before the hook {plain(name_of(hook), LONGEST)}",
        at_hook=lambda session: _is_next(session, hook),
    )


def _is_next(session: Any, hook: Any) -> bool:
    turn = session._task.turn
    if turn is None:
        return False
    kind, what = turn.upcoming
    return kind in HOOK_PHASES and bool(what[1] == hook)


# Where nan or inf comes from ---------------------------------------------------------------------


def _at_nan(_: "Paused", wanted: Any) -> Breakpoint:
    if wanted is not True:
        raise ArgumentError(
            f"break_at(nan=…) takes True, got {wanted!r}. The pass stops where the first nan or "
            "inf comes out of numbers that were finite. Leave it out for no such breakpoint."
        )
    why = "where nan or inf comes out of finite numbers"
    return Breakpoint(why, before=_gets_spoiled, after=_spoils)


def _gets_spoiled(session: "Paused", node: Any) -> bool:
    """Whether a node gets what is not finite where finite numbers, or none, were handed on to it.

    Its caller may have given them, if the pass starts there; or a hook that the log does not have.
    """
    if not any(nans or infs for _, nans, infs in _measures(session)):
        return False
    name = session.names.node[node]
    came = [event for event in session._log.events if event["type"] == "buffer"]
    waited = {event["slot"]: event["grad"] for event in came if event["node"] == name}
    return _are_finite(session, waited.values())


def _spoils(session: "Paused", event: Entry) -> bool:
    """Whether what is not finite came out of what was, in one event of the log."""
    operands, results = _ENDS.get(event["type"], ("", ""))
    if not results or _are_finite(session, _listed(event[results])):
        return False
    summed = event["type"] == "buffer"
    came = _summands(session._log.events, event) if summed else event[operands]
    return _are_finite(session, came)


def _are_finite(session: "Paused", ids: Iterable[ArrayId]) -> bool:
    arrays = session._log.table.summaries
    return not any("nan" in arrays[id] or "inf" in arrays[id] for id in ids if id is not None)


def _summands(events: list[Entry], event: Entry) -> list[ArrayId]:
    """What waited in a buffer, and what was added to it in `event`."""
    source, _, position = event["edge"][1:].partition("-")
    earlier = events[event["k"] - 1 :: -1]
    place = event["node"], event["slot"]
    waited = (e["grad"] for e in earlier if (e.get("node"), e.get("slot")) == place)
    left = [e for e in earlier if e.get("node") == f"n{source}" and e["type"] in _ENDS]
    results = _listed(left[0][_ENDS[left[0]["type"]][1]]) if left else []
    return [next(waited, None), *results[int(position) :][:1]]


def _listed(grads: Any) -> list[ArrayId]:
    return grads if isinstance(grads, list) else [grads]


_ENDS = {
    "pre_hook": ("before", "after"),
    "apply": ("grad_in", "grad_out"),
    "post_hook": ("before", "after"),
    "buffer": ("", "grad"),
}
"""By the type of an event, the fields with what went into it, and with what came out."""


MAKERS: Makers = {
    "node": _at_node,
    "op": _at_op,
    "tensor": _at_tensor,
    "scope": _at_scope,
    "hook": _at_hook,
    "nan": _at_nan,
    "norm": _at_norm,
}


# Finding nodes ----------------------------------------------------------------------------------


def is_called(node: Any, name: str) -> bool:
    """Whether `name` is that of the node, "MulBackward0", or of its op, "Mul"."""
    return name in names_of(node)


def check_op(name: Any, nodes: Collection[Any]) -> None:
    """Raise if no node is called `name`."""
    why = 'Nodes are called as `grad_fn` shows them. Write "MulBackward0".'
    check.kind("the name of an op is a string, got", name, str, why)
    pairs = {names_of(node) for node in nodes}
    alike = {name for pair in pairs for name in pair}
    if name not in alike:
        close = difflib.get_close_matches(name, sorted(alike), 1)
        lists = f"`session.schedule` lists the nodes, n0 to n{len(nodes) - 1}."
        hint = f"Did you mean {close[0]!r}?" if close else lists
        raise ArgumentError(
            f"no node called {name!r} is part of this pass; {_knows('op', {n for n, _ in pairs})}. "
            f"A pass goes through the nodes behind its roots only. {hint}"
        )


def find_node(session: "Paused", what: Any) -> Any:
    """The node of the pass that is meant: a node, its id "n3", an edge, or a tensor.

    For a tensor it is the node where the tensor's gradient arrives.

    Raises:
        ArgumentError: if it is no part of the pass.
        ArgumentTypeError: if it is none of these.
    """
    graph = session.names
    if isinstance(what, str):
        node = next((node for node, name in graph.node.items() if name == what), None)
    elif graph.is_tensor(what):
        node = graph.node_of(what)
    elif hasattr(what, "next_functions"):
        node = what
    elif hasattr(what, "node"):  # an edge, or the place where a pass of PyTorch's waits
        node = what.node
    else:
        raise ArgumentTypeError(
            f"a place in a pass is a node, its id or a tensor, got {type(what).__name__}. "
            'Gradients arrive at nodes. Pass `y.grad_fn`, "n3" or `y`.'
        )
    if node not in graph.node:
        shown = "that tensor" if graph.is_tensor(what) else "that node"
        shown = repr(what) if isinstance(what, (str, Node)) else shown
        raise ArgumentError(
            f"{shown} is no part of this pass, which goes through {len(session.schedule)} nodes "
            "(n0 is the oldest). Only nodes behind its roots are visited. `session.schedule` "
            "lists them."
        )
    return node


def find_nodes(session: "Paused", what: Any) -> set[Any]:
    """The nodes that are meant: those of an op or a leaf, given by its name; or as `find_node`."""
    graph = session.names
    if not isinstance(what, str) or what in graph.node.values():
        return {find_node(session, what)}
    found = {node for node in session.schedule if is_called(node, what)}
    found |= {node for node in graph.leaves if graph.label(node.variable) == what}
    if not found:
        check_op(what, session.schedule)
    return found


def _node_of_name(session: "Paused", name: str) -> Any:
    """The node where the gradient of the tensor called `name` arrives."""
    graph = session.names
    known = {label: node for label, node in graph.tensors_by_name() if label and node in graph.node}
    if name not in known:
        raise ArgumentError(
            f"no tensor called {name!r} is known to this pass; {_knows('tensor', set(known))}. "
            f"{graph.how_to_name}, or pass the tensor itself."
        )
    return known[name]


def _knows(noun: str, names: set[str]) -> str:
    """What there is instead, a few of it."""
    if not names:
        return f"it knows no {noun} by name"
    few = sorted(names)[:6]
    more = ", …" if len(names) > len(few) else ""
    return f"it knows the {noun}s {', '.join(map(repr, few))}{more}"
