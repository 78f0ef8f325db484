"""`step(loss)`: a backward pass that stops, shows itself, and can be stepped back.

It is the engine's own pass that stops, not a replay of it: `GraphTask.step_here()` does one phase
and returns. Before each phase a `Journal` notes what that will change, which is all that stepping
back takes.

Nothing is copied but what would be written over: the array of a leaf's `.grad`, which the engine
adds to in place, and gradients that a hook or a user's rule gets hold of. For all the rest a
reference is enough, since the engine puts new objects into the place of old ones. (It adds in
place to a buffer too, unless somebody else refers to it; the journal does. See Note [Who owns a
gradient] in `core/engine.py`.) An entry of the journal is a function that undoes one change.
"""

import functools
import threading
from collections.abc import Callable, Iterable
from functools import partial
from types import MemberDescriptorType
from typing import Any, Self, TypeVar

from glassgrad.core.backward import backward_task
from glassgrad.core.engine import Grads
from glassgrad.core.errors import ArgumentError, ArgumentTypeError, GradientError, GraphError
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, ends
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import modes, setting
from glassgrad.core.tensor import Tensor, as_tensor
from glassgrad.hooks.on_saved import Unpacking, put_in
from glassgrad.hooks.turn import HOOK_PHASES, GraphTask, Phase
from glassgrad.memory.saved import places
from glassgrad.memory.views import CopySlices
from glassgrad.ops import _checks as check
from glassgrad.ops.generator import default_generator
from glassgrad.tracing.breakpoints import find_node
from glassgrad.tracing.graph import Graph
from glassgrad.tracing.log import Log, outputs_of
from glassgrad.tracing.paused import Paused
from glassgrad.values.backend import is_array
from glassgrad.values.layers import Layer


def step(
    tensors: Tensor | Iterable[Tensor],
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    granularity: str = "node",
) -> "Session":
    """Begin `tensors.backward(...)` and stop before its first node.

    The pass is the real one. Stepped to its end it leaves what `backward` would have left.

    Args:
        tensors: the output to differentiate, or several.
        gradient, retain_graph, create_graph, inputs: as for `backward`.
        granularity: how much one `next()` does: "node", all that happens at one node; "hook",
            up to the next hook, or one hook; "micro", one phase of the engine (a gradient is
            taken, a hook runs, the rule runs, what was saved is freed, a gradient is handed on).

    Returns:
        A Session, best used in a `with` block: leaving it ends the pass.

    Raises:
        ArgumentError: if there is no such granularity.
        GraphError and its kin: as `backward`; nothing has run then.

    Example:
        >>> x = tensor([1.0, 2.0], requires_grad=True)
        >>> with step((x * x).sum()) as s:
        ...     _ = s.run_until("MulBackward0")
        ...     s.set_gradient(s.current, tensor([10.0, 10.0]))
        ...     _ = s.run()
        >>> x.grad
        tensor([20., 40.])
    """
    wanted = "granularity must be 'node', 'hook' or 'micro'"
    why = "It says how much one step does. Write `granularity='micro'` for the smallest steps."
    check.choice(wanted, granularity, ("node", "hook", "micro"), why)
    outputs = outputs_of(tensors, "step", also=(GradientEdge,))
    task = backward_task(outputs, gradient, retain_graph, create_graph, inputs)
    return Session(task, outputs, granularity)


F = TypeVar("F", bound=Callable[..., Any])


def _alone(move: F) -> F:
    """A move of a session that no other thread may be moving: it is one pass, of one thread."""

    @functools.wraps(move)
    def moving(self: "Session", *args: Any) -> Any:
        if not self._moving.acquire(blocking=False):
            raise GraphError(
                f"another thread is in the middle of a move of this session, at {self._here()}. A "
                "pass does one thing after the other. Move a session from one thread, or share a "
                "lock of your own: `with lock: session.next()`."
            )
        try:
            return move(self, *args)
        finally:
            self._moving.release()

    return moving  # type: ignore[return-value]  # functools.wraps keeps the signature


