"""`find_nan(loss_fn, …)`: which op made the first NaN, or the first infinity."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassgrad.autograd.scopes import made_at, made_in, open_scopes, scope
from glassgrad.core import state
from glassgrad.core.engine import Schedule
from glassgrad.core.errors import ArgumentTypeError, FreedGraphError
from glassgrad.core.graph import AccumulateGrad, Node, get_gradient_edge
from glassgrad.core.state import here, modes
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import GraphTask, Phase
from glassgrad.memory.stale import shown
from glassgrad.values.backend import backend_of
from glassgrad.values.layers import Layer
from glassgrad.values.tree import flatten

from .engine_graph import EngineGraph
from .summary import head_in_words, numbers, summarize


@dataclass(frozen=True, slots=True)
class NonFinite:
    """Where the first NaN or infinity was made. Its text is the report.

    Attributes:
        phase: "forward", or "backward" if only a gradient has it.
        kind: "nan" or "inf".
        op: the op, "Log"; in backward the node, "LogBackward0".
        made: whether the op made it of finite numbers; False: it read it, and nothing that was
            watched had made it (it came in with an argument or a constant).
        src: the line that called the op; None if that is not known.
        scope: the scopes it ran in, modules by their names, the outermost first.
        operands: a summary of each array it read, with what it is called.
        results: the same of what it made.
        before: the op that made an infinity earlier in the same run, if this one made a NaN.
    """

    phase: str
    kind: str
    op: str
    made: bool
    src: str | None
    scope: tuple[str, ...]
    operands: tuple[tuple[str, dict[str, Any]], ...]
    results: tuple[tuple[str, dict[str, Any]], ...]
    before: "NonFinite | None" = None

    def __str__(self) -> str:
        did = "made the first" if self.made else "read the first, which came from outside:"
        lines = [f"{self.op} {did} {self.kind}, in the {self.phase} pass"]
        lines += [f"  at        {self.src}"] if self.src else []
        lines += [f"  in        {' › '.join(self.scope)}"] if self.scope else []
        arrays = (*self.operands, *self.results)
        wide = max([9, *[len(name) for name, _ in arrays]])
        lines += [f"  {name:<{wide}} {_seen(entry)}" for name, entry in arrays]
        if self.before is not None:
            lines.append(f"before that, {self.before}")
        return "\n".join(lines)


def find_nan(loss_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> NonFinite | None:
    """Run `loss_fn(*args, **kwargs)` and say which op made the first NaN or infinity.

    A NaN comes first: where an op made one, infinities before it are told as its history. If the
    forward pass is sound, the gradients of what `loss_fn` returned are computed and looked at. No
    `.grad` is touched; hooks run.

    Args:
        loss_fn: a function of tensors, or a Module.
        args, kwargs: what it is called with.

    Returns:
        A NonFinite, with op, line, scope and what the op read; None if all numbers are finite.

    Raises:
        ArgumentTypeError: if `loss_fn` cannot be called.
        FreedGraphError: if it runs backward() itself, so that there is no graph to look at.
        What `loss_fn` raises.

    Example:
        >>> x = tensor([1.0, -1.0])
        >>> found = find_nan(lambda x: (x.log() * 2).sum(), x)
        >>> found.op, found.operands[0][1]["head"], found.results[0][1]["nan"]
        ('Log', [1.0, -1.0], 1)
    """
    if not callable(loss_fn):
        raise ArgumentTypeError(
            f"find_nan() was given a {type(loss_fn).__name__}. It watches ops while they run, and "
            "has to run them. Write `find_nan(lambda: model(x).sum())`, or `find_nan(model, x)`."
        )
    watch = _Watch()
    with watch, scope():
        result = loss_fn(*args, **kwargs)
    outputs = [leaf for leaf in flatten(result)[0] if isinstance(leaf, Tensor)]
    return watch.found() or _users_function(outputs) or _in_backward(outputs)


# Forward ----------------------------------------------------------------------------------------


class _Watch:
    """Looks at what each op of this thread makes."""

    def __init__(self) -> None:
        self.key = modes.key
        self.first: dict[str, NonFinite] = {}

    def __enter__(self) -> "_Watch":  # noqa: PYI034  # nobody derives from it
        state.computed = (*state.computed, self.look)
        return self

    def __exit__(self, *exc_info: object) -> None:
        state.computed = tuple([tell for tell in state.computed if tell != self.look])

    def look(self, op: Any, operands: Any, values: Any, parameters: Any, result: Any) -> None:
        """Note the first op whose result is not finite, for NaN and for infinity."""
        if modes.key != self.key or "nan" in self.first:
            return
        results = result if isinstance(result, tuple) else (result,)
        kind = _kind(results)
        if kind is None:
            return
        read = _kind(values)
        origin = _users_function([x for x in operands if isinstance(x, Tensor)]) if read else None
        if origin is not None:
            self.first.setdefault(origin.kind, origin)
        if kind in self.first or (kind == "inf" and (read or _are_infinite(parameters))):
            return  # an infinity that is passed on, such as that of a mask, was not made here
        names = [_name(at, operand) for at, operand in enumerate(operands)]
        self.first[kind] = NonFinite(
            "forward",
            kind,
            op.__name__,
            read != "nan",
            shown(here(2)),
            open_scopes(),
            _summaries(zip(names, values, strict=False)),
            _summaries(_results(results)),
            self.first.get("inf"),
        )

    def found(self) -> NonFinite | None:
        """What was found, a NaN if there is one."""
        return self.first.get("nan") or self.first.get("inf")


def _are_infinite(parameters: dict[str, Any]) -> bool:
    return any(isinstance(x, float) and abs(x) == math.inf for x in parameters.values())


def _users_function(tensors: list[Tensor]) -> NonFinite | None:
    """The user's Function that made one of `tensors`, if that is not finite.

    Its forward may have computed with NumPy, unseen by the tape.
    """
    for tensor in tensors:
        node = tensor.grad_fn
        kind = _kind([tensor])
        if kind is None or node is None or not node._is_users:
            continue
        read = [(name, what) for name, what, *_ in EngineGraph.saved_by(node)]
        made = _kind([what for _, what in read]) is None
        return _at_node("forward", kind, node, node.op_name(), made, read, [tensor])
    return None


# Backward ---------------------------------------------------------------------------------------


def _in_backward(outputs: list[Tensor]) -> NonFinite | None:
    """Compute the gradients of `outputs`, and look at what each node makes."""
    outputs = [output for output in outputs if output.requires_grad]
    if not outputs or modes.levels:
        return None
    roots = [get_gradient_edge(output) for output in outputs]
    leaves = [node for node in Schedule([edge.node for edge in roots]) if _is_leaf(node)]
    ones = [backend_of(output.payload).xp.ones_like(output.payload) for output in outputs]
    edges = [edge.node if edge.node.num_outputs == 1 else edge for edge in roots]
    task = GraphTask(edges, ones, keep_graph=True, captures=leaves)
    task.tell_outer()
    first: dict[str, NonFinite] = {}
    try:
        while "nan" not in first and (phase := task.step()) is not None:
            kind = _kind(phase.after) if phase.kind == "apply" else None
            if kind is not None and _kind(phase.before) not in (kind, "nan"):
                first.setdefault(kind, _of_phase(phase, kind, first.get("inf")))
    except FreedGraphError as error:
        raise FreedGraphError(
            "find_nan() found nothing in the forward pass, and cannot look at the gradients: "
            "loss_fn has run backward() itself, and the graph is used up. Have it return the loss "
            "and leave backward() to find_nan, or write `loss.backward(retain_graph=True)`."
        ) from error
    finally:
        task.close()
    return first.get("nan") or first.get("inf")


def _is_leaf(node: Node) -> bool:
    return isinstance(node, AccumulateGrad)


def _of_phase(phase: Phase, kind: str, before: NonFinite | None) -> NonFinite:
    node = phase.node
    saved = [(f"saved {name}", what) for name, what, *_ in EngineGraph.saved_by(node)]
    read = [*((f"grad {at}", grad) for at, grad in enumerate(phase.before)), *saved]
    return _at_node("backward", kind, node, node.name(), True, read, phase.after, before)


def _at_node(
    phase: str,
    kind: str,
    node: Node,
    op: str,
    made: bool,
    read: list[tuple[str, Any]],
    results: Iterable[Any],
    before: NonFinite | None = None,
) -> NonFinite:
    """What is told of a node: where it was made, and the arrays that it read and made."""
    place = made_at(node)
    src = shown(place) if place else None
    operands, named = _summaries(read), _summaries(_results(results))
    return NonFinite(phase, kind, op, made, src, made_in(node), operands, named, before)


# Numbers ----------------------------------------------------------------------------------------


def _kind(values: Iterable[Any]) -> str | None:
    """What the arrays have: "nan" if there is one, else "inf" if there is one, else None."""
    found = None
    for value in values:
        array = _array(value)
        if array is None or array.dtype.kind not in "fc":
            continue
        with np.errstate(all="ignore"):
            total = array.sum()  # one pass over it: nan and inf survive a sum
        if total == total and abs(total) != math.inf:
            continue
        if (array != array).any():
            return "nan"
        if (abs(array) == math.inf).any():
            found = "inf"
    return found


def _array(value: Any) -> Any:
    """The NumPy array of a tensor or an array; None for anything else."""
    if isinstance(value, (Tensor, Layer)) or hasattr(value, "dtype"):
        return numbers(value)
    return None


def _name(at: int, operand: Any) -> str:
    name = operand.name if isinstance(operand, Tensor) else None
    return f"operand {at}" if name is None else f"{name!r}"[:60]


def _summaries(named: Iterable[tuple[str, Any]]) -> tuple[tuple[str, dict[str, Any]], ...]:
    pairs = [(name, _array(value)) for name, value in named]
    return tuple([(name, summarize(array)) for name, array in pairs if array is not None])


def _results(values: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(f"result {at}", value) for at, value in enumerate(values)]


def _seen(entry: dict[str, Any]) -> str:
    """A summary in one line."""
    counts = [f"{entry[kind]} {kind}" for kind in ("nan", "inf") if kind in entry]
    said = f"{entry['dtype']} {entry['shape']} {head_in_words(entry)}"
    if entry["min"] is not None:  # else nothing in it is finite
        said += f" from {entry['min']} to {entry['max']}"
    return said + (f", {' and '.join(counts)}" if counts else "")
