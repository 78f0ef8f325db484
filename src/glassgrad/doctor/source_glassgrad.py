"""What happens in glassgrad, told as events: by the places where it already asks who wants to know.

state.computed, state.noting    each op, each node    (by the readable way in: `state.special`)
modes.watcher                   each pass of this thread
state.before_write              each write in place
step hooks of all optimisers    each step
"""

import math
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from numpy import ndarray, vdot

from glassgrad.core import state
from glassgrad.core.errors import GlassgradError
from glassgrad.core.graph import AccumulateGrad
from glassgrad.core.state import Block, Values, modes, plugs, set_modes
from glassgrad.core.tensor import LEAF, Tensor
from glassgrad.hooks.turn import GraphTask
from glassgrad.memory.saved import check_versions, names_of
from glassgrad.optim.optimizer import (
    global_hooks,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from glassgrad.source.frames import made_at
from glassgrad.source.names import name_of
from glassgrad.values.backend import asnumpy
from glassgrad.values.layers import array_of

from .ledger import Op, Run
from .observer import Observer, Source
from .prints import print_of

_WIDE = 4  # bytes of a number whose square is one, too
_EARLY, _EVERY = 20, 4  # which passes: the first ones, then each fourth
_MOST_HELD = 64_000_000  # bytes of prints, and of arrays, before they are let go


class GlassgradSource(Source, Block):
    """Tells an observer what this thread does with glassgrad, from `open` on."""

    def __init__(self, observer: Observer) -> None:
        super().__init__(observer)
        self.outer = modes.watcher
        self.last: tuple[Any, Any, Any] | None = None  # an op, its operands, and what it made
        self.prints: dict[int, list[bytes | None]] = {}
        """Of what each node has saved, by its number, until a pass comes by."""
        self.seen: dict[int, tuple[Any, bytes]] = {}
        """Of arrays that nobody has written since; kept, so that no other is their id."""
        self.held = self.printed = 0  # bytes
        self.is_comparing = True

    def open(self, stack: ExitStack) -> None:
        stack.enter_context(self)

    def begin(self) -> None:
        state.computed = (*state.computed, self._computed)
        state.noting = (*state.noting, self._noted)
        state.before_write.append(self._about_to_write)
        set_modes(watcher=self._pass)
        plugs.task = _stepped_task(self)
        register_optimizer_step_pre_hook(self.before_step)
        register_optimizer_step_post_hook(self.after_step)
        state.special.add(id(self))

    def leave(self) -> None:
        state.special.discard(id(self))
        state.computed = tuple([tell for tell in state.computed if tell != self._computed])
        state.noting = tuple([note for note in state.noting if note != self._noted])
        if self._about_to_write in state.before_write:
            state.before_write.remove(self._about_to_write)
        for hooks in global_hooks.values():
            for key, hook in list(hooks.items()):
                if hook in (self.before_step, self.after_step):
                    del hooks[key]
        plugs.task = GraphTask
        set_modes(watcher=self.outer)

    # How it looks at tensors --------------------------------------------------------------------

    @staticmethod
    def grad(leaf: Any) -> Any:
        return None if leaf.cold is None else leaf.cold.grad

    @staticmethod
    def version(tensor: Any) -> int:
        version = None if tensor.cold is None else tensor.cold.version
        return 0 if version is None else version.count

    @staticmethod
    def array(tensor: Any) -> Any:
        payload = getattr(tensor, "payload", tensor)
        return payload if payload.__class__ is ndarray else asnumpy(array_of(payload))

    def norm(self, tensor: Any) -> float:
        flat = self.array(tensor).reshape(-1)
        if flat.dtype.itemsize < _WIDE:
            flat = flat.astype("float32")
        square = float(vdot(flat, flat).real)
        return math.sqrt(square) if square >= 0 else math.nan

    @staticmethod
    def memory(tensor: Any) -> int:
        return id(getattr(tensor, "payload", tensor))

    @staticmethod
    def seq(node: Any) -> int:
        return node.seq  # type: ignore[no-any-return]  # Any

    # Ops ----------------------------------------------------------------------------------------

    def _computed(self, cls: Any, operands: Values, values: Values, _: Any, out: Any) -> None:
        """An op was done on arrays; if it is recorded, its node follows."""
        here = modes.__dict__
        if here["key"] != self.key or here["levels"]:
            return
        self.last = cls, operands, out
        if not here["grad"]:
            for x in operands:
                if x.__class__ is not float and getattr(x, "edge", None) is LEAF:
                    self.observer.unrecorded(x, self)
        if cls.__name__ in self.observer.ops and not (here["grad"] and _requires_grad(operands)):
            self.observer.made(Op(cls.__name__, operands, out, None, self))

    def _noted(self, node: Any) -> None:
        """A node was made: by the op before, or by a user's Function, or by a write."""
        here = modes.__dict__
        if here["key"] != self.key or here["levels"]:
            return
        if self.is_comparing:
            self.prints[node.seq] = list(map(self._print, _kept(node)))
            if self.held > _MOST_HELD:
                self.seen.clear()
                self.held = 0
            if self.printed > _MOST_HELD:
                self.prints.clear()
                self.printed = 0
        last, self.last = self.last, None
        if last is not None:
            cls, operands, out = last
            name = cls.__name__
            if name in self.observer.ops and getattr(node, "_forward_cls", None) is cls:
                self.observer.made(Op(name, operands, out, node, self))

    def _print(self, array: Any) -> bytes | None:
        """The print of an array; of one that several nodes save, it is made once."""
        if array.__class__ is not ndarray:
            return None
        found = self.seen.get(id(array))
        if found is None:
            found = self.seen[id(array)] = array, print_of(array)
            self.held += array.nbytes
            self.printed += len(found[1])
        return found[1]

    # Passes -------------------------------------------------------------------------------------

    def _pass(self, task: GraphTask) -> None:
        """Run a pass, or have it run by who watched before; tell of it before and after."""
        run = self.pass_begins(task)
        if self.outer is None:
            task.run_here()
        else:
            self.outer(task)
        self.pass_ended(run)

    def pass_begins(self, task: Any) -> Run | None:
        """Tell that a pass is about to run: what it is; None if it is no concern of ours."""
        if modes.key != self.key or getattr(task, "is_told", False):
            return None
        task.is_told = True
        run = self._described(task)
        self._compare_saved(run)
        self.observer.pass_begins(run)
        return run

    def pass_ended(self, run: Run | None) -> None:
        """Tell that it has run to its end."""
        self.last = None
        if run is not None:
            self.observer.pass_ended(run)

    def _described(self, task: GraphTask) -> Run:
        needed, schedule = task.schedule.needed, task.schedule
        nodes = schedule if needed is None else [node for node in schedule if node in needed]
        run = Run(self, [node for node in task.buffers if node is not None])
        run.nodes, run.is_freeing = nodes, not task.keep_graph
        for node in nodes:
            if node.__class__ is AccumulateGrad:
                leaf = self.observer.ledger.leaf(node.variable, self)
                if node not in task.wanted:
                    run.leaves.append((leaf, node.variable))
            elif (calls := getattr(node, "calls", None)) is not None:
                run.modules.append(calls[-1][1]())  # the outermost, if it is still there
        for node in task.wanted:
            if node.__class__ is AccumulateGrad:
                self.observer.ledger.leaf(node.variable, self).is_asked = True
        return run

    def _compare_saved(self, run: Run) -> None:
        """Look whether what nodes have saved is still what it was."""
        self.seen.clear()
        now: dict[int, bytes] = {}
        for node in run.nodes if self.prints else ():
            known = None if node.__class__ is AccumulateGrad else self.prints.get(node.seq)
            if known is None:
                continue
            for at, (array, before) in enumerate(zip(_kept(node), known, strict=False)):
                if before is None or array.__class__ is not ndarray:
                    continue
                found = now.get(id(array))
                if found is None:
                    found = now[id(array)] = print_of(array)
                if found != before:
                    self._overwritten(node, at, array)
        for node in run.nodes if run.is_freeing and self.prints else ():
            self.prints.pop(node.seq, None)
        if not self.prints:
            self.printed = 0
        passes = self.observer.ledger.passes
        self.is_comparing = passes < _EARLY or passes % _EVERY == 0

    def _overwritten(self, node: Any, at: int, array: Any) -> None:
        try:
            if not node._is_users:
                check_versions(node)
            else:
                node.saved_tensors  # noqa: B018  # checks versions
        except GlassgradError:
            return  # the pass will say so
        holder = node.holders[at] if at < len(node.holders) else None
        name = name_of(holder) if isinstance(holder, Tensor) else None
        root = _root_of(array)
        name = name or f"its {names_of(node)[at]!r}"
        self.observer.overwritten(name, node, made_at(node), self.writes.get(root), root)

    # Writes -------------------------------------------------------------------------------------

    def _about_to_write(self, tensor: Any) -> None:
        if modes.key != self.key or self.observer.stepping:
            self.seen.clear()
            return
        array = tensor.payload
        if not isinstance(array, ndarray):
            return
        self.seen.clear()
        self.note_write(tensor, _root_of(array))


def _stepped_task(source: GlassgradSource) -> type[GraphTask]:
    """The class of passes, which tells of those that `record` or `step` advance by themselves."""

    class SteppedTask(GraphTask):
        told: Run | None = None

        def within(self, act: Callable[[], Any]) -> Any:
            if not getattr(self, "is_told", False):
                self.told = source.pass_begins(self)
            found = super().within(act)
            if self.is_over and self.told is not None:
                run, self.told = self.told, None
                source.pass_ended(run)
            return found

    return SteppedTask


# What a node has saved, and whether it is the same ------------------------------------------------


def _requires_grad(operands: Values) -> bool:
    """Whether one of the operands of an op requires grad, so that it is recorded."""
    for x in operands:  # noqa: SIM110  # a generator costs more than all that
        if getattr(x, "edge", None) is not None:
            return True
    return False


def _kept(node: Any) -> Any:
    """What a node has saved: arrays, and what is not looked at."""
    kept = (node.holders or node.to_save) if node._is_users else node.saved_tensors
    if kept.__class__ is not tuple:
        return ()  # freed, or packed by hooks
    return [getattr(each, "payload", None) for each in kept] if node._is_users else kept


def _root_of(array: Any) -> int:
    """What tells the memory of an array and of all its views."""
    while isinstance(array.base, ndarray):
        array = array.base
    return id(array)
