"""The backward pass: which nodes run, in which order, and what happens at each.

A `Schedule` is the list of nodes that a pass will visit, newest first, each leaf's AccumulateGrad
right behind its last consumer: PyTorch's order, and a list one can print. A `GraphTask` gives each
its turn: phase by phase if somebody watches, by `step()`; else in one tight loop, by `run()`.

Gradients wait in `GraphTask.buffers` until their node's turn. They are arrays; Tensors under
`create_graph`, so that everything done to them is recorded.

# Note [Who owns a gradient]
# A gradient may be added to in place, or become a leaf's `.grad`, only if nobody else refers to
# its array: not a saved tensor, not another buffer, not the caller. CPython's reference count
# says so exactly, as the use count of its tensors does for PyTorch.
"""

import functools
import sys
import threading
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from . import state
from .errors import GradientError
from .graph import AccumulateGrad, Edge, GradientEdge, Node, ends
from .saved import FREED
from .state import Place, modes, plugs, setting
from .tensor import ANY_DTYPE, Tensor, whole, wrap

if TYPE_CHECKING:
    from glassgrad.hooks.turn import Phase

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
            order.append(node)
            if node in last_to_feed:
                order += last_to_feed[node]
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
    turn: Any = None
    position: int = 0
    depth: int = 0
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
        self.on_tensors = self.lift = lift or create_graph
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
            self.put(edge, grad)
        self.callbacks: list[Callable[[], Any]] = []

    # Nobody watches ---------------------------------------------------------------------------

    def run(self) -> None:
        """Visit all nodes, or let a watcher do it. An exception ends the pass: nothing is left."""
        outer = modes.task
        self.depth = 0 if outer is None else outer.depth + 1
        if self.depth:
            self.tell_outer()
        if self.depth == plugs.turn.MAX_DEPTH:
            plugs.turn.on_fresh_stack(self.run)
        elif state.watching and modes.watcher is not None:
            modes.watcher(self)
        else:
            try:
                self.within(self._run_all)
            finally:
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
        """The tight loop: what a `Turn` does, for built-in ops and nodes on which nothing hangs."""
        buffers, free, needed = self.buffers, not self.keep_graph, self.schedule.needed
        on_arrays, wanted = not self.on_tensors, self.wanted
        take, put, add, getrefcount = buffers.pop, self.put, self._add, sys.getrefcount
        if state.anomaly is not None:
            needed = set()  # all of them by phases, which are looked at
        node: Any
        for node in self.schedule:
            if needed is not None and (node in wanted or node not in needed):
                plugs.turn.Turn(self, node).finish()
                continue
            if node._is_quick and on_arrays:
                grad = take(node, None)
                cold = node.cold
                if cold is not None and cold.before:
                    self.node = node
                    grad = plugs.hooks.run_before(cold, grad)
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
                    if needed is not None:
                        grads = plugs.turn.asked_for(self, node, grads)
                    grads = plugs.hooks.run_after(node, grads, grad)
                grad = None  # from here on the buffers alone refer to the gradients
                if free and node.holders is not None:
                    node.saved_tensors = FREED
                    node.holders = node.versions = None
            elif node.__class__ is AccumulateGrad and on_arrays and not has_hooks(node):
                grad = take(node, None)
                if grad is not None:
                    unshared = getrefcount(grad) <= A_LOCAL  # counted before it is an argument
                    accumulate(node.variable, grad, unshared)
                continue
            elif node.cold is not None or node.__class__ is AccumulateGrad:
                plugs.turn.Turn(self, node).finish()
                continue
            else:
                self.node = node
                grads = fit(node, node.compute(self.take(node), self.lift))
                if free:
                    node.release()
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
        self._finish()

    # Somebody watches -------------------------------------------------------------------------

    def step(self) -> "Phase | None":
        """Advance by one phase; None once the pass is over. An exception ends it."""
        while (phase := self.step_here()) is None and not self.is_over:
            pass
        return phase

    def step_here(self) -> "Phase | None":
        """Advance by one phase, but not beyond the node whose turn it is: None where that ends."""
        if self.is_over:
            return None
        try:
            if self.position == len(self.schedule):
                self.within(self._finish)
                self.close()
                return None
            if self.turn is None:
                self.turn = plugs.turn.Turn(self, self.schedule[self.position])
            act = functools.partial(state.anomaly or plugs.turn.Turn.step, self.turn)
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
        outer = modes.task
        if outer is self:
            return act()
        self.depth = 0 if outer is None else outer.depth + 1
        pairs = modes.hook_pairs
        of_the_pass = setting(grad=self.recording, inference=False, task=self, hook_pairs=pairs)
        with of_the_pass, np.errstate(all="ignore"):
            return act()

    # Both --------------------------------------------------------------------------------------

    def take(self, node: Node) -> Grads:
        """The gradients that have arrived at `node`, one for each of its outputs."""
        waiting = self.buffers.pop(node, None)
        if type(waiting) is list:
            return tuple(waiting)
        if type(node) is AccumulateGrad:
            return (as_leaf_wants(node.variable, waiting),)
        return (None,) * node.num_outputs if waiting is None else (waiting,)

    def put(self, edge: Edge, grad: Any) -> Node:
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


