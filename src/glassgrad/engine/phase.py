"""What a watched pass tells, one step at a time."""

from typing import Any, NamedTuple

from glassgrad.core.graph import Node

__all__ = ["Phase"]

Grads = tuple[Any, ...]


class Phase(NamedTuple):
    """What a watched pass has just done.

    Attributes:
        kind: "ready", "pre_hook", "apply", "post_hook", "buffer", "accumulate" or "free_saved".
        node: the node it happened at; for "buffer", the node whose buffer was filled.
        before, after: the gradients that went in and came out.
        detail: the hook; the freed bytes; for "buffer", (the node it came from, which edge).
    """

    kind: str
    node: Node
    before: Grads = ()
    after: Grads = ()
    detail: Any = None
