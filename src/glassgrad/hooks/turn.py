"""A node's turn in a backward pass, phase by phase: where hooks hang on it, or somebody watches.

    ready → pre_hook* → apply → post_hook* → free_saved → buffer*        a node
    ready → pre_hook* → accumulate → post_accumulate* → post_hook*       a leaf's AccumulateGrad

The tight loop of `core/engine.py` does the same in one go where nothing hangs and nobody watches.
A `GraphTask` is a pass that does either.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from glassgrad.core import state
from glassgrad.core.engine import A_LOCAL, Grads, Pass, accumulate, accumulating, fit, has_hooks
from glassgrad.core.errors import ReentrancyError
from glassgrad.core.graph import AccumulateGrad, Node, ends
from glassgrad.core.state import Changes, modes, plugs, set_modes
from glassgrad.memory.saved import packed_by, saved_bytes

from . import on_gradients

HOOK_PHASES = ("pre_hook", "post_hook", "post_accumulate")
"""The kinds of phases that are one hook of a user each."""

CODE_PHASES = (*HOOK_PHASES, "apply")
"""The kinds of phases that are given gradients which they may write."""


class Phase(NamedTuple):
    """What a watched pass has just done.

    Attributes:
        kind: "ready", "pre_hook", "apply", "post_hook", "buffer", "accumulate", "post_accumulate"
            or "free_saved".
        node: the node it happened at; for "buffer", the node whose buffer was filled.
        before, after: the gradients that went in and came out.
        detail: the hook; the freed bytes; for "buffer", (the node it came from, which edge).
    """

    kind: str
    node: Node
    before: Grads = ()
    after: Grads = ()
    detail: Any = None


class Turn:
    """The turn of `node` in the pass `task`, phase by phase; made when it begins ("ready").

    What is left to do is a tuple, and where it stands in it is a number, so that whoever watches
    can see what comes next, change the gradients between two phases, and put the turn back.

    Attributes:
        grads: what arrived at the node, as far as hooks have changed it.
        results: the gradients of its operands, once they are computed.
        todo: what there is to do, each (kind of phase, whatever that needs).
        at: how much of it is done.
    """

    __slots__ = ("at", "grads", "node", "results", "task", "todo")

    def __init__(self, task: "GraphTask", node: Node) -> None:
        self.task, self.node = task, node
        task.node = node
        self.grads: Grads = task.take(node)
        self.results: Grads = ()
        self.todo: tuple[tuple[str, Any], ...] = ()
        self.at = 0
        if type(node) is AccumulateGrad:
            self.grads = (plugs.gradients.as_leaf_wants(node.variable, self.grads[0]),)
        needed = task.schedule.needed
        if needed is None or node in needed:
            if has_hooks(node):
                self._then("pre_hook", on_gradients.before(node))
            self.todo += (("accumulate" if type(node) is AccumulateGrad else "apply", None),)
        elif node in task.wanted or node is task.only_root:
            self.todo = (("pass_by", None),)

    def step(self) -> Phase | None:
        """Do the next thing; None if there was nothing left to tell of."""
        while self.at < len(self.todo):
            kind, what = self.todo[self.at]
            if kind in CODE_PHASES and self.task.about_to is not None:
                self.task.about_to(kind, self)
            self.at += 1
            if self.at == 1 and self.node in self.task.wanted:
                self._capture()
            is_hook = kind in HOOK_PHASES
            phase = self._hook(kind, what) if is_hook else getattr(self, f"_{kind}")(what)
            if phase is not None:
                return phase
        return None

    @property
    def upcoming(self) -> tuple[str, Any]:
        """The kind of the next phase, and its hook or edge; ("", None) if there is none."""
        for kind, what in self.todo[self.at : self.at + 2]:
            if kind != "free_saved" or self.node.holders:
                return kind, what
        return "", None

    def mark(self) -> Grads:
        """Where it stands, for `put_back`."""
        return self.grads, self.results, self.todo, self.at

    def put_back(self, mark: Grads) -> None:
        """Stand where it stood when `mark` was made; what it did is not undone."""
        self.grads, self.results, self.todo, self.at = mark

    # Each returns the phase it was, None if there is nothing to tell ------------------------------

    def _then(self, kind: str, each: Sequence[Any]) -> None:
        self.todo += tuple([(kind, what) for what in each])

    def _pass_by(self, _: None) -> None:
        """The gradient is wanted, and the node does not run."""
        self.grads = on_gradients.run(on_gradients.of_tensors(self.node), self.grads)
        self._capture()

    def _capture(self) -> None:
        """Keep what is wanted: before hooks, where the node runs itself."""
        for nr, place in self.task.wanted.get(self.node, ()):
            self.task.captured[place] = self.grads[nr]

    def _hook(self, kind: str, step: Any) -> Phase:
        """Call one hook: before the node, or with its results; a leaf has none."""
        run, hook, extra = step
        place = "grads" if kind == "pre_hook" else "results"
        before = getattr(self, place)
        after = run(hook, before, extra)
        setattr(self, place, after)
        return Phase(kind, self.node, before, after, hook)

    def _accumulate(self, _: None) -> Phase:
        node: Any = self.node
        task, leaf, grad, unshared = self.task, node.variable, self.grads[0], False
        is_hooked = has_hooks(node)
        if not is_hooked and not task.on_tensors:
            self.grads = ()  # Note [Who owns a gradient]
            unshared = sys.getrefcount(grad) <= A_LOCAL
        if grad is not None and leaf.requires_grad:
            if modes.duals is not None and task.lift and not task.recording:
                grad = grad.detach()  # it may have a tangent, which would not be recorded either
            with accumulating: accumulate(leaf, grad, unshared)  # noqa: E701  # fmt: skip
        self.grads = (grad,)
        if is_hooked:
            self._then("post_accumulate", on_gradients.accumulated(leaf))
            self._then("post_hook", on_gradients.after(node, self.grads))
        return Phase("accumulate", node, self.grads)

    def _apply(self, _: None) -> Phase:
        task, node = self.task, self.node
        results = node.compute(self.grads, task.lift)
        self.results = fit(node, results)
        if node.cold is not None:
            if node.cold.post and not node._is_users:
                self.results = task.asked_for(node, self.results)
            self._then("post_hook", on_gradients.after(node, self.grads))
        if not task.keep_graph:
            self.todo += (("free_saved", None),)
        edges = enumerate(node.edges)
        self.todo += tuple([("buffer", (nr, edge)) for nr, edge in edges if edge is not None])
        return Phase("apply", node, self.grads, results)

    def _free_saved(self, _: None) -> Phase | None:
        size = bytes_to_free(self.node)
        self.node.release()  # it is used up, whether or not it saved anything to tell of
        return None if size is None else Phase("free_saved", self.node, detail=size)

    def _buffer(self, place_and_edge: tuple[int, Any]) -> Phase:
        place, edge = place_and_edge
        part = self.results[place]
        return Phase("buffer", self.task.put(edge, part), (), (part,), (self.node, place))


def bytes_to_free(node: Node) -> int | None:
    """The bytes of what a node will let go of; None if it has saved nothing to tell of."""
    size = saved_bytes(node) if node.holders else 0
    return size if size or (node.holders and packed_by(node)) else None


class GraphTask(Pass):
    """A backward pass that somebody may watch: it can be advanced phase by phase, by `step()`.

    Attributes:
        number: what tells it from other passes, once somebody asked.
        about_to: called with each turn that is about to call a hook or a rule, and which, or None.
        before_inner: called with each pass that runs inside of it, before that begins, or None.
        turn, position, is_over: how far a watched pass has come: the turn that has begun, if one
            has; the place in the schedule; whether it has come to its end, or was closed.
        is_rewound: whether a watched pass was ever stepped back, and so does things again.
    """

    number: int | None = None
    about_to: Callable[[str, Turn], None] | None = None
    before_inner: Callable[["GraphTask"], None] | None = None
    turn: Turn | None = None
    position: int = 0
    is_over: bool = False
    is_rewound: bool = False

    def run_among_others(self) -> None:
        """Visit all nodes inside of another pass, or let the thread's watcher do it."""
        self.tell_outer()
        if modes.task is not None and modes.task.depth + 1 == MAX_DEPTH:
            on_fresh_stack(self.run)
        elif state.watching and modes.watcher is not None:
            modes.watcher(self)
        else:
            self.run_here()

    def tell_outer(self) -> None:
        """Tell whoever watches the pass around this one, if there is one, that it begins."""
        if modes.task is not None and modes.task.before_inner is not None:
            self.before_inner = modes.task.before_inner
            modes.task.before_inner(self)

    def computed(self) -> set[Node]:
        """The nodes whose gradients this pass computes."""
        nodes, needed = set(self.schedule), self.schedule.needed
        return nodes if needed is None else nodes & (needed | self.wanted.keys())

    def asked_for(self, node: Node, results: Grads) -> Grads:
        """The gradients of a node's operands, None in the place of those nobody asked for."""
        needed, wanted = self.schedule.needed, self.wanted
        goals = [ends(edge)[0] for edge in node.edges]
        if needed is not None:
            goals = [goal if goal in needed or goal in wanted else None for goal in goals]
        pairs = zip(goals, results, strict=True)
        return tuple([None if goal is None else grad for goal, grad in pairs])

    def visit(self, node: Node) -> None:
        """Give a node its turn, phase by phase."""
        turn, advance = Turn(self, node), state.anomaly or Turn.step
        while advance(turn) is not None:
            pass

    @property
    def ahead(self) -> Node | None:
        """The node whose turn it is; None at the end."""
        return self.schedule[self.position] if self.position < len(self.schedule) else None

    def step(self) -> Phase | None:
        """Advance by one phase; None once the pass is over. An exception ends it."""
        try:
            while (phase := self.step_here()) is None and not self.is_over:
                pass
        except BaseException:
            self.close()
            raise
        return phase

    def step_here(self) -> Phase | None:
        """Advance by one phase, but not beyond the node whose turn it is: None where that ends.

        After an exception whoever calls this may look at what waited, and is to `close`.
        """
        if self.is_over:
            return None
        if modes.task is not self:
            return self.within(self.step_here)  # type: ignore[no-any-return]  # what it returns
        node = self.ahead
        if node is None:
            self._finish()
            self.close()
            return None
        turn = self.turn
        if turn is None:
            turn = self.turn = Turn(self, node)
            phase: Phase | None = Phase("ready", node, turn.grads)
        else:
            phase = (state.anomaly or Turn.step)(turn)
        if not turn.upcoming[0]:
            self.turn = None
            self.position += 1
        return phase

    def close(self) -> None:
        """End a watched pass, early or not: buffers go, the graph stays as it is."""
        self.is_over, self.turn = True, None
        self.buffers.clear()


