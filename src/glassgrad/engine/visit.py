"""One node's turn in a watched pass, phase by phase.

A `Visit` does what `GraphTask.visit` does in one go. What is left to do is a tuple, and where it
stands in it is a number, so that whoever watches can see what comes next, change the gradients
between two phases, and put the turn back to where it was.
"""

import sys
from typing import TYPE_CHECKING, Any

from glassgrad.core.graph import AccumulateGrad, Node
from glassgrad.core.hooks import (
    Step,
    accumulated_hooks,
    has_no_hooks,
    post_hooks,
    pre_hooks,
    run_all,
    tensor_hooks,
)
from glassgrad.core.saved import arrays_in

from .gradients import A_LOCAL, fit
from .phase import Phase

if TYPE_CHECKING:
    from .task import GraphTask

__all__ = ["Visit", "saved_bytes"]

Grads = tuple[Any, ...]


class Visit:
    """The turn of `node` in the pass `task`.

    Attributes:
        grads: what arrived at the node, as far as hooks have changed it.
        results: the gradients of its operands, once they are computed.
        todo: what there is to do, each (kind of phase, whatever that needs).
        at: how much of it is done.
    """

    __slots__ = ("at", "grads", "node", "results", "task", "todo")

    def __init__(self, task: "GraphTask", node: Node) -> None:
        self.task, self.node = task, node
        self.grads: Grads = ()
        self.results: Grads = ()
        self.todo: tuple[tuple[str, Any], ...] = (("ready", None),)
        self.at = 0

    def step(self) -> Phase | None:
        """Do the next thing; None if there was nothing left to tell of."""
        self.task.node = self.node
        while self.at < len(self.todo):
            kind, what = self.todo[self.at]
            self.at += 1
            phase: Phase | None = getattr(self, f"_{kind}")(what)
            if phase is not None:
                return phase
        return None

    @property
    def upcoming(self) -> tuple[str, Any]:
        """The kind of the next phase, and its hook or edge; ("", None) if there is none."""
        for kind, what in self.todo[self.at : self.at + 2]:
            is_silent = kind == "capture" or (kind == "free_saved" and not self.node.holders)
            if not is_silent:
                return kind, what
        return "", None

    def mark(self) -> tuple[Any, ...]:
        """Where it stands, for `put_back`."""
        return self.grads, self.results, self.todo, self.at

    def put_back(self, mark: tuple[Any, ...]) -> None:
        """Stand where it stood when `mark` was made; what it did is not undone."""
        self.grads, self.results, self.todo, self.at = mark

    # Each returns the phase it was, None if there is nothing to tell ------------------------------

    def _ready(self, _: None) -> Phase:
        task, node = self.task, self.node
        self.grads = task._take(node)
        needed = task.schedule.needed
        if needed is None or node in needed:
            hooks = [("pre_hook", step) for step in (*tensor_hooks(node), *pre_hooks(node))]
            last = "accumulate" if type(node) is AccumulateGrad else "apply"
            self._then(("capture", None), *hooks, (last, None))
        elif node in task.wanted or node is task.only_root:
            self._then(("pass_by", None))
        return Phase("ready", node, self.grads)

    def _then(self, *more: tuple[str, Any]) -> None:
        self.todo += more

    def _pass_by(self, _: None) -> None:
        """The gradient is wanted, and the node does not run."""
        self.task._capture(self.node, run_all(tensor_hooks(self.node), self.grads))

    def _capture(self, _: None) -> None:
        self.task._capture(self.node, self.grads)  # before hooks, where the node runs itself

    def _pre_hook(self, step: Step) -> Phase:
        run, hook, extra = step
        before, self.grads = self.grads, run(hook, self.grads, extra)
        return Phase("pre_hook", self.node, before, self.grads, hook)

    def _accumulate(self, _: None) -> Phase:
        node: Any = self.node
        grad, unshared = self.grads[0], False
        if has_no_hooks(node) and not self.task.on_tensors:
            self.grads = ()  # Note [Who owns a gradient]
            unshared = sys.getrefcount(grad) <= A_LOCAL
        self.task._accumulate(node.variable, grad, unshared)
        self.grads = (grad,)
        self._then(*[("post_accumulate", step) for step in accumulated_hooks(node.variable)])
        self._then_post_hooks()
        return Phase("accumulate", node, self.grads)

    def _post_accumulate(self, step: Step) -> Phase:
        run, hook, leaf = step
        run(hook, (), leaf)
        return Phase("post_accumulate", self.node, detail=hook)

    def _apply(self, _: None) -> Phase:
        task, node = self.task, self.node
        results = node.compute(self.grads, task.lift)
        self.results = fit(node, results)
        if node.cold is not None and node.cold.post and not node._is_users:
            self.results = task._asked_for(node, self.results)
        self._then_post_hooks()
        if not task.keep_graph:
            if node.holders or self.at < len(self.todo):
                self._then(("free_saved", None))
            else:
                node.release()  # it saved nothing to tell of, and is used up all the same
        edges = [(place, edge) for place, edge in enumerate(node.edges) if edge is not None]
        self._then(*[("buffer", place_and_edge) for place_and_edge in edges])
        return Phase("apply", node, self.grads, results)

    def _then_post_hooks(self) -> None:
        self._then(*[("post_hook", step) for step in post_hooks(self.node, self.grads)])

    def _post_hook(self, step: Step) -> Phase:
        run, hook, extra = step
        before, self.results = self.results, run(hook, self.results, extra)
        return Phase("post_hook", self.node, before, self.results, hook)

    def _free_saved(self, _: None) -> Phase | None:
        size = 0 if self.node.holders is None else saved_bytes(self.node)
        self.node.release()
        return Phase("free_saved", self.node, detail=size) if size else None

    def _buffer(self, place_and_edge: tuple[int, Any]) -> Phase:
        place, edge = place_and_edge
        part = self.results[place]
        arrived = self.task._put(edge, part)
        return Phase("buffer", arrived, (), (part,), (self.node, place))


def saved_bytes(node: Any) -> int:
    """The bytes of what `node` keeps; an array that it keeps twice counts once."""
    found = getattr(node, "kept_arrays", None)  # which the nodes of built-in ops have
    kept = found() if found else [a for kept in node._all_kept() for a in arrays_in(kept)]
    return sum(array.nbytes for array in {id(array): array for array in kept}.values())