class Session(Paused):
    """A backward pass that is paused; made by `step`.

    `next`, `back`, `run` and `run_until` move it; each returns the session, which prints as a
    description of where it stands. Between two steps all modes are the caller's, and the tape
    can be used as ever.

    Stepping back restores what glassgrad owns: the gradients that wait, `.grad` of leaves and of
    tensors that retain it, what nodes saved and let go of, versions, the default source of random
    numbers, the attributes of a user's `ctx` (not what they refer to), how far the pass has come.
    What a hook did besides stays done, and stepping on calls it again. For all this, a session
    keeps what the pass has freed until it is closed.

    Leaving the `with` block, or `close()`, ends the pass wherever it is: no gradient waits any
    more, nodes that have not run keep what they saved, and what was added to `.grad` stays there.
    So does an exception of a hook or a rule, which arrives where `next()` was called.

    Attributes:
        outputs: the tensors, or edges, it starts from.
        names: the ids of nodes ("n3", n0 is the oldest), leaves and hooks.
        granularity: how much one step does; may be changed at any time.
        breakpoints: the breakpoints that are set.
        stopped_by: the one that it is paused at, or None.
    """

    _log: Log

    def __init__(self, task: GraphTask, outputs: list[Any], granularity: str = "node") -> None:
        self.granularity = granularity
        self._task = task
        self._is_closed = False
        self._moving = threading.RLock()  # a hook that asks in the same thread is told otherwise
        self._runs = task.computed()
        if task.only_root is not None:
            self._runs.add(task.only_root)
        self._journal = Journal(task)
        super().__init__(Log(task, Graph(task.schedule, outputs)))
        self._roots = [self.names.node_of(output) for output in outputs]
        self._pauses: list[tuple[Any, Any]] = []  # marks of all pauses before this one
        while self._node not in self._runs and not self.is_done:
            self._phase()  # a node that is only passed by has no turn

    # Where it stands ----------------------------------------------------------------------------

    @property
    def schedule(self) -> list[Node]:
        """The nodes that the pass visits, in order."""
        return self._task.schedule

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._is_closed

    @property
    def position(self) -> int:
        """How many nodes of the schedule are done."""
        return self._task.position

    @property
    def is_done(self) -> bool:
        """Whether the pass has come to its end."""
        return self._task.ahead is None and self._task.is_over

    @property
    def current(self) -> Node | None:
        """The node whose turn it is; None at the end."""
        node: Node | None = self._node
        return node

    @property
    def buffers(self) -> dict[Node, tuple[Tensor | None, ...]]:
        """Copies of the gradients that wait for nodes whose turn has not begun."""
        return {node: self._copies(self._waiting_at(node)) for node in self._task.buffers}

    @property
    def _node(self) -> Any:
        return None if self.is_closed else self._task.ahead

    @property
    def told(self) -> str | None:
        """What the node did whose turn is just over, where steps are whole nodes."""
        return super().told if self.granularity == "node" else None

    @property
    def _at_start(self) -> bool:
        """Whether the current node's turn has not begun."""
        return self._task.turn is None

    def _how(self) -> str:
        turn = self._task.turn
        return ", before it runs" if turn is None else _HALFWAY[turn.upcoming[0]]

    def _waiting_at(self, node: Node) -> Grads:
        turn = self._task.turn
        if turn is not None and turn.node is node:
            return turn.grads
        waiting = self._task.buffers.get(node)
        if type(waiting) is list:
            return tuple(waiting)
        return (None,) * node.num_outputs if waiting is None else (waiting,)

    def _copies(self, grads: Iterable[Any]) -> tuple[Tensor | None, ...]:
        real = (Tensor, type(None))
        return tuple([x if isinstance(x, real) else as_tensor(x.copy()) for x in grads])

    def _check_open(self) -> None:
        if self.is_closed:
            raise GraphError(
                f"this session was closed after {self.position} of {len(self.schedule)} nodes. A "
                "pass that has ended is not taken up again. Begin another: `gg.step(loss)`."
            )

    def _check_idle(self) -> None:
        self._check_open()
        if self._journal.is_stepping:
            raise GraphError(
                f"this session is in the middle of a step, at {self._here()}, and a hook or a rule "
                "of its own pass asks it to move. A pass does one thing after the other. Let the "
                "hook return, and move or close the session when its step is done."
            )

    def _here(self) -> str:
        return "its end" if self._node is None else self.describe(self._node)

    # Moving -------------------------------------------------------------------------------------

    @property
    def can_go_back(self) -> bool:
        """Whether there is a step that `back` would undo."""
        return bool(self._pauses) and not self.is_closed

    @_alone
    def next(self) -> Self:
        """Do one step.

        Raises:
            GraphError: if the pass is over, the session is closed, or a hook of the pass asks.

        Example:
            >>> x = tensor(3.0, requires_grad=True)
            >>> s = step(x.exp())
            >>> s.next().current.name()
            'torch::autograd::AccumulateGrad'
        """
        self._check_idle()
        if self.is_done:
            raise GraphError(
                f"next() after the end: all {len(self.schedule)} nodes of this pass are done. "
                "There is nothing left to do. Write back() to see a step again, or begin another "
                "pass with `gg.step(loss)`, for which this one needs `retain_graph=True`."
            )
        self._step()
        return self

    @_alone
    def back(self) -> Self:
        """Undo the last step, and what was changed by hand since; see the class for what stays.

        Raises:
            GraphError: if nothing has been done, or the session is closed.

        Example:
            >>> x = tensor(3.0, requires_grad=True)
            >>> s = step(x * 2).run()
            >>> x.grad, s.back().gradients["x"]
            (tensor(2.), None)
        """
        self._check_idle()
        if not self._pauses:
            raise GraphError(
                "back() at the beginning: no step of this pass has been done. What was computed "
                "before it is not undone. Write next() to begin."
            )
        journal, log = self._pauses.pop()
        self._journal.rewind(journal)
        self._log.rewind(log)
        self.stopped_by = None
        return self

    def run(self) -> Self:
        """Go on to the next breakpoint, or to the end of the pass.

        Raises:
            GraphError: if the session is closed.
        """
        return self._go(lambda: False)

    def run_until(self, what: "str | Node | Tensor | GradientEdge | Callable[[Self], Any]") -> Self:
        """Go on until a certain node is next: at least one step, and no further than a breakpoint.

        Args:
            what: the name of an op, "MulBackward0" or "Mul": its next node; a node, or its id;
                a tensor: the node where its gradient has arrived; or a function of the session,
                asked after each step. If that is never true, the pass runs to its end.

        Raises:
            ArgumentError: if the node is not part of the pass, or not ahead.
            GraphError: if the session is closed.

        Example:
            >>> x = tensor([1.0, 2.0], requires_grad=True)
            >>> y = x.exp()
            >>> step((y * y).sum()).run_until(y).current.name()
            'ExpBackward0'
        """
        self._check_open()
        return self._go(self._until(what))

    def _check_ahead(self, what: Any, nodes: set[Any]) -> None:
        is_name = isinstance(what, str) and what not in self.names.node.values()
        if nodes & self._runs & set(self.schedule[self.position + is_name :]):
            return
        if is_name:
            raise ArgumentError(
                f"no {what} is ahead of {self._here()}. A pass visits each node once. Write "
                "back() to return to one that has run."
            )
        (goal,) = nodes
        why = "has run already" if goal in self._runs else "does not run in this pass"
        raise ArgumentError(
            f"{self.describe(goal)} {why}; the pass is at {self._here()}. Each node has one "
            "turn. Write back() to return to one that has run."
        )

    @_alone
    def _go(self, is_there: Callable[[], bool]) -> Self:
        self._check_idle()
        self._run_to(is_there)
        return self

    def _step(self) -> None:
        """One step: phases until there is a reason to pause."""
        self._pauses.append((self._journal.mark(), self._log.mark()))
        self.stopped_by = None
        while True:
            before = len(self._log.events)
            phase = self._phase()
            if self._task.is_over:
                return
            self.stopped_by = self._spoiled(before) or self._met()
            if self.stopped_by is not None or self._is_pause(phase):
                return

    def _phase(self) -> Phase | None:
        """One phase, noted first; an exception ends the session."""
        try:
            return self._log.step(self._journal.step)
        except BaseException:
            self.close()
            raise

    def _is_pause(self, phase: Phase | None) -> bool:
        if self._task.turn is None:
            return self._node in self._runs  # the end of the pass is part of its last step
        if self.granularity == "hook":
            ran = phase is not None and phase.kind in HOOK_PHASES
            return ran or self._task.turn.upcoming[0] in HOOK_PHASES
        return self.granularity == "micro" and phase is not None

    # Changing -----------------------------------------------------------------------------------

    def set_gradient(self, at: "Node | Tensor | GradientEdge | str", value: Tensor) -> None:
        """Replace the gradient that has arrived at a node, and go on with that.

        Args:
            at: the node or its id, an edge to it, or the tensor whose gradient it is.
            value: a tensor of the gradient's shape and dtype.

        Raises:
            GradientError: if no gradient waits there, or `value` has another shape or dtype.
            ArgumentTypeError: if `value` is no tensor.
        """
        self._check_open()
        node, nr = find_node(self, at), 0
        if isinstance(at, (GradientEdge, Tensor)):
            nr = at.output_nr
        have = self._waiting_at(node)
        label = self.describe(node)
        turn: Any = self._task.turn
        is_begun = turn is not None and turn.node is node
        used = is_begun and turn.upcoming[0] not in _BEFORE_THE_RULE
        if used or node in self.schedule[: self.position]:
            raise GradientError(
                f"the gradient at {label} has been used: the node has run. What is changed now "
                "would go nowhere. Step back first, or change the gradient of a node in `queue`."
            )
        if len(have) > 1 and isinstance(at, (Node, str)):
            raise GradientError(
                f"{label} has {len(have)} outputs, each with a gradient of its own, and none was "
                "named. A gradient belongs to one tensor. Pass the tensor, or "
                "GradientEdge(node, nr)."
            )
        if have[nr] is None:
            raise GradientError(
                f"can't replace a None gradient with a non-None value: none has arrived at "
                f"{label}. The nodes that send it will add theirs later. Go on until it is in "
                "`queue`."
            )
        _check(value, have[nr].shape, have[nr].dtype, f"the gradient at {label}")
        new = value if self._task.on_tensors else value.payload
        if is_begun:
            self._journal.note_turn()
            turn.grads = (*have[:nr], new, *have[nr + 1 :])
            return
        self._journal.note_buffers([node])
        waiting = self._task.buffers[node]
        if type(waiting) is list:
            waiting[nr] = new
        else:
            self._task.buffers[node] = new

    def set_saved(self, node: "Node | str", name: str, value: Tensor) -> None:
        """Replace what a node saved under `name`, and have its rule use that.

        To a graph of the pass itself (`create_graph=True`) the new value is a constant.

        Args:
            node: the node or its id.
            name: as in `saved`: "self", "result", "saved_tensors[0]".
            value: a tensor of the same shape and dtype.

        Raises:
            ArgumentError: if the node saved nothing of that name, or has let go of it.
            GradientError: if `value` has another shape or dtype.
            ArgumentTypeError: if `value` is no tensor.
        """
        self._check_open()
        at = find_node(self, node)
        label = self.describe(at)
        found = {known: what for known, what, _, _ in self.names.saved_by(at)}
        if name not in found:
            known = ", ".join(map(repr, found)) or "nothing (any more)"
            raise ArgumentError(
                f"{label} has saved no {name!r}; it holds {known}. Only what a node holds can be "
                "replaced. `session.saved_of(node)` lists it."
            )
        _check(value, found[name].shape, found[name].dtype, f"{name!r} of {label}")
        self._journal.note_node(at)
        replace_saved(at, name, value)

    # The end ------------------------------------------------------------------------------------

    @_alone
    def close(self) -> None:
        """End the pass where it is, and let go of what stepping back takes; twice is harmless.

        Raises:
            GraphError: if a hook of the pass asks for it, in the middle of a step.
        """
        if self.is_closed:
            return
        self._check_idle()
        self._is_closed = True
        self._log.close()  # first: under create_graph it looks at what waits
        self._task.close()
        self._journal.forget()
        self._pauses.clear()

    def __enter__(self) -> Self:
        self._check_open()
        return self


