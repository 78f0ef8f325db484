"""Faults to plant in glassgrad: what a wrong engine would do. Random programs must notice each."""

import itertools
from collections.abc import Callable
from typing import Any

from glassgrad.autograd.graph import _MultiHook
from glassgrad.core import engine, graph
from glassgrad.core.saved import PrimitiveNode
from glassgrad.core.tensor import Tensor
from glassgrad.hooks import on_gradients, on_saved, turn
from glassgrad.hooks import on_gradients as hooks
from glassgrad.memory import saved, views
from glassgrad.ops import _writing
from glassgrad.values import gradients

__all__ = ["FAULTS"]

Plant = Callable[[Any], None]


def swap_order(patch: Any) -> None:
    whole = engine.Schedule.__init__

    def build(self: Any, *args: Any) -> None:
        whole(self, *args)
        for i, (a, b) in enumerate(itertools.pairwise(self)):
            leads = any(engine.ends(edge)[0] is b for edge in a.edges if edge is not None)
            if not leads and a.edges and b.edges:
                self[i], self[i + 1] = b, a
                return

    patch.setattr(engine.Schedule, "__init__", build)


def drop_version_bump(patch: Any) -> None:
    patch.setattr(Tensor, "wrote", lambda self: None)


def reverse_hooks(patch: Any) -> None:
    patch.setattr(
        on_gradients.Hooks, "values", lambda self: list(dict.values(self))[::-1], raising=False
    )


def ignore_replacement(patch: Any) -> None:
    patch.setattr(hooks, "_checked", lambda hook, result, grad: grad)


def leave_broadcast(patch: Any) -> None:
    patch.setattr(gradients, "fitted", lambda node, position, grad, shape, dtype: grad)


def steal_shared(patch: Any) -> None:
    whole = engine.accumulate
    patch.setattr(engine, "is_own", lambda array: True)
    patch.setattr(engine, "accumulate", lambda leaf, grad, unshared: whole(leaf, grad, True))


def skip_release(patch: Any) -> None:
    whole = engine.Pass.__init__

    def build(self: Any, *args: Any, **options: Any) -> None:
        whole(self, *args, **{**options, "keep_graph": True})

    patch.setattr(engine.Pass, "__init__", build)


def drop_duplicates(patch: Any) -> None:
    whole = engine.Pass.put

    def put(self: Any, edge: Any, grad: Any) -> Any:
        node = engine.ends(edge)[0]
        is_second = node in self.buffers and type(node.out_dtype) is not tuple
        return node if is_second else whole(self, edge, grad)

    patch.setattr(engine.Pass, "put", put)


def release_half(patch: Any) -> None:
    whole = engine.Pass.run

    def run(self: Any) -> None:
        nodes = [node for node in self.schedule if isinstance(node, PrimitiveNode)]
        twice = [node for node in nodes if len(node.holders or ()) > 1]
        saved = [(n.saved_tensors, n.holders, n.versions) for n in twice]
        whole(self)
        for node, kept in zip(twice, saved, strict=True):
            node.saved_tensors, node.holders, node.versions = kept

    patch.setattr(engine.Pass, "run", run)


def accumulate_instead_of_capture(patch: Any) -> None:
    whole = turn.Turn._capture

    def capture(self: Any) -> None:
        whole(self)
        if self.node in self.task.wanted and isinstance(self.node, graph.AccumulateGrad):
            engine.accumulate(self.node.variable, self.grads[0], False)

    patch.setattr(turn.Turn, "_capture", capture)


def forget_hooks_of_captured(patch: Any) -> None:
    patch.setattr(turn.Turn, "_pass_by", lambda self, _: self._capture())


def skip_rebase(patch: Any) -> None:
    move = _writing.move

    def move_alone(tensor: Any, edge: Any, at: int = 0) -> None:
        if tensor._base is None:
            move(tensor, edge, at)
        else:
            views.relocate(tensor, edge)
            tensor.cold.seen = tensor.cold.version.count

    patch.setattr(_writing, "move", move_alone)


def leave_siblings(patch: Any) -> None:
    patch.setattr(views.Views, "written", lambda self: None)


def leave_retained_gradient(patch: Any) -> None:
    def relocate(tensor: Any, edge: Any) -> None:
        tensor.edge = edge

    patch.setattr(views, "relocate", relocate)


def forget_output_number(patch: Any) -> None:
    patch.setattr(views, "ends", lambda edge: (engine.ends(edge)[0], 0))
    patch.setattr(engine, "ends", lambda edge: (engine.ends(edge)[0], 0))


def unpack_once(patch: Any) -> None:
    whole = on_saved.Packed.data
    known: dict[int, Any] = {}

    def data(self: Any) -> Any:
        if id(self) not in known:
            known[id(self)] = self, whole(self)  # the first keeps the id taken
        return known[id(self)][1]

    patch.setattr(on_saved.Packed, "data", data)


def detach_recorded_gradients(patch: Any) -> None:
    patch.setattr(saved, "lifted", lambda node: node)


def keep_removed_hooks(patch: Any) -> None:
    patch.setattr(on_gradients.RemovableHandle, "remove", lambda self: None)


def wait_for_one_gradient(patch: Any) -> None:
    patch.setattr(_MultiHook, "_expected", lambda self, task: 1)


def drop_callbacks(patch: Any) -> None:
    whole = engine.Pass.run

    def run(self: Any) -> None:
        self.callbacks = ()
        whole(self)

    patch.setattr(engine.Pass, "run", run)


FAULTS: dict[str, Plant] = {
    plant.__name__: plant
    for plant in (
        swap_order,
        drop_version_bump,
        reverse_hooks,
        ignore_replacement,
        leave_broadcast,
        steal_shared,
        skip_release,
        release_half,
        drop_duplicates,
        accumulate_instead_of_capture,
        forget_hooks_of_captured,
        skip_rebase,
        leave_siblings,
        leave_retained_gradient,
        forget_output_number,
        unpack_once,
        detach_recorded_gradients,
        keep_removed_hooks,
        wait_for_one_gradient,
        drop_callbacks,
    )
}