MAX_DEPTH = 20
"""How many passes may run inside each other before the next one gets a stack of its own."""


MOST_STACKS = 250
"""How many stacks may wait for each other: a hook that always calls backward has no end."""

_OF_A_THREAD = ("key", "_mark", "task", "tracer")
"""Modes that no other thread can have."""


def on_fresh_stack(run: Callable[[], None]) -> None:
    """Call `run` in another thread and wait: backward inside backward may go deeper than a stack.

    The thread has this one's modes, and the transforms that are open here are open there; an
    exception arrives here.

    Raises:
        ReentrancyError: if too many wait already, each for the next.
    """
    if _waiting.count >= MOST_STACKS:
        raise ReentrancyError(
            f"maximum recursion depth exceeded: {(MOST_STACKS + 1) * MAX_DEPTH} backward passes "
            "run inside each other, each begun by a hook or a rule of the one around it. None ends "
            "before those inside have, and memory does. Have the hook call backward() under a "
            "condition that ends it, or outside of the pass."
        )
    from concurrent.futures import ThreadPoolExecutor

    given = {name: value for name, value in vars(modes).items() if name not in _OF_A_THREAD}
    begin = partial(_begin, _waiting.count + 1, given)
    with ThreadPoolExecutor(1, "glassgrad-backward", begin) as pool:
        pool.submit(run).result()


class _Waiting(threading.local):
    """How many stacks wait for that of this thread."""

    count = 0


_waiting = _Waiting()


def _begin(count: int, given: Changes) -> None:
    _waiting.count = count
    set_modes(**given)
