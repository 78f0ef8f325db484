"""Faults to plant in glassgrad: what a wrong engine would do. Random programs must notice each."""

import itertools
from collections.abc import Callable
from typing import Any

from glassgrad.core import engine, gradients, graph, hooks, schedule
from glassgrad.core.tensor import Tensor

__all__ = ["FAULTS"]

Plant = Callable[[Any], None]


def swap_order(patch: Any) -> None:
    whole = schedule.Schedule.__init__

    def build(self: Any, *args: Any) -> None:
        whole(self, *args)
        for i, (a, b) in enumerate(itertools.pairwise(self)):
            leads = any(schedule.ends(edge)[0] is b for edge in a.edges if edge is not None)
            if not leads and a.edges and b.edges:
                self[i], self[i + 1] = b, a
                return

    patch.setattr(schedule.Schedule, "__init__", build)


def drop_version_bump(patch: Any) -> None:
    patch.setattr(Tensor, "wrote", lambda self: None)


def reverse_hooks(patch: Any) -> None:
    patch.setattr(graph.Hooks, "values", lambda self: list(dict.values(self))[::-1], raising=False)


def ignore_replacement(patch: Any) -> None:
    patch.setattr(hooks, "_checked", lambda hook, result, grad: grad)


def leave_broadcast(patch: Any) -> None:
    patch.setattr(gradients, "_fit_one", lambda node, position, grad, shape, dtype: grad)


def steal_shared(patch: Any) -> None:
    whole = gradients.accumulate
    patch.setattr(gradients, "is_own", lambda array: True)
    patch.setattr(engine, "accumulate", lambda leaf, grad, unshared: whole(leaf, grad, True))


def skip_release(patch: Any) -> None:
    whole = engine.GraphTask.__init__

    def build(self: Any, *args: Any, **options: Any) -> None:
        whole(self, *args, **{**options, "keep_graph": True})

    patch.setattr(engine.GraphTask, "__init__", build)


def drop_duplicates(patch: Any) -> None:
    patch.setattr(engine.GraphTask, "_add", lambda self, node, grad: None)


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
        drop_duplicates,
    )
}
