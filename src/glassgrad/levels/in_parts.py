"""A user's Function called in parts, for whoever comes between them: transforms and forward mode.

Where `call` does it all at once, these run `forward` and `setup_context` and hand over the ctx.
What they return goes to `place_outputs`.
"""

from collections.abc import Callable
from typing import Any

from glassgrad.core.graph import edge_of
from glassgrad.core.state import modes, unrecorded
from glassgrad.core.tensor import Tensor
from glassgrad.recording.calling import form_of

__all__ = ["call_at", "run_forward"]


def call_at(level: Any, cls: Any, args: tuple[Any, ...], outputs: Callable[[], Any]) -> Any:
    """Call a Function at a transform's level: its `forward` is done below.

    Args:
        outputs: does it, and returns what it returned as tensors of the level.

    Returns:
        The ctx, what `forward` returned, and the edges of the tensors among `args`; None for
        edges if nothing is recorded.
    """
    ctx = _node_of_level(cls)()
    ctx._level = level
    tensors = [x for x in args if isinstance(x, Tensor)]
    own = [level.is_mine(x) and x.edge is not None for x in tensors]
    recording = modes.grad and True in own
    ctx.needs_input_grad = tuple([level.is_mine(x) and x.edge is not None for x in args])
    pairs = zip(tensors, own, strict=True)
    edges = tuple([edge_of(x) if wanted and recording else None for x, wanted in pairs])
    raw = outputs()
    with unrecorded():
        cls.setup_context(ctx, args, raw)
    return ctx, raw, edges if recording else None


def run_forward(cls: Any, args: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Run `forward` on plain tensors as `call` does, for whoever needs the ctx afterwards.

    Returns:
        As `call_at`.
    """
    forward, separate, _ = cls.__dict__.get("_form") or form_of(cls)
    ctx = cls._backward_cls()
    ctx.needs_input_grad = tuple([isinstance(x, Tensor) and x.edge is not None for x in args])
    tensors = [x for x in args if isinstance(x, Tensor)]
    recording = modes.grad and True in ctx.needs_input_grad
    edges = tuple([edge_of(x) for x in tensors]) if recording else None
    with unrecorded():
        raw = forward(*args) if separate else forward(ctx, *args)
        if separate:
            cls.setup_context(ctx, args, raw)
    return ctx, raw, edges


def _node_of_level(cls: Any) -> Any:
    """The class of the nodes of a Function that transforms record, with PyTorch's name for it."""
    found = cls.__dict__.get("_node_of_level")
    if found is None:
        name = f"{cls.__name__}GeneratedBackward"
        found = cls._node_of_level = type(
            name, (cls._backward_cls,), {"__module__": cls.__module__}
        )
    return found
