"""What a watched pass tells, one step at a time."""

from typing import Any, NamedTuple

from glassgrad.core.graph import Node

__all__ = ["HOOK_PHASES", "Phase"]

Grads = tuple[Any, ...]

HOOK_PHASES = ("pre_hook", "post_hook", "post_accumulate")
"""The kinds of phases that are one hook of a user each."""


class Phase(NamedTuple):
    """What a watched pass has just done.

    Attributes:
        kind: "ready", "pre_hook", "apply", "post_hook", "buffer", "accumulate", "post_accumulate"
            or "free_saved".
        node: the node it happened at; for "buffer", the node whose buffer was filled.
        before, after: the gradients that went in and came out.
        detail: the hook; the freed bytes; for "buffer", (the node it came from, which edge).
    """

    kind: str
    node: Node
    before: Grads = ()
    after: Grads = ()
    detail: Any = None
