"""`numerics`: exact derivatives, or the literal numbers of the library that the case study is from.

cuRobo's kernels differ in three places from what their formulas mean: the ghosts before a moving
start (`CliqueTensorStepKernel`), the gradient of the last action (the central differences), and the
step of `AccelerationTensorStepKernel`, which has no backward there. The classes compute exactly by
default; inside `numerics("curobo")` they give the original's numbers, to compare and to teach.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from glassgrad.core.errors import ArgumentError

_KINDS = "exact", "curobo"


class _Chosen(threading.local):
    kind = "exact"


_chosen = _Chosen()


@contextmanager
def numerics(kind: str) -> Iterator[None]:
    """Choose what the fused steps of this thread compute inside a `with` block.

    A step remembers its choice: its backward computes as its forward did, wherever it runs. One
    that a reentrant checkpoint runs again asks anew, in the thread and at the time of that.

    Args:
        kind: "exact" (the default outside of any block), or "curobo" for that library's numbers:
            ghosts in other units, a last action that gets a part of its gradient, a halved
            increment of velocity.

    Raises:
        ArgumentError: for any other kind.

    Example:
        >>> u, start, rate = tensor([[[0.0], [0.0]]]), tensor([[0.0]]), tensor([2.0])
        >>> still = tensor([[0.0]])
        >>> def jump(velocity):
        ...     given = u, start, velocity, still, *[None] * 4, rate, None
        ...     return CliqueTensorStepKernel.apply(*given)[2][0, 1].item()
        >>> jump(tensor([[1.0]]))
        -2.0
        >>> with numerics("curobo"):
        ...     jump(tensor([[1.0]]))
        -8.0
    """
    if not _is_kind(kind):
        raise ArgumentError(
            f"numerics() was given {kind!r}. It chooses between two ways to compute. Write "
            'numerics("exact") or numerics("curobo").'
        )
    before = _chosen.kind
    _chosen.kind = kind
    try:
        yield
    finally:
        _chosen.kind = before


def is_literal() -> bool:
    """Whether this thread is inside `numerics("curobo")`."""
    return _chosen.kind == "curobo"


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, str) and kind in _KINDS
