"""`find_nan(loss_fn, …)`: which op made the first NaN, or the first infinity."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassgrad.autograd.scopes import Path, made_in, open_scopes, scope
from glassgrad.core import state
from glassgrad.core.backward import start_of
from glassgrad.core.engine import Schedule
from glassgrad.core.errors import ArgumentTypeError, FreedGraphError
from glassgrad.core.graph import AccumulateGrad, ends
from glassgrad.core.state import Func, Place, here, modes, setting
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.turn import GraphTask
from glassgrad.memory.saved import saved_by
from glassgrad.ops import ones_like
from glassgrad.source.frames import made_at
from glassgrad.source.lines import shown
from glassgrad.values.layers import Layer
from glassgrad.values.tree import as_tuple, flatten

from .graph import Entry, op_of
from .summary import numbers, range_in_words, summarize

Named = Iterable[tuple[str, Any]]
Summaries = tuple[tuple[str, Entry], ...]
Where = tuple[Place | None, Path]


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
    scope: Path
    operands: Summaries
    results: Summaries
    before: "NonFinite | None" = None

    def __str__(self) -> str:
        did = "made the first" if self.made else "read the first, which came from outside:"
        lines = [f"{self.op} {did} {self.kind}, in the {self.phase} pass"]
        lines += [f"  at        {self.src}"] if self.src else []
        lines += [f"  in        {' › '.join(self.scope)}"] if self.scope else []
        arrays = (*self.operands, *self.results)
        wide = max([9, *[len(name) for name, _ in arrays]])
        lines += [f"  {name:<{wide}} {range_in_words(entry)}" for name, entry in arrays]
        if self.before is not None:
            lines.append(f"before that, {self.before}")
        return "\n".join(lines)


def find_nan(loss_fn: Func, *args: Any, **kwargs: Any) -> NonFinite | None:
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
    watch = _Watch("forward")
    told = (*state.computed, watch.look)
    with scope(), setting(vars(state), computed=told):
        result = loss_fn(*args, **kwargs)
    outputs = [leaf for leaf in flatten(result)[0] if isinstance(leaf, Tensor)]
    if not watch.first:
        watch.look_at_functions(outputs)
    return watch.found or _in_backward(outputs)


# Forward ----------------------------------------------------------------------------------------


class _Watch:
    """What is not finite in one phase of a run of this thread.

    Attributes:
        first: the first NaN and the first infinity, by kind.
    """

    def __init__(self, phase: str) -> None:
        self.phase, self.key = phase, modes.key
        self.first: dict[str, NonFinite] = {}

    @property
    def found(self) -> NonFinite | None:
        """What was found, a NaN if there is one."""
        return self.first.get("nan") or self.first.get("inf")

    def note(
        self, kind: str, op: str, made: bool, where: Where, read: Named, results: Iterable[Any]
    ) -> None:
        """Note an op with what it read and made, unless it is not the first."""
        if kind not in self.first:
            place, scopes = where
            made_of = [(f"result {at}", value) for at, value in enumerate(results)]
            about = shown(place) if place else None, scopes, _summaries(read), _summaries(made_of)
            before = self.first.get("inf")
            self.first[kind] = NonFinite(self.phase, kind, op, made, *about, before)

    def look(self, op: Any, operands: Any, values: Any, parameters: Any, result: Any) -> None:
        """Note an op that has run, if its result is not finite."""
        if modes.key != self.key or "nan" in self.first:
            return
        results = as_tuple(result)
        kind = _kind(results)
        if kind is None:
            return
        read = _kind(values)
        if read:
            self.look_at_functions([x for x in operands if isinstance(x, Tensor)])
        given = [x for x in parameters.values() if isinstance(x, float)]
        if kind == "inf" and (read or any(map(math.isinf, given))):
            return  # an infinity that is passed on, such as that of a mask, was not made here
        named = zip([_name(*pair) for pair in enumerate(operands)], values, strict=False)
        where = here(2), open_scopes()
        self.note(kind, op.__name__, read != "nan", where, named, results)

    def look_at_functions(self, tensors: list[Tensor]) -> None:
        """Note the first user's Function that made one of `tensors`, if that is not finite.

        Its forward may have computed with NumPy, unseen by the tape.
        """
        for tensor in tensors:
            node = tensor.grad_fn
            kind = _kind([tensor])
            if kind is not None and node is not None and node._is_users:
                read = [(name, what) for name, what, *_ in saved_by(node)]
                made = _kind([what for _, what in read]) is None
                where = made_at(node), made_in(node)
                self.note(kind, node.op_name(), made, where, read, [tensor])
                return


# Backward ---------------------------------------------------------------------------------------


def _in_backward(outputs: list[Tensor]) -> NonFinite | None:
    """Compute the gradients of `outputs`, and look at what each node makes."""
    outputs = [output for output in outputs if output.requires_grad]
    if not outputs or modes.levels:
        return None
    start = start_of(outputs, [ones_like(output) for output in outputs], True, False)
    nodes = Schedule([ends(edge)[0] for edge in start["roots"]])
    task = GraphTask(**start, captures=[x for x in nodes if isinstance(x, AccumulateGrad)])
    task.tell_outer()
    watch = _Watch("backward")
    try:
        while "nan" not in watch.first and (phase := task.step()) is not None:
            kind = _kind(phase.after) if phase.kind == "apply" else None
            if kind is not None and _kind(phase.before) not in (kind, "nan"):
                node = phase.node
                read = [(f"grad {at}", grad) for at, grad in enumerate(phase.before)]
                read += [(f"saved {name}", what) for name, what, *_ in saved_by(node)]
                where = made_at(node), made_in(node)
                watch.note(kind, op_of(node), True, where, read, phase.after)
    except FreedGraphError:
        raise FreedGraphError(
            "find_nan() found nothing in the forward pass, and cannot look at the gradients: "
            "loss_fn has run backward() itself, and the graph is used up. Have it return the loss "
            "and leave backward() to find_nan, or write `loss.backward(retain_graph=True)`."
        )
    finally:
        task.close()
    return watch.found


# Numbers ----------------------------------------------------------------------------------------


def _kind(values: Iterable[Any]) -> str | None:
    """What the arrays have: "nan" if there is one, else "inf" if there is one, else None."""
    arrays = [_array(value) for value in values]
    floats = [x for x in arrays if x is not None and x.dtype.kind in "fc"]
    if any(np.isnan(x).any() for x in floats):
        return "nan"
    return "inf" if any(np.isinf(x).any() for x in floats) else None


def _array(value: Any) -> Any:
    """The NumPy array of a tensor or an array; None for anything else."""
    if isinstance(value, (Tensor, Layer)) or hasattr(value, "dtype"):
        return numbers(value)
    return None


def _name(at: int, operand: Any) -> str:
    name = operand.name if isinstance(operand, Tensor) else None
    return f"operand {at + 1}" if name is None else f"{name!r}"[:60]


def _summaries(named: Named) -> Summaries:
    pairs = [(name, _array(value)) for name, value in named]
    return tuple([(name, summarize(array)) for name, array in pairs if array is not None])