_HALFWAY = {
    "pre_hook": ", before a hook",
    "apply": ", before its rule",
    "accumulate": ", before it adds to .grad",
    "post_accumulate": ", after it added to .grad and before a hook",
    "post_hook": ", after its rule and before a hook",
    "free_saved": ", after its rule and before it lets go of what it saved",
    "buffer": ", after its rule and before a gradient is handed on",
    "pass_by": ", its gradient taken",
}

_BEFORE_THE_RULE = ("pre_hook", "apply", "accumulate", "pass_by")


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


def replace_saved(node: Any, name: str, value: Tensor) -> None:
    """Have the rule of `node` find a copy of `value` under `name`."""
    if isinstance(node, CopySlices):
        node = node.fn
    index = [known for known, *_ in places(node)].index(name)
    is_users = not isinstance(node, PrimitiveNode)
    put_in(node, index, value.detach().clone() if is_users else value.payload.copy())


# What it takes to step back -----------------------------------------------------------------------


_KEPT = ("saved_tensors", "holders", "versions", "fn")
"""The slots of nodes that a pass writes to."""

OF_USERS = (*HOOK_PHASES, "pass_by")
"""The phases in which hooks of users run."""


class Journal:
    """The undo log of one watched pass.

    Args:
        task: the pass. What other passes do that hooks and rules run inside of it is noted too.

    Attributes:
        is_stepping: whether a phase is under way.
    """

    def __init__(self, task: GraphTask) -> None:
        self.task = task
        task.before_inner = None
        self.is_stepping = False
        self._undo: list[Callable[[], object]] = []
        outer = modes.task
        self._outer: Callable[[GraphTask], None] | None = outer and outer.before_inner
        if self._outer is not None:
            self._outer(task)

    def mark(self) -> int:
        """This moment, for `rewind`."""
        return len(self._undo)

    def rewind(self, mark: int) -> None:
        """Undo what was noted since `mark`, the latest first."""
        self.task.is_rewound = True
        while len(self._undo) > mark:
            self._undo.pop()()

    def forget(self) -> None:
        """Let go of everything that was noted."""
        self._undo.clear()

    def step(self) -> Phase | None:
        """Have the pass do its next phase, after noting what that will change."""
        self._note_step()
        told = setting(vars(self.task), before_inner=self._note_inner)  # not longer: a cycle
        with setting(vars(self), is_stepping=True), told:
            return self.task.step_here()

    # Before a phase -----------------------------------------------------------------------------

    def _note_step(self) -> None:
        """Note what the next phase of the pass will change, and silent ones before it."""
        task = self.task
        self._note_place()
        node: Any = task.ahead
        if node is None:
            self.note_buffers(task.buffers)
            self._note_numbers()
            return
        self.note_buffers([node, *[ends(edge)[0] for edge in node.edges if edge is not None]])
        if task.turn is None:
            return
        self.note_node(node)
        self._note_retained(node)
        kind = task.turn.upcoming[0]
        if kind in ("accumulate", "post_accumulate"):  # to write it is what such hooks are for
            in_place = kind == "post_accumulate" or not task.on_tensors
            self._note_grad(node.variable, is_written=in_place)
        # A built-in rule writes to no gradient, and draws no numbers.
        if kind in OF_USERS or (kind == "apply" and not has_builtin_rule(node)):
            self._note_numbers()
            if kind != "post_accumulate":
                self._note_elements()

    def _note_inner(self, inner: GraphTask) -> None:
        """Note what a pass that a hook or a rule is about to run will change."""
        needed = inner.schedule.needed
        for node in inner.schedule:
            self.note_node(node)
            self._note_retained(node)
            if isinstance(node, AccumulateGrad) and (needed is None or node in needed):
                self._note_grad(node.variable, is_written=not inner.on_tensors)
        if self._outer is not None:
            self._outer(inner)

    # The things that change ---------------------------------------------------------------------

    def _note_place(self) -> None:
        """Note how far the pass has come."""
        task = self.task
        place = task.turn, task.position, task.is_over, task.node
        captured, queued = tuple(task.captured), len(task.callbacks)

        def undo() -> None:
            task.turn, task.position, task.is_over, task.node = place
            task.captured[:] = captured
            del task.callbacks[queued:]

        self._undo.append(undo)
        if task.turn is not None:
            self.note_turn()

    def note_turn(self) -> None:
        """Note the gradients that the current node is working with."""
        turn = self.task.turn
        assert turn is not None, "a node has begun"
        self._undo.append(partial(turn.put_back, turn.mark()))

    def _note_elements(self) -> None:
        """Note the elements of the gradients that code of a user is about to be given.

        Inside of a transform, what such code writes in place is not undone.
        """
        turn = self.task.turn
        assert turn is not None, "a node has begun"
        for grad in (*turn.grads, *turn.results):
            array = grad.payload if isinstance(grad, Tensor) else grad
            if not is_array(array) or isinstance(array, Layer):
                continue
            if not getattr(array.flags, "writeable", True):
                continue
            if isinstance(grad, Tensor):
                self._undo.append(partial(setattr, grad, "edge", grad.edge))
                self._note_write(grad)
            else:
                self._undo.append(partial(array.__setitem__, ..., array.copy()))

    def note_buffers(self, nodes: Iterable[Node]) -> None:
        """Note the gradients that wait at `nodes`."""
        buffers = self.task.buffers
        for node in nodes:
            waiting = buffers.get(node)
            if waiting is None:
                self._undo.append(partial(buffers.pop, node, None))
            else:  # for a node with several outputs, the list is the engine's own
                kept = list(waiting) if type(waiting) is list else waiting
                self._undo.append(partial(buffers.__setitem__, node, kept))

    def note_node(self, node: Any) -> None:
        """Note what a node has saved, and what a user's rule keeps on its ctx."""
        if isinstance(node, CopySlices) and node.fn is not None:
            self.note_node(node.fn)
        for name in _KEPT:
            is_slot = isinstance(getattr(type(node), name, None), MemberDescriptorType)
            if is_slot and hasattr(node, name):  # others are in its `__dict__`
                self._undo.append(partial(setattr, node, name, getattr(node, name)))
        if hasattr(node, "__dict__"):
            own = vars(node).copy()
            self._undo += [partial(vars(node).update, own), vars(node).clear]  # the last one first

    def _note_retained(self, node: Node) -> None:
        for _, tensor in Graph.retained_by(node):
            self._note_grad(tensor, is_written=False)

    def _note_grad(self, tensor: Tensor, *, is_written: bool) -> None:
        """Note the `.grad` of a tensor, and its elements if they will be written over."""
        cold = tensor.cold_side()
        if is_written and cold.grad is not None:
            self._note_write(cold.grad)
        self._undo.append(partial(setattr, cold, "grad", cold.grad))

    def _note_write(self, tensor: Tensor) -> None:
        """Note the elements and the version of a tensor that may be written in place."""
        array = tensor.payload
        elements = array.copy()
        known = None if tensor.cold is None else tensor.cold.version
        count, line = (0, None) if known is None else (known.count, known.written_line)

        def undo() -> None:
            tensor.payload = array
            array[...] = elements
            version = None if tensor.cold is None else tensor.cold.version
            if version is not None:
                version.count, version.written_line = count, line

        self._undo.append(undo)

    def _note_numbers(self) -> None:
        """Note where the default source of random numbers stands."""
        seed, source = default_generator._seed, default_generator._source
        state: Any = None if source is None else source.bit_generator.state

        def undo() -> None:
            default_generator._seed, default_generator._source = seed, source
            if source is not None:
                source.bit_generator.state = state

        self._undo.append(undo)


def has_builtin_rule(node: Any) -> bool:
    """Whether no code of a user runs where `node` computes: neither a rule nor an unpack hook."""
    return isinstance(node, PrimitiveNode) and type(node.saved_tensors) is not Unpacking
