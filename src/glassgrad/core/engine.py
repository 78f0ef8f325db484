"""The backward pass: which nodes run, in which order, and what happens at each.

A `Schedule` is the list of nodes that a pass will visit, newest first, each leaf's AccumulateGrad
right behind its last consumer: PyTorch's order, and a list one can print. A `Pass` gives each its
turn in one tight loop; a log looks on. Where somebody steps, or a hook hangs, a node is visited
phase by phase instead (`hooks/turn.py`).

Gradients wait in `Pass.buffers` until their node's turn. They are arrays; Tensors under
`create_graph`, so that everything done to them is recorded.

# Note [Who owns a gradient]
# A gradient may be added to in place, or become a leaf's `.grad`, only if nobody else refers to
# its array: not a saved tensor, not another buffer, not the caller. CPython's reference count
# says so exactly, as the use count of its tensors does for PyTorch.
"""

import sys
import threading
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from . import state
from .graph import AccumulateGrad, Edge, GradientEdge, Node, ends
from .saved import FREED, Gone
from .state import Func, Place, here, modes, plugs, setting
from .tensor import Tensor, as_tensor, whole

Grads = tuple[Any, ...]
_by_seq = attrgetter("seq")


class Schedule(list[Node]):
    """The nodes a pass visits, in order: one sort, since edges point to older nodes.

    Args:
        roots: where the pass starts.
        targets: the nodes whose gradients are wanted; None for all leaves.

    Attributes:
        needed: with `targets`, the nodes that run because one of them is downstream.
    """

    needed: set[Node] | None

    def __init__(self, roots: Sequence[Node], targets: set[Node] | None = None) -> None:
        order: list[Node] = []
        starts = list(dict.fromkeys(roots))
        nodes, last_to_feed = _reach([n for n in starts if n.__class__ is not AccumulateGrad])
        if AccumulateGrad in map(type, starts):
            fed = {leaf for leaves in last_to_feed.values() for leaf in leaves}
            order = [n for n in starts if type(n) is AccumulateGrad and n not in fed]
        nodes.sort(key=_by_seq, reverse=True)
        for node in nodes:
            order += [node, *last_to_feed.get(node, ())]
        super().__init__(order)
        self.needed = None if targets is None else self._upstream_of(targets)

    def _upstream_of(self, targets: set[Node]) -> set[Node]:
        """The nodes from which an edge leads towards one of `targets`."""
        needed: set[Node] = set()
        for node in reversed(self):
            for edge in node.edges:
                goal = edge.node if type(edge) is GradientEdge else edge
                if goal in targets or goal in needed:
                    needed.add(node)
                    break
        return needed


def _reach(starts: list[Node]) -> tuple[list[Node], dict[Node, list[Node]]]:
    """The nodes reachable from `starts`, and the leaves each of them is the last to feed."""
    nodes: list[Any] = starts
    seen: set[Any] = {None, *starts}
    oldest: dict[Node, Node] = {}
    for node in nodes:  # which grows meanwhile
        for edge in node.edges:
            if edge in seen:
                continue
            kind = edge.__class__
            if kind is AccumulateGrad:
                if edge in oldest:
                    if oldest[edge].seq < node.seq:
                        continue
                    del oldest[edge]  # its place is behind what this node feeds before it
                oldest[edge] = node
                continue
            if kind is GradientEdge:
                edge = edge.node
                if edge in seen:
                    continue
            seen.add(edge)
            nodes.append(edge)
    last_to_feed: dict[Node, list[Node]] = {}
    for leaf, node in oldest.items():  # edges were seen in input order, and so are these
        last_to_feed.setdefault(node, []).append(leaf)
    return nodes, last_to_feed


def has_hooks(node: Any) -> bool:
    """Whether anything may hang on a node, or on the leaf of an AccumulateGrad."""
    if node.cold is not None or node.__class__ is not AccumulateGrad:
        return node.cold is not None
    cold: Any = node.variable.cold  # it has one: it refers to the node
    return cold.hooks is not None or cold.post_hooks is not None


def fit(node: Node, grads: Grads) -> Grads:
    """Give each gradient the shape and dtype of the operand it belongs to."""
    edge: Any
    for position, edge in enumerate(node.edges):
        grad = grads[position]
        if grad is None or edge is None:
            continue
        kind = edge.__class__
        if kind is AccumulateGrad:
            operand = edge.variable.payload
            shape, dtype = operand.shape, operand.dtype
        elif kind is GradientEdge:
            shape, dtype = edge.node._input_metadata[edge.output_nr]
        else:
            shape, dtype = edge.out_shape, edge.out_dtype
        if grad.shape != shape or (grad.dtype is not dtype and grad.dtype != dtype):
            fitted = plugs.gradients.fitted(node, position, grad, shape, dtype)
            grads = (*grads[:position], fitted, *grads[position + 1 :])
    return grads