_WORTH_REUSING = 4096
"""From so many elements on, adding in place is faster than adding into a new array."""

# What becomes of a gradient on its way -----------------------------------------------------------


def fit(node: Node, grads: Grads) -> Grads:
    """Give each gradient the shape and dtype of the operand it belongs to."""
    fitted = list(grads)
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
        if grad.shape != shape or grad.dtype is not dtype:
            fitted[position] = _fit_one(node, position, grad, shape, dtype)
    return tuple(fitted)


def _fit_one(node: Node, position: int, grad: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    edge = node.edges[position]
    if isinstance(edge, AccumulateGrad) and _grad_dtype(edge.variable) is not None:
        dtype = _grad_dtype(edge.variable)
    if grad.shape[1:] == shape:  # a bias, a weight shared over a batch
        grad = _sum_of_rows(grad)
    elif grad.shape != shape:
        if not _can_sum_to(grad.shape, shape):
            raise GradientError(
                f"Function {node.name()} returned an invalid gradient at index {position} - got "
                f"{list(grad.shape)} but expected shape compatible with {list(shape)}. The "
                "gradient of an input has the input's shape, or one that broadcasting made of it. "
                "Look at what backward returns in that place."
            )
        grad = sum_to(grad, shape)
    if dtype is ANY_DTYPE or grad.dtype == dtype:
        return grad
    if node._is_users and grad.dtype.kind == "c" and dtype.kind == "f":
        raise GradientError(
            f"Function {node.name()} returned an invalid gradient at index {position} - got "
            f"{grad.dtype} for an input of {dtype}. A real input has a real gradient, and what the "
            "imaginary part means is not known. Return `grad.real`, if that is meant."
        )
    return _converted(grad, dtype)


def _converted(grad: Any, dtype: Any) -> Any:
    """A gradient in another dtype; a real one has the real part of a complex one."""
    if grad.dtype.kind == "c" and dtype.kind == "f":
        grad = np.real(grad)
    return grad.to(dtype) if isinstance(grad, Tensor) else grad.astype(dtype)


def _grad_dtype(leaf: Tensor) -> Any:
    """The leaf's `grad_dtype` if it was set, else None."""
    return None if leaf.cold is None else leaf.cold.grad_dtype


def as_leaf_wants(leaf: Tensor, grad: Any) -> Any:
    """`grad` in the dtype that `leaf.grad_dtype` asks for."""
    wanted = _grad_dtype(leaf)
    if grad is None or wanted is None or wanted is ANY_DTYPE or grad.dtype == wanted:
        return grad
    return _converted(grad, wanted)


def _sum_of_rows(grad: Any) -> Any:
    """The sum over the first dim. BLAS adds rows three to ten times as fast as NumPy does."""
    if type(grad) is np.ndarray and grad.ndim == 2 and grad.dtype.char in "fd":
        return _ones(len(grad), grad.dtype).dot(grad)
    return grad.sum(axis=0)


@functools.lru_cache(maxsize=32)
def _ones(n: int, dtype: Any) -> Any:
    return np.ones(n, dtype)


def _can_sum_to(shape: Sequence[int], target: Sequence[int]) -> bool:
    if len(shape) < len(target):
        return False
    tail = shape[len(shape) - len(target) :]
    return all(n == m or m == 1 for n, m in zip(tail, target, strict=True))


def sum_to(grad: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum over the dims it added or stretched.

    Args:
        grad: a value of a shape that `shape` broadcasts to.

    Returns:
        A value of shape `shape`.
    """
    lead = grad.ndim - len(shape)
    stretched = [lead + i for i, n in enumerate(shape) if n == 1 and grad.shape[lead + i] != 1]
    axes = (*range(lead), *stretched)
    total = grad.sum(axis=axes) if axes else grad
    return total if total.shape == shape else total.reshape(shape)


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
    the order that the leaf's elements have in memory.
    """
    with _accumulating:
        cold = leaf.cold or leaf.cold_side()
        old = cold.grad
        if old is None:
            is_usual = leaf.payload.flags.c_contiguous
            if unshared and is_usual and is_own(grad):
                cold.grad = wrap(grad)
            elif isinstance(grad, Tensor):
                cold.grad = _placed(leaf, grad.clone())
            elif is_usual:
                cold.grad = wrap(whole(grad).copy())
            else:
                cold.grad = wrap(_in_order_of(leaf.payload, grad))
        elif isinstance(grad, Tensor):
            cold.grad = _placed(leaf, old + grad)
        else:
            np.add(old.payload, grad, out=old.payload)
            old.wrote(_HERE)


_HERE: Place = (accumulate.__code__, 0)
"""Where gradients are written: known, and so not looked for."""

_accumulating = threading.RLock()
"""Passes in several threads may end at the same leaf."""


def _placed(leaf: Tensor, grad: Tensor) -> Tensor:
    """A gradient just computed, its elements in the order that those of `leaf` have in memory."""
    if grad.payload.strides != leaf.payload.strides:
        grad.payload = _in_order_of(leaf.payload, grad.payload)
    return grad


def _in_order_of(array: Any, grad: Any) -> Any:
    """A copy of `grad` whose elements lie in memory as those of `array` do."""
    copy = np.empty_like(array, dtype=grad.dtype)
    copy[...] = grad
    return copy
