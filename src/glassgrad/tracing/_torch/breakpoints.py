"""Breakpoints of a PyTorch pass, in the words of glassgrad's own (`tracing.breakpoints`).

PyTorch's engine can be kept waiting before a rule and nowhere else. So a pass in which a rule makes
nan stops before the next node, and a hook cannot be stopped at.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from glassgrad.core.errors import ArgumentError, ArgumentTypeError
from glassgrad.tracing import breakpoints
from glassgrad.tracing.breakpoints import Breakpoint, check_op, knows

from .arrays import is_tensor
from .graph import node_of, op_of

if TYPE_CHECKING:
    from .paused import Paused

__all__ = ["find_node", "make", "names_of"]

Event = dict[str, Any]


def make(session: "Paused", conditions: dict[str, Any]) -> Breakpoint:
    """The breakpoint that `break_at(**conditions)` asks for, one condition in them.

    Raises:
        ArgumentError: if there is not exactly one condition, or it can never be met.
        ArgumentTypeError: if a condition is of the wrong type.
    """
    return breakpoints.make(session, conditions, _MAKERS)


def _at_node(session: "Paused", what: Any) -> Breakpoint:
    return breakpoints.at_goal(session, find_node(session, what))


def _at_op(session: "Paused", name: Any) -> Breakpoint:
    check_op(name, session.schedule, names_of)
    return Breakpoint(f"before each {name}", before=lambda _, node: name in names_of(node))


def _at_tensor(session: "Paused", what: Any) -> Breakpoint:
    return breakpoints.at_tensor(session, what, is_tensor, find_node, _node_of_name)


def _at_scope(_: "Paused", name: Any) -> Breakpoint:
    raise ArgumentError(
        f"PyTorch's pass cannot break at a scope, and was asked to at {name!r}: its nodes do not "
        "know which module made them. Write one of node=, op=, tensor=, nan=True and norm=; a "
        "pass of glassgrad, `gg.step(loss)`, knows scopes."
    )


def _at_hook(_: "Paused", hook: Any) -> Breakpoint:
    name = hook if isinstance(hook, str) else getattr(hook, "__name__", "hook")
    raise ArgumentError(
        f"PyTorch's pass cannot break at a hook, and was asked to at {name}: its engine waits "
        "before rules, when the hooks before them have run. Write `break_at(node=…)` for the node "
        "of the hook, or call Python's `breakpoint()` in the hook."
    )


# nan --------------------------------------------------------------------------------------------


def _at_nan(_: "Paused", wanted: Any) -> Breakpoint:
    breakpoints.check_nan(wanted)
    why = "where nan or inf comes out of finite numbers"
    return Breakpoint(why, before=_is_spoiled_here, after=_spoils)


def _is_spoiled_here(session: Any, node: Any) -> bool:
    """Whether a node gets what is not finite where finite numbers, or none, were handed on to it.

    Its caller may have given them, if the pass starts there; or a hook that the log does not have.
    """
    if all(bool(np.isfinite(grad).all()) for grad in session._arriving() if grad is not None):
        return False
    recorder = session._recorder
    waited: dict[int, str | None] = {}
    for event in recorder.events:
        if event["type"] == "buffer" and event["node"] == recorder.graph.node[node]:
            waited[event["slot"]] = event["grad"]
    return _are_finite(recorder.table.summaries, waited.values())


def _spoils(session: Any, event: Any) -> bool:
    """Whether what is not finite came out of what was, in one event of the log."""
    kind = event["type"]
    if kind == "apply":
        before, after = event["grad_in"], event["grad_out"]
    elif kind in ("pre_hook", "post_hook"):
        before, after = event["before"], event["after"]
    elif kind == "buffer":  # a sum that leaves the range
        before, after = _summands(session._recorder.events, event), [event["grad"]]
    else:
        return False
    arrays = session._recorder.table.summaries
    return not _are_finite(arrays, after) and _are_finite(arrays, before)


def _are_finite(arrays: dict[str, Any], ids: Iterable[str | None]) -> bool:
    return not any("nan" in arrays[id] or "inf" in arrays[id] for id in ids if id is not None)


def _summands(events: list[Event], event: Event) -> list[str | None]:
    """What waited in a buffer, and what was added to it in `event`."""
    source, _, position = event["edge"][1:].partition("-")
    earlier = events[event["k"] - 1 :: -1]
    place = event["node"], event["slot"]
    waited = (e["grad"] for e in earlier if (e.get("node"), e.get("slot")) == place)
    left = (e for e in earlier if e.get("node") == f"n{source}" and e["type"] in _RESULTS)
    came = next(left, None)
    results = [] if came is None else came[_RESULTS[came["type"]]]
    return [next(waited, None), *results[int(position) :][:1]]


_RESULTS = {"apply": "grad_out", "post_hook": "after"}

_MAKERS: dict[str, Callable[[Any, Any], Breakpoint]] = {
    "node": _at_node,
    "op": _at_op,
    "tensor": _at_tensor,
    "scope": _at_scope,
    "hook": _at_hook,
    "nan": _at_nan,
    "norm": breakpoints.at_norm,
}


# Finding nodes ----------------------------------------------------------------------------------


def names_of(node: Any) -> tuple[str, str]:
    """What a node is called: "MulBackward0", and the name of its op, "Mul"."""
    name = op_of(node)
    return name, name.rpartition("Backward")[0] or name


def find_node(session: "Paused", what: Any) -> Any:
    """The node of the pass that is meant: a node, its id "n3", an edge, or a tensor.

    For a tensor it is the node where the tensor's gradient arrives.

    Raises:
        ArgumentError: if it is no part of the pass.
        ArgumentTypeError: if it is none of these.
    """
    names = session.names.node
    node: Any = None
    if isinstance(what, str):
        node = next((node for node, name in names.items() if name == what), None)
    elif is_tensor(what):
        node = node_of(what) if what.requires_grad else None
    elif hasattr(what, "next_functions"):
        node = what
    elif hasattr(what, "node"):  # an edge, or a Stop
        node = what.node
    else:
        raise ArgumentTypeError(
            f"a place in a pass is a node, its id or a tensor, got {type(what).__name__}. "
            'Gradients arrive at nodes. Pass `y.grad_fn`, "n3" or `y`.'
        )
    if node not in names:
        shown = repr(what) if isinstance(what, str) else "that node"
        shown = "that tensor" if is_tensor(what) else shown
        raise ArgumentError(
            f"{shown} is no part of this pass, which goes through {len(session.schedule)} nodes "
            "(n0 is the oldest). Only nodes behind its roots are visited. `session.schedule` "
            "lists them."
        )
    return node


def _node_of_name(session: "Paused", name: str) -> Any:
    """The node where the gradient of the tensor called `name` arrives."""
    graph = session.names
    nodes = {
        graph.label[id(tensor)]: node_of(tensor) for tensor in graph.tensors if tensor.requires_grad
    }
    named = {label: node for label, node in nodes.items() if node in graph.node}
    if name not in named:
        raise ArgumentError(
            f"no tensor called {name!r} is known to this pass; {knows('tensor', set(named))}. "
            "PyTorch's tensors have no names of their own. Write `step(loss, names=locals())`, or "
            "pass the tensor itself."
        )
    return named[name]