class Pass:
    """One backward pass. A `GraphTask` (`hooks/turn.py`) is one that can be watched, too.

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
        freed: what takes the place of what nodes have saved, when they let go of it.
        depth: how many passes of this thread it runs inside of.
        node: the node it is at, wherever user code can ask; None before the first of them.
        is_logged: whether a log (`tracing/log.py`) has put its own `buffers`, `put` and `fit` in
            place of these here: the tight loop calls them then for each node.
        run_among_others, visit, asked_for: what a `GraphTask` does where passes run inside each
            other, somebody watches, or hooks hang.
    """

    node: Node | None = None
    depth: int = 0
    freed: Gone = FREED
    is_logged: bool = False
    fit = staticmethod(fit)
    run_among_others: Func
    visit: Func
    asked_for: Func

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
        self.recording = create_graph if recording is None else recording
        self.on_tensors = self.lift = lift or create_graph
        self.buffers: dict[Any, Any] = {}  # an edge to a node's only output is the node
        self.captured: list[Any] = [None] * len(captures or ())
        self.wanted: dict[Node, list[Any]] = {}
        for place, edge in enumerate(captures or ()):
            node, nr = ends(edge)
            self.wanted.setdefault(node, []).append((nr, place))
        nodes, at = [ends(edge)[0] for edge in roots], accumulate_at or set()
        is_limited = captures is not None or accumulate_at is not None
        self.schedule = Schedule(nodes, self.wanted.keys() | at if is_limited else None)
        if is_limited:
            self.schedule.needed |= at  # type: ignore[operator]  # it is a set then
        self.only_root = nodes[0] if is_limited and len(nodes) == 1 else None
        for edge, grad in zip(roots, grads, strict=True):
            self.on_tensors |= isinstance(grad, Tensor)
            self.put(edge, grad)
        self.callbacks: list[Func] = []

    def run(self) -> None:
        """Visit all nodes, or let a watcher do it. An exception ends the pass: nothing is left."""
        self.freed = Gone(FREED.message, here(3), self.schedule[0].seq)
        if modes.task is None and not state.watching:
            self.run_here()
        else:
            self.run_among_others()

    def run_here(self) -> None:
        """Visit all nodes, watched by nobody."""
        try:
            self.within(self._run_all)
        finally:
            self.buffers.clear()

    def within(self, act: Func) -> Any:
        """Call `act`, many steps or one, in the modes of the pass: they are the caller's else."""
        self.depth = 0 if modes.task is None else modes.task.depth + 1
        own = setting(grad=self.recording, task=self, hook_pairs=modes.hook_pairs)
        # Note [One line is not cut]
        with own, np.errstate(all="ignore"): return act()  # noqa: E701  # fmt: skip

    def _run_all(self) -> None:
        """The tight loop: what a `Turn` does, for built-in ops and nodes on which nothing hangs."""
        buffers, free, needed = self.buffers, not self.keep_graph, self.schedule.needed
        on_arrays, wanted = not self.on_tensors, self.wanted
        is_quick = on_arrays and not self.is_logged
        take, put, array = buffers.pop, self.put, np.ndarray
        if state.anomaly is not None:
            needed = set()  # all of them by phases, which are looked at
        node: Any
        for node in self.schedule:
            if needed is not None and (node in wanted or node not in needed):
                self.visit(node)
                continue
            if node._is_quick and is_quick:
                grad = take(node, None)
                if grad.__class__ is not array:
                    grad = whole(grad)  # NumPy multiplies a scalar of its own in twice the time
                cold = node.cold
                if cold is not None and cold.before:
                    self.node = node
                    grad = plugs.hooks.run_before(node, grad)
                if node.seq < state.last_write:
                    plugs.saved.check_versions(node)
                if grad is None:
                    grads: Any = node.compute((None,), False)
                else:
                    grads = node.backward(grad)
                    if node.checked:
                        grads = fit(node, grads if grads.__class__ is tuple else (grads,))
                if cold is not None and cold.post:
                    self.node = node
                    grads = grads if grads.__class__ is tuple else (grads,)
                    if needed is not None:
                        grads = self.asked_for(node, grads)
                    grads = plugs.hooks.run_after(cold, node.edges, grads, grad)
                grad = None  # from here on the buffers alone refer to the gradients
                if free and node.holders is not None:
                    node.saved_tensors = self.freed
                    node.holders = node.versions = None
            elif node.__class__ is AccumulateGrad and on_arrays and not has_hooks(node):
                grad = take(node, None)
                if grad.__class__ is not array:
                    grad = whole(grad)
                if grad is not None and node.variable.edge is not None:
                    unshared = sys.getrefcount(grad) <= A_LOCAL  # counted before it is an argument
                    with accumulating: accumulate(node.variable, grad, unshared)  # noqa: E701  # fmt: skip
                continue
            elif node.cold is not None or node.__class__ is AccumulateGrad:
                self.visit(node)
                continue
            else:
                self.node = node
                grads = self.fit(node, node.compute(self.take(node), self.lift))
                if free:
                    node.release()
            if grads.__class__ is tuple:
                for edge, part in zip(node.edges, grads):  # noqa: B905  # a rule returns as many
                    if edge is not None and part is not None:
                        if edge in buffers or edge.__class__ is GradientEdge:
                            put(edge, part)
                        else:
                            buffers[edge] = part
                part = None
            else:
                (edge,) = node.edges
                if edge in buffers or edge.__class__ is GradientEdge:
                    put(edge, grads)
                elif edge is not None:  # as behind a view that was made in no_grad mode
                    buffers[edge] = grads
            grads = None
        self._finish()

    def _finish(self) -> None:
        """Call what was queued for the end of the pass."""
        self.node = None
        for callback in self.callbacks:  # which may grow meanwhile
            callback()

    def take(self, node: Node) -> Grads:
        """The gradients that have arrived at `node`, one for each of its outputs."""
        waiting = self.buffers.pop(node, None)
        if waiting is None:
            return (None,) * node.num_outputs
        return tuple(waiting) if type(waiting) is list else (waiting,)

    def put(self, edge: Edge, grad: Any) -> Node:
        """Add `grad` to what waits at the end of `edge`."""
        node: Node
        node, nr = ends(edge)
        buffers = self.buffers
        if grad is None:
            return node
        if type(node.out_dtype) is tuple:
            slots = buffers.setdefault(node, [None] * node.num_outputs)
            slots[nr] = grad if slots[nr] is None else slots[nr] + grad
            return node
        have = buffers.get(node)
        if have is None:
            buffers[node] = grad
        elif (
            not self.on_tensors
            and have.size >= _WORTH_REUSING
            and sys.getrefcount(have) <= A_LOCAL + 1  # here, and in the buffers
            and is_own(have)
        ):
            np.add(have, grad, out=have)  # Note [Who owns a gradient]
        else:
            buffers[node] = have + grad
        return node


