"""The backward pass: which nodes run, in which order, and what happens at each.

A `Schedule` is the list of nodes that a pass will visit, newest first, each leaf's AccumulateGrad
right behind its last consumer: PyTorch's order, and a list one can print. A `GraphTask` visits
them: phase by phase if somebody watches, by `step()`; else in one tight loop, by `run()`.

    ready → pre_hook* → apply → post_hook* → free_saved → buffer*        a node
    ready → pre_hook* → accumulate → post_accumulate* → post_hook*       a leaf's AccumulateGrad

Gradients wait in `GraphTask.buffers` until their node's turn. They are arrays; Tensors under
`create_graph`, so that everything done to them is recorded.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from glassgrad.core import state
from glassgrad.core.graph import AccumulateGrad, GradientEdge, Node, ends
from glassgrad.core.hooks import (
    has_no_hooks,
    post_hooks,
    pre_hooks,
    run_accumulated,
    run_after,
    run_all,
    run_before,
    tensor_hooks,
)
from glassgrad.core.saved import FREED
from glassgrad.core.state import modes, set_hook_pairs, set_modes
from glassgrad.core.tensor import Tensor

from .gradients import A_LOCAL, accumulate, as_leaf_wants, fit, is_own
from .phase import Phase
from .schedule import Edge, Schedule
from .stack import MAX_DEPTH, on_fresh_stack
from .visit import Visit

__all__ = ["GraphTask", "Phase", "Schedule"]

Grads = tuple[Any, ...]


class GraphTask:
    """One backward pass.

    Args:
        roots: the edges where it starts, with `grads`, the gradients that arrive there.
        keep_graph: leave saved tensors for another pass.
        create_graph: record the pass itself; gradients are Tensors then.
        recording: whether what happens is recorded; by default as `create_graph` says. The graph
            of a closed transform is run on tensors one level down, whose tapes may go on.
        lift: whether rules get what was saved as Tensors with their place in the graph, as under
            `create_graph`: so where a gradient is a tensor of a transform.
        captures: the edges whose gradients are wanted, for `grad()`; None: accumulate in leaves.
        accumulate_at: the nodes that run besides, for `backward(inputs=…)`.

    Attributes:
        schedule: the nodes in order.
        buffers: the gradients that wait for a node: one, or a list if it has several outputs.
        wanted: the nodes of `captures`, with (output number, place) of each.
        captured: the gradients of `captures`, None where nothing arrived.
        callbacks: what to call when all nodes have run.
        only_root: the node of a single root of a pass limited to `captures` or `accumulate_at`:
            the hooks of its tensors run, whether or not a gradient is wanted below it.
        depth: how many passes of this thread it runs inside of.
        node: the node it is at, wherever user code can ask; None before the first of them.
        number: what tells it from other passes, once somebody asked.
        before_inner: called with each pass that runs inside of it, before that begins, or None.
        turn, position, is_over: how far a watched pass has come: the turn that has begun, if one
            has; the place in the schedule; whether it has come to its end, or was closed.
        is_rewound: whether a watched pass was ever stepped back, and so does things again.
    """

    node: Node | None = None
    number: int | None = None
    before_inner: Callable[["GraphTask"], None] | None = None
    turn: Visit | None = None
    position: int = 0
    is_over: bool = False
    is_rewound: bool = False

    def __init__(
        self,
        roots: Sequence[Edge],
        grads: Sequence[Any],
        *,
        keep_graph: bool = False,
        create_graph: bool = False,
        recording: bool | None = None,
        lift: bool = False,
        captures: Sequence[Edge] | None = None,
        accumulate_at: set[Node] | None = None,
    ) -> None:
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.recording = create_graph if recording is None else recording
        self.lift = lift or create_graph
        self.on_tensors = self.lift
        for grad in grads:
            if isinstance(grad, Tensor):
                self.on_tensors = True
        self.buffers: dict[Any, Any] = {}  # an edge to a node's only output is the node
        self.captured: list[Any] = [None] * len(captures or ())
        self.wanted: dict[Node, list[tuple[int, int]]] = {}
        for place, edge in enumerate(captures or ()):
            node, nr = ends(edge)
            self.wanted.setdefault(node, []).append((nr, place))
        limited = captures is not None or accumulate_at is not None
        targets = set(self.wanted) | (accumulate_at or set()) if limited else None
        self.schedule = Schedule([ends(edge)[0] for edge in roots], targets)
        self.only_root = ends(roots[0])[0] if limited and len(roots) == 1 else None
        if self.schedule.needed is not None:
            self.schedule.needed |= accumulate_at or set()
        for edge, grad in zip(roots, grads, strict=True):
            self._put(edge, grad)
        self.callbacks: list[Callable[[], Any]] = []
        self.depth = 0

    # Nobody watches ---------------------------------------------------------------------------

    def run(self) -> None:
        """Visit all nodes, or let a watcher do it. An exception ends the pass: nothing is left."""
        outer = modes.task
        self.depth = 0 if outer is None else outer.depth + 1
        if self.depth:
            self.tell_outer()
        if self.depth == MAX_DEPTH:
            on_fresh_stack(self.run)
            return
        if state.watching and modes.watcher is not None:
            modes.watcher(self)
            return
        before, pairs = (modes.grad, modes.inference), modes.hook_pairs
        set_modes(self.recording, False)
        modes.task = self
        try:
            with np.errstate(all="ignore"):
                if state.anomaly is None:
                    self._run_all()
                else:
                    state.anomaly.run(self)
                self._finish()
        finally:
            modes.task = outer
            set_modes(*before)
            if modes.hook_pairs is not pairs:
                set_hook_pairs(pairs)
            self.buffers.clear()

    def tell_outer(self) -> None:
        """Tell whoever watches the pass around this one, if there is one, that it begins."""
        if modes.task is not None and modes.task.before_inner is not None:
            self.before_inner = modes.task.before_inner
            modes.task.before_inner(self)

    def computed(self) -> set[Node]:
        """The nodes whose gradients this pass computes."""
        nodes, needed = set(self.schedule), self.schedule.needed
        return nodes if needed is None else nodes & (needed | self.wanted.keys())

    def _run_all(self) -> None:
        """The tight loop: what `visit` does, written out for built-in ops without hooks."""
        node: Any
        if self.on_tensors or self.schedule.needed is not None:
            for node in self.schedule:
                self._visit_now(node)
            return
        buffers, free = self.buffers, not self.keep_graph
        take, put, add, getrefcount = buffers.pop, self._put, self._add, sys.getrefcount
        for node in self.schedule:
            if not node._is_quick:
                if node.__class__ is AccumulateGrad and has_no_hooks(node):
                    grad = take(node, None)
                    if grad is not None:
                        unshared = getrefcount(grad) <= A_LOCAL  # counted before it is an argument
                        accumulate(node.variable, grad, unshared)
                else:
                    self._visit_now(node)
                continue
            grad = take(node, None)
            cold = node.cold
            if cold is not None and cold.before:
                self.node = node
                grad = run_before(cold, grad)
            if node.seq < state.last_write:
                node.check_versions()
            if grad is None:
                grads: Any = node.compute((None,), False)
            else:
                grads = node.backward(grad)
                if node.checked:
                    grads = fit(node, grads if grads.__class__ is tuple else (grads,))
            if cold is not None and cold.post:
                self.node = node
                grads = grads if grads.__class__ is tuple else (grads,)
                grads = run_after(node, grads, grad)
            grad = None  # from here on the buffers alone refer to the gradients
            if grads.__class__ is tuple:
                for edge, part in zip(node.edges, grads):  # noqa: B905  # a rule returns as many
                    if edge is not None and part is not None:
                        if edge in buffers:
                            add(edge, part)
                        elif edge.__class__ is GradientEdge:
                            put(edge, part)
                        else:
                            buffers[edge] = part
                part = None
            else:
                (edge,) = node.edges
                if edge in buffers:
                    add(edge, grads)
                elif edge.__class__ is GradientEdge:
                    put(edge, grads)
                elif edge is not None:  # as behind a view that was made in no_grad mode
                    buffers[edge] = grads
            grads = None
            if free and node.holders is not None:
                node.saved_tensors = FREED
                node.holders = node.versions = None

    def _visit_now(self, node: Any) -> None:
        """Visit a node that is not quick, by the shortest way."""
        self.node = node
        needed = self.schedule.needed
        is_all = needed is None or (
            node in needed and node not in self.wanted and type(node) is not AccumulateGrad
        )
        if not is_all or node.cold is not None:
            self.visit(node)
        elif type(node) is AccumulateGrad:
            (grad,) = run_all(tensor_hooks(node), self._take(node))
            self._accumulate(node.variable, grad)
            run_accumulated(node.variable)
        else:
            buffers = self.buffers
            grad = buffers.pop(node, None)
            single = grad is not None and grad.__class__ is not list
            grads = (grad,) if single else self._spread(node, grad)
            results = fit(node, node.compute(grads, self.lift))
            if not self.keep_graph:
                node.release()
            for edge, part in zip(node.edges, results):  # noqa: B905  # fit saw as many
                if edge in buffers or edge.__class__ is GradientEdge:
                    self._put(edge, part)
                elif edge is not None and part is not None:
                    buffers[edge] = part

    # Somebody watches -------------------------------------------------------------------------

    def step(self) -> Phase | None:
        """Advance by one phase; None once the pass is over. An exception ends it."""
        while (phase := self.step_here()) is None and not self.is_over:
            pass
        return phase

    def step_here(self) -> Phase | None:
        """Advance by one phase, but not beyond the node whose turn it is: None where that ends."""
        if self.is_over:
            return None
        try:
            if self.position == len(self.schedule):
                self.within(self._finish)
                self.close()
                return None
            if self.turn is None:
                self.turn = Visit(self, self.schedule[self.position])
            act = partial(state.anomaly.step, self.turn) if state.anomaly else self.turn.step
            phase: Phase | None = self.within(act)
        except BaseException:  # as `close`; but whoever watches may look at what waited
            self.is_over, self.turn, self.buffers = True, None, {}
            raise
        if not self.turn.upcoming[0]:
            self.turn = None
            self.position += 1
        return phase

    def close(self) -> None:
        """End a watched pass, early or not: buffers go, the graph stays as it is."""
        self.is_over, self.turn = True, None
        self.buffers.clear()

    def _finish(self) -> None:
        """Call what was queued for the end of the pass."""
        self.node = None
        for callback in self.callbacks:  # which may grow meanwhile
            callback()

    def within(self, act: Callable[[], Any]) -> Any:
        """Call `act`, many steps or one, in the modes of the pass: they are the caller's else."""
        if modes.task is self:
            return act()
        before, outer, pairs = (modes.grad, modes.inference), modes.task, modes.hook_pairs
        self.depth = 0 if outer is None else outer.depth + 1
        set_modes(self.recording, False)
        modes.task = self
        try:
            with np.errstate(all="ignore"):
                return act()
        finally:
            modes.task = outer
            set_modes(*before)
            if modes.hook_pairs is not pairs:
                set_hook_pairs(pairs)

    # One node -----------------------------------------------------------------------------------

    def visit(self, node: Node) -> None:
        """All that happens at one node, in one go; a `Visit` does it phase by phase."""
        self.node = node
        grads = self._take(node)
        needed = self.schedule.needed
        if needed is not None and node not in needed:
            if node in self.wanted or node is self.only_root:
                self._capture(node, run_all(tensor_hooks(node), grads))
            return
        self._capture(node, grads)  # before its hooks, as in PyTorch, where the node runs itself
        grads = run_all([*tensor_hooks(node), *pre_hooks(node)], grads)
        if type(node) is AccumulateGrad:
            results: Grads = ()
            self._accumulate(node.variable, grads[0])
            run_accumulated(node.variable)
        else:
            results = fit(node, node.compute(grads, self.lift))
            if node.cold is not None and node.cold.post and not node._is_users:
                results = self._asked_for(node, results)
        results = run_all(post_hooks(node, grads), results)
        if not self.keep_graph:
            node.release()
        for edge, part in zip(node.edges, results, strict=False):
            if edge is not None:
                self._put(edge, part)

    def _asked_for(self, node: Node, results: Grads) -> Grads:
        """The gradients of `node`'s operands, None in the place of those that nobody asked for."""
        goals = [None if edge is None else ends(edge)[0] for edge in node.edges]
        needed = self.schedule.needed
        if needed is not None:
            goals = [goal if goal in needed or goal in self.wanted else None for goal in goals]
        pairs = zip(goals, results, strict=True)
        return tuple([None if goal is None else grad for goal, grad in pairs])

    def _take(self, node: Node) -> Grads:
        """The gradients that have arrived at `node`, one for each of its outputs."""
        if type(node) is AccumulateGrad:
            return (as_leaf_wants(node.variable, self.buffers.pop(node, None)),)
        return self._spread(node, self.buffers.pop(node, None))

    @staticmethod
    def _spread(node: Node, waiting: Any) -> Grads:
        if type(waiting) is list:
            return tuple(waiting)
        return (None,) * node.num_outputs if waiting is None else (waiting,)

    def _put(self, edge: Edge, grad: Any) -> Node:
        """Add `grad` to what waits at the end of `edge`."""
        node, nr = ends(edge)
        buffers = self.buffers
        if type(node.out_dtype) is tuple:
            slots = buffers.setdefault(node, [None] * node.num_outputs)
            if grad is not None:
                slots[nr] = grad if slots[nr] is None else slots[nr] + grad
        elif node in buffers:
            self._add(node, grad)
        elif grad is not None:
            buffers[node] = grad
        return node

    def _add(self, node: Node, grad: Any) -> None:
        """Add `grad` to what waits at a node with one output."""
        have = self.buffers[node]
        if grad is None:
            return
        if (
            not self.on_tensors
            and have.size >= _WORTH_REUSING
            and sys.getrefcount(have) <= A_LOCAL + 1  # here, and in the buffers
            and is_own(have)
        ):
            np.add(have, grad, out=have)  # Note [Who owns a gradient]
        else:
            self.buffers[node] = have + grad

    def _capture(self, node: Node, grads: Grads) -> None:
        for nr, place in self.wanted.get(node, ()):
            self.captured[place] = grads[nr]

    def _accumulate(self, leaf: Tensor, grad: Any, unshared: bool = False) -> None:
        if grad is not None and leaf.requires_grad:
            if modes.duals is not None and self.lift and not self.recording:
                grad = grad.detach()  # it may have a tangent, which would not be recorded either
            accumulate(leaf, grad, unshared)


_WORTH_REUSING = 4096
"""From so many elements on, adding in place is faster than adding into a new array."""
