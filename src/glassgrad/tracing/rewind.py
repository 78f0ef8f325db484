"""What it takes to step back: before each phase of a pass, note what that phase will change.

Nothing is copied but what would be written over: the array of a leaf's `.grad`, which the engine
adds to in place, and gradients that a hook or a user's rule gets hold of. For all the rest a
reference is enough, since the engine puts new objects into the place of old ones. (It adds in
place to a buffer too, unless somebody else refers to it; the journal does. See Note [Who owns a
gradient] in `core/engine.py`.)

An entry of the journal is a function that undoes one change.
"""

from collections.abc import Callable, Iterable
from functools import partial
from types import MemberDescriptorType
from typing import Any

from glassgrad.core.graph import AccumulateGrad, Node, ends
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.state import modes
from glassgrad.core.tensor import Tensor
from glassgrad.hooks.on_saved import Unpacking
from glassgrad.hooks.turn import HOOK_PHASES, GraphTask, Phase
from glassgrad.memory.views import CopySlices
from glassgrad.ops.generator import default_generator
from glassgrad.values.backend import is_array
from glassgrad.values.layers import Layer

from .graph import Graph

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
        self.task.before_inner = self._note_inner  # no longer than that: it would be a cycle
        self.is_stepping = True
        try:
            return self.task.step_here()
        finally:
            self.is_stepping = False
            self.task.before_inner = None

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