_WORTH_REUSING = 4096
"""From so many elements on, adding in place is faster than adding into a new array."""

# What becomes of a gradient on its way -----------------------------------------------------------


def _count_a_local() -> int:
    local = object()
    return sys.getrefcount(local)


A_LOCAL = _count_a_local()
"""The reference count of an object that only one local variable refers to."""


def is_own(array: Any) -> bool:
    """Whether the memory of an unshared array is its own, writable and in order."""
    base = array.base
    if base is not None and (type(base) is not type(array) or sys.getrefcount(base) > A_LOCAL + 1):
        return False  # somebody else looks at the same memory
    flags = array.flags
    return bool(flags.c_contiguous and getattr(flags, "writeable", True))


def accumulate(leaf: Tensor, grad: Any, unshared: bool) -> None:
    """Add `grad` to `leaf.grad`, in place if it is an array and there is one already.

    The first one becomes `leaf.grad` itself if it is nobody else's; else a copy of it does, in
    the order that the leaf's elements have in memory. Call it while you hold `accumulating`.
    """
    cold = leaf.cold or leaf.cold_side()
    old = cold.grad
    if grad.__class__ is not np.ndarray and isinstance(grad, Tensor):
        cold.grad = grad.clone() if old is None else old + grad
        if cold.grad.payload.strides != leaf.payload.strides:
            cold.grad.payload = _in_order_of(leaf.payload, cold.grad.payload)
    elif old is not None:
        old.wrote(_HERE)  # first: what comes in between leaves no write that nobody counted
        np.add(old.payload, grad, out=old.payload)
    else:
        is_free = unshared and leaf.payload.flags.c_contiguous and is_own(grad)
        cold.grad = as_tensor(grad if is_free else _in_order_of(leaf.payload, grad))


_HERE: Place = (accumulate.__code__, 0)
"""Where gradients are written: known, and so not looked for."""

accumulating = threading.RLock()
"""Passes in several threads may end at the same leaf. See Note [One line is not cut]."""


def _in_order_of(array: Any, grad: Any) -> Any:
    """A copy of `grad` whose elements lie in memory as those of `array` do."""
    copy = np.empty_like(array, dtype=grad.dtype)
    copy[...] = grad
    return copy
